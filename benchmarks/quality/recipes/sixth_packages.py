"""Package managers that nobody tunes on, on real packages or planted trouble; their reports for machines tell the facts."""

import json
import os
import re
import shutil
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import CannotMake, Shop

from recipes.fifth_suites import last_words
from recipes.held_suites import write
from recipes.sixth_tools import npm_room, python_tools
from recipes.third_linters import report_file

PACKAGES = "package manager"

CLOSURE = ["--recurse", "--no-recommends", "--no-suggests", "--no-conflicts", "--no-breaks", "--no-replaces",
           "--no-enhances"]  # fmt: skip
RELATIONS = r"^(?:Breaks|Conflicts|Replaces|Provides|Enhances|Recommends|Suggests|Essential|Protected): .*\n"


def upgrade_run(name: str, wanted: tuple[str, ...], shop: Shop) -> Iterator[Item]:
    """`apt-get -s dist-upgrade` of a system made up of old packages; the facts are which are old, held, or in the way."""
    room = shop.room(name)
    listed = shop.run(["apt-cache", "depends", *CLOSURE, *wanted], room, apart=True).text
    names = sorted(set(re.findall(r"^([a-z0-9][a-z0-9+.-]+)$", listed, re.MULTILINE)))
    shown = shop.run(["apt-cache", "show", "--no-all-versions", *names], room, apart=True).text
    stanzas = {
        match[1]: one for one in shown.split("\n\n") if (match := re.search(r"^Package: (.*)", one, re.MULTILINE))
    }
    if len(stanzas) < 60:
        raise CannotMake("too few packages are known to apt here")
    status, facts = [], []
    for number, (package, stanza) in enumerate(sorted(stanzas.items())):
        bare = re.sub(RELATIONS, "", f"{stanza.strip()}\n", flags=re.MULTILINE)
        bare = re.sub(
            r"^((?:Pre-)?Depends: .*)", lambda found: re.sub(r" \([^)]*\)", "", found[1]), bare, flags=re.MULTILINE
        )
        bare = re.sub(r"^(?:Filename|Size|SHA256|MD5sum|Description-md5|Depends: *$).*\n", "", bare, flags=re.MULTILINE)
        if number % 4 != 2:
            bare = re.sub(r"^Version: .*", f"Version: 0.{number}", bare, flags=re.MULTILINE)
            facts.append(
                Fact("message", (f"Inst {package} [0.{number}]",)) if number % 29 != 5 else Fact("name", (package,))
            )
        state = "hold" if number % 29 == 5 else "install"
        status.append(f"{bare}Status: {state} ok installed\n")
    blocked = sorted(stanzas)[7]
    status.append(
        f"Package: shelf-scales\nVersion: 1.0\nArchitecture: all\nMaintainer: ada\nDepends: {blocked} (<= 0.7)\n"
        "Description: scales\nStatus: install ok installed\n"
    )
    write(os.path.join(room, "status"), "\n".join(status))
    text = shop.run(["apt-get", "-s", "-o", f"Dir::State::status={room}/status", "dist-upgrade"], room).text
    facts += [Fact("message", ("Remv shelf-scales",)), *last_words(text, r"^\d+ upgraded, .*")]
    facts += last_words(text, r"^The following packages .*")
    yield Item(name, PACKAGES, "text", "apt-get -s dist-upgrade", text, said_in(facts, text))


def local_packages(count: int = 60) -> list[dict[str, object]]:
    """Packages of several versions that require one another."""
    found: list[dict[str, object]] = []
    for number in range(count):
        for version in ("1.0.0", "1.4.2", "2.0.0"):
            needs = {
                f"area-{(number + step) % 7}/shelf-{number + step}": "^1.0" for step in (3, 8) if number + step < count
            }
            if number % 13 == 6 and version != "1.0.0":
                needs["ext-scales"] = "*"
            found.append({"name": f"area-{number % 7}/shelf-{number}", "version": version, "require": needs, "type": "library",
                          "description": f"Keeps shelf {number} of area {number % 7}", "license": ["MIT" if number % 9 else "proprietary"],
                          "dist": {"type": "zip", "url": f"file:///no/such/shelf-{number}-{version}.zip"}})  # fmt: skip
    return found


