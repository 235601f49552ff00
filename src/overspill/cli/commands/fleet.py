"""Commands for what many machines share."""

from __future__ import annotations

from overspill.cli.arguments import Command, Option

COMMANDS = (
    Command(
        ("fleet", "init"),
        "overspill.cli.fleet_database:init",
        "make the tables of `fleet.database`, and let a database role use them",
        options=(
            Option("--role", "NAME", "the role that pods connect with (default, the first time: that of the address)"),
            Option("--tenant", "NAME", "the one tenant that the role may use (default: every tenant)"),
        ),
        examples=("spill fleet init", "spill fleet init --role acme_app --tenant acme"),
        detail="The role of the address owns the tables. It may be run again, and by many at once: what is there\n"
        "stays. A role that may use one tenant alone is held to it by the server, whatever program it runs.",
    ),
    Command(
        ("fleet", "migrate"),
        "overspill.cli.fleet_database:migrate",
        "bring the tables of `fleet.database` up to date, whoever else does so at this moment",
        examples=("spill fleet migrate", "spill fleet migrate --json"),
    ),
    Command(
        ("fleet", "check"),
        "overspill.cli.fleet_check:check",
        "try everything a bucket and a database have to do; what is written for that is removed again",
        examples=("spill fleet check", "OVERSPILL_TENANT=acme spill fleet check --json"),
        detail="Of the bucket: objects that are created once, ranges, lists, removal, its clock; it writes below\n"
        "v1/<tenant>/check. Of the database: whether it is reached and migrated, keeps tenants apart, has the right\n"
        "time, and writes down what it acknowledges. What fails is told with what to do next. Exit status 3 then.",
    ),
    Command(
        ("fleet", "status"),
        "overspill.cli.fleet:status",
        "what is in the database, what of its quota a tenant uses, what is owed to the bucket, and what is there",
        examples=("spill fleet status", "spill fleet status --json"),
    ),
    Command(
        ("fleet", "push"),
        "overspill.cli.fleet:push",
        "send what is owed to the bucket, of every session of this root",
        examples=("spill fleet push",),
        detail="What was kept while the bucket did not answer, or by processes that died. Also before a pod ends.",
    ),
    Command(
        ("fleet", "rules"),
        "overspill.cli.fleet:rules",
        "the lifecycle rule and the policy of a tenant, for the bucket's administration",
        options=(
            Option("--for", "CLOUD", "s3, gs or az (default: that of `artifacts.store`)"),
            Option("--longest", "DURATION", "how long the longest session may live (default: 30d)"),
        ),
        examples=("spill fleet rules", "spill fleet rules --for gs --longest 7d"),
    ),
)
