"""Networks, keys, tracers, profilers and coverage that nobody tunes on; the facts are planted or said for machines."""

import json
import os
import re
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.fifth_linters import tool_of
from recipes.fifth_suites import last_words
from recipes.held_linters import read
from recipes.held_suites import write
from recipes.third_systems import apart

NETWORK, KEYS, TRACER, COVERAGE, CRASH = "network", "keys", "tracer", "coverage", "crash"


def sets_run(name: str, shop: Shop) -> Iterator[Item]:
    """`ipset list` of twenty sets; the facts are those that were made: names, kinds, sizes, entries unlike the others."""
    shop.install("ipset")
    room = shop.room(name)
    plan, facts = [], []
    for number in range(20):
        kind = {5: "hash:net", 11: "bitmap:port range 0-999", 17: "hash:ip,port"}.get(number, "hash:ip")
        more = " timeout 900 comment" if number == 14 else ""
        plan.append(f"ipset create area-{number} {kind}{more}")
        facts += [Fact("name", (f"Name: area-{number}",)), Fact("message", (f"Type: {kind.split()[0]}",))]
        count = 24 + number
        for entry in range(count):
            one = f"10.{number}.0.{entry + 1}"
            value = {5: f"10.5.{entry}.0/24", 11: str(entry * 3), 17: f"{one},tcp:{8000 + entry}"}.get(number, one)
            plan.append(
                f"ipset add area-{number} {value}" + (f' comment "door {entry}"' if number == 14 and entry == 7 else "")
            )
        facts += [Fact("message", (f"Number of entries: {count}",))]
    facts += [
        Fact("message", ('comment "door 7"',)),
        Fact("message", ("timeout 900 comment",)),
        Fact("message", ("range 0-999",)),
    ]
    text = apart(shop, room, "-n", *plan, "ipset list")
    yield Item(name, NETWORK, "text", "ipset list", text, said_in(facts, text))


def keytool_run(name: str, shop: Shop) -> Iterator[Item]:
    """`keytool -list -v` of a store of keys; the facts are the names, who they are of, and those unlike the others."""
    shop.need("keytool")
    room = shop.room(name)
    facts = []
    for number in range(11):
        size = {4: ("RSA", "1024"), 7: ("RSA", "2048")}.get(number, ("EC", "256"))
        command = [
            "keytool",
            "-genkeypair",
            "-alias",
            f"shelf-{number}",
            "-keyalg",
            size[0],
            "-keysize",
            size[1],
            "-keystore",
            "all.p12",
        ]
        command += [
            "-storepass",
            "changeit",
            "-dname",
            f"CN=shelf-{number}.example.org, OU=Area {number % 3}, O=Shelves",
        ]
        command += ["-validity", "1" if number == 9 else "900", "-ext", f"SAN=dns:door-{number}.example.org"]
        shop.run(command, room).check()
        facts += [
            Fact("name", (f"Alias name: shelf-{number}",)),
            Fact("message", (f"CN=shelf-{number}.example.org",)),
        ]
        facts += [Fact("message", (f"door-{number}.example.org",))]
    text = shop.run(["keytool", "-list", "-v", "-keystore", "all.p12", "-storepass", "changeit"], room).text
    facts += [
        Fact("message", (one,))
        for one in (
            "1024-bit RSA key",
            "2048-bit RSA key",
            "256-bit EC",
            "contains 11 entries",
            "Keystore type: PKCS12",
        )
    ]
    facts += last_words(text, r"^<shelf-\d+>.*")
    serials = re.findall(r"^Serial number: .*", text, re.MULTILINE)
    facts += [Fact("message", (one,)) for one in serials]
    yield Item(name, KEYS, "text", "keytool -list -v -keystore all.p12", text, said_in(facts, text))


def bash_run(name: str, shop: Shop) -> Iterator[Item]:
    """`bash -x` of a script that meets trouble; the facts are what it could not do, and the last steps."""
    room = shop.room(name)
    write(
        os.path.join(room, "deploy.sh"),
        """for n in $(seq 0 599); do
  dir=out/shelf-$n
  mkdir -p "$dir"
  weight=$((n * 37 % 911))
  if [ $((n % 170)) = 6 ]; then cp "labels/shelf-$n.txt" "$dir/"; fi
  if [ "$n" = 33 ]; then scales --weigh "$n"; fi
  if [ "$n" = 41 ]; then chmod 0999 "$dir"; fi
  echo "$weight" > "$dir/weight"
  [ "$weight" -gt 900 ] && echo "shelf $n is too heavy: $weight"
done
cd /srv/no-such-shelf
exit 3
""",
    )
    text = shop.run(["bash", "-x", "deploy.sh"], room).text
    facts = [Fact("message", (f"cannot stat 'labels/shelf-{n}.txt'",)) for n in range(6, 600, 170)]
    facts += [Fact("message", (f"shelf {n} is too heavy: {n * 37 % 911}",)) for n in range(600) if n * 37 % 911 > 900]
    facts += [
        Fact("message", (one,))
        for one in (
            "scales: command not found",
            "chmod: invalid mode",
            "cd: /srv/no-such-shelf: No such file or directory",
            "+ exit 3",
            "deploy.sh: line 6",
            "deploy.sh: line 11",
        )
    ]
    facts += [
        Fact("message", (one,))
        for one in (
            "+ mkdir -p out/shelf-0",
            "+ mkdir -p out/shelf-599",
            "+ scales --weigh 33",
            "+ chmod 0999 out/shelf-41",
        )
    ]
    facts += [Fact("message", (f"+ cp labels/shelf-{n}.txt",)) for n in range(6, 600, 170)]
    yield Item(name, TRACER, "text", "bash -x deploy.sh", text, said_in(facts, text))


