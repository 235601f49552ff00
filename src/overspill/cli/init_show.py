"""`spill init --show`: what is set up where, and what would be done."""

from __future__ import annotations

import os

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.agents import AGENTS
from overspill.agents.install.agent import UNTRIED, Agent, Around, agent_called, program
from overspill.agents.install.entries import MISSING, OLDER, THEIRS, THERE
from overspill.agents.install.plan import FileStatus, file_statuses
from overspill.cli.opening import root_of
from overspill.cli.output import print_answer
from overspill.cli.output.tables import visible
from overspill.workspace.opening import find_root

if TYPE_CHECKING:
    from collections.abc import Iterator

    from overspill.cli.arguments import CommandCall

IN_WORDS = {
    THERE: "{place}",
    OLDER: "{place}: from another version or place of spill; the command brings it up to date",
    MISSING: "{place}: not there",
    THEIRS: "! {place}: not equal to ours, left alone",
}


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


def run(call: CommandCall) -> int:
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


def _entry_lines(file: FileStatus, wanted: set[str]) -> list[str]:
    return [
        f"    {IN_WORDS[state].format(place=entry.place or 'the whole file')}"
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
            lines += _entry_lines(file, {THEIRS})
        else:
            lines += [f"  {path}", *_entry_lines(file, set(IN_WORDS))]
    if not found.agent.is_tried:
        lines.append(f"  {UNTRIED}")
    verb = {"installed": "undo", "broken": "once that is mended"}.get(found.status, "install")
    return "\n".join([*lines, f"  {verb}: {found.command}"]) + "\n"
