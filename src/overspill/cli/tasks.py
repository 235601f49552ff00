"""`spill list | ready | next | find | show | tree`: tasks, to be read. And what commands that change tasks share."""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING
from overspill.cli.opening import open_workspace
from overspill.cli.output import dumps, note, print_answer, repeat_command, success_envelope, write_text
from overspill.cli.tables import OF_A_PAGE, Listing, WarningRecord, answer_page, command_line, count_of, visible
from overspill.errors import NothingReady, UsageError
from overspill.ledger.fields import fit_record, number_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from overspill.cli.arguments import CommandCall
    from overspill.ledger import Ledger, Tasks
    from overspill.ledger.search import TaskMatches
    from overspill.lists import Page
    from overspill.workspace import Workspace


Record = dict[str, object]

TITLE_WIDTH = 72
FILTERS = ("status", "parent", "label", "phase", "type", "priority", "assignee", "since", "stale")


def task_row(record: Record) -> tuple[str, ...]:
    """A task in a table."""
    labels = record.get("labels")
    title = visible(str(record["title"]))
    return (
        str(record["id"]),
        str(record["status"]),
        str(record["priority"]),
        str(record["type"]),
        title if len(title) <= TITLE_WIDTH else f"{title[: TITLE_WIDTH - 1]}…",
        visible(", ".join(labels)) if isinstance(labels, list) else "",
    )


TASKS = Listing("tasks", "task", "Tasks", ("ID", "Status", "Priority", "Type", "Title", "Labels"), task_row)


def list_(call: CommandCall) -> int:
    """The tasks, open work first."""
    workspace = open_workspace(call)
    with workspace.ledger() as ledger:
        found = ledger.tasks(filters_of(call, ledger), sort=call.text("--sort") or "open", at=call.text("--as-of"))
        return answer_tasks(call, workspace, found, TASKS)


def ready(call: CommandCall) -> int:
    """What can be begun."""
    workspace = open_workspace(call)
    with workspace.ledger() as ledger:
        found = ledger.ready(filters_of(call, ledger), at=call.text("--as-of"))
        return answer_tasks(call, workspace, found, TASKS)


def next_(call: CommandCall) -> int:
    """The task to begin with, or, with --claim, the one that is now the caller's."""
    claims = call.flag("--claim")
    here = open_workspace(call)
    with here.ledger(write=claims, who=call.text("--as")) as ledger:
        filters = filters_of(call, ledger)
        if claims:
            seconds = call.number("--for")
            record = ledger.claim_next(filters, **({} if seconds is None else {"seconds": float(seconds)}))
        else:
            row = next(ledger.ready(filters).rows(1, 0), None)
            record = None if row is None else ledger.show(str(row["id"]))
        if record is None:
            raise NothingReady({status: ledger.tasks({"status": [status]}).count() for status in WAITING})
    if claims:
        here.tell("task", {"action": "claim", "task_id": record["id"], "by": record["assignee"]})
    return answer_records(call, here, [record], several=False)


WAITING = ("active", "blocked", "pending")


def filters_of(call: CommandCall, ledger: Ledger) -> Record:
    """The filters of a list that were given."""
    from datetime import datetime

    filters = {name: call.options.get(f"--{name}") for name in FILTERS}
    for name in ("since", "stale"):
        if word := call.text(f"--{name}"):
            filters[name] = int(datetime.fromisoformat(word).timestamp() * 1000)
    if parent := call.text("--parent"):
        ledger.show(parent)
    return filters


def answer_tasks(
    call: CommandCall,
    workspace: Workspace,
    found: Tasks | TaskMatches,
    listing: Listing,
    warnings: Sequence[WarningRecord] = (),
) -> int:
    """A page of tasks. The next one goes on after the last task of this one, in the list as it is now."""

    def as_of(page: Page) -> str:
        return found.position(page.items[-1]) if page.items else ""

    base = (call.number("--offset") or 0) if call.text("--as-of") is not None else 0
    return answer_page(call, workspace.settings, found, listing, as_of=as_of, base=base, warnings=warnings)


def show(call: CommandCall) -> int:
    """All that is known of whatever has this id, or of a session of this name."""
    wanted = call.argument(0, "ID")
    if wanted.startswith("art_"):
        from overspill.cli.artifacts import info

        return info(call)
    if wanted.startswith("ses_"):
        from overspill.cli.session import show as show_session

        return show_session(call)
    here = open_workspace(call)
    if len(call.arguments) == 1 and not wanted[1:].isdigit():
        from overspill.cli.session import show as show_session
        from overspill.store.housekeeping import list_sessions

        if any(state.name == wanted for state in list_sessions(here.files)):
            return show_session(call)
    for one in call.arguments:
        number_of(one)
    with here.ledger() as ledger:
        records = [ledger.show(one) for one in call.arguments]
    return answer_records(call, here, records, several=len(call.arguments) > 1)


def answer_records(call: CommandCall, workspace: Workspace, records: list[Record], *, several: bool) -> int:
    """Whole records, within what may be fetched at once."""
    limit = call.number("--limit")
    limit = workspace.settings.integer("tools.truncation.artifacts.retrieval_limit") if limit is None else limit
    if call.flag("--json"):
        return _answer_json(call, records, limit, several=several)
    offset = call.number("--offset") or 0
    text = "\n".join("".join(f"{line}\n" for line in task_lines(record)) for record in records)
    write_text(text[offset : offset + limit if limit else None])
    if limit and offset + limit < len(text):
        ids = " ".join(str(record["id"]) for record in records)
        line = f"spill show {ids} --limit {limit} --offset {offset + limit}"
        note(f"next: {repeat_command(call, line)}")
    return 0


