"""`spill artifacts search`: lines in which a text stands, like `grep -n`, in one artifact or in all."""

from overspill.desk import desk_of, find
from overspill.doors.arguments import Call
from overspill.doors.opening import opened, root_of, spelling_of
from overspill.doors.showing import in_camel_case
from overspill.doors.streams import again, answer, note
from overspill.doors.tables import counted
from overspill.marks import Search
from overspill.search import Found
from overspill.search.windows import Match


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
    settings, store = opened(call)
    desk = desk_of(settings, store, spelling_of(call, root_of(call)), "user")
    found = find(desk, asked, call.number("--limit"), call.number("--offset") or 0)
    answer(
        call,
        "matches",
        [record(match) for match in found.matches],
        found.text,
        pagination=in_camel_case(found.pagination),
        following=again(call, found.next, "--") if found.next else "",
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
