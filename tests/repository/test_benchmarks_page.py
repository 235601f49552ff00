"""BENCHMARKS.md is what the measured tables make of it, losses included."""

import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
sys.path.insert(0, str(REPOSITORY / "benchmarks"))

import compare  # noqa: E402 - the directory is not on the path before

TABLE = """
The part that is tuned on:

| 8,000 characters | outputs | smart | head -c | rtk | ceiling, of all facts |
|---|---:|---:|---:|---:|---:|
| build | 3 | 40 % | 41 % | 90 % | 100 % |
| log | 2 | 94 % | 8 % | 94 % | 100 % |
| **all outputs** | 5 | **62 %** | **28 %** | **92 %** | 100 % |
| of all facts | | 9 % | 9 % | 9 % | |
"""


def test_the_page_is_what_the_tables_say() -> None:
    assert compare.PAGE.read_text() == compare.written_page()


def test_whoever_is_better_is_named_with_their_figure() -> None:
    (table,) = compare.quality_tables(TABLE)
    assert table.losses() == [("build", 3, 40, [("rtk", 90), ("head -c", 41)])]
    page = compare.page_text([table], "rtk 1.", ("abc", "2026-11-17"), None)
    assert "- build (3 outputs): 40 %, below rtk 90 %, head -c 41 %" in page
    assert "tells **62 %** of the facts" in page
    assert "rtk, **92 %**" in page


def test_the_figure_on_the_first_screen_is_the_measured_one() -> None:
    first = next(table for table in compare.quality_tables(compare.TABLES.read_text()) if table.limit == compare.LIMIT)
    shares = first.shares[compare.ALL]
    best = max(shares[name] for name in first.others)
    readme = " ".join((REPOSITORY / "README.md").read_text().split())
    assert f"its views tell {shares[compare.OURS]} % of what could be told, the next best {best} %" in readme


def test_every_table_of_the_evaluation_is_on_the_page() -> None:
    tables = list(compare.quality_tables(compare.TABLES.read_text()))
    assert len(tables) >= 4
    assert all(table.part and len(table.shares) > 5 for table in tables)


def test_failing_tests_are_looked_for_in_whole_logs(tmp_path: Path) -> None:
    log = "collecting\n" * 500 + "FAILED tests/test_a.py::test_first - boom\n" + "more words\n" * 2_000
    (tmp_path / "one.log").write_text(log)
    (tmp_path / "short.log").write_text("FAILED tests/test_a.py::test_first\n")
    found = compare.measure_swe(str(tmp_path))
    assert (found["logs"], found["tests"]) == (1, 1)
    assert found["shares"] == {"smart": 100, "head -c": 100, "tail -c": 0, "head+tail": 0}
