"""The single statements: how each is read, and what it is compared with."""

import json
import re
from collections import Counter
from collections.abc import Iterator

from block_reader import block_fault
from column_claims import check_columns
from definition_reader import definition_fault
from index_claims import check_index
from line_claims import check_changed_names, check_changes
from name_reader import read_heads, read_leading_names
from record_claims import check_records
from recount import Recount
from statements import Entry, NotATree, read_tree
from telling import FOLDER
from tree_claims import (
    as_count,
    beginning_with,
    changed_files,
    check_entry_names,
    check_links,
    check_tree,
    failed_names,
)


def check_statement(counted: Recount, words: str, below: str = "") -> str:
    """Why a statement is false or cannot be read; "" if it is true. Paths at places continue the directory `below`."""
    if (fault := block_fault(counted, words)) is not None:
        return fault
    said = check_records(counted.told_records, words, below)
    if said and any(check_records(records, words, below) == "" for records in counted.headed_records):
        return ""
    # A line of the text may hold the sign for places itself.
    if said == "" or (said and not re.match(r"\d+x ", words)):
        return said
    for pattern, check in CLAIMS:
        found = re.fullmatch(pattern, words, re.DOTALL)
        if found:
            try:
                why = check(counted, found)
            except NotATree as unread:
                why = str(unread)
            if why is not None:
                return why if said is None or not why else said
    return said or "no statement that can be read"


# ---- what leads a view ----------------------------------------------------------------------------------------------


def _paths_after(counted: Recount, found: "re.Match[str]") -> str | None:
    """`33 paths after "A": TREE`: of the lines of two words that begin so, the second ones."""
    word = json.loads(found["word"])
    rows = [row for line in counted.lines if len(row := line.split()) == 2 and row[0] == word]
    paths = sorted({path for _, path in rows})
    if len(paths) != int(found["total"]):
        return f"there are {len(paths)}"
    return check_tree(Recount("".join(f"{path}\n" for path in paths)), found)


def _deep_keys(counted: Recount, found: "re.Match[str]") -> str | None:
    """`9 keys at any depth: id, name, +7`: the names of the members of all objects of a JSON text."""
    try:
        whole = json.loads(counted.text)
    except (ValueError, RecursionError):
        return None
    names: set[str] = set()
    left: list[object] = [whole]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            names.update(one)
        left += one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
    entries = [entry for one in read_tree(found["list"]) for entry in one.walk()]
    named = [entry.name for entry in entries if entry.inside is None and not entry.more]
    if unknown := [name for name in named if name not in names]:
        return f"there is no key {unknown[0]!r}"
    said = len(named) + sum(entry.more for entry in entries)
    right = int(found["number"]) == len(names) == said and len(set(named)) == len(named)
    return "" if right else f"there are {len(names)} keys, {said} said"


def _original(counted: Recount, found: "re.Match[str]") -> str | None:
    if as_count(found["chars"]) != len(counted.text):
        return f"the text has {len(counted.text)} characters"
    return _ranges(counted, found["rest"] or "")


def _ranges(counted: Recount, words: str) -> str:
    """Lines or bytes that are named for fetching lie within the text."""
    for first, last in re.findall(r"(?:--lines |lines |also |, )(\d+)-(\d+)", words):
        limit = max(counted.line_number, counted.byte_number if "byte" in words else 0)
        if not int(first) <= int(last) <= limit:
            return f"there are no lines {first}-{last}"
    return ""


def _header(counted: Recount, found: "re.Match[str]") -> str | None:
    words = found[0]
    # Ends of lines are counted, so that what is shown and what is left out add up: LF, CRLF and CR each end one.
    ends = len(re.findall(r"\r\n|\r|\n", counted.text))
    size, lines = len(counted.text), {counted.line_number, len(counted.lines), ends, ends + 1}
    totals = {"chars": {size}, "characters": {size}, "lines": lines, "bytes": {counted.byte_number}}
    said = re.findall(r"(?<![\w-])([\d,]+) (chars|characters|lines?|bytes)\b", words)
    for digits, unit in said:
        if as_count(digits) not in totals["lines" if unit == "line" else unit]:
            return f"the text has {totals} of these"
    return ""


# ---- lines and records ----------------------------------------------------------------------------------------------


def _lines(counted: Recount, found: "re.Match[str]") -> str:
    """`412x LINE`, `412x ~LINE`, `87x Compiling {serde, tokio x2, +84}`."""
    return counted.line_counts.check(as_count(found["count"]), found["line"], alike=bool(found["alike"]))


