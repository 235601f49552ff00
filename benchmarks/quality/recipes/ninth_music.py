"""Music, sound, speech and words, told by tools that nobody tunes on; what they read is planted, or asked again."""

import math
import os
import re
import struct
import wave
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.held_suites import write
from recipes.ninth_tools import each, pairs

MUSIC, SOUND, SPEECH, DICTIONARY, LETTERS = "music", "sound", "speech", "dictionary", "letters"

TUNES = ("The Baker's Dozen", "Snow on the Oven", "Rye at Dawn", "Three Sacks of Flour", "The Miller's Sister", "Crumbs")  # fmt: skip

BROKEN = {4: "!oops! ", 7: "[CEG ", 11: "z9 z9 ", 15: "(3CD| ", 19: "{abc ", 23: "&& ", 27: "C>>>>D "}
"""What is wrong with some tunes."""


def tune(number: int) -> str:
    notes = [f"{'CDEFGABc'[(number * step + step) % 8]}2" for step in range(1, 25)]
    bars = [" ".join(notes[at : at + 4]) for at in range(0, 24, 4)]
    if number in BROKEN:
        bars[3] = BROKEN[number] + bars[3]
    if number % 9 == 5:
        bars[1] += " D2 E2"
    if number == 13:
        bars[4] += " ]"
    key = "H" if number == 21 else "GDAC"[number % 4]
    meter = "" if number == 17 else "M:4/4\n"
    title = f"{TUNES[number % 6]} no. {number}"
    return f"X:{number}\nT:{title}\n{meter}L:1/8\nQ:1/4={90 + number}\nK:{key}\n" + " | ".join(bars) + " |]\n\n"


def abc_run(name: str, shop: Shop) -> Iterator[Item]:
    """What abc2midi says of a book of tunes; the facts are its errors and warnings with their places, and the tunes that have one."""
    shop.install("abc2midi", "abcmidi")
    room = shop.room(name)
    write(os.path.join(room, "book.abc"), "".join(map(tune, range(1, 120))))
    text = shop.run(["abc2midi", "book.abc", "-c", "-v"], room).text
    found = re.findall(r"^(?:Error|Warning) in line-char (\d+-\d+) : (.*)$", text, re.MULTILINE)
    places: dict[str, list[str]] = {}
    for place, said in found:
        places.setdefault(said.strip()[:90], []).append(place)
    facts = [Fact("record", tuple(at), (said,)) for said, at in places.items()]
    facts += each("location", re.findall(r"^Error in line-char (\d+-\d+)", text, re.MULTILINE))
    yield Item(name, MUSIC, "text", "abc2midi book.abc -c -v", text, said_in(facts, text))


def events(number: int) -> list[tuple[int, bytes]]:
    """The events of a track, and when they come."""
    title = (b"flute", b"fiddle", b"cello", b"tuba")[number]
    found = [(0, b"\xff\x03" + bytes([len(title)]) + title), (0, bytes([0xC0 | number, 73 - number * 9]))]
    for step in range(150):
        pitch = 48 + (step * (number + 3)) % 24
        loud = 127 if (number, step) == (2, 77) else 64
        found += [(step * 96, bytes([0x90 | number, pitch, loud])), (step * 96 + 90, bytes([0x80 | number, pitch, 0]))]
        if step % 50 == 20:
            verse = f"verse {number}.{step}".encode()
            found.append((step * 96, b"\xff\x05" + bytes([len(verse)]) + verse))
    found += [(4000, bytes([0xB0 | number, 64, 127])), (8000, bytes([0xE0 | number, 0, 96]))] * (number == 1)
    found += [(5000, b"\xff\x51\x03\x0a\x2c\x2b"), (7000, b"\xff\x58\x04\x03\x02\x18\x08")] * (number == 0)
    return sorted(found, key=lambda one: one[0])


def track(number: int) -> bytes:
    at, packed = 0, b""
    for when, what in events(number):
        wait, at = when - at, when
        packed += (bytes([0x80 | wait >> 7]) if wait > 127 else b"") + bytes([wait & 127]) + what
    packed += b"\x00\xff\x2f\x00"
    return b"MTrk" + struct.pack(">I", len(packed)) + packed


