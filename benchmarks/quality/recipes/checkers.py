"""Compilers, type checkers and linters on real packages, some with a line changed."""

import json
import os
import re
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from items import Fact, Item
from reports import Diagnostic, diagnostic_facts, in_json, said_in
from shop import Shop, change

TSC = re.compile(
    r"^(?P<path>[^\s(]+)\((?P<line>\d+),(?P<column>\d+)\): error (?P<code>TS\d+): (?P<message>.*)$", re.MULTILINE
)


class Typescript(NamedTuple):
    """An npm package that ships its TypeScript source, and the line that is changed."""

    name: str
    package: str
    path: str
    old: str
    new: str
    pretty: bool = False
    needs: tuple[str, ...] = ()


TYPESCRIPT = (
    Typescript("tsc-zod", "zod@4.1.5", "src/v4/core/util.ts", "export function isObject(data: any): data is",
               "export function isObject(data: string): data is"),
    Typescript("tsc-rxjs-pretty", "rxjs@7.8.1", "src/internal/types.ts", "subscribe(observer: Partial<Observer<T>>): Unsubscribable;",
               "subscribe(observer: Observer<string>): Unsubscribable;", pretty=True),
    Typescript("tsc-query-core", "@tanstack/query-core@5.59.0", "src/types.ts", "export type QueryKey = ", "export type QueryKey = number | "),
)  # fmt: skip


def typescript_run(one: Typescript, shop: Shop) -> Iterator[Item]:
    """What tsc prints; the facts are its own list of errors, one a line, from a run with `--pretty false`."""
    room = shop.room(one.name)
    tree = shop.npm_source(one.package, room)
    change(os.path.join(tree, one.path), one.old, one.new)
    shop.npm(room, "typescript@5.6.3", "@types/node@20", *one.needs)
    tsc = os.path.join(room, "node_modules", ".bin", "tsc")
    flags = "--noEmit --strict --skipLibCheck --target es2022 --module esnext --moduleResolution bundler".split()
    files = sorted(
        os.path.relpath(os.path.join(folder, name), tree)
        for folder, _, names in os.walk(os.path.join(tree, "src"))
        for name in names
        if name.endswith((".ts", ".tsx")) and "test" not in folder
    )
    plain = shop.run([tsc, *flags, "--pretty", "false", *files], tree).text
    text = shop.run([tsc, *flags, "--pretty", *files], tree).text if one.pretty else plain
    text = re.sub(r"\x1b\[[0-9;]*m", "", text) if one.pretty else text
    spelt = "{path}:{line}:{column}" if one.pretty else "{path}({line},{column})"
    found = [
        Diagnostic(match["path"], spelt.format(**match.groupdict()), match["code"], match["message"])
        for match in TSC.finditer(plain)
    ]
    facts = diagnostic_facts(found)
    yield Item(one.name, "compiler and linter", "text", "tsc --noEmit", text, said_in(facts, text))


class Python(NamedTuple):
    """A Python package and the checker that is run on it."""

    name: str
    source: str
    target: str
    path: str = ""
    old: str = ""
    new: str = ""


MYPY = (
    Python("mypy-boltons-strict", "boltons==24.0.0", "boltons"),
    Python("mypy-marshmallow", "marshmallow==3.21.2", "src/marshmallow"),
)


def mypy_run(one: Python, shop: Shop) -> Iterator[Item]:
    """What mypy prints; the facts are its own list in JSON."""
    python = shop.python("checkers", "mypy==1.11.2", "ruff==0.6.9", "pylint==3.3.1")
    tree = shop.sdist(one.source, shop.room(one.name))
    if one.path:
        change(os.path.join(tree, one.path), one.old, one.new)
    command = [python, "-m", "mypy", "--no-incremental", "--strict", "--config-file=", one.target]
    text = shop.run(command, tree).text
    listed = shop.run([*command, "-O", "json"], tree, apart=True).text
    rows = [json.loads(line) for line in listed.splitlines() if line.startswith("{")]
    found = [
        Diagnostic(row["file"], f"{row['file']}:{row['line']}", row["code"] or "", row["message"])
        for row in rows
        if row["severity"] == "error"
    ]
    facts = diagnostic_facts(found, Fact("count", (f"Found {len(found)} errors", f"{len(found)} errors")))
    yield Item(one.name, "compiler and linter", "text", f"mypy --strict {one.target}", text, said_in(facts, text))


