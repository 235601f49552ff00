"""What is said of messages at places: how many there are, of which level, rule and file, and where each is said."""

import re
from collections import Counter

from place_reader import Told
from statements import VARIES, NotATree, Placed, read_places, read_tree, unquoted, whole_path


def check_records(records: list[Told], words: str, below: str) -> str | None:
    """Why a statement of records is false; "" if it is true, None if it is none of them."""
    if found := re.fullmatch(r"(?P<number>\d+) records(?: below (?P<below>\S+))?: (?P<rest>.+)", words):
        return _totals(records, found)
    if found := re.fullmatch(r"by rule: (?P<list>.+)", words):
        return _counts(Counter(one.rule for one in records if one.rule), found["list"], "")
    if found := re.fullmatch(r"by file: (?P<list>.+)", words):
        return _counts(Counter(one.path for one in records), found["list"], below)
    placed = read_places(words)
    return _placed(records, placed, below) if placed is not None else None


def _totals(records: list[Told], found: "re.Match[str]") -> str:
    if int(found["number"]) != len(records):
        return f"there are {len(records)}"
    levels = Counter(one.level for one in records if one.level)
    said: Counter[str] = Counter()
    for clause in found["rest"].split("; "):
        if counted := re.fullmatch(r"(\d+) (rule|file)s?(?P<named> named)?", clause):
            known = {one.rule for one in records if one.rule} if counted[2] == "rule" else {one.path for one in records}
            known -= {""} if counted["named"] else set()
            if len(known) != int(counted[1]):
                return f"there are {len(known)} {counted[2]}s"
            continue
        for part in clause.split(", "):
            level, _, count = part.rpartition(" ")
            said[level] = int(count) if count.isdigit() else -1
    if said and said != levels:
        return f"by level: {dict(levels)}"
    outside = [one.path for one in records if found["below"] and not _is_below(one.path, found["below"])]
    return f"{outside[0]} is not below {found['below']}" if outside else ""


def _is_below(path: str, below: str) -> bool:
    return path.startswith((below, "/", "\\")) or path[1:2] == ":"


def _counts(counts: "Counter[str]", words: str, below: str) -> str | None:
    """`a.py 3, core/{b.py 2, c.py 1}, +7`: records of each, and of all that are not named."""
    try:
        entries = [one for top in read_tree(words) for one in top.walk()]
    except NotATree:
        return None
    named = [one for one in entries if one.inside is None and not one.more]
    for one in named:
        name = whole_path(one.name, below) if below else one.name
        right = counts[name]
        if name.endswith("/"):
            right = sum(count for path, count in counts.items() if path.startswith(name))
        if one.count != right:
            return f"{name}: {right}, {one.count} said"
    total = sum(one.count or 1 for one in named) + sum(one.more for one in entries)
    return "" if total == sum(counts.values()) else f"there are {sum(counts.values())}, {total} said"


def masked(message: str) -> str:
    """A message with what varies set aside.

    >>> masked("E501 Line too long (88 > 79)") == masked("E501 Line too long (90 > 79)")
    True
    """
    return VARIES.sub("#", message)


def _placed(records: list[Told], placed: Placed, below: str) -> str:
    own = _saying(records, placed)
    if not own:
        return f"no record says {placed.message[:80]!r}"
    if placed.count != len(own):
        return f"{len(own)} records say so"
    if len(placed.places) + placed.more != len(own):
        return f"{len(placed.places)} places and {placed.more} more are not {len(own)}"
    left = Counter((one.path, one.position, _part(one, own, placed)) for one in own)
    for path, position, part in placed.places:
        at = (whole_path(path, below), position)
        said = next((one for one in (part, unquoted(part)) if left[(*at, one)] > 0), None)
        if said is None:
            return f"this is not said at {at[0]}:{position} {part}".rstrip()
        left[(*at, said)] -= 1
    return ""


def _saying(records: list[Told], placed: Placed) -> list[Told]:
    """The records that a statement speaks of: they say the message, or one alike, or one that begins and ends so."""
    message = placed.message
    equal = [one for one in records if one.message == message]
    if placed.alike:
        wanted = {(one.level, one.rule, masked(one.message)) for one in equal}
        return [one for one in records if (one.level, one.rule, masked(one.message)) in wanted]
    if equal or "*" not in message:
        return equal
    begin, _, end = (f" {message} ").partition(" * ")
    begin, end = begin.strip(), end.strip()
    found = [
        one
        for one in records
        if one.message.startswith(begin) and one.message.endswith(end) and len(one.message) > len(begin) + len(end)
    ]
    rules = Counter((one.level, one.rule) for one in found)
    most = rules.most_common(1)[0][0] if rules else ("", "")
    return [one for one in found if (one.level, one.rule) == most]


def _part(record: Told, own: list[Told], placed: Placed) -> str:
    """What stands in a record in the place of what varies."""
    if placed.alike:
        if record.message == placed.message:
            return ""
        slots = [VARIES.findall(message) for message in {one.message for one in own}]
        vary = [at for at in range(len(slots[0])) if len({one[at] for one in slots}) > 1]
        mine = VARIES.findall(record.message)
        return " ".join(mine[at] for at in vary)
    if record.message == placed.message:
        return ""
    begin, _, end = (f" {placed.message} ").partition(" * ")
    return record.message[len(begin.strip()) : len(record.message) - len(end.strip())].strip()
