"""`spill artifacts show`: what was kept, or a part of it, a page at a time."""

import sys

from overspill.cli.arguments import Call
from overspill.cli.opening import open_workspace
from overspill.cli.output import again, answer, note
from overspill.core.markers import Part
from overspill.core.report import Artifact
from overspill.errors import UsageError
from overspill.retrieve.access import Access, access_for, fetch, fetch_all, requested_part


def run(call: Call) -> int:
    """Write what was asked for, and say on standard error how to go on."""
    artifact_id, part = call.argument(0, "ID"), part_of(call)
    access = access_for(open_workspace(call), "user")
    limit, offset = call.number("--limit"), call.number("--offset") or 0
    by_characters = part is None or part.unit not in {"query", "pretty"}
    if limit == 0 and not offset and not call.flag("--json") and by_characters:
        return all_of(access, artifact_id, part)
    page = fetch(access, artifact_id, part, limit, offset)
    text = page.text
    if part is not None and part.unit == "query" and call.flag("--pretty"):
        text = indented(text)
    following = again(call, page.next) if page.next else ""
    answer(call, "content", text, text, pagination=page.pagination, following=following)
    return 0 if page.text else said_to_be_empty(page.artifact)


def indented(values: str) -> str:
    """The values of a query on many lines."""
    from msgspec.json import format as formatted

    return str(formatted(values.encode(), indent=2), "utf-8") + "\n"


def all_of(access: Access, artifact_id: str, part: Part | None) -> int:
    """Write all of it, in flat memory."""
    sys.stdout.flush()
    written = fetch_all(access, artifact_id, part, sys.stdout.buffer.write)
    sys.stdout.buffer.flush()
    return 0 if written.chars else said_to_be_empty(written.artifact)


def said_to_be_empty(artifact: Artifact) -> int:
    """Nothing is an answer, too, but one that may surprise."""
    size = artifact.size
    note(f"spill: nothing there: {artifact.id} has {size.lines:,} lines, {size.chars:,} chars, {size.bytes:,} bytes")
    return 0


def part_of(call: Call) -> Part | None:
    """The part that the options name."""
    part = requested_part(
        lines=call.bounds("--lines"), bytes=call.bounds("--bytes"), query=call.text("--query"), dashes="--"
    )
    if not call.flag("--pretty") or (part is not None and part.unit == "query"):
        return part
    if part is not None and part.unit == "bytes":
        raise UsageError("--pretty draws the text anew, so it has other bytes; give --lines, or leave out --pretty")
    return Part("pretty") if part is None else part._replace(unit="pretty")
