"""Builds and workflows that nobody tunes on; the facts are planted or those of their reports for machines."""

import json
import os
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.fifth_linters import npm_room, npm_tool, tool_of
from recipes.fifth_suites import last_words, plain
from recipes.held_linters import read
from recipes.held_suites import write
from recipes.third_linters import report_file

BUILD, WORKFLOW = "build system", "workflow"

SNAKE = """SHELVES = range(26)
rule all:
    input: expand("out/shelf-{n}.sum", n=SHELVES)
rule weigh:
    output: "out/shelf-{n}.weight"
    shell: "sh weigh.sh {wildcards.n} {output}"
rule sum:
    input: "out/shelf-{n}.weight"
    output: "out/shelf-{n}.sum"
    shell: "sh sum.sh {wildcards.n} {output}"
"""
SNAKE_WEIGH = """if [ $1 = 11 ] || [ $1 = 19 ]; then echo "scales of shelf $1 are broken"; exit 4; fi
echo "$1" > $2
"""
SNAKE_SUM = """echo "shelf $1 is done"
if [ $1 = 23 ]; then echo "no sum for shelf 23"; exit 5; fi
if [ $1 != 17 ]; then echo "$1" > $2; fi
"""


def snakemake_run(name: str, shop: Shop) -> Iterator[Item]:
    """What snakemake prints of a workflow in which some jobs break; the facts are these."""
    tool = tool_of(shop, "snakemake")
    room = shop.room(name)
    write(os.path.join(room, "Snakefile"), SNAKE)
    write(os.path.join(room, "weigh.sh"), SNAKE_WEIGH)
    write(os.path.join(room, "sum.sh"), SNAKE_SUM)
    text = shop.run(
        [tool, "--cores", "1", "--keep-going", "--latency-wait", "0"], room, env={"HOME": room}, seconds=120
    ).text.replace(f"{room}/", "")
    facts = [Fact("message", (f"scales of shelf {number} are broken",)) for number in (11, 19)]
    facts += [Fact("message", (one,)) for one in ("no sum for shelf 23", "Error in rule weigh:", "Error in rule sum:")]
    facts += [
        Fact("message", (f"out/shelf-{number}.{kind}",))
        for number, kind in ((11, "weight"), (19, "weight"), (17, "sum"), (23, "sum"))
    ]
    facts += [Fact("message", (f"shelf {number} is done",)) for number in range(26) if number not in (11, 19)]
    facts += last_words(
        text, r"^(?:\w+Exception.*|\w+Error.*|\d+ of \d+ steps \(\d+%\) done|Exiting because.*|total +\d+)$"
    )[-12:]
    facts += last_words(text, r"Snakefile\", line \d+")
    yield Item(name, WORKFLOW, "text", "snakemake --cores 1 --keep-going", text, said_in(facts, text))


DODO = """def weigh(n):
    print(f"weighing shelf {n}")
    if n % 23 == 7:
        raise ValueError(f"shelf {n} weighs nothing")
    if n % 31 == 9:
        return False

def task_weigh():
    for n in range(110):
        yield {"name": f"shelf{n}", "actions": [(weigh, [n])]}

def task_pack():
    for n in range(110):
        yield {"name": f"shelf{n}", "actions": [f"echo packing {n}"], "task_dep": [f"weigh:shelf{n}"]}
"""


def doit_run(name: str, shop: Shop) -> Iterator[Item]:
    """What doit prints of tasks of which some fail; the facts are those that its JSON says failed or were left."""
    tool = tool_of(shop, "doit")
    room = shop.room(name)
    write(os.path.join(room, "dodo.py"), DODO)
    text = shop.run([tool, "--continue", "--verbosity", "2"], room).text.replace(f"{room}/", "")
    text = text.replace(os.path.dirname(os.path.dirname(tool)), "/venv")
    shop.run([tool, "--continue", "--reporter", "json", "--output-file", "report.json"], room)
    rows = json.loads(read(os.path.join(room, "report.json")))["tasks"]
    bad = [row["name"] for row in rows if row["result"] != "success" and ":" in row["name"]]
    facts = [Fact("message", (f"taskid:{one}",)) for one in bad]
    facts += [Fact("message", (f"shelf {number} weighs nothing",)) for number in range(7, 110, 23)]
    facts += last_words(text, r"^(?:TaskFailed|TaskError|UnmetDependency) - taskid:(?:weigh|pack)$")
    yield Item(name, BUILD, "text", "doit --continue", text, said_in(facts, text))


