"""Test runners and coverage that nobody tunes on; planted faults and their reports for machines tell the facts."""

import json
import os
import re
import shutil
from collections.abc import Iterator

from items import Fact, Item
from shop import Shop

from recipes.databases import running
from recipes.held_linters import read
from recipes.held_servers import free_port, listens
from recipes.held_suites import write
from recipes.tenth_tools import each, made, matches, pairs, recipes, stripped, venv_path
from recipes.third_linters import report_file
from recipes.twelfth_tools import TOOLS

SUITE, COVERAGE = "test runner", "coverage"

RADISH = """Feature: Harbour {n}
    As a keeper I want ferries at harbour {n}.

    Scenario: Moor at harbour {n}
        Given harbour {n} has {rope} ropes
        When ferry {n} moors with {want} ropes
        Then the lamp {n} is {lamp}
"""
RADISH_STEPS = """from radish import given, when, then

@given("harbour {n:d} has {rope:d} ropes")
def has(step, n, rope): step.context.rope = rope

@when("ferry {n:d} moors with {want:d} ropes")
def moors(step, n, want):
    if want > step.context.rope: raise ValueError("harbour %d has too few ropes for %d" % (n, want))

@then("the lamp {n:d} is {state:w}")
def lamp(step, n, state):
    assert state == "lit", "lamp %d should be lit, but is %s" % (n, state)
"""


def radish_run(name: str, shop: Shop) -> Iterator[Item]:
    """What radish prints of its features; the facts are planted: every step that failed, what it said, the sums."""
    room, facts = shop.room(name), list[Fact]()
    for n in range(64):
        want, lamp = (n % 7 + 3, "lit") if n % 9 == 4 else (n % 7, "broken" if n % 11 == 6 else "lit")
        write(
            os.path.join(room, "features", f"harbour_{n:02d}.feature"),
            RADISH.format(n=n, rope=n % 7, want=want, lamp=lamp),
        )
        facts += each(
            "message",
            [f"harbour {n} has too few ropes for {want}", f"ferry {n} moors with {want} ropes"] * (n % 9 == 4)
            + [f"lamp {n} should be lit, but is broken"] * (lamp == "broken"),
        )
    write(os.path.join(room, "radish", "steps.py"), RADISH_STEPS)
    text = stripped(
        shop.run(
            [TOOLS.python_tool(shop, "radish"), "--no-ansi", "--write-steps-once", "features"],
            room,
            env=venv_path(TOOLS, shop) | {"PWD": room},
        ).text,
        room,
    )
    text = re.sub(r"Run \S+ finished within .*", "Run 1 finished within a moment", text)
    yield made(
        name,
        SUITE,
        "radish --no-ansi --write-steps-once features",
        text,
        [*facts, *matches(text, r"^\d+ (?:features|scenarios|steps) .*")],
    )


MAMBA = """from mamba import description, context, it

with description('Chart {n}') as self:
    with context('when it is dry'):
        with it('shows rock {n}'):
            assert {n} * 3{wrong} == {n} * 3, 'rock {n} is not on the chart'
        with {word}('folds along line {n}'):
            {fold}
    with it('is of paper {n}'):
        assert 'paper' == '{paper}'
"""


