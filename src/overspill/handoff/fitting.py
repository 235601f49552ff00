"""What was selected becomes text, in pieces that say whose they are; too many of them are made to fit.

What is least worth is given up: the oldest phases, or some of each. Every part has forms, from all of it to a line
about it, and takes the longest that fits what it was granted.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.core import CHARS_PER_TOKEN, TokenCounter
from overspill.handoff.select import (
    DEGRADED,
    HEADER,
    NOTE,
    Chosen,
    PhaseEntry,
    PhaseField,
    largest_fitting,
    shorten,
    token_cost,
    truncate_to_token_budget,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from overspill.handoff.formats import Plan

MOST_WARNINGS = 10


class ContextPiece(NamedTuple):
    """A piece of the text: a field of a phase, or with phase 0 something of ours."""

    phase: int
    field: str
    text: str
    form: str = "full"


def context_pieces(chosen: Chosen) -> list[ContextPiece]:
    """The whole text, from its first line to its last; nothing if there is nothing to hand over."""
    if not chosen.entries:
        return []
    pieces = [ContextPiece(0, "header", HEADER + "\n")]
    if chosen.goal:
        pieces.append(goal_piece(chosen.goal))
    for entry in chosen.entries:
        pieces += entry_pieces(entry)
    return [*pieces, *missing_warnings(chosen.missing)]


def goal_piece(goal: str) -> ContextPiece:
    """What it is all for."""
    return ContextPiece(0, "goal", f"Goal: {goal}\n\n")


def entry_pieces(entry: PhaseEntry) -> Iterator[ContextPiece]:
    """One phase, with the blank line after it."""
    yield ContextPiece(entry.phase, "head", entry.head)
    for part in entry.parts:
        yield ContextPiece(entry.phase, part.field, part.line)
    yield ContextPiece(entry.phase, "end", "\n")


def missing_warnings(missing: Sequence[tuple[int, int]]) -> Iterator[ContextPiece]:
    """One for each phase that left nothing; a long run of them has one together."""
    if sum(last - first + 1 for first, last in missing) <= MOST_WARNINGS:
        missing = [(phase, phase) for first, last in missing for phase in range(first, last + 1)]
    for first, last in missing[:MOST_WARNINGS]:
        which = f"Phase {first} handoff was" if first == last else f"Phases {first}-{last} handoffs were"
        yield ContextPiece(0, "degradation", f"{DEGRADED}{which} missing \u2014 context may be incomplete\n\n")
    if len(missing) > MOST_WARNINGS:
        rest = f"and others up to phase {missing[-1][1]} were"
        yield ContextPiece(0, "degradation", f"{DEGRADED}{rest} missing \u2014 context may be incomplete\n\n")


def pieces_text(pieces: Sequence[ContextPiece]) -> str:
    """The pieces, joined."""
    return "".join(piece.text for piece in pieces)


SHORT_CHARS = 80  # less than this is a line about a text, no short form of it
LINE_CHARS = 16
OURS = 4  # the goal and the warnings may take a quarter of the room each
TRIES = 8


class Scale(NamedTuple):
    """How room is counted: in characters, four a token, or as a counter says."""

    counter: TokenCounter | None = None

    def of(self, text: str) -> int:
        """What a text takes."""
        return len(text) if self.counter is None else self.counter(text)

    def room(self, tokens: int) -> int:
        """The room of so many tokens."""
        return tokens * CHARS_PER_TOKEN if self.counter is None else tokens

    def trim(self, text: str, room: int, min_keep: float) -> str:
        """As much of a text as the room holds."""
        if self.counter is None:
            return shorten(text, room, min_keep)
        return truncate_to_token_budget(text, room, min_keep=min_keep, counter=self.counter) if room > 0 else ""


class PartForm(NamedTuple):
    """A part in one of its forms."""

    text: str
    form: str  # full, short, line or gone


class ContextNote(NamedTuple):
    """Where the whole text is: in a sentence, and in the fewest words."""

    where: str
    brief: str
    artifact_id: str = ""


def fitted_pieces(chosen: Chosen, max_tokens: int, plan: Plan, scale: Scale, note: ContextNote) -> list[ContextPiece]:
    """The pieces of a context within `max_tokens`, led by the note."""
    room = scale.room(max_tokens)
    pieces: list[ContextPiece] = []
    for _ in range(TRIES):
        pieces = _pieces_within(chosen, room, plan, scale, note)
        excess = token_cost(pieces_text(pieces), scale.counter) - max_tokens
        if excess <= 0 and pieces_text(pieces):
            return pieces
        room = max(0, room - scale.room(excess))  # texts beside each other may cost more than each alone
    whole = pieces_text(pieces) or pieces_text(context_pieces(chosen))
    text = truncate_to_token_budget(whole, max_tokens, min_keep=plan.min_keep, counter=scale.counter)
    return [ContextPiece(0, "note", text, "short")]


def ended_pieces(
    pieces: Sequence[ContextPiece], max_tokens: int, scale: Scale, note: ContextNote | None
) -> list[ContextPiece]:
    """The pieces of a text of which the end is cut off, within `max_tokens`.

    What says where the rest is, and that a phase left nothing, stands at the end and stays as long as there is room.
    """
    body = [piece for piece in pieces if piece.field != "degradation"]
    alarms = [piece for piece in pieces if piece.field == "degradation"]
    for ending in _endings(note, alarms):
        room = max_tokens - token_cost(pieces_text(ending), scale.counter)
        while ending and room * 2 >= max_tokens:
            shown = [
                *_cut_pieces(body, truncate_to_token_budget(pieces_text(body), room, counter=scale.counter)),
                *ending,
            ]
            if token_cost(pieces_text(shown), scale.counter) <= max_tokens:
                return shown
            room -= 1  # texts beside each other may cost more than each alone
    return _cut_pieces(pieces, truncate_to_token_budget(pieces_text(pieces), max_tokens, counter=scale.counter))


def _endings(note: ContextNote | None, alarms: Sequence[ContextPiece]) -> Iterator[list[ContextPiece]]:
    """What may stand below a text that was cut, in ever fewer words."""
    between = "\n\n"
    notes = [] if note is None else [f"{between}{NOTE}; {note.where}]\n\n", f"{between}[{note.brief}]\n\n"]
    for words in notes:
        yield [ContextPiece(0, "note", words), *alarms]
    if alarms:
        yield [ContextPiece(0, "note", between), *alarms]
    for words in notes:
        yield [ContextPiece(0, "note", words)]


def _cut_pieces(pieces: Sequence[ContextPiece], text: str) -> list[ContextPiece]:
    """The pieces of a text of which the end was cut off: the last one that is left ends with the dots."""
    shown: list[ContextPiece] = []
    at = 0
    for piece in pieces:
        end = at + len(piece.text)
        if end > len(text) or text[at:end] != piece.text:
            shown.append(piece._replace(text=text[at:], form="short" if at < len(text) else "gone"))
            at = len(text)
        else:
            shown.append(piece)
            at = end
    return shown


def _pieces_within(chosen: Chosen, room: int, plan: Plan, scale: Scale, note: ContextNote) -> list[ContextPiece]:
    newest = max((entry.phase for entry in chosen.entries), default=0)
    top = _top(note, f"; phases {newest}-{newest} left out", room, scale)
    left = room - scale.of(pieces_text(top))
    goal = _goal(chosen.goal, left, plan, scale)
    left -= scale.of(pieces_text(goal))
    alarms = [piece for piece in missing_warnings(chosen.missing) if scale.of(piece.text) * OURS <= left]
    left -= scale.of(pieces_text(alarms))
    bodies = _bodies(chosen.entries, left, plan, scale)
    top = _top(note, _left_out(bodies), room, scale)
    return [*top, *goal, *(piece for body in bodies for piece in body), *alarms]


def _top(note: ContextNote, gone: str, room: int, scale: Scale) -> list[ContextPiece]:
    """The first lines, in as many words as there is room for."""
    header = ContextPiece(0, "header", HEADER + "\n")
    tops = (
        ([header, ContextPiece(0, "note", f"{NOTE}{gone}; {note.where}]\n\n")], 2),
        ([header, ContextPiece(0, "note", f"[{note.brief}]\n\n")], 2),
        ([ContextPiece(0, "note", f"[{note.brief}]\n")], 1),
    )
    return next((top for top, part in tops if scale.of(pieces_text(top)) * part <= room), [])


def _left_out(bodies: Sequence[Sequence[ContextPiece]]) -> str:
    gone = [body[0].phase for body in bodies if not pieces_text(body)]
    if not gone:
        return ""
    if len(gone) == 1:
        return f"; phase {gone[0]} left out"
    run = len(gone) == gone[-1] - gone[0] + 1
    return f"; phases {gone[0]}-{gone[-1]} left out" if run else f"; {len(gone)} phases left out"


def _goal(goal: str, room: int, plan: Plan, scale: Scale) -> list[ContextPiece]:
    frame = scale.of(goal_piece("").text)
    short = scale.trim(goal, room // OURS - frame, plan.min_keep)
    if not goal or not short.strip("."):
        return []
    return [goal_piece(short)._replace(form="full" if short == goal else "short")]


def _bodies(entries: Sequence[PhaseEntry], room: int, plan: Plan, scale: Scale) -> list[list[ContextPiece]]:
    """The phases, oldest first; room is given to the newest first, and what it spares goes on to the next."""
    bodies: list[list[ContextPiece]] = []
    left, spare = room, 0
    for entry, grant in zip(reversed(entries), _grants(entries[::-1], room, plan, scale), strict=True):
        allowed = min(left, grant + spare)
        bodies.append(_body(entry, allowed, plan, scale))
        used = scale.of(pieces_text(bodies[-1]))
        left, spare = left - used, allowed - used
    return bodies[::-1]


def _grants(newest_first: Sequence[PhaseEntry], room: int, plan: Plan, scale: Scale) -> list[int]:
    """How much room each phase may take."""
    if plan.drop != "proportional":
        return [room] * len(newest_first)
    floors = [scale.of(entry.head + "\n") for entry in newest_first]
    wants = [
        scale.of(pieces_text(list(entry_pieces(entry)))) - floor
        for entry, floor in zip(newest_first, floors, strict=True)
    ]
    staying = 0
    for floor in floors:
        if room < floor:
            break
        room -= floor
        staying += 1
    wanted = max(1, sum(wants[:staying]))
    grants = [floors[place] + min(wants[place], room * wants[place] // wanted) for place in range(staying)]
    return grants + [0] * (len(newest_first) - staying)


def _body(entry: PhaseEntry, room: int, plan: Plan, scale: Scale) -> list[ContextPiece]:
    """One phase in the room it was given; without room for its first line, nothing of it."""
    frame = scale.of(entry.head + "\n")
    if frame > room:
        return [
            ContextPiece(entry.phase, field, "", "gone") for field in ("head", *(part.field for part in entry.parts))
        ]
    shown = _together(entry.parts, room - frame, plan, scale)
    head, end = ContextPiece(entry.phase, "head", entry.head), ContextPiece(entry.phase, "end", "\n")
    return [
        head,
        *(ContextPiece(entry.phase, part.field, *one) for part, one in zip(entry.parts, shown, strict=True)),
        end,
    ]


def _together(parts: Sequence[PhaseField], room: int, plan: Plan, scale: Scale) -> list[PartForm]:
    """Each part in a form that fits, and of parts that belong together all, or nothing of them."""
    out: set[str] = set()
    while True:
        shown = _granted_forms(parts, out, room, plan, scale)
        gone = {part.field for part, one in zip(parts, shown, strict=True) if one.form == "gone"}
        here = {part.field for part in parts} - gone
        torn = [group for group in plan.keep_together if gone & set(group) and here & set(group)]
        if not torn:
            return shown
        out |= {field for group in torn for field in group}


def _granted_forms(parts: Sequence[PhaseField], out: set[str], room: int, plan: Plan, scale: Scale) -> list[PartForm]:
    wants = [0 if part.field in out else scale.of(part.line) for part in parts]
    shares = [plan.share_of(part.field) for part in parts]
    reserves = [scale.room(share.reserve) for share in shares]
    grants = weighted_grants(wants, reserves, [share.share for share in shares], room)
    forms = [_longest_form(part, grant, plan, scale) for part, grant in zip(parts, grants, strict=True)]
    left = room - sum(scale.of(one.text) for one in forms)
    for place, part in enumerate(parts):
        if forms[place].form != "full" and part.field not in out:
            before = scale.of(forms[place].text)
            forms[place] = _longest_form(part, before + left, plan, scale)
            left -= scale.of(forms[place].text) - before
    return forms


def weighted_grants(wants: Sequence[int], reserves: Sequence[int], weights: Sequence[int], room: int) -> list[int]:
    """`room` shared out: reserves first, then by weight, and nobody gets more than wanted.

    >>> weighted_grants([100, 900, 900], [0, 0, 500], [1, 1, 1], 1000)
    [100, 200, 700]
    >>> weighted_grants([900, 900], [0, 0], [1, 3], 1000)
    [250, 750]
    """
    grants: list[int] = []
    for want, reserve in zip(wants, reserves, strict=True):
        grants.append(min(want, reserve, room))
        room -= grants[-1]
    waiting = sorted(range(len(wants)), key=lambda place: ((wants[place] - grants[place]) / weights[place], place))
    weight = sum(weights)
    for place in waiting:
        more = min(wants[place] - grants[place], room * weights[place] // weight)
        grants[place] += more
        room, weight = room - more, weight - weights[place]
    return grants


def _longest_form(part: PhaseField, room: int, plan: Plan, scale: Scale) -> PartForm:
    """The longest form of a part that fits."""
    forms = plan.share_of(part.field).forms
    if "full" in forms and scale.of(part.line) <= room:
        return PartForm(part.line, "full")
    inner = room - scale.of(f"{part.label}: \n")
    for form, draw in (("short", _short_form), ("line", _line_form)):
        text = draw(part, inner, plan, scale) if form in forms and inner > 0 else ""
        line = f"{part.label}: {text}\n"
        if text and scale.of(line) <= room:
            return PartForm(line, form)
    return PartForm("", "gone")


def _short_form(part: PhaseField, room: int, plan: Plan, scale: Scale) -> str:
    """The first items and how many more there are, or the beginning of a text."""
    if len(part.items) == 1:
        text = scale.trim(part.text, room, plan.min_keep)
        return text if len(text) >= min(SHORT_CHARS, len(part.text)) else ""
    total = len(part.items)
    kept = largest_fitting(lambda count: scale.of(_some(part, count)) <= room, total - 1)
    return _some(part, kept) if kept else ""


def _some(part: PhaseField, count: int) -> str:
    return ", ".join((*part.items[:count], f"+{len(part.items) - count} more"))


def _line_form(part: PhaseField, room: int, plan: Plan, scale: Scale) -> str:
    """How many items there are, or the first words of a text."""
    if len(part.items) > 1:
        return f"{len(part.items)}, left out"
    first = scale.trim(shorten(part.text.lstrip().partition("\n")[0], SHORT_CHARS, plan.min_keep), room, 0.0)
    return first if len(first) >= min(LINE_CHARS, len(part.text)) and first.strip(".") else ""
