"""Every table that can be read out of a text: JSON, YAML, cells with signs or gaps between them, blocks of keys.

Nothing here is shared with what makes the views.
"""

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby

import yaml
from column_claims import Scope

LONGEST_FIRST = 2_000
LONGEST_LINE = 1_000


def read_tables(text: str) -> Iterator[Scope]:
    """Every table of a text, by each way to read it."""
    for reader in (
        _json_tables,
        _json_line_tables,
        _yaml_tables,
        _csv_tables,
        _aligned_tables,
        _parted_tables,
        _block_tables,
    ):
        yield from reader(text)


def json_values(text: str) -> Iterator[object]:
    bare = text.strip()
    try:
        yield json.loads(bare)
    except (ValueError, RecursionError):
        for line in bare.split("\n") if bare.startswith(("{", "[")) else ():
            try:
                yield json.loads(line)
            except (ValueError, RecursionError):
                return


def collect_keys(value: object, path: str, found: set[str]) -> None:
    if isinstance(value, dict):
        for key, one in value.items():
            whole = f"{path}.{key}" if path else str(key)
            found.update((str(key), whole))
            collect_keys(one, whole, found)
    elif isinstance(value, list):
        for one in value:
            collect_keys(one, path, found)


def _json_line_tables(text: str) -> Iterator[Scope]:
    """The objects that lines end with, whatever stands before them."""
    rows: list[object] = []
    for line in map(str.rstrip, text.split("\n")):
        begun = re.match(r"[^\n]{0,119}?(?=\{\")", line)
        if begun and line.endswith("}") and len(line) <= LONGEST_LINE:
            try:
                rows.append(json.loads(line[begun.end() :]))
            except (ValueError, RecursionError):
                continue
    if rows:
        yield Scope(rows)


def _json_tables(text: str) -> Iterator[Scope]:
    """The arrays and the objects of a JSON text, those near the root first."""
    values = list(json_values(text))
    if len(values) > 1:
        yield Scope(values)
    waiting: list[object] = values
    for _ in range(MOST_TABLES):
        if not waiting:
            return
        value = waiting.pop(0)
        if isinstance(value, dict):
            yield Scope(list(value.values()), tuple(map(str, value)))
            waiting += value.values()
        elif isinstance(value, list):
            yield Scope(value)
            waiting += value[:MOST_TABLES]


MOST_TABLES = 300


def _yaml_tables(text: str) -> Iterator[Scope]:
    """The documents of a YAML text, with every scalar as it is written, by a parser that knows all of YAML."""
    if not re.search(r"(?m)^\s*(?:- )?[^\s#].*:(?:\s|$)", text[:LONGEST_FIRST]):
        return
    try:
        documents = list(yaml.load_all(text, yaml.BaseLoader))
    except (yaml.YAMLError, ValueError, RecursionError):
        return
    if len(documents) > 1:
        yield Scope(documents, texts=True)
    yield from (Scope([one], texts=True) for one in documents if isinstance(one, dict | list))
    yield from (Scope(one, texts=True) for one in documents if isinstance(one, list))


def _scope(names: list[str], rows: list[list[str]]) -> Scope:
    """Rows by the names of their columns; those without a name are counted."""
    if not rows:  # a line of ten thousand words has as many names, and mostly nothing below them
        return Scope([], texts=True)
    called = [name.strip() or f"column {at}" for at, name in enumerate(names, 1)]
    return Scope([dict(zip(called, (cell.strip() for cell in row), strict=False)) for row in rows], texts=True)


def _below_names(found: list[tuple[list[str], list[list[str]]]]) -> Iterator[Scope]:
    """The rows below each line that may name them; it is beyond doubt of the first that looks like names."""
    known = False
    for head, body in found:
        names = not known and _are_names(head, body)
        known = known or names
        yield _scope(head, [row for row in body if row != head])._replace(sure=names)


