"""The table of events on the page about the journal is what the code writes."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from doors_kit import Shell, ok
from overspill import Overspill
from overspill.journal.statistics import History

PAGE = Path(__file__).parents[2] / "docs" / "journal.md"
LONG = "a line of some length, as logs have them\n" * 1_000
COMMON = {"ts", "event", "session_id", "pid", "version"}


class Unreadable:
    """What cannot even be asked whether it can be read."""

    @property
    def read(self) -> None:
        raise RuntimeError("no")


def broken() -> Iterator[str]:
    yield LONG
    raise RuntimeError("the tool broke off")


def documented() -> dict[str, tuple[set[str], set[str]]]:
    """The facts of each event: those always there, and those sometimes there."""
    found: dict[str, tuple[set[str], set[str]]] = {}
    for name, facts in re.findall(r"^\| `(\w+)` \|[^|]*\| (.*) \|$", PAGE.read_text(), re.MULTILINE):
        always, sometimes = set[str](), set[str]()
        if base := re.match(r"as `(\w+)`", facts):
            always, sometimes = set(found[base[1]][0]), set(found[base[1]][1])
        for fact, optional in re.findall(r"`(\w+)`(?: \([^)]*\))?(\??)", facts[base.end() if base else 0 :]):
            (sometimes if optional else always).add(fact)
        found[name] = always, sometimes
    return found


def everything(home: Path) -> Path:
    """A root in which everything has happened."""
    shell = Shell(home, OVERSPILL_TOOLS__TRUNCATION__ARTIFACTS__SESSION_QUOTA="100000")
    settings = {
        "tools.truncation.artifacts.session_quota": 100_000,
        "tools.truncation.max_artifact_size": 60_000,
        "journal.thresholds.artifact_size": 1_000,
    }
    spill = Overspill(settings, root=str(shell.root))
    ids = [str(spill.fit(LONG, tool="bash", call_id="call_1").artifact_id) for _ in range(4)]
    spill.fit("short password=h7Xk2pQ9vL", tool="bash", call_id="call_2")
    spill.fit(LONG * 2, tool="bash")
    spill.fit(broken(), tool="bash")
    spill.fit(Unreadable(), tool="bash")
    spill.fit("[" + "1, " * 40_000 + "oops", tool="bash", content_type="application/json")
    spill.get(ids[-1], lines=(1, 2))
    spill.get(ids[-1], limit=100)
    ok(shell.spill("artifacts", "export", ids[-1], str(home / "out")))
    ok(shell.spill("artifacts", "export", ids[-1], "-"))
    ok(shell.spill("mcp", "serve", stdin='{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n'))
    compacted = {"sessionId": "s", "cwd": str(shell.root), "trigger": "auto"}
    ok(shell.spill("hook", "copilot", stdin=json.dumps(compacted), root=False))
    ok(shell.spill("session", "start", "work"))
    shell.put(LONG)
    ok(shell.spill("session", "end"))
    (home / "taken").touch()
    bucket = f"file://{home / 'taken'}/bucket"
    ok(Shell(home, OVERSPILL_TOOLS__TRUNCATION__ARTIFACTS__STORE=bucket).spill("fit", stdin=LONG))
    assert shell.spill("artifacts", "show", "../x").status == 2
    ok(shell.spill("artifacts", "rm", ids[-1]))
    ok(shell.spill("artifacts", "clean"))
    return shell.root / ".acode" / "logs"


def test_the_page_describes_every_event_and_every_fact(tmp_path: Path) -> None:
    written: dict[str, list[set[str]]] = {}
    for event in History(str(everything(tmp_path))):
        assert set(event) >= COMMON
        written.setdefault(str(event["event"]), []).append(set(event) - COMMON)
    page = documented()
    assert set(page) == set(written)
    for name, (always, sometimes) in page.items():
        for facts in written[name]:
            assert always <= facts <= always | sometimes, name
