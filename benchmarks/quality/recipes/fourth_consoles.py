"""Command lines of clouds, databases, packages and crawlers that nobody tunes on; they answer again for machines."""

import contextlib
import json
import os
import re
import socket
import sqlite3
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import CannotMake, Shop

from recipes.fourth_linters import python_tools, tool_of
from recipes.fourth_suites import interface
from recipes.held_documents import keys_of
from recipes.held_linters import read
from recipes.held_suites import write
from recipes.tables import row_facts

CLOUD, DATABASE, WEB, PACKAGES = "cloud", "database", "web", "package manager"
FEW = 12


def parcels(count: int) -> list[dict[str, object]]:
    """Rows with a few that are unlike all others."""
    states = ("packed", "sent", "arrived")
    return [
        {
            "parcel": f"P-{4000 + number * 3}",
            "shelf": f"shelf {number % 6}",
            "state": "lost" if number == 57 else "returned" if number == 101 else states[number % 3],
            "grams": number * 37 % 911 + (90_000 if number == 88 else 0),
            "carrier": "pigeon" if number == 33 else ("north", "south")[number % 2],
            "note": f"handed to {('Ada', 'Bo', 'Cleo', 'Dov')[number % 4]} at door {number % 17}",
        }
        for number in range(count)
    ]


def shelves_database(room: str) -> str:
    """A database with these rows and eighteen more tables."""
    path = os.path.join(room, "shelves.db")
    rows = parcels(160)
    with contextlib.closing(sqlite3.connect(path)) as database:
        columns = ", ".join(f"{key} {'integer' if key == 'grams' else 'text'}" for key in rows[0])
        database.execute(f"create table parcels ({columns})")
        database.executemany("insert into parcels values (?, ?, ?, ?, ?, ?)", [tuple(row.values()) for row in rows])
        for number in range(18):
            database.execute(
                f"create table area_{number} (id integer primary key, door_{number} text, level integer, opened text)"
            )
            database.executemany(
                f"insert into area_{number} values (?, ?, ?, ?)",
                [
                    (one, f"door {one % (number + 2)}", one % 3, None if one % 5 else "yes")
                    for one in range(40 + number)
                ],
            )
        database.commit()
    return path


def sqlite_rows(name: str, shop: Shop) -> Iterator[Item]:
    """`sqlite-utils rows --table`; the facts are those of the rows."""
    room = shop.room(name)
    shelves_database(room)
    text = shop.run([tool_of(shop, "sqlite-utils"), "rows", "shelves.db", "parcels", "--table"], room).text
    yield Item(
        name,
        DATABASE,
        "text",
        "sqlite-utils rows shelves.db parcels --table",
        text,
        said_in(row_facts(parcels(160), "parcel"), text),
    )


def sqlite_analysis(name: str, shop: Shop) -> Iterator[Item]:
    """`sqlite-utils analyze-tables`; the facts are every table with every column, and the counts of SQL."""
    room = shop.room(name)
    path = shelves_database(room)
    text = shop.run([tool_of(shop, "sqlite-utils"), "analyze-tables", "shelves.db"], room).text
    facts = []
    with contextlib.closing(sqlite3.connect(path)) as database:
        for (table,) in database.execute("select name from sqlite_master").fetchall():
            columns = database.execute(f"pragma table_info({table})").fetchall()
            facts += [Fact("name", (f"{table}.{row[1]}",)) for row in columns]
    facts += [Fact("message", (f"Distinct values: {number}",)) for number in range(2, 13)]
    facts += [Fact("message", (one,)) for one in ("lost", "returned", "pigeon", "Total rows: 160")]
    yield Item(name, DATABASE, "text", "sqlite-utils analyze-tables shelves.db", text, said_in(facts, text))


