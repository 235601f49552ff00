"""Package managers, differences and repository hooks of every day that nobody tunes on; reports for machines or planted faults tell the facts."""

import http.server
import json
import os
import re
import shutil
import threading
from collections.abc import Iterator

from items import Fact, Item
from reports import directory_facts
from shop import Shop

from recipes.fourth_git import Repository
from recipes.held_suites import write
from recipes.tenth_tools import TOOLS, each, made, matches, recipes, stripped
from recipes.third_linters import report_file

PACKAGES, DIFFERENCE, HOOKS = "package manager", "difference", "hooks"


def unlisted(text: str) -> str:
    """The output without where packages come from, which differs from machine to machine."""
    text = re.sub(r"^Processing /\S+/", "Processing /srv/wheels/", text, flags=re.MULTILINE)
    return re.sub(r"^(?:Looking in .*|WARNING: Location .*|npm warn Unknown .*)\n", "", text, flags=re.MULTILINE)


def pack_run(name: str, shop: Shop) -> Iterator[Item]:
    """`npm pack --dry-run`; the facts are those of its JSON: the largest files, every directory, the sums."""
    room = shop.room(name)
    tree = shop.npm_source("rxjs@7.8.1", room)
    shutil.rmtree(os.path.join(tree, "dist"))
    command = ["npm", "pack", "--dry-run", "--ignore-scripts"]
    text = unlisted(shop.run(command, tree).text)
    report = json.loads(shop.run([*command, "--json"], tree, apart=True).text)[0]
    files = [one["path"] for one in report["files"]]
    facts = each("path", (one["path"] for one in sorted(report["files"], key=lambda one: -one["size"])[:15]))
    facts += [
        *directory_facts("", files),
        *matches(text, r"(?:package size|unpacked size|total files|shasum|filename|name|version): +\S.*", r"\S+\.tgz$"),
    ]
    yield made(name, PACKAGES, "npm pack --dry-run", text, facts)


def download_run(name: str, shop: Shop) -> Iterator[Item]:
    """`pip download` of a lab; the facts are the files that lie there afterwards."""
    room = shop.room(name)
    command = [
        TOOLS.python(shop),
        "-m",
        "pip",
        "download",
        "--only-binary=:all:",
        "--progress-bar=off",
        "--no-color",
        "-d",
        "wheels",
    ]
    text = unlisted(stripped(shop.run([*command, "jupyterlab==4.2.5", "celery==5.4.0"], room, seconds=400).text, room))
    files = os.listdir(os.path.join(room, "wheels"))
    yield made(name, PACKAGES, "pip download jupyterlab celery", text, each("path", (f"wheels/{one}" for one in files)))


TITLES = (
    "Prototype pollution in {}",
    "Regular expression denial of service in {}",
    "Path traversal in {} when ropes are long",
    "{} leaks cookies to other piers",
)


def packages(count: int) -> dict[str, dict[str, object]]:
    """A registry of made-up packages, each of which needs a few of those after it."""
    known: dict[str, dict[str, object]] = {}
    for n in range(count):
        needs = {f"ferry-part-{k}": f"^1.{k}.0" for k in (n * 2 + 7, n * 3 + 11) if k < count and k != n}
        known[f"ferry-part-{n}"] = {"version": f"1.{n}.4", "dependencies": needs}
    return known


