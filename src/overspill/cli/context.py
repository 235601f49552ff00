"""`spill context`: what earlier phases left, as one text within the tokens of the next; and how budgets were used."""

from __future__ import annotations

import os

from overspill._lite import TYPE_CHECKING
from overspill.cli.handoff import RUN_ID, answer_with_problems
from overspill.cli.opening import open_overspill, root_of
from overspill.cli.output import note, print_answer
from overspill.cli.output.tables import count_of, plain_table, visible
from overspill.errors import UsageError
from overspill.handoff import Context, PhaseStats, context_stats
from overspill.handoff.plan import DROPS

if TYPE_CHECKING:
    from overspill.cli.arguments import CommandCall

STATS_HEAD = ("Phase", "Times", "Cut", "Under half", "Median", "95 %", "Largest", "Budget", "Suggested", "Verdict")


def run(call: CommandCall) -> int:
    """The context of a phase on standard output; what could not be used, and who got what, on standard error."""
    phase, drop = call.number("--phase"), call.text("--drop")
    if phase is None:
        raise UsageError("--phase is missing: the phase that is about to begin, as in `spill context --phase 2`")
    if drop is not None and drop not in DROPS:
        raise UsageError(f"--drop takes one of {', '.join(DROPS)}, not {drop[:100]!r}")
    made = open_overspill(call, forgiving=False).assemble(
        phase=phase,
        run_id=call.text("--run-id") or os.environ.get(RUN_ID) or None,
        manifest=call.text("--manifest"),
        max_tokens=call.number("--max-tokens"),
        drop=drop,
        all_runs=call.flag("--all-runs"),
    )
    value: dict[str, object] = {"text": made.text, "phase": made.phase, "budget": made.budget._asdict()}
    if call.flag("--explain"):
        value["explain"] = [row._asdict() for row in made.rows]
    status = answer_with_problems(call, "context", value, made.text, made.problems)
    for name, run_id in made.ignored:
        note(f"spill: {name} is of run {visible(run_id)!r} and was left out; --all-runs takes it in")
    if made.trouble:
        note(f"spill: {made.trouble}")
    if call.flag("--explain"):
        note(budget_table(made))
    return status


def budget_table(made: Context) -> str:
    """Who wanted how many tokens, who got how many, and in which form."""
    rows = [
        (f"phase {row.phase}" if row.phase else "all", row.field, f"{row.wanted:,}", f"{row.got:,}", row.form)
        for row in made.rows
    ]
    budget = made.budget
    most = f"{budget.budget_tokens:,}" if budget.budget_tokens > 0 else "no limit"
    total = f"{budget.original_tokens:,} tokens -> {budget.truncated_tokens:,} (budget: {most})"
    return plain_table(("Of", "Field", "Wanted", "Got", "Form"), rows) + total


def stats(call: CommandCall) -> int:
    """How often the budget of each phase cut something, how often it was hardly used, and what would fit."""
    from overspill.handoff.log import budget_entries

    broken = 0
    entries = []
    for entry in budget_entries(root_of(call)):
        broken += not entry
        entries.append(entry)
    found = context_stats(entries)
    if broken:
        note(f"spill: {count_of(broken, 'line')} of the log could not be read")
    value = {"context": [phase._asdict() for phase in found]}
    text = (
        plain_table(STATS_HEAD, [_phase_row(phase) for phase in found])
        if found
        else "No budget has been applied here yet.\n"
    )
    return print_answer(call, "stats", value, text)


def _phase_row(phase: PhaseStats) -> tuple[str, ...]:
    counts = (phase.median_tokens, phase.p95_tokens, phase.largest_tokens, phase.budget_tokens)
    return (
        str(phase.phase),
        f"{phase.applications:,}",
        f"{phase.truncation_rate:.0%}",
        f"{phase.under_use_rate:.0%}",
        *(f"{count:,}" for count in counts),
        f"{phase.suggested_max_tokens:,}",
        phase.verdict,
    )
