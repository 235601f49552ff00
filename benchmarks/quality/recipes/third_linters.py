"""Linters, type checkers and formatters that nobody tunes on; the facts are those of their reports for machines."""

import glob
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import Diagnostic, changed_facts, diagnostic_facts, said_in, spread_facts
from shop import Shop

from recipes.held_linters import read
from recipes.held_suites import write

LINTER, TYPES, FORMATTER = "linter", "type checker", "formatter"

UNUSED = """import json, sys, vulture
found = vulture.Vulture()
found.scavenge(sys.argv[1:])
for one in found.get_unused_code():
    print(json.dumps([str(one.filename), one.first_lineno, one.message]))
"""


def report_file(shop: Shop, command: list[str], cwd: str, room: str) -> str:
    """What a tool of node's writes for machines, through a file: node does not wait until a pipe is empty."""
    path = os.path.join(room, "report")
    with open(path, "w", encoding="utf-8") as out:
        subprocess.run(
            command,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.DEVNULL,
            env=shop.environment(),
            check=False,
            timeout=400,
        )
    return read(path)


def vulture_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What vulture prints of a package; the facts are the unused names that its library lists."""
    python = shop.python("vulture", "vulture==2.13")
    tree = shop.sdist(source, shop.room(name))
    text = shop.run([python, "-m", "vulture", folder], tree).text.replace(f"{tree}/", "")
    found = []
    for line in shop.run([python, "-c", UNUSED, folder], tree, apart=True).text.splitlines():
        path, row, said = json.loads(line)
        path = path.removeprefix(f"{tree}/")
        found.append(Diagnostic(path, f"{path}:{row}", "", said))
    yield Item(name, LINTER, "text", f"vulture {folder}", text, said_in(diagnostic_facts(found), text))


def typos_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What typos prints of a package's texts; the facts are those of its JSON: every misspelling with a place."""
    python = shop.python("typos", "typos==1.26.0")
    tree = shop.sdist(source, shop.room(name))
    tool = os.path.join(os.path.dirname(python), "typos")
    text = shop.run([tool, "--color", "never", folder], tree).text
    found = []
    for line in shop.run([tool, "--format", "json", folder], tree, apart=True).text.splitlines():
        row = json.loads(line)
        if row["type"] == "typo" and "line_num" in row:
            path = row["path"].removeprefix("./")
            said = f"`{row['typo']}` should be " + ", ".join(f"`{one}`" for one in row["corrections"])
            found.append(Diagnostic(path, f"{path}:{row['line_num']}:{row['byte_offset'] + 1}", "", said))
    yield Item(name, LINTER, "text", f"typos {folder}", text, said_in(spread_facts(found), text))


def pages_run(name: str, package: str, pattern: str, shop: Shop) -> Iterator[Item]:
    """What htmlhint prints of pages; the facts are those of its JSON."""
    room = shop.room(name)
    shop.npm(room, "htmlhint@1.1.4")
    tree = os.path.join(room, "pages")
    os.makedirs(tree)
    for path in glob.glob(os.path.join(shop.debian_package(package), pattern)):
        shutil.copy(path, tree)
    tool = [os.path.join(room, "node_modules", ".bin", "htmlhint"), "."]
    text = report_file(shop, tool, tree, room).replace(f"{tree}/", "")
    found = []
    for file in json.loads(report_file(shop, [*tool, "--format", "json"], tree, room)):
        path = file["file"].removeprefix(f"{tree}/")
        found += [Diagnostic(path, f"L{row['line']}", row["rule"]["id"], row["message"]) for row in file["messages"]]
    yield Item(name, LINTER, "text", "htmlhint .", text, said_in(spread_facts(found), text))


def biome_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What biome prints of a package; the facts are those of its report in GitLab's JSON."""
    room = shop.room(name)
    tree = shop.npm_source(source, room)
    shop.npm(room, "@biomejs/biome@1.9.3")
    tool = [os.path.join(room, "node_modules", ".bin", "biome"), "lint", "--max-diagnostics=none", "--colors=off"]
    text = shop.run([*tool, folder], tree).text.replace(f"{tree}/", "")
    found = []
    for row in json.loads(report_file(shop, [*tool, "--reporter=gitlab", folder], tree, room)):
        path = row["location"]["path"]
        found.append(Diagnostic(path, path, row["check_name"].removeprefix("lint/"), row["description"]))
    lines = [
        (one.path, int(row["location"]["lines"]["begin"]))
        for one, row in zip(found, json.loads(read(os.path.join(room, "report"))), strict=True)
    ]
    spelt = {
        (path, int(line)): f"{path}:{line}:{column}"
        for path, line, column in re.findall(r"^(\S+?):(\d+):(\d+) lint/", text, re.MULTILINE)
    }
    found = [one._replace(place=spelt.get(at, one.path)) for one, at in zip(found, lines, strict=True)]
    yield Item(name, LINTER, "text", f"biome lint {folder}", text, said_in(spread_facts(found), text))


