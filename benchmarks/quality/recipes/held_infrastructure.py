"""Infrastructure tools and databases that nobody tunes on: compositions, units, plans, inventories, DuckDB, dumps."""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.databases import postgres
from recipes.held_suites import write

INFRASTRUCTURE, DATABASE = "infrastructure", "database"


def compose_run(name: str, shop: Shop) -> Iterator[Item]:
    """What docker-compose makes of a composition; the facts are the services, networks and what was planted in some."""
    shop.install("docker-compose")
    room = shop.room(name)
    services = {}
    facts = []
    for number in range(90):
        one: dict[str, object] = {
            "image": f"registry.example/shelf:{'latest' if number in (8, 33) else '1.4.2'}",
            "environment": {"SHELF": str(number), "MODE": "debug" if number == 21 else "normal"},
            "ports": [f"{8000 + number}:80"],
            "networks": ["front"] if number % 2 else ["back"],
            "restart": "unless-stopped",
        }
        if number == 13:
            one["privileged"] = True
            facts.append(Fact("message", ("privileged: true",)))
        if number in (5, 29):
            one["depends_on"] = [f"shelf-{number + 1}"]
        if number == 40:
            one["volumes"] = ["/var/run/docker.sock:/var/run/docker.sock"]
            facts.append(Fact("message", ("/var/run/docker.sock:/var/run/docker.sock",)))
        services[f"shelf-{number}"] = one
        facts += [Fact("name", (f"shelf-{number}",))]
    facts += [
        Fact("message", (one,))
        for one in (
            "registry.example/shelf:latest",
            "registry.example/shelf:1.4.2",
            "MODE: debug",
            "MODE: normal",
            "restart: unless-stopped",
            "depends_on:",
        )
    ]
    facts += [
        Fact("name", (one,))
        for one in ("front", "back", "services", "networks", "environment", "image", "ports", "volumes")
    ]
    write(
        os.path.join(room, "docker-compose.yml"),
        json.dumps({"version": "3", "services": services, "networks": {"front": {}, "back": {}}}),
    )
    done = shop.run(["docker-compose", "config"], room, apart=True)
    done.check()
    yield Item(name, INFRASTRUCTURE, "text", "docker-compose config", done.text, said_in(facts, done.text))


UNITS = {
    "shelf": "[Service]\nExecStart=/bin/true\nPrivateTmp=yes\nNoNewPrivileges=yes\nProtectHome=read-only\n",
    "door": "[Service]\nExecStart=/bin/true\nUser=daemon\nProtectSystem=strict\nPrivateNetwork=yes\nRestrictAddressFamilies=AF_UNIX\n",
}


def security_run(name: str, shop: Shop) -> Iterator[Item]:
    """`systemd-analyze security` of two units; the facts are its own JSON: every test that is not passed, and the sums."""
    shop.install("systemd-analyze", "systemd")
    room = shop.room(name)
    units = [write(os.path.join(room, f"{unit}.service"), words) for unit, words in UNITS.items()]
    command = ["systemd-analyze", "security", "--offline=true", "--no-pager"]
    text = shop.run([*command, *units], room, env={"COLUMNS": "160"}).text.replace(f"{room}/", "")
    facts = []
    for unit in units:
        for row in json.loads(shop.run([*command, "--json=short", unit], room, apart=True).text):
            facts.append(Fact("name", (row["name"],)))
            if row.get("exposure"):
                facts.append(Fact("odd", (), (row["name"], str(row["exposure"]))))
                facts.append(Fact("message", (row["description"][:80],)))
    facts += [Fact("message", (line.strip(),)) for line in re.findall(r"Overall exposure level.*\d", text)]
    yield Item(name, INFRASTRUCTURE, "text", "systemd-analyze security", text, said_in(facts, text))


def verify_run(name: str, shop: Shop) -> Iterator[Item]:
    """`systemd-analyze verify` of units of which some are wrong; the facts are what was planted in them."""
    shop.install("systemd-analyze", "systemd")
    room = shop.room(name)
    facts = []
    for number in range(320):
        lines = ["[Unit]", f"Description=Shelf {number}", "[Service]", "ExecStart=/bin/true"]
        if number % 4 == 1:
            lines.insert(4, f"Shelv{number}=yes")
            facts.append(Fact("record", (f"shelf-{number}.service:5",), (f"Shelv{number}",)))
        if number % 7 == 3:
            lines[3] = f"ExecStart=/opt/lost-{number}"
            facts += [Fact("message", (f"/opt/lost-{number}",)), Fact("name", (f"shelf-{number}.service",))]
        if number % 11 == 5:
            lines.append(f"Restart=sometimes-{number}")
            facts.append(Fact("odd", (), (f"shelf-{number}.service", f"sometimes-{number}")))
        if number % 13 == 9:
            lines.append("TimeoutSec=soon")
            facts.append(Fact("odd", (), (f"shelf-{number}.service", "soon")))
        write(os.path.join(room, f"shelf-{number}.service"), "\n".join(lines) + "\n")
    units = [f"./shelf-{number}.service" for number in range(320)]
    text = shop.run(["systemd-analyze", "verify", "--man=no", *units], room).text.replace(f"{room}/", "")
    yield Item(name, INFRASTRUCTURE, "text", "systemd-analyze verify", text, said_in(facts, text))


