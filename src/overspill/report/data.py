"""All that the page shows but the texts: calls, what to change, and how the house stands."""

from __future__ import annotations

import os
import time

from overspill._lite import TYPE_CHECKING
from overspill.errors import OverspillError
from overspill.journal import silent_journal, stamp
from overspill.report.calls import Calls, ViewRule, columns_record, read_calls, view_rules
from overspill.report.changes import change_record, suggested_changes, view_rule
from overspill.report.kept import KeptTexts
from overspill.store import housekeeping
from overspill.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from overspill.store.files import FileStore
    from overspill.workspace import Workspace

MAX_SESSIONS = 200

DoctorRecords = list[dict[str, object]]


class ReportSource:
    """A root, one or all of its sessions, and what is read of them."""

    def __init__(self, workspace: Workspace, session: str = "", doctor: Callable[[], DoctorRecords] = list) -> None:
        self.workspace = workspace
        self.session = session
        self.texts = KeptTexts(workspace.files)
        self._doctor = doctor

    @property
    def journal_state(self) -> str:
        """A word that is another one as soon as something was logged."""
        directory = self.workspace.logs.path
        try:
            with os.scandir(directory) as entries:
                found = sorted((entry.name, entry.stat().st_size) for entry in entries if entry.is_file())
        except OSError:
            return "none"
        return f"{len(found)}-{sum(size for _, size in found)}"

    def read_calls(self, tell: Callable[[int], None] = lambda _done: None) -> Calls:
        """The calls of the session, or of all that may be seen from here."""
        return read_calls(self.workspace.logs.path, session=self.session, tell=tell)

    def data(self, calls: Calls, *, live: bool, with_texts: bool) -> dict[str, object]:
        """What the page begins with."""
        store = self.workspace.files
        return {
            "version": __version__,
            "made": stamp(time.time()),
            "project": os.path.basename(os.path.abspath(self.workspace.root)),
            "session": self.session,
            "live": live,
            "texts": with_texts,
            "calls": columns_record(calls, with_texts=with_texts),
            "rules": [[rule.strategy, rule.limit, rule.is_short, *self._told_rule(rule)] for rule in view_rules(calls)],
            "house": {
                "sessions": sessions_record(store),
                "sessionQuota": store.limits.session_quota or 0,
                "machineQuota": store.limits.machine_quota or 0,
                "machineBytes": _machine_bytes(store),
                "redactions": sorted(calls.redactions.items(), key=lambda item: -item[1]),
                "outcomes": dict(calls.outcomes),
                "broken": calls.broken,
                "doctor": self._told_findings(),
            },
        }

    def changes(self, calls: Calls, tell: Callable[[str], None] = lambda _tool: None) -> list[dict[str, object]]:
        """Which limits to change, by replaying what was kept: nothing is kept or logged of it."""
        from overspill.api import Overspill
        from overspill.store.memory import MemoryStore
        from overspill.workspace import Workspace

        own = self.workspace
        replayed = Workspace(own.root, own.settings, store=MemoryStore(), journal=silent_journal)
        changes = suggested_changes(calls, self.texts, Overspill.at(replayed), tell)
        return [change_record(one, self._told_rule(ViewRule(one.tool, one.limit))) for one in changes]

    def _told_rule(self, rule: ViewRule) -> tuple[str, str]:
        path, origin = view_rule(self.workspace.settings, rule)
        return path, str(told_value(origin, self._places()))

    def _told_findings(self) -> DoctorRecords:
        """What the doctor says, with the places of this machine called by their names."""
        places = self._places()
        return [{name: told_value(value, places) for name, value in one.items()} for one in self._doctor()]

    def _places(self) -> list[tuple[str, str]]:
        return [(os.path.abspath(self.workspace.root), "(root)"), (os.path.expanduser("~"), "~")]


def told_value(value: object, places: Iterable[tuple[str, str]]) -> object:
    """A value as it may be told to others: paths of this machine are shortened to what they stand for."""
    if not isinstance(value, str):
        return value
    for path, name in places:
        value = value.replace(path, name) if len(path) > 1 else value
    return value


def sessions_record(store: FileStore) -> list[dict[str, object]]:
    """The sessions that can be seen, the last used first."""
    try:
        states = housekeeping.list_sessions(store)
    except OverspillError:
        states = []
    return [
        {
            "id": state.id,
            "name": state.name[:80],
            "artifacts": state.artifacts,
            "bytes": state.bytes,
            "used": round(state.used * 1000),
            "alive": state.alive,
        }
        for state in states[:MAX_SESSIONS]
    ]


def _machine_bytes(store: FileStore) -> int:
    try:
        return housekeeping.machine_use(store)
    except (OverspillError, OSError):
        return 0
