"""Where the path stands in the lines of a listing: measured in a sample of them, whatever tool wrote it."""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.cut.digest import counts_of
from overspill.kinds import by_name

if TYPE_CHECKING:
    import re

SAMPLE = 400  # lines by which a layout is told
SAMPLED = 500  # characters of each
COVERS = 0.6  # of the lines: then the tree is the view
WIDEST = 4_096  # characters of a path

_DAY = (
    r"(?:\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: [+-]\d{4})?"
    r"|\d\d[-/](?:\d\d|[A-Z][a-z]{2})[-/]\d{2,4} +\d\d:\d\d"
    r"|(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} +\d{1,2} +(?:\d\d:\d\d(?::\d\d)?(?:(?: [A-Z]{2,5})? \d{4})?|\d{4})"
    r"|\d{1,2} [A-Z][a-z]{2} +(?:\d\d:\d\d|\d{4}))"
)
_SIZE = r"(?!\d+\.\d+\.)\d[\d.,]*(?:[KMGTPkmgt]i?B?| ?[KMGT]i?B|B)?"
BULLET = r"[ \t]*[*+-] +|[ \t]+"  # before each of a list, or no more than blanks
NO_PATH = r"[\s:=(\[]"
_NAMED = r"(?=\S*[/.]|[\w-]+$)(?P<path>\S.*)"


class Row(NamedTuple):
    """How an entry is written: a pattern with its `path`, a `mode` and a `size` where it has them."""

    name: str
    pattern: str


