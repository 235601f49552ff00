"""`spill redact`: a text without its secrets, as a filter. `spill tokens`: its size, by every counter."""

from __future__ import annotations

import codecs
import os
import sys
from itertools import chain

from overspill._lite import TYPE_CHECKING
from overspill.clean import clean, encoding_of, may_be_wide
from overspill.clean.decode import BYTE_ORDER_MARK, SAMPLE_BYTES
from overspill.cli.opening import open_workspace
from overspill.cli.output import input_chunks, note, print_answer, read_input
from overspill.core import by_kind, measure, o200k
from overspill.errors import MissingExtra
from overspill.fit.intake import text_pieces
from overspill.redact import RedactionReason, Redactor, RedactStream
from overspill.workspace.policy import redactor_with

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from overspill.cli.arguments import CommandCall
    from overspill.redact.placeholders import Trace


LONGEST_MARK = 4  # of a byte order mark
# No find is told of later than this many characters after it began.
WINDOW_CHARS = 1 << 19


def redact(call: CommandCall) -> int:
    """Write a file or standard input without its secrets, as it comes, in memory that does not grow with it.

    Whoever asks for this has secrets to hide: it redacts also where redaction is switched off for `fit`.
    """
    chunks = input_chunks(call.arguments)
    redactor = redactor_with(open_workspace(call, forgiving=False).settings, os.environ)
    filtered = Filter(redactor, explain=call.flag("--why"))
    if call.flag("--json"):
        content = b"".join(filtered.bytes(chunks)).decode(filtered.encoding, "replace").removeprefix(BYTE_ORDER_MARK)
        return print_answer(call, "result", redaction_record(call, content, filtered), "")
    for piece in filtered.bytes(chunks):
        sys.stdout.buffer.write(piece)
        for why in filtered.explanations():
            note(f"line {why.line}, column {why.column}: {why.type} ({why.rule}) {why.reason}")
    sys.stdout.buffer.flush()
    if call.flag("--report"):
        for line in rule_counts(filtered.counts):
            note(line)
    if filtered.incomplete:
        note("spill: something would have cost too much to examine, and was hidden whole")
    return 0


class Filter:
    """Bytes in, the same bytes out but for the secrets, which are counted and, if asked, explained."""

    def __init__(self, redactor: Redactor, *, explain: bool = False) -> None:
        self._redactor = redactor
        self._traces: list[Trace] | None = [] if explain else None
        self._stream = RedactStream(redactor, self._traces)
        self._places = Places()
        self.encoding = "utf-8"  # as far as it is known: from the first bytes on

    @property
    def counts(self) -> Mapping[str, int]:
        return self._stream.counts

    @property
    def incomplete(self) -> bool:
        return self._stream.incomplete

    def bytes(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """The redacted text in the encoding it came in, all of it; damaged characters of UTF-8 stay as they are."""
        rest = iter(chunks)
        start = b""
        while len(start) < (SAMPLE_BYTES if may_be_wide(start) else LONGEST_MARK) and (chunk := next(rest, b"")):
            start += chunk
        self.encoding = encoding = encoding_of(start).name
        for text in decoded_texts(chain((start,), rest), encoding):
            for piece in text_pieces(text):
                yield self._feed(piece).encode(encoding, "surrogateescape")
        yield self._stream.flush().encode(encoding, "surrogateescape")

    def explanations(self) -> Iterator[RedactionReason]:
        """The redactions since the last call, each with its place and reason; never the value."""
        for trace in self._traces or ():
            line, column = self._places.of(trace.start)
            yield RedactionReason(
                self._redactor.name(trace.rule), trace.type, line, column, self._redactor.reason(trace.rule)
            )
        if self._traces:
            self._traces.clear()

    def _feed(self, text: str) -> str:
        if self._traces is not None:
            self._places.feed(text)
        return self._stream.feed(text)


def decoded_texts(chunks: Iterable[bytes], encoding: str) -> Iterator[str]:
    """The text of chunks: damage to UTF-8 as lone surrogates, to wide text as U+FFFD."""
    if encoding == "utf-8":
        decoder = codecs.getincrementaldecoder(encoding)("surrogateescape")
        yield from map(decoder.decode, chunks)
        yield decoder.decode(b"", final=True)
        return
    from overspill.clean.mixed import WideDecoder

    wide = WideDecoder(encoding)
    yield from map(wide.feed, chunks)
    yield wide.feed(b"", final=True)


class Places:
    r"""Lines and columns, from 1, of positions in the last stretch of a text that comes in pieces.

    >>> places = Places()
    >>> places.feed("a\nbc")
    >>> places.of(3)
    (2, 2)
    """

    def __init__(self) -> None:
        self._text = ""
        self._before = 0  # characters before `_text`
        self._lines = 0  # line ends before it
        self._begin = 0  # where the line begins that `_text` begins in

    def feed(self, text: str) -> None:
        """Take the next piece; what is too far back is let go."""
        gone = len(self._text) - WINDOW_CHARS
        if gone > 0:
            dropped = self._text[:gone]
            newline = dropped.rfind("\n")
            self._lines += dropped.count("\n")
            self._begin = self._before + newline + 1 if newline >= 0 else self._begin
            self._before += gone
            self._text = self._text[gone:]
        self._text += text

    def of(self, position: int) -> tuple[int, int]:
        """The line and the column of a position."""
        at = max(0, position - self._before)
        newline = self._text.rfind("\n", 0, at)
        begin = self._before + newline + 1 if newline >= 0 else self._begin
        return self._lines + self._text.count("\n", 0, at) + 1, position - begin + 1


def redaction_record(call: CommandCall, content: str, filtered: Filter) -> dict[str, object]:
    """The redacted text and what was asked of it, for programs."""
    result: dict[str, object] = {"content": content, "incomplete": filtered.incomplete}
    if call.flag("--report"):
        result["redactions"] = dict(filtered.counts)
    if call.flag("--why"):
        result["why"] = [why._asdict() for why in filtered.explanations()]
    return result


def rule_counts(counts: Mapping[str, int]) -> Iterator[str]:
    """How many were hidden by each rule, most first, and in all."""
    for rule, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        yield f"{count:>7}  {rule}"
    yield f"{sum(counts.values()):>7}  in all"


def tokens(call: CommandCall) -> int:
    """Count a file or standard input."""
    data = read_input(call.arguments)
    text, cleaned = clean(data, "plain")
    if cleaned.binary:
        note(f"spill: these are bytes that are no text ({cleaned.binary}): each counts as a character")
        text = data.decode("latin-1")
    size = measure(text)._replace(bytes=len(data))
    sizes: dict[str, int | str] = {
        "chars": size.chars,
        "lines": size.lines,
        "bytes": size.bytes,
        "chars4": size.tokens,
        "by-kind": by_kind(text),
    }
    try:
        sizes["o200k"] = o200k()(text)
    except MissingExtra as missing:
        sizes["o200k"] = str(missing)
    return print_answer(call, "tokens", sizes, "".join(f"{name:<8} {count}\n" for name, count in sizes.items()))
