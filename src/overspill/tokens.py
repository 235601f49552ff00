"""Counters of tokens, by name: what a text costs the model that reads it.

`chars4` is the specification's estimate. `by-kind` divides by what was measured for each kind of
content, which is closer for logs and JSON and much closer for Chinese, Japanese and Korean. `o200k`
counts exactly, offline, with the extra `overspill[tokens]`.
"""

from __future__ import annotations

from overspill.core import TokenCounter, tokens_of
from overspill.errors import ConfigError, MissingExtra

NAMES = ("chars4", "by-kind", "o200k")

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
    raise ConfigError(f"no token counter {name!r}; there are: {', '.join(NAMES)}")


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
