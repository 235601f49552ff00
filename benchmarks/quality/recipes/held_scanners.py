"""Scanners for what is unsafe, that nobody tunes on: of Python, of templates for clouds, of infrastructure as code."""

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


BUCKET = 'resource "aws_s3_bucket" "logs_{0}" {{\n  bucket = "logs-{0}"\n{1}}}\n'
GROUP = """resource "aws_security_group" "gate_{0}" {{
  name = "gate-{0}"
  ingress {{
    from_port   = {1}
    to_port     = {1}
    protocol    = "tcp"
    cidr_blocks = ["{2}"]
  }}
}}
"""


def checkov_run(name: str, shop: Shop) -> Iterator[Item]:
    """What checkov prints of sixty resources, some of them open to the world; the facts are its own list in JSON."""
    python = shop.python("checkov", "checkov==3.2.255")
    room = shop.room(name)
    for number in range(12):
        os.makedirs(os.path.join(room, "infra", f"zone{number}"))
        open_to = "0.0.0.0/0" if number in (3, 8) else "10.0.0.0/8"
        with open(os.path.join(room, "infra", f"zone{number}", "main.tf"), "w", encoding="utf-8") as out:
            out.write(BUCKET.format(number, '  acl = "public-read"\n' if number == 5 else ""))
            out.write(GROUP.format(number, 22 if number == 8 else 443, open_to))
    command = [os.path.join(os.path.dirname(python), "checkov"), "-d", "infra", "--framework", "terraform", "--compact"]
    text = shop.run([*command, "--quiet"], room, seconds=400, apart=True).text
    listed = json.loads(shop.run([*command, "-o", "json"], room, seconds=400, apart=True).text)
    failed = listed["results"]["failed_checks"]
    facts = [Fact("code", (row["check_id"],)) for row in failed] + [
        Fact("message", (row["check_name"],)) for row in failed
    ]
    facts += [Fact("name", (row["resource"],)) for row in failed]
    facts += [Fact("path", (row["file_path"].removeprefix("/"),)) for row in failed]
    facts += [Fact("count", (f"Failed checks: {listed['summary']['failed']}",))]
    yield Item(name, SCANNER, "text", "checkov -d infra", text, said_in(facts, text))


RECIPES = {
    "bandit-buildbot": partial(bandit_run, "bandit-buildbot", "buildbot==4.0.4", "buildbot"),
    "cfn-lint-bad": partial(
        cloud_template_run, "cfn-lint-bad", "cfn-lint==1.15.0", "test/fixtures/templates/bad/resources"
    ),
    "checkov-zones": partial(checkov_run, "checkov-zones"),
}
