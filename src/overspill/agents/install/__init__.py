"""Coding agents: which settings they read, and how `spill init` puts hooks and the server there and takes them away.

What is said of an agent stands here: its files, what of ours stands in them, and what its user should know. `tables.py`
says it of each. Only `cli` comes in here.

What stood in a file before we changed it is kept (`Backups`), with a digest of what stood there afterwards. With both,
undoing gives back the very bytes, unless somebody has written there since. Settings may hold secrets, so the records
are their owner's alone.
"""

from __future__ import annotations

import base64
import json
import os
import sys

from overspill._lite import TYPE_CHECKING, NamedTuple, sha256
from overspill.agents.hooks.shell import ASKING_SCRIPT, own_path, own_program, shell_word
from overspill.agents.install.entries import SettingsEntry
from overspill.errors import InputError, StoreError, shell_line
from overspill.files import (
    Locked,
    make_directory,
    make_state_directory,
    open_directory,
    read_small,
    remove_file,
    replace_file,
    state_directory,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


SERVER = "overspill"  # the name of our MCP server
OFFERED = ("get_artifact", "search_artifacts", "list_artifacts")  # its tools
SECONDS = 60  # for a hook; a result of a hundred megabytes takes two
PROGRAMS = ("spill", "acode")
UNTRIED = "made after its documentation; not run here with the agent itself"
PUT_SCRIPT = (
    "~/.cache/overspill/ask.sh"  # where a reader puts it: the same for everybody who has the project's settings
)
# Agents run hooks in the project: without -P a directory of our name in it would be imported in our place.
AS_A_MODULE = ("-P", "-m", "overspill")

FOLDER = "agents"  # of backups
VERSION = 1
MAX_BACKUP_BYTES = 1 << 28


class Around(NamedTuple):
    """Where an agent is set up: in a project, or for everything its user does."""

    root: str
    environ: Mapping[str, str]
    is_global: bool
    program: tuple[str, ...]  # the words that start `spill` here
    named: bool = False  # whether the root must be named on a command line that means it

    @property
    def scope(self) -> str:
        return "global" if self.is_global else "project"

    def at_home(self, *names: str, variable: str = "") -> str:
        """A path in the user's home, or below the directory that a variable of the agent names."""
        if variable and self.environ.get(variable):
            return os.path.join(os.path.abspath(self.environ[variable]), *names[1:])
        home = self.environ.get("HOME", "")
        if not os.path.isabs(home):
            raise InputError("HOME is not set, so there is no place for settings of yours")
        return os.path.join(home, *names)

    def in_project(self, *names: str) -> str:
        return os.path.join(self.root, *names)

    def line(self, *words: str) -> str:
        """A command line of ours for a shell."""
        return " ".join(map(shell_word, (*self.program, *words)))

    def asking_line(self, agent: str) -> str:
        """The line of a hook that any shell of POSIX runs: a reader is asked before `spill` is started.

        Where it is gone, or answers nothing, `spill` is started.
        """
        line = self.line("hook", agent)
        return f"[ -r {PUT_SCRIPT} ] && bash {PUT_SCRIPT} {agent} {shell_word(self.program[0])} || {line}"

    def sourcing_line(self, agent: str) -> str:
        """The line of a hook in an agent that runs it in the user's shell, which may ask a reader without a process.

        Only in settings of the user's own: others have no such file. Where it is gone, `spill` is started.
        """
        if not self.is_global:
            return self.line("hook", agent)
        script = shell_word(ASKING_SCRIPT)
        return f"[ -r {script} ] && . {script} {agent} || {self.line('hook', agent)}"

    def init(self, agent: str, *words: str) -> str:
        """The command line that sets up an agent in this place, or with `--uninstall` undoes it."""
        place = ["--global"] if self.is_global else ["--root", self.root] if self.named else []
        return shell_line("spill", "init", agent, *place, *words)


class Target(NamedTuple):
    """One settings file. A new one begins as `base`."""

    path: str
    entries: tuple[SettingsEntry, ...]
    kind: str = "json"  # or "toml", or "whole": a file of our own
    base: str = "{}\n"
    project: str = ""  # whose file it is; no link below it is followed. Empty: the user's, who may link as he likes


class Agent(NamedTuple):
    """One coding agent."""

    name: str
    title: str
    targets: Callable[[Around], tuple[Target, ...]]
    notes: Callable[[Around], tuple[str, ...]]
    is_tried: bool = True  # whether it was run with what we write; else that follows its documentation alone


def program(*, everywhere: bool = False) -> tuple[str, ...]:
    """The words that start this very program, as short as they can be where it is on the PATH.

    `everywhere`, the PATH of an environment that is active here and now is not enough.
    """
    found = own_program()
    active = os.environ.get("VIRTUAL_ENV")
    if everywhere and active and own_path() == os.path.join(active, "bin", "spill"):
        found = own_path()
    return (found,) if found else (sys.executable, *AS_A_MODULE)


def hook_groups(
    around: Around, agent: str, wanted: Mapping[str, tuple[str, str]], line: str = "", **more: object
) -> tuple[SettingsEntry, ...]:
    """Hooks as Claude Code spells them, and others after it: by event, what they match and what they are for."""
    handler = {"type": "command", "command": line or around.line("hook", agent), **more}
    return tuple(
        SettingsEntry(
            ("hooks", event),
            {**({"matcher": matcher} if matcher else {}), "hooks": [handler]},
            says,
            lambda value: is_hook(value, agent),
            "group",
        )
        for event, (matcher, says) in wanted.items()
    )


def hook_elements(agent: str, wanted: Mapping[str, tuple[str, str]], **handler: object) -> tuple[SettingsEntry, ...]:
    """Hooks that stand in a list by themselves: by event, what they match and what they are for."""
    return tuple(
        SettingsEntry(
            ("hooks", event),
            {**handler, **({"matcher": matcher} if matcher else {})},
            says,
            lambda value: is_hook(value, agent),
            "element",
        )
        for event, (matcher, says) in wanted.items()
    )


def server_entry(
    keys: tuple[str, ...], around: Around, agent_keys: tuple[str, ...] = (), **more: object
) -> SettingsEntry:
    """The MCP server that fetches what was kept."""
    words = [*around.program, "mcp", "serve"]
    value = {**more, "command": words[0], "args": words[1:]}
    says = "the MCP server with which the model fetches what was left out"
    return SettingsEntry((*keys, SERVER), value, says, is_server, agent_keys=agent_keys)


def is_hook(value: object, agent: str) -> bool:
    """Whether a hook runs this program for an agent, wherever it was installed.

    >>> is_hook({"command": "'/opt/my tools/spill' hook codex"}, "codex"), is_hook({"command": "spill fit"}, "codex")
    (True, False)
    """
    lines = [value.get(key) for key in ("command", "bash")] if isinstance(value, dict) else []
    return any(words_of(line, "hook", agent) for line in lines)


def words_of(line: object, *words: str) -> list[str]:
    """The words that start this program, if a line does nothing but run it with `words`; else none.

    Whoever put more on the line wrote it himself, and it stays his.

    >>> words_of("'/my tools/spill' stats --line", "stats", "--line")
    ['/my tools/spill']
    >>> words_of("python3 -P -m overspill hook x", "hook", "x"), words_of("x; spill hook codex", "hook", "codex")
    (['python3', '-P', '-m', 'overspill'], [])
    >>> script = "/x/overspill/agents/hooks/ask.sh"
    >>> words_of(f"[ -r {script} ] && . {script} codex || spill hook codex", "hook", "codex")
    ['spill']
    >>> script = "~/.cache/overspill/ask.sh"
    >>> words_of(f"[ -r {script} ] && bash {script} copilot spill || spill hook copilot", "hook", "copilot")
    ['spill']
    """
    import shlex

    try:
        found = shlex.split(line) if isinstance(line, str) else []
    except ValueError:
        return []
    match found:
        case ["[", "-r", script, "]", "&&", ".", sourced, agent, "||", *rest]:
            is_ours = script == sourced and script.endswith("/overspill/agents/hooks/ask.sh") and agent == words[-1]
            found = rest if is_ours else found
        case ["[", "-r", script, "]", "&&", "bash", run, agent, program, "||", *rest]:
            is_ours = script == run == PUT_SCRIPT and agent == words[-1] and rest[:1] == [program]
            found = rest if is_ours else found
    before, after = found[: -len(words)], found[-len(words) :]
    return before if after == list(words) and starts_us(before) else []


def starts_us(words: Sequence[str]) -> bool:
    """Whether these words start this program, wherever it was installed.

    >>> starts_us(["/opt/spill"]), starts_us(["python3", "-P", "-m", "overspill"]), starts_us(["npx", "spill"])
    (True, True, False)
    """
    if len(words) == 1:
        return os.path.basename(words[0]) in PROGRAMS
    return tuple(words[1:]) in {AS_A_MODULE, AS_A_MODULE[1:]}  # the latter was written before


def is_server(value: object) -> bool:
    """Whether a server is ours: one that is started by `spill mcp serve`, and nothing else.

    >>> is_server({"command": "/x/spill", "args": ["mcp", "serve"]}), is_server({"command": ["npx", "mcp", "serve"]})
    (True, False)
    """
    if not isinstance(value, dict):
        return False
    parts = [part if isinstance(part, list) else [part] for part in (value.get("command"), value.get("args", []))]
    words = [word for part in parts for word in part if isinstance(word, str)]
    return len(words) == sum(map(len, parts)) and words[-2:] == ["mcp", "serve"] and starts_us(words[:-2])


def runs_program(entry: SettingsEntry) -> bool:
    """Whether an entry is a hook or the server: what stands in its place runs in our name."""
    return entry.is_ours is is_server or entry.keys[:1] in {("hooks",), ()}


class FileBackup(NamedTuple):
    """What is remembered of one file."""

    before: bytes | None  # None: there was no file
    after: str  # the digest of what we wrote
    directories: tuple[str, ...] = ()  # that we made for it


class Backups:
    """The records of a user, in a directory of his own, open for the length of one command."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._state = state_directory(environ)
        self._directory: int | None = None

    def read(self, path: str) -> FileBackup | None:
        """What is remembered of a file, if anything."""
        directory = self._open_directory()
        content = read_small(_backup_name(path), directory, MAX_BACKUP_BYTES) if directory is not None else None
        try:
            found = json.loads(content) if content else None
            if not found or found["version"] != VERSION:
                return None
            before = None if found["before"] is None else base64.b64decode(found["before"])
            return FileBackup(before, str(found["after"]), tuple(map(str, found["directories"])))
        except (ValueError, KeyError, TypeError):
            return None  # as if nothing was written down: what is ours can still be recognised

    def write(self, path: str, record: FileBackup) -> None:
        """Remember a file, in the place of what was remembered of it."""
        before = None if record.before is None else base64.b64encode(record.before).decode()
        held = {"version": VERSION, "path": path, "before": before, "after": record.after}
        content = json.dumps({**held, "directories": record.directories})
        replace_file(_backup_name(path), self._make_directory(), content.encode("utf-8", "surrogateescape"))

    def forget(self, path: str) -> None:
        """Remember a file no longer."""
        if (directory := self._open_directory()) is not None:
            remove_file(_backup_name(path), directory)

    def lock(self) -> Locked:
        """Keep other commands that change settings away until this one is done."""
        return Locked("lock", self._make_directory())

    def close(self) -> None:
        if self._directory is not None:
            os.close(self._directory)
            self._directory = None

    def _open_directory(self) -> int | None:
        if self._directory is None and self._state is not None:
            try:
                above = os.open(self._state, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            except OSError:
                return None
            try:
                self._directory = open_directory(FOLDER, above)
            finally:
                os.close(above)
        return self._directory

    def _make_directory(self) -> int:
        if self._open_directory() is None:
            above = make_state_directory(self._state) if self._state else None
            if above is None:
                raise InputError("there is no place for backups; set HOME or XDG_STATE_HOME to a directory of yours")
            try:
                self._directory = make_directory(FOLDER, above)
            finally:
                os.close(above)
        if self._directory is None:
            raise StoreError("the directory of backups is gone")
        return self._directory


def settings_digest(content: bytes) -> str:
    """By which bytes are known again."""
    return sha256(content).hexdigest()


def _backup_name(path: str) -> str:
    return sha256(os.fsencode(path)).hexdigest()[:26] + ".json"
