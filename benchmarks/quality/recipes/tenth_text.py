"""Small tools that read, count, search and list, as they are run a hundred times a day; what they read is real or planted."""

import glob
import gzip
import os
import re
from collections.abc import Iterator

from items import Fact, Item
from reports import directory_facts, outline_facts
from shop import Shop

from recipes.held_linters import read
from recipes.held_suites import write
from recipes.tenth_tools import each, made, pairs, recipes

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


def jar_run(name: str, shop: Shop) -> Iterator[Item]:
    """`jar tvf` of a library; the facts are its packages, its largest members, what is no class."""
    shop.need("jar")
    path = min(glob.glob(os.path.join(shop.debian_package("liblog4j2-java"), "usr/share/java/log4j-core-*.jar")))
    text = shop.run(["jar", "tvf", path], shop.room(name)).text
    rows = re.findall(r"^ *(\d+) \w{3} .*? (\S+)$", text, re.MULTILINE)
    largest = sorted(rows, key=lambda row: -int(row[0]))[:12]
    facts = [
        *pairs((size, path) for size, path in largest),
        *directory_facts("", (path.rstrip("/") for _, path in rows)),
    ]
    facts += [Fact("path", (path,)) for _, path in rows if not path.endswith((".class", "/"))]
    yield made(name, LISTING, "jar tvf log4j-core.jar", text, facts)


RECIPES = recipes(
    ("wc-django", wc_run),
    ("sed-tornado", sed_run),
    ("awk-celery", awk_run),
    ("zgrep-ferries", zgrep_run),
    ("tail-service", tail_run),
    ("jar-log4j", jar_run),
)
