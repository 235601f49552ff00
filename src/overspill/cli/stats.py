"""`spill stats`: what was cut, what that saved, and where too much was cut.

The same figures are written as Prometheus reads them: text exposition format 0.0.4.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping

from overspill._lite import TYPE_CHECKING, suppress
from overspill.cli.opening import open_workspace
from overspill.cli.output import note, print_answer, write_text
from overspill.cli.tables import count_of, visible
from overspill.cli.worth import (
    Prices,
    Worth,
    WorthTable,
    export,
    host_notes,
    merge,
    table_record,
    worth_notes,
    worth_text,
)
from overspill.core import human_bytes
from overspill.errors import OverspillError, UsageError
from overspill.journal import JOURNAL_FILE, JOURNAL_FOLDER, stamp
from overspill.journal.calls import call_rows, first_looks
from overspill.journal.statistics import ENOUGH, SOON, Figures, History, ToolFigures
from overspill.redact import redact_text
from overspill.settings.table import tool_name
from overspill.store import housekeeping
from overspill.store.sessions import named_session

if TYPE_CHECKING:
    from overspill.cli.arguments import CommandCall
    from overspill.store.files import FileStore
    from overspill.workspace import Workspace

DAY = 86_400.0
HOUR = 3_600.0
WATCH_SECONDS = 1.0
CLEAR = "\x1b[H\x1b[2J"
FORMS = ("--json", "--prometheus", "--line")


def run(call: CommandCall) -> int:
    """Add up the journal and say what it comes to."""
    if call.flag("--context"):
        from overspill.cli.handoff import stats

        return stats(call)
    if call.options.get("--merge"):
        return merge(call)
    if sum(map(call.flag, FORMS)) > 1:
        raise UsageError(f"only one of {', '.join(FORMS)} at a time")
    if call.flag("--all") and call.flag("--day"):
        raise UsageError("--day and --all are two different spans; give one of them")
    if call.flag("--all-projects") and call.text("--session"):
        raise UsageError("--all-projects adds up every root, and a session is of one; leave one of them out")
    workspace = open_workspace(call)
    if place := call.text("--export"):
        return export(call, place, workspace.root, worth_of(call, workspace, requested_journals(call, workspace)).total)
    return _watch(call, workspace) if call.flag("--watch") else _print(call, workspace)


def _print(call: CommandCall, workspace: Workspace) -> int:
    journals = requested_journals(call, workspace)
    table = worth_of(call, workspace, journals)
    if call.flag("--line"):
        write_text(worth_line(table.total) + "\n")
        return 0
    figures, broken = Figures(call.text("--tool") or ""), 0
    for _, directory in journals:
        events = requested_events(call, workspace, directory)
        figures.add_all(first_looks(events))
        broken += events.broken
    disk = disk_use(workspace.files)
    if broken and not call.flag("--json"):
        note(f"spill: {count_of(broken, 'line')} of the journal could not be read")
    if call.flag("--prometheus"):
        write_text(exposition(figures, disk, broken, table))
        return 0
    scope = scope_of(call, workspace.files)
    prices = prices_of(call, workspace)
    record = figures_record(figures, disk, broken) | {"worth": table_record(table, prices), "scope": scope}
    return print_answer(call, "stats", record, figures_text(figures, disk, scope, table, prices))


def _watch(call: CommandCall, workspace: Workspace) -> int:
    """Print the figures anew whenever something was logged, until somebody interrupts."""
    if call.flag("--json") or call.flag("--prometheus"):
        raise UsageError("--watch is for people; programs ask again")
    before: list[object] = []
    while True:
        journals = requested_journals(call, workspace)
        now = [journal_state(directory) for _, directory in journals]
        if now != before:
            write_text(CLEAR if sys.stdout.isatty() else "")
            _print(call, workspace)
            sys.stdout.flush()
            before = list(now)
        time.sleep(WATCH_SECONDS)


def journal_state(directory: str) -> tuple[int, int]:
    """What changes when a line is added to a journal."""
    with suppress(OSError):
        found = os.stat(os.path.join(directory, JOURNAL_FILE))
        return found.st_ino, found.st_size
    return 0, 0


def prices_of(call: CommandCall, workspace: Workspace) -> Prices | None:
    """What the user said tokens cost: in the command, or in the settings."""
    given = call.options.get("--prices")
    if isinstance(given, Prices):
        return given
    known = workspace.settings.get("stats.prices")
    return Prices(**known) if isinstance(known, dict) and known else None


def requested_journals(call: CommandCall, workspace: Workspace) -> list[tuple[str, str]]:
    """The roots whose journals count, and where these lie: this one, or every one of the user's."""
    own = (workspace.root, workspace.logs.path)
    if not call.flag("--all-projects"):
        return [own]
    found = dict([own])
    for place in workspace.files.accounts.machine.places():
        beside = os.path.join(place.root, *place.steps[:-1], "logs")
        for directory in (beside, os.path.join(place.root, JOURNAL_FOLDER)):
            if os.path.isdir(directory) and directory not in found.values():
                found.setdefault(place.root, directory)
    return list(found.items())