NOX = """import nox

@nox.session(venv_backend="none")
@nox.parametrize("shelf", range(24))
@nox.parametrize("kind", ["tests", "lint"])
def weigh(session, kind, shelf):
    session.run("sh", "check.sh", kind, str(shelf), external=True)

@nox.session(venv_backend="none")
def docs(session):
    session.skip("no pages to build")
"""
NOX_CHECK = """for n in 1 2 3 4 5 6; do echo "$1 of shelf $2, parcel $n: fine"; done
if [ "$1" = lint ] && [ $(($2 % 9)) = 4 ]; then echo "src/shelf_$2.py:$(($2 + 3)):1: lid is left open"; exit 3; fi
if [ "$1" = tests ] && [ $(($2 % 7)) = 5 ]; then echo "FAILED tests/test_shelf_$2.py::test_door - door $2 is stuck"; exit 1; fi
"""


def nox_run(name: str, shop: Shop) -> Iterator[Item]:
    """What nox prints of sessions of which some fail; the facts are those of its JSON, and why."""
    tool = tool_of(shop, "nox")
    room = shop.room(name)
    write(os.path.join(room, "noxfile.py"), NOX)
    write(os.path.join(room, "check.sh"), NOX_CHECK)
    text = plain(shop.run([tool, "--nocolor", "--no-venv", "--report", "report.json"], room).text)
    facts = last_words(text, r"^nox > Ran .*")
    for row in json.loads(read(os.path.join(room, "report.json")))["sessions"]:
        for one in row["signatures"]:
            facts += [Fact("odd", (), (one, row["result"]))] if row["result"] != "success" else []
    facts += [Fact("message", ("no pages to build",))]
    facts += [Fact("message", (f"src/shelf_{n}.py:{n + 3}:1: lid is left open",)) for n in range(4, 24, 9)]
    facts += [Fact("message", (f"tests/test_shelf_{n}.py::test_door - door {n} is stuck",)) for n in range(5, 24, 7)]
    facts += [Fact("message", (f"failed with exit code {code}",)) for code in (1, 3)]
    yield Item(name, BUILD, "text", "nox --report report.json", text, said_in(facts, text))


GRUNT = """module.exports = (grunt) => {
  const names = [];
  for (let n = 0; n < 60; n++) {
    grunt.registerTask(`shelf${n}`, function () {
      for (let p = 0; p < 4; p++) grunt.log.ok(`parcel ${p} of shelf ${n} is weighed`);
      if (n % 17 === 6) { grunt.log.error(`lid of shelf ${n} is open`); return false; }
      if (n === 41) throw new TypeError('scales.weigh is not a function');
      if (n % 11 === 8) grunt.log.warn(`label of shelf ${n} is old`);
    });
    names.push(`shelf${n}`);
  }
  grunt.registerTask('default', names);
};
"""


def grunt_run(name: str, shop: Shop) -> Iterator[Item]:
    """What grunt prints of tasks of which some fail; the facts are planted."""
    room = shop.room(name)
    # grunt looks for itself beside the file.
    plan = write(os.path.join(npm_room(shop), "Gruntfile.js"), GRUNT)
    text = plain(report_file(shop, [npm_tool(shop, "grunt"), "--force", "--no-color"], os.path.dirname(plan), room))
    facts = [Fact("message", (f"lid of shelf {n} is open",)) for n in range(6, 60, 17)]
    facts += [Fact("message", (f'Task "shelf{n}" failed',)) for n in range(6, 60, 17)]
    facts += [Fact("message", (f"label of shelf {n} is old",)) for n in range(8, 60, 11)]
    facts += [Fact("message", (one,)) for one in ("scales.weigh is not a function", "Done, but with warnings")]
    facts += [Fact("message", (f'Running "shelf{n}" task',)) for n in (0, 6, 23, 40, 41, 57, 59)]
    yield Item(name, BUILD, "text", "grunt --force", text, said_in(facts, text))


def mkdocs_run(name: str, shop: Shop) -> Iterator[Item]:
    """What mkdocs prints of pages with broken links; the facts are the links, the pages and what is not in the menu."""
    tool = tool_of(shop, "mkdocs")
    room = shop.room(name)
    menu, facts = "", []
    for number in range(60):
        page = f"area-{number % 6}/shelf-{number}.md"
        text = f"# Shelf {number}\n\n[next](shelf-{number + 6}.md) and [door](#door-{number})\n\n## Parcels\n"
        if number % 9 == 4:
            text += f"\n[lost](../lost/parcel-{number}.md)\n![photo](photo-{number}.png)\n"
            facts += [Fact("message", (f"'../lost/parcel-{number}.md'",)), Fact("message", (f"'photo-{number}.png'",))]
            facts += [Fact("message", (page,))]
        if number >= 54:
            facts += [Fact("message", (f"'shelf-{number + 6}.md'",))]
        if number % 13 == 2:
            facts += [Fact("path", (page,))]
        else:
            menu += f"  - Shelf {number}: {page}\n"
        write(os.path.join(room, "docs", page), text)
    write(os.path.join(room, "docs", "index.md"), "# Shelves\n")
    menu += "  - Gone: area-9/gone.md\n"
    facts += [
        Fact("message", ("area-9/gone.md",)),
        Fact("message", ("included in the 'nav' configuration, which is not found",)),
    ]
    write(
        os.path.join(room, "mkdocs.yml"),
        f"site_name: Shelves\nvalidation:\n  anchors: warn\nnav:\n  - index.md\n{menu}",
    )
    text = plain(shop.run([tool, "build", "--verbose"], room).text).replace(f"{room}/", "")
    facts += [Fact("message", (f"'#door-{number}'",)) for number in range(60)]
    yield Item(name, BUILD, "text", "mkdocs build --verbose", text, said_in(facts, text))


