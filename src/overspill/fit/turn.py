"""One budget for several results: the calls a model makes in parallel share one context."""

from __future__ import annotations

from threading import Lock

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.core import Size, measure, tokens_of
from overspill.core.budget import Budget, Policy, shares
from overspill.errors import OverspillError
from overspill.fit import ingest, log_fit, safe_call, show
from overspill.fit.prepare import Prepared, ToolCall, failure_view, is_binary_summary
from overspill.workspace.policy import counted_as

if TYPE_CHECKING:
    import asyncio
    from types import TracebackType
    from typing import Self

    from overspill.core.report import Fitted
    from overspill.workspace import Workspace

# Where the number of calls is not known, one result may take this share of what is left of the turn.
SHARE_OF_REST = 0.5
SAID_CHARS = 100  # what a sentence of ours takes beside the words it quotes


class PendingResult(NamedTuple):
    """A result that has come in and waits for its share."""

    prepared: Prepared
    policy: Policy
    call: ToolCall
    error: Exception | None = None  # why it could not be read; said in its place


def pending_result(
    workspace: Workspace,
    output: object,
    call: ToolCall,
    budget: Budget,
    focus: str | None = None,
    own: Budget | int | None = None,
) -> PendingResult:
    """A result, read and measured. In a shared budget nothing is ever on top of it. `own` is its own budget."""
    policy = workspace.policy(call.tool, own, focus=focus)._replace(on_top=False)
    policy = policy._replace(inline=policy.inline._replace(counter=counted_as(budget, policy.inline).counter))
    try:
        return PendingResult(ingest(workspace, output, policy, call), policy, call)
    except OverspillError:
        raise
    except Exception as error:  # noqa: BLE001  # one broken result must not cost the others their turn
        text = failure_view(error).text
        size = measure(text, policy.inline.counter)
        return PendingResult(Prepared(text, size, size, "text/plain"), policy, call, error)


def fit_together(workspace: Workspace, results: list[PendingResult], budget: Budget) -> list[Fitted]:
    """Fit results into one budget, max-min fairly, whatever the order in which they came."""
    sizes = [wanted_size(result.prepared) for result in results]
    own = [result.policy.inline for result in results]
    chars = _fair_limits([size.chars for size in sizes], [limit.chars for limit in own], budget.chars)
    tokens = _fair_limits([size.tokens for size in sizes], [limit.tokens for limit in own], budget.tokens)
    return [
        _fit_one(workspace, result, Budget(most_chars, most_tokens, result.policy.inline.counter))
        for result, most_chars, most_tokens in zip(results, chars, tokens, strict=True)
    ]


def wanted_size(prepared: Prepared) -> Size:
    """What a result would take if there were room for all of it, with what has to be said about it."""
    if not prepared.ended and not is_binary_summary(prepared):
        return prepared.size
    chars = prepared.size.chars + len(prepared.ended) + SAID_CHARS
    return prepared.size._replace(chars=chars, tokens=prepared.size.tokens + tokens_of(chars - prepared.size.chars))


def _fair_limits(sizes: list[int], limits: list[int | None], room: int | None) -> list[int | None]:
    """What each may take of `room`: at most its own limit, and no more than it has to say."""
    if room is None:
        return limits
    wanted = [size if limit is None else min(size, limit) for size, limit in zip(sizes, limits, strict=True)]
    return list(shares(wanted, room))


def _fit_one(workspace: Workspace, result: PendingResult, budget: Budget) -> Fitted:
    policy = result.policy._replace(inline=budget)

    def work() -> Fitted:
        if result.error is not None:
            raise result.error
        return show(workspace, result.prepared, policy, result.call)

    return log_fit(workspace, result.call, policy, work)


class Turn:
    """The results of one turn, fitted together.

    With `calls` each result waits until all have come, and the budget is shared out fairly. Without
    it, and for results beyond that number, one is shown at once, in at most half of what is left.
    """

    def __init__(self, workspace: Workspace, budget: Budget, calls: int | None = None) -> None:
        self._workspace = workspace
        self._budget = budget
        self._calls = calls
        self._to_come = calls
        self._spending = Lock()
        self._arrived: list[tuple[PendingResult, asyncio.Future[Fitted]]] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        # A call that failed will never come: those that wait for it are served from what there is.
        self._settle()

    async def fit(self, output: object, *, tool: str = "", is_error: bool = False, call_id: str = "") -> Fitted:
        """The view of one result within the turn's budget."""
        import asyncio  # whoever has no event loop does without

        call = safe_call(self._workspace, ToolCall(tool, is_error, call_id))
        result = await asyncio.to_thread(pending_result, self._workspace, output, call, self._budget)
        if self._calls is None:
            return await asyncio.to_thread(self._at_once, result)
        future: asyncio.Future[Fitted] = asyncio.get_running_loop().create_future()
        self._arrived.append((result, future))
        if len(self._arrived) == self._calls:
            self._settle()
        return await future

    def fit_now(
        self,
        output: object,
        *,
        tool: str = "",
        is_error: bool = False,
        call_id: str = "",
        budget: Budget | int | None = None,
    ) -> Fitted:
        """The view of one result, for threads, and for whoever cannot know that all calls will ever come.

        Nothing waits: each result takes at most an even part of what is left for it and those to come, and what it
        spares is theirs.
        """
        call = safe_call(self._workspace, ToolCall(tool, is_error, call_id))
        result = pending_result(self._workspace, output, call, self._budget, own=budget)
        with self._spending:
            part = 1 / self._to_come if self._to_come else SHARE_OF_REST
            self._to_come = self._to_come and self._to_come - 1
            rest = self._budget._replace(
                chars=_share_of_rest(self._budget.chars, part), tokens=_share_of_rest(self._budget.tokens, part)
            )
            return self._spent([result], rest)[0]

    def _at_once(self, result: PendingResult) -> Fitted:
        with self._spending:  # results come from many threads, and each must know what the last one left
            rest = self._budget._replace(
                chars=_share_of_rest(self._budget.chars), tokens=_share_of_rest(self._budget.tokens)
            )
            return self._spent([result], rest)[0]

    def _settle(self) -> None:
        arrived, self._arrived, self._calls = self._arrived, [], None
        if not arrived:
            return
        with self._spending:
            shown = self._spent([result for result, _ in arrived], self._budget)
        for (_, future), fitted in zip(arrived, shown, strict=True):
            if not future.done():
                future.set_result(fitted)

    def _spent(self, results: list[PendingResult], room: Budget) -> list[Fitted]:
        """The views of results in `room`, paid for out of the turn's budget."""
        shown = fit_together(self._workspace, results, room)
        for result, fitted in zip(results, shown, strict=True):
            size = measure(fitted.text, result.policy.inline.counter)
            chars, tokens = _rest_after(self._budget.chars, size.chars), _rest_after(self._budget.tokens, size.tokens)
            self._budget = self._budget._replace(chars=chars, tokens=tokens)
        return shown


def _share_of_rest(left: int | None, part: float = SHARE_OF_REST) -> int | None:
    return None if left is None else int(left * part)


def _rest_after(left: int | None, spent: int) -> int | None:
    return None if left is None else max(0, left - spent)