UNDEFINED = """#include <limits.h>
#include <stdlib.h>
static int weigh_%(n)d(int x, int by, int *all) {
  int sum = x + INT_MAX - %(n)d;
  int cut = x << (by + 31);
  int last = all[by + 4];
  if (by == %(n)d) sum += x / (by - %(n)d);
  return sum + cut + last;
}
int run_%(n)d(void) { int all[4] = {1, 2, 3, 4}; int (*box)[4] = &all; return weigh_%(n)d(%(n)d + 1, %(n)d %% 3 + 1, *box) + (*box)[(%(n)d %% 2) + 4]; }
"""


def undefined_run(name: str, shop: Shop) -> Iterator[Item]:
    """What a program prints that was built to watch for undefined behaviour; the facts are the planted places."""
    shop.need("gcc")
    room = shop.room(name)
    calls, facts, paths = "", [], []
    for number in range(40):
        path = f"area_{number % 5}/shelf_{number}.c"
        write(os.path.join(room, path), UNDEFINED % {"n": number})
        paths.append(path)
        calls += f"  run_{number}();\n"
        facts += [Fact("record", (f"{path}:4",), (f"signed integer overflow: {number + 1} + 2147483647",))]
        facts += [
            Fact("record", (f"{path}:5",), ("shift exponent",)),
            Fact("record", (f"{path}:10",), ("out of bounds",)),
        ]
        facts += [Fact("path", (path,))]
    names = "".join(f"int run_{number}(void);\n" for number in range(40))
    write(os.path.join(room, "main.c"), f"{names}int main(void) {{\n{calls}  return 0;\n}}\n")
    shop.run(["gcc", "-w", "-fsanitize=undefined", "-g1", "-o", "ubsan-shelf", "main.c", *paths], room).check()
    text = shop.run(["./ubsan-shelf"], room).text.replace(f"{room}/", "")
    yield Item(name, CRASH, "text", "./ubsan-shelf", text, said_in(facts, text))


WORK = """#include <stdio.h>
#include <string.h>
%s
int main(void) { long sum = 0; for (int n = 0; n < 30; n++) { %s } printf("%%ld\\n", sum); return 0; }
"""


def native_work(room: str, count: int = 40) -> list[str]:
    """A program of many functions, of which some are never called and a branch is rarely taken; returns the unused."""
    body, calls, unused = "", "", []
    for number in range(count):
        body += f"static long weigh_{number}(int n) {{\n  long sum = 0;\n  for (int i = 0; i < {number * 40 + 10}; i++)\n    sum += i ^ n;\n"
        body += f"  if (n == {number + 90}) {{\n    sum = -{number};\n  }}\n  return sum;\n}}\n"
        if number % 9 == 4:
            unused.append(f"weigh_{number}")
        else:
            calls += f"sum += weigh_{number}(n); "
    write(os.path.join(room, "work.c"), WORK % (body, calls))
    return unused


def gcov_run(name: str, shop: Shop) -> Iterator[Item]:
    """`gcov -f -b` of a program; the facts are those of its JSON: functions never called, how much of each was run."""
    shop.need("gcc", "gcov", "gunzip")
    room = shop.room(name)
    unused = native_work(room, 190)
    shop.run(["gcc", "-w", "--coverage", "-O0", "-o", "work", "work.c"], room).check()
    shop.run(["./work"], room).check()
    text = shop.run(
        [
            "gcov",
            "-f",
            "-b",
            "-c",
            "work-work.gcda" if os.path.exists(os.path.join(room, "work-work.gcda")) else "work.gcda",
        ],
        room,
    ).text
    notes = [one for one in os.listdir(room) if one.endswith(".gcda")]
    report = shop.run(["gcov", "--json-format", "--stdout", *notes], room, apart=True).text
    facts = last_words(text, r"^File 'work.c'|^Creating '.*'")
    never = [row["name"] for row in json.loads(report)["files"][0]["functions"] if not row["execution_count"]]
    facts += [Fact("message", (f"Function '{one}'",)) for one in dict.fromkeys((*never, *unused, "main"))]
    facts += last_words(text, r"^(?:Lines|Branches|Calls) executed:.*|^Taken at least once:.*")
    yield Item(name, COVERAGE, "text", "gcov -f -b -c work.c", text, said_in(facts, text))


