"""What the recipes of the tenth part share: the environments their tools run in, and how an output becomes an item."""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from items import Fact, Item
from reports import Diagnostic, Failure, diagnostic_facts, failure_facts, in_json, in_xml, said_in
from shop import CannotMake, Shop, Toolbox

from recipes.fifth_suites import plain
from recipes.ninth_tools import each, pairs

__all__ = ["diagnosed", "each", "failed", "made", "matches", "pairs", "recipes", "stripped"]

Run = Callable[[str, Shop], Iterator[Item]]

SOUND = 0.8
"""So much of what a report holds has to be in the output, or the two do not belong together."""


def made(
    name: str, family: str, command: str, text: str, facts: Iterable[Fact], form: str = "text", least: float = SOUND
) -> Item:
    """The item; facts that the output does not say are dropped, and there must not be many of them."""
    every = tuple(dict.fromkeys(facts))
    if form in {"json", "ndjson"}:
        every = in_json(every)
    elif form == "xml":
        every = in_xml(every)
    said = said_in(every, text)
    if len(said) < least * len(every):
        lost = [fact for fact in every if fact not in set(said)]
        raise CannotMake(f"{len(lost)} of {len(every)} facts are not in {name}: {lost[:4]} {text[:200]!r}")
    return Item(name, family, form, command, text, said)


def matches(text: str, *patterns: str) -> list[Fact]:
    """A fact a distinct match: what sums up, or what only the text itself says."""
    return each("message", (one[:90] for pattern in patterns for one in re.findall(pattern, text, re.MULTILINE)))


def stripped(text: str, *rooms: str) -> str:
    """The text without colours, and without where it was made."""
    text = plain(text)
    for room in rooms:
        text = text.replace(f"{room}/", "").replace(room, ".")
    return text


def diagnosed(rows: Iterable[tuple[str, object, object, str, str]], spelt: str = "{}:{}:{}") -> tuple[Fact, ...]:
    """The facts of findings: path, line, column, code, message; `spelt` is how the output writes a place."""
    return diagnostic_facts(
        [Diagnostic(path, spelt.format(path, line, column), code, said) for path, line, column, code, said in rows]
    )


def failed(rows: Iterable[tuple[str, str, str]], *more: Fact) -> tuple[Fact, ...]:
    """The facts of failed tests: name, message, place."""
    return failure_facts([Failure(*row) for row in rows], *more)


def recipes(*runs: tuple[str, Run]) -> dict[str, Callable[[Shop], Iterator[Item]]]:
    """The table of a module: every runner is told the name of its output."""
    return {name: partial(run, name) for name, run in runs}


def venv_path(toolbox: Toolbox, shop: Shop) -> dict[str, str]:
    """The environment in which the commands of a toolbox are found."""
    folder = os.path.dirname(toolbox.python(shop))
    return {"PATH": f"{folder}{os.pathsep}{shop.environment()['PATH']}"}
