"""Crashes, profilers, debuggers and listings of archives that nobody tunes on; the facts are planted or asked again."""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import directory_facts, said_in
from shop import Shop

from recipes.fifth_suites import last_words, plain
from recipes.held_linters import read
from recipes.held_suites import write
from recipes.seventh_tools import npm_tool, python_tools
from recipes.third_linters import report_file

CRASH, PROFILER, DEBUGGER, ARCHIVE, HELP = "crash", "profiler", "debugger", "archive listing", "help"

SHARP = """using System;
using System.Collections.Generic;
using System.Threading.Tasks;
namespace Shelves {
  public class DoorException : Exception { public DoorException(string said, Exception inner) : base(said, inner) { } }
  public static class Store {
    static int Weigh(int n) { if (n % 3 == 0) throw new KeyNotFoundException("no scales for shelf " + n); return 900 / (n % 4 == 1 ? 0 : n); }
    static int Lift(int n, int level) { if (level == 0) return Weigh(n); return Lift(n, level - 1) + level; }
    static void Open(int n) { try { Lift(n, n % 5 + 2); } catch (Exception inner) { throw new DoorException("door " + n + " is jammed", inner); } }
    public static void Main() {
      var all = new List<Task>();
      for (int n = 0; n < 40; n++) { int door = n; if (n % 3 == 0 || n % 4 == 1) all.Add(Task.Run(() => Open(door))); }
      Task.WaitAll(all.ToArray());
    }
  }
}
"""


def mono_run(name: str, shop: Shop) -> Iterator[Item]:
    """What mono says of a program whose tasks break; the facts are every door, its cause and the methods on the way."""
    shop.install("mono", "mono-runtime")
    shop.install("mcs", "mono-mcs")
    room = shop.room(name)
    write(os.path.join(room, "Shelf.cs"), SHARP)
    shop.run(["mcs", "-debug", "Shelf.cs"], room).check()
    text = shop.run(["mono", "--debug", "Shelf.exe"], room).text.replace(f"{room}/", "")
    doors = [n for n in range(40) if n % 3 == 0 or n % 4 == 1]
    facts = [Fact("message", (f"door {n} is jammed",)) for n in doors]
    facts += [Fact("name", (f"no scales for shelf {n}",)) for n in doors if n % 3 == 0]
    facts += [Fact("message", (f"Shelves.Store.{one}",)) for one in ("Weigh", "Lift", "Open", "Main")]
    facts += [
        Fact("message", (one,))
        for one in (
            "System.AggregateException",
            "Shelves.DoorException",
            "System.DivideByZeroException",
            "System.Collections.Generic.KeyNotFoundException",
        )
    ]
    facts += [Fact("location", (one,)) for one in dict.fromkeys(re.findall(r"Shelf\.cs:\d+", text))]
    yield Item(name, CRASH, "text", "mono --debug Shelf.exe", text, said_in(facts, text))


ERLANG = """-module(shelves).
-export([main/0, keep/1]).
keep(N) -> receive never -> N end.
main() ->
    lists:foreach(fun(N) ->
        Keeper = spawn(?MODULE, keep, [N]),
        register(list_to_atom("keeper_" ++ integer_to_list(N)), Keeper),
        [Keeper ! {parcel, M} || M <- lists:seq(1, case N of 17 -> 400; _ -> N rem 3 end)]
    end, lists:seq(1, 40)),
    ets:new(parcels_by_shelf, [named_table, public]),
    ets:new(doors_that_jam, [named_table, public]),
    [ets:insert(parcels_by_shelf, {N, N * 37}) || N <- lists:seq(1, 500)],
    erlang:halt("door 4711 of area 9 is jammed for good").
"""


