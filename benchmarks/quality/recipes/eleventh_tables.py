"""Tables by tools that nobody tunes on; what is odd in them is planted or counted."""

import json
import os
from collections.abc import Iterator

from items import Fact, Item
from shop import Shop

from recipes.eleventh_tools import TOOLS
from recipes.held_suites import write
from recipes.tenth_tools import each, made, pairs, recipes

TABLE = "table"


def trips(count: int) -> Iterator[list[object]]:
    """Rows of a table, of which a few are odd."""
    for n in range(count):
        yield [
            n,
            f"2026-{n % 12 + 1:02d}-{n % 28 + 1:02d}",
            ("north", "south", "west")[n % 3] if n != 77 else "nowhere",
            f"Keeper {n % 9}",
            -n if n % 83 == 40 else n * 37 % 411,
            round(n * 1.25, 2) if n % 59 != 17 else None,
            f"gull {n} aboard" if n % 61 == 20 else "calm",
        ]


COLUMNS = ("trip", "day", "pier", "keeper", "aboard", "fare", "note")


def sheet_run(name: str, shop: Shop) -> Iterator[Item]:
    """`in2csv` of a sheet; the facts are planted: columns, kinds, the odd rows, the ends."""
    room = shop.room(name)
    script = "import csv, json, sys, openpyxl\nb = openpyxl.Workbook(); s = b.active\nfor row in json.load(open('rows.json')): s.append(row)\nb.save('trips.xlsx')\n"
    write(os.path.join(room, "rows.json"), json.dumps([list(COLUMNS), *trips(330)]))
    shop.run([TOOLS.python(shop), "-c", script], room).check()
    text = shop.run([TOOLS.python_tool(shop, "in2csv"), "trips.xlsx"], room, apart=True).text
    yield made(name, TABLE, "in2csv trips.xlsx", text, odd_rows(330))


def odd_rows(count: int) -> list[Fact]:
    """What somebody has to see of the table of trips."""
    rows = list(trips(count))
    facts = [
        *each("name", COLUMNS),
        *each("message", ("nowhere", "north", "south", "west", *(f"Keeper {n}" for n in range(9)))),
    ]
    for n in range(count):
        if n % 61 == 20:
            facts += each("message", [f"gull {n} aboard"])
        if n % 83 == 40:
            facts += pairs([(n, f"-{n}")])
    return [*facts, *pairs([(rows[0][1], "Keeper 0"), (count - 1, rows[-1][1])])]


def parquet_run(name: str, shop: Shop) -> Iterator[Item]:
    """`parquet-tools show` of a file; the facts are planted: columns, kinds, the odd rows, the ends."""
    room = shop.room(name)
    script = "import json, pyarrow as pa, pyarrow.parquet as pq\nrows = json.load(open('rows.json'))\npq.write_table(pa.table({k: [r[i] for r in rows[1:]] for i, k in enumerate(rows[0])}), 'trips.parquet')\n"
    write(os.path.join(room, "rows.json"), json.dumps([list(COLUMNS), *trips(240)]))
    shop.run([TOOLS.python(shop), "-c", script], room).check()
    text = shop.run([TOOLS.python_tool(shop, "parquet-tools"), "show", "trips.parquet"], room).text
    yield made(name, TABLE, "parquet-tools show trips.parquet", text, odd_rows(240))


def datamash_run(name: str, shop: Shop) -> Iterator[Item]:
    """`datamash` of a table by groups; the facts are counted: columns, the largest and the smallest groups."""
    shop.install("datamash")
    room, groups = shop.room(name), dict[str, list[int]]()
    lines = ["pier\tkeeper\taboard"]
    for n in range(4000):
        pier = f"pier-{n % 260:03d}"
        aboard = n * 37 % 411 if n % 260 != 77 else 100_000 + n
        groups.setdefault(pier, []).append(aboard)
        lines.append(f"{pier}\tKeeper {n % 9 if n % 260 != 131 else 'unknown'}\t{aboard}")
    write(os.path.join(room, "trips.tsv"), "\n".join(lines) + "\n")
    text = shop.run(
        ["sh", "-c", "datamash --header-in --header-out -s -g 1 count 3 sum 3 min 3 max 3 mode 3 unique 2 < trips.tsv"],
        room,
    ).text
    sums = sorted(groups.items(), key=lambda one: -sum(one[1]))
    facts = pairs((pier, len(values), sum(values)) for pier, values in [*sums[:4], *sums[-4:], *groups.items()][:10])
    facts += [
        *each(
            "message",
            (
                "GroupBy(pier)",
                "count(aboard)",
                "sum(aboard)",
                "min(aboard)",
                "max(aboard)",
                "mode(aboard)",
                "unique(keeper)",
                "Keeper unknown",
            ),
        ),
        *pairs([("pier-259",), ("pier-131", "Keeper unknown")]),
    ]
    yield made(name, TABLE, "datamash -s -g 1 count 3 sum 3", text, facts)


def records_run(name: str, shop: Shop) -> Iterator[Item]:
    """`recsel` of a database of records; the facts are planted: fields, kinds, the odd records, the ends."""
    shop.install("recsel", "recutils")
    room, lines = shop.room(name), ["%rec: Keeper", "%key: Id", ""]
    for n in range(150):
        lines += [
            f"Id: {n}",
            f"Name: Keeper {n}",
            f"Pier: {'lost' if n == 88 else ('north', 'south', 'west')[n % 3]}",
            f"Ropes: {n * 7 % 40}",
        ]
        lines += (
            [f"Note: sleeps on lamp {n}"] * (n % 31 == 12) + [f"Email: keeper{n}@pier.example"] * (n % 4 != 1) + [""]
        )
    write(os.path.join(room, "keepers.rec"), "\n".join(lines) + "\n")
    text = shop.run(["recsel", "-t", "Keeper", "keepers.rec"], room).text
    facts = [
        *each("message", (f"Note: sleeps on lamp {n}" for n in range(150) if n % 31 == 12)),
        *each(
            "message",
            (
                "Id: 0",
                "Id: 149",
                "Pier: lost",
                "Pier: north",
                "Pier: south",
                "Pier: west",
                "Email: keeper0@pier.example",
            ),
        ),
    ]
    yield made(
        name,
        TABLE,
        "recsel -t Keeper keepers.rec",
        text,
        [*facts, *each("name", ("Id", "Name", "Pier", "Ropes", "Note", "Email"))],
    )


RECIPES = recipes(
    ("in2csv-trips", sheet_run),
    ("parquet-tools-trips", parquet_run),
    ("datamash-trips", datamash_run),
    ("recsel-keepers", records_run),
)
