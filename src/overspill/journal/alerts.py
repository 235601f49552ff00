"""Thresholds: an event of its own each time one is crossed, so that somebody can be told."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping

from overspill._lite import TYPE_CHECKING

if TYPE_CHECKING:
    from overspill.journal import Journal

RATE_WINDOW = 50  # results of which a truncation rate is taken
MINUTE = 60.0
FIT_EVENTS = frozenset({"pass", "truncate", "refuse"})

Facts = Mapping[str, object]


def watched_journal(
    tell: Journal, thresholds: Mapping[str, object], session_quota: int, clock: Callable[[], float] = time.monotonic
) -> Journal:
    """A journal that also tells of thresholds that are crossed: upwards, once, until they are met again.

    One that does so already is left alone: watched twice, it would tell everything twice.
    """
    if isinstance(tell, WatchedJournal):
        return tell
    given = {name: float(str(value)) for name, value in thresholds.items() if value is not None}
    return WatchedJournal(tell, ThresholdWatch(given, session_quota, clock))


class WatchedJournal:
    """A journal, and who watches what it is told."""

    def __init__(self, tell: Journal, watch: ThresholdWatch) -> None:
        self._tell = tell
        self._watch = watch

    def __call__(self, event: str, facts: Facts) -> None:
        self._tell(event, facts)
        for crossed in self._watch.crossed_thresholds(event, facts):
            self._tell("threshold", crossed)


class ThresholdWatch:
    """What has been seen, as far as a threshold asks for it."""

    def __init__(self, thresholds: Mapping[str, float], session_quota: int, clock: Callable[[], float]) -> None:
        self._thresholds = thresholds
        self._quota = session_quota
        self._clock = clock
        self._above: set[tuple[str, object]] = set()
        self._cut: deque[bool] = deque(maxlen=RATE_WINDOW)
        self._made: deque[float] = deque()

    def crossed_thresholds(self, event: str, facts: Facts) -> list[dict[str, object]]:
        """The thresholds that this event takes from below to above."""
        found = []
        tool = facts.get("tool_name", facts.get("source_tool", ""))
        for name, value in self._values(event, facts).items():
            limit = self._thresholds.get(name)
            if limit is None:
                continue
            # What a whole session does is no tool's doing; the rest is watched tool by tool.
            key = (name, "" if name in {"storage_share", "truncation_rate", "artifacts_per_minute"} else tool)
            if value <= limit:
                self._above.discard(key)
            elif key not in self._above:
                self._above.add(key)
                found.append({"threshold": name, "value": round(value, 3), "limit": limit, "tool_name": tool})
        return found

    def _values(self, event: str, facts: Facts) -> dict[str, float]:
        values: dict[str, float] = {}
        if event in FIT_EVENTS:
            values["latency_ms"] = _number_or_zero(facts.get("latency_ms"))
            redactions = facts.get("redactions")
            values["redactions"] = (
                sum(map(_number_or_zero, redactions.values())) if isinstance(redactions, Mapping) else 0
            )
            self._cut.append(event != "pass")
            if len(self._cut) == RATE_WINDOW:
                values["truncation_rate"] = sum(self._cut) / RATE_WINDOW
        elif event == "create":
            values["artifact_size"] = _number_or_zero(facts.get("size"))
            if self._quota:
                values["storage_share"] = _number_or_zero(facts.get("session_bytes")) / self._quota
            values["artifacts_per_minute"] = self._made_of_late()
        return values

    def _made_of_late(self) -> int:
        now = self._clock()
        self._made.append(now)
        most = self._thresholds.get("artifacts_per_minute", 0)
        while self._made and (now - self._made[0] > MINUTE or len(self._made) > most + 1):
            self._made.popleft()
        return len(self._made)


def _number_or_zero(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
