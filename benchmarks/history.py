"""A scripted session of a hundred turns: what is sent and what it costs, without us, fitted, fitted and cleared.

The model reads files, searches, builds and tests, and every ninth turn it needs something of thirty turns before: if a
line stands there by then, it makes the call in the line, which is a turn more. A prompt cache is simulated request by
request: what a prompt begins with like the one before is read from it, the rest is written to it. Tokens are
characters / 4, everything is drawn from one seed, and nothing here depends on the machine but the last rows.
"""

import json
import re
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple

from measuring import best, row

from overspill import MemoryStore, Overspill, artifact_tools
from overspill.history import CachePrices, Clearing
from overspill.history.messages import clear_by
from overspill.tokens import estimate_tokens

TURNS = 100
WORDS = (
    "order", "invoice", "parser", "cache", "token", "stream", "index", "queue", "retry", "lock", "batch", "worker",
    "schema", "route", "session", "user",
)  # fmt: skip
WANTED_EVERY, WANTED_BACK, LINES_WANTED = 9, 30, 200
EVERY_TURN = Clearing(at_least=0, turns_ahead=1_000_000)  # as soon as it is old, whatever it costs
BACK = re.compile(r'back: get_artifact\(id="(\w+)"')

Message = dict[str, Any]


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


class Run(NamedTuple):
    """One way through the session: every prompt that was sent, and how often something was fetched again."""

    prompts: list[list[Message]]
    fetched: int = 0


def run_session(spill: Overspill | None = None, rules: Clearing | None = None) -> Run:
    """The session, with what is fetched again in it."""
    messages: list[Message] = [{"role": "user", "content": "Find out why invoices are late, and mend it."}]
    prompts, fetched = [messages[:]], 0
    places: list[int] = []  # of the results
    for number, step in enumerate(script()):
        if number % WANTED_EVERY == WANTED_EVERY - 1 and number > WANTED_BACK:
            line = BACK.search(prompts[-1][places[number - WANTED_BACK]]["content"])
            if line is not None and spill is not None:
                asked = {"id": line[1], "start_line": 1, "end_line": LINES_WANTED}
                answer = artifact_tools(spill)[0](**asked)
                add_turn(messages, Step("I need that again.", "get_artifact", asked, answer))
                prompts.append(sent(messages, spill, rules))
                fetched += 1
        places.append(len(messages) + 1)
        output = step.output if spill is None else spill.fit(step.output, tool=step.tool).text
        add_turn(messages, step._replace(output=output))
        prompts.append(sent(messages, spill, rules))
    return Run(prompts, fetched)


def add_turn(messages: list[Message], step: Step) -> None:
    name = f"call_{len(messages)}"
    call = {"id": name, "type": "function", "function": {"name": step.tool, "arguments": json.dumps(step.arguments)}}
    messages.append({"role": "assistant", "content": step.said, "tool_calls": [call]})
    messages.append({"role": "tool", "tool_call_id": name, "content": step.output})


def sent(messages: list[Message], spill: Overspill | None, rules: Clearing | None) -> list[Message]:
    return messages[:] if rules is None else clear_by(rules, messages, spill)


def tokens_of(message: Message) -> int:
    calls = sum(estimate_tokens(call["function"]["arguments"]) for call in message.get("tool_calls", ()))
    return estimate_tokens(message["content"]) + calls


def cost_of(run: Run, prices: CachePrices) -> float:
    """What all requests cost together, in tokens that are not cached."""
    cost = prices.write * sum(map(tokens_of, run.prompts[0]))
    for last, prompt in pairwise(run.prompts):
        same = next((at for at, both in enumerate(zip(last, prompt, strict=False)) if both[0] != both[1]), len(last))
        sizes = list(map(tokens_of, prompt))
        cost += prices.read * sum(sizes[:same]) + prices.write * sum(sizes[same:])
    return cost


def main() -> None:
    def spill_of() -> Overspill:
        return Overspill(store=MemoryStore(), preset="agent")

    prices = CachePrices()
    spill = spill_of()
    runs = {
        "without us": run_session(),
        "fitted": run_session(spill_of()),
        "fitted and cleared": run_session(spill, Clearing()),
        "cleared at every turn": run_session(spill_of(), EVERY_TURN),
        "cleared, nothing cached": run_session(spill_of(), Clearing(prices=CachePrices(1, 1))),
    }
    whole = runs["without us"]
    for name, run in runs.items():
        uncached = name.endswith("nothing cached")
        at = CachePrices(1, 1) if uncached else prices
        totals = [sum(sum(map(tokens_of, prompt)) for prompt in one.prompts) for one in (run, whole)]
        largest = max(sum(map(tokens_of, prompt)) for prompt in run.prompts)
        broken = sum(last != prompt[: len(last)] for last, prompt in pairwise(run.prompts))
        row(
            f"{TURNS} turns, cost: {name}",
            f"{cost_of(run, at) / cost_of(whole, at):.3f}",
            f"of that without us; tokens sent {totals[0] / totals[1]:.3f}, largest prompt {largest:,} tokens, "
            f"{len(run.prompts)} requests, cache broken {broken}x, {run.fetched} fetched again",
        )
    messages = whole_conversation(spill)
    seconds = best(lambda: clear_by(Clearing(), messages, spill), runs=3)
    row(
        f"clear before request {TURNS + 1}, over writing the request as JSON",
        f"{seconds / best(lambda: json.dumps(messages), runs=3):.1f}x",
        f"{seconds * 1000:.1f} ms",
    )


def whole_conversation(spill: Overspill) -> list[Message]:
    """All of it, as a program hands it in."""
    messages: list[Message] = []
    for step in script():
        add_turn(messages, step._replace(output=spill.fit(step.output, tool=step.tool).text))
    return messages


if __name__ == "__main__":
    main()
