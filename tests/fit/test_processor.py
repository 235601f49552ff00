"""The processor: what goes in, what comes out, and what it is made of."""

import asyncio
import builtins
import os
from collections.abc import Iterator

import pytest

from asking import numbered, spill, stored
from overspill import Artifact, Cut, MemoryStore, Options, Overspill, Room, Size, Span, Store, register
from overspill.compat import (
    HeadStrategy,
    HeadTailStrategy,
    LineStrategy,
    TailStrategy,
    TruncationConfiguration,
    TruncationOptions,
    TruncationProcessor,
)
from overspill.errors import QuotaExceeded
from overspill.store import Label

LONG = numbered(1_000)


def test_the_processor_is_there_under_its_name() -> None:
    """FR-001, AC-001."""
    assert TruncationProcessor().process("short", "read_file").content == "short"


@pytest.mark.parametrize("strategy", [HeadStrategy, TailStrategy, HeadTailStrategy, LineStrategy])
def test_strategies_touch_no_file(strategy: type[HeadStrategy], monkeypatch: pytest.MonkeyPatch) -> None:
    """FR-001: the core needs nothing of the world."""
    made = strategy(TruncationOptions(inline_limit=500))
    made.truncate(LONG)  # modules are loaded by now

    def refuse(*words: object, **options: object) -> None:
        raise AssertionError(words)

    monkeypatch.setattr(builtins, "open", refuse)
    monkeypatch.setattr(os, "open", refuse)
    monkeypatch.setattr(os, "stat", refuse)
    cut = made.truncate(LONG)
    monkeypatch.undo()
    assert cut.was_truncated


def test_a_result_and_its_limits_are_accepted() -> None:
    """FR-002, AC-002: limits come with the processor or with the call."""
    processor = TruncationProcessor(TruncationConfiguration(inline_limit=3_000))
    assert 1_000 < len(processor.process(LONG, "read_file").content) <= 3_000
    closer = processor.process(LONG, "read_file", TruncationConfiguration(inline_limit=500))
    assert 100 < len(closer.content) <= 500


def test_a_truncated_result_is_returned() -> None:
    """FR-003, AC-003."""
    result = TruncationProcessor().process(LONG, "read_file")
    assert result.was_truncated
    assert result.content.startswith("line 000001")
    assert result.content.endswith("line 001000 of a text that somebody wrote\n")
    assert len(result.content) <= 8_000 < len(LONG)


def test_an_artifact_is_made_whenever_something_is_left_out_and_only_then() -> None:
    """FR-004, AC-004, X-01: also in the band where only the form is truncated text."""
    asked = spill()
    assert asked.fit("short").artifact_id is None
    assert asked.store.list() == []
    fitted = asked.fit(LONG)
    assert len(LONG) < 50_000
    assert stored(asked, fitted) == LONG
    assert str(fitted.artifact_id) in fitted.text
    assert "[Artifact:" not in fitted.text


def test_storing_what_was_cut_can_be_switched_off() -> None:
    """X-01: `artifacts.store_truncated`; the view then says that nothing was kept."""
    asked = spill(artifacts__store_truncated=False)
    fitted = asked.fit(LONG)
    assert fitted.artifact_id is None
    assert asked.store.list() == []
    assert "[not kept]" in fitted.text
    assert not fitted.is_error


def test_metadata_is_added_to_every_result() -> None:
    """FR-005, AC-005."""
    processor = TruncationProcessor()
    for content in ("", "short", LONG, LONG * 10):
        metadata = processor.process(content, "read_file").metadata
        assert metadata["original_size"] == len(content)
        assert metadata["was_truncated"] is (len(content) > 8_000)


def test_what_the_processor_needs_is_handed_in() -> None:
    """FR-006, AC-006, X-38: a store given to the constructor is the one that is used, by both methods."""
    store = MemoryStore()
    processor = TruncationProcessor(TruncationConfiguration(inline_limit=1_000), store)
    sync = processor.process(LONG, "read_file")
    beside = asyncio.run(processor.process_async(LONG, "read_file"))
    assert {artifact.id for artifact in store.list()} == {sync.artifact_id, beside.artifact_id}
    assert sync.content.replace(str(sync.artifact_id), "") == beside.content.replace(str(beside.artifact_id), "")


def test_tools_stay_as_they_are() -> None:
    """P-11: a result passes between the tool and the message; the tool knows nothing of it."""

    def list_users() -> dict[str, object]:
        return {"users": ["ann", "bob"], "total": 2}

    def read(name: str) -> str:
        return LONG if name == "long" else "ein Wort\n"

    asked = spill()
    assert asked.fit(list_users(), tool="list_users").text == '{"users":["ann","bob"],"total":2}'
    assert asked.fit(read("short"), tool="read_file").text == "ein Wort\n"
    assert len(asked.fit(read("long"), tool="read_file").text) <= 8_000


def test_results_do_not_depend_on_earlier_ones() -> None:
    """ASM-05."""

    def shown(asked: Overspill, text: str) -> str:
        fitted = asked.fit(text)
        return fitted.text.replace(fitted.artifact_id or "-", "ID")

    used = spill()
    other = numbered(3_000, "something else")
    for _ in range(5):
        used.fit(other)
    assert shown(used, LONG) == shown(spill(), LONG)


