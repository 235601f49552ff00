r"""What kind of content a text is: from what was declared, from its name, and from how it looks.

>>> sniff('{"users": []}').name
'json'
>>> sniff("x = 1\n", name="setup.py")
Kind(name='code', language='python', mime='text/x-python')

Only the first and the last 64 KB are looked at, and of these some lines at either end. A document is
told by its first and last characters; whether it parses is for the one who cuts it to find out.

Line numbers that a reader of files put before every line are told here as well, so that they can be taken off.

>>> numbering_pattern("     1\tdef f():\n     2\t    return 1\n     3\t\n").pattern
' *\\d+\\t'

Pure: imports `_lite` alone. `tokens`, `cut` and all that take texts in come here.
"""

from __future__ import annotations

from itertools import pairwise

from overspill._lite import TYPE_CHECKING, compile_pattern
from overspill.kinds import looks
from overspill.kinds.lines import SAMPLE, Sample
from overspill.kinds.looks import Kind, by_name, by_type

if TYPE_CHECKING:
    import re

NUMBERED_LINES = 40  # lines
FEWEST = 3

_WAYS = (r" *\d+\t", r" *\d+→", r" *\d+: ?", r" *\d+\| ?", r" *\d+ │ ?")


def numbering_pattern(text: str) -> re.Pattern[str] | None:
    """What stands before the lines of a text if they are numbered one by one, or None."""
    lines = text[:8_000].split("\n")[:NUMBERED_LINES]
    if len(lines) > FEWEST:
        lines = lines[:-1]  # the last may be cut off
    lines = [line for line in lines if line.strip()]
    if len(lines) < FEWEST or not lines[0].lstrip()[:1].isdigit():
        return None
    for way in _WAYS:
        pattern = compile_pattern(way)
        found = [pattern.match(line) for line in lines]
        numbers = [int(compile_pattern(r"\D").sub("", match[0])) for match in found if match]
        if len(numbers) == len(lines) and all(b - a == 1 for a, b in pairwise(numbers)):
            return pattern
    return None


def without_numbering(text: str, pattern: re.Pattern[str]) -> str:
    """The text without the numbers."""
    return "\n".join(pattern.sub("", line, count=1) for line in text.split("\n"))


__all__ = ["Kind", "sniff"]

NUMBERED = 16
SNIFFED_CHARS = 65_536  # characters of a text whose lines are numbered


def sniff(text: str, *, content_type: str = "", name: str = "", total: int | None = None) -> Kind:
    """What kind of content `text` is.

    When `text` is only the beginning, `total` says how many characters the whole has.
    """
    asked = (text[:SAMPLE], text[-SAMPLE:], len(text), content_type, name, total)
    for before, kind in _last:
        if before == asked:
            return kind
    kind = _kind_of(text, content_type, name, total)
    _last[:] = [(asked, kind)]
    return kind


# Several ask of one text, one after the other, and this is all of it that is looked at.
_last: list[tuple[tuple[object, ...], Kind]] = []


def _kind_of(text: str, content_type: str, name: str, total: int | None) -> Kind:
    numbers = numbering_pattern(text) if text[:NUMBERED].lstrip()[:1].isdigit() else None
    if numbers is not None:
        inside = sniff(
            without_numbering(text[:SNIFFED_CHARS], numbers),
            content_type=content_type,
            name=name,
            total=total or len(text),
        )
        if inside.name in {"code", "prose"}:
            return inside
    sample = Sample(text, len(text) if total is None else total)
    for said in (by_type(content_type), by_name(name)):
        if said is not None and _agrees(sample, said):
            return looks.minified_kind(sample, said)
    return looks.by_content(sample)


def _agrees(sample: Sample, said: Kind) -> bool:
    """Whether the content could be what was declared: servers send errors as pages, and call them JSON."""
    match said.name:
        case "json":
            ways = looks.begun_json, looks.commented_json, looks.lone_string
            return looks.ndjson(sample) is None and any(look(sample) is not None for look in ways)
        case "ndjson":
            return looks.ndjson(sample) is not None
        case "xml":
            return looks.xml(sample) is not None
        case "diff":
            return looks.diff(sample) is not None
        case "binary":
            return looks.binary(sample) is not None
        case _:  # a text that declares what it is knows better than its name
            declared = sample.start.startswith("<?xml")
            return not declared and looks.ndjson(sample) is None and looks.binary(sample) is None
