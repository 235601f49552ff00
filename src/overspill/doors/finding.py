"""`spill find`: tasks by what they say."""

from overspill.doors.arguments import Call
from overspill.doors.ledgers import opened
from overspill.doors.lists import Listing, Warned, answer_page
from overspill.doors.tables import visible
from overspill.doors.tasks import row
from overspill.errors import UsageError
from overspill.ledger.search import Found

TASKS = Listing(
    "matches",
    "task",
    "Matches",
    ("ID", "Status", "Priority", "Type", "Title", "Labels", "Where"),
    lambda record: (*row(record), visible(str(record.get("snippet", "")))),
)


def run(call: Call) -> int:
    """Look where it was asked for."""
    query, where = call.argument(0, "QUERY"), call.text("--in") or "tasks"
    if where not in {"tasks", "artifacts"}:
        raise UsageError(f"--in takes tasks or artifacts, not {where[:100]!r}")
    settings, _, ledger, _ = opened(call)
    with ledger:
        found = ledger.find(query, archived=call.flag("--archived"))
        return answer_page(call, settings, found, TASKS, warnings=said_of(found))


def said_of(found: Found) -> list[Warned]:
    """What was looked for instead of what was asked for."""
    said = [
        {"code": "W_SPELLING", "message": f"no task has {word!r}; looked for {near!r} instead"}
        for word, near in found.instead.items()
    ]
    if found.loosened:
        said.append({"code": "W_ANY_WORD", "message": "no task has all of these words; these have some of them"})
    return said
