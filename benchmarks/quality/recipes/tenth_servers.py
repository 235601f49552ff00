"""Logs of applications and databases in forms of every day that nobody tunes on, on loopback; what goes wrong is planted."""

import contextlib
import glob
import json
import os
import re
import sqlite3
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator

from items import Fact, Item
from shop import Shop

from recipes.databases import postgres, running
from recipes.held_linters import read
from recipes.held_servers import free_port, listens
from recipes.held_suites import write
from recipes.tenth_tools import TOOLS, each, made, matches, pairs, recipes, stripped

LOG, DATABASE = "application log", "database"


def asked(port: int, paths: Iterable[str]) -> dict[str, int]:
    """How a server on loopback answers to each path."""
    answers = {}
    for path in paths:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=20) as answer:
                answers[path] = answer.status
        except urllib.error.HTTPError as bad:
            answers[path] = bad.code
        except OSError:
            answers[path] = 0
    return answers


PINO = """const pino = require('pino');
let clock = 1794000000000;
const log = pino({ base: { name: 'ferries', pid: 4711 }, timestamp: () => ',"time":' + (clock += 137) }, pino.destination(1));
function berth(n) { throw new TypeError('berth ' + n + ' is taken'); }
for (let n = 0; n < 150; n++) {
  const req = { id: 'req-' + n.toString(36), method: n % 4 ? 'GET' : 'POST', url: '/piers/' + n % 12 + '/ferries/' + n };
  log.info({ req }, 'incoming request');
  if (n % 37 === 12) log.warn({ reqId: req.id, waited: 3000 + n }, 'pool is exhausted, waited for a boat');
  if (n % 43 === 20) { try { berth(n); } catch (err) { log.error({ reqId: req.id, err }, 'request errored'); } }
  if (n === 97) log.fatal({ tide: -n }, 'the harbour fell dry');
  log.info({ reqId: req.id, res: { statusCode: n % 43 === 20 ? 500 : n % 29 === 4 ? 404 : 200 }, responseTime: n * 1.37 }, 'request completed');
}
"""


def pino_run(name: str, shop: Shop) -> Iterator[Item]:
    """What pino-pretty makes of an application's log; the facts are planted."""
    room = shop.room(name)
    write(os.path.join(room, "app.js"), PINO)
    modules = os.path.join(TOOLS.npm_room(shop), "node_modules")
    text = shop.run(
        ["sh", "-c", f"NODE_PATH={modules} node app.js | {modules}/.bin/pino-pretty --no-colorize"], room
    ).text
    text = re.sub(r"\((?:node:|/)[^()\n]*/", "(", stripped(text, room))
    facts = each(
        "message",
        [f"berth {n} is taken" for n in range(150) if n % 43 == 20]
        + [f"waited: {3000 + n}" for n in range(150) if n % 37 == 12],
    )
    facts += each(
        "message",
        [f'"/piers/{n % 12}/ferries/{n}"' for n in range(150) if n % 43 == 20 or n % 29 == 4]
        + [
            "the harbour fell dry",
            "tide: -97",
            "FATAL",
            "ERROR",
            "WARN",
            "pool is exhausted, waited for a boat",
            "request errored",
            '"statusCode": 500',
            '"statusCode": 404',
            '"statusCode": 200',
            "TypeError",
        ],
    )
    facts += each(
        "message",
        (
            "incoming request",
            "request completed",
            '"method": "POST"',
            '"method": "GET"',
            "responseTime",
            "at berth (app.js:4",
        ),
    )
    yield made(name, LOG, "pino-pretty app.log", text, facts)


WINSTON = """const { createLogger, format, transports } = require('winston');
const who = process.env.ROLE;
const log = createLogger({ level: 'debug', format: format.combine(format.timestamp(), format.errors({ stack: true }), format.printf(i => `${i.timestamp} [${who}] ${i.level}: ${i.message}${i.stack ? '\\n' + i.stack : ''}`)), transports: [new transports.Console()] });
for (let n = 0; n < 60; n++) {
  log.info(`${who} handled ticket ${n * 7} of pier ${n % 9}`);
  if (n % 17 === 5) log.warn(`${who} retries ticket ${n * 7}, attempt 2 of 5`);
  if (n % 23 === 9) log.error(new Error(`${who} lost ticket ${n * 7}`));
  if (n % 31 === 11) console.error(`(node:4711) DeprecationWarning: ${who} still calls moor(${n})`);
}
setInterval(() => {}, 1000);
"""


