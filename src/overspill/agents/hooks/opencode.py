"""opencode: what its tools are called, and where it saves what is long. `plugins.py` says what its plugin asks."""

from __future__ import annotations

from overspill.agents.hooks.plugins import PluginHooks, SavedOutput, data_folder
from overspill.agents.hooks.texts import KnownTools

HOOKS = PluginHooks(
    "opencode",
    KnownTools(("overspill_",), ("bash",), ("read",)),
    SavedOutput(lambda: data_folder("opencode", "tool-output")),
)
hook_of, answer, failure_answer = HOOKS.hook_of, HOOKS.answer, HOOKS.failure_answer
