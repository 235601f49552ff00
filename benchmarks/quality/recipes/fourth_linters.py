"""Linters, checkers, compilers and counters of code that nobody tunes on; their reports for machines tell the facts."""

import csv
import glob
import json
import os
import re
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import Diagnostic, diagnostic_facts, first_line, said_in, spread_facts
from shop import Shop, Toolbox

from recipes.held_linters import checkstyle_findings, read
from recipes.held_suites import write
from recipes.third_linters import report_file

LINTER, TYPES, COMPILER, COUNTER = "linter", "type checker", "compiler", "counter of code"

PACKAGES = (
    "alembic==1.20.1", "Django==5.2.19", "doc8==2.0.0", "honcho==2.0.0", "lizard==1.24.3", "nose2==0.16.0",
    "pip-tools==7.6.2", "pre_commit==4.7.0", "pycodestyle==2.15.0", "radon==6.0.1", "sqlite-utils==4.2.1",
    "tox==4.67.13", "zuban==0.10.2",
)  # fmt: skip

NPM = ("qunit@3.0.0", "newman@6.2.2", "turbo@2.11.11", "gitlab-ci-local@4.55.0", "concurrently@9.2.5")

TOOLS = Toolbox("fourth", PACKAGES, NPM)
python_tools, tool_of, npm_tool = TOOLS.python, TOOLS.python_tool, TOOLS.npm_tool


def pycodestyle_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What pycodestyle prints of a package; the facts are those of a format of its own, a field a column."""
    python = python_tools(shop)
    tree = shop.sdist(source, shop.room(name))
    command = [python, "-m", "pycodestyle"]
    text = shop.run([*command, folder], tree).text
    found = []
    rows = shop.run([*command, "--format=%(path)s\t%(row)d:%(col)d\t%(code)s\t%(text)s", folder], tree, apart=True)
    for line in rows.text.splitlines():
        path, at, code, said = line.split("\t", 3)
        found.append(Diagnostic(path, f"{path}:{at}", code, said))
    yield Item(name, LINTER, "text", f"pycodestyle {folder}", text, said_in(diagnostic_facts(found), text))


DOC8 = """import json, sys
from doc8 import doc8
for row in doc8(paths=sys.argv[1:], max_line_length=70).errors:
    print(json.dumps(row[-4:]))
"""


def doc8_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What doc8 prints of a package's documents; the facts are those of its library."""
    python = python_tools(shop)
    tree = shop.sdist(source, shop.room(name))
    text = shop.run([python, "-m", "doc8", "--max-line-length", "70", folder], tree).text.replace(f"{tree}/", "")
    found = []
    for line in shop.run([python, "-c", DOC8, folder], tree, apart=True).text.splitlines():
        path, row, code, said = json.loads(line)
        found.append(Diagnostic(path, f"{path}:{row}", code, said))
    facts = diagnostic_facts(found, *(Fact("message", (one,)) for one in re.findall(r"^Total .*", text, re.MULTILINE)))
    yield Item(name, LINTER, "text", f"doc8 {folder}", text, said_in(facts, text))


TEX = r"""\section{Shelf %(n)d}
The parcels of shelf %(n)d are kept in "order" , see Section \ref{shelf-%(n)d} for all.
We weigh $x=%(n)d$ grams ... and then $y$-wise. \textbf{Bold} .
{\em lost} e.g. a lid (of %(n)d) ( %(n)d ) and a dash - here -- there---everywhere.
"""


def chktex_run(name: str, shop: Shop) -> Iterator[Item]:
    """What chktex prints of a book's chapters; the facts are those of a format of its own."""
    shop.install("chktex")
    room = shop.room(name)
    for number in range(24):
        more = f"\\begin{{shelf}}\nleft open {number}\n" if number % 9 == 4 else ""
        write(os.path.join(room, "book", f"chapter-{number}.tex"), TEX % {"n": number} + more)
    paths = [f"book/chapter-{number}.tex" for number in range(24)]
    text = shop.run(["chktex", "-v2", "-q", *paths], room).text
    found = []
    for line in shop.run(["chktex", "-q", "-f", "%f\t%l\t%n\t%k\t%m\n", *paths], room, apart=True).text.splitlines():
        path, row, code, kind, said = line.split("\t", 4)
        found.append(Diagnostic(path, f"{kind} {code} in {path} line {row}:", "", said))
    yield Item(name, LINTER, "text", "chktex book", text, said_in(spread_facts(found), text))


