"""What stands in a document where something was left out: data in JSON, comments in XML.

A note, the call that fetches the largest part left out, stands beside its marker or inside it. A string may lose its
middle; no escape, no pair of surrogates and no grapheme is split.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.core.markers import MarkForms
from overspill.core.spans import CLUSTER_REACH, Form, Gap, Span, ceil, floor

if TYPE_CHECKING:
    from overspill.documents.source import Source

_DASHES = compile_pattern(r"--(\w+)")


class MarkedGap(NamedTuple):
    """A gap in bytes, and all that stands in its place."""

    gap: Gap
    words: str


def omitted_words(number: int, noun: str) -> str:
    """How much is missing, in the words of the specification's samples.

    >>> omitted_words(49990, "users"), omitted_words(1, "keys")
    ('49,990 users omitted', '1 key omitted')
    """
    return f"{number:,} {noun_for(number, noun)} omitted"


# Words of ours. What a document calls its own elements is left as it is.
OUR_NOUNS = frozenset({"items", "keys", "records", "elements", "chars", "lines"})


def noun_for(number: int, noun: str) -> str:
    """The noun as it is said of so many."""
    return noun[:-1] if number == 1 and noun in OUR_NOUNS else noun


def mark(gap: Gap, note: str = "", *, short: bool = False) -> str:
    """The mark of a gap in a document, with the note if it is the one that carries it.

    In few words it is never longer than in the specification's, so whoever plans with these has room for it.

    >>> mark(Gap(0, 90, Form.ITEM, 4960)), mark(Gap(0, 90, Form.ITEM, 4960), short=True)
    ('"... 4,960 items omitted ..."', '"[... 4960 items]"')
    """
    if gap.quoted:
        return _lines_in_string(mark(gap._replace(quoted=gap.quoted - 1), note, short=short))
    if gap.form is Form.LINE:
        return gap.before + _line_words(gap, note, short=short) + gap.after
    return gap.before + (_short_words(gap, note) if short else _mark_words(gap, note)) + gap.after


def _short_words(gap: Gap, note: str) -> str:
    words, data = f"{gap.number} {noun_for(gap.number, gap.noun)}", json_string(note)
    joined = f"{words}; {data[1:-1]}" if note else words
    match gap.form:
        case Form.COMMENT:
            told = "".join(comment(statement) + gap.between for statement in gap.said)
            return told + comment(f"[... {words}]") + (comment(note) if note else "")
        case Form.ATTRIBUTE:
            return f"[... {words}{attribute(note)}]"
        case Form.ITEM:
            told = "".join(json_string(statement) + gap.between for statement in gap.said)
            return f'{told}"[... {words}]"{gap.between + data if note else ""}'
        case Form.KEY:
            return _mark_words(gap, note)
        case Form.STRING:
            return f"{_string_lines(gap.said)}[... {joined}]"
        case _:
            return _mark_words(gap, note) if gap.said else f'"[... {joined}]"'


def _line_words(gap: Gap, note: str, *, short: bool) -> str:
    """What stands between lines that are no part of a document."""
    return MarkForms(short).gap(gap.number, gap.chars) + (f"\n{note}" if note else "")


def _mark_words(gap: Gap, note: str) -> str:
    if gap.form is Form.COMMENT:
        told = "".join(comment(words) + gap.between for words in gap.said)
        return told + comment(f"... {omitted_words(gap.number, gap.noun)} ...") + (comment(note) if note else "")
    if gap.form is Form.ATTRIBUTE:
        return f"... [{gap.number} chars omitted{attribute(note)}] ..."
    words = omitted_words(gap.number, gap.noun)
    data = json_string(note)
    joined = f"{words}; {data[1:-1]}" if note else words
    match gap.form:
        case Form.ITEM:
            told = "".join(json_string(statement) + gap.between for statement in gap.said)
            return f'{told}"... {words} ..."{gap.between + data if note else ""}'
        case Form.KEY:
            told = ", ".join([*map(json_string, gap.said), f'"{joined}"'])
            return f'"{gap.key}": {f"[{told}]" if gap.said else told}'
        case Form.STRING:
            # Plain digits, as in the marker of texts.
            number = f"{gap.number} {noun_for(gap.number, gap.noun)}"
            return f"{_string_lines(gap.said)}... [{number} omitted{joined[len(words) :]}] ..."
        case _:
            said = json_string("; ".join([*gap.said, *([note] if note else [])]))
            return said if gap.said else f'"... {joined} ..."'


def _lines_in_string(text: str) -> str:
    """A text as it stands in a string."""
    return "\\n".join(json_string(line)[1:-1] for line in text.split("\n"))


def _string_lines(said: tuple[str, ...]) -> str:
    """Statements as lines of a text in a string."""
    return "".join(f"{_lines_in_string(statement)}\\n" for statement in said)


def json_string(text: str) -> str:
    r"""A JSON string. What nobody would see in it, such as signs without a width, is escaped, as it may have been.

    >>> print(json_string('show "a"\n'), json_string("a\u200b\U000e0041"))
    "show \"a\"\u000a" "a\u200b\udb40\udc41"
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    if escaped.isprintable():
        return f'"{escaped}"'
    return '"' + "".join(char if char.isprintable() else _escaped_sign(char) for char in escaped) + '"'


