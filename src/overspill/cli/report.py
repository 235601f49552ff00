"""What a model saw, or would have seen.

`spill report` as one file, `spill ui` live, `spill replay` of sessions that are over, `spill demo` of texts of ours.
"""

from __future__ import annotations

import os
from itertools import zip_longest

from overspill._lite import TYPE_CHECKING, suppress
from overspill.api import Overspill
from overspill.cli.opening import open_workspace
from overspill.cli.output import Progress, note, print_answer, write_text
from overspill.cli.tables import count_of, table_text, visible
from overspill.cli.worth import fleet_record, in_red
from overspill.core import human_bytes
from overspill.errors import InputError, UsageError, shell_line
from overspill.journal import JOURNAL_FILE, JOURNAL_FOLDER
from overspill.journal.statistics import FIT_EVENTS
from overspill.replay import ReplaySums, SessionReplay
from overspill.report.calls import EVENTS
from overspill.report.page import ReportSource
from overspill.store.housekeeping import show_session
from overspill.store.sessions import is_session_id, named_session

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from overspill.cli.arguments import CommandCall
    from overspill.report.page import DoctorRecords
    from overspill.store.files import FileStore
    from overspill.workspace import Workspace

HEAD = ("Tool", "Results", "Cut", "Tool said", "Host showed", "View", "Net", "Used next", "In the view", "Lost")
LEFT = 46
RIGHT = 72
LIMIT = 1_500
FACTS = ("was_truncated", "strategy_used", "original_size", "truncated_size", "omission_summary", "artifact_id")


def report(call: CommandCall) -> int:
    """Write the page."""
    from overspill.report.page import page_pieces

    target = call.text("-o") or call.text("--output") or "report.html"
    with_texts = call.flag("--with-texts")
    source = report_source(call)
    places = call.texts("--fleet") or []
    with Progress() as progress:
        calls = source.read_calls(lambda done: progress.say(f"reading the journal: {done:,} calls"))
        if call.arguments and not len(calls):
            show_session(source.workspace.files, call.arguments[0])  # an error if there is none
        data = source.data(calls, live=False, with_texts=with_texts)
        if places:
            data["fleet"] = fleet_record(places)
        data["changes"] = source.changes(calls, lambda tool: progress.say(f"replaying what was kept of {tool}"))
        kept = len(calls.artifacts)
        pieces = page_pieces(
            data,
            calls,
            source.texts,
            with_texts=with_texts,
            tell=lambda done: progress.say(f"reading artifacts: {done:,} of {kept:,}"),
        )
        size = write_page(target, pieces)
    count = sum(calls.columns["event"].count(number) for number, event in enumerate(EVENTS) if event in FIT_EVENTS)
    told = {"file": target, "bytes": size, "calls": count, "artifacts": kept, "with_texts": with_texts}
    if target == "-":
        return 0
    said = f"{target}: {count_of(count, 'call')}, {count_of(kept, 'artifact')}, {human_bytes(size)}"
    if not with_texts:
        said += "; no texts and no commands are in it (--with-texts puts them in)"
    return print_answer(call, "report", told, said + "\n")


def report_source(call: CommandCall) -> ReportSource:
    """What the page is to show: one session, or all that can be seen from here."""
    workspace = open_workspace(call)
    return ReportSource(workspace, wanted_session(call, workspace.files), lambda: doctor_records(call))


def wanted_session(call: CommandCall, store: FileStore) -> str:
    """The session that was named, or the one in use; none for all: the root's own session sees every other one."""
    word = call.arguments[0] if call.arguments else ""
    if not word:
        return "" if store.session.roams else store.session.id
    session = word if is_session_id(word) else named_session(word).id
    if session != store.session.id and not store.session.roams:
        raise UsageError("a named session sees only itself; leave --session and OVERSPILL_SESSION out to see others")
    return session


def doctor_records(call: CommandCall) -> DoctorRecords:
    """What `spill doctor` finds."""
    from overspill.cli import doctor

    patient = doctor.patient_of(call)
    return [
        {"name": check.name, "ok": found.well, "message": found.says, "fix": found.fix}
        for check in doctor.CHECKS
        for found in doctor.findings_of(check, patient)
    ]


