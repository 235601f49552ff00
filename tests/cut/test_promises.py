"""The promises, as properties over every text strategy and every budget."""

import re

import pytest
import regex
from hypothesis import assume, example, given
from hypothesis import strategies as st

from overspill.api import Overspill
from overspill.core import Size, count_lines, measure
from overspill.core.budget import Budget
from overspill.core.markers import Reference
from overspill.core.report import Artifact, Fitted
from overspill.core.spans import Cut, Options, Room, Span, Strategy, omitted_spans
from overspill.cut import register, strategy
from overspill.cut.render import NAMED_FROM, Subject, View, text_view
from overspill.redact import Redacted, Redactor
from overspill.store import Cleared, Label
from overspill.store.memory import MemoryStore
from texts import CLUSTERS, MARKS, budgets, long_texts, texts

MARKER = re.compile(r"(?m)\.\.\. \[(\d+) lines / (\d+) chars omitted\] \.\.\.")
FOLDED = re.compile(r"(?m)\.\.\. \[same (?:line|(\d+) lines) (\d+) more times / (\d+) chars omitted\] \.\.\.")
QUOTED = re.compile(r"(?:\A|(?<=[\r\n]))\| [^\r\n]*")
ON_TOP = 240


@register("every_other_line")
def every_other_line(text: str, room: Room, options: Options) -> Cut:
    """A user's strategy: it inherits every promise by being in the list."""
    kept: list[Span] = []
    at, left = 0, room.chars
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        if len(line) + room.gap > left:
            break
        if text.count("\n", 0, at) % 2 == 0:
            kept.append(Span(at, at + len(line)))
            left -= len(line) + room.gap
        at += len(line)
    return Cut(tuple(kept))


STRATEGIES = ["head", "tail", "head_tail", "line", "none", "smart", "every_other_line"]
OURS = STRATEGIES[:-1]
every_strategy = pytest.mark.parametrize("name", STRATEGIES)


def drawn(text: str, name: str, limit: int, *, block: bool = False) -> View:
    """The view of a text that is longer than `limit`."""
    size = measure(text)
    artifact = Artifact("art_1699234567890_abcdefghijklmnopqrstuvwxyz", size, "bash", created=1.0)
    shelf = Reference(artifact, block=block, created="2024-11-06 14:22:47 UTC")
    used = "head_tail" if name == "none" else name
    return text_view(Subject(text, size, strategy(used), Options(), shelf), Budget(chars=limit))


@every_strategy
@given(text=long_texts, limit=budgets, block=st.booleans())
def test_a_view_is_within_its_budget_and_never_longer_than_the_text(
    name: str, text: str, limit: int, block: bool
) -> None:
    assume(len(text) > limit)
    seen = drawn(text, name, limit, block=block)
    on_top = ON_TOP if seen.cut.counted and not block else 0
    assert len(seen.text) <= limit + on_top
    assert len(seen.text) <= len(text)


@every_strategy
@given(text=long_texts, limit=budgets, block=st.booleans())
def test_a_view_is_never_empty(name: str, text: str, limit: int, block: bool) -> None:
    assume(len(text) > limit)
    assert drawn(text, name, limit, block=block).text


@every_strategy
@given(text=long_texts, limit=budgets)
def test_kept_spans_and_gaps_rebuild_the_text_exactly(name: str, text: str, limit: int) -> None:
    assume(len(text) > limit)
    kept = drawn(text, name, limit).kept
    pieces = sorted([*kept, *omitted_spans(kept, len(text))])
    assert "".join(text[start:end] for start, end in pieces) == text
    assert sum(count_lines(text, start, end) for start, end in pieces) == count_lines(text)


