"""What was fetched is told: by whom, which part, how much, and whether it was there at all."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from overspill.core.markers import Part
from overspill.core.size import tokens_of
from overspill.errors import OverspillError
from overspill.journal import Journal, refusal
from overspill.retrieve.pages import Pagination
from overspill.store import is_id


class Page(Protocol):
    """What is fetched: a part of an artifact, the answer to a query, the matches of a search."""

    @property
    def chars(self) -> int: ...

    @property
    def pagination(self) -> Pagination | None: ...


Answer = TypeVar("Answer", bound=Page)


def noted(
    tell: Journal | None,
    artifact_id: str,
    asked: Part | str | None,
    requester: str,
    fetch: Callable[[], Answer],
    *,
    untold: Journal | None = None,
) -> Answer:
    """What `fetch` brings, after it was told; a failure is told, too.

    The requester is a `model`, a `user` or a `program`. `untold` hears of ids that are none, where the store itself
    does not tell of them.
    """
    if tell is None:
        return fetch()
    try:
        page = fetch()
    except OverspillError as error:
        if untold is not None and artifact_id and not is_id(artifact_id):
            untold("violation", refusal(artifact_id, "malformed id"))
        tell("retrieve", failure(artifact_id, asked, requester, error))
        raise
    pages = page.pagination
    more = {} if pages is None else {"offset": pages.offset, "total": pages.total, "has_more": pages.has_more}
    tell("retrieve", success(artifact_id, asked, requester, page.chars) | more)
    return page


def success(artifact_id: str, asked: Part | str | None, requester: str, size: int) -> dict[str, object]:
    """What is told of a part that was fetched; `size` counts characters."""
    return _facts(artifact_id, asked, requester) | {"success": True, "size": size, "tokens": tokens_of(size)}


def failure(artifact_id: str, asked: Part | str | None, requester: str, error: OverspillError) -> dict[str, object]:
    """What is told when nothing could be fetched. The id is a stranger's word then."""
    told = str(refusal(artifact_id, "")["artifact_id"])
    return _facts(told, asked, requester) | {"success": False, "error": error.code}


def _facts(artifact_id: str, asked: Part | str | None, requester: str) -> dict[str, object]:
    return {"artifact_id": artifact_id, "retrieval_range": in_words(asked), "requester": requester}


def in_words(asked: Part | str | None) -> str:
    """Which part was asked for. A query or a pattern is only named: it may quote what it looks for.

    >>> in_words(Part("lines", 41, 902)), in_words("search"), in_words(None)
    ('lines 41-902', 'search', 'all')
    """
    if isinstance(asked, Part):
        return asked.unit if asked.query else f"{asked.unit} {asked.start}-{asked.end}"
    return asked or "all"
