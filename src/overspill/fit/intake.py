r"""A tool result taken in as it comes: cleaned, redacted, counted, and written away when it is too large to hold.

It may be text, bytes or chunks of them. Memory stays flat however long it is: of a plain text `TextEnds` holds both
ends and the size of all of it; a document that is cut but not kept lies in a file without a name, which is gone when
its process is. Where the chunks are cut makes no difference.

`TextEnds` never reads anything itself, so it serves a pipe, a file and an async generator alike.

>>> ends = TextEnds(keep=3)
>>> for piece in ["ab", "cd\r", "\nefg", "hij"]:
...     ends.feed(piece)
>>> ends.held_text()
PartialText(text='abchij', holes=(Hole(at=3, chars=6, lines=1, bytes=6),))
"""

from __future__ import annotations

import mmap
import os
import time
from _collections_abc import AsyncIterable, Callable, Iterable, Iterator

from overspill._lite import TYPE_CHECKING, NamedTuple, Protocol, deque
from overspill.clean import Cleaner
from overspill.core import Size, Tally, TokenCounter, count_bytes, count_lines, human_bytes, tokens_of
from overspill.core.spans import Hole, PartialText, reach_of
from overspill.errors import OverspillError, StoreError, reason_of
from overspill.fit.prepare import Covers, Prepared, total_counts

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from typing import Self

    from overspill.core.budget import Policy
    from overspill.core.report import Artifact
    from overspill.cut.smart.sieve import Sieve
    from overspill.redact import Redactor
    from overspill.store import Writer

CHUNK_CHARS = 1 << 20
GATHERED = 1 << 16

Chunk = str | bytes
END = object()


class Output(NamedTuple):
    """What came: all of it at once, or chunks to be taken one by one."""

    whole: Chunk | None
    chunks: Iterator[Chunk]
    content_type: str = "text/plain"


def output_of(value: object) -> Output:
    """Text, bytes, an open file or an iterator as they are; any other object as JSON."""
    if isinstance(value, str | bytes):
        return Output(value, iter(()))
    if isinstance(value, bytearray | memoryview):
        return Output(bytes(value), iter(()))
    reader = getattr(value, "read1", None) or getattr(value, "read", None)
    if callable(reader):
        return Output(None, _read_chunks(reader))
    if isinstance(value, Iterator):
        return Output(None, map(chunk_of, value))
    from overspill.clean.objects import serialise_object  # most outputs are text

    text, content_type = serialise_object(value)
    return Output(text, iter(()), content_type)


def _read_chunks(read: Callable[[int], Chunk | None]) -> Iterator[Chunk]:
    while chunk := read(CHUNK_CHARS):
        yield chunk_of(chunk)
    if chunk is None:
        raise BlockingIOError("it has nothing more to give now, and may have later")


def chunk_of(item: object) -> Chunk:
    r"""Text and bytes as they are; any other object as a line of JSON, so that many of them are NDJSON.

    >>> [chunk_of(item) for item in ("a", b"b", {"id": 1}, None)]
    ['a', b'b', '{"id":1}\n', 'null\n']
    """
    if isinstance(item, str | bytes):
        return item
    if isinstance(item, bytearray | memoryview):
        return bytes(item)
    from overspill.clean.objects import serialise_line

    return serialise_line(item)


class Chunks:
    """Chunks of an async iterable, for a thread beside its event loop: the loop makes them, the thread takes them."""

    def __init__(self, source: AsyncIterable[Chunk], loop: AbstractEventLoop) -> None:
        self._source = aiter(source)
        self._loop = loop

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Chunk:
        from asyncio import run_coroutine_threadsafe

        chunk = run_coroutine_threadsafe(self._next(), self._loop).result()
        if chunk is END:
            raise StopIteration
        return chunk_of(chunk)

    async def _next(self) -> object:
        return await anext(self._source, END)


def text_pieces(text: str) -> Iterable[str]:
    """A large piece of text in smaller ones, so that what is made of it is never as large as it."""
    return (
        (text[at : at + CHUNK_CHARS] for at in range(0, len(text), CHUNK_CHARS)) if len(text) > CHUNK_CHARS else (text,)
    )


