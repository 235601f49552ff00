"""Test runners that nobody tunes on: suites written here with mistakes in them; reports for machines or these tell the facts."""

import json
import os
import re
from collections.abc import Iterator
from functools import partial
from xml.etree import ElementTree as ET

from items import Fact, Item
from reports import Failure, failure_facts, said_in
from shop import Shop

from recipes.fifth_linters import npm_room, npm_tool, python_tools, tool_of
from recipes.fourth_suites import python_suite
from recipes.held_linters import read
from recipes.held_suites import write
from recipes.third_linters import report_file

RUNNER = "test runner"


def plain(text: str) -> str:
    """The text without colours."""
    return re.sub(r"\x1b\[[\d;]*m", "", text)


def last_words(text: str, pattern: str) -> list[Fact]:
    """The lines that sum up."""
    return [Fact("message", (line.strip(),)) for line in re.findall(pattern, text, re.MULTILINE)]


def green_run(name: str, shop: Shop) -> Iterator[Item]:
    """What green prints of a suite; the facts are those of its JUnit report."""
    python = python_tools(shop)
    room = shop.room(name)
    python_suite(room, "tests", 16)
    write(os.path.join(room, "tests", "__init__.py"), "")
    command = [python, "-m", "green", "-vv", "-s", "1", "--no-skip-report", "-T", "-j", "report.xml", "tests"]
    text = plain(shop.run(command, room).text).replace(f"{room}/", "")
    failed = []
    for case in ET.parse(os.path.join(room, "report.xml")).iter("testcase"):
        for bad in (*case.findall("failure"), *case.findall("error")):
            said = re.findall(r"parcel \d+ is \w+", bad.text or "")
            failed.append(Failure(case.get("name") or "", said[-1] if said else ""))
    facts = failure_facts(failed, *last_words(text, r"^(?:Ran \d+ tests.*|FAILED \(.*)$"))
    yield Item(name, RUNNER, "text", "green -vv tests", text, said_in(facts, text))


WARD = """from ward import fixture, test

@fixture
def scales():
    return {{"shelf": {n}}}

for number in range(12):
    at = {n} * 12 + number

    @test(f"parcel {{at}} of shelf {n} is weighed")
    def _(scales=scales, at=at):
        if at % 37 == 4:
            raise KeyError(f"no label on {{at}}")
        assert at % 29 != 3, f"lid of {{at}} is open"
"""


def ward_run(name: str, shop: Shop) -> Iterator[Item]:
    """What ward prints of a suite; the facts are the mistakes that were planted."""
    tool = tool_of(shop, "ward")
    room = shop.room(name)
    failed = []
    for number in range(18):
        write(os.path.join(room, "tests", f"test_shelf_{number}.py"), WARD.format(n=number))
        for at in range(number * 12, number * 12 + 12):
            if at % 37 == 4 or at % 29 == 3:
                said = f"no label on {at}" if at % 37 == 4 else f"lid of {at} is open"
                failed.append(Failure(f"parcel {at} of shelf {number} is weighed", said))
    text = plain(shop.run([tool, "--path", "tests"], room).text).replace(f"{room}/", "")
    facts = failure_facts(failed, *last_words(text, r"\d+ +(?:Tests Encountered|Passes|Failures)"))
    yield Item(name, RUNNER, "text", "ward --path tests", text, said_in(facts, text))


LAB = """const assert = require('assert');
const lab = exports.lab = require('{lab}').script();
lab.experiment('shelf {n}', () => {{
  for (let c = 0; c < 10; c++) lab.test(`parcel ${{c}} is weighed`, () => {{
    const at = {n} * 10 + c;
    if (at % 37 === 4) throw new TypeError(`no scales for ${{at}}`);
    assert.strictEqual(at % 29 === 3 ? 'open' : 'shut', 'shut', `lid of parcel ${{at}}`);
  }});
}});
"""


def lab_run(name: str, shop: Shop) -> Iterator[Item]:
    """What lab prints of a suite; the facts are those of its JSON."""
    room = shop.room(name)
    library = os.path.join(npm_room(shop), "node_modules", "@hapi", "lab")
    for number in range(20):
        write(os.path.join(room, "test", f"shelf-{number}.js"), LAB.format(n=number, lab=library))
    tool = [npm_tool(shop, "lab"), "-l", "-C", "-v"]
    text = plain(report_file(shop, [*tool, "test"], room, room)).replace(f"{room}/", "").replace(npm_room(shop), "")
    report = json.loads(report_file(shop, [*tool, "-r", "json", "test"], room, room))
    failed = []
    for group, cases in report["tests"].items():
        for case in cases:
            if case["err"]:
                title = case["title"].removeprefix(f"{group} ")
                failed.append(Failure(f"{group} {title}", case["err"] if isinstance(case["err"], str) else ""))
    said = [Fact("name", (one,)) for one in re.findall(r"no scales for \d+|lid of parcel \d+", text)]
    facts = failure_facts(failed, *said, *last_words(text, r"^\d+ of \d+ tests failed"))
    yield Item(name, RUNNER, "text", "lab -v test", text, said_in(facts, text))


