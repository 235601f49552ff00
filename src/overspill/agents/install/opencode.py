"""opencode: a plugin of ours, and the server in `opencode.json` or `opencode.jsonc`."""

from __future__ import annotations

import os

from overspill.agents.install.agent import Agent, Around, Target
from overspill.agents.install.plugin import local_server, plugin_target

PLUGIN = "opencode_plugin.js"
BASE = '{\n  "$schema": "https://opencode.ai/config.json"\n}\n'


def targets(around: Around) -> tuple[Target, ...]:
    folder = user_folder(around, "opencode") if around.is_global else around.in_project(".opencode")
    plugin = os.path.join(folder, "plugins", "overspill.js")
    settings = settings_path(around, "opencode", ("opencode.jsonc", "opencode.json"))
    return (
        plugin_target(around, "opencode", "opencode", PLUGIN, plugin),
        Target(settings, (local_server(around),), base=BASE),
    )


def settings_path(around: Around, folder: str, names: tuple[str, ...]) -> str:
    """The file that is there; of several, the one that is read last, which is named first."""
    place = user_folder(around, folder) if around.is_global else around.root
    wanted = (*names, "config.json") if around.is_global else names
    there = [name for name in wanted if os.path.lexists(os.path.join(place, name))]
    return os.path.join(place, there[0] if there else names[-1])


def user_folder(around: Around, name: str) -> str:
    return around.at_home(".config", name, variable="XDG_CONFIG_HOME")


def notes(around: Around) -> tuple[str, ...]:
    del around
    return ("opencode loads plugins when it starts: start it anew.",)


AGENT = Agent("opencode", "opencode", targets, notes)
