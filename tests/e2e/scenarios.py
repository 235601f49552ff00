"""What is tried with every agent, and what must have reached the model."""

import os
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from e2e.model import Asked, Call, Step
from e2e.running import FILE, Run
from e2e.talkative import ERROR, LINE, SECRET
from e2e.wiring import Agent

LIMIT = 8_000  # characters of a view
FRAME = 600  # what agents put around a result
PAGE = 50_000  # characters of a file that is read
HINT = re.compile(r'rest: get_artifact\(id="(art_\w+)", start_line=(\d+), end_line=(\d+)\)')
ID = re.compile(r"art_\w{6,}")
MARK = re.compile(r"\[\.\.\. ?\d+ ?\w+|omitted")
OWN_PROJECT = re.compile(r"/[^\s\"]*/[a-z-]+-\w{8}/project\b")  # as `place_in` names it
BEYOND = 100  # lines after the beginning of what was left out
MANY = 20


class Scenario(NamedTuple):
    """A script, and what must be true when it was followed."""

    says: str
    script: Callable[[Agent], Sequence[Step]]
    check: Callable[[Run], None]
    proxied: bool = True
    rules: bool = False
    counted: bool = False  # whether agents send the raw result somewhere before they ask a hook
    shown: int = 0  # the step that it is about
    native: bool = True  # whether what reaches the model without us is worth a number


def is_view(text: str) -> None:
    """The result is short, shows the error, says what is missing and where it is."""
    assert len(text) <= LIMIT + FRAME, f"{len(text)} characters reached the model"
    # In data that must stay what a schema says, there is no place for a marker between two records.
    assert MARK.search(text) or "shortened from" in text, f"no marker: {text[:300]!r}"
    assert ID.search(text), f"no id: {text[:300]!r}"


def shows_the_error(text: str) -> None:
    assert ERROR in text, f"no error line: {text[:300]!r} ... {text[-300:]!r}"


# -- commands ----------------------------------------------------------------------------------------------------------


def noisy(agent: Agent, size: int, status: int = 0) -> Call:
    """A command that says much, with an error in its middle."""
    return agent.shell(f"python3 talkative.py say {size} {status}")


def failing_checked(run: Run) -> None:
    text = run.result(0)
    is_view(text)
    if run.agent.most_said is None:
        shows_the_error(text)
    tells_the_status(run, text)


def tells_the_status(run: Run, text: str) -> None:
    status = run.agent.status
    assert status is None or status in text, f"no {status!r} in {text[:200]!r} ... {text[-200:]!r}"


def middle_checked(run: Run) -> None:
    is_view(run.result(0))
    shows_the_error(run.result(0))


def secret_checked(run: Run) -> None:
    for text in run.results[:2]:
        assert "REDACTED" in text, f"nothing was redacted: {text[:300]!r}"
        assert SECRET not in text


def directory_checked(run: Run) -> None:
    went, here, ended = run.result(0), run.result(1), run.result(2)
    del went
    expected = os.path.join(run.place.project, "sub") if run.agent.keeps_directory else run.place.project
    assert expected + "\n" in here + "\n", f"pwd is not {expected}: {here!r}"
    assert "both outputs" in ended
    assert "to the errors" in ended
    tells_the_status(run, ended)
    well = run.result(3)
    assert "all is well" in well
    assert not re.search(r"code:? [1-9]", well, re.IGNORECASE), f"what went well is called failed: {well!r}"


def rules_checked(run: Run) -> None:
    assert "8\n9" in run.result(0), f"what is allowed did not run: {run.result(0)[:300]!r}"
    is_view(run.result(1))
    assert not os.path.exists(os.path.join(run.place.home, "made")), "what is not allowed was run"


# -- tools of a server -------------------------------------------------------------------------------------------------


def patience(agent: Agent) -> Call:
    """Something to do while servers start: agents do not wait for them."""
    return agent.shell("sleep 2")


def report_checked(run: Run) -> None:
    is_view(run.result(1))
    shows_the_error(run.result(1))


def bare_checked(run: Run) -> None:
    """An agent that saves a server's result shows its own preview of it: what a server says leads us to no file."""
    if not run.agent.saves_results:
        report_checked(run)
    assert len(run.result(1)) <= LIMIT + FRAME


def records_checked(run: Run) -> None:
    text = run.result(1)
    is_view(text)
    assert "record 000000" in text, f"no record: {text[:300]!r}"


# -- fetching ----------------------------------------------------------------------------------------------------------


def omitted(text: str) -> tuple[str, int, int]:
    """The id and the lines which the hint of a view names."""
    found = HINT.search(text.replace('\\"', '"'))
    if not found:
        raise LookupError(f"no hint in {text[:500]!r}")
    identity, first, last = (group for group in found.groups() if group is not None)
    return identity, int(first), int(last)


def as_hinted(asked: Asked) -> Call:
    identity, first, last = omitted(asked.results[0])
    return Call("get_artifact", {"id": identity, "start_line": first, "end_line": last})


def a_part(asked: Asked) -> Call:
    identity, first, _ = omitted(asked.results[0])
    lines = {"start_line": first + BEYOND, "end_line": first + BEYOND + MANY - 1}
    return Call("get_artifact", {"id": identity, **lines})