def midi_run(name: str, shop: Shop) -> Iterator[Item]:
    """What midicsv prints of a score; the facts are planted: tracks, words sung, the kinds of event, and those that are alone."""
    shop.install("midicsv")
    room = shop.room(name)
    with open(os.path.join(room, "score.mid"), "wb") as out:
        out.write(b"MThd" + struct.pack(">IHHH", 6, 1, 4, 480) + b"".join(map(track, range(4))))
    text = shop.run(["midicsv", "score.mid"], room).text
    facts = each("name", dict.fromkeys(re.findall(r"^\d+, \d+, (\w+)", text, re.MULTILINE)))
    facts += each("message", [f'"{one}"' for one in ("flute", "fiddle", "cello", "tuba")])
    facts += each("message", [f'"verse {number}.{step}"' for number in range(4) for step in (20, 70, 120)])
    rare = r"^\d+, \d+, (?:Tempo|Time_signature|Control_c|Pitch_bend_c|Program_c|Header|End_track).*$"
    facts += each("message", re.findall(rare, text, re.MULTILINE))
    facts += each("message", re.findall(r"^3, \d+, Note_on_c, 2, \d+, 127$", text, re.MULTILINE))
    yield Item(name, MUSIC, "text", "midicsv score.mid", text, said_in(facts, text))


def flac_run(name: str, shop: Shop) -> Iterator[Item]:
    """What metaflac lists of recordings; the facts are planted: every file, what one has alone, every field."""
    shop.install("metaflac", "flac")
    room = shop.room(name)
    files, facts = [], []
    for number in range(24):
        path = f"take_{number:02}.flac"
        with wave.open(os.path.join(room, "take.wav"), "wb") as out:
            rate = 22050 if number == 8 else 44100
            out.setparams((2 if number == 14 else 1, 2, rate, 0, "NONE", ""))
            out.writeframes(b"".join(struct.pack("<h", int(800 * math.sin(n / (9 + number)))) for n in range(9000)))
        tags = {
            "ARTIST": "Mill Street Band" if number != 5 else "Unknown",
            "TITLE": f"Loaf {number}",
            "DATE": str(1990 + number),
        }
        tags |= {"COMMENT": "tape hiss from 0:03"} if number == 19 else {}
        tags |= {"REPLAYGAIN_TRACK_GAIN": f"-{number}.50 dB"} if number % 10 == 1 else {}
        words = [word for key, value in tags.items() for word in ("-T", f"{key}={value}")]
        shop.run(["flac", "-s", "-f", *words, "-o", path, "take.wav"], room).check()
        files.append(path)
        facts += pairs((value, f"{key}={value}") for key, value in tags.items() if key in {"TITLE", "DATE"})
    text = shop.run(["metaflac", "--with-filename", "--list", *files], room).text
    facts = each("path", files)
    facts += each("message", [f"TITLE=Loaf {number}" for number in range(24)])
    facts += pairs([(files[8], "sample_rate: 22050 Hz"), (files[14], "channels: 2"), (files[5], "ARTIST=Unknown")])
    facts += pairs([(files[19], "COMMENT=tape hiss from 0:03")])
    facts += pairs((files[number], f"REPLAYGAIN_TRACK_GAIN=-{number}.50 dB") for number in range(1, 24, 10))
    facts += each("message", dict.fromkeys(re.findall(r"^\S+:\s+([a-z][\w ]+):", text, re.MULTILINE)))
    facts += each("message", dict.fromkeys(re.findall(r"type: \d+ \(\w+\)", text)))
    sums = re.findall(r"^(\S+?\.flac):.*MD5 signature: (\w+)$", text, re.MULTILINE)
    facts += pairs(sums)
    yield Item(name, SOUND, "text", "metaflac --with-filename --list *.flac", text, said_in(facts, text))


SPOKEN = """The night shift bakes four hundred loaves. Xochitl counts sacks at dawn and Doctor Nguyen reads the thermometer, through and though.
Worcestershire sauce, quinoa, gnocchi and croissants arrive on Wednesday from the wholesale depot behind the cathedral. Nobody thought
the yacht would carry rhubarb, yet the colonel brought twelve crates of it, enough to choke the queue of hungry apprentices.
Their foreman coughs, ploughs onward, and laughs about the mortgage; his daughter knits psychedelic gloves for the island choir.
Yesterday a lieutenant measured the draught beneath the oven, wrote illegible numerals and misplaced the receipt near a gherkin."""


