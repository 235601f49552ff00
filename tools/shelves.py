"""Packages for the agents' own ways to install something, made of what `spill init` would write.

Claude Code, Codex and Copilot CLI take plugins from a marketplace, which is a file in a repository; Gemini CLI takes an
extension from a directory; opencode takes a package in npm's form. All of them run `spill`, which has to be installed.
"""

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from overspill import __version__
from overspill.agents.install import Around
from overspill.agents.install.entries import SettingsEntry, put_in
from overspill.agents.install.tables import (
    BASE,
    OPENCODE_PLUGIN,
    claude_code_targets,
    codex_targets,
    copilot_targets,
    gemini_targets,
    plugin_text,
)

ABOUT = "Fits what tools say into the context: shows what matters, says what was left out, keeps the rest within reach."
AUTHOR = {"name": "The Overspill authors"}
AROUND = Around("/project", {"HOME": "/home/user"}, False, ("spill",))
SKILL = Path(__file__).parents[1] / "integrations" / "claude-code" / "skills" / "overspill" / "SKILL.md"


def as_json(value: object) -> str:
    return json.dumps(value, indent=2) + "\n"


def settings_of(entries: Sequence[SettingsEntry], key: str) -> str:
    """The entries below a key, as `spill init` writes them."""
    text = "{}\n"
    for entry in entries:
        text = put_in(text, entry) if entry.keys[0] == key else text
    return text


def manifest(**more: object) -> str:
    """What a plugin says of itself; agents differ in what they add."""
    return as_json({"name": "overspill", "version": __version__, "description": ABOUT, **more})


def claude_plugin() -> str:
    return manifest(author=AUTHOR, license="Apache-2.0", keywords=["context", "truncation", "tool-output", "redaction"])


def marketplace(source: str) -> str:
    """Read by `claude plugin marketplace add` and Copilot's, of a checkout or of the repository."""
    plugin = {"name": "overspill", "source": source, "description": ABOUT, "version": __version__}
    return as_json({"name": "overspill", "description": ABOUT, "owner": AUTHOR, "plugins": [plugin]})


def copilot_plugin() -> str:
    """Without the server: Copilot CLI starts it in the plugin's folder, and says nowhere what the project is."""
    parts = {"skills": "skills/", "hooks": "hooks.json"}
    return manifest(author=AUTHOR, license="Apache-2.0", **parts)


def copilot_hooks() -> str:
    text = BASE
    for entry in COPILOT.entries:
        text = put_in(text, entry)
    return text


def codex_marketplace() -> str:
    """Read by `codex plugin marketplace add`."""
    plugin = {
        "name": "overspill",
        "source": {"source": "local", "path": "./integrations/codex"},
        "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
        "category": "Productivity",
    }
    return as_json({"name": "overspill", "interface": {"displayName": "Overspill"}, "plugins": [plugin]})


def codex_plugin() -> str:
    parts = {"skills": "./skills/", "hooks": "./hooks/hooks.json", "mcpServers": "./.mcp.json"}
    face = {"displayName": "Overspill", "shortDescription": "What tools say, within the context's budget"}
    return manifest(author=AUTHOR, license="Apache-2.0", **parts, interface=face)


def gemini_extension() -> str:
    """An extension may not say that its server is trusted: Gemini CLI asks once whether a tool may be used."""
    (settings,) = gemini_targets(AROUND)
    (server,) = (entry.value for entry in settings.entries if entry.keys[0] == "mcpServers")
    assert isinstance(server, dict)
    return manifest(mcpServers={"overspill": {key: value for key, value in server.items() if key != "trust"}})


def server_file() -> str:
    return as_json({"mcpServers": {"overspill": {"command": "spill", "args": ["mcp", "serve"]}}})


def opencode_package() -> str:
    package = {"type": "module", "main": "index.js", "exports": {".": "./index.js"}, "files": ["index.js"]}
    return as_json(
        {"name": "opencode-overspill", "version": __version__, "description": ABOUT, "license": "Apache-2.0", **package}
    )


CLAUDE, CLAUDE_SERVERS = claude_code_targets(AROUND)
CODEX, _ = codex_targets(AROUND)
COPILOT, _ = copilot_targets(AROUND)
(GEMINI,) = gemini_targets(AROUND)

SHELVES: dict[str, Callable[[], str]] = {
    ".claude-plugin/marketplace.json": partial(marketplace, "./integrations/claude-code"),
    "integrations/claude-code/.claude-plugin/plugin.json": claude_plugin,
    "integrations/claude-code/.mcp.json": partial(settings_of, CLAUDE_SERVERS.entries, "mcpServers"),
    "integrations/claude-code/hooks/hooks.json": partial(settings_of, CLAUDE.entries, "hooks"),
    ".agents/plugins/marketplace.json": codex_marketplace,
    "integrations/codex/.codex-plugin/plugin.json": codex_plugin,
    "integrations/codex/.mcp.json": server_file,
    "integrations/codex/hooks/hooks.json": partial(settings_of, CODEX.entries, "hooks"),
    "integrations/codex/skills/overspill/SKILL.md": SKILL.read_text,
    ".github/plugin/marketplace.json": partial(marketplace, "./integrations/copilot"),
    "integrations/copilot/plugin.json": copilot_plugin,
    "integrations/copilot/hooks.json": copilot_hooks,
    "integrations/copilot/skills/overspill/SKILL.md": SKILL.read_text,
    "integrations/gemini/gemini-extension.json": gemini_extension,
    "integrations/gemini/hooks/hooks.json": partial(settings_of, GEMINI.entries, "hooks"),
    "integrations/gemini/skills/overspill/SKILL.md": SKILL.read_text,
    "integrations/opencode/package.json": opencode_package,
    "integrations/opencode/index.js": partial(plugin_text, AROUND, "opencode", "opencode", OPENCODE_PLUGIN),
}
