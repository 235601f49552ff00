"""`spill run`: a command's output within its budget, and its status."""

from __future__ import annotations

import os
import sys
import time

from overspill._lite import TYPE_CHECKING
from overspill.cli.arguments import CommandCall, usage
from overspill.cli.fit import command_budget, known_strategy, result_record
from overspill.cli.opening import open_overspill
from overspill.cli.output import note, print_answer, silence_stderr, silence_stdout
from overspill.cli.process import CannotStart, Child
from overspill.errors import InputError, UsageError
from overspill.redact.redactor import redacted_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from overspill.api import Overspill
    from overspill.core.report import Fitted

TIMED_OUT = 124
TOOL = "execute_command"
LEFT_OPEN = "a process that the command left running holds its output open; what that says from now on is not read"


def run(call: CommandCall) -> int:
    """Run a command and write the view of its output. The status is the command's."""
    if not call.arguments:
        form = usage(call.command) if call.command else "spill run -- CMD..."
        raise UsageError(f"a command is missing; usage: {form}")
    os.environ |= environment_of(call)  # before anything else: a password among them is a secret to hide
    directory = call.text("--cwd")
    if directory is not None and not os.path.isdir(directory):
        raise InputError(f"cannot run in {directory[:200]!r}: there is no such directory")
    if os.environ.get("OVERSPILL") == "off":
        note("spill: switched off by OVERSPILL=off; everything passes through unchanged")
        os.chdir(directory or ".")
        return _in_our_place(call.arguments)
    spill = open_overspill(call)
    spill.workspace.notes_marks = True  # models are told to run it, and may write what they were shown
    strategy = known_strategy(call)
    started = time.monotonic()
    timeout = call.options.get("--timeout")
    with Child(
        call.arguments,
        separate=call.flag("--separate"),
        pty=call.flag("--pty"),
        directory=directory,
        timeout=timeout if isinstance(timeout, float) else None,
    ) as child:
        views = fit_both(spill, child, call) if call.flag("--separate") else [fit_output(spill, child, call, strategy)]
        if any(view.report.ended for view in views):
            child.stop()  # nobody reads what it says: it would wait for ever
        status = child.wait()
        status = TIMED_OUT if child.timed_out else status
        views = [ended_view(view, status, LEFT_OPEN if child.left_open else "") for view in views]
        try:
            print_views(call, views, status)
        except BrokenPipeError:
            silence_stdout()  # the reader has seen enough, and still the status is the command's
    ending = f"timed out after {timeout:g} s" if child.timed_out else f"exit {status}"
    if child.left_open:
        note(f"spill: {LEFT_OPEN}")
    note(run_summary(views, ending, time.monotonic() - started, spill.workspace.short_id))
    return status


def ended_view(view: Fitted, status: int, notice: str) -> Fitted:
    """A view of a command that has ended so, with what is to be said about its end."""
    notices = (*view.report.notices, *([notice] if notice else []))
    return view._replace(is_error=view.is_error or status != 0, report=view.report._replace(notices=notices))


def environment_of(call: CommandCall) -> dict[str, str]:
    """What `--env` adds to the environment."""
    pairs = [word.partition("=") for word in call.texts("--env") or ()]
    for name, equals, _ in pairs:
        if not name or not equals:
            raise UsageError(f"--env takes NAME=VALUE, not {name[:100]!r}")
    return {name: value for name, _, value in pairs}


def fit_output(spill: Overspill, child: Child, call: CommandCall, strategy: str | None) -> Fitted:
    """The view of everything the command says, in the order it says it."""
    return spill.fit(
        tee(spill, child.chunks(child.outputs[0]), call),
        tool=call.text("--tool") or TOOL,
        budget=command_budget(call),
        strategy=strategy,
        focus=call.text("--focus"),
        source=" ".join(call.arguments),
    )


def fit_both(spill: Overspill, child: Child, call: CommandCall) -> list[Fitted]:
    """The views of its two outputs, which share the budget. Both are read at once: a full pipe would stop the child."""
    from concurrent.futures import ThreadPoolExecutor

    from overspill.fit.flow import safe_call
    from overspill.fit.prepare import ToolCall
    from overspill.fit.turn import fit_together, pending_result

    tool = call.text("--tool") or TOOL
    budget = command_budget(call) or spill.workspace.policy(tool).inline
    here = spill.workspace
    about = safe_call(here, ToolCall(tool, source=" ".join(call.arguments)))
    with ThreadPoolExecutor(len(child.outputs)) as readers:
        outputs = [tee(spill, child.chunks(output), call) for output in child.outputs]
        results = list(readers.map(lambda chunks: pending_result(here, chunks, about, budget), outputs))
    return fit_together(here, results, budget)


def tee(spill: Overspill, chunks: Iterator[bytes], call: CommandCall) -> Iterator[bytes]:
    """A command's chunks, unchanged; they are shown on standard error as they pass, if somebody is watching."""
    watching = sys.stderr.isatty() and not call.flag("--no-tee")
    if not watching and not call.flag("--tee"):
        return chunks
    return _tee_chunks(chunks, _unchanged if watching else redacted_bytes(spill.workspace.redactor))


def _tee_chunks(chunks: Iterator[bytes], passed: Callable[[bytes | None], bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        show_on_stderr(passed(chunk))
        yield chunk
    show_on_stderr(passed(None))


def show_on_stderr(content: bytes) -> None:
    """For whoever watches; that nobody does any more is no concern of the command's."""
    try:
        sys.stderr.buffer.write(content)
        sys.stderr.buffer.flush()
    except (OSError, ValueError):
        silence_stderr()


def _unchanged(chunk: bytes | None) -> bytes:
    """For whoever sits at the terminal: what the command would have shown them anyway."""
    return chunk or b""


def print_views(call: CommandCall, views: list[Fitted], status: int) -> None:
    """The views: one on standard output; of two, each on the stream it came from."""
    view, *rest = views
    if call.flag("--json"):
        result = result_record(view) | {"exit_code": status}
        if rest:
            result["stderr"] = result_record(rest[0])
        print_answer(call, "result", result, "")
        return
    print_answer(call, "result", None, view.text)
    for other in rest:
        ending = "\n" if other.text and not other.text.endswith("\n") else ""
        show_on_stderr((other.text + ending).encode("utf-8", "replace"))
    for each in views:
        if each.notice:
            note(each.notice)


def run_summary(views: list[Fitted], ending: str, seconds: float, name: Callable[[str], str]) -> str:
    """How it ended, in one line."""
    chars = sum(view.report.original.chars for view in views)
    lines = sum(view.report.original.lines for view in views)
    kept = "".join(f", {name(view.artifact_id)}" for view in views if view.artifact_id)
    return f"spill: {ending}, {chars:,} chars in {lines:,} line{'s' * (lines != 1)}, {seconds:.1f} s{kept}"


def _in_our_place(command: tuple[str, ...]) -> int:
    sys.stderr.flush()
    try:
        os.execvp(command[0], list(command))  # noqa: S606  # what was asked for
    except OSError as error:
        raise CannotStart(command[0], error) from None
