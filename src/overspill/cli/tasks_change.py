"""Tasks, changed: `spill add | update | claim | release | done | duplicate | delete | archive`.

Whoever names several tasks has all of them changed, or none. `spill tasks export | import | sync` takes tasks from one
ledger to another, as lines of JSON.
"""

from __future__ import annotations

import fcntl
import json
import os

from overspill._lite import TYPE_CHECKING, contextmanager
from overspill.cli.opening import open_workspace
from overspill.cli.output import dumps, input_chunks, print_answer, read_input, write_text
from overspill.cli.tables import count_of, visible
from overspill.cli.tasks import TASKS, answer_changed, answer_tasks
from overspill.documents.json_elements import elements
from overspill.errors import InputError, RuleError, UsageError
from overspill.ledger.fields import number_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from overspill.cli.arguments import CommandCall
    from overspill.ledger import Ledger
    from overspill.ledger.writer import Merged
    from overspill.workspace import Workspace


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
    "--reason": "reason",
    "--status": "status",
}


def add(call: CommandCall) -> int:
    """A new task, or as many as standard input has."""
    title = call.argument(0, "TITLE")
    several = title == "-"
    tasks = list(_read_tasks(call)) if several else [{"title": title, **task_fields(call)}]
    if not tasks:
        raise UsageError('standard input has no task: give one JSON object each, such as {"title": "Log out"}')
    here = open_workspace(call)
    with here.ledger(write=True, who=call.text("--as")) as ledger:
        records = ledger.add_all(tasks)
        who = ledger.who
    for record in records:
        here.tell("task", {"action": "add", "task_id": record["id"], "by": who})
    text = "".join(f"{record['id']}\n" for record in records)
    if several:
        return print_answer(call, "tasks", [_brief_task(record) for record in records], text)
    return print_answer(call, "task", records[0], text)


def update(call: CommandCall) -> int:
    """Change tasks."""
    ids, changes = _ids(call), task_fields(call)
    for word in call.texts("--clear") or []:
        name = FIELDS.get(f"--{word}", word)
        if name not in FIELDS.values():
            raise UsageError(f"--clear takes the name of a field, not {word[:100]!r}: {', '.join(FIELDS.values())}")
        changes[name] = None
    added, removed = (task_fields(call, f"--{verb}-") for verb in ("add", "remove"))
    if not changes and not added and not removed:
        raise UsageError("nothing to change: name a field; `spill update --help` lists them")
    names = list(dict.fromkeys([*changes, *added, *removed]))
    return _change(
        call,
        lambda ledger: ledger.update_all(ids, changes, add=added, remove=removed, force=call.flag("--force")),
        lambda record: f"{record['id']} {record['status']}\n",
        fields=names,
    )


def claim(call: CommandCall) -> int:
    """Take tasks."""
    ids, seconds, force = _ids(call), call.number("--for"), call.flag("--force")
    given = {} if seconds is None else {"seconds": float(seconds)}
    return _change(
        call,
        lambda ledger: ledger.claim_all(ids, force=force, **given),
        lambda record: f"{record['id']} {record['assignee']} until {record['claimedUntil']}\n",
    )


def release(call: CommandCall) -> int:
    """Give tasks back."""
    ids, force = _ids(call), call.flag("--force")
    return _change(
        call, lambda ledger: ledger.release(ids, force=force), lambda record: f"{record['id']} {record['status']}\n"
    )


def done(call: CommandCall) -> int:
    """Tasks are done."""
    ids, force, reason = _ids(call), call.flag("--force"), call.text("--reason")
    return _change(
        call,
        lambda ledger: ledger.done_all(ids, reason=reason, force=force),
        lambda record: f"{record['id']} done\n",
    )


def duplicate(call: CommandCall) -> int:
    """Tasks say what another one says."""
    ids, of = _ids(call), call.text("--of")
    if of is None:
        raise UsageError("which one stays? name it with --of ID")
    return _change(
        call,
        lambda ledger: ledger.duplicate(ids, of),
        lambda record: f"{record['id']} cancelled: {record['reason']}\n",
    )


def delete(call: CommandCall) -> int:
    """Remove tasks for good."""
    ids, here = _ids(call), open_workspace(call, forgiving=False)
    with here.ledger(write=True, who=call.text("--as")) as ledger:
        records = [_brief_task(ledger.show(one)) for one in ids]
        gone, who = ledger.delete(ids, force=call.flag("--force")), ledger.who
    for one in gone:
        here.tell("task", {"action": "delete", "task_id": one, "by": who})
    return print_answer(call, "tasks", records, f"Deleted {count_of(len(gone), 'task')}: {', '.join(gone)}\n")


def archive(call: CommandCall) -> int:
    """Put a task away, bring it back, or say what was put away."""
    if not call.arguments:
        return _archive_list(call)
    task_id, undo = call.argument(0, "ID"), call.flag("--undo")
    number_of(task_id)
    here = open_workspace(call)
    with here.ledger(write=True, who=call.text("--as")) as ledger:
        ids, who = ledger.restore(task_id) if undo else ledger.archive(task_id), ledger.who
        records = [_brief_task(ledger.show(one)) for one in ids]
    for one in ids:
        here.tell("task", {"action": "restore" if undo else "archive", "task_id": one, "by": who})
    said = f"{'Brought back' if undo else 'Put away'} {count_of(len(ids), 'task')}"
    return print_answer(call, "tasks", records, f"{said}{': ' if ids else ''}{', '.join(ids)}\n")


