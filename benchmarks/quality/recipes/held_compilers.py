"""Compilers and bundlers that nobody tunes on: of typed Python, components, scripts, style sheets, C and circuits."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import Diagnostic, diagnostic_facts, said_in, spread_facts
from shop import Shop, change

COMPILER, TYPES = "compiler", "type checker"


def pyright_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What pyright prints of a Python package; the facts are those of its JSON."""
    room = shop.room(name)
    tree = shop.sdist(source, room)
    shop.npm(room, "pyright@1.1.384")
    command = [os.path.join(room, "node_modules", ".bin", "pyright"), folder]
    text = shop.run(command, tree, seconds=400).text.replace(f"{tree}/", "")
    with open(os.path.join(room, "report"), "w+", encoding="utf-8") as out:
        subprocess.run(
            [*command, "--outputjson"], cwd=tree, stdout=out, env=shop.environment(), check=False, timeout=400
        )
        out.seek(0)
        rows = json.load(out)["generalDiagnostics"]
    found = []
    for row in rows:
        path, at = os.path.relpath(row["file"], tree), row["range"]["start"]
        place = f"{path}:{at['line'] + 1}:{at['character'] + 1}"
        found.append(Diagnostic(path, place, row.get("rule", ""), row["message"]))
    yield Item(name, TYPES, "text", f"pyright {folder}", text, said_in(diagnostic_facts(found), text))


def svelte_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """What svelte-check prints of a library of components; the facts are those of its form for machines."""
    room = shop.room(name)
    tree = shop.npm_source(source, room)
    shop.npm(room, "svelte-check@3.8.6", "svelte@4.2.19", "typescript@5.5.4")
    with open(os.path.join(tree, "tsconfig.json"), "w", encoding="utf-8") as out:
        out.write(
            '{"compilerOptions": {"checkJs": true, "strict": true, "skipLibCheck": true}, "include": ["src/**/*"]}'
        )
    command = [os.path.join(room, "node_modules", ".bin", "svelte-check"), "--output"]
    text = shop.run([*command, "human"], tree, seconds=400).text.replace(f"{tree}/", "")
    found = []
    for line in shop.run([*command, "machine-verbose"], tree, seconds=400).text.splitlines():
        if said := re.match(r"\d+ (\{.*\})$", line):
            row = json.loads(said[1])
            at = row["start"]
            place = f"{row['filename']}:{at['line'] + 1}:{at['character'] + 1}"
            found.append(Diagnostic(row["filename"], place, "", row["message"]))
    yield Item(name, TYPES, "text", "svelte-check", text, said_in(spread_facts(found), text))


BUNDLE = """import esbuild from "esbuild";
const done = await esbuild.build({entryPoints: process.argv.slice(2), bundle: true, outdir: "out", logLevel: "silent", logLimit: 0}).catch(bad => bad);
console.log(JSON.stringify([...done.errors, ...done.warnings]));
"""


def esbuild_run(name: str, source: str, entry: str, shop: Shop) -> Iterator[Item]:
    """What esbuild prints of a package without what it depends on; the facts are the errors that its library returns."""
    room = shop.room(name)
    shop.npm_source(source, room)
    shop.npm(room, "esbuild@0.24.0")
    with open(os.path.join(room, "bundle.mjs"), "w", encoding="utf-8") as out:
        out.write(BUNDLE)
    command = [
        os.path.join(room, "node_modules", ".bin", "esbuild"),
        entry,
        "--bundle",
        "--outdir=out",
        "--log-limit=0",
    ]
    text = shop.run(command, room).text
    found = []
    for row in json.loads(shop.run(["node", "bundle.mjs", entry], room, apart=True).text):
        at = row["location"]
        found.append(Diagnostic(at["file"], f"{at['file']}:{at['line']}:{at['column']}", "", row["text"]))
    yield Item(name, COMPILER, "text", f"esbuild {entry} --bundle", text, said_in(spread_facts(found), text))


