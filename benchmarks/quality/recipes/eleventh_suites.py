"""Test runners of browsers, of Perl and of C, a loader and coverage in a table; planted faults and reports for machines tell the facts."""

import json
import os
import re
import shutil
from collections.abc import Iterator

from items import Fact, Item
from shop import Shop

from recipes.eleventh_tools import TOOLS
from recipes.held_linters import read
from recipes.held_suites import write
from recipes.tenth_tools import each, made, matches, pairs, recipes, stripped
from recipes.third_linters import report_file

SUITE, COVERAGE, LOAD = "test runner", "coverage", "load tool"

KARMA = """module.exports = config => config.set({
  frameworks: ['mocha'], files: ['src/*.js', 'test/*.js'], browsers: ['Headless'], singleRun: true, reporters: ['dots'], colors: false,
  customLaunchers: { Headless: { base: 'ChromeHeadless', flags: ['--no-sandbox', '--disable-gpu'] } }, logLevel: config.LOG_INFO,
});
"""
SOURCE = """function moor{n}(ferry) {{ if (ferry.rope > {n}) throw new RangeError('rope ' + ferry.rope + ' is too long for pier {n}'); return ferry.rope; }}
function same{n}(a, b) {{ if (a !== b) throw new Error('pier {n}: ' + a + ' is not ' + b); }}
"""
SPEC = """describe('Pier {n}', () => {{
  it('moors ferry {n}', () => {{ same{n}(moor{n}({{ rope: {rope} }}), {want}); }});
  it('lights lamp {n}', () => {{ console.{level}('lamp {n} burns'); {lamp} }});
  {skip}('feeds gull {n}', done => {{ setTimeout(() => {{ {late} }}, 5); }}).timeout(300);
}});
"""


def karma_run(name: str, shop: Shop) -> Iterator[Item]:
    """What karma prints of a suite in a browser; the facts are planted: every failed test, every message, what is logged as a warning, the sums."""
    shop.install("chromium")
    room = os.path.join(TOOLS.npm_room(shop), name)
    shutil.rmtree(room, ignore_errors=True)
    facts: list[Fact] = []
    for n in range(140):
        rope, want, lamp, late = n % 5, n % 5, "", "done();"
        if n % 11 == 4:
            want += 1
            facts += each("message", [f"Pier {n} moors ferry {n}", f"pier {n}: {rope} is not {want}"])
        if n % 13 == 6:
            rope = n + 1
            facts += each("message", [f"Pier {n} moors ferry {n}", f"rope {rope} is too long for pier {n}"])
        if n % 17 == 9:
            lamp = f"lamps.of{n}.burn();"
            facts += each("message", [f"Pier {n} lights lamp {n}"])
        if n == 31:
            late = ""
            facts += each("message", [f"Pier {n} feeds gull {n}", "Timeout of 300ms exceeded"])
        level = "warn" if n % 19 == 3 else "log"
        facts += each("message", [f"WARN: 'lamp {n} burns'"] * (level == "warn"))
        write(os.path.join(room, "src", f"pier{n}.js"), SOURCE.format(n=n))
        write(
            os.path.join(room, "test", f"pier{n}.js"),
            SPEC.format(
                n=n, rope=rope, want=want, lamp=lamp, late=late, level=level, skip="xit" if n % 23 == 7 else "it"
            )
            .replace("}).timeout", "})" if n % 23 == 7 else "}).timeout")
            .replace("})(300)", "})"),
        )
    write(os.path.join(room, "karma.conf.js"), KARMA)
    command = ["env", "CHROME_BIN=/usr/bin/chromium", TOOLS.npm_tool(shop, "karma"), "start", "karma.conf.js"]
    text = re.sub(r"\d+\.\d+ secs", "0.1 secs", stripped(report_file(shop, command, room, shop.room(name)), room))
    text = re.sub(
        r"\d\d \d\d \d{4} [\d:.]+:",
        "19 11 2026 10:00:00.000:",
        re.sub(r"\?[0-9a-f]{40}|localhost:\d+|#\S{20}", "", text),
    )
    facts += matches(text, r"Executed \d+ of \d+ .*?(?= \([\d.]+ secs)", r"ReferenceError: lamps is not defined")
    facts += each("location", re.findall(r"test/pier\d+\.js:\d+:\d+", text))
    shutil.rmtree(room)
    yield made(name, SUITE, "karma start karma.conf.js", text, facts, least=0.7)


