"""What docs/agent-scenarios.md says of agents is what was recorded of them."""

import json

import pytest

from e2e.table import END, PAGE, RESULTS, Json, Told, known_scenarios, merged_results, page_with, table_text
from e2e.wiring import AGENTS, NOT_RUN
from overspill.agents import AGENTS as SET_UP
from overspill.agents.install.tables import agent_called

FRESH = Told("codex", "parallel", "ok", 20_000, 900, 5.21)


def recorded() -> Json:
    loaded: Json = json.loads(RESULTS.read_text(encoding="utf-8"))
    return loaded


def test_the_page_shows_what_was_recorded() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == page_with(page, table_text(recorded(), known_scenarios()))


@pytest.mark.parametrize("agent", list(recorded()))
def test_every_scenario_was_tried_with_an_agent_that_is_in_the_table(agent: str) -> None:
    """What an agent does not offer is said, and nothing is left out in silence."""
    cells = recorded()[agent]["scenarios"]
    assert set(cells) == set(known_scenarios())
    assert {cell["outcome"] for cell in cells.values()} <= {"ok", "not offered"}
    assert all(cell["why"] for cell in cells.values() if cell["outcome"] == "not offered")


def test_an_agent_that_is_set_up_is_run_or_it_is_said_why_not() -> None:
    assert set(SET_UP) == AGENTS.keys() | NOT_RUN.keys()
    assert not AGENTS.keys() & NOT_RUN.keys()
    assert all(not agent_called(name).is_tried for name in NOT_RUN)
    assert all(agent_called(name).is_tried for name in AGENTS)


def test_what_is_tried_again_takes_the_place_of_what_was_recorded() -> None:
    before = merged_results({}, [FRESH, FRESH._replace(scenario="killed")], {"codex": "1.0"}, "2026-01-01")
    after = merged_results(before, [FRESH._replace(ours=800)], {"codex": "1.1"}, "2026-01-02")
    assert after["codex"]["version"] == "1.1"
    cells = after["codex"]["scenarios"]
    assert (cells["parallel"]["ours"], cells["parallel"]["date"]) == (800, "2026-01-02")
    assert (cells["killed"]["ours"], cells["killed"]["date"]) == (900, "2026-01-01")
    assert before["codex"]["scenarios"]["parallel"]["ours"] == 900


def test_a_cell_says_how_it_went_and_a_note_why() -> None:
    told = [FRESH, FRESH._replace(scenario="killed", outcome="not offered", native=None, ours=None, why="it cannot")]
    text = table_text(
        merged_results({}, told, {"codex": "1.0"}, "2026-01-01"), {"parallel": "a", "killed": "b", "x": "c"}
    )
    lines = text.splitlines()
    assert lines[0] == "| scenario | Codex 1.0 |"
    assert lines[2:5] == [
        "| **parallel**: a | ok 20,000 → 900 |",
        "| **killed**: b | not offered (1) |",
        "| **x**: c | not run |",
    ]
    assert "1. Codex, killed: it cannot" in lines


def test_what_stands_around_the_table_stays() -> None:
    page = page_with("before\n", "one")
    assert page.startswith("before\n")
    assert page_with(page + "after\n", "two").endswith(f"two\n{END}after\n")