# ---- lists with counts (older notes) --------------------------------------------------------------------------------


def _listed(words: str) -> tuple[list[tuple[str, int]], int]:
    """`a 3, b 2, +5 more` as pairs, and how many were not named."""
    pairs, more = [], 0
    # A comma inside a quoted name parts nothing.
    outside = r", (?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)" if words.count('"') % 2 == 0 else ", "
    for part in re.split(outside, words):
        tail = re.fullmatch(r"\+(\d+)(?: more)?", part)
        counted = re.fullmatch(r"(.*) (\d+)", part, re.DOTALL)
        if tail:
            more = int(tail[1])
        elif counted:
            pairs.append((counted[1], int(counted[2])))
        else:
            pairs.append((part, -1))
    return pairs, more


def _matches(counted: Recount, found: "re.Match[str]") -> str | None:
    paths = _matched_paths(counted)
    pairs, more = _listed(found["list"])
    braces = "{" in found["list"]
    if braces:
        entries = read_tree(found["list"])
        pairs = [(one.name, one.total) for top in entries for one in top.walk() if one.inside is None and not one.more]
        more = sum(one.more for top in entries for one in top.walk())
    total, files = as_count(found["matches"]), as_count(found["files"])
    if total not in _all_counts(paths):
        return f"there are {sum(paths.values())} matches"
    if files not in {len(paths), len({path.removeprefix("./") for path in paths})}:
        return f"there are {len(paths)} files"
    for path, count in pairs:
        if count >= 0 and paths[path] != count and count not in beginning_with(list(paths.elements()), path):
            return f"{path}: {paths[path]} matches, {count} said"
    if not braces and len(pairs) + more != files:
        return f"{len(pairs)} files and {more} more are not {files}"
    return ""


GREPPED = re.compile(r"(?P<path>[^\s:=][^:=]*)(?P<sign>[:=-])\d+(?P=sign)")


def _matched_paths(counted: Recount) -> "Counter[str]":
    """How many matches each file has. Of what a search says of places, `a.py=11=` names the function around them."""
    found = [GREPPED.match(line) for line in counted.lines if line.strip() and line != "--"]
    if all(found) and any(one and one["sign"] == "=" for one in found):
        return Counter(one["path"] for one in found if one and one["sign"] == ":")
    return _below_paths(counted.lines) or Counter(record.path for record in counted.records if record.position)


def _below_paths(lines: list[str]) -> "Counter[str]":
    """Matches with lines around them (`12:match`, `13-beside it`) below the path of their file; else nothing.

    >>> _below_paths(["a.py", "1-import os", "2:raise", "--", "9:raise", "", "b.py", "4:raise", "5-"])
    Counter({'a.py': 2, 'b.py': 1})
    """
    found: Counter[str] = Counter()
    path, after_blank, beside = "", True, False
    for line in lines:
        numbered = re.match(r"\d+([:-])", line)
        if not line.strip() or line == "--":
            after_blank = after_blank or not line.strip()
        elif numbered and path:
            found[path] += numbered[1] == ":"
            beside = beside or numbered[1] == "-"
        elif after_blank and " " not in line:
            path, after_blank = line, False
        else:
            return Counter()
    return found if beside else Counter()


def _all_counts(paths: "Counter[str]") -> set[int]:
    return {sum(paths.values())}


def _by_rule(counted: Recount, found: "re.Match[str]") -> str | None:
    pairs, _ = _listed(found["list"])
    prefix = found["below"] or ""
    for name, count in pairs:
        whole = prefix + name
        pattern = re.compile(rf"(?<![\w-]){re.escape(whole)}(?![\w-])")
        path = whole.removeprefix("./")
        here = [one for one in counted.records if pattern.search(one.said) or one.path.removeprefix("./") == path]
        answers = {
            len(here),
            sum(not one.indented for one in here),
            sum(bool(pattern.search(line)) for line in counted.lines),
        }
        answers |= set(Counter(one.level for one in here).values())
        answers.add(sum(one.level not in {"note", "help", "info", "hint"} for one in here))
        answers.add(sum(bool(re.search(rf"\[{re.escape(whole)}\]$", one.said)) for one in here))
        answers.add(len({(one.path, one.position, one.said) for one in here}))
        if count not in answers:
            return f"{name}: {sorted(answers)}, {count} said"
    return ""