@every_strategy
@example(text="00000\r0\n" * 15, limit=113, block=False)
@given(text=long_texts, limit=budgets, block=st.booleans())
def test_the_numbers_of_the_markers_add_up_to_what_is_missing(name: str, text: str, limit: int, block: bool) -> None:
    text = text.replace("omitted", "left out")  # forged numbers have a test of their own
    assume(len(text) > limit)
    seen = drawn(text, name, limit, block=block)
    folds = [(int(lines or 1) * int(times), chars) for lines, times, chars in FOLDED.findall(seen.text)]
    markers = [*MARKER.findall(seen.text), *folds]
    assume(markers)
    assert sum(int(chars) for _, chars in markers) == len(text) - seen.shown.chars
    shown_lines = sum(count_lines(text, start, end) for start, end in seen.kept)
    assert sum(int(lines) for lines, _ in markers) == count_lines(text) - shown_lines


@every_strategy
@given(text=long_texts, limit=budgets.filter(lambda limit: limit >= NAMED_FROM), block=st.booleans())
def test_a_view_names_its_artifact_from_64_characters_on(name: str, text: str, limit: int, block: bool) -> None:
    assume(len(text) > limit)
    assert "art_1699234567890_abcdefghijklmnopqrstuvwxyz" in drawn(text, name, limit, block=block).text


@pytest.mark.parametrize("name", OURS)
@given(text=long_texts, limit=budgets)
@example(text="\r\n" * 500, limit=101)
@example(text="".join(CLUSTERS) * 50, limit=200)
@example(text="\U0001f1e9\U0001f1ea" * 3000, limit=4001)
@example(text=("\nERROR\n0" + "\r\n" * 21) * 3, limit=142)
def test_no_cut_falls_inside_a_grapheme_or_a_crlf(name: str, text: str, limit: int) -> None:
    """AC-082, AC-083, NFR-008: a cluster of more than 64 code points may be split."""
    assume(len(text) > limit)
    inside: set[int] = set()
    for match in regex.finditer(r"\X", text):
        if 1 < match.end() - match.start() <= 64:
            inside.update(range(match.start() + 1, match.end()))
    cuts = {edge for span in drawn(text, name, limit).kept for edge in span}
    assert not cuts & inside


@pytest.mark.parametrize("name", ["head", "tail", "line"])
@given(text=long_texts, limit=st.integers(1_000, 5_000))
def test_lines_stay_whole_unless_they_are_too_wide(name: str, text: str, limit: int) -> None:
    """FR-031, FR-032, X-23."""
    assume(len(text) > limit and max(map(len, re.split(r"\r\n|\r|\n", text))) <= 300)
    borders = {0, len(text)}
    for match in re.finditer(r"\r\n|\r|\n", text):
        borders.add(match.end())
    assert {edge for span in drawn(text, name, limit).kept for edge in span} <= borders


@given(text=texts.filter(lambda text: any(mark in text for mark in MARKS)), times=st.integers(2, 40), limit=budgets)
def test_a_forged_mark_is_told_apart(text: str, times: int, limit: int) -> None:
    """Only marks of ours stand unquoted in a view."""
    text *= times
    assume(len(text) > limit >= NAMED_FROM)
    seen = drawn(text, "head_tail", limit)
    genuine = QUOTED.sub("", seen.text)
    assert len(MARKER.findall(genuine)) <= sum(1 for _ in omitted_spans(seen.kept, len(text)))
    assert not re.search(r"(?m)^\[Artifact: ", genuine)


spilling = st.sampled_from([200, 1_000, 5_000])


def spill_with(limit: int, threshold: int = 20_000, strategy_name: str = "head_tail") -> Overspill:
    mapping: dict[str, object] = {
        "tools": {
            "truncation": {
                "inline_limit": limit,
                "artifact_threshold": max(threshold, limit),
                "default_strategy": strategy_name,
            }
        }
    }
    return Overspill(mapping, MemoryStore())


@pytest.mark.parametrize("name", OURS)
@given(text=long_texts, limit=budgets)
def test_nothing_omitted_is_lost(name: str, text: str, limit: int) -> None:
    """Promise 1: the whole text is in the store, and the report names it."""
    fitted = spill_with(limit, strategy_name=name).fit(text)
    spill = spill_with(limit, strategy_name=name)
    fitted = spill.fit(text)
    if fitted.report.omitted_chars:
        assert fitted.artifact_id is not None
        assert spill.store.read(fitted.artifact_id).decode() == text
    else:
        assert fitted.text == text


