r"""What another program put before every line: a job and its time, the name of a service, who changed it last.

>>> below = gutter_in("".join(f"web-1  | {line}\n" for line in ["def f():", "    return 1", ""] * 8))
>>> below.text[:20]
'def f():\n    return '

What stands behind it is read as if it stood alone: the failed tests in a log of CI are failed tests. Lines are shown as
they are, with what stands before them.

A gutter is learned from the text: a beginning, up to a sign that ends such things, which is the same in nearly all
lines but for numbers, and goes on from line to line. A column of a table is not one: others follow it.

The branches of a history are one, too, drawn with bars and a sign for each commit (`git log --graph`, `hg log -G`):

>>> graph_in("* 3fa9 Merge it\n|\\  \n| * 77c1 Sell lemons\n|/  \n* 12ab Begin\n").text.split()
['3fa9', 'Merge', 'it', '77c1', 'Sell', 'lemons', '12ab', 'Begin']
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.core.spans import Cut, Options, Room, Span, Strategy
from overspill.cut.digest import counts_of, with_one_digit

if TYPE_CHECKING:
    from collections.abc import Callable

FEWEST = 20  # lines
SAMPLE, STRETCHES = 600, 6  # lines, from so many places
AT_ONCE = 500  # lines whose beginnings are looked at together
FIELDS = 6  # signs that may end it, at most
WIDEST = 160
NEARLY_ALL = 0.95  # of the lines have it,
OFTEN = 0.03  # each of its forms at least so many
GOES_ON = 0.5  # of the lines begin as the one before
SET_IN = 0.05  # of the lines are blank or indented behind it: what a terminal shows, unlike the messages of a log
A_COLUMN = 0.5  # of the lines have the sign once more, or columns behind it: it is one
FALLS, FALLS_OF_UNITS = 0.2, 0.004  # of the lines have a smaller number than the one before: it is no clock
TRIES = 5
SPARE = 0.05  # of the room may be left
A_MARK = 3  # more characters that a mark may take, because what it counts is longer

_CLOCK = r"\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
_END = compile_pattern(rf"\t|(?:[|\]\u2502):]|{_CLOCK}|^#\d+ \d+\.\d+)(?: |$)")
_VARYING = compile_pattern(r"(?<!\S)[^\s\d]*+\d\S*|\b[a-f]{7,40}\b")
# Before a colon stands a name, or a place that differs from line to line, and that is no gutter.
_MOMENTS = compile_pattern(rf"\S*{_CLOCK}|\d+[-/]\d+[-/]\d+|(?<!\S)\d+(?!\S)")
_NUMBER = compile_pattern(r"(?<![\w:./+-])(\d{1,12}(?:\.\d+)?)( ?(?:[num\u00b5\u03bc]?s|%|[KMG]i?B?)\b)?(?![\w:./-])")
_BLANKS = compile_pattern(r" +")
_LEVEL = compile_pattern(r"(?i)\b(?:error|warn|warning|info|debug|fatal|trace|notice|critical|err|crit)\b")
_COLUMNS = compile_pattern(r"\S {2,}\S+ {2,}\S")
_MOMENT = compile_pattern(r"\d\d:\d\d:\d\d")
# A history is drawn with bars for branches and a sign for each commit, which stands before what the commit says.
_BARS = r"|:/\\_\u2500-\u2573"
_COMMIT = compile_pattern(
    rf"[{_BARS} ]*?(?:[*@%\u25a0-\u25ff\u00d7]|[ox](?= ))(?:[-.{_BARS} ]* )?(?P<words>(?<= )\S.*)"
)
_BRANCH = compile_pattern(rf"(?:[{_BARS}]| (?= *[{_BARS}]))*+(?: |$)")
_NOT_DRAWN = compile_pattern(rf"[^{_BARS} ]")
_CROSSING = compile_pattern(r"^[|:/\\_ .\-\u2500-\u2573]*[/\\\u2500\u256d-\u2573]")
_HASH = compile_pattern(r"[0-9a-f:]{4,64}$")
FEWEST_COMMITS = 2


class Gutter(NamedTuple):
    """A text without what stands before its lines, and where its lines begin in the text it came from."""

    text: str
    starts: list[int]
    origins: list[int]
    widths: list[int]
    stops: list[int]  # where its lines end: between two of them there may be more that was drawn

    def end_place(self, at: int) -> int:
        """Where a part of the bare text ends in the whole one."""
        number = bisect_right(self.starts, at) - 1
        return self.stops[number - 1] if number and at == self.starts[number] else self.place(at)

    def place(self, at: int) -> int:
        """Where a place of the bare text is in the whole one; of a line's first character, where all of it begins."""
        number = bisect_right(self.starts, at) - 1
        within = at - self.starts[number]
        return self.origins[number] + (self.widths[number] + within if within else 0)

    def whole_cut(self, cut: Cut) -> Cut:
        """A cut of the bare text, by its places in the whole one."""
        gaps = tuple(
            gap._replace(
                start=self.end_place(gap.start),
                end=self.place(gap.end),
                above=gap.above if gap.above < 0 else self.place(gap.above),
            )
            for gap in cut.gaps
        )
        return cut._replace(
            kept=tuple(Span(self.place(start), self.end_place(end)) for start, end in cut.kept),
            gaps=gaps,
            whys=tuple(one._replace(start=self.place(one.start), end=self.end_place(one.end)) for one in cut.whys),
        )

    def cut(self, strategy: Strategy, room: Room, options: Options) -> Cut | None:
        """What a strategy shows of the bare text, with what stands before its lines, unless that does not fit."""
        best: Cut | None = None
        chars = room.chars * len(self.text) // (len(self.text) + sum(self.widths))
        for _ in range(TRIES):
            bare = strategy(self.text, room._replace(chars=chars, survey=None), options)
            found = self.whole_cut(bare)
            more = sum(span.chars for span in found.kept) - sum(span.chars for span in bare.kept)
            spare = room.chars - chars - more - A_MARK * (len(bare.kept) + 1)
            best = found if spare >= 0 else best
            if chars + spare <= 0 or 0 <= spare <= SPARE * room.chars:
                break
            chars += spare if best is None else spare // 2
        return best


