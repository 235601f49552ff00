"""The calls of a journal, as the page reads them, and which limits to change.

Calls are columns of numbers: names once, rows in a few bytes each. For what to change, what was kept is fitted again
with other limits, and what would have come of it is counted.

A view is regretted when its artifact was fetched within ten minutes. With another limit the regret is gone when all
that was fetched is in the view. Nothing is guessed: what was fetched by a search or a query has no place that could
be looked for, and is counted apart. Nothing is written, and settings are only suggested.
"""

from __future__ import annotations

import sys
from array import array
from collections import Counter, OrderedDict, deque
from datetime import datetime
from typing import NamedTuple

from overspill._lite import TYPE_CHECKING
from overspill.core import tokens_of
from overspill.errors import OverspillError
from overspill.journal.calls import CallRow, call_rows
from overspill.journal.statistics import MAX_SUGGESTED_LIMIT, SOON, STEP, Event, History
from overspill.report import Fetch, artifact_parts
from overspill.settings import INLINE
from overspill.settings.table import OVERRIDES, TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from overspill.api import Overspill
    from overspill.core.spans import Span
    from overspill.report import KeptTexts
    from overspill.settings import Settings


EVENTS = ("pass", "truncate", "refuse", "fail", "describe", "retrieve", "compact")
MARKS = ("failed", "secrets", "rerun", "compacted")  # a bit each
MAX_CALLS = 100_000  # the newest ones; what is left out is said
MAX_FETCHES = 100_000
NUMBERS = ("at", "tool", "agent", "session", "event", "said", "host", "shown", "fetched", "ours", "marks", "fetches")
UNKNOWN = -1
SHORT_SHARE = 0.8  # of its limit: what is shorter was ended by something else
SHORT_ID = 12  # characters of the random part of an id: enough to be the only one


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


GROWTH = (1.5, 2.0, 3.0, 4.0)  # times the limit there is
MAX_TOOLS = 6
MAX_REGRETS = 24  # of one tool that are replayed,
MAX_OTHERS = 16  # and other cut results, for what the change would cost
MAX_CHARS = 1_000_000  # of a text that is replayed,
MAX_ALL_CHARS = 2_000_000  # and of all that are, of one tool and kind
# What ends a view before its limit, by the strategy that made it.
ENDED_BY = {
    "smart": "smart_truncation.fill",
    "tail": "line_truncation.tail_lines",
    "head": "line_truncation.head_lines",
    "element": "element_truncation.first_elements",
}
ENOUGH = 0.7  # the share of what can be spared at all that a suggestion spares


class Outcome(NamedTuple):
    """What a limit would have done."""

    limit: int
    gone: int  # regrets that would not have been
    more: float  # tokens a call


class LimitChange(NamedTuple):
    """What is known of the limit of one tool."""

    tool: str
    limit: int
    calls: int
    regrets: int
    placed: int  # regrets that were replayed: what was fetched has a place, and is still kept
    replayed: int  # results that were fitted again
    cut: int  # results that were cut
    outcomes: tuple[Outcome, ...]
    seen: int = 0  # regrets of which all that was fetched had been shown: no limit spares those

    @property
    def best(self) -> Outcome | None:
        """The smallest limit that spares most of what a limit can spare; None where none spares anything."""
        most = max((one.gone for one in self.outcomes), default=0)
        return next((one for one in self.outcomes if most and one.gone >= ENOUGH * most), None)


class Replay(NamedTuple):
    """A kept text that is fitted again."""

    text: str
    source: str
    content_type: str
    shown: int  # characters of its view
    limit: int
    fetched: tuple[Span, ...]
    was_seen: bool = False  # whether something was fetched, and all of it had been shown


