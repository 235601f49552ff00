"""Lines of JSON among others: what they say is counted as of a table, and the odd one is shown."""

import json
import random

import pytest
from truth import false_statements

from overspill import MemoryStore, Overspill


def view_of(text: str, limit: int = 3_000) -> str:
    return Overspill(store=MemoryStore(), preset="agent").fit(text, tool="run", strategy="smart", budget=limit).text


def log(before: str = "", number: int = 900, seed: int = 3) -> str:
    drawn = random.Random(seed)
    lines = []
    for at in range(number):
        odd = at == number // 2
        row = {
            "level": "error" if odd else "info",
            "msg": "belt is torn" if odd else "parcel went",
            "at": {"area": at % 7},
        }
        plain = f"shelf {at % 13} was swept"
        lines.append(plain if not odd and drawn.random() < 0.3 else before + json.dumps(row))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("before", ["", "web-1  | ", "2026-11-18T06:00:00Z app: "])
def test_objects_at_the_ends_of_lines_are_added_up_beside_other_lines(before: str) -> None:
    text = log(before)
    view = view_of(text)
    assert "[level: error, info " in view
    assert '[msg: "belt is torn", "parcel went" ' in view
    assert '"msg": "belt is torn"' in view  # the line itself, too
    assert "shelf {" in view
    assert false_statements(text, view) == []


@pytest.mark.parametrize("seed", range(6))
def test_what_is_said_of_objects_in_lines_is_true(seed: int) -> None:
    text = (
        log("x " * (seed % 3), 200 + 40 * seed, seed)
        + '{"broken": \n{"a": 1} {"b": 2}\n{"n": 123456789012345678901234567890}\n'
    )
    for limit in (700, 2_000, 6_000):
        assert false_statements(text, view_of(text, limit)) == []


def test_lines_of_which_few_are_objects_are_lines() -> None:
    text = "".join(f"shelf {at} was swept\n" + '{"a": 1}\n' * (at % 9 == 0) for at in range(600))
    assert " rows]" not in view_of(text)


HIDDEN = "\u200b\u202e\U000e0041\x1b[31m"


@pytest.mark.parametrize("name", ["k", f"k{HIDDEN}"])
@pytest.mark.parametrize("between", ["\n", "\na plain line\n"], ids=["records", "a log"])
def test_signs_that_nobody_sees_stay_as_they_were_escaped(between: str, name: str) -> None:
    """FR-052: a statement tells what a value is without bringing back what was written in letters."""
    rows = [{"id": at, "state": f"ok{HIDDEN}" if at % 7 else f'"{HIDDEN}"', name: at % 3} for at in range(300)]
    text = between.join(map(json.dumps, rows)) + "\n"
    view = view_of(text)
    assert "300 rows" in view or name != "k"
    assert all(map(str.isprintable, view.split("\n")))
    assert view_of(json.dumps({"items": rows})).isprintable()
