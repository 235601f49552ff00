"""Data files, a document, notebooks, a table and a session of a shell by tools that nobody tunes on; what is odd is planted."""

import json
import os
import zipfile
from collections.abc import Iterator

from items import Fact, Item
from shop import Shop

from recipes.held_linters import read
from recipes.held_suites import write
from recipes.tenth_tools import each, made, pairs, recipes, stripped, venv_path
from recipes.twelfth_tools import TOOLS

DATA, DOCUMENT, NOTEBOOK, SESSION, TABLE = "data file", "documentation", "notebook", "session of a shell", "table"


def directory_run(name: str, shop: Shop) -> Iterator[Item]:
    """A directory as a file of entries; the facts are planted: attributes, classes, every unit, what is unlike the others."""
    room, lines, facts = shop.room(name), ["version: 1\n"], list[Fact]()
    for n in range(90):
        unit = ("keepers", "pilots", "cooks")[n % 3]
        lines += [
            f"dn: uid=person{n},ou={unit},dc=pier,dc=example",
            "objectClass: inetOrgPerson",
            f"uid: person{n}",
            f"cn: Person {n}",
            f"mail: person{n}@pier.example",
        ]
        lines += (
            [f"description: left on tide {n}"] * (n % 23 == 9)
            + [f"manager: uid=person{n // 10},ou=keepers,dc=pier,dc=example"] * (n % 31 == 12)
            + ["pwdAccountLockedTime: 20261119100000Z"] * (n % 37 == 20)
            + [""]
        )
        facts += each(
            "message",
            [f"left on tide {n}"] * (n % 23 == 9)
            + [f"uid=person{n},ou={unit}"] * (n % 31 == 12 or n % 37 == 20 or n in {0, 89}),
        )
    write(os.path.join(room, "people.ldif"), "\n".join(lines) + "\n")
    facts += each(
        "message",
        (
            "objectClass: inetOrgPerson",
            "ou=keepers",
            "ou=pilots",
            "ou=cooks",
            "pwdAccountLockedTime",
            "manager: ",
            "mail: ",
            "cn: ",
            "version: 1",
        ),
    )
    yield made(name, DATA, "cat people.ldif", read(os.path.join(room, "people.ldif")), facts)


def state_run(name: str, shop: Shop) -> Iterator[Item]:
    """The state of an infrastructure as a file; the facts are planted: every resource, every kind, what is tainted or unlike the others, keys."""
    resources, facts = [], list[Fact]()
    for n in range(52):
        kind = ("aws_sqs_queue", "aws_iam_role", "aws_s3_bucket", "aws_instance")[n % 4]
        instance: dict[str, object] = {
            "schema_version": 1,
            "attributes": {
                "id": f"pier-{n * 7919:06x}",
                "name": f"ferry-{n}",
                "region": "eu-west-1" if n % 17 else "us-east-2",
                "tags": {"deck": f"deck-{n % 5}"},
            },
            "dependencies": [f"aws_iam_role.ferry_{n - n % 4 + 1}"] * (n % 4 == 3),
        }
        if n % 19 == 8:
            instance["status"] = "tainted"
        resources.append(
            {
                "mode": "managed" if n % 23 != 11 else "data",
                "type": kind,
                "name": f"ferry_{n}",
                "provider": 'provider["registry.terraform.io/hashicorp/aws"]',
                "instances": [instance],
            }
        )
        facts += each("message", [f'"ferry_{n}"'])
    text = (
        json.dumps(
            {
                "version": 4,
                "terraform_version": "1.9.8",
                "serial": 41,
                "lineage": "0a0b0c0d-0000-4000-8000-000000000000",
                "outputs": {"first": {"value": "ferry-0", "type": "string"}},
                "resources": resources,
            },
            indent=2,
        )
        + "\n"
    )
    text = read(write(os.path.join(shop.room(name), "harbour.tfstate"), text))
    facts += each(
        "key",
        (
            "version",
            "terraform_version",
            "serial",
            "lineage",
            "outputs",
            "resources",
            "mode",
            "type",
            "name",
            "provider",
            "instances",
            "schema_version",
            "attributes",
            "dependencies",
            "status",
        ),
    )
    facts += each(
        "message",
        (
            '"tainted"',
            '"managed"',
            '"data"',
            '"us-east-2"',
            '"eu-west-1"',
            '"aws_sqs_queue"',
            '"aws_iam_role"',
            '"aws_s3_bucket"',
            '"aws_instance"',
        ),
    )
    yield made(name, DATA, "cat harbour.tfstate", text, facts, "json")


