"""How much a tenant may keep: taken and noted in one statement, so that no number of processes exceeds it."""

import time
from pathlib import Path

import psycopg

from children import AtOnce
from doors_kit import Shell, mapping, ok
from overspill.database import FleetDatabase, TenantQuota, TenantUsage
from postgres_kit import prepare

RESERVE = """
import psycopg, sys
from overspill.database import FleetDatabase
from overspill.database import TenantQuota
quota = TenantQuota(FleetDatabase(sys.argv[1], "acme"), 1000)
for number in range(12):
    print(int(quota.reserve(sys.argv[2], f"art_{number}", 7 + number)), flush=True)
"""


def test_twenty_processes_that_reserve_at_once_never_exceed_the_quota(dsn: str, tmp_path: Path) -> None:
    prepare(dsn)
    children = AtOnce(RESERVE, [(dsn, f"ses_{number}") for number in range(20)], tmp_path)
    most = 0
    quota = TenantQuota(FleetDatabase(dsn, "acme"), 1000)
    while not children.is_over:
        most = max(most, quota.usage().bytes)
        time.sleep(0.05)
    told = [[*map(int, words)] for words in children.told()]
    taken = sum(7 + number for one in told for number, was in enumerate(one) if was)
    used = quota.usage()
    with psycopg.connect(dsn) as raw:
        raw.execute("set overspill.tenant = 'acme'")
        noted = raw.execute("select coalesce(sum(bytes), 0)::bigint, count(*) from overspill.kept").fetchone()
    assert (used.bytes, used.artifacts) == noted == (taken, sum(map(sum, told)))
    assert 1000 - 18 < used.bytes <= 1000  # full, to the smallest that was refused
    assert most <= 1000
    print(f"20 processes, {sum(map(len, told))} asked, {used.artifacts} had room: {used.bytes} of 1000 bytes")


def test_room_is_given_once_given_back_once_and_is_the_tenants_own(dsn: str) -> None:
    prepare(dsn)
    quota, theirs = (TenantQuota(FleetDatabase(dsn, tenant), 100) for tenant in ("acme", "other"))
    assert quota.reserve("s", "a", 60)
    assert quota.reserve("s", "a", 60)  # whoever tries again has it already
    assert quota.usage() == TenantUsage(60, 1, 100)
    assert not quota.reserve("s", "b", 41)
    assert not theirs.reserve("s", "huge", 101)
    assert theirs.reserve("s", "a", 100)
    quota.release("s", ["a", "never there"])
    quota.release("s", ["a"])
    assert quota.usage() == TenantUsage(0, 0, 100)
    assert theirs.usage() == TenantUsage(100, 1, 100)
    assert quota.reserve("s", "b", 100)


def test_room_of_what_is_not_there_is_given_back_after_a_day(dsn: str) -> None:
    prepare(dsn)
    quota = TenantQuota(FleetDatabase(dsn, "acme"), 100)
    for name in ("there", "lost", "on its way"):
        assert quota.reserve("s", name, 10)
    with psycopg.connect(dsn, autocommit=True) as raw:
        raw.execute("set overspill.tenant = 'acme'")
        raw.execute("update overspill.kept set reserved = now() - interval '2 days' where artifact <> 'on its way'")
    quota.settle(["there"])
    assert quota.usage() == TenantUsage(20, 2, 100)


def test_machines_share_the_room_of_their_tenant_and_carry_on_without(tmp_path: Path, dsn: str) -> None:
    prepare(dsn)
    bucket = tmp_path / "bucket"
    bucket.mkdir()
    variables = {
        "OVERSPILL_FLEET__DATABASE": "env:FLEET_DSN",
        "FLEET_DSN": dsn,
        "OVERSPILL_TENANT": "acme",
        "OVERSPILL_FLEET__QUOTA": "150KB",
        "OVERSPILL_TOOLS__TRUNCATION__ARTIFACTS__STORE": f"file://{bucket}",
        "OVERSPILL_SESSION": "run-1",
    }
    one, two = (Shell(tmp_path, root=name, **variables) for name in ("one", "two"))
    first = one.put("x" * 100_000)
    said = ok(two.spill("artifacts", "put", stdin="y" * 100_000))
    assert "tenant acme has used up its quota of 153,600 bytes" in said.err
    assert ok(two.spill("artifacts", "export", said.out.strip(), "-")).out == "y" * 100_000  # kept here
    assert TenantQuota(FleetDatabase(dsn, "acme"), 1).usage().bytes == 100_000
    status = ok(two.spill("fleet", "status"))
    assert "Quota of tenant acme: 97.7 KB in 1 artifact, 65% of 150.0 KB\n" in status.out
    told = mapping(mapping(ok(one.spill("fleet", "status", "--json")).envelope["fleet"])["quota"])
    assert told == {"bytes": 100_000, "artifacts": 1, "limit": 153_600}
    ok(one.spill("artifacts", "rm", first))
    assert TenantQuota(FleetDatabase(dsn, "acme"), 1).usage().bytes == 0
    without = Shell(tmp_path, root="three", **{**variables, "OVERSPILL_FLEET__DATABASE": "null"})
    assert "fleet.quota is held by a database" in without.spill("artifacts", "put", stdin="z").err