WTR = """describe('deck {n}', () => {{
  it('holds {n} boats', () => {{ if ({n} % 9 === 5) throw new Error('deck {n} holds no boats'); }});
  it('is dry on day {n}', async () => {{ const a = {{ day: {n}, wet: {wet} }}; if (a.wet) throw Object.assign(new Error('expected deck {n} to be dry'), {{ actual: JSON.stringify(a), expected: '{{}}' }}); }});
  it('opens hatch {n}', () => {{ {hatch} }});
}});
"""


def wtr_run(name: str, shop: Shop) -> Iterator[Item]:
    """What web-test-runner prints; the facts are planted: every file with a fault, every failed test with what was thrown, the sums."""
    shop.install("chromium")
    room = os.path.join(TOOLS.npm_room(shop), name)
    shutil.rmtree(room, ignore_errors=True)
    facts: list[Fact] = []
    for n in range(150):
        bad = (n % 9 == 5, n % 7 == 2, n % 12 == 10)
        if n == 21:
            write(os.path.join(room, "test", f"deck{n}.test.js"), "import './lost-hatch.js';\n")
            facts += each("path", [f"test/deck{n}.test.js"])
            continue
        write(
            os.path.join(room, "test", f"deck{n}.test.js"),
            WTR.format(
                n=n,
                wet="true" if bad[1] else "false",
                hatch=f"console.error('hatch {n} creaks'); null.open{n}();" if bad[2] else "",
            ),
        )
        facts += each("path", [f"test/deck{n}.test.js"] * any(bad))
        facts += each(
            "message",
            [f"holds {n} boats", f"Error: deck {n} holds no boats"] * bad[0]
            + [f"is dry on day {n}", f"expected deck {n} to be dry"] * bad[1]
            + [f"opens hatch {n}", f"reading 'open{n}'", f"hatch {n} creaks"] * bad[2],
        )
    write(
        os.path.join(room, "wtr.config.mjs"),
        "import { chromeLauncher } from '@web/test-runner-chrome';\nexport default { files: 'test/*.test.js', nodeResolve: true, rootDir: '..', concurrency: 1, browsers: [chromeLauncher({ launchOptions: { executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] } })] };\n",
    )
    text = stripped(
        report_file(shop, [TOOLS.npm_tool(shop, "wtr"), "--config", "wtr.config.mjs"], room, shop.room(name)), room
    )
    text = re.sub(r"\x1b\[\d*[A-Z]", "", text)
    text = re.sub(
        r"in [\d.]+s\b|http://localhost:\d+/\S*?(?=test/)",
        lambda found: "in 9.1s" if found[0].startswith("in") else "",
        text,
    )
    facts += matches(text, r"^.*?\d+ failed.*", r"^Finished running tests.*?with \d+ failed tests")
    shutil.rmtree(room)
    yield made(name, SUITE, "wtr --config wtr.config.mjs", text, facts, least=0.7)


YATH = """use Test2::V0;
is({n} * 3, {n} * 3{wrong}, 'boat {n} has three oars');
is({{ name => 'Seal', deck => {n} }}, {{ name => '{seal}', deck => {n} }}, 'boat {n} is the Seal');
subtest 'night {n}' => sub {{ ok(1, 'lamp {n}'); {night} }};
{todo}
{end}
done_testing;
"""