def pm2_run(name: str, shop: Shop) -> Iterator[Item]:
    """`pm2 logs` of four processes that log by winston; the facts are planted."""
    room = shop.room(name)
    roles = ("booking", "tides", "mailer", "gate")
    modules = os.path.join(TOOLS.npm_room(shop), "node_modules")
    apps = [
        {"name": role, "script": "app.js", "env": {"ROLE": role, "NODE_PATH": modules}, "autorestart": False}
        for role in roles
    ]
    write(os.path.join(room, "app.js"), WINSTON)
    write(os.path.join(room, "ecosystem.config.json"), json.dumps({"apps": apps}))
    env = {"PM2_HOME": os.path.join(room, "home"), "HOME": room}
    tool = TOOLS.npm_tool(shop, "pm2")
    try:
        shop.run([tool, "start", "ecosystem.config.json"], room, env=env, seconds=60)
        time.sleep(4)
        text = shop.run([tool, "logs", "--nostream", "--lines", "300"], room, env=env, seconds=60).text
    finally:
        shop.run([tool, "kill"], room, env=env, seconds=60)
    text = re.sub(r"\((?:node:|/)[^()\n]*/", "(", stripped(text, room))
    facts = each("message", [f"{one} lost ticket {n * 7}" for one in roles for n in range(60) if n % 23 == 9])
    facts += each("message", [f"{one} retries ticket {n * 7}" for one in roles for n in range(60) if n % 17 == 5])
    facts += each("message", [f"{one} still calls moor({n})" for one in roles for n in range(60) if n % 31 == 11])
    facts += each(
        "message",
        [f"{one}-{stream}.log last 300 lines" for one in roles for stream in ("out", "error")]
        + [f"[{one}] info" for one in roles],
    )
    yield made(name, LOG, "pm2 logs --nostream --lines 300", text, facts)


JSP = """<%@ page import="java.util.*" %><%!
int moor(int n) { if (n % 7 == 3) throw new IllegalStateException("pier " + n + " is closed"); if (n % 11 == 5) return List.of(1, 2).get(n); return n; }
%><% int n = Integer.parseInt(request.getParameter("n")); application.log("moored at " + moor(n)); %>ok
"""


def tomcat_run(name: str, shop: Shop) -> Iterator[Item]:
    """What Tomcat logs while pages fail; the facts are the answers of the client and what was planted."""
    shop.install("tomcat10-instance-create", "tomcat10-user")
    room, port = shop.room(name), free_port()
    shop.run(["tomcat10-instance-create", "-p", str(port), "-c", str(free_port()), "base"], room).check()
    write(os.path.join(room, "base", "webapps", "ROOT", "moor.jsp"), JSP)
    write(
        os.path.join(room, "base", "webapps", "broken", "WEB-INF", "web.xml"),
        "<web-app><servlet><servlet-name>gull</servlet-name></servlet></web-app>",
    )
    settings = os.path.join(room, "base", "conf", "logging.properties")
    write(settings, re.sub(r"(\[localhost\]\.handlers = \S+)", r"\1, java.util.logging.ConsoleHandler", read(settings)))
    command = ["/usr/share/tomcat10/bin/catalina.sh", "run"]
    env = shop.environment() | {"CATALINA_BASE": os.path.join(room, "base"), "JAVA_OPTS": "-Xmx300m"}
    paths = [f"/moor.jsp?n={'rope' if n % 17 == 8 else n}{n if n % 17 == 8 else ''}" for n in range(40)]
    with running(command, room, lambda: listens(port), env) as log:
        time.sleep(2)
        answers = asked(port, paths)
        time.sleep(1)
    text = read(log).replace(room, "/srv").replace(str(port), "8080")
    bad = [path for path, status in answers.items() if status >= 500]
    numbers = [int(path.split("=")[1]) for path in bad if path.split("=")[1].isdigit()]
    facts = each(
        "message",
        [f"pier {n} is closed" for n in numbers if n % 7 == 3]
        + [f'For input string: "rope{n}"' for n in range(40) if n % 17 == 8],
    )
    facts += each(
        "message", (f"IndexOutOfBoundsException: Index: {n} Size: 2" for n in numbers if n % 11 == 5 and n % 7 != 3)
    )
    facts += matches(
        text,
        r" (?:SEVERE|WARNING) \[\S+\] (.{,90})",
        r"^(Caused by: .{,70})",
        r"Server startup in .*? milliseconds",
        r"Server version name: +(.*)",
        r"Deploying web application directory \[\S+\]",
    )
    yield made(name, LOG, "catalina.sh run", text, facts, least=0.7)


