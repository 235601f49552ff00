"""One renderer: a strategy's cut becomes text, within the budget, with every gap marked and look-alikes told apart.

It reserves before it cuts. The header, the hint and the widest marker are set aside first, the
strategy gets what is left, and so the view can never be too long. When room is short the marks get
leaner, in the order of `mark_frames`; the text gets the last word only where nothing else is left.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.core import Size
from overspill.core.markers import (
    QUOTE,
    SHORT_MARKER,
    SHORTEST_LOOK_ALIKE,
    MarkForms,
    Part,
    Reference,
    header,
    hint,
    look_alike_places,
    widest_header,
)
from overspill.core.report import reference_blocks
from overspill.core.spans import (
    Cut,
    Form,
    Gap,
    Hole,
    Options,
    PartialText,
    Room,
    Span,
    Strategy,
    omitted_spans,
    whole_cut,
)
from overspill.errors import StrategyError, words_within

if TYPE_CHECKING:
    from collections.abc import Iterator

    from overspill.core.budget import Budget


def gaps_of(cut: Cut, length: int) -> list[Gap]:
    """What a cut leaves out of a text, and how each part is marked: on a line of its own where the cut is silent."""
    special = {gap.start: gap for gap in cut.gaps}
    return [special.get(span.start, Gap(*span)) for span in omitted_spans(cut.kept, length)]


def view_text(
    held: PartialText, cut: Cut, header: str, beside: list[str], hinted: Gap | None, marks: MarkForms | None
) -> str:
    """The view of a cut. The lines `beside` belong to the gap `hinted`; where they may not stand there, they lead."""
    above = beside if hinted is None or hinted.form in {Form.INLINE, Form.DIFF} else []
    page = _ViewText(header + "".join(f"{line}\n" for line in (*cut.overview, *above)))
    gaps = gaps_of(cut, len(held.text))
    pieces: list[Span | Gap] = [*_split_spans(cut.kept, [gap.above for gap in gaps if gap.above >= 0]), *gaps]
    for piece in sorted(pieces, key=_piece_order):
        if isinstance(piece, Span):
            page.source(
                piece.of(held.text) if cut.verbatim else quoted_span(held.text, piece, wording=marks is not None)
            )
        elif piece.form is Form.INLINE:
            page.inline(gap_mark(held, piece, marks))
        else:
            page.lines([gap_mark(held, piece, marks), *(beside if piece == hinted and not above else []), *piece.said])
    return page.text()


def _piece_order(piece: Span | Gap) -> tuple[int, int, int]:
    lifted = isinstance(piece, Gap) and piece.above >= 0
    return (piece.above, -1, piece.start) if isinstance(piece, Gap) and lifted else (piece.start, 0, piece.end)


def _split_spans(kept: tuple[Span, ...], places: list[int]) -> list[Span]:
    """The kept spans, with one ending and another beginning at these places."""
    result: list[Span] = []
    for start, end in kept:
        stops = sorted({start, end, *(place for place in places if start < place < end)})
        result += map(Span, stops, stops[1:])
    return result


def gap_mark(held: PartialText, gap: Gap, marks: MarkForms | None) -> str:
    """What stands in the place of a gap; three dots where there is no room for marks."""
    if marks is None:
        return SHORT_MARKER
    size = held.size(gap.start, gap.end)
    if gap.form is Form.FOLD:
        return marks.fold(gap.number, gap.noun, size.chars)
    lines = size.lines if not marks.short or _is_whole_lines(held.text, gap) else 0
    if marks.short and lines and held.text[gap.end - 1] not in "\r\n":
        lines += 1  # the last line of a text is one without an end, too; the long form says the characters
    return marks.diff(lines, size.chars) if gap.form is Form.DIFF else marks.gap(lines, size.chars)


def _is_whole_lines(text: str, gap: Gap) -> bool:
    begins = gap.start == 0 or text[gap.start - 1] in "\r\n"
    return begins and (gap.end == len(text) or text[gap.end - 1] in "\r\n")


def look_alikes(text: str, span: Span, *, wording: bool) -> list[int]:
    """Where, in a kept span, the lines begin that could be taken for marks of ours."""
    return look_alike_places(text[span.start : span.end], short=not wording)


def quoted_span(text: str, span: Span, *, wording: bool) -> str:
    """A kept span, with every look-alike line prefixed."""
    piece = text[span.start : span.end]
    for at in reversed(look_alikes(text, span, wording=wording)):
        piece = piece[:at] + QUOTE + piece[at:]
    return piece


class _ViewText:
    """Text under construction: our lines stand on lines of their own, with no blank line next to them."""

    def __init__(self, header: str) -> None:
        self._pieces = [header]
        self._after_lines = False

    def source(self, text: str) -> None:
        if self._after_lines and text and text[0] not in "\r\n":
            self._pieces.append("\n")
        self._pieces.append(text)
        self._after_lines = False

    def inline(self, mark: str) -> None:
        self._pieces.append(mark)

    def lines(self, lines: list[str]) -> None:
        last = self._pieces[-1]
        if last and last[-1] not in "\r\n":
            self._pieces.append("\n")
        self._pieces.append("\n".join(lines))
        self._after_lines = True

    def text(self) -> str:
        return "".join(self._pieces)


LEAST_TEXT = 16
NAMED_FROM = 64  # from here on a view names the artifact
MARKED_FROM = 16  # below, a marker would leave no room for the text it speaks of
MOST_ON_TOP = 240  # what marker and hint may add to lines that were kept by count


NOTHING = Size(0, 0, 0, 0)


class View(NamedTuple):
    """A rendered cut."""

    text: str
    kept: tuple[Span, ...]
    cut: Cut
    fetch: str = ""
    shown: Size = NOTHING


class Frame(NamedTuple):
    """The marks around a cut: how much of ours is shown."""

    header: str = ""
    hint: str = ""  # as wide as it can get
    full: bool = False  # the hint says where the largest gap is, not only the name of the artifact
    wording: bool = True
    least: int = 1  # characters of text below which a leaner frame is better
    most: int | None = None  # characters of text beyond which nothing is shown, however much room there is

    def cost(self, size: Size, marks: MarkForms) -> int:
        """What header, hint and the first marker can take at the most, with the line ends around them."""
        width = marks.widest(size) if self.wording else len(SHORT_MARKER)
        return len(self.header) + (len(self.hint) + 1 if self.hint else 0) + width + 2


class Subject(NamedTuple):
    """What is to be shown, and how."""

    text: str
    size: Size
    strategy: Strategy
    options: Options
    reference: Reference = Reference()
    on_top: bool = True  # lines kept by count may have their marks on top of the budget
    holes: tuple[Hole, ...] = ()  # where `text` is parts of one too large to be held
    keep: int = 0  # characters that are held of either end of a stream
    survey: object = None  # what all of a stream adds up to

    @property
    def held(self) -> PartialText:
        return PartialText(self.text, self.holes)


def text_view(subject: Subject, budget: Budget) -> View:
    """The view of a text that is longer than its budget, header, markers and hint included."""
    size, reference = subject.size, subject.reference
    ceiling = size.chars if budget.ceiling is None else min(budget.ceiling, size.chars)
    if budget.tokens is None:
        return draw_text(subject, ceiling, counted=subject.on_top and not (reference.block or reference.lead))
    drawn = draw_text(subject, ceiling, counted=False)
    if budget.holds(drawn.text):
        return drawn
    return _largest_view(subject, budget, ceiling)


def _largest_view(subject: Subject, budget: Budget, ceiling: int) -> View:
    """The largest view whose tokens, counted one by one, are within the budget: found by halving."""
    low, high = 0, ceiling
    best = draw_text(subject, 1, counted=False)
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        drawn = draw_text(subject, middle, counted=False)
        if budget.holds(drawn.text):
            low, best = middle, drawn
        else:
            high = middle
    return best


def draw_text(subject: Subject, limit: int, *, counted: bool) -> View:
    """The view of a text in at most `limit` characters; lines kept by count may have their marks on top."""
    for frame in mark_frames(subject, limit):
        cost = frame.cost(subject.size, subject.reference.marks)
        room = limit - cost if frame.most is None else min(limit - cost, frame.most)
        if room >= frame.least:
            return _framed_view(subject, frame, room + cost, counted=counted)
    if subject.reference.lead:
        return View(words_within(subject.reference.lead, limit), (), Cut(()))
    if subject.reference.marks.comment:
        raise StrategyError("no room for marks that are comments")
    return _bare_view(subject, limit)


def marked_lines(marks: MarkForms, text: str) -> str:
    """Lines of ours as they stand in a text where they may have to be comments."""
    return "".join(marks.comment + line if line.strip() else line for line in text.splitlines(keepends=True))


def mark_frames(subject: Subject, limit: int) -> Iterator[Frame]:
    """Ways to mark a view, from the fullest to the leanest."""
    marks = subject.reference.marks
    for frame in _plain_frames(subject, limit):
        if frame.wording or not marks.comment:  # three dots alone are no comment
            yield frame._replace(header=marked_lines(marks, frame.header), hint=marked_lines(marks, frame.hint))


def _plain_frames(subject: Subject, limit: int) -> Iterator[Frame]:
    reference = subject.reference
    artifact = reference.artifact
    if reference.silent:
        yield Frame()
        yield Frame(wording=False)
        return
    if reference.marks.short:
        full = widest_header(subject.size, reference)
    else:
        full = hint(
            subject.size, f"[{reference.reason}]" if artifact is None else _widest_call(reference, subject.size)
        )
    if reference.lead:
        lead = f"{reference.lead}\n"
        if artifact is not None and artifact.partial and not reference.marks.short:
            # Ranges of the whole text would point to other places in what was kept of it.
            yield Frame(lead, hint(subject.size, f"both ends in {reference.spelling(artifact.id)}"), least=LEAST_TEXT)
        else:
            yield Frame(lead, full, full=True, least=LEAST_TEXT)
        yield Frame(lead, "", wording=False)
        return
    if reference.block and reference.marks.short:
        yield Frame("", full, full=True, least=LEAST_TEXT, most=reference.preview)
    elif reference.block:
        *fuller, leanest = reference_blocks(reference)
        wanted = limit // 2 if reference.preview is None else min(limit // 2, reference.preview)
        for header in fuller:
            yield Frame(header, full, full=True, least=wanted, most=reference.preview)
        yield Frame(leanest, full, full=True, least=min(LEAST_TEXT, wanted), most=reference.preview)
    yield Frame("", full, full=True, least=LEAST_TEXT)
    if limit >= NAMED_FROM:
        named = f"[{reference.reason if artifact is None else reference.name}]"
        yield Frame("", named, least=LEAST_TEXT)
        yield Frame("", named, wording=False)
    if limit >= MARKED_FROM:
        yield Frame("", "", wording=False)


def _widest_call(reference: Reference, size: Size) -> str:
    artifact = reference.artifact
    assert artifact is not None  # noqa: S101  # the caller asked
    lines = reference.spelling(artifact.id, Part("lines", size.lines + 1, size.lines + 1))
    return max(lines, reference.spelling(artifact.id, Part("bytes", size.bytes, size.bytes)), key=len)


def _framed_view(subject: Subject, frame: Frame, limit: int, *, counted: bool) -> View:
    """Cut and write. What quoting look-alikes costs is known only after a cut, so the cut may be made again."""
    cost = frame.cost(subject.size, subject.reference.marks)
    chars = limit - cost
    on_top = min(limit, subject.size.chars - cost) if counted and cost <= MOST_ON_TOP else chars
    quotes = 0
    for worst in (False, False, True, True):
        room = _room(subject, limit)._replace(chars=chars - quotes, counted=on_top - quotes)
        cut = checked_cut(subject.strategy(subject.text, room, subject.options), room, subject.held)
        needed = 0 if cut.verbatim else _quotes_cost(subject, frame, cut)
        if needed <= quotes:
            break
        quotes = chars - chars * SHORTEST_LOOK_ALIKE // (SHORTEST_LOOK_ALIKE + len(QUOTE)) if worst else needed
    most = limit if not cut.counted else sum(span.chars for span in cut.kept) + quotes + MOST_ON_TOP
    return _view_of_cut(subject, frame, cut, most)


def _quotes_cost(subject: Subject, frame: Frame, cut: Cut) -> int:
    """What it costs to tell look-alikes of our marks apart."""
    return len(QUOTE) * sum(len(look_alikes(subject.text, span, wording=frame.wording)) for span in cut.kept)


def draw_text_by_count(subject: Subject) -> View:
    """The view of a text that fits already, but has more lines than a strategy is asked to keep, if that is shorter."""
    drawn = draw_text(subject, subject.size.chars + Frame().cost(subject.size, subject.reference.marks), counted=True)
    if len(drawn.text) < subject.size.chars:
        return drawn
    cut = whole_cut(subject.text)
    return View(subject.text, cut.kept, cut, shown=subject.size)


def checked_cut(cut: Cut, room: Room, held: PartialText) -> Cut:
    """The cut, if it is one: in order, inside what is held of the text, and within the room."""
    at, length = 0, len(held.text)
    for start, end in cut.kept:
        if not at <= start <= end <= length:
            raise StrategyError(f"kept spans must be in order and inside the text; got {start}-{end} of {length}")
        if any(start <= hole.at <= end for hole in held.holes):
            raise StrategyError(f"kept characters {start}-{end} of a stream, of which only parts are held")
        at = end
    spent = cut_cost(cut, held, room.marks)
    allowed = room.counted if cut.counted else room.chars
    if spent > max(0, allowed):
        raise StrategyError(f"kept {spent} characters, marks included, where there was room for {allowed}")
    return cut


def cut_cost(cut: Cut, held: PartialText, marks: MarkForms) -> int:
    """What a cut takes of its room: what is kept, our lines, and all marks but the widest."""
    ours = (*cut.notes, *cut.overview, *(line for gap in cut.gaps for line in gap.said))
    lines = sum(1 + line.count("\n") for line in ours)  # a statement may have several, each a comment
    told = sum(len(line) + 1 for line in ours) + len(marks.comment) * lines
    return sum(span.chars for span in cut.kept) + told + _marks_cost(cut, held, marks)


def _marks_cost(cut: Cut, held: PartialText, marks: MarkForms) -> int:
    """What the marks of all gaps but the widest cost, with the line ends around them."""
    gaps = gaps_of(cut, len(held.text))
    if len(gaps) <= 1:
        return 0
    widths = [len(gap_mark(held, gap, marks)) + 2 for gap in gaps]
    return sum(widths) - max(widths)


def _view_of_cut(subject: Subject, frame: Frame, cut: Cut, most: int) -> View:
    held, reference = subject.held, subject.reference

    def ours(line: str) -> str:
        return marked_lines(reference.marks, line)

    cut = cut._replace(notes=tuple(map(ours, cut.notes)), overview=tuple(map(ours, cut.overview)))
    gaps = gaps_of(cut, len(held.text))
    if not gaps:
        return View(held.text, cut.kept, cut, shown=subject.size)
    hinted = max(gaps, key=lambda gap: held.chars(gap.start, gap.end))

    def page(hint_line: str) -> str:
        leads = reference.marks.short and not reference.marks.below
        top = f"{hint_line}\n" if leads and hint_line else ""
        beside = [line for line in ("" if top else hint_line, *cut.notes) if line]
        return view_text(held, cut, frame.header + top, beside, hinted, reference.marks if frame.wording else None)

    kept, shown = held.original_spans(cut.kept), held.kept_size(cut.kept)
    if not frame.full or reference.artifact is None:
        return View(page(frame.hint), kept, cut, shown=shown)
    where = held.part_of(hinted.start, hinted.end)
    fetch = reference.spelling(reference.artifact.id, where)
    if reference.marks.short:
        text = page(ours(header(subject.size, reference, where, len(gaps) - 1)))
        if len(text) > most:
            text = page(ours(header(subject.size, reference, where)))
        return View(text, kept, cut, fetch, shown)
    also = _other_gaps(held, where.unit, [gap for gap in gaps if gap is not hinted])
    text = page(ours(hint(subject.size, fetch + also)))
    if also and len(text) > most:
        text = page(ours(hint(subject.size, fetch)))
    return View(text, kept, cut, fetch, shown)


def _other_gaps(held: PartialText, unit: str, others: list[Gap]) -> str:
    """Names the largest other gap in the same unit and counts the rest: `, also 41-902, +3`."""
    if not others:
        return ""
    largest = max(others, key=lambda gap: held.chars(gap.start, gap.end))
    second = held.part_of(largest.start, largest.end)
    named = second.unit == unit
    more = len(others) - named
    return (f", also {second.start}-{second.end}" if named else "") + (f", +{more}" if more else "")


def _room(subject: Subject, limit: int) -> Room:
    marks = subject.reference.marks
    gap = marks.widest(subject.size) + 2  # with the line ends around it
    room = Room(limit, limit, gap, limit=limit, holes=subject.holes, keep=subject.keep, marks=marks)
    return room._replace(survey=subject.survey)


def _bare_view(subject: Subject, limit: int) -> View:
    """A cut with no mark at all, where there is no room for one."""
    room = _room(subject, limit)
    cut = subject.strategy(subject.text, room, subject.options)
    longest = max(cut.kept, key=lambda span: span.chars, default=Span(0, 0))
    text = subject.text[longest.start : longest.end]
    if not 0 < len(text) <= limit:
        return View(SHORT_MARKER[:limit], (), Cut(()))
    held = subject.held
    return View(text, held.original_spans((longest,)), Cut((longest,)), shown=held.kept_size((longest,)))
