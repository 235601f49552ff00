"""`spill fleet status | push | rules | check | init | migrate`: the bucket and the database that machines share."""

from __future__ import annotations

import os
import time

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.cli.opening import open_workspace
from overspill.cli.output import print_answer
from overspill.cli.tables import count_of
from overspill.core import human_bytes
from overspill.errors import BucketError, ConfigError, DatabaseUnreachable, OverspillError, UsageError, reason_of
from overspill.fleet import CLOUDS, lifecycle_rule, net_days, rules_text, tenant_policy
from overspill.settings.checks import DURATION, Wrong

if TYPE_CHECKING:
    from collections.abc import Callable

    from overspill.cli.arguments import CommandCall
    from overspill.database import FleetDatabase, PostgresConnection, TenantQuota
    from overspill.fleet import Bucket
    from overspill.fleet.store import FleetStore


LONGEST = 30 * 86400

TRIED_BYTES = 100_000
MOST_SECONDS_OFF = 30.0  # between two clocks: a claim of a task is counted in minutes


def open_fleet(call: CommandCall) -> FleetStore:
    """The store of a workspace that names a bucket."""
    from overspill.fleet.store import FleetStore

    store = open_workspace(call, forgiving=False).files
    if not isinstance(store, FleetStore):
        raise ConfigError(
            "no bucket is named; set artifacts.store in your own settings file, or "
            "OVERSPILL_TOOLS__TRUNCATION__ARTIFACTS__STORE=s3://bucket/prefix"
        )
    return store


def status(call: CommandCall) -> int:
    """What is in the database, if one is named, what is here, what is owed, and what is in the bucket."""
    here = open_workspace(call, forgiving=False)
    value: dict[str, object] = {}
    text = ""
    if (database := here.database) is not None:
        value["database"], text = database_status(database)
    if database is None or here.settings.get("tools.truncation.artifacts.store"):
        there, words = bucket_status(open_fleet(call))
        value |= there
        text += words
    return print_answer(call, "fleet", value, text)


def bucket_status(store: FleetStore) -> tuple[dict[str, object], str]:
    """What a bucket holds for a tenant, and what is owed to it, as a value and in words."""
    from overspill.fleet.far import is_artifact_key, tenant_sessions

    owed, why = store.owed_artifacts(), store.down_reason()
    value: dict[str, object] = {
        "bucket": store.far.bucket.address,
        "tenant": store.far.tenant,
        "session": store.far.keys.session,
        "durability": "strict" if store.strict else "lazy",
        "sealed": store.far.seal.name,
        "owed": len(owed),
        "left_alone": why,
    }
    try:
        found = tenant_sessions(store.far.bucket, store.far.keys)
        swept = store.far.bucket.entry(store.far.keys.swept)
    except BucketError as error:
        value["unreachable"] = error.reason
        there = f"not known, {error.reason}"
    else:
        entries = [entry for session in found.values() for entry in session]
        artifacts, size = sum(is_artifact_key(entry.key) for entry in entries), sum(entry.size for entry in entries)
        value |= {"sessions": len(found), "artifacts": artifacts, "objects": len(entries), "bytes": size}
        value["swept"] = None if swept is None else swept.modified
        there = f"{count_of(artifacts, 'artifact')} of {count_of(len(found), 'session')}, "
        there += f"{human_bytes(size)} in {count_of(len(entries), 'object')}"
    text = (
        f"Bucket: {value['bucket']} (tenant {value['tenant']}, {value['durability']}, sealed: {value['sealed']})\n"
        f"There: {there}\n"
        f"Owed: {count_of(len(owed), 'artifact')} of this root {'is' if len(owed) == 1 else 'are'} not there yet\n"
    )
    text += f"Left alone for the moment: {why}\n" if why else ""
    if store.far.quota is not None:
        value["quota"], words = quota_status(store.far.quota, store.far.tenant)
        text += words
    return value, text


def quota_status(quota: TenantQuota, tenant: str) -> tuple[dict[str, object], str]:
    """What of its quota a tenant has used, as a value and in words."""
    try:
        used = quota.usage()
    except OverspillError as error:
        return {"limit": quota.limit, "unreachable": reason_of(error)}, f"Quota of tenant {tenant}: not known\n"
    share = f"{used.bytes / used.limit:.0%} of " if used.limit else ""
    words = f"Quota of tenant {tenant}: {human_bytes(used.bytes)} in {count_of(used.artifacts, 'artifact')}, "
    return used._asdict(), words + f"{share}{human_bytes(used.limit)}\n"


