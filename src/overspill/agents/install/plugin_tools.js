// Tools for an agent that has no MCP servers, or that shows their results in another form: each call is asked of
// `spill mcp serve`, in a process of its own.
const TOOLS = [] // written by `spill init`

function fetch(tool, args, directory) {
  return new Promise((resolve) => {
    const words = [...COMMAND.slice(0, -2), "mcp", "serve"]
    const child = spawn(words[0], words.slice(1), { cwd: directory, stdio: ["pipe", "pipe", "ignore"] })
    let said = ""
    const end = (result) => {
      clearTimeout(timer)
      child.kill("SIGKILL")
      resolve(result)
    }
    const fail = () => end({ content: [{ type: "text", text: SORRY }], isError: true })
    const timer = setTimeout(fail, MILLISECONDS)
    child.on("error", fail)
    child.on("close", fail)
    child.stdin.on("error", () => {})
    child.stdout.setEncoding("utf8").on("data", (part) => {
      said += part
      for (const line of said.split("\n").slice(0, -1)) {
        try {
          const { id, result, error } = JSON.parse(line)
          if (id === 2) end(result ?? { content: [{ type: "text", text: error?.message ?? SORRY }], isError: true })
        } catch {
          fail()
        }
      }
      said = said.slice(said.lastIndexOf("\n") + 1)
    })
    const clientInfo = { name: COMMAND.at(-1), version: "1" }
    const begin = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo }
    for (const message of [
      { jsonrpc: "2.0", id: 1, method: "initialize", params: begin },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: tool, arguments: args } },
    ])
      child.stdin.write(JSON.stringify(message) + "\n")
  })
}
