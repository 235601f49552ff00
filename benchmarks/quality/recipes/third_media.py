"""Pictures, sounds, films and geography as tools describe them that nobody tunes on; the facts are their JSON."""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.held_linters import read
from recipes.held_suites import write
from recipes.third_data import dataset

MEDIA = "media"
RARE = 12
GENERATE = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i"]


def make_pictures(shop: Shop, room: str) -> None:
    """Forty pictures and sounds, some of which are odd."""
    shop.install("ffmpeg")
    shop.install("exiftool", "libimage-exiftool-perl")
    for number in range(24):
        size = "64x48" if number != 17 else "640x16"
        source = f"testsrc=size={size}:rate=1:duration=1"
        shop.run([*GENERATE, source, "-frames:v", "1", f"shelf-{number}.jpg"], room)
    tags = ["-overwrite_original", "-q", "-Make=Parcelcam", "-Model=P1", "-ISO=200"]
    shop.run(["exiftool", *tags, *(f"shelf-{number}.jpg" for number in range(24))], room)
    odd = ["-Model=P9", "-Comment=taken in the dark", "-ISO=6400"]
    shop.run(["exiftool", "-overwrite_original", "-q", *odd, "shelf-5.jpg"], room)
    shop.run(["exiftool", "-overwrite_original", "-q", "-GPSLatitude=51.5", "-GPSLatitudeRef=N", "shelf-11.jpg"], room)
    for number in range(4):
        seconds = 9 if number == 2 else 1
        shop.run([*GENERATE, f"sine=frequency={200 + number}:duration={seconds}", f"bell-{number}.wav"], room)


def exif_run(name: str, shop: Shop) -> Iterator[Item]:
    """What exiftool says of a directory; the facts are its own JSON: files, tags, and values that few files have."""
    room = shop.room(name)
    make_pictures(shop, room)
    text = shop.run(["exiftool", "."], room).text
    rows = json.loads(shop.run(["exiftool", "-json", "."], room, apart=True).text)
    facts = [Fact("message", (row["SourceFile"].removeprefix("./"),)) for row in rows]
    values = Counter((key, str(value)) for row in rows for key, value in row.items())
    keys = Counter(key for key, _ in values)
    labels = re.findall(r"^(\S[^:]*?) +: (.*)$", text, re.MULTILINE)
    facts += [Fact("message", (label,)) for label, _ in labels]
    own = {"SourceFile", "FileName", "Directory", "FileSize", "FileModifyDate", "FileAccessDate", "FileInodeChangeDate"}
    facts += [
        Fact("message", (value,))
        for (key, value), count in values.items()
        if key not in own and count <= 2 and keys[key] <= RARE
    ]
    facts += [Fact("message", ("1 directories scanned",)), Fact("message", (f"{len(rows)} image files read",))]
    yield Item(name, MEDIA, "text", "exiftool .", text, said_in(facts, text))


def mediainfo_run(name: str, shop: Shop) -> Iterator[Item]:
    """What mediainfo says of a directory; the facts are the files, and what few of them have, by ffprobe's JSON."""
    room = shop.room(name)
    make_pictures(shop, room)
    shop.install("mediainfo")
    files = sorted(one for one in os.listdir(room) if one.endswith((".jpg", ".wav")))
    text = shop.run(["mediainfo", *files], room).text
    facts = [Fact("message", (one,)) for one in files]
    facts += [Fact("message", (label,)) for label in dict.fromkeys(re.findall(r"^(\S[^:]*?) +: ", text, re.MULTILINE))]
    for one in files:
        stream = json.loads(
            shop.run(["ffprobe", "-v", "error", "-of", "json", "-show_streams", one], room, apart=True).text
        )["streams"][0]
        facts += (
            [Fact("message", (f"{stream['width']} pixels",))]
            if "width" in stream
            else [Fact("message", (f"{float(stream['duration']):.0f} s 0 ms",))]
        )
    yield Item(name, MEDIA, "text", "mediainfo", text, said_in(facts, text))


