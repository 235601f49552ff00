"""What is ours in a settings file, in JSON, in TOML or a file of our own: how it is recognised, put in and taken out.

Whatever else stands there stays.
"""

from __future__ import annotations

import re
import tomllib

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.agents.install import jsonc
from overspill.agents.install.jsonc import JsoncNode, JsoncPart, comments, line_and_column, parse_jsonc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from tomlkit.items import Item


Keys = tuple[str, ...]
GROUP_KEYS = {"matcher": "", "hooks": []}  # of a group of hooks

MISSING, THERE, OLDER, THEIRS, WITHHELD = "missing", "installed", "older", "theirs", "withheld"
MAX_OWN_PARTS = 50  # of ours in one list; each is taken out by itself, and somebody may have planted thousands


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


# A table of ours in a TOML file. What comes out of a change is read again before anybody writes it.

HEADER = re.compile(r"[ \t]*\[.*\]\s*(?:#.*)?$")
EMPTY_LINE_AT_END = re.compile(r"^[ \t]*\r?\n\Z", re.MULTILINE)


# Bounds on what a stranger's file may cost; a file that is beyond them is said to be, and left alone.
LONG_KEY = re.compile(r"""(?<![\w"'-])(?:[\w"'-]+[ \t]*\.[ \t]*){50}""")  # it takes the square of its parts to read
MAX_TRIED_CHARS = 1 << 21  # characters read in vain while tables are told apart
MAX_TABLES = 500  # tables that are read as trees, which is slow


def parse_toml(text: str) -> dict[str, Any]:
    """What a text says. `BadShape` where it is such that reading it would take too long, or too much."""
    if LONG_KEY.search(text):
        raise BadShape("a key has more than 50 parts")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except (ValueError, RecursionError):
        raise BadShape("it is nested too deep, or a number is too long") from None


def toml_state(text: str, entry: SettingsEntry) -> str:
    """Whether the table is missing, there, there in another version, or somebody else's."""
    found = _entry_table(text, entry)
    if found is None:
        return MISSING
    if not _is_own_table(found, entry):
        return THEIRS
    return THERE if {**found, **_own_table(entry)} == found else OLDER


def put_in_toml(text: str, entry: SettingsEntry) -> str:
    """The text with the table: at its end, or in the place of an older one."""
    now = toml_state(text, entry)
    if now in {THERE, THEIRS}:
        return text
    wanted = parse_toml(text)
    above = _table_above(wanted, entry, made=True)
    above[entry.keys[-1]] = {**above.get(entry.keys[-1], {}), **_own_table(entry)}
    if now == MISSING and _parses_to(appended := _with_table_at_end(text, entry), wanted):
        return appended
    import tomlkit
    from tomlkit.items import InlineTable

    pieces = _sections(text)
    for at in _tables_to_read(pieces, entry):
        piece = pieces[at]
        document = tomlkit.parse(piece)
        above = _table_above(document, entry)
        if isinstance(above, InlineTable) or _is_own_table(above.get(entry.keys[-1]), entry):
            above.setdefault(entry.keys[-1], tomlkit.inline_table()).update(_own_table(entry))
            pieces[at] = tomlkit.dumps(document)
    return _check_text("".join(pieces), wanted, entry)


def take_out_of_toml(text: str, entry: SettingsEntry, before: str | None) -> str:
    """The text without the table, if it is ours; comments and everything else stay."""
    del before  # a table of tables leaves no empty container behind
    found = _entry_table(text, entry)
    if found is None or not _is_own_table(found, entry):
        return text
    import tomlkit

    wanted = parse_toml(text)
    del _table_above(wanted, entry)[entry.keys[-1]]
    kept, pieces = "", _sections(text)
    ours_in = set(_tables_to_read(pieces, entry))
    for at, piece in enumerate(pieces):
        if at not in ours_in:
            kept += piece
            continue
        document = tomlkit.parse(piece)
        ours = _table_above(document, entry).pop(entry.keys[-1], None)
        rest = piece if ours is None else tomlkit.dumps(document)
        if not rest.strip() and piece.strip():  # the header was ours, too
            kept, rest = EMPTY_LINE_AT_END.sub("", kept), _comments_in(ours)
        kept += rest
    return _check_text(kept, wanted, entry)


