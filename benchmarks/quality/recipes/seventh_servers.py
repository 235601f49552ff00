"""Servers, stores and settings that nobody tunes on, on loopback and asked for what they cannot do; the facts are planted."""

import contextlib
import json
import os
import re
import socket
import sqlite3
import time
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import in_json, said_in
from shop import Shop

from recipes.databases import running
from recipes.fifth_suites import plain
from recipes.fourth_consoles import parcels
from recipes.held_documents import keys_of
from recipes.held_linters import read
from recipes.held_servers import free_port, listens
from recipes.held_suites import write
from recipes.seventh_tools import npm_room, npm_tool, python_tools
from recipes.third_linters import report_file

LOG, DATABASE, INFRASTRUCTURE = "server log", "database", "infrastructure"


@contextlib.contextmanager
def etcd(shop: Shop, name: str, quota: int = 0) -> Iterator[tuple[str, str]]:
    """A store of keys for as long as it is needed: its address, and the path of its log."""
    shop.need("etcd", package="etcd-server")
    shop.need("etcdctl", package="etcd-client")
    room = shop.room(name)
    port, peer = free_port(), free_port()
    address, other = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{peer}"
    command = [
        "etcd",
        "--data-dir",
        f"{room}/data",
        "--listen-client-urls",
        address,
        "--advertise-client-urls",
        address,
    ]
    command += [
        "--listen-peer-urls",
        other,
        "--initial-advertise-peer-urls",
        other,
        "--initial-cluster",
        f"default={other}",
    ]
    command += [
        "--logger",
        "zap",
        "--log-level",
        "debug",
        "--snapshot-count",
        "40",
        "--quota-backend-bytes",
        str(quota),
    ]
    with running(command, room, lambda: listens(port), shop.environment()) as log:
        yield address, log


def keys(shop: Shop, address: str, room: str, *arguments: str) -> str:
    return shop.run(["etcdctl", "--endpoints", address, *arguments], room, env={"ETCDCTL_API": "3"}).text


def etcd_log(name: str, shop: Shop) -> Iterator[Item]:
    """What etcd logs, JSON lines; the facts are what went wrong, every message that is met once, and the keys."""
    with etcd(shop, name, 90_000) as (address, log):
        room = os.path.dirname(log)
        for number in range(90):
            keys(shop, address, room, "put", f"/shelf/{number}", "x" * (700 if number % 3 else 40))
        keys(shop, address, room, "get", "--rev", "9999", "/shelf/1")
        keys(shop, address, room, "compact", "20")
        keys(shop, address, room, "compact", "5")
        keys(shop, address, room, "snapshot", "save", f"{room}/all.snap")
        keys(shop, address, room, "alarm", "list")
        time.sleep(1)
    lines = [line for line in read(log).splitlines() if line.startswith("{")]
    text = "\n".join(lines).replace(room, "/srv") + "\n"
    rows = [json.loads(line) for line in text.splitlines()]
    said: dict[str, int] = {}
    for row in rows:
        said[row["msg"]] = said.get(row["msg"], 0) + 1
    facts = [Fact("message", (one[:90],)) for one in said]
    facts += [Fact("message", (f'"level":"{one}"',)) for one in dict.fromkeys(row["level"] for row in rows)]
    facts += [Fact("message", (str(row["error"])[:90],)) for row in rows if row.get("error")]
    facts += [Fact("key", (key,)) for key in dict.fromkeys(key for row in rows for key in row)]
    yield Item(name, LOG, "ndjson", "etcd --logger zap", text, said_in(in_json(facts), text))


def etcd_keys(name: str, shop: Shop) -> Iterator[Item]:
    """`etcdctl get --prefix`: a key and a value by turns; the facts are the odd values with their keys, and the areas."""
    with etcd(shop, name) as (address, log):
        room = os.path.dirname(log)
        wanted, facts = [], []
        for number in range(360):
            key = f"/shelves/area-{number % 9}/shelf-{number}"
            value = {"label": f"shelf {number}", "locked": number % 2 == 0, "grams": number * 37 % 911}
            if number % 71 == 30:
                value |= {"fault": f"door {number} is jammed"}
                facts += [Fact("name", (key,)), Fact("message", (f"door {number} is jammed",))]
            wanted.append(f"put {key} {json.dumps(json.dumps(value))}")
        for at in range(0, len(wanted), 100):
            script = write(os.path.join(room, "all.txn"), "\n" + "\n".join(wanted[at : at + 100]) + "\n\n\n")
            shop.run(["sh", "-c", f"etcdctl --endpoints {address} txn < {script}"], room, env={"ETCDCTL_API": "3"})
        text = keys(shop, address, room, "get", "--prefix", "/shelves")
    facts += [Fact("message", (f"/shelves/area-{number}",)) for number in range(9)]
    facts += [Fact("message", (f'"{key}"',)) for key in ("label", "locked", "grams", "fault")]
    yield Item(name, DATABASE, "text", "etcdctl get --prefix /shelves", text, said_in(facts, text))