def packets_run(name: str, shop: Shop) -> Iterator[Item]:
    """`ffprobe -show_packets -show_streams` of a film; the facts are its own JSON: keys, streams, the largest packets."""
    shop.install("ffprobe", "ffmpeg")
    room = shop.room(name)
    shop.run(
        [
            "ffmpeg",
            "-v",
            "error",
            "-f",
            "lavfi",
            "-i",
            "testsrc=size=96x64:rate=12:duration=14",
            "-f",
            "lavfi",
            "-i",
            "sine=duration=14",
            "-metadata",
            "title=third aisle",
            "-c:v",
            "mpeg4",
            "-g",
            "30",
            "film.mkv",
        ],
        room,
    )
    command = ["ffprobe", "-v", "error", "-show_format", "-show_streams", "-show_packets", "film.mkv"]
    text = shop.run(command, room).text
    report: dict[str, Any] = json.loads(shop.run([*command, "-of", "json"], room, apart=True).text)
    packets = report["packets"]
    facts = [Fact("name", (key,)) for key in (*packets[0], *report["format"])] + [
        Fact("name", (key,)) for stream in report["streams"] for key in stream
    ]
    facts += [Fact("message", (f"codec_name={stream['codec_name']}",)) for stream in report["streams"]]
    large = sorted(packets, key=lambda row: -int(row["size"]))[:RARE]
    facts += [Fact("message", (f"size={row['size']}",)) for row in large]
    facts += [
        Fact("message", (f"pts_time={row['pts_time']}",))
        for row in packets
        if row["codec_type"] == "video" and row["flags"].startswith("K")
    ]
    facts += [
        Fact("message", (one,))
        for one in (
            "TAG:title=third aisle",
            f"format_name={report['format']['format_name']}",
            f"duration={report['format']['duration']}",
        )
    ]
    yield Item(name, MEDIA, "text", "ffprobe -show_packets film.mkv", text, said_in(facts, text))


def features_run(name: str, shop: Shop) -> Iterator[Item]:
    """`ogrinfo -al` of a layer; the facts, by Python's reader of the same file, are the fields, few values and names."""
    shop.install("ogrinfo", "gdal-bin")
    room = shop.room(name)
    table = dataset(shop, room, "airports.csv").replace("airports.csv", "us-state-capitals.json")
    rows = json.loads(read(table))
    write(
        os.path.join(room, "capitals.geojson"),
        json.dumps(
            {
                "type": "FeatureCollection",
                "features": [
                    {
                        "type": "Feature",
                        "properties": {
                            "state": row["state"],
                            "city": row["city"],
                            "zone": "island" if row["lon"] < -150 else "land",
                            "hemisphere": "northern",
                            "parcels": 98765 if row["city"] == "Boise" else round(row["lat"] * 10),
                        },
                        "geometry": {"type": "Point", "coordinates": [row["lon"], row["lat"]]},
                    }
                    for row in rows
                ],
            }
        ),
    )
    text = shop.run(["ogrinfo", "-al", "capitals.geojson"], room).text
    facts = [Fact("message", (row["city"],)) for row in rows] + [Fact("message", (row["state"],)) for row in rows]
    facts += [
        Fact("name", (one,))
        for one in ("state", "city", "zone", "island", "land", "hemisphere", "northern", "parcels", "98765", "WGS 84")
    ]
    facts += [
        Fact("message", (f"Feature Count: {len(rows)}",)),
        Fact("message", ("Geometry: Point",)),
        *(Fact("message", (line,)) for line in re.findall(r"^Extent: .*$", text, re.MULTILINE)),
    ]
    yield Item(name, MEDIA, "text", "ogrinfo -al capitals.geojson", text, said_in(facts, text))


def picture_run(name: str, shop: Shop) -> Iterator[Item]:
    """`identify -verbose` of pictures of which one is odd; the facts are the files, the properties, and the odd one's."""
    shop.install("identify", "imagemagick")
    room = shop.room(name)
    for number in range(6):
        pattern = "plasma:red-blue" if number == 3 else f"gradient:gray{number * 10}-white"
        shop.run(
            [
                "convert",
                "-seed",
                "7",
                "-size",
                "40x30" if number != 4 else "33x90",
                pattern,
                "-density",
                "72" if number != 1 else "300",
                f"shelf-{number}.png",
            ],
            room,
        )
    files = [f"shelf-{number}.png" for number in range(6)]
    text = shop.run(["identify", "-verbose", *files], room).text
    facts = [Fact("message", (one,)) for one in files] + [
        Fact("message", ("33x90+0+0",)),
        Fact("message", ("118.11x118.11",)),
    ]
    facts += [
        Fact("message", (f"{label}:",))
        for label in dict.fromkeys(re.findall(r"^  ([A-Z][\w -]+):", text, re.MULTILINE))
    ]
    for one in files:
        facts.append(Fact("message", (shop.run(["identify", "-format", "%#", one], room, apart=True).text,)))
        facts.append(
            Fact("message", (f"Colors: {shop.run(['identify', '-format', '%k', one], room, apart=True).text}",))
        )
    yield Item(name, MEDIA, "text", "identify -verbose", text, said_in(facts, text))


RECIPES = {
    "exiftool-shelves": partial(exif_run, "exiftool-shelves"),
    "mediainfo-shelves": partial(mediainfo_run, "mediainfo-shelves"),
    "ffprobe-film": partial(packets_run, "ffprobe-film"),
    "ogrinfo-capitals": partial(features_run, "ogrinfo-capitals"),
    "identify-shelves": partial(picture_run, "identify-shelves"),
}
