"""pi: what its tools are called, and where it saves what is long. `plugins.py` says what its extension asks.

What a command says comes with a last line that tells how it ended, where that was not well, and before it, where the
output was long, one that names the file that all of it is in.
"""

from __future__ import annotations

import os

from overspill._lite import compile_pattern
from overspill.agents.hooks.plugins import PluginHooks, SavedOutput
from overspill.agents.hooks.texts import KnownTools

SAVED_NAME = compile_pattern(r"pi-bash-[0-9a-f]+\.log")
FRAME = compile_pattern(
    r"(?:\n\n\[Showing [^\n\]]*Full output: (?P<path>/[^\n\]]+)\])?"
    r"(?P<ending>\n\nCommand (?:exited with code \d+|aborted|timed out after [^\n]+))?\Z"
)


def _saving_folder() -> str:
    return os.environ.get("TMPDIR") or "/tmp"  # noqa: S108  # where the agent writes


HOOKS = PluginHooks(
    "pi",
    KnownTools(("overspill_",), ("bash", "powershell"), ("read",)),
    SavedOutput(_saving_folder, lambda rest: SAVED_NAME.fullmatch(rest) is not None, FRAME),
)
hook_of, answer, failure_answer = HOOKS.hook_of, HOOKS.answer, HOOKS.failure_answer
