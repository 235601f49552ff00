"""Where tests keep hand-offs: in the folder of a root, or in the database that `tests/database/suites.py` started."""

import json
import os
import time
from pathlib import Path

from engine_kit import DSN, shell_variables, tenant_for
from overspill.handoff.files import folder_name
from overspill.handoff.project import HandoffFolder, HandoffPlace

FOLDER = Path(".agents") / "rpi"


def handoffs_at(root: Path | str) -> HandoffPlace:
    """The hand-offs of a root."""
    dsn = os.environ.get(DSN)
    if dsn is None:
        return HandoffFolder(str(root))
    from overspill.database import FleetDatabase
    from overspill.handoff.project import HandoffTables

    return HandoffTables(FleetDatabase(dsn, tenant_for(str(root)), variable=DSN))


def leave(root: Path, name: str, content: object) -> None:
    """Another program leaves a hand-off, in whatever form, in the place of the newest."""
    text = content if isinstance(content, str) else json.dumps(content)
    if DSN not in os.environ:
        path = root / FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return
    run = content.get("run_id", "") if isinstance(content, dict) else ""
    run, phase, now = run if isinstance(run, str) else "", int(name.split("-")[1]), time.time()
    _rows(root, "insert into runs (run, started_ns, used) values (?, ?, ?) on conflict do nothing",
          run, time.time_ns(), now)  # fmt: skip
    _rows(root, "update handoffs set newest = false where newest and phase = ?", phase)
    _rows(root, "delete from handoffs where run = ? and phase = ?", run, phase)
    columns = "insert into handoffs (run, phase, newest, content, modified) values (?, ?, true, ?, ?)"
    _rows(root, columns, run, phase, text, now)


def stored_text(root: Path | str, name: str) -> str | None:
    """A hand-off as it was written, by the name that its file has; None if there is none."""
    if DSN not in os.environ:
        path = Path(root) / FOLDER / name
        return path.read_text() if path.exists() else None
    *folders, last = name.split("/")
    for run, phase, newest, content in _rows(root, "select run, phase, newest, content from handoffs"):
        mine = folder_name(str(run)) == folders[-1] if folders else newest
        if mine and last == f"phase-{phase}-handoff.json":
            return str(content)
    return None


def run_folders(root: Path) -> list[str]:
    """The names that runs have, in order."""
    if DSN not in os.environ:
        return sorted(os.listdir(root / FOLDER / "runs"))
    return sorted(folder_name(str(run)) for (run,) in _rows(root, "select run from runs"))


def shown_place(root: Path, name: str) -> str:
    """What a command says where it has put a hand-off."""
    return f"env:{DSN}/{tenant_for(str(root))}/default/{name}" if DSN in os.environ else str(root / FOLDER / name)


def variables_of(root: Path) -> dict[str, str]:
    """What this process has in its environment to find the hand-offs of a root."""
    return dict(shell_variables(str(root)))


def _rows(root: Path | str, statement: str, *values: object) -> list[tuple[object, ...]]:
    from overspill.database import FleetDatabase

    db = FleetDatabase(os.environ[DSN], tenant_for(str(root))).connect()
    try:
        done = db.execute(statement, values)
        return list(done.fetchall()) if statement.startswith("select") else []
    finally:
        db.close()