SETTINGS = """SECRET_KEY = "planted"
INSTALLED_APPS = ["django.contrib.contenttypes", "django.contrib.auth", "django.contrib.sessions", {apps}]
DATABASES = {{"default": {{"ENGINE": "django.db.backends.sqlite3", "NAME": "shelves.db"}}}}
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
"""
MIGRATION = """from django.db import migrations, models
def carry(apps, schema_editor):
    {carry}
class Migration(migrations.Migration):
    dependencies = {needs}
    operations = [{first}migrations.RunPython(carry, migrations.RunPython.noop)]
"""
MANAGE = "import os, sys\nos.environ['DJANGO_SETTINGS_MODULE'] = 'settings'\nfrom django.core.management import execute_from_command_line\nexecute_from_command_line(sys.argv)\n"


def django_project(room: str) -> list[Fact]:
    """Twelve apps with migrations, some of which warn and the last of which breaks; returns the facts of these."""
    facts = []
    for app in range(12):
        write(os.path.join(room, f"area{app}", "__init__.py"), "")
        write(os.path.join(room, f"area{app}", "migrations", "__init__.py"), "")
        before = "[]"
        for number in range(14):
            title = f"{number + 1:04d}_{'initial' if not number else f'add_door_{number}'}"
            carry, first = "pass", ""
            if number % 13 == 5:
                carry = f"print('  WARNING: {app * 11 + 3} parcels of area{app} have no door {number}')"
                facts += [Fact("message", (f"{app * 11 + 3} parcels of area{app} have no door",))]
            if app == 9 and number == 11:
                carry = "raise ValueError('parcel 4711 has no shelf to go to')"
                facts += [
                    Fact("odd", (f"Applying area9.{title}...",)),
                    Fact("message", ("ValueError: parcel 4711 has no shelf to go to",)),
                ]
            if number == 0:
                first = f"migrations.CreateModel('Shelf{app}', [('id', models.AutoField(primary_key=True)), ('level', models.IntegerField())]), "
            write(
                os.path.join(room, f"area{app}", "migrations", f"{title}.py"),
                MIGRATION.format(carry=carry, needs=before, first=first),
            )
            before = f"[('area{app}', '{title}')]"
        facts += [Fact("message", (f"area{app}.0001_initial",)), Fact("message", (f"area{app}.0014_add_door_13",))]
    write(os.path.join(room, "settings.py"), SETTINGS.format(apps=", ".join(f'"area{app}"' for app in range(12))))
    write(os.path.join(room, "manage.py"), MANAGE)
    return facts


def migrate_run(name: str, shop: Shop) -> Iterator[Item]:
    """`manage.py migrate` that breaks at its end; the facts are planted, and the places of the trace in the project."""
    python = python_tools(shop)
    room = shop.room(name)
    facts = django_project(room)
    text = shop.run([python, "manage.py", "migrate", "--no-color", "-v", "2"], room).text.replace(f"{room}/", "")
    text = text.replace(os.path.dirname(os.path.dirname(python)), "/venv")
    facts += [Fact("message", (one,)) for one in re.findall(r'File "(?:area|manage)[\w/]*\.py", line \d+', text)]
    yield Item(name, DATABASE, "text", "./manage.py migrate -v 2", text, said_in(facts, text))


REVISION = 'revision, down_revision = "{now}", {before}\nbranch_labels = depends_on = None\n'


