"""Cells of tables that hold blanks."""

from truth import false_statements

from smart_views import seen


def test_a_cell_of_several_words_does_not_move_those_behind_it() -> None:
    """`4 (7h ago)` restarts made `(7h` an age, and of the node's name a line of three columns."""
    rows = [("NAME", "READY", "STATUS", "RESTARTS", "AGE", "NODE")]
    for at in range(120):
        restarts = f"{at % 4 + 1} ({at % 20 + 2}h ago)" if at % 15 == 7 else "0"
        rows.append((f"web-{at * 7919 % 9973:04}", "1/1", "Running", restarts, f"{at % 30}d", f"node-{at % 9}"))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    text = "".join("   ".join(map(str.ljust, row, widths)).rstrip() + "\n" for row in rows)
    view = seen(text, 3_000).text
    assert '4 (9h ago)"' in view
    assert " (9h," not in view
    assert 'node-7"' not in view
    assert [*false_statements(text, view)] == []