@pytest.mark.parametrize("text", ["no such file", LONG])
def test_results_of_failed_tools_are_fitted_too_and_stay_errors(text: str) -> None:
    """ASM-14: what a failed command said is the most important text of all."""
    fitted = spill().fit(text, tool="execute_command", is_error=True)
    assert fitted.is_error
    assert len(fitted.text) <= 8_000
    assert fitted.text.endswith(text[-40:])
    assert (fitted.artifact_id is not None) == (len(text) > 8_000)


def test_successful_results_are_no_errors() -> None:
    """UM-05: however much was left out."""
    for text in ("", "short", LONG, LONG * 3):
        assert spill().fit(text).is_error is False


@register("first_words")
def first_words(text: str, room: Room, options: Options) -> Cut:
    return Cut((Span(0, min(20, room.chars)),))


def test_strategies_can_be_added_and_chosen_for_a_call_a_tool_or_all() -> None:
    """NFR-017, P-22, FR-024."""
    assert spill().fit(LONG, strategy="first_words").report.kept == (Span(0, 20),)
    assert spill(default_strategy="first_words").fit(LONG).report.strategy_used == "first_words"
    asked = spill(overrides__my_tool__strategy="first_words")
    assert asked.fit(LONG, tool="my_tool").text.startswith(LONG[:20] + "\n... [")
    assert asked.fit(LONG, tool="another").report.strategy_used == "head_tail"


class Ledger(MemoryStore):
    """A stranger's store: it notes what it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.labels: list[Label] = []

    def put(self, text: str, size: Size, label: Label) -> Artifact:
        self.labels.append(label)
        return super().put(text, size, label)


def test_stores_can_be_exchanged() -> None:
    """P-22: the store is told what it keeps."""
    store: Store = Ledger()
    asked = Overspill({}, store)
    asked.fit(LONG, tool="my_tool", source="my_tool --all", call_id="call-7", content_type="text/csv")
    assert isinstance(store, Ledger)
    assert store.labels == [Label("my_tool", "text/csv", "my_tool --all", "call-7")]


class Full(MemoryStore):
    """A store whose disk has run out, with an error that quotes what it should have kept."""

    def put(self, text: str, size: Size, label: Label) -> Artifact:
        raise OSError(28, "No space left on device", text)


@pytest.mark.parametrize("text", [LONG, LONG * 10])
def test_an_error_of_the_store_is_an_error_result_and_never_the_whole_text(text: str) -> None:
    """P-17: and never an id that points to nothing."""
    fitted = spill(Full()).fit(text)
    assert fitted.is_error
    assert len(fitted.text) <= 8_000
    assert fitted.artifact_id is None
    assert "art_" not in fitted.text
    assert fitted.text.startswith("Output could not be kept: no space left on device")
    assert fitted.metadata["artifact_created"] is False


class Forgetful(MemoryStore):
    """A store that keeps texts but can note nothing of views."""

    def remember(self, digest: str, limit: int) -> None:
        raise OSError(28, "No space left on device")

    def remembered(self, digest: str) -> int | None:
        raise QuotaExceeded("full")


@pytest.mark.parametrize("text", [LONG, LONG[:8_100]])
def test_a_store_that_cannot_note_a_view_costs_nobody_the_view(text: str) -> None:
    """P-17."""
    asked = spill(Forgetful())
    fitted = asked.fit(text)
    assert not fitted.is_error
    assert stored(asked, fitted) == text


def broken() -> Iterator[str]:
    yield "the secret part of a text"
    raise ValueError("the rest of the secret")


@pytest.mark.parametrize("room", [10, 8_000])
def test_a_source_that_breaks_midway_is_told_within_the_room_there_is(room: int) -> None:
    """P-17, NFR-005: what came before is shown or kept."""
    asked = spill()
    fitted = asked.fit(broken(), budget=room)
    assert fitted.is_error
    assert len(fitted.text) <= room
    assert fitted.text.startswith("Output")  # in whole words
    shown = asked.store.read(fitted.artifact_id).decode() if fitted.artifact_id else fitted.text
    assert "the secret part of a text" in shown


def test_one_broken_source_does_not_cost_the_others_of_a_turn() -> None:
    """P-17."""
    bad, good = spill().fit_many([broken(), "fine"], 1_000)
    assert bad.is_error
    assert bad.text == "Output ended early: ValueError: the rest of the secret\nthe secret part of a text"
    assert (good.text, good.is_error) == ("fine", False)


def test_an_error_of_our_own_shows_nothing_of_the_text() -> None:
    """P-17: whatever the error quotes."""

    class Careless(MemoryStore):
        def put(self, text: str, size: Size, label: Label) -> Artifact:
            raise RuntimeError(text)

    fitted = spill(Careless()).fit(LONG)
    assert fitted.is_error
    assert "line 0" not in fitted.text


def test_the_text_is_kept_before_it_is_shown() -> None:
    """P-17: an id is shown only after its content can be read back."""
    order: list[str] = []

    class Watching(MemoryStore):
        def put(self, text: str, size: Size, label: Label) -> Artifact:
            order.append("kept")
            return super().put(text, size, label)

    @register("watched")
    def watched(text: str, room: Room, options: Options) -> Cut:
        order.append("cut")
        return Cut((Span(0, 10),))

    spill(Watching()).fit(LONG, strategy="watched")
    assert order[0] == "kept"
    assert "cut" in order
