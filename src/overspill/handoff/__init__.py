"""A hand-off: what earlier phases left becomes one text within a number of tokens.

select -> assemble -> truncate. What a phase is handed is said by its manifest. By default the end of a
text that is too long is cut off, as specified; a manifest may have a plan that gives up the oldest
phases first, or some of each. `project` does it with the files and settings of a root; `api` and all that comes
after it may import this package.

>>> earlier = Handoff(phase=1, phase_name="discovery", status="completed", goal="add auth", narrative="Discovery done.")
>>> made = assemble([earlier], resolve_manifest(2))
>>> print(made.text, end="")
--- RPI Context (structured handoffs from prior phases) ---
Goal: add auth
<BLANKLINE>
[Phase 1: discovery — completed]
Narrative: Discovery done.
<BLANKLINE>
>>> made.budget.was_truncated
False

The log of budgets tells whether they were too tight, too loose, or right:

>>> entry = {"phase": 2, "budget_tokens": 2500, "truncated_tokens": 2400}
>>> entries = [{**entry, "original_tokens": size} for size in (3200, 3600)]
>>> [(stats.verdict, stats.suggested_max_tokens) for stats in context_stats(entries)]
[('too tight', 4000)]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.core import estimate_tokens
from overspill.handoff.fitting import (
    ContextNote,
    ContextPiece,
    Scale,
    context_pieces,
    ended_pieces,
    fitted_pieces,
    pieces_text,
)
from overspill.handoff.formats import (
    WHOLE,
    Handoff,
    Manifest,
    Plan,
    Share,
    as_handoff,
    check_known,
    default_manifests,
    handoff_of,
    known_fields,
    manifest_of,
    register_field,
    resolve_manifest,
)
from overspill.handoff.select import (
    BudgetResult,
    Hide,
    apply_context_budget,
    budget_result,
    capped_fields,
    select,
    token_cost,
    truncate_to_token_budget,
)

if TYPE_CHECKING:
    from overspill.core import TokenCounter


__all__ = [
    "BudgetResult",
    "BudgetRow",
    "Context",
    "ContextNote",
    "Handoff",
    "Manifest",
    "PhaseStats",
    "Plan",
    "Share",
    "apply_context_budget",
    "assemble",
    "context_stats",
    "default_manifests",
    "estimate_tokens",
    "handoff_of",
    "known_fields",
    "manifest_of",
    "register_field",
    "resolve_manifest",
    "truncate_to_token_budget",
]


Keep = Callable[[str], ContextNote]

NOWHERE = ContextNote("the rest was not kept", "context cut; the rest was not kept")


class BudgetRow(NamedTuple):
    """What one part of a context wanted and got, in tokens."""

    phase: int  # 0: of no phase
    field: str
    wanted: int
    got: int
    form: str  # full, short, line or gone


class Context(NamedTuple):
    """The context of one phase, and what a budget did to it."""

    text: str
    phase: int
    budget: BudgetResult
    run_id: str = ""
    rows: Sequence[BudgetRow] = ()
    missing: Sequence[tuple[int, int]] = ()  # runs of earlier phases that left nothing
    problems: Sequence[str] = ()  # files that could not be used, each with the reason
    ignored: Sequence[tuple[str, str]] = ()  # files of other runs, and which
    trouble: str = ""  # why the log could not be written
    unshown: Sequence[tuple[int, str]] = ()  # phases, and fields of others that they carry and no text here shows
    where: str = ""  # of a context that was cut, where the whole one is
    artifact_id: str = ""

    @property
    def is_error(self) -> bool:
        """Whether something that an earlier phase left could not be used."""
        return bool(self.problems)

    def __str__(self) -> str:
        return self.text


def assemble(
    handoffs: Sequence[Handoff | Mapping[str, object]],
    manifest: Manifest | Mapping[str, object] | None = None,
    *,
    hide: Hide | None = None,
    keep: Keep | None = None,
    counter: TokenCounter | None = None,
) -> Context:
    """The context that the manifest asks for. No hand-offs make an empty one.

    `hide` takes secrets out of every text. Where the manifest has a plan that drops something, `keep`
    is given the whole text first, and says where it is.
    """
    wanted = _manifest_from(manifest)
    given = [as_handoff(handoff) for handoff in handoffs]
    whole = select(given, wanted, hide)
    chosen = capped_fields(whole, wanted, counter)
    pieces = context_pieces(chosen)
    text = pieces_text(pieces)
    plan = wanted.plan or Plan()
    note: ContextNote | None = None
    if wanted.max_tokens <= 0 or token_cost(text, counter) <= wanted.max_tokens:
        shown = pieces
    else:
        note = None if keep is None else keep(pieces_text(context_pieces(whole)))
        if plan.drop == "tail":
            shown = ended_pieces(pieces, wanted.max_tokens, Scale(counter), note)
        else:
            shown = fitted_pieces(chosen, wanted.max_tokens, plan, Scale(counter), note or NOWHERE)
    result = budget_result(text, pieces_text(shown), wanted.max_tokens, counter)
    rows = _rows(context_pieces(whole), shown, counter)
    return Context(
        pieces_text(shown),
        wanted.phase,
        result,
        _run_of(given),
        rows,
        chosen.missing,
        unshown=unshown_fields(given, wanted),
        where=note.where if note else "",
        artifact_id=note.artifact_id if note else "",
    )


def unshown_fields(handoffs: Sequence[Handoff], manifest: Manifest) -> list[tuple[int, str]]:
    """The fields beyond the specification that hand-offs carry and the manifest does not ask for, or cannot."""
    known = known_fields()
    return [
        (handoff.phase, name)
        for handoff in sorted(handoffs, key=lambda handoff: handoff.phase)
        for name, value in handoff.extra.items()
        if value not in (None, "", [], {}) and not (name in known and manifest.selects(name))
    ]


def _run_of(handoffs: Sequence[Handoff]) -> str:
    """The run of the latest hand-off that names one."""
    named = sorted((handoff for handoff in handoffs if handoff.run_id), key=lambda handoff: handoff.phase)
    return named[-1].run_id if named else ""


def _manifest_from(said: Manifest | Mapping[str, object] | None) -> Manifest:
    if said is not None and not isinstance(said, Manifest):
        return manifest_of(said, "manifest")
    manifest = said or Manifest()
    check_known(manifest.handoff_fields or (), known_fields(), "manifest: handoff_fields", "field")
    return manifest


def _rows(
    whole: Sequence[ContextPiece], shown: Sequence[ContextPiece], counter: TokenCounter | None
) -> list[BudgetRow]:
    """What became of every part, and after them what was added."""
    there: dict[tuple[int, str], list[ContextPiece]] = {}
    for piece in shown:
        there.setdefault((piece.phase, piece.field), []).append(piece)
    rows = []
    for piece in whole:
        of_its_kind = there.get((piece.phase, piece.field))
        got = of_its_kind.pop(0) if of_its_kind else piece._replace(text="", form="gone")
        form = "short" if got.form == "full" and got.text != piece.text else got.form
        rows.append(
            BudgetRow(piece.phase, piece.field, token_cost(piece.text, counter), token_cost(got.text, counter), form)
        )
    rows += [
        BudgetRow(0, one.field, 0, token_cost(one.text, counter), one.form) for left in there.values() for one in left
    ]
    return [row for row in rows if row.field != "end"]


NUMBERS = ("phase", "original_tokens", "budget_tokens", "truncated_tokens")
OFTEN = 0.1  # cut more often than this, a budget is too tight
HALF = 0.5  # under-use: less than this much of the budget was wanted
MOSTLY = 0.9  # under-used more often than this, a budget is too loose
ENOUGH = 0.95  # a suggestion holds this part of what was wanted
SPARE = 1.1
STEP = 100


class PhaseStats(NamedTuple):
    """How the budget of one phase was used."""

    phase: int
    applications: int
    truncated: int
    truncation_rate: float
    under_used: int
    under_use_rate: float
    median_tokens: int  # wanted, before the cut
    p95_tokens: int
    largest_tokens: int
    budget_tokens: int  # the last one
    suggested_max_tokens: int
    verdict: str  # too tight, too loose or fits


def context_stats(entries: Iterable[Mapping[str, object]]) -> list[PhaseStats]:
    """The statistics of every phase in a log, in its order; lines that are not entries say nothing.

    They are of the budget in force, the last one: what another one cut says nothing of it.
    """
    phases: dict[int, list[tuple[int, int, bool]]] = {}
    for entry in entries:
        if all(WHOLE.holds(entry.get(name)) for name in NUMBERS):
            phase, original, budget, _ = (int(str(entry[name])) for name in NUMBERS)
            phases.setdefault(phase, []).append((original, budget, original > budget > 0))
    return [_phase_stats(phase, uses) for phase, uses in sorted(phases.items())]


def _phase_stats(phase: int, every: Sequence[tuple[int, int, bool]]) -> PhaseStats:
    uses = [use for use in every if use[1] == every[-1][1]]
    wanted = sorted(original for original, _, _ in uses)
    cut = sum(truncated for _, _, truncated in uses)
    under = sum(original < budget * HALF for original, budget, _ in uses)
    tight, loose = cut / len(uses), under / len(uses)
    enough = value_at(wanted, ENOUGH)
    verdict = "too tight" if tight > OFTEN else "too loose" if loose > MOSTLY else "fits"
    budget = uses[-1][1]
    suggested = budget if verdict == "fits" else max(STEP, -(-int(enough * SPARE) // STEP) * STEP)
    return PhaseStats(
        phase,
        len(uses),
        cut,
        round(tight, 4),
        under,
        round(loose, 4),
        value_at(wanted, HALF),
        enough,
        wanted[-1],
        budget,
        suggested,
        verdict,
    )


def value_at(ordered: Sequence[int], part: float) -> int:
    """The value below which this part of them lies.

    >>> value_at([1, 2, 3, 4], 0.5), value_at([1, 2, 3, 4], 0.95), value_at([7], 0.5)
    (2, 4, 7)
    """
    return ordered[max(0, ceil(len(ordered) * part) - 1)]
