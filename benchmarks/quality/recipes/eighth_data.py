"""Checkers of data, of schemas and of genes that nobody tunes on; their JSON or planted mistakes tell the facts."""

import json
import os
import random
import re
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import Diagnostic, diagnostic_facts, said_in
from shop import Shop

from recipes.eighth_tools import INTERFACES, tool_of
from recipes.fifth_suites import last_words, plain
from recipes.held_suites import write

DATA, XML, GENES, MIGRATION = "checker of data", "XML check", "genes", "migration check"


def tables(room: str) -> list[str]:
    """Tables of catches with a schema; some cells do not hold to it."""
    paths = []
    fields = [
        {"name": "id", "type": "integer", "constraints": {"required": True, "unique": True}},
        {"name": "boat", "type": "string", "constraints": {"pattern": "boat-[0-9]+"}},
        {"name": "day", "type": "date"},
        {"name": "tonnes", "type": "number", "constraints": {"maximum": 500}},
        {"name": "kind", "type": "string", "constraints": {"enum": ["cod", "ling", "hake"]}},
    ]
    resources = []
    for table in range(5):
        lines = ["id,boat,day,tonnes,kind" if table != 3 else "id,boat,day,tones,kind"]
        for number in range(90):
            at = table * 90 + number
            row = [
                str(number),
                f"boat-{at}",
                f"2026-0{number % 9 + 1}-1{number % 9}",
                str(at % 300),
                ("cod", "ling", "hake")[number % 3],
            ]
            if at % 23 == 6:
                row[2] = f"1{at % 9}.13.2026"
            if at % 31 == 11:
                row[3] = "plenty"
            if at % 37 == 8:
                row[4] = f"eel-{at}"
            if at % 41 == 30:
                row[0] = "3"
            if at % 53 == 20:
                row = row[:3]
            if at % 59 == 33:
                row.append("extra")
            lines.append(",".join(row))
        paths.append(f"catch{table}.csv")
        write(os.path.join(room, paths[-1]), "\n".join(lines) + "\n")
        resources.append({"name": f"catch{table}", "path": paths[-1], "schema": {"fields": fields}})
    write(os.path.join(room, "datapackage.json"), json.dumps({"name": "catches", "resources": resources}))
    return paths


