"""A stretch of a long JSON container, split into its elements by one call of a native parser.

Whether JSON is nested too deeply is told exactly, at the speed of native searches. Brackets inside strings are
no levels. Piece by piece, escapes are dropped, then everything but
quotes and brackets, then the strings; what is left is mostly short enough to be counted by hand.

JSON as people write it, with comments and trailing commas, is cut where strict JSON would be, left as it was written:
in a copy they are blanks, and what is found there lies at the same place in the text itself.
"""

from __future__ import annotations

from functools import cache
from itertools import accumulate

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.core.spans import Span
from overspill.documents.source import Source, checked_source, line_at, skip_back, skip_forward

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator

    from msgspec import Raw
    from msgspec.json import Decoder

OPEN_ARRAY, OPEN_OBJECT, QUOTE, COMMA, CLOSE_ARRAY, CLOSE_OBJECT = b'[{",]}'
NEWLINE = ord("\n")  # stands for the opening bracket of records that are lines,
SEQUENCE = ord("\x1e")  # and this of those that take as many as they need
NEXT_VALUE = compile_pattern(rb"(?<=[}\]])[ \t\r]*\n[ \t\r\n]*(?=[{\[])")  # between two of them, as `jq` writes them

CONTEXT, CLOSING = 24, 2  # bytes at both ends of an element that help to tell its borders from those inside it

SEPARATORS = b" \t\n\r,"

_NESTED = compile_pattern(rb'[\[{"]')


class Element(NamedTuple):
    """An element of an array or a member of an object."""

    start: int
    end: int
    value: int  # where its value starts: in an array, where it starts itself
    key: int = 0  # where its key ends


class NotStrict(Exception):
    """The text is not what it seemed to be, or not as strictly as we mean it, and is to be cut as text: it says why."""


class SplitPiece(NamedTuple):
    """What a piece holds: how many elements, how long their longest value is, and how long the last ones are."""

    number: int
    longest: int
    last: tuple[int, ...]


def split_array(piece: bytes | bytearray, last: int) -> SplitPiece | None:
    """The elements in a piece of an array, brackets put around it, or None when it does not end where an element does.

    >>> split_array(b'[1, [2, 3]]', 5), split_array(b'[1, [2]', 5)
    (SplitPiece(number=2, longest=6, last=(1, 6)), None)
    """
    from msgspec import DecodeError

    try:
        if not holds_nested(piece):
            # Numbers are shorter than what it takes to remember them, and commas count them as well.
            value_decoder().decode(piece)
            numbers = [len(number.strip()) for number in piece[1:-1].rsplit(b",", last)[-last:]]
            return SplitPiece(piece.count(b",") + 1, 0, tuple(numbers))
        raws = array_decoder().decode(piece)
    except DecodeError:
        return None
    return SplitPiece(len(raws), max(map(len, raws)), tuple(map(len, raws[max(0, len(raws) - last) :])))


def split_object(piece: bytes | bytearray) -> SplitPiece | None:
    """The members in a piece of an object, braces put around it; a key that stands twice counts twice.

    >>> split_object(b'{"a": 1, "a": [2]}')
    SplitPiece(number=2, longest=3, last=())
    """
    from msgspec import DecodeError

    try:
        members = _object_decoder().decode(piece)
    except DecodeError:
        return None
    return SplitPiece(len(members), max(map(len, members.values())), ())


def border(buffer: memoryview, recent: Iterable[Element]) -> tuple[bytes, int]:
    """What stands between two elements, with what they share on both sides, and the length of the part before."""
    elements = list(recent)
    one, two, three = (buffer[element.start : element.end] for element in elements)
    before = _shared_start(bytes(one[-CLOSING:])[::-1], bytes(two[-CLOSING:])[::-1])[::-1]
    after = _shared_start(bytes(two[:CONTEXT]), bytes(three[:CONTEXT]))
    between = bytes(buffer[elements[1].end : elements[2].start])
    return before + between + after, len(before)


def holds_nested(piece: bytes | bytearray) -> bool:
    """Whether a piece of an array holds more than numbers and the like."""
    return _NESTED.search(piece, 1) is not None


def lengths(array: bytes | bytearray | memoryview) -> tuple[int, ...]:
    """The lengths of all elements of a whole array."""
    return tuple(map(len, array_decoder().decode(array)))


def spans_from(buffer: memoryview, at: int, lengths: Iterable[int]) -> Iterator[Span]:
    """The places of elements of these lengths that follow each other from `at` on."""
    for length in lengths:
        at = skip_forward(buffer, at, len(buffer), SEPARATORS)
        yield Span(at, at + length)
        at += length


def spans_up_to(buffer: memoryview, end: int, lengths: tuple[int, ...]) -> list[Span]:
    """The places, in order, of elements of these lengths that follow each other up to `end`."""
    spans = []
    for length in reversed(lengths):
        end = skip_back(buffer, 0, end, SEPARATORS)
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
def value_decoder() -> Decoder[Raw]:
    """Skips one value."""
    from msgspec import Raw
    from msgspec.json import Decoder

    return Decoder(Raw)


@cache
def array_decoder() -> Decoder[list[Raw]]:
    """Splits one array."""
    from msgspec import Raw
    from msgspec.json import Decoder

    return Decoder(list[Raw])


@cache
def _object_decoder() -> Decoder[dict[_Key, Raw]]:
    from msgspec import Raw
    from msgspec.json import Decoder

    return Decoder(dict[_Key, Raw], dec_hook=lambda _type, _key: _Key())


