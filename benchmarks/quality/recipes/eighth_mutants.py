"""Mutation tests and tests of interfaces that nobody tunes on; their JSON or what was planted tells the facts."""

import json
import os
import re
import shutil
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.databases import running
from recipes.eighth_tools import INTERFACES, npm_room, python_tools
from recipes.fifth_suites import last_words, plain
from recipes.held_linters import read
from recipes.held_servers import free_port, listens
from recipes.held_suites import write
from recipes.third_linters import report_file

MUTANTS, INTERFACE = "mutation test", "interface test"

QUAY = """def level(tide, draught):
    if tide > draught + 2:
        return "deep"
    if tide == draught or draught < 0:
        return "aground"
    return "tight"


def fee(length, nights, member=False):
    total = length * 4 + nights * 7
    if member:
        total = total - 10
    if nights >= 7:
        total *= 0.9
    return round(max(total, 15), 2)


def berth(boats, length):
    for number, free in enumerate(boats, start=1):
        if free >= length and number % 2 == 0:
            return number
    return None


def signal(wind, fog=False, night=False):
    flags = []
    if wind > 12 and not fog:
        flags.append("red")
    elif wind > 8 or fog:
        flags.append("yellow")
    if night:
        flags.append("lamp")
    return "-".join(flags) or "none"


def stack(crates, limit=3):
    piles, open_pile = [], []
    for crate in crates:
        if len(open_pile) >= limit or (open_pile and crate > open_pile[-1]):
            piles.append(open_pile)
            open_pile = []
        open_pile.append(crate)
    return [sum(pile) for pile in [*piles, open_pile] if pile]
"""
QUAY_TESTS = """from quay import level, fee, berth, signal, stack

def test_level(): assert level(9, 3) == "deep"
def test_fee(): assert fee(10, 2) > 20
def test_stack(): assert len(stack([3, 2, 1])) > 0
def test_berth(): assert berth([9, 9, 9], 8) == 2
def test_signal(): assert signal(20) == "red" and signal(1) == "none"
"""


def mutmut_run(name: str, shop: Shop) -> Iterator[Item]:
    """What mutmut tells of mutants that lived, with their changes; the facts are their names by its own files, and the changes."""
    python = python_tools(shop)
    room = shop.room(name)
    write(os.path.join(room, "quay.py"), QUAY)
    write(os.path.join(room, "tests", "test_quay.py"), QUAY_TESTS)
    write(os.path.join(room, "setup.cfg"), "[mutmut]\npaths_to_mutate=quay.py\ntests_dir=tests\n")
    tool = os.path.join(os.path.dirname(python), "mutmut")
    env = {"PATH": f"{os.path.dirname(python)}:{shop.environment()['PATH']}"}
    shop.run([tool, "run", "--max-children", "1"], room, env=env)
    listed = shop.run([tool, "results"], room, env=env).text
    names = re.findall(r"^\s+(\S+__mutmut_\d+): (survived|no tests|timeout|suspicious)", listed, re.MULTILINE)
    text = listed + "".join(shop.run([tool, "show", one], room, env=env).text for one, _ in names)
    facts = [Fact("name", (one,)) for one, _ in names]
    for one, _ in names:
        shown = shop.run([tool, "show", one], room, env=env).text
        facts += [Fact("change", (line,)) for line in shown.splitlines() if re.match(r"\+(?!\+)", line)]
    yield Item(name, MUTANTS, "text", "mutmut results", text, said_in(facts, text))


