"""Coding agents: `hooks` answers their events, `install` writes their settings.

Each agent is spoken of in both. Only `cli` comes in here.
"""

from __future__ import annotations

AGENTS = (
    "claude-code",
    "codex",
    "gemini",
    "copilot",
    "opencode",
    "kilo",
    "pi",
    "cline",
    "qwen",
    "cursor",
    "vscode",
)
