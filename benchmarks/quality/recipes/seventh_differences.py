"""Differences of documents, tables, notebooks and texts that nobody tunes on; what was changed is planted."""

import csv
import json
import os
import random
from collections.abc import Iterator
from functools import partial
from xml.etree import ElementTree as ET

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.fifth_suites import plain
from recipes.fourth_consoles import parcels
from recipes.held_linters import read
from recipes.held_suites import write
from recipes.seventh_tools import npm_tool, tool_of
from recipes.third_linters import report_file

DIFFERENCE, NOTEBOOK = "difference", "notebook"


def lock_files(shop: Shop, name: str) -> tuple[str, dict[str, tuple[str, str]], list[str]]:
    """Two lock files of the same project in one room; what changed its version, and what is new."""
    room = shop.room(name)
    sides = []
    for side, needs in (
        ("old", {"express": "4.17.1", "mocha": "9.2.2"}),
        ("new", {"express": "4.19.2", "mocha": "10.7.3"}),
    ):
        folder = os.path.join(room, side)
        write(
            os.path.join(folder, "package.json"),
            json.dumps({"name": "shelves", "version": "1.0.0", "dependencies": needs}),
        )
        command = ["npm", "install", "--package-lock-only", "--no-audit", "--no-fund", "--ignore-scripts"]
        shop.run(command, folder)
        path = os.path.join(folder, "package-lock.json")
        lock = json.loads(read(path))
        for row in lock["packages"].values():
            row.pop("resolved", None)
        write(path, json.dumps(lock, indent=2) + "\n")
        sides.append({key: str(row.get("version")) for key, row in lock["packages"].items() if key})
    old, new = sides
    changed = {key: (old[key], new[key]) for key in old if key in new and old[key] != new[key]}
    return room, changed, [key for key in (*old, *new) if (key in old) != (key in new)]


def deep_run(name: str, shop: Shop) -> Iterator[Item]:
    """`deep diff` of two lock files; the facts are every package that changed, came or went."""
    room, changed, moved = lock_files(shop, name)
    text = shop.run(
        [tool_of(shop, "deep"), "diff", "old/package-lock.json", "new/package-lock.json"], room, apart=True
    ).text
    facts = [Fact("message", (f"['{key}']",)) for key in (*changed, *moved)]
    kinds = ("values_changed", "dictionary_item_added", "dictionary_item_removed", "type_changes")
    facts += [Fact("name", (one,)) for one in kinds]
    yield Item(
        name, DIFFERENCE, "json", "deep diff old/package-lock.json new/package-lock.json", text, said_in(facts, text)
    )


def side_run(name: str, shop: Shop) -> Iterator[Item]:
    """`sdiff` of two lock files, side by side; the facts are every package that changed, with both versions, or came or went."""
    room, changed, moved = lock_files(shop, name)
    text = shop.run(["sdiff", "-w", "150", "old/package-lock.json", "new/package-lock.json"], room).text
    facts = [Fact("odd", (), (f'"version": "{old}"', f'"version": "{new}"')) for old, new in changed.values()]
    facts += [Fact("message", (f'"{key}"',)) for key in (*changed, *moved)]
    yield Item(name, DIFFERENCE, "text", "sdiff -w 150 old new", text, said_in(facts, text))


def tables(room: str) -> tuple[list[str], list[str], list[str]]:
    """Two tables of parcels; what was changed, dropped and added."""
    rows = parcels(500)
    chance = random.Random(7)
    changed, dropped, added = [], [], []
    for side in ("old", "new"):
        with open(os.path.join(room, f"{side}.csv"), "w", encoding="utf-8", newline="") as out:
            table = csv.DictWriter(out, list(rows[0]))
            table.writeheader()
            for row in rows:
                shown = dict(row)
                key, kind = str(row["parcel"]), chance.random() if side == "new" else 1.0
                if kind < 0.06:
                    dropped.append(key)
                    continue
                if kind < 0.25:
                    changed.append(key)
                    shown |= {"shelf": f"shelf {90 + len(changed)}"}
                table.writerow(shown)
                if kind > 0.97 and side == "new":
                    added.append(f"{key}-B")
                    table.writerow(shown | {"parcel": f"{key}-B"})
    return changed, dropped, added


