"""A tool result on its way: what is known of its call, its text once it may be shown, and the steps to it.

Views of what could not be shown stand here, too, and the words that views share: when an artifact was made, a text's
fingerprint.
"""

from __future__ import annotations

import time

from overspill._lite import TYPE_CHECKING, NamedTuple, contextmanager
from overspill.core.markers import Wording, one_line
from overspill.core.partial_text import PartialText
from overspill.core.report import Artifact, Fitted, Report
from overspill.core.size import Size, measure, tokens_of
from overspill.settings.table import tool_name
from overspill.store import Label, Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from overspill.core.budget import Policy
    from overspill.core.spans import Hole
    from overspill.redact import Redactor
    from overspill.redact.placeholders import ScreenCover

COMMANDS = "execute_command"

# Texts that stay what they are when they are cut: every view of valid JSON is valid JSON.
MEDIA_TYPES = {"json": "application/json", "ndjson": "application/x-ndjson", "xml": "application/xml"}
DOCUMENTS = frozenset(MEDIA_TYPES)


class ToolCall(NamedTuple):
    """What is known of the call that produced an output."""

    tool: str = ""
    is_error: bool = False
    call_id: str = ""
    source: str = ""
    content_type: str = ""
    kind: str = ""

    @property
    def file_name(self) -> str:
        """The file it is from, if it is: a command line often ends in the name of a file, and is not one.

        >>> ToolCall("read_file", source="a.py").file_name, ToolCall("bash", source="python a.py").file_name
        ('a.py', '')
        """
        return "" if tool_name(self.tool) == COMMANDS or " " in self.source else self.source

    def label(self, content_type: str) -> Label:
        """What stands on the artifact of its output."""
        return Label(*map(one_line, (self.tool, content_type, self.source, self.call_id)))


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

    @property
    def held(self) -> PartialText:
        return PartialText(self.text, self.holes)


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
    from overspill.clean.decode import Decoder, encoding_of

    encoding = encoding_of(raw)
    return measure(Decoder(encoding.name).feed(raw[encoding.mark :], final=True), counter)


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
    if prepared.writer is None or kind not in DOCUMENTS:
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
