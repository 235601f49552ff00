"""Sessions for the page, made through `fit` and `get` as doors make them, and what the page holds of them."""

import json
import os
import random
import re
from pathlib import Path

from overspill import Overspill

HOSTILE = (
    "<script>window.hacked = 1</script>\n"
    "<img src=x onerror='window.hacked = 2'>\n"
    "</script><script>window.hacked = 3</script><!-- ]]> &lt;b&gt;\n"
    "javascript:window.hacked=4 \u202egnp.exe\u2066 \u0000 \u001b[31mred\u001b[0m \ud83d\ude00\n"
)
MARKER = "zebra-crossing-77"  # a word of results and commands that no page without texts may hold


def reader_environ(home: Path) -> dict[str, str]:
    """What a command that reports is started with, and what was compiled for all."""
    return {"HOME": str(home), "PATH": "/usr/bin:/bin", "XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"]}


def server_log(lines: int, chance: random.Random) -> str:
    """A log with a few errors and one fatal line in it."""
    rows = [
        f"2026-11-17 08:{n // 60 % 60:02d}:{n % 60:02d} INFO  worker-{n % 7} handled request {chance.randrange(10**6)}"
        for n in range(lines)
    ]
    for _ in range(3):
        rows.insert(chance.randrange(lines), "2026-11-17 08:12:01 ERROR worker-3 connection to db-2 refused: timeout")
    rows.insert(lines // 2, f"FATAL: worker-3 gave up: {MARKER}")
    return "\n".join(rows) + "\n"


def failed_tests(count: int) -> str:
    """What a run of tests says of which one failed."""
    rows = [f"tests/test_{n % 40}.py::test_case_{n} PASSED" for n in range(count)]
    rows += [
        "___ test_case_77 ___",
        ">       assert total(3) == 6",
        "E       assert 5 == 6",
        "tests/test_7.py:31: Error",
    ]
    return (
        "\n".join([*rows, "FAILED tests/test_7.py::test_case_77", f"=== 1 failed, {count} passed in 12.3s ==="]) + "\n"
    )


def make_session(
    root: Path, calls: int, *, seed: int = 7, agent: str = "claude-code", session: str = "demo"
) -> Overspill:
    """A session of so many calls: short ones, long ones, failures, secrets, fetches and texts that mean harm."""
    chance = random.Random(seed)
    spill = Overspill(preset="agent", root=str(root), session=session)
    spill.workspace.origin["agent"] = agent
    long = [server_log(size, chance) for size in (200, 900, 2_000)]
    code = "".join(f"def function_{n}(x):\n    return x * {n}\n\n" for n in range(300))
    secret = 'password = "hunter-Zx9!77"\n'
    for number in range(calls):
        kind = chance.random()
        if kind < 0.6:
            fitted = spill.fit("ok\n" * chance.randrange(1, 300), tool="bash", source=f"make step-{number}")
        elif kind < 0.8:
            fitted = spill.fit(
                chance.choice(long), tool="bash", source=f"tail {MARKER} {number % 40}.log", is_error=kind < 0.64
            )
        elif kind < 0.88:
            fitted = spill.fit(failed_tests(400), tool="bash", source=f"pytest -q {number % 9}", is_error=True)
        elif kind < 0.95:
            fitted = spill.fit(code, tool="read_file", source="src/big.py")
        else:
            fitted = spill.fit(secret + HOSTILE * 3 + long[0], tool="mcp__db__<b>query</b>", source=HOSTILE[:60])
        if number % 97 == 96:
            spill.workspace.tell("compact", {"agent": agent, "door": "hook", "trigger": "auto"})
        if fitted.artifact_id and chance.random() < 0.15:
            first = chance.randrange(20, 90)
            spill.get(fitted.artifact_id, lines=(first, first + chance.randrange(5, 60)))
    return spill


def data_in(page: str, name: str = "data") -> object:
    """A block of data of a page."""
    found = re.search(rf'<script type="application/json" id="{name}">(.*?)</script>', page, re.DOTALL)
    assert found is not None, name
    return json.loads(found[1])


def make_long_session(root: Path, calls: int) -> None:
    """A session of very many calls, of which one in eight is cut: by the strategies that cost least."""
    chance = random.Random(3)
    spill = Overspill(root=str(root), session="long")
    spill.workspace.origin["agent"] = "claude-code"
    rows = [f"{number:06d} a row that says {chance.randrange(10**6)}\n" for number in range(4_000)]
    for number in range(calls):
        tool = chance.choice(("bash", "bash", "read_file", "grep"))
        if number % 8:
            spill.fit("ok\n" * chance.randrange(1, 900), tool=tool, source=f"step {number}", is_error=number % 97 == 0)
            continue
        first = chance.randrange(3_000)
        fitted = spill.fit(
            "".join(rows[first : first + chance.randrange(400, 900)]), tool=tool, source=f"rows {number}"
        )
        if fitted.artifact_id and number % 64 == 0:
            spill.get(fitted.artifact_id, lines=(210, 260))
