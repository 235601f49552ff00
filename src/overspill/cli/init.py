"""`spill init AGENT`: hooks and the MCP server in the agent's settings, or out of them; and what is set up where."""

from __future__ import annotations

import os

from overspill._lite import TYPE_CHECKING, NamedTuple, suppress
from overspill.agents import AGENTS
from overspill.agents.install import UNTRIED, Agent, Around, Backups, plan, program, runs_program
from overspill.agents.install.entries import MISSING, OLDER, THEIRS, THERE, WITHHELD
from overspill.agents.install.plan import (
    ASIDE,
    CHANGED,
    CREATED,
    PUT_ASIDE,
    REMOVED,
    RESTORED,
    TAKEN_OUT,
    UNCHANGED,
    ChangedMeanwhile,
    FileChange,
    FileStatus,
    Planner,
    entries_of,
    file_statuses,
    write_changes,
)
from overspill.agents.install.tables import agent_called
from overspill.cli.opening import root_of
from overspill.cli.output import note, print_answer
from overspill.cli.tables import visible
from overspill.errors import InputError, LockTimeout, UsageError
from overspill.workspace.opening import find_root

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from overspill.cli.arguments import CommandCall


STATES = {
    THERE: "{place}",
    OLDER: "{place}: from another version or place of spill; the command brings it up to date",
    MISSING: "{place}: not there",
    THEIRS: "! {place}: not equal to ours, left alone",
}

TRIES = 5  # a running agent may write its settings while we do
PROXY = "To fit what another MCP server says, put its command behind the proxy: spill mcp proxy -- COMMAND ARGUMENTS"
FOUND = {
    MISSING: "+ {place}: {says}",
    OLDER: "~ {place}: brought up to date",
    THERE: "= {place}: {says}",
    THEIRS: "! {place}: left alone, what stands there is not ours",
    WITHHELD: "! {place}: not written, because the server that it would trust is not ours",
}
# Where a stranger's entry would run in our name.
ALARM = "WARNING: {path}: {place} is not equal to ours. It was left alone and is not approved; look at what it runs."


def around_of(call: CommandCall) -> Around:
    """Where agents are set up by this command line."""
    root = root_of(call)
    named = call.text("--root") is not None and root != find_root(None, os.environ, os.getcwd())
    is_global = call.flag("--global")
    return Around(root, os.environ, is_global, program(everywhere=is_global), named)


class AgentSetup(NamedTuple):
    """What is found of one agent in one place."""

    agent: Agent
    around: Around
    files: tuple[FileStatus, ...]

    @property
    def status(self) -> str:
        states = {state for file in self.files for state in file.states}
        if any(file.problem for file in self.files):
            return "broken"
        if not states & {THERE, OLDER}:
            return "not installed"
        return "incomplete" if states & {MISSING, OLDER} else "installed"

    @property
    def command(self) -> str:
        """What there is to do about it."""
        return self.around.init(self.agent.name, *["--uninstall"][: self.status == "installed"])


def show(call: CommandCall) -> int:
    """Say what is set up where."""
    agents = [agent_called(name) for name in dict.fromkeys(call.arguments or AGENTS)]
    found = [one for agent in agents for one in agent_setups(agent, around_of(call))]
    return print_answer(call, "agents", list(map(_setup_record, found)), "".join(map(_setup_text, found)))


def agent_setups(agent: Agent, around: Around) -> Iterator[AgentSetup]:
    """What is found of an agent in the project and for its user; with `--global` only for its user."""
    for is_global in (True,) if around.is_global else (False, True):
        place = around._replace(is_global=is_global)
        yield AgentSetup(agent, place, file_statuses(agent, place))


def _setup_record(found: AgentSetup) -> dict[str, object]:
    return {
        "agent": found.agent.name,
        "scope": found.around.scope,
        "status": found.status,
        "files": list(map(_file_record, found.files)),
        "command": found.command,
    }


def _file_record(file: FileStatus) -> dict[str, object]:
    entries = [
        {"at": entry.place or "the whole file", "found": state, "for": entry.says}
        for entry, state in zip(file.target.entries, file.states, strict=False)
    ]
    there = os.path.lexists(file.target.path)
    return {"path": file.target.path, "exists": there, "entries": entries, "problem": file.problem or None}


