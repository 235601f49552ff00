"""Which definitions the hunks of a diff add, take away, or change inside.

`src/a.py +put -get take`: `put` came, `get` went, and lines of `take` were changed, or the line that defines it.
Languages are told by the names of files.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, compile_pattern
from overspill.cut.smart.languages import WITHOUT_DEFINITIONS, grammar_of
from overspill.kinds import by_name

if TYPE_CHECKING:
    from collections.abc import Iterable
    from re import Pattern

LONGEST = 240  # characters of what is said of one file
LONGEST_NAME, LONGEST_LINE = 60, 400
BOTH = ""  # the sign of what came and went, or changed inside

_HEADING = compile_pattern(r"@@ [-+\d, ]+ @@ ?(.*)")


class ChangedNames:
    """The definitions that the hunks of one file change, in their order."""

    def __init__(self, define: Pattern[str]) -> None:
        self._define = define
        self._signs: dict[str, str] = {}

    def add_hunk(self, lines: list[str]) -> None:
        """Take the lines of a hunk, from its heading on."""
        heading = _HEADING.match(lines[0])
        if heading is None:  # of several parents
            return
        inside, depth = self._defined_in(heading[1].strip()), 0
        for line in lines[1:]:
            words = line[1:].strip()
            if not words or line[0] not in " +-":
                continue
            indent = len(line) - 1 - len(line[1:].lstrip())
            name = self._defined_in(words)
            if name:
                inside, depth = name, indent
                if line[0] != " ":
                    self._note(name, line[0])
            elif indent <= depth and words[0] not in "{})]:":
                inside = ""
            elif inside and line[0] != " ":
                self._signs.setdefault(inside, BOTH)

    def words(self) -> str:
        """`+put -get take`, and how many more there are."""
        names = [f"{sign}{name}" for name, sign in self._signs.items()]
        room, shown = LONGEST, 0
        while shown < len(names) and (room := room - len(names[shown]) - 1) >= 0:
            shown += 1
        more = [f"and {len(names) - shown} more"] if shown < len(names) else []
        return " ".join([*names[:shown], *more])

    def _note(self, name: str, sign: str) -> None:
        """What is known of a name that a line with this sign defines."""
        self._signs[name] = sign if self._signs.get(name, sign) == sign else BOTH

    def _defined_in(self, words: str) -> str:
        found = self._define.match(words[:LONGEST_LINE])
        name = next((one for one in found.groups() if one), "") if found is not None else ""
        return name if len(name) <= LONGEST_NAME and " " not in name and name.isprintable() and '"' not in name else ""


def changed_names(path: str, hunks: Iterable[str]) -> str:
    r"""What the hunks of a file add, take away and change; nothing where no language defines names in such a file.

    >>> changed_names("a.py", ["@@ -1,3 +1,5 @@ def get():\n     one\n-    two\n+    three\n+def put():\n+    four\n"])
    'get +put'
    """
    kind = by_name(path)
    if kind is None or kind.name != "code" or kind.language in WITHOUT_DEFINITIONS:
        return ""
    names = ChangedNames(grammar_of(kind.language).define)
    for hunk in hunks:
        names.add_hunk(hunk.split("\n"))
    return names.words()
