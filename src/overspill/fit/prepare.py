"""A tool result on its way: what is known of its call, its text once it may be shown, and the steps to it.

Views of what could not be shown stand here, too, and the words that views share: when an artifact was made, a text's
fingerprint.
"""

from __future__ import annotations

import time

from overspill._lite import TYPE_CHECKING, NamedTuple, contextmanager, in_json, suppress
from overspill.core import Size, measure, sizes_apart, tokens_of
from overspill.core.markers import Wording, one_line
from overspill.core.report import Artifact, Fitted, Report
from overspill.core.spans import PartialText
from overspill.settings.table import tool_name
from overspill.store import Label, Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from overspill.core.budget import Budget, Policy
    from overspill.core.spans import Hole
    from overspill.redact import Redactor
    from overspill.redact.placeholders import ScreenCover

COMMANDS = "execute_command"

# Texts that stay what they are when they are cut: every view of valid JSON is valid JSON.
MEDIA_TYPES = {"json": "application/json", "ndjson": "application/x-ndjson", "xml": "application/xml"}
DOCUMENTS = frozenset((*MEDIA_TYPES, "wrapped"))  # the last: with lines around it
ENTRIES = frozenset(("csv", "tsv", "yaml", "ini"))  # texts that are cut between their entries


def media_type_by_name(name: str) -> str:
    """The media type that the name of a file tells of a text in it.

    >>> [media_type_by_name(name) for name in ("a.html", "b.csv", "c.js", "d.md", "e.txt", "f.png")]
    ['text/html', 'text/csv', 'text/javascript', 'text/markdown', 'text/plain', 'text/plain']
    """
    from overspill.kinds import by_name

    kind = by_name(name)
    return "text/plain" if kind is None or kind.name == "binary" else kind.mime


class ToolCall(NamedTuple):
    """What is known of the call that produced an output."""

    tool: str = ""
    is_error: bool = False
    call_id: str = ""
    source: str = ""
    content_type: str = ""
    kind: str = ""
    is_private: bool = False  # where it comes from is told to nobody

    @property
    def file_name(self) -> str:
        """The file it is from, if it is: a command line often ends in the name of a file, and is not one.

        >>> ToolCall("read_file", source="a.py").file_name, ToolCall("bash", source="python a.py").file_name
        ('a.py', '')
        """
        return "" if tool_name(self.tool) == COMMANDS or " " in self.source else self.source

    def label(self, content_type: str) -> Label:
        """What stands on the artifact of its output."""
        source = "" if self.is_private else self.source
        return Label(*map(one_line, (self.tool, content_type, source, self.call_id)))


class Prepared(NamedTuple):
    """An output as text: cleaned, redacted, measured."""

    text: str
    size: Size
    original: Size
    content_type: str
    cleaned: Mapping[str, int] = {}
    redacted: Mapping[str, int] = {}
    incomplete: bool = False  # something could not be examined for secrets and was hidden whole
    holes: tuple[Hole, ...] = ()  # where `text` is parts of one too large to be held
    writer: Writer | None = None  # where all of it is, when it is not held
    trouble: str = ""  # why it could not be written there
    survey: object = None  # what all of it adds up to, when it is not held
    ended: str = ""  # why no more of it came, where more was to come

    @property
    def held(self) -> PartialText:
        return PartialText(self.text, self.holes)


MOST_STEPS = 4  # that a path to an array is looked for


def array_query(content: str | memoryview) -> str:
    """A JSONPath that asks for a little of what is most of a document: some of its largest array.

    >>> array_query('{"page": 1, "data": {"users": [1, 2, 3], "x": [1]}}'), array_query("[1, 2]"), array_query("7")
    ('$.data.users[0:10]', '$[0:10]', '$.*')
    """
    from msgspec import DecodeError, Raw
    from msgspec.json import decode

    path, here = "$", content
    with suppress(DecodeError, UnicodeError, RecursionError, ValueError):
        for _ in range(MOST_STEPS):
            members = decode(here, type=dict[str, Raw] | list[Raw])
            if isinstance(members, list):
                return f"{path}[0:10]"
            name = max(members, key=lambda name: len(memoryview(members[name])))
            path += f".{name}" if name.isidentifier() and name.isascii() else f"[{in_json(name)}]"
            here = memoryview(members[name])
    return "$.*"


def is_binary_summary(prepared: Prepared) -> bool:
    """Whether the text only describes bytes that are no text; few bytes are shown, all of them, in base64."""
    from overspill.clean.decode import SMALL

    return bool(prepared.cleaned.get("binary")) and prepared.original.bytes > SMALL


