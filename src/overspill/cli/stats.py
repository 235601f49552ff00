"""`spill stats`: what was cut, what that saved, and where too much was cut.

The same figures are written as Prometheus reads them: text exposition format 0.0.4.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping

from overspill._lite import TYPE_CHECKING
from overspill.cli.opening import open_workspace
from overspill.cli.output import note, print_answer, write_text
from overspill.cli.output.tables import count_of, table_text, visible
from overspill.core.size import human_bytes
from overspill.errors import OverspillError, UsageError
from overspill.journal import stamp
from overspill.journal.reader import History
from overspill.journal.statistics import ENOUGH, SOON, Figures, ToolFigures
from overspill.redact.default import redact_text
from overspill.store import housekeeping
from overspill.store.sessions import named_session

if TYPE_CHECKING:
    from overspill.cli.arguments import CommandCall
    from overspill.store.files import FileStore
    from overspill.workspace import Workspace

DAY = 86_400.0
HOUR = 3_600.0
HEAD = ("Tool", "Results", "Cut", "Rate", "Tokens in", "Shown", "Re-read", "Saved", "Mean ms")
FORMS = ("--json", "--prometheus", "--line")


def run(call: CommandCall) -> int:
    """Add up the journal and say what it comes to."""
    if call.flag("--context"):
        from overspill.cli.context import stats

        return stats(call)
    if sum(map(call.flag, FORMS)) > 1:
        raise UsageError(f"only one of {', '.join(FORMS)} at a time")
    if call.flag("--all") and call.flag("--day"):
        raise UsageError("--day and --all are two different spans; give one of them")
    workspace = open_workspace(call)
    store = workspace.files
    events = requested_events(call, workspace)
    figures = Figures(call.text("--tool") or "").add_all(events)
    disk = disk_use(store)
    if events.broken and not call.flag("--json"):
        note(f"spill: {count_of(events.broken, 'line')} of the journal could not be read")
    if call.flag("--prometheus"):
        write_text(exposition(figures, disk, events.broken))
        return 0
    if call.flag("--line"):
        write_text(figures_line(figures) + "\n")
        return 0
    record = figures_record(figures, disk, events.broken) | {"scope": scope_of(call, store)}
    return print_answer(call, "stats", record, figures_text(figures, disk, scope_of(call, store)))


def requested_events(call: CommandCall, workspace: Workspace) -> History:
    """The events of the span and the session that were named, oldest first."""
    directory = workspace.logs.path
    since = stamp(time.time() - DAY) if call.flag("--day") else ""
    return History(directory, newest_first=False, since=since, session=session_of(call, workspace.files))


def session_of(call: CommandCall, store: FileStore) -> str:
    """The session whose events count; none for all: the root's own session sees every other one."""
    word = call.text("--session")
    if call.flag("--all") or call.flag("--prometheus") or (call.flag("--day") and not word):
        return ""
    if word and word.startswith("ses_"):
        return word
    return named_session(word).id if word else "" if store.session.roams else store.session.id


def scope_of(call: CommandCall, store: FileStore) -> dict[str, object]:
    """What was added up."""
    return {
        "span": "day" if call.flag("--day") else "all" if not session_of(call, store) else "session",
        "session": session_of(call, store) or None,
        "tool": redact_text(call.text("--tool") or "") or None,
    }


def disk_use(store: FileStore) -> dict[str, int]:
    """What is kept now, as far as this session can see."""
    try:
        sessions = housekeeping.list_sessions(store)
    except OverspillError:
        sessions = []
    return {
        "artifacts": sum(session.artifacts for session in sessions),
        "bytes": sum(session.bytes for session in sessions),
        "session_quota": store.limits.session_quota or 0,
    }


def figures_line(figures: Figures) -> str:
    """All of it in a line, for a prompt or a status bar."""
    total = figures.total
    return (
        f"{count_of(total.results, 'result')}, {total.cut:,} cut ({total.rate:.0%}), "
        f"{short_number(total.tokens_in)} tokens in, {short_number(total.tokens_shown)} shown, "
        f"{short_number(total.tokens_reread)} re-read, {short_number(total.saved)} saved"
    )


def figures_text(figures: Figures, disk: dict[str, int], scope: dict[str, object]) -> str:
    """The figures for people."""
    span = {"day": "the last 24 hours", "session": f"session {scope['session']}"}.get(
        str(scope["span"]), "all sessions"
    )
    if not figures.events:
        return f"Nothing is logged yet for {span}.\n"
    tools = sorted(figures.tools.items(), key=lambda item: -item[1].tokens_in)
    rows = [_tool_row(visible(name), tool) for name, tool in tools]
    if len(rows) > 1:
        rows.append(_tool_row("Total", figures.total))
    text = table_text(f"Results, {span}", HEAD, rows) if rows else ""
    return text + "".join(f"{line}\n" for line in _figure_lines(figures, disk))


def _figure_lines(figures: Figures, disk: dict[str, int]) -> list[str]:
    total = figures.total
    fetched = sum(figures.requesters.values())
    made = f"{figures.created:,} created ({human_bytes(figures.created_bytes)}, {_creation_rate(figures):,.1f} an hour)"
    asked = f"{fetched:,} ({figures.missed:,} failed), of {total.fetched:,} of {total.kept:,} artifacts"
    lines = [
        f"Size: cut results lost {total.reduction:.1%} of their characters",
        f"Strategies: {_counts(figures.strategies)}",
        f"Artifacts: {made}, {figures.evicted:,} evicted, {figures.deleted:,} removed",
        f"Retrievals: {asked}" + (f"; {_counts(figures.ranges)}; by {_counts(figures.requesters)}" if fetched else ""),
        f"Disk: {count_of(disk['artifacts'], 'artifact')}, {human_bytes(disk['bytes'])} now",
    ]
    for title, counts in (
        ("Redactions", figures.redactions),
        ("Violations", figures.violations),
        ("Not kept", figures.reasons),
        ("Thresholds crossed", figures.thresholds),
    ):
        if counts:
            lines.append(f"{title}: {_counts(counts)}")
    return lines + _regrets(figures)


