"""Builds and load tools that nobody tunes on; logs and reports for machines, or what was planted, give the facts."""

import csv
import json
import os
import re
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import CannotMake, Shop

from recipes.databases import running
from recipes.held_linters import read
from recipes.held_servers import free_port, listens
from recipes.held_suites import write
from recipes.third_network import site

BUILD, LOAD = "build system", "load tool"


def configure_run(name: str, package: str, shop: Shop) -> Iterator[Item]:
    """What `./configure` prints; the facts are the answers that its log keeps: all that is not there, and the last words."""
    tree = shop.debian_source(package, shop.room(name))
    text = shop.run(["./configure"], tree, seconds=500).text
    if not os.path.exists(os.path.join(tree, "config.log")):
        raise CannotMake(text[-300:])
    facts = []
    for kind, title, value in re.findall(
        r"^ac_cv_(func|header|lib|type|have_decl)_(\w+)='?(\w+)'?$",
        read(os.path.join(tree, "config.log")),
        re.MULTILINE,
    ):
        if value == "no":
            spelt = (
                re.sub(r"_h$", ".h", title)
                .replace("sys_", "sys/")
                .replace("netinet_", "netinet/")
                .replace("net_", "net/")
                if kind == "header"
                else title
            )
            facts.append(Fact("message", (f"for {spelt}... no", f"whether {spelt} is declared... no")))
    facts += [
        Fact("message", (line,))
        for line in text.splitlines()
        if re.match(r"configure: (?:WARNING|error)|config.status: creating", line)
    ]
    yield Item(name, BUILD, "text", "configure", text, said_in(facts, text))


def cmake_run(name: str, package: str, shop: Shop) -> Iterator[Item]:
    """What cmake prints when it looks round; the facts are the checks that its cache says failed, and the warnings."""
    shop.need("cmake", package="cmake")
    tree = shop.debian_source(package, shop.room(name))
    text = shop.run(["cmake", "-S", ".", "-B", "out", "-Wdev"], tree, seconds=500).text.replace(f"{tree}/", "")
    facts = []
    for title, value in re.findall(
        r"^(\w+):INTERNAL=(.*)$", read(os.path.join(tree, "out", "CMakeCache.txt")), re.MULTILINE
    ):
        if value == "" and re.match(r"(?:HAVE|HAS|C_|CXX_)", title):
            bare = re.sub(r"^HAVE_", "", title).lower()
            header = re.sub(r"_h$", ".h", bare).replace("sys_", "sys/", 1).replace("linux_", "linux/", 1)
            facts.append(
                Fact(
                    "message",
                    (
                        f"Performing Test {title} - Failed",
                        f"Looking for {bare} - not found",
                        f"Looking for {header} - not found",
                    ),
                )
            )
    facts += [
        Fact("message", (line.strip(),))
        for line in text.splitlines()
        if re.match(r"CMake (?:Warning|Error|Deprecation)|-- (?:Configuring|Generating) done|-- Could NOT find", line)
    ]
    yield Item(name, BUILD, "text", "cmake -S . -B out", text, said_in(facts, text))


