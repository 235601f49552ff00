"""Kilo, which is made of opencode: a plugin of ours, and the server in `kilo.json` or `kilo.jsonc`."""

from __future__ import annotations

import os

from overspill.agents.install.agent import Agent, Around, Target
from overspill.agents.install.opencode import PLUGIN, settings_path, user_folder
from overspill.agents.install.plugin import local_server, plugin_target


def targets(around: Around) -> tuple[Target, ...]:
    folder = user_folder(around, "kilo") if around.is_global else around.in_project(".kilo")
    plugin = os.path.join(folder, "plugins", "overspill.js")
    return (
        plugin_target(around, "kilo", "Kilo", PLUGIN, plugin),
        Target(settings_path(around, "kilo", ("kilo.jsonc", "kilo.json")), (local_server(around),)),
    )


def notes(around: Around) -> tuple[str, ...]:
    del around
    return ("Kilo loads plugins when it starts: start it anew.",)


AGENT = Agent("kilo", "Kilo", targets, notes)
