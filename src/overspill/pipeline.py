"""The flow of a tool result, once, from the top.

policy of the tool -> clean -> redact -> measure -> decide -> pass | keep, cut, render | refuse -> report -> journal
"""

import os
import time
from collections.abc import AsyncIterable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from overspill import cut
from overspill.budget import Budget
from overspill.clean import clean, serialise
from overspill.config import Settings, from_mapping, load
from overspill.decide import Decision, Policy, decide
from overspill.errors import OverspillError, StoreError, UsageError
from overspill.journal import Journal, silent
from overspill.marks import Part, Spelling, one_line, tool_call
from overspill.measure import Size, TokenCounter, measure
from overspill.policies import policy_of
from overspill.reference import Shelf, reference_line
from overspill.render import MOST_ON_TOP, Subject, View, view
from overspill.report import Artifact, Fitted, Report
from overspill.retrieve import Retrieved, retrieve
from overspill.root import find_root
from overspill.spans import Span, measure_kept
from overspill.store import Label, Store
from overspill.store.memory import MemoryStore

if TYPE_CHECKING:
    from overspill.turns import Turn

Redact = Callable[[str], tuple[str, Mapping[str, int]]]

MEGABYTE = 1_048_576


class Call(NamedTuple):
    """What is known of the call that produced an output."""

    tool: str = ""
    is_error: bool = False
    call_id: str = ""
    source: str = ""
    content_type: str = ""


class Prepared(NamedTuple):
    """An output as text: cleaned, redacted, measured."""

    text: str
    size: Size
    original: Size
    content_type: str
    cleaned: Mapping[str, int] = {}
    redacted: Mapping[str, int] = {}