def sniffer_run(name: str, package: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What phpcs prints of a library; the facts are those of its JSON."""
    shop.install("phpcs", "php-codesniffer")
    tree = os.path.join(shop.debian_package(package), folder)
    command = ["phpcs", "--standard=PSR12", "-s", "--report-width=160"]
    text = shop.run([*command, "."], tree, seconds=400).text.replace(f"{tree}/", "")
    report = json.loads(shop.run([*command, "--report=json", "."], tree, seconds=400, apart=True).text)
    found = []
    for full, file in report["files"].items():
        path = full.removeprefix(f"{tree}/")
        found += [Diagnostic(path, str(row["line"]), row["source"], row["message"]) for row in file["messages"]]
    # A place is a number in a column below the file's name: what is asked is the message, not one of its numbers.
    facts = [fact for fact in spread_facts(found) if fact.kind != "location"]
    yield Item(name, LINTER, "text", "phpcs --standard=PSR12 -s .", text, said_in(facts, text))


def ty_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What ty prints of a package; the facts are those of its report in GitLab's JSON."""
    python = shop.python("ty", "ty==0.0.100")
    tree = shop.sdist(source, shop.room(name))
    tool = [os.path.join(os.path.dirname(python), "ty"), "check", "--color", "never", folder]
    text = shop.run(tool, tree, seconds=400).text.replace(f"{tree}/", "")
    rows = json.loads(shop.run([*tool, "--output-format", "gitlab"], tree, seconds=400, apart=True).text)
    found = []
    for row in rows:
        path, at = row["location"]["path"], row["location"]["positions"]["begin"]
        found.append(
            Diagnostic(
                path, f"{path}:{at['line']}:{at['column']}", row["check_name"], row["description"].split(": ", 1)[-1]
            )
        )
    yield Item(name, TYPES, "text", f"ty check {folder}", text, said_in(spread_facts(found), text))


def pyrefly_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What pyrefly prints of a package; the facts are those of its JSON."""
    python = shop.python("pyrefly", "pyrefly==0.33.0")
    tree = shop.sdist(source, shop.room(name))
    tool = [os.path.join(os.path.dirname(python), "pyrefly"), "check"]
    text = shop.run([*tool, folder], tree, seconds=400).text.replace(f"{tree}/", "")
    rows = json.loads(shop.run([*tool, "--output-format", "json", folder], tree, seconds=400, apart=True).text)[
        "errors"
    ]
    found = []
    for row in rows:
        path = os.path.relpath(os.path.join(tree, row["path"]), tree)
        found.append(Diagnostic(path, f"{path}:{row['line']}:{row['column']}", row["name"], row["description"]))
    yield Item(name, TYPES, "text", f"pyrefly check {folder}", text, said_in(spread_facts(found), text))


def flow_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What flow prints of a package with annotations; the facts are those of its JSON."""
    room = shop.room(name)
    tree = shop.npm_source(source, room)
    shop.npm(room, "flow-bin@0.246.0")
    binary = glob.glob(os.path.join(room, "node_modules", "flow-bin", "flow-linux64*", "flow"))[0]
    os.chmod(binary, 0o755)
    write(
        os.path.join(tree, ".flowconfig"),
        f"[include]\n[options]\nall=false\n[untyped]\n[ignore]\n<PROJECT_ROOT>/(?!{folder}).*\n",
    )
    command = [binary, "check", "--show-all-errors", "--color", "never", "--max-workers", "1"]
    text = shop.run(command, tree, seconds=500, apart=True).text
    found = []
    for row in json.loads(shop.run([*command, "--json"], tree, seconds=500, apart=True).text)["errors"]:
        at = row["message"][0]["loc"]
        if at:
            path = os.path.relpath(at["source"], tree)
            place = f"{path}:{at['start']['line']}:{at['start']['column']}"
            found.append(Diagnostic(path, place, "", row["message"][0]["descr"]))
        found[-1:] = (
            [found[-1]._replace(code=row["error_codes"][0])] if found and row.get("error_codes") else found[-1:]
        )
    yield Item(name, TYPES, "text", "flow check", text, said_in(spread_facts(found), text))


def changed_by(shop: Shop, tree: str, command: list[str]) -> tuple[Fact, ...]:
    """What a formatter changes in a tree when it is let: git counts it."""
    who = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "core.autocrlf=false"]
    shop.run(["git", "init", "-q"], tree)
    shop.run([*who, "add", "-A", "-f"], tree)
    shop.run([*who, "commit", "-q", "-m", "before"], tree)
    shop.run(command, tree, seconds=400)
    numstat = shop.run(["git", "diff", "--numstat"], tree).text
    return changed_facts(numstat, "", shop.run(["git", "diff"], tree).text)


