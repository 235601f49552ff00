"""Answers of tool servers and interfaces, and documents, by tools that nobody tunes on; what is odd is planted, or read from what they were given."""

import json
import os
import sqlite3
import urllib.request
import zipfile
from collections.abc import Iterator

from items import Fact, Item
from shop import Shop

from recipes.databases import running
from recipes.eleventh_tools import SERVICES, TOOLS
from recipes.held_servers import free_port, listens
from recipes.held_suites import write
from recipes.tenth_answers import shelf, tool_answer
from recipes.tenth_tools import each, made, pairs, recipes

SERVER, ANSWER, PAGE = "tool server", "answer of an interface", "documentation"
NOTEBOOK, INFRASTRUCTURE = "notebook", "infrastructure"


def sqlite_answer(name: str, shop: Shop) -> Iterator[Item]:
    """What a tool server of SQLite answers to a query; the facts are planted: keys, kinds, the odd rows, the ends."""
    room = shop.room(name)
    with sqlite3.connect(os.path.join(room, "ferries.db")) as database:
        database.execute("create table trip (id integer, pier text, captain text, aboard integer, note text)")
        for n in range(170):
            database.execute(
                "insert into trip values (?, ?, ?, ?, ?)",
                (
                    n,
                    f"pier {n % 7}",
                    None if n % 41 == 12 else f"Keeper {n % 11}",
                    -n if n % 53 == 20 else n * 37 % 400,
                    f"gull {n} aboard" if n % 29 == 7 else "calm",
                ),
            )
    text = tool_answer(
        shop,
        [SERVICES.python_tool(shop, "mcp-server-sqlite"), "--db-path", os.path.join(room, "ferries.db")],
        room,
        ("read_query", {"query": "select * from trip order by id"}),
    )
    facts = each(
        "message",
        [f"'{key}'" for key in ("id", "pier", "captain", "aboard", "note")]
        + [f"gull {n} aboard" for n in range(170) if n % 29 == 7],
    )
    facts += each(
        "message",
        [f"'id': {n}, 'pier': 'pier {n % 7}', 'captain': None" for n in range(170) if n % 41 == 12]
        + [f"'aboard': -{n}" for n in range(170) if n % 53 == 20],
    )
    facts += each(
        "message", [f"'pier {n}'" for n in range(7)] + [f"'Keeper {n}'" for n in range(11)] + ["'id': 0,", "'id': 169,"]
    )
    yield made(name, SERVER, "mcp-server-sqlite read_query", text, facts)


AREA = """<section aria-label="Deck {n}"><h2>Deck {n}: {title}</h2>
<label>Ropes of deck {n} <input name="ropes{n}" value="{value}" {bad}></label>
<label><input type="checkbox" {checked}> Light deck {n}</label>
<button {off}>Sail deck {n}</button> <a href="/deck/{n}/history">History of deck {n}</a>{alert}</section>
"""


def page_snapshot(name: str, shop: Shop) -> Iterator[Item]:
    """What a tool server of a browser answers for a page; the facts are planted: headings, what is checked, broken or off, what it warns of."""
    shop.install("chromium")
    room = shop.room(name)
    body, facts = [], list[Fact]()
    for n in range(44):
        title = ("tides", "ferries", "lamps")[n % 3]
        body.append(
            AREA.format(
                n=n,
                title=title,
                value=f"{n * 13} m",
                bad='aria-invalid="true"' if n % 11 == 4 else "",
                checked="checked" if n % 9 == 5 else "",
                off="disabled" if n % 13 == 6 else "",
                alert=f'<div role="alert">Deck {n} takes water</div>' if n % 15 == 7 else "",
            )
        )
        facts += each("message", [f"Deck {n}: {title}"] + [f"Deck {n} takes water"] * (n % 15 == 7))
        facts += pairs(
            [(f"Light deck {n}", "checked")] * (n % 9 == 5)
            + [(f"Sail deck {n}", "disabled")] * (n % 13 == 6)
            + [(f"Ropes of deck {n}", "invalid")] * (n % 11 == 4)
        )
    write(os.path.join(room, "index.html"), f"<!doctype html><title>Decks</title><h1>All decks</h1>{''.join(body)}")
    command = [
        TOOLS.npm_tool(shop, "chrome-devtools-mcp"),
        "--executablePath",
        "/usr/bin/chromium",
        "--headless",
        "--isolated",
        "--chromeArg=--no-sandbox",
        "--no-usage-statistics",
    ]
    with shelf(room) as address:
        text = tool_answer(
            shop,
            command,
            room,
            ("new_page", {"url": f"{address}/index.html"}),
            ("take_snapshot", {"pageId": 2}),
            env={"CI": "1"},
        )
        text = text.replace(address, "http://decks.example")
    yield made(
        name,
        SERVER,
        "chrome-devtools-mcp take_snapshot",
        text,
        [*facts, *each("message", ("All decks", "RootWebArea"))],
        least=0.7,
    )