def vite_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `vite build` prints; the facts are its manifest: every chunk with its file, and what is too large."""
    room = shop.room(name)
    shop.npm(room, "vite@5.4.8", "lodash-es@4.17.21", "three@0.168.0", "date-fns@3.6.0")
    pages = ""
    for number in range(90):
        write(
            os.path.join(room, "src", f"shelf{number}.js"),
            f"import './shelf{number}.css';\nimport {{ format }} from 'date-fns';\nexport default () => format(new Date({number}), 'yyyy') + '{'x' * number * 30}';\n"
            + ("import * as three from 'three';\nexport const t = three;\n" if number == 41 else ""),
        )
        write(
            os.path.join(room, "src", f"shelf{number}.css"), f".shelf{number} {{ width: {number}px }}\n" * (number + 1)
        )
        pages += f"window.s{number} = () => import('./shelf{number}.js');\n"
    write(os.path.join(room, "src", "main.js"), pages)
    write(os.path.join(room, "index.html"), '<script type="module" src="/src/main.js"></script>\n')
    text = shop.run(
        [os.path.join(room, "node_modules", ".bin", "vite"), "build", "--manifest"], room, seconds=400
    ).text.replace(f"{room}/", "")
    manifest = json.loads(read(os.path.join(room, "dist", ".vite", "manifest.json")))
    facts = []
    for one in manifest.values():
        facts.append(Fact("message", (f"dist/{one['file']}",)))
        facts += [Fact("message", (f"dist/{sheet}",)) for sheet in one.get("css", ())]
    sizes = {one["file"]: os.path.getsize(os.path.join(room, "dist", one["file"])) for one in manifest.values()}
    facts += [
        Fact("odd", (), (f"dist/{path}", f"{sizes[path] / 1000:,.2f}"))
        for path in sorted(sizes, key=lambda path: -sizes[path])[:10]
    ]
    facts += [
        Fact("message", (line.strip(),))
        for line in text.splitlines()
        if "chunks are larger" in line or "modules transformed" in line or "built in" in line
    ]
    yield Item(name, BUILD, "text", "vite build", text, said_in(facts, text))


def siege_run(name: str, shop: Shop) -> Iterator[Item]:
    """`siege -v` of a site; the facts are the requests that did not go well and every figure of its end."""
    shop.install("siege")
    room = shop.room(name)
    with site(shop, room, 40) as port:
        urls = [
            f"http://127.0.0.1:{port}/{'lost-9.html' if n == 9 else 'broken-17' if n == 17 else f'page-{n}.html'}"
            for n in range(40)
        ]
        write(os.path.join(room, "urls"), "\n".join(urls) + "\n")
        write(
            os.path.join(room, "siegerc"),
            "verbose = true\ncolor = off\nlogging = false\njson_output = false\ncsv = false\nquiet = false\nfollow-location = false\nparser = false\n",
        )
        text = shop.run(["siege", "-R", "siegerc", "-f", "urls", "-c", "3", "-r", "80", "-b"], room).text
    facts = [
        Fact("message", (one,))
        for one in ("/lost-9.html", "/broken-17", "HTTP/1.1 404", "HTTP/1.1 500", "HTTP/1.1 200")
    ]
    facts += [Fact("message", (f"/page-{number}.html",)) for number in range(40)]
    facts += [
        Fact("message", (" ".join(line.split()),), tuple(line.replace(":", " ").split()))
        for line in text.splitlines()
        if re.match(r"[A-Z][a-z ]+: +[\d.]+", line)
    ]
    yield Item(name, LOAD, "text", "siege -v", text, said_in(facts, text))


def redis_bench(name: str, shop: Shop) -> Iterator[Item]:
    """What redis-benchmark prints; the facts are every test and, by its own columns, its figures."""
    shop.install("redis-server")
    shop.install("redis-benchmark", "redis-tools")
    room = shop.room(name)
    port = free_port()
    with running(
        ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", ""],
        room,
        lambda: listens(port),
        shop.environment(),
    ):
        text = shop.run(["redis-benchmark", "-p", str(port), "-n", "1500", "-c", "10"], room).text
    text = re.sub(r"[^\n]*\r", "", text)
    facts = [Fact("message", (one,)) for one in re.findall(r"^====== (.*?) ======$", text, re.MULTILINE)]
    facts += [Fact("message", (line.strip(),)) for line in text.splitlines() if "throughput summary" in line]
    slow = re.findall(r"throughput summary: ([\d.]+) requests", text)
    facts += [Fact("message", (min(slow, key=float),)), Fact("message", (max(slow, key=float),))] if slow else []
    yield Item(name, LOAD, "text", "redis-benchmark", text, said_in(facts, text))


BENCH = """#include <benchmark/benchmark.h>
#include <string>
#include <vector>
#include <map>
"""


def google_bench(name: str, shop: Shop) -> Iterator[Item]:
    """The table of a program of google-benchmark; the facts are its own JSON: every family, the slowest, the errors."""
    if not os.path.exists("/usr/include/benchmark/benchmark.h"):
        shop.apt("libbenchmark-dev")
    room = shop.room(name)
    code = BENCH
    for number in range(30):
        body = {
            0: "std::vector<int> v; for (int i = 0; i < n; i++) v.push_back(i);",
            1: "std::string s; for (int i = 0; i < n; i++) s += 'x';",
            2: "std::map<int, int> m; for (int i = 0; i < n; i++) m[i] = i;",
        }[number % 3]
        fail = 'if (n == 64) { state.SkipWithError("shelf is locked"); break; }' if number == 13 else ""
        code += f"static void PackShelf{number}(benchmark::State &state) {{ int n = state.range(0); for (auto _ : state) {{ {fail} {body} }} }}\nBENCHMARK(PackShelf{number})->RangeMultiplier(4)->Range(4, 1024)->MinTime(0.001);\n"
    write(os.path.join(room, "bench.cc"), code + "BENCHMARK_MAIN();\n")
    made = shop.run(["g++", "-O1", "-o", "bench", "bench.cc", "-lbenchmark", "-lpthread"], room)
    made.check()
    text = shop.run(["./bench", "--benchmark_out=report.json", "--benchmark_out_format=json"], room).text
    rows = json.loads(read(os.path.join(room, "report.json")))["benchmarks"]
    facts = [Fact("name", (row["name"].split("/")[0],)) for row in rows]
    facts += [Fact("message", (row["name"],)) for row in sorted(rows, key=lambda row: -row.get("real_time", 0))[:12]]
    facts += [Fact("odd", (), (row["name"], "ERROR")) for row in rows if row.get("error_occurred")] + [
        Fact("message", ("shelf is locked",))
    ]
    facts += [
        Fact("message", (line.strip(),))
        for line in text.splitlines()
        if re.match(r"Run on |Load Average|\*\*\*WARNING", line)
    ]
    yield Item(name, LOAD, "text", "google-benchmark", text, said_in(facts, text))


LOCUST = """from locust import HttpUser, constant, task
class Keeper(HttpUser):
    wait_time = constant(0.02)
    @task
    def pages(self):
        for number in range(40):
            self.client.get("/lost-9.html" if number == 9 else "/broken-17" if number == 17 else f"/page-{number}.html")
