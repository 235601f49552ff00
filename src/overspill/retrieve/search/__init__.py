"""Finding text in what was kept: in one artifact, or in all that may be read from here."""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.errors import ArtifactNotFound, StoreError, UsageError
from overspill.lists.pages import Pagination
from overspill.retrieve.pages import Retrieved
from overspill.retrieve.search.patterns import compile_pattern
from overspill.retrieve.search.scan import MatchTally, Scan
from overspill.retrieve.search.windows import SearchMatch, match_of, match_rows
from overspill.store import Store, open_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from overspill.core.markers import CallFormat, Search

DEFAULT_MATCHES = 10  # matches, unless another number is asked for
MOST_CONTEXT = 50
FETCHED_BYTES = 1 << 30  # that one search of all artifacts reads from elsewhere
ROW = 40  # characters of a row that are no text: an id and numbers


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
