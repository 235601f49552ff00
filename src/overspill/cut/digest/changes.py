"""Changed files, in a diff, its statistics, or a log with either: a tree with `+12 -3` for every file.

And files in lines that say before each path what became of it (`M src/a.py`, `inflating: a/b`): a tree for every word.

Sources come first; what tools write (lock files, translations) is folded where there is much of it.
"""

from __future__ import annotations

from math import log2

from overspill._lite import TYPE_CHECKING, compile_pattern
from overspill.core.markers import one_line
from overspill.cut.digest import counts_of
from overspill.cut.digest.names import NameTree, TreeStatement, path_parts, written_name
from overspill.cut.digest.nodes import MANY
from overspill.cut.digest.values import json_word

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MOST_FILES = 50_000
COVERS = 0.6
BESIDE_SHARE = 0.8  # of the room, for what is said of files and, before it, of commits
MOSTLY = 0.8  # of the lines tell of changes: there are hardly words of commits
LONGEST_HEADER = 2_000

_HUNK = compile_pattern(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
GIT_PATHS = compile_pattern(r"diff --(?:git (?:\"?a/)?(?:.*?)\"? \"?b/|cc |combined )(.*?)\"?\r?$")
_STAT = r" (?P<path>\S.*?) +\| +(?P<size>\d+(?= [+-]+\r?$)|0(?=\r?$)|Bin\b.*)"
_SUM = r" \d+ files? changed(?:, \d+ (?:in|de)[a-z]+\([+-]\))*\r?$"
_NUMSTAT = r"(?P<added>\d+|-)\t(?P<removed>\d+|-)\t(?P<path>.+)$"
_STATUS = r"(?P<sign>[MADTUX]|[RC]\d{3})\t(?P<path>[^\t]+)(?:\t(?P<new>.+))?$"
_SIGNS = {"A": "new", "D": "deleted", "R": "renamed", "C": "copied"}

# Files that tools write: nobody reads their hunks while others are left out.
GENERATED = compile_pattern(
    r"(?:^|/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|[\w.-]+\.lock|go\.sum"
    r"|poetry\.lock|Pipfile\.lock|uv\.lock|gradle\.lockfile|Package\.resolved)$"
    r"|(?:^|/)(?:vendor|third_party|node_modules|dist|build|out|__snapshots__|__generated__|generated|\.yarn|target"
    r"|bower_components)/"
    r"|\.(?:min\.(?:js|css)|bundle\.js|map|snap|svg|pb\.go|pb2?\.py|g\.dart|designer\.cs|po|mo|pot|xlf|ipynb)$"
    r"|_pb2(?:_grpc)?\.pyi?$|\.generated\.\w+$|_generated\.\w+$"
)
TESTS = compile_pattern(
    r"(?:^|/)(?:tests?|specs?|testing|__tests__|testdata|fixtures)/|(?:^|/)test_|[._-](?:test|spec)s?\.\w+$"
)
TALK = compile_pattern(r"(?i)\.(?:md|rst|txt|adoc)$|(?:^|/)(?:docs?|changelog|changes|history|news)(?:/|\.|$)")


def path_in_header(words: str) -> str:
    """A path as it stands in a header, without its time and its `b/`."""
    path = words.partition("\t")[0].strip().strip('"')
    path = compile_pattern(r" +\((?:revision \d+|working copy|nonexistent)\)$").sub("", path)
    return path[2:] if path.startswith(("a/", "b/")) else path


def new_path(path: str) -> str:
    """What a file is called now, where statistics say what it was called.

    >>> new_path("src/{doors => cli}/main.py"), new_path("a/{old => }/b.py"), new_path("a.py => b.py")
    ('src/cli/main.py', 'a/b.py', 'b.py')
    """
    if " => " not in path:
        return path
    before, brace, moved = path.partition("{")
    if not brace:
        return path.partition(" => ")[2]
    inside, end, behind = moved.partition("}")
    joined = f"{before}{inside.partition('=> ')[2]}{behind}".replace("//", "/")
    return joined if end and inside.count(" => ") == 1 else path


def is_cut_short(path: str) -> bool:
    """Whether statistics leave out the beginning of a path, because it is too long for them."""
    return path.startswith("...")


def is_nowhere(words: str) -> bool:
    """Whether a header says that there is no such file."""
    return words.startswith("/dev/null")


class Change:
    """What happened to one file."""

    __slots__ = ("added", "notes", "removed", "size")

    def __init__(self) -> None:
        self.added = 0
        self.removed = 0
        self.size = ""  # as a statistic says it
        self.notes: tuple[str, ...] = ()

    def note(self, words: str) -> None:
        """Say something more of it, once."""
        if words not in self.notes:
            self.notes = (*self.notes, words)

    @property
    def said(self) -> str:
        """`+12 -3`, and what else happened to it."""
        counts = [f"+{self.added}"] * bool(self.added) + [f"-{self.removed}"] * bool(self.removed)
        size = [f"({self.size})"] if self.size and not counts else []
        return " ".join([*counts, *size, *self.notes])

    @property
    def lines(self) -> int:
        return self.added + self.removed or (int(self.size) if self.size.isdigit() else 0)


def share_of(lines: list[str]) -> float:
    """The share of the lines that tell of changed files."""
    collector = ChangeCollector()
    collector.add(lines)
    filled = sum(1 for line in lines if line and not line.isspace())
    files = sum(1 for path in collector.changes if "/" in path or "." in path)
    # Any table may have two numbers and a name in a row. The first file of a diff may take all of these lines.
    several = files > 1 or (files == 1 and collector.in_hunk)
    return collector.told / filled if filled and several and files * 2 >= len(collector.changes) else 0.0


class ChangeCollector:
    """Adds up what happened to every file."""

    def __init__(self) -> None:
        self.changes: dict[str, Change] = {}
        self.told = 0  # lines that say what changed
        self._stats = 0  # of them those of statistics
        self._lines = 0
        self._file: Change | None = None
        self._old = self._new = 0  # lines that the hunk still has
        self._combined = False
        self._headed = False  # the file has its path
        self._header = ""  # what `--- ` said

    def add(self, lines: list[str]) -> None:
        """Take the next lines, without their ends."""
        self._lines += len(lines)
        for line in lines:
            if self._old > 0 or self._new > 0 or self._combined:
                if self._in_hunk(line):
                    self.told += 1
                    continue
                self._old = self._new = 0
                self._combined = False
            if line and self._outside(line):
                self.told += 1

    def digest(self) -> ChangeDigest | None:
        """The tree of the files that were changed."""
        if not self.changes or len(self.changes) > MOST_FILES:
            return None
        share = 1.0 if self.told >= MOSTLY * self._lines else BESIDE_SHARE
        covers = self._stats >= COVERS * max(1, self._lines)
        return ChangeDigest(self.changes, covers=covers, share=share, beside=self.told < COVERS * self._lines)

    @property
    def in_hunk(self) -> bool:
        """Whether lines of a hunk are still to come."""
        return self._old > 0 or self._new > 0

    def _in_hunk(self, line: str) -> bool:
        """Count a line of a hunk; whether it was one."""
        sign = line[:1]
        file = self._file
        if self._combined:
            marks = line[:2]
            if file is not None and sign and sign in " +-\\":
                file.added += "+" in marks
                file.removed += "-" in marks
                return True
            return False
        if sign == "+":
            self._new -= 1
            if file is not None:
                file.added += 1
        elif sign == "-":
            self._old -= 1
            if file is not None:
                file.removed += 1
        elif sign in ("", " ", "\t", "\r"):
            self._old -= 1
            self._new -= 1
        else:
            return sign == "\\"
        return True

    def _outside(self, line: str) -> bool:
        """Read a line that is in no hunk; whether it tells of a change."""
        first = line[0]
        if first in "@+-":
            return self._begin_hunk(line) if first == "@" else self._read_header(line)
        if first == " ":
            return " | " in line and len(line) < LONGEST_HEADER and self._add_stat(line)
        if line.startswith(("diff -", "Index: ")):
            return self._begin_file(line)
        if self._file is not None and first in "rcndoBGis=" and self._read_meta(line):
            return True
        return "\t" in line and self._add_row(line)

    def _begin_hunk(self, line: str) -> bool:
        counts = _HUNK.match(line)
        if counts is None:
            self._combined = line.startswith("@@@ ") and self._file is not None
            return self._combined
        if self._file is None:
            return False
        self._old, self._new = (1 if number is None else int(number) for number in counts.groups())
        return True

    def _begin_file(self, line: str) -> bool:
        line = line[:LONGEST_HEADER].rstrip("\r")
        paths = GIT_PATHS.match(line)
        path = paths[1] if paths else path_in_header(line[7:]) if line.startswith("Index: ") else ""
        self._headed = bool(path)
        self._file = self._change_of(path) if path else None
        return True

    def _read_header(self, line: str) -> bool:
        """`--- a/x` and `+++ b/x`: the path, where nothing told it before."""
        if line.startswith("--- "):
            self._header = line[4:]
            return True
        if not line.startswith("+++ ") or not self._header:
            return self._add_row(line) if "\t" in line else False
        if not self._headed:
            words = self._header if is_nowhere(line[4:]) else line[4:]
            self._file = self._change_of(path_in_header(words[:LONGEST_HEADER]))
        self._headed = False
        self._header = ""
        return True

    def _read_meta(self, line: str) -> bool:
        """What git says of a file beside its hunks."""
        file = self._file
        told = {
            "deleted file mode": "deleted",
            "new file mode": "new",
            "GIT binary patch": "binary patch",
            "Binary files ": "binary",
            "new mode ": f"mode {line[9:]}",
            "rename from ": f"renamed from {written_name(one_line(line[12:]))}",
            "copy from ": f"copied from {written_name(one_line(line[10:]))}",
        }
        for begins, words in told.items():
            if line.startswith(begins) and file is not None:
                file.note(words.rstrip("\r"))
                return True
        return line.startswith(
            ("index ", "old mode ", "rename to ", "copy to ", "similarity ", "dissimilarity ", "====")
        )

    def _add_stat(self, line: str) -> bool:
        found = compile_pattern(_STAT).match(line)
        if found is None:
            return False
        change = self._change_of(new_path(found["path"]))
        size = found["size"]
        known = change.size
        change.size = str(int(known) + int(size)) if known.isdigit() and size.isdigit() else size.split(" ")[0]
        self._stats += 1
        return True

    def _add_row(self, line: str) -> bool:
        """`12<tab>3<tab>path`, or `M<tab>path`."""
        found = compile_pattern(_NUMSTAT).match(line)
        if found is not None:
            change = self._change_of(found["path"])
            if found["added"].isdigit():
                change.added += int(found["added"])
                change.removed += int(found["removed"])
            else:
                change.note("binary")
            self._stats += 1
            return True
        found = compile_pattern(_STATUS).match(line)
        if found is None:
            return False
        change = self._change_of(found["new"] or found["path"])
        if found["sign"][0] in _SIGNS:
            change.note(_SIGNS[found["sign"][0]])
        self._stats += 1
        return True

    def _change_of(self, path: str) -> Change:
        """What is known of a file. Where there are too many, nothing is said in the end."""
        change = self.changes.get(path)
        if change is None:
            change = Change()
            if len(self.changes) <= MOST_FILES:
                self.changes[path] = change
        return change


def importance_of(path: str) -> float:
    """How much a changed file matters to who reads the diff."""
    if GENERATED.search(path):
        return 0.05
    if is_cut_short(path):
        return 0.5
    return 1.0 if TALK.search(path) else 2.0 if TESTS.search(path) else 4.0


class ChangeDigest:
    """Which files were changed."""

    def __init__(self, changes: dict[str, Change], *, covers: bool, share: float = 1.0, beside: bool = False) -> None:
        self.covers = covers  # the text has nothing but statistics
        self.beside = beside  # other lines, of which more can be told
        self.share = share  # of a log of commits, what these say has its part
        self._changes = changes
        self._statement: TreeStatement | None = None

    def statements(self, room: int) -> tuple[str, ...]:
        """`[96 files changed: src/{a.py +12 -3, cut/b.py -1}, locale/*/django.po 140]`."""
        if self._statement is None:
            number = len(self._changes)
            label = f"{number} file{'s' * (number != 1)} changed"
            if any(map(is_cut_short, self._changes)):  # of which several may be one file
                label = f"{number} names of changed files"
            self._statement = TreeStatement(label, self._grown_tree())
        return self._statement.lines(room)

    def tells(self, line: str) -> bool:
        """Whether a line is a row of statistics."""
        if line[:1] == " ":
            return compile_pattern(f"{_STAT}|{_SUM}").match(line) is not None
        return (
            compile_pattern(f"(?:{_NUMSTAT})").match(line) is not None
            or compile_pattern(_STATUS).match(line) is not None
        )

    def odd_lines(self, _lines: list[str], _most: int) -> Iterator[tuple[int, str]]:
        """No row of statistics is odd."""
        return iter(())

    def _grown_tree(self) -> NameTree:
        tree = NameTree(by_weight=True)
        names = counts_of(path.rpartition("/")[2] for path in self._changes)
        for path, change in self._changes.items():
            importance = importance_of(path)
            weight = importance * log2(2 + change.lines)
            plain = importance < 1 and names[path.rpartition("/")[2]] >= MANY
            tree.add(path_parts(path), said="" if plain else change.said, weight=weight)
        return tree


# ---- lines that say before a path what became of it ----

FEW_WORDS, FEWER = 24, 10  # words before paths, and lines for each of them
SLASHED = 0.6  # of the paths have a slash
WORDS_SHARE = 0.95
LONGEST_WORD = 16


def worded_path(line: str) -> tuple[str, str] | None:
    """What a line says of what may be a path, and the path; None where it is more, or less.

    >>> worded_path(" M src/a.py"), worded_path(">f.st...... a/b"), worded_path("12 a/b"), worded_path("all is well")
    (('M', 'src/a.py'), ('>f.st......', 'a/b'), None, None)
    """
    words = line.split()
    if len(words) != 2:  # noqa: PLR2004
        return None
    word, path = words
    fits = len(word) <= LONGEST_WORD and not word[0].isdigit() and "/" not in word and word[0] not in "\"'([{"
    return (word, path) if fits and path[-1] not in ":,;" else None


def _is_like_path(path: str) -> bool:
    return "/" in path or "." in path[1:]


def share_of_worded(lines: list[str]) -> float:
    """The share of lines that say what became of a path, where few words are said of many."""
    filled = sum(1 for line in lines if line and not line.isspace())
    rows = [row for line in lines if (row := worded_path(line)) is not None and _is_like_path(row[1])]
    words = {word for word, _ in rows}
    few = len(words) <= FEW_WORDS and FEWER * len(words) <= len(rows)
    slashed = sum("/" in path for _, path in rows) >= SLASHED * len(rows)
    return len(rows) / filled if rows and few and slashed else 0.0


class WordedPathCollector:
    """Adds up the paths behind each word. `LICENSE` is one where paths with a sign stand behind the same word."""

    def __init__(self) -> None:
        self._paths: dict[str, dict[str, None]] = {}
        self._bare: dict[str, dict[str, None]] = {}  # what may be paths
        self._rows = self._filled = self._known = 0

    def add(self, lines: list[str]) -> None:
        """Take the next lines, without their ends."""
        for line in lines:
            row = worded_path(line)
            self._filled += bool(line and not line.isspace())
            if row is not None and self._known <= MOST_FILES:
                word, path = row
                self._rows += _is_like_path(path)
                paths = (self._paths if _is_like_path(path) else self._bare).setdefault(word, {})
                self._known += path not in paths
                paths[path] = None

    def digest(self) -> WordedPathDigest | None:
        """A tree for every word, if most lines say one, and there are few."""
        few = len(self._paths) <= FEW_WORDS and self._known <= MOST_FILES
        if not few or not self._rows >= COVERS * self._filled > 0:
            return None
        return WordedPathDigest({word: {**paths, **self._bare.get(word, {})} for word, paths in self._paths.items()})


class WordedPathDigest:
    """Which files each word is said of: what is said of few comes first, and is told in full if anything is."""

    share = WORDS_SHARE

    def __init__(self, paths: Mapping[str, Mapping[str, None]]) -> None:
        self._words = frozenset(paths)
        self._statements: list[TreeStatement] = []
        for word, own in sorted(paths.items(), key=lambda one: len(one[1])):
            tree = NameTree()
            for path in own:
                tree.add(path_parts(path))
            number = len(own)
            self._statements.append(TreeStatement(f"{number} path{'s' * (number != 1)} after {json_word(word)}", tree))

    def statements(self, room: int) -> tuple[str, ...]:
        """`[3 paths after "D": src/{a.py, b.py, c.py}]`."""
        lines: list[str] = []
        for at, one in enumerate(self._statements):
            told = one.lines(room // (len(self._statements) - at))
            room -= sum(len(line) + 1 for line in told)
            lines += told
        return tuple(lines)

    def tells(self, line: str) -> bool:
        """Whether a line says one of the words of a path."""
        row = worded_path(line)
        return row is not None and row[0] in self._words
