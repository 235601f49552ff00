r"""Lines of a key and a value: records of them, one below another, or one long list of settings.

A field is a line that begins, at the margin, with a key: a word, or at most four in 48 characters, and a letter first;
behind it stands a colon and a blank, an equals sign or a bar. Lines that are indented go on with a value. A
record begins with each field that has the key which the first record began with, whatever stands between records.

>>> lines = [line for n in range(9) for line in (f"Name: p{n}", f"Size: {n} kB", " more of it", "State: up", "")]
>>> [*fields_of(block_layout(lines)[0], lines)][:2], block_layout(lines)[0].first
([(0, 'Name', 'p0'), (1, 'Size', '0 kB')], 'Name')
"""

from __future__ import annotations

from itertools import islice, pairwise

from overspill._lite import TYPE_CHECKING, NamedTuple, cached_property, compile_pattern
from overspill.cut.digest import counts_of
from overspill.cut.digest.values import listed_values, spelled_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from overspill.cut.digest.columns import Table

SIGNS = (":", "=", "|")
_FIELDS = {
    ":": r"([^\W\d_].{0,99}?)[ \t]*::?(?:[ \t]+(.*)|$)",
    "=": r"([^\W\d_][^=]{0,99}?)[ \t]*=(?![=~>])[ \t]*(.*)",
    "|": r"([^\W\d_][^|]{0,99}?)[ \t]*\|(?:[ \t](.*)|$)",
}
LONGEST_KEY, MOST_KEY_WORDS, MOST_DIGITS = 48, 4, 6
COVERED, LEAST_FIELDS = 0.85, 0.25  # of the lines: those that are fields or belong to one, and those that are fields
FEWEST_RECORDS, FEWEST_FIELDS = 3, 2  # records by which a layout is found, and fields of each on average
REGULAR = 0.6  # of the fields have a key that half of the records have
FEW_KEYS, WHOLE = 4, 0.7  # keys of which most records have all, so many of them
REPEATED = 0.35  # of the fields have a key that their record has before them
FALLING = 0.15  # of the fields come before one that they come after elsewhere
FEWEST_SETTINGS, DISTINCT = 12, 0.8  # fields of a list of settings, and those of them whose key is no other's
SHARE, MOST_ODD = 0.85, 60  # of the room, and lines
SPREAD, VALUES_SHARE = 2, 0.15  # settings of each value on average, and of the room for values alone
LONGEST_SAID = 60  # characters of a value that is said beside its key
ALIGNED = 0.75  # of the lines that have their sign in one column
FEWEST_ALIKE, USUAL, RARE = 5, 0.7, 0.2  # settings of a family, those of them with one value, and with another
MOST_HEADS = 10  # fields before the first record
MOST_CHARS = 4_000_000  # of settings that are held
_RULE = compile_pattern(r"[-=*_+\u2500-\u257f]{3,}|-\[ ?\w|#(?: |$)")  # what may stand between records


class BlockLayout(NamedTuple):
    """How fields are written, and the key that begins a record; no key, where they are one list of settings.

    Keys may be indented so that the signs behind them all stand in one `column`.
    """

    sign: str
    first: str = ""
    column: int = -1


def fields_of(layout: BlockLayout, lines: Sequence[str], at: int = 0) -> Iterator[tuple[int, str, str]]:
    """The number, the key and the value of every line that is a field."""
    match = compile_pattern(_FIELDS[layout.sign]).match
    for number, line in enumerate(lines, at):
        aligned = layout.column >= 0 and line.find(layout.sign) == layout.column
        found = match(line.lstrip() if aligned else line)
        if found is not None and is_key(found[1]):
            yield number, found[1], " ".join((found[2] or "").split())  # how far its columns stand apart says nothing


def is_key(words: str) -> bool:
    """Whether this is short enough to be the name of something, and no time or path."""
    return (
        (len(words) <= LONGEST_KEY or " " not in words)
        and len(words.split()) <= MOST_KEY_WORDS
        and "/" not in words
        and "  " not in words
        and sum(map(str.isdigit, words)) <= MOST_DIGITS
    )


