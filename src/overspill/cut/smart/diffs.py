"""Diffs: whole hunks, spread over the files.

Unified diffs as git, svn and diff write them, also many of them in a row with their commits; and what diff writes by
itself or with `-c`, whose hunks begin with `12,14c12` or a row of stars. A view of whole hunks can still be applied: a
file's header goes with each of its hunks, and marks stand where they are skipped.
Of hunks that are not shown the short ones are told by the lines they change, `src/a.py:12 -x = 1; +x = 2`, long ones by
the first of these; and all by the definitions that they change: `src/a.py +put -get take`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.core.markers import one_line
from overspill.core.spans import Form, Options, Span
from overspill.cut.digest.changes import GENERATED, GIT_PATHS, TALK, TESTS, is_nowhere, path_in_header
from overspill.cut.digest.templates import TemplateDigest
from overspill.cut.smart.languages import WITHOUT_DEFINITIONS, grammar_of
from overspill.cut.smart.units import (
    CONTEXT,
    DETAIL,
    HUNK,
    NAME,
    PLAIN,
    SUMMARY,
    Findings,
    Name,
    Note,
    Unit,
    spelled_name,
)
from overspill.kinds import by_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from re import Pattern

    from overspill.cut.digest import Digest, TextLines

NOTES_SHARE = 0.7
LONGEST_PREFACE = 3_000
LONGEST_SUBJECT = 60
PATCH = "binary patch"
CHANGES_SHARE, WHOLE_SHARE = 0.4, 0.75  # of the room, for the lines that hunks change which are not shown; for all
NAMES_SHARE, ALL_NAMES_SHARE = 0.2, 0.3  # and for the names of what they define
MOST_CHANGES, LONGEST_CHANGES = 2_000, 400  # files, and characters of one
MOST_LINES, LONGEST_CHANGE = 8, 200  # of a hunk, and its characters
LONGEST_FIRST, SHORT_LINE, FARTHEST = 100, 8, 4_000  # of the first line that a long hunk changes, and where it is
STEPS = (600, 1_500, 4_000)  # characters of a hunk

HIDDEN = compile_pattern(r"(?:^|/)\.")  # settings of tools
_HUNK = compile_pattern(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_NEW_LINE = compile_pattern(r"(@@+) (?:-[\d,]+ )+\+(\d+)(?:,\d+)? @@+[^\n]*")
_COMBINED = compile_pattern(r"@@@+ ")
_NORMAL = compile_pattern(r"\d+(?:,\d+)?[acd]\d+(?:,\d+)?\r?(?:\n|$)")
_STARS = "*" * 15
_IN_NORMAL = compile_pattern(r"[<>](?: |\r?\n|$)|---\r?\n|\\ ")
_IN_CONTEXT = compile_pattern(r"[ !+-] |[*]{3} \d[\d,]* [*]{4}|--- \d[\d,]* ----|\r?\n|\\ ")
_COMMIT = compile_pattern(r"commit [0-9a-f]{7,64}\b|From [0-9a-f]{40} ")
_FILE = compile_pattern(r"diff -|diff --(?:git|cc|combined) |Index: |={3,}\r?\n|Only in |Binary files ")
_META = compile_pattern(
    r"index [0-9a-f]|(?:old|new|deleted file|new file) mode |similarity index|dissimilarity index|rename |copy "
    r"|GIT binary patch|Binary files |--- |\+\+\+ |={3,}|literal \d|delta \d|mode |Property changes on|Index: "
    r"|[*]{3} (?!\d)"
)


class Hunk(NamedTuple):
    """A stretch of changes, and how many lines it adds and takes away."""

    start: int
    end: int
    added: int
    removed: int


class DiffFile:
    """One file of a diff: its header, and its hunks."""

    def __init__(self, start: int) -> None:
        self.start = start
        self.head = start  # where the header ends
        self.end = start
        self.hunks: list[Hunk] = []
        self.path = ""
        self.sure = False  # its path is told by a line that tells nothing else
        self.notes: list[str] = []


class ParsedDiff(NamedTuple):
    """A diff in parts: its files in order, and what stands between them."""

    files: list[DiffFile]
    others: list[Span]


def found_in(text: str, _options: Options) -> Findings:
    """What matters in a diff."""
    files, others = parse_diff(text)
    commits = [span for span in others if _COMMIT.match(text, span.start)]
    units = [unit for file in files for unit in _hunk_units(file, _commit_before(commits, file.start))]
    units += (_unit_between(text, span, len(commits)) for span in others if text[span.start : span.end].strip())
    above = {file.head: file.start for file in files if file.hunks}
    return Findings(
        units,
        (*_commit_notes(text, commits), *_change_notes(text, files)),
        exact=True,
        form=Form.DIFF,
        above=above,
        verbatim=True,
        surveyed=True,
    )


def outside_hunks(text: TextLines, found: Findings, digests: tuple[Digest, ...]) -> tuple[Digest, ...]:
    """What a text with hunks adds up to, without lines that are alike because hunks quote the same source."""
    ends = {unit.start: unit.end for unit in found.units if unit.why == HUNK}
    hunks = sorted(ends)

    def is_quoted(number: int) -> bool:
        at = text.starts[number]
        before = bisect_right(hunks, at) - 1
        return before >= 0 and at < ends[hunks[before]]

    told: list[Digest] = []
    for digest in digests:
        if isinstance(digest, TemplateDigest):
            digest.tell([one for one in digest.alike() if not is_quoted(one.number)])
            told += [digest] if digest.alike() else []
        elif not hasattr(digest, "framed"):  # blocks are hunks, and what is between them
            told.append(digest)
    return tuple(told)


def _commit_before(commits: list[Span], at: int) -> tuple[Span, ...]:
    """The words of the commit that a file belongs to, where there are several and they are few."""
    number = bisect_left(commits, Span(at, at)) - 1
    if number < 0 or len(commits) == 1 or commits[number].chars > LONGEST_PREFACE:
        return ()
    return (commits[number],)


def _hunk_units(file: DiffFile, commit: tuple[Span, ...]) -> Iterator[Unit]:
    needs = (Span(file.start, file.head), *commit)
    if not file.hunks and "binary" in file.notes and PATCH not in file.notes:
        return  # the note names it, and shown it could not be applied
    if not file.hunks:
        yield Unit(file.start, file.end, NAME if file.end - file.start < LONGEST_PREFACE else PLAIN, "changed file")
        return
    score = _file_score(file)
    for hunk in file.hunks:
        # Small hunks first: of more files something is shown.
        size = sum(hunk.end - hunk.start > step for step in STEPS)
        yield Unit(hunk.start, hunk.end, score - 10 * size, HUNK, file.path, needs)


def _file_score(file: DiffFile) -> float:
    if GENERATED.search(file.path):
        return PLAIN
    if "deleted" in file.notes:
        return PLAIN + 50
    if TALK.search(file.path):
        return CONTEXT
    return DETAIL - (50 if TESTS.search(file.path) else 45 if HIDDEN.search(file.path) else 0)


def _unit_between(text: str, span: Span, commits: int) -> Unit:
    """A commit's own words, or what else stands between files."""
    commit = _COMMIT.match(text, span.start) is not None
    short = span.chars <= LONGEST_PREFACE
    score = SUMMARY if commits <= 1 and span.start == 0 else CONTEXT
    return Unit(*span, score if short else PLAIN, "commit" if commit else "between files")


