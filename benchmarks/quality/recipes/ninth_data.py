"""Linked data, migrations, certificates, references, plans and recognised text, told by tools that nobody tunes on."""

import json
import os
import re
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.fifth_suites import plain
from recipes.held_suites import write
from recipes.ninth_tools import each, pairs, python_tools, tool_of

LINKED, MIGRATION, CERTIFICATE, PIPELINE, REFERENCES = (
    "linked data",
    "migration",
    "certificate check",
    "data pipeline",
    "references",
)
TASKS, TIMES, PAGES, RECOGNISED, LOCALES, INSTALLABLE = "task list", "time sheet", "web archive", "text recognition", "translation check", "installability"  # fmt: skip

SHAPES = """@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix m: <http://mill.example/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
m:LoafShape a sh:NodeShape ; sh:targetClass m:Loaf ;
  sh:property [ sh:path m:weight ; sh:datatype xsd:integer ; sh:minInclusive 100 ; sh:maxInclusive 2000 ; sh:minCount 1 ] ;
  sh:property [ sh:path m:kind ; sh:in ("rye" "bun" "oat") ] ;
  sh:property [ sh:path m:baker ; sh:class m:Baker ; sh:minCount 1 ; sh:maxCount 1 ] ;
  sh:property [ sh:path m:code ; sh:pattern "^L-[0-9]+$" ; sh:message "a code begins with L and a number" ] .
"""


def shacl_run(name: str, shop: Shop) -> Iterator[Item]:
    """What pyshacl says of loaves; the facts are planted: every loaf that breaks a rule, the rules, and how many."""
    room = shop.room(name)
    rows, bad = [], []
    for n in range(160):
        weight = {3: '"heavy"', 7: "40", 11: "9000"}.get(n % 19, str(300 + n))
        kind = "clay" if n % 23 == 5 else ("rye", "bun", "oat")[n % 3]
        baker = "m:Nobody" if n % 29 == 8 else f"m:baker{n % 4}"
        code = f"X{n}" if n % 31 == 9 else f"L-{n}"
        bad += [n] * (n % 19 in {3, 7, 11} or n % 23 == 5 or n % 29 == 8 or n % 31 == 9)
        rows.append(f'm:loaf{n} a m:Loaf ; m:weight {weight} ; m:kind "{kind}" ; m:baker {baker} ; m:code "{code}" .')
    head = "@prefix m: <http://mill.example/> .\n" + "".join(f"m:baker{n} a m:Baker .\n" for n in range(4))
    write(os.path.join(room, "loaves.ttl"), head + "\n".join(rows) + "\n")
    write(os.path.join(room, "shapes.ttl"), SHAPES)
    text = shop.run([tool_of(shop, "pyshacl"), "-s", "shapes.ttl", "-f", "human", "loaves.ttl"], room).text
    facts = each("message", [f"Focus Node: m:loaf{n}" for n in bad])
    facts += each("name", dict.fromkeys(re.findall(r"Violation in (\w+)", text))) + each(
        "message", dict.fromkeys(re.findall(r"^\tMessage: (.*)$", text, re.MULTILINE))
    )
    facts += each("message", re.findall(r"^(?:Conforms: .*|Results \(\d+\):)$", text, re.MULTILINE)) + each(
        "message", dict.fromkeys(re.findall(r"Result Path: \S+", text))
    )
    facts += each("message", ['"heavy"', '"clay"', "m:Nobody", 'Value Node: Literal("9000"'])
    yield Item(name, LINKED, "text", "pyshacl -s shapes.ttl loaves.ttl", text, said_in(facts, text))


