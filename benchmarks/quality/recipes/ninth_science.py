"""Molecules, weather, maps and medicine, told by tools that nobody tunes on; the facts are planted or asked again."""

import json
import os
import re
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import CannotMake, Shop

from recipes.held_suites import write
from recipes.ninth_games import played
from recipes.ninth_tools import each, pairs, python_tools

CHESS, PROOF, MOLECULE, WEATHER, GEODATA = "chess", "proof", "chemistry", "weather", "geodata"
SOLID, MEDICINE, SHIPS, CLOCK = "3D model", "medical picture", "ship positions", "time zones"


def xtb_run(name: str, shop: Shop) -> Iterator[Item]:
    """What xtb says while it relaxes a molecule; the facts are those of its JSON: energies, charges, orbitals."""
    shop.install("xtb")
    room = shop.room(name)
    atoms = "9\n\nC -0.748 0.015 0.024\nC 0.558 0.420 -0.278\nO 1.284 -0.718 -0.687\nH -1.293 -0.202 -0.901\nH -1.263 0.754 0.600\nH -0.699 -0.934 0.609\nH 0.716 1.404 0.137\nH 0.600 0.500 -1.350\nH 1.400 -1.300 0.050\n"
    write(os.path.join(room, "ethanol.xyz"), atoms)
    text = shop.run(
        ["xtb", "ethanol.xyz", "--opt", "--json", "--verbose"], room, env={"OMP_NUM_THREADS": "1"}, seconds=120
    ).text
    with open(os.path.join(room, "xtbout.json"), encoding="utf-8") as file:
        about = json.load(file)
    facts = each(
        "message",
        [
            f"{about['total energy']:.10f}"[:14],
            f"{about['HOMO-LUMO gap/eV']:.6f}"[:9],
            f"{about['electronic energy']:.8f}"[:13],
        ],
    )
    facts += each("message", [f"{one:.4f}" for one in about["orbital energies/eV"][:16]])
    facts += each("message", [one.strip() for one in re.findall(r"^ *:: (.*\S) *::$", text, re.MULTILINE)])
    facts += each(
        "message",
        [
            one.strip()
            for one in re.findall(
                r"^\.+ CYCLE +\d+ \.+$|^ *\* (?:total energy|change|gradient norm|converged in|max displacement).*$|^ *\*\*\* .* \*\*\*$",
                text,
                re.MULTILINE,
            )
        ],
    )
    facts += each(
        "message", [one.strip() for one in re.findall(r"^ *\| +([A-Z](?: [A-Za-z])+) +\|$", text, re.MULTILINE)]
    )
    facts += each("message", re.findall(r"\| (TOTAL ENERGY|GRADIENT NORM|HOMO-LUMO GAP) ", text))
    yield Item(name, MOLECULE, "text", "xtb ethanol.xyz --opt", text, said_in(facts, text))


def grib_run(name: str, shop: Shop) -> Iterator[Item]:
    """What grib_dump prints of messages; the facts are those of its JSON: every key, and what a message has of its own."""
    shop.install("grib_dump", "libeccodes-tools", "libeccodes-data")
    room = shop.room(name)
    samples = "/usr/share/eccodes/samples"
    if not os.path.isdir(samples):
        raise CannotMake("there are no samples of ecCodes here")
    chosen = {
        "GRIB2": (167, 2020),
        "regular_ll_sfc_grib2": (165, 2021),
        "polar_stereographic_sfc_grib2": (166, 2022),
        "reduced_gg_pl_32_grib2": (130, 2023),
        "sh_ml_grib2": (152, 2024),
    }
    files = []
    for at, (sample, (_, year)) in enumerate(chosen.items()):
        settings = f"dataDate={year}0{at + 1}15,level={at * 100 + 50}" + (",centre=kwbc" if at == 2 else "")
        shop.run(["grib_set", "-s", settings, f"{samples}/{sample}.tmpl", f"hour{at}.grib"], room).check()
        files.append(f"hour{at}.grib")
    text = shop.run(["grib_dump", *files], room).text
    facts: list[Fact] = each("path", files)
    seen: dict[str, list[str]] = {}
    for path in files:
        about = json.loads(shop.run(["grib_dump", "-j", path], room).text)
        for row in about["messages"][0]:
            if not isinstance(row.get("value"), list | None):
                seen.setdefault(row["key"], []).append(str(row["value"]))
    facts += each("message", [f"{key} = " for key in seen])
    facts += each(
        "message",
        [
            f"{key} = {value}"
            for key, values in seen.items()
            for value in dict.fromkeys(values)
            if values.count(value) == 1 and len(values) > 1
        ],
    )
    yield Item(name, WEATHER, "text", "grib_dump *.grib", text, said_in(facts, text))