def _are_names(head: list[str], rows: list[list[str]]) -> bool:
    """Whether these are names of columns: each once, and none of them a number, where there are numbers below."""
    if len(set(head)) < len(head) or any(map(_is_number, head)) or not rows:
        return False
    columns = list(zip(*rows, strict=False))
    numeric = any(sum(map(_is_number, column)) * 2 > len(column) for column in columns)
    again = any(column.count(name) > 1 for name, column in zip(head, columns, strict=False))
    return not again and (numeric or all(name == name.upper() for name in head) or len(head) > 2)


def _is_number(cell: str) -> bool:
    return bool(re.fullmatch(r"\s*[-+]?[\d.,]+[%A-Za-z]{0,3}\s*", cell))


def _numbered(width: int) -> list[str]:
    return [f"column {at}" for at in range(1, width + 1)]


RULE_LINE = re.compile(r"[\s|+=:_.#\u2500-\u257f-]*")


def _quoted_rows(text: str, sign: str) -> list[list[str]]:
    """The rows of a text with cells of several lines, where it is beyond doubt that it has them; otherwise none."""
    if sign in "|\u2502" or '"' not in text:
        return []
    try:
        lines = [f"{line}\n" for line in text.replace("\r\n", "\n").split("\n")]  # a line's end is one, however written
        rows = [row for row in csv.reader(lines, delimiter=sign, strict=True) if row]
    except csv.Error:
        return []
    usual = Counter(map(len, rows)).most_common(1)[0]
    several = any("\n" in cell for row in rows for cell in row)
    return rows if several and usual[0] > 1 and usual[1] >= SURELY * len(rows) else []


SURELY = 0.95


def _csv_tables(text: str) -> Iterator[Scope]:
    lines = [line for line in text.split("\n") if line.strip() and not RULE_LINE.fullmatch(line)]
    for sign in ",\t;|\u2502":
        if sum(sign in line for line in lines) * 2 < len(lines):
            continue
        bare = [line.strip().strip(sign) for line in lines] if sign in "|\u2502" else lines
        try:
            every = [_quoted_rows(text, sign)]
            if not every[0]:
                every = [list(csv.reader(bare, delimiter=sign))]
                if any('"' in line for line in bare):  # a quote in a cell may be just that
                    every.append([row for line in bare for row in csv.reader([line], delimiter=sign)])
        except csv.Error:
            continue
        if sign in "|\u2502" and (heads := _drawn_heads(text, sign)):
            yield from _drawn_tables(bare, sign, heads)
            continue
        for rows in filter(None, every):
            width = Counter(map(len, rows)).most_common(1)[0][0]
            full = [row for row in rows if len(row) == width]
            yield from _below_names(
                [(row, _without_heads(row, full[at + 1 :])) for at, row in enumerate(full[:MOST_HEADS])]
            )
            named = _are_names(full[0], full[1:])
            yield _scope(_numbered(width), full)._replace(sure=not named)


def _without_heads(head: list[str], rows: list[list[str]]) -> list[list[str]]:
    """The rows without those that are names of columns themselves, as sheets below the first one have."""

    def shared(row: list[str]) -> int:
        return sum(one == two for one, two in zip(head, row, strict=False))

    return [row for row in rows if shared(row) < max(2, len(head) / 2)]


def _drawn_heads(text: str, sign: str) -> list[list[str]]:
    """The lines above the first rule inside of each drawn table: one, or up to four below a rule of their own."""
    heads = []

    def is_inside(line: str) -> bool:
        return bool(line.strip()) and (sign in line or RULE_LINE.fullmatch(line) is not None)

    drawn = groupby(text.split("\n"), is_inside)
    for lines in ([*table] for inside, table in drawn if inside):
        rules = [at for at, line in enumerate(lines) if RULE_LINE.fullmatch(line)]
        inner = [at for at in rules if 0 < at < len(lines) - 1]
        above = lines[1 : inner[0]] if inner and rules[0] == 0 else lines[: inner[0]] if inner else []
        if above and len(above) <= (4 if rules[0] == 0 else 1):
            heads.append([line.strip().strip(sign) for line in above])
    return heads


