"""Limits that follow the window of a model."""

import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doors_kit import Shell, ok
from overspill import MemoryStore, Overspill
from overspill.core.budget import AS_OF, DEFAULT_CHARS, WINDOWS, Budget, ModelWindow, share_tokens, window_of
from overspill.errors import ConfigError

LINES = "".join(f"line {number} says {number * 7919 % 10007}\n" for number in range(20_000))


def test_the_table_has_a_date_that_is_one() -> None:
    assert date.fromisoformat(AS_OF) >= date(2026, 11, 17)
    assert all(1_000 < tokens <= 2_097_152 and name == name.lower() for name, tokens in WINDOWS.items())


@pytest.mark.parametrize("name", WINDOWS)
def test_a_model_is_known_by_its_name_its_date_and_who_serves_it(name: str) -> None:
    for said in (name, name.upper(), f"somebody/{name}", f"{name}@eu", f"{name}:free", f"{name}-20251101"):
        assert window_of(said) == WINDOWS[name]
    assert window_of(f"{name}[1m]") == 1_000_000


@pytest.mark.parametrize("name", ["", "gpt", "gpt-4.9", "gpt-41", "claude-opus-4-9", "claude", "my-gpt-4", "[1m]"])
def test_a_model_that_is_not_known_is_not_guessed(name: str) -> None:
    """Issue 24: then the default holds."""
    assert window_of(name) is None
    assert Budget.for_model(name) == Budget(chars=DEFAULT_CHARS)


def test_a_budget_for_a_model_is_the_one_for_its_window() -> None:
    assert Budget.for_model("claude-opus-4-8") == Budget.for_window(200_000)
    assert Budget.for_model("gpt-5.5", turn=True, used=9) == Budget.for_window(272_000, turn=True, used=9)
    fitted = Overspill(store=MemoryStore(), preset="agent").fit(LINES, budget=Budget.for_model("gpt-4"))
    assert len(fitted.text) <= 8_192 * 0.15 * 4


@given(
    share=st.floats(0.001, 0.15),
    tokens=st.integers(1_000, 2_000_000),
    used=st.lists(st.integers(0, 3_000_000), min_size=2, max_size=9),
)
def test_the_fuller_a_window_the_smaller_the_share(share: float, tokens: int, used: list[int]) -> None:
    """Issue 24: in a long session the share shrinks as the window fills."""
    rooms = [share_tokens(share, ModelWindow(tokens, filled)) for filled in sorted(used)]
    assert rooms == sorted(rooms, reverse=True)
    assert all(1 <= room <= max(1, int(tokens * share)) for room in rooms)


def limit_of(**settings: object) -> int:
    spill = Overspill(settings, MemoryStore(), preset="agent")
    return spill.workspace.policy("bash").inline.chars or 0


def test_a_share_of_a_window_is_a_limit() -> None:
    """Issue 24: `budget: 4%`."""
    share = {"tools.truncation.budget": "4%"}
    assert limit_of(model="claude-opus-4-8", **share) == 200_000 * 0.04 * 4
    assert limit_of(model="nobodys-model", **share) == DEFAULT_CHARS
    assert limit_of(**share) == DEFAULT_CHARS
    assert limit_of(model="claude-opus-4-8") == DEFAULT_CHARS
    assert limit_of(model="gpt-4") == int(8_192 * 0.15) * 4
    tools = {"tools.truncation.overrides": {"bash": {"budget": "2.5 %"}}}
    assert limit_of(model="claude-opus-4-8", **tools) == 200_000 * 0.025 * 4
    assert limit_of(model="gemini-3-pro", **{"tools.truncation.budget": "15%"}) == 200_000  # the most that a model gets


@pytest.mark.parametrize("share", ["4", 4, 0.04, "0%", "16%", "-1%", "%", "four%", "1e1%", "4%%", ""])
def test_what_is_no_share_is_a_mistake(share: object) -> None:
    with pytest.raises(ConfigError, match="a share of the window such as 4%"):
        limit_of(**{"tools.truncation.budget": share})


def test_who_asks_is_told_what_a_limit_follows(shell: Shell) -> None:
    shell.environ |= {"OVERSPILL_MODEL": "claude-opus-4-8", "OVERSPILL_TOOLS__TRUNCATION__BUDGET": "1%"}
    said = ok(shell.spill("fit", "--explain", stdin=LINES))
    assert len(said.out) <= 8_000
    assert f"limit 8000 chars: 1% of the window of claude-opus-4-8, 200,000 tokens (table of {AS_OF})" in said.err
    assert "1% of the window of claude-opus-4-8" in shell.spill("doctor").out
    shell.environ["OVERSPILL_MODEL"] = "nobodys-model"
    assert "the window of 'nobodys-model' is not in the table" in ok(shell.spill("fit", "--explain", stdin="x")).err
    checks = shell.spill("doctor", "--json").envelope["doctor"]
    assert '"nobodys-model"' in json.dumps(checks)
    assert "is not in the table" in shell.spill("doctor").out
