"""Read tools beside the artifacts': the tasks of the ledger, and what earlier phases left."""

from __future__ import annotations

import json

from overspill._lite import TYPE_CHECKING
from overspill.retrieve.tools import Answer, Arguments, Tool, answer_call, schema_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from overspill.api import Overspill
    from overspill.lists.pages import Page
    from overspill.retrieve.access import Access

MOST_TASKS = 200

LIST = schema_of(
    [],
    status=("string", "Only tasks of this status: pending, active, blocked, done or cancelled."),
    limit=("integer", "Most tasks to list (50 if left out)."),
    offset=("integer", "Tasks to skip, to go on after an earlier page."),
)
FIND = schema_of(
    ["query"],
    query=("string", "Words of titles, descriptions or notes."),
    limit=("integer", "Most tasks to list (10 if left out)."),
    offset=("integer", "Tasks to skip, to go on after an earlier page."),
)
SHOW = schema_of(["id"], id=("string", "The task's id, like T12."))
CONTEXT = schema_of(
    ["phase"],
    phase=("integer", "The phase that begins: it gets what the phases before it left."),
    run_id=("string", "The run. Left out: the latest one."),
)


def task_tools(spill: Overspill) -> tuple[Tool, ...]:
    """The tasks of the ledger, to be read."""

    def listed(_access: Access, given: Arguments) -> Answer:
        status = given.text("status")
        with spill.workspace.ledger() as ledger:
            tasks = ledger.tasks({"status": [status]} if status else None)
            return _page_answer(spill.page(tasks, command="list", compact="task", **_page_bounds(given)), "list_tasks")

    def found(_access: Access, given: Arguments) -> Answer:
        with spill.workspace.ledger() as ledger:
            tasks = ledger.find(given.text("query") or "")
            return _page_answer(spill.page(tasks, command="find", compact="task", **_page_bounds(given)), "find_tasks")

    def shown(_access: Access, given: Arguments) -> Answer:
        with spill.workspace.ledger() as ledger:
            return Answer(_json_line(ledger.show(given.text("id") or "")))

    return (
        Tool("list_tasks", "List the tasks of this project, one compact JSON record a line.", LIST,
             lambda access, given: answer_call(listed, access, LIST, given)),
        Tool("find_tasks", "Find tasks by what they say, the best match first, one compact JSON record a line.", FIND,
             lambda access, given: answer_call(found, access, FIND, given)),
        Tool("show_task", "Show everything that is known of one task, as JSON.", SHOW,
             lambda access, given: answer_call(shown, access, SHOW, given)),
    )  # fmt: skip


def handoff_tools(spill: Overspill) -> tuple[Tool, ...]:
    """What earlier phases left, to be read."""

    def assembled(_access: Access, given: Arguments) -> Answer:
        context = spill.assemble(phase=given.number("phase") or 0, run_id=given.text("run_id"))
        return Answer(context.text, " ".join(context.problems))

    description = "What earlier phases of this work left for a phase: goal, decisions, risks, within its token budget."
    return (
        Tool(
            "get_phase_context",
            description,
            CONTEXT,
            lambda access, given: answer_call(assembled, access, CONTEXT, given),
        ),
    )


def _page_bounds(given: Arguments) -> dict[str, int]:
    limit, offset = given.number("limit"), given.number("offset") or 0
    return {"offset": max(0, offset), **({} if limit is None else {"limit": min(max(1, limit), MOST_TASKS)})}


def _page_answer(page: Page, name: str) -> Answer:
    pages = page.pagination
    total = pages.total if pages else len(page.items)
    start = pages.offset if pages else 0
    following = "" if page.following is None else f"{name}(offset={page.following})"
    note = f"Tasks {start:,}-{start + len(page.items):,} of {total:,}."
    content = "".join(_json_line(item) + "\n" for item in page.items)
    return Answer(content, f"{note} Next page: {following}" if following else note, next=following)


def _json_line(record: Mapping[str, object]) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))