class Registry(http.server.BaseHTTPRequestHandler):
    """Answers with what is known of a package, and with advisories."""

    known = packages(420)

    def _answer(self, content: object) -> None:
        body = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        name = self.path.strip("/").split("?")[0]
        one = {"name": name, **self.known.get(name, {"version": "1.0.0"})}
        self._answer({"name": name, "dist-tags": {"latest": one["version"]}, "versions": {str(one["version"]): one}})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        found = {
            f"ferry-part-{n}": [{"id": 1_090_000 + n, "url": f"https://github.com/advisories/GHSA-{n:04d}-pier-ropes", "title": TITLES[n % 4].format(f"ferry-part-{n}"), "severity": ("low", "moderate", "high", "critical")[n // 9 % 4], "vulnerable_versions": f"<1.{n}.9" if n % 2 else "*", "cwe": ["CWE-400"], "cvss": {"score": 7.5}}]
            for n in range(4, 420, 9)
        }  # fmt: skip
        self._answer(found)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that the library gives it
        pass


def audit_run(name: str, shop: Shop) -> Iterator[Item]:
    """`npm audit` of a project against a registry on loopback; the facts are those of its JSON: packages, severities, advisories."""
    room = shop.room(name)
    asked = {one: f"^{about['version']}" for one, about in list(Registry.known.items())[:20]}
    lock = {"": {"name": "ferries", "version": "1.0.0", "dependencies": asked}} | {
        f"node_modules/{one}": dict(about) for one, about in Registry.known.items()
    }
    write(
        os.path.join(room, "package.json"), json.dumps({"name": "ferries", "version": "1.0.0", "dependencies": asked})
    )
    write(
        os.path.join(room, "package-lock.json"),
        json.dumps({"name": "ferries", "version": "1.0.0", "lockfileVersion": 3, "requires": True, "packages": lock}),
    )
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        command = [
            "npm",
            "audit",
            "--registry",
            f"http://127.0.0.1:{server.server_address[1]}/",
            "--cache",
            os.path.join(room, "cache"),
        ]
        text = unlisted(report_file(shop, command, room, room))
        report = json.loads(report_file(shop, [*command, "--json"], room, room))
    finally:
        server.shutdown()
    facts = matches(text, r"^\d+ vulnerabilities.*", r"^To address .*", r"^fix available via.*")
    for one, about in report["vulnerabilities"].items():
        facts += each("name", [one])
        for via in about["via"]:
            facts += (
                [
                    Fact("message", (f"{via['title']} - {via['url']}",)),
                    Fact("message", (f"Severity: {via['severity']}",)),
                ]
                if isinstance(via, dict)
                else []
            )
    yield made(name, PACKAGES, "npm audit", text, facts)


def debdiff_run(name: str, shop: Shop) -> Iterator[Item]:
    """`debdiff` of two packages; the facts are planted: files that came, went and moved, fields that changed."""
    shop.need("dpkg-deb")
    shop.install("debdiff", "devscripts")
    room = shop.room(name)
    facts: list[Fact] = []
    for side in (0, 1):
        needs = (
            "libc6 (>= 2.36), ferries-data (= 4.7.0)" if side else "libc6 (>= 2.31), ferries-data (= 4.6.2), pier-tools"
        )
        write(
            os.path.join(room, str(side), "DEBIAN", "control"),
            f"Package: ferries\nVersion: 4.{6 + side}.0-1\nArchitecture: amd64\nMaintainer: Ines Pier <ines@example.org>\nDepends: {needs}\nInstalled-Size: {4100 + side * 77}\nDescription: ferries\n",
        )
        for n in range(460):
            path = f"usr/share/ferries/deck{n % 9}/{('chart', 'tide', 'pier')[n % 3]}-{n}.dat"
            if n % 6 == 3 and not side:
                facts += each("path", [f"/{path}"])
            elif n % 8 == 5 and side:
                path = f"usr/lib/ferries/charts/{os.path.basename(path)}"
                facts += each("path", [f"/{path}"])
            elif n % 6 == 3:
                continue
            write(os.path.join(room, str(side), path), f"{n}\n")
        shop.run(
            ["dpkg-deb", "--root-owner-group", "-b", str(side), f"ferries_4.{6 + side}.0-1_amd64.deb"], room
        ).check()
    text = shop.run(["debdiff", "ferries_4.6.0-1_amd64.deb", "ferries_4.7.0-1_amd64.deb"], room).text
    facts += [
        *matches(text, r"^Files .*", r"^Control files.*"),
        *each(
            "message",
            [
                "[-4.6.2), pier-tools-]",
                "{+4.7.0)+}",
                "[-4.6.0-1-]",
                "{+4.7.0-1+}",
                "[-4100-]",
                "{+4177+}",
            ],
        ),
    ]
    yield made(name, DIFFERENCE, "debdiff ferries_4.6.0-1_amd64.deb ferries_4.7.0-1_amd64.deb", text, facts)


def commitlint_run(name: str, shop: Shop) -> Iterator[Item]:
    """What commitlint says of a branch; the facts are planted subjects that break a rule, and every rule with what it says."""
    git = Repository(shop, name, "click==8.1.7")
    room = os.path.join(TOOLS.npm_room(shop), name)
    shutil.rmtree(room, ignore_errors=True)
    shutil.copytree(git.tree, room, symlinks=True)
    write(
        os.path.join(room, "commitlint.config.js"),
        "module.exports = { extends: ['@commitlint/config-conventional'] };\n",
    )
    subjects = ("feat(pier): light lamp {n}", "Fix lamp {n}", "feat: Sentence Case For Ferry {n}.", "ferry(deck): paint deck {n}", "fix(pier): " + "long " * 18 + "{n}", "docs: tell of gull {n}")  # fmt: skip
    for n in range(60):
        shop.run(
            [
                "git",
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@example.org",
                "commit",
                "-q",
                "--allow-empty",
                "-m",
                subjects[n % 6].format(n=n) + ("\nno line between" if n % 4 == 1 else ""),
            ],
            room,
        )
    text = stripped(
        report_file(
            shop,
            [TOOLS.npm_tool(shop, "commitlint"), "--from", "HEAD~60", "--no-color", "--config", "commitlint.config.js"],
            room,
            shop.room(f"{name}-report"),
        ),
        room,
    )
    shutil.rmtree(room)
    facts = each("message", (subjects[n % 6].format(n=n)[:60].strip() for n in range(60) if n % 6 in {1, 2, 3, 4}))
    facts += [*matches(text, r"^[✖⚠] +(.*?)$"), *each("name", re.findall(r"\[([a-z-]+)\]$", text, re.MULTILINE))]
    yield made(name, HOOKS, "commitlint --from HEAD~60", text, facts)


RECIPES = recipes(
    ("npm-pack-rxjs", pack_run),
    ("pip-download-lab", download_run),
    ("npm-audit-ferries", audit_run),
    ("debdiff-ferries", debdiff_run),
    ("commitlint-ferries", commitlint_run),
)
