"""Make the corpus anew: `make quality`. Real tools on real packages; nothing in it is written by hand.

    python benchmarks/quality/build.py [--apt] [--corpus DIR] [--part NAME] [RECIPE...]

Says what it could not make, and why. With `--apt` missing tools are installed from the distribution. `--part` builds
the recipes of one part alone: `dev`, or a key of `HELD_OUT`.
"""

import importlib
import os
import sys
import time
from collections.abc import Callable, Iterator

from items import HELD_OUT, Item, keep
from shop import CannotMake, Shop

HERE = os.path.dirname(os.path.abspath(__file__))
Recipe = Callable[[Shop], Iterator[Item]]

SMALLEST = 9_000
"""An output that fits the middle budget has nothing to choose from."""


def main(arguments: list[str]) -> int:
    beside = os.path.join(os.path.dirname(os.path.dirname(HERE)), "build", "quality")
    corpus, arguments = _option(arguments, "--corpus", beside)
    part, arguments = _option(arguments, "--part", "")
    if part and part not in {"dev", *HELD_OUT}:
        print(f"no part {part}: there are dev, {', '.join(HELD_OUT)}")
        return 2
    corpus = os.path.abspath(corpus)
    shop = Shop(os.path.join(corpus, "shop"), apt="--apt" in arguments)
    chosen = [one for one in arguments if not one.startswith("-")]
    made = 0
    for name, recipe in _recipes(part):
        if not chosen or name.startswith(tuple(chosen)):
            made += _make(name, recipe, shop, corpus)
    print(f"{made} outputs made")
    return 0 if made else 1


def _option(arguments: list[str], name: str, default: str) -> tuple[str, list[str]]:
    """The value of an option, and the arguments without it.

    >>> _option(["--apt", "--part", "held", "jshint"], "--part", ""), _option(["--apt"], "--part", "")
    (('held', ['--apt', 'jshint']), ('', ['--apt']))
    """
    if name not in arguments:
        return default, arguments
    at = arguments.index(name)
    return arguments[at + 1], arguments[:at] + arguments[at + 2 :]


def part_made_by(family: str) -> str:
    """The part that the recipes of a module make.

    >>> part_made_by("ninth_music"), part_made_by("held_suites"), part_made_by("python_tests")
    ('ninth', 'held', 'dev')
    """
    first = family.split("_", maxsplit=1)[0]
    return first if first in HELD_OUT else "dev"


def _families() -> list[str]:
    """The modules of recipes as they lie in their directory: what is tuned on, then part by part."""
    parts = ["dev", *HELD_OUT]
    names = (name.removesuffix(".py") for name in os.listdir(os.path.join(HERE, "recipes")) if name[0] != "_")
    return sorted(names, key=lambda name: (parts.index(part_made_by(name)), name))


def _recipes(part: str) -> Iterator[tuple[str, Recipe]]:
    for family in _families():
        if not part or part_made_by(family) == part:
            yield from getattr(importlib.import_module(f"recipes.{family}"), "RECIPES", {}).items()


def _make(name: str, recipe: Recipe, shop: Shop, corpus: str) -> int:
    began, made = time.monotonic(), 0
    try:
        for item in recipe(shop):
            if len(item.text) < SMALLEST or not item.facts:
                print(f"  left out: {item.name}: {len(item.text):,} characters, {len(item.facts)} facts")
                continue
            keep(item, corpus)
            made += 1
            print(f"  {item.name}: {item.family}, {len(item.text):,} characters, {len(item.facts)} facts", flush=True)
    except (CannotMake, OSError, ValueError, LookupError, SyntaxError, AttributeError) as why:
        print(f"  not made: {name}: {type(why).__name__}: {str(why)[:300]}", flush=True)
    print(f"{name}: {made} in {time.monotonic() - began:.0f} s", flush=True)
    return made


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
