"""Score views of a stored corpus: which facts they tell, whether they keep the budget, whether they stay valid.

    python benchmarks/quality/score.py [--source DIR] [--only NAME,...] [--rivals] [--table] [--held]
        [--limits 2000,8000,16000]

`--source` is the `src` directory of the version to judge (default: this one), `--rivals` judges the others too,
`--table` prints the newest marks of all again, `--held` judges the part of the corpus that nobody tunes on. Writes
latest.json and misses.md (never of the held part) beside the corpus.
"""

import json
import os
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

from items import Item, stored  # noqa: E402 - this directory is not on the path before

LIMITS = (2_000, 8_000, 16_000)
LONGEST = 900
"""Seconds that one way of cutting may take over the whole corpus."""
OURS = ("smart", "head_tail", "tail", "line", "element")


class Mark(NamedTuple):
    """What one view was worth."""

    item: str
    family: str
    kept: int
    facts: int
    length: int
    within: bool
    valid: bool
    seconds: float
    missed: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        return self.kept / self.facts


def judge(item: Item, view: str, limit: int, seconds: float = 0.0) -> Mark:
    """Look for the facts. A view over the limit is cut there, by whichever end tells more."""
    within = len(view) <= limit
    shown = [view] if within else [view[:limit], view[-limit:]]
    told = max(([fact.told_by(part) for fact in item.facts] for part in shown), key=sum)
    missed = tuple(
        f"{fact.kind}: {(fact.spellings or fact.together)[0][:120]!r}"
        for fact, known in zip(item.facts, told, strict=True)
        if not known
    )
    fine = valid(view, item.form)
    return Mark(item.name, item.family, sum(told), len(told), len(view), within, fine, seconds, missed)


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


def attainable(item: Item, limit: int) -> float:
    """The share of the facts that would fit if a view were nothing but facts, the shortest first."""
    sizes = sorted(min(map(len, fact.spellings or (" ".join(fact.together),))) + 1 for fact in item.facts)
    room, fit = limit, 0
    for size in sizes:
        room -= size
        fit += room >= 0
    return fit / len(sizes)


Cut = Callable[[str, int], str]

