r"""The specification's own names, in snake case, as thin aliases; its store of artifacts, too, on the files of a root.

>>> TailStrategy(TruncationOptions(inline_limit=200, tail_lines=2)).truncate("Line\n" * 20).content
'... [18 lines / 90 chars omitted] ...\nLine\nLine\n'
"""

import os
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TypeVar

from overspill import cut
from overspill._lite import NamedTuple
from overspill.api import Overspill
from overspill.core import estimate_tokens, measure
from overspill.core.budget import Decision, Policy
from overspill.core.markers import Reference
from overspill.core.report import Artifact, Fitted, Metadata, Report
from overspill.cut.render import Subject, View, draw_text_by_count, text_view
from overspill.errors import ConfigError
from overspill.fit import ingest, safe_call
from overspill.fit.prepare import ToolCall
from overspill.handoff import apply_context_budget, resolve_manifest, truncate_to_token_budget
from overspill.handoff.project import build_handoff_context
from overspill.lists import compact_session, compact_task, get_default_limit
from overspill.retrieve.access import Access
from overspill.retrieve.tools import get_artifact
from overspill.settings import Settings, from_mapping
from overspill.store import Label, Store
from overspill.store.memory import MemoryStore
from overspill.workspace import Workspace
from overspill.workspace.opening import journal_at, locate_store, open_files
from overspill.workspace.policy import policy_of

Answer = TypeVar("Answer")
Listed = list["StoredArtifact"]


class StoredArtifact(NamedTuple):
    """What the specification knows of an artifact."""

    id: str
    size: int  # characters
    source_tool: str
    content_type: str
    created: float = 0.0


