"""`smart`: the view a reader of this kind of text would choose.

kind -> scorer: units with scores -> choice within the room. `units.py` says how to add a scorer.
`cut` loads it by name, and `fit` takes its `Sieve` for texts that stream by.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, cached_property, compile_pattern, load_module
from overspill.core import measure
from overspill.core.spans import Cut, Form, Hole, Options, PartialText, Room, Span
from overspill.cut.digest import OVERVIEW_SHARE, SignTable, TextLines, counts_of, repeats_itself
from overspill.cut.digest.survey import Survey, is_journal, is_report, survey_of
from overspill.cut.ends import depth
from overspill.cut.smart.choice import select_units
from overspill.cut.smart.coverage import width_of
from overspill.cut.smart.folds import Fold, folds_in, media_in
from overspill.cut.smart.novelty import novel_units
from overspill.cut.smart.overview import LinePool
from overspill.cut.smart.shapes import has_passed
from overspill.cut.smart.units import (
    NAME,
    RANKED,
    Findings,
    Name,
    Note,
    scorer_of,
    with_focus,
)
from overspill.cut.smart.worth import words_of
from overspill.kinds import sniff

if TYPE_CHECKING:
    from collections.abc import Callable

    from overspill.core.spans import Strategy
    from overspill.cut.digest import Digest
    from overspill.cut.smart.gutters import Gutter
    from overspill.cut.smart.parts import PartedText

__all__ = ["smart"]

PIECE = 1 << 20
HEADINGS = "overspill.cut.digest.headings"
SAMPLE = 1 << 16  # characters in which results of tests are looked for
AS_MUCH = 0.985  # of what lines tell, for blocks to be told instead: these are shorter, or have to tell more
FAR_MORE = 1.25  # times what is told by adding up, for lines to be shown instead
NEARLY = 3.5  # times the room: a text that is not longer may nearly fit
FAR = 1 << 13  # how far before its repeats a block may begin


class SmartCut:
    """The strategy for one text, which is looked at once however many rooms it is tried in."""

    def __init__(self) -> None:
        self._text: str | None = None
        self._held = PartialText("")
        self._found = Findings([])
        self._folds: list[Fold] = []
        self._survey: Survey | None = None
        self._made_pool: LinePool | None = None
        self._make_pool: Callable[[], LinePool] | None = None
        self._failures: LinePool | None = None  # of it what is said of failed tests, where some failed
        self._lines: tuple[Findings, LinePool] | None = None  # what was found without what adds up all of it
        self._blocks: Findings | None = None  # what was found, with blocks told in the place of lines
        self._sieved = False

    def __call__(self, text: str, room: Room, options: Options) -> Cut:
        if self._text is not text:
            self._look(text, room, options)
        held = self._held
        room = room._replace(holes=held.holes)
        cut = self._thinned(room, options) or select_units(
            held.text, self._found, room, options, self._folds, self._failures or self._pool()
        )
        if self._lines is not None:
            found, pool = self._lines
            lines = select_units(held.text, found, room, options, self._folds, pool)
            if told_worth(held.text, lines, pool) > FAR_MORE * told_worth(held.text, cut, pool):
                cut = lines
        if self._blocks is not None and (every := self._pool()) is not None:
            other = select_units(held.text, self._blocks, room, options, self._folds, every)
            least = AS_MUCH * max(1.0, width_of(other) / max(1, width_of(cut)))
            if told_worth(held.text, other, every) >= least * told_worth(held.text, cut, every):
                cut = other
        if not self._sieved:
            return cut
        from overspill.cut.smart.sieve import in_whole

        return in_whole(cut, held)

    def _thinned(self, room: Room, options: Options) -> Cut | None:
        """All of a text but what says least in it, where it nearly fits."""
        text = self._held.text
        if room.holes or not room.chars < len(text) <= NEARLY * room.chars or (pool := self._pool()) is None:
            return None
        cut: Cut | None = load_module("overspill.cut.smart.thinning").thinned_cut(
            text, self._found, room, options, self._folds, pool
        )
        return cut

    def _pool(self) -> LinePool | None:
        """The lines that may be shown for what is new in them, looked at when they are first asked for."""
        if self._made_pool is None and self._make_pool is not None:
            self._made_pool = self._make_pool()
        return self._made_pool

    def _look(self, text: str, room: Room, options: Options) -> None:
        """Look at a text; at one in memory as at a stream, so that both give the same view."""
        keep = depth(text, room.keep or room.reach)
        self._survey = room.survey if isinstance(room.survey, Survey) else None
        if room.holes or len(text) <= 2 * keep:
            self._held = PartialText(text, room.holes)
        else:
            self._held, self._survey = sieved_text(text, keep, options)
        held = self._held
        self._sieved = held.holes != room.holes
        self._text, self._found, self._lines = text, found_in(held.text, options), None
        self._blocks = None
        self._failures = self._made_pool = self._make_pool = None
        if held.holes:  # what is counted in parts of a text is not the whole count
            self._found = self._found._replace(notes=(), crowd=None, digests=())
        if self._survey is None and not held.holes and self._found.surveyed:
            self._survey = survey_of(held.text)
        lines: TextLines | None = None
        if self._survey is not None and self._found.surveyed:
            lines = TextLines(held.text, self._survey.known_ends(held))
            if not held.holes:
                self._survey.learn(lines)
            plain, self._found = self._found, with_survey(lines, self._found, self._survey)
            if has_line_pool(self._found, self._survey):
                told, survey, known = self._found, self._survey, lines
                self._make_pool = lambda: line_pool(known, survey)
                self._failures = failure_pool(lines, told.sections, survey) if told.noisy else None
            ranked = any(unit.why == RANKED for unit in self._found.units)  # whose first rows tell most
            if not (held.holes or plain.exact or plain.noisy or ranked) and self._survey.in_blocks is not None:
                self._blocks = with_survey(lines, plain, self._survey.told_in_blocks(lines))
            if self._survey.is_doubtful and not plain.exact:
                self._lines = without_survey(lines, plain, self._survey)
        folds = [] if self._found.exact else folds_in(held.text, lines.all if lines is not None else None)
        self._folds = [fold for fold in folds if not any(_crosses(fold, hole) for hole in held.holes)]


def sieved_text(text: str, keep: int, options: Options) -> tuple[PartialText, Survey]:
    """What would be held of this text if it came as a stream, and what all of it adds up to."""
    from overspill.cut.smart.sieve import Sieve, partial_text_of

    sieve = Sieve(text[:keep], options)
    for at in range(keep, len(text), PIECE):
        sieve.feed(text[at : at + PIECE])
    return partial_text_of(text[:keep], sieve.islands(), text[-keep:], measure(text)), sieve.survey


def _crosses(fold: Fold, hole: Hole) -> bool:
    """Whether a run of repeats may not be one, because something lies in it that is not held."""
    return fold.start - FAR <= hole.at <= fold.end


class SmartView:
    """The strategy for one text, which is read without what another program put before all its lines."""

    def __init__(self, *, parted: bool = True) -> None:
        self._text: str | None = None
        self._below: Gutter | None = None
        self._parted = PartedView() if parted else None  # a part has no parts
        self._cut: Strategy = self._parted or SmartCut()
        self._cut_of_bare: Strategy = PartedView() if parted else SmartCut()

    def __call__(self, text: str, room: Room, options: Options) -> Cut:
        if self._text is not text:
            self._text, self._below = text, gutter_of(text, room)
            if self._below is not None and self._below.text.count("\n") < text.count("\n"):
                self._cut_of_bare = SmartCut()  # whose lines are not those of the text
        if self._below is not None:
            cut = self._below.cut(self._cut_of_bare, room, options)
            if cut is not None:
                return cut
        return self._cut(text, room, options)

    def parts_of(self, text: str, room: Room, options: Options) -> PartedText | None:
        """A text by its parts, where it has several."""
        return self._parted.parts_of(text, room, options) if self._parted is not None else None


class PartedView:
    """The strategy for one text, whose parts are read one by one where it has several."""

    def __init__(self) -> None:
        self._text: str | None = None
        self._parts: PartedText | None = None
        self._whole = SmartCut()

    def __call__(self, text: str, room: Room, options: Options) -> Cut:
        parts = self.parts_of(text, room, options)
        cut = parts.cut(room, options) if parts is not None else None
        return cut or self._whole(text, room, options)

    def parts_of(self, text: str, room: Room, options: Options) -> PartedText | None:
        """A text by its parts, which are looked for once."""
        if self._text is not text:
            self._text, self._parts = text, parted_text(text, room, options)
        return self._parts


def parted_text(text: str, room: Room, options: Options) -> PartedText | None:
    """A text by its parts, where it has several; of one that is held in parts nobody can tell."""
    if room.holes or options.kind or options.focus.strip() or len(text) > 2 * depth(text, room.keep or room.reach):
        return None
    if not may_have_parts(text) or text.count("\r") > text.count("\r\n"):
        return None
    from overspill.cut.smart import parts

    lines = text.removesuffix("\n").split("\n")
    kind = sniff(text, content_type=options.content_type, name=options.name).name
    found = parts.parts_of_lines([line.rstrip("\r") for line in lines], by_commands=kind not in QUOTING)
    return parts.PartedText(text, lines, found, lambda: SmartView(parted=False)) if found else None


QUOTING = ("prose", "code", "diff")  # kinds of texts in which a command is an example
COMMANDS = ("\n$ ", "\n+ ", "\n##[", "\n::group::", "\n> ", "\n==")  # that may begin a line which heads a part
FIRST_LINES = 96  # that are looked at, from all over a text
ALIKE = 0.9  # of them
_in_one_case = SignTable(
    "123456789bcdefghijklmnopqrstuvwxyzBCDEFGHIJKLMNOPQRSTUVWXYZ",
    "0" * len("123456789") + "a" * len("bcdefghijklmnopqrstuvwxyz") + "A" * len("BCDEFGHIJKLMNOPQRSTUVWXYZ"),
)


def may_have_parts(text: str) -> bool:
    r"""Whether lines of a text begin in several ways, or one may say which command follows: not those of most logs.

    >>> may_have_parts("10:00:01 up\n" * 90), may_have_parts("10:00:01 up\n" * 90 + " M a.py\n" * 40)
    (False, True)
    """
    if any(sign[1] in text and sign in text for sign in COMMANDS):  # the first is looked for many times as fast
        return True
    places = range(0, len(text), len(text) // FIRST_LINES + 1)
    starts = {0, *(text.find("\n", at) + 1 for at in places), text.rstrip().rfind("\n") + 1}
    begins = [text[at : at + 3] for at in sorted(starts) if text[at : at + 3].strip()]
    forms = _in_one_case("\n".join(begins)).split("\n")
    counts = counts_of(forms)
    return len(counts) > 1 and (max(counts.values()) < ALIKE * len(forms) or forms[0] != forms[-1])


ENDS_OF_GUTTERS = ("\t", "| ", "] ", ") ", "\u2502 ", ": ", ":0", "#")
COMMITS, BARS = frozenset("*@%ox\u25cb\u25c9\u25c6\u25cf\u00d7"), "|:\u2502"  # what a history is drawn with
GLANCE = 1_000
A_GLANCE_OF_LINES = 600
FEW_SET_IN = 0.045  # of the lines, which is less than a gutter needs
WIDTH_OF_CLOCK = 24


def gutter_of(text: str, room: Room) -> Gutter | None:
    """What stands before the lines of a text; of one that is held in parts nobody can tell."""
    if room.holes or len(text) > 2 * depth(text, room.keep or room.reach):
        return None
    if text[:1] in COMMITS and any(f"\n{bar}" in text for bar in BARS):
        from overspill.cut.smart.gutters import graph_in

        return graph_in(text)
    lines = [line for line in text[:GLANCE].split("\n")[:-1] if line.strip()]
    if not lines or not all(any(sign in line for sign in ENDS_OF_GUTTERS) for line in lines[:3]):
        return None
    if not _has_set_in_lines(text.split("\n")):
        return None
    from overspill.cut.smart.gutters import gutter_in

    return gutter_in(text)


def _has_set_in_lines(lines: list[str]) -> bool:
    """Whether some lines may be blank or indented behind what stands before them: of most logs, hardly any.

    >>> _has_set_in_lines(["12:00:01 up"] * 40), _has_set_in_lines(["web-1 | up", "web-1 |   at a.js"])
    (False, True)
    """
    some = [line for line in lines[:: len(lines) // A_GLANCE_OF_LINES + 1] if line.strip()]
    return sum(1 for line in some if "  " in line or "\t" in line or _ends_as_gutter(line)) >= FEW_SET_IN * len(some)


def _ends_as_gutter(line: str) -> bool:
    last = line[-1]
    clock = (last.isdigit() or last == "Z") and (":" in line[-WIDTH_OF_CLOCK:] or line[0] == "#")
    return clock or last in "|]):\u2502" or last.isspace()


class SmartStrategy:
    """Keep what matters most, wherever it stands."""

    def __call__(self, text: str, room: Room, options: Options) -> Cut:
        return SmartView()(text, room, options)

    def of_one_text(self) -> SmartView:
        return SmartView()


smart = SmartStrategy()


SOURCES = ("text", "prose", "listing")  # what sources may look like
TRACEBACK = "Traceback (most recent call last)"
SET_IN = 6  # one of so many lines is indented
LINED = ("text", "log", "listing")  # what documents may look like at their beginning
HISTORIES = (*LINED, "prose")  # what commits, a line each, may look like
BEGINS = frozenset("=*~^+:!>%&$.-@\\'")  # of lines that are headings
_ID = compile_pattern(r"[*|/\\ ]*(?:[0-9a-f]{7,40}|#\d+|[A-Z][A-Z0-9]{1,9}-\d+)[\s:|,]")  # of a commit or an issue
MIDDLE, FEWEST_PARTS = 16_384, 8  # characters that are looked at first, and blank lines among them


def may_be_document(text: str) -> bool:
    """Whether a text is made of paragraphs; most that are not have no blank lines in their middle."""
    middle = len(text) // 2
    if text.count("\n\n", middle, middle + MIDDLE) < FEWEST_PARTS:
        return False
    return bool(load_module(HEADINGS).is_document(text))


def may_be_history(text: str) -> bool:
    """Whether a text begins with an id, and goes on with ids and titles."""
    if _ID.match(text) is None:
        return False
    return bool(load_module("overspill.cut.digest.entries").is_short_history(text))


def may_be_marked(text: str) -> bool:
    """Whether lines in the middle of a text begin with marks of headings, and it has some."""
    middle = len(text) // 2
    if not any(line[:1] in BEGINS for line in text[middle : middle + MIDDLE].split("\n")[1:]):
        return False
    return bool(load_module(HEADINGS).marked_headings(text.split("\n")))


def found_in(text: str, options: Options) -> Findings:
    """What matters in a text, by what kind of text it is and what is looked for."""
    kind = options.kind or sniff(text, content_type=options.content_type, name=options.name).name
    signs = ReportSigns(text)
    if not options.kind and kind in HISTORIES and may_be_history(text):
        kind = "history"
    elif not options.kind and signs.is_other_than(kind):
        kind = "text"
    elif kind in (*LINED, "code") and "\n```" in text and load_module(HEADINGS).quotes_code_in_fences(text[:SAMPLE]):
        kind = "prose"
    elif kind in LINED and (may_be_document(text) or may_be_marked(text)) and not is_journal(text):
        kind = "prose" if options.kind or not repeats_itself(text) else kind
    found = without_media(text, _learned_in(text, kind, options, signs) or scorer_of(kind)(text, options))
    if not options.focus.strip():
        return found
    return with_focus(text, found, options)


def _learned_in(text: str, kind: str, options: Options, signs: ReportSigns) -> Findings | None:
    """What matters in a text that is no known language, but is source by what is in it."""
    if kind not in SOURCES or options.kind or not options.preserve_functions or not may_be_source(text):
        return None
    if TRACEBACK in text or signs.is_report or _tells_of_paths(text):
        return None
    code = load_module("overspill.cut.smart.code")
    # A manual has many lines for each of the few things that it describes.
    least = text.count("\n") / code.SPARSE if kind == "prose" else 0
    found: Findings | None = code.learned_findings(text, least, plain=True)
    return found


def may_be_source(text: str) -> bool:
    """Whether some lines in the middle of a text are indented or begin with a bracket."""
    middle = len(text) // 2
    part = text[middle : middle + MIDDLE]
    lines = part.count("\n")
    return sum(part.count(f"\n{sign}") for sign in " \t[])}") * SET_IN >= lines > 0


def _tells_of_paths(text: str) -> bool:
    """Whether most lines are a word and a path, which no source is."""
    share_of: Callable[[list[str]], float] = load_module("overspill.cut.digest.changes").share_of_worded
    return share_of(text[:SAMPLE].split("\n")[:A_GLANCE_OF_LINES]) > PATHS


class ReportSigns:
    """What says that a text is a report, whatever it looks like at its beginning."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def is_report(self) -> bool:
        """Whether it reports on what it quotes."""
        return is_report(self._text) or has_marked_failures(self._text)

    def is_other_than(self, kind: str) -> bool:
        """Whether it is not of that kind: what has headings, or sentences, may say much the same below each."""
        if kind == "matches":
            return _tells_of_tests(self._text)
        return kind in ("prose", "code") and (self.is_report or (kind == "prose" and repeats_itself(self._text)))


