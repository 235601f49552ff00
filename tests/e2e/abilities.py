"""What each agent can do beside running a command, and how it is asked for that.

An agent that is not in `ABILITIES`, or has nothing for a scenario, gets a row that says so; `lacking` says why.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from e2e.canary_runs import WAYS, found
from e2e.model import Asked, Call, Step
from e2e.stage import NotOffered
from e2e.wiring import AGENTS, Agent, Json, Place

Words = Callable[[list[str]], list[str]]


def no_settings(_: Place) -> None:
    """Nothing to write."""


class Abilities(NamedTuple):
    """How one agent does what not all do."""

    background: Callable[[str], Sequence[Step]] | None = None  # steps that start a command, and look at it
    timed: Callable[[str], Call] | None = None  # a command that has two seconds
    before_timed: Callable[[Place], None] = no_settings
    resume: Callable[[Place], Words] | None = None  # words that go on with the last session there
    subagent: Callable[[str], Sequence[Step]] | None = None  # steps that let a subagent do something
    subagent_end: Callable[[str], Step] = str  # how a subagent says what it found
    modes: Mapping[str, Words] = {}  # by name: words that begin in it
    homes: Mapping[str, str] = {}  # variables that say where its own files are, and the folders at home they stand for
    no_project_path: str = ""  # a character that a project's path must not hold for its extensions
    project_writes: str = ""  # what it writes beside its settings in a project, and cannot start without
    own_hooks: Callable[[Place], None] | None = None  # writes a hook that adds a line to ~/theirs.log after every call
    partner: str = "claude-code"  # another agent that works in the same project at the same time
    leaves: str = ""  # what it leaves behind itself where it is given an extension, whoever wrote it
    drops_output: bool = False  # whether it loses parts of long outputs of commands that run at once, without us, too
    lacking: Mapping[str, str] = {}  # by scenario: why there is nothing


UNKNOWN = "nobody has told the rig how this agent does it"


def abilities_of(agent: Agent) -> Abilities:
    """What is known of an agent."""
    known = ABILITIES.get(agent.name, Abilities())
    ways = WAYS.get(agent.name)
    return known._replace(background=ways.background) if ways and ways.background("true") else known


def offered_by(agent: Agent, scenario: str, way: object) -> None:
    """End the scenario where the agent has no way to do it."""
    if way is None:
        raise NotOffered(abilities_of(agent).lacking.get(scenario, UNKNOWN))


def status_of(agent: Agent, text: str) -> None:
    assert agent.status is None or agent.status in text, f"no {agent.status!r} in {text[:200]!r} ... {text[-200:]!r}"


# -- how they are started ----------------------------------------------------------------------------------------------


def with_words(*more: str) -> Words:
    return lambda words: [*words, *more]


def instead_of(word: str, *others: str, until: int = 1) -> Words:
    """The words with others in the place of one, and of those after it."""

    def replaced(words: list[str]) -> list[str]:
        place = words.index(word)
        return [*words[:place], *others, *words[place + until :]]

    return replaced


def going_on(*more: str) -> Callable[[Place], Words]:
    """Words that let an agent go on with the last session of a project, wherever that is."""
    return lambda _: with_words(*more)


# -- settings of the user ----------------------------------------------------------------------------------------------

NOTE = "echo called >> ~/theirs.log"


def added_settings(path: str, more: Json) -> None:
    """Add to a file of settings."""
    settings = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            settings = json.load(file)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump({**settings, **more}, file, indent=2)


def claude_hooks(place: Place) -> None:
    hook = {"matcher": "*", "hooks": [{"type": "command", "command": NOTE}]}
    added_settings(os.path.join(place.project, ".claude", "settings.json"), {"hooks": {"PostToolUse": [hook]}})


def codex_hooks(place: Place) -> None:
    hook = {"matcher": "*", "hooks": [{"type": "command", "command": NOTE}]}
    added_settings(os.path.join(place.home, ".codex", "hooks.json"), {"hooks": {"PostToolUse": [hook]}})


def gemini_hooks(place: Place) -> None:
    hook = {"matcher": "*", "hooks": [{"type": "command", "command": NOTE}]}
    added_settings(os.path.join(place.home, ".gemini", "settings.json"), {"hooks": {"AfterTool": [hook]}})


def copilot_hooks(place: Place) -> None:
    hook = {"type": "command", "bash": NOTE, "timeoutSec": 10}
    hooks = {"version": 1, "hooks": {"postToolUse": [hook]}}
    added_settings(os.path.join(place.home, ".copilot", "hooks", "theirs.json"), hooks)


OPENCODE_HOOK = """import { appendFileSync } from "fs"
export const Theirs = async () => ({
  "tool.execute.after": async () => appendFileSync(process.env.HOME + "/theirs.log", "called\\n"),
})
"""


def opencode_hooks(place: Place) -> None:
    place.write("./.opencode/plugins/theirs.js", OPENCODE_HOOK)


def kilo_hooks(place: Place) -> None:
    place.write("./.kilo/plugins/theirs.js", OPENCODE_HOOK)


def qwen_hooks(place: Place) -> None:
    hook = {"matcher": "*", "hooks": [{"type": "command", "command": NOTE}]}
    added_settings(os.path.join(place.home, ".qwen", "settings.json"), {"hooks": {"PostToolUse": [hook]}})


def cline_hooks(place: Place) -> None:
    place.write(".cline/hooks/PostToolUse", f"#!/bin/sh\n{NOTE}\necho '{{}}'\n")
    os.chmod(os.path.join(place.home, ".cline", "hooks", "PostToolUse"), 0o755)


PI_HOOK = """import { appendFileSync } from "node:fs"
export default function (pi) {
  pi.on("tool_result", () => { appendFileSync(process.env.HOME + "/theirs.log", "called\\n") })
}
"""


def pi_hooks(place: Place) -> None:
    place.write("./.pi/extensions/theirs.js", PI_HOOK)


# -- commands and subagents --------------------------------------------------------------------------------------------


def codex_subagent(task: str) -> list[Step]:
    def wait(asked: Asked) -> Call:
        return Call("wait_agent", {"targets": [found(r'"agent_id":\s*"([^"]+)"', asked)], "timeout_ms": 60_000})

    return [Call("spawn_agent", {"message": task}), wait]


def claude_timed(command: str) -> Call:
    return Call("Bash", {"command": command, "description": "Run it", "timeout": 2_000})


def opencode_timed(command: str) -> Call:
    return Call("bash", {"command": command, "description": "Run it", "timeout": 2_000})


def qwen_timed(command: str) -> Call:
    return Call("run_shell_command", {"command": command, "is_background": False, "timeout": 2_000})


def pi_timed(command: str) -> Call:
    return Call("bash", {"command": command, "timeout": 2})


def gemini_patience(place: Place) -> None:
    """It ends a command that has said nothing for so many seconds."""
    added_settings(os.path.join(place.home, ".gemini", "settings.json"), {"tools": {"shell": {"inactivityTimeout": 2}}})


WAITS = "its shell tool waits for a command to end, or ends it"
COMPILED = "tmp/jiti"  # where extensions lie as they were compiled
YIELDS = "a command that takes long is not ended, but goes on in the background"

ABILITIES = {
    "claude-code": Abilities(
        timed=claude_timed,
        resume=going_on("--continue"),
        subagent=lambda task: [
            Call("Agent", {"description": "Search", "prompt": task, "subagent_type": "general-purpose"})
        ],
        modes={mode: instead_of("bypassPermissions", mode) for mode in ("plan", "default", "acceptEdits", "dontAsk")},
        homes={"CLAUDE_CONFIG_DIR": ".claude"},
        partner="codex",
        own_hooks=claude_hooks,
    ),
    "codex": Abilities(
        resume=lambda _: lambda words: ["exec", "resume", "--last", *words[1:]],
        subagent=codex_subagent,
        modes={
            mode: instead_of("--dangerously-bypass-approvals-and-sandbox", "--sandbox", mode)
            for mode in ("read-only", "workspace-write")
        },
        homes={"CODEX_HOME": ".codex"},
        own_hooks=codex_hooks,
        lacking={"timeout": YIELDS},
    ),
    "gemini": Abilities(
        timed=AGENTS["gemini"].shell,
        before_timed=gemini_patience,
        resume=going_on("--resume", "latest"),
        subagent=lambda task: [Call("invoke_agent", {"agent_name": "generalist", "prompt": task})],
        subagent_end=lambda report: Call("complete_task", {"result": {"response": report}}),
        modes={mode: instead_of("--yolo", "--approval-mode", mode) for mode in ("plan", "default", "auto_edit")},
        homes={"GEMINI_CLI_HOME": ""},
        own_hooks=gemini_hooks,
        lacking={
            "own-server": "what fits reaches its model by our server alone, so where the server's name is taken"
            " `spill init` writes no hooks and says so; tried with a hook of the user's alone"
        },
    ),
    "copilot": Abilities(
        resume=going_on("--continue"),
        subagent=lambda task: [
            Call("task", {"description": "Search", "prompt": task, "agent_type": "general-purpose", "name": "search"})
        ],
        modes={"plan": with_words("--plan"), "no rule": instead_of("--allow-all-tools")},
        homes={
            "COPILOT_HOME": ".copilot",
            "XDG_CACHE_HOME": ".cache",
            "XDG_STATE_HOME": ".local/state",
            "XDG_CONFIG_HOME": ".config",
        },
        own_hooks=copilot_hooks,
        lacking={"timeout": YIELDS},
    ),
    "opencode": Abilities(
        timed=opencode_timed,
        drops_output=True,
        resume=lambda _: lambda words: ["run", "--continue", *words[1:]],
        subagent=lambda task: [Call("task", {"description": "Search", "prompt": task, "subagent_type": "general"})],
        modes={"plan": lambda words: ["run", "--agent", "plan", *words[1:]]},
        homes={
            "XDG_DATA_HOME": ".local/share",
            "XDG_STATE_HOME": ".local/state",
            "XDG_CACHE_HOME": ".cache",
            "XDG_CONFIG_HOME": ".config",
        },
        own_hooks=opencode_hooks,
        project_writes="it does not start where a project has a directory `.opencode` that cannot be written",
        lacking={"background": WAITS},
    ),
    "qwen": Abilities(
        timed=qwen_timed,
        resume=going_on("--continue"),
        subagent=lambda task: [
            Call(
                "agent",
                {
                    "description": "Search",
                    "prompt": task,
                    "subagent_type": "general-purpose",
                    "run_in_background": False,
                },
            )
        ],
        modes={mode: instead_of("--yolo", "--approval-mode", mode) for mode in ("plan", "default", "auto-edit")},
        homes={"QWEN_HOME": ".qwen"},
        own_hooks=qwen_hooks,
        lacking={
            "own-server": "its hooks let pass what our server says, by the server's name, so where that is taken"
            " `spill init` writes no hooks and says so; tried with a hook of the user's alone"
        },
    ),
    "cline": Abilities(
        timed=AGENTS["cline"].shell,  # it ends every command after 30 seconds
        subagent=lambda task: [Call("spawn_agent", {"systemPrompt": "You search.", "task": task})],
        modes={"plan": with_words("--plan"), "asking": instead_of("true", "false")},
        homes={"CLINE_DIR": ".cline"},
        leaves=COMPILED,
        own_hooks=cline_hooks,
        lacking={"background": WAITS, "resumed": "it resumes a session at a terminal alone"},
    ),
    "pi": Abilities(
        timed=pi_timed,
        resume=going_on("--continue"),
        homes={"PI_CODING_AGENT_DIR": ".pi/agent"},
        no_project_path="\\",
        leaves=COMPILED,
        own_hooks=pi_hooks,
        lacking={
            "background": WAITS,
            "subagent": "it has no subagents",
            "modes": "it has no modes: it does what it is asked, and asks nobody",
            "own-server": "it has no MCP servers; tried with a hook of the user's alone",
        },
    ),
}
ABILITIES["kilo"] = ABILITIES["opencode"]._replace(
    own_hooks=kilo_hooks,
    project_writes="",
)
