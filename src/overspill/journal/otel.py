"""OpenTelemetry: what becomes of results, as attributes of the running span and as metrics. Never content.

    from overspill import Overspill
    from overspill.journal.otel import otel_journal

    spill = Overspill(on_event=otel_journal())

Frameworks that follow the conventions for generative AI open a span `execute_tool NAME` around a call. While one runs,
it gets attributes; no span is ever opened here. Where figures go is decided by whoever sets up the SDK: without one,
nothing is recorded and nothing leaves the process.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING
from overspill.errors import MissingExtra
from overspill.journal.statistics import FIT_EVENTS, event_integer
from overspill.settings.table import tool_name
from overspill.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import Span

    from overspill.journal import Journal

try:
    from opentelemetry import metrics, trace
except ImportError as error:
    raise MissingExtra("telemetry", "otel") from error

SCOPE = "overspill"
OPERATION, EXECUTE_TOOL = "gen_ai.operation.name", "execute_tool"
TOOL, CALL, ERROR = "gen_ai.tool.name", "gen_ai.tool.call.id", "error.type"
TOOL_ERROR = "tool_error"
STAGE = "overspill.stage"
ARTIFACT_EVENTS = {"create": "created", "evict": "evicted", "retrieve": "retrieved", "delete": "removed"}


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
