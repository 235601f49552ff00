"""A call of a hook: what an agent waits for, over the start of the interpreter alone; short results: `startup.py`."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence

from measuring import bare_python, child_cpu, log_of, row

SPILL = os.path.join(os.path.dirname(sys.executable), "spill")
RUNS = 15


def main() -> None:
    bare = bare_python()
    with tempfile.TemporaryDirectory() as root:
        os.mkdir(os.path.join(root, ".git"))
        for name, size in (("20 KB", 20_000), ("300 KB", 300_000)):
            cpu = child_cpu([SPILL, "hook", "claude-code"], stdin=event(root, log_of(size)))
            row(f"hook, {name}, CPU over bare python", f"{cpu / bare:.2f}x", f"{(cpu - bare) * 1000:.0f} ms are ours")
        before = child_cpu([SPILL, "hook", "codex"], stdin=command(root))
        row("hook before a command (codex), CPU over bare python", f"{before / bare:.2f}x", "")
        plain, read = waited(["bash", "-c", "echo hello"], root), waited(["bash", "-c", sourced(root)], root)
        row(
            "a command in a shell that is read, wall",
            f"+{(read - plain) * 1000:.0f} ms",
            f"{plain * 1000:.1f} ms plain",
        )


def event(root: str, text: str) -> bytes:
    """A result as Claude Code sends it."""
    said = {"hook_event_name": "PostToolUse", "session_id": "7", "cwd": root, "tool_name": "Bash"}
    response = {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
    return json.dumps(said | {"tool_input": {"command": "make"}, "tool_response": response}).encode()


def command(root: str) -> bytes:
    """A command as Codex sends it."""
    said = {"hook_event_name": "PreToolUse", "session_id": "7", "cwd": root, "tool_name": "Bash"}
    return json.dumps(said | {"tool_input": {"command": "make"}}).encode()


def sourced(root: str) -> str:
    """A command after the line that begins reading."""
    from overspill.agents.hooks.shell import SCRIPT

    return f". {SCRIPT} {root} 7 {SPILL}\necho hello"


def waited(line: Sequence[str], root: str) -> float:
    """Seconds until a command is over, at best."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    times = []
    for _ in range(RUNS):
        started = time.perf_counter()
        subprocess.run(line, cwd=root, env=environment, stdout=subprocess.PIPE, check=True)
        times.append(time.perf_counter() - started)
    return min(times)


if __name__ == "__main__":
    main()