def json_server_run(name: str, shop: Shop) -> Iterator[Item]:
    """What json-server answers for a collection; the facts are planted: keys, states, the odd rows, the ends."""
    room, port = shop.room(name), free_port()
    rows = [
        {
            "id": n,
            "title": f"Ferry {n} {'rams' if n % 27 == 11 else 'passes'} pier {n % 12}",
            "state": "sunk" if n % 61 == 30 else ("open", "done", "late")[n % 3],
            "keeper": {"name": f"Keeper {n % 9}", "phone": None if n % 37 == 14 else f"+41 44 {n:03d}"},
            "tags": ["night"] * (n % 2) + ["fog"] * (n % 19 == 3),
        }
        for n in range(130)
    ]
    write(os.path.join(room, "db.json"), json.dumps({"trips": rows, "piers": []}))
    with (
        running(
            [TOOLS.npm_tool(shop, "json-server"), "--port", str(port), "--host", "127.0.0.1", "--quiet", "db.json"],
            room,
            lambda: listens(port),
            shop.environment(),
        ),
        urllib.request.urlopen(f"http://127.0.0.1:{port}/trips", timeout=20) as answer,
    ):
        text = answer.read().decode()
    facts = [
        *each("key", ("id", "title", "state", "keeper", "name", "phone", "tags")),
        *each(
            "message",
            (
                f'"{one}"'
                for one in ("open", "done", "late", "sunk", "night", "fog", *(f"Keeper {n}" for n in range(9)))
            ),
        ),
    ]
    facts += each(
        "message",
        [f"Ferry {n} rams pier {n % 12}" for n in range(130) if n % 27 == 11]
        + [f"Ferry {n} passes pier {n % 12}" for n in range(130) if n % 61 == 30 or n % 37 == 14 or n in {0, 129}],
    )
    yield made(name, ANSWER, "json-server db.json", text, facts, "json")


def gron_run(name: str, shop: Shop) -> Iterator[Item]:
    """`gron` of an answer of a service; the facts are planted: keys, what is null or of another kind, the odd values, the ends."""
    shop.install("gron")
    room = shop.room(name)
    rows = [
        {
            "metadata": {"name": f"ferry-{n}", "labels": {"tier": ("deck", "hull")[n % 2]}},
            "status": {
                "phase": "Sunk" if n % 31 == 12 else "Afloat",
                "restarts": n * 7 if n % 23 == 9 else 0,
                "host": None if n % 41 == 20 else f"10.0.0.{n}",
            },
        }
        for n in range(60)
    ]
    write(os.path.join(room, "pods.json"), json.dumps({"kind": "List", "items": rows}))
    text = shop.run(["gron", "--monochrome", "pods.json"], room).text
    facts = each(
        "message",
        [f'json.items[{n}].status.phase = "Sunk"' for n in range(60) if n % 31 == 12]
        + [f"json.items[{n}].status.restarts = {n * 7}" for n in range(60) if n % 23 == 9]
        + [f"json.items[{n}].status.host = null" for n in range(60) if n % 41 == 20],
    )
    facts += each(
        "message",
        [f'"ferry-{n}"' for n in range(60)]
        + ['json.kind = "List"', "metadata.labels.tier", "metadata.name", '"Afloat"', '"deck"', '"hull"'],
    )
    yield made(name, ANSWER, "gron pods.json", text, facts)


