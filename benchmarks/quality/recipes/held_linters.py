"""Linters that nobody tunes on: of scripts, Python's docstrings, SQL, Lua, pages and descriptions of interfaces."""

import glob
import json
import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from xml.etree import ElementTree as ET

from items import Item
from reports import Diagnostic, diagnostic_facts, said_in, spread_facts
from shop import Shop

RARE = 12
LINTER, DESCRIPTIONS = "linter", "checker of descriptions"


def read(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def checkstyle_findings(spelt: str, report: str) -> list[Diagnostic]:
    """The findings of a report in checkstyle's XML; `spelt` is how the tool's text spells a place."""
    found = []
    for file in ET.fromstring(report).iter("file"):
        path = file.get("name") or ""
        for row in file.iter("error"):
            place = spelt.format(path=path, line=row.get("line"), column=row.get("column"))
            code = (row.get("source") or "") if "jshint" not in (row.get("source") or "") else ""
            found.append(Diagnostic(path, place, code, row.get("message") or ""))
    return found


def oxlint_findings(report: str) -> list[Diagnostic]:
    found = []
    for one in json.loads(report)["diagnostics"]:
        at = one["labels"][0]["span"] if one["labels"] else {}
        place = f"{one['filename']}:{at.get('line')}:{at.get('column')}"
        found.append(Diagnostic(one["filename"], place, one.get("code") or "", one["message"]))
    return found


def html_findings(report: str) -> list[Diagnostic]:
    found = []
    for file in json.loads(report):
        path = file["filePath"]
        for row in file["messages"]:
            place = f"{path}:{row['line']}:{row['column']}"
            found.append(Diagnostic(path, place, row["ruleId"], row["message"]))
    return found


def spectral_findings(report: str) -> list[Diagnostic]:
    found, rows = [], json.loads(report)
    codes = Counter(row["code"] for row in rows)
    for row in rows:
        at = row["range"]["start"]
        place = f"{at['line'] + 1}:{at['character'] + 1}"
        pointer = ".".join(map(str, row["path"]))
        found.append(Diagnostic("", place, row["code"], row["message"]))
        if codes[row["code"]] <= RARE:
            found.append(Diagnostic("", place, "", pointer))
    return found


def scripted(
    name: str,
    family: str,
    tools: tuple[str, ...],
    source: str,
    command: tuple[str, ...],
    machine: tuple[str, ...],
    findings: Callable[[str], list[Diagnostic]],
    shop: Shop,
    *,
    files: tuple[tuple[str, str], ...] = (),
    apart: bool = False,
) -> Iterator[Item]:
    """What a linter of npm's prints of a package; the facts are those of its report for machines."""
    room = shop.room(name)
    tree = shop.npm_source(source, room) if "@" in source else os.path.join(room, "package")
    if "@" not in source:  # files of Debian's, by package and pattern
        package, pattern = source.split("/", 1)
        os.makedirs(tree)
        for path in glob.glob(os.path.join(shop.debian_package(package), pattern)):
            shutil.copy(path, tree)
    shop.npm(room, *tools)
    for path, text in files:
        with open(os.path.join(tree, path), "w", encoding="utf-8") as out:
            out.write(text)
    tool = [os.path.join(room, "node_modules", ".bin", command[0]), *command[1:]]
    text = shop.run(tool, tree).text.replace(f"{tree}/", "")
    with open(os.path.join(room, "report"), "w+", encoding="utf-8") as out:
        # Into a file: node does not wait until a pipe is empty.
        subprocess.run(
            [*tool, *machine],
            cwd=tree,
            stdin=subprocess.DEVNULL,
            stdout=out,
            env=shop.environment(),
            check=False,
            timeout=300,
        )
        out.seek(0)
        found = findings(out.read().replace(f"{tree}/", ""))
    facts = spread_facts(found) if apart else diagnostic_facts(found)
    yield Item(name, family, "text", " ".join(command), text, said_in(facts, text))


DOCSTRINGS = """import json, sys, pydocstyle
for one in pydocstyle.check(sys.argv[2:], ignore_decorators=None):
    print(json.dumps([one.filename, one.line, one.code, one.short_desc, one.definition.kind + " `" + one.definition.name + "`"]))
"""


def docstring_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What pydocstyle prints; the facts are the errors that its own library lists."""
    python = shop.python("pydocstyle", "pydocstyle==6.3.0")
    tree = shop.sdist(source, shop.room(name))
    text = shop.run([python, "-m", "pydocstyle", "--convention=pep257", folder], tree).text
    codes = set(re.findall(r"\b(D\d{3}): ", text))
    paths = sorted(set(re.findall(r"^(\S+\.py):\d+ ", text, re.MULTILINE)))
    found = []
    for line in shop.run([python, "-c", DOCSTRINGS, "-", *paths], tree, apart=True).text.splitlines():
        path, row, code, said, _ = json.loads(line)
        if code in codes:
            found.append(Diagnostic(path, f"{path}:{row}", code, said))
    yield Item(name, LINTER, "text", f"pydocstyle {folder}", text, said_in(spread_facts(found), text))


def sql_run(name: str, package: str, pattern: str, shop: Shop) -> Iterator[Item]:
    """What sqlfluff prints of statements; the facts are those of its JSON."""
    python = shop.python("sqlfluff", "sqlfluff==3.2.0")
    room = shop.room(name)
    for path in glob.glob(os.path.join(shop.debian_package(package), pattern)):
        shutil.copy(path, room)
    command = [
        os.path.join(os.path.dirname(python), "sqlfluff"),
        "lint",
        "--dialect",
        "postgres",
        "--disable-progress-bar",
    ]
    text = shop.run([*command, "."], room, seconds=500).text
    report = shop.run([*command, "--format", "json", "."], room, seconds=500, apart=True).text
    found = []
    for file in json.loads(report):
        for row in file["violations"]:
            place = f"L:{row['start_line_no']:>4} | P:{row['start_line_pos']:>4}"
            found.append(Diagnostic(os.path.basename(file["filepath"]), place, row["code"], row["description"][:60]))
    yield Item(name, LINTER, "text", "sqlfluff lint .", text, said_in(spread_facts(found), text))


def lua_run(name: str, package: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What luacheck prints of a Lua library; the facts are those of its plain form with codes."""
    shop.install("luacheck", "lua-check")
    tree = shop.debian_package(package)
    text = shop.run(["luacheck", "--no-config", "--no-color", "--codes", folder], tree).text
    plain = shop.run(["luacheck", "--no-config", "--codes", "--formatter", "plain", folder], tree).text
    rows = re.findall(r"^(.+?):(\d+):(\d+): \((\w+)\) (.*)$", plain, re.MULTILINE)
    found = [Diagnostic(path, f"{path}:{line}:{column}", code, said) for path, line, column, code, said in rows]
    yield Item(name, LINTER, "text", f"luacheck --codes {folder}", text, said_in(diagnostic_facts(found), text))


PAGES = '{"extends": ["html-validate:recommended"]}\n'
RULES = "extends: ['spectral:oas']\n"

RECIPES = {
    "oxlint-moment": partial(
        scripted, "oxlint-moment", LINTER, ("oxlint@1.6.0",), "moment@2.30.1",
        ("oxlint", "-A", "all", "-W", "correctness", "-W", "suspicious", "-W", "style", "--threads=1", "src/lib"), ("-f", "json"), oxlint_findings, apart=True,
    ),
    "jshint-knockout": partial(
        scripted, "jshint-knockout", LINTER, ("jshint@2.13.6",), "knockout@3.5.1",
        ("jshint", "--verbose", "."), ("--reporter=checkstyle",), partial(checkstyle_findings, "{path}: line {line}, col {column}"),
    ),
    "html-validate-sqlite": partial(
        scripted, "html-validate-sqlite", DESCRIPTIONS, ("html-validate@8.24.0",), "sqlite3-doc/usr/share/doc/sqlite3*/[l-m]*.html",
        ("html-validate", "."), ("-f", "json"), html_findings, files=((".htmlvalidate.json", PAGES),),
    ),
    "spectral-oas": partial(
        scripted, "spectral-oas", DESCRIPTIONS, ("@stoplight/spectral-cli@6.13.1",), "@readme/oas-examples@5.12.0",
        ("spectral", "lint", "3.0/json/readme.json", "3.0/json/star-trek.json"), ("-f", "json"), spectral_findings, files=((".spectral.yaml", RULES),),
    ),
    "pydocstyle-pyparsing": partial(docstring_run, "pydocstyle-pyparsing", "pyparsing==3.1.2", "pyparsing"),
    "sqlfluff-extensions": partial(
        sql_run, "sqlfluff-extensions", "postgresql-15", "usr/share/postgresql/15/extension/[c-l]*.sql"
    ),
    "luacheck-penlight": partial(lua_run, "luacheck-penlight", "lua-penlight", "usr/share/lua/5.3/pl"),
}  # fmt: skip
