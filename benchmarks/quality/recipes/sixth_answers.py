"""Structured answers that nobody tunes on: of interfaces, registers, logs and schemas; the facts are read out of them."""

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any
from xml.etree import ElementTree as ET

from items import Fact, Item
from reports import in_json, in_xml, said_in
from shop import Shop

from recipes.fifth_suites import last_words
from recipes.held_linters import read
from recipes.held_suites import write
from recipes.sixth_tools import npm_room, tool_of
from recipes.third_linters import report_file

API, JSON, MARKUP, TABLE, LOG = "answer of an interface", "JSON", "XML", "table", "log of JSON"


def keys_of(value: object) -> Iterator[str]:
    """Every key of a document, at any depth."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield str(key)
            yield from keys_of(one)
    elif isinstance(value, list):
        for one in value:
            yield from keys_of(one)


def few_values(rows: Iterable[dict[str, Any]], key: str, name: str, most: int = 12) -> list[Fact]:
    """Every value of a column that has few, and every row that has a rare one."""
    every = [(row.get(name), row.get(key)) for row in rows if isinstance(row.get(key), str)]
    counts = Counter(json.dumps(value) for _, value in every)
    if len(counts) > most:
        return []
    facts = [Fact("message", (json.loads(one),)) for one in counts if one.startswith('"') and len(one) > 3]
    facts += [Fact("odd", (), (str(label), str(value))) for label, value in every if counts[json.dumps(value)] <= 3]
    return facts


def events_run(name: str, host: str, first: int, count: int, shop: Shop) -> Iterator[Item]:
    """Events as an interface tells them, in a list; the facts are their names, keys and actions."""
    tree = shop.npm_source("@octokit/webhooks-examples@7.6.1", shop.room(name))
    rows = json.loads(read(os.path.join(tree, host, "index.json")))[first : first + count]
    text = json.dumps(rows, indent=2) + "\n"
    facts = [Fact("message", (f'"{row["name"]}"',)) for row in rows]
    facts += [Fact("key", (key,)) for key in dict.fromkeys(keys_of(rows))]
    actions = dict.fromkeys(str(one["action"]) for row in rows for one in row["examples"] if "action" in one)
    facts += [Fact("message", (f'"{one}"',)) for one in actions]
    yield Item(name, API, "json", "gh api /events", text, said_in(facts, text))


def schema_run(name: str, shop: Shop) -> Iterator[Item]:
    """What an interface says of its own types, 5 MB; the facts are their names and kinds."""
    tree = shop.npm_source("@octokit/graphql-schema@15.26.1", shop.room(name))
    text = read(os.path.join(tree, "schema.json"))
    document = json.loads(text)
    types = next(iter(document.values()))
    types = (types.get("__schema") or types)["types"] if isinstance(types, dict) else document["__schema"]["types"]
    facts = [Fact("name", (row["name"],)) for row in types]
    facts += [Fact("message", (f'"{one}"',)) for one in dict.fromkeys(row["kind"] for row in types)]
    facts += [Fact("key", (key,)) for key in dict.fromkeys(keys_of(document))]
    yield Item(name, API, "json", "gh api graphql", text, said_in(facts, text))


def countries_run(name: str, shop: Shop) -> Iterator[Item]:
    """`jq .` of a register of countries; the facts are the countries, the keys, values of few and rare ones."""
    shop.install("jq")
    room = shop.room(name)
    tree = shop.npm_source("world-countries@5.1.0", room)
    text = shop.run(["jq", ".", "countries.json"], tree, apart=True).text
    rows = [row | {"label": row["name"]["common"]} for row in json.loads(text)]
    facts = [Fact("message", (f'"common": "{row["label"]}"', f"common: {row['label']}", row["label"])) for row in rows]
    facts += [Fact("key", (key,)) for key in rows[0] if key != "label"]
    for key in ("region", "subregion", "status", "independent", "unMember", "landlocked"):
        facts += few_values(rows, key, "label", 30)
    yield Item(name, JSON, "json", "jq . countries.json", text, said_in(in_json(facts), text))


def compact_run(name: str, shop: Shop) -> Iterator[Item]:
    """`jq -c` of the same register, a country a line; the facts are the countries, the keys, and rare values."""
    shop.install("jq")
    room = shop.room(name)
    tree = shop.npm_source("world-countries@5.1.0", room)
    wanted = (
        ".[] | {cca3, name: .name.common, capital: (.capital[0] // null), region, area, landlocked, unMember, status}"
    )
    text = shop.run(["jq", "-c", wanted, "countries.json"], tree, apart=True).text
    rows = [json.loads(line) for line in text.splitlines()]
    facts = [Fact("key", (key,)) for key in rows[0]] + [Fact("name", (row["cca3"],)) for row in rows]
    for key in ("region", "status", "unMember", "landlocked"):
        facts += few_values(rows, key, "name")
    by_area = sorted(rows, key=lambda row: row["area"])
    facts += [Fact("odd", (), (row["name"], str(row["area"]))) for row in (*by_area[:3], *by_area[-3:])]
    yield Item(name, JSON, "ndjson", "jq -c .[] countries.json", text, said_in(in_json(facts), text))


def map_run(name: str, shop: Shop) -> Iterator[Item]:
    """`jq .` of a register that is one object with a key an entry; the facts are the inner keys, sources and rare entries."""
    shop.install("jq")
    tree = shop.npm_source("mime-db@1.54.0", shop.room(name))
    text = shop.run(["jq", ".", "db.json"], tree, apart=True).text
    entries = json.loads(text)
    facts = [Fact("key", (key,)) for key in dict.fromkeys(key for row in entries.values() for key in row)]
    facts += [
        Fact("message", (f'"{one}"',))
        for one in dict.fromkeys(row["source"] for row in entries.values() if "source" in row)
    ]
    facts += [Fact("message", (f"{one}/",)) for one in dict.fromkeys(kind.split("/")[0] for kind in entries)]
    sets = Counter(row["charset"] for row in entries.values() if "charset" in row)
    facts += [Fact("message", (f'"{one}"',)) for one in sets]
    facts += [
        Fact("path", (kind,)) for kind, row in entries.items() if "charset" in row or row.get("source") == "nginx"
    ]
    facts += [Fact("path", (kind,)) for kind, row in entries.items() if len(row.get("extensions", ())) >= 5]
    yield Item(name, JSON, "json", "jq . db.json", text, said_in(facts, text))


def sarif_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """Findings of a linter as SARIF; the facts are their rules, files, messages and kinds."""
    room = shop.room(name)
    tree = shop.sdist(source, room)
    tool = tool_of(shop, "ruff")
    command = [
        tool,
        "check",
        "--isolated",
        "--no-cache",
        "--select",
        "E,F,W,B,SIM",
        "--exit-zero",
        "--output-format",
        "sarif",
        folder,
    ]
    text = shop.run(command, tree, apart=True).text.replace(f"file://{tree}/", "").replace(f"{tree}/", "")
    run = json.loads(text)["runs"][0]
    facts = [Fact("key", (key,)) for key in dict.fromkeys(keys_of(run["results"]))]
    for row in run["results"]:
        place = row["locations"][0]["physicalLocation"]
        facts += [Fact("code", (row["ruleId"],)), Fact("path", (place["artifactLocation"]["uri"],))]
        facts += [Fact("message", (row["message"]["text"].split("\n")[0][:90],))]
    yield Item(name, JSON, "json", f"cat {name.rsplit('-', maxsplit=1)[-1]}.sarif", text, said_in(in_json(facts), text))


TYPES = {"class", "interface", "record", "enumeration", "bitfield", "union", "callback", "include"}


def gir_run(name: str, file: str, shop: Shop) -> Iterator[Item]:
    """The description of a library's interface for other languages; the facts are its types and constants."""
    where = shop.debian_package("libgirepository1.0-dev")
    text = read(os.path.join(where, "usr", "share", "gir-1.0", file))
    core = "{http://www.gtk.org/introspection/core/1.0}"
    facts = [
        Fact("message", (f'name="{element.get("name")}"', f"name={element.get('name')} "))
        for element in ET.fromstring(text).iter()
        if element.tag.removeprefix(core) in TYPES and element.get("name")
    ]
    facts += [
        Fact("key", (one.removeprefix(core),))
        for one in dict.fromkeys(str(one.tag) for one in ET.fromstring(text))
        if "}" in one and core in one
    ]
    yield Item(name, MARKUP, "xml", f"cat {file}", text, said_in(facts, text))