def yath_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `yath test -v` prints; the facts are planted: every file and assertion that failed, what was got, the sums."""
    shop.install("yath", "libtest2-harness-perl")
    room = shop.room(name)
    facts: list[Fact] = []
    for n in range(34):
        bad = (n % 8 == 3, n % 9 == 4, n % 11 == 6, n == 20)
        write(os.path.join(room, "t", f"boat_{n}.t"), YATH.format(
            n=n, wrong=" + 1" if bad[0] else "", seal="Otter" if bad[1] else "Seal", night=f"is('dark {n}', 'lit', 'lamp {n} at night');" if bad[2] else "",
            todo=f"todo 'no gulls on boat {n}' => sub {{ ok(0, 'gull {n}') }};" if n % 13 == 5 else "", end=f"die 'boat {n} sank';" if bad[3] else "",
        ))  # fmt: skip
        facts += pairs([("FAILED", f"t/boat_{n}.t")] * any(bad))
        facts += pairs(
            [("FAIL", f"boat {n} has three oars")] * bad[0]
            + [("FAIL", f"boat {n} is the Seal")] * bad[1]
            + [("FAIL", f"lamp {n} at night")] * bad[2]
        )
        facts += each("message", [f"dark {n}"] * bad[2] + [f"boat {n} sank"] * bad[3])
    text = stripped(
        shop.run(
            ["yath", "test", "-v", "--no-color", "-j1", "t"], room, env={"HOME": room, "USER": "ines"}, seconds=200
        ).text,
        room,
    )
    text = re.sub(
        r"\d+\.\d+s\b", "0.1s", re.sub(r"[0-9A-F]{8}-[0-9A-F-]{27}", "0A0B0C0D-0000-4000-8000-000000000000", text)
    )
    facts += matches(text, r"^ *(?:Fail Count|File Count|Assertion Count|Pass Count): +\d+", r"^.*-->  Result: .*")
    yield made(name, SUITE, "yath test -v t", text, facts, least=0.7)


CUNIT = """static void moor_{n}(void) {{ CU_ASSERT_EQUAL({n} * 3{wrong}, {n} * 3); CU_ASSERT_STRING_EQUAL("{rope}", "rope"); }}
static void light_{n}(void) {{ {light} }}
"""


def cunit_run(name: str, shop: Shop) -> Iterator[Item]:
    """What a suite of CUnit prints; the facts are planted: every failed test and assertion with its line, the sums."""
    if not os.path.exists("/usr/include/CUnit/CUnit.h"):
        shop.apt("libcunit1-dev")
    room, count = shop.room(name), 100
    lines = ['#include "CUnit/Basic.h"']
    for n in range(count):
        lines += CUNIT.format(
            n=n,
            wrong=" + 1" if n % 7 == 2 else "",
            rope=f"chain {n}" if n % 9 == 5 else "rope",
            light=f'CU_FAIL("lamp {n} is out");'
            if n % 11 == 4
            else "CU_PASS();"
            if n % 13
            else 'CU_ASSERT_PTR_NULL("lit");',
        ).splitlines()
    suites = "".join(
        f'  s = CU_add_suite("Pier {n}", 0, 0); CU_add_test(s, "moors ferry {n}", moor_{n}); CU_add_test(s, "lights lamp {n}", light_{n});\n'
        for n in range(count)
    )
    lines += [
        "int main(void) {",
        "  CU_pSuite s; CU_initialize_registry(); CU_basic_set_mode(CU_BRM_VERBOSE);",
        suites + "  CU_basic_run_tests(); CU_cleanup_registry(); return 0; }",
    ]
    write(os.path.join(room, "decks.c"), "\n".join(lines) + "\n")
    shop.run(["gcc", "decks.c", "-o", "decks-suite", "-lcunit"], room).check()
    text = re.sub(r"= +\d+\.\d+ seconds", "=    0.001 seconds", shop.run(["./decks-suite"], room).text)
    facts = pairs((f"moors ferry {n}", "FAILED") for n in range(count) if n % 7 == 2 or n % 9 == 5)
    facts += pairs((f"lights lamp {n}", "FAILED") for n in range(count) if n % 11 == 4 or n % 13 == 0)
    facts += each(
        "message",
        [f'"chain {n}"' for n in range(count) if n % 9 == 5]
        + [f'CU_FAIL("lamp {n} is out")' for n in range(count) if n % 11 == 4],
    )
    facts += [
        *each("location", re.findall(r"decks\.c:\d+", text)),
        *matches(text, r"^ +(?:suites|tests|asserts) +\d.*"),
    ]
    yield made(name, SUITE, "decks-suite", text, facts)


ZORA = """const {{ test }} = require('zora');
test('chart {n}', t => {{
  t.eq({{ depth: {n}, rocks: [{n}, {rocks}] }}, {{ depth: {n}, rocks: [{n}, 7] }}, 'chart {n} knows its rocks');
  t.ok({ok}, 'chart {n} is dry');
  t.test('margin of {n}', t => {{ t.is('{margin}', 'ink', 'margin {n} is of ink'); }});
}});
"""


def zora_run(name: str, shop: Shop) -> Iterator[Item]:
    """`npm test` of a package that tests by zora; the facts are planted: every assertion that failed, what was got, the sums."""
    room = os.path.join(TOOLS.npm_room(shop), name)
    shutil.rmtree(room, ignore_errors=True)
    facts: list[Fact] = []
    for n in range(70):
        bad = (n % 11 == 4, n % 13 == 6, n % 17 == 9)
        write(
            os.path.join(room, "test", f"chart_{n:02d}.js"),
            ZORA.format(
                n=n,
                rocks=f"'rock {n}'" if bad[0] else 7,
                ok="false" if bad[1] else "true",
                margin=f"blood {n}" if bad[2] else "ink",
            ),
        )
        facts += each(
            "message",
            [f"chart {n} knows its rocks", f"rock {n}"] * bad[0]
            + [f"chart {n} is dry"] * bad[1]
            + [f"margin {n} is of ink", f"blood {n}"] * bad[2],
        )
    write(
        os.path.join(room, "all.js"),
        "require('fs').readdirSync('test').sort().forEach(one => require('./test/' + one));\n",
    )
    write(
        os.path.join(room, "package.json"),
        json.dumps(
            {
                "name": "charts",
                "version": "4.1.0",
                "scripts": {"pretest": "node -e \"console.log('unrolling charts')\"", "test": "node all.js"},
            }
        ),
    )
    text = stripped(report_file(shop, ["npm", "test"], room, shop.room(name)), room)
    facts += matches(text, r"^# (?:ok|success|fail|skip|tests|pass) *:? *\d*$", r"^1\.\.\d+", r"^> .*")
    facts += each("location", re.findall(r"test/chart_\d+\.js:\d+", text))
    shutil.rmtree(room)
    yield made(name, SUITE, "npm test", text, facts, least=0.7)


LIBRARY = """exports.sail{n} = function (crew) {{
  if (crew > {n}) {{
    return crew - {n};
  }}
  const spare = [];
  for (let k = 0; k < crew; k++) {{
    spare.push(k % 2 ? 'rope' : 'lamp');
  }}
  return spare.length;
}};
exports.rest{n} = () => 'asleep on deck {n}';
"""


def monocart_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `mcr` reports in the console after some use of a library; the facts are those of its JSON: every file with its share of lines, the sums."""
    room = os.path.join(TOOLS.npm_room(shop), name)
    shutil.rmtree(room, ignore_errors=True)
    for n in range(96):
        write(os.path.join(room, "lib", f"deck{n % 6}", f"ferry{n}.js"), LIBRARY.format(n=n))
    uses = [
        f"const f{n} = require('./lib/deck{n % 6}/ferry{n}.js');"
        + (f" f{n}.sail{n}({n + 1 if n % 4 else n});" if n % 3 else "")
        + (f" f{n}.rest{n}();" if n % 7 == 2 else "")
        for n in range(96)
    ]
    write(os.path.join(room, "use.js"), "\n".join(uses) + "\n")
    command = [
        TOOLS.npm_tool(shop, "mcr"),
        "node",
        "use.js",
        "-r",
        "console-details,json-summary",
        "-o",
        "report",
        "--entryFilter",
        "{'**/mcr-ferries/lib/**': true}",
    ]
    text = stripped(report_file(shop, command, room, shop.room(name)), room)
    report = json.loads(read(os.path.join(room, "report", "coverage-summary.json")))
    total = report.pop("total")
    files = {os.path.basename(path): one for path, one in report.items()}
    facts = pairs((path, f"{one['lines']['pct']:.2f} %") for path, one in files.items() if one["lines"]["pct"] < 100)
    facts += [*each("name", files), *pairs([("Summary", f"{total['lines']['pct']:.2f} %")])]
    shutil.rmtree(room)
    yield made(name, COVERAGE, "mcr node use.js -r console-details", text, facts, least=0.3)


RECIPES = recipes(
    ("karma-piers", karma_run),
    ("wtr-decks", wtr_run),
    ("yath-boats", yath_run),
    ("cunit-decks", cunit_run),
    ("npm-test-charts", zora_run),
    ("mcr-ferries", monocart_run),
)
