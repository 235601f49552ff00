"""Builds that fail: make, cargo, javac, webpack, pip, npm."""

import json
import os
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from items import Fact, Item
from reports import Diagnostic, diagnostic_facts, first_line, said_in
from shop import Shop, change

from recipes.native_tests import crate

BUILD = "build"


def make_zlib(name: str, shop: Shop) -> Iterator[Item]:
    """`make -k` of zlib after fields of structs were renamed; the facts are gcc's own JSON."""
    shop.need("make", "gcc")
    tree = shop.debian_source("zlib", shop.room(name))
    shop.run(["./configure", "--static"], tree)
    change(os.path.join(tree, "deflate.h"), "uInt lookahead;", "uInt ahead;")
    change(os.path.join(tree, "inflate.h"), "unsigned whave;", "unsigned valid;")
    text = shop.run(["make", "-k", "libz.a"], tree).text
    found = []
    for file in sorted(one for one in os.listdir(tree) if one.endswith(".c")):
        said = shop.run(["gcc", "-fsyntax-only", "-fdiagnostics-format=json", "-DHAVE_HIDDEN", file], tree).text
        for row in _json_lines(said):
            if row["kind"] in {"error", "fatal error"}:
                at = row["locations"][0]["caret"]
                found.append(Diagnostic(at["file"], f"{at['file']}:{at['line']}", row["message"], row["message"]))
    yield Item(name, BUILD, "text", "make -k linux", text, said_in(diagnostic_facts(found), text))


def _json_lines(text: str) -> Iterator[dict[str, Any]]:
    for line in text.splitlines():
        if line.startswith("["):
            yield from json.loads(line)


def cargo_build(name: str, package: str, path: str, old: str, new: str, shop: Shop) -> Iterator[Item]:
    """`cargo build` of a crate with a change; the facts are cargo's own JSON messages."""
    tree = crate(shop, name, package)
    change(os.path.join(tree, path), old, new)
    text = shop.run(["cargo", "build", "--offline"], tree, env={"CARGO_TERM_COLOR": "never"}).text
    listed = shop.run(["cargo", "build", "--offline", "--message-format=json"], tree, apart=True).text
    found = []
    for line in listed.splitlines():
        said = json.loads(line).get("message") if line.startswith("{") else None
        if isinstance(said, dict) and said.get("level") == "error" and said.get("spans"):
            at = said["spans"][0]
            code = (said.get("code") or {}).get("code", "")
            place = f"{at['file_name']}:{at['line_start']}"
            found.append(Diagnostic(at["file_name"], place, code, said["message"]))
    yield Item(name, BUILD, "text", "cargo build", text, said_in(diagnostic_facts(found), text))


def javac_lang(name: str, shop: Shop) -> Iterator[Item]:
    """javac on commons-lang after a method was renamed; the facts are what its raw diagnostics speak of."""
    shop.need("javac", package="default-jdk-headless")
    room = shop.room(name)
    tree = shop.debian_source("libcommons-lang3-java", room)
    base = "src/main/java/org/apache/commons/lang3"
    change(os.path.join(tree, base, "Validate.java"), "public static <T> T notNull(final T object, final String message,",
           "public static <T> T notNil(final T object, final String message,")  # fmt: skip
    files = sorted(
        os.path.relpath(os.path.join(folder, one), tree)
        for folder, _, names in os.walk(os.path.join(tree, base))
        for one in names
        if one.endswith(".java")
    )
    flags = ["-Xmaxerrs", "1000", "-encoding", "UTF-8", "-d", os.path.join(room, "out")]
    text = shop.run(["javac", *flags, *files], tree).text
    raw = shop.run(["javac", "-XDrawDiagnostics", *flags, *files], tree).text
    places = {
        (file, line): code
        for file, line, code in re.findall(r"^(\w+\.java):(\d+):\d+: (compiler\.err\S+):", raw, re.MULTILINE)
    }
    found = [
        Diagnostic(path, f"{path}:{line}", "", said)
        for path, line, said in re.findall(r"^(\S+\.java):(\d+): error: (.*)$", text, re.MULTILINE)
        if (os.path.basename(path), line) in places
    ]
    facts = diagnostic_facts(found, Fact("count", (f"{len(found)} errors",)))
    yield Item(name, BUILD, "text", "javac", text, said_in(facts, text))