class Overspill:
    r"""Fits tool results into an agent's context and keeps the rest.

    >>> spill = Overspill(config={"tools": {"truncation": {"inline_limit": 200}}})
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
        journal: Journal = silent,
        redact: Redact | None = None,
    ) -> None:
        self.root = find_root(root, os.environ, os.getcwd())  # pathlib costs a start-up
        self.settings = settings_of(config, self.root, preset)
        self.store = MemoryStore() if store is None else store
        self.session = session
        self._spelling = spelling
        self._journal = journal
        self._redact = redact
        self._policies: dict[str, Policy] = {}

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
    ) -> Fitted:
        """Fit one tool result. Small results come back unchanged; nothing that is left out is lost.

        `output` is text, bytes, an open file, an iterator of chunks, or any object, which is shown as JSON.
        """
        policy = self.policy(tool, budget, strategy, focus)
        call = Call(tool, is_error, call_id or "", source or "", content_type or "")
        if isinstance(output, AsyncIterable):
            raise UsageError("an async iterable is read by `await spill.afit(...)`, not by `fit`")
        return self.logged(call, policy, lambda: self.show(self.prepare(output, policy, call), policy, call))

    async def afit(self, output: object, **options: object) -> Fitted:
        """`fit` for programs with an event loop: the work is done beside it. Takes async iterables of chunks too."""
        import asyncio

        if isinstance(output, AsyncIterable):
            output = iter([chunk async for chunk in output])
        return await asyncio.to_thread(self.fit, output, **options)  # type: ignore[arg-type]  # checked by `fit`

    def fit_stream(self, chunks: Iterable[str | bytes], **options: object) -> Fitted:
        """Fit a result that comes in chunks."""
        return self.fit(iter(chunks), **options)  # type: ignore[arg-type]  # checked by `fit`

    def fit_many(self, outputs: Sequence[object], budget: Budget | int, *, tools: Sequence[str] = ()) -> list[Fitted]:
        """Fit the results of one turn into one budget, shared out fairly: small ones give back what they spare."""
        from overspill.turns import fit_together, waiting

        room = budget_of(budget)
        calls = [Call(tool) for tool in tools or [""] * len(outputs)]
        results = [waiting(self, output, call, room) for output, call in zip(outputs, calls, strict=True)]
        return fit_together(self, results, room)

    def turn(self, budget: Budget | int, *, calls: int | None = None) -> "Turn":
        """One budget for the results of parallel calls: `async with spill.turn(20_000, calls=3) as turn`."""
        from overspill.turns import Turn

        return Turn(self, budget_of(budget), calls)

    def get(
        self,
        artifact_id: str,
        *,
        lines: tuple[int, int] | None = None,
        bytes: tuple[int, int] | None = None,  # noqa: A002  # the unit's name is the clearest
        limit: int | None = None,
        offset: int = 0,
    ) -> Retrieved:
        """Fetch an artifact, or a part of it. Long answers come in pages; `limit=0` asks for all of it."""
        allowed = self.settings.integer("tools.truncation.artifacts.retrieval_limit") if limit is None else limit
        part = Part("lines", *lines) if lines else Part("bytes", *bytes) if bytes else None
        return retrieve(self.store, artifact_id, part, allowed, offset, self._spelling)

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

    def prepare(self, output: object, policy: Policy, call: Call) -> Prepared:
        """An output as text that may be shown: cleaned, redacted, measured."""
        raw, declared = raw_of(output)
        text, cleaned = clean(raw, policy.clean)
        size = measure(text, policy.inline.counter)
        original = as_it_came(raw, policy.inline.counter) if cleaned.anything else size
        redacted: Mapping[str, int] = {}
        if self._redact is not None:
            safe, redacted = self._redact(text)
            if safe != text:
                text, size = safe, measure(safe, policy.inline.counter)
        if isinstance(raw, bytes):
            original = original._replace(bytes=len(raw))
        found = {name: count for name, count in cleaned._asdict().items() if count}
        return Prepared(text, size, original, call.content_type or declared, found, redacted)

    def show(self, prepared: Prepared, policy: Policy, call: Call) -> Fitted:
        """The view of a prepared text."""
        decision = decide(prepared.size, policy)
        if decision is not Decision.PASS and self._handed_out(prepared, policy):
            decision = Decision.PASS
        match decision:
            case Decision.PASS:
                return self._passed(prepared, policy, call)
            case Decision.REFUSE:
                return self._refused(prepared, policy, call)
            case Decision.TRIM | Decision.SPILL:
                return self._trimmed(prepared, policy, call, decision)

    def logged(self, call: Call, policy: Policy, work: Callable[[], Fitted]) -> Fitted:
        """Do the work, tell the journal, and if the work fails say so in a text that is safe to show."""
        started = time.perf_counter()
        try:
            fitted = work()
        except OverspillError:
            raise
        except Exception as error:  # noqa: BLE001  # promise: never a traceback, never the full text
            fitted = failed(error, policy.inline.ceiling)
        report = fitted.report
        self._journal(
            "fit",
            {
                "tool_name": call.tool,
                "call_id": call.call_id,
                "decision": report.decision,
                "original_size": report.original.chars,
                "truncated_size": len(fitted.text),
                "strategy": report.strategy_used,
                "artifact_created": report.artifact is not None,
                "artifact_id": fitted.artifact_id,
                "latency_ms": round((time.perf_counter() - started) * 1000, 3),
                "redactions": dict(report.redacted),
            },
        )
        return fitted

    def _passed(self, prepared: Prepared, policy: Policy, call: Call) -> Fitted:
        size = prepared.size
        kept = (Span(0, size.chars),) if size.chars else ()
        report = Report(
            prepared.original,
            size,
            size,
            overhead=0,
            kept=kept,
            decision=Decision.PASS.value,
            requested_strategy=policy.strategy,
            redacted=prepared.redacted,
            cleaned=prepared.cleaned,
            view_tokens=size.tokens,
        )
        return Fitted(prepared.text, report, call.is_error, policy.detail)

    def _trimmed(self, prepared: Prepared, policy: Policy, call: Call, decision: Decision) -> Fitted:
        artifact, trouble = self._keep(prepared, policy, call)
        shelf = Shelf(artifact, trouble or "not kept", self._spelling, created=created(artifact))
        if artifact is not None and decision is Decision.SPILL:
            shelf = shelf._replace(block=True, preview=policy.preview_chars)
        if trouble and artifact is None and policy.store:
            shelf = shelf._replace(lead=f"Output could not be kept: {trouble}")
        fitted = self._shown(prepared, policy, call, shelf, decision)
        return fitted._replace(is_error=call.is_error or bool(shelf.lead))

    def _refused(self, prepared: Prepared, policy: Policy, call: Call) -> Fitted:
        """Too big to keep: said in the specification's sentence, then shown as far as it fits."""
        size, most = prepared.size.bytes / MEGABYTE, policy.max_artifact_size / MEGABYTE
        sentence = f"Output size ({size:.1f} MB) exceeds maximum artifact size ({most:.1f} MB)"
        shelf = Shelf(None, "not kept: too large", self._spelling, lead=sentence)
        if policy.on_oversize == "head_tail":
            shelf = shelf._replace(artifact=self._keep_ends(prepared, policy, call))
        fitted = self._shown(prepared, policy, call, shelf, Decision.REFUSE)
        if policy.on_oversize == "drop_excerpt":
            fitted = without_text(fitted, sentence[: policy.inline.ceiling])
        return fitted._replace(is_error=True)

    def _shown(self, prepared: Prepared, policy: Policy, call: Call, shelf: Shelf, decision: Decision) -> Fitted:
        drawn, used, fallback = self._drawn(prepared, policy, shelf)
        shown = measure_kept(prepared.text, drawn.kept)
        artifact = shelf.artifact
        report = Report(
            prepared.original,
            prepared.size,
            shown,
            overhead=len(drawn.text) - shown.chars,
            kept=drawn.kept,
            decision=decision.value,
            strategy_used=used,
            requested_strategy=policy.strategy,
            artifact=artifact,
            reference=reference_line(artifact) if artifact else "",
            fetch=drawn.fetch or (self._spelling(artifact.id) if artifact else ""),
            elements=drawn.cut.elements,
            fallback=fallback,
            not_kept="" if artifact else shelf.reason,
            redacted=prepared.redacted,
            cleaned=prepared.cleaned,
            view_tokens=None if policy.inline.counter is None else policy.inline.counter(drawn.text),
        )
        self._hand_out(drawn.text, policy)
        return Fitted(drawn.text, report, call.is_error, policy.detail)

    def _drawn(self, prepared: Prepared, policy: Policy, shelf: Shelf) -> tuple[View, str, str]:
        """The view, the strategy that made it, and why it was another one than asked for."""
        budget = policy.inline
        used, fallback = cut.in_use(policy.strategy), ""
        subject = Subject(prepared.text, prepared.size, cut.strategy(used), policy.options, shelf, on_top=policy.on_top)
        try:
            return view(subject, budget), used, fallback
        except Exception as error:  # noqa: BLE001  # a strategy may be anybody's code
            fallback = f"{used} failed ({type(error).__name__}); cut by ends instead"
            return view(subject._replace(strategy=cut.strategy("head_tail")), budget), "head_tail", fallback

    def _keep(self, prepared: Prepared, policy: Policy, call: Call) -> tuple[Artifact | None, str]:
        """The artifact of the whole text, or the reason why there is none."""
        if not policy.store:
            return None, ""
        label = Label(*map(one_line, (call.tool, prepared.content_type, call.source, call.call_id)))
        try:
            return self.store.put(prepared.text, prepared.size, label), ""
        except (StoreError, OSError) as error:
            return None, reason_of(error)

    def _keep_ends(self, prepared: Prepared, policy: Policy, call: Call) -> Artifact | None:
        """The first and last halves of what may be kept, as an artifact marked partial."""
        half = policy.max_artifact_size // 2
        data = prepared.text.encode()
        ends = data[:half].decode(errors="ignore") + data[-half:].decode(errors="ignore")
        kept, _ = self._keep(prepared._replace(text=ends, size=measure(ends)), policy, call)
        return kept and kept._replace(partial=True)

    def _hand_out(self, text: str, policy: Policy) -> None:
        if policy.inline.ceiling is None:
            return
        with suppress(StoreError, OSError):  # a view that is not remembered is cut like any text, no worse
            self.store.remember(digest(text), policy.inline.ceiling)

    def _handed_out(self, prepared: Prepared, policy: Policy) -> bool:
        """Whether this text is a view of ours, made for the same or a smaller budget."""
        ceiling = policy.inline.ceiling
        if ceiling is None or prepared.size.chars > ceiling + MOST_ON_TOP:
            return False
        limit = None
        with suppress(StoreError, OSError):
            limit = self.store.remembered(digest(prepared.text))
        return limit is not None and limit <= ceiling


