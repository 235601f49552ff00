r"""Whatever a tool said, as clean text, and what was done to make it so.

>>> text, done = clean(b"\x1b[32mok\x1b[0m 10%\rok 100%\n", "terminal")
>>> text, done.escapes, done.redraws
('ok 100%\n', 2, 1)

Two levels. `plain` repairs what no text can hold: NUL becomes U+2400, damaged UTF-8 and lone
surrogates become U+FFFD. `terminal` also gives what a terminal would show in the end, and spells
out characters that hide or reorder text. Binary content becomes a description at both.

Pure: imports `_lite` and `core`. `fit` comes in here with what is shown or kept, `frameworks` with objects.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.clean.decode import (
    SAMPLE_BYTES,
    SMALL,
    Decoder,
    binary_description,
    encoding_of,
    is_binary,
    is_clean,
    is_quiet,
    media_type,
    without_surrogates,
)
from overspill.core.size import Tally

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from overspill.clean.terminal import SecretCover, Terminal

    Level = Literal["plain", "terminal"]
else:
    Level = str

__all__ = ["Cleaned", "Cleaner", "Level", "clean"]

NUL_PICTURE = "\u2400"


class Cleaned(NamedTuple):
    """What was taken out or replaced, counted."""

    escapes: int = 0  # terminal sequences, gone
    redraws: int = 0  # times something was written over or erased
    nul: int = 0  # NUL characters, now U+2400
    invalid: int = 0  # damaged sequences and lone surrogates, now U+FFFD
    hidden: int = 0  # characters that hide or reorder text, now spelled out
    bom: int = 0  # byte order marks, gone
    binary: str = ""  # the media type, when the content was not text

    @property
    def anything(self) -> bool:
        """Whether anything was done at all; a change of encoding is nothing."""
        return self != _NOTHING


_NOTHING = Cleaned()


def clean(data: bytes | str, level: Level, cover: Callable[[], SecretCover] | None = None) -> tuple[str, Cleaned]:
    """`data` as clean text, and what was done. Text that is clean already comes back as it is.

    `cover` makes what keeps secrets whole while redraws are resolved.
    """
    text = data if isinstance(data, str) else _undamaged_text(data)
    if text is not None and is_clean(text, terminal=level == "terminal"):
        return text, _NOTHING
    cleaner = Cleaner(level, cover=cover)
    text = cleaner.feed(data) + cleaner.flush()
    return text, cleaner.counts


class Cleaner:
    r"""Cleans a stream of bytes or text. Where the chunks are cut makes no difference.

    >>> cleaner = Cleaner("plain")
    >>> cleaner.feed("one") + cleaner.feed("\0two") + cleaner.flush()
    'one␀two'
    >>> cleaner.counts.nul
    1

    Memory stays within the chunk and a fixed amount: the first bytes, which tell binary from text, the
    rows a cursor can still reach, and a sequence whose end is still to come. `hold` adds to it so many
    characters: a plain text that is not longer comes back at `flush`, and needs no terminal at all.
    """

    def __init__(
        self,
        level: Level,
        *,
        hold: int = 0,
        cover: Callable[[], SecretCover] | None = None,
        keep_binary: Callable[[bytes], None] | None = None,
    ) -> None:
        self._start: bytearray | None = bytearray()  # held until there is enough to tell binary from text
        self._binary: _Binary | None = None
        self._keep_binary = keep_binary  # who takes the bytes of what is no text
        self._decoder: Decoder | None = None
        self._terminal = _Terminal(hold, cover) if level == "terminal" else None
        self.came = Tally()  # the text as it came, before anything was done to it
        self._marks = 0
        self._nul = 0
        self._surrogates = 0

    @property
    def counts(self) -> Cleaned:
        """What was done so far; final after `flush`."""
        if self._binary is not None:
            return Cleaned(binary=self._binary.media_type)
        invalid = self._surrogates + (self._decoder.invalid if self._decoder else 0)
        repaired = Cleaned(nul=self._nul, invalid=invalid, bom=self._marks)
        if self._terminal is None:
            return repaired
        done = self._terminal
        bom = self._marks + done.marks
        return repaired._replace(escapes=done.escapes, redraws=done.redraws, hidden=done.hidden, bom=bom)

    def feed(self, data: bytes | str) -> str:
        """What is certain by now, given one more chunk."""
        if isinstance(data, str):
            opened = self._opened() if self._start else ""
            self._start = None
            text, surrogates = without_surrogates(data)
            self._surrogates += surrogates
            return opened + self._written(text)
        if self._start is None:
            return self._decoded_text(data)
        self._start += data
        return self._opened() if len(self._start) >= SAMPLE_BYTES else ""

    def flush(self) -> str:
        """The rest. The stream is over."""
        text = self._opened() if self._start else ""
        if self._binary is not None:
            return text + self._binary.described()
        if self._decoder is not None:
            text += self._decoded_text(b"", final=True)
        return text + (self._terminal.flush() if self._terminal else "")

    def _opened(self) -> str:
        start, self._start = bytes(self._start or b""), None
        encoding = encoding_of(start)
        if not encoding.mark and is_binary(start[:SAMPLE_BYTES]):
            self._binary = _Binary(self._keep_binary)
        else:
            self._marks = int(encoding.mark > 0)
            self._decoder = Decoder(encoding.name)
        return self._decoded_text(start[encoding.mark :])

    def _decoded_text(self, data: bytes, *, final: bool = False) -> str:
        if self._binary is not None:
            self._binary.feed(data)
            return ""
        if self._decoder is None:
            self._decoder = Decoder("utf-8")
        return self._written(self._decoder.feed(data, final=final))

    def _written(self, text: str) -> str:
        self.came.add(text)
        if "\0" in text:
            self._nul += text.count("\0")
            text = text.replace("\0", NUL_PICTURE)
        return self._terminal.feed(text) if self._terminal else text


class _Binary:
    """Binary content as it streams by: its size, its digest, and the start."""

    def __init__(self, keep: Callable[[bytes], None] | None) -> None:
        import hashlib

        self._keep = keep
        self._start = b""
        self._size = 0
        self._digest = hashlib.sha256()

    @property
    def media_type(self) -> str:
        return media_type(self._start) or "application/octet-stream"

    def feed(self, data: bytes) -> None:
        self._start = self._start or data[:SAMPLE_BYTES]
        self._size += len(data)
        self._digest.update(data)
        if self._keep is not None:
            self._keep(data)

    def described(self) -> str:
        whole = self._size <= SMALL
        return binary_description(self._start, size=self._size, digest=self._digest.hexdigest(), whole=whole)


class _Terminal:
    """A terminal that is switched on by the first text it would show otherwise than it came.

    Most text does not need it, and a process starts for every tool call.
    """

    def __init__(self, hold: int, cover: Callable[[], SecretCover] | None) -> None:
        self._hold = hold
        self._cover = cover
        self._quiet: list[str] = []
        self._held = 0
        self._on: Terminal | None = None

    @property
    def escapes(self) -> int:
        return self._on.escapes if self._on else 0

    @property
    def redraws(self) -> int:
        return self._on.redraws if self._on else 0

    @property
    def hidden(self) -> int:
        return self._on.hidden if self._on else 0

    @property
    def marks(self) -> int:
        return (self._on.marks or 0) if self._on else 0

    def feed(self, text: str) -> str:
        if self._on is None:
            self._quiet.append(text)
            self._held += len(text)
            if self._held <= self._hold and is_quiet(text):
                return ""
            from overspill.clean.terminal import Terminal

            self._on = Terminal(self._cover)
            text = "".join(self._quiet)
            self._quiet.clear()
        return self._on.feed(text)

    def flush(self) -> str:
        return self._on.flush() if self._on else "".join(self._quiet)


def _undamaged_text(data: bytes) -> str | None:
    """`data` as text if it is undamaged UTF-8 without a mark, and not binary."""
    if encoding_of(data).mark or is_binary(data[:SAMPLE_BYTES]):
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None
