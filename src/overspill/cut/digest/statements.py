"""What a table adds up to: `[1300 rows; all: zone=eu]`, `[state: failed 2, ok 1298]`, `[size: 3 .. 90, median 14]`.

Every column is told in short before any is told at length. Where a list is cut, `+N` says how many values it does not
name: half of the room is for the rarest of them, half for the most frequent.

>>> from overspill.cut.digest.columns import Table
>>> table = Table()
>>> table.add([{"zone": "eu", "state": "ok" if n else "failed"} for n in range(20)], range(20))
>>> table_statements(table, 80)
['[20 rows; all: zone=eu]', '[state: failed, ok 19]']
"""

from __future__ import annotations

from functools import partial
from itertools import chain

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.core.markers import Wording
from overspill.cut.digest.cells import phrases_alike
from overspill.cut.digest.columns import FEW_NUMBERS
from overspill.cut.digest.counts import beside_range, ends_of_dates, range_and_others
from overspill.cut.digest.naming import (
    MANY,
    are_ids,
    are_numbered,
    is_called_name,
    leading_column,
    named_column,
    names_of_troubled,
)
from overspill.cut.digest.pairs import (
    MOST_UNUSUAL,
    holds_name,
    joins_others,
    pairs_of,
    rare_pairs,
    says_the_same,
)
from overspill.cut.digest.values import (
    FEW,
    ValueList,
    joined_entries,
    json_word,
    listed_values,
    spelled_value,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from overspill.cut.digest.columns import Column, Table
    from overspill.cut.digest.pairs import PairList

WIDTHS = (60, 100, 160, 240, 400, 700, 1_200, 2_500, 6_000, 20_000)  # of a statement, from short to long
LEAST_LIST = 24
HEAD_RANK = 2.9  # of how many rows there are inside others, which share nothing
HALVINGS = 4  # steps by which a length is found that fits
LEAST_SAID = 12  # characters; that two columns say less than that alike is chance
MOST_LARGEST = 500  # characters for the rows of many with the greatest numbers
MOST_IDS = 100  # characters for ids, where there are many
MOST_NUMBERED = 400  # characters that are enough for values of one form, digits aside
MANY_AGAIN = 100  # values that say what another column says: fewer are told all the same
MOST_PHRASES = 200  # of one form that are all told, where there is room for them
_MESSAGE = compile_pattern(r"(?i)(?:^|[._])(?:msg|message|text|log|event|error|reason)$")  # what a log says
FEW_HAVE, LATE = 0.05, 10.0  # of rows of many names: what so few have is told where all else is
EARLY = 0.92  # of the room is for the rest, if there is something that is told late
NAMES_SHARE = 0.1  # of the room, of which a few times may be for the names of all rows
ALONE, PAIRED = 4, 6  # widths for names, and for names with values, which tell two columns
ENOUGH_PAIRED = 0.6  # of the rows that names alone would tell of
MESSAGE_RANK = -0.45
MOST_TOLD, MOST_WHOLE = 8, 320  # values of a column that are all told, and characters that may take
MOST_RARE_WHOLE = 700  # characters, where it is said which rows have what
WHOLE_SHARE = 0.6  # of the room, for all that is little
FEWEST_SIBLINGS = 6  # objects in a row that have the same names in them
SEVERAL = 2  # values of one form, on average: then forms tell them
MOST_FORMS_WHOLE = 900  # characters for what messages are like
MANY_LONG, SOME_LONG = 0.5, 0.05  # of texts that are told by their first lines, and of those called messages
NESTED_SHARE = 0.75  # of the room, for what is in what
TEXTS_SHARE = 0.3  # of the room, for how the texts of rows begin that have no titles
SEVERAL_PART, KIND = 0.5, 24  # of a width, for values that each have two rows or more; characters of what is a kind
SPREAD = 3  # rows of each value, on average: then they are few


class Topic(NamedTuple):
    """What may be said of one column, at any length; nothing where that is too short for it."""

    rank: float
    tell: Callable[[int], str]
    name: str = ""
    share: float = 0.0  # of all the room, that it may take even where others are short
    whole: int = 0  # characters in which all is told, where it is little


def table_statements(table: Table, room: int, noun: str = "rows") -> list[str]:
    """What a table adds up to, in at most `room` characters, line ends included."""
    if noun not in table.topics:
        table.topics[noun] = [*table_topics(table, noun)]
    return settled_statements(table.topics[noun], room)


def settled_statements(topics: list[Topic], room: int) -> list[str]:
    """What is said of each topic, all as long as there is room for."""
    topics = sorted(topics, key=lambda one: one.rank)
    late = [topic for topic in topics if topic.rank >= LATE / 2]
    if late and len(late) < len(topics):
        early = settled_statements(topics[: -len(late)], int(room * EARLY))
        return early + settled_statements([one._replace(rank=0.0) for one in late], room - _width(early))
    topics = [*_with_wholes(topics, int(WHOLE_SHARE * room))]
    fits, over = -1, len(WIDTHS)  # widths at which all is short enough, and too long
    best: list[str] = []
    while over - fits > 1:
        middle = (fits + over) // 2
        told = _told(topics, WIDTHS[middle], room)
        if _width(told) <= room:
            fits, best = middle, told
        else:
            over = middle
    if fits < 0:
        best = _first_that_fit(told, room)
    elif over < len(WIDTHS):
        best = _widened(topics, best, (WIDTHS[fits], WIDTHS[over]), room)
    return [words for words in best if words]


def _with_wholes(topics: list[Topic], left: int) -> Iterator[Topic]:
    """The topics, the first told as a whole as far as there is room for that: what is little before lists."""
    whole = dict.fromkeys(range(len(topics)), 0)
    for at in sorted(whole, key=lambda at: topics[at].whole > MOST_WHOLE):
        whole[at] = topics[at].whole if topics[at].whole <= left else 0
        left -= whole[at]
    yield from (topic._replace(whole=whole[at]) for at, topic in enumerate(topics))


def _told(topics: list[Topic], width: int, room: int) -> list[str]:
    """What is said of each, and at the end the names of the columns of which nothing is said."""
    told = [topic.tell(max(width, int(topic.share * room), topic.whole)) for topic in topics]
    seen: set[str] = set()
    for at, words in enumerate(told):
        said = words.partition(": ")[2]
        if len(said) > LEAST_SAID and said in seen:
            told[at] = ""  # another column says just that
        seen.add(said)
    return [*told, _others(topics, told, 4 * width)]


def _others(topics: list[Topic], told: list[str], room: int) -> str:
    others = {topic.name: 1 for topic, words in zip(topics, told, strict=False) if topic.name and not words}
    others = {name: 1 for name in others if not any(words.startswith(f"[{name} with ") for words in told)}
    return Wording.OTHER_COLUMNS.format(listed_values(others, room)) if others else ""


def _width(told: list[str]) -> int:
    return sum(len(words) + 1 for words in told if words)


def _first_that_fit(told: list[str], room: int) -> list[str]:
    result = []
    for words in told:
        if len(words) < room:
            result.append(words)
            room -= len(words) + 1
    return result


def _widened(topics: list[Topic], told: list[str], widths: tuple[int, int], room: int) -> list[str]:
    """The statements, each as long as there is room for, up to the next length."""
    left = room - _width(told)
    for at, topic in enumerate(topics):
        low, high = (max(width, int(topic.share * room), topic.whole) for width in widths)
        for _ in range(HALVINGS):
            middle = (low + high) // 2
            words = topic.tell(middle)
            more = len(words) - len(told[at]) + (not told[at])
            if words and more <= left:
                low = middle
                left -= more
                told[at] = words
            else:
                high = middle
    told[-1] = _others(topics, told, len(told[-1]))
    return told


class Outermost(NamedTuple):
    """Of the table that others are in: what names its rows, and how many rows are too few to be told of early."""

    lead: Column | None = None
    seldom: float = 0.0
    rows: int = 0
    share: float = 0.1  # of the room, four times of which may be for the names of all rows
    paired: bool = False  # the names are told with what goes with each


def table_topics(
    table: Table,
    noun: str,
    way: str = "",
    rows: int = 0,
    outer: Outermost | None = None,
) -> Iterator[Topic]:
    """What can be said of a table, to which `way` leads; of one inside another, `rows` is what it stands in."""
    outermost = outer is None
    if outer is None:
        lead = leading_column(table)
        outer = Outermost(lead and lead[1], FEW_HAVE * table.rows if table.like_map else 0.0, table.rows)
    yield from _heading_topics(table, noun, way, rows, outer)
    pairs = pairs_of(table, way) if outermost and table.members is None else []
    outer = outer._replace(paired=outer.paired or _tell_names(pairs, table))
    labels = {one.label for one in pairs}
    rare = [found for found in rare_pairs(table, way) if found[0].label not in labels] if outermost else []
    yield from _rare_topics([one for one, _ in rare])
    if table.members is not None:
        if not table.wide:
            yield from _column_topics(table, table.members, f"{way}*", table.rows, outer)
        return
    yield from chain.from_iterable(
        _trouble_topics(table, way, outer, what, found) for what, found in table.troubles.items()
    )
    named = named_column(table, outer.lead, outermost=outermost)
    again = named is outer.lead and outer.paired
    if named is not None and not outermost and (again or holds_name(named, outer.lead)):
        named = None
    yield from _name_topics(table, way, named, pairs, outer)
    told = {id(column) for one, column in rare if one.number == column.present <= FEW_NUMBERS}
    told |= {id(named)} if table.keys is None else set()
    told |= {id(outer.lead)} if again and not outermost else set()
    with_names = pairs if named is None else pairs[:1] if _tell_names(pairs, table) else []
    told |= {id(table.columns[name]) for one in with_names for name in one.columns}
    siblings = _later_siblings(table)
    nested = table.nested if table.nested is not None and table.nested.are_told else None
    if nested is not None:
        yield Topic(-0.7, nested.statement, share=NESTED_SHARE)
        told |= {id(table.columns.get(name)) for name in nested.columns}  # which tell the same, a level each
    for name, column in table.columns.items():
        late = LATE if column.present < outer.seldom or name in siblings else 0.0
        topics = _column_topics(table, column, (way + name).rstrip("."), table.rows, outer)
        yield from (one._replace(rank=one.rank + late) for one in (topics if id(column) not in told else ()))


def _rare_topics(rare: list[PairList]) -> Iterator[Topic]:
    """The rows that have what hardly any other has."""
    for rank, one in enumerate(rare):
        whole = len(one.within(MOST_RARE_WHOLE)) if one.number <= MOST_UNUSUAL else 0
        yield Topic(-0.2 + rank / 100, partial(_paired_words, one, 2, 1 << 20), whole=whole)


def _name_topics(
    table: Table, way: str, named: Column | None, pairs: list[PairList], outer: Outermost
) -> Iterator[Topic]:
    """What the rows are called, alone or each with a value, and what else is told of them by name."""
    counts = (named.counts() if named is not None else None) or {}
    most = MOST_IDS if are_ids(counts) else 1 << 20
    largest = MOST_LARGEST if outer.lead is not None and table.rows > MANY else 1 << 20
    paired = pairs[0] if named is not None and _tell_names(pairs, table) else None
    beside = [*_pair_topics(pairs[1:] if paired else pairs, 2 * most, largest)]
    yield from beside
    if named is None or table.keys is not None:
        return
    path = (way + named.name).rstrip(".") or "values"
    tellers = [] if paired else [(one, topic.tell) for one, topic in zip(pairs, beside, strict=True)]
    alone = partial(_identity_words, path, ValueList(counts), len(counts), tellers, most)
    least = ENOUGH_PAIRED if table.rows > MANY else 0.0
    tell = partial(_names_with_values, paired, [*counts], alone, (least, 2 * most)) if paired else alone
    yield Topic(2.4 if most == MOST_IDS else -0.4, tell, path, outer.share if named is outer.lead else 0.0)


def _tell_names(pairs: list[PairList], table: Table) -> bool:
    """Whether the first list of pairs is told in the place of names alone."""
    return table.keys is None and bool(pairs) and pairs[0].in_turn


def _later_siblings(table: Table) -> set[str]:
    """Columns that are objects with the same names in them as many others: the first is told for all of them."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, column in table.columns.items():
        if column.inner is not None and column.inner.columns:
            alike.setdefault(tuple(sorted(column.inner.columns)), []).append(name)
    return {name for names in alike.values() if len(names) >= FEWEST_SIBLINGS for name in names[1:]}


def _pair_topics(pairs: list[PairList], most: int, largest: int) -> Iterator[Topic]:
    """Names with values; where names are told by themselves, too, of numbers only the `largest`."""
    for rank, one in enumerate(pairs):
        share = 0.0 if rank else NAMES_SHARE / 2
        tell = partial(_paired_words, one, 1 + rank, min(most, largest) if one.counted else most)
        yield Topic(-0.3 + rank / 10, tell, share=share)


def _heading_topics(table: Table, noun: str, way: str, rows: int, outer: Outermost) -> Iterator[Topic]:
    """How many rows there are, what all of them share, what they are called, which of them have what is rare."""
    label = way.rstrip(".")
    whole = bool(rows) and table.rows == rows  # an object in every row: its columns are those of the rows
    many = table.rows >= FEW_HAVE * outer.rows  # what few have in common says little of all
    shared = [*_shared_values(table, way)] if many and not whole and _knows_shared(table) else []
    if (not way and (shared or table.keys is None)) or (way and table.objects and not whole):
        yield Topic((2 if shared else HEAD_RANK) if way else -1, lambda width: _head(table, label, noun, shared, width))
    if table.keys is not None:
        keys = table.keys.counts() or {}
        yield Topic(-0.5, partial(_key_words, ValueList(keys), len(keys), label, 3), share=NAMES_SHARE)
    if table.like_map:
        names = table.key_counts() or {}
        tell = partial(_key_words, ValueList(names), len(names), label, 0.5 if way else 2)
        yield Topic(2.2 if way else -0.1, tell, share=0.0 if way else NAMES_SHARE)


def _trouble_topics(
    table: Table, way: str, outer: Outermost, trouble: tuple[str, str], rows: list[dict[str, str]]
) -> Iterator[Topic]:
    """What the rows are called in which a column tells of trouble, if that is not in all of them."""
    name, word = trouble
    column = table.columns.get(name)
    counts = column.counts() if column is not None else None
    if counts is None or not (counts.get(word) or counts.get(json_word(word))) == len(rows) < table.rows:
        return
    lead = outer.lead.name if outer.lead is not None and not way else ""
    called = names_of_troubled(table, rows, lead)
    if called is None:
        return
    best, names = called
    if len(names) * 2 > len(rows) or len(rows) <= FEW:
        begin = f"[{way}{best} where {way}{name}={spelled_value(word)}: "
        befallen = ValueList(names)
        yield Topic(-0.6, lambda width: f"{begin}{befallen.within(5 * width - len(begin))}]")


def _paired_words(pairs: PairList, part: int, most: int, width: int) -> str:
    return pairs.within(min(most, (PAIRED if width > WIDTHS[0] else 2) * width // part))


def _names_with_values(
    pairs: PairList, names: list[str], alone: Callable[[int], str], bounds: tuple[float, int], width: int
) -> str:
    """Names with values, unless names alone tell of many more rows in their room."""
    least, most = bounds
    words = _paired_words(pairs, 1, most, width)
    mean = sum(map(len, names)) / len(names) + len(", ")
    rows_alone = min(len(names), (ALONE if width > WIDTHS[0] else 2) * width / mean)
    return words if words and pairs.named_by(words) >= least * rows_alone else alone(width)


def _identity_words(
    path: str,
    values: ValueList,
    distinct: int,
    tellers: list[tuple[PairList, Callable[[int], str]]],
    most: int,
    width: int,
) -> str:
    if any(pairs.tells_most(tell(width)) for pairs, tell in tellers):
        return ""
    words = values.within(min(most, (ALONE if width > WIDTHS[0] else 2) * width - len(path)))
    return f"[{path}: {words}]" if not words.startswith("+") else f"[{path}: {distinct} distinct]"


def _column_topics(
    table: Table,
    column: Column,
    path: str,
    rows: int,
    outer: Outermost,
) -> Iterator[Topic]:
    items = column.items
    nameless = not column.name and column.scalars
    if column.torn or (items is not None and (nameless or (items.objects and column.inner))):
        # Objects beside lists of them, or values beside lists of lists: nothing is true of all that is called so.
        yield Topic(3, lambda _: "", path or "values")
        return
    if column.inner is not None:
        yield from table_topics(column.inner, "objects", f"{path}.", rows, outer)
    if items is not None:
        way = path or ("[]" if items.objects else "")  # rows that are lists themselves have no name
        topics = table_topics(items, "items", f"{way}.", outer=outer)
        # Values beside lists of them are counted with these by a reader.
        yield from topics if not column.scalars else (one for one in topics if one.rank < HEAD_RANK or one.name)
    if column.scalars and (column.only_value(table.rows) is None or not _knows_shared(table)):
        yield _values_topic(table, column, path or "values", outer)


def _texts_topic(column: Column, path: str, counts: dict[str, int] | None, outer: Outermost) -> Topic | None:
    """What many phrases are like, or how long texts begin; None where a column says neither."""
    values = column.values
    if column.texts == column.scalars:
        alike = values.phrases.counts()
        if alike and (counts is None or len(counts) > max(FEW, SEVERAL * len(alike))):
            forms, rank = phrases_alike(path, alike), MESSAGE_RANK if _MESSAGE.search(path) else 0.3
            return Topic(rank, forms.within, path, whole=min(forms.width, MOST_FORMS_WHOLE))
        least = SOME_LONG if _MESSAGE.search(path) else MANY_LONG
        lines = values.first_lines.list_of(path, least) if values.first_lines is not None else None
        if lines is not None:
            titled = outer.lead is not None and is_called_name(outer.lead.name)
            rank, share = (0.3, 0.0) if titled else (MESSAGE_RANK, TEXTS_SHARE)
            rank += 0 if titled or _MESSAGE.search(path) else 0.02  # messages say more than other texts
            return Topic(rank, lines.within, path, share, min(lines.width, MOST_FORMS_WHOLE))
    return Topic(3, lambda _: "", path) if column.in_lines else None


def _values_topic(table: Table, column: Column, path: str, outer: Outermost) -> Topic:
    """The values of a column: those of which there are few, what many are like, or how far they go."""
    counts = column.counts()
    if (texts := _texts_topic(column, path, counts, outer)) is not None:
        return texts
    many = counts is None or len(counts) > FEW_NUMBERS
    if column.numbers.number and not column.is_coded and (many or len(counts or ()) == column.scalars > 1):
        rank = 0.5 if column.numbers.far() else 1 + path.count(".") / 10  # one of them stands out
        return Topic(rank, partial(_range_words, column, path), path)
    alone = not column.numbers.number  # else 007 would be told without the numbers beside it
    if alone and column.values.ends is not None and (counts is None or len(counts) > FEW):
        low, high = column.values.ends
        return Topic(2.5, lambda _: f"[{path}: {spelled_value(low)} .. {spelled_value(high)}]", path)
    if counts is None:
        return Topic(3, lambda _: "", path)
    ends = ends_of_dates(counts) if len(counts) > FEW else None
    if (dated := (*ends, {}) if ends else range_and_others(counts) if alone else None) is not None:
        low, high, others = dated
        words = f"[{path}: {spelled_value(low)} .. {spelled_value(high)}{beside_range(others)}]"
        return Topic(1.5 if others else 2.5, lambda _: words, path)
    distinct = len(counts)
    few = distinct <= FEW and SPREAD * distinct <= column.scalars
    # What is another text in every row says little: it is told at length last.
    part = 1.0 if few else SEVERAL_PART if 2 * distinct < column.scalars else 0.25
    kinds = part == SEVERAL_PART and column.texts == column.scalars and sum(map(len, counts)) <= KIND * distinct
    part = 1.0 if kinds else part
    rank = (0.0 if few else 0.6 if kinds else 1.5) + distinct / 10_000
    if few and column.numbers.number and distinct > FEW_NUMBERS // 2 and not column.numbers.far():  # as places have
        rank += 0.7
    if distinct == 1:  # and it is not in all rows: often a null
        rank = 0.9 if column.texts == column.present == 1 and "" not in counts else 2.0
    again = says_the_same(column, table) or holds_name(column, outer.lead)
    ids = are_ids(counts)
    if again or ids:
        rank, part = 2.8, 0.25
    elif _MESSAGE.search(path) and 2 * sum(" " in value for value in counts) > distinct:
        rank, part = min(rank, MESSAGE_RANK + path.count(".") / 20), 1.0
    short = (again and distinct > MANY_AGAIN) or joins_others(column, table)
    numbered = not short and are_numbered(counts)
    all_told = numbered and distinct <= MOST_PHRASES and 2 * sum(" " in value for value in counts) > distinct
    values, most = ValueList(counts), MOST_NUMBERED if short or (numbered and not all_told) else 1 << 20
    most = MOST_IDS if ids or (again and all("://" in value for value in counts)) else most
    whole = len(_values_words(path, values, MOST_WHOLE)) if few and distinct <= MOST_TOLD else 0
    tell = partial(_values_in_part, path, values, most, part)
    return Topic(rank, tell, path, whole=whole + 1 if whole else 0)


def _values_in_part(path: str, values: ValueList, most: int, part: float, width: int) -> str:
    return _values_words(path, values, min(most, round(width * part)))


def _head(table: Table, label: str, noun: str, shared: list[str], width: int) -> str:
    """How many rows there are, and what they all share."""
    begin = f"[{label}: {table.rows} {noun}" if label else f"[{table.rows} {noun}"
    if not shared:
        return f"{begin}]"
    room = max(width, 2 * LEAST_LIST) - len(begin) - len("; all: ]")
    told = joined_entries(shared, room)
    return f"{begin}; all: {told}]" if not told.startswith("+") else f"{begin}]"


def _knows_shared(table: Table) -> bool:
    """Whether all values are known that all rows may share: what lies too deep, or is one of too many, may be, too."""
    unknown = table.names is None or any(count >= table.rows for count in table.names.values())
    inner = (column.inner for column in table.columns.values() if column.present >= table.rows)
    return not unknown and all(_knows_shared(one) for one in inner if one is not None and one.rows == table.rows)


def _shared_values(table: Table, way: str, rows: int = 0) -> Iterator[str]:
    """`name=value` of every column with one value, also of those in objects that every row has."""
    rows = rows or table.rows
    if table.rows != rows or rows < 2 or table.members is not None:  # noqa: PLR2004  # one row shares nothing
        return
    for name, column in table.columns.items():
        value = column.only_value(rows)
        if value is not None:
            yield f"{spelled_value((way + name).rstrip('.'))}={spelled_value(value)}"
        elif column.inner is not None and column.present == rows:
            yield from _shared_values(column.inner, f"{way}{name}.", rows)


def _key_words(names: ValueList, number: int, label: str, part: float, width: int) -> str:
    """The names of the members that are the rows, or those that the objects of a table have; in a part of the width."""
    begin = f"[{label}: {number} keys: " if label else f"[{number} keys: "
    words = names.within(max(round(part * width), WIDTHS[0]) - len(begin)) if number else "+"
    return f"{begin}{words}]" if not words.startswith("+") else ""


def _values_words(path: str, values: ValueList, width: int) -> str:
    """The values with their rows, or nothing where none of them would be named."""
    words = values.within(width - len(path) - len("[: ]")) if width >= WIDTHS[0] // 2 else "+"
    named = not words.startswith("+") and not (words.endswith("}") and words.partition("{+")[2][:-1].isdigit())
    return f"[{path}: {words}]" if named else ""


def _range_words(column: Column, path: str, _width: int = 0) -> str:
    """How far the numbers of a column go, and what stands there that is none."""
    words = column.numbers.range_words()
    others = column.values.counts if column.values.number else None
    return f"[{path}: {words}{beside_range(others or {})}]" if words else ""
