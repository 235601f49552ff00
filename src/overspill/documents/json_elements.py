r"""The elements of a JSON array, the members of an object, or the lines of NDJSON, as they come.

They come in blocks of many, split by one call of a native parser where that can be done; memory holds a block.

>>> list(elements(iter([b'{"data": {"users": [{"id": 1}, {"i', b'd": 2}]}}']), "data.users"))
[b'{"id":1}', b'{"id":2}']
>>> list(elements(iter([b'{"id": 1}\n{"id": 2}\n'])))
[b'{"id":1}', b'{"id":2}']
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.documents.json_pieces import Element, array_decoder, border, split_object, value_decoder
from overspill.documents.json_text import BYTE_ORDER_MARK, JsonText, compact_line
from overspill.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

BLOCK_BYTES = 1 << 16
FIRST_LINE_BYTES = 1 << 20  # in which a record that is an array ends
MOST_BY_ONE = 64  # values that are read one by one before it is tried again to split many at once
CANDIDATES = 3  # places at which a block may end that are tried
SHARED = 3  # neighbours that show what stands between two
BLANK = b" \t\r\n"


class RecordBlock(NamedTuple):
    """Records that follow each other: where they lie, with what stands after the last of them, and each of them."""

    start: int
    piece: bytes
    records: Sequence[Any]  # as their form has them: bytes of JSON, or cells of a row


class JsonForm(NamedTuple):
    """How a list lies in a text: the elements of an `array`, the `members` of an object, or `lines`; and where."""

    kind: str
    path: tuple[Step, ...] = ()

    def blocks(self, chunks: Iterator[bytes]) -> Iterator[RecordBlock]:
        """All records, and after them the rest, which has to be JSON, too."""
        text = JsonText(chunks)
        text.skip_mark()
        if self.kind == "lines":
            yield from _line_blocks(text)
            return
        yield from _blocks_at(text, self.path, 0, _array_blocks if self.kind == "array" else _member_blocks)
        text.end()

    def records(self, piece: bytes) -> Sequence[bytes]:
        """The records of a block once more."""
        found = _SPLITTERS[self.kind](piece.rstrip(BLANK + b","))
        return _read_one_by_one(self.kind, piece) if found is None else found

    def line(self, record: bytes) -> bytes:
        """A record as one line of compact JSON, its numbers spelled as they were."""
        return compact_line(bytes(record))

    def value(self, record: bytes) -> object:
        """A record as a value."""
        import msgspec

        try:
            return msgspec.json.decode(record)
        except msgspec.DecodeError:
            import json

            return json.loads(bytes(record))


def elements(chunks: Iterator[bytes], key: str = "", *, lone: bool = False) -> Iterator[bytes]:
    """Each element as one line of compact JSON, its numbers spelled as they were.

    `key` names the array; without it the document is the array, or NDJSON. A `lone` object is a list of one;
    otherwise it has to be told from one that holds the list. Broken JSON is a `UsageError` that says where it breaks.
    """
    content = b"".join(chunks)
    form = (
        JsonForm("lines")
        if lone and content.lstrip(BYTE_ORDER_MARK + BLANK)[:1] != b"["
        else json_form(iter([content]), key)
    )
    for block in form.blocks(iter([content])):
        yield from map(form.line, block.records)


def json_form(chunks: Iterator[bytes], key: str = "") -> JsonForm:
    """How the list lies in a document that may have to be read as far as its first value."""
    text = JsonText(chunks)
    text.skip_mark()
    path = list_path(key)
    if path:
        return JsonForm(_kind_at(text, path, key), path)
    first = text.peek()
    if first == b"[":
        return JsonForm("lines" if _is_line_of_many(text) else "array")
    if first == b"{":
        return _lone_form(text)
    if first:
        text.value()
        if not text.peek():
            raise UsageError("this is one value, not a list")
    return JsonForm("lines")


def _is_line_of_many(text: JsonText) -> bool:
    """Whether an array is all of its line, and something follows: then it is one record of many."""
    text.fill(FIRST_LINE_BYTES)
    line, _, rest = text.held[text.at : text.at + FIRST_LINE_BYTES].partition(b"\n")
    return bool(rest.strip()) and _split_lines(line) is not None


def list_path(key: str) -> tuple[Step, ...]:
    """The steps to the list that a key names; `items[]` and `items[*]` are the list itself.

    >>> list_path(".items[]"), list_path("pages[0].rows")
    (('items',), ('pages', 0, 'rows'))
    """
    steps = FieldPath.parse(key).steps
    steps = steps[:-1] if steps[-1:] == (EVERY,) else steps
    if EVERY in steps:
        raise UsageError(f"{key[:100]!r} names many lists; name one, by its place: {key[:100].replace('[*]', '[0]')}")
    return steps


def _blocks_at(
    text: JsonText, path: Sequence[Step], depth: int, read: Callable[[JsonText], Iterator[RecordBlock]]
) -> Iterator[RecordBlock]:
    """The blocks of the list at a path, and after it what stands beside it on the way out."""
    if depth == len(path):
        yield from read(text)
        return
    step = path[depth]
    found = False
    for name in _members(text) if isinstance(step, str) else _places(text):
        if name == step and not found:
            found = True
            yield from _blocks_at(text, path, depth + 1, read)
        else:
            text.value(keep=False)


def _kind_at(text: JsonText, path: Sequence[Step], key: str) -> str:
    """Whether the list at a path is an array or an object; a `UsageError` says what is there instead."""
    for depth, step in enumerate(path):
        opening = b"{" if isinstance(step, str) else b"["
        if text.peek() != opening:
            what = "a member of an object" if isinstance(step, str) else "a place in an array"
            raise UsageError(f"there is no {key!r}: --key names {what}, and this is none")
        there: list[str] = []
        for name in _members(text) if isinstance(step, str) else _places(text):
            if name == step:
                break
            there.append(str(name)[:40])
            text.value(keep=False)
        else:
            beside = ", ".join(there[:10]) or "nothing"
            at = ".".join(str(one) for one in path[:depth])
            raise UsageError(f"there is no {key!r}; {f'in {at!r}' if at else 'beside it'} there is: {beside}")
    kind = {b"[": "array", b"{": "members"}.get(text.peek())
    if kind is None:
        raise UsageError(f"{key!r} is no list: it is neither an array nor an object")
    return kind


def _members(text: JsonText) -> Iterator[str]:
    """The names in an object, each just before its value, which whoever asks reads."""
    import json

    text.expect(b"{")
    if text.peek() == b"}":
        text.at += 1
        return
    while True:
        if text.peek() != b'"':
            raise text.fault("expected the name of a member")
        name = str(json.loads(text.value()))
        text.expect(b":")
        yield name
        if text.expect(b",}") == b"}":
            return


def _places(text: JsonText) -> Iterator[int]:
    """The places in an array, each just before its value."""
    text.expect(b"[")
    if text.peek() == b"]":
        text.at += 1
        return
    place = 0
    while True:
        yield place
        place += 1
        if text.expect(b",]") == b"]":
            return


def _array_blocks(text: JsonText) -> Iterator[RecordBlock]:
    text.expect(b"[")
    yield from _Container("array", b",]").blocks(text)


def _member_blocks(text: JsonText) -> Iterator[RecordBlock]:
    text.expect(b"{")
    yield from _Container("members", b",}").blocks(text)


class _Container:
    """Reads an array or an object in blocks, by what it has seen between its neighbours."""

    def __init__(self, kind: str, ending: bytes) -> None:
        self.ending = ending  # what may follow an element, the closing bracket last
        self.split = _SPLITTERS[kind]
        self.read = _READERS[kind]
        self.between: tuple[bytes, int] | None = None

    def blocks(self, text: JsonText) -> Iterator[RecordBlock]:
        if text.peek() == self.ending[1:]:
            text.at += 1
            return
        more = True
        while more:
            text.hold = text.at
            text.fill(BLOCK_BYTES)
            records = self._many(text)
            if records is None:
                records, more = self._one_by_one(text)
            else:
                more = text.expect(self.ending) == b","
            if more:
                text.peek()
            yield RecordBlock(text.before + text.hold, text.held[text.hold : text.at], records)
            text.hold = None

    def _many(self, text: JsonText) -> Sequence[bytes] | None:
        """As many as lie within a block, if the place where one of them ends can be guessed."""
        if self.between is None:
            return None
        shared, before = self.between
        end = text.at + BLOCK_BYTES
        for _ in range(CANDIDATES):
            end = text.held.rfind(shared, text.at, end)
            if end < 0:
                return None
            records = self.split(text.held[text.at : end + before])
            if records:
                text.at = end + before
                return records
            end += len(shared) - 1
        return None

    def _one_by_one(self, text: JsonText) -> tuple[list[bytes], bool]:
        records: list[bytes] = []
        seen: deque[Element] = deque(maxlen=SHARED)
        more = True
        assert text.hold is not None  # noqa: S101  # so places count from there
        while more and len(records) < MOST_BY_ONE and text.at - text.hold < BLOCK_BYTES:
            text.peek()
            start = text.at - text.hold
            records.append(self.read(text))
            end = text.at - text.hold
            seen.append(Element(start, end, start))
            more = text.expect(self.ending) == b","
        if len(seen) == SHARED:
            with memoryview(text.held) as held, held[text.hold :] as view:
                self.between = border(view, seen)
        return records, more


def _line_blocks(text: JsonText) -> Iterator[RecordBlock]:
    """Values one after the other, each on a line of its own."""
    while text.peek():
        text.hold = text.at
        text.fill(BLOCK_BYTES)
        end = text.held.rfind(b"\n", text.at, text.at + BLOCK_BYTES) + 1
        end = end or (len(text.held) if len(text.held) - text.at < BLOCK_BYTES else 0)
        records = _split_lines(text.held[text.at : end]) if end else None
        if records:
            text.at = end
        else:
            records = list(_lines_one_by_one(text))
        yield RecordBlock(text.before + text.hold, text.held[text.hold : text.at], records)
        text.hold = None


def _lines_one_by_one(text: JsonText) -> Iterator[bytes]:
    assert text.hold is not None  # noqa: S101  # so places count from there
    number = 0
    while number < MOST_BY_ONE and text.at - text.hold < BLOCK_BYTES and text.peek():
        yield text.value()
        number += 1
        if rest := _rest_of_line(text):
            raise text.fault(f"expected the end of the line, found {rest.decode(errors='replace')!r}")


def _rest_of_line(text: JsonText) -> bytes:
    """What stands on the line after a value and should not."""
    while True:
        while text.at < len(text.held) and text.held[text.at] in b" \t\r":
            text.at += 1
        if text.at < len(text.held):
            byte = text.held[text.at : text.at + 1]
            return b"" if byte == b"\n" else byte
        if not text.more():
            return b""


def _split_array(piece: bytes) -> Sequence[bytes] | None:
    return _decoded(piece, lambda: array_decoder().decode(b"[%b]" % piece))


def _split_lines(piece: bytes) -> Sequence[bytes] | None:
    """The values of whole lines, one on each; None where they are not so."""
    found = _decoded(piece, lambda: value_decoder().decode_lines(piece))
    if found is None or len(found) == piece.count(b"\n") + (not piece.endswith(b"\n")):
        return found
    return found if len(found) == sum(1 for line in piece.split(b"\n") if line.strip()) else None


def _split_members(piece: bytes) -> Sequence[bytes] | None:
    import json

    from msgspec import Raw
    from msgspec.json import decode

    text = b"{%b}" % piece
    found = _decoded(piece, lambda: list(decode(text, type=dict[str, Raw]).items()))
    split = None if found is None else split_object(text)
    if found is None or split is None or split.number != len(found):
        return None  # a name stands there twice
    return [_entry(json.dumps(name).encode(), bytes(value)) for name, value in found]


def _decoded(piece: bytes, decode: Callable[[], list[Any]]) -> list[Any] | None:
    import msgspec

    try:
        if not piece.isascii():
            piece.decode()
        return decode()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _read_member(text: JsonText) -> bytes:
    if text.peek() != b'"':
        raise text.fault("expected the name of a member")
    name = text.value()
    text.expect(b":")
    return _entry(name, text.value())


def _entry(name: bytes, value: bytes) -> bytes:
    """A member as a record, as `to_entries` of jq has it."""
    return b'{"key":%b,"value":%b}' % (name, value)


def _read_one_by_one(kind: str, piece: bytes) -> list[bytes]:
    """The records of a block that cannot be split at once, though they were read before."""
    text = JsonText(iter([piece]))
    records = []
    while text.peek():
        records.append(_READERS[kind](text))
        if text.peek() in {b",", b"]", b"}"}:
            text.at += 1
    return records


_SPLITTERS: dict[str, Callable[[bytes], Sequence[bytes] | None]] = {
    "array": _split_array,
    "lines": _split_lines,
    "members": _split_members,
}
_READERS: dict[str, Callable[[JsonText], bytes]] = {
    "array": JsonText.value,
    "lines": JsonText.value,
    "members": _read_member,
}


def _lone_form(text: JsonText) -> JsonForm:
    """One object may be a list of one record, a map of records, or hold the list that is meant; many are lines."""
    import json

    value = text.value()
    if text.peek():
        return JsonForm("lines")
    members = json.loads(value)
    found = list(_lists_in(members))
    if _is_map(list(members.values()), alike=bool(found)):
        return JsonForm("members")
    if found:
        named = ", ".join(f"--key {path[:80]}" for path in found[:5])
        raise UsageError(f"this is one object, not a list; name the list in it: {named}")
    return JsonForm("lines")


def _is_map(members: list[object], *, alike: bool) -> bool:
    """Whether members are records by their names: several objects; `alike` where they may be something else as well.

    >>> _is_map([{"v": 1}, {"w": 2}], alike=False), _is_map([{"v": [{}]}, {"w": 2}], alike=True)
    (True, False)
    """
    names = [set(member) for member in members if isinstance(member, dict)]
    if len(names) < max(2, len(members)):
        return False
    return not alike or bool(set.intersection(*names))


def _lists_in(value: dict[str, object], depth: int = 3) -> Iterator[str]:
    """Where the lists of records in an object are.

    >>> list(_lists_in({"data": {"users": [{"id": 1}], "tags": ["a"]}}))
    ['data.users']
    """
    for name, member in value.items():
        if isinstance(member, list) and any(isinstance(one, dict) for one in member):
            yield name
        elif isinstance(member, dict) and depth:
            yield from (f"{name}.{path}" for path in _lists_in(member, depth - 1))


EVERY = -1  # every element of a list

Step = str | int

# A name, a place in a list, every element of it (jq leaves out the star), or a name in quotes.
_STEP = compile_pattern(r"""\.?([^.\[\]"']+)|\[([0-9]{1,9}|\*?)\]|\.?\[?(?:"([^"]*)"|'([^']*)')\]?""")


class FieldPath(NamedTuple):
    """The way to a value in a record, as it was said, and its steps: names, places in lists, `EVERY` element of one.

    >>> FieldPath.parse("spec.containers[*].image").steps
    ('spec', 'containers', -1, 'image')
    >>> list(FieldPath.parse("a[*].b").values({"a": [{"b": 1}, {}, {"b": 2}]}))
    [1, 2]
    """

    text: str
    steps: tuple[Step, ...]

    @classmethod
    def parse(cls, words: str) -> FieldPath:
        """The path that is meant by `a.b`, `a[0].b`, `a[*].b`, `a["b.c"]`; a `.` or `$` before it is taken off.

        >>> FieldPath.parse(".items[0]").steps, FieldPath.parse('$.a["b.c"]').steps, FieldPath.parse(".").steps
        (('items', 0), ('a', 'b.c'), ())
        """
        rest = words.strip()
        rest = rest[1:] if rest[:1] == "$" and rest[1:2] in {"", ".", "["} else rest
        rest = "" if rest == "." else rest
        at, steps = 0, list[Step]()
        while at < len(rest):
            found = _STEP.match(rest, at)
            if found is None:
                raise UsageError(f'not a path: {words[:100]!r}; write a.b, a[0].b, a[*].b or a["b.c"]')
            name, place, quoted, single = found.groups()
            if place is not None:
                steps.append(int(place) if place.isdigit() else EVERY)
            else:
                steps.append(next(word for word in (name, quoted, single) if word is not None))
            at = found.end()
        return cls(words.strip(), tuple(steps))

    def values(self, record: object) -> Iterator[object]:
        """What stands there: one value, several where every element is meant, none where something is missing."""
        if isinstance(record, Mapping) and self.text in record:
            return iter([record[self.text]])
        return _values(record, self.steps)


def _values(value: object, steps: tuple[Step, ...]) -> Iterator[object]:
    if not steps:
        yield value
        return
    step, rest = steps[0], steps[1:]
    if isinstance(step, str):
        if isinstance(value, Mapping) and step in value:
            yield from _values(value[step], rest)
    elif isinstance(value, list | tuple):
        for one in value if step == EVERY else value[step : step + 1]:
            yield from _values(one, rest)
