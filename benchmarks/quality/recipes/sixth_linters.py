"""Linters and compilers that nobody tunes on, on real packages or planted mistakes; their reports tell the facts."""

import csv
import json
import os
import re
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import Diagnostic, diagnostic_facts, said_in, spread_facts
from shop import Shop

from recipes.fifth_suites import last_words
from recipes.held_suites import write
from recipes.sixth_tools import npm_room, npm_tool, tool_of
from recipes.third_linters import report_file

LINTER, COMPILER, CHECKER, SEARCH = "linter", "compiler", "checker of projects", "search"

HASKELL = """module Shelf{n} where
import Data.List
import Data.Maybe

weigh{n} :: [Int] -> Int
weigh{n} xs = foldr (\\x acc -> x + acc) 0 (map (\\x -> x * {n}) xs)

doors{n} :: [a] -> Bool
doors{n} xs = not (length xs == 0)

labels{n} xs = concat (map show xs)
{more}
"""
MORE = ("lids xs = if null xs == True then False else True", "packed x = case x of { Just y -> y; Nothing -> 0 }",
        "sorted xs = head (sort xs)", "both p = (\\(a, b) -> (b, a)) p", "gone m = fromJust m >>= return")  # fmt: skip


def hlint_run(name: str, shop: Shop) -> Iterator[Item]:
    """What hlint prints of thirty modules; the facts are those of its JSON."""
    shop.install("hlint")
    room = shop.room(name)
    for number in range(36):
        write(
            os.path.join(room, f"area{number % 5}", f"Shelf{number}.hs"),
            HASKELL.format(n=number, more=MORE[number % 5]),
        )
    text = shop.run(["hlint", "--no-summary", "."], room).text
    found = []
    for row in json.loads(shop.run(["hlint", "--json", "."], room, apart=True).text):
        path = row["file"].removeprefix("./")
        place = f"{path}:{row['startLine']}:{row['startColumn']}"
        found.append(Diagnostic(path, place, "", f"{row['severity']}: {row['hint']}"))
    yield Item(name, LINTER, "text", "hlint .", text, said_in(diagnostic_facts(found), text))


def splint_run(name: str, source: str, files: tuple[str, ...], shop: Shop) -> Iterator[Item]:
    """What splint prints of a source of Debian's; the facts are those of its table for machines."""
    shop.install("splint")
    tree = shop.debian_source(source, shop.room(name))
    command = [
        "splint",
        "-preproc",
        "-warnposix",
        "-linelen",
        "160",
        "-I.",
        "-csv",
        "all.csv",
        "+csvoverwrite",
        "+limit",
        "900",
    ]
    text = shop.run([*command, *files], tree, seconds=120).text
    with open(os.path.join(tree, "all.csv"), encoding="utf-8", errors="replace") as file:
        rows = [row for row in csv.reader(file) if len(row) > 7 and row[5].isdigit()]
    found = [
        Diagnostic(row[4], f"{row[4]}:{row[5]}:{row[6]}", row[2], row[7].split("\n")[0][:60].strip()) for row in rows
    ]
    facts = [*diagnostic_facts(found), *last_words(text, r"^Finished checking .*")]
    yield Item(name, LINTER, "text", f"splint {' '.join(files)}", text, said_in(facts, text))


MANIFEST = """class shelf{n} {{
  file {{ "/srv/shelf-{n}":
    ensure => present,
    mode => 755,
    owner   => "keeper",
    {link}
  }}
  if $door == 'open' {{
	notify {{ 'door {n}': message => "$label is ${{area}}" }}
  }}
  case $area {{
    'a': {{ include shelf{n}::a }}
  }}
}}
"""


def puppet_lint_run(name: str, shop: Shop) -> Iterator[Item]:
    """What puppet-lint prints of manifests; the facts are those of its JSON."""
    shop.install("puppet-lint")
    room = shop.room(name)
    for number in range(24):
        link = ("target => '/x'", "ensure => absent,", "", 'content => "fine"', "source => 'puppet:///shelf/x'   ")[
            number % 5
        ]
        write(
            os.path.join(room, f"area{number % 4}", "manifests", f"shelf{number}.pp"),
            MANIFEST.format(n=number, link=link),
        )
    text = shop.run(["puppet-lint", "--with-filename", "--relative", "."], room).text
    found = []
    for row in json.loads(shop.run(["puppet-lint", "--json", "--relative", "."], room, apart=True).text):
        for one in row if isinstance(row, list) else [row]:
            path = one["path"].removeprefix("./")
            found.append(Diagnostic(path, path, one["check"], f"{one['kind'].upper()}: {one['message']}"))
    yield Item(name, LINTER, "text", "puppet-lint --with-filename .", text, said_in(diagnostic_facts(found), text))


