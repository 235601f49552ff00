"""Trees of names: whether they add up, every name is in the text, and each `+N` is what was not named."""

import json
import re
from collections import Counter

from recount import Recount, renamed
from statements import Entry, NotATree, read_tree


def as_count(digits: str) -> int:
    return int(digits.replace(",", ""))


def check_tree(counted: Recount, found: "re.Match[str]") -> str | None:
    """`3258 paths: TREE`, `412 failed tests: TREE`, `131 keys: TREE`, `96 files changed: TREE`."""
    total, label = as_count(found["total"]), found["label"]
    try:
        tree = read_tree(found["tree"])
    except NotATree as unread:
        return f"the names cannot be read: {unread}"
    why = _not_covered(counted, tree, total)
    named = _sums(counted, tree)
    if why is None and total not in named:
        return f"its entries add up to {sorted(named)}"
    if why:
        return why
    for one in (entry for top in tree for entry in top.walk()):
        why = _branch(counted, one) or _entry(counted, one, label)
        if why:
            return why
    universe = _universe(counted, label)
    if universe and total not in universe:
        return f"there are {sorted(universe)}"
    return ""


def check_links(counted: Recount, found: "re.Match[str]") -> str | None:
    """`7436 entries of 52 names, below each: A > B, C; B > D`: every two that stand so, and no others."""
    names, links = _drawn_links(counted.lines)
    wrong = _wrong_sums(names, found)
    said = set()
    for item in _parted(found["links"], "; "):
        above, _, below = item.partition(" > ") if item[:1] != '"' else _behind_quotes(item)
        said |= {(_bare(above), _bare(one)) for one in _parted(below, ", ")}
    if said != links:
        odd = min(said ^ links)
        return f"{odd[1]!r} below {odd[0]!r}: {'said, and not so' if odd in said else 'not said'}"
    return wrong


def check_entry_names(counted: Recount, found: "re.Match[str]") -> str | None:
    """`7436 entries of 52 names: a, b 4, +50`."""
    names, _ = _drawn_links(counted.lines)
    try:
        entries = [one for top in read_tree(found["list"]) for one in top.walk()]
    except NotATree as unread:
        return f"the names cannot be read: {unread}"
    named = [one for one in entries if one.inside is None and not one.more]
    for one in named:
        if names[one.name] != one.total:
            return f"{one.name!r}: {names[one.name]} entries, {one.total} said"
    unnamed = len(names) - len(named)
    more = sum(one.more for one in entries)
    return _wrong_sums(names, found) or ("" if more == unnamed else f"{unnamed} are not named, {more} said")


def _wrong_sums(names: "Counter[str]", found: "re.Match[str]") -> str:
    sums = (sum(names.values()), len(names))
    said = (as_count(found["total"]), as_count(found["number"]))
    return "" if sums == said else f"there are {sums[0]} entries of {sums[1]} names"


DRAWN = re.compile(r"((?:[\u2502 \xa0]|\|(?!-))*)[\u251c\u2514|`+\\][\u2500-]+[\u252c ]? ?(\S.*)$")


def _drawn_links(lines: list[str]) -> "tuple[Counter[str], set[tuple[str, str]]]":
    """The entries of a drawn tree, how often each is there, and which stand right below which."""
    names: Counter[str] = Counter()
    links: set[tuple[str, str]] = set()
    above: list[tuple[int, str]] = []
    for line in lines:
        branch = DRAWN.match(line)
        if branch:
            depth, name = len(branch[1]), _shown_name(branch[2])
            names[name] += 1
            above = [one for one in above if one[0] < depth]
            links |= {(one, name) for _, one in above[-1:]}
            above.append((depth, name))
        elif line.strip() and line[0] not in " \u2502|":
            above = [(-1, _shown_name(line))]
    return names, links


def _shown_name(words: str) -> str:
    if not words.startswith("["):
        words = re.split(r"\s{2,}", words)[0]
    return re.sub(r"(?: \(\*\))?(?: deduped)?$", "", words.rstrip()).rstrip()


def _parted(words: str, sign: str) -> list[str]:
    """Words between signs, which do not count inside quotes."""
    quoted = r'"(?:[^"\\]|\\.)*"'
    return [one.lstrip() for one in re.findall(rf"(?:{quoted}|(?!{re.escape(sign)}).)+", words)]


