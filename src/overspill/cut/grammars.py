"""How entries are told in YAML and in INI: what a line begins, how deep it stands, and what may stand above it.

>>> YAML.read("  - name: a"), INI.read("[core]")
((Mark(level=5, container=True), Mark(level=8, container=False)), (Mark(level=-1, container=True),))
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.errors import StrategyError

if TYPE_CHECKING:
    from collections.abc import Callable

TOP = -1  # the level of what begins a document or a section


class NoEntries(StrategyError):
    """The text is not made of such entries, or none of them can be shown: it says why."""


class Mark(NamedTuple):
    """What a line begins: how deep it stands, and whether entries may stand below it."""

    level: int
    container: bool


class EntryGrammar(NamedTuple):
    """How entries are told in one kind of text."""

    name: str
    read: Callable[[str], tuple[Mark, ...]]  # what a line begins; nothing, where it goes on with something
    top: str  # how a line of level `TOP` begins
    remarks: str  # characters that begin a comment
    comment: str = "# "

    def lower(self, level: int) -> str:
        """A pattern of lines that may stand above a line of this level."""
        if level <= 0:
            return rf"\n(?={self.top})"
        indent, item = divmod(level, 2)
        ways = [self.top]
        ways += [rf"[ \t]{{0,{indent - 1}}}(?![\s{self.remarks}])"] if indent else []
        ways += [rf"[ \t]{{{indent}}}(?![\s{self.remarks}]|-\s)"] if item else []
        return rf"\n(?={'|'.join(ways)})"


_VALUELESS = r"(?:[&!][^\s]*\s*)*(?:#.*)?\Z"
_KEY = (
    r"""(?:[&!][^\s]+\s+)*"""
    r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|(?:[^\s#?\-:,\[\]{}&*!|>'"%@`]|[?:-](?=\S))(?:[^#\n]|(?<=\S)#)*?)"""
    r"""\s*:(?=\s|\Z)"""
)
_DOCUMENT = r"(?:---|\.\.\.)(?:\s|\Z)"


def _read_yaml(line: str) -> tuple[Mark, ...]:
    """A key, an item, or items and a key in one line; nothing, where it is a remark or goes on with a value."""
    bare = line.rstrip()
    begun = compile_pattern(_DOCUMENT).match(line)
    if begun is not None:  # what stands behind it is all of the document, and may go on below
        return (Mark(TOP, compile_pattern(_VALUELESS).match(bare[begun.end() :].lstrip()) is not None),)
    at = len(bare) - len(bare.lstrip(" "))
    marks: list[Mark] = []
    while compile_pattern(r"-(?:\s|\Z)").match(bare, at):
        marks.append(Mark(2 * at + 1, container=True))
        at += 1
        at += len(bare) - at - len(bare[at:].lstrip(" "))
    if bare.startswith("? ", at):
        raise NoEntries("it has keys that are not written on one line")
    key = compile_pattern(_KEY).match(bare, at)
    if key is not None:
        empty = compile_pattern(_VALUELESS).match(bare[key.end() :].lstrip()) is not None
        return (*marks, Mark(2 * at, empty))
    if marks and at < len(bare) and not bare.startswith("#", at):  # an item that is a value itself
        marks[-1] = marks[-1]._replace(container=False)
    return tuple(marks)


def _read_ini(line: str) -> tuple[Mark, ...]:
    if line.startswith("["):
        return (Mark(TOP, container=True),)
    bare = line.strip()
    if not bare or bare[0] in "#;" or not compile_pattern(r"[^=:]+[=:]").match(bare):
        return ()
    return (Mark(2 * (len(line) - len(line.lstrip(" \t"))), container=False),)


YAML = EntryGrammar("yaml", _read_yaml, r"(?:---|\.\.\.)(?:\s)", "#")
INI = EntryGrammar("ini", _read_ini, r"\[", "#;")
