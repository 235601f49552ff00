r"""The elements of a JSON array, or the lines of NDJSON, one at a time as they come: memory holds one of them.

>>> list(elements(iter([b'{"data": {"users": [{"id": 1}, {"i', b'd": 2}]}}']), "data.users"))
[b'{"id":1}', b'{"id":2}']
>>> list(elements(iter([b'{"id": 1}\n{"id": 2}\n'])))
[b'{"id":1}', b'{"id":2}']
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, compile_pattern
from overspill.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

BLANK = b" \t\r\n"
MOST_LEVELS = 900
_SPACE = compile_pattern(rb"[ \t\r\n]*+")
_SCALAR = compile_pattern(rb"[^\s,\]}\[{\":]++")
_STRING = compile_pattern(rb'(?s)"(?:[^"\\]++|\\.)*+"')
# Up to the next bracket that is not inside a string.
_BRACKET = compile_pattern(rb'(?s)(?:[^"\[\]{}]++|"(?:[^"\\]++|\\.)*+")*+([\[\]{}])')
_OPENING = b"[{"


def elements(chunks: Iterator[bytes], key: str = "", *, lone: bool = False) -> Iterator[bytes]:
    """Each element as one line of compact JSON, its numbers spelled as they were.

    `key` names the array, a dot between levels; without it the document is the array, or NDJSON. A `lone` object
    is a list of one; otherwise it has to be told from one that holds the list. Broken JSON is a `UsageError`
    that says where it breaks.
    """
    text = _Text(chunks)
    text.mark_skipped()
    if key:
        yield from _elements_at(text, key.split("."), key)
    elif text.peek() == b"[":
        yield from _array_elements(text)
        text.end()
    else:
        yield from _line_values(text, lone=lone)


class _Text:
    """JSON that comes in chunks, read value by value. `at` is the place in what is held of it."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self.chunks = chunks
        self.held = b""
        self.at = 0
        self.before = 0  # bytes that are no longer held

    def mark_skipped(self) -> None:
        """Leave out a byte order mark."""
        while len(self.held) < len(_MARK) and self.more():
            pass
        if self.held.startswith(_MARK):
            self.at = len(_MARK)

    def more(self) -> bool:
        """Hold as much again, so that a long value is looked at a few times and not a thousand."""
        wanted = len(self.held) - self.at
        got: list[bytes] = []
        while (chunk := next(self.chunks, None)) is not None:
            got.append(chunk)
            wanted -= len(chunk)
            if wanted <= 0:
                break
        self.before += self.at
        self.held = b"".join([self.held[self.at :], *got])
        self.at = 0
        return bool(got)

    def peek(self) -> bytes:
        """The next byte that is not blank, or nothing at the end."""
        while True:
            match = _SPACE.match(self.held, self.at)
            self.at = match.end() if match else self.at
            if self.at < len(self.held):
                return self.held[self.at : self.at + 1]
            if not self.more():
                return b""

    def expect(self, wanted: bytes) -> bytes:
        """The next byte, which has to be one of these."""
        found = self.peek()
        if not found or found not in wanted:
            raise self.broken(f"expected {' or '.join(map(chr, wanted))}, found {found.decode(errors='replace')!r}")
        self.at += 1
        return found

    def value(self, *, keep: bool = True) -> bytes:
        """The next value, or if nobody wants it, nothing of it but its brackets were looked at."""
        first = self.peek()
        if first and first in _OPENING:
            return self._nested(keep=keep)
        pattern = _STRING if first == b'"' else _SCALAR
        while True:
            match = pattern.match(self.held, self.at)
            if match and (first == b'"' or match.end() < len(self.held)):
                break
            if not self.more():
                match = pattern.match(self.held, self.at)
                break
        if match is None:
            raise self.broken("a value is missing or not closed")
        self.at = match.end()
        return self.checked(match[0])

    def _nested(self, *, keep: bool) -> bytes:
        depth, place = 0, self.at
        while True:
            match = _BRACKET.match(self.held, place)
            if match is None:
                # Of what nobody wants, everything before the last bracket may go.
                held_from = self.at
                if not keep:
                    self.at = place
                place -= self.at if not keep else held_from
                if not self.more():
                    raise self.broken("it ends inside an object or array")
                continue
            place = match.end()
            depth += 1 if match[1] in _OPENING else -1
            if depth > MOST_LEVELS:
                raise self.broken(f"more than {MOST_LEVELS} levels")
            if not depth:
                break
        found = self.held[self.at : place] if keep else b"null"
        self.at = place
        return self.checked(found)

    def checked(self, value: bytes) -> bytes:
        """A value without its blanks, if it is JSON."""
        import msgspec

        try:
            value.decode()
            return msgspec.json.format(value, indent=-1)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise self.broken(str(error)) from None

    def end(self) -> None:
        """Nothing but blanks may follow."""
        if found := self.peek():
            raise self.broken(f"expected the end, found {found.decode(errors='replace')!r}")

    def broken(self, why: str) -> UsageError:
        """What is wrong, and where."""
        return malformed_error(f"at byte {self.before + self.at:,}: {why}")