def _tells_of_tests(text: str) -> bool:
    """Whether many lines tell of tests that passed, though each begins with a place as those of a search do."""
    lines = text[:SAMPLE].split("\n")[:A_GLANCE_OF_LINES]
    return PASSED * sum(map(has_passed, lines)) >= len(lines)


def has_marked_failures(text: str) -> bool:
    """Whether a text tells the results of tests, whatever it quotes of them."""
    start = text[:SAMPLE]
    if "fail" not in start.lower():
        return False
    results = load_module("overspill.cut.smart.results")
    return next(results.marked_failures(start), None) is not None


OF_EACH = 10  # lines of one kind that are said of a failed test: what is said more often is said of others, too
INSIDE, OUTSIDE = 0.5, 0.04  # what a line is worth, at least, that is said of a failed test, and one that is not
BESIDE = 0.25  # what a line is worth that stands between messages at places, beside others
PATHS = 0.7  # of the lines
PASSED = 3  # in one of so many lines it is said that something passed
MOSTLY = 0.7  # of the room is for what is said of messages: more than half of the lines are of them


def with_survey(text: TextLines, found: Findings, survey: Survey) -> Findings:
    """What was found, with what the whole text adds up to and what is said only once in it."""
    if found.exact:
        diffs = load_module("overspill.cut.smart.diffs") if found.form is Form.DIFF else None
        told: tuple[Digest, ...] = diffs.outside_hunks(text, found, survey.digests) if diffs else survey.digests
        return found._replace(digests=(*found.digests, *told))
    if found.noisy and any(getattr(one, "located", False) and one.share > MOSTLY for one in survey.digests):
        # Where nearly all are messages at places, a cross stands before a message, and no test failed.
        units = [unit for unit in found.units if unit.score != NAME]
        found = found._replace(units=units, noisy=False, crowd=None)
    for digest in survey.digests:
        if getattr(digest, "covers", False):  # the lines of a listing are its entries
            listings = load_module("overspill.cut.smart.matches")
            listed: Findings = listings.listed_findings(text, found, survey, digest)
            return listed
    framed = any(getattr(one, "framed", False) for one in survey.digests)  # odd numbers are those of other lines
    units = [*found.units, *(() if found.noisy or framed else novel_units(text, survey))]
    found = found._replace(units=units, digests=(*found.digests, *survey.digests))
    if any(one.share > OVERVIEW_SHARE and not getattr(one, "partial", False) for one in survey.digests):
        # What there is to say is said by them.
        found = found._replace(notes=(), fill=False, covered=True)
    return found


