"""A settings file as a tree that remembers its lines, and as checked entries. The only place that imports yaml.

The tree is made from the parser's events, not from its loader: an alias, an anchor or a tag is seen
where it stands, a key said twice is not lost, and a file nested too deep is left after a few events
(libyaml takes quadratic time to read one to its end).

Levels may be written as nesting or with dots, in any mixture; a setting said twice is an error. What is wrong
is said in sentences that name the place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from overspill._lite import NamedTuple
from overspill.settings.checks import Wrong
from overspill.settings.table import BY_PATH, OVERRIDES, PER_TOOL, TOOLS, Setting, sections, tool_name

MAX_DEPTH = 16

TRUE = ("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON")
FALSE = ("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF")
NULL = ("", "~", "null", "Null", "NULL")


class LocatedValue(NamedTuple):
    """A value and the line it stands on; 0 where there are no lines."""

    value: object
    line: int = 0


class _Mark(Protocol):
    line: int


class Event(Protocol):
    """What is used of the parser's events; which of it there is depends on the kind of event."""

    start_mark: _Mark
    anchor: str | None
    tag: str | None
    value: str
    implicit: tuple[bool, bool]


class Unreadable(ValueError):
    """The text is not a settings file: what is wrong, and on which line."""

    def __init__(self, problem: str, line: int = 1) -> None:
        super().__init__(problem)
        self.problem = problem
        self.line = line


def parse_yaml(text: str) -> Mapping[str, LocatedValue]:
    r"""The mapping a YAML text holds, with lines counted from 1. An empty text is an empty mapping.

    >>> parse_yaml("journal:\n  keep: 3\n")
    {'journal': LocatedValue(value={'keep': LocatedValue(value=3, line=2)}, line=1)}
    """
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        parsed: Any = yaml.parse(text, Loader=loader)  # releases of its types differ in what they call an event
        events: Iterator[Event] = iter(parsed)
        return _root_mapping(events)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line if mark else 0
        raise Unreadable(
            _problem(error.problem or "broken YAML", text.split("\n")[line : line + 1]), line + 1
        ) from None
    except yaml.YAMLError as error:
        at = getattr(error, "position", 0)
        raise Unreadable("a control character", text.count("\n", 0, at) + 1) from None


def tree_of(mapping: Mapping[Any, object], depth: int = 0) -> dict[str, LocatedValue]:
    """A Python mapping as a tree, like that of a file; its values have no lines."""
    if depth > MAX_DEPTH:
        raise Unreadable(f"more than {MAX_DEPTH} levels deep", 0)
    tree: dict[str, LocatedValue] = {}
    for key, value in mapping.items():
        name = str(key) if isinstance(key, int) and not isinstance(key, bool) else key
        if not isinstance(name, str):
            raise Unreadable(f"a key that is not a text: {str(type(key).__name__)[:40]}", 0)
        tree[str(name)] = LocatedValue(tree_of(value, depth + 1) if isinstance(value, Mapping) else value)
    return tree


def plain_value(value: object) -> object:
    """The value without its lines.

    >>> plain_value(LocatedValue({"a": LocatedValue([LocatedValue(1, 7)], 7)}, 6))
    {'a': [1]}
    """
    if not isinstance(value, LocatedValue):
        return value
    inner = value.value
    if isinstance(inner, dict):
        return {key: plain_value(item) for key, item in inner.items()}
    return [plain_value(item) for item in inner] if isinstance(inner, list) else inner


def _problem(problem: str, lines: list[str]) -> str:
    indented = any("\t" in line[: len(line) - len(line.lstrip())] for line in lines)
    return f"{problem} (indent with spaces, not tabs)" if indented else problem


def _root_mapping(events: Iterator[Event]) -> Mapping[str, LocatedValue]:
    tree: Mapping[str, LocatedValue] | None = None
    for event in events:
        name = type(event).__name__
        if name in {"StreamStartEvent", "StreamEndEvent", "DocumentStartEvent", "DocumentEndEvent"}:
            continue
        if tree is not None:
            raise Unreadable("a second document; a settings file holds one", event.start_mark.line + 1)
        found = _located_node(event, events, 0)
        if not isinstance(found.value, dict | None):
            raise Unreadable("expected settings as `name: value` lines", found.line)
        tree = found.value or {}
    return tree or {}


def _located_node(event: Event, events: Iterator[Event], depth: int) -> LocatedValue:
    line = event.start_mark.line + 1
    name = type(event).__name__
    if name == "AliasEvent" or getattr(event, "anchor", None) is not None:
        raise Unreadable("anchors (&) and aliases (*) are not read here; write the value out", line)
    if getattr(event, "tag", None) is not None:
        raise Unreadable(f"tags such as {str(event.tag)[:40]!r} are not read here", line)
    if depth > MAX_DEPTH:
        raise Unreadable(f"more than {MAX_DEPTH} levels deep", line)
    if name == "MappingStartEvent":
        return LocatedValue(_mapping(events, depth), line)
    if name == "SequenceStartEvent":
        return LocatedValue(_sequence_values(events, depth), line)
    return LocatedValue(_scalar(event.value, plain_style=event.implicit[0]), line)