def _state_lines(file: FileStatus, wanted: set[str]) -> list[str]:
    return [
        f"    {STATES[state].format(place=entry.place or 'the whole file')}"
        for entry, state in zip(file.target.entries, file.states, strict=True)
        if state in wanted
    ]


def _setup_text(found: AgentSetup) -> str:
    lines = [f"{found.agent.name} ({found.around.scope}): {found.status}"]
    for file in found.files:
        path = visible(file.target.path)
        if file.problem:
            lines.append(f"  {path}: {file.problem}")
        elif found.status == "not installed":
            lines.append(f"  {path}: would be {'changed' if os.path.lexists(file.target.path) else 'made'}")
            lines += _state_lines(file, {THEIRS})
        else:
            lines += [f"  {path}", *_state_lines(file, set(STATES))]
    if not found.agent.is_tried:
        lines.append(f"  {UNTRIED}")
    verb = {"installed": "undo", "broken": "once that is mended"}.get(found.status, "install")
    return "\n".join([*lines, f"  {verb}: {found.command}"]) + "\n"


WAYS = {
    CREATED: "new",
    CHANGED: "changed",
    UNCHANGED: "unchanged",
    RESTORED: "as it was before",
    REMOVED: "removed",
    TAKEN_OUT: "edited since: only what is ours was taken out",
    PUT_ASIDE: f"edited since: put aside as NAME{ASIDE}",
}


def run(call: CommandCall) -> int:
    """Put in, take out, or show, for the agents that were named."""
    if call.flag("--show"):
        return show(call)
    agents = named_agents(call)
    around = around_of(call)
    undo = call.flag("--uninstall")
    how = plan.uninstall_change if undo else plan.install_change
    dry = call.flag("--dry-run")
    done = _plan_changes(agents, around, how) if dry else _apply_changes(agents, around, how)
    if not dry and not undo:
        _build_database()
    said = [_agent_record(agent, around, changes, undo=undo, dry=dry) for agent, changes in done]
    texts = [_agent_text(agent, around, changes, undo, dry) for agent, changes in done]
    for alarm in (alarm for _, changes in done for alarm in alarms_of(changes)):
        note(alarm)
    return print_answer(call, "agents", said, ("" if dry else "\n").join(texts))


def _build_database() -> None:
    """Compile the rules for secrets, if no database is kept.

    Otherwise every server and hook that the agent starts first does so, for seconds, and agents ask their model
    before a server that is so late has told its tools.
    """
    from overspill.redact import database

    database()


def named_agents(call: CommandCall) -> list[Agent]:
    """The agents that were named; there must be one."""
    from overspill.agents import AGENTS

    if not call.arguments:
        raise UsageError(f"which agent? There are: {', '.join(AGENTS)}; `spill init --show` says what is set up")
    return [agent_called(name) for name in dict.fromkeys(call.arguments)]


Done = list[tuple[Agent, list[FileChange]]]


def _plan_changes(agents: Sequence[Agent], around: Around, how: Planner) -> Done:
    backups = Backups(os.environ)
    try:
        return [(agent, plan.planned_changes(agent, around, backups, how)) for agent in agents]
    finally:
        backups.close()


def _apply_changes(agents: Sequence[Agent], around: Around, how: Planner) -> Done:
    """All files of all agents are looked at before the first is written."""
    backups = Backups(os.environ)
    try:
        with backups.lock():
            for _ in range(TRIES):
                done = [(agent, plan.planned_changes(agent, around, backups, how)) for agent in agents]
                try:
                    changes = [change for _, changes in done for change in changes]
                    write_changes(changes, backups, private=around.is_global)
                except ChangedMeanwhile:
                    continue
                return done
    finally:
        backups.close()
    raise LockTimeout("a settings file is written all the time; close the agent, then run this again")


def notes_of(agent: Agent, around: Around) -> list[str]:
    """What the user should know, and whether the agent is set up twice."""
    other = around._replace(is_global=not around.is_global)
    with suppress(InputError):  # without a home there is nothing of the user
        if any({THERE, OLDER} & set(file.states) for file in plan.file_statuses(agent, other)):
            twice = f"It is set up in the {other.scope} settings, too, and once is enough: {undo_line(agent, other)}"
            return [*_agent_notes(agent, around), twice]
    return _agent_notes(agent, around)


def _agent_notes(agent: Agent, around: Around) -> list[str]:
    untried = [] if agent.is_tried else [f"{agent.title}: {UNTRIED}."]
    return [*untried, *agent.notes(around)]


