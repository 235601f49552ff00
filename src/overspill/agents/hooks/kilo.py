"""Kilo, which is made of opencode: it saves what is long in a folder of its own name."""

from __future__ import annotations

from overspill.agents.hooks import opencode
from overspill.agents.hooks.plugins import SavedOutput, data_folder

HOOKS = opencode.HOOKS._replace(agent="kilo", saved=SavedOutput(lambda: data_folder("kilo", "tool-output")))
hook_of, answer, failure_answer = HOOKS.hook_of, HOOKS.answer, HOOKS.failure_answer
