"""A settings file as a tree that remembers its lines. The only place that imports yaml.

The tree is made from the parser's events, not from its loader: an alias, an anchor or a tag is seen
where it stands, a key said twice is not lost, and a file nested too deep is left after a few events
(libyaml takes quadratic time to read one to its end).
"""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from overspill._lite import NamedTuple

DEEPEST = 16

TRUE = ("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON")
FALSE = ("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF")
NULL = ("", "~", "null", "Null", "NULL")


class Marked(NamedTuple):
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


def parse(text: str) -> Mapping[str, Marked]:
    r"""The mapping a YAML text holds, with lines counted from 1. An empty text is an empty mapping.

    >>> parse("journal:\n  keep: 3\n")
    {'journal': Marked(value={'keep': Marked(value=3, line=2)}, line=1)}
    """
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        events: Iterator[Event] = iter(yaml.parse(text, Loader=loader))
        return _document(events)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line if mark else 0
        raise Unreadable(
            _problem(error.problem or "broken YAML", text.split("\n")[line : line + 1]), line + 1
        ) from None
    except yaml.YAMLError as error:
        at = getattr(error, "position", 0)
        raise Unreadable("a control character", text.count("\n", 0, at) + 1) from None


def from_mapping(mapping: Mapping[Any, object], depth: int = 0) -> dict[str, Marked]:
    """The same tree of a Python mapping."""
    if depth > DEEPEST:
        raise Unreadable(f"more than {DEEPEST} levels deep", 0)
    tree: dict[str, Marked] = {}
    for key, value in mapping.items():
        name = str(key) if isinstance(key, int) and not isinstance(key, bool) else key
        if not isinstance(name, str):
            raise Unreadable(f"a key that is not a text: {str(type(key).__name__)[:40]}", 0)
        tree[str(name)] = Marked(from_mapping(value, depth + 1) if isinstance(value, Mapping) else value)
    return tree


def plain(value: object) -> object:
    """The value without its lines.

    >>> plain(Marked({"a": Marked([Marked(1, 7)], 7)}, 6))
    {'a': [1]}
    """
    if not isinstance(value, Marked):
        return value
    inner = value.value
    if isinstance(inner, dict):
        return {key: plain(item) for key, item in inner.items()}
    return [plain(item) for item in inner] if isinstance(inner, list) else inner


def _problem(problem: str, lines: list[str]) -> str:
    indented = any("\t" in line[: len(line) - len(line.lstrip())] for line in lines)
    return f"{problem} (indent with spaces, not tabs)" if indented else problem


def _document(events: Iterator[Event]) -> Mapping[str, Marked]:
    tree: Mapping[str, Marked] | None = None
    for event in events:
        name = type(event).__name__
        if name in {"StreamStartEvent", "StreamEndEvent", "DocumentStartEvent", "DocumentEndEvent"}:
            continue
        if tree is not None:
            raise Unreadable("a second document; a settings file holds one", event.start_mark.line + 1)
        found = _node(event, events, 0)
        if not isinstance(found.value, dict | None):
            raise Unreadable("expected settings as `name: value` lines", found.line)
        tree = found.value or {}
    return tree or {}


def _node(event: Event, events: Iterator[Event], depth: int) -> Marked:
    line = event.start_mark.line + 1
    name = type(event).__name__
    if name == "AliasEvent" or getattr(event, "anchor", None) is not None:
        raise Unreadable("anchors (&) and aliases (*) are not read here; write the value out", line)
    if getattr(event, "tag", None) is not None:
        raise Unreadable(f"tags such as {str(event.tag)[:40]!r} are not read here", line)
    if depth > DEEPEST:
        raise Unreadable(f"more than {DEEPEST} levels deep", line)
    if name == "MappingStartEvent":
        return Marked(_mapping(events, depth), line)
    if name == "SequenceStartEvent":
        return Marked(_sequence(events, depth), line)
    return Marked(_scalar(event.value, plain_style=event.implicit[0]), line)


def _mapping(events: Iterator[Event], depth: int) -> dict[str, Marked]:
    found: dict[str, Marked] = {}
    for event in events:
        if type(event).__name__ == "MappingEndEvent":
            break
        line = event.start_mark.line + 1
        if type(event).__name__ != "ScalarEvent":
            raise Unreadable("a key that is not a name", line)
        _node(event, events, depth)  # refuses an anchor or a tag on the key
        if event.value in found:
            raise Unreadable(f"{event.value[:80]!r} is said twice, first on line {found[event.value].line}", line)
        # The line of the key: that is where people look, also when the value begins below it.
        found[event.value] = _node(next(events), events, depth + 1)._replace(line=line)
    return found


def _sequence(events: Iterator[Event], depth: int) -> list[Marked]:
    found: list[Marked] = []
    for event in events:
        if type(event).__name__ == "SequenceEndEvent":
            break
        found.append(_node(event, events, depth + 1))
    return found


def _scalar(text: str, *, plain_style: bool) -> object:
    """What a bare word stands for. Numbers are decimal: `010` and `1:30` stay texts, so nothing is misread."""
    if not plain_style:
        return text
    if text in NULL:
        return None
    if text in TRUE or text in FALSE:
        return text in TRUE
    return _number(text)


def _number(text: str) -> object:
    """A whole number, a fraction, or the text as it is.

    >>> [_number(text) for text in ("8_000", "-1", "0.65", "010", "1:30", "1.2.3", "24h")]
    [8000, -1, 0.65, '010', '1:30', '1.2.3', '24h']
    """
    digits = text.lstrip("+-").replace("_", "")
    if not digits.isascii() or not digits.lstrip(".")[:1].isdigit() or (digits[0] == "0" and digits[1:2].isdigit()):
        return text
    try:
        return int(text) if digits.isdigit() else float(text)
    except ValueError:
        return text
