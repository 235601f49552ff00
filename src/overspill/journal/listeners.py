"""Who is told of every event: thresholds, and OpenTelemetry.

A threshold makes an event of its own each time it is crossed, so that somebody can be told.

OpenTelemetry is told what becomes of results, as attributes of the running span and as metrics. Never content.

    from overspill import Overspill
    from overspill.journal.listeners import otel_journal

    spill = Overspill(on_event=otel_journal())

Frameworks that follow the conventions for generative AI open a span `execute_tool NAME` around a call. While one runs,
it gets attributes; no span is ever opened here. Where figures go is decided by whoever sets up the SDK: without one,
nothing is recorded and nothing leaves the process.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping

from overspill._lite import TYPE_CHECKING
from overspill.errors import MissingExtra
from overspill.journal.statistics import FIT_EVENTS, event_integer
from overspill.settings.table import tool_name
from overspill.version import __version__

if TYPE_CHECKING:
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import Span

    from overspill.journal import Journal


RATE_WINDOW = 50  # results of which a truncation rate is taken
MINUTE = 60.0
TIMED_EVENTS = frozenset({"pass", "truncate", "refuse"})

Facts = Mapping[str, object]

SCOPE = "overspill"
OPERATION, EXECUTE_TOOL = "gen_ai.operation.name", "execute_tool"
TOOL, CALL, ERROR = "gen_ai.tool.name", "gen_ai.tool.call.id", "error.type"
TOOL_ERROR = "tool_error"
STAGE = "overspill.stage"
ARTIFACT_EVENTS = {"create": "created", "evict": "evicted", "retrieve": "retrieved", "delete": "removed"}


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
        if event in TIMED_EVENTS:
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


try:
    from opentelemetry import metrics, trace
except ImportError as error:
    raise MissingExtra("telemetry", "otel") from error


def otel_journal(meter_provider: MeterProvider | None = None) -> Journal:
    """A journal that tells OpenTelemetry, for `on_event`; with the provider of the process, or another one."""
    return ResultTelemetry(meter_provider).tell


def is_set_up() -> bool:
    """Whether somebody chose where the figures of this process go: what stands in by default is the interface's own."""
    return not type(metrics.get_meter_provider()).__module__.startswith("opentelemetry.metrics")


class ResultTelemetry:
    """The instruments, and what is told to each."""

    def __init__(self, meter_provider: MeterProvider | None = None) -> None:
        meter = (meter_provider or metrics.get_meter_provider()).get_meter(SCOPE, __version__)
        self._tokens = meter.create_histogram(
            "overspill.tool_result.tokens", "{token}", "Tokens of a tool's result, as it came and as it was shown."
        )
        self._results = meter.create_counter("overspill.tool_results", "{result}", "Results of tools, by outcome.")
        self._seconds = meter.create_histogram("overspill.fit.duration", "s", "Time that fitting a result took.")
        self._redactions = meter.create_counter(
            "overspill.redactions", "{secret}", "Secrets that were hidden, by rule."
        )
        self._artifacts = meter.create_counter("overspill.artifacts", "{artifact}", "What happened to artifacts.")
        self._fetched = meter.create_counter("overspill.fetched.tokens", "{token}", "Tokens fetched from artifacts.")

    def tell(self, event: str, facts: Mapping[str, object]) -> None:
        """Record one event of the journal."""
        if event in FIT_EVENTS:
            self._record_fit(event, facts)
        elif event in ARTIFACT_EVENTS:
            self._artifacts.add(event_integer(facts, "artifacts") or 1, {"overspill.action": ARTIFACT_EVENTS[event]})
            if event == "retrieve" and facts.get("success") is True:
                self._fetched.add(event_integer(facts, "tokens"), {})

    def _record_fit(self, event: str, facts: Mapping[str, object]) -> None:
        said, shown = event_integer(facts, "original_tokens"), event_integer(facts, "truncated_tokens")
        labels: dict[str, str] = {OPERATION: EXECUTE_TOOL, TOOL: tool_name(str(facts.get("tool_name") or ""))}
        if facts.get("failed") is True:
            labels[ERROR] = TOOL_ERROR
        self._tokens.record(said, {**labels, STAGE: "original"})
        self._tokens.record(shown, {**labels, STAGE: "shown"})
        self._results.add(1, {**labels, "overspill.outcome": event})
        milliseconds = facts.get("latency_ms")
        if isinstance(milliseconds, int | float):
            self._seconds.record(milliseconds / 1000, labels)
        redactions = facts.get("redactions")
        for rule, count in redactions.items() if isinstance(redactions, dict) else ():
            self._redactions.add(count, {"overspill.rule": rule})
        span = trace.get_current_span()
        if is_tool_span(span):
            span.set_attributes(span_attributes(event, facts))


def is_tool_span(span: Span) -> bool:
    """Whether a tool is being executed in this span: by its attribute, or by its name, as the conventions have it."""
    if not span.is_recording():
        return False
    attributes = getattr(span, "attributes", None) or {}
    return attributes.get(OPERATION) == EXECUTE_TOOL or str(getattr(span, "name", "")).startswith(EXECUTE_TOOL)


def span_attributes(event: str, facts: Mapping[str, object]) -> dict[str, str | int]:
    """Sizes, names and ids: what the journal is told, and nothing of the text."""
    redactions = facts.get("redactions")
    found: dict[str, str | int] = {
        "overspill.outcome": event,
        "overspill.strategy": str(facts.get("strategy", "")),
        "overspill.original.tokens": event_integer(facts, "original_tokens"),
        "overspill.original.chars": event_integer(facts, "original_size"),
        "overspill.shown.tokens": event_integer(facts, "truncated_tokens"),
        "overspill.shown.chars": event_integer(facts, "truncated_size"),
        "overspill.redactions": sum(redactions.values()) if isinstance(redactions, dict) else 0,
    }
    for name, fact in (("overspill.artifact.id", "artifact_id"), ("overspill.not_kept", "not_kept"), (CALL, "call_id")):
        value = facts.get(fact)
        if isinstance(value, str) and value:
            found[name] = value
    return found