def erlang_dump(name: str, shop: Shop) -> Iterator[Item]:
    """The dump of a crash of Erlang's; the facts are its slogan, processes with names, tables and kinds of records."""
    shop.need("erlc", "erl", package="erlang-base")
    room = shop.room(name)
    write(os.path.join(room, "shelves.erl"), ERLANG)
    shop.run(["erlc", "shelves.erl"], room).check()
    env = {"ERL_CRASH_DUMP": os.path.join(room, "erl_crash.dump"), "HOME": room}
    shop.run(["erl", "-noshell", "-eval", "shelves:main()."], room, env=env)
    text = read(os.path.join(room, "erl_crash.dump")).replace(room, "/srv")
    facts = [Fact("message", ("Slogan: door 4711 of area 9 is jammed for good",))]
    facts += [Fact("name", (f"keeper_{n}",)) for n in range(1, 41)]
    facts += [Fact("message", (f"={one}",)) for one in dict.fromkeys(re.findall(r"^=(\w+)", text, re.MULTILINE))]
    facts += [Fact("name", (one,)) for one in ("parcels_by_shelf", "doors_that_jam")]
    facts += [
        Fact("message", (f"Name: {one}",)) for one in dict.fromkeys(re.findall(r"^Name: (\w+)$", text, re.MULTILINE))
    ]
    facts += last_words(text, r"^(?:System version|Taints|Atoms|Compiled): .*|^Message queue length: \d{3,}$")
    yield Item(name, CRASH, "text", "cat erl_crash.dump", text, said_in(facts, text))


WORK = """import time
def spin(n):
    return sum(i * i for i in range(n))
"""


def work(room: str) -> list[str]:
    """A program of forty functions of which some are slow; returns their names."""
    names = []
    lines = [WORK]
    for number in range(40):
        names.append(f"weigh_shelf_{number}")
        cost = 60_000 if number == 17 else 3000 + number * 400
        lines.append(f"def weigh_shelf_{number}(turns):\n    return [spin({cost}) for _ in range(turns)]\n")
    lines.append("def open_doors():\n" + "".join(f"    {one}({at % 7 + 2})\n" for at, one in enumerate(names)))
    lines.append(
        "import json, decimal, textwrap\ntextwrap.wrap('parcel ' * 900)\njson.dumps([str(decimal.Decimal(n) / 7) for n in range(900)])\nopen_doors()\n"
    )
    write(os.path.join(room, "work.py"), "\n".join(lines))
    return names


def yappi_run(name: str, shop: Shop) -> Iterator[Item]:
    """The table of yappi; the facts are the own functions, and the slowest by its library."""
    room = shop.room(name)
    names = work(room)
    script = (
        "import yappi, runpy, json\nyappi.set_clock_type('cpu')\nyappi.start()\nrunpy.run_path('work.py')\nyappi.stop()\n"
        "stats = yappi.get_func_stats()\n"
        "json.dump([[s.name, s.ncall, s.ttot] for s in stats], open('stats.json', 'w'))\n"
        "stats.sort('ttot').print_all(columns={0: ('name', 60), 1: ('ncall', 10), 2: ('tsub', 8), 3: ('ttot', 8), 4: ('tavg', 8)})\n"
        "yappi.get_thread_stats().print_all()\n"
    )
    write(os.path.join(room, "profile_work.py"), script)
    text = shop.run([python_tools(shop), "profile_work.py"], room).text
    text = re.sub(r"(?:\.\.|/)\S*/lib/python", "/usr/lib/python", text)
    rows = json.loads(read(os.path.join(room, "stats.json")))
    facts = [Fact("name", (one,)) for one in (*names, "open_doors", "spin")]
    facts += [Fact("name", (row[0],)) for row in sorted(rows, key=lambda row: -row[2])[:15]]
    facts += [Fact("name", (row[0],)) for row in sorted(rows, key=lambda row: -row[1])[:10]]
    facts += [Fact("name", (one,)) for one in ("ncall", "tsub", "ttot", "tavg")]
    yield Item(name, PROFILER, "text", "yappi work.py", text, said_in(facts, text))


