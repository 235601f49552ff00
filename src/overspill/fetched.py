"""What was fetched is told: by whom, which part, how much, and whether it was there at all."""

from collections.abc import Callable
from typing import Literal

from overspill.errors import OverspillError
from overspill.journal import Journal, refusal
from overspill.marks import Part
from overspill.measure import tokens_of
from overspill.retrieve import Retrieved
from overspill.store.ids import is_id

Requester = Literal["model", "user", "program"]


def noted(
    tell: Journal | None,
    artifact_id: str,
    asked: Part | str | None,
    requester: Requester,
    fetch: Callable[[], Retrieved],
    *,
    untold: Journal | None = None,
) -> Retrieved:
    """What `fetch` brings, after it was told; a failure is told, too.

    `untold` is for stores that do not tell by themselves of ids that are none.
    """
    if tell is None:
        return fetch()
    try:
        page = fetch()
    except OverspillError as error:
        if untold is not None and not is_id(artifact_id):
            untold("violation", refusal(artifact_id, "malformed id"))
        tell("retrieve", failure(artifact_id, asked, requester, error))
        raise
    pages = page.pagination
    more = {} if pages is None else {"offset": pages.offset, "total": pages.total, "has_more": pages.has_more}
    tell("retrieve", success(artifact_id, asked, requester, len(page.text)) | more)
    return page


def success(artifact_id: str, asked: Part | str | None, requester: Requester, size: int) -> dict[str, object]:
    """What is told of a part that was fetched; `size` counts characters."""
    return _facts(artifact_id, asked, requester) | {"success": True, "size": size, "tokens": tokens_of(size)}


def failure(
    artifact_id: str, asked: Part | str | None, requester: Requester, error: OverspillError
) -> dict[str, object]:
    """What is told when nothing could be fetched. The id is a stranger's word then."""
    told = str(refusal(artifact_id, "")["artifact_id"])
    return _facts(told, asked, requester) | {"success": False, "error": error.code}


def _facts(artifact_id: str, asked: Part | str | None, requester: Requester) -> dict[str, object]:
    return {"artifact_id": artifact_id, "retrieval_range": in_words(asked), "requester": requester}


def in_words(asked: Part | str | None) -> str:
    """Which part was asked for. A query or a pattern is only named: it may quote what it looks for.

    >>> in_words(Part("lines", 41, 902)), in_words("search"), in_words(None)
    ('lines 41-902', 'search', 'all')
    """
    if isinstance(asked, Part):
        return asked.unit if asked.query else f"{asked.unit} {asked.start}-{asked.end}"
    return asked or "all"
