r"""YAML by its keys: what lists and like members add up to, by the way that leads to them; rows of a JSON text.

Only what is beyond doubt is read: block style, plain and quoted scalars, simple flow lists. A text with anything else
(anchors, tags, tabs, keys of several lines) is not told by its keys at all.

>>> text = "items:\n" + "".join(f"- name: n{at}\n  kind: pod\n" for at in range(20)) + "total: 20\n"
>>> print(*OutlineDigest(parse_yaml(text.split("\n"))).statements(300), sep="\n")
[2 keys: items, total]
[items.name: n{0..19}]
[items: 20 items; all: items.kind=pod]
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, compile_pattern
from overspill.core.spans import Span
from overspill.cut.digest import counts_of
from overspill.cut.digest.columns import Table
from overspill.cut.digest.statements import Outermost, Topic, settled_statements, table_topics
from overspill.cut.digest.values import listed_values

if TYPE_CHECKING:
    from collections.abc import Iterator

SHARE = 0.85  # of the room
LEAST_SHARE = 0.8  # of the lines that are keys or items
FEWEST_ROWS, FEWEST_MEMBERS, ALIKE = 5, 8, 0.8  # of a list; of an object whose members are rows; of them are objects
FEWEST_KEYS = 2
SHARED = 0.6  # of those objects have one key in common
DEEPEST, MOST_TABLES = 5, 60
MOST_CHARS = 2_000_000
_KEY = r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|(?![\s&*!|>%@`\[\]{},#?"'-])[^\n#]*?|-(?=\S)[^\n#]*?)[ ]*:(?:[ ]+(.*)|$)"""
_ITEM = r"-(?:[ ]+|$)"
_NUMBER = r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,12})?$"


class NotPlainYaml(Exception):
    """The text is written in a way that is not read here."""


