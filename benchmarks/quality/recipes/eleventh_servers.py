"""Logs of servers and what tools of databases say, on loopback or a socket; what goes wrong is planted, or told by the answers that the client got."""

import glob
import os
import re
import socket
import subprocess
import time
from collections.abc import Iterator

from items import Fact, Item
from shop import CannotMake, Shop

from recipes.databases import as_user, mariadb, postgres, running
from recipes.eleventh_tools import TOOLS
from recipes.held_linters import read
from recipes.held_servers import free_port, listens
from recipes.held_suites import write
from recipes.tenth_servers import asked
from recipes.tenth_tools import each, made, matches, pairs, recipes, stripped, venv_path

LOG, DATABASE = "server log", "database"

APPLICATION = """
def pier(n):
    if n % 17 == 5: raise KeyError("rope of pier %d" % n)
    if n % 23 == 9: raise RuntimeError("tide at pier %d is %d cm too low" % (n, n * 3))
    return b"ok"

class Application:
    async def __call__(self, scope, receive, send):
        if scope["type"] != "http": return
        n = int(scope["path"].rsplit("/", 1)[1])
        body = pier(n)
        status = 404 if n % 13 == 7 else 503 if n == 88 else 200
        await send({"type": "http.response.start", "status": status, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": body})

app = Application()

def wsgi(environ, start):
    n = int(environ["PATH_INFO"].rsplit("/", 1)[1])
    if n % 31 == 12: print("pier %d: lamp is out, going on" % n, flush=True)
    body = pier(n)
    start("404 Not Found" if n % 13 == 7 else "200 OK", [("Content-Length", "2")])
    return [body]
"""


def faults(count: int) -> list[Fact]:
    """What the application throws while it is asked so often."""
    ropes = [n for n in range(count) if n % 17 == 5]
    return each(
        "message",
        [f"KeyError: 'rope of pier {n}'" for n in ropes]
        + [f"tide at pier {n} is {n * 3} cm too low" for n in range(count) if n % 23 == 9 and n not in ropes],
    )


def daphne_run(name: str, shop: Shop) -> Iterator[Item]:
    """What daphne logs while an application fails; the facts are the answers of the client, and what was thrown."""
    room, port = shop.room(name), free_port()
    write(os.path.join(room, "ferries.py"), APPLICATION)
    env = shop.environment() | venv_path(TOOLS, shop) | {"PYTHONPATH": room}
    with running(
        [TOOLS.python_tool(shop, "daphne"), "-p", str(port), "-v", "2", "ferries:app"], room, lambda: listens(port), env
    ) as log:
        answers = asked(port, [f"/piers/{n}" for n in range(120)])
        time.sleep(1)
    text = re.sub(r"/\S*?/(?=site-packages)", "/srv/venv/", stripped(read(log), room)).replace(str(port), "8000")
    text = re.sub(
        r"127\.0\.0\.1:\d{5}",
        "127.0.0.1:51234",
        re.sub(r"20\d\d-\d\d-\d\d \d\d:\d\d:(\d\d),\d+", r"2026-11-19 10:00:\1,123", text),
    )
    facts = [*faults(120), *pairs((path, status) for path, status in answers.items() if status in {404, 503})]
    facts += [*each("message", ("Starting server at", "Listening on TCP address")), *matches(text, r"^\S+Error(?=:)")]
    yield made(name, LOG, "daphne ferries:app", text, facts, least=0.7)


