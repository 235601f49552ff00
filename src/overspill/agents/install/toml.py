"""A table of ours in a TOML file. What comes out of a change is read again before anybody writes it."""

from __future__ import annotations

import re
import tomllib

from overspill._lite import TYPE_CHECKING
from overspill.agents.install.entries import MISSING, OLDER, THEIRS, THERE, BadShape, SettingsEntry, has_only_keys
from overspill.agents.install.jsonc import line_and_column

if TYPE_CHECKING:
    from typing import Any

    from tomlkit.items import Item

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


def state(text: str, entry: SettingsEntry) -> str:
    """Whether the table is missing, there, there in another version, or somebody else's."""
    found = _entry_table(text, entry)
    if found is None:
        return MISSING
    if not _is_own_table(found, entry):
        return THEIRS
    return THERE if {**found, **_own_table(entry)} == found else OLDER


def put_in(text: str, entry: SettingsEntry) -> str:
    """The text with the table: at its end, or in the place of an older one."""
    now = state(text, entry)
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


def take_out(text: str, entry: SettingsEntry, before: str | None) -> str:
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
