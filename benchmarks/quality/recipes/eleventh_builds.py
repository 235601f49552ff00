"""Compilers, bundlers and task runners that nobody tunes on; their messages for machines or planted faults tell the facts."""

import json
import os
import re
import shutil
from collections.abc import Iterator

from items import Fact, Item
from shop import Shop

from recipes.eleventh_tools import TOOLS
from recipes.held_suites import write
from recipes.native_tests import crate
from recipes.ninth_storage import append
from recipes.tenth_linters import cargo_findings
from recipes.tenth_tools import diagnosed, each, made, matches, pairs, recipes, stripped, venv_path, write_tsconfig
from recipes.third_linters import report_file

COMPILER, BUILD, DOCUMENTS = "compiler", "build system", "documentation"

RUST = """
pub mod berth_{n} {{
    pub struct Ferry {{ pub name: String, pub deck: u32 }}
    pub fn moor(ferry: &Ferry) -> {returns} {{ {unused}ferry.deck + {n} }}
    pub fn rename(ferry: {borrow}Ferry) {{ ferry.name = String::from("Seal {n}"); }}
    pub fn lost() -> u32 {{ {lost} }}
}}
"""


def check_run(name: str, shop: Shop) -> Iterator[Item]:
    """`cargo check` of a crate with faults; the facts are cargo's JSON messages."""
    tree = crate(shop, name, "httparse-1.8.0")
    body = "".join(
        RUST.format(
            n=n,
            returns="String" if n % 5 == 2 else "u32",
            unused=f"let rope_{n} = 3; " if n % 3 == 1 else "",
            borrow="&" if n % 7 == 4 else "&mut ",
            lost=f"tide_table_{n}(3)" if n % 8 == 6 else str(n),
        )
        for n in range(44)
    )
    write(os.path.join(tree, "src", "piers.rs"), body)
    append(os.path.join(tree, "src", "lib.rs"), "\n#[allow(missing_docs)]\npub mod piers;\n")
    env = {"CARGO_TERM_COLOR": "never"}
    command = ["cargo", "check", "--offline"]
    text = stripped(shop.run(command, tree, env=env).text, tree)
    report = shop.run([*command, "--message-format=json"], tree, env=env, apart=True).text
    facts = [
        *diagnosed(cargo_findings(report), text),
        *matches(text, r"^error: could not compile.*", r"^warning: `httparse`.*"),
    ]
    yield made(name, COMPILER, "cargo check --offline", text, facts)


DOCUMENTED = """/// Moors ferry {n} as [`{link}`] says, see <b>pier {n}{close}
///
/// ```{fence}
/// moor_{n}();
/// ```
/// More at {url}.
pub fn moor_{n}() {{}}
"""


def doc_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `cargo doc` warns of; the facts are cargo's JSON messages."""
    tree = crate(shop, name, "httparse-1.8.0")
    body = "".join(
        DOCUMENTED.format(
            n=n,
            link=f"rope_{n}" if n % 4 == 1 else "moor_1",
            close="" if n % 5 == 3 else "</b>",
            fence="rust" if n % 3 else "text",
            url=f"http://pier.example/{n}" if n % 6 == 2 else "the pier",
        )
        for n in range(60)
    )
    write(os.path.join(tree, "src", "piers.rs"), "//! Piers.\n" + body)
    append(os.path.join(tree, "src", "lib.rs"), "\npub mod piers;\n")
    env = {"CARGO_TERM_COLOR": "never"}
    command = ["cargo", "doc", "--offline", "--no-deps"]
    text = stripped(shop.run(command, tree, env=env).text, tree)
    os.utime(os.path.join(tree, "src", "lib.rs"))
    report = shop.run([*command, "--message-format=json"], tree, env=env, apart=True).text
    facts = [*diagnosed(cargo_findings(report), text), *matches(text, r"^warning: `httparse`.*", r"^ +Generated \S+")]
    yield made(name, DOCUMENTS, "cargo doc --offline --no-deps", text, facts)


SCALA = """package piers{n}
import scala.collection.mutable._
sealed trait Boat
case class Ferry(name: String, deck: Int) extends Boat
case class Tug(rope: {rope}) extends Boat
object Pier{n} {{
  def moor(boat: Boat): Int = boat match {{ case Ferry(_, deck) => deck{tug} }}
  def light(lamp: Option[Int]): Int = lamp.map(_ + {n}){get}
  {extra}
}}
"""


