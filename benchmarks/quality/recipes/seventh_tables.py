"""Spreadsheets and tables as text that nobody tunes on; the facts are the columns, kinds, ends and odd rows."""

import csv
import glob
import os
import re
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import in_xml, said_in
from shop import Shop

from recipes.fourth_consoles import parcels
from recipes.held_linters import read
from recipes.held_suites import write
from recipes.seventh_tools import python_tools, tool_of
from recipes.tables import row_facts

SPREADSHEET, TABLE, TRANSLATION = "spreadsheet", "table", "translation"

BOOK = """import csv, sys, datetime
from openpyxl import Workbook
book = Workbook(); book.remove(book.active)
for area in range(AREAS):
    sheet = book.create_sheet(f"Area {area}")
    rows = list(csv.reader(open("all.csv")))
    sheet.append([*rows[0], "weighed", "price"])
    for number, row in enumerate(rows[1:]):
        if number % AREAS == area:
            sheet.append([*row[:3], int(row[3]), *row[4:], datetime.date(2026, 1, 1) + datetime.timedelta(days=number % 300), number * 1.25])
    sheet.append(["total", None, None, f"=SUM(D2:D{sheet.max_row})"])
    if area == 2: sheet.append(["#REF!", None, "do not pay", None, None, f"door {area * 11} is jammed"])
book.save("all.xlsx")
"""


def workbook(shop: Shop, name: str, rows: int, areas: int) -> str:
    """A room with a spreadsheet of parcels."""
    room = shop.room(name)
    with open(os.path.join(room, "all.csv"), "w", encoding="utf-8", newline="") as out:
        table = csv.DictWriter(out, list(parcels(1)[0]))
        table.writeheader()
        table.writerows(parcels(rows))
    shop.run(
        [python_tools(shop), write(os.path.join(room, "book.py"), BOOK.replace("AREAS", str(areas)))], room
    ).check()
    return room


def sheet_facts(rows: int, areas: int) -> list[Fact]:
    facts = row_facts(parcels(rows), "parcel") + [Fact("name", (one,)) for one in ("weighed", "price", "total")]
    facts += [Fact("message", (f"Area {area}",)) for area in range(areas)]
    return facts + [Fact("message", (one,)) for one in ("#REF!", "do not pay", "door 22 is jammed")]


def xlsx_run(name: str, shop: Shop) -> Iterator[Item]:
    """`xlsx2csv --all`; the facts are the sheets, the columns and the odd rows."""
    room = workbook(shop, name, 700, 5)
    text = shop.run([tool_of(shop, "xlsx2csv"), "--all", "all.xlsx"], room).text
    yield Item(name, SPREADSHEET, "text", "xlsx2csv --all all.xlsx", text, said_in(sheet_facts(700, 5), text))


def markdown_run(name: str, shop: Shop) -> Iterator[Item]:
    """A spreadsheet as markitdown shows it; the facts are the sheets, the columns and the odd rows."""
    room = workbook(shop, name, 450, 6)
    text = shop.run([tool_of(shop, "markitdown"), "all.xlsx"], room, apart=True).text
    yield Item(name, SPREADSHEET, "text", "markitdown all.xlsx", text, said_in(sheet_facts(450, 6), text))


LETTER = """from docx import Document
paper = Document()
paper.add_heading("Rules of the warehouse", 0)
for part in range(9):
    paper.add_heading(f"{part + 1}. Rules of area {part}", 1)
    for rule in range(7):
        paper.add_heading(f"{part + 1}.{rule + 1} Door {part * 7 + rule}", 2)
        paper.add_paragraph(f"Whoever opens door {part * 7 + rule} weighs the parcels behind it before and after, and writes both into the book of area {part}. " * 3)
        if rule % 3 == 1: paper.add_paragraph(f"Never open door {part * 7 + rule} while lift {rule} moves.", style="List Bullet")
    table = paper.add_table(rows=1, cols=3)
    for at, head in enumerate(("Door", "Keeper", "Grams")): table.rows[0].cells[at].text = head
    for row in range(6):
        cells = table.add_row().cells
        cells[0].text, cells[1].text, cells[2].text = f"door {part * 7 + row}", ("Ada", "Bo", "Cleo")[row % 3], str(99000 + part if row == 4 and part % 4 == 1 else row * 37 + part)
paper.save("rules.docx")
"""


def letter_run(name: str, shop: Shop) -> Iterator[Item]:
    """A document as markitdown shows it; the facts are its headings, warnings, columns and odd cells."""
    room = shop.room(name)
    shop.run([python_tools(shop), write(os.path.join(room, "paper.py"), LETTER)], room).check()
    text = shop.run([tool_of(shop, "markitdown"), "rules.docx"], room, apart=True).text
    facts = [Fact("heading", (f"{part + 1}. Rules of area {part}",)) for part in range(9)]
    facts += [
        Fact("heading", (f"{part + 1}.{rule + 1} Door {part * 7 + rule}",)) for part in range(9) for rule in range(7)
    ]
    facts += [Fact("message", (f"Never open door {part * 7 + rule} while",)) for part in range(9) for rule in (1, 4)]
    facts += [Fact("name", (str(99000 + part),)) for part in (1, 5)] + [
        Fact("name", (one,)) for one in ("Door", "Keeper", "Grams")
    ]
    yield Item(name, "document", "text", "markitdown rules.docx", text, said_in(facts, text))


