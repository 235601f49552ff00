r"""Long texts in a column, told by how they begin: messages of commits and chats, bodies of issues, cells of notebooks.

A text of several lines is told by the first that is not blank, a long line by its beginning. Programs that cannot write
a line end in a string write a text as a list of its lines; that is the same text.

>>> texts = FirstLines()
>>> texts.add(["Mend the lid\n\nIt fell off.", "Paint it"])
>>> texts.list_of("message").within(90)
'[message, first lines: "Mend the lid", "Paint it"]'
"""

from __future__ import annotations

from itertools import chain, repeat

from overspill._lite import TYPE_CHECKING
from overspill.core.spans import floor
from overspill.cut.digest import counts_of
from overspill.cut.digest.templates import masked_lines
from overspill.cut.digest.values import LONGEST_VALUE, json_word

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LONGEST = 100  # characters that are told of a line
MOST = 4_000  # different ones
FEWEST_OF_FORM = 4  # lines that are alike, on average
MOSTLY = 0.8  # of the lines begin with signs: they are no words
SENTENCES = 0.5  # of the lines have a blank in them: ids, addresses and packed data are no texts


class FirstLines:
    """Counts the lines that texts begin with."""

    def __init__(self) -> None:
        self.counts: dict[str, int] | None = {}  # None: they are too many
        self._texts = self._long = 0

    def add(self, texts: Sequence[str], times: int = 1) -> None:
        """Take the next texts, each so many times."""
        self._texts += len(texts) * times
        self._long += sum(map(is_long, texts)) * times
        if self.counts is not None:
            for line, count in counts_of(filter(None, map(first_line, texts))).items():
                self.counts[line] = self.counts.get(line, 0) + count * times
            self.counts = self.counts if len(self.counts) <= MOST else None

    def list_of(self, path: str, least: float = 0.5) -> PhraseList | None:
        """What can be told of the column that a way leads to; None where fewer are long, or they are no texts."""
        counts = self.counts
        if (
            not counts
            or self._long < least * self._texts
            or sum(" " in line for line in counts) < SENTENCES * len(counts)
        ):
            return None
        signs = sum(not any(map(str.isalnum, line.split(" ", 1)[0])) for line in counts)
        if (forms := _forms(counts)) is not None:
            return phrases_alike(f"{path}, first lines", forms)
        return (
            PhraseList(f"{path}, first lines", counts) if signs < MOSTLY * len(counts) else None
        )  # `@@ -1,9 +1,8 @@` says nothing


def _forms(counts: Mapping[str, int]) -> dict[str, int] | None:
    """How many lines are like each that is the first of its form, words with a digit aside; None where few are alike.

    >>> _forms({f"epoch 0 loss 0.{n}": 1 for n in range(9)}), _forms({"Mend the lid": 1, "Paint it": 1})
    ({'epoch 0 loss 0.0': 9}, None)
    """
    if any(line.endswith("...") for line in counts):  # whose ends are not known
        return None
    forms: dict[str, tuple[str, int]] = {}
    for form, (line, count) in zip(masked_lines([*counts]), counts.items(), strict=True):
        first, number = forms.get(form, (line, 0))
        forms[form] = first, number + count
    few = FEWEST_OF_FORM * len(forms) <= len(counts)
    return dict(forms.values()) if few else None


def is_long(text: str) -> bool:
    """Whether a text is not told as a value."""
    return len(text) > LONGEST_VALUE or "\n" in text.rstrip("\n")


def first_line(text: str) -> str:
    r"""The first line of a text that is not blank, or its beginning, with three dots behind it; nothing if all are.

    >>> first_line("\n  a b\nc"), len(first_line("x y " * 90))
    ('a b', 103)
    """
    line = text.lstrip().split("\n", 1)[0].rstrip()
    return line if len(line) <= LONGEST else f"{line[: floor(line, LONGEST)]}..."


def are_written_in_lines(lists: Sequence[list[object]]) -> bool:
    r"""Whether each of these lists is a text: strings that end with a line end, the last of a list apart.

    >>> are_written_in_lines([["a\n", "b"], ["c"]]), are_written_in_lines([["a", "b"], ["c"]])
    (True, False)
    """
    lines = [*chain.from_iterable(lists)]
    if {*map(type, lines)} != {str}:
        return False
    inner = [*chain.from_iterable(one[:-1] for one in lists)]
    return bool(inner) and all(map(str.endswith, inner, repeat("\n")))  # type: ignore[arg-type]  # strings


def phrases_alike(path: str, counts: Mapping[str, int]) -> PhraseList:
    """Phrases that many are like: as of all values, the rare ones first."""
    return PhraseList(f"{path} alike", dict(sorted(counts.items(), key=lambda one: one[1])))


class PhraseList:
    """Phrases in their order, each with how many there are: `[msg alike: "no more jobs", "job 3 took 9 ms" 412]`."""

    def __init__(self, label: str, counts: Mapping[str, int]) -> None:
        words = ((json_word(value), count) for value, count in counts.items())
        self._entries = [f"{word} {count}" if count > 1 else word for word, count in words]
        self._begin = f"[{label}: "

    @property
    def width(self) -> int:
        """In how many characters all are told."""
        return len(self._begin) + sum(len(entry) + 2 for entry in self._entries)

    def within(self, room: int) -> str:
        """As many as there is room for, by turns from the beginning and from the end."""
        left = room - len(self._begin) - len(f"+{len(self._entries)}]")
        first, after = 0, len(self._entries)
        while first < after:
            early = first <= len(self._entries) - after
            left -= len(self._entries[first if early else after - 1]) + 2
            if left < 0:
                break
            first, after = (first + 1, after) if early else (first, after - 1)
        more = [f"+{after - first}"] if after > first else []
        told = [*self._entries[:first], *self._entries[after:], *more]
        return f"{self._begin}{', '.join(told)}]" if len(told) > len(more) else ""