TABLES = "create table pier (id int primary key, name text not null unique, depth numeric check (depth > 0)); create table trip (id serial primary key, pier int references pier, aboard int, note text);"


def badger_run(name: str, shop: Shop) -> Iterator[Item]:
    """What pgbadger makes of a server's log, as text; the facts are planted mistakes, statements, and its sums."""
    shop.install("pgbadger")
    room = shop.room(name)
    settings = (
        "logging_collector=on",
        "log_min_duration_statement=0",
        "log_line_prefix=%m [%p] %q%u@%d ",
        "log_checkpoints=on",
        "log_lock_waits=on",
        "log_temp_files=0",
        "work_mem=64kB",
        "log_filename=all.log",
        "log_connections=on",
    )
    with postgres(shop, room, *settings) as ask:
        ask("-c", TABLES)
        for n in range(12):
            ask("-c", f"insert into pier values ({n}, 'pier {n}', {n + 1})")
            words = [
                "-c",
                f"insert into trip (pier, aboard, note) select {n}, g, repeat('x', g % 90) from generate_series(1, 3000) g",
            ]
            words += [
                "-c",
                f"select note, count(*) from trip where pier = {n} group by 1 order by 2 desc, 1",
                "-c",
                f"select * from trip order by note desc, aboard limit {n + 1}",
            ]
            words += [
                "-c",
                f"insert into pier values ({n}, 'again {n}', 1)",
                "-c",
                f"insert into pier values ({90 + n}, 'deep', -{n + 1})",
                "-c",
                f"select gull_{n} from trip",
                "-c",
                f"update ferry_{n} set x = 1",
                "-c",
                f"select 1 / ({n} - {n})",
            ]
            words += [
                "-c",
                f"update trip set aboard = aboard + {n} where id % 97 = {n}",
                "-c",
                f"select p.name, sum(t.aboard) from pier p join trip t on t.pier = p.id where p.depth > {n} group by p.name",
            ]
            for k in range(0, len(words), 2):
                ask(*words[k : k + 2])
    log = glob.glob(os.path.join(room, "log", "*"))[0]
    command = ["pgbadger", "-q", "-f", "stderr", "-p", "%m [%p] %q%u@%d ", "-o", "-"]
    text = shop.run([*command, "-x", "text", log], room).text.replace(room, "/srv")
    report = json.loads(shop.run([*command, "-x", "json", log], room, apart=True).text)
    base = next(iter(one for one in report.values() if isinstance(one, dict) and "normalyzed_info" in one), report)
    normal = base.get("normalyzed_info") or {}
    flat = [
        query for one in normal.values() for query in (one if isinstance(one, dict) and "count" not in one else [])
    ] or list(normal)
    facts = each("message", (re.sub(r"\s+", " ", query)[:60] for query in flat if len(query) > 14))
    facts += each(
        "message",
        [
            'duplicate key value violates unique constraint "pier_pkey"',
            "division by zero",
            'relation "ferry_',
            'column "gull_',
            'violates check constraint "pier_depth_check"',
        ],
    )
    facts += matches(
        text,
        r"^(?:Number of unique normalized queries|Number of queries|Total query duration|First query|Last query|Query peak|Number of events|Total number of sessions): .*",
        r"^- (.*?) -+$",
    )
    yield made(name, DATABASE, "pgbadger -x text postgresql.log", text, facts, least=0.3)


