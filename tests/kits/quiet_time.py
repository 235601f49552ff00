"""Times as a quiet machine would have them: told beside a fixed loop in the same moment."""

import math
import time

REFERENCE = 0.005  # seconds that the loop takes on a quiet machine
LOOPS = 200_000


def reference_seconds() -> float:
    """How long the fixed loop takes now."""
    best = math.inf
    for _ in range(2):
        begun = time.thread_time()
        total = 0
        for number in range(LOOPS):
            total += number & 7
        best = min(best, time.thread_time() - begun)
    return best
