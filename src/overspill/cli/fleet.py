"""`spill fleet check | status | push | rules`: the bucket that many machines share."""

from __future__ import annotations

import os

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.cli.opening import open_workspace
from overspill.cli.output import print_answer
from overspill.cli.output.tables import count_of
from overspill.core.size import human_bytes
from overspill.errors import BucketError, ConfigError, UsageError
from overspill.fleet.rules import CLOUDS, lifecycle_rule, net_days, rules_text, tenant_policy
from overspill.settings.checks import DURATION, Wrong

if TYPE_CHECKING:
    from collections.abc import Callable

    from overspill.cli.arguments import CommandCall
    from overspill.fleet.bucket import Bucket
    from overspill.fleet.store import FleetStore

LONGEST = 30 * 86400
TRIED_BYTES = 100_000


class Trial(NamedTuple):
    """One thing that a bucket has to do, and how it went."""

    what: str
    reason: str = ""  # why it failed; nothing where it did not

    @property
    def line(self) -> str:
        return f"{'failed' if self.reason else 'ok':7} {self.what}{f': {self.reason}' if self.reason else ''}\n"


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


def check(call: CommandCall) -> int:
    """Try everything a bucket has to do."""
    store = open_fleet(call)
    trials = bucket_trials(store.far.bucket, f"{store.far.keys.of_tenant}/check/{os.urandom(8).hex()}")
    value = [{"check": trial.what, "ok": not trial.reason, "reason": trial.reason} for trial in trials]
    head = f"{store.far.bucket.address}, tenant {store.far.tenant}, sealed: {store.far.seal.name}\n"
    print_answer(call, "checks", value, head + "".join(trial.line for trial in trials))
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

    steps: tuple[tuple[str, Callable[[], bool]], ...] = (
        ("an object can be created", lambda: bucket.create(key, content)),
        ("one that is there is not written again", lambda: not bucket.create(key, b"other") and read() == content),
        ("it is read back whole", lambda: read() == content),
        ("a range of it is read", part),
        ("it is listed at once", lambda: [one.key for one in bucket.entries(folder)] == [key]),
        ("what is not there is said not to be", lambda: bucket.fetch(f"{folder}/none", 0, 10) is None),
        ("it is removed", lambda: _removes(bucket, key)),
    )
    trials = []
    for what, step in steps:
        try:
            trials.append(Trial(what, "" if step() else "it does something else"))
        except BucketError as error:
            trials.append(Trial(what, error.reason))
            if not trials[0].reason:
                continue
            break  # where nothing can be written there is nothing to try
    return trials


def _removes(bucket: Bucket, key: str) -> bool:
    bucket.remove([key])
    return bucket.entry(key) is None


def status(call: CommandCall) -> int:
    """What is in the database, if one is named, what is here, what is owed, and what is in the bucket."""
    here = open_workspace(call, forgiving=False)
    value: dict[str, object] = {}
    text = ""
    if (database := here.database) is not None:
        from overspill.cli.fleet_database import database_status

        value["database"], text = database_status(database)
    if database is None or here.settings.get("tools.truncation.artifacts.store"):
        there, words = bucket_status(open_fleet(call))
        value |= there
        text += words
    return print_answer(call, "fleet", value, text)


def bucket_status(store: FleetStore) -> tuple[dict[str, object], str]:
    """What a bucket holds for a tenant, and what is owed to it, as a value and in words."""
    from overspill.fleet.expiry import is_artifact_key, tenant_sessions

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
    return value, text + (f"Left alone for the moment: {why}\n" if why else "")


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