UVU = """const {{ suite }} = require('{uvu}');
const assert = require('{uvu}/assert');
const shelf = suite('shelf {n}');
for (let c = 0; c < 10; c++) shelf(`parcel ${{c}} of {n}`, () => {{
  const at = {n} * 10 + c;
  if (at % 37 === 4) throw new TypeError(`no scales for ${{at}}`);
  assert.equal({{ weight: c, lid: at % 29 === 3 ? 'open' : 'shut' }}, {{ weight: c, lid: 'shut' }}, `lid of ${{at}}`);
}});
shelf.run();
"""
POKU = """const {{ test, assert }} = require('{poku}');
for (let c = 0; c < 10; c++) test(`parcel ${{c}} of {n}`, () => {{
  const at = {n} * 10 + c;
  assert.strictEqual(at % 29 === 3 ? 'open' : 'shut', 'shut', `lid of ${{at}}`);
  assert.ok(at % 37 !== 4, `no scales for ${{at}}`);
}});
"""


def node_run(name: str, tool: str, body: str, shop: Shop) -> Iterator[Item]:
    """What a runner of node's prints of a suite; the facts are the mistakes that were planted."""
    room = shop.room(name)
    library = os.path.join(npm_room(shop), "node_modules", tool)
    facts = []
    for number in range(24):
        path = f"test/shelf-{number}.test.js"
        write(os.path.join(room, path), body.format(n=number, uvu=library, poku=library))
        for at in range(number * 10, number * 10 + 10):
            if at % 37 == 4 or at % 29 == 3:
                facts += [Fact("name", (f"no scales for {at}" if at % 37 == 4 else f"lid of {at}",))]
                facts += [
                    Fact("name", (f"parcel {at % 10} of {number}",)),
                    Fact("path", (path, os.path.basename(path))),
                ]
    text = plain(report_file(shop, [npm_tool(shop, tool), "test"], room, room)).replace(f"{room}/", "")
    text = text.replace(npm_room(shop), "")
    facts += last_words(text, r"^ *(?:Total|Passed):? .*|PASS \S \d+|FAIL \S \d+")
    yield Item(name, RUNNER, "text", f"{tool} test", text, said_in(facts, text))


def cram_run(name: str, shop: Shop) -> Iterator[Item]:
    """What cram prints of tests of a shell; the facts are the files and lines that were written wrongly."""
    tool = tool_of(shop, "cram")
    room = shop.room(name)
    facts = []
    for number in range(60):
        body = ""
        for case in range(12):
            at = number * 12 + case
            wrong = at % 13 == 5
            body += (
                f"Parcel {at}:\n\n  $ echo weight of {at} is $(({at} * 3))\n  weight of {at} is {at * 3 + wrong}\n\n"
            )
            if wrong:
                facts += [Fact("message", (f"-  weight of {at} is {at * 3 + 1}",))]
                facts += [Fact("message", (f"+  weight of {at} is {at * 3}",)), Fact("path", (f"shelf-{number}.t",))]
        if number == 31:
            body += "Lost:\n\n  $ cat lost.txt\n\n"
            facts += [Fact("message", ("cat: lost.txt: No such file or directory",)), Fact("path", ("shelf-31.t",))]
        write(os.path.join(room, f"shelf-{number}.t"), body)
    text = shop.run([tool, "--verbose", *sorted(os.listdir(room))], room).text.replace(f"{room}/", "")
    facts += last_words(text, r"^# Ran .*")
    yield Item(name, RUNNER, "text", "cram --verbose .", text, said_in(facts, text))


def shunit_run(name: str, shop: Shop) -> Iterator[Item]:
    """What shunit2 prints of suites of a shell; the facts are the mistakes that were planted."""
    shop.install("shunit2")
    room = shop.room(name)
    facts, script = [], ""
    for number in range(32):
        body = ""
        for case in range(12):
            at = number * 12 + case
            wrong = at % 19 == 5
            body += f'testParcel{at}() {{\n  echo weighing {at}\n  assertEquals "weight of parcel {at}" {at * 3} $(({at} * 3 + {int(wrong)}))\n}}\n'
            if wrong:
                facts += [Fact("message", (f"weight of parcel {at} expected:<{at * 3}> but was:<{at * 3 + 1}>",))]
                facts += [Fact("name", (f"testParcel{at}",))]
        write(os.path.join(room, f"shelf_{number}.sh"), f"{body}. shunit2\n")
        script += f"sh shelf_{number}.sh\n"
    write(os.path.join(room, "all.sh"), script)
    text = plain(shop.run(["sh", "all.sh"], room, env={"SHUNIT_COLOR": "none"}).text)
    facts += last_words(text, r"^FAILED \(failures=\d+\)")
    yield Item(name, RUNNER, "text", "shunit2 shelf_*.sh", text, said_in(facts, text))


