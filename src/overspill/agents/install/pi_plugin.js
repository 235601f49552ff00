// An extension for pi.
const WRITING = ["write", "edit"]

// An extension of the project and one of the user may both be loaded, and each event is handed to both as it is.
const calls = (globalThis[Symbol.for("overspill.calls")] ??= new Set())
const MOST_CALLS = 1000

function isNew(...words) {
  const key = JSON.stringify(words)
  if (calls.has(key)) return false
  if (calls.size >= MOST_CALLS) calls.clear()
  calls.add(key)
  return true
}

// What pi's own tools say is one text, mostly; the same event as of an MCP server's result where it is more.
function resultOf({ content, details, isError }) {
  const [only] = content ?? []
  if (content?.length !== 1 || only.type !== "text") return { content, isError }
  return { output: only.text, metadata: { outputPath: details?.fullOutputPath }, isError }
}

const shownContent = ({ output, content }) =>
  typeof output === "string" ? [{ type: "text", text: output }] : Array.isArray(content) ? content : undefined

export default function (pi) {
  const session = (ctx) => ({ sessionID: ctx.sessionManager?.getSessionId?.() ?? "", directory: ctx.cwd })
  for (const { name, description, parameters } of TOOLS)
    pi.registerTool({
      name: `overspill_${name}`,
      label: name,
      description,
      parameters,
      execute: async (_, args, __, ___, ctx) => {
        const { content, isError } = await fetch(name, args, ctx.cwd)
        if (isError) throw new Error((content ?? []).map(({ text }) => text ?? "").join("\n"))
        return { content: content.filter(({ type }) => type === "text" || type === "image"), details: undefined }
      },
    })
  pi.on("session_start", (_, ctx) => keepServer(ctx.cwd))
  pi.on("tool_call", async ({ toolName, toolCallId, input }, ctx) => {
    const event = { event: "before", ...session(ctx), tool: toolName, callID: toolCallId, args: input }
    if (!WRITING.includes(toolName) || !mayHoldMarks(input) || !isNew("before", event.sessionID, toolCallId)) return
    const answer = await ask(event, ctx.cwd)
    if (typeof answer.stop === "string") return { block: true, reason: answer.stop }
  })
  pi.on("tool_result", async (told, ctx) => {
    const { toolName, toolCallId, input } = told
    const event = { event: "after", ...session(ctx), tool: toolName, callID: toolCallId, args: input ?? {} }
    if (!isNew("after", event.sessionID, toolCallId)) return
    const content = shownContent(await ask({ ...event, result: resultOf(told) }, ctx.cwd))
    if (content) return { content }
  })
  pi.on("session_compact", async ({ reason, compactionEntry }, ctx) => {
    const event = { event: "compacted", tells: true, trigger: reason === "manual" ? "manual" : "auto", ...session(ctx) }
    if (!isNew("compacted", event.sessionID, compactionEntry?.id)) return
    const answer = await ask(event, ctx.cwd)
    if (typeof answer.context !== "string") return
    pi.sendMessage({ customType: "overspill", content: answer.context, display: false }, { deliverAs: "nextTurn" })
  })
}
