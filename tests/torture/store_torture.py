"""Tortures the store and says what it saw.

python tests/torture/store_torture.py [--small] [SCENARIO ...]
python tests/torture/store_torture.py --small "kill -9" crowd
"""

import argparse
import sys
import time
import traceback

import store_crowds
import store_faults
from store_checks import Workshop

SCENARIOS = {**store_crowds.SCENARIOS, **store_faults.SCENARIOS}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="as much of each as is in `make test`")
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", help=f"all unless named: {', '.join(SCENARIOS)}")
    asked = parser.parse_args(arguments)
    broken = 0
    for name in asked.scenarios or SCENARIOS:
        shop, began = Workshop(), time.perf_counter()
        try:
            outcome = SCENARIOS[name](shop, full=not asked.small)
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
