"""Listings and networks that nobody tunes on: archives of other kinds, rights, addresses, rules, ports."""

import glob
import json
import os
import re
import socket
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from functools import partial
from xml.etree import ElementTree as ET

from items import Fact, Item
from reports import directory_facts, said_in
from shop import CannotMake, Shop

LISTING, NETWORK = "listing", "network"
LARGEST = 15


def seven_zip(name: str, spec: str, shop: Shop) -> Iterator[Item]:
    """`7z l` of a wheel; the facts are its directories, the largest files and the sum, by Python's own reader."""
    shop.install("7z", "p7zip-full")
    room = shop.room(name)
    shop.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", room, spec], room)
    archive = glob.glob(os.path.join(room, "*.whl"))[0]
    text = shop.run(["7z", "l", os.path.basename(archive)], room).text
    with zipfile.ZipFile(archive) as bundle:
        members = bundle.infolist()
    large = sorted(members, key=lambda one: -one.file_size)[:LARGEST]
    facts = [Fact("odd", (), (one.filename, str(one.file_size))) for one in large]
    facts += [Fact("odd", (), (str(sum(one.file_size for one in members)), f"{len(members)} files"))]
    yield Item(
        name,
        LISTING,
        "text",
        "7z l",
        text,
        said_in((*facts, *directory_facts("", (one.filename for one in members))), text),
    )


def cpio_list(name: str, package: str, shop: Shop) -> Iterator[Item]:
    """`cpio -tv` of a tree in which some entries are odd; the facts are these, the largest and every directory."""
    shop.install("cpio")
    room = shop.room(name)
    tree = shop.sdist(package, room)
    os.chmod(os.path.join(tree, "setup.py" if os.path.exists(os.path.join(tree, "setup.py")) else "PKG-INFO"), 0o4755)
    os.mkfifo(os.path.join(tree, "docs", "odd.pipe"))
    os.symlink("/etc/hostname", os.path.join(tree, "docs", "odd.link"))
    open(os.path.join(tree, "docs", "open-to-all.txt"), "w").close()
    os.chmod(os.path.join(tree, "docs", "open-to-all.txt"), 0o666)
    shop.run(["sh", "-c", f"find {os.path.basename(tree)} | LC_ALL=C sort | cpio -o -H newc > all.cpio"], room)
    text = shop.run(["sh", "-c", "cpio -itv < all.cpio"], room, apart=True).text
    sizes = {os.path.relpath(os.path.join(at, one), room): os.lstat(os.path.join(at, one)).st_size
             for at, _, names in os.walk(tree) for one in names}  # fmt: skip
    large = sorted(sizes, key=lambda path: -sizes[path])[:LARGEST]
    facts = [Fact("odd", (), (path, str(sizes[path]))) for path in large]
    facts += [
        Fact("message", (one,)) for one in ("docs/odd.pipe", "docs/odd.link -> /etc/hostname", "docs/open-to-all.txt")
    ]
    facts += [Fact("message", (one,)) for one in ("-rwsr-xr-x", "-rw-rw-rw-", "prw-r--r--", "lrwxrwxrwx")]
    facts += directory_facts("", sizes)
    yield Item(name, LISTING, "text", "cpio -itv", text, said_in(facts, text))


def rights_list(name: str, package: str, shop: Shop) -> Iterator[Item]:
    """`getfacl -R` of a tree with a few rights of its own; the facts are these and every directory."""
    shop.install("getfacl", "acl")
    tree = shop.npm_source(package, shop.room(name))
    paths = sorted(os.path.relpath(os.path.join(at, one), tree) for at, _, names in os.walk(tree) for one in names)
    facts = list(directory_facts("", paths))
    for number, path in enumerate(paths):
        if number % 67 == 30:
            right = ("u:daemon:rw", "g:games:r", "u:www-data:rwx")[number % 3]
            done = shop.run(["setfacl", "-m", right, path], tree)
            if done.status:
                raise CannotMake(done.text[-200:])
            kind, who, what = right.split(":")
            spelt = f"{ {'u': 'user', 'g': 'group'}[kind] }:{who}:" + "".join(
                letter if letter in what else "-" for letter in "rwx"
            )
            facts += [Fact("path", (path,)), Fact("message", (spelt,))]
        if number % 131 == 77:
            os.chmod(os.path.join(tree, path), 0o600)
            facts.append(Fact("path", (path,)))
    text = shop.run(["getfacl", "-R", "."], tree).text
    yield Item(name, LISTING, "text", "getfacl -R .", text, said_in(facts, text))


def addresses_list(name: str, shop: Shop) -> Iterator[Item]:
    """`ip addr` in a network of its own with sixty interfaces; the facts are its own JSON."""
    shop.install("ip", "iproute2")
    plan = ["ip link set lo up"]
    for number in range(60):
        plan += [f"ip link add port{number} type bridge", f"ip addr add 10.{number}.0.1/24 dev port{number}"]
        plan += [
            f"ip link set port{number} mtu {1400 if number == 23 else 1500} {'down' if number in (7, 41) else 'up'}"
        ]
        plan += [f"ip addr add 192.168.{number}.9/30 dev port{number}"] if number % 19 == 5 else []
    plan += ["ip link set port50 promisc on", "ip addr > addr.txt", "ip -j addr > addr.json"]
    room = shop.room(name)
    with open(os.path.join(room, "plan.sh"), "w", encoding="utf-8") as out:
        out.write("\n".join(plan))
    done = shop.run(["unshare", "-n", "sh", "plan.sh"], room)
    if done.status:
        raise CannotMake(done.text[-200:])
    with open(os.path.join(room, "addr.txt"), encoding="utf-8") as file:
        text = file.read()
    with open(os.path.join(room, "addr.json"), encoding="utf-8") as file:
        rows = json.load(file)
    facts = [Fact("name", (row["ifname"],)) for row in rows]
    for field in ("mtu", "operstate"):
        counted = Counter(row[field] for row in rows)
        facts += [
            Fact("odd", (), (row["ifname"], f"{'state' if field == 'operstate' else field} {row[field]}"))
            for row in rows
            if counted[row[field]] <= 5
        ]
    facts += [Fact("name", (flag,)) for row in rows for flag in row["flags"]]
    facts += [Fact("odd", (), ("port50", "PROMISC"))]
    facts += [
        Fact("message", (f"{one['local']}/{one['prefixlen']}",))
        for row in rows
        for one in row["addr_info"]
        if one["family"] == "inet"
    ]
    yield Item(name, NETWORK, "text", "ip addr", text, said_in(facts, text))


