"""Pages, interfaces, container files and desktop metadata, told by tools that nobody tunes on; what is wrong was planted."""

import http.server
import json
import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from items import Fact, Item
from reports import Diagnostic, diagnostic_facts, in_json, said_in
from shop import Shop

from recipes.fifth_suites import plain
from recipes.held_suites import write
from recipes.ninth_tools import each, npm_tool, pairs
from recipes.third_linters import report_file

ACCESS, SPEED, INTERFACE, CONTAINER, LINKS = (
    "accessibility",
    "page speed",
    "interface linter",
    "container check",
    "dead links",
)
SYNTAX, DESKTOP, STYLES = "syntax tree", "desktop metadata", "stylesheet metrics"


class Shelf(http.server.SimpleHTTPRequestHandler):
    """Answers with files, or with what the path says."""

    def do_GET(self) -> None:
        found = re.match(r"/status/(\d+)", self.path)
        if found:
            self.send_response(int(found[1]))
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            super().do_GET()

    def do_HEAD(self) -> None:
        self.do_GET()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
        pass


@contextmanager
def serving(folder: str) -> Iterator[int]:
    """A server of a folder on loopback; yields its port."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Shelf, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()


def shop_page(count: int) -> str:
    rows = []
    for n in range(count):
        picture = f'<img src="loaf{n}.png">' if n % 5 == 2 else f'<img src="loaf{n}.png" alt="loaf {n}">'
        colour = ' style="color:#bbb;background:#ccc"' if n % 7 == 3 else ""
        label = "" if n % 6 == 4 else f'<label for="count{n}">count</label>'
        link = f'<a href="/loaf/{n}"></a>' if n % 9 == 5 else f'<a href="/loaf/{n}">loaf {n}</a>'
        rows.append(
            f'<div class="row" id="row{n % 50 if n % 11 == 6 else n}">{picture}<p{colour}>Loaf number {n} of the night</p>{label}<input id="count{n}" type="text">{link}<button class="buy{n}">{"" if n % 8 == 1 else "buy"}</button></div>'
        )
    return (
        "<!doctype html><html><head><title></title></head><body><h3>Loaves</h3>"
        + "\n".join(rows)
        + "<table><tr><td>kind</td></tr></table><iframe src='about:blank'></iframe></body></html>"
    )


def pa11y_run(name: str, shop: Shop) -> Iterator[Item]:
    """What pa11y says of a page; the facts are those of its JSON: every rule, every message, and every place of an error."""
    tool, room = npm_tool(shop, "pa11y"), shop.room(name)
    write(os.path.join(room, "index.html"), shop_page(70))
    write(
        os.path.join(room, "pa11y.json"),
        json.dumps(
            {
                "chromeLaunchConfig": {
                    "executablePath": "/usr/bin/chromium",
                    "args": ["--no-sandbox", "--disable-gpu"],
                },
                "timeout": 120000,
            }
        ),
    )
    with serving(room) as port:
        command = [tool, "-c", "pa11y.json", "-e", "htmlcs", f"http://127.0.0.1:{port}/"]
        text = plain(shop.run(command, room, seconds=150).text).replace(f":{port}", ":8080")
        rows = json.loads(report_file(shop, [*command, "-r", "json"], room, room))
    facts = each("message", [row["code"] for row in rows]) + each("message", [row["message"][:80] for row in rows])
    facts += each("message", [row["selector"] for row in rows if row["type"] == "error"][:150])
    facts += each("message", re.findall(r"^\d+ (?:Errors|Warnings|Notices)$", text, re.MULTILINE))
    yield Item(name, ACCESS, "text", "pa11y http://127.0.0.1:8080/", text, said_in(facts, text))


def lighthouse_run(name: str, shop: Shop) -> Iterator[Item]:
    """What lighthouse reports of a page as JSON; the facts are the audits that fail, what they are called, and the scores."""
    tool, room = npm_tool(shop, "lighthouse"), shop.room(name)
    write(os.path.join(room, "index.html"), shop_page(40))
    with serving(room) as port:
        report_file(
            shop,
            [
                tool,
                f"http://127.0.0.1:{port}/",
                "--output=json",
                "--output-path=out.json",
                "--quiet",
                "--only-categories=accessibility,seo,best-practices",
                "--chrome-flags=--headless --no-sandbox --disable-gpu",
            ],
            room,
            room,
        )
        with open(os.path.join(room, "out.json"), encoding="utf-8") as file:
            about = json.load(file)
    text = json.dumps(
        {key: about[key] for key in ("lighthouseVersion", "requestedUrl", "audits", "categories")}, indent=2
    ).replace(str(port), "8080")
    failed = [one for one in about["audits"].values() if one.get("score") == 0]
    facts = each("message", [f'"{one["id"]}"' for one in failed]) + [Fact("message", (one["title"],)) for one in failed]
    facts += each(
        "key",
        [
            *about["categories"],
            *("lighthouseVersion", "requestedUrl", "audits", "categories", "score", "scoreDisplayMode", "details"),
        ],
    )
    facts += each(
        "message",
        [f'"title": "{one["title"]}"' for one in about["categories"].values()]
        + [f'"score": {one["score"]}' for one in about["categories"].values()],
    )
    yield Item(name, SPEED, "json", "lighthouse --output=json", text, said_in(in_json(facts), text))


def interface(count: int) -> dict[str, object]:
    paths: dict[str, object] = {}
    for n in range(count):
        answer: dict[str, object] = {
            "200": {
                "description": "a loaf",
                "content": {
                    "application/json": {
                        "schema": {"$ref": f"#/components/schemas/{'Lost' if n % 17 == 9 else 'Loaf'}"}
                    }
                },
            }
        }
        act = {
            "operationId": "get_loaf" if n % 13 == 4 else f"get_loaf_{n}",
            "summary": "" if n % 7 == 3 else f"loaf {n}",
            "responses": answer,
            "parameters": [
                {
                    "name": "Loaf-ID" if n % 5 == 2 else "loaf_id",
                    "in": "path",
                    "required": n % 11 != 6,
                    "schema": {"type": "string"},
                }
            ],
        }
        paths[
            f"/v1/{'Ovens' if n % 9 == 5 else 'ovens'}/{n}/"
            + ("{other_id}" if n % 19 == 8 else "{loaf_id}")
            + ("/" if n % 15 == 7 else "")
        ] = {"get": act}
    loaf = {
        "type": "object",
        "properties": {
            "weightKg": {"type": "number"},
            "kind": {"type": "string", "enum": ["rye", "Bun"]},
            "list": {"type": "array"},
        },
    }
    return {
        "openapi": "3.0.3",
        "info": {"title": "ovens", "version": "1"},
        "paths": paths,
        "components": {"schemas": {"Loaf": loaf, "Unused": {"type": "object"}}},
    }


def openapi_run(name: str, shop: Shop) -> Iterator[Item]:
    """What IBM's linter says of an interface; the facts are those of its JSON: every rule, every message, every place of an error."""
    tool, room = npm_tool(shop, "lint-openapi"), shop.room(name)
    write(os.path.join(room, "ovens.json"), json.dumps(interface(32), indent=1))
    text = plain(report_file(shop, [tool, "-n", "ovens.json"], room, room)).replace(room, "/srv")
    about = json.loads(report_file(shop, [tool, "-j", "ovens.json"], room, room))
    rows = [
        (kind, row) for kind in ("error", "warning", "info", "hint") for row in about.get(kind, {}).get("results", ())
    ]
    facts = each("name", [row["rule"] for _, row in rows]) + each("message", [row["message"][:80] for _, row in rows])
    facts += each(
        "message",
        [f"Path    : {'.'.join(map(str, row['path']))}" for kind, row in rows if kind == "error"]
        + [".".join(map(str, row["path"])) for kind, row in rows if kind == "error"],
    )
    yield Item(name, INTERFACE, "text", "lint-openapi ovens.json", text, said_in(facts, text))


