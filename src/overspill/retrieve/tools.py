"""The tools of a model: get_artifact, search_artifacts, list_artifacts.

One implementation for the MCP server, the frameworks and `compat`. An answer is the content and nothing else, and
beside it a note for the model: which part this is, of how much, and the call that goes on. Every failure is an
answer, too.
"""

from __future__ import annotations

import sys

from overspill._lite import TYPE_CHECKING, NamedTuple, Protocol
from overspill.core import human_bytes
from overspill.core.markers import Part, Search, one_line
from overspill.errors import AmbiguousId, ArtifactNotFound, OverspillError, TaskNotFound, UsageError
from overspill.retrieve.access import Access, access_for, fetch, find, requested_part
from overspill.store import VIEW

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from overspill.retrieve import FetchedPage
    from overspill.workspace import Workspace

LISTED = 20
MOST_LISTED = 200
MOST_DIGITS = 20

OK, MALFORMED, NOT_FOUND, FAILED = 200, 400, 404, 500


class InWorkspace(Protocol):
    """Whatever works in a workspace, as an `Overspill` does."""

    @property
    def workspace(self) -> Workspace: ...


class Answer(NamedTuple):
    """What a tool gives back."""

    content: str
    note: str = ""
    status: int = OK
    code: str = ""
    next: str = ""

    @property
    def is_error(self) -> bool:
        return self.status != OK


class Tool(NamedTuple):
    """A tool as a model sees it."""

    name: str
    description: str
    parameters: Mapping[str, object]  # JSON Schema
    call: Callable[[Access | InWorkspace, Mapping[str, object]], Answer]
    writes: bool = False  # whether it changes something


def get_artifact(access: Access | InWorkspace, arguments: Mapping[str, object]) -> Answer:
    """An artifact, or some lines, bytes or values of it."""
    return answer_call(_got, access, GET, arguments)


def search_artifacts(access: Access | InWorkspace, arguments: Mapping[str, object]) -> Answer:
    """The lines of one artifact, or of all, in which a text stands."""
    return answer_call(_searched, access, SEARCH, arguments)


def list_artifacts(access: Access | InWorkspace, arguments: Mapping[str, object]) -> Answer:
    """What is kept, newest first."""
    return answer_call(_listed, access, LIST, arguments)


def _got(access: Access, given: Arguments) -> Answer:
    artifact_id = given.text("id")
    if not artifact_id:
        raise UsageError(
            "id is missing: the id of an artifact, like art_1699234567890_a1b2c3; list_artifacts names them"
        )
    part = _part(given)
    page = fetch(access, artifact_id, part, given.number("limit"), given.number("offset") or 0)
    return Answer(page.text, _said(part, page, artifact_id), next=page.next)


def _part(given: Arguments) -> Part | None:
    return requested_part(
        lines=_range(given.number("start_line"), given.number("end_line"), 1),
        bytes=_range(given.number("start_byte"), given.number("end_byte"), 0),
        query=given.text("query") or None,
    )


def _range(start: int | None, end: int | None, first: int) -> tuple[int, int] | None:
    if start is None and end is None:
        return None
    return first if start is None else start, sys.maxsize if end is None else end


def _said(part: Part | None, page: FetchedPage, name: str) -> str:
    """Which part this is, of how much, and how to go on; the artifact is called what it was asked for by."""
    artifact, size = page.artifact, page.artifact.size
    if artifact.content_type == VIEW and part is None and not page.next:
        return ""  # it says itself what it is
    whole = f"{name} has {size.lines:,} lines, {size.chars:,} characters, {size.bytes:,} bytes"
    pages = page.pagination
    if part is not None and part.unit == "query":
        assert pages is not None  # noqa: S101  # a query always counts its values
        if not pages.total:
            return f"No value: nothing in {name} is selected by this query."
        what = "values"
        shown = min(pages.total, pages.offset + pages.limit)
    elif not page.text:
        return f"Nothing there: {whole}."
    else:
        what = "characters"
        shown = (pages.offset if pages else 0) + len(page.text)
    start, total = (pages.offset, pages.total) if pages else (0, len(page.text))
    of = ""
    if part is not None and part.unit != "query":
        of = f" of {part.unit} {part.start}-{_end_of(part, size.lines, size.bytes)}"
    text = f"{what.capitalize()} {start:,}-{shown:,} of {total:,}{of}; {whole}."
    return f"{text} Next page: {page.next}" if page.next else f"{text} This is the end."


