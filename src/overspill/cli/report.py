"""`spill report`: the page as one file. `spill ui`: the page, live, until Ctrl-C."""

from __future__ import annotations

import os

from overspill._lite import TYPE_CHECKING, suppress
from overspill.cli.opening import open_workspace
from overspill.cli.output import note, print_answer, write_text
from overspill.cli.output.progress import Progress
from overspill.cli.output.tables import count_of
from overspill.core.size import human_bytes
from overspill.errors import InputError, UsageError, shell_line
from overspill.journal.statistics import FIT_EVENTS
from overspill.report.calls import EVENTS
from overspill.report.data import ReportSource
from overspill.store.housekeeping import show_session
from overspill.store.sessions import is_session_id, named_session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from overspill.cli.arguments import CommandCall
    from overspill.report.data import DoctorRecords
    from overspill.store.files import FileStore


def run(call: CommandCall) -> int:
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
            from overspill.cli.stats_sums import fleet_record

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
