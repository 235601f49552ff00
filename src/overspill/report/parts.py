"""What was shown of an artifact, why, and what was fetched of it later: by characters and by lines.

Positions are kept beside the artifact in characters (`core.report.shown_record`). Lines are counted here, in one pass
over the content, in flat memory; on the same way those pieces of text are taken that are asked for.
"""

from __future__ import annotations

import codecs
import json
import re
from bisect import bisect_left
from itertools import islice
from typing import NamedTuple

from overspill._lite import TYPE_CHECKING
from overspill.core.report import SHOWN_VERSION
from overspill.core.size import count_lines
from overspill.core.spans import Span, joined_spans

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from overspill.report.calls import Fetch
    from overspill.store import OpenArtifact

CONTEXT_CHARS = 2_000  # of what was left out, on either side of what was not
MAX_TEXT_CHARS = 256_000  # of one artifact, in a file or in one answer
LINE_END = re.compile(r"\r\n|\r|\n")


class ShownRecord(NamedTuple):
    """What was shown of an artifact, in characters, and why."""

    chars: int
    view: int
    tokens: int
    limit: int | None
    strategy: str
    kept: tuple[Span, ...] | None  # None where they are too many to be told
    whys: tuple[tuple[int, int, str], ...] = ()
    gaps: tuple[str, ...] = ()  # how its marks read, where somebody may ask


def parse_shown(content: bytes | None) -> ShownRecord | None:
    """The record beside an artifact, or None where there is none, or one of another version."""
    if content is None:
        return None
    try:
        fields = json.loads(content)
        if fields["v"] != SHOWN_VERSION:
            return None
        return ShownRecord(
            int(fields["chars"]),
            int(fields["view"]),
            int(fields["tokens"]),
            fields["limit"] if isinstance(fields["limit"], int) else None,
            str(fields["strategy"]),
            None if fields["kept"] is None else tuple(_kept_spans(fields["kept"])),
            tuple(_whys(fields.get("words", []), fields.get("whys", []))),
            tuple(map(str, fields.get("gaps", []))),
        )
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        return None


def _kept_spans(flat: Sequence[int]) -> Iterator[Span]:
    at = 0
    for gap, length in zip(flat[::2], flat[1::2], strict=True):
        yield Span(at + int(gap), at + int(gap) + int(length))
        at += int(gap) + int(length)


def _whys(words: Sequence[str], flat: Sequence[int]) -> Iterator[tuple[int, int, str]]:
    at = 0
    for gap, length, word in zip(flat[::3], flat[1::3], flat[2::3], strict=True):
        at += int(gap)
        yield at, at + int(length), str(words[word])


class Placed(NamedTuple):
    """Characters of a text, and the lines they lie on, counted from 1, both included."""

    start: int
    end: int
    first: int
    last: int


class TextPiece(NamedTuple):
    """A part of a text that is there to be read."""

    start: int
    line: int  # the number of its first line
    text: str


class ArtifactParts(NamedTuple):
    """All that the page draws of one artifact."""

    shown: ShownRecord | None
    kept: tuple[Placed, ...]
    whys: tuple[tuple[Placed, str], ...]
    fetched: tuple[tuple[Placed | None, Fetch], ...]
    texts: tuple[TextPiece, ...]
    chars: int
    lines: int


def artifact_parts(
    opened: OpenArtifact, shown: ShownRecord | None, fetches: Sequence[Fetch], text_chars: int = 0
) -> ArtifactParts:
    """What was shown and fetched of an artifact; with at most `text_chars` of its text, best places first."""
    scan = ContentScan(opened)
    asked = [_fetch_marks(fetch) for fetch in fetches]
    if any(marks for marks in asked):
        scan.find(mark for marks in asked for mark in marks)
    size = opened.artifact.size
    fetched = tuple((_fetched_span(fetch, scan, size.chars), fetch) for fetch in fetches)
    kept = shown.kept or () if shown is not None else ()
    whys = shown.whys if shown is not None else ()
    spans = [*kept, *(span for span, _ in fetched if span is not None)]
    wanted = wanted_texts(spans, size.chars, text_chars) if text_chars else []
    places = sorted({at for span in (*spans, *((start, end) for start, end, _ in whys)) for at in span})
    lines = scan.lines_at(places, wanted)
    placed = dict(zip(places, lines, strict=True))

    def place(start: int, end: int) -> Placed:
        return Placed(start, end, placed[start][0], max(placed[start][0], placed[end][1]))

    return ArtifactParts(
        shown,
        tuple(place(*span) for span in kept),
        tuple((place(start, end), why) for start, end, why in whys),
        tuple((None if span is None else place(*span), fetch) for span, fetch in fetched),
        tuple(scan.texts),
        size.chars,
        size.lines,
    )


def some_text(opened: OpenArtifact, start: int, end: int) -> list[TextPiece]:
    """The text from `start` on, up to `end` or to the last line end before it: nothing is read beyond that."""
    scan = ContentScan(opened)
    scan.lines_at((), [Span(start, end)], until=end)
    whole = min(end, opened.artifact.size.chars) - start
    pieces = []
    for piece in scan.texts:
        cut = max(piece.text.rfind("\n"), piece.text.rfind("\r", 0, -1)) + 1
        is_last = start + whole == opened.artifact.size.chars
        pieces.append(piece if is_last or not cut else piece._replace(text=piece.text[:cut]))
    return [piece for piece in pieces if piece.text]


