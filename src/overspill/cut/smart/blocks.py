r"""What belongs to a line: the lines below it that go on with what it says.

>>> text = "error: bad\n  --> a.rs:1:2\n   |\n1 | x\ndone\n"
>>> text[: block_end(text, 0, 10)]
'error: bad\n  --> a.rs:1:2\n   |\n1 | x\n'
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, compile_pattern
from overspill.core.spans import Span
from overspill.cut.smart.shapes import stamp_width

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_LINES = 60
_GOES_ON = compile_pattern(
    r"\s*(?:at \S|\.\.\. \d+ more|Caused by: |[\^~]+|\||\d+ +\||-->|::: |= (?:note|help)|E  |>  +\S|File \""
    r"|\u2502|\u2575"
    r"|(?:note|help|symbol|location|required|found|left|right|got|Expected|Received|Actual|Value of|Which is)\s*: "
    r"|During handling of the above|The above exception was|Suppressed: |goroutine \d+"
    r"|\[signal |in function |from \S+:\d)"
)


def lines_from(text: str, at: int) -> Iterator[Span]:
    """The lines from a line's start on, without their ends."""
    length = len(text)
    while at < length:
        end = text.find("\n", at)
        end = length if end < 0 else end
        yield Span(at, end)
        at = end + 1


def line_before(text: str, start: int) -> int:
    """Where the line before the one at `start` begins."""
    return text.rfind("\n", 0, start - 1) + 1 if start > 0 else 0


def past_line_end(text: str, end: int) -> int:
    """The end of a line with its line end."""
    return min(end + 1, len(text))


def indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def block_end(text: str, start: int, end: int, most: int = MOST_LINES) -> int:
    """Where the lines end that belong to the line `start`-`end`, its own line end included."""
    head = text[start : min(end, start + 200)]
    stamp = stamp_width(head)
    margin = indent(head)
    stop = past_line_end(text, end)
    blank = False
    for number, (at, until) in enumerate(lines_from(text, stop)):
        if number >= most:
            break
        line = text[at : min(until, at + 200)]
        if not line.strip():
            if blank:
                break
            blank = True
            continue
        deeper = indent(line) > margin
        if not (deeper or (not blank and (_GOES_ON.match(line) or (stamp and not stamp_width(line))))):
            break
        stop, blank = past_line_end(text, until), False
    return stop


def traceback_end(text: str, start: int, end: int) -> tuple[int, int]:
    """Where a Python traceback's last line begins and ends: the exception, which stands as far left as its head.

    Tools put their own prefix before each line (`web-1  | `): what stands before the head is looked for again.
    """
    head = text[start:end]
    prefix = head[: head.find("Traceback")]
    prefix = prefix if not stamp_width(prefix) else ""
    last = (start, end)
    for number, (at, until) in enumerate(lines_from(text, past_line_end(text, end))):
        if number >= 4 * MOST_LINES or not text.startswith(prefix, at):
            break
        inside = text[at + len(prefix) : at + len(prefix) + 1]
        last = (at, until)
        if inside and inside not in " \t|+":
            break
    return last
