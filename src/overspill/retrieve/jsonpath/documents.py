"""A JSON document as a tree that is only there where it is looked at.

Large containers are walked where they lie, a stretch at a time; what is small is decoded when its value is
asked for. So memory stays with the document itself, however many values it holds.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from overspill._lite import NamedTuple
from overspill.core.spans import Span
from overspill.documents import json_pieces
from overspill.documents.json_bounds import RECENT, STEPS, Bounds
from overspill.documents.json_pieces import (
    CLOSE_ARRAY,
    CLOSE_OBJECT,
    COMMA,
    OPEN_ARRAY,
    OPEN_OBJECT,
    Element,
    NotStrict,
)
from overspill.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

SMALL = 1 << 16  # a value up to this size is decoded when it is looked at
MOST_PLACES = 50_000  # values whose places are remembered
Key = str | int
Child = tuple[Key, Span]


class Big(NamedTuple):
    """A container that is too large to be decoded."""

    span: Span
    is_array: bool


NOT_LOADED: Final = object()


class JsonNode:
    """A value and where it lies: in bytes, or by keys below a small value that lies there."""

    __slots__ = ("_document", "_span", "_value", "path")

    def __init__(
        self, document: QueryDocument, span: Span, path: tuple[Key, ...] = (), value: object = NOT_LOADED
    ) -> None:
        self._document = document
        self._value = value
        self._span = span
        self.path = path

    @property
    def span(self) -> Span:
        return self._span

    @property
    def value(self) -> object:
        """A plain value, or `Big`."""
        if self._value is NOT_LOADED:
            self._value = self._document.load(self.span)
        return self._value

    def child(self, key: Key, value: object) -> JsonNode:
        """A value below a plain one."""
        return JsonNode(self._document, self._span, (*self.path, key), value)

    def children(self, first: int = 0) -> Iterator[tuple[Key, JsonNode]]:
        """What a container holds, in order; of an array from the element `first` on."""
        value = self.value
        if isinstance(value, Big):
            yield from self._document.nodes(value.span, first)
        elif isinstance(value, dict):
            for key, inner in value.items():
                yield key, self.child(key, inner)
        elif isinstance(value, list):
            for index in range(first, len(value)):
                yield index, self.child(index, value[index])

    def member(self, name: str) -> JsonNode | None:
        """The member of that name; where there are two, the last one."""
        value = self.value
        if isinstance(value, dict):
            return self.child(name, value[name]) if name in value else None
        if not isinstance(value, Big) or value.is_array:
            return None
        found = None
        for key, span in self._document.children(value.span):
            if key == name:
                found = span
        return None if found is None else JsonNode(self._document, found)

    def element(self, index: int) -> JsonNode | None:
        """The element at that place, counted from the end if it is negative."""
        number = self.length()
        index += number if index < 0 else 0
        if number and 0 <= index < number and self.is_array:
            return next(self.children(index))[1]
        return None

    @property
    def is_array(self) -> bool:
        value = self.value
        return value.is_array if isinstance(value, Big) else isinstance(value, list)

    def length(self) -> int:
        """How many elements or members there are; 0 of anything but containers."""
        value = self.value
        if isinstance(value, Big):
            return self._document.number(value.span)
        return len(value) if isinstance(value, list | dict) else 0


class Stretch:
    """Some elements of a large array that stand one after the other; what they are is found when it is asked for."""

    __slots__ = ("_buffer", "_piece", "_spans", "_values", "at", "lengths")

    def __init__(self, buffer: memoryview, at: int, piece: bytearray, lengths: list[int]) -> None:
        self.at = at
        self.lengths = lengths
        self._buffer = buffer
        self._piece = piece
        self._spans: list[Span] = []
        self._values: list[object] | None = None

    def spans(self) -> list[Span]:
        if not self._spans:
            self._spans = list(json_pieces.spans_from(self._buffer, self.at, self.lengths))
        return self._spans

    def values(self) -> list[object]:
        """All of them, decoded by one call; NOT_LOADED where that is impossible."""
        if self._values is None:
            try:
                self._values = _decoded_list(self._piece)
            except ValueError:  # numbers beyond any float, for example
                self._values = [NOT_LOADED] * len(self.lengths)
        return self._values


class Item(JsonNode):
    """An element of a stretch."""

    __slots__ = ("_index", "_stretch")

    def __init__(self, document: QueryDocument, stretch: Stretch, index: int) -> None:
        self._document = document
        self._stretch = stretch
        self._index = index
        self._value = NOT_LOADED
        self.path = ()

    @property
    def span(self) -> Span:
        return self._stretch.spans()[self._index]

    @property
    def value(self) -> object:
        """A plain value, or `Big`."""
        if self._value is NOT_LOADED:
            value = self._stretch.values()[self._index]
            self._value = self._document.load(self.span) if value is NOT_LOADED else value
        return self._value

    def child(self, key: Key, value: object) -> JsonNode:
        """A value below a plain one."""
        return JsonNode(self._document, self.span, (key,), value)


def _decoded_list(piece: bytearray) -> list[object]:
    from msgspec.json import decode

    return decode(piece, type=list[object])


class QueryDocument:
    """One JSON document, or the records of NDJSON as an array."""

    def __init__(self, content: bytes | bytearray) -> None:
        self.buffer = memoryview(content)
        self._content = content
        self._walker = _Walker(self.buffer)
        self._records: Span | None = None
        self._places: dict[Span, dict[Key, Span]] = {}  # what lies in the containers that were walked last
        self._placed = 0
        try:
            self.root = JsonNode(self, self._walker.root())
        except NotStrict:
            self._records = self._found_records()
            if self._records is None:
                raise
            self.root = JsonNode(self, self._records, (), Big(self._records, is_array=True))

    @property
    def is_ndjson(self) -> bool:
        return self._records is not None

    def load(self, span: Span) -> object:
        """The value that lies there, decoded if it is small or holds nothing else."""
        opening = self.buffer[span.start]
        if span.chars > SMALL and opening in {OPEN_ARRAY, OPEN_OBJECT}:
            return Big(span, opening == OPEN_ARRAY)
        return self.decoded_value(span)

    def decoded_value(self, span: Span) -> object:
        """The value that lies there, whatever its size."""
        from msgspec import DecodeError
        from msgspec.json import decode

        try:
            return decode(self.buffer[span.start : span.end])
        except DecodeError:
            pass
        import json

        try:
            return json.loads(bytes(self.buffer[span.start : span.end]))  # numbers beyond any float, for example
        except ValueError:
            number = bytes(self.buffer[: span.start]).count(b"\n") + 1
            raise UsageError(f"line {number:,} is not JSON; fetch it with `lines` to see what it is") from None

    def children(self, container: Span, first: int = 0) -> Iterator[Child]:
        """Where the elements or members of a large container lie."""
        if container is self._records:
            yield from self._lines(first)
        else:
            yield from self._walker.children(container, first)

    def parts(self, container: Span) -> Iterator[Child]:
        """Where the elements or members of any container lie."""
        return self._walker.children(container)

    def nodes(self, container: Span, first: int = 0) -> Iterator[tuple[Key, JsonNode]]:
        """The elements or members of a large container."""
        if container is self._records or self.buffer[container.start] == OPEN_OBJECT:
            for key, span in self.children(container, first):
                yield key, JsonNode(self, span)
            return
        for number, found in self._walker.stretches(container, first):
            if isinstance(found, Span):
                yield number, JsonNode(self, found)
                continue
            for index in range(max(0, first - number), len(found.lengths)):
                yield number + index, Item(self, found, index)

    def number(self, container: Span) -> int:
        """How many there are."""
        if container is self._records:
            return sum(1 for _ in self._lines())
        return self._walker.elements(container).number

    def place(self, node: JsonNode) -> Span:
        """Where exactly a value lies."""
        span = node.span
        for key in node.path:
            span = self._child_places(span)[key]
        return span

    def _child_places(self, container: Span) -> dict[Key, Span]:
        """Where the elements or members of a small container lie; of two of one name the last, as a decoder chooses."""
        known = self._places.get(container)
        if known is None:
            known = dict(self._walker.children(container))
            self._placed += len(known)
            if self._placed > MOST_PLACES:
                self._places.clear()
                self._placed = len(known)
            self._places[container] = known
        return known

    def _found_records(self) -> Span | None:
        """Two lines or more, of which the first two are each an object or an array."""
        span = Span(0, len(self.buffer))
        for number, (_, line) in enumerate(self._lines()):
            try:
                if self.buffer[line.start] not in {OPEN_ARRAY, OPEN_OBJECT}:
                    return None
                json_pieces.value_decoder().decode(self.buffer[line.start : line.end])
            except ValueError:
                return None
            if number:
                return span
        return None

    def _lines(self, first: int = 0) -> Iterator[Child]:
        content, at, number = self._content, 0, 0
        while at < len(content):
            end = content.find(b"\n", at)
            end = len(content) if end < 0 else end
            start, stop = at, end
            while start < stop and content[start] in b" \t\r":
                start += 1
            while stop > start and content[stop - 1] in b" \t\r":
                stop -= 1
            if start < stop:
                if number >= first:
                    yield number, Span(start, stop)
                number += 1
            at = end + 1


class _Walker(Bounds):
    """Finds every element of a container, not only those at its ends."""

    def __init__(self, buffer: memoryview) -> None:
        super().__init__(buffer, first=1, last=1, members=1)

    def children(self, container: Span, first: int = 0) -> Iterator[Child]:
        """Where they lie: by name in an object, by number in an array from `first` on."""
        if self.buffer[container.start] == OPEN_OBJECT:
            yield from self._members(container)
            return
        for number, found in self.stretches(container, first):
            if isinstance(found, Span):
                yield number, found
            else:
                yield from list(enumerate(found.spans(), number))[max(0, first - number) :]

    def _members(self, container: Span) -> Iterator[Child]:
        at = self._space(container.start + 1)
        while self._byte(at) != CLOSE_OBJECT:
            element = self._element(at, OPEN_OBJECT, None)
            yield self._name(element), Span(element.value, element.end)
            at = self._space(element.end)
            if self._byte(at) == CLOSE_OBJECT:
                return
            at = self._space(self._past(at, COMMA))

    def stretches(self, container: Span, first: int = 0) -> Iterator[tuple[int, Span | Stretch]]:
        """The elements of an array, many at a time where that is possible; those before `first` are mostly left out."""
        at = self._space(container.start + 1)
        if self._byte(at) == CLOSE_ARRAY:
            return
        number, recent = 0, deque[Element](maxlen=RECENT)
        chunk, steps = self._sizes.chunk, RECENT
        while True:
            for _ in range(steps):
                element = self._element(at, OPEN_ARRAY, None)
                recent.append(element)
                if number >= first:
                    yield number, Span(element.start, element.end)
                number += 1
                at = self._space(element.end)
                if self._byte(at) == CLOSE_ARRAY:
                    return
                at = self._space(self._past(at, COMMA))
            while chunk >= self._sizes.least:
                found, end = self._stretch(at, chunk, recent, container.end - 1)
                chunk = chunk // 4 if found is None else min(2 * chunk, self._sizes.chunk)
                if found is None:
                    continue
                if number + len(found.lengths) > first:
                    yield number, found
                number += len(found.lengths)
                at = self._space(end)
                if self._byte(at) == CLOSE_ARRAY:
                    return
                at = self._space(self._past(at, COMMA))
            chunk, steps = 4 * self._sizes.least, STEPS

    def _stretch(self, at: int, size: int, recent: deque[Element], last: int) -> tuple[Stretch | None, int]:
        """About `size` bytes of an array as its elements, and where they end; None if no border was found in them.

        The last border in reach is a guess, and the parser refuses a wrong one: see `Bounds`.
        """
        from msgspec import DecodeError

        piece = bytearray((OPEN_ARRAY,))
        piece += self.buffer[at : min(last, at + size)]
        if at + size < last:
            words, inside = json_pieces.border(self.buffer, recent)
            edge = piece.rfind(words, 1)
            if edge < 0:
                return None, at
            del piece[edge + inside :]
        end = at + len(piece) - 1
        piece.append(CLOSE_ARRAY)
        try:
            lengths = list(map(len, json_pieces.array_decoder().decode(piece)))
        except DecodeError:
            return None, at
        return (Stretch(self.buffer, at, piece, lengths), end) if lengths else (None, at)

    def _name(self, element: Element) -> str:
        from msgspec.json import decode

        return decode(self.buffer[element.start : element.key], type=str)
