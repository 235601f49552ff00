"""Messages whose file is named above them: what is read out of a report, and what its view says."""

# ruff: noqa: E501  # a line of a tool is one line here

from __future__ import annotations

import pytest
from truth import false_statements

from overspill import MemoryStore, Overspill
from overspill.cut.digest.headed import HeadedReader, heading_of, layout_of
from overspill.cut.digest.record_reader import share_of

FILES = [f"src/{folder}/part_{number}.py" for number, folder in enumerate(("core", "cut", "net") * 14)]
WORDS = ("eval runs what it is given", "a file is left open", "the name shadows another")


def quoted(path: str, at: int) -> list[str]:
    """A finding, and below it what it is said of: of the second also a remark that is no message."""
    said = WORDS[at % 3]
    return [
        f"    {path}",
        "     \u2771 checks.odd-call",
        f"          {said}",
        "",
        f"          {at + 3}\u2506 one = {at}",
        f"          {at + 4}\u2506 two = {at}",
        "            \u22ee\u2506------------",
        f"          {at + 90}\u2506 three = {at}",
        "             [3 more lines]",
        "",
    ]


def pointed(path: str, at: int) -> list[str]:
    """Lines of the source, and what is said of them below a pointer."""
    said = (
        f"Tag must be paired, no start tag: [ </i{at % 5}> ] (tag-pair)",
        "Special characters must be escaped. (escape)",
    )
    return [
        f"   ./{path}",
        f"      L{at + 1} |<b>{at}</i>",
        f"           ^ {said[0]}",
        "      L99 |a & b",
        f"      ^ {said[1]}",
        "",
    ]


def numbered(path: str, at: int) -> list[str]:
    """The number of a line, and below it what is said of it."""
    return [
        path,
        f"  Line: {at + 1}",
        f"    mccabe: MC0001 / f{at} is too complex ({at % 9 + 9})",
        "  Line: 80",
        "    pyflakes: F401 / unused",
        "",
    ]


def wrapped(path: str, at: int) -> list[str]:
    """Rows whose last cell goes on below."""
    return [
        f"== [{path}] FAIL",
        f"L: {at + 1:>3} | P: {at % 60:>3} | LT01 | Expected single whitespace between 'A{at % 4}' and",
        "                       | the word behind it. [layout.spacing]",
        f"L: {at + 2:>3} | P:   1 | LT02 | Line is indented. [layout.indent]",
    ]


def ending(path: str, at: int) -> list[str]:
    """Messages that end with the line."""
    return [
        f"In {path}",
        "=====",
        f"text {at}",
        "^^^^",
        f'"be used" may be passive voice on line {at + 1} at column {at % 7}',
        "-----",
        '"very" weakens on line 70 at column 2',
    ]


REPORTS = {"quoted": quoted, "pointed": pointed, "above": numbered, "rows": wrapped, "tails": ending}  # fmt: skip
FIRST = {
    "quoted": [
        ("src/core/part_0.py", "3", "", "\u2771 checks.odd-call eval runs what it is given"),
        ("src/core/part_0.py", "90", "", "\u2771 checks.odd-call eval runs what it is given"),
    ],
    "pointed": [
        ("./src/core/part_0.py", "1", "", "Tag must be paired, no start tag: [ </i0> ] (tag-pair)"),
        ("./src/core/part_0.py", "99", "", "Special characters must be escaped. (escape)"),
    ],
    "above": [
        ("src/core/part_0.py", "1", "", "mccabe: MC0001 / f0 is too complex (9)"),
        ("src/core/part_0.py", "80", "", "pyflakes: F401 / unused"),
    ],
    "rows": [
        ("src/core/part_0.py", "1", "0", "LT01 | Expected single whitespace between 'A0' and the word behind it. [layout.spacing]"),
        ("src/core/part_0.py", "2", "1", "LT02 | Line is indented. [layout.indent]"),
    ],
    "tails": [
        ("src/core/part_0.py", "1", "0", '"be used" may be passive voice'),
        ("src/core/part_0.py", "70", "2", '"very" weakens'),
    ],
}  # fmt: skip


