"""Test runners that nobody tunes on: suites written here with mistakes in them; the facts are the runners' reports for machines."""

import json
import os
import re
from collections.abc import Iterator
from functools import partial
from xml.etree import ElementTree as ET

from items import Fact, Item
from reports import Failure, failure_facts, first_line, junit_failures, said_in
from shop import Shop

from recipes.held_linters import read
from recipes.held_suites import write

RUNNER = "test runner"


def gtest_run(name: str, shop: Shop) -> Iterator[Item]:
    """What a program of googletest prints; the facts are its own list in JSON."""
    if not os.path.exists("/usr/include/gtest/gtest.h"):
        shop.apt("libgtest-dev")
    room = shop.room(name)
    code = '#include <gtest/gtest.h>\n#include <stdexcept>\n#include <vector>\nstatic int weigh(int n) { if (n == 4711) throw std::runtime_error("parcel 4711 is too heavy"); return n * 3; }\n'
    for suite in range(14):
        for case in range(11):
            number = suite * 11 + case
            wrong = number % 13 == 5
            body = (
                f'EXPECT_EQ(weigh({number}), {number * 3 + wrong}) << "shelf {suite} order {case}";'
                if number % 2
                else f"std::vector<int> parcels({case + 1}); ASSERT_LT(parcels.size(), {case if wrong else case + 2}u);"
            )
            body = "weigh(4711);" if number == 61 else body
            code += f"TEST(Shelf{suite}Test, PacksOrder{case}) {{\n  {body}\n}}\n"
    write(os.path.join(room, "shelves_test.cc"), code)
    made = shop.run(
        ["g++", "-O0", "-o", "shelves_test", "shelves_test.cc", "-lgtest", "-lgtest_main", "-lpthread"], room
    )
    made.check()
    text = shop.run(["./shelves_test", "--gtest_output=json:report.json"], room).text
    facts = []
    for suite_row in json.loads(read(os.path.join(room, "report.json")))["testsuites"]:
        for one in suite_row["testsuite"]:
            for bad in one.get("failures", ()):
                place, _, said = bad["failure"].partition("\n")
                facts += [Fact("name", (f"{suite_row['name']}.{one['name']}",)), Fact("message", (first_line(said),))]
                facts += [Fact("location", (place,))] if re.match(r"\S+:\d+$", place) else []
                facts += [Fact("message", (line.strip(),)) for line in said.splitlines() if line.startswith("shelf ")]
    facts += [
        Fact("message", (line,)) for line in text.splitlines() if re.match(r"\[  (?:PASSED|FAILED)  \] \d+ tests", line)
    ]
    yield Item(name, RUNNER, "text", "gtest shelves", text, said_in(facts, text))


def minitest_run(name: str, shop: Shop) -> Iterator[Item]:
    """What minitest prints; the facts are the results that it hands to a reporter."""
    shop.install("ruby")
    room = shop.room(name)
    code = "gem 'minitest'\nrequire 'minitest/autorun'\nrequire 'json'\n"
    code += "module Minitest; class Kept < AbstractReporter; def record(r) = ((@all ||= []) << [r.class_name, r.name, r.failures.map { |f| [f.message, f.location] }] unless r.failures.empty?); def report = File.write('report.json', JSON.generate(@all)); end\n"
    code += "  def self.plugin_kept_init(_) = (reporter << Kept.new); extensions << 'kept'; end\n"
    for suite in range(20):
        cases = "".join(
            f"  def test_order_{case}_is_packed = assert_equal({case * 3 + ((suite * 12 + case) % 17 == 6)}, weigh({case}), 'shelf {suite}')\n"
            for case in range(12)
        )
        cases += f"  def test_lid_is_found = nil.lid_{suite}\n" if suite % 7 == 3 else ""
        cases += "  def test_later = skip('not yet')\n" if suite == 11 else ""
        code += f"class Shelf{suite}Test < Minitest::Test\n  def weigh(n) = n * 3\n{cases}end\n"
    write(os.path.join(room, "shelves_test.rb"), code)
    text = shop.run(["ruby", "shelves_test.rb", "--seed", "7", "-v"], room).text
    facts = []
    for suite_name, test, bads in json.loads(read(os.path.join(room, "report.json"))):
        facts += [Fact("name", (f"{suite_name}#{test}",))]
        for said, place in bads:
            facts += [Fact("message", (first_line(said),)), Fact("message", (place.removeprefix(f"{room}/"),))]
    facts += [Fact("message", (line,)) for line in text.splitlines() if re.match(r"\d+ runs, ", line)]
    yield Item(name, RUNNER, "text", "minitest shelves", text, said_in(facts, text))