def yoyo_run(name: str, shop: Shop) -> Iterator[Item]:
    """What yoyo says as it applies steps to a database; the facts are planted: every step, the one that fails, and why."""
    room = shop.room(name)
    for n in range(70):
        order = f"CREATE TABLE ovens_{n} (id INTEGER PRIMARY KEY, heat INTEGER, note TEXT DEFAULT 'cold')"
        order = f"CREATE INDEX heat_{n} ON ovens_{n - 1} (heat)" if n % 5 == 3 else order
        order = "ALTER TABLE ovens_absent ADD COLUMN smoke TEXT" if n == 61 else order
        write(
            os.path.join(room, f"steps/{n:04}.oven_step_{n}.sql"),
            f"-- depends: {f'{n - 1:04}.oven_step_{n - 1}' if n else ''}\n{order};\n",
        )
    text = (
        shop.run([tool_of(shop, "yoyo"), "apply", "-vvv", "--batch", "--database", "sqlite:///mill.db", "steps"], room)
        .text.replace(room, "/srv")
        .replace(shop.root, "/opt")
    )
    text += shop.run([tool_of(shop, "yoyo"), "list", "--batch", "--database", "sqlite:///mill.db", "steps"], room).text
    facts = each("message", [f"{n:04}.oven_step_{n}" for n in range(70)])
    facts += each(
        "message",
        ["no such table: ovens_absent", "sqlite3.OperationalError", *re.findall(r"^\w*Error: .*$", text, re.MULTILINE)],
    )
    facts += pairs(
        [("A", f"{n:04}.oven_step_{n}") for n in (0, 60)] + [("U", f"{n:04}.oven_step_{n}") for n in range(61, 70)]
    )
    yield Item(name, MIGRATION, "text", "yoyo apply -vvv", plain(text), said_in(facts, plain(text)))


CERTIFICATES = """import datetime as d
from cryptography import x509
from cryptography.x509.oid import NameOID, ExtendedKeyUsageOID
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
key = ec.generate_private_key(ec.SECP256R1())
for n in range(16):
    own = rsa.generate_private_key(65537, 1024) if n == 3 else ec.generate_private_key(ec.SECP256R1())
    names = [x509.NameAttribute(NameOID.COUNTRY_NAME, "no" if n == 5 else "NO"), x509.NameAttribute(NameOID.COMMON_NAME, "oven%d.mill.example" % n)]
    begin = d.datetime(2026, 1, 1 + n)
    b = x509.CertificateBuilder().subject_name(x509.Name(names)).issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Mill CA")]))
    b = b.public_key(own.public_key()).serial_number(1 if n == 7 else 10 ** 20 + n).not_valid_before(begin).not_valid_after(begin + d.timedelta(days=2000 if n % 6 == 4 else 90))
    if n % 4 != 2: b = b.add_extension(x509.SubjectAlternativeName([x509.DNSName("under_score.mill.example" if n == 9 else "oven%d.mill.example" % n)]), critical=n == 11)
    if n % 5 != 1: b = b.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH] + ([ExtendedKeyUsageOID.CODE_SIGNING] if n == 13 else [])), critical=False)
    if n % 7 != 3: b = b.add_extension(x509.SubjectKeyIdentifier.from_public_key(own.public_key()), critical=n == 14)
    if n % 3 != 2: b = b.add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key()), critical=False)
    if n == 10: b = b.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=False)
    open("oven%d.pem" % n, "wb").write(b.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
"""


def pkilint_run(name: str, shop: Shop) -> Iterator[Item]:
    """What pkilint finds in certificates; the facts are those of its JSON: every finding's code, and the certificates that have it alone."""
    room = shop.room(name)
    write(os.path.join(room, "sign.py"), CERTIFICATES)
    shop.run([python_tools(shop), "sign.py"], room).check()
    text, found = "", []
    for n in range(16):
        path = f"oven{n}.pem"
        command = [tool_of(shop, "lint_cabf_serverauth_cert"), "lint", "-t", "DV-FINAL-CERTIFICATE", path]
        text += f"{path}:\n" + shop.run(command, room).text
        rows = json.loads(shop.run([*command, "-f", "JSON"], room, apart=True).text)
        found += [
            (path, one["code"], one["severity"], one.get("message"))
            for row in rows["results"]
            for one in row["finding_descriptions"]
        ]
    facts = each("message", [f"oven{n}.pem:" for n in range(16)]) + each("name", [row[1] for row in found])
    facts += each("message", [str(row[3])[:70] for row in found if row[3] and row[2] == "ERROR"]) + each(
        "name", [row[2] for row in found]
    )
    yield Item(name, CERTIFICATE, "text", "lint_cabf_serverauth_cert lint", text, said_in(facts, text))


