r"""Bytes of two kinds in one output: what they are written in, by evidence, and binary stretches within a text.

A byte order mark is two bytes, and anything may begin with them. It is believed where what follows reads well in the
encoding it names and badly as it stands; without a mark, wide text is known by a NUL beside every letter.

>>> is_written_in(b"h\x00i\x00!\x00", "utf-16-le"), is_written_in(b"some text\n", "utf-16-le")
(True, False)

Some programs append to a file of UTF-16 in UTF-8. Whatever was guessed, a stretch of plain text is read as text: what
is read as ideographs nobody finds, and no rule for secrets knows.

>>> wide = WideDecoder("utf-16-le")
>>> wide.feed("one\n".encode("utf-16-le") + b"two: appended in another encoding\n", final=True)
'one\ntwo: appended in another encoding\n'

A piece of a program in a log is counted in its place. The text around it stays.

>>> stretches = Stretches()
>>> stretches.feed("before" + "\0\x01\x02\udcff" * 300 + "after it the log goes on as before\n", final=True)
'before[binary, 1,200 bytes]after it the log goes on as before\n'
"""

from __future__ import annotations

import codecs

from overspill._lite import compile_pattern
from overspill.clean.decode import REPLACEMENT, count_damage, count_strange, is_dense, media_type

WIDE_DECODERS = {
    "utf-16-le": codecs.utf_16_le_decode,
    "utf-16-be": codecs.utf_16_be_decode,
    "utf-32-le": codecs.utf_32_le_decode,
    "utf-32-be": codecs.utf_32_be_decode,
}

EVIDENCE_BYTES = 1_024
FIRST_BYTES = 32
SLICE = 1 << 14  # what is held is cut anew at every turn, so it has to be little

_SOME_STRANGE = 0.1  # of the bytes, as they stand
_FEW_STRANGE = 0.05  # of the characters they would be
_A_FEW = 2
_MANY_LETTERS, _ALL_LETTERS = 0.75, 0.9  # of what is wide by its mark, and without one
_FEW_BYTES = 16

_UNPRINTED = "\a\b\x1b\ufeff\u200c\u200d\u200e\u200f"  # and part of many texts

_ASCII = rb"[\t\n\r\x1b -~]"
_PLAIN = rb"(?:" + _ASCII + rb"+|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3})*"
PLAIN_RUN = 24
_LONGEST_CHARACTER, _LONG_CHARACTERS = 4, 0xC2  # bytes of a character of UTF-8, and the first byte of those with many
# Where every second byte is the same, they are characters of one block: dots, frames of tables, kana.
_ONE_BLOCK = rb"(?!.(.).\1.\1.\1.\1.\1)(?!(.).\2.\2.\2.\2.\2)"
_PLAIN_START = rb"(?s)(?=" + _ASCII + rb"{%d})" % PLAIN_RUN + _ONE_BLOCK
_PLAIN_END = _ASCII + rb"*\Z"


def is_written_in(data: bytes, encoding: str) -> bool:
    """Whether `data`, what stands after a byte order mark, is what the mark says: at least at its very beginning."""
    if not data:
        return True
    return _letters_share(data[:FIRST_BYTES], encoding) >= _MANY_LETTERS or _reads_better(
        data[:EVIDENCE_BYTES], encoding
    )


def _reads_better(data: bytes, encoding: str) -> bool:
    text, _ = WIDE_DECODERS[encoding](data, "replace", False)
    strange = sum(map(_is_strange, text))
    as_it_stands = count_strange(data) + count_damage(data)
    return (
        as_it_stands > len(data) * _SOME_STRANGE
        and as_it_stands > strange * 2
        and strange <= _A_FEW + len(text) * _FEW_STRANGE
        and bool(text)
    )


def _letters_share(data: bytes, encoding: str) -> float:
    """How much of what `data` would be is plain letters: nothing else has a NUL beside every one of its bytes."""
    text, _ = WIDE_DECODERS[encoding](data, "replace", False)
    return sum(char.isascii() and not _is_strange(char) for char in text) / (len(text) or 1)


