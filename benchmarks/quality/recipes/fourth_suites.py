"""Test runners that nobody tunes on: suites written here with mistakes in them; reports for machines tell the facts."""

import http.server
import json
import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from xml.etree import ElementTree as ET

from items import Fact, Item
from reports import Failure, failure_facts, first_line, said_in
from shop import Shop

from recipes.fourth_linters import npm_tool, python_tools
from recipes.held_linters import read
from recipes.held_suites import write
from recipes.third_linters import report_file

RUNNER = "test runner"


def python_suite(room: str, folder: str, files: int, cases: int = 12) -> None:
    """Files of tests, of which every 23rd fails, and one in thirty-one breaks."""
    for number in range(files):
        body = ""
        for case in range(cases):
            at = number * cases + case
            said = f"parcel {at} is {'lost' if at % 31 == 7 else 'late'}"
            wrong = f"raise KeyError('{said}')" if at % 31 == 7 else f"self.assertEqual({at}, {at} + 1, '{said}')"
            fine = f"self.assertEqual(len('{'x' * case}'), {case})"
            body += f"    def test_parcel_{at}(self):\n        {wrong if at % 31 == 7 or at % 23 == 5 else fine}\n"
        text = f"import unittest\n\nclass Shelf{number}(unittest.TestCase):\n{body}"
        write(os.path.join(room, folder, f"test_shelf_{number}.py"), text)


def nose_run(name: str, shop: Shop) -> Iterator[Item]:
    """What nose2 prints of a suite; the facts are those of its JUnit report."""
    python = python_tools(shop)
    room = shop.room(name)
    python_suite(room, "tests", 14)
    write(os.path.join(room, "tests", "__init__.py"), "")
    command = [
        python,
        "-m",
        "nose2",
        "-v",
        "--plugin",
        "nose2.plugins.junitxml",
        "--junit-xml",
        "-s",
        "tests",
        "-t",
        ".",
    ]
    text = shop.run(command, room).text.replace(f"{room}/", "")
    failed = []
    for case in ET.parse(os.path.join(room, "nose2-junit.xml")).iter("testcase"):
        for bad in (*case.findall("failure"), *case.findall("error")):
            said = re.findall(r"parcel \d+ is \w+", bad.text or "")
            lines = re.findall(r"test_shelf_\d+\.py\", line \d+", bad.text or "")
            failed.append(Failure(case.get("name") or "", said[-1], lines[-1]))
    last = [Fact("message", (line,)) for line in text.splitlines() if line.startswith(("Ran ", "FAILED ("))]
    yield Item(name, RUNNER, "text", "nose2 -v", text, said_in(failure_facts(failed, *last), text))


def doctest_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `python -m doctest` prints of a module; the facts are the planted examples: function, line, expectation."""
    python = python_tools(shop)
    room = shop.room(name)
    lines, facts = [], []
    for number in range(180):
        wrong = number % 5 == 3
        lines += [f"def weigh_{number}(parcel):", f'    """Weight of a parcel on shelf {number}.', ""]
        lines += [f"    >>> weigh_{number}({number})"]
        if wrong:
            facts += [Fact("message", (f"line {len(lines)}, in shelves.weigh_{number}",))]
            facts += [Fact("message", (f"weigh_{number}({number})",))]
        lines += [
            f"    {number * 3 + wrong}",
            '    """',
            "    return parcel * 3" if number % 25 != 13 else "    return parcel.gram",
            "",
        ]
    write(os.path.join(room, "shelves.py"), "\n".join(lines))
    text = shop.run([python, "-m", "doctest", "shelves.py"], room).text.replace(f"{room}/", "")
    facts += [Fact("message", (one,)) for one in ("***Test Failed***", "object has no attribute 'gram'")]
    yield Item(name, RUNNER, "text", "doctest shelves.py", text, said_in(facts, text))


