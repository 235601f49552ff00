"""What was shown, what was not, and where the rest is."""

from __future__ import annotations

from _collections_abc import Iterator, Mapping

from overspill._lite import TYPE_CHECKING, NamedTuple, in_json
from overspill.core import Artifact as Artifact  # noqa: PLC0414  # it is said here, too
from overspill.core import Size, count_bytes, human_bytes, tokens_of
from overspill.core.markers import CallFormat, Part, Reference, Wording

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from overspill.core.spans import Span, Why

METADATA_VERSION = 1

ALIASES = {"strategy": "strategy_used", "truncation_strategy": "strategy_used"}


class Report(NamedTuple):
    """The truth about one view, out of band: nothing in the text itself can forge it."""

    original: Size  # the input as it came
    total: Size  # the cleaned, redacted text: what is stored, and what all counts below speak of
    shown: Size  # the characters of it that are in the view
    overhead: int  # characters of the view that are ours
    kept: tuple[Span, ...]
    decision: str
    strategy_used: str = "none"
    requested_strategy: str = "none"
    artifact: Artifact | None = None
    reference: str = ""
    fetch: str = ""  # the call that brings the largest part left out
    elements: int | None = None
    fallback: str = ""  # why another way than the asked one was taken
    not_kept: str = ""  # why there is no artifact although something was left out
    kind: str = ""
    notices: tuple[str, ...] = ()
    redacted: Mapping[str, int] = {}  # noqa: RUF012  # of a named tuple
    incomplete: bool = False  # something could not be examined for secrets and was hidden whole
    cleaned: Mapping[str, int] = {}  # noqa: RUF012
    metadata_version: int = METADATA_VERSION
    whys: tuple[Why, ...] = ()  # why what is shown is shown, best first, where the strategy has reasons
    view_tokens: int | None = None  # of the whole view, where a counter other than the estimate was used
    reused: str = ""  # the artifact that this output is the same as, or that it is shown as a diff against
    ended: str = (
        ""  # why less came than was meant to: whoever made the output failed, was interrupted, went on for ever
    )

    @property
    def omitted_chars(self) -> int:
        """Characters of the text that are not shown."""
        return self.total.chars - self.shown.chars

    @property
    def omitted_lines(self) -> int:
        """Line ends of the text that are not shown."""
        return self.total.lines - self.shown.lines

    @property
    def was_truncated(self) -> bool:
        """Whether something was cut; a refusal is no cut."""
        return self.decision in {"trim", "spill"}


class Metadata(Mapping[str, object]):
    """The specification's metadata: a mapping whose keys are attributes too.

    `strategy` and `truncation_strategy` are other names of `strategy_used`.

    >>> metadata = Metadata({"strategy_used": "tail"})
    >>> metadata["strategy"], metadata.truncation_strategy
    ('tail', 'tail')
    """

    def __init__(self, values: Mapping[str, object]) -> None:
        self._values = dict(values)

    def __getitem__(self, key: str) -> object:
        return self._values[key if key in self._values else ALIASES.get(key, key)]

    def __getattr__(self, key: str) -> object:
        try:
            return self[key]
        except KeyError:
            raise AttributeError(key) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: object) -> bool:
        return key in self._values or ALIASES.get(str(key)) in self._values

    def __repr__(self) -> str:
        return f"Metadata({self._values!r})"


class Detail(NamedTuple):
    """Which parts of the metadata are wanted (`metadata.include_*` in the settings)."""

    original_size: bool = True
    token_estimate: bool = True
    strategy: bool = True
    retrieval_instructions: bool = True
    aliases: bool = True
    minimal: bool = False  # nothing of where it comes from


def metadata(text: str, report: Report, detail: Detail = Detail()) -> Metadata:  # noqa: B008  # a frozen value
    """The report in the specification's words."""
    values: dict[str, object] = {
        "metadata_version": report.metadata_version,
        "was_truncated": report.was_truncated,
        "truncated_size": len(text),
        "truncated_bytes": count_bytes(text),
        "kept_characters": report.shown.chars,
        "omitted_characters": report.omitted_chars,
        "omitted_lines": report.omitted_lines,
        "omission_summary": omission_summary(report),
        "artifact_created": report.artifact is not None,
    }
    artifact = report.artifact
    optional = {
        "artifact_id": artifact and artifact.id,
        "artifact_reference": report.reference,
        "fallback": report.fallback,
        "not_kept": report.not_kept,
        "reused": report.reused,
        "ended": report.ended,
        "cleaned": dict(report.cleaned),
        "notices": list(report.notices),
        "redactions": dict(report.redacted),
        "retrieval_instructions": detail.retrieval_instructions and report.fetch,
    }
    values |= {name: value for name, value in optional.items() if value}
    if report.elements is not None:
        values["omitted_elements"] = report.elements
    if detail.original_size:
        values |= {"original_size": report.original.chars, "original_bytes": report.original.bytes}
        # A text without a line end is one line, as everywhere where lines are told to people.
        values |= {"original_lines": max(report.original.lines, min(1, report.original.chars))}
    if detail.token_estimate:
        values |= {"original_tokens": report.original.tokens, "truncated_tokens": truncated_tokens(text, report)}
    if detail.strategy:
        values |= {"strategy_used": report.strategy_used, "requested_strategy": report.requested_strategy}
        if detail.aliases:
            values |= dict.fromkeys(ALIASES, report.strategy_used)
    return Metadata(values)


