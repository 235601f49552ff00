// Overspill for opencode: long results are fitted before the model sees them. Written by `spill init opencode`;
// `spill init opencode --uninstall` removes it. Whatever goes wrong here, the tool's own result stands.
import { spawn } from "node:child_process"

const COMMAND = ["spill", "hook", "opencode"]
const MILLISECONDS = 30_000

// A plugin of the project and one of the user may both be loaded: each call is looked at once.
const seen = (globalThis[Symbol.for("overspill.seen")] ??= new WeakSet())

function ask(event, directory) {
  return new Promise((resolve) => {
    const nothing = () => resolve({})
    try {
      const child = spawn(COMMAND[0], COMMAND.slice(1), { cwd: directory, stdio: ["pipe", "pipe", "ignore"] })
      const timer = setTimeout(() => {
        child.kill("SIGKILL")
        child.stdout.destroy()
        nothing()
      }, MILLISECONDS)
      const parts = []
      child.on("error", () => {
        clearTimeout(timer)
        nothing()
      })
      child.stdin.on("error", () => {})
      child.stdout.on("data", (part) => parts.push(part))
      child.on("close", (status) => {
        clearTimeout(timer)
        try {
          const answer = status === 0 ? JSON.parse(Buffer.concat(parts).toString("utf8")) : {}
          resolve(answer !== null && typeof answer === "object" ? answer : {})
        } catch {
          nothing()
        }
      })
      child.stdin.end(JSON.stringify(event))
    } catch {
      nothing()
    }
  })
}

export const Overspill = async ({ directory }) => ({
  "tool.execute.after": async (input, output) => {
    if (!output || typeof output !== "object" || seen.has(output)) return
    seen.add(output)
    const { title, output: text, metadata, content, structuredContent, isError } = output
    const result = Array.isArray(content) ? { content, structuredContent, isError } : { title, output: text, metadata }
    const { sessionID, tool, callID, args } = input
    const answer = await ask({ event: "after", sessionID, directory, tool, callID, args: args ?? {}, result }, directory)
    if (typeof answer.output === "string") output.output = answer.output
    if (Array.isArray(answer.content)) output.content = answer.content
  },
})
