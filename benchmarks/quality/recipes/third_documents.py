"""Rendered and written documents, and trees of what depends on what, that nobody tunes on."""

import glob
import html.parser
import json
import mailbox
import os
import re
import urllib.request
from collections import Counter
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import heading_facts, said_in
from shop import Shop

from recipes.databases import running
from recipes.held_linters import read
from recipes.held_servers import free_port, listens

RENDERED, DOCUMENT, DEPENDS = "rendered document", "document", "dependency tree"


def manual_run(name: str, package: str, page: str, shop: Shop) -> Iterator[Item]:
    """`man`; the facts are the sections and the options of the page's source."""
    shop.install("man", "man-db")
    source = glob.glob(os.path.join(shop.debian_package(package), "usr/share/man/man*", f"{page}.gz"))[0]
    text = shop.run(["man", "-l", source], shop.root, env={"MANWIDTH": "90", "MANPAGER": "cat", "PAGER": "cat"}).text
    troff = shop.run(["zcat", source], shop.root).text
    facts = [
        Fact("heading", (one.strip().strip('"').replace("\\-", "-"),))
        for one in re.findall(r"^\.S[HhSs] +(.*)$", troff, re.MULTILINE)
    ]
    options = re.findall(r"\\-\\?-?[\w\\-]+", troff)
    facts += [Fact("name", (one.replace("\\", ""),)) for one in dict.fromkeys(options) if len(one) > 5]
    yield Item(name, RENDERED, "text", f"man {page}", text, said_in(facts, text))


class Headings(html.parser.HTMLParser):
    """The words of a page's headings."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.inside = False

    def handle_starttag(self, tag: str, _: list[tuple[str, str | None]]) -> None:
        if re.fullmatch(r"h[1-4]", tag):
            self.inside = True
            self.found.append("")

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and not re.fullmatch(r"h[1-4]", tag)

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.found[-1] += data


def page_headings(path: str) -> list[str]:
    reader = Headings()
    reader.feed(read(path))
    return [" ".join(one.split()) for one in reader.found if one.strip()]


def browser_run(name: str, package: str, pattern: str, command: tuple[str, ...], shop: Shop) -> Iterator[Item]:
    """A page as a browser for terminals writes it; the facts are the headings of the page."""
    shop.install(command[0])
    path = glob.glob(os.path.join(shop.debian_package(package), pattern))[0]
    text = shop.run([*command, path], shop.root).text
    facts = [Fact("heading", (one[:70],)) for one in page_headings(path)]
    yield Item(name, RENDERED, "text", f"{command[0]} -dump {os.path.basename(path)}", text, said_in(facts, text))


OUTLINE = """import json, sys, pypdf
reader = pypdf.PdfReader(sys.argv[1])
def walk(entries):
    for one in entries:
        if isinstance(one, list): yield from walk(one)
        else: yield one.title