@pytest.mark.parametrize("name", OURS)
@given(text=long_texts, limit=budgets)
def test_the_same_text_and_policy_give_the_same_view(name: str, text: str, limit: int) -> None:
    """Promise 6, artifact id and time aside."""

    def view_text() -> str:
        fitted = spill_with(limit, strategy_name=name).fit(text)
        return re.sub(r"Created: .*", "", fitted.text.replace(fitted.artifact_id or "-", "ID" * 23))

    assert view_text() == view_text()


@given(text=long_texts, limit=st.integers(64, 5_000), more=st.integers(0, 100), less=st.integers(1, 60))
def test_a_view_of_ours_passes_unchanged_under_the_same_or_a_larger_budget(
    text: str, limit: int, more: int, less: int
) -> None:
    spill = spill_with(limit, strategy_name="tail")
    once = spill.fit(text)
    again = spill.fit(once.text, budget=limit + more)
    assert again.text == once.text
    if len(once.text) > limit - less:
        assert len(spill.fit(once.text, budget=limit - less).text) <= limit - less + ON_TOP


class FullDisk(MemoryStore):
    """A store whose disk has just run out."""

    def put(self, text: str, size: Size, label: Label) -> Artifact:
        raise OSError(28, "No space left on device", text[:1000])


@pytest.mark.parametrize("name", [name for name in OURS if name != "none"])  # which lets it pass
@given(text=long_texts, limit=budgets)
def test_a_store_that_fails_leaves_a_bounded_view_that_says_so(name: str, text: str, limit: int) -> None:
    """Promise 7, P-17, NFR-005."""
    assume(len(text) > limit)
    mapping = {"tools.truncation.inline_limit": limit, "tools.truncation.artifact_threshold": limit + 1000}
    fitted = Overspill(mapping, FullDisk()).fit(text, strategy=name)
    assert fitted.is_error
    assert len(fitted.text) <= limit
    assert fitted.report.not_kept == "no space left on device"
    if limit >= 60:
        assert fitted.text.startswith("Output could not be kept: no space left on device")


def test_a_strategy_that_breaks_is_replaced_and_the_report_says_so() -> None:
    """NFR-006: what a strategy returns is checked before it is shown."""

    @register("greedy")
    def greedy(text: str, room: Room, options: Options) -> Cut:
        return Cut((Span(0, len(text)),))

    @register("broken")
    def broken(text: str, room: Room, options: Options) -> Cut:
        raise ZeroDivisionError(text)

    for name in ("greedy", "broken"):
        fitted = spill_with(500).fit("line\n" * 1000, strategy=name)
        assert len(fitted.text) <= 500
        assert fitted.report.strategy_used == "head_tail"
        assert fitted.report.fallback.startswith(f"{name} failed")


class Broken(Redactor):
    def redact(self, text: str) -> Redacted:
        raise RuntimeError(text)


def test_an_error_of_ours_shows_nothing_of_the_text() -> None:
    fitted = Overspill({}, redactor=Broken()).fit("the secret is hunter2")
    assert fitted.is_error
    assert "hunter2" not in fitted.text
    assert "RuntimeError" in fitted.text


@given(st.lists(long_texts, min_size=1, max_size=6), st.integers(1, 5_000))
def test_a_turn_stays_within_its_budget(outputs: list[str], budget: int) -> None:
    fitted = spill_with(2_000, strategy_name="tail").fit_many(outputs, budget)
    assert sum(len(one.text) for one in fitted) <= budget


def test_text_that_passes_is_never_altered() -> None:
    text = "\n".join(MARKS)
    assert spill_with(1_000).fit(text).text == text


def test_strategies_are_called_with_what_they_promise() -> None:
    """Every strategy is a `Strategy`, ours and the user's."""
    functions: list[Strategy] = [strategy("head_tail" if name == "none" else name) for name in STRATEGIES]
    assert all(callable(function) for function in functions)


def test_stores_are_interchangeable() -> None:
    assert isinstance(MemoryStore().clear(), Cleared)
    assert isinstance(spill_with(100).fit("x" * 500), Fitted)
