"""`spill find`: tasks by what they say."""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING
from overspill.cli.opening import open_workspace
from overspill.cli.output.lists import OF_A_PAGE, Listing, WarningRecord, command_line
from overspill.cli.output.tables import visible
from overspill.cli.tasks import answer_tasks, filters_of, task_row
from overspill.errors import UsageError

if TYPE_CHECKING:
    from overspill.cli.arguments import CommandCall
    from overspill.ledger.search import TaskMatches

MATCHES = Listing(
    "matches",
    "task",
    "Matches",
    ("ID", "Status", "Priority", "Type", "Title", "Labels", "Where"),
    lambda record: (*task_row(record), visible(str(record.get("snippet", "")))),
)


def run(call: CommandCall) -> int:
    """Look where it was asked for."""
    query, where = call.argument(0, "QUERY"), call.text("--in") or "tasks"
    if where not in {"tasks", "artifacts"}:
        raise UsageError(f"--in takes tasks or artifacts, not {where[:100]!r}")
    if where == "artifacts":
        return find_in_artifacts(call, query)
    workspace = open_workspace(call)
    with workspace.ledger() as ledger:
        filters = filters_of(call, ledger)
        found = ledger.find(query, filters, archived=call.flag("--archived"), at=call.text("--as-of"))
        return answer_tasks(call, workspace, found, MATCHES, search_warnings(found))


def find_in_artifacts(call: CommandCall, query: str) -> int:
    """What was kept, searched line by line: files are the truth, and there is no index to fall behind them."""
    from overspill.cli.artifacts_search import print_matches, search_store
    from overspill.core.markers import Search

    asked = Search(query, ignore_case=True)
    found, _ = search_store(call, asked)
    pages = found.pagination
    limit = [] if call.number("--limit") is None else [f"--limit {pages.limit}"]
    more = [*limit, f"--offset {pages.offset + len(found.matches)}"]
    return print_matches(call, asked, found, command_line(call, more, without=OF_A_PAGE) if found.next else "")


def search_warnings(found: TaskMatches) -> list[WarningRecord]:
    """What was looked for instead of what was asked for."""
    said = [
        {"code": "W_SPELLING", "message": f"no task has {word!r}; looked for {near!r} instead"}
        for word, near in found.instead.items()
    ]
    if found.loosened:
        said.append({"code": "W_ANY_WORD", "message": "no task has all of these words; these have some of them"})
    return said
