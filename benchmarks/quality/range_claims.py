"""What is said of how far numbers and dates go, and what stands beside them."""

import json
import re
from collections import Counter
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from statistics import median

from statements import NotATree, read_tree


def bare_word(word: str) -> str:
    if word.startswith('"') and word.endswith('"') and len(word) > 1:
        try:
            return str(json.loads(word))
        except ValueError:
            pass
    return word


def spelt_value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def why_range_false(values: list[object], found: "re.Match[str]", *, texts: bool) -> str:
    least, most = bare_word(found["least"]), bare_word(found["most"])
    words = [one for one in values if isinstance(one, str)]
    if found["others"]:
        return _range_beside(values, found, texts=texts)
    if not found["median"] and words and (min(words), max(words)) == (least, most):
        return ""
    dates = [*map(_date, words)]
    if words and -1.0 not in dates and {min(dates), max(dates)} == {_date(least), _date(most)}:
        return "" if _date(least) <= _date(most) and {least, most} <= {*words} else "they are others"
    numbers = [number for one in values if (number := number_in(one, texts=texts)) is not None]
    low, high = number_in(least, texts=True), number_in(most, texts=True)
    if not numbers or low != min(numbers) or high != max(numbers):
        return "the numbers of the column are others"
    if found["median"]:
        middle, said = float(median(numbers)), number_in(found["median"], texts=True)
        if said is None or abs(middle - said) > 1e-9 * max(1.0, abs(middle)):
            return f"the one in the middle is {middle}"
    return ""


def _range_beside(values: list[object], found: "re.Match[str]", *, texts: bool) -> str:
    """The same where some values are told behind the range: the others go as far, and these are there as often."""
    try:
        entries = [entry for one in read_tree(found["others"]) for entry in one.walk() if entry.inside is None]
    except NotATree:
        return "it cannot be read"
    beside = Counter({bare_word(one.name): one.count or 1 for one in entries})
    there = Counter(spelt_value(one).strip() for one in values)
    if any(one.more or one.detail for one in entries) or any(there[one] != count for one, count in beside.items()):
        return f"beside the range stand { ({one: there[one] for one in beside}) }"
    rest = [one for one in values if spelt_value(one).strip() not in beside]
    strays = [one for one in rest if number_in(one, texts=texts) is None]
    if strays and len(strays) < len(rest):
        return f"{strays[0]} is not told"
    plain = re.fullmatch(r"(?P<least>.+) \.\. (?P<most>.+?)(?:, median (?P<median>\S+))?(?P<others>)", found["ends"])
    return why_range_false(rest, plain, texts=texts) if plain else "it cannot be read"


def _date(words: str) -> float:
    """When a date is that begins with a day of the week or has the name of a month; -1 for what is none."""
    if iso := re.fullmatch(r"[A-Z][a-z]{2},? (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)(?: \S+)?", words):
        return datetime.fromisoformat(iso[1]).replace(tzinfo=UTC).timestamp()
    try:
        return parsedate_to_datetime(words).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return -1.0


def range_of_words(values: list[str], least: str, most: str) -> str:
    """Why the least and the greatest of these are others; "" if they are not."""
    if (min(values), max(values)) == (least, most):
        return ""
    numbers = [number for one in values if (number := number_in(one, texts=True)) is not None]
    if len(numbers) < len(values):
        return "they are not numbers"
    ends = (min(numbers), max(numbers))
    return "" if ends == (number_in(least, texts=True), number_in(most, texts=True)) else f"the ends are {ends}"


UNIT = {
    "": 1.0,
    "%": 1.0,
    "B": 1.0,
    ":": 1.0,
    ".": 1.0,  # the end of a sentence
    "k": 1e3,
    "kB": 1024.0,
    "ns": 1e-9,
    "us": 1e-6,
    "µs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "m": 60.0,
}


def number_in(value: object, *, texts: bool) -> float | None:
    """What a value is worth, also one with a unit where numbers are written as texts."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if not texts or not isinstance(value, str):
        return None
    found = re.fullmatch(r"([-+]?[\d,_]*\.?\d+(?:[eE][-+]?\d+)?)\s*(\D*)", value.strip())
    if not found:
        return None
    unit = found[2].strip()
    large = re.fullmatch(r"([KMGTP])i?B?", unit)
    factor = 1024.0 ** (" KMGTP".index(large[1])) if large else UNIT.get(unit)
    return None if factor is None else float(found[1].replace(",", "").replace("_", "")) * factor
