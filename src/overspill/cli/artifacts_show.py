"""`spill artifacts show | search`: what was kept, or a part of it, a page at a time; lines in which a text stands."""

from __future__ import annotations

import os
import sys
from typing import cast

from overspill._lite import TYPE_CHECKING, suppress
from overspill.cli.arguments import LAST_LINE
from overspill.cli.opening import open_workspace
from overspill.cli.output import Progress, note, print_answer, repeat_command
from overspill.cli.tables import count_of
from overspill.core.markers import Part, Search
from overspill.errors import UsageError
from overspill.retrieve.access import Access, access_for, fetch, fetch_all, find, requested_part
from overspill.store import Artifacts, Store, checked_id, full_id, ids_of, open_artifact
from overspill.store.removal import milliseconds

if TYPE_CHECKING:
    from overspill.cli.arguments import CommandCall
    from overspill.core.report import Artifact
    from overspill.retrieve.access import SearchMatch, SearchResult
    from overspill.store import OpenArtifact
    from overspill.store.files import FileStore


def show(call: CommandCall) -> int:
    """Write what was asked for, and say on standard error how to go on."""
    artifact_id, part = call.argument(0, "ID"), part_from_options(call)
    access = access_for(open_workspace(call), "user")
    if part is not None and part.unit == "lines" and (part.start < 0 or part.end == LAST_LINE):
        part = lines_from_end(access, artifact_id, part)
    limit, offset = call.number("--limit"), call.number("--offset") or 0
    by_characters = part is None or part.unit not in {"query", "pretty"}
    is_whole = not limit and not offset and not call.flag("--json") and by_characters
    if is_whole and limit is None and sys.stdout.isatty() and (pager := pager_words()):
        return show_in_pager(access, artifact_id, part, pager)
    if is_whole and limit == 0:
        return write_artifact(access, artifact_id, part)
    page = fetch(access, artifact_id, part, limit, offset)
    text = page.text
    if part is not None and part.unit == "query" and call.flag("--pretty"):
        text = indented_json(text)
    following = repeat_command(call, page.next) if page.next else ""
    print_answer(call, "content", text, text, pagination=page.pagination, following=following)
    return 0 if page.text else note_empty(page.artifact)


def lines_from_end(access: Access, artifact_id: str, part: Part) -> Part:
    """The lines of an artifact that were asked for without their last, or from their end."""
    with open_artifact(access.store, full_id(artifact_id, lambda: ids_of(access.store))) as opened:
        size = opened.artifact.size
        ended = opened.read(max(0, size.bytes - 1), size.bytes) in {b"\n", b"\r", b""}
    lines = max(1, size.lines + (not ended))
    return part._replace(
        start=part.start if part.start >= 0 else max(1, lines + 1 + part.start), end=max(part.start, lines)
    )


def indented_json(values: str) -> str:
    """The values of a query on many lines."""
    from msgspec.json import format as formatted

    return str(formatted(values.encode(), indent=2), "utf-8") + "\n"


def write_artifact(access: Access, artifact_id: str, part: Part | None) -> int:
    """Write all of it, in flat memory."""
    sys.stdout.flush()
    written = fetch_all(access, artifact_id, part, sys.stdout.buffer.write)
    sys.stdout.buffer.flush()
    return 0 if written.chars else note_empty(written.artifact)


def pager_words() -> list[str]:
    """The program that a person wants long texts in: `PAGER`, else less; none where neither is there."""
    import shlex
    from shutil import which

    words = shlex.split(os.environ.get("PAGER", "less"))
    return words if words and words[0] != "cat" and which(words[0]) else []


def show_in_pager(access: Access, artifact_id: str, part: Part | None, pager: list[str]) -> int:
    """All of it in a pager, which ends by itself where it fits a screen; leaving it early is no error."""
    import signal
    import subprocess

    with open_artifact(access.store, full_id(artifact_id, lambda: ids_of(access.store))):
        pass  # what is not there is said before a pager takes the screen
    process = subprocess.Popen(pager, stdin=subprocess.PIPE, env={"LESS": "FX", **os.environ})
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the pager's business while it is there
    try:
        assert process.stdin is not None  # noqa: S101  # it was asked for
        with suppress(BrokenPipeError), process.stdin as pipe:
            fetch_all(access, artifact_id, part, pipe.write)
        process.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    return 0


def note_empty(artifact: Artifact) -> int:
    """Nothing is an answer, too, but one that may surprise."""
    size = artifact.size
    note(f"spill: nothing there: {artifact.id} has {size.lines:,} lines, {size.chars:,} chars, {size.bytes:,} bytes")
    return 0


