"""Every command of `spill`, in tables: one file a group, read when a line names a command of it.

Here are those that take a text and give a text; `spill run`, which takes it from another command; and what sets up a
coding agent, and what its hooks call. Options that many commands share stand here, too. Only `main.py` and what
describes the command line come in here.
"""

from __future__ import annotations

from overspill._lite import load_module
from overspill.agents import AGENTS
from overspill.cli.arguments import Command, Option, natural_number, positive_number

HERE = ""

# The first word of a command, and the table it stands in.
TABLES = {
    "fit": HERE,
    "run": HERE,
    "mcp": "care",
    "hook": HERE,
    "init": HERE,
    "redact": HERE,
    "tokens": HERE,
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
    if name == HERE:
        return COMMANDS
    rows: tuple[Command, ...] = load_module(f"{__name__}.{name}").COMMANDS
    return rows


CHARS = Option(
    "--limit",
    "CHARS",
    "show at most this many characters; with `--strategy none` all below artifact_threshold is shown",
    positive_number,
)
TOKENS = Option("--tokens", "N", "show at most this many tokens", positive_number)

ITEMS = Option("--limit", "N", "this many on a page (0: all)", natural_number)
SKIP = Option("--offset", "N", "leave out this many from the start", natural_number)
AS_OF = Option("--as-of", "X", "the list as it was; the command under `next` says what to give here")
FEWER = Option(
    "--tokens", "N", "end the page before the record that would take more than so many tokens", positive_number
)
PAGED = (ITEMS, SKIP, FEWER, AS_OF)


TEXTS = (
    Command(
        ("fit",),
        "overspill.cli.fit:run",
        "fit a text into a budget; `spill` alone in a pipe does the same",
        "[FILE|-]",
        1,
        (
            Option("--tool", "T", "the tool that said it: its limits and strategy apply"),
            Option("--strategy", "S", "head, tail, head_tail, line, element, smart, none, or one you registered"),
            CHARS,
            TOKENS,
            Option("--kind", "K", "what it is, if you know better than a look at it: json, log, diff, ..."),
            Option("--focus", "X", "what you are looking for"),
            Option("--explain", help="say on standard error what was kept and why"),
        ),
        (
            "make test 2>&1 | spill fit --tool bash",
            "spill fit build.log --strategy tail --limit 4000",
            "curl -s localhost:8000/users | spill fit --tokens 2000 --json",
        ),
        "Reads a file or standard input, writes what fits, and says what was left out and how to get it.",
    ),
    Command(
        ("redact",),
        "overspill.cli.redact:redact",
        "a text without its secrets",
        "[FILE|-]",
        1,
        (
            Option("--report", help="say on standard error how many secrets each rule found"),
            Option("--why", help="say on standard error, for each one, its rule, type, line, column and reason"),
        ),
        (
            "spill redact build.log > safe.log",
            "kubectl describe pod web | spill redact --why",
            "spill redact .env --report --json",
        ),
        "A filter of any length: every byte that is no secret stays as it is. What is said about a secret never\n"
        "holds the secret. It redacts even where the settings switch redaction off.",
    ),
    Command(
        ("tokens",),
        "overspill.cli.redact:tokens",
        "count characters, lines, bytes and tokens",
        "[FILE|-]",
        1,
        (),
        ("git diff | spill tokens", "spill tokens README.md --json"),
    ),
)


ANY_NUMBER = 1_000_000
MOST_SECONDS_CHARS = 12
FAILED_TO_RUN = 125  # every other status is that of the command


def seconds(word: str) -> float:
    """A length of time.

    >>> seconds("0.5")
    0.5
    """
    if (
        not word.replace(".", "", 1).isdecimal()
        or not word.isascii()
        or float(word) <= 0
        or len(word) > MOST_SECONDS_CHARS
    ):
        raise ValueError("a number of seconds above 0")
    return float(word)


RUNNING = (
    Command(
        ("run",),
        "overspill.cli.run:run",
        "run a command and show what fits of its output; the status is the command's",
        "[--] CMD...",
        ANY_NUMBER,
        (
            Option("--tool", "T", "the tool it counts as: its limits and strategy apply (default: execute_command)"),
            Option("--strategy", "S", "head, tail, head_tail, line, smart, none, or one you registered"),
            CHARS,
            TOKENS,
            Option("--focus", "X", "what you are looking for"),
            Option("--tee", help="show its output on standard error as it comes, without secrets"),
            Option("--no-tee", help="do not, even where standard error is a terminal"),
            Option("--separate", help="two views that share the budget, each on the stream it came from"),
            Option(
                "--pty",
                help="let it write to a terminal, for commands that say more on one; nothing can be typed",
            ),
            Option("--timeout", "S", "end it, and all it started, after so many seconds; status 124", seconds),
            Option("--cwd", "DIR", "run it there"),
            Option("--env", "NAME=VALUE", "add this to its environment; may be given more than once", many=True),
        ),
        (
            "spill run -- pytest -x",
            "spill run --limit 4000 --timeout 600 make -j8",
            "spill run --separate -- bash -c 'make && ./serve --check'",
        ),
        "Standard output carries the view and nothing else: both outputs of the command, in the order they were\n"
        "written. Status: the command's; 124 out of time; 125 a failure of ours; 126 and 127 as in a shell; 128 and\n"
        "the number of the signal that ended it. Interrupts are sent on to the command and all it started.",
        rest=True,
        failure=FAILED_TO_RUN,
    ),
)

FOR_AGENTS = (
    Command(
        ("hook",),
        "overspill.cli.hook:run",
        "answer an event of a coding agent, in its own format; the status is always 0",
        "AGENT",
        2,
        (
            Option("--in", "DIR", "the project of the agent (default: the directory it says, or this one)"),
            Option("--agent", "AGENT", "for `spill hook shell`: whose shell it is"),
            Option("--while", "DIR", "for `spill hook shell`, which agents' shells start: read on while it is there"),
        ),
        ("spill hook claude-code < event.json", "spill init claude-code"),
        f"Agents: {', '.join(AGENTS)}. Reads one event on standard input and writes one answer. Commands are\n"
        "rewritten before they run so that their output fits whether they fail or not, and results are replaced\n"
        "after the run where the agent honours it. `spill init AGENT` registers it.",
        failure=0,  # an agent would take another status for its own failure, or for a wish to stop it
    ),
    Command(
        ("init",),
        "overspill.cli.init:run",
        "set up a coding agent: hooks, the MCP server, and how to undo it",
        "[AGENT...]",
        len(AGENTS),
        (
            Option("--global", help="for everything you do with the agent (default: in this project)"),
            Option("--dry-run", help="show what would change in which file, and change nothing"),
            Option("--uninstall", help="take everything of ours out again"),
            Option("--show", help="say what is set up where; without AGENT, of all agents"),
        ),
        ("spill init claude-code", "spill init codex --global --dry-run", "spill init --show"),
        f"Agents: {', '.join(AGENTS)}. Comments, order and everything that is not ours are kept, and a\n"
        "second run changes nothing. --uninstall gives back the very files as they were, or, where somebody wrote\n"
        "there since, takes out only what is ours.",
    ),
)

COMMANDS = (*TEXTS, *RUNNING, *FOR_AGENTS)