def xsd_run(name: str, source: str, path: str, shop: Shop) -> Iterator[Item]:
    """A schema of XML documents; the facts are the names of its elements, types, groups and attributes."""
    tree = shop.sdist(source, shop.room(name))
    text = read(os.path.join(tree, path))
    text = text[text.index("<", text.index("]>") + 2 if "]>" in text else 0) :]
    facts = [Fact("name", (str(one.get("name")),)) for one in ET.fromstring(text).iter() if one.get("name")]
    facts += [
        Fact("message", (str(one.get("value")),))
        for one in ET.fromstring(text).iter()
        if one.tag.endswith("}enumeration")
    ]
    yield Item(name, MARKUP, "xml", f"cat {os.path.basename(path)}", text, said_in(facts, text))


def lint_xml(name: str, shop: Shop) -> Iterator[Item]:
    """`xmllint --format` of the register of countries; the facts are the countries and the elements."""
    shop.install("xmllint", "libxml2-utils")
    tree = shop.npm_source("world-countries@5.1.0", shop.room(name))
    text = shop.run(["xmllint", "--format", "dist/countries.xml"], tree, apart=True).text
    root = ET.fromstring(text)
    rows = json.loads(read(os.path.join(tree, "dist", "countries.json")))
    facts = [Fact("key", (key,)) for key in dict.fromkeys(str(one.tag) for one in root.iter())]
    facts += [Fact("key", (key,)) for key in dict.fromkeys(key for one in root.iter() for key in one.attrib)]
    facts += [Fact("message", (row["name"]["common"],)) for row in rows]
    facts += [Fact("message", (one,)) for one in dict.fromkeys(row["subregion"] for row in rows) if one]
    yield Item(name, MARKUP, "xml", "xmllint --format countries.xml", text, said_in(in_xml(facts), text))


