"""Every command of `spill`, in tables: one file a group, read when a line names a command of it.

Options that many commands share stand here, too. Only `main.py` and what describes the command line come in here.
"""

from __future__ import annotations

from overspill._lite import load_module
from overspill.cli.arguments import Command, Option, natural_number, positive_number

# The first word of a command, and the table it stands in.
TABLES = {
    "fit": "texts",
    "run": "texts",
    "mcp": "care",
    "hook": "agents",
    "init": "agents",
    "redact": "texts",
    "tokens": "texts",
    "artifacts": "care",
    "session": "care",
    "handoff": "tasks",
    "context": "tasks",
    "list": "tasks",
    "ready": "tasks",
    "next": "tasks",
    "find": "tasks",
    "show": "tasks",
    "tree": "tasks",
    "add": "tasks",
    "update": "tasks",
    "claim": "tasks",
    "release": "tasks",
    "done": "tasks",
    "duplicate": "tasks",
    "delete": "tasks",
    "archive": "tasks",
    "tasks": "tasks",
    "log": "tasks",
    "page": "tasks",
    "config": "care",
    "doctor": "care",
    "self-test": "care",
    "stats": "care",
    "replay": "care",
    "report": "care",
    "ui": "care",
    "fleet": "care",
    "purge": "care",
    "demo": "care",
    "completion": "care",
    "help": "care",
}


def commands(word: str = "") -> tuple[Command, ...]:
    """The commands that begin with a word; where none does, all of them, in the order in which they are listed.

    >>> [command.name for command in commands("fit")]
    ['fit']
    """
    if word in TABLES:
        return tuple(command for command in _load_table(TABLES[word]) if command.words[0] == word)
    return tuple(command for name in TABLES for command in commands(name))


def _load_table(name: str) -> tuple[Command, ...]:
    rows: tuple[Command, ...] = load_module(f"{__name__}.{name}").COMMANDS
    return rows


CHARS = Option(
    "--limit", "CHARS", "show at most this many characters; `none` shows all below artifact_threshold", positive_number
)
TOKENS = Option("--tokens", "N", "show at most this many tokens", positive_number)

ITEMS = Option("--limit", "N", "this many on a page (0: all)", natural_number)
SKIP = Option("--offset", "N", "leave out this many from the start", natural_number)
AS_OF = Option("--as-of", "X", "the list as it was; the command under `next` says what to give here")
FEWER = Option(
    "--tokens", "N", "end the page before the record that would take more than so many tokens", positive_number
)
PAGED = (ITEMS, SKIP, FEWER, AS_OF)