def letter_run(name: str, shop: Shop) -> Iterator[Item]:
    """What odt2txt makes of a manual; the facts are planted: headings, warnings, rows that are odd."""
    shop.install("odt2txt")
    room, body, facts = shop.room(name), list[str](), list[Fact]()
    for n in range(36):
        body.append(f'<text:h text:outline-level="{n % 2 + 1}">Berth {n} of pier {n % 7}</text:h>')
        facts += each("message", [f"Berth {n} of pier {n % 7}"])
        body += [
            f"<text:p>On day {k} of week {n} the sea was calm, and the crew of boat {n + k} mended ropes and lamps until the tide had turned.</text:p>"
            for k in range(3)
        ]
        if n % 5 == 3:
            body.append(f"<text:p>Warning: never cut rope {n} under load.</text:p>")
            facts += each("message", [f"Warning: never cut rope {n} under load."])
        if n % 7 == 2:
            body.append(
                "<text:list>"
                + "".join(
                    f"<text:list-item><text:p>lamp {n}.{k}{' is broken' if k == 2 else ''}</text:p></text:list-item>"
                    for k in range(4)
                )
                + "</text:list>"
            )
            facts += each("message", [f"lamp {n}.2 is broken"])
    space = 'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
    with zipfile.ZipFile(os.path.join(room, "manual.odt"), "w") as packed:
        packed.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        packed.writestr(
            "content.xml",
            f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {space}><office:body><office:text>{"".join(body)}</office:text></office:body></office:document-content>',
        )
    text = shop.run(["odt2txt", "--width=-1", "manual.odt"], room).text
    yield made(name, DOCUMENT, "odt2txt --width=-1 manual.odt", text, facts)


def cells(count: int) -> tuple[dict[str, object], list[Fact]]:
    """A notebook with headings, functions, outputs and a few that fail, and what is to be told of it."""
    found, facts = list[dict[str, object]](), list[Fact]()
    for n in range(count):
        found.append(
            {
                "cell_type": "markdown",
                "metadata": {},
                "id": f"m{n}",
                "source": f"## Tide {n}: {('ebb', 'flood')[n % 2]}",
            }
        )
        outputs: list[dict[str, object]] = [
            {"output_type": "stream", "name": "stdout", "text": f"pier {n % 7} read {n * 3} rows\n"}
        ]
        if n % 11 == 4:
            outputs = [
                {
                    "output_type": "error",
                    "ename": "ValueError",
                    "evalue": f"tide {n} is dry",
                    "traceback": [f"ValueError: tide {n} is dry"],
                }
            ]
            facts += each("message", [f"tide {n} is dry"])
        found.append(
            {
                "cell_type": "code",
                "metadata": {},
                "id": f"c{n}",
                "execution_count": n,
                "outputs": outputs,
                "source": f"def read_tide_{n}(rows):\n    return [row for row in rows if row > {n}]",
            }
        )
        facts += [*each("message", [f"## Tide {n}:"]), *each("name", [f"read_tide_{n}"])]
    about = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return {"cells": found, "metadata": about, "nbformat": 4, "nbformat_minor": 5}, facts


def show_run(name: str, shop: Shop) -> Iterator[Item]:
    """What nbshow prints of a notebook; the facts are planted: headings, every function, what failed."""
    room = shop.room(name)
    book, facts = cells(36)
    write(os.path.join(room, "tides.ipynb"), json.dumps(book))
    text = stripped(
        shop.run([TOOLS.python_tool(shop, "nbshow"), "tides.ipynb"], room, env=venv_path(TOOLS, shop)).text, room
    )
    yield made(name, NOTEBOOK, "nbshow tides.ipynb", text, facts)