def scala_run(name: str, shop: Shop) -> Iterator[Item]:
    """What scalac says of sources with faults; the facts are planted, and its sums."""
    shop.install("scalac", "scala")
    room, faults = shop.room(name), list[tuple[str, str]]()
    for n in range(140):
        path, extra = f"src/Pier{n}.scala", ""
        if n % 6 == 4:
            extra = f"val sunk{n}: Int = hull{n} + 1"
            faults.append((f"{path}:9", f"not found: value hull{n}"))
        if n % 9 == 2:
            extra = f"def raise{n}(): String = {n}"
            faults.append((f"{path}:9", "error: type mismatch;"))
        if n % 7 == 3:
            faults.append((f"{path}:8", "error: type mismatch;"))
        if n % 10 == 5:
            faults.append((f"{path}:5", f"not found: type Rope{n}"))
        write(
            os.path.join(room, path),
            SCALA.format(
                n=n,
                rope=f"Rope{n}" if n % 10 == 5 else "String",
                tug="" if n % 4 == 1 else "; case Tug(_) => 0",
                get="" if n % 7 == 3 else ".getOrElse(0)",
                extra=extra,
            ),
        )
    paths = sorted(os.path.join("src", one) for one in os.listdir(os.path.join(room, "src")))
    text = stripped(
        shop.run(
            ["scalac", "-deprecation", "-feature", "-Xlint", "-d", "/var/tmp", *paths],
            room,
            seconds=400,
            env={"JAVA_OPTS": "-Xmx600m"},
        ).text,
        room,
    )
    facts: list[Fact] = [Fact("record", (place,), (said,)) for place, said in faults]
    facts += [
        *each("path", (place.rsplit(":", 1)[0] for place, _ in faults)),
        *matches(text, r"^\w+ (?:errors|warnings?) found", r"^required: .*|^ found   : .*"),
    ]
    yield made(name, COMPILER, "scalac -Xlint src", text, facts)


MODULE = """import {{ {name} }} from '{source}';
{extra}
export const boat{n} = () => {name}({n}) + '{n}';
export default boat{n};
"""


def rolldown_run(name: str, shop: Shop) -> Iterator[Item]:
    """What rolldown says of a bundle; the facts are planted: every warning with its file, every chunk, the sum."""
    room = os.path.join(TOOLS.npm_room(shop), name)
    shutil.rmtree(room, ignore_errors=True)
    facts: list[Fact] = []
    for n in range(99):
        evil, lost = n % 7 == 5, n % 11 == 3
        extra = (
            f"export const wet{n} = () => eval('tide{n}');"
            if evil
            else f"import gull{n} from 'gull-{n}';\ngull{n}();"
            if lost
            else ""
        )
        write(
            os.path.join(room, "src", f"boat{n}.js"), MODULE.format(n=n, name="rope", source="./util.js", extra=extra)
        )
        facts += [
            *each("message", [f"src/boat{n}.js"] * (evil or lost)),
            *pairs([(f"'gull-{n}'",)] * (lost and not evil)),
        ]
    write(os.path.join(room, "src", "util.js"), "export const rope = n => n * 2;\n")
    write(
        os.path.join(room, "src", "index.js"),
        "".join(
            f"export * as b{n} from './boat{n}.js';\n"
            if n % 3
            else f"export const l{n} = () => import('./boat{n}.js');\n"
            for n in range(99)
        ),
    )
    command = [TOOLS.npm_tool(shop, "rolldown"), "src/index.js", "-d", "dist", "--format", "esm"]
    text = stripped(shop.run(command, room).text, room)
    text = re.sub(r"in \d+(?:\.\d+)? ?m?s", "in 20 ms", text)
    facts += matches(text, r"^.*?Finished in", r"^<DIR>/index\S*\.js +.*", r"\[([A-Z_]+)\]")
    facts += each("message", re.findall(r"^<DIR>/(\S+)", text, re.MULTILINE))
    shutil.rmtree(room)
    yield made(name, BUILD, "rolldown src/index.js -d dist", text, facts, least=0.6)