PLAIN: dict[str, Cut] = {
    "head -c": lambda text, limit: text[:limit],
    "tail -c": lambda text, limit: text[-limit:],
    "head+tail": lambda text, limit: text[: limit // 2 - 8] + "\n[...]\n" + text[-(limit // 2 - 8) :],
}


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


def marks(
    items: list[Item], folder: str, strategy: str, limits: Iterable[int], command: list[str], env: dict[str, str]
) -> dict[int, list[Mark]]:
    """What the views of one strategy, or one rival, are worth at every limit."""
    wanted = [(item, limit) for limit in limits for item in items]
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
        found[limit].append(judge(item, str(answer["view"]), limit, float(str(answer.get("seconds", 0)))))
    if failed:
        print(f"  {strategy}: {len(failed)} views not made, the first: {failed[0]}", file=sys.stderr)
    return found


def plain_marks(items: list[Item], limits: Iterable[int], cut: Cut) -> dict[int, list[Mark]]:
    return {limit: [judge(item, cut(item.text, limit), limit) for item in items] for limit in limits}


Results = dict[str, dict[int, list[Mark]]]


def table(results: Results, items: list[Item], limit: int) -> str:
    """One limit as a markdown table: a row a family, a column a way of cutting."""
    names = [name for name in results if results[name].get(limit)]
    lines = [f"| {limit:,} characters | outputs | " + " | ".join(names) + " | would fit |"]
    lines.append("|---|---:|" + "---:|" * (len(names) + 1))
    families = sorted({item.family for item in items})
    for family in families:
        cells = [_percent(mark.share for mark in results[name][limit] if mark.family == family) for name in names]
        here = [item for item in items if item.family == family]
        fit = _percent(attainable(item, limit) for item in here)
        lines.append(f"| {family} | {len(here)} | " + " | ".join(cells) + f" | {fit} |")
    totals = [f"**{_percent(mark.share for mark in results[name][limit])}**" for name in names]
    fit = _percent(attainable(item, limit) for item in items)
    lines.append(f"| **all outputs** | {len(items)} | " + " | ".join(totals) + f" | {fit} |")
    pooled = [_pooled(results[name][limit]) for name in names]
    lines.append(f"| all facts, pooled | {sum(len(item.facts) for item in items)} | " + " | ".join(pooled) + " | |")
    held = [_percent(mark.within for mark in results[name][limit]) for name in names]
    lines.append("| budget held | | " + " | ".join(held) + " | |")
    formal = {item.name for item in items if item.form != "text"}
    kept = [_percent(mark.valid for mark in results[name][limit] if mark.item in formal) for name in names]
    lines.append(f"| still valid | {len(formal)} | " + " | ".join(kept) + " | |")
    return "\n".join(lines)


def _percent(shares: Iterable[float]) -> str:
    values = list(shares)
    return f"{100 * mean(values):.0f} %" if values else ""


def _pooled(found: list[Mark]) -> str:
    return f"{100 * sum(mark.kept for mark in found) / max(1, sum(mark.facts for mark in found)):.0f} %"


def misses(found: dict[int, list[Mark]], limit: int) -> str:
    """Which facts a strategy did not tell, the worst outputs first."""
    lines = [f"# Facts that smart did not tell in {limit:,} characters", ""]
    for mark in sorted(found[limit], key=lambda mark: mark.share):
        if mark.missed or not mark.valid or not mark.within:
            faults = ("" if mark.valid else " NOT VALID") + ("" if mark.within else f" TOO LONG ({mark.length})")
            lines.append(f"## {mark.item} ({mark.family}): {mark.kept} of {mark.facts}{faults}")
            lines += [f"- {one}" for one in mark.missed[:15]]
            lines += [f"- and {len(mark.missed) - 15} more"] * (len(mark.missed) > 15)
            lines.append("")
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    corpus = os.path.join(os.path.dirname(os.path.dirname(HERE)), "build", "quality")
    options = dict(zip(arguments, [*arguments[1:], ""], strict=False))
    part = "held" if "--held" in arguments else "dev"
    limits = tuple(int(one) for one in options.get("--limits", "").split(",") if one) or LIMITS
    only = tuple(one for one in options.get("--only", "").split(",") if one)
    source = os.path.abspath(options.get("--source") or os.path.join(HERE, "..", "..", "src"))
    items = list(stored(corpus, part))
    if "--table" in arguments:
        for limit in limits:
            print(table(told(corpus), items, limit), end="\n\n")
        return 0
    folder = os.path.join(corpus, part)
    env = dict(os.environ) | {"PYTHONPATH": source}
    results: Results = {}
    for strategy in OURS:
        if not only or strategy in only:
            results[strategy] = marks(
                items, folder, strategy, limits, [sys.executable, os.path.join(HERE, "ours.py")], env
            )
    if not only or "plain" in only:
        for name, cut in PLAIN.items():
            results[name] = plain_marks(items, limits, cut)
    if "--rivals" in arguments:
        from rivals import rival_marks

        results |= rival_marks(items, folder, limits, only)
    for limit in limits:
        print(table(results, items, limit), end="\n\n")
    if part != "held":
        _write(corpus, results)
    return 0


def _write(corpus: str, results: Results) -> None:
    """A file for every way of cutting, so that several runs can share the work; latest.json holds all of them."""
    folder = os.path.join(corpus, "told")
    os.makedirs(folder, exist_ok=True)
    for name, at in results.items():
        with open(os.path.join(folder, f"{name}.json"), "w", encoding="utf-8") as out:
            json.dump({str(limit): found for limit, found in at.items()}, out)
    every = {name: {str(limit): found for limit, found in at.items()} for name, at in told(corpus).items()}
    with open(os.path.join(corpus, "latest.json"), "w", encoding="utf-8") as out:
        json.dump({"columns": Mark._fields, "told": every}, out, indent=1)
    if "smart" in results:
        with open(os.path.join(corpus, "misses.md"), "w", encoding="utf-8") as out:
            out.write(
                "\n\n".join(misses(results["smart"], limit) for limit in results["smart"] if limit >= WORTH_LISTING)
            )


def told(corpus: str) -> Results:
    """The newest marks of every way of cutting, ours first."""
    folder = os.path.join(corpus, "told")
    order = (*OURS, *PLAIN)
    names = sorted(name.removesuffix(".json") for name in os.listdir(folder))
    found: Results = {}
    for name in sorted(names, key=lambda name: order.index(name) if name in order else len(order)):
        with open(os.path.join(folder, f"{name}.json"), encoding="utf-8") as file:
            found[name] = {int(limit): [Mark(*row) for row in rows] for limit, rows in json.load(file).items()}
    return found


WORTH_LISTING = 8_000
"""Below this many characters most outputs cannot be told in full."""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
