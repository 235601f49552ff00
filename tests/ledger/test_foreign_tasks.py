"""Tasks of other trackers, `bd` and task-master, as their programs write them and mean them."""

import json

from engine_kit import ledger_place
from overspill.ledger import Ledger

BD: list[dict[str, object]] = [
    {"id": "bd-a1", "title": "Fix login", "description": "OAuth fails", "status": "open", "priority": 0,
     "issue_type": "bug", "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-02T00:00:00Z",
     "labels": ["backend"], "acceptance_criteria": "it works", "created_by": "jo",
     "dependencies": [{"issue_id": "bd-a1", "depends_on_id": "bd-b2", "type": "blocks"},
                      {"issue_id": "bd-a1", "depends_on_id": "bd-e", "type": "parent-child"}],
     "comments": [{"id": 1, "author": "al", "text": "seen", "created_at": "2026-01-01T05:00:00Z"}]},
    {"id": "bd-b2", "title": "Set up", "status": "closed", "priority": 4, "issue_type": "task",
     "created_at": "2026-01-01T00:00:00.5+01:00", "close_reason": "merged"},
    {"id": "bd-e", "title": "Auth", "status": "in_progress", "issue_type": "epic", "assignee": "jo",
     "created_at": "2026-01-01T00:00:00Z"},
]  # fmt: skip
TASK_MASTER = {
    "master": {
        "tasks": [
            {"id": 1, "title": "Build", "description": "d", "details": "more", "testStrategy": "unit",
             "status": "pending", "priority": "high", "dependencies": [], "subtasks": [
                 {"id": 1, "title": "a", "status": "done", "dependencies": []},
                 {"id": 2, "title": "b", "status": "pending", "dependencies": [1]}]},
            {"id": 2, "title": "Ship", "status": "in-progress", "dependencies": [1], "subtasks": []},
        ],
        "metadata": {"created": "2026-01-01T00:00:00.000Z"},
    }
}  # fmt: skip


def test_exports_of_bd_are_read_and_read_twice_they_are_there_once() -> None:
    text = "".join(json.dumps(issue) + "\n" for issue in BD).encode()
    with Ledger(ledger_place(":memory:")) as ledger:
        assert ledger.merge(text).added == 3
        found = {str(task["title"]): ledger.show(str(task["id"])) for task in ledger.tasks().rows(None, 0)}
        login, setup, auth = found["Fix login"], found["Set up"], found["Auth"]
        assert (login["status"], login["priority"], login["labels"]) == ("pending", "critical", ["backend", "bug"])
        assert (login["depends"], login["parentId"]) == ([setup["id"]], auth["id"])
        assert (login["acceptance"], login["notes"]) == (["it works"], ["seen"])
        assert (setup["status"], setup["priority"], setup["reason"]) == ("done", "low", "merged")
        assert (auth["type"], auth["status"], auth["assignee"]) == ("epic", "active", "jo")
        ledger.done(str(login["id"]))
        assert ledger.merge(text)[:2] == (0, 0)
        assert ledger.show(str(login["id"]))["status"] == "done"
        later = {**BD[0], "title": "Fix the login", "updated_at": "2099-01-01T00:00:00Z"}
        assert ledger.merge(json.dumps(later).encode())[:2] == (0, 1)
        assert ledger.show(str(login["id"]))["title"] == "Fix the login"


def test_the_tasks_of_task_master_are_read() -> None:
    with Ledger(ledger_place(":memory:")) as ledger:
        assert ledger.merge(json.dumps(TASK_MASTER, indent=2).encode()).added == 4
        found = {str(task["title"]): ledger.show(str(task["id"])) for task in ledger.tasks().rows(None, 0)}
        build, ship = found["Build"], found["Ship"]
        assert (build["description"], build["verification"], build["priority"]) == ("d\n\nmore", "unit", "high")
        assert [(found[t]["type"], found[t]["parentId"]) for t in "ab"] == [("subtask", build["id"])] * 2
        assert (found["b"]["depends"], found["b"]["status"]) == ([found["a"]["id"]], "pending")
        assert (ship["depends"], ship["status"]) == ([build["id"]], "blocked")


def bd_line(name: str, **more: object) -> dict[str, object]:
    return {"id": name, "title": name, "status": "open", "priority": 2, "issue_type": "task",
            "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-03T00:00:00Z", **more}  # fmt: skip


