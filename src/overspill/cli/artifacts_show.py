"""`spill artifacts show`: what was kept, or a part of it, a page at a time."""

import sys

from overspill.cli.arguments import Call
from overspill.cli.opening import open_workspace
from overspill.cli.output import again, answer, note
from overspill.core.markers import Part
from overspill.core.report import Artifact
from overspill.errors import UsageError
from overspill.retrieve.access import Desk, desk_for, fetch, fetch_all, noted
from overspill.retrieve.pages import Pagination, Retrieved


def run(call: Call) -> int:
    """Write what was asked for, and say on standard error how to go on."""
    artifact_id, part = call.argument(0, "ID"), part_of(call)
    workspace = open_workspace(call)
    store = workspace.files
    desk = desk_for(workspace, "user")
    limit, offset = call.number("--limit"), call.number("--offset") or 0
    if part is not None and part.unit == "pretty":
        page = drawn(desk, artifact_id, part, limit, offset)
    elif limit == 0 and not offset and not call.flag("--json") and (part is None or part.unit != "query"):
        return all_of(desk, artifact_id, part)
    else:
        page = fetch(desk, artifact_id, part, limit, offset)
    text = page.text
    if part is not None and part.unit == "query" and call.flag("--pretty"):
        text = indented(text)
    answer(
        call,
        "content",
        text,
        text,
        pagination=in_camel_case(page.pagination),
        following=again(call, page.next) if page.next else "",
    )
    return 0 if page.text else said_to_be_empty(store.info(artifact_id))


def drawn(desk: Desk, artifact_id: str, part: Part, limit: int | None, offset: int) -> Retrieved:
    """A page of the artifact's JSON on many lines."""
    from overspill.retrieve.pretty import pretty

    lines = (part.start, part.end) if part.end else None
    most = desk.limit if limit is None else limit
    return noted(
        desk,
        artifact_id,
        part,
        lambda: pretty(desk.store, artifact_id, lines, most, offset, desk.spelling, own=limit),
    )


def indented(values: str) -> str:
    """The values of a query on many lines."""
    from msgspec.json import format as formatted

    return str(formatted(values.encode(), indent=2), "utf-8") + "\n"


def in_camel_case(pages: Pagination | None) -> dict[str, object] | None:
    """Which part of the whole this is, for programs."""
    if pages is None:
        return None
    return {"total": pages.total, "limit": pages.limit, "offset": pages.offset, "hasMore": pages.has_more}


def all_of(desk: Desk, artifact_id: str, part: Part | None) -> int:
    """Write all of it, in flat memory."""
    sys.stdout.flush()
    written = fetch_all(desk, artifact_id, part, sys.stdout.buffer.write)
    sys.stdout.buffer.flush()
    return 0 if written.chars else said_to_be_empty(desk.store.info(artifact_id))


def said_to_be_empty(artifact: Artifact) -> int:
    """Nothing is an answer, too, but one that may surprise."""
    size = artifact.size
    note(f"spill: nothing there: {artifact.id} has {size.lines:,} lines, {size.chars:,} chars, {size.bytes:,} bytes")
    return 0


def part_of(call: Call) -> Part | None:
    """The part that the options name."""
    named = [option for option in ("--lines", "--bytes", "--query") if option in call.options]
    if len(named) > 1:
        raise UsageError(f"{' and '.join(named)} name different parts; give one of them")
    lines = call.options.get("--lines")
    if call.flag("--pretty") and "--query" not in call.options:
        if "--bytes" in call.options:
            raise UsageError("--pretty draws the text anew, so it has other bytes; give --lines, or leave out --pretty")
        return Part("pretty", *lines) if isinstance(lines, tuple) else Part("pretty")
    query = call.text("--query")
    if query is not None:
        return Part("query", query=query)
    for unit in ("lines", "bytes"):
        value = call.options.get(f"--{unit}")
        if isinstance(value, tuple):
            return Part(unit, *value)
    return None
