"""Small tools that read, count, search and list, as they are run a hundred times a day; what they read is real or planted."""

import csv
import glob
import gzip
import io
import json
import os
import re
from collections import Counter
from collections.abc import Iterator

from items import Fact, Item
from reports import directory_facts, outline_facts
from shop import Shop

from recipes.held_linters import read
from recipes.held_suites import write
from recipes.tables import row_facts
from recipes.tenth_tools import each, made, matches, pairs, recipes

LISTING, SEARCH, CODE, TABLE, LOG = "listing", "search", "source code", "table", "application log"


def python_files(tree: str, folder: str) -> list[str]:
    return sorted(glob.glob(f"{folder}/**/*.py", root_dir=tree, recursive=True))


def wc_run(name: str, shop: Shop) -> Iterator[Item]:
    """`wc -l` of all files of a package; the facts are the largest with their counts, every directory, the total."""
    tree = shop.sdist("django==5.0.9", shop.room(name))
    paths = python_files(tree, "django/db") + python_files(tree, "django/contrib")
    text = shop.run(["wc", "-l", *paths], tree).text
    counts = {path: read(os.path.join(tree, path)).count("\n") for path in paths}
    largest = sorted(counts.items(), key=lambda one: -one[1])[:15]
    facts = [*pairs((path, count) for path, count in largest), *directory_facts("", paths)]
    facts += [Fact("path", (path,)) for path, count in counts.items() if not count]
    yield made(
        name, LISTING, "wc -l django/db django/contrib", text, [*facts, *pairs([("total", sum(counts.values()))])]
    )


def sed_run(name: str, shop: Shop) -> Iterator[Item]:
    """`sed -n 1,700p` of a module; the facts are the names that it declares down to there."""
    tree = shop.sdist("tornado==6.4.1", shop.room(name))
    whole = read(os.path.join(tree, "tornado", "httputil.py"))
    text = shop.run(["sed", "-n", "1,700p", "tornado/httputil.py"], tree).text
    yield made(name, CODE, "sed -n 1,700p tornado/httputil.py", text, outline_facts(whole), least=0.4)


def awk_run(name: str, shop: Shop) -> Iterator[Item]:
    """A search by awk; the facts are every file and directory with a match, and every error that is raised."""
    tree = shop.sdist("celery==5.4.0", shop.room(name))
    paths = python_files(tree, "celery")
    text = shop.run(["awk", r'/raise [A-Z]/ {print FILENAME ":" FNR ": " $0}', *paths], tree).text
    rows = re.findall(r"^(\S+?):(\d+): +(.*?raise ([A-Z]\w+).*)$", text, re.MULTILINE)
    found = [row[0] for row in rows]
    facts = [*each("path", found), *directory_facts("", found), *each("name", (row[3] for row in rows))]
    yield made(name, SEARCH, 'awk \'/raise [A-Z]/ {print FILENAME ":" FNR ": " $0}\' celery', text, facts)


def requests(count: int) -> Iterator[tuple[str, int]]:
    """What a web server is asked, and how it answers."""
    for n in range(count):
        path = ("/", "/timetable", "/api/v2/ferries", f"/api/v2/ferries/{n % 530}", f"/api/v2/piers/{n % 135}", f"/assets/app.{n % 60:02x}.js", "/health", "/login")[n % 8]  # fmt: skip
        status = 502 if n % 397 == 11 else 500 if n % 211 == 3 else 404 if n % 53 == 5 else 301 if n % 67 == 9 else 200
        yield path, status


def sort_run(name: str, shop: Shop) -> Iterator[Item]:
    """`sort | uniq -c | sort -rn` of an access log; the facts are the most frequent, what failed, and the ends."""
    room = shop.room(name)
    rows = [f"{'POST' if path == '/login' else 'GET'} {path} {status}" for path, status in requests(6000)]
    write(os.path.join(room, "asked.txt"), "\n".join(rows) + "\n")
    text = shop.run(["sh", "-c", "sort asked.txt | uniq -c | sort -rn"], room).text
    counts = Counter(rows)
    facts = pairs((count, row) for row, count in counts.most_common(12))
    facts += each("message", (row for row in counts if row.endswith((" 500", " 502"))))
    facts += each("message", (status for status in (" 404", " 301", " 200")))
    yield made(name, TABLE, "sort asked.txt | uniq -c | sort -rn", text, facts)


