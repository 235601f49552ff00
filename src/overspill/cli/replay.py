"""`spill replay`: what would have been cut in sessions that are over, what of it was used, and what it would spare."""

from __future__ import annotations

import os

from overspill._lite import TYPE_CHECKING
from overspill.cli.opening import open_workspace
from overspill.cli.output import note, print_answer
from overspill.cli.output.progress import Progress
from overspill.cli.output.tables import count_of, table_text, visible
from overspill.cli.worth import in_red
from overspill.errors import InputError
from overspill.journal import JOURNAL_FILE, JOURNAL_FOLDER
from overspill.replay import ReplaySums, SessionReplay
from overspill.replay.transcripts import transcript_files, usual_places

if TYPE_CHECKING:
    from collections.abc import Iterator

    from overspill.api import Overspill
    from overspill.cli.arguments import CommandCall
    from overspill.workspace import Workspace

HEAD = ("Tool", "Results", "Cut", "Tool said", "Host showed", "View", "Net", "Used next", "In the view", "Lost")


def run(call: CommandCall) -> int:
    """Read transcripts and say what they would have come to."""
    workspace = open_workspace(call)
    places = list(call.arguments) or usual_places(os.environ)
    if not places:
        raise InputError("no transcripts of Claude Code or Codex here; name a file or a directory of them")
    replay = SessionReplay(spill_in_memory(workspace), own_tokens(workspace))
    with Progress() as progress:
        for number, path in enumerate(files_in(places), 1):
            progress.say(f"{number:,} files, {replay.total.results:,} results")
            read_into(replay, path)
    if replay.unread and not call.flag("--json"):
        note(f"spill: {count_of(replay.unread, 'line')} could not be read, or told of an unknown host")
    names = call.flag("--names")
    return print_answer(call, "replay", replay_record(replay, names=names), replay_text(replay, names=names))


def spill_in_memory(workspace: Workspace) -> Overspill:
    """What fits results by the settings in force, and keeps nothing."""
    from overspill.api import Overspill
    from overspill.journal import silent_journal
    from overspill.store.memory import MemoryStore

    return Overspill(workspace.settings, MemoryStore(), root=workspace.root, journal=silent_journal)


def own_tokens(workspace: Workspace) -> int:
    """What the descriptions of our tools take of each session."""
    from overspill.mcp.server import INSTRUCTIONS
    from overspill.mcp.toolbox import Toolbox, context_size

    return context_size(Toolbox(spill_in_memory(workspace)).descriptions(), INSTRUCTIONS).tokens


def files_in(places: list[str]) -> Iterator[str]:
    """The transcripts and journals in these places."""
    for place in places:
        if not os.path.exists(place):
            raise InputError(f"cannot read {place[:200]!r}: there is no such file or directory")
        logs = os.path.join(place, JOURNAL_FOLDER)
        if os.path.exists(os.path.join(place, JOURNAL_FILE)):
            yield place
        elif os.path.exists(os.path.join(logs, JOURNAL_FILE)):
            yield logs
        else:
            yield from transcript_files(place)


def read_into(replay: SessionReplay, path: str) -> None:
    """Read a transcript, or a journal's directory."""
    try:
        if os.path.isdir(path):
            from overspill.journal.calls import call_rows

            for row in call_rows(path):
                replay.add_row(row)
        else:
            replay.read(path)
    except OSError as error:
        raise InputError(f"cannot read {path[:200]!r}: {(error.strerror or 'failed').lower()}") from None


def replay_text(replay: SessionReplay, *, names: bool = False) -> str:
    """The figures for people."""
    if not replay.total.results:
        return "There are no results of tools in these transcripts.\n"
    ranked = sorted(replay.tools.items(), key=lambda item: -item[1].said)
    rows = [(visible(name), *sums_cells(sums)) for name, sums in ranked]
    if len(rows) > 1:
        rows.append(("Total", *sums_cells(replay.total)))
    text = in_red(table_text(f"Tokens, {count_of(replay.sessions, 'session')}", HEAD, rows))
    return text + "".join(f"{line}\n" for line in replay_notes(replay, names=names))


def sums_cells(sums: ReplaySums) -> tuple[str, ...]:
    """The figures of one tool."""
    figures = (sums.results, sums.cut, sums.said, sums.host, sums.view, sums.net, sums.used, sums.kept, sums.lost)
    return tuple(f"{figure:,}" for figure in figures)


def replay_notes(replay: SessionReplay, *, names: bool) -> list[str]:
    """What the figures mean."""
    total, net = replay.total, replay.total.net - replay.ours
    verdict = "fewer" if net >= 0 else "more"
    sessions = count_of(replay.sessions, "session")
    own = f"after {replay.ours:,} for the descriptions of our tools in {sessions}"
    used = f"{count_of(total.used, 'name')} and numbers first seen there came up in the next steps"
    notes = [
        f"Net: {abs(net):,} tokens {verdict} than these agents showed by themselves, {own}",
        f"Cut: {used}: {total.kept:,} are in the views, {total.lost:,} would have had to be fetched",
    ]
    if replay.fitted_before:
        notes.append(f"Left out: {count_of(replay.fitted_before, 'result')} that Overspill had fitted already")
    if total.partial:
        notes.append(f"Of {count_of(total.partial, 'result')} only a part is known: what the agent had saved is gone")
    if names:
        from overspill.redact.default import redact_text

        notes += [f"  lost: {visible(lost.tool)}  {visible(redact_text(lost.name))}" for lost in replay.lost]
    return notes


def replay_record(replay: SessionReplay, *, names: bool) -> dict[str, object]:
    """The figures for programs."""
    record: dict[str, object] = {
        "unit": "tokens",
        "agents": sorted(replay.agents),
        "sessions": replay.sessions,
        "ours": replay.ours,
        "net": replay.total.net - replay.ours,
        "total": sums_record(replay.total),
        "tools": [{"tool": name} | sums_record(sums) for name, sums in sorted(replay.tools.items())],
        "fitted_before": replay.fitted_before,
        "unread": replay.unread,
    }
    if names:
        from overspill.redact.default import redact_text

        record["lost_names"] = [{"tool": lost.tool, "name": redact_text(lost.name)} for lost in replay.lost]
    return record


def sums_record(sums: ReplaySums) -> dict[str, object]:
    """One tool for programs."""
    fields = ("results", "cut", "partial", "said", "host", "view", "net", "used", "kept", "lost")
    return {field: getattr(sums, field) for field in fields}
