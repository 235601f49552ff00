"""Coverage that nobody tunes on: of scripts by c8, of Perl by cover, of C by llvm-cov, of docstrings by interrogate."""

import json
import os
import re
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import directory_facts, said_in
from shop import CannotMake, Shop

from recipes.held_linters import read
from recipes.held_suites import write

COVERAGE = "coverage"
WORST = 12


def c8_run(name: str, package: str, script: str, shop: Shop) -> Iterator[Item]:
    """The table of c8 over a library that is used a little; the facts are its own summary in JSON."""
    room = shop.room(name)
    tree = shop.npm_source(package, room)
    shop.npm(room, "c8@10.1.2")
    write(os.path.join(tree, "use.mjs"), script)
    c8 = os.path.join(room, "node_modules", ".bin", "c8")
    flags = [
        "--all",
        "--include",
        "**/*.js",
        "--include",
        "**/*.mjs",
        "--exclude",
        "use.mjs",
        "--exclude",
        "locale/**",
        "--exclude",
        "fp/**",
    ]
    shop.run([c8, *flags, "--reporter", "json-summary", "--reporter", "text", "node", "use.mjs"], tree)
    text = shop.run([c8, *flags, "--reporter", "text", "node", "use.mjs"], tree).text
    report = json.loads(read(os.path.join(tree, "coverage", "coverage-summary.json")))
    total = report.pop("total")
    facts = [Fact("odd", (), ("All files", f"{total['statements']['pct']}", f"{total['branches']['pct']}"))]
    used = sorted(
        (path for path in report if report[path]["statements"]["pct"] > 0),
        key=lambda path: -report[path]["statements"]["pct"],
    )
    for path in used:
        row = report[path]
        facts.append(
            Fact("odd", (), (os.path.basename(path), f"{row['statements']['pct']}", f"{row['functions']['pct']}"))
        )
    facts += [Fact("name", (os.path.basename(os.path.dirname(path)),)) for path in report]
    yield Item(name, COVERAGE, "text", "c8 node use.mjs", text, said_in(facts, text))


def perl_run(name: str, package: str, shop: Shop) -> Iterator[Item]:
    """What `cover` prints of a Perl library after its tests; the facts are the percentages of its database."""
    shop.install("cover", "libdevel-cover-perl")
    tree = shop.debian_source(package, shop.room(name))
    done = shop.run(
        ["prove", "-l", "t"], tree, env={"HARNESS_PERL_SWITCHES": "-MDevel::Cover=-silent,1,-ignore,^t/"}, seconds=400
    )
    if not os.path.isdir(os.path.join(tree, "cover_db")):
        raise CannotMake(done.text[-200:])
    text = shop.run(["cover", "-report", "text", "-silent"], tree, apart=True).text
    facts = []
    for line in text[: text.find("\n\n\n") if "\n\n\n" in text else len(text)].splitlines():
        row = line.split()
        if row and (row[0].endswith(".pm") or row[0] == "Total"):
            facts += [Fact("odd", (), (row[0], row[-1]))]
    facts += [Fact("name", (one,)) for one in re.findall(r"^(\w+) +\d+ +\S+\.pm:\d+", text, re.MULTILINE)]
    facts += directory_facts("", re.findall(r"^(\S+\.pm)", text, re.MULTILINE))
    yield Item(name, COVERAGE, "text", "cover -report text", text, said_in(facts, text))


def llvm_run(name: str, package: str, program: str, sources: str, shop: Shop) -> Iterator[Item]:
    """What llvm-cov reports of a C library's functions; the facts are what it exports as JSON."""
    shop.install("clang")
    shop.install("llvm-cov", "llvm", "libclang-rt-14-dev")
    tree = shop.debian_source(package, shop.room(name))
    files = sorted(one for one in os.listdir(tree) if re.fullmatch(sources, one))
    done = shop.run(
        ["clang", "-fprofile-instr-generate", "-fcoverage-mapping", "-w", "-I.", "-o", "program", program, *files], tree
    )
    done.check()
    shop.run(["./program"], tree)
    shop.run(["llvm-profdata", "merge", "-o", "all.profdata", "default.profraw"], tree)
    flags = ["./program", "-instr-profile=all.profdata"]
    text = shop.run(["llvm-cov", "report", "-show-functions", *flags, *files], tree).text.replace(f"{tree}/", "")
    report = json.loads(shop.run(["llvm-cov", "export", *flags], tree, apart=True).text)["data"][0]
    facts = [Fact("name", (os.path.basename(one["filename"]),)) for one in report["files"]]
    for one in report["functions"]:
        facts.append(Fact("name", (one["name"].split(":")[-1],)))
        if not one["count"]:
            facts.append(Fact("odd", (), (one["name"].split(":")[-1], "0.00%")))
    yield Item(name, COVERAGE, "text", "llvm-cov report -show-functions", text, said_in(facts, text))


def docstring_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """The table of interrogate; the facts are counted by its own library."""
    python = shop.python("interrogate", "interrogate==1.7.0", "setuptools<80")
    tree = shop.sdist(source, shop.room(name))
    text = shop.run([python, "-m", "interrogate", "-vv", "--no-color", folder], tree).text.replace(f"{tree}/", "")
    code = "import json, sys; from interrogate import coverage; done = coverage.InterrogateCoverage(paths=sys.argv[1:]).get_coverage(); print(json.dumps([done.perc_covered, done.missing, done.total, [[one.filename, one.missing, one.total] for one in done.file_results]]))"
    share, missing, total, files = json.loads(shop.run([python, "-c", code, folder], tree, apart=True).text)
    facts = [Fact("odd", (), ("TOTAL", str(total), str(missing))), Fact("message", (f"{share:.1f}%",))]
    for path, lacking, count in files:
        short = os.path.relpath(os.path.join(tree, path), os.path.join(tree, folder))
        if lacking:
            facts.append(Fact("odd", (), (short, str(count), str(lacking))))
        facts.append(Fact("path", (short,)))
    yield Item(name, COVERAGE, "text", f"interrogate -vv {folder}", text, said_in(facts, text))


USE = 'import {format} from "./format.mjs"; import {parseISO} from "./parseISO.mjs"; import {differenceInDays} from "./differenceInDays.mjs"; const day = parseISO("2024-02-29"); console.log(format(day, "yyyy-MM-dd EEEE QQQ"), differenceInDays(day, parseISO("2020-01-01")));\n'

RECIPES = {
    "c8-date-fns": partial(c8_run, "c8-date-fns", "date-fns@3.6.0", USE),
    "cover-path-tiny": partial(perl_run, "cover-path-tiny", "libpath-tiny-perl"),
    "llvm-cov-zlib": partial(llvm_run, "llvm-cov-zlib", "zlib", "test/example.c", r"[a-z0-9]+\.c"),
    "interrogate-networkx": partial(docstring_run, "interrogate-networkx", "networkx==3.2.1", "networkx"),
}
