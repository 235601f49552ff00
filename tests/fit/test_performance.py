"""Absolute limits of the specification, with room for a busy machine: the best of many runs counts."""

import time
from collections.abc import Callable

import pytest

from asking import PROSE, numbered, spill
from overspill.compat import HeadStrategy, HeadTailStrategy, LineStrategy, TailStrategy, TruncationOptions
from quiet_time import REFERENCE, reference_seconds

pytestmark = pytest.mark.slow

HUNDRED_KB = numbered(2_400)[:100_000]
TEXTS = {"lines": HUNDRED_KB, "one": "x" * 100_000, "wide": "世界\r\n" * 25_000, "empty": "\n" * 100_000}


def best(work: Callable[[], object], enough: float, runs: int = 30) -> float:
    """The fewest milliseconds of CPU a run took, beside a fixed loop: other programs run on this machine too.

    One that took fewer than `enough` is the last.
    """
    times: list[float] = []
    while len(times) < runs and min(times, default=enough) >= enough:
        started = time.process_time()
        work()
        times.append((time.process_time() - started) * 1_000 * REFERENCE / reference_seconds())
    return min(times)


@pytest.mark.parametrize("strategy", ["head", "tail", "head_tail", "line"])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_100_kb_are_fitted_in_less_than_10_ms(strategy: str, text: str) -> None:
    """NFR-001, AC-071: cleaned, kept, cut and reported."""
    asked = spill()
    assert best(lambda: asked.fit(text, strategy=strategy), 10) < 10


@pytest.mark.parametrize("strategy", [HeadStrategy, TailStrategy, HeadTailStrategy, LineStrategy])
def test_a_strategy_alone_is_within_the_limit_too(strategy: type[HeadStrategy]) -> None:
    """NFR-001, AC-071."""
    made = strategy(TruncationOptions())
    assert best(lambda: made.truncate(HUNDRED_KB), 10) < 10


@pytest.mark.parametrize("text", ["", "ok\n", PROSE * 90], ids=["empty", "short", "at the limit"])
def test_small_content_costs_less_than_a_millisecond(text: str) -> None:
    """ASM-17."""
    asked = spill()
    assert len(text) <= 8_000
    assert best(lambda: asked.fit(text, tool="bash"), 1) < 1
