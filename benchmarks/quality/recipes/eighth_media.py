"""Fonts, pictures, films, maps and stars that nobody tunes on; their tools answer again for machines."""

import glob
import json
import math
import os
import re
import struct
import wave
from collections.abc import Iterator
from functools import partial
from xml.etree import ElementTree as ET

from items import Fact, Item
from reports import in_json, in_xml, said_in
from shop import Shop

from recipes.eighth_tools import python_tools, tool_of
from recipes.fifth_suites import last_words
from recipes.held_linters import read
from recipes.held_suites import write

FONT, PICTURE, FILM, MAP, STARS = "font", "picture", "film", "map", "astronomy"


def fonts(shop: Shop, package: str, pattern: str) -> list[str]:
    """The fonts of a package of the distribution."""
    return sorted(
        glob.glob(os.path.join(shop.debian_package(package), "usr/share/fonts", "**", pattern), recursive=True)
    )


def scan_run(name: str, package: str, pattern: str, shop: Shop) -> Iterator[Item]:
    """What fc-scan tells of fonts; the facts, asked in a format of ours, are every font and what is rare among them."""
    shop.install("fc-scan", "fontconfig")
    room = shop.room(name)
    paths = fonts(shop, package, pattern)[:16]
    for path in paths:
        os.symlink(path, os.path.join(room, os.path.basename(path)))
    short = [os.path.basename(path) for path in paths]
    text = shop.run(["fc-scan", *short], room).text
    rows = shop.run(
        ["fc-scan", "-f", "%{file}|%{fullname[0]}|%{postscriptname}|%{weight}|%{width}|%{spacing}\n", *short], room
    ).text
    facts = []
    for line in filter(None, rows.splitlines()):
        file, full, postscript, weight, *_ = line.split("|")
        facts += [Fact("path", (os.path.basename(file),)), Fact("message", (f'"{full}"',)), Fact("name", (postscript,))]
        facts += [Fact("message", (f"weight: {weight}",))]
    facts += [Fact("message", (f"{key}:",)) for key in dict.fromkeys(re.findall(r"^\t(\w+):", text, re.MULTILINE))]
    yield Item(name, FONT, "text", "fc-scan *.ttf", text, said_in(facts, text))


def ttx_run(name: str, package: str, pattern: str, shop: Shop) -> Iterator[Item]:
    """Tables of a font as XML; the facts, by Python's reader, are its elements and what names and versions they hold."""
    room = shop.room(name)
    path = fonts(shop, package, pattern)[0]
    tables = [word for one in ("head", "hhea", "maxp", "OS/2", "name", "post", "GSUB", "gasp") for word in ("-t", one)]
    shop.run([tool_of(shop, "ttx"), "-q", *tables, "-o", "font.xml", path], room).check()
    text = read(os.path.join(room, "font.xml"))
    tree = ET.fromstring(text)
    facts = [Fact("key", (one,)) for one in dict.fromkeys(node.tag for node in tree.iter())]
    facts += [Fact("message", ((node.text or "").strip().split("\n")[0][:90],)) for node in tree.iter("namerecord")]
    for table in ("head", "hhea", "maxp", "OS_2", "post"):
        node = tree.find(table)
        if node is not None:
            facts += [Fact("message", (f'<{one.tag} value="{one.get("value")}"',)) for one in node if one.get("value")]
    facts += [Fact("message", (f'<FeatureTag value="{node.get("value")}"',)) for node in tree.iter("FeatureTag")]
    facts += [Fact("message", (f'<ScriptTag value="{node.get("value")}"',)) for node in tree.iter("ScriptTag")]
    yield Item(name, FONT, "xml", f"ttx -o font.xml {os.path.basename(path)}", text, said_in(in_xml(facts), text))


PHOTOS = """from PIL import Image
import json
odd = {}
for n in range(26):
    picture = Image.new("RGB", (64, 48), (n * 9, 90, 200 - n))
    exif = picture.getexif()
    exif[0x010F], exif[0x0110], exif[0x0131] = "Lumo", "L-%d" % (7 if n % 8 else 9), "tideshot 2.1"
    exif[0x0132] = "2026:05:%02d 10:%02d:00" % (n % 28 + 1, n)
    exif[0x013B], exif[0x8298] = "Ines Holm", "harbour office"
    exif[0x0112] = 6 if n == 11 else 1
    inner = exif.get_ifd(0x8769)
    inner[0x829A], inner[0x829D], inner[0x8827] = 1 / (60 + n), 2.8 if n % 5 else 11.0, 100 * (1 + n % 3)
    inner[0x9003], inner[0x920A], inner[0x9207] = exif[0x0132], 35.0 + n % 4, 5
    inner[0x9209] = 1 if n == 19 else 16
    inner[0xA434], inner[0xA431] = "Lumo 35 mm", "SN-%d" % (4400 + n)
    if n in (4, 17):
        place = exif.get_ifd(0x8825)
        place[1], place[2], place[3], place[4] = "N", (59.0, float(n), 7.5), "E", (5.0, 12.0, float(n))
    if n == 21: exif[0x010E] = "crack in the third pile"
    if n == 13: exif[0x0110] = "Borrowed X1"
    picture.save("pier_%02d.jpg" % n, exif=exif)
"""


