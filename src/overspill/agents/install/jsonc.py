"""JSON as people write it, with comments and trailing commas: where everything in it stands.

Nothing is written here. A value is read together with its place in the text, so that `jsonc_edits.py` can
change one part and leave every other character alone.

Changes one part of a JSON text and leaves every other character alone: comments, indents, order, commas.
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


Keys = tuple[str, ...]
SPACES = " \t"
INDENT = re.compile(r"[ \t]*")
BESIDE = re.compile(r"(?:[ \t]+|/\*[^\r\n]*?\*/)*(?://[^\r\n]*)?")  # comments on the same line


def lookup(text: str, keys: Keys) -> Node | None:
    """What stands under these keys."""
    node: Node | None = parse(text)
    for key in keys:
        part = node.get(key) if node is not None else None
        node = part.node if part else None
    return node


def put(text: str, keys: Keys, value: object) -> str:
    r"""The text with `value` under `keys`: in the place of what stood there, or last in its object.

    >>> put('{"a": 1 // one\n}', ("b",), True)
    '{"a": 1, // one\n "b": true\n}'
    """
    above = parse(text)
    for depth, key in enumerate(keys):
        part = above.get(key)
        if part is None:
            for missing in reversed(keys[depth + 1 :]):
                value = {missing: value}
            return _insert(text, above, key, value)
        above = part.node
    return text if same(above.value, value) else _written_over(text, above, value)


def append(text: str, keys: Keys, value: object) -> str:
    """The text with `value` as the last element of the array under `keys`, which is made if need be."""
    found = lookup(text, keys)
    return put(text, keys, [value]) if found is None else _insert(text, found, None, value)


def replace(text: str, node: Node, value: object) -> str:
    """The text with `value` in the place of a node."""
    return text if same(node.value, value) else _written_over(text, node, value)


def remove(text: str, above: Node, part: Part) -> str:
    """The text without one part of a container, and without the line it stood on; comments beside it stay."""
    number = above.parts.index(part)
    before = above.parts[number - 1].comma if number else -1
    gone = [(part.start, part.node.end)]
    if part.comma >= 0:
        gone.append((part.comma, part.comma + 1))
    elif before >= 0 and not text[before + 1 : part.start].strip(SPACES):
        gone = [(before, part.node.end)]
    elif before >= 0:
        gone.append((before, before + 1))
    if len(above.parts) == 1 and not text[above.start + 1 : part.start].strip() and _bare(text, part, above.end - 1):
        return text[: above.start + 1] + text[above.end - 1 :]  # nothing is left, so nothing is left of its lines
    for start, end in sorted(gone, reverse=True):
        text = _without(text, start, end)
    return text


def same(one: object, other: object) -> bool:
    """Whether two values are written alike: `1` is not `true`.

    >>> same({"a": 1, "b": 2}, {"b": 2, "a": 1}), same(1, True)
    (True, False)
    """
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _bare(text: str, part: Part, end: int) -> bool:
    """Whether only a comma and space stand between a part and the end of its container."""
    return not text[part.node.end : end].replace(",", "", 1).strip()


def _without(text: str, start: int, end: int) -> str:
    """The text without a span; if it was all that stood on its line, without the line."""
    line = text.rfind("\n", 0, start) + 1
    after = end
    while text[after : after + 1] in {" ", "\t"}:
        after += 1
    ends_line = text[after : after + 1] in {"\n", "\r", ""}
    if ends_line and line and not text[line:start].strip(SPACES):
        before = line - 2 if text[line - 2 : line] == "\r\n" else line - 1
        return text[:before] + text[after:]
    if ends_line:
        return text[:start].rstrip(SPACES) + text[end:]
    return text[:start] + text[after if text[start - 1] in " \t[{" else end :]


def _insert(text: str, above: Node, key: str | None, value: object) -> str:
    """The text with a part more at the end of a container."""
    if not above.parts:
        return _first(text, above, key, value)
    last = above.parts[-1]
    if "\n" not in text[above.start : last.start]:  # all on one line, or at least begun so
        written = _written(text, key, value, None)
        if last.comma >= 0:
            return f"{text[: last.comma + 1]} {written},{text[last.comma + 1 :]}"
        return _spliced(text, last.node.end, ",", _line_end(text, last.node.end), f" {written}", above)
    indent = _indent_at(text, last.start)
    written = _newline(text) + indent + _written(text, key, value, indent)
    if last.comma >= 0:
        at = _line_end(text, last.comma + 1)
        return f"{text[:at]}{written},{text[at:]}"
    return _spliced(text, last.node.end, ",", _line_end(text, last.node.end), written, above)


def _spliced(text: str, comma_at: int, comma: str, at: int, written: str, above: Node) -> str:
    """The comma goes to the value it follows, the new part after the comment that belongs to that value."""
    at = min(at, above.end - 1)
    between = text[comma_at:at]
    if not between.strip():
        at, between = comma_at, ""
    if "//" in between and not written.startswith(("\n", "\r")):
        written = _newline(text) + _indent_at(text, above.parts[-1].start) + written
    return text[:comma_at] + comma + between + written + text[at:]


def _first(text: str, above: Node, key: str | None, value: object) -> str:
    """The first part of a container that is empty, but for comments."""
    inside = text[above.start + 1 : above.end - 1]
    if "\n" not in text and text.strip() != "{}":
        return f"{text[: above.start + 1]}{inside}{_written(text, key, value, None)}{text[above.end - 1 :]}"
    outer = _indent_at(text, above.start)
    indent = outer + _unit(text)
    line = _newline(text)
    kept = inside.rstrip()
    written = f"{kept}{line}{indent}{_written(text, key, value, indent)}{line}{outer}"
    return text[: above.start + 1] + written + text[above.end - 1 :]


def _written_over(text: str, node: Node, value: object) -> str:
    one_line = "\n" not in text[node.start : node.end] and isinstance(node.value, dict | list) and node.parts
    indent = None if one_line or "\n" not in text else _indent_at(text, node.start)
    return text[: node.start] + _written(text, None, value, indent) + text[node.end :]


def _written(text: str, key: str | None, value: object, indent: str | None) -> str:
    """A part as text: on one line, or on several below `indent`."""
    body = json.dumps(value, ensure_ascii=False)
    if indent is not None and isinstance(value, dict | list) and _is_deep(value):
        inner = indent + _unit(text)
        pairs = value.items() if isinstance(value, dict) else ((None, one) for one in value)
        lines = f",{_newline(text)}{inner}".join(_written(text, name, one, inner) for name, one in pairs)
        body = f"{body[0]}{_newline(text)}{inner}{lines}{_newline(text)}{indent}{body[-1]}"
    return body if key is None else f"{json.dumps(key, ensure_ascii=False)}: {body}"


def _is_deep(value: dict[str, object] | list[object]) -> bool:
    """Whether it reads better on several lines: objects do, lists of words do not."""
    return bool(value) and (isinstance(value, dict) or any(isinstance(one, dict | list) for one in value))


def _line_end(text: str, at: int) -> int:
    """Where the comments end that stand on the same line after a place."""
    found = BESIDE.match(text, at)
    return found.end() if found else at


def _indent_at(text: str, at: int) -> str:
    """The space that the line of a place begins with."""
    found = INDENT.match(text, text.rfind("\n", 0, at) + 1)
    return found[0] if found else ""


def _unit(text: str) -> str:
    r"""What one level is indented by: the first indented line says it.

    >>> _unit('{\n    "a": 1\n}')
    '    '
    """
    found = re.search(r'\n([ \t]+)["{\[]', text)
    return found[1] if found else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
