import { spawn } from "node:child_process"

const COMMAND = ["spill", "hook", "agent"]
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
const MARKS = [] // written by `spill init`

function mayHoldMarks(args) {
  const text = JSON.stringify(args ?? {})
  return MARKS.some((letters) => text.includes(letters))
}
