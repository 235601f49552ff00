"""Faults of every kind, through every door: each byte that came is shown, kept, or said to be lost.

    python tests/torture/loss_torture.py [--small] [--seed N] [SCENARIO ...]
    python tests/torture/loss_torture.py readers "signals in fit"

Prints how many runs there were of each kind (7,000 in all, more than an hour), and in how many of them bytes were lost
without a word: none.
"""

import argparse
import base64
import fcntl
import io
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "kits"))

from loss_doors import (
    async_sources,
    failing_servers,
    failing_stores,
    faults_in_hooks,
    interrupted_reading,
    is_accounted,
    lines,
)

from doors_kit import Shell, mapping
from hook_events import WAYS, told
from overspill import MemoryStore, Overspill
from overspill.mcp.results import CallInfo, limited_result
from overspill.settings.checks import Wrong
from overspill.settings.table import SETTINGS
from overspill.workspace import Workspace
from spill_process import SPILL, run_spill


class Tally(NamedTuple):
    """How many runs of one kind, and what was lost in them without a word."""

    runs: int
    lost: list[str]


Scenario = Callable[[random.Random, Path, int], Iterator[tuple[str, bool]]]


class Breaking(io.RawIOBase):
    """A file that breaks after so many reads."""

    def __init__(self, pieces: list[str], error: Exception) -> None:
        self._pieces = [piece.encode() for piece in pieces]
        self._error = error

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if not self._pieces:
            raise self._error
        return self._pieces.pop(0)


def raising_readers(draw: random.Random, _: Path, runs: int) -> Iterator[tuple[str, bool]]:
    """Readers and generators that raise at random points, through Python."""
    errors = (
        OSError(5, "gone bad"),
        ValueError("no"),
        RuntimeError(""),
        UnicodeError("x"),
        KeyError("k"),
        MemoryError(),
    )
    for number in range(runs):
        preset = draw.choice(["spec", "agent"])
        settings = {"tools.truncation.max_artifact_size": draw.choice([2_000, 10_000_000])}
        spill = Overspill(settings, MemoryStore(), preset)
        pieces = [lines(draw.choice([1, 30, 2_000]), 9 * one) for one in range(draw.randint(0, 12))]
        error = draw.choice(errors)
        came = "".join(pieces)
        if draw.random() < 0.5:
            fitted = spill.fit(Breaking(pieces, error), budget=draw.choice([None, 200, 2_000]))
        else:
            fitted = spill.fit(generator(pieces, error), budget=draw.choice([None, 200, 2_000]))
        said = type(error).__name__ in fitted.report.ended and "Output " in fitted.text
        yield f"reader {number} {preset} {type(error).__name__}", said and is_accounted(spill, fitted, came)


def generator(pieces: list[str], error: Exception) -> Iterator[str]:
    yield from pieces
    raise error


def signals_in_fit(draw: random.Random, home: Path, runs: int) -> Iterator[tuple[str, bool]]:
    """`spill fit` that is told to end at a random time, while somebody writes to it."""
    shell = Shell(home)
    for number in range(runs):
        which = draw.choice([signal.SIGINT, signal.SIGTERM])
        until = draw.uniform(0.0, 2.0)
        read, write = os.pipe()
        child = subprocess.Popen(
            [SPILL, "fit", "--json"],
            stdin=read,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=shell.root,
            env=shell.environ,
        )
        written = write_for(write, until)
        child.send_signal(which)
        time.sleep(0.05)
        written += write_for(write, 0.1, len(written.splitlines()))  # last words
        child.wait(300)  # beside others, and the first of all compiles its rules
        left = int.from_bytes(fcntl.ioctl(read, termios.FIONREAD, bytes(4)), sys.byteorder)
        os.close(read)
        os.close(write)
        out, err = child.communicate()
        taken = written[: len(written) - left]
        what = f"fit, signal {int(which)} after {until:.2f} s, run {number}"
        seen = f"status {child.returncode}, {len(taken)} characters, {out[:300]!r}, {err[-200:]!r}"
        yield f"{what}: {seen}", is_told(shell, out, err, child.returncode, taken)


def write_for(pipe: int, seconds: float, start: int = 0) -> str:
    """What could be written to a pipe in that time."""
    os.set_blocking(pipe, False)
    said, number, end = "", start, time.monotonic() + seconds
    while time.monotonic() < end:
        piece = lines(40, number)
        try:
            done = os.write(pipe, piece.encode())
        except (BlockingIOError, BrokenPipeError):
            time.sleep(0.005)
            continue
        said += piece[:done]
        if done < len(piece):
            break  # half a line: the rest would have to follow
        number += 40
    return said


def is_told(shell: Shell, out: bytes, err: bytes, status: int, taken: str) -> bool:
    """Whether all that was taken from a pipe is shown or kept; or nothing was taken, and the status says so."""
    if not out:
        # A Python that is still starting answers an interrupt itself, before any of our code can.
        starting = status == 1 and err.endswith(b"KeyboardInterrupt\n") and b"overspill" not in err
        return (starting and not taken) or (status in {130, 143, -2, -15} and (not taken or b"interrupted" in err))
    result = mapping(json.loads(out)["result"])
    if result["artifact_id"]:
        name = str(result["artifact_id"])
        kept = run_spill("artifacts", "export", name, "-", cwd=shell.root, env=shell.environ).stdout.decode()
        return kept == taken
    return taken in str(result["content"])


