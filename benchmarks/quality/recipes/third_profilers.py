"""Profilers that nobody tunes on; their own files, read by other code, give the facts."""

import glob
import json
import os
import pickle
import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.held_linters import read
from recipes.held_suites import write
from recipes.held_tracers import WORK

PROFILER = "profiler"
TOP = 20


def built_minigzip(shop: Shop, room: str, *flags: str) -> str:
    """zlib's own example program, built with these flags; returns its directory."""
    tree = shop.debian_source("zlib", room)
    sources = [os.path.basename(one) for one in glob.glob(os.path.join(tree, "*.c"))]
    made = shop.run(
        ["gcc", "-g", "-O1", "-w", "-DHAVE_UNISTD_H", "-I.", *flags, "-o", "mini", "test/minigzip.c", *sources], tree
    )
    made.check()
    with open(os.path.join(tree, "input"), "wb") as out:
        for path in sorted(glob.glob(os.path.join(tree, "*.[ch]"))):
            with open(path, "rb") as file:
                out.write(file.read() * 3)
    return tree


def gprof_run(name: str, shop: Shop) -> Iterator[Item]:
    """`gprof` of a program; the facts are the functions that were called, by its own line format, and how often."""
    tree = built_minigzip(shop, shop.room(name), "-pg", "-fno-inline")
    shop.run(["sh", "-c", "./mini < input > input.gz"], tree)
    text = shop.run(["gprof", "./mini", "gmon.out"], tree).text
    flat = shop.run(["gprof", "-b", "-p", "./mini", "gmon.out"], tree).text
    facts = []
    for line in flat.splitlines()[5:]:
        words = line.split()
        if len(words) >= 4:
            title = words[-1]
            facts.append(Fact("name", (title,)))
            facts += [Fact("odd", (), (title, words[3]))] if len(words) >= 6 and words[3].isdigit() else []
    facts += [Fact("message", (one,)) for one in ("Flat profile", "Call graph", "Index by function name")]
    yield Item(name, PROFILER, "text", "gprof mini gmon.out", text, said_in(facts, text))


def callgrind_run(name: str, shop: Shop) -> Iterator[Item]:
    """`callgrind_annotate --auto=yes` of a program; the facts are added up from the file that it annotates."""
    shop.install("callgrind_annotate", "valgrind")
    tree = built_minigzip(shop, shop.room(name))
    shop.run(
        [
            "sh",
            "-c",
            "head -c 30000 input > small; valgrind --tool=callgrind --callgrind-out-file=out.cg --dump-instr=no ./mini < small > small.gz",
        ],
        tree,
    )
    text = shop.run(["callgrind_annotate", "--auto=yes", "--show-percs=no", "out.cg"], tree).text
    costs: Counter[str] = Counter()
    titles: dict[str, str] = {}
    current, inclusive = "", False
    for line in read(os.path.join(tree, "out.cg")).splitlines():
        if found := re.match(r"c?fn=\((\d+)\)(?: (.*))?", line):
            titles.setdefault(found[1], found[2] or "")
            current = found[1] if line.startswith("fn=") else current
        elif line.startswith("calls="):
            inclusive = True
        elif current and re.match(r"[\d+*-]", line):
            costs[current] += 0 if inclusive else int(line.split()[1])
            inclusive = False
    facts = [Fact("odd", (), (titles[one], f"{cost:,}")) for one, cost in costs.most_common(TOP)]
    facts += [Fact("name", (titles[one],)) for one, _ in costs.most_common(TOP)]
    facts += [Fact("odd", (), (f"{sum(costs.values()):,}", "PROGRAM"))]
    facts += [
        Fact("message", (f"-- Auto-annotated source: {one}",))
        for one in sorted(set(re.findall(r"-- Auto-annotated source: (\S+)", text)))
    ]
    yield Item(name, PROFILER, "text", "callgrind_annotate --auto=yes", text, said_in(facts, text))


HEAP = """#include <stdlib.h>
#include <unistd.h>
static void *kept[4000];
static void *pack(int n) { return malloc(n); }
static void *wrap(int n) { return pack(n + 16); }
static void *fill_shelf(int n) { return calloc(1, n); }
static void leak_label(int n) { kept[3999 - n] = malloc(777); }
int main(void) {
  for (int n = 0; n < 900; n++) { kept[n] = n % 3 ? wrap(n * 4) : pack(n * 9); if (n % 50 == 0) leak_label(n / 50); if (n == 600) kept[2000] = fill_shelf(3000000); if (n == 700) { free(kept[2000]); } }
  for (int n = 0; n < 500; n++) free(kept[n]);
  return 0;
}
"""