def zgrep_run(name: str, shop: Shop) -> Iterator[Item]:
    """`zgrep -n` in a month of rotated logs; the facts are planted: every day with an error, every distinct error."""
    room = shop.room(name)
    causes = ("pier {n} did not answer", "ticket {n} was sold twice", "no tide table for day {n}", "lock on berth {n} is stale")  # fmt: skip
    facts: list[Fact] = []
    for day in range(1, 31):
        lines = []
        for n in range(400):
            stamp = f"2026-10-{day:02d} {n // 17:02d}:{n % 60:02d}:{n * 7 % 60:02d},{n * 13 % 1000:03d}"
            bad = (n + day * 5) % 90 == 7 and day % 6 != 5
            if bad:
                said = causes[(n + day) % 4].format(n=n % 9 + day)
                lines.append(f"{stamp} ERROR [berth-{n % 5}] ferries.core - {said}")
                facts.append(Fact("message", (said,)))
            else:
                lines.append(f"{stamp} INFO [berth-{n % 5}] ferries.core - sailed {n} with {n * 37 % 411} aboard")
        facts += [Fact("path", (f"app.log.2026-10-{day:02d}.gz",))] if day % 6 != 5 else []
        with gzip.open(os.path.join(room, f"app.log.2026-10-{day:02d}.gz"), "wt") as out:
            out.write("\n".join(lines) + "\n")
    text = shop.run(["sh", "-c", "zgrep -n ERROR app.log.*.gz"], room).text
    yield made(name, SEARCH, "zgrep -n ERROR app.log.*.gz", text, facts)


SERVICE = """import org.apache.logging.log4j.*;
public class Service {
  static final Logger log = LogManager.getLogger("org.ferries.timetable.Service");
  static final Logger pool = LogManager.getLogger("com.zaxxer.pool.HikariPool");
  static void sail(int n) { if (n % 41 == 17) throw new IllegalStateException("ferry " + n + " has no crew"); if (n % 53 == 20) moor(n); }
  static void moor(int n) { try { Object o = null; o.toString(); } catch (NullPointerException e) { throw new RuntimeException("cannot moor ferry " + n, e); } }
  public static void main(String[] a) {
    for (int n = 0; n < 260; n++) {
      ThreadContext.put("trip", "T-" + (9000 + n));
      log.info("Trip {} from pier {} to pier {} planned", n, n % 12, (n * 7) % 12);
      if (n % 29 == 8) pool.warn("Connection is not available, request timed out after {}ms (trip {})", 30000 + n, n);
      if (n % 67 == 40) log.fatal("Tide table of pier {} is unreadable", n % 12);
      try { sail(n); } catch (RuntimeException e) { log.error("Trip {} failed", n, e); }
      log.debug("cache hit for ferry {}", n % 9);
    }
  }
}
"""
LAYOUT = """<Configuration status="WARN"><Appenders><File name="f" fileName="service.log" append="false">
<PatternLayout pattern="%d{ISO8601} %-5p [%t] %c{1.} (%F:%L) [%X{trip}] - %m%n%ex{12}"/></File></Appenders>
<Loggers><Root level="debug"><AppenderRef ref="f"/></Root></Loggers></Configuration>
"""


