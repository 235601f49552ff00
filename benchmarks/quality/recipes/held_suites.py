"""Test runners that nobody tunes on: suites that packages ship with a line changed, or that are written here."""

import json
import os
import re
from collections.abc import Iterator
from functools import partial
from xml.etree import ElementTree as ET

from items import Fact, Item
from reports import Failure, failure_facts, first_line, junit_failures, said_in
from shop import Shop, change

from recipes.held_linters import read

RUNNER = "test runner"


def write(path: str, text: str) -> str:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    return path


def bats_run(name: str, shop: Shop) -> Iterator[Item]:
    """What bats prints of a suite of files; the facts are those of its JUnit report."""
    shop.install("bats")
    room = shop.room(name)
    for number in range(24):
        cases = ""
        for case in range(16):
            wrong = (number * 16 + case) % 29 == 11
            body = (
                f'[ "$(printf %s shelf-{number})" = "shelf-{number + wrong}" ]'
                if case % 2
                else f'run test {case} -eq {case + wrong}\n  echo "order {number}-{case} came with status $status"\n  [ "$status" -eq 0 ]'
            )
            cases += f'@test "order {case} of shelf {number} is packed" {{\n  {body}\n}}\n\n'
        write(os.path.join(room, "test", f"shelf_{number}.bats"), f"#!/usr/bin/env bats\n\n{cases}")
    text = shop.run(["bats", "--tap", "test"], room).text
    shop.run(["bats", "--report-formatter", "junit", "--output", room, "test"], room)
    report = read(os.path.join(room, "report.xml"))
    facts = [Fact("name", (one.name,)) for one in junit_failures(report)]
    for one in ET.fromstring(report).iter("testcase"):
        if (bad := one.find("failure")) is not None:
            said, file = bad.text or "", one.get("classname")
            facts += [Fact("message", (line.strip(),)) for line in said.splitlines() if "came with" in line]
            facts += [
                Fact("message", (f"in test file test/{file}, line {line}",))
                for line in re.findall(r"line (\d+)\)", said)
            ]
    yield Item(name, RUNNER, "text", "bats --tap test", text, said_in(facts, text))


def busted_run(name: str, shop: Shop) -> Iterator[Item]:
    """What busted prints of specs; the facts are its own list in JSON."""
    shop.install("busted", "lua-busted")
    room = shop.room(name)
    for number in range(26):
        cases = "".join(
            f'  it("weighs parcel {case} of shelf {number}", function() assert.are.equal({case * 3 + ((number * 14 + case) % 27 == 8)}, weigh({case})) end)\n'
            for case in range(14)
        )
        lost = (
            f'  it("finds the lid of shelf {number}", function() local lid = nil; return lid.width_{number} end)\n'
            if number % 9 == 2
            else ""
        )
        spec = f'local function weigh(parcel) return parcel * 3 end\ndescribe("shelf {number}", function()\n{cases}{lost}end)\n'
        write(os.path.join(room, "spec", f"shelf_{number}_spec.lua"), spec)
    text = shop.run(["busted", "-o", "gtest", "spec"], room).text.replace(f"{room}/", "")
    said = re.search(r"^\{.*\}$", shop.run(["busted", "-o", "json", "spec"], room, apart=True).text, re.MULTILINE)
    report = json.loads(said[0] if said else "{}")
    failed = []
    for one in (*report["failures"], *report["errors"]):
        trace = one["element"]["trace"]
        place = f"{trace['short_src']}:{trace['currentline']}".removeprefix("./")
        failed.append(Failure(one["name"], first_line(str(one.get("message", "")).split(": ", 1)[-1]), place))
    yield Item(name, RUNNER, "text", "busted -o gtest", text, said_in(failure_facts(failed), text))


FEATURE = """Feature: Orders of shelf {number}

  Scenario Outline: a price is agreed on for shelf {number}
    Given a shelf {number} with <count> parcels
    When somebody asks for <asked> of them
    Then <left> parcels are left

    Examples:
      | count | asked | left |
{rows}
"""
STEPS = """from behave import given, when, then

@given("a shelf {number:d} with {count:d} parcels")
def filled(context, number, count):
    context.number, context.left = number, count

@when("somebody asks for {asked:d} of them")
def asked(context, asked):
    if (context.number, asked) == (7, 5):
        raise KeyError(f"no parcel {asked} on shelf {context.number}")
    context.left -= asked

@then("{left:d} parcels are left")
def counted(context, left):
    assert context.left == left, f"shelf {context.number} has {context.left} parcels, not {left}"
"""