def uwsgi_run(name: str, shop: Shop) -> Iterator[Item]:
    """What uWSGI logs while an application fails; the facts are the answers of the client, what was thrown and printed, and how it was started."""
    shop.install("uwsgi", "uwsgi-core", "uwsgi-plugin-python3")
    room, port = shop.room(name), free_port()
    write(os.path.join(room, "ferries.py"), APPLICATION)
    command = [
        "uwsgi",
        "--plugin",
        "python3",
        "--http-socket",
        f"127.0.0.1:{port}",
        "--master",
        "--processes",
        "2",
        "--wsgi-file",
        "ferries.py",
        "--callable",
        "wsgi",
        "--need-app",
        "--die-on-term",
    ]
    with running(command, room, lambda: listens(port), shop.environment()) as log:
        answers = asked(port, [f"/piers/{n}" for n in range(90)])
        time.sleep(1)
    text = stripped(read(log), room).replace(str(port), "8000")
    text = re.sub(
        r"\bpid: \d+",
        "pid: 4711",
        re.sub(
            r"in \d+ msecs",
            "in 1 msecs",
            re.sub(r"\[\w{3} \w{3} \d+ [\d:]+ 2026\]", "[Thu Nov 19 10:00:00 2026]", text),
        ),
    )
    facts = [*faults(90), *each("message", (f"pier {n}: lamp is out, going on" for n in range(90) if n % 31 == 12))]
    facts += pairs((path, "404") for path, status in answers.items() if status == 404)
    facts += matches(
        text,
        r"^\*\*\* (?:Starting|Operational|WARNING).*?\*\*\*",
        r"^spawned .*?(?= \()",
        r"^your (?:memory page size|server socket).*",
        r"^WSGI app 0 .*? ready",
    )
    yield made(name, LOG, "uwsgi --http-socket :8000 --wsgi-file ferries.py", text, facts, least=0.7)


def pool_run(name: str, shop: Shop) -> Iterator[Item]:
    """What pgbouncer logs while clients fail; the facts are planted: who was refused and why, what was reloaded, the first and last words."""
    shop.install("pgbouncer")
    room, port = shop.room(name), free_port()
    with postgres(shop, room) as ask:
        wire = f"/var/tmp/quality-{os.path.basename(room)}"
        for n in range(6):
            ask("-c", f"create role keeper_{n} login")
        write(os.path.join(wire, "users.txt"), "".join(f'"keeper_{n}" ""\n' for n in range(6)))
        write(
            os.path.join(wire, "pool.ini"),
            f"[databases]\nferries = host={wire} dbname=postgres\nlost = host={wire} dbname=lost\n[pgbouncer]\nlisten_port = {port}\nlisten_addr = 127.0.0.1\nauth_type = trust\nauth_file = {wire}/users.txt\nunix_socket_dir =\nadmin_users = keeper_0\nmax_client_conn = 20\ndefault_pool_size = 2\nlog_stats = 1\nstats_period = 2\n",
        )
        shop.run(["chmod", "-R", "a+rX", wire], room)
        with running(
            as_user("postgres", "pgbouncer", f"{wire}/pool.ini"), room, lambda: listens(port), shop.environment()
        ) as log:
            for n in range(34):
                who, where = (
                    (f"gull_{n}", "ferries")
                    if n % 7 == 4
                    else (f"keeper_{n % 6}", "lost" if n % 11 == 6 else f"pier_{n}" if n % 13 == 8 else "ferries")
                )
                subprocess.run(
                    ["psql", "-h", "127.0.0.1", "-p", str(port), "-U", who, "-d", where, "-X", "-c", "select 1"],
                    env=shop.environment(),
                    capture_output=True,
                    check=False,
                )
            for words in ("reload", "pause ferries", "resume ferries", "show nothing"):
                subprocess.run(
                    [
                        "psql",
                        "-h",
                        "127.0.0.1",
                        "-p",
                        str(port),
                        "-U",
                        "keeper_0",
                        "-d",
                        "pgbouncer",
                        "-X",
                        "-c",
                        words,
                    ],
                    env=shop.environment(),
                    capture_output=True,
                    check=False,
                )
            time.sleep(3)
    text = read(log).replace(wire, "/run/ferries").replace(str(port), "6432")
    text = re.sub(
        r"^2026-\d\d-\d\d [\d:]+(\.\d+) UTC \[\d+\]", r"2026-11-19 10:00:00\1 UTC [4711]", text, flags=re.MULTILINE
    )
    text = re.sub(r"0x[0-9a-f]+", "0x55d0c0ffee10", re.sub(r"127\.0\.0\.1:[1-9]\d{4}", "127.0.0.1:51234", text))
    facts = [
        *each("message", (f"no such user: gull_{n}" for n in range(34) if n % 7 == 4)),
        *each(
            "message", (f"no such database: pier_{n}" for n in range(34) if n % 13 == 8 and n % 7 != 4 and n % 11 != 6)
        ),
    ]
    facts += [
        *each("message", (f"ferries/keeper_{n}@" for n in range(6))),
        *matches(
            text,
            r"LOG ((?:kernel|process|listening|stats: 0|RELOAD|PAUSE|RESUME|server login).{,50})",
        ),
        *each("message", ('database "lost" does not exist',)),
        *pairs(re.findall(r"WARNING \S+ \S+?/(\w+)@\S+ (pooler error: .{,60})$", text, re.MULTILINE)),
    ]
    yield made(name, LOG, "pgbouncer pool.ini", text, facts, least=0.6)


