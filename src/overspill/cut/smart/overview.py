"""What is said of the whole text before any of it is shown, and what need not be shown then.

Digests write their statements within a share of the room. Units that only say what they say are left out, or come late
where they speak of trouble; the first and the last lines are shown as far as they are not told. The last line is
always shown. The lines of the text are a pool to choose from for what is new in them. Notes name what is not shown, on
lines that stay short however many names there are.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from overspill._lite import TYPE_CHECKING, Protocol, cached_property
from overspill.core.spans import Form, Room, Span, ceil
from overspill.cut.digest import OVERVIEW_SHARE, counts_of
from overspill.cut.digest.templates import TemplateDigest
from overspill.cut.ends import NOTE_WIDTH, names_note
from overspill.cut.smart.novelty import position_factors
from overspill.cut.smart.units import (
    CONTEXT,
    DETAIL,
    EDGE,
    FOCUS,
    HUNK,
    NAME,
    NOVEL,
    ODD,
    OF_EACH_FAILURE,
    RANKED,
    RARE,
    TOLD,
    WARNING,
    Findings,
    Unit,
    last_lines,
    leading_lines,
    spelled_names,
)
from overspill.cut.smart.worth import Vocabulary, bare_lines, some_of_each

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from overspill.cut.digest import Digest, TextLines
    from overspill.cut.smart.units import Name, Note

LEAST_FILES = 0.15  # of the room, which names of files have in any case
FILES_SHARE = 0.7  # of a diff: all files are named before hunks are shown
NOISY_SHARE = 0.1  # of a report of failures: how often what did not fail was said
RANKED_SHARE = 0.35  # of the room: rows at the top of a ranking, whatever the statements have to say
ODD_SHARE = 0.3  # and rows that are not like the others, however much there is to say of all of them
LEAST_OVERVIEW = 100  # characters
MOST_TOLD = 40  # lines of a unit that are looked at
LEAST_TEXT = 300  # characters of the text beside an overview, where there is room for both
SAID_ONCE = DETAIL + 40  # trouble that was not said before comes with what stands around it
ALIKE_SHOWN = 2  # lines of trouble that one statement tells: what else they name, it names in less room
CROWDED = 0.4
NAMED = (
    "failed test",
    "failed test, said again",
    "marked as failed",
    "numbered failure",
)  # why a line is shown that names one
TOP_SHARE, BOTTOM_SHARE = 0.05, 0.10
ROWS, TOLD_EACH = 0.4, 0.3  # of the lines
OFTEN = 0.15  # what a line is worth that all others are like, beside one that none is like


class ShownParts(Protocol):
    """What was chosen of a text so far, and the room that is left: `choice.Selection`."""

    text: str
    left: int
    chars: int
    least_mark: int
    widest_mark: int

    def spans(self) -> tuple[Span, ...]: ...
    def borders(self) -> tuple[list[int], list[int]]: ...
    def shows(self, start: int, end: int) -> bool: ...
    def sides_shown(self, start: int, end: int) -> int: ...
    def may_take(self, parts: Sequence[Span]) -> bool: ...
    def take(self, parts: Sequence[Span]) -> bool: ...
    def widen(self, chars: int) -> None: ...


def overview_room(found: Findings, room: Room) -> int:
    """How much may be said of the whole text before any of it is shown."""
    if found.form is Form.DIFF:
        return _files_room(found, room)
    share = max((digest.share for digest in found.digests), default=0)
    if found.noisy:
        share = min(share, NOISY_SHARE)
    ranked = sum(unit.end - unit.start for unit in found.units if unit.why == RANKED)
    share = min(share, 1 - min(RANKED_SHARE, ranked / max(1, room.chars)))
    odd = [unit.end - unit.start + room.gap for unit in found.units if unit.why == ODD]
    beside = sum(odd) + max(odd, default=0)  # the last line is shown, too
    share = min(share, 1 - min(ODD_SHARE, beside / max(1, room.chars)))
    return int(max(min(room.chars * share, room.chars - LEAST_TEXT), room.chars * min(share, 0.5)))


def _files_room(found: Findings, room: Room) -> int:
    """How much may be said of the files of a diff: beside it stands one hunk at least, where that is small enough.

    A piece of a hunk is no patch.
    """
    most = int(room.chars * FILES_SHARE)
    beside = room_beside_hunk(found, room.chars, room.gap)
    return min(most, beside) if beside >= room.chars * LEAST_FILES else most


def room_beside_hunk(found: Findings, chars: int, mark: int) -> int:
    """What is left of so many characters beside the smallest hunk of a diff; all of them where none fits."""
    hunks = [unit.end - unit.start + sum(span.chars for span in unit.needs) for unit in found.units if unit.why == HUNK]
    beside = chars - min(hunks, default=0) - 3 * mark
    return beside if hunks and beside > 0 else chars


def overview_lines(found: Findings, room: int, *, all_of_it: bool = False) -> tuple[str, ...]:
    """What is said of the whole text, each part within its share; or the last takes `all_of_it` that others left."""
    lines: list[str] = []
    for digest in found.digests if room >= LEAST_OVERVIEW else ():
        left = room - sum(len(line) + 1 for line in lines)
        alone = len(found.digests) == 1 and not found.noisy  # the room is its share
        rest = alone or digest.share > OVERVIEW_SHARE or (all_of_it and digest is found.digests[-1])
        lines += digest.statements(left if rest else min(left, int(room * digest.share)))
    return tuple(lines)


def untold_units(text: str, found: Findings, *, folded: bool = False) -> list[Unit]:
    """The units; what only says what the overview says is left out, or comes late where it is trouble.

    Where trouble that is alike is `folded`, of that which a statement tells some comes first; more is taken by what is
    new in it.
    """
    if not found.digests:
        return found.units
    tells = [digest.tells for digest in found.digests]
    for digest in found.digests:
        if isinstance(digest, TemplateDigest):
            ends = ((unit.start, text.find("\n", unit.start, unit.end)) for unit in found.units)
            digest.prepare([text[start:end] for start, end in ends if end >= 0])
    told = ToldLines(tells)
    framed = ToldLines([digest.tells for digest in found.digests if getattr(digest, "in_blocks", False)])
    alike = _TroubleAlike(text, found.digests if folded else ())
    units: list[Unit] = []
    for unit in found.units:
        of_failure = unit.group and unit.why in OF_EACH_FAILURE  # what is told of all does not tell which says it
        if unit.score >= FOCUS or unit.odd or of_failure or not _is_told(text, unit, told, any_line=found.covered):
            units.append(unit)
        elif unit.score >= RARE and unit.why != NOVEL and not (found.covered or framed.has(_first_line(text, unit))):
            level = unit.score if unit.score >= SAID_ONCE else min(unit.score, TOLD)
            if SAID_ONCE <= level < NAME and alike.shows_enough(unit):
                level = WARNING
            units.append(unit if level == unit.score else unit._replace(score=level))
    return units


class _TroubleAlike:
    """How much trouble of each kind comes first, of the kinds that statements tell."""

    def __init__(self, text: str, digests: Sequence[Digest]) -> None:
        self._text = text
        self._digests = [digest for digest in digests if isinstance(digest, TemplateDigest)]
        self._starts: dict[int, set[int]] = {}

    def shows_enough(self, unit: Unit) -> bool:
        """Whether some like this one come before it; one that begins where another does is no other."""
        line = _first_line(self._text, unit)
        for digest in self._digests:
            kind = digest.template_named(line)
            if kind is not None and kind.count > ALIKE_SHOWN:
                starts = self._starts.setdefault(id(kind), set())
                if len(starts) < ALIKE_SHOWN:
                    starts.add(unit.start)
                return unit.start not in starts
        return False


def few_troubles(units: Iterable[Unit], kind_of: Callable[[int, str], str], room: int, mark: int) -> set[int]:
    """Where trouble begins that was told of before, of kinds so few that all of it can be shown: which failed."""
    kinds: dict[str, dict[int, int]] = {}
    for unit in units:
        if RARE < unit.score <= TOLD:
            kinds.setdefault(kind_of(unit.start, unit.group), {})[unit.start] = unit.end - unit.start + mark
    found = set[int]()
    for places in sorted(kinds.values(), key=lambda one: sum(one.values())):
        room -= sum(places.values())
        if room < 0:
            break
        found.update(places)
    return found


class LinePool:
    """The lines of a text that may be shown for what is new in them; some of each kind where there are many."""

    def __init__(self, text: TextLines, groups: Mapping[str, list[int]], novelty: Callable[[str], float]) -> None:
        kinds = {at: name for name, places in some_of_each(groups).items() for at in places}
        self.numbers = sorted(kinds)
        self.kinds = [*map(kinds.__getitem__, self.numbers)]  # what lines each is like
        self.starts = [*map(text.starts.__getitem__, self.numbers)]
        self.ends = [*map(text.ends.__getitem__, self.numbers)]
        factors = {name: OFTEN + novelty(name) ** 2 for name in groups}
        by_place = zip(self.kinds, position_factors(text, self.numbers), strict=True)
        self.factors = [factors[kind] * factor for kind, factor in by_place]
        self._lines = [*map(text.all.__getitem__, self.numbers)]
        self.vocabulary = Vocabulary(self._lines)
        bare = dict(zip(groups, bare_lines([text.all[places[0]] for places in groups.values()]), strict=True))
        self.bare = [*map(bare.__getitem__, self.kinds)]

    def lines_told(self, told: Callable[[str], bool]) -> set[int]:
        """Those that something else tells of."""
        return {at for at, line in enumerate(self._lines) if told(line)}

    def lines_of_one_word(self, words: Iterable[str]) -> set[int]:
        """Those that are nothing but one of these: told once, it says nothing in any company."""
        known = {*words}
        return {at for at, row in enumerate(self.vocabulary.rows) if len(row) == 1 and row[0] in known}

    def lessen(self, told: Callable[[str], bool], factor: float) -> None:
        """Let lines be worth less that something else tells of."""
        for at, line in enumerate(self._lines):
            if told(line):
                self.factors[at] *= factor

    def favour(self, parts: Sequence[Span], least: float, factor: float) -> None:
        """Let lines be worth less that lie in none of these parts, and the others at least so much."""
        inside = {at for start, end in parts for at in self.lines_within(start, end)}
        self.factors = [max(one, least) if at in inside else one * factor for at, one in enumerate(self.factors)]

    @cached_property
    def line_at(self) -> dict[int, int]:
        """The lines by where they begin."""
        return dict(zip(self.starts, range(len(self.starts)), strict=True))

    def kind_at(self, start: int, other: str = "") -> str:
        """What the line is like that begins there; `other` where none does."""
        return self.kinds[self.line_at[start]] if start in self.line_at else other

    def is_told_by(self, each: Collection[str], logged: Collection[str] = ()) -> bool:
        """Whether hardly another line need be shown, where of these kinds it is told what each says.

        Of the rows of a table it is not told what stands in them together, and they are of one kind; nor does it matter
        of a log in which most is `logged` again and again.
        """
        if logged and 2 * sum(map(logged.__contains__, self.kinds)) > len(self.kinds):
            return True
        has_rows = max(counts_of(self.kinds).values(), default=0) >= ROWS * len(self.kinds)
        return not has_rows and sum(map(each.__contains__, self.kinds)) >= TOLD_EACH * len(self.kinds)

    @cached_property
    def widths(self) -> list[int]:
        """Characters of each line."""
        return [*map(int.__sub__, self.ends, self.starts)]

    def lines_within(self, start: int, end: int) -> range:
        """Those that lie in a part of the text."""
        return range(bisect_left(self.starts, start), bisect_right(self.ends, end))

    def other_kinds(self, shown: set[int], counted: Collection[str]) -> list[list[int]]:
        """The lines that are not shown and say something, those that are alike together, the fewest first.

        What is counted, or is numbers alone, comes behind others; of those what names a value comes first.
        """
        kinds: dict[str, list[int]] = {}
        for at in self._speaking:
            if at not in shown:
                kinds.setdefault(self.kinds[at], []).append(at)
        late = {kind: (self.bare[own[0]] or kind in counted, "= #" not in kind) for kind, own in kinds.items()}
        return [kinds[kind] for kind in sorted(kinds, key=lambda kind: (*late[kind], len(kinds[kind])))]

    @cached_property
    def _speaking(self) -> list[int]:
        """The lines that say something, which a number alone does not."""
        rows = self.vocabulary.rows
        return [at for at in self.vocabulary.telling_rows() if not self.bare[at] or len(rows[at]) > 1]


class ToldLines:
    """Whether an overview says what a line says: found out once, because several units begin with one line."""

    def __init__(self, tells: Sequence[Callable[[str], bool]]) -> None:
        self._tells = tells
        self._known: dict[str, bool] = {}

    def has(self, line: str) -> bool:
        """Whether this is one of them; a blank line says nothing."""
        known = self._known.get(line)
        if known is None:
            known = self._known[line] = bool(line.strip()) and any(tell(line) for tell in self._tells)
        return known


def _is_told(text: str, unit: Unit, told: ToldLines, *, any_line: bool) -> bool:
    """Whether the overview says what the unit's first line says, or any of its lines."""
    if any_line:
        return any(map(told.has, text[unit.start : unit.end].split("\n", MOST_TOLD)))
    return told.has(_first_line(text, unit))


