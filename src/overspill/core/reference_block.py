"""The block that leads a view when a text is far too long: what it is, how large, how to get the rest."""

from collections.abc import Iterator

from overspill._lite import NamedTuple
from overspill.core.markers import CallFormat, Part, human_bytes, tool_call
from overspill.core.report import Artifact

SUMMARY_WIDTH = 100
SOURCE_WIDTH = 200

# What goes first when room is short, and what after it. The first line and the first option stay.
DISPENSABLE = ("Created", "Source", "Type", "Size")


class Reference(NamedTuple):
    """Where the whole text is, and how the reader of this door asks for it."""

    artifact: Artifact | None = None
    reason: str = "not kept"  # said in the place of the call when there is no artifact
    spelling: CallFormat = tool_call
    block: bool = False  # led by the reference block
    preview: int | None = None  # characters of the text to show below the block at most
    silent: bool = False  # no word about where the rest is: the caller will say it
    lead: str = ""  # a sentence that comes before everything else: why something went wrong
    created: str = ""  # the time of its making, as text: rooms have no clock


def artifact_summary(artifact: Artifact) -> str:
    """What was kept, from facts and never from its content, which is not ours to quote here.

    >>> from overspill.core.size import Size
    >>> artifact_summary(Artifact("art_1_x", Size(9000, 120, 9000, 2250), "bash"))
    'text/plain from bash, 120 lines'
    """
    source = f" from {artifact.source_tool}" if artifact.source_tool else ""
    lines = max(1, artifact.size.lines)
    words = f"{artifact.content_type}{source}, {lines:,} line{'s' if lines > 1 else ''}"
    return words if len(words) <= SUMMARY_WIDTH else words[: SUMMARY_WIDTH - 3] + "..."


def reference_line(artifact: Artifact) -> str:
    """The reference in one line, as the specification spells it."""
    return f"[Artifact: {artifact.id}] {artifact_summary(artifact)} ({human_bytes(artifact.size.bytes)})"


def reference_blocks(shelf: Reference) -> Iterator[str]:
    """The reference block with the blank line after it, from the fullest to the leanest form."""
    artifact = shelf.artifact
    if artifact is None:
        return
    size = artifact.size
    lines = {
        "Type": artifact.content_type,
        "Size": f"{human_bytes(size.bytes)} ({size.bytes:,} bytes, ~{size.tokens:,} tokens)",
        "Source": (artifact.source or artifact.source_tool)[:SOURCE_WIDTH],
        "Created": shelf.created,
    }
    options = retrieval_options(artifact, shelf.spelling)
    yield _block_text(artifact, lines, options)
    yield _block_text(artifact, lines, options[:1])
    for name in DISPENSABLE:
        del lines[name]
        yield _block_text(artifact, lines, options[:1])


def retrieval_options(artifact: Artifact, spelling: CallFormat) -> list[str]:
    """Every way to ask for this artifact, ready to be called; each returns what it names."""
    size = artifact.size
    last_line = max(1, min(100, size.lines))
    whole = spelling(artifact.id)
    parts = {
        "Line range": Part("lines", 1, last_line),
        "Byte range": Part("bytes", 0, min(10240, size.bytes)),
    }
    if artifact.content_type == "application/json":
        parts["JSONPath query"] = Part("query", query="$.*")
    calls = {name: spelling(artifact.id, part) for name, part in parts.items()}
    # Where parts may not be asked for, there is one way only.
    named = [f"- {name}: {call}" for name, call in calls.items() if call != whole]
    return [f"- Full content: {whole}", *named]


def _block_text(artifact: Artifact, lines: dict[str, str], options: list[str]) -> str:
    facts = [f"{name}: {value}" for name, value in lines.items() if value]
    return "\n".join([reference_line(artifact), *facts, "", "Retrieval options:", *options, "", ""])
