"""`spill artifacts search`: lines in which a text stands, like `grep -n`, in one artifact or in all."""

from typing import cast

from overspill.cli.arguments import Call
from overspill.cli.opening import open_workspace
from overspill.cli.output import again, answer, note
from overspill.cli.output.tables import counted
from overspill.core.markers import Search
from overspill.retrieve.access import access_for, find
from overspill.retrieve.search import Found
from overspill.retrieve.search.windows import Match
from overspill.store import Artifacts, Store, checked_id
from overspill.store.files import FileStore
from overspill.store.removal import milliseconds


def run(call: Call) -> int:
    """Write the matches, and say on standard error how many there are and how to go on."""
    pattern = call.argument(0, "PATTERN")
    asked = Search(
        pattern,
        call.arguments[1] if len(call.arguments) > 1 else "",
        call.flag("--regex"),
        call.flag("--ignore-case") or call.flag("-i"),
        call.number("--context") or call.number("-C") or 0,
    )
    found, newest = searched(call, asked)
    next_ = found.next
    if next_ and newest:
        head, mark, tail = next_.partition(" -- ")
        next_ = f"{head} --as-of {newest}{mark}{tail}"
    return said(call, asked, found, again(call, next_, "--") if next_ else "")


def searched(call: Call, asked: Search) -> tuple[Found, str]:
    """What is found, and the newest artifact of those that were looked through, so that all pages speak of the same."""
    workspace = open_workspace(call)
    store = workspace.files
    access = access_for(workspace, "user")
    newest = ""
    if not asked.artifact_id:
        newest = call.text("--as-of") or next((one.id for one in store.page(1).artifacts), "")
        access = access._replace(store=cast("Store", UpTo(store, checked_id(newest)))) if newest else access
    return find(access, asked, call.number("--limit"), call.number("--offset") or 0), newest


class UpTo:
    """A store as it was when an artifact was its newest: what came later is in no list."""

    def __init__(self, store: FileStore, newest: str) -> None:
        self._store, self._newest = store, (milliseconds(newest), newest)

    def list(self) -> Artifacts:
        return [one for one in self._store.list() if (milliseconds(one.id), one.id) <= self._newest]

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)


def said(call: Call, asked: Search, found: Found, following: str) -> int:
    """Print the matches."""
    answer(
        call,
        "matches",
        [record(match) for match in found.matches],
        found.text,
        pagination=found.pagination if found.pagination.limit else None,
        following=following,
    )
    for artifact_id in found.unread:
        note(f"spill: {artifact_id} could not be read, and was not searched")
    if not call.flag("--json"):
        note(f"spill: {summary(found, asked)}")
    return 0


def summary(found: Found, asked: Search) -> str:
    """How many matches there are, and where."""
    more = "more than " if found.at_least else ""
    where = asked.artifact_id or counted(found.artifacts, "artifact")
    noun = "match" if found.pagination.total == 1 else "matches"
    return f"{more}{found.pagination.total:,} {noun} in {where}; {len(found.matches):,} shown"


def record(match: Match) -> dict[str, object]:
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
