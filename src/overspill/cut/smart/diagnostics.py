r"""What compilers and linters say, taken apart: the file, and the rule or the code of the message.

>>> parts("src/a.py:12: error: Missing type  [no-untyped-def]", "")
Diagnostic(path='src/a.py', rule='no-untyped-def')
>>> parts("  5:10  error  Unexpected var  no-var", "/src/a.js")
Diagnostic(path='/src/a.js', rule='no-var')
"""

import re
from collections.abc import Iterable

from overspill._lite import NamedTuple
from overspill.cut.smart.units import Name, Note

WIDTH = 500
_PATH = r"\s*(?:\[?\w+\]?:? )?((?:[A-Za-z]:)?[\w./@+~\\-]+\.\w+)[:(]\d+"
_RULE = (
    r"\[(?:-W)?([\w-]+(?:/[\w-]+)*)\]\s*$"
    r"|\b(?:error|warning)(?:\[| )([A-Z]{1,6}\d{2,5})\b"
    r"|:\d+:? ([A-Z]{1,6}\d{2,5})\b"
    r"|^\s+\d+:\d+\s+(?:error|warning)\s.*\s{2,}([\w@/-]+)\s*$"
    r"|^([A-Z]{1,6}\d{2,5}) "
)


class Diagnostic(NamedTuple):
    """One message of a compiler or a linter."""

    path: str
    rule: str


def parts(line: str, above: str) -> Diagnostic:
    """What a line says of where and which; `above` is the file that stands above it."""
    path, rule = re.match(_PATH, line), re.search(_RULE, line)
    found = next((group for group in rule.groups() if group), "") if rule else ""
    return Diagnostic(path[1] if path else above, found)


def counted(diagnostics: Iterable[Diagnostic]) -> tuple[Note, ...]:
    """How many messages each rule and each file has, the most first."""
    rules: dict[str, int] = {}
    paths: dict[str, int] = {}
    for path, rule in diagnostics:
        if rule:
            rules[rule] = rules.get(rule, 0) + 1
        if path:
            paths[path] = paths.get(path, 0) + 1
    return (*_ranked("by rule", rules, WIDTH), *_ranked("by file", paths, 2 * WIDTH))


def _ranked(label: str, counts: dict[str, int], width: int) -> tuple[Note, ...]:
    if len(counts) < 2 or sum(counts.values()) < 4:  # noqa: PLR2004  # one rule, or as many rules as messages
        return ()
    prefix = shared_directory(list(counts))
    label = f"{label}, below {prefix}" if prefix else label
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return (Note(label, tuple(Name(f"{name[len(prefix) :]} {count}") for name, count in ranked), width),)


def shared_directory(paths: list[str]) -> str:
    """What long paths begin with alike, two directories left: they are what people call a file by.

    >>> shared_directory(["/home/me/work/app/src/one.js", "/home/me/work/app/src/two/b.js"])
    '/home/me/work/'
    """
    first, last = min(paths), max(paths)
    same = 0
    while same < min(len(first), len(last)) and first[same] == last[same]:
        same += 1
    directories = first[:same].split("/")[:-1]
    return "/".join([*directories[:-2], ""]) if len(directories) > 3 and not directories[0] else ""  # noqa: PLR2004


def elided(names: list[str]) -> tuple[Name, ...]:
    """Names of tests in a row, without what the one before begins with.

    >>> [name.text for name in elided(["a.py::T::x", "a.py::T::y", "b.py::z"])]
    ['a.py::T::x', '::y', 'b.py::z']
    """
    shown: list[Name] = []
    before = ""
    for name in names:
        place, sign, _ = name.rpartition("::") if "::" in name else name.rpartition("/")
        short = name[len(place) :] if sign and place and place == before else name
        before = place
        shown.append(Name(short))
    return tuple(shown)
