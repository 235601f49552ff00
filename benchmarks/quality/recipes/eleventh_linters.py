"""Linters of code, prose and packages that nobody tunes on; their reports for machines or planted faults tell the facts."""

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator

from items import Fact, Item
from shop import Shop

from recipes.eleventh_tools import TOOLS
from recipes.held_suites import write
from recipes.tenth_tools import diagnosed, each, made, matches, pairs, recipes, stripped, venv_path, write_tsconfig
from recipes.third_linters import report_file

LINTER, TYPES, NOTEBOOK, PACKAGES = "linter", "type checker", "notebook", "package checker"


def prospector_run(name: str, shop: Shop) -> Iterator[Item]:
    """What prospector says of a library; the facts are those of its JSON: codes, files, every message, the sums."""
    tree = shop.sdist("werkzeug==3.0.4", shop.room(name))
    env = venv_path(TOOLS, shop)
    command = ["prospector", "--strictness", "veryhigh", "--full-pep8", "src/werkzeug/routing"]
    text = stripped(shop.run(command, tree, env=env).text, tree)
    report = json.loads(shop.run([*command, "--output-format", "json"], tree, env=env, apart=True).text)
    facts = each("code", (one["code"] for one in report["messages"]))
    facts += each("path", (one["location"]["path"] for one in report["messages"]))
    facts += each("message", (one["message"].split("\n")[0][:90] for one in report["messages"]))
    facts += matches(text, r"^ +(?:Messages Found|Tools Run): .*")
    yield made(
        name,
        LINTER,
        "prospector --strictness veryhigh src/werkzeug/routing",
        re.sub(r"Time Taken: .*", "Time Taken: 2.10 seconds", text),
        facts,
    )


def markdown_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `pymarkdown scan` says of a package's pages; the facts are its lines, each rule and file, what sums up."""
    tree = shop.npm_source("express@4.21.0", shop.room(name))
    for n, path in enumerate(("Readme.md", "History.md")):
        shutil.copy(os.path.join(tree, path), os.path.join(tree, f"page{n}.md"))
    write(
        os.path.join(tree, "docs", "pier.md"),
        "".join(
            f"#Pier {n}\n\n* rope\n- lamp {n}   \n\n\n\n### Deck  {n}\nsee http://pier.example/{n}\n```\ncode\n```\n"
            for n in range(20)
        ),
    )
    tool = TOOLS.python_tool(shop, "pymarkdown")
    command = [tool, "--disable-rules", "md024", "scan", "-r", "docs", "page0.md", "page1.md"]
    text = stripped(shop.run(command, tree).text, tree)
    rows = re.findall(r"^(\S+?):(\d+):(\d+): (MD\d+): (.*?)(?: \[.*| \(.*)?$", text, re.MULTILINE)
    yield made(name, LINTER, "pymarkdown scan -r .", text, diagnosed(rows, text))


CONTRACT = """
[importlinter:contract:{n}]
name = {title}
type = {kind}
{body}
"""


