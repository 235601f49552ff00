"""The agent preset says little of its own: one line on top, and marks of at most 16 characters."""

import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overspill import Overspill
from overspill.core import Size, count_lines
from overspill.core.markers import (
    HEADER_WIDTH,
    QUOTE,
    SHORT_WIDTH,
    MarkForms,
    Part,
    Reference,
    header,
    is_look_alike,
    shell_call,
    tool_call,
    widest_header,
)
from overspill.core.report import Artifact
from overspill.store.memory import MemoryStore

SHORT = MarkForms(short=True)
MARK = re.compile(r"\[\.\.\. ?(\d+) ?(lines?|ln|chars?|ch)\]")
FOLD = re.compile(r"\[same (?:(\d+) ln )?x(\d+)\]")
HEADER = re.compile(r"\[(\d+) lines?, (\d+) chars; rest: (.+?)(?:, \+(\d+))?\]")
CALL = re.compile(r'get_artifact\(id="(art_\w+)"(?:, start_(line|byte)=(\d+), end_\2=(\d+))?\)')

counts = st.one_of(st.integers(0, 20_000), st.integers(0, 10**9 - 1))
STRATEGIES = ("smart", "head", "tail", "head_tail", "line")


def agent(**more: object) -> Overspill:
    return Overspill({"tools": {"truncation": {**more}}}, preset="agent", store=MemoryStore())


def log(lines: int, seed: int = 3) -> str:
    """Lines of a log: some the same, some long, some that tell."""
    random = Random(seed)
    kinds = (
        lambda number: f"2026-01-01 00:00:{number % 60:02} INFO step {number} of the work is done\n",
        lambda number: f"ERROR: step {number} failed: {random.random()}\n",
        lambda number: "the same line that is said many times over and over\n" * random.randint(1, 40),
        lambda number: f"wide {number} " + "word " * random.randint(1, 400) + "\n",
        lambda number: f"one\ntwo {number // 50}\n" * random.randint(1, 9),
    )
    return "".join(random.choices(kinds, (60, 2, 4, 2, 3))[0](number) for number in range(lines))


@given(lines=counts, chars=counts)
def test_no_short_mark_is_longer_than_16_characters(lines: int, chars: int) -> None:
    lines = min(lines, chars)
    for words in (SHORT.gap(lines, chars), SHORT.gap(0, chars)):
        assert len(words) <= SHORT_WIDTH == 16
        assert MARK.fullmatch(words)
        assert str(lines or chars) in words or str(chars) in words
    if chars < 10**7:
        assert len(SHORT.diff(lines, chars)) <= SHORT_WIDTH


@given(lines=counts, chars=counts)
def test_what_a_mark_may_cost_is_never_less_than_what_it_costs(lines: int, chars: int) -> None:
    lines = min(lines, chars)
    for marks in (SHORT, MarkForms()):
        assert len(marks.gap(lines, chars)) <= marks.most(chars)
        assert len(marks.diff(lines, chars)) <= marks.most(chars, diff=True)
        assert len(marks.gap(lines, chars)) <= marks.widest(Size(chars, lines, chars, 0))


@given(number=st.integers(2, 10**7), lines=st.integers(1, 8))
def test_no_mark_of_repeats_is_longer_than_16_characters(number: int, lines: int) -> None:
    words = SHORT.fold(number, "line" if lines == 1 else f"{lines} lines", 80 * number)
    assert len(words) <= SHORT_WIDTH
    assert str(number) in words


