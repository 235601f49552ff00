"""JSON that comes in chunks, read value by value: memory holds one value, or what somebody holds on to."""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, compile_pattern
from overspill.documents.json_pieces import value_decoder
from overspill.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_LEVELS = 900
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SPACE = compile_pattern(rb"[ \t\r\n]*+")
_SCALAR = compile_pattern(rb"[^\s,\]}\[{\":]++")
_STRING = compile_pattern(rb'(?s)"(?:[^"\\]++|\\.)*+"')
# Up to the next bracket that is not inside a string.
_BRACKET = compile_pattern(rb'(?s)(?:[^"\[\]{}]++|"(?:[^"\\]++|\\.)*+")*+([\[\]{}])')
_BLANKS = compile_pattern(rb'(?s)("(?:[^"\\]++|\\.)*+")|[ \t\r\n]++')
_PLACE = compile_pattern(r" ?\(byte ([0-9]+)\)")
_OPENING = b"[{"


class JsonText:
    """JSON that comes in chunks, read value by value. `at` is the place in what is held of it."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self.chunks = chunks
        self.held = b""
        self.at = 0
        self.before = 0  # bytes that are no longer held
        self.hold: int | None = None  # from here on nothing is let go

    @property
    def place(self) -> int:
        """Where we are, in bytes from the beginning."""
        return self.before + self.at

    def skip_mark(self) -> None:
        """Leave out a byte order mark."""
        self.fill(len(BYTE_ORDER_MARK))
        if self.held.startswith(BYTE_ORDER_MARK):
            self.at = len(BYTE_ORDER_MARK)

    def fill(self, wanted: int) -> None:
        """Hold so many bytes from here on, if so many are left."""
        while len(self.held) - self.at < wanted and self.more():
            pass

    def more(self) -> bool:
        """Hold as much again, so that a long value is looked at a few times and not a thousand."""
        wanted = len(self.held) - self.at
        got: list[bytes] = []
        while (chunk := next(self.chunks, None)) is not None:
            got.append(chunk)
            wanted -= len(chunk)
            if wanted <= 0:
                break
        gone = self.at if self.hold is None else self.hold
        self.before += gone
        self.held = b"".join([self.held[gone:], *got])
        self.at -= gone
        self.hold = None if self.hold is None else 0
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
            there = f"found {found.decode(errors='replace')!r}" if found else "the text ends"
            raise self.fault(f"expected {' or '.join(map(chr, wanted))}, {there}")
        self.at += 1
        return found

    def value(self, *, keep: bool = True) -> bytes:
        """The next value as it is written, or if nobody wants it, nothing of it but its brackets were looked at."""
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
            raise self.fault("a value is missing or not closed")
        found = self.check(match[0])
        self.at = match.end()
        return found

    def _nested(self, *, keep: bool) -> bytes:
        depth, place = 0, self.at
        while True:
            match = _BRACKET.match(self.held, place)
            if match is None:
                # Of what nobody wants, everything before the last bracket may go.
                self.at = self.at if keep else place
                before = self.before
                if not self.more():
                    raise self.fault("it ends inside an object or array")
                place -= self.before - before
                continue
            place = match.end()
            depth += 1 if match[1] in _OPENING else -1
            if depth > MOST_LEVELS:
                raise self.fault(f"more than {MOST_LEVELS} levels")
            if not depth:
                break
        found = self.check(self.held[self.at : place]) if keep else b"null"
        self.at = place
        return found

    def check(self, value: bytes) -> bytes:
        """A value, if it is JSON."""
        try:
            value.decode()
            return check_json(value)
        except UnicodeDecodeError as error:
            raise self.fault("these bytes are no UTF-8", error.start) from None
        except (ValueError, RecursionError) as error:
            words = str(error).removeprefix("JSON is malformed: ")
            place = _PLACE.search(words)
            raise self.fault(_PLACE.sub("", words), int(place[1]) if place else 0) from None

    def end(self) -> None:
        """Nothing but blanks may follow."""
        if found := self.peek():
            raise self.fault(f"expected the end, found {found.decode(errors='replace')!r}")

    def fault(self, why: str, further: int = 0) -> UsageError:
        """What is wrong, and where: here, or so many bytes further on."""
        return malformed_error(f"at byte {self.place + further:,}: {why}")


def check_json(value: bytes) -> bytes:
    """A value, if it is JSON. Half a surrogate pair is no character, but programs write it, and only it is refused."""
    import msgspec

    try:
        value_decoder().decode(value)
    except msgspec.DecodeError:
        if b"\\u" not in value:
            raise
        import json

        json.loads(value, parse_constant=_refuse_constant)
    return value


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


def compact_line(record: bytes) -> bytes:
    r"""Valid JSON without its blanks.

    >>> compact_line(b'{"a": "\\ud800 b", "c":\n 1.10}')
    b'{"a":"\\ud800 b","c":1.10}'
    """
    import msgspec

    try:
        return msgspec.json.format(record, indent=-1)
    except (msgspec.DecodeError, RecursionError):
        return _BLANKS.sub(rb"\1", record)


def malformed_error(why: str) -> UsageError:
    """An input that is no JSON."""
    return UsageError(f"this is not JSON or NDJSON, {why}; a table needs a name that ends in .csv or .tsv").with_help(
        suggestion="give one JSON array, an object with --key, one JSON value a line, or a table with a .csv name"
    )