def frictionless_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `frictionless validate` prints of tables; the facts are those of its JSON: every kind, message and place."""
    python = INTERFACES.python(shop)
    room = shop.room(name)
    tables(room)
    tool = os.path.join(os.path.dirname(python), "frictionless")
    text = plain(shop.run([tool, "validate", "datapackage.json"], room, env={"COLUMNS": "200"}).text)
    about = json.loads(shop.run([tool, "validate", "datapackage.json", "--json"], room, apart=True).text)
    facts = []
    for task in about["tasks"]:
        facts.append(Fact("name", (task["name"],)))
        for one in task["errors"]:
            row, field = one.get("rowNumber"), one.get("fieldNumber")
            facts.append(Fact("name", (one["type"],)))
            facts += (
                [Fact("odd", (), (str(row), str(field), one["type"]))]
                if row and field
                else [Fact("odd", (), (str(row), one["type"]))]
                if row
                else []
            )
    yield Item(name, DATA, "text", "frictionless validate datapackage.json", text, said_in(facts, text))


GRAMMAR = """<grammar xmlns="http://relaxng.org/ns/structure/1.0" datatypeLibrary="http://www.w3.org/2001/XMLSchema-datatypes"><start><element name="quay"><oneOrMore><element name="berth">
<attribute name="id"><data type="positiveInteger"/></attribute><attribute name="side"><choice><value>port</value><value>starboard</value></choice></attribute>
<element name="length"><data type="decimal"/></element><zeroOrMore><element name="boat"><attribute name="name"/><optional><element name="crew"><data type="integer"/></element></optional></element></zeroOrMore>
</element></oneOrMore></element></start></grammar>
"""


def berth(number: int) -> str:
    """A berth in XML, a line an element; every few do not hold to the grammar."""
    side = "larboard" if number % 17 == 5 else ("port", "starboard")[number % 2]
    length = "long" if number % 13 == 4 else f"{number % 30}.5"
    boat = (
        f'<ship name="dory {number}"/>'
        if number % 19 == 8
        else f'<boat name="dory {number}"/>'
        if number % 23 != 9
        else f'<boat flag="{number}"/>'
    )
    number_ = f"-{number}" if number % 29 == 12 else str(number + 1)
    crew = f'<boat name="smack {number}"><crew>many</crew></boat>' if number % 11 == 6 else ""
    return f'<berth id="{number_}" side="{side}">\n<length>{length}</length>\n{boat}\n{crew}</berth>\n'


def jing_run(name: str, shop: Shop) -> Iterator[Item]:
    """What jing says of documents, a finding a line; the facts are every message with a place, and every file."""
    shop.install("jing")
    room = shop.room(name)
    write(os.path.join(room, "quay.rng"), GRAMMAR)
    paths = [f"areas/area{part}.xml" for part in range(24)]
    for part, path in enumerate(paths):
        write(
            os.path.join(room, path),
            "<quay>\n"
            + "".join(berth(part * 24 + n) for n in range(24))
            + ("</quay>\n" if part != 23 else "</quai>\n"),
        )
    text = shop.run(["jing", "quay.rng", *paths], room).text.replace(f"{room}/", "")
    rows = re.findall(r"^(areas/\S+):(\d+):(\d+): (?:error|fatal): (.*)$", text, re.MULTILINE)
    found = [Diagnostic(path, f"{path}:{line}:{column}", "", said) for path, line, column, said in rows]
    yield Item(name, XML, "text", "jing quay.rng areas/*.xml", text, said_in(diagnostic_facts(found), text))


def variants(room: str) -> None:
    """Places where genes of made-up fish differ; a few are rare."""
    dice = random.Random(4)
    names = [f"cod{n}" for n in range(84)]
    lines = [
        "##fileformat=VCFv4.2",
        "##source=quay",
        '##FILTER=<ID=lowq,Description="Low quality">',
        '##FILTER=<ID=strand,Description="One strand only">',
        '##INFO=<ID=DP,Number=1,Type=Integer,Description="Depth">',
        '##INFO=<ID=AF,Number=A,Type=Float,Description="Share">',
        '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
    ]
    lines += [f"##contig=<ID=chr{n},length=900000>" for n in range(1, 9)] + [
        "#" + "\t".join(["CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT", *names])
    ]
    for number in range(640):
        chrom, at = f"chr{number // 80 + 1}", 1000 + number % 80 * 9000 + number
        ref, alt = dice.choice("ACGT"), dice.choice("ACGT")
        alt = alt if alt != ref else "ACGT"["ACGT".index(ref) - 1]
        if number % 31 == 9:
            alt = ref + "GATTACA"[: number % 7 + 1]
        passed = "strand" if number % 211 == 100 else "lowq" if number % 53 == 20 else "PASS"
        calls = [("./." if (number + k) % 97 == 3 else f"{dice.randint(0, 1)}/{dice.randint(0, 1)}") for k in range(84)]
        quality = 3 if passed == "lowq" else dice.randint(40, 99)
        lines.append(
            "\t".join(
                [
                    chrom,
                    str(at),
                    f"rs{70000 + number}",
                    ref,
                    alt,
                    str(quality),
                    passed,
                    f"DP={dice.randint(10, 90)};AF={dice.random():.2f}",
                    "GT",
                    *calls,
                ]
            )
        )
    write(os.path.join(room, "cod.vcf"), "\n".join(lines) + "\n")


def genes_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `bcftools stats` counts; the facts are its sums, sections, and the counts of every fish."""
    shop.install("bcftools")
    room = shop.room(name)
    variants(room)
    text = shop.run(["bcftools", "stats", "-s", "-", "cod.vcf"], room).text.replace(f"{room}/", "")
    facts = [Fact("message", (one,)) for one in re.findall(r"^# [A-Z]+, (.+?):?$", text, re.MULTILINE)]
    facts += [
        Fact("message", (f"{words}:\t{count}",))
        for words, count in re.findall(r"^SN\t0\t(.*?):\t(\d+)$", text, re.MULTILINE)
    ]
    facts += [
        Fact("odd", (), ("PSC", fish, *row.split("\t")[:3]))
        for fish, row in re.findall(r"^PSC\t0\t(\w+)\t(.*)$", text, re.MULTILINE)
    ]
    facts += [
        Fact("odd", (), ("ST", kind, count)) for kind, count in re.findall(r"^ST\t0\t(\S+)\t(\d+)$", text, re.MULTILINE)
    ]
    facts += last_words(text, r"^TSTV\t.*$|^IDD\t.*$")
    yield Item(name, GENES, "text", "bcftools stats -s - cod.vcf", text, said_in(facts, text))


