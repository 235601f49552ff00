"""How much is drawn: some where it is decided whether a change may land, all that is of use in `make torture`."""

import os

IS_TORTURE = os.environ.get("HYPOTHESIS_PROFILE") == "torture"


def number_of(some: int, many: int) -> int:
    """How many texts, views or rounds a test draws. It carries the mark `drawn`, by which `make torture` finds it."""
    return many if IS_TORTURE else some