def tail_run(name: str, shop: Shop) -> Iterator[Item]:
    """The end of what a service logs by log4j; the facts are planted: every failure and warning with its trip, what was thrown."""
    shop.need("java", "javac")
    room = shop.room(name)
    jars = glob.glob(os.path.join(shop.debian_package("liblog4j2-java"), "usr", "share", "java", "log4j-[ac]*-2*.jar"))
    path = ":".join([".", *jars])
    write(os.path.join(room, "Service.java"), SERVICE)
    write(os.path.join(room, "log4j2.xml"), LAYOUT)
    shop.run(["javac", "-cp", path, "Service.java"], room).check()
    shop.run(["java", "-cp", path, "-Dlog4j2.configurationFile=log4j2.xml", "Service"], room, seconds=60).check()
    text = shop.run(["tail", "-n", "600", "service.log"], room).text
    shown = [n for n in range(260) if f"Trip {n} from" in text]
    facts = pairs(("ERROR", f"[T-{9000 + n}]", f"Trip {n} failed") for n in shown if n % 41 == 17 or n % 53 == 20)
    facts += each("message", (f"java.lang.IllegalStateException: ferry {n} has no crew" for n in shown if n % 41 == 17))
    facts += each("message", (f"java.lang.RuntimeException: cannot moor ferry {n}" for n in shown if n % 53 == 20))
    facts += each("message", (f"request timed out after {30000 + n}ms (trip {n})" for n in shown if n % 29 == 8))
    facts += each("message", (f"Tide table of pier {n % 12} is unreadable" for n in shown if n % 67 == 40))
    facts += each("message", ["FATAL", "WARN", "DEBUG", "c.z.p.HikariPool", "o.f.t.Service", "Caused by: java.lang.NullPointerException", "at Service.moor(Service.java:", "at Service.sail(Service.java:"])  # fmt: skip
    yield made(name, LOG, "tail -n 600 service.log", text, facts)


def column_run(name: str, shop: Shop) -> Iterator[Item]:
    """`column -t` of comma-separated values; the facts are what somebody asks of rows."""
    path = os.path.join(shop.npm_source("vega-datasets@2.11.0", shop.room(name)), "data", "birdstrikes.csv")
    rows = list(csv.DictReader(io.StringIO(read(path))))[4000:4260]
    named = [{key.replace(" ", "_"): value for key, value in row.items()} for row in rows]
    lines = [list(named[0]), *(list(row.values()) for row in named)]
    write(os.path.join(shop.room(name), "strikes.csv"), "\n".join("|".join(line) for line in lines) + "\n")
    text = shop.run(["column", "-t", "-s", "|", "strikes.csv"], os.path.join(shop.root, "rooms", name)).text
    yield made(name, TABLE, "column -t -s '|' strikes.csv", text, row_facts(named, "Airport_Name"))


def jar_run(name: str, shop: Shop) -> Iterator[Item]:
    """`jar tvf` of a library; the facts are its packages, its largest members, what is no class."""
    shop.need("jar")
    path = sorted(glob.glob(os.path.join(shop.debian_package("liblog4j2-java"), "usr/share/java/log4j-core-*.jar")))[0]
    text = shop.run(["jar", "tvf", path], shop.room(name)).text
    rows = re.findall(r"^ *(\d+) \w{3} .*? (\S+)$", text, re.MULTILINE)
    largest = sorted(rows, key=lambda row: -int(row[0]))[:12]
    facts = [
        *pairs((size, path) for size, path in largest),
        *directory_facts("", (path.rstrip("/") for _, path in rows)),
    ]
    facts += [Fact("path", (path,)) for _, path in rows if not path.endswith((".class", "/"))]
    yield made(name, LISTING, "jar tvf log4j-core.jar", text, facts)


def exa_run(name: str, shop: Shop) -> Iterator[Item]:
    """`exa -laT` of a package with odd files planted; the facts are these, the directories, the largest."""
    shop.install("exa")
    tree = shop.npm_source("pm2@5.4.2", shop.room(name))
    odd = ("lib/API/dump.core", "pres/.DS_Store", "lib/God/Methods.js.rej", "packager/deploy-key.pem")
    for n, path in enumerate(odd):
        os.chmod(write(os.path.join(tree, path), "x" * (70_000 + n * 31_000)), (0o600, 0o666, 0o444, 0o777)[n])
    os.symlink("../lib", os.path.join(tree, "packager", "lib"))
    text = shop.run(["exa", "-laT", "--color=never", "--time-style=long-iso"], tree).text
    folders = [folder for folder, _, _ in os.walk(tree) if folder != tree]
    facts = each("name", [os.path.basename(one) for one in (*odd, *folders)])
    facts += [*matches(text, r"lib -> \.\./lib"), *pairs((mode, os.path.basename(path)) for mode, path in zip((".rw-------", ".rw-rw-rw-", ".r--r--r--", ".rwxrwxrwx"), odd, strict=True))]  # fmt: skip
    yield made(name, LISTING, "exa -laT", text, facts)


