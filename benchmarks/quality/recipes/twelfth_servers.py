"""Logs of servers and workers, a report on a log, a stamped pipeline and databases; what goes wrong is planted, or told by the answers that the client got."""

import os
import re
import sqlite3
import time
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from shop import Shop

from recipes.databases import running
from recipes.eleventh_servers import APPLICATION, faults
from recipes.held_linters import read
from recipes.held_servers import free_port, listens
from recipes.held_suites import write
from recipes.tenth_servers import asked
from recipes.tenth_tools import each, made, matches, pairs, recipes, stripped, venv_path
from recipes.twelfth_tools import TOOLS

LOG, REPORT, DATABASE, PIPELINE = "server log", "log report", "database", "pipeline"


ASKED = 110
"""So often the application is asked."""


def log_of(name: str, shop: Shop, command: list[str], port: int) -> tuple[str, list[Fact]]:
    """What a server of the application logs while it is asked, and what of it is to be told."""
    room = shop.room(name)
    write(os.path.join(room, "ferries.py"), APPLICATION)
    env = shop.environment() | venv_path(TOOLS, shop) | {"PYTHONPATH": room}
    with running([TOOLS.python_tool(shop, command[0]), *command[1:]], room, lambda: listens(port), env) as log:
        answers = asked(port, [f"/piers/{n}" for n in range(ASKED)])
        time.sleep(2)
    text = re.sub(r"/\S*?/(?=site-packages)", "/srv/venv/", stripped(read(log), room)).replace(str(port), "8000")
    text = re.sub(r"127\.0\.0\.1:\d{5}", "127.0.0.1:51234", re.sub(r"(?<=\[)\d{4,7}(?=\])", "4711", text))
    facts = [*faults(ASKED), *pairs((path, status) for path, status in answers.items() if status in {404, 503})]
    return text, [*facts, *matches(text, r"^\S+Error(?=:)")]


def gunicorn_run(name: str, shop: Shop) -> Iterator[Item]:
    """What gunicorn logs while an application fails; the facts are the answers of the client, what was thrown and printed, and how it was started."""
    port = free_port()
    text, facts = log_of(
        name, shop, ["gunicorn", "-b", f"127.0.0.1:{port}", "--access-logfile", "-", "ferries:wsgi"], port
    )
    facts += each("message", [f"pier {n}: lamp is out, going on" for n in range(ASKED) if n % 31 == 12])
    facts += matches(text, r"\[INFO\] (?:Starting|Listening|Using|Booting|Handling|Shutting|Worker exiting).*")
    yield made(name, LOG, "gunicorn --access-logfile - ferries:wsgi", text, facts, least=0.7)


def asgi_run(name: str, shop: Shop, command: tuple[str, ...]) -> Iterator[Item]:
    """What a server of asynchronous applications logs while one fails; the facts are the answers of the client, what was thrown, and how it was started."""
    port = free_port()
    text, facts = log_of(name, shop, [*command, "--port", str(port), "ferries:app"], port)
    facts += matches(text, r"^(?:\[INFO\]|INFO:) +(?:Start|Wait|Application|Uvicorn|Listen|Spawn|Shut|Stopp|Finish).*")
    yield made(name, LOG, f"{' '.join(command)} ferries:app", text, facts, least=0.7)


TASKS = """import logging

def moor(n):
    if n % 17 == 5: raise KeyError("rope of pier %d" % n)
    if n % 23 == 9: raise RuntimeError("tide at pier %d is %d cm too low" % (n, n * 3))
    if n % 31 == 12: logging.getLogger("rq.worker").warning("lamp of pier %d is out, going on", n)
    return "moored at %d" % n

if __name__ == "__main__":
    import sys, redis, rq, harbour
    queue = rq.Queue("tides", connection=redis.Redis(port=int(sys.argv[1])))
    for n in range(64): queue.enqueue(harbour.moor, n, job_id="trip-%d" % n)
"""


def worker_run(name: str, shop: Shop) -> Iterator[Item]:
    """What a worker of rq logs; the facts are planted: what was thrown and warned of, the first and last result, and how it began and ended."""
    shop.install("redis-server")
    room, port = shop.room(name), free_port()
    write(os.path.join(room, "harbour.py"), TASKS)
    env = venv_path(TOOLS, shop) | {"PYTHONPATH": room}
    with running(["redis-server", "--port", str(port), "--save", ""], room, lambda: listens(port), shop.environment()):
        shop.run([TOOLS.python(shop), "harbour.py", str(port)], room, env=env).check()
        command = [
            TOOLS.python_tool(shop, "rq"),
            "worker",
            "--burst",
            "--url",
            f"redis://127.0.0.1:{port}",
            "--name",
            "keeper",
            "tides",
        ]
        text = stripped(shop.run(command, room, env=env).text, room).replace(str(port), "6379")
    text = re.sub(r"\S*/(?=lib/python3)", "/srv/venv/", text)
    facts = [*faults(64), *each("message", [f"lamp of pier {n} is out, going on" for n in range(64) if n % 31 == 12])]
    yield made(
        name,
        LOG,
        "rq worker --burst tides",
        text,
        [
            *facts,
            *matches(
                text,
                r"(?:Worker \S+: (?:started|done|stopping|subscribing|listening).*|\*\*\* Listening.*|Cleaning registries.*)",
                r"^\S+Error(?=:)",
            ),
        ],
        least=0.8,
    )