class WatchedChunks:
    """Chunks as they come, until they end: by themselves, by a failure of whoever makes them, or at `most` bytes.

    `ended` says why they ended early; the seconds they took are added to `waited`. What stops a call before anything
    has come is raised: there is nothing yet that could be lost.
    """

    def __init__(self, chunks: Iterator[Chunk], waited: list[float], most: int) -> None:
        self._chunks = chunks
        self._waited = waited
        self._most = most
        self.ended = ""

    def __iter__(self) -> Iterator[Chunk]:
        came = 0
        while not self.ended and (chunk := self._next_chunk(came)) is not None:
            came += len(chunk)
            yield chunk
            if came >= self._most:
                self.ended = (
                    f"more than {human_bytes(self._most)} came (tools.truncation.max_input_size); no more is read"
                )

    def _next_chunk(self, came: int) -> Chunk | None:
        asked = time.perf_counter()
        try:
            return next(self._chunks, None)
        except OverspillError as error:
            if not came:
                raise
            self.ended = str(error)
        except Exception as error:  # noqa: BLE001  # whatever the maker of the output raises is his
            self.ended = f"{type(error).__name__}: {_words_of(error)}"
        finally:
            self._waited[0] += time.perf_counter() - asked
        return None


def gathered_chunks(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Many small chunks as few larger ones: each is cleaned and redacted by itself, and that has a price."""
    held: list[Chunk] = []
    size = 0
    for chunk in chunks:
        if held and isinstance(chunk, str) != isinstance(held[0], str):
            yield _joined(held)
            held, size = [], 0
        held.append(chunk)
        size += len(chunk)
        if size >= GATHERED:
            yield _joined(held)
            held, size = [], 0
    if held:
        yield _joined(held)


def _joined(chunks: list[Chunk]) -> Chunk:
    return chunks[0] if len(chunks) == 1 else chunks[0][:0].join(chunks)  # type: ignore[arg-type]  # all of one type


def _words_of(error: Exception) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001  # errors of strangers may fail at that, too
        return "it cannot be said why"


class TextEnds:
    """Remembers the first and the last `keep` characters it is fed.

    Memory stays within twice that and one piece, however long the text.
    """

    def __init__(self, keep: int) -> None:
        self._keep = keep
        self._head: list[str] = []
        self._head_room = keep
        self._tail: deque[str] = deque()
        self._tail_chars = 0
        self.tally = Tally()

    def widen(self, keep: int) -> None:
        """Remember more from now on. Nothing was let go so far."""
        text = self.text()
        self._keep, self._head, self._head_room = keep, [text[:keep]], max(0, keep - len(text))
        self._tail, self._tail_chars = deque([text[keep:]]), max(0, len(text) - keep)

    def overflows(self, more: int) -> bool:
        """Whether something has to be let go when `more` characters come."""
        return self.tally.chars + more > 2 * self._keep

    def feed(self, text: str, size: int | None = None) -> None:
        """Take one more piece, which is `size` bytes long if that is known."""
        self.tally.add(text, size)
        if self._head_room:
            first, text = text[: self._head_room], text[self._head_room :]
            self._head.append(first)
            self._head_room -= len(first)
        if text:
            self._tail.append(text)
            self._tail_chars += len(text)
            while self._tail_chars - len(self._tail[0]) >= self._keep:
                self._tail_chars -= len(self._tail.popleft())

    def text(self) -> str:
        """All of the text, as long as it does not overflow."""
        return "".join([*self._head, *self._tail])

    def ends(self) -> tuple[str, str]:
        """Both ends of a text that overflows."""
        return "".join(self._head), "".join(self._tail)[-self._keep :]

    def held_text(self) -> PartialText:
        """What is held of the text: all of it, or both ends."""
        if not self.overflows(0):
            return PartialText(self.text())
        head, tail = self.ends()
        whole = self.tally
        lines = whole.lines - count_lines(head) - count_lines(tail)
        count = whole.bytes - count_bytes(head) - count_bytes(tail)
        return PartialText(head + tail, (Hole(len(head), whole.chars - len(head) - len(tail), lines, count),))

    def size(self, counter: TokenCounter | None = None) -> Size:
        """The size of all of the text. Tokens of what is not held are taken to be like those of the ends."""
        size = self.tally.size()
        if counter is None:
            return size
        held = self.held_text().text
        return size._replace(tokens=counter(held) * size.chars // max(1, len(held)))


# Beyond what a view may look at, a cut looks at its neighbours: a character may be many code points.
MARGIN = 128
EVERYTHING = 1 << 62
BLANK = "\ufeff \t\r\n"


DEEP_STRATEGIES = frozenset({"smart", "head_tail"})  # that count what a diff changes
HELD = 131_072  # characters of a plain text that are cleaned at its end


class TextRedaction(Protocol):
    """Redaction of a text that comes in pieces."""

    counts: dict[str, int]
    incomplete: bool

    def feed(self, text: str) -> str: ...
    def flush(self) -> str: ...


class Sinks(NamedTuple):
    """Where a text goes that is too large to hold: to the store, and if it may be a document to be parsed in place."""

    keep: Callable[[], Writer] | None
    spool: Callable[[], Writer]


def held_chars(policy: Policy) -> int:
    """How much of either end has to be held: as deep as a view looks, and all of what will be shown whole."""
    ceiling = policy.inline.ceiling
    if ceiling is None:
        return EVERYTHING
    return max(reach_of(ceiling), policy.artifact_threshold if policy.strategy == "none" else 0)


def kept_chars(policy: Policy) -> int:
    """How many characters are held of either end."""
    return held_chars(policy) + MARGIN


class Intake:
    """Feed it chunks; `finish` gives the result, ready to be shown."""

    def __init__(self, policy: Policy, sinks: Sinks, redactor: Redactor | None) -> None:
        self._policy = policy
        self._sinks = sinks
        self._redacting: TextRedaction | None = redactor.stream() if redactor else None
        self._covers = Covers(redactor)
        keep_binary = self._take_binary if policy.keep_binary and sinks.keep else None
        self._cleaner = Cleaner(
            policy.clean, hold=HELD, cover=self._covers.make, keep_binary=keep_binary, exact=policy.keep_binary
        )
        self._keep_chars = kept_chars(policy)
        self._ends = TextEnds(self._keep_chars)
        self._sieve: Sieve | None = None
        self._writer: Writer | None = None
        self._overflowed = False
        self._widened = False
        self._came_bytes = 0
        self._away = 0
        self._trouble = ""

    def feed(self, chunk: Chunk) -> None:
        """Take one more chunk."""
        self._came_bytes += len(chunk) if isinstance(chunk, bytes) else 0
        self._take(self._cleaner.feed(chunk))

    @property
    def size_so_far(self) -> int:
        """How many bytes have come so far, cleaned and redacted."""
        return self._ends.tally.bytes

    def finish(self, content_type: str) -> Prepared:
        """The stream is over: what is held of it, its sizes, and where the rest is."""
        self._take(self._cleaner.flush())
        if self._redacting is not None:
            self._keep(self._redacting.flush())
        held, size = self._held(), self._ends.size(self._policy.inline.counter)
        cleaned = self._cleaner.counts
        return Prepared(
            held.text,
            size,
            self._original(size),
            content_type,
            {name: count for name, count in cleaned._asdict().items() if count},
            total_counts([self._covers.counts, self._redacting.counts]) if self._redacting else {},
            self._redacting.incomplete if self._redacting else False,
            held.holes,
            self._writer,
            self._trouble,
            None if self._sieve is None else self._sieve.survey,
        )

    def _take_binary(self, content: bytes) -> None:
        """Bytes that are no text go to the store as they are."""
        if not self._overflowed:
            self._overflowed = True
            self._open_writer(self._sinks.keep)
        if self._writer is not None:
            self._write(content)

    def _held(self) -> PartialText:
        if self._sieve is None:
            return self._ends.held_text()
        from overspill.cut.smart.sieve import partial_text_of

        head, tail = self._ends.ends()
        return partial_text_of(head, self._sieve.islands(), tail, self._ends.tally.size())

    def abort(self) -> None:
        """Forget what was written away."""
        if self._writer is not None:
            self._writer.abort()
            self._writer = None

    def _original(self, size: Size) -> Size:
        if self._cleaner.counts.binary:
            return Size(self._came_bytes, 0, self._came_bytes, tokens_of(self._came_bytes))
        came = self._cleaner.came.size()
        counter = self._policy.inline.counter
        tokens = came.tokens if counter is None else size.tokens * came.chars // max(1, size.chars)
        return came._replace(bytes=self._came_bytes or came.bytes, tokens=tokens)

    def _take(self, text: str) -> None:
        for piece in text_pieces(text):
            self._keep(piece if self._redacting is None else self._redacting.feed(piece))

    def _keep(self, text: str) -> None:
        if not text:
            return
        content = None
        if self._sieve is not None:
            self._sieve.feed(text)
        if self._ends.overflows(len(text)) and not self._holds_more(len(text)):
            self._overflow(text)
            if self._writer is not None:
                content = text.encode()
                self._write(content)
        self._ends.feed(text, None if content is None else len(content))

    def _holds_more(self, more: int) -> bool:
        """Whether this is a diff, of which more is held than of other texts: what it changes is told by all of it."""
        if self._overflowed or self._widened or self._policy.strategy not in DEEP_STRATEGIES:
            return False
        from overspill.cut.ends import depth

        self._widened = True
        self._keep_chars = depth(self._ends.text(), self._keep_chars)
        self._ends.widen(self._keep_chars)
        return not self._ends.overflows(more)

    def _overflow(self, text: str) -> None:
        """The text has become too large to hold: from now on it is written away, all of it."""
        if self._overflowed:
            return
        self._overflowed = True
        so_far = self._ends.text()
        if self._policy.strategy == "smart":
            from overspill.cut.smart.sieve import Sieve

            both = so_far + text
            self._sieve = Sieve(both[: self._keep_chars], self._policy.options)
            self._sieve.feed(both[self._keep_chars :])
        begins = (so_far.lstrip(BLANK) or text.lstrip(BLANK))[:1]
        spool = self._sinks.spool if begins in {"{", "[", "<", '"'} else None
        self._open_writer(self._sinks.keep or spool)
        if self._writer is not None:
            self._write(so_far.encode())

    def _open_writer(self, make: Callable[[], Writer] | None) -> None:
        try:
            self._writer = make() if make is not None else None
        except (StoreError, OSError) as error:
            self._trouble = reason_of(error)

    def _write(self, content: bytes) -> None:
        self._away += len(content)
        if self._policy.on_oversize != "head_tail" and self._away >= self._policy.max_artifact_size:
            self.abort()  # it will be refused: there is no use in filling the disk with it
            return
        try:
            if self._writer is not None:
                self._writer.write(content)
        except (StoreError, OSError) as error:
            self._trouble = reason_of(error)
            self.abort()


class Scratch:
    """Bytes on disk that only this process can reach."""

    def __init__(self, directory: str | None = None) -> None:
        import tempfile

        self._file = tempfile.TemporaryFile("w+b", dir=directory)  # noqa: SIM115  # closed by `abort`

    def write(self, content: bytes) -> None:
        """Take the next bytes."""
        self._file.write(content)

    def view(self) -> mmap.mmap | bytes:
        """What was written, readable in place."""
        self._file.flush()
        if not os.fstat(self._file.fileno()).st_size:
            return b""
        return mmap.mmap(self._file.fileno(), 0, prot=mmap.PROT_READ)

    def commit(self, size: Size, content_type: str = "") -> Artifact:  # noqa: ARG002  # what every writer takes
        """Nothing that lies here can be kept."""
        raise StoreError(f"not kept: {size.bytes} bytes lie in a file without a name")

    def abort(self) -> None:
        """Let it go."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.abort()