def _behind_quotes(item: str) -> tuple[str, str, str]:
    name = re.match(r'"(?:[^"\\]|\\.)*"', item)
    end = name.end() if name else 0
    return item[:end], " > ", item[end + 3 :]


def _bare(name: str) -> str:
    return str(json.loads(name)) if name.startswith('"') else name


def _not_covered(counted: Recount, tree: list[Entry], total: int) -> str | None:
    """Whether each `+N` is the number of entries that no name beside it stands for; None if entries are not known."""
    # How much changed in a file is no part of its name.
    entries = [re.sub(r"\s+\|\s+(?:\d+(?: [+-]*)?|Bin\b.*)$", "", entry).rstrip("/") for entry in counted.entries]
    every = [entry for top in tree for entry in top.walk()]
    if len(entries) != total:  # sentences that end with a path are none
        entries = [entry for entry in entries if " " not in entry.partition("/")[0]]
    if len(entries) == total + 1 and entries[-1] == "total":  # which `wc` writes below them
        entries.pop()
    if len(entries) != total or not _same_roots(entries, every):
        return None
    cover = _Cover(every, entries)
    left = Counter(cover.branch_of(entry) for entry in entries if not cover.holds(entry))
    said: Counter[str] = Counter()
    for one in every:
        said[one.name] += one.more
    for branch in {*left, *said}:
        if left[branch] != said[branch]:
            return f"{left[branch]} entries of {branch or 'the list'!r} are not named, {said[branch]} said"
    return ""


def _same_roots(entries: list[str], every: list[Entry]) -> bool:
    """Whether the names are spelt like the entries."""
    named = next((one.name for one in every if one.inside is None and not one.more and "*" not in one.name), "")
    return any(f"{entry}/".startswith(named.rstrip("/") + "/") or entry.startswith(named) for entry in entries)


def _fold(folded: Entry, entries: list[str]) -> "re.Pattern[str]":
    """The shape that a name with stars stands for: of one part each, unless it is several that make up its number."""
    narrow, wide = (re.compile(re.escape(folded.name).replace(r"\*", star)) for star in ("[^/]*", ".*"))
    return wide if sum(bool(wide.fullmatch(entry)) for entry in entries) == folded.count else narrow


class _Cover:
    """Which entries the names of a tree stand for."""

    def __init__(self, every: list[Entry], entries: list[str]) -> None:
        named = [one for one in every if one.name and not one.more]
        known = frozenset(entries)
        # An entry that has a star in its own name is no shape.
        folded = {one.name for one in named if "*" in one.name and one.name.rstrip("/") not in known}
        self._leaves = {one.name.rstrip("/") for one in named if one.inside is None and one.count is None}
        # A directory without a number has one entry; a name with one is of several entries that are called so.
        self._counts = tuple(
            f"{one.name}/" if one.name[-1].isalnum() else one.name
            for one in named
            if (one.count is not None or one.name.endswith("/")) and one.inside is None and one.name not in folded
        )
        self._folds = [_fold(one, entries) for one in named if one.name in folded and one.count]
        self._above = {one.name[:at] for one in named for at, sign in enumerate(one.name) if sign == "/"}
        self._branches = sorted({one.name for one in every if one.inside is not None}, key=len, reverse=True)

    def holds(self, entry: str) -> bool:
        if entry in self._leaves or entry in self._above:
            return True
        if f"{entry}/".startswith(self._counts):
            return True
        return any(fold.fullmatch(entry) for fold in self._folds)

    def branch_of(self, entry: str) -> str:
        return next((name for name in self._branches if entry.startswith(name)), "")


def _sums(counted: Recount, tree: "list[Entry] | tuple[Entry, ...]") -> set[int]:
    """How many entries a tree stands for: without and with the directories that are entries themselves.

    A name that is of a folded shape beside it is one of those that the fold counts.
    """
    every = [entry for top in tree for entry in top.walk()]
    folds = [re.compile(re.escape(one.name).replace(r"\*", "[^/]*")) for one in every if "*" in one.name and one.count]
    within = sum(
        one.inside is None and one.count is None and not one.more and any(fold.fullmatch(one.name) for fold in folds)
        for one in every
    )
    plain = sum(entry.total for entry in tree) - within
    return {plain, plain + _directories(counted, every)}


