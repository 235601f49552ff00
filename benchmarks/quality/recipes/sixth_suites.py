"""Test runners that nobody tunes on; the facts are those of their reports for machines, or planted failures."""

import os
import re
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import Failure, failure_facts, first_line, junit_failures, said_in
from shop import Shop

from recipes.fifth_suites import last_words
from recipes.held_linters import read
from recipes.held_suites import write
from recipes.sixth_tools import npm_room, npm_tool, tool_of
from recipes.third_linters import report_file

SUITE = "test runner"

CASES = """import logging, unittest
log = logging.getLogger("shelf")
class Shelf{n}(unittest.TestCase):
    def test_weight_{n}(self):
        log.warning("weighing shelf {n}")
        self.assertEqual({n} * 3, {n} * 3{wrong})
    def test_door_{n}(self):
        self.assertIn("lid", {{"lid": {n}}})
    def test_label_{n}(self):
        {label}
    @unittest.{skip}
    def test_box_{n}(self):
        self.assertTrue({box})
"""


def unittest_files(room: str, count: int = 40) -> list[Fact]:
    """A suite in many files of which some cases fail; the facts are these."""
    facts: list[Fact] = []
    for number in range(count):
        wrong = " + 1" if number % 7 == 3 else ""
        label = f'raise KeyError("label of shelf {number}")' if number % 9 == 5 else "pass"
        skip = (
            f'skip("box {number} is away")'
            if number % 13 == 2
            else "expectedFailure"
            if number % 13 == 8
            else "skipIf(False, '')"
        )
        write(
            os.path.join(room, "tests", f"test_area_{number}.py"),
            CASES.format(n=number, wrong=wrong, label=label, skip=skip, box="False" if number % 13 == 8 else "True"),
        )
        facts += (
            [Fact("name", (f"test_weight_{number}",)), Fact("message", (f"{number * 3} != {number * 3 + 1}",))]
            if wrong
            else []
        )
        facts += (
            [Fact("name", (f"test_label_{number}",)), Fact("message", (f"label of shelf {number}",))]
            if number % 9 == 5
            else []
        )
        facts += [Fact("name", (f"test_box_{number}",))] if number % 13 == 2 else []
    write(os.path.join(room, "tests", "__init__.py"), "")
    return facts


def stestr_run(name: str, shop: Shop) -> Iterator[Item]:
    """What stestr prints of a suite; the facts are the cases that fail, break or are left out."""
    tool = tool_of(shop, "stestr")
    room = shop.room(name)
    facts = unittest_files(room)
    write(os.path.join(room, ".stestr.conf"), "[DEFAULT]\ntest_path=./tests\ntop_dir=./\n")
    env = {"PATH": os.pathsep.join([os.path.dirname(tool), shop.environment()["PATH"]])}
    text = shop.run([tool, "run", "--serial", "--slowest"], room, env=env).text.replace(f"{room}/", "")
    facts += last_words(text, r"^ - (?:Passed|Skipped|Expected Fail|Unexpected Success|Failed): .*")
    yield Item(name, SUITE, "text", "stestr run", text, said_in(facts, text))


CRITERION = """Test(area_%(area)d, shelf_%(n)d) { cr_assert_eq(%(n)d * 3, %(n)d * 3 + %(wrong)d, "shelf %(n)d weighs too much"); }
Test(area_%(area)d, door_%(n)d) { %(door)s }
"""


def criterion_run(name: str, shop: Shop) -> Iterator[Item]:
    """What a program built with Criterion prints; the facts are the planted failures and its totals."""
    if not os.path.exists("/usr/include/criterion/criterion.h"):
        shop.apt("libcriterion-dev")
    room = shop.room(name)
    lines, facts = "#include <criterion/criterion.h>\n#include <stdlib.h>\n", []
    for number in range(150):
        door = (
            f"abort(); /* {number} */"
            if number % 17 == 6
            else f'cr_expect(1 == 2, "door {number} is shut");'
            if number % 13 == 5
            else "cr_assert(1);"
        )
        lines += CRITERION % {"n": number, "area": number % 5, "wrong": number % 8 == 3, "door": door}
        facts += (
            [
                Fact("name", (f"area_{number % 5}::shelf_{number}",)),
                Fact("message", (f"shelf {number} weighs too much",)),
            ]
            if number % 8 == 3
            else []
        )
        facts += [Fact("odd", (), (f"area_{number % 5}::door_{number}", "CRASH!"))] if number % 17 == 6 else []
        facts += [Fact("message", (f"door {number} is shut",))] if number % 13 == 5 and number % 17 != 6 else []
    write(os.path.join(room, "all.c"), lines)
    shop.run(["gcc", "-o", "criterion-shelf", "all.c", "-lcriterion"], room).check()
    text = shop.run(["./criterion-shelf", "--verbose", "-j1", "--color=never"], room).text
    facts += last_words(text, r"^\[====\] Synthesis: .*")
    facts += [Fact("location", (one,)) for one in dict.fromkeys(re.findall(r"all\.c:\d+(?=: Assertion)", text))]
    yield Item(name, SUITE, "text", "criterion-shelf --verbose", text, said_in(facts, text))


