"""Views by others: jobs as JSON lines in, views as JSON lines out. Runs in an environment of the others' own.

Each is called the way its own door calls it, with the budget where it takes one; none reaches the network.
"""

import importlib
import json
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

PER_TOKEN = 4
PATIENCE = 20
"""Seconds of work that one output may take; after that it was not answered."""
BUSY = 3
"""So many times as long may it take by the clock: the machine may have more to do."""
ALL_DAY = 840
"""Seconds that all outputs may take together."""


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


def tokenjuice(path: str) -> str:
    """Its command, which takes no budget."""
    main = os.environ["TOKENJUICE"]
    done = subprocess.run(
        ["node", main, "reduce", path, "--no-stats"],
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE * BUSY,
    )
    return done.stdout


def rtk(path: str) -> str:
    """`rtk pipe`, which finds out by itself what it reads and takes no budget."""
    with open(path, "rb") as file, tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            [os.path.join(os.path.dirname(sys.executable), "rtk"), "pipe"],
            stdin=file, capture_output=True, check=True, timeout=PATIENCE * BUSY, env=dict(os.environ) | {"HOME": home},
        )  # fmt: skip
    return done.stdout.decode("utf-8", "replace")


def compressor(path: str, text: str, limit: int) -> str:
    """mcp-compressor in front of a server that reads files aloud; its `shrinkfit` is the budget."""
    from mcp_compressor import core

    del text
    server = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reader.py")
    backend = core.BackendConfig("reader", sys.executable, [server])
    config = core.CompressedSessionConfig(compression_level="low", shrinkfit=limit, bridge=False)
    session = core.start_compressed_session(config, [backend])
    tool = next(one["name"] for one in session.list_tools() if "invoke" in one["name"])
    said = str(session.invoke(tool, {"tool_name": "read", "tool_input": {"path": path}}))
    content = json.loads(said).get("content") if said.startswith("{") else None
    return str(content[0]["text"]) if content else said


RIVALS: dict[str, Callable[[str, str, int], str]] = {
    "deepagents": deepagents,
    "tooltrim": tooltrim,
    "headroom-ai": lambda path, text, _: headroom(path, text),
    "tokenjuice": lambda path, _text, _limit: tokenjuice(path),
    "rtk": lambda path, _text, _limit: rtk(path),
    "mcp-compressor": compressor,
}


TAKES_NO_BUDGET = frozenset({"deepagents", "headroom-ai", "tokenjuice", "rtk"})
IMPORTED = {"deepagents": "deepagents.middleware._message_eviction", "tooltrim": "tooltrim", "headroom-ai": "headroom"}
"""What is imported once, before a process is forked for every output; mcp-compressor has threads and is not."""


def make_view(job: dict[str, object], answers: "Connection[dict[str, object], None]") -> None:
    """One view, sent back from a process of its own, which leads what it starts."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE))
    path = str(job["path"])
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    began = time.perf_counter()
    try:
        view = RIVALS[str(job["strategy"])](path, text, int(str(job["limit"])))
        answers.send({"view": view, "seconds": time.perf_counter() - began})
    except Exception as error:  # noqa: BLE001 - a rival that fails on an output has told nothing of it
        answers.send({"view": "", "failed": f"{type(error).__name__}: {error}"[:300]})


def end_all(maker: "BaseProcess") -> None:
    """End a process and those that it started."""
    maker.kill()
    if maker.pid is not None:
        with suppress(ProcessLookupError):
            os.killpg(maker.pid, signal.SIGKILL)
    maker.join()


def bounded_view(job: dict[str, object], patience: float) -> dict[str, object]:
    """A view, if it is made in time. Native code hears no alarm, so the process that makes it is ended."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    maker = multiprocessing.get_context("fork").Process(target=make_view, args=(job, theirs))
    maker.start()
    theirs.close()
    try:
        heard = patience > 0 and ours.poll(patience)
        return dict(ours.recv()) if heard else {"view": "", "failed": f"no answer after {patience:.0f} s"}
    except EOFError:
        return {"view": "", "failed": "it died"}
    finally:
        end_all(maker)


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what they print is not an answer
    known: dict[tuple[object, ...], dict[str, object]] = {}
    began = time.monotonic()
    for line in sys.stdin:
        job = json.loads(line)
        strategy = str(job["strategy"])
        if strategy in IMPORTED:
            importlib.import_module(IMPORTED[strategy])
        asked = (job["path"], 0 if strategy in TAKES_NO_BUDGET else job["limit"])
        if asked not in known:
            known[asked] = bounded_view(job, min(PATIENCE * BUSY, ALL_DAY - (time.monotonic() - began)))
        print(json.dumps(known[asked]), file=answers, flush=True)


if __name__ == "__main__":
    main()