def worth_of(call: CommandCall, workspace: Workspace, journals: list[tuple[str, str]]) -> WorthTable:
    """The columns of all calls that were asked for."""
    tool = call.text("--tool")
    table = WorthTable(call.text("--by") or "tool", tool_name(tool) if tool else "")
    for project, directory in journals:
        session = session_of(call, workspace.files)
        table.add_all(call_rows(directory, project=project, session=session, since=since_of(call)))
    return table


def requested_events(call: CommandCall, workspace: Workspace, directory: str) -> History:
    """The events of the span and the session that were named, oldest first."""
    session = session_of(call, workspace.files)
    return History(directory, newest_first=False, since=since_of(call), session=session)


def since_of(call: CommandCall) -> str:
    """The stamp of the first event that counts; empty for all."""
    return stamp(time.time() - DAY) if call.flag("--day") else ""


def session_of(call: CommandCall, store: FileStore) -> str:
    """The session whose events count; none for all: the root's own session sees every other one."""
    word = call.text("--session")
    if any(map(call.flag, ("--all", "--all-projects", "--prometheus"))) or (call.flag("--day") and not word):
        return ""
    if word and word.startswith("ses_"):
        return word
    return named_session(word).id if word else "" if store.session.roams else store.session.id


def scope_of(call: CommandCall, store: FileStore) -> dict[str, object]:
    """What was added up."""
    return {
        "span": _span_of(call, store),
        "session": session_of(call, store) or None,
        "tool": redact_text(call.text("--tool") or "") or None,
    }


def _span_of(call: CommandCall, store: FileStore) -> str:
    if call.flag("--day"):
        return "day"
    if call.flag("--all-projects"):
        return "projects"
    return "session" if session_of(call, store) else "all"


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


def worth_line(total: Worth) -> str:
    """All of it in a line, for a prompt or a status bar."""
    net = "n/a" if total.net is None else short_number(total.net)
    rate = total.cut / total.calls if total.calls else 0.0
    return (
        f"{count_of(total.calls, 'result')}, {total.cut:,} cut ({rate:.0%}), "
        f"{short_number(total.said)} tokens said, {short_number(total.shown)} shown, "
        f"{short_number(total.fetched)} fetched, net {net}"
    )


def figures_text(
    figures: Figures, disk: dict[str, int], scope: dict[str, object], table: WorthTable, prices: Prices | None = None
) -> str:
    """The figures for people."""
    span = {
        "day": "the last 24 hours",
        "session": f"session {scope['session']}",
        "projects": "all projects",
    }.get(str(scope["span"]), "all sessions")
    if not figures.events and not table.groups:
        return f"Nothing is logged yet for {span}.\n"
    text = worth_text(table, f"Tokens, {span}", prices)
    notes = [*worth_notes(table, prices), *host_notes(table.agents)]
    return text + "".join(f"{line}\n" for line in notes + _figure_lines(figures, disk))


def _figure_lines(figures: Figures, disk: dict[str, int]) -> list[str]:
    total = figures.total
    fetched = sum(figures.requesters.values())
    made = f"{figures.created:,} created ({human_bytes(figures.created_bytes)}, {_creation_rate(figures):,.1f} an hour)"
    asked = f"{fetched:,} ({figures.missed:,} failed), of {total.fetched:,} of {total.kept:,} artifacts"
    lines = [
        f"Size: cut results lost {total.reduction:.1%} of their characters; {_mean(total):.1f} ms a result",
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


def exposition(figures: Figures, disk: Mapping[str, int], broken: int, table: WorthTable | None = None) -> str:
    r"""Every figure, with what it means.

    Counters fall back when the oldest journal file is removed, which Prometheus takes for a restart.
    """
    found = [*metrics(figures, disk, broken), *(worth_metrics(table) if table is not None else ())]
    return "".join(line for metric in found for line in metric_lines(*metric))


def worth_metrics(table: WorthTable) -> Iterator[tuple[str, str, str, Iterable[Sample]]]:
    """The columns of the table, of those groups of which they are known."""
    for field, meaning in (
        ("said", "Tokens that tools said, each result counted once."),
        ("host", "Tokens that hosts would have shown by themselves, where that is known."),
        ("shown", "Tokens that were shown."),
        ("fetched", "Tokens fetched later, and of commands that were run again."),
        ("ours", "Tokens of the descriptions of our own tools."),
        ("net", "Tokens that models were spared: host less shown, fetched and ours; negative where they were not."),
    ):
        found = [(name, getattr(worth, field)) for name, worth in table.groups.items()]
        samples = [("", {table.by: name}, float(tokens)) for name, tokens in found if tokens is not None]
        yield f"overspill_worth_{field}_tokens", "gauge", meaning, samples


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
