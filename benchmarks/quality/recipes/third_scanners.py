"""Scanners that nobody tunes on; the facts are those of their reports for machines."""

import csv
import glob
import io
import json
import os
import re
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import Diagnostic, diagnostic_facts, said_in, spread_facts
from shop import Shop

from recipes.held_suites import write

SCANNER = "scanner"


def flawfinder_run(name: str, package: str, pattern: str, shop: Shop) -> Iterator[Item]:
    """What flawfinder prints of C sources; the facts are those of its CSV."""
    python = shop.python("flawfinder", "flawfinder==2.0.19", "setuptools<80")
    tree = shop.debian_source(package, shop.room(name))
    tool = [python, os.path.join(os.path.dirname(python), "flawfinder"), "--quiet", "--minlevel=1"]
    paths = sorted(os.path.relpath(one, tree) for one in glob.glob(os.path.join(tree, pattern)))
    text = shop.run([*tool, *paths], tree).text
    found = []
    for row in csv.DictReader(io.StringIO(shop.run([*tool, "--csv", *paths], tree, apart=True).text)):
        place = f"{row['File']}:{row['Line']}"
        found.append(Diagnostic(row["File"], place, "", f"({row['Category']}) {row['Name']}:"))
        found += [Diagnostic(row["File"], place, one, "") for one in row["CWEs"].split(", ")]
    facts = [
        *diagnostic_facts(found),
        *(Fact("message", (line,)) for line in text.splitlines() if line.startswith("Hits = ")),
    ]
    yield Item(name, SCANNER, "text", "flawfinder", text, said_in(facts, text))


RULES = """rules:
- {id: broad-except, languages: [python], severity: WARNING, message: an exception is swallowed without a word, pattern: "try: ...\\nexcept Exception: pass"}
- {id: open-without-encoding, languages: [python], severity: INFO, message: a file is opened without an encoding, patterns: [{pattern: "open(...)"}, {pattern-not: "open(..., encoding=$E, ...)"}]}
- {id: shell-true, languages: [python], severity: ERROR, message: a command goes through the shell, pattern: "subprocess.$F(..., shell=True, ...)"}
- {id: assert-in-code, languages: [python], severity: INFO, message: an assert vanishes under -O, pattern: "assert $X"}
- {id: old-format, languages: [python], severity: INFO, message: a string is put together with the percent sign, pattern: '"..." % $X'}
- {id: eval-used, languages: [python], severity: ERROR, message: eval runs what it is given, pattern: "eval(...)"}
- {id: global-statement, languages: [python], severity: WARNING, message: a function changes a global name, pattern: "global $X"}
"""


def semgrep_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What semgrep prints of a package by rules that are written here; the facts are those of its JSON."""
    python = shop.python("semgrep", "semgrep==1.90.0", "setuptools<80")
    room = shop.room(name)
    tree = shop.sdist(source, room)
    write(os.path.join(room, "rules.yaml"), RULES)
    tool = [
        os.path.join(os.path.dirname(python), "semgrep"),
        "scan",
        "--metrics=off",
        "--disable-version-check",
        "--no-git-ignore",
        "-j",
        "1",
        "--config",
        os.path.join(room, "rules.yaml"),
    ]
    env = {"PATH": f"{os.path.dirname(python)}:{shop.environment()['PATH']}", "HOME": room}
    text = shop.run([*tool, folder], tree, seconds=500, env=env).text
    found = []
    for row in json.loads(shop.run([*tool, "--json", "-q", folder], tree, seconds=500, env=env, apart=True).text)[
        "results"
    ]:
        code = row["check_id"].rpartition(".")[2]
        found.append(Diagnostic(row["path"], row["path"], code, row["extra"]["message"]))
    facts = [fact for fact in spread_facts(found) if fact.kind != "location"]
    facts += [
        Fact("message", (line.strip(),))
        for line in text.splitlines()
        if re.search(r"Ran \d+ rules? on \d+ files", line)
    ]
    yield Item(name, SCANNER, "text", f"semgrep scan {folder}", text, said_in(facts, text))


def zizmor_run(name: str, shop: Shop) -> Iterator[Item]:
    """What zizmor prints of workflows written here; the facts are those of its JSON."""
    python = shop.python("zizmor", "zizmor==1.5.2")
    room = shop.room(name)
    for number in range(14):
        steps = "      - uses: actions/checkout@v4\n"
        steps += f"      - run: echo ${{{{ github.event.issue.title }}}} shelf {number}\n" if number % 4 == 1 else ""
        steps += f"      - uses: keeper/weigh-{number}@main\n" if number % 3 == 2 else ""
        when = "pull_request_target" if number % 6 == 5 else "push"
        write(
            os.path.join(room, ".github", "workflows", f"shelf-{number}.yml"),
            f"on: {when}\njobs:\n  pack-{number}:\n    runs-on: ubuntu-latest\n    steps:\n{steps}",
        )
    tool = [os.path.join(os.path.dirname(python), "zizmor"), "--offline", "--no-progress", "--persona=pedantic"]
    text = shop.run([*tool, "."], room).text
    found = []
    for row in json.loads(shop.run([*tool, "--format=json", "."], room, apart=True).text):
        at = (
            next(one for one in row["locations"] if one["symbolic"].get("kind") == "Primary")
            if any(one["symbolic"].get("kind") == "Primary" for one in row["locations"])
            else row["locations"][0]
        )
        path = at["symbolic"]["key"]["Local"]["given_path"].removeprefix("./")
        point = at["concrete"]["location"]["start_point"]
        found.append(Diagnostic(path, f"{path}:{point['row'] + 1}:{point['column'] + 1}", row["ident"], row["desc"]))
    facts = [*spread_facts(found), *(Fact("message", (line.strip(),)) for line in text.splitlines()[-1:])]
    yield Item(name, SCANNER, "text", "zizmor .", text, said_in(facts, text))


RECIPES = {
    "flawfinder-zlib": partial(flawfinder_run, "flawfinder-zlib", "zlib", "**/*.c"),
    "semgrep-docutils": partial(semgrep_run, "semgrep-docutils", "docutils==0.21.2", "docutils"),
    "zizmor-shelves": partial(zizmor_run, "zizmor-shelves"),
}
