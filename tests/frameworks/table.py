"""Tokens to the model with and without Overspill, for the same run in each framework: the table of the docs.

`python tests/frameworks/table.py` prints it and writes it into docs/frameworks/README.md, between its marks, and
into the page of each framework what the model sees of a long log. Runs in the environments of `make frameworks`.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from frameworks.run import OTHERS, ROOT, checked, environment, installed, jobs

PAGES = ROOT / "docs" / "frameworks"
MARKED = re.compile(r"(<!-- measured .*? -->\n).*?(<!-- end -->)", re.DOTALL)
HEAD = """| framework | release | without | views | fetched again | descriptions | with, in all | saved |
|---|---|--:|--:|--:|--:|--:|--:|"""


def measured() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for job in jobs(sys.argv[1:], newest=True):
        python = environment(job)
        done = checked(python, job, "--measure")
        if done.returncode:
            raise SystemExit(f"{job.extra}: {done.stderr.strip().splitlines()[-1]}")
        yield job.extra, installed(python, job), json.loads(done.stdout.splitlines()[-1])


def row(name: str, version: str, figures: dict[str, Any]) -> str:
    parts = [figures["views"], figures["fetched"], figures["definitions"]]
    inside = " | ".join(f"{part:,}" for part in [figures["without"], *parts, sum(parts)])
    saved = 1 - sum(parts) / figures["without"]
    page = "others" if name in OTHERS else name
    return f"| [{name}]({page}.md) | {version} | {inside} | {saved:.0%} |"


def seen(name: str, version: str, figures: dict[str, Any]) -> str:
    """What the model sees of a long log, before and after."""
    before, after = figures["log"]
    lines = [line[:110] for line in figures["view"].replace("\\n", "\n").replace('\\"', '"').splitlines()]
    gap = next(place for place, line in enumerate(lines) if "omitted" in line)
    parts = [*lines[:1], "(...)", *lines[gap - 2 : gap + 4], "(...)", *lines[-2:]]
    sentence = (
        f"Measured with {name} {version} and {figures['counter']} tokens: of a build log of 6,000 lines the model "
        f"reads {before:,} tokens without Overspill, and {after:,} with it. Its view, in short:"
    )
    return "\n".join([sentence, "", "```text", *parts, "```"])


def write(page: Path, made: str) -> None:
    if not page.exists():
        return
    page.write_text(MARKED.sub(lambda found: f"{found[1]}\n{made}\n\n{found[2]}", page.read_text()))


def main() -> None:
    rows = [HEAD]
    for one in measured():
        rows.append(row(*one))
        write(PAGES / f"{one[0]}.md", seen(*one))
    made = "\n".join(rows)
    print(made)
    write(PAGES / "README.md", made)


if __name__ == "__main__":
    main()
