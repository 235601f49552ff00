"""Whatever comes, `fit` answers: random bytes, documents with damage, and pieces of both, at random settings.

python tests/torture/fit_fuzz.py [--seed N] [--seconds 300]
"""

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator
from typing import NamedTuple

from overspill import MemoryStore, Overspill

STRATEGIES = ["head", "tail", "head_tail", "line", "element", "smart", "none"]
SEEDS = [
    json.dumps([{"id": n, "name": "é" * n} for n in range(60)]).encode(),
    b"".join(b'{"n": %d, "text": "line"}\n' % n for n in range(90)),
    b"<a b='c'>" + b"<d><![CDATA[x]]></d><!-- e -->" * 60 + b"</a>",
    b"\x1b[1mred\x1b[0m 10%\r20%\r\x1b[2K30%\r\n\x08\x08" * 40,
    b"-----BEGIN RSA PRIVATE KEY-----\nMIIE" + b"a" * 400 + b"\n",
    b"password=" * 200 + "\U0001f468\u200d\U0001f469".encode() * 90,
    b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n" * 40,
    b"\xff\xfea\x00b\x00" * 90,
    bytes(range(256)) * 8,
]


class Run(NamedTuple):
    """How many inputs were fitted, and those that were not answered as they should."""

    inputs: int
    failures: list[str]


def fuzzed(seed: int, *, inputs: int, seconds: float) -> Run:
    """Fit `inputs` random inputs, or as many as there is time for."""
    draw = random.Random(seed)
    failures: list[str] = []
    until = time.monotonic() + seconds
    count = 0
    while count < inputs and time.monotonic() < until:
        count += 1
        data, spill = made(draw), chosen(draw)
        limit = draw.choice([draw.randint(1, 63), draw.randint(64, 900), draw.randint(900, 20_000)])
        try:
            whole, streamed = spill.fit(data, budget=limit), spill.fit_stream(cut(data, draw), budget=limit)
        except Exception as error:  # noqa: BLE001  # whatever it is, it is what we are looking for
            failures.append(f"{type(error).__name__}: {error}: {data[:200]!r} at {limit}")
            continue
        failures += [
            f"failed: {data[:200]!r} at {limit}" for one in (whole, streamed) if one.report.decision == "failed"
        ]
        if whole.report.kept != streamed.report.kept:
            failures.append(f"chunks made a difference: {data[:200]!r} at {limit}")
    return Run(count, failures)


def made(draw: random.Random) -> bytes:
    """A seed with damage in it, or noise, once or many times."""
    data = bytearray(draw.choice(SEEDS) if draw.random() < 0.8 else draw.randbytes(draw.randint(0, 3_000)))
    for _ in range(draw.choice([0, 0, 1, 3, 20])):
        if not data:
            break
        at = draw.randrange(len(data))
        match draw.randrange(4):
            case 0:
                data[at] = draw.randrange(256)
            case 1:
                del data[at : at + draw.randint(1, 200)]
            case 2:
                data[at:at] = draw.choice(SEEDS)[: draw.randint(1, 300)]
            case _:
                data[at:at] = data[at : at + 60] * draw.randint(1, 20)
    return bytes(data) * draw.choice([1, 1, 1, 3, 12])


def chosen(draw: random.Random) -> Overspill:
    """Random settings."""
    settings: dict[str, object] = {
        "tools.truncation.default_strategy": draw.choice(STRATEGIES),
        "tools.truncation.artifact_threshold": draw.choice([1, 2_000, 50_000]),
        "tools.truncation.max_artifact_size": draw.choice([1_500, 10_485_760]),
        "tools.truncation.on_oversize": draw.choice(["error", "head_tail", "drop_excerpt"]),
        "tools.truncation.artifacts.store_truncated": draw.random() < 0.8,
    }
    return Overspill(settings, MemoryStore(), draw.choice(["spec", "agent"]))


def cut(data: bytes, draw: random.Random) -> Iterator[bytes]:
    """The same in chunks of any size."""
    at = 0
    while at < len(data):
        size = draw.choice([1, 7, 100, 5_000])
        yield data[at : at + size]
        at += size


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=int, default=300)
    asked = parser.parse_args()
    run = fuzzed(asked.seed, inputs=1_000_000, seconds=asked.seconds)
    print(f"{run.inputs} inputs, {len(run.failures)} failures", *run.failures[:20], sep="\n")
    sys.exit(bool(run.failures))