def inventory_run(name: str, shop: Shop) -> Iterator[Item]:
    """`ansible-inventory --list --yaml` of hosts of which some are odd; the facts are what was planted and every host."""
    python = shop.python("ansible", "ansible-core==2.17.4")
    room = shop.room(name)
    lines, facts = [], []
    for group in range(9):
        lines.append(f"[rack{group}]")
        facts.append(Fact("name", (f"rack{group}",)))
        for host in range(12):
            number = group * 12 + host
            odd = " ansible_port=2222" if number in (17, 71) else ""
            odd += " decommissioned=true" if number == 50 else ""
            lines.append(
                f"node{number}.example.org ansible_host=10.{group}.0.{host + 10} disk={500 if number % 37 else 64}{odd}"
            )
            facts.append(Fact("name", (f"node{number}.example.org",)))
        lines += [f"[rack{group}:vars]", f"switch=switch{group}.example.org", "power=" + ("b" if group == 6 else "a")]
    write(
        os.path.join(room, "hosts"),
        "\n".join([*lines, "[lost]", "orphan.example.org", "[all:vars]", "site=north"]) + "\n",
    )
    command = [os.path.join(os.path.dirname(python), "ansible-inventory"), "-i", "hosts", "--list"]
    text = shop.run([*command, "--yaml"], room, apart=True).text
    hosts = json.loads(shop.run(command, room, apart=True).text)["_meta"]["hostvars"]
    for key in dict.fromkeys(key for row in hosts.values() for key in row):
        counted = Counter(str(row[key]) for row in hosts.values() if key in row)
        facts.append(Fact("name", (key,)))
        facts += [Fact("message", (f"{key}: {value}",)) for value in counted if len(counted) <= 9]
    facts += [Fact("name", ("orphan.example.org",)), Fact("message", ("decommissioned:",))]
    yield Item(name, INFRASTRUCTURE, "text", "ansible-inventory --list --yaml", text, said_in(facts, text))


DEPLOY = """from pyinfra.operations import files, server
for number in range(60):
    files.file(name=f"Shelf {number} has a label", path=f"{ROOT}/label-{number}", present=number % 9 != 4)
    if number % 25 == 13:
        server.shell(name=f"Weigh shelf {number}", commands=[f"test -e {ROOT}/lost-{number} || echo lost-{number} >&2; exit {number % 4}"], _ignore_errors=True)
"""


def pyinfra_run(name: str, shop: Shop) -> Iterator[Item]:
    """What pyinfra prints of a deployment on this machine's own files; the facts are the operations and what failed."""
    python = shop.python("pyinfra", "pyinfra==3.1.1")
    room = shop.room(name)
    os.makedirs(os.path.join(room, "root"))
    for number in range(0, 60, 3):
        write(os.path.join(room, "root", f"label-{number}"), "label\n")
    write(os.path.join(room, "deploy.py"), DEPLOY.replace("{ROOT}", os.path.join(room, "root")))
    text = shop.run([os.path.join(os.path.dirname(python), "pyinfra"), "-y", "-vv", "@local", "deploy.py"], room).text
    text = re.sub(r"\x1b\[[\d;]*m", "", text).replace(f"{room}/", "")
    facts = [Fact("message", (f"Shelf {number} has a label",)) for number in range(60)]
    for number in (13, 38):
        facts += [Fact("message", (f"Weigh shelf {number}",)), Fact("message", (f"lost-{number}",))]
    facts += [
        Fact("message", (one.strip(),))
        for one in re.findall(r"^\s*(?:Grand total|\[@local\]\s+.*rror).*$", text, re.MULTILINE)
    ]
    yield Item(name, INFRASTRUCTURE, "text", "pyinfra @local deploy.py", text, said_in(facts, text))


