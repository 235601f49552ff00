"""Test runners, coverage, builders and profilers of every day that nobody tunes on; reports for machines or planted faults tell the facts."""

import glob
import json
import os
import re
import shutil
from collections.abc import Iterator

from items import Fact, Item
from reports import first_line, junit_failures
from shop import Shop

from recipes.fourth_git import Repository
from recipes.held_linters import read
from recipes.held_suites import write
from recipes.tenth_tools import TOOLS, each, failed, made, matches, pairs, recipes, stripped, venv_path
from recipes.third_linters import report_file

SUITE, COVERAGE, BUILD, PROFILER = "test runner", "coverage", "build system", "profiler"

MOCHA = """const assert = require('assert');
describe('pier {n}', function () {{
  it('opens at {n}', () => assert.strictEqual({n} * 3, {n} * 3{wrong}));
  it('lists its ferries', () => assert.deepStrictEqual({{ ferry: 'Seal', deck: {n} }}, {{ ferry: 'Seal', deck: {deck} }}));
  describe('at night', function () {{
    {before}
    it('is lit', () => {{ {lit} }});
    it('lets ferry {n} sleep', async () => {{ {sleep} }});
    {pending}
  }});
}});
"""


def mocha_run(name: str, shop: Shop) -> Iterator[Item]:
    """What mocha prints; the facts are those of its JSON: every failed test, every message, and the sums."""
    room = shop.room(name)
    for n in range(44):
        write(os.path.join(room, "test", f"pier{n}.js"), MOCHA.format(
            n=n, wrong=" + 1" if n % 9 == 4 else "", deck=n + (n % 11 == 6), lit=f"throw new TypeError('lamp {n} is broken')" if n % 8 == 5 else "",
            before=f"before(() => {{ throw new Error('pier {n} is under water'); }});" if n == 29 else "", pending=f"it('counts the gulls of pier {n}');" if n % 6 == 2 else "",
            sleep=f"throw new RangeError('ferry {n} snores at ' + {n * 7})" if n % 13 == 3 else "",
        ))  # fmt: skip
    command = [TOOLS.npm_tool(shop, "mocha"), "--no-color"]
    text = stripped(re.sub(r"\(\d+m?s\)", "(9ms)", report_file(shop, command, room, room)), room)
    report = json.loads(report_file(shop, [*command, "--reporter=json"], room, room))
    facts = failed((one["title"], first_line(one["err"]["message"]), "") for one in report["failures"])
    places = re.findall(r"test/pier\d+\.js:\d+", " ".join(one["err"].get("stack", "") for one in report["failures"]))
    facts += (*each("location", places), *matches(text, r"^ +\d+ (?:passing|failing|pending)"))
    yield made(name, SUITE, "mocha", text, [*facts, *each("message", (one["title"] for one in report["pending"]))])


GO = """package pier{n}

import (
	"testing"
	"time"
)

func sail(n int) int {{ return n * 3 }}

func TestSail(t *testing.T) {{
	for _, c := range []struct {{ name string; n, want int }}{{ {{"Seal", {n}, {n3}}}, {{"Otter", {n} + 1, {wrong}}}, {{"Auk", 2, 6}} }} {{
		t.Run(c.name, func(t *testing.T) {{
			if got := sail(c.n); got != c.want {{ t.Errorf("ferry %s of pier {n}: sail(%d) = %d, want %d", c.name, c.n, got, c.want) }}
		}})
	}}
}}

func TestMoor(t *testing.T) {{
	{skip}
	var ropes map[string]int
	time.Sleep(time.Millisecond)
	{panic}
	_ = ropes
}}

func TestGulls(t *testing.T) {{ {fatal} }}
"""


