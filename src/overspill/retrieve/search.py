"""Finding text in what was kept, in one artifact or in all that may be read from here, with what stands around a match.

That is its line and some beside it, or, of a long line, the part that holds it.
"""

from __future__ import annotations

from itertools import zip_longest

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.errors import ArtifactNotFound, StoreError, UsageError
from overspill.lists import Pagination
from overspill.retrieve import Retrieved
from overspill.retrieve.patterns import MatchTally, Scan, compile_pattern
from overspill.store import Store, open_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from overspill.core.markers import CallFormat, Search
    from overspill.retrieve.patterns import SearchHit
    from overspill.store import OpenArtifact


DEFAULT_MATCHES = 10  # matches, unless another number is asked for
MOST_CONTEXT = 50
FETCHED_BYTES = 1 << 30  # that one search of all artifacts reads from elsewhere
ROW = 40  # characters of a row that are no text: an id and numbers

WIDTH = 300  # characters of a line that are shown whole
BEFORE = 120  # characters before a match, where the line is longer
DOTS = "..."
NEAR = 1 << 14  # bytes on both sides of a match in which its neighbours mostly are
_WIDEST = 4


class SearchResult(NamedTuple):
    """A page of matches, how many there are in all, and the call that brings the next page."""

    text: str
    matches: tuple[SearchMatch, ...]
    pagination: Pagination
    next: str = ""
    at_least: bool = False  # there are more than were counted: the total is where counting stopped
    artifacts: int = 0  # looked through
    unread: tuple[str, ...] = ()  # could not be looked through
    unfetched: int = 0  # lie elsewhere, and would have been more to fetch than a search may

    @property
    def chars(self) -> int:
        """How long its text is."""
        return len(self.text)

    @property
    def retrieved(self) -> Retrieved:
        """Its text as a page, for who asked for one."""
        return Retrieved(self.text, self.pagination, self.next)


def search(
    store: Store,
    asked: Search,
    *,
    limit: int | None = None,
    offset: int = 0,
    room: int | None = None,
    spelling: CallFormat,
    name: Callable[[str], str] = str,
) -> SearchResult:
    """Every match is counted; `limit` of them are shown (0: all), from `offset` on, in at most `room` characters.

    `name` says what an artifact is called in the text.
    """
    most = DEFAULT_MATCHES if limit is None else limit
    if most < 0 or offset < 0:
        raise UsageError(f"limit and offset count matches from 0 on; got {most} and {offset}")
    if not 0 <= asked.context <= MOST_CONTEXT:
        raise UsageError(f"context is 0 to {MOST_CONTEXT} lines, not {asked.context}; `lines` fetches more of a part")
    pattern = compile_pattern(asked.pattern, regex=asked.regex, ignore_case=asked.ignore_case)
    tally = MatchTally(most or None, offset)
    named = not asked.artifact_id
    page = _MatchPage(tally, room, named=named)
    unread: list[str] = []
    looked = 0
    wanted, unfetched = _within_reach(store) if named else ([asked.artifact_id], 0)
    for artifact_id in wanted:
        try:
            with open_text(store, artifact_id) as opened:
                for hit in Scan(opened.pieces(), pattern).hits(tally):
                    page.add(match_of(opened, hit, asked.context))
        except StoreError as error:
            if not named:
                raise
            unread += [] if isinstance(error, ArtifactNotFound) else [artifact_id]  # what is gone is no loss
        else:
            looked += 1
        if tally.at_least:
            break
    end = offset + len(page.matches)
    more = end < tally.total
    text = "".join(f"{row}\n" for row in match_rows(page.matches, name if named else None))
    following = spelling(asked.artifact_id, asked, end, limit) if more and page.matches else ""
    pagination = Pagination(tally.total, most, offset, has_more=more)
    return SearchResult(
        text, tuple(page.matches), pagination, following, tally.at_least, looked, tuple(unread), unfetched
    )


def _within_reach(store: Store) -> tuple[list[str], int]:
    """The ids of what is searched, newest first, and how many others there are, for which too much would be fetched.

    What is here is always searched; of what lies elsewhere, as many bytes as one search may fetch.
    """
    listed = store.list()
    near_ids: Callable[[], Iterable[str]] | None = getattr(store, "near_ids", None)
    if near_ids is None:
        return [one.id for one in listed], 0
    near, room, reached = frozenset(near_ids()), FETCHED_BYTES, []
    for one in listed:
        if one.id not in near:
            room -= one.size.bytes
        if one.id in near or room >= 0:
            reached.append(one.id)
    return reached, len(listed) - len(reached)


class _MatchPage:
    """The matches that are shown, as far as there is room for them."""

    def __init__(self, tally: MatchTally, room: int | None, *, named: bool) -> None:
        self.matches: list[SearchMatch] = []
        self._tally = tally
        self._room = room
        self._named = named
        self._spent = 0

    def add(self, match: SearchMatch) -> None:
        rows = 2 + len(match.before) + len(match.after)
        cost = sum(map(len, (match.text, *match.before, *match.after)))
        cost += rows * (ROW + (len(match.id) if self._named else 0))
        if self._room is not None and self.matches and self._spent + cost > self._room:
            self._tally.full = True
            return
        self.matches.append(match)
        self._spent += cost


class SearchMatch(NamedTuple):
    """One match: where it is, and what stands around it."""

    id: str
    line: int
    column: int
    start_byte: int
    end_byte: int
    text: str
    clipped: bool = False  # `text` is a part of its line
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    shown: tuple[int, int] = (0, 0)  # the bytes that `text` shows


