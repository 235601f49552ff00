"""The scripted session of `benchmarks/session_script.py`, run by a framework: every request of it is looked at."""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[2] / name) for name in ("benchmarks", "examples/frameworks")]

from scripted import Answer, Message, Script, call
from session_script import BACK, LINES_WANTED, WANTED_BACK, Prompt, breaks_of, cost_of, is_wanted_again, tokens_of
from session_script import script as session_steps

from overspill import MemoryStore, Overspill
from overspill.history import CachePrices, Clearing

# The three ways through the session: whether results are fitted, and by which rules old ones go.
WAYS: dict[str, tuple[bool, Clearing | None]] = {
    "without us": (False, None),
    "fitted": (True, None),
    "fitted and cleared": (True, Clearing()),
}


class SessionScript(Script):
    """The model of the session. Where an old result it needs has gone, it makes the call that stands there."""

    def __init__(self, turns: int | None = None) -> None:
        super().__init__()
        self.session = session_steps()[:turns]
        self.number = 0  # of the step that comes
        self.places: list[int] = []  # of the results of steps, among all results
        self.fetched: dict[int, int] = {}  # the place of a fetched result, and the step it belongs to

    def answer(self, messages: Sequence[Message], tools: Sequence[str] = ()) -> Answer:
        """The next call of the session, or one that brings back what the model needs for it."""
        self.sent.append(list(messages))
        self.offered = list(tools)
        results = [message.text for message in messages if message.role == "tool"]
        if self.number == len(self.session):
            return "done"
        old = self.number - WANTED_BACK
        if is_wanted_again(self.number) and old not in self.fetched.values():
            line = BACK.search(results[self.places[old]].replace('\\"', '"'))
            if line is not None:
                self.fetched[len(results)] = old
                return [call("get_artifact", id=line[1], start_line=1, end_line=LINES_WANTED)]
        self.places.append(len(results))
        self.number += 1
        step = self.session[self.number - 1]
        return [call(step.tool, **step.arguments)]

    def lost_fetches(self) -> list[str]:
        """What was fetched and is not what the tool had said; an answer is looked at in the request after it."""
        return [
            f"step {step}: {answer[:200]!r}"
            for place, step in self.fetched.items()
            if self.session[step].output.splitlines()[0] not in (answer := self.first_answer(place))
        ]

    def first_answer(self, place: int) -> str:
        """A result as the model read it first."""
        wheres = ([message.text for message in sent if message.role == "tool"] for sent in self.sent)
        return next(results[place] for results in wheres if len(results) > place)


def session_tools(turns: int | None = None) -> list[Callable[..., Any]]:
    """The tools of the session; what they say depends on the path alone."""
    said = {(step.tool, step.arguments["path"]): step.output for step in session_steps()[:turns]}

    def named(name: str) -> Callable[..., Any]:
        def tool(path: str) -> str:
            return said[name, path]

        tool.__name__ = tool.__qualname__ = name
        tool.__doc__ = f"Call {name} with a path."
        return tool

    return [named(name) for name in sorted({step.tool for step in session_steps()})]


def broken_pairs(sent: Sequence[Message]) -> Iterator[str]:
    """Calls without a result right behind them, and results without a call before them, in one request."""
    waiting: set[str] = set()
    for message in sent:
        if message.role == "tool":
            if not waiting.issuperset(message.calls) or not message.calls:
                yield f"a result without its call: {message.calls}"
            waiting -= set(message.calls)
            continue
        if waiting and message.role != "assistant":
            yield f"calls without results: {sorted(waiting)}"
            waiting.clear()
        waiting |= set(message.calls)
    if waiting:
        yield f"calls without results at the end: {sorted(waiting)}"


def measure_session(example: ModuleType, count: Callable[[str], int]) -> dict[str, dict[str, Any]]:
    """What each way sends and costs, what was fetched again, and what was broken."""
    return {way: measure_way(example, cache(count), *how) for way, how in WAYS.items()}


def measure_way(
    example: ModuleType,
    count: Callable[[str], int],
    fitted: bool,
    rules: Clearing | None,
) -> dict[str, Any]:
    script = SessionScript()
    spill = Overspill(store=MemoryStore(), preset="agent") if fitted else None
    example.run_long(session_tools(), script, spill, rules)
    prompts: list[Prompt] = [[(message.role, message.text) for message in sent] for sent in script.sent]
    sizes = [tokens_of(prompt, count) for prompt in prompts]
    return {
        "cost": cost_of(prompts, CachePrices(), count),
        "tokens": sum(sizes),
        "largest": max(sizes),
        "requests": len(prompts),
        "breaks": breaks_of(prompts),
        "fetched": len(script.fetched),
        "lost": script.lost_fetches(),
        "pairs": [why for sent in script.sent for why in broken_pairs(sent)],
        "cleared": sum(bool(re.search(r"\[cleared at turn", message.text)) for message in script.sent[-1]),
    }