def catch_run(name: str, shop: Shop) -> Iterator[Item]:
    """What a program built with Catch2 prints; the facts are those of its JUnit report."""
    if not os.path.exists("/usr/include/catch2/catch.hpp"):
        shop.apt("catch2")
    room = shop.room(name)
    lines = "#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\n"
    for number in range(40):
        lines += f'TEST_CASE("shelf {number} is weighed", "[area{number % 3}]") {{\n  int weight = {number} * 7;\n'
        lines += f'  SECTION("when the door is open") {{ CHECK(weight == {number * 7 + (number % 6 == 2)}); }}\n'
        lines += f'  SECTION("when the lid is shut") {{ {"throw std::runtime_error(" + chr(34) + f"lid {number} is stuck" + chr(34) + ");" if number % 9 == 4 else "REQUIRE(true);"} }}\n}}\n'
    write(os.path.join(room, "all.cpp"), lines)
    shop.run(["g++", "-O0", "-std=c++17", "-o", "catch2-shelf", "all.cpp"], room).check()
    text = shop.run(["./catch2-shelf", "-s"], room).text
    report = shop.run(["./catch2-shelf", "-r", "junit"], room, apart=True).text
    failures = [Failure(one.name.split("/")[0], first_line(one.message)) for one in junit_failures(report)]
    facts = failure_facts(failures, *last_words(text, r"^test cases: .*|^assertions: .*"))
    facts += tuple(Fact("message", (f"lid {number} is stuck",)) for number in range(40) if number % 9 == 4)
    facts += tuple(
        Fact("location", (one,))
        for one in dict.fromkeys(re.findall(r"^(all\.cpp:\d+)(?=: FAILED)", text, re.MULTILINE))
    )
    yield Item(name, SUITE, "text", "catch2-shelf -s", text, said_in(facts, text))


def cmocka_run(name: str, shop: Shop) -> Iterator[Item]:
    """What a program built with cmocka prints; the facts are those of its XML."""
    if not os.path.exists("/usr/include/cmocka.h"):
        shop.apt("libcmocka-dev")
    room = shop.room(name)
    lines, calls = "#include <stdarg.h>\n#include <stddef.h>\n#include <setjmp.h>\n#include <cmocka.h>\n", ""
    for number in range(110):
        body = {
            3: f"assert_int_equal({number * 3}, {number * 3 + 1});",
            7: f'assert_string_equal("lid {number}", "door {number}");',
            9: "skip();",
        }.get(number % 14, "assert_true(1);")
        lines += f"static void shelf_{number}_is_weighed(void **state) {{ (void)state; {body} }}\n"
        calls += f"    cmocka_unit_test(shelf_{number}_is_weighed),\n"
    write(
        os.path.join(room, "all.c"),
        f"{lines}int main(void) {{\n  const struct CMUnitTest tests[] = {{\n{calls}  }};\n  return cmocka_run_group_tests(tests, NULL, NULL);\n}}\n",
    )
    shop.run(["gcc", "-o", "cmocka-shelf", "all.c", "-lcmocka"], room).check()
    text = shop.run(["./cmocka-shelf"], room).text
    report = shop.run(["./cmocka-shelf"], room, env={"CMOCKA_MESSAGE_OUTPUT": "xml"}, apart=True).text
    failures = junit_failures(report[report.index("<?xml") :] if "<?xml" in report else report)
    facts = failure_facts(failures, *last_words(text, r"^\[  (?:PASSED|SKIPPED|FAILED)  \] \w+: \d+ .*"))
    facts += tuple(
        Fact("odd", (), (f"shelf_{number}_is_weighed", "SKIPPED")) for number in range(110) if number % 14 == 9
    )
    facts += tuple(Fact("location", (one,)) for one in dict.fromkeys(re.findall(r"(all\.c:\d+)(?=: error)", text)))
    yield Item(name, SUITE, "text", "cmocka-shelf", text, said_in(facts, text))