def _is_own_table(found: object, entry: SettingsEntry) -> bool:
    """Whether a table has our command, and no key of somebody else's."""
    keys = list(found) if isinstance(found, dict) else []
    return entry.is_ours(found) and has_only_keys(keys, entry.value, entry.agent_keys)


def _entry_table(text: str, entry: SettingsEntry) -> dict[str, object] | None:
    value: object = parse_toml(text)
    for key in entry.keys:
        if not isinstance(value, dict):
            raise BadShape(f"{entry.place} leads through something that is no table{_place_text(text, entry)}")
        if key not in value:
            return None
        value = value[key]
    if not isinstance(value, dict):
        raise BadShape(f"{entry.place} must be a table{_place_text(text, entry)}")
    return value


def _place_text(text: str, entry: SettingsEntry) -> str:
    """Where the table's name first stands, as far as that can be told from the text."""
    found = re.search(rf'^[ \t]*\[?[ \t]*"?{re.escape(entry.keys[0])}\b', text, re.MULTILINE)
    return " (line {}, column {})".format(*line_and_column(text, found.start())) if found else ""


def _own_table(entry: SettingsEntry) -> dict[str, object]:
    assert isinstance(entry.value, dict)  # noqa: S101  # our own tables are
    return entry.value


def _table_above(tree: dict[str, Any], entry: SettingsEntry, *, made: bool = False) -> dict[str, Any]:
    """The table that ours belongs in; if there is none, an empty one, which is put there if it should be `made`."""
    for key in entry.keys[:-1]:
        tree = tree.setdefault(key, {}) if made else tree.get(key, {})
    return tree


def _sections(text: str) -> list[str]:
    """What stands above the first table, then every table from its header on.

    A tree of the whole file is not written back as it was: tomlkit moves a table next to its like, past a `[[list]]`.
    """
    pieces, tried = [""], 0
    for line in text.splitlines(keepends=True):
        if HEADER.match(line):
            if _parses_to(pieces[-1]):
                pieces.append("")
            else:  # it is a line of a text or a list
                tried += len(pieces[-1])
            if tried > MAX_TRIED_CHARS:
                raise BadShape("too many lines look like the beginning of a table and are none")
        pieces[-1] += line
    return pieces


def _tables_to_read(pieces: list[str], entry: SettingsEntry) -> list[int]:
    """Which sections can hold the table: those that name where it belongs."""
    found = [at for at, piece in enumerate(pieces) if entry.keys[0] in piece]
    if len(found) > MAX_TABLES:
        raise BadShape(f"more than {MAX_TABLES} tables belong to {entry.keys[0]}")
    return found


def _with_table_at_end(text: str, entry: SettingsEntry) -> str:
    """The text with the table below all else: a tree would put it next to its like, in the middle of the file."""
    import tomlkit

    table: dict[str, object] = _own_table(entry)
    for key in reversed(entry.keys):
        table = {key: table}
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
    return text + gap + tomlkit.dumps(table).replace("\n", newline)


def _comments_in(item: Item) -> str:
    """Comments and empty lines in our table: those above the next one belong to it, in TOML, but not to people."""
    from tomlkit.items import AoT, Comment, Table, Whitespace

    if isinstance(item, AoT):
        return "".join(map(_comments_in, item.body))
    if isinstance(item, Table):
        return "".join(_comments_in(held) for _, held in item.value.body)
    return item.as_string() if isinstance(item, Comment | Whitespace) else ""


def _check_text(text: str, wanted: dict[str, object], entry: SettingsEntry) -> str:
    head = entry.keys[0]
    without_empty = {key: held for key, held in wanted.items() if key != head or held != {}}
    if not _parses_to(text, wanted) and not _parses_to(text, without_empty):
        raise BadShape(f"{entry.place} stands in a form that cannot be changed safely; write it as [{entry.place}]")
    return text


def _parses_to(text: str, wanted: dict[str, object] | None = None) -> bool:
    try:
        return wanted in (None, parse_toml(text))
    except tomllib.TOMLDecodeError:
        return False