def proselint_run(name: str, source: str, files: str, shop: Shop) -> Iterator[Item]:
    """What proselint prints of a package's documents; the facts are those of its JSON."""
    tool = tool_of(shop, "proselint")
    tree = shop.sdist(source, shop.room(name))
    text = shop.run([tool, "check", files], tree).text.replace(f"{tree}/", "")
    report = shop.run([tool, "check", "-o", "json", files], tree, apart=True).text.replace(f"{tree}/", "")
    found = []
    for path, row in json.loads(report)["result"].items():
        short = path.removeprefix("file://").removeprefix("./")
        found += [
            Diagnostic(short, f"{short}:{one['pos'][0]}:{one['pos'][1]}", one["check_path"], one["message"])
            for one in row.get("diagnostics", ())
        ]
    yield Item(name, LINTER, "text", f"proselint check {files}", text, said_in(diagnostic_facts(found), text))


def bashate_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """What bashate prints of the scripts of a package; the facts are its own lines, read by a fixed pattern."""
    tool = tool_of(shop, "bashate")
    tree = shop.debian_source(source, shop.room(name))
    paths = list(shop.run(["sh", "-c", "grep -rlIE '^#!.*(ba)?sh' . | sort"], tree, apart=True).text.split())
    paths = [path.removeprefix("./") for path in paths][:60]
    text = shop.run([tool, *paths], tree).text
    found = [
        Diagnostic(path, f"{path}:{line}:{column}", code, said.split(":")[0])
        for path, line, column, code, said in re.findall(r"^(\S+?):(\d+):(\d+): (E\d+) (.*)", text, re.MULTILINE)
    ]
    yield Item(name, LINTER, "text", "bashate", text, said_in(diagnostic_facts(found), text))


FORTRAN = """program shelf{n}
  real :: weight
  integer*8 :: door
  real*8, dimension(10) :: lids
  do 10 i = 1, {n}
    weight = weight + i
10 continue
  if (weight .gt. {n}.5) print *, 'heavy'
  {more}
end program
"""


def fortitude_run(name: str, shop: Shop) -> Iterator[Item]:
    """What fortitude prints of programs in Fortran; the facts are those of its JSON."""
    tool = tool_of(shop, "fortitude")
    room = shop.room(name)
    more = (
        "goto 20",
        "open(unit=10, file='x')",
        "common /box/ lids",
        "call exit({n})",
        "double precision x{n}",
        "pause",
    )
    for number in range(26):
        write(
            os.path.join(room, f"area{number % 4}", f"shelf{number}.f90"),
            FORTRAN.format(n=number, more=more[number % 6].format(n=number)),
        )
    text = shop.run([tool, "check", "--output-format", "full", "."], room).text.replace(f"{room}/", "")
    found = []
    for row in json.loads(shop.run([tool, "check", "--output-format", "json", "."], room, apart=True).text):
        path = os.path.relpath(row["filename"], room)
        found.append(
            Diagnostic(
                path, f"{path}:{row['location']['row']}:{row['location']['column']}", row["code"], row["message"]
            )
        )
    yield Item(
        name,
        LINTER,
        "text",
        "fortitude check",
        text,
        said_in((*diagnostic_facts(found), *last_words(text, r"^Number of errors.*|^fortitude: .*")), text),
    )


def reuse_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """What `reuse lint` prints of a package; the facts are those of its JSON."""
    tool = tool_of(shop, "reuse")
    tree = shop.sdist(source, shop.room(name))
    for number in range(12):
        write(
            os.path.join(tree, f"shelf_{number}.py"),
            f"# SPDX-FileCopyrightText: 2026 Keeper {number}\n# SPDX-{'License'}-Identifier: {'MIT' if number % 4 else f'Shelf-{number}'}\n",
        )
    text = shop.run([tool, "lint"], tree).text.replace(tree, "/srv/package")
    report = json.loads(shop.run([tool, "lint", "--json"], tree, apart=True).text.replace(tree, "/srv/package"))
    wrong = report["non_compliant"]
    facts = [
        Fact("path", (one,)) for kind in ("missing_copyright_info", "missing_licensing_info") for one in wrong[kind]
    ]
    facts += [Fact("name", (one,)) for kind in ("bad_licenses", "missing_licenses") for one in wrong[kind]]
    facts += [Fact("path", (os.path.dirname(one),)) for one in wrong["missing_licensing_info"] if os.path.dirname(one)]
    facts += last_words(text, r"^\* (?:Bad|Deprecated|Missing|Unused|Used|Read|Files|Invalid).*|^# [A-Z ]+$")
    yield Item(name, CHECKER, "text", "reuse lint", text, said_in(facts, text))


