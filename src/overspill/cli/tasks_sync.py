"""`spill tasks export | import | sync`: tasks as lines of JSON, from one ledger to another."""

from __future__ import annotations

import fcntl
import os

from overspill._lite import TYPE_CHECKING, contextmanager
from overspill.cli.opening import open_workspace
from overspill.cli.output import print_answer, read_input, write_text
from overspill.cli.output.envelope import dumps
from overspill.cli.output.tables import count_of, visible
from overspill.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from overspill.cli.arguments import CommandCall
    from overspill.ledger.merge import Merged

Record = dict[str, object]


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
