"""Databases: PostgreSQL, MariaDB and Redis, each started for this on loopback or a socket."""

import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from items import Fact, Item
from reports import said_in
from shop import CannotMake, Shop

from recipes.tables import row_facts

DATABASE = "database"


@contextmanager
def running(command: list[str], room: str, ready: Callable[[], bool], env: dict[str, str]) -> Iterator[str]:
    """A server as long as it is needed; yields the path of what it logs."""
    log = os.path.join(room, "server.log")
    with open(log, "wb") as out:
        server = subprocess.Popen(
            command, cwd=room, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=env, start_new_session=True
        )
    try:
        for _ in range(300):
            if ready():
                break
            time.sleep(0.1)
        else:
            raise CannotMake(f"{command[0]} did not come up")
        yield log
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(60)


def as_user(user: str, *command: str) -> list[str]:
    """Servers that refuse to run as root run as the user of their package."""
    return ["runuser", "-u", user, "--", *command] if os.geteuid() == 0 else list(command)


@contextmanager
def postgres(shop: Shop, room: str, *settings: str) -> Iterator[Callable[..., str]]:
    """A PostgreSQL of its own; yields what asks it by `psql`."""
    shop.install("psql", "postgresql")
    found = shutil.which("postgres") or max(
        (
            os.path.join(folder, "postgres")
            for folder, _, names in os.walk("/usr/lib/postgresql")
            if "postgres" in names
        ),
        default="",
    )
    if not found:
        raise CannotMake("there is no postgres here")
    bins, data = os.path.dirname(found), os.path.join("/var/tmp", f"quality-{os.path.basename(room)}")
    shutil.rmtree(data, ignore_errors=True)
    os.makedirs(data)
    shutil.chown(data, "postgres", "postgres")
    try:
        made = shop.run(
            as_user("postgres", f"{bins}/initdb", "-D", f"{data}/base", "-U", "postgres", "-A", "trust"), data
        )
        made.check()
        flags = [
            word for one in ("listen_addresses=", f"unix_socket_directories={data}", *settings) for word in ("-c", one)
        ]
        command = as_user("postgres", f"{bins}/postgres", "-D", f"{data}/base", *flags)
        ask = ["psql", "-h", data, "-U", "postgres", "-X", "-q"]

        def asked(*words: str) -> str:
            return shop.run([*ask, *words], room).text

        def ready() -> bool:
            return shop.run([*ask, "-c", "select 1"], room).status == 0

        with running(command, data, ready, shop.environment()):
            yield asked
            shutil.copytree(f"{data}/base/log", f"{room}/log") if os.path.isdir(f"{data}/base/log") else None
    finally:
        shutil.rmtree(data, ignore_errors=True)


def psql_settings(name: str, shop: Shop) -> Iterator[Item]:
    """The settings of a server as records, one below another; the facts, asked in JSON, are names and what was changed."""
    with postgres(shop, shop.room(name), "work_mem=7MB", "random_page_cost=1.3") as ask:
        ask("-c", "alter system set shared_buffers = '133MB'", "-c", "select pg_reload_conf()")
        time.sleep(1)
        query = "select name, setting, unit, category, context, vartype, source, min_val, max_val, boot_val, pending_restart from pg_settings"
        text = ask("-x", "-c", query)
        rows = json.loads(ask("-At", "-c", f"select json_agg(x) from ({query}) x"))
    odd = [row for row in rows if row["source"] not in {"default", "override", "client"} or row["pending_restart"]]
    facts = [Fact("name", (one,)) for one in rows[0]] + [Fact("name", (row["name"],)) for row in odd]
    facts += [
        Fact("name", (value,)) for key in ("context", "vartype", "source") for value in {row[key] for row in rows}
    ]
    facts += [Fact("message", (value,)) for value in {row["category"] for row in rows}]
    facts += [Fact("name", (row["name"],)) for row in rows]
    yield Item(name, DATABASE, "text", "psql -x", text, said_in(facts, text))


PARTS = """create table event (id bigint, at date, kind text, note text) partition by range (at);
do $$ begin for n in 0..35 loop
  execute format('create table event_%s partition of event for values from (%L) to (%L)', n, date '2022-01-01' + n * 30, date '2022-01-31' + n * 30);
  execute format('insert into event_%s select i, date %L + n, chr(97 + i %% 7), repeat(''x'', 20) from generate_series(1, %s) i, (select %s as n) s', n, date '2022-01-01', case when n = 23 then 90000 else 700 end, n * 30);
  if n <> 23 then execute format('create index on event_%s (kind, id)', n); end if;
end loop; end $$;
analyze;
"""


def psql_plan(name: str, shop: Shop) -> Iterator[Item]:
    """How a query over three dozen partitions ran, one of them large and without an index; the facts are the plan in JSON."""
    query = "select kind, count(*), max(length(note)) from (select * from event where kind in ('b', 'f') order by note, id desc) e group by kind"
    with postgres(shop, shop.room(name), "work_mem=1MB", "max_parallel_workers_per_gather=0") as ask:
        ask("-c", PARTS)
        text = ask("-c", f"explain (analyze, verbose, buffers) {query}")
        plan = json.loads(ask("-At", "-c", f"explain (analyze, verbose, format json) {query}"))[0]["Plan"]
    facts = []
    for node in _nodes(plan):
        facts.append(Fact("message", (node["Node Type"],)))
        facts += [Fact("name", (node[key],)) for key in ("Relation Name", "Index Name") if key in node]
        if node.get("Rows Removed by Filter", 0) > 9_000:
            facts += [Fact("message", (f"Rows Removed by Filter: {node['Rows Removed by Filter']}",))]
            facts += [Fact("odd", (), (node["Node Type"], node["Relation Name"]))]
        facts += [Fact("message", (f"Sort Method: {node['Sort Method']}",))] if "Sort Method" in node else []
    facts += [Fact("message", (one,)) for one in ("Planning Time:", "Execution Time:")]
    yield Item(name, DATABASE, "text", "psql explain analyze", text, said_in(facts, text))


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for one in plan.get("Plans", ()):
        yield from _nodes(one)