CHECK = """#include <check.h>
#include <stdlib.h>
int weigh(int parcel) { return parcel % 19 == 5 ? parcel * 3 + 1 : parcel * 3; }
"""
CHECK_MAIN = """int main(void) {
  SRunner *runner = srunner_create(suite_create("shelves"));
%s  srunner_set_xml(runner, "report.xml");
  srunner_run_all(runner, CK_VERBOSE);
  return srunner_ntests_failed(runner) > 0;
}
"""


def check_run(name: str, shop: Shop) -> Iterator[Item]:
    """What a suite of libcheck prints; the facts are those of its XML."""
    shop.need("gcc")
    if not os.path.exists("/usr/include/check.h"):
        shop.apt("check")
    room = shop.room(name)
    body, adding = CHECK, ""
    for number in range(16):
        adding += f'  {{ Suite *s = suite_create("shelf {number}"); TCase *t = tcase_create("area {number % 3}");\n'
        for case in range(18):
            at = number * 18 + case
            wrong = f"int *lost = NULL; *lost = {at};" if at == 77 else f"exit({at});" if at == 131 else ""
            body += f"START_TEST(parcel_{at}) {{\n  {wrong}\n  ck_assert_int_eq(weigh({at}), {at * 3});\n}} END_TEST\n"
            adding += f"  tcase_add_test(t, parcel_{at});\n"
        adding += "  suite_add_tcase(s, t); srunner_add_suite(runner, s); }\n"
    write(os.path.join(room, "shelves.c"), body + CHECK_MAIN % adding)
    build = ["gcc", "-w", "-o", "check-shelf", "shelves.c", "-lcheck", "-lsubunit", "-pthread", "-lrt", "-lm"]
    shop.run(build, room).check()
    text = shop.run(["./check-shelf"], room).text
    space = "{http://check.sourceforge.net/ns}"
    facts = last_words(text, r"^\d+%: Checks.*")
    for told in ET.fromstring(read(os.path.join(room, "report.xml"))).iter(f"{space}test"):
        if told.get("result") != "success":
            about = {one.tag.removeprefix(space): one.text or "" for one in told}
            facts += [
                Fact("name", (about["id"],)),
                Fact("message", (about["message"][:90],)),
                Fact("message", (about["fn"],)),
            ]
    yield Item(name, RUNNER, "text", "./check-shelf", text, said_in(facts, text))


EUNIT = """-module(shelf_{n}_tests).
-compile(export_all).
-compile(nowarn_export_all).
weigh(Parcel) when Parcel rem 37 =:= 4 -> erlang:error({{no_scales, Parcel}});
weigh(Parcel) when Parcel rem 19 =:= 5 -> Parcel * 3 + 1;
weigh(Parcel) -> Parcel * 3.
"""


def eunit_run(name: str, shop: Shop) -> Iterator[Item]:
    """What EUnit prints of a suite; the facts are those of its reports in JUnit's form."""
    shop.install("erl", "erlang-base", "erlang-eunit")
    room = shop.room(name)
    modules = []
    for number in range(12):
        body = EUNIT.format(n=number)
        for at in range(number * 12, number * 12 + 12):
            body += f"parcel_{at}_test() -> {at * 3} = weigh({at}).\n"
        write(os.path.join(room, f"shelf_{number}_tests.erl"), body)
        modules.append(f"shelf_{number}_tests")
    shop.run(["erlc", *(f"{one}.erl" for one in modules)], room).check()
    asked = f'eunit:test([{",".join(modules)}], [verbose, {{report, {{eunit_surefire, [{{dir, "."}}]}}}}]), halt().'
    text = shop.run(["erl", "-noshell", "-eval", asked], room).text.replace(f"{room}/", "")
    facts = last_words(text, r"^  Failed: .*")
    for file in sorted(os.listdir(room)):
        if file.startswith("TEST-"):
            for case in ET.parse(os.path.join(room, file)).iter("testcase"):
                for bad in (*case.findall("failure"), *case.findall("error")):
                    said = re.findall(r"\{no_scales,\d+\}|\{badmatch,\d+\}", bad.text or "")
                    title = re.findall(r"parcel_\d+_test", case.get("name") or "")
                    facts += [Fact("name", (one,)) for one in title] + [Fact("message", (one,)) for one in said[:1]]
    yield Item(name, RUNNER, "text", "erl -eval eunit:test(...)", text, said_in(facts, text))


RECIPES = {
    "green-shelves": partial(green_run, "green-shelves"),
    "ward-shelves": partial(ward_run, "ward-shelves"),
    "lab-shelves": partial(lab_run, "lab-shelves"),
    "uvu-shelves": partial(node_run, "uvu-shelves", "uvu", UVU),
    "poku-shelves": partial(node_run, "poku-shelves", "poku", POKU),
    "cram-shelves": partial(cram_run, "cram-shelves"),
    "shunit2-shelves": partial(shunit_run, "shunit2-shelves"),
    "check-shelves": partial(check_run, "check-shelves"),
    "eunit-shelves": partial(eunit_run, "eunit-shelves"),
}