def _entries(counted: Recount, found: "re.Match[str]") -> str | None:
    pairs, _ = _listed(found["list"])
    folders: Counter[str] = Counter()
    for entry in counted.entries:
        folders[entry.rstrip("/").rpartition("/")[0] or "."] += 1
    below = _lines_below(counted)
    for name, count in pairs:
        if count in counted.entries_below(name) or count in {folders[name], folders[name.rstrip("/")], below[name]}:
            continue
        drawn = _drawn_below(counted, name)
        if count not in drawn:
            return f"{name}: {folders[name] or sorted(drawn)} entries, {count} said"
    return ""


def _lines_below(counted: Recount) -> "Counter[str]":
    """The lines below each heading, whatever they say: older notes count those."""
    found: Counter[str] = Counter()
    heading = "."
    for line in counted.lines:
        if named := FOLDER.match(line):
            heading = named[1].rstrip("/")
        elif line.strip():
            found[heading] += 1
    return found


def _drawn_below(counted: Recount, name: str) -> set[int]:
    parts = [entry.split("/") for entry in counted.entries]
    return {
        sum(len(one) > 1 and one[-2] == name for one in parts),
        sum(name in one[:-1] for one in parts),
        sum(one[0] == name for one in parts),
        sum(len(one) == 1 for one in parts),
    }


def _names(counted: Recount, found: "re.Match[str]") -> str | None:
    """A list of names without counts: each stands in the text, with what it is named after if it is short."""
    if re.match(r"L\d+ ", found["list"]):
        return _numbered(counted, found["list"])
    if found["label"] == "embedded":
        sizes = [int(size) for size in re.findall(r", (\d+) chars", found["list"])]
        return "" if sum(sizes) <= len(counted.text) else "this is more than there is"
    pairs, more = _listed(found["list"])
    if found["label"] == "failed":
        universe = failed_names(counted)
        if universe and more and len(pairs) + more > len(universe) + found["list"].count(","):
            return f"there are {len(universe)}"
    for name, count in pairs:
        whole = _unquoted(name if count < 0 else f"{name} {count}")
        bare = re.sub(r"^[0-9a-f]{7,40} |^[#\s]+|(?:\s*\(.*\)|:)$", "", whole).strip()
        parts = (whole, bare, name, bare.rsplit(".", 1)[-1].strip("/{}"))
        if bare and not any(
            part in known for part in parts for known in (counted.told.text, counted.words, counted.unlinked)
        ):
            return f"nothing in the text is called {whole!r}"
    return ""


def _unquoted(name: str) -> str:
    """A name that holds commas stands as a JSON string; how often it is there may follow."""
    try:
        return str(json.JSONDecoder().raw_decode(name)[0]) if name.startswith('"') else name
    except ValueError:
        return name


def _numbered(counted: Recount, words: str) -> str:
    """`L60 def judge(item), L126 def by_worker(command)`: each begins in the line with this number."""
    for part in re.split(r", (?=L\d+ |\+\d+(?: more)?$)", words):
        found = re.match(r"L(\d+) (\S.*)", part, re.DOTALL)
        if not found:
            continue
        if "(" not in found[2] and ", " in found[2]:  # a name, and after it others that say no line
            strange = [name for name in found[2].split(", ")[1:] if _unquoted(name) not in counted.text]
            if strange:
                return f"nothing in the text is called {strange[0]!r}"
        near = " ".join(" ".join(counted.lines[int(found[1]) - 1 : int(found[1]) + 3]).split())
        first = re.split(
            r"[(\s,]+", re.sub(r"^(?:#+|def|class|function|func|fn|pub|async|export|static) ", "", found[2])
        )[0]
        line = counted.lines[int(found[1]) - 1] if int(found[1]) <= len(counted.lines) else ""
        if first.strip(":") not in line and first.strip(":") not in near:
            return f"line {found[1]} has no {first!r}"
    return ""


def _levels(counted: Recount, found: "re.Match[str]") -> str | None:
    """`lines that say so: 38 errors (30 distinct)`: never more than there are lines that say the word at all."""
    for digits, noun in re.findall(r"(?<!\w)(\d+) (failed tests|fatal|errors|warnings)", found[0]):
        word = {"failed tests": "", "fatal": "", "errors": "", "warnings": "warn"}[noun]
        most = sum(word in line.lower() for line in counted.lines if line.strip())
        if int(digits) > most:
            return f"only {most} lines could say so"
    return ""


