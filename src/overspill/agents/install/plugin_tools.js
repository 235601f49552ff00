// Tools for an agent that has no MCP servers, or that shows their results in another form: each call is asked of
// `spill mcp serve`, in a process of its own.
const TOOLS = [] // written by `spill init`
const BEGINNING = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: COMMAND.at(-1), version: "1" },
}

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
    for (const message of [
      { jsonrpc: "2.0", id: 1, method: "initialize", params: BEGINNING },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: tool, arguments: args } },
    ])
      child.stdin.write(JSON.stringify(message) + "\n")
  })
}

// A server for as long as this process lives: it tells the journal what these tools take of the context, and has a
// reader beside it, so that hooks need no process of their own.
function keepServer(directory) {
  if (globalThis[Symbol.for("overspill.server")]) return
  try {
    const words = [...COMMAND.slice(0, -2), "mcp", "serve"]
    const child = spawn(words[0], words.slice(1), { cwd: directory, stdio: ["pipe", "ignore", "ignore"] })
    globalThis[Symbol.for("overspill.server")] = child
    child.on("error", () => {})
    child.stdin.on("error", () => {})
    for (const message of [
      { jsonrpc: "2.0", id: 1, method: "initialize", params: BEGINNING },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 2, method: "tools/list", params: {} },
    ])
      child.stdin.write(JSON.stringify(message) + "\n")
    child.unref() // neither keeps the agent from ending
    child.stdin.unref?.()
  } catch {} // then each hook is a process
}
