"""Package managers and checkers of what a project needs, which nobody tunes on; their JSON or planted faults tell the facts."""

import json
import os
import re
from collections.abc import Iterator

from items import Fact, Item
from shop import Shop

from recipes.eleventh_tools import TOOLS
from recipes.held_suites import write
from recipes.tenth_answers import shelf
from recipes.tenth_packages import packages
from recipes.tenth_tools import each, made, matches, pairs, recipes, stripped
from recipes.third_linters import report_file

PACKAGES, CHECKER, SCANNER = "package manager", "package checker", "security scanner"


def fund_run(name: str, shop: Shop) -> Iterator[Item]:
    """`npm fund` of a project of which many packages ask for money; the facts are planted: every address, and what is odd among them."""
    room = shop.room(name)
    wanted = {f"ferry-part-{n}": f"1.{n}.4" for n in range(300)}
    lock: dict[str, object] = {"": {"name": "ferries", "version": "1.0.0", "dependencies": wanted}}
    facts: list[Fact] = []
    for n, (one, version) in enumerate(wanted.items()):
        about: dict[str, object] = {"version": version}
        if n % 5:
            url = f"https://github.com/sponsors/keeper-{n % 83}" if n % 29 != 6 else f"http://pay.pier.example/now/{n}"
            about["funding"] = {"type": "individual", "url": url}
            facts += each("message", [url])
            facts += pairs([(f"{one}@{version}",)] if n % 29 == 6 else [])
        lock[f"node_modules/{one}"] = about
        write(os.path.join(room, "node_modules", one, "package.json"), json.dumps({"name": one, **about}))
    write(
        os.path.join(room, "package.json"), json.dumps({"name": "ferries", "version": "1.0.0", "dependencies": wanted})
    )
    write(
        os.path.join(room, "package-lock.json"),
        json.dumps({"name": "ferries", "version": "1.0.0", "lockfileVersion": 3, "packages": lock}),
    )
    text = report_file(shop, ["npm", "fund"], room, shop.room(f"{name}-report"))
    yield made(name, PACKAGES, "npm fund", text, facts)


def list_run(name: str, shop: Shop) -> Iterator[Item]:
    """`pip list -v` of the environment of this part's tools; the facts are those of its JSON: every package with its version, who installed it otherwise."""
    command = [TOOLS.python(shop), "-m", "pip", "list", "-v"]
    said = shop.run(command, shop.room(name), apart=True).text
    text = re.sub(r"/\S*/(lib/python\S*)", lambda found: f"/srv/venv/{found[1]}".ljust(len(found[0])), said)
    report = json.loads(shop.run([*command, "--format", "json"], shop.room(name), apart=True).text)
    facts = pairs((one["name"], one["version"]) for one in report)
    yield made(
        name, PACKAGES, "pip list -v", text, [*facts, *each("name", ("Package", "Version", "Location", "Installer"))]
    )


def depcheck_run(name: str, shop: Shop) -> Iterator[Item]:
    """What depcheck says of a project; the facts are planted: all that is not used, all that is missing with a file that wants it."""
    room = shop.room(name)
    wanted = {f"@ferries-of-the-north/part-{n}": "^1.0.0" for n in range(600)}
    tools = {f"pier-tool-{n}": "^2.0.0" for n in range(60)}
    write(
        os.path.join(room, "package.json"),
        json.dumps({"name": "ferries", "dependencies": wanted, "devDependencies": tools}),
    )
    missing: dict[str, str] = {}
    for n in range(600):
        uses = [f"@ferries-of-the-north/part-{n}"] if n % 3 else []
        if n % 4 == 1:
            uses.append(f"gull-lib-{n // 8}")
            missing[uses[-1]] = f"./src/deck{n % 7}/berth{n}.js"
        write(
            os.path.join(room, "src", f"deck{n % 7}", f"berth{n}.js"),
            "".join(f"import x{k} from '{one}';\n" for k, one in enumerate(uses))
            + f"import t from 'pier-tool-{n % 17}';\n",
        )
    text = stripped(report_file(shop, [TOOLS.npm_tool(shop, "depcheck"), room, "--detail"], room, room), room)
    report = json.loads(report_file(shop, [TOOLS.npm_tool(shop, "depcheck"), room, "--json"], room, room))
    facts = [
        *each("name", report["dependencies"]),
        *each("name", report["devDependencies"]),
        *each("message", re.findall(r"^[A-Z].*$", text, re.MULTILINE)),
    ]
    for one, files in report["missing"].items():
        facts.append(Fact("record", tuple("./" + os.path.relpath(path, room) for path in files), (one,)))
    yield made(name, CHECKER, "depcheck --detail", text, facts, least=0.6)


