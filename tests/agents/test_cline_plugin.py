"""Cline's plugin, run by Node: it replaces results in the shape they have, stops writes, and brings tools."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, cast

import pytest

from overspill.agents.install import Around
from overspill.agents.install.tables import cline_targets
from overspill.retrieve.tools import TOOLS

every_node = pytest.mark.parametrize("node", [name for name in ("node",) if shutil.which(name)])
CALL = """
import plugin from {plugin!r}
const tools = []
plugin.setup({{ registerTool: ({{ name }}) => tools.push(name) }}, {{ session: {{ sessionId: "s" }} }})
const call = (toolName) => ({{ toolName, toolCallId: "1" }})
const after = (output, input = {{}}) =>
  plugin.hooks.afterTool({{ toolCall: call("run_commands"), input, result: {{ output, isError: false }} }})
const before = (new_text) => plugin.hooks.beforeTool({{ toolCall: call("editor"), input: {{ path: "a", new_text }} }})
console.log(JSON.stringify(await (async () => {{ {script} }})() ?? null))
process.exit(0)
"""
ENTRY = {"query": "make", "result": "all is well", "success": True}


def run_plugin(node: str, root: Path, answer: str, script: str) -> Any:  # noqa: ANN401  # what a script gives
    """What a script makes of the plugin, whose hook is a program that keeps the event and answers."""
    program, file, call = root / "spill", root / "overspill.mjs", root / "call.mjs"
    serving = '[ "$1" = hook ] || exec cat > $0.said'
    program.write_text(f"#!/bin/sh\n{serving}\ncat > $0.$$\ngrep -q opening $0.$$ || mv $0.$$ $0.event\n{answer}\n")
    program.chmod(0o700)
    around = Around(str(root), {"HOME": str(root)}, is_global=False, program=(str(program),))
    file.write_text(str(cline_targets(around)[0].entries[0].value))
    call.write_text(CALL.format(plugin=str(file), script=script))
    done = subprocess.run([node, str(call)], capture_output=True, text=True, timeout=60, check=True, cwd=root)
    return json.loads(done.stdout)


@every_node
@pytest.mark.parametrize(
    ("output", "shown"),
    [
        ([ENTRY], [{"result": "a view"}]),
        ("all is well", "a view"),
        ({"error": "all is well"}, {"error": "a view"}),
    ],
)
def test_a_view_takes_the_place_of_a_result_in_its_own_shape(
    tmp_path: Path, node: str, output: object, shown: object
) -> None:
    script = f'return after({json.dumps(output)}, {{ commands: ["make"] }})'
    answer = """echo '{"content": [{"result": "a view"}], "output": "a view"}'"""
    assert run_plugin(node, tmp_path, answer, script) == {"result": {"output": shown, "isError": False}}
    event = json.loads((tmp_path / "spill.event").read_text())
    assert event["args"] == {"commands": ["make"], "command": "make"}
    assert (event["sessionID"], event["directory"]) == ("s", str(tmp_path))


@every_node
@pytest.mark.parametrize("answer", ["exit 3", "echo no JSON", "kill -9 $$", "sleep 9"])
@pytest.mark.parametrize("output", [[ENTRY], "all is well", {"error": "all is well"}])
def test_a_result_that_the_hook_gave_no_answer_to_in_time_is_not_shown(
    tmp_path: Path, node: str, answer: str, output: object
) -> None:
    """Cline waits for three seconds, and then ends the run."""
    said = json.dumps(run_plugin(node, tmp_path, answer, f"return after({json.dumps(output)})"))
    assert "could not be shown" in said
    assert "all is well" not in said


@every_node
def test_what_is_well_stays_as_it_is(tmp_path: Path, node: str) -> None:
    assert run_plugin(node, tmp_path, "echo '{}'", f"return after({json.dumps([ENTRY])})") is None


@every_node
@pytest.mark.parametrize(("text", "stopped"), [("a = [1, 2]", False), ("[... 131 lines]", True)])
def test_only_a_write_that_may_hold_a_mark_is_asked_about_and_it_is_stopped(
    tmp_path: Path, node: str, text: str, stopped: bool
) -> None:
    said = run_plugin(node, tmp_path, """echo '{"stop": "no"}'""", f"return before({json.dumps(text)})")
    assert said == ({"skip": True, "reason": "no"} if stopped else None)


@every_node
def test_a_server_is_kept_while_it_lasts_and_is_told_of_the_tools(tmp_path: Path, node: str) -> None:
    """Beside it is a reader; and what our tools take of the context is told by whoever lists them."""
    wait = "await new Promise((resolve) => setTimeout(resolve, 1500)); return tools.length"
    assert run_plugin(node, tmp_path, "echo '{}'", wait) == len(TOOLS)
    asked = [json.loads(line).get("method") for line in (tmp_path / "spill.said").read_text().splitlines()]
    assert asked == ["initialize", "notifications/initialized", "tools/list"]


@every_node
def test_it_brings_the_tools_that_fetch(tmp_path: Path, node: str) -> None:
    names = cast("list[str]", run_plugin(node, tmp_path, "echo '{}'", "return tools"))
    assert names == [f"overspill_{tool.name}" for tool in TOOLS]