def media_type(kind: str, prepared: Prepared) -> str:
    """What an artifact is: as it was found to be, or as it was declared."""
    return MEDIA_TYPES.get(kind, prepared.content_type)


def first_lines(lines: list[str], budget: Budget) -> str:
    """As many of the lines as there is room for, at least a part of the first, the first of them last.

    The last line of a view is read best, and goes last when room is short.
    """
    first, *rest = lines
    for count in range(len(rest), -1, -1):
        text = "".join(f"{line}\n" for line in (*rest[:count], first))
        if budget.holds(text):
            return text
    return first[: budget.ceiling]


def too_large_text(prepared: Prepared, policy: Policy) -> str:
    """Why bytes that are no text were not kept although that was asked for."""
    if not policy.store:
        return "switched off (store, or artifacts.store_truncated)"
    return Wording.TOO_LARGE.format(*sizes_apart(prepared.original.bytes, policy.max_artifact_size))


class Stored(NamedTuple):
    """What is kept of an output, and what came before it."""

    artifact: Artifact | None
    trouble: str = ""  # why nothing is
    same: Artifact | None = None  # the same text
    last: Artifact | None = None  # what the same call said the last time, which was something else


def raw_size(raw: str | bytes, binary: str, policy: Policy) -> Size:
    """The size of an output before anything was done to it."""
    counter = policy.inline.counter
    if isinstance(raw, str):
        return measure(raw, counter)
    if binary:
        return Size(len(raw), 0, len(raw), tokens_of(len(raw)))
    from overspill.clean import decoder_of, encoding_of

    encoding = encoding_of(raw)
    return measure(decoder_of(encoding).feed(raw[encoding.mark :], final=True), counter)


def redacted(prepared: Prepared, redactor: Redactor, policy: Policy) -> Prepared:
    """The text without its secrets, which is the only one that is shown, stored or counted."""
    safe = redactor.redact(prepared.text)
    if safe.text is prepared.text:
        return prepared
    size = measure(safe.text, policy.inline.counter)
    counts = total_counts([prepared.redacted, safe.counts])
    return prepared._replace(text=safe.text, size=size, redacted=counts, incomplete=safe.incomplete)


class Covers:
    """Makes what keeps secrets whole while a text is cleaned, and counts what of them it hid itself."""

    def __init__(self, redactor: Redactor | None) -> None:
        self._redactor = redactor
        self._made: list[ScreenCover] = []

    @property
    def counts(self) -> dict[str, int]:
        return total_counts([cover.counts for cover in self._made])

    @property
    def make(self) -> Callable[[], ScreenCover] | None:
        """The maker, where anything is redacted."""
        return None if self._redactor is None else self._make

    def _make(self) -> ScreenCover:
        assert self._redactor is not None  # noqa: S101  # `make` asked
        self._made.append(self._redactor.screen_cover())
        return self._made[-1]


def total_counts(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Redactions by rule, of several passes over a text together."""
    total: dict[str, int] = {}
    for some in counts:
        for name, count in some.items():
            total[name] = total.get(name, 0) + count
    return total


@contextmanager
def closing_buffer(prepared: Prepared, kind: str) -> Iterator[memoryview | None]:
    """All of a document that is not held, readable in place as long as it is being cut."""
    if prepared.writer is None or kind not in DOCUMENTS | ENTRIES:
        yield None
        return
    mapped = prepared.writer.view()
    with memoryview(mapped) as buffer:
        yield buffer
    if not isinstance(mapped, bytes):
        mapped.close()


def created_text(artifact: Artifact | None) -> str:
    """When an artifact was made, as people read it."""
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(artifact.created)) if artifact else ""


def text_digest(text: str) -> str:
    """The fingerprint of a text."""
    from overspill._lite import sha256

    return sha256(text.encode()).hexdigest()


def failure_view(error: BaseException, room: int | None = None) -> Fitted:
    """What is shown when our own code failed: that it did, and nothing of the text, which may not be safe to show."""
    kind = type(error).__name__
    text = Wording.UNSHOWN.format(kind, ". Nothing was kept;")
    text = text[:room]
    nothing = Size(0, 0, 0, 0)
    report = Report(nothing, nothing, nothing, overhead=len(text), kept=(), decision="failed", not_kept=kind)
    return Fitted(text, report, is_error=True)


def refusal_view(fitted: Fitted, sentence: str) -> Fitted:
    """A refusal that says so and shows nothing else."""
    shown = Size(0, 0, 0, 0)
    return fitted._replace(text=sentence, report=fitted.report._replace(shown=shown, kept=(), overhead=len(sentence)))
