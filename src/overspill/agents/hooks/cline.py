"""Cline: what its tools are called, and what they say. `plugins.py` says what its plugin asks.

A result is a list of entries, each with the text that one command or file gave. Of every text Cline shows 8,000
characters, both ends of it, so no view may be longer.
"""

from __future__ import annotations

from overspill.agents.hooks.plugins import PluginHooks
from overspill.agents.hooks.texts import KnownTools

HOOKS = PluginHooks(
    "cline",
    KnownTools(("overspill_",), ("run_commands",), ("read_files", "read_file")),
    texts=("result", "text", "content"),
    most_chars=7_900,
)
hook_of, answer, failure_answer = HOOKS.hook_of, HOOKS.answer, HOOKS.failure_answer