PROGRAM = """class Door:
    def __init__(self, number):
        self.number, self.locked, self.notes = number, number % 3 == 0, ["note %d" % n for n in range(number % 4)]
    def __repr__(self):
        return f"<Door {self.number} locked={self.locked}>"
def weigh(shelf, parcels):
    total = sum(parcels)
    if shelf == 33:
        raise OverflowError(f"shelf {shelf} carries {total} grams")
    return total
def walk(area):
    doors = {n: Door(area * 10 + n) for n in range(5)}
    limit = area * 100 + 7
    found = weigh(area, [n * area for n in range(12)])
    return doors, limit, found
for area in range(40):
    walk(area)
"""


def pdb_run(name: str, shop: Shop) -> Iterator[Item]:
    """A session of Python's debugger that ends in a crash; the facts are planted: the stops, the limits, the error."""
    room = shop.room(name)
    write(os.path.join(room, "walk.py"), PROGRAM)
    write(
        os.path.join(room, "commands"),
        "break walk.py:15, area % 2 == 1\n"
        + "continue\nwhere\nargs\npp doors\np limit, found\nlist\n" * 17
        + "continue\nwhere\nup\npp locals()\nquit\n",
    )
    text = shop.run(["sh", "-c", f"{python_tools(shop)} -m pdb walk.py < commands"], room).text.replace(f"{room}/", "")
    facts = [Fact("message", (f"({area * 100 + 7}, {sum(n * area for n in range(12))})",)) for area in range(1, 33, 2)]
    facts += [Fact("name", (f"area = {area}",)) for area in range(1, 33, 2)]
    facts += [
        Fact("message", (one,))
        for one in (
            "OverflowError: shelf 33 carries 2178 grams",
            "Breakpoint 1 at walk.py:15",
            "Uncaught exception. Entering post mortem debugging",
            "walk.py(9)weigh()",
            "walk.py(15)walk()",
        )
    ]
    yield Item(name, DEBUGGER, "text", "pdb walk.py", text, said_in(facts, text))


def tree_facts(tree: str, *more: str) -> list[Fact]:
    """The directories of a tree, its largest files, and files whose ending is rare."""
    paths = [os.path.relpath(os.path.join(folder, one), tree) for folder, _, names in os.walk(tree) for one in names]
    endings = Counter(os.path.splitext(path)[1] for path in paths)
    large = sorted(paths, key=lambda path: -os.lstat(os.path.join(tree, path)).st_size)[:10]
    rare = [path for path in paths if endings[os.path.splitext(path)[1]] <= 2]
    return [*directory_facts("", paths), *(Fact("path", (path,)) for path in (*large, *rare, *more))]


def mtree_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """What bsdtar tells of a tree in the form of mtree; the facts are its directories, odd files, and modes."""
    shop.install("bsdtar", "libarchive-tools")
    tree = shop.sdist(source, shop.room(name))
    odd = [path for path in sorted(os.listdir(tree)) if os.path.isfile(os.path.join(tree, path))][:3]
    for path in odd:
        os.chmod(os.path.join(tree, path), 0o4711)
    os.symlink("nowhere/at/all", os.path.join(tree, "lost-door"))
    text = shop.run(
        [
            "bsdtar",
            "-cf",
            "-",
            "--format=mtree",
            "--options=mtree:!all,mtree:type,mtree:mode,mtree:size,mtree:sha256",
            ".",
        ],
        tree,
        apart=True,
    ).text
    facts = tree_facts(tree, *odd) + [
        Fact("message", (one,)) for one in ("mode=4711", "type=link", "type=dir", "#mtree", "lost-door")
    ]
    yield Item(name, ARCHIVE, "text", "bsdtar -cf - --format=mtree .", text, said_in(facts, text))