def gutter_in(text: str) -> Gutter | None:
    """What stands before the lines of a text, if anything does."""
    lines = text.split("\n")
    known = BeginningForms()
    forms = gutter_forms(stretches_of(lines), known)
    if not forms:
        return None
    parts = (lines[at : at + AT_ONCE] for at in range(0, len(lines), AT_ONCE))
    return _gutter_of_widths(lines, [width for part in parts for width in _widths(part, _ends_in(part), forms, known)])


def stretches_of(lines: list[str]) -> list[str]:
    """Lines that stand together, from all over a text: of every second line alone, results would look like each other.

    >>> [*dict.fromkeys(stretches_of(["[RUN] a", "[PASS] a"] * 2_000))]
    ['[RUN] a', '[PASS] a']
    """
    if len(lines) <= SAMPLE:
        return lines
    size = SAMPLE // STRETCHES
    starts = [at * (len(lines) - size) // (STRETCHES - 1) for at in range(STRETCHES)]
    return [line for start in starts for line in lines[start : start + size]]


def graph_in(text: str) -> Gutter | None:
    """What the branches of a history are drawn with, if nearly all lines stand behind that."""
    lines = text.split("\n")
    first = _COMMIT.match(lines[0])
    if first is None:
        return None
    begins = _begin_of_commit(first["words"])
    widths = list[int]()
    commits = barred = drawn = filled = width = 0
    for line in lines:
        commit = _COMMIT.match(line)
        if commit is not None and begins(commit["words"]):
            width, commits = commit.start("words"), commits + 1
            widths.append(width)
        else:
            widths.append(_drawn_width(line, width))
            barred += bool(line[: widths[-1]].strip())
        filled += bool(line.strip())
        drawn += widths[-1] > 0
        if drawn < NEARLY_ALL * filled - FEWEST:
            return None
    is_graph = commits >= FEWEST_COMMITS and drawn >= NEARLY_ALL * filled and 2 * barred > drawn - commits
    return _gutter_of_widths(lines, widths) if is_graph else None


def _begin_of_commit(words: str) -> Callable[[str], bool]:
    """What tells the first line of a commit from other lines with a star: it begins as that of the first one does."""
    word, *more = words.split(None, 2)
    if _HASH.match(word):
        return lambda other: _HASH.match(other.split(None, 1)[0]) is not None
    if more and _HASH.match(more[0]):
        return lambda other: other.startswith(word)
    return lambda _: True


def _drawn_width(line: str, width: int) -> int:
    """How much of a line is drawn below a commit whose words begin at `width`."""
    if line[width - 1 : width] == " " and _NOT_DRAWN.search(line, 0, width) is None:
        return width if _NOT_DRAWN.search(line, width) else len(line)
    if _NOT_DRAWN.search(line) is None:
        return len(line)
    found = _BRANCH.match(line)
    return found.end() if found and found[0].strip() else 0


def _gutter_of_widths(lines: list[str], widths: list[int]) -> Gutter:
    """A text without the beginnings of its lines, and without lines that are drawn from one branch to another."""
    origins, rows = _line_starts(lines), range(len(lines))
    shown = [at for at in rows if widths[at] < len(lines[at]) or not _CROSSING.search(lines[at])]
    bare = [lines[at][widths[at] :] for at in shown]
    stops = [origins[at] + len(lines[at]) + 1 for at in shown]
    stops[-1] -= 1  # no line end follows the last
    return Gutter(
        "\n".join(bare), _line_starts(bare), [origins[at] for at in shown], [widths[at] for at in shown], stops
    )


def _line_starts(lines: list[str]) -> list[int]:
    starts, at = list[int](), 0
    for line in lines:
        starts.append(at)
        at += len(line) + 1
    return starts


def gutter_forms(lines: list[str], known: BeginningForms) -> frozenset[str]:
    """How the gutter looks, numbers apart: nothing where there is none."""
    lines = [line for line in lines if line.strip()]
    if len(lines) < FEWEST:
        return frozenset()
    firsts = known.of_all([line[: one.end()] if (one := _END.search(line, 0, WIDEST)) else "" for line in lines])
    if sum(count for _, count in _frequent(firsts)) < NEARLY_ALL * len(lines):  # as in most texts
        return frozenset()
    ends = _ends_in(lines)
    best: frozenset[str] = frozenset()
    for field in range(FIELDS):
        forms = known.of_all(
            [line[: cuts[field]] if field < len(cuts) else "" for line, cuts in zip(lines, ends, strict=True)]
        )
        often = _frequent(forms)
        found = frozenset(form for form, _ in often)
        if sum(count for _, count in often) < NEARLY_ALL * len(lines) or any(map(_LEVEL.search, found)):
            break
        if not _goes_on(lines, forms, found):
            continue
        widths = zip(lines, _widths(lines, ends, found, known), strict=True)
        begins = [(line[:width], line[width:]) for line, width in widths if width]
        if _is_job(begins) and not best:
            return found
        if _is_set_in(begins) and not _has_measures([begin for begin, _ in begins]):
            best = found
    return best


def _frequent(forms: list[str]) -> list[tuple[str, int]]:
    """The forms that many of the lines have, and how many."""
    return [(form, count) for form, count in counts_of(forms).items() if form and count >= OFTEN * len(forms)]


def _ends_in(lines: list[str]) -> list[list[int]]:
    """Where a gutter may end in each of these lines."""
    return [[match.end() for match in _END.finditer(line, 0, WIDEST)][:FIELDS] for line in lines]


class BeginningForms:
    """Beginnings of lines without what differs from line to line; those that differ in digits alone are seen once."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def of_all(self, beginnings: list[str]) -> list[str]:
        """The form of each: digits of all of them are made one at once."""
        bare = [*map(str.rstrip, beginnings)]
        even = with_one_digit("\n".join(bare)).split("\n") if bare else []
        # A word with a digit is left out, whatever digits it has; of a place only some of its numbers are.
        keys = [one if one.endswith(":") else other for one, other in zip(bare, even, strict=True)]
        for key in {*keys}.difference(self._known):
            varying = _MOMENTS if key.endswith(":") else _VARYING
            self._known[key] = _BLANKS.sub(" ", varying.sub("0", key)).strip()
        return [*map(self._known.__getitem__, keys)]


def _goes_on(lines: list[str], forms: list[str], found: frozenset[str]) -> bool:
    """Whether lines begin as those before them, and not with cells of a table."""
    same = sum(1 for one, other in pairwise(forms) if one == other)
    return same >= GOES_ON * (len(lines) - 1) and not any(form.count(sign) > 1 for form in found for sign in "|\u2502")


def _is_job(begins: list[tuple[str, str]]) -> bool:
    """Whether a job of CI and the time stand before the lines: whatever they say, it is not theirs."""
    return all("\t" in begin and _MOMENT.search(begin) for begin, _ in begins)


def _is_set_in(begins: list[tuple[str, str]]) -> bool:
    """Whether lines are blank or indented behind it, and no rows of a table."""
    signs = counts_of(begin.rstrip(" ")[-1:] for begin, _ in begins)
    sign = max(signs, key=signs.__getitem__)
    rests = [rest for _, rest in begins]
    columns = sum(sign in rest if sign in "\t|\u2502" else _COLUMNS.search(rest) is not None for rest in rests)
    return columns <= A_COLUMN * len(rests) and sum(not rest[:1].strip() for rest in rests) >= SET_IN * len(rests)


def _has_measures(begins: list[str]) -> bool:
    """Whether a number in it goes up and down from line to line: that is measured, and says something by itself.

    >>> _has_measures([f"{n * 7 % 10}.5 us | " for n in range(30)]), _has_measures([f"#1 {n}.5 " for n in range(30)])
    (True, False)
    """
    rows = [_NUMBER.findall(begin) for begin in begins]
    width = max(map(len, rows))
    for column in zip(*(row for row in rows if len(row) == width), strict=True):
        numbers = [float(number) for number, _ in column]
        falls = sum(after < before for before, after in pairwise(numbers))
        few = FALLS_OF_UNITS if all(unit for _, unit in column) else FALLS
        if len({*numbers}) >= FEWEST // 2 and falls >= few * len(column):
            return True
    return False


def _widths(lines: list[str], ends: list[list[int]], forms: frozenset[str], known: BeginningForms) -> list[int]:
    """How much of each line is its gutter."""
    begins = [line[:end] for line, cuts in zip(lines, ends, strict=True) for end in cuts]
    looks = iter(known.of_all(begins))
    return [max((end for end in cuts if next(looks) in forms), default=0) for cuts in ends]
