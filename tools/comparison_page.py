"""The page that sets us beside others, made of the measured tables that BENCHMARKS.md is made of."""

import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent.parent
sys.path.append(str(HERE / "benchmarks"))

import compare  # noqa: E402 - the directory is not on the path before

PIPES = 4  # ways that anybody has with a pipe; the others are programs
INTRODUCTION = """\
# Beside others

Made from measured tables by `make docs`; do not edit. All tables, versions and the commands that measure anew are in
[BENCHMARKS.md](../BENCHMARKS.md).

The question: a tool said far more than fits. How much of what matters does the shortened text still tell? What matters
are facts that can be checked: a failing test, an error and its place, a total, a changed file. 100 % is what a perfect
choice of whole lines could tell in the same room. No model was asked:
[what these numbers do not say](../BENCHMARKS.md#what-these-numbers-do-not-say).

Beside us stand what anybody can do with a pipe (`head -c`, `tail -c`, half of each, `grep` for errors and the end), and
libraries and tools for the same job.
"""

QUESTIONS = """\
## What to ask of any of them

A figure is one thing. These are others, and each can be tried in a minute. We answer for ourselves only.

- **Is what was left out still there?** Yes, whole, and it is kept first. `seq 1 99999 | spill`, then the command in the
  first line of the view.
- **Does the budget hold, with the tool's own words?** Yes. `seq 1 99999 | spill --limit 300 | wc -c`.
- **Is JSON still JSON?** Yes; so are XML, CSV, YAML and INI. [A big JSON API](recipes/json-api.md).
- **Are secrets gone before anything is kept?** Those that can be told. [A policy for secrets](recipes/secrets.md), and
  [what is not promised](../SECURITY.md#what-is-not-promised).
- **Does it ask another machine for anything?** No. [Without a network](recipes/air-gapped.md).
- **Does it say what it costs?** Yes, against what your agent shows by itself, and that can be a loss. `spill stats`;
  [is it worth it?](worth.md)

## When you need nothing like this

- Your tools say little. `spill replay` reads the sessions you already have and says what would have been cut.
- Your agent cuts by itself, and what it shows is enough for you: 8,000 characters cost more than 2,000.
- You want a summary in other words. We never reword: what is shown stands in the text.
"""


def comparison_page() -> str:
    """The whole page."""
    tables = [*compare.quality_tables(compare.TABLES.read_text())]
    fresh = next(table for table in tables if table.limit == compare.LIMIT)
    older = [table for table in tables if table.limit == compare.LIMIT and table.part != fresh.part]
    earlier = next(table for table in older if len(table.others) > PIPES)
    parts = [INTRODUCTION, "## Outputs that nobody had looked at", "", _words(fresh), *_shares(fresh)]
    parts += ["", "## Outputs of the part held back before", "", _words(earlier), *_shares(earlier)]
    parts += ["", "## Where we lose", "", "In these families of tools somebody tells more, at 8,000 characters."]
    parts += [line for table in (fresh, earlier) for line in ("", f"{table.part}:", "", *_losses(table))]
    return "\n".join([*parts, "", QUESTIONS])


def _words(table: compare.QualityTable) -> str:
    return f"{table.part}: {table.outputs[compare.ALL]} outputs, {table.limit:,} characters each.\n"


def _shares(table: compare.QualityTable) -> Iterator[str]:
    yield from ("| who | tells |", "|---|---:|")
    shares = table.shares[compare.ALL]
    for name in sorted(shares, key=lambda one: -shares[one]):
        shown = f"**Overspill (`{name}`)**" if name == compare.OURS else f"`{name}`" if " -" in name else name
        yield f"| {shown} | {shares[name]} % |"


def _losses(table: compare.QualityTable) -> Iterator[str]:
    for family, outputs, ours, better in table.losses():
        theirs = ", ".join(f"{name} {share} %" for name, share in better)
        yield f"- {family} ({outputs} outputs): {ours} %, below {theirs}"