def alembic_run(name: str, shop: Shop) -> Iterator[Item]:
    """`alembic history --verbose` with a branch and a merge; the facts are every revision's message, heads and forks."""
    python = python_tools(shop)
    room = shop.room(name)
    write(os.path.join(room, "alembic.ini"), "[alembic]\nscript_location = steps\n")
    write(os.path.join(room, "steps", "env.py"), "")
    facts, before, side, fork = [], None, "", None
    for number in range(95):
        now = f"{(number + 3) * 0x3F17A95:012x}"
        needs: object = before
        if number == 20:
            fork = before
        if number == 24:
            facts += [Fact("odd", (), (now, "mergepoint"))]
            needs = (before, side)
        body = REVISION.format(now=now, before=repr(needs))
        said = f"Give shelf {number} a {('door', 'lid', 'label')[number % 3]}"
        write(os.path.join(room, "steps", "versions", f"{now}_step.py"), f'"""{said}."""\n{body}')
        facts += [Fact("message", (said,)), Fact("name", (now,))]
        if number == 22:
            side = f"{(number + 3) * 0x3F17A95 + 1:012x}"
            write(
                os.path.join(room, "steps", "versions", f"{side}_side.py"),
                '"""Weigh twice."""\n' + REVISION.format(now=side, before=repr(fork)),
            )
            facts += [Fact("message", ("Weigh twice",)), Fact("odd", (), (str(fork), "branchpoint"))]
        before = now
    facts += [Fact("odd", (), (str(before), "head"))]
    text = shop.run([python, "-m", "alembic", "history", "--verbose"], room).text.replace(f"{room}/", "")
    yield Item(name, DATABASE, "text", "alembic history --verbose", text, said_in(facts, text))


def upgradable_run(name: str, shop: Shop) -> Iterator[Item]:
    """`apt list --upgradable -a`; the facts are what a simulated upgrade lists: every package, versions of the rare suites."""
    shop.need("apt", "apt-get")
    text = shop.run(["apt", "list", "--upgradable", "-a"], shop.root, apart=True).text
    said = shop.run(["apt-get", "-s", "dist-upgrade"], shop.root, apart=True).text
    rows = re.findall(r"^Inst (\S+) \[(\S+)\] \((\S+) (\S+)", said, re.MULTILINE)
    suites = Counter(suite for *_, suite in rows)
    facts = [Fact("name", (package,)) for package, *_ in rows]
    facts += [Fact("odd", (), (package, new, old)) for package, old, new, suite in rows if suites[suite] <= FEW]
    yield Item(name, PACKAGES, "text", "apt list --upgradable -a", text, said_in(facts, text))


def compile_run(name: str, shop: Shop) -> Iterator[Item]:
    """`pip-compile`; the facts are the pins that it writes without notes, and what the named packages bring."""
    room = shop.room(name)
    named = ("notebook", "sphinx", "celery", "scrapy", "django", "httpie", "tox", "black", "pandas")
    write(os.path.join(room, "requirements.in"), "\n".join(named))
    command = [
        tool_of(shop, "pip-compile"),
        "-q",
        "--no-emit-index-url",
        "--no-emit-find-links",
        "--no-emit-trusted-host",
        "--strip-extras",
    ]
    shop.run([*command, "-o", "requirements.txt", "requirements.in"], room, seconds=400).check()
    text = read(os.path.join(room, "requirements.txt"))
    pins = re.findall(r"^([\w.-]+==\S+)", text, re.MULTILINE)
    facts = [Fact("message", (one,)) for one in pins]
    yield Item(name, PACKAGES, "text", "pip-compile requirements.in", text, said_in(facts, text))


CLOUD_TOOLS = ("awscli==1.46.2", "moto[server,ec2,s3]==5.2.5", "scrapy==2.19.0", "httpie==3.2.4")


def cloud_tool(shop: Shop, name: str) -> str:
    """A command of the environment with the tools of clouds and webs."""
    return os.path.join(os.path.dirname(shop.python("clouds", *CLOUD_TOOLS)), name)


def httpie_run(name: str, shop: Shop) -> Iterator[Item]:
    """`http -v` of an interface on loopback that answers with many parcels; the facts are headers, keys, odd rows."""
    tool = cloud_tool(shop, "http")
    with interface() as address:
        text = shop.run(
            [tool, "-v", "--pretty=format", "--ignore-stdin", f"{address}/all", "X-Shelf:4711"], shop.root
        ).text
    facts = [Fact("key", (key,)) for key in ("parcel", "weight", "lid", "door", "label", "parcels", "total", "next")]
    facts += [
        Fact("message", (one,))
        for one in (
            "GET /all HTTP/1.1",
            "HTTP/1.0 200 OK",
            "X-Shelf: 4711",
            "X-Request-Id: shelf-",
            "Content-Type: application/json",
            '"lid": "open"',
            '"label": null',
            '"next": "/all?page=2"',
            '"total": 4711',
            '"P-0"',
            '"P-119"',
        )
    ]
    facts += [Fact("message", (f'"door {number}"',)) for number in range(5)]
    yield Item(name, WEB, "text", "http -v /all", text, said_in(facts, text))


