"""Logs that say the same again and again: statements tell it, and what else happened is shown."""

import random

from truth import false_statements

from overspill import MemoryStore, Overspill

NAMES = [
    f"{first}{last}"
    for first in ("brass", "clay", "dusk", "elm", "fern", "glade")
    for last in ("bell", "fork", "gate", "hook", "kiln")
]
SAID = ["reconciled {} in {}ms", "synced {} with {}ms of lag", "GET /health/{} 200 {}ms"]


def told(text: str, limit: int) -> str:
    return Overspill(store=MemoryStore(), preset="agent").fit(text, tool="run", strategy="smart", budget=limit).text


def test_lines_of_a_log_that_a_statement_tells_are_not_shown_though_each_name_in_it_has_few() -> None:
    """Of each name there were a few lines, of all of them a hundred, with a mark between any two."""
    draw = random.Random(4)
    lines = []
    for at in range(400):
        words = f"INFO {draw.choice(SAID).format(draw.choice(NAMES), draw.randint(1, 99))}"
        if at % 90 == 40:
            words = f"ERROR lease of shard-{at} was lost"
        lines.append(f"2026-11-19T10:{at // 60:02}:{at % 60:02}.{draw.randint(100, 999)}Z {words}")
    text = "\n".join(lines) + "\n"
    for limit in (8_000, 16_000):
        view = told(text, limit)
        shown = [line for line in view.split("\n") if line.startswith("2026-")]
        assert sum("ERROR" in line for line in shown) == 4
        assert len(shown) < 60
        assert view.count("[... ") < 16
        assert [*false_statements(text, view)] == []


def test_a_listing_that_begins_with_the_minute_of_each_file_is_no_log() -> None:
    lines = [f"2026-11-19 10:{n % 60:02} {n * 37 % 9000:9} store/{n % 7}/part-{n:05}.bin" for n in range(300)]
    assert len(told("\n".join(lines) + "\n", 8_000)) > 6_000