def composer_room(shop: Shop, name: str, needs: dict[str, str]) -> tuple[str, list[str], dict[str, str]]:
    """A project of composer's that knows only packages described in itself."""
    shop.install("composer")
    room = shop.room(name)
    repositories = [{"type": "package", "package": local_packages()}, {"packagist.org": False}]
    write(
        os.path.join(room, "composer.json"),
        json.dumps({"name": "keeper/all", "require": needs, "repositories": repositories}),
    )
    return room, ["composer", "--no-ansi", "--no-interaction"], {"COMPOSER_ALLOW_SUPERUSER": "1", "HOME": room}


def composer_tree(name: str, shop: Shop) -> Iterator[Item]:
    """`composer show --tree` of what was locked; the facts are those of its JSON: packages, what they are for, edges."""
    needs = {f"area-{number % 7}/shelf-{number}": "^1.0" for number in range(0, 40, 9)}
    room, command, env = composer_room(shop, name, needs)
    shop.run([*command, "update", "--no-install"], room, env=env).check()
    text = shop.run([*command, "show", "--locked", "--tree"], room, env=env, apart=True).text
    rows = json.loads(shop.run([*command, "show", "--locked", "--format=json"], room, env=env, apart=True).text)[
        "locked"
    ]
    facts = []
    for row in rows:
        root = f"{row['name']} {row['version']} {row['description']}"
        facts.append(Fact("message", (root if row["name"] in needs else f"{row['name']} ^1.0",)))
    facts += [Fact("message", ("ext-scales *",))]
    yield Item(name, PACKAGES, "text", "composer show --tree", text, said_in(facts, text))


def composer_conflict(name: str, shop: Shop) -> Iterator[Item]:
    """What composer says of requirements that cannot be met; the facts are the planted requirements."""
    needs: dict[str, str] = {}
    for number in range(60):
        needs[f"area-{number % 7}/shelf-{number}"] = ("^1.2", "^3.0", "^2.0", "dev-main", ">=1.0,<1.2")[number % 5]
    needs |= {"area-9/no-such-shelf": "^1.0", "ext-labels": "*", "php": "^5.6"}
    room, command, env = composer_room(shop, name, needs)
    text = shop.run([*command, "update", "--no-install", "-v"], room, env=env).text
    facts = [Fact("message", (f"Root composer.json requires {one} {at},",)) for one, at in needs.items()]
    facts += last_words(text, r"^ +Problem \d+$")[-1:] + last_words(text, r"^Your requirements could not .*")
    facts += [Fact("message", (one,)) for one in ("area-9/no-such-shelf", "ext-labels", "ext-scales")]
    yield Item(name, PACKAGES, "text", "composer update", text, said_in(facts, text))


OLD = ("express@4.16.0", "lodash@4.17.4", "mocha@5.0.0", "webpack@4.1.0", "axios@0.18.0", "chalk@2.3.0", "commander@2.14.0",
       "debug@3.1.0", "glob@7.1.2", "moment@2.20.0", "async@2.6.0", "yargs@11.0.0", "semver@5.5.0", "rimraf@2.6.2", "minimist@1.2.0",
       "mkdirp@0.5.1", "uuid@3.2.1", "bluebird@3.5.1", "underscore@1.8.3", "body-parser@1.18.2", "ejs@2.5.7", "handlebars@4.0.11",
       "marked@0.3.12", "node-fetch@2.0.0", "ws@4.0.0", "qs@6.5.1", "tar@4.0.2", "js-yaml@3.10.0", "jsonwebtoken@8.1.0",
       "socket.io@2.0.4", "superagent@3.8.2", "validator@9.4.0", "cheerio@1.0.0-rc.2", "eslint@4.17.0", "typescript@2.7.1")  # fmt: skip


def old_room(shop: Shop) -> str:
    """A project whose dependencies are of 2018; installed once."""
    room = os.path.join(shop.root, "npm-sixth-old")
    if not os.path.isdir(os.path.join(room, "node_modules")):
        shutil.rmtree(room, ignore_errors=True)
        os.makedirs(room)
        shop.npm(room, *OLD)
    return room


def outdated_run(name: str, shop: Shop) -> Iterator[Item]:
    """`npm outdated --all` of an old project; the facts are those of its JSON: what is installed and what there is."""
    room = old_room(shop)
    text = report_file(shop, ["npm", "outdated", "--all"], room, shop.room(name)).replace(room, "/room")
    rows = json.loads(report_file(shop, ["npm", "outdated", "--all", "--json"], room, shop.room(name)))
    facts = []
    for package, found in rows.items():
        for row in found if isinstance(found, list) else [found]:
            facts += [Fact("odd", (), (package, row["current"], row["latest"]))] if "current" in row else []
    yield Item(name, PACKAGES, "text", "npm outdated --all", text, said_in(facts, text))


