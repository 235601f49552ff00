"""What is ours in a settings file: how it is recognised, put in and taken out, whatever else stands there.

What stood there before we changed it is kept, with a digest of what stood there afterwards. With both, undoing gives
back the very bytes, unless somebody has written there since. Settings may hold secrets, so the records are their
owner's alone.
"""

from __future__ import annotations

import base64
import json
import os

from overspill._lite import TYPE_CHECKING, NamedTuple, sha256
from overspill.agents.install import jsonc
from overspill.agents.install.jsonc import JsoncNode, JsoncPart, comments, line_and_column, parse_jsonc
from overspill.errors import InputError, StoreError
from overspill.files import (
    Locked,
    make_directory,
    make_state_directory,
    open_directory,
    read_small,
    remove_file,
    replace_file,
    state_directory,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


Keys = tuple[str, ...]
GROUP_KEYS = {"matcher": "", "hooks": []}  # of a group of hooks

MISSING, THERE, OLDER, THEIRS, WITHHELD = "missing", "installed", "older", "theirs", "withheld"
MAX_OWN_PARTS = 50  # of ours in one list; each is taken out by itself, and somebody may have planted thousands

FOLDER = "agents"
VERSION = 1
MAX_BACKUP_BYTES = 1 << 28


class BadShape(ValueError):
    """A settings file is valid, but what stands at a place is not what the agent reads there."""


class SettingsEntry(NamedTuple):
    """One thing of ours in a settings file. `is_ours` knows its command, in every version and wherever `spill` lies.

    An object with a key more than ours has is somebody else's, whatever its command: `env`, `cwd` and the like decide
    what really runs.
    """

    keys: Keys
    value: object
    says: str  # what it is there for
    is_ours: Callable[[object], bool]
    form: str = "member"  # or "element" of a list, or "group" of hooks in one
    agent_keys: Keys = ()  # that the agent itself writes into ours
    trusts_server: bool = False  # it means our server by its name, so it is worth something only while that is ours
    is_withheld: bool = False  # that name is somebody else's

    @property
    def place(self) -> str:
        return ".".join(self.keys)


def state(text: str, entry: SettingsEntry) -> str:
    """Whether an entry is missing, there, there in another version, or whether somebody else's stands in its place."""
    node = _entry_node(text, entry)
    if node is None:
        return MISSING
    if entry.form == "member":
        return _member_state(node, entry)
    known = list(_known_parts(node, entry))
    _demand(len(known) <= MAX_OWN_PARTS, text, node, entry.keys[-1], f"a list with at most {MAX_OWN_PARTS} of ours")
    if not known:
        return MISSING
    if not all(_is_own_part(group, part, entry) for group, part in known):
        return THEIRS
    return THERE if len(known) == 1 and _has_current(node, entry) else OLDER


def put_in(text: str, entry: SettingsEntry) -> str:
    """The text with the entry in it, once, in its present form; somebody else's is left alone."""
    now = state(text, entry)
    if now in {THERE, THEIRS}:
        return text
    if entry.form == "member":
        return _put_member(text, entry, now)
    node = _entry_node(text, entry)
    held = list(_own_parts(node, entry)) if node else []
    alone = [group for group, part in held if group is part or len(_handlers(group.node)) == 1]
    if len(held) == 1 and alone:
        return jsonc.replace_value(text, alone[0].node, entry.value)
    return jsonc.append_value(_without_ours(text, entry), entry.keys, entry.value)


def take_out(text: str, entry: SettingsEntry, before: str | None) -> str:
    """The text without the entry, and without the containers that only it needed: those that `before` does not have."""
    if entry.form == "member":
        node, above = _entry_node(text, entry), jsonc.lookup(text, entry.keys[:-1])
        part = above.get(entry.keys[-1]) if above else None
        if node is None or above is None or part is None or _member_state(node, entry) == THEIRS:
            return text
        text, depth = jsonc.remove_part(text, above, part), len(entry.keys) - 1
    else:
        changed = text if state(text, entry) == MISSING else _without_ours(text, entry)
        if changed == text:
            return text
        text, depth = changed, len(entry.keys)
    for keys in (entry.keys[:length] for length in range(depth, 0, -1)):
        text = _without_empty(text, keys, before)
    return text


def _member_state(node: JsoncNode, entry: SettingsEntry) -> str:
    if not entry.is_ours(node.value) or not has_only_keys(_key_list(node), entry.value, entry.agent_keys):
        return THEIRS
    wanted, found = entry.value, node.value
    if isinstance(wanted, dict) and isinstance(found, dict):
        return THERE if all(key in found and jsonc.same_json(found[key], wanted[key]) for key in wanted) else OLDER
    return THERE if jsonc.same_json(found, wanted) else OLDER


def has_only_keys(found: list[str], wanted: object, also: Keys = ()) -> bool:
    """Whether an object has no key that ours does not have, and none twice: readers differ in which of two counts.

    >>> has_only_keys(["command"], {"command": "spill", "args": []}), has_only_keys(["command", "env"], {"command": ""})
    (True, False)
    """
    allowed = {*(wanted if isinstance(wanted, dict) else ()), *also}
    return len(set(found)) == len(found) and allowed.issuperset(found)


def _key_list(node: JsoncNode) -> list[str]:
    return [part.key for part in node.parts] if node.is_object else []


def _put_member(text: str, entry: SettingsEntry, now: str) -> str:
    if now == MISSING or not isinstance(entry.value, dict):
        return jsonc.put_value(text, entry.keys, entry.value)
    for key, value in entry.value.items():  # what the agent itself added stays
        text = jsonc.put_value(text, (*entry.keys, key), value)
    return text


def _has_current(node: JsoncNode, entry: SettingsEntry) -> bool:
    return any(jsonc.same_json(part.node.value, entry.value) for part in node.parts)


def _own_parts(node: JsoncNode, entry: SettingsEntry) -> Iterator[tuple[JsoncPart, JsoncPart]]:
    """What is ours in a list: the element, and the part of it that is; in a group of hooks that is one of them."""
    return ((group, part) for group, part in _known_parts(node, entry) if _is_own_part(group, part, entry))


def _is_own_part(group: JsoncPart, part: JsoncPart, entry: SettingsEntry) -> bool:
    """Whether what has our command has no key of somebody else's."""
    if entry.form == "element":
        return has_only_keys(_key_list(part.node), entry.value)
    hooks = entry.value.get("hooks") if isinstance(entry.value, dict) else None
    handler = hooks[0] if isinstance(hooks, list) and hooks else {}
    return has_only_keys(_key_list(group.node), GROUP_KEYS) and has_only_keys(_key_list(part.node), handler)


def _known_parts(node: JsoncNode, entry: SettingsEntry) -> Iterator[tuple[JsoncPart, JsoncPart]]:
    """What runs our command in a list, whatever else stands beside it."""
    for part in node.parts:
        if entry.form == "element":
            if entry.is_ours(part.node.value):
                yield part, part
        else:
            yield from ((part, handler) for handler in _handlers(part.node) if entry.is_ours(handler.node.value))


def _handlers(group: JsoncNode) -> tuple[JsoncPart, ...]:
    hooks = group.get("hooks")
    return hooks.node.parts if hooks and hooks.node.is_array else ()


def _without_ours(text: str, entry: SettingsEntry) -> str:
    while (node := _entry_node(text, entry)) and (held := next(_own_parts(node, entry), None)):
        group, part = held
        hooks = group.node.get("hooks")
        if group is part or hooks is None or len(hooks.node.parts) == 1:
            text = jsonc.remove_part(text, node, group)
        else:
            text = jsonc.remove_part(text, hooks.node, part)
    return text


def _without_empty(text: str, keys: Keys, before: str | None) -> str:
    node, above = jsonc.lookup(text, keys), jsonc.lookup(text, keys[:-1])
    part = above.get(keys[-1]) if above else None
    if node is None or above is None or part is None or node.parts or node.value not in ({}, []):
        return text
    if any(comments(text[node.start : node.end])) or (before is not None and jsonc.lookup(before, keys) is not None):
        return text
    return jsonc.remove_part(text, above, part)


def _entry_node(text: str, entry: SettingsEntry) -> JsoncNode | None:
    """What stands in the entry's place; `BadShape` if the way there leads through something else than objects."""
    node, above = parse_jsonc(text), ""
    for key in entry.keys:
        _demand(node.is_object, text, node, above, "an object")
        part = node.get(key)
        if part is None:
            return None
        node, above = part.node, key
    if entry.form != "member":
        _demand(node.is_array, text, node, above, "a list")
    return node


def _demand(holds: bool, text: str, node: JsoncNode, name: str, wanted: str) -> None:  # noqa: FBT001  # an assertion
    if not holds:
        line, column = line_and_column(text, node.start)
        # What stands there is not quoted: it may be a secret.
        raise BadShape(f"{name or 'the file'} must be {wanted} (line {line}, column {column})")


class SettingsFormat(NamedTuple):
    """How an entry is recognised, put in and taken out, in one kind of file."""

    state: Callable[[str, SettingsEntry], str]
    put_in: Callable[[str, SettingsEntry], str]
    take_out: Callable[[str, SettingsEntry, str | None], str]


# A file that is ours from the first line to the last.


def whole_state(text: str, entry: SettingsEntry) -> str:
    """Whether the file is missing, ours, ours from another version, or somebody else's."""
    if not text:
        return MISSING
    if text == entry.value:
        return THERE
    return OLDER if entry.is_ours(text) else THEIRS


def put_whole(text: str, entry: SettingsEntry) -> str:
    """The file as it should be; somebody else's is left alone."""
    return text if whole_state(text, entry) == THEIRS else str(entry.value)


def take_out_whole(text: str, entry: SettingsEntry, before: str | None) -> str:
    """Nothing, if it is ours."""
    del before
    return text if whole_state(text, entry) == THEIRS else ""


class FileBackup(NamedTuple):
    """What is remembered of one file."""

    before: bytes | None  # None: there was no file
    after: str  # the digest of what we wrote
    directories: tuple[str, ...] = ()  # that we made for it


class Backups:
    """The records of a user, in a directory of his own, open for the length of one command."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._state = state_directory(environ)
        self._directory: int | None = None

    def read(self, path: str) -> FileBackup | None:
        """What is remembered of a file, if anything."""
        directory = self._open_directory()
        content = read_small(_backup_name(path), directory, MAX_BACKUP_BYTES) if directory is not None else None
        try:
            found = json.loads(content) if content else None
            if not found or found["version"] != VERSION:
                return None
            before = None if found["before"] is None else base64.b64decode(found["before"])
            return FileBackup(before, str(found["after"]), tuple(map(str, found["directories"])))
        except (ValueError, KeyError, TypeError):
            return None  # as if nothing was written down: what is ours can still be recognised

    def write(self, path: str, record: FileBackup) -> None:
        """Remember a file, in the place of what was remembered of it."""
        before = None if record.before is None else base64.b64encode(record.before).decode()
        held = {"version": VERSION, "path": path, "before": before, "after": record.after}
        content = json.dumps({**held, "directories": record.directories})
        replace_file(_backup_name(path), self._make_directory(), content.encode("utf-8", "surrogateescape"))

    def forget(self, path: str) -> None:
        """Remember a file no longer."""
        if (directory := self._open_directory()) is not None:
            remove_file(_backup_name(path), directory)

    def lock(self) -> Locked:
        """Keep other commands that change settings away until this one is done."""
        return Locked("lock", self._make_directory())

    def close(self) -> None:
        if self._directory is not None:
            os.close(self._directory)
            self._directory = None

    def _open_directory(self) -> int | None:
        if self._directory is None and self._state is not None:
            try:
                above = os.open(self._state, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            except OSError:
                return None
            try:
                self._directory = open_directory(FOLDER, above)
            finally:
                os.close(above)
        return self._directory

    def _make_directory(self) -> int:
        if self._open_directory() is None:
            above = make_state_directory(self._state) if self._state else None
            if above is None:
                raise InputError("there is no place for backups; set HOME or XDG_STATE_HOME to a directory of yours")
            try:
                self._directory = make_directory(FOLDER, above)
            finally:
                os.close(above)
        if self._directory is None:
            raise StoreError("the directory of backups is gone")
        return self._directory


def settings_digest(content: bytes) -> str:
    """By which bytes are known again."""
    return sha256(content).hexdigest()


def _backup_name(path: str) -> str:
    return sha256(os.fsencode(path)).hexdigest()[:26] + ".json"