def _mapping(events: Iterator[Event], depth: int) -> dict[str, LocatedValue]:
    found: dict[str, LocatedValue] = {}
    for event in events:
        if type(event).__name__ == "MappingEndEvent":
            break
        line = event.start_mark.line + 1
        if type(event).__name__ != "ScalarEvent":
            raise Unreadable("a key that is not a name", line)
        _located_node(event, events, depth)  # refuses an anchor or a tag on the key
        if event.value in found:
            raise Unreadable(f"{event.value[:80]!r} is said twice, first on line {found[event.value].line}", line)
        # The line of the key: that is where people look, also when the value begins below it.
        found[event.value] = _located_node(next(events), events, depth + 1)._replace(line=line)
    return found


def _sequence_values(events: Iterator[Event], depth: int) -> list[LocatedValue]:
    found: list[LocatedValue] = []
    for event in events:
        if type(event).__name__ == "SequenceEndEvent":
            break
        found.append(_located_node(event, events, depth + 1))
    return found


def _scalar(text: str, *, plain_style: bool) -> object:
    """What a bare word stands for. Numbers are decimal: `010` and `1:30` stay texts, so nothing is misread."""
    if not plain_style:
        return text
    if text in NULL:
        return None
    if text in TRUE or text in FALSE:
        return text in TRUE
    return _yaml_number(text)


def _yaml_number(text: str) -> object:
    """A whole number, a fraction, or the text as it is.

    >>> [_yaml_number(text) for text in ("8_000", "-1", "0.65", "010", "1:30", "1.2.3", "24h")]
    [8000, -1, 0.65, '010', '1:30', '1.2.3', '24h']
    """
    digits = text.lstrip("+-").replace("_", "")
    if not digits.isascii() or not digits.lstrip(".")[:1].isdigit() or (digits[0] == "0" and digits[1:2].isdigit()):
        return text
    try:
        return int(text) if digits.isdigit() else float(text)
    except ValueError:
        return text


SECTIONS = sections((*BY_PATH, OVERRIDES + "."))
TOOL_SECTIONS = sections(tuple(PER_TOOL))
LONGEST_NAME = 200


class SettingEntry(NamedTuple):
    """One setting as it was said: for one tool, or for all if `tool` is empty."""

    tool: str
    key: str  # the whole path, or the path below the tool
    value: object
    line: int = 0

    @property
    def path(self) -> str:
        return f"{OVERRIDES}.{self.tool}.{self.key}" if self.tool else self.key


class Collected(NamedTuple):
    """What a tree says, and what is wrong with it."""

    entries: tuple[SettingEntry, ...]
    problems: tuple[str, ...]
    wrong: frozenset[tuple[str, str]] = frozenset()  # tool and key of what has a wrong value


Where = Callable[[int], str]
Leaf = tuple[str, str, str, LocatedValue]  # tool, key, the path as it was written, the value


class Unknown(LookupError):
    """A key that is no setting; the nearest ones are in the message."""


def collect(tree: Mapping[str, LocatedValue], where: Where) -> Collected:
    """Check every setting of `tree`; problems are whole sentences that begin with `where(line)`."""
    entries: dict[tuple[str, str], SettingEntry] = {}
    problems: list[str] = []
    wrongs: set[tuple[str, str]] = set()
    for leaf in _leaves(tree, "", where, problems):
        tool, key, written, marked = leaf
        row = PER_TOOL[key] if tool else BY_PATH[key]
        if (tool, key) in entries:
            first = where(entries[tool, key].line)
            problems.append(f"{where(marked.line)}: {written} is said twice, first in {first}")
            continue
        try:
            entries[tool, key] = SettingEntry(tool, key, row.check.read(plain_value(marked)), marked.line)
        except Wrong as wrong:
            wrongs.add((tool, key))
            problems.append(f"{where(marked.line)}: {_mistake(written + wrong.at, wrong, marked, row)}")
    return Collected(tuple(entries.values()), tuple(problems), frozenset(wrongs))


def _leaves(tree: Mapping[str, LocatedValue], above: str, where: Where, problems: list[str]) -> Iterator[Leaf]:
    for name, marked in tree.items():
        path = f"{above}.{name}" if above else name
        try:
            if path.startswith(OVERRIDES + "."):
                yield from _override(path[len(OVERRIDES) + 1 :], marked, where, problems)
            elif path in BY_PATH:
                yield "", path, path, marked
            elif path in SECTIONS:
                yield from _leaves(_section(path, marked), path, where, problems)
            else:
                problems.append(f"{where(marked.line)}: {unknown_key(path)}")
        except Unknown as error:
            problems.append(f"{where(marked.line)}: {error}")