def query_run(name: str, shop: Shop) -> Iterator[Item]:
    """`npm query '*'` of an old project, JSON of all that is installed; the facts are its names, keys and rare values."""
    room = old_room(shop)
    text = report_file(shop, ["npm", "query", "*"], room, shop.room(name)).replace(room, "/room")
    rows = json.loads(text)
    facts = [Fact("key", (key,)) for key in sorted({key for row in rows for key in row})]
    facts += [Fact("odd", (), (row["name"], row["version"])) for row in rows if row.get("name") and row.get("version")]
    licences = [str(row.get("license")) for row in rows]
    facts += [Fact("message", (one,)) for one in dict.fromkeys(licences) if one != "None"]
    facts += [
        Fact("odd", (), (row["name"], str(row["license"])))
        for row in rows
        if licences.count(str(row.get("license"))) == 1 and isinstance(row.get("license"), str)
    ]
    yield Item(name, PACKAGES, "json", "npm query *", text, said_in(facts, text))


def updates_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `ncu` prints of forty old projects; the facts are those of its JSON: every package, from and to."""
    room = shop.room(name)
    wanted: dict[str, dict[str, str]] = {}
    for number in range(30):
        wanted[f"area-{number % 4}/shelf-{number}"] = dict(one.split("@") for one in OLD[number % 5 :: 3 + number % 4])
    wanted["area-1/shelf-13"]["no-such-shelf-package"] = "1.0.0"
    for path, needs in wanted.items():
        package = {"name": os.path.basename(path), "version": "1.0.0", "dependencies": needs}
        write(os.path.join(room, path, "package.json"), json.dumps(package, indent=1))
    tool = os.path.join(npm_room(shop), "node_modules", ".bin", "ncu")
    text = report_file(shop, [tool, "--deep"], room, shop.room(f"{name}-report"))
    report = json.loads(report_file(shop, [tool, "--deep", "--jsonUpgraded"], room, shop.room(f"{name}-report")))
    facts = []
    for path, rows in report.items():
        facts += [Fact("path", (path,))]
        for package, new in rows.items():
            facts += [Fact("odd", (), (package, wanted[os.path.dirname(path)][package], new))]
    yield Item(name, PACKAGES, "text", "ncu --deep", text, said_in(facts, text))


BROKEN = ("flask==3.1.2", "jupyter-server==2.17.0", "httpx==0.28.1", "requests==2.20.0", "sphinx==8.1.3", "twine==6.2.0",
          "fastapi==0.115.0", "scrapy==2.13.3", "celery==5.5.3", "notebook==7.4.5", "black==25.1.0", "pylint==3.3.8", "tox==4.28.4",
          "aiohttp==3.12.15", "django==5.2.5", "djangorestframework==3.16.1", "boto3==1.40.20", "mkdocs-material==9.6.18",
          "nbconvert==7.16.6", "starlette==0.20.0", "urllib3==2.5.0", "click==7.0", "jinja2==2.10", "werkzeug==0.14",
          "pytest==8.3.5", "hypothesis==6.130.0", "nox==2025.2.9", "rich==13.9.4", "pandas==2.2.3", "httpie==3.2.4")  # fmt: skip

REQUIRES = """import json, sys
from importlib.metadata import distributions
from pip._vendor.packaging.requirements import Requirement
there = {one.metadata["Name"].lower().replace("_", "-"): one.version for one in distributions()}
rows = []
for one in distributions():
    for need in map(Requirement, one.requires or ()):
        if need.marker is None or need.marker.evaluate({"extra": ""}):
            name = need.name.lower().replace("_", "-")
            if name not in there or not need.specifier.contains(there[name], prereleases=True):
                rows.append([one.metadata["Name"], one.version, need.name, str(there.get(name))])