print(json.dumps(list(walk(reader.outline))))
"""


def pdf_run(name: str, package: str, pattern: str, shop: Shop) -> Iterator[Item]:
    """`pdftotext` of a manual; the facts are the titles of its outline."""
    shop.install("pdftotext", "poppler-utils")
    python = shop.python("pypdf", "pypdf==5.0.1")
    path = glob.glob(os.path.join(shop.debian_package(package), pattern), recursive=True)[0]
    text = shop.run(["pdftotext", "-layout", path, "-"], shop.root).text
    titles = json.loads(shop.run([python, "-c", OUTLINE, path], shop.root, apart=True).text)
    facts = [Fact("heading", (re.sub(r"^[\d.]+ ", "", " ".join(one.split()))[:60],)) for one in titles]
    yield Item(name, RENDERED, "text", f"pdftotext -layout {os.path.basename(path)}", text, said_in(facts, text))


def pandoc_run(name: str, source: str, path: str, shop: Shop) -> Iterator[Item]:
    """`pandoc -t plain` of a text in markdown; the facts are its headings."""
    shop.install("pandoc")
    tree = shop.sdist(source, shop.room(name)) if "==" in source else shop.npm_source(source, shop.room(name))
    text = shop.run(["pandoc", "-t", "plain", path], tree).text
    facts = [
        fact._replace(spellings=(re.sub(r"[`*_]|\[(.*?)\]\(.*?\)", r"\1", fact.spellings[0])[:60],))
        for fact in heading_facts(read(os.path.join(tree, path)))
    ]
    yield Item(name, RENDERED, "text", f"pandoc -t plain {path}", text, said_in(facts, text))


def metrics_run(name: str, shop: Shop) -> Iterator[Item]:
    """What an exporter of Prometheus tells of a machine; the facts are the families, their help and kinds, odd labels."""
    shop.install("prometheus-node-exporter")
    room = shop.room(name)
    port = free_port()
    exporter = ["prometheus-node-exporter", f"--web.listen-address=127.0.0.1:{port}"]
    with running(exporter, room, lambda: listens(port), shop.environment()):
        text = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20).read().decode()
    kinds = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.MULTILINE))
    facts = [Fact("name", (title,)) for title in kinds] + [
        Fact("name", (kind,)) for kind in dict.fromkeys(kinds.values())
    ]
    facts += [Fact("message", (label,)) for label in dict.fromkeys(re.findall(r"[{,](\w+=)\"", text))]
    samples = Counter(re.findall(r"^(\w+)\{", text, re.MULTILINE))
    facts += [
        Fact("message", (one,))
        for title, _ in samples.most_common(5)
        for one in re.findall(rf"^{title}\{{\w+=(\"[^\"]*\")", text, re.MULTILINE)
    ]
    facts += [
        Fact("odd", (), (title, "0"))
        for title in re.findall(r"^(node_scrape_collector_success\{.*?\}) 0$", text, re.MULTILINE)
    ]
    yield Item(name, DOCUMENT, "text", "cat node.metrics", text, said_in(facts, text))


HOLIDAYS = """import holidays, datetime
print("BEGIN:VCALENDAR\\r\\nVERSION:2.0\\r\\nPRODID:-//Shelf//EN", end="\\r\\n")
number = 0
for country in ("DE", "FR", "JP", "BR", "ZA", "IN"):
    for day, title in sorted(holidays.country_holidays(country, years=[2025]).items()):
        number += 1
        more = "STATUS:CANCELLED\\r\\n" if number in (23, 61) else ""
        more += "LOCATION:third aisle\\r\\n" if number == 47 else ""
        more += "RRULE:FREQ=YEARLY\\r\\n" if number % 29 == 5 else ""
        print(f"BEGIN:VEVENT\\r\\nUID:{number}@shelf.example\\r\\nDTSTAMP:20250101T000000Z\\r\\nDTSTART;VALUE=DATE:{day:%Y%m%d}\\r\\nSUMMARY:{title}\\r\\nCATEGORIES:{country}\\r\\n{more}END:VEVENT", end="\\r\\n")
print("END:VCALENDAR", end="\\r\\n")
"""


def calendar_run(name: str, shop: Shop) -> Iterator[Item]:
    """A calendar with a hundred days; the facts are its keys, its titles and the events that are unlike the others."""
    python = shop.python("holidays", "holidays==0.58")
    room = shop.room(name)
    text = shop.run([python, "-c", HOLIDAYS], room).text
    events = [
        dict(line.split(":", 1) for line in part.split("\r\n") if ":" in line)
        for part in text.split("BEGIN:VEVENT\r\n")[1:]
    ]
    facts = [Fact("name", (key.split(";")[0],)) for event in events for key in event] + [
        Fact("message", (event["SUMMARY"],)) for event in events
    ]
    for event in events:
        if {"STATUS", "LOCATION"} & event.keys():
            facts += [Fact("message", (event["UID"],)), Fact("message", (event["DTSTART;VALUE=DATE"],))]
    facts += [Fact("message", (one,)) for one in ("STATUS:CANCELLED", "LOCATION:third aisle", "RRULE:FREQ=YEARLY")]
    facts += [Fact("message", (f"CATEGORIES:{one}",)) for one in ("DE", "FR", "JP", "BR", "ZA", "IN")]
    yield Item(name, DOCUMENT, "text", "cat holidays.ics", text, said_in(facts, text))


def mailbox_run(name: str, shop: Shop) -> Iterator[Item]:
    """A mailbox of sixty letters; the facts, by Python's reader, are the senders, subjects and the odd ones out."""
    room = shop.room(name)
    path = os.path.join(room, "shelf.mbox")
    box = mailbox.mbox(path)
    for number in range(60):
        letter = mailbox.mboxMessage()
        letter["From"] = f"{'guest' if number % 19 == 7 else 'keeper'}{number % 4}@example.org"
        letter["To"] = "all@example.org"
        letter["Date"] = f"Mon, {number % 28 + 1:02} Jan 2024 10:{number % 60:02}:00 +0000"
        letter["Subject"] = (
            "Lost parcel 4711" if number == 31 else f"Shelf {number} is {'full' if number % 3 else 'empty'}"
        )
        letter["Message-ID"] = f"<{number}@example.org>"
        if number > 10 and number % 5 == 0:
            letter["In-Reply-To"] = f"<{number - 7}@example.org>"
        if number == 44:
            letter["X-Priority"] = "1 (highest)"
        letter.set_payload("\n".join(f"Line {line} about shelf {number} and its parcels." for line in range(4)))
        box.add(letter)
    box.flush()
    text = read(path)
    letters = [mailbox.mboxMessage(one) for one in mailbox.mbox(path)]
    facts = [Fact("message", (str(one["Subject"]),)) for one in letters] + [
        Fact("message", (str(one["From"]),)) for one in letters
    ]
    facts += [Fact("name", (key,)) for one in letters for key in one] + [
        Fact("message", ("1 (highest)",)),
        Fact("message", ("<31@example.org>",)),
    ]
    yield Item(name, DOCUMENT, "text", "cat shelf.mbox", text, said_in(facts, text))


