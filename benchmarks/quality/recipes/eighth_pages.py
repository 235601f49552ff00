"""Checkers and builders of pages, books and manuals that nobody tunes on; their reports for machines tell the facts."""

import csv
import http.server
import io
import json
import os
import re
import shutil
import threading
import zipfile
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import Diagnostic, diagnostic_facts, said_in
from shop import Shop

from recipes.eighth_tools import npm_room, tool_of
from recipes.fifth_suites import last_words
from recipes.held_linters import read
from recipes.held_suites import write

WEB, BOOK, MANUAL = "page checker", "book checker", "document builder"


def vnu_run(name: str, package: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What the Nu checker says of pages; the facts are those of its JSON."""
    shop.install("java", "default-jre-headless")
    jar = os.path.join(npm_room(shop), "node_modules", "vnu-jar", "build", "dist", "vnu.jar")
    tree = os.path.join(shop.debian_package(package), folder)
    paths = sorted(one for one in os.listdir(tree) if one.endswith(".html"))[:14]
    command = ["java", "-jar", jar, "--exit-zero-always"]
    text = shop.run([*command, *paths], tree, seconds=500).text.replace(f"file:{tree}/", "")
    rows = json.loads(shop.run([*command, "--format", "json", "--stdout", *paths], tree, seconds=500, apart=True).text)[
        "messages"
    ]
    found = []
    for row in rows:
        path = row["url"].removeprefix(f"file:{tree}/")
        first = row.get("firstLine", row.get("lastLine"))
        place = f'"{path}":{first}.{row.get("firstColumn", row.get("lastColumn"))}-{row.get("lastLine")}.{row.get("lastColumn")}'
        found.append(Diagnostic(path, place, "", row["message"]))
    yield Item(name, WEB, "text", "vnu *.html", text, said_in(diagnostic_facts(found), text))


class Site(http.server.BaseHTTPRequestHandler):
    """Pages that link to each other, some of which are gone, broken or moved."""

    def do_GET(self) -> None:
        number = re.search(r"\d+", self.path)
        page = int(number[0]) if number else 0
        if page % 13 == 7 or self.path.endswith(".pdf"):
            return self.answer(404, "gone")
        if page % 31 == 20:
            return self.answer(500, "broken")
        links = "".join(f'<a href="/page{n}.html">page {n}</a>\n' for n in range(page * 3 + 1, page * 3 + 4) if n < 150)
        more = f'<a href="/chart{page}.pdf">chart {page}</a>' if page % 17 == 4 else ""
        anchor = f'<a href="/page{page}.html#part9">part</a>' if page % 23 == 5 else ""
        return self.answer(
            200,
            f"<!doctype html><html><head><title>Page {page}</title></head><body>{links}{more}{anchor}</body></html>",
        )

    def do_HEAD(self) -> None:
        self.do_GET()

    def answer(self, status: int, body: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        pass


def links_run(name: str, shop: Shop) -> Iterator[Item]:
    """What linkchecker says of a site on loopback; the facts are those of its CSV: every link that does not answer."""
    tool = tool_of(shop, "linkchecker")
    room = shop.room(name)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        address = f"http://127.0.0.1:{server.server_port}"
        command = [tool, "--no-status", "--threads=1", "--check-extern", "--verbose", f"{address}/page0.html"]
        env = {"HOME": room, "XDG_CONFIG_HOME": room, "XDG_DATA_HOME": room}
        text = shop.run(command, room, env=env).text
        report = shop.run([*command, "-o", "csv"], room, env=env, apart=True).text
    finally:
        server.shutdown()
        server.server_close()
    text = text.replace(address, "http://quay.example")
    lines = [line for line in report.splitlines() if not line.startswith("#")]
    facts = []
    for row in csv.DictReader(io.StringIO("\n".join(lines)), delimiter=";"):
        if row["valid"] != "True" or row["warningstring"]:
            facts += [
                Fact("name", (row["url"].replace(address, "http://quay.example"), row["urlname"])),
                Fact("message", (row["result"],)),
            ]
            facts += [Fact("message", (row["warningstring"][:80],))] if row["warningstring"] else []
    facts += last_words(text, r"^That's it\. .*$|^Downloaded: .*$|^Content types: .*$")
    yield Item(name, WEB, "text", "linkchecker --verbose http://quay.example/page0.html", text, said_in(facts, text))


def chapter(number: int) -> str:
    """A page of a book; every few are not as they have to be."""
    wrong = {
        1: f'<p><img src="plate{number}.png"/></p>', 2: f'<a href="chapter{number + 300}.xhtml">next</a>', 3: f'<p id="a{number}">x</p><p id="a{number}">y</p>',
        4: f"<blink>tide {number}</blink>", 5: '<p align="center">centred</p>', 6: f'<a href="#nowhere{number}">see</a>',
    }  # fmt: skip
    inner = "\n".join(wrong.get((number * k) % 11, f"<p>Tide {k} of day {number}.</p>") for k in range(1, 9))
    return f'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml">\n<head><title>Day {number}</title></head>\n<body>\n{inner}\n</body>\n</html>\n'


def epub_run(name: str, shop: Shop) -> Iterator[Item]:
    """What epubcheck says of a book; the facts are those of its JSON: every message with a place, every file."""
    shop.install("epubcheck")
    room = shop.room(name)
    chapters = range(60)
    listed = "".join(
        f'<item id="c{n}" href="chapter{n}.xhtml" media-type="application/xhtml+xml"/>\n'
        for n in chapters
        if n % 29 != 13
    )
    order = "".join(f'<itemref idref="c{n}"/>\n' for n in chapters)
    with zipfile.ZipFile(os.path.join(room, "tides.epub"), "w") as book:
        book.writestr("mimetype", "application/epub+zip")
        book.writestr(
            "META-INF/container.xml",
            '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        )
        book.writestr(
            "OEBPS/book.opf",
            f'<?xml version="1.0"?>\n<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">\n<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">urn:x:1</dc:identifier><dc:title>Tides</dc:title><dc:language>en</dc:language></metadata>\n<manifest>\n<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>\n{listed}</manifest>\n<spine>\n{order}</spine>\n</package>\n',
        )
        entries = "".join(f'<li><a href="chapter{n}.xhtml">Day {n}</a></li>' for n in chapters)
        book.writestr(
            "OEBPS/nav.xhtml",
            f'<?xml version="1.0"?>\n<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>All</title></head><body><nav epub:type="toc"><ol>{entries}</ol></nav></body></html>',
        )
        for number in chapters:
            book.writestr(f"OEBPS/chapter{number}.xhtml", chapter(number))
    command = ["java", "-jar", shutil.which("epubcheck") or "epubcheck", "tides.epub"]
    text = shop.run(command, room).text.replace(f"{room}/", "")
    shop.run([*command, "--json", "all.json"], room)
    found = []
    for row in json.loads(read(os.path.join(room, "all.json")))["messages"]:
        found += [
            Diagnostic(
                at["path"].replace(f"{room}/", ""),
                f"tides.epub/{at['path']}({at['line']},{at['column']})",
                row["ID"],
                row["message"],
            )
            for at in row["locations"]
        ]
    facts = [fact for fact in diagnostic_facts(found) if fact.kind != "record"]
    said: dict[str, list[str]] = {}
    for one in found:
        said.setdefault(one.message[:90].strip(), []).append(one.place)
    facts += [
        Fact("record", (*places, *(place.split("/", 1)[1] for place in places)), (words,))
        for words, places in said.items()
    ]
    facts += last_words(text, r"^Messages: .*$|^EPUBCheck v.*$")
    yield Item(name, BOOK, "text", "epubcheck tides.epub", text, said_in(facts, text))


def doxygen_run(name: str, package: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What doxygen says while it reads C; the facts are the warnings that it writes in a form of ours."""
    shop.install("doxygen")
    tree = shop.debian_source(package, shop.room(name))
    settings = f"INPUT={folder}\nRECURSIVE=NO\nGENERATE_LATEX=NO\nEXTRACT_ALL=NO\nWARN_IF_UNDOCUMENTED=YES\nWARN_NO_PARAMDOC=YES\nOUTPUT_DIRECTORY=out\nHAVE_DOT=NO\nFULL_PATH_NAMES=NO\nFILE_PATTERNS=buffer.h tag.h thread.h util.h\n"
    write(os.path.join(tree, "Doxyfile.plain"), settings)
    text = shop.run(["doxygen", "Doxyfile.plain"], tree, seconds=500).text.replace(f"{tree}/", "")
    write(
        os.path.join(tree, "Doxyfile.form"),
        settings + 'WARN_FORMAT="@@$file@@$line@@$text"\nWARN_LOGFILE=all.log\nQUIET=YES\n',
    )
    shop.run(["doxygen", "Doxyfile.form"], tree, seconds=500)
    found = []
    for line in read(os.path.join(tree, "all.log")).splitlines():
        if line.count("@@") == 3:
            _, path, row, said = line.split("@@")
            path = path.removeprefix(f"{tree}/")
            found.append(Diagnostic(path, f"{path}:{row}", "", said))
    yield Item(name, MANUAL, "text", "doxygen Doxyfile", text, said_in(diagnostic_facts(found), text))


def adoc(number: int) -> str:
    """A part of a handbook; every few have a slip."""
    slips = {
        2: f"include::missing{number}.adoc[]", 5: f"See <<gauge-{number}-lost>>.", 7: "|===\n|a |b\n|1\n|===", 9: "==== Too deep", 11: f"image::chart{number}.png[]\n\n[source,{number}\n----\ncode",
    }  # fmt: skip
    lines = [
        f"== Gauge {number}",
        "",
        f"The gauge {number} is read twice a day.",
        "",
        slips.get(number % 13, f"* read it\n* write it down {number}"),
        "",
    ]
    lines += [
        f"=== Limits of gauge {number}",
        "",
        f"{{undefined-{number}}} metres." if number % 6 == 1 else "Two metres.",
        "",
    ]
    lines += [f"[[mark{number // 2}]]", "Kept by the office.", ""]
    return "\n".join(lines)


def adoc_run(name: str, shop: Shop) -> Iterator[Item]:
    """What asciidoctor says of a handbook; the facts are planted: what is missing, undefined or out of order, with its line."""
    shop.install("asciidoctor")
    room = shop.room(name)
    for part in range(17):
        write(
            os.path.join(room, f"part{part}.adoc"),
            "= Handbook\n:attribute-missing: warn\n\n" + "\n".join(adoc(part * 26 + n) for n in range(26)),
        )
    paths = [f"part{part}.adoc" for part in range(17)]
    text = shop.run(["asciidoctor", "-v", "-w", "-o", "out.html", "--failure-level=WARN", paths[0]], room).text
    text += "".join(shop.run(["asciidoctor", "-v", "-w", "-o", "out.html", path], room).text for path in paths[1:])
    text = text.replace(room, "/srv/quay")
    rows = re.findall(r"^asciidoctor: (\w+): (?:<stdin>|(\S+\.adoc)): (line \d+): (.*)$", text, re.MULTILINE)
    facts = [Fact("path", (path,)) for path in paths]
    for level, path, line, said in rows:
        facts += [Fact("message", (f"{level}: ",)), Fact("odd", (), (path, line, said.split(":")[0][:80]))]
    facts += [Fact("message", (f"missing{n}.adoc",)) for n in range(442) if n % 13 == 2]
    facts += [Fact("message", (f"undefined-{n}",)) for n in range(442) if n % 6 == 1]
    facts += [Fact("message", (f"gauge-{n}-lost",)) for n in range(442) if n % 13 == 5]
    yield Item(name, MANUAL, "text", "asciidoctor -v -w part*.adoc", text, said_in(facts, text))


RECIPES = {
    "vnu-pages": partial(vnu_run, "vnu-pages", "sqlite3-doc", "usr/share/doc/sqlite3"),
    "linkchecker-site": partial(links_run, "linkchecker-site"),
    "epubcheck-tides": partial(epub_run, "epubcheck-tides"),
    "doxygen-libevent": partial(doxygen_run, "doxygen-libevent", "libevent", "include/event2"),
    "asciidoctor-handbook": partial(adoc_run, "asciidoctor-handbook"),
}