def webpack_express(name: str, shop: Shop) -> Iterator[Item]:
    """webpack bundling a server for a browser; the facts are the errors of its JSON statistics."""
    room = shop.room(name)
    shop.npm(room, "webpack@5.95.0", "webpack-cli@5.1.4", "express@4.19.2")
    webpack = os.path.join(room, "node_modules", ".bin", "webpack")
    flags = ["--mode", "production", "--entry", "express"]
    text = shop.run([webpack, *flags], room).text
    listed = json.loads(shop.run([webpack, *flags, "--json"], room, apart=True).text)
    facts = []
    for error in listed["errors"]:
        facts.append(Fact("message", (first_line(error["message"]),)))
        facts.append(Fact("location", (f"{error['moduleName']} {error['loc']}",)))
    facts = [*dict.fromkeys(facts), Fact("count", (f"{listed['errorsCount']} errors",))]
    yield Item(name, BUILD, "text", "webpack", text, said_in(facts, text))


def pip_build(name: str, package: str, shop: Shop) -> Iterator[Item]:
    """pip building a package that lacks a library; the facts are the compiler's errors and pip's last words."""
    python = shop.python("pip")
    flags = ["-v", "install", "--no-binary", ":all:", "--no-deps", "--no-cache-dir", package]
    text = shop.run([python, "-m", "pip", *flags], shop.room(name), seconds=280).text
    facts = [Fact("message", (said,)) for said in dict.fromkeys(re.findall(r"fatal error: .*", text))]
    facts += [
        Fact("message", (said,))
        for said in dict.fromkeys(re.findall(r"^\s*((?:error|ERROR): .{10,90})", text, re.MULTILINE))
    ]
    facts.append(Fact("message", ("exit code: 1", "exit code 1")))
    yield Item(name, BUILD, "text", f"pip install {package}", text, said_in(facts, text))


def npm_missing(name: str, shop: Shop) -> Iterator[Item]:
    """npm asked for a package that does not exist, saying all it does; the facts are those of its JSON answer."""
    room = shop.room(name)
    with open(os.path.join(room, "package.json"), "w", encoding="utf-8") as out:
        out.write(
            '{"name": "room", "dependencies": {"webpack": "5.95.0", "express": "4.19.2", "no-such-thing-at-all-4711": "1"}}'
        )
    text = shop.run(["npm", "install", "--ignore-scripts", "--loglevel", "silly"], room).text
    answer = shop.run(["npm", "install", "--ignore-scripts", "--json"], room, apart=True).text
    error = json.loads(answer)["error"]
    facts = [Fact("code", (error["code"],)), Fact("message", (first_line(error["summary"]),))]
    facts += [Fact("message", (first_line(line),)) for line in error["detail"].splitlines() if len(line.strip()) > 20]
    yield Item(name, BUILD, "text", "npm install --loglevel silly", text, said_in(facts, text))


def npm_ls(name: str, shop: Shop) -> Iterator[Item]:
    """`npm ls --all` of a tree with problems; the facts are the problems of its JSON, and the direct dependencies."""
    room = shop.room(name)
    shop.npm(room, "webpack@5.95.0", "express@4.19.2", "eslint@9.12.0", "jest@29.7.0")
    shop.run(["rm", "-rf", "node_modules/accepts", "node_modules/ms", "node_modules/yargs-parser"], room)
    text = shop.run(["npm", "ls", "--all"], room).text
    listed = json.loads(shop.run(["npm", "ls", "--all", "--json"], room, apart=True).text)
    lost = dict.fromkeys(one.split(",")[0].removeprefix("missing: ") for one in listed["problems"])
    facts = [Fact("path", (f"UNMET DEPENDENCY {one}", f"missing: {one}")) for one in lost]
    facts += [Fact("path", (f"{one}@{about['version']}",)) for one, about in listed["dependencies"].items()]
    yield Item(name, "listing and matches", "text", "npm ls --all", text, said_in(facts, text))


RECIPES = {
    "make-zlib": partial(make_zlib, "make-zlib"),
    "cargo-build-semver": partial(
        cargo_build, "cargo-build-semver", "semver-1.0.14", "src/lib.rs", "pub major: u64,", "pub first: u64,"
    ),
    "cargo-build-httparse": partial(
        cargo_build, "cargo-build-httparse", "httparse-1.8.0", "src/iter.rs", "pub fn peek(", "pub fn look("
    ),
    "javac-commons-lang": partial(javac_lang, "javac-commons-lang"),
    "webpack-express": partial(webpack_express, "webpack-express"),
    "pip-pygraphviz": partial(pip_build, "pip-pygraphviz", "pygraphviz==1.13"),
    "pip-pycairo": partial(pip_build, "pip-pycairo", "pycairo==1.26.1"),
    "npm-missing": partial(npm_missing, "npm-missing"),
    "npm-ls": partial(npm_ls, "npm-ls"),
}