STRYKER_TESTS = """const assert = require('assert'); const q = require('../quay.js'), y = require('../yard.js');
describe('quay', () => {
  it('is deep', () => assert.equal(q.level(9, 3), 'deep'));
  it('costs', () => assert.ok(q.fee(10, 2) > 20));
  it('slings', () => assert.equal(y.sling(100, 0, false), 'rope'));
  it('stacks', () => assert.ok(y.stack([3, 2, 5], 2).length > 1));
  it('has a berth', () => assert.equal(q.berth([9, 9, 9], 8), 2));
});
"""
STRYKER_CODE = """function level(tide, draught) {
  if (tide > draught + 2) return 'deep';
  if (tide === draught || draught < 0) return 'aground';
  return 'tight';
}
function fee(length, nights, member) {
  let total = length * 4 + nights * 7;
  if (member) total -= 10;
  if (nights >= 7) total *= 0.9;
  return Math.max(total, 15);
}
function berth(boats, length) {
  for (let at = 0; at < boats.length; at++) {
    if (boats[at] >= length && at % 2 === 1) return at + 1;
  }
  return null;
}
function signal(wind, fog, night) {
  const flags = [];
  if (wind > 12 && !fog) flags.push('red');
  else if (wind > 8 || fog) flags.push('yellow');
  if (night) flags.push('lamp');
  return flags.join('-') || 'none';
}
module.exports = { level, fee, berth, signal };
"""

YARD_CODE = """function sling(weight, angle, wet) {
  const force = weight / Math.cos(angle);
  if (force > 900 || wet) return 'double';
  if (force <= 300 && !wet) return 'rope';
  return 'chain';
}
function shift(hour, crew, holiday) {
  if (hour < 6 || hour >= 22) return crew.length > 2 ? 'night' : 'closed';
  if (holiday === true && crew.length < 4) return 'closed';
  return hour < 14 ? 'early' : 'late';
}
function stack(crates, limit) {
  const piles = [];
  let open = [];
  for (const crate of crates) {
    if (open.length >= limit || (open.length > 0 && crate > open[open.length - 1])) {
      piles.push(open);
      open = [];
    }
    open.push(crate);
  }
  if (open.length) piles.push(open);
  return piles.map((pile) => pile.reduce((sum, one) => sum + one, 0));
}
function label(boat) {
  const parts = [boat.name.trim().toUpperCase(), boat.port || 'unknown'];
  if (boat.length >= 12) parts.push('large');
  return parts.filter((part) => part !== '').join(' / ');
}
module.exports = { sling, shift, stack, label };
"""


def stryker_run(name: str, shop: Shop) -> Iterator[Item]:
    """What Stryker tells of mutants; the facts are those of its JSON: each that lived, with its place and change."""
    tools = npm_room(shop)
    where = os.path.join(tools, name)
    write(os.path.join(where, "quay.js"), STRYKER_CODE)
    write(os.path.join(where, "yard.js"), YARD_CODE)
    write(os.path.join(where, "test", "quay.test.js"), STRYKER_TESTS)
    write(os.path.join(where, "package.json"), '{"name": "quay", "private": true}')
    settings = {
        "testRunner": "command",
        "commandRunner": {"command": f"{tools}/node_modules/.bin/mocha"},
        "mutate": ["quay.js", "yard.js"],
        "reporters": ["clear-text", "json"],
        "concurrency": 1,
        "inPlace": True,
        "allowConsoleColors": False,
        "disableTypeChecks": False,
        "checkers": [],
        "clearTextReporter": {"allowEmojis": False},
    }
    write(os.path.join(where, "stryker.conf.json"), json.dumps(settings))
    room = shop.room(name)
    text = plain(
        report_file(shop, ["sh", "-c", f"{tools}/node_modules/.bin/stryker run stryker.conf.json 2>&1"], where, room)
    ).replace(where, "/srv/quay")
    report = json.loads(read(os.path.join(where, "reports", "mutation", "mutation.json")))
    facts = []
    for path, file in report["files"].items():
        for one in file["mutants"]:
            if one["status"] in {"Survived", "NoCoverage", "Timeout"}:
                start = one["location"]["start"]
                facts += [
                    Fact("location", (f"{path}:{start['line']}:{start['column']}",)),
                    Fact("message", (one["mutatorName"],)),
                ]
                facts += (
                    [Fact("message", (one["replacement"].split("\n")[0][:80],))] if len(one["replacement"]) > 8 else []
                )
    facts += last_words(text, r"^All files .*$|^ (?:quay|yard)\.js .*$|^Ran .* tests per mutant.*$")
    shutil.rmtree(where)
    yield Item(name, MUTANTS, "text", "stryker run", text, said_in(facts, text))


