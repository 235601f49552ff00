"""The journal, read and added up: how often, how much, what was saved, and what was cut too short.

It is read event by event, from either end, in flat memory; what is remembered does not grow with their number.
"""

from __future__ import annotations

import os
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from overspill._lite import suppress
from overspill.journal import JOURNAL_FILE, JOURNAL_NAME, full_files
from overspill.settings.table import tool_name

BLOCK = 1 << 16
MAX_LINE_BYTES = 1 << 20  # bytes of a line that is still looked at
_START = b'{"ts":"'
Event = dict[str, object]

FIT_EVENTS = frozenset({"pass", "truncate", "refuse", "fail"})
CUT_EVENTS = frozenset({"truncate", "refuse"})
SOON = 600.0  # seconds after a view in which a fetch of its artifact means that it showed too little
MAX_VIEWS = 20_000  # that are remembered, in case their artifact is fetched
MAX_NAMES = 1_000  # different ones a table may have; what comes later is added up as one
MAX_SAMPLE_VIEWS = 1_000  # views of a tool of which a limit is suggested
MAX_LISTED = 10
ENOUGH = 3  # views of a tool that were fetched soon after, before another limit is suggested
COVERED = 0.8  # the share of them that the suggested limit would have covered
STEP = 1_000
MAX_SUGGESTED_LIMIT = 50_000  # characters that a limit is suggested up to: beyond that, a narrower question helps more
OTHERS = "(others)"
NO_TOOL = "(no tool)"

LoggedEvent = Mapping[str, object]
Known = TypeVar("Known")


class History(Iterator[Event]):
    """The events of a journal, one mapping each, without ever holding more than a few of them.

    `since` and `until` are stamps, both included: what comes after the stamp of a first page can be left
    out of the pages after it. Lines that are not events are left out and counted in `broken`.
    """

    def __init__(
        self,
        directory: str,
        *,
        newest_first: bool = True,
        since: str = "",
        until: str = "",
        session: str = "",
        events: tuple[str, ...] = (),
    ) -> None:
        self.broken = 0
        self._since = since
        self._until = until
        self._session = session
        self._events = frozenset(events)
        self._found = self._read(directory, newest_first=newest_first)

    def __next__(self) -> Event:
        return next(self._found)

    def _read(self, directory: str, *, newest_first: bool) -> Iterator[Event]:
        from msgspec import DecodeError
        from msgspec.json import Decoder

        decode = Decoder(dict[str, object]).decode
        # Reading a line costs many times what looking for a word in it does.
        named = [f'"{name}"'.encode() for name in self._events]
        for line in journal_lines(directory, newest_first=newest_first):
            if named and not any(name in line for name in named):
                continue
            try:
                event = decode(line)
            except (DecodeError, UnicodeDecodeError, RecursionError):
                # A disk that was full took half a line; the next one begins where it ends.
                self.broken += 1
                try:
                    event = decode(line[line.rindex(_START, 1) :])
                except (ValueError, RecursionError):
                    continue
            at = event.get("ts")
            if not isinstance(at, str) or not isinstance(event.get("event"), str):
                self.broken += 1
                continue
            if (self._until and at > self._until) or (self._since and at < self._since):
                continue
            if self._events and event["event"] not in self._events:
                continue
            if self._session and event.get("session_id") != self._session:
                continue
            yield event


def journal_lines(directory: str, *, newest_first: bool) -> Iterator[bytes]:
    """The lines of all files of a journal, without their ends."""
    read = lines_backwards if newest_first else lines_forwards
    for file in open_files(directory, newest_first=newest_first):
        try:
            yield from read(file)
        finally:
            os.close(file)


def open_files(directory: str, *, newest_first: bool) -> Iterator[int]:
    """Descriptors of the files of a journal, each once, whoever closes one in the meantime; the caller closes them."""
    try:
        folder = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return
    try:
        newest = _open_or_none(JOURNAL_FILE, folder)
        last = None if newest is None else os.fstat(newest).st_ino
        full = full_files(folder, JOURNAL_NAME)
        if newest_first and newest is not None:
            yield newest
        for name in reversed(full) if newest_first else full:
            file = _open_or_none(name, folder)
            if file is not None and os.fstat(file).st_ino == last:
                os.close(file)  # it was the newest a moment ago
            elif file is not None:
                yield file
        if not newest_first and newest is not None:
            yield newest
    finally:
        os.close(folder)


def _open_or_none(name: str, folder: int) -> int | None:
    from overspill.errors import OverspillError
    from overspill.files import open_file

    with suppress(OSError, OverspillError):
        return open_file(name, folder)
    return None


