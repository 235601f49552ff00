"""A scripted session of a hundred turns, and what its requests cost where a provider caches prompts.

The model reads files, searches, builds and tests, and every ninth turn it needs something of thirty turns before: if a
line stands there by then, it makes the call in the line, which is a turn more. Everything is drawn from one seed.
"""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple

from overspill.history import CachePrices

TURNS = 100
WORDS = (
    "order", "invoice", "parser", "cache", "token", "stream", "index", "queue", "retry", "lock", "batch", "worker",
    "schema", "route", "session", "user",
)  # fmt: skip
WANTED_EVERY, WANTED_BACK, LINES_WANTED = 9, 30, 200
BACK = re.compile(r'back: get_artifact\(id="(\w+)"')

Prompt = Sequence[tuple[str, ...]]  # the messages of a request: all that a model reads of each


def is_wanted_again(number: int) -> bool:
    """Whether the model needs something old before the step with this number."""
    return number % WANTED_EVERY == WANTED_EVERY - 1 and number > WANTED_BACK


class Step(NamedTuple):
    """A call that the model makes, what it says before it, and what the tool says."""

    said: str
    tool: str
    arguments: dict[str, Any]
    output: str


def script() -> list[Step]:
    """What happens, the same in every run."""
    random = Random(24)
    return [one_step(random, number) for number in range(TURNS)]


def one_step(random: Random, number: int) -> Step:
    path = f"src/{random.choice(WORDS)}/{random.choice(WORDS)}_{number}.py"
    tool = random.choices(["read_file", "grep", "pytest", "build", "status"], [35, 25, 15, 10, 15])[0]
    words = f"Next I look at {path}, because {random.choice(WORDS)} {random.choice(WORDS)} depends on it."
    return Step(words, tool, {"path": path}, output_of(tool, random, path))


def output_of(tool: str, random: Random, path: str) -> str:
    if tool == "read_file":
        return "".join(code_line(random, at) for at in range(random.randint(80, 600)))
    if tool == "grep":
        found = range(random.randint(5, 400))
        return "".join(
            f"{path.replace('.py', '')}_{at % 23}.py:{at * 7}: {code_line(random, at).strip()}\n" for at in found
        )
    if tool in {"pytest", "build"}:
        lines = range(random.randint(300, 3_000))
        return "".join(
            f"[{at:05}] {random.choice(['ok', 'ok', 'ok', 'warning', 'FAILED'])} {path} {random.choice(WORDS)}"
            f" {random.choice(WORDS)} in {random.random():.4f}s\n"
            for at in lines
        )
    return f"On branch main, {random.randint(1, 9)} files changed\n"


def code_line(random: Random, number: int) -> str:
    name, other = random.choice(WORDS), random.choice(WORDS)
    return f"    {name}_{number} = {other}({random.randint(0, 9_999)}, {random.choice(WORDS)}={random.random():.3f})\n"


def tokens_of(prompt: Prompt, count: Callable[[str], int]) -> int:
    return sum(count(text) for message in prompt for text in message)


def common_messages(last: Prompt, prompt: Prompt) -> int:
    """With how many messages of the last one a prompt begins."""
    return next((at for at, both in enumerate(zip(last, prompt, strict=False)) if both[0] != both[1]), len(last))


def cost_of(prompts: Sequence[Prompt], prices: CachePrices, count: Callable[[str], int]) -> float:
    """What all requests cost together, in tokens that are not cached.

    A prompt cache is simulated request by request: what a prompt begins with like the one before is read from it, the
    rest is written to it.
    """
    cost = prices.write * tokens_of(prompts[0], count)
    for last, prompt in pairwise(prompts):
        same = common_messages(last, prompt)
        cost += prices.read * tokens_of(prompt[:same], count) + prices.write * tokens_of(prompt[same:], count)
    return cost


def breaks_of(prompts: Sequence[Prompt]) -> int:
    """How often a prompt does not begin with the one before it."""
    return sum(common_messages(last, prompt) < len(last) for last, prompt in pairwise(prompts))
