"""Where the elements of a JSON document begin and end, found without a tree of its values.

A native parser skips over values and says where each ends, so memory stays with what is shown and
not with what is there. Offsets are in bytes of UTF-8. Walking a large container also checks it: a
`Bounds` exists only of a document that is strict RFC 8259 and not nested beyond `MOST_LEVELS`.
"""

import re
from collections import deque
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from overspill.cut.json_depth import MOST_LEVELS, levels_exceed
from overspill.spans import Span

if TYPE_CHECKING:
    from msgspec import Raw
    from msgspec.json import Decoder

OPEN_ARRAY, OPEN_OBJECT, QUOTE, COMMA, CLOSE_ARRAY, CLOSE_OBJECT = b'[{",]}'
WHITESPACE = b" \t\n\r"

SMALL = 1 << 16  # a container up to this size is looked into only when it is shown
CHUNK = 1 << 20  # so much of a long array is split into elements at a time
LEAST_CHUNK = 1 << 12
STEPS = 64  # elements walked one by one where a chunk could not be split
CONTEXT, CLOSING = 24, 2  # bytes at both ends of an element that help to tell its borders from those inside it
MOST_MEMBERS = 20_000  # of an object are remembered from either end
BIG_LEVELS = 24  # containers this deep are skipped whole at first, however large

_SPACE = re.compile(rb"[ \t\n\r]*")
_PLAIN_STRING = re.compile(rb'"[^"\\\x00-\x1f]*"')
_COLON = re.compile(rb"[ \t\n\r]*:[ \t\n\r]*")
_TRAILING = "JSON is malformed: trailing characters (byte "


class NotStrict(Exception):
    """The text is not JSON as we mean it, and is to be cut as text."""


class Elements(NamedTuple):
    """The elements of an array: how many, and where the first and the last ones are."""

    number: int
    first: tuple[Span, ...]
    last: tuple[Span, ...]  # none of them is among the first


class Member(NamedTuple):
    """A member of an object: where its key and its value are."""

    key: Span
    value: Span


class Members(NamedTuple):
    """The members of an object: how many, and where the first and the last ones are."""

    number: int
    first: tuple[Member, ...]
    last: tuple[Member, ...]


class Bounds:
    """The bounds of one document; of its containers they are found when asked for, and remembered."""

    def __init__(self, buffer: memoryview, *, first: int, last: int) -> None:
        self.buffer = buffer
        self.first = max(1, first)
        self.last = max(1, last)
        self._arrays: dict[int, Elements] = {}
        self._objects: dict[int, Members] = {}
        start = self._space(0)
        self.root = Span(start, self._checked(start, 1))
        if self._space(self.root.end) != len(buffer):
            raise NotStrict

    def elements(self, array: Span) -> Elements:
        """The elements of the array that lies there."""
        found = self._arrays.get(array.start)
        if found is None:
            found = self._arrays[array.start] = self._split(array)
        return found

    def members(self, container: Span) -> Members:
        """The members of the object that lies there."""
        found = self._objects.get(container.start)
        if found is None:
            self._walk_object(container.start, None)
            found = self._objects[container.start]
        return found

    # -- walking forward

    def _checked(self, start: int, level: int | None) -> int:
        """The end of the value at `start`, which is valid up to there. Large containers are walked.

        What was checked before has no `level`, and is only skipped.
        """
        if level is None:
            return self._end(start)
        end = None
        if level <= BIG_LEVELS and len(self.buffer) - start > SMALL and self._byte(start) in b"[{":
            end = self._end_within(start, start + SMALL)
            if end is None:
                return (self._walk_array if self._byte(start) == OPEN_ARRAY else self._walk_object)(start, level)
        end = end or self._end(start)
        self._guard(start, end, level)
        return end

    def _guard(self, start: int, end: int, level: int) -> None:
        if levels_exceed(self.buffer[start:end], MOST_LEVELS - level + 1):
            raise NotStrict

    def _walk_object(self, start: int, level: int | None) -> int:
        first: list[Member] = []
        last: deque[Member] = deque(maxlen=MOST_MEMBERS)
        count = 0
        at = self._space(start + 1)
        while self._byte(at) != CLOSE_OBJECT or count:
            member = self._member(at, level)
            if count < MOST_MEMBERS:
                first.append(member)
            else:
                last.append(member)
            count += 1
            at = self._space(member.value.end)
            if self._byte(at) == CLOSE_OBJECT:
                break
            at = self._space(self._past(at, COMMA))
        self._objects[start] = Members(count, tuple(first), tuple(last))
        return at + 1

    def _member(self, at: int, level: int | None) -> Member:
        if self._byte(at) != QUOTE:
            raise NotStrict
        key = Span(at, self._end(at))
        colon = _COLON.match(self.buffer, key.end)
        if colon is None:
            raise NotStrict
        return Member(key, Span(colon.end(), self._checked(colon.end(), level and level + 1)))

    def _walk_array(self, start: int, level: int | None) -> int:
        """The end of a long array. Its elements are found by the chunk, and one by one where that fails."""
        found = _Found(self.first, self.last)
        at = self._space(start + 1)
        if self._byte(at) == CLOSE_ARRAY:
            self._arrays[start] = found.elements()
            return at + 1
        chunk, steps = CHUNK, max(STEPS, self.first)
        while True:
            for _ in range(steps):
                element = Span(at, self._checked(at, level and level + 1))
                found.add(1, [element])
                at = self._space(element.end)
                if self._byte(at) == CLOSE_ARRAY:
                    self._arrays[start] = found.elements()
                    return at + 1
                at = self._space(self._past(at, COMMA))
            border = self._border(found)
            while chunk >= LEAST_CHUNK:
                after = self._take_chunk(at, chunk, border, found, level)
                chunk = chunk // 4 if after is None else min(2 * chunk, CHUNK)
                at = at if after is None else after
            chunk, steps = 4 * LEAST_CHUNK, STEPS

    def _border(self, found: "_Found") -> tuple[bytes, int]:
        """What stands between two elements, with what they share on both sides, and the length of the part before."""
        one, two, three = (self.buffer[span.start : span.end] for span in found.recent)
        before = _shared_start(bytes(one[-CLOSING:])[::-1], bytes(two[-CLOSING:])[::-1])[::-1]
        after = _shared_start(bytes(two[:CONTEXT]), bytes(three[:CONTEXT]))
        between = bytes(self.buffer[found.recent[1].end : found.recent[2].start])
        return before + between + after, len(before)

    def _take_chunk(
        self, at: int, size: int, border: tuple[bytes, int], found: "_Found", level: int | None
    ) -> int | None:
        """Split about `size` bytes of an array from the element at `at` on; the start of the element after them.

        The last border in reach is a guess, since it may stand inside an element or a string. A wrong guess
        leaves something unclosed, which the parser refuses, so what it accepts was split rightly.
        """
        words, inside = border
        window = bytes(self.buffer[at : at + size])
        edge = window.rfind(words)
        if edge <= 0:
            return None
        content = window[: edge + inside]
        raws = _list_of(content)
        if raws is None:
            return None
        if level is not None and max(map(len, raws)) > 2 * (MOST_LEVELS - level):
            self._guard(at, at + len(content), level)
        found.add(len(raws), list(_backwards(self.buffer, at + len(content), raws, self.last))[::-1])
        return self._space(self._past(self._space(at + len(content)), COMMA))

    # -- containers whose end is known

    def _split(self, array: Span) -> Elements:
        if array.end - array.start > SMALL:
            self._walk_array(array.start, None)
            return self._arrays[array.start]
        raws = _array_decoder().decode(self.buffer[array.start : array.end])
        first = tuple(_forwards(self.buffer, array.start + 1, raws, self.first))
        left = min(self.last, len(raws) - len(first))
        last = tuple(_backwards(self.buffer, array.end - 1, raws, left))[::-1]
        return Elements(len(raws), first, last)

    # -- one value

    def _end(self, start: int) -> int:
        plain = _PLAIN_STRING.match(self.buffer, start)
        if plain is not None:
            return plain.end()
        end = self._end_within(start, len(self.buffer))
        if end is None:
            raise NotStrict
        return end

    def _end_within(self, start: int, stop: int) -> int | None:
        """The end of the value at `start`, or None when it does not end before `stop`."""
        from msgspec import DecodeError

        view = self.buffer[start:stop]
        try:
            value = _value_decoder().decode(view)
        except DecodeError as error:
            words = str(error)
            if not words.startswith(_TRAILING):
                if stop < len(self.buffer):
                    return None
                raise NotStrict from None
            # The number is the place after the first character that does not belong to the value.
            end = start + int(words[len(_TRAILING) : -1]) - 1
            while self.buffer[end - 1] in WHITESPACE:
                end -= 1
            return end
        except RecursionError:
            raise NotStrict from None
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