def truncated_tokens(text: str, report: Report) -> int:
    """Tokens of the view, counted as the budget counts them."""
    return tokens_of(len(text)) if report.view_tokens is None else report.view_tokens


SHOWN_VERSION = 1
MAX_PARTS = 5_000


def shown_record(report: Report, view: str, limit: int | None, digest: str, gaps: Sequence[str] = ()) -> bytes:
    """What was shown of an artifact, and why, as it is kept beside it: positions and words of ours.

    `kept` holds two numbers a part: how far after the last one it begins, and its length, in characters; `gaps` how the
    marks between them read.
    """
    kept: list[int] = []
    before = 0
    for start, end in report.kept[:MAX_PARTS]:
        kept += (start - before, end - start)
        before = end
    fields: dict[str, object] = {
        "v": SHOWN_VERSION,
        "chars": report.total.chars,
        "lines": report.total.lines,
        "view": len(view),
        "tokens": truncated_tokens(view, report),
        "limit": limit,
        "strategy": report.strategy_used,
        "sha256": digest,
        "kept": kept if len(report.kept) <= MAX_PARTS else None,
    }
    if gaps:
        fields["gaps"] = list(gaps)
    if report.whys:
        fields["words"], fields["whys"] = told_reasons(report.whys)
    return in_json(fields).encode()


def omission_summary(report: Report) -> str:
    """What is missing, in a few words.

    Positions are named because "the middle is missing" and "the start is missing" ask for different next steps.
    """
    if not report.omitted_chars:
        return ""
    if report.cleaned.get("binary") and not report.shown.chars:
        return f"all {report.total.bytes:,} bytes"
    starts = bool(report.kept) and report.kept[0].start == 0
    ends = bool(report.kept) and report.kept[-1].end == report.total.chars
    where = {(True, True): "middle", (True, False): "last", (False, True): "first", (False, False): "outer"}[
        starts, ends
    ]
    return f"{where} {report.omitted_chars:,} characters / ~{tokens_of(report.omitted_chars):,} tokens"


class Fitted(NamedTuple):
    """A text within its budget, and the report of how it came to be."""

    text: str
    report: Report
    is_error: bool = False
    detail: Detail = Detail()
    notice: str = ""  # for a second channel beside a document, in which a reference block has no place

    @property
    def metadata(self) -> Metadata:
        """The specification's metadata, as a mapping."""
        return metadata(self.text, self.report, self.detail)

    @property
    def artifact_id(self) -> str | None:
        """The id under which the whole text is kept, if anything was left out."""
        return None if self.report.artifact is None else self.report.artifact.id


SUMMARY_WIDTH = 100
SOURCE_WIDTH = 200

# What goes first when room is short, and what after it. The first line and the first option stay.
DISPENSABLE = ("Created", "Source", "Type", "Size")


def artifact_summary(artifact: Artifact) -> str:
    """What was kept, from facts and never from its content, which is not ours to quote here.

    >>> from overspill.core import Size
    >>> artifact_summary(Artifact("art_1_x", Size(9000, 120, 9000, 2250), "bash"))
    'text/plain from bash, 120 lines'
    """
    source = f" from {artifact.source_tool}" if artifact.source_tool else ""
    lines = max(1, artifact.size.lines)
    length = "" if artifact.is_binary else f", {lines:,} line{'s' if lines > 1 else ''}"
    words = f"{artifact.content_type}{source}{length}"
    return words if len(words) <= SUMMARY_WIDTH else words[: SUMMARY_WIDTH - 3] + "..."


def reference_line(artifact: Artifact) -> str:
    """The reference in one line, as the specification spells it."""
    return Wording.ARTIFACT.format(artifact.id, artifact_summary(artifact), human_bytes(artifact.size.bytes))


def origin_words(artifact: Artifact) -> str:
    """Where an artifact is from: the tool, and what it was asked, which may begin with its name already."""
    tool, source = artifact.source_tool, artifact.source
    return source if source.partition(" ")[0] == tool else f"{tool} {source}".strip()