def contracts_run(name: str, shop: Shop) -> Iterator[Item]:
    """What import-linter says of contracts that are broken; the facts are planted: every contract, and its own lines of which module imports which."""
    tree = shop.sdist("django==5.0.9", shop.room(name))
    parts = (
        "utils",
        "http",
        "db",
        "forms",
        "template",
        "core",
        "views",
        "urls",
        "apps",
        "conf",
        "middleware",
        "dispatch",
    )
    facts, contracts = [], ["[importlinter]\nroot_package = django\n"]
    for n in range(84):
        one, other = parts[n % 12], parts[(n // 12 + n + 1) % 12]
        title = f"Rule {n}: {one} must not know {other}"
        body = f"source_modules =\n    django.{one}\nforbidden_modules =\n    django.{other}\nallow_indirect_imports = True"
        contracts.append(CONTRACT.format(n=n, title=title, kind="forbidden", body=body))
        facts += each("message", [title])
    write(os.path.join(tree, "setup.cfg"), "\n".join(contracts))
    text = stripped(
        shop.run(
            [TOOLS.python_tool(shop, "lint-imports"), "--no-cache"], tree, env={"PYTHONPATH": tree}, seconds=400
        ).text,
        tree,
    )
    facts += pairs(re.findall(r"^(Rule .*?) (BROKEN)$", text, re.MULTILINE))
    facts += matches(text, r"^Contracts: .*", r"^Analyzed .*(?=\.$)", r"^- +(django\.\S+ -> django\.\S+)")
    yield made(name, LINTER, "lint-imports", re.sub(r"\(in [\d.]+s\)|\d+\.\d+s\b", "1.0s", text), facts)


def tslint_run(name: str, shop: Shop) -> Iterator[Item]:
    """What tslint says of a library; the facts are those of its JSON."""
    room = shop.room(name)
    tree = shop.npm_source("rxjs@7.8.1", room)
    write(
        os.path.join(tree, "tslint.json"),
        json.dumps(
            {
                "extends": "tslint:latest",
                "rules": {
                    "quotemark": False,
                    "no-submodule-imports": False,
                    "max-line-length": False,
                    "arrow-parens": False,
                    "interface-name": False,
                },
            }
        ),
    )
    command = [TOOLS.npm_tool(shop, "tslint"), "-c", "tslint.json", "src/internal/[a-u]*/*.ts"]
    text = stripped(report_file(shop, command, tree, room), tree)
    report = json.loads(report_file(shop, [*command, "-t", "json"], tree, room))
    rows = [
        (
            os.path.relpath(os.path.join(tree, one["name"]), tree),
            at["line"] + 1,
            at["character"] + 1,
            one["ruleName"],
            one["failure"],
        )
        for one in report
        for at in [one["startPosition"]]
    ]
    yield made(name, LINTER, "tslint 'src/internal/**/*.ts'", text, diagnosed(rows, text))


def sass_lint_run(name: str, shop: Shop) -> Iterator[Item]:
    """What sass-lint says of stylesheets; the facts are those of its JSON."""
    room = shop.room(name)
    tree = shop.npm_source("bootstrap@5.3.3", room)
    command = [TOOLS.npm_tool(shop, "sass-lint"), "-v", "--no-exit", "scss/forms/*.scss"]
    text = stripped(report_file(shop, command, tree, room), tree)
    report = json.loads(report_file(shop, [*command, "-f", "json"], tree, room))
    rows = [
        (
            os.path.relpath(os.path.join(tree, one["filePath"]), tree),
            at["line"],
            at["column"],
            at["ruleId"],
            at["message"],
        )
        for one in report
        for at in one["messages"]
    ]
    yield made(
        name,
        LINTER,
        "sass-lint -v 'scss/**/*.scss'",
        text,
        [*diagnosed(rows, text), *matches(text, r"^✖ .*", r"^\d+ problems.*")],
    )


SHELF = """interface Ferry{n} {{ id: number; tags: {tags}; extra?: {extra} }}
export function read{n}(raw: string): Ferry{n} {{
  const parsed{n} = JSON.parse(raw);
  const crew{n} = {cast};
  return {{ id: parsed{n}.id, tags: parsed{n}.tags, extra: crew{n} }};
}}
export const late{n} = (ferry: Ferry{n}) => ferry.id > {n};
"""


def coverage_of_types(name: str, shop: Shop) -> Iterator[Item]:
    """What `type-coverage --detail` says; the facts are those of its JSON: every file, every name without a type with a place, the share."""
    room = os.path.join(TOOLS.npm_room(shop), name)
    shutil.rmtree(room, ignore_errors=True)
    for n in range(54):
        write(
            os.path.join(room, "src", f"deck{n % 5}", f"ferry{n}.ts"),
            SHELF.format(
                n=n,
                tags="any[]" if n % 6 == 2 else "string[]",
                extra="any" if n % 5 == 1 else "unknown",
                cast=f"parsed{n}.crew" if n % 3 else f"parsed{n}.crew as string",
            ),
        )
    write_tsconfig(room, noEmit=True)
    command = [TOOLS.npm_tool(shop, "type-coverage"), "--strict", "-p", "."]
    text = stripped(report_file(shop, [*command, "--detail"], room, shop.room(name)), room)
    report = json.loads(report_file(shop, [*command, "--json-output", "--detail"], room, shop.room(name)))
    rows = [
        (os.path.relpath(one["filePath"], room), one["line"] + 1, one["character"] + 1, "", one["text"])
        for one in report["details"]
    ]
    facts = [*diagnosed(rows, text), *matches(text, r"^\(?\d+ / \d+\)? \S+%")]
    shutil.rmtree(room)
    yield made(name, TYPES, "type-coverage --detail", text, facts)


CELL = "import os, sys\n\ndef moor_{n}( rope ):\n    l = {n}\n    if rope == None: return l{undefined}\n"


def nbqa_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `nbqa flake8` says of notebooks; the facts are its lines in the format of its own: each message with a cell, code and file."""
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    with tempfile.TemporaryDirectory(dir="/var/tmp") as room:  # below a directory `build` it reads nothing
        for k in range(9):
            cells: list[dict[str, object]] = [
                {
                    "cell_type": "code",
                    "metadata": {},
                    "id": f"c{n}",
                    "execution_count": None,
                    "outputs": [],
                    "source": CELL.format(n=k * 20 + n, undefined=f" + tide_{k}_{n}" if n % 4 == 1 else ""),
                }
                for n in range(8 + k)
            ]
            write(
                os.path.join(room, "books", f"deck_{k}.ipynb"),
                json.dumps({"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}),
            )
        text = stripped(shop.run(["nbqa", "flake8", "books"], room, env=venv_path(TOOLS, shop)).text, room)
    rows = re.findall(r"^(\S+?):(cell_\d+):(\d+:\d+): (\w+) (.*)$", text, re.MULTILINE)
    yield made(name, NOTEBOOK, "nbqa flake8 books", text, diagnosed(rows, text))


PAGE = "Pier {n}\n===={extra}\n\nThe `ferry <{target}`_ sails at :ref:`tide-{n}`.\n\n.. {directive}:: {n}\n\n* rope {n}\n  lamp\n+ chart *lost\n\n.. code-block:: {language}\n\n   {code}\n\n"


def rst_run(name: str, shop: Shop) -> Iterator[Item]:
    """What rstcheck says of pages; the facts are its lines: each message with one of its places, every file."""
    room = shop.room(name)
    for k in range(12):
        body = "".join(
            PAGE.format(
                n=n,
                extra="" if n % 3 else "====",
                target="lost-{n}" if n % 5 == 2 else "http://pier.example/",
                directive=("note", f"gull{n % 4}", "warning")[n % 3],
                language=("json", "python", "xml")[n % 3],
                code=('{"a": 1,}', f"def moor_{n}(:", "<a><b></a>")[n % 3]
                if n % 4 == 0
                else ('{"a": 1}', "x = 1", "<a/>")[n % 3],
            )
            for n in range(k, 40, 12)
        )
        write(os.path.join(room, "docs", f"deck{k}.rst"), body)
    text = stripped(
        shop.run([TOOLS.python_tool(shop, "rstcheck"), "-r", "docs", "--log-level", "ERROR"], room).text, room
    )
    rows = re.findall(r"^(\S+?):(\d+):() \(\w+/\d+\)() (.*)$", text, re.MULTILINE)
    yield made(
        name,
        LINTER,
        "rstcheck -r docs",
        text,
        diagnosed([(path, line, "", "", said) for path, line, _, _, said in rows], text, "{}:{}"),
    )


def package_lint_run(name: str, shop: Shop) -> Iterator[Item]:
    """What npm-package-json-lint says of a workspace; the facts are planted: every package at fault and every rule with what it says."""
    room = shop.room(name)
    faults: list[Fact] = []
    for n in range(40):
        package: dict[str, object] = {
            "name": f"Ferry-{n}" if n % 9 == 4 else f"ferry-{n}",
            "version": "1.0" if n % 7 == 3 else f"1.{n}.0",
            "description": "sails",
            "license": "MIT" if n % 5 else "Proprietary",
            "dependencies": {
                "lodash": "*" if n % 4 == 1 else "^4.17.0",
                "left-pad": "file:../x" if n % 11 == 6 else "1.3.0",
            },
            "main": 3 if n % 13 == 8 else "index.js",
            "scripts": {"test": "true"},
        }
        if n % 6 == 5:
            del package["description"]
        write(os.path.join(room, "packages", f"ferry-{n}", "package.json"), json.dumps(package, indent=2))
    rules = {
        "require-description": "error",
        "require-author": "warning",
        "version-format": "error",
        "name-format": "error",
        "main-type": "error",
        "valid-values-license": ["error", ["MIT"]],
        "no-absolute-version-dependencies": "error",
        "no-archive-dependencies": "error",
        "no-file-dependencies": "error",
        "prefer-caret-version-dependencies": "error",
    }
    write(os.path.join(room, ".npmpackagejsonlintrc.json"), json.dumps({"rules": rules}))
    text = stripped(report_file(shop, [TOOLS.npm_tool(shop, "npmPkgJsonLint"), "packages"], room, room), room)
    rows = re.findall(r"^[✖⚠] (\S+) - node: (\S+) - (.*)$", text, re.MULTILINE)
    faults += [*each("code", (row[0] for row in rows)), *each("message", (row[2][:90] for row in rows))]
    faults += [
        *each("path", re.findall(r"^(?:\./)?(packages/\S+\.json)", text, re.MULTILINE)),
        *matches(text, r"(?<=Totals\n)\d+ errors", r"\d+ warnings(?=\n\d+ files)"),
    ]
    yield made(name, PACKAGES, "npmPkgJsonLint packages", text, faults)


RECIPES = recipes(
    ("prospector-werkzeug", prospector_run),
    ("pymarkdown-express", markdown_run),
    ("import-linter-django", contracts_run),
    ("tslint-rxjs", tslint_run),
    ("sass-lint-bootstrap", sass_lint_run),
    ("type-coverage-ferries", coverage_of_types),
    ("nbqa-flake8-decks", nbqa_run),
    ("rstcheck-decks", rst_run),
    ("npm-package-json-lint-ferries", package_lint_run),
)