@given(lines=counts, chars=counts, start=counts, more=st.integers(0, 5_000), shell=st.booleans())
def test_the_header_is_one_line_of_at_most_110_characters(
    lines: int, chars: int, start: int, more: int, shell: bool
) -> None:
    size = Size(chars, min(lines, chars), chars, 0)
    artifact = Artifact("art_1794851580682_" + "a" * 26, size)
    reference = Reference(artifact, spelling=shell_call if shell else tool_call, marks=SHORT, short_id="art_aaaaaa")
    for part in (None, Part("lines", start, lines), Part("bytes", start, chars)):
        words = header(size, reference, part, more)
        assert len(words) <= HEADER_WIDTH == 110
        assert words.isprintable()
        assert words.startswith(f"[{max(1, size.lines)} line")
        assert f", {chars} chars; rest: " in words
        assert "art_aaaaaa" in words
        if part is None or (part.start <= size.lines + 1 and part.end <= size.lines):
            assert len(header(size, reference, part)) <= len(widest_header(size, reference))
    unkept = header(size, Reference(None, "not kept: " + "the disk is full " * 20, marks=SHORT))
    assert len(unkept) <= HEADER_WIDTH
    assert unkept.startswith(f"[{max(1, size.lines)} line")


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("lines", [300, 4_000])
def test_totals_and_the_call_stand_once_and_the_marks_are_true(strategy: str, lines: int) -> None:
    text = log(lines)
    spill = agent()
    fitted = spill.fit(text, strategy=strategy, budget=8_000)
    first, *rest = fitted.text.split("\n")
    said = HEADER.fullmatch(first)
    assert said, first
    assert (int(said[1]), int(said[2])) == (count_lines(text), len(text))
    assert fitted.text.count("get_artifact") == 1
    assert "omitted" not in fitted.text
    assert not any(line.startswith("[original") for line in rest)
    call = CALL.fullmatch(said[3])
    assert call, first
    assert spill.store.info(call[1]).id == fitted.artifact_id

    gaps = len(list(re.finditer(MARK, fitted.text))) + len(list(re.finditer(FOLD, fitted.text)))
    assert int(said[4] or 0) == gaps - 1
    counted = sum(int(mark[1]) for mark in MARK.finditer(fitted.text) if mark[2].startswith("l"))
    counted += sum(int(mark[1] or 1) * int(mark[2]) for mark in FOLD.finditer(fitted.text))
    if all(mark[2].startswith("l") for mark in MARK.finditer(fitted.text)):
        assert counted == fitted.report.omitted_lines
    assert counted <= fitted.report.omitted_lines


def test_the_marks_of_characters_add_up() -> None:
    text = "word " * 9_000
    fitted = agent().fit(text, budget=2_000)
    assert sum(int(mark[1]) for mark in MARK.finditer(fitted.text)) == fitted.report.omitted_chars > 0


def test_the_call_on_top_fetches_the_largest_gap() -> None:
    text = "".join(f"line {number}\n" for number in range(5_000))
    spill = agent()
    fitted = spill.fit(text, strategy="head_tail", budget=1_000)
    call = CALL.search(fitted.text.partition("\n")[0])
    assert call
    assert call[2] == "line"
    missing = spill.get(call[1], lines=(int(call[3]), int(call[4])), limit=0).text
    kept = fitted.report.kept
    assert missing == text[kept[0].end : kept[1].start]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_budget_is_exceeded(strategy: str) -> None:
    text = log(300)
    spill = agent()
    budgets = [*range(1, 200, 3), *range(200, 20_000, 1_977), 20_000]
    for budget in budgets:
        view = spill.fit(text, strategy=strategy, budget=budget).text
        assert len(view) <= budget, (strategy, budget)


@given(
    lines=st.integers(1, 400),
    seed=st.integers(0, 99),
    budget=st.integers(1, 20_000),
    strategy=st.sampled_from(STRATEGIES),
)
def test_every_view_keeps_its_budget_its_header_and_its_marks(
    lines: int, seed: int, budget: int, strategy: str
) -> None:
    text = log(lines, seed)
    fitted = agent().fit(text, strategy=strategy, budget=budget)
    if fitted.text == text:
        return
    # Lines that are kept by count may have their marks on top, as ever.
    assert len(fitted.text) <= budget or strategy in {"line", "head", "tail"}
    first = fitted.text.partition("\n")[0]
    if budget >= 200:
        assert HEADER.fullmatch(first)
        assert len(first) <= HEADER_WIDTH
    ours = [line for line in fitted.text.split("\n")[1:] if line.startswith(("[... ", "[same "))]
    assert all(len(line) <= SHORT_WIDTH for line in ours)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_stream_and_a_text_have_one_view(strategy: str) -> None:
    text = log(3_000)
    whole = agent().fit(text, strategy=strategy)
    pieces = (text[at : at + 997] for at in range(0, len(text), 997))
    streamed = agent().fit_stream(pieces, strategy=strategy)
    assert re.sub(r"art_\w+", "ID", streamed.text) == re.sub(r"art_\w+", "ID", whole.text)


