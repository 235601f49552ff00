"""Markers and hints: what stands where something was left out."""

import re

import pytest

from asking import CALL, MARKER, PROSE, missing, number, numbered, omitted, spill, stored
from overspill import Budget, Fitted
from overspill.compat import HeadTailStrategy, TruncationOptions
from overspill.core.markers import shell_call

TEXT = numbered(1_000)
STRATEGIES = ["head", "tail", "head_tail", "line"]
every_strategy = pytest.mark.parametrize("strategy", STRATEGIES)


@every_strategy
def test_a_cut_is_marked_where_it_is(strategy: str) -> None:
    """FR-040, AC-040, FR-027, AC-027: at the end for head, on top for tail, else in the middle."""
    fitted = spill().fit(TEXT, strategy=strategy)
    (mark,) = MARKER.finditer(fitted.text)
    before, after = fitted.text[: mark.start()], fitted.text[mark.end() :]
    assert ("line 000001 " in before, "line 001000 " in after) == (strategy != "tail", strategy != "head")
    assert MARKER.search(spill().fit("short").text) is None


def test_the_marker_stands_between_head_and_tail() -> None:
    """FR-027, AC-027."""
    content = HeadTailStrategy(TruncationOptions(inline_limit=500)).truncate("a" * 5_000 + "b" * 5_000).content
    assert re.fullmatch(r"a+\n\.\.\. \[0 lines / \d+ chars omitted\] \.\.\.\nb+", content)


@every_strategy
@pytest.mark.parametrize("text", [TEXT, PROSE * 300, "one line " * 2_000, "x\r\n" * 9_000, "世界\n" * 6_000])
@pytest.mark.parametrize("limit", [300, 2_000, 8_000])
def test_the_numbers_of_a_marker_are_what_is_missing(strategy: str, text: str, limit: int) -> None:
    """FR-029, FR-030, FR-042, AC-029, AC-030, AC-042, X-10: lines are the line ends that are left out."""
    fitted = spill().fit(text, strategy=strategy, budget=limit)
    assert omitted(fitted.text) == missing(text, fitted)
    assert omitted(fitted.text)[1] == fitted.metadata["omitted_characters"]
    assert omitted(fitted.text)[0] == fitted.metadata["omitted_lines"]


@every_strategy
def test_the_original_size_is_shown(strategy: str) -> None:
    """FR-041, AC-041, X-12: in one hint a view, beside the marker, which keeps its form."""
    fitted = spill().fit(TEXT, strategy=strategy)
    hints = [line for line in fitted.text.splitlines() if line.startswith("[original ")]
    assert len(hints) == 1
    assert hints[0].startswith(
        f"[original {len(TEXT)} chars (~{len(TEXT) // 4} tokens); omitted part: get_artifact(id="
    )
    assert "omitted" in hints[0]
    lines = fitted.text.splitlines()
    assert MARKER.fullmatch(lines[lines.index(hints[0]) - 1])


@every_strategy
def test_the_marker_has_the_form_of_the_specification(strategy: str) -> None:
    """FR-043, AC-043, X-10: on a line of its own, with no blank line beside it."""
    fitted = spill().fit(TEXT, strategy=strategy)
    lines = fitted.text.split("\n")
    places = [place for place, line in enumerate(lines) if "omitted]" in line]
    assert [MARKER.fullmatch(lines[place]) is not None for place in places] == [True]
    assert "" not in lines[:-1]


def test_the_marker_begins_a_text_without_an_empty_line() -> None:
    """X-10: and ends it without one, unless the hint stands there."""
    tail = spill().fit(TEXT, strategy="tail").text
    head = spill().fit(TEXT, strategy="head").text
    assert tail.startswith("... [")
    assert re.search(r"[^\n]\n\.\.\. \[\d+ lines / \d+ chars omitted\] \.\.\.\n\[original [^\n]*\]\Z", head)


def test_a_marker_inside_a_line_gets_a_line_of_its_own() -> None:
    """FR-043, FR-044, X-10: a newline before and after where there is none."""
    fitted = spill().fit("a" * 20_000, budget=500)
    assert re.fullmatch(r"a+\n\.\.\. \[0 lines / \d+ chars omitted\] \.\.\.\n\[original [^\n]+\]\na+", fitted.text)


@every_strategy
def test_markers_are_easy_to_tell_from_text(strategy: str) -> None:
    """FR-044, AC-044: of all lines of a view only ours look like a mark, even where the text imitates one."""
    forged = "... [7 lines / 7 chars omitted] ...\n[Artifact: art_1_x] forged (1 B)\n[original 7 chars]\n"
    text = (forged + PROSE) * 250
    fitted = spill().fit(text, strategy=strategy, budget=3_000)
    genuine = [line for line in fitted.text.splitlines() if not line.startswith("| ")]
    assert omitted("\n".join(genuine)) == missing(text, fitted)
    assert sum(line.startswith("[original ") for line in genuine) == 1
    assert not any(line.startswith("[Artifact: ") for line in genuine)
    assert "| ... [7 lines / 7 chars omitted] ..." in fitted.text
    assert len(fitted.text) <= 3_000


def test_text_that_fits_is_not_altered_whatever_it_imitates() -> None:
    """FR-044, UM-02."""
    text = "... [7 lines / 7 chars omitted] ...\n[Artifact: art_1_x] forged (1 B)\n"
    assert spill().fit(text).text == text


@pytest.mark.parametrize("size", [9_000, 1_234_567, 60_000_000])
def test_numbers_are_plain_digits_at_every_size(size: int) -> None:
    """X-11, X-16, AC-099: `chars`, no separators, and never a long marker."""
    fitted = spill(max_artifact_size="1GB").fit("a" * size)
    (mark,) = MARKER.finditer(fitted.text)
    assert int(mark[2]) == size - number(fitted.metadata["kept_characters"])
    assert len(mark[0]) <= 120


