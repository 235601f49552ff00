"""opencode's plugin, run by Node: what it shows is what the hook says, and else a sentence."""

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from doors_kit import Shell
from overspill.agents.install import Around
from overspill.agents.install.tables import OPENCODE_PLUGIN, plugin_text
from reader_kit import cache_in, reader_at
from spill_process import SPILL


def around(program: Path) -> Around:
    """A project in which a program stands for `spill`."""
    return Around(str(program.parent), {"HOME": str(program.parent)}, is_global=False, program=(str(program),))


CALL = """
const {{ Overspill }} = await import({plugin!r})
const hooks = await Overspill({{ directory: {root!r} }})
const results = [
  {{ title: "t", output: "all is well", metadata: {{}} }},
  {{ content: [{{ type: "text", text: "all is well" }}], isError: false }},
]
for (const result of results) await hooks["tool.execute.after"]({{ sessionID: "s", tool: "bash", callID: "c" }}, result)
console.log(JSON.stringify(results))
"""


@pytest.mark.parametrize("node", [name for name in ("node",) if shutil.which(name)])
@pytest.mark.parametrize(
    ("script", "shown"),
    [
        ("echo '{}'", "all is well"),
        ("exit 3", "could not be shown"),
        ("echo no JSON", "could not be shown"),
        ("echo 7", "could not be shown"),
        ("kill -9 $$", "could not be shown"),
        (None, "all is well"),
    ],
)
def test_opencode_shows_no_result_that_the_hook_gave_no_answer_to(
    tmp_path: Path, node: str, script: str | None, shown: str
) -> None:
    """But one that nobody was to look at: a project's plugin is also read by those who have no `spill`."""
    program, plugin = tmp_path / "spill", tmp_path / "overspill.mjs"
    if script is not None:
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o700)
    plugin.write_text(plugin_text(around(program), "opencode", "opencode", OPENCODE_PLUGIN))
    call = tmp_path / "call.mjs"
    call.write_text(CALL.format(plugin=str(plugin), root=str(tmp_path)))
    done = subprocess.run([node, str(call)], capture_output=True, text=True, timeout=60, check=True)
    own, server = json.loads(done.stdout)
    assert shown in own["output"]
    assert shown in server["content"][0]["text"]
    assert "content" not in own
    assert "output" not in server


FAILED_CALLS = """
const {{ Overspill }} = await import({plugin!r})
const hooks = await Overspill({{ directory: {root!r} }})
const seen = []
for (const turn of [1, 2]) {{
  const state = {{ status: "error", input: {{}}, error: "all is not well" }}
  const failed = {{ type: "tool", sessionID: "s", tool: "x", callID: "c", state }}
  const other = {{ ...failed, callID: "d", state: {{ status: "completed", output: "a" }} }}
  const messages = [{{ parts: [failed, other, {{ type: "text", text: "b" }}] }}, {{}}]
  await hooks["experimental.chat.messages.transform"]({{}}, {{ messages }})
  seen.push([failed.state.error, other.state.output])
}}
console.log(JSON.stringify(seen))
"""


@pytest.mark.parametrize("node", [name for name in ("node",) if shutil.which(name)])
@pytest.mark.parametrize(
    ("script", "shown"),
    [
        ("""grep -q 'all is not well' && echo '{"output": "a view"}'""", "a view"),
        ("echo '{}'", "all is not well"),
        ("exit 3", "could not be shown"),
    ],
)
def test_the_error_of_a_call_is_looked_at_once_and_shown_so_in_every_request(
    tmp_path: Path, node: str, script: str, shown: str
) -> None:
    program, plugin, call = tmp_path / "spill", tmp_path / "overspill.mjs", tmp_path / "call.mjs"
    program.write_text(f"#!/bin/sh\necho >> {tmp_path}/asked\n{script}\n")
    program.chmod(0o700)
    plugin.write_text(plugin_text(around(program), "opencode", "opencode", OPENCODE_PLUGIN))
    call.write_text(FAILED_CALLS.format(plugin=str(plugin), root=str(tmp_path)))
    done = subprocess.run([node, str(call)], capture_output=True, text=True, timeout=60, check=True)
    for error, other in json.loads(done.stdout):
        assert shown in error
        assert other == "a"
    assert (tmp_path / "asked").read_text() == "\n"


ASK = """
const {{ Overspill }} = await import({plugin!r})
const hooks = await Overspill({{ directory: {root!r} }})
const result = {{ title: "t", output: "all is well\\n".repeat(3000), metadata: {{}} }}
await hooks["tool.execute.after"]({{ sessionID: "s", tool: "bash", callID: "c" }}, result)
console.log(JSON.stringify(result.output))
"""


def asked_plugin(node: str, shell: Shell, program: str) -> str:
    """What the plugin makes of a long result, where a program stands for `spill`."""
    plugin, call = shell.home / "overspill.mjs", shell.home / "call.mjs"
    plugin.write_text(plugin_text(around(Path(program)), "opencode", "opencode", OPENCODE_PLUGIN))
    call.write_text(ASK.format(plugin=str(plugin), root=str(shell.root)))
    done = subprocess.run([node, str(call)], capture_output=True, text=True, timeout=60, check=True, env=shell.environ)
    return str(json.loads(done.stdout))


@pytest.mark.parametrize("node", [name for name in ("node",) if shutil.which(name)])
def test_a_reader_is_asked_without_a_process_and_only_one_of_the_same_program(tmp_path: Path, node: str) -> None:
    cache = cache_in(tmp_path)
    shell = Shell(tmp_path, XDG_CACHE_HOME=str(cache))
    (shell.root / ".git").mkdir()
    other = shell.home / "spill"
    other.write_text('#!/bin/sh\necho \'{"output": "by a process"}\'\n')
    other.chmod(0o700)
    journal = shell.root / ".acode" / "logs" / "journal.jsonl"
    with reader_at(cache, shell.environ, shell.root) as reader:
        assert asked_plugin(node, shell, str(other)) == "by a process"
        assert "get_artifact" in asked_plugin(node, shell, SPILL)
        assert f'"pid":{reader.worker}' in journal.read_text().replace(" ", "")
        os.kill(reader.worker, signal.SIGSTOP)
        try:
            assert asked_plugin(node, shell, str(other)) == "by a process"
        finally:
            os.kill(reader.worker, signal.SIGCONT)
    cache.joinpath("overspill").chmod(0o755)  # not its user's alone
    assert asked_plugin(node, shell, str(other)) == "by a process"


@pytest.mark.parametrize("node", [name for name in ("node",) if shutil.which(name)])
def test_a_result_in_a_directory_that_is_gone_is_not_shown(tmp_path: Path, node: str) -> None:
    """A program that is there cannot be started in it, which looks as if there were none."""
    shell = Shell(tmp_path, XDG_CACHE_HOME=str(cache_in(tmp_path)))
    plugin, call = tmp_path / "overspill.mjs", tmp_path / "call.mjs"
    plugin.write_text(plugin_text(around(Path(SPILL)), "opencode", "opencode", OPENCODE_PLUGIN))
    call.write_text(CALL.format(plugin=str(plugin), root=str(tmp_path / "gone")))
    done = subprocess.run([node, str(call)], capture_output=True, text=True, timeout=60, check=True, env=shell.environ)
    assert "could not be shown" in json.loads(done.stdout)[0]["output"]