def access_log(count: int) -> tuple[str, list[Fact]]:
    """An access log as web servers write it, and what is odd in it."""
    rows, facts = [], list[Fact]()
    for n in range(count):
        host, path = f"10.0.{n % 7}.{n * 13 % 97}", f"/piers/{n % 31}/ferries/{n * 7 % 53}"
        status, size = (
            (500 if n % 97 == 40 else 404 if n % 29 == 11 else 301 if n % 41 == 5 else 200),
            300 + n * 37 % 9000,
        )
        path = f"/lost/{n}" if status == 404 else f"/sunk/{n}" if status == 500 else path
        agent = (
            "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0",
            "curl/8.5.0",
            "Googlebot/2.1 (+http://www.google.com/bot.html)",
        )[n % 5 % 3]
        rows.append(
            f'{host} - - [{n // 300 % 28 + 1:02d}/Oct/2026:{n % 24:02d}:{n % 60:02d}:07 +0000] "{("GET", "GET", "POST")[n % 3]} {path} HTTP/1.1" {status} {size} "https://pier.example/{n % 9}" "{agent}"\n'
        )
        facts += each("name", [path] * (status in {404, 500}))
    return "".join(rows), facts


def logfile_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `lnav -n` tells by a query of a log of a web server; the facts are planted: columns, every path that failed, every status."""
    shop.install("lnav")
    room = shop.room(name)
    log, facts = access_log(3400)
    write(os.path.join(room, "access.log"), log)
    query = ";SELECT sc_status, cs_method, cs_uri_stem, count(*) AS hits, sum(sc_bytes) AS bytes FROM access_log WHERE sc_status >= 300 GROUP BY sc_status, cs_method, cs_uri_stem ORDER BY sc_status DESC, hits DESC"
    text = shop.run(["lnav", "-n", "-c", query, "access.log"], room, env={"HOME": room}).text
    yield made(
        name,
        REPORT,
        "lnav -n -c ';SELECT sc_status, cs_method, ... FROM access_log' access.log",
        text,
        [*facts, *each("name", ("sc_status", "cs_method", "cs_uri_stem", "hits", "bytes", "301", "404", "500"))],
        least=0.7,
    )


def goaccess_run(name: str, shop: Shop) -> Iterator[Item]:
    """The report of goaccess on a log of a web server, as JSON; the facts are planted, and its keys: every path that failed, every status, host and program."""
    shop.install("goaccess")
    room = shop.room(name)
    log, _ = access_log(900)
    write(os.path.join(room, "access.log"), log)
    shop.run(
        [
            "goaccess",
            "access.log",
            "--log-format=COMBINED",
            "-o",
            "report.json",
            "--no-global-config",
            "--json-pretty-print",
            "--ignore-panel=HOSTS",
            "--ignore-panel=REFERRERS",
            "--ignore-panel=VISIT_TIMES",
            "--max-items=40",
        ],
        room,
    ).check()
    text = read(os.path.join(room, "report.json"))
    found = re.findall(r'"data": "\\/((?:lost|sunk))\\/(\d+)"', text)
    facts = [
        *(Fact("message", (f'"/{one}/{n}"', f'"\\/{one}\\/{n}"')) for one, n in dict.fromkeys(found)),
        *each("key", re.findall(r'^\s*"(\w+)":', text, re.MULTILINE)),
    ]
    facts += each(
        "message",
        re.findall(r'"data": "(\d{3} - [^"]*)"', text)
        + re.findall(
            r'"(?:total_requests|failed_requests|valid_requests|unique_visitors|unique_not_found)": \d+', text
        ),
    )
    yield made(name, REPORT, "goaccess access.log -o report.json --json-pretty-print", text, facts, "json", least=0.7)


JENKINS_STEPS = ("Checkout", "Install", "Lint", "Unit tests", "Package", "Publish")


def console_run(name: str, shop: Shop) -> Iterator[Item]:
    """The console of a build as a server of pipelines keeps it; its steps are real commands, stamped here; the facts are planted: stages, commands, what failed."""
    tree, facts = shop.sdist("click==8.1.7", shop.room(name)), list[Fact]()
    write(
        os.path.join(tree, "tests", "test_pier.py"),
        "import unittest\n\nclass Pier(unittest.TestCase):\n"
        + "".join(
            f"    def test_ferry_{n}(self): self.assertEqual({n} * 3{' + 1' if n % 17 == 6 else ''}, {n} * 3, 'rope {n} is too short')\n"
            for n in range(60)
        ),
    )
    commands = {
        "Checkout": "git init -q . && git add -A && git -c user.name=a -c user.email=a@example.org commit -m 'Import the release' | tail -40",
        "Compile": "python3 -m compileall -f src",
        "Unit tests": "cd tests && python3 -m unittest -v test_pier",
        "Package": "tar -cvzf click.tar.gz src",
    }
    lines = [
        "Started by user ada",
        "Running as SYSTEM",
        "[Pipeline] Start of Pipeline",
        "[Pipeline] node",
        "Running on keeper-3 in /var/lib/jenkins/workspace/click",
    ]
    for n, (stage, command) in enumerate(commands.items()):
        done = shop.run(["sh", "-c", command], tree)
        lines += [
            "[Pipeline] stage",
            f"[Pipeline] {{ ({stage})",
            "[Pipeline] sh",
            f"+ {command}",
            *done.text.replace(tree, "/var/lib/jenkins/workspace/click").splitlines(),
            "[Pipeline] }",
            "[Pipeline] // stage",
        ]
        facts += each("message", [f"[Pipeline] {{ ({stage})", f"+ {command}"[:80]])
        if done.status and n == 2:
            lines.append(f"WARNING: script returned exit code {done.status}, going on as unstable")
            facts += each("message", [lines[-1]])
    lines += ["[Pipeline] }", "[Pipeline] // node", "[Pipeline] End of Pipeline", "Finished: UNSTABLE"]
    text = "".join(
        f"[2026-11-19T10:{at // 60 % 60:02d}:{at % 60:02d}.{at * 37 % 1000:03d}Z] {line}\n"
        for at, line in enumerate(lines)
    )
    facts += each(
        "message",
        [f"FAIL: test_ferry_{n}" for n in range(60) if n % 17 == 6]
        + [f"rope {n} is too short" for n in range(60) if n % 17 == 6],
    )
    yield made(
        name,
        PIPELINE,
        "cat consoleText",
        re.sub(r"in \d\.\d+s", "in 0.003s", text),
        [*facts, *each("message", ["Finished: UNSTABLE", "FAILED (failures=4)", "Started by user ada"])],
    )


def litecli_run(name: str, shop: Shop) -> Iterator[Item]:
    """What litecli draws of a table; the facts are planted: columns, every state, the odd rows, the ends."""
    room, facts = shop.room(name), list[Fact]()
    with sqlite3.connect(os.path.join(room, "harbour.db")) as base:
        base.execute("CREATE TABLE trips (id INTEGER, ferry TEXT, state TEXT, pier TEXT, load INTEGER, note TEXT)")
        for n in range(150):
            state = "sunk" if n % 61 == 30 else ("open", "done", "late")[n % 3]
            note = f"rope {n} was cut" if n % 37 == 14 else None
            base.execute(
                "INSERT INTO trips VALUES (?, ?, ?, ?, ?, ?)",
                (n, f"Ferry {n}", state, f"pier-{n % 12}", 90000 + n if n % 53 == 20 else n * 13 % 700, note),
            )
            facts += [
                *each("message", [note] * bool(note)),
                *pairs([(f"Ferry {n}", "sunk")] * (state == "sunk")),
                *each("name", [90000 + n] * (n % 53 == 20)),
            ]
    base.close()
    text = shop.run(
        [TOOLS.python_tool(shop, "litecli"), "harbour.db", "-t", "-e", "SELECT * FROM trips"], room, env={"HOME": room}
    ).text
    facts += [
        *each(
            "name",
            ("id", "ferry", "state", "pier", "load", "note", "open", "done", "late", "sunk", "Ferry 0", "Ferry 149"),
        ),
        *each("name", (f"pier-{n}" for n in range(12))),
    ]
    yield made(name, DATABASE, "litecli harbour.db -t -e 'SELECT * FROM trips'", text, facts)


RECIPES = recipes(
    ("gunicorn-piers", gunicorn_run),
    ("uvicorn-piers", partial(asgi_run, command=("uvicorn", "--no-use-colors"))),
    ("granian-piers", partial(asgi_run, command=("granian", "--interface", "asgi", "--access-log"))),
    ("rq-tides", worker_run),
    ("lnav-access", logfile_run),
    ("goaccess-access", goaccess_run),
    ("jenkins-click", console_run),
    ("litecli-trips", litecli_run),
)
