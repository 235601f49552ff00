"""Every benchmark, in one run: `make bench`. Machines are noisy; trust the ratios."""

import importlib
import os
import sys

PARTS = (
    "startup",
    "fitting",
    "streaming",
    "cleaning",
    "json_cut",
    "entries",
    "redaction",
    "store",
    "retrieval",
    "smart",
    "smart_documents",
    "large",
    "journal",
    "handoffs",
    "lists",
    "ledger",
    "protocol",
    "hooks",
)


def main(chosen: list[str]) -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path.insert(0, here)
    for part in chosen or PARTS:
        if os.path.exists(os.path.join(here, f"{part}.py")):
            print(f"-- {part}")
            importlib.import_module(part).main()


if __name__ == "__main__":
    main(sys.argv[1:])