def _escaped_sign(char: str) -> str:
    pairs = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{pairs[at : at + 4]}" for at in range(0, len(pairs), 4))


def attribute(note: str) -> str:
    """A note as it stands in the value of an XML attribute, after other words.

    >>> attribute('show "a"')
    '; show &quot;a&quot;'
    """
    escaped = note.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;").replace("'", "&apos;")
    return f"; {escaped}" if note else ""


def comment(text: str) -> str:
    """An XML comment. Two dashes may not stand in one; a shell reads `-'-bytes'` as the same word.

    >>> comment("spill artifacts show art_1_x --bytes 0-9")
    "<!-- spill artifacts show art_1_x -'-bytes' 0-9 -->"
    """
    text = _DASHES.sub(r"-'-\1'", text)
    while "--" in text:
        text = text.replace("--", "- -")
    return f"<!-- {text} -->"


_HIGH, _LOW = r"\\u[dD][89abAB][0-9a-fA-F]{2}", r"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
ESCAPE = compile_pattern(rf"{_HIGH}{_LOW}|\\u.{{4}}|\\[^u]")
_LONGEST_ESCAPE = 12
WINDOW = 1 << 16


def string_gap(source: Source, string: Span, keep: int, head_ratio: float) -> Gap | None:
    """The part to leave out when `keep` characters of a string are to stay, or None when that saves nothing."""
    start, end = string.start + 1, string.end - 1
    head = max(0, round(keep * head_ratio))
    first = _string_head_end(source, start, end, head)
    last = _string_tail_start(source, first, end, max(0, keep - head))
    gap = Gap(first, last, Form.STRING, last - first, "chars")
    if last - first <= 4 * len(mark(gap)) and source.width(first, last) <= len(mark(gap)):
        return None
    return gap


def _string_head_end(source: Source, start: int, end: int, chars: int) -> int:
    """Where the first `chars` characters from `start` on end, or a little before."""
    piece = _whole_characters(source, start, min(end, start + 4 * (chars + CLUSTER_REACH)))
    at = _settled_in_string(piece, min(chars, len(piece)), backward=True)
    return start + len(piece[:at].encode())


def _string_tail_start(source: Source, start: int, end: int, chars: int) -> int:
    """Where the last `chars` characters before `end` begin, or a little after."""
    begin = max(start, end - 4 * (chars + 2 * CLUSTER_REACH))
    # A piece that began with the second half of an escape would be read wrongly.
    piece = _whole_characters(source, begin - _backslashes(source.buffer, start, begin) % 2, end)
    at = _settled_in_string(piece, max(0, len(piece) - chars), backward=False)
    return end - len(piece[at:].encode())


def _whole_characters(source: Source, start: int, end: int) -> str:
    """The characters that lie there whole."""
    return str(source.buffer[start:end], "utf-8", "ignore")


def _backslashes(buffer: memoryview, start: int, end: int) -> int:
    """How many backslashes in a row stand before `end`."""
    at = end
    while at > start:
        window = bytes(buffer[max(start, at - WINDOW) : at])
        run = len(window) - len(window.rstrip(b"\\"))
        at -= run
        if run < len(window):
            break
    return end - at


def _settled_in_string(piece: str, at: int, *, backward: bool) -> int:
    """The nearest place on that side that is inside neither an escape nor a grapheme.

    The last letter of an escape may be the first of a grapheme, so one move may ask for another.
    """
    while True:
        moved = _outside_escape(piece, at, backward=backward)
        moved = floor(piece, moved) if backward else ceil(piece, moved)
        if moved == at:
            return at
        at = moved


def _outside_escape(piece: str, at: int, *, backward: bool) -> int:
    """The nearest place to `at`, on that side, that is not inside an escape."""
    begin = max(0, at - 2 * _LONGEST_ESCAPE)
    # Back to a place that no backslash stands before: from there on, escapes begin where they seem to.
    begin = len(piece[:begin].rstrip("\\"))
    for escape in ESCAPE.finditer(piece, begin, at + _LONGEST_ESCAPE):
        if escape.end() > at:
            return at if escape.start() >= at else escape.start() if backward else escape.end()
    return at
