"""`smart` from the inside: the choice, the islands of a stream, the folds, the judgement of single lines."""

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from overspill.core import count_bytes, count_lines, measure
from overspill.core.budget import Budget
from overspill.core.markers import fold_marker, marker
from overspill.core.spans import Options, PartialText, Room, Span, omitted_spans
from overspill.cut.digest.survey import Survey
from overspill.cut.render import Subject, text_view
from overspill.cut.smart import SmartCut, sieve, sieved_text
from overspill.cut.smart.choice import Selection, select_units
from overspill.cut.smart.folds import folds_in
from overspill.cut.smart.general import found_in
from overspill.cut.smart.shapes import classify_line
from overspill.cut.smart.sieve import Sieve, partial_text_of
from overspill.cut.smart.units import Findings, Name, Note, TextVocabulary, Unit
from texts import long_texts, texts

events = st.sampled_from([
    "12:00:01 INFO all is well\n",
    "12:00:02 ERROR db: lost 17\r\n",
    "12:00:02 ERROR db: lost 18\n",
    "FATAL: out of \u00e9nergie\n",
    'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    g()\nKeyError: 3\n',
    "0 errors, error=None\n",
    "\n",
    "caf\u00e9\r\n",
    "error: x\r",
    "W" * 70 + "\n",
])  # fmt: skip
logs = st.lists(st.one_of(events, st.builds(str.__mul__, events, st.integers(1, 30))), max_size=60).map("".join)
cuts = st.lists(st.integers(0, 5_000), max_size=12)


@given(st.lists(events, max_size=40), st.lists(st.text("a1fF\n \u00e9x", max_size=9), max_size=9), st.data())
def test_a_vocabulary_has_the_words_that_are_in_its_text(said: list[str], odd: list[str], data: st.DataObject) -> None:
    text = "".join([*said, *odd, *said])
    start = data.draw(st.integers(0, len(text)))
    word = data.draw(st.sampled_from(["error", "\nE  ", "lost 1", "", text[start : start + 5], "e\u00e9", "17\n"]))
    known = TextVocabulary(text)
    assert known.has(word) == (word in text)
    assert known.has_small(word.lower()) == (word.lower() in text.lower())


