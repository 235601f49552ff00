"""Our own words in a view: markers, the hint, the reference block, and how a look-alike is told apart.

Everything here is ASCII, so that a mark costs the same in every encoding.
"""

from typing import Protocol

from overspill.measure import Size
from overspill.records import NamedTuple

SHORT_MARKER = "..."
QUOTE = "| "

# A line of the source that holds one of these could be taken for a mark of ours. One match a line is enough. Most
# texts hold none of the words, and looking for words is much cheaper than looking for a pattern.
LOOK_ALIKE_WORDS = ("... [", "[Artifact: ", "[original ", "[art_", "[not kept", "[omitted: ")
LOOK_ALIKE = r"\.\.\. \[[^\r\n]*|(?:\A|[\r\n])[ \t]*\[(?:Artifact: |original \d|art_|not kept|omitted: )"
SHORT_LOOK_ALIKE = r"(?:\A|[\r\n])[ \t]*\.\.\.[ \t]*(?=[\r\n]|\Z)"
# No look-alike line is shorter than this, so quoting can at most grow a text by a half.
SHORTEST_LOOK_ALIKE = 3


class Part(NamedTuple):
    """A part of an artifact: whole lines (from 1, both ends included), bytes (from 0, half-open), or a JSONPath."""

    unit: str
    start: int = 0
    end: int = 0
    query: str = ""


class Spelling(Protocol):
    """Writes the call that fetches a part of an artifact, as the reader of this door would type it."""

    def __call__(self, artifact_id: str, part: Part | None = None, offset: int = 0) -> str: ...


def tool_call(artifact_id: str, part: Part | None = None, offset: int = 0) -> str:
    """For models that have the artifact tools.

    >>> tool_call("art_1_x", Part("lines", 41, 902))
    'get_artifact(id="art_1_x", start_line=41, end_line=902)'
    """
    words = [f'id="{artifact_id}"']
    if part is not None and part.unit == "query":
        words.append(f'query="{part.query}"')
    elif part is not None:
        word = "line" if part.unit == "lines" else "byte"
        words += f"start_{word}={part.start}", f"end_{word}={part.end}"
    if offset:
        words.append(f"offset={offset}")
    return f"get_artifact({', '.join(words)})"


def shell_call(artifact_id: str, part: Part | None = None, offset: int = 0) -> str:
    """For readers that have a shell.

    >>> shell_call("art_1_x", Part("bytes", 0, 10240))
    'spill artifacts show art_1_x --bytes 0-10240'
    """
    words = ["spill artifacts show", artifact_id]
    if part is not None and part.unit == "query":
        words.append(f"--query '{part.query}'")
    elif part is not None:
        words.append(f"--{part.unit} {part.start}-{part.end}")
    if offset:
        words.append(f"--offset {offset}")
    return " ".join(words)


def one_line(words: str) -> str:
    r"""What others call a thing, as it may stand among our words: on one line, and unlike a mark.

    >>> one_line("make\n[Artifact: x]\t... [2 lines")
    'make [Artifact: x] ...[2 lines'
    """
    shown = words if words.isprintable() else "".join(letter if letter.isprintable() else " " for letter in words)
    return " ".join(shown.split()).replace("... [", "...[")


def marker(lines: int, chars: int) -> str:
    """What stands where something was left out.

    >>> marker(862, 61204)
    '... [862 lines / 61204 chars omitted] ...'
    """
    return f"... [{lines} lines / {chars} chars omitted] ..."


def diff_marker(lines: int, chars: int) -> str:
    r"""The same in a diff: a line after a hunk that begins like this is skipped by what applies it.

    >>> diff_marker(12, 420)
    '\\ ... [12 lines / 420 chars omitted] ...'
    """
    return f"\\ {marker(lines, chars)}"


def fold_marker(number: int, noun: str, chars: int) -> str:
    """What stands where a line, or a few, said the same again.

    >>> fold_marker(1481, "line", 60721)
    '... [same line 1481 more times / 60721 chars omitted] ...'
    """
    return f"... [same {noun} {number} more times / {chars} chars omitted] ..."


def hint(size: Size, where: str) -> str:
    """The line that says how much there was and where the rest is."""
    return f"[original {size.chars} chars (~{size.tokens} tokens); omitted part: {where}]"


def human_bytes(count: int) -> str:
    """A size as people read it.

    >>> human_bytes(512), human_bytes(2_415_919)
    ('512 B', '2.3 MB')
    """
    size = float(count)
    for unit in ("B", "KB", "MB"):
        if size < 1024:  # noqa: PLR2004  # the definition of the units
            return f"{count} B" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GB"
