"""Coding agents: `hooks` answers their events, `install` writes their settings.

Only `cli` comes in here.
"""