def compose_file(number: int) -> str:
    services = []
    for n in range(6):
        name = f"oven{n}"
        image = "bread" if n % 3 == 1 else f"bread:1.{n}"
        ports = (
            f'    ports:\n      - "{8000 + n if number % 4 else 8000}:80"\n'
            if n % 2
            else f"    ports:\n      - {9000 + n}:80\n"
        )
        more = (
            f"    container_name: fixed{number % 3}\n" * (n == 3)
            + "    build: .\n" * (n == 4)
            + "    volumes:\n      - type: bind\n        source: ./a\n        target: /a\n" * (n == 5)
        )
        order = (
            f"    environment:\n      - Z={n}\n      - A={n}\n    image: {image}\n"
            if n % 2
            else f"    image: {image}\n    environment:\n      A: {n}\n"
        )
        services.append(f"  {name}:\n{order}{ports}{more}")
    return ('version: "3"\n' if number % 2 else "") + "services:\n" + "".join(services)


def dclint_run(name: str, shop: Shop) -> Iterator[Item]:
    """What dclint says of container files; the facts are those of its JSON: every rule, every message with a place, every file."""
    tool, room = npm_tool(shop, "dclint"), shop.room(name)
    for number in range(14):
        write(os.path.join(room, f"site{number}", "docker-compose.yml"), compose_file(number))
    text = plain(report_file(shop, [tool, "-r", "."], room, room)).replace(f"{room}/", "")
    found = []
    for row in json.loads(report_file(shop, [tool, "-r", "-f", "json", "."], room, room)):
        path = os.path.relpath(os.path.join(room, row["filePath"]), room)
        found += [
            Diagnostic(path, f"{path}:{one['line']}:{one['column']}", one["rule"], one["message"])
            for one in row["messages"]
        ]
    yield Item(name, CONTAINER, "text", "dclint -r .", text, said_in(diagnostic_facts(found), text))