def nats_log(name: str, shop: Shop) -> Iterator[Item]:
    """What nats-server traces; the facts are what it refused, and the subjects."""
    shop.need("nats-server", package="nats-server")
    room = shop.room(name)
    port = free_port()
    write(os.path.join(room, "nats.conf"), (
        f"listen: 127.0.0.1:{port}\nmax_payload: 300\nmax_control_line: 200\ndebug: true\ntrace: true\n"
        'authorization { users = [ {user: ada, password: shelf, permissions: {publish: ["shelf.>"], subscribe: ["shelf.>"]}} ] }\n'
    ))  # fmt: skip
    facts = []
    with running(["nats-server", "-c", "nats.conf"], room, lambda: listens(port), shop.environment()) as log:
        for number in range(36):
            with socket.create_connection(("127.0.0.1", port)) as line:
                user = "mallory" if number % 17 == 9 else "ada"
                hello = json.dumps(
                    {
                        "user": user,
                        "pass": "shelf",
                        "verbose": False,
                        "name": f"keeper-{number}",
                        "lang": "raw",
                        "version": "1",
                    }
                )
                line.sendall(f"CONNECT {hello}\r\nPING\r\nSUB shelf.{number % 5}.> 1\r\n".encode())
                if number % 9 == 4:
                    line.sendall(f"PUB vault.{number} 3\r\nkey\r\n".encode())
                    facts += [Fact("name", (f"vault.{number}",))]
                line.sendall(f"PUB shelf.{number % 5}.door 6\r\nopened\r\n".encode())
                if number % 13 == 6:
                    line.sendall(f"PUB shelf.big.{number} 900\r\n".encode())
                if number % 11 == 8:
                    line.sendall(f"TURN {number}\r\n".encode())
                line.settimeout(0.15)
                with contextlib.suppress(OSError):
                    while line.recv(4096):
                        pass
    text = read(log).replace(room, "/srv")
    facts += [Fact("message", (f"shelf.{number}.door",)) for number in range(5)]
    facts += [Fact("message", (one,)) for one in dict.fromkeys(re.findall(r"\[ERR\].*? - ([A-Za-z ]+)", text))]
    facts += [Fact("message", (one.strip(),)) for one in dict.fromkeys(re.findall(r"\[(?:INF|WRN)\] (.*)", text))]
    yield Item(name, LOG, "text", "nats-server -c nats.conf", text, said_in(facts, text))


RULE = """groups:
- name: area-{n}
  rules:
  - alert: DoorJammed{n}
    expr: {expr}
    for: {time}
    labels: {{severity: page}}
    annotations: {{summary: "{summary}"}}
  - record: area{n}:weight:rate{n}m
    expr: sum by (area) (rate(weight_total{{area="{n}"}}[{range}]))
"""


