"""The words of lines and what each is worth: the rarer in the text the more, once.

>>> said = Vocabulary(["open a.txt", "open b.txt", "close 17"])
>>> said.worth(["open", "a.txt"]) > said.worth(["close"]) > said.worth(["17"])
True
"""

from __future__ import annotations

from itertools import chain
from math import log

from overspill._lite import TYPE_CHECKING
from overspill.cut.digest.templates import counts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_BREAKS = str.maketrans(dict.fromkeys("=,;:/()[]{}<>|`\"'", " "))
_HEX = "0123456789abcdefxABCDEF-"
LEAST_HEX = 6  # characters
SHORT = 3  # letters of a word that hardly says anything
NUMBER, HEX, SMALL = 0.2, 0.05, 0.3  # what these are worth beside a word
COMMON = 0.3  # what a word in every line is worth, beside what being rare adds


def words_of(text: str) -> list[str]:
    """The words of a text, each once, signs between them aside.

    >>> words_of("src/a.py:3: x = y(x)")
    ['src', 'a.py', '3', 'x', 'y']
    """
    return [*dict.fromkeys(text.translate(_BREAKS).split())]


class Vocabulary:
    """The words of lines and what each is worth; those that were told are worth nothing any more."""

    def __init__(self, lines: Sequence[str]) -> None:
        block = "\n".join([*lines, ""]).translate(_BREAKS)
        rows = map(str.split, block.split("\n")[:-1])
        self.rows = [row if len({*row}) == len(row) else [*dict.fromkeys(row)] for row in rows]
        counts = counts_of(chain.from_iterable(self.rows))
        whole = log(max(2, len(lines)))
        shares = {count: COMMON + 1 - log(count) / whole for count in {*counts.values()}}
        self._worth = {
            word: (1.0 if word.isalpha() and len(word) >= SHORT else _kind_worth(word)) * shares[count]
            for word, count in counts.items()
        }

    def worth(self, words: Iterable[str]) -> float:
        """What these words would add."""
        return sum([*filter(None, map(self._worth.get, words))])

    def says(self, words: Iterable[str]) -> bool:
        """Whether these words would add anything."""
        return any(map(self._worth.get, words))

    @property
    def worth_of(self) -> Callable[[str], float | None]:
        """What one word would add."""
        return self._worth.get

    def worths(self, rows: Iterable[Iterable[str]]) -> list[float]:
        """What each of its own rows would add, or what is left of them."""
        worth = self._worth.__getitem__
        return [sum(map(worth, row)) for row in rows]

    def tell(self, words: Iterable[str]) -> None:
        """These are told now."""
        self._worth.update(dict.fromkeys(words, 0.0))

    def fresh(self) -> Vocabulary:
        """The vocabulary as it is now, to be told in another view."""
        other = Vocabulary([])
        other.rows, other._worth = self.rows, self._worth.copy()
        return other


def _kind_worth(word: str) -> float:
    """What a word is worth by its kind.

    >>> [_kind_worth(word) for word in ("is", "done", "17", "0x7ffe79789460", "a.txt", "--")]
    [0.3, 1.0, 0.2, 0.05, 1.0, 0.0]
    """
    if word.isalpha():
        return 1.0 if len(word) >= SHORT else SMALL
    if word.isdigit():
        return NUMBER
    if len(word) >= LEAST_HEX and not word.strip(_HEX):
        return HEX if any(map(str.isalpha, word)) else NUMBER if any(map(str.isdigit, word)) else 0.0
    if word.lower() != word.upper() or any(map(str.isalpha, word)):  # of most words the first tells
        return 1.0
    return NUMBER if any(map(str.isdigit, word)) else 0.0