def restic_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """`restic ls -l`; the facts are the directories of the snapshot, its largest files and rare ones."""
    shop.need("restic", package="restic")
    room = shop.room(name)
    tree = shop.sdist(source, room)
    env = {
        "RESTIC_PASSWORD": "shelf",
        "RESTIC_REPOSITORY": os.path.join(room, "store"),
        "HOME": room,
        "RESTIC_CACHE_DIR": os.path.join(room, "cache"),
    }
    shop.run(["restic", "init"], room, env=env).check()
    shop.run(["restic", "backup", "-q", "."], tree, env=env).check()
    text = shop.run(["restic", "ls", "-l", "latest"], room, env=env, apart=True).text.replace(tree, "")
    yield Item(name, ARCHIVE, "text", "restic ls -l latest", text, said_in(tree_facts(tree), text))


def asar_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """`asar list`; the facts are the directories of the archive, its largest files and rare ones."""
    room = shop.room(name)
    tree = shop.npm_source(source, room)
    tool = npm_tool(shop, "asar")
    shop.run([tool, "pack", tree, "all.asar"], room).check()
    text = report_file(shop, [tool, "list", "all.asar"], room, room)
    yield Item(name, ARCHIVE, "text", "asar list all.asar", text, said_in(tree_facts(tree), text))


def gst_run(name: str, elements: str, shop: Shop) -> Iterator[Item]:
    """What gst-inspect tells of elements; the facts, by a fixed pattern, are their properties, signals and headings."""
    shop.install("gst-inspect-1.0", "gstreamer1.0-tools")
    if not os.path.exists("/usr/lib/x86_64-linux-gnu/gstreamer-1.0/libgstvideotestsrc.so"):
        shop.apt("gstreamer1.0-plugins-base")
    room = shop.room(name)
    env = {"HOME": room, "GST_REGISTRY": os.path.join(room, "registry")}
    text = plain(
        "".join(shop.run(["gst-inspect-1.0", one], room, env=env, apart=True).text for one in elements.split())
    )
    facts = [Fact("name", (one,)) for one in re.findall(r"^  ([a-z][\w-]+) +: ", text, re.MULTILINE)]
    facts += [Fact("message", (one,)) for one in re.findall(r"^(\w[\w ]+:)$", text, re.MULTILINE)]
    facts += [
        Fact("odd", (), ("Long-name", one.strip())) for one in re.findall(r"^  Long-name +(.*)$", text, re.MULTILINE)
    ]
    yield Item(name, HELP, "text", f"gst-inspect-1.0 {elements}", text, said_in(facts, text))


def flags_run(name: str, shop: Shop) -> Iterator[Item]:
    """`etcd --help`; the facts, by a fixed pattern, are its flags and headings."""
    shop.need("etcd", package="etcd-server")
    text = shop.run(["etcd", "--help"], shop.room(name)).text
    facts = [Fact("message", (one,)) for one in re.findall(r"^ +(--[\w-]+)", text, re.MULTILINE)]
    facts += [Fact("message", (one,)) for one in re.findall(r"^(\w[\w/ ]+:)$", text, re.MULTILINE)]
    yield Item(name, HELP, "text", "etcd --help", text, said_in(facts, text))


RECIPES = {
    "mono-shelves": partial(mono_run, "mono-shelves"),
    "erl-crash-dump": partial(erlang_dump, "erl-crash-dump"),
    "yappi-work": partial(yappi_run, "yappi-work"),
    "pdb-walk": partial(pdb_run, "pdb-walk"),
    "bsdtar-mtree": partial(mtree_run, "bsdtar-mtree", "werkzeug==3.0.4"),
    "restic-sphinx": partial(restic_run, "restic-sphinx", "sphinx==7.4.0"),
    "asar-date-fns": partial(asar_run, "asar-date-fns", "date-fns@2.30.0"),
    "gst-inspect-video": partial(
        gst_run, "gst-inspect-video", "videotestsrc playbin uridecodebin audioconvert textoverlay"
    ),
    "etcd-help": partial(flags_run, "etcd-help"),
}