def _commit_notes(text: str, commits: list[Span]) -> tuple[Note, ...]:
    """The commits by name, where there are several."""
    if len(commits) < 2:  # noqa: PLR2004  # it is shown
        return ()
    subjects = tuple(Name(_subject(text, span), *span) for span in commits)
    return (Note("commits not shown", subjects, width=1 << 20, share=NOTES_SHARE),)


def _change_notes(text: str, files: list[DiffFile]) -> tuple[Note, ...]:
    """Files by the definitions that they change, and by the lines that their short hunks do; sources come first."""
    known = sorted((file for file in files if file.path and _file_score(file) > PLAIN), key=_file_score, reverse=True)
    names = [name for file in known[:MOST_CHANGES] if (name := _names_of(text, file)) is not None]
    told = [name for file in known[:MOST_CHANGES] if _file_score(file) >= CONTEXT for name in _changes_of(text, file)]
    notes = (
        Note("names in changes not shown", tuple(names), 1 << 20, NAMES_SHARE, whole=ALL_NAMES_SHARE),
        Note("changes not shown", tuple(told), 1 << 20, CHANGES_SHARE, whole=WHOLE_SHARE),
    )
    return tuple(note for note in notes if len(note.names) > 1)


def _names_of(text: str, file: DiffFile) -> Name | None:
    """`src/a.py +put -get take`: what the hunks of a file define, and what they change inside."""
    said = changed_names(file.path, (text[hunk.start : hunk.end] for hunk in file.hunks))
    return Name(spelled_name(f"{file.path} {said}"), file.hunks[0].start, file.hunks[-1].end) if said else None


