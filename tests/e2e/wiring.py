"""The agents: how each is started, asks our model, finds a server of tools, runs commands and reads files.

Everything an agent needs is written into a home of its own; what Overspill needs is written there by `spill init`.
"""

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from e2e.model import Asked, Call, Step

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
    prompt: str = "go"


class Agent(NamedTuple):
    """What the rig knows about an agent."""

    name: str  # as `spill init` knows it
    package: str  # of npm, with a version where the newest does not install everywhere
    program: str
    wire: Callable[[Place, Wanted], None]
    words: Callable[[Wanted], list[str]]
    environ: Callable[[Wanted], dict[str, str]]
    shell: Callable[[str], Call]
    read: Callable[[str], Step]
    write: Callable[[str, str], Call]  # a path in the project, and what is to stand there
    status: str | None  # what the model is told when a command ends with status 3; None if nothing
    keeps_directory: bool  # whether `cd` lasts from one command to the next
    init: Sequence[str] = ()  # options of `spill init`
    saves_results: bool = False  # whether it saves long results of servers before it asks a hook
    shelf: Sequence[Sequence[str]] = ()  # its own commands that install us from this repository
    before: Callable[[Wanted], Sequence[Sequence[str]]] = lambda _: ()  # its own commands that name our model to it
    newer_node: bool = False  # whether it needs Node 22
    lacks: Mapping[str, str] = {}  # scenarios that mean nothing to it, and why
    plain: Callable[[str], str] = str  # a result as it reads, of an agent that writes results as JSON
    lines_before: int = 0  # that it puts before what a command says
    lost: str = ""  # what it says, now and then, in the place of what a short command said, without us, too
    most_said: int | None = None  # characters of a command's output that it hands to a hook; of more, both ends


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
    return ["-p", wanted.prompt, "--output-format", "json", *allowed]


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

