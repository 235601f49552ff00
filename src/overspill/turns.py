"""One budget for several results: the calls a model makes in parallel share one context."""

import asyncio
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Self

from overspill.budget import Budget, shares
from overspill.decide import Policy
from overspill.report import Fitted

if TYPE_CHECKING:
    from overspill.pipeline import Call, Overspill, Prepared

# Where the number of calls is not known, one result may take this share of what is left of the turn.
SHARE_OF_REST = 0.5


class Waiting(NamedTuple):
    """A result that has come in and waits for its share."""

    prepared: "Prepared"
    policy: Policy
    call: "Call"


def waiting(spill: "Overspill", output: object, call: "Call") -> Waiting:
    """A result, read and measured. In a shared budget marks are never on top of it."""
    policy = spill.policy(call.tool)._replace(on_top=False)
    return Waiting(spill.prepare(output, policy, call), policy, call)


def fit_together(spill: "Overspill", results: list[Waiting], budget: Budget) -> list[Fitted]:
    """Fit results into one budget, max-min fairly, whatever the order in which they came."""
    sizes = [result.prepared.size for result in results]
    own = [result.policy.inline for result in results]
    chars = _shared([size.chars for size in sizes], [limit.chars for limit in own], budget.chars)
    tokens = _shared([size.tokens for size in sizes], [limit.tokens for limit in own], budget.tokens)
    return [
        _fit_one(spill, result, Budget(most_chars, most_tokens, result.policy.inline.counter))
        for result, most_chars, most_tokens in zip(results, chars, tokens, strict=True)
    ]


def _shared(sizes: list[int], limits: list[int | None], room: int | None) -> list[int | None]:
    """What each may take of `room`: at most its own limit, and no more than it has to say."""
    if room is None:
        return limits
    wanted = [size if limit is None else min(size, limit) for size, limit in zip(sizes, limits, strict=True)]
    return list(shares(wanted, room))


def _fit_one(spill: "Overspill", result: Waiting, budget: Budget) -> Fitted:
    policy = result.policy._replace(inline=budget)
    return spill.logged(result.call, lambda: spill.show(result.prepared, policy, result.call))


class Turn:
    """The results of one turn, fitted together.

    With `calls` each result waits until all have come, and the budget is shared out fairly. Without
    it a result is shown at once, in at most half of what is left.
    """

    def __init__(self, spill: "Overspill", budget: Budget, calls: int | None = None) -> None:
        self._spill = spill
        self._budget = budget
        self._calls = calls
        self._arrived: list[tuple[Waiting, asyncio.Future[Fitted]]] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        # A call that failed will never come: those that wait for it are served from what there is.
        self._settle()

    async def fit(self, output: object, *, tool: str = "", is_error: bool = False, call_id: str = "") -> Fitted:
        """The view of one result within the turn's budget."""
        from overspill.pipeline import Call

        call = Call(tool, is_error, call_id)
        result = await asyncio.to_thread(waiting, self._spill, output, call)
        if self._calls is None:
            return await asyncio.to_thread(self._at_once, result)
        future: asyncio.Future[Fitted] = asyncio.get_running_loop().create_future()
        self._arrived.append((result, future))
        if len(self._arrived) == self._calls:
            self._settle()
        return await future

    def _at_once(self, result: Waiting) -> Fitted:
        chars, tokens = self._budget.chars, self._budget.tokens
        rest = Budget(_share(chars), _share(tokens), self._budget.counter)
        fitted = fit_together(self._spill, [result], rest)[0]
        self._budget = self._budget._replace(
            chars=_less(chars, len(fitted.text)), tokens=_less(tokens, fitted.report.shown.tokens)
        )
        return fitted

    def _settle(self) -> None:
        arrived, self._arrived = self._arrived, []
        if not arrived:
            return
        for (_, future), fitted in zip(
            arrived, fit_together(self._spill, [result for result, _ in arrived], self._budget), strict=True
        ):
            if not future.done():
                future.set_result(fitted)


def _share(left: int | None) -> int | None:
    return None if left is None else int(left * SHARE_OF_REST)


def _less(left: int | None, spent: int) -> int | None:
    return None if left is None else max(0, left - spent)