def privoxy_run(name: str, shop: Shop) -> Iterator[Item]:
    """What privoxy logs of requests, some of which it refuses; the facts are planted: every host that is blocked, what cannot be reached, the odd requests."""
    shop.install("privoxy")
    room, port, dead = shop.room(name), free_port(), free_port()
    write(
        os.path.join(room, "ferries.action"),
        "{+block{gulls are not wanted}}\n.gull.example\n.ads.\n{+redirect{s@old@new@}}\nold.pier.example\n",
    )
    write(
        os.path.join(room, "config"),
        f"confdir {room}\nlogdir {room}\nactionsfile ferries.action\nlisten-address 127.0.0.1:{port}\ndebug 1\ndebug 512\ndebug 1024\ndebug 4096\ndebug 8192\ndebug 2\ndebug 64\n",
    )
    with running(["privoxy", "--no-daemon", "config"], room, lambda: listens(port), shop.environment()) as log:
        for n in range(130):
            host = (
                f"n{n}.gull.example"
                if n % 12 == 5
                else f"ads.pier{n}.example"
                if n % 31 == 8
                else "old.pier.example"
                if n % 27 == 2
                else f"127.0.0.1:{dead}"
            )
            verb = (
                "GOPHER / HTTP/1.1"
                if n % 43 == 20
                else f"{'POST' if n % 37 == 15 else 'GET'} http://{host}/piers/{n} HTTP/1.1"
            )
            with socket.create_connection(("127.0.0.1", port), timeout=10) as wire:
                wire.sendall(f"{verb}\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
                while wire.recv(4096):
                    pass
    text = re.sub(
        r"^2026-\S+ [\d:.]+ [0-9a-f]+",
        "2026-11-19 10:00:00.123 7f00",
        read(log).replace(room, "/etc/privoxy").replace(str(port), "8118").replace(str(dead), "8080"),
        flags=re.MULTILINE,
    )
    text = text.replace(time.strftime("%d/%b/%Y"), "19/Nov/2026")
    facts = each(
        "message",
        [f"n{n}.gull.example/piers/{n}" for n in range(130) if n % 12 == 5 and n % 43 != 20]
        + [f"ads.pier{n}.example" for n in range(130) if n % 31 == 8 and n % 43 != 20 and n % 12 != 5],
    )
    facts += [
        *matches(
            text, r"(?:Error|Fatal|Info): (.{,40})", r"(Redirect: .{,60})", r"(gulls are not wanted)", r'("GOPHER .*?")'
        )
    ]
    yield made(name, LOG, "privoxy --no-daemon config", text, facts, least=0.6)


TABLE = "create table pier_{n} (id int primary key, name text, depth numeric) with (autovacuum_enabled = off); insert into pier_{n} select g, repeat('rope ', g % 40), g from generate_series(1, {rows}) g; create index tide_{n} on pier_{n} (name); {more}"


def vacuum_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `vacuumdb --verbose --analyze` says; the facts are planted: every table, how many rows were removed from those that had dead ones, the sums."""
    room, facts = shop.room(name), list[Fact]()
    with postgres(shop, room) as ask:
        for n in range(14):
            gone = 100 * n + 7 if n % 3 == 1 else 0
            ask(
                "-c",
                TABLE.format(n=n, rows=2000 + n * 50, more=f"delete from pier_{n} where id <= {gone};" if gone else ""),
            )
            facts += each(
                "message",
                [f'"postgres.public.pier_{n}"', f"public.pier_{n}"]
                + [f"{gone} removed, {2000 + n * 50 - gone} remain"] * bool(gone)
                + [f'index "tide_{n}"'] * bool(gone),
            )
        flags = [word for n in range(14) for word in ("-t", f"pier_{n}")]
        text = shop.run(
            [
                "vacuumdb",
                "-h",
                f"/var/tmp/quality-{os.path.basename(room)}",
                "-U",
                "postgres",
                "-d",
                "postgres",
                "--verbose",
                "--analyze",
                *flags,
            ],
            room,
        ).text
    text = re.sub(r"elapsed: [\d.]+ s", "elapsed: 0.01 s", text)
    yield made(
        name,
        DATABASE,
        "vacuumdb --verbose --analyze",
        text,
        [*facts, *matches(text, r"^WARNING: .*", r"^vacuumdb: .*")],
        least=0.7,
    )


def amcheck_run(name: str, shop: Shop) -> Iterator[Item]:
    """What pg_amcheck says of a damaged database; the facts are planted: every table and index that was damaged, and what it says of each."""
    room = shop.room(name)
    with postgres(shop, room, "autovacuum=off", "shared_buffers=256kB") as ask:
        ask("-c", "create extension amcheck")
        for n in range(26):
            ask("-c", TABLE.format(n=n, rows=1500 + n, more=""))
        ask("-c", "checkpoint")
        paths = {
            f"{kind}_{n}": ask("-At", "-c", f"select pg_relation_filepath('{kind}_{n}')").strip()
            for n in range(26)
            for kind in ("pier", "tide")
        }
        base = f"/var/tmp/quality-{os.path.basename(room)}/base"
        hurt = [f"pier_{n}" for n in range(26) if n % 3 == 1] + [f"tide_{n}" for n in range(26) if n % 4 == 2]
        for at, one in enumerate(hurt):
            with open(os.path.join(base, paths[one]), "r+b") as file:
                for line in range(9):
                    file.seek(8192 * (at % 3 + 1) + 24 + line * 4)
                    file.write(bytes([line * 29 % 256, 0x9F, 0x3C, 1]))
        text = shop.run(
            [
                max(glob.glob("/usr/lib/postgresql/*/bin/pg_amcheck"), default="pg_amcheck"),
                "-h",
                os.path.dirname(base),
                "-U",
                "postgres",
                "-d",
                "postgres",
                "--heapallindexed",
            ],
            room,
            seconds=120,
        ).text
    said = re.findall(r"^(?:heap table|btree index) \"postgres\.public\.(\w+)\"", text, re.MULTILINE)
    if not said:
        raise CannotMake(text[:300])
    facts = [
        *each("name", said),
        *each("message", re.findall(r"public\.\w+\", block \d+", text)),
        *matches(
            text,
            r"^ +(?:ERROR: )? *(?:line pointer|tuple|item|high key|invalid|page|cross|down-link|WARNING).{,60}",
            r"^ +ERROR: +.{,60}",
        ),
    ]
    yield made(name, DATABASE, "pg_amcheck -d postgres --heapallindexed", text, facts)


def binlog_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `mariadb-binlog -vv` tells of a day; the facts are planted: every change that is unlike the others, what was made and dropped, the ends."""
    with mariadb(name, shop, "--log-bin=tides", "--binlog-format=ROW", "--server-id=7") as (wire, ask):
        ask(
            "create database ferries; use ferries; create table trip (id int primary key, pier varchar(20), aboard int)"
        )
        for n in range(60):
            query = f"insert into ferries.trip values ({n}, 'pier {n % 9}', {n * 7 % 400})"
            query += f"; update ferries.trip set aboard = -{n} where id = {n}" if n % 13 == 6 else ""
            query += f"; delete from ferries.trip where id = {n - 2}" if n % 17 == 9 else ""
            query += f"; alter table ferries.trip add column rope_{n} int" if n in {20, 44} else ""
            ask(query if n < 21 else query.replace("values (", "(id, pier, aboard) values ("))
        ask("flush binary logs; drop table ferries.trip")
        text = shop.run(
            [
                "mariadb-binlog",
                "-vv",
                "--base64-output=decode-rows",
                os.path.join(os.path.dirname(wire), "base", "tides.000001"),
            ],
            shop.room(name),
        ).text
    text = re.sub(
        r"#26\d{4} +[\d:]+", "#261119 10:00:00", re.sub(r"SET TIMESTAMP=\d+", "SET TIMESTAMP=1795082400", text)
    )
    facts = [Fact("message", (f"###   @3=-{n} ",)) for n in range(60) if n % 13 == 6]
    facts += each(
        "message",
        (
            "### UPDATE `ferries`.`trip`",
            "### DELETE FROM `ferries`.`trip`",
            "### INSERT INTO `ferries`.`trip`",
            "create table trip",
            "create database ferries",
            "add column rope_20",
            "add column rope_44",
            "Rotate to tides.000002",
        ),
    )
    facts += each("message", (f"###   @1={n - 2} /*" for n in range(60) if n % 17 == 9))
    yield made(name, DATABASE, "mariadb-binlog -vv tides.000001", text, facts, least=0.7)


SLOW = """# Time: 261119 10:{second:02d}:{k:02d}
# User@Host: keeper_{role}[keeper_{role}] @ deck{deck} []
# Query_time: {took}.25  Lock_time: 0.{k:03d}  Rows_sent: {k}  Rows_examined: {rows}
SET timestamp={stamp};
{statement};"""


def slow_run(name: str, shop: Shop) -> Iterator[Item]:
    """What mysqldumpslow makes of a log; the facts are planted: every statement with how often it was slow, who asked, the slowest."""
    shop.install("mysqldumpslow", "mariadb-server")
    room, lines = (
        shop.room(name),
        [
            "/usr/sbin/mariadbd, Version: 10.11.6-MariaDB (Debian 12). started with:\nTcp port: 3306  Unix socket: /run/mysqld/mysqld.sock\nTime\t\t    Id Command\tArgument"
        ],
    )
    for n in range(70):
        statement = (
            f"SELECT rope_{n}, tide FROM piers_{n % 9} WHERE keeper = {{k}} AND note LIKE 'x{{k}}' ORDER BY deck_{n} LIMIT {{k}}",
            f"UPDATE ferry_{n} SET aboard = {{k}} WHERE id = {{k}} AND crew_{n % 5} > 3",
            f"DELETE FROM log_{n} WHERE day < '2026-0{{k}}'",
        )[n % 3]
        lines += [
            SLOW.format(
                n=n,
                k=k,
                second=n % 60,
                role=n % 6,
                deck=n % 4,
                took=n * k % 97 + (800 if n == 41 else 0),
                rows=n * 999,
                stamp=1795082400 + n,
                statement=statement.format(k=k),
            )
            for k in range(1, n * 5 % 13 + 2)
        ]
    write(os.path.join(room, "slow.log"), "\n".join(lines) + "\n")
    text = shop.run(["mysqldumpslow", "-s", "t", "slow.log"], room).text
    rows = re.findall(r"^Count: (\d+)  Time=(\S+)s.*$\n(.*)$", text, re.MULTILINE)
    facts = [
        *each("message", (row[2].strip()[:70] for row in rows)),
        *matches(text, r"^(Count: \d+  Time=[89]\d\d\.\S+s)"),
        *each("message", re.findall(r"keeper_\d\[keeper_\d\]@deck\d", text)),
    ]
    yield made(name, DATABASE, "mysqldumpslow -s t slow.log", text, facts)


RECIPES = recipes(
    ("daphne-ferries", daphne_run),
    ("uwsgi-ferries", uwsgi_run),
    ("pgbouncer-ferries", pool_run),
    ("privoxy-ferries", privoxy_run),
    ("vacuumdb-piers", vacuum_run),
    ("pg-amcheck-piers", amcheck_run),
    ("mariadb-binlog-trips", binlog_run),
    ("mysqldumpslow-ferries", slow_run),
)