def migration(number: int) -> str:
    """A step of a database; every few would lock it or break who reads it."""
    table = f"catch_{number}"
    steps = {
        1: f"ALTER TABLE {table} ADD COLUMN tonnes integer NOT NULL;", 2: f"CREATE INDEX {table}_at ON {table} (day);", 3: f"ALTER TABLE {table} RENAME COLUMN boat TO ship;",
        4: f"ALTER TABLE {table} DROP COLUMN note;", 5: f"ALTER TABLE {table} ALTER COLUMN id TYPE bigint;", 6: f"ALTER TABLE {table} ADD CONSTRAINT positive_{number} CHECK (tonnes > 0);",
        7: f"ALTER TABLE {table} ADD CONSTRAINT home_{number} FOREIGN KEY (port) REFERENCES ports (id);", 8: f"DROP TABLE old_{table};", 9: f"ALTER TABLE {table} ADD COLUMN fee char(9);", 0: f"ALTER TABLE {table} RENAME TO landed_{number};",
    }  # fmt: skip
    plain_step = (
        f"CREATE TABLE IF NOT EXISTS log_{number} (id bigint generated by default as identity primary key, said text);"
    )
    return f"-- step {number}\n{plain_step}\n{steps[number % 10] if number % 3 else ''}\n"


def squawk_run(name: str, shop: Shop) -> Iterator[Item]:
    """What squawk says of the steps of a database; the facts are those of its JSON."""
    tool = tool_of(shop, "squawk")
    room = shop.room(name)
    paths = [f"migrations/{number:03}.sql" for number in range(48)]
    for number, path in enumerate(paths):
        write(os.path.join(room, path), migration(number))
    text = plain(shop.run([tool, *paths], room).text)
    rows = json.loads(shop.run([tool, "--reporter", "Json", *paths], room, apart=True).text)
    facts = []
    for row in rows:
        facts += [
            Fact("path", (row["file"],)),
            Fact("message", (row["rule_name"],)),
            Fact("message", (row["message"].split("\n")[0][:80].strip(),)),
        ]
        facts += [Fact("message", (f"{row['file']}:{row['line'] + 1}:", f"{row['file']}:{row['line']}:"))]
    facts += last_words(text, r"^Found \d+ issues.*$|^.*Find detailed examples.*$")
    yield Item(name, MIGRATION, "text", "squawk migrations/*.sql", text, said_in(facts, text))


RECIPES = {
    "frictionless-catches": partial(frictionless_run, "frictionless-catches"),
    "jing-areas": partial(jing_run, "jing-areas"),
    "bcftools-cod": partial(genes_run, "bcftools-cod"),
    "squawk-steps": partial(squawk_run, "squawk-steps"),
}
