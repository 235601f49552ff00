"""Names and numbers: what a model takes from a result into its next steps, and where it saw each first."""

from __future__ import annotations

from zlib import crc32

from overspill._lite import TYPE_CHECKING, compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

# A path, a dotted or hyphened name, an identifier, a number: whatever is longer than chance.
_WORD = compile_pattern(r"[A-Za-z0-9_][A-Za-z0-9_./:@+-]{1,198}[A-Za-z0-9_]|[A-Za-z0-9_]{2}")
_HAS_DIGIT = compile_pattern(r"[0-9]")
_IS_NAME = compile_pattern(r"[a-z][A-Z]|[_/.@:-]|^[A-Z][a-z]+[A-Z]")
SHORTEST_NAME, SHORTEST_NUMBER = 4, 2
PARTS = compile_pattern(r"[:/]+")

BITS = 1 << 24  # of the memory of words: two megabytes, one wrong answer of a hundred after a million words
SEEDS = (0, 0x9E3779B9, 0x7F4A7C15)


def names_and_numbers(text: str) -> set[str]:
    """What a text names, and its numbers: no plain words, which anybody may use without having read them there.

    >>> sorted(names_and_numbers("ERROR in src/cart.py:41: total was 1999, see test_rounding and the CartView below."))
    ['1999', '41', 'CartView', 'cart.py', 'src/cart.py', 'src/cart.py:41', 'test_rounding']
    """
    found: set[str] = set()
    for word in _WORD.findall(text):
        if is_telling(word):
            found.add(word)
            # `src/cart.py:41` is also named by its parts.
            if ":" in word or "/" in word:
                found.update(part for part in PARTS.split(word) if is_telling(part))
                found.update(part for part in word.split(":") if is_telling(part))
    return found


def is_telling(word: str) -> bool:
    """Whether a word is a name or a number, and not one of a language.

    >>> [is_telling(word) for word in ("word", "Word", "a_word", "aWord", "7", "42", "v1.2", "and/or")]
    [False, False, True, True, False, True, True, True]
    """
    if _HAS_DIGIT.search(word):
        return len(word) >= SHORTEST_NUMBER
    return len(word) >= SHORTEST_NAME and _IS_NAME.search(word) is not None


class WordMemory:
    """Which words have been seen, in memory that does not grow. It may take a new word for an old one, not the reverse.

    >>> memory = WordMemory()
    >>> memory.add(["src/cart.py"])
    >>> "src/cart.py" in memory, "src/other.py" in memory
    (True, False)
    """

    def __init__(self) -> None:
        self._bits = bytearray(BITS // 8)

    def __contains__(self, word: str) -> bool:
        coded = word.encode("utf-8", "replace")
        return all(self._bits[place >> 3] & (1 << (place & 7)) for place in _places(coded))

    def add(self, words: Iterable[str]) -> None:
        """Remember words."""
        for word in words:
            for place in _places(word.encode("utf-8", "replace")):
                self._bits[place >> 3] |= 1 << (place & 7)


def _places(coded: bytes) -> list[int]:
    return [crc32(coded, seed) % BITS for seed in SEEDS]