def settings_of(config: Settings | Mapping[str, object] | str | None, root: str, preset: str) -> Settings:
    """Settings from whatever a program has: nothing, a file's name, a mapping, or settings."""
    if isinstance(config, Settings):
        return config
    if config is None or isinstance(config, str):
        return load(root, environ=os.environ, preset=preset, config_file=config, strategies=cut.names)
    return from_mapping(config, preset, cut.names)


def raw_of(output: object) -> tuple[str | bytes, str]:
    """An output as text or bytes, and its media type if we made it."""
    if isinstance(output, str | bytes):
        return output, "text/plain"
    if isinstance(output, bytearray | memoryview):
        return bytes(output), "text/plain"
    reader = getattr(output, "read", None)
    if callable(reader):
        return raw_of(reader())
    if isinstance(output, Iterator):
        return joined_chunks(output), "text/plain"
    return serialise(output)


def joined_chunks(chunks: Iterator[str | bytes]) -> str | bytes:
    """Chunks as one; a mixture of text and bytes is read as bytes of UTF-8."""
    pieces = list(chunks)
    if all(isinstance(piece, str) for piece in pieces):
        return "".join(str(piece) for piece in pieces)
    return b"".join(piece.encode("utf-8", "surrogatepass") if isinstance(piece, str) else piece for piece in pieces)