def _end_of(part: Part, lines: int, octets: int) -> int:
    return min(part.end, max(1, lines) if part.unit == "lines" else octets)


def _searched(access: Access, given: Arguments) -> Answer:
    pattern = given.text("pattern")
    if not pattern:
        raise UsageError("pattern is missing: the text to look for")
    asked = Search(
        pattern,
        given.text("id") or "",
        given.flag("regex"),
        given.flag("ignore_case"),
        given.number("context") or 0,
    )
    found = find(access, asked, given.number("limit"), given.number("offset") or 0)
    pages = found.pagination
    where = asked.artifact_id or f"{found.artifacts:,} artifact{'' if found.artifacts == 1 else 's'}"
    unread = f" {len(found.unread)} could not be read: {', '.join(found.unread[:5])}." if found.unread else ""
    if found.unfetched:
        unread += f" {found.unfetched:,} in the bucket were not searched: more than 1 GiB to fetch; name one by its id."
    if not pages.total:
        how = "as a regular expression, within a line" if asked.regex else "literally"
        return Answer("", f"No match in {where}: the pattern was looked for {how}.{unread}")
    total = f"{'more than ' if found.at_least else ''}{pages.total:,}"
    end = pages.offset + len(found.matches)
    if not found.matches:
        return Answer("", f"Nothing there: {total} {'match' if total == '1' else 'matches'} in {where}.{unread}")
    note = f"Matches {pages.offset:,}-{end:,} of {total} in {where}.{unread}"
    note = f"{note} Next page: {found.next}" if found.next else f"{note} This is the end."
    return Answer(found.text, note, next=found.next)


def _listed(access: Access, given: Arguments) -> Answer:
    limit, offset = given.number("limit"), given.number("offset") or 0
    if (limit or 0) < 0 or offset < 0:
        raise UsageError(f"limit and offset count artifacts from 0 on; got {limit} and {offset}")
    most = min(LISTED if limit is None else limit or MOST_LISTED, MOST_LISTED)
    page = access.store.page(most, offset)
    short = access.short_ids
    rows = [
        f"{short(one.id)}  {human_bytes(one.size.bytes)}  {one.size.lines} lines  {one_line(one.content_type)}  "
        f"{one_line(one.source or one.source_tool)}".rstrip()
        for one in page.artifacts
    ]
    end = offset + len(rows)
    more = end < page.total and bool(rows)
    following = f"list_artifacts(limit={most}, offset={offset + most})" if more else ""
    if offset and not rows:
        return Answer("", f"Nothing there: {page.total:,} {'artifact' if page.total == 1 else 'artifacts'} in all.")
    note = f"Artifacts {offset:,}-{end:,} of {page.total:,}, newest first."
    return Answer(
        "".join(f"{row}\n" for row in rows), f"{note} Next page: {following}" if more else note, next=following
    )


class Arguments:
    """What a model gave, taken as kindly as is safe: numbers may come as text."""

    def __init__(self, given: Mapping[str, object], known: Mapping[str, object]) -> None:
        properties = known["properties"]
        assert isinstance(properties, dict)  # noqa: S101  # they are written below
        unknown = sorted(str(name) for name in given if name not in properties)
        if unknown:
            raise UsageError(f"no argument {unknown[0][:100]!r}; there are: {', '.join(properties)}")
        self._given = given

    def text(self, name: str) -> str | None:
        value = self._given.get(name)
        if value is not None and not isinstance(value, str):
            raise UsageError(f"{name} is a text, not {value!r:.100}")
        return value

    def texts(self, name: str) -> list[str] | None:
        value = self._given.get(name)
        if value is None:
            return None
        words = [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str)]
        if words != (value if isinstance(value, list) else [value]):
            raise UsageError(f"{name} is a list of texts, not {value!r:.100}")
        return words

    def number(self, name: str) -> int | None:
        value = self._given.get(name)
        if isinstance(value, str) and value.isascii() and len(value) <= MOST_DIGITS:
            value = int(value) if value.removeprefix("-").isdecimal() else value
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
            raise UsageError(f"{name} is a whole number, not {value!r:.100}")
        return None if value is None else min(value, sys.maxsize)

    def flag(self, name: str) -> bool:
        value = self._given.get(name)
        value = {"true": True, "false": False}.get(value.lower(), value) if isinstance(value, str) else value
        if value is not None and not isinstance(value, bool):
            raise UsageError(f"{name} is true or false, not {value!r:.100}")
        return bool(value)


