"""Runs of many commands, tracers and profilers that nobody tunes on; the facts are planted or said for machines."""

import json
import os
import re
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import Diagnostic, diagnostic_facts, said_in
from shop import Shop, change

from recipes.fifth_suites import last_words
from recipes.fifth_systems import native_work
from recipes.held_suites import write
from recipes.sixth_tools import npm_room, npm_tool, python_tools, tool_of
from recipes.third_linters import report_file

RUN, PROFILER, TRACER, COVERAGE, SHELL = "task runner", "profiler", "tracer", "coverage", "shell session"

SOURCE = """#include <stdio.h>
int weigh_{n}(int x) {{
  int unused_{n};
  {more}
  return x * {n};
}}
"""


def shelf_sources(room: str, count: int) -> list[str]:
    """Sources in C with a warning each and a few errors."""
    paths = []
    for number in range(count):
        more = {6: f"return lost_{number};", 9: f'printf("%d", "shelf {number}");'}.get(
            number % 15, f"if (x = {number}) x++;"
        )
        path = f"src/area_{number % 4}/shelf_{number}.c"
        write(os.path.join(room, path), SOURCE.format(n=number, more=more))
        paths.append(path)
    return paths


def compiler_facts(shop: Shop, room: str, paths: list[str]) -> tuple[Fact, ...]:
    """What gcc says of these sources, by its own JSON."""
    found = []
    for path in paths:
        rows = shop.run(["gcc", "-Wall", "-fdiagnostics-format=json", "-c", path, "-o", "/dev/null"], room).text
        for row in json.loads(rows[rows.index("[") : rows.rindex("]") + 1].split("\n")[0]):
            at = row["locations"][0]["caret"]
            found.append(
                Diagnostic(
                    path, f"{path}:{at['line']}:{at['column']}", (row.get("option") or "").lstrip("-"), row["message"]
                )
            )
    return diagnostic_facts(found)


def just_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `just` prints of a build that goes on; the facts are those of the compiler's JSON, and the steps that failed."""
    shop.need("gcc")
    tool = tool_of(shop, "just")
    room = shop.room(name)
    paths = shelf_sources(room, 40)
    steps = "".join(
        f"shelf-{number}:\n    -gcc -Wall -c {path} -o shelf_{number}.o\n    -@echo shelf {number} is done\n"
        for number, path in enumerate(paths)
    )
    write(
        os.path.join(room, "justfile"),
        f"all: {' '.join(f'shelf-{number}' for number in range(40))}\n    ./pack --all\n{steps}",
    )
    text = shop.run([tool, "--color=never", "all"], room).text
    facts = [*compiler_facts(shop, room, paths), *last_words(text, r"^error: .*|.*\./pack: .*")]
    yield Item(name, RUN, "text", "just all", text, said_in(facts, text))


TASKS = """from invoke import task
import sys
@task
def weigh(c, n):
    c.run(f"echo weighing shelf {n} && echo door {n} opens && echo label {n} printed", echo=True)
    if int(n) % 9 == 4:
        c.run(f"ls lost-{n}.txt", echo=True, warn=True)
    if int(n) % 16 == 7:
        c.run(f"python3 -c 'import shelf_{n}'", echo=True, warn=True)
@task
def all(c):
    for n in range(70):
        weigh(c, str(n))
    c.run("./ship --parcels 70", echo=True)
"""


