"""Databases, server logs, checkers of data and source files that nobody tunes on; the facts are planted or asked for again."""

import json
import os
import re
import shutil
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.databases import mariadb
from recipes.fifth_linters import tool_of
from recipes.fifth_suites import last_words
from recipes.held_linters import read
from recipes.held_suites import write

DATABASE, SERVER, DATA, CODE = "database", "server log", "data check", "source code"


def tables_of() -> str:
    """Statements that make twenty tables, a view, a trigger and rows of which one is unlike the others."""
    lines = ["create database shelves; use shelves;"]
    for number in range(20):
        lines.append(
            f"create table area_{number} (id int primary key auto_increment, door_{number} varchar(30) not null default 'shut', "
            f"weight decimal(9,2), opened datetime null, key by_weight_{number} (weight));"
        )
        rows = ", ".join(f"('door {one}', {one * 3.5})" for one in range(160))
        lines.append(f"insert into area_{number} (door_{number}, weight) values {rows};")
    lines += [
        "insert into area_7 (door_7, weight) values ('stuck', 99999.5);",
        "create view heavy as select * from area_3 where weight > 50;",
        "create trigger weigh before insert on area_4 for each row set new.weight = abs(new.weight);",
    ]
    return "\n".join(lines)


def dump_run(name: str, shop: Shop) -> Iterator[Item]:
    """`mariadb-dump`; the facts are what the server's own schema lists: tables, columns, keys, views, triggers, odd rows."""
    with mariadb(name, shop) as (wire, ask):
        ask(tables_of())
        command = ["mariadb-dump", f"--socket={wire}", "-u", "root", "--skip-dump-date", "--databases", "shelves"]
        text = shop.run([*command, "--routines", "--triggers"], shop.root).text
        columns = ask("select table_name, column_name from information_schema.columns where table_schema='shelves'")
        keys = ask("select distinct index_name from information_schema.statistics where table_schema='shelves'")
    facts = [Fact("message", (f"`{one}`",)) for one in dict.fromkeys(re.findall(r"\w+", columns)) if one in text]
    facts += [Fact("message", (f"`{one}`",)) for one in keys.split()[1:] if one != "PRIMARY"]
    facts += [
        Fact("message", (one,))
        for one in ("'stuck',99999.50", "CREATE DATABASE", "TRIGGER", "ENGINE=InnoDB", "abs(new.weight)")
    ]
    yield Item(name, DATABASE, "text", "mariadb-dump --databases shelves", text, said_in(facts, text))


def digest_run(name: str, shop: Shop) -> Iterator[Item]:
    """`pt-query-digest` of a slow log; the facts are those of its JSON: every class of queries, its count, its tables."""
    shop.install("pt-query-digest", "percona-toolkit")
    room = shop.room(name)
    log = f"/var/tmp/quality-{name}/slow.log"
    with mariadb(name, shop, "--slow-query-log=1", f"--slow-query-log-file={log}", "--long-query-time=0") as (_, ask):
        ask(tables_of())
        for number in range(20):
            asked = f"use shelves; select max(weight) from area_{number};" * (number + 1)
            ask(
                f"{asked} update area_{number} set opened = now() where id = {number + 1}; select sleep(0.2);"
                if number == 13
                else asked
            )
        shutil.copy(log, os.path.join(room, "slow.log"))
    command = ["pt-query-digest", "--limit", "18", "slow.log"]
    text = shop.run(command, room).text
    report = json.loads(shop.run([*command[:-1], "--output", "json", "slow.log"], room, apart=True).text)
    facts = last_words(text, r"^# Overall: .*")
    for row in report["classes"]:
        facts += [Fact("message", (row["checksum"],))]
        facts += [Fact("message", (row["distillate"],))]
    facts += [Fact("name", (f"select max(weight) from area_{number}",)) for number in range(20)]
    yield Item(name, DATABASE, "text", "pt-query-digest slow.log", text, said_in(facts, text))


