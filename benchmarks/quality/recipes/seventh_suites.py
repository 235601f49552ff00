"""Test runners that nobody tunes on; the facts are those of their reports for machines, or planted failures."""

import json
import os
import re
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import failure_facts, first_line, junit_failures, said_in
from shop import Shop

from recipes.fifth_suites import last_words, plain
from recipes.held_linters import read
from recipes.held_suites import write
from recipes.seventh_tools import npm_room, npm_tool, python_tools
from recipes.third_linters import report_file

SUITE = "test runner"

DENO = """function equal(a: unknown, b: unknown) {{ if (a !== b) throw new Error(`${{a}} is not ${{b}}`); }}
Deno.test("shelf {n} holds its weight", () => equal({n} * 3, {n} * 3{wrong}));
Deno.test("shelf {n} has a label", () => {{ {label} }});
Deno.test({{ name: "box {n} closes", ignore: {skip}, fn() {{ equal(typeof "lid", "string"); }} }});
Deno.test("door {n} opens", async (t) => {{
  await t.step("turn the key of door {n}", () => equal({n} % 5, {n} % 5));
  await t.step("push door {n}", () => {{ {push} }});
}});
"""


def deno_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `deno test` prints; the facts are those of its JUnit report."""
    tool = npm_tool(shop, "deno")
    room = shop.room(name)
    for number in range(40):
        write(os.path.join(room, "tests", f"area_{number}_test.ts"), DENO.format(
            n=number, wrong=" + 1" if number % 7 == 3 else "", skip="true" if number % 13 == 2 else "false",
            label=f'throw new TypeError("label of shelf {number} is gone")' if number % 9 == 5 else "",
            push=f'throw new RangeError("door {number} is jammed")' if number % 11 == 6 else "",
        ))  # fmt: skip
    command = [tool, "test", "--no-check", "--no-config", "--junit-path=report.xml", "tests"]
    text = plain(shop.run(command, room).text).replace(f"file://{room}/", "./").replace(f"{room}/", "")
    failed = [one._replace(place="") for one in junit_failures(read(os.path.join(room, "report.xml")))]
    facts = failure_facts(failed, *last_words(text, r"^(?:FAILED|ok) \| .*"))
    planted = [f"label of shelf {n} is gone" for n in range(5, 40, 9)] + [
        f"door {n} is jammed" for n in range(6, 40, 11)
    ]
    planted += [f"{n * 3} is not {n * 3 + 1}" for n in range(3, 40, 7)]
    more = [Fact("message", (one,)) for one in planted]
    yield Item(name, SUITE, "text", "deno test tests", text, said_in((*facts, *more), text))


PLAYWRIGHT = """const {{ test, expect }} = require('@playwright/test');
test.describe('area {n}', () => {{
  test('weighs parcels', async () => {{ expect({n} * 3).toBe({n} * 3{wrong}); }});
  test('reads labels', async () => {{ expect({{ label: 'shelf {n}', door: {n} }}).toEqual({{ label: 'shelf {n}', door: {door} }}); }});
  test('opens doors', async () => {{ test.skip({skip}, 'door {n} is away'); expect(['lid', 'box']).toContain('{what}'); }});
  test('closes doors', async () => {{ {close} }});
}});
"""


def playwright_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `playwright test` prints; the facts are those of its JSON."""
    tool = npm_tool(shop, "playwright")
    where = os.path.join(npm_room(shop), name)
    for number in range(36):
        write(os.path.join(where, "tests", f"area-{number}.spec.js"), PLAYWRIGHT.format(
            n=number, wrong=" + 1" if number % 7 == 3 else "", door=number + (number % 10 == 4),
            skip="true" if number % 13 == 2 else "false", what="key" if number % 12 == 7 else "lid",
            close=f"throw new Error('door {number} is jammed at level {number % 5}');" if number % 9 == 5 else "",
        ))  # fmt: skip
    write(
        os.path.join(where, "playwright.config.js"), "module.exports = { testDir: 'tests', workers: 1, retries: 0 };\n"
    )
    room = shop.room(name)
    text = plain(report_file(shop, [tool, "test", "--reporter=list"], where, room)).replace(f"{where}/", "")
    report = json.loads(report_file(shop, [tool, "test", "--reporter=json"], where, room))
    facts = []
    for suite in report["suites"]:
        for case in (case for inner in suite["suites"] for case in inner["specs"]):
            result = case["tests"][0]["results"][0] if case["tests"][0]["results"] else {}
            if result.get("status") not in ("failed", "timedOut"):
                continue
            at, said = result["error"]["location"], plain(result["error"]["message"])
            place = f"{os.path.relpath(at['file'], where)}:{at['line']}:{at['column']}"
            facts += [Fact("message", (f"{case['file']}:{case['line']}",)), Fact("location", (place,))]
            facts += [Fact("message", (first_line(said),))]
            facts += [
                Fact("message", (line.strip(),))
                for line in said.splitlines()
                if re.match(r"(?:Expected|Received)", line)
            ]
    facts += last_words(text, r"^ +\d+ (?:failed|passed|skipped).*")
    yield Item(name, SUITE, "text", "playwright test --reporter=list", text, said_in(facts, text))