TSUP = """import type {{ Boat }} from './boat';
export interface Deck{n} {{ boat: Boat; ropes: {ropes}[] }}
export function moor{n}(deck: Deck{n}): number {{ {body} }}
"""


def tsup_run(name: str, shop: Shop) -> Iterator[Item]:
    """What tsup says of a library in parts with declarations; the facts are what lies there afterwards: every entry by one of its files, what was built."""
    room = os.path.join(TOOLS.npm_room(shop), name)
    shutil.rmtree(room, ignore_errors=True)
    for n in range(60):
        write(
            os.path.join(room, "src", f"deck{n}.ts"),
            TSUP.format(n=n, ropes="string", body=f"return deck.ropes.length + {n};"),
        )
    write(os.path.join(room, "src", "boat.ts"), "export interface Boat { name: string }\n")
    write_tsconfig(room, ignoreDeprecations="5.0")
    write(os.path.join(room, "package.json"), json.dumps({"name": "decks", "version": "2.0.0"}))
    command = [TOOLS.npm_tool(shop, "tsup"), "src/*.ts", "--format", "cjs,esm", "--dts", "--sourcemap"]
    text = re.sub(
        r"success in \d+ms", "success in 20ms", stripped(report_file(shop, command, room, shop.room(name)), room)
    )
    built = sorted(
        os.path.relpath(os.path.join(folder, one), room)
        for folder, _, files in os.walk(os.path.join(room, "dist"))
        for one in files
    )
    entries = {path.split(".")[0] for path in built}
    facts = [Fact("path", tuple(path for path in built if path.startswith(f"{one}."))) for one in sorted(entries)]
    facts += matches(text, r"^\w+ .* success in", r"^CLI (?!src|Cleaning).*", r"^CLI Building.*")
    shutil.rmtree(room)
    yield made(name, BUILD, "tsup 'src/*.ts' --format cjs,esm --dts", text, facts)


POE = """
[tool.poe.tasks.paint_{n}]
help = "Paint boat {n}"
cmd = "python paint.py {n}"
{deps}
"""
PAINT = """import sys
n = int(sys.argv[1])
print(f"boat {n}: sanding the hull")
for k in range(3 + n % 4): print(f"boat {n}: coat {k + 1} of {3 + n % 4} with {n * 7 % 90} litres")
if n % 7 == 3: print(f"boat {n}: warning: paint is older than {n} months", file=sys.stderr)
if n % 11 == 5: print(f"boat {n}: the hull is wet, waited {n * 3} minutes")
if n == 57: raise RuntimeError(f"boat {n}: the pot is empty")
"""


def poe_run(name: str, shop: Shop) -> Iterator[Item]:
    """What poe prints of a task with many before it, until one fails; the facts are planted: every warning, every delay, the first task and the last, why it stopped."""
    room = shop.room(name)
    tasks = "".join(POE.format(n=n, deps=f'deps = ["paint_{n - 1}"]' if n else "") for n in range(64))
    write(os.path.join(room, "pyproject.toml"), f'[project]\nname = "boats"\nversion = "1"\n{tasks}')
    write(os.path.join(room, "paint.py"), PAINT)
    text = stripped(
        shop.run(["poe", "paint_63"], room, env=venv_path(TOOLS, shop) | {"PYTHONUNBUFFERED": "1"}, seconds=200).text,
        room,
    )
    facts = each("message", (f"boat {n}: warning: paint is older than {n} months" for n in range(58) if n % 7 == 3))
    facts += each("message", (f"boat {n}: the hull is wet, waited {n * 3} minutes" for n in range(58) if n % 11 == 5))
    facts += each(
        "message", ("RuntimeError: boat 57: the pot is empty", "Poe => python paint.py 0", "Poe => python paint.py 57")
    )
    facts += matches(text, r"^Error: .*", r'^ +File "paint.py", line \d+', r"^Traceback .*")
    yield made(name, BUILD, "poe paint_63", text, facts)


