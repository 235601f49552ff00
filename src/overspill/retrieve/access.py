"""What Python, the shell and the tools of a model may fetch of what was kept, each within its limits.

All retrieval comes through here: one place says what may be asked for, and one place logs what was fetched, by whom,
which part, how much, and whether it was there at all.

A text is looked for in one artifact or in all that may be read from here, and a match is shown with what stands around
it: its line and some beside it, or, of a long line, the part that holds it.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import Protocol, TypeVar

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.core import tokens_of
from overspill.core.markers import CallFormat, Part, Search, tool_call
from overspill.errors import ArtifactNotFound, OverspillError, StoreError, UsageError
from overspill.journal import refusal_facts
from overspill.lists import Pagination
from overspill.retrieve import FetchedPage, Poured, pour, retrieve
from overspill.store import ShortIds, Store, full_id, ids_of, is_id, open_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from overspill.journal import Journal
    from overspill.retrieve.patterns import MatchTally, SearchHit
    from overspill.store import OpenArtifact
    from overspill.workspace import Workspace


class FetchResult(Protocol):
    """What a fetch brings: a part of an artifact, the answer to a query, the matches of a search."""

    @property
    def chars(self) -> int: ...

    @property
    def pagination(self) -> Pagination | None: ...


Answer = TypeVar("Answer", bound=FetchResult)


class Access(NamedTuple):
    """A store, and what one kind of requester may have of it."""

    store: Store
    limit: int = 50_000  # characters on a page
    ceiling: int | None = None  # characters at the most, whatever is asked for; None where people ask
    parts: bool = True  # ranges and queries may be asked for
    spelling: CallFormat = tool_call
    requester: str = "program"  # or "user", or "model"
    tell: Journal | None = None  # who hears of what is fetched
    short: bool = False  # lists and notes name artifacts by their short forms
    untold: Journal | None = None  # who hears of ids that are malformed, where the store does not tell of them

    @property
    def short_ids(self) -> Callable[[str], str]:
        """What an artifact is called in a list or a note; whoever asks has all ids listed, once."""
        return ShortIds(ids_of(self.store)) if self.short else str


def access_for(workspace: Workspace, requester: str = "program") -> Access:
    """What a "program", a "user" or a "model" may ask for. People and programs get it; what a model gets is bounded."""
    settings, store = workspace.settings, workspace.store  # opened first: it says who is told
    return Access(
        store,
        settings.integer("tools.truncation.artifacts.retrieval_limit"),
        settings.integer("tools.truncation.artifacts.retrieval_ceiling") if requester == "model" else None,
        settings.flag("tools.truncation.artifacts.enable_partial_retrieval"),
        workspace.call_format,
        requester,
        workspace.journal,
        workspace.has_short_ids,
        workspace.beside_store,
    )


def requested_part(
    *,
    lines: tuple[int, int] | None = None,
    bytes: tuple[int, int] | None = None,  # noqa: A002  # the unit's name is the clearest
    query: str | None = None,
    search: str | None = None,
    dashes: str = "",
) -> Part | None:
    """The one part that was named, or None for all of it; `dashes` stand before the names where they are options.

    >>> requested_part(lines=(1, 9))
    Part(unit='lines', start=1, end=9, query='')
    """
    named = {
        "lines": None if lines is None else Part("lines", *lines),
        "bytes": None if bytes is None else Part("bytes", *bytes),
        "query": None if query is None else Part("query", query=query),
        "search": None if search is None else Part("search", query=search),
    }
    parts = {name: part for name, part in named.items() if part is not None}
    if len(parts) > 1:
        raise UsageError(f"{' and '.join(dashes + name for name in parts)} name different parts; give one of them")
    return next(iter(parts.values()), None)


def fetch(
    access: Access, artifact_id: str, part: Part | None = None, limit: int | None = None, offset: int = 0
) -> FetchedPage:
    """An artifact or a part of it: a page if it is long; all of it for `limit=0`, if the requester may have that."""
    _permit(access, part)
    spelled = access._replace(spelling=_spelled_as(artifact_id, access.spelling))
    return fetch_logged(access, artifact_id, part, lambda found: _page(spelled, found, part, limit, offset))


def fetch_all(
    access: Access, artifact_id: str, part: Part | None, write: Callable[[bytes], object], *, as_bytes: bool = False
) -> Poured:
    """All of an artifact or of a part of it, written piece by piece: for those who may have all of it."""
    _permit(access, part)
    return fetch_logged(
        access, artifact_id, part, lambda found: pour(access.store, found, part, write, as_bytes=as_bytes)
    )


def find(access: Access, asked: Search, limit: int | None = None, offset: int = 0) -> SearchResult:
    """Matches of a text in an artifact, or in all that may be read."""
    room = access.limit if limit is None else access.ceiling
    spelling = _spelled_as(asked.artifact_id, access.spelling)

    def search_in(found: str) -> SearchResult:
        wanted = asked._replace(artifact_id=found)
        short = access.short_ids if not found else str
        return search(access.store, wanted, limit=limit, offset=offset, room=room, spelling=spelling, name=short)

    return fetch_logged(access, asked.artifact_id, Part("search", query=asked.pattern), search_in)


def _spelled_as(said: str, spelling: CallFormat) -> CallFormat:
    """Calls for the artifact somebody asked for, with its id as they said it."""
    return lambda _found, part=None, offset=0, limit=None: spelling(said, part, offset, limit)


def fetch_logged(access: Access, artifact_id: str, part: Part | None, work: Callable[[str], Answer]) -> Answer:
    """What the work brings for the id that was meant, after it was logged who asked for which part; failures, too."""
    tell, store = access.tell, access.store
    if tell is None:
        return work(full_id(artifact_id, lambda: ids_of(store)))
    facts = {"artifact_id": artifact_id, "retrieval_range": range_in_words(part), "requester": access.requester}
    try:
        facts["artifact_id"] = found = full_id(artifact_id, lambda: ids_of(store))
        page = work(found)
    except OverspillError as error:
        refused = refusal_facts(artifact_id, "malformed id")
        malformed = artifact_id and not is_id(str(facts["artifact_id"])) and not isinstance(error, ArtifactNotFound)
        if access.untold is not None and malformed:
            access.untold("violation", refused)
        # What was taken for an id is a stranger's word here.
        tell("retrieve", {**facts, "artifact_id": refused["artifact_id"], "success": False, "error": error.code})
        raise
    pages = page.pagination
    more = {} if pages is None else {"offset": pages.offset, "total": pages.total, "has_more": pages.has_more}
    tell("retrieve", {**facts, "success": True, "size": page.chars, "tokens": tokens_of(page.chars), **more})
    return page


def range_in_words(part: Part | None) -> str:
    """Which part was asked for. A query or a pattern is only named: it may quote what it looks for.

    >>> range_in_words(Part("lines", 41, 902)), range_in_words(Part("search", query="word")), range_in_words(None)
    ('lines 41-902', 'search', 'all')
    """
    if part is None:
        return "all"
    return part.unit if part.query else f"{part.unit} {part.start}-{part.end}"


def _permit(access: Access, part: Part | None) -> None:
    if part is not None and part.unit != "pretty" and not access.parts:
        raise UsageError(
            "parts and queries are switched off here (artifacts.enable_partial_retrieval); "
            "fetch the whole artifact, and go on with offset"
        )


def _page(access: Access, artifact_id: str, part: Part | None, limit: int | None, offset: int) -> FetchedPage:
    store, spelling = access.store, access.spelling
    if part is not None and part.unit == "query":
        from overspill.retrieve.jsonpath import query

        room = access.limit if limit is None else access.ceiling
        return query(store, artifact_id, part.query, limit=limit, offset=offset, room=room, spelling=spelling)
    most = _within(access.limit if limit is None else limit, access.ceiling)
    if part is not None and part.unit == "pretty":
        from overspill.retrieve.jsonpath import pretty

        lines = (part.start, part.end) if part.end else None
        return pretty(store, artifact_id, lines, most, offset, spelling, own=limit)
    return retrieve(store, artifact_id, part, most, offset, spelling, own=limit)


def _within(limit: int, ceiling: int | None) -> int:
    """A limit, kept below a ceiling; 0 is no limit.

    >>> _within(0, None), _within(0, 200), _within(500, 200), _within(50, 200)
    (0, 200, 200, 50)
    """
    if ceiling is None or limit < 0:
        return limit
    return min(limit or ceiling, ceiling)


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
    from overspill.retrieve.patterns import MatchTally, Scan, compile_pattern

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
