// A plugin for Cline. It gives a hook three seconds, and ends the run of a session whose hook takes longer.
const PATIENCE = 2_800
const WRITING = ["editor", "apply_patch", "write_to_file", "replace_in_file"]
const session = { sessionID: "", directory: process.cwd() }

// What commands a call runs, where it is one: then the hook knows what its output is of.
function argumentsOf(input) {
  const commands = [input?.commands ?? []].flat()
  const [only] = commands
  const command = typeof only === "string" ? only : typeof only?.command === "string" ? only.command : undefined
  return commands.length === 1 && command !== undefined ? { ...input, command } : input ?? {}
}

const told = ({ toolName, toolCallId }, input) => ({
  ...session,
  tool: toolName,
  callID: toolCallId,
  args: argumentsOf(input),
})

// An error is one text; what a tool says is a text, or entries with texts in them.
function eventResult({ output, isError }) {
  if (typeof output === "string") return { output, isError }
  if (typeof output?.error === "string" && Object.keys(output).length === 1) return { output: output.error, isError }
  return { content: output, isError }
}

function shownOutput(output, answer) {
  if (typeof output === "string") return typeof answer.output === "string" ? answer.output : output
  if (typeof output?.error === "string" && Object.keys(output).length === 1)
    return typeof answer.output === "string" ? { error: answer.output } : output
  return answer.content ?? output
}

export default {
  name: "overspill",
  manifest: { capabilities: ["hooks", "tools"] },
  setup(api, context) {
    session.sessionID = context?.session?.sessionId ?? ""
    session.directory = context?.workspaceInfo?.rootPath ?? process.cwd()
    keepServer(session.directory)
    ask({ event: "opening", ...session }, session.directory)
    for (const { name, description, parameters } of TOOLS)
      api.registerTool({
        name: `overspill_${name}`,
        description,
        inputSchema: parameters,
        execute: async (args) => {
          const { content, isError } = await fetch(name, args, session.directory)
          const text = (content ?? []).map((part) => part.text ?? `[${part.type}]`).join("\n")
          if (isError) throw new Error(text)
          return text
        },
      })
  },
  hooks: {
    async beforeTool({ toolCall, input }) {
      if (!WRITING.includes(toolCall?.toolName) || !mayHoldMarks(input)) return undefined
      const answer = await ask({ event: "before", ...told(toolCall, input) }, session.directory, PATIENCE)
      return typeof answer.stop === "string" ? { skip: true, reason: answer.stop } : undefined
    },
    async afterTool({ toolCall, input, result }) {
      const event = { event: "after", ...told(toolCall, input), result: eventResult(result) }
      const answer = await ask(event, session.directory, PATIENCE)
      const output = shownOutput(result.output, answer)
      return output === result.output ? undefined : { result: { ...result, output } }
    },
  },
}