def daff_run(name: str, shop: Shop) -> Iterator[Item]:
    """What daff prints of two tables; the facts are the rows that were changed, dropped and added."""
    room = shop.room(name)
    changed, dropped, added = tables(room)
    text = plain(
        report_file(shop, [npm_tool(shop, "daff"), "diff", "--id", "parcel", "old.csv", "new.csv"], room, room)
    )
    facts = [Fact("name", (f"shelf {91 + at}",)) for at in range(len(changed))] + [
        Fact("name", (one,)) for one in changed
    ]
    facts += [Fact("odd", (), ("---", one)) for one in dropped] + [Fact("odd", (), ("+++", one)) for one in added]
    facts += [Fact("name", (one,)) for one in ("parcel", "shelf", "state", "grams", "carrier", "note")]
    yield Item(name, DIFFERENCE, "text", "daff diff --id parcel old.csv new.csv", text, said_in(facts, text))


def xml_run(name: str, shop: Shop) -> Iterator[Item]:
    """What xmldiff prints of two documents; the facts are every kind of action and what was planted."""
    room = shop.room(name)
    facts = []
    for side in ("old", "new"):
        root = ET.Element("shelves")
        for number in range(150):
            if side == "new" and number % 19 == 7:
                continue
            shelf = ET.SubElement(root, "shelf", {"id": str(number), "door": f"d{number % 7}"})
            ET.SubElement(shelf, "label").text = f"shelf {number}" + (
                " moved" if side == "new" and number % 5 == 2 else ""
            )
            if side == "new" and number % 11 == 4:
                shelf.set("locked", f"by keeper {number}")
                facts.append(Fact("name", (f"by keeper {number}",)))
            if side == "new" and number % 23 == 9:
                ET.SubElement(shelf, "fault").text = f"door {number} is jammed"
                facts.append(Fact("message", (f"door {number} is jammed",)))
            if side == "new" and number % 5 == 2:
                facts.append(Fact("message", (f"shelf {number} moved",)))
        ET.indent(root)
        write(os.path.join(room, f"{side}.xml"), ET.tostring(root, encoding="unicode"))
    text = shop.run([tool_of(shop, "xmldiff"), "old.xml", "new.xml"], room, seconds=400).text
    facts += [
        Fact("message", (f"[{one},",))
        for one in ("insert", "delete", "move", "update-text", "insert-attribute", "update-attribute", "rename")
    ]
    facts += [Fact("message", (f"/shelves/shelf[{n}]",)) for n in (150,)]
    yield Item(name, DIFFERENCE, "text", "xmldiff old.xml new.xml", text, said_in(facts, text))


def notebook(cells: list[tuple[str, str]]) -> str:
    """A notebook of these cells (kind, source)."""
    made = []
    for number, (kind, source) in enumerate(cells):
        cell: dict[str, object] = {
            "cell_type": kind,
            "id": f"cell{number}",
            "metadata": {},
            "source": source.splitlines(keepends=True),
        }
        made.append(cell | ({"execution_count": None, "outputs": []} if kind == "code" else {}))
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return json.dumps({"cells": made, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}, indent=1)


