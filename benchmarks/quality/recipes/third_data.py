"""Data as tools describe it that nobody tunes on; the facts are their JSON, or other readers'."""

import csv
import json
import os
import re
import statistics
from collections import Counter
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.held_suites import write

DATA = "data tool"
RARE = 12
SHORT = 10
"""A smaller number is in any text."""


def dataset(shop: Shop, room: str, path: str) -> str:
    return os.path.join(shop.npm_source("vega-datasets@2.9.0", room), "data", path)


def csvstat_run(name: str, path: str, shop: Shop) -> Iterator[Item]:
    """What csvstat says of a table; the facts are its own JSON."""
    python = shop.python("csvkit", "csvkit==2.0.1")
    room = shop.room(name)
    table = wide_table(room)
    tool = os.path.join(os.path.dirname(python), "csvstat")
    text = shop.run([tool, table], room).text
    facts = []
    for row in json.loads(shop.run([tool, "--json", table], room, apart=True).text):
        facts.append(Fact("message", (f'"{row["column_name"]}"',)))
        facts.append(Fact("message", (f"Type of data:          {row['type']}",)))
        if row.get("nulls"):
            facts.append(Fact("odd", (), ("Contains null values:", "True")))
        figures = [
            row[key] for key in ("min", "max", "mean", "median", "stdev") if isinstance(row.get(key), int | float)
        ]
        facts += [Fact("message", (f"{one:,.3f}".rstrip("0").rstrip("."),)) for one in figures if abs(one) >= SHORT]
        facts += [
            Fact("message", (f"{one['value']} ({one['count']}x)",))
            for one in row.get("freq", ())
            if row["unique"] <= RARE
        ]
    facts += [Fact("message", (line,)) for line in text.splitlines()[-1:]]
    yield Item(name, DATA, "text", f"csvstat {path}", text, said_in(facts, text))


KINDS = ("glass", "paper", "metal", "lamp")


