"""Every row that is promised so far has a test that carries its number."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]
NUMBERS = re.compile(r"\s*((?:[A-Z]{1,4}-\d+(?:, |))+)")

# By area; `..` is a range, both ends included. Add to it in the change that fulfils a row.
PROMISED = {
    "texts, documents, streams, redaction, store": """
        FR-001..060 FR-066..075 AC-001..060 AC-066..075 AC-077..108 AC-112 NFR-001..012 NFR-017..019
        P-02..17 P-20..24 P-28 P-29 P-31 UM-01..05 CFG-01..12 BP-01..12 FAQ-1..8
        ASM-03 ASM-05 ASM-07 ASM-08 ASM-10 ASM-11 ASM-14 ASM-17 STR-01..04 REF-01 CLI-01 CLI-02 CLI-04..05
        THR-1..6 SAN-1..6 AUD-3 AUD-8 TST-01..16
        X-01..17 X-20..36 X-38..39 X-43..46 X-49..62 X-64 X-65 X-67 X-68 X-100
    """,
    "smart": "CFG-08 STR-05 STR-06 P-01 P-18 P-19 AC-076 X-16 X-18 X-19",
    "lists": "DOL-01..25 X-70..77 X-79",
    "retrieval": """
        FR-061..065 AC-061..065 P-30 REF-02 CLI-03 TRB-1 TRB-3 FAQ-9..10 TST-17..18 X-39..41 X-63
    """,
    "journal, stats, doctor": """
        NFR-013..016 AC-109..111 AC-113..116 P-25..27 AUD-1..8 TRB-1..3 FAQ-10 X-63
    """,
    "hand-offs": "CAC-01..23 X-80..90 X-94..96",
}


def promised() -> Iterator[str]:
    for row in " ".join(PROMISED.values()).split():
        prefix, _, numbers = row.partition("-")
        first, _, last = numbers.partition("..")
        yield from (f"{prefix}-{number:0{len(first)}}" for number in range(int(first), int(last or first) + 1))


def rows_with_a_test() -> dict[str, str]:
    """The numbers at the start of the docstrings of tests, and a test for each."""
    found: dict[str, str] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
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
    for path in TESTS.rglob("test_*.py"):
        assert not words.search(path.read_text(encoding="utf-8")), path.name