TASKS = """from celery import Celery
app = Celery("shelves", broker="memory://", backend="cache+memory://")
app.conf.update(task_always_eager=False, worker_hijack_root_logger=True)

@app.task(bind=True, max_retries=2, default_retry_delay=0)
def weigh(self, n):
    if n % 19 == 6:
        raise ValueError(f"scales of shelf {n} are broken")
    if n % 29 == 11:
        raise self.retry(exc=KeyError(f"label of shelf {n}"))
    return n * 3

@app.task
def pack(n):
    return f"packed {n}"
"""
CELERY = """import threading, time, os, signal
from shelves import app, weigh, pack
def feed():
    time.sleep(2)
    for n in range(60):
        weigh.apply_async((n,), task_id=f"weigh-{n}")
        pack.apply_async((n,), task_id=f"pack-{n}")
    app.send_task("shelves.lost", (1,), task_id="lost-1")
    time.sleep(6)
    os.kill(os.getpid(), signal.SIGTERM)
threading.Thread(target=feed, daemon=True).start()
app.worker_main(["worker", "-P", "solo", "-l", "INFO", "--without-gossip", "--without-mingle", "--without-heartbeat"])
"""


def celery_run(name: str, shop: Shop) -> Iterator[Item]:
    """What a worker of celery's logs of tasks of which some break; the facts are these: failed, retried, unknown."""
    python = tool_of(shop, "python")
    room = shop.room(name)
    write(os.path.join(room, "shelves.py"), TASKS)
    write(os.path.join(room, "worker.py"), CELERY)
    text = shop.run([python, "worker.py"], room, seconds=60).text.replace(f"{room}/", "")
    text = text.replace(os.path.dirname(os.path.dirname(python)), "/venv")
    facts = []
    for number in range(60):
        if number % 19 == 6:
            facts += [
                Fact("message", (f"ValueError('scales of shelf {number} are broken')",)),
                Fact("odd", (), (f"weigh-{number}", "unexpected")),
            ]
        elif number % 29 == 11:
            facts += [Fact("odd", (), (f"weigh-{number}", "retry")), Fact("message", (f"label of shelf {number}",))]
    facts += [
        Fact("message", (one,))
        for one in (
            "unregistered task of type 'shelves.lost'",
            ". shelves.pack",
            ". shelves.weigh",
            "transport:   memory://",
            "Warm shutdown",
        )
    ]
    facts += last_words(text, r'shelves.py", line \d+')
    yield Item(name, SERVER, "text", "celery worker", text, said_in(facts, text))


def supervisor_run(name: str, shop: Shop) -> Iterator[Item]:
    """What supervisord logs of thirty programs of which some do not stay up; the facts are planted."""
    tool = tool_of(shop, "supervisord")
    room = shop.room(name)
    parts = [
        "[supervisord]\nnodaemon=true\nuser=root\nlogfile=/dev/null\nlogfile_maxbytes=0\nloglevel=debug\npidfile=s.pid\n"
    ]
    facts = []
    for number in range(26):
        command = f"sh -c 'echo shelf {number} is up; exec sleep 60'"
        if number % 9 == 4:
            command = f"sh -c 'exit {number}'"
            facts += [
                Fact("odd", (), (f"shelf-{number}", "FATAL")),
                Fact("message", (f"exited: shelf-{number} (exit status {number}; not expected)",)),
            ]
        elif number == 17:
            command = "/no/such/scales"
            facts += [Fact("message", ("can't find command '/no/such/scales'",))]
        facts += [Fact("name", (f"shelf-{number}",))]
        parts.append(f"[program:shelf-{number}]\ncommand={command}\nstartretries=2\nstartsecs=1\nautorestart=true\n")
    write(os.path.join(room, "all.conf"), "\n".join(parts))
    text = shop.run(["timeout", "12", tool, "-c", "all.conf"], room, seconds=60).text.replace(f"{room}/", "")
    facts += [
        Fact("message", (one,))
        for one in (
            "received SIGTERM indicating exit request",
            "supervisord started with pid",
            "too many start retries too quickly",
        )
    ]
    yield Item(name, SERVER, "text", "supervisord -c all.conf", text, said_in(facts, text))


