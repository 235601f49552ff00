"""pi's extension, run by Node: it replaces results, stops writes, and brings the tools that fetch."""

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from doors_kit import Shell, ok
from overspill.agents.install import Around
from overspill.agents.install.tables import pi_targets
from overspill.retrieve.tools import TOOLS
from spill_process import SPILL

every_node = pytest.mark.parametrize("node", [name for name in ("node",) if shutil.which(name)])
CALL = """
import extension from {plugin!r}
import again from {again!r}
const handlers = {{}}, tools = {{}}, sent = []
const pi = {{
  on: (name, handler) => (handlers[name] ??= []).push(handler),
  registerTool: (tool) => (tools[tool.name] = tool),
  sendMessage: (...words) => sent.push(words),
}}
extension(pi)
again(pi)
const ctx = {{ cwd: {root!r}, sessionManager: {{ getSessionId: () => "s" }} }}
const fire = async (name, event) => {{
  const said = []
  for (const handler of handlers[name]) said.push(await handler(event, ctx))
  return said
}}
const text = (words) => [{{ type: "text", text: words }}]
console.log(JSON.stringify(await (async () => {{ {script} }})()))
process.exit(0)
"""
RESULT = """return fire("tool_result", {
  toolName: "bash", toolCallId: "1", input: {}, content: text("all is well"), isError: false, details: {},
})"""
WRITE = """return fire("tool_call", { toolName: "write", toolCallId: "2", input: { path: "a", content: %s } })"""
COMPACT = """await fire("session_compact", { reason: "threshold", compactionEntry: { id: "e" } }); return sent"""


def run_extension(
    node: str, root: Path, program: str, script: str, environ: Mapping[str, str] | None = None
) -> list[Any]:
    """What a script makes of the extension, which is loaded for the project and for the user."""
    around = Around(str(root), {"HOME": str(root)}, is_global=False, program=(program,))
    files = [root / "project.mjs", root / "user.mjs"]
    for file in files:
        file.write_text(str(pi_targets(around)[0].entries[0].value))
    call = root / "call.mjs"
    call.write_text(CALL.format(plugin=str(files[0]), again=str(files[1]), root=str(root), script=script))
    done = subprocess.run([node, str(call)], capture_output=True, text=True, timeout=60, check=True, env=environ)
    return cast("list[Any]", json.loads(done.stdout))


def fake_program(root: Path, script: str | None) -> str:
    program = root / "spill"
    if script is not None:
        program.write_text(f"#!/bin/sh\ncat > {root}/event; echo >> {root}/asked\n{script}\n")
        program.chmod(0o700)
    return str(program)


@every_node
@pytest.mark.parametrize(
    ("script", "shown"),
    [
        ("""echo '{"output": "a view"}'""", "a view"),
        ("echo '{}'", None),
        ("exit 3", "could not be shown"),
        ("echo no JSON", "could not be shown"),
        ("kill -9 $$", "could not be shown"),
        (None, None),
    ],
)
def test_a_result_is_what_the_hook_says_and_asked_about_once(
    tmp_path: Path, node: str, script: str | None, shown: str | None
) -> None:
    """But for one that nobody was to look at: a project's extension is also read by those who have no `spill`."""
    first, second = run_extension(node, tmp_path, fake_program(tmp_path, script), RESULT)
    assert second is None
    assert (first is None) == (shown is None)
    assert shown is None or shown in first["content"][0]["text"]
    assert script is None or (tmp_path / "asked").read_text() == "\n"


@every_node
@pytest.mark.parametrize(("text", "asked"), [("a = [1, 2]", False), ("[... 131 lines]", True)])
def test_only_a_write_that_may_hold_a_mark_is_asked_about_and_it_is_stopped(
    tmp_path: Path, node: str, text: str, asked: bool
) -> None:
    program = fake_program(tmp_path, """echo '{"stop": "no"}'""")
    first, _ = run_extension(node, tmp_path, program, WRITE % json.dumps(text))
    assert first == ({"block": True, "reason": "no"} if asked else None)
    assert (tmp_path / "asked").exists() == asked


@every_node
def test_after_a_compaction_the_next_prompt_tells_what_is_kept(tmp_path: Path, node: str) -> None:
    sent = run_extension(node, tmp_path, fake_program(tmp_path, """echo '{"context": "kept"}'"""), COMPACT)
    assert sent == [[{"customType": "overspill", "content": "kept", "display": False}, {"deliverAs": "nextTurn"}]]
    assert json.loads((tmp_path / "event").read_text())["trigger"] == "auto"


@every_node
def test_its_tools_fetch_what_was_kept_and_fail_as_tools_of_pi_fail(tmp_path: Path, node: str) -> None:
    shell = Shell(tmp_path)
    kept = ok(shell.spill("artifacts", "put", "-", stdin="one\ntwo\nthree\n")).out.split()[0]
    script = f"""
      const run = (name, args) => tools["overspill_" + name].execute("1", args, undefined, undefined, ctx)
      const lost = await run("get_artifact", {{ id: "art_0" }}).catch((error) => error.message)
      const got = await run("get_artifact", {{ id: {kept!r}, start_line: 2, end_line: 2 }})
      return [Object.keys(tools), got.content.map((part) => part.text).join(""), lost]"""
    names, got, lost = run_extension(node, shell.root, SPILL, script, shell.environ)
    assert names == [f"overspill_{tool.name}" for tool in TOOLS]
    assert "two" in got
    assert "three" not in got
    assert "art_0" in lost