def fetched_checked(run: Run) -> None:
    _, first, _ = omitted(run.result(0))
    hinted, part = run.result(1), run.result(2)
    # Lines count from one, what the command numbers from zero.
    assert LINE.format(first - 1) in hinted, f"the hinted lines did not come: {hinted[:300]!r}"
    assert "get_artifact(" in hinted, f"nothing says how to go on: {hinted[-300:]!r}"
    came = [int(number) for number in re.findall(r"^(\d{6}) the block", hinted, re.MULTILINE)]
    gaps = [number for number, after in pairwise(came) if after not in {number + 1, number + 3}]
    assert not gaps, f"of the hinted lines some are missing after {gaps[:3]}"
    begin = first + BEYOND - 1 - run.agent.lines_before
    for number in range(begin, begin + MANY):
        assert LINE.format(number) in part, f"line {number + 1} did not come: {part[:300]!r}"
    assert LINE.format(first + BEYOND + MANY) not in part


# -- files -------------------------------------------------------------------------------------------------------------


def read_checked(run: Run) -> None:
    """Lines that are numbered are numbered rightly, and wherever some are missing we say so, and nobody else."""
    text = run.result(0)
    assert len(text) <= PAGE + LINES_FRAME, f"{len(text)} characters reached the model"
    numbered = re.findall(r"^\s*(\d+)[\t:.→|]\s*line (\d+) of the file", text, re.MULTILINE)
    wrong = [pair for pair in numbered if pair[0] != pair[1]]
    assert not wrong, f"lines are numbered wrongly: {wrong[:3]}"
    shown = re.findall(r"line (\d+) of the file|\[\.\.\. ?\d+ ?(lines|ln)\]", text)
    assert shown, f"no line of the file: {text[:300]!r}"
    for (before, _), (after, _) in pairwise(shown):
        assert not (before and after) or int(after) == int(before) + 1, f"{after} after {before}, without a word"


def in_project(asked: Asked, name: str) -> str:
    """A path in the project, whose own the first result names, or the request: some agents want whole ones."""
    found = re.search(r"/\S*/project", asked.results[0]) or OWN_PROJECT.search(asked.text)
    if found is None:
        raise LookupError(f"no project in {asked.results[0][:200]!r}")
    return os.path.join(found[0], name)


def writes_what_it_saw(agent: Agent) -> list[Step]:
    return [
        agent.shell("pwd"),
        noisy(agent, 300_000),
        lambda asked: agent.write(in_project(asked, "copied.log"), asked.results[1]),
        lambda asked: agent.write(in_project(asked, "plain.py"), "a = [1, 2]\n"),
    ]


def marks_checked(run: Run) -> None:
    """What holds a mark is not written, and the model is told how to get what it lacks; anything else is written."""
    is_view(run.result(1))
    stopped = run.result(2)
    assert "Nothing was written" in stopped, f"a mark was written: {stopped[:300]!r}"
    assert "get_artifact(id=" in stopped, f"nothing says how to go on: {stopped[:500]!r}"
    assert not os.path.exists(os.path.join(run.place.project, "copied.log")), "a file holds marks"
    plain = os.path.join(run.place.project, "plain.py")
    assert os.path.exists(plain), f"a plain file was not written: {run.result(3)[:300]!r}"


LINES_FRAME = 12_000  # numbers before lines are the agent's

SCENARIOS = {
    "failing": Scenario("a failing command says 300 KB", lambda agent: [noisy(agent, 300_000, 3)], failing_checked),
    "ending": Scenario(
        "the same with an ending of its own",
        lambda agent: [agent.shell("trap 'echo bye' EXIT; python3 talkative.py say 300000 3; exec sh -c 'exit 3'")],
        failing_checked,
    ),
    "middle": Scenario("a command says 20 KB", lambda agent: [noisy(agent, 20_000)], middle_checked),
    "secret": Scenario(
        "commands that work and fail say a secret, in few words",
        lambda agent: [noisy(agent, 1_000), noisy(agent, 1_000, 3)],
        secret_checked,
    ),
    "mcp": Scenario(
        "a tool behind the proxy says 300 KB",
        lambda agent: [patience(agent), Call("report", {})],
        report_checked,
        shown=1,
    ),
    "records": Scenario(
        "the same with structured content",
        lambda agent: [patience(agent), Call("records", {})],
        records_checked,
        shown=1,
    ),
    "bare": Scenario(
        "a tool of a server without the proxy says 300 KB",
        lambda agent: [patience(agent), Call("report", {})],
        bare_checked,
        proxied=False,
        counted=True,
        shown=1,
    ),
    "fetch": Scenario(
        "the model fetches what was left out, in the same run",
        lambda agent: [noisy(agent, *((300_000, 3) if agent.most_said is None else (40_000, 0))), as_hinted, a_part],
        fetched_checked,
        native=False,
    ),
    "directory": Scenario(
        "`cd` and status stay as they are without us",
        lambda agent: [
            agent.shell("cd sub"),
            agent.shell("pwd"),
            agent.shell("echo both outputs; echo to the errors >&2; exit 3"),
            agent.shell("set -eu; echo all is well"),
        ],
        directory_checked,
        native=False,
    ),
    "rules": Scenario(
        "what a rule allows runs, and what none allows does not",
        lambda agent: [agent.shell("seq 1 9"), agent.shell("seq 1 60000"), agent.shell("touch ~/made")],
        rules_checked,
        rules=True,
        native=False,
    ),
    "marks": Scenario(
        "the model writes what it saw of a long result into a file",
        writes_what_it_saw,
        marks_checked,
        native=False,
        shown=1,
    ),
    "read": Scenario("a file of 3,000 lines is read", lambda agent: [agent.read(FILE)], read_checked, counted=True),
}
