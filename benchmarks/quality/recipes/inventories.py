"""Listings: archives, symbols, open files, lines of code."""

import glob
import json
import os
import re
import socket
import subprocess
import sys
import tarfile
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import directory_facts, said_in
from shop import CannotMake, Shop

LISTING = "inventory"
LARGEST = 15


def _archive(shop: Shop, name: str, spec: str, binary: str) -> str:
    """The archive of a package of PyPI, as it was published."""
    room = shop.room(name)
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", binary, ":all:", "-d", room, spec]
    shop.run(command, room)
    found = glob.glob(os.path.join(room, "*"))
    if not found:
        raise CannotMake(f"no archive of {spec}")
    return found[0]


def tar_list(name: str, spec: str, shop: Shop) -> Iterator[Item]:
    """`tar -tv` of a source distribution; the facts are every directory, the largest files, what is no plain file."""
    archive = _archive(shop, name, spec, "--no-binary")
    text = shop.run(["tar", "-tvf", archive], shop.root).text
    with tarfile.open(archive) as bundle:
        members = bundle.getmembers()
    large = sorted((one for one in members if one.isfile()), key=lambda one: -one.size)[:LARGEST]
    facts = [Fact("odd", (), (one.name, str(one.size))) for one in large]
    facts += [Fact("path", (one.name,)) for one in members if one.issym() or one.islnk()]
    facts += directory_facts("", (one.name for one in members if one.isfile()))
    yield Item(name, LISTING, "text", "tar -tvf", text, said_in(facts, text))


def zip_list(name: str, spec: str, shop: Shop) -> Iterator[Item]:
    """`unzip -lv` of a wheel; the facts are every directory, the largest files, and the sum."""
    shop.install("unzip")
    archive = _archive(shop, name, spec, "--only-binary")
    text = shop.run(["unzip", "-lv", archive], shop.root).text.replace(os.path.dirname(archive) + "/", "")
    with zipfile.ZipFile(archive) as bundle:
        members = bundle.infolist()
    large = sorted(members, key=lambda one: -one.file_size)[:LARGEST]
    facts = [Fact("odd", (), (one.filename, str(one.file_size))) for one in large]
    facts += [Fact("odd", (), (str(sum(one.file_size for one in members)), f"{len(members)} files"))]
    facts += directory_facts("", (one.filename for one in members))
    yield Item(name, LISTING, "text", "unzip -lv", text, said_in(facts, text))


HOLDER = """import os, socket, sys, time
kept = [open(f"{sys.argv[1]}/kept-{n}.log", "w") for n in range(60)]
os.unlink(f"{sys.argv[1]}/kept-33.log")
server = socket.create_server(("127.0.0.1", int(sys.argv[2])))
client = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
other = server.accept()
path = socket.socket(socket.AF_UNIX); path.bind(f"{sys.argv[1]}/wire.sock"); path.listen()
pipe = os.pipe()
import json, sqlite3, ssl, decimal, asyncio
time.sleep(60)
"""


def lsof_run(name: str, shop: Shop) -> Iterator[Item]:
    """`lsof` of a process that holds odd things open; the facts are what was planted, and lsof's fields."""
    shop.install("lsof")
    room = shop.room(name)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, room, port])
    try:
        time.sleep(6)
        text = shop.run(["lsof", "-n", "-P", "-p", str(holder.pid)], room, apart=True).text
        fields = shop.run(["lsof", "-n", "-P", "-p", str(holder.pid), "-F", "ftn"], room, apart=True).text
    finally:
        holder.terminate()
        holder.wait(20)
    kinds = Counter(re.findall(r"^t(\w+)$", fields, re.MULTILINE))
    facts = [Fact("name", (kind,)) for kind in kinds] + [
        Fact("message", ("kept-33.log (deleted)",)),
        Fact("message", ("wire.sock",)),
    ]
    facts += [
        Fact("odd", (), (f"127.0.0.1:{port}", state))
        for state in ("(LISTEN)", "(ESTABLISHED)", "LISTEN", "ESTABLISHED")
    ]
    opened = re.findall(r"^n(/\S+)$", fields, re.MULTILINE)
    facts += [Fact("path", (os.path.dirname(path).removeprefix("/"),)) for path in opened]
    facts += [Fact("name", (os.path.basename(path),)) for path in opened if ".so" in path]
    yield Item(name, LISTING, "text", "lsof -p", text, said_in(facts, text))


def symbols_run(name: str, package: str, library: str, shop: Shop) -> Iterator[Item]:
    """`readelf -Ws` of a library; the facts, from nm, are the exported names, and the largest with their sizes."""
    shop.need("readelf", "nm", package="binutils")
    tree = shop.debian_package(package)
    found = glob.glob(os.path.join(tree, "**", library), recursive=True)
    if not found:
        raise CannotMake(f"no {library} in {package}")
    text = shop.run(["readelf", "-Ws", "--dyn-syms", found[0]], tree).text
    rows = [line.split() for line in shop.run(["nm", "-D", "-S", "--defined-only", found[0]], tree).text.splitlines()]
    sized = sorted(((int(row[1], 16), row[3].split("@")[0]) for row in rows if len(row) == 4), reverse=True)
    facts = [Fact("odd", (), (one, str(size))) for size, one in sized[:LARGEST]] + [
        Fact("name", (one,)) for _, one in sized
    ]
    facts += [Fact("name", (kind,)) for kind in ("FUNC", "OBJECT", "NOTYPE", "WEAK", "GLOBAL", "UND", "TLS", "ABS")]
    yield Item(name, LISTING, "text", "readelf -Ws", text, said_in(facts, text))