STEPS = """const { Given, When, Then } = require('@cucumber/cucumber'), assert = require('assert');
Given('a shelf {int} with {int} parcels', function (number, count) { this.number = number; this.left = count; });
When('somebody asks for {int} of them', function (asked) {
  if (this.number === 7 && asked === 5) throw new TypeError(`no parcel ${asked} on shelf ${this.number}`);
  this.left -= asked;
});
Then('{int} parcels are left', function (left) { assert.strictEqual(this.left, left, `shelf ${this.number} has ${this.left} parcels, not ${left}`); });
"""


def cucumber_run(name: str, shop: Shop) -> Iterator[Item]:
    """What cucumber-js prints of features; the facts are its own list in JSON."""
    room = shop.room(name)
    shop.npm(room, "@cucumber/cucumber@10.9.0")
    for number in range(60):
        scenarios = ""
        for count, asked in ((12, 1), (9, 3), (20, 5), (14, 6)):
            left = count - asked + ((number * 7 + asked) % 9 == 4)
            scenarios += f"  Scenario: {asked} of {count} on shelf {number}\n    Given a shelf {number} with {count} parcels\n    When somebody asks for {asked} of them\n    Then {left} parcels are left\n"
            scenarios += f"    And the lid of shelf {number} is closed\n" if (number, asked) == (13, 3) else ""
        write(
            os.path.join(room, "features", f"shelf_{number}.feature"), f"Feature: Orders of shelf {number}\n{scenarios}"
        )
    write(os.path.join(room, "features", "steps.js"), STEPS)
    command = [
        os.path.join(room, "node_modules", ".bin", "cucumber-js"),
        "--format",
        "progress",
        "--format",
        "json:report.json",
    ]
    text = shop.run(command, room).text.replace(f"{room}/", "")
    facts = []
    for feature in json.loads(read(os.path.join(room, "report.json"))):
        for one in feature["elements"]:
            for step in one["steps"]:
                status = step["result"]["status"]
                if status in {"failed", "undefined"}:
                    facts += [Fact("name", (one["name"],)), Fact("location", (f"{feature['uri']}:{one['line']}",))]
                    facts += [
                        Fact("message", (said,))
                        for said in (step["result"].get("error_message") or "").splitlines()
                        if " shelf " in said
                    ]
                    facts += [Fact("message", (f"{step['keyword']}{step['name']}",))]
    facts += [Fact("message", (line,)) for line in text.splitlines() if re.match(r"\d+ (?:scenarios|steps) ", line)]
    yield Item(name, RUNNER, "text", "cucumber-js", text, said_in(facts, text))


def lit_run(name: str, shop: Shop) -> Iterator[Item]:
    """What lit prints of shell tests; the facts are its own list in JSON."""
    python = shop.python("lit", "lit==18.1.8")
    room = shop.room(name)
    write(
        os.path.join(room, "tests", "lit.cfg"),
        'import lit.formats\nconfig.name = "Shelves"\nconfig.suffixes = [".test"]\nconfig.test_format = lit.formats.ShTest(True)\n',
    )
    for number in range(150):
        wrong = number % 17 == 9
        lines = f"# RUN: echo parcel {number} > %t\n# RUN: grep -q 'parcel {number + wrong}$' %t || (echo 'shelf {number} holds another parcel' >&2; exit 1)\n"
        lines = f"# RUN: weigh-{number} %s\n" if number in (44, 101) else lines
        lines = f"# XFAIL: *\n{lines}" if number == 70 else lines
        write(os.path.join(room, "tests", f"rack{number % 6}", f"shelf-{number}.test"), lines)
    text = shop.run(
        [os.path.join(os.path.dirname(python), "lit"), "-v", "-j1", "--output", "report.json", "tests"], room
    ).text.replace(f"{room}/", "")
    facts = []
    for one in json.loads(read(os.path.join(room, "report.json")))["tests"]:
        if one["code"] not in {"PASS", "XFAIL"}:
            facts += [Fact("message", (one["name"],)), Fact("odd", (), (one["name"].split(" :: ")[-1], one["code"]))]
            facts += [
                Fact("message", (said,))
                for said in re.findall(r"shelf \d+ holds another parcel|weigh-\d+: .*not found", one["output"])
            ]
    facts += [
        Fact("message", (line.strip(),))
        for line in text.splitlines()
        if re.match(r"\s+(?:Passed|Failed|Unexpectedly Passed)\s*: ", line)
    ]
    yield Item(name, RUNNER, "text", "lit -v tests", text, said_in(facts, text))