def suggested_changes(
    calls: Calls, texts: KeptTexts, spill: Overspill, tell: Callable[[str], None] = lambda _tool: None
) -> list[LimitChange]:
    """The tools that were regretted, most often first, and what other limits would have done."""
    by_tool: dict[str, tuple[list[CallArtifact], list[CallArtifact]]] = {}
    tools = list(calls.names["tool"])
    for kept in calls.artifacts:
        name = tools[calls.columns["tool"][kept.call]]
        if not name.startswith("("):
            regretted, others = by_tool.setdefault(name, ([], []))
            (regretted if is_regretted(calls, kept) else others).append(kept)
    ranked = sorted(by_tool, key=lambda name: -len(by_tool[name][0]))
    changes = []
    for name in ranked[:MAX_TOOLS]:
        regretted, others = by_tool[name]
        if regretted:
            tell(name)
            number = sum(tools[tool] == name for tool in calls.columns["tool"])
            changes.append(_change_of(name, number, regretted, others, calls, texts, spill))
    return changes


def is_regretted(calls: Calls, kept: CallArtifact) -> bool:
    """Whether an artifact was fetched soon after its view was shown."""
    at = calls.columns["at"][kept.call] / 1000
    return any(0 <= fetch.at - at <= SOON for fetch in calls.fetches.get(kept.id, ()))


def _change_of(
    tool: str,
    number: int,
    regretted: Sequence[CallArtifact],
    others: Sequence[CallArtifact],
    calls: Calls,
    texts: KeptTexts,
    spill: Overspill,
) -> LimitChange:
    limit = max((calls.limit_of(kept.id) for kept in (*regretted, *others)), default=0)
    missed = Replays(tool, _limits_above(limit), spill)
    for kept in _spread(regretted, MAX_REGRETS):
        missed.add(_replay_of(kept, calls, texts))
    plain = Replays(tool, missed.limits if missed.placed else [], spill)
    for kept in _spread(others, MAX_OTHERS) if missed.placed else ():
        plain.add(_replay_of(kept, calls, texts))
    outcomes = [
        Outcome(wanted, missed.gone[wanted], more / max(1, number))
        for wanted in (missed.limits if missed.placed else ())
        for more in [missed.mean_growth(wanted) * len(regretted) + plain.mean_growth(wanted) * len(others)]
    ]
    cut, replayed = len(regretted) + len(others), missed.count + plain.count
    return LimitChange(tool, limit, number, len(regretted), missed.placed, replayed, cut, tuple(outcomes), missed.seen)


class Replays:
    """Texts of one tool that are fitted again, one after the other: none is held longer than that takes."""

    def __init__(self, tool: str, limits: list[int], spill: Overspill) -> None:
        self.limits = limits
        self.gone = dict.fromkeys(limits, 0)
        self.count = self.placed = self.seen = 0
        self._growth = dict.fromkeys(limits, 0)
        self._tool = tool
        self._spill = spill
        self._room = MAX_ALL_CHARS

    def add(self, one: Replay | None) -> None:
        """Fit one text with every limit."""
        if one is None or len(one.text) > self._room:
            return
        self._room -= len(one.text)
        self.count += 1
        self.placed += bool(one.fetched)
        self.seen += one.was_seen
        for limit in self.limits:
            kept, size = _view_of(one, self._tool, limit, self._spill)
            self._growth[limit] += tokens_of(size) - tokens_of(one.shown)
            self.gone[limit] += bool(one.fetched) and _holds(kept, one.fetched)
            self._spill.store.clear()

    def mean_growth(self, limit: int) -> float:
        """Tokens by which a view would have been longer."""
        return self._growth.get(limit, 0) / self.count if self.count else 0.0