@pytest.fixture(autouse=True, scope="module")
def small_blocks() -> object:
    """Blocks so small that short texts have many of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sieve, "BLOCK", 1_500)
        patch.setattr(sieve, "OVERLAP", 500)
        patch.setattr(sieve, "CONTEXT", 200)
        patch.setattr(sieve, "LONGEST", 300)
        patch.setattr(sieve, "MOST_CHARS", 600)
        yield patch


def pieces(text: str, at: list[int]) -> list[str]:
    edges = sorted({0, len(text), *(place % (len(text) + 1) for place in at)})
    return [text[start:end] for start, end in pairwise(edges)]


def fed(text: str, keep: int, at: list[int], options: Options) -> PartialText:
    """What is held of a text that came in pieces."""
    return surveyed(text, keep, at, options)[0]


def surveyed(text: str, keep: int, at: list[int], options: Options) -> tuple[PartialText, Survey]:
    """What is held of a text that came in pieces, and what all of it adds up to."""
    found = Sieve(text[:keep], options)
    for piece in pieces(text[keep:], at):
        found.feed(piece)
    return partial_text_of(text[:keep], found.islands(), text[-keep:], measure(text)), found.survey


@given(text=st.builds(str.__mul__, logs, st.integers(1, 12)), keep=st.integers(100, 400), at=cuts, focus=st.booleans())
@example(text="12:00:02 ERROR db: lost 17\r\n" * 300, keep=101, at=[1, 2, 3], focus=False)
def test_islands_are_the_same_however_the_text_comes_and_rebuild_its_sizes(
    text: str, keep: int, at: list[int], focus: bool
) -> None:
    assume(len(text) > 2 * keep)
    options = Options(focus="\u00e9nergie" if focus else "")
    held = fed(text, keep, at, options)
    assert held == sieved_text(text, keep, options)[0]
    whole = held.size(0, len(held.text))
    assert (whole.chars, whole.lines, whole.bytes) == (len(text), count_lines(text), count_bytes(text))
    edges = [0, *(hole.at for hole in held.holes), len(held.text)]
    for start, end in pairwise(edges):
        true = held.original_spans([Span(start, start)])[0].start
        assert text[true : true + end - start] == held.text[start:end]
        place = held.place(start)
        if text[true - 1 : true + 1] != "\r\n":
            assert (place.chars, place.bytes) == (true, count_bytes(text[:true]))


@given(
    text=st.builds(str.__mul__, logs, st.integers(1, 12)),
    keep=st.integers(200, 400),
    at=cuts,
    limit=st.integers(64, 1_500),
)
def test_a_stream_and_its_text_give_the_same_view(text: str, keep: int, at: list[int], limit: int) -> None:
    """Promise 9, with islands."""
    assume(len(text) > max(limit, 2 * keep))
    held, survey = surveyed(text, keep, at, Options())
    size = measure(text)
    whole = text_view(Subject(text, size, SmartCut(), Options(), keep=keep), Budget(chars=limit))
    streamed = Subject(held.text, size, SmartCut(), Options(), holes=held.holes, keep=keep, survey=survey)
    parts = text_view(streamed, Budget(chars=limit))
    assert parts.text == whole.text
    assert parts.kept == whole.kept
    assert (
        "".join(text[start:end] for start, end in sorted([*whole.kept, *omitted_spans(whole.kept, len(text))])) == text
    )


def test_a_signal_far_from_both_ends_of_a_stream_is_found() -> None:
    text = "12:00:01 INFO all is well\n" * 900 + "FATAL: pump 7 stopped\n" + "12:00:01 INFO all is well\n" * 900
    assert "FATAL: pump 7 stopped" in fed(text, 500, [7, 999], Options()).text


def test_what_is_kept_of_a_stream_is_bounded_and_prefers_what_is_distinct() -> None:
    text = "".join(f"12:00:01 ERROR db: lost {number}\n" for number in range(5_000))
    text += "FATAL: pump 7 stopped\n" + "12:00:01 INFO all is well\n" * 100
    held = fed(text, 300, [], Options())
    assert len(held.text) < 6_000
    assert "FATAL: pump 7 stopped" in held.text


@given(text=long_texts)
def test_folds_are_what_they_say(text: str) -> None:
    for start, end, number, noun in folds_in(text):
        lines = 1 if noun == "line" else int(noun.split()[0])
        block = text[start:end][: (end - start) // number]
        assert block * number == text[start:end]
        assert text[:start].endswith(block)
        assert count_lines(block) == lines
        assert end - start > len(fold_marker(number, noun, end - start))


@given(
    text=texts.filter(bool),
    spans=st.lists(st.tuples(st.integers(0, 400), st.integers(0, 200)), max_size=12),
    room=st.integers(0, 400),
)
def test_what_is_chosen_costs_what_the_board_says(text: str, spans: list[tuple[int, int]], room: int) -> None:
    board = Selection(text, room, (), [])
    for start, length in spans:
        first = min(start, len(text))
        board.take([Span(first, min(len(text), first + length))])
        kept = board.spans()
        gaps = list(omitted_spans(kept, len(text)))
        marks = [len(marker(count_lines(text, *gap), gap.chars)) + 2 for gap in gaps]
        assert sum(span.chars for span in kept) + sum(marks) - max(marks, default=0) <= max(0, room)
        assert all(before.end < after.start for before, after in pairwise(kept))


def test_units_take_turns_by_group_and_bring_what_they_need() -> None:
    text = "".join(f"{group} {number:02} {'-' * 60}\n" for group in "abc" for number in range(30))
    width = len(text) // 90
    units = [
        Unit(at, at + width, 100, "row", text[at], (Span(0, width),)) for at in range(0, len(text), width)
    ]  # fmt: skip
    cut = select_units(text, Findings(units, exact=True), Room(5 * width + 130, 0, 45), Options())
    shown = "".join(text[start:end] for start, end in cut.kept)
    assert [line[0] for line in shown.splitlines()][:1] == ["a"]
    assert {line[0] for line in shown.splitlines()} == {"a", "b", "c"}


def test_a_note_names_only_what_is_not_shown() -> None:
    text = "".join(f"def f{number}(): {'pass; ' * 20}\n" for number in range(20))
    width = text.find("\n") + 1
    units = [Unit(0, width, 100, "first")]
    names = tuple(Name(f"f{number}", *_line(text, number)) for number in range(20))
    cut = select_units(text, Findings(units, (Note("omitted", names, 200),), exact=True), Room(600, 0, 45), Options())
    # The last line of a text is always shown, and it is all of the last function.
    assert cut.notes == (f"[omitted: {', '.join(f'f{number}' for number in range(1, 19))}]",)


def _line(text: str, number: int) -> tuple[int, int]:
    lines = text.splitlines(keepends=True)
    start = sum(map(len, lines[:number]))
    return start, start + len(lines[number])


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("FAILED tests/test_x.py::test_a[1 - 2] - AssertionError: assert 1 == 2", "name"),
        ("--- FAIL: TestX (0.00s)", "name"),
        ("test error::tests::y ... FAILED", "name"),
        ("not ok 3 - handles errors", "name"),
        ("[  FAILED  ] Suite.Name (0 ms)", "name"),
        ("  \u2715 adds numbers (3 ms)", "name"),
        ("AppTest > adds() FAILED", "name"),
        ("\t  3 - roundtrip (Failed)", "name"),
        ("FAIL: test_x (pkg.tests.Case.test_x)", "name"),
        ("=== 3 failed, 50 passed in 1.20s ===", "summary"),
        ("test result: FAILED. 3 passed; 1 failed", "summary"),
        ("Found 12 errors in 3 files (checked 40 source files)", "summary"),
        ("make: *** [Makefile:5: all] Error 2", "status"),
        ("Process exited with code 137", "status"),
        ("thread 'main' panicked at src/main.rs:5:9:", "fatal"),
        ("fatal: not a git repository", "fatal"),
        ("x.c:5:10: error: expected ';' before '}' token", "error"),
        ("src/x.ts(5,10): error TS2322: Type 'a' is not 'b'", "error"),
        ("error[E0308]: mismatched types", "error"),
        ("./x.go:5:2: undefined: foo", "error"),
        ("npm ERR! code ERESOLVE", "error"),
        ('{"level":"error","msg":"x"}', "error"),
        ("\u2502 Error: Unsupported argument", "error"),
        ("WARNING disk at 91 %", "warning"),
        ("INFO connection refused, retrying", "mention"),
        ("10:00AM ERR shelf is gone", "error"),
        ("10:00AM WRN shelf is slow", "warning"),
        ("[12:00:01 FTL] the hall is closed", "fatal"),
        ("ERRO[0003] shelf is gone", "error"),
        ("FATA[0003] shelf is gone", "fatal"),
        ('t=12:00 lvl=eror msg="shelf is gone"', "error"),
        ('t=12:00 lvl=crit msg="shelf is gone"', "fatal"),
        ("2026/11/18 12:00:01 [emerg] 1#1: bind() of the hall", "fatal"),
        ("E/Shelves( 1234): it is gone", "error"),
        ("W/Shelves: it is slow", "warning"),
        ("[     3.101] (EE) no screens", "error"),
        ("[E 12:00:01.123 Hall] it is gone", "error"),
        ("E: Unmet shelves", "error"),
    ],
)
def test_lines_are_judged_by_their_shape(line: str, level: str) -> None:
    judged = classify_line(line)
    assert judged is not None
    assert judged.level == level


@pytest.mark.parametrize("line", ["ALERT=1 is set", "the CRITERIA", "a[e] = 3", "now: x", "src/W: x", "(EEG) at nine"])
def test_what_only_looks_like_a_level_is_none(line: str) -> None:
    assert classify_line(line) is None


FIT = """
import sys
from overspill.cli.main import main
main(['fit', sys.argv[1], '--root', sys.argv[2]])
print("", any(name.startswith('overspill.cut.smart') for name in sys.modules))
"""


def test_a_text_that_passes_does_not_load_the_strategy(tmp_path: Path) -> None:
    (tmp_path / "small.log").write_text("ERROR: small\n")
    (tmp_path / "large.log").write_text("ERROR: large\n" * 9_000)
    for name, loaded in (("small.log", "False"), ("large.log", "True")):
        command = [sys.executable, "-c", FIT, str(tmp_path / name), str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout.split()[-1] == loaded


def test_notices_are_not_counted_as_warnings() -> None:
    """A count can be checked by the word that it says: `NOTICE` is no warning, though it is worth as much."""
    warnings = "18:25:39 WARN: no room\n18:25:40 WARN: not done\n"
    text = f"18:25:38 NOTICE: a.conf not found\n{warnings}18:25:41 NOTICE: b.conf not found\n"
    found = found_in(text, Options())
    assert len(found.units) >= 4
    assert [name.text for note in found.notes for name in note.names] == ["2 warnings"]
