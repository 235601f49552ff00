r"""Parts of a text that several commands wrote, or one tool in sections of different structure: each is read alone.

Lines have a form: a row of a table, a record of a log, an object, a field, a path behind a word. Where the form of the
lines changes for good, or a line says that another command begins, a part begins. A text whose lines are of one form,
or of several that take turns, has no parts.

>>> lines = [f" M src/a{n}.py" for n in range(20)] + [f"10:00:{n} GET /a/{n} took {n} ms" for n in range(10, 40)]
>>> [(part.first, part.after) for part in parts_of_lines(lines)]
[(0, 20), (20, 50)]
>>> parts_of_lines(lines[20:])
[]

Each part has a share of the room, and is cut as if it were all there is. What is said of it stands where it is first
left out, below the lines that it speaks of: `[lines 1-20:]`.
"""

from __future__ import annotations

from itertools import accumulate, chain, pairwise

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern, load_module
from overspill.core.spans import Cut, Form, Gap, Options, PartialText, Room, Span, Why, joined_spans, omitted_spans
from overspill.cut.digest import counts_of
from overspill.cut.digest.headed import files_of_lines
from overspill.cut.render import cut_cost
from overspill.cut.smart.choice import select_units
from overspill.cut.smart.units import ERROR, ODD, Findings, Unit
from overspill.kinds.lines import TEST_REPORT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from overspill.core.spans import Strategy

# ---- the form of a line ---------------------------------------------------------------------------------------------

LOOKED_INTO, LATEST = 200, 60  # characters of a line, and where a moment ends that a record begins with
_MOMENT = compile_pattern(r"\d\d:\d\d:\d\d")
_SECONDS = compile_pattern(r"\[ *\d+\.\d{3,}\]")
_PLACED = compile_pattern(r"(?:[A-Za-z]:)?[^\s:]*[\w)]\.\w{1,8}(?::\d+|\(\d+)")
_WORDED = compile_pattern(r"(?: ?[MADRCUT?!]{1,2}|[a-z]{1,12}:?) +[^\s:=]*[/.][^\s:=]*$")
_FIELD = compile_pattern(r"[A-Za-z_][\w.-]*=\S|[A-Za-z][\w /()-]{0,40}:(?: {2,}|\t)\S|[A-Za-z][\w-]{0,30}:(?: \S|$)")
_ROW = compile_pattern(r"\S(?: {2,}|\t)\S+(?: \S+)*(?: {2,}|\t)\S|\S\s*[|\u2502]\s*\S.*[|\u2502]")
_MODE = compile_pattern(r"[-dlbcps][r-][w-][xsS-][r-][w-][xsS-][r-][w-][xtT-][.+@]? ")
_CELLS = compile_pattern(r"[^,;\s][^,;]*(?:,[^,; ][^,;]*){2,}$|[^,;\s][^,;]*(?:;[^,; ][^,;]*){2,}$")
_CHANGE = compile_pattern(r"diff --git |@@ -|--- (?:a/|/dev/)")


def _has_cells(line: str) -> object:
    return _ROW.search(line, 0, LOOKED_INTO)


# A form, a sign that every line of it has, and what tells it: the first that a line is of counts.
_FORMS: tuple[tuple[str, str, Callable[[str], object]], ...] = (
    ("object", '{"', lambda line: line[0] == "{" and line.rstrip().endswith("}")),
    ("word", "/", _WORDED.match),
    ("word", ".", _WORDED.match),
    ("log", ":", lambda line: _MOMENT.search(line, 0, LATEST)),
    ("log", "[", _SECONDS.match),
    ("mode", "r", _MODE.match),
    ("change", "-", _CHANGE.match),
    ("place", ".", _PLACED.match),
    *(("row", sign, _has_cells) for sign in ("  ", "\t", "|", "\u2502")),
    ("field", "=", _FIELD.match),
    ("field", ":", _FIELD.match),
    ("cells", ",", lambda line: line.count(",") >= line.count(" ") and _CELLS.match(line)),
    ("cells", ";", _CELLS.match),
    ("path", "/", lambda line: " " not in line),
)
_SET_IN = (*_FORMS[1:3], *(("inner", sign, _has_cells) for sign in ("  ", "\t", "|", "\u2502")))