class FileSystemArtifactStore:
    """Artifacts below `<root>/.acode/artifacts`, until `cleanup`. Safe to share between threads."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        settings = from_mapping({}, "spec", cut.names)
        # The root is all there is to say which session is meant: nobody's environment has a part in it.
        environ = {name: value for name in ("HOME", "XDG_STATE_HOME") if (value := os.environ.get(name))}
        location = locate_store(os.fspath(root), None, environ=environ)
        journal = journal_at(location, os.fspath(root), settings)
        self.files = open_files(location, settings, lazy=False, on_event=journal)
        self._workspace = Workspace(os.fspath(root), settings, store=self.files)

    def create(self, content: str, source_tool: str = "", content_type: str = "text/plain") -> StoredArtifact:
        """Keep a text. Secrets are replaced first, as everywhere."""
        workspace = self._workspace
        call = safe_call(workspace, ToolCall(source_tool, content_type=content_type))
        kept = ingest(workspace, content, workspace.policy(source_tool), call)
        return _stored_artifact(self.files.put(kept.text, kept.size, Label(call.tool, call.content_type)))

    def get_content(self, artifact_id: str) -> str:
        """The whole text of an artifact."""
        return self.files.read(artifact_id).decode()

    def get_partial_content(self, artifact_id: str, start_line: int, end_line: int) -> str:
        """Some lines of it, counted from 1, both ends included, as far as there are any."""
        return self.files.lines(artifact_id, max(1, start_line), end_line).decode()

    def list(self) -> Listed:
        """Every artifact of the root, newest first."""
        return [_stored_artifact(artifact) for artifact in self.files.list()]

    def delete(self, artifact_id: str) -> None:
        """Forget one artifact."""
        self.files.delete(artifact_id)

    def cleanup(self) -> None:
        """End the session: its artifacts are gone, and so is their directory when nobody else has any in it."""
        self.files.clear()

    async def create_async(
        self, content: str, source_tool: str = "", content_type: str = "text/plain"
    ) -> StoredArtifact:
        """`create`, beside the event loop."""
        return await _in_thread(lambda: self.create(content, source_tool, content_type))

    async def get_content_async(self, artifact_id: str) -> str:
        """`get_content`, beside the event loop."""
        return await _in_thread(lambda: self.get_content(artifact_id))

    async def get_partial_content_async(self, artifact_id: str, start_line: int, end_line: int) -> str:
        """`get_partial_content`, beside the event loop."""
        return await _in_thread(lambda: self.get_partial_content(artifact_id, start_line, end_line))

    async def list_async(self) -> Listed:
        """`list`, beside the event loop."""
        return await _in_thread(self.list)

    async def delete_async(self, artifact_id: str) -> None:
        """`delete`, beside the event loop."""
        await _in_thread(lambda: self.delete(artifact_id))

    async def cleanup_async(self) -> None:
        """`cleanup`, beside the event loop."""
        await _in_thread(self.cleanup)


async def _in_thread(work: Callable[[], Answer]) -> Answer:
    import asyncio

    return await asyncio.to_thread(work)


def _stored_artifact(artifact: Artifact) -> StoredArtifact:
    return StoredArtifact(
        artifact.id, artifact.size.chars, artifact.source_tool, artifact.content_type, artifact.created
    )


__all__ = [
    "ElementStrategy",
    "FileSystemArtifactStore",
    "GetArtifactTool",
    "HeadStrategy",
    "HeadTailStrategy",
    "LineStrategy",
    "StoredArtifact",
    "TailStrategy",
    "ToolAnswer",
    "TruncationConfiguration",
    "TruncationOptions",
    "TruncationProcessor",
    "TruncationResult",
    "TruncationStrategy",
    "apply_context_budget",
    "build_handoff_context",
    "compact_session",
    "compact_task",
    "estimate_tokens",
    "get_default_limit",
    "resolve_manifest",
    "truncate_to_token_budget",
]


class TruncationStrategy(StrEnum):
    """The strategies of the specification."""

    HEAD = "head"
    TAIL = "tail"
    HEAD_TAIL = "head_tail"
    LINE = "line"
    ELEMENT = "element"
    SMART = "smart"
    NONE = "none"


# Where each option of the specification stands in the settings, and its default.
_OPTIONS: dict[str, tuple[str, object]] = {
    "inline_limit": ("inline_limit", 8_000),
    "artifact_threshold": ("artifact_threshold", 50_000),
    "max_artifact_size": ("max_artifact_size", 10_485_760),
    "head_ratio": ("head_ratio", 0.6),
    "head_lines": ("line_truncation.head_lines", 300),
    "tail_lines": ("line_truncation.tail_lines", 200),
    "max_line_length": ("line_truncation.max_line_length", 500),
    "first_elements": ("element_truncation.first_elements", 5),
    "last_elements": ("element_truncation.last_elements", 5),
    "max_depth": ("element_truncation.max_depth", 3),
    "preserve_json": ("element_truncation.preserve_json", True),
    "strategy": ("strategy", "head_tail"),
}


class TruncationOptions:
    """Limits and counts, checked: a wrong one is a `ValueError` that names it."""

    def __init__(self, **options: object) -> None:
        for name in options:
            if name not in _OPTIONS:
                raise ValueError(f"no option {name!r}; there are: {', '.join(_OPTIONS)}")
        self.given = {_OPTIONS[name][0]: value for name, value in options.items() if value is not None}
        self.settings = _settings_from(self.given, {})

    def __getattr__(self, name: str) -> object:
        if name not in _OPTIONS:
            raise AttributeError(name)
        path, default = _OPTIONS[name]
        return self.given.get(path, default)


class TruncationConfiguration(TruncationOptions):
    """Limits and counts for all tools, with `tool_overrides` for some."""

    def __init__(self, *, tool_overrides: Mapping[str, TruncationOptions] | None = None, **options: object) -> None:
        super().__init__(**options)
        self.tool_overrides = dict(tool_overrides or {})
        self.settings = _settings_from(self.given, {tool: over.given for tool, over in self.tool_overrides.items()})


def _settings_from(given: Mapping[str, object], overrides: Mapping[str, Mapping[str, object]]) -> Settings:
    names = {path: "default_strategy" if path == "strategy" else path for path in given}
    mapping = {f"tools.truncation.{names[path]}": _option_value(value) for path, value in given.items()}
    for tool, options in overrides.items():
        mapping |= {
            f"tools.truncation.overrides.{tool}.{path}": _option_value(value) for path, value in options.items()
        }
    try:
        return from_mapping(mapping, "spec", cut.names)
    except ConfigError as error:
        raise ValueError(str(error)) from None


def _option_value(value: object) -> object:
    return value.value if isinstance(value, TruncationStrategy) else value


class TruncationResult(NamedTuple):
    """What a strategy or the processor gives back."""

    content: str
    was_truncated: bool
    original_size: int
    truncated_size: int
    omitted_characters: int
    metadata: Metadata
    artifact_id: str | None = None
    artifact_reference: str | None = None
    is_error: bool = False


class _Strategy:
    """A strategy by itself: it cuts as asked, keeps no artifact and gives no hint."""

    name = ""

    def __init__(self, options: TruncationOptions | None = None) -> None:
        self.options = options or TruncationOptions()

    def truncate(self, text: str) -> TruncationResult:
        """Cut `text`. It comes back unchanged when it is within the limit and within the counts."""
        policy = policy_of(self.options.settings, "")
        used = cut.strategy_in_use(self.name)
        size = measure(text)
        subject = Subject(text, size, cut.strategy(used), policy.options, Reference(silent=True))
        if policy.inline.fits(size):
            drawn = draw_text_by_count(subject)
        else:
            document = self._document(subject, policy)
            used = used if document is None else "element"
            drawn = text_view(subject, policy.inline) if document is None else document
        decision = Decision.PASS if drawn.shown.chars == size.chars else Decision.TRIM
        report = Report(
            size,
            size,
            drawn.shown,
            overhead=len(drawn.text) - drawn.shown.chars,
            kept=drawn.kept,
            decision=decision.value,
            strategy_used=used,
            requested_strategy=self.name,
            elements=drawn.cut.elements,
        )
        return _truncation_result(Fitted(drawn.text, report))

    def _document(self, _subject: Subject, _policy: Policy) -> View | None:
        """The view of a text that is cut as a document; only one strategy does that."""
        return None


class HeadStrategy(_Strategy):
    """Keeps the first lines."""

    name = "head"


class TailStrategy(_Strategy):
    """Keeps the last lines."""

    name = "tail"


class HeadTailStrategy(_Strategy):
    """Keeps both ends, 60 to 40."""

    name = "head_tail"


class LineStrategy(_Strategy):
    """Keeps whole lines of both ends."""

    name = "line"


class ElementStrategy(_Strategy):
    """Keeps the first and last elements of JSON and XML, and whole lines of anything else."""

    name = "element"

    def _document(self, subject: Subject, policy: Policy) -> View | None:
        from overspill.documents import cut_document, side_for
        from overspill.kinds import sniff

        kind = sniff(subject.text).name
        side = side_for(self.name, kind, policy.options)
        return None if side is None else cut_document(subject, kind, policy.inline, side, counted=True)


class TruncationProcessor:
    """The whole flow under the specification's name. What it needs is handed in."""

    def __init__(
        self, config: TruncationConfiguration | None = None, store: Store | FileSystemArtifactStore | None = None
    ) -> None:
        self.config = config or TruncationConfiguration()
        self.store = MemoryStore() if store is None else store

    def process(
        self, content: object, tool_name: str = "", config: TruncationConfiguration | None = None
    ) -> TruncationResult:
        """Fit one tool result."""
        return _truncation_result(self._spill(config or self.config).fit(content, tool=tool_name))

    async def process_async(
        self, content: object, tool_name: str = "", config: TruncationConfiguration | None = None
    ) -> TruncationResult:
        """Fit one tool result, beside the event loop."""
        return _truncation_result(await self._spill(config or self.config).afit(content, tool=tool_name))

    def _spill(self, config: TruncationConfiguration) -> Overspill:
        return Overspill(config.settings, _inner(self.store))