DESCRIPTORS = """import json, sys
from google.protobuf import descriptor_pb2
found = descriptor_pb2.FileDescriptorSet.FromString(open(sys.argv[1], "rb").read())
out = []
def walk(message):
    out.append(["message", message.name, [one.name for one in message.field if one.options.deprecated]])
    for one in message.nested_type: walk(one)
    for one in message.enum_type: out.append(["enum", one.name, []])
for file in found.file:
    for one in file.message_type: walk(one)
    for one in file.enum_type: out.append(["enum", one.name, []])
    for one in file.service: out.append(["service", one.name, []]); out.extend(["rpc", rpc.name, []] for rpc in one.method)
print(json.dumps(out))
"""


def interface_run(name: str, path: str, shop: Shop) -> Iterator[Item]:
    """A description of messages in protobuf; the facts are what its compiler finds: messages, enums, deprecated fields."""
    python = shop.python("grpcio", "grpcio-tools==1.66.2", "googleapis-common-protos==1.65.0")
    room = shop.room(name)
    base = glob.glob(os.path.join(os.path.dirname(python), "..", "lib", "python3*", "site-packages"))[0]
    include = os.path.join(base, "grpc_tools", "_proto")
    full = path if os.path.exists(os.path.join(include, path)) else ""
    folder = include if full else base
    done = shop.run(
        [
            python,
            "-m",
            "grpc_tools.protoc",
            f"-I{folder}",
            f"-I{include}",
            f"--descriptor_set_out={room}/all.set",
            path,
        ],
        room,
    )
    done.check()
    rows = json.loads(shop.run([python, "-c", DESCRIPTORS, f"{room}/all.set"], room, apart=True).text)
    text = read(os.path.join(folder, path))
    facts = [Fact("name", (title,)) for kind, title, _ in rows if not title.endswith("Entry")]
    facts += [Fact("odd", (), (field, "deprecated")) for _, _, old in rows for field in old]
    yield Item(name, DOCUMENT, "text", f"cat {os.path.basename(path)}", text, said_in(facts, text))


def rdepends_run(name: str, package: str, shop: Shop) -> Iterator[Item]:
    """What apt-rdepends prints; the facts are the packages of apt-cache's own recursion."""
    shop.install("apt-rdepends")
    room = shop.room(name)
    text = shop.run(["apt-rdepends", package], room).text
    listed = shop.run(
        [
            "apt-cache",
            "depends",
            "--recurse",
            "--no-recommends",
            "--no-suggests",
            "--no-conflicts",
            "--no-breaks",
            "--no-replaces",
            "--no-enhances",
            package,
        ],
        room,
        apart=True,
    ).text
    facts = [Fact("name", (one,)) for one in sorted(set(re.findall(r"^([a-z0-9][\w.+-]+)$", listed, re.MULTILINE)))]
    facts += [
        Fact("message", (f"Depends: {one}",))
        for one in re.findall(rf"^{package}\n((?:  .*\n)+)", text, re.MULTILINE)
        for one in re.findall(r"Depends: (.*)", one)
    ]
    yield Item(name, DEPENDS, "text", f"apt-rdepends {package}", text, said_in(facts, text))


def madge_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What madge prints of a package's modules; the facts are its own JSON: every module, and those that many need."""
    room = shop.room(name)
    tree = shop.npm_source(source, room)
    shop.npm(room, "madge@8.0.0")
    tool = [os.path.join(room, "node_modules", ".bin", "madge"), "--no-color", "--no-spinner"]
    text = shop.run([*tool, folder], tree, apart=True).text
    rows = json.loads(shop.run([*tool, "--json", folder], tree, apart=True).text)
    facts = [Fact("path", (one,)) for one in rows] + [
        Fact("path", (one,)) for one in sorted({os.path.dirname(path) for path in rows if "/" in path})
    ]
    yield Item(name, DEPENDS, "text", f"madge {folder}", text, said_in(facts, text))


