"""An MCP server for what is kept: three tools and the artifacts as resources, in both eras of the protocol.

Until 2025-11-25 a session begins with a handshake; from 2026-07-28 on every request carries the
version in its `_meta`, and results say what they are. The methods are the same.

The tasks of the ledger can be tools, too: an agent finds work, takes it, and says what became of it. Lists are compact
records, one a line of JSON; the note beside them says how many there are and how to go on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

from overspill._lite import TYPE_CHECKING
from overspill.errors import NothingReady, OverspillError, UsageError
from overspill.mcp import (
    HANDSHAKE,
    MODERN,
    Json,
    Oversize,
    Toolbox,
    decode_message,
    encode_message,
    error_response,
    for_protocol_era,
    request_version,
    result_response,
)
from overspill.retrieve.tools import NOT_FOUND, Answer, Arguments, Tool, answer_call, get_artifact, schema_of
from overspill.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    from overspill.api import Overspill
    from overspill.core.report import Artifact
    from overspill.ledger import Tasks
    from overspill.ledger.search import TaskMatches
    from overspill.retrieve.access import Access

    class Work(Protocol):
        """What a tool does."""

        __name__: str

        def __call__(self, access: Access, given: Arguments, /) -> Answer: ...


SERVER_KEY = "io.modelcontextprotocol/serverInfo"

PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMETERS, FAILURE = -32700, -32600, -32601, -32602, -32603
NO_RESOURCE, OTHER_VERSION = -32002, -32022

CAPABILITIES: dict[str, dict[str, bool]] = {"tools": {}, "resources": {}}
IDENTITY = {"name": "overspill", "title": "Overspill", "version": __version__}
INSTRUCTIONS = (
    "Tool results that were too long for the context were shortened, and the whole text is kept here. Where a result "
    "says `[... N lines]`, or `... [N lines / M chars omitted] ...`, and names an id (art_...), call get_artifact with "
    "the range it names, or search_artifacts to find something in it, instead of running the command again."
)
SCHEME = "artifact://"
RESOURCES_A_PAGE = 50
CURSOR = re.compile(r"[0-9]{1,18}")

Method = Callable[["Server", Json], Json]

MOST_TASKS = 200
SECONDS_A_MINUTE = 60

FILTERS = {
    "label": ("array", "Only tasks with all of these labels."),
    "priority": ("string", "Only tasks of this priority: critical, high, medium or low."),
    "parent": ("string", "Only the parts of this task, like T12."),
    "phase": ("string", "Only tasks of this phase."),
}
PAGE = {
    "limit": ("integer", "Most tasks to list, up to 200."),
    "as_of": ("string", "Where to go on after an earlier page: what its note says."),
}
LISTED = {"status": ("array", "Only tasks of these: pending, active, blocked, done, cancelled."), **FILTERS}
TEXTS = {
    "description": ("string", "What the task is about."),
    "priority": ("string", "critical, high, medium or low."),
    "type": ("string", "epic, task or subtask."),
    "parent": ("string", "The task it is a part of, like T12."),
    "phase": ("string", "The phase of the work it belongs to."),
    "verification": ("string", "How it was, or will be, verified."),
}
LISTS = {
    "notes": ("array", "Notes to add, dated and with your name."),
    "acceptance": ("array", "What has to hold when it is done."),
    "files": ("array", "Files it touches."),
}
CALLER = {"as": ("string", "Your name, the same in every call. Left out: the session's, or the user's.")}
FIELDS = {"parent": "parentId"}

LIST = schema_of([], **LISTED, sort=("string", "open (the default), priority, id, created or updated."), **PAGE)
READY = schema_of([], **FILTERS, **PAGE)
FIND = schema_of(
    ["query"],
    query=("string", "Words of ids, titles, labels, descriptions, notes, acceptance, files."),
    **LISTED,
    **PAGE,
)
SHOW = schema_of(["id"], id=("string", "The task's id, like T12."))
CLAIM = schema_of(
    [],
    id=("string", "The task to take, like T12. Left out: the first that is ready."),
    minutes=("integer", "How long it is yours (120 if left out). Claim it again to keep it for longer."),
    **FILTERS,
    **CALLER,
)
UPDATE = schema_of(
    ["id"],
    id=("string", "The task's id, like T12."),
    status=("string", "pending (gives it back), active, blocked, done or cancelled."),
    reason=("string", "Why it is done, cancelled or blocked."),
    title=("string", "Its title."),
    **TEXTS,
    notes=LISTS["notes"],
    add_labels=("array", "Labels to add."),
    remove_labels=("array", "Labels to take away."),
    add_depends=("array", "Tasks that have to be done first, to add."),
    remove_depends=("array", "Tasks it need not wait for any more."),
    add_files=("array", "Files it touches, to add."),
    add_acceptance=("array", "What has to hold when it is done, to add."),
    force=("boolean", "Though something is open below it, or somebody else has it."),
    **CALLER,
)
ADD = schema_of(
    ["title"],
    title=("string", "What is to be done, in one line."),
    **TEXTS,
    **LISTS,
    labels=("array", "Labels."),
    depends=("array", "Tasks that have to be done first, like T12."),
    **CALLER,
)


class BadRequest(Exception):
    """A request that cannot be answered, and the code that says why."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