def invoke_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `invoke` prints of tasks of which some go wrong; the facts are the planted ones."""
    tool = tool_of(shop, "invoke")
    room = shop.room(name)
    write(os.path.join(room, "tasks.py"), TASKS)
    text = shop.run([tool, "all"], room, env={"INVOKE_RUN_PTY": "0"}).text.replace(f"{room}/", "")
    facts = [Fact("message", (f"lost-{n}.txt': No such file",)) for n in range(70) if n % 9 == 4]
    facts += [Fact("message", (f"No module named 'shelf_{n}'",)) for n in range(70) if n % 16 == 7]
    facts += [*last_words(text, r".*ship: (?:not found|No such file).*"), Fact("message", ("./ship --parcels 70",))]
    yield Item(name, RUN, "text", "invoke all", text, said_in(facts, text))


GULP = """const gulp = require('gulp');
const names = [];
for (let n = 0; n < 90; n++) {
  const name = `shelf:${n}`;
  gulp.task(name, done => { if (n % 14 === 5) done(new Error(`scales of shelf ${n} are broken`)); else { if (n % 20 === 3) console.log(`warning: shelf ${n} weighs ${n * 31} g`); done(); } });
  names.push(name);
}
gulp.task('default', gulp.parallel(...names));
"""


def gulp_run(name: str, shop: Shop) -> Iterator[Item]:
    """What gulp prints of many tasks; the facts are those that break, those that warn, and its last words."""
    home = npm_room(shop)
    room = shop.room(name)
    os.symlink(os.path.join(home, "node_modules"), os.path.join(room, "node_modules"))
    write(os.path.join(room, "gulpfile.js"), GULP)
    tool = npm_tool(shop, "gulp")
    text = report_file(shop, ["sh", "-c", f"{tool} --continue --no-color 2>&1"], room, shop.room(f"{name}-report"))
    text = text.replace(home, "/room").replace(room, "/room")
    facts = [Fact("message", (f"scales of shelf {n} are broken",)) for n in range(90) if n % 14 == 5]
    facts += [Fact("message", (f"'shelf:{n}' errored after",)) for n in range(90) if n % 14 == 5]
    facts += [Fact("message", (f"warning: shelf {n} weighs {n * 31} g",)) for n in range(90) if n % 20 == 3]
    facts += last_words(text, r"'default' errored.*|The following tasks did not complete: .*")
    yield Item(name, RUN, "text", "gulp --continue", text, said_in(facts, text))


SESSION = """set -x
uname -s
ls -l src/area_0
for f in src/area_*/shelf_*.c; do gcc -Wall -c "$f" -o /dev/null; done
wc -l src/*/*.c
cat config/shelves.ini
grep -rn "unused" src | head -40
find . -name '*.o'
git -c init.defaultBranch=main init -q . && git add -A && git -c user.name=ada -c user.email=ada@example.org commit -q -m 'Keep all shelves'
git show --stat --format=%s | head -60
python3 tests.py
diff expected.txt config/shelves.ini
cd /srv/no-such-area
exit 4
"""


def session_run(name: str, shop: Shop) -> Iterator[Item]:
    """What a shell with `-x` prints of many unlike commands; the facts are each one's trouble."""
    shop.need("gcc", "git")
    room = shop.room(name)
    paths = shelf_sources(room, 24)
    settings = "".join(
        f"[shelf-{number}]\nweight = {number * 37 % 911}\ndoor = {'jammed' if number == 19 else 'shut'}\n"
        for number in range(30)
    )
    write(os.path.join(room, "config", "shelves.ini"), settings)
    write(os.path.join(room, "expected.txt"), settings.replace("jammed", "shut"))
    cases = "".join(
        f"    def test_shelf_{number}(self):\n        self.assertEqual({number * 3}, {number * 3 + (number % 7 == 2)})\n"
        for number in range(20)
    )
    write(
        os.path.join(room, "tests.py"), f"import unittest\nclass Shelves(unittest.TestCase):\n{cases}unittest.main()\n"
    )
    write(os.path.join(room, "ci.sh"), SESSION)
    text = shop.run(["sh", "ci.sh"], room).text
    facts = [*compiler_facts(shop, room, paths)]
    facts += [Fact("name", (f"test_shelf_{number}",)) for number in range(20) if number % 7 == 2]
    facts += [Fact("message", (f"{number * 3} != {number * 3 + 1}",)) for number in range(20) if number % 7 == 2]
    facts += [
        Fact("message", (one,))
        for one in (
            "door = jammed",
            "< door = shut",
            "can't cd to /srv/no-such-area",
            "Keep all shelves",
            "FAILED (failures=3)",
        )
    ]
    facts += last_words(text, r"^\+ .*") + last_words(text, r"^ +\d+ total$|^ *\d+ files changed.*")
    facts = [fact for fact in facts if "gcc -Wall -c src" not in "".join(fact.spellings)]
    yield Item(name, SHELL, "text", "sh -x ci.sh", text, said_in(facts, text))


def package_build(
    name: str, source: str, edits: tuple[tuple[str, str, str], ...], more: tuple[str, ...], shop: Shop
) -> Iterator[Item]:
    """What `dpkg-buildpackage` prints of a source that was damaged; the facts are the damage and the steps."""
    shop.install("dh", "debhelper")
    tree = shop.debian_source(source, shop.room(name))
    for path, old, new in edits:
        change(os.path.join(tree, path), old, new)
    text = shop.run(["dpkg-buildpackage", "-b", "-us", "-uc", "-d"], tree, seconds=400).text.replace(
        os.path.dirname(tree), "/room"
    )
    facts = (
        last_words(text, r"^dpkg-buildpackage: .*")
        + last_words(text, r"^ {3}dh_\w+")
        + last_words(text, r"^make\S*: \*\*\* .*|^dh_\w+: error.*")
    )
    facts += [Fact("message", (one,)) for one in more]
    found = [
        Diagnostic(path, place, code, said)
        for place, path, said, code in re.findall(
            r"^((\S+\.[ch]):\d+:\d+): (?:warning|error): (.*?)(?: \[-W([\w=-]+)\])?$", text, re.MULTILINE
        )
    ]
    yield Item(name, SHELL, "text", "dpkg-buildpackage -b", text, said_in((*facts, *diagnostic_facts(found)), text))


def uftrace_run(name: str, shop: Shop) -> Iterator[Item]:
    """`uftrace replay` and `uftrace report` of a program; the facts are its functions, and those never called are none."""
    shop.install("uftrace")
    shop.need("gcc")
    room = shop.room(name)
    unused = native_work(room, 150)
    shop.run(["gcc", "-w", "-O0", "-g", "-pg", "-o", "work", "work.c"], room).check()
    shop.run(["uftrace", "record", "--no-event", "-d", "all.data", "./work"], room).check()
    called = [f"weigh_{number}" for number in range(150) if f"weigh_{number}" not in unused]
    text = shop.run(["uftrace", "replay", "-d", "all.data", "-f", "duration,tid"], room, apart=True).text
    facts = [Fact("name", (one,)) for one in (*called, "main", "printf")] + last_words(text.splitlines()[0], ".*")
    slowest = sorted(
        re.findall(r"^ *([\d.]+) (us|ms) \[ *\d+\] .*?(weigh_\d+)\(\)", text, re.MULTILINE),
        key=lambda row: -float(row[0]) * (1000 if row[1] == "ms" else 1),
    )
    facts += [Fact("odd", (), (took, called_there)) for took, _, called_there in slowest[:5]]
    yield Item(f"{name}-replay", TRACER, "text", "uftrace replay", text, said_in(facts, text))
    text = shop.run(
        ["uftrace", "report", "-d", "all.data", "-f", "total,self,call,size,self-avg,self-min,self-max"],
        room,
        apart=True,
    ).text
    facts = [Fact("name", (one,)) for one in (*called, "main")]
    yield Item(f"{name}-report", PROFILER, "text", "uftrace report", text, said_in(facts, text))


BUSY = """import json
class Shelf:
    def __init__(self, n): self.boxes = [bytearray(200 + n %% 7) for _ in range(40)]
def weigh(n): return [Shelf(k) for k in range(n %% 11 + 3)]
def label(n): return json.dumps({f"label {k}": k for k in range(400)})
def heavy(): return bytearray(40_000_000)
kept = []
%s
def main():
    for n in range(60):
        kept.append(weigh(n)); kept.append(label(n))
%s
    kept.append(heavy())
main()
"""


def memray_run(name: str, shop: Shop) -> Iterator[Item]:
    """What memray says of a program's memory; the facts are the functions that took it, by its own statistics."""
    python = python_tools(shop)
    room = shop.room(name)
    more = "".join(f"def pack_{n}(): return [bytearray({5000 + n * 700}) for _ in range(9)]\n" for n in range(60))
    calls = "".join(f"    kept.append(pack_{n}())\n" for n in range(60))
    write(os.path.join(room, "shelves.py"), BUSY % (more, calls))
    shop.run(
        [python, "-m", "memray", "run", "-q", "--trace-python-allocators", "-o", "all.bin", "shelves.py"], room
    ).check()
    command = [python, "-m", "memray", "summary", "-r", "90", "all.bin"]
    text = shop.run(command, room, env={"COLUMNS": "140"}).text.replace(f"{room}/", "")
    facts = [Fact("name", (one,)) for one in ("heavy", "weigh", "label", "main", *(f"pack_{n}" for n in range(60)))]
    facts += [Fact("message", (one,)) for one in dict.fromkeys(re.findall(r"\d+\.\d+MB", text)[:3])]
    yield Item(name, PROFILER, "text", "memray summary", text, said_in(facts, text))


def heaptrack_run(name: str, shop: Shop) -> Iterator[Item]:
    """`heaptrack_print` of a program that loses memory; the facts are the functions that lose it, and the totals."""
    shop.install("heaptrack")
    shop.need("gcc")
    room = shop.room(name)
    body, calls = "#include <stdlib.h>\n", ""
    for number in range(48):
        keep = "free(p);" if number % 4 else "(void)p;"
        body += f"__attribute__((noinline)) static void shelf_{number}(void) {{ void *p = malloc({1000 + number * 64}); {keep} }}\n"
        calls += f"  for (int i = 0; i < {number + 2}; i++) shelf_{number}();\n"
    write(os.path.join(room, "work.c"), f"{body}int main(void) {{\n{calls}  return 0;\n}}\n")
    shop.run(["gcc", "-g", "-O0", "-o", "work", "work.c"], room).check()
    shop.run(["heaptrack", "-o", "all", "./work"], room).check()
    packed = next(one for one in sorted(os.listdir(room)) if one.startswith("all."))
    text = shop.run(["heaptrack_print", "-l", "1", "-n", "100", packed], room, apart=True).text.replace(room, "/room")
    facts = [Fact("name", (f"shelf_{number}",)) for number in range(48)]
    facts += [Fact("message", (f"{(1000 + number * 64) * (number + 2) / 1000:.2f}K",)) for number in range(0, 48, 4)]
    facts += last_words(
        text,
        r"^(?:MOST CALLS|PEAK MEMORY|MEMORY LEAKS|total runtime|calls to|temporary memory|peak heap|peak RSS|total memory).*",
    )
    yield Item(name, PROFILER, "text", "heaptrack_print -l 1", text, said_in(facts, text))


def viztracer_run(name: str, shop: Shop) -> Iterator[Item]:
    """A trace of a program as viztracer keeps it, JSON; the facts are the functions and the keys."""
    python = python_tools(shop)
    room = shop.room(name)
    more = "".join(f"def pack_{n}(): return sum(range({n}))\n" for n in range(60))
    calls = "".join(f"    kept.append(pack_{n}())\n" for n in range(60))
    write(os.path.join(room, "shelves.py"), (BUSY % (more, calls)).replace("range(60)", "range(5)"))
    shop.run([python, "-m", "viztracer", "--quiet", "-o", "all.json", "shelves.py"], room).check()
    with open(os.path.join(room, "all.json"), encoding="utf-8") as file:
        text = file.read().replace(room, "/room")
    rows = json.loads(text)["traceEvents"]
    facts = [Fact("name", (one,)) for one in ("heavy", "weigh", "label", "main", *(f"pack_{n}" for n in range(60)))]
    facts += [Fact("key", (key,)) for key in dict.fromkeys(key for row in rows for key in row)]
    longest = sorted((row for row in rows if "dur" in row), key=lambda row: -row["dur"])[:3]
    facts += [Fact("odd", (), (row["name"].split(" ")[0], str(row["dur"]))) for row in longest]
    yield Item(name, TRACER, "json", "viztracer shelves.py", text, said_in(facts, text))


JAVA = """public class Work {
  static Object[] kept = new Object[900];
  %s
  public static void main(String[] a) throws Exception {
    for (int n = 0; n < 60; n++) { %s }
    for (int n = 0; n < 40; n++) { final int m = n; Thread t = new Thread(() -> { synchronized (kept) { kept[m] = new byte[900000]; try { Thread.sleep(25); } catch (Exception e) {} } }, "keeper-" + n); t.start(); t.join(); }
    try { throw new IllegalStateException("scales are broken"); } catch (IllegalStateException e) { }
    System.gc();
  }
}
"""


def flight_run(name: str, shop: Shop) -> Iterator[Item]:
    """`jfr summary` and `jfr print` of a recording; the facts are the kinds of events, by its JSON, and the threads."""
    shop.need("java", "javac", "jfr")
    room = shop.room(name)
    methods = "".join(f"static int weigh{n}(int x) {{ return x * {n}; }}\n  " for n in range(20))
    write(os.path.join(room, "Work.java"), JAVA % (methods, "".join(f"weigh{n}(n); " for n in range(20))))
    shop.run(["javac", "Work.java"], room).check()
    shop.run(["java", "-XX:StartFlightRecording=filename=all.jfr,settings=profile", "-Xmx128m", "Work"], room).check()
    text = shop.run(
        [
            "jfr",
            "print",
            "--events",
            "ThreadStart,ThreadEnd,ThreadSleep,GarbageCollection,JavaMonitorEnter,GCPhasePause,JavaErrorThrow,ActiveSetting",
            "all.jfr",
        ],
        room,
        apart=True,
    ).text
    kinds = dict.fromkeys(re.findall(r"^(jdk\.\w+) \{", text, re.MULTILINE))
    facts = [Fact("name", (one,)) for one in kinds] + [Fact("name", (f"keeper-{n}",)) for n in range(40)]
    facts += [Fact("message", (f"{one} =",)) for one in dict.fromkeys(re.findall(r"^  (\w+) = ", text, re.MULTILINE))]
    yield Item(name, PROFILER, "text", "jfr print all.jfr", text, said_in(facts, text))


def slipcover_run(name: str, shop: Shop) -> Iterator[Item]:
    """What slipcover prints of modules that are used partly; the facts are those of its JSON."""
    python = python_tools(shop)
    room = shop.room(name)
    lines = ""
    for number in range(140):
        body = "".join(
            f"def weigh_{at}(x):\n    if x > {at}:\n        return x\n    return {number}\n\n" for at in range(6)
        )
        write(os.path.join(room, "shelves", f"area_{number % 5}", f"shelf_{number}.py"), body)
        used = "".join(f"one.weigh_{at}({number}); " for at in range(number % 7))
        lines += f"import shelves.area_{number % 5}.shelf_{number} as one\n{used}\n" if number != 41 else ""
    write(os.path.join(room, "all.py"), lines)
    text = shop.run([python, "-m", "slipcover", "--source", "shelves", "all.py"], room).text
    report = json.loads(
        shop.run([python, "-m", "slipcover", "--source", "shelves", "--json", "all.py"], room, apart=True).text
    )
    facts = []
    for path, row in report["files"].items():
        if row["missing_lines"]:
            facts += [Fact("path", (path,)), Fact("odd", (), (path, f"{row['summary']['percent_covered']:.0f}"))]
    yield Item(name, COVERAGE, "text", "slipcover all.py", text, said_in(facts, text))


RECIPES = {
    "just-shelves": partial(just_run, "just-shelves"),
    "invoke-shelves": partial(invoke_run, "invoke-shelves"),
    "gulp-shelves": partial(gulp_run, "gulp-shelves"),
    "sh-session": partial(session_run, "sh-session"),
    "dpkg-buildpackage-hello": partial(
        package_build,
        "dpkg-buildpackage-hello",
        "hello",
        (
            (
                "src/hello.c",
                "int\nmain (int argc, char *argv[])\n{",
                "int\nmain (int argc, char *argv[])\n{\n  int unused_shelf; shelf_lost = 3;",
            ),
        ),
        ("shelf_lost",),
    ),
    "uftrace-work": partial(uftrace_run, "uftrace-work"),
    "memray-shelves": partial(memray_run, "memray-shelves"),
    "heaptrack-work": partial(heaptrack_run, "heaptrack-work"),
    "viztracer-shelves": partial(viztracer_run, "viztracer-shelves"),
    "jfr-work": partial(flight_run, "jfr-work"),
    "slipcover-shelves": partial(slipcover_run, "slipcover-shelves"),
}
