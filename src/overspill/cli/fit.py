"""`spill fit`: a text within its budget."""

from __future__ import annotations

import os
import sys

from overspill import cut
from overspill._lite import TYPE_CHECKING
from overspill.cli.opening import open_overspill, path_from_root
from overspill.cli.output import StopSignals, input_chunks, note, print_answer
from overspill.core.budget import Budget
from overspill.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from overspill.cli.arguments import CommandCall
    from overspill.core.report import Fitted
    from overspill.workspace import Workspace


def run(call: CommandCall) -> int:
    """Fit a file or standard input and write the view, and nothing after it."""
    stop = StopSignals()
    chunks = input_chunks(call.arguments, stop, watched=True)
    if os.environ.get("OVERSPILL") == "off":
        note("spill: switched off by OVERSPILL=off; everything passes through unchanged")
        sys.stdout.buffer.writelines(chunks)
        return 0
    with stop:
        spill = open_overspill(call)
        if call.text("--strategy") == "none" and command_budget(call) is not None:
            note("spill: --strategy none shows all below artifact_threshold, whatever --limit and --tokens say")
        fitted = spill.fit(
            chunks,
            tool=call.text("--tool") or "",
            budget=command_budget(call),
            strategy=known_strategy(call),
            focus=call.text("--focus"),
            source=path_from_root(spill.workspace, name)
            if (name := "".join(call.arguments)) not in {"", "-"}
            else None,
            kind=known_kind(call),
        )
        print_fitted(call, fitted)
        if call.flag("--explain") and (words := limit_words(spill.workspace, call.text("--tool") or "")):
            note(words)
    return stop.status or (InputError.exit_code if is_unread(fitted) else 0)


def print_fitted(call: CommandCall, fitted: Fitted) -> None:
    """The view on standard output; what else there is to say beside it."""
    print_answer(call, "result", result_record(fitted) if call.flag("--json") else None, fitted.text)
    if fitted.notice and not call.flag("--json"):
        note(fitted.notice)
    if call.flag("--explain"):
        for line in explanation_lines(fitted):
            note(line)


def limit_words(workspace: Workspace, tool: str) -> str:
    """What the limit of a tool follows, where that is a window."""
    from overspill.workspace.policy import window_words

    return window_words(workspace.settings, workspace.window, workspace.policy(tool).inline.chars)


def is_unread(fitted: Fitted) -> bool:
    """Whether a part of the input could not be read; more than may be read is a refusal, and no failure."""
    return bool(fitted.report.ended) and "max_input_size" not in fitted.report.ended


def known_strategy(call: CommandCall) -> str | None:
    """The strategy that the command line names, if there is one of that name."""
    from overspill.settings.table import STRATEGIES

    name = call.text("--strategy")
    if name is not None and name not in STRATEGIES and name not in cut.names():
        raise UsageError(f"--strategy takes one of {', '.join(sorted(cut.names()))}, not {name[:100]!r}")
    return name


def known_kind(call: CommandCall) -> str | None:
    """The kind of content that the command line names, if there is one of that name."""
    name = call.text("--kind")
    if name is not None:
        from overspill.kinds import kind_names

        if name not in kind_names():
            raise UsageError(f"--kind takes one of {', '.join(kind_names())}, not {name[:100]!r}")
    return name


def command_budget(call: CommandCall) -> Budget | None:
    """The budget of this command line, if it names one."""
    chars, tokens = call.number("--limit"), call.number("--tokens")
    return Budget(chars, tokens) if chars or tokens else None


def result_record(fitted: Fitted) -> dict[str, object]:
    """A view and all that is known of it, for programs."""
    return {
        "content": fitted.text,
        "is_error": fitted.is_error,
        "artifact_id": fitted.artifact_id,
        "artifact_reference": fitted.report.reference or None,
        "metadata": dict(fitted.metadata),
    }


def explanation_lines(fitted: Fitted) -> Iterator[str]:
    """What was kept and why, a line each."""
    report = fitted.report
    yield f"{report.decision}: {report.total.chars} chars, {report.total.lines} lines, ~{report.total.tokens} tokens"
    yield f"strategy: {report.strategy_used} (asked: {report.requested_strategy})"
    if report.fallback:
        yield f"instead of what was asked: {report.fallback}"
    for span in report.kept:
        yield f"kept: characters {span.start}-{span.end}"
    for start, end, why in report.whys:
        yield f"because: characters {start}-{end}: {why}"
    yield f"shown {report.shown.chars} + omitted {report.omitted_chars} = {report.total.chars}; ours {report.overhead}"