def block_layout(lines: list[str]) -> tuple[BlockLayout | None, float]:
    """How the fields of these lines are written, and the share of the lines that are fields or belong to one."""
    filled = [line for line in lines if line and not line.isspace()]
    least = max(LEAST_FIELDS * len(filled), FEWEST_RECORDS * FEWEST_FIELDS)
    for sign in SIGNS:
        if sum(1 for line in filled if sign in line) < least:
            continue
        layout = BlockLayout(sign, column=_sign_column(sign, filled))
        found = [*fields_of(layout, filled)]
        if len(found) < least:
            continue
        covered = covered_share(layout, filled)
        if covered < COVERED:
            continue
        keys = [key for _, key, _ in found]
        first = _first_key(keys)
        if first:
            return layout._replace(first=first), covered
        distinct = len(set(keys))
        if distinct >= max(FEWEST_SETTINGS, DISTINCT * len(keys)) and len(keys) >= COVERED * len(filled):
            return layout, covered
    return None, 0.0


def _sign_column(sign: str, lines: list[str]) -> int:
    """The column that the signs behind keys stand in, where keys end there, however far they are indented; else -1.

    >>> _sign_column("=", ["   id = 1", " name = x", "state = up"]), _sign_column("=", ["id = 1", "name = x"])
    (6, -1)
    """
    indented = sum(line[:1] == " " for line in lines)
    columns = counts_of(line.find(sign) for line in lines)
    best = max(columns, key=lambda one: columns[one]) if columns else -1
    return best if indented and best > 0 and columns[best] >= ALIGNED * len(lines) else -1


def covered_share(layout: BlockLayout, lines: list[str]) -> float:
    """The share of these lines that are fields, go on with one, or stand between records."""
    other = sum(1 for line in lines if line[:1] not in (" ", "\t", "") and not _RULE.match(line))
    fields = sum(1 for at, _, _ in fields_of(layout, lines) if lines[at][:1] not in (" ", "\t"))
    return 1 - (other - fields) / max(1, sum(1 for line in lines if line.strip()))


def _first_key(keys: list[str]) -> str:
    """The key that begins records, if these are the keys of records."""
    for key in dict.fromkeys(keys[:MOST_HEADS]):
        if keys.count(key) >= FEWEST_RECORDS and _are_records(keys[keys.index(key) :], key):
            return key
    return ""


def _are_records(keys: list[str], first: str) -> bool:
    """Whether what stands from one field of this key to the next is like the others.

    Most keys are in half of them, and they come in the same order: lines of a log that begin with a few words do not.
    Few of them come twice in one, and where they are few, most records have all: those of services that log by turns
    do not.

    >>> _are_records(["dn", "cn", "mail", "mail"] * 5, "dn"), _are_records(["web", "db", "db", "db", "db"] * 5, "web")
    (True, False)
    """
    ranks = {key: at for at, key in enumerate(dict.fromkeys(keys))}
    falling = sum(ranks[one] > ranks[two] for one, two in pairwise(keys) if two != first)
    records: list[set[str]] = []
    for key in keys:
        if key == first:
            records.append(set())
        records[-1].add(key)
    having = counts_of(key for record in records for key in record)
    if len(keys) - sum(having.values()) > REPEATED * len(keys):
        return False
    if len(having) <= FEW_KEYS and sum(len(one) == len(having) for one in records) < WHOLE * len(records):
        return False
    regular = sum(1 for key in keys if 2 * having[key] >= len(records))
    return len(keys) >= max(FEWEST_FIELDS * len(records), falling / FALLING) and regular >= REGULAR * len(keys)