STEPS = ("FROM bread:latest", "RUN apt-get update && apt-get install flour", "ADD http://mill.example/a.tgz /a", "EXPOSE 99999", "RUN sudo knead", "CMD knead", "CMD again", "MAINTAINER oda", "WORKDIR oven", "RUN cd /oven && knead", "ENV A", "COPY *.txt .", "USER root", "ONBUILD FROM x", "EXPOSE 80:80", "RUN apt-get upgrade", "LABEL a", "FLOUR rye", "STOPSIGNAL", "VOLUME")  # fmt: skip


def dockerfile_run(name: str, shop: Shop) -> Iterator[Item]:
    """What dockerfilelint says of container files; the facts are those of its JSON: every message with its kind, every file."""
    tool, room = npm_tool(shop, "dockerfilelint"), shop.room(name)
    files = []
    for number in range(16):
        body = [STEPS[0 if number % 4 else 1]] + [STEPS[(number * 3 + at * 7) % 20] for at in range(9)]
        files.append(
            os.path.relpath(write(os.path.join(room, f"site{number}", "Dockerfile"), "\n".join(body) + "\n"), room)
        )
    text = plain(report_file(shop, [tool, *files], room, room))
    about = json.loads(report_file(shop, [tool, "-o", "json", *files], room, room))
    facts = each("path", files)
    for row in about["files"]:
        for one in row["issues"]:
            facts += each("message", [one["title"][:70], one["category"], one["content"][:60]])
    facts += each("message", re.findall(r"^Issues: .*$", text, re.MULTILINE))
    yield Item(name, CONTAINER, "text", "dockerfilelint */Dockerfile", text, said_in(facts, text))


def links_run(name: str, shop: Shop) -> Iterator[Item]:
    """What markdown-link-check says of pages; the facts are planted: every link that is dead, and how; every page."""
    tool, room = npm_tool(shop, "markdown-link-check"), shop.room(name)
    facts, text = [], ""
    with serving(room) as port:
        for page in range(9):
            lines = []
            for n in range(22):
                status = {5: 404, 9: 500, 14: 403}.get((n + page * 2) % 23, 200)
                lines.append(f"- [loaf {n}](http://127.0.0.1:{port}/status/{status}/page{page}/loaf{n})")
                facts += pairs([(f"/status/{status}/page{page}/loaf{n}", status)] * (status != 200))
            lines.append(f"- [gone](lost{page}.md)")
            facts += each("message", [f"lost{page}.md"])
            write(os.path.join(room, f"page{page}.md"), "\n".join(lines) + "\n")
            text += plain(report_file(shop, [tool, f"page{page}.md"], room, room)).replace(f":{port}", ":8080")
    facts = [
        fact._replace(spellings=(f"http://127.0.0.1:8080{fact.together[0]}",), together=()) if fact.together else fact
        for fact in facts
    ]
    facts += each(
        "message",
        [f"FILE: page{page}.md" for page in range(9)]
        + re.findall(r"^ *(?:ERROR: \d+ dead links found!|\d+ links checked\.)$", text, re.MULTILINE),
    )
    facts += each("message", dict.fromkeys(re.findall(r"Status: \d+", text)))
    yield Item(name, LINKS, "text", "markdown-link-check *.md", text, said_in(facts, text))


