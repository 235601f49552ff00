r"""Whatever a tool said, as clean text, and what was done to make it so.

>>> text, done = clean(b"\x1b[32mok\x1b[0m 10%\rok 100%\n", "terminal")
>>> text, done.escapes, done.redraws
('ok 100%\n', 2, 1)

Two levels. `plain` repairs what no text can hold: NUL becomes U+2400, damaged UTF-8 and lone
surrogates become U+FFFD. `terminal` also gives what a terminal would show in the end, and spells
out characters that hide or reorder text. At both, binary content becomes a description, and binary
stretches within a text are counted in their place.

Pure: imports `_lite` and `core`. `fit` comes in here with what is shown or kept, `frameworks` with objects.
"""

from __future__ import annotations

import codecs
from itertools import chain

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.clean.decode import (
    CONTROLS,
    SAMPLE_BYTES,
    SMALL,
    binary_description,
    has_header,
    is_binary,
    is_clean,
    is_quiet,
    media_type,
    without_surrogates,
)
from overspill.core import Tally

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from overspill.clean.mixed import Stretches, WideDecoder
    from overspill.clean.terminal import SecretCover, Terminal

    Level = Literal["plain", "terminal"]
else:
    Level = str

__all__ = [
    "Cleaned",
    "Cleaner",
    "Encoding",
    "Level",
    "Utf8Decoder",
    "clean",
    "decoder_of",
    "encoding_of",
    "may_be_wide",
]

_PAGE = bytes(4_096)  # NULs: so many in front of a text are a hole in a file
NUL_PICTURE = "\u2400"


class Cleaned(NamedTuple):
    """What was taken out or replaced, counted."""

    escapes: int = 0  # terminal sequences, gone
    redraws: int = 0  # times something was written over or erased
    nul: int = 0  # NUL characters, now U+2400
    invalid: int = 0  # damaged sequences and lone surrogates, now U+FFFD
    hidden: int = 0  # characters that hide or reorder text, now spelled out
    bom: int = 0  # byte order marks, gone
    binary_bytes: int = 0  # bytes of binary stretches within a text, counted in their place
    binary: str = ""  # the media type, when the content was not text

    @property
    def anything(self) -> bool:
        """Whether anything was done at all; a change of encoding is nothing."""
        return self != _NOTHING


_NOTHING = Cleaned()


class Encoding(NamedTuple):
    """What the bytes of a text are written in, and how many of the first are a byte order mark."""

    name: str
    mark: int


# UTF-32 first: its little-endian mark begins with the one of UTF-16.
_WIDE_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def may_be_wide(start: bytes) -> bool:
    """Whether what begins with these four bytes may be UTF-16 or UTF-32, which takes more of them to be told."""
    return start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or b"\0" in start[:4]


def encoding_of(start: bytes) -> Encoding:
    r"""The encoding of what begins with `start`: UTF-8 unless its first kilobyte says otherwise.

    >>> encoding_of(b"\xff\xfeh\x00i\x00"), encoding_of(b"\xff\xfe and then text")
    (Encoding(name='utf-16-le', mark=2), Encoding(name='utf-8', mark=0))
    """
    if not may_be_wide(start):
        return Encoding("utf-8", 3 if start.startswith(codecs.BOM_UTF8) else 0)
    from overspill.clean.mixed import is_written_in, wide_without_mark

    for mark, name in _WIDE_MARKS:
        if start.startswith(mark) and is_written_in(start[len(mark) :], name):
            return Encoding(name, len(mark))
    return Encoding(wide_without_mark(start) or "utf-8", 0)


def decoder_of(encoding: Encoding) -> Utf8Decoder | WideDecoder:
    """What turns chunks of bytes into text, the byte order mark apart."""
    if encoding.name == "utf-8":
        return Utf8Decoder()
    from overspill.clean.mixed import WideDecoder

    return WideDecoder(encoding.name)


NEAR_BYTES = 64  # in which a control character may be the beginning of a binary stretch