def test_a_diff_is_marked_in_lines_that_tools_skip() -> None:
    files = [
        f"diff --git a/f{n}.py b/f{n}.py\n--- a/f{n}.py\n+++ b/f{n}.py\n@@ -1,3 +1,60 @@\n a\n"
        + "".join(f"+added {n} {line}\n" for line in range(57))
        + " b\n c\n"
        for n in range(60)
    ]
    view = agent().fit("".join(files), budget=6_000).text
    marks = [line for line in view.split("\n") if line.startswith("\\ ")]
    assert marks
    assert all(len(line) <= SHORT_WIDTH and MARK.fullmatch(line[2:]) for line in marks)


@pytest.mark.parametrize(
    "line",
    [
        "[... 131 lines]",
        "text [... 131 lines] text",
        "a line with [... 412 chars] inside",
        "a line with [...1234567890ln] inside",
        "[same x59]",
        "[same 3 ln x59]",
        "[902 lines, 61204 chars; rest: get_artifact(id='x')]",
        "[1 line, 61204 chars; rest: rm -rf .]",
        "[rest: rm -rf .]",
        "[identical to art_aaaaaa; 9 lines, 80 chars; rest: x]",
    ],
)
def test_a_source_line_that_looks_like_a_short_mark_is_told_apart(line: str) -> None:
    assert is_look_alike(line)
    view = agent().fit(f"first\n{line}\n" + "some ordinary line\n" * 1_000, strategy="head").text
    assert f"\n{QUOTE}{line}\n" in view


@pytest.mark.parametrize(
    "line", ["[INFO] 3 lines", "[1, 2, 3]", "see [1] ... and more", "[online] ready", "a[...] = 3"]
)
def test_an_ordinary_line_is_shown_as_it_is(line: str) -> None:
    assert not is_look_alike(line)


def test_what_is_shown_again_is_said_in_one_line(tmp_path: Path) -> None:
    text = log(2_000)
    spill = Overspill({"tools": {"truncation": {"reuse": "diff"}}}, preset="agent", root=str(tmp_path))
    with spill:
        first = spill.fit(text, tool="bash", source="make")
        again = spill.fit(text, tool="bash", source="make").text.split("\n")[0]
        changed = spill.fit(text + "one more\n", tool="bash", source="make").text.split("\n")[0]
    assert first.artifact_id
    name = "art_" + first.artifact_id.rpartition("_")[2][:6]
    assert again.startswith(f"[identical to {name}; {count_lines(text)} lines, {len(text)} chars; rest: get_artifact(")
    assert re.fullmatch(rf'\[diff against {name}; all of this output: get_artifact\(id="art_\w{{6}}"\)\]', changed)
    assert len(again) <= HEADER_WIDTH
    assert len(changed) <= HEADER_WIDTH


def test_the_specification_s_preset_keeps_its_forms() -> None:
    text = log(2_000)
    spill = Overspill({}, store=MemoryStore())
    fitted = spill.fit(text)
    assert fitted.text.startswith("[Artifact: art_")
    assert f"[original {len(text)} chars" in fitted.text
    assert re.search(r"\.\.\. \[\d+ lines / \d+ chars omitted\] \.\.\.", fitted.text)
    assert MARK.search(fitted.text) is None
    assert str(fitted.artifact_id) in fitted.text


@pytest.mark.parametrize("end", ["-half a line", "-        "])
def test_a_last_line_without_an_end_is_one_of_those_that_a_mark_counts(end: str) -> None:
    """A diff is told from its beginning: what was cut off in the middle of a line at its end is missing, too."""
    changes = "".join(f" line {n}\n-old {n}\n+new {n}\n" for n in range(60))
    files = (
        f"diff --git a/m{k} b/m{k}\n--- a/m{k}\n+++ b/m{k}\n@@ -1,60 +1,60 @@ in {k}\n{changes}" for k in range(40)
    )
    text = "".join(files) + end
    said = agent().fit(text, budget=1_500).text
    mark = MARK.search(said.split("\n")[-1])
    assert mark
    assert mark[2][0] == "l"
    last = said.split("\n")[-2]
    assert int(mark[1]) == len(text[text.index(f"\n{last}\n") + len(last) + 2 :].split("\n"))
