"""The specification's own tests, translated literally."""

import asyncio
import json
import re
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from overspill import MemoryStore
from overspill.compat import (
    ElementStrategy,
    HeadTailStrategy,
    TailStrategy,
    TruncationConfiguration,
    TruncationOptions,
    TruncationProcessor,
    TruncationStrategy,
)


def test_should_not_truncate_content_under_limit() -> None:
    """TST-01."""
    strategy = HeadTailStrategy(TruncationOptions(inline_limit=1000, head_ratio=0.6))
    content = "This is a short piece of content under the limit."
    result = strategy.truncate(content)
    assert result.content == content
    assert result.was_truncated is False
    assert result.original_size == len(content)
    assert result.truncated_size == len(content)


def test_should_truncate_content_preserving_head_and_tail() -> None:
    """TST-02."""
    strategy = HeadTailStrategy(TruncationOptions(inline_limit=100, head_ratio=0.6))
    content = "A" * 50 + "B" * 100 + "C" * 50
    result = strategy.truncate(content)
    assert result.was_truncated is True
    assert result.original_size == 200
    assert result.truncated_size < result.original_size
    assert result.content.startswith("AAAA")
    assert result.content.endswith("CCCC")
    assert "omitted" in result.content
    assert result.omitted_characters > 0


def test_should_include_omission_marker_with_counts() -> None:
    """TST-03."""
    strategy = HeadTailStrategy(TruncationOptions(inline_limit=100, head_ratio=0.6))
    content = "\n".join(f"Line {i}" for i in range(1, 51))
    result = strategy.truncate(content)
    assert re.search(r"\.\.\. \[\d+ lines / \d+ chars omitted\] \.\.\.", result.content)
    assert "omitted_lines" in result.metadata
    assert "omitted_characters" in result.metadata


def test_should_respect_utf8_character_boundaries() -> None:
    """TST-04, X-17."""
    strategy = HeadTailStrategy(TruncationOptions(inline_limit=50, head_ratio=0.6))
    content = "Hello 世界 " + "X" * 100 + " 再见 World"
    result = strategy.truncate(content)
    assert "\ufffd" not in result.content
    assert re.search(r"^[\x00-\x7F\u4e00-\u9fff\s]+$", result.content)


def test_should_keep_only_tail_lines() -> None:
    """TST-05, X-10, X-22."""
    strategy = TailStrategy(TruncationOptions(inline_limit=200, tail_lines=5))
    content = "\n".join(f"Line {i:02}" for i in range(1, 21))
    result = strategy.truncate(content)
    assert "Line 16" in result.content
    assert "Line 20" in result.content
    assert "Line 01" not in result.content
    assert "Line 10" not in result.content
    assert result.content.startswith("...")


def test_should_preserve_complete_lines() -> None:
    """TST-06, X-10, X-22."""
    strategy = TailStrategy(TruncationOptions(inline_limit=100, tail_lines=3))
    content = "Line 1\nLine 2\nLine 3\nLine 4\nLine 5"
    result = strategy.truncate(content)
    lines = [line for line in result.content.split("\n") if "omitted" not in line]
    assert all(line.startswith("Line") for line in lines)
    assert any("Line 3" in line for line in lines)
    assert any("Line 5" in line for line in lines)


def test_should_truncate_large_command_output() -> None:
    """TST-13, X-13, X-56."""
    config = TruncationConfiguration(
        inline_limit=1000,
        artifact_threshold=10000,
        tool_overrides={"execute_command": TruncationOptions(strategy=TruncationStrategy.TAIL, tail_lines=50)},
    )
    processor = TruncationProcessor(config, MemoryStore())
    large_output = "\n".join(f"[INFO] Log line {i}" for i in range(1, 501))
    result = asyncio.run(processor.process_async(large_output, "execute_command"))
    assert result.was_truncated is True
    assert "Log line 451" in result.content
    assert "Log line 500" in result.content
    assert "Log line 1" not in result.content
    assert result.metadata["strategy"] == "tail"


@pytest.mark.slow
def test_should_truncate_100_kb_in_under_10_ms() -> None:
    """TST-15, NFR-001, AC-071: the best of ten runs, for a busy machine."""
    strategy = HeadTailStrategy(TruncationOptions(inline_limit=10000))
    content = "X" * 100000

    def elapsed() -> float:
        started = time.perf_counter()
        assert strategy.truncate(content).was_truncated
        return time.perf_counter() - started

    assert min(elapsed() for _ in range(10)) < 0.010


@pytest.mark.slow
def test_should_handle_10_concurrent_truncations() -> None:
    """TST-15: the best of five runs."""
    strategy = HeadTailStrategy(TruncationOptions(inline_limit=10000))
    contents = [chr(ord("A") + i) * 50000 for i in range(1, 11)]

    def elapsed(pool: ThreadPoolExecutor) -> float:
        started = time.perf_counter()
        results = list(pool.map(strategy.truncate, contents))
        took = time.perf_counter() - started
        assert len({result.content for result in results}) == 10
        return took

    with ThreadPoolExecutor(10) as pool:
        assert min(elapsed(pool) for _ in range(5)) < 0.100


@pytest.mark.parametrize("size", [10, 2_000, 200_000])
def test_results_have_the_fields_of_the_specification(size: int) -> None:
    """TST-16, X-57, X-59: with an artifact when there is one, and without."""
    result = TruncationProcessor(TruncationConfiguration(inline_limit=1000)).process("X" * size, "read_file")
    cut = size > 1_000
    assert isinstance(result.content, str)
    assert result.was_truncated is cut
    assert result.original_size == size
    assert result.truncated_size == len(result.content)
    assert (result.omitted_characters > 0) is cut
    assert result.metadata["omitted_characters"] == result.omitted_characters
    assert (result.artifact_id is not None) is cut
    assert (result.artifact_reference is not None) is cut
    if cut:
        assert str(result.artifact_reference).startswith(f"[Artifact: {result.artifact_id}] ")
        assert result.metadata["artifact_id"] == result.artifact_id
    assert result.is_error is False


def test_an_array_cut_by_its_elements_is_still_an_array() -> None:
    """TST-07, AC-022, FR-022: twenty objects in 200 characters."""
    items = [{"id": number, "name": f"Item {number}"} for number in range(1, 21)]
    options = TruncationOptions(inline_limit=200, first_elements=2, last_elements=2)
    result = ElementStrategy(options).truncate(json.dumps(items, separators=(",", ":")))
    assert result.content.startswith("[")
    assert result.content.endswith("]")
    assert isinstance(json.loads(result.content), list)
    assert len(result.content) <= 200


def test_the_number_of_elements_left_out_is_said() -> None:
    """TST-08, FR-038, AC-038: a hundred less two and two."""
    options = TruncationOptions(inline_limit=150, first_elements=2, last_elements=2)
    result = ElementStrategy(options).truncate(json.dumps(list(range(1, 101)), separators=(",", ":")))
    assert "96 items omitted" in result.content
    assert result.metadata["omitted_elements"] == 96
    assert result.metadata["strategy_used"] == "element"


def test_elements_of_a_plain_text_are_its_lines() -> None:
    """X-25: and the metadata says what ran."""
    result = ElementStrategy(TruncationOptions(inline_limit=300)).truncate("just a line\n" * 100)
    assert result.metadata["strategy_used"] == "line"
    assert result.metadata["requested_strategy"] == "element"