def promtool_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `promtool check rules` prints of sixty files; the facts are planted."""
    shop.need("promtool", package="prometheus")
    room = shop.room(name)
    facts = []
    paths = []
    for number in range(160):
        expr = f'door_open{{area="{number}"}} > {number}'
        summary, length, range_ = f"Door {number} is jammed", "5m", "5m"
        path = f"rules/area-{number}.yml"
        bad = number % 6 == 1
        if bad:
            kind = number // 6 % 4
            expr = (f"sum(door_open{number}", f"rate(door_open{number})", f"door_open{number} >> 3", expr)[kind]
            summary = "{{ .Labels.door " + str(number) if kind == 3 else summary
            facts += [Fact("path", (path,)), Fact("name", (f"DoorJammed{number}",))]
        write(
            os.path.join(room, path),
            RULE.format(n=number, expr=expr, time=length, range=range_, summary=summary.replace('"', "'")),
        )
        paths.append(path)
    text = shop.run(["promtool", "check", "rules", *paths], room).text
    facts += [
        Fact("message", (one.strip()[:90],))
        for one in dict.fromkeys(re.findall(r"(?:parse error|could not parse|unclosed|unexpected)[^\n]*", text))
    ]
    yield Item(name, INFRASTRUCTURE, "text", "promtool check rules", text, said_in(facts, text))


def prometheus_log(name: str, shop: Shop) -> Iterator[Item]:
    """What prometheus logs in keys and values; the facts are every message, and the targets that do not answer."""
    shop.need("prometheus", package="prometheus")
    room = shop.room(name)
    port, gone = free_port(), free_port()
    jobs = "".join(
        f"- job_name: area-{n}\n  scrape_interval: 1s\n  scrape_timeout: 1s\n  static_configs: [{{targets: ['127.0.0.1:{gone}'], labels: {{door: 'd{n}'}}}}]\n"
        for n in range(12)
    )
    write(
        os.path.join(room, "prometheus.yml"),
        f"global: {{scrape_interval: 1s, evaluation_interval: 1s}}\nrule_files: ['rules.yml']\nscrape_configs:\n{jobs}",
    )
    rule = "groups:\n" + "".join(
        f"- name: g{n}\n  rules:\n  - record: area{n}:weight\n    expr: up * on(instance) group_left() (up + {n})\n"
        for n in range(6)
    )
    write(os.path.join(room, "rules.yml"), rule)
    command = [
        "prometheus",
        "--config.file=prometheus.yml",
        f"--web.listen-address=127.0.0.1:{port}",
        "--storage.tsdb.path=data",
        "--log.level=debug",
    ]
    with running(command, room, lambda: listens(port), shop.environment()) as log:
        time.sleep(9)
    text = read(log).replace(room, "/srv")
    rows = [dict(re.findall(r'(\w+)=("(?:[^"\\]|\\.)*"|\S+)', line)) for line in text.splitlines()]
    facts = [Fact("message", (row["msg"].strip('"')[:90],)) for row in rows if "msg" in row]
    facts += [Fact("message", (f"level={row['level']}",)) for row in rows if "level" in row]
    facts += [Fact("message", (f"{key}=",)) for row in rows for key in row]
    facts += [Fact("name", (f"scrape_pool=area-{n}",)) for n in range(12)]
    facts += [Fact("message", (row["err"].strip('"')[:60],)) for row in rows if "err" in row]
    yield Item(name, LOG, "text", "prometheus --log.level=debug", text, said_in(facts, text))


def sqldiff_run(name: str, shop: Shop) -> Iterator[Item]:
    """`sqldiff` of two databases; the facts are the rows that were changed, dropped and added, and the tables."""
    shop.install("sqldiff", "sqlite3-tools")
    room = shop.room(name)
    facts = []
    rows = parcels(600)
    for side in ("old", "new"):
        with contextlib.closing(sqlite3.connect(os.path.join(room, f"{side}.db"))) as base:
            for area in range(6):
                base.execute(
                    f"create table area_{area} (id integer primary key, parcel, shelf, state, grams, carrier, note)"
                )
            for number, row in enumerate(rows):
                values = [number, *row.values()]
                if side == "new" and number % 13 == 5:
                    continue
                if side == "new" and number % 3 == 1:
                    values[2 + number % 4] = f"moved {number}"
                base.execute(f"insert into area_{number % 6} values (?, ?, ?, ?, ?, ?, ?)", values)
            if side == "new":
                base.execute("create table keepers (id integer primary key, name, badge)")
                base.executemany("insert into keepers values (?, ?, ?)", [(n, f"Keeper {n}", n * 7) for n in range(40)])
            base.commit()
    text = shop.run(["sqldiff", "old.db", "new.db"], room).text
    facts += [Fact("odd", (), ("DELETE", f"id={n}")) for n in range(5, 600, 13)]
    facts += [Fact("name", (f"moved {n}",)) for n in range(1, 600, 3) if n % 13 != 5]
    facts += [Fact("message", (f"area_{n}",)) for n in range(6)] + [Fact("message", ("CREATE TABLE keepers",))]
    facts += [Fact("name", (f"Keeper {n}",)) for n in (0, 39)]
    yield Item(name, DATABASE, "text", "sqldiff old.db new.db", text, said_in(facts, text))


BUNYAN = """const bunyan = require('bunyan');
const log = bunyan.createLogger({ name: 'shelves', hostname: 'ramp', pid: 4711, level: 'debug', serializers: bunyan.stdSerializers });
for (let n = 0; n < 320; n++) {
  const area = log.child({ area: `area-${n % 6}` });
  if (n % 67 === 20) area.error({ err: new Error(`scales of shelf ${n} are broken`), shelf: n }, `weighing shelf ${n} failed`);
  else if (n % 41 === 12) area.warn({ shelf: n, grams: n * 31, limit: 900 }, `shelf ${n} is too heavy`);
  else if (n === 211) area.fatal({ door: 'jammed', shelf: n }, 'door is jammed');
  else if (n % 3 === 1) area.debug({ shelf: n }, 'looked at shelf');
  else area.info({ shelf: n, grams: n * 37 % 911 }, 'weighed');
}
"""


def bunyan_run(name: str, shop: Shop) -> Iterator[Item]:
    """Records of a service as bunyan shows them; the facts are planted."""
    room = npm_room(shop)
    script = write(os.path.join(room, "records.cjs"), BUNYAN)
    where = shop.room(name)
    log = write(
        os.path.join(where, "records.log"), report_file(shop, ["node", script], room, where).replace(room, "/srv")
    )
    text = plain(report_file(shop, [npm_tool(shop, "bunyan"), "--no-color", log], where, where))
    facts = [Fact("message", (f"scales of shelf {n} are broken",)) for n in range(20, 320, 67)]
    facts += [Fact("message", (f"weighing shelf {n} failed",)) for n in range(20, 320, 67)]
    facts += [Fact("message", (f"shelf {n} is too heavy",)) for n in range(12, 320, 41)]
    facts += [Fact("odd", (), (f"shelf {n} is too heavy", f"grams={n * 31}")) for n in range(12, 320, 41)]
    facts += [
        Fact("message", (one,))
        for one in ("door is jammed", "looked at shelf", "weighed", "FATAL", "ERROR", "WARN", "DEBUG", "INFO")
    ]
    yield Item(name, LOG, "text", "bunyan records.log", text, said_in(facts, text))


JSONNET = """local shelf(n) = {
  apiVersion: 'apps/v1', kind: if n % 11 == 5 then 'StatefulSet' else 'Deployment',
  metadata: { name: 'shelf-%d' % n, namespace: 'area-%d' % (n % 4), labels: { app: 'shelf-%d' % n, level: '%d' % (n % 3) } },
  spec: { replicas: if n == 17 then 40 else n % 3 + 1, template: { spec: { containers: [
    { name: 'door', image: if n % 13 == 6 then 'shelves/door:latest' else 'shelves/door:1.%d.0' % (n % 5), ports: [{ containerPort: 8000 + n }],
      resources: { limits: { memory: if n == 23 then '64Gi' else '%dMi' % (64 + n % 4 * 64) } } },
  ] } } },
};
{ ['shelf-%d.json' % n]: shelf(n) for n in std.range(0, 44) }
"""


def jsonnet_run(name: str, shop: Shop) -> Iterator[Item]:
    """What jsonnet makes of a description of forty services; the facts are its keys and the odd ones among them."""
    room = shop.room(name)
    path = write(os.path.join(room, "shelves.jsonnet"), JSONNET)
    script = "import _jsonnet, sys; print(_jsonnet.evaluate_file(sys.argv[1]), end='')"
    text = shop.run([python_tools(shop), "-c", script, path], room, apart=True).text
    document = json.loads(text)
    facts = [Fact("name", (f"shelf-{n}",)) for n in range(45)] + [Fact("name", (f"area-{n}",)) for n in range(4)]
    inner = {key: None for value in document.values() for key in keys_of(value)}
    facts += [Fact("key", (key,)) for key in inner]
    facts += [
        Fact("message", (one,))
        for one in ("StatefulSet", "Deployment", "shelves/door:latest", "64Gi", '"replicas": 40')
    ]
    yield Item(name, INFRASTRUCTURE, "json", "jsonnet shelves.jsonnet", text, said_in(facts, text))


RECIPES = {
    "etcd-shelves": partial(etcd_log, "etcd-shelves"),
    "etcdctl-shelves": partial(etcd_keys, "etcdctl-shelves"),
    "nats-shelves": partial(nats_log, "nats-shelves"),
    "promtool-rules": partial(promtool_run, "promtool-rules"),
    "prometheus-shelves": partial(prometheus_log, "prometheus-shelves"),
    "sqldiff-shelves": partial(sqldiff_run, "sqldiff-shelves"),
    "bunyan-shelves": partial(bunyan_run, "bunyan-shelves"),
    "jsonnet-shelves": partial(jsonnet_run, "jsonnet-shelves"),
}