QUNIT = """const fs = require('fs');
if (!globalThis.reported) { globalThis.reported = []; QUnit.on('testEnd', (t) => globalThis.reported.push(t));
  QUnit.on('runEnd', () => fs.writeFileSync('report.json', JSON.stringify(globalThis.reported))); }
QUnit.module('shelf %(n)d', () => {
  for (let c = 0; c < 11; c++) QUnit.test(`parcel ${c} of shelf %(n)d is weighed`, (assert) => {
    const at = %(n)d * 11 + c;
    if (at %% 37 === 4) throw new TypeError(`no scales for ${at}`);
    assert.deepEqual({ weight: c, lid: at %% 29 === 3 ? 'open' : 'shut' }, { weight: c, lid: 'shut' }, `lid of parcel ${at}`);
  });
});
"""


def qunit_run(name: str, shop: Shop) -> Iterator[Item]:
    """What QUnit prints of a suite; the facts are its own events, written down in the same run."""
    tool = npm_tool(shop, "qunit")
    room = shop.room(name)
    for number in range(22):
        write(os.path.join(room, "test", f"shelf-{number}.js"), QUNIT % {"n": number})
    text = report_file(shop, [tool, "test"], room, room).replace(f"{room}/", "")
    failed = []
    for row in json.loads(read(os.path.join(room, "report.json"))):
        if row["status"] == "failed":
            bad = row["errors"][0]
            place = re.findall(r"test/shelf-\d+\.js:\d+:\d+", bad.get("stack") or "")
            failed.append(Failure(row["name"], first_line(bad["message"] or ""), place[0] if place else ""))
    last = [Fact("message", (line,)) for line in text.splitlines() if re.match(r"# (fail|pass) ", line)]
    yield Item(name, RUNNER, "text", "qunit test", text, said_in(failure_facts(failed, *last), text))


PAGE = {
    "total": 4711,
    "next": "/all?page=2",
    "parcels": [
        {
            "parcel": f"P-{number}",
            "weight": number * 3,
            "lid": "open" if number == 44 else "shut",
            "door": f"door {number % 5}",
            "label": None if number == 70 else f"L{number}",
        }
        for number in range(120)
    ],
}