def _changes_of(text: str, file: DiffFile) -> Iterator[Name]:
    """`src/a.py:12 -x = 1; +x = 2; :40 +y`: where hunks begin and what they change, as far as that is short."""
    left = LONGEST_CHANGES
    for hunk in file.hunks:
        words = _change_words(text, hunk)
        left -= len(words)
        if words and left >= 0:
            yield Name(f":{words}", hunk.start, hunk.end, file.path)


def _change_words(text: str, hunk: Hunk) -> str:
    """Where a hunk begins and the lines it changes, without what these are indented by; of a long one the first."""
    place = _NEW_LINE.match(text, hunk.start, hunk.end)
    if place is None:
        return ""
    marks = len(place[1]) - 1
    lines = text[place.end() : min(hunk.end, place.end() + FARTHEST)].split("\n")[1:-1]
    changed = [(line[:marks].strip(), line[marks:].strip()) for line in lines if line[:marks].strip(" \\\r")]
    said = [f"{mark}{words}" for mark, words in changed if words]
    words = "; ".join(said)
    if len(said) > MOST_LINES or len(words) > LONGEST_CHANGE or place.end() + FARTHEST < hunk.end:
        words = _first_of(said, hunk) if marks == 1 else ""
    return f"{place[2]} {words}" if words and words.isprintable() else ""


def _first_of(said: list[str], hunk: Hunk) -> str:
    """`+the first line; +12 -3 more`: of the lines that a hunk changes the first that says something."""
    first = next((line for line in said if len(line) > SHORT_LINE and any(map(str.isalpha, line))), "")
    if not 0 < len(first) <= LONGEST_FIRST:
        return ""
    added, removed = hunk.added - (first[0] == "+"), hunk.removed - (first[0] == "-")
    return f"{first}; {' '.join([f'+{added}'] * bool(added) + [f'-{removed}'] * bool(removed))} more"


def _subject(text: str, span: Span) -> str:
    """A commit's id and the first line of what it says."""
    lines = text[span.start : min(span.end, span.start + LONGEST_PREFACE)].splitlines()
    said = next((line for line in lines[1:] if line.startswith("    ") and line.strip()), "")
    said = said or next((line[9:] for line in lines if line.startswith("Subject: ")), "")
    return one_line(f"{lines[0].split()[1][:9]} {said.strip()[:LONGEST_SUBJECT]}".strip())


def parse_diff(text: str) -> ParsedDiff:
    """A diff in parts. All of it belongs to one of them."""
    reader = _Reader(text)
    reader.read()
    return ParsedDiff(reader.files, reader.others)


