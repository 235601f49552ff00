// Overspill for opencode: long results are fitted before the model sees them. Written by `spill init opencode`;
// `spill init opencode --uninstall` removes it. Where `spill` cannot look at a result, a sentence stands in its place;
// only where there is no `spill` at all, the tool's own result stands.
import { spawn } from "node:child_process"

const COMMAND = ["spill", "hook", "opencode"]
const MILLISECONDS = 30_000
const SORRY = "Output could not be shown: overspill's hook gave no answer. `spill doctor` may say more."
const WITHHELD = { output: SORRY, content: [{ type: "text", text: SORRY }] }

// A plugin of the project and one of the user may both be loaded: each call is looked at once.
const seen = (globalThis[Symbol.for("overspill.seen")] ??= new WeakSet())

function ask(event, directory) {
  return new Promise((resolve) => {
    const withhold = () => resolve(WITHHELD)
    try {
      const child = spawn(COMMAND[0], COMMAND.slice(1), { cwd: directory, stdio: ["pipe", "pipe", "ignore"] })
      const timer = setTimeout(() => {
        child.kill("SIGKILL")
        child.stdout.destroy()
        withhold()
      }, MILLISECONDS)
      const parts = []
      child.on("error", (error) => {
        clearTimeout(timer)
        resolve(error.code === "ENOENT" ? {} : WITHHELD)
      })
      child.stdin.on("error", () => {})
      child.stdout.on("data", (part) => parts.push(part))
      child.on("close", (status) => {
        clearTimeout(timer)
        try {
          const answer = status === 0 ? JSON.parse(Buffer.concat(parts).toString("utf8")) : WITHHELD
          resolve(answer !== null && typeof answer === "object" ? answer : WITHHELD)
        } catch {
          withhold()
        }
      })
      child.stdin.end(JSON.stringify(event))
    } catch {
      withhold()
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
    if (typeof answer.output === "string" && !Array.isArray(content)) output.output = answer.output
    if (Array.isArray(answer.content) && Array.isArray(content)) output.content = answer.content
  },
})