RUFF = (
    Python("ruff-networkx", "networkx==3.3", "networkx"),
    Python("ruff-werkzeug", "werkzeug==3.0.3", "src"),
)


def ruff_run(one: Python, shop: Shop) -> Iterator[Item]:
    """What ruff prints, in full and as JSON; the facts are its own list in JSON."""
    python = shop.python("checkers", "mypy==1.11.2", "ruff==0.6.9", "pylint==3.3.1")
    tree = shop.sdist(one.source, shop.room(one.name))
    command = [python, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "E,F,B,PLE,S,C4", one.target]
    text = shop.run(command, tree).text
    listed = shop.run([*command, "--output-format", "json"], tree, apart=True).text
    rows = json.loads(listed)
    found = []
    for row in rows:
        path = os.path.relpath(row["filename"], tree)
        place = f"{path}:{row['location']['row']}:{row['location']['column']}"
        found.append(Diagnostic(path, place, row["code"] or "", row["message"]))
    facts = diagnostic_facts(found, Fact("count", (f"Found {len(found)} errors", f"{len(found)} errors")))
    yield Item(one.name, "compiler and linter", "text", f"ruff check {one.target}", text, said_in(facts, text))
    name = one.name.replace("ruff-", "ruff-json-")
    facts = said_in(in_json(diagnostic_facts([one._replace(place=one.path) for one in found])), listed)
    yield Item(name, "JSON records", "json", f"ruff check --output-format json {one.target}", listed, facts)


ESLINT_CONFIG = """import js from "@eslint/js";
export default [{ ...js.configs.recommended, files: ["**/*.js"],
  rules: { ...js.configs.recommended.rules, eqeqeq: "error", "no-shadow": "error", "no-var": "warn", curly: "warn" } }];
"""


class Javascript(NamedTuple):
    name: str
    package: str
    target: str


ESLINT = (
    Javascript("eslint-express", "express@4.19.2", "lib"),
    Javascript("eslint-underscore", "underscore@1.13.6", "modules"),
)


def eslint_run(one: Javascript, shop: Shop) -> Iterator[Item]:
    """What eslint prints; the facts are its own list in JSON."""
    room = shop.room(one.name)
    tree = shop.npm_source(one.package, room)
    shop.npm(room, "eslint@9.12.0", "@eslint/js@9.12.0")
    with open(os.path.join(room, "eslint.config.mjs"), "w", encoding="utf-8") as out:
        out.write(ESLINT_CONFIG)
    eslint = os.path.join(room, "node_modules", ".bin", "eslint")
    target = os.path.relpath(os.path.join(tree, one.target), room)
    text = shop.run([eslint, target], room).text
    listed = shop.run([eslint, "-f", "json", target], room, apart=True).text
    rows = [(os.path.relpath(file["filePath"], room), said) for file in json.loads(listed) for said in file["messages"]]
    found = [
        Diagnostic(path, f"{path}:{said['line']}:{said['column']}", said["ruleId"] or "", said["message"].rstrip("."))
        for path, said in rows
    ]
    errors = sum(said["severity"] == 2 for _, said in rows)
    facts = diagnostic_facts(found, Fact("count", (f"{len(rows)} problems", f"{errors} errors")))
    yield Item(one.name, "compiler and linter", "text", f"eslint {one.target}", text, said_in(facts, text))


RECIPES = (
    {one.name: partial(typescript_run, one) for one in TYPESCRIPT}
    | {one.name: partial(mypy_run, one) for one in MYPY}
    | {one.name: partial(ruff_run, one) for one in RUFF}
    | {one.name: partial(eslint_run, one) for one in ESLINT}
)