# From the most telling to what anything can look like.
ROWS = (
    Row("long", rf"\s*(?:\d+ +){{0,2}}(?P<mode>[-dlbcpsDCM?][-rwxsStTl]{{9}}[.+@]?)\s+(?:\d+\s+)?\S+(?:\s+\S+)?\s+"
        rf"(?P<size>{_SIZE}|\d+, +\d+)\s+{_DAY}\s(?:\[ *\d+ \d+\]\s+)?(?P<path>.+)$"),
    Row("packed", r"(?P<mode>[-dl?]?[-rwxsStT]{9})\s+(?:\S+\s+){1,2}(?P<size>\d+)\s+(?:[\w-]{1,5}\s+){0,2}"
        rf"{_DAY}\s(?P<path>\S.*)$"),
    Row("dated", rf"\s*(?P<size>{_SIZE})\s+{_DAY}\s+(?P<path>\S.*)$"),
    Row("object", r"(?P<mode>\d{6}) (?:blob|tree|commit|[0-9a-f]{40,64})\s+\S+(?:\s+(?P<size>\d+|-))?\t(?P<path>.+)$"),
    Row("hash", r"\\?[0-9a-f]{32,128}(?:  | \*|\t)(?P<path>.+)$"),
    Row("state", r"[ MADRCUT?!][MADRCUT?!] (?P<path>\S.*)$|[MADRCUT?!] {2}(?P<path1>\S.*)$"),
    Row("sized", rf"\s*(?P<size>{_SIZE})(?:\t| +){_NAMED}$"),
    Row("headword", r"\s*[a-z][\w.+-]{0,40}(?: [a-z]+)?:\s+(?P<path>\S*/\S*)(?:  )?$"),
    Row("counted", rf"(?P<path>(?=[^\s:|/.]*+[/.])[^\s:|]++)(?::|\t|\s+\|?\s*)(?P<size>{_SIZE})$"),
    Row("listed", rf"(?:{BULLET})(?P<path>[^\s:=(\[]+)$"),
    Row("plain", r"(?![*+-] )(?P<path>(?!.*: )(?:\.{0,2}/.+|(?:\S| (?=\S+/))+))$"),
)  # fmt: skip
BRANCH = r"(?P<indent>(?:[\u2502 \xa0]|\|(?!-))*+)(?:[\u251c\u2514|`+\\][\u2500-]{1,3}[\u252c ]? ?)(?P<name>\S.*)$"
HEADING = r"(?:\S.*/\S.*|/\S*|\.\S*|[\w.-]+):$"
_UNITS = {"k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "p": 1e15}
_ENDS_OF_ENTRY = (" (*)", " deduped", "*", "@", "=", "|")


class Layout(NamedTuple):
    """Where the path stands in the lines of a text: how many words before it, which of them are size and mode."""

    row: str
    share: float = 0.0  # of the lines that are entries
    words: int = 0
    size: int = -1
    mode: int = -1
    headed: bool = False
    spaced: bool = False  # there are blanks in names at the top


NO_LAYOUT = Layout("")
MANY = 20  # of one in so many
SPACED = 50  # paths, of which at least one has a blank in its first name, where others may have one, too


def layout_of(lines: list[str]) -> Layout:
    """How the entries of a text are written, by a sample of its lines; the best of what it can be."""
    filled = [line[:SAMPLED] for line in lines if line and not line.isspace()]
    sample = filled[:: max(1, len(filled) // SAMPLE)][: SAMPLE + 1]
    if len(sample) < 2:  # noqa: PLR2004  # a single line is no list
        return NO_LAYOUT
    branch = compile_pattern(BRANCH).match
    branches = sum(1 for line in sample if branch(line))
    if branches >= COVERS * len(sample):
        return Layout("branch", branches / len(sample))
    headings = _headings(lines)
    if headings > 1 and headings * 2 >= sum(1 for line in lines if line.endswith(":")):
        return _headed_layout(sample)
    return max((_row_layout(row, sample) for row in ROWS), key=lambda one: one.share)


def _headings(lines: list[str]) -> int:
    """How many lines are names of directories with a blank line before them."""
    heading = compile_pattern(HEADING).match
    pairs = zip(["", *lines], lines, strict=False)
    return sum(1 for before, line in pairs if not before and line[-1:] == ":" and heading(line[-SAMPLED:]))


def _headed_layout(sample: list[str]) -> Layout:
    entries = [line for line in sample if not line.endswith(":") and not line.startswith("total ")]
    long = _row_layout(ROWS[0], entries) if entries else NO_LAYOUT
    if long.share >= COVERS:
        return long._replace(share=1.0, headed=True)
    # A table, or sentences below headings, are no names.
    names = sum(1 for line in entries if "  " not in line and line.count(" ") <= 2 and line[0] not in " \t")  # noqa: PLR2004
    return Layout("name", names / max(1, len(entries)), headed=True)


def _row_layout(row: Row, sample: list[str]) -> Layout:
    """How many of the lines are such rows, and where their words stand."""
    match = compile_pattern(row.pattern).match
    found = [one for line in sample if len(line) < WIDEST and (one := match(line))]
    if not found or not _are_paths(row, [one["path"] or one[one.lastindex or 0] for one in found]):
        return NO_LAYOUT
    if row.name == "headword" and _differ([one.string.split(None, 1)[0] for one in found]):
        return NO_LAYOUT  # `modified:` and `deleted:` are told apart where lines that are alike are told
    places = counts_of(str(_places_in(one)) for one in found)
    words, size, mode = map(int, max(places, key=lambda key: places[key])[1:-1].split(", "))
    spaced = sum(1 for one in found if has_spaced_top(one.string)) * SPACED >= len(found)
    return Layout(row.name, len(found) / len(sample), words, size, mode, spaced=spaced)


def has_spaced_top(path: str) -> bool:
    """Whether there is a blank before the first slash, as in sentences that end with a path.

    >>> has_spaced_top("created directory /tmp/x"), has_spaced_top("lib/a b.py")
    (True, False)
    """
    return " " in path.partition("/")[0]


def _differ(heads: list[str]) -> bool:
    """Whether more than one word stands before many of the paths."""
    return sum(1 for count in counts_of(heads).values() if count * MANY >= len(heads)) > 1


def _places_in(found: re.Match[str]) -> tuple[int, int, int]:
    """Words before the path of a row, and which of them are its size and its mode."""
    line, groups = found.string, found.groupdict()

    def place(name: str) -> int:
        return len(f"{line[: found.start(name)]}x".split()) - 1 if groups.get(name) else -1

    return (place("path") if groups["path"] else place("path1"), place("size"), place("mode"))


def _are_paths(row: Row, paths: list[str]) -> bool:
    """Whether what stands where paths would stand looks like them."""
    if row.name in ("long", "packed", "object", "hash"):
        return True
    if sum(1 for path in paths if "  " in path or any(sign in path for sign in '"{}<>')) * 4 > len(paths):
        return False  # there are more columns behind it, or it is something in quotes and braces
    slashes = sum(1 for path in paths if "/" in path)
    if row.name == "dated":
        return slashes > 0 or sum(1 for path in paths if "." in path) * 2 > len(paths)
    if row.name in ("sized", "counted", "state"):
        dots = sum(1 for path in paths if "/" in path or compile_pattern(r"\.\w{1,8}$").search(path))
        blanks = sum(1 for path in paths if " " in path and "/" not in path)
        return dots * 2 > len(paths) and blanks * 4 < len(paths)
    if row.name in ("plain", "listed"):
        coded = sum(1 for path in paths if compile_pattern(r"[+=]|://|:\d+:|\.\w+-\d+-|([,;|]).*\1").search(path))
        coded += 0 if slashes else sum(map(_is_host, paths)) // 4  # only where nearly all are
        endings = sum(1 for path in paths if compile_pattern(r"[\w)-]\.[A-Za-z]\w{0,7}$").search(path))
        return coded * 5 < len(paths) and (slashes * 2 > len(paths) or endings * 10 > 8 * len(paths))
    return slashes * 10 > 9 * len(paths)


def _is_host(name: str) -> bool:
    """Whether a name is that of a machine, or of somebody's mail there, and not of a file.

    >>> [_is_host(name) for name in ("web1.shop.example", "jo@shop.example", "page.test.ts", "a.min.js", "b.tar.gz")]
    [True, True, False, False, False]
    """
    host = compile_pattern(r"(?:[\w.+-]+@[\w-]+|[\w-]+\.[\w-]+)(?:\.[\w-]+)*\.[a-z]{2,8}$").match(name)
    return host is not None and by_name(name) is None


def entry_of(line: str, layout: Layout) -> tuple[str, str, list[str]] | None:
    """The path, the size and the columns of the entry that a line is by this layout, or None."""
    if len(line) > WIDEST:
        return None
    if layout.row == "sized":  # the most frequent, and the simplest
        size, _, path = line.lstrip().partition("\t" if "\t" in line else " ")
        path = path.strip()
        return (path, size, []) if size[:1].isdigit() and path and path != "total" else None
    if layout.row == "counted":
        path, size, *_ = *line.replace(":", " ").replace("|", " ").split(), "", ""
        return (path, size, []) if size[:1].isdigit() else None
    if layout.row == "headword":
        head, _, path = line.rstrip().rpartition(" ")
        return (path, "", []) if head.rstrip()[-1:] == ":" and path else None
    if layout.row == "listed":
        bullet = compile_pattern(BULLET).match(line)
        path = line[bullet.end() :].rstrip() if bullet else ""
        return (path, "", []) if path and not compile_pattern(NO_PATH).search(path) else None
    words = line.split(None, layout.words)
    return _entry_of_words(words, layout) if len(words) > layout.words else None


def _entry_of_words(words: list[str], layout: Layout) -> tuple[str, str, list[str]] | None:
    """The entry behind columns."""
    row, _, before, place, at_mode, *_ = layout
    path = words[-1].rstrip()
    mode = words[at_mode] if at_mode >= 0 else ""
    size = words[place] if 0 <= place < before else ""
    if (at_mode >= 0 and len(mode) < len("rwxr-xr-x") and not mode.isdigit()) or path in (".", ".."):
        return None
    if (place >= 0 and not size[:1].isdigit() and size != "-") or (row in MARKED and not _is_marked(words, layout)):
        return None
    if mode[:1] == "l":
        path = path.partition(" -> ")[0]
    elif row == "hash":
        path = path.removeprefix("*")
    return (path, size if mode[:1] not in ("d", "l") and size != "-" else "", words)


MARKED = frozenset(("state", "hash"))


def _is_marked(words: list[str], layout: Layout) -> bool:
    """Whether the words before a path are those of such a row."""
    first = words[0]
    if layout.row == "hash":
        return len(first) >= 32  # noqa: PLR2004  # the shortest that is in use
    return len(first) <= 2  # noqa: PLR2004  # `??`


def is_path(line: str, layout: Layout) -> bool:
    """Whether all of a line is a path."""
    return (
        bool(line)
        and (layout.spaced or not has_spaced_top(line))
        and (" " not in line or (line[0] in "./" and "/" in line) or "/" in line.rpartition(" ")[2])
        and (": " not in line and line[0] not in " \t" and len(line) <= WIDEST)
    )


def is_file_name(path: str) -> bool:
    """Whether a path with blanks ends as names of files do.

    >>> is_file_name("lib/launcher manifest.xml"), is_file_name("lib/a.py is broken"), is_file_name("lib/a.py: no b.py")
    (True, False, False)
    """
    return ": " not in path and compile_pattern(r"[\w)]\.[A-Za-z]\w{0,5}$").search(path) is not None


def entry_name(words: str) -> str:
    """The name of a branch, without other columns and without what a tool adds to say that it was shown before.

    >>> entry_name("/proc      proc  rw,nosuid"), entry_name("[ 4096]  src"), entry_name("semver@7.5.4 deduped")
    ('/proc', '[ 4096]  src', 'semver@7.5.4')
    """
    if words[:1] != "[":  # which is a size before the name
        words = words.partition("  ")[0]
    for end in _ENDS_OF_ENTRY[:2]:
        words = words.removesuffix(end)
    return words.rstrip()


def weight_of(size: str) -> float:
    """A size as a number.

    >>> weight_of("4.2G"), weight_of("1,024")
    (4200000000.0, 1024.0)
    """
    if size.isdigit():
        return float(size)
    digits = size.rstrip("KMGTPkmgtiB ")
    unit = size[len(digits) :].strip().lower()[:1]
    try:
        return float(digits.replace(",", "")) * _UNITS.get(unit, 1.0)
    except ValueError:
        return 0.0
