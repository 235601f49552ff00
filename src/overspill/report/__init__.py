"""What a model saw of a session, and whether it was worth it: one page, as a file or live on this machine.

What was shown of an artifact, why, and what was fetched of it later is told here, by characters and by lines. Positions
are kept beside the artifact in characters (`core.report.shown_record`). Lines are counted in one pass over the content,
in flat memory; on the same way those pieces of text are taken that are asked for. What lies beside and inside the
artifacts of a root is read without leaving a trace: no session is used by it.

`calls` reads the journal into columns, `changes` says which limits to change, `page` gathers the data and writes the
file, `server` serves it. The page itself is `page.html` with its style and scripts beside it. The command line and
hooks may import this package.
"""

from __future__ import annotations

import codecs
import json
import re
from bisect import bisect_left
from contextlib import contextmanager
from itertools import islice
from typing import NamedTuple

from overspill._lite import TYPE_CHECKING, suppress
from overspill.core import count_lines
from overspill.core.report import SHOWN_VERSION
from overspill.core.spans import Span, joined_spans
from overspill.errors import OverspillError
from overspill.files import read_small
from overspill.store import is_id, removal, sessions
from overspill.store.reader import Reader, artifact_record
from overspill.store.sessions import open_session_dir

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from overspill.files import StorePlace
    from overspill.store import OpenArtifact
    from overspill.store.files import FileStore
    from overspill.store.sessions import SessionDir


CONTEXT_CHARS = 2_000  # of what was left out, on either side of what was not
MAX_TEXT_CHARS = 256_000  # of one artifact, in a file or in one answer
LINE_END = re.compile(r"\r\n|\r|\n")

MAX_SHOWN_BYTES = 1 << 18


class Fetch(NamedTuple):
    """One fetch of an artifact, as the journal tells it."""

    at: float
    unit: str  # lines, bytes, all, query, search
    first: int
    last: int
    offset: int
    chars: int
    tokens: int
    requester: str


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


class KeptText(NamedTuple):
    """An artifact that is there, opened for reading, and what was shown of it."""

    reader: Reader
    shown: ShownRecord | None


class KeptTexts:
    """The artifacts that may be read from a store's session."""

    def __init__(self, store: FileStore) -> None:
        self._store = store
        self._elsewhere: dict[str, tuple[StorePlace, str]] | None = None

    @contextmanager
    def open(self, artifact_id: str, session: str) -> Iterator[KeptText | None]:
        """An artifact of a session, or None where it is gone, damaged or no text."""
        found: KeptText | None = None
        with suppress(OverspillError, OSError):
            found = self._find(artifact_id, session) if is_id(artifact_id) else None
        if found is None:
            yield None
            return
        with found.reader:
            yield found

    def _find(self, artifact_id: str, session: str) -> KeptText | None:
        if self._may_read(session):
            for place in self._store.places():
                if (found := _kept_in(place, session, artifact_id)) is not None:
                    return found
        if self._elsewhere is None:
            self._elsewhere = {one: where for where in self._sessions() for one in _ids_in(*where)}
        where = self._elsewhere.get(artifact_id)
        return None if where is None else _kept_in(*where, artifact_id)

    def _may_read(self, session: str) -> bool:
        """One named session never reads another's."""
        own = self._store.session
        return sessions.is_session_id(session) and (own.roams or session == own.id)

    def _sessions(self) -> Iterator[tuple[StorePlace, str]]:
        for place in self._store.places():
            yield from ((place, name) for name in sessions.sessions_in(place) if self._may_read(name))


def _ids_in(place: StorePlace, session: str) -> list[str]:
    with open_session_dir(place, session) as room:
        return [] if room is None else removal.recorded_ids(room)


def _kept_in(place: StorePlace, session: str, artifact_id: str) -> KeptText | None:
    with open_session_dir(place, session) as room:
        if room is None:
            return None
        record = artifact_record(room, artifact_id)
        if record is None or record.artifact.is_binary:
            return None
        return KeptText(Reader(room, record), _shown_of(room, artifact_id))


def _shown_of(room: SessionDir, artifact_id: str) -> ShownRecord | None:
    with suppress(OverspillError, OSError):
        return parse_shown(read_small(artifact_id + removal.SHOWN, room.meta, MAX_SHOWN_BYTES))
    return None


def newest_shown(store: FileStore, most: int) -> Iterator[tuple[str, ShownRecord]]:
    """What was shown of the newest artifacts of a store's own session, the newest first."""
    for place in store.places():
        with open_session_dir(place, store.session.id) as room:
            if room is None:
                continue
            for artifact_id in sorted(removal.recorded_ids(room), reverse=True)[:most]:
                if (shown := _shown_of(room, artifact_id)) is not None:
                    yield artifact_id, shown