def changes_run(name: str, shop: Shop) -> Iterator[Item]:
    """What pg_recvlogical streams of changes; the facts are planted: the tables, the odd rows, the ends."""
    room = shop.room(name)
    with postgres(shop, room, "wal_level=logical") as ask:
        slot = [
            "pg_recvlogical",
            "-h",
            f"/var/tmp/quality-{os.path.basename(room)}",
            "-U",
            "postgres",
            "-d",
            "postgres",
            "--slot",
            "ferries",
        ]
        ask("-c", TABLES)
        shop.run([*slot, "--create-slot", "-P", "test_decoding"], room).check()
        for n in range(100):
            row = f"insert into pier values ({n}, 'pier {n}', {n + 1}); insert into trip (pier, aboard, note) values ({n}, {n * 37 % 411}, {'null' if n % 33 == 20 else chr(39) + 'calm' + chr(39)})"
            row += f"; update pier set depth = 0.{n + 1} where id = {n}" if n % 13 == 6 else ""
            row += f"; delete from trip where pier = {n}" if n % 21 == 8 else ""
            ask("-c", f"begin; {row}; commit")
        ask("-c", "truncate trip")
        end = ask("-At", "-c", "select pg_current_wal_lsn()").strip()
        text = shop.run([*slot, "--start", "--endpos", end, "--no-loop", "-f", "-"], room, seconds=60).text
    facts = pairs(("UPDATE", f"id[integer]:{n}", f"depth[numeric]:0.{n + 1}") for n in range(100) if n % 13 == 6)
    facts += pairs(("DELETE", f"id[integer]:{n + 1}") for n in range(100) if n % 21 == 8)
    facts += pairs((f"pier[integer]:{n}", "note[text]:null") for n in range(100) if n % 33 == 20)
    facts += each(
        "message",
        (
            "table public.trip: TRUNCATE",
            "table public.pier: INSERT",
            "table public.trip: INSERT",
            "name[text]:'pier 0'",
            "name[text]:'pier 99'",
        ),
    )
    facts += each(
        "name", [*re.findall(r"^(?:BEGIN|COMMIT) \d+", text, re.MULTILINE)[:: max(1, text.count("BEGIN") * 2 - 1)]]
    )
    yield made(name, DATABASE, "pg_recvlogical --start --slot ferries -f -", text, facts)


def models_run(name: str, shop: Shop) -> Iterator[Item]:
    """What sqlacodegen makes of a database; the facts are planted: every table and class, what refers to what, what is odd."""
    room = shop.room(name)
    facts: list[Fact] = []
    with contextlib.closing(sqlite3.connect(os.path.join(room, "ferries.db"))) as database:
        for n in range(34):
            odd = f", tide_{n} numeric(9, {n % 7 + 1}) default {n}" if n % 8 == 3 else ""
            refers = f", harbour_{n - 3} integer references harbour_log_{n - 3}(id)" if n % 4 == 3 else ""
            database.execute(
                f"create table harbour_log_{n} (id integer primary key, name varchar({20 + n}) not null, sailed datetime, aboard integer check (aboard < {400 + n}){odd}{refers}, unique (name, sailed))"
            )
            database.execute(f"create index ix_sailed_{n} on harbour_log_{n} (sailed)")
            facts += [Fact("name", (f"harbour_log_{n}",)), Fact("name", (f"HarbourLog{n}",))]
            facts += each(
                "message",
                [f"Numeric(9, {n % 7 + 1})"] * bool(odd) + [f"ForeignKey('harbour_log_{n - 3}.id')"] * bool(refers),
            )
            facts += each("name", [f"tide_{n}"] * bool(odd))
    text = shop.run([TOOLS.python_tool(shop, "sqlacodegen"), "sqlite:///ferries.db"], room).text
    yield made(
        name,
        DATABASE,
        "sqlacodegen sqlite:///ferries.db",
        text,
        [*facts, *each("name", ("DeclarativeBase", "UniqueConstraint", "CheckConstraint"))],
    )


RECIPES = recipes(
    ("pino-ferries", pino_run),
    ("pm2-logs", pm2_run),
    ("tomcat-moor", tomcat_run),
    ("pgbadger-piers", badger_run),
    ("pg-recvlogical-piers", changes_run),
    ("sqlacodegen-harbour", models_run),
)