MOST_LEVELS = 900
PIECE = 1 << 20

_DROPPED = bytes(byte for byte in range(256) if byte not in b'[]{}"')
_STRING = compile_pattern(rb'"[^"]*"')
_STEP = bytes(1 if byte in b"[{" else 0 for byte in range(256))
_ROUNDS = 8


def levels_exceed(buffer: memoryview, most: int) -> bool:
    """Whether valid JSON has more than `most` levels of arrays and objects.

    >>> levels_exceed(memoryview(b'[["]"]]'), 2), levels_exceed(memoryview(b'[["["]]'), 1)
    (False, True)
    """
    if len(buffer) <= 2 * most:  # each level takes two brackets
        return False
    level, in_string, carried = 0, False, b""
    for start in range(0, len(buffer), PIECE):
        piece = carried + bytes(buffer[start : start + PIECE])
        carried = b""
        if b"\\" in piece:
            piece, carried = _without_escapes(piece)
        marks = piece.translate(None, _DROPPED)
        if in_string:
            marks = b'"' + marks
        brackets, in_string = _without_strings(marks)
        level, exceeded = _level_after(brackets, level, most)
        if exceeded:
            return True
    return False


def _without_escapes(piece: bytes) -> tuple[bytes, bytes]:
    """The piece without escaped characters that matter here, and a backslash at its end that escapes what follows."""
    piece = piece.replace(b"\\\\", b"").replace(b'\\"', b"")
    return (piece[:-1], b"\\") if piece.endswith(b"\\") else (piece, b"")


def _without_strings(marks: bytes) -> tuple[bytes, bool]:
    """The brackets outside strings, and whether the marks end inside one."""
    if b'"' not in marks:
        return marks, False
    in_string = marks.count(b'"') % 2 == 1
    # Strings without brackets are the rule, and a native search takes them out. Two that touch may
    # lose their inner quotes and become one, which is taken out whole below.
    marks = marks.replace(b'""', b"")
    if in_string:
        marks += b'"'
    return _STRING.sub(b"", marks), in_string


def _level_after(brackets: bytes, level: int, most: int) -> tuple[int, bool]:
    """The level after these brackets, and whether it was too high somewhere."""
    opened = brackets.count(b"[") + brackets.count(b"{")
    after = level + 2 * opened - len(brackets)
    if level + opened <= most:
        return after, False
    shorter = brackets
    for _ in range(_ROUNDS):
        shorter = shorter.replace(b"[]", b"").replace(b"{}", b"")
    # A round takes off pairs with nothing inside, two levels at the most: `[{}]` loses both at once.
    if _highest(shorter, level) + 2 * _ROUNDS <= most:
        return after, False
    return after, _highest(brackets, level) > most


def _highest(brackets: bytes, level: int) -> int:
    steps = (2 * step - 1 for step in brackets.translate(_STEP))
    return max(accumulate(steps, initial=level))


LONGEST_COPY = 1 << 26  # bytes of a text of which a copy is made

_WHOLE_STRING = rb'"(?:[^"\\]|\\.)*+"'
_COMMENT = compile_pattern(rb"(?s)(%b)|//[^\r\n]*+|/\*.*?\*/" % _WHOLE_STRING)
_TRAILING_COMMA = compile_pattern(rb"(?s)(%b)|,(?=\s*+[\]}])" % _WHOLE_STRING)
_PLACE = compile_pattern(r" ?\(byte (\d+)\)")
_MALFORMED = "JSON is malformed: "


def without_comments(source: Source) -> Source | None:
    r"""The text with blanks for comments and trailing commas, or None when it has none, or is too long for a copy.

    >>> bytes(without_comments(Source(memoryview(b'[1, // "one"\n2,]'), 16)).buffer)
    b'[1,         \n2 ]'
    """
    if len(source.buffer) > LONGEST_COPY:
        return None
    text = bytes(source.buffer)
    plain = _TRAILING_COMMA.sub(_blanked, _COMMENT.sub(_blanked, text))
    return None if plain == text else checked_source(memoryview(plain))


def _blanked(found: re.Match[bytes]) -> bytes:
    return found[0] if found[1] is not None else b" " * len(found[0])


def json_fault(buffer: memoryview) -> str:
    """Why a text is no JSON, in the parser's words, and in which line."""
    from msgspec import DecodeError, Raw
    from msgspec.json import Decoder

    try:
        Decoder(Raw).decode(buffer)
    except RecursionError:
        return "more than 900 levels"
    except DecodeError as error:
        words = str(error).removeprefix(_MALFORMED)
        place = _PLACE.search(words)
        line = line_at(buffer, min(int(place[1]), len(buffer))) if place else 0
        return f"{_PLACE.sub('', words)} in line {line}" if line else words.lower()
    return "more than 900 levels"


def joined_values(sequence: bytes) -> bytes:
    r"""Values that stand below each other as elements of one array; each begins where it began.

    >>> joined_values(b'{"a": 1}\n{"a": 2}'), joined_values(b'[\n 1\n]\r\n[]')
    (b'{"a": 1},{"a": 2}', b'[\n 1\n], []')
    """
    return NEXT_VALUE.sub(lambda found: b",".ljust(len(found[0])), sequence)


def only_short_arrays(content: bytes, most: int) -> bool:
    """Whether no array in here can have more than `most` elements: in doubt, not."""
    return b"[" not in content or content.count(b",") < most