def _limits_above(limit: int) -> list[int]:
    steps = (-(-int(limit * growth) // STEP) * STEP for growth in GROWTH)
    return sorted({step for step in steps if limit < step <= MAX_SUGGESTED_LIMIT})


def _replay_of(kept: CallArtifact, calls: Calls, texts: KeptTexts) -> Replay | None:
    with texts.open(kept.id, kept.session) as found:
        if found is None or found.shown is None or not found.shown.limit or found.shown.chars > MAX_CHARS:
            return None
        try:
            parts = artifact_parts(found.reader, found.shown, calls.fetches.get(kept.id, ()), MAX_CHARS)
        except (OverspillError, ValueError):
            return None
        artifact, shown = found.reader.artifact, found.shown
    spans = [place for place, _ in parts.fetched if place is not None]
    text = "".join(piece.text for piece in parts.texts)
    left_out = tuple(span for place in spans for span in _missing(shown.kept or (), place.start, place.end))
    was_seen = bool(spans) and not left_out and shown.kept is not None
    return Replay(text, artifact.source, artifact.content_type, shown.view, shown.limit or 0, left_out, was_seen)


def _missing(kept: Iterable[Span], start: int, end: int) -> list[Span]:
    """What of a part is in none of the kept ones."""
    from overspill.core.spans import Span, omitted_spans

    inside = [Span(max(start, low) - start, min(end, high) - start) for low, high in kept if low < end and high > start]
    return [Span(low + start, high + start) for low, high in omitted_spans(inside, end - start)]


def _view_of(one: Replay, tool: str, limit: int, spill: Overspill) -> tuple[tuple[Span, ...], int]:
    """What would be kept of a text, and how long its view would be."""
    try:
        fitted = spill.fit(one.text, tool=tool, budget=limit, source=one.source, content_type=one.content_type)
    except OverspillError:
        return (), one.shown
    return fitted.report.kept, len(fitted.text)


def _holds(kept: Sequence[Span], wanted: Iterable[Span]) -> bool:
    return all(not _missing(kept, start, end) for start, end in wanted)


def _spread(found: Sequence[CallArtifact], most: int) -> list[CallArtifact]:
    """At most so many, evenly from the first to the last."""
    if len(found) <= most:
        return list(found)
    return [found[number * len(found) // most] for number in range(most)]


def limit_rule(settings: Settings, tool: str, limit: int) -> tuple[str, str]:
    """Which setting set the limit of a view, and where it was said; nothing where the call itself brought its limit.

    What a tool reads of a file is cut by the limit of what is fetched. Settings are those of now: where none of them
    has the limit that was logged, it was the call's, a tool's own rule, or another setting than today's.
    """
    own, general = f"{OVERRIDES}.{tool}.{INLINE}", f"{TOOLS}{INLINE}"
    path = own if INLINE in settings.tools.get(tool, {}) else general
    said = {path: settings.for_tool(tool).integer("inline_limit")}
    said[f"{TOOLS}artifacts.retrieval_limit"] = settings.integer("tools.truncation.artifacts.retrieval_limit")
    found = next((path for path, value in said.items() if value == limit), "")
    return found, settings.origins.get(found, "") if found else ""


def view_rule(settings: Settings, rule: ViewRule) -> tuple[str, str]:
    """Which setting left out what was fetched of a view, and where it was said."""
    row = ENDED_BY.get(rule.strategy, "") if rule.is_short else ""
    if not row:
        return limit_rule(settings, rule.tool, rule.limit)
    path = f"{OVERRIDES}.{rule.tool}.{row}" if row in settings.tools.get(rule.tool, {}) else TOOLS + row
    return path, settings.origins.get(path, "")


def change_record(change: LimitChange, rule: tuple[str, str] = ("", "")) -> dict[str, object]:
    """A change as JSON has it, with the setting that holds now and the settings that make it."""
    best = change.best
    return {
        **change._asdict(),
        "rule": dict(zip(("path", "origin"), rule, strict=True)),
        "outcomes": [one._asdict() for one in change.outcomes],
        "best": best and best._asdict(),
        "yaml": best and settings_yaml(change.tool, best.limit),
    }


WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})  # that YAML takes for something else


def settings_yaml(tool: str, limit: int) -> str:
    r"""What to write into `.agent/config.yml`.

    >>> print(settings_yaml("my tool", 12_000))
    tools:
      truncation:
        overrides:
          "my tool":
            inline_limit: 12000
    """
    plain = tool.isascii() and tool.replace("_", "a").isalnum() and not tool[:1].isdigit() and tool.lower() not in WORDS
    name = tool if plain else '"' + tool.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return f"tools:\n  truncation:\n    overrides:\n      {name}:\n        inline_limit: {limit}"