def budget_of(budget: Budget | int) -> Budget:
    """A number of characters as a budget; a room that is no number from 0 on is the caller's mistake."""
    room = budget if isinstance(budget, Budget) else Budget(chars=budget)
    for limit in (room.chars, room.tokens):
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 0):
            raise UsageError(f"a budget is a whole number from 0 on, not {limit!r:.100}")
    return room


def counted_as(budget: Budget, usual: Budget) -> Budget:
    """The budget, with tokens counted as usual unless it says how."""
    return budget if budget.counter else budget._replace(counter=usual.counter)


def as_it_came(raw: str | bytes, counter: TokenCounter | None) -> Size:
    """The size of an output before anything was done to it."""
    if isinstance(raw, str):
        return measure(raw, counter)
    from overspill.clean.decode import Decoder, encoding_of

    encoding = encoding_of(raw)
    text = Decoder(encoding.name).feed(raw[encoding.mark :], final=True)
    return measure(text, counter)


def created(artifact: Artifact | None) -> str:
    """When an artifact was made, as people read it."""
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(artifact.created)) if artifact else ""


def digest(text: str) -> str:
    """The fingerprint of a text."""
    from hashlib import sha256

    return sha256(text.encode()).hexdigest()


def reason_of(error: BaseException) -> str:
    """Why something was not kept, in a few words that hold no path and no content."""
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno).lower()
    return str(error)[:80] or type(error).__name__


def failed(error: BaseException, room: int | None = None) -> Fitted:
    """What is shown when our own code failed: that it did, and nothing of the text, which may not be safe to show."""
    kind = type(error).__name__
    text = f"Output could not be shown: {kind} in overspill. Nothing was kept; `spill doctor` may say more."
    text = text[:room]
    nothing = Size(0, 0, 0, 0)
    report = Report(nothing, nothing, nothing, overhead=len(text), kept=(), decision="failed", not_kept=kind)
    return Fitted(text, report, is_error=True)


def without_text(fitted: Fitted, sentence: str) -> Fitted:
    """A refusal that says so and shows nothing else."""
    shown = Size(0, 0, 0, 0)
    return fitted._replace(text=sentence, report=fitted.report._replace(shown=shown, kept=(), overhead=len(sentence)))
