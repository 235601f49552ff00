"""Listings of archives and images that nobody tunes on: packages, disc images, libraries; Python's readers know what is in them."""

import glob
import os
import re
import stat
import sys
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial

from items import Fact, Item
from reports import directory_facts, said_in
from shop import Shop

from recipes.held_suites import write

ARCHIVE = "archive listing"
LARGEST = 15


def size_facts(sizes: dict[str, int]) -> list[Fact]:
    """The largest files with their sizes."""
    large = sorted(sizes, key=lambda path: -sizes[path])[:LARGEST]
    return [Fact("odd", (), (path, str(sizes[path]))) for path in large]


def files_below(tree: str) -> dict[str, int]:
    """The regular files below a directory, with their sizes."""
    paths = [os.path.join(at, one) for at, _, names in os.walk(tree) for one in names]
    return {
        os.path.relpath(path, tree): os.lstat(path).st_size for path in paths if stat.S_ISREG(os.lstat(path).st_mode)
    }


def plant_odd_entries(tree: str) -> list[str]:
    """Put what should not be in a tree into it: a program with rights, a device's stand-in, links out of it."""
    folder = os.path.join(tree, "share")
    os.makedirs(folder, exist_ok=True)
    write(os.path.join(folder, "setuid-helper"), "#!/bin/sh\n")
    os.chmod(os.path.join(folder, "setuid-helper"), 0o4755)
    write(os.path.join(folder, "open-to-all"), "anybody\n")
    os.chmod(os.path.join(folder, "open-to-all"), 0o666)
    os.symlink("/etc/shadow", os.path.join(folder, "outside"))
    os.mkfifo(os.path.join(folder, "pipe"))
    return ["setuid-helper", "open-to-all", "outside", "pipe"]


def debian_list(name: str, package: str, shop: Shop) -> Iterator[Item]:
    """`dpkg-deb -c` of a package; the facts are the directories and the largest files of what it unpacks to."""
    where = shop.debian_package(package)
    archive = glob.glob(os.path.join(where, "*.deb"))[0]
    text = shop.run(["dpkg-deb", "-c", archive], shop.root).text
    sizes = {f"./{path}": size for path, size in files_below(where).items() if not path.endswith(".deb")}
    links = [os.path.join(at, one) for at, _, names in os.walk(where) for one in names]
    facts = size_facts(sizes) + list(directory_facts("", sizes))
    facts += [Fact("message", (f"-> {os.readlink(one)}",)) for one in links if os.path.islink(one)]
    yield Item(name, ARCHIVE, "text", f"dpkg-deb -c {os.path.basename(archive)}", text, said_in(facts, text))


def zip_list(name: str, spec: str, shop: Shop) -> Iterator[Item]:
    """`zipinfo` of a wheel; the facts are its directories, largest files and totals, by Python's own reader."""
    shop.install("zipinfo", "unzip")
    room = shop.room(name)
    shop.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", room, spec], room)
    archive = glob.glob(os.path.join(room, "*.whl"))[0]
    text = shop.run(["zipinfo", os.path.basename(archive)], room).text
    with zipfile.ZipFile(archive) as bundle:
        members = bundle.infolist()
    sizes = {one.filename: one.file_size for one in members}
    stored = [one.filename for one in members if one.compress_type == zipfile.ZIP_STORED and one.file_size]
    facts = size_facts(sizes) + list(directory_facts("", sizes))
    facts += [Fact("odd", (), (path, "stor")) for path in stored if len(stored) <= LARGEST]
    facts += [Fact("message", (f"{len(members)} files, {sum(sizes.values())} bytes uncompressed",))]
    yield Item(name, ARCHIVE, "text", f"zipinfo {os.path.basename(archive)}", text, said_in(facts, text))


def squash_list(name: str, package: str, shop: Shop) -> Iterator[Item]:
    """`unsquashfs -ll` of an image with odd entries; the facts are these, the largest files and every directory."""
    shop.install("mksquashfs", "squashfs-tools")
    room = shop.room(name)
    tree = shop.sdist(package, room)
    odd = plant_odd_entries(tree)
    shop.run(["mksquashfs", tree, "all.squashfs", "-no-progress", "-quiet"], room)
    text = shop.run(["unsquashfs", "-ll", "-q", "-d", os.path.basename(tree), "all.squashfs"], room).text
    root = f"{os.path.basename(tree)}/"
    sizes = {root + path: size for path, size in files_below(tree).items()}
    facts = (
        size_facts(sizes)
        + list(directory_facts("", sizes))
        + _odd_facts(odd, ("-rwsr-xr-x", "-rw-rw-rw-", "prw-r--r--"))
    )
    yield Item(name, ARCHIVE, "text", "unsquashfs -ll all.squashfs", text, said_in(facts, text))