def cloc_run(name: str, package: str, shop: Shop) -> Iterator[Item]:
    """What cloc counts file by file; the facts are its own list in JSON: the largest, every directory, the sums."""
    shop.install("cloc")
    tree = shop.sdist(package, shop.room(name))
    text = shop.run(["cloc", "--by-file-by-lang", "--hide-rate", "--quiet", "."], tree).text
    listed = json.loads(shop.run(["cloc", "--by-file", "--json", "--quiet", "."], tree, apart=True).text)
    listed.pop("header")
    total = listed.pop("SUM")
    large = sorted(listed, key=lambda path: -listed[path]["code"])[:LARGEST]
    facts = [Fact("odd", (), (path.removeprefix("./"), str(listed[path]["code"]))) for path in large]
    facts += [Fact("name", (one["language"],)) for one in listed.values()]
    facts += [Fact("odd", (), ("SUM:", str(total["code"]), str(total["comment"])))]
    facts += directory_facts("", (path.removeprefix("./") for path in listed))
    yield Item(name, LISTING, "text", "cloc --by-file-by-lang", text, said_in(facts, text))


def exported_run(name: str, package: str, library: str, shop: Shop) -> Iterator[Item]:
    """`objdump -T` of a library; the facts, from readelf, are the names, versions and what it lacks."""
    shop.need("objdump", "readelf", package="binutils")
    found = glob.glob(os.path.join(shop.debian_package(package), "**", library), recursive=True)
    if not found:
        raise CannotMake(f"no {library} in {package}")
    text = shop.run(["objdump", "-T", found[0]], shop.root).text.replace(f"{shop.root}/", "")
    rows = [line.split() for line in shop.run(["readelf", "-W", "--dyn-syms", found[0]], shop.root).text.splitlines()]
    facts, sizes = [], {}
    for row in (row for row in rows if len(row) >= 8 and row[0].rstrip(":").isdigit()):
        title, _, version = row[7].partition("@")
        facts += [Fact("name", (title,)), *([Fact("name", (version.strip("@"),))] if version else [])]
        if row[6] != "UND" and row[2].isdigit():
            sizes[title] = int(row[2])
    facts += [
        Fact("odd", (), (one, f"{sizes[one]:016x}")) for one in sorted(sizes, key=lambda one: -sizes[one])[:LARGEST]
    ]
    yield Item(name, LISTING, "text", "objdump -T", text, said_in(facts, text))


def sockets_list(name: str, shop: Shop) -> Iterator[Item]:
    """`ss -tan` while a client keeps 300 connections, some of them half closed; the facts are counted from the ends here."""
    shop.install("ss", "iproute2")
    servers = [socket.create_server(("127.0.0.1", 0), backlog=400) for _ in range(3)]
    ports = [one.getsockname()[1] for one in servers]
    kept = []
    for number in range(300):
        client = socket.create_connection(("127.0.0.1", ports[0 if number % 5 else 1]))
        accepted = servers[0 if number % 5 else 1].accept()[0]
        kept.append((client, accepted))
    for number in (17, 142, 288):
        kept[number][0].shutdown(socket.SHUT_WR)
    kept[99][1].send(b"x" * 4321)
    filled = socket.create_connection(("127.0.0.1", ports[2]))
    text = shop.run(["ss", "-tan"], shop.root).text
    facts = [Fact("odd", (), (f"127.0.0.1:{port}", "LISTEN")) for port in ports]
    for number in (17, 142, 288):
        facts.append(Fact("odd", (), (f"127.0.0.1:{kept[number][0].getsockname()[1]}", "FIN-WAIT-2")))
        facts.append(Fact("odd", (), (f"127.0.0.1:{kept[number][0].getsockname()[1]}", "CLOSE-WAIT")))
    facts += [Fact("odd", (), ("4321", f"127.0.0.1:{kept[99][0].getsockname()[1]}"))]
    facts += [Fact("odd", (), (f"127.0.0.1:{filled.getsockname()[1]}", f"127.0.0.1:{ports[2]}", "ESTAB"))]
    facts += [Fact("name", (one,)) for one in ("ESTAB", "LISTEN", "FIN-WAIT-2", "CLOSE-WAIT")]
    for one in (filled, *servers, *(end for pair in kept for end in pair)):
        one.close()
    yield Item(name, LISTING, "text", "ss -tan", text, said_in(facts, text))


RECIPES = {
    "tar-django": partial(tar_list, "tar-django", "django==5.1.1"),
    "unzip-sympy": partial(zip_list, "unzip-sympy", "sympy==1.13.3"),
    "lsof-holder": partial(lsof_run, "lsof-holder"),
    "readelf-libxml2": partial(symbols_run, "readelf-libxml2", "libxml2", "libxml2.so.*"),
    "cloc-werkzeug": partial(cloc_run, "cloc-werkzeug", "werkzeug==3.0.3"),
    "objdump-glib": partial(exported_run, "objdump-glib", "libglib2.0-0", "libgio-2.0.so.*"),
    "ss-tan": partial(sockets_list, "ss-tan"),
}
