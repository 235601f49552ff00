"""Files as they are read: source code, markdown, minified bundles, JSON documents of registries and tools."""

import json
import os
import re
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from items import Fact, Item
from reports import heading_facts, in_json, outline_facts, said_in
from shop import Shop


class File(NamedTuple):
    """A file of a package from PyPI, or (with `@`) from npm."""

    name: str
    package: str
    path: str


def _read(one: File, shop: Shop) -> str:
    room = shop.room(one.name)
    tree = shop.npm_source(one.package, room) if "@" in one.package else shop.sdist(one.package, room)
    with open(os.path.join(tree, one.path), encoding="utf-8", newline="") as file:
        return file.read()


PYTHON_CODE = (
    File("code-click-core", "click==8.1.7", "src/click/core.py"),
    File("code-networkx-weighted", "networkx==3.3", "networkx/algorithms/shortest_paths/weighted.py"),
    File("code-tabulate", "tabulate==0.9.0", "tabulate/__init__.py"),
    File("code-pyparsing-helpers", "pyparsing==3.1.2", "pyparsing/helpers.py"),
)


def python_code(one: File, shop: Shop) -> Iterator[Item]:
    """A Python module; the facts are the names in its syntax tree."""
    text = _read(one, shop)
    yield Item(one.name, "source code", "text", f"cat {one.path}", text, said_in(outline_facts(text), text))


SCRIPT_CODE = (
    File("code-express-response", "express@4.19.2", "lib/response.js"),
    File("code-zod-schemas", "zod@4.1.5", "src/v4/classic/schemas.ts"),
    File("code-rxjs-observable", "rxjs@7.8.1", "src/internal/Observable.ts"),
)

LIST_DECLARATIONS = """
const ts = require("typescript"), fs = require("fs");
const file = ts.createSourceFile(process.argv[2], fs.readFileSync(process.argv[2], "utf8"), ts.ScriptTarget.Latest, true);
const names = [];
for (const node of file.statements) {
  if (node.name && node.name.text) names.push(node.name.text);
  if (node.members && ts.isClassDeclaration(node))
    for (const member of node.members) if (ts.isMethodDeclaration(member)) names.push(member.name.getText());
  const call = ts.isExpressionStatement(node) && node.expression;
  if (call && ts.isBinaryExpression(call) && ts.isPropertyAccessExpression(call.left)
    && /Function|Arrow/.test(ts.SyntaxKind[call.right.kind])) names.push(call.left.name.text);
}
console.log(JSON.stringify([...new Set(names)]));
"""


def script_code(one: File, shop: Shop) -> Iterator[Item]:
    """A JavaScript or TypeScript module; the facts are the names that TypeScript's own parser finds."""
    text = _read(one, shop)
    room = os.path.join(shop.root, "rooms", one.name)
    shop.npm(room, "typescript@5.6.3")
    with open(os.path.join(room, "names.js"), "w", encoding="utf-8") as out:
        out.write(LIST_DECLARATIONS)
    names = json.loads(shop.run(["node", "names.js", os.path.join("package", one.path)], room, apart=True).text)
    facts = tuple(Fact("name", (name,)) for name in names)
    yield Item(one.name, "source code", "text", f"cat {one.path}", text, said_in(facts, text))


MARKDOWN = (
    File("markdown-rxjs-changelog", "rxjs@7.8.1", "CHANGELOG.md"),
    File("markdown-networkx-contributing", "express@4.19.2", "History.md"),
    File("markdown-marshmallow-changelog", "mistune==3.0.2", "docs/changes.rst"),
)[:1]


def markdown(one: File, shop: Shop) -> Iterator[Item]:
    """A long markdown file; the facts are its headings."""
    text = _read(one, shop)
    yield Item(one.name, "prose", "text", f"cat {one.path}", text, said_in(heading_facts(text), text))


def npm_document(name: str, package: str, shop: Shop) -> Iterator[Item]:
    """What the registry knows of a package; the facts are the scalars beside the lists, and the odd releases."""
    shop.need("npm")
    text = shop.run(["npm", "view", package, "--json"], shop.root, apart=True).text
    parsed = json.loads(text)
    facts = [
        Fact("scalar", (value,))
        for key, value in parsed.items()
        if isinstance(value, str) and 0 < len(value) < 200 and not key.startswith("_") and key != "readme"
    ]
    facts += [Fact("scalar", (value,)) for value in parsed.get("dist-tags", {}).values()]
    facts += [Fact("scalar", (value,)) for value in (parsed.get("dependencies") or {})]
    facts += [Fact("key", (key,)) for key in parsed]
    yield Item(name, "JSON document", "json", f"npm view {package} --json", text, said_in(in_json(facts), text))