def _directories(counted: Recount, every: list[Entry]) -> int:
    """How many entries of the text are directories that names of the tree lead through, and are in no count of it."""
    counts = tuple(one.name for one in every if one.count is not None and "*" not in one.name)
    above = {
        one.name[:at]
        for one in every
        if one.name and not one.more
        for at, sign in enumerate(one.name)
        if sign == "/" and (at < len(one.name) - 1 or one.inside is not None)
    }
    # A test fails with those inside it.
    known = counted.entry_names | failed_names(counted)
    return sum(name in known and not f"{name}/".startswith(counts) for name in above)


def _branch(counted: Recount, entry: Entry) -> str:
    if entry.inside is None or entry.count is None:
        return ""
    inside = _sums(counted, entry.inside)
    # The directory itself may be an entry.
    right = inside | {one + 1 for one in inside}
    return "" if entry.count in right else f"{entry.name}: {sorted(inside)} inside, {entry.count} said"


def _entry(counted: Recount, entry: Entry, label: str) -> str:
    if entry.more or not entry.name:
        return ""
    name = entry.name
    if "*" in name and not counted.has_name(name):
        pieces = [piece for piece in name.split("*") if piece]
        if not all(piece in counted.told.text for piece in pieces):
            return f"nothing in the text is called {name!r}"
    elif not counted.has_name(name):
        return f"nothing in the text is called {name!r}"
    if entry.detail:
        return _detail(counted, entry)
    if entry.count is None:
        return ""
    answers = _counts_below(counted, name, label)
    return "" if not answers or entry.count in answers else f"{name}: {sorted(answers)} entries, {entry.count} said"


def _counts_below(counted: Recount, name: str, label: str) -> set[int]:
    if "key" in label:
        return {sum(1 for key in counted.keys if key.startswith(name))}
    if "match" in label:
        paths = [record.path for record in counted.records]
        return beginning_with(paths, name)
    if "chang" in label:
        return beginning_with(list(changed_files(counted)), name)
    if "test" in label or "fail" in label:
        return beginning_with(sorted(failed_names(counted)), name)
    again = {_drawn_links(counted.lines)[0][name]} if "entr" in label and name[-1:] != "/" else set()  # drawn so often
    return again | counted.entries_below(name) | beginning_with([record.path for record in counted.records], name)


def beginning_with(names: list[str], name: str) -> set[int]:
    bare = name.removeprefix("./")
    shape = re.compile(re.escape(bare).replace(r"\*", ".*"))
    plain = [one.removeprefix("./") for one in names]
    found = {sum(one.startswith(bare) for one in plain), sum(bool(shape.fullmatch(one)) for one in plain)}
    return found if any(found) else set()


def _summed_stat(counted: Recount, name: str) -> int:
    """What several commits changed of a file, by their statistics: ` src/a.py | 12 ++--`."""
    rows = (re.fullmatch(r"\s(\S.*?) +\| +(\d+)(?: [+-]*)?", line) for line in counted.lines)
    return sum(int(row[2]) for row in rows if row and name in (row[1], renamed(row[1])))


def _detail(counted: Recount, entry: Entry) -> str:
    """A size, as the text writes it beside the name; or the counts of a change."""
    if entry.detail.startswith("("):
        size = entry.detail[1:-1]
        base = entry.name.rstrip("/").rsplit("/", 1)[-1]
        beside = any(size in line and base in line for line in counted.lines)
        if beside or size == str(_summed_stat(counted, entry.name)):
            return ""
        return f"no line gives {entry.name} the size {size}"
    changed = changed_files(counted).get(entry.name.removeprefix("./"))
    if changed is None:
        return ""
    added = re.search(r"\+(\d+)", entry.detail)
    removed = re.search(r"-(\d+)", entry.detail)
    said = (int(added[1]) if added else 0, int(removed[1]) if removed else 0)
    return "" if said == changed else f"{entry.name}: +{changed[0]} -{changed[1]}, not {entry.detail}"


LONG_ROW = re.compile(r"[-dlbcps][-rwxsStT]{9}[.+@]?\s.*\s(?!\.{1,2}$)\S+$")