class Server:
    """Answers messages. It knows nothing of where they come from."""

    def __init__(self, spill: Overspill, more: Sequence[Tool] = ()) -> None:
        self.spill = spill
        self.toolbox = Toolbox(spill, more)

    def answer_frame(self, frame: bytes | Oversize) -> bytes | None:
        """The answer to a frame; None where there is nothing to say."""
        if isinstance(frame, Oversize):
            return encode_message(
                error_response(None, INVALID_REQUEST, f"a message of {frame.size} bytes is longer than is read")
            )
        try:
            message = decode_message(frame)
        except ValueError:
            return encode_message(error_response(None, PARSE_ERROR, "this is no JSON"))
        if isinstance(message, list) and message:
            answers = [said for said in map(self.message, message) if said is not None]
            return encode_message(answers) if answers else None
        said = self.message(message)
        return None if said is None else encode_message(said)

    def message(self, message: object) -> Json | None:
        """The answer to a message."""
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            found = message if isinstance(message, dict) else {}
            said = error_response(found.get("id"), INVALID_REQUEST, "this is no request")
            return None if "result" in found or "error" in found else said
        if "id" not in message:
            return None
        request = message["id"]
        try:
            return result_response(request, self._method_result(message["method"], message.get("params")))
        except BadRequest as error:
            return error_response(request, error.code, str(error), error.data)
        except OverspillError as error:
            return error_response(request, FAILURE, self.spill.workspace.redacted_text(str(error)))
        except Exception as error:  # noqa: BLE001  # one bad request must not end the session of the others
            return error_response(request, FAILURE, f"{type(error).__name__}: this is our fault")

    def _method_result(self, method: str, given: object) -> Json:
        parameters = given if isinstance(given, dict) else {}
        version = request_version(parameters)
        if version is not None and version not in MODERN:
            data = {"supported": [*MODERN, *HANDSHAKE], "requested": version}
            raise BadRequest(OTHER_VERSION, f"no such version of the protocol here: {str(version)[:40]}", data)
        self.toolbox.note_client(parameters)
        work = METHODS.get(method)
        if work is None:
            raise BadRequest(NO_METHOD, f"no such method here: {method[:100]}")
        return for_protocol_era(work(self, parameters), parameters, cached=method in CACHED)

    def initialize(self, parameters: Json) -> Json:
        """Agree on a version: the client's, if we know it."""
        wanted = parameters.get("protocolVersion")
        version = wanted if wanted in HANDSHAKE else HANDSHAKE[-1]
        about = {"capabilities": CAPABILITIES, "serverInfo": IDENTITY, "instructions": INSTRUCTIONS}
        return {"protocolVersion": version, **about}

    def discover(self, _parameters: Json) -> Json:
        """What the newer era asks instead."""
        about = {"capabilities": CAPABILITIES, "instructions": INSTRUCTIONS, "_meta": {SERVER_KEY: IDENTITY}}
        return {"supportedVersions": [*MODERN, *HANDSHAKE], **about}

    def ping(self, _parameters: Json) -> Json:
        """Still here."""
        return {}

    def list_tools(self, _parameters: Json) -> Json:
        """The tools, all on one page."""
        described = self.toolbox.descriptions()
        self.toolbox.tell_cost(described, INSTRUCTIONS)
        return {"tools": described}

    def call_tool(self, parameters: Json) -> Json:
        """Call one of them."""
        name = str(parameters.get("name", ""))
        if not self.toolbox.has(name):
            which = f"no such tool here: {name[:100]}" if name else "name is missing: the tool to call"
            raise BadRequest(INVALID_PARAMETERS, f"{which}; tools/list names them")
        return self.toolbox.call(name, parameters)

    def list_resources(self, parameters: Json) -> Json:
        """The artifacts, newest first, a page at a time."""
        cursor = parameters.get("cursor", "0")
        if not (isinstance(cursor, str) and CURSOR.fullmatch(cursor)):
            raise BadRequest(INVALID_PARAMETERS, "no such cursor; begin without one")
        at = int(cursor)
        artifacts, total = self.spill.store.page(RESOURCES_A_PAGE, at)[:2]
        result: Json = {"resources": [_resource(artifact) for artifact in artifacts]}
        return {**result, "nextCursor": str(at + RESOURCES_A_PAGE)} if at + RESOURCES_A_PAGE < total else result

    def list_templates(self, _parameters: Json) -> Json:
        """How an artifact is addressed."""
        about = "The text of an artifact, as far as one page of it goes; get_artifact fetches any part of it."
        return {"resourceTemplates": [{"uriTemplate": f"{SCHEME}{{id}}", "name": "artifact", "description": about}]}

    def read_resource(self, parameters: Json) -> Json:
        """The first page of an artifact."""
        uri = parameters.get("uri")
        if not isinstance(uri, str) or not uri.startswith(SCHEME):
            raise BadRequest(INVALID_PARAMETERS, "an address like artifact://art_... is needed")
        found = get_artifact(self.spill, {"id": uri.removeprefix(SCHEME)})
        if found.is_error:
            code = NO_RESOURCE if found.status == NOT_FOUND else INVALID_PARAMETERS
            raise BadRequest(code, found.content, {"uri": uri[:200]})
        said = [words for words in (found.content, found.note if found.next else "") if words]
        return {"contents": [{"uri": uri, "mimeType": "text/plain", "text": words} for words in said]}


