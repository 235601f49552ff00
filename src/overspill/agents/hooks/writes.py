"""Marks of ours never end up in files: what a tool is about to write is looked at before it happens.

A mark is stopped only if it was drawn in this session, or names an artifact that is there, and if neither the file nor
the text that is to be replaced holds it already. So texts that speak of marks are written as they are.
"""

from __future__ import annotations

import os
import stat

from overspill._lite import TYPE_CHECKING, NamedTuple, suppress
from overspill.core.mark_grammar import MarkMatch, marks_in, may_hold_marks
from overspill.core.markers import Part
from overspill.errors import OverspillError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from overspill.agents.hooks import Hook, Json
    from overspill.report import ShownRecord
    from overspill.store.files import FileStore

PATHS = ("file_path", "filePath", "notebook_path", "path", "absolute_path")
NEW = (
    "content", "contents", "file_text", "new_string", "newString", "new_str", "newText", "new_text", "new_source",
    "insert_text", "text",
)  # fmt: skip
OLD = ("old_string", "oldString", "old_str", "oldText", "old_text")
PATCHES = ("command", "input", "patch", "patchText")
PATCH_BEGINS = "*** Begin Patch"
PATCH_FILES = ("*** Add File: ", "*** Update File: ")

MAX_FILE_BYTES = 1 << 24  # of a file that is compared
MOST_ARTIFACTS = 300  # whose marks are looked at, the newest first
MAX_COUNTED_CHARS = 1 << 25  # of an artifact whose lines are counted
MOST_NAMED = 3  # marks that a sentence names
SHOWN_MARK = 60  # characters of a mark in a sentence


class FileEdit(NamedTuple):
    """A text that is to stand in a file, and the one that it replaces."""

    path: str
    text: str
    before: str = ""


class DrawnMark(NamedTuple):
    """A mark of ours, the line it stands on, and the call for what it stands for; none of what was hidden."""

    mark: MarkMatch
    line: int
    call: str = ""


def stop_reason(hook: Hook, arguments: object) -> str:
    """Why a call must not write what it is about to write; empty if it may."""
    edits = [edit for edit in file_edits(arguments) if may_hold_marks(edit.text)]
    for edit in edits:
        if new := _new_marks(edit):
            drawn = DrawnMarks(hook).among(edit, new) if hook.spill.workspace.settings.flag("agents.stop_marks") else []
            if drawn:
                return _sentence(edit, drawn)
    return ""


def deny_write(hook: Hook, arguments: object) -> Json:
    """The answer to a call that is about to write, as Claude Code spells it, and Codex after it; empty if it may."""
    reason = stop_reason(hook, arguments)
    if not reason:
        return {}
    denied = {"permissionDecision": "deny", "permissionDecisionReason": reason}
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **denied}}


def file_edits(arguments: object, path: str = "") -> Iterator[FileEdit]:
    r"""What a call of any agent's tool is about to write, by the names that agents give to paths and texts.

    >>> list(file_edits({"file_path": "a", "edits": [{"old_string": "b", "new_string": "c"}]}))
    [FileEdit(path='a', text='c', before='b')]
    >>> list(file_edits({"input": "*** Begin Patch\n*** Update File: a\n@@\n b\n-c\n+d\n*** End Patch"}))
    [FileEdit(path='a', text='d', before='b\nc')]
    """
    if isinstance(arguments, list):
        for one in arguments:
            yield from file_edits(one, path)
        return
    if not isinstance(arguments, dict):
        return
    path = _first_text(arguments, PATHS) or path
    patch = _first_text(arguments, PATCHES)
    if PATCH_BEGINS in patch:
        yield from _patch_edits(patch)
    if text := _first_text(arguments, NEW):
        yield FileEdit(path, text, _first_text(arguments, OLD))
    yield from file_edits(arguments.get("edits"), path)


def _first_text(arguments: Json, names: tuple[str, ...]) -> str:
    return next((value for name in names if isinstance(value := arguments.get(name), str) and value), "")


def _patch_edits(patch: str) -> Iterator[FileEdit]:
    path = ""
    added: list[str] = []
    before: list[str] = []
    for line in patch.partition(PATCH_BEGINS)[2].splitlines():
        if line.startswith("*** "):
            if line.startswith(PATCH_FILES):
                if added:
                    yield FileEdit(path, "\n".join(added), "\n".join(before))
                path, added, before = line.partition(": ")[2].strip(), [], []
        elif line.startswith("+"):
            added.append(line[1:])
        elif line.startswith(("-", " ")):
            before.append(line[1:])
    if added:
        yield FileEdit(path, "\n".join(added), "\n".join(before))


def _new_marks(edit: FileEdit) -> list[MarkMatch]:
    """The marks that neither the replaced text nor the file holds."""
    found = [mark for mark in marks_in(edit.text) if mark.text not in edit.before]
    there = file_text(edit.path) if found else ""
    return [mark for mark in found if mark.text not in there]


