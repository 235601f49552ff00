"""What is judged: an output that a tool made, and the facts that somebody who has to act on it needs."""

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

Thing = TypeVar("Thing")

HELD_SHARE = 5
"""One in so many items is held back: nobody tunes on it."""


class Fact(NamedTuple):
    """Something a view must tell: one of these spellings, or all of `together` on one line."""

    kind: str
    spellings: tuple[str, ...] = ()
    together: tuple[str, ...] = ()

    def told_by(self, view: str) -> bool:
        """Whether the view says it. Names and numbers count as whole words only.

        >>> Fact("name", ("test_add",)).told_by("FAILED test_add - boom"), Fact("name", ("add",)).told_by("adder")
        (True, False)
        >>> Fact("count", together=("a.py", "12", "3")).told_by("12 3 a.py"), Fact("text", ("in th",)).told_by("in the")
        (True, True)
        """
        if self.together and any(all(_word(part, line) for part in self.together) for line in view.splitlines()):
            return True
        whole = self.kind in WHOLE
        return any(_word(one, view) if whole else one in view for one in self.spellings)


WHOLE = frozenset({"name", "path", "location", "code", "count"})
"""Kinds of fact that must not be the inside of a longer word."""


def _word(part: str, text: str) -> bool:
    return part in text and re.search(rf"(?<![\w]){re.escape(part)}(?![\w])", text) is not None


class Item(NamedTuple):
    """One output. `form` says what a view of it has to stay: text, json, ndjson, xml or diff."""

    name: str
    family: str
    form: str
    command: str
    text: str
    facts: tuple[Fact, ...]


def held_back(name: str) -> bool:
    """Whether the item belongs to the part that is looked at once; its name alone decides.

    >>> held_back("pytest-click"), sum(held_back(str(number)) for number in range(1000)) in range(160, 240)
    (False, True)
    """
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % HELD_SHARE == 0


def keep(item: Item, corpus: str) -> str:
    """Write an item below the part of the corpus it belongs to; returns the directory."""
    where = os.path.join(corpus, "held" if held_back(item.name) else "dev", item.name)
    os.makedirs(where, exist_ok=True)
    with open(os.path.join(where, "output.txt"), "w", encoding="utf-8", newline="") as out:
        out.write(item.text)
    facts = [{name: value for name, value in fact._asdict().items() if value} for fact in item.facts]
    about = {"family": item.family, "form": item.form, "command": item.command, "facts": facts}
    with open(os.path.join(where, "item.json"), "w", encoding="utf-8") as out:
        json.dump(about, out, indent=1, ensure_ascii=False)
    return where


def stored(corpus: str, part: str) -> Iterator[Item]:
    """The items of one part (`dev` or `held`), by name."""
    folder = os.path.join(corpus, part)
    for name in sorted(os.listdir(folder) if os.path.isdir(folder) else ()):
        with open(os.path.join(folder, name, "output.txt"), encoding="utf-8", newline="") as file:
            text = file.read()
        with open(os.path.join(folder, name, "item.json"), encoding="utf-8") as file:
            about = json.load(file)
        facts = tuple(
            Fact(fact["kind"], tuple(fact.get("spellings", ())), tuple(fact.get("together", ())))
            for fact in about["facts"]
        )
        yield Item(name, about["family"], about["form"], about["command"], text, facts)


def spread(things: Iterable[Thing], most: int) -> list[Thing]:
    """At most `most` of them, evenly over the whole, first and last included.

    >>> spread(range(10), 4), spread("ab", 4)
    ([0, 3, 6, 9], ['a', 'b'])
    """
    every = list(dict.fromkeys(things))
    if len(every) <= most:
        return every
    return [every[round(at * (len(every) - 1) / (most - 1))] for at in range(most)]
