r"""What matters in the middle of a text too large to be held: a bounded number of islands, found as it goes by.

Both ends of such a text are held anyway. What comes after the first end is looked through in blocks at fixed places,
so it makes no difference in which pieces the text comes. From every block the lines that matter are kept with what
belongs to them; when there are too many, the best stay: distinct messages before repeats. Ends
and islands together are a `PartialText`.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.core import Size, count_bytes, count_lines
from overspill.core.spans import Cut, Hole, Options, PartialText, Span
from overspill.cut.digest.survey import Survey
from overspill.cut.ends import is_diff
from overspill.cut.smart.general import SCORES, score_of
from overspill.cut.smart.shapes import LOUD, LineClass, LineScorer, ScoredLine, SignalLine, hit_lines, small_letters
from overspill.cut.smart.units import FOCUS, RARE, TextVocabulary, block_end, line_before

if TYPE_CHECKING:
    from collections.abc import Iterable

    from overspill.cut.digest.templates import Template


class Island(NamedTuple):
    """A part of the middle, and how much of the text lies before it."""

    start: int
    lines: int
    bytes: int
    score: float
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    def within(self, start: int, end: int) -> Island:
        """What of it lies between two places."""
        before = max(0, start - self.start)
        cut = self.text[:before]
        text = self.text[before : max(before, end - self.start)]
        lines, count = self.lines + count_lines(cut), self.bytes + count_bytes(cut)
        return Island(self.start + before, lines, count, self.score, text)


NEAR = 1 << 17  # characters of either end that are looked at line by line: many times what a view shows


def _near(head: str) -> int:
    """How much of either end is looked at closely, by how the text begins: of a diff all that is held."""
    return len(head) if is_diff(head) else min(len(head), NEAR)


def partial_text_of(head: str, islands: Iterable[Island], tail: str, whole: Size) -> PartialText:
    """What is looked at of a text: its ends, as far as that is worth it, and the islands between them."""
    near = _near(head)
    head, tail = head[:near], tail[-near:]
    parts, holes = [head], list[Hole]()
    at, chars = len(head), len(head)  # in what is held, and in the whole text
    lines, count = count_lines(head), count_bytes(head)
    tail_start = whole.chars - len(tail)
    last = Island(tail_start, whole.lines - count_lines(tail), whole.bytes - count_bytes(tail), 0, tail)
    for island in (*islands, last):
        part = island if island is last else island.within(chars, tail_start)
        if not part.text:
            continue
        if part.start > chars:
            holes.append(Hole(at, part.start - chars, part.lines - lines, part.bytes - count))
        parts.append(part.text)
        at, chars = at + len(part.text), part.end
        lines, count = part.lines + count_lines(part.text), part.bytes + count_bytes(part.text)
    return PartialText("".join(parts), tuple(holes))


def in_whole(cut: Cut, held: PartialText) -> Cut:
    """A cut of what is held, by its places in the whole text."""
    places = held.original_spans(Span(gap.start, gap.end) for gap in cut.gaps)
    aboves = held.original_spans(Span(max(0, gap.above), max(0, gap.above)) for gap in cut.gaps)
    gaps = tuple(
        gap._replace(start=start, end=end, above=gap.above if gap.above < 0 else above.start)
        for gap, (start, end), above in zip(cut.gaps, places, aboves, strict=True)
    )
    return cut._replace(kept=held.original_spans(cut.kept), gaps=gaps, whys=held.reasons(cut.whys))


BLOCK = 1 << 20
OVERLAP = 1 << 15  # of two blocks: what belongs to a line is in one of them
CONTEXT = 1 << 12  # before the first new line of a block
LONGEST_LINE = 1 << 12
LONGEST = 3_000  # characters of one island
MOST = 2_000
MOST_CHARS = 1 << 19
MOST_RARE = 1_000  # lines that say what hardly another says
LEAST_SCORE = SCORES["trouble"]
MANY_TIMES = 100  # that something was said but for numbers: the more often, the fewer of them are looked at
MOST_KNOWN = 50_000  # different messages that are remembered
BEFORE = 2


class Sieve:
    """Feed it the text from the end of its `head` on, which is held anyway."""

    def __init__(self, head: str, options: Options) -> None:
        self._options = options
        self._line_scorer = LineScorer(MOST_KNOWN)
        self._pieces: list[str] = []
        self._waiting = 0
        head, rest = head[: _near(head)], head[_near(head) :]
        # What lies before the buffer.
        self._start, self._lines, self._bytes = len(head), count_lines(head), count_bytes(head)
        self._after_return = head.endswith("\r")
        self._done = 0  # how much of the buffer has been looked through
        self._islands: list[Island] = []
        self.survey = Survey()
        self.survey.feed(head)
        self.feed(rest)

    def feed(self, text: str) -> None:
        """Take one more piece."""
        if self._after_return and text:
            self._lines -= text[0] == "\n"  # one line end, counted already
            self._after_return = False
        self.survey.feed(text)
        self._pieces.append(text)
        self._waiting += len(text)
        if self._waiting >= BLOCK:
            buffer = "".join(self._pieces)
            at = 0
            while len(buffer) - at >= BLOCK:
                at += self._look(buffer[at : at + BLOCK], BLOCK - OVERLAP)
            rest = buffer[at:]
            self._pieces, self._waiting = [rest], len(rest)

    def islands(self) -> list[Island]:
        """What was found, in order; the text is over."""
        buffer = "".join(self._pieces)
        self._pieces, self._waiting = [], 0
        self._look(buffer, len(buffer))
        rare = (_island_of(one) for one in self.survey.close().templates.rare(MOST_RARE))
        return sorted([*self._islands, *filter(None, rare)], key=lambda island: island.start)

    def _look(self, block: str, limit: int) -> int:
        """Look through a block up to `limit`; says how much of it is not needed any more."""
        lines, count, at = self._lines, self._bytes, 0
        for line, score in self._candidates(block, limit):
            start = line.start
            for _ in range(BEFORE):
                start = line_before(block, start)
            end = min(block_end(block, line.start, line.end), line.start + LONGEST)
            end = max(block.rfind("\n", line.end, end) + 1, min(line.end + 1, len(block)))
            # A wall of one character, or a line end of two, stands on either side.
            start = max(start - 2 if block.startswith("\r\n", start - 2) else start - 1, at)
            stop = min(end + (2 if block.startswith("\r\n", end) else 1), len(block))
            if start >= stop or end >= len(block):
                continue
            if self._islands and start <= at:
                start = at
            lines += count_lines(block, at, start)
            count += count_bytes(block, at, start)
            text = block[start:stop]
            self._islands.append(Island(self._start + start, lines, count, score, text))
            lines, count, at = lines + count_lines(text), count + count_bytes(text), stop
        self._prune()
        used = max(0, limit - CONTEXT)
        if used > 1 and block[used - 1] == "\r":
            used -= 1  # a line end is not taken apart
        self._start += used
        # What was counted on the way to the last island need not be counted again.
        split = block.startswith("\n", at) and at > 0 and block[at - 1] == "\r"
        if at > used or split:
            lines, count, at = self._lines, self._bytes, 0
        self._lines = lines + count_lines(block, at, used)
        self._bytes = count + count_bytes(block, at, used)
        self._done = limit - used
        return used

    def _candidates(self, block: str, limit: int) -> list[tuple[ScoredLine, float]]:
        found: list[tuple[ScoredLine, float]] = []
        if self._options.prioritize_errors:
            for hit in hit_lines(block, tuple(filter(TextVocabulary(block).has_small, LOUD))):
                if not self._done <= hit.at < limit or hit.end - hit.start > LONGEST_LINE or hit.start == 0:
                    continue
                said = self._line_scorer.line_class(block, hit)
                if said is not None and SCORES[said.level] >= LEAST_SCORE:
                    line = self._line_scorer.scored_line(block, hit, said)
                    if line.times % (line.times // MANY_TIMES + 1) == 0:
                        found.append((line, score_of(line)))
        focus = self._options.focus.strip()
        if focus:
            found += self._asked_for(block, small_letters(focus), limit)
            found.sort(key=lambda pair: pair[0].start)
        return found

    def _asked_for(self, block: str, wanted: str, limit: int) -> list[tuple[ScoredLine, float]]:
        said = LineClass("trouble", "asked for")
        hits = [hit for hit in hit_lines(block, (wanted,), ()) if self._done <= hit.at < limit and hit.start > 0]
        return [(ScoredLine(*hit, said, ""), FOCUS) for hit in hits if _is_short(hit)]

    def _prune(self) -> None:
        """Keep the best, in twice the room that is needed in the end, so that it is seldom done."""
        chars = sum(len(island.text) for island in self._islands)
        if len(self._islands) <= 2 * MOST and chars <= 2 * MOST_CHARS:
            return
        kept: list[Island] = []
        chars = 0
        for island in sorted(self._islands, key=lambda island: (-island.score, island.start)):
            chars += len(island.text)
            if len(kept) >= MOST or chars > MOST_CHARS:
                break
            kept.append(island)
        self._islands = kept


def _island_of(template: Template) -> Island | None:
    """The first line of a template, with the line ends around it."""
    if template.before is None or not template.number:
        return None
    chars, count = template.before
    return Island(chars - 1, template.number - 1, count - 1, RARE, f"\n{template.first}\n")


def _is_short(hit: SignalLine) -> bool:
    return hit.end - hit.start <= LONGEST_LINE
