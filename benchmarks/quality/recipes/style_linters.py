"""Linters: of YAML, style sheets, markdown, Ruby, Perl, C and Java."""

import json
import os
import re
from collections.abc import Iterator
from functools import partial
from xml.etree import ElementTree as ET

from items import Fact, Item
from reports import Diagnostic, diagnostic_facts, said_in
from shop import Shop

MARKUP, CODE = "linter of markup", "linter of code"


def yamllint_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """What yamllint prints, a heading a file; the facts are its own list for machines."""
    python = shop.python("yamllint", "yamllint==1.35.1")
    tree = shop.sdist(source, shop.room(name))
    command = [python, "-m", "yamllint", "-d", "{extends: default, ignore: [examples/broken/encoding.yml]}"]
    text = shop.run([*command, "-f", "standard", "."], tree).text
    found = []
    for line in shop.run([*command, "-f", "parsable", "."], tree).text.splitlines():
        if row := re.match(r"\./(.+?):(\d+):(\d+): \[\w+\] (.*?)(?: \(([\w-]+)\))?$", line):
            said = re.sub(r" \(\d+ > .*", "", row[4])
            found.append(Diagnostic(row[1], f"{row[1]}:{row[2]}:{row[3]}", row[5] or "", said))
    yield Item(name, MARKUP, "text", "yamllint .", text, said_in(diagnostic_facts(found), text))


def stylelint_run(name: str, package: str, shop: Shop) -> Iterator[Item]:
    """What stylelint prints; the facts are its own list in JSON."""
    room = shop.room(name)
    tree = os.path.relpath(shop.npm_source(package, room), room)
    shop.npm(room, "stylelint@16.9.0", "stylelint-config-standard-scss@13.1.0")
    with open(os.path.join(room, ".stylelintrc.json"), "w", encoding="utf-8") as out:
        json.dump({"extends": "stylelint-config-standard-scss"}, out)
    command = [os.path.join(room, "node_modules", ".bin", "stylelint"), f"{tree}/scss/**/*.scss"]
    text = shop.run(command, room, env={"COLUMNS": "160"}).text
    report = os.path.join(room, "report.json")
    shop.run([*command, "-f", "json", "-o", report], room)
    found = []
    with open(report, encoding="utf-8") as file:
        for one in json.load(file):
            path = os.path.relpath(one["source"], room)
            for row in one["warnings"]:
                said = row["text"].removesuffix(f" ({row['rule']})")
                found.append(Diagnostic(path, f"{path}:{row['line']}:{row['column']}", row["rule"], said))
    yield Item(name, MARKUP, "text", "stylelint scss", text, said_in(diagnostic_facts(found), text))


def markdownlint_run(name: str, package: str, shop: Shop) -> Iterator[Item]:
    """What markdownlint-cli prints; the facts are its own list in JSON."""
    room = shop.room(name)
    tree = shop.npm_source(package, room)
    shop.npm(room, "markdownlint-cli@0.42.0")
    command = [os.path.join(room, "node_modules", ".bin", "markdownlint"), "."]
    text = shop.run(command, tree).text
    found = []
    for row in json.loads(shop.run([*command, "--json"], tree).text):
        code = "/".join(row["ruleNames"])
        place = f"{row['fileName']}:{row['lineNumber']}"
        found.append(Diagnostic(row["fileName"], place, code, row["ruleDescription"]))
    yield Item(name, MARKUP, "text", "markdownlint .", text, said_in(diagnostic_facts(found), text))


def rubocop_run(name: str, package: str, shop: Shop) -> Iterator[Item]:
    """What rubocop prints of a Ruby package; the facts are its own list in JSON."""
    shop.install("rubocop")
    tree = shop.debian_source(package, shop.room(name))
    command = ["rubocop", "--cache", "false", "--force-default-config", "--display-cop-names", "lib"]
    text = shop.run(command, tree, apart=True).text
    listed = json.loads(shop.run([*command, "--format", "json"], tree, apart=True).text)
    found = [
        Diagnostic(
            file["path"],
            f"{file['path']}:{one['location']['line']}:{one['location']['column']}",
            one["cop_name"],
            one["message"],
        )
        for file in listed["files"]
        for one in file["offenses"]
    ]
    total = Fact("count", (f"{len(found)} offenses",))
    yield Item(name, CODE, "text", "rubocop lib", text, said_in(diagnostic_facts(found, total), text))


