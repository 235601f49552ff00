"""The odd ones among the elements of a long array, found while they pass by.

Odd is an element that tells of a failure, that has another shape than the rest, a value that is rare
among few, or a number far out of the rest; and whatever holds the words that are looked for. Natively
found candidates are looked at one by one, so that what is remembered is odd for a reason.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.core.spans import Span
from overspill.documents import json_pieces
from overspill.documents.failures import FAILURES, failure_of, mention_of, speaks_of_failure, word_scanner
from overspill.documents.json_norm import PATIENCE, PATIENCE_WITH_FAILURES, Norm, Oddity, oddity_of

if TYPE_CHECKING:
    from overspill.documents.json_pieces import Element

LEARNED = 160  # elements
MOST = 240  # outliers that are remembered
MOST_ODD = 160  # records that are refused; from then on only words are looked for
MOST_HITS = 512  # a piece
MOST_LOOKED_AT = 6_000  # candidates
LONGEST = 1 << 20  # bytes of an element that are looked at

FOCUS, FAILED, MENTIONED, ODD = 0, 1, 2, 3
MOST_ALIKE = (MOST, MOST // 2, 6, 6)  # of one kind that are remembered, by rank


class Outlier(NamedTuple):
    """An element that is not like the others: which one, where it is, and why."""

    number: int
    start: int
    end: int
    rank: int  # the lower, the more it matters
    reason: str


class PieceCount(NamedTuple):
    """What a piece of an array holds: how many elements, and the length of the longest part that may have levels."""

    number: int
    longest: int


class ArrayWatch:
    """Looks at the elements of one array, a piece at a time."""

    def __init__(self, buffer: memoryview, focus: tuple[str, ...] = ()) -> None:
        self._buffer = buffer
        self._waiting: list[tuple[int, Span]] = []
        self._in_focus = word_scanner(focus)
        self._failures = word_scanner(FAILURES)
        self._norm: Norm | None = None
        self._learned = False
        self._told: Counter[str] = Counter()
        self._alike: Counter[tuple[int, str]] = Counter()
        self._odd = 0
        self._looked_at = 0
        self._found: dict[int, Outlier] = {}

    def pick(self) -> tuple[Outlier, ...]:
        """The outliers, those that matter most first, and of each kind the first before the second."""
        if not self._learned and self._waiting:
            self._learn([])
        nth: Counter[tuple[int, str]] = Counter()
        ranked = []
        for outlier in sorted(self._found.values()):
            kind = outlier.rank, outlier.reason
            nth[kind] += 1
            again = outlier.rank != FOCUS and nth[kind] > 1
            ranked.append((again, outlier.rank, nth[kind], outlier.number, outlier))
        return tuple(outlier for *_, outlier in sorted(ranked))

    def values(self) -> tuple[str, ...]:
        """The values of members that have few distinct ones: all that were seen, the shortest lists first."""
        choices = self._norm.choices() if self._norm is not None and self._odd < MOST_ODD else []
        told = [f"{name}: {', '.join(map(_spelled_value, values))}" for name, values in choices]
        return tuple(sorted(told, key=len))

    def one(self, element: Element, index: int) -> None:
        """Look at one element that was found by itself."""
        if element.end - element.start > LONGEST:
            return
        if self._learned:
            self._number(b"[%b]" % bytes(self._buffer[element.start : element.end]), element.start - 1, index)
            return
        self._waiting.append((index, Span(element.start, element.end)))
        if len(self._waiting) >= LEARNED:
            self._learn([])

    def piece(self, content: bytes | bytearray, at: int, index: int) -> PieceCount | None:
        """Look at a piece of the array, brackets put around it; None when it does not end where an element does.

        Its first element is number `index` of the array, and what is at 0 in it lies at `at` in the document.
        """
        if not self._learned:
            first = _Piece(content, at, index)
            try:
                self._learn([first.element(number) for number in range(min(LEARNED, len(first.spans())))])
            except json_pieces.NotStrict:
                return None
        return self._number(content, at, index)

    def _learn(self, more: list[bytes]) -> None:
        """What the elements usually look like: from now on, those that do not are odd."""
        self._learned = True
        elements = [bytes(self._buffer[start:end]) for _, (start, end) in self._waiting] + more
        values = [_decoded_element(element) for element in elements]
        records = [value for value in values if isinstance(value, dict)]
        if records and len(records) > len(values) // 2:
            self._norm = Norm(records)
        # A word that is in records which tell of no failure says nothing in this array.
        telling = set(FAILURES)
        spoken = word_scanner(FAILURES)(b"\n".join(elements), 1)
        for element, value in zip(elements, values, strict=True) if spoken else ():
            lower = element.lower()
            words = {word for word in telling if word.encode() in lower}
            if words and not failure_of(value) and not mention_of(value):
                telling -= words
        self._failures = word_scanner(telling)
        for index, (start, end) in self._waiting:
            self._number(b"[%b]" % bytes(self._buffer[start:end]), start - 1, index)
        self._waiting.clear()

    def _number(self, content: bytes | bytearray, at: int, index: int) -> PieceCount | None:
        looked = _Piece(content, at, index)
        try:
            number = self._usual(looked) if self._norm is not None and self._odd < MOST_ODD else None
            number = len(looked.spans()) if number is None else number
        except json_pieces.NotStrict:
            return None
        self._search(looked)
        return PieceCount(number, looked.longest())

    def _usual(self, piece: _Piece) -> int | None:
        """The number of elements, or None where this way of counting them was given up."""
        from msgspec import DecodeError, ValidationError

        assert self._norm is not None  # noqa: S101  # the caller asked
        done = 0
        body: bytes | bytearray = piece.content
        while self._odd < MOST_ODD:
            try:
                items = self._norm.decoder().decode(body)
                odd = self._norm.oddity(items)
                if odd is None:
                    piece.deepest = self._norm.deepest(items) if done == 0 else None
                    return done + len(items)
            except ValidationError as error:
                odd = oddity_of(str(error))
                if odd is None:
                    self._odd = MOST_ODD
                    return None
            except DecodeError:
                return None  # it is no JSON, or not what this parser can make a value of, which the other one tells
            spans = piece.spans()
            number = done + odd.number
            self._tell(piece, number, odd)
            done = number + 1
            if done >= len(spans):
                return len(spans)
            body = b"[" + bytes(piece.content[spans[done].start :])
        return None

    def _tell(self, piece: _Piece, number: int, odd: Oddity) -> None:
        """Remember an odd element, and if it is odd in a way that was seen too often, learn that."""
        assert self._norm is not None  # noqa: S101  # the caller asked
        self._odd += 1
        value = _decoded_element(piece.element(number))
        found = value.get(odd.member) if isinstance(value, dict) else None
        shown = "" if isinstance(found, (dict, list, float)) else f" {str(found)[:40]}"
        reason = f"{odd.member} {odd.way}{shown if odd.way == 'value' else ''}"
        self._told[reason] += 1
        telling = self._norm.saw(odd.member, found)
        failed = failure_of(value)
        if failed or telling:
            self._remember(piece, number, FAILED if failed else ODD, failed or reason)
        patience = PATIENCE_WITH_FAILURES if failed else PATIENCE if odd.way != "value" else 1
        # Shapes that vary are told by the member; values by themselves.
        if self._told[reason] >= patience or odd.way == "shape":
            if odd.way == "shape":
                self._odd += MOST_ODD // 8
            else:
                self._norm.relax(odd.member, found, missing=odd.way == "missing")

    def _search(self, piece: _Piece) -> None:
        """Look for words: those that are asked for, and those that tell of failures."""
        for end in self._in_focus(piece.content, MOST_HITS):
            self._remember(piece, piece.holding(end), FOCUS, "focus")
        if self._looked_at >= MOST_LOOKED_AT:
            return
        last = -1
        for end in self._failures(piece.content, MOST_HITS):
            number = piece.holding(end)
            if number == last:
                continue
            last = number
            self._looked_at += 1
            value = _decoded_element(piece.element(number))
            failed = failure_of(value)
            said = "" if failed else value if isinstance(value, str) and speaks_of_failure(value) else mention_of(value)
            if failed or said:
                self._remember(piece, number, FAILED if failed else MENTIONED, failed or said)

    def _remember(self, piece: _Piece, number: int, rank: int, reason: str) -> None:
        index = piece.index + number
        known = self._found.get(index)
        alike = rank, reason
        if (known is not None and known.rank <= rank) or self._alike[alike] >= MOST_ALIKE[rank]:
            return
        self._alike[alike] += 1
        if len(self._found) >= MOST and known is None:
            worst = max(self._found.values(), key=lambda outlier: (outlier.rank, outlier.number))
            if worst.rank <= rank:
                return
            del self._found[worst.number]
        start, end = piece.spans()[number]
        self._found[index] = Outlier(index, piece.at + start, piece.at + end, rank, reason)


class _Piece:
    """A piece of an array, and where its elements are, found when that is asked for."""

    def __init__(self, content: bytes | bytearray, at: int, index: int) -> None:
        self.content = content
        self.at = at
        self.index = index
        self.deepest: int | None = None
        self._spans: list[Span] = []
        self._ends: list[int] = []

    def spans(self) -> list[Span]:
        if not self._spans:
            from msgspec import DecodeError

            try:
                lengths = json_pieces.lengths(self.content)
            except DecodeError:
                raise json_pieces.NotStrict from None
            self._spans = [*json_pieces.spans_from(memoryview(self.content), 1, lengths)]
            self._ends = [span.end for span in self._spans]
        return self._spans

    def longest(self) -> int:
        """The length of the longest element, or of the longest part of one that may have levels."""
        if self.deepest is None:
            return max((end - start for start, end in self.spans()), default=0)
        return self.deepest

    def element(self, number: int) -> bytes:
        start, end = self.spans()[number]
        return bytes(self.content[start:end])

    def holding(self, end: int) -> int:
        """The element in which something ends there."""
        return min(bisect_left(self._ends if self.spans() else [], end), len(self._ends) - 1)


def _spelled_value(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def _decoded_element(element: bytes) -> object:
    """The value, as far as it can be told: None for a number too large for us."""
    from msgspec import DecodeError
    from msgspec.json import decode

    if len(element) > LONGEST:
        return None
    try:
        value: object = decode(element)
    except (DecodeError, RecursionError, UnicodeDecodeError):
        return None
    return value
