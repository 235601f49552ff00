"""Compilers and build systems that nobody tunes on; planted faults and their reports for machines tell the facts."""

import json
import os
import re
from collections.abc import Iterator

from items import Fact, Item
from shop import Shop

from recipes.held_suites import write
from recipes.tenth_tools import diagnosed, each, made, matches, recipes, stripped
from recipes.twelfth_tools import TOOLS, found_by

COMPILER, BUILD = "compiler", "build system"

CLOSURE = """/** @param {{number}} rope
 * @return {{string}} */
function moor{n}(rope) {{ {body} return 'pier ' + rope; }}
/** @type {{{{deck: number}}}} */
const chart{n} = {{deck: {deck}}};
moor{n}({n});
"""
CLOSURE_FAULTS = (
    "moor{n}('rope {n}');",
    "chart{n}.burn();",
    "return rope.coil{n}();",
    "if (rope = {n}) {{ rope++; }}",
    "chart{n}.hull = 1;",
    "return null; rope = {n};",
)


def closure_run(name: str, shop: Shop) -> Iterator[Item]:
    """What the closure compiler says of scripts; the facts are those of its JSON: every kind, file and message with a place, the sums."""
    room = shop.room(name)
    for n in range(70):
        fault = CLOSURE_FAULTS[n // 2 % 6].format(n=n) if n % 2 else ""
        write(
            os.path.join(room, "src", f"deck{n % 5}", f"pier{n}.js"),
            CLOSURE.format(n=n, body=fault, deck=f"'deck {n}'" if n % 9 == 4 else n),
        )
    options = ["--checks_only", "--jscomp_error=*", "--warning_level=VERBOSE", "--platform=native", "--js", "src/**.js"]
    command = [TOOLS.npm_tool(shop, "google-closure-compiler"), *options]
    text = stripped(shop.run(command, room, seconds=400).text, room)
    said = shop.run([*command, "--error_format=JSON"], room, seconds=400).text
    report = [one for one in json.loads(said[said.index("[") : said.rindex("]") + 1]) if one.get("source")]
    rows = [(one["source"], one["line"], "", one["key"], one["description"]) for one in report]
    facts = [*diagnosed(rows, text, "{}:{}"), *matches(text, r"^\d+ error\(s\).*")]
    yield made(
        name,
        COMPILER,
        "google-closure-compiler --checks_only --jscomp_error=* --js 'src/**.js'",
        text,
        facts,
        least=0.7,
    )


SWIG = """class Ferry{n} : public {base} {{
public:
  Ferry{n}(int rope);
  {member}
}};
"""
SWIG_MEMBERS = (
    "int moor(int pier);",
    "Ferry{n} &operator+=(const Ferry{n} &other);",
    "int lamp(const char *oil); int lamp(char *oil);",
    "void operator=(const Ferry{n} &other);",
    "static const char *chart_{n};",
    "int print(int from);",
    "friend int sink(Ferry{n} &ferry);",
)


def swig_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `swig -Wall` says of interfaces; the facts are its lines by a fixed pattern: every number, file and message with a place."""
    shop.install("swig")
    room = shop.room(name)
    includes = []
    for n in range(150):
        lines = "struct Hull { int deck; };\n" if n == 0 else ""
        base = f"Boat{n}" if n % 5 == 2 else "Hull"
        write(
            os.path.join(room, "decks", f"ferry_{n}.i"),
            lines + SWIG.format(n=n, base=base, member=SWIG_MEMBERS[n * 3 % 7].format(n=n)),
        )
        includes.append(f'%include "decks/ferry_{n}.i"')
    write(os.path.join(room, "harbour.i"), "%module harbour\n" + "\n".join(includes) + "\n")
    text = stripped(shop.run(["swig", "-Wall", "-c++", "-python", "harbour.i"], room).text, room)
    found = found_by(text, r"^(?P<path>\S+):(?P<line>\d+): Warning (?P<code>\d+): (?P<said>.*)$")
    yield made(name, COMPILER, "swig -Wall -c++ -python harbour.i", text, found)


WAT_FAULTS = (
    "(i32.add (local.get $a))",
    "(call $moor_{n})",
    "(i64.const {n})",
    "(local.get $rope_{n})",
    "(f32.add (local.get $a) (i32.const {n}))",
    "(br $loop_{n})",
    "(global.set $tide_{n} (i32.const 1))",
)


def wat_run(name: str, shop: Shop) -> Iterator[Item]:
    """What wat2wasm says of a module; the facts are planted, and its lines by a fixed pattern: every message with its place."""
    shop.install("wat2wasm", "wabt")
    room = shop.room(name)
    lines = ["(module"]
    for n in range(800):
        fault = WAT_FAULTS[n // 4 % 7].format(n=n) if n % 4 == 1 else "(i32.add (local.get $a) (i32.const 1))"
        lines += [f"  (func $sail_{n} (param $a i32) (result i32)", f"    {fault})"]
    write(os.path.join(room, "harbour.wat"), "\n".join([*lines, ")"]) + "\n")
    text = shop.run(["wat2wasm", "harbour.wat"], room).text
    found = found_by(text, r"^(?P<path>\S+?):(?P<line>\d+):(?P<column>\d+): error: (?P<said>.*)$", "{}:{}:{}")
    yield made(name, COMPILER, "wat2wasm harbour.wat", text, found)


GROOVY = """package decks

class Ferry{n} {{
    int rope = {n}
    String moor(int pier) {{
        {body}
        return "pier ${{pier}}"
    }}
}}
"""
GROOVY_FAULTS = (
    "lamps{n}.burn()",
    "File wet = new Date({n})",
    "rope.coil{n}()",
    "long tide = [{n}]",
    "String lamp = pier.size{n}()",
    "final int x = 1; x = {n}",
)


def groovy_run(name: str, shop: Shop) -> Iterator[Item]:
    """What groovyc says of sources that are checked strictly; the facts are its lines by a fixed pattern: every file and message with its place, the sum."""
    shop.install("groovyc", "groovy")
    room = shop.room(name)
    for n in range(170):
        body = GROOVY_FAULTS[n // 2 % 6].format(n=n) if n % 2 else ""
        write(
            os.path.join(room, "decks", f"Ferry{n}.groovy"),
            "@groovy.transform.CompileStatic\n".join(GROOVY.format(n=n, body=body).partition("class")[::2]).replace(
                "CompileStatic\n ", "CompileStatic\nclass "
            ),
        )
    files = [f"decks/Ferry{n}.groovy" for n in range(170)]
    write(os.path.join(room, "config.groovy"), "configuration.tolerance = 500\n")
    text = stripped(
        shop.run(
            ["groovyc", "--configscript", "config.groovy", *files],
            room,
            seconds=400,
            env={"JAVA_HOME": os.path.dirname(os.path.dirname(os.path.realpath("/usr/bin/java")))},
        ).text,
        room,
    )
    checked = r"^(?P<path>\S+\.groovy): (?P<line>\d+): (?:\[Static type checking\] - )?(?P<said>.*?)(?:\s*@ line .*)?$"
    facts = found_by(text, checked, "{}: {}")
    yield made(
        name,
        COMPILER,
        "groovyc --configscript config.groovy decks/*.groovy",
        text,
        [*facts, *matches(text, r"^\d+ errors?$")],
        least=0.6,
    )


JAKEFILE = """const say = (...words) => console.log(...words);
const steps = [];
for (let n = 0; n < 150; n++) {
  task('deck' + n, n > 0 && n % 25 ? ['deck' + (n - 1)] : [], () => {
    say('sweeping deck ' + n + ' with ' + (n * 7 % 11) + ' brooms');
    if (n % 23 === 9) say('warning: deck ' + n + ' is still wet');
    if (n % 41 === 30) console.error('rope ' + n + ' lies in the way, moved to locker ' + (n % 5));
  });
  if (n % 25 === 24) steps.push('deck' + n);
}
task('crew', () => { throw new Error('keeper 7 did not come to pier 3'); });
task('default', [...steps, 'crew']);
"""


def jake_run(name: str, shop: Shop) -> Iterator[Item]:
    """What jake prints of many tasks; the facts are planted: what was warned of, what was moved, where it ended, the ends."""
    room = shop.room(name)
    write(os.path.join(room, "Jakefile.js"), JAKEFILE)
    text = stripped(shop.run([TOOLS.npm_tool(shop, "jake"), "--trace"], room).text, room)
    text = re.sub(r"[^\s(]*/node_modules/", "node_modules/", text)
    facts = each(
        "message",
        [f"warning: deck {n} is still wet" for n in range(150) if n % 23 == 9]
        + [f"rope {n} lies in the way, moved to locker {n % 5}" for n in range(150) if n % 41 == 30],
    )
    facts += each(
        "message",
        [
            "sweeping deck 0 with 0 brooms",
            "sweeping deck 149",
            "keeper 7 did not come to pier 3",
            *re.findall(r"^jake aborted\.$|Jakefile\.js:\d+:\d+", text, re.MULTILINE),
        ],
    )
    yield made(name, BUILD, "jake --trace", text, facts)


STEP = """for (let k = 0; k < 30; k++) {{ console.log('{word} plank ' + k + ' of hull {n}'); if ((k * 7 + {n}) % 53 === 11) console.warn('warning: plank ' + k + ' of hull {n} is soft'); }}
{end}
"""


def parallel_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `run-s -l -c` prints of scripts one after the other; the facts are planted: every script that failed, what it threw, what was warned of."""
    room, scripts, facts = shop.room(name), {}, list[Fact]()
    for n in range(14):
        word = ("sawing", "planing", "tarring")[n % 3]
        end = f"throw new Error('hull {n} does not float');" if n % 6 == 4 else "process.exit(3);" if n == 9 else ""
        write(os.path.join(room, f"hull{n}.js"), STEP.format(n=n, word=word, end=end))
        scripts[f"hull:{n}"] = f"node hull{n}.js"
        facts += each(
            "message",
            [f"Error: hull {n} does not float"] * (n % 6 == 4)
            + [f"warning: plank {k} of hull {n} is soft" for k in range(30) if (k * 7 + n) % 53 == 11],
        )
        facts += each("message", [f"> node hull{n}.js"])
    write(os.path.join(room, "package.json"), json.dumps({"name": "hulls", "version": "2.0.0", "scripts": scripts}))
    text = stripped(shop.run([TOOLS.npm_tool(shop, "run-s"), "-l", "-c", "hull:*"], room).text, room)
    text = re.sub(r".*npm warn Unknown user config.*\n", "", text)
    facts += [*each("location", re.findall(r"hull\d+\.js:\d+", text)), *matches(text, r"^ERROR: .*")]
    yield made(name, BUILD, "run-s -l -c hull:*", text, facts, least=0.7)


AUTOMAKE = """bin_PROGRAMS += ferry{n}
ferry{n}_SOURCES = ferry{n}.c{more}
{fault}
"""
AUTOMAKE_FAULTS = (
    "if HAVE_LAMP_{n}\nferry{n}_CFLAGS = -O2\nendif",
    "ferry{n}_LDADD = -lrope -L/opt/{n}\nINCLUDES = -I/opt/{n}",
    "noinst_LIBRARIES += librope{n}.la",
    "EXTRA_PROGRAMS = gull{n}\nEXTRA_PROGRAMS = gull{n}",
    "tide{n}_SOURCES = tide.c",
    "ferry{n}_SOURCES += $(wildcard deck{n}/*.c)",
)


def automake_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `automake -Wall` says of many directories; the facts are its lines by a fixed pattern: every file and message with a place."""
    shop.install("automake", "automake", "autoconf")
    room, folders = shop.room(name), [f"deck{n}" for n in range(76)]
    for n, folder in enumerate(folders):
        fault = AUTOMAKE_FAULTS[n % 6].format(n=n) if n % 4 else ""
        write(
            os.path.join(room, folder, "Makefile.am"),
            "bin_PROGRAMS =\nnoinst_LIBRARIES =\n"
            + AUTOMAKE.format(n=n, more=f" sub{n}/rope.c" if n % 3 == 1 else "", fault=fault),
        )
    write(os.path.join(room, "Makefile.am"), f"SUBDIRS = {' '.join(folders)}\n")
    outputs = " ".join(f"{one}/Makefile" for one in folders)
    write(
        os.path.join(room, "configure.ac"),
        f"AC_INIT([harbour], [1.0])\nAM_INIT_AUTOMAKE([foreign])\nAC_PROG_CC\nAC_CONFIG_FILES([Makefile {outputs}])\nAC_OUTPUT\n",
    )
    shop.run(["aclocal"], room).check()
    text = stripped(shop.run(["automake", "-Wall", "--add-missing", "--copy"], room, seconds=300).text, room)
    found = found_by(text, r"^(?P<path>\S+?):(?P<line>\d+): (?:error: |warning: )?(?P<said>.*)$")
    yield made(name, BUILD, "automake -Wall --add-missing --copy", text, found)


RECIPES = recipes(
    ("closure-piers", closure_run),
    ("swig-ferries", swig_run),
    ("wat2wasm-harbour", wat_run),
    ("groovyc-ferries", groovy_run),
    ("jake-decks", jake_run),
    ("run-s-hulls", parallel_run),
    ("automake-decks", automake_run),
)
