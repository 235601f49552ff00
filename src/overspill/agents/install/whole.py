"""A file that is ours from the first line to the last."""

from __future__ import annotations

from overspill.agents.install.entries import MISSING, OLDER, THEIRS, THERE, SettingsEntry


def state(text: str, entry: SettingsEntry) -> str:
    """Whether the file is missing, ours, ours from another version, or somebody else's."""
    if not text:
        return MISSING
    if text == entry.value:
        return THERE
    return OLDER if entry.is_ours(text) else THEIRS


def put_in(text: str, entry: SettingsEntry) -> str:
    """The file as it should be; somebody else's is left alone."""
    return text if state(text, entry) == THEIRS else str(entry.value)


def take_out(text: str, entry: SettingsEntry, before: str | None) -> str:
    """Nothing, if it is ours."""
    del before
    return text if state(text, entry) == THEIRS else ""