def signals_in_run(draw: random.Random, home: Path, runs: int) -> Iterator[tuple[str, bool]]:
    """`spill run` that is told to end at a random time: what the command said until then is there, without a hole."""
    shell = Shell(home)
    line = "i=0; while :; do echo line $i; i=$((i+1)); done"
    for number in range(runs):
        which = draw.choice([signal.SIGINT, signal.SIGTERM])
        until = draw.uniform(0.3, 1.5)
        child = subprocess.Popen(
            [SPILL, "run", "--json", "--", "sh", "-c", line],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=shell.root,
            env=shell.environ,
        )
        time.sleep(until)
        child.send_signal(which)
        out, err = child.communicate(timeout=120)
        good = child.returncode in {130, 143, -2, -15, 125}
        if out:
            result = mapping(json.loads(out)["result"])
            text = str(result["content"])
            if result["artifact_id"]:
                name = str(result["artifact_id"])
                text = run_spill("artifacts", "export", name, "-", cwd=shell.root, env=shell.environ).stdout.decode()
            said = [row for row in text.splitlines() if row.startswith("line ")]
            good = good and all(row == f"line {at}" for at, row in enumerate(said[:-1]))
        yield f"run, signal {int(which)} after {until:.2f} s, run {number}: {err[-80:]!r}", good


def broken_settings() -> list[str]:
    """Settings files with a mistake: a wrong value for each of many settings, and files that are no YAML at all."""
    files = [
        "tools: [",
        "a: &b c",
        "\x00",
        "tools: 5",
        "\t- x",
        "? [",
        "preset: gent",
        "no_such: 1",
        "{",
        "tools: {truncation: {x: {}}}",
    ]
    for row in SETTINGS:
        wrong: tuple[object, ...] = (-5, "bo gus", [[]], {"a": {}})
        for value in wrong:
            try:
                row.check.read(value)
            except Wrong:
                files.append(f"{row.path}: {json.dumps(value)}\n")
                break
    return files


def mistakes_in_settings(draw: random.Random, home: Path, runs: int) -> Iterator[tuple[str, bool]]:
    """Settings broken in many ways, through `fit`, `run`, a hook, the proxy and Python's own workspace."""
    files = broken_settings()
    draw.shuffle(files)
    for number, text in enumerate(files[: max(runs, 1)]):
        shell = Shell(home, f"root{number}")
        (shell.root / ".agent").mkdir()
        (shell.root / ".agent" / "config.yml").write_text(text)
        name = f"settings {text[:60]!r}"
        came = lines(60)
        said = shell.spill("fit", stdin=came)
        yield f"{name}, fit", said.status == 0 and said.out == came and "config" in said.err
        (shell.root / "said.txt").write_text(came)
        ran = shell.line("spill run -- cat said.txt")
        yield f"{name}, run", ran.status == 0 and ran.out == came
        way = WAYS["claude bash"]
        # An answer of nothing leaves the result as it is.
        answer = told(shell, way.agent, way.event(came, shell.root))
        yield f"{name}, hook", answer.strip() == "{}" or came.splitlines()[-1] in answer
        spill = Overspill.at(Workspace.find(root=str(shell.root), forgiving=True))
        result = limited_result(spill, {"content": [{"type": "text", "text": came}]}, CallInfo("tool"))
        yield f"{name}, MCP", result is None
        fitted = spill.fit(came)
        yield f"{name}, Python", fitted.text == came and bool(fitted.report.notices)


BEGINNINGS = {
    "png": b"\x89PNG\r\n\x1a\n",
    "jpeg": b"\xff\xd8\xff\xe0\x00\x10JFIF",
    "gif": b"GIF89a",
    "webp": b"RIFF\x00\x10\x00\x00WEBP",
    "pdf": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n",
    "zip": b"PK\x03\x04",
    "gzip": b"\x1f\x8b\x08\x00",
    "bzip2": b"BZh9",
    "xz": b"\xfd7zXZ\x00",
    "zstd": b"\x28\xb5\x2f\xfd",
    "elf": b"\x7fELF\x02\x01\x01",
    "class": b"\xca\xfe\xba\xbe\x00\x00\x00\x41",
    "wasm": b"\x00asm\x01\x00\x00\x00",
    "sqlite": b"SQLite format 3\x00",
    "mp3": b"ID3\x04\x00",
    "mp4": b"\x00\x00\x00\x20ftypisom",
    "ogg": b"OggS\x00",
    "flac": b"fLaC\x00",
    "woff2": b"wOF2\x00",
    "tar": b"a.txt" + bytes(95) + b"0000644\x00" + bytes(149) + b"ustar",
    "noise": b"",
    "utf-16": b"",
    "latin-1": b"",
}


