"""The agents: how each is started, asks our model, finds a server of tools, runs commands and reads files.

Everything an agent needs is written into a home of its own; what Overspill needs is written there by `spill init`.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from e2e.model import Call

Json = dict[str, Any]
REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FROM_MARKETPLACE = (("plugin", "marketplace", "add", REPOSITORY), ("plugin", "install", "overspill@overspill"))
KEY = "not-a-key"


class Place(NamedTuple):
    """Where an agent runs: a home of its own, and a project."""

    home: str
    project: str

    def write(self, path: str, text: str) -> None:
        """Write a file below the home, or below the project where the path begins with a dot and a slash."""
        full = os.path.join(self.project, path[2:]) if path.startswith("./") else os.path.join(self.home, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)


class Wanted(NamedTuple):
    """What a run is to be like."""

    url: str  # of the model
    servers: Mapping[str, Sequence[str]]  # the commands of servers of tools, by name
    rules: bool  # whether commands need a rule: then there is one for `seq` and none else


class Agent(NamedTuple):
    """What the rig knows about an agent."""

    name: str  # as `spill init` knows it
    package: str  # of npm
    program: str
    wire: Callable[[Place, Wanted], None]
    words: Callable[[Wanted], list[str]]
    environ: Callable[[Wanted], dict[str, str]]
    shell: Callable[[str], Call]
    read: Callable[[str], Call]
    write: Callable[[str, str], Call]  # a path in the project, and what is to stand there
    status: str | None  # what the model is told when a command ends with status 3; None if nothing
    keeps_directory: bool  # whether `cd` lasts from one command to the next
    init: Sequence[str] = ()  # options of `spill init`
    saves_results: bool = False  # whether it saves long results of servers before it asks a hook
    shelf: Sequence[Sequence[str]] = ()  # its own commands that install us from this repository


def server_entries(wanted: Wanted, **more: object) -> Json:
    """The servers as most agents want to know them."""
    return {
        name: {**more, "command": command[0], "args": list(command[1:])} for name, command in wanted.servers.items()
    }


def as_json(value: Json) -> str:
    return json.dumps(value, indent=2)


# -- Claude Code -------------------------------------------------------------------------------------------------------


def claude_wire(place: Place, wanted: Wanted) -> None:
    place.write("./.mcp.json", as_json({"mcpServers": server_entries(wanted)}))


def claude_words(wanted: Wanted) -> list[str]:
    allowed = ["--allowedTools", "Bash(seq:*)"] if wanted.rules else ["--permission-mode", "bypassPermissions"]
    return ["-p", "go", "--output-format", "json", *allowed]


def claude_environ(wanted: Wanted) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": wanted.url,
        "ANTHROPIC_API_KEY": KEY,
        "IS_SANDBOX": "1",  # it refuses to bypass permissions for root otherwise
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


CLAUDE = Agent(
    name="claude-code",
    package="@anthropic-ai/claude-code",
    program="claude",
    wire=claude_wire,
    words=claude_words,
    environ=claude_environ,
    shell=lambda command: Call("Bash", {"command": command, "description": "Run it"}),
    read=lambda path: Call("Read", {"file_path": path}),
    write=lambda path, text: Call("Write", {"file_path": path, "content": text}),
    status="Exit code 3",
    keeps_directory=True,
    shelf=FROM_MARKETPLACE,
)


# -- Codex -------------------------------------------------------------------------------------------------------------


def codex_wire(place: Place, wanted: Wanted) -> None:
    servers = "".join(
        f"\n[mcp_servers.{name}]\ncommand = {json.dumps(command[0])}\nargs = {json.dumps(list(command[1:]))}\n"
        for name, command in wanted.servers.items()
    )
    place.write(
        ".codex/config.toml",
        f"""# The model and the tools of this machine.
model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "{wanted.url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"

[analytics]
enabled = false

# Its sandbox leaves directories behind in every place that may be written.
[sandbox_workspace_write]
exclude_slash_tmp = true

