"""The calls of a journal in columns of numbers, as the page reads them: names once, rows in a few bytes each."""

from __future__ import annotations

import sys
from array import array
from collections import Counter, OrderedDict, deque
from datetime import datetime
from typing import NamedTuple

from overspill._lite import TYPE_CHECKING
from overspill.journal.calls import CallRow, call_rows
from overspill.journal.statistics import Event, History

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

EVENTS = ("pass", "truncate", "refuse", "fail", "describe", "retrieve", "compact")
MARKS = ("failed", "secrets", "rerun", "compacted")  # a bit each
MAX_CALLS = 100_000  # the newest ones; what is left out is said
MAX_FETCHES = 100_000
NUMBERS = ("at", "tool", "agent", "session", "event", "said", "host", "shown", "fetched", "ours", "marks", "fetches")
UNKNOWN = -1
SHORT_SHARE = 0.8  # of its limit: what is shorter was ended by something else
SHORT_ID = 12  # characters of the random part of an id: enough to be the only one


class Fetch(NamedTuple):
    """One fetch of an artifact, as the journal tells it."""

    at: float
    unit: str  # lines, bytes, all, query, search
    first: int
    last: int
    offset: int
    chars: int
    tokens: int
    requester: str


class CallArtifact(NamedTuple):
    """An artifact of a call."""

    call: int
    id: str
    session: str


class ViewRule(NamedTuple):
    """What made a view as it is: its tool, its limit and its strategy, and whether that ended it before the limit."""

    tool: str
    limit: int = 0
    strategy: str = ""
    is_short: bool = False


class Calls:
    """The calls of one or all sessions of a journal, oldest first."""

    def __init__(self) -> None:
        self.columns = {name: array("q") for name in NUMBERS}
        self.names: dict[str, dict[str, int]] = {"tool": {}, "agent": {}, "session": {}}
        self.artifacts: deque[CallArtifact] = deque()
        self.fetches: OrderedDict[str, list[Fetch]] = OrderedDict()
        self.rules: dict[str, ViewRule] = {}  # that made the view of an artifact
        self.sources: dict[str, str] = {}  # what an artifact is the answer to
        self.redactions: Counter[str] = Counter()
        self.outcomes: Counter[str] = Counter()
        self.left_out = 0
        self.broken = 0

    def __len__(self) -> int:
        return len(self.columns["at"])

    def add(self, row: CallRow) -> None:
        """One more call."""
        if row.event not in EVENTS:
            return
        values = {
            "at": milliseconds_of(row.at),
            "tool": self._number("tool", row.tool),
            "agent": self._number("agent", row.agent),
            "session": self._number("session", row.session),
            "event": EVENTS.index(row.event),
            "said": row.said,
            "host": UNKNOWN if row.host is None else row.host,
            "shown": row.shown,
            "fetched": row.fetched,
            "ours": row.ours,
            "marks": sum(1 << bit for bit, mark in enumerate(MARKS) if mark in row.marks),
            "fetches": row.fetches,
        }
        for name, value in values.items():
            self.columns[name].append(value)
        self.outcomes[row.event] += 1
        for artifact in row.artifacts:
            self.artifacts.append(CallArtifact(len(self) - 1, artifact, row.session))

    def cap(self, most: int) -> None:
        """Leave out the oldest calls where there are more than so many."""
        more = len(self) - most
        if more <= 0:
            return
        self.left_out += more
        for column in self.columns.values():
            del column[:more]
        self.artifacts = deque(kept._replace(call=kept.call - more) for kept in self.artifacts if kept.call >= more)

    @property
    def tool_names(self) -> list[str]:
        return list(self.names["tool"])

    def limit_of(self, artifact_id: str) -> int:
        """Characters that the view of an artifact could have; 0 where it is not known."""
        return self.rules.get(artifact_id, ViewRule("")).limit

    def _number(self, kind: str, name: str) -> int:
        known = self.names[kind]
        return known.setdefault(name, len(known))


