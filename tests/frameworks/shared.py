"""What the promises of several adapters share."""

import asyncio
import re
from collections.abc import Callable, Coroutine, Sequence
from itertools import pairwise
from types import ModuleType
from typing import Any

from scripted import Call, Message, Script, call

from frameworks.contract import SECRET, Run, parts
from overspill import MemoryStore, Overspill
from overspill.history import Clearing, Keep

CLEARING = Clearing(Keep(turns=2, fetched=2, errors=2), at_least=6_000)


def is_cancelled(work: Coroutine[Any, Any, Any]) -> bool:
    """Whether a run that is cancelled while a tool works ends as one."""

    async def cancelled() -> bool:
        task = asyncio.create_task(work)
        await asyncio.sleep(0.3)
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            return True
        return False

    return asyncio.run(cancelled())


def answers_mistakes(example: ModuleType) -> None:
    """What a model gets wrong about the artifact tools is answered in words."""
    wrong = [call("get_artifact"), call("get_artifact", id="art_1699234567890_a1b2c3", lines="1-2")]
    missing, unknown = Run(example, wrong).results
    assert "id is missing" in missing
    assert "no argument 'lines'" in unknown


def numbered_log(number: int) -> str:
    """Return the log with this number."""
    lines = "".join(f"[{number}-{at:05}] compiled module_{at * 7919 % 6_000}.c with {parts(at)}\n" for at in range(900))
    return lines + f"uploading with api_key={SECRET}\n" + "done\n"


def first_line_back(messages: Sequence[Message]) -> list[Call]:
    """What a model does that wants an old result again: the call in the first line of ours, word by word."""
    text = next(message.text for message in messages if "[cleared at turn" in message.text).replace('\\"', '"')
    found = re.search(r'back: get_artifact\(id="(\w+)"\)', text)
    assert found is not None, text
    return [call("get_artifact", id=found[1], start_line=1, end_line=3)]


def clears_old_results(run: Callable[[list[Any], Script, Overspill, Clearing | None], Any]) -> Any:
    """Old results go from what a model is sent, seldom, and come back by the call in their place; what the run left."""
    spill = Overspill(store=MemoryStore(), preset="agent")
    steps = [[call("numbered_log", number=number)] for number in range(12)]
    script = Script(*steps, first_line_back, "done")
    left = run([numbered_log], script, spill, CLEARING)
    *results, fetched = script.results
    assert "[cleared at turn" in results[0], results[0][:200]
    assert not any("[cleared at turn" in text for text in results[-2:])
    assert "[0-00000] compiled" in fetched, fetched[:200]
    assert SECRET not in repr(script.sent)
    sizes = [sum(len(message.text) for message in sent) for sent in script.sent]
    shorter = [sent[: len(last)] != last for last, sent in pairwise(script.sent)]
    assert 1 <= sum(shorter) <= 4, shorter  # else each prompt begins with the one before it
    assert max(sizes) < sum(map(len, results)) + 6 * len(numbered_log(0)), sizes
    everything = Script(*steps, "done")
    run([numbered_log], everything, Overspill(store=MemoryStore(), preset="agent"), None)
    assert not any("[cleared" in message.text for message in everything.sent[-1]), "it is on by itself"
    assert sizes[-3] < 0.6 * sum(len(message.text) for message in everything.sent[-2]), sizes
    return left
