"""A hand-off: what earlier phases left becomes one text within a number of tokens.

select -> assemble -> truncate. What a phase is handed is said by its manifest. By default the end of a
text that is too long is cut off, as specified; a manifest may have a plan that gives up the oldest
phases first, or some of each. `project` does it with the files and settings of a root; `api` and all that comes
after it may import this package.

>>> from overspill.handoff import Handoff, assemble, resolve_manifest
>>> assemble([Handoff(phase=1, goal="add auth")], resolve_manifest(2)).budget.was_truncated
False
"""

from __future__ import annotations

from overspill.handoff.assemble import BudgetRow, Context, PhaseStats, assemble, context_stats
from overspill.handoff.fitting import ContextNote
from overspill.handoff.manifest import (
    Manifest,
    default_manifests,
    known_fields,
    manifest_of,
    register_field,
    resolve_manifest,
)
from overspill.handoff.plan import Plan, Share
from overspill.handoff.record import Handoff, handoff_of
from overspill.handoff.trim import BudgetResult, apply_context_budget, truncate_to_token_budget
from overspill.tokens import estimate_tokens

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
