"""Where the elements of a JSON document begin and end, found without a tree of its values.

A native parser skips over values and says where each ends, so memory stays with what is shown and
not with what is there. Offsets are in bytes of UTF-8. Walking a large container also checks it: what
is not strict RFC 8259, or nested beyond `MOST_LEVELS`, is `NotStrict`.
"""

from __future__ import annotations

from collections import deque

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.core.spans import Span
from overspill.documents import json_pieces
from overspill.documents.json_pieces import (
    CLOSE_ARRAY,
    CLOSE_OBJECT,
    COMMA,
    MOST_LEVELS,
    OPEN_ARRAY,
    OPEN_OBJECT,
    QUOTE,
    Element,
    NotStrict,
    levels_exceed,
    skip_back,
    skip_forward,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from overspill.cut.digest.columns import Table
    from overspill.documents.json_records import Outlier, RecordWatch
    from overspill.documents.wrapped import TextInString

WHITESPACE = b" \t\n\r"

STEPS = 64  # elements walked one by one where a chunk could not be split
RECENT = 3
A_PAIR = 2  # values, at least, below each other
BIG_LEVELS = 24  # containers this deep are skipped whole at first, however large

_SPACE = compile_pattern(rb"[ \t\n\r]*")
_COLON = compile_pattern(rb"[ \t\n\r]*:[ \t\n\r]*")
_SCALAR = compile_pattern(
    rb'"[^"\\\x00-\x1f]*"'
    rb"|(?:-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+|true|false|null)(?=[ \t\n\r,\]}])"
)
_TRAILING = "JSON is malformed: trailing characters (byte "


class Sizes(NamedTuple):
    """How a document is walked. It makes no difference to what is found."""

    small: int = 1 << 16  # a container up to this size is looked into only when it is shown
    chunk: int = 1 << 18  # so much of a long container is split at a time
    least: int = 1 << 12


class Elements(NamedTuple):
    """What is in a container: how many elements, where it ends, and the first and the last ones."""

    number: int
    end: int  # of the last element
    first: tuple[Element, ...]
    last: tuple[Element, ...]  # without those that are among the first
    odd: tuple[Outlier, ...] = ()  # those that are not like the others, if they were looked for
    table: Table | None = None  # what they add up to, likewise

    @property
    def known(self) -> tuple[Element, ...]:
        return self.first + self.last

    @property
    def neighbours(self) -> tuple[Element, ...]:
        """Two elements with nothing between them, if two such are known."""
        for run in (self.first, self.last, self.known if self.number == len(self.known) else ()):
            if len(run) > 1:
                return run[:2]
        return ()


class Bounds:
    """The bounds of one document; of its containers they are found when asked for, and remembered.

    Of an array the `first` and `last` elements are remembered, of an object `members` from the start, and
    also from the end if `tail` says that they are of interest. Given what is in `focus`, records are watched: what the
    elements of a container add up to, and which of them are odd.
    """

    def __init__(
        self,
        buffer: memoryview,
        *,
        first: int,
        last: int,
        members: int,
        tail: bool = False,
        sizes: Sizes = Sizes(),  # noqa: B008  # a frozen value
        focus: tuple[str, ...] | None = None,
    ) -> None:
        self.buffer = buffer
        self._focus = focus
        self._sizes = sizes
        self._ends = {OPEN_ARRAY: (max(1, first), max(1, last)), OPEN_OBJECT: (members, members if tail else 1)}
        self._found: dict[int, Elements] = {}
        self.texts: dict[int, TextInString | None] = {}  # strings that were looked at, by where they begin
        self._echoes: tuple[Span, ...] | None = None

    def new_watch(self, opening: int) -> RecordWatch | None:
        """A new watch for the elements of a container; None if nobody asked for one."""
        if self._focus is None:
            return None
        from overspill.documents.json_records import RecordWatch

        split = self._members_in if opening == OPEN_OBJECT else self._elements_in
        return RecordWatch(self.buffer, opening, split, self._focus)

    @property
    def echoes(self) -> tuple[Span, ...]:
        """The long strings that say what another value says."""
        if self._echoes is None:
            from overspill.documents.json_strings import echoes_in

            self._echoes = echoes_in(self.buffer)
        return self._echoes

    def root(self) -> Span:
        """The one value of the document, checked to the last byte."""
        start = self._space(0)
        root = Span(start, self._checked(start, 1))
        if self._space(root.end) != len(self.buffer):
            raise NotStrict
        return root

    def elements(self, container: Span) -> Elements:
        """What is in the array or object that lies there."""
        found = self._found.get(container.start)
        if found is None:
            if self.buffer[container.start] == OPEN_ARRAY and container.end - container.start <= self._sizes.small:
                self._found[container.start] = self._split(container)
            else:
                self._walk(container.start, None)
            found = self._found[container.start]
        return found

    def _split(self, array: Span) -> Elements:
        """The elements of a small array that is known to be valid."""
        lengths = json_pieces.lengths(self.buffer[array.start : array.end])
        most_first, most_last = self._ends[OPEN_ARRAY]
        first = json_pieces.spans_from(self.buffer, array.start + 1, lengths[:most_first])
        last = json_pieces.spans_up_to(self.buffer, array.end - 1, lengths[most_first:][-most_last:])
        elements = [Element(*span, span.start) for span in (*first, *last)]
        end = elements[-1].end if elements else array.start
        found = Elements(len(lengths), end, tuple(elements[:most_first]), tuple(elements[most_first:]))
        watch = self.new_watch(OPEN_ARRAY) if lengths else None
        if watch is None:
            return found
        watch.stretch(array.start + 1, array.end - 1, 0)
        return found._replace(odd=watch.pick(), table=watch.table)

    def _checked(self, start: int, level: int | None) -> int:
        """The end of the value at `start`, which is valid up to there. Large containers are walked.

        What was checked before has no `level`, and is only skipped.
        """
        if level is None or self._byte(start) not in b"[{":
            return self._end(start)
        end = None
        if level <= BIG_LEVELS and len(self.buffer) - start > self._sizes.small:
            end = self._end_within(start, start + self._sizes.small)
            if end is None:
                return self._walk(start, level)
        end = end or self._end(start)
        self._guard(start, end, level)
        return end

    def _guard(self, start: int, end: int, level: int) -> None:
        if levels_exceed(self.buffer[start:end], MOST_LEVELS - level + 1):
            raise NotStrict

    def _walk(self, start: int, level: int | None) -> int:
        """The end of a container. Its elements are found one by one, and by the chunk where there are many."""
        opening = self.buffer[start]
        closing = CLOSE_ARRAY if opening == OPEN_ARRAY else CLOSE_OBJECT
        found = _FoundElements(*self._ends[opening])
        watching = self.new_watch(opening)
        at = self._space(start + 1)
        if self._byte(at) == closing:
            self._found[start] = found.elements()
            return at + 1
        chunk, steps = self._sizes.chunk, found.most_first + RECENT
        while True:
            for _ in range(steps):
                element = self._element(at, opening, level)
                if watching is not None:
                    watching.one(element, found.number)
                found.add(element)
                at = self._space(element.end)
                if self._byte(at) == closing:
                    self._found[start] = self._completed(found, watching)
                    return at + 1
                at = self._space(self._past(at, COMMA))
            while chunk >= self._sizes.least:
                after = self._take_chunk(at, chunk, opening, found, level, watching)
                chunk = chunk // 4 if after is None else min(2 * chunk, self._sizes.chunk)
                at = at if after is None else after
            chunk, steps = 4 * self._sizes.least, STEPS

    def _completed(self, found: _FoundElements, watching: RecordWatch | None) -> Elements:
        """All that was found; of a chunk of members, the last ones are looked up only now, if they are wanted."""
        if found.unseen is not None and found.most_last > 1:
            found.prepend(self._members_in(found.unseen))
        elements = found.elements(self._split_late)
        return elements if watching is None else elements._replace(odd=watching.pick(), table=watching.table)

    def _members_in(self, place: Span, _content: bytes = b"") -> list[Element]:
        """The members that lie there, known to be valid."""
        at, end = place
        members = []
        while at < end:
            members.append(self._element(at, OPEN_OBJECT, None))
            at = self._space(members[-1].end)
            at = self._space(at + 1) if at < end else end
        return members

    def _elements_in(self, place: Span, content: bytes) -> list[Element]:
        """The elements of an array that lie there, known to be valid, and brackets put around them."""
        lengths = json_pieces.lengths(content)
        return [Element(*span, span.start) for span in json_pieces.spans_from(self.buffer, place.start, lengths)]

    def _element(self, at: int, opening: int, level: int | None) -> Element:
        inner = level and level + 1
        if opening == OPEN_ARRAY:
            return Element(at, self._checked(at, inner), at)
        if self._byte(at) != QUOTE:
            raise NotStrict
        key = self._end(at)
        colon = _COLON.match(self.buffer, key)
        if colon is None:
            raise NotStrict
        return Element(at, self._checked(colon.end(), inner), colon.end(), key)

    def _take_chunk(
        self,
        at: int,
        size: int,
        opening: int,
        found: _FoundElements,
        level: int | None,
        watching: RecordWatch | None,
    ) -> int | None:
        """Split about `size` bytes of a container from the element at `at` on; the start of the element after them.

        The last border in reach is a guess, since it may stand inside an element or a string. A wrong guess
        leaves something unclosed, which the parser refuses, so what it accepts was split rightly.
        """
        words, inside = json_pieces.border(self.buffer, found.recent)
        piece = bytearray((opening,))
        piece += self.buffer[at : at + size]
        edge = piece.rfind(words, 1)
        if edge < 0:
            return None
        del piece[edge + inside :]
        end = at + len(piece) - 1
        if opening == OPEN_ARRAY:
            piece.append(CLOSE_ARRAY)
            if watching is not None and json_pieces.holds_nested(piece):
                return self._watch_chunk(Span(at, end), found, level, watching)
            split = json_pieces.split_array(piece, found.most_last)
        else:
            piece.append(CLOSE_OBJECT)
            split = json_pieces.split_object(piece)
        if split is None:
            return None
        if watching is not None and watching.stretch(at, end, found.number) != split.number:
            watching.table = None  # some member stands there twice, or is a number that is too large
        if level is not None and split.longest > 2 * (MOST_LEVELS - level):
            self._guard(at, end, level + 1)
        if opening == OPEN_ARRAY:
            last = json_pieces.spans_up_to(self.buffer, end, split.last)
            found.add_many(split.number, [Element(*span, span.start) for span in last])
        else:
            found.add_unseen(split.number, Span(at, end))
        return self._space(self._past(self._space(end), COMMA))

    def _watch_chunk(self, place: Span, found: _FoundElements, level: int | None, watching: RecordWatch) -> int | None:
        """Go past a piece whose elements are watched: where they are is found out only if it is asked for."""
        number = watching.stretch(*place, found.number)
        if number is None:
            return None
        if level is not None and not watching.shallow:
            self._guard(*place, level + 1)
        found.add_unsplit(number, place)
        return self._space(self._past(self._space(place.end), COMMA))

    def _split_late(self, place: Span, last: int) -> list[Element]:
        """The last elements of a piece that is known to be valid."""
        lengths = json_pieces.lengths(b"[%b]" % bytes(self.buffer[place.start : place.end]))
        return [Element(*span, span.start) for span in json_pieces.spans_up_to(self.buffer, place.end, lengths[-last:])]

    def _end(self, start: int) -> int:
        scalar = _SCALAR.match(self.buffer, start)
        if scalar is not None:
            return scalar.end()
        end = self._end_within(start, len(self.buffer))
        if end is None:
            raise NotStrict
        return end

    def _end_within(self, start: int, stop: int) -> int | None:
        """The end of the value at `start`, or None when it does not end before `stop`."""
        from msgspec import DecodeError

        try:
            value = json_pieces.value_decoder().decode(self.buffer[start:stop])
        except DecodeError as error:
            words = str(error)
            if not words.startswith(_TRAILING):
                if stop < len(self.buffer):
                    return None
                raise NotStrict from None
            # The number is the place after the first character that does not belong to the value.
            end = start + int(words[len(_TRAILING) : -1]) - 1
            return skip_back(self.buffer, start, end, WHITESPACE)
        return start + len(value)

    def _space(self, at: int) -> int:
        space = _SPACE.match(self.buffer, at)
        return space.end() if space else at

    def _byte(self, at: int) -> int:
        return self.buffer[at] if at < len(self.buffer) else 0

    def _past(self, at: int, byte: int) -> int:
        if self._byte(at) != byte:
            raise NotStrict
        return at + 1


class _FoundElements:
    """Counts the elements of a container as they are found, and remembers those at its ends."""

    def __init__(self, first: int, last: int) -> None:
        self.most_first = first
        self.most_last = last
        self.recent: deque[Element] = deque(maxlen=RECENT)  # found one by one, so that their borders are known
        self.unseen: Span | None = None  # a chunk of members, none of which was looked at
        self.number = 0
        self._end = 0
        self._first: list[Element] = []
        self._last: deque[Element | Span] = deque(maxlen=last)  # a span holds one or more that were not looked at

    def add(self, element: Element) -> None:
        self.recent.append(element)
        if len(self._first) < self.most_first:
            self._first.append(element)
        self.add_many(1, [element])

    def add_many(self, number: int, last: list[Element]) -> None:
        self.number += number
        self._last.extend(last)
        self._end = last[-1].end

    def add_unsplit(self, number: int, elements: Span) -> None:
        self.number += number
        self._last.append(elements)
        self._end = elements.end

    def add_unseen(self, number: int, members: Span) -> None:
        self.number += number
        self._last.clear()
        self._end = members.end
        self.unseen = members

    def prepend(self, members: list[Element]) -> None:
        self._last.extendleft(reversed(members[-max(1, self.most_last - len(self._last)) :]))

    def elements(self, split: Callable[[Span, int], list[Element]] | None = None) -> Elements:
        last: list[Element] = []
        for one in reversed(self._last):
            if len(last) >= self.most_last:
                break
            if isinstance(one, Element):
                last.insert(0, one)
            elif split is not None:
                last[:0] = split(one, self.most_last)
        last = last[-self.most_last :]
        left = min(self.number - len(self._first), len(last))
        return Elements(self.number, self._end, tuple(self._first), tuple(last[len(last) - left :]))


def sequence_elements(buffer: memoryview, first: int, last: int, watch: RecordWatch | None = None) -> Elements:
    """How many objects and arrays stand below each other, on as many lines as they need, and where the ends lie.

    Which ends of lines part them is found by their first and last brackets, and whether that holds by parsing them.
    """
    from msgspec import DecodeError

    head: list[Element] = []
    tail: deque[Element] = deque(maxlen=last)
    number, end = 0, skip_back(buffer, 0, len(buffer), WHITESPACE)
    starts = [
        skip_forward(buffer, 0, end, WHITESPACE),
        *(found.end() for found in json_pieces.NEXT_VALUE.finditer(buffer)),
    ]
    stops = [*(found.start() for found in json_pieces.NEXT_VALUE.finditer(buffer)), end]
    for start, stop in zip(starts, stops, strict=True):
        try:
            json_pieces.value_decoder().decode(buffer[start:stop])
        except DecodeError:
            raise NotStrict("it is no value behind another one") from None
        if buffer[start] not in b"[{" or levels_exceed(buffer[start:stop], MOST_LEVELS):
            raise NotStrict("a value in it is no object or array, or nested too deeply")
        record = Element(start, stop, start)
        if watch is not None:
            watch.one(record, number)
        number += 1
        (head if len(head) < first else tail).append(record)
    if number < A_PAIR:
        raise NotStrict("it is one value, or none")
    found = Elements(number, (tail or head)[-1].end, tuple(head), tuple(tail))
    return found if watch is None else found._replace(odd=watch.pick(), table=watch.table)