DOCTEST = """TEST_CASE("shelf {n} holds its weight") {{
    int weight = {n} * 3;
    SUBCASE("empty") {{ CHECK(weight == {n} * 3{wrong}); }}
    SUBCASE("full") {{ CHECK_MESSAGE(weight + 1 > weight, "shelf {n} bends"); }}
}}
TEST_CASE("door {n} opens") {{ {door} }}
TEST_CASE("label {n} is read") {{ std::string label = "shelf {n}"; REQUIRE_EQ(label, "shelf {label}"); }}
"""


def doctest_run(name: str, shop: Shop) -> Iterator[Item]:
    """What a suite of doctest's (in C++) prints; the facts are those of its JUnit report."""
    shop.need("g++")
    room = shop.room(name)
    if not os.path.exists("/usr/include/doctest/doctest.h"):
        shop.apt("doctest-dev")
    files = []
    for number in range(4):
        cases = "".join(
            DOCTEST.format(
                n=key, wrong=" + 1" if key % 7 == 3 else "", label=key + (key % 11 == 6),
                door=f'throw std::runtime_error("door {key} is jammed");' if key % 9 == 5 else f"WARN({key} % 5 != 4);",
            )
            for key in range(number * 20, number * 20 + 20)
        )  # fmt: skip
        head = "#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN\n" if not number else ""
        head += "#include <doctest/doctest.h>\n#include <stdexcept>\n#include <string>\n"
        files.append(os.path.basename(write(os.path.join(room, f"area_{number}.cpp"), head + cases)))
    shop.run(["g++", "-O0", "-o", "doctest-shelf", *files], room, seconds=500).check()
    text = shop.run(["./doctest-shelf", "--no-colors=true"], room).text
    report = shop.run(["./doctest-shelf", "--reporters=junit", "--no-colors=true"], room, apart=True).text
    facts = failure_facts(one._replace(place="") for one in junit_failures(report[report.index("<") :]))
    facts += tuple(Fact("message", (f"door {n} is jammed",)) for n in range(5, 80, 9))
    facts += tuple(Fact("message", (f"values: CHECK( {n * 3} == {n * 3 + 1} )",)) for n in range(3, 80, 7))
    facts += tuple(Fact("location", (one,)) for one in re.findall(r"^(area_\d\.cpp:\d+): ERROR", text, re.MULTILINE))
    facts += tuple(last_words(text, r"^\[doctest\] (?:test cases|assertions|Status).*"))
    yield Item(name, SUITE, "text", "./doctest-shelf", text, said_in(facts, text))


BOOST = """BOOST_AUTO_TEST_CASE(weigh_{n}) {{ BOOST_CHECK_EQUAL({n} * 3, {n} * 3{wrong}); }}
BOOST_AUTO_TEST_CASE(label_{n}) {{ BOOST_TEST_MESSAGE("reading label {n}"); BOOST_REQUIRE_MESSAGE({label}, "label of shelf {n} is gone"); }}
BOOST_AUTO_TEST_CASE(door_{n}) {{ {door} }}
"""


