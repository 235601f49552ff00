r"""Texts made of entries, cut between them: rows of CSV, entries of YAML, settings of INI.

Any strategy may say what to keep. Of that, whole entries stay, each with the lines it stands below: the header of a
table, the section of a setting, the keys above a key. So a view is a part of the same tree, and what reads the text
reads the view: in YAML and INI our own lines are comments, in CSV they are rows of one field.

Only what a strategy keeps is read line by line. What lies between is searched, natively, for lines that stand higher.

>>> from overspill.core.spans import Options, Room
>>> text = "a:\n  b: 1\n  c: 2\nd:\n  e: |\n    x\n    y\n  f: 3\n"
>>> first = EntryCut(lambda text, room, options: Cut((Span(0, 10), Span(32, len(text)))), WholeText(text), YAML)
>>> [span.of(text) for span in first(text, Room(99, 99, 9), Options()).kept]
['a:\n  b: 1\n', 'd:\n', '  f: 3\n']
"""

from __future__ import annotations

import sys
from functools import partial

from overspill._lite import TYPE_CHECKING, compile_pattern
from overspill.core.markers import look_alike_places
from overspill.core.spans import Cut, Hole, Options, PartialText, Room, Span, Strategy, joined_spans
from overspill.cut.ends import Lines
from overspill.cut.ends import line as both_ends
from overspill.cut.grammars import INI, TOP, YAML, EntryGrammar, Mark, NoEntries
from overspill.cut.render import cut_cost

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FIRST_PIECE, LONGEST_PIECE = 1 << 12, 1 << 20  # of what is searched backwards, from the nearest on
LONGEST_ENTRY = 1 << 16  # characters of an entry that is added because others stand below it
TRIES, LEAST_LESS = 8, 16
UNUSED, HALVINGS = 0.25, 5  # of the room: then more entries are shown, and how often it is tried how many


class NothingWhole(NoEntries):
    """Nothing that was to be kept is a whole entry."""


class WholeText:
    """All of a text, where it is held or where it was written to, by places in characters or in bytes."""

    def __init__(self, text: str, holes: tuple[Hole, ...] = (), buffer: memoryview | None = None) -> None:
        self._text = text
        self._held = PartialText(text, holes)
        self._buffer = buffer if holes else None
        self._head = len(text[: holes[0].at].encode()) if holes else 0

    @property
    def known(self) -> bool:
        """Whether what is not held can be read."""
        return self._buffer is not None or not self._held.holes

    def place(self, at: int) -> int:
        """The place of what is held at `at`."""
        return at if self._buffer is None else self._held.place(at).bytes

    def part(self, start: int, end: int) -> str:
        """What lies between two places. Marks of entries are ASCII, so bytes will do."""
        if self._buffer is None:
            return self._text[start:end]
        return str(self._buffer[start:end], "latin-1")

    def end(self) -> int:
        return len(self._text) if self._buffer is None else len(self._buffer)

    def held_span(self, start: int, end: int, keep: int) -> Span | None:
        """Where a part is held, if it lies in the first or in the last `keep` characters."""
        if self._buffer is None:
            total = len(self._text)
            near = total <= 2 * keep or end <= keep or start >= total - keep
            return Span(start, end) if near else None
        if end <= self._head:
            return self._moved(0, 0, start, end)
        hole = self._held.holes[-1]
        tail = self._held.place(hole.at).bytes
        return self._moved(hole.at, tail, start, end) if start >= tail else None

    def _moved(self, at: int, base: int, start: int, end: int) -> Span:
        assert self._buffer is not None  # noqa: S101  # the caller asked
        first = at + len(str(self._buffer[base:start], "utf-8"))
        return Span(first, first + len(str(self._buffer[start:end], "utf-8")))


class OpenEntry:
    """An entry that others may stand below: its lines, and whether they are shown."""

    def __init__(self, level: int, start: int, end: int, *, container: bool) -> None:
        self.level = level
        self.start = start
        self.end = end
        self.container = container
        self.shown = False
        self.hidden = False  # may not be shown