METHODS: dict[str, Method] = {
    "initialize": Server.initialize,
    "server/discover": Server.discover,
    "ping": Server.ping,
    "tools/list": Server.list_tools,
    "tools/call": Server.call_tool,
    "resources/list": Server.list_resources,
    "resources/templates/list": Server.list_templates,
    "resources/read": Server.read_resource,
}
CACHED = {"server/discover", "tools/list", "resources/list", "resources/templates/list", "resources/read"}


def _resource(artifact: Artifact) -> Json:
    name = artifact.source or artifact.source_tool or artifact.id
    return {
        "uri": SCHEME + artifact.id,
        "name": name,
        "mimeType": artifact.content_type or "text/plain",
        "size": artifact.size.bytes,
    }


class TaskTools:
    """The tools on the ledger of one `Overspill`."""

    def __init__(self, spill: Overspill) -> None:
        self.spill = spill

    def list_tasks(self, _access: Access, given: Arguments) -> Answer:
        """A page of tasks, open work first."""
        with self.spill.workspace.ledger() as ledger:
            sort, at = given.text("sort") or "open", given.text("as_of")
            return self._page(ledger.tasks(_filters(given, LISTED), sort=sort, at=at), given, "list_tasks")

    def ready_tasks(self, _access: Access, given: Arguments) -> Answer:
        """A page of what can be begun."""
        with self.spill.workspace.ledger() as ledger:
            return self._page(ledger.ready(_filters(given, FILTERS), at=given.text("as_of")), given, "ready_tasks")

    def find_tasks(self, _access: Access, given: Arguments) -> Answer:
        """A page of what says something."""
        with self.spill.workspace.ledger() as ledger:
            found = ledger.find(given.text("query") or "", _filters(given, LISTED), at=given.text("as_of"))
            return self._page(found, given, "find_tasks", command="find")

    def show_task(self, _access: Access, given: Arguments) -> Answer:
        """Everything that is known of a task, within what may be fetched at once."""
        with self.spill.workspace.ledger() as ledger:
            return self._record(ledger.show(given.text("id") or ""))

    def claim_task(self, _access: Access, given: Arguments) -> Answer:
        """Take a task, or the first that is ready."""
        minutes, wanted = given.number("minutes"), given.text("id")
        if minutes is not None and minutes < 1:
            raise UsageError(f"minutes is a whole number from 1 on, not {minutes}")
        from overspill.ledger import LEASE_SECONDS

        lease = LEASE_SECONDS if minutes is None else float(minutes * SECONDS_A_MINUTE)
        with self.spill.workspace.ledger(write=True, who=given.text("as")) as ledger:
            filters = _filters(given, FILTERS)
            record = ledger.claim(wanted, seconds=lease) if wanted else ledger.claim_next(filters, seconds=lease)
            if record is None:
                raise NothingReady({one: ledger.tasks({"status": [one]}).count() for one in ("active", "blocked")})
        self._tell("claim", record)
        return self._record(record)

    def update_task(self, _access: Access, given: Arguments) -> Answer:
        """Change a task."""
        names = ("title", "status", "reason", *TEXTS)
        changes: dict[str, object] = {FIELDS.get(name, name): word for name in names if (word := given.text(name))}
        changes |= {"notes": notes} if (notes := given.texts("notes")) else {}
        add = {part: words for part in ADDED if (words := given.texts(f"add_{part}"))}
        remove = {part: words for part in REMOVED if (words := given.texts(f"remove_{part}"))}
        if not changes and not add and not remove:
            raise UsageError("nothing to change: name a field")
        with self.spill.workspace.ledger(write=True, who=given.text("as")) as ledger:
            (record,) = ledger.update_all(
                [given.text("id") or ""], changes, add=add, remove=remove, force=given.flag("force")
            )
        self._tell("update", record)
        return self._record(record)

    def add_task(self, _access: Access, given: Arguments) -> Answer:
        """A new task."""
        names = ("title", *TEXTS)
        fields: dict[str, object] = {FIELDS.get(name, name): word for name in names if (word := given.text(name))}
        fields |= {name: words for name in (*LISTS, "labels", "depends") if (words := given.texts(name))}
        with self.spill.workspace.ledger(write=True, who=given.text("as")) as ledger:
            record = ledger.add(fields)
        self._tell("add", record)
        return self._record(record)

    def _tell(self, action: str, record: Mapping[str, object]) -> None:
        self.spill.workspace.tell("task", {"action": action, "task_id": record["id"]})

    def _record(self, record: dict[str, object]) -> Answer:
        room = self.spill.settings.integer("tools.truncation.artifacts.retrieval_limit")
        from overspill.ledger.fields import fit_record

        short = fit_record(record, room)
        cut = "" if short == record else f"Shortened: `spill show {record['id']} --limit 0` in a shell shows all of it."
        return Answer(_json_line(short), cut)

    def _page(self, found: Tasks | TaskMatches, given: Arguments, name: str, command: str = "list") -> Answer:
        limit, at = given.number("limit"), given.text("as_of")
        if limit is not None and limit < 0:
            raise UsageError(f"limit counts tasks from 0 on (0: as many as one page holds), not {limit}")
        most = {} if limit is None else {"limit": min(limit or MOST_TASKS, MOST_TASKS)}
        page = self.spill.page(found, command=command, compact="task", **most)
        total = page.pagination.total if page.pagination else len(page.items)
        rest = total - len(page.items)
        following = ""
        if rest > 0 and page.items:
            size = f"limit={limit}, " if limit is not None else ""
            following = f'{name}({size}as_of="{found.position(page.items[-1])}") with the same filters'
        note = f"{len(page.items):,} of {total:,} tasks{'' if at is None else ' that follow'}."
        content = "".join(_json_line(item) + "\n" for item in page.items)
        return Answer(content, f"{note} Next page: {following}" if following else note, next=following)


