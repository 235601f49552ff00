"""JSON as people write it, with comments and trailing commas: where everything in it stands.

Nothing is written here. A value is read together with its place in the text, so that `jsonc_edits.py` can
change one part and leave every other character alone.
"""

import json
import re
from collections.abc import Iterator
from functools import lru_cache

from overspill._lite import NamedTuple

DEEPEST = 200  # levels; settings have ten
BLANK = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
WORD = re.compile(r"-?[A-Za-z0-9+.\-]+")


class BrokenJson(ValueError):
    """A text that is not JSON, and where it stops being that."""

    def __init__(self, reason: str, text: str, at: int) -> None:
        line, column = place_of(text, at)
        super().__init__(f"{reason} (line {line}, column {column})")
        self.line = line
        self.column = column


class Node(NamedTuple):
    """A value and its place. A container has `parts`, whose keys are empty in an array."""

    start: int
    end: int
    value: object
    parts: "tuple[Part, ...]" = ()

    def get(self, key: str) -> "Part | None":
        """The member of that name; of several, the one that counts is the last."""
        return next((part for part in reversed(self.parts) if part.key == key), None)

    @property
    def is_object(self) -> bool:
        return isinstance(self.value, dict)

    @property
    def is_array(self) -> bool:
        return isinstance(self.value, list)


class Part(NamedTuple):
    """A member of an object or an element of an array: from its key on, and where the comma after it stands."""

    key: str
    start: int
    node: Node
    comma: int = -1


@lru_cache(maxsize=4)  # one change asks for the same text several times, and some agents keep megabytes
def parse(text: str) -> Node:
    r"""The one value of a text. `BrokenJson` says where it is none.

    >>> parse('{"a": [1, 2,], // two\n}').value
    {'a': [1, 2]}
    """
    node = _value(text, blank(text, 0), 0)
    rest = blank(text, node.end)
    if rest < len(text):
        raise BrokenJson("something stands after the end", text, rest)
    return node


def blank(text: str, at: int) -> int:
    """The place of the next character that is neither space nor comment."""
    found = BLANK.match(text, at)
    at = found.end() if found else at
    if text.startswith("/*", at):
        raise BrokenJson("a comment is not closed", text, at)
    return at


def comments(text: str) -> Iterator[str]:
    r"""Every comment, in order.

    >>> list(comments('// one\n{"//": "no" /* two */}'))
    ['// one', '/* two */']
    """
    for found in re.finditer(r'"(?:[^"\\]|\\.)*"|(//[^\r\n]*|/\*.*?\*/)', text, re.DOTALL):
        if found[1]:
            yield found[1]


def place_of(text: str, at: int) -> tuple[int, int]:
    """Line and column of a place, both from 1 on."""
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def _value(text: str, at: int, depth: int) -> Node:
    if depth > DEEPEST:
        raise BrokenJson(f"nested deeper than {DEEPEST} levels", text, at)
    first = text[at : at + 1]
    if first == "{":
        return _object(text, at, depth)
    if first == "[":
        return _array(text, at, depth)
    found = (STRING if first == '"' else WORD).match(text, at)
    if found is None:
        raise BrokenJson("the text ends too early" if not first else f"no value begins with {first!r}", text, at)
    try:
        return Node(at, found.end(), json.loads(found[0]))
    except ValueError:
        raise BrokenJson("this is no value", text, at) from None


def _object(text: str, at: int, depth: int) -> Node:
    parts: list[Part] = []
    inside = blank(text, at + 1)
    while not text.startswith("}", inside):
        key = STRING.match(text, inside)
        if key is None:
            raise BrokenJson("a key in quotes belongs here", text, inside)
        colon = blank(text, key.end())
        if not text.startswith(":", colon):
            raise BrokenJson("a colon belongs here", text, colon)
        node = _value(text, blank(text, colon + 1), depth + 1)
        part, inside = _after(text, Part(_word(text, key), inside, node), "}")
        parts.append(part)
    return Node(at, inside + 1, {part.key: part.node.value for part in parts}, tuple(parts))


def _array(text: str, at: int, depth: int) -> Node:
    parts: list[Part] = []
    inside = blank(text, at + 1)
    while not text.startswith("]", inside):
        part, inside = _after(text, Part("", inside, _value(text, inside, depth + 1)), "]")
        parts.append(part)
    return Node(at, inside + 1, [part.node.value for part in parts], tuple(parts))


def _after(text: str, part: Part, closing: str) -> tuple[Part, int]:
    """The part with its comma, and where the next one begins."""
    at = blank(text, part.node.end)
    if text.startswith(",", at):
        return part._replace(comma=at), blank(text, at + 1)
    if not text.startswith(closing, at):
        raise BrokenJson(f"a comma or {closing} belongs here", text, at)
    return part, at


def _word(text: str, key: re.Match[str]) -> str:
    try:
        word: str = json.loads(key[0])
    except ValueError:
        raise BrokenJson("this key is no text", text, key.start()) from None
    return word
