"""Metadata: what is said of a result beside its text."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from asking import ID, command, mapping_of, number, numbered, spill
from overspill import Fitted, Overspill

TEXT = numbered(1_000)


def every_form() -> list[tuple[str, Fitted]]:
    """One result of each form, with the text it came from."""
    asked = spill(max_artifact_size=200_000)
    texts = ["", "short\n", TEXT, TEXT * 3, TEXT * 6]
    return [(text, asked.fit(text)) for text in texts]


def test_the_original_size_is_there() -> None:
    """FR-066, AC-066, FAQ-1: in characters, and in bytes, lines and tokens."""
    for text, fitted in every_form():
        assert fitted.metadata["original_size"] == len(text)
    wide = spill().fit("é" * 9_000 + "\n").metadata
    assert (wide["original_size"], wide["original_bytes"], wide["original_lines"]) == (9_001, 18_001, 1)
    assert wide["original_tokens"] == 2_251


@pytest.mark.parametrize(
    ("output", "size", "octets"),
    [
        ("\x1b[31mred\x1b[0m\n", 13, 13),
        (b"\x1b[31mred\x1b[0m\n", 13, 13),
        (b"caf\xc3\xa9 \xff\n", 7, 8),
        ("a\0b", 3, 3),
    ],
)
def test_the_original_size_is_of_the_input_as_it_came(output: object, size: int, octets: int) -> None:
    """FR-066: before terminal sequences were removed and damage was mended."""
    metadata = Overspill({}, preset="agent").fit(output).metadata
    assert (metadata["original_size"], metadata["original_bytes"]) == (size, octets)


def test_the_truncated_size_is_the_length_of_what_is_shown() -> None:
    """FR-067, AC-067, X-58, FAQ-1: with everything of ours; what was kept of the text is another number."""
    for text, fitted in every_form():
        metadata = fitted.metadata
        assert metadata["truncated_size"] == len(fitted.text)
        assert metadata["truncated_bytes"] == len(fitted.text.encode())
        assert metadata["kept_characters"] == sum(end - start for start, end in fitted.report.kept)
        assert number(metadata["kept_characters"]) + number(metadata["omitted_characters"]) == len(text)
        assert fitted.report.overhead == len(fitted.text) - number(metadata["kept_characters"])


def test_the_strategy_is_named() -> None:
    """FR-068, AC-068: the one that ran, and the one that was asked for."""
    for strategy in ("head", "tail", "head_tail", "line"):
        metadata = spill().fit(TEXT, strategy=strategy).metadata
        assert metadata["strategy_used"] == metadata["requested_strategy"] == strategy
    assert spill().fit("short", strategy="tail").metadata["strategy_used"] == "none"


def test_the_artifact_is_named_if_there_is_one() -> None:
    """FR-069, AC-069."""
    for _, fitted in every_form():
        metadata = fitted.metadata
        assert ("artifact_id" in metadata) is metadata["artifact_created"] is (fitted.artifact_id is not None)
        assert metadata.get("artifact_id") == fitted.artifact_id
    assert ID.fullmatch(str(spill().fit(TEXT).metadata["artifact_id"]))


def test_it_says_whether_a_text_was_truncated() -> None:
    """FR-070, AC-070, X-59, FAQ-1: a reference is truncated, a refusal is an error."""
    flags = [fitted.metadata["was_truncated"] for _, fitted in every_form()]
    assert flags == [False, False, True, True, False]
    assert [fitted.is_error for _, fitted in every_form()] == [False, False, False, False, True]


def test_metadata_says_all_that_a_model_needs_to_decide() -> None:
    """P-12: sizes in bytes and tokens, the strategy, what is missing, where it is, how to get it."""
    asked = spill()
    fitted = asked.fit(TEXT, strategy="head_tail")
    metadata = fitted.metadata
    missing = number(metadata["omitted_characters"])
    assert metadata["original_bytes"] == len(TEXT)
    assert metadata["original_tokens"] == len(TEXT) // 4
    assert metadata["truncated_bytes"] == len(fitted.text)
    assert metadata["truncated_tokens"] == -(-len(fitted.text) // 4)
    assert metadata["truncation_strategy"] == "head_tail"
    assert metadata["omission_summary"] == f"middle {missing:,} characters / ~{-(-missing // 4):,} tokens"
    assert metadata["artifact_id"] == fitted.artifact_id
    assert str(metadata["retrieval_instructions"]).startswith(f'get_artifact(id="{fitted.artifact_id}"')


@pytest.mark.parametrize(("strategy", "where"), [("head", "last"), ("tail", "first"), ("head_tail", "middle")])
def test_the_summary_says_which_part_is_missing(strategy: str, where: str) -> None:
    """P-12."""
    assert str(spill().fit(TEXT, strategy=strategy).metadata["omission_summary"]).startswith(f"{where} ")
    assert spill().fit("short").metadata["omission_summary"] == ""


def test_metadata_has_a_version() -> None:
    """P-23."""
    assert {fitted.metadata["metadata_version"] for _, fitted in every_form()} == {1}


def test_the_strategy_has_three_names() -> None:
    """X-56: they look up the same value; JSON carries the others only if wanted."""
    metadata = spill().fit(TEXT).metadata
    assert metadata["strategy_used"] == metadata["strategy"] == metadata["truncation_strategy"] == "head_tail"
    assert {"strategy_used", "strategy", "truncation_strategy"} <= dict(metadata).keys()
    alone = spill(metadata__aliases=False).fit(TEXT).metadata
    assert alone["strategy"] == alone["truncation_strategy"] == "head_tail"
    assert not {"strategy", "truncation_strategy"} & dict(alone).keys()


def test_metadata_is_an_object_and_a_mapping() -> None:
    """X-57: attributes, keys, iteration, equality with a dictionary of the same content."""
    metadata = spill().fit(TEXT).metadata
    assert isinstance(metadata, Mapping)
    assert metadata.omitted_lines == metadata["omitted_lines"]
    assert metadata == dict(metadata)
    assert "omitted_lines" in metadata
    assert "no_such_key" not in metadata
    assert metadata.get("no_such_key") is None
    with pytest.raises(AttributeError):
        _ = metadata.no_such_key


@pytest.mark.parametrize(
    ("setting", "keys"),
    [
        ("include_original_size", {"original_size", "original_bytes", "original_lines"}),
        ("include_token_estimate", {"original_tokens", "truncated_tokens"}),
        ("include_strategy", {"strategy_used", "strategy", "truncation_strategy", "requested_strategy"}),
        ("include_retrieval_instructions", {"retrieval_instructions"}),
    ],
)
def test_parts_of_the_metadata_can_be_left_out(setting: str, keys: set[str]) -> None:
    """FR-005: by the switches of the manual, each its own."""
    whole = dict(spill().fit(TEXT).metadata)
    less = dict(spill(**{f"metadata__{setting}": False}).fit(TEXT).metadata)
    assert keys <= whole.keys()
    assert whole.keys() - less.keys() == keys


def test_the_command_says_the_same(tmp_path: Path) -> None:
    """FR-005, FAQ-1, UM-05, X-56: one envelope with content, is_error and metadata."""
    done = command("fit", "--json", "--tool", "bash", "--preset", "spec", stdin=TEXT.encode(), cwd=tmp_path)
    result = mapping_of(mapping_of(json.loads(done.stdout))["result"])
    metadata = mapping_of(result["metadata"])
    assert result["is_error"] is False
    assert (metadata["was_truncated"], metadata["original_size"]) == (True, len(TEXT))
    assert metadata["truncated_size"] == len(str(result["content"]))
    assert metadata["strategy_used"] == metadata["strategy"] == metadata["truncation_strategy"] == "tail"
