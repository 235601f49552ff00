"""`spill fleet check`: everything that a bucket and a database have to do, tried, and what to do about what fails."""

from __future__ import annotations

import os
import time

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.cli.fleet import open_fleet
from overspill.cli.opening import open_workspace
from overspill.cli.output import print_answer
from overspill.errors import BucketError, DatabaseUnreachable, OverspillError, reason_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from overspill.cli.arguments import CommandCall
    from overspill.database import FleetDatabase, PostgresConnection
    from overspill.fleet.bucket import Bucket

TRIED_BYTES = 100_000
MOST_SECONDS_OFF = 30.0  # between two clocks: a claim of a task is counted in minutes


class Trial(NamedTuple):
    """One thing that a bucket or a database has to do, and how it went."""

    what: str
    reason: str = ""  # why it failed; nothing where it did not
    fix: str = ""  # what to do then

    @property
    def line(self) -> str:
        why = f": {self.reason}" if self.reason else ""
        return f"{'failed' if self.reason else 'ok':7} {self.what}{why}{f'; next: {self.fix}' if self.fix else ''}\n"

    @property
    def record(self) -> dict[str, object]:
        return {"check": self.what, "ok": not self.reason, "reason": self.reason, "fix": self.fix}


def check(call: CommandCall) -> int:
    """Try everything that a database and a bucket have to do, as far as they are named."""
    here = open_workspace(call, forgiving=False)
    trials: list[Trial] = []
    text = ""
    if (database := here.database) is not None:
        trials += database_trials(database)
        text += f"Database of {database.variable}, tenant {database.tenant}, project {database.project}\n"
        text += "".join(trial.line for trial in trials)
    if database is None or here.settings.get("tools.truncation.artifacts.store"):
        store = open_fleet(call)
        of_bucket = bucket_trials(store.far.bucket, f"{store.far.keys.of_tenant}/check/{os.urandom(8).hex()}")
        trials += of_bucket
        text += f"Bucket {store.far.bucket.address}, tenant {store.far.tenant}, sealed: {store.far.seal.name}\n"
        text += "".join(trial.line for trial in of_bucket)
    print_answer(call, "checks", [trial.record for trial in trials], text)
    return BucketError.exit_code if any(trial.reason for trial in trials) else 0


def bucket_trials(bucket: Bucket, folder: str) -> list[Trial]:
    """How a bucket does what is needed of it. What is written for that is removed again."""
    key, content = f"{folder}/object", os.urandom(TRIED_BYTES)

    def read() -> bytes:
        found = bucket.fetch(key, 0, TRIED_BYTES)
        return b"" if found is None else found.content

    def part() -> bool:
        found = bucket.fetch(key, 1000, 500)
        return found is not None and found.content == content[1000:1500] and found.size == TRIED_BYTES

    steps: tuple[tuple[str, Callable[[], bool | str]], ...] = (
        ("an object can be created", lambda: bucket.create(key, content)),
        ("one that is there is not written again", lambda: not bucket.create(key, b"other") and read() == content),
        ("it is read back whole", lambda: read() == content),
        ("a range of it is read", part),
        ("it is listed at once", lambda: [one.key for one in bucket.entries(folder)] == [key]),
        ("its clock and the one here agree", lambda: _clock_reason(bucket, key)),
        ("what is not there is said not to be", lambda: bucket.fetch(f"{folder}/none", 0, 10) is None),
        ("it is removed", lambda: _removes(bucket, key)),
    )
    trials: list[Trial] = []
    for what, step in steps:
        try:
            found = step()
            reason = found if isinstance(found, str) else "" if found else "it does something else"
        except BucketError as error:
            reason = error.reason
        trials.append(Trial(what, reason, bucket_fix(reason)))
        if trials[0].reason:
            break  # where nothing can be written there is nothing to try
    return trials


def bucket_fix(reason: str) -> str:
    """What to do about a bucket that fails for a reason."""
    if not reason:
        return ""
    return next((fix for words, fix in _FIXES if words in reason), "ask whoever runs the bucket")


_FIXES = (
    ("it does something else", "take another server: artifacts need objects that are created once (If-None-Match)"),
    ("there is no such", "make the bucket, or correct artifacts.store"),
    ("refuses", "look at the keys in the environment; `spill fleet rules` prints the policy that they need"),
    ("expired", "let the platform hand out new credentials"),
    ("no credentials", "set AWS_*, GOOGLE_* or AZURE_* in the environment, or give the pod an identity"),
    ("clock", "set the clocks by NTP; S3 takes requests that are less than 15 minutes off"),
    ("full", "make room in the bucket, or raise its quota"),
    ("plain http", "set AWS_ALLOW_HTTP=true, or serve the bucket by https"),
    ("host is not known", "correct AWS_ENDPOINT_URL, or the region"),
    ("no answer within", "raise fleet.patience if it is only slow; else see that the network lets pods reach it"),
    ("nobody listens", "start the server, or correct AWS_ENDPOINT_URL"),
    ("cannot be reached", "see that the network lets pods reach it; AWS_ENDPOINT_URL names a server of your own"),
    ("connection broke", "try again; if it stays so, look at what stands between"),
)


