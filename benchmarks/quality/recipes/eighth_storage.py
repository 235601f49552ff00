"""Backups, file systems and hardware, told by tools that nobody tunes on; the facts are planted or asked again."""

import json
import os
import re
import struct
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import directory_facts, said_in
from shop import Shop

from recipes.fifth_suites import last_words
from recipes.held_suites import write

BACKUP, DISK, HARDWARE, BENCHMARK, DIFFERENCE = "backup", "file system check", "hardware", "benchmark", "difference"


def borg_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """`borg create --list` of a package that was changed since; the facts are what its JSON says was added or modified."""
    shop.install("borg", "borgbackup")
    room = shop.room(name)
    tree = os.path.relpath(shop.sdist(source, room), room)
    env = {"BORG_BASE_DIR": f"{room}/borg", "BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK": "yes", "HOME": room}
    shop.run(["borg", "init", "--encryption=none", "repo"], room, env=env).check()
    shop.run(["borg", "create", "repo::monday", tree], room, env=env).check()
    files = sorted(os.path.join(at, one) for at, _, names in os.walk(os.path.join(room, tree, folder)) for one in names)
    for number, path in enumerate(files):
        if number % 19 == 7:
            with open(path, "ab") as out:
                out.write(b"\nchanged\n")
        if number % 41 == 12:
            write(f"{path}.orig", "kept aside\n" * 40)
    text = shop.run(["borg", "create", "--list", "--stats", "repo::tuesday", tree], room, env=env).text.replace(
        room, "/srv"
    )
    changed = json.loads(shop.run(["borg", "info", "--json", "repo::tuesday"], room, env=env, apart=True).text)
    facts = []
    for number, path in enumerate(files):
        short = os.path.relpath(path, room)
        facts += [Fact("odd", (), (short, "M"))] * (number % 19 == 7) + [Fact("odd", (), (f"{short}.orig", "A"))] * (
            number % 41 == 12
        )
    facts += directory_facts("", {os.path.dirname(fact.together[0]) + "/x" for fact in facts})
    facts += last_words(
        text,
        r"^(?:Archive name|Archive fingerprint|Number of files|Duration|This archive|All archives|Chunk index): .*$",
    )
    facts += [Fact("message", (changed["archives"][0]["id"],))]
    yield Item(name, BACKUP, "text", "borg create --list --stats", text, said_in(facts, text))