def flip_run(name: str, shop: Shop) -> Iterator[Item]:
    """`cfn-flip` of a stack into YAML; the facts are planted: every resource with its kind, and what is unlike the others."""
    room, facts = shop.room(name), list[Fact]()
    resources: dict[str, object] = {}
    for n in range(66):
        kind = ("AWS::SQS::Queue", "AWS::Lambda::Function", "AWS::IAM::Role", "AWS::S3::Bucket")[n % 4]
        about: dict[str, object] = {"Tags": [{"Key": "pier", "Value": f"pier-{n % 7}"}]}
        if n % 17 == 5:
            about["DeletionPolicyNote"] = f"delete ferry {n} with care"
        if n % 4 == 2:
            about["Policies"] = [
                {
                    "PolicyName": f"moor-{n}",
                    "Statement": {
                        "Effect": "Allow",
                        "Action": "*" if n % 12 == 6 else "sqs:SendMessage",
                        "Resource": {"Fn::GetAtt": [f"Ferry{n - 2}", "Arn"]},
                    },
                }
            ]
        resources[f"Ferry{n}"] = (
            {"Type": kind, "Properties": about}
            | ({"DeletionPolicy": "Retain"} if n % 19 == 11 else {})
            | ({"DependsOn": f"Ferry{n - 1}"} if n % 13 == 4 else {})
        )
        facts += each("name", [f"Ferry{n}"])
        facts += each(
            "message",
            [f"delete ferry {n} with care"] * (n % 17 == 5)
            + [f"DependsOn: Ferry{n - 1}"] * (n % 13 == 4)
            + [f"PolicyName: moor-{n}"] * (n % 4 == 2),
        )
    write(
        os.path.join(room, "stack.json"),
        json.dumps(
            {
                "AWSTemplateFormatVersion": "2010-09-09",
                "Description": "Ferries",
                "Resources": resources,
                "Outputs": {"FirstFerry": {"Value": {"Ref": "Ferry0"}}},
            }
        ),
    )
    text = shop.run([TOOLS.python_tool(shop, "cfn-flip"), "stack.json"], room).text
    facts += each(
        "message",
        (
            "DeletionPolicy: Retain",
            "Action: '*'",
            "Action: sqs:SendMessage",
            "Type: AWS::SQS::Queue",
            "Type: AWS::Lambda::Function",
            "Type: AWS::IAM::Role",
            "Type: AWS::S3::Bucket",
            "FirstFerry",
            "Description: Ferries",
        ),
    )
    yield made(name, INFRASTRUCTURE, "cfn-flip stack.json", text, facts)


def trafilatura_run(name: str, shop: Shop) -> Iterator[Item]:
    """What trafilatura makes of a page, as markdown; the facts are planted: headings, warnings, links that are odd, code."""
    room, facts = shop.room(name), list[Fact]()
    parts = []
    for n in range(56):
        body = f"<p>The ferry of pier {n % 7} leaves when the tide of day {n} has turned, and the keeper of lamp {n * 3} has lit it for all who wait there.</p>"
        body += f"<blockquote><p>Never cut rope {n} under load.</p></blockquote>" if n % 9 == 4 else ""
        body += f"<pre><code>moor --pier {n} --rope {n * 7}</code></pre>" if n % 7 == 2 else ""
        body += (
            f'<p>More of this is told in <a href="https://tides.example/{n}">the book of tide {n}</a>, which is old.</p>'
            if n % 5 == 1
            else ""
        )
        parts.append(f"<h2>Chapter {n}: {('ropes', 'lamps', 'tides')[n % 3]} of pier {n}</h2>{body}")
        facts += each(
            "message",
            [f"Chapter {n}: {('ropes', 'lamps', 'tides')[n % 3]} of pier {n}"]
            + [f"Never cut rope {n} under load"] * (n % 9 == 4)
            + [f"moor --pier {n} --rope {n * 7}"] * (n % 7 == 2)
            + [f"https://tides.example/{n}"] * (n % 5 == 1),
        )
    menu = "".join(f'<li><a href="/menu/{n}">Menu {n}</a></li>' for n in range(40))
    write(
        os.path.join(room, "page.html"),
        f"<!doctype html><html><head><title>Handbook</title></head><body><nav><ul>{menu}</ul></nav><main><article><h1>Handbook of the harbour</h1>{''.join(parts)}</article></main></body></html>",
    )
    text = shop.run(
        ["sh", "-c", f"{SERVICES.python_tool(shop, 'trafilatura')} --markdown --formatting --links < page.html"],
        room,
        apart=True,
    ).text
    yield made(name, PAGE, "trafilatura --markdown page.html", text, facts)


