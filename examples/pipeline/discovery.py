"""Phase 1: find out what is to be done. It is handed nothing, and leaves a goal, decisions and risks."""

import ast
import sys
from pathlib import Path

from spill import context, hand_over

shop = Path(sys.argv[1])
assert context(1) == ""  # noqa: S101  # nobody was here before

functions = [
    node.name for node in ast.parse((shop / "prices.py").read_text()).body if isinstance(node, ast.FunctionDef)
]
tests = (shop / "test_prices.py").read_text()
untested = [name for name in functions if f"prices.{name}(" not in tests]

hand_over(
    phase=1,
    goal="every function of the shop is tested",
    decisions_made=[f"write tests for {name}" for name in untested],
    open_risks=["rounding of taxes is easy to get wrong by a cent"],
    verdicts={"coverage": f"{len(functions) - len(untested)} of {len(functions)} functions"},
    narrative=f"Read {shop.name}/prices.py and its tests. "
    f"Of {len(functions)} functions, {', '.join(untested)} are not tested.",
)