class BlockReader:
    """Adds records up in a table, as their lines go by; or holds settings."""

    def __init__(self, layout: BlockLayout, table: Table) -> None:
        self.layout = layout
        self.table = table
        self.settings: list[tuple[str, str]] | None = []
        self.fields = self.records = 0
        self._lines = self._other = self._chars = 0
        self._begun = 0
        self._known: set[str] = set()  # keys of the record that is read

    def add(self, lines: list[str], at: int) -> None:
        """Take the next lines; `at` is the number of the first."""
        found = [*fields_of(self.layout, lines, at)]
        self.fields += len(found)
        filled = [line for line in lines if line.strip()]
        self._lines += len(filled)
        self._other += round((1 - covered_share(self.layout, filled)) * len(filled))
        if not self.layout.first:
            self._hold(found)
            return
        by_key: dict[str, tuple[list[str], list[int]]] = {}
        repeated: set[str] = set()
        begun = self.records
        for number, key, value in found:
            if key == self.layout.first:
                begun += 1
                self._begun = number
                self._known = set()
            if not begun:
                continue  # what stands above the first record
            if key in self._known:
                repeated.add(key)
            self._known.add(key)
            values, places = by_key.setdefault(key, ([], []))
            values.append(value)
            places.append(self._begun)
        for key, (values, places) in by_key.items():
            self.table.add_cells(key, values, places)
            if key in repeated and key in self.table.columns:
                self.table.columns[key].repeated = True
        self.table.count_rows(begun - self.records)
        self.records = begun

    def _hold(self, found: list[tuple[int, str, str]]) -> None:
        if self.settings is None:
            return
        self.settings += ((key, value) for _, key, value in found)
        self._chars += sum(len(key) + len(value) for _, key, value in found)
        if self._chars > MOST_CHARS:
            self.settings = None

    @property
    def good(self) -> bool:
        """Whether all of the text was what its first lines were."""
        if self._other > (1 - COVERED) * self._lines:
            return False
        if self.layout.first:
            return self.records > FEWEST_RECORDS and self.fields >= FEWEST_FIELDS * self.records
        if not self.settings:
            return False
        return len({key for key, _ in self.settings}) >= max(FEWEST_SETTINGS, DISTINCT * len(self.settings))


class BlockDigest:
    """What records add up to, or which settings there are."""

    share = SHARE
    nameless = False

    def __init__(self, reader: BlockReader) -> None:
        self._layout = reader.layout
        self._table = reader.table
        self._settings = SettingsList(reader.settings or []) if not reader.layout.first else None

    def statements(self, room: int) -> tuple[str, ...]:
        """What is said of the fields, at most `room` characters, line ends included."""
        if self._settings is not None:
            return self._settings.statements(room)
        from overspill.cut.digest.statements import table_statements

        return tuple(table_statements(self._table, room))

    def tells(self, line: str) -> bool:
        """Whether this line is a field like the others."""
        cells = {(key, value) for _, key, value in fields_of(self._layout, [line])}
        return bool(cells) and self._odd_cells.isdisjoint(cells)

    def odd_rows(self, lines: list[str], _rows: object) -> list[int]:
        """Which of these lines are fields with a rare value, or begin the records of such: their numbers."""
        odd = self._odd_cells
        found: dict[int, None] = {}
        begun = -1
        for at, key, value in fields_of(self._layout, lines) if odd else ():
            begun = at if key == self._layout.first else begun
            if (key, value) in odd and len(found) < MOST_ODD:
                found |= dict.fromkeys((begun, at) if begun >= 0 else (at,))
        return sorted(found)

    @cached_property
    def _odd_cells(self) -> set[tuple[str, str]]:
        if self._settings is not None:
            return self._settings.odd_cells()
        return {(odd.column, odd.value) for odd in self._table.odd_rows()[:MOST_ODD]}

    def cells_of_rows(self, _lines: list[str]) -> tuple[list[int], list[tuple[str, list[str]]]]:
        """No line is a row of its own."""
        return [], []


