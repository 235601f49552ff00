"""`spill context`: what earlier phases left, as one text within the tokens of the next; and how budgets were used."""

from __future__ import annotations

import os

from overspill._lite import TYPE_CHECKING
from overspill.cli.handoff import RUN_ID, answer_with_warnings, problem_warnings
from overspill.cli.opening import open_overspill, open_workspace
from overspill.cli.output import note, print_answer
from overspill.cli.output.tables import count_of, plain_table
from overspill.errors import UsageError
from overspill.handoff import Context, PhaseStats, context_stats, known_fields
from overspill.handoff.fitting import missing_warnings
from overspill.handoff.plan import DROPS

if TYPE_CHECKING:
    from overspill.cli.arguments import CommandCall
    from overspill.cli.output.lists import WarningRecord

MOST_OTHERS = 5
MOST_FIELDS = 10
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
    if made.artifact_id:
        value["artifact_id"] = made.artifact_id
    status = answer_with_warnings(call, "context", value, made.text, context_warnings(made))
    if call.flag("--explain"):
        note(budget_table(made))
    return status


def context_warnings(made: Context) -> list[WarningRecord]:
    """All that there is to say of a context."""
    other = [f"{name} is of run {run_id!r} and was left out; --all-runs takes it in" for name, run_id in made.ignored]
    if len(other) > MOST_OTHERS:
        other[MOST_OTHERS:] = [f"{len(other) - MOST_OTHERS:,} more are of other runs; --all-runs takes them in"]
    budget = made.budget
    cut = f"the context was cut from {budget.original_tokens:,} to {budget.truncated_tokens:,} tokens; {made.where}"
    said = {
        "W_OTHER_RUN": other,
        "W_DEGRADED": [piece.text.strip() for piece in missing_warnings(made.missing)] if made.text else [],
        "W_UNSHOWN": [unshown_words(made)] if made.unshown else [],
        "W_CONTEXT_CUT": [cut] if budget.was_truncated else [],
        "W_NOT_LOGGED": [made.trouble] if made.trouble else [],
    }
    found = [{"code": code, "message": message} for code, messages in said.items() for message in messages]
    return [*problem_warnings(made.problems), *found]


def unshown_words(made: Context) -> str:
    """Which fields of others were not handed over, and how they are."""
    known = known_fields()
    fields = dict.fromkeys(name for _, name in made.unshown)
    listed = ", ".join(f"{name} (phase {_phases_with(name, made)})" for name in list(fields)[:MOST_FIELDS])
    more = f", +{len(fields) - MOST_FIELDS} more" if len(fields) > MOST_FIELDS else ""
    strange = [name for name in fields if name not in known]
    first = f"; context.fields makes {', '.join(strange[:MOST_FIELDS])} known" if strange else ""
    return f"not shown: {listed}{more}{first}; handoff_fields of the manifest asks for a field"


def _phases_with(name: str, made: Context) -> str:
    return ", ".join(str(phase) for phase, field in made.unshown if field == name)


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
    from overspill.handoff.places import handoffs_of

    broken = 0
    entries = []
    for entry in handoffs_of(open_workspace(call)).budget_entries():
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