def acorn_run(name: str, shop: Shop) -> Iterator[Item]:
    """What acorn makes of a program; the facts, walked here, are the kinds of node, what is declared, and every text in it."""
    tool, room = npm_tool(shop, "acorn"), shop.room(name)
    source = "".join(
        f'export function knead{n}(flour, water = {n}) {{\n  const dough{n} = flour + water;\n  if (dough{n} > {n * 10}) throw new Error("too wet {n}");\n  return dough{n};\n}}\n'
        for n in range(16)
    )
    source += "class Oven extends Base { static heat = 220; #secret = 1; async *bake(x) { for await (const y of x) yield y?.z ?? `loaf ${y}`; } }\nlabel: while (true) { break label; }\n"
    write(os.path.join(room, "mill.js"), source)
    text = report_file(shop, [tool, "--module", "--ecma2022", "mill.js"], room, room)
    kinds: dict[str, None] = {}

    def walk(node: object) -> None:
        if isinstance(node, dict):
            if "type" in node:
                kinds[str(node["type"])] = None
            list(map(walk, node.values()))
        elif isinstance(node, list):
            list(map(walk, node))

    walk(json.loads(text))
    facts = each("message", [f'"{kind}"' for kind in kinds]) + each("message", [f'"knead{n}"' for n in range(16)])
    facts += each(
        "message", [f'"too wet {n}"' for n in range(16)] + ['"Oven"', '"secret"', '"bake"', '"heat"', '"label"', "220"]
    )
    yield Item(name, SYNTAX, "json", "acorn --module mill.js", text, said_in(facts, text))


def css_run(name: str, package: str, path: str, shop: Shop) -> Iterator[Item]:
    """What analyze-css measures of a stylesheet; the facts are every measure, with its value, and what offends once or twice."""
    tool, room = npm_tool(shop, "analyze-css"), shop.room(name)
    tree = shop.npm_source(package, room)
    text = report_file(shop, [tool, "--file", os.path.join(tree, path), "--pretty"], room, room)
    about = json.loads(text)
    facts = each("key", about["metrics"]) + each(
        "message", [f'"{key}": {value}' for key, value in about["metrics"].items()]
    )
    rare = [one for rows in about["offenders"].values() if len(rows) <= 2 for one in rows]
    facts += [Fact("message", (str(one.get("message") if isinstance(one, dict) else one)[:70],)) for one in rare]
    yield Item(
        name,
        STYLES,
        "json",
        f"analyze-css --file {os.path.basename(path)} --pretty",
        text,
        said_in(in_json(facts), text),
    )


def desktop_file(number: int) -> str:
    lines = [
        "[Desktop Entry]",
        "Type=" + ("Program" if number % 11 == 4 else "Application"),
        f"Name=Oven {number}",
        f"Exec=oven{number} " + ("%x" if number % 7 == 3 else "%f"),
    ]
    lines += ["Categories=" + ("Baking;" if number % 5 == 2 else "Utility;Baking" if number % 13 == 8 else "Utility;")]
    lines += (
        ["Terminal=perhaps"] * (number % 9 == 5)
        + [f"MimeType=bread/{number}"] * (number % 8 == 6)
        + ["Icon=oven.png"] * (number % 6 == 1)
    )
    lines += (
        ["Encoding=UTF-8"] * (number % 10 == 7)
        + ["Name=Again"] * (number % 17 == 9)
        + ["Flour=rye"] * (number % 12 == 10)
    )
    return "\n".join(lines) + "\n"