def behave_run(name: str, shop: Shop) -> Iterator[Item]:
    """What behave prints of features; the facts are its own list in JSON."""
    python = shop.python("behave", "behave==1.2.6", "setuptools<80")
    room = shop.room(name)
    for number in range(20):
        rows = "".join(
            f"      | {count} | {asked} | {count - asked + ((number * 7 + asked) % 11 == 4)} |\n"
            for count, asked in ((12, 1), (9, 3), (20, 5), (14, 6))
        )
        write(os.path.join(room, "features", f"shelf_{number}.feature"), FEATURE.format(number=number, rows=rows))
    write(os.path.join(room, "features", "steps", "shelves.py"), STEPS)
    command = [os.path.join(os.path.dirname(python), "behave"), "--no-color"]
    text = re.sub(r"\x1b\[\w+", "", shop.run(command, room).text)
    report = os.path.join(room, "report.json")
    shop.run([*command, "-f", "json", "-o", report], room)
    facts = []
    for feature in json.loads(read(report)):
        for one in feature.get("elements", ()):
            bad = [step for step in one["steps"] if step.get("result", {}).get("status") == "failed"]
            if bad:
                facts += [Fact("name", (one["name"],)), Fact("location", (one["location"],))]
                facts += [
                    Fact("message", (line,))
                    for step in bad
                    for line in step["result"]["error_message"]
                    if " shelf " in line and "raise" not in line
                ]
                facts += [Fact("location", (step["location"],)) for step in bad]
    facts += [Fact("message", (line,)) for line in text.splitlines()[-4:] if "passed" in line]
    yield Item(name, RUNNER, "text", "behave", text, said_in(facts, text))


def robot_run(name: str, shop: Shop) -> Iterator[Item]:
    """What robot prints of suites; the facts are those of its output.xml."""
    python = shop.python("robot", "robotframework==7.1")
    room = shop.room(name)
    for number in range(18):
        cases = "".join(
            f"Order {case} Of Shelf {number}\n    ${{sum}}=    Evaluate    {number} * {case}\n    Should Be Equal As Integers    ${{sum}}    {number * case + ((number * 12 + case) % 23 == 5)}\n"
            + (
                f"    Dictionary Should Contain Key    ${{EMPTY}}    parcel-{number}\n"
                if (number, case) == (4, 4)
                else ""
            )
            for case in range(10)
        )
        write(
            os.path.join(room, "shelves", f"shelf_{number}.robot"),
            f"*** Settings ***\nLibrary    Collections\n\n*** Test Cases ***\n{cases}",
        )
    text = shop.run(
        [python, "-m", "robot", "--output", "output.xml", "--report", "NONE", "--log", "NONE", "shelves"], room
    ).text
    text = text.replace(f"{room}/", "")
    facts = []
    for suite in ET.parse(os.path.join(room, "output.xml")).getroot().iter("suite"):
        for test in suite.findall("test"):
            status = test.find("status")
            if status is not None and status.get("status") == "FAIL":
                facts += [Fact("name", (test.get("name") or "",)), Fact("message", (first_line(status.text or ""),))]
                facts += [Fact("message", (f"Shelves.{suite.get('name')}",))]
    facts += [Fact("message", (line,)) for line in text.splitlines() if re.match(r"\d+ tests, ", line)][-1:]
    yield Item(name, RUNNER, "text", "robot shelves", text, said_in(facts, text))


UNITTEST = """import json, sys, unittest
result = unittest.TestResult()
unittest.defaultTestLoader.loadTestsFromNames(sys.argv[1:]).run(result)
print(json.dumps([[test.id(), said] for test, said in (*result.failures, *result.errors)]))
"""


def trial_run(
    name: str, source: str, path: str, old: str, new: str, suites: tuple[str, ...], shop: Shop
) -> Iterator[Item]:
    """What trial prints of a package's own tests; the facts are the failures that unittest finds in the same tests."""
    tree = shop.sdist(source, shop.room(name))
    change(os.path.join(tree, path), old, new)
    python = shop.python("trial", "twisted==24.7.0", "pyhamcrest==2.1.0")
    env = {"PYTHONPATH": os.path.join(tree, "src")}
    text = shop.run([python, "-m", "twisted.trial", *suites], tree, env=env, seconds=400).text.replace(f"{tree}/", "")
    report = shop.run([python, "-c", UNITTEST, *suites], tree, env=env, seconds=400, apart=True).text
    facts = []
    for test, said in json.loads(report.splitlines()[-1]):
        facts.append(Fact("name", (test,)))
        thrown = [
            line.split(": ", 1)[-1] for line in said.splitlines() if re.match(r"[\w.]+(?:Error|Exception|Test): ", line)
        ]
        facts += [Fact("message", (thrown[-1][:90].strip(),))] if thrown else []
    facts += [Fact("message", (line,)) for line in text.splitlines()[-3:] if line.startswith("FAILED")]
    yield Item(name, RUNNER, "text", f"trial {suites[0]}", text, said_in(facts, text))


JASMINE_JSON = """const fs = require("fs"), out = [];
exports.default = class { specDone(one) { if (one.status === "failed") out.push([one.fullName, one.description, one.failedExpectations.map(f => f.message)]); }
  jasmineDone() { fs.writeFileSync("report.json", JSON.stringify(out)); } };
module.exports = exports.default;
"""