def _drawn_tables(bare: list[str], sign: str, heads: list[list[str]]) -> Iterator[Scope]:
    """The rows of tables with drawn headings, which are no rows; columns with several names go by their numbers."""
    every = {line for head in heads for line in head}
    rows = [line.split(sign) for line in bare if line not in every]
    width = Counter(map(len, rows)).most_common(1)[0][0]
    names = {tuple(cell.strip() for cell in head[0].split(sign)) for head in heads}
    fitting = [list(one) for one in names if len(one) == width]
    called = fitting[0] if len(fitting) == 1 else _numbered(width)
    yield _scope(called, [row for row in rows if len(row) == width])._replace(sure=True)


def _aligned_tables(text: str) -> Iterator[Scope]:
    """Columns below a line of names, or without one; lines that begin below the second name may go on with a row."""
    lines = [line.expandtabs().rstrip() for line in text.split("\n") if line.strip()]
    if any(sum(sign in line for line in lines) * 2 > len(lines) and _drawn_heads(text, sign) for sign in "|\u2502"):
        return  # read as what it is drawn as
    filled = [line for line in lines if not RULE_LINE.fullmatch(line)]
    yield from _columns_in(filled)
    for at, line in enumerate(lines[1 : MOST_HEADS + 1]):  # what stands above names with a rule below them is no row
        if at and RULE_LINE.fullmatch(line) and not RULE_LINE.fullmatch(lines[at]):
            yield from _columns_in([one for one in lines[at:] if not RULE_LINE.fullmatch(one)])
    for margin in {found.start(2) for line in filled[:MOST_HEADS] if (found := re.match(r"(\s*\S+\s+)(\S+)", line))}:
        rows = [line for line in filled if len(line) - len(line.lstrip()) < margin]
        if len(filled) > len(rows) > len(filled) // 4:
            yield from _columns_in(rows)