ADDED, REMOVED = ("labels", "depends", "files", "acceptance"), ("labels", "depends")  # single values of lists


def task_tools(spill: Overspill) -> tuple[Tool, ...]:
    """The tools that read and change tasks."""
    tools = TaskTools(spill)
    rows: tuple[tuple[Work, Mapping[str, object], str], ...] = (
        (tools.list_tasks, LIST, "List the tasks of this project, open work first, one compact JSON record a line."),
        (
            tools.ready_tasks,
            READY,
            "List the tasks that can be begun now: nothing before them is open, nobody has them. Most urgent first.",
        ),
        (tools.find_tasks, FIND, "Find tasks by what they say, the best first, one compact JSON record a line."),
        (tools.show_task, SHOW, "Show everything that is known of one task, as JSON: acceptance, notes, who has it."),
        (
            tools.claim_task,
            CLAIM,
            (
                "Take a task before you work on it, so that nobody else does: the first that is ready, or the one you "
                "name. It is given back when its time is over; claim it again to keep it."
            ),
        ),
        (
            tools.update_task,
            UPDATE,
            (
                "Change a task: set its status (done when you finished it), add notes, labels, dependencies. What "
                "breaks a rule changes nothing and says why."
            ),
        ),
        (tools.add_task, ADD, "Add a task that was found on the way; its id is in the answer."),
    )
    return tuple(_tool(*row) for row in rows)


WRITING = ("claim_task", "update_task", "add_task")


def _tool(work: Work, schema: Mapping[str, object], description: str) -> Tool:
    name = work.__name__
    return Tool(
        name, description, schema, lambda access, given: answer_call(work, access, schema, given), name in WRITING
    )


def _filters(given: Arguments, names: Mapping[str, object]) -> dict[str, object]:
    return {name: given.texts(name) if name in {"status", "label"} else given.text(name) for name in names}


def _json_line(record: Mapping[str, object]) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))