API = """from flask import Flask, jsonify, request
app = Flask(__name__)
paths = {}
for n in range(64):
    ok = {"200": {"description": "ok", "content": {"application/json": {"schema": {"type": "object", "properties": {"level": {"type": "integer"}}, "required": ["level"]}}}}}
    paths[f"/gauge{n}"] = {"get": {"operationId": f"gauge{n}", "parameters": [{"name": "depth", "in": "query", "required": True, "schema": {"type": "integer", "minimum": 0, "maximum": 90}}], "responses": ok}}
    def answer(n=n):
        depth = request.args.get("depth", "0")
        if n % 7 == 3 and depth.isdigit() and int(depth) > 4: raise RuntimeError(f"gauge {n} is frozen")
        if n % 5 == 2: return jsonify({"level": f"{n} cm"})
        if n % 11 == 6: return jsonify({"level": n}), 418
        if n % 6 == 4: return "level", 200, {"Content-Type": "text/plain"}
        return jsonify({"level": n})
    app.add_url_rule(f"/gauge{n}", f"gauge{n}", answer)
@app.route("/openapi.json")
def spec(): return jsonify({"openapi": "3.0.3", "info": {"title": "quay", "version": "1"}, "paths": paths})
"""


def schemathesis_run(name: str, shop: Shop) -> Iterator[Item]:
    """What schemathesis says of an interface on loopback; the facts are those of its JUnit report and what was planted."""
    python = INTERFACES.python(shop)
    room = shop.room(name)
    write(os.path.join(room, "app.py"), API)
    port = free_port()
    tools = os.path.dirname(python)
    with running(
        [python, "-m", "flask", "--app", "app", "run", "--port", str(port)],
        room,
        lambda: listens(port),
        shop.environment(),
    ):
        command = [
            os.path.join(tools, "schemathesis"),
            "run",
            f"http://127.0.0.1:{port}/openapi.json",
            "--checks",
            "all",
            "--hypothesis-seed=1",
            "--hypothesis-max-examples=12",
            "--no-color",
            "--junit-xml=all.xml",
            "--hypothesis-database=none",
        ]
        text = (
            plain(shop.run(command, room, env={"HOME": room}).text)
            .replace(f":{port}", ":8000")
            .replace(room, "/srv/quay")
        )
    bad = [n for n in range(64) if n % 7 == 3 or n % 5 == 2 or n % 11 == 6 or n % 6 == 4]
    facts = [Fact("name", (f"GET /gauge{n}",)) for n in bad]
    facts += [Fact("message", (f'"{n} cm"', f"{n} cm")) for n in bad if n % 5 == 2 and n % 7 != 3]
    facts += last_words(
        text,
        r"^\d+\. (?:Test Case ID: )?\w.*$|^- [A-Z][^\n]{3,70}$|^\[\d+\] .*$|^\s+\w+ +\d+ / \d+ passed +\w+.*$|^=+ .* =+$",
    )
    facts = [fact for fact in facts if "Test Case ID" not in (fact.spellings or ("",))[0]]
    yield Item(
        name, INTERFACE, "text", "schemathesis run http://127.0.0.1:8000/openapi.json", text, said_in(facts, text)
    )


RECIPES = {
    "mutmut-quay": partial(mutmut_run, "mutmut-quay"),
    "stryker-quay": partial(stryker_run, "stryker-quay"),
    "schemathesis-gauges": partial(schemathesis_run, "schemathesis-gauges"),
}
