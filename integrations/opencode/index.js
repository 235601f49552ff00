// Overspill for opencode: long results are fitted before the model sees them. Written by `spill init opencode`;
// `spill init opencode --uninstall` removes it. Where `spill` cannot look at a result, a sentence stands in its place;
// only where there is no `spill` at all, the tool's own result stands.
import { spawn } from "node:child_process"
import { existsSync, lstatSync, readdirSync } from "node:fs"
import { createConnection } from "node:net"
import { isAbsolute, join } from "node:path"

const COMMAND = ["spill", "hook", "opencode"]
const MILLISECONDS = 30_000
const SORRY = "Output could not be shown: overspill's hook gave no answer. `spill doctor` may say more."
const WITHHELD = { output: SORRY, content: [{ type: "text", text: SORRY }] }

// A plugin of the project and one of the user may both be loaded: each call is looked at once.
const seen = (globalThis[Symbol.for("overspill.seen")] ??= new WeakSet())

// Readers of this user, which have everything loaded (`spill mcp serve` has one beside it): where they listen.
const GREETING_MILLISECONDS = 1_000
const LONGEST_PATH = 100

function readerPaths() {
  try {
    const { XDG_CACHE_HOME: cache = "", HOME: home = "" } = process.env
    const place = join(isAbsolute(cache) ? cache : join(home, ".cache"), "overspill")
    const { mode, uid } = lstatSync(place)
    if (!isAbsolute(place) || uid !== process.geteuid() || (mode & 0o170077) !== 0o040000) return []
    const names = readdirSync(place).filter((name) => name.startsWith("reader-"))
    return names.map((name) => join(place, name)).filter((path) => Buffer.byteLength(path) <= LONGEST_PATH)
  } catch {
    return []
  }
}

function readerRequest(sent, directory) {
  const variables = Object.entries(process.env).map(([name, value]) => `${name}=${value}`)
  const program = COMMAND.length === 3 ? COMMAND[0] : ""
  const head = Buffer.from([`${sent.length}:${program}`, COMMAND.at(-1), directory, ...variables].join("\0"))
  const size = Buffer.alloc(4)
  size.writeUInt32BE(head.length)
  return Buffer.concat([size, head, sent])
}

// What a reader answers; nothing where it does not greet in time, or its answer does not end with a line end.
function askReader(path, request, milliseconds) {
  return new Promise((resolve) => {
    const parts = []
    const end = (answer) => {
      clearTimeout(timer)
      connection.destroy()
      resolve(answer)
    }
    let timer = setTimeout(end, Math.min(GREETING_MILLISECONDS, milliseconds))
    const connection = createConnection(path)
    connection.on("error", () => end())
    connection.on("data", (part) => {
      if (parts.length === 0) {
        clearTimeout(timer)
        timer = setTimeout(end, milliseconds)
        connection.write(request)
      }
      parts.push(part)
    })
    connection.on("close", () => {
      const said = Buffer.concat(parts).toString("utf8")
      end(said.startsWith("+") && said.endsWith("\n") ? said.slice(1) : undefined)
    })
  })
}

async function ask(event, directory, milliseconds = MILLISECONDS) {
  const latest = Date.now() + milliseconds
  try {
    const sent = Buffer.from(JSON.stringify(event))
    for (const path of readerPaths()) {
      const said = await askReader(path, readerRequest(sent, directory), latest - Date.now())
      if (said !== undefined) return answerIn(said)
    }
    return await askProcess(sent, directory, latest - Date.now())
  } catch {
    return WITHHELD
  }
}

function answerIn(said) {
  const answer = JSON.parse(said)
  return answer !== null && typeof answer === "object" ? answer : WITHHELD
}

function askProcess(sent, directory, milliseconds) {
  return new Promise((resolve, reject) => {
    const child = spawn(COMMAND[0], COMMAND.slice(1), { cwd: directory, stdio: ["pipe", "pipe", "ignore"] })
    const timer = setTimeout(() => {
      child.kill("SIGKILL")
      child.stdout.destroy()
      reject()
    }, milliseconds)
    const parts = []
    child.on("error", (error) => {
      clearTimeout(timer)
      resolve(error.code === "ENOENT" && existsSync(directory) ? {} : WITHHELD)
    })
    child.stdin.on("error", () => {})
    child.stdout.on("data", (part) => parts.push(part))
    child.on("close", (status) => {
      clearTimeout(timer)
      try {
        resolve(status === 0 ? answerIn(Buffer.concat(parts).toString("utf8")) : WITHHELD)
      } catch {
        reject()
      }
    })
    child.stdin.end(sent)
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