def osm_change(number: int) -> str:
    tags = f'<tag k="amenity" v="{"bakery" if number % 5 else "mill"}"/><tag k="name" v="House {number}"/>'
    return f'<node id="{number}" version="1" timestamp="2026-01-01T00:00:00Z" uid="7" user="oda" changeset="9" lat="{60 + number / 1000:.4f}" lon="{10 + number / 900:.4f}">{tags}</node>'


def osmium_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `osmium diff` prints of two maps; the facts are planted: every node and way that came, went or changed, and their tags."""
    shop.install("osmium", "osmium-tool")
    room = shop.room(name)
    head = '<?xml version="1.0"?>\n<osm version="0.6" generator="mill">'
    old = [osm_change(number) for number in range(1, 260)]
    new, facts = [], []
    for number, line in enumerate(old, 1):
        row = line
        if number % 23 == 4:
            row = line.replace('version="1"', 'version="2"', 1).replace(f"House {number}", f"Old Mill {number}")
            facts += [Fact("message", (f"Old%20%Mill%20%{number}", f"Old Mill {number}"))]
        if number % 37 == 9:
            facts += pairs([(f"-n{number}", f"House%20%{number}")])
            continue
        new.append(row)
    new += [osm_change(number) for number in range(900, 912)]
    way = '<way id="{0}" version="{1}" timestamp="2026-01-01T00:00:00Z" uid="7" user="oda" changeset="9"><nd ref="1"/><nd ref="2"/><tag k="highway" v="{2}"/></way>'
    write(
        os.path.join(room, "old.osm"),
        head + "".join(old) + "".join(way.format(n, 1, "path") for n in range(1, 30)) + "</osm>",
    )
    write(
        os.path.join(room, "new.osm"),
        head
        + "".join(new)
        + "".join(way.format(n, 2 if n == 17 else 1, "steps" if n == 17 else "path") for n in range(1, 30))
        + "</osm>",
    )
    text = shop.run(["osmium", "diff", "-f", "opl", "old.osm", "new.osm"], room).text
    facts += pairs([("+n" + str(number), f"House%20%{number}") for number in range(900, 912)])
    facts += pairs([("-w17", "highway=path"), ("+w17", "highway=steps")])
    facts += each(
        "message",
        [f"-n{number}" for number in range(1, 260) if number % 23 == 4]
        + [f"+n{number}" for number in range(1, 260) if number % 23 == 4],
    )
    yield Item(name, GEODATA, "text", "osmium diff -f opl old.osm new.osm", text, said_in(facts, text))


def solid(number: int) -> str:
    rows = [f"v {x + number} {y} {z * (9 if number == 7 else 1)}" for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    at = number * 8
    faces = [(1, 2, 4, 3), (5, 6, 8, 7), (1, 2, 6, 5), (3, 4, 8, 7)][: 2 if number == 11 else 4]
    return (
        f"o crate_{number:02}\nusemtl {'rust' if number % 13 == 5 else 'oak'}_{number % 6}\n"
        + "\n".join(rows)
        + "\n"
        + "\n".join("f " + " ".join(str(at + one) for one in face) for face in faces)
        + "\n"
    )


def assimp_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `assimp info` tells of a model; the facts are planted: every part, every material, and its totals."""
    shop.install("assimp", "assimp-utils")
    room = shop.room(name)
    kinds = [f"{one}_{n}" for one in ("oak", "rust") for n in range(6)]
    write(
        os.path.join(room, "store.mtl"),
        "".join(f"newmtl {one}\nKd 0.{at % 9} 0.3 0.2\n" for at, one in enumerate(kinds)),
    )
    write(os.path.join(room, "store.obj"), "mtllib store.mtl\n" + "".join(map(solid, range(110))))
    text = shop.run(["assimp", "info", "store.obj", "-v"], room).text
    facts = each("message", [f"crate_{number:02}" for number in range(110)])
    facts += each(
        "message",
        [f"'{one}'" for one in kinds]
        + re.findall(
            r"^(?:Memory|Nodes|Maximum|Meshes|Animations|Textures|Materials|Cameras|Lights|Vertices|Faces|Bones|Minimum|Center|Primitive).*$",
            text,
            re.MULTILINE,
        ),
    )
    facts += each("message", re.findall(r"^ +\d+ \(.*(?:7|11)\): \[.*$", text, re.MULTILINE))
    facts += pairs([("crate_11", "2 faces"), ("11", "8 vertices", "4 faces")])
    yield Item(name, SOLID, "text", "assimp info -v store.obj", text, said_in(facts, text))