class _Reader:
    """Reads a diff line by line; inside a hunk, lines are counted and not looked at."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.files: list[DiffFile] = []
        self.others: list[Span] = []
        self._file: DiffFile | None = None

    def read(self) -> None:
        text, at = self.text, 0
        while at < len(text):
            end = self._line_end(at)
            if text.startswith("@@", at) and self._file is not None and _starts_hunk(text, at):
                end = self._hunk(self._file, at, end)
            elif self._file is not None and text.startswith(_STARS, at):
                end = self._other_hunk(self._file, at, end, _IN_CONTEXT)
            elif _NORMAL.match(text, at) and _IN_NORMAL.match(text, end):
                end = self._other_hunk(self._file or self._begin_file(at), at, end, _IN_NORMAL)
            elif self._begins_file(at):
                self._header(self._begin_file(at), at, end)
            elif self._file is not None and not self._file.hunks and self._belongs(self._file, at):
                self._header(self._file, at, end)
            else:
                self._file = None
                self._other(at, end)
            at = end

    def _begin_file(self, at: int) -> DiffFile:
        self._file = DiffFile(at)
        self.files.append(self._file)
        return self._file

    def _line_end(self, at: int) -> int:
        return self.text.find("\n", at) + 1 or len(self.text)

    def _begins_file(self, at: int) -> bool:
        text, file = self.text, self._file
        if _FILE.match(text, at):
            fresh = file is None or bool(file.hunks) or text.startswith(("diff ", "Index: ", "Only in "), at)
            return fresh and not text.startswith("===", at)
        following = self._line_end(at)
        if text.startswith("*** ", at) and text.startswith("--- ", following):
            return (file is None or bool(file.hunks)) and text.startswith(_STARS, self._line_end(following))
        if not text.startswith("--- ", at) or (file is not None and not file.hunks and file.head == at):
            return False
        return text.startswith("+++ ", following) and text.startswith("@@", self._line_end(following))

    def _belongs(self, file: DiffFile, at: int) -> bool:
        """Whether a line without a hunk before it goes on with the header."""
        binary = PATCH in file.notes and not _COMMIT.match(self.text, at)
        return _META.match(self.text, at) is not None or binary

    def _header(self, file: DiffFile, at: int, end: int) -> None:
        line = self.text[at : min(end, at + 2_000)].rstrip("\r\n")
        file.head = file.end = end
        paths = GIT_PATHS.match(line)
        if paths or line.startswith("Index: "):
            file.path, file.sure = (paths[1] if paths else path_in_header(line[7:])), True
        elif line.startswith(("+++ ", "--- ")) and not is_nowhere(line[4:]):
            # What a file is called now comes before what it was called.
            file.path = path_in_header(line[4:]) if not file.sure else file.path
        elif not file.path and line.startswith(("diff ", "Only in ", "Binary files ")):
            file.path = path_in_header(line.rpartition(" ")[2]) if line.startswith("diff ") else line
        self._tell(file, line)

    def _tell(self, file: DiffFile, line: str) -> None:
        told = {
            "deleted file mode": "deleted",
            "new file mode": "new",
            "GIT binary patch": PATCH,
            "Binary files ": "binary",
            "new mode ": f"mode {line[9:]}",
            "rename from ": f"renamed from {line[12:]}",
            "copy from ": f"copied from {line[10:]}",
        }
        file.notes += [words for begins, words in told.items() if line.startswith(begins) and words not in file.notes]

    def _hunk(self, file: DiffFile, at: int, end: int) -> int:
        counts = _HUNK.match(self.text, at)
        if counts is None:
            stop, added, removed = self._combined_hunk(end)
        else:
            old, new = (1 if number is None else int(number) for number in counts.groups())
            stop, added, removed = self._counted(end, old, new)
        file.hunks.append(Hunk(at, stop, added, removed))
        file.end = stop
        return stop

    def _counted(self, at: int, old: int, new: int) -> tuple[int, int, int]:
        """The end of a hunk of so many old and new lines, and how many it adds and takes away."""
        text, added, removed = self.text, 0, 0
        while (old > 0 or new > 0) and at < len(text):
            mark = text[at]
            if mark == "+":
                added, new = added + 1, new - 1
            elif mark == "-":
                removed, old = removed + 1, old - 1
            elif mark in " \t\r\n":
                old, new = old - 1, new - 1
            elif mark != "\\":
                break
            at = self._line_end(at)
        if text.startswith("\\", at):
            at = self._line_end(at)
        return at, added, removed

    def _combined_hunk(self, at: int) -> tuple[int, int, int]:
        """The end of a merge's hunk, whose lines have a mark for each parent, and how many it adds and takes away."""
        text, added, removed = self.text, 0, 0
        while at < len(text) and text[at] in " +-\\":
            marks = text[at : at + 2]
            added, removed = added + ("+" in marks), removed + ("-" in marks)
            at = self._line_end(at)
        return at, added, removed

    def _other_hunk(self, file: DiffFile, at: int, end: int, inside: Pattern[str]) -> int:
        """The end of a hunk that does not say how long it is."""
        text, added, removed = self.text, 0, 0
        while end < len(text) and inside.match(text, end):
            mark = text[end]
            added, removed = added + (mark in "+>!"), removed + (mark == "<" or text.startswith("- ", end))
            end = self._line_end(end)
        file.hunks.append(Hunk(at, end, added, removed))
        file.end = end
        return end

    def _other(self, start: int, end: int) -> None:
        """A line of no file. A commit begins a part of its own."""
        last = self.others[-1] if self.others else None
        if last is not None and last.end == start and not _COMMIT.match(self.text, start):
            self.others[-1] = Span(last.start, end)
        else:
            self.others.append(Span(start, end))