def exiv_run(name: str, shop: Shop) -> Iterator[Item]:
    """What exiv2 prints of photographs; the facts are planted: every file, every tag, and what one picture has alone."""
    shop.install("exiv2")
    room = shop.room(name)
    write(os.path.join(room, "shoot.py"), PHOTOS)
    shop.run([python_tools(shop), "shoot.py"], room).check()
    files = sorted(os.path.basename(one) for one in glob.glob(os.path.join(room, "*.jpg")))
    text = shop.run(["exiv2", "-pt", *files], room).text
    facts = [Fact("path", (one,)) for one in files]
    facts += [Fact("name", (one,)) for one in dict.fromkeys(re.findall(r"Exif\.\w+\.\w+", text))]
    facts += [
        Fact("odd", (), ("pier_13.jpg", "Borrowed X1")),
        Fact("odd", (), ("pier_21.jpg", "crack in the third pile")),
    ]
    facts += [Fact("odd", (), ("pier_11.jpg", "right, top")), Fact("odd", (), ("pier_19.jpg", "Fired"))]
    facts += [Fact("odd", (), (file, "Exif.GPSInfo.GPSLatitude")) for file in ("pier_04.jpg", "pier_17.jpg")]
    facts += [Fact("odd", (), (f"pier_{n:02}.jpg", "L-9")) for n in range(0, 26, 8)]
    facts += [Fact("odd", (), (f"pier_{n:02}.jpg", "F11")) for n in range(0, 26, 5)]
    facts += [Fact("name", (one,)) for one in ("Ines Holm", "SN-4400", "SN-4425", "tideshot 2.1", "harbour office")]
    yield Item(name, PICTURE, "text", "exiv2 -pt *.jpg", text, said_in(facts, text))


def tone(path: str, pitch: int) -> str:
    """A second of sound."""
    with wave.open(path, "wb") as out:
        out.setparams((1, 2, 8000, 0, "NONE", ""))
        out.writeframes(b"".join(struct.pack("<h", int(9000 * math.sin(n * pitch / 8000 * 6.28))) for n in range(8000)))
    return path


def chapter(number: int) -> str:
    start, end = f"00:{number:02}:00.000", f"00:{number:02}:59.000"
    hidden = "1" if number == 9 else "0"
    return (
        f"<ChapterAtom><ChapterUID>{7000 + number}</ChapterUID><ChapterTimeStart>{start}</ChapterTimeStart><ChapterTimeEnd>{end}</ChapterTimeEnd>"
        f"<ChapterFlagHidden>{hidden}</ChapterFlagHidden><ChapterDisplay><ChapterString>Lock {number} of the canal</ChapterString>"
        "<ChapterLanguage>eng</ChapterLanguage></ChapterDisplay></ChapterAtom>"
    )


