"""What strings of JSON hold: lines of a text, what is packed as letters, or what another value says again.

A list of strings that end with line ends is one text, as of a cell of a notebook; of a picture in base64 a part says
nothing; and tool servers answer with a text for those who read, and with the same again for those who parse.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, compile_pattern
from overspill.core.spans import Span
from overspill.documents.json_pieces import QUOTE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from overspill.documents.json_pieces import Element

END_OF_LINE = b'\\n"'  # with which a string ends that is a line
MANY = 60  # rows, or lines: of so many it is told what they add up to
LOOKED_AT, LARGEST, LONG = 5, 1 << 16, 600  # rows that are looked at; bytes of one; characters of all of them
LEAST_PACKED, GLANCE = 240, 1 << 12  # characters of a string that is packed, and of it those that are looked at
LARGEST_READ, LEAST_ECHO = 1 << 21, 1_000  # bytes of a document that is searched for echoes, and of one
MOST_COMPARED, DEEPEST = 400, 4  # values that an echo may be of, and their levels
STRING = rb'(?s)"[^"\\]*(?:\\.[^"\\]*)*"'
PACKED = rb"(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])(?=\D*\d)(?:[A-Za-z0-9+/_-]|\\n|\\/)+={0,2}(?:\\n)?\\?"
PACKED_RUN = rb'"(?=[^"A-Z]*[A-Z])(?=[^"a-z]*[a-z])(?=[^"\d]*\d)(?:[A-Za-z0-9+/_-]|\\n|\\/){240}'


def is_text(buffer: memoryview, known: Sequence[Element], number: int) -> bool:
    """Whether the elements of an array are the lines of a text that is short enough to be told by them."""
    width = len(END_OF_LINE)
    ends = {bytes(buffer[one.end - width : one.end]) for one in known[:-1]}
    return ends == {END_OF_LINE} and 2 < number < MANY  # noqa: PLR2004  # a pair says what it is


def are_texts(buffer: memoryview, known: Sequence[Element], number: int) -> bool:
    """Whether a text is the most of a row: then each says something of its own, as cells of a notebook do."""
    some = [one for one in known[:LOOKED_AT] if one.end - one.value <= LARGEST]
    size = sum(one.end - one.value for one in some)
    if number >= MANY or size <= LONG:
        return False
    from msgspec import DecodeError
    from msgspec.json import decode

    try:
        told = sum(_longest_text(decode(buffer[one.value : one.end])) for one in some)
    except DecodeError:  # a number that is too large
        return False
    return 2 * told > size


def _longest_text(row: object) -> int:
    """The characters of the longest text of an object, which may be a list of its lines."""
    values = row.values() if isinstance(row, dict) else ()
    lists = [one if isinstance(one, list) else [one] for one in values]
    return max((sum(len(line) for line in lines if isinstance(line, str)) for lines in lists), default=0)


def is_packed(buffer: memoryview, value: Span) -> bool:
    """Whether a value is a long string of what is packed, such as a picture: a part of it says nothing."""
    if value.end - value.start < LEAST_PACKED or buffer[value.start] != QUOTE:
        return False
    return compile_pattern(PACKED).fullmatch(bytes(buffer[value.start + 1 : value.end - 1][:GLANCE])) is not None


def holds_packed(buffer: memoryview, value: Span) -> bool:
    """Whether some string in a value is packed."""
    if value.end - value.start < LEAST_PACKED:
        return False
    return compile_pattern(PACKED_RUN).search(bytes(buffer[value.start : value.end])) is not None


def echoes_in(buffer: memoryview) -> tuple[Span, ...]:
    """The long strings of a document that say what another value says: the same text, or the same JSON.

    Tool servers answer with a text for those who read, and with the same again for those who parse.
    """
    if not LEAST_ECHO < len(buffer) <= LARGEST_READ:
        return ()
    text = bytes(buffer)
    spans = (Span(*found.span()) for found in compile_pattern(STRING).finditer(text))
    found, known = list[Span](), dict[bytes, Span]()
    for span in spans:
        if span.end - span.start >= LEAST_ECHO and known.setdefault(text[span.start : span.end], span) is not span:
            found.append(span)
    quoted = [span for said, span in known.items() if said[1] in b"{["]
    return (*found, *(_echoes_of_values(text, quoted) if quoted else ()))


def _echoes_of_values(text: bytes, quoted: list[Span]) -> Iterator[Span]:
    """Those of the strings that are JSON which stands elsewhere in the text as a value."""
    from msgspec import DecodeError
    from msgspec.json import decode

    try:
        values = [*_containers(decode(text), DEEPEST)][:MOST_COMPARED]
    except DecodeError:
        return
    for span in quoted:
        try:
            said = decode(decode(text[span.start : span.end], type=str))
        except DecodeError:
            continue
        if any(said == value for value in values):
            yield span


def _containers(value: object, levels: int) -> Iterator[object]:
    if isinstance(value, dict | list) and levels:
        yield value
        for one in value.values() if isinstance(value, dict) else value:
            yield from _containers(one, levels - 1)