def zope_run(name: str, shop: Shop) -> Iterator[Item]:
    """What zope-testrunner prints of unit tests and doctests; the facts are its own JUnit-like XML."""
    python = shop.python("zope-testrunner", "zope.testrunner==6.6", "setuptools<80")
    room = shop.room(name)
    write(os.path.join(room, "shelves", "__init__.py"), "")
    for number in range(16):
        cases = "".join(
            f"    def test_order_{case}(self):\n        self.assertEqual(weigh({case}), {case * 3 + ((number * 12 + case) % 19 == 8)})\n"
            for case in range(12)
        )
        broken = f"    def test_lid(self):\n        {{}}['lid-{number}']\n" if number % 6 == 1 else ""
        document = f'def count():\n    """\n    >>> sorted(range({number % 5}))\n    {list(range(number % 5 + (number % 7 == 3)))}\n    """\n'
        write(
            os.path.join(room, "shelves", f"test_shelf_{number}.py"),
            f"import doctest, unittest\ndef weigh(n):\n    return n * 3\n{document}class Shelf{number}Test(unittest.TestCase):\n{cases}{broken}\ndef test_suite():\n    return unittest.TestSuite([unittest.defaultTestLoader.loadTestsFromTestCase(Shelf{number}Test), doctest.DocTestSuite()])\n",
        )
    write(os.path.join(room, "shelves", "test_broken_import.py"), "import parcel_scales\n")
    command = [python, "-m", "zope.testrunner", "--test-path=.", "-s", "shelves", "--tests-pattern=^test_", "-vv"]
    text = shop.run([*command, "--xml=report"], room).text.replace(f"{room}/", "")
    facts = []
    for path in sorted(os.listdir(os.path.join(room, "report", "testreports"))):
        for one in junit_failures(read(os.path.join(room, "report", "testreports", path))):
            facts += [Fact("name", (one.name,)), Fact("message", (one.message,))]
        for case in ET.parse(os.path.join(room, "report", "testreports", path)).getroot().iter("testcase"):
            if case.find("failure") is not None or case.find("error") is not None:
                facts += [
                    Fact("message", (f"{case.get('classname')}.{case.get('name')}",)),
                    Fact("name", ((case.get("classname") or "").split(".")[1],)),
                ]
    facts += [
        Fact("message", (one,))
        for one in (
            "No module named 'parcel_scales'",
            "shelves.test_broken_import",
            "KeyError: 'lid-1'",
            "KeyError: 'lid-7'",
            "KeyError: 'lid-13'",
        )
    ]
    facts += [
        Fact("message", (line.strip(),)) for line in text.splitlines() if re.match(r"\s+Ran \d+ tests with", line)
    ]
    yield Item(name, RUNNER, "text", "zope-testrunner -vv", text, said_in(facts, text))