@contextmanager
def mariadb(name: str, shop: Shop, *settings: str) -> Iterator[tuple[str, Callable[..., str]]]:
    """A server on a socket; the socket, and how to ask it: in batch mode, unless another way is named."""
    shop.install("mariadbd", "mariadb-server")
    data = f"/var/tmp/quality-{name}"
    shutil.rmtree(data, ignore_errors=True)
    os.makedirs(data)
    shutil.chown(data, "mysql", "mysql")
    try:
        shop.run(["mariadb-install-db", "--user=mysql", f"--datadir={data}/base", "--skip-test-db"], data)
        wire = f"{data}/wire"
        flags = [f"--datadir={data}/base", f"--socket={wire}", "--skip-networking", "--pid-file=pid", "--user=mysql"]
        command = ["mariadb", f"--socket={wire}", "-u", "root"]

        def ask(query: str, way: str = "-B") -> str:
            return shop.run([*command, way, "-e", query], data).text

        def ready() -> bool:
            return shop.run([*command, "-e", "select 1"], data).status == 0

        with running(["mariadbd", "--no-defaults", *flags, *settings], data, ready, shop.environment()):
            yield wire, ask
    finally:
        shutil.rmtree(data, ignore_errors=True)


def mariadb_tables(name: str, query: str, key: str, shop: Shop) -> Iterator[Item]:
    """What MariaDB answers in a drawn table; the facts, from the same rows in batch mode, are columns and odd rows."""
    with mariadb(name, shop) as (_, ask):
        text = ask(query, "-t")
        parted = ask(query).splitlines()
    names = parted[0].split("\t")
    rows = [dict(zip(names, line.split("\t"), strict=False)) for line in parted[1:]]
    if len(names) > 2:
        facts = row_facts(rows, key) + [Fact("name", (row[key],)) for row in rows]
    else:
        facts = [Fact("name", (one,)) for one in names]
        facts += [
            Fact("odd", (), tuple(row.values())) for row in rows if list(row.values())[-1] not in {"0", "", "OFF"}
        ]
    yield Item(name, DATABASE, "text", "mariadb -t", text, said_in(facts, text))


def redis_monitor(name: str, shop: Shop) -> Iterator[Item]:
    """What redis-cli sees of two thousand commands, some of which somebody should not have sent; the facts are these."""
    shop.install("redis-server")
    shop.install("redis-cli", "redis-tools")
    room = shop.room(name)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    ask = ["redis-cli", "-p", port]

    def ready() -> bool:
        return shop.run([*ask, "ping"], room).text.startswith("PONG")

    odd = {311: "KEYS *", 640: "RENAME item:636 item:spare", 902: "SORT queue LIMIT 0 5 ALPHA", 1203: "FLUSHDB", 1500: "HSET user:1500 name x",
           1777: "EVAL return(1) 0", 1888: "SCRIPT FLUSH", 1950: "GET session:secret:9"}  # fmt: skip
    kinds = ("SET item:{0} {0}", "GET item:{0}", "INCR hits", "EXPIRE item:{0} 60", "LPUSH queue job-{0}", "RPOP queue")
    command = [
        "redis-server",
        "--port",
        port,
        "--bind",
        "127.0.0.1",
        "--save",
        "",
        "--dir",
        room,
    ]
    with running(command, room, ready, shop.environment()), open(os.path.join(room, "seen"), "wb") as out:
        watch = subprocess.Popen([*ask, "monitor"], stdout=out, env=shop.environment())
        time.sleep(1)
        lines = [odd.get(number, kinds[number % len(kinds)].format(number)) for number in range(2_000)]
        subprocess.run(ask, input="\n".join(lines).encode(), stdout=subprocess.DEVNULL, check=False, timeout=60)
        time.sleep(1)
        watch.terminate()
        watch.wait(20)
    with open(os.path.join(room, "seen"), encoding="utf-8") as file:
        text = file.read()
    facts = [Fact("odd", (), tuple(word for word in line.split() if word != "*")) for line in odd.values()]
    facts += [Fact("name", (kind.split()[0],)) for kind in kinds]
    yield Item(name, DATABASE, "text", "redis-cli monitor", text, said_in(facts, text))


RECIPES = {
    "psql-settings": partial(psql_settings, "psql-settings"),
    "psql-plan": partial(psql_plan, "psql-plan"),
    "mariadb-status": partial(mariadb_tables, "mariadb-status", "show global status", "Variable_name"),
    "mariadb-columns": partial(
        mariadb_tables, "mariadb-columns",
        "select table_name, column_name, data_type, is_nullable, column_key from information_schema.columns where table_schema = 'mysql'",
        "column_name",
    ),
    "redis-monitor": partial(redis_monitor, "redis-monitor"),
}  # fmt: skip