def disk_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `e2fsck -n` says of a damaged image; the facts are the inodes and names that were damaged, and its sums."""
    shop.need("mke2fs", "debugfs", "e2fsck", package="e2fsprogs")
    room = shop.room(name)
    for number in range(700):
        write(
            os.path.join(room, "tree", f"log{number % 13}", f"buoy{number}.txt"),
            f"reading {number}\n" * (number % 90 + 1),
        )
    shop.run(["mke2fs", "-q", "-t", "ext2", "-d", "tree", "sea.img", "20M"], room).check()
    orders, facts = [], []
    write(os.path.join(room, "asked"), "".join(f"stat /log{n % 13}/buoy{n}.txt\n" for n in range(700)))
    inodes = [
        int(one) for one in re.findall(r"Inode: (\d+)", shop.run(["debugfs", "-f", "asked", "sea.img"], room).text)
    ]
    for number in range(700):
        path = f"/log{number % 13}/buoy{number}.txt"
        if number % 11 == 3:
            orders.append(f"set_inode_field {path} links_count {number % 4 + 2}")
            facts.append(Fact("message", (f"Inode {inodes[number]} ref count is {number % 4 + 2}",)))
        if number % 17 == 9:
            orders.append(f"clri {path}")
            facts.append(Fact("message", (f"buoy{number}.txt",)))
        if number % 23 == 14:
            orders.append(f"set_inode_field {path} block[0] 99{number}999")
            facts.append(Fact("message", (f"node {inodes[number]} has illegal block",)))
        if number % 29 == 20:
            orders.append(f"set_inode_field {path} size 9000{number}")
            facts.append(Fact("message", (f"Inode {inodes[number]}, i_size",)))
        if number % 37 == 30:
            orders.append(f"unlink {path}")
            facts.append(Fact("message", (f"Unattached inode {inodes[number]}",)))
        if number % 43 == 40:
            orders.append(f"freei <{inodes[number]}>")
    write(os.path.join(room, "orders"), "\n".join(orders) + "\n")
    shop.run(["debugfs", "-w", "-f", "orders", "sea.img"], room).check()
    text = shop.run(["e2fsck", "-fn", "sea.img"], room).text
    facts += last_words(
        text,
        r"^Pass \d.*$|^.*WARNING: .*$|^(?:Free|Block|Inode)[^\n]*(?:count wrong|bitmap differences)[^\n]{0,60}|^sea\.img: \d+/.*$",
    )
    yield Item(name, DISK, "text", "e2fsck -fn sea.img", text, said_in(facts, text))


KINDS = (
    (0x8086, 0x1521, 0x0200),
    (0x8086, 0x10FB, 0x0200),
    (0x144D, 0xA808, 0x0108),
    (0x10DE, 0x1DB6, 0x0302),
    (0x1000, 0x0097, 0x0107),
    (0x8086, 0x6F02, 0x0604),
    (0x15B3, 0x1017, 0x0207),
)
"""Cards: maker, model, kind."""


def card(number: int) -> bytes:
    """The settings of a card: some are broken in a way that a reader has to see."""
    vendor, device, kind = KINDS[number % len(KINDS)]
    broken = number % 13 == 6
    bridge = kind == 0x0604
    space = bytearray(256)
    struct.pack_into(
        "<HHHH", space, 0, vendor, device, 0x0000 if number % 17 == 11 else 0x0506, 0x0010 | (0x8000 if broken else 0)
    )
    struct.pack_into("<BBH", space, 8, number % 4, 0, kind)
    struct.pack_into("<BBBB", space, 12, 16, 0, 1 if bridge else 0, 0)
    struct.pack_into("<I", space, 16, 0xF0000004 + number * 0x100000)
    if bridge:
        struct.pack_into("<BBBB", space, 24, 0, number + 1, number + 1, 0)
    else:
        struct.pack_into("<HH", space, 0x2C, vendor, 0x0100 + number)
    struct.pack_into("<B", space, 0x34, 0x40)
    struct.pack_into("<BBHHH", space, 0x40, 0x01, 0x50, 0xC823, 0x0003 if number % 19 == 4 else 0x0008, 0)
    struct.pack_into("<BBH", space, 0x50, 0x05, 0x70, 0x0080 | (number % 2))
    struct.pack_into(
        "<BBHIHH", space, 0x70, 0x10, 0x00, 0x0042 if bridge else 0x0002, 0x10008FC2, 0x5936, 0x0005 if broken else 0
    )
    speed, width = (1, 4) if number % 13 == 9 else (3, 8)
    struct.pack_into("<IHH", space, 0x7C, 0x00416C83, 0x0040, speed | width << 4)
    return bytes(space)


def lspci_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `lspci -vv` tells of the cards of a made-up machine; the facts are the cards by its form for machines, and what is wrong."""
    shop.install("lspci", "pciutils")
    room = shop.room(name)
    dump = []
    for number in range(42):
        dump.append(f"{number // 8:02x}:{number % 8 + 1:02x}.0 card")
        space = card(number)
        dump += [f"{at:02x}: {space[at : at + 16].hex(' ')}" for at in range(0, 256, 16)] + [""]
    write(os.path.join(room, "machine.dump"), "\n".join(dump))
    text = shop.run(["lspci", "-vv", "-F", "machine.dump"], room).text
    rows = shop.run(["lspci", "-vmm", "-F", "machine.dump"], room, apart=True).text
    facts = []
    for block in rows.strip().split("\n\n"):
        about = dict(line.split(":\t", 1) for line in block.splitlines())
        facts += [Fact("odd", (), (about["Slot"], about["Device"])), Fact("message", (about["Class"],))]
    facts += [
        Fact("message", (one,))
        for one in dict.fromkeys(re.findall(r"^\tCapabilities: \[\w+\] ([A-Z][^,\n]{2,40})", text, re.MULTILINE))
    ]
    facts += last_words(
        text,
        r"^\t\tLnkSta:.*downgraded.*$|^\t\tDevSta:.*FatalErr\+.*$|^\t\tDevSta:.*CorrErr\+.*$|^\t\tStatus: D3 .*$|^\tStatus:.*<PERR\+.*$|^\tControl: I/O- Mem- BusMaster-.*$",
    )
    yield Item(name, HARDWARE, "text", "lspci -vv", text, said_in(facts, text))


