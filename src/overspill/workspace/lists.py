"""Settings and a list -> a page of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from overspill._lite import TYPE_CHECKING
from overspill.errors import UsageError
from overspill.lists import Page, Query, get_default_limit, page
from overspill.lists.records import projection
from overspill.tokens import counter

if TYPE_CHECKING:
    from overspill.settings import Settings
    from overspill.settings.paths import IntegerPath

SIZES: tuple[IntegerPath, ...] = (
    "output.list",
    "output.session",
    "output.find",
    "output.log",
    "output.archive",
    "output.artifacts",
    "output.default",
)


def default_limit(settings: Settings, command: str) -> int:
    """Records on a page of a command, as the settings have it."""
    return get_default_limit(command, {path.removeprefix("output."): settings.integer(path) for path in SIZES})


def page_of(
    settings: Settings,
    items: Iterable[object] | Query,
    command: str,
    limit: int | None,
    offset: int,
    tokens: int | None,
    compact: str | None,
) -> Page:
    """A page by the settings, its records made compact if that is asked for."""
    made = projection(compact) if compact is not None else None

    def shown(item: object) -> object:
        return made(item) if made is not None and isinstance(item, Mapping) else item

    most = default_limit(settings, command) if limit is None else limit
    if tokens is None:
        found = page(items, most, offset)
    else:
        count = counter(settings.text("tokens.counter"))
        found = page(items, most, offset, tokens=tokens, counter=count, encode=lambda item: _written(shown(item)))
    return found if made is None else found._replace(items=[shown(item) for item in found.items])


def _written(item: object) -> str:
    import json

    try:
        return json.dumps(item, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError):
        raise UsageError(f"a page by tokens needs records that are JSON, not {type(item).__name__}") from None