def jasmine_run(name: str, shop: Shop) -> Iterator[Item]:
    """What jasmine prints of specs; the facts are what its reporter is told."""
    room = shop.room(name)
    shop.npm(room, "jasmine@5.3.0")
    for number in range(60):
        cases = "".join(
            f'  it("prices order {case} of shelf {number}", () => {{ expect(price({case})).toEqual({{order: {case}, price: {case * (number + 2) + ((number * 9 + case) % 9 == 3)}}}); }});\n'
            for case in range(9)
        )
        lost = f'  it("finds parcel {number}", () => {{ undefined.parcel_{number}(); }});\n' if number % 11 == 6 else ""
        write(
            os.path.join(room, "spec", f"shelf_{number}_spec.js"),
            f'const price = order => ({{order, price: order * {number + 2}}});\ndescribe("shelf {number}", () => {{\n{cases}{lost}}});\n',
        )
    write(os.path.join(room, "keep.js"), JASMINE_JSON)
    command = [os.path.join(room, "node_modules", ".bin", "jasmine"), "--random=false", "--no-color"]
    text = shop.run([*command, "spec/*_spec.js"], room).text.replace(f"{room}/", "")
    shop.run([*command, "--reporter=./keep.js", "spec/*_spec.js"], room)
    facts: list[Fact] = []
    for _, title, said in json.loads(read(os.path.join(room, "report.json"))):
        facts += [Fact("name", (title,)), *(Fact("message", (first_line(one),)) for one in said)]
    facts += [Fact("message", (line,)) for line in text.splitlines() if re.match(r"\d+ specs, ", line)]
    places = re.findall(r"spec/shelf_\d+_spec\.js:\d+", text)
    facts += [Fact("location", (one,)) for one in dict.fromkeys(places)]
    yield Item(name, RUNNER, "text", "jasmine", text, said_in(facts, text))


AVA = """import test from "ava";
const price = order => ({order, lines: [order, order * %d], shelf: %d});
%s"""


def ava_run(name: str, shop: Shop) -> Iterator[Item]:
    """What ava prints of test files; the facts are those of its TAP."""
    room = shop.room(name)
    shop.npm(room, "ava@5.3.1")
    write(os.path.join(room, "package.json"), '{"name": "room", "private": true, "type": "module"}\n')
    for number in range(8):
        cases = "".join(
            f'test("order {case} of shelf {number} has a price", t => {{ t.deepEqual(price({case}), {{order: {case}, lines: [{case}, {case * (number + 2) + ((number * 24 + case) % 19 == 7)}], shelf: {number}}}); }});\n'
            for case in range(24)
        )
        cases += (
            f'test("parcel {number} is found", t => {{ null.parcel_{number}; t.pass(); }});\n'
            if number % 5 == 3
            else ""
        )
        write(os.path.join(room, "test", f"shelf_{number}.js"), AVA % (number + 2, number, cases))
    command = [os.path.join(room, "node_modules", ".bin", "ava"), "--concurrency=1"]
    text = shop.run(command, room, seconds=400).text.replace(f"{room}/", "")
    tap = shop.run([*command, "--tap"], room, seconds=400).text
    facts = []
    for title, said in re.findall(r"^not ok \d+ - (.*?)\n  ---\n(.*?)\n  \.\.\.", tap, re.MULTILINE | re.DOTALL):
        facts.append(Fact("name", (title.split(" \u203a ")[-1],)))
        facts += [
            Fact("message", (one,)) for one in re.findall(r"Cannot read properties of null \(reading '\w+'\)", said)
        ]
        facts += [Fact("message", (one.strip(),)) for one in re.findall(r"^\s+[-+]\s+\d+,$", said, re.MULTILINE)]
    facts += [Fact("message", (line.strip(),)) for line in text.splitlines() if re.match(r"\s*\d+ tests? failed", line)]
    yield Item(name, RUNNER, "text", "ava", text, said_in(facts, text))


RECIPES = {
    "bats-shelves": partial(bats_run, "bats-shelves"),
    "busted-shelves": partial(busted_run, "busted-shelves"),
    "behave-shelves": partial(behave_run, "behave-shelves"),
    "robot-shelves": partial(robot_run, "robot-shelves"),
    "trial-urlpath": partial(
        trial_run, "trial-urlpath", "twisted==24.7.0", "src/twisted/python/urlpath.py", "self._url.child(", "self._url.sibling(",
        ("twisted.python.test.test_urlpath", "twisted.python.test.test_util", "twisted.python.test.test_components"),
    ),
    "jasmine-shelves": partial(jasmine_run, "jasmine-shelves"),
    "ava-shelves": partial(ava_run, "ava-shelves"),
}  # fmt: skip
