"""The page: one file of HTML with style, scripts and data in it, that asks nobody for anything.

A policy in its head lets run what we wrote, by its hash, and nothing else; data lies in blocks that are never run,
escaped so that nothing in them can end a block. Texts become text in the page, never markup.
"""

from __future__ import annotations

import json
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from typing import NamedTuple

from overspill._lite import TYPE_CHECKING
from overspill.errors import OverspillError
from overspill.report.parts import MAX_TEXT_CHARS, TextPiece, artifact_parts, parts_record, some_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from overspill.report.calls import CallArtifact, Calls
    from overspill.report.kept import KeptTexts

SCRIPTS = ("base.js", "charts.js", "session.js", "text.js", "screens.js")
STYLE = "page.css"
TEMPLATE = "page.html"
BLOCK = 200  # artifacts in one block of data
RANGE_CHARS = 1 << 16  # of a text that the live page asks for at a time
MAX_ALL_TEXTS = 48 << 20  # bytes of texts in one file; the newest come first


class Shell(NamedTuple):
    """The page around its data, and what it may do."""

    before: str
    after: str
    policy: str


def page_shell(*, live: bool) -> Shell:
    """The page as it is written or served."""
    folder = files("overspill.report")
    style = (folder / STYLE).read_text("utf-8")
    script = "".join((folder / name).read_text("utf-8") for name in SCRIPTS)
    rules = [
        "default-src 'none'",
        f"script-src '{hash_of(script)}'",
        f"style-src '{hash_of(style)}'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    policy = "; ".join([*rules, *(["connect-src 'self'"] if live else [])])
    text = (folder / TEMPLATE).read_text("utf-8")
    text = text.replace("{{policy}}", policy).replace("{{style}}", style)
    head, _, rest = text.partition("{{data}}")
    return Shell(head, rest.replace("{{script}}", script), policy)


def hash_of(inline: str) -> str:
    """What a policy calls something that stands in the page itself."""
    return f"sha256-{b64encode(sha256(inline.encode()).digest()).decode()}"


def data_block(name: str, value: object) -> str:
    r"""Data in the page, which nothing runs.

    >>> data_block("d", "</script><!--")
    '<script type="application/json" id="d">"\\u003c/script\\u003e\\u003c!--"</script>\n'
    """
    return f'<script type="application/json" id="{name}">{safe_json(value)}</script>\n'


def safe_json(value: object) -> str:
    """JSON in ASCII that holds no character with which markup begins or ends."""
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def page_pieces(
    data: Mapping[str, object],
    calls: Calls,
    texts: KeptTexts,
    *,
    with_texts: bool = False,
    tell: Callable[[int], None] = lambda _done: None,
) -> Iterator[str]:
    """The file, piece by piece: what is held of it at a time does not grow with what was kept."""
    shell = page_shell(live=False)
    yield shell.before
    yield data_block("data", data)
    room = MAX_ALL_TEXTS if with_texts else 0
    kept = list(calls.artifacts)
    for first in reversed(range(0, len(kept), BLOCK)):
        block: list[dict[str, object] | None] = []
        for number in reversed(range(first, min(len(kept), first + BLOCK))):
            record = artifact_record(kept[number], calls, texts, MAX_TEXT_CHARS if room > 0 else 0)
            if record is not None and "texts" in record:
                text = data_block(f"text-{number}", record.pop("texts"))
                room -= len(text)
                yield text
            block.append(record)
            tell(len(kept) - number)
        yield data_block(f"parts-{first // BLOCK}", block[::-1])
    yield shell.after


def text_pieces(kept: CallArtifact, texts: KeptTexts, start: int, end: int) -> list[TextPiece]:
    """Some of the text of an artifact from `start` on, in whole lines where they are not too long."""
    with texts.open(kept.id, kept.session) as found:
        if found is None or not 0 <= start < end:
            return []
        try:
            return some_text(found.reader, start, min(end, start + RANGE_CHARS))
        except (OverspillError, OSError, ValueError):
            return []


def artifact_record(
    kept: CallArtifact, calls: Calls, texts: KeptTexts, text_chars: int = 0
) -> dict[str, object] | None:
    """What the page draws of an artifact; with its text and its source only if some of that is asked for."""
    with texts.open(kept.id, kept.session) as found:
        if found is None:
            return None
        try:
            parts = artifact_parts(found.reader, found.shown, calls.fetches.get(kept.id, ()), text_chars)
        except (OverspillError, OSError, ValueError):
            return None
        artifact = found.reader.artifact
        record = {"type": artifact.content_type.partition(";")[0][:60], "bytes": artifact.size.bytes}
        record |= parts_record(parts)
        if text_chars:
            record |= {"source": artifact.source, "id": kept.id}
        if artifact.partial:
            record["partial"] = True
        return record
