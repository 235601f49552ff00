"""What the log of budgets says about them: too tight, too loose, or right.

>>> entry = {"phase": 2, "budget_tokens": 2500, "truncated_tokens": 2400}
>>> entries = [{**entry, "original_tokens": size} for size in (3200, 3600)]
>>> [(stats.verdict, stats.suggested_max_tokens) for stats in context_stats(entries)]
[('too tight', 4000)]
"""

from collections.abc import Iterable, Mapping, Sequence
from math import ceil

from overspill._lite import NamedTuple
from overspill.handoff.checks import WHOLE

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
    """The statistics of every phase in a log, in its order; lines that are none of ours say nothing."""
    phases: dict[int, list[tuple[int, int, bool]]] = {}
    for entry in entries:
        if all(WHOLE.holds(entry.get(name)) for name in NUMBERS):
            phase, original, budget, _ = (int(str(entry[name])) for name in NUMBERS)
            phases.setdefault(phase, []).append((original, budget, original > budget > 0))
    return [_phase_stats(phase, uses) for phase, uses in sorted(phases.items())]


def _phase_stats(phase: int, uses: Sequence[tuple[int, int, bool]]) -> PhaseStats:
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