def wide_table(room: str, columns: int = 45, rows: int = 400) -> str:
    """A table of many columns in which some are constant, have gaps, or a value that lies far off."""
    path = os.path.join(room, "parcels.csv")
    with open(path, "w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow(["id", "kind", "fragile", *(f"scale_{number}" for number in range(columns))])
        for row in range(rows):
            values: list[object] = []
            for number in range(columns):
                value: object = round((row * (number + 3) * 7919 % 1009) / 10 + number, 1)
                value = "" if number % 9 == 4 and row % 57 == 3 else value
                value = 98765.4 if (number, row) in {(11, 201), (30, 77)} else 7 if number == 20 else value
                values.append(value)
            kind = "mirror" if row in (99, 250) else KINDS[row % 4]
            writer.writerow([row, kind, "yes" if row % 13 == 0 else "no", *values])
    return path


SUMMARY = """options(width = 110)
parcels <- read.csv("parcels.csv", stringsAsFactors = TRUE)
print(str(parcels, list.len = 999))
print(summary(parcels))
print(table(parcels$kind, parcels$fragile))
print(summary(lm(scale_0 ~ ., data = parcels[, c(4:30)])))
"""


def statistics_run(name: str, shop: Shop) -> Iterator[Item]:
    """What R prints of a table: its structure, a summary, a model; the facts are computed from the table by Python."""
    shop.install("Rscript", "r-base-core")
    room = shop.room(name)
    path = wide_table(room)
    write(os.path.join(room, "look.R"), SUMMARY)
    text = shop.run(["Rscript", "look.R"], room).text
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    facts = [Fact("name", (key,)) for key in rows[0]] + [
        Fact("name", (one,)) for one in (*KINDS, "mirror", "yes", "no")
    ]
    for key in rows[0]:
        numbers = [float(row[key]) for row in rows if row[key] and key.startswith("scale")]
        gaps = sum(not row[key] for row in rows)
        facts += [Fact("message", (f"NA's   :{gaps}",))] if gaps else []
        facts += [Fact("message", ("Max.   :98765.4",))] if numbers and max(numbers) > 90000 else []
        facts += [Fact("message", (f"Median :{statistics.median(numbers):.4g}",))] if numbers else []
    facts += [
        Fact("message", (line.strip(),))
        for line in text.splitlines()
        if re.match(r"Residual standard|Multiple R-sq|F-statistic|'data.frame'", line.strip())
    ]
    yield Item(name, DATA, "text", "Rscript look.R", text, said_in(facts, text))


def miller_run(name: str, path: str, shop: Shop) -> Iterator[Item]:
    """`mlr --oxtab` of a table: a block a row; the facts, by Python's reader, are the columns, few values and odd rows."""
    shop.install("mlr", "miller")
    room = shop.room(name)
    table = dataset(shop, room, path)
    text = shop.run(["mlr", "--icsv", "--oxtab", "cat", table], room).text
    with open(table, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    facts = [Fact("name", (key,)) for key in rows[0]]
    for key in rows[0]:
        seen = Counter(row[key] for row in rows)
        facts += [Fact("message", (value,)) for value in seen if value and len(seen) <= RARE]
        try:
            numbers = sorted(float(row[key]) for row in rows if row[key])
        except ValueError:
            continue
        facts += [Fact("odd", (), (key, f"{end:g}")) for end in (numbers[0], numbers[-1])]
    yield Item(name, DATA, "text", f"mlr --icsv --oxtab cat {path}", text, said_in(facts, text))


HDF = """import h5py, numpy
with h5py.File("shelves.h5", "w") as file:
    file.attrs["made_by"] = "keeper"
    for rack in range(12):
        group = file.create_group(f"rack_{rack}")
        group.attrs["aisle"] = rack % 3
        for shelf in range(5):
            kind = "f8" if (rack, shelf) == (7, 2) else "i4"
            shape = (40000,) if (rack, shelf) == (3, 4) else (16, shelf + 2)
            data = group.createdataset(f"shelf_{shelf}", shape, kind, compression="gzip" if (rack, shelf) == (9, 1) else None)
            data.attrs["units"] = "stone" if (rack, shelf) == (5, 0) else "kg"
    file["shortcut"] = h5py.SoftLink("/rack_3/shelf_4")
"""


def hdf_run(name: str, shop: Shop) -> Iterator[Item]:
    """`h5dump -A -p` of a file; the facts are its groups, data sets and the few that are unlike the others."""
    shop.install("h5dump", "hdf5-tools")
    python = shop.python("h5py", "h5py==3.12.1", "numpy<2.2")
    room = shop.room(name)
    shop.run([python, "-c", HDF], room).check()
    text = shop.run(["h5dump", "-A", "-p", "shelves.h5"], room).text
    facts = [Fact("message", (f'"rack_{number}"',)) for number in range(12)] + [
        Fact("message", (f'"shelf_{number}"',)) for number in range(5)
    ]
    facts += [
        Fact("message", (f'"{one}"',)) for one in ("made_by", "keeper", "aisle", "units", "kg", "stone", "shortcut")
    ]
    facts += [
        Fact("message", (one,))
        for one in ("( 40000 )", "H5T_IEEE_F64LE", "H5T_STD_I32LE", "DEFLATE", "SOFTLINK", "/rack_3/shelf_4")
    ]
    facts += [Fact("message", (f"( 16, {number + 2} )",)) for number in range(5)]
    yield Item(name, DATA, "text", "h5dump -A -p shelves.h5", text, said_in(facts, text))


NETCDF = """import netCDF4
with netCDF4.Dataset("model.nc", "w") as file:
    file.title = "model of a warehouse"
    for title, size in (("time", 96), ("lat", 18), ("lon", 36), ("level", 5)): file.createDimension(title, size)
    for number in range(90):
        dims = ("time", "level", "lat", "lon") if number % 30 == 11 else ("time", "lat", "lon")
        one = file.createVariable(f"flow_{number}", "f8" if number == 52 else "f4", dims, fill_value=-999.0 if number != 71 else 1e20)
        one.units = "furlong" if number == 33 else ("kg m-2 s-1" if number % 2 else "K")
        one.long_name = f"flow through door {number}"
        if number == 64: one.comment = "known to be wrong before 2019"
"""


def netcdf_run(name: str, shop: Shop) -> Iterator[Item]:
    """`ncdump -h` of a model's output; the facts are its variables and the few that are unlike the others."""
    shop.install("ncdump", "netcdf-bin")
    python = shop.python("netcdf", "netCDF4==1.7.1", "numpy<2.2")
    room = shop.room(name)
    shop.run([python, "-c", NETCDF], room).check()
    text = shop.run(["ncdump", "-h", "model.nc"], room).text
    facts = [Fact("name", (f"flow_{number}",)) for number in range(90)]
    facts += [
        Fact("message", (one,))
        for one in (
            "double flow_52(",
            "furlong",
            "1.e+20",
            "known to be wrong before 2019",
            "model of a warehouse",
            "kg m-2 s-1",
            "(time, lat, lon)",
        )
    ]
    facts += [Fact("message", (f"float flow_{number}(time, level, lat, lon)",)) for number in (11, 41, 71)]
    facts += [Fact("message", (one,)) for one in ("time = 96", "lat = 18", "lon = 36", "level = 5")]
    yield Item(name, DATA, "text", "ncdump -h model.nc", text, said_in(facts, text))


RECIPES = {
    "csvstat-parcels": partial(csvstat_run, "csvstat-parcels", "parcels.csv"),
    "r-summary": partial(statistics_run, "r-summary"),
    "mlr-riots": partial(miller_run, "mlr-riots", "la-riots.csv"),
    "h5dump-shelves": partial(hdf_run, "h5dump-shelves"),
    "ncdump-model": partial(netcdf_run, "ncdump-model"),
}
