"""A table of ours in a TOML file. It is changed as text, and what comes out is read again before anybody writes it."""

import re
import tomllib

from overspill.agents.install.entries import MISSING, OLDER, THEIRS, THERE, BadShape, SettingsEntry
from overspill.agents.install.jsonc import line_and_column

HEADER = re.compile(r"[ \t]*\[{1,2}[^\]]*\]{1,2}[ \t]*(?:#.*)?$")


def state(text: str, entry: SettingsEntry) -> str:
    """Whether the table is missing, there, there in another version, or somebody else's."""
    found = _entry_table(text, entry)
    if found is None:
        return MISSING
    if not entry.is_ours(found):
        return THEIRS
    wanted = entry.value
    assert isinstance(wanted, dict)  # noqa: S101  # our own tables are
    return THERE if all(found.get(key) == value for key, value in wanted.items()) else OLDER


def put_in(text: str, entry: SettingsEntry) -> str:
    """The text with the table: at its end, or in the place of an older one."""
    now = state(text, entry)
    if now in {THERE, THEIRS}:
        return text
    wanted = _with_entry(tomllib.loads(text), entry)
    if now == MISSING:
        changed = _append_table(text, entry)
        if _parses_to(changed, wanted):
            return changed
    return _check_text(_by_tree(text, entry), wanted, entry)


def take_out(text: str, entry: SettingsEntry, before: str | None) -> str:
    """The text without the table, if it is ours; comments and everything else stay."""
    del before  # a table of tables leaves no empty container behind
    found = _entry_table(text, entry)
    if found is None or not entry.is_ours(found):
        return text
    wanted = _without_keys(tomllib.loads(text), entry.keys)
    changed = _without_table_lines(text, entry)
    if _parses_to(changed, wanted) or _parses_to(changed, _without_empty_table(wanted, entry.keys)):
        return changed
    return _check_text(_by_tree(text, entry, take=True), wanted, entry)


def _entry_table(text: str, entry: SettingsEntry) -> dict[str, object] | None:
    value: object = tomllib.loads(text)
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


def _append_table(text: str, entry: SettingsEntry) -> str:
    assert isinstance(entry.value, dict)  # noqa: S101
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [f"[{entry.place}]", *(f"{key} = {toml_text(value)}" for key, value in entry.value.items())]
    gap = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
    return text + gap + "".join(line + newline for line in lines)


def toml_text(value: object) -> str:
    r"""A text or a list of texts, in TOML.

    >>> toml_text(["a", 'say "b"'])
    '["a", "say \\"b\\""]'
    """
    import json  # a basic string of TOML may hold what JSON writes, but for DEL

    if isinstance(value, list):
        return f"[{', '.join(map(toml_text, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _without_table_lines(text: str, entry: SettingsEntry) -> str:
    """The text without the lines of our table and of those below it; comments in between are somebody's."""
    name = r"[ \t]*\.[ \t]*".join(rf'(?:{re.escape(key)}|"{re.escape(key)}")' for key in entry.keys)
    own = re.compile(rf"[ \t]*\[[ \t]*{name}[ \t]*(?:\..*)?\][ \t]*(?:#.*)?$")
    kept: list[str] = []
    inside = False
    for line in text.splitlines(keepends=True):
        bare = line.rstrip("\r\n")
        if HEADER.match(bare):
            if not inside and own.match(bare) and kept and not kept[-1].strip():
                kept.pop()  # the empty line before it
            inside = bool(own.match(bare))
            if inside:
                continue
        if not inside or not bare.strip() or bare.lstrip().startswith("#"):
            kept.append(line)
    return "".join(kept)


def _by_tree(text: str, entry: SettingsEntry, *, take: bool = False) -> str:
    """The same by way of a parsed document: for inline tables and other rare spellings."""
    import tomlkit

    document = tomlkit.parse(text)
    above = document
    for key in entry.keys[:-1]:
        above = above[key] if key in above else above.setdefault(key, tomlkit.table())
    if take:
        del above[entry.keys[-1]]
    else:
        old = above.get(entry.keys[-1])
        held = dict(old) if old is not None else {}
        assert isinstance(entry.value, dict)  # noqa: S101
        if old is not None:
            for key, value in entry.value.items():
                old[key] = value
        else:
            inline = tomlkit.inline_table()
            inline.update({**held, **entry.value})
            above[entry.keys[-1]] = inline
    return tomlkit.dumps(document)


def _check_text(text: str, wanted: dict[str, object], entry: SettingsEntry) -> str:
    if not _parses_to(text, wanted) and not _parses_to(text, _without_empty_table(wanted, entry.keys)):
        raise BadShape(f"{entry.place} stands in a form that cannot be changed safely; write it as [{entry.place}]")
    return text


def _parses_to(text: str, wanted: dict[str, object]) -> bool:
    try:
        return tomllib.loads(text) == wanted
    except tomllib.TOMLDecodeError:
        return False


def _with_entry(value: dict[str, object], entry: SettingsEntry) -> dict[str, object]:
    head, *rest = entry.keys
    below = value.get(head, {})
    assert isinstance(below, dict)  # noqa: S101  # `state` has been there
    assert isinstance(entry.value, dict)  # noqa: S101
    inside = _with_entry(below, entry._replace(keys=tuple(rest))) if rest else {**below, **entry.value}
    return {**value, head: inside}


def _without_keys(value: dict[str, object], keys: tuple[str, ...]) -> dict[str, object]:
    head, *rest = keys
    if not rest:
        return {key: held for key, held in value.items() if key != head}
    below = value[head]
    assert isinstance(below, dict)  # noqa: S101
    return {**value, head: _without_keys(below, tuple(rest))}


def _without_empty_table(value: dict[str, object], keys: tuple[str, ...]) -> dict[str, object]:
    """Without the table that held ours, if it held nothing else."""
    return {key: held for key, held in value.items() if key != keys[0] or held != {}}
