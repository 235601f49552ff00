"""Commands for sessions."""

from overspill.doors.arguments import Command
from overspill.doors.commands.shared import ITEMS, SKIP

COMMANDS = (
    Command(
        ("session", "start"),
        "overspill.doors.sessions:start",
        "begin a session; it takes the place of the root's own until it is ended",
        "[NAME]",
        1,
        examples=("spill session start refactoring",),
    ),
    Command(
        ("session", "end"),
        "overspill.doors.sessions:end",
        "end a session and remove what it kept; other named ones stay for a day",
        "[NAME]",
        1,
        examples=("spill session end refactoring",),
    ),
    Command(
        ("session", "list"),
        "overspill.doors.sessions:list_",
        "the sessions of the root, the one last used first",
        options=(ITEMS, SKIP),
        examples=("spill session list",),
    ),
    Command(
        ("session", "show"),
        "overspill.doors.sessions:show",
        "one session, by its name or id; the one in use if none is named",
        "[NAME|ID]",
        1,
        examples=("spill session show",),
    ),
)
