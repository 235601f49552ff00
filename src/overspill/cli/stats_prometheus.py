"""The figures as Prometheus reads them: text exposition format 0.0.4."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from overspill._lite import TYPE_CHECKING
from overspill.cli.output.tables import visible

if TYPE_CHECKING:
    from overspill.journal.statistics import Figures, ToolFigures

Labels = Mapping[str, str]
Sample = tuple[str, Labels, float]  # a suffix of the name, labels, value


def exposition(figures: Figures, disk: Mapping[str, int], broken: int) -> str:
    r"""Every figure, with what it means.

    Counters fall back when the oldest journal file is removed, which Prometheus takes for a restart.
    """
    return "".join(line for metric in metrics(figures, disk, broken) for line in metric_lines(*metric))


def metrics(figures: Figures, disk: Mapping[str, int], broken: int) -> Iterator[tuple[str, str, str, Iterable[Sample]]]:
    """Name, type, meaning and samples of each."""
    tools = figures.tools.items()

    def by_tool(field: str) -> list[Sample]:
        return [("_total", {"tool": name}, getattr(tool, field)) for name, tool in tools]

    def by(label: str, counts: Mapping[str, int]) -> list[Sample]:
        return [("_total", {label: name}, count) for name, count in counts.items()]

    results = [
        ("_total", {"tool": name, "outcome": outcome}, float(count))
        for name, tool in tools
        for outcome, count in tool.outcomes.items()
    ]
    yield "overspill_results", "counter", "Tool results, by tool and by what became of them.", results
    for field, meaning in (
        ("chars_in", "Characters of tool results as they came."),
        ("chars_shown", "Characters of the views that were shown."),
        ("chars_reread", "Characters fetched later from what was kept."),
        ("tokens_in", "Tokens of tool results as they came, estimated."),
        ("tokens_shown", "Tokens of the views that were shown, estimated."),
        ("tokens_reread", "Tokens fetched later from what was kept, estimated."),
    ):
        yield f"overspill_{field}", "counter", meaning, by_tool(field)
    yield (
        "overspill_views_fetched_soon",
        "counter",
        "Views whose artifact was fetched soon after.",
        by_tool("regretted"),
    )
    yield "overspill_fit_seconds", "summary", "Time that fitting took.", [s for tool in tools for s in _latency(*tool)]
    yield "overspill_cuts", "counter", "Cut results, by strategy.", by("strategy", figures.strategies)
    yield "overspill_redactions", "counter", "Secrets hidden, by rule.", by("rule", figures.redactions)
    yield "overspill_violations", "counter", "Paths and sizes refused, by kind.", by("kind", figures.violations)
    yield "overspill_not_kept", "counter", "Cut results of which nothing was kept.", by("reason", figures.reasons)
    yield "overspill_retrievals", "counter", "Retrievals, by requester.", by("requester", figures.requesters)
    for name, meaning, count in (
        ("retrievals_failed", "Retrievals that found nothing.", figures.missed),
        ("artifacts_created", "Artifacts created.", figures.created),
        ("artifacts_created_bytes", "Bytes of the artifacts created.", figures.created_bytes),
        ("artifacts_evicted", "Artifacts that had to make room.", figures.evicted),
        ("artifacts_deleted", "Artifacts that were removed.", figures.deleted),
    ):
        yield f"overspill_{name}", "counter", meaning, [("_total", {}, count)]
    yield "overspill_stored_bytes", "gauge", "Bytes of the artifacts that are kept now.", [("", {}, disk["bytes"])]
    yield "overspill_stored_artifacts", "gauge", "Artifacts that are kept now.", [("", {}, disk["artifacts"])]
    yield "overspill_session_quota_bytes", "gauge", "Bytes a session may keep.", [("", {}, disk["session_quota"])]
    yield "overspill_journal_broken_lines", "gauge", "Lines of the journal that can't be read.", [("", {}, broken)]


def metric_lines(name: str, kind: str, meaning: str, samples: Iterable[Sample]) -> Iterator[str]:
    r"""One metric as text. In the format 0.0.4 a counter is named with its suffix.

    >>> print(*metric_lines("hits", "counter", "Hits.", [("_total", {"by": 'a "b"\n'}, 2)]), sep="", end="")
    # HELP hits_total Hits.
    # TYPE hits_total counter
    hits_total{by="a \"b\"\\n"} 2
    """
    found = list(samples)
    if not found:
        return
    family = f"{name}_total" if kind == "counter" else name
    yield f"# HELP {family} {meaning}\n# TYPE {family} {kind}\n"
    for suffix, labels, value in found:
        inner = ",".join(f'{label}="{label_value(text)}"' for label, text in labels.items())
        yield f"{name}{suffix}{f'{{{inner}}}' if inner else ''} {value:.10g}\n"


def label_value(text: str) -> str:
    """A label's value: what a terminal would act on is spelled out, then what the format would."""
    return visible(text).replace("\\", "\\\\").replace('"', '\\"')


def _latency(name: str, tool: ToolFigures) -> list[Sample]:
    return [
        ("_sum", {"tool": name}, tool.milliseconds / 1000),
        ("_count", {"tool": name}, tool.results),
    ]