def alarms_of(changes: Sequence[FileChange]) -> list[str]:
    """What stands in the place of our hooks and our server without being equal to them."""
    return [
        ALARM.format(path=visible(change.target.path), place=entry.place or "the file")
        for change in changes
        for entry, state in entries_of(change)
        if state == THEIRS and runs_program(entry)
    ]


def undo_line(agent: Agent, around: Around) -> str:
    """The command that takes everything out again."""
    return around.init(agent.name, "--uninstall")


def _agent_record(
    agent: Agent, around: Around, changes: Sequence[FileChange], *, undo: bool, dry: bool
) -> dict[str, object]:
    """What was done, for programs."""
    notes = [] if undo or all(change.way == UNCHANGED for change in changes) else notes_of(agent, around)
    return {
        "agent": agent.name,
        "scope": around.scope,
        "action": "uninstall" if undo else "install",
        "dry_run": dry,
        "changed": any(change.way != UNCHANGED for change in changes),
        "files": [_change_record(change, dry=dry) for change in changes],
        **({} if undo else {"undo": undo_line(agent, around), "proxy": "spill mcp proxy -- COMMAND ARGUMENTS"}),
        "warnings": alarms_of(changes),
        "notes": notes,
    }


def _change_record(change: FileChange, *, dry: bool) -> dict[str, object]:
    linked = {"leads_to": change.path} if change.path != change.target.path else {}
    entries = [
        {"at": entry.place or "the whole file", "found": state, "for": entry.says}
        for entry, state in entries_of(change)
    ]
    diff = {"diff": diff_of(change)} if dry else {}
    return {"path": change.target.path, **linked, "change": change.way, "entries": entries, **diff}


def _agent_text(agent: Agent, around: Around, changes: Sequence[FileChange], undo: bool, dry: bool) -> str:  # noqa: FBT001
    """What was done, for people: file by file, then how to undo it, and what else to know."""
    if dry:
        return "".join(map(diff_of, changes)) or f"{agent.title}: nothing would change.\n"
    if all(change.way == UNCHANGED for change in changes):
        return _unchanged_text(agent, around, changes, undo=undo)
    lines = [f"{agent.title} ({around.scope}):"]
    for change in changes:
        lines += [
            f"  {_path_text(change)}: {WAYS[change.way]}",
            *(f"    {line}" for line in _entry_lines(change, undo=undo)),
        ]
    if not undo:
        lines += ["", *notes_of(agent, around), f"Undo: {undo_line(agent, around)}", PROXY]
    return "\n".join(lines) + "\n"


def _unchanged_text(agent: Agent, around: Around, changes: Sequence[FileChange], *, undo: bool) -> str:
    if undo:
        return f"{agent.title} ({around.scope}): nothing of ours is there; nothing was changed.\n"
    left = [line for change in changes for line in _entry_lines(change, undo=False) if line.startswith("!")]
    there = "what is not named here is there already" if left else "all of it is there already"
    said = f"{agent.title} ({around.scope}): {there}; nothing was changed.\n"
    return said + "".join(f"  {line}\n" for line in left)


def _entry_lines(change: FileChange, *, undo: bool) -> list[str]:
    if not undo:
        lines = [(entry, FOUND[state]) for entry, state in entries_of(change)]
    else:
        said = {THERE: "- {place}", OLDER: "- {place}", THEIRS: FOUND[THEIRS]}
        lines = [(entry, said[state]) for entry, state in entries_of(change) if state in said]
    return [line.format(place=entry.place or "the file", says=entry.says) for entry, line in lines]


def _path_text(change: FileChange) -> str:
    linked = f" (a link to {visible(change.path)})" if change.path != os.path.abspath(change.target.path) else ""
    return visible(change.target.path) + linked


def diff_of(change: FileChange) -> str:
    """What would change in a file, as a unified diff, without secrets."""
    from difflib import unified_diff

    from overspill.redact import redact_text

    if change.way == UNCHANGED:
        return ""
    old, new = ((content or b"").decode("utf-8", "replace").splitlines() for content in (change.before, change.after))
    path = visible(change.target.path)
    names = ("/dev/null" if change.before is None else path, "/dev/null" if change.after is None else path)
    return redact_text("".join(f"{line}\n" for line in unified_diff(old, new, *names, lineterm="")))