SERVER = """const fastify = require('fastify')({ logger: { level: 'debug' }, disableRequestLogging: false });
fastify.get('/shelf/:n', async (request, reply) => {
  const n = Number(request.params.n);
  if (n % 97 === 13) throw new Error(`scales of shelf ${n} are broken`);
  if (n % 131 === 7) { request.log.warn({ shelf: n, weight: n * 31, limit: 900 }, 'too heavy'); }
  if (n === 411) { request.log.fatal({ shelf: n, door: 'jammed' }, 'door is jammed'); return reply.code(503).send({ shelf: n }); }
  return { shelf: n, weight: n * 37 % 911 };
});
(async () => { for (let n = 0; n < 700; n++) await fastify.inject({ url: n % 150 === 77 ? `/lost/${n}` : `/shelf/${n}`, remoteAddress: `10.0.0.${n % 7}` }); })();
"""


def pino_run(name: str, shop: Shop) -> Iterator[Item]:
    """What a server of fastify's logs, JSON lines; the facts are what went wrong, and the keys."""
    room = npm_room(shop)
    script = write(os.path.join(room, "shelves.cjs"), SERVER)
    text = report_file(shop, ["node", script], room, shop.room(name)).replace(room, "/room")
    facts = [
        Fact("key", (key,))
        for key in dict.fromkeys(key for line in text.splitlines() for key in keys_of(json.loads(line)))
    ]
    facts += [Fact("message", (f"scales of shelf {n} are broken",)) for n in range(13, 700, 97) if n % 150 != 77]
    facts += [Fact("odd", (), (str(n), str(n * 31), "too heavy")) for n in range(7, 700, 131)]
    facts += [Fact("message", (f"Route GET:/lost/{n} not found",)) for n in range(77, 700, 150)]
    facts += [
        Fact("message", (one,))
        for one in (
            "door is jammed",
            '"statusCode":503',
            '"statusCode":500',
            '"statusCode":404',
            "incoming request",
            "request completed",
        )
    ]
    yield Item(name, LOG, "ndjson", "cat shelves.ndjson", text, said_in(facts, text))


