"""Views by others: jobs as JSON lines in, views as JSON lines out. Runs in an environment of the others' own.

Each is called the way its own door calls it, with the budget where it takes one; none reaches the network.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache

PER_TOKEN = 4
PATIENCE = 15
"""Seconds that one output may take; after that it was not answered."""


def deepagents(path: str, text: str, limit: int) -> str:
    """What replaces an evicted tool result: five lines from either end, whatever the budget."""
    from deepagents.middleware._message_eviction import _render_too_large_tool_msg

    del path, limit
    said: str = _render_too_large_tool_msg(
        tool_call_id="call_1", file_path="/large_tool_results/call_1", content_str=text
    )
    return said


def tooltrim(path: str, text: str, limit: int) -> str:
    """`ToolCompressor`, which takes a budget in tokens."""
    import tooltrim as rival

    del path
    view: str = rival.ToolCompressor(max_tokens=limit // PER_TOKEN).compress(text).text
    return view


MIDDLE = 8_000


@cache
def headroom(path: str, text: str) -> str:
    """`compress` on a conversation that ends in the result; its learnt compressor needs a download and is off.

    The budget hardly moves it, and it is slow: once an output, for the middle budget.
    """
    from headroom import compress
    from headroom.compress import CompressConfig

    del path
    call = {"id": "call_1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "What went wrong?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": text},
    ]
    ratio = max(0.01, min(1.0, MIDDLE / max(1, len(text))))
    config = CompressConfig(protect_recent=0, kompress_model="disabled", target_ratio=ratio)
    done = compress(messages, model="gpt-4o", model_limit=MIDDLE // PER_TOKEN, config=config)
    return str(done.messages[-1]["content"])


@cache
def tokenjuice(path: str) -> str:
    """Its command, which takes no budget."""
    main = os.environ["TOKENJUICE"]
    done = subprocess.run(
        ["node", main, "reduce", path, "--no-stats"], capture_output=True, text=True, check=True, timeout=120
    )
    return done.stdout


@cache
def rtk(path: str) -> str:
    """`rtk pipe`, which finds out by itself what it reads and takes no budget."""
    with open(path, "rb") as file, tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            [os.path.join(os.path.dirname(sys.executable), "rtk"), "pipe"],
            stdin=file, capture_output=True, check=True, timeout=PATIENCE, env=dict(os.environ) | {"HOME": home},
        )  # fmt: skip
    return done.stdout.decode("utf-8", "replace")


class Compressor:
    """mcp-compressor in front of a server that reads files aloud; its `shrinkfit` is the budget."""

    def __init__(self) -> None:
        self.sessions: dict[int, object] = {}

    def __call__(self, path: str, text: str, limit: int) -> str:
        from mcp_compressor import core

        del text
        if limit not in self.sessions:
            server = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reader.py")
            backend = core.BackendConfig("reader", sys.executable, [server])
            config = core.CompressedSessionConfig(compression_level="low", shrinkfit=limit, bridge=False)
            self.sessions[limit] = core.start_compressed_session(config, [backend])
        session = self.sessions[limit]
        tool = next(one["name"] for one in session.list_tools() if "invoke" in one["name"])  # type: ignore[attr-defined]  # theirs has no types
        said = str(session.invoke(tool, {"tool_name": "read", "tool_input": {"path": path}}))  # type: ignore[attr-defined]
        content = json.loads(said).get("content") if said.startswith("{") else None
        return str(content[0]["text"]) if content else said


RIVALS: dict[str, Callable[[str, str, int], str]] = {
    "deepagents": deepagents,
    "tooltrim": tooltrim,
    "headroom-ai": lambda path, text, _: headroom(path, text),
    "tokenjuice": lambda path, _text, _limit: tokenjuice(path),
    "rtk": lambda path, _text, _limit: rtk(path),
    "mcp-compressor": Compressor(),
}


def too_late(*_: object) -> None:
    raise TimeoutError(f"no answer after {PATIENCE} s")


def main() -> None:
    signal.signal(signal.SIGALRM, too_late)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what they print is not an answer
    for line in sys.stdin:
        job = json.loads(line)
        with open(job["path"], encoding="utf-8", newline="") as file:
            text = file.read()
        began = time.perf_counter()
        signal.alarm(PATIENCE)
        try:
            answer: dict[str, object] = {"view": RIVALS[job["strategy"]](job["path"], text, job["limit"])}
        except Exception as error:  # noqa: BLE001 - a rival that fails on an output has told nothing of it
            answer = {"view": "", "failed": f"{type(error).__name__}: {error}"[:300]}
        signal.alarm(0)
        answer["seconds"] = time.perf_counter() - began
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