def write_page(target: str, pieces: Iterator[str]) -> int:
    """Write a file for its owner alone, which appears when all of it is there; how many bytes it has."""
    size = 0
    if target == "-":
        for piece in pieces:
            write_text(piece)
            size += len(piece.encode())
        return size
    passing = f"{target}.{os.getpid()}.part"
    try:
        file = os.open(passing, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with open(file, "wb") as page:
                for piece in pieces:
                    size += page.write(piece.encode())
            os.replace(passing, target)
        except BaseException:
            with suppress(OSError):
                os.unlink(passing)
            raise
    except OSError as error:
        raise InputError(f"cannot write {target[:200]!r}: {(error.strerror or '').lower()}") from None
    return size


def serve(call: CommandCall) -> int:
    """Serve the page until Ctrl-C. Nothing is written anywhere."""
    from overspill.report.server import LiveReport, ReportServer

    source = report_source(call)
    try:
        server = ReportServer(LiveReport(source), call.number("--port") or 0)
    except OSError as error:
        again = shell_line("spill", "ui")
        raise InputError(f"cannot listen there: {(error.strerror or '').lower()}; {again} takes a free port") from None
    write_text(f"{server.address}\n")
    note("spill: the page is open to whoever has this address, on this machine; Ctrl-C ends it")
    if call.flag("--open"):
        import webbrowser

        webbrowser.open(server.address)
    try:
        server.serve_forever(poll_interval=0.2)
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()
    return 0


def replay(call: CommandCall) -> int:
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
    from overspill.mcp import Toolbox, context_size
    from overspill.mcp.server import INSTRUCTIONS

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
        from overspill.redact import redact_text

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
        from overspill.redact import redact_text

        record["lost_names"] = [{"tool": lost.tool, "name": redact_text(lost.name)} for lost in replay.lost]
    return record


def sums_record(sums: ReplaySums) -> dict[str, object]:
    """One tool for programs."""
    fields = ("results", "cut", "partial", "said", "host", "view", "net", "used", "kept", "lost")
    return {field: getattr(sums, field) for field in fields}


def transcript_files(path: str) -> Iterator[str]:
    """A file, or all transcripts below a directory, in order; links are not followed."""
    if not os.path.isdir(path):
        yield path
        return
    for place, folders, names in os.walk(path):
        folders[:] = sorted(folder for folder in folders if folder != "tool-results")
        yield from (os.path.join(place, name) for name in sorted(names) if name.endswith(".jsonl"))


def usual_places(environ: Mapping[str, str]) -> list[str]:
    """Where the agents of this user keep their transcripts, as far as there are any."""
    home = environ.get("HOME") or os.path.expanduser("~")
    claude = environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")
    codex = environ.get("CODEX_HOME") or os.path.join(home, ".codex")
    return list(filter(os.path.isdir, (os.path.join(claude, "projects"), os.path.join(codex, "sessions"))))


def demo(call: CommandCall) -> int:
    """Fit a test log and an answer in JSON, and show both sides of each."""
    with Overspill(preset="agent", config={"tools": {"truncation": {"inline_limit": LIMIT}}}) as spill:
        text = "".join(f"{line}\n" for line in demo_lines(spill))
    return print_answer(call, "demo", {"text": text}, text)


def demo_lines(spill: Overspill) -> Iterator[str]:
    """The main job, a line at a time."""
    log = "".join(test_log())
    fitted = spill.fit(log, tool="execute_command", source="pytest -v")
    report = fitted.report
    yield f"A test run printed {report.total.chars:,} characters (~{report.total.tokens:,} tokens)."
    yield f"The model gets {len(fitted.text):,}, and the other {report.omitted_chars:,} stay one call away."
    yield ""
    yield from side_by_side("THE TOOL SAID", abridged_log(log), "THE MODEL SEES", fitted.text.splitlines())
    yield ""
    yield "The model asks for a part of what was left out:"
    yield f"  {report.fetch}"
    assert fitted.artifact_id is not None  # noqa: S101  # more than the limit was printed
    page = spill.get(fitted.artifact_id, lines=(4001, 4003))
    yield f'  spill.get("{fitted.artifact_id}", lines=(4001, 4003)) returns'
    yield from (f"    {line}" for line in page.text.splitlines())
    yield ""
    yield "Numbers for programs:"
    yield from (f"  {name}: {fitted.metadata[name]}" for name in FACTS)
    yield ""
    yield from answers(spill)


def answers(spill: Overspill) -> Iterator[str]:
    """An answer in JSON, which stays JSON, with a password in it, which does not stay."""
    users = [{"id": number, "name": f"user {number}", "active": number % 3 > 0} for number in range(50_000)]
    answer = {"users": users, "total": 50_000, "source": "postgres://app:s3cr3t-Pa55@db/app"}
    fitted = spill.fit(answer, tool="http_request", budget=480)
    yield f"A request answered with {fitted.report.total.chars:,} characters of JSON. The model gets JSON, too:"
    yield ""
    yield f"  {fitted.text}"
    yield ""
    yield f"What was redacted, by rule: {dict(fitted.report.redacted)}"


def test_log() -> Iterator[str]:
    """A test run like many: thousands of lines that pass, two that do not, a summary at the end."""
    yield "============================= test session starts ==============================\n"
    for number in range(1, 6001):
        name = f"tests/test_orders.py::test_order_{number:05}"
        yield f"{name} {'FAILED' if number in {2417, 5120} else 'PASSED'} [{number // 60:3}%]\n"
    yield "=================================== FAILURES ===================================\n"
    for number in (2417, 5120):
        yield f"________________________________ test_order_{number:05} ______________________________\n"
        yield ">       assert refund(order).status == 'done'\nE       AssertionError: 'pending' != 'done'\n"
        yield f"tests/test_orders.py:{number}: AssertionError\n"
    yield "================== 2 failed, 5998 passed in 61.20s (0:01:01) ===================\n"


def abridged_log(log: str) -> list[str]:
    """The start and the end of a log, for people who have to see all of it on one page."""
    lines = log.splitlines()
    return [*lines[:8], f"    ({len(lines) - 16:,} more lines)", *lines[-8:]]


def side_by_side(left_title: str, left: Iterable[str], right_title: str, right: Iterable[str]) -> Iterator[str]:
    """Two texts in two columns; lines that are too wide end with a `>`."""
    yield f"{left_title:<{LEFT}} | {right_title}"
    yield f"{'-' * LEFT}-+-{'-' * RIGHT}"
    for one, other in zip_longest(left, right, fillvalue=""):
        yield f"{clipped_line(one, LEFT):<{LEFT}} | {clipped_line(other, RIGHT)}".rstrip()


def clipped_line(line: str, width: int) -> str:
    """A line that fits its column.

    >>> clipped_line("abcdef", 4)
    'abc>'
    """
    return line if len(line) <= width else line[: width - 1] + ">"
