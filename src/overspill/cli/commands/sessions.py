"""Commands for sessions."""

from overspill.cli.arguments import Command, Option
from overspill.cli.commands import PAGED

ABOUT = (
    Option("--scope", "TEXT", "what the session is about"),
    Option("--focus", "ID", "the task it works on"),
    Option("--note", "TEXT", "a note; given more than once, each is one", many=True),
)

COMMANDS = (
    Command(
        ("session", "start"),
        "overspill.cli.session:start",
        "begin a session; it takes the place of the root's own until it is ended",
        "[NAME]",
        1,
        ABOUT,
        ("spill session start refactoring", "spill session start login --scope epic:T1 --focus T5"),
    ),
    Command(
        ("session", "end"),
        "overspill.cli.session:end",
        "end a session and remove what it kept; other named ones stay for a day",
        "[NAME]",
        1,
        examples=("spill session end refactoring",),
    ),
    Command(
        ("session", "list"),
        "overspill.cli.session:list_",
        "the sessions of the root, the newest first",
        options=PAGED,
        examples=("spill session list",),
    ),
    Command(
        ("session", "show"),
        "overspill.cli.session:show",
        "one session, by its name or id; the one in use if none is named",
        "[NAME|ID]",
        1,
        examples=("spill session show",),
    ),
    Command(
        ("session", "update"),
        "overspill.cli.session:update",
        "say what a session is about: scope, the task in focus, notes",
        "[NAME|ID]",
        1,
        ABOUT,
        ("spill session update --focus T7 --note 'the parser is done'",),
    ),
)
