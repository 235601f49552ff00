"""The plugin for Claude Code in this repository does what `spill init claude-code` does."""

import json
import re
from pathlib import Path

from doors_kit import mapping
from overspill import __version__
from overspill.agents.install.agent import Around
from overspill.agents.install.claude_code import targets
from overspill.agents.install.entries import put_in
from overspill.retrieve.tools import TOOLS

PLUGIN = Path(__file__).parents[2] / "integrations" / "claude-code"
SETTINGS, SERVERS = targets(Around("/project", {"HOME": "/home/user"}, False, ("spill",)))


def test_its_hooks_are_those_that_init_writes() -> None:
    text = "{}\n"
    for entry in SETTINGS.entries:
        text = put_in(text, entry) if entry.keys[0] == "hooks" else text
    assert (PLUGIN / "hooks" / "hooks.json").read_text() == text


def test_its_server_is_the_one_that_init_writes() -> None:
    (entry,) = SERVERS.entries
    assert (PLUGIN / ".mcp.json").read_text() == put_in("{}\n", entry)


def test_its_manifest_names_this_version() -> None:
    manifest = json.loads((PLUGIN / ".claude-plugin" / "plugin.json").read_text())
    assert (manifest["name"], manifest["version"]) == ("overspill", __version__)


def test_its_skill_names_tools_and_arguments_that_there_are() -> None:
    skill = (PLUGIN / "skills" / "overspill" / "SKILL.md").read_text()
    assert skill.startswith("---\nname: overspill\ndescription: ")
    known = {tool.name for tool in TOOLS}
    assert set(re.findall(r"\w+_artifacts?\b", skill)) == known
    arguments = {name for tool in TOOLS for name in mapping(tool.parameters["properties"])}
    table = skill.partition("| you want |")[2].partition("\n\n")[0]
    assert set(re.findall(r"`([a-z_]+)`", table)) <= known | arguments
