"""The flow of a tool result, once, from the top.

policy of the tool -> clean -> redact -> measure -> decide -> pass | keep, cut, render | refuse -> report -> journal
"""

import os
import time
from collections.abc import AsyncIterable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from overspill import cut
from overspill._lite import TYPE_CHECKING
from overspill.clean import clean
from overspill.core.budget import Budget
from overspill.core.markers import Part, Search, Spelling, tool_call, whole_only
from overspill.core.policy import Policy
from overspill.core.report import Fitted
from overspill.core.size import measure
from overspill.errors import OverspillError, UsageError
from overspill.fit.answers import failed, told
from overspill.fit.intake import Intake, Scratch, Sinks
from overspill.fit.prepare import as_it_came, redacted
from overspill.fit.prepared import Call, Prepared
from overspill.fit.source import Chunks, clocked, output_of
from overspill.fit.view import Views
from overspill.journal import Journal, creation, joined
from overspill.settings import Settings
from overspill.store import Store
from overspill.workspace.policy import budget_of, counted_as, policy_of, settings_of
from overspill.workspace.redactor import redactor_of
from overspill.workspace.root import find_root

if TYPE_CHECKING:
    from typing import Any, Self, TypedDict, Unpack

    from overspill.fit.turn import Turn
    from overspill.handoff import Context, Handoff, Manifest
    from overspill.lists.pages import Page, Query
    from overspill.redact import Redactor
    from overspill.retrieve.access import Desk
    from overspill.retrieve.pages import Retrieved
    from overspill.retrieve.search import Found

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


