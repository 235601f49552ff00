"""A scripted session of a hundred turns: what is sent and what it costs, without us, fitted, fitted and cleared.

Tokens are characters / 4, and nothing here depends on the machine but the last rows. `make sessions` runs the same
session in five frameworks.
"""

import json
from typing import Any, NamedTuple

from measuring import best, row
from session_script import (
    BACK,
    LINES_WANTED,
    TURNS,
    WANTED_BACK,
    Prompt,
    Step,
    breaks_of,
    cost_of,
    is_wanted_again,
    script,
    tokens_of,
)

from overspill import MemoryStore, Overspill, artifact_tools
from overspill.core import estimate_tokens
from overspill.history import CachePrices, Clearing, clear_by

EVERY_TURN = Clearing(at_least=0, turns_ahead=1_000_000)  # as soon as it is old, whatever it costs

Message = dict[str, Any]


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
        if is_wanted_again(number):
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


def read_prompts(run: Run) -> list[Prompt]:
    """What a model reads of each."""
    return [[texts_of(message) for message in prompt] for prompt in run.prompts]


def texts_of(message: Message) -> tuple[str, ...]:
    return message["content"], *(call["function"]["arguments"] for call in message.get("tool_calls", ()))


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
    whole = read_prompts(runs["without us"])
    for name, run in runs.items():
        prompts = read_prompts(run)
        at = CachePrices(1, 1) if name.endswith("nothing cached") else prices
        sizes, all_sizes = ([tokens_of(prompt, estimate_tokens) for prompt in one] for one in (prompts, whole))
        row(
            f"{TURNS} turns, cost: {name}",
            f"{cost_of(prompts, at, estimate_tokens) / cost_of(whole, at, estimate_tokens):.3f}",
            f"of that without us; tokens sent {sum(sizes) / sum(all_sizes):.3f}, largest prompt {max(sizes):,} tokens, "
            f"{len(prompts)} requests, cache broken {breaks_of(prompts)}x, {run.fetched} fetched again",
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