class _Tree:
    """The entries that are open at a place, which moves forward through a text."""

    def __init__(self, whole: WholeText, grammar: EntryGrammar) -> None:
        self._whole = whole
        self._grammar = grammar
        self._at = 0
        self.stack: list[OpenEntry] = []

    def move(self, place: int) -> None:
        """Go to a place; of what lies before it only the lines matter that stand above it."""
        found: list[OpenEntry] = []
        level, end = sys.maxsize, place
        while level > TOP:
            entry = self._last_above(level, end)
            if entry is None:
                break
            found[:0] = entry
            level, end = entry[0].level, entry[0].start
        if found:
            lowest = found[0].level
            self.stack = [*self._below(lowest), *found]
        self._at = place

    def _below(self, level: int) -> list[OpenEntry]:
        return [] if level == TOP else [one for one in self.stack if one.level < level]

    def _last_above(self, level: int, end: int) -> list[OpenEntry] | None:
        """The last line before `end` that begins something of a lower level."""
        pattern = compile_pattern(self._grammar.lower(min(level, 2_000)))
        size = FIRST_PIECE
        while end > self._at:
            start = max(self._at, end - size)
            piece = self._whole.part(start - 1, end) if start else f"\n{self._whole.part(0, end)}"
            for found in reversed([match.end() for match in pattern.finditer(piece)]):
                at = start + found - 1
                opened = self._opened(at, level)
                if opened and at < end:
                    return opened
            end, size = start, min(4 * size, LONGEST_PIECE)
        return None

    def _opened(self, at: int, level: int) -> list[OpenEntry]:
        line = self._line(at)
        marks = [mark for mark in self._grammar.read(line) if mark.level < level]
        return [OpenEntry(mark.level, at, at + len(line), container=mark.container) for mark in marks]

    def _line(self, at: int) -> str:
        piece = self._whole.part(at, at + FIRST_PIECE)
        line, newline, _ = piece.partition("\n")
        return line + newline

    def is_entry(self, marks: tuple[Mark, ...]) -> bool:
        """Whether a line that begins something is an entry here, and not a part of what an entry says."""
        if not marks:
            return False
        above = self._below(marks[0].level)
        return all(one.container for one in above)

    def enter(self, marks: tuple[Mark, ...], start: int, end: int) -> list[OpenEntry]:
        """An entry begins here. What stands above it is returned."""
        above = self._below(marks[0].level)
        self.stack = [*above, *(OpenEntry(mark.level, start, end, container=mark.container) for mark in marks)]
        self._at = end
        return above

    def goes_on(self, at: int) -> bool:
        """Whether what stands at a place still belongs to the last entry."""
        marks = self._marks_after(at)
        return not self.is_entry(marks) if marks is not None else bool(self._whole.part(at, at + LONGEST_ENTRY).strip())

    def has_below(self, container: Mark, at: int) -> bool:
        """Whether an entry stands below one that ends at a place."""
        marks = self._marks_after(at)
        return any(mark.level > container.level for mark in (marks or ())[:1])

    def _marks_after(self, at: int) -> tuple[Mark, ...] | None:
        """What the next line begins that is neither empty nor a remark; None if there is none near."""
        for length in (FIRST_PIECE, LONGEST_ENTRY):  # it is near, as a rule
            piece = self._whole.part(at, at + length)
            start, end = 0, piece.find("\n")
            while end >= 0 or length == LONGEST_ENTRY:
                line = piece[start : end if end >= 0 else len(piece)]
                bare = line.strip()
                if bare and bare[0] not in self._grammar.remarks:
                    return self._grammar.read(line)
                if end < 0:
                    break
                start, end = end + 1, piece.find("\n", end + 1)
        return None