def report(form: str) -> list[str]:
    return [line for at, path in enumerate(FILES) for line in REPORTS[form](path, at)]


@pytest.mark.parametrize("form", REPORTS)
def test_the_records_of_a_report_are_read_below_the_paths_they_stand_under(form: str) -> None:
    lines = report(form)
    layout = layout_of(lines)
    assert layout is not None
    assert layout.form == form
    reader = HeadedReader(layout)
    found = [*reader.read(lines), *reader.rest()]
    assert found[:2] == FIRST[form]
    assert len(found) == 2 * len(FILES)
    assert share_of(lines) > 0.6


@pytest.mark.parametrize("form", REPORTS)
def test_it_makes_no_difference_in_which_blocks_a_report_comes(form: str) -> None:
    lines = report(form)
    layout = layout_of(lines)
    assert layout is not None
    whole, pieces = HeadedReader(layout), HeadedReader(layout)
    found = [record for at in range(0, len(lines), 3) for record in pieces.read(lines[at : at + 3])]
    assert [*found, *pieces.rest()] == [*whole.read(lines), *whole.rest()]


@pytest.mark.parametrize("limit", [700, 2_000, 4_000])
@pytest.mark.parametrize("form", REPORTS)
def test_what_a_view_says_of_a_report_is_true(form: str, limit: int) -> None:
    text = "\n".join([*report(form), "84 findings", ""])
    view = Overspill({"preset": "agent"}, MemoryStore()).fit(text, strategy="smart", budget=limit).text
    assert "[84 records below " in view
    assert not list(false_statements(text, view, "text"))


def test_a_level_above_its_message_is_read_with_it_however_the_lines_are_sorted() -> None:
    """`3: warning at line 9, col 2`, and what is said on the next line."""
    lines = [
        line
        for at in range(60)
        for line in (
            "",
            f"css/part_{at % 4}.css",
            f"{at + 1}: warning at line {90 - at}, col 2",
            f"Do not use .a{at} here.",
            f".a{at} {{",
        )
    ]
    layout = layout_of(lines)
    assert layout is not None
    assert HeadedReader(layout).read(lines)[0] == ("css/part_0.css", "90", "2", "warning Do not use .a0 here.")
    assert share_of(lines) > 0.6


NO_REPORTS = {
    "matches below headings": [line for path in FILES for line in (path, "12:    raise error", "99:    raise other", "")],
    "a listing of sections": [line for path in FILES for line in (path, "  3 files", "  12 kB", "")],
    "results of tests": [line for at, path in enumerate(FILES) for line in (f"PASS {path}", f"  \u2713 adds {at} (3 ms)")],
    "prose": ["See src/a.py for more.", "It is on line 3 of it, he said, and went on.", ""] * 40,
}  # fmt: skip


@pytest.mark.parametrize("name", NO_REPORTS)
def test_what_is_no_report_is_not_read_as_one(name: str) -> None:
    assert layout_of(NO_REPORTS[name]) is None


def test_a_heading_is_a_path_and_a_few_words() -> None:
    lines = (
        "src/a.py",
        "== [a.sql] FAIL",
        "lib/a.rb -- 4 warnings:",
        "https://a.org/b.html",
        "he said that a/b is c and so on",
    )
    assert [found and found.path for found in map(heading_of, lines)] == ["src/a.py", "a.sql", "lib/a.rb", None, None]  # fmt: skip


def test_what_was_found_of_one_text_is_not_said_of_another() -> None:
    """STR-06: the lines that were looked at last are remembered, and no others."""
    report = [line for number, path in enumerate(FILES) for line in quoted(path, number)]
    rows = [f"{path}:{number}:1: E501 Line too long" for number, path in enumerate(FILES)]
    first = share_of(report), share_of(rows), share_of(["nothing is said here"] * 40)
    assert first[0] > 0.5
    assert first[1] == 1.0
    assert first[2] == 0.0
    assert (share_of(report), share_of([*rows]), share_of(["nothing is said here"] * 40)) == first
