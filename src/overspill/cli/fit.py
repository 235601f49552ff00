"""`spill fit`: a text within its budget."""

from __future__ import annotations

import os
import sys

from overspill._lite import TYPE_CHECKING
from overspill.cli.opening import open_overspill
from overspill.cli.output import input_chunks, note, print_answer
from overspill.core.budget import Budget

if TYPE_CHECKING:
    from collections.abc import Iterator

    from overspill.cli.arguments import CommandCall
    from overspill.core.report import Fitted


def run(call: CommandCall) -> int:
    """Fit a file or standard input and write the view, and nothing after it."""
    chunks = input_chunks(call.arguments)
    if os.environ.get("OVERSPILL") == "off":
        note("spill: switched off by OVERSPILL=off; everything passes through unchanged")
        sys.stdout.buffer.writelines(chunks)
        return 0
    fitted = open_overspill(call).fit(
        chunks,
        tool=call.text("--tool") or "",
        budget=command_budget(call),
        strategy=call.text("--strategy"),
        focus=call.text("--focus"),
        source=call.arguments[0] if call.arguments and call.arguments[0] != "-" else None,
        kind=call.text("--kind"),
    )
    print_answer(call, "result", result_record(fitted) if call.flag("--json") else None, fitted.text)
    if fitted.notice and not call.flag("--json"):
        note(fitted.notice)
    if call.flag("--explain"):
        for line in explanation_lines(fitted):
            note(line)
    return 0


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
