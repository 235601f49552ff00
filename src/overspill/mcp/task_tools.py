"""The tasks of the ledger as tools: an agent finds work, takes it, and says what became of it.

Lists are compact records, one a line of JSON; the note beside them says how many there are and how to go on.
"""

from __future__ import annotations

import json

from overspill._lite import TYPE_CHECKING
from overspill.errors import NothingReady, UsageError
from overspill.ledger import LEASE_SECONDS
from overspill.ledger.fields import fit_record
from overspill.retrieve.tools import Answer, Arguments, Tool, answer_call, schema_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    from overspill.api import Overspill
    from overspill.ledger import Tasks
    from overspill.ledger.search import TaskMatches
    from overspill.retrieve.access import Access

    class Work(Protocol):
        """What a tool does."""

        __name__: str

        def __call__(self, access: Access, given: Arguments, /) -> Answer: ...


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
        short = fit_record(record, room)
        cut = "" if short == record else f"Shortened: `spill show {record['id']} --limit 0` in a shell shows all of it."
        return Answer(_json_line(short), cut)

    def _page(self, found: Tasks | TaskMatches, given: Arguments, name: str, command: str = "list") -> Answer:
        limit, at = given.number("limit"), given.text("as_of")
        most = {} if limit is None else {"limit": min(max(1, limit), MOST_TASKS)}
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
