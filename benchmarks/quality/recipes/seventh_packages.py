"""Package managers, trees, bills of materials and licences that nobody tunes on; their JSON tells the facts."""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import changed_facts, said_in
from shop import Shop

from recipes.held_documents import keys_of
from recipes.held_suites import write
from recipes.third_linters import report_file

PACKAGES, BILL, LICENCES = "package manager", "bill of materials", "licences"

NEEDS = {"express": "4.19.2", "eslint": "8.57.0", "mocha": "10.7.3", "webpack": "5.94.0"}


def npm_tree(shop: Shop, name: str, needs: dict[str, str]) -> str:
    """A room with a lock file of these packages."""
    shop.need("npm")
    room = shop.room(name)
    write(
        os.path.join(room, "package.json"), json.dumps({"name": "shelves", "version": "1.0.0", "dependencies": needs})
    )
    shop.run(["npm", "install", "--package-lock-only", "--no-audit", "--no-fund", "--ignore-scripts"], room)
    return room


def explain_run(name: str, packages: str, shop: Shop) -> Iterator[Item]:
    """`npm explain`: who needs a package; the facts, from its JSON, are every package on the way with its version."""
    room = shop.room(name)
    shop.npm(room, *(f"{one}@{version}" for one, version in NEEDS.items()))
    text = report_file(shop, ["npm", "explain", *packages.split()], room, room)
    rows = json.loads(report_file(shop, ["npm", "explain", "--json", *packages.split()], room, room))
    facts = []

    def walk(node: dict[str, object]) -> None:
        if node.get("name"):
            facts.append(Fact("message", (f"{node['name']}@{node['version']}",)))
        if node.get("location"):
            facts.append(Fact("path", (str(node["location"]),)))
        for edge in node.get("dependents") or ():  # type: ignore[attr-defined]
            facts.append(Fact("message", (f'{edge["name"]}@"{edge["spec"]}"',)))
            walk(edge["from"])

    for row in rows:
        walk(row)
    yield Item(name, PACKAGES, "text", f"npm explain {packages}", text, said_in(facts, text))


def sbom_run(name: str, shop: Shop) -> Iterator[Item]:
    """`npm sbom` as SPDX; the facts are every package with its version, the licences, and the keys."""
    room = npm_tree(shop, name, NEEDS)
    text = report_file(shop, ["npm", "sbom", "--package-lock-only", "--sbom-format", "spdx"], room, room)
    document = json.loads(text)
    rows = document["packages"]
    facts = [Fact("key", (key,)) for key in keys_of(document)]
    facts += [Fact("message", (f'"{row["name"]}"', f"{row['name']}@{row['versionInfo']}")) for row in rows]
    licences = dict.fromkeys(row.get("licenseDeclared") for row in rows)
    facts += [Fact("message", (f'"{one}"',)) for one in licences if one]
    yield Item(name, BILL, "json", "npm sbom --sbom-format spdx", text, said_in(facts, text))


def diff_run(name: str, old: str, new: str, shop: Shop) -> Iterator[Item]:
    """`npm diff` between two releases; the facts are what git counts of the same change."""
    room = shop.room(name)
    trees = []
    for spec in (old, new):
        trees.append(os.path.join(room, spec))
        os.makedirs(trees[-1])
        os.rename(shop.npm_source(spec, trees[-1]), os.path.join(trees[-1], "package"))
    text = report_file(shop, ["npm", "diff", f"--diff={old}", f"--diff={new}"], room, room)
    command = ["git", "diff", "--no-index", f"{old}/package", f"{new}/package"]
    flat = partial(re.sub, rf"{re.escape(old)}/package/|{re.escape(new)}/package/", "")
    numstat = shop.run([*command[:2], "--numstat", "--no-renames", *command[2:]], room).text
    whole = shop.run([*command[:2], "--no-renames", *command[2:]], room).text
    rows = []
    for line in numstat.splitlines():
        added, removed, path = line.split("\t")
        path = re.sub(r"\{(.*?) => (.*?)\}", r"\2", path) if "{" in path else path.split(" => ")[-1]
        rows.append("\t".join((added, removed, flat(path).replace("/dev/null", ""))))
    facts = [fact for fact in changed_facts("\n".join(rows), "", flat(whole)) if fact.kind != "size"]
    yield Item(name, PACKAGES, "text", f"npm diff --diff={old} --diff={new}", text, said_in(facts, text))


def licences_run(name: str, package: str, shop: Shop) -> Iterator[Item]:
    """`licensecheck -r`; the facts, from its form for machines, are every licence, and the files of the rare ones."""
    shop.install("licensecheck")
    tree = shop.debian_source(package, shop.room(name))
    text = shop.run(["licensecheck", "-r", "."], tree, apart=True, seconds=500).text
    rows = [
        line.split("\t")
        for line in shop.run(["licensecheck", "-r", "-m", "."], tree, apart=True, seconds=500).text.splitlines()
    ]
    counts = Counter(row[1] for row in rows if len(row) > 1)
    facts = [Fact("message", (one,)) for one in counts]
    facts += [
        Fact("odd", (), (row[0].removeprefix("./"), row[1])) for row in rows if len(row) > 1 and counts[row[1]] <= 6
    ]
    folders = dict.fromkeys(os.path.dirname(row[0]).removeprefix("./").removeprefix(".") for row in rows)
    facts += [Fact("path", (one,)) for one in folders if one]
    yield Item(name, LICENCES, "text", "licensecheck -r .", text, said_in(facts, text))


RECIPES = {
    "npm-explain-ms": partial(explain_run, "npm-explain-ms", "ms debug minimatch glob ajv"),
    "npm-sbom-spdx": partial(sbom_run, "npm-sbom-spdx"),
    "npm-diff-express": partial(diff_run, "npm-diff-express", "express@4.17.1", "express@4.19.2"),
    "licensecheck-libevent": partial(licences_run, "licensecheck-libevent", "libevent"),
}
