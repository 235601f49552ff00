"""`spill artifacts show`: what was kept, or a part of it, a page at a time."""

import sys

from overspill.doors.arguments import Call
from overspill.doors.opening import opened
from overspill.doors.streams import again, answer, note
from overspill.errors import UsageError
from overspill.fetched import noted, success
from overspill.marks import Part, shell_call
from overspill.report import Artifact
from overspill.retrieve import range_of, retrieve, stream
from overspill.store.files import FileStore

LIMIT = "tools.truncation.artifacts.retrieval_limit"


def run(call: Call) -> int:
    """Write what was asked for, and say on standard error how to go on."""
    artifact_id, part = call.argument(0, "ID"), part_of(call)
    settings, store = opened(call)
    own, offset = call.number("--limit"), call.number("--offset") or 0
    limit = settings.integer(LIMIT) if own is None else own
    if not limit and not offset and not call.flag("--json"):
        return all_of(store, artifact_id, part)
    page = noted(
        store.tell, artifact_id, part, "user", lambda: retrieve(store, artifact_id, part, limit, offset, shell_call)
    )
    following = again(call, page.next + ("" if own is None else f" --limit {own}")) if page.next else ""
    pages = page.pagination
    pagination = pages and {
        "total": pages.total,
        "limit": pages.limit,
        "offset": pages.offset,
        "hasMore": pages.has_more,
    }
    answer(call, "content", page.text, page.text, pagination=pagination, following=following)
    return 0 if page.text else said_to_be_empty(store.info(artifact_id))


def all_of(store: FileStore, artifact_id: str, part: Part | None) -> int:
    """Write all of it, in flat memory."""
    asked = range_of(store, artifact_id, part)
    sys.stdout.flush()
    sys.stdout.buffer.writelines(stream(store, asked))
    sys.stdout.buffer.flush()
    store.told("retrieve", success(artifact_id, part, "user", asked.end - asked.start))
    return 0 if asked.end > asked.start else said_to_be_empty(store.info(artifact_id))


def said_to_be_empty(artifact: Artifact) -> int:
    """Nothing is an answer, too, but one that may surprise."""
    size = artifact.size
    note(f"spill: nothing there: {artifact.id} has {size.lines:,} lines, {size.chars:,} chars, {size.bytes:,} bytes")
    return 0


def part_of(call: Call) -> Part | None:
    """The part that the options name."""
    named = {unit: call.options[f"--{unit}"] for unit in ("lines", "bytes") if f"--{unit}" in call.options}
    if len(named) > 1:
        raise UsageError("--lines and --bytes name two different parts; give one of them")
    for unit, value in named.items():
        if isinstance(value, tuple):
            return Part(unit, *value)
    return None