class OutlineReader:
    """Reads block style, line by line."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = [(len(line) - len(line.lstrip(" ")), line.strip()) for line in lines]
        self._at = 0

    def documents(self) -> list[object]:
        """Every document of the text."""
        found: list[object] = []
        while self._skip():
            indent, words = self._lines[self._at]
            if words in ("---", "...") and not indent:
                self._at += 1
                continue
            found.append(self._value(indent))
        return found

    def _skip(self) -> bool:
        """Go to the next line that says something; whether there is one."""
        while self._at < len(self._lines):
            words = self._lines[self._at][1]
            if words and not words.startswith("#"):
                return True
            self._at += 1
        return False

    def _value(self, indent: int) -> object:
        if compile_pattern(_ITEM).match(self._lines[self._at][1]):
            return self._list(indent)
        return self._object(indent)

    def _list(self, indent: int) -> list[object]:
        result: list[object] = []
        while self._skip():
            at, words = self._lines[self._at]
            item = compile_pattern(_ITEM).match(words)
            if at != indent or item is None:
                break
            rest = words[item.end() :]
            inner = at + item.end()
            if not rest or rest.startswith("#"):
                self._at += 1
                result.append(self._below(indent))
            elif compile_pattern(_KEY).match(rest) or compile_pattern(_ITEM).match(rest):
                self._lines[self._at] = (inner, rest)  # what stands behind the dash begins a value of its own
                result.append(self._value(inner))
            else:
                result.append(self._scalar(rest, indent))
        return result

    def _object(self, indent: int) -> dict[str, object]:
        result: dict[str, object] = {}
        while self._skip():
            at, words = self._lines[self._at]
            if at < indent or (words in ("---", "...") and not at):
                break
            found = compile_pattern(_KEY).match(words)
            if at != indent or found is None:
                if at == indent and compile_pattern(_ITEM).match(words):
                    break
                raise NotPlainYaml
            key, rest = str(_unquoted(found[1])), (found[2] or "").strip()
            if key in result or key == "<<":
                raise NotPlainYaml
            if not rest or rest.startswith("#"):
                self._at += 1
                result[key] = self._below(indent, items=True)
            else:
                result[key] = self._scalar(rest, indent)
        return result

    def _below(self, indent: int, *, items: bool = False) -> object:
        """What stands further right; items of a key may stand below it at the same place. Nothing is an empty text."""
        if not self._skip():
            return ""
        at, words = self._lines[self._at]
        if at > indent or (items and at == indent and compile_pattern(_ITEM).match(words)):
            if at > indent and not compile_pattern(_ITEM).match(words) and not compile_pattern(_KEY).match(words):
                return self._scalar(words, indent)
            return self._value(at)
        return ""

    def _scalar(self, words: str, indent: int) -> object:
        """A scalar and the lines it goes on in."""
        self._at += 1
        if words[0] in "|>":
            self._leave(indent)
            return {}  # a text of many lines is not told
        parts = [words]
        while self._at < len(self._lines):
            at, more = self._lines[self._at]
            if more and at <= indent:
                break
            self._at += 1
            if not more:
                if any(line[1] for line in self._lines[self._at : self._at + 1] if line[0] > indent):
                    raise NotPlainYaml
                continue
            parts.append(more)
        quoted = words[0] in "\"'"
        if len(parts) > 1 and (words[0] in "[{" or ("\\" in words if quoted else any("#" in part for part in parts))):
            raise NotPlainYaml
        return _plain_value(" ".join(parts))

    def _leave(self, indent: int) -> None:
        while self._at < len(self._lines) and (self._lines[self._at][0] > indent or not self._lines[self._at][1]):
            self._at += 1


def _plain_value(words: str) -> object:
    """A scalar, or a list of plain scalars in brackets, on one line."""
    if words[0] in "&*!%@`" or words.partition(" ")[0] == "?":  # `?` begins a key that is no plain one
        raise NotPlainYaml
    if words[0] in "\"'":
        return _unquoted(compile_pattern(r"\s+#.*$").sub("", words) if words[-1] != words[0] else words)
    words = compile_pattern(r"\s+#.*$").sub("", words)
    if words in ("{}", "[]"):
        return {} if words == "{}" else []
    if words[0] == "[":
        inside = words[1:-1].strip()
        if words[-1] != "]" or any(sign in inside for sign in "[]{}\"'#&*!:"):
            raise NotPlainYaml
        return [_number(part.strip()) for part in inside.split(",") if part.strip()]
    if words[0] == "{" or ": " in words or words[-1] == ":":  # the latter are members, under a key that is no plain one
        raise NotPlainYaml
    return _number(words)


def _number(words: str) -> object:
    """A number as one, if it is spelled as it would be written again."""
    if not compile_pattern(_NUMBER).match(words):
        return words
    value = float(words) if "." in words else int(words)
    return value if repr(value) == words else words


def _unquoted(words: str) -> str:
    if words[:1] == '"':
        from json import loads

        try:
            return str(loads(words))
        except ValueError as error:
            raise NotPlainYaml from error
    if words[:1] == "'":
        if len(words) < 2 or words[-1] != "'" or "'" in words[1:-1].replace("''", ""):  # noqa: PLR2004
            raise NotPlainYaml
        return words[1:-1].replace("''", "'")
    return words


def parse_yaml(lines: list[str]) -> object:
    """What a text in YAML holds, numbers as numbers and everything else as texts; or `NotPlainYaml`."""
    if any("\t" in line for line in lines):
        raise NotPlainYaml
    documents = OutlineReader(lines).documents()
    if not documents:
        raise NotPlainYaml
    return documents[0] if len(documents) == 1 else documents


def share_of(lines: list[str]) -> float:
    """The share of these lines that are keys or items, if some of them stand below others."""
    filled = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    deep = sum(line[0] == " " for line in filled)
    if (
        not filled
        or deep < 0.25 * len(filled)
        or not all(line[0] in " -'\"/_." or line[0].isalnum() for line in filled)
    ):
        return 0.0
    key, item = compile_pattern(_KEY).match, compile_pattern(_ITEM).match
    known = sum(1 for line in filled if key(line.strip()) or item(line.strip()))
    return known / len(filled) if key(filled[0].strip()) or item(filled[0].strip()) or filled[0] == "---" else 0.0


class OutlineCollector:
    """Holds a text that is made of keys, while it is not too long, and reads it at its end."""

    def __init__(self) -> None:
        self._lines: list[str] | None = []
        self._chars = 0

    def add(self, lines: list[str]) -> None:
        """Take the next lines, without their ends."""
        if self._lines is None:
            return
        self._chars += sum(map(len, lines))
        self._lines += lines
        if self._chars > MOST_CHARS:
            self._lines = None

    def digest(self) -> OutlineDigest | None:
        """What was found, or None where the text is not plain."""
        try:
            found = OutlineDigest(parse_yaml(self._lines)) if self._lines else None
        except (NotPlainYaml, RecursionError):
            return None
        return found if found is not None and found.topics else None


class OutlineDigest:
    """What the lists and the members of a document add up to."""

    share = SHARE
    nameless = False

    def __init__(self, root: object) -> None:
        self._left = MOST_TABLES
        self.topics = [*self._of_value(root, "", 0)]

    def statements(self, room: int) -> tuple[str, ...]:
        """What is said of it, at most `room` characters, line ends included."""
        return tuple(settled_statements(self.topics, room))

    def tells(self, _line: str) -> bool:
        """A line says more than its key."""
        return False

    def _of_value(self, value: object, way: str, depth: int) -> Iterator[Topic]:
        if depth > DEEPEST or self._left <= 0:
            return
        if isinstance(value, list) and len(value) >= FEWEST_ROWS:
            self._left -= 1
            table = Table()
            table.add(value, range(len(value)))
            yield from table_topics(table, "items", way)
        elif isinstance(value, dict):
            if len(value) >= FEWEST_KEYS:
                yield self._keys_topic(value, way, depth)
            if way and _are_alike(value):
                self._left -= 1
                rows = Table(1)
                rows.add([*value.values()], range(len(value)))
                yield from () if rows.wide else table_topics(rows, "objects", f"{way}*.", outer=Outermost())
                return
            for key, member in value.items():
                yield from self._of_value(member, f"{way}{key}.", depth + 1)

    def _keys_topic(self, members: dict[str, object], way: str, depth: int) -> Topic:
        label = f"{way.rstrip('.')}: " if way else ""
        names = dict.fromkeys(members, 1)

        def tell(width: int) -> str:
            begin = f"[{label}{len(names)} keys: "
            words = listed_values(names, (8 if len(names) >= FEWEST_MEMBERS else 2) * width - len(begin))
            return f"{begin}{words}]" if not words.startswith("+") else ""

        many = len(names) >= FEWEST_MEMBERS or not way
        return Topic(depth / 2 - 1 if many else 2.0 + depth / 10, tell)


def _are_alike(members: dict[str, object]) -> bool:
    """Whether the members of an object are rows: many, objects, and most of them with a key that most have."""
    objects = [value for value in members.values() if isinstance(value, dict)]
    if len(members) < FEWEST_MEMBERS or len(objects) < ALIKE * len(members):
        return False
    having = counts_of(key for one in objects for key in one)
    return max(having.values(), default=0) >= SHARED * len(objects)


# ---- JSON between lines of something else ---------------------------------------------------------------------------

JSON_SHARE, MOST_ODD = 0.55, 60
FEWEST_ITEMS, DEEPEST_ITEMS = 5, 3  # of a document, and how deep they may lie in it


def document_in(text: str) -> object:
    """What a JSON text says, or None where it is none."""
    from msgspec import DecodeError
    from msgspec.json import decode

    try:
        return decode(text)
    except (DecodeError, RecursionError, UnicodeEncodeError):
        return None


def document_digest(text: str) -> JsonRowsDigest | None:
    """What the rows of a document add up to, where it has some."""
    way, rows = _most_rows(document_in(text), "", 0)
    if len(rows) < FEWEST_ITEMS:
        return None
    table = Table()
    table.add(rows, range(len(rows)))
    return JsonRowsDigest(table, way)


def _most_rows(value: object, way: str, depth: int) -> tuple[str, list[object]]:
    """The longest list of objects in a document, and the names that lead to it."""
    if isinstance(value, list):
        return (way, value) if all(isinstance(one, dict) for one in value) else (way, [])
    members = value.items() if isinstance(value, dict) and depth < DEEPEST_ITEMS else ()
    found = [_most_rows(member, f"{way}{name}.", depth + 1) for name, member in members]
    return max(found, key=lambda one: len(one[1]), default=(way, []))


class JsonRowsDigest:
    """What the rows of a document add up to, of which each takes several lines."""

    share = JSON_SHARE

    def __init__(self, table: Table, way: str) -> None:
        self._table = table
        self._way = way

    def statements(self, room: int) -> tuple[str, ...]:
        """What is said of its rows, at most `room` characters, line ends included."""
        topics = [*table_topics(self._table, "items" if self._way else "rows", self._way)]
        return tuple(one for one in settled_statements(topics, room) if one.isprintable())

    def tells(self, line: str) -> bool:
        """Whether this line says nothing: what a row says, it says in several."""
        return not any(map(str.isalnum, line))

    def odd_spans(self, text: str) -> list[Span]:
        """Where the odd rows stand, the oddest first; nothing where rows cannot be told by their lines."""
        spans = row_spans(text, self._table.rows)
        return [spans[odd.place] for odd in self._table.odd_rows()[:MOST_ODD]] if spans else []


def row_spans(text: str, number: int) -> list[Span]:
    r"""Where so many rows stand, each with lines of its own: those that begin and end at one depth.

    >>> row_spans('[\n  {\n    "a": 1\n  },\n  {\n    "a": 2\n  }\n]\n', 2)
    [Span(start=2, end=22), Span(start=22, end=41)]
    """
    begun: dict[str, int] = {}
    found: dict[str, list[Span]] = {}
    at = 0
    for line in text.split("\n"):
        after = min(at + len(line) + 1, len(text))
        bare = line.strip()
        depth = line[: len(line) - len(line.lstrip())]
        if bare == "{":
            begun[depth] = at
        if bare in ("}", "},") and depth in begun:
            found.setdefault(depth, []).append(Span(begun.pop(depth), after))
        elif bare[:1] == "{" and bare.endswith(("}", "},")):
            found.setdefault(depth, []).append(Span(at, after))
        at = after
    return next((spans for spans in found.values() if len(spans) == number), [])
