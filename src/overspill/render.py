"""One renderer: a strategy's cut becomes text, within the budget, with every gap marked.

It reserves before it cuts. The header, the hint and the widest marker are set aside first, the
strategy gets what is left, and so the view can never be too long. When room is short the marks get
leaner, in the order of `frames`; the text gets the last word only where nothing else is left.
"""

from collections.abc import Iterator
from typing import NamedTuple

from overspill.budget import Budget
from overspill.errors import StrategyError
from overspill.marks import (
    LOOK_ALIKE,
    QUOTE,
    SHORT_LOOK_ALIKE,
    SHORT_MARKER,
    SHORTEST_LOOK_ALIKE,
    Part,
    hint,
    marker,
)
from overspill.measure import Size, count_bytes, count_lines
from overspill.reference import Shelf, blocks
from overspill.spans import Cut, Form, Gap, Options, Room, Span, Strategy, between, whole

LEAST_TEXT = 16
NAMED_FROM = 64  # from here on a view names the artifact
MARKED_FROM = 16  # below, a marker would leave no room for the text it speaks of
MOST_ON_TOP = 240  # what marker and hint may add to lines that were kept by count


class View(NamedTuple):
    """A rendered cut."""

    text: str
    kept: tuple[Span, ...]
    cut: Cut
    fetch: str = ""

    @property
    def shown(self) -> int:
        return sum(span.chars for span in self.kept)


class Frame(NamedTuple):
    """The marks around a cut: how much of ours is shown."""

    header: str = ""
    hint: str = ""  # as wide as it can get
    full: bool = False  # the hint says where the largest gap is, not only the name of the artifact
    wording: bool = True
    least: int = 1  # characters of text below which a leaner frame is better
    most: int | None = None  # characters of text beyond which nothing is shown, however much room there is

    def cost(self, size: Size) -> int:
        """What header, hint and the first marker can take at the most, with the line ends around them."""
        width = len(marker(size.lines, size.chars)) if self.wording else len(SHORT_MARKER)
        return len(self.header) + (len(self.hint) + 1 if self.hint else 0) + width + 2


class Subject(NamedTuple):
    """What is to be shown, and how."""

    text: str
    size: Size
    strategy: Strategy
    options: Options
    shelf: Shelf = Shelf()
    on_top: bool = True  # lines kept by count may have their marks on top of the budget


def view(subject: Subject, budget: Budget) -> View:
    """The view of a text that is longer than its budget, header, markers and hint included."""
    size, shelf = subject.size, subject.shelf
    ceiling = size.chars if budget.ceiling is None else min(budget.ceiling, size.chars)
    if budget.tokens is None:
        return draw(subject, ceiling, counted=subject.on_top and not (shelf.block or shelf.lead))
    drawn = draw(subject, ceiling, counted=False)
    if budget.holds(drawn.text):
        return drawn
    return _largest(subject, budget, ceiling)


def _largest(subject: Subject, budget: Budget, ceiling: int) -> View:
    """The largest view whose tokens, counted one by one, are within the budget: found by halving."""
    low, high = 0, ceiling
    best = draw(subject, 1, counted=False)
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        drawn = draw(subject, middle, counted=False)
        if budget.holds(drawn.text):
            low, best = middle, drawn
        else:
            high = middle
    return best


def draw(subject: Subject, limit: int, *, counted: bool) -> View:
    """The view of a text in at most `limit` characters; lines kept by count may have their marks on top."""
    for frame in frames(subject, limit):
        cost = frame.cost(subject.size)
        room = limit - cost if frame.most is None else min(limit - cost, frame.most)
        if room >= frame.least:
            return _framed(subject, frame, room + cost, counted=counted)
    if subject.shelf.lead:
        return View(subject.shelf.lead[:limit], (), Cut(()))
    return _bare(subject, limit)


