"""Our tools, as the protocol describes and calls them, in answers that the program at the other end can take.

How much that is was measured with real agents and texts of growing size. What is longer they cut, or put into a
file of their own, and the call for the next page is gone with the rest.
"""

from __future__ import annotations

import json

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.retrieve.access import Access, access_for
from overspill.retrieve.tools import TOOLS, Answer, Arguments, Tool, answer_call, schema_of

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from overspill.api import Overspill
    from overspill.core.markers import Part, Search
    from overspill.lists.pages import Page
    from overspill.mcp.protocol import Json

CLIENT_KEY = "io.modelcontextprotocol/clientInfo"


class ClientLimits(NamedTuple):
    """The most that one answer of a tool may hold."""

    chars: int
    lines: int | None = None


CLIENT_LIMITS = {
    "codex-mcp-client": ClientLimits(9_000),
    "copilot-cli": ClientLimits(19_000),
    "opencode": ClientLimits(48_000, 1_900),
}


def client_limits(parameters: Json) -> ClientLimits | None:
    """What the program that asks can take, if the request names it, in either era, and we have measured it.

    >>> client_limits({"clientInfo": {"name": "copilot-cli"}})
    ClientLimits(chars=19000, lines=None)
    >>> client_limits({"clientInfo": {"name": "somebody"}})
    """
    meta = parameters.get("_meta")
    about = parameters.get("clientInfo") or (meta.get(CLIENT_KEY) if isinstance(meta, dict) else None)
    name = about.get("name") if isinstance(about, dict) else None
    return CLIENT_LIMITS.get(name) if isinstance(name, str) else None


PREFIX = "overspill_"
# Claude Code shortens what is longer than it likes, unless a tool says how long its results may be.
LONGEST_RESULT = "anthropic/maxResultSizeChars"
NOTE_CHARS = 500  # characters that the note beside a page may take


class Toolbox:
    """The artifact tools of one `Overspill`."""

    def __init__(self, spill: Overspill, more: Sequence[Tool] = ()) -> None:
        self._spill = spill
        self._spelling = spill.workspace.call_format
        self._own = (*TOOLS, *more)
        self._tools = {tool.name: tool for tool in self._own}
        self._reader: ClientLimits | None = None

    def note_client(self, parameters: Json) -> None:
        """Learn from a request who reads the answers."""
        self._reader = client_limits(parameters) or self._reader

    def rename_colliding(self, names: Container[str]) -> None:
        """Go by other names where a server has tools of these; the hints in views then say so."""
        self._tools = {PREFIX + tool.name if tool.name in names else tool.name: tool for tool in self._own}
        self._spill.workspace.call_format = self._spelled

    def has(self, name: str) -> bool:
        """Whether a tool of ours goes by this name."""
        return name in self._tools

    def descriptions(self) -> list[Json]:
        """All of them, for a list of tools."""
        meta = {LONGEST_RESULT: self._spill.settings.integer("tools.truncation.artifacts.retrieval_ceiling")}
        return [
            {
                "name": name,
                "description": self._named(tool.description),
                "inputSchema": dict(tool.parameters),
                "annotations": {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False},
                "_meta": meta,
            }
            for name, tool in self._tools.items()
        ]

    def call(self, name: str, parameters: Json) -> Json:
        """Call one of them: what was found, and in a block of its own where it is from and how to go on."""
        arguments = parameters.get("arguments")
        answer = self._tool_answer(self._tools[name], arguments if isinstance(arguments, dict) else {})
        said = [words for words in (answer.content, self._named(answer.note)) if words]
        return {"content": [{"type": "text", "text": words} for words in said], "isError": answer.is_error}

    def _tool_answer(self, tool: Tool, arguments: Json) -> Answer:
        try:
            if self._reader is None or tool not in TOOLS:
                return tool.call(self._spill, arguments)
            return _answer_within(self._reader, tool, access_for(self._spill.workspace, "model"), arguments)
        except Exception as error:  # noqa: BLE001  # a model can go on from a sentence, not from a broken connection
            return Answer(f"{tool.name} failed ({type(error).__name__}); this is our fault", status=500)

    def _spelled(
        self, artifact_id: str, part: Part | Search | None = None, offset: int = 0, limit: int | None = None
    ) -> str:
        return self._named(self._spelling(artifact_id, part, offset, limit))

    def _named(self, words: str) -> str:
        for name, tool in self._tools.items():
            if name != tool.name:
                words = words.replace(tool.name, name)
        return words