def reference_blocks(reference: Reference) -> Iterator[str]:
    """The reference block with the blank line after it, from the fullest to the leanest form."""
    artifact = reference.artifact
    if artifact is None:
        return
    size = artifact.size
    lines = {
        "Type": artifact.content_type,
        "Size": f"{human_bytes(size.bytes)} ({size.bytes:,} bytes, ~{size.tokens:,} tokens)",
        "Source": origin_words(artifact)[:SOURCE_WIDTH],
        "Created": reference.created,
    }
    options = retrieval_options(artifact, reference.spelling, reference.query)
    yield _block_text(artifact, lines, options)
    yield _block_text(artifact, lines, options[:1])
    for name in DISPENSABLE:
        del lines[name]
        yield _block_text(artifact, lines, options[:1])


def retrieval_options(artifact: Artifact, spelling: CallFormat, query: str = "$.*") -> list[str]:
    """Every way to ask for this artifact, ready to be called; each returns what it names."""
    size = artifact.size
    last_line = max(1, min(100, size.lines))
    whole = spelling(artifact.id)
    parts = {
        "Line range": Part("lines", 1, last_line),
        "Byte range": Part("bytes", 0, min(10240, size.bytes)),
    }
    if artifact.content_type == "application/json":
        parts["JSONPath query"] = Part("query", query=query)
    calls = {name: spelling(artifact.id, part) for name, part in parts.items()}
    # Where parts may not be asked for, there is one way only.
    named = [f"- {name}: {call}" for name, call in calls.items() if call != whole]
    return [Wording.WHOLE.format(whole), *named]


def _block_text(artifact: Artifact, lines: dict[str, str], options: list[str]) -> str:
    facts = [f"{name}: {value}" for name, value in lines.items() if value]
    return "\n".join([reference_line(artifact), *facts, "", Wording.OPTIONS, *options, "", ""])


# Why a part is shown, in a word of ours: what is kept beside an artifact never quotes the text, and a strategy's own
# words may name a file or a function.
CHOSEN = "chosen"
MAX_WHYS = 400
_PART_OF = ("what belongs to: ", "the end of: ", "all of: ")
_BEGIN = (
    ("asked for; ", "focus"),
    ("beside: ", "context"),
    ("definition in ", "definition"),
    ("match in ", "match"),
)

REASONS = {
    "focus": ("asked for", "beside what was asked for"),
    "failed test": (
        "failed test",
        "failed test, said again",
        "what a failed test says",
        "what it says of it",
        "where a failed test fails",
        "all about a failed test",
    ),
    "how it ended": ("how it ended", "the command that failed"),
    "fatal": ("fatal",),
    "exception": (
        "exception",
        "exception of a traceback",
        "exception of a traceback, again",
        "where it was raised",
        "traceback",
    ),
    "assertion": ("assertion",),
    "error": ("error", "error of a new kind", "error in a new file", "where", "speaks of trouble", "mentions trouble"),
    "warning": ("warning",),
    "rare": ("said by few lines", "a record with it", "odd among its like", "an odd row", "largest of its column"),
    "context": ("the rest of a paragraph",),
    "match": (),
    "start": ("first lines", "the start of a long line", "what the file says of itself"),
    "end": ("last lines", "last line", "first or last line", "the end of a long line"),
    "changed file": ("changed file", "commit", "between files"),
    "hunk": ("hunk",),
    "heading": ("heading", "first paragraph", "code block"),
    "definition": ("imports", "outside of functions"),
}
_REASON_OF = {why: reason for reason, whys in REASONS.items() for why in whys}


def reason_of(why: str) -> str:
    """The word for a reason that a strategy gave.

    >>> reason_of("what belongs to: fatal"), reason_of("match in src/secret_plan.py"), reason_of("handle_error whole")
    ('fatal', 'match', 'chosen')
    """
    for before in _PART_OF:
        why = why.removeprefix(before)
    for begins, reason in _BEGIN:
        if why.startswith(begins):
            return reason
    return _REASON_OF.get(why, CHOSEN)


def told_reasons(whys: Iterable[Why]) -> tuple[list[str], list[int]]:
    """The words that are used, and for each part in order: how far after the last one it begins, its length, its word.

    >>> from overspill.core.spans import Why
    >>> told_reasons([Why(90, 99, "last line"), Why(10, 14, "fatal"), Why(14, 20, "what belongs to: fatal")])
    (['fatal', 'end'], [10, 10, 0, 80, 9, 1])
    """
    merged: list[tuple[int, int, str]] = []
    for start, end, why in sorted(whys):
        reason = reason_of(why)
        if merged and merged[-1][2] == reason and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]), reason)
        else:
            merged.append((start, end, reason))
    words = list(dict.fromkeys(reason for _, _, reason in merged))
    flat: list[int] = []
    before = 0
    for start, end, reason in merged[:MAX_WHYS]:
        flat += (start - before, end - start, words.index(reason))
        before = start
    return words, flat