def pip_inspect(name: str, shop: Shop) -> Iterator[Item]:
    """What pip knows of an environment; the facts are every installed package and the environment's own scalars."""
    python = shop.python("checkers", "mypy==1.11.2", "ruff==0.6.9", "pylint==3.3.1")
    text = shop.run([python, "-m", "pip", "inspect"], shop.root, apart=True).text
    parsed = json.loads(text)
    facts = [Fact("name", (one["metadata"]["name"],)) for one in parsed["installed"]]
    facts += [Fact("scalar", (parsed["pip_version"],)), Fact("scalar", (parsed["environment"]["python_full_version"],))]
    yield Item(name, "JSON document", "json", "pip inspect", text, said_in(in_json(facts), text))


MINIFIED = (
    File("minified-react-dom", "react-dom@18.2.0", "umd/react-dom.production.min.js"),
    File("minified-rxjs-bundle", "rxjs@7.8.1", "dist/bundles/rxjs.umd.min.js"),
)


def minified(one: File, shop: Shop) -> Iterator[Item]:
    """A minified bundle; the facts are its notice, both ends, and the version it says it is."""
    text = _read(one, shop)
    bare = text.strip()
    version = one.package.rsplit("@", 1)[1]
    facts = [Fact("end", (bare[:60],)), Fact("end", (bare[-60:],))]
    notice = re.search(r"(Copyright|Licensed|@license)[^\n]{0,80}", text)
    if notice:
        facts.append(Fact("notice", (notice.group()[:60],)))
    if version in text:
        facts.append(Fact("scalar", (version,)))
    yield Item(one.name, "one long line", "text", f"cat {one.path}", text, said_in(facts, text))


def c_code(name: str, shop: Shop) -> Iterator[Item]:
    """A C file; the facts are the functions that the compiler put into the object."""
    shop.need("gcc", "nm")
    tree = shop.debian_source("cjson", shop.room(name))
    with open(os.path.join(tree, "cJSON.c"), encoding="utf-8") as file:
        text = file.read()
    shop.run(["gcc", "-O0", "-c", "cJSON.c", "-o", "cJSON.o"], tree)
    symbols = shop.run(["nm", "--defined-only", "cJSON.o"], tree, apart=True).text
    facts = [Fact("name", (one,)) for one in re.findall(r" [Tt] (\w+)$", symbols, re.MULTILINE)]
    yield Item(name, "source code", "text", "cat cJSON.c", text, said_in(facts, text))


def go_code(name: str, shop: Shop) -> Iterator[Item]:
    """A Go file; the facts are what `go doc` lists of it."""
    shop.need("go", package="golang-go")
    source = "/usr/share/gocode/src/github.com/spf13/pflag/flag.go"
    with open(source, encoding="utf-8") as file:
        text = file.read()
    env = {"GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOCACHE": os.path.join(shop.root, "gocache")}
    listed = shop.run(["go", "doc", "-short", "-u", "."], os.path.dirname(source), env=env, apart=True).text
    names = [
        one
        for one in re.findall(r"^\s*(?:func|type) (\w+)", listed, re.MULTILINE)
        if f"func {one}(" in text or f"type {one} " in text
    ]
    facts = [Fact("name", (one,)) for one in names]
    yield Item(name, "source code", "text", "cat flag.go", text, said_in(facts, text))


def openapi(name: str, shop: Shop) -> Iterator[Item]:
    """A large OpenAPI description; the facts are its title and version, its keys, paths, tags and kinds of component."""
    tree = shop.npm_source("@octokit/openapi@19.1.0", shop.room(name))
    with open(os.path.join(tree, "generated", "api.github.com.json"), encoding="utf-8") as file:
        text = file.read()
    parsed = json.loads(text)
    facts = [Fact("scalar", (parsed["info"][key],)) for key in ("title", "version") if key in parsed["info"]]
    facts += [Fact("key", (key,)) for key in (*parsed, *parsed["components"], *parsed["paths"])]
    facts += [Fact("name", (tag["name"],)) for tag in parsed["tags"]]
    yield Item(name, "JSON document", "json", "cat api.github.com.json", text, said_in(facts, text))


RECIPES = (
    {one.name: partial(python_code, one) for one in PYTHON_CODE}
    | {one.name: partial(script_code, one) for one in SCRIPT_CODE}
    | {one.name: partial(markdown, one) for one in MARKDOWN}
    | {one.name: partial(minified, one) for one in MINIFIED}
    | {"json-npm-view-express": partial(npm_document, "json-npm-view-express", "express")}
    | {
        "code-c-cjson": partial(c_code, "code-c-cjson"),
        "code-go-pflag": partial(go_code, "code-go-pflag"),
        "json-openapi-github": partial(openapi, "json-openapi-github"),
    }
    | {"json-pip-inspect": partial(pip_inspect, "json-pip-inspect")}
)
