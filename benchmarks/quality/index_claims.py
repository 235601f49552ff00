"""What is said of an index of names: how many there are of each kind and in each file, and which they are."""

import re
from collections import Counter
from collections.abc import Iterator

from column_claims import check_counts
from recount import Recount

MOST_WORDS = 8
NUMBER = re.compile(r"\d+:?|(?:0x)?[0-9a-fA-F]{8,16}:?")
ENTRY = re.compile(r"(?P<name>\S+?)(?: x(?P<times>\d+))?")


def check_index(counted: Recount, found: "re.Match[str]") -> str | None:
    """Why it is false; "" if it is true of some columns of words; None where no column is like it."""
    rows = [
        words
        for line in counted.lines
        if len(words := line.split(None, MOST_WORDS)) > 2 and any(map(NUMBER.fullmatch, words[:MOST_WORDS]))
    ]
    parts = found.groupdict()
    reasons = [*_reasons(rows, parts)]
    return "" if "" in reasons else next(filter(None, reasons), None)


def _reasons(rows: list[list[str]], said: dict[str, str | None]) -> Iterator[str | None]:
    number, listed = int(said.get("number") or 0), said["list"] or ""
    for width in range(3, MOST_WORDS + 1):
        wide = [row for row in rows if len(row) >= width]
        for at in range(width):
            if "kind" not in said:
                counts = Counter(row[at] for row in wide if not number or row[at].isalpha())
                if not number or counts.total() == number:
                    yield check_counts(counts, listed)
                continue
            own = [row for row in wide if row[at] == said["kind"]]
            if len(own) != number:
                continue
            for name in range(width):
                if said.get("by") is None:
                    yield check_counts(Counter(row[name] for row in own), listed)
                    continue
                yield from (_false_in_files(own, name, file, listed) for file in range(width) if file != name)


def _false_in_files(rows: list[list[str]], name: int, file: int, listed: str) -> str:
    """`zlib.h: a, b x2; zutil.h: c; +4`: the names of each file, those that two rows have with a number."""
    counts = Counter((row[file], row[name]) for row in rows)
    told = 0
    for part in listed.split("; "):
        if more := re.fullmatch(r"\+(\d+)", part):
            told += int(more[1])
            continue
        path, _, names = part.partition(": ")
        for one in names.split(", "):
            entry = ENTRY.fullmatch(one)
            times = int(entry["times"] or 1) if entry else 0
            if not entry or counts[path, entry["name"]] != times:
                return f"{path}: {one} is not so"
            told += times
    return "" if told == len(rows) else f"there are {len(rows)}, {told} said"