class EntryCut:
    """A strategy for one text, whose cuts fall between its entries."""

    def __init__(self, inner: Strategy, whole: WholeText, grammar: EntryGrammar | None) -> None:
        self._inner = inner
        self._whole = whole
        self._grammar = grammar  # without one, entries are rows

    def __call__(self, text: str, room: Room, options: Options) -> Cut:
        if not self._whole.known:
            raise NoEntries("too large to hold, and not kept")
        # A row or an entry is shown as it is, however wide.
        options = options._replace(max_line_length=sys.maxsize >> 1)
        cut = self._fitted(text, room, lambda less: self._inner(text, less, options))
        # What has no overview shows what it was asked for; rows are told by what they add up to.
        if cut is not None and cut.overview and self._grammar is not None:
            cut = self._filled(text, room, options, cut)
        # What mattered to the strategy is no entry, or too many of them: entries from both ends are better than none.
        said = self._inner(text, room, options)._replace(kept=(), gaps=(), counted=False) if cut is None else cut
        for told in (said, said._replace(overview=(), notes=())):
            cut = cut or self._fitted(text, room, partial(self._ends, text, options, told))
        if cut is None:
            raise NoEntries(f"no {'row' if self._grammar is None else 'entry'} of it is short enough to be shown whole")
        return cut

    def _fitted(self, text: str, room: Room, strategy: Callable[[Room], Cut]) -> Cut | None:
        """What a strategy keeps, in whole entries: in less and less room until they fit, or None if they never do."""
        held = PartialText(text, room.holes)
        extra = 0
        for _ in range(TRIES):
            cut = strategy(room._replace(chars=max(0, room.chars - extra), counted=max(0, room.counted - extra)))
            try:
                cut = cut._replace(kept=self._kept(text, cut, room), gaps=())
            except NothingWhole:
                return None
            over = -_room_left(cut, held, room)
            if over <= 0:
                return cut
            extra = max(extra + over, 2 * extra + LEAST_LESS)  # what is shown shrinks by whole entries
        return None

    def _filled(self, text: str, room: Room, options: Options, cut: Cut) -> Cut:
        """What is kept, and entries from both ends where much of the room was left to nobody by what is no entry."""
        held = PartialText(text, room.holes)
        low, high = 0, room.chars
        for _ in range(HALVINGS):
            if _room_left(cut, held, room) < UNUSED * room.chars:
                break
            chars = (low + high + 1) // 2
            ends = both_ends(text, room._replace(chars=chars, counted=chars), options).kept
            filled = cut._replace(kept=joined_spans([*cut.kept, *ends]))
            filled = filled._replace(kept=self._kept(text, filled, room))
            if _room_left(filled, held, room) < 0:
                high = chars
            else:
                low, cut = chars, filled
        return cut

    @staticmethod
    def _ends(text: str, options: Options, said: Cut, room: Room) -> Cut:
        """Both ends of a text, beside what is said of the whole."""
        left = max(0, room.chars - cut_cost(said, PartialText(text, room.holes), room.marks))
        return said._replace(kept=both_ends(text, room._replace(chars=left, counted=left), options).kept)

    def _kept(self, text: str, cut: Cut, room: Room) -> tuple[Span, ...]:
        keep = room.keep or room.reach
        if self._grammar is None:
            kept = _whole_rows(text, cut, self._whole)
        else:
            kept = _Chosen(text, self._whole, self._grammar, keep).entries(cut)
        return joined_spans(kept)


def _room_left(cut: Cut, held: PartialText, room: Room) -> int:
    return (room.counted if cut.counted else room.chars) - cut_cost(cut, held, room.marks)


class _Chosen:
    """Picks the whole entries of what a strategy keeps, and what stands above them."""

    def __init__(self, text: str, whole: WholeText, grammar: EntryGrammar, keep: int) -> None:
        self._text = text
        self._whole = whole
        self._grammar = grammar
        self._keep = keep
        self._tree = _Tree(whole, grammar)
        self._anchors: set[str] = set()
        self._spans: list[Span] = []

    def entries(self, cut: Cut) -> list[Span]:
        chosen = sum(map(self._choose, cut.kept))
        if not chosen:
            raise NothingWhole
        return self._spans

    def _choose(self, span: Span) -> int:
        """Take the whole entries that lie in a span."""
        text, tree = self._text, self._tree
        lines = [Span(span.start + start, span.start + end) for start, end in Lines(span.of(text)).forward()]
        if span.start and text[span.start - 1] not in "\r\n":
            lines = lines[1:]
        if not lines:
            return 0
        tree.move(self._whole.place(lines[0].start))
        begun: list[tuple[Span, list[OpenEntry], Mark]] = []
        first = lines[0].start == 0
        for line in lines:
            marks = self._grammar.read(line.of(text))
            if tree.is_entry(marks):
                above = tree.enter(marks, self._whole.place(line.start), self._whole.place(line.end))
                begun.append((line, above, marks[-1]))
            elif begun:
                begun[-1] = (Span(begun[-1][0].start, line.end), *begun[-1][1:])
                tree.stack[-1].end = self._whole.place(line.end)
            elif first and not look_alike_places(line.of(text), short=False):  # remarks before the first entry
                self._spans.append(line)
        if begun and span.end < len(text) and (text[span.end - 1] not in "\r\n" or self._open_at(span.end)):
            begun.pop()
        while begun and self._lacks_entries(begun[-1][0], begun[-1][2]):
            begun.pop()
        return sum(self._take(entry, above) for entry, above, _ in begun)

    def _lacks_entries(self, entry: Span, mark: Mark) -> bool:
        """Whether it would seem to hold nothing: what stands below it is not kept."""
        return mark.container and self._tree.has_below(mark, self._whole.place(entry.end))

    def _open_at(self, at: int) -> bool:
        return self._tree.goes_on(self._whole.place(at))

    def _take(self, entry: Span, above: list[OpenEntry]) -> bool:
        words = entry.of(self._text)
        if look_alike_places(words, short=False) or not self._defined(words):
            return False
        parts: list[Span] = []
        for one in above:
            if one.shown:
                continue
            part = None if one.hidden else self._part(one)
            if part is None:
                one.hidden = True
                return False
            parts.append(part)
        for one in above:
            one.shown = True
        self._spans += [*parts, entry]
        self._anchors.update(compile_pattern(r"(?:^|\s)&([\w.-]+)").findall(words))
        return True

    def _part(self, one: OpenEntry) -> Span | None:
        """The lines of an entry above another, where they are held and may be shown."""
        text = self._whole.part(one.start, one.start + LONGEST_ENTRY)
        marks = self._grammar.read(text.partition("\n")[0])
        end = _entry_end(text, marks[-1], self._grammar.remarks)
        if end is None:
            return None
        part = self._whole.held_span(one.start, one.start + end, self._keep)
        if (
            part is None
            or look_alike_places(part.of(self._text), short=False)
            or not self._defined(part.of(self._text))
        ):
            return None
        return part

    def _defined(self, words: str) -> bool:
        """Whether all that YAML refers to by a name is shown before."""
        if self._grammar is not YAML:
            return True
        known = self._anchors | set(compile_pattern(r"(?:^|\s)&([\w.-]+)").findall(words))
        return all(name in known for name in compile_pattern(r"(?:^|[\s\[,])\*([\w.-]+)").findall(words))


