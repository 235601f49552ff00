r"""Bytes to text, whatever they are: UTF-8 with any damage, UTF-16 and UTF-32 by their byte order mark.

>>> decoder = Decoder("utf-8")
>>> decoder.feed(b"caf\xc3") + decoder.feed(b"\xa9 \xff")
'café \ufffd'
>>> decoder.invalid
1
"""

import codecs
import re
from collections.abc import Callable

from overspill._lite import NamedTuple

REPLACEMENT = "\ufffd"

_SURROGATES = "[\ud800-\udfff]"

_Decode = Callable[[bytes, str, bool], tuple[str, int]]

_DECODERS: dict[str, _Decode] = {
    "utf-8": codecs.utf_8_decode,
    "utf-16-le": codecs.utf_16_le_decode,
    "utf-16-be": codecs.utf_16_be_decode,
    "utf-32-le": codecs.utf_32_le_decode,
    "utf-32-be": codecs.utf_32_be_decode,
}


class Encoding(NamedTuple):
    """What the first bytes say, and how many of them are a byte order mark."""

    name: str
    mark: int


# UTF-32 first: its little-endian mark begins with the one of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def encoding_of(start: bytes) -> Encoding:
    r"""The encoding a byte order mark names; UTF-8 when there is none.

    >>> encoding_of(b"\xff\xfeh\x00i\x00")
    Encoding(name='utf-16-le', mark=2)
    """
    for mark, name in _MARKS:
        if start.startswith(mark):
            return Encoding(name, len(mark))
    return Encoding("utf-8", 0)


class Decoder:
    """Turns chunks of bytes into text; a character cut by a chunk border waits for its other half."""

    def __init__(self, encoding: str) -> None:
        self.invalid = 0
        self._decode = _DECODERS[encoding]
        self._rest = b""

    def feed(self, data: bytes, *, final: bool = False) -> str:
        """The text of `data`, each damaged sequence as one U+FFFD."""
        data = self._rest + data if self._rest else data
        try:
            text, used = self._decode(data, "strict", final)
        except UnicodeDecodeError:
            text, used = self._decode(data, "replace", final)
            # A genuine U+FFFD in the source is no damage; dropping the damage instead shows how much there was.
            self.invalid += len(text) - len(self._decode(data, "ignore", final)[0])
        self._rest = data[used:]
        return text


def mended(text: str) -> tuple[str, int]:
    """`text` with lone surrogates, which no file can hold, as U+FFFD; and how many there were."""
    if text.isascii():
        return text, 0
    try:
        text.encode()
    except UnicodeEncodeError:
        return re.subn(_SURROGATES, REPLACEMENT, text)
    return text, 0
