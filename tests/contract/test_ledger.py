"""Every row that is promised so far has a test that carries its number."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

NUMBERS = re.compile(r"\s*((?:[A-Z]{1,4}-\d+(?:, |))+)")

# Rows by their prefix; a pair is a range, both ends included. Add to it in the change that fulfils a row.
PROMISED: dict[str, list[int | tuple[int, int]]] = {
    "FR": [(1, 60), (66, 75)],
    "AC": [(1, 60), (66, 75), (77, 108), 112],
    "NFR": [(1, 12), (17, 19)],
    "P": [(2, 17), (20, 24), 28, 29, 31],
    "UM": [(1, 5)],
    "CFG": [(1, 12)],
    "BP": [(1, 12)],
    "FAQ": [(1, 8)],
    "ASM": [3, 5, 7, 8, 10, 11, 14, 17],
    "STR": [(1, 4)],
    "REF": [1],
    "CLI": [1, 2, (4, 5)],
    "THR": [(1, 6)],
    "SAN": [(1, 6)],
    "AUD": [3, 8],
    "X": [(1, 17), (20, 36), (38, 39), (43, 46), (49, 62), 64, 65, 67, 68, 100],
    "TST": [(1, 16)],
}


def promised() -> Iterator[str]:
    for prefix, rows in PROMISED.items():
        width = 3 if prefix in {"FR", "AC", "NFR"} else 1 if prefix in {"FAQ", "THR", "SAN", "AUD"} else 2
        for row in rows:
            first, last = (row, row) if isinstance(row, int) else row
            yield from (f"{prefix}-{number:0{width}}" for number in range(first, last + 1))


def rows_with_a_test() -> dict[str, str]:
    """The numbers at the start of the docstrings of tests, and a test for each."""
    found: dict[str, str] = {}
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                start = NUMBERS.match(ast.get_docstring(node) or "")
                for number in start[1].split(", ") if start else ():
                    found[number] = f"{path.name}::{node.name}"
    return found


def test_every_promised_row_has_a_test() -> None:
    there = rows_with_a_test()
    assert [row for row in promised() if row not in there] == []


def test_no_test_is_skipped_or_expected_to_fail() -> None:
    words = re.compile(r"\b(?:pytest\.)?(?:mark\.)?(?:skip|skipif|xfail|importorskip)\(")
    for path in Path(__file__).parent.glob("test_*.py"):
        assert not words.search(path.read_text(encoding="utf-8")), path.name