def rules_list(name: str, shop: Shop) -> Iterator[Item]:
    """`nft list ruleset` in a network of its own; the facts are its JSON: tables, chains, sets, the rare rules."""
    shop.install("nft", "nftables")
    lines = [
        "table inet shop {",
        "  set blocked { type ipv4_addr; flags interval; elements = { 203.0.113.0/24, 198.51.100.7 } }",
    ]
    for chain in range(12):
        lines.append(f"  chain shelf_{chain} {{")
        lines += [
            f"    tcp dport {2000 + chain * 40 + rule} ip saddr 10.{chain}.{rule}.0/24 counter accept"
            for rule in range(24)
        ]
        lines += ["    ip saddr @blocked counter drop"] if chain == 4 else []
        lines += ['    udp dport 53 limit rate 10/second log prefix "odd-dns " reject'] if chain == 9 else []
        lines.append("  }")
    lines += [
        "  chain input { type filter hook input priority 0; policy drop;",
        *(f'    iifname "port{chain}" jump shelf_{chain}' for chain in range(12)),
        "  }",
        "}",
    ]
    room = shop.room(name)
    with open(os.path.join(room, "rules.nft"), "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")
    done = shop.run(
        [
            "unshare",
            "-n",
            "sh",
            "-c",
            "nft -f rules.nft && nft list ruleset > rules.txt && nft -j list ruleset > rules.json",
        ],
        room,
    )
    if done.status:
        raise CannotMake(done.text[-200:])
    with open(os.path.join(room, "rules.txt"), encoding="utf-8") as file:
        text = file.read()
    with open(os.path.join(room, "rules.json"), encoding="utf-8") as file:
        listed = json.load(file)["nftables"]
    facts = [Fact("name", (one["chain"]["name"],)) for one in listed if "chain" in one]
    facts += [Fact("message", (said,)) for said in (
        "ip saddr @blocked counter packets 0 bytes 0 drop", 'log prefix "odd-dns " reject', "policy drop", "203.0.113.0/24", "198.51.100.7",
        "type filter hook input", "set blocked", "table inet shop",
    )]  # fmt: skip
    facts += [Fact("odd", (), (f'"port{chain}"', "jump", f"shelf_{chain}")) for chain in range(12)]
    facts += [Fact("odd", (), (str(2000 + chain * 40), f"10.{chain}.0.0/24")) for chain in range(12)]
    yield Item(name, NETWORK, "text", "nft list ruleset", text, said_in(facts, text))


def ports_scan(name: str, shop: Shop) -> Iterator[Item]:
    """`nmap` of loopback addresses with a few open ports; the facts are those of its XML."""
    shop.install("nmap")
    room = shop.room(name)
    servers = [
        socket.create_server((f"127.0.0.{host}", port))
        for host, port in ((2, 8081), (2, 9418), (9, 8081), (31, 6667), (57, 5901), (57, 8081))
    ]
    text = shop.run(
        [
            "nmap",
            "-sT",
            "-Pn",
            "-n",
            "-p",
            "8081,9418,6667,5901",
            "-v",
            "--reason",
            "-oX",
            "report.xml",
            "127.0.0.1-60",
        ],
        room,
    ).text
    for one in servers:
        one.close()
    facts = []
    for host in ET.parse(os.path.join(room, "report.xml")).getroot().iter("host"):
        address = host.find("address").get("addr") or ""  # type: ignore[union-attr]
        facts.append(Fact("name", (address,)))
        for port in host.iter("port"):
            state = port.find("state").get("state") or ""  # type: ignore[union-attr]
            if state == "open":
                number = port.get("portid") or ""
                facts += [
                    Fact("message", (f"Discovered open port {number}/tcp on {address}",)),
                    Fact("odd", (), (f"{number}/tcp", "open")),
                ]
    facts += [Fact("message", (line,)) for line in re.findall(r"^Nmap done: .*? scanned", text, re.MULTILINE)]
    yield Item(name, NETWORK, "text", "nmap -sT", text, said_in(facts, text))


RECIPES = {
    "7z-botocore": partial(seven_zip, "7z-botocore", "botocore==1.35.30"),
    "cpio-flask": partial(cpio_list, "cpio-flask", "flask==3.0.3"),
    "getfacl-moment": partial(rights_list, "getfacl-moment", "moment@2.30.1"),
    "ip-addr": partial(addresses_list, "ip-addr"),
    "nft-ruleset": partial(rules_list, "nft-ruleset"),
    "nmap-loopback": partial(ports_scan, "nmap-loopback"),
}