class Utf8Decoder:
    r"""Turns chunks of UTF-8 into text; a character cut by a chunk border waits for its other half.

    >>> decoder = Utf8Decoder()
    >>> decoder.feed(b"caf\xc3") + decoder.feed(b"\xa9 \xff", final=True)
    'café \ufffd'
    >>> decoder.invalid
    1
    """

    def __init__(self) -> None:
        self._rest = b""
        self._stretches: Stretches | None = None  # from the first NUL or damage on

    @property
    def invalid(self) -> int:
        """How many sequences were damaged."""
        return self._stretches.invalid if self._stretches else 0

    @property
    def binary_bytes(self) -> int:
        """How many bytes were not text, and are counted in their place."""
        return self._stretches.binary_bytes if self._stretches else 0

    def feed(self, data: bytes, *, final: bool = False) -> str:
        """The text of `data`, each damaged sequence as one U+FFFD, binary stretches counted."""
        data = self._rest + data if self._rest else data
        if (self._stretches is None or self._stretches.is_idle) and b"\0" not in data:
            near = data[-NEAR_BYTES:]
            if final or len(near.translate(None, CONTROLS)) == len(near):
                try:
                    text, used = codecs.utf_8_decode(data, "strict", final)
                except UnicodeDecodeError:
                    pass
                else:
                    self._rest = data[used:]
                    return text
        if self._stretches is None:
            from overspill.clean.mixed import Stretches

            self._stretches = Stretches()
        text, used = codecs.utf_8_decode(data, "surrogateescape", final)
        self._rest = data[used:]
        return self._stretches.feed(text, final=final)


def clean(
    data: bytes | str, level: Level, cover: Callable[[], SecretCover] | None = None, *, exact: bool = False
) -> tuple[str, Cleaned]:
    """`data` as clean text, and what was done. Text that is clean already comes back as it is.

    `cover` makes what keeps secrets whole while redraws are resolved. What holds binary content is `exact` no text,
    however much text stands around it.
    """
    text = data if isinstance(data, str) else _undamaged_text(data)
    if text is not None and is_clean(text, terminal=level == "terminal"):
        return text, _NOTHING
    cleaner = Cleaner(level, cover=cover, exact=exact)
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
        exact: bool = False,
    ) -> None:
        self._nuls = 0  # that came before anything else, as in a log whose beginning was cut away
        self._start = bytearray()  # held until there is enough to tell binary from text
        self._is_open = False
        self._exact = exact
        self._binary: _Binary | None = None
        self._keep_binary = keep_binary  # who takes the bytes of what is no text
        self._decoder: Utf8Decoder | WideDecoder | None = None
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
        binary_bytes = self._decoder.binary_bytes if self._decoder else 0
        repaired = Cleaned(nul=self._nul, invalid=invalid, bom=self._marks, binary_bytes=binary_bytes)
        if self._terminal is None:
            return repaired
        done = self._terminal
        bom = self._marks + done.marks
        return repaired._replace(escapes=done.escapes, redraws=done.redraws, hidden=done.hidden, bom=bom)

    def feed(self, data: bytes | str) -> str:
        """What is certain by now, given one more chunk."""
        if isinstance(data, str):
            opened = "" if self._is_open else self._opened_start()
            self._is_open = True
            text, surrogates = without_surrogates(data)
            self._surrogates += surrogates
            return opened + self._written(text)
        if self._is_open:
            return self._decoded_text(data)
        self._start += data
        return self._opened() if self._is_enough() else ""

    def flush(self) -> str:
        """The rest. The stream is over."""
        text = "" if self._is_open else self._opened_start()
        if self._binary is not None:
            return text + self._binary.described()
        if self._decoder is not None:
            text += self._decoded_text(b"", final=True)
        return text + (self._terminal.flush() if self._terminal else "")

    def _opened_start(self) -> str:
        return self._opened() if self._start or self._nuls else ""

    def _is_enough(self) -> bool:
        """Whether there is enough to tell binary from text. Many NULs in front are counted: they do not say."""
        if self._nuls or self._start.startswith(_PAGE):
            rest = self._start.lstrip(b"\0")
            self._nuls += len(self._start) - len(rest)
            self._start = rest
        return len(self._start) >= SAMPLE_BYTES

    def _opened(self) -> str:
        self._is_enough()
        start, self._is_open = bytes(self._start), True
        self._start.clear()
        encoding = Encoding("utf-8", 0) if self._nuls else encoding_of(start)
        if encoding.name == "utf-8" and (not start or self._is_binary(start[:SAMPLE_BYTES])):
            self._binary = _Binary(self._keep_binary)
        else:
            self._marks = int(encoding.mark > 0)
            self._decoder = decoder_of(encoding)
            start = start[encoding.mark :]
        nuls = (_PAGE[: self._nuls - at] for at in range(0, self._nuls, len(_PAGE)))
        return "".join(map(self._decoded_text, chain(nuls, (start,))))

    def _is_binary(self, sample: bytes) -> bool:
        if not is_binary(sample):
            return False
        if self._exact or has_header(sample):
            return True
        from overspill.clean.mixed import is_mostly_text

        return not is_mostly_text(sample)

    def _decoded_text(self, data: bytes, *, final: bool = False) -> str:
        if self._binary is not None:
            self._binary.feed(data)
            return ""
        if self._decoder is None:
            self._decoder = Utf8Decoder()
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
    if encoding_of(data) != ("utf-8", 0) or is_binary(data[:SAMPLE_BYTES]):
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None
