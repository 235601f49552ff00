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

FAMILIES = (
    "python_tests",
    "script_tests",
    "native_tests",
    "checkers",
    "builds",
    "diffs",
    "documents",
    "listings",
    "logs",
    "linters",
    "tables",
    "traces",
    "style_linters",
    "scanners",
    "compilers",
    "suites",
    "coverage",
    "packages",
    "infrastructure",
    "databases",
    "servers",
    "debuggers",
    "inventories",
    "markup",
    "held_linters",
    "held_compilers",
    "held_suites",
    "held_coverage",
    "held_packages",
    "held_infrastructure",
    "held_servers",
    "held_tracers",
    "held_listings",
    "held_documents",
    "held_history",
    "third_linters",
    "third_scanners",
    "third_builds",
    "third_suites",
    "third_binaries",
    "third_crashes",
    "third_profilers",
    "third_systems",
    "third_network",
    "third_servers",
    "third_archives",
    "third_databases",
    "third_data",
    "third_media",
    "third_documents",
    "fourth_git",
    "fourth_linters",
    "fourth_suites",
    "fourth_builds",
    "fourth_consoles",
    "fourth_configs",
    "fourth_code",
    "fourth_documents",
    "fifth_linters",
    "fifth_compilers",
    "fifth_suites",
    "fifth_builds",
    "fifth_histories",
    "fifth_systems",
    "fifth_data",
    "sixth_packages",
    "sixth_infrastructure",
    "sixth_answers",
    "sixth_linters",
    "sixth_suites",
    "sixth_servers",
    "sixth_runs",
    "sixth_documents",
    "seventh_git",
    "seventh_code",
    "seventh_linters",
    "seventh_compilers",
    "seventh_suites",
    "seventh_builds",
    "seventh_packages",
    "seventh_answers",
    "seventh_browser",
    "seventh_servers",
    "seventh_systems",
    "seventh_differences",
    "seventh_searches",
    "seventh_tables",
    "seventh_documents",
    "eighth_proofs",
    "eighth_media",
    "eighth_papers",
    "eighth_storage",
    "eighth_words",
    "eighth_scanners",
    "eighth_metrics",
    "eighth_pages",
    "eighth_compilers",
    "eighth_builds",
    "eighth_suites",
    "eighth_mutants",
    "eighth_servers",
    "eighth_data",
    "eighth_infrastructure",
    "eighth_code",
    "ninth_music",
    "ninth_games",
    "ninth_science",
    "ninth_storage",
    "ninth_systems",
    "ninth_networks",
    "ninth_data",
    "ninth_pages",
    "ninth_servers",
    "ninth_sessions",
    "tenth_git",
    "tenth_text",
    "tenth_linters",
    "tenth_suites",
    "tenth_packages",
    "tenth_servers",
    "tenth_answers",
    "tenth_clouds",
    "tenth_systems",
)

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


def _recipes(part: str) -> Iterator[tuple[str, Recipe]]:
    for family in FAMILIES:
        if part and part_made_by(family) != part:
            continue
        if os.path.exists(os.path.join(HERE, "recipes", f"{family}.py")):
            yield from importlib.import_module(f"recipes.{family}").RECIPES.items()


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