def without_survey(text: TextLines, found: Findings, survey: Survey) -> tuple[Findings, LinePool] | None:
    """What was found, and the lines of a text as if nothing but them could be told."""
    templates = survey.templates
    pool = LinePool(text, templates.groups_of(text), templates.novelty)
    return found._replace(edges=True, notes=(), fill=False), pool


def told_worth(text: str, cut: Cut, pool: LinePool) -> float:
    """What a view tells: each word once, the rarer the more, whoever says it."""
    said = (line for gap in cut.gaps for line in gap.said)
    return pool.vocabulary.worth(
        words_of("\n".join([*cut.overview, *said, *(text[start:end] for start, end in cut.kept)]))
    )


def has_line_pool(found: Findings, survey: Survey) -> bool:
    """Whether what is new in its lines is how to choose what is shown of a text."""
    whole = any(getattr(digest, "covers", False) for digest in survey.digests)
    return not (whole or found.exact) and found.edges and survey.templates.lines > 1  # a single line is no news


def line_pool(text: TextLines, survey: Survey) -> LinePool:
    """The lines that may be shown for what is new in them."""
    templates = survey.templates
    pool = LinePool(text, templates.groups_of(text), templates.novelty)
    for digest in survey.digests:
        if getattr(digest, "located", False):
            pool.lessen(digest.is_beside, BESIDE)  # type: ignore[attr-defined]  # which only they have
    return pool


def failure_pool(text: TextLines, parts: tuple[Span, ...], survey: Survey) -> LinePool | None:
    """Lines that may be shown of a report of failed tests: what is said again and again is said of those that passed.

    What is not said of a failed test is worth less.
    """
    most = OF_EACH * len(parts)
    every = survey.templates.groups_of(text).items()
    groups = {name: places for name, places in every if len(places) <= most and not has_passed(text.all[places[0]])}
    if not groups:
        return None
    pool = LinePool(text, groups, survey.templates.novelty)
    pool.favour(parts, INSIDE, OUTSIDE)
    return pool


def without_media(text: str, found: Findings) -> Findings:
    """What was found, with embedded images and the like left out and named."""
    if found.exact:
        return found
    media = media_in(text)
    if not media:
        return found
    names = tuple(Name(f"{one.name}, {one.end - one.start} chars") for one in media)
    return found._replace(
        dull=(*found.dull, *(Span(one.start, one.end) for one in media)),
        notes=(*found.notes, Note("embedded", names)),
    )
