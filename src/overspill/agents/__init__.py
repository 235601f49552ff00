"""Coding agents: `hooks` answers their events, `install` writes their settings.

Only `cli` comes in here.
"""

AGENTS = ("claude-code", "codex", "gemini", "copilot", "opencode")
