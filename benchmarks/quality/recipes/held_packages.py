"""Package managers, and reports on what is installed, that nobody tunes on: yarn, pnpm, poetry, aptitude and others."""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.held_linters import read
from recipes.held_suites import write

PACKAGES, REPORT = "package manager", "report on packages"
WANTED = {"express": "4.17.1", "webpack": "4.46.0", "mocha": "8.4.0", "react-dom": "16.14.0", "request": "2.88.2"}


def _project(room: str) -> None:
    write(
        os.path.join(room, "package.json"),
        json.dumps({"name": "room", "version": "1.0.0", "private": True, "dependencies": WANTED}),
    )


def yarn_run(name: str, shop: Shop) -> Iterator[Item]:
    """`yarn list` after an install; the facts are the names and versions of its JSON."""
    room = shop.room(name)
    tools = shop.room(f"{name}-tool")
    shop.npm(tools, "yarn@1.22.22")
    yarn = [
        os.path.join(tools, "node_modules", ".bin", "yarn"),
        "--no-progress",
        "--ignore-scripts",
        "--non-interactive",
    ]
    _project(room)
    done = shop.run([*yarn, "install"], room, seconds=400)
    done.check()
    text = shop.run([*yarn, "list"], room).text
    facts = []
    for line in shop.run([*yarn, "list", "--json"], room, apart=True).text.splitlines():
        row = json.loads(line)
        if row["type"] == "tree":
            trees = row["data"]["trees"]
            versions = Counter(one["name"].rpartition("@")[0] for one in trees)
            facts += [Fact("name", (one["name"],)) for one in trees]
            nested = [
                (tree["name"], one["name"])
                for tree in trees
                for one in tree.get("children", ())
                if one.get("shadow") is not True
            ]
            facts += [Fact("name", (inner,)) for _, inner in nested]
            facts += [Fact("name", (one,)) for one, count in versions.items() if count > 1]
    yield Item(name, PACKAGES, "text", "yarn list", text, said_in(facts, text))


def pnpm_run(name: str, shop: Shop) -> Iterator[Item]:
    """`pnpm list --depth 6`; the facts are the names and versions of its JSON."""
    room = shop.room(name)
    tools = shop.room(f"{name}-tool")
    shop.npm(tools, "pnpm@9.12.0")
    pnpm = [os.path.join(tools, "node_modules", ".bin", "pnpm")]
    _project(room)
    done = shop.run(
        [*pnpm, "install", "--ignore-scripts", "--reporter=append-only", "--store-dir", os.path.join(room, "store")],
        room,
        seconds=400,
    )
    done.check()
    text = shop.run([*pnpm, "list", "--depth", "4"], room).text
    facts: list[Fact] = []

    def walk(below: dict[str, dict[str, object]], depth: int) -> None:
        for title, one in below.items():
            spelt = f"{title} {one['version']}" if depth == 0 else title
            facts.append(Fact("message" if depth == 0 else "name", (spelt,)))
            inner = one.get("dependencies")
            if isinstance(inner, dict) and depth < 4:
                walk(inner, depth + 1)

    write(os.path.join(room, "report.json"), shop.run([*pnpm, "list", "--depth", "4", "--json"], room, apart=True).text)
    walk(json.loads(read(os.path.join(room, "report.json")))[0]["dependencies"], 0)
    yield Item(name, PACKAGES, "text", "pnpm list --depth 4", text, said_in(facts, text))


def licenses_run(name: str, shop: Shop) -> Iterator[Item]:
    """What license-checker prints; the facts are its own JSON: every package, every license, the rare ones' packages."""
    room = shop.room(name)
    shop.npm(room, "license-checker@25.0.1", *(f"{one}@{version}" for one, version in WANTED.items()))
    command = [os.path.join(room, "node_modules", ".bin", "license-checker")]
    text = shop.run(command, room).text.replace(f"{room}/", "")
    write(
        os.path.join(room, "report.json"), shop.run([*command, "--json", "--out", "report.json"], room, apart=True).text
    )
    shop.run([*command, "--json", "--out", "report.json"], room)
    rows = json.loads(read(os.path.join(room, "report.json")))
    kinds = Counter(str(row["licenses"]) for row in rows.values())
    facts = [Fact("name", (kind,)) for kind in kinds] + [Fact("name", (one,)) for one in rows]
    facts += [Fact("name", (row["publisher"],)) for row in rows.values() if "publisher" in row]
    yield Item(name, REPORT, "text", "license-checker", text, said_in(facts, text))


SPECIFICATIONS = """require "json"
puts JSON.generate(Gem::Specification.map { |one| [one.name, one.version.to_s, one.authors, one.licenses, one.summary, one.default_gem?] })
"""