"""


def locust_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `locust --headless` prints; the facts are its CSV: every request, the failures, the slowest."""
    python = shop.python("locust", "locust==2.31.8", "setuptools<80")
    room = shop.room(name)
    write(os.path.join(room, "locustfile.py"), LOCUST)
    with site(shop, room, 40) as port:
        text = shop.run(
            [
                python,
                "-m",
                "locust",
                "--headless",
                "-u",
                "2",
                "-r",
                "2",
                "-t",
                "5s",
                "--host",
                f"http://127.0.0.1:{port}",
                "--csv",
                "report",
                "--exit-code-on-error",
                "0",
            ],
            room,
        ).text
    with open(os.path.join(room, "report_stats.csv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    facts = [Fact("message", (row["Name"],)) for row in rows]
    facts += [Fact("odd", (), (row["Name"], row["Request Count"])) for row in rows if row["Failure Count"] != "0"]
    with open(os.path.join(room, "report_failures.csv"), encoding="utf-8") as file:
        facts += [Fact("odd", (), (row["Name"], row["Occurrences"])) for row in csv.DictReader(file)]
    facts += [
        Fact("message", (one,))
        for one in (
            "Error report",
            "Response time percentiles",
            "404 Client Error",
            "500 Server Error",
            "Aggregated",
            "Shutting down",
        )
    ]
    yield Item(name, LOAD, "text", "locust --headless", text, said_in(facts, text))


RECIPES = {
    "configure-libevent": partial(configure_run, "configure-libevent", "libevent"),
    "cmake-libarchive": partial(cmake_run, "cmake-libarchive", "libarchive"),
    "vite-shelves": partial(vite_run, "vite-shelves"),
    "siege-site": partial(siege_run, "siege-site"),
    "redis-benchmark": partial(redis_bench, "redis-benchmark"),
    "google-benchmark": partial(google_bench, "google-benchmark"),
    "locust-site": partial(locust_run, "locust-site"),
}