def film_run(name: str, shop: Shop) -> Iterator[Item]:
    """What mkvinfo prints of a film; the facts are those of mkvmerge's JSON, and its chapters and tags."""
    shop.install("mkvmerge", "mkvtoolnix")
    room = shop.room(name)
    command = ["mkvmerge", "-o", "canal.mkv", "--title", "The canal in winter", "--disable-track-statistics-tags"]
    chapters = "".join(map(chapter, range(22)))
    write(
        os.path.join(room, "chapters.xml"),
        f'<?xml version="1.0"?>\n<Chapters><EditionEntry>{chapters}</EditionEntry></Chapters>',
    )
    tags = "".join(
        f"<Simple><Name>{key}</Name><String>{value}</String></Simple>"
        for key, value in (
            ("DIRECTOR", "Oda Lind"),
            ("DATE_RELEASED", "2026"),
            ("COMMENT", "second cut, sound lost at lock 9"),
        )
    )
    write(os.path.join(room, "tags.xml"), f'<?xml version="1.0"?>\n<Tags><Tag><Targets/>{tags}</Tag></Tags>')
    command += ["--chapters", "chapters.xml", "--global-tags", "tags.xml"]
    for number in range(4):
        write(os.path.join(room, f"plate{number}.txt"), "plate\n" * (30 + number))
        command += ["--attachment-description", f"plate {number} of the book", "--attach-file", f"plate{number}.txt"]
    for at, language in enumerate(("eng", "nob", "fin", "deu", "fra", "pol", "est", "spa")):
        tone(os.path.join(room, f"{language}.wav"), 200 + at * 40)
        write(
            os.path.join(room, f"{language}.srt"),
            "".join(f"{n + 1}\n00:{n:02}:01,000 --> 00:{n:02}:04,000\nline {n} in {language}\n\n" for n in range(22)),
        )
        forced = ["--forced-display-flag", "0:yes"] if language == "fin" else []
        command += ["--language", f"0:{language}", "--track-name", f"0:voice {language}", f"{language}.wav"]
        command += [*forced, "--language", f"0:{language}", "--track-name", f"0:words {language}", f"{language}.srt"]
    shop.run(command, room).check()
    text = shop.run(["mkvinfo", "-a", "canal.mkv"], room).text
    about = json.loads(shop.run(["mkvmerge", "-J", "canal.mkv"], room, apart=True).text)
    facts = [Fact("message", (f"Name: {track['properties']['track_name']}",)) for track in about["tracks"]]
    facts += [Fact("message", (f"Codec ID: {track['properties']['codec_id']}",)) for track in about["tracks"]]
    facts += [Fact("message", (f"Language: {track['properties']['language']}",)) for track in about["tracks"]]
    facts += [Fact("name", (one["file_name"],)) for one in about["attachments"]]
    facts += [Fact("name", (one["description"],)) for one in about["attachments"]]
    facts += [Fact("message", (f"Lock {n} of the canal",)) for n in range(22)]
    facts += [
        Fact("message", (one,))
        for one in (
            "The canal in winter",
            "Oda Lind",
            "sound lost at lock 9",
            "Chapter flag hidden: 1",
            'Forced display" flag: 1',
            "DATE_RELEASED",
        )
    ]
    facts += [
        Fact("message", (one,))
        for one in dict.fromkeys(
            re.findall(
                r"^\|[ +|]*\+ (Tracks|Segment information|Tags|Chapters|Attachments|Cues|Cluster|Duration: .*|Multiplexing application: .*)$",
                text,
                re.MULTILINE,
            )
        )
    ]
    yield Item(name, FILM, "text", "mkvinfo -a canal.mkv", text, said_in(facts, text))


def grid_band(room: str, number: int) -> str:
    """A band of a made-up sea floor, and what a VRT says of it."""
    rows = [
        " ".join(
            str(-(x * 7 + y * 3 + number * 5) % 60 - (400 if (x, y, number) == (9, 9, 7) else 0)) for x in range(20)
        )
        for y in range(20)
    ]
    head = "ncols 20\nnrows 20\nxllcorner 5.0\nyllcorner 59.0\ncellsize 0.01\nNODATA_value -9999\n"
    write(os.path.join(room, f"depth{number}.asc"), head + "\n".join(rows) + "\n")
    state = "suspect" if number in {7, 15} else "checked"
    names = "".join(
        f"<Category>bottom {number}.{kind} {'unexploded' if (number, kind) == (11, 4) else 'sand'}</Category>"
        for kind in range(9)
    )
    return (
        f'<VRTRasterBand dataType="Float32" band="{number + 1}"><Description>survey {2000 + number}</Description>'
        f'<Metadata><MDI key="ship">{"Skua" if number % 4 else "Tern"}</MDI><MDI key="state">{state}</MDI><MDI key="beams">{240 + number}</MDI></Metadata>'
        f"<NoDataValue>-9999</NoDataValue><CategoryNames>{names}</CategoryNames>"
        f'<SimpleSource><SourceFilename relativeToVRT="1">depth{number}.asc</SourceFilename><SourceBand>1</SourceBand></SimpleSource></VRTRasterBand>'
    )


def gdal_run(name: str, shop: Shop) -> Iterator[Item]:
    """What gdalinfo prints of a raster; the facts are those of its JSON: bands, ends of their values, odd metadata, corners."""
    shop.install("gdalinfo", "gdal-bin")
    room = shop.room(name)
    bands = "".join(grid_band(room, number) for number in range(24))
    points = "".join(
        f'<GCP Id="buoy {n}" Info="{"drifted" if n == 31 else "moored"}" Pixel="{n % 20}" Line="{n // 20}" X="{5 + n / 100}" Y="{59 + n / 90:.5f}" Z="0"/>'
        for n in range(60)
    )
    srs = "<SRS>EPSG:4326</SRS><GeoTransform>5.0, 0.01, 0.0, 59.2, 0.0, -0.01</GeoTransform>"
    write(
        os.path.join(room, "depths.vrt"),
        f'<VRTDataset rasterXSize="20" rasterYSize="20">{srs}<GCPList Projection="EPSG:4326">{points}</GCPList>{bands}</VRTDataset>',
    )
    text = shop.run(["gdalinfo", "-stats", "depths.vrt"], room).text
    about = json.loads(shop.run(["gdalinfo", "-json", "-stats", "depths.vrt"], room, apart=True).text)
    facts = []
    for band in about["bands"]:
        own = band["metadata"][""]
        facts += [Fact("message", (f"Description = {band['description']}",))]
        facts += [Fact("odd", (), (f"Minimum={band['minimum']:.3f}", f"Maximum={band['maximum']:.3f}"))]
        facts += [Fact("message", (f"{key}={value}",)) for key, value in own.items() if key in {"ship", "state"}]
    facts += [
        Fact("message", (one,))
        for one in ("bottom 11.4 unexploded", "Size is 20, 20", "drifted", "WGS 84", 'ID["EPSG",4326]')
    ]
    facts += last_words(
        text, r"^(?:Driver|Origin|Pixel Size|Upper Left|Lower Left|Upper Right|Lower Right|Center)\b.*$"
    )
    yield Item(name, MAP, "text", "gdalinfo -stats depths.vrt", text, said_in(facts, text))


