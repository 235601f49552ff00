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

function ask(event, directory, milliseconds = MILLISECONDS) {
  return new Promise((resolve) => {
    const withhold = () => resolve(WITHHELD)
    try {
      const child = spawn(COMMAND[0], COMMAND.slice(1), { cwd: directory, stdio: ["pipe", "pipe", "ignore"] })
      const timer = setTimeout(() => {
        child.kill("SIGKILL")
        child.stdout.destroy()
        withhold()
      }, milliseconds)
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

// Letters of which every mark of ours has some: a text without them is not asked about.
const MARKS = ["[...", "omitted", "[same ", " ln x", "[original ", "[Artifact: ", " chars; ", "[identical to ", "[kept here", "[art_", "[diff against ", "[still running", "[cleared at turn ", "[REDACTED: ", "REDACTED_PASSWORD"]

function mayHoldMarks(args) {
  const text = JSON.stringify(args ?? {})
  return MARKS.some((letters) => text.includes(letters))
}

// A plugin for opencode and its kin.
const errors = (globalThis[Symbol.for("overspill.errors")] ??= new Map()) // as shown, by call
const MOST_ERRORS = 500
const WRITING = ["write", "edit", "multiedit", "patch", "apply_patch"]

async function shownError({ sessionID, tool, callID, state }, directory) {
  const key = `${sessionID} ${callID} ${state.error}`
  if (!errors.has(key)) {
    const result = { title: "", output: state.error, metadata: {} }
    const args = state.input ?? {}
    const answer = await ask({ event: "after", sessionID, directory, tool, callID, args, result }, directory)
    if (errors.size >= MOST_ERRORS) errors.clear()
    errors.set(key, typeof answer.output === "string" ? answer.output : state.error)
  }
  return errors.get(key)
}

export const Overspill = async ({ directory }) => ({
  // The server with which the model fetches what was left out; one that the settings name stays as it is.
  config: async (settings) => {
    settings.mcp ??= {}
    settings.mcp.overspill ??= { type: "local", command: [...COMMAND.slice(0, -2), "mcp", "serve"], enabled: true }
  },
  "tool.execute.before": async ({ sessionID, tool, callID }, output) => {
    if (!WRITING.includes(tool) || !mayHoldMarks(output?.args) || seen.has(output)) return
    seen.add(output)
    const answer = await ask({ event: "before", sessionID, directory, tool, callID, args: output.args }, directory)
    if (typeof answer.stop === "string") throw new Error(answer.stop)
  },
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
  "experimental.session.compacting": async ({ sessionID }, output) => {
    if (!Array.isArray(output?.context) || seen.has(output)) return
    seen.add(output)
    const answer = await ask({ event: "compacting", sessionID, directory }, directory)
    if (typeof answer.context === "string") output.context.push(answer.context)
  },
  event: async ({ event }) => {
    if (event?.type !== "session.compacted" || seen.has(event)) return
    seen.add(event)
    await ask({ event: "compacted", sessionID: event.properties?.sessionID, directory }, directory)
  },
  // No hook is told of a call that failed, but its error stands in every request that follows.
  "experimental.chat.messages.transform": async (_, { messages }) => {
    for (const part of (messages ?? []).flatMap(({ parts }) => parts ?? [])) {
      if (part.type !== "tool" || part.state?.status !== "error" || typeof part.state.error !== "string") continue
      part.state.error = await shownError(part, directory)
    }
  },
})