def frames(subject: Subject, limit: int) -> Iterator[Frame]:
    """Ways to mark a view, from the fullest to the leanest."""
    shelf = subject.shelf
    artifact = shelf.artifact
    if shelf.silent:
        yield Frame()
        yield Frame(wording=False)
        return
    full = hint(subject.size, f"[{shelf.reason}]" if artifact is None else _widest_call(shelf, subject.size))
    if shelf.lead:
        lead = f"{shelf.lead}\n"
        if artifact is not None and artifact.partial:
            # Ranges of the whole text would point to other places in what was kept of it.
            yield Frame(lead, hint(subject.size, f"both ends in {shelf.spelling(artifact.id)}"), least=LEAST_TEXT)
        else:
            yield Frame(lead, full, full=True, least=LEAST_TEXT)
        yield Frame(lead, "", wording=False)
        return
    if shelf.block:
        *fuller, leanest = blocks(shelf)
        wanted = limit // 2 if shelf.preview is None else min(limit // 2, shelf.preview)
        for header in fuller:
            yield Frame(header, full, full=True, least=wanted, most=shelf.preview)
        yield Frame(leanest, full, full=True, least=min(LEAST_TEXT, wanted), most=shelf.preview)
    yield Frame("", full, full=True, least=LEAST_TEXT)
    if limit >= NAMED_FROM:
        named = f"[{shelf.reason if artifact is None else artifact.id}]"
        yield Frame("", named, least=LEAST_TEXT)
        yield Frame("", named, wording=False)
    if limit >= MARKED_FROM:
        yield Frame("", "", wording=False)


def _widest_call(shelf: Shelf, size: Size) -> str:
    artifact = shelf.artifact
    assert artifact is not None  # noqa: S101  # the caller asked
    lines = shelf.spelling(artifact.id, Part("lines", size.lines + 1, size.lines + 1))
    return max(lines, shelf.spelling(artifact.id, Part("bytes", size.bytes, size.bytes)), key=len)


def _framed(subject: Subject, frame: Frame, limit: int, *, counted: bool) -> View:
    """Cut and write. What quoting look-alikes costs is known only after a cut, so the cut may be made again."""
    cost = frame.cost(subject.size)
    chars = limit - cost
    on_top = min(limit, subject.size.chars - cost) if counted and cost <= MOST_ON_TOP else chars
    quotes = 0
    for worst in (False, False, True, True):
        room = Room(chars - quotes, on_top - quotes, gap=_gap_width(subject.size), limit=limit)
        cut = checked(subject.strategy(subject.text, room, subject.options), room, len(subject.text))
        needed = len(QUOTE) * sum(len(_look_alikes(subject.text, span, frame)) for span in cut.kept)
        if needed <= quotes:
            break
        quotes = chars - chars * SHORTEST_LOOK_ALIKE // (SHORTEST_LOOK_ALIKE + len(QUOTE)) if worst else needed
    most = limit if not cut.counted else sum(span.chars for span in cut.kept) + quotes + MOST_ON_TOP
    return _written(subject, frame, cut, most)


def draw_by_count(subject: Subject) -> View:
    """The view of a text that fits already, but has more lines than a strategy is asked to keep, if that is shorter."""
    drawn = draw(subject, subject.size.chars + Frame().cost(subject.size), counted=True)
    if len(drawn.text) < subject.size.chars:
        return drawn
    cut = whole(subject.text)
    return View(subject.text, cut.kept, cut)


def checked(cut: Cut, room: Room, length: int) -> Cut:
    """The cut, if it is one: in order, inside the text and within the room."""
    at = 0
    for start, end in cut.kept:
        if not at <= start <= end <= length:
            raise StrategyError(f"kept spans must be in order and inside the text; got {start}-{end} of {length}")
        at = end
    spent = sum(span.chars for span in cut.kept) + sum(len(note) + 1 for note in cut.notes)
    spent += room.gap * max(0, sum(1 for _ in between(cut.kept, length)) - 1)
    allowed = room.counted if cut.counted else room.chars
    if spent > max(0, allowed):
        raise StrategyError(f"kept {spent} characters, marks included, where there was room for {allowed}")
    return cut


def _written(subject: Subject, frame: Frame, cut: Cut, most: int) -> View:
    text, shelf = subject.text, subject.shelf
    special = {gap.start: gap for gap in cut.gaps}
    gaps = [special.get(span.start, Gap(*span)) for span in between(cut.kept, len(text))]
    if not gaps:
        return View(text, cut.kept, cut)
    hinted = max(gaps, key=lambda gap: gap.chars)
    if not frame.full or shelf.artifact is None:
        return View(_page(subject, frame, cut, gaps, hinted, frame.hint), cut.kept, cut)
    where = whereabouts(text, hinted)
    fetch = shelf.spelling(shelf.artifact.id, where)
    page = _page(subject, frame, cut, gaps, hinted, hint(subject.size, fetch))
    also = _also(text, where.unit, [gap for gap in gaps if gap is not hinted])
    if also and len(page) + len(also) <= most:
        page = _page(subject, frame, cut, gaps, hinted, hint(subject.size, fetch + also))
    return View(page, cut.kept, cut, fetch)


