"""`spill page`: some records of any list, one a line."""

from __future__ import annotations

import json
import os
import stat

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.clean import encoding_of
from overspill.clean.decode import SAMPLE_BYTES
from overspill.cli.opening import open_workspace
from overspill.cli.output import dumps, envelope_pieces, input_chunks, note, write_text
from overspill.cli.tables import count_of, next_page_line
from overspill.core import counter
from overspill.core.markers import Part
from overspill.documents.json_elements import list_path
from overspill.errors import InputError, ListChanged, StoreError, UsageError
from overspill.lists import Page, Pagination, page, projection
from overspill.retrieve.access import access_for, fetch_logged
from overspill.retrieve.records import (
    ListCache,
    ListRequest,
    ListSource,
    RecordList,
    artifact_source,
    bytes_source,
    file_source,
    open_list,
)
from overspill.store import is_said_id, open_text
from overspill.workspace.policy import default_limit, redactor_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from overspill.cli.arguments import CommandCall
    from overspill.cli.tables import WarningRecord
    from overspill.workspace import Workspace

    Line = Callable[[bytes], str]
    Keep = Callable[[RecordList], str]

RESERVED = ("$schema", "_meta", "success", "pagination", "next", "warnings", "error", "")
UNKEPT = "W_NOT_KEPT"
ANY_SIZE = 1 << 62


def run(call: CommandCall) -> int:
    """Show a page of a list: of what was kept, of a file, or of what is piped in."""
    request = ListRequest(
        call.text("--key") or "",
        call.arguments[0] if call.arguments else "-",
        tuple(call.texts("--where") or ()),
        call.text("--sort") or "",
        call.text("--as-of") or "",
    )
    request.check()
    paged = PagedList(call, open_workspace(call), request)
    if is_said_id(request.name):
        paged.show_artifact()
    elif (file := _regular_file(request.name)) is not None:
        try:
            paged.show(file_source(file, request.size), paged.file_line())
        finally:
            os.close(file)
    else:
        paged.show_piped()
    return 0