def knip_run(name: str, shop: Shop) -> Iterator[Item]:
    """What knip prints of a project with things that nobody uses; the facts are those of its JSON."""
    room = shop.room(name)
    lines = ""
    for number in range(190):
        used = number % 5 != 3
        body = f"export const weigh{number} = (x: number) => x * {number};\nexport const spare{number} = {number};\nexport type Lid{number} = string;\n"
        body += f"import 'lost-{number}';\n" if number % 17 == 6 else ""
        write(os.path.join(room, "src", f"area{number % 4}", f"shelf{number}.ts"), body)
        lines += (
            f"import {{ weigh{number} }} from './area{number % 4}/shelf{number}';\nconsole.log(weigh{number}(1));\n"
            if used
            else ""
        )
    write(os.path.join(room, "src", "index.ts"), lines)
    needs = {f"unused-{number}": "1.0.0" for number in range(14)}
    write(
        os.path.join(room, "package.json"),
        json.dumps({"name": "shelves", "main": "src/index.ts", "dependencies": needs}),
    )
    write(os.path.join(room, "tsconfig.json"), '{"compilerOptions": {"module": "esnext"}}')
    store = shop.room(f"{name}-report")
    text = report_file(shop, [npm_tool(shop, "knip"), "--no-progress"], room, store)
    report = json.loads(report_file(shop, [npm_tool(shop, "knip"), "--no-progress", "--reporter", "json"], room, store))
    facts = last_words(text, r"^(?:Unused|Unlisted|Unresolved) .*\(\d+\)")
    for row in report["issues"]:
        facts += [Fact("path", (row["file"],))]
        for entries in row.values():
            facts += (
                [
                    Fact("path" if "/" in one["name"] else "name", (one["name"],))
                    for one in entries
                    if isinstance(one, dict) and "name" in one
                ]
                if isinstance(entries, list)
                else []
            )
    facts += [Fact("path", (one,)) for one in report.get("files", ())]
    yield Item(name, CHECKER, "text", "knip", text, said_in(facts, text))


PASCAL = """unit shelf{n};
interface
function weigh{n}(x: integer): longint;
implementation
uses sysutils;
var unused{n}: integer;
function weigh{n}(x: integer): longint;
var spare: string; lid: word;
begin
  lid := x * 70000;
  {more}
  weigh{n} := lid + x;
end;
end.
"""


def pascal_run(name: str, shop: Shop) -> Iterator[Item]:
    """What fpc prints of forty units; the facts are the mistakes planted, and every note read by a fixed pattern."""
    shop.install("fpc", "fp-compiler")
    room = shop.room(name)
    text = ""
    for number in range(34):
        more = {4: f"lost{number} := 1;", 9: f"x := 'door {number}';", 2: f"weigh{number}(1, 2);"}.get(
            number % 11, "if x > lid then inc(x);"
        )
        path = f"area{number % 4}/shelf{number}.pas"
        write(os.path.join(room, path), PASCAL.format(n=number, more=more))
        text += shop.run(["fpc", "-vewnhi", "-vb", path], room).text
    found = [
        Diagnostic(path, f"{path}({line},{column})", "", f"{kind}: {said}")
        for path, line, column, kind, said in re.findall(
            r"^(\S+\.pas)\((\d+),(\d+)\) (Error|Fatal|Warning|Hint|Note): (.*)", text, re.MULTILINE
        )
    ]
    facts = [
        *diagnostic_facts(found),
        *(Fact("message", (f'Identifier not found "lost{number}"',)) for number in range(34) if number % 11 == 4),
    ]
    yield Item(name, COMPILER, "text", "fpc -vewnhi", text, said_in(facts, text))