CRUISE = """module.exports = { forbidden: [
  { name: "no-circular", severity: "warn", from: {}, to: { circular: true } },
  { name: "no-orphans", severity: "info", from: { orphan: true }, to: {} },
  { name: "not-to-unresolvable", severity: "error", from: {}, to: { couldNotResolve: true } } ], options: { doNotFollow: { path: "node_modules" } } };
"""


def cruiser_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What dependency-cruiser prints of a package; the facts are the violations of its JSON."""
    room = shop.room(name)
    tree = shop.npm_source(source, room)
    shop.npm(room, "dependency-cruiser@16.4.2")
    with open(os.path.join(tree, "rules.cjs"), "w", encoding="utf-8") as out:
        out.write(CRUISE)
    tool = [os.path.join(room, "node_modules", ".bin", "depcruise"), "--config", "rules.cjs"]
    text = shop.run([*tool, "-T", "err", folder], tree).text
    report = json.loads(shop.run([*tool, "-T", "json", folder], tree, apart=True).text)
    facts = []
    for one in report["summary"]["violations"]:
        facts += [Fact("code", (one["rule"]["name"],)), Fact("path", (one["from"],)), Fact("path", (one["to"],))]
        facts += [Fact("odd", (), (one["from"], one["to"]))] if one["rule"]["name"] != "no-circular" else []
        facts += [Fact("path", (os.path.dirname(one["from"]),))]
    facts += [Fact("message", (line.strip(),)) for line in text.splitlines() if "dependency violations" in line]
    yield Item(name, DEPENDS, "text", f"depcruise {folder}", text, said_in(facts, text))


def classes_run(name: str, package: str, pattern: str, shop: Shop) -> Iterator[Item]:
    """`jdeps -v` of a library; the facts are the packages of its own summary and the classes that the archive holds."""
    shop.need("jdeps", package="default-jdk-headless")
    path = glob.glob(os.path.join(shop.debian_package(package), pattern))[0]
    text = shop.run(["jdeps", "-v", "--multi-release", "base", path], shop.root).text
    brief = shop.run(["jdeps", "--multi-release", "base", path], shop.root, apart=True).text
    needed = re.findall(r"->\s+(\S+)", brief)
    facts = [Fact("name", (one,)) for one in dict.fromkeys(needed)]
    facts += [Fact("name", (one,)) for one in dict.fromkeys(re.findall(r"^   (\S+) ", brief, re.MULTILINE))]
    rare = Counter(re.findall(r"-> (\S+) ", text))
    facts += [Fact("name", (one,)) for one in rare if one.startswith("java") and rare[one] == 1]
    facts += [
        Fact("message", (line.strip(),))
        for line in text.splitlines()
        if " -> java." in line and line.startswith(os.path.basename(path))
    ]
    yield Item(name, DEPENDS, "text", f"jdeps -v {os.path.basename(path)}", text, said_in(facts, text))


RECIPES = {
    "man-rsync": partial(manual_run, "man-rsync", "rsync", "rsync.1"),
    "w3m-sqlite": partial(browser_run, "w3m-sqlite", "sqlite3-doc", "usr/share/doc/sqlite3*/cli.html", ("w3m", "-dump")),
    "lynx-sqlite": partial(browser_run, "lynx-sqlite", "sqlite3-doc", "usr/share/doc/sqlite3*/fileformat2.html", ("lynx", "-dump", "-nolist")),
    "pdftotext-manual": partial(pdf_run, "pdftotext-manual", "gnuplot-doc", "usr/share/doc/**/*.pdf"),
    "pandoc-commander": partial(pandoc_run, "pandoc-commander", "commander@12.1.0", "Readme.md"),
    "metrics-node": partial(metrics_run, "metrics-node"),
    "ics-holidays": partial(calendar_run, "ics-holidays"),
    "mbox-shelf": partial(mailbox_run, "mbox-shelf"),
    "proto-descriptor": partial(interface_run, "proto-descriptor", "google/protobuf/descriptor.proto"),
    "apt-rdepends-gimp": partial(rdepends_run, "apt-rdepends-gimp", "gimp"),
    "madge-knex": partial(madge_run, "madge-knex", "knex@3.1.0", "lib"),
    "depcruise-mongoose": partial(cruiser_run, "depcruise-mongoose", "mongoose@8.6.3", "lib"),
    "jdeps-commons-io": partial(classes_run, "jdeps-commons-io", "libcommons-io-java", "usr/share/java/commons-io.jar"),
}  # fmt: skip
