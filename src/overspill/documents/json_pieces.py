"""A stretch of a long JSON container, split into its elements by one call of a native parser."""

import re
from collections.abc import Iterable, Iterator
from functools import cache

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.core.spans import Span
from overspill.documents.source import skipped, skipped_back

if TYPE_CHECKING:
    from msgspec import Raw
    from msgspec.json import Decoder

    from overspill.documents.json_bounds import Element

CONTEXT, CLOSING = 24, 2  # bytes at both ends of an element that help to tell its borders from those inside it

SEPARATORS = b" \t\n\r,"

_NESTED = re.compile(rb'[\[{"]')


class NotStrict(Exception):
    """The text is not what it seemed to be, or not as strictly as we mean it, and is to be cut as text."""


class Split(NamedTuple):
    """What a piece holds: how many elements, how long their longest value is, and how long the last ones are."""

    number: int
    longest: int
    last: tuple[int, ...]


def split_array(piece: bytes | bytearray, last: int) -> Split | None:
    """The elements in a piece of an array, brackets put around it, or None when it does not end where an element does.

    >>> split_array(b'[1, [2, 3]]', 5), split_array(b'[1, [2]', 5)
    (Split(number=2, longest=6, last=(1, 6)), None)
    """
    from msgspec import DecodeError

    try:
        if not nested(piece):
            # Numbers are shorter than what it takes to remember them, and commas count them as well.
            value_decoder().decode(piece)
            numbers = [len(number.strip()) for number in piece[1:-1].rsplit(b",", last)[-last:]]
            return Split(piece.count(b",") + 1, 0, tuple(numbers))
        raws = array_decoder().decode(piece)
    except DecodeError:
        return None
    return Split(len(raws), max(map(len, raws)), tuple(map(len, raws[max(0, len(raws) - last) :])))


def split_object(piece: bytes | bytearray) -> Split | None:
    """The members in a piece of an object, braces put around it; a key that stands twice counts twice.

    >>> split_object(b'{"a": 1, "a": [2]}')
    Split(number=2, longest=3, last=())
    """
    from msgspec import DecodeError

    try:
        members = _object_decoder().decode(piece)
    except DecodeError:
        return None
    return Split(len(members), max(map(len, members.values())), ())


def border(buffer: memoryview, recent: "Iterable[Element]") -> tuple[bytes, int]:
    """What stands between two elements, with what they share on both sides, and the length of the part before."""
    elements = list(recent)
    one, two, three = (buffer[element.start : element.end] for element in elements)
    before = _shared_start(bytes(one[-CLOSING:])[::-1], bytes(two[-CLOSING:])[::-1])[::-1]
    after = _shared_start(bytes(two[:CONTEXT]), bytes(three[:CONTEXT]))
    between = bytes(buffer[elements[1].end : elements[2].start])
    return before + between + after, len(before)


def nested(piece: bytes | bytearray) -> bool:
    """Whether a piece of an array holds more than numbers and the like."""
    return _NESTED.search(piece, 1) is not None


def lengths(array: bytes | bytearray | memoryview) -> tuple[int, ...]:
    """The lengths of all elements of a whole array."""
    return tuple(map(len, array_decoder().decode(array)))


def forwards(buffer: memoryview, at: int, lengths: Iterable[int]) -> Iterator[Span]:
    """The places of elements of these lengths that follow each other from `at` on."""
    for length in lengths:
        at = skipped(buffer, at, len(buffer), SEPARATORS)
        yield Span(at, at + length)
        at += length


def backwards(buffer: memoryview, end: int, lengths: tuple[int, ...]) -> list[Span]:
    """The places, in order, of elements of these lengths that follow each other up to `end`."""
    spans = []
    for length in reversed(lengths):
        end = skipped_back(buffer, 0, end, SEPARATORS)
        spans.append(Span(end - length, end))
        end -= length
    return spans[::-1]


def _shared_start(one: bytes, two: bytes) -> bytes:
    """What both begin with, up to a digit: numbers are what elements do not share."""
    length = 0
    for here, there in zip(one, two, strict=False):
        if here != there or here in b"0123456789":
            break
        length += 1
    return one[:length]


class _Key:
    """A key of which no two are equal, so that a member that stands twice is there twice."""


@cache
def value_decoder() -> "Decoder[Raw]":
    """Skips one value."""
    from msgspec import Raw
    from msgspec.json import Decoder

    return Decoder(Raw)


@cache
def array_decoder() -> "Decoder[list[Raw]]":
    """Splits one array."""
    from msgspec import Raw
    from msgspec.json import Decoder

    return Decoder(list[Raw])


@cache
def _object_decoder() -> "Decoder[dict[_Key, Raw]]":
    from msgspec import Raw
    from msgspec.json import Decoder

    return Decoder(dict[_Key, Raw], dec_hook=lambda _type, _key: _Key())