def _entry_end(text: str, mark: Mark, remarks: str) -> int | None:
    """Where an entry ends whose text begins here: where a line stands that is not indented more than it."""
    lines = Lines(text).forward()
    end = next(lines).end
    if mark.container:
        return end
    for start, stop in lines:
        line = text[start:stop]
        bare = line.lstrip(" \t")
        if bare.strip() and bare[0] not in remarks and 2 * (len(line) - len(bare)) <= mark.level:
            return end
        end = stop
    return None if len(text) == LONGEST_ENTRY else end


SEPARATORS = "\t,;|"
MOST_ALIKE = 0.9  # of the rows shown have as many fields as the header


def _whole_rows(text: str, cut: Cut, whole: WholeText) -> list[Span]:
    """The header, and the whole rows of what a strategy keeps. A line end between quotes ends no row."""
    quotes = _Quotes(text, whole)
    if quotes.total % 2:
        raise NoEntries("its quotes do not balance")
    header = next(_rows(text, Span(0, min(len(text), LONGEST_ENTRY)), 0), None)
    if header is None:
        raise NoEntries("its first row is longer than a view can be")
    rows = [row for span in cut.kept for row in _rows(text, span, quotes.before(span.start))]
    rows = [row for row in rows if row.start >= header.end and not look_alike_places(row.of(text), short=False)]
    if not rows:
        raise NothingWhole
    _check_fields(text, header, rows)
    return [header, *rows]


def _rows(text: str, span: Span, quotes: int) -> Iterator[Span]:
    """The whole rows in a span, if `quotes` stand before it."""
    begins = quotes % 2 == 0 and (span.start == 0 or text[span.start - 1] in "\r\n")
    start = span.start if begins else None  # of a row, where that is in sight
    for first, last in Lines(span.of(text)).forward():
        end = span.start + last
        quotes += text.count('"', span.start + first, end)
        if quotes % 2 or not (text[end - 1] in "\r\n" or end == len(text)):
            continue
        if start is not None:
            yield Span(start, end)
        start = end


class _Quotes:
    """Counts quotes before places that come in order."""

    def __init__(self, text: str, whole: WholeText) -> None:
        self._text = text
        self._whole = whole
        self._at = self._count = 0
        self.total = self._counted(0, whole.end())

    def before(self, at: int) -> int:
        place = self._whole.place(at)
        self._count += self._counted(self._at, place)
        self._at = place
        return self._count

    def _counted(self, start: int, end: int) -> int:
        pieces = range(start, end, LONGEST_PIECE)
        return sum(self._whole.part(at, min(at + LONGEST_PIECE, end)).count('"') for at in pieces)


def _check_fields(text: str, header: Span, rows: list[Span]) -> None:
    from csv import Error, reader

    head = header.of(text)
    mark = max(SEPARATORS, key=compile_pattern(r'"[^"]*"').sub("", head).count)
    try:
        wanted = len(next(reader([head], delimiter=mark), []))
        counts = [sum(map(len, reader(row.of(text).splitlines(keepends=True), delimiter=mark))) for row in rows]
    except Error as error:
        raise NoEntries(str(error)) from None
    alike = counts.count(wanted)
    if alike < MOST_ALIKE * len([count for count in counts if count]):
        other = next(count for count in counts if count not in (0, wanted))
        raise NoEntries(f"a row has {other} fields where the header has {wanted}")


GRAMMARS = {"yaml": YAML, "ini": INI}


def entry_cut(
    inner: Strategy, kind: str, text: str, holes: tuple[Hole, ...] = (), buffer: memoryview | None = None
) -> EntryCut:
    """A strategy whose cuts of this text fall between the entries of its kind."""
    return EntryCut(inner, WholeText(text, holes, buffer), GRAMMARS.get(kind))