def file_run(name: str, shop: Shop) -> Iterator[Item]:
    """`file` of everything in a package; the facts are every kind with a file of it, and what is not what its name says."""
    shop.need("file", package="file")
    tree = shop.npm_source("highlight.js@11.10.0", shop.room(name))
    for path, content in (("lib/notes.txt", b"\x7fELF\x02\x01\x01" + b"\0" * 57), ("lib/logo.png", b"GIF89a" + b"\1\0" * 9), ("lib/run.js", b"#!/usr/bin/env python3\nprint()\n"), ("lib/data.json", gzip.compress(b"{}")), ("lib/empty.js", b"")):  # fmt: skip
        with open(os.path.join(tree, path), "wb") as out:
            out.write(content)
    paths = sorted(path for path in glob.glob("**/*", root_dir=tree, recursive=True, include_hidden=True) if os.path.isfile(os.path.join(tree, path)))  # fmt: skip
    text = shop.run(["file", "-N", *paths], tree).text
    kinds: dict[str, list[str]] = {}
    for line in text.splitlines():
        path, kind = line.split(": ", 1)
        kinds.setdefault(kind.strip(), []).append(path)
    facts = [Fact("record", tuple(where), (kind[:80],)) for kind, where in kinds.items()]
    facts += [Fact("path", (path,)) for where in kinds.values() if len(where) <= 2 for path in where]
    yield made(name, LISTING, "file -N lib", text, [*facts, *directory_facts("", paths)])


def gron_run(name: str, shop: Shop) -> Iterator[Item]:
    """`gron` of an answer in JSON; the facts are planted: every key, the odd rows, the ends of ranges."""
    shop.install("gron")
    room = shop.room(name)
    rows = [{"id": 7000 + n, "ferry": f"Seal {n % 14}", "status": "ADRIFT" if n == 61 else ("docked", "sailing")[n % 2], "aboard": n * 37 % 411 + (5000 if n == 88 else 0), "route": {"from": f"pier-{n % 12}", "to": f"pier-{n * 7 % 12}"}, "alerts": [f"engine {n} runs hot"] if n % 31 == 9 else []} for n in range(140)]  # fmt: skip
    answer = {
        "data": rows,
        "page": {"number": 1, "of": 9, "next": "/v2/ferries?page=2"},
        "warnings": ["pier-4 is closed"],
    }
    write(os.path.join(room, "ferries.json"), json.dumps(answer))
    text = shop.run(["gron", "-m", "ferries.json"], room).text
    facts = each(
        "message",
        (f".{key} = " for key in ("id", "ferry", "status", "aboard", "from", "to", "alerts", "number", "of", "next")),
    )
    facts += each("message", ['data[61].status = "ADRIFT"', f"data[88].aboard = {rows[88]['aboard']}", '"/v2/ferries?page=2"', '"pier-4 is closed"', "data[139]", "data[0]", '"docked"', '"sailing"'])  # fmt: skip
    facts += each("message", (f'data[{n}].alerts[0] = "engine {n} runs hot"' for n in range(140) if n % 31 == 9))
    yield made(name, "answer of an interface", "gron -m ferries.json", text, facts)


RECIPES = recipes(
    ("wc-django", wc_run),
    ("sed-tornado", sed_run),
    ("awk-celery", awk_run),
    ("sort-requests", sort_run),
    ("zgrep-ferries", zgrep_run),
    ("tail-service", tail_run),
    ("column-strikes", column_run),
    ("jar-log4j", jar_run),
    ("exa-pm2", exa_run),
    ("file-highlight", file_run),
    ("gron-ferries", gron_run),
)
