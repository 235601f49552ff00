"""`spill artifacts search`: lines in which a text stands, like `grep -n`, in one artifact or in all."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from overspill.cli.opening import open_workspace
from overspill.cli.output import note, print_answer, repeat_command
from overspill.cli.output.progress import Progress
from overspill.cli.output.tables import count_of
from overspill.core.markers import Search
from overspill.retrieve.access import access_for, find
from overspill.store import Artifacts, Store, checked_id
from overspill.store.removal import milliseconds

if TYPE_CHECKING:
    from overspill.cli.arguments import CommandCall
    from overspill.retrieve.search import SearchResult
    from overspill.retrieve.search.windows import SearchMatch
    from overspill.store import OpenArtifact
    from overspill.store.files import FileStore


def run(call: CommandCall) -> int:
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
