"""Faults at more doors, for `loss_torture.py`: stores that fail, async sources, hooks, and the servers of a proxy."""

import asyncio
import errno
import json
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

from doors_kit import Shell
from hook_events import WAYS, Way, told
from overspill import Artifact, MemoryStore, Overspill, limited
from overspill.core.report import Fitted
from overspill.errors import QuotaExceeded, StoreError, ToolError
from overspill.store import Label
from overspill.store.memory import MemoryWriter
from spill_process import SPILL, run_spill

KEPT = re.compile(r"art_[a-z0-9_]+")
SAID = (
    "not kept",
    "could not be kept",
    "withheld",
    "cannot be read",
    "ended with status",
    "was ended by",
    "no longer reads",
)


def lines(count: int, start: int = 0) -> str:
    return "".join(f"line {number} of what was said\n" for number in range(start, start + count))


def is_accounted(spill: Overspill, fitted: Fitted, came: str) -> bool:
    """Whether a text is shown whole, kept whole, or said not to be kept."""
    if fitted.artifact_id:
        return spill.store.read(fitted.artifact_id).decode() == came
    return came in fitted.text or bool(fitted.report.not_kept)


class FailingStore(MemoryStore):
    """A store that fails now and then: when it is asked to keep, when it is written to, or when it should be sure."""

    def __init__(self, draw: random.Random) -> None:
        super().__init__()
        self.draw = draw

    def fail(self) -> None:
        if self.draw.random() < 0.3:
            raise self.draw.choice(
                [
                    StoreError("the shelf is full; see --help"),
                    QuotaExceeded("too many artifacts"),
                    OSError(errno.ENOSPC, "No space left on device"),
                    OSError(errno.EIO, "Input/output error"),
                ]
            )

    def save(self, artifact: Artifact, content: bytes) -> None:
        self.fail()
        super().save(artifact, content)

    def open(self, label: Label, *, keep_ends: int | None = None) -> MemoryWriter:
        self.fail()
        return FailingWriter(self, label, keep_ends)

    def remember(self, digest: str, ceiling: int) -> None:
        self.fail()
        super().remember(digest, ceiling)


class FailingWriter(MemoryWriter):
    """A writer of that store."""

    def write(self, content: bytes) -> None:
        if isinstance(self._store, FailingStore) and self._store.draw.random() < 0.1:
            self._store.fail()
        super().write(content)


def failing_stores(draw: random.Random, _: Path, runs: int) -> Iterator[tuple[str, bool]]:
    """Results whole, in chunks and as documents, into a store that fails at random points."""
    for number in range(runs):
        spill = Overspill(store=FailingStore(draw), preset=draw.choice(["spec", "agent"]))
        pieces = [lines(draw.choice([1, 300, 60_000]), 9 * one) for one in range(draw.randint(1, 4))]
        came = "".join(pieces)
        output: object = draw.choice([came, came.encode(), iter(pieces)])
        if draw.random() < 0.3:
            came = json.dumps([{"id": one, "text": "x" * 30} for one in range(draw.choice([300, 30_000]))])
            output = draw.choice([came, iter([came[:1_000], came[1_000:]])])
        fitted = spill.fit(output, budget=draw.choice([None, 300, 2_000]))
        is_bounded = len(fitted.text) <= 8_000
        yield f"store {number}, {len(came)} characters", is_bounded and is_accounted(spill, fitted, came)


def async_sources(draw: random.Random, _: Path, runs: int) -> Iterator[tuple[str, bool]]:
    """Async generators that fail at random points: through `afit`, and as a tool of `limited`."""

    async def talking(pieces: list[str], error: Exception | None) -> AsyncIterator[str]:
        for piece in pieces:
            await asyncio.sleep(0)
            yield piece
        if error is not None:
            raise error

    for number in range(runs):
        spill = Overspill(store=MemoryStore(), preset=draw.choice(["spec", "agent"]))
        pieces = [lines(draw.choice([1, 40, 3_000]), 9 * one) for one in range(draw.randint(0, 6))]
        error = draw.choice([None, ValueError("no"), ConnectionError("gone"), TimeoutError()])
        came = "".join(pieces)
        if draw.random() < 0.6:
            fitted = asyncio.run(spill.afit(talking(pieces, error), budget=draw.choice([None, 200])))
            is_told = error is None or type(error).__name__ in fitted.report.ended
            yield f"async {number}", is_told and is_accounted(spill, fitted, came)
            continue

        text = asyncio.run(said_by_tool(spill, talking(pieces, error)))
        yield f"async tool {number}", is_in_reach(came, text, kept_text(spill))


async def said_by_tool(spill: Overspill, source: AsyncIterator[str]) -> str:
    """What a tool says that is an async generator, or what its failure says."""

    @limited(spill=spill)
    async def tool() -> AsyncIterator[str]:
        async for piece in source:
            yield piece

    try:
        return str(await tool())
    except ToolError as failure:
        return str(failure)
    except (ValueError, ConnectionError, TimeoutError):
        return ""  # nothing had come


def kept_text(spill: Overspill) -> Callable[[str], str]:
    """What fetches an artifact of a program's own."""
    return lambda name: spill.get(name, limit=0).text