def node(number: int) -> str:
    """A device of a board; every few have a mistake."""
    at = 0x40000000 + number * 0x1000
    unit = f"{at:x}" if number % 11 != 5 else f"{at + 16:x}"
    reg = f"reg = <0x{at:x} 0x1000>;" if number % 13 != 8 else f"reg = <0x{at:x}>;"
    name = f"sensor{number}@{unit}" if number % 17 != 10 else f"sensor{number}@0x{unit}"
    gpio = f"reset-gpios = <&pins {number}>;" if number % 19 == 12 else ""
    clock = f"clocks = <&clock{number}>;" if number % 29 == 13 else ""
    return f"""
\t\t{name} {{
\t\t\tcompatible = "quay,gauge-{number % 5}";
\t\t\t{reg}
\t\t\tinterrupts = <{number} 4>;
\t\t\t{gpio}{clock}
\t\t\tstatus = {"<1>" if number % 23 == 9 else '"okay"'};
\t\t\tchannel@{number % 3} {{ label = "deep {number}"; }};
\t\t}};"""


def dtc_run(name: str, shop: Shop) -> Iterator[Item]:
    """What the compiler of device trees warns of; the facts are planted: nodes, kinds of warning, and the lines it names."""
    shop.install("dtc", "device-tree-compiler")
    room = shop.room(name)
    nodes = "".join(map(node, range(90)))
    pins = "\tpins: gpio@1 { gpio-controller; #gpio-cells = <2>; reg = <1 1>; };\n"
    clocks = "".join(f"\tclock{n}: clock-{n} {{ #clock-cells = <1>; }};\n" for n in range(90) if n % 29 == 13)
    write(
        os.path.join(room, "board.dts"),
        f'/dts-v1/;\n/ {{\n\t#address-cells = <1>;\n\t#size-cells = <1>;\n{pins}{clocks}\tbus {{\n\t\tcompatible = "simple-bus";\n\t\t#address-cells = <1>;\n\t\t#size-cells = <1>;\n\t\tranges;{nodes}\n\t}};\n}};\n',
    )
    text = shop.run(["dtc", "-I", "dts", "-O", "dtb", "-o", "board.dtb", "board.dts"], room).text
    facts = [Fact("message", (f"({one})",)) for one in dict.fromkeys(re.findall(r"Warning \((\w+)\)", text))]
    said: dict[tuple[str, str], list[str]] = {}
    for place, kind, _, words in re.findall(
        r"^(board\.dts:[\d.-]+): Warning \((\w+)\): (/\S+?): (.*)$", text, re.MULTILINE
    ):
        said.setdefault((kind, re.sub(r"\S*\d\S*", "", words)), []).append(place)
    facts += [
        Fact("message", (f"/bus/sensor{n}@",))
        for n in range(90)
        if n % 11 == 5 or n % 13 == 8 or n % 17 == 10 or n % 19 == 12 or n % 23 == 9 or n % 29 == 13
    ]
    facts += [Fact("location", tuple(places)) for places in said.values()]
    yield Item(name, HARDWARE, "text", "dtc -I dts -O dtb board.dts", text, said_in(facts, text))