def wireit_run(name: str, shop: Shop) -> Iterator[Item]:
    """What wireit prints of scripts that need one another; the facts are planted: every script, which failed and why, what was skipped, the sums."""
    room = os.path.join(TOOLS.npm_room(shop), name)
    shutil.rmtree(room, ignore_errors=True)
    scripts, wired, facts = {}, {}, list[Fact]()
    for n in range(56):
        key = f"{('lint', 'build', 'test', 'pack')[n % 4]}:{n}"
        code = f"console.log('{key} reads {n * 13 % 70} files'); console.log('{key} writes chart {n}')"
        if n % 17 == 5:
            code += f"; console.error('{key} cannot find rope {n}'); process.exit({n % 5 + 1})"
            facts += each("message", [f"{key} cannot find rope {n}", f"[{key}] Failed with exit status {n % 5 + 1}"])
        scripts[key] = "wireit"
        wired[key] = {"command": f'node -e "{code}"', "files": [], "output": []}
        facts += each("name", [key])
    scripts["all"] = "wireit"
    wired["all"] = {"dependencies": [*wired]}
    write(os.path.join(room, "package.json"), json.dumps({"name": "charts", "scripts": scripts, "wireit": wired}))
    env = {"WIREIT_FAILURES": "continue", "WIREIT_LOGGER": "simple", "WIREIT_PARALLEL": "1", "WIREIT_CACHE": "none"}
    text = stripped(
        report_file(
            shop,
            ["env", *(f"{key}={value}" for key, value in env.items()), "sh", "-c", "npm run all 2>&1"],
            room,
            shop.room(name),
        ),
        room,
    )
    text = re.sub(r"in \d+\.?\d* ?m?s", "in 0.1s", text)
    facts += matches(text, r"^.*\d+ ran.*", r"^.*Failed.*(?=\.$)")
    shutil.rmtree(room)
    yield made(name, BUILD, "wireit all", text, facts, least=0.7)


TYPED = """/** The ferry of deck {n}. See {{@link {link}}}. */
export interface Ferry{n} {{ /** Ropes. @see {{@link lost{n}}} */ ropes: number; crew: Crew{n} }}
interface Crew{n} {{ captain: string }}
/** Moors.
 * @param {param} - the ferry
 * @{tag} what
 */
export function moor{n}(ferry: Ferry{n}): number {{ return ferry.ropes; }}
"""


def typedoc_run(name: str, shop: Shop) -> Iterator[Item]:
    """What typedoc warns of; the facts are planted: links to nothing, names that are no parameters, tags that nobody knows, types that are not exported, the sums."""
    room = os.path.join(TOOLS.npm_room(shop), name)
    shutil.rmtree(room, ignore_errors=True)
    facts: list[Fact] = []
    for n in range(66):
        param, tag = "boat" if n % 3 == 1 else "ferry", f"gull{n}" if n % 5 == 2 else "returns"
        write(
            os.path.join(room, "src", f"deck{n}.ts"),
            TYPED.format(n=n, link=f"pier{n}" if n % 4 == 3 else f"Ferry{n}", param=param, tag=tag),
        )
        facts += each(
            "message",
            [f"unknown block tag @{tag}", f"@gull{n}"] * (n % 5 == 2)
            + [f'"pier{n}"'] * (n % 4 == 3)
            + [f"Crew{n}, defined in"],
        )
        facts += each("path", [f"src/deck{n}.ts"])
    write_tsconfig(room)
    write(os.path.join(room, "package.json"), json.dumps({"name": "decks", "version": "2.0.0"}))
    text = stripped(
        shop.run(
            [TOOLS.npm_tool(shop, "typedoc"), "--entryPoints", "src/*.ts", "--out", "docs"], room, seconds=200
        ).text,
        room,
    )
    facts += matches(text, r"^\[(?:info|error)\] .*", r"Found \d+ errors and \d+ warnings")
    shutil.rmtree(room)
    yield made(name, DOCUMENTS, "typedoc --entryPoints 'src/*.ts'", text, facts, least=0.6)


RECIPES = recipes(
    ("cargo-check-piers", check_run),
    ("cargo-doc-piers", doc_run),
    ("scalac-piers", scala_run),
    ("rolldown-boats", rolldown_run),
    ("tsup-decks", tsup_run),
    ("poe-boats", poe_run),
    ("wireit-charts", wireit_run),
    ("typedoc-decks", typedoc_run),
)