def answer_call(
    work: Callable[[Access, Arguments], Answer],
    where: Access | InWorkspace,
    known: Mapping[str, object],
    arguments: Mapping[str, object],
) -> Answer:
    try:
        return work(
            where if isinstance(where, Access) else access_for(where.workspace, "model"), Arguments(arguments, known)
        )
    except (AmbiguousId, UsageError) as error:
        return Answer(error.for_models, status=MALFORMED, code=error.code)
    except (ArtifactNotFound, TaskNotFound) as error:
        return Answer(error.for_models, status=NOT_FOUND, code=error.code)
    except OverspillError as error:
        return Answer(error.for_models, status=FAILED, code=error.code)


def schema_of(required: list[str], **properties: tuple[str, str]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": {
            name: {"type": kind, "description": words, **({"items": {"type": "string"}} if kind == "array" else {})}
            for name, (kind, words) in properties.items()
        },
        "required": required,
        "additionalProperties": False,
    }


GET = schema_of(
    ["id"],
    id=("string", "The artifact's id, like art_1699234567890_a1b2c3, as named in a truncated result."),
    start_line=("integer", "First line to return, counted from 1."),
    end_line=("integer", "Last line to return, included. Left out: to the end."),
    start_byte=("integer", "First byte to return, counted from 0. For texts of one very long line."),
    end_byte=("integer", "Byte to stop before. Ranges are widened to whole characters."),
    query=(
        "string",
        (
            "JSONPath (RFC 9535) for JSON, e.g. $.users[?@.id==42].name, $.items[0:10], "
            "$.log[?search(@.msg, 'time.*out')]. NDJSON is an array of its records: $[?@.level=='error']. "
            "Returns one JSON array of the selected values."
        ),
    ),
    limit=("integer", "Most characters to return; with query, most values. 0: as much as is allowed."),
    offset=("integer", "Characters to skip from the start of the selected part; with query, values to skip."),
)
SEARCH = schema_of(
    ["pattern"],
    pattern=("string", "The text to look for, taken literally unless regex is true. Case matters."),
    id=("string", "Look in this artifact only. Left out: in all artifacts that can be read."),
    regex=("boolean", "Take pattern as a regular expression (RE2 syntax; matches lie within one line)."),
    ignore_case=("boolean", "Let small letters match capitals and capitals small letters."),
    context=("integer", "Lines to show before and after each match, 0 to 50."),
    limit=("integer", "Most matches to show (10 if left out). All matches are counted in any case."),
    offset=("integer", "Matches to skip, to go on after an earlier page."),
)
LIST = schema_of(
    [],
    limit=("integer", "Most artifacts to list (20 if left out)."),
    offset=("integer", "Artifacts to skip, to go on after an earlier page."),
)

TOOLS = (
    Tool(
        "get_artifact",
        "Fetch the full text of a tool result that was shortened, or a part of it. Shortened results name the id and "
        "the exact call that fetches what was left out. Give lines, bytes or a JSONPath query to fetch a part; give "
        "only the id to read from the start. Long answers come in pages: the note beside the content says which part "
        "it is, how much there is, and the exact call for the next page. If you look for something, search_artifacts "
        "or a query is cheaper than reading every page.",
        GET,
        get_artifact,
    ),
    Tool(
        "search_artifacts",
        "Find text in stored tool results without reading them: prints the lines that match, numbered like grep -n, "
        "with an id before each line when all artifacts are searched. Says how many matches there are in all and the "
        "call for more. Then fetch lines around a match with get_artifact(id, start_line, end_line). In very long "
        "lines only the part around the match is printed, with its column and bytes.",
        SEARCH,
        search_artifacts,
    ),
    Tool(
        "list_artifacts",
        "List the stored tool results that can be read, newest first: id, size, lines, type, and the command or tool "
        "that made each.",
        LIST,
        list_artifacts,
    ),
)