def fio_run(name: str, shop: Shop) -> Iterator[Item]:
    """What fio measures; the facts, from the JSON of the same run, are every job with its rates, and the totals."""
    shop.install("fio")
    room = shop.room(name)
    jobs = ["[global]", "size=2m", "ioengine=sync", "directory=.", "runtime=1", "bs=16k"]
    for number in range(14):
        kind = ("read", "write", "randread", "randrw", "randwrite")[number % 5]
        jobs += [f"[tank{number}]", f"rw={kind}", "stonewall", f"bs={'64k' if number == 9 else '4k'}"]
    write(os.path.join(room, "tanks.fio"), "\n".join(jobs) + "\n")
    shop.run(["fio", "--output=both.txt", "--output-format=normal,json", "tanks.fio"], room).check()
    with open(os.path.join(room, "both.txt"), encoding="utf-8") as file:
        both = file.read()
    start = both.index("{\n")
    end = both.rindex("\n}") + 2
    about, text = json.loads(both[start:end]), both[:start] + both[end:].lstrip("\n")
    facts = []
    for job in about["jobs"]:
        facts.append(Fact("message", (f"{job['jobname']}: (groupid=",)))
        facts += [Fact("message", (f"{kind}: IOPS=",)) for kind in ("read", "write") if job[kind]["total_ios"]]
    facts += last_words(text, r"^ +(?:read|write): IOPS=.*$")
    facts += last_words(text, r"^ +(?:READ|WRITE): bw=.*$|^Disk stats.*$|^fio-\S+$")
    yield Item(name, BENCHMARK, "text", "fio tanks.fio", text, said_in(facts, text))


def diffoscope_run(name: str, old: str, new: str, shop: Shop) -> Iterator[Item]:
    """What diffoscope tells of two releases; the facts are the members that its JSON says are different."""
    shop.install("diffoscope", "diffoscope-minimal")
    room = shop.room(name)
    for side, spec in (("old", old), ("new", new)):
        tree = shop.sdist(spec, room)
        shop.run(["tar", "--sort=name", "--mtime=2026-01-01", "-cf", f"{side}.tar", "-C", tree, "."], room).check()
    command = [
        "diffoscope",
        "--no-progress",
        "--exclude-directory-metadata=yes",
        "--no-default-limits",
        "--text",
        "all.txt",
        "--json",
        "all.json",
        "old.tar",
        "new.tar",
    ]
    shop.run(command, room, seconds=500)
    with open(os.path.join(room, "all.txt"), encoding="utf-8") as file:
        text = file.read()
    with open(os.path.join(room, "all.json"), encoding="utf-8") as file:
        top = json.load(file)
    facts = []
    for one in top.get("details", ()):
        paths = {one["source1"].removeprefix("./"), one["source2"].removeprefix("./")}
        facts += [Fact("path", (path,)) for path in paths if "/" in path]
        lines = [
            line
            for line in (one.get("unified_diff") or "").splitlines()
            if re.match(r"[+-](?![+-])", line) and len(line) > 30
        ]
        facts += [Fact("change", tuple(dict.fromkeys(line[1:] for line in lines)))] if lines else []
    yield Item(name, DIFFERENCE, "text", "diffoscope old.tar new.tar", text, said_in(facts, text))


RECIPES = {
    "borg-docutils": partial(borg_run, "borg-docutils", "docutils==0.21.2", "docutils"),
    "e2fsck-sea": partial(disk_run, "e2fsck-sea"),
    "lspci-machine": partial(lspci_run, "lspci-machine"),
    "dtc-board": partial(dtc_run, "dtc-board"),
    "fio-tanks": partial(fio_run, "fio-tanks"),
    "diffoscope-click": partial(diffoscope_run, "diffoscope-click", "click==8.1.3", "click==8.1.7"),
}