def gotestsum_run(name: str, shop: Shop) -> Iterator[Item]:
    """What gotestsum prints; the facts are those of its JUnit report: every failed test, every message, the sums."""
    shop.install("go", "golang-go")
    shop.install("gotestsum")
    room = shop.room(name)
    write(os.path.join(room, "go.mod"), "module ferries.example/piers\n\ngo 1.19\n")
    for n in range(38):
        write(os.path.join(room, f"pier{n}", f"pier{n}_test.go"), GO.format(
            n=n, n3=n * 3, wrong=(n + 1) * 3 + (n % 7 == 3), skip='t.Skip("no ropes today")' if n % 5 == 2 else "",
            panic='ropes["bow"] = 1' if n == 11 else "", fatal=f't.Fatal("gull {n} stole the ticket")' if n % 9 == 4 else "",
        ))  # fmt: skip
    env = {"GOCACHE": f"{room}/cache", "GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOTOOLCHAIN": "local", "HOME": room}
    command = ["gotestsum", "--no-color", "--format", "testname", "--junitfile", "report.xml", "./..."]
    text = re.sub(r"\d+\.\d+s\b", "0.01s", stripped(shop.run(command, room, env=env, seconds=500).text, room))
    rows = [(one.name, "", "") for one in junit_failures(read(os.path.join(room, "report.xml")))]
    facts = [*failed(rows), *matches(text, r"^DONE .*?failures?", r"^panic: .*?(?=\s*\[|$)")]
    facts += each(
        "message",
        [f"ferry Otter of pier {n}: sail({n + 1}) = {n * 3 + 3}, want {n * 3 + 4}" for n in range(38) if n % 7 == 3],
    )
    facts += each("message", [f"gull {n} stole the ticket" for n in range(38) if n % 9 == 4])
    facts += each("location", re.findall(r"pier\d+_test\.go:\d+(?=: (?:ferry|gull))", text))
    yield made(name, SUITE, "gotestsum --format testname ./...", text, facts)


CPPUTEST = """TEST_GROUP(Pier{n}) {{ void setup() {{}} }};
TEST(Pier{n}, Sails{n}) {{ LONGS_EQUAL({n} * 3{wrong}, {n} * 3); }}
TEST(Pier{n}, Moors{n}) {{ STRCMP_EQUAL("{rope}", "rope"); }}
TEST(Pier{n}, Leaks{n}) {{ {leak} }}
{ignore}TEST(Pier{n}, Rests{n}) {{ CHECK_TEXT({rests}, "gull {n} is awake"); }}
"""


def cpputest_run(name: str, shop: Shop) -> Iterator[Item]:
    """What a suite of CppUTest prints; the facts are those of its JUnit reports."""
    shop.install("g++")
    shop.apt("libcpputest-dev") if not glob.glob("/usr/include/CppUTest/TestHarness.h") else None
    room = shop.room(name)
    body = "".join(CPPUTEST.format(
        n=n, wrong=" + 1" if n % 7 == 2 else "", rope=f"chain {n}" if n % 9 == 5 else "rope", leak=f"char *p{n} = new char[{n + 10}]; p{n}[0] = 1;" if n % 11 == 4 else "CHECK(true);",
        ignore="IGNORE_" if n % 13 == 1 else "", rests="false" if n % 10 == 8 else "true",
    ) for n in range(60))  # fmt: skip
    write(
        os.path.join(room, "piers.cpp"),
        '#include "CppUTest/CommandLineTestRunner.h"\n#include "CppUTest/TestHarness.h"\n'
        + body
        + "int main(int c, char **v) { return CommandLineTestRunner::RunAllTests(c, v); }\n",
    )
    shop.run(
        ["g++", "-include", "CppUTest/MemoryLeakDetectorNewMacros.h", "piers.cpp", "-o", "piers-suite", "-lCppUTest"],
        room,
        seconds=200,
    ).check()
    text = re.sub(r"\d+ ms\b", "0 ms", shop.run(["./piers-suite", "-v"], room).text)
    shop.run(["./piers-suite", "-ojunit"], room)
    rows = [
        (one.name, one.message, "")
        for path in glob.glob(os.path.join(room, "cpputest_*.xml"))
        for one in junit_failures(read(path))
    ]
    facts = [
        *each("name", (row[0] for row in rows)),
        *matches(
            text,
            r"^Errors \(.*",
            r"^piers\.cpp:\d+: error: Failure in .*",
            r"expected <.*",
            r"Message: .*",
            r"but was  <.*",
        ),
    ]
    facts += matches(
        text, r"Alloc num .*?(?= Allocated)|Total number of leaks: +\d+", r"size: \d+ Allocated at: \S+ and line: \d+"
    )
    yield made(name, SUITE, "piers-suite -v", text, facts)