def gem_run(name: str, shop: Shop) -> Iterator[Item]:
    """`gem list -d` of what Debian's packages brought; the facts are the specifications that Ruby itself loads."""
    shop.install("gem", "ruby-rubygems")
    shop.install("rubocop")
    room = shop.room(name)
    text = shop.run(["gem", "list", "-d", "--local"], room).text
    rows = json.loads(shop.run(["ruby", "-e", SPECIFICATIONS], room, apart=True).text)
    licenses = Counter(one for row in rows for one in row[3])
    authors = Counter(", ".join(row[2]) for row in rows)
    facts = [Fact("odd", (), (row[0], f"({row[1]})")) for row in rows] + [Fact("name", (row[0],)) for row in rows]
    facts += [Fact("name", (one,)) for one in licenses] + [Fact("message", (one,)) for one in authors if one]
    facts += [Fact("message", (row[4][:60],)) for row in rows if row[3] and licenses[row[3][0]] <= 2]
    yield Item(name, PACKAGES, "text", "gem list -d", text, said_in(facts, text))


def pip_licenses_run(name: str, shop: Shop) -> Iterator[Item]:
    """The table of pip-licenses; the facts are its own JSON."""
    python = shop.python("pip-licenses", "pip-licenses==5.0.0", "jupyterlab==4.2.5", "sphinx==8.0.2")
    command = [
        os.path.join(os.path.dirname(python), "pip-licenses"),
        "--with-authors",
        "--with-urls",
        "--with-description",
    ]
    text = shop.run(command, shop.room(name)).text
    rows = json.loads(shop.run([*command, "--format=json"], shop.root, apart=True).text)
    kinds = Counter(row["License"] for row in rows)
    facts = [Fact("odd", (), (row["Name"], row["Version"])) for row in rows] + [
        Fact("message", (kind,)) for kind in kinds
    ]
    facts += [Fact("odd", (), (row["Name"], row["License"])) for row in rows if kinds[row["License"]] <= 2]
    yield Item(name, REPORT, "text", "pip-licenses", text, said_in(facts, text))


def aptitude_run(name: str, package: str, shop: Shop) -> Iterator[Item]:
    """What aptitude would do for a large package; the facts are the steps of apt-get's simulation of the same."""
    shop.install("aptitude")
    room = shop.room(name)
    text = shop.run(["aptitude", "install", "-s", "-y", "-V", "--without-recommends", package], room).text
    taken = set(
        re.findall(
            r"^Inst (\S+)",
            shop.run(["apt-get", "install", "-s", "--no-install-recommends", package], room).text,
            re.MULTILINE,
        )
    )
    facts = [Fact("name", (one,)) for one in sorted(taken)]
    facts += [
        Fact("message", (line.strip(),))
        for line in re.findall(r"^\d+ packages upgraded.*$|^Need to get .*$", text, re.MULTILINE)
    ]
    yield Item(name, PACKAGES, "text", f"aptitude install -s {package}", text, said_in(facts, text))


def depends_run(name: str, packages: tuple[str, ...], shop: Shop) -> Iterator[Item]:
    """`apt-cache showpkg`-like dependencies of packages; the facts are the fields of `apt-cache show`."""
    room = shop.room(name)
    text = shop.run(["apt-cache", "depends", *packages], room).text
    facts = [Fact("name", (one,)) for one in packages]
    shown = shop.run(["apt-cache", "show", "--no-all-versions", *packages], room).text
    for kind, listed in re.findall(
        r"^(Depends|Recommends|Suggests|Breaks|Replaces|Conflicts|Enhances): (.*)$", shown, re.MULTILINE
    ):
        facts.append(Fact("name", (kind,)))
        for one in re.split(r"[,|]", listed):
            title = re.sub(r"[ (:].*", "", one.strip())
            facts.append(Fact("name", (title,)))
            if kind in {"Breaks", "Conflicts", "Replaces", "Enhances"}:
                facts.append(Fact("odd", (), (f"{kind}:", title)))
    yield Item(name, PACKAGES, "text", "apt-cache depends", text, said_in(facts, text))


RECIPES = {
    "yarn-list": partial(yarn_run, "yarn-list"),
    "pnpm-list": partial(pnpm_run, "pnpm-list"),
    "license-checker": partial(licenses_run, "license-checker"),
    "gem-list": partial(gem_run, "gem-list"),
    "pip-licenses-jupyter": partial(pip_licenses_run, "pip-licenses-jupyter"),
    "aptitude-kdenlive": partial(aptitude_run, "aptitude-kdenlive", "kdenlive"),
    "apt-cache-servers": partial(
        depends_run, "apt-cache-servers",
        ("apache2", "postgresql-15", "mariadb-server", "nginx-core", "libreoffice-core", "gnome-shell", "systemd", "python3.11", "openssh-server", "bind9", "exim4-daemon-light", "postfix", "dovecot-core", "samba", "qemu-system-x86", "libvirt-daemon", "network-manager", "cups", "gdm3", "emacs-gtk", "vim-nox", "git", "ruby3.1", "perl", "php8.2-fpm"),
    ),
}  # fmt: skip
