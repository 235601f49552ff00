"""Tokens to the model with and without Overspill, for the same run in each framework: the table of the docs.

`python tests/frameworks/table.py` prints it and writes it into docs/frameworks/README.md, between its marks. It is
made in the environments that `make frameworks` built.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from frameworks.run import OTHERS, ROOT, checked, environment, installed, jobs

PAGE = ROOT / "docs" / "frameworks" / "README.md"
MARKED = re.compile(r"(<!-- table: .*? -->\n).*?(<!-- end of table -->)", re.DOTALL)


def rows() -> Iterator[str]:
    yield "| framework | release | without | views | fetched again | the tools' descriptions | in all | saved |"
    yield "|---|---|--:|--:|--:|--:|--:|--:|"
    for job in jobs([], newest=True):
        python = environment(job)
        done = checked(python, job, "--measure")
        if done.returncode:
            raise SystemExit(f"{job.extra}: {done.stderr.strip().splitlines()[-1]}")
        yield row(job.extra, installed(python, job), json.loads(done.stdout.splitlines()[-1]))


def row(name: str, version: str, figures: dict[str, Any]) -> str:
    parts = [figures["views"], figures["fetched"], figures["definitions"]]
    inside = " | ".join(f"{part:,}" for part in [figures["without"], *parts, sum(parts)])
    saved = 1 - sum(parts) / figures["without"]
    page = "others" if name in OTHERS else name
    return f"| [{name}]({page}.md) | {version} | {inside} | {saved:.1%} |"


def main() -> None:
    made = "\n".join(rows())
    print(made)
    page = PAGE.read_text()
    PAGE.write_text(MARKED.sub(lambda found: f"{found[1]}\n{made}\n\n{found[2]}", page))


if __name__ == "__main__":
    main()
