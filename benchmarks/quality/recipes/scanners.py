"""Scanners for what is unsafe: of Python, of templates for clouds."""

import json
import os
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import Diagnostic, said_in, spread_facts
from shop import Shop

SCANNER = "scanner"


def bandit_run(name: str, source: str, target: str, shop: Shop) -> Iterator[Item]:
    """What bandit prints; the facts are its own list in JSON, and every place of what is severe."""
    python = shop.python("bandit", "bandit==1.7.10")
    tree = shop.sdist(source, shop.room(name))
    command = [python, "-m", "bandit", "-q", "-r", target]
    text = shop.run(command, tree).text
    listed = json.loads(shop.run([*command, "-f", "json"], tree, apart=True).text)
    found = [
        Diagnostic(
            row["filename"],
            f"{row['filename']}:{row['line_number']}:{row['col_offset']}",
            row["test_id"],
            row["issue_text"],
        )
        for row in listed["results"]
    ]
    severe = [row["issue_severity"] == "HIGH" for row in listed["results"]]
    more = [Fact("location", (one.place,)) for one, bad in zip(found, severe, strict=True) if bad]
    yield Item(name, SCANNER, "text", f"bandit -r {target}", text, said_in((*spread_facts(found), *more), text))


def cloud_template_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What cfn-lint prints of the faulty templates that it is tested with; the facts are its own list in JSON."""
    python = shop.python("cfn-lint", "cfn-lint==1.15.0")
    tree = shop.sdist(source, shop.room(name))
    command = [os.path.join(os.path.dirname(python), "cfn-lint"), f"{folder}/**/*.yaml"]
    text = shop.run(command, tree, seconds=400).text
    found = []
    for row in json.loads(shop.run([*command, "--format", "json"], tree, seconds=400, apart=True).text):
        at = row["Location"]["Start"]
        place = f"{row['Filename']}:{at['LineNumber']}:{at['ColumnNumber']}"
        found.append(Diagnostic(row["Filename"], place, row["Rule"]["Id"], row["Message"]))
    yield Item(name, SCANNER, "text", f"cfn-lint {folder}", text, said_in(spread_facts(found), text))


RECIPES = {
    "bandit-buildbot": partial(bandit_run, "bandit-buildbot", "buildbot==4.0.4", "buildbot"),
    "cfn-lint-bad": partial(
        cloud_template_run, "cfn-lint-bad", "cfn-lint==1.15.0", "test/fixtures/templates/bad/resources"
    ),
}
