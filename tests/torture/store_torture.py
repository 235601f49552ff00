"""Tortures the store and says what it saw: `python store_torture.py [--small] [SCENARIO...]`."""

import sys
import time
import traceback

import store_crowds
import store_faults
from store_checks import Workshop

SCENARIOS = {**store_crowds.SCENARIOS, **store_faults.SCENARIOS}


def main(arguments: list[str]) -> int:
    full = "--small" not in arguments
    wanted = [name for name in arguments if not name.startswith("--")] or list(SCENARIOS)
    broken = 0
    for name in wanted:
        shop, began = Workshop(), time.perf_counter()
        try:
            outcome = SCENARIOS[name](shop, full=full)
        except Exception:  # noqa: BLE001  # the next scenario is run all the same
            broken += 1
            print(f"{name:12} BROKEN", flush=True)
            traceback.print_exc()
        else:
            said = f"left out: {outcome.figures}" if outcome.left_out else outcome.figures
            print(f"{name:12} {said}  ({time.perf_counter() - began:.0f} s)", flush=True)
        finally:
            shop.close()
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