PIPES = """from kedro.pipeline import Pipeline, node
def weigh(n):
    def act(rows): return [row + n for row in rows]
    act.__name__ = "weigh_%d" % n
    return act
def burn(rows): raise ValueError("oven 37 is cold: 12 rows lost")
def register_pipelines():
    nodes = [node(weigh(n), "batch_%d" % n, "batch_%d" % (n + 1), name="weigh_batch_%d" % n, tags=["night"] if n % 9 == 4 else []) for n in range(44)]
    nodes.append(node(burn, "batch_44", "loaves", name="burn_loaves"))
    return {"__default__": Pipeline(nodes)}
"""


def kedro_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `kedro run` logs of a pipeline; the facts are planted: every step and every set of data, and the step that fails."""
    room = shop.room(name)
    write(
        os.path.join(room, "pyproject.toml"),
        '[tool.kedro]\npackage_name = "mill"\nproject_name = "mill"\nkedro_init_version = "1.7.0"\nsource_dir = "src"\n',
    )
    write(os.path.join(room, "src/mill/__init__.py"), "")
    write(os.path.join(room, "src/mill/settings.py"), "")
    write(os.path.join(room, "src/mill/pipeline_registry.py"), PIPES)
    write(os.path.join(room, "conf/base/catalog.yml"), "batch_0:\n  type: kedro.io.MemoryDataset\n  data: [1, 2, 3]\n")
    write(os.path.join(room, "conf/local/.keep"), "")
    write(
        os.path.join(room, "conf/logging.yml"),
        "version: 1\nformatters:\n  simple:\n    format: '%(asctime)s - %(name)s - %(levelname)s - %(message)s'\nhandlers:\n  console:\n    class: logging.StreamHandler\n    formatter: simple\n    stream: ext://sys.stdout\nroot:\n  level: DEBUG\n  handlers: [console]\n",
    )
    env = {
        "KEDRO_LOGGING_CONFIG": "conf/logging.yml",
        "KEDRO_DISABLE_TELEMETRY": "1",
        "DO_NOT_TRACK": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    text = (
        shop.run([tool_of(shop, "kedro"), "run"], room, env=env)
        .text.replace(shop.root, "/opt")
        .replace(room, "/srv/mill")
    )
    facts = each("message", [f"weigh_batch_{n}" for n in range(44)] + ["burn_loaves", "oven 37 is cold: 12 rows lost"])
    facts += each("name", [f"batch_{n}" for n in range(45)])
    facts += each(
        "message",
        re.findall(r"(?:WARNING|ERROR) - (.{10,80})", text) + re.findall(r"^\w*Error: .*$", text, re.MULTILINE),
    )
    yield Item(name, PIPELINE, "text", "kedro run", plain(text), said_in(facts, plain(text)))


def bib_run(name: str, shop: Shop) -> Iterator[Item]:
    """What bibclean says of references; the facts are its warnings with their places, each once, and every entry that has one."""
    shop.install("bibclean")
    room = shop.room(name)
    entries = []
    for n in range(520):
        year = f"20x{n}" if n % 17 == 4 else str(1900 + n % 120)
        pages = "9--3" if n % 19 == 6 else f"{n}--{n + 9}"
        pages = "12-19" if n % 23 == 8 else pages
        number = f"978-0-00-{n:06}-1" if n % 13 == 5 else "978-3-16-148410-0"
        issn = "\n  ISSN = {1234-5678}," if n % 29 == 9 else ""
        month = f"month = {{Octember {n}}}," if n % 31 == 10 else "month = oct,"
        title = "{Bread} and \\" + "'e water" if n % 37 == 11 else f"On Loaf {n}"
        entries.append(
            f"@Book{{Holm:{1900 + n}:OL{n},\n  author = {{Oda Holm and N. N{'guyen' if n % 7 else '.guyen Jr'}}},\n  title = {{{title}}},\n  year = {{{year}}},\n  pages = {{{pages}}},\n  ISBN = {{{number}}},{issn}\n  {month}\n  publisher = {{Mill Street}},\n}}\n"
        )
    write(os.path.join(room, "loaves.bib"), "\n".join(entries))
    text = shop.run(["sh", "-c", "bibclean -max-width 0 loaves.bib 2>&1 >/dev/null"], room).text
    found = re.findall(r'^(?:%%|\?\?) "loaves\.bib", line (\d+): (.*)$', text, re.MULTILINE)
    places: dict[str, list[str]] = {}
    for line, said in found:
        places.setdefault(said[:90].strip(), []).append(f"line {line}")
    facts = [Fact("record", tuple(at), (said,)) for said, at in places.items()]
    yield Item(name, REFERENCES, "text", "bibclean loaves.bib", text, said_in(facts, text))


def task_run(name: str, shop: Shop) -> Iterator[Item]:
    """What taskwarrior lists; the facts are those of its export: every task that is late, blocked or urgent, projects, tags."""
    shop.install("task", "taskwarrior")
    room = shop.room(name)
    write(
        os.path.join(room, "taskrc"),
        f"data.location={room}/data\nconfirmation=off\nverbose=label,affected\ndefaultwidth=160\ndateformat=Y-M-D\nhooks=off\n",
    )
    rows = []
    for n in range(150):
        row: dict[str, object] = {
            "description": f"knead batch {n}" if n % 9 else f"order {n} sacks of flour",
            "status": "pending",
            "entry": "20260101T000000Z",
            "uuid": f"00000000-0000-4000-8000-{n:012}",
            "project": ("oven", "mill.north", "mill.south", "shop")[n % 4],
        }
        row |= {"due": "20260301T000000Z"} if n % 13 == 5 else {"due": f"2030{n % 12 + 1:02}01T000000Z"}
        row |= {"priority": "H"} if n % 21 == 8 else {}
        row |= {"tags": ["nightly"] if n % 10 == 3 else ["recall"] if n == 77 else ["day"]}
        row |= {"depends": ["00000000-0000-4000-8000-000000000000"]} if n % 33 == 16 else {}
        row |= {"start": "20261118T010000Z"} if n in {24, 91} else {}
        rows.append(row)
    write(os.path.join(room, "tasks.json"), json.dumps(rows))
    env = {"TASKRC": f"{room}/taskrc", "HOME": room}
    shop.run(["task", "import", "tasks.json"], room, env=env).check()
    text = shop.run(
        [
            "task",
            "rc.report.all.filter=status:pending",
            "rc.report.all.columns=id,status.short,uuid.short,start.active,depends.indicator,priority,project,tags,due,description,urgency",
            "rc.report.all.labels=ID,St,UUID,A,D,P,Project,Tags,Due,Description,Urg",
            "all",
        ],
        room,
        env=env,
    ).text
    text += shop.run(["task", "projects"], room, env=env).text + shop.run(["task", "tags"], room, env=env).text
    facts = pairs((f"{row['description']}", "2026-03-01") for n, row in enumerate(rows) if n % 13 == 5)
    facts += pairs((f"{row['description']}", "H") for n, row in enumerate(rows) if n % 21 == 8)
    facts += pairs([("knead batch 77", "recall"), (str(rows[24]["description"]),), (str(rows[91]["description"]),)])
    facts += each(
        "name", ["oven", "mill.north", "mill.south", "shop", "nightly", "recall", "Description", "Urg", "Project"]
    )
    facts += each(
        "message",
        [f"order {n} sacks of flour" for n in range(0, 150, 9)]
        + re.findall(r"^\d+ (?:tasks|projects|tags).*$", text, re.MULTILINE),
    )
    yield Item(name, TASKS, "text", "task all", text, said_in(facts, text))


def times_run(name: str, shop: Shop) -> Iterator[Item]:
    """What timewarrior sums up; the facts are planted: every tag, the longest and the shortest times, and the sum."""
    shop.install("timew", "timewarrior")
    room = shop.room(name)
    env = {"TIMEWARRIORDB": f"{room}/db", "HOME": room, "TZ": "UTC"}
    os.makedirs(os.path.join(room, "db/data"))
    write(os.path.join(room, "db/timewarrior.cfg"), "define reports:\n")
    lines = []
    for n in range(200):
        day, hour = n // 4 + 1, 6 + n % 4 * 3
        end = "05900" if n == 93 else "24500" if n == 140 else f"{n % 2 + 1}{n % 6}000"
        close = (
            f"{hour + int(end[0]):02}{end[1:]}"
            if n not in {93, 140}
            else (f"{hour:02}0100" if n == 93 else f"{hour + 2:02}5900")
        )
        tags = ["oven"] if n % 3 else ["mill", "night"]
        tags = ['"broken belt"'] if n % 41 == 17 else tags
        month, day = (9 + (day - 1) // 28, (day - 1) % 28 + 1)
        lines.append(f"inc 2026{month:02}{day:02}T{hour:02}0000Z - 2026{month:02}{day:02}T{close}Z # {' '.join(tags)}")
    for month in (9, 10):
        write(
            os.path.join(room, f"db/data/2026-{month:02}.data"),
            "".join(f"{line}\n" for line in lines if line.startswith(f"inc 2026{month:02}")),
        )
    text = shop.run(
        ["timew", "summary", "2026-09-01", "-", "2026-11-01", ":ids", "rc.confirmation=off"], room, env=env
    ).text
    facts = each("message", ["broken belt", "mill, night", "oven", "0:01:00", "2:59:00"]) + each(
        "message", dict.fromkeys(re.findall(r"^W\d+ \S+ \w+", text, re.MULTILINE))
    )
    rows = [line for line in text.splitlines() if re.search(r"@\d+ broken belt", line)]
    facts += each("message", [re.search(r"@\d+ broken belt", row)[0] for row in rows])  # type: ignore[index]
    facts += each(
        "message", [line.strip() for line in text.splitlines()[-3:]] + [line.strip() for line in text.splitlines()[1:3]]
    )
    yield Item(name, TIMES, "text", "timew summary :ids", text, said_in(facts, text))


CAPTURE = """from warcio.warcwriter import WARCWriter
from warcio.statusandheaders import StatusAndHeaders
from io import BytesIO
with open("mill.warc", "wb") as out:
    w = WARCWriter(out, gzip=False)
    for n in range(90):
        status = "404 Not Found" if n % 13 == 5 else "503 Service Unavailable" if n == 47 else "302 Found" if n % 17 == 8 else "200 OK"
        kind = "application/pdf" if n % 19 == 6 else "text/html"
        r = w.create_warc_record("http://mill.example/page/%d" % n, "response", payload=BytesIO(b"<p>loaf %d</p>" % n * (n % 9 + 1)), http_headers=StatusAndHeaders(status, [("Content-Type", kind), ("Server", "oven/2")], protocol="HTTP/1.1"), warc_headers_dict={"WARC-Date": "2026-11-%02dT10:00:00Z" % (n % 28 + 1)})
        w.write_record(r)
