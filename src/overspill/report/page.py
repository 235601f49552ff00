"""The page: one file of HTML with style, scripts and data in it, that asks nobody for anything.

Its data are calls, what to change, and how the house stands: all that it shows but the texts. A policy in its head lets
run what we wrote, by its hash, and nothing else; data lies in blocks that are never run, escaped so that nothing in
them can end a block. Texts become text in the page, never markup.
"""

from __future__ import annotations

import json
import os
import time
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from typing import NamedTuple

from overspill._lite import TYPE_CHECKING
from overspill.errors import OverspillError
from overspill.journal import silent_journal, stamp
from overspill.report import MAX_TEXT_CHARS, KeptTexts, TextPiece, artifact_parts, parts_record, some_text
from overspill.report.calls import (
    Calls,
    ViewRule,
    change_record,
    columns_record,
    read_calls,
    suggested_changes,
    view_rule,
    view_rules,
)
from overspill.store import housekeeping
from overspill.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from overspill.report.calls import CallArtifact
    from overspill.store.files import FileStore
    from overspill.workspace import Workspace


MAX_SESSIONS = 200

DoctorRecords = list[dict[str, object]]

SCRIPTS = ("base.js", "charts.js", "session.js", "text.js", "screens.js")
STYLE = "page.css"
TEMPLATE = "page.html"
BLOCK = 200  # artifacts in one block of data
RANGE_CHARS = 1 << 16  # of a text that the live page asks for at a time
MAX_ALL_TEXTS = 48 << 20  # bytes of texts in one file; the newest come first


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


class Shell(NamedTuple):
    """The page around its data, and what it may do."""

    before: str
    after: str
    policy: str


def page_shell(*, live: bool) -> Shell:
    """The page as it is written or served."""
    folder = files("overspill.report")
    style = (folder / STYLE).read_text("utf-8")
    script = "".join((folder / name).read_text("utf-8") for name in SCRIPTS)
    rules = [
        "default-src 'none'",
        f"script-src '{hash_of(script)}'",
        f"style-src '{hash_of(style)}'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    policy = "; ".join([*rules, *(["connect-src 'self'"] if live else [])])
    text = (folder / TEMPLATE).read_text("utf-8")
    text = text.replace("{{policy}}", policy).replace("{{style}}", style)
    head, _, rest = text.partition("{{data}}")
    return Shell(head, rest.replace("{{script}}", script), policy)


def hash_of(inline: str) -> str:
    """What a policy calls something that stands in the page itself."""
    return f"sha256-{b64encode(sha256(inline.encode()).digest()).decode()}"


def data_block(name: str, value: object) -> str:
    r"""Data in the page, which nothing runs.

    >>> data_block("d", "</script><!--")
    '<script type="application/json" id="d">"\\u003c/script\\u003e\\u003c!--"</script>\n'
    """
    return f'<script type="application/json" id="{name}">{safe_json(value)}</script>\n'


def safe_json(value: object) -> str:
    """JSON in ASCII that holds no character with which markup begins or ends."""
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def page_pieces(
    data: Mapping[str, object],
    calls: Calls,
    texts: KeptTexts,
    *,
    with_texts: bool = False,
    tell: Callable[[int], None] = lambda _done: None,
) -> Iterator[str]:
    """The file, piece by piece: what is held of it at a time does not grow with what was kept."""
    shell = page_shell(live=False)
    yield shell.before
    yield data_block("data", data)
    room = MAX_ALL_TEXTS if with_texts else 0
    kept = list(calls.artifacts)
    for first in reversed(range(0, len(kept), BLOCK)):
        block: list[dict[str, object] | None] = []
        for number in reversed(range(first, min(len(kept), first + BLOCK))):
            record = artifact_record(kept[number], calls, texts, MAX_TEXT_CHARS if room > 0 else 0)
            if record is not None and "texts" in record:
                text = data_block(f"text-{number}", record.pop("texts"))
                room -= len(text)
                yield text
            block.append(record)
            tell(len(kept) - number)
        yield data_block(f"parts-{first // BLOCK}", block[::-1])
    yield shell.after


def text_pieces(kept: CallArtifact, texts: KeptTexts, start: int, end: int) -> list[TextPiece]:
    """Some of the text of an artifact from `start` on, in whole lines where they are not too long."""
    with texts.open(kept.id, kept.session) as found:
        if found is None or not 0 <= start < end:
            return []
        try:
            return some_text(found.reader, start, min(end, start + RANGE_CHARS))
        except (OverspillError, OSError, ValueError):
            return []


def artifact_record(
    kept: CallArtifact, calls: Calls, texts: KeptTexts, text_chars: int = 0
) -> dict[str, object] | None:
    """What the page draws of an artifact; with its text and its source only if some of that is asked for."""
    with texts.open(kept.id, kept.session) as found:
        if found is None:
            return None
        try:
            parts = artifact_parts(found.reader, found.shown, calls.fetches.get(kept.id, ()), text_chars)
        except (OverspillError, OSError, ValueError):
            return None
        artifact = found.reader.artifact
        record = {"type": artifact.content_type.partition(";")[0][:60], "bytes": artifact.size.bytes}
        record |= parts_record(parts)
        if text_chars:
            record |= {"source": artifact.source, "id": kept.id}
        if artifact.partial:
            record["partial"] = True
        return record