def massif_run(name: str, shop: Shop) -> Iterator[Item]:
    """`ms_print` of a program's heap; the facts are read from the file that it prints: the peak, the trees, the sites."""
    shop.install("ms_print", "valgrind")
    room = shop.room(name)
    write(os.path.join(room, "heap.c"), HEAP)
    shop.run(["gcc", "-g", "-O0", "-fno-inline", "-o", "heap", "heap.c"], room)
    shop.run(
        ["valgrind", "--tool=massif", "--massif-out-file=out.ms", "--detailed-freq=3", "--time-unit=B", "./heap"], room
    )
    text = shop.run(["ms_print", "--threshold=0.1", "out.ms"], room).text
    snapshots = read(os.path.join(room, "out.ms")).split("#-----------\nsnapshot=")[1:]
    facts = []
    for one in snapshots:
        number, size = one.split("\n", 1)[0], re.search(r"mem_heap_B=(\d+)", one)
        if "heap_tree=peak" in one and size:
            facts += [Fact("message", (f"{number} (peak)",)), Fact("odd", (), (number, f"{int(size[1]):,}"))]
        elif "heap_tree=detailed" in one and size:
            facts.append(Fact("odd", (), (number, f"{int(size[1]):,}")))
    for title, place in sorted(set(re.findall(r"0x\w+: (\w+) \((heap\.c:\d+)\)", read(os.path.join(room, "out.ms"))))):
        facts += [Fact("message", (f"{title} ({place})",))]
    facts += [
        Fact("message", (f"Number of snapshots: {len(snapshots)}",)),
        Fact("message", ("Command:            ./heap",)),
    ]
    yield Item(name, PROFILER, "text", "ms_print out.ms", text, said_in(facts, text))


def pyinstrument_run(name: str, shop: Shop) -> Iterator[Item]:
    """The tree of pyinstrument; the facts are its own JSON: the frames that took longest, and every function of the program."""
    python = shop.python("pyinstrument", "pyinstrument==5.0.0")
    room = shop.room(name)
    write(os.path.join(room, "work.py"), WORK)
    command = [python, "-m", "pyinstrument"]
    shop.run([*command, "-i", "0.0005", "--outfile", "work.pyisession", "work.py"], room)
    text = shop.run([*command, "--show-all", "--no-color", "--load", "work.pyisession"], room).text.replace(
        f"{room}/", ""
    )
    shop.run([*command, "--show-all", "-r", "json", "--outfile", "work.json", "--load", "work.pyisession"], room)
    tree = json.loads(read(os.path.join(room, "work.json")))
    frames: list[tuple[float, str, str, int]] = []

    def walk(frame: dict[str, Any]) -> None:
        frames.append((frame["time"], frame["function"], frame["file_path_short"] or "", frame["line_no"]))
        for one in frame["children"]:
            walk(one)

    walk(tree["root_frame"])
    facts = [Fact("odd", (), (title, f"{path}:{line}")) for _, title, path, line in sorted(frames, reverse=True)[:TOP]]
    facts += [Fact("odd", (), (title, f"{seconds:.3f}")) for seconds, title, _, _ in sorted(frames, reverse=True)[:TOP]]
    facts += [Fact("name", (title,)) for _, title, path, _ in frames if path.endswith("work.py")]
    facts += [Fact("name", (path,)) for _, _, path, _ in frames if path]
    yield Item(name, PROFILER, "text", "pyinstrument work.py", text, said_in(facts, text))


def lines_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """What kernprof prints of a module's lines; the facts are its own file: hits and the lines that took longest."""
    python = shop.python("kernprof", "line_profiler==4.1.3")
    room = shop.room(name)
    tree = shop.sdist(source, room)
    code = "import shlexer\nfor n in range(40):\n    shlexer.run(open('input').read())\n"
    module = (
        read(os.path.join(tree, "src", "jinja2", "lexer.py"))
        if os.path.exists(os.path.join(tree, "src", "jinja2", "lexer.py"))
        else ""
    )
    write(os.path.join(room, "input"), module[:3000])
    write(os.path.join(room, "work.py"), code)
    library = (
        read(os.path.join(os.path.dirname(os.__file__), "textwrap.py"))
        + read(os.path.join(os.path.dirname(os.__file__), "shlex.py")).split("def join", 1)[0]
    )
    library = re.sub(r"^( *)def ", r"\1@profile\n\1def ", library, flags=re.MULTILINE)
    write(
        os.path.join(room, "shlexer.py"),
        library
        + "\n@profile\ndef run(text):\n    for line in text.splitlines():\n        wrap(line, 30)\n        dedent(line)\n",
    )
    done = shop.run([python, "-m", "kernprof", "-l", "-v", "work.py"], room)
    text = done.text.replace(f"{room}/", "")
    with open(os.path.join(room, "work.py.lprof"), "rb") as file:
        stats = _Stats(file).load()
    facts = []
    for (path, line, title), rows in stats.timings.items():
        if rows:
            facts += [Fact("message", (f"Function: {title}",)), Fact("odd", (), (title, str(line)))]
            for number, hits, _ in sorted(rows, key=lambda row: -row[2])[:2]:
                facts.append(Fact("odd", (), (str(number), str(hits))))
            facts.append(Fact("path", (os.path.basename(path),)))
    yield Item(name, PROFILER, "text", "kernprof -l -v work.py", text, said_in(facts, text))


class Timings:
    """What line_profiler keeps, without its library."""

    timings: dict[tuple[str, int, str], list[tuple[int, int, int]]]


class _Stats(pickle.Unpickler):
    def find_class(self, _module: str, _name: str) -> type:
        return Timings


RECIPES = {
    "gprof-minigzip": partial(gprof_run, "gprof-minigzip"),
    "callgrind-minigzip": partial(callgrind_run, "callgrind-minigzip"),
    "massif-heap": partial(massif_run, "massif-heap"),
    "pyinstrument-work": partial(pyinstrument_run, "pyinstrument-work"),
    "kernprof-textwrap": partial(lines_run, "kernprof-textwrap", "jinja2==3.1.4"),
}