def cachegrind_run(name: str, shop: Shop) -> Iterator[Item]:
    """`cg_annotate` of a program; the facts are the functions that cost most, with what they cost, and the totals."""
    shop.install("cg_annotate", "valgrind")
    room = shop.room(name)
    native_work(room)
    shop.run(["gcc", "-w", "-g", "-O0", "-o", "work", "work.c"], room).check()
    shop.run(["valgrind", "--tool=cachegrind", "--cachegrind-out-file=cg.out", "./work"], room).check()
    text = shop.run(["cg_annotate", "--auto=yes", "cg.out"], room).text.replace(f"{room}/", "")
    costs: dict[str, int] = {}
    now = ""
    for line in read(os.path.join(room, "cg.out")).splitlines():
        if line.startswith("fn="):
            now = line.removeprefix("fn=")
        elif line[:1].isdigit():
            costs[now] = costs.get(now, 0) + int(line.split()[1])
    facts = []
    for function, cost in sorted(costs.items(), key=lambda row: -row[1]):
        if f"{cost:,}" in text and cost * 400 > sum(costs.values()):
            facts.append(Fact("odd", (), (function, f"{cost:,}")))
    facts += last_words(text, r"^[\d,]+ .*PROGRAM TOTALS.*")
    yield Item(name, TRACER, "text", "cg_annotate --auto=yes cg.out", text, said_in(facts, text))


def docstrings_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What docstr-coverage prints of a package; the facts are every file's share and the totals."""
    tool = tool_of(shop, "docstr-coverage")
    tree = shop.sdist(source, shop.room(name))
    text = re.sub(r"\A(?:.*\r)*.*files/s\]\n*", "", shop.run([tool, folder], tree).text).replace(f"{tree}/", "")
    facts = [Fact("path", (one,)) for one in re.findall(r'^File: "(.*)"', text, re.MULTILINE)]
    facts += last_words(text, r"^(?:Needed: .*|Total coverage: .*|Overall statistics.*)$")
    facts += last_words(text, r"Needed: \d+; Found: \d+; Missing: \d+; Coverage: \S+%$")
    yield Item(name, COVERAGE, "text", f"docstr-coverage {folder}", text, said_in(facts, text))


JAVA = """public class Shelf {
  static int total; private final String label; protected long[] weights = new long[9];
  public Shelf(String label) { this.label = label; }
%s}
"""


def javap_run(name: str, shop: Shop) -> Iterator[Item]:
    """`javap -c -p` of a class; the facts are its members, those that it calls, and what is caught."""
    shop.need("javac", "javap")
    room = shop.room(name)
    body, facts = "", []
    for number in range(30):
        body += f"  public int weigh{number}(int by) {{ total += by * {number}; return label.length() + by; }}\n"
        facts += [Fact("message", (f"int weigh{number}(int)",))]
    body += '  static void open() throws java.io.IOException { try { throw new java.io.IOException("stuck"); } catch (RuntimeException e) { total--; } }\n'
    body += "  synchronized String pack(java.util.List<String> all) { return String.join(label, all).toUpperCase(); }\n"
    write(os.path.join(room, "Shelf.java"), JAVA % body)
    shop.run(["javac", "Shelf.java"], room).check()
    text = shop.run(["javap", "-c", "-p", "Shelf"], room).text
    facts += [
        Fact("message", (one,))
        for one in (
            "public class Shelf",
            "static int total;",
            "java.lang.String label;",
            "long[] weights;",
            "public Shelf(java.lang.String)",
            "static void open() throws java.io.IOException",
            "pack(java.util.List<java.lang.String>)",
            "Exception table:",
            "Class java/lang/RuntimeException",
            "String stuck",
            "java/lang/String.join",
            "java/lang/String.toUpperCase",
            "java/lang/String.length",
        )
    ]
    yield Item(name, "binary", "text", "javap -c -p Shelf", text, said_in(facts, text))


RECIPES = {
    "ipset-areas": partial(sets_run, "ipset-areas"),
    "keytool-shelves": partial(keytool_run, "keytool-shelves"),
    "bash-trace": partial(bash_run, "bash-trace"),
    "ubsan-shelves": partial(undefined_run, "ubsan-shelves"),
    "gcov-work": partial(gcov_run, "gcov-work"),
    "cg-annotate-work": partial(cachegrind_run, "cg-annotate-work"),
    "docstr-coverage-buildbot": partial(docstrings_run, "docstr-coverage-buildbot", "buildbot==4.0.3", "buildbot/db"),
    "javap-shelf": partial(javap_run, "javap-shelf"),
}
