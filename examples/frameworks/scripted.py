"""A model that says what it was told to say, so that the examples run without one, offline."""

import itertools
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

_numbers = itertools.count(1)


class Call(NamedTuple):
    """A call of a tool, as a model makes it."""

    name: str
    arguments: dict[str, object]
    id: str


class Message(NamedTuple):
    """A message, as a model reads it."""

    role: str  # system, user, assistant or tool
    text: str
    calls: tuple[str, ...] = ()  # the ids of those it makes, or of the one it answers


Tool = Callable[..., object]
Answer = str | list[Call]
Step = Answer | Callable[[Sequence[Message]], Answer]


class Script:
    """What the model answers, request by request; the last answer for every further one. Remembers what it was sent."""

    def __init__(self, *steps: Step) -> None:
        self.steps = steps
        self.sent: list[list[Message]] = []
        self.offered: list[str] = []  # the tools it was told of

    def answer(self, messages: Sequence[Message], tools: Sequence[str] = ()) -> Answer:
        """The next answer: a text, or calls of tools."""
        self.sent.append(list(messages))
        self.offered = list(tools)
        step = self.steps[min(len(self.sent), len(self.steps)) - 1]
        return step(messages) if callable(step) else step

    @property
    def results(self) -> list[str]:
        """What tools said, as the model read it last."""
        return [message.text for message in self.sent[-1] if message.role == "tool"]


def call(name: str, **arguments: object) -> Call:
    """A call with an id of its own."""
    return Call(name, arguments, f"call_{next(_numbers)}")


def gap(messages: Sequence[Message]) -> list[Call]:
    """What a model does that wants what was left out: the call that the last view names, word by word."""
    text = next(message.text for message in reversed(messages) if message.role == "tool")
    arguments = re.findall(r"get_artifact\(([^)]*)\)", text.replace('\\"', '"'))[-1]
    given = re.findall(r'(\w+)=(?:"([^"]*)"|(\d+))', arguments)
    return [call("get_artifact", **{name: word or int(number) for name, word, number in given})]


def build() -> str:
    """Build the project and say how it went."""
    return "".join(f"[{number:05}] compiled module_{number * 7919 % 6_000}.c\n" for number in range(6_000))


def demonstrate(run: Callable[..., object]) -> None:
    """One run of an example, told."""
    from overspill import MemoryStore, Overspill

    script = Script([call("build")], gap, "All is well.")
    run([build], script, Overspill(store=MemoryStore(), preset="agent"))
    view, fetched = script.results
    print(f"build() said {len(build()):,} characters. The model saw {len(view):,}, which begin and end like this:\n")
    print(view[:600], "   (...)", view[-300:], sep="\n")
    print(f"\nIt called get_artifact for what was left out, and read {len(fetched):,} characters:\n")
    print(fetched[:120], "   (...)", fetched[-250:], sep="\n")
