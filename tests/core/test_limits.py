"""Limits: their defaults, where they are said, and what each of them decides."""

import asyncio
from pathlib import Path

import pytest

from asking import PROSE, SHORT_MARK, command, numbered, spill, stored
from overspill import Budget, Fitted, Overspill, OverspillError
from overspill.compat import TruncationConfiguration, TruncationOptions, TruncationProcessor

MEGABYTE = 1_048_576


def form(fitted: Fitted) -> str:
    """How a result is shown: whole, cut, or led by a reference."""
    if fitted.text.startswith("[Artifact: "):
        return "reference"
    return "cut" if fitted.metadata["was_truncated"] else "whole"


def test_the_default_inline_limit_is_8000_characters() -> None:
    """FR-007, AC-007, UM-02."""
    assert spill().fit("a" * 8_000).text == "a" * 8_000
    assert len(spill().fit("a" * 8_001).text) <= 8_000
    assert TruncationOptions().inline_limit == 8_000


def test_the_default_artifact_threshold_is_50000_characters() -> None:
    """FR-008, AC-008, UM-03, UM-04."""
    assert form(spill().fit("a" * 49_999)) == "cut"
    assert form(spill().fit("a" * 50_000)) == "reference"
    assert TruncationOptions().artifact_threshold == 50_000


def test_the_default_maximum_is_10_megabytes() -> None:
    """FR-009, AC-009."""
    asked = spill()
    fitted = asked.fit("a" * (10 * MEGABYTE - 1))
    assert form(fitted) == "reference"
    assert asked.fit("a" * (10 * MEGABYTE)).is_error
    assert TruncationOptions().max_artifact_size == 10_485_760


def test_limits_can_be_set_for_one_tool() -> None:
    """FR-010, AC-010: and leave the others alone."""
    asked = spill(overrides__search_files__inline_limit=500, overrides__search_files__artifact_threshold=900)
    assert len(asked.fit(PROSE * 10, tool="search_files").text) <= 500
    assert form(asked.fit(PROSE * 11, tool="search_files")) == "reference"
    assert asked.fit(PROSE * 11, tool="read_file").text == PROSE * 11


def test_limits_can_be_set_for_all_tools() -> None:
    """FR-011, AC-011, P-04."""
    asked = spill(inline_limit=400, artifact_threshold=1_000, max_artifact_size=5_000)
    assert asked.fit("a" * 400).text == "a" * 400
    assert form(asked.fit("a" * 401)) == "cut"
    assert form(asked.fit("a" * 1_000)) == "reference"
    assert asked.fit("a" * 5_000).is_error


@pytest.mark.parametrize("name", ["inline_limit", "artifact_threshold", "max_artifact_size", "tail_lines"])
@pytest.mark.parametrize("value", [0, -1, True, False, 1.5, "many"])
def test_limits_are_positive_whole_numbers(name: str, value: object) -> None:
    """FR-012, AC-012, X-07: the message names the key."""
    with pytest.raises(ValueError, match=name):
        TruncationOptions(**{name: value})


@pytest.mark.parametrize("value", [0, -1, True, "many"])
def test_a_wrong_limit_in_settings_is_refused_by_name(value: object) -> None:
    """FR-012, AC-012, X-07."""
    with pytest.raises(OverspillError, match="inline_limit"):
        spill(inline_limit=value)


@pytest.mark.parametrize("value", [-1, True, 1.5, "100"])
def test_a_budget_that_is_no_number_is_refused(value: int) -> None:
    """X-07: at the call too, and before anything is kept."""
    asked = spill()
    with pytest.raises(OverspillError, match="budget"):
        asked.fit("a" * 9_000, budget=value)
    assert asked.store.list() == []