def zones_run(name: str, shop: Shop) -> Iterator[Item]:
    """The table of the world's time zones; the facts are the zones and the remarks on top."""
    shop.room(name)
    text = read(os.path.join(shop.debian_package("tzdata"), "usr", "share", "zoneinfo", "zone1970.tab"))
    rows = [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
    facts = [Fact("path", (row[2],)) for row in rows]
    facts += [Fact("message", (row[3],)) for row in rows if len(row) > 3 and row[0].count(",") >= 4]
    facts += last_words(text, r"^#country-.*|^# This .*|^#codes.*")
    yield Item(name, TABLE, "text", "cat zone1970.tab", text, said_in(facts, text))


def characters_run(name: str, shop: Shop) -> Iterator[Item]:
    """Unicode's table of characters, 2 MB; the facts are its categories, ranges and the rows of rare kinds."""
    shop.room(name)
    text = read(os.path.join(shop.debian_package("unicode-data"), "usr", "share", "unicode", "UnicodeData.txt"))
    rows = [line.split(";") for line in text.splitlines()]
    facts = [Fact("message", (f";{one};",)) for one in dict.fromkeys(row[2] for row in rows)]
    facts += [Fact("message", (row[1],)) for row in rows if row[1].startswith("<") and "control" not in row[1]]
    for column in (2, 4):
        counts = Counter(row[column] for row in rows)
        facts += [Fact("odd", (), (row[1], row[column])) for row in rows if counts[row[column]] <= 3]
    facts += [Fact("message", (";".join(rows[0]),)), Fact("message", (";".join(rows[-1]),))]
    yield Item(name, TABLE, "text", "cat UnicodeData.txt", text, said_in(facts, text))


def devices_run(name: str, shop: Shop) -> Iterator[Item]:
    """The register of PCI devices, 1 MB; the facts are its vendors with most devices, its classes, and its head."""
    shop.room(name)
    text = read(next(os.path.join(shop.debian_package("pci.ids"), one) for one in ("usr/share/misc/pci.ids",)))
    text = re.sub(r"\r", "", text)
    vendors: dict[str, int] = {}
    here = ""
    for line in text.splitlines():
        if re.match(r"[0-9a-f]{4}  ", line):
            here = line
            vendors[here] = 0
        elif re.match(r"\t[0-9a-f]{4}  ", line) and here:
            vendors[here] += 1
    facts = [Fact("message", (line.split("  ", 1)[1],)) for line, count in vendors.items() if count >= 25]
    facts += [Fact("message", (line[6:],)) for line in re.findall(r"^C [0-9a-f]{2}  .*", text, re.MULTILINE)]
    facts += last_words(text, r"^#\s+(?:Version|Date): .*")
    yield Item(name, TABLE, "text", "cat pci.ids", text, said_in(facts, text))


RECIPES = {
    "gh-events": partial(events_run, "gh-events", "api.github.com", 0, 9),
    "gh-events-all": partial(events_run, "gh-events-all", "ghes-35", 0, 400),
    "gh-graphql": partial(schema_run, "gh-graphql"),
    "jq-countries": partial(countries_run, "jq-countries"),
    "jq-compact": partial(compact_run, "jq-compact"),
    "jq-map": partial(map_run, "jq-map"),
    "sarif-sphinx": partial(sarif_run, "sarif-sphinx", "sphinx==7.4.0", "sphinx/ext"),
    "gir-gmodule": partial(gir_run, "gir-gobject", "GObject-2.0.gir"),
    "gir-gio": partial(gir_run, "gir-gio", "Gio-2.0.gir"),
    "xsd-schema": partial(xsd_run, "xsd-schema", "xmlschema==3.4.2", "xmlschema/schemas/XSD_1.1/XMLSchema.xsd"),
    "xmllint-countries": partial(lint_xml, "xmllint-countries"),
    "ndjson-fastify": partial(pino_run, "ndjson-fastify"),
    "tab-zones": partial(zones_run, "tab-zones"),
    "txt-unicode": partial(characters_run, "txt-unicode"),
    "ids-pci": partial(devices_run, "ids-pci"),
}
