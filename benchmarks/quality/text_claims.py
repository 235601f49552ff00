"""What is said of texts in a column: the lines that they begin with."""

import json
import re
from collections import Counter
from collections.abc import Iterator

from statements import template

ENTRIES = re.compile(r'(?:^|, )("(?:\\.|[^"\\])*")(?: (\d+))?(?=, |$)')
MORE = re.compile(r"(?:^|, )\+(\d+)$")
SHORTEST = 60  # characters of a beginning that is cut


def check_first_lines(columns: list[list[object]], words: str, *, alike: bool) -> str | None:
    """`"Mend the lid", "Paint it" 2, +3`: how many texts begin with each line, and how many other lines there are.

    Of lines that are `alike` words with a digit are set aside.
    """
    said = [(json.loads(line), int(count or 1)) for line, count in ENTRIES.findall(words)]
    found = MORE.search(words)
    more = int(found[1]) if found else 0
    if not columns or not said:
        return None
    every = [Counter(filter(None, map(_first, _texts(column)))) for column in columns]
    if alike:
        said = [(template(line), count) for line, count in said]
        every = [_of_forms(lines) for lines in every]
    whys = [_why_false(lines, said, more) for lines in every]
    return "" if "" in whys else whys[0]


def _of_forms(lines: "Counter[str]") -> "Counter[str]":
    forms: Counter[str] = Counter()
    for line, count in lines.items():
        forms[template(line)] += count
    return forms


def _texts(column: list[object]) -> Iterator[str]:
    """The texts of a column; one that is a list of its lines is one text."""
    for value in column:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list) and all(isinstance(line, str) for line in value):
            yield "".join(value)


def _first(text: str) -> str:
    """The first of its lines that says something."""
    return next((line.strip() for line in text.split("\n") if line.strip()), "")


def _why_false(lines: "Counter[str]", said: list[tuple[str, int]], more: int) -> str:
    told = set[str]()
    for line, count in said:
        cut = line not in lines and line.endswith("...") and len(line) > SHORTEST
        begun = {one for one in lines if (one.startswith(line.removesuffix("...")) if cut else one == line)}
        number = sum(lines[one] for one in begun)
        if number != count:
            return f"{line!r} begins {number} texts"
        told |= begun
    others = {one if len(one) <= SHORTEST else one[:SHORTEST] for one in lines.keys() - told}
    fewest, most = len(others), len(lines) - len(told)
    return "" if fewest <= more <= most else f"{fewest} to {most} lines are not told"