def form_of(line: str) -> str:
    """What a line looks like; nothing of one that belongs to what stands above it.

    >>> [form_of(line) for line in (" M src/a.py", "10:00:03 up", "NAME   READY   AGE", "PATH=/bin", "all is well")]
    ['word', 'log', 'row', 'field', 'text']
    >>> [form_of(line) for line in ('{"a": 1}', "a.py:3:1: no", "a,b,c", "src/a.py", "-rw-r--r-- 1 x", "", "    x")]
    ['object', 'place', 'cells', 'path', 'mode', '', '']
    """
    set_in = not line or line[0] in " \t"
    for form, sign, is_one in _SET_IN if set_in else _FORMS:
        if sign in line and is_one(line):
            return form
    return "" if set_in else "text"


# What says that another command begins, and what a part is called.
_COMMAND = compile_pattern(
    r"(?:[\w.@~:/-]{0,40}\$|\+{1,3}) (?=[a-z./~]).*\w|##\[(?:group|section)\]|::group::|> \S+@\d\S* \S+$"
)
_TITLE = compile_pattern(r"((?P<sign>[=*~-])(?P=sign){1,79}>?) \S.*? (<?(?P=sign){2,80})$|#{1,4} [A-Z]|```")
_RESULT = compile_pattern(r"\b\d+ (?:passed|failed|errors?|skipped)\b")
_FIRST_SIGNS = frozenset("$+=#*~->:`")  # of headings, where no prompt stands before a command
SESSION, WIDEST_PROMPT = " test session starts =", 42
WIDEST_TITLE = 10  # signs around one that somebody printed between commands: tools fill a line with them


def is_command(line: str) -> bool:
    """Whether a line says which command it is whose output comes below it.

    >>> [is_command(line) for line in ("$ git status", "me@web:~$ ls", "+ df -h", "##[group]Run npm ci", "= 3")]
    [True, True, True, True, False]
    """
    return _COMMAND.match(line) is not None


def is_heading(line: str) -> bool:
    """Whether a line says what comes below it: a command, or a title drawn with signs, which is no result.

    >>> [is_heading(line) for line in ("===== pods =====", "==> a.log <==", "--- disks ---", "== 3", "= 2 failed =")]
    [True, True, True, False, False]
    """
    return is_command(line) or (_TITLE.match(line) is not None and _RESULT.search(line) is None)


def headings_in(lines: Sequence[str]) -> tuple[set[int], set[int]]:
    """The numbers of all headings, and of those that part what several commands say.

    These are commands, and titles that look like one another.

    >>> headings_in(["$ df -h", "== a ==", "up", "== b ==", "==== FAILURES ===="])
    ({0, 1, 3, 4}, {0, 1, 3})
    """
    widest = WIDEST_PROMPT if "$ " in "\n".join(lines) else 0  # as in most texts
    near = (at for at, line in enumerate(lines) if line[:1] in _FIRST_SIGNS or "$ " in line[:widest])
    found, session = set[int](), False  # titles in a report of tests are its own
    for at in near:
        session = session and _RESULT.search(lines[at]) is None
        if not session and is_heading(lines[at]):
            found.add(at)
            session = SESSION in lines[at]
    drawn = {at: (title[1], title[3]) for at in found if (title := _TITLE.match(lines[at])) and title[1]}
    styles = counts_of(style for style in drawn.values() if len(style[0]) <= WIDEST_TITLE)
    return found, {at for at in found if is_command(lines[at]) or styles.get(drawn.get(at, ("", "")), 0) > 1}


# ---- where parts begin ----------------------------------------------------------------------------------------------

FEWEST_LINES, FEWEST_CHARS = 6, 240  # of a part: less is not worth a share of the room
MOST_PARTS = 16
FAR, PURE = 3, 0.75  # lines of another form in a row that do not end a part; the share of those of its form
SHORT_HEAD, FEWEST_NAMES = 3, 3  # lines that say what a part is; names of columns
_DRAWN = "-+|=: \u2500\u253c"  # what names of columns are underlined with
WHOLE = frozenset(("document", "cells"))  # forms that a line of another form would spoil
# Forms that no tool has two of, unless it runs others.
STRONG = frozenset(("document", "object", "log", "word", "mode", "cells", "change", "table", "tests"))
LOOSE = frozenset(("text", "row", "field", "place", "path"))
MOSTLY = 0.4  # of the characters are of such forms, where nobody says which commands there are
LOOKED_AT, AT_ENDS = 96, 3  # lines that are looked at first, from all over a text and at either end
TELLING = ("object", "log", "word", "mode", "cells", "change", "row")