def wide_without_mark(data: bytes) -> str:
    r"""The encoding of wide text that has no mark, or nothing.

    Letters alone prove nothing: a list of single letters that ends each of them with a NUL has no blanks.

    >>> wide_without_mark("Name  State\r\n".encode("utf-16-le")), wide_without_mark(b"a\0b\0c\0d\0e\0f\0g\0h\0i\0")
    ('utf-16-le', '')
    """
    data = data[:EVIDENCE_BYTES]
    for encoding, blanks in (("utf-16-le", (b" \0", b"\n\0")), ("utf-16-be", (b"\0 ", b"\0\n"))):
        is_spaced = len(data) >= _FEW_BYTES and any(blank in data for blank in blanks)
        if is_spaced and _letters_share(data, encoding) >= _ALL_LETTERS:
            return encoding
    return ""


def _is_strange(char: str) -> bool:
    return char == REPLACEMENT or not (char.isprintable() or char.isspace() or char in _UNPRINTED)


class WideDecoder:
    """Turns chunks of UTF-16 or UTF-32 into text, and what stands in it as plain text, too."""

    binary_bytes = 0

    def __init__(self, encoding: str) -> None:
        self.invalid = 0
        self._decode = WIDE_DECODERS[encoding]
        self._unit = 4 if "32" in encoding else 2
        self._little = encoding.endswith("le")
        self._is_plain = False
        self._held = b""

    def feed(self, data: bytes, *, final: bool = False) -> str:
        """What is certain by now, each damaged sequence as one U+FFFD."""
        pieces: list[str] = []
        for at in range(0, max(1, len(data)), SLICE):
            self._held += data[at : at + SLICE]
            self._read(pieces, final=final and at + SLICE >= len(data))
        return "".join(pieces)

    def _read(self, pieces: list[str], *, final: bool) -> None:
        while not (self._read_plain if self._is_plain else self._read_wide)(pieces, final=final):
            self._is_plain = not self._is_plain

    def _read_wide(self, pieces: list[str], *, final: bool) -> bool:
        """Read up to where plain text begins; whether there is none yet."""
        begin = compile_pattern(_PLAIN_START).search(self._held)
        if begin is not None:
            at = -(-begin.start() // self._unit) * self._unit  # the last byte of a character may look plain, too
            pieces.append(self._decoded(at, final=True))
            return False
        tail = compile_pattern(_PLAIN_END).search(self._held, max(0, len(self._held) - PLAIN_RUN))
        ready = len(self._held) if final or tail is None else tail.start() // self._unit * self._unit
        pieces.append(self._decoded(ready, final=final))
        return True

    def _decoded(self, end: int, *, final: bool) -> str:
        data = self._held[:end]
        try:
            text, used = self._decode(data, "strict", final)
        except UnicodeDecodeError:
            text, used = self._decode(data, "replace", final)
            self.invalid += len(text) - len(self._decode(data, "ignore", final)[0])
        self._held = self._held[used:]
        return text

    def _read_plain(self, pieces: list[str], *, final: bool) -> bool:
        """Read up to where plain text ends; whether it goes on."""
        match = compile_pattern(_PLAIN).match(self._held)
        end = match.end() if match else 0
        rest = self._held[end:]
        goes_on = not final and (not rest or (len(rest) < _LONGEST_CHARACTER and rest[0] >= _LONG_CHARACTERS))
        if goes_on or (rest[:1] == b"\0" and self._little):
            # The last letter is the first half of a wide one, if a NUL comes after it.
            end -= int(end > 0 and self._held[end - 1 : end].isascii())
        pieces.append(self._held[:end].decode("utf-8", "replace"))
        self._held = self._held[end:]
        return goes_on or not self._held


BLOCK = 4_096
SHORTEST = 32  # bytes of a stretch; fewer are shown as damage
TEXT_RUN = 24
_DAMAGED = "".join(map(chr, range(0xDC80, 0xDD00)))
_STRANGE = r"\x00-\x06\x10-\x1a\x1c-\x1f\x7f\udc80-\udcff"
_NEAR = 16
# A stretch begins with a NUL or a byte that is no UTF-8, or with a control character shortly before one.
_STRETCH_START = (
    rf"[\x01-\x06\x10-\x1a\x1c-\x1f\x7f][^\x00\udc80-\udcff]{{0,{_NEAR - 1}}}[\x00\udc80-\udcff]|[\x00\udc80-\udcff]"
)
_MAYBE_START = r"[\x01-\x06\x10-\x1a\x1c-\x1f\x7f]"
_TEXT_RUN = rf"(?<![^{_STRANGE}])[^{_STRANGE}]{{{TEXT_RUN}}}"
_TEXT_END = rf"[^{_STRANGE}]*\Z"


class Stretches:
    """Text with its damaged bytes as lone surrogates in; out the text, binary stretches counted in their place."""

    def __init__(self) -> None:
        self.invalid = 0
        self.binary_bytes = 0
        self._held = ""
        self._stretch: _Stretch | None = None

    @property
    def is_idle(self) -> bool:
        """Whether nothing is undecided."""
        return self._stretch is None and not self._held

    def feed(self, text: str, *, final: bool = False) -> str:
        """What is certain by now."""
        pieces: list[str] = []
        for at in range(0, max(1, len(text)), SLICE):
            self._held += text[at : at + SLICE]
            last = final and at + SLICE >= len(text)
            while self._read_stretch(pieces, final=last) if self._stretch else self._read_text(pieces, final=last):
                pass
        return "".join(pieces)

    def _read_text(self, pieces: list[str], *, final: bool) -> bool:
        """Read up to the next stretch, or what looked like one; whether there is more to read."""
        start = compile_pattern(_STRETCH_START).search(self._held)
        if start is None:
            end = len(self._held)
            maybe = None if final else compile_pattern(_MAYBE_START).search(self._held, max(0, end - _NEAR))
            self._write(pieces, maybe.start() if maybe else end)
            return False
        self._write(pieces, start.start())
        block = self._held[:BLOCK]
        run = compile_pattern(_TEXT_RUN).search(block)
        if run is None and len(block) < BLOCK and not final:
            return False
        data = block[: run.start() if run else BLOCK].encode("utf-8", "surrogateescape")
        if len(data) >= SHORTEST and is_dense(data):
            self._stretch = _Stretch(data)
        else:
            self._write(pieces, run.start() if run else len(block.rstrip(_DAMAGED)) or BLOCK)
        return bool(self._held)

    def _read_stretch(self, pieces: list[str], *, final: bool) -> bool:
        """Read up to where text comes again; whether it has come."""
        assert self._stretch is not None  # noqa: S101  # asked by `feed`
        run = compile_pattern(_TEXT_RUN).search(self._held)
        if run is None:
            run = compile_pattern(_TEXT_END).search(self._held, max(0, len(self._held) - TEXT_RUN))
        end = run.start() if run else len(self._held)
        self._stretch.feed(self._held[:end].encode("utf-8", "surrogateescape"))
        self._held = self._held[end:]
        if not final and len(self._held) < TEXT_RUN:
            return False
        self.binary_bytes += self._stretch.size
        pieces.append(self._stretch.mark)
        self._stretch = None
        return bool(self._held)

    def _write(self, pieces: list[str], end: int) -> None:
        text, self._held = self._held[:end], self._held[end:]
        data = text.encode("utf-8", "surrogateescape")
        shown, _ = codecs.utf_8_decode(data, "replace", True)
        if shown != text:
            self.invalid += len(shown) - len(codecs.utf_8_decode(data, "ignore", True)[0])
        pieces.append(shown)


class _Stretch:
    """A binary stretch as it streams by: how long it is, how it begins, and whether it is NUL throughout."""

    def __init__(self, start: bytes) -> None:
        self.size = 0
        self._type = media_type(start)
        self._is_nul = True

    def feed(self, data: bytes) -> None:
        self.size += len(data)
        self._is_nul = self._is_nul and not data.strip(b"\0")

    @property
    def mark(self) -> str:
        if self._is_nul:
            return f"[{self.size:,} NUL bytes]"
        return f"[binary{f' {self._type}' if self._type else ''}, {self.size:,} bytes]"


def is_mostly_text(sample: bytes) -> bool:
    """Whether most of `sample`, which holds binary content, is text that stands around it."""
    stretches = Stretches()
    text = codecs.utf_8_decode(sample, "surrogateescape", True)[0]
    around = stretches.feed(text, final=True).replace(REPLACEMENT, "\udcff").encode("utf-8", "surrogateescape")
    return stretches.binary_bytes * 2 < len(sample) and not is_dense(around)
