"""`Overspill`: what a program calls. Every method is a line or two over the package that does the work."""

from __future__ import annotations

import os
from _collections_abc import AsyncIterable, Callable, Iterable, Mapping, Sequence

from overspill._lite import TYPE_CHECKING
from overspill.core.markers import CallFormat, Search, tool_call
from overspill.errors import UsageError
from overspill.fit import Turn, fit_output, fit_together, pending_result, safe_call
from overspill.fit.intake import Chunks
from overspill.fit.prepare import ToolCall
from overspill.workspace import Workspace
from overspill.workspace.opening import find_root, working_directory
from overspill.workspace.policy import ToolRules, budget_of, settings_of

if TYPE_CHECKING:
    from typing import Any, Self, TypedDict, Unpack

    from overspill.core.budget import Budget
    from overspill.core.report import Fitted
    from overspill.handoff import Context, Handoff, Manifest
    from overspill.journal import Journal
    from overspill.lists import Page, Query
    from overspill.redact import Redactor
    from overspill.retrieve import FetchedPage, Retrieved
    from overspill.retrieve.access import SearchResult
    from overspill.settings import Settings
    from overspill.store import Store

    class FitOptions(TypedDict, total=False):
        """What every way of fitting takes."""

        tool: str
        is_error: bool
        budget: Budget | int | None
        strategy: str | None
        focus: str | None
        call_id: str | None
        source: str | None
        content_type: str | None
        kind: str | None