def _page(subject: Subject, frame: Frame, cut: Cut, gaps: list[Gap], hinted: Gap, hint_line: str) -> str:
    """The text of a view. Hint and notes stand beside the gap they speak of, or on top if that is inside a line."""
    beside = [line for line in (hint_line, *cut.notes) if line]
    above = beside if hinted.form is Form.INLINE else []
    page = _Page(frame.header + "".join(f"{line}\n" for line in above))
    pieces: list[Span | Gap] = [*cut.kept, *gaps]
    for piece in sorted(pieces, key=lambda piece: (piece.start, piece.end)):
        if isinstance(piece, Span):
            page.source(_quoted(subject.text, piece, frame))
        elif piece.form is Form.INLINE:
            page.inline(_marker(subject.text, piece, frame))
        else:
            page.lines([_marker(subject.text, piece, frame), *(beside if piece is hinted else [])])
    return page.text()


def _also(text: str, unit: str, others: list[Gap]) -> str:
    """Names the largest other gap in the same unit and counts the rest: `, also 41-902, +3`."""
    if not others:
        return ""
    second = whereabouts(text, max(others, key=lambda gap: gap.chars))
    named = second.unit == unit
    more = len(others) - named
    return (f", also {second.start}-{second.end}" if named else "") + (f", +{more}" if more else "")


class _Page:
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


def whereabouts(text: str, gap: Gap) -> Part:
    r"""Where a gap is: lines if it is whole lines, else bytes.

    >>> whereabouts("a\nb\nc\n", Gap(2, 4)), whereabouts("aé\nb", Gap(2, 4))
    (Part(unit='lines', start=2, end=2, query=''), Part(unit='bytes', start=3, end=5, query=''))
    """
    begins = gap.start == 0 or text[gap.start - 1] in "\r\n"
    ends = gap.end == len(text) or text[gap.end - 1] in "\r\n"
    if begins and ends:
        first = count_lines(text, 0, gap.start) + 1
        last = first + count_lines(text, gap.start, gap.end) - (1 if text[gap.end - 1] in "\r\n" else 0)
        return Part("lines", first, last)
    start = count_bytes(text[: gap.start])
    return Part("bytes", start, start + count_bytes(text[gap.start : gap.end]))


def _gap_width(size: Size) -> int:
    """What one more gap costs at the most: its marker, and the line ends around it."""
    return len(marker(size.lines, size.chars)) + 2


def _marker(text: str, gap: Gap, frame: Frame) -> str:
    if not frame.wording:
        return SHORT_MARKER
    return marker(count_lines(text, gap.start, gap.end), gap.chars)


def _look_alikes(text: str, span: Span, frame: Frame) -> list[int]:
    """Where, in a kept span, the lines begin that could be taken for marks of ours."""
    piece = text[span.start : span.end]
    found = [*LOOK_ALIKE.finditer(piece)]
    if not frame.wording:
        found += SHORT_LOOK_ALIKE.finditer(piece)
    return sorted({_line_start(piece, match.start()) for match in found})


def _line_start(piece: str, at: int) -> int:
    if piece[at : at + 1] in ("\r", "\n"):
        return at + 1
    return max(piece.rfind("\n", 0, at), piece.rfind("\r", 0, at)) + 1


def _quoted(text: str, span: Span, frame: Frame) -> str:
    piece = text[span.start : span.end]
    for at in reversed(_look_alikes(text, span, frame)):
        piece = piece[:at] + QUOTE + piece[at:]
    return piece


def _bare(subject: Subject, limit: int) -> View:
    """A cut with no mark at all, where there is no room for one."""
    room = Room(limit, limit, gap=_gap_width(subject.size), limit=limit)
    cut = subject.strategy(subject.text, room, subject.options)
    longest = max(cut.kept, key=lambda span: span.chars, default=Span(0, 0))
    text = subject.text[longest.start : longest.end]
    if not 0 < len(text) <= limit:
        return View(SHORT_MARKER[:limit], (), Cut(()))
    return View(text, (longest,), Cut((longest,)))