def file_text(path: str) -> str:
    """What a file holds; nothing where it is none, or too large to be compared."""
    if not path:
        return ""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return ""
    with os.fdopen(file, "rb") as content:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_FILE_BYTES:
            return ""
        return content.read(MAX_FILE_BYTES).decode("utf-8", "replace")


class DrawnMarks:
    """The marks that were drawn in a session, and in that of its root, where servers without a session keep theirs."""

    def __init__(self, hook: Hook) -> None:
        self._hook = hook
        self._stores: list[FileStore] | None = None

    @property
    def stores(self) -> list[FileStore]:
        if self._stores is None:
            from overspill.store.files import FileStore
            from overspill.workspace import Workspace

            found = []
            with suppress(OverspillError, OSError):
                found = [self._hook.spill.store, Workspace.find(forgiving=True).store]
            self._stores = [store for store in found if isinstance(store, FileStore)]
        return self._stores

    def among(self, edit: FileEdit, marks: list[MarkMatch]) -> list[DrawnMark]:
        """Those of the marks that were drawn, each once."""
        drawn: dict[str, DrawnMark] = {}
        for mark in marks:
            if mark.text not in drawn and (call := self._call(mark)) is not None:
                drawn[mark.text] = DrawnMark(mark, edit.text.count("\n", 0, mark.start) + 1, call)
        return list(drawn.values())

    def _call(self, mark: MarkMatch) -> str | None:
        """The call that fetches what a mark stands for, empty of a secret; None if it was not drawn."""
        if mark.hides:
            from overspill.fit.view import was_hidden

            return "" if any(was_hidden(store, mark.hides) for store in self.stores) else None
        return self._named_call(mark.artifact) if mark.artifact else self._gap_call(mark.text)

    def _named_call(self, said: str) -> str | None:
        """Of an artifact that a mark names, if it is there."""
        from overspill.store import full_id, ids_of

        for store in self.stores:
            with suppress(OverspillError, OSError):
                store.info(full_id(said, lambda store=store: ids_of(store, near=True)))  # type: ignore[misc]
                return self._hook.spill.workspace.call_format(said)
        return None

    def _gap_call(self, text: str) -> str | None:
        from overspill.report import newest_shown

        for store in self.stores:
            with suppress(OverspillError, OSError):
                for artifact_id, shown in newest_shown(store, MOST_ARTIFACTS):
                    if text in shown.gaps:
                        workspace = self._hook.spill.workspace
                        part = gap_lines(store, artifact_id, shown, text)
                        return workspace.call_format(workspace.short_id(artifact_id), part)
        return None


def gap_lines(store: FileStore, artifact_id: str, shown: ShownRecord, mark: str) -> Part | None:
    """The lines that a mark stands for, where it counts them and one gap has as many; None for the whole artifact."""
    from overspill._lite import compile_pattern
    from overspill.report import KeptTexts, artifact_parts

    numbers = [int(number.replace(",", "")) for number in compile_pattern(r"\d[\d,]*").findall(mark)]
    if not numbers or not shown.kept or shown.chars > MAX_COUNTED_CHARS:
        return None
    count = numbers[0] * (numbers[1] if " ln x" in mark and len(numbers) > 1 else 1)
    with KeptTexts(store).open(artifact_id, store.session.id) as kept:
        if kept is None:
            return None
        parts = artifact_parts(kept.reader, shown, ())
    ends = [0, *(span.last for span in parts.kept)]
    begins = [*(span.first for span in parts.kept), parts.lines + 1]
    for end, begin in zip(ends, begins, strict=True):
        if begin - end - 1 == count:
            return Part("lines", end + 1, begin - 1)
    return None


def _sentence(edit: FileEdit, drawn: list[DrawnMark]) -> str:
    """What the model is told: what is wrong, where, and how it gets what it lacks."""
    where = f"the new text for {os.path.basename(edit.path)}" if edit.path else "the new text"
    told = " ".join(f"In {where}, {_about_mark(one)}" for one in drawn[:MOST_NAMED])
    more = len(drawn) - MOST_NAMED
    rest = f" {more} more mark{'s' * (more > 1)} stand{'s' * (more == 1)} in it." if more > 0 else ""
    return f"Nothing was written: overspill's marks are no part of a file. {told}{rest}"


def _about_mark(drawn: DrawnMark) -> str:
    text = drawn.mark.text if len(drawn.mark.text) <= SHOWN_MARK else f"{drawn.mark.text[: SHOWN_MARK - 3]}..."
    begin = f"line {drawn.line} holds `{text}`, which stands for"
    if not drawn.call:
        return (
            f"{begin} a secret that you were not shown. Leave that place as it is in the file and edit around it, or "
            "let the program read the value from its environment."
        )
    return f"{begin} text that you were not shown. Fetch it, then write all of it: {drawn.call}."
