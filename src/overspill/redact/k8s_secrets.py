"""Secrets of a cluster: every value under `data` and `stringData` beside `kind: Secret`, in YAML and in JSON.

The kind may stand before the values or after them. Values that stand before it are only held while
they could be those of a secret; if the text ends before it says, what begins as a secret is one.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern, lru_cache
from overspill.redact.hits import LINES, PLAIN, FoundValue
from overspill.redact.multiline import Below, Window, deeper, line_start, window

if TYPE_CHECKING:
    import re

TAIL = 8192  # characters between values and the kind after them
HEAD = 65_536  # characters between the kind and the values after it
NEAR = 32  # strings and brackets of JSON between them
SURE = 8  # characters of a value that is hidden though nobody says what it is
KIND = "SECRET"
UNSAID = "?"

HOPEFUL = compile_pattern(
    r"""(?x)
        kind:[ \t]{1,4}["']?Secret["']?[ \t]{0,8}(?:\#[^\n]{0,200})?\r?\n | kind\\{0,3}"[ ]?:[ ]?\\{0,3}"Secret\\{0,3}"
      | (?<!meta)data:[ \t]{0,8}(?:\#[^\n]{0,200})?\r?\n(?=[\s\#]|\Z)  # its members are deeper
      | (?<!meta)data\\{0,3}"[ ]?:[ ]?\{(?:[ \t]{0,8}\r?\n|[ ]?\\{0,3}["}n])""",
)
_OPENING = compile_pattern(r"[ ]*(?:-[ ]+)*$")
_KEY = compile_pattern(r"""["']?[\w./-]{1,253}["']?[ \t]*:(?=[ \t\r\n]|\Z)""")
_ENTRY = compile_pattern(r"""(?:"[^"\n]{1,253}"|'[^'\n]{1,253}'|[\w./-]{1,253})[ \t]*:(?:[ \t]+|(?=\r?$))""")
_SCALAR = compile_pattern(r"[|>][-+0-9]{0,2}[ \t]*(?:#[^\n]*)?$")
_VALUE = compile_pattern(
    r"""(?:"(?P<double>(?:[^"\\]|\\.)*+)"|'(?P<single>(?:[^']|'')*+)'|(?P<plain>[^\s#"'](?:[^\s]|[ \t]+(?![#\s]))*+))"""
    r"""[ \t]*(?:\#[^\n]*)?$"""
)
_OTHER_KIND = compile_pattern(r"""kind:[ \t]*["']?(\w*)""")
_CODED = compile_pattern(r"(?:[A-Za-z0-9+/]{4})*+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_CUT = compile_pattern(r":[ ]+([A-Za-z0-9+/]*+={0,2})\Z")  # or a part of that
# Nothing that is worth hiding: a template, a mark of ours, nothing at all.
_MARKED = compile_pattern(r"\[REDACTED|\{\{|\$\{|\$\(|<[^<>]*>$|\*+$|~$|null$|\{\}$|\[\]$|$")
_VERSION = compile_pattern(r"""apiVersion\\{0,3}["']?:[ ]?\\{0,3}["']?v1\\{0,3}["']?,?\s{0,80}(?:\\{0,3}")?$""")


class Members(NamedTuple):
    """The values under a name, and where they end. `fit`: whether they could be those of a secret; `open`: cut off."""

    found: list[FoundValue]
    upto: int
    fit: bool
    open: bool = False


def manifest(text: str, at: int, _kind: object, *, final: bool) -> Below | None:
    """The values of the secret whose `kind` or `data` is at `at`, if it is one."""
    view = window(text, at, final=final)
    opened = text[at : at + 4] == "kind"
    if text.startswith(":", at + 4):
        return _yaml_manifest(view, at, kind_first=opened)
    return _json_manifest(view, at, kind_first=opened)


def _yaml_manifest(view: Window, at: int, *, kind_first: bool) -> Below | None:
    text = view.text
    key = at - 6 if text[at - 6 : at] == "string" else at
    start = line_start(text, key)
    line = view.line(at)
    if line is None:
        return None
    if start < 0 or not _OPENING.match(text[start:key]):
        return Below([], at)
    column = key - start
    if kind_first:
        return _values_after(view, line[1], column)
    members = _members(view, line[1], column, coded=key == at)
    if members is None:
        return None
    if not members.fit or not members.found:
        return Below([], members.upto)
    said = UNSAID if members.open else _kind_after(view, members.upto, column)
    return _manifest_values(
        members, said, sure=key == at and _VERSION.search(text[max(0, start - 80) : start]) is not None
    )


def _values_after(view: Window, at: int, column: int) -> Below | None:
    """The values among the lines after `kind: Secret`."""
    text, found, begun = view.text, list[FoundValue](), at
    while at < view.end:
        line = view.line(at)
        if line is None:
            return None
        sort = _sibling(text, at, line[0], column)
        if sort == "end" or at - begun > HEAD:
            return Below(found, at)
        at = line[1]
        if sort in {"data", "stringData"}:
            members = _members(view, at, column, coded=False)
            if members is None:
                return None
            found += members.found
            begun, at = begun + members.upto - at, members.upto
    return Below(found, at) if view.whole else None


def _kind_after(view: Window, at: int, column: int) -> str | None:
    """What the lines after the values say they are; nothing if they end without, None if they may go on."""
    near = view.up_to(at + TAIL)
    while at < near.end:
        line = near.line(at)
        if line is None:
            return None
        sort = _sibling(near.text, at, line[0], column)
        if sort == "end":
            kind = _OTHER_KIND.match(near.text, at + column, line[0])
            return kind.group(1) if kind and near.text[at : at + column].isspace() == (column > 0) else ""
        if sort == "data":
            return ""
        at = line[1]
    return UNSAID if near.whole else None


def _sibling(text: str, start: int, end: int, column: int) -> str:
    """What a line is beside a name in `column`: the name of a list of values, `end`, or nothing of note."""
    bare = text[start:end].lstrip(" ")
    indent = end - start - len(bare)
    if not bare.strip() or bare[0] == "#" or indent > column or (indent == column and bare.startswith("- ")):
        return ""
    if indent < column or not _KEY.match(bare) or bare.startswith("kind:"):
        return "end"
    name, _, rest = bare.partition(":")
    return name if name in {"data", "stringData"} and not rest.split("#")[0].strip() else ""


def _members(view: Window, at: int, column: int, *, coded: bool) -> Members | None:
    """The values of the entries deeper than `column`; with `coded` they are only fit if all are in base64."""
    text, found, depth = view.text, list[FoundValue](), 0
    while at < view.end:
        line = view.line(at)
        if line is None:
            return None
        stop, following = line
        bare = text[at:stop].lstrip(" ")
        indent = stop - at - len(bare)
        if not bare.strip() or bare[0] == "#":
            at = following
            continue
        cut = _CUT.search(text, at, stop) if coded and stop == view.end and indent > column else None
        if cut is not None:
            found.append((*cut.span(1), KIND, PLAIN))
        if cut is not None or indent <= column:
            return Members(found, at, fit=True, open=cut is not None)
        depth = depth or indent
        entry = _ENTRY.match(text, at + indent, stop)
        if entry is None or indent != depth:
            return Members(found, at, fit=not coded)
        last = deeper(view, following, depth, stop)
        if last is None:
            return None
        value = _entry_value(text, entry.end(), (stop, following, last), coded=coded)
        if value is None:
            return Members(found, at, fit=False)
        found += value
        at = following if last == stop else min(view.end, text.find("\n", last, view.end) + 1 or view.end)
    return Members(found, at, fit=True, open=True) if view.whole else None


def _entry_value(text: str, at: int, lines: tuple[int, int, int], *, coded: bool) -> list[FoundValue] | None:
    """The value of one entry: where it begins, its first line's end, the next line and the last line's end."""
    stop, following, last = lines
    if _SCALAR.match(text, at, stop):
        first = following + len(text[following:last]) - len(text[following:last].lstrip())
        return [(first, last, KIND, LINES)] if first < last and not _MARKED.match(text, first, last) else []
    if last > stop:
        return None if coded else [] if _MARKED.match(text, at, stop) else [(at, last, KIND, LINES)]
    value = _VALUE.match(text, at, stop)
    if value is None:
        return [] if at >= stop else None if coded else [(at, stop, KIND, PLAIN)]
    start, end = value.span(value.lastgroup or 0)
    if _MARKED.match(text, start, end):
        return []
    return None if coded and not _CODED.fullmatch(text, start, end) else [(start, end, KIND, PLAIN)]


class _Grammar(NamedTuple):
    """JSON whose quotes have so many backslashes before them, as it stands in a string of JSON."""

    token: re.Pattern[str]
    member: re.Pattern[str]
    values: re.Pattern[str]
    kind: re.Pattern[str]
    cut: re.Pattern[str]


@lru_cache(maxsize=None)
def _grammar(backslashes: int) -> _Grammar:
    quote = r"(?<!\\)" + r"\\" * backslashes + '"'
    # A string ends at the next quote, so that nothing is looked at twice.
    string = rf"{quote}([^\"\n]*?){quote}" if backslashes else r'"((?:[^"\\\n]|\\.)*+)"'
    joined = r"[ \t]{0,8}:[ \t]{0,8}"
    return _Grammar(
        compile_pattern(rf"{string}|[{{}}\[\]]"),
        compile_pattern(string + joined + string),
        compile_pattern(joined + r"\{"),
        compile_pattern(joined + string),
        compile_pattern(rf'{quote}[^"\n]*+(?:"{joined}(?:{quote}[^"\n]*+)?)?\Z'),
    )


def _json_manifest(view: Window, at: int, *, kind_first: bool) -> Below | None:
    text = view.text
    key = at - 6 if text[at - 6 : at] == "string" else at
    if key < 1 or text[key - 1] != '"':
        return Below([], at)
    head = text[max(0, key - 9) : key - 1]
    grammar = _grammar(len(head) - len(head.rstrip("\\")))
    if not view.whole:  # only complete lines
        view = view._replace(end=max(at, text.rfind("\n", at, view.end) + 1))
    colon = text.find(":", at, view.end)
    if colon < 0:
        return Below([], at) if view.whole else None
    if kind_first:
        return _values_beside(view, text.find("ecret", colon, view.end) + 5, grammar)
    opened = text.find("{", colon, view.end) + 1
    members = _json_members(view, opened, grammar, coded=key == at)
    if members is None:
        return None
    if not members.fit or not members.found:
        return Below([], members.upto)
    said = UNSAID if members.open else _kind_beside(view, members.upto, grammar)
    return _manifest_values(
        members, said, sure=key == at and _VERSION.search(text[max(0, key - 120) : key]) is not None
    )


def _manifest_values(members: Members, said: str | None, *, sure: bool) -> Below | None:
    """What is hidden where the kind is `said` after the values; None if it is still to come."""
    if said is None:
        return None
    if said == UNSAID:
        return Below([found for found in members.found if sure and found[1] - found[0] >= SURE], members.upto)
    return Below(members.found if said == "Secret" else [], members.upto)


def _values_beside(view: Window, at: int, grammar: _Grammar) -> Below | None:
    """The values among the members after `"kind": "Secret"`."""
    text, found, depth = view.text, list[FoundValue](), 0
    quote = grammar.token.match(text, at - 6, view.end)
    at = quote.end() if quote else text.find('"', at, view.end) + 1
    begun = at
    while at < view.end and at - begun <= HEAD:
        token = grammar.token.search(text, at, view.end)
        if token is None:
            break
        at = token.end()
        name = token.group(1)
        if name is None:
            depth += 1 if token.group() in "{[" else -1
            if depth < 0:
                return Below(found, at)
        elif not depth and name == "kind":
            return Below(found, at)
        elif not depth and name in {"data", "stringData"}:
            opened = grammar.values.match(text, at, view.end)
            members = _json_members(view, opened.end(), grammar, coded=False) if opened else None
            if members is not None:
                found += members.found
                begun, at = begun + members.upto - at, members.upto
            elif opened:
                return None
    return Below(found, at) if view.whole or at - begun > HEAD else None


def _kind_beside(view: Window, at: int, grammar: _Grammar) -> str | None:
    """What the members after the values say they are; nothing if they end without, None if they may go on."""
    near = view.up_to(at + TAIL)
    depth = 0
    for count, token in enumerate(grammar.token.finditer(near.text, at, near.end)):
        name = token.group(1)
        if count > NEAR:
            return ""
        if name is None:
            depth += 1 if token.group() in "{[" else -1
            if depth < 0:
                return ""
        elif not depth and name == "data":
            return ""
        elif not depth and name == "kind":
            kind = grammar.kind.match(near.text, token.end(), near.end)
            return kind.group(1) if kind else ""
    return UNSAID if near.whole else None


def _json_members(view: Window, at: int, grammar: _Grammar, *, coded: bool) -> Members | None:
    """The values of an object that holds strings only, up to its end."""
    text, found = view.text, list[FoundValue]()
    while True:
        at = _past_blanks(text, at, view.end)
        if text.startswith(",", at, view.end):
            at = _past_blanks(text, at + 1, view.end)
        if at >= view.end:
            return Members(found, at, fit=True, open=True) if view.whole else None
        if text[at] == "}":
            return Members(found, at + 1, fit=True)
        member = grammar.member.match(text, at, view.end)
        if member is None:
            cut_off = view.whole and grammar.cut.match(text, at, view.end) is not None
            return Members(found, at, fit=cut_off or not coded, open=cut_off)
        start, end = member.span(2)
        if not _MARKED.match(text, start, end):
            if coded and not _CODED.fullmatch(text, start, end):
                return Members(found, at, fit=False)
            found.append((start, end, KIND, PLAIN))
        at = member.end()


_BLANKS = compile_pattern(r"(?:\s|\\{1,3}[nrt])*+")


def _past_blanks(text: str, at: int, end: int) -> int:
    blanks = _BLANKS.match(text, at, end)
    return blanks.end() if blanks else at