class Overspill:
    r"""Fits tool results into an agent's context and keeps the rest.

    >>> from overspill import MemoryStore
    >>> spill = Overspill(config={"tools": {"truncation": {"inline_limit": 200}}}, store=MemoryStore())
    >>> fitted = spill.fit("a long story\n" * 100, tool="read_file")
    >>> len(fitted.text) <= 200, fitted.metadata["omitted_characters"] > 0
    (True, True)
    >>> spill.get(fitted.artifact_id, lines=(99, 100)).text
    'a long story\na long story\n'
    """

    def __init__(
        self,
        config: Settings | Mapping[str, object] | str | None = None,
        store: Store | None = None,
        preset: str = "spec",
        root: str | None = None,
        session: str | None = None,
        *,
        spelling: CallFormat = tool_call,
        journal: Journal | None = None,
        on_event: Journal | None = None,
        redactor: Redactor | None = None,
    ) -> None:
        home = find_root(root, os.environ, working_directory())
        self.workspace = Workspace(
            home,
            settings_of(config, home, preset),
            named_root=root,
            session=session,
            store=store,
            call_format=spelling,
            journal=journal,
            on_event=on_event,
            redactor=redactor,
            lazy=True,
        )

    @classmethod
    def at(cls, workspace: Workspace) -> Self:
        """One for a workspace that was found before."""
        made = cls.__new__(cls)
        made.workspace = workspace
        return made

    @property
    def root(self) -> str:
        """The directory below which settings, artifacts and the journal lie."""
        return self.workspace.root

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self.workspace.settings

    @property
    def store(self) -> Store:
        """Where what does not fit is kept: files below the root, unless another store was handed in."""
        return self.workspace.store

    def __enter__(self) -> Self:
        """Begin a session of its own, unless one was named or a store handed in."""
        self.workspace.begin()
        return self

    def __exit__(self, *_: object) -> None:
        """End it: what it kept is gone, unless `artifacts.cleanup_on_exit` says otherwise."""
        self.workspace.end()

    def fit(
        self,
        output: object,
        *,
        tool: str = "",
        is_error: bool = False,
        budget: Budget | int | None = None,
        strategy: str | None = None,
        focus: str | None = None,
        call_id: str | None = None,
        source: str | None = None,
        content_type: str | None = None,
        kind: str | None = None,
    ) -> Fitted:
        """Fit one tool result. Small results come back unchanged; nothing that is left out is lost.

        `output` is text, bytes, an open file, an iterator of chunks, or any object, which is shown as JSON.
        """
        policy = self.workspace.policy(tool, budget, strategy, focus)
        said = ToolCall(tool, is_error, call_id or "", source or "", content_type or "", kind or "")
        if isinstance(output, AsyncIterable):
            raise UsageError("an async iterable is read by `await spill.afit(...)`, not by `fit`")
        return fit_output(self.workspace, output, policy, safe_call(self.workspace, said))

    async def afit(self, output: object, **options: Unpack[FitOptions]) -> Fitted:
        """`fit` for programs with an event loop: the work is done beside it. Takes async iterables of chunks too."""
        import asyncio

        if not isinstance(output, AsyncIterable):
            return await asyncio.to_thread(self.fit, output, **options)
        chunks = Chunks(output, asyncio.get_running_loop())
        return await asyncio.to_thread(self.fit, chunks, **options)

    def fit_stream(self, chunks: Iterable[str | bytes], **options: Unpack[FitOptions]) -> Fitted:
        """Fit a result that comes in chunks, in memory that does not grow with it."""
        return self.fit(iter(chunks), **options)

    def fit_many(
        self, outputs: Sequence[object], budget: Budget | int, *, tools: Sequence[str] = (), focus: str | None = None
    ) -> list[Fitted]:
        """Fit the results of one turn into one budget, shared out fairly: small ones give back what they spare."""
        room = budget_of(budget)
        here = self.workspace
        calls = [safe_call(here, ToolCall(tool)) for tool in tools or [""] * len(outputs)]
        results = [pending_result(here, output, call, room, focus) for output, call in zip(outputs, calls, strict=True)]
        return fit_together(here, results, room)

    def turn(self, budget: Budget | int, *, calls: int | None = None) -> Turn:
        """One budget for the results of parallel calls: `async with spill.turn(20_000, calls=3) as turn`."""
        return Turn(self.workspace, budget_of(budget), calls)

    def limited(
        self,
        *,
        tool: str = "",
        budget: Budget | int | None = None,
        strategy: str | None = None,
        focus: str | None = None,
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """A decorator: the function returns the view of its result. `@spill.limited(tool="search_files")`.

        What it says of budget, strategy and focus holds where the settings say nothing.
        """
        from overspill.fit.functions import limit_function

        rules = ToolRules(strategy or "", budget, focus or "")
        return lambda function: limit_function(function, lambda: self, tool, rules)

    def get(
        self,
        artifact_id: str,
        *,
        lines: tuple[int, int] | None = None,
        bytes: tuple[int, int] | None = None,  # noqa: A002  # the unit's name is the clearest
        query: str | None = None,
        search: str | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> Retrieved:
        """Fetch an artifact, or a part of it. Long answers come in pages; `limit=0` asks for all of it.

        `query` is a JSONPath (RFC 9535), answered by one JSON array of the values; `search` is a text, answered by
        the lines it stands in. Limit and offset count characters, with a query values, with a search matches.
        """
        from overspill.retrieve import Retrieved
        from overspill.retrieve.access import access_for, fetch, requested_part

        part = requested_part(lines=lines, bytes=bytes, query=query, search=search)
        found: FetchedPage | SearchResult
        if search is not None:
            found = self.search(search, artifact_id, limit=limit, offset=offset)
        else:
            found = fetch(access_for(self.workspace), artifact_id, part, limit, offset)
        return Retrieved(found.text, found.pagination, found.next)

    def search(
        self,
        pattern: str,
        artifact_id: str = "",
        *,
        regex: bool = False,
        ignore_case: bool = False,
        context: int = 0,
        limit: int | None = None,
        offset: int = 0,
    ) -> SearchResult:
        """Find a text in one artifact, or in all that may be read. All matches are counted, ten are shown."""
        from overspill.retrieve.access import access_for, find

        return find(
            access_for(self.workspace), Search(pattern, artifact_id, regex, ignore_case, context), limit, offset
        )

    def assemble(
        self,
        handoffs: Sequence[Handoff | Mapping[str, object]] | None = None,
        *,
        phase: int,
        run_id: str | None = None,
        manifest: Manifest | Mapping[str, object] | str | None = None,
        max_tokens: int | None = None,
        drop: str | None = None,
        all_runs: bool = False,
    ) -> Context:
        """The context of a phase within its tokens, of the hand-offs given or of those in `.agents/rpi`."""
        from overspill.handoff.project import ContextRequest, handoff_context

        return handoff_context(
            handoffs, ContextRequest(phase, run_id, manifest, max_tokens, drop, all_runs), self.workspace
        )

    def page(
        self,
        items: Iterable[object] | Query,
        *,
        command: str = "",
        limit: int | None = None,
        offset: int = 0,
        tokens: int | None = None,
        compact: str | None = None,
    ) -> Page:
        """Some records of a list: as many as the command shows, or `limit`; 0 is all.

        `items` is a sequence, an iterator or a query. `compact` is `task`, `session` or a list of fields, and
        `tokens` ends the page before the record that would take more.
        """
        from overspill.workspace.policy import page_of

        return page_of(self.settings, items, command, limit, offset, tokens, compact)
