"""What the records of an array usually look like, learned from some and held against all by a native parser.

The parser reads each record as a type made for them: these members, of these kinds, with values seen
before, with numbers not far out of the rest. What it refuses is odd, and it says where and why.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeGuard

from overspill._lite import NamedTuple, compile_pattern
from overspill.documents.failures import failure_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from msgspec.json import Decoder

MOST_WATCHED = 40  # members of a record; of wider ones only those are watched whose values can be odd
MOST_VALUES = 64  # distinct ones of a member that is a choice among few
FEWEST_VALUES = 3  # of a member, to be told
FEWEST_ALIKE = 4
FEWEST = 12  # among fewer records nothing is rare
LONGEST_VALUE = 80
BRIEF = 24
CONCENTRATED = 0.8  # of the records have one of the usual values
RARE = 0.02  # a share of the records
FAR = 8.0  # times the width of the middle half of all numbers
PATIENCE = 4  # so often the same oddity is told; then it is no longer odd
PATIENCE_WITH_FAILURES = 16
MOST_STRIKES = 3

_PLAIN = compile_pattern(r'[^"\\\x00-\x1f\ud800-\udfff]{1,200}')  # names that need no escapes
_AT = compile_pattern(r"(?s) - at `\$\[(\d+)\](?:\.(.*))?`$")
_FIELD = compile_pattern(r"(?s)field `(.*)` - at `\$\[\d+\]`$")


class Oddity(NamedTuple):
    """Which element of a piece is odd, and in what way."""

    number: int
    member: str
    way: str


class Member:
    """What is usual of one member of the records."""

    def __init__(self, name: str, values: list[Any], number: int) -> None:
        self.name = name
        rare = _rare(number)
        self.required = len(values) >= number - rare
        types = Counter(map(_value_type, values))
        present = [value for value in values if value is not None and types[_value_type(value)] > rare]
        self.nullable = types["null"] > rare
        self.kind = _values_kind(present, nullable=self.nullable)
        self.usual: bool | None = None
        self.values: set[Any] = set()
        self.diffuse = False  # whether values that are rare are nothing special, as most of them are
        self.odd: set[Any] = set()  # values that were seen, but are not usual
        self.low = self.high = 0.0
        self.strikes = 0
        match self.kind:
            case "choice":
                counts = Counter(present)
                often = sum(count for count in counts.values() if count > rare)
                self.diffuse = often < len(present) * CONCENTRATED
                if self.diffuse:
                    rare = 0
                self.values = {
                    value for value, count in counts.items() if count > rare and not failure_of({name: value})
                }
                self.kind = "choice" if self.values else "any"
            case "number":
                self.low, self.high = _usual_range(present)
            case "bool":
                true, false = sum(present), len(present) - sum(present)
                self.usual = true > false if min(true, false) <= rare else None
                if self.usual is None and failure_of({name: False}):
                    self.usual = True

    @property
    def brief(self) -> bool:
        """Whether its values are short enough to be told."""
        values = self.values | self.odd
        return sum(len(str(value)) for value in values) <= BRIEF * len(values)

    @property
    def strikes_out(self) -> bool:
        """Whether there are more values than are remembered."""
        return len(self.values) >= MOST_VALUES

    @property
    def watched(self) -> bool:
        """Whether its values can be odd."""
        return self.kind in {"choice", "number", "bool", "null"}

    def type(self) -> Any:  # noqa: ANN401  # types are made here
        from msgspec import Meta, Raw

        kind: Any
        match self.kind:
            case "choice":
                values = sorted(self.values, key=repr)
                kind = Literal[*values]
            case "number":
                kind = Annotated[float, Meta(ge=self.low, le=self.high)]
            case "numeric":
                kind = float
            case "bool":
                kind = bool
            case "text":
                kind = str
            case "null":
                return None
            case _:
                return Raw
        return kind | None if self.nullable else kind

    def widen(self, value: object) -> None:
        """What was odd too often is usual."""
        self.strikes += 1
        if _is_choice(value):
            self.odd.discard(value)
        if value is None:
            self.nullable = True
        elif self.kind == "null" and _is_choice(value):
            self.kind, self.values, self.nullable = "choice", {value}, True
        elif self.kind == "choice" and _is_choice(value) and len(self.values) < MOST_VALUES:
            self.values.add(value)
        elif self.kind == "number" and _is_number(value) and self.strikes <= MOST_STRIKES:
            wide = max(1.0, self.high - self.low)
            self.low, self.high = min(self.low, value - wide), max(self.high, value + wide)
        else:
            self.kind = "any"


class Norm:
    """What is usual of all members."""

    def __init__(self, records: list[dict[str, Any]]) -> None:
        values: dict[str, list[Any]] = {}
        for record in records:
            for name, value in record.items():
                values.setdefault(name, []).append(value)
        rare = _rare(len(records))
        members = [Member(name, found, len(records)) for name, found in values.items() if len(found) > rare]
        plain = [member for member in members if _PLAIN.fullmatch(member.name)]
        self.closed = len(members) == len(plain) <= MOST_WATCHED
        self.members = {member.name: member for member in plain if self.closed or member.watched}
        self._decoder: Decoder[list[Any]] | None = None
        self._usual: list[tuple[str, str, bool]] = []
        self._fields: list[tuple[str, Member]] = []

    def decoder(self) -> Decoder[list[Any]]:
        """Reads arrays of usual records, and refuses others."""
        from msgspec import Raw, defstruct
        from msgspec.json import Decoder

        if self._decoder is None:
            fields: list[Any] = []
            names = {}
            self._usual = []
            self._fields = []
            for index, member in enumerate(sorted(self.members.values(), key=lambda member: not member.required)):
                field = f"f{index}"
                names[field] = member.name
                self._fields.append((field, member))
                default = () if member.required else (Raw(b""),)
                fields.append((field, member.type(), *default))
                if member.usual is not None and member.kind == "bool" and member.required:
                    self._usual.append((field, member.name, member.usual))
            record = defstruct(
                "Record", fields, rename=names, forbid_unknown_fields=self.closed, gc=False, kw_only=True
            )
            self._decoder = Decoder(list[record])  # type: ignore[valid-type]  # made above
        return self._decoder

    def deepest(self, items: list[Any]) -> int | None:
        """The length of the longest member that may hold others, or None where such members are not looked at."""
        if not self.closed:
            return None
        names = [field for field, member in self._fields if member.kind == "any"]
        return max((len(value) for field in names for value in map(attrgetter(field), items)), default=0)

    def oddity(self, items: list[Any]) -> Oddity | None:
        """The first of these records whose yes is a no, or the other way round."""
        for field, name, usual in self._usual:
            values = map(attrgetter(field), items)
            if not all(values) if usual else any(values):
                odd = next(i for i, item in enumerate(items) if getattr(item, field) is not usual)
                return Oddity(odd, name, str(not usual).lower())
        return None

    def saw(self, member: str, value: object) -> bool:
        """Remember a value that is not usual, and say whether that is worth telling."""
        known = self.members.get(member)
        if known is None or known.kind != "choice" or not _is_choice(value):
            return True
        known.odd.add(value)
        return not known.diffuse

    def choices(self) -> list[tuple[str, list[Any]]]:
        """Members whose value is one of some, and these, those with most values last."""
        found = [
            (member.name, sorted(member.values | member.odd, key=str))
            for member in self.members.values()
            if member.kind == "choice"
            and member.brief
            and len(member.values | member.odd) >= FEWEST_VALUES
            and not member.strikes_out
        ]
        return sorted(found, key=lambda one: (len(one[1]), one[0]))

    def relax(self, member: str, value: object, *, missing: bool) -> None:
        """An oddity that was seen too often is usual from now on."""
        self._decoder = None
        known = self.members.get(member)
        if known is None:
            self.closed = False
        elif missing:
            known.required = False
        elif isinstance(value, bool) and known.usual is not None:
            known.usual = None
        else:
            known.widen(value)


def oddity_of(words: str) -> Oddity | None:
    """What the parser's words say.

    >>> oddity_of("Invalid enum value 'x' - at `$[17].state`")
    Oddity(number=17, member='state', way='value')
    """
    at = _AT.search(words)
    if at is None:
        return None
    field = _FIELD.search(words)
    if words.startswith("Object missing"):
        return Oddity(int(at[1]), field[1] if field else "", "missing")
    if words.startswith("Object contains"):
        return Oddity(int(at[1]), field[1] if field else "", "extra")
    return Oddity(int(at[1]), at[2] or "", "value" if at[2] else "shape")


def _values_kind(values: list[Any], *, nullable: bool) -> str:
    if not values:
        return "null" if nullable else "any"
    if all(isinstance(value, bool) for value in values):
        return "bool"
    if all(map(_is_number, values)):
        if _few(values) and all(map(_is_choice, values)):
            return "choice"
        return "number" if not _steady(values) and len(values) >= FEWEST_ALIKE else "numeric"
    if all(isinstance(value, str) for value in values):
        return "choice" if _few(values) and all(map(_is_choice, values)) else "text"
    return "any"


def _value_type(value: object) -> str:
    """What sort of value it is: numbers are one sort, whether whole or not."""
    if value is None:
        return "null"
    return "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else type(value).__name__


def _rare(number: int) -> float:
    """So many of a number of records may be odd."""
    return max(1.0, number * RARE) if number >= FEWEST else 0.0


def _few(values: list[Any]) -> bool:
    """Whether there are few distinct ones, each of them many times."""
    distinct = len(set(values))
    return distinct <= MOST_VALUES and distinct * FEWEST_ALIKE <= len(values)


def _steady(values: Iterable[Any]) -> bool:
    """Whether numbers only ever grow, or only ever shrink, as ids and times do."""
    pairs = [*pairwise(values)]
    return all(one <= two for one, two in pairs) or all(one >= two for one, two in pairs)


def _usual_range(values: list[Any]) -> tuple[float, float]:
    ordered = sorted(values)
    number = len(ordered)
    low, high = ordered[number // 4], ordered[number * 3 // 4]
    wide = max(high - low, ordered[number * 9 // 10] - ordered[number // 10], abs(ordered[number // 2]) / 4, 1e-9)
    return float(low - FAR * wide), float(high + FAR * wide)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300  # noqa: PLR2004


def _is_choice(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= LONGEST_VALUE
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 62
