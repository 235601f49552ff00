import { spawn } from "node:child_process"
import { existsSync, lstatSync, readdirSync } from "node:fs"
import { createConnection } from "node:net"
import { isAbsolute, join } from "node:path"

const COMMAND = ["spill", "hook", "agent"]
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
const MARKS = [] // written by `spill init`

function mayHoldMarks(args) {
  const text = JSON.stringify(args ?? {})
  return MARKS.some((letters) => text.includes(letters))
}