def _columns_in(filled: list[str]) -> Iterator[Scope]:
    """Lines cut at blanks, or at gaps that nearly all of them have."""
    for start, line in enumerate(filled[:MOST_HEADS]):
        body = [one for one in filled[start + 1 :] if one != line]
        width = len(line.split())
        rows_of = {
            size: [words for one in body if len(words := one.split(None, size - 1)) == size]
            for size in (width, width - 1)
            if size > 1
        }
        for named in _named_words(line.split()):
            rows = rows_of[len(named)]
            most = len(named) == width or len(rows) * 10 > len(body) * 8
            yield _scope(named, rows)._replace(sure=most and _are_names(named, rows))
    gaps = _gaps([line[:WIDEST] for line in filled[:MOST_MEASURED]])
    if not gaps:
        return
    full = [row for line in filled if (row := _cut(line, gaps))]
    heads = [[name.split("  ")[0] for name in row] for row in full[:MOST_HEADS]]
    yield from _below_names([(head, full[at + 1 :]) for at, head in enumerate(heads)])
    yield _scope(_numbered(len(gaps) + 1), full)._replace(sure=not any(_are_names(head, full) for head in heads))
    for at, line in enumerate(filled[:MOST_HEADS]):
        finer = _finer(gaps, line)
        head = _cut(line, finer) if finer else None
        if head and finer != gaps:
            cells = [row for one in filled[at + 1 :] if one != line and (row := _cut(one, finer))]
            yield _scope(head, cells)._replace(sure=_are_names(head, cells))
        if head:
            reaching = [one for one in filled[at + 1 :] if len(one) > finer[(len(finer) - 1) // 2][1]]
            cells = [row for one in reaching if one != line and (row := _cut(one, finer))]
            yield _scope(head, cells)._replace(sure=_are_names(head, cells))


def _named_words(names: list[str]) -> Iterator[list[str]]:
    """A word for each column, or two words for one of them."""
    if len(names) > 1:
        yield names
    for at in range(len(names) - 1) if len(names) > 2 else ():
        yield [*names[:at], " ".join(names[at : at + 2]), *names[at + 2 :]]


def _finer(gaps: list[tuple[int, int]], head: str) -> list[tuple[int, int]]:
    """The gaps that are blank in a line of names, too, and have a name behind them."""
    blank = [
        (start + found.start(), start + found.end())
        for start, end in gaps
        for found in re.finditer(" +", head[start:end].ljust(end - start))
    ]
    behind = [*(start for start, _ in blank[1:]), len(head) + 1]
    return [gap for gap, end in zip(blank, behind, strict=False) if head[gap[1] : end].strip()]


def _parted_tables(text: str) -> Iterator[Scope]:
    """Tables one below another: a drawn line after a blank one begins the next."""
    lines = text.split("\n")
    drawn = [bool(line.strip()) and RULE_LINE.fullmatch(line) is not None for line in lines]
    starts = [at for at in range(1, len(lines)) if drawn[at] and not lines[at - 1].strip()]
    for start, end in zip([0, *starts], [*starts, len(lines)], strict=True) if starts else ():
        yield from _aligned_tables("\n".join(lines[start:end]))


def _gaps(lines: list[str]) -> list[tuple[int, int]]:
    """Stretches that are blank in nearly all lines."""
    width = max(map(len, lines), default=0)
    if width > WIDEST:
        return []
    blank = [sum(line[at : at + 1] in {"", " "} for line in lines) >= NEARLY_ALL * len(lines) for at in range(width)]
    found = [one.span() for one in re.finditer("b+", "".join("b" if one else "x" for one in blank))]
    return [(start, end) for start, end in found if start and end < width]


NEARLY_ALL, WIDEST, MOST_MEASURED = 0.97, 1_000, 400


def _cut(line: str, gaps: list[tuple[int, int]]) -> list[str] | None:
    """The cells of a line; None where one of them covers a gap."""
    stops = [0]
    for start, end in gaps:
        at = line.rfind(" ", start, end)
        if at < 0 and len(line) > start:
            return None
        stops.append(at + 1 if at >= 0 else end)
    return [line[a:b].strip() for a, b in zip(stops, [*stops[1:], None], strict=True)]


FIELD_FORMS = (r"(.*?)\s*::?(?:\s+(.*)|$)", r"([^=]*?)\s*=(?![=~>])\s*(.*)", r"([^|]*?)\s*\|(?:\s(.*)|$)")


def read_fields(text: str) -> Iterator[list[tuple[str, str]]]:
    """Lines of a key and a value, by each sign that may part them."""
    for form in FIELD_FORMS:
        read = [re.match(form, line.rstrip("\r")) for line in text.split("\n")]
        yield [(found[1], " ".join((found[2] or "").split())) for found in read if found and _is_key(found[1])]
        ends = Counter(found.end(1) for found in read if found)
        usual = ends.most_common(1)[0][0] if ends else 0  # keys may end in one column, wherever they begin
        even = [found for found in read if found and (found.end(1) == usual or not found[1].startswith(" "))]
        yield [(found[1].strip(), " ".join((found[2] or "").split())) for found in even if _is_key(found[1].strip())]


def _is_key(words: str) -> bool:
    """A word, or a few in 48 characters, which begins with a letter and is no path or number."""
    few = len(words) <= 48 or " " not in words
    sane = "/" not in words and "  " not in words and sum(letter.isdigit() for letter in words) <= 6
    return bool(words) and len(words) <= 100 and words[0].isalpha() and few and sane and len(words.split()) <= 4


def _block_tables(text: str) -> Iterator[Scope]:
    """Records of fields, begun by each field that has the key of the first record's first."""
    for fields in read_fields(text):
        yield Scope([value for _, value in fields], texts=True, sure=False)
        for first in dict.fromkeys(key for key, _ in fields[:MOST_LEADING]):
            rows: list[dict[str, object]] = []
            for key, value in fields:
                if key == first:
                    rows.append({})
                if rows and key in rows[-1]:
                    known = rows[-1][key]
                    rows[-1][key] = [*known, value] if isinstance(known, list) else [known, value]
                elif rows:
                    rows[-1][key] = value
            if len(rows) > 1:
                yield Scope([*rows], texts=True)


MOST_LEADING = 10
MOST_HEADS = 10