class _Found:
    """Counts the elements of an array as they are found, and remembers those at its ends."""

    def __init__(self, first: int, last: int) -> None:
        self.count = 0
        self.first: list[Span] = []
        self._most_first = first
        self._last: deque[Span] = deque(maxlen=max(3, last))
        self._most_last = last

    def add(self, count: int, spans: list[Span]) -> None:
        """`count` more elements; `spans` are the last ones of them, or all."""
        if len(self.first) < self._most_first and count == len(spans) == 1:
            self.first += spans
        self.count += count
        self._last.extend(spans)

    @property
    def recent(self) -> list[Span]:
        return list(self._last)[-3:]

    def elements(self) -> Elements:
        left = min(self.count - len(self.first), self._most_last)
        return Elements(self.count, tuple(self.first), tuple(self._last)[len(self._last) - left :])


def _list_of(content: bytes) -> "list[Raw] | None":
    from msgspec import DecodeError

    try:
        return _array_decoder().decode(b"[%b]" % content)
    except DecodeError:
        return None
    except RecursionError:
        raise NotStrict from None


def _forwards(buffer: memoryview, at: int, raws: "list[Raw]", most: int) -> Iterator[Span]:
    for raw in raws[:most]:
        while buffer[at] in WHITESPACE or buffer[at] == COMMA:
            at += 1
        yield Span(at, at + len(raw))
        at += len(raw)


def _backwards(buffer: memoryview, end: int, raws: "list[Raw]", most: int) -> Iterator[Span]:
    for raw in reversed(raws[max(0, len(raws) - most) :]):
        while buffer[end - 1] in WHITESPACE or buffer[end - 1] == COMMA:
            end -= 1
        yield Span(end - len(raw), end)
        end -= len(raw)


def _shared_start(one: bytes, two: bytes) -> bytes:
    """What both begin with, up to a digit: numbers are what elements do not share."""
    length = 0
    for here, there in zip(one, two, strict=False):
        if here != there or here in b"0123456789":
            break
        length += 1
    return one[:length]


@cache
def _value_decoder() -> "Decoder[Raw]":
    from msgspec import Raw
    from msgspec.json import Decoder

    return Decoder(Raw)


@cache
def _array_decoder() -> "Decoder[list[Raw]]":
    from msgspec import Raw
    from msgspec.json import Decoder

    return Decoder(list[Raw])