def wanted_texts(spans: Iterable[Span], chars: int, most: int) -> list[Span]:
    """Which parts of a text to take: all of it, or what was shown and fetched, with something around it."""
    if chars <= most:
        return [Span(0, chars)] if chars else []
    ends = [Span(0, CONTEXT_CHARS), Span(chars - CONTEXT_CHARS, chars)]
    wide = joined_spans(
        Span(max(0, start - CONTEXT_CHARS), min(chars, end + CONTEXT_CHARS)) for start, end in (*spans, *ends)
    )
    taken: list[Span] = []
    for start, end in wide:
        if most <= 0:
            break
        taken.append(Span(start, min(end, start + most)))
        most -= taken[-1].chars
    return taken


Mark = tuple[str, int]  # a unit, and a place in it


def _fetch_marks(fetch: Fetch) -> list[Mark]:
    """The places that must be found before it can be said which characters a fetch brought."""
    if fetch.unit == "lines":
        return [("lines", fetch.first), ("lines", fetch.last + 1)]
    return [("bytes", fetch.first), ("bytes", fetch.last)] if fetch.unit == "bytes" else []


def _fetched_span(fetch: Fetch, scan: ContentScan, chars: int) -> Span | None:
    """Which characters a fetch brought; None where that is not told, as of a search."""
    if fetch.unit not in {"lines", "bytes", "all"}:
        return None
    marks = _fetch_marks(fetch)
    start, end = (scan.found.get(mark, 0) for mark in marks) if marks else (0, chars)
    start = min(start + fetch.offset, end)
    return Span(start, min(end, start + fetch.chars) if fetch.chars else end)


class ContentScan:
    """Passes over the content of an artifact, a piece at a time."""

    def __init__(self, opened: OpenArtifact) -> None:
        self._opened = opened
        self.found: dict[Mark, int] = {}
        self.texts: list[TextPiece] = []

    def _pieces(self) -> Iterator[str]:
        """The text in pieces, none of which ends inside a line end."""
        decoder = codecs.getincrementaldecoder("utf-8")("surrogatepass")
        rest = ""
        for piece in self._opened.pieces():
            text = rest + decoder.decode(piece)
            rest = "\r" if text.endswith("\r") else ""
            yield text[: len(text) - len(rest)]
        yield rest + decoder.decode(b"", final=True)

    def find(self, marks: Iterable[Mark]) -> None:
        """Find where lines and bytes lie in characters."""
        wanted = sorted(set(marks))
        chars = lines = size = 0
        for text in self._pieces():
            ended, length = count_lines(text), len(text.encode("utf-8", "surrogatepass"))
            for unit, place in wanted:
                if (unit, place) in self.found:
                    continue
                if unit == "lines" and place - 1 <= lines + ended:
                    self.found[unit, place] = chars + after_lines(text, place - 1 - lines)
                elif unit == "bytes" and place <= size + length:
                    inside = text.encode("utf-8", "surrogatepass")[: place - size]
                    self.found[unit, place] = chars + len(inside.decode("utf-8", "ignore"))
            chars, lines, size = chars + len(text), lines + ended, size + length
        for mark in wanted:
            self.found.setdefault(mark, chars)

    def lines_at(
        self, places: Sequence[int], wanted: Sequence[Span], until: int | None = None
    ) -> list[tuple[int, int]]:
        """For every place the line of the character after it and of the one before it; texts are taken on the way."""
        result: list[tuple[int, int]] = []
        taking: dict[int, list[str]] = {}
        begun: dict[int, int] = {}
        chars = lines = 0
        for text in self._pieces():
            stop, at, here = chars + len(text), 0, lines
            while len(result) < len(places) and places[len(result)] <= stop:
                place = places[len(result)] - chars
                here, at = here + count_lines(text, at, place), place
                result.append((here + 1, here + 1 - (text[place - 1 : place] in {"\n", "\r"} if place else 0)))
            for number in range(bisect_left(wanted, chars, key=_end), len(wanted)):
                start, end = wanted[number]
                if start >= stop:
                    break
                low = max(0, start - chars)
                begun.setdefault(number, lines + count_lines(text, 0, low) + 1)
                taking.setdefault(number, []).append(text[low : end - chars])
            chars, lines = stop, lines + count_lines(text)
            if until is not None and chars >= until:
                break
        result += [(lines + 1, lines + 1)] * (len(places) - len(result))
        self.texts = [
            TextPiece(wanted[number].start, begun[number], "".join(parts)) for number, parts in taking.items()
        ]
        return result


def _end(span: Span) -> int:
    return span.end


def after_lines(text: str, ends: int) -> int:
    r"""Where so many line ends are passed; the end if there are fewer.

    >>> after_lines("a\nb\nc", 1), after_lines("a\r\nb\rc", 2), after_lines("a", 3), after_lines("a", 0)
    (2, 5, 1, 0)
    """
    if ends <= 0:
        return 0
    found = next(islice(LINE_END.finditer(text), ends - 1, None), None)
    return len(text) if found is None else found.end()


def parts_record(parts: ArtifactParts) -> dict[str, object]:
    """The parts as JSON has them: four numbers a place."""
    record: dict[str, object] = {"chars": parts.chars, "lines": parts.lines}
    if parts.shown is not None:
        shown = parts.shown
        record |= {"view": shown.view, "tokens": shown.tokens, "limit": shown.limit, "strategy": shown.strategy}
        record["kept"] = None if shown.kept is None else [list(place) for place in parts.kept]
        record["whys"] = [[*place, why] for place, why in parts.whys]
    if parts.fetched:
        record["fetched"] = [
            [place and list(place), one.unit, round(one.at * 1000), one.chars, one.tokens, one.requester]
            for place, one in parts.fetched
        ]
    if parts.texts:
        record["texts"] = [list(piece) for piece in parts.texts]
    return record
