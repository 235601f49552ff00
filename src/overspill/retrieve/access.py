"""What Python, the shell and the tools of a model may fetch of what was kept, each within its limits.

All retrieval comes through here: one place says what may be asked for, and one place logs what was fetched, by whom,
which part, how much, and whether it was there at all.
"""

from __future__ import annotations

from typing import Protocol, TypeVar

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.core.markers import CallFormat, Part, Search, tool_call
from overspill.core.size import tokens_of
from overspill.errors import ArtifactNotFound, OverspillError, UsageError
from overspill.journal import refusal_facts
from overspill.retrieve import FetchedPage, Poured, pour, retrieve
from overspill.store import ShortIds, Store, full_id, ids_of, is_id

if TYPE_CHECKING:
    from collections.abc import Callable

    from overspill.journal import Journal
    from overspill.lists import Pagination
    from overspill.retrieve.search import SearchResult
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
    from overspill.retrieve.search import search

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
