"""Where everybody asks for what was kept: Python, the shell and the tools of a model, each within its limits.

All retrieval comes by here, so one place says what may be asked, and one place can tell of it.
"""

from collections.abc import Callable
from typing import TypeVar

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.core.markers import Part, Search, Spelling, tool_call
from overspill.errors import UsageError
from overspill.retrieve import fetched
from overspill.retrieve.pages import Poured, Retrieved, pour, retrieve
from overspill.settings import Settings
from overspill.store import Store

if TYPE_CHECKING:
    from overspill.journal import Journal
    from overspill.retrieve.search import Found
    from overspill.workspace import Workspace

ARTIFACTS = "tools.truncation.artifacts."
Answer = TypeVar("Answer", bound=fetched.Page)


class Desk(NamedTuple):
    """A store, and what those who ask at this door may have of it."""

    store: Store
    limit: int = 50_000  # characters on a page
    ceiling: int | None = None  # characters at the most, whatever is asked for; None where people ask
    parts: bool = True  # ranges and queries may be asked for
    spelling: Spelling = tool_call
    requester: str = "program"  # or "user", or "model"
    tell: "Journal | None" = None  # who hears of what is fetched
    untold: "Journal | None" = None  # who hears of ids that are none, where the store does not tell of them


def desk_of(settings: Settings, store: Store, spelling: Spelling, requester: str) -> Desk:
    """The desk of a door. People and programs get what they ask for; what a model gets is bounded."""
    return Desk(
        store,
        settings.integer(ARTIFACTS + "retrieval_limit"),
        settings.integer(ARTIFACTS + "retrieval_ceiling") if requester == "model" else None,
        settings.flag(ARTIFACTS + "enable_partial_retrieval"),
        spelling,
        requester,
        getattr(store, "on_event", None),
    )


def desk_for(workspace: "Workspace", requester: str = "program") -> Desk:
    """The desk of a workspace, at which a "program", a "user" or a "model" asks, who gets no more than is good."""
    store, journal = workspace.store, workspace.journal  # opened first: it is what tells
    desk = desk_of(workspace.settings, store, workspace.call_format, requester)
    return desk._replace(tell=journal, untold=workspace.beside_store)


def fetch(
    desk: Desk, artifact_id: str, part: Part | None = None, limit: int | None = None, offset: int = 0
) -> Retrieved:
    """An artifact or a part of it: a page if it is long; all of it for `limit=0`, as far as this door gives all."""
    _permit(desk, part)
    if part is not None and part.unit == "query":
        return noted(desk, artifact_id, part, lambda: _queried(desk, artifact_id, part, limit, offset))
    allowed = _within(desk.limit if limit is None else limit, desk.ceiling)
    return noted(
        desk,
        artifact_id,
        part,
        lambda: retrieve(desk.store, artifact_id, part, allowed, offset, desk.spelling, own=limit),
    )


def fetch_all(desk: Desk, artifact_id: str, part: Part | None, write: Callable[[bytes], object]) -> Poured:
    """All of an artifact or of a part of it, written piece by piece: for those who may have all of it."""
    _permit(desk, part)
    return noted(desk, artifact_id, part, lambda: pour(desk.store, artifact_id, part, write))


def find(desk: Desk, asked: Search, limit: int | None = None, offset: int = 0) -> "Found":
    """Matches of a text in an artifact, or in all that may be read."""
    from overspill.retrieve.search import search

    room = desk.limit if limit is None else desk.ceiling
    return noted(
        desk,
        asked.artifact_id,
        Part("search", query=asked.pattern),
        lambda: search(desk.store, asked, limit=limit, offset=offset, room=room, spelling=desk.spelling),
    )


def noted(desk: Desk, artifact_id: str, part: Part | None, work: Callable[[], Answer]) -> Answer:
    """What the work brings. Whatever anybody fetches comes by here, and who asked for what is told."""
    return fetched.noted(desk.tell, artifact_id, part, desk.requester, work, untold=desk.untold)


def _permit(desk: Desk, part: Part | None) -> None:
    if part is not None and not desk.parts:
        raise UsageError(
            "parts and queries are switched off here (artifacts.enable_partial_retrieval); "
            "fetch the whole artifact, and go on with offset"
        )


def _queried(desk: Desk, artifact_id: str, part: Part, limit: int | None, offset: int) -> Retrieved:
    from overspill.retrieve.jsonpath import query

    room = desk.limit if limit is None else desk.ceiling
    return query(desk.store, artifact_id, part.query, limit=limit, offset=offset, room=room, spelling=desk.spelling)


def _within(limit: int, ceiling: int | None) -> int:
    """A limit in which 0 is none, kept below a ceiling.

    >>> _within(0, None), _within(0, 200), _within(500, 200), _within(50, 200)
    (0, 200, 200, 50)
    """
    if ceiling is None or limit < 0:
        return limit
    return min(limit or ceiling, ceiling)