def push(call: CommandCall) -> int:
    """Send what is owed."""
    store = open_fleet(call)
    sent = store.send_owed()
    left = len(store.owed_artifacts())
    return print_answer(call, "pushed", {"sent": sent, "owed": left}, f"Sent {count_of(sent, 'artifact')}\n")


def rules(call: CommandCall) -> int:
    """What the bucket's administration is told."""
    store = open_fleet(call)
    scheme, _, rest = store.far.bucket.address.partition("://")
    cloud = call.text("--for") or (scheme if scheme in CLOUDS else "")
    if cloud not in CLOUDS:
        raise UsageError(f"--for is one of {', '.join(CLOUDS)}; a directory has no such rules")
    try:
        longest = DURATION.read(call.text("--longest") or LONGEST)
    except Wrong:
        raise UsageError("--longest is a duration, as 30d or 12h") from None
    bucket, _, prefix = rest.partition("/")
    grace = max(store.limits.keep_ended, store.limits.ttl)
    days = net_days(float(longest) if isinstance(longest, int) else LONGEST, grace)
    value = {
        "lifecycle": lifecycle_rule(cloud, prefix, days),
        "policy": tenant_policy(cloud, bucket, prefix, store.far.tenant),
    }
    return print_answer(call, "rules", value, rules_text(cloud, bucket, prefix, store.far.tenant, days))


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


def init(call: CommandCall) -> int:
    """Make the tables, and let a role use them."""
    from overspill import database

    role, tenant = call.text("--role") or "", call.text("--tenant") or ""
    if tenant and not role:
        raise UsageError("--tenant says whose rows a role may use; name the role with --role")
    done = database.init(_database_of(call), role=role, tenant=tenant)
    text = _format_words(done.before, done.after)
    whose = "every tenant" if done.tenant == database.ANY_TENANT else f"tenant {done.tenant}"
    text += f"Role {done.role} may use them for {whose}\n" if done.role else _NOBODY
    return print_answer(call, "migrated", done._asdict(), text)


_NOBODY = "No role was allowed to use them; name the one that pods connect with: spill fleet init --role NAME\n"


def migrate(call: CommandCall) -> int:
    """Bring the tables up to date."""
    from overspill import database

    done = database.migrate(_database_of(call))
    value = {"before": done.before, "after": done.after}
    return print_answer(call, "migrated", value, _format_words(done.before, done.after))


def _format_words(before: int, after: int) -> str:
    if before == after:
        return f"The tables are of format {after}; there was nothing to do\n"
    return f"The tables are of format {after} now" + (f"; they were of format {before}\n" if before else "\n")


def _database_of(call: CommandCall) -> FleetDatabase:
    database = open_workspace(call, forgiving=False).database
    if database is None:
        raise ConfigError(
            "no database is named; set fleet.database in your own settings file, or OVERSPILL_FLEET__DATABASE=env:NAME "
            "where NAME is the variable that holds its address"
        )
    return database


def database_status(database: FleetDatabase) -> tuple[dict[str, object], str]:
    """What a database holds for a tenant and a project, as a value and in words."""
    db = database.connect()
    try:
        with db.errors():
            server, role, synchronous, number, tasks, opened = db.execute(_STATUS).fetchone()
    finally:
        db.close()
    value = {
        "server": server, "role": role, "format": number, "tenant": database.tenant, "project": database.project,
        "tasks": tasks, "open": opened, "synchronous_commit": synchronous,
    }  # fmt: skip
    text = (
        f"Database: PostgreSQL {server}, format {number} (role {role}, tenant {database.tenant}, "
        f"project {database.project})\nThere: {count_of(tasks, 'task')}, {opened:,} open\n"
    )
    if synchronous in {"off", "local"}:
        text += f"Careful: synchronous_commit is {synchronous}, so a server that fails may lose what it acknowledged\n"
    return value, text


_STATUS = """select current_setting('server_version'), current_user, current_setting('synchronous_commit'),
    (select max(number) from migrations), (select count(*) from tasks),
    (select count(*) from tasks where closed = 0 and archived is null)"""