class SettingsList:
    """`1280 fields: abi.vsyscall32=1, fs.{aio-nr=0, file-max=9}, +1277`: settings by what their keys begin with.

    Where not all can be named: first those that have no like, then one of each family (`conf.eth0.mtu`,
    `conf.eth1.mtu`), then the others.
    """

    def __init__(self, settings: list[tuple[str, str]]) -> None:
        self._settings = settings
        self._dotted = 2 * sum("." in key for key, _ in settings) > len(settings)

    @cached_property
    def _groups(self) -> dict[str, list[tuple[str, str]]]:
        """Entries by the beginning of their keys: with their values, and without."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for key, value in self._settings:
            head, last = self._parts(key)
            said = f"{last}={value}" if len(value) <= LONGEST_SAID else last
            groups.setdefault(head, []).append((spelled_value(said), spelled_value(last)))
        return groups

    def _parts(self, key: str) -> tuple[str, str]:
        head, dot, last = key.rpartition(".") if self._dotted else ("", "", key)
        return head + dot, last

    @cached_property
    def _families(self) -> dict[str, list[int]]:
        """The numbers of settings that are called the same but for one part of their names, where several are."""
        ways: dict[str, list[int]] = {}
        for number, (key, _) in enumerate(self._settings if self._dotted else ()):
            parts = key.split(".")
            for at in range(len(parts) - 1):
                ways.setdefault(".".join([*parts[:at], "*", *parts[at + 1 :]]), []).append(number)
        taken: set[int] = set()
        families: dict[str, list[int]] = {}
        for way, numbers in sorted(ways.items(), key=lambda one: -len(one[1])):
            if len(numbers) >= FEWEST_ALIKE and taken.isdisjoint(numbers):
                families[way] = numbers
                taken.update(numbers)
        return families

    def odd_cells(self) -> set[tuple[str, str]]:
        """The settings that are not what they are nearly everywhere else, those of the largest families first."""
        odd: dict[tuple[str, str], None] = {}
        for numbers in self._families.values():
            counts = counts_of(self._settings[number][1] for number in numbers)
            usual = max(counts.values())
            if usual >= USUAL * len(numbers):
                rare = (number for number in numbers if counts[self._settings[number][1]] <= RARE * len(numbers))
                odd |= dict.fromkeys(self._settings[number] for number in rare)
        return {*islice(odd, MOST_ODD)}

    def statements(self, room: int) -> tuple[str, ...]:
        """The settings; and how often each value is there, where not all of them can be told and many are the same."""
        words = self._within(room - 1)
        counts = counts_of(value for _, value in self._settings)
        if not words or ", +" not in words or SPREAD * len(counts) > len(self._settings):
            return (words,) if words else ()
        told = f"[values: {listed_values(counts, int(room * VALUES_SHARE))}]"
        words = self._within(room - len(told) - 2)
        return (words, told) if words and "+" not in told[:10] else (words,) if words else ()

    def _within(self, room: int) -> str:
        """As many as there is room for; keys alone where their values would take too much of it."""
        begin = f"[{len(self._settings)} fields: "
        room -= len(begin) + 1
        for valued in (True, False):
            words = self._written(self._groups, valued=valued)
            if len(words) <= room:
                return f"{begin}{words}]"
        words = self._written(self._chosen(room), valued=True)
        return f"{begin}{words}]" if words and len(words) <= room else ""

    @cached_property
    def _order(self) -> list[int]:
        """The numbers of settings, those first that say most."""
        again = {number: at for numbers in self._families.values() for at, number in enumerate(numbers)}
        return sorted(
            range(len(self._settings)), key=lambda number: (again.get(number, -1) > 0, number in again, number)
        )

    def _chosen(self, room: int) -> dict[str, list[tuple[str, str]]]:
        """Entries of the groups, as many as fit; of those that are alike in each group some before all of any."""
        places: dict[str, int] = {}
        said: list[tuple[str, tuple[str, str]]] = []
        for key, _ in self._settings:
            head, _ = self._parts(key)
            places[head] = places.get(head, -1) + 1
            said.append((head, self._groups[head][places[head]]))
        left = room - len(f", +{len(self._settings)}")
        chosen: dict[str, list[tuple[str, str]]] = {}
        for number in self._order:
            head, entry = said[number]
            cost = len(entry[0]) + 2
            if head and head not in chosen:
                cost += len(spelled_value(head)) + len(f"{{, +{len(self._groups[head])}}}")
            if cost <= left:
                left -= cost
                chosen.setdefault(head, []).append(entry)
        return chosen

    def _written(self, groups: dict[str, list[tuple[str, str]]], *, valued: bool) -> str:
        """These groups, with these of their entries; `+N` for those that are not among them."""
        parts = [
            _group_words(head, entries, len(self._groups[head]), valued=valued) for head, entries in groups.items()
        ]
        more = len(self._settings) - sum(len(self._groups[head]) if head else len(groups[head]) for head in groups)
        return ", ".join([*parts, *([f"+{more}"] if more else [])])


def _group_words(head: str, entries: list[tuple[str, str]], number: int, *, valued: bool) -> str:
    """Some of the `number` entries of a group."""
    said = [entry[not valued] for entry in entries]
    if not head:
        return ", ".join(said)
    if number == 1 and not said[0].startswith('"') and spelled_value(head) == head:
        return head + said[0]
    more = number - len(said)
    return f"{spelled_value(head)}{{{', '.join([*said, *([f'+{more}'] if more else [])])}}}"
