r"""Values and their arithmetic: sizes and counters of tokens, which are here, budgets, spans, marks, reports. No I/O.

Every package may import it but `kinds`, by which tokens may be counted; it imports `_lite` and `errors`.

A text has so many characters, line ends, bytes and tokens. Lines are counted as `wc -l` counts them, by their ends, so
that the numbers of what is shown and of what is left out add up however a text is cut. LF, CRLF and CR each end a line.

>>> measure("one\r\ntwo\nthree")
Size(chars=14, lines=2, bytes=14, tokens=4)
"""

from __future__ import annotations

from _collections_abc import Callable

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.errors import ConfigError, MissingExtra

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


TokenCounter = Callable[[str], int]

CHARS_PER_TOKEN = 4
PIECE = 1 << 20
VIEW = "text/x-overspill-view"  # the media type of a view that could be handed to a model in no other way
BINARY = "; charset=binary"  # what the media type of bytes that are no text ends in


class Size(NamedTuple):
    """One text, measured once and handed on."""

    chars: int
    lines: int
    bytes: int
    tokens: int


class Artifact(NamedTuple):
    """A text that is kept, and what is known of it."""

    id: str
    size: Size
    source_tool: str = ""
    content_type: str = "text/plain"
    source: str = ""
    created: float = 0.0
    sha256: str = ""
    call_id: str = ""
    partial: bool = False
    whole: Size | None = None  # of a partial one: the text it was cut from
    head_bytes: int = 0  # of a partial one: where its first half ends

    @property
    def is_binary(self) -> bool:
        """Whether it is bytes that are no text, kept as they came: its type says so, as `file --mime` does."""
        return self.content_type.endswith(BINARY)

    @classmethod
    def from_fields(cls, fields: Iterable[Any]) -> Artifact:
        """The artifact of its fields as JSON has them: `json.dumps(artifact)` writes a list, and its sizes as lists.

        >>> import json
        >>> artifact = Artifact("art_1_x", Size(5, 0, 5, 2), partial=True, whole=Size(90, 1, 90, 23))
        >>> Artifact.from_fields(json.loads(json.dumps(artifact))) == artifact
        True
        """
        found = cls(*fields)
        return found._replace(size=Size(*found.size), whole=None if found.whole is None else Size(*found.whole))


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
    feeds = text.count("\n", start, stop)
    if text.find("\r", start, stop) < 0:  # several times faster than a count that comes to zero
        return feeds
    return feeds + text.count("\r", start, stop) - text.count("\r\n", start, stop)


class Tally:
    r"""The size of a text that comes in pieces, whatever the pieces: a CR and a LF are one line end.

    >>> tally = Tally()
    >>> tally.add("one\r")
    >>> tally.add("\ntwo")
    >>> tally.size()
    Size(chars=8, lines=1, bytes=8, tokens=2)
    """

    def __init__(self) -> None:
        self.chars = self.lines = self.bytes = 0
        self._after_return = False

    def add(self, text: str, size: int | None = None) -> None:
        """Count one more piece, which is `size` bytes long if that is known."""
        if text:
            self.chars += len(text)
            self.bytes += count_bytes(text) if size is None else size
            self.lines += count_lines(text) - (1 if self._after_return and text[0] == "\n" else 0)
            self._after_return = text[-1] == "\r"

    def size(self) -> Size:
        """The size of all of it."""
        return Size(self.chars, self.lines, self.bytes, tokens_of(self.chars))


def count_bytes(text: str, start: int = 0, end: int | None = None) -> int:
    """Length of `text[start:end]` in UTF-8, without a copy of all of it.

    >>> count_bytes("h\u00e9llo", 1, 3)
    3
    """
    stop = len(text) if end is None else end
    if text.isascii():
        return stop - start
    pieces = (text[at : min(at + PIECE, stop)] for at in range(start, stop, PIECE))
    return sum(len(piece) if piece.isascii() else len(piece.encode("utf-8", "surrogatepass")) for piece in pieces)


def tokens_of(chars: int) -> int:
    """The specification's estimate: a token is four characters, begun ones count.

    >>> [tokens_of(n) for n in (0, 1, 4, 5)]
    [0, 1, 1, 2]
    """
    return -(-chars // CHARS_PER_TOKEN)


# What a text costs the model that reads it, by counters. `chars4` is the specification's estimate. `by-kind` divides by
# what was measured for each kind of content, which is closer for logs and JSON, and much closer for Chinese, Japanese
# and Korean. `o200k` counts exactly, offline, with the extra `overspill[tokens]`.

COUNTERS = ("chars4", "by-kind", "o200k")

# ASCII characters a token of o200k, measured on samples of each kind.
CHARS_A_TOKEN = {
    "json": 2.7,
    "ndjson": 2.7,
    "log": 2.8,
    "test_report": 2.8,
    "diff": 3.2,
    "listing": 2.8,
    "matches": 3.0,
    "code": 4.0,
    "xml": 3.6,
    "prose": 4.4,
    "one_line": 2.4,
    "base64": 1.4,
}
OTHERWISE = 3.2
BEYOND_ASCII = 1.25


def counter(name: str) -> TokenCounter | None:
    """The counter called `name`; None stands for the built-in estimate, which needs no look at the text."""
    if name == "chars4":
        return None
    if name == "by-kind":
        return by_kind
    if name == "o200k":
        return o200k()
    raise ConfigError(f"no token counter {name!r}; there are: {', '.join(COUNTERS)}")


def estimate_tokens(text: str) -> int:
    """The specification's estimate.

    >>> estimate_tokens(""), estimate_tokens("hello")
    (0, 2)
    """
    return tokens_of(len(text))


def by_kind(text: str) -> int:
    """An estimate that knows what kind of content it looks at."""
    from overspill.kinds import sniff

    if not text:
        return 0
    narrow = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
    divisor = CHARS_A_TOKEN.get(sniff(text).name, OTHERWISE)
    return max(1, round(narrow / divisor + (len(text) - narrow) / BEYOND_ASCII))


def o200k() -> TokenCounter:
    """Exact counts of the o200k vocabulary."""
    try:
        from rs_bpe.bpe import openai
    except ImportError as error:
        raise MissingExtra("counting o200k tokens", "tokens") from error
    count: TokenCounter = openai.o200k_base().count
    return count


def sizes_apart(size: int, most: int) -> tuple[str, str]:
    """A size and a limit it reaches, in one unit and with as many digits as tell them apart.

    >>> sizes_apart(12_582_912, 10_485_760), sizes_apart(10_486_000, 10_485_760), sizes_apart(10_500, 10_240)
    (('12.0 MB', '10.0 MB'), ('10.0002 MB', '10.0000 MB'), ('10.3 KB', '10.0 KB'))
    """
    unit, scale = next(((unit, scale) for unit, scale in _UNITS if most >= scale), ("", 1))
    for digits in range(1, 5):
        texts = f"{size / scale:.{digits}f} {unit}", f"{most / scale:.{digits}f} {unit}"
        if unit and (texts[0] != texts[1] or size == most):
            return texts
    return f"{size:,} bytes", f"{most:,} bytes"


_UNITS = (("MB", 1 << 20), ("KB", 1 << 10))


def human_bytes(count: int) -> str:
    """A size as people read it.

    >>> human_bytes(512), human_bytes(2_415_919)
    ('512 B', '2.3 MB')
    """
    size = float(count)
    for unit in ("B", "KB", "MB"):
        if size < 1024:  # noqa: PLR2004  # the definition of the units
            return f"{count} B" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GB"
