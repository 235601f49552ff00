"""Detection: which size a text has, and on which side of a limit it lies."""

from pathlib import Path

import pytest

import overspill
from asking import PROSE, number, numbered, spill, stored
from overspill import Budget, Overspill
from overspill.compat import estimate_tokens
from overspill.core import o200k


@pytest.mark.parametrize("limit", [1, 63, 64, 65, 500, 8_000])
def test_one_character_too_many_is_detected(limit: int) -> None:
    """FR-013, AC-013, AC-080, AC-081, UM-02: at the limit nothing is done, one above something is."""
    asked = spill(inline_limit=limit)
    at, above = asked.fit("a" * limit), asked.fit("a" * (limit + 1))
    assert (at.text, at.metadata["was_truncated"], at.artifact_id) == ("a" * limit, False, None)
    assert above.metadata["was_truncated"] is True
    assert 0 < len(above.text) <= limit
    assert stored(asked, above) == "a" * (limit + 1)


def test_the_artifact_threshold_is_detected() -> None:
    """FR-014, AC-014, AC-095, X-02, UM-03, UM-04: exactly at the threshold the reference leads."""
    asked = spill(inline_limit=1_000, artifact_threshold=2_000)
    below, at = asked.fit("a" * 1_999), asked.fit("a" * 2_000)
    assert "[Artifact: " not in below.text
    assert at.text.startswith(f"[Artifact: {at.artifact_id}]")
    assert below.artifact_id != at.artifact_id


def test_the_maximum_is_detected() -> None:
    """FR-015, AC-015, AC-096, X-03: exactly at the maximum a text is refused."""
    asked = spill(inline_limit=1_000, max_artifact_size=60_000)
    below, at = asked.fit("a" * 59_999), asked.fit("a" * 60_000)
    assert (below.is_error, below.report.decision) == (False, "spill")
    assert (at.is_error, at.report.decision, at.artifact_id) == (True, "refuse", None)


@pytest.mark.parametrize("letter", ["a", "é", "世", "\U0001f600"])
def test_sizes_are_characters(letter: str) -> None:
    """FR-016, AC-016: whatever a character takes in bytes."""
    asked = spill(inline_limit=1_000)
    assert asked.fit(letter * 1_000).text == letter * 1_000
    fitted = asked.fit(letter * 1_001)
    assert fitted.metadata["was_truncated"] is True
    assert fitted.metadata["original_size"] == 1_001


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("four", 1), ("hello", 2), ("世界", 1)])
def test_tokens_are_estimated_at_four_characters_each(text: str, tokens: int) -> None:
    """FR-017, AC-017, X-32: begun ones count."""
    assert estimate_tokens(text) == tokens
    assert spill().fit(text).metadata["original_tokens"] == tokens


def test_the_manuals_figure_comes_out() -> None:
    """FR-017, X-32: 2,415,919 characters are 603,980 tokens."""
    fitted = spill().fit("a" * 2_415_919)
    assert fitted.metadata["original_tokens"] == 603_980
    assert "2.3 MB (2,415,919 bytes, ~603,980 tokens)" in fitted.text


def test_the_counter_of_tokens_can_be_exchanged() -> None:
    """X-32, P-05: a budget in tokens is held by the counter it brings, and the metadata says its numbers."""
    words = numbered(2_000)
    fitted = spill().fit(words, budget=Budget(tokens=300, counter=lambda text: len(text.split())))
    assert 150 < len(fitted.text.split()) <= 300
    assert fitted.metadata["truncated_tokens"] == len(fitted.text.split())
    assert fitted.metadata["original_tokens"] == len(words.split())


def test_a_budget_in_tokens_holds_by_the_estimate() -> None:
    """FR-017, P-04."""
    for tokens in (1, 16, 100, 2_000):
        assert estimate_tokens(spill().fit(numbered(2_000), budget=Budget(tokens=tokens)).text) <= tokens


def test_exact_counts_know_that_scripts_differ() -> None:
    """P-05: four characters a token is far off for Chinese; the exact counter is one setting away."""
    text = "请先阅读用户手册然后再打开设备" * 200
    exact = Overspill({"tokens.counter": "o200k"}).fit(text)
    assert exact.metadata["original_tokens"] == o200k()(text)
    assert spill().fit(text).metadata["original_tokens"] == len(text) // 4
    small = Overspill({"tokens.counter": "o200k"}).fit(text, budget=Budget(tokens=200))
    assert 100 < o200k()(small.text) <= 200


def test_the_estimate_is_good_enough_for_english_and_code() -> None:
    """FAQ-3, P-05: within a fifth of the exact count, on prose and on our own source."""
    code = Path(overspill.__file__).with_name("api.py").read_text(encoding="utf-8")
    for text in (PROSE * 50, code):
        assert estimate_tokens(text) == pytest.approx(o200k()(text), rel=0.2)


@pytest.mark.parametrize("tool", ["execute_command", "read_file"])
def test_a_reference_is_followed_by_what_the_tools_strategy_shows(tool: str) -> None:
    """X-05, UM-04: the block first, then a view, all of it within the inline limit."""
    asked = spill()
    text = numbered(3_000)
    fitted = asked.fit(text, tool=tool)
    block, view = fitted.text.split("\n\nRetrieval options:\n")
    _, view = view.split("\n\n", 1)
    assert block.startswith("[Artifact: ")
    assert view.startswith("line 000001 ") == (tool == "read_file")
    assert view.endswith("line 003000 of a text that somebody wrote\n")
    assert len(view) > 4_000
    assert len(fitted.text) <= 8_000


def test_the_preview_below_a_reference_can_be_made_short() -> None:
    """X-05: `artifacts.preview_chars: 500` is about the text; the block stays whole."""
    fitted = spill(artifacts__preview_chars=500).fit(numbered(3_000))
    assert fitted.text.startswith("[Artifact: ")
    assert "- Byte range: " in fitted.text
    assert 400 < number(fitted.metadata["kept_characters"]) <= 500
    assert "line 000001 " in fitted.text
    tiny = spill(artifacts__preview_chars=1).fit(numbered(3_000))
    assert tiny.metadata["kept_characters"] == 1
    assert tiny.text.startswith("[Artifact: ")