def binary_of(kind: str, size: int, draw: random.Random) -> bytes:
    if kind == "utf-16":
        return ("text in two bytes a letter\n" * (size // 54)).encode("utf-16-le")
    if kind == "latin-1":
        return ("na\xefve caf\xe9 text\n" * (size // 16)).encode("latin-1")
    return (BEGINNINGS[kind] + draw.randbytes(size))[:size]


def binaries(draw: random.Random, home: Path, runs: int) -> Iterator[tuple[str, bool]]:
    """Bytes of many kinds, small and large, through `fit`, `run`, `put` and Python."""
    shell = Shell(home)
    for number in range(runs):
        kind = list(BEGINNINGS)[number % len(BEGINNINGS)]
        data = binary_of(kind, draw.choice([200, 4_000, 9_000, 70_000]), draw)
        keep = draw.random() < 0.5
        spill = Overspill({"tools.truncation.keep_binary": keep}, MemoryStore(), draw.choice(["spec", "agent"]))
        cut = draw.randrange(len(data))
        output = draw.choice([data, io.BytesIO(data), iter([data[:cut], data[cut:]])])
        fitted = spill.fit(output)
        kept = spill.store.read(fitted.artifact_id) if fitted.artifact_id else b""
        yield f"{kind}, {len(data)} bytes, Python", is_shown_or_said(data, fitted.text, dict(fitted.metadata), kept)
        (shell.root / "data").write_bytes(data)
        environ = {**shell.environ, "OVERSPILL_TOOLS__TRUNCATION__KEEP_BINARY": str(keep).lower()}
        for words in (("fit", "data", "--json"), ("run", "--json", "--", "cat", "data")):
            done = run_spill(*words, cwd=shell.root, env=environ)
            result = mapping(json.loads(done.stdout)["result"])
            kept = b""
            if result["artifact_id"]:
                kept = run_spill(
                    "artifacts", "export", str(result["artifact_id"]), "-", cwd=shell.root, env=environ
                ).stdout
            good = is_shown_or_said(data, str(result["content"]), mapping(result["metadata"]), kept)
            yield f"{kind}, {len(data)} bytes, {words[0]}", done.returncode == 0 and good
        put = run_spill("artifacts", "put", "data", "--binary", cwd=shell.root, env=environ)
        back = run_spill("artifacts", "export", put.stdout.decode().strip(), "-", cwd=shell.root, env=environ).stdout
        as_text = mapping(
            json.loads(
                run_spill(
                    "artifacts", "info", put.stdout.decode().strip(), "--json", cwd=shell.root, env=environ
                ).stdout
            )["artifact"]
        )
        yield f"{kind}, {len(data)} bytes, put", put.returncode == 0 and (back == data or "binary" not in as_text)


def is_shown_or_said(data: bytes, view: str, metadata: dict[str, object], kept: bytes) -> bool:
    """Whether bytes are kept as they are, shown in base64, or said to be left out or replaced."""
    if kept == data or metadata.get("not_kept"):
        return True
    encoded = "".join(view.splitlines()[1:])
    if view.startswith("[binary ") and "base64" in view.splitlines()[0] and base64.b64decode(encoded) == data:
        return True
    said = kept.decode() if kept else view
    for encoding in ("utf-8", "utf-16-le", "cp1252", "latin-1"):
        try:
            if data.decode(encoding) == said:
                return True
        except UnicodeDecodeError:
            continue
    return bool(metadata.get("cleaned"))


SCENARIOS: dict[str, tuple[Scenario, int, int]] = {  # how many runs, in a small version and in the long one
    "readers": (raising_readers, 30, 3_000),
    "signals in fit": (signals_in_fit, 3, 150),
    "signals in run": (signals_in_run, 2, 60),
    "settings": (mistakes_in_settings, 4, 1_000),
    "binaries": (binaries, 23, 460),
    "stores": (failing_stores, 8, 1_500),
    "async sources": (async_sources, 12, 600),
    "hooks": (faults_in_hooks, 6, 200),
    "servers": (failing_servers, 6, 180),
    "closed output": (interrupted_reading, 2, 60),
}


def tortured(name: str, seed: int, *, small: bool) -> Tally:
    """One scenario, and what was lost in it."""
    scenario, few, many = SCENARIOS[name]
    lost: list[str] = []
    runs = 0
    with tempfile.TemporaryDirectory(prefix="overspill-loss-") as home:
        os.environ.setdefault("XDG_CACHE_HOME", str(Path(home) / "cache"))
        for what, good in scenario(random.Random(seed), Path(home), few if small else many):
            runs += 1
            lost += [] if good else [what]
    return Tally(runs, lost)


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="as much of each as is in `make test`")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", help=f"all unless named: {', '.join(SCENARIOS)}")
    asked = parser.parse_args(words)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background, by our children too
    everything = 0
    silent: list[str] = []
    for name in asked.scenarios or SCENARIOS:
        runs, lost = tortured(name, asked.seed, small=asked.small)
        print(f"{name:16} {runs:6} runs, {len(lost)} silent losses", flush=True)
        everything, silent = everything + runs, [*silent, *lost]
    print(f"{'all':16} {everything:6} runs, {len(silent)} silent losses", *silent[:20], sep="\n")
    return 1 if silent else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