"""


def warc_run(name: str, shop: Shop) -> Iterator[Item]:
    """What warcio lists of an archive of pages; the facts are planted: pages that failed, went elsewhere or are no pages; keys."""
    room = shop.room(name)
    write(os.path.join(room, "keep.py"), CAPTURE)
    shop.run([python_tools(shop), "keep.py"], room).check()
    text = shop.run(
        [
            tool_of(shop, "warcio"),
            "index",
            "-f",
            "offset,warc-type,warc-target-uri,warc-date,http:status,http:content-type,http:server",
            "mill.warc",
        ],
        room,
    ).text
    facts = each("key", dict.fromkeys(key for line in text.splitlines() for key in json.loads(line)))
    for n in range(90):
        status = "404" if n % 13 == 5 else "503" if n == 47 else "302" if n % 17 == 8 else ""
        facts += pairs([(f"http://mill.example/page/{n}", status)] * bool(status))
        facts += pairs([(f"http://mill.example/page/{n}", "application/pdf")] * (n % 19 == 6))
    facts += each("message", ['"200"', '"404"', '"503"', '"302"', "oven/2", "application/pdf", "text/html"])
    yield Item(name, PAGES, "ndjson", "warcio index mill.warc", text, said_in(facts, text))


SCAN = """from PIL import Image, ImageDraw, ImageFont
font = ImageFont.load_default(26)
page = Image.new("L", (1100, 1500), 255)
draw = ImageDraw.Draw(page)
for n in range(34):
    draw.text((60, 40 + n * 42), "Invoice %d paid %s by miller %s on day %d for %d sacks of rye" % (7000 + n, "late" if n % 8 == 5 else "full", ("Holm", "Nguyen", "Alvarez")[n % 3], n + 1, n * 3 + 2), fill=0, font=font)