def _universe(counted: Recount, label: str) -> set[int]:
    """How many there are, where that can be counted."""
    if "key" in label:
        keys = counted.keys
        return {len({key for key in keys if "." not in key}), len(keys), len({key for key in keys if "." in key})}
    if "chang" in label:
        return {len(changed_files(counted))} if changed_files(counted) else set()
    if "test" in label or "fail" in label:
        known = len(failed_names(counted))
        in_columns = any(map(MARKED_ROW.match, counted.lines))  # marks of rows, which no runner of tests writes
        # With `-v` unittest writes a test by its sentence where it has one, and by its name above what went wrong.
        headed = {one["unittest"] for line in counted.lines if (one := FAILED.match(line)) and one["unittest"]}
        others = {len(headed)} - {0}
        return {known} | others | _numbered_failures(counted) if known or in_columns else set()
    if "path" in label or "entr" in label or "listed" in label:
        filled = sum(bool(line.strip()) for line in counted.lines)
        rows = {len(table.rows) for table in counted.tables}
        plain = sum(" " not in entry.partition("/")[0] for entry in counted.entries)
        # Rows of `ls -l` among other lines; a directory is no entry of itself.
        long = sum(LONG_ROW.match(line) is not None for line in counted.lines)
        rows.add(sum(_drawn_links(counted.lines)[0].values()))
        return {filled, plain, len(counted.entries), len(set(counted.entries)), counted.line_number, long} | rows
    return set()


def changed_files(counted: Recount) -> dict[str, tuple[int, int]]:
    """The files of a diff, and how many lines were added and removed; summed over commits."""
    known: dict[str, tuple[int, int]] | None = counted.__dict__.get("_changed")
    if known is not None:
        return known
    found: dict[str, tuple[int, int]] = {}
    path, left = "", [0, 0]
    for line in counted.lines:
        if head := re.match(r'diff --git "?a/.*? "?b/(.*?)"?$', line):
            path, left = head[1], [0, 0]
            found.setdefault(path, (0, 0))
        elif hunk := re.match(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@", line):
            left = [int(hunk[1] or 1), int(hunk[2] or 1)]
        elif path and (left[0] > 0 or left[1] > 0):
            added, removed = found[path]
            if line.startswith("+"):
                found[path], left = (added + 1, removed), [left[0], left[1] - 1]
            elif line.startswith("-"):
                found[path], left = (added, removed + 1), [left[0] - 1, left[1]]
            elif not line.startswith("\\"):
                left = [left[0] - 1, left[1] - 1]
    counted.__dict__["_changed"] = found
    return found


FAILED = re.compile(
    r"^\s*(?:--- FAIL: (?P<go>\S+)|FAILED (?P<pytest>[^\s(]\S*)|(?:FAIL|ERROR): (?P<unittest>\w+ \([^)]*\))"
    r"|test (?P<cargo>\S.*?) \.\.\. FAILED$|not ok \d+ -? ?(?P<tap>.+?)\s*$"
    r"|(?:\u2715|\u00d7|\u2717|\u2716) (?!.*\S {3,}[^\s\d(])(?P<jest>.+?)(?<!:)(?: \(?[\d.]+ ?m?s\)?)?\s*$"
    r"|(?P<verbose>\S+::\S.*?) (?:FAILED|ERROR)\b|(?P<dots>\S.*?) \.\.\. (?:FAIL|ERROR)$)"
)
MARKED_ROW = re.compile(r"\s*[\u2715\u00d7\u2717\u2716] .*\S {3,}[^\s\d(]")


def _numbered_failures(counted: Recount) -> set[int]:
    """How many items, from 1 on, a list has that failures are announced above."""
    announced = next(
        (at for at, line in enumerate(counted.lines) if re.match(r"\s*(?i:failures|failed).*:$", line)), None
    )
    items = [] if announced is None else [re.match(r"\s{0,4}(\d+)\) \S", line) for line in counted.lines[announced:]]
    numbers = [int(one[1]) for one in items if one]
    return {len(numbers)} if numbers and numbers == [*range(1, len(numbers) + 1)] else set()


def failed_names(counted: Recount) -> set[str]:
    """The names of failed tests, as runners write them."""
    known: set[str] | None = counted.__dict__.get("_failed")
    if known is None:
        found = (FAILED.match(line) for line in counted.lines)
        known = {next(filter(None, one.groups())) for one in found if one}
        counted.__dict__["_failed"] = known
    return known