def part_from_options(call: CommandCall) -> Part | None:
    """The part that the options name."""
    part = requested_part(
        lines=call.bounds("--lines"), bytes=call.bounds("--bytes"), query=call.text("--query"), dashes="--"
    )
    if not call.flag("--pretty") or (part is not None and part.unit == "query"):
        return part
    if part is not None and part.unit == "bytes":
        raise UsageError("--pretty draws the text anew, so it has other bytes; give --lines, or leave out --pretty")
    if part is not None and part.start < 0:
        raise UsageError("--pretty counts lines as it draws them, from the first; give --lines A-B")
    return Part("pretty") if part is None else part._replace(unit="pretty")


def search(call: CommandCall) -> int:
    """Write the matches, and say on standard error how many there are and how to go on."""
    pattern = call.argument(0, "PATTERN")
    asked = Search(
        pattern,
        call.arguments[1] if len(call.arguments) > 1 else "",
        call.flag("--regex"),
        call.flag("--ignore-case") or call.flag("-i"),
        call.number("--context") or call.number("-C") or 0,
    )
    found, newest = search_store(call, asked)
    next_ = found.next
    if next_ and newest:
        head, mark, tail = next_.partition(" -- ")
        next_ = f"{head} --as-of {newest}{mark}{tail}"
    return print_matches(call, asked, found, repeat_command(call, next_, "--") if next_ else "")


def search_store(call: CommandCall, asked: Search) -> tuple[SearchResult, str]:
    """What is found, and the newest artifact of those that were looked through, so that all pages speak of the same."""
    workspace = open_workspace(call)
    store = workspace.files
    access = access_for(workspace, "user")
    newest = ""
    if not asked.artifact_id:
        newest = call.text("--as-of") or next((one.id for one in store.page(1).artifacts), "")
    with Progress() as progress:
        if newest:
            access = access._replace(store=cast("Store", UpTo(store, checked_id(newest), progress)))
        return find(access, asked, call.number("--limit"), call.number("--offset") or 0), newest


class UpTo:
    """A store as it was when an artifact was its newest: what came later is in no list.

    Whoever waits at a terminal is told how many of the list were opened.
    """

    def __init__(self, store: FileStore, newest: str, progress: Progress) -> None:
        self._store, self._newest, self._progress = store, (milliseconds(newest), newest), progress
        self._listed = self._opened = 0

    def list(self) -> Artifacts:
        listed = [one for one in self._store.list() if (milliseconds(one.id), one.id) <= self._newest]
        self._listed = len(listed)
        return listed

    def artifact(self, artifact_id: str) -> OpenArtifact:
        self._opened += 1
        self._progress.say(f"searching: {self._opened:,} of {self._listed:,} artifacts")
        return self._store.artifact(artifact_id)

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)


def print_matches(call: CommandCall, asked: Search, found: SearchResult, following: str) -> int:
    """Print the matches."""
    print_answer(
        call,
        "matches",
        [match_record(match) for match in found.matches],
        found.text,
        pagination=found.pagination if found.pagination.limit else None,
        following=following,
    )
    for artifact_id in found.unread:
        note(f"spill: {artifact_id} could not be read, and was not searched")
    if found.unfetched:
        left = count_of(found.unfetched, "artifact")
        note(f"spill: {left} in the bucket not searched: more than 1 GiB to fetch; name one by its id to search it")
    if not call.flag("--json"):
        note(f"spill: {match_summary(found, asked)}")
    return 0


def match_summary(found: SearchResult, asked: Search) -> str:
    """How many matches there are, and where."""
    more = "more than " if found.at_least else ""
    where = asked.artifact_id or count_of(found.artifacts, "artifact")
    noun = "match" if found.pagination.total == 1 else "matches"
    return f"{more}{found.pagination.total:,} {noun} in {where}; {len(found.matches):,} shown"


def match_record(match: SearchMatch) -> dict[str, object]:
    """A match for programs."""
    fields: dict[str, object] = {
        "id": match.id,
        "line": match.line,
        "column": match.column,
        "start_byte": match.start_byte,
        "end_byte": match.end_byte,
        "text": match.text,
    }
    if match.clipped:
        fields |= {"clipped": True, "shown_bytes": list(match.shown)}
    if match.before or match.after:
        fields |= {"before": list(match.before), "after": list(match.after)}
    return fields