def dep_tree_run(name: str, shop: Shop) -> Iterator[Item]:
    """What johnnydep draws of wheels that are made up; the facts are planted: every package with what it is for, and what has no wheel."""
    room = shop.room(name)
    python = TOOLS.python(shop)
    for n in range(90):
        needs = "".join(
            f"Requires-Dist: ferry-part-{k}{'>=1.0' if k % 2 else ''}\n" for k in (n * 2 + 1, n * 2 + 2) if k < 90
        )
        info = f"simple/ferry-part-{n}/ferry_part_{n}-1.{n}-py3-none-any.whl"
        os.makedirs(os.path.join(room, os.path.dirname(info)))
        shop.run(
            [
                python,
                "-c",
                f"import zipfile; z = zipfile.ZipFile({info!r}, 'w'); d = 'ferry_part_{n}-1.{n}.dist-info/'; z.writestr(d + 'METADATA', {f'Metadata-Version: 2.1{chr(10)}Name: ferry-part-{n}{chr(10)}Version: 1.{n}{chr(10)}Summary: Part {n} that holds ' + ('the keel' if n % 13 == 5 else 'a plank') + f' of ferry {n % 9} together in rough water{chr(10)}{needs}'!r}); z.writestr(d + 'WHEEL', 'Wheel-Version: 1.0{chr(92)}nRoot-Is-Purelib: true{chr(92)}nTag: py3-none-any{chr(92)}n'); z.writestr(d + 'RECORD', '')",
            ],
            room,
        ).check()
    command = [
        TOOLS.python_tool(shop, "johnnydep"),
        "ferry-part-0",
        "--fields",
        "name",
        "summary",
        "specifier",
        "version_latest_in_spec",
    ]
    with shelf(room) as address:
        text = shop.run(
            [*command, "--index-url", f"{address}/simple", "--verbose", "0"], room, seconds=400, apart=True
        ).text
    facts = [
        *each("name", (f"ferry-part-{n}" for n in range(90))),
        *each("message", (f"Part {n} that holds the keel" for n in range(90) if n % 13 == 5)),
        *each("name", ("name", "summary", "specifier", "version_latest_in_spec")),
    ]
    yield made(name, PACKAGES, "johnnydep ferry-part-0", text, facts)


def license_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `license-report` says in a table; the facts are those of its JSON: every package with its licence where it is rare, and every licence."""
    room = shop.room(name)
    kinds = ("MIT", "Apache-2.0", "ISC", "BSD-3-Clause")
    wanted = {f"ferry-part-{n}": f"1.{n}.0" for n in range(90)}
    write(
        os.path.join(room, "package.json"), json.dumps({"name": "ferries", "version": "1.0.0", "dependencies": wanted})
    )
    odd: dict[int, str] = {}
    for n in range(90):
        kind = (
            "AGPL-3.0-only"
            if n % 23 == 9
            else "UNLICENSED"
            if n % 31 == 14
            else "SEE LICENSE IN PIER.txt"
            if n == 77
            else kinds[n % 4]
        )
        if kind not in kinds:
            odd[n] = kind
        write(
            os.path.join(room, "node_modules", f"ferry-part-{n}", "package.json"),
            json.dumps(
                {
                    "name": f"ferry-part-{n}",
                    "version": f"1.{n}.0",
                    "license": kind,
                    "author": f"Keeper {n % 13} <keeper{n % 13}@pier.example>",
                    "repository": f"git+https://code.example/ferry-part-{n}.git",
                }
            ),
        )
    command = [
        TOOLS.npm_tool(shop, "license-report"),
        "--output=table",
        "--config",
        "config.json",
        "--registry=http://127.0.0.1:9/",
    ]
    write(
        os.path.join(room, "config.json"),
        json.dumps(
            {
                "fields": ["name", "licenseType", "installedVersion", "definedVersion", "author", "link"],
                "httpRetryOptions": {"maxAttempts": 1},
            }
        ),
    )
    text = stripped(report_file(shop, command, room, room), room)
    facts = [
        *pairs((f"ferry-part-{n}", kind) for n, kind in odd.items()),
        *each("name", wanted),
        *each("message", kinds),
    ]
    yield made(name, CHECKER, "license-report --output=table", text, facts)


def lockfile_run(name: str, shop: Shop) -> Iterator[Item]:
    """What lockfile-lint says of a lock file that was tampered with; the facts are planted: every package from a host, by a scheme or under a name that is not allowed."""
    room = shop.room(name)
    facts: list[Fact] = []
    lock: dict[str, object] = {"": {"name": "ferries", "version": "1.0.0"}}
    for n, (one, about) in enumerate(packages(240).items()):
        host = f"evil-{n}.example" if n % 9 == 4 else "registry.npmjs.org"
        scheme = "http" if n % 14 == 6 else "https"
        path = (
            f"https://registry.npmjs.org/gull-{n}/-/gull-{n}-1.0.0.tgz"
            if n % 21 == 10
            else f"{scheme}://{host}/{one}/-/{one}-{about['version']}.tgz"
        )
        lock[f"node_modules/{one}"] = {
            "version": about["version"],
            "resolved": path,
            "integrity": "sha512-" + "A" * 86 + "==" if n % 3 else "sha1-" + "A" * 27 + "=",
        }
        said = {
            "host(s)": host != "registry.npmjs.org" and n % 21 != 10,
            "protocol": scheme == "http" and n % 21 != 10,
            "integrity hash type": n % 3 == 0,
        }
        facts += each("message", [f"detected invalid {what} for package: {one}@" for what, bad in said.items() if bad])
        facts += each("message", [host] * said["host(s)"] + [f"gull-{n}"] * (n % 21 == 10))
    write(
        os.path.join(room, "package-lock.json"),
        json.dumps({"name": "ferries", "version": "1.0.0", "lockfileVersion": 3, "packages": lock}),
    )
    command = [
        TOOLS.npm_tool(shop, "lockfile-lint"),
        "--path",
        "package-lock.json",
        "--type",
        "npm",
        "--allowed-hosts",
        "npm",
        "--validate-https",
        "--validate-package-names",
        "--validate-integrity",
    ]
    text = stripped(report_file(shop, ["sh", "-c", '"$@" 2>&1', "sh", *command], room, room), room)
    facts += matches(text, r"^ *[✖✕x] .*?(?=\.|$)", r"^error: .*")
    yield made(name, SCANNER, "lockfile-lint --path package-lock.json", text, facts, least=0.3)


RECIPES = recipes(
    ("npm-fund-tools", fund_run),
    ("pip-list-tools", list_run),
    ("depcheck-ferries", depcheck_run),
    ("johnnydep-ferries", dep_tree_run),
    ("license-report-ferries", license_run),
    ("lockfile-lint-ferries", lockfile_run),
)