def read_calls(
    directory: str,
    *,
    session: str = "",
    since: str = "",
    most: int = MAX_CALLS,
    tell: Callable[[int], None] = lambda _done: None,
) -> Calls:
    """The calls of a journal; `tell` hears how many were read so far."""
    calls = Calls()
    for row in call_rows(directory, session=session, since=since):
        calls.add(row)
        if len(calls) >= 2 * most:
            calls.cap(most)
        if not len(calls) % 1_000:
            tell(len(calls))
    calls.cap(most)
    events = History(directory, newest_first=False, since=since, session=session)
    known = {kept.id for kept in calls.artifacts}
    for event in events:
        if event["event"] == "retrieve":
            _add_fetch(calls.fetches, event)
            continue
        artifact = event.get("artifact_id")
        if isinstance(artifact, str) and artifact in known:
            if limit := _integer(event, "limit"):
                strategy, shown = sys.intern(str(event.get("strategy") or "")), _integer(event, "truncated_size")
                calls.rules[artifact] = ViewRule("", limit, strategy, is_short=shown < SHORT_SHARE * limit)
            if isinstance(source := event.get("source"), str) and source:
                calls.sources[artifact] = source
        if isinstance(found := event.get("redactions"), dict):
            calls.redactions.update({str(rule): count for rule, count in found.items() if isinstance(count, int)})
    calls.broken = events.broken
    return calls


def _add_fetch(fetches: OrderedDict[str, list[Fetch]], event: Event) -> None:
    artifact = event.get("artifact_id")
    if event.get("success") is not True or not isinstance(artifact, str) or len(fetches) >= MAX_FETCHES:
        return
    unit, _, span = str(event.get("retrieval_range", "")).partition(" ")
    first, _, last = span.partition("-")
    fetches.setdefault(artifact, []).append(
        Fetch(
            milliseconds_of(str(event["ts"])) / 1000,
            unit if unit in {"lines", "bytes", "all", "query", "search", "pretty"} else "all",
            int(first) if first.isdigit() else 0,
            int(last) if last.isdigit() else 0,
            _integer(event, "offset"),
            _integer(event, "size"),
            _integer(event, "tokens"),
            str(event.get("requester", "")),
        )
    )


def _integer(event: Event, name: str) -> int:
    value = event.get(name)
    return value if isinstance(value, int) else 0


def milliseconds_of(stamp: str) -> int:
    """A moment of the journal in milliseconds since 1970; 0 where it is none."""
    try:
        return round(datetime.fromisoformat(stamp).timestamp() * 1000)
    except ValueError:
        return 0


def short_id(artifact_id: str) -> str:
    """An id as it is asked for: `art_` and the beginning of its random part."""
    return f"art_{artifact_id.rpartition('_')[2][:SHORT_ID]}"


def columns_record(calls: Calls, *, with_texts: bool) -> dict[str, object]:
    """The columns as JSON has them. Moments are told by how long after the last one they come."""
    at = calls.columns["at"]
    record: dict[str, object] = {
        name: list(column) for name, column in calls.columns.items() if name not in {"at", "fetches"}
    }
    record["at"] = [now - before for before, now in zip([0, *at], at, strict=False)]
    record["artifacts"] = list(_flat_artifacts(calls))
    record["ids"] = [kept.id.rpartition("_")[2][:SHORT_ID] for kept in calls.artifacts]
    record["fetchList"] = fetch_records(calls)
    if with_texts:
        record["sources"] = [calls.sources.get(kept.id, "") for kept in calls.artifacts]
    record["names"] = {kind: list(names) for kind, names in calls.names.items()}
    record["events"] = EVENTS
    record["markNames"] = MARKS
    record["leftOut"] = calls.left_out
    return record


def _flat_artifacts(calls: Calls) -> Iterator[int]:
    """Whose each artifact is, by how many calls after the last one's."""
    before = 0
    for kept in calls.artifacts:
        yield kept.call - before
        before = kept.call


def view_rules(calls: Calls) -> dict[ViewRule, int]:
    """What made the views as they are of which something was fetched, each numbered as the page numbers it."""
    found: dict[ViewRule, int] = {}
    for kept in calls.artifacts:
        if kept.id in calls.fetches:
            found.setdefault(_rule_of(calls, kept), len(found))
    return found


def _rule_of(calls: Calls, kept: CallArtifact) -> ViewRule:
    tool = calls.tool_names[calls.columns["tool"][kept.call]]
    return calls.rules.get(kept.id, ViewRule(""))._replace(tool=tool)


def fetch_records(calls: Calls) -> list[list[object]]:
    """What was fetched, oldest first: number of the artifact, when, what, sizes, by whom, number of the rule."""
    records: list[list[object]] = []
    rules = view_rules(calls)
    for number, kept in enumerate(calls.artifacts):
        for one in calls.fetches.get(kept.id, ()):
            told = [one.unit, one.first, one.last, one.chars, one.tokens, one.requester]
            records.append([number, round(one.at * 1000), *told, rules[_rule_of(calls, kept)]])
    return sorted(records, key=lambda record: record[1])  # type: ignore[arg-type, return-value]  # a number
