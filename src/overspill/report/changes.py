"""Which limits to change: what was kept is fitted again with other limits, and what would have come of it is counted.

A view is regretted when its artifact was fetched within ten minutes. With another limit the regret is gone when all
that was fetched is in the view. Nothing is guessed: what was fetched by a search or a query has no place that could
be looked for, and is counted apart. Nothing is written, and settings are only suggested.
"""

from __future__ import annotations

from typing import NamedTuple

from overspill._lite import TYPE_CHECKING
from overspill.core import tokens_of
from overspill.errors import OverspillError
from overspill.journal.statistics import MAX_SUGGESTED_LIMIT, SOON, STEP
from overspill.report import artifact_parts
from overspill.settings import INLINE
from overspill.settings.table import OVERRIDES, TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from overspill.api import Overspill
    from overspill.core.spans import Span
    from overspill.report import KeptTexts
    from overspill.report.calls import CallArtifact, Calls, ViewRule
    from overspill.settings import Settings

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