[projects."{place.project}"]
trust_level = "trusted"
{servers}""",
    )


def patch_adding(path: str, text: str) -> str:
    """A patch as Codex writes it. To models that it does not know it offers no other tool for that than its shell."""
    lines = "".join(f"+{line}\n" for line in text.split("\n"))
    return f"*** Begin Patch\n*** Add File: {path}\n{lines}*** End Patch"


def codex_words(wanted: Wanted) -> list[str]:
    allowed = ["--sandbox", "workspace-write"] if wanted.rules else ["--dangerously-bypass-approvals-and-sandbox"]
    return ["exec", "--json", "--dangerously-bypass-hook-trust", *allowed, "go"]


CODEX = Agent(
    name="codex",
    package="@openai/codex",
    program="codex",
    wire=codex_wire,
    words=codex_words,
    environ=lambda _: {"SCRIPTED_KEY": KEY},
    shell=lambda command: Call("exec_command", {"cmd": command}),
    read=lambda path: Call("exec_command", {"cmd": f"cat {path}"}),  # it has nothing else to read files with
    write=lambda path, text: Call("exec_command", {"cmd": f"apply_patch <<'EOF'\n{patch_adding(path, text)}\nEOF\n"}),
    status="Process exited with code 3",
    keeps_directory=False,
    init=("--global",),
    shelf=(FROM_MARKETPLACE[0], ("plugin", "add", "overspill@overspill")),
)


# -- Gemini CLI --------------------------------------------------------------------------------------------------------


def gemini_wire(place: Place, wanted: Wanted) -> None:
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False},
        "mcpServers": server_entries(wanted),
    }
    place.write(".gemini/settings.json", as_json(settings))


def gemini_words(wanted: Wanted) -> list[str]:
    allowed = ["--allowed-tools", "run_shell_command(seq)"] if wanted.rules else ["--yolo"]
    return ["-p", "go", "-m", "gemini-2.5-flash", *allowed]


GEMINI = Agent(
    name="gemini",
    package="@google/gemini-cli",
    program="gemini",
    wire=gemini_wire,
    words=gemini_words,
    environ=lambda wanted: {
        "GOOGLE_GEMINI_BASE_URL": wanted.url,
        "GEMINI_API_KEY": KEY,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    },
    shell=lambda command: Call("run_shell_command", {"command": command, "description": "Run it"}),
    read=lambda path: Call("read_file", {"file_path": path}),
    write=lambda path, text: Call("write_file", {"file_path": path, "content": text}),
    status="Exit Code: 3",
    keeps_directory=False,
    init=("--global",),
    shelf=(("extensions", "install", "--consent", os.path.join(REPOSITORY, "integrations", "gemini")),),
)


# -- Copilot CLI -------------------------------------------------------------------------------------------------------


def copilot_wire(place: Place, wanted: Wanted) -> None:
    place.write(".copilot/mcp-config.json", as_json({"mcpServers": server_entries(wanted, type="local", tools=["*"])}))


def copilot_words(wanted: Wanted) -> list[str]:
    allowed = ["--allow-tool", "shell(seq)"] if wanted.rules else ["--allow-all-tools"]
    return ["-p", "go", "--no-auto-update", *allowed]


COPILOT = Agent(
    name="copilot",
    package="@github/copilot",
    program="copilot",
    wire=copilot_wire,
    words=copilot_words,
    environ=lambda wanted: {
        "COPILOT_PROVIDER_BASE_URL": f"{wanted.url}/v1",
        "COPILOT_PROVIDER_API_KEY": KEY,
        "COPILOT_MODEL": "scripted",
        "COPILOT_OFFLINE": "true",
    },
    shell=lambda command: Call("bash", {"command": command, "description": "Run it"}),
    read=lambda path: Call("view", {"path": path, "view_range": [101, 400]}),  # it refuses to show more at once
    write=lambda path, text: Call("create", {"path": path, "file_text": text}),
    status="exit code 3",
    keeps_directory=False,
    init=("--global",),
    saves_results=True,
    shelf=(*FROM_MARKETPLACE, ("mcp", "add", "overspill", "--", "spill", "mcp", "serve")),
)


# -- opencode ----------------------------------------------------------------------------------------------------------


def opencode_wire(place: Place, wanted: Wanted) -> None:
    model = {"name": "scripted", "tool_call": True, "limit": {"context": 200_000, "output": 8_000}}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "scripted",
        "options": {"baseURL": f"{wanted.url}/v1", "apiKey": KEY},
        "models": {"scripted": model},
    }
    settings: Json = {
        "model": "scripted/scripted",
        "small_model": "scripted/scripted",
        "autoupdate": False,
        "share": "disabled",
        "provider": {"scripted": provider},
        "mcp": {
            name: {"type": "local", "command": list(command), "enabled": True}
            for name, command in wanted.servers.items()
        },
    }
    if wanted.rules:
        settings["permission"] = {"bash": {"*": "ask", "seq *": "allow"}}
    place.write("./opencode.json", as_json(settings))


OPENCODE = Agent(
    name="opencode",
    package="opencode-ai",
    program="opencode",
    wire=opencode_wire,
    words=lambda _: ["run", "--print-logs", "go"],
    environ=lambda _: {
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    },
    shell=lambda command: Call("bash", {"command": command, "description": "Run it"}),
    read=lambda path: Call("read", {"filePath": path}),
    write=lambda path, text: Call("write", {"filePath": path, "content": text}),
    status=None,
    keeps_directory=False,
    shelf=(("plugin", f"file://{os.path.join(REPOSITORY, 'integrations', 'opencode')}"),),
)

AGENTS = {agent.name: agent for agent in (CLAUDE, CODEX, GEMINI, COPILOT, OPENCODE)}