def _override(name: str, marked: LocatedValue, where: Where, problems: list[str]) -> Iterator[Leaf]:
    """What stands below `overrides`: a tool with its settings, or one setting of a tool with dots."""
    tool, _, key = name.partition(".")
    if key not in PER_TOOL and key not in TOOL_SECTIONS and isinstance(marked.value, dict | None):
        tool, key = name, ""  # a tool whose own name has dots
    if not tool or len(tool) > LONGEST_NAME or not tool.isprintable() or tool == "*":
        raise Unknown(f"{OVERRIDES}: {tool[:40]!r} is no name of a tool")
    yield from _settings_of(tool_name(tool), key, marked, where, problems)


def _settings_of(tool: str, key: str, marked: LocatedValue, where: Where, problems: list[str]) -> Iterator[Leaf]:
    written = f"{OVERRIDES}.{tool}.{key}" if key else f"{OVERRIDES}.{tool}"
    if key in PER_TOOL:
        yield tool, key, written, marked
        return
    if key and key not in TOOL_SECTIONS:
        raise Unknown(unknown_tool_key(tool, key))
    for name, inner in _section(written, marked).items():
        try:
            yield from _settings_of(tool, f"{key}.{name}" if key else name, inner, where, problems)
        except Unknown as error:
            problems.append(f"{where(inner.line)}: {error}")


def _section(path: str, marked: LocatedValue) -> Mapping[str, LocatedValue]:
    # A section whose settings are all commented out is null.
    if marked.value is None:
        return {}
    if not isinstance(marked.value, dict):
        raise Unknown(f"{path}: expected settings below it, got {_quoted_value(marked)}")
    return marked.value


def unknown_key(path: str) -> str:
    """The sentence for an unknown key, with the nearest known one.

    >>> unknown_key("tools.truncation.inline_limt")
    "unknown setting 'tools.truncation.inline_limt'; did you mean 'tools.truncation.inline_limit'?"
    >>> unknown_key("head_ratio")
    "unknown setting 'head_ratio'; did you mean 'tools.truncation.head_ratio'?"
    """
    return f"unknown setting {_cut_text(path)}{_nearest(path, (*BY_PATH, *SECTIONS))}"


def unknown_tool_key(tool: str, key: str) -> str:
    """The sentence for an unknown key below a tool, with the nearest known one."""
    path = f"{OVERRIDES}.{tool}.{key}"
    if TOOLS + key in BY_PATH and key != "default_strategy":
        return f"{_cut_text(path)} is one for all tools; set {TOOLS + key!r}"
    known = "strategy" if key == "default_strategy" else key
    return f"unknown setting {_cut_text(path)}{_nearest(known, (*PER_TOOL, *TOOL_SECTIONS))}"


def unknown_strategy(name: str, known: tuple[str, ...]) -> str:
    """The sentence for a strategy nobody registered.

    >>> unknown_strategy("head-tail", ("head", "head_tail"))
    "expected a strategy (head, head_tail), got 'head-tail'; did you mean 'head_tail'?"
    """
    return f"expected a strategy ({', '.join(known)}), got {_cut_text(name)}{_nearest(name, known)}"


def _nearest(path: str, known: tuple[str, ...]) -> str:
    from difflib import get_close_matches

    path = path[:LONGEST_NAME]
    last = path.rpartition(".")[2]
    same_name = [other for other in known if other.rpartition(".")[2] == last]
    near = same_name or get_close_matches(path, known, 1, 0.75)
    if not near:
        names = {other.rpartition(".")[2]: other for other in reversed(known)}
        near = [names[name] for name in get_close_matches(last, names, 1, 0.7)]
    return f"; did you mean {near[0]!r}?" if near else ""


def _mistake(path: str, wrong: Wrong, marked: LocatedValue, row: Setting) -> str:
    guess = _nearest(marked.value, row.check.choices) if isinstance(marked.value, str) else ""
    got = "" if wrong.at or wrong.hidden else f", got {_quoted_value(marked)}"
    return f"{_cut_text(path)[1:-1]}: expected {wrong.expected}{got}{guess}"


def _quoted_value(marked: LocatedValue) -> str:
    """A wrong value, short and on one line."""
    value = marked.value
    if isinstance(value, dict):
        return "settings below it"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, str):
        return _cut_text(value)
    return str(value)[:40] if isinstance(value, int | float | None) else f"a {type(value).__name__[:40]}"


def _cut_text(text: str) -> str:
    return repr(text if len(text) <= LONGEST_NAME else text[:LONGEST_NAME] + "...")
