"""`spill fleet status | push | rules`: the bucket that many machines share."""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING
from overspill.cli.opening import open_workspace
from overspill.cli.output import print_answer
from overspill.cli.output.tables import count_of
from overspill.core.size import human_bytes
from overspill.errors import BucketError, ConfigError, OverspillError, UsageError, reason_of
from overspill.fleet.rules import CLOUDS, lifecycle_rule, net_days, rules_text, tenant_policy
from overspill.settings.checks import DURATION, Wrong

if TYPE_CHECKING:
    from overspill.cli.arguments import CommandCall
    from overspill.database.quota import TenantQuota
    from overspill.fleet.store import FleetStore

LONGEST = 30 * 86400


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
