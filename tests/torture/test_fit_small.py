"""A small run of the fuzzing of `fit`; longer with `make torture`."""

import os

from fit_fuzz import fuzzed

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "torture"


def test_whatever_comes_is_answered() -> None:
    run = fuzzed(20_261_115, inputs=100_000 if LONG else 60, seconds=600 if LONG else 30)
    assert run.failures == []
    assert run.inputs >= 20
