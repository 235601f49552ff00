"""`spill init AGENT`: hooks and the MCP server in the agent's settings, or out of them."""

from __future__ import annotations

import os

from overspill._lite import TYPE_CHECKING, suppress
from overspill.agents.install import plan
from overspill.agents.install.agent import UNTRIED, Agent, Around, agent_called, runs_program
from overspill.agents.install.backups import Backups
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
    Planner,
    entries_of,
    write_changes,
)
from overspill.cli.init_show import around_of
from overspill.cli.output import note, print_answer
from overspill.cli.output.tables import visible
from overspill.errors import InputError, LockTimeout, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from overspill.cli.arguments import CommandCall

TRIES = 5  # a running agent may write its settings while we do
PROXY = "To fit what another MCP server says, put its command behind the proxy: spill mcp proxy -- COMMAND ARGUMENTS"

IN_WORDS = {
    CREATED: "new",
    CHANGED: "changed",
    UNCHANGED: "unchanged",
    RESTORED: "as it was before",
    REMOVED: "removed",
    TAKEN_OUT: "edited since: only what is ours was taken out",
    PUT_ASIDE: f"edited since: put aside as NAME{ASIDE}",
}
FOUND = {
    MISSING: "+ {place}: {says}",
    OLDER: "~ {place}: brought up to date",
    THERE: "= {place}: {says}",
    THEIRS: "! {place}: left alone, what stands there is not ours",
    WITHHELD: "! {place}: not written, because the server that it would trust is not ours",
}
# Where a stranger's entry would run in our name.
ALARM = "WARNING: {path}: {place} is not equal to ours. It was left alone and is not approved; look at what it runs."


def run(call: CommandCall) -> int:
    """Put in, take out, or show, for the agents that were named."""
    if call.flag("--show"):
        from overspill.cli.init_show import run as show

        return show(call)
    agents = named_agents(call)
    around = around_of(call)
    undo = call.flag("--uninstall")
    how = plan.uninstall_change if undo else plan.install_change
    dry = call.flag("--dry-run")
    done = _plan_changes(agents, around, how) if dry else _apply_changes(agents, around, how)
    said = [_agent_record(agent, around, changes, undo=undo, dry=dry) for agent, changes in done]
    texts = [_agent_text(agent, around, changes, undo, dry) for agent, changes in done]
    for alarm in (alarm for _, changes in done for alarm in alarms_of(changes)):
        note(alarm)
    return print_answer(call, "agents", said, ("" if dry else "\n").join(texts))


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
            f"  {_path_text(change)}: {IN_WORDS[change.way]}",
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

    from overspill.redact.default import redact_text

    if change.way == UNCHANGED:
        return ""
    old, new = ((content or b"").decode("utf-8", "replace").splitlines() for content in (change.before, change.after))
    path = visible(change.target.path)
    names = ("/dev/null" if change.before is None else path, "/dev/null" if change.after is None else path)
    return redact_text("".join(f"{line}\n" for line in unified_diff(old, new, *names, lineterm="")))
