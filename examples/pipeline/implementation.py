"""Phase 2: do what was decided, run the tests, and keep their log as an artifact that the hand-off names."""

import subprocess
import sys
from pathlib import Path

from spill import context, hand_over, spill

WRITTEN = '''"""Written by phase 2: one test a price, so that a wrong cent has a name."""

import unittest

import prices


class Net(unittest.TestCase):
    pass


class Shipping(unittest.TestCase):
    pass


def check_net(gross):
    return lambda self: self.assertLessEqual(abs(prices.net(gross) * 120 - gross * 100), 60)


def check_shipping(cents):
    return lambda self: self.assertEqual(prices.shipping(cents), 0 if cents >= 5000 else 490)


for cents in range(0, 10_000, 25):
    setattr(Net, f"test_net_of_{cents:05}", check_net(cents))
    setattr(Shipping, f"test_shipping_of_{cents:05}", check_shipping(cents))
'''

shop = Path(sys.argv[1])
handed = context(2)
print(handed)
assert "write tests for net" in handed  # noqa: S101  # phase 1 decided it

(shop / "test_written.py").write_text(WRITTEN)
run = subprocess.run([sys.executable, "-m", "unittest", "-v"], cwd=shop, capture_output=True, text=True, check=False)
log = run.stdout + run.stderr
artifact = spill("artifacts", "put", "--tool", "unittest", "--source", "python -m unittest -v", stdin=log).strip()

hand_over(
    phase=2,
    verdicts={"tests": "PASS" if run.returncode == 0 else "FAIL"},
    artifacts_produced=["test_written.py", artifact],
    narrative=f"Wrote one test a price. {log.splitlines()[-3]}. The log, {len(log):,} characters, is {artifact}.",
)