def boost_run(name: str, shop: Shop) -> Iterator[Item]:
    """What a suite of Boost.Test prints; the facts are those of its JUnit log, and planted."""
    shop.need("g++")
    if not os.path.exists("/usr/include/boost/test/included/unit_test.hpp"):
        shop.apt("libboost-test-dev")
    room = shop.room(name)
    suites = ""
    for area in range(8):
        cases = "".join(
            BOOST.format(
                n=key, wrong=" + 1" if key % 7 == 3 else "", label="false" if key % 11 == 6 else "true",
                door=f'throw std::runtime_error("door {key} is jammed");' if key % 9 == 5 else f"BOOST_WARN({key} % 6 != 2);",
            )
            for key in range(area * 10, area * 10 + 10)
        )  # fmt: skip
        suites += f"BOOST_AUTO_TEST_SUITE(area_{area})\n{cases}BOOST_AUTO_TEST_SUITE_END()\n"
    head = "#define BOOST_TEST_MODULE shelves\n#include <boost/test/included/unit_test.hpp>\n#include <stdexcept>\n"
    write(os.path.join(room, "shelves.cpp"), head + suites)
    shop.run(["g++", "-O0", "-o", "boost-shelf", "shelves.cpp"], room, seconds=500).check()
    text = shop.run(["./boost-shelf", "--log_level=all", "--color_output=no"], room).text
    report = shop.run(["./boost-shelf", "--log_level=error", "--log_format=JUNIT"], room).text
    report = report[report.index("<?xml") : report.rindex("</testsuite>") + 12]
    facts = [Fact("message", (f'error: in "{one}"',)) for one in re.findall(r'error: in "([^"]+)"', text)]
    facts += [Fact("name", (one.name,)) for one in junit_failures(report)]
    facts += [Fact("message", (f"[{n * 3} != {n * 3 + 1}]",)) for n in range(3, 80, 7)]
    facts += [Fact("message", (f"label of shelf {n} is gone",)) for n in range(6, 80, 11)]
    facts += [Fact("message", (f"door {n} is jammed",)) for n in range(5, 80, 9)]
    facts += [
        Fact("location", (one,))
        for one in re.findall(r"^(shelves\.cpp[(:]\d+\)?): (?:fatal )?error", text, re.MULTILINE)
    ]
    facts += last_words(text, r"^\*\*\* \d+ failures? .*")
    yield Item(name, SUITE, "text", "./boost-shelf --log_level=all", text, said_in(facts, text))


EXPECT = """proc check {{name got wanted}} {{
    verbose "asking $name"
    if {{$got eq $wanted}} {{ pass $name }} else {{ fail "$name: $got, not $wanted" }}
}}
check "weight of shelf {n}" [expr {{{n} * 3}}] [expr {{{n} * 3{wrong}}}]
check "label of shelf {n}" "shelf {n}" "shelf {label}"
{odd}
check "box of shelf {n}" lid lid
"""


