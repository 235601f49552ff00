r"""How large a text is: characters, line ends, bytes and tokens.

Lines are counted as `wc -l` counts them, by their ends, so that the numbers of what is shown and of
what is left out add up however a text is cut. LF, CRLF and CR each end a line.

>>> measure("one\r\ntwo\nthree")
Size(chars=14, lines=2, bytes=14, tokens=4)
"""

from collections.abc import Callable
from typing import NamedTuple

TokenCounter = Callable[[str], int]

CHARS_PER_TOKEN = 4


class Size(NamedTuple):
    """One text, measured once and handed on."""

    chars: int
    lines: int
    bytes: int
    tokens: int


def measure(text: str, count_tokens: TokenCounter | None = None) -> Size:
    """Measure `text`; tokens are estimated at four characters each unless a counter is given."""
    chars = len(text)
    tokens = tokens_of(chars) if count_tokens is None else count_tokens(text)
    return Size(chars, count_lines(text), count_bytes(text), tokens)


def count_lines(text: str, start: int = 0, end: int | None = None) -> int:
    r"""Line ends in `text[start:end]`: LF, CRLF and CR.

    >>> count_lines("a\nb\rc\r\nd")
    3
    """
    stop = len(text) if end is None else end
    carriage = text.count("\r", start, stop)
    pairs = text.count("\r\n", start, stop) if carriage else 0
    return text.count("\n", start, stop) + carriage - pairs


def count_bytes(text: str) -> int:
    """Length in UTF-8, without a copy when the text is ASCII."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def tokens_of(chars: int) -> int:
    """The specification's estimate: a token is four characters, begun ones count.

    >>> [tokens_of(n) for n in (0, 1, 4, 5)]
    [0, 1, 1, 2]
    """
    return -(-chars // CHARS_PER_TOKEN)
