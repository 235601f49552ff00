"""Scanners of programs, of projects and of servers that nobody tunes on; what they find is planted, or told by their reports for machines."""

import json
import os
import re
from collections.abc import Iterator

from items import Fact, Item
from shop import Shop

from recipes.databases import running
from recipes.eleventh_tools import TOOLS
from recipes.held_linters import read
from recipes.held_servers import free_port, listens
from recipes.held_suites import write
from recipes.tenth_tools import each, made, matches, pairs, recipes, stripped

SCANNER = "security scanner"

HARDENED = '#include <stdio.h>\n#include <string.h>\nint main(int c, char **v) {{ char b[{n}]; strcpy(b, v[0]); printf("%s\\n", b); return c; }}\n'


def hardening_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `hardening-check` says of programs that were built in several ways; the facts are planted: every program with what it lacks."""
    shop.install("hardening-check", "devscripts")
    shop.need("gcc")
    room, facts = shop.room(name), list[Fact]()
    flags = (
        ["-fstack-protector-all", "-fPIE", "-pie", "-Wl,-z,relro,-z,now"],
        ["-fno-stack-protector", "-no-pie"],
        ["-fstack-protector-all", "-no-pie", "-Wl,-z,norelro"],
        ["-O2", "-D_FORTIFY_SOURCE=2", "-fPIE", "-pie"],
    )
    for n in range(36):
        write(os.path.join(room, f"ferry{n}.c"), HARDENED.format(n=n + 20))
        shop.run(["gcc", "-w", *flags[n % 4 if n % 5 else 0], f"ferry{n}.c", "-o", f"ferry{n}"], room).check()
        facts += each("name", [f"ferry{n}"])
    text = shop.run(["hardening-check", "--nocolor", *(f"ferry{n}" for n in range(36))], room).text
    blocks = re.split(r"^(?=ferry\d+:)", text, flags=re.MULTILINE)[1:]
    facts += each(
        "message", (line.strip() for block in blocks for line in block.splitlines() if "no" in line.split(": ")[-1][:4])
    )
    facts += each("message", dict.fromkeys(line.strip() for line in text.splitlines() if line.startswith(" ")))
    yield made(name, SCANNER, "hardening-check ferry*", text, facts)


def whispers_run(name: str, shop: Shop) -> Iterator[Item]:
    """What whispers finds in a project, as JSON; the facts are planted: every file with a secret, the names of their keys, every rule."""
    room, facts = shop.room(name), list[Fact]()
    for n in range(140):
        body: dict[str, object] = {"service": f"ferry-{n}", "port": 8000 + n, "timeout": 30}
        if n % 3 == 1:
            body[f"db_password_{n}"] = f"Rope{n}Tide{n * 7919}x"
            facts += each("message", [f"settings/deck{n % 5}/ferry{n}.json", f"db_password_{n}"])
        if n % 7 == 3:
            body["api_key"] = f"k{n}Zx{n * 104729}Qw9"
            facts += each("message", [f"settings/deck{n % 5}/ferry{n}.json"])
        write(os.path.join(room, "settings", f"deck{n % 5}", f"ferry{n}.json"), json.dumps(body, indent=1))
    text = shop.run([TOOLS.python_tool(shop, "whispers"), "settings"], room, apart=True).text
    facts += each("key", ("key", "value", "file", "line", "rule_id", "message", "severity"))
    yield made(
        name,
        SCANNER,
        "whispers settings",
        text,
        facts,
        "json" if text.lstrip().startswith("[") else "ndjson",
        least=0.6,
    )


def testssl_run(name: str, shop: Shop) -> Iterator[Item]:
    """What testssl says of a badly set server; the facts are those of its JSON and its own words: every finding that is not well, what is offered, what was tried."""
    shop.install("testssl", "testssl.sh")
    shop.need("openssl")
    room, port = shop.room(name), free_port()
    shop.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-sha1",
            "-nodes",
            "-days",
            "5000",
            "-keyout",
            "key.pem",
            "-out",
            "cert.pem",
            "-subj",
            "/CN=pier.example",
        ],
        room,
    ).check()
    command = [
        "openssl",
        "s_server",
        "-accept",
        str(port),
        "-cert",
        "cert.pem",
        "-key",
        "key.pem",
        "-www",
        "-cipher",
        "ALL:COMPLEMENTOFALL:eNULL@SECLEVEL=0",
        "-legacy_renegotiation",
    ]
    with running(command, room, lambda: listens(port), shop.environment()):
        text = shop.run(
            [
                "testssl",
                "--color",
                "0",
                "--warnings",
                "batch",
                "--ip",
                "one",
                "--nodns",
                "min",
                "--openssl-timeout",
                "10",
                "--jsonfile",
                "report.json",
                f"127.0.0.1:{port}",
            ],
            room,
            seconds=500,
            env={"HOME": room},
        ).text
    text = re.sub(
        r"\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?", "2026-11-19 10:00", stripped(text, room).replace(str(port), "8443")
    )
    text = re.sub(r"\([0-9a-f]{8} 2026", "(0a1b2c3d 2026", text)
    rows = json.loads(read(os.path.join(room, "report.json")))
    bad = [one["finding"] for one in rows if one["severity"] in {"LOW", "MEDIUM", "HIGH", "CRITICAL", "WARN"}]
    facts = [
        *each("message", (one[:60] for one in bad if len(one) > 12)),
        *matches(text, r"^ (Testing .*?)(?= -- | via |$)"),
    ]
    facts += pairs(
        re.findall(
            r"^ (\S.*?\S) {2,}.*?(NOT ok|VULNERABLE|deprecated|offered \(OK\)|not vulnerable)", text, re.MULTILINE
        )
    )
    yield made(name, SCANNER, "testssl 127.0.0.1:8443", text, facts, least=0.3)


RECIPES = recipes(
    ("hardening-check-ferries", hardening_run),
    ("whispers-ferries", whispers_run),
    ("testssl-pier", testssl_run),
)
