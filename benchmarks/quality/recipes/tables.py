"""Tables and records: what databases, package managers and data sets print. Facts are the keys and the odd rows."""

import csv
import io
import json
import os
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from xml.etree import ElementTree as ET

from items import Fact, Item
from reports import directory_facts, in_json, in_xml, said_in
from shop import CannotMake, Shop, change

TABLE, RECORDS = "table", "JSON records"
FEW_VALUES, RARE = 12, 3
"""A column of at most so many values is a kind; a value of at most so many rows is odd."""


def row_facts(rows: Sequence[Mapping[str, object]], key: str, *, names: bool = True) -> list[Fact]:
    """What somebody asks of rows: the columns, the values of a kind, the ends of every range, the odd rows by `key`."""
    facts = [Fact("name", (name,)) for name in rows[0]] if names else []
    for name in rows[0]:
        values = Counter(str(row.get(name)) for row in rows if row.get(name) not in (None, ""))
        numbers = [_number(row.get(name)) for row in rows]
        if len(values) <= FEW_VALUES:
            facts += [Fact("name", (value,)) for value in values if len(value) > 1]
            odd = {value for value, count in values.items() if count <= RARE and count * 20 < len(rows)}
            facts += [Fact("name", (str(row[key]),)) for row in rows if str(row.get(name)) in odd]
        elif name != key and sum(number is not None for number in numbers) > len(rows) // 2:
            known = [(number, row) for number, row in zip(numbers, rows, strict=True) if number is not None]
            for _, row in (min(known, key=lambda one: one[0]), max(known, key=lambda one: one[0])):
                facts.append(Fact("count", (str(row[name]),)))
    return list(dict.fromkeys(facts))


def _number(value: object) -> float | None:
    try:
        return float(str(value)) if not isinstance(value, bool) else None
    except ValueError:
        return None


