"""What is said of rows: how many there are, what they share, which values a column has, how far its numbers go.

A statement inside a document speaks of the rows it stands among, and is held against those alone; one that leads a text
is held against every table that can be read out of it.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from nested_claims import check_leaves
from range_claims import bare_word, spelt_value, why_range_false
from statements import NotATree, read_outline, read_tree, template
from text_claims import check_first_lines

if TYPE_CHECKING:
    from xml.etree import ElementTree as ET

NAMED = r"(?:\"(?:\\.|[^\"\\])*\"|[^\s\"].*?)"
WAY = r"(?:\"(?:\\.|[^\"\\])*\"|[^\s\"](?:(?!: ).)*?)"  # behind `: ` stand values, in which there may be any word
LONGEST_SHARED = 60
LONGEST_TEXT = 120
LONGEST_CODE = 9  # digits of a number that may begin with zeros


class Scope(NamedTuple):
    """The rows that a statement speaks of: values of JSON, dictionaries of texts, or elements by their names."""

    rows: list[object]
    keys: tuple[str, ...] = ()
    texts: bool = False  # numbers are written as texts
    sure: bool = True  # what is a row is beyond doubt, so that their number alone says something

    def reached(self, path: str) -> list[object]:
        """What stands at the end of a way of names, through objects and lists."""
        if path == "values":
            return [*_flat(self.rows)]
        return [*_walk(*self.beginning(path))]

    def beginning(self, path: str) -> tuple[list[object], str]:
        """Where a way begins: at the rows, or (`[].url`) in those of them that are lists; and how it goes on."""
        path = bare_word(path)
        if path != "[]" and not path.startswith("[]."):
            objects: list[object] = [row for row in self.rows if isinstance(row, dict)]
            return objects or self.rows, path
        return [*_flat([row for row in self.rows if isinstance(row, list)])], path[len("[].") :]

    def columns(self, path: str) -> list[list[object]]:
        """The values at the end of a way that are no objects: all, those in no list, and those in lists."""
        reached = [one.get("", one) if isinstance(one, dict) else one for one in self.reached(path)]
        every = [one for one in reached if not isinstance(one, dict)]
        if not every or self.texts:
            return [every] * bool(every)
        ends = [one for one in _walk(*self.beginning(path), whole=True) if not isinstance(one, dict)]
        listed = [inner for one in ends if isinstance(one, list) for inner in _flat(one) if not isinstance(inner, dict)]
        return [found for found in (every, [one for one in ends if not isinstance(one, list)], listed) if found]


def _flat(value: object) -> Iterator[object]:
    if isinstance(value, list):
        for one in value:
            yield from _flat(one)
    else:
        yield value


def _walk(value: object, path: str, *, whole: bool = False) -> Iterator[object]:
    """What is at the end of a way; lists there are taken apart, unless they are wanted as a `whole`."""
    if isinstance(value, list):
        for one in value:
            yield from _walk(one, path, whole=whole)
    elif not path:
        yield value
    elif isinstance(value, dict):
        if path in value:
            yield from [value[path]] if whole else _flat(value[path])
        elif path == "*":
            yield from (one for inner in value.values() for one in ([inner] if whole else _flat(inner)))
        elif path.startswith("*."):
            yield from (one for inner in value.values() for one in _walk(inner, path[2:], whole=whole))
        # A name may hold dots itself.
        for key, one in value.items() if "." in path else ():
            if key and path.startswith(f"{key}.") and isinstance(one, dict | list):
                yield from _walk(one, path[len(key) + 1 :], whole=whole)


def check_columns(scope: Scope, words: str) -> str | None:
    """Why a statement of rows is false; "" if it is true, None if it is none of these."""
    for pattern, check in CLAIMS:
        found = re.fullmatch(pattern, words, re.DOTALL)
        if found:
            why = check(scope, found)
            if why is not None:
                return why
    return None


def _rows(scope: Scope, found: "re.Match[str]") -> str | None:
    label = found["label"]
    reached = scope.reached(label) if label else scope.rows
    if label and not reached:
        return None
    objects = [one for one in reached if isinstance(one, dict)]
    number = int(found["rows"])
    answers = {len(reached), len(objects)} if label else {len(scope.rows)}
    if number not in answers:
        return f"there are {sorted(answers)}"
    if not found["all"]:
        return "" if scope.sure else None
    constant = {f"{label}.{name}".strip(".") if label else name: value for name, value in _constants(objects)}
    said = dict(re.findall(rf"(?:^|, )({NAMED})=({NAMED}|)(?=, |$)", found["all"]))
    more = re.search(r"(?:^|, )\+(\d+)$", found["all"])
    said = {name: value for name, value in said.items() if not name.startswith("+")}
    for name, value in said.items():
        if constant.get(bare_word(name)) not in {bare_word(value), value}:
            return f"{name} is not {value} in all rows"
    if len(said) + int(more[1] if more else 0) != len(constant):
        return f"all rows share {len(constant)} values"
    return ""


def _constants(rows: list[dict[str, object]]) -> Iterator[tuple[str, str]]:
    """What all objects have in common: short values, also of the objects in them."""
    first: dict[str, object] = rows[0] if rows else {}
    for name, value in first.items():
        if not all(name in row for row in rows):
            continue
        values = [row[name] for row in rows]
        if all(isinstance(one, dict) for one in values):
            yield from ((f"{name}.{inner}", one) for inner, one in _constants(values))  # type: ignore[arg-type]
        elif not isinstance(value, list | dict) and all(type(one) is type(value) for one in values):
            spelt = {spelt_value(one) for one in values}
            if len(spelt) == 1 and len(spelt_value(value)) <= LONGEST_SHARED:
                yield name, spelt_value(value)


def _values(scope: Scope, found: "re.Match[str]") -> str | None:
    """`status: failed, ok 298, +3`: every value with its rows; one without a number has one."""
    return _first_true(
        check_counts(Counter(spelt_value(one) for one in values), found["list"])
        for values in scope.columns(found["column"])
    )


def _first_true(whys: "Iterator[str | None]") -> str | None:
    """The first reason if none of several readings is true; None if there is none."""
    reason = None
    for why in whys:
        if why == "":
            return ""
        reason = reason or why
    return reason


def check_counts(counts: "Counter[str]", words: str) -> str | None:
    """Whether a list gives each value it names as often as it is there, and counts those that it does not name."""
    try:
        entries = [one for top in read_tree(words) for one in top.walk()]
    except NotATree:
        return None
    named = [one for one in entries if one.inside is None and not one.more]
    for one in named:
        count = one.count or 1
        if one.detail:
            return None
        if count != counts[one.name] and not (one.count is None and counts[one.name] == 1):
            return f"{one.name}: {counts[one.name]}, {count} said"
    more = sum(one.more for one in entries)
    return "" if len(named) + more == len(counts) else f"there are {len(counts)} values, {len(named)} and {more} said"


def _where(scope: Scope, found: "re.Match[str]") -> str | None:
    """`zone where status=failed: eu`: a value of the rows in which another column has this one."""
    column, mark, word = bare_word(found["column"]), bare_word(found["mark"]), bare_word(found["word"])
    way = ""
    names = [column[at + 1 :] for at, sign in enumerate(column) if sign == "."]
    for name in [column, *names]:
        way = column[: len(column) - len(name)]
        if not mark.startswith(way):
            continue
        rows = scope.reached(way.rstrip(".")) if way else list(_flat(scope.rows))
        told = [row for row in rows if isinstance(row, dict) and spelt_value(_inside(row, mark[len(way) :])) == word]
        texts = [text for row in told if isinstance(text := _inside(row, name), str) and len(text) <= LONGEST_TEXT]
        if texts:
            return check_counts(Counter(map(spelt_value, texts)), found["list"])
    return "no row is like this"


MISSING = object()


def _inside(row: dict[str, object], path: str, otherwise: object = None) -> object:
    """What a row has at the end of a way."""
    if path in row:
        return row[path]
    # A name may hold dots itself.
    for key, below in row.items() if "." in path else ():
        if key and path.startswith(f"{key}.") and isinstance(below, dict):
            found = _inside(below, path[len(key) + 1 :], MISSING)
            if found is not MISSING:
                return found
    return otherwise


def _with(scope: Scope, found: "re.Match[str]") -> str | None:
    """`file with cover: a.c 0%, b.c 7%, +14`: rows by their names, each with what it has in another column."""
    try:
        entries = [one for top in read_tree(found["list"]) for one in top.walk()]
    except NotATree:
        return None
    name, column = bare_word(found["name"]), bare_word(found["column"])
    columns = [bare_word(one) for one in found["column"].split(", ")]
    ways = ["", *(name[: at + 1] for at, sign in enumerate(name) if sign == ".")]
    tried = ((way, _rows_on(scope, way)) for way in ways if column.startswith(way))
    rows, pairs = next(
        ((rows, pairs) for way, rows in tried if (pairs := _pairs_in(rows, way, name, (column, columns), scope))),
        ([], Counter[tuple[str, str]]()),
    )
    if not pairs:
        return None
    named = [one for one in entries if one.inside is None and not one.more]
    told = 0
    for one in named:
        value = one.detail if one.count is None else str(one.count)
        times = re.fullmatch(r"(.*) x(\d+)", value)
        said, often = (times[1], int(times[2])) if times and not pairs[one.name, value] else (value, 1)
        codes = {f"{said:0>{width}}" for width in range(2, LONGEST_CODE)} if one.count is not None else set()
        there = [pairs[one.name, spelt] for spelt in (bare_word(said), said, *codes) if pairs[one.name, spelt]]
        if not there or (times and there[0] != often):
            return f"{one.name} is not {value}"
        told += often
    more = sum(one.more for one in entries)
    return "" if told + more == len(rows) else f"there are {len(rows)} rows, {told} and {more} said"


def _rows_on(scope: Scope, way: str) -> list[tuple[str, object]]:
    """The rows that a way leads to, with their keys if they are members of an object."""
    rows = scope.reached(way.rstrip(".")) if way else scope.rows
    return [*zip((scope.keys if not way else None) or [""] * len(rows), rows, strict=True)]


def _pairs_in(
    keyed: list[tuple[str, object]], way: str, name: str, labels: tuple[str, list[str]], scope: Scope
) -> "Counter[tuple[str, str]]":
    """What each row is called, and what it has in one column, or in several."""
    name, column = name[len(way) :], labels[0][len(way) :]
    columns = [one.removeprefix(way) for one in labels[1]]
    every = [(key, row) for key, row in keyed if isinstance(row, dict)]
    if len(columns) == 1 or any(_inside(row, column, MISSING) is not MISSING for _, row in every):
        columns = [column]
    rows = [(key, row) for key, row in every if all(_inside(row, one, MISSING) is not MISSING for one in columns)]
    named_by_key = name == "key" and bool(scope.keys) and not way
    return Counter(
        (
            key if named_by_key else spelt_value(_inside(row, name)),
            " ".join(spelt_value(_inside(row, one)) for one in columns),
        )
        for key, row in rows
        if named_by_key or _inside(row, name, MISSING) is not MISSING
    )


def _range(scope: Scope, found: "re.Match[str]") -> str | None:
    return _first_true(why_range_false(values, found, texts=scope.texts) for values in scope.columns(found["column"]))


def _alike(scope: Scope, found: "re.Match[str]") -> str | None:
    """`msg alike: "no more jobs", "job 3 took 9 ms" 412, +3`: how many are like each, words with digits aside."""
    columns = [[template(str(one)) for one in column] for column in scope.columns(found["column"])]
    said = re.findall(r'(?:^|, )("(?:\\.|[^"\\])*")(?: (\d+))?(?=, |$)', found["list"])
    more = re.search(r"(?:^|, )\+(\d+)$", found["list"])
    if not columns or not said:
        return None
    counts = {template(json.loads(phrase)): int(count or 1) for phrase, count in said}
    whys = []
    for own in map(Counter, columns):
        wrong = [form for form, count in counts.items() if own[form] != count]
        total = len(counts) + int(more[1] if more else 0)
        why = f"{wrong[0]!r} is said by {own[wrong[0]]}" if wrong else ""
        whys.append(why or ("" if total == len(own) else f"there are {len(own)} forms"))
    return "" if "" in whys else whys[0]


def _distinct(scope: Scope, found: "re.Match[str]") -> str | None:
    answers = {len({spelt_value(one) for one in values}) for values in scope.columns(found["column"])}
    if not answers:
        return None
    return "" if int(found["number"]) in answers else f"the column has {sorted(answers)} values"


def _keys(scope: Scope, found: "re.Match[str]") -> str | None:
    """`9 keys: a, b, +7`: the names of an object, or of all the objects that are rows."""
    label = found["label"]
    objects = [one for one in (scope.reached(label) if label else _flat(scope.rows)) if isinstance(one, dict)]
    answers = [Counter(str(name) for one in objects for name in one)]
    if not label and scope.keys:
        answers.append(Counter(scope.keys))
    whys = []
    for counts in answers:
        if len(counts) == int(found["number"]):
            why = check_counts(counts, found["list"])
            if not why:
                return why
            whys.append(why)
    return whys[0] if whys else f"there are {[len(counts) for counts in answers]}"


def _others(scope: Scope, found: "re.Match[str]") -> str | None:
    try:
        entries = [one for top in read_tree(found["list"]) for one in top.walk()]
    except NotATree as why:
        return str(why)
    for one in entries:
        if one.inside is None and not one.more and not scope.reached(one.name):
            return f"there is no column {one.name!r}"
    return ""


def _first_lines(scope: Scope, found: "re.Match[str]") -> str | None:
    """`message, first lines: "Mend the lid", +3`, of texts and of lists that are texts by their lines."""
    alike = bool(found["alike"])
    if found["column"] == "values":
        return check_first_lines([scope.reached("values")], found["list"], alike=alike)
    ends = [one for one in _walk(*scope.beginning(found["column"]), whole=True) if not isinstance(one, dict)]
    return check_first_lines([ends, *scope.columns(found["column"])] if ends else [], found["list"], alike=alike)


MOST_SAID = r"(?P<most>\"[^\"]*\"|[^\s,;]+)(?:, median (?P<median>[^\s;]+))?"
CLAIMS = (
    (
        r"(?P<number>\d+) leaves by (?P<name>\w+), below (?P<key>[^:]+): (?P<tree>.+)",
        lambda scope, found: check_leaves(scope.rows, found),
    ),
    (rf"(?P<column>{NAMED}), first lines(?P<alike> alike)?: (?P<list>.+)", _first_lines),
    (r"(?:(?P<label>.+?): )?(?P<rows>\d+) [^\W\d][^:;,]{0,39}(?:; all: (?P<all>.+))?", _rows),
    (r"other columns: (?P<list>.+)", _others),
    (r"(?:(?P<label>.+?): )?(?P<number>\d+) keys: (?P<list>.+)", _keys),
    (rf"(?P<name>{NAMED}) with (?P<column>{NAMED}(?:, {NAMED})*): (?P<list>.+)", _with),
    (rf"(?P<column>{NAMED}) alike: (?P<list>.+)", _alike),
    (rf"(?P<column>{WAY}) where (?P<mark>{NAMED})=(?P<word>{NAMED}): (?P<list>.+)", _where),
    (
        rf"(?P<column>{NAMED}): (?P<ends>(?P<least>{NAMED}) \.\. {MOST_SAID})(?:; (?P<others>.+))?",
        _range,
    ),
    (rf"(?P<column>{NAMED}): (?P<number>\d+) distinct", _distinct),
    (rf"(?P<column>{NAMED}): (?P<list>.+)", _values),
)


# ---- elements -------------------------------------------------------------------------------------------------------


def check_elements(root: "ET.Element", words: str) -> str | None:
    """The same for what is said of an XML document: its elements by their paths, and what is in those of a name."""
    if found := re.fullmatch(r"(?P<number>\d+) elements: (?P<list>.+)", words, re.DOTALL):
        counts = Counter(_paths(root, ""))
        if sum(counts.values()) != int(found["number"]):
            return f"there are {sum(counts.values())} elements"
        return _false_outline(counts, found["list"])
    if found := re.fullmatch(r"(?P<number>\d+) (?P<tag>\S+) with (?P<inner>\S+): (?P<list>.+)", words, re.DOTALL):
        named = [one for one in root.iter() if _tag(one) == found["tag"] and _has(one, found["inner"])]
        if len(named) != int(found["number"]):
            return f"there are {len(named)}"
        answers = [Counter(one.get(name, "") for one in named) for name in ("name", "id", "path", "classname", "file")]
        whys = [check_counts(one, found["list"]) for one in answers]
        return "" if "" in whys else whys[0]
    return check_columns(Scope([_grouped(root)], texts=True), words)


def _false_outline(counts: "Counter[str]", words: str) -> str | None:
    """Why an outline of paths is false: each is there as often, and those that it does not name are counted."""
    try:
        named, hidden = read_outline(words)
    except NotATree:
        return check_counts(counts, words)
    for path, count in named.items():
        if counts[path] != count:
            return f"{path}: {counts[path]}, {count} said"
    missing: Counter[str] = Counter()
    for path in counts.keys() - named.keys():
        above = path.rpartition("/")[0]
        while above and above not in named:
            above = above.rpartition("/")[0]
        missing[above] += 1
    return "" if missing == Counter(hidden) else f"not named are {dict(missing)}, said {hidden}"


def _grouped(root: "ET.Element") -> dict[str, list[object]]:
    """The elements by their names: attributes and texts, as columns."""
    found: dict[str, list[object]] = {}
    for one in root.iter():
        if isinstance(one.tag, str):
            row: dict[str, object] = {name.rpartition("}")[2]: value.strip() for name, value in one.attrib.items()}
            if not len(one) and (one.text or "").strip():
                row[""] = " ".join((one.text or "").split())
            found.setdefault(_tag(one), []).append(row)
    return found


def _tag(element: "ET.Element") -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _has(element: "ET.Element", tag: str) -> bool:
    return any(_tag(child) == tag for child in element)


def _paths(element: "ET.Element", path: str) -> Iterator[str]:
    here = f"{path}/{_tag(element)}" if path else _tag(element)
    yield here
    for child in element:
        if isinstance(child.tag, str):
            yield from _paths(child, here)
