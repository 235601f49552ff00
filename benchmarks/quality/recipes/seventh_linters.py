"""Linters and formatters that nobody tunes on, on real packages; their reports for machines tell the facts."""

import glob
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from functools import partial

from items import Fact, Item
from reports import Diagnostic, diagnostic_facts, said_in, spread_facts
from shop import Shop

from recipes.fifth_suites import last_words, plain
from recipes.held_linters import read
from recipes.held_suites import write
from recipes.seventh_tools import npm_room, npm_tool, python_tools, tool_of
from recipes.third_linters import changed_by, report_file

LINTER, FORMATTER = "linter", "formatter"


def found_facts(found: list[Diagnostic], text: str, more: Iterable[Fact] = ()) -> tuple[Fact, ...]:
    """Every message with one of its places; apart where the text does not have both on a line."""
    together = said_in(diagnostic_facts(found), text)
    paired = {fact.together for fact in together if fact.kind == "record"}
    apart = [one for one in found if not any(one.message.startswith(said) for said, *_ in paired)]
    return said_in((*together, *spread_facts(apart), *more), text)


def refurb_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What refurb prints of a package; the facts are those of its format for GitHub."""
    tool = tool_of(shop, "refurb")
    tree = shop.sdist(source, shop.room(name))
    command = [tool, folder, "--enable-all", "--python-version", "3.11", "--quiet"]
    text = shop.run(command, tree, seconds=500).text.replace(f"{tree}/", "")
    rows = shop.run([*command, "--format", "github"], tree, seconds=500, apart=True).text.replace(f"{tree}/", "")
    row = re.compile(r"^::error line=(\d+),col=(\d+),title=Refurb (\w+),file=(.*?)::(.*)$", re.MULTILINE)
    found = [
        Diagnostic(path, f"{path}:{line}:{column}", code, said) for line, column, code, path, said in row.findall(rows)
    ]
    yield Item(name, LINTER, "text", f"refurb {folder}", text, found_facts(found, text))


def buf_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `buf lint` prints of Google's descriptions of interfaces; the facts are those of its JSON."""
    tool = npm_tool(shop, "buf")
    room = shop.room(name)
    python = python_tools(shop)
    asked = [python, "-c", "import google.api, os; print(os.path.dirname(os.path.dirname(google.api.__path__[0])))"]
    where = shop.run(asked, room, apart=True).text.strip()
    for path in glob.glob(os.path.join(where, "google", "**", "*.proto"), recursive=True):
        write(os.path.join(room, os.path.relpath(path, where)), read(path))
    write(os.path.join(room, "buf.yaml"), "version: v2\nlint:\n  use: [STANDARD, COMMENTS]\n")
    text = shop.run([tool, "lint"], room).text
    found = []
    for line in shop.run([tool, "lint", "--error-format=json"], room, apart=True).text.splitlines():
        row = json.loads(line)
        found.append(
            Diagnostic(row["path"], f"{row['path']}:{row['start_line']}:{row['start_column']}", "", row["message"])
        )
    yield Item(name, LINTER, "text", "buf lint", text, found_facts(found, text))