def _first_line(text: str, unit: Unit) -> str:
    end = text.find("\n", unit.start, unit.end)
    return text[unit.start : end if end >= 0 else unit.end]


def without_crowd(text: str, found: Findings, room: Room) -> Findings:
    """Names that would take much of the room are told by a tree instead; what a line says beside one is not."""
    if found.crowd is None:
        return found
    cost = sum(unit.end - unit.start for unit in found.units if unit.score == NAME)
    if cost <= room.chars * CROWDED:
        return found
    units: list[Unit] = []
    for unit in found.units:
        message = text[unit.start : unit.end].partition(" - ")[2].strip()
        if unit.score != NAME and unit.why not in NAMED:
            units.append(unit)
        elif message:
            units.append(unit._replace(score=CONTEXT, group=message[:40]))
    return found._replace(units=units, digests=(found.crowd,), noisy=False)


def edge_units(text: str, room: Room, found: Findings, widest: int) -> list[Unit]:
    """The first and the last lines: what was run, and how it ended. Lines that the overview tells are left out.

    A text that is shown in whole parts ends with its last line, too, unless that says nothing without its part: a
    line of a diff, a closing brace, the end of a block of code.
    """
    if found.form is Form.DIFF:
        return []
    if found.exact or not found.edges:
        return [unit for unit in _last_line(text, widest) if any(map(str.isalnum, text[unit.start : unit.end]))]
    digests = found.digests
    top = leading_lines(text, int(room.chars * TOP_SHARE))
    bottom = last_lines(text, int(room.chars * BOTTOM_SHARE))
    if digests:
        top, bottom = _untold_start(text, top, digests), _untold_end(text, bottom, digests)
    return [Unit(*top, EDGE, "first lines"), Unit(*bottom, EDGE + 1, "last lines"), *_last_line(text, widest)]