TABLE = """import duckdb, sys
base = duckdb.connect()
base.execute("create table parcels as select i as id, 'shelf-' || (i % 23) as shelf, case when i % 311 = 200 then 'lost' when i % 97 = 60 then 'late' else 'sent' end as state, (i * 7919 % 5000) / 10.0 as weight, date '2024-01-01' + (i % 200)::int as day from range(900) t(i)")
base.execute("update parcels set weight = 99999.5 where id = 444")
if sys.argv[1] == "rows":
    base.sql("select * from parcels").show(max_rows=10000, max_width=200)
else:
    base.sql("summarize select * from duckdb_settings()").show(max_rows=10000, max_width=400)
    base.sql("select name, value, description from duckdb_settings() order by name").show(max_rows=10000, max_width=300)
if sys.argv[1] == "rows":
    import json; json.dump([list(map(str, row)) for row in base.execute("select * from parcels").fetchall()], open("rows.json", "w"))
else:
    import json; json.dump([list(map(str, row)) for row in base.execute("select name, value from duckdb_settings()").fetchall()], open("rows.json", "w"))
"""


def duckdb_run(name: str, what: str, shop: Shop) -> Iterator[Item]:
    """A table as DuckDB draws it; the facts are asked in SQL: the odd rows, every shelf, or every setting."""
    python = shop.python("duckdb", "duckdb==1.1.1")
    room = shop.room(name)
    write(os.path.join(room, "ask.py"), TABLE)
    text = shop.run([python, "ask.py", what], room).text
    with open(os.path.join(room, "rows.json"), encoding="utf-8") as file:
        rows = json.load(file)
    if what == "rows":
        facts = [Fact("odd", (), (row[0], row[2])) for row in rows if row[2] != "sent"]
        facts += [Fact("name", (row[1],)) for row in rows] + [Fact("odd", (), ("444", "99999.5"))]
        facts += [
            Fact("name", (one,))
            for one in ("id", "shelf", "state", "weight", "day", "lost", "late", "sent", "2024-01-01", "2024-07-18")
        ]
    else:
        facts = [Fact("name", (row[0],)) for row in rows] + [
            Fact("odd", (), (row[0], row[1])) for row in rows if row[1] not in ("", "None", "true", "false")
        ]
    yield Item(name, DATABASE, "text", f"duckdb {what}", text, said_in(facts, text))


def dump_run(name: str, shop: Shop) -> Iterator[Item]:
    """`pg_dump` of a base with tables of which some are odd; the facts are its catalogue."""
    room = shop.room(name)
    made = ""
    for number in range(30):
        made += f"create table shelf_{number} (id serial primary key, title text not null, weight numeric check (weight < {number + 50}){', lid jsonb' if number == 11 else ''});\n"
        made += f"create index shelf_{number}_by_title on shelf_{number} (title);\n"
        made += (
            f"insert into shelf_{number} (title, weight) select 'parcel ' || i, i % 40 from generate_series(1, 40) i;\n"
        )
    made += "create view heavy as select * from shelf_3 where weight > 30;\ncreate unlogged table scratch (x int);\n"
    made += (
        "alter table shelf_5 add constraint on_shelf_4 foreign key (id) references shelf_4 (id) on delete cascade;\n"
    )
    made += "create function weigh(x int) returns int language sql as 'select x + 1';\ncreate type mood as enum ('calm', 'cross');\ngrant select on shelf_7 to public;\n"
    with postgres(shop, room) as ask:
        for statement in made.splitlines():
            ask("-c", statement)
        socket = next(one for one in (f"/var/tmp/quality-{os.path.basename(room)}",))
        text = shop.run(["pg_dump", "-h", socket, "-U", "postgres", "postgres"], room).text
    facts = [Fact("name", (f"shelf_{number}",)) for number in range(30)]
    facts += [Fact("message", (one,)) for one in (
        "CREATE VIEW public.heavy", "CREATE UNLOGGED TABLE public.scratch", "on_shelf_4", "ON DELETE CASCADE", "CREATE FUNCTION public.weigh", "CREATE TYPE public.mood", "'calm'", "'cross'",
        "GRANT SELECT ON TABLE public.shelf_7 TO PUBLIC", "lid jsonb", "PostgreSQL database dump complete",
    )]  # fmt: skip
    facts += [Fact("name", (f"shelf_{number}_by_title",)) for number in range(30)] + [
        Fact("name", (f"shelf_{number}_weight_check",)) for number in range(30)
    ]
    facts += [Fact("message", (f"COPY public.shelf_{number} ",)) for number in range(30)]
    yield Item(name, DATABASE, "text", "pg_dump postgres", text, said_in(facts, text))


RECIPES = {
    "compose-shelves": partial(compose_run, "compose-shelves"),
    "systemd-security": partial(security_run, "systemd-security"),
    "systemd-verify": partial(verify_run, "systemd-verify"),
    "inventory-racks": partial(inventory_run, "inventory-racks"),
    "pyinfra-local": partial(pyinfra_run, "pyinfra-local"),
    "duckdb-rows": partial(duckdb_run, "duckdb-rows", "rows"),
    "duckdb-settings": partial(duckdb_run, "duckdb-settings", "settings"),
    "pg-dump": partial(dump_run, "pg-dump"),
}
