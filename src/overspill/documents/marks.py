"""What stands in a document where something was left out: data in JSON, comments in XML.

A note, the call that fetches the largest part left out, stands beside its marker or inside it.
"""

from __future__ import annotations

from overspill._lite import NamedTuple, compile_pattern
from overspill.core.spans import Form, Gap

_DASHES = compile_pattern(r"--(\w+)")


class MarkedGap(NamedTuple):
    """A gap in bytes, and all that stands in its place."""

    gap: Gap
    words: str


def omitted_words(number: int, noun: str) -> str:
    """How much is missing, in the words of the specification's samples.

    >>> omitted_words(49990, "users")
    '49,990 users omitted'
    """
    return f"{number:,} {noun} omitted"


def mark(gap: Gap, note: str = "") -> str:
    """The mark of a gap in a document, with the note if it is the one that carries it."""
    return gap.before + _mark_words(gap, note) + gap.after


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
            return f"... [{gap.number} chars omitted{joined[len(words) :]}] ..."
        case _:
            said = json_string("; ".join([*gap.said, *([note] if note else [])]))
            return said if gap.said else f'"... {joined} ..."'


def json_string(text: str) -> str:
    r"""A JSON string.

    >>> print(json_string('show "a"\n'))
    "show \"a\"\u000a"
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(char if char >= " " else f"\\u{ord(char):04x}" for char in escaped) + '"'


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