def _untold_start(text: str, part: Span, digests: tuple[Digest, ...]) -> Span:
    """The lines up to the first that the overview tells."""
    at = part.start
    while at < part.end:
        end = text.find("\n", at, part.end) + 1 or part.end
        if any(digest.tells(text[at:end]) for digest in digests):
            break
        at = end
    return Span(part.start, at)


def _untold_end(text: str, part: Span, digests: tuple[Digest, ...]) -> Span:
    """The lines behind the last that the overview tells."""
    at = part.end
    while at > part.start:
        start = max(text.rfind("\n", part.start, at - 1) + 1, part.start)
        if any(digest.tells(text[start:at]) for digest in digests):
            break
        at = start
    return Span(at, part.end)


def _last_line(text: str, widest: int) -> list[Unit]:
    """The last line that is not blank: how it ended, whatever else is shown."""
    end = len(text.rstrip())
    start = max(text.rfind("\n", 0, end), text.rfind("\r", 0, end)) + 1
    if end - start > widest:
        return []
    return [Unit(start, ceil(text, min(end + 1, len(text))), FOCUS - 1, "last line")]


# Characters of a note for each of which breaking it into lines costs at most one.
A_LINE = 60


def note_lines(note: Note, names: Iterable[Name], room: int) -> tuple[str, ...]:
    """`[omitted: a, b, +5 more]` with as many names as fit in `room` with the line end; a wide one goes on below."""
    texts = spelled_names(names)
    if note.width <= NOTE_WIDTH:
        return names_note(texts, room, note.label)
    said = tuple(map(wrapped_note, names_note(texts, 1 << 62, note.label)))
    if not said or len(said[0]) < room:
        return said
    return tuple(map(wrapped_note, names_note(texts, room - room // A_LINE - 1, note.label)))


def wrapped_note(line: str) -> str:
    r"""A note on lines of at most 120 characters, where its names allow it.

    >>> wrapped_note("[omitted: " + "x" * 60 + ", " + "y" * 60 + "]").split("\n")[1]
    ' yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy]'
    """
    if len(line) <= NOTE_WIDTH:
        return line
    lines, start = list[str](), 0
    while len(line) - start > NOTE_WIDTH - bool(lines):
        end = line.rfind(", ", start, start + NOTE_WIDTH - bool(lines))
        if end < 0:
            end = line.find(", ", start + 1)
        if end < 0:
            break
        lines.append(line[start : end + 1])
        start = end + 2
    return "\n ".join([*lines, line[start:]])


def full_width(note: Note) -> int:
    """What a note costs if all names are in it, line end included."""
    if note.width <= NOTE_WIDTH:
        return len(note.label) + len("[: ]\n") + sum(len(name.text) + 2 for name in note.names)
    return sum(len(line) + 1 for line in note_lines(note, note.names, 1 << 62))
