"""What is remembered of the marks that a session was shown, so that one in a file can be told from honest text.

Gaps are kept beside the artifact that they belong to (`core.report.shown_record`). Types of secrets that were hidden
are kept with the session: a placeholder stands in views, in what is fetched and in texts that are short enough to pass.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, suppress
from overspill.core.mark_grammar import marks_in
from overspill.errors import OverspillError

if TYPE_CHECKING:
    from collections.abc import Collection

    from overspill.fit.prepare import Prepared
    from overspill.store import Store

HIDDEN = "hidden: "  # how the key of a type begins, among the digests of views
MOST_GAPS = 200


def drawn_gaps(view: str) -> list[str]:
    """The marks of a view that stand where something was left out, and name no artifact themselves."""
    found = dict.fromkeys(mark.text for mark in marks_in(view) if not (mark.artifact or mark.hides))
    return list(found)[:MOST_GAPS]


def hidden_types(text: str) -> set[str]:
    """The types that placeholders in a text name."""
    return {mark.hides for mark in marks_in(text) if mark.hides}


def note_hidden(store: Store, types: Collection[str]) -> None:
    """Remember that secrets of these types were hidden from this session."""
    with suppress(OverspillError, OSError):
        for kind in types:
            store.remember(HIDDEN + kind, 1)


def was_hidden(store: Store, kind: str) -> bool:
    """Whether a secret of this type was hidden from this session."""
    with suppress(OverspillError, OSError):
        return store.remembered(HIDDEN + kind) is not None
    return False


def types_hidden_in(prepared: Prepared) -> set[str]:
    """The types that were hidden in a text, and not those that its source spoke of.

    Where there are as many placeholders as secrets were hidden, all of them are ours.
    """
    from overspill.redact.rules import RULES  # a clean text needs no table

    marks = [mark.hides for mark in marks_in(prepared.text) if mark.hides]
    all_ours = len(marks) == sum(prepared.redacted.values())
    return {rule.type for rule in RULES if rule.name in prepared.redacted} | set(marks if all_ours else ())