def look_run(name: str, source: str, path: str, key: str, shop: Shop) -> Iterator[Item]:
    """What csvlook draws of a table of real data; the facts are the columns, kinds, ends and odd rows."""
    tree = shop.npm_source(source, shop.room(name))
    text = shop.run(
        [tool_of(shop, "csvlook"), "--no-inference", "--max-column-width", "40", path], tree, apart=True
    ).text
    with open(os.path.join(tree, path), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    yield Item(name, TABLE, "text", f"csvlook {os.path.basename(path)}", text, said_in(row_facts(rows, key), text))


def po_files(shop: Shop, name: str) -> tuple[str, list[str]]:
    """Translations of a framework into many languages."""
    tree = shop.sdist("django==5.0.6", shop.room(name))
    found = glob.glob(os.path.join(tree, "django/conf/locale/*/LC_MESSAGES/django.po"))
    return tree, sorted(os.path.relpath(one, tree) for one in found)


def count_run(name: str, shop: Shop) -> Iterator[Item]:
    """What pocount prints of translations; the facts, from its table for machines, are the files and what they lack."""
    tree, paths = po_files(shop, name)
    text = shop.run([tool_of(shop, "pocount"), "--no-color", *paths], tree).text
    rows = list(
        csv.DictReader(
            shop.run([tool_of(shop, "pocount"), "--csv", *paths], tree, apart=True).text.splitlines(),
            skipinitialspace=True,
        )
    )
    facts = [Fact("path", (row["Filename"],)) for row in rows if row.get("Filename")]
    facts += [
        Fact("odd", (), (word, row[column]))
        for row in rows
        for word, column in (("Untranslated:", "Untranslated Messages"),)
        if row.get(column, "0") not in ("0", None)
    ]
    yield Item(name, TRANSLATION, "text", "pocount", text, said_in(facts, text))


def filter_run(name: str, shop: Shop) -> Iterator[Item]:
    """What pofilter finds in a translation; the facts are its checks and the texts that they are about."""
    tree, _ = po_files(shop, name)
    path = "django/conf/locale/de/LC_MESSAGES/django.po"
    where = os.path.join(tree, path)
    content = read(where)
    for at, (old, new) in enumerate(
        (("Januar", "January"), (" %(", " ("), ("ein", "eihn"), ('."\n\n', '"\n\n'), ("Bitte", "bitte"))
    ):
        pieces = content.split(old)
        content = (
            "".join(piece + (new if number % (3 + at) == 1 else old) for number, piece in enumerate(pieces[:-1]))
            + pieces[-1]
        )
    write(where, content)
    text = shop.run([tool_of(shop, "pofilter"), "--progress=none", "--nofuzzy", path], tree, apart=True).text
    kinds = re.findall(r"^# \(pofilter\) (\w+):", text, re.MULTILINE)
    facts = [Fact("message", (f"(pofilter) {one}:",)) for one in kinds]
    facts += [
        Fact("message", (one.strip()[:90],))
        for one in dict.fromkeys(re.findall(r"^# \(pofilter\) (.*)$", text, re.MULTILINE))
    ]
    facts += [Fact("message", (f'msgid "{one}"',)) for one in re.findall(r'^msgid "(.{4,70})"$', text, re.MULTILINE)]
    yield Item(name, TRANSLATION, "text", f"pofilter {os.path.basename(path)}", text, said_in(facts, text))


def xliff_run(name: str, language: str, shop: Shop) -> Iterator[Item]:
    """A translation in XLIFF; the facts are its elements and what is not translated yet."""
    tree, _ = po_files(shop, name)
    path = f"django/conf/locale/{language}/LC_MESSAGES/django.po"
    shop.run([tool_of(shop, "po2xliff"), "--progress=none", path, "all.xlf"], tree).check()
    text = read(os.path.join(tree, "all.xlf"))
    blocks = re.findall(r"<trans-unit.*?</trans-unit>", text, re.DOTALL)
    facts = [Fact("key", (one,)) for one in dict.fromkeys(re.findall(r"<([a-z][\w-]*)", text))]
    for block in blocks:
        source = re.search(r"<source[^>]*>([^<]{3,80})</source>", block)
        if source and not re.search(r"<target[^>]*>[^<]+</target>", block):
            facts.append(Fact("message", (source[1],)))
    facts += [Fact("message", (one,)) for one in dict.fromkeys(re.findall(r'state="([\w-]+)"', text))]
    yield Item(name, TRANSLATION, "xml", "cat all.xlf", text, said_in(in_xml(facts), text))


RECIPES = {
    "xlsx2csv-parcels": partial(xlsx_run, "xlsx2csv-parcels"),
    "markitdown-sheet": partial(markdown_run, "markitdown-sheet"),
    "markitdown-letter": partial(letter_run, "markitdown-letter"),
    "csvlook-birdstrikes": partial(
        look_run, "csvlook-birdstrikes", "vega-datasets@2.11.0", "data/birdstrikes.csv", "Airport Name"
    ),
    "pocount-django": partial(count_run, "pocount-django"),
    "pofilter-german": partial(filter_run, "pofilter-german"),
    "xliff-kannada": partial(xliff_run, "xliff-kannada", "kn"),
}