LUIGI = """import luigi

class Weigh(luigi.Task):
    shelf = luigi.IntParameter()
    def run(self):
        if self.shelf % 19 == 6:
            raise RuntimeError(f"scales of shelf {self.shelf} are broken")
        with self.output().open("w") as out:
            out.write("1")
    def output(self):
        return luigi.LocalTarget(f"out/weight-{self.shelf}.txt")

class Pack(luigi.Task):
    shelf = luigi.IntParameter()
    def requires(self):
        return Weigh(shelf=self.shelf)
    def run(self):
        with self.output().open("w") as out:
            out.write("1")
    def output(self):
        return luigi.LocalTarget(f"out/parcel-{self.shelf}.txt")

class All(luigi.WrapperTask):
    def requires(self):
        return [Pack(shelf=one) for one in range(45)]
"""


def luigi_run(name: str, shop: Shop) -> Iterator[Item]:
    """What luigi logs of a workflow of which some tasks break; the facts are these and its last words."""
    tool = tool_of(shop, "luigi")
    room = shop.room(name)
    write(os.path.join(room, "shelves.py"), LUIGI)
    text = shop.run([tool, "--module", "shelves", "All", "--local-scheduler"], room, env={"PYTHONPATH": room}).text
    text = text.replace(f"{room}/", "").replace(os.path.dirname(os.path.dirname(tool)), "/venv")
    facts = []
    for number in range(6, 45, 19):
        facts += [
            Fact("message", (f"scales of shelf {number} are broken",)),
            Fact("message", (f"failed    Weigh(shelf={number})",)),
        ]
    facts += last_words(
        text, r"^(?:Scheduled \d+ tasks.*|\* \d+ .*|    - \d+ .*|This progress looks.*|Did not run any tasks)$"
    )
    facts += last_words(text, r'"shelves.py", line \d+')
    yield Item(name, WORKFLOW, "text", "luigi --module shelves All", text, said_in(facts, text))


BMAKE = """SHELVES!= seq 0 129
all: ${SHELVES:@n@out/shelf-$n.o@}
.for n in ${SHELVES}
out/shelf-$n.o: shelf-$n.c
\t@mkdir -p out
\tcc -Wall -Wextra -c -o ${.TARGET} shelf-$n.c
.endfor
"""


def bmake_run(name: str, shop: Shop) -> Iterator[Item]:
    """What bmake prints of a build in which some files break; the facts are planted: warnings, errors, what was not made."""
    shop.install("bmake")
    room = shop.room(name)
    facts = []
    for number in range(130):
        body = f"int weigh_{number}(int parcel) {{\n  return parcel * {number};\n}}\n"
        if number % 11 == 3:
            body += f"int spare_{number}(void) {{\n  int left_{number} = 3;\n  return 0;\n}}\n"
            facts += [Fact("record", (f"shelf-{number}.c:5",), (f"left_{number}",))]
        if number % 17 == 5:
            body += f"int pack_{number}(void) {{\n  return lid_{number};\n}}\n"
            row = body[: body.index(f"lid_{number}")].count("\n") + 1
            facts += [Fact("record", (f"shelf-{number}.c:{row}",), (f"lid_{number}",))]
            facts += [Fact("message", (f"out/shelf-{number}.o",))]
        if number != 44:
            write(os.path.join(room, f"shelf-{number}.c"), body)
    facts += [
        Fact("message", (one,))
        for one in ("don't know how to make shelf-44.c", "Stopped because of previous errors", "Stop.")
    ]
    write(os.path.join(room, "Makefile"), BMAKE)
    text = shop.run(["bmake", "-k"], room).text.replace(f"{room}/", "")
    facts += last_words(text, r"^bmake.*(?:stopped|Error).*$|^`all' not remade.*|^\*\*\* .*")
    yield Item(name, BUILD, "text", "bmake -k", text, said_in(facts, text))


RECIPES = {
    "snakemake-shelves": partial(snakemake_run, "snakemake-shelves"),
    "doit-shelves": partial(doit_run, "doit-shelves"),
    "nox-shelves": partial(nox_run, "nox-shelves"),
    "grunt-shelves": partial(grunt_run, "grunt-shelves"),
    "mkdocs-shelves": partial(mkdocs_run, "mkdocs-shelves"),
    "luigi-shelves": partial(luigi_run, "luigi-shelves"),
    "bmake-shelves": partial(bmake_run, "bmake-shelves"),
}