[projects.{json.dumps(place.project)}]
trust_level = "trusted"
{servers}""",
    )


def patch_adding(path: str, text: str) -> str:
    """A patch as Codex writes it. To models that it does not know it offers no other tool for that than its shell."""
    lines = "".join(f"+{line}\n" for line in text.split("\n"))
    return f"*** Begin Patch\n*** Add File: {path}\n{lines}*** End Patch"


def codex_words(wanted: Wanted) -> list[str]:
    allowed = ["--sandbox", "workspace-write"] if wanted.rules else ["--dangerously-bypass-approvals-and-sandbox"]
    return ["exec", "--json", "--dangerously-bypass-hook-trust", *allowed, wanted.prompt]


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
    return ["-p", wanted.prompt, "-m", "gemini-2.5-flash", *allowed]


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
    return ["-p", wanted.prompt, "--no-auto-update", *allowed]


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
    place.write("./opencode.json", as_json(opencode_settings(wanted)))


def opencode_settings(wanted: Wanted) -> Json:
    """The model and the tools as opencode and its kin want to know them."""
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
    return settings


OPENCODE = Agent(
    name="opencode",
    package="opencode-ai",
    program="opencode",
    wire=opencode_wire,
    words=lambda wanted: ["run", "--print-logs", wanted.prompt],
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


# -- Kilo --------------------------------------------------------------------------------------------------------------


def kilo_wire(place: Place, wanted: Wanted) -> None:
    place.write("./kilo.json", as_json(opencode_settings(wanted)))


KILO = OPENCODE._replace(
    name="kilo",
    package="@kilocode/cli@7.7.7",
    program="kilo",
    wire=kilo_wire,
    words=lambda wanted: ["run", "--print-logs", *([] if wanted.rules else ["--auto"]), wanted.prompt],
    environ=lambda _: {
        "KILO_DISABLE_AUTOUPDATE": "1",
        "KILO_DISABLE_MODELS_FETCH": "1",
        "KILO_DISABLE_LSP_DOWNLOAD": "1",
        "KILO_DISABLE_CODEBASE_INDEXING": "1",
        "KILO_DISABLE_SESSION_INGEST": "1",
        "KILO_TELEMETRY_LEVEL": "off",
    },
    shelf=(),
)


# -- Qwen Code ---------------------------------------------------------------------------------------------------------


def qwen_wire(place: Place, wanted: Wanted) -> None:
    settings = {
        "security": {"auth": {"selectedType": "openai"}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False},
        "mcpServers": server_entries(wanted),
    }
    place.write(".qwen/settings.json", as_json(settings))


def whole_path(path: str, asked: Asked) -> str:
    """A path in the project, which a request names."""
    found = re.search(r"/[^\s\"]*/qwen-[^\s/\"]+/project\b", asked.text)
    return os.path.join(found[0], path) if found else path


QWEN = GEMINI._replace(
    name="qwen",
    package="@qwen-code/qwen-code@0.24.4",
    program="qwen",
    wire=qwen_wire,
    words=lambda wanted: [
        "-p", wanted.prompt, "--auth-type", "openai", "-m", "scripted",
        *(["--allowed-tools", "run_shell_command(seq)"] if wanted.rules else ["--yolo"]),
    ],
    environ=lambda wanted: {"OPENAI_BASE_URL": f"{wanted.url}/v1", "OPENAI_API_KEY": KEY, "OPENAI_MODEL": "scripted"},
    shell=lambda command: Call("run_shell_command", {"command": command, "is_background": False}),
    read=lambda path: lambda asked: Call("read_file", {"file_path": whole_path(path, asked)}),  # it wants whole paths
    shelf=(),
    newer_node=True,
    lost="Output: (empty)\n",
    lines_before=2,
)  # fmt: skip


# -- Cline -------------------------------------------------------------------------------------------------------------


def cline_wire(place: Place, wanted: Wanted) -> None:
    place.write(
        ".cline/data/settings/cline_mcp_settings.json", as_json({"mcpServers": server_entries(wanted, timeout=30)})
    )


CLINE = Agent(
    name="cline",
    package="cline@3.0.65",
    program="cline",
    wire=cline_wire,
    words=lambda wanted: ["--json", "--auto-approve", "false" if wanted.rules else "true", f"Please {wanted.prompt}"],
    # It gives plugins four seconds to load, and goes on without those that take longer: little on a busy machine.
    environ=lambda _: {"CLINE_TELEMETRY_DISABLED": "1", "CLINE_PLUGIN_IMPORT_TIMEOUT_MS": "60000"},
    shell=lambda command: Call("run_commands", {"commands": [command]}),
    read=lambda path: Call("read_files", {"files": [{"path": path}]}),
    write=lambda path, text: Call("editor", {"path": path, "new_text": text}),
    status="exited with code 3",
    keeps_directory=False,
    most_said=48_000,
    plain=lambda text: text.replace("\\n", "\n").replace('\\"', '"'),
    lacks={"rules": "it has no rules for commands: it asks about all of them, or about none"},
    before=lambda wanted: [
        ("auth", "-p", "openai", "-k", KEY, "-m", "scripted", "-b", f"{wanted.url}/v1"),
    ],
)


# -- pi ----------------------------------------------------------------------------------------------------------------


def pi_wire(place: Place, wanted: Wanted) -> None:
    provider = {
        "baseUrl": f"{wanted.url}/v1",
        "api": "openai-completions",
        "apiKey": KEY,
        "models": [{"id": "scripted", "contextWindow": 200_000, "maxTokens": 8_000}],
    }
    place.write(".pi/agent/models.json", as_json({"providers": {"scripted": provider}}))


PI = Agent(
    name="pi",
    package="@earendil-works/pi-coding-agent@0.87.1",
    program="pi",
    wire=pi_wire,
    words=lambda wanted: ["-p", "--approve", "--provider", "scripted", "--model", "scripted", wanted.prompt],
    environ=lambda _: {"PI_OFFLINE": "1", "PI_TELEMETRY": "0"},
    shell=lambda command: Call("bash", {"command": command}),
    read=lambda path: Call("read", {"path": path}),
    write=lambda path, text: Call("write", {"path": path, "content": text}),
    status="exited with code 3",
    keeps_directory=False,
    newer_node=True,
    lacks={**dict.fromkeys(("mcp", "records", "bare"), "it has no MCP servers"), "rules": "it asks about no command"},
)

# They are set up by `spill init`, and cannot be run here: docs/agents.md says so.
NOT_RUN = {
    "cursor": "it asks a service of its own, and takes no model of ours",
    "vscode": "its agent runs in a window",
}
AGENTS = {agent.name: agent for agent in (CLAUDE, CODEX, GEMINI, COPILOT, OPENCODE, KILO, PI, CLINE, QWEN)}