def _answer_within(reader: ClientLimits, tool: Tool, access: Access, arguments: Json) -> Answer:
    """An answer that its reader can take whole, with the note beside it."""
    most = reader.chars - NOTE_CHARS
    access = access._replace(limit=min(access.limit, most), ceiling=min(access.ceiling or most, most))
    answer = tool.call(access, arguments)
    lines = answer.content.splitlines(keepends=True)
    if reader.lines is None or len(lines) <= reader.lines or arguments.get("query"):
        return answer
    return tool.call(access, {**arguments, "limit": len("".join(lines[: reader.lines]))})


# Read tools beside the artifacts': the tasks of the ledger, and what earlier phases left.
MOST_TASKS = 200

LIST = schema_of(
    [],
    status=("string", "Only tasks of this status: pending, active, blocked, done or cancelled."),
    limit=("integer", "Most tasks to list (50 if left out)."),
    offset=("integer", "Tasks to skip, to go on after an earlier page."),
)
FIND = schema_of(
    ["query"],
    query=("string", "Words of titles, descriptions or notes."),
    limit=("integer", "Most tasks to list (10 if left out)."),
    offset=("integer", "Tasks to skip, to go on after an earlier page."),
)
SHOW = schema_of(["id"], id=("string", "The task's id, like T12."))
CONTEXT = schema_of(
    ["phase"],
    phase=("integer", "The phase that begins: it gets what the phases before it left."),
    run_id=("string", "The run. Left out: the latest one."),
)


def task_tools(spill: Overspill) -> tuple[Tool, ...]:
    """The tasks of the ledger, to be read."""

    def listed(_access: Access, given: Arguments) -> Answer:
        status = given.text("status")
        with spill.workspace.ledger() as ledger:
            tasks = ledger.tasks({"status": [status]} if status else None)
            return _page_answer(spill.page(tasks, command="list", compact="task", **_page_bounds(given)), "list_tasks")

    def found(_access: Access, given: Arguments) -> Answer:
        with spill.workspace.ledger() as ledger:
            tasks = ledger.find(given.text("query") or "")
            return _page_answer(spill.page(tasks, command="find", compact="task", **_page_bounds(given)), "find_tasks")

    def shown(_access: Access, given: Arguments) -> Answer:
        with spill.workspace.ledger() as ledger:
            return Answer(_json_line(ledger.show(given.text("id") or "")))

    return (
        Tool("list_tasks", "List the tasks of this project, one compact JSON record a line.", LIST,
             lambda access, given: answer_call(listed, access, LIST, given)),
        Tool("find_tasks", "Find tasks by what they say, the best match first, one compact JSON record a line.", FIND,
             lambda access, given: answer_call(found, access, FIND, given)),
        Tool("show_task", "Show everything that is known of one task, as JSON.", SHOW,
             lambda access, given: answer_call(shown, access, SHOW, given)),
    )  # fmt: skip


def handoff_tools(spill: Overspill) -> tuple[Tool, ...]:
    """What earlier phases left, to be read."""

    def assembled(_access: Access, given: Arguments) -> Answer:
        context = spill.assemble(phase=given.number("phase") or 0, run_id=given.text("run_id"))
        return Answer(context.text, " ".join(context.problems))

    description = "What earlier phases of this work left for a phase: goal, decisions, risks, within its token budget."
    return (
        Tool(
            "get_phase_context",
            description,
            CONTEXT,
            lambda access, given: answer_call(assembled, access, CONTEXT, given),
        ),
    )


def _page_bounds(given: Arguments) -> dict[str, int]:
    limit, offset = given.number("limit"), given.number("offset") or 0
    return {"offset": max(0, offset), **({} if limit is None else {"limit": min(max(1, limit), MOST_TASKS)})}


def _page_answer(page: Page, name: str) -> Answer:
    pages = page.pagination
    total = pages.total if pages else len(page.items)
    start = pages.offset if pages else 0
    following = "" if page.following is None else f"{name}(offset={page.following})"
    note = f"Tasks {start:,}-{start + len(page.items):,} of {total:,}."
    content = "".join(_json_line(item) + "\n" for item in page.items)
    return Answer(content, f"{note} Next page: {following}" if following else note, next=following)


def _json_line(record: Mapping[str, object]) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))