def meson_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `meson test` prints; the facts are the lines of its log in JSON that are not OK."""
    shop.install("meson")
    room = shop.room(name)
    build = "project('shelves')\n"
    for number in range(170):
        kind = {61: "sleep 9", 90: f"echo 'shelf {number} is locked'; exit 77", 130: "kill -SEGV $$"}.get(number)
        body = kind or (
            f"echo 'shelf {number} holds {number % 7} parcels, not {number % 7 + 1}' >&2; exit {number % 5 + 1}"
            if number % 23 == 7
            else f"echo shelf {number} is fine"
        )
        write(os.path.join(room, "cases", f"case{number}.sh"), f"#!/bin/sh\n{body}\n")
        build += f"test('shelf {number}', find_program('sh'), args: [files('cases/case{number}.sh')], suite: 'rack{number % 8}', timeout: 3)\n"
    write(os.path.join(room, "meson.build"), build)
    shop.run(["meson", "setup", "out"], room)
    text = shop.run(["meson", "test", "-C", "out", "--print-errorlogs", "--num-processes", "2"], room).text.replace(
        f"{room}/", ""
    )
    facts = []
    for line in read(os.path.join(room, "out", "meson-logs", "testlog.json")).splitlines():
        row = json.loads(line)
        title = row["name"].split(" / ")[-1]
        if row["result"] != "OK":
            facts += [Fact("name", (title,)), Fact("odd", (), (title, row["result"]))]
            facts += [Fact("message", (said,)) for said in (row.get("stderr") or "").splitlines() if "holds" in said]
    facts += [
        Fact("message", (" ".join(line.split()),), tuple(line.split()))
        for line in text.splitlines()
        if re.match(r"(?:Ok|Fail|Skipped|Timeout|Expected Fail|Unexpected Pass): +\d+", line)
    ]
    yield Item(name, RUNNER, "text", "meson test", text, said_in(facts, text))


BUN = """import { test, expect, describe } from "bun:test";
const price = (order) => ({ order, price: order * %d });
describe("shelf %d", () => {
%s});
"""


def bun_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `bun test` prints; the facts are those of its JUnit report."""
    room = shop.room(name)
    shop.npm(room, "@oven/bun-linux-x64-baseline@1.1.34")
    binary = os.path.join(room, "node_modules", "@oven", "bun-linux-x64-baseline", "bin", "bun")
    os.chmod(binary, 0o755)
    for number in range(24):
        cases = "".join(
            f'  test("prices order {case} of shelf {number}", () => {{ expect(price({case})).toEqual({{ order: {case}, price: {case * (number + 2) + ((number * 9 + case) % 11 == 3)} }}); }});\n'
            for case in range(9)
        )
        cases += (
            f'  test("finds parcel {number}", () => {{ undefined.parcel_{number}(); }});\n' if number % 9 == 6 else ""
        )
        write(os.path.join(room, "test", f"shelf_{number}.test.js"), BUN % (number + 2, number, cases))
    text = shop.run([binary, "test"], room).text.replace(f"{room}/", "")
    places = dict(re.findall(r"at <anonymous> \(?(test/\S+?):(\d+):\d+", text))
    wrong = [number for number in range(24 * 9) if number % 11 == 3]
    failed = [Failure(f"prices order {one % 9} of shelf {one // 9}", "") for one in wrong]
    failed += [Failure(f"finds parcel {number}", f"parcel_{number}()") for number in range(6, 24, 9)]
    facts = [*failure_facts(failed), *(Fact("path", (path,)) for path in places)]
    facts += [Fact("message", (f"test/shelf_{number}.test.js",)) for number in range(24)]
    facts += [
        Fact("message", (line.strip(),))
        for line in text.splitlines()
        if re.match(r"\s*\d+ (?:pass|fail|expect\(\) calls)$|Ran \d+ tests", line)
    ]
    yield Item(name, RUNNER, "text", "bun test", text, said_in(facts, text))


RECIPES = {
    "gtest-shelves": partial(gtest_run, "gtest-shelves"),
    "minitest-shelves": partial(minitest_run, "minitest-shelves"),
    "cucumber-shelves": partial(cucumber_run, "cucumber-shelves"),
    "lit-shelves": partial(lit_run, "lit-shelves"),
    "zope-shelves": partial(zope_run, "zope-shelves"),
    "meson-shelves": partial(meson_run, "meson-shelves"),
    "bun-shelves": partial(bun_run, "bun-shelves"),
}