def is_in_reach(came: str, answer: str, fetch: Callable[[str], str]) -> bool:
    """Whether a text stands in an answer, can be fetched by an id in it, or is said not to be kept."""
    if came in answer or any(words in answer for words in SAID):
        return True
    return any(came in fetch(name) for name in KEPT.findall(answer))


def faults_in_hooks(draw: random.Random, home: Path, runs: int) -> Iterator[tuple[str, bool]]:
    """Results through the hook of every agent: short and long, and where nothing can be kept."""
    for number in range(runs):
        name, way = draw.choice(list(WAYS.items()))
        shell = Shell(home, f"hook{number}")
        (shell.root / ".agent").mkdir()
        has_place = draw.random() < 0.6
        if not has_place:
            (shell.root / ".acode").write_text("in the way")
            shell.environ["XDG_STATE_HOME"] = "/dev/null/nowhere"
        came = lines(draw.choice([3, 300, 20_000]))
        answer = hook_answer(shell, way, came)
        where = "" if has_place else ", no place"
        good = answer.strip() in {"", "{}"} or is_in_reach(came, answer, exported_text(shell))
        yield f"hook {number}, {name}, {len(came)} characters{where}", good and len(answer) < 60_000


def exported_text(shell: Shell) -> Callable[[str], str]:
    """What fetches an artifact by the command line."""

    def fetch(name: str) -> str:
        return run_spill("artifacts", "export", name, "-", cwd=shell.root, env=shell.environ).stdout.decode()

    return fetch


def hook_answer(shell: Shell, way: Way, came: str) -> str:
    """What the hook says, with its texts as they are meant, not as JSON spells them."""
    return told(shell, way.agent, way.event(came, shell.root)).replace("\\n", "\n")


SERVER = """
import json, os, random, sys
draw = random.Random(int(sys.argv[1]))
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    answer = {"jsonrpc": "2.0", "id": asked["id"], "result": {}}
    if asked["method"] == "initialize":
        answer["result"] = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                            "serverInfo": {"name": "u", "version": "1"}}
    elif asked["method"] == "tools/call":
        count = asked["params"]["arguments"]["count"]
        text = "".join(f"line {number} of what was said\\n" for number in range(count))
        answer["result"] = {"content": [{"type": "text", "text": text}], "isError": draw.random() < 0.2}
        fate = draw.random()
        if fate < 0.1:
            answer = {"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -1, "message": text}}
        elif fate < 0.2:
            words = json.dumps(answer)
            sys.stdout.write(words[: draw.randrange(len(words))])
            sys.stdout.flush()
            os._exit(3)
        elif fate < 0.25:
            os.kill(os.getpid(), 9)
        elif fate < 0.35:
            print("a line of a log that is no message")
    print(json.dumps(answer), flush=True)
"""


class ProxyClient:
    """A client of a proxy in front of a server that fails."""

    def __init__(self, shell: Shell, seed: int) -> None:
        server = shell.root / "server.py"
        server.write_text(SERVER)
        self.process = subprocess.Popen(
            [SPILL, "mcp", "proxy", "--", sys.executable, str(server), str(seed)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=shell.root,
            env=shell.environ,
        )
        self.ask(0, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c"}})

    def ask(self, number: int, method: str, params: object) -> str:
        """The line with the answer; "" if there is none."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().decode()

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()


def failing_servers(draw: random.Random, home: Path, runs: int) -> Iterator[tuple[str, bool]]:
    """Tool calls through the proxy, to servers that fail, break off, die and talk aside: each is answered."""
    number = 0
    while number < runs:
        shell = Shell(home, f"proxy{number}")
        client = ProxyClient(shell, draw.randrange(1 << 30))
        for _ in range(6):
            number += 1
            count = draw.choice([3, 300, 9_000])
            started = time.monotonic()
            answer = json.loads(client.ask(number, "tools/call", {"name": "t", "arguments": {"count": count}}) or "{}")
            texts = json.dumps(answer, ensure_ascii=False).replace("\\n", "\n")
            good = answer.get("id") == number and is_in_reach(lines(count), texts, exported_text(shell))
            good = good and time.monotonic() - started < 60 and len(texts) < 60_000
            yield f"server {number}, {count} lines: {texts[:100]!r}", good
            if "error" in answer and any(words in texts for words in SAID):
                break
        client.close()


def interrupted_reading(draw: random.Random, home: Path, runs: int) -> Iterator[tuple[str, bool]]:
    """Standard output that takes nothing more at a random point: what was kept is still there, and nothing hangs."""
    shell = Shell(home)
    for number in range(runs):
        read, write = os.pipe()
        child = subprocess.Popen(
            [SPILL, "run", "--", "sh", "-c", "seq 1 20000; echo done > done"],
            stdout=write,
            stderr=subprocess.PIPE,
            cwd=shell.root,
            env=shell.environ,
        )
        os.close(write)
        os.read(read, draw.choice([1, 100, 4_000])) if draw.random() < 0.5 else time.sleep(draw.uniform(0, 0.5))
        os.close(read)
        _, err = child.communicate(timeout=60)
        kept = KEPT.findall(err.decode())
        whole = (
            run_spill("artifacts", "export", kept[-1], "-", cwd=shell.root, env=shell.environ).stdout if kept else b""
        )
        is_whole = whole == b"".join(b"%d\n" % one for one in range(1, 20_001))
        yield f"output closed, run {number}: {err[-90:]!r}", child.returncode == 0 and is_whole