def _odd_facts(names: Iterable[str], rights: Iterable[str]) -> list[Fact]:
    return [Fact("message", (f"share/{one}",)) for one in names] + [Fact("message", (one,)) for one in rights]


def disc_list(name: str, package: str, shop: Shop) -> Iterator[Item]:
    """`isoinfo -l` of a disc image; the facts are every directory and the largest files with their sizes."""
    shop.install("genisoimage")
    room = shop.room(name)
    tree = shop.npm_source(package, room)
    shop.run(["genisoimage", "-quiet", "-R", "-o", "all.iso", tree], room)
    text = shop.run(["isoinfo", "-R", "-l", "-i", "all.iso"], room).text
    sizes = files_below(tree)
    facts = [Fact("message", (f"Directory listing of /{one.spellings[0]}",)) for one in directory_facts("", sizes)]
    facts += [Fact("odd", (), (os.path.basename(fact.together[0]), fact.together[1])) for fact in size_facts(sizes)]
    yield Item(name, ARCHIVE, "text", "isoinfo -R -l -i all.iso", text, said_in(facts, text))


def library_list(name: str, package: str, pattern: str, shop: Shop) -> Iterator[Item]:
    """`ar tv` of a static library; the facts are the largest members and the words that names begin with."""
    shop.need("ar")
    path = glob.glob(os.path.join(shop.debian_package(package), pattern))[0]
    text = shop.run(["ar", "tv", path], shop.root).text
    listed = shop.run(["ar", "t", path], shop.root).text.split()
    sizes = {member: int(size) for size, member in re.findall(r" (\d+) \w+ +\d+ [\d:]+ \d+ (\S+)$", text, re.MULTILINE)}
    beginnings = Counter(re.split(r"[-_.0-9]", one)[0] for one in listed)
    facts = size_facts(sizes) + [
        Fact("message", (word,)) for word, count in beginnings.items() if count > 1 and len(word) > 2
    ]
    yield Item(name, ARCHIVE, "text", f"ar tv {os.path.basename(path)}", text, said_in(facts, text))


SPEC = """Name: shelf
Version: 1.0
Release: 1
Summary: Shelves
License: MIT
BuildArch: noarch
%description
Shelves.
%install
mkdir -p %{{buildroot}}/opt
cp -a {tree} %{{buildroot}}/opt/shelf
%files
%attr(-, root, root) /opt/shelf
%config /opt/shelf/share/settings.conf
%attr(4755, root, games) /opt/shelf/share/setuid-helper
%ghost /opt/shelf/share/later
"""


def rpm_list(name: str, package: str, shop: Shop) -> Iterator[Item]:
    """`rpm -qlvp` of a package that is built for this; the facts are its directories, largest files and odd rights."""
    shop.install("rpmbuild", "rpm")
    room = shop.room(name)
    tree = shop.sdist(package, room)
    odd = [one for one in plant_odd_entries(tree) if one != "pipe"]
    os.remove(os.path.join(tree, "share", "pipe"))
    write(os.path.join(tree, "share", "settings.conf"), "a = 1\n")
    write(os.path.join(tree, "share", "later"), "")
    write(os.path.join(room, "shelf.spec"), SPEC.format(tree=tree))
    shop.run(
        [
            "rpmbuild",
            "-bb",
            "--quiet",
            "--define",
            f"_topdir {room}/rpm",
            "--define",
            "__os_install_post %{nil}",
            "shelf.spec",
        ],
        room,
    )
    archive = glob.glob(os.path.join(room, "rpm", "RPMS", "*", "*.rpm"))[0]
    text = shop.run(["rpm", "-qlvp", archive], room).text
    sizes = {f"opt/shelf/{path}": size for path, size in files_below(tree).items()}
    facts = size_facts(sizes) + list(directory_facts("/", sizes)) + _odd_facts(odd, ("-rwsr-xr-x", "games"))
    yield Item(name, ARCHIVE, "text", "rpm -qlvp shelf.rpm", text, said_in(facts, text))


RECIPES = {
    "dpkg-deb-scipy": partial(debian_list, "dpkg-deb-scipy", "python3-scipy"),
    "zipinfo-plotly": partial(zip_list, "zipinfo-plotly", "plotly==5.24.1"),
    "unsquashfs-pygments": partial(squash_list, "unsquashfs-pygments", "pygments==2.18.0"),
    "isoinfo-three": partial(disc_list, "isoinfo-three", "three@0.168.0"),
    "ar-libc": partial(library_list, "ar-libc", "libc6-dev", "usr/lib/*/libc.a"),
    "rpm-jinja2": partial(rpm_list, "rpm-jinja2", "jinja2==3.1.4"),
}