def speech_run(name: str, shop: Shop) -> Iterator[Item]:
    """How espeak-ng comes to say words; the facts are what it says of each, asked again without how."""
    shop.install("espeak-ng")
    room = shop.room(name)
    text = shop.run(["espeak-ng", "-q", "-X", "-v", "en-gb", SPOKEN], room).text
    words = re.findall(r"[A-Za-z]+", SPOKEN)
    facts = each("message", [f"'{word.lower()}'" for word in words])
    said = shop.run(["espeak-ng", "-q", "-x", "-v", "en-gb", SPOKEN], room).text
    facts += each("message", said.strip().splitlines())
    for word in dict.fromkeys(words):
        alone = shop.run(["espeak-ng", "-q", "-x", "-v", "en-gb", word], room).text.strip()
        facts += [Fact("message", (f"[{alone}]", alone))]
    facts += each("message", re.findall(r"^(?:Translate|Found:|Unpronouncable).*$", text, re.MULTILINE))
    yield Item(name, SPEECH, "text", "espeak-ng -q -X", text, said_in(facts, text))


def wordnet_run(name: str, word: str, shop: Shop) -> Iterator[Item]:
    """What WordNet tells of a word; the facts are its senses by its own file of glosses, and the words that are like it."""
    shop.install("wn", "wordnet")
    room = shop.room(name)
    text = shop.run(["wn", word, "-over", "-hypov", "-synsv", "-simsv", "-famlv"], room).text
    senses = shop.run(["wn", word, "-over"], room).text
    facts = each(
        "message", [one.strip()[:70] for one in re.findall(r"^\d+\. (?:\(\d+\) )?(.*)$", senses, re.MULTILINE)]
    )
    facts += each(
        "message",
        [f"Sense {one}" for one in range(1, 1 + len(re.findall(r"^Sense (\d+)$", text, re.MULTILINE))) if one > 9],
    )
    facts += each(
        "message",
        re.findall(
            r"^(?:The (?:noun|verb|adj) .*|\d+ of \d+ senses of .*|Similarity of .*|Familiarity of .*)$",
            text,
            re.MULTILINE,
        ),
    )
    facts += each("message", [one[:60] for one in re.findall(r"^ +=> (.*)$", text, re.MULTILINE)])
    yield Item(name, DICTIONARY, "text", f"wn {word} -over -hypov -synsv", text, said_in(facts, text))


HIDDEN = {
    31: "\u200b",
    77: "\u0430",
    140: "\u202e",
    188: "\ufeff",
    210: "\u00ad",
    233: "\u2028",
    260: "\u0455",
    299: "\ue000",
}
"""Letters that look like nothing or like others, and where they are put."""


def letters_run(name: str, shop: Shop) -> Iterator[Item]:
    """What uniname lists of a text, a letter a line; the facts are planted: letters that hide, and every letter beyond ASCII."""
    shop.install("uniname", "uniutils")
    room = shop.room(name)
    plain = "The ledger of the mill: flour 40 kg, rye 12 kg, salt 3 kg; paid in full by Mr Ahlström at Årdal. " * 4
    letters = list(plain[:330])
    for at, one in HIDDEN.items():
        letters[at] = one
    write(os.path.join(room, "ledger.txt"), "".join(letters))
    text = shop.run(["uniname", "ledger.txt"], room).text
    facts: list[Fact] = []
    for one in dict.fromkeys(letters):
        if ord(one) > 127:
            rows = [line for line in text.splitlines() if re.search(rf"\s{ord(one):06X}\s", line)]
            facts += each("message", [f"{ord(one):06X}"]) + each(
                "message", [re.split(r" {3,}", row)[-1] for row in rows]
            )
            facts += pairs((row.split()[0], f"{ord(one):06X}") for row in rows[:1] if one not in "öÅ")
    facts += each("message", dict.fromkeys(re.findall(r" ([A-Z][A-Z-]{3,}(?: [A-Z-]+)*)$", text, re.MULTILINE)))
    yield Item(name, LETTERS, "text", "uniname ledger.txt", text, said_in(facts, text))


RECIPES = {
    "abc2midi-book": partial(abc_run, "abc2midi-book"),
    "midicsv-score": partial(midi_run, "midicsv-score"),
    "metaflac-takes": partial(flac_run, "metaflac-takes"),
    "espeak-ng-shift": partial(speech_run, "espeak-ng-shift"),
    "wn-run": partial(wordnet_run, "wn-run", "run"),
    "uniname-ledger": partial(letters_run, "uniname-ledger"),
}