def malformed_error(why: str) -> UsageError:
    """An input that is no JSON."""
    return UsageError(f"this is not JSON or NDJSON, {why}").with_help(
        suggestion="give one JSON array, an object with --key, or one JSON value a line"
    )


def _array_elements(text: _Text) -> Iterator[bytes]:
    text.expect(b"[")
    if text.peek() == b"]":
        text.at += 1
        return
    while True:
        yield text.value()
        if text.expect(b",]") == b"]":
            return


def _elements_at(text: _Text, path: list[str], key: str) -> Iterator[bytes]:
    """The array at a path, and after it the rest, which has to be JSON, too."""
    import json

    if text.peek() != b"{":
        raise UsageError(f"there is no {key!r}: --key names a member of an object, and this is none")
    text.expect(b"{")
    found, names = False, []
    if text.peek() == b"}":
        text.at += 1
    else:
        while True:
            if text.peek() != b'"':
                raise text.broken("expected the name of a member")
            name = json.loads(text.value())
            text.expect(b":")
            if name == path[0] and not found:
                found = True
                yield from _elements_at(text, path[1:], key) if len(path) > 1 else _named_array(text, key)
            else:
                names.append(str(name)[:40])
                text.value(keep=False)
            if text.expect(b",}") == b"}":
                break
    if not found:
        there = ", ".join(names[:10]) or "nothing"
        raise UsageError(f"there is no {key!r}; beside it there is: {there}")
    if path == key.split("."):
        text.end()


def _named_array(text: _Text, key: str) -> Iterator[bytes]:
    if text.peek() != b"[":
        raise UsageError(f"{key!r} is no array")
    yield from _array_elements(text)


def _line_values(text: _Text, *, lone: bool) -> Iterator[bytes]:
    """Values one after the other, each on a line of its own."""
    number = 0
    while first := text.peek():
        value = text.value()
        rest = _blank_to_line_end(text)
        if rest:
            raise text.broken(f"expected the end of the line, found {rest.decode(errors='replace')!r}")
        number += 1
        if number == 1 and not lone and not text.peek():
            _check_alone(value, first)
        yield value


def _check_alone(value: bytes, first: bytes) -> None:
    """One line alone may be a list of one record; but not if it holds the list that is meant."""
    import json

    if first != b"{":
        raise UsageError("this is one value, not a list")
    if found := list(_lists_in(json.loads(value))):
        named = ", ".join(f"--key {path[:80]}" for path in found[:5])
        raise UsageError(f"this is one object, not a list; name the list in it: {named}")


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


def _blank_to_line_end(text: _Text) -> bytes:
    """What stands on the line after a value and should not."""
    while True:
        while text.at < len(text.held) and text.held[text.at] in b" \t\r":
            text.at += 1
        if text.at < len(text.held):
            byte = text.held[text.at : text.at + 1]
            return b"" if byte == b"\n" else byte
        if not text.more():
            return b""


_MARK = b"\xef\xbb\xbf"