def schema_run(name: str, shop: Shop) -> Iterator[Item]:
    """What check-jsonschema prints of many documents; the facts are those of its JSON."""
    tool = tool_of(shop, "check-jsonschema")
    room = shop.room(name)
    parcel = {"type": "object", "required": ["id", "weight"], "additionalProperties": False, "properties": {
        "id": {"type": "string", "pattern": "^P-\\d+$"}, "weight": {"type": "number", "minimum": 0},
        "lid": {"enum": ["open", "shut"]}, "door": {"type": "integer"}}}  # fmt: skip
    schema = {
        "type": "object",
        "required": ["shelf"],
        "properties": {"parcels": {"type": "array", "items": parcel}, "shelf": {"type": "string"}},
    }
    write(os.path.join(room, "schema.json"), json.dumps(schema))
    for number in range(84):
        rows: list[dict[str, object]] = [
            {"id": f"P-{one}", "weight": one, "lid": "shut", "door": one} for one in range(9)
        ]
        rows[number % 9]["weight"] = -number - 1 if number % 3 == 0 else f"{number} grams"
        if number % 7 == 2:
            rows[4].update(id=f"parcel {number}", lid="ajar")
        if number % 11 == 5:
            rows[7] = {"door": f"door {number}", "label": number}
        document: dict[str, object] = {"parcels": rows} | ({"shelf": f"shelf {number}"} if number % 13 != 8 else {})
        write(os.path.join(room, f"area-{number % 4}", f"shelf-{number}.json"), json.dumps(document))
    paths = [f"area-{number % 4}/shelf-{number}.json" for number in range(84)]
    text = shop.run([tool, "--schemafile", "schema.json", "--verbose", *paths], room).text
    report = json.loads(shop.run([tool, "--schemafile", "schema.json", "-o", "JSON", *paths], room, apart=True).text)
    facts = [Fact("path", (one,)) for one in (*paths, "area-0", "area-1", "area-2", "area-3")]
    for row in report["errors"]:
        facts += [Fact("message", (f"{row['path']}: {row['message']}"[:90],))]
    yield Item(name, DATA, "text", "check-jsonschema --schemafile schema.json", text, said_in(facts, text))


def cpp_run(name: str, package: str, path: str, shop: Shop) -> Iterator[Item]:
    """A source file of C++; the facts are what ctags finds in it: classes, functions, methods."""
    shop.need("ctags")
    tree = shop.debian_source(package, shop.room(name))
    text = read(os.path.join(tree, path))
    rows = shop.run(
        ["ctags", "--output-format=json", "--c++-kinds=cfsgn", "-f", "-", path], tree, apart=True
    ).text.splitlines()
    names = [json.loads(row)["name"] for row in rows if json.loads(row).get("_type") == "tag"]
    facts = [Fact("name", (one,)) for one in dict.fromkeys(names) if not one.startswith("__anon")]
    yield Item(name, CODE, "text", f"cat {os.path.basename(path)}", text, said_in(facts, text))


RECIPES = {
    "mariadb-dump": partial(dump_run, "mariadb-dump"),
    "pt-query-digest": partial(digest_run, "pt-query-digest"),
    "celery-shelves": partial(celery_run, "celery-shelves"),
    "supervisord-shelves": partial(supervisor_run, "supervisord-shelves"),
    "check-jsonschema": partial(schema_run, "check-jsonschema"),
    "cat-cpp-reader": partial(cpp_run, "cat-cpp-reader", "libjsoncpp", "src/lib_json/json_reader.cpp"),
}
