"""From a command line to settings and an `Overspill`: the same way for every command."""

import os
from collections.abc import Mapping

from overspill import cut
from overspill.config import Settings, load
from overspill.doors.arguments import Call
from overspill.doors.streams import note
from overspill.journal import file_journal, silent
from overspill.marks import shell_call
from overspill.pipeline import Overspill
from overspill.root import find_root

DEFAULT_PRESET = "agent"


def root_of(call: Call) -> str:
    """The project's directory."""
    return find_root(call.text("--root"), os.environ, os.getcwd())  # pathlib costs a start-up


# What a command keeps in memory ends with it, so it says that nothing is kept.
KEEP_NOTHING = {"tools.truncation.artifacts.store_truncated": False}


def load_settings(call: Call, root: str, more: Mapping[str, object] | None = None) -> Settings:
    """The settings in force; what is odd about them is said once, on standard error."""
    flags = {"preset": preset} if (preset := call.text("--preset")) else {}
    settings = load(
        root,
        environ=os.environ,
        flags={**flags, **(more or {})},
        preset=DEFAULT_PRESET,
        config_file=call.text("--config"),
        strategies=cut.names,
    )
    for warning in settings.warnings:
        note(f"spill: {warning}")
    return settings


def overspill_of(call: Call) -> Overspill:
    """An `Overspill` for this command line."""
    root = root_of(call)
    settings = load_settings(call, root, KEEP_NOTHING)
    journal = file_journal(os.path.join(root, ".acode", "logs"))
    return Overspill(
        settings,
        root=root,
        session=call.text("--session"),
        spelling=shell_call,
        journal=journal if settings.flag("journal.enabled") else silent,
    )
