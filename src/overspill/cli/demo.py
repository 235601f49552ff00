"""`spill demo`: what the tool said beside what the model sees, and how the rest is fetched."""

from __future__ import annotations

from itertools import zip_longest

from overspill._lite import TYPE_CHECKING
from overspill.api import Overspill
from overspill.cli.output import print_answer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from overspill.cli.arguments import CommandCall

LEFT = 46
RIGHT = 72
LIMIT = 1_500


FACTS = ("was_truncated", "strategy_used", "original_size", "truncated_size", "omission_summary", "artifact_id")


def run(call: CommandCall) -> int:
    """Fit a test log and an answer in JSON, and show both sides of each."""
    with Overspill(preset="agent", config={"tools": {"truncation": {"inline_limit": LIMIT}}}) as spill:
        text = "".join(f"{line}\n" for line in demo(spill))
    return print_answer(call, "demo", {"text": text}, text)


def demo(spill: Overspill) -> Iterator[str]:
    """The main job, a line at a time."""
    log = "".join(test_log())
    fitted = spill.fit(log, tool="execute_command", source="pytest -v")
    report = fitted.report
    yield f"A test run printed {report.total.chars:,} characters (~{report.total.tokens:,} tokens)."
    yield f"The model gets {len(fitted.text):,}, and the other {report.omitted_chars:,} stay one call away."
    yield ""
    yield from side_by_side("THE TOOL SAID", abridged_log(log), "THE MODEL SEES", fitted.text.splitlines())
    yield ""
    yield "The model asks for a part of what was left out:"
    yield f"  {report.fetch}"
    assert fitted.artifact_id is not None  # noqa: S101  # more than the limit was printed
    page = spill.get(fitted.artifact_id, lines=(4001, 4003))
    yield f'  spill.get("{fitted.artifact_id}", lines=(4001, 4003)) returns'
    yield from (f"    {line}" for line in page.text.splitlines())
    yield ""
    yield "Numbers for programs:"
    yield from (f"  {name}: {fitted.metadata[name]}" for name in FACTS)
    yield ""
    yield from answers(spill)


def answers(spill: Overspill) -> Iterator[str]:
    """An answer in JSON, which stays JSON, with a password in it, which does not stay."""
    users = [{"id": number, "name": f"user {number}", "active": number % 3 > 0} for number in range(50_000)]
    answer = {"users": users, "total": 50_000, "source": "postgres://app:s3cr3t-Pa55@db/app"}
    fitted = spill.fit(answer, tool="http_request", budget=480)
    yield f"A request answered with {fitted.report.total.chars:,} characters of JSON. The model gets JSON, too:"
    yield ""
    yield f"  {fitted.text}"
    yield ""
    yield f"What was redacted, by rule: {dict(fitted.report.redacted)}"


def test_log() -> Iterator[str]:
    """A test run like many: thousands of lines that pass, two that do not, a summary at the end."""
    yield "============================= test session starts ==============================\n"
    for number in range(1, 6001):
        name = f"tests/test_orders.py::test_order_{number:05}"
        yield f"{name} {'FAILED' if number in {2417, 5120} else 'PASSED'} [{number // 60:3}%]\n"
    yield "=================================== FAILURES ===================================\n"
    for number in (2417, 5120):
        yield f"________________________________ test_order_{number:05} ______________________________\n"
        yield ">       assert refund(order).status == 'done'\nE       AssertionError: 'pending' != 'done'\n"
        yield f"tests/test_orders.py:{number}: AssertionError\n"
    yield "================== 2 failed, 5998 passed in 61.20s (0:01:01) ===================\n"


def abridged_log(log: str) -> list[str]:
    """The start and the end of a log, for people who have to see all of it on one page."""
    lines = log.splitlines()
    return [*lines[:8], f"    ({len(lines) - 16:,} more lines)", *lines[-8:]]


def side_by_side(left_title: str, left: Iterable[str], right_title: str, right: Iterable[str]) -> Iterator[str]:
    """Two texts in two columns; lines that are too wide end with a `>`."""
    yield f"{left_title:<{LEFT}} | {right_title}"
    yield f"{'-' * LEFT}-+-{'-' * RIGHT}"
    for one, other in zip_longest(left, right, fillvalue=""):
        yield f"{clipped_line(one, LEFT):<{LEFT}} | {clipped_line(other, RIGHT)}".rstrip()


def clipped_line(line: str, width: int) -> str:
    """A line that fits its column.

    >>> clipped_line("abcdef", 4)
    'abc>'
    """
    return line if len(line) <= width else line[: width - 1] + ">"