SPIDER = """import json, scrapy
class Shelves(scrapy.Spider):
    name = "shelves"
    custom_settings = {"RETRY_TIMES": 1, "ROBOTSTXT_OBEY": False, "TELNETCONSOLE_ENABLED": False}
    async def start(self):
        for number in range(60):
            yield scrapy.Request(f"%s/parcels/{number}")
    def parse(self, response):
        value = response.json()
        if value["parcel"] in (11, 38):
            raise KeyError(f"parcel {value['parcel']} has no address")
        yield value
    def closed(self, reason):
        with open("stats.json", "w") as out:
            json.dump(self.crawler.stats.get_stats(), out, default=str)
"""


def scrapy_run(name: str, shop: Shop) -> Iterator[Item]:
    """What scrapy logs of a crawl on loopback; the facts are its statistics, the answers that failed, the exceptions."""
    tool = cloud_tool(shop, "scrapy")
    room = shop.room(name)
    with interface() as address:
        write(os.path.join(room, "spider.py"), SPIDER % address)
        text = shop.run([tool, "runspider", "spider.py"], room).text.replace(
            os.path.dirname(os.path.dirname(tool)), "/venv"
        )
    stats = json.loads(read(os.path.join(room, "stats.json")))
    facts = [Fact("message", (f"'{key}': {value}",)) for key, value in stats.items() if isinstance(value, int)]
    for number in range(60):
        status = 404 if number % 9 == 4 else 500 if number % 13 == 6 else 0
        facts += [Fact("odd", (), (f"parcels/{number}", str(status)))] if status else []
    facts += [Fact("message", (f"parcel {one} has no address",)) for one in (11, 38)]
    facts += [
        Fact("message", (one,)) for one in ("Spider error processing", "Gave up retrying", "Spider closed (finished)")
    ]
    yield Item(name, WEB, "text", "scrapy runspider spider.py", text, said_in(facts, text))


FILL = """import boto3, sys
ask = lambda one: boto3.client(one, endpoint_url=sys.argv[1], region_name="eu-west-1", aws_access_key_id="x", aws_secret_access_key="x")
ec2, iam, s3 = ask("ec2"), ask("iam"), ask("s3")
image = ec2.describe_images()["Images"][0]["ImageId"]
for n in range(12):
    kind = "m5.large" if n == 7 else "t3.micro"
    tags = [{"Key": "Name", "Value": f"shelf-{n}"}, {"Key": "door", "Value": f"door {n % 3}"}]
    one = ec2.run_instances(ImageId=image, MinCount=1, MaxCount=1, InstanceType=kind, TagSpecifications=[{"ResourceType": "instance", "Tags": tags}])
    if n == 4: ec2.stop_instances(InstanceIds=[one["Instances"][0]["InstanceId"]])
trust = '{"Version": "2012-10-17", "Statement": []}'
for n in range(40):
    iam.create_role(RoleName=f"keeper-{n}", Path="/lost/" if n == 23 else "/shelves/", AssumeRolePolicyDocument=trust, Description="weighs twice" if n == 31 else "weighs", MaxSessionDuration=7200 if n == 12 else 3600)
s3.create_bucket(Bucket="shelves", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
for n in range(180):
    s3.put_object(Bucket="shelves", Key=f"area-{n % 7}/{'labels' if n % 2 else 'photos'}/parcel-{n}.{'tmp' if n == 99 else 'json'}", Body=b"x" * (90000 if n == 50 else n + 1))
"""


