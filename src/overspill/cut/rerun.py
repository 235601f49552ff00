r"""What changed between two runs, as a unified diff: lines that came and went, with a few around them.

>>> print("".join(diff_lines("a\nb\nc\n", "a\nB\nc\n", "art_1", "art_2") or []), end="")
--- art_1
+++ art_2
@@ -1,3 +1,3 @@
 a
-b
+B
 c
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.core.markers import QUOTE, is_look_alike

if TYPE_CHECKING:
    from collections.abc import Iterator

AROUND = 2  # unchanged lines shown on either side of a change
MOST_EDITS = 400  # lines that came or went; with more, it is another text
MOST_STEPS = 1_500_000  # lines that are compared; with more, it takes longer than it is worth


class LineChange(NamedTuple):
    """Lines `old` up to `old_end` became lines `new` up to `new_end`."""

    old: int
    old_end: int
    new: int
    new_end: int


def diff_lines(before: str, after: str, before_name: str, after_name: str) -> list[str] | None:
    """The lines of a diff, or None where too much changed for one. Look-alikes of our marks are told apart."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    found = _line_changes(old, new)
    if found is None:
        return None
    lines = [f"--- {before_name}\n", f"+++ {after_name}\n"]
    for hunk in _hunks(found):
        lines += _hunk_lines(old, new, hunk)
    return lines


def _line_changes(old: list[str], new: list[str]) -> list[LineChange] | None:
    first, shorter = 0, min(len(old), len(new))
    while first < shorter and old[first] == new[first]:
        first += 1
    last = 0
    while last < shorter - first and old[-1 - last] == new[-1 - last]:
        last += 1
    path = _same_lines(old[first : len(old) - last], new[first : len(new) - last])
    return None if path is None else _changes_between(path, first)


def _same_lines(old: list[str], new: list[str]) -> list[tuple[int, int]] | None:
    """Pairs of lines that are the same, by the shortest way from one text to the other, as Myers found it."""
    reached = {1: 0}
    trace: list[dict[int, int]] = []
    steps = 0
    for edits in range(min(MOST_EDITS, len(old) + len(new)) + 1):
        trace.append(reached.copy())
        for diagonal in range(-edits, edits + 1, 2):
            down = diagonal == -edits or (
                diagonal != edits and reached.get(diagonal - 1, -1) < reached.get(diagonal + 1, -1)
            )
            x = reached[diagonal + 1] if down else reached[diagonal - 1] + 1
            y = x - diagonal
            steps -= x
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x, y = x + 1, y + 1
            reached[diagonal] = x
            steps += x
            if x >= len(old) and y >= len(new):
                return _walk_back(trace, len(old), len(new))
        if steps > MOST_STEPS:
            break
    return None


def _walk_back(trace: list[dict[int, int]], x: int, y: int) -> list[tuple[int, int]]:
    same: list[tuple[int, int]] = [(x, y)]
    for edits in range(len(trace) - 1, -1, -1):
        reached, diagonal = trace[edits], x - y
        down = diagonal == -edits or (
            diagonal != edits and reached.get(diagonal - 1, -1) < reached.get(diagonal + 1, -1)
        )
        before = diagonal + 1 if down else diagonal - 1
        at = reached.get(before, 0)
        start = (at, at - before)
        while x > max(start[0], 0) and y > max(start[1], 0) and edits >= 0 and (x, y) != start:
            x, y = x - 1, y - 1
            same.append((x, y))
        x, y = max(start[0], 0), max(start[1], 0)
    return same[::-1]


def _changes_between(same: list[tuple[int, int]], offset: int) -> list[LineChange]:
    """The changes between lines that are the same; the last pair stands for the end."""
    found: list[LineChange] = []
    x = y = 0
    for old, new in same:
        if old > x or new > y:
            found.append(LineChange(x + offset, old + offset, y + offset, new + offset))
        x, y = old + 1, new + 1
    return found


def _hunks(found: list[LineChange]) -> Iterator[list[LineChange]]:
    """Changes near each other belong to one hunk."""
    hunk: list[LineChange] = []
    for change in found:
        if hunk and change.old - hunk[-1].old_end > 2 * AROUND:
            yield hunk
            hunk = []
        hunk.append(change)
    if hunk:
        yield hunk


def _hunk_lines(old: list[str], new: list[str], hunk: list[LineChange]) -> Iterator[str]:
    start = max(0, hunk[0].old - AROUND)
    end = min(len(old), hunk[-1].old_end + AROUND)
    new_start = hunk[0].new - (hunk[0].old - start)
    new_end = hunk[-1].new_end + (end - hunk[-1].old_end)
    yield f"@@ -{_hunk_range(start, end)} +{_hunk_range(new_start, new_end)} @@\n"
    at = start
    for change in hunk:
        yield from (_diff_line(" ", line) for line in old[at : change.old])
        yield from (_diff_line("-", line) for line in old[change.old : change.old_end])
        yield from (_diff_line("+", line) for line in new[change.new : change.new_end])
        at = change.old_end
    yield from (_diff_line(" ", line) for line in old[at:end])


def _hunk_range(start: int, end: int) -> str:
    return f"{start + (end > start)},{end - start}"


def _diff_line(mark: str, line: str) -> str:
    quote = QUOTE if is_look_alike(line) else ""
    text = line.rstrip("\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029")
    return f"{mark}{quote}{text}\n"
