"""`spill config show | check | init | path`."""

import os

from overspill import cut
from overspill.cli.arguments import Call
from overspill.cli.config_text import checked, initial, places, records, shown, write_initial
from overspill.cli.opening import load_settings, root_of
from overspill.cli.output.streams import answer, note
from overspill.errors import ConfigError


def show(call: Call) -> int:
    """The settings in force."""
    settings = load_settings(call, root_of(call))
    return answer(call, "settings", records(settings), shown(settings, origin=call.flag("--origin")))


def check(call: Call) -> int:
    """What is wrong with the settings, all of it."""
    found = checked(root_of(call), environ=os.environ, config_file_named=call.text("--config"), strategies=cut.names)
    if found.problems:
        for problem in found.problems[:-1]:
            note(f"spill: {problem}")
        raise ConfigError(found.problems[-1])
    return answer(call, "settings", {"files": found.files, "warnings": found.warnings}, found.text)


def init(call: Call) -> int:
    """Write a settings file to begin with."""
    path = write_initial(root_of(call), initial(call.text("--profile") or "default"), force=call.flag("--force"))
    return answer(call, "settings", {"path": path}, f"{path}\n")


def path(call: Call) -> int:
    """Which files are read."""
    text = places(root_of(call), os.environ)
    return answer(call, "settings", {"files": text.splitlines()}, text)