# ---- rows -----------------------------------------------------------------------------------------------------------


def _in_tables(counted: Recount, found: "re.Match[str]") -> str | None:
    """What is said of rows, by the table that it is true of."""
    reason = None
    for table in counted.tables:
        why = check_columns(table, found[0])
        if why == "":
            return ""
        reason = reason or why
    return reason


def _settings(counted: Recount, found: "re.Match[str]") -> str | None:
    """`1280 fields: vm.{swappiness=60, dirty_ratio}, +9`: keys, with their values or without."""
    try:
        entries = [one for top in read_tree(found["list"]) for one in top.walk()]
    except NotATree as why:
        return str(why)
    named = [one.name for one in entries if one.inside is None and not one.more]
    more = sum(one.more for one in entries)
    reason = "there are no fields"
    for fields in counted.fields:
        if not fields:
            continue
        keys = {key for key, _ in fields}
        odd = [one for one in named if not _is_field(one, fields, keys)]
        total = sum(fields.values())
        if not odd and total == int(found["number"]) == len(named) + more:
            return ""
        reason = f"{odd[0]!r} is no field" if odd else f"there are {total}, {len(named)} and {more} said"
    return reason


def _is_field(said: str, fields: "Counter[tuple[str, str]]", keys: set[str]) -> bool:
    """Whether there is such a key, or such a key with such a value; either may hold the sign itself."""
    places = [at for at, sign in enumerate(said) if sign == "="]
    return said in keys or any((said[:at], said[at + 1 :]) in fields for at in places)


def _leading_names(counted: Recount, found: "re.Match[str]") -> str | None:
    """`684 names: innodb-{log-{a, b}, +5}, c`: each begins lines, and every `+N` is what its part has besides."""
    try:
        tree = read_tree(found["list"])
    except NotATree as why:
        return str(why)
    every = [one for top in tree for one in top.walk()]
    named = [one.name for one in every if one.inside is None and not one.more]
    reason = "no lines begin so"
    for names in read_leading_names(counted.lines):
        odd = next((name for name in named if name not in names), None)
        short = next((one for one in every if one.inside and one.total != _names_below(names, one)), None)
        if odd is None and short is None and len(names) == int(found["number"]) == sum(one.total for one in tree):
            return ""
        if len(names) == int(found["number"]):
            reason = f"{odd or (short.name if short else '')!r} does not begin so many lines"
    return reason


def _definitions(counted: Recount, found: "re.Match[str]") -> str | None:
    """`231 names after "proc": a, b, +229`: each stands so in lines that are indented alike."""
    side, sign = found["side"] or "alone", found["sign"] or ""
    return definition_fault(counted.lines, side, sign, int(found["number"]), found["list"])


def _names_below(names: set[str], part: Entry) -> int:
    return sum(name.startswith(part.name) and name.endswith(part.tail) and name != part.name for name in names)


def _outline(counted: Recount, found: "re.Match[str]") -> str | None:
    """`48 headings: NAME, Notes x3, +46` or `96 terms: -q, --quiet, +94`: each is one, and so many are there."""
    if found["what"] == "blocks":
        faults = [_list_fault(Counter(heads), found) for heads in read_heads(counted.lines)]
        return min(faults, key=len)
    read = [headings if found["what"] == "headings" else Counter(terms) for headings, terms in counted.outlines]
    return min((_list_fault(known, found) for known in read), key=len)


def _headed(counted: Recount, found: "re.Match[str]") -> str | None:
    """`2346 heads, with lines below: a 31, b 4, +2344`: lines at the margin, with how many are indented below each."""
    known: Counter[str] = Counter()
    heads: list[str] = []
    for line in counted.lines:
        if line.strip() and not line.startswith("#"):
            if line[0] not in " \t":
                heads.append(" ".join(line.split()))
            elif heads:
                known[heads[-1]] += 1
    named = more = 0
    for words, _ in _listed_names(found["list"], counted=True):
        name, _, below = words.rpartition(" ")
        if not name:
            more = as_count(below.removeprefix("+"))
        elif name not in heads or known[name] != as_count(below):
            return f"{name!r} has {known[name]} lines below it, {below} said"
        else:
            named += 1
    there = len({*heads})
    return "" if there == as_count(found["number"]) == named + more else f"there are {there}, {named} and {more} said"