def csslint_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What csslint prints of a package's sheets; the facts are those of its report in checkstyle's XML."""
    room = shop.room(name)
    tree = shop.npm_source(source, room)
    shop.npm(room, "csslint@1.0.5")
    tool = [os.path.join(room, "node_modules", ".bin", "csslint")]
    text = report_file(shop, [*tool, folder], tree, room).replace(f"{tree}/", "")
    report = report_file(shop, [*tool, "--format=checkstyle-xml", folder], tree, room).replace(f"{tree}/", "")
    found = checkstyle_findings("line {line}, col {column}", report)
    found = [one._replace(code=one.code.rsplit(".", 1)[-1]) for one in found]
    yield Item(name, LINTER, "text", f"csslint {folder}", text, said_in(spread_facts(found), text))


def tidy_run(name: str, package: str, pattern: str, shop: Shop) -> Iterator[Item]:
    """What tidy says of pages; the facts are what it says in the form that editors read."""
    shop.install("tidy")
    tree = shop.debian_package(package)
    paths = sorted(os.path.relpath(one, tree) for one in glob.glob(os.path.join(tree, pattern)))
    text = shop.run(["tidy", "-e", "-q", *paths], tree).text
    rows = shop.run(["tidy", "-e", "-q", "--gnu-emacs", "yes", *paths], tree).text
    found = [
        Diagnostic("", f"line {line} column {column}", "", said)
        for line, column, said in re.findall(r"^\S+?:(\d+):(\d+): (?:Warning: |Error: )?(.*)$", rows, re.MULTILINE)
    ]
    facts = [fact for fact in diagnostic_facts(found) if fact.kind != "path"]
    yield Item(name, LINTER, "text", "tidy -e -q", text, said_in(facts, text))


def jscpd_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What jscpd prints of a package; the facts are the copies of its JSON: both places."""
    room = shop.room(name)
    tree = shop.sdist(source, room)
    shop.npm(room, "jscpd@4.0.5")
    tool = [os.path.join(room, "node_modules", ".bin", "jscpd"), folder, "--reporters", "console,json", "-o", room]
    text = re.sub(r"\x1b\[[\d;]*m", "", report_file(shop, tool, tree, room)).replace(f"{tree}/", "")
    facts = []
    for row in json.loads(read(os.path.join(room, "jscpd-report.json")))["duplicates"]:
        for side in ("firstFile", "secondFile"):
            path, at = row[side]["name"].removeprefix(f"{tree}/"), row[side]["startLoc"]
            facts += [Fact("path", (path,)), Fact("location", (), (path, f"[{at['line']}:{at['column']}"))]
    yield Item(name, LINTER, "text", f"jscpd {folder}", text, said_in(facts, text))