def _archive_list(call: CommandCall) -> int:
    if call.flag("--undo"):
        raise UsageError("--undo needs the id of a task").with_help("spill archive")
    workspace = open_workspace(call)
    with workspace.ledger() as ledger:
        return answer_tasks(call, workspace, ledger.archived_tasks(call.text("--as-of")), TASKS)


def task_fields(call: CommandCall, before: str = "--") -> Record:
    """The fields that the options say, or, of those that begin with `--add-` or `--remove-`, the parts of lists."""
    given = ((f"{before}{option.removeprefix('--')}", field) for option, field in FIELDS.items())
    return {field: call.options[option] for option, field in given if option in call.options}


def _change(
    call: CommandCall,
    work: Callable[[Ledger], list[Record]],
    line: Callable[[Record], str],
    fields: Sequence[str] = (),
) -> int:
    """Change tasks, tell the journal who did what to which, and say what became of them."""
    here: Workspace = open_workspace(call)
    with here.ledger(write=True, who=call.text("--as")) as ledger:
        records, who = work(ledger), ledger.who
    action = call.command.name if call.command else ""
    for record in records:
        facts = {"action": action, "task_id": record["id"], "by": who, **({"fields": list(fields)} if fields else {})}
        here.tell("task", facts)
    return answer_changed(call, records, "".join(map(line, records)))


def _ids(call: CommandCall) -> tuple[str, ...]:
    call.argument(0, "ID")
    for one in call.arguments:
        number_of(one)
    return call.arguments


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


def export(call: CommandCall) -> int:
    """Write every task, one a line, to a file that is not there yet, or to standard output."""
    path = call.arguments[0] if call.arguments else "-"
    if path == "-" and call.flag("--json"):
        raise UsageError("`export` writes lines of JSON and nothing else; leave out --json, or name a file")
    with open_workspace(call).ledger() as ledger:
        if path == "-":
            for record in ledger.export():
                write_text(dumps(record) + "\n")
            return 0
        if os.path.lexists(path) and not call.flag("--force"):
            raise InputError(f"{path!r} is there already; --force replaces it, `spill tasks sync` merges with it")
        written = _replace_file(path, ledger.export())
    return print_answer(call, "export", {"file": path, "written": written}, f"{_written(written, path)}\n")


def import_(call: CommandCall) -> int:
    """Take in the tasks of a file."""
    path = call.argument(0, "FILE")
    text = read_input((path,))
    here = open_workspace(call)
    with here.ledger(write=True, who=call.text("--as")) as ledger:
        merged, who = ledger.merge(text), ledger.who
    here.tell("task", {"action": "import", "by": who, **_facts(merged)})
    return print_answer(call, "import", merged._asdict(), "".join(f"{line}\n" for line in _merged_lines(merged)))


def sync(call: CommandCall) -> int:
    """Take in what a file has, and write to it what the ledger has: afterwards both have all of it."""
    path = call.argument(0, "FILE")
    here = open_workspace(call)
    with _locked_directory(path), here.ledger(write=True, who=call.text("--as")) as ledger:
        text = read_input((path,)) if os.path.lexists(path) else b""
        merged, who = ledger.merge(text), ledger.who
        written = _replace_file(path, ledger.export())
    here.tell("task", {"action": "sync", "by": who, **_facts(merged)})
    lines = [*_merged_lines(merged), _written(written, path)]
    value: Record = {"file": path, "merged": merged._asdict(), "written": written}
    return print_answer(call, "sync", value, "".join(f"{line}\n" for line in lines))


def _facts(merged: Merged) -> Record:
    return {name: value for name, value in merged._asdict().items() if value}


def _merged_lines(merged: Merged) -> Iterator[str]:
    yield (
        f"Took in {count_of(merged.added, 'new task')}, {merged.changed:,} changed, {merged.deleted:,} deleted, "
        f"{merged.same:,} as they were"
    )
    for before, after in merged.renumbered.items():
        yield f"{before} is now {after}: an older task has that id"


def _written(count: int, path: str) -> str:
    return f"Wrote {count_of(count, 'line')} to {visible(path)}"


@contextmanager
def _locked_directory(path: str) -> Iterator[None]:
    """Nobody else syncs with a file of this directory meanwhile: what he wrote would be lost from it."""
    folder = os.path.dirname(os.path.abspath(path))
    try:
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise InputError(f"cannot write to {folder!r}: {(error.strerror or 'failed').lower()}") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _replace_file(path: str, records: Iterable[Record]) -> int:
    """Write records, one a line, to a file that is there whole or as it was."""
    if os.path.islink(path) or (os.path.lexists(path) and not os.path.isfile(path)):
        raise InputError(f"{path!r} is not a plain file; it is not written to")
    passing = f"{path}.{os.urandom(6).hex()}"
    written = 0
    try:
        with open(passing, "xb") as file:
            for record in records:
                file.write(dumps(record).encode("utf-8", "backslashreplace") + b"\n")
                written += 1
            file.flush()
            os.fsync(file.fileno())
        os.replace(passing, path)
    except OSError as error:
        raise InputError(f"cannot write {path!r}: {(error.strerror or 'failed').lower()}") from None
    finally:
        if os.path.lexists(passing):
            os.unlink(passing)
    return written
