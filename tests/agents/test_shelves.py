"""The packages for the agents' own shelves do what `spill init` does."""

import json
import re
from pathlib import Path

import pytest

from doors_kit import mapping
from overspill import __version__
from overspill.agents.install import Around, words_of
from overspill.agents.install.entries import put_in
from overspill.agents.install.tables import claude_code_targets
from overspill.cli.commands import commands
from overspill.core import estimate_tokens
from overspill.retrieve.tools import TOOLS

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "integrations" / "claude-code"
MANIFESTS = (
    "claude-code/.claude-plugin/plugin.json",
    "codex/.codex-plugin/plugin.json",
    "copilot/plugin.json",
    "gemini/gemini-extension.json",
    "opencode/package.json",
)
SETTINGS, SERVERS = claude_code_targets(Around("/project", {"HOME": "/home/user"}, False, ("spill",)))


def test_its_hooks_are_those_that_init_writes() -> None:
    text = "{}\n"
    for entry in SETTINGS.entries:
        text = put_in(text, entry) if entry.keys[0] == "hooks" else text
    assert (PLUGIN / "hooks" / "hooks.json").read_text() == text


def test_its_server_is_the_one_that_init_writes() -> None:
    (entry,) = SERVERS.entries
    assert (PLUGIN / ".mcp.json").read_text() == put_in("{}\n", entry)


@pytest.mark.parametrize("name", MANIFESTS)
def test_a_manifest_names_this_version(name: str) -> None:
    manifest = json.loads((ROOT / "integrations" / name).read_text())
    assert manifest["version"] == __version__
    assert manifest["name"] in {"overspill", "opencode-overspill"}


@pytest.mark.parametrize("place", [".claude-plugin", ".github/plugin", ".agents/plugins"])
def test_a_marketplace_leads_to_a_plugin_with_a_manifest(place: str) -> None:
    listed = json.loads((ROOT / place / "marketplace.json").read_text())
    (plugin,) = listed["plugins"]
    source = plugin["source"]["path"] if isinstance(plugin["source"], dict) else plugin["source"]
    known = {(ROOT / "integrations" / name).parent for name in MANIFESTS}
    assert known & {ROOT / source, ROOT / source / ".claude-plugin", ROOT / source / ".codex-plugin"}


def test_an_extension_does_not_trust_itself() -> None:
    """Gemini CLI takes no such word of an extension, and nobody should write it."""
    assert "trust" not in (ROOT / "integrations" / "gemini" / "gemini-extension.json").read_text()


def test_every_package_runs_spill_and_nothing_else() -> None:
    for path in (ROOT / "integrations").rglob("*.json"):
        for command in re.findall(r'"(?:command|bash)": "([^"]*)"', path.read_text()):
            agent = command.split()[-1]
            assert command == "spill" or words_of(command, "hook", agent) == ["spill"], path


def test_the_lines_for_other_agents_are_short_and_true() -> None:
    page = (ROOT / "docs" / "agents.md").read_text()
    (lines,) = re.findall(r"```markdown\n(.*?)```", page, re.DOTALL)
    (said,) = re.findall(r"This costs about (\d+) tokens", page)
    assert abs(estimate_tokens(lines) - int(said)) <= 15
    known = {command.name: {option.name for option in command.options} for command in commands()}
    for line in re.findall(r"`spill ([^`]*)`", lines):
        name = next(name for name in known if line.startswith(name + " "))
        assert set(re.findall(r"--[a-z]+", line)) <= known[name], line


def test_its_skill_names_tools_and_arguments_that_there_are() -> None:
    skill = (PLUGIN / "skills" / "overspill" / "SKILL.md").read_text()
    assert skill.startswith("---\nname: overspill\ndescription: ")
    known = {tool.name for tool in TOOLS}
    assert set(re.findall(r"\w+_artifacts?\b", skill)) == known
    arguments = {name for tool in TOOLS for name in mapping(tool.parameters["properties"])}
    table = skill.partition("| you want |")[2].partition("\n\n")[0]
    assert set(re.findall(r"`([a-z_]+)`", table)) <= known | arguments