def _clock_reason(bucket: Bucket, key: str) -> str:
    """How far the clock of a bucket is from the one here, if that is too much."""
    found = bucket.entry(key)
    return clocks_reason(time.time() if found is None else found.modified)


def clocks_reason(there: float) -> str:
    """How far another machine's clock is from the one here, if that is too much; it has just told its time."""
    seconds = there - time.time()
    if abs(seconds) <= MOST_SECONDS_OFF:
        return ""
    return f"its clock is {abs(seconds):,.0f} s {'ahead of' if seconds > 0 else 'behind'} the one here"


def _removes(bucket: Bucket, key: str) -> bool:
    bucket.remove([key])
    return bucket.entry(key) is None


def database_trials(database: FleetDatabase) -> list[Trial]:
    """How a database does what is needed of it. What is written for that is taken back."""
    trials: list[Trial] = []

    def tried(what: str, step: Callable[[], str], fix: str) -> bool:
        try:
            reason = step()
        except OverspillError as error:
            reason, fix = reason_of(error), error.fix if error.fix != DatabaseUnreachable.fix else fix
        trials.append(Trial(what, reason, fix if reason else ""))
        return not reason

    opened: list[PostgresConnection] = []

    def opening(connect: Callable[[], PostgresConnection]) -> str:
        opened.append(connect())
        return ""

    tables = "its tables are those of this version, and the role may use its tenant"
    try:
        if tried("it is reached", lambda: opening(database.connect_plain), _REACH) and tried(
            tables, lambda: opening(database.connect), "spill fleet init"
        ):
            plain, db = opened
            tried("policies are in force on every table", lambda: _loose_tables(db), _ENFORCE)
            tried("rows of one tenant are not seen by another", lambda: _seen_by_others(db), _ENFORCE)
            tried("its clock and the one here agree", lambda: clocks_reason(_server_clock(plain)), _NTP)
            tried("what it acknowledges is on its disk", lambda: _lazy_reason(plain), _DURABLE)
    finally:
        for one in opened:
            one.close()
    return trials


_REACH = "start it, or correct the address in the variable; see that the network lets pods reach it"
_ENFORCE = "let whoever owns the tables run `spill fleet migrate`, and give pods a role of their own"
_NTP = "set the clocks by NTP: claims of tasks end by the clock of whoever looks"
_DURABLE = "set fsync and synchronous_commit to on in the server's settings"
_LOOSE = """select string_agg(relname, ', ' order by relname) from pg_class
    where relnamespace = 'overspill'::regnamespace and relkind = 'r' and relname not in ('migrations', 'roles')
    and not (relrowsecurity and relforcerowsecurity
        and exists (select from pg_policy where polrelid = pg_class.oid))"""


def _loose_tables(db: PostgresConnection) -> str:
    with db.errors():
        found = db.execute(_LOOSE).fetchone()[0]
    return f"none on {found}" if found else ""


def _seen_by_others(db: PostgresConnection) -> str:
    """Write a row as the tenant, look for it as others, and take it back."""
    count = "select count(*) from counters where name = 'check'"
    with db.errors():
        db.execute("begin")
        try:
            db.execute("insert into counters (name, value) values ('check', 1) on conflict do nothing")
            mine = db.execute(count).fetchone()[0]
            db.execute("select set_config('overspill.tenant', ?, true)", (f"check-{os.urandom(8).hex()}",))
            theirs = db.execute(count).fetchone()[0]
        finally:
            db.execute("rollback")
    return "" if (mine, theirs) == (1, 0) else "another tenant sees a row" if theirs else "a row is not seen at all"


def _server_clock(db: PostgresConnection) -> float:
    with db.errors():
        return float(db.execute("select extract(epoch from clock_timestamp())").fetchone()[0])


def _lazy_reason(db: PostgresConnection) -> str:
    with db.errors():
        row = db.execute("select current_setting('fsync'), current_setting('synchronous_commit')").fetchone()
    said = [f"{name} is {value}" for name, value in zip(("fsync", "synchronous_commit"), row, strict=True)
            if value in {"off", "local"}]  # fmt: skip
    return " and ".join(said)