def perlcritic_run(name: str, package: str, shop: Shop) -> Iterator[Item]:
    """What perlcritic prints of a Perl package; the facts are the same findings with tabs between the parts."""
    shop.install("perlcritic", "libperl-critic-perl")
    tree = shop.debian_source(package, shop.room(name))
    command = ["perlcritic", "--noprofile", "--severity", "3", "--quiet"]
    text = shop.run([*command, "lib"], tree, seconds=500).text
    parted = shop.run([*command, "--verbose", "%f\t%l\t%c\t%p\t%m\n", "lib"], tree, seconds=500).text
    places: dict[str, list[str]] = {}
    facts: list[Fact] = []
    for line in parted.splitlines():
        if line.count("\t") == 4:
            path, row, column, _, said = line.split("\t")
            spelt = f"{path}: {said} at line {row}, column {column}"
            places.setdefault(said, []).extend((f"{path}:{row}:{column}", spelt))
            facts += [Fact("path", (path,)), Fact("path", (os.path.dirname(path),))]
    facts += [Fact("record", tuple(at), (said,)) for said, at in places.items()]
    yield Item(name, CODE, "text", "perlcritic lib", text, said_in(facts, text))


def cppcheck_run(name: str, package: str, shop: Shop) -> Iterator[Item]:
    """What cppcheck prints of a program in C; the facts are those of its XML."""
    shop.install("cppcheck")
    tree = shop.debian_source(package, shop.room(name))
    command = ["cppcheck", "-q", "--enable=all", "--inconclusive", "--max-configs=1", "src"]
    text = shop.run(command, tree, seconds=500).text
    shop.run([*command, "--xml", "--output-file=report.xml"], tree, seconds=500)
    with open(os.path.join(tree, "report.xml"), encoding="utf-8") as file:
        listed = file.read()
    found = []
    for error in ET.fromstring(listed).iter("error"):
        at = error.find("location")
        if at is not None:
            path = at.get("file") or ""
            place = f"{path}:{at.get('line')}:{at.get('column')}"
            found.append(Diagnostic(path, place, error.get("id") or "", error.get("msg") or ""))
    yield Item(name, CODE, "text", "cppcheck --enable=all", text, said_in(diagnostic_facts(found), text))


def checkstyle_run(name: str, package: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What checkstyle prints of a Java library by Google's rules; the facts are those of its XML."""
    shop.install("checkstyle")
    tree = shop.sdist(package, shop.room(name))
    command = ["checkstyle", "-c", "/google_checks.xml", folder]
    text = shop.run(command, tree, seconds=500).text.replace(f"{tree}/", "")
    listed = shop.run([*command, "-f", "xml"], tree, seconds=500, apart=True).text
    listed = listed[listed.index("<?xml") : listed.rindex("</checkstyle>") + len("</checkstyle>")]
    found = []
    for file in ET.fromstring(listed).iter("file"):
        path = os.path.relpath(file.get("name") or "", tree)
        for error in file.iter("error"):
            column = f":{error.get('column')}" if error.get("column") else ""
            rule = (error.get("source") or "").rpartition(".")[2].removesuffix("Check")
            found.append(Diagnostic(path, f"{path}:{error.get('line')}{column}", rule, error.get("message") or ""))
    yield Item(name, CODE, "text", f"checkstyle {folder}", text, said_in(diagnostic_facts(found), text))


RECIPES = {
    "yamllint-ansible-lint": partial(yamllint_run, "yamllint-ansible-lint", "ansible-lint==24.9.2"),
    "stylelint-bootstrap": partial(stylelint_run, "stylelint-bootstrap", "bootstrap@5.3.3"),
    "markdownlint-jsx-a11y": partial(markdownlint_run, "markdownlint-jsx-a11y", "eslint-plugin-jsx-a11y@6.10.0"),
    "rubocop-hashie": partial(rubocop_run, "rubocop-hashie", "ruby-hashie"),
    "perlcritic-libwww": partial(perlcritic_run, "perlcritic-libwww", "libwww-perl"),
    "cppcheck-lua": partial(cppcheck_run, "cppcheck-lua", "lua5.4"),
    "checkstyle-jpype": partial(checkstyle_run, "checkstyle-jpype", "jpype1==1.5.0", "native/java"),
}