SHEETS = """const sass = require("sass"), path = require("path");
const logger = {warn(said, options) {
  const at = options.span; console.log(JSON.stringify([said, at && at.url ? path.relative(".", at.url.pathname) : "", at ? at.start.line + 1 : 0, at ? at.start.column + 1 : 0, options.deprecationType ? options.deprecationType.id : ""]));
}};
try { sass.compile(process.argv[2], {logger, verbose: true, loadPaths: ["."]}); } catch (bad) { console.log(JSON.stringify([bad.sassMessage, "", 0, 0, ""])); }
"""


def sass_run(name: str, source: str, sheet: str, shop: Shop) -> Iterator[Item]:
    """What sass prints of old style sheets; the facts are the warnings that its library hands to a logger."""
    room = shop.room(name)
    shop.npm_source(source, room)
    shop.npm(room, "sass@1.80.6")
    with open(os.path.join(room, "sheets.js"), "w", encoding="utf-8") as out:
        out.write(SHEETS)
    command = [os.path.join(room, "node_modules", ".bin", "sass"), "--verbose", "--no-source-map", sheet, "out.css"]
    text = shop.run(command, room).text
    facts: list[Fact] = []
    for line in shop.run(["node", "sheets.js", sheet], room, apart=True).text.splitlines():
        said, path, row, column, kind = json.loads(line)
        facts += [Fact("message", (one.strip(),)) for one in said.splitlines() if len(one) > 20 and "://" not in one]
        facts += [Fact("path", (path,)), Fact("location", (f"{path} {row}:{column}",))] if path else []
        facts += [Fact("code", (kind,))] if kind else []
    yield Item(name, COMPILER, "text", f"sass {sheet}", text, said_in(facts, text))


def clang_run(name: str, package: str, path: str, old: str, new: str, pattern: str, shop: Shop) -> Iterator[Item]:
    """What clang prints of a C library with a member renamed; the facts are its own parsable form."""
    shop.install("clang")
    tree = shop.debian_source(package, shop.room(name))
    change(os.path.join(tree, path), old, new)
    sources = sorted(one for one in os.listdir(tree) if re.fullmatch(pattern, one))
    command = ["clang", "-fsyntax-only", "-Weverything", "-ferror-limit=0", "-Wno-unsafe-buffer-usage", "-I.", *sources]
    text = shop.run(command, tree).text
    plain = shop.run(
        [*command, "-fno-caret-diagnostics", "-fno-diagnostics-show-option", "-fdiagnostics-show-category=none"], tree
    ).text
    options = dict(re.findall(r"^\S+?:\d+:\d+: warning: (.*) \[(-W\S+?)\]$", text, re.MULTILINE))
    rows = re.findall(r"^(\S+?):(\d+):(\d+): (?:warning|error): (.*)$", plain, re.MULTILINE)
    found = [Diagnostic(at, f"{at}:{line}:{column}", options.get(said, ""), said) for at, line, column, said in rows]
    yield Item(name, COMPILER, "text", "clang -fsyntax-only -Weverything", text, said_in(diagnostic_facts(found), text))


RECIPES = {
    "pyright-markdown": partial(pyright_run, "pyright-markdown", "markdown==3.7", "markdown"),
    "svelte-check-carbon": partial(svelte_run, "svelte-check-carbon", "carbon-components-svelte@0.85.2"),
    "esbuild-serverless": partial(esbuild_run, "esbuild-serverless", "serverless@3.39.0", "package/lib/serverless.js"),
    "sass-foundation": partial(sass_run, "sass-foundation", "foundation-sites@6.8.1", "package/scss/foundation.scss"),
    "clang-zlib": partial(
        clang_run, "clang-zlib", "zlib", "inflate.h", "unsigned lenbits;", "unsigned length_bits;", r"[a-z0-9]+\.c"
    ),
}