def diff_cover_run(name: str, shop: Shop) -> Iterator[Item]:
    """What diff-cover says of a branch of which a part is tested, and pycobertura of the whole; the facts are those of their JSON."""
    git = Repository(shop, name, "click==8.1.7")
    for n, path in enumerate(git.sources("src/**/*.py")):
        extra = "".join(
            f"\n\ndef pier_{n}_{k}(ferry: int) -> int:\n    if ferry > {k}:\n        ferry -= {k}\n    return ferry * {n}\n"
            for k in range(2 + n * 5 % 9)
        )
        git.edit(path, r"\Z", extra)
    git("checkout", "-q", "-b", "piers")
    git.commit("Add piers")
    tree, env = git.tree, venv_path(TOOLS, shop) | {"PYTHONPATH": os.path.join(git.tree, "src")}
    script = "import click, click.types as t, click._compat as c\nfor k in range(2): t.pier_12_1(k) if hasattr(t, 'pier_12_1') else 0\nclick.echo('x')\n"
    write(os.path.join(tree, "use.py"), script)
    for words in (["run", "--source=src", "use.py"], ["xml", "-o", "coverage.xml"]):
        shop.run(["coverage", *words], tree, env=env).check()
    text = shop.run(
        ["diff-cover", "coverage.xml", "--compare-branch=main", "--show-uncovered", "--format", "json:report.json"],
        tree,
        env=env,
    ).text
    report = json.loads(read(os.path.join(tree, "report.json")))
    facts = [Fact("odd", (), (path, f"({one['percent_covered']:.1f}%)")) for path, one in report["src_stats"].items()]
    facts += matches(text, r"^(?:Total|Missing|Coverage): +\S+ ?\w*", r"^Diff: .*")
    yield made(name, COVERAGE, "diff-cover coverage.xml --show-uncovered", text, facts)


def pycobertura_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `pycobertura show` says after some use of a library; the facts are those of its JSON: files, shares, and the sum."""
    tree = shop.sdist("tornado==6.4.1", shop.room(name))
    env = venv_path(TOOLS, shop) | {"PYTHONPATH": tree}
    write(
        os.path.join(tree, "use.py"),
        "import tornado.web, tornado.escape as e, tornado.template as t\nprint(e.linkify('http://pier.example'), t.Template('{{ 3 }}').generate())\n",
    )
    for words in (["run", "--source=tornado", "use.py"], ["xml", "-o", "coverage.xml"]):
        shop.run(["coverage", *words], tree, env=env).check()
    text = shop.run(["pycobertura", "show", "coverage.xml"], tree, env=env).text
    report = json.loads(shop.run(["pycobertura", "show", "--format", "json", "coverage.xml"], tree, env=env).text)
    total = report["total"]
    least = sorted(report["files"], key=lambda one: -int(one["Miss"]))[:25]
    facts = pairs((one["Filename"], one["Miss"], one["Cover"]) for one in least)
    facts += [
        *each("path", (one["Filename"] for one in report["files"])),
        *pairs([("TOTAL", total["Stmts"], total["Miss"], total["Cover"])]),
    ]
    yield made(
        name,
        COVERAGE,
        "pycobertura show coverage.xml",
        text,
        [*facts, *each("name", ("Filename", "Stmts", "Miss", "Cover", "Missing"))],
    )


PAGE = "export const metadata = {{ title: 'Pier {n}' }};\nexport default async function Page() {{ return <main><h1>Pier {n}</h1>{more}</main>; }}\n"
DYNAMIC = "{static}export default async function Page({{ params }}) {{ const {{ id }} = await params; return <p>Ferry {{id}} of {n}</p>; }}\n"


def next_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `next build` prints of a site; the facts are planted: every route with its kind."""
    room = os.path.join(TOOLS.npm_room(shop), name)
    shutil.rmtree(room, ignore_errors=True)
    write(os.path.join(room, "package.json"), '{"name": "ferries", "private": true}\n')
    write(
        os.path.join(room, "next.config.mjs"), "export default { experimental: { cpus: 1, workerThreads: false } };\n"
    )
    write(
        os.path.join(room, "app", "layout.js"),
        "export default function Layout({ children }) { return <html><body>{children}</body></html>; }\n",
    )
    facts: list[Fact] = []
    for n in range(240):
        path = f"{('timetable/season', 'admin/harbour/berths', 'help/articles')[n % 3]}/pier-{n}"
        page = PAGE.format(n=n, more="x" * (n * 13 % 90))
        known = f"export function generateStaticParams() {{ return [{{ id: 'seal{n}' }}, {{ id: 'otter{n}' }}]; }}\n"
        if n % 20 == 3:
            page = DYNAMIC.format(n=n, static=known)
            facts += pairs([("●", f"/{path}/seal{n}"), ("●", f"/{path}/otter{n}")])
            path += "/[id]"
        elif n % 10 == 3:
            page = DYNAMIC.format(n=n, static="")
            path += "/[id]"
            facts += pairs([("ƒ", f"/{path}")])
        elif n % 17 == 5:
            page += "export const dynamic = 'force-dynamic';\n"
            facts += pairs([("ƒ", f"/{path}")])
        elif n % 19 == 7:
            page += "export const revalidate = 600;\n"
            facts += pairs([(f"/{path}", "10m")])
        facts += each("path", [f"/{path}"])
        write(os.path.join(room, "app", path, "page.js"), page)
    env = {"NEXT_TELEMETRY_DISABLED": "1", "NODE_OPTIONS": "--max-old-space-size=3000"}
    done = shop.run([TOOLS.npm_tool(shop, "next"), "build", "--webpack"], room, env=env, seconds=500)
    text = stripped(done.text, room)
    shutil.rmtree(room)
    facts += matches(text, r"^[○●ƒ] +\(\w+\).*", r"^ .*Compiled .*?(?= in)")
    yield made(name, BUILD, "next build", text, facts)