def _answer_json(call: CommandCall, records: list[Record], limit: int, *, several: bool) -> int:
    """Records for programs; of what is too long the oldest notes go first, then the ends of long texts."""
    size = sum(len(dumps(record)) for record in records)
    warnings = []
    if limit and size > limit:
        records = [fit_record(record, limit // len(records)) for record in records]
        ids = " ".join(str(record["id"]) for record in records)
        all_of_it = repeat_command(call, f"spill show {ids} --limit 0")
        message = f"notes or texts were left out: all of it has {size:,} characters: {all_of_it}"
        warnings = [{"code": "W_TRUNCATED", "message": message}]
    key, value = ("tasks", records) if several else ("task", records[0])
    name = call.command.name if call.command else ""
    write_text(success_envelope(name, key, value, warnings=warnings) + "\n")
    return 0


def task_lines(record: Record) -> Iterable[str]:
    """A task for people: a line a field, and a line a value of a list; notes with their author and date."""
    noted = record.get("noted")
    for name, value in record.items():
        if name == "notes" and isinstance(value, list) and isinstance(noted, list):
            yield "notes:"
            for text, mark in zip(value, noted, strict=True):
                who = f" {visible(mark['by'])}" if "by" in mark else ""
                lines = str(text).splitlines() or [""]
                yield f"  - {mark['at']}{who}: {visible(lines[0])}"
                yield from (f"    {visible(line)}" for line in lines[1:])
        elif name == "noted":
            continue
        elif isinstance(value, list):
            yield f"{name}:"
            yield from (f"  - {visible(str(one))}" for one in value)
        elif isinstance(value, dict):
            yield from (f"{inner}: {visible(str(one))}" for inner, one in value.items())
        else:
            lines = str(value).splitlines() or [""]
            yield f"{name}: {visible(lines[0])}"
            yield from (f"  {visible(line)}" for line in lines[1:])


def tree(call: CommandCall) -> int:
    """A task and what is below it, or above."""
    wanted = call.argument(0, "ID")
    number_of(wanted)
    workspace = open_workspace(call)
    with workspace.ledger() as ledger:
        rows = list(ledger.tree(wanted, up=call.flag("--up")))
    return answer_page(call, workspace.settings, rows, TREE)


def _tree_row(record: Record) -> tuple[str, ...]:
    step, depth = str(record.get("as", "")), record["depth"]
    indent = "  " * (depth if isinstance(depth, int) else 0)
    number, status, priority, kind, title, _ = task_row(record)
    again = " (see above)" if record.get("again") else ""
    return f"{indent}{number}", status, priority, kind, step, f"{title}{again}"


TREE = Listing(
    "tasks",
    "task",
    "Tree",
    ("ID", "Status", "Priority", "Type", "As", "Title"),
    _tree_row,
    summary=lambda total: count_of(total, "line"),
)


def answer_changed(call: CommandCall, records: list[Record], text: str) -> int:
    """What became of tasks: the record of one, or of several what lists show."""
    if len(call.arguments) > 1:
        brief = [{name: record[name] for name in ("id", "title", "status")} for record in records]
        return print_answer(call, "tasks", brief, text)
    return print_answer(call, "task", records[0], text)


MATCHES = Listing(
    "matches",
    "task",
    "Matches",
    ("ID", "Status", "Priority", "Type", "Title", "Labels", "Where"),
    lambda record: (*task_row(record), visible(str(record.get("snippet", "")))),
)


def find(call: CommandCall) -> int:
    """Look where it was asked for."""
    query, where = call.argument(0, "QUERY"), call.text("--in") or "tasks"
    if where not in {"tasks", "artifacts"}:
        raise UsageError(f"--in takes tasks or artifacts, not {where[:100]!r}")
    if where == "artifacts":
        return find_in_artifacts(call, query)
    workspace = open_workspace(call)
    with workspace.ledger() as ledger:
        filters = filters_of(call, ledger)
        found = ledger.find(query, filters, archived=call.flag("--archived"), at=call.text("--as-of"))
        return answer_tasks(call, workspace, found, MATCHES, search_warnings(found))


def find_in_artifacts(call: CommandCall, query: str) -> int:
    """What was kept, searched line by line: files are the truth, and there is no index to fall behind them."""
    from overspill.cli.artifacts_show import print_matches, search_store
    from overspill.core.markers import Search

    asked = Search(query, ignore_case=True)
    found, _ = search_store(call, asked)
    pages = found.pagination
    limit = [] if call.number("--limit") is None else [f"--limit {pages.limit}"]
    more = [*limit, f"--offset {pages.offset + len(found.matches)}"]
    return print_matches(call, asked, found, command_line(call, more, without=OF_A_PAGE) if found.next else "")


def search_warnings(found: TaskMatches) -> list[WarningRecord]:
    """What was looked for instead of what was asked for."""
    said = [
        {"code": "W_SPELLING", "message": f"no task has {word!r}; looked for {near!r} instead"}
        for word, near in found.instead.items()
    ]
    if found.loosened:
        said.append({"code": "W_ANY_WORD", "message": "no task has all of these words; these have some of them"})
    return said