HEADERS = """from astropy.io import fits
import numpy as np, json
night = fits.HDUList([fits.PrimaryHDU()])
head = night[0].header
for key, value, note in (("TELESCOP", "Hollow Fell 1.2m", "telescope"), ("OBSERVER", "R. Anand", "who looked"), ("DATE-OBS", "2026-03-09T21:14:07", "start"), ("AIRMASS", 1.31, "at start"), ("SEEING", 2.9, "arcsec, worse than wanted")):
    head[key] = (value, note)
for n in range(60):
    head["HISTORY"] = f"step {n}: flat field {n % 7} divided" if n != 41 else "step 41: flat field MISSING, dark used instead"
for n in range(14):
    part = fits.ImageHDU(np.zeros((4, 4), "int16"), name=f"CCD{n:02}")
    for key, value, note in (("GAIN", 1.9 + n / 100, "e-/ADU"), ("RDNOISE", 41.7 if n == 9 else 4.1 + n / 50, "e-"), ("CCDTEMP", -12.0 if n == 5 else -110.0, "deg C"), ("SATURATE", 65535, "ADU"), ("CRVAL1", 150.1 + n, "deg"), ("CRVAL2", 2.2 - n / 9, "deg"), ("CTYPE1", "RA---TAN", ""), ("CTYPE2", "DEC--TAN", ""), ("FILTER", "none" if n == 12 else "r", "in front of it"), ("EXPTIME", 300.0 if n != 3 else 0.0, "s"), ("AMP", f"amp-{n}", "read by")):
        part.header[key] = (value, note)
    for m in range(12):
        part.header[f"BIAS{m:02}"] = (1000 + (n * 13 + m * 7) % 50, f"level of strip {m}")
    if n == 8: part.header["COMMENT"] = "shutter stuck half open"
    night.append(part)
night.writeto("night.fits", overwrite=True)
"""


def fits_run(name: str, shop: Shop) -> Iterator[Item]:
    """The headers of a picture of the sky; the facts are planted: keywords, parts, and what a part has alone."""
    room = shop.room(name)
    write(os.path.join(room, "observe.py"), HEADERS)
    shop.run([python_tools(shop), "observe.py"], room, env={"HOME": room}).check()
    text = shop.run([tool_of(shop, "fitsheader"), "night.fits"], room, env={"HOME": room}).text
    facts = [
        Fact("name", (one,))
        for one in dict.fromkeys(re.findall(r"^([A-Z][\w-]+) *=", text, re.MULTILINE))
        if not one.startswith("BIAS")
    ]
    facts += [Fact("message", (f"'CCD{n:02}",)) for n in range(14)] + [
        Fact("message", (f"HDU {n} in night.fits",)) for n in range(15)
    ]
    facts += [
        Fact("message", (one,))
        for one in (
            "Hollow Fell 1.2m",
            "R. Anand",
            "2026-03-09T21:14:07",
            "worse than wanted",
            "flat field MISSING, dark used instead",
            "shutter stuck half open",
            "-12.0",
            "41.7",
            "'none",
            "BIAS00",
            "BIAS11",
        )
    ]
    facts += [Fact("odd", (), ("EXPTIME", "0.0")), Fact("odd", (), ("EXPTIME", "300.0"))]
    yield Item(name, STARS, "text", "fitsheader night.fits", text, said_in(in_json(facts), text))


RECIPES = {
    "fc-scan-liberation": partial(scan_run, "fc-scan-liberation", "fonts-liberation", "*.ttf"),
    "ttx-dejavu": partial(ttx_run, "ttx-dejavu", "fonts-dejavu-core", "DejaVuSans.ttf"),
    "exiv2-piers": partial(exiv_run, "exiv2-piers"),
    "mkvinfo-canal": partial(film_run, "mkvinfo-canal"),
    "gdalinfo-depths": partial(gdal_run, "gdalinfo-depths"),
    "fitsheader-night": partial(fits_run, "fitsheader-night"),
}
