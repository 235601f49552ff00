"""A tree of settings -> checked entries, or sentences that say what is wrong where.

Levels may be written as nesting or with dots, in any mixture; a setting said twice is an error.
"""

from collections.abc import Callable, Iterator, Mapping

from overspill._lite import NamedTuple
from overspill.settings.checks import Wrong
from overspill.settings.table import BY_PATH, OVERRIDES, PER_TOOL, TOOLS, Setting, sections, tool_name
from overspill.settings.yaml_file import Marked, plain

SECTIONS = sections((*BY_PATH, OVERRIDES + "."))
TOOL_SECTIONS = sections(tuple(PER_TOOL))
LONGEST_NAME = 200


class Entry(NamedTuple):
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

    entries: tuple[Entry, ...]
    problems: tuple[str, ...]


Where = Callable[[int], str]
Leaf = tuple[str, str, str, Marked]  # tool, key, the path as it was written, the value


class Unknown(LookupError):
    """A key that is no setting; the nearest ones are in the message."""


def collect(tree: Mapping[str, Marked], where: Where) -> Collected:
    """Check every setting of `tree`; problems are whole sentences that begin with `where(line)`."""
    entries: dict[tuple[str, str], Entry] = {}
    problems: list[str] = []
    for leaf in _leaves(tree, "", where, problems):
        tool, key, written, marked = leaf
        row = PER_TOOL[key] if tool else BY_PATH[key]
        if (tool, key) in entries:
            first = where(entries[tool, key].line)
            problems.append(f"{where(marked.line)}: {written} is said twice, first in {first}")
            continue
        try:
            entries[tool, key] = Entry(tool, key, row.check.read(plain(marked)), marked.line)
        except Wrong as wrong:
            problems.append(f"{where(marked.line)}: {_mistake(written + wrong.at, wrong, marked, row)}")
    return Collected(tuple(entries.values()), tuple(problems))


def _leaves(tree: Mapping[str, Marked], above: str, where: Where, problems: list[str]) -> Iterator[Leaf]:
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
                problems.append(f"{where(marked.line)}: {unknown(path)}")
        except Unknown as error:
            problems.append(f"{where(marked.line)}: {error}")


def _override(name: str, marked: Marked, where: Where, problems: list[str]) -> Iterator[Leaf]:
    """What stands below `overrides`: a tool with its settings, or one setting of a tool with dots."""
    tool, _, key = name.partition(".")
    if key not in PER_TOOL and key not in TOOL_SECTIONS and isinstance(marked.value, dict | None):
        tool, key = name, ""  # a tool whose own name has dots
    if not tool or len(tool) > LONGEST_NAME or not tool.isprintable() or tool == "*":
        raise Unknown(f"{OVERRIDES}: {tool[:40]!r} is no name of a tool")
    yield from _settings_of(tool_name(tool), key, marked, where, problems)


def _settings_of(tool: str, key: str, marked: Marked, where: Where, problems: list[str]) -> Iterator[Leaf]:
    written = f"{OVERRIDES}.{tool}.{key}" if key else f"{OVERRIDES}.{tool}"
    if key in PER_TOOL:
        yield tool, key, written, marked
        return
    if key and key not in TOOL_SECTIONS:
        raise Unknown(unknown_for_tool(tool, key))
    for name, inner in _section(written, marked).items():
        try:
            yield from _settings_of(tool, f"{key}.{name}" if key else name, inner, where, problems)
        except Unknown as error:
            problems.append(f"{where(inner.line)}: {error}")


def _section(path: str, marked: Marked) -> Mapping[str, Marked]:
    # A section whose settings are all commented out is null.
    if marked.value is None:
        return {}
    if not isinstance(marked.value, dict):
        raise Unknown(f"{path}: expected settings below it, got {_shown(marked)}")
    return marked.value


def unknown(path: str) -> str:
    """The sentence for a key that is none, with the nearest one that is.

    >>> unknown("tools.truncation.inline_limt")
    "unknown setting 'tools.truncation.inline_limt'; did you mean 'tools.truncation.inline_limit'?"
    >>> unknown("head_ratio")
    "unknown setting 'head_ratio'; did you mean 'tools.truncation.head_ratio'?"
    """
    return f"unknown setting {_cut(path)}{_nearest(path, (*BY_PATH, *SECTIONS))}"


def unknown_for_tool(tool: str, key: str) -> str:
    """The same, below a tool."""
    path = f"{OVERRIDES}.{tool}.{key}"
    if TOOLS + key in BY_PATH and key != "default_strategy":
        return f"{_cut(path)} is one for all tools; set {TOOLS + key!r}"
    known = "strategy" if key == "default_strategy" else key
    return f"unknown setting {_cut(path)}{_nearest(known, (*PER_TOOL, *TOOL_SECTIONS))}"


def unknown_strategy(name: str, known: tuple[str, ...]) -> str:
    """The sentence for a strategy nobody registered.

    >>> unknown_strategy("head-tail", ("head", "head_tail"))
    "expected a strategy (head, head_tail), got 'head-tail'; did you mean 'head_tail'?"
    """
    return f"expected a strategy ({', '.join(known)}), got {_cut(name)}{_nearest(name, known)}"


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


def _mistake(path: str, wrong: Wrong, marked: Marked, row: Setting) -> str:
    guess = _nearest(marked.value, row.check.choices) if isinstance(marked.value, str) else ""
    got = "" if wrong.at else f", got {_shown(marked)}"
    return f"{_cut(path)[1:-1]}: expected {wrong.expected}{got}{guess}"


def _shown(marked: Marked) -> str:
    """A wrong value, short and on one line."""
    value = marked.value
    if isinstance(value, dict):
        return "settings below it"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, str):
        return _cut(value)
    return str(value)[:40] if isinstance(value, int | float | None) else f"a {type(value).__name__[:40]}"


def _cut(text: str) -> str:
    return repr(text if len(text) <= LONGEST_NAME else text[:LONGEST_NAME] + "...")