SLICES = """import pydicom, sys
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.uid import ExplicitVRLittleEndian
for n in range(9):
    d = Dataset(); d.file_meta = FileMetaDataset()
    d.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    d.file_meta.MediaStorageSOPClassUID = d.SOPClassUID = "1.2.840.10008.5.1.4.1.1.2"
    d.file_meta.MediaStorageSOPInstanceUID = d.SOPInstanceUID = "1.2.826.0.1.3680043.9.7.%d" % (n + 1)
    d.PatientName, d.PatientID, d.Modality = "Holm^Bread" if n != 4 else "Unknown^X", "P-%d" % (100 + n), "CT"
    d.StudyInstanceUID, d.SeriesInstanceUID = "1.2.826.0.1.3680043.9.1", "1.2.826.0.1.3680043.9.2"
    d.StudyDate, d.StudyTime, d.Manufacturer, d.InstitutionName = "20260%d11" % (n + 1), "101500", "Ovenlight", "Mill Street Clinic"
    d.StudyDescription = "chest, second look" if n == 6 else "chest"
    d.BodyPartExamined = "FOOT" if n == 2 else "CHEST"
    d.SliceThickness, d.KVP, d.InstanceNumber = 2.5 if n != 7 else 25.0, 120, n + 1
    d.ImagePositionPatient, d.ImageOrientationPatient = [0, 0, n * 2.5], [1, 0, 0, 0, 1, 0]
    d.PixelSpacing, d.Rows, d.Columns = [0.7, 0.7], 8, 8
    d.SamplesPerPixel, d.PhotometricInterpretation, d.BitsAllocated, d.BitsStored, d.HighBit, d.PixelRepresentation = 1, "MONOCHROME2", 16, 12, 11, 0
    d.WindowCenter, d.WindowWidth, d.RescaleIntercept, d.RescaleSlope = 40, 400, -1024, 1
    if n == 5: d.add_new(0x00324000, "LT", "patient moved; repeat advised")
    if n == 3: d.PatientSex = "Q"
    if n == 8: d.StudyDate = "2026-09-11"
    d.PixelData = bytes((i * n) % 251 for i in range(128))
    pydicom.config.settings.writing_validation_mode = 0
    d.save_as("slice%d.dcm" % n, enforce_file_format=True)
"""


def slices(shop: Shop, room: str) -> list[str]:
    write(
        os.path.join(room, "cut.py"),
        "import pydicom.config\npydicom.config.settings.writing_validation_mode = pydicom.config.IGNORE\npydicom.config.settings.reading_validation_mode = pydicom.config.IGNORE\n"
        + SLICES,
    )
    shop.run([python_tools(shop), "cut.py"], room).check()
    return [f"slice{number}.dcm" for number in range(9)]


def dcm_run(name: str, shop: Shop) -> Iterator[Item]:
    """What dcmdump prints of slices; the facts are planted: every file, every tag's name, what one slice has alone."""
    shop.install("dcmdump", "dcmtk")
    room = shop.room(name)
    files = slices(shop, room)
    text = shop.run(["dcmdump", "+F", *files], room).text
    facts = each("path", files) + each("name", dict.fromkeys(re.findall(r"^\(.*#.*? (\w+)$", text, re.MULTILINE)))
    facts += each("message", [f"[P-{100 + n}]" for n in range(9)] + [f"[20260{n + 1}11]" for n in range(8)])
    facts += each(
        "message",
        [
            "[Unknown^X]",
            "[chest, second look]",
            "[FOOT]",
            "[25]",
            "[25.0]",
            "[patient moved; repeat advised]",
            "[Q]",
            "[2026-09-11]",
            "[Mill Street Clinic]",
            "[Ovenlight]",
            "[Holm^Bread]",
        ],
    )
    facts += each("message", [f"[1.2.826.0.1.3680043.9.7.{n + 1}]" for n in range(9)])
    yield Item(name, MEDICINE, "text", "dcmdump +F *.dcm", text, said_in(facts, text))


def dciodvfy_run(name: str, shop: Shop) -> Iterator[Item]:
    """What dciodvfy says of slices; the facts are its errors and warnings, each once, and the slices that alone have one."""
    shop.install("dciodvfy", "dicom3tools")
    room = shop.room(name)
    files = slices(shop, room)
    text = "".join(f"== {path}\n" + shop.run(["dciodvfy", path], room).text for path in files)
    facts = each("message", [f"== {path}" for path in files])
    facts += each("message", [one.strip()[:90] for one in re.findall(r"^(?:Error|Warning) - .*$", text, re.MULTILINE)])
    yield Item(name, MEDICINE, "text", "dciodvfy *.dcm", text, said_in(facts, text))