page.save("page.png")
"""


def ocr_run(name: str, shop: Shop) -> Iterator[Item]:
    """What tesseract reads of a page, a word a row; the facts are planted: every number and word of the page that it reads, and its columns."""
    shop.install("tesseract", "tesseract-ocr")
    room = shop.room(name)
    write(os.path.join(room, "draw.py"), SCAN)
    shop.run([python_tools(shop), "draw.py"], room).check()
    shop.run(["tesseract", "page.png", "page", "tsv"], room, env={"OMP_THREAD_LIMIT": "1"}, seconds=120).check()
    with open(os.path.join(room, "page.tsv"), encoding="utf-8") as file:
        text = file.read()
    facts = each("name", text.split("\n", 1)[0].split("\t")) + each("name", [str(7000 + n) for n in range(34)])
    facts += each("name", ["late", "full", "Holm", "Nguyen", "Alvarez", "Invoice", "paid", "miller", "sacks"])
    doubts = [
        line.split("\t") for line in text.splitlines()[1:] if line.count("\t") == 11 and line.split("\t")[11].strip()
    ]
    facts += pairs((row[11], row[10]) for row in sorted(doubts, key=lambda row: float(row[10]))[:8])
    yield Item(name, RECOGNISED, "text", "tesseract page.png page tsv", text, said_in(facts, text))


def locales_run(name: str, shop: Shop) -> Iterator[Item]:
    """What compare-locales says of translations; the facts are planted: messages that are missing, left over or broken, and its sums."""
    room = shop.room(name)
    locales = ("de", "fi", "nb", "pl", "et")
    lines = {
        f"mill/part{part}.ftl": [
            f"oven-{part}-{n} = Oven {{ $count }} of part {part} is at {n} degrees" for n in range(40)
        ]
        for part in range(8)
    }
    facts = []
    for path, rows in lines.items():
        write(os.path.join(room, "en-US", path), "\n".join(rows) + "\n")
        for at, locale in enumerate(locales):
            kept = []
            for n, row in enumerate(rows):
                title, value = row.split(" = ")
                if (n + at * 3) % 13 == 4:
                    facts += each("name", [title])
                    continue
                value = "{ $absent } { -lost-term }" if (n + at) % 29 == 9 else value.replace("Oven", f"Oven-{locale}")
                value = "{ unclosed" if (n + at) % 37 == 20 else value
                kept.append(f"{title} = {value}")
            kept += [f"stale-{locale}-{n} = no longer said" for n in range(at)]
            facts += each("name", [f"stale-{locale}-{n}" for n in range(at)])
            if not (locale == "pl" and path.endswith("part3.ftl")):
                write(os.path.join(room, locale, path), "\n".join(kept) + "\n")
    write(
        os.path.join(room, "l10n.toml"),
        f'basepath = "."\nlocales = {json.dumps(list(locales))}\n[[paths]]\n  reference = "en-US/**"\n  l10n = "{{locale}}/**"\n',
    )
    text = shop.run([tool_of(shop, "compare-locales"), "l10n.toml", ".", *locales], room).text
    facts += each("message", [f"part{part}.ftl" for part in range(8)]) + each(
        "message",
        dict.fromkeys(
            one.strip()[:70]
            for one in re.findall(r"^\s+(?:ERROR|WARNING|Parser|Obsolete|Missing|Unknown).*$", text, re.MULTILINE)
        ),
    )
    facts += each(
        "message", [one.strip() for one in re.findall(r"^(?:\w+:|\w+ +\d+|\d+% of entries .*)$", text, re.MULTILINE)]
    )
    yield Item(name, LOCALES, "text", "compare-locales l10n.toml . de fi nb pl et", text, said_in(facts, text))


def debcheck_run(name: str, shop: Shop) -> Iterator[Item]:
    """What dose-debcheck explains of packages; the facts are planted: every package that cannot be installed, and what it lacks."""
    shop.install("dose-debcheck", "dose-distcheck")
    room = shop.room(name)
    stanzas, facts = [], []
    for n in range(260):
        needs = [f"loaf{n - 1} (>= 1.0)"] if n % 10 else []
        if n % 23 == 7:
            needs = [f"yeast{n} (>= 2.0)"]
            facts += each("message", [f"loaf{n}", f"yeast{n} (>= 2.0)"])
        if n % 37 == 11:
            needs = [f"loaf{n - 9} (>= 9.0)"]
            facts += each("message", [f"loaf{n - 9} (>= 9.0)"])
        clash = f"Conflicts: loaf{n - 2}\n" if n % 41 == 15 else ""
        stanzas.append(
            f"Package: loaf{n}\nVersion: 1.{n}\nArchitecture: all\nMaintainer: Oda Holm <oda@mill.example>\n"
            + (f"Depends: {', '.join(needs)}\n" if needs else "")
            + clash
        )
    write(os.path.join(room, "Packages"), "\n".join(stanzas))
    text = shop.run(
        ["dose-debcheck", "--explain", "--failures", "--summary", "--deb-native-arch=amd64", "Packages"], room
    ).text
    broken = re.findall(
        r"^ +package: (loaf\d+)\n +version: \S+\n +architecture: \w+\n(?: +type: \w+\n)? +status: broken",
        text,
        re.MULTILINE,
    )
    facts += each("name", broken) + each("message", re.findall(r"^(?:[a-z-]+: \d+)$", text, re.MULTILINE))
    facts += each("message", dict.fromkeys(re.findall(r"^ +(?:missing|conflict|depchains):", text, re.MULTILINE)))
    yield Item(name, INSTALLABLE, "text", "dose-debcheck --explain --failures Packages", text, said_in(facts, text))


RECIPES = {
    "pyshacl-loaves": partial(shacl_run, "pyshacl-loaves"),
    "yoyo-ovens": partial(yoyo_run, "yoyo-ovens"),
    "pkilint-ovens": partial(pkilint_run, "pkilint-ovens"),
    "kedro-batches": partial(kedro_run, "kedro-batches"),
    "bibclean-loaves": partial(bib_run, "bibclean-loaves"),
    "task-batches": partial(task_run, "task-batches"),
    "timew-autumn": partial(times_run, "timew-autumn"),
    "warcio-mill": partial(warc_run, "warcio-mill"),
    "tesseract-invoices": partial(ocr_run, "tesseract-invoices"),
    "compare-locales-mill": partial(locales_run, "compare-locales-mill"),
    "dose-debcheck-loaves": partial(debcheck_run, "dose-debcheck-loaves"),
}