def below(one: str, other: str, how: str = "parent-child") -> list[dict[str, object]]:
    return [{"issue_id": one, "depends_on_id": other, "type": how, "created_at": "2026-01-01T00:00:00Z"}]


def read_bd(*lines: dict[str, object]) -> dict[str, dict[str, object]]:
    with Ledger(ledger_place(":memory:")) as ledger:
        ledger.merge("".join(json.dumps(line) + "\n" for line in lines).encode())
        return {str(task["title"]): ledger.show(str(task["id"])) for task in ledger.tasks().rows(None, 0)}


def test_parts_of_parts_in_an_export_of_bd_stay_below_what_they_are_parts_of() -> None:
    """A feature may have parts there, and so may a part; of three sizes the smallest holds all that is deeper."""
    found = read_bd(
        bd_line("a", issue_type="feature"),
        bd_line("a.1", dependencies=below("a.1", "a")),
        bd_line("a.1.1", parent="a.1"),
        bd_line("a.1.1.1", issue_type="epic", dependencies=below("a.1.1.1", "a.1.1")),
        bd_line("lone", issue_type="bug"),
        bd_line("x", dependencies=below("x", "y")),
        bd_line("y", dependencies=below("y", "x")),
    )
    kinds = {title: task["type"] for title, task in found.items()}
    assert kinds | {"x": "", "y": ""} == {
        "a": "epic", "a.1": "task", "a.1.1": "subtask", "a.1.1.1": "subtask", "lone": "task", "x": "", "y": "",
    }  # fmt: skip
    assert found["a.1"]["parentId"] == found["a"]["id"]
    assert found["a.1.1"]["parentId"] == found["a.1.1.1"]["parentId"] == found["a.1"]["id"]


def test_what_bd_says_in_other_words_is_read_as_it_means_it() -> None:
    """No priority is the most urgent one, a hooked issue is somebody's, and what was closed was closed then."""
    urgent = {name: value for name, value in bd_line("urgent").items() if name != "priority"}
    found = read_bd(
        urgent,
        bd_line("hooked", status="hooked", assignee="jo"),
        bd_line("closed", status="closed", closed_at="2026-01-02T00:00:00Z", close_reason="merged", owner="al"),
        bd_line("shown", dependencies=[{"id": "urgent", "title": "urgent", "dependency_type": "blocks"}]),
        bd_line("related", dependencies=below("related", "urgent", "related")),
        bd_line("gone", status="tombstone", deleted_at="2026-01-02T00:00:00Z", deleted_by="jo"),
        {"_type": "memory", "key": "k", "value": "v"},
    )
    assert sorted(found) == ["closed", "hooked", "related", "shown", "urgent"]
    assert found["urgent"]["priority"] == "critical"
    assert (found["hooked"]["status"], found["hooked"]["assignee"]) == ("active", "jo")
    assert (found["closed"]["status"], found["closed"]["completedAt"]) == ("done", "2026-01-02T00:00:00Z")
    assert (found["shown"]["status"], found["shown"]["depends"]) == ("blocked", [found["urgent"]["id"]])
    assert found["related"]["status"] == "pending"


def test_a_list_of_task_master_that_has_one_id_twice_loses_none_of_its_tasks() -> None:
    parts = [{"id": 1, "title": f"part {n}", "status": "pending", "dependencies": []} for n in range(3)]
    task = {"id": "7", "title": "Build", "status": "review", "assignee": "jo", "tags": ["ui"], "subtasks": parts,
            "relevantFiles": [{"path": "src/a.py", "description": "x", "action": "modify"}],
            "acceptanceCriteria": ["it runs", "it ends"]}  # fmt: skip
    said = {"master": {"tasks": [task, {"id": 8, "title": "Ship", "dependencies": ["7.1"]}], "metadata": {}}}
    text = json.dumps(said).encode()
    with Ledger(ledger_place(":memory:")) as ledger:
        assert ledger.merge(text).added == 5
        assert ledger.merge(text)[:4] == (0, 0, 0, 5)
        found = {str(one["title"]): ledger.show(str(one["id"])) for one in ledger.tasks().rows(None, 0)}
    build = found["Build"]
    assert (build["acceptance"], build["files"], build["labels"]) == (["it runs", "it ends"], ["src/a.py"], ["ui"])
    assert (build["status"], build["assignee"]) == ("active", "jo")
    assert {found[f"part {n}"]["parentId"] for n in range(3)} == {build["id"]}
    assert found["Ship"]["depends"] == [found["part 0"]["id"]]