def brittle_run(name: str, shop: Shop) -> Iterator[Item]:
    """What brittle prints of a suite; the facts are the planted failures and its totals."""
    room = shop.room(name)
    os.symlink(os.path.join(npm_room(shop), "node_modules"), os.path.join(room, "node_modules"))
    facts, paths = [], []
    for number in range(30):
        body = "const test = require('brittle');\n"
        for at in range(4):
            wrong = number % 6 == 2 and at == 1
            body += f"test('shelf {number} keeps parcel {at}', t => {{ t.is({number} * {at}, {number * at + wrong}, 'weight of parcel {at}'); t.ok(true, 'door {number} opens'); }});\n"
            facts += [Fact("message", (f"shelf {number} keeps parcel {at}",))] if wrong else []
        body += (
            f"test('lid {number}', async t => {{ throw new Error('lid {number} is stuck'); }});\n"
            if number == 17
            else f"test.skip('label {number}', t => {{}});\n"
            if number % 10 == 7
            else ""
        )
        path = f"area-{number % 3}/shelf-{number}.js"
        write(os.path.join(room, path), body)
        paths.append(path)
        facts += [Fact("path", (path,))] if number % 6 == 2 else []
    text = report_file(
        shop,
        ["sh", "-c", f"{npm_tool(shop, 'brittle-node')} {' '.join(paths)} 2>&1"],
        room,
        shop.room(f"{name}-report"),
    ).replace(f"{room}/", "")
    text = text.replace(npm_room(shop), "/room")
    facts += [Fact("message", (f"label {number}",)) for number in (7, 27)] + [Fact("message", ("lid 17 is stuck",))]
    facts += [Fact("message", (f"actual: {number}",)) for number in range(30) if number % 6 == 2 and number]
    facts += last_words(text, r"^# (?:tests|asserts|time) *=.*|^# (?:not )?ok$|^not ok \d+ - .*")
    yield Item(name, SUITE, "text", "brittle-node", text, said_in(facts, text))


LUA = """TestShelf{n} = {{}}
function TestShelf{n}:test_weight() lu.assertEquals({n} * 3, {n} * 3{wrong}) end
function TestShelf{n}:test_door() lu.assertIsTable({{ {n} }}) end
function TestShelf{n}:test_label() {label} end
"""


def luaunit_run(name: str, shop: Shop) -> Iterator[Item]:
    """What LuaUnit prints of a suite; the facts are those of its JUnit report."""
    shop.install("lua5.3")
    if not os.path.exists("/usr/share/lua/5.3/luaunit.lua"):
        shop.apt("lua-unit")
    room = shop.room(name)
    lines = "lu = require('luaunit')\n"
    for number in range(150):
        wrong = " + 1" if number % 9 == 4 else ""
        label = (
            f'error("label {number} is smudged")'
            if number % 14 == 6
            else f'lu.skip("label {number} is away")'
            if number % 21 == 2
            else f'lu.assertStrContains("lid {number}", "lid")'
        )
        lines += LUA.format(n=number, wrong=wrong, label=label)
    write(os.path.join(room, "all.lua"), f"{lines}os.exit(lu.LuaUnit.run())\n")
    text = shop.run(["lua5.3", "all.lua", "-v"], room).text
    shop.run(["lua5.3", "all.lua", "-o", "junit", "-n", f"{room}/report"], room)
    failures = junit_failures(read(os.path.join(room, "report.xml")))
    facts = failure_facts(failures, *last_words(text, r"^Ran \d+ tests .*"))
    facts += tuple(
        Fact("message", (f"label {number} is away",)) for number in range(150) if number % 21 == 2 and number % 14 != 6
    )
    yield Item(name, SUITE, "text", "luaunit all.lua -v", text, said_in(facts, text))


def plunit_run(name: str, shop: Shop) -> Iterator[Item]:
    """What Prolog's own runner prints; the facts are the planted failures with their places."""
    shop.install("swipl", "swi-prolog-nox")
    room = shop.room(name)
    lines, facts, at = ":- use_module(library(plunit)).\n", [], 1
    for area in range(36):
        lines += f":- begin_tests(area_{area}).\n"
        at += 1
        for number in range(area * 20, area * 20 + 20):
            body = {
                3: f"{number} =:= {number + 1}",
                6: f"throw(lid_{number}_is_stuck)",
                8: f"member(X, [{number}, {number}]), X > 0",
            }.get(number % 10, "true")
            lines += f"test(shelf_{number}) :- {body}.\n"
            at += 1
            facts += (
                [Fact("name", (f"shelf_{number}",)), Fact("message", (f"all.pl:{at}",))]
                if number % 10 in {3, 6, 8}
                else []
            )
            facts += [Fact("name", (f"lid_{number}_is_stuck",))] if number % 10 == 6 else []
        lines += f":- end_tests(area_{area}).\n"
        at += 1
    write(os.path.join(room, "all.pl"), lines)
    text = shop.run(["swipl", "-g", "run_tests", "-t", "halt", "all.pl"], room).text.replace(f"{room}/", "")
    facts += last_words(text, r"^% .*(?:tests? (?:failed|passed)|succeeded|failed).*")
    yield Item(name, SUITE, "text", "swipl -g run_tests all.pl", text, said_in(facts, text))


RECIPES = {
    "stestr-shelves": partial(stestr_run, "stestr-shelves"),
    "criterion-shelves": partial(criterion_run, "criterion-shelves"),
    "catch2-shelves": partial(catch_run, "catch2-shelves"),
    "cmocka-shelves": partial(cmocka_run, "cmocka-shelves"),
    "brittle-shelves": partial(brittle_run, "brittle-shelves"),
    "luaunit-shelves": partial(luaunit_run, "luaunit-shelves"),
    "plunit-shelves": partial(plunit_run, "plunit-shelves"),
}
