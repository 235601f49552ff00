"""`spill list | show | add | update | done | archive`."""

from __future__ import annotations

import json

from overspill._lite import TYPE_CHECKING
from overspill.cli.opening import open_workspace
from overspill.cli.output import input_chunks, print_answer
from overspill.cli.output.lists import Listing, answer_page
from overspill.cli.output.tables import count_of, visible
from overspill.documents.json_elements import elements
from overspill.errors import RuleError, UsageError
from overspill.ledger.fields import number_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from overspill.cli.arguments import CommandCall

Record = dict[str, object]

# Options, and the fields they are.
FIELDS = {
    "--title": "title",
    "--description": "description",
    "--notes": "notes",
    "--priority": "priority",
    "--type": "type",
    "--parent": "parentId",
    "--phase": "phase",
    "--label": "labels",
    "--depends": "depends",
    "--acceptance": "acceptance",
    "--file": "files",
    "--verification": "verification",
    "--status": "status",
}
TITLE_WIDTH = 72


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
    """The tasks, in the order in which they were added."""
    workspace = open_workspace(call)
    settings, ledger = workspace.settings, workspace.ledger()
    with ledger:
        as_of = call.text("--as-of") or ledger.last()
        filters = {
            name: call.options.get(f"--{name}") for name in ("status", "parent", "label", "phase", "type", "priority")
        }
        if parent := call.text("--parent"):
            ledger.show(parent)
        return answer_page(call, settings, ledger.tasks(filters, as_of), TASKS, as_of=lambda _: as_of)


def show(call: CommandCall) -> int:
    """All that is known of whatever has this id."""
    wanted = call.argument(0, "ID")
    if wanted.startswith("art_"):
        from overspill.cli.artifacts import info

        return info(call)
    if wanted.startswith("ses_"):
        from overspill.cli.session import show as show_session

        return show_session(call)
    number_of(wanted)
    with open_workspace(call).ledger() as ledger:
        record = ledger.show(wanted)
    return print_answer(call, "task", record, "".join(f"{line}\n" for line in task_lines(record)))


def task_lines(record: Record) -> Iterable[str]:
    """A task for people: a line a field, and a line a value of a list."""
    for name, value in record.items():
        if isinstance(value, list):
            yield f"{name}:"
            yield from (f"  - {visible(str(one))}" for one in value)
        elif isinstance(value, dict):
            yield from (f"{inner}: {visible(str(one))}" for inner, one in value.items())
        else:
            lines = str(value).splitlines() or [""]
            yield f"{name}: {visible(lines[0])}"
            yield from (f"  {visible(line)}" for line in lines[1:])


def add(call: CommandCall) -> int:
    """A new task, or as many as standard input has."""
    title = call.argument(0, "TITLE")
    several = title == "-"
    tasks = list(_read_tasks(call)) if several else [{"title": title, **task_fields(call)}]
    here = open_workspace(call)
    with here.ledger(write=True) as ledger:
        records = ledger.add_all(tasks)
    for record in records:
        here.tell("task", {"action": "add", "task_id": record["id"]})
    text = "".join(f"{record['id']}\n" for record in records)
    if several:
        return print_answer(call, "tasks", [_brief_task(record) for record in records], text)
    return print_answer(call, "task", records[0], text)


def update(call: CommandCall) -> int:
    """Change a task."""
    task_id, changes = call.argument(0, "ID"), task_fields(call)
    number_of(task_id)
    for word in call.texts("--clear") or []:
        name = FIELDS.get(f"--{word}", word)
        if name not in FIELDS.values():
            raise UsageError(f"--clear takes the name of a field, not {word[:100]!r}: {', '.join(FIELDS.values())}")
        changes[name] = None
    if not changes:
        raise UsageError("nothing to change: name a field; `spill update --help` lists them")
    here = open_workspace(call)
    with here.ledger(write=True) as ledger:
        record = ledger.update(task_id, changes, force=call.flag("--force"))
    here.tell("task", {"action": "update", "task_id": record["id"]})
    return print_answer(call, "task", record, f"{record['id']} {record['status']}\n")


def done(call: CommandCall) -> int:
    """A task is done."""
    task_id = call.argument(0, "ID")
    number_of(task_id)
    here = open_workspace(call)
    with here.ledger(write=True) as ledger:
        record = ledger.done(task_id, force=call.flag("--force"))
    here.tell("task", {"action": "done", "task_id": record["id"]})
    return print_answer(call, "task", record, f"{record['id']} done\n")


def archive(call: CommandCall) -> int:
    """Put a task away, bring it back, or say what was put away."""
    if not call.arguments:
        return _archive_list(call)
    task_id, undo = call.argument(0, "ID"), call.flag("--undo")
    number_of(task_id)
    here = open_workspace(call)
    with here.ledger(write=True) as ledger:
        ids = ledger.restore(task_id) if undo else ledger.archive(task_id)
        records = [_brief_task(ledger.show(one)) for one in ids]
    for one in ids:
        here.tell("task", {"action": "restore" if undo else "archive", "task_id": one})
    said = f"{'Brought back' if undo else 'Put away'} {count_of(len(ids), 'task')}"
    return print_answer(call, "tasks", records, f"{said}{': ' if ids else ''}{', '.join(ids)}\n")


def _archive_list(call: CommandCall) -> int:
    if call.flag("--undo"):
        raise UsageError("--undo needs the id of a task").with_help("spill archive")
    workspace = open_workspace(call)
    settings, ledger = workspace.settings, workspace.ledger()
    with ledger:
        word = call.text("--as-of")
        if word is not None and not (word.isascii() and word.isdigit() and len(word) <= 18):  # noqa: PLR2004  # 2**63
            raise UsageError(f"--as-of takes what `next` says, not {word[:100]!r}").with_help("spill archive")
        moment = ledger.archive_moment() if word is None else int(word)
        return answer_page(call, settings, ledger.archived_tasks(moment), TASKS, as_of=lambda _: str(moment))


def task_fields(call: CommandCall) -> Record:
    """The fields that the options say."""
    return {field: call.options[option] for option, field in FIELDS.items() if option in call.options}


def _read_tasks(call: CommandCall) -> Iterable[Record]:
    """Tasks from standard input: one object, one a line, or an array of them; options hold for all of them."""
    shared = task_fields(call)
    for element in elements(input_chunks(("-",)), lone=True):
        value = json.loads(element)
        if not isinstance(value, dict):
            raise RuleError(f"a task is an object, not {type(value).__name__}; nothing was changed")
        yield {**shared, **value}


def _brief_task(record: Record) -> Record:
    return {name: record[name] for name in ("id", "title", "status")}
