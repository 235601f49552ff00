"""What keeping costs: put against a plain write and diskcache, a page among 10,000, a verified part of a large one.

Everything is a ratio of two minima taken in turns in one run, because the machine may be busy with others.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from measuring import least_times

from overspill.core import measure
from overspill.store import Label
from overspill.store.files import FileStore
from overspill.store.quota import Limits
from overspill.workspace.opening import open_store

if TYPE_CHECKING:
    from collections.abc import Callable

DISKCACHE = """
import sys, time
import diskcache
cache = diskcache.Cache(sys.argv[1], size_limit=1 << 40)
text = ("x" * 79 + "\\n") * (int(sys.argv[2]) // 80)
times = []
for number in range(int(sys.argv[3])):
    start = time.perf_counter()
    cache.set(number, text)
    times.append(time.perf_counter() - start)
print(min(times), diskcache.__version__)
"""


def log_of(size: int) -> str:
    return ("x" * 79 + "\n") * (size // 80)


def store_in(path: Path, *, lazy: bool) -> FileStore:
    limits = Limits(max_artifact_size=None, session_quota=None, rate=None)
    return open_store(str(path), environ={"XDG_STATE_HOME": str(path / "state")}, limits=limits, lazy=lazy)


def diskcache_python(path: Path) -> str | None:
    """An environment of its own with diskcache in it, or None if there is none to be had."""
    python = path / "venv" / "bin" / "python"
    try:
        subprocess.run([sys.executable, "-m", "venv", str(path / "venv")], check=True, capture_output=True, timeout=120)
        install = [str(python), "-m", "pip", "install", "--quiet", "diskcache"]
        subprocess.run(install, check=True, capture_output=True, timeout=120)
    except (subprocess.SubprocessError, OSError):
        return None
    return str(python)


def plain_write(path: Path, content: bytes) -> None:
    with (path / f"plain-{time.perf_counter_ns()}").open("wb") as file:
        file.write(content)


def plain_read(path: Path, start: int) -> bytes:
    with path.open("rb") as file:
        file.seek(start)
        return file.read(65_536)


def puts(path: Path) -> None:
    competitor = diskcache_python(path)
    if competitor is None:
        print("diskcache could not be installed: its column is left out")
    print(f"{'put':>8} {'plain write':>12} {'lazy':>14} {'strict':>14} {'diskcache':>14}")
    for size in (1 << 10, 100 << 10, 1 << 20, 10 << 20):
        text = log_of(size)
        measured, rounds = measure(text), 15 if size > 1 << 20 else 60
        lazy, strict = store_in(path / "lazy", lazy=True), store_in(path / "strict", lazy=False)
        plain = partial(plain_write, path, text.encode())
        times = least_times({"plain": plain, "lazy": partial(lazy.put, text, measured, Label("bash"))}, rounds)
        lazy.close()
        times |= least_times({"strict": partial(strict.put, text, measured, Label("bash"))}, 15)
        row = f"{size >> 10:>6,}KB {times['plain'] * 1000:>9.3f} ms"
        for name in ("lazy", "strict"):
            row += f" {times[name] / times['plain']:>6.1f}x {times[name] * 1000:>4.1f}ms"
        if competitor is not None:
            command = [competitor, "-c", DISKCACHE, str(path / f"cache-{size}"), str(size), str(rounds)]
            seconds, version = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
            row += f" {float(seconds) / times['plain']:>6.1f}x ({version})"
        print(row, flush=True)
        for store in (lazy, strict):
            store.clear()
        for written in path.glob("plain-*"):
            written.unlink()


def pages(path: Path) -> None:
    store = store_in(path / "many", lazy=True)
    text = log_of(400)
    measured = measure(text)
    for _ in range(10_000):
        store.put(text, measured, Label("bash"))
    store.close()
    directory = Path(store.place.path) / store.session.id
    calls: dict[str, Callable[[], object]] = {
        "names": lambda: list(directory.iterdir()),
        "page of 20 among 10,000": partial(store.page, 20),
        "the same from the middle": partial(store.page, 20, 5_000),
    }
    names, *times = least_times(calls, 30).items()
    for what, seconds in times:
        print(f"{what}: {seconds * 1000:.1f} ms, {seconds / names[1]:.2f} plain listings")
    store.clear()


def parts(path: Path) -> None:
    store = store_in(path / "large", lazy=True)
    for size in (10 << 20, 1 << 30):
        piece = log_of(1 << 20).encode()
        total = size // len(piece) * len(piece)
        with store.open(Label()) as writer:
            for _ in range(size // len(piece)):
                writer.write(piece)
            artifact = writer.commit(measure("")._replace(chars=total, bytes=total, lines=total // 80))
        middle, line = total // 2, total // 160
        times = least_times(
            {
                "plain": partial(plain_read, Path(store.place.path) / store.session.id / artifact.id, middle),
                "range": partial(store.read, artifact.id, middle, middle + 65_536),
                "lines": partial(store.lines, artifact.id, line, line + 99),
            },
            50,
        )
        print(
            f"{size >> 20:,} MB: verified 64 KB range {times['range'] * 1000:.2f} ms, "
            f"{times['range'] / times['plain']:.0f}x a plain read; "
            f"100 lines from the middle {times['lines'] * 1000:.2f} ms"
        )
    store.close()
    store.clear()


def main() -> None:
    path = Path(tempfile.mkdtemp(prefix="overspill-bench-"))
    for name in ("lazy", "strict", "many", "large"):
        (path / name).mkdir()
    try:
        puts(path)
        pages(path)
        parts(path)
    finally:
        shutil.rmtree(path)


if __name__ == "__main__":
    main()