def deno_lint(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What `deno lint` prints of a package; the facts are those of its JSON."""
    tool = npm_tool(shop, "deno")
    tree = shop.npm_source(source, shop.room(name))
    command = [tool, "lint", "--no-config", folder]
    text = plain(shop.run(command, tree).text).replace(f"{tree}/", "")
    report = shop.run([*command, "--json"], tree, apart=True).text
    found = []
    for row in json.loads(report)["diagnostics"]:
        path, at = row["filename"].removeprefix("file://").removeprefix(f"{tree}/"), row["range"]["start"]
        found.append(Diagnostic(path, f"{path}:{at['line']}:{at['col'] + 1}", row["code"], row["message"]))
    yield Item(
        name, LINTER, "text", f"deno lint {folder}", text, found_facts(found, text, last_words(text, r"^Found \d+ .*"))
    )


def documents(shop: Shop, name: str, source: str, pattern: str) -> tuple[str, list[str]]:
    """The documents of a package beside the tools that look for their rules there; their directory and paths."""
    tree = shop.npm_source(source, shop.room(name))
    where = os.path.join(npm_room(shop), name)
    shutil.rmtree(where, ignore_errors=True)
    shutil.copytree(tree, where)
    return where, sorted(os.path.relpath(one, where) for one in glob.glob(os.path.join(where, pattern), recursive=True))


def textlint_run(name: str, source: str, pattern: str, shop: Shop) -> Iterator[Item]:
    """What textlint prints of documents; the facts are those of its JSON."""
    tool = npm_tool(shop, "textlint")
    where, paths = documents(shop, name, source, pattern)
    rules = {"write-good": True, "terminology": True, "common-misspellings": True}
    config = write(os.path.join(where, "rules.json"), json.dumps({"rules": rules}))
    command = [tool, "--config", config, "--no-color"]
    whole = [os.path.join(where, path) for path in paths]
    room = shop.room(f"{name}-report")
    text = report_file(shop, [*command, "-f", "unix", *whole], npm_room(shop), room).replace(f"{where}/", "")
    rows = json.loads(report_file(shop, [*command, "-f", "json", *whole], npm_room(shop), room))
    found = []
    for row in rows:
        path = row["filePath"].removeprefix(f"{where}/")
        found += [
            Diagnostic(path, f"{path}:{one['line']}:{one['column']}", "", one["message"]) for one in row["messages"]
        ]
    more = [Fact("message", (one["ruleId"],)) for row in rows for one in row["messages"]]
    shutil.rmtree(where)
    yield Item(
        name, LINTER, "text", f"textlint -f unix {pattern}", text,
        found_facts(found, text, (*more, *last_words(text, r"^\d+ problems?"))),
    )  # fmt: skip


def remark_run(name: str, source: str, pattern: str, shop: Shop) -> Iterator[Item]:
    """What remark's linter prints of documents; the facts are those of its JSON."""
    tool = npm_tool(shop, "remark")
    where, paths = documents(shop, name, source, pattern)
    command = [tool, "--no-stdout", "--no-color", "--quiet", "--use", "remark-preset-lint-recommended"]
    command += ["--use", "remark-preset-lint-consistent"]
    text = shop.run([*command, *paths], where).text
    report = shop.run([*command, "--report", "json", *paths], where).text
    facts = []
    for row in json.loads(report[report.index("[") :]):
        for one in row["messages"]:
            facts += [Fact("path", (row["path"],)), Fact("code", (one["ruleId"],))] if one["ruleId"] else []
            facts += [Fact("message", (one["reason"][:90].strip(),))]
    shutil.rmtree(where)
    facts += last_words(text, r"^. \d+ warnings?|^\S* ?\d+ warnings")
    yield Item(name, LINTER, "text", f"remark {pattern}", text, said_in(facts, text))


def pydoclint_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What pydoclint prints of a package; the facts are those that its library lists."""
    python = python_tools(shop)
    tree = shop.sdist(source, shop.room(name))
    text = shop.run([tool_of(shop, "pydoclint"), "--quiet", "--style=sphinx", folder], tree).text
    script = (
        "import sys, json, glob\nfrom pydoclint.main import _checkFile\nfrom pathlib import Path\n"
        "for path in sorted(glob.glob(sys.argv[1] + '/**/*.py', recursive=True)):\n"
        "    for one in _checkFile(Path(path), style='sphinx'):\n"
        "        print(json.dumps([path, one.line, one.fullErrorCode, one.msg]))\n"
    )
    found = []
    for line in shop.run([python, "-c", script, folder], tree, apart=True).text.splitlines():
        path, row, code, said = json.loads(line)
        found.append((path, row, code, said))
    facts = []
    for path, row, code, said in found:
        facts += [Fact("path", (path,)), Fact("code", (code,)), Fact("odd", (), (f"{row}:", said[:90].strip()))]
    yield Item(name, LINTER, "text", f"pydoclint {folder}", text, said_in(facts, text))


def autopep8_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """`autopep8 --diff`; the facts are what git counts after autopep8 has changed the files."""
    tool = tool_of(shop, "autopep8")
    tree = shop.sdist(source, shop.room(name))
    command = [tool, "--recursive", "--aggressive", "--max-line-length", "70"]
    text = shop.run([*command, "--diff", folder], tree, seconds=500).text.replace(f"{tree}/", "")
    changed = changed_by(shop, tree, [*command, "--in-place", folder])
    facts = [fact for fact in changed if fact.kind != "size"]
    yield Item(name, FORMATTER, "text", f"autopep8 --diff {folder}", text, said_in(facts, text))


RECIPES = {
    "refurb-sphinx": partial(refurb_run, "refurb-sphinx", "sphinx==7.4.0", "sphinx/ext"),
    "buf-lint-google": partial(buf_run, "buf-lint-google"),
    "deno-lint-rxjs": partial(deno_lint, "deno-lint-rxjs", "rxjs@7.8.1", "src"),
    "textlint-highlight": partial(textlint_run, "textlint-highlight", "highlight.js@11.10.0", "**/*.md"),
    "remark-npm": partial(remark_run, "remark-npm", "npm@10.8.0", "docs/content/**/*.md"),
    "pydoclint-marshmallow": partial(pydoclint_run, "pydoclint-marshmallow", "marshmallow==3.22.0", "src"),
    "autopep8-werkzeug": partial(autopep8_run, "autopep8-werkzeug", "werkzeug==3.0.4", "src/werkzeug"),
}