def match_of(opened: OpenArtifact, hit: SearchHit, context: int) -> SearchMatch:
    """A hit with what stands around it."""
    text, shown, clipped = _match_line(opened, hit)
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    if context:
        last = hit.line + text.count("\n")
        first = max(1, hit.line - context)
        before = _lines_above(hit, context) or tuple(_lines_beside(opened, first, hit.line - 1))
        after = _lines_below(hit, context) or tuple(_lines_beside(opened, last + 1, last + context))
    return SearchMatch(
        opened.artifact.id, hit.line, hit.column, hit.start, hit.end, text, clipped, before, after, shown
    )


def _match_line(opened: OpenArtifact, hit: SearchHit) -> tuple[str, tuple[int, int], bool]:
    """The lines of a match, or the part of a long one around it, and where that lies."""
    near = WIDTH * _WIDEST
    start = max(hit.line_start, hit.start - near)
    end = min(hit.end, hit.start + near)  # a match may be as long as its line
    content = _bytes_near(opened, hit, start, end + near)
    tail = _first_line(content[end - start :])
    whole = start == hit.line_start and end == hit.end and len(tail) < near
    stop = end - start + len(tail)
    text = content[:stop].decode(errors="ignore")
    if whole and len(text) <= WIDTH:
        return text, (start, start + stop), False
    first = content[: hit.start - start].decode(errors="ignore")[-BEFORE:]
    rest = content[hit.start - start : stop].decode(errors="ignore")[: WIDTH - len(first)]
    span = hit.start - len(first.encode()), hit.start + len(rest.encode())
    left = DOTS if span[0] > hit.line_start else ""
    right = "" if whole and span[1] == start + stop else DOTS
    return left + first + rest + right, span, True


def _bytes_near(opened: OpenArtifact, hit: SearchHit, start: int, end: int) -> bytes:
    """Some bytes near a hit, mostly without asking the store again."""
    held = hit.base + len(hit.buffer)
    if hit.base <= start and end <= held:
        return hit.buffer[start - hit.base : end - hit.base]
    return opened.read(start, end)


def _lines_above(hit: SearchHit, context: int) -> tuple[str, ...]:
    """The lines above a match, if they are all at hand."""
    start = hit.line_start - hit.base
    if start <= 0:
        return ()
    lines = hit.buffer[max(0, start - NEAR) : start].splitlines()
    return tuple(map(_clipped_line, lines[-context:])) if len(lines) > context else ()


def _lines_below(hit: SearchHit, context: int) -> tuple[str, ...]:
    """The lines below a match, if they are all at hand."""
    end = hit.end - hit.base
    lines = hit.buffer[end : end + NEAR].splitlines()
    return tuple(map(_clipped_line, lines[1 : context + 1])) if len(lines) > context + 1 else ()


def _first_line(content: bytes) -> bytes:
    return (content.splitlines() or [b""])[0]


def _lines_beside(opened: OpenArtifact, first: int, last: int) -> Iterator[str]:
    """Lines beside a match, each no longer than is shown of one."""
    if last < first:
        return
    start, end = opened.where(first, last)
    content = opened.read(start, min(end, start + 4 * NEAR))
    if start + len(content) == end:
        yield from map(_clipped_line, content.splitlines())
        return
    for number in range(first, last + 1):  # some of them are very long
        start, end = opened.where(number, number)
        if start == end:
            return
        yield from map(_clipped_line, opened.read(start, min(end, start + WIDTH * _WIDEST + 1)).splitlines()[:1])


def _clipped_line(line: bytes) -> str:
    text = line.decode(errors="ignore")
    return text if len(text) <= WIDTH else text[: WIDTH - len(DOTS)] + DOTS


def match_rows(matches: Sequence[SearchMatch], name: Callable[[str], str] | None) -> Iterator[str]:
    """Matches as `grep -n` would print them, overlapping windows merged, and the artifact's `name` before each line."""
    previous: SearchMatch | None = None
    reached = 0  # the last line that stands there
    for match, following in zip_longest(matches, matches[1:]):
        same = previous is not None and previous.id == match.id
        reached = reached if same else 0
        first = match.line - len(match.before)
        grouped = match.before or match.after or (previous is not None and (previous.before or previous.after))
        if previous is not None and grouped and not (same and first <= reached + 1):
            yield "--"
        prefix, dashed = (f"{name(match.id)}:", f"{name(match.id)}-") if name else ("", "")
        for number, text in enumerate(match.before, first):
            if number > reached:
                yield f"{dashed}{number}-{text}"
        yield from _own_rows(match, previous if same else None, reached, prefix)
        last = match.line + match.text.count("\n")
        reached = max(reached, last)
        stop = following.line if following is not None and following.id == match.id else last + len(match.after) + 1
        for number, text in enumerate(match.after, last + 1):
            if reached < number < stop:
                yield f"{dashed}{number}-{text}"
                reached = number
        previous = match


def _own_rows(match: SearchMatch, previous: SearchMatch | None, reached: int, prefix: str) -> Iterator[str]:
    if match.clipped:
        if previous is None or previous.line != match.line or match.end_byte > previous.shown[1]:
            where = f"[column {match.column}, bytes {match.start_byte}-{match.end_byte}]"
            yield f"{prefix}{match.line}:{match.text} {where}"
        return
    for number, text in enumerate(match.text.split("\n"), match.line):
        if number > reached:
            yield f"{prefix}{number}:{text}"