def grammar_run(name: str, shop: Shop) -> Iterator[Item]:
    """What bison says of a grammar with conflicts; the facts are those of its XML and the rules that nothing reaches."""
    shop.install("bison")
    room = shop.room(name)
    rules = "".join(
        f"shelf{n}: PARCEL{n % 9} shelf{(n + 1) % 40} | PARCEL{n % 9} | {'lid' + str(n % 3)} ;\n" for n in range(40)
    )
    lids = "".join(f"lid{n}: PARCEL{n} | LABEL | %empty ;\n" for n in range(3)) + "".join(
        f"lost{n}: LABEL lost{n} | DOOR{n} ;\n" for n in range(16)
    )
    tokens = " ".join([*(f"PARCEL{n}" for n in range(9)), *(f"DOOR{n}" for n in range(16)), "LABEL"])
    write(os.path.join(room, "shelves.y"), f"%token {tokens}\n%%\nall: shelf0 | all shelf7 ;\n{rules}{lids}%%\n")
    text = shop.run(["bison", "-Wall", "-Wcounterexamples", "--color=no", "shelves.y"], room, seconds=200).text
    facts = [Fact("message", (f"nonterminal useless in grammar: lost{n}",)) for n in range(16)]
    facts += [
        Fact("location", (one,))
        for one in dict.fromkeys(re.findall(r"^(shelves\.y:\d+[\d.-]*)(?=: (?:warning|error))", text, re.MULTILINE))
    ]
    facts += last_words(text, r"^shelves\.y: (?:warning|error): .*") + [
        Fact("message", (one,)) for one in dict.fromkeys(re.findall(r"\w+/\w+ conflict on token \w+", text))
    ]
    yield Item(name, COMPILER, "text", "bison -Wall shelves.y", text, said_in(facts, text))


VERILOG = """module shelf{n}(input clk, input [7:0] weight, output reg [3:0] door);
  wire lid = {more};
  always @(posedge clk) begin
    door <= weight[9:2];
    {step}
  end
  box0 inner(.clk(clk), .size(weight){gone});
endmodule
"""


def verilog_run(name: str, shop: Shop) -> Iterator[Item]:
    """What iverilog prints of thirty modules; the facts are the planted mistakes with their places."""
    shop.install("iverilog")
    room = shop.room(name)
    facts, paths = [], ["box.v"]
    write(os.path.join(room, "box.v"), "module box0(input clk, input [3:0] size);\nendmodule\n")
    for number in range(90):
        path = f"area{number % 4}/shelf{number}.v"
        step = f"lost{number} <= 1;" if number % 5 == 2 else "door <= door + 1;"
        more = f"missing{number}" if number % 7 == 3 else "1'b0"
        write(
            os.path.join(room, path),
            VERILOG.format(n=number, step=step, more=more, gone=f", .gone{number}(lid)" if number % 9 == 4 else ""),
        )
        paths.append(path)
        facts += [Fact("path", (path,))]
        facts += [Fact("record", (f"{path}:5",), (f"lost{number}",))] if number % 5 == 2 else []
        facts += [Fact("record", (f"{path}:2",), (f"missing{number}",))] if number % 7 == 3 else []
        facts += [Fact("record", (f"{path}:7",), (f"gone{number}",))] if number % 9 == 4 else []
    text = shop.run(["iverilog", "-Wall", "-o", "all.vvp", *paths], room).text
    facts += last_words(
        text, r"^\d+ error\(s\) during .*|^ +box\d referenced \d+ times\.?|.*port .gone.*is not a port.*"
    )
    yield Item(name, COMPILER, "text", "iverilog -Wall", text, said_in(facts, text))


CONTRACT = """pragma solidity >=0.8.0;
contract Shelf{n} {{
  uint public weight{n}; address owner;
  function weigh(uint x, uint y) public returns (uint) {{ uint spare{n} = x; {more} return x; }}
  function open() public {{ owner.call(""); }}
}}
"""


def solc_run(name: str, shop: Shop) -> Iterator[Item]:
    """What solc prints of thirty contracts; the facts are those of its JSON."""
    room = shop.room(name)
    sources = {}
    for number in range(30):
        more = ("", f"lost{number} += 1;", f'weight{number} = "heavy";', "selfdestruct(payable(owner));", "return;")[
            number % 5
        ]
        sources[f"area{number % 3}/Shelf{number}.sol"] = {"content": CONTRACT.format(n=number, more=more)}
    write(os.path.join(room, "in.json"), json.dumps(sources))
    script = "const solc = require('solc'); const every = [];\n"
    script += "for (const [name, source] of Object.entries(JSON.parse(require('fs').readFileSync(process.argv[2], 'utf8')))) {\n"
    script += "  const settings = { outputSelection: { '*': { '*': ['abi'] } } };\n"
    script += "  every.push(...(JSON.parse(solc.compile(JSON.stringify({ language: 'Solidity', sources: { [name]: source }, settings }))).errors || []));\n}\n"
    script += "if (process.argv[3]) console.log(JSON.stringify(every)); else for (const one of every) console.log(one.formattedMessage);\n"
    path = write(os.path.join(npm_room(shop), "solc-rows.cjs"), script)
    store = shop.room(f"{name}-report")
    text = report_file(shop, ["node", path, f"{room}/in.json"], room, store)
    found = []
    for row in json.loads(report_file(shop, ["node", path, f"{room}/in.json", "json"], room, store)):
        at = re.search(r"--> (\S+?:\d+:\d+)", row["formattedMessage"])
        found.append(Diagnostic(row["sourceLocation"]["file"], at[1] if at else "", "", row["message"]))
    yield Item(name, COMPILER, "text", "solcjs", text, said_in(spread_facts([one for one in found if one.place]), text))


