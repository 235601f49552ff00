"""Every benchmark, in one run: `make bench`, or some of them: `make bench BENCH="startup hooks"`.

Machines are noisy; trust the ratios.
"""

import importlib
import os
import sys
import traceback

PARTS = (
    "startup",
    "fitting",
    "streaming",
    "cleaning",
    "sniffing",
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
    "fleet",
    "fleet_database",
    "history",
)


def main(chosen: list[str]) -> int:
    """Run the parts that are named, or all. One that fails does not keep the others from being run."""
    unknown = sorted(set(chosen) - set(PARTS))
    if unknown:
        sys.exit(f"no part {unknown[0]!r}; there are: {', '.join(PARTS)}")
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    failed = []
    for part in chosen or PARTS:
        print(f"-- {part}", flush=True)
        try:
            importlib.import_module(part).main()
        except Exception:  # noqa: BLE001  # whatever it is, it is said, and the next part is run
            failed.append(part)
            traceback.print_exc()
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
