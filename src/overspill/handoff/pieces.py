"""Assembly: what was selected becomes text, in pieces that say whose they are."""

from collections.abc import Iterator, Sequence

from overspill._lite import NamedTuple
from overspill.handoff.select import DEGRADED, HEADER, Chosen, Entry

MOST_WARNINGS = 10


class Piece(NamedTuple):
    """A piece of the text: a field of a phase, or with phase 0 something of ours."""

    phase: int
    field: str
    text: str
    form: str = "full"


def pieces_of(chosen: Chosen) -> list[Piece]:
    """The whole text, from its first line to its last; nothing if there is nothing to hand over."""
    if not chosen.entries:
        return []
    pieces = [Piece(0, "header", HEADER + "\n")]
    if chosen.goal:
        pieces.append(goal_piece(chosen.goal))
    for entry in chosen.entries:
        pieces += entry_pieces(entry)
    return [*pieces, *warnings(chosen.missing)]


def goal_piece(goal: str) -> Piece:
    """What it is all for."""
    return Piece(0, "goal", f"Goal: {goal}\n\n")


def entry_pieces(entry: Entry) -> Iterator[Piece]:
    """One phase, with the blank line after it."""
    yield Piece(entry.phase, "head", entry.head)
    for part in entry.parts:
        yield Piece(entry.phase, part.field, part.line)
    yield Piece(entry.phase, "end", "\n")


def warnings(missing: Sequence[tuple[int, int]]) -> Iterator[Piece]:
    """One for each phase that left nothing; a long run of them has one together."""
    if sum(last - first + 1 for first, last in missing) <= MOST_WARNINGS:
        missing = [(phase, phase) for first, last in missing for phase in range(first, last + 1)]
    for first, last in missing[:MOST_WARNINGS]:
        which = f"Phase {first} handoff was" if first == last else f"Phases {first}-{last} handoffs were"
        yield Piece(0, "degradation", f"{DEGRADED}{which} missing \u2014 context may be incomplete\n\n")
    if len(missing) > MOST_WARNINGS:
        rest = f"and others up to phase {missing[-1][1]} were"
        yield Piece(0, "degradation", f"{DEGRADED}{rest} missing \u2014 context may be incomplete\n\n")


def text_of(pieces: Sequence[Piece]) -> str:
    """The pieces, joined."""
    return "".join(piece.text for piece in pieces)
