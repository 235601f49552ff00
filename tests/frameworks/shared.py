"""What the promises of several adapters share."""

import asyncio
from collections.abc import Coroutine
from types import ModuleType
from typing import Any

from scripted import call

from frameworks.contract import Run


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