def zuban_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What zuban prints of a package; the facts are its lines without context, each with a code."""
    tool = tool_of(shop, "zuban")
    tree = shop.sdist(source, shop.room(name))
    command = [tool, "mypy", "--strict", "--show-column-numbers"]
    text = shop.run([*command, "--pretty", folder], tree, seconds=300).text
    rows = shop.run([*command, folder], tree, seconds=300, apart=True).text
    found = [
        Diagnostic(path, f"{path}:{at}", code, said[:60])
        for path, at, said, code in re.findall(r"^(\S+?):(\d+:\d+): error: (.*?)  \[([\w-]+)\]$", rows, re.MULTILINE)
    ]
    yield Item(
        name, TYPES, "text", f"zuban mypy --strict --pretty {folder}", text, said_in(diagnostic_facts(found), text)
    )


TEMPLATES = """#include <algorithm>
#include <map>
#include <string>
#include <vector>
struct Shelf_%(n)d { int weight; explicit Shelf_%(n)d(int w) : weight(w) {} };
int pack_%(n)d(const std::vector<Shelf_%(n)d> &all) {
  std::map<Shelf_%(n)d, int> order;
  order[all.front()] = %(n)d;
  std::vector<Shelf_%(n)d> sorted = all;
  std::sort(sorted.begin(), sorted.end());
  std::string label = sorted.front();
  int unused_%(n)d; unsigned left = 3; for (int i = 0; i < left; i++) lost_%(n)d(i);
  return label + order.size();
}
"""


def templates_run(name: str, shop: Shop) -> Iterator[Item]:
    """What g++ prints of templates used wrongly; the facts are those of its JSON."""
    shop.need("g++")
    room = shop.room(name)
    paths = [write(os.path.join(room, f"shelf_{number}.cpp"), TEMPLATES % {"n": number}) for number in range(3)]
    command = ["g++", "-std=c++17", "-Wall", "-Wextra", "-fsyntax-only", *(os.path.basename(path) for path in paths)]
    text = shop.run(command, room).text
    found = []
    for line in shop.run([*command, "-fdiagnostics-format=json"], room).text.splitlines():
        for row in json.loads(line) if line.startswith("[") else ():
            at = row["locations"][0]["caret"]
            place = f"{at['file']}:{at['line']}:{at['column']}"
            found.append(Diagnostic(at["file"], place, row.get("option", ""), row["message"]))
    yield Item(name, COMPILER, "text", "g++ -Wall -Wextra", text, said_in(diagnostic_facts(found), text))


RUST = """fn weigh_%(n)d(parcel: &str) -> usize { let spare_%(n)d = 3; parcel.len() }
struct Shelf%(n)d { lid: String }
fn pack_%(n)d(shelf: Shelf%(n)d) -> String {
    let taken = shelf;
    let again = shelf.lid;
    let total: u8 = weigh_%(n)d(again);
    taken.lidd
}
"""


def rustc_run(name: str, shop: Shop) -> Iterator[Item]:
    """What rustc prints of a file with planted mistakes; the facts are those of its JSON."""
    shop.need("rustc")
    room = shop.room(name)
    write(os.path.join(room, "shelf.rs"), "".join(RUST % {"n": number} for number in range(9)) + "fn main() {}\n")
    command = ["rustc", "--emit=metadata", "--edition=2021", "shelf.rs"]
    text = shop.run(command, room).text
    found = []
    for line in shop.run([*command, "--error-format=json"], room).text.splitlines():
        row = json.loads(line)
        if row.get("spans"):
            at = next(one for one in row["spans"] if one["is_primary"])
            place = f"{at['file_name']}:{at['line_start']}:{at['column_start']}"
            found.append(Diagnostic(at["file_name"], place, (row["code"] or {}).get("code", ""), row["message"]))
    yield Item(name, COMPILER, "text", "rustc shelf.rs", text, said_in(spread_facts(found), text))


def radon_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """`radon cc -s`; the facts are those of its JSON: every file, and every block that is worse than B."""
    python = python_tools(shop)
    tree = shop.sdist(source, shop.room(name))
    text = shop.run([python, "-m", "radon", "cc", "-s", folder], tree).text
    facts = []
    for path, blocks in json.loads(
        shop.run([python, "-m", "radon", "cc", "-j", folder], tree, apart=True).text
    ).items():
        facts += [Fact("path", (path,))] if blocks else []
        for row in blocks:
            if row["rank"] not in "AB":
                spelt = f"{row['classname']}.{row['name']}" if row["type"] == "method" else row["name"]
                facts.append(Fact("odd", (), (spelt, f"{row['rank']} ({row['complexity']}")))
    yield Item(name, COUNTER, "text", f"radon cc -s {folder}", text, said_in(facts, text))


def lizard_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What lizard prints of a package; the facts are those of its CSV: every file, every function over its limits."""
    python = python_tools(shop)
    tree = shop.sdist(source, shop.room(name))
    text = shop.run([python, "-m", "lizard", folder], tree).text
    rows = list(csv.reader(shop.run([python, "-m", "lizard", "--csv", folder], tree, apart=True).text.splitlines()))
    facts = [Fact("path", (row[6],)) for row in rows]
    facts += [Fact("odd", (), (row[7], row[0], row[1])) for row in rows if int(row[1]) > 15]
    facts += [Fact("message", (first_line(one),)) for one in re.findall(r"^!+ .* !+$", text, re.MULTILINE)]
    yield Item(name, COUNTER, "text", f"lizard {folder}", text, said_in(facts, text))


RECIPES = {
    "pycodestyle-pyparsing": partial(pycodestyle_run, "pycodestyle-pyparsing", "pyparsing==2.4.7", "examples"),
    "doc8-docutils": partial(doc8_run, "doc8-docutils", "docutils==0.21.2", "docs/user"),
    "chktex-book": partial(chktex_run, "chktex-book"),
    "csslint-codemirror": partial(csslint_run, "csslint-codemirror", "codemirror@5.65.16", "theme"),
    "tidy-sqlite": partial(tidy_run, "tidy-sqlite", "sqlite3-doc", "usr/share/doc/sqlite3*/[l-p]*.html"),
    "jscpd-networkx": partial(jscpd_run, "jscpd-networkx", "networkx==3.3", "networkx/classes"),
    "zuban-paramiko": partial(zuban_run, "zuban-paramiko", "paramiko==3.4.0", "paramiko"),
    "gxx-templates": partial(templates_run, "gxx-templates"),
    "rustc-shelf": partial(rustc_run, "rustc-shelf"),
    "radon-docutils": partial(radon_run, "radon-docutils", "docutils==0.21.2", "docutils/parsers"),
    "lizard-paramiko": partial(lizard_run, "lizard-paramiko", "paramiko==3.4.0", "paramiko"),
}