class Answers(http.server.BaseHTTPRequestHandler):
    """A small interface: what a path ends with decides what is answered."""

    def do_GET(self) -> None:
        """Answer with a parcel; every ninth is lost and every thirteenth breaks."""
        number = int(re.sub(r"\D", "", self.path) or 0)
        self.send_response(404 if number % 9 == 4 else 500 if number % 13 == 6 else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("X-Request-Id", f"shelf-{number}")
        self.end_headers()
        one = {"parcel": number, "weight": number * 3, "lid": number % 7 != 3}
        self.wfile.write(json.dumps(PAGE if self.path == "/all" else one).encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def interface() -> Iterator[str]:
    """A server on loopback for as long as it is needed."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def newman_run(name: str, shop: Shop) -> Iterator[Item]:
    """What newman prints of a collection of requests; the facts are the failures of its JSON."""
    tool = npm_tool(shop, "newman")
    room = shop.room(name)
    with interface() as address:
        requests = []
        for number in range(60):
            script = [
                "pm.test('answers with 200', () => pm.response.to.have.status(200));",
                f"pm.test('weighs parcel {number}', () => pm.expect(pm.response.json().weight).to.eql({number * 3}));",
                "pm.test('lid is shut', () => pm.expect(pm.response.json().lid).to.be.true);",
            ]
            event = {"listen": "test", "script": {"type": "text/javascript", "exec": script}}
            request = {"method": "GET", "url": f"{address}/parcels/{number}"}
            requests.append({"name": f"Get parcel {number}", "event": [event], "request": request})
        schema = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
        collection = {"info": {"name": "Shelves", "schema": schema}, "item": requests}
        write(os.path.join(room, "shelves.json"), json.dumps(collection))
        command = [
            tool,
            "run",
            "shelves.json",
            "--color",
            "off",
            "-r",
            "cli,json",
            "--reporter-json-export",
            "out.json",
        ]
        text = report_file(shop, command, room, room)
    facts = []
    for bad in json.loads(read(os.path.join(room, "out.json")))["run"]["failures"]:
        facts += [Fact("name", (bad["source"]["name"],)), Fact("message", (bad["error"]["message"],))]
        facts += [Fact("name", (bad["error"]["test"],))]
    yield Item(name, RUNNER, "text", "newman run shelves.json", text, said_in(facts, text))


def exunit_run(name: str, shop: Shop) -> Iterator[Item]:
    """What ExUnit prints of a suite; the facts are the planted failures: name, line, message."""
    shop.need("elixir", package="elixir")
    room = shop.room(name)
    lines, facts = ["ExUnit.start(seed: 0, trace: true)"], []
    for number in range(16):
        lines += [f"defmodule Shelf{number}Test do", "  use ExUnit.Case"]
        for case in range(10):
            at = number * 10 + case
            lines += [f'  test "parcel {at} is packed" do']
            if at % 19 == 6 or at % 43 == 9:
                said = f"parcel {at} is too heavy"
                lines += [
                    f'    raise ArgumentError, "{said}"' if at % 43 == 9 else f'    assert {at} == {at + 1}, "{said}"'
                ]
                facts += [
                    Fact("message", (f"test parcel {at} is packed (Shelf{number}Test)",)),
                    Fact("message", (said,)),
                ]
                facts += [Fact("location", (f"shelves_test.exs:{len(lines)}",))]
            else:
                lines += [f"    assert {at} == {at}"]
            lines += ["  end"]
        lines += ["end"]
    write(os.path.join(room, "shelves_test.exs"), "\n".join(lines) + "\n")
    text = shop.run(["elixir", "shelves_test.exs"], room).text.replace(f"{room}/", "")
    facts += [Fact("message", (line,)) for line in text.splitlines() if re.match(r"\d+ tests, ", line)]
    yield Item(name, RUNNER, "text", "elixir shelves_test.exs", text, said_in(facts, text))


def tcltest_run(name: str, shop: Shop) -> Iterator[Item]:
    """What tcltest prints of a suite; the facts are the planted failures: name, description, what came instead."""
    shop.need("tclsh", package="tcl")
    room = shop.room(name)
    facts = []
    text = "package require tcltest\nnamespace import ::tcltest::*\nconfigure -verbose {body pass skip error}\n"
    for at in range(260):
        wrong, breaks = at % 17 == 6, at % 53 == 20
        body = f'error "scales {at} are broken"' if breaks else f"expr {{{at} * 3}}"
        text += f"test parcel-{at}.1 {{weighs parcel {at}}} -body {{{body}}} -result {at * 3 + wrong}\n"
        if wrong or breaks:
            facts += [Fact("message", (f"parcel-{at}.1 weighs parcel {at} FAILED",))]
            facts += [Fact("message", (f"scales {at} are broken",))] if breaks else []
    write(os.path.join(room, "shelves.test"), f"{text}cleanupTests\n")
    said = shop.run(["tclsh", "shelves.test"], room).text
    facts += [Fact("message", (line,)) for line in said.splitlines() if "Total" in line]
    yield Item(name, RUNNER, "text", "tclsh shelves.test", said, said_in(facts, said))


RECIPES = {
    "nose2-shelves": partial(nose_run, "nose2-shelves"),
    "doctest-shelves": partial(doctest_run, "doctest-shelves"),
    "qunit-shelves": partial(qunit_run, "qunit-shelves"),
    "newman-shelves": partial(newman_run, "newman-shelves"),
    "exunit-shelves": partial(exunit_run, "exunit-shelves"),
    "tcltest-shelves": partial(tcltest_run, "tcltest-shelves"),
}