print(json.dumps(rows))
"""


def check_run(name: str, shop: Shop) -> Iterator[Item]:
    """`pip check` where nothing was installed with what it needs; the facts are what the metadata say is missing or old."""
    python = shop.python("sixth-broken")
    room = shop.room(name)
    shop.run([python, "-m", "pip", "install", "-q", "--no-deps", *BROKEN], room).check()
    text = shop.run([python, "-m", "pip", "check"], room).text
    facts = []
    for package, version, need, there in json.loads(shop.run([python, "-c", REQUIRES], room, apart=True).text):
        said = (
            (f"{need.lower()}", "which is not installed")
            if there == "None"
            else (need.lower(), f"have {need.lower()} {there}")
        )
        facts += [Fact("odd", (), (f"{package.lower().replace('_', '-')} {version}", said[0]))]
        facts += [] if there == "None" else [Fact("message", (f"but you have {need.lower()} {there}",))]
    yield Item(name, PACKAGES, "text", "pip check", text, said_in(facts, text))


def show_run(name: str, packages: tuple[str, ...], shop: Shop) -> Iterator[Item]:
    """`pip show -f` of packages; the facts are their versions, directories, commands, and what nobody else has."""
    python = python_tools(shop)
    room = shop.room(name)
    text = shop.run([python, "-m", "pip", "show", "-v", "-f", *packages], room).text
    text = re.sub(r"^Location: .*", "Location: /venv/lib/python3/site-packages", text, flags=re.MULTILINE)
    script = "import json, sys; from importlib.metadata import distribution as d\n"
    script += "print(json.dumps([[one, d(one).version, [str(f) for f in d(one).files], d(one).metadata['Summary']] for one in sys.argv[1:]]))"
    facts = []
    for package, version, files, summary in json.loads(
        shop.run([python, "-c", script, *packages], room, apart=True).text
    ):
        facts += [
            Fact("message", (f"Name: {package}",)),
            Fact("message", (f"Version: {version}",)),
            Fact("message", (summary[:90],)),
        ]
        folders = {os.path.dirname(file) for file in files if not file.endswith(".pyc")} - {""}
        facts += [Fact("path", (folder,)) for folder in sorted(folders)]
        facts += [Fact("path", (file,)) for file in files if not file.endswith((".py", ".pyc", ".pyi", ".html", ".js"))]
    yield Item(name, PACKAGES, "text", f"pip show -f {' '.join(packages)}", text, said_in(facts, text))


CRATE = """[package]
name = "shelf-{n}"
version = "0.{n}.{m}"
edition = "2021"
license = "{licence}"
description = "Keeps shelf {n} of area {area}"

[features]
default = ["lids"]
lids = []
doors = [{doors}]