def dpkg_list(name: str, shop: Shop) -> Iterator[Item]:
    """`dpkg -l` of this machine's packages, some of which are half installed or of another architecture by now."""
    shop.need("dpkg")
    room = shop.room(name)
    status = os.path.join(room, "status")
    with open("/var/lib/dpkg/status", encoding="utf-8") as file, open(status, "w", encoding="utf-8") as out:
        out.write(file.read())
    packages = re.findall(r"^Package: (\S+)$", _read(status), re.MULTILINE)
    chosen = packages[7 :: max(1, len(packages) // 5)][:5]
    states = ("deinstall ok config-files", "install ok half-configured", "install ok unpacked", "hold ok installed")
    for package, state in zip(chosen, states, strict=False):
        change(status, f"Package: {package}\nStatus: install ok installed", f"Package: {package}\nStatus: {state}")
    os.makedirs(os.path.join(room, "info"))
    os.makedirs(os.path.join(room, "updates"))
    text = shop.run(["dpkg", f"--admindir={room}", "-l"], room, env={"COLUMNS": "160"}).text
    asked = [
        "dpkg-query",
        f"--admindir={room}",
        "-W",
        "-f",
        "${db:Status-Abbrev}\t${Package}\t${Version}\t${Architecture}\n",
    ]
    rows = [line.split("\t") for line in shop.run(asked, room).text.splitlines()]
    facts = [Fact("odd", (), (state.strip(), package)) for state, package, *_ in rows if state.strip() != "ii"]
    facts += [Fact("name", (package,)) for _, package, *_ in rows]
    facts += [Fact("name", (kind,)) for kind in {row[3] for row in rows}]
    yield Item(name, TABLE, "text", "dpkg -l", text, said_in(facts, text))


def _read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def sqlite_table(name: str, style: str, shop: Shop) -> Iterator[Item]:
    """A table in `sqlite3`: the modules of the standard library, with their sizes; the facts are asked in SQL."""
    shop.need("sqlite3", package="sqlite3")
    room = shop.room(name)
    base = sqlite3.connect(os.path.join(room, "modules.db"))
    base.execute("create table modules (id integer primary key, path text, lines integer, license text, stage text)")
    library = os.path.dirname(os.__file__)
    paths = sorted(
        os.path.relpath(os.path.join(folder, one), library)
        for folder, _, names in os.walk(library)
        for one in names
        if one.endswith(".py") and "site-packages" not in folder and "test" not in folder
    )
    for number, path in enumerate(paths):
        with open(os.path.join(library, path), "rb") as file:
            lines = file.read().count(b"\n")
        stage = "withdrawn" if number % 211 == 210 else "draft" if number % 97 == 96 else "stable"
        base.execute("insert into modules values (?, ?, ?, ?, ?)", (number, path, lines, "PSF-2.0", stage))
    base.commit()
    rows = [
        dict(zip(("id", "path", "lines", "license", "stage"), row, strict=True))
        for row in base.execute("select * from modules")
    ]
    base.close()
    command = ["sqlite3", "-header", f"-{style}", "modules.db", "select * from modules"]
    text = shop.run(command, room).text
    facts = row_facts(rows, "path") + list(directory_facts("", (str(row["path"]) for row in rows)))
    yield Item(name, TABLE, "text", "sqlite3", text, said_in(facts, text))


DATA = "vega-datasets@2.11.0"


def data_csv(name: str, file: str, key: str, shop: Shop) -> Iterator[Item]:
    """A file of comma-separated values."""
    text = _read(os.path.join(shop.npm_source(DATA, shop.room(name)), "data", file))
    rows = list(csv.DictReader(io.StringIO(text)))
    yield Item(name, TABLE, "text", f"cat {file}", text, said_in(row_facts(rows, key), text))


def data_json(name: str, file: str, key: str, shop: Shop) -> Iterator[Item]:
    """An array of objects in JSON."""
    text = _read(os.path.join(shop.npm_source(DATA, shop.room(name)), "data", file))
    rows = json.loads(text)
    keys = [Fact("key", (one,)) for one in rows[0]]
    facts = [*keys, *row_facts(rows, key, names=False)]
    yield Item(name, RECORDS, "json", f"cat {file}", text, said_in(in_json(facts), text))


def coverage_run(name: str, shop: Shop) -> Iterator[Item]:
    """`coverage report -m` and `coverage xml` after some tests; the facts are those of `coverage json`."""
    python = shop.python("coverage", "coverage==7.6.1", "pytest==8.3.3")
    tree = shop.sdist("networkx==3.3", shop.room(name))
    tests = ["networkx/classes/tests/test_graph.py", "networkx/utils/tests/test_misc.py"]
    env = {"PYTHONPATH": tree}
    flags = ["run", "--source=networkx", "--omit=*/tests/*", "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    shop.run([python, "-m", "coverage", *flags], tree, seconds=400, env=env)
    text = shop.run([python, "-m", "coverage", "report"], tree, env=env).text
    shop.run([python, "-m", "coverage", "json", "-q", "-o", "c.json"], tree, env=env)
    shop.run([python, "-m", "coverage", "xml", "-q", "-o", "c.xml"], tree, env=env)
    listed = json.loads(_read(os.path.join(tree, "c.json")))
    files = {path: one["summary"] for path, one in listed["files"].items()}
    worst = sorted(files, key=lambda path: -files[path]["missing_lines"])[:15]
    best = [path for path, one in files.items() if one["num_statements"] > 8 and one["percent_covered"] > 80]
    facts = [Fact("odd", (), (path, str(files[path]["missing_lines"]))) for path in worst]
    facts += [Fact("path", (path,)) for path in best]
    facts += directory_facts("", files)
    total = listed["totals"]
    facts.append(Fact("odd", (), ("TOTAL", str(total["missing_lines"]), f"{total['percent_covered_display']}%")))
    yield Item(f"{name}-report", TABLE, "text", "coverage report", text, said_in(facts, text))
    xml = _read(os.path.join(tree, "c.xml"))
    inside = [Fact("path", (path.removeprefix("networkx/"),)) for path in (*worst, *best)]
    inside += [Fact("name", (one.get("name") or "",)) for one in ET.fromstring(xml).iter("package")]
    yield Item(f"{name}-xml", "XML", "xml", "coverage xml", xml, said_in(in_xml(inside), xml))


def mime_xml(name: str, shop: Shop) -> Iterator[Item]:
    """The types of files that desktops know; the facts are the names of elements, the types, and the odd attributes."""
    tree = shop.debian_package("shared-mime-info")
    text = _read(os.path.join(tree, "usr", "share", "mime", "packages", "freedesktop.org.xml"))
    text = re.sub(r"\n\s*<comment xml:lang=.*?</comment>", "", text, flags=re.DOTALL)
    text = re.sub(r"<!(?:DOCTYPE|ELEMENT|ATTLIST|ENTITY).*?\]>|<!--.*?-->", "", text, count=40, flags=re.DOTALL)
    root = ET.fromstring(text)
    tags = Counter(element.tag.rpartition("}")[2] for element in root.iter())
    facts = [Fact("key", (tag,)) for tag in tags]
    facts += [Fact("name", (one.get("type") or "",)) for one in root if one.get("type")]
    yield Item(name, "XML", "xml", "cat freedesktop.org.xml", text, said_in(facts, text))


def disk_use(name: str, package: str, shop: Shop) -> Iterator[Item]:
    """`du -a` of a package; the facts are every directory, and the largest files with their sizes."""
    room = shop.room(name)
    tree = shop.npm_source(package, room) if "@" in package else shop.sdist(package, room)
    text = shop.run(["du", "-a", "--apparent-size", "--block-size=1", "."], tree).text
    rows = [line.split("\t") for line in text.splitlines()]
    files = [(int(size), path.removeprefix("./")) for size, path in rows if os.path.isfile(os.path.join(tree, path))]
    if not files:
        raise CannotMake("du listed nothing")
    large = sorted(files, reverse=True)[:15]
    facts = [Fact("odd", (), (path, str(size))) for size, path in large] + list(
        directory_facts("", (path for _, path in files))
    )
    yield Item(name, "listing and matches", "text", "du -a", text, said_in(facts, text))


def certificates(name: str, shop: Shop) -> Iterator[Item]:
    """`openssl x509 -text` of every authority this machine trusts; the facts are asked one certificate at a time."""
    shop.need("openssl")
    bundle = "/etc/ssl/certs/ca-certificates.crt"
    if not os.path.exists(bundle):
        raise CannotMake("this machine trusts nobody")
    room = shop.room(name)
    found = re.findall(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", _read(bundle), re.DOTALL)[::4]
    text, rows = "", []
    for number, one in enumerate(found):
        path = os.path.join(room, f"{number}.pem")
        with open(path, "w", encoding="utf-8") as out:
            out.write(one)
        text += shop.run(["openssl", "x509", "-in", path, "-noout", "-text"], room).text
        said = shop.run(["openssl", "x509", "-in", path, "-noout", "-subject", "-enddate", "-serial"], room).text
        rows.append(dict(line.split("=", 1) for line in said.splitlines() if "=" in line))
    facts = [Fact("name", (row["subject"].strip(),)) for row in rows]
    years = Counter(row["notAfter"].split()[3] for row in rows)
    first = min(rows, key=lambda row: (row["notAfter"].split()[3], row["notAfter"]))
    facts += [Fact("odd", (first["notAfter"],))]
    kinds = Counter(re.findall(r"Signature Algorithm: (\S+)", text))
    facts += [Fact("name", (kind,)) for kind in kinds] + [
        Fact("count", (year,)) for year in years if years[year] <= RARE
    ]
    yield Item(name, "key and value", "text", "openssl x509 -text", text, said_in(facts, text))


RECIPES = {
    "dpkg-l": partial(dpkg_list, "dpkg-l"),
    "sqlite-column-modules": partial(sqlite_table, "sqlite-column-modules", "column"),
    "sqlite-box-modules": partial(sqlite_table, "sqlite-box-modules", "box"),
    "csv-airports": partial(data_csv, "csv-airports", "airports.csv", "iata"),
    "csv-weather": partial(data_csv, "csv-weather", "seattle-weather.csv", "date"),
    "json-cars": partial(data_json, "json-cars", "cars.json", "Name"),
    "json-movies": partial(data_json, "json-movies", "movies.json", "Title"),
    "coverage-networkx": partial(coverage_run, "coverage-networkx"),
    "xml-mime-types": partial(mime_xml, "xml-mime-types"),
    "du-networkx": partial(disk_use, "du-networkx", "networkx==3.3"),
    "du-typescript": partial(disk_use, "du-typescript", "typescript@5.6.3"),
    "openssl-x509": partial(certificates, "openssl-x509"),
}