def black_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """`black --diff`; the facts are what git counts after black has changed the files."""
    python = shop.python("black", "black==24.10.0")
    tree = shop.sdist(source, shop.room(name))
    command = [python, "-m", "black", "--line-length", "100", "-W", "1"]
    text = shop.run([*command, "--diff", folder], tree, seconds=400).text.replace(f"{tree}/", "")
    facts = list(changed_by(shop, tree, [*command, folder]))
    facts += [Fact("message", (line,)) for line in text.splitlines() if " would be reformatted" in line]
    yield Item(name, FORMATTER, "text", f"black --diff {folder}", text, said_in(facts, text))


def isort_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """`isort --diff`; the facts are what git counts after isort has changed the files."""
    python = shop.python("isort", "isort==5.13.2")
    tree = shop.sdist(source, shop.room(name))
    command = [python, "-m", "isort", "--profile", "google"]
    text = shop.run([*command, "--diff", folder], tree).text.replace(f"{tree}/", "")
    facts = changed_by(shop, tree, [*command, folder])
    yield Item(name, FORMATTER, "text", f"isort --diff {folder}", text, said_in(facts, text))


def clang_format_run(name: str, package: str, pattern: str, shop: Shop) -> Iterator[Item]:
    """`clang-format --dry-run`; the facts are the replacements of its XML: each file, and of each file a place."""
    shop.install("clang-format")
    tree = shop.debian_source(package, shop.room(name))
    paths = sorted(os.path.relpath(one, tree) for one in glob.glob(os.path.join(tree, pattern)))
    text = shop.run(["clang-format", "--style=LLVM", "--dry-run", *paths], tree).text
    facts = []
    for path in paths:
        xml = shop.run(["clang-format", "--style=LLVM", "--output-replacements-xml", path], tree, apart=True).text
        source = read(os.path.join(tree, path)).encode()
        lines = [source.count(b"\n", 0, int(at)) + 1 for at in re.findall(r"<replacement offset='(\d+)'", xml)]
        places = re.findall(rf"^({re.escape(path)}:(\d+):\d+): warning", text, re.MULTILINE)
        spelt = tuple(place for place, line in places if int(line) in lines)
        facts += [Fact("path", (path,)), Fact("location", spelt)] if spelt else []
    facts += [Fact("message", ("code should be clang-formatted",)), Fact("message", ("-Wclang-format-violations",))]
    yield Item(name, FORMATTER, "text", "clang-format --dry-run", text, said_in(facts, text))


def prettier_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """`prettier --check` of a package with two broken files; the facts are the files that its library calls different."""
    room = shop.room(name)
    tree = shop.npm_source(source, room)
    shop.npm(room, "prettier@3.3.3")
    write(os.path.join(tree, "broken-brace.js"), "function shelf() { return {a: 1;\n")
    write(os.path.join(tree, "broken-list.json"), '{"shelf": [1, 2,, 3]}\n')
    tool = [os.path.join(room, "node_modules", ".bin", "prettier")]
    text = shop.run([*tool, "--check", "."], tree).text
    paths = report_file(shop, [*tool, "--list-different", "."], tree, room).splitlines()
    facts = [Fact("path", (path,)) for path in paths]
    facts += [Fact("path", (one,)) for one in sorted({os.path.dirname(path) for path in paths if "/" in path})]
    facts += [Fact("message", (one,)) for one in ("broken-brace.js: SyntaxError:", "broken-list.json: SyntaxError:")]
    facts += [Fact("message", (line,)) for line in text.splitlines() if "Run Prettier" in line]
    yield Item(name, FORMATTER, "text", "prettier --check .", text, said_in(facts, text))


RECIPES = {
    "vulture-sphinx": partial(vulture_run, "vulture-sphinx", "sphinx==7.4.7", "sphinx"),
    "typos-twisted": partial(typos_run, "typos-twisted", "twisted==24.7.0", "src"),
    "htmlhint-sqlite": partial(pages_run, "htmlhint-sqlite", "sqlite3-doc", "usr/share/doc/sqlite3*/[a-f]*.html"),
    "biome-knex": partial(biome_run, "biome-knex", "knex@3.1.0", "lib"),
    "phpcs-twig": partial(sniffer_run, "phpcs-twig", "php-twig", "usr/share/php/Twig"),
    "ty-paramiko": partial(ty_run, "ty-paramiko", "paramiko==3.4.0", "paramiko"),
    "pyrefly-docutils": partial(pyrefly_run, "pyrefly-docutils", "docutils==0.21.2", "docutils"),
    "flow-react-native": partial(flow_run, "flow-react-native", "react-native@0.76.1", "Libraries/Lists"),
    "black-pyparsing": partial(black_run, "black-pyparsing", "pyparsing==2.4.7", "."),
    "isort-werkzeug": partial(isort_run, "isort-werkzeug", "werkzeug==3.0.3", "src"),
    "clang-format-zlib": partial(clang_format_run, "clang-format-zlib", "zlib", "[gu]*.[ch]"),
    "prettier-moment": partial(prettier_run, "prettier-moment", "moment@2.30.1"),
}  # fmt: skip
