"""The use cases and the verification steps of the specification, from end to end."""

import re
from pathlib import Path

import pytest

from asking import MARKER, command, number, numbered, spill, stored
from overspill.compat import GetArtifactTool

SUMMARY = """
2 tests failed
[ERROR] LoginService.should_reject_invalid_tokens - AssertionError: Expected 401, got 200
[ERROR] PaymentService.should_handle_refund_race_condition - TimeoutException
SUMMARY: 14,998 passed, 2 failed
Total time: 4m 32s
"""
FIFTY_MB = 52_428_800


@pytest.fixture(scope="module")
def run_output() -> str:
    """50 MB of a test run, to the byte."""
    line = "Test should validate user input against the schema of the service: PASSED\n"
    body = line * (FIFTY_MB // len(line) + 1)
    return body[: FIFTY_MB - len(SUMMARY)] + SUMMARY


def test_fifty_megabytes_of_run_output_end_with_what_matters(run_output: str) -> None:
    """P-29, X-04, X-05, X-58, X-62: with a raised maximum, the last lines and the figures of the manual."""
    asked = spill(max_artifact_size="200MB")
    fitted = asked.fit(run_output, tool="run_command")
    metadata = fitted.metadata
    assert not fitted.is_error
    assert fitted.text.endswith(SUMMARY)
    assert len(fitted.text) <= 8_000
    assert len(fitted.text.splitlines()) <= 220
    assert (metadata["original_bytes"], metadata["original_tokens"]) == (52_428_800, 13_107_200)
    assert number(metadata["truncated_tokens"]) <= 2_000
    assert metadata["strategy"] == "tail"
    left_out = FIFTY_MB - number(metadata["kept_characters"])
    assert str(metadata["omission_summary"]).startswith(f"first {left_out:,} characters / ~")
    assert asked.store.info(str(fitted.artifact_id)).size.bytes == FIFTY_MB


def test_at_the_default_maximum_the_agent_still_sees_the_failed_tests(run_output: str) -> None:
    """P-29, X-04: refused, and yet not useless."""
    fitted = spill().fit(run_output, tool="run_command")
    assert fitted.is_error
    assert fitted.text.startswith("Output size (50.0 MB) exceeds maximum artifact size (10.0 MB)\n")
    assert "LoginService.should_reject_invalid_tokens" in fitted.text
    assert fitted.text.endswith(SUMMARY)


def test_small_medium_and_large_files() -> None:
    """UM-02, UM-03, UM-04: whole; cut with both ends; a reference that can be followed."""
    asked = spill()
    small, medium, large = numbered(100), numbered(800), numbered(2_000)
    assert asked.fit(small, tool="read_file").text == small
    assert asked.store.list() == []
    cut = asked.fit(medium, tool="read_file")
    assert MARKER.search(cut.text)
    assert cut.text.startswith(medium[:1_000])
    assert cut.text.endswith(medium[-1_000:])
    reference = asked.fit(large, tool="read_file")
    assert reference.text.startswith(f"[Artifact: {reference.artifact_id}]")
    answer = GetArtifactTool(asked.store, limit=1_000_000).execute({"id": reference.artifact_id})
    assert answer.content == large


def test_the_flow_of_the_manual_from_the_top() -> None:
    """UM-01, UM-05, P-11: measured, decided, cut, described, and no error."""
    asked = spill()
    for size in (8_000, 8_001, 49_999, 50_000):
        text = numbered(1_300)[:size]
        fitted = asked.fit(text, tool="read_file")
        assert fitted.is_error is False
        assert fitted.metadata["original_size"] == size
        assert fitted.metadata["was_truncated"] is (size > 8_000)
        assert stored(asked, fitted) == text if size > 8_000 else fitted.text == text


def test_two_million_lines_through_the_command(tmp_path: Path) -> None:
    """FR-019, FR-072, X-10, STR-02: one marker, the last line last, and numbers that add up."""
    (tmp_path / ".agent").mkdir()
    (tmp_path / ".agent" / "config.yml").write_text("tools:\n  truncation:\n    marks: full\n")
    numbers = "".join(f"{number}\n" for number in range(1, 2_000_001)).encode()
    shown = command("fit", "--strategy", "tail", "--limit", "4000", stdin=numbers, cwd=tmp_path)
    view = shown.stdout.decode()
    (mark,) = MARKER.finditer(view)
    tail = view[view.index("]\n", mark.end()) + 2 :]
    assert shown.returncode == 0
    assert view.endswith("\n2000000\n")
    assert numbers.endswith(tail.encode())
    assert int(mark[1]) + tail.count("\n") == 2_000_000
    assert int(mark[2]) + len(tail) == len(numbers)


def test_a_bare_pipe_is_fitted(tmp_path: Path) -> None:
    """P-11: `something | spill` needs no further word."""
    text = numbered(1_000).encode()
    bare, named = command(stdin=text, cwd=tmp_path), command("fit", "-", stdin=text, cwd=tmp_path)
    assert re.sub(rb"art_\w+", b"ID", bare.stdout) == re.sub(rb"art_\w+", b"ID", named.stdout)
    assert 0 < len(bare.stdout) <= 8_000