def _regrets(figures: Figures) -> list[str]:
    """Tools whose limit seems too tight, and the setting that would help."""
    lines = []
    for name, tool in sorted(figures.tools.items(), key=lambda item: -item[1].regretted):
        if not tool.regretted:
            continue
        line = f"  {visible(name)}: {tool.regretted:,} of {tool.kept:,} views"
        if tool.suggestion:
            line += (
                f"; {tool.suggestion:,} characters instead of {tool.limit:,} would have spared most: {setting(name)}"
            )
            line += f": {tool.suggestion}"
        elif len(tool.needed) < ENOUGH:
            line += "; too few to suggest another limit"
        else:
            line += "; what was fetched is more than a limit should hold: a narrower call would help"
        lines.append(line)
    return [f"Fetched within {SOON / 60:.0f} minutes, so perhaps cut too short:", *lines] if lines else []


def setting(tool: str) -> str:
    """Where a tool's limit is set."""
    place = "tools.truncation."
    return f"{place}inline_limit" if tool.startswith("(") else f"{place}overrides.{tool}.inline_limit"


def figures_record(figures: Figures, disk: dict[str, int], broken: int) -> dict[str, object]:
    """The figures for programs."""
    return {
        "total": tool_record(figures.total),
        "tools": [{"tool": name} | tool_record(tool) for name, tool in sorted(figures.tools.items())],
        "strategies": dict(figures.strategies),
        "artifacts": {
            "created": figures.created,
            "created_bytes": figures.created_bytes,
            "created_per_hour": round(_creation_rate(figures), 2),
            "evicted": figures.evicted,
            "deleted": figures.deleted,
            "exported": figures.exported,
        },
        "retrievals": {
            "count": sum(figures.requesters.values()),
            "failed": figures.missed,
            "chars": figures.chars_reread,
            "tokens": figures.tokens_reread,
            "requesters": dict(figures.requesters),
            "ranges": dict(figures.ranges),
        },
        "regret": [
            {
                "artifact_id": artifact,
                "tool": view.tool,
                "original_size": view.original,
                "truncated_size": view.shown,
                "fetched_chars": view.fetched,
                "fetches": view.soon,
                "seconds_after": round(view.after, 1),
            }
            for artifact, view in figures.regretted
        ],
        "redactions": dict(figures.redactions),
        "violations": dict(figures.violations),
        "not_kept": dict(figures.reasons),
        "thresholds": dict(figures.thresholds),
        "disk": disk,
        "journal": {"events": figures.events, "broken": broken, "first": figures.first, "last": figures.last},
    }


def tool_record(tool: ToolFigures) -> dict[str, object]:
    """One tool for programs."""
    return {
        "results": tool.results,
        "cut": tool.cut,
        "outcomes": dict(tool.outcomes),
        "truncation_rate": round(tool.rate, 4),
        "size_reduction": round(tool.reduction, 4),
        "chars": {"in": tool.chars_in, "shown": tool.chars_shown, "reread": tool.chars_reread},
        "tokens": {
            "in": tool.tokens_in,
            "shown": tool.tokens_shown,
            "reread": tool.tokens_reread,
            "saved": tool.saved,
        },
        "artifacts": {"kept": tool.kept, "fetched": tool.fetched, "fetched_soon": tool.regretted},
        "latency_ms": {"mean": round(_mean(tool), 3), "max": tool.slowest},
        "limit": tool.limit or None,
        "suggested_limit": tool.suggestion,
    }


def short_number(number: int) -> str:
    """A number as it fits into a line.

    >>> short_number(999), short_number(1_250), short_number(-3_400_000)
    ('999', '1.2k', '-3.4M')
    """
    for unit, size in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if abs(number) >= size:
            return f"{number / size:.1f}{unit}"
    return str(number)


def _tool_row(name: str, tool: ToolFigures) -> tuple[str, ...]:
    tokens = (tool.tokens_in, tool.tokens_shown, tool.tokens_reread, tool.saved)
    return (
        name,
        f"{tool.results:,}",
        f"{tool.cut:,}",
        f"{tool.rate:.0%}",
        *(f"{number:,}" for number in tokens),
        f"{_mean(tool):.1f}",
    )


def _mean(tool: ToolFigures) -> float:
    return tool.milliseconds / tool.results if tool.results else 0.0


def _counts(counts: dict[str, int]) -> str:
    ranked = sorted(counts.items(), key=lambda item: -item[1])
    return ", ".join(f"{visible(name)} {count:,}" for name, count in ranked[:8]) or "none"


def _creation_rate(figures: Figures) -> float:
    """Artifacts an hour, over the time that the events cover."""
    from datetime import datetime

    if not figures.first:
        return 0.0
    try:
        span = datetime.fromisoformat(figures.last) - datetime.fromisoformat(figures.first)
    except ValueError:
        return 0.0
    return figures.created / max(1.0, span.total_seconds() / HOUR)


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