def _regular_file(name: str) -> int | None:
    """An open file that can be read where it lies; None where something is piped in, or has to be decoded first."""
    if name == "-":
        return None
    try:
        file = os.open(name, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return None  # whoever reads it says why
    if stat.S_ISREG(os.fstat(file).st_mode) and encoding_of(os.pread(file, SAMPLE_BYTES, 0)).name == "utf-8":
        return file
    os.close(file)
    return None


class ShownPage(NamedTuple):
    """What was shown."""

    chars: int
    pagination: Pagination | None


class PagedList:
    """One call of `spill page`, whatever its list lies in."""

    def __init__(self, call: CommandCall, workspace: Workspace, request: ListRequest) -> None:
        self.call, self.workspace, self.request = call, workspace, request
        words = call.text("--compact")
        self.project = projection(words) if words is not None else None
        limit = call.number("--limit")
        self.limit = default_limit(workspace.settings, call.text("--command") or "page") if limit is None else limit
        self.offset = call.number("--offset") or 0
        names = [step for step in list_path(request.key) if isinstance(step, str)]
        self.name = "items" if not names or names[-1] in RESERVED else names[-1]

    def show_artifact(self) -> None:
        """A page of what was kept, which is told to the journal like everything that is fetched."""
        access = access_for(self.workspace, "user")

        def show(found: str) -> ShownPage:
            with open_text(access.store, found) as opened:
                return self.show(artifact_source(opened), self.plain_line())

        part = Part("records", self.offset, self.offset + self.limit if self.limit else ANY_SIZE)
        fetch_logged(access, self.request.name, part, show)

    def show_piped(self) -> None:
        """A page of what is piped in. What does not fit on it is kept, without its secrets."""
        from overspill.cli.artifacts import media_type_of
        from overspill.fit import ingest, keep_whole
        from overspill.fit.prepare import ToolCall

        chunks = input_chunks(self.call.arguments)
        first = next(chunks, b"")
        about = ToolCall(content_type=media_type_of(first, self.request.name, whole=False))
        # Nobody looks at it as a text: it need not be surveyed, and blanks of JSON are no noise of a terminal.
        policy = self.workspace.policy("")._replace(store=True, strategy="tail", clean="plain")
        policy = policy._replace(on_oversize="error", keep_binary=False)
        came = _chained(first, chunks)
        prepared = ingest(self.workspace, came, policy._replace(max_artifact_size=ANY_SIZE), about)
        try:
            if prepared.ended:
                raise InputError(f"the list broke off: {prepared.ended}")
            if prepared.cleaned.get("binary"):
                raise UsageError("these bytes are no text; give JSON, NDJSON, CSV or TSV")
            if prepared.holes and prepared.writer is None:
                raise StoreError(f"the list is too long to be held, and could not be kept: {prepared.trouble}")
            content = prepared.text.encode() if prepared.writer is None else prepared.writer.view()

            def keep(records: RecordList) -> str:
                kept = keep_whole(self.workspace, prepared, policy, about)
                cache = ListCache(os.environ, bytes_source(content, f"artifact {kept.id}"), self.request)
                cache.save_index(records.index)
                if records.order is not None:
                    cache.save_order(records.index, records.order)
                return kept.id

            self.show(bytes_source(content), self.plain_line(), keep)
        finally:
            if prepared.writer is not None:
                prepared.writer.abort()

    def show(self, source: ListSource, line: Line, keep: Keep | None = None) -> ShownPage:
        """Write a page of a source, and where the next one is."""
        records = open_list(source, self.request, os.environ)
        try:
            return self._show(records, line, keep)
        except ListChanged:
            if self.request.as_of:
                raise
            # What was known of it is of another list: the clock of files is coarse.
            return self._show(open_list(source, self.request, {}), line, keep)

    def _show(self, records: RecordList, line: Line, keep: Keep | None) -> ShownPage:
        tokens = self.call.number("--tokens")
        if not self.limit and tokens is None:
            return self._show_everything(map(line, records.rows(None, self.offset)))
        count = counter(self.workspace.settings.text("tokens.counter"))
        part = page(records, self.limit, self.offset, tokens=tokens, counter=count, encode=line)
        lines = [line(record) for record in part.items]
        following, warnings = self._following(part, records, keep)
        if self.call.flag("--json"):
            pieces = envelope_pieces(
                "page", self.name, lines, pagination=part.pagination, following=following, warnings=warnings
            )
            write_text("".join(pieces) + "\n")
        else:
            write_text("".join(f"{one}\n" for one in lines))
            if following and part.pagination is not None and part.following is not None:
                note(f"spill: {count_of(part.pagination.total - part.following, 'record')} more: {following}")
            for warning in warnings:
                note(f"spill: {warning['message']}")
        return ShownPage(sum(map(len, lines)), part.pagination)

    def _following(self, part: Page, records: RecordList, keep: Keep | None) -> tuple[str, list[WarningRecord]]:
        """The command line of the next page, which works in any later shell; or why there is none."""
        if not part.has_more:
            return "", []
        if keep is None:
            as_of = "" if is_said_id(self.request.name) else records.as_of
            return next_page_line(self.call, part, lambda _: as_of), []
        try:
            kept = keep(records)
        except StoreError as error:
            words = f"the list was not kept: {error}; to go on, pipe it in again with --offset {part.following}"
            return "", [{"code": UNKEPT, "message": words}]
        return next_page_line(self.call._replace(arguments=(kept,)), part), []

    def _show_everything(self, lines: Iterator[str]) -> ShownPage:
        chars = 0
        as_json = self.call.flag("--json")
        for piece in envelope_pieces("page", self.name, lines) if as_json else (f"{line}\n" for line in lines):
            write_text(piece)
            chars += len(piece)
        if as_json:
            write_text("\n")
        return ShownPage(chars, None)

    def plain_line(self) -> Line:
        """How a record is written that has no secrets any more: made compact, if that is asked for."""
        return lambda record: self._compact(record.decode())

    def file_line(self) -> Line:
        """How a record of a file is written: without its secrets, which are told by all of the record."""
        redactor = redactor_of(self.workspace.settings, os.environ)
        if redactor is None:
            return self.plain_line()
        return lambda record: self._compact(redactor.redact(record.decode()).text)

    def _compact(self, text: str) -> str:
        if self.project is None or not isinstance(value := json.loads(text), dict):
            return text
        return dumps(self.project(value))


def _chained(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest
