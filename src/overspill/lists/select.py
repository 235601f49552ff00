"""Which records of a list, and in which order: by conditions on their fields, and by one field.

>>> records = [{"n": 10, "s": "b"}, {"n": 9}, {"n": "x", "s": "a"}]
>>> [record for record in records if Condition.parse("n<10").holds(record)]
[{'n': 9}]
>>> Order.parse("-n").places(records)
[0, 1, 2]
"""

from __future__ import annotations

import json

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.core.field_path import FieldPath
from overspill.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

_CONDITION = compile_pattern(r"(?s)(.+?)(!=|=|<|>|~)(.*)")
_NUMBER = compile_pattern(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")
LONGEST_NUMBER = 40


class Condition(NamedTuple):
    """`FIELD=VALUE`, with one of `= != < > ~` (contains) between them."""

    path: FieldPath
    operator: str
    word: str

    @classmethod
    def parse(cls, words: str) -> Condition:
        """The condition that is meant.

        >>> Condition.parse("owner.name!=jo")[1:]
        ('!=', 'jo')
        """
        found = _CONDITION.fullmatch(words)
        if found is None or found[3].startswith("="):
            beyond = "" if found is None else f"; there is no {found[2]}="
            raise UsageError(
                f"not a condition: {words[:100]!r}{beyond}; write FIELD=VALUE in quotes, with = != < > or ~ (contains)"
            )
        path = FieldPath.parse(found[1])
        if not path.steps:
            raise UsageError(f"not a condition: {words[:100]!r} names no field; write FIELD=VALUE")
        return cls(path, found[2], found[3])

    def holds(self, record: object) -> bool:
        """Whether a record meets it: by any value of the field, and of a list by any of its elements.

        A field that is not there is unlike everything: it meets `!=` alone.
        """
        test = _TESTS[self.operator]
        return any(test(value, self.word) for value in _scalars(self.path.values(record))) != (self.operator == "!=")


class Order(NamedTuple):
    """By a field: numbers by size, then texts; records without it come last."""

    path: FieldPath
    descending: bool = False

    @classmethod
    def parse(cls, words: str) -> Order:
        """`FIELD`, or `-FIELD` for the largest first."""
        path = FieldPath.parse(words.removeprefix("-"))
        if not path.steps:
            raise UsageError(f"not a field to sort by: {words[:100]!r}; write FIELD, or -FIELD for the largest first")
        return cls(path, words.startswith("-"))

    def places(self, records: Iterable[object]) -> list[int]:
        """The places of records in this order; those that are equal stay as they are."""
        numbers: list[tuple[float, int]] = []
        texts: list[tuple[str, int]] = []
        without: list[int] = []
        for place, record in enumerate(records):
            value = next(iter(self.path.values(record)), None)
            number = _number(value)
            if number is not None:
                numbers.append((number, place))
            elif value is None:
                without.append(place)
            else:
                texts.append((_text(value), place))
        numbers.sort(key=_value_of, reverse=self.descending)
        texts.sort(key=_value_of, reverse=self.descending)
        return [*(place for _, place in numbers), *(place for _, place in texts), *without]


def _value_of(pair: tuple[Any, int]) -> Any:  # noqa: ANN401  # all of one kind
    return pair[0]


def _scalars(values: Iterable[object]) -> Iterable[object]:
    for value in values:
        yield from value if isinstance(value, list) else (value,)


def _number(value: object) -> float | None:
    """The number that a value is, or that its text spells: a table knows no others."""
    if isinstance(value, int | float):
        return None if isinstance(value, bool) else value
    if not isinstance(value, str) or len(value) > LONGEST_NUMBER or _NUMBER.fullmatch(value) is None:
        return None
    return int(value) if value.lstrip("-").isdigit() else float(value)


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _equals(value: object, word: str) -> bool:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value == _number(word)
    return _text(value) == word


def _is_below(value: object, word: str) -> bool:
    return _compared(value, word) < 0


def _is_above(value: object, word: str) -> bool:
    return _compared(value, word) > 0


def _compared(value: object, word: str) -> int:
    """-1, 0 or 1; 0 also where the two have no order: a number and a text."""
    mine, other = _number(value), _number(word)
    if mine is not None and other is not None:
        return (mine > other) - (mine < other)
    if not isinstance(value, str) or other is not None:
        return 0
    return (value > word) - (value < word)


def _contains(value: object, word: str) -> bool:
    return word.casefold() in _text(value).casefold()


_TESTS = {"=": _equals, "!=": _equals, "<": _is_below, ">": _is_above, "~": _contains}