@contextlib.contextmanager
def cloud(shop: Shop) -> Iterator[dict[str, str]]:
    """A cloud on loopback with machines, roles and files in it; what to set so that the command line asks it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    server = subprocess.Popen(
        ["nice", cloud_tool(shop, "moto_server"), "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(120):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            time.sleep(0.5)
        else:
            raise CannotMake("the cloud did not come up")
        shop.run([cloud_tool(shop, "python"), "-c", FILL, address], shop.root).check()
        yield {
            "AWS_ENDPOINT_URL": address,
            "AWS_DEFAULT_REGION": "eu-west-1",
            "AWS_ACCESS_KEY_ID": "x",
            "AWS_SECRET_ACCESS_KEY": "x",
            "AWS_PAGER": "",
        }
    finally:
        server.terminate()
        server.wait()


def aws_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `aws` prints of machines, roles and files; the facts are those of its JSON."""
    tool = cloud_tool(shop, "aws")
    with cloud(shop) as env:
        machines = shop.run(
            [tool, "ec2", "describe-instances", "--output", "json"], shop.root, env=env, apart=True
        ).text
        table = shop.run([tool, "ec2", "describe-instances", "--output", "table"], shop.root, env=env).text
        roles = shop.run([tool, "iam", "list-roles"], shop.root, env=env).text
        files = shop.run([tool, "s3", "ls", "--recursive", "s3://shelves"], shop.root, env=env).text
    found = [one for row in json.loads(machines)["Reservations"] for one in row["Instances"]]
    facts = [Fact("message", (one["InstanceId"],)) for one in found] + [
        Fact("name", (f"shelf-{n}",)) for n in range(12)
    ]
    facts += [Fact("name", (key,)) for key in found[0] if key in table]
    facts += [
        Fact("message", (one,))
        for one in ("m5.large", "t3.micro", "stopped", "running", "DescribeInstances", "User initiated")
    ]
    yield Item(
        f"{name}-instances", CLOUD, "text", "aws ec2 describe-instances --output table", table, said_in(facts, table)
    )
    facts = [Fact("key", (key,)) for key in keys_of(json.loads(roles))] + [
        Fact("name", (f"keeper-{n}",)) for n in range(40)
    ]
    facts += [
        Fact("message", (one,)) for one in ('"/lost/"', '"weighs twice"', "7200", '"/shelves/"', '"weighs"', "3600")
    ]
    yield Item(f"{name}-roles", CLOUD, "json", "aws iam list-roles", roles, said_in(facts, roles))
    paths = [line.split()[3] for line in files.splitlines() if len(line.split()) == 4]
    facts = [
        Fact("path", (one,))
        for one in sorted({os.path.dirname(path) for path in paths} | {path.split("/")[0] for path in paths})
    ]
    facts += [Fact("odd", (), (path, "90000")) for path in paths if "parcel-50." in path] + [
        Fact("path", (path,)) for path in paths if path.endswith("tmp")
    ]
    yield Item(f"{name}-files", CLOUD, "text", "aws s3 ls --recursive s3://shelves", files, said_in(facts, files))


RECIPES = {
    "sqlite-utils-rows": partial(sqlite_rows, "sqlite-utils-rows"),
    "sqlite-utils-analysis": partial(sqlite_analysis, "sqlite-utils-analysis"),
    "django-migrate": partial(migrate_run, "django-migrate"),
    "alembic-history": partial(alembic_run, "alembic-history"),
    "apt-upgradable": partial(upgradable_run, "apt-upgradable"),
    "pip-compile": partial(compile_run, "pip-compile"),
    "httpie-parcels": partial(httpie_run, "httpie-parcels"),
    "scrapy-shelves": partial(scrapy_run, "scrapy-shelves"),
    "aws": partial(aws_run, "aws"),
}
