"""What sessions are about. That they exist, and whether they live, their own files say."""

import sqlite3
from collections.abc import Iterable

from overspill.ledger.schema import LIST

Record = dict[str, object]


def session_facts(db: sqlite3.Connection, session_ids: Iterable[str]) -> dict[str, Record]:
    """Scope, focus and notes of sessions, by their ids; nothing of those that nobody said anything of."""
    found: dict[str, Record] = {}
    for session_id in session_ids:
        row = db.execute("select scope, focus, notes from sessions where id = ?", (session_id,)).fetchone()
        if row is None:
            continue
        scope, focus, notes = row
        history = db.execute("select task, since from focus_history where session = ? order by rowid", (session_id,))
        found[session_id] = {
            "scope": scope,
            "focus": {"currentTask": None if focus is None else f"T{focus}"},
            "focusHistory": [{"task": f"T{task}", "since": since} for task, since in history],
            "notes": notes.split(LIST) if notes else [],
        }
    return found


def change_session(
    db: sqlite3.Connection, session_id: str, now: str, name: str, scope: str | None, focus: int | None, notes: list[str]
) -> None:
    """Say what a session is about. What is not said stays; notes are added."""
    db.execute("insert or ignore into sessions (id) values (?)", (session_id,))
    before, old_focus = db.execute("select notes, focus from sessions where id = ?", (session_id,)).fetchone()
    joined = LIST.join([*(before.split(LIST) if before else []), *notes]) or None
    db.execute(
        "update sessions set name = ?, scope = coalesce(?, scope), focus = coalesce(?, focus), notes = ? where id = ?",
        (name, scope, focus, joined, session_id),
    )
    if focus is not None and focus != old_focus:
        db.execute("insert into focus_history values (?, ?, ?)", (session_id, focus, now))