def mammoth_run(name: str, shop: Shop) -> Iterator[Item]:
    """What mammoth makes of a letter in Word's form, as markdown; the facts are planted: headings, rows that are odd, what is in bold, notes."""
    room, body, facts = shop.room(name), list[str](), list[Fact]()
    for n in range(34):
        body.append(
            f'<w:p><w:pPr><w:pStyle w:val="Heading{n % 2 + 1}"/></w:pPr><w:r><w:t>Voyage {n} to pier {n % 7}</w:t></w:r></w:p>'
        )
        facts += each("message", [f"Voyage {n} to pier {n % 7}"])
        body.append(
            "".join(
                f"<w:p><w:r><w:t>On day {k} of voyage {n} the sea was calm, and the crew of {n + k} mended ropes and lamps.</w:t></w:r></w:p>"
                for k in range(3)
            )
        )
        if n % 5 == 3:
            body.append(f"<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>Never moor at berth {n} by night</w:t></w:r></w:p>")
            facts += each("message", [f"Never moor at berth {n} by night"])
        if n % 9 == 4:
            rows = "".join(
                f"<w:tr><w:tc><w:p><w:r><w:t>rope {n}.{k}</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>{'rotten' if k == 2 else 'sound'}</w:t></w:r></w:p></w:tc></w:tr>"
                for k in range(4)
            )
            body.append(f"<w:tbl>{rows}</w:tbl>")
            facts += each("message", [f"rope {n}.2"])
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    kinds = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    with zipfile.ZipFile(os.path.join(room, "log.docx"), "w") as packed:
        packed.writestr(
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/><Override PartName="/word/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/></Types>',
        )
        packed.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="{kinds}/officeDocument" Target="word/document.xml"/></Relationships>',
        )
        packed.writestr(
            "word/_rels/document.xml.rels",
            f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="{kinds}/styles" Target="styles.xml"/></Relationships>',
        )
        packed.writestr(
            "word/styles.xml",
            f"<w:styles {space}>"
            + "".join(
                f'<w:style w:type="paragraph" w:styleId="Heading{n}"><w:name w:val="heading {n}"/></w:style>'
                for n in (1, 2)
            )
            + "</w:styles>",
        )
        packed.writestr("word/document.xml", f"<w:document {space}><w:body>{''.join(body)}</w:body></w:document>")
    text = shop.run([TOOLS.npm_tool(shop, "mammoth"), "log.docx", "--output-format=markdown"], room).text
    facts = [Fact(fact.kind, (*fact.spellings, *(one.replace(".", "\\.") for one in fact.spellings))) for fact in facts]
    yield made(name, PAGE, "mammoth log.docx --output-format=markdown", text, facts)


def notebook_text(name: str, shop: Shop) -> Iterator[Item]:
    """`jupytext --to py:percent` of a notebook; the facts are planted: headings, every function, what is imported, what is odd."""
    room, cells, facts = shop.room(name), list[dict[str, object]](), list[Fact]()
    for n in range(56):
        cells.append(
            {
                "cell_type": "markdown",
                "metadata": {},
                "id": f"m{n}",
                "source": f"## Tide {n}: {('ebb', 'flood')[n % 2]}\n\nWe read what pier {n % 7} wrote down.",
            }
        )
        code = f"import tide_{n % 9}\n\ndef read_tide_{n}(rows):\n    return [row for row in rows if row > {n}]\n\nread_tide_{n}([1, 2, {n}])"
        code += f"\n!pip install rope-{n}" if n % 13 == 5 else f"\n%timeit read_tide_{n}([3])" if n % 17 == 8 else ""
        cells.append(
            {
                "cell_type": "code",
                "metadata": {"tags": ["skip"]} if n % 19 == 4 else {},
                "id": f"c{n}",
                "execution_count": n,
                "outputs": [],
                "source": code,
            }
        )
        facts += [
            *each("message", [f"## Tide {n}:"]),
            *each("name", [f"read_tide_{n}"]),
            *each(
                "message",
                [f"!pip install rope-{n}"] * (n % 13 == 5) + [f"%timeit read_tide_{n}"] * (n % 17 == 8 and n % 13 != 5),
            ),
        ]
    write(
        os.path.join(room, "tides.ipynb"),
        json.dumps(
            {
                "cells": cells,
                "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
                "nbformat": 4,
                "nbformat_minor": 5,
            }
        ),
    )
    text = shop.run(
        [TOOLS.python_tool(shop, "jupytext"), "--to", "py:percent", "--output", "-", "tides.ipynb"], room, apart=True
    ).text
    facts += [
        *each("message", ('tags=["skip"]', "display_name: Python 3", "format_name: percent")),
        *each("name", (f"tide_{n}" for n in range(9))),
    ]
    yield made(name, NOTEBOOK, "jupytext --to py:percent --output - tides.ipynb", text, facts)


RECIPES = recipes(
    ("mcp-sqlite-trips", sqlite_answer),
    ("chrome-devtools-decks", page_snapshot),
    ("json-server-trips", json_server_run),
    ("gron-pods", gron_run),
    ("cfn-flip-ferries", flip_run),
    ("trafilatura-handbook", trafilatura_run),
    ("mammoth-voyages", mammoth_run),
    ("jupytext-tides", notebook_text),
)