def mamba_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `mamba --format documentation` prints; the facts are planted: every example that failed, what it said and where, the sums."""
    room, facts = shop.room(name), list[Fact]()
    for n in range(90):
        bad = (n % 8 == 3, n % 13 == 6 and n % 3 > 0, n % 17 == 9)
        write(os.path.join(room, "spec", f"chart_{n:02d}_spec.py"), MAMBA.format(
            n=n, wrong=" + 1" if bad[0] else "", word="it" if n % 3 else "_it", fold=f"raise OSError('line {n} is torn')" if bad[1] else "pass", paper=f"skin {n}" if bad[2] else "paper",
        ))  # fmt: skip
        facts += each("message", [f"rock {n} is not on the chart"] * bad[0] + [f"line {n} is torn"] * bad[1])
        facts += each(
            "message",
            [f"Chart {n} when it is dry it shows rock {n}"] * bad[0] + [f"Chart {n} it is of paper {n}"] * bad[2],
        )
        facts += each("name", [f"skin {n}"] * bad[2])
    text = stripped(
        shop.run([TOOLS.python_tool(shop, "mamba"), "--format", "documentation", "--no-color", "spec"], room).text, room
    )
    text = re.sub(r"[\d.]+ seconds", "0.2 seconds", re.sub(r"\(\d+\.\d+s\)", "(0.001s)", text))
    facts += matches(text, r"^\d+ examples? .*?(?= ran)", r"^\d+ examples? failed of \d+ ran.*")
    facts += each("location", re.findall(r"spec/chart_\d+_spec\.py:\d+", text))
    yield made(name, SUITE, "mamba --format documentation spec", text, facts, least=0.6)


def tap_run(name: str, shop: Shop) -> Iterator[Item]:
    """What tap-spec draws of results in the form of TAP; the facts are planted: every assertion that failed, with what was got, the sums."""
    room, facts = shop.room(name), list[Fact]()
    lines = ["TAP version 13"]
    at = 0
    for n in range(120):
        lines.append(f"# buoy {n}")
        for k, word in enumerate(("floats", "shines", "rings")):
            at += 1
            bad = (n * 3 + k) % 29 == 11
            lines.append(f"{'not ok' if bad else 'ok'} {at} buoy {n} {word} in wind {k}")
            if bad:
                lines += [
                    "  ---",
                    "    operator: equal",
                    f"    expected: 'wind {k}'",
                    f"    actual:   'gull {n}'",
                    f"    at: Test.<anonymous> (test/buoy{n}.js:{k + 4}:7)",
                    "  ...",
                ]
                facts += each("name", [f"buoy {n} {word} in wind {k}", f"gull {n}"])
    lines += [f"1..{at}", f"# tests {at}"]
    write(os.path.join(room, "buoys.tap"), "\n".join(lines) + "\n")
    text = stripped(
        report_file(shop, ["sh", "-c", f"{TOOLS.npm_tool(shop, 'tap-spec')} < buoys.tap"], room, room), room
    )
    text = re.sub(r"duration: +.*", "duration: 41ms", text)
    facts += [
        *each("location", re.findall(r"test/buoy\d+\.js:\d+:\d+", text)),
        *matches(text, r"^ +(?:total|passing|failing): +\d+", r"Failed Tests: .*"),
    ]
    yield made(name, SUITE, "tap-spec", text, facts, least=0.7)


TYPE_TEST = """import {{ describe, expect, test }} from 'tstyche';
interface Ferry{n} {{ rope: {rope}; lamp?: string }}
describe('ferry {n}', () => {{
  test('has rope {n}', () => {{ expect<Ferry{n}['rope']>().type.toBe<number>(); }});
  test('may have lamp {n}', () => {{ expect<Ferry{n}>().type.toBeAssignableFrom<{{ rope: number }}>(); }});
  test('is no gull {n}', () => {{ expect<{{ gull: {n} }}>().type.{matcher}<Ferry{n}>(); }});
}});
"""


def tstyche_run(name: str, shop: Shop) -> Iterator[Item]:
    """What tstyche prints of tests of types; the facts are planted: every file and test that failed, every message with its place, the sums."""
    room, facts = os.path.join(TOOLS.npm_room(shop), name), list[Fact]()
    shutil.rmtree(room, ignore_errors=True)
    for n in range(130):
        rope, matcher = "string" if n % 9 == 4 else "number", "toBe" if n % 13 == 6 else "not.toBe"
        write(os.path.join(room, "types", f"ferry{n}.tst.ts"), TYPE_TEST.format(n=n, rope=rope, matcher=matcher))
        facts += each(
            "name",
            [f"\u00d7 has rope {n}", f"\u00d7 may have lamp {n}"] * (rope == "string")
            + [f"\u00d7 is no gull {n}"] * (matcher == "toBe"),
        )
        facts += each("path", [f"types/ferry{n}.tst.ts"] * (rope == "string" or matcher == "toBe"))
    write(os.path.join(room, "tstyche.json"), json.dumps({"testFileMatch": ["types/*.tst.ts"]}))
    write(
        os.path.join(room, "tsconfig.json"),
        json.dumps(
            {
                "compilerOptions": {"strict": True, "module": "nodenext", "target": "es2022", "types": []},
                "include": ["types"],
            }
        ),
    )
    text = stripped(report_file(shop, [TOOLS.npm_tool(shop, "tstyche"), "--verbose"], room, shop.room(name)), room)
    text = re.sub(r"Duration: .*", "Duration:   2.1s", re.sub(r"\S*/node_modules/", "node_modules/", text))
    facts += [
        *each("location", re.findall(r"types/ferry\d+\.tst\.ts:\d+:\d+", text)),
        *matches(text, r"^(?:Targets|Test files|Tests|Assertions): .*", r"^Error: .*"),
    ]
    shutil.rmtree(room)
    yield made(name, SUITE, "tstyche --verbose", text, facts, least=0.7)


GABBI_SERVER = """import http.server, json
class Harbour(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        n = int(self.path.rsplit('/', 1)[1])
        body = json.dumps({'ferry': n, 'rope': n * 3 if n % 9 != 4 else 'lost ' + str(n)}).encode()
        self.send_response(503 if n % 13 == 6 else 200); self.send_header('content-type', 'application/json'); self.end_headers(); self.wfile.write(body)
    def log_message(self, *said): pass
import sys
http.server.HTTPServer(('127.0.0.1', int(sys.argv[1])), Harbour).serve_forever()
"""


def gabbi_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `gabbi-run -v` prints of an interface on loopback; the facts are planted: every test that failed, what it got, the sums."""
    room, port, facts = shop.room(name), free_port(), list[Fact]()
    tests = ["tests:"]
    for n in range(170):
        tests.append(
            f"- name: harbour tells of ferry {n}\n  GET: /ferries/{n}\n  response_json_paths:\n    $.rope: {n * 3}"
        )
        facts += each(
            "name",
            [f"ferries_harbour_tells_of_ferry_{n}"] * (n % 9 == 4 or n % 13 == 6)
            + [f"lost {n}"] * (n % 9 == 4 and n % 13 != 6),
        )
    write(os.path.join(room, "ferries.yaml"), "\n".join(tests) + "\n")
    write(os.path.join(room, "harbour.py"), GABBI_SERVER)
    python = TOOLS.python(shop)
    with running([python, "harbour.py", str(port)], room, lambda: listens(port), shop.environment()):
        text = shop.run([TOOLS.python_tool(shop, "gabbi-run"), f"127.0.0.1:{port}", "--", "ferries.yaml"], room).text
    text = re.sub(r"\S*/site-packages/", "/srv/venv/site-packages/", stripped(text, room).replace(str(port), "8080"))
    text = re.sub(r"[\d.]+s$", "0.4s", re.sub(r"at 0x[0-9a-f]+", "at 0x7f", text), flags=re.MULTILINE)
    yield made(
        name,
        SUITE,
        "gabbi-run 127.0.0.1:8080 -- ferries.yaml",
        text,
        [*facts, *matches(text, r"^FAILED \(.*", r"^Ran \d+ tests", r"^AssertionError: .*")],
        least=0.7,
    )


def genhtml_run(name: str, shop: Shop) -> Iterator[Item]:
    """What genhtml prints of a tracefile; the facts are planted: every file, and the rates of the whole."""
    shop.install("genhtml", "lcov")
    room, facts, records = shop.room(name), list[Fact](), list[str]()
    for n in range(400):
        path = f"src/{('hull', 'deck', 'rigging', 'galley')[n % 4]}/{('keel', 'plank', 'lamp', 'stove', 'chart')[n % 5]}_{n}.c"
        write(
            os.path.join(room, path),
            "".join(f"int part_{n}_{k}(void) {{ return {k}; }}\n" for k in range(12)),
        )
        facts += each("path", [path.removeprefix("src/")])
        hits = "\n".join(f"DA:{k + 1},{(n * k) % 4}" for k in range(12))
        records.append(f"TN:\nSF:{room}/{path}\n{hits}\nend_of_record\n")
    write(os.path.join(room, "all.info"), "".join(records))
    text = stripped(shop.run(["genhtml", "-o", "html", "all.info"], room).text, room)
    facts += matches(text, r"^ +(?:lines|functions)\.+: .*", r"^Found \d+ entries\.")
    yield made(name, COVERAGE, "genhtml -o html all.info", text, facts)


def quality_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `diff-quality` says of a branch by the findings of pycodestyle; the facts are those of its JSON: every file with its share, every message with a line, the sums."""
    tree, room = shop.sdist("click==8.1.7", shop.room(name)), shop.root
    who = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (
        ["git", "init", "-q", "-b", "main"],
        [*who, "add", "-A", "-f"],
        [*who, "commit", "-q", "-m", "one"],
        ["git", "checkout", "-q", "-b", "topic"],
    ):
        shop.run(command, tree).check()
    found = []
    for n in range(150):
        path = f"decks/deck{n % 6}/ferry_{n}.py"
        write(os.path.join(tree, path), "".join(f"rope_{k} = {k}\n" for k in range(14)))
        found += [
            f"{path}:{k + 1}: {('E225 missing whitespace around operator', 'E501 line too long (91 > 79 characters)', 'W291 trailing whitespace', 'E731 do not assign a lambda expression')[(n + k) % 4]}"
            for k in range(14)
            if (n * 5 + k) % 11 == 3 and n % 3
        ]
    shop.run([*who, "add", "-A"], tree).check()
    shop.run([*who, "commit", "-q", "-m", "two"], tree).check()
    write(os.path.join(tree, "style.txt"), "\n".join(found) + "\n")
    command = [
        TOOLS.python_tool(shop, "diff-quality"),
        "--violations=pycodestyle",
        "--compare-branch=main",
        "style.txt",
    ]
    text = stripped(shop.run([*command, "--format", "json:report.json"], tree).text, tree, room)
    report = json.loads(read(os.path.join(tree, "report.json")))["src_stats"]
    rows = [(path, f"{one['percent_covered']:.1f}%") for path, one in report.items() if one["violations"]]
    facts = [
        *pairs(rows),
        *each("path", report),
        *each("location", (f"{path}:{line}" for path, one in report.items() for line, _ in one["violations"])),
    ]
    facts += [
        *each("message", (said for one in report.values() for _, said in one["violations"])),
        *matches(text, r"^(?:Total|Violations|% Quality): .*"),
    ]
    yield made(
        name, COVERAGE, "diff-quality --violations=pycodestyle --compare-branch=main style.txt", text, facts, least=0.6
    )


RECIPES = recipes(
    ("radish-harbours", radish_run),
    ("mamba-charts", mamba_run),
    ("tap-spec-buoys", tap_run),
    ("tstyche-ferries", tstyche_run),
    ("gabbi-ferries", gabbi_run),
    ("genhtml-parts", genhtml_run),
    ("diff-quality-decks", quality_run),
)