def convert_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `marimo convert` makes of a notebook; the facts are planted: headings, every function."""
    room = shop.room(name)
    book, facts = cells(60)
    write(os.path.join(room, "tides.ipynb"), json.dumps(book))
    text = stripped(
        shop.run(
            [TOOLS.python_tool(shop, "marimo"), "convert", "tides.ipynb"], room, env={"HOME": room}, apart=True
        ).text,
        room,
    )
    yield made(
        name, NOTEBOOK, "marimo convert tides.ipynb", text, [one for one in facts if "is dry" not in one.spellings[0]]
    )


EXPECT = """set timeout 20
spawn env {PS1=keeper$ } dash -i
expect "keeper\\\\$ "
foreach line [split [string trim [read [open lines.sh]]] "\\n"] {
  send "$line\\r"
  expect "keeper\\\\$ "
}
send "exit\\r"
expect eof
"""


def session_run(name: str, shop: Shop) -> Iterator[Item]:
    """A session of dash, driven by expect; the facts are planted: every command that is not known, every file that is not there, every tide that was missed."""
    shop.install("expect")
    room, lines, facts = shop.room(name), list[str](), list[Fact]()
    for n in range(60):
        write(
            os.path.join(room, f"deck{n % 5}", f"ferry_{n}.log"),
            "".join(
                f"tide {k} of ferry {n} {'was missed' if k == n % 7 and n % 3 == 1 else 'was fine'}\n" for k in range(6)
            ),
        )
        lines += [f"cat deck{n % 5}/ferry_{n}.log", f"wc -c deck{n % 5}/ferry_{n}.log"]
        lines += (
            [f"moor_{n} --now"] * (n % 11 == 4)
            + [f"cat deck9/rope_{n}.txt"] * (n % 13 == 6)
            + [f"echo $(({n} * 7))"] * (n % 17 == 9)
        )
        facts += each(
            "message",
            [f"moor_{n}: not found"] * (n % 11 == 4)
            + [f"cat: deck9/rope_{n}.txt: No such file"] * (n % 13 == 6)
            + [f"tide {n % 7} of ferry {n} was missed"] * (n % 3 == 1 and n % 7 < 6),
        )
    write(os.path.join(room, "lines.sh"), "\n".join(lines) + "\n")
    write(os.path.join(room, "drive.exp"), EXPECT)
    text = shop.run(["expect", "drive.exp"], room, seconds=120).text.replace("\r\n", "\n")
    yield made(name, SESSION, "expect drive.exp", text, facts)


def sheet_run(name: str, shop: Shop) -> Iterator[Item]:
    """What VisiData writes of a table in its form of text; the facts are planted: columns, every state, the odd rows, the ends."""
    room, lines, facts = shop.room(name), ["id,ferry,state,pier,load,note"], list[Fact]()
    for n in range(150):
        state, load, note = (
            "sunk" if n % 61 == 30 else ("open", "done", "late")[n % 3],
            90000 + n if n % 53 == 20 else n * 13 % 700,
            f"rope {n} was cut" if n % 37 == 14 else "",
        )
        lines.append(f"{n},Ferry {n},{state},pier-{n % 12},{load},{note}")
        facts += [
            *each("message", [note] * bool(note)),
            *pairs([(f"Ferry {n}", "sunk")] * (state == "sunk")),
            *each("name", [load] * (load > 9000)),
        ]
    write(os.path.join(room, "trips.csv"), "\n".join(lines) + "\n")
    shop.run(
        [TOOLS.python_tool(shop, "vd"), "-b", "trips.csv", "-o", "trips.md"], room, env={"HOME": room, "TERM": "xterm"}
    )
    facts += [
        *each(
            "name",
            ("id", "ferry", "state", "pier", "load", "note", "open", "done", "late", "sunk", "Ferry 0", "Ferry 149"),
        ),
        *(Fact("name", (f"pier-{n}", f"pier\\-{n}")) for n in range(12)),
    ]
    yield made(name, TABLE, "vd -b trips.csv -o trips.md", read(os.path.join(room, "trips.md")), facts)


RECIPES = recipes(
    ("ldif-people", directory_run),
    ("tfstate-ferries", state_run),
    ("odt2txt-berths", letter_run),
    ("nbshow-tides", show_run),
    ("marimo-tides", convert_run),
    ("expect-tides", session_run),
    ("vd-trips", sheet_run),
)