PARTS = "tools.truncation.artifacts.enable_partial_retrieval"


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
        spelling: Spelling = tool_call,
        journal: Journal | None = None,
        on_event: Journal | None = None,
        redactor: "Redactor | None" = None,
    ) -> None:
        self.root = find_root(root, os.environ, os.getcwd())
        self.settings = settings_of(config, self.root, preset)
        self._named_root = root
        self._store = store
        self._session = session
        self._own = False
        self.spelling = spelling if self.settings.flag(PARTS) else whole_only(spelling)
        self._journal = journal
        self._on_event = on_event
        self._tell: Journal | None = None
        self._untold: Journal | None = None  # what a store that was handed in does not tell by itself
        if store is not None:
            # Each is watched by itself: the store's own journal may be watched already.
            heard = joined(self._watched(journal), self._watched(on_event))
            own = self._watched(getattr(store, "tell", None)) if journal is None else None
            self._tell = joined(own, heard)
            self._untold = heard
        self._redactor = redactor_of(self.settings, os.environ) if redactor is None else redactor
        self._policies: dict[str, Policy] = {}

    @property
    def store(self) -> Store:
        """Where what does not fit is kept: files below the root, unless another store was handed in."""
        if self._store is None:
            from overspill.workspace.opening import store_of

            self._store = files = store_of(
                self.settings,
                self._named_root,
                self._session,
                home=self.root,
                own=self._own,
                lazy=True,
                journal=self._journal,
                on_event=self._on_event,
            )
            self._tell = files.tell
        return self._store

    def _is_heard(self) -> bool:
        listeners = self._journal is not None or self._on_event is not None
        return listeners or self.settings.flag("journal.enabled")

    def _watched(self, tell: Journal | None) -> Journal | None:
        from overspill.workspace.opening import watched

        return None if tell is None else watched(tell, self.settings)

    def __enter__(self) -> "Self":
        """Begin a session of its own, unless one was named or a store handed in."""
        self._own = self._store is None and self._session is None
        return self

    def __exit__(self, *_: object) -> None:
        """End it: what it kept is gone, unless `artifacts.cleanup_on_exit` says otherwise."""
        if self._store is None:
            return
        if self._own and self.settings.flag("tools.truncation.artifacts.cleanup_on_exit"):
            self._store.clear()
        self._store.close()

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
        policy = self.policy(tool, budget, strategy, focus)
        call = self.safe(Call(tool, is_error, call_id or "", source or "", content_type or "", kind or ""))
        if isinstance(output, AsyncIterable):
            raise UsageError("an async iterable is read by `await spill.afit(...)`, not by `fit`")
        waited = [0.0]
        return self.logged(
            call, policy, lambda: self.show(self.prepare(output, policy, call, waited), policy, call), waited
        )

    async def afit(self, output: object, **options: "Unpack[FitOptions]") -> Fitted:
        """`fit` for programs with an event loop: the work is done beside it. Takes async iterables of chunks too."""
        import asyncio

        if not isinstance(output, AsyncIterable):
            return await asyncio.to_thread(self.fit, output, **options)
        chunks = Chunks(output, asyncio.get_running_loop())
        return await asyncio.to_thread(self.fit, chunks, **options)

    def fit_stream(self, chunks: Iterable[str | bytes], **options: "Unpack[FitOptions]") -> Fitted:
        """Fit a result that comes in chunks, in memory that does not grow with it."""
        return self.fit(iter(chunks), **options)

    def fit_many(
        self, outputs: Sequence[object], budget: Budget | int, *, tools: Sequence[str] = (), focus: str | None = None
    ) -> list[Fitted]:
        """Fit the results of one turn into one budget, shared out fairly: small ones give back what they spare."""
        from overspill.fit.turn import fit_together, waiting

        room = budget_of(budget)
        calls = [self.safe(Call(tool)) for tool in tools or [""] * len(outputs)]
        results = [waiting(self, output, call, room, focus) for output, call in zip(outputs, calls, strict=True)]
        return fit_together(self, results, room)

    def turn(self, budget: Budget | int, *, calls: int | None = None) -> "Turn":
        """One budget for the results of parallel calls: `async with spill.turn(20_000, calls=3) as turn`."""
        from overspill.fit.turn import Turn

        return Turn(self, budget_of(budget), calls)

    def limited(
        self, *, tool: str = "", budget: Budget | int | None = None
    ) -> "Callable[[Callable[..., Any]], Callable[..., Any]]":
        """A decorator: the function returns the view of its result. `@spill.limited(tool="search_files")`."""
        from overspill.decorator import limited

        return limited(tool=tool, budget=budget, spill=self)

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
    ) -> "Retrieved":
        """Fetch an artifact, or a part of it. Long answers come in pages; `limit=0` asks for all of it.

        `query` is a JSONPath (RFC 9535), answered by one JSON array of the values; `search` is a text, answered by
        the lines it stands in. Limit and offset count characters, with a query values, with a search matches.
        """
        from overspill.retrieve.access import fetch

        given = [name for name, value in (("lines", lines), ("bytes", bytes), ("query", query)) if value is not None]
        if len(given) + (search is not None) > 1:
            raise UsageError(f"{', '.join([*given, *['search'][: search is not None]])} name different parts; give one")
        if search is not None:
            from overspill.retrieve.pages import Retrieved

            found = self.search(search, artifact_id, limit=limit, offset=offset)
            return Retrieved(found.text, found.pagination, found.next)
        part = Part("lines", *lines) if lines is not None else Part("bytes", *bytes) if bytes is not None else None
        part = Part("query", query=query) if query is not None else part
        return fetch(self.desk(), artifact_id, part, limit, offset)

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
    ) -> "Found":
        """Find a text in one artifact, or in all that may be read. All matches are counted, ten are shown."""
        from overspill.retrieve.access import find

        return find(self.desk(), Search(pattern, artifact_id, regex, ignore_case, context), limit, offset)

    def desk(self, requester: str = "program") -> "Desk":
        """Where what was kept is asked for: by a "program", a "user" or a "model", who gets no more than is good."""
        from overspill.retrieve.access import desk_of

        store = self.store  # opened first: it is what tells
        return desk_of(self.settings, store, self.spelling, requester)._replace(tell=self._tell, untold=self._untold)

    def assemble(
        self,
        handoffs: "Sequence[Handoff | Mapping[str, object]] | None" = None,
        *,
        phase: int,
        run_id: str | None = None,
        manifest: "Manifest | Mapping[str, object] | str | None" = None,
        max_tokens: int | None = None,
        drop: str | None = None,
        all_runs: bool = False,
    ) -> "Context":
        """The context of a phase within its tokens, of the hand-offs given or of those in `.agents/rpi`."""
        from overspill.handoff.project import Asked, Surroundings, handed_over

        redactor = self._redactor
        hide = None if redactor is None else lambda text: redactor.redact(text).text
        around = Surroundings(self.root, self.settings, hide, lambda: self.store, self.spelling)
        return handed_over(handoffs, Asked(phase, run_id, manifest, max_tokens, drop, all_runs), around)

    def page(
        self,
        items: "Iterable[object] | Query",
        *,
        command: str = "",
        limit: int | None = None,
        offset: int = 0,
        tokens: int | None = None,
        compact: str | None = None,
    ) -> "Page":
        """Some records of a list: as many as the command shows, or `limit`; 0 is all.

        `items` is a sequence, an iterator or a query. `compact` is `task`, `session` or a list of fields, and
        `tokens` ends the page before the record that would take more.
        """
        from overspill.workspace.lists import page_of

        return page_of(self.settings, items, command, limit, offset, tokens, compact)

    def policy(
        self,
        tool: str = "",
        budget: Budget | int | None = None,
        strategy: str | None = None,
        focus: str | None = None,
    ) -> Policy:
        """What `tool` is allowed, with a budget, a strategy or a focus of this call alone."""
        policy = self._policies.get(tool)
        if policy is None:
            policy = self._policies[tool] = policy_of(self.settings, tool)
        if budget is not None:
            policy = policy._replace(inline=counted_as(budget_of(budget), policy.inline))
        if strategy is not None:
            policy = policy._replace(strategy=cut.known(strategy))
        if focus:
            policy = policy._replace(options=policy.options._replace(focus=focus))
        return policy

    def safe(self, call: Call) -> Call:
        """What is known of a call, without secrets: names and labels are shown, stored and logged as texts are."""
        redactor = self._redactor
        if redactor is None or not (call.tool or call.call_id or call.source or call.content_type):
            return call
        return call._replace(
            tool=redactor.redact(call.tool).text,
            call_id=redactor.redact(call.call_id).text,
            source=redactor.redact(call.source).text,
            content_type=redactor.redact(call.content_type).text,
        )

    def redacted(self, text: str) -> str:
        """A text as it may be shown, whatever its length: without its secrets."""
        return text if self._redactor is None else self._redactor.redact(text).text

    def call_for(self, artifact_id: str) -> str:
        """The call that fetches an artifact, as the reader of this door would make it."""
        return self.spelling(artifact_id)

    def prepare(self, output: object, policy: Policy, call: Call, waited: list[float] | None = None) -> Prepared:
        """An output as text that may be shown: cleaned, redacted, measured.

        To `waited` the seconds are added in which whoever makes the output was waited for.
        """
        came = output_of(output)
        content_type = call.content_type or came.content_type
        if came.whole is None:
            return self._taken_in(clocked(came.chunks, waited or [0.0]), policy, call, content_type)
        raw = came.whole
        text, cleaned = clean(raw, policy.clean)
        size = measure(text, policy.inline.counter)
        # A redraw that left nothing behind is not counted, but what came was longer.
        altered = cleaned.anything or (text != raw if isinstance(raw, str) else size.bytes != len(raw))
        original = as_it_came(raw, cleaned.binary, policy) if altered else size
        found = {name: count for name, count in cleaned._asdict().items() if count}
        if isinstance(raw, bytes):
            original = original._replace(bytes=len(raw))
        prepared = Prepared(text, size, original, content_type, found)
        return prepared if self._redactor is None else redacted(prepared, self._redactor, policy)

    def _taken_in(self, chunks: Iterator[str | bytes], policy: Policy, call: Call, content_type: str) -> Prepared:
        """The same of an output that comes in chunks and may be larger than memory."""
        label = call.label(content_type)
        ends = policy.max_artifact_size if policy.on_oversize == "head_tail" else None
        keep = (lambda: self.store.open(label, keep_ends=ends)) if policy.store else None
        intake = Intake(policy, Sinks(keep, Scratch), self._redactor.stream() if self._redactor else None)
        try:
            for chunk in chunks:
                intake.feed(chunk)
            return intake.finish(content_type)
        except BaseException:
            intake.abort()
            raise

    def show(self, prepared: Prepared, policy: Policy, call: Call) -> Fitted:
        """The view of a prepared text."""
        return Views(lambda: self.store, self.spelling).show(prepared, policy, call)

    def logged(
        self, call: Call, policy: Policy, work: Callable[[], Fitted], waited: Sequence[float] = (0.0,)
    ) -> Fitted:
        """Do the work, tell the journal, and if the work fails say so in a text that is safe to show."""
        started = time.perf_counter()
        try:
            fitted = work()
        except OverspillError:
            raise
        except Exception as error:  # noqa: BLE001  # promise: never a traceback, never the full text
            fitted = failed(error, policy.inline.ceiling)
        if self._store is None and self._is_heard():
            with suppress(OverspillError, OSError):
                _ = self.store  # whose session the event belongs to, and who writes it
        if self._tell is not None:
            for event, facts in told(call, policy, fitted, (time.perf_counter() - started - waited[0]) * 1000):
                self._tell(event, facts)
            made = fitted.report.artifact
            if self._untold is not None and made is not None and made.id != fitted.report.reused:
                self._untold("create", creation(made))
        return fitted