def _starts_hunk(text: str, at: int) -> bool:
    return (_HUNK.match(text, at) or _COMBINED.match(text, at)) is not None


# ---- which definitions the hunks of a file change ----

MOST_NAMES, MOST_OF_NAME, MOST_OF_LINE = 240, 60, 400  # characters of what is said of one file, of a name, of a line
BOTH = ""  # the sign of what came and went, or changed inside
_HEADING = compile_pattern(r"@@ [-+\d, ]+ @@ ?(.*)")


class ChangedNames:
    """The definitions that the hunks of one file change, in their order."""

    def __init__(self, define: Pattern[str]) -> None:
        self._define = define
        self._signs: dict[str, str] = {}

    def add_hunk(self, lines: list[str]) -> None:
        """Take the lines of a hunk, from its heading on."""
        heading = _HEADING.match(lines[0])
        if heading is None:  # of several parents
            return
        inside, depth = self._defined_in(heading[1].strip()), 0
        for line in lines[1:]:
            words = line[1:].strip()
            if not words or line[0] not in " +-":
                continue
            indent = len(line) - 1 - len(line[1:].lstrip())
            name = self._defined_in(words)
            if name:
                inside, depth = name, indent
                if line[0] != " ":
                    self._note(name, line[0])
            elif indent <= depth and words[0] not in "{})]:":
                inside = ""
            elif inside and line[0] != " ":
                self._signs.setdefault(inside, BOTH)

    def words(self) -> str:
        """`+put -get take`, and how many more there are."""
        names = [f"{sign}{name}" for name, sign in self._signs.items()]
        room, shown = MOST_NAMES, 0
        while shown < len(names) and (room := room - len(names[shown]) - 1) >= 0:
            shown += 1
        more = [f"and {len(names) - shown} more"] if shown < len(names) else []
        return " ".join([*names[:shown], *more])

    def _note(self, name: str, sign: str) -> None:
        """What is known of a name that a line with this sign defines."""
        self._signs[name] = sign if self._signs.get(name, sign) == sign else BOTH

    def _defined_in(self, words: str) -> str:
        found = self._define.match(words[:MOST_OF_LINE])
        name = next((one for one in found.groups() if one), "") if found is not None else ""
        return name if len(name) <= MOST_OF_NAME and " " not in name and name.isprintable() and '"' not in name else ""


def changed_names(path: str, hunks: Iterable[str]) -> str:
    r"""What the hunks of a file add, take away and change; nothing where no language defines names in such a file.

    >>> changed_names("a.py", ["@@ -1,3 +1,5 @@ def get():\n     one\n-    two\n+    three\n+def put():\n+    four\n"])
    'get +put'
    """
    kind = by_name(path)
    if kind is None or kind.name != "code" or kind.language in WITHOUT_DEFINITIONS:
        return ""
    names = ChangedNames(grammar_of(kind.language).define)
    for hunk in hunks:
        names.add_hunk(hunk.split("\n"))
    return names.words()
