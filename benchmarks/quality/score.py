"""Score views of a stored corpus: which facts they tell, whether they keep the budget, whether they stay valid.

    python benchmarks/quality/score.py [--corpus DIR] [--source DIR] [--only NAME,...] [--items PREFIX,...] [--rivals]
        [--table] [--PART] [--limits 2000,8000,16000] [--out DIR]

`--corpus` is where `dev` and `held` are (default: build/quality), `--source` the `src` directory of the version to
judge (default: this one), `--items` only outputs whose names begin so, `--rivals` judges the others too, `--table`
prints the newest marks of all again, `--PART` (a key of `HELD_OUT`: `--held`, `--third` and so on) judges a part of
the corpus that nobody tunes on. Writes latest.json and misses.md (never of these parts, of which only marks are kept)
below `--out` (default: build/quality).
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, repeat
from statistics import mean
from typing import NamedTuple
from xml.etree import ElementTree as ET

HERE = os.path.dirname(os.path.abspath(__file__))
if HERE not in sys.path:
    sys.path.insert(0, HERE)

from ceiling import ceilings  # noqa: E402 - this directory is not on the path before
from items import HELD_OUT, Item, stored  # noqa: E402
from telling import Told  # noqa: E402
from truth import false_statements, overhead_share, own_share  # noqa: E402

LIMITS = (2_000, 8_000, 16_000)
LONGEST = 900
"""Seconds that one way of cutting may take over the whole corpus."""
OURS = ("smart", "head_tail", "tail", "line", "element")


class Mark(NamedTuple):
    """What one view was worth. `bound` facts are as many as a perfect choice of whole lines tells at this limit."""

    item: str
    family: str
    kept: int
    facts: int
    bound: int
    length: int
    within: bool
    valid: bool
    seconds: float
    own: float = 0.0
    overhead: float = 0.0
    lies: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """Facts told, of those that a perfect choice could hold. A view that says something false is worth nothing."""
        return 0.0 if self.lies else min(1.0, self.kept / max(1, self.bound))


def judge(item: Item, view: str, limit: int, seconds: float = 0.0, *, bound: int = 0, kept: str | None = None) -> Mark:
    """Look for the facts. A view over the limit is cut there, by whichever end tells more.

    `bound` is the ceiling at this limit (0: all facts). What a view says of its own is recounted from `kept`, the text
    that it was made of.
    """
    within = len(view) <= limit
    shown = [view] if within else [view[:limit], view[-limit:]]
    told = max(([fact.told_by(part) for fact in item.facts] for part in map(Told, shown)), key=sum)
    missed = tuple(
        f"{fact.kind}: {' @ '.join((*fact.together, *fact.spellings)[:2])[:120]!r}"
        for fact, known in zip(item.facts, told, strict=True)
        if not known
    )
    fine = valid(view, item.form)
    lies = tuple(false_statements(kept, view, item.form)) if kept is not None else ()
    bound = min(len(told), bound or len(told))
    own, overhead = own_share(item.text, view), overhead_share(item.text, view)
    return Mark(
        item.name,
        item.family,
        sum(told),
        len(told),
        bound,
        len(view),
        within,
        fine,
        seconds,
        own,
        overhead,
        lies,
        missed,
    )


def valid(view: str, form: str) -> bool:
    """Whether a view is still what the output was: a document that parses, a patch that git can read."""
    try:
        if form == "json":
            json.loads(view)
        if form == "ndjson":
            for line in filter(str.strip, view.splitlines()):
                json.loads(line)
        if form == "xml":
            ET.fromstring(view)
    except (ValueError, ET.ParseError):
        return False
    if form == "diff":
        read = subprocess.run(["git", "apply", "--numstat", "-"], input=view.encode(), capture_output=True, check=False)
        return read.returncode == 0
    return True


Cut = Callable[[str, int], str]

PLAIN: dict[str, Cut] = {
    "head -c": lambda text, limit: text[:limit],
    "tail -c": lambda text, limit: text[-limit:],
    "head+tail": lambda text, limit: text[: limit // 2 - 8] + "\n[...]\n" + text[-(limit // 2 - 8) :],
}

TELLING_WORDS = re.compile(r"(?i)error|fail")


def grep_and_tail(text: str, limit: int) -> str:
    """What people do by hand: `grep -iE 'error|fail'`, then the end, in two thirds and one third of the room."""
    found, room = [], limit * 2 // 3
    for line in text.split("\n"):
        if TELLING_WORDS.search(line) and len(line) < room:
            found.append(line)
            room -= len(line) + 1
    said = "\n".join(found)
    return f"{said}\n--\n{text[-(limit - len(said) - 4) :]}"


PLAIN["grep+tail"] = grep_and_tail


def by_worker(
    command: list[str], env: dict[str, str], jobs: Iterable[dict[str, object]]
) -> Iterator[dict[str, object]]:
    """The answers of a process that makes views; one that dies leaves the rest unanswered."""
    lines = "".join(json.dumps(job) + "\n" for job in jobs)
    try:
        worker = subprocess.run(
            command, input=lines.encode(), env=env, capture_output=True, check=False, timeout=LONGEST
        )
        said, complaint = worker.stdout, worker.stderr[-400:].decode() if worker.returncode else ""
    except subprocess.TimeoutExpired as late:
        said, complaint = late.stdout or b"", f"not done after {LONGEST} s"
    if complaint:
        print(f"  {' '.join(command[-1:])}: {complaint}", file=sys.stderr)
    for line in said.decode().splitlines(keepends=True):
        if line.endswith("\n"):
            yield json.loads(line)


Bounds = dict[tuple[str, int], int]


def marks(
    items: list[Item],
    folder: str,
    strategy: str,
    limits: Iterable[int],
    command: list[str],
    env: dict[str, str],
    bounds: Bounds | None = None,
) -> dict[int, list[Mark]]:
    """What the views of one strategy, or one rival, are worth at every limit."""
    wanted = [(item, limit) for item in items for limit in limits]
    jobs = [
        {"path": os.path.join(folder, item.name, "output.txt"), "strategy": strategy, "limit": limit, "form": item.form,
         "command": item.command}
        for item, limit in wanted
    ]  # fmt: skip
    found: dict[int, list[Mark]] = {limit: [] for limit in limits}
    nothing: dict[str, object] = {"view": "", "failed": "no answer"}
    failed = []
    for (item, limit), answer in zip(wanted, chain(by_worker(command, env, jobs), repeat(nothing)), strict=False):
        failed += [f"{item.name} at {limit}: {answer['failed']}"] if "failed" in answer else []
        seconds, bound = float(str(answer.get("seconds", 0))), (bounds or {}).get((item.name, limit), 0)
        kept = str(answer.get("kept") or item.text) if strategy in OURS else None
        found[limit].append(judge(item, str(answer["view"]), limit, seconds, bound=bound, kept=kept))
    if failed:
        print(f"  {strategy}: {len(failed)} views not made, the first: {failed[0]}", file=sys.stderr)
    return found


def plain_marks(
    items: list[Item], limits: Iterable[int], cut: Cut, bounds: Bounds | None = None
) -> dict[int, list[Mark]]:
    return {
        limit: [
            judge(item, cut(item.text, limit), limit, bound=(bounds or {}).get((item.name, limit), 0)) for item in items
        ]
        for limit in limits
    }


Results = dict[str, dict[int, list[Mark]]]


def table(results: Results, items: list[Item], limit: int, bounds: Bounds) -> str:
    """One limit as a markdown table: a row a family, a column a way of cutting."""
    names = [name for name in results if results[name].get(limit)]
    lines = [f"| {limit:,} characters | outputs | " + " | ".join(names) + " | ceiling, of all facts |"]
    lines.append("|---|---:|" + "---:|" * (len(names) + 1))
    families = sorted({item.family for item in items})
    ceiling = {item.name: bounds[item.name, limit] / len(item.facts) for item in items}
    for family in families:
        cells = [_percent(mark.share for mark in results[name][limit] if mark.family == family) for name in names]
        here = [item for item in items if item.family == family]
        fit = _percent(ceiling[item.name] for item in here)
        lines.append(f"| {family} | {len(here)} | " + " | ".join(cells) + f" | {fit} |")
    at_limit = {name: results[name][limit] for name in names}
    totals = [f"**{_percent(mark.share for mark in found)}**" for found in at_limit.values()]
    lines.append(f"| **all outputs** | {len(items)} | " + " | ".join(totals) + f" | {_percent(ceiling.values())} |")
    whole = [_percent(mark.kept / mark.facts for mark in found) for found in at_limit.values()]
    lines.append("| of all facts | | " + " | ".join(whole) + " | |")
    pooled = [_pooled(found) for found in at_limit.values()]
    lines.append(f"| all facts, pooled | {sum(len(item.facts) for item in items)} | " + " | ".join(pooled) + " | |")
    held = [_percent(mark.within for mark in found) for found in at_limit.values()]
    lines.append("| budget held | | " + " | ".join(held) + " | |")
    formal = {item.name for item in items if item.form != "text"}
    kept = [_percent(mark.valid for mark in found if mark.item in formal) for found in at_limit.values()]
    lines.append(f"| still valid | {len(formal)} | " + " | ".join(kept) + " | |")
    lengths = [f"{mean(mark.length for mark in found):,.0f}" for found in at_limit.values()]
    lines.append("| mean length | | " + " | ".join(lengths) + " | |")
    own = [_percent(mark.own for mark in found) for found in at_limit.values()]
    lines.append("| words of its own | | " + " | ".join(own) + " | |")
    over = [f"{100 * mean(mark.overhead for mark in found):.1f} %" for found in at_limit.values()]
    lines.append("| header, marks, brackets | | " + " | ".join(over) + " | |")
    false = [str(sum(bool(mark.lies) for mark in found)) for found in at_limit.values()]
    lines.append("| views with a false statement | | " + " | ".join(false) + " | |")
    return "\n".join(lines)


def _percent(shares: Iterable[float]) -> str:
    values = list(shares)
    return f"{100 * mean(values):.0f} %" if values else ""


def _pooled(found: list[Mark]) -> str:
    return f"{100 * sum(mark.kept for mark in found) / max(1, sum(mark.facts for mark in found)):.0f} %"


def misses(found: dict[int, list[Mark]], limit: int) -> str:
    """Which facts a strategy did not tell and what it said falsely, the worst outputs first."""
    lines = [f"# Facts that smart did not tell in {limit:,} characters", ""]
    for mark in sorted(found[limit], key=lambda mark: mark.share):
        if mark.missed or mark.lies or not mark.valid or not mark.within:
            faults = ("" if mark.valid else " NOT VALID") + ("" if mark.within else f" TOO LONG ({mark.length})")
            told = f"{mark.kept} of {mark.facts}, a perfect choice {mark.bound}"
            lines.append(f"## {mark.item} ({mark.family}): {mark.share:.0%}, {told}{faults}")
            lines += [f"- FALSE: {one}" for one in mark.lies[:LISTED]]
            lines += [f"- {one}" for one in mark.missed[:LISTED]]
            lines += [f"- and {len(mark.missed) - LISTED} more"] * (len(mark.missed) > LISTED)
            lines.append("")
    return "\n".join(lines)


LISTED = 15


def main(arguments: list[str]) -> int:
    built = os.path.join(os.path.dirname(os.path.dirname(HERE)), "build", "quality")
    options = dict(zip(arguments, [*arguments[1:], ""], strict=False))
    corpus = os.path.abspath(options.get("--corpus") or built)
    part = next((one for one in HELD_OUT if f"--{one}" in arguments), "dev")
    limits = tuple(int(one) for one in options.get("--limits", "").split(",") if one) or LIMITS
    only = tuple(one for one in options.get("--only", "").split(",") if one)
    chosen = tuple(one for one in options.get("--items", "").split(",") if one)
    source = os.path.abspath(options.get("--source") or os.path.join(HERE, "..", "..", "src"))
    items = [item for item in stored(corpus, part) if not chosen or item.name.startswith(chosen)]
    folder = os.path.join(corpus, part)
    out = os.path.abspath(options.get("--out") or built)
    bounds = {(item.name, limit): told for item in items for limit, told in ceilings(item, limits, folder).items()}
    if "--table" in arguments:
        for limit in limits:
            print(table(told_before(out, part), items, limit, bounds), end="\n\n")
        return 0
    env = dict(os.environ) | {"PYTHONPATH": source}
    results: Results = {}
    for strategy in OURS:
        if not only or strategy in only:
            results[strategy] = marks(
                items, folder, strategy, limits, [sys.executable, os.path.join(HERE, "ours.py")], env, bounds
            )
    if not only or "plain" in only:
        for name, cut in PLAIN.items():
            results[name] = plain_marks(items, limits, cut, bounds)
    if "--rivals" in arguments:
        from rivals import rival_marks

        results |= rival_marks(items, folder, limits, bounds, only)
    for limit in limits:
        print(table(results, items, limit, bounds), end="\n\n")
    _write(out, results if part == "dev" else {name: _unlisted(at) for name, at in results.items()}, part)
    return 0


def _unlisted(at: dict[int, list[Mark]]) -> dict[int, list[Mark]]:
    """The marks without what was missed: of the part held back that is never told."""
    return {limit: [mark._replace(missed=()) for mark in found] for limit, found in at.items()}


def _write(corpus: str, results: Results, part: str) -> None:
    """A file for every way of cutting, so that several runs can share the work; latest.json holds all of them."""
    folder = _folder(corpus, part)
    os.makedirs(folder, exist_ok=True)
    for name, at in results.items():
        with open(os.path.join(folder, f"{name}.json"), "w", encoding="utf-8") as out:
            json.dump({str(limit): found for limit, found in at.items()}, out)
    if part != "dev":
        return
    every = {name: {str(limit): found for limit, found in at.items()} for name, at in told_before(corpus, part).items()}
    with open(os.path.join(corpus, "latest.json"), "w", encoding="utf-8") as out:
        json.dump({"columns": Mark._fields, "told": every}, out, indent=1)
    if "smart" in results:
        with open(os.path.join(corpus, "misses.md"), "w", encoding="utf-8") as out:
            out.write(
                "\n\n".join(misses(results["smart"], limit) for limit in results["smart"] if limit >= WORTH_LISTING)
            )


def _folder(corpus: str, part: str) -> str:
    return os.path.join(corpus, "told" if part == "dev" else f"told-{part}")


def told_before(corpus: str, part: str = "dev") -> Results:
    """The newest marks of every way of cutting, ours first."""
    folder = _folder(corpus, part)
    order = (*OURS, *PLAIN)
    names = sorted(name.removesuffix(".json") for name in os.listdir(folder))
    found: Results = {}
    for name in sorted(names, key=lambda name: order.index(name) if name in order else len(order)):
        with open(os.path.join(folder, f"{name}.json"), encoding="utf-8") as file:
            rows = json.load(file)
        if all(len(row) == len(Mark._fields) for at in rows.values() for row in at):
            found[name] = {int(limit): [Mark(*row) for row in at] for limit, at in rows.items()}
    return found


WORTH_LISTING = 8_000
"""Below this many characters most outputs cannot be told in full."""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
