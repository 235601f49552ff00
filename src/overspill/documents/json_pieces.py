"""A text as the bytes of its UTF-8, and a stretch of a long JSON container, split into its elements by a native parser.

Cuts of documents are found in bytes, where they lie, and told in characters. In ASCII the two are the same; elsewhere
characters are counted only between the places that are asked for.

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

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator, Sequence

    from msgspec import Raw
    from msgspec.json import Decoder


_LINE_END = compile_pattern(rb"\n")
COUNTED_BYTES = 1 << 18
WINDOW = 1 << 12

OPEN_ARRAY, OPEN_OBJECT, QUOTE, COMMA, CLOSE_ARRAY, CLOSE_OBJECT = b'[{",]}'
NEWLINE = ord("\n")  # stands for the opening bracket of records that are lines,
SEQUENCE = ord("\x1e")  # and this of those that take as many as they need
NEXT_VALUE = compile_pattern(rb"(?<=[}\]])[ \t\r]*\n[ \t\r\n]*(?=[{\[])")  # between two of them, as `jq` writes them

CONTEXT, CLOSING = 24, 2  # bytes at both ends of an element that help to tell its borders from those inside it

SEPARATORS = b" \t\n\r,"

_NESTED = compile_pattern(rb'[\[{"]')


class Source(NamedTuple):
    """Bytes of UTF-8 that are `chars` characters long."""

    buffer: memoryview
    chars: int

    @property
    def ascii(self) -> bool:
        return self.chars == len(self.buffer)

    def text(self, start: int, end: int) -> str:
        """The characters that lie there."""
        return str(self.buffer[start:end], "utf-8")

    def width(self, start: int, end: int) -> int:
        """How many characters lie there.

        >>> Source(memoryview("aéz".encode()), 3).width(1, 4)
        2
        """
        if self.ascii:
            return end - start
        # A character is one byte that is no continuation byte, so pieces may end anywhere.
        pieces = (bytes(self.buffer[at : min(at + COUNTED_BYTES, end)]) for at in range(start, end, COUNTED_BYTES))
        return sum(len(piece) if piece.isascii() else _starts(piece) for piece in pieces)

    def characters(self, places: Sequence[int]) -> list[int]:
        """Places in bytes, in order, as places in characters.

        The widest stretch between two of them is not looked at, since the total is known.
        """
        if self.ascii:
            return list(places)
        stops = [0, *places, len(self.buffer)]
        widths = [stops[index + 1] - stops[index] for index in range(len(stops) - 1)]
        skipped = widths.index(max(widths))
        counted = [
            0 if index == skipped else self.width(stops[index], stops[index + 1]) for index in range(len(widths))
        ]
        counted[skipped] = self.chars - sum(counted)
        result, at = [], 0
        for width in counted[:-1]:
            at += width
            result.append(at)
        return result


def skip_forward(buffer: memoryview, start: int, end: int, unwanted: bytes) -> int:
    """The first place from `start` on where none of these bytes stands, however many they are."""
    while start < end and buffer[start] in unwanted:
        window = bytes(buffer[start : min(end, start + WINDOW)])
        start += len(window) - len(window.lstrip(unwanted))
    return start


def skip_back(buffer: memoryview, start: int, end: int, unwanted: bytes) -> int:
    """The last place up to `end` before which none of these bytes stands."""
    while start < end and buffer[end - 1] in unwanted:
        window = bytes(buffer[max(start, end - WINDOW) : end])
        end -= len(window) - len(window.rstrip(unwanted))
    return end


def stripped_span(buffer: memoryview, start: int, end: int, unwanted: bytes) -> Span:
    """A part of the buffer without these bytes at its ends.

    >>> stripped_span(memoryview(b"  , 1 , "), 0, 8, b" ,")
    Span(start=4, end=5)
    """
    start = skip_forward(buffer, start, end, unwanted)
    return Span(start, skip_back(buffer, start, end, unwanted))


def line_at(buffer: memoryview, at: int) -> int:
    r"""In which line a byte stands, counted from one.

    >>> line_at(memoryview(b"a\nb\n"), 2)
    2
    """
    return 1 + sum(
        bytes(buffer[start : min(start + COUNTED_BYTES, at)]).count(b"\n") for start in range(0, at, COUNTED_BYTES)
    )


def end_of_line(buffer: memoryview, near: int) -> int:
    """The end of the line that `near` lies in, its line end included."""
    found = _LINE_END.search(buffer, near)
    return len(buffer) if found is None else found.end()


_CONTINUATION = bytes(range(0x80, 0xC0))


def _starts(piece: bytes) -> int:
    return len(piece.translate(None, _CONTINUATION))


def checked_source(buffer: memoryview) -> Source | None:
    """A source of bytes that nobody has looked at yet, or None when they are not UTF-8."""
    import codecs

    whole = buffer.obj
    if isinstance(whole, bytes) and len(whole) == len(buffer) and whole.isascii():
        return Source(buffer, len(buffer))
    decoder = codecs.getincrementaldecoder("utf-8")()
    chars, pending = 0, False
    try:
        for at in range(0, len(buffer), COUNTED_BYTES):
            piece = bytes(buffer[at : at + COUNTED_BYTES])
            if pending or not piece.isascii():
                chars += len(decoder.decode(piece))
                pending = bool(decoder.getstate()[0])
            else:
                chars += len(piece)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return None
    return Source(buffer, chars)


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
SCANNED_BYTES = 1 << 20

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
    for start in range(0, len(buffer), SCANNED_BYTES):
        piece = carried + bytes(buffer[start : start + SCANNED_BYTES])
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

# One that does not end is one, too: else every quote in it would be looked behind up to the end.
_WHOLE_STRING = rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)'
_COMMENT = compile_pattern(rb"(?s)(%b)|//[^\r\n]*+|/\*.*?(?:\*/|\Z)" % _WHOLE_STRING)
# Behind an opening bracket or another comma there is nothing that one could trail.
_TRAILING_COMMA = compile_pattern(rb"(?s)(%b|[\[{,]\s*+,)|,(?=\s*+[\]}])" % _WHOLE_STRING)
_PLACE = compile_pattern(r" ?\(byte (\d+)\)")
_MALFORMED = "JSON is malformed: "


# What Python writes in the place of what JSON has. A string in which one escaped sign would be another is left alone.
_LITERAL = compile_pattern(
    rb"(?s)(%b)|'((?:[^'\\\"\x00-\x1f]|\\[\\nrt])*+)'|\b(None|True|False)\b|(?<![\w)\]])(\()|(\))" % _WHOLE_STRING
)
_STRICT_WORDS = {b"None": b"null", b"True": b"true", b"False": b"false"}


_PRINTED = compile_pattern(rb"\{\s*'|\[\s*(?:['(]|\{\s*')")
LONGEST_PRINTED = 1 << 23  # bytes of a value inside something else


def may_be_printed(buffer: memoryview) -> bool:
    """Whether these bytes begin as what Python prints of a list or a dictionary."""
    return len(buffer) <= LONGEST_PRINTED and _PRINTED.match(buffer) is not None


def strict_copy(source: Source) -> Source | None:
    r"""The text with blanks for comments and trailing commas, and what Python prints of values as JSON has it.

    None when it has none of these, or is too long for a copy. Everything lies where it lay.

    >>> bytes(strict_copy(Source(memoryview(b'[1, // "one"\n2,]'), 16)).buffer)
    b'[1,         \n2 ]'
    >>> bytes(strict_copy(Source(memoryview(b"{'a': (None, \"it's\")}"), 22)).buffer)
    b'{"a": [null, "it\'s"]}'
    """
    if len(source.buffer) > LONGEST_COPY:
        return None
    text = bytes(source.buffer)
    plain = _LITERAL.sub(_in_json, text) if b"'" in text else text
    plain = _TRAILING_COMMA.sub(_blanked, _COMMENT.sub(_blanked, plain))
    return None if plain == text else checked_source(memoryview(plain))


def _in_json(found: re.Match[bytes]) -> bytes:
    string, quoted, word, opening, _ = found.groups()
    if string is not None:
        return found[0]
    if quoted is not None:
        return b'"%b"' % quoted
    return _STRICT_WORDS[word] if word else b"[" if opening else b"]"


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
