"""Every command of `spill`, in tables: one file a group, read when a line names a command of it."""

from overspill._lite import loaded
from overspill.cli.arguments import Command

# The first word of a command, and the table it stands in.
TABLES = {
    "fit": "texts",
    "run": "running",
    "mcp": "protocol",
    "hook": "agents",
    "init": "agents",
    "redact": "texts",
    "tokens": "texts",
    "artifacts": "artifacts",
    "session": "sessions",
    "handoff": "handoffs",
    "context": "handoffs",
    "list": "tasks",
    "find": "tasks",
    "show": "tasks",
    "add": "tasks",
    "update": "tasks",
    "done": "tasks",
    "archive": "tasks",
    "log": "tasks",
    "page": "tasks",
    "config": "settings",
    "doctor": "care",
    "stats": "care",
    "purge": "care",
    "demo": "care",
    "completion": "care",
}


def commands(word: str = "") -> tuple[Command, ...]:
    """The commands that begin with a word; where none does, all of them, in the order in which they are listed.

    >>> [command.name for command in commands("fit")]
    ['fit']
    """
    if word in TABLES:
        return tuple(command for command in _table(TABLES[word]) if command.words[0] == word)
    return tuple(command for name in TABLES for command in commands(name))


def _table(name: str) -> tuple[Command, ...]:
    rows: tuple[Command, ...] = loaded(f"{__name__}.{name}").COMMANDS
    return rows