def lines_forwards(file: int) -> Iterator[bytes]:
    """The lines of a file, as far as it went when the first one was asked for."""
    end = os.fstat(file).st_size
    at, rest = 0, b""
    while at < end and (block := os.pread(file, min(BLOCK, end - at), at)):
        at += len(block)
        lines = (rest + block).split(b"\n")
        rest = lines.pop()
        if len(rest) > MAX_LINE_BYTES:
            rest = b"?"
        yield from filter(None, lines)
    if rest:
        yield rest


def lines_backwards(file: int) -> Iterator[bytes]:
    """The lines of a file, the last one first."""
    at, rest = os.fstat(file).st_size, b""
    while at > 0:
        size = min(BLOCK, at)
        at -= size
        lines = (os.pread(file, size, at) + rest).split(b"\n")
        rest = lines[0]
        if len(rest) > MAX_LINE_BYTES:
            rest = b"?"
        yield from filter(None, reversed(lines[1:]))
    if rest:
        yield rest


class ToolFigures:
    """What one tool's results came to."""

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.chars_in = self.chars_shown = self.chars_reread = 0
        self.tokens_in = self.tokens_shown = self.tokens_reread = 0
        self.cut_in = self.cut_shown = 0  # characters of results that were cut
        self.milliseconds = self.slowest = 0.0
        self.kept = self.fetched = self.regretted = 0
        self.limit = 0
        self.needed: OrderedDict[str, int] = OrderedDict()  # characters that a view and what was fetched came to

    @property
    def results(self) -> int:
        return self.outcomes.total()

    @property
    def cut(self) -> int:
        return sum(self.outcomes[event] for event in CUT_EVENTS)

    @property
    def rate(self) -> float:
        """The share of results that was cut."""
        return self.cut / self.results if self.results else 0.0

    @property
    def reduction(self) -> float:
        """The share of the characters of cut results that was not shown."""
        return 1 - self.cut_shown / self.cut_in if self.cut_in else 0.0

    @property
    def saved(self) -> int:
        """Tokens that neither the view nor a later fetch brought."""
        return self.tokens_in - self.tokens_shown - self.tokens_reread

    @property
    def suggestion(self) -> int | None:
        """A limit that would have spared most of the fetches, or None while there is too little to say so."""
        if len(self.needed) < ENOUGH:
            return None
        enough = sorted(self.needed.values())[int((len(self.needed) - 1) * COVERED)]
        limit = -(-enough // STEP) * STEP
        return limit if self.limit < limit <= MAX_SUGGESTED_LIMIT else None


class LoggedView(NamedTuple):
    """A view whose artifact may be fetched yet."""

    tool: str
    at: float
    shown: int
    original: int
    fetched: int = 0  # characters, soon after
    times: int = 0
    soon: int = 0
    after: float = 0.0  # seconds until the first fetch


class Figures:
    """The sums of the events that were added."""

    def __init__(self, tool: str = "") -> None:
        self._only = tool_name(tool) if tool else ""
        self.tools: dict[str, ToolFigures] = {}
        self.strategies: Counter[str] = Counter()
        self.redactions: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()  # why nothing was kept
        self.violations: Counter[str] = Counter()
        self.thresholds: Counter[str] = Counter()
        self.requesters: Counter[str] = Counter()
        self.ranges: Counter[str] = Counter()
        self.missed = 0  # retrievals that found nothing
        self.created = self.created_bytes = self.evicted = self.deleted = self.exported = 0
        self.chars_reread = self.tokens_reread = 0
        self.events = 0
        self.first = self.last = ""
        self._views: OrderedDict[str, LoggedView] = OrderedDict()
        self._names: dict[object, str] = {}
        self._regretted: OrderedDict[str, LoggedView] = OrderedDict()

    def add_all(self, events: Iterable[LoggedEvent]) -> Figures:
        """Add up events, oldest first."""
        for event in events:
            self.add(event)
        return self

    def add(self, event: LoggedEvent) -> None:
        """Add one event."""
        name = event["event"]
        self.events += 1
        self.last = str(event["ts"])
        self.first = self.first or self.last
        if name in FIT_EVENTS:
            self._add_fit(str(name), event)
        elif name == "retrieve":
            self._add_retrieval(event)
        elif name == "create" and self._is_wanted(event.get("source_tool")):
            self.created += 1
            self.created_bytes += event_integer(event, "size")
        elif name == "violation" and self._is_wanted(event.get("tool_name")):
            _count_name(self.violations, str(event.get("kind")))
        elif not self._only:
            self._add_other(str(name), event)

    def _add_other(self, name: str, event: LoggedEvent) -> None:
        """Add what is no tool's doing."""
        if name == "evict":
            self.evicted += 1
        elif name == "delete":
            self.deleted += event_integer(event, "artifacts") or 1
        elif name == "export":
            self.exported += 1
        elif name == "threshold":
            _count_name(self.thresholds, str(event.get("threshold")))

    @property
    def total(self) -> ToolFigures:
        """All tools as one."""
        total = ToolFigures()
        for tool in self.tools.values():
            total.outcomes.update(tool.outcomes)
            for name in _ADDED:
                setattr(total, name, getattr(total, name) + getattr(tool, name))
            total.slowest = max(total.slowest, tool.slowest)
        total.chars_reread, total.tokens_reread = self.chars_reread, self.tokens_reread
        return total

    @property
    def regretted(self) -> list[tuple[str, LoggedView]]:
        """The last views that were fetched soon after, newest first, each with the id of its artifact."""
        return list(reversed(self._regretted.items()))

    def _add_fit(self, outcome: str, event: LoggedEvent) -> None:
        name = self._name(event.get("tool_name"))
        if self._only and name != self._only:
            return
        tool = self._tool(name)
        tool.outcomes[outcome] += 1
        chars, shown = event_integer(event, "original_size"), event_integer(event, "truncated_size")
        tool.chars_in += chars
        tool.chars_shown += shown
        tool.tokens_in += event_integer(event, "original_tokens")
        tool.tokens_shown += event_integer(event, "truncated_tokens")
        took = event.get("latency_ms")
        if isinstance(took, int | float):
            tool.milliseconds += took
            tool.slowest = max(tool.slowest, took)
        redactions = event.get("redactions")
        if isinstance(redactions, dict):
            for rule, count in redactions.items():
                _count_name(self.redactions, rule, count if isinstance(count, int) else 0)
        if outcome == "pass":
            return
        tool.cut_in += chars
        tool.cut_shown += shown
        tool.limit = event_integer(event, "limit") or tool.limit
        _count_name(self.strategies, str(event.get("strategy")))
        if event.get("not_kept"):
            _count_name(self.reasons, str(event["not_kept"]))
        artifact = event.get("artifact_id")
        if isinstance(artifact, str):
            tool.kept += 1
            _remember_value(self._views, artifact, LoggedView(name, event_seconds(event), shown, chars), MAX_VIEWS)

    def _add_retrieval(self, event: LoggedEvent) -> None:
        artifact, chars, tokens = (
            str(event.get("artifact_id")),
            event_integer(event, "size"),
            event_integer(event, "tokens"),
        )
        view = self._views.get(artifact)
        if self._only and view is None:
            return
        _count_name(self.requesters, str(event.get("requester")))
        _count_name(self.ranges, str(event.get("retrieval_range", "")).partition(" ")[0])
        if event.get("success") is not True:
            self.missed += 1
            return
        self.chars_reread += chars
        self.tokens_reread += tokens
        if view is None:
            return
        tool = self._tool(view.tool)
        tool.chars_reread += chars
        tool.tokens_reread += tokens
        tool.fetched += not view.times
        after = event_seconds(event) - view.at
        soon = 0 <= after <= SOON
        first = soon and not view.soon
        self._views[artifact] = seen = view._replace(
            times=view.times + 1,
            soon=view.soon + soon,
            fetched=view.fetched + chars * soon,
            after=after if first else view.after,
        )
        if soon:
            tool.regretted += first
            _remember_value(tool.needed, artifact, min(seen.original, seen.shown + seen.fetched), MAX_SAMPLE_VIEWS)
            _remember_value(self._regretted, artifact, seen, MAX_LISTED)

    def _is_wanted(self, name: object) -> bool:
        return not self._only or self._name(name) == self._only

    def _tool(self, name: str) -> ToolFigures:
        tool = self.tools.get(name)
        if tool is None:
            name = name if len(self.tools) < MAX_NAMES else OTHERS
            tool = self.tools.setdefault(name, ToolFigures())
        return tool

    def _name(self, called: object) -> str:
        """The one name of a tool, whatever it was called."""
        name = self._names.get(called)
        if name is None:
            name = tool_name(called) if isinstance(called, str) and called else NO_TOOL
            if len(self._names) < MAX_NAMES * 4:
                self._names[called] = name
        return name


_ADDED = (
    "chars_in",
    "chars_shown",
    "tokens_in",
    "tokens_shown",
    "cut_in",
    "cut_shown",
    "milliseconds",
    "kept",
    "fetched",
    "regretted",
)


def _count_name(counter: Counter[str], name: str, by: int = 1) -> None:
    """Count, with no more different names than a table may have."""
    counter[name if name in counter or len(counter) < MAX_NAMES else OTHERS] += by


def _remember_value(known: OrderedDict[str, Known], name: str, value: Known, most: int) -> None:
    """Note a value, and forget the oldest when they are too many."""
    known[name] = value
    if len(known) > most:
        known.popitem(last=False)


def event_integer(event: LoggedEvent, name: str) -> int:
    value = event.get(name)
    return value if isinstance(value, int) else 0


def event_seconds(event: LoggedEvent) -> float:
    from datetime import datetime

    try:
        return datetime.fromisoformat(str(event["ts"])).timestamp()
    except ValueError:
        return 0.0