def search_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """`ack` and `ugrep` with context; the facts are the files with matches and the lines that match, by their own counts."""
    shop.install("ack")
    shop.install("ugrep")
    tree = shop.sdist(source, shop.room(name))
    for tool, command, word in (
        ("ack", ["ack", "--nocolor", "--group", "-C", "2"], r"raise \w+Error"),
        ("ugrep", ["ugrep", "-rn", "--heading", "-C1"], r"except \w+Error"),
    ):
        text = shop.run([*command, word, "."], tree, apart=True).text.replace("\n./", "\n")
        rows = shop.run(["grep", "-rnIE", word.replace(r"\w", "[A-Za-z0-9_]"), "."], tree, apart=True).text.splitlines()
        facts = []
        for row in rows:
            path, _line, said = row.removeprefix("./").split(":", 2)
            facts += [Fact("path", (one,)) for one in (path, os.path.dirname(path)) if one]
            facts += [Fact("message", (one,)) for one in re.findall(word, said)[:1]]
        yield Item(f"{tool}-{name}", SEARCH, "text", f"{tool} {word.split()[0]}", text, said_in(facts, text))


def ast_grep_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What ast-grep prints of rules that a package breaks; the facts are those of its JSON."""
    tool = tool_of(shop, "ast-grep")
    room = shop.room(name)
    tree = shop.sdist(source, room)
    rules = {
        "no-bare-assert": "assert $A",
        "no-isinstance": "isinstance($A, $B)",
        "no-getattr": "getattr($A, $B, $C)",
        "no-lambda": "lambda $A: $B",
        "no-del": "del $A",
    }
    write(
        os.path.join(room, "rules.yml"),
        "---\n".join(
            f"id: {rule}\nlanguage: Python\nseverity: warning\nmessage: '{rule} is not for shelves'\nrule:\n  pattern: '{pattern}'\n"
            for rule, pattern in rules.items()
        ),
    )
    command = [tool, "scan", "-r", "../rules.yml", folder]
    text = shop.run([*command, "--color=never"], tree).text
    found = []
    for row in json.loads(shop.run([*command, "--json=compact"], tree, apart=True).text):
        start = row["range"]["start"]
        found.append(
            Diagnostic(
                row["file"], f"{row['file']}:{start['line'] + 1}:{start['column'] + 1}", row["ruleId"], row["message"]
            )
        )
    facts = [*spread_facts(found)]
    yield Item(name, LINTER, "text", f"ast-grep scan {folder}", text, said_in(facts, text))


RECIPES = {
    "hlint-shelves": partial(hlint_run, "hlint-shelves"),
    "splint-lua": partial(
        splint_run, "splint-lua", "lua5.1", ("src/lapi.c", "src/lvm.c", "src/ltable.c", "src/lstring.c", "src/lgc.c")
    ),
    "puppet-lint-shelves": partial(puppet_lint_run, "puppet-lint-shelves"),
    "proselint-django": partial(proselint_run, "proselint-django", "django==5.1", "docs/topics"),
    "bashate-scripts": partial(bashate_run, "bashate-scripts", "initramfs-tools"),
    "fortitude-shelves": partial(fortitude_run, "fortitude-shelves"),
    "reuse-flask": partial(reuse_run, "reuse-flask", "flask==3.0.0"),
    "knip-shelves": partial(knip_run, "knip-shelves"),
    "fpc-shelves": partial(pascal_run, "fpc-shelves"),
    "bison-shelves": partial(grammar_run, "bison-shelves"),
    "iverilog-shelves": partial(verilog_run, "iverilog-shelves"),
    "solcjs-shelves": partial(solc_run, "solcjs-shelves"),
    "context-werkzeug": partial(search_run, "werkzeug", "werkzeug==3.0.0"),
    "ast-grep-jinja": partial(ast_grep_run, "ast-grep-jinja", "jinja2==3.1.4", "src/jinja2"),
}