@pytest.mark.parametrize("word", ["0", "-1", "1.5", "many", ""])
def test_a_wrong_limit_on_the_command_line_is_refused(word: str, tmp_path: Path) -> None:
    """X-07: with status 2, on standard error, and nothing on standard output."""
    done = command("fit", f"--limit={word}", stdin=b"text", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"--limit" in done.stderr


def test_inside_no_room_is_no_room() -> None:
    """X-07: a budget of 0 characters shows nothing, and everything is kept."""
    asked = spill()
    fitted = asked.fit(PROSE, budget=0)
    assert fitted.text == ""
    assert stored(asked, fitted) == PROSE


def test_characters_decide_what_is_shown_and_bytes_what_is_kept() -> None:
    """X-06: a euro sign is one character and three bytes."""
    asked = spill(inline_limit=1_000, artifact_threshold=2_000, max_artifact_size=9_000)
    assert asked.fit("€" * 1_000).text == "€" * 1_000
    assert form(asked.fit("€" * 1_999)) == "cut"
    assert form(asked.fit("€" * 2_000)) == "reference"
    assert not asked.fit("€" * 2_999).is_error
    assert asked.fit("€" * 3_000).is_error
    metadata = asked.fit("€" * 1_500).metadata
    assert (metadata["original_size"], metadata["original_bytes"]) == (1_500, 4_500)


def test_a_high_inline_limit_lifts_the_threshold() -> None:
    """X-08: what fits inline passes, whatever the threshold says; a loaded file's warning says so."""
    asked = spill(inline_limit=100_000)
    assert asked.fit("a" * 100_000).text == "a" * 100_000
    assert form(asked.fit("a" * 100_001)) == "reference"
    assert any("artifact_threshold" in warning for warning in asked.settings.warnings)


@pytest.mark.parametrize("tool", ["", "read_file", "execute_command", "list_directory"])
def test_truncation_can_be_switched_off(tool: str) -> None:
    """FAQ-2, X-08: the recipe of the manual, for tools with a strategy of their own too."""
    asked = spill(inline_limit=1_000_000, default_strategy="none")
    text = PROSE * 11_000
    assert len(text) < 1_000_000
    assert asked.fit(text, tool=tool).text == text


def test_none_passes_up_to_the_threshold_and_protects_the_window_above() -> None:
    """X-09, FAQ-2."""
    asked = spill(default_strategy="none")
    assert asked.fit("a" * 49_999).text == "a" * 49_999
    fitted = asked.fit("a" * 50_000)
    assert form(fitted) == "reference"
    assert len(fitted.text) <= 8_000
    assert stored(asked, fitted) == "a" * 50_000


def test_none_does_not_break_the_budget_of_a_turn() -> None:
    """X-09: parallel results share one window."""
    fitted = spill(default_strategy="none").fit_many([PROSE * 200, PROSE * 200], 3_000)
    assert sum(len(one.text) for one in fitted) <= 3_000


@pytest.mark.parametrize("budget", [Budget(chars=6_000), Budget(tokens=1_500)])
def test_results_that_come_one_by_one_share_what_is_left(budget: Budget) -> None:
    """X-06, P-04: what one result takes, marks and all, the next ones do not get."""

    async def turn() -> list[int]:
        async with spill().turn(budget) as now:
            return [len((await now.fit(PROSE * 300, tool="bash")).text) for _ in range(6)]

    sizes = asyncio.run(turn())
    assert sum(sizes) <= 6_000
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[2]


SENTENCE = "Output size (10.0 MB) exceeds maximum artifact size (10.0 MB)"


def test_too_large_is_said_in_the_manuals_sentence_and_shown_by_the_tools_strategy() -> None:
    """FAQ-7, X-04, AC-096: nothing is kept, and the view says so; the agent still sees how a command ended."""
    asked = spill()
    text = numbered(1, "x" * 10 * MEGABYTE) + numbered(5_000)
    fitted = asked.fit(text, tool="run_command")
    assert fitted.is_error
    assert fitted.text.splitlines()[0] == "Output size (10.2 MB) exceeds maximum artifact size (10.0 MB)"
    assert fitted.text.endswith(text[-2_000:])
    assert "not kept" in fitted.text
    assert len(fitted.text) <= 8_000
    assert fitted.artifact_id is None
    assert asked.store.list() == []
    assert fitted.report.not_kept


def test_the_sentence_names_both_sizes() -> None:
    """FAQ-7."""
    assert spill().fit("a" * 10 * MEGABYTE).text.splitlines()[0] == SENTENCE
    fitted = spill(max_artifact_size="2MB").fit("a" * 3 * MEGABYTE)
    assert fitted.text.splitlines()[0] == "Output size (3.0 MB) exceeds maximum artifact size (2.0 MB)"


@pytest.mark.parametrize("size", ["200MB", "200 MiB", 200 * MEGABYTE])
def test_the_maximum_can_be_raised(size: object) -> None:
    """X-04: then large results are kept."""
    asked = spill(max_artifact_size=size)
    fitted = asked.fit("a" * 11 * MEGABYTE)
    assert not fitted.is_error
    assert form(fitted) == "reference"
    assert asked.store.info(str(fitted.artifact_id)).size.bytes == 11 * MEGABYTE


def test_the_excerpt_of_a_refusal_can_be_dropped() -> None:
    """X-04: `on_oversize: drop_excerpt`, within any room."""
    asked = spill(on_oversize="drop_excerpt")
    fitted = asked.fit("a" * 10 * MEGABYTE)
    assert (fitted.text, fitted.is_error) == (SENTENCE, True)
    assert asked.fit("a" * 10 * MEGABYTE, budget=20).text == SENTENCE[:20]


def test_both_ends_of_what_is_too_large_can_be_kept() -> None:
    """X-04: `on_oversize: head_tail`; the artifact is marked partial, and the hint promises no range of it."""
    asked = spill(on_oversize="head_tail", max_artifact_size=10_000, inline_limit=1_000)
    text = numbered(3_000)
    fitted = asked.fit(text)
    artifact = fitted.report.artifact
    assert fitted.is_error
    assert artifact is not None
    assert artifact.partial
    kept = asked.store.read(artifact.id).decode()
    assert kept == text[:5_000] + text[-5_000:]
    assert artifact.size.bytes == 10_000
    assert fitted.report.total.bytes == len(text)
    assert artifact.id in fitted.text
    assert "start_" not in fitted.text


def test_settings_live_in_the_projects_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """P-24, FR-011, FR-024: no code is changed, in Python as on the command line."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / ".agent").mkdir()
    (tmp_path / ".agent" / "config.yml").write_text(
        "tools:\n  truncation:\n    inline_limit: 300\n    overrides:\n      my_tool:\n        strategy: tail\n"
    )
    text = numbered(200)
    fitted = Overspill(root=str(tmp_path)).fit(text, tool="my_tool")
    assert len(fitted.text) <= 300
    assert fitted.report.strategy_used == "tail"
    shown = command("fit", "--tool", "my_tool", stdin=text.encode(), cwd=tmp_path)
    assert shown.stdout.endswith(b"line 000200 of a text that somebody wrote\n")
    assert len(shown.stdout) <= 300
    assert len(SHORT_MARK.findall(shown.stdout.decode())) == 1


def test_limits_are_characters_and_tokens_are_only_estimated() -> None:
    """P-04: unless a budget says tokens."""
    fitted = spill(inline_limit=1_000).fit(PROSE * 100)
    assert 800 < len(fitted.text) <= 1_000
    assert fitted.metadata["original_tokens"] == -(-len(PROSE * 100) // 4)


def test_every_limit_of_the_specification_is_an_option() -> None:
    """FR-002: of the processor, by the names of the specification."""
    config = TruncationConfiguration(
        inline_limit=900, artifact_threshold=2_000, max_artifact_size=20_000, head_ratio=0.5, strategy="head"
    )
    processor = TruncationProcessor(config)
    assert processor.process("a" * 900, "t").content == "a" * 900
    assert processor.process("a" * 1_999, "t").metadata["strategy_used"] == "head"
    assert processor.process("a" * 2_000, "t").content.startswith("[Artifact: ")
    assert processor.process("a" * 20_000, "t").is_error
