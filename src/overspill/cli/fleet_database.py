"""`spill fleet init | migrate`, and what `status` says of it: the database that many machines share."""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING
from overspill.cli.opening import open_workspace
from overspill.cli.output import print_answer
from overspill.cli.output.tables import count_of
from overspill.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from overspill.cli.arguments import CommandCall
    from overspill.database import FleetDatabase


def init(call: CommandCall) -> int:
    """Make the tables, and let a role use them."""
    from overspill.database import schema

    role, tenant = call.text("--role") or "", call.text("--tenant") or ""
    if tenant and not role:
        raise UsageError("--tenant says whose rows a role may use; name the role with --role")
    done = schema.init(_database_of(call), role=role, tenant=tenant)
    text = _format_words(done.before, done.after)
    whose = "every tenant" if done.tenant == schema.ANY_TENANT else f"tenant {done.tenant}"
    text += f"Role {done.role} may use them for {whose}\n" if done.role else _NOBODY
    return print_answer(call, "migrated", done._asdict(), text)


_NOBODY = "No role was allowed to use them; name the one that pods connect with: spill fleet init --role NAME\n"


def migrate(call: CommandCall) -> int:
    """Bring the tables up to date."""
    from overspill.database import schema

    done = schema.migrate(_database_of(call))
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