def dejagnu_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `runtest` prints of a suite; the facts are those of its summary file."""
    shop.install("runtest", "dejagnu")
    room = shop.room(name)
    for number in range(60):
        odd = {4: f'unresolved "door {number} was not looked at"', 9: f'setup_xfail "*-*-*"\nfail "door {number} is jammed"',
               13: f'untested "lift {number} is away"', 17: f'error "key {number} broke"'}.get(number % 20, 'pass "door"')  # fmt: skip
        write(os.path.join(room, "testsuite", f"shelf.area{number % 4}", f"shelf-{number}.exp"), EXPECT.format(
            n=number, wrong=" + 1" if number % 7 == 3 else "", label=number + (number % 11 == 6), odd=odd,
        ))  # fmt: skip
    text = shop.run(["runtest", "--all", "--tool", "shelf", "--srcdir", "testsuite"], room).text.replace(f"{room}/", "")
    rows = read(os.path.join(room, "shelf.sum"))
    wanted = re.findall(r"^((?:FAIL|XFAIL|ERROR|UNRESOLVED|UNTESTED): .*)$", rows, re.MULTILINE)
    facts = [Fact("message", (one.strip()[:90],)) for one in wanted]
    facts += last_words(rows, r"^# of .*")
    yield Item(name, SUITE, "text", "runtest --all --tool shelf", text, said_in(facts, text))


LISP = """(test weigh-{n} "weighs" (is (= {n} (- {n} {wrong}))))
(test label-{n} (is (string= "shelf {n}" "shelf {label}") "label of shelf {n} is gone"))
(test door-{n} {door})
"""


def fiveam_run(name: str, shop: Shop) -> Iterator[Item]:
    """What FiveAM prints under SBCL; the facts are planted."""
    shop.install("sbcl")
    if not os.path.isdir("/usr/share/common-lisp/source/fiveam"):
        shop.apt("cl-fiveam")
    room = shop.room(name)
    cases, facts = "", []
    for area in range(9):
        cases += f"(def-suite area-{area} :in shelves)\n(in-suite area-{area})\n"
        for n in range(area * 10, area * 10 + 10):
            door = f'(error "door {n} is jammed")' if n % 9 == 5 else '(skip "away")' if n % 13 == 2 else "(pass)"
            cases += LISP.format(n=n, wrong=int(n % 7 == 3), label=n + (n % 11 == 6), door=door)
            facts += [Fact("name", (f"WEIGH-{n}",))] if n % 7 == 3 else []
            facts += (
                [Fact("name", (f"LABEL-{n}",)), Fact("message", (f"label of shelf {n} is gone",))]
                if n % 11 == 6
                else []
            )
            facts += [Fact("name", (f"DOOR-{n}",)), Fact("message", (f"door {n} is jammed",))] if n % 9 == 5 else []
    head = "(require :asdf)\n(asdf:load-system :fiveam)\n(use-package :fiveam)\n(def-suite shelves)\n"
    write(os.path.join(room, "shelves.lisp"), f"{head}{cases}(run! 'shelves)\n")
    env = {"HOME": room, "XDG_CACHE_HOME": os.path.join(room, "cache")}
    shop.run(["sbcl", "--noinform", "--non-interactive", "--load", "shelves.lisp"], room, env=env)
    text = shop.run(["sbcl", "--noinform", "--non-interactive", "--load", "shelves.lisp"], room, env=env).text
    facts += last_words(text, r"^ +(?:Pass|Fail|Skip): .*|^ Did \d+ checks.*")
    yield Item(name, SUITE, "text", "sbcl --load shelves.lisp", text, said_in(facts, text))


ZIG = """const std = @import("std");
fn weigh(shelf: u32) !u32 {{
    if (shelf == {gone}) return error.ShelfIsGone;
    return shelf * 3;
}}
"""
ZIG_CASE = """test "shelf {n} holds its weight" {{
    try std.testing.expectEqual(@as(u32, {n} * 3{wrong}), try weigh({n}));
}}
test "label {n} is read" {{
    try std.testing.expectEqualStrings("shelf {n}", "shelf {label}");
}}
"""


def zig_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `zig test` prints; the facts are planted."""
    python = python_tools(shop)
    room = shop.room(name)
    cases = "".join(
        ZIG_CASE.format(n=n, wrong=" + 1" if n % 7 == 3 else "", label=n + (n % 11 == 6)) for n in range(60)
    )
    write(os.path.join(room, "shelves.zig"), ZIG.format(gone=52) + cases)
    env = {
        "HOME": room,
        "ZIG_GLOBAL_CACHE_DIR": os.path.join(room, "cache"),
        "ZIG_LOCAL_CACHE_DIR": os.path.join(room, "local"),
    }
    text = plain(shop.run([python, "-m", "ziglang", "test", "shelves.zig"], room, env=env, seconds=500).text)
    text = text.replace(f"{room}/", "").replace(os.path.dirname(os.path.dirname(python)), "/opt")
    facts = [Fact("message", (f"shelf {n} holds its weight",)) for n in (*range(3, 60, 7), 52)]
    facts += [Fact("message", (f"expected {n * 3 + 1}, found {n * 3}",)) for n in range(3, 60, 7)]
    facts += [Fact("message", (f"label {n} is read",)) for n in range(6, 60, 11)]
    facts += [Fact("message", (one,)) for one in ("ShelfIsGone",)]
    facts += last_words(text, r"^\d+ passed; .*")
    yield Item(name, SUITE, "text", "zig test shelves.zig", text, said_in(facts, text))


RECIPES = {
    "deno-test-shelves": partial(deno_run, "deno-test-shelves"),
    "playwright-test-shelves": partial(playwright_run, "playwright-test-shelves"),
    "doctest-cpp-shelves": partial(doctest_run, "doctest-cpp-shelves"),
    "boost-test-shelves": partial(boost_run, "boost-test-shelves"),
    "runtest-shelves": partial(dejagnu_run, "runtest-shelves"),
    "fiveam-shelves": partial(fiveam_run, "fiveam-shelves"),
    "zig-test-shelves": partial(zig_run, "zig-test-shelves"),
}
