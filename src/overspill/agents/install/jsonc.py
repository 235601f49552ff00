"""JSON as people write it, with comments and trailing commas: where everything in it stands.

A value is read together with its place in the text, so that one part can be changed and every other character left
alone: comments, indents, order, commas. No file is written here.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache

from overspill._lite import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_JSONC_DEPTH = 200  # levels; settings have ten
BLANK = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
WORD = re.compile(r"-?[A-Za-z0-9+.\-]+")


class BrokenJson(ValueError):
    """A text that is not JSON, and where it stops being that."""

    def __init__(self, reason: str, text: str, at: int) -> None:
        line, column = line_and_column(text, at)
        super().__init__(f"{reason} (line {line}, column {column})")
        self.line = line
        self.column = column


class JsoncNode(NamedTuple):
    """A value and its place. A container has `parts`, whose keys are empty in an array."""

    start: int
    end: int
    value: object
    parts: tuple[JsoncPart, ...] = ()

    def get(self, key: str) -> JsoncPart | None:
        """The member of that name; of several, the one that counts is the last."""
        return next((part for part in reversed(self.parts) if part.key == key), None)

    @property
    def is_object(self) -> bool:
        return isinstance(self.value, dict)

    @property
    def is_array(self) -> bool:
        return isinstance(self.value, list)


class JsoncPart(NamedTuple):
    """A member of an object or an element of an array: from its key on, and where the comma after it stands."""

    key: str
    start: int
    node: JsoncNode
    comma: int = -1


@lru_cache(maxsize=4)  # one change asks for the same text several times, and some agents keep megabytes
def parse_jsonc(text: str) -> JsoncNode:
    r"""The one value of a text. `BrokenJson` says where it is none.

    >>> parse_jsonc('{"a": [1, 2,], // two\n}').value
    {'a': [1, 2]}
    """
    node = _parse_value(text, skip_blank(text, 0), 0)
    rest = skip_blank(text, node.end)
    if rest < len(text):
        raise BrokenJson("something stands after the end", text, rest)
    return node


def skip_blank(text: str, at: int) -> int:
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


def line_and_column(text: str, at: int) -> tuple[int, int]:
    """Line and column of a place, both from 1 on."""
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def _parse_value(text: str, at: int, depth: int) -> JsoncNode:
    if depth > MAX_JSONC_DEPTH:
        raise BrokenJson(f"nested deeper than {MAX_JSONC_DEPTH} levels", text, at)
    first = text[at : at + 1]
    if first == "{":
        return _parse_object(text, at, depth)
    if first == "[":
        return _parse_array(text, at, depth)
    found = (STRING if first == '"' else WORD).match(text, at)
    if found is None:
        raise BrokenJson("the text ends too early" if not first else f"no value begins with {first!r}", text, at)
    try:
        return JsoncNode(at, found.end(), json.loads(found[0]))
    except ValueError:
        raise BrokenJson("this is no value", text, at) from None


def _parse_object(text: str, at: int, depth: int) -> JsoncNode:
    parts: list[JsoncPart] = []
    inside = skip_blank(text, at + 1)
    while not text.startswith("}", inside):
        key = STRING.match(text, inside)
        if key is None:
            raise BrokenJson("a key in quotes belongs here", text, inside)
        colon = skip_blank(text, key.end())
        if not text.startswith(":", colon):
            raise BrokenJson("a colon belongs here", text, colon)
        node = _parse_value(text, skip_blank(text, colon + 1), depth + 1)
        part, inside = _with_comma(text, JsoncPart(_key_text(text, key), inside, node), "}")
        parts.append(part)
    return JsoncNode(at, inside + 1, {part.key: part.node.value for part in parts}, tuple(parts))


def _parse_array(text: str, at: int, depth: int) -> JsoncNode:
    parts: list[JsoncPart] = []
    inside = skip_blank(text, at + 1)
    while not text.startswith("]", inside):
        part, inside = _with_comma(text, JsoncPart("", inside, _parse_value(text, inside, depth + 1)), "]")
        parts.append(part)
    return JsoncNode(at, inside + 1, [part.node.value for part in parts], tuple(parts))


def _with_comma(text: str, part: JsoncPart, closing: str) -> tuple[JsoncPart, int]:
    """The part with its comma, and where the next one begins."""
    at = skip_blank(text, part.node.end)
    if text.startswith(",", at):
        return part._replace(comma=at), skip_blank(text, at + 1)
    if not text.startswith(closing, at):
        raise BrokenJson(f"a comma or {closing} belongs here", text, at)
    return part, at


def _key_text(text: str, key: re.Match[str]) -> str:
    try:
        word: str = json.loads(key[0])
    except ValueError:
        raise BrokenJson("this key is no text", text, key.start()) from None
    return word


Keys = tuple[str, ...]
SPACES = " \t"
INDENT = re.compile(r"[ \t]*")
COMMENTS = re.compile(r"(?:[ \t\r\n\ufeff]*(?://[^\r\n]*|/\*.*?\*/))*", re.DOTALL)
BESIDE = re.compile(r"(?:[ \t]+|/\*[^\r\n]*?\*/)*(?://[^\r\n]*)?")  # comments on the same line


def lookup(text: str, keys: Keys) -> JsoncNode | None:
    """What stands under these keys."""
    node: JsoncNode | None = parse_jsonc(text)
    for key in keys:
        part = node.get(key) if node is not None else None
        node = part.node if part else None
    return node


def put_value(text: str, keys: Keys, value: object) -> str:
    r"""The text with `value` under `keys`: in the place of what stood there, or last in its object.

    >>> put_value('{"a": 1 // one\n}', ("b",), True)
    '{"a": 1, // one\n "b": true\n}'
    """
    above = parse_jsonc(text)
    for depth, key in enumerate(keys):
        part = above.get(key)
        if part is None:
            for missing in reversed(keys[depth + 1 :]):
                value = {missing: value}
            return _insert(text, above, key, value)
        above = part.node
    return text if same_json(above.value, value) else _replaced_text(text, above, value)


def append_value(text: str, keys: Keys, value: object) -> str:
    """The text with `value` as the last element of the array under `keys`, which is made if need be."""
    found = lookup(text, keys)
    return put_value(text, keys, [value]) if found is None else _insert(text, found, None, value)


def replace_value(text: str, node: JsoncNode, value: object) -> str:
    """The text with `value` in the place of a node."""
    return text if same_json(node.value, value) else _replaced_text(text, node, value)


def remove_part(text: str, above: JsoncNode, part: JsoncPart) -> str:
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
    if (
        len(above.parts) == 1
        and not text[above.start + 1 : part.start].strip()
        and _ends_container(text, part, above.end - 1)
    ):
        return text[: above.start + 1] + text[above.end - 1 :]  # nothing is left, so nothing is left of its lines
    for start, end in sorted(gone, reverse=True):
        text = _without_span(text, start, end)
    return text


def same_json(one: object, other: object) -> bool:
    """Whether two values are written alike: `1` is not `true`.

    >>> same_json({"a": 1, "b": 2}, {"b": 2, "a": 1}), same_json(1, True)
    (True, False)
    """
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _ends_container(text: str, part: JsoncPart, end: int) -> bool:
    """Whether only a comma and space stand between a part and the end of its container."""
    return not text[part.node.end : end].replace(",", "", 1).strip()


def _without_span(text: str, start: int, end: int) -> str:
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


def _insert(text: str, above: JsoncNode, key: str | None, value: object) -> str:
    """The text with a part more at the end of a container."""
    if not above.parts:
        return _insert_first(text, above, key, value)
    last = above.parts[-1]
    if "\n" not in text[above.start : last.start]:  # all on one line, or at least begun so
        written = _part_text(text, key, value, None)
        if last.comma >= 0:
            return f"{text[: last.comma + 1]} {written},{text[last.comma + 1 :]}"
        return _splice(text, last.node.end, ",", _comments_end(text, last.node.end), f" {written}", above)
    indent = _indent_at(text, last.start)
    written = _newline(text) + indent + _part_text(text, key, value, indent)
    if last.comma >= 0:
        at = _comments_end(text, last.comma + 1)
        return f"{text[:at]}{written},{text[at:]}"
    return _splice(text, last.node.end, ",", _comments_end(text, last.node.end), written, above)


def _splice(text: str, comma_at: int, comma: str, at: int, written: str, above: JsoncNode) -> str:
    """The comma goes to the value it follows, the new part after the comment that belongs to that value."""
    at = min(at, above.end - 1)
    between = text[comma_at:at]
    if not between.strip():
        at, between = comma_at, ""
    if "//" in between and not written.startswith(("\n", "\r")):
        written = _newline(text) + _indent_at(text, above.parts[-1].start) + written
    return text[:comma_at] + comma + between + written + text[at:]


def _insert_first(text: str, above: JsoncNode, key: str | None, value: object) -> str:
    """The first part of a container that is empty, but for comments."""
    inside = text[above.start + 1 : above.end - 1]
    if "\n" not in text and text.strip() != "{}":
        return f"{text[: above.start + 1]}{inside}{_part_text(text, key, value, None)}{text[above.end - 1 :]}"
    outer = _indent_at(text, above.start)
    indent = outer + _unit(text)
    line = _newline(text)
    kept = COMMENTS.match(inside)  # with the space that a comment ends with
    written = f"{kept[0] if kept else ''}{line}{indent}{_part_text(text, key, value, indent)}{line}{outer}"
    return text[: above.start + 1] + written + text[above.end - 1 :]


def _replaced_text(text: str, node: JsoncNode, value: object) -> str:
    one_line = "\n" not in text[node.start : node.end] and isinstance(node.value, dict | list) and node.parts
    indent = None if one_line or "\n" not in text else _indent_at(text, node.start)
    return text[: node.start] + _part_text(text, None, value, indent) + text[node.end :]


def _part_text(text: str, key: str | None, value: object, indent: str | None) -> str:
    """A part as text: on one line, or on several below `indent`."""
    body = json.dumps(value, ensure_ascii=False)
    if indent is not None and isinstance(value, dict | list) and _is_deep(value):
        inner = indent + _unit(text)
        pairs = value.items() if isinstance(value, dict) else ((None, one) for one in value)
        lines = f",{_newline(text)}{inner}".join(_part_text(text, name, one, inner) for name, one in pairs)
        body = f"{body[0]}{_newline(text)}{inner}{lines}{_newline(text)}{indent}{body[-1]}"
    return body if key is None else f"{json.dumps(key, ensure_ascii=False)}: {body}"


def _is_deep(value: dict[str, object] | list[object]) -> bool:
    """Whether it reads better on several lines: objects do, lists of words do not."""
    return bool(value) and (isinstance(value, dict) or any(isinstance(one, dict | list) for one in value))


def _comments_end(text: str, at: int) -> int:
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