WORK = """#include <stdio.h>
#include <stdlib.h>
{functions}
int main(void) {{ unsigned long sum = 0; for (int round = 0; round < {rounds}; round++) {{ {calls} }} printf("%lu\\n", sum); return 0; }}
"""


def pprof_run(name: str, shop: Shop) -> Iterator[Item]:
    """What google-pprof prints of a program with a hundred functions; the facts are the hottest with their shares, and what calls them."""
    shop.install("google-pprof", "google-perftools")
    shop.apt("libgoogle-perftools-dev") if not glob.glob("/usr/include/gperftools") else None
    room = shop.room(name)
    functions = "\n".join(
        f"__attribute__((noinline)) unsigned long deck_{n}_of_ferry(unsigned long x) {{ for (int k = 0; k < {60 + (n * 53 % 170) ** 2 // 20}; k++) x = x * 31 + k; return x; }}"
        for n in range(300)
    )
    calls = " ".join(f"sum += deck_{n}_of_ferry(round);" for n in range(300))
    write(os.path.join(room, "ferry.c"), WORK.format(functions=functions, calls=calls, rounds=40_000))
    shop.run(["gcc", "-O1", "-g", "ferry.c", "-o", "ferry", "-Wl,--no-as-needed", "-lprofiler"], room).check()
    shop.run(["./ferry"], room, env={"CPUPROFILE": "ferry.prof", "CPUPROFILE_FREQUENCY": "400"}, seconds=120).check()
    text = shop.run(["google-pprof", "--text", "./ferry", "ferry.prof"], room).text
    rows = re.findall(r"^ *(\d+) +(\S+%) +\S+% +\d+ +\S+% (\w+)", text, re.MULTILINE)
    facts = [
        *pairs((share, function) for _, share, function in rows[:60]),
        *each("name", (row[2] for row in rows[-4:])),
        *matches(text, r"^Total: \d+ samples"),
    ]
    yield made(name, PROFILER, "google-pprof --text ./ferry ferry.prof", text, facts)


RECIPES = recipes(
    ("mocha-piers", mocha_run),
    ("gotestsum-piers", gotestsum_run),
    ("cpputest-piers", cpputest_run),
    ("diff-cover-click", diff_cover_run),
    ("pycobertura-tornado", pycobertura_run),
    ("next-ferries", next_run),
    ("google-pprof-ferry", pprof_run),
)