def desktop_run(name: str, shop: Shop) -> Iterator[Item]:
    """What desktop-file-validate says of entries; the facts are its messages, each once, and every file that has one."""
    shop.install("desktop-file-validate", "desktop-file-utils")
    room = shop.room(name)
    files = [
        os.path.basename(write(os.path.join(room, f"oven{number}.desktop"), desktop_file(number)))
        for number in range(130)
    ]
    text = shop.run(["desktop-file-validate", *files], room).text
    found = re.findall(r"^(\S+\.desktop): (error|warning|hint): (.*)$", text, re.MULTILINE)
    facts = each("path", [path for path, _, _ in found]) + each("message", [said[:90] for _, _, said in found])
    yield Item(name, DESKTOP, "text", "desktop-file-validate *.desktop", text, said_in(facts, text))


def component(number: int) -> str:
    lines = [
        f"<id>{'Oven App' if number % 7 == 3 else f'example.mill.Oven{number}'}</id>",
        f"<name>Oven {number}{'.' if number % 5 == 2 else ''}</name>",
    ]
    lines += [f"<summary>{'Bakes bread.' if number % 6 == 4 else 'Bake bread at home'}</summary>"] * (number % 9 != 5)
    lines += [f"<metadata_license>{'Mill-1.0' if number % 8 == 6 else 'CC0-1.0'}</metadata_license>"]
    lines += [
        f'<url type="{"shop" if number % 10 == 7 else "homepage"}">{"ftp" if number % 11 == 8 else "https"}://mill.example</url>'
    ]
    lines += [
        "<description><p>short</p></description>"
        if number % 4 == 1
        else "<description><b>bold</b><p>Bakes many loaves for the night, every night of the year.</p></description>"
    ]
    lines += ['<releases><release version="1" date="2030-13-01"/></releases>'] * (number % 13 == 9) + [
        "<flour>rye</flour>"
    ] * (number % 12 == 10)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<component type="desktop-application">\n'
        + "\n".join(lines)
        + "\n</component>\n"
    )


def appstream_run(name: str, shop: Shop) -> Iterator[Item]:
    """What appstreamcli says of metadata; the facts are its tags, every file that has an error, and its sums."""
    shop.install("appstreamcli", "appstream")
    room = shop.room(name)
    files = [
        os.path.basename(write(os.path.join(room, f"example.mill.Oven{number}.metainfo.xml"), component(number)))
        for number in range(45)
    ]
    text = "".join(shop.run(["appstreamcli", "validate", "--no-net", "--no-color", path], room).text for path in files)
    found = re.findall(r"^ *([EWIP]): (\S+?):(?:(\S+?):)? ?(?:\d+: )?([a-z][\w-]+)", text, re.MULTILINE)
    tags = [row[-1] for row in found]
    facts = each("message", [one for one in tags if "-" in one]) + each(
        "message", [f"E: {row[1]}:" for row in found if row[0] == "E"]
    )
    facts += each(
        "message", re.findall(r"^. Validation .*$|^(?:errors|warnings|infos|pedantic): \d+.*$", text, re.MULTILINE)
    )
    yield Item(name, DESKTOP, "text", "appstreamcli validate *.xml", text, said_in(facts, text))


RECIPES = {
    "pa11y-loaves": partial(pa11y_run, "pa11y-loaves"),
    "lighthouse-loaves": partial(lighthouse_run, "lighthouse-loaves"),
    "lint-openapi-ovens": partial(openapi_run, "lint-openapi-ovens"),
    "dclint-sites": partial(dclint_run, "dclint-sites"),
    "dockerfilelint-sites": partial(dockerfile_run, "dockerfilelint-sites"),
    "markdown-link-check-loaves": partial(links_run, "markdown-link-check-loaves"),
    "acorn-mill": partial(acorn_run, "acorn-mill"),
    "analyze-css-foundation": partial(css_run, "analyze-css-foundation", "purecss@3.0.0", "build/pure.css"),
    "desktop-file-validate-ovens": partial(desktop_run, "desktop-file-validate-ovens"),
    "appstreamcli-ovens": partial(appstream_run, "appstreamcli-ovens"),
}