def _inner(store: Store | FileSystemArtifactStore) -> Store:
    return store.files if isinstance(store, FileSystemArtifactStore) else store


class ToolAnswer(NamedTuple):
    """What the `get_artifact` tool gives back."""

    content: str
    is_error: bool = False
    status: int = 200
    metadata: Mapping[str, object] = {}


class GetArtifactTool:
    """The tool that models call: `get_artifact`."""

    name = "get_artifact"

    def __init__(self, store: Store | FileSystemArtifactStore, limit: int = 50_000, ceiling: int = 200_000) -> None:
        self.store = _inner(store)
        self.limit = limit
        self.ceiling = ceiling

    def execute(self, arguments: Mapping[str, object]) -> ToolAnswer:
        """Fetch an artifact or a part of it. Every failure is an answer with a status."""
        answer = get_artifact(
            Access(self.store, self.limit, self.ceiling, requester="model", tell=getattr(self.store, "on_event", None)),
            arguments,
        )
        known: dict[str, object] = {"code": answer.code, "next": answer.next, "note": answer.note}
        metadata = {name: value for name, value in known.items() if value}
        return ToolAnswer(answer.content, answer.is_error, answer.status, metadata)


def _truncation_result(fitted: Fitted) -> TruncationResult:
    report = fitted.report
    return TruncationResult(
        fitted.text,
        report.was_truncated,
        report.original.chars,
        len(fitted.text),
        report.omitted_chars,
        fitted.metadata,
        fitted.artifact_id,
        report.reference or None,
        fitted.is_error,
    )