[dependencies]
{needs}
"""


def crates(room: str, count: int = 56) -> list[str]:
    """A workspace of crates that depend on one another."""
    paths = []
    for number in range(count):
        needs = [
            number + step
            for step in (1 + number % 3, 5, 11)
            if number + step < count and (number + step) % 2 != number % 3
        ]
        lines = "".join(
            f'shelf-{one} = {{ path = "../../area-{one % 6}/shelf-{one}"{", optional = true" if one % 17 == 3 else ""} }}\n'
            for one in needs
        )
        doors = ", ".join(f'"dep:shelf-{one}"' for one in needs if one % 17 == 3)
        licence = "MIT" if number % 19 != 7 else f"LicenseRef-Shelf-{number}"
        path = f"area-{number % 6}/shelf-{number}"
        write(
            os.path.join(room, path, "Cargo.toml"),
            CRATE.format(n=number, m=number % 4, area=number % 6, needs=lines, doors=doors, licence=licence),
        )
        write(os.path.join(room, path, "src", "lib.rs"), f"pub fn weigh() -> u32 {{ {number} }}\n")
        paths.append(path)
    write(os.path.join(room, "Cargo.toml"), f'[workspace]\nresolver = "2"\nmembers = {json.dumps(paths)}\n')
    return paths


def cargo_run(name: str, shop: Shop) -> Iterator[Item]:
    """`cargo tree` and `cargo metadata` of a workspace; the facts are those of the latter: crates, edges, licences."""
    shop.need("cargo")
    room = shop.room(name)
    paths = crates(room)
    report = shop.run(["cargo", "metadata", "--offline", "--format-version=1"], room, apart=True).text.replace(
        room, "/room"
    )
    rows = json.loads(report)["packages"]
    text = shop.run(["cargo", "tree", "--offline", "-e", "features,normal"], room, apart=True).text.replace(
        room, "/room"
    )
    facts = [Fact("message", (f"{row['name']} v{row['version']}",)) for row in rows]
    facts += [Fact("path", (f"/room/{path}",)) for path in paths]
    tree = shop.run(["cargo", "tree", "--offline", "--depth=1", "--prefix=none", "-f", "{p}"], room, apart=True).text
    facts += [
        Fact("message", (f'{one} feature "default"',))
        for one in dict.fromkeys(re.findall(r"^shelf-\d+(?= v)", tree, re.MULTILINE))
    ]
    yield Item(f"{name}-tree", PACKAGES, "text", "cargo tree -e features", text, said_in(facts, text))
    keys = {key for row in rows for key in row} | {key for row in rows for target in row["targets"] for key in target}
    facts = [Fact("key", (key,)) for key in sorted(keys)]
    facts += [Fact("odd", (), (row["name"], row["version"])) for row in rows]
    facts += [Fact("odd", (), (row["name"], row["license"])) for row in rows if row["license"] != "MIT"]
    facts += [Fact("message", (row["description"],)) for row in rows]
    yield Item(f"{name}-metadata", PACKAGES, "json", "cargo metadata", report, said_in(facts, report))


def sums_run(name: str, packages: tuple[str, ...], shop: Shop) -> Iterator[Item]:
    """`debsums -a` of unpacked packages of which files were changed or lost; the facts are these, and the packages."""
    shop.install("debsums")
    room = shop.room(name)
    status, odd, every = "", [], []
    for package in packages:
        where = shop.debian_package(package)
        archive = next(one for one in sorted(os.listdir(where)) if one.endswith(".deb"))
        shop.run(["dpkg-deb", "-x", os.path.join(where, archive), f"{room}/root"], room).check()
        shop.run(["dpkg-deb", "-e", os.path.join(where, archive), f"{room}/control"], room).check()
        info = f"{room}/root/var/lib/dpkg/info"
        os.makedirs(info, exist_ok=True)
        sums = f"{info}/{package}.md5sums"
        shutil.copy(f"{room}/control/md5sums", sums)
        with open(sums, encoding="utf-8") as file:
            paths = [line.split("  ", 1)[1].strip() for line in file]
        write(f"{info}/{package}.list", "".join(f"/{path}\n" for path in paths))
        with open(f"{room}/control/control", encoding="utf-8") as file:
            status += f"{file.read().strip()}\nStatus: install ok installed\n\n"
        every += paths
    write(f"{room}/root/var/lib/dpkg/status", status)
    for number, path in enumerate(every):
        where = os.path.join(room, "root", path)
        if number % 83 == 21 and os.path.isfile(where) and not os.path.islink(where):
            write(where, "changed\n") if number % 2 else os.remove(where)
            odd.append(Fact("odd", (), (f"/{path}", "FAILED" if number % 2 else "missing")))
    text = shop.run(["debsums", "-a", "-r", f"{room}/root", *packages], room).text.replace(f"{room}/root", "")
    facts = [*odd, *(Fact("path", (f"/{one}",)) for one in sorted({os.path.dirname(path) for path in every}))]
    yield Item(name, PACKAGES, "text", "debsums -a", text, said_in(facts, text))


def debtree_run(name: str, package: str, shop: Shop) -> Iterator[Item]:
    """The graph that debtree draws of a package; the facts are its packages, those it could not follow, its colours."""
    shop.install("debtree")
    text = shop.run(["debtree", "--max-depth=6", package], shop.room(name), apart=True).text
    edges = re.findall(r'^\s*"([^"]+)" -> "([^"]+)"', text, re.MULTILINE)
    facts = [Fact("name", (f'"{one}"',)) for one in dict.fromkeys(end for edge in edges for end in edge)]
    facts += last_words(text, r"^// .*") + [
        Fact("message", (one,)) for one in dict.fromkeys(re.findall(r"\[\w+=[^\]]+\]", text))
    ]
    yield Item(name, PACKAGES, "text", f"debtree {package}", text, said_in(facts, text))


RECIPES = {
    "apt-get-upgrade": partial(upgrade_run, "apt-get-upgrade", ("postgresql-15", "git", "vim", "apache2", "php-cli")),
    "composer-tree": partial(composer_tree, "composer-tree"),
    "composer-update": partial(composer_conflict, "composer-update"),
    "npm-outdated": partial(outdated_run, "npm-outdated"),
    "npm-query": partial(query_run, "npm-query"),
    "ncu-shelves": partial(updates_run, "ncu-shelves"),
    "pip-check": partial(check_run, "pip-check"),
    "pip-show": partial(show_run, "pip-show", ("reuse", "poetry", "invoke")),
    "cargo-shelves": partial(cargo_run, "cargo-shelves"),
    "debsums-shelves": partial(sums_run, "debsums-shelves", ("adduser", "debianutils", "bash-completion")),
    "debtree-vim": partial(debtree_run, "debtree-vim", "vim"),
}