def nbdiff_run(name: str, shop: Shop) -> Iterator[Item]:
    """What nbdiff prints of two notebooks; the facts are the cells that were changed, dropped and added."""
    room = shop.room(name)
    facts = []
    sides: dict[str, list[tuple[str, str]]] = {"old": [], "new": []}
    for number in range(90):
        text = f"## Area {number}\nWeighed by keeper {number % 7}.\nDoors are numbered from the left."
        code = f"rows_{number} = [row for row in rows if row['area'] == {number}]\ntotal_{number} = sum(row['grams'] for row in rows_{number})\nprint(total_{number})"
        sides["old"] += [("markdown", text), ("code", code)]
        if number % 13 == 5:
            facts.append(Fact("message", (f"## Area {number}",)))
            continue
        if number % 4 == 1:
            code = code.replace("sum(", "max(")
            facts.append(Fact("message", (f"total_{number} = max(",)))
        if number % 7 == 3:
            text = text.replace("from the left", f"from door {number}")
            facts.append(Fact("name", (f"from door {number}",)))
        sides["new"] += [("markdown", text), ("code", code)]
        if number % 17 == 8:
            sides["new"].append(("code", f"assert total_{number} < {number * 900}, 'area {number} is too heavy'"))
            facts.append(Fact("message", (f"area {number} is too heavy",)))
    for side, cells in sides.items():
        write(os.path.join(room, f"{side}.ipynb"), notebook(cells))
    text = plain(
        shop.run([tool_of(shop, "nbdiff"), "--no-color", "old.ipynb", "new.ipynb"], room, env={"HOME": room}).text
    )
    facts += [
        Fact("message", (one,)) for one in ("nbdiff old.ipynb new.ipynb", "## modified", "## deleted", "## inserted")
    ]
    yield Item(name, NOTEBOOK, "text", "nbdiff old.ipynb new.ipynb", text, said_in(facts, text))


def papermill_run(name: str, shop: Shop) -> Iterator[Item]:
    """What papermill logs of a notebook that breaks; the facts are planted."""
    room = shop.room(name)
    cells = [("code", "import warnings\nrows = [{'area': n % 30, 'grams': n * 37 % 911} for n in range(900)]")]
    facts = []
    for number in range(30):
        code = f"print('area {number}')\nfor door in range(8):\n    print(f'door {{door}} of area {number}: {{sum(r[\"grams\"] for r in rows if r[\"area\"] == {number}) + door}} grams')"
        if number % 7 == 4:
            code += f"\nwarnings.warn('scales of area {number} are old')"
            facts.append(Fact("message", (f"UserWarning: scales of area {number} are old",)))
        if number == 28:
            code += "\ndef weigh(shelf):\n    return {'shelf 1': 3}[shelf]\nweigh('shelf 4711')"
        cells.append(("code", code))
    write(os.path.join(room, "shelves.ipynb"), notebook(cells))
    env = {
        "HOME": room,
        "JUPYTER_PATH": os.path.join(os.path.dirname(os.path.dirname(tool_of(shop, "papermill"))), "share", "jupyter"),
    }
    command = [
        tool_of(shop, "papermill"),
        "--log-output",
        "--no-progress-bar",
        "--log-level",
        "INFO",
        "shelves.ipynb",
        "out.ipynb",
    ]
    text = plain(shop.run(command, room, env=env).text).replace(room, "/srv")
    facts += [
        Fact("message", (one,))
        for one in ("KeyError: 'shelf 4711'", 'Exception encountered at "In [30]"', "PapermillExecutionError")
    ]
    facts += [
        Fact("message", (one,))
        for one in (
            "return {'shelf 1': 3}[shelf]",
            "Input Notebook:  shelves.ipynb",
            "Executing notebook with kernel: python3",
        )
    ]
    yield Item(name, NOTEBOOK, "text", "papermill --log-output shelves.ipynb", text, said_in(facts, text))


RECIPES = {
    "deep-diff-locks": partial(deep_run, "deep-diff-locks"),
    "sdiff-locks": partial(side_run, "sdiff-locks"),
    "daff-parcels": partial(daff_run, "daff-parcels"),
    "xmldiff-shelves": partial(xml_run, "xmldiff-shelves"),
    "nbdiff-shelves": partial(nbdiff_run, "nbdiff-shelves"),
    "papermill-shelves": partial(papermill_run, "papermill-shelves"),
}
