"""Marks of ours in a text, told by the words that the renderer writes them with.

Only what stands in the place of something else is a mark: gaps, the lines that name an artifact, placeholders of
secrets. What a view states about its text (`[12 failed tests: ...]`) is worth keeping wherever somebody puts it.
Honest text may look the same, so a mark is ours only if it was drawn: whoever asks compares.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.core.markers import QUOTE, Wording

if TYPE_CHECKING:
    from collections.abc import Iterator

# What stands in the place of something: known again by its words.
GAPS = (
    Wording.MARKER,
    Wording.FOLD,
    Wording.SAME,
    Wording.SAME_LINES,
    Wording.TIMES,
    Wording.FILES,
    Wording.HUNKS,
    Wording.RUNNING,
    # In few words, of lines, characters or whatever a document calls its elements; the shortest have no blanks.
    "[... {} {}]",
    # In a document, in the specification's words: an element, a key, a string.
    "... {} {} omitted ...",
    '"...": "{} {} omitted',
    "... [{} chars omitted",
)
# What says where the rest is: how it begins. After that comes the name of an artifact, by which it is known.
REFERENCES = (
    Wording.HINT.partition("{")[0],
    Wording.ARTIFACT.partition("{")[0],
    Wording.HEADER.partition("rest")[0],
    Wording.HEADER_OF_LINE.rpartition("{")[0],
    Wording.KEPT_HERE.partition("rest")[0],
    Wording.IDENTICAL.partition("{")[0],
    Wording.DIFF.partition("{")[0],
    Wording.CLEARED.partition("}")[0] + "}: ",
)
PLACEHOLDER, URL_PLACEHOLDER = "[REDACTED: ", "REDACTED_PASSWORD"
MARK_CHARS = 160  # of a mark by which it is known: a call or a label in it may be long
REFERENCE_CHARS = 400  # before the artifact is named
MOST_MARKS = 500  # of one text that are looked at

_NUMBER = r"\d[\d,]*+"
_WORDS = rf"[^\[\]\n]{{0,{MARK_CHARS}}}?"
_COUNTED = (" line", " char", " ln", " ch", " tok", " more times")
_BEFORE_A_NUMBER = (" x", "~", "turn ", "... ", '"...": "', "... [")
_TYPE = r"[A-Za-z0-9_.-]+?"
_SHORT_GAP = rf"\[\.\.\. ?{_NUMBER} ?[^\W\d][^\[\]\n]{{0,{MARK_CHARS}}}\]?"


class MarkMatch(NamedTuple):
    """A mark in a text: how it reads, where it begins, which artifact it names, and what type of secret it hides."""

    text: str
    start: int
    artifact: str = ""
    hides: str = ""


def marks_in(text: str) -> Iterator[MarkMatch]:
    r"""What reads like a mark of ours, in order. Lines that were quoted because they only look like one are left out.

    >>> [mark.text for mark in marks_in("a\n# [... 131 lines]\nb = [...lines]\npw: [REDACTED: PASSWORD-2]")]
    ['[... 131 lines]', '[REDACTED: PASSWORD-2]']
    """
    if not may_hold_marks(text):
        return
    for number, found in enumerate(compile_pattern(mark_pattern()).finditer(text)):
        if number == MOST_MARKS:
            return
        start = found.start()
        if text.startswith(QUOTE, text.rfind("\n", 0, start) + 1):
            continue
        hides = found["hides"] or (URL_PLACEHOLDER if found[0] == URL_PLACEHOLDER else "")
        yield MarkMatch(found[0][:MARK_CHARS], start, found["id"] or "", hides)


def may_hold_marks(text: str) -> bool:
    """Whether a text may hold one: no more than a look for letters that every mark has.

    >>> may_hold_marks("[1, 2]"), may_hold_marks("[... 131 lines]")
    (False, True)
    """
    return any(needle in text for needle in NEEDLES)


def mark_pattern() -> str:
    """All marks as one pattern. Every field goes to the first place where the words after it stand, and no further."""
    naming = "|".join(sorted(map(_mark_form, REFERENCES)))
    gaps = sorted({_SHORT_GAP if sentence == "[... {} {}]" else _mark_form(sentence) for sentence in GAPS})
    named = rf"(?:{naming}|\[(?=art_[a-z0-9_]+\]))(?>[^\n]{{0,{REFERENCE_CHARS}}}?(?P<id>art_[a-z0-9_]+))\]?"
    return "|".join([*gaps, named, rf"\[REDACTED: (?P<hides>{_TYPE})(?:-\d{{1,3}})?\]", URL_PLACEHOLDER])


def _mark_form(sentence: str) -> str:
    said, *rest = sentence.replace("{:,}", "{}").split("{}")
    pattern = _escaped_words(said)
    for words in rest:
        field = _NUMBER if words.startswith(_COUNTED) or said.endswith(_BEFORE_A_NUMBER) else _WORDS
        pattern += f"(?>{field}{_escaped_words(words)})"
        said = words
    return pattern


def _escaped_words(words: str) -> str:
    """Words as a pattern; of one line it is said that it is a line."""
    escaped = "".join(letter if letter.isalnum() or letter in ' "' else f"\\{letter}" for letter in words)
    return escaped.replace("lines", "lines?")


# Letters of which every mark has some, as they stand in JSON, too: no quotes and nothing that may be escaped there.
NEEDLES = (
    "[...", "omitted", "[same ", " ln x", "[original ", "[Artifact: ", " chars; ", "[identical to ", "[kept here",
    "[art_", "[diff against ", "[still running", "[cleared at turn ", PLACEHOLDER, URL_PLACEHOLDER,
)  # fmt: skip
