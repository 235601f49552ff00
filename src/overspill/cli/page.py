"""`spill page`: some records of any JSON array or NDJSON, one a line."""

from __future__ import annotations

import json
import os

from overspill._lite import TYPE_CHECKING
from overspill.cli.opening import open_workspace
from overspill.cli.output import input_chunks, note, write_text
from overspill.cli.output.envelope import dumps, envelope_pieces
from overspill.cli.output.lists import next_page_line
from overspill.cli.output.tables import count_of
from overspill.documents.json_elements import elements
from overspill.lists.compact import projection
from overspill.lists.pages import page
from overspill.tokens import counter
from overspill.workspace.lists import default_limit
from overspill.workspace.policy import redactor_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from overspill.cli.arguments import CommandCall
    from overspill.settings import Settings

RESERVED = ("$schema", "_meta", "success", "pagination", "next", "warnings", "error", "")


def run(call: CommandCall) -> int:
    """Read a list as it comes and show a page of it; no more than that page is held."""
    settings = open_workspace(call).settings
    key = call.text("--key") or ""
    limit, offset = call.number("--limit"), call.number("--offset") or 0
    limit = default_limit(settings, call.text("--command") or "page") if limit is None else limit
    found = elements(input_chunks(call.arguments), key)
    shown = record_writer(call, settings)
    name = key.rpartition(".")[2]
    name = "items" if name in RESERVED else name
    tokens = call.number("--tokens")
    if not limit and tokens is None:
        return _write_everything(call, name, _skip_records(found, offset), shown)
    part = page(found, limit, offset, tokens=tokens, counter=counter(settings.text("tokens.counter")), encode=shown)
    next_ = next_page_line(call, part)
    lines = map(shown, part.items)
    if call.flag("--json"):
        write_text("".join(envelope_pieces("page", name, lines, pagination=part.pagination, following=next_)) + "\n")
        return 0
    write_text("".join(f"{line}\n" for line in lines))
    if next_ and part.pagination is not None and part.following is not None:
        note(f"spill: {count_of(part.pagination.total - part.following, 'record')} more: {next_}")
    return 0


def record_writer(call: CommandCall, settings: Settings) -> Callable[[bytes], str]:
    """How a record is written: made compact if that is asked for, and without secrets."""
    words = call.text("--compact")
    made = projection(words) if words is not None else None
    redactor = redactor_of(settings, os.environ)

    def shown(record: bytes) -> str:
        text = record.decode()
        if made is not None and isinstance(value := json.loads(text), dict):
            text = dumps(made(value))
        return redactor.redact(text).text if redactor is not None else text

    return shown


def _skip_records(found: Iterator[bytes], offset: int) -> Iterator[bytes]:
    for number, record in enumerate(found):
        if number >= offset:
            yield record


def _write_everything(call: CommandCall, name: str, records: Iterator[bytes], shown: Callable[[bytes], str]) -> int:
    lines = map(shown, records)
    if not call.flag("--json"):
        for line in lines:
            write_text(f"{line}\n")
        return 0
    # A list that breaks off is no answer: all of it is read before the first piece is written.
    write_text("".join(envelope_pieces("page", name, lines)) + "\n")
    return 0