def _list_fault(known: Counter[str], found: "re.Match[str]") -> str:
    """What is wrong in a list of names with their numbers."""
    named, more = 0, 0
    for name, times in _listed_names(found["list"]):
        if not times:
            more = int(name)
        elif known[name] != times:
            return f"{name!r} is {known[name]} times one of them, {times} said"
        else:
            named += 1
    total = as_count(found["number"])
    return "" if named + more == total == len(known) else f"there are {len(known)}, {named} and {more} said"


def _listed_names(words: str, *, counted: bool = False) -> Iterator[tuple[str, int]]:
    """Names with how often each is there; `+N` as N, no times. `counted` ones with what stands behind them."""
    at = 0
    while at < len(words):
        name, end = "", at
        if words[at] == '"':
            name, end = json.JSONDecoder().raw_decode(words, at)
        stop = words.find(", ", end)
        rest = words[end : stop if stop >= 0 else len(words)]
        if counted:
            yield name + rest, 1
            at = stop + 2 if stop >= 0 else len(words)
            continue
        times = re.fullmatch(r"(.*) x(\d+)", rest)
        more = re.fullmatch(r"\+(\d+)", rest)
        if more and not name:
            yield more[1], 0
        else:
            yield name or (times[1] if times else rest), int(times[2]) if times else 1
        at = stop + 2 if stop >= 0 else len(words)


def _diff_ends(counted: Recount, found: "re.Match[str]") -> str | None:
    files = len(changed_files(counted))
    return "" if as_count(found["number"]) <= files else f"the diff has {files} files"


CLAIMS = (
    (r"original (?P<chars>[\d,]+) chars \(~[\d,]+ tokens\)(?:; (?P<rest>.*))?", _original),
    (r"Artifact: .*", _header),
    (r"(?P<count>\d+)x (?P<alike>~?)(?P<line>.+)", _lines),
    (r"(?P<matches>\d+) matches in (?P<files>\d+) files: (?P<list>.+)", _matches),
    (r"(?P<number>\d+) files? omitted.*", _diff_ends),
    (r"(?P<number>\d+) fields: (?P<list>.+)", _settings),
    (r"(?P<number>\d+) keys at any depth: (?P<list>.+)", _deep_keys),
    (r"(?P<number>\d+) (?P<what>headings|terms|blocks): (?P<list>.+)", _outline),
    (r"(?P<number>\d+) heads, with lines below: (?P<list>.+)", _headed),
    (r"(?P<number>\d+) names by kind: (?P<list>.+)", check_index),
    (r"names by file: (?P<list>.+)", check_index),
    (r"(?P<number>\d+) (?P<kind>[^\W\d_]+) names(?P<by> by file)?: (?P<list>.+)", check_index),
    (r"(?P<number>\d+) names: (?P<list>.+)", _leading_names),
    (r'(?P<number>\d+) names (?:(?P<side>after|before) "(?P<sign>.+?)"|alone in lines): (?P<list>.+)', _definitions),
    (r"(?:.+?: )?\d+ keys: .+", _in_tables),
    (r"(?P<total>\d+) entries of (?P<number>\d+) names, below each: (?P<links>.+)", check_links),
    (r"(?P<total>\d+) entries of (?P<number>\d+) names: (?P<list>.+)", check_entry_names),
    (r'(?P<total>\d+) (?P<label>paths?) after (?P<word>"(?:[^"\\]|\\.)*"): (?P<tree>.+)', _paths_after),
    (r"(?P<total>\d+) (?P<label>[a-z][a-z ]{2,40}): (?P<tree>.+)", check_tree),
    (r"by (?:rule|file), below (?P<below>[^:]*): (?P<list>.+)", _by_rule),
    (r"entries: (?P<list>.+)", _entries),
    (r"lines that say so: .*", _levels),
    (r"names in changes not shown: (?P<list>.+)", check_changed_names),
    (r"changes not shown: (?P<list>.+)", check_changes),
    (r"(?P<label>failed|omitted|commits not shown|embedded): (?P<list>.+)", _names),
    (r".+ (?:rows|objects|items|elements|keys)(?:; all: .+)?|.+: .+", _in_tables),
    (r"(?:art_|not kept|\d[\d,]* (?:lines?|chars|characters|bytes)|.*\bart_|.*spill ).*", _header),
)
"""What a statement can look like, the plainest first; a check that gives None leaves it to those after it."""