SHIPS_SCRIPT = """from pyais.encode import encode_dict
for n in range(150):
    mmsi = 257000000 + n * 37 % 60
    if n % 10 == 3:
        print(*encode_dict({"type": 5, "mmsi": mmsi, "shipname": "RYE %d" % n, "callsign": "LX%d" % n, "destination": "NOWHERE" if n == 73 else "OSLO", "ship_type": 30 + n % 5}, talker_id="AI", seq_id=n % 10), sep="\\n")
        continue
    print(*encode_dict({"type": 1, "mmsi": mmsi, "lat": 59 + n / 100, "lon": 10 + n / 90, "speed": 55.5 if n == 88 else n % 14, "course": n * 2 % 360, "heading": n % 359, "status": 14 if n == 41 else (6 if n % 50 == 20 else 0)}, talker_id="AI"), sep="\\n")
"""


def ships_run(name: str, shop: Shop) -> Iterator[Item]:
    """What gpsdecode makes of the calls of ships; the facts are planted: every ship that says its name, keys, and odd ones."""
    shop.install("gpsdecode", "gpsd-clients")
    room = shop.room(name)
    write(os.path.join(room, "calls.py"), SHIPS_SCRIPT)
    calls = shop.run([python_tools(shop), "calls.py"], room)
    calls.check()
    text = played(shop, ["gpsdecode", "-j"], room, calls.text)
    rows = [json.loads(line) for line in text.splitlines()]
    facts = each("key", dict.fromkeys(key for row in rows for key in row))
    facts += each("name", [row["shipname"] for row in rows if row.get("shipname")])
    facts += each("name", [row["callsign"] for row in rows if row.get("callsign")])
    facts += each("message", [f'"{row["destination"]}"' for row in rows if row.get("destination")])
    facts += each(
        "message", dict.fromkeys(f'"status_text":"{row["status_text"]}"' for row in rows if "status_text" in row)
    )
    facts += pairs((row["mmsi"], "AIS-SART is active") for row in rows if row.get("status") == 14)
    yield Item(name, SHIPS, "ndjson", "gpsdecode -j", text, said_in(facts, text))


def zones_run(name: str, zone: str, shop: Shop) -> Iterator[Item]:
    """What zdump lists of a zone's changes; the facts, by Python's own reader, are the names that its time had, and when each began."""
    shop.need("zdump", package="libc-bin")
    text = shop.run(["zdump", "-v", "-c", "1890,2030", zone], shop.room(name)).text
    facts: list[Fact] = []
    before = ""
    for line in text.splitlines():
        found = re.search(r"= (.*) (\S+) isdst=(\d) gmtoff=(-?\d+)", line)
        if found and f"{found[2]}{found[4]}" != before and found[1]:
            known = {fact.together[0] for fact in facts}
            facts += (
                pairs([(f"{found[2]} isdst={found[3]} gmtoff={found[4]}",)])
                if f"{found[2]} isdst={found[3]} gmtoff={found[4]}" not in known
                else []
            )
            before = f"{found[2]}{found[4]}"
    facts = [Fact("message", fact.together) for fact in facts]
    years = dict.fromkeys(re.findall(r"(\d{4}) UT", text))
    facts += each("message", [f"{year} UT" for year in years])
    gaps = [
        line.split("  ")[-1].split(" UT")[0]
        for line in text.splitlines()
        if re.search(r"(?:LMT|isdst=1 gmtoff=7200)", line)
    ]
    facts += each("message", gaps[:40])
    yield Item(name, CLOCK, "text", f"zdump -v {zone}", text, said_in(facts, text))


RECIPES = {
    "xtb-ethanol": partial(xtb_run, "xtb-ethanol"),
    "grib-dump-hours": partial(grib_run, "grib-dump-hours"),
    "osmium-houses": partial(osmium_run, "osmium-houses"),
    "assimp-store": partial(assimp_run, "assimp-store"),
    "dcmdump-slices": partial(dcm_run, "dcmdump-slices"),
    "dciodvfy-slices": partial(dciodvfy_run, "dciodvfy-slices"),
    "gpsdecode-ships": partial(ships_run, "gpsdecode-ships"),
    "zdump-lisbon": partial(zones_run, "zdump-lisbon", "Europe/Lisbon"),
}