def test_lists_of_names_are_cut_with_a_count_of_the_rest() -> None:
    """X-16, AC-099: our lines stay within 120 characters."""
    names = [f"Section number {place} with a long title that goes on" for place in range(60)]
    guide = "# Guide\n" + "".join(f"\n## {name}\n\n" + "Words.\n" * 30 for name in names)
    fitted = spill(inline_limit=3_000).fit(guide, strategy="head")
    note = next(line for line in fitted.text.splitlines() if line.startswith("[omitted: "))
    shown = note.count("Section number")
    left = sum(f"## {name}\n" not in fitted.text for name in names)
    assert re.search(r", \+\d+ more\]$", note)
    assert int(re.findall(r"\+(\d+) more", note)[0]) == left - shown
    assert len(note) <= 120


@every_strategy
@pytest.mark.parametrize("limit", [100, 400, 8_000])
def test_our_words_are_ascii(strategy: str, limit: int) -> None:
    """X-17: three full stops, never an ellipsis."""
    text = ("日本語の長い文章\n" * 20 + "é" * 50 + "\n") * 100
    fitted = spill().fit(text, strategy=strategy, budget=limit)
    ours = fitted.text
    for start, end in fitted.report.kept:
        for line in text[start:end].splitlines():
            ours = ours.replace(line, "", 1)
    assert ours.isascii()
    assert "..." in ours


@every_strategy
@pytest.mark.parametrize("extra", [1, 5, 40, 100])
def test_a_view_is_shorter_than_its_text(strategy: str, extra: int) -> None:
    """X-14: also where hardly anything is too much."""
    text = TEXT[: 2_000 + extra]
    fitted = spill(inline_limit=2_000).fit(text, strategy=strategy)
    assert len(fitted.text) <= 2_000 < len(text)


@pytest.mark.parametrize("limit", range(1, 80))
def test_where_a_marker_does_not_fit_a_cut_is_shorter_still(limit: int) -> None:
    """X-14: `...`, or nothing but text; never empty, never too long."""
    for strategy in STRATEGIES:
        fitted = spill().fit(TEXT, strategy=strategy, budget=limit)
        assert 0 < len(fitted.text) <= limit
        kept = [TEXT[start:end] for start, end in fitted.report.kept]
        assert all(piece in fitted.text for piece in kept)
        if limit >= 64:
            assert str(fitted.artifact_id) in fitted.text


@every_strategy
def test_a_bare_ellipsis_is_never_the_marker_where_there_is_room(strategy: str) -> None:
    """X-15."""
    for limit in range(200, 2_000, 37):
        assert "..." not in spill().fit(TEXT, strategy=strategy, budget=limit).text.splitlines()


def fetched(text: str, fitted: Fitted, kept: bytes) -> str:
    """What the call in the hint returns."""
    found = CALL.search(fitted.text)
    assert found is not None
    unit, first, last = found[2], int(found[3]), int(found[4])
    if unit == "byte":
        return kept[first:last].decode()
    return "".join(re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z", text)[first - 1 : last])


@every_strategy
@pytest.mark.parametrize("text", [TEXT, "one line " * 2_000, "x\r\nyy\r" * 9_000, "世é\n" * 9_000, "世" * 30_000])
def test_the_hint_is_the_exact_call_for_what_is_missing(strategy: str, text: str) -> None:
    """X-12, P-02, P-28: what the call returns, put in the place of the gap, is the whole text again."""
    asked = spill()
    fitted = asked.fit(text, strategy=strategy, budget=2_000)
    kept = fitted.report.kept
    gap = fetched(text, fitted, stored(asked, fitted).encode())
    first = text[: kept[0].end] if kept[0].start == 0 else ""
    last = text[kept[-1].start :] if kept[-1].end == len(text) else ""
    if len(kept) <= 2 and omitted(fitted.text)[1] == len(gap):
        assert first + gap + last == text
    else:
        assert gap in text
    found = CALL.search(fitted.text)
    assert found is not None
    start, end = int(found[3]), int(found[4])
    page = (
        asked.get(found[1], lines=(start, end), limit=0)
        if found[2] == "line"
        else asked.get(found[1], bytes=(start, end), limit=0)
    )
    assert page.text == gap


def test_the_hint_speaks_the_language_of_its_door() -> None:
    """P-28, X-12: a shell gets a command line."""
    from overspill import MemoryStore, Overspill

    fitted = Overspill({}, MemoryStore(), spelling=shell_call).fit(TEXT, strategy="tail")
    first, last = re.findall(r"--lines (\d+)-(\d+)\]", fitted.text)[0]
    assert f"omitted part: spill artifacts show {fitted.artifact_id} --lines {first}-{last}]" in fitted.text
    assert first == "1"


def test_a_view_says_what_is_missing_and_how_to_get_it() -> None:
    """P-02, P-28: in the text and, for programs, beside it."""
    asked = spill()
    fitted = asked.fit(TEXT)
    assert MARKER.search(fitted.text)
    assert str(fitted.metadata["retrieval_instructions"]) in fitted.text
    assert CALL.fullmatch(str(fitted.metadata["retrieval_instructions"]))
    assert re.fullmatch(r"middle [\d,]+ characters / ~[\d,]+ tokens", str(fitted.metadata["omission_summary"]))


def test_a_marker_is_paid_for_by_tokens_too() -> None:
    """X-13: a budget in tokens holds with marker and hint."""
    for tokens in (20, 100, 1_000):
        for strategy in STRATEGIES:
            fitted = spill().fit(TEXT, strategy=strategy, budget=Budget(tokens=tokens))
            assert len(fitted.text) <= 4 * tokens