class TextPart(NamedTuple):
    """Lines `first` up to, not including, `after`, of one form; the first `head` of them say what it is."""

    first: int
    after: int
    form: str
    head: int = 0

    @property
    def begin(self) -> int:
        """The first line behind its heading."""
        return self.first + self.head


def parts_of_lines(lines: Sequence[str], *, by_commands: bool = True) -> list[TextPart]:
    """The parts of a text, or none where it is one. Where it is prose, commands in it are `by_commands` of nobody."""
    if files := files_of_lines(lines):
        return [TextPart(first, after, "file", begin - first) for first, begin, after in files]
    headings, borders = headings_in(lines)
    if not _are_of_several_forms(lines, borders):
        return []
    forms = ["heading" if at in headings else form_of(line) for at, line in enumerate(lines)]
    _settle_inner(lines, forms)
    for start, after in documents_in(lines):
        forms[start:after] = ["document"] * (after - start)
    runs = chain.from_iterable(_by_commands(run, headings, borders) for run in _large_runs(lines, forms))
    parts = [_with_form(lines, part) for part in _headed_parts(lines, runs, headings, borders)]
    apart = len(parts) <= MOST_PARTS and _are_apart(lines, parts, borders if by_commands else set())
    return parts if apart else []


def _are_of_several_forms(lines: Sequence[str], borders: set[int]) -> bool:
    """Whether lines from all over a text are of several forms of those that one tool seldom has together."""
    some = [*lines[:AT_ENDS], *lines[:: len(lines) // LOOKED_AT + 1], *lines[-AT_ENDS:]]
    counts = counts_of(map(form_of, some))
    tests = any(map(compile_pattern(TEST_REPORT).match, some[-AT_ENDS:]))
    documents = sum(line in ("{", "[", "}", "]", "[{", "}]") or line.lstrip()[:1] in ('"', "}") for line in some) > 1
    return sum(counts.get(form, 0) > 1 for form in TELLING) + tests + documents + (len(borders) > 1) > 1


def _settle_inner(lines: Sequence[str], forms: list[str]) -> None:
    """Rows that are indented are those of a table where nothing stands above them that they belong to."""
    for at, form in enumerate(forms):
        if form == "inner":
            alone = not at or forms[at - 1] in ("row", "heading") or not lines[at - 1]
            forms[at] = "row" if alone else ""


def documents_in(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where documents stand that open and close at the margin, with lines of their own between.

    >>> [*documents_in(["up", "{", '  "a": [', "    1", "  ]", "}", "down"])]
    [(1, 6)]
    """
    closed = 0
    for opened, line in enumerate(lines):
        if opened < closed or line.rstrip() not in ("{", "[", "[{"):
            continue
        at = opened + 1
        while at < len(lines) and (not lines[at] or lines[at][0] in " \t"):
            at += 1
        if opened + 1 < at < len(lines) and lines[at].rstrip() in ("}", "]", "}]"):
            read = load_module("overspill.cut.digest.outlines").document_in
            if read("\n".join(lines[opened : at + 1])) is not None:
                closed = at + 1
                yield opened, closed


def _runs(forms: Sequence[str]) -> Iterator[TextPart]:
    """Stretches of lines of one form, with a few others in them; what is of no form goes on with what is above."""
    at = 0
    while at < len(forms):
        form, last, own, other = forms[at] or "text", at + 1, 1, 0
        for look in range(last, len(forms) if form != "heading" else last):
            if forms[look] == form:
                own, last = own + 1, look + 1
            elif not forms[look] and look == last:
                last += 1
            else:
                other += bool(forms[look])
                far = look - last >= FAR or own < PURE * (own + other)
                if far or form in ("text", "document") or forms[look] == "heading":
                    break
        yield TextPart(at, last, form)
        at = last


def _large_runs(lines: Sequence[str], forms: Sequence[str]) -> Iterator[TextPart]:
    """The runs that are long enough, by the tables that rows are of; all that lies between them is text."""
    text: TextPart | None = None
    for run in _runs(forms):
        inside = range(run.first + 1, run.after) if run.form == "row" else ()
        stops = [run.first, *(at for at in inside if _begins_table(lines, at)), run.after]
        for first, after in pairwise(stops):
            part = run._replace(first=first, after=after)
            if part.form not in ("text", "heading") and _is_large(lines, part):
                yield from [text] if text is not None else []
                yield part
                text = None
            else:
                text = TextPart(first if text is None else text.first, after, "text")
    yield from [text] if text is not None else []


def _is_large(lines: Sequence[str], part: TextPart) -> bool:
    own = [*filter(str.strip, lines[part.begin : part.after])]
    return len(own) >= FEWEST_LINES and sum(map(len, own)) >= FEWEST_CHARS


def _begins_table(lines: Sequence[str], at: int) -> bool:
    """Whether a line names columns, and the one above it is a row of another table.

    >>> _begins_table(["a   1   2", "NAME   READY   AGE", "b   2   3"], 1)
    True
    """
    return _names_columns(lines, at) and any(map(str.isdigit, lines[at - 1])) and any(map(str.isdigit, lines[at + 1]))


def _names_columns(lines: Sequence[str], at: int) -> bool:
    """Whether a line names columns: words without digits, above a drawn line or with capitals, and rows below it.

    >>> _names_columns(["id | name", "---+-----"], 0), _names_columns(["NAME   AGE   UP", ""], 0)
    (True, True)
    """
    if at + 1 >= len(lines) or any(map(str.isdigit, lines[at])):
        return False
    below = lines[at + 1].strip()
    drawn = len(below) >= FEWEST_NAMES and not below.strip(_DRAWN)
    return drawn or (lines[at].lstrip()[:1].isupper() and len(lines[at].split()) >= FEWEST_NAMES)


def _headed_parts(
    lines: Sequence[str], runs: Iterable[TextPart], headings: set[int], borders: set[int]
) -> list[TextPart]:
    """Parts that begin with the lines that say what they are."""
    parts: list[TextPart] = []
    waiting = -1  # where the heading of the next part begins
    for run in runs:
        if run.form == "text" and not _is_large(lines, run):
            inside = range(run.first, run.after)
            head = min(borders.intersection(inside) or headings.intersection(inside), default=run.after)
            if head > run.first:
                _take_end(lines, parts, run._replace(after=head))
            waiting = head if head < run.after and waiting < 0 else waiting
            continue
        first = waiting if waiting >= 0 else run.first
        head = run.first - first or int(first in headings)
        waiting = -1
        form = _joint_form(lines, parts[-1], run) if parts and not head else ""
        if form:
            parts[-1] = parts[-1]._replace(after=run.after, form=form)
        else:
            shown = head if head <= SHORT_HEAD or run.form in WHOLE else 1
            parts.append(TextPart(first, run.after, run.form, shown))
    if waiting >= 0:
        _take_end(lines, parts, TextPart(waiting, len(lines), "text"))
    return parts


def _joint_form(lines: Sequence[str], above: TextPart, run: TextPart) -> str:
    """What two stretches are together where nothing says that the second is another's; nothing where they are two.

    Rows that nobody named and the like are found in any text.
    """
    if above.form == run.form:
        return run.form if not _begins_table(lines, run.first) else ""
    named = _names_columns(lines, run.first) or _names_columns(lines, above.begin)
    return "text" if {above.form, run.form} <= LOOSE and "text" in (above.form, run.form) and not named else ""


def _take_end(lines: Sequence[str], parts: list[TextPart], end: TextPart) -> None:
    """A few lines belong to the part above them, unless they would spoil it."""
    spoils = not parts or (parts[-1].form in WHOLE and any(map(str.strip, lines[end.first : end.after])))
    parts[-1:] = [*parts[-1:], end] if spoils else [parts[-1]._replace(after=end.after)]


def _by_commands(run: TextPart, headings: set[int], borders: set[int]) -> Iterator[TextPart]:
    """A stretch of text by the commands in it, and by the title at its end, which is of what follows."""
    inside = range(run.first, run.after) if run.form == "text" else ()
    titles = sorted(headings.intersection(inside[-SHORT_HEAD:]))[:1]
    stops = sorted({run.first, *borders.intersection(inside), *titles, run.after})
    return (run._replace(first=first, after=after) for first, after in pairwise(stops))


def _with_form(lines: Sequence[str], part: TextPart) -> TextPart:
    """A part by what its lines are together: rows below names of columns are a table, text may be a report of tests."""
    if part.form == "row" and _names_columns(lines, part.begin):
        return part._replace(form="table")
    if part.form == "text":
        near = 2 * FEWEST_LINES
        ends = (*lines[part.first : part.first + near], *lines[max(part.first, part.after - near) : part.after])
        if any(map(compile_pattern(TEST_REPORT).match, ends)):
            return part._replace(form="tests")
    return part


def _are_apart(lines: Sequence[str], parts: list[TextPart], commands: set[int]) -> bool:
    """Whether parts are what several commands say, and not what one says by turns.

    Either their forms are such that no tool has them together, or lines say which commands they are.
    """
    parts = [part for part in parts if part.form != "text" or _is_large(lines, part)]
    strong = [part for part in parts if part.form in STRONG]
    if sum(part.head > 0 and part.first in commands for part in parts) > 1 and strong:
        return len({part.form for part in parts}) > 1
    sizes = [sum(map(len, lines[part.first : part.after])) for part in parts]
    mostly = sum(size for size, part in zip(sizes, parts, strict=True) if part.form in STRONG) >= MOSTLY * sum(sizes)
    weak = sum(part.form not in STRONG and not part.head for part in parts)
    alone = [part.form for part in strong if not part.head and part.form != "table"]
    return (
        len({part.form for part in strong}) > 1 and weak <= len(strong) + 1 and mostly and len({*alone}) == len(alone)
    )


# ---- the cut --------------------------------------------------------------------------------------------------------

LEAST_ROOM = 260  # characters for a part, on average: where there is less, a text is told as a whole
ROUNDS, HUNGRY = 3, 0.8  # in which a part is given what others do not need, if it used so much of its share
SLOWLY = 1 / 4  # a part that is sixteen times as long has twice the room


class PartCut(NamedTuple):
    """What is shown of a part, and what it takes."""

    cut: Cut
    used: int
    whole: bool


class PartedText:
    """A text by its parts, each of which has a strategy of its own that looks at it once."""

    def __init__(
        self, text: str, lines: Sequence[str], parts: list[TextPart], strategy: Callable[[], Strategy]
    ) -> None:
        self.text = text
        starts = [*accumulate((len(line) + 1 for line in lines), initial=0)]
        starts[-1] = len(text)
        self._parts = parts
        self._heads = [Span(starts[part.first], starts[part.begin]) for part in parts]
        self._bodies = [Span(starts[part.begin], starts[part.after]) for part in parts]
        self._texts = [body.of(text) for body in self._bodies]  # by which a strategy knows what it has looked at
        # Characters in which all parts can be told.
        self.least = 2 * LEAST_ROOM * len(parts) + sum(head.chars for head in self._heads)
        self._weights = [body.chars**SLOWLY for body in self._bodies]
        self._strategies = [DocumentCut(strategy()) if part.form == "document" else strategy() for part in parts]

    def cut(self, room: Room, options: Options) -> Cut | None:
        """What is shown of all parts; None where there is too little room for them."""
        scopes = sum(len(self._scope(at)) + 1 + room.gap for at in range(len(self._parts)))
        left = room.chars - scopes - sum(head.chars for head in self._heads)
        if left < LEAST_ROOM * len(self._parts):
            return None
        shares = self._shares(left)
        drawn = [self._drawn(at, share, room, options) for at, share in enumerate(shares)]
        for _ in range(ROUNDS - 1):
            spare = left - sum(one.used for one in drawn)
            hungry = [at for at, one in enumerate(drawn) if not one.whole and one.used >= HUNGRY * shares[at]]
            if not hungry or spare < LEAST_ROOM:
                break
            weights = sum(self._weights[at] for at in hungry)
            for at in hungry:
                shares[at] = drawn[at].used + int(spare * self._weights[at] / weights)
                drawn[at] = self._drawn(at, shares[at], room, options)
        cut = self._joined([one.cut for one in drawn])
        return cut if cut_cost(cut, PartialText(self.text), room.marks) <= room.chars else None

    def _shares(self, room: int) -> list[int]:
        """What each part may take: a short one all it needs, of the rest a long one more than a short one."""
        needs = [body.chars for body in self._bodies]
        shares = [*needs]
        longer = [*range(len(needs))]
        while longer:
            weights = sum(self._weights[at] for at in longer)
            fair = {at: int(room * self._weights[at] / weights) for at in longer}
            short = [at for at in longer if needs[at] <= fair[at]]
            if not short:
                return [fair.get(at, share) for at, share in enumerate(shares)]
            room -= sum(needs[at] for at in short)
            longer = [at for at in longer if at not in short]
        return shares

    def _drawn(self, at: int, share: int, room: Room, options: Options) -> PartCut:
        text = self._texts[at]
        if len(text) <= share:
            whys = (Why(0, len(text), "a part that fits"),)
            return PartCut(Cut((Span(0, len(text)),), whys=whys), len(text), whole=True)
        own = room._replace(chars=share, counted=share, limit=share, survey=None)
        cut = self._strategies[at](text, own, options)
        return PartCut(cut, cut_cost(cut, PartialText(text), room.marks), whole=False)

    def _scope(self, at: int) -> str:
        return f"[lines {self._parts[at].begin + 1}-{self._parts[at].after}:]"

    def _joined(self, cuts: list[Cut]) -> Cut:
        """One cut of all: what is said of a part stands at the first gap in it."""
        moved = [_moved_cut(cut, body.start) for cut, body in zip(cuts, self._bodies, strict=True)]
        heads = [head for head in self._heads if head.chars]
        kept = joined_spans([*heads, *(span for cut in moved for span in cut.kept)])
        special = {Span(gap.start, gap.end): gap for cut in moved for gap in cut.gaps}
        gaps = [special.get(span) or Gap(*span) for span in omitted_spans(kept, len(self.text))]
        lead: list[str] = []
        for at, (body, cut) in enumerate(zip(self._bodies, moved, strict=True)):
            if said := (*cut.overview, *cut.notes):
                said = (self._scope(at), *said)
                inside = (
                    number for number, gap in enumerate(gaps) if gap.end > body.start and gap.form is not Form.INLINE
                )
                place = next(inside, None)
                if place is None or gaps[place].start >= body.end:
                    lead += said
                else:
                    gaps[place] = gaps[place]._replace(said=(*gaps[place].said, *said))
        whys = (*(Why(*head, "the heading of a part") for head in heads), *(why for cut in moved for why in cut.whys))
        return Cut(
            kept, tuple(gap for gap in gaps if gap.said or gap.form is not Form.LINE), whys=whys, overview=tuple(lead)
        )


def _moved_cut(cut: Cut, by: int) -> Cut:
    """The cut of a part, by its places in the whole text."""
    return cut._replace(
        kept=tuple(Span(start + by, end + by) for start, end in cut.kept),
        gaps=tuple(
            gap._replace(start=gap.start + by, end=gap.end + by, above=gap.above + by if gap.above >= 0 else -1)
            for gap in cut.gaps
        ),
        whys=tuple(why._replace(start=why.start + by, end=why.end + by) for why in cut.whys),
    )


class DocumentCut:
    """What the rows of a document add up to, and those that are odd; one without rows is cut by its lines."""

    def __init__(self, lines: Strategy) -> None:
        self._lines = lines
        self._found: Findings | None = None

    def __call__(self, text: str, room: Room, options: Options) -> Cut:
        if self._found is None:
            digest = load_module("overspill.cut.digest.outlines").document_digest(text)
            odd: list[Span] = digest.odd_spans(text) if digest is not None else []
            units = [Unit(*span, ERROR - rank, ODD) for rank, span in enumerate(odd)]
            self._found = Findings(units, exact=True, digests=(digest,) if digest is not None else ())
        if not self._found.digests:
            return self._lines(text, room, options)
        return select_units(text, self._found, room, options)
