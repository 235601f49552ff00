"""Answers of tool servers and interfaces, infrastructure and packages by tools that nobody tunes on; what is odd is planted."""

import glob
import json
import os
import re
import shutil
from collections.abc import Iterator

from items import Fact, Item
from shop import Shop

from recipes.held_linters import read
from recipes.held_suites import write
from recipes.tenth_answers import shelf, tool_answer
from recipes.tenth_tools import each, made, matches, recipes, stripped
from recipes.twelfth_tools import SERVICES, TOOLS

SERVER, ANSWER, INFRASTRUCTURE, PACKAGES = "tool server", "answer of an interface", "infrastructure", "package manager"

SCRIPT = """import {{ rope }} from './rope.js';
export function moor{n}(pier) {{
  {fault}
  return pier.rope({n});
}}
"""
SCRIPT_FAULTS = (
    "var lamp{n} = 1;",
    "if (pier == {n}) pier.sink();",
    "undefinedLamp{n}.burn();",
    "let tide{n} = 2;",
    "debugger;",
)


def eslint_answer(name: str, shop: Shop) -> Iterator[Item]:
    """What the tool server of eslint answers for files; the facts are those of eslint's own JSON: every rule, file and message."""
    room, files = os.path.join(TOOLS.npm_room(shop), name), []
    shutil.rmtree(room, ignore_errors=True)
    for n in range(40):
        files.append(os.path.join(room, "src", f"deck{n % 4}", f"pier{n}.js"))
        write(files[-1], SCRIPT.format(n=n, fault=SCRIPT_FAULTS[n // 2 % 5].format(n=n) if n % 2 else ""))
    rules = {
        "no-var": "error",
        "eqeqeq": "error",
        "no-undef": "error",
        "no-unused-vars": "warn",
        "prefer-const": "error",
        "no-debugger": "error",
    }
    write(os.path.join(room, "eslint.config.mjs"), f"export default [{{ rules: {json.dumps(rules)} }}];\n")
    text = tool_answer(shop, [TOOLS.npm_tool(shop, "mcp")], room, ("lint-files", {"filePaths": files}))
    text = text.replace(f"{room}/", "/srv/harbour/")
    command = [
        "node",
        os.path.join(TOOLS.npm_room(shop), "node_modules", "eslint", "bin", "eslint.js"),
        "-f",
        "json",
        "src",
    ]
    report = json.loads(shop.run(command, room, apart=True).text)
    shutil.rmtree(room)
    found = [(os.path.relpath(one["filePath"], room), at) for one in report for at in one["messages"]]
    facts = [
        *each("message", (f"/srv/harbour/{path}" for path, _ in found)),
        *each("message", (at["message"] for _, at in found)),
        *each("message", (at["ruleId"] for _, at in found)),
    ]
    yield made(name, SERVER, "eslint-mcp lint-files", text, facts)


def sheet_answer(name: str, shop: Shop) -> Iterator[Item]:
    """What a tool server of spreadsheets answers for a range; the facts are planted: keys, columns, every state, the odd rows, the ends."""
    room, facts = shop.room(name), list[Fact]()
    rows: list[list[object]] = [["ferry", "state", "load", "keeper"]]
    for n in range(60):
        state, load = (
            "sunk" if n % 29 == 13 else ("open", "done", "late")[n % 3],
            90000 + n if n % 23 == 9 else n * 13 % 700,
        )
        rows.append([f"Ferry {n}", state, load, f"Keeper {n % 7}"])
        facts += each(
            "message", [f'"Ferry {n}"'] * (state == "sunk" or load > 9000 or n in {0, 59}) + [str(load)] * (load > 9000)
        )
    path = os.path.join(room, "trips.xlsx")
    script = f"import openpyxl; b = openpyxl.Workbook(); s = b.active; s.title = 'Trips'; [s.append(r) for r in {rows!r}]; b.save({path!r})"
    shop.run([SERVICES.python(shop), "-c", script], room).check()
    given: dict[str, object] = {"filepath": path, "sheet_name": "Trips", "start_cell": "A1"}
    text = tool_answer(
        shop, [SERVICES.python_tool(shop, "excel-mcp-server"), "stdio"], room, ("read_data_from_excel", given)
    )
    facts += [
        *each("message", ('"sunk"', '"open"', '"done"', '"late"', '"Trips"', *(f'"Keeper {n}"' for n in range(7)))),
        *each("key", re.findall(r'^\s*"(\w+)":', text, re.MULTILINE)),
    ]
    yield made(name, SERVER, "excel-mcp-server read_data_from_excel", text.replace(f"{room}/", "/srv/"), facts, "json")


def found_answer(name: str, shop: Shop) -> Iterator[Item]:
    """What a tool server of syntax trees answers for a search; the facts are those of a search of our own: every file with a match, every distinct line."""
    tree = shop.sdist("click==8.1.7", shop.room(name))
    given = {
        "project": "click",
        "pattern": "raise ",
        "file_pattern": "src/**/*.py",
        "context_lines": 1,
        "max_results": 400,
    }
    calls: tuple[tuple[str, dict[str, object]], ...] = (
        ("register_project_tool", {"path": tree, "name": "click"}),
        ("find_text", given),
    )
    text = tool_answer(
        shop,
        [SERVICES.python_tool(shop, "mcp-server-tree-sitter")],
        tree,
        *calls,
        env={"HOME": shop.room(f"{name}-home")},
    )
    sources = {
        os.path.relpath(path, tree): read(path)
        for path in sorted(glob.glob(os.path.join(tree, "src", "click", "*.py")))
    }
    lines = {path: [line for line in source.splitlines() if "raise " in line] for path, source in sources.items()}
    facts = [
        *each("path", (path for path, matched in lines.items() if matched)),
        *each("message", (line.strip()[:80] for matched in lines.values() for line in matched)),
    ]
    facts = [
        Fact(one.kind, tuple(dict.fromkeys((*one.spellings, *(json.dumps(said)[1:-1] for said in one.spellings)))))
        for one in facts
    ]
    yield made(
        name,
        SERVER,
        "mcp-server-tree-sitter find_text",
        text,
        [*facts, *each("key", re.findall(r'^ *"(\w+)":', text, re.MULTILINE))],
    )


def httpx_run(name: str, shop: Shop) -> Iterator[Item]:
    """What httpx prints of an answer with its headers; the facts are planted: keys, every state, the odd rows, the ends."""
    room, facts = shop.room(name), list[Fact]()
    rows = []
    for n in range(62):
        state = "sunk" if n % 29 == 13 else ("open", "done", "late")[n % 3]
        rows.append(
            {
                "id": n,
                "ferry": f"Ferry {n}",
                "state": state,
                "pier": {"name": f"pier-{n % 6}", "lamps": None if n % 17 == 4 else n % 5},
                "tags": ["fog"] * (n % 19 == 6),
            }
        )
        facts += each("message", [f'"Ferry {n}"'] * (state == "sunk" or n % 17 == 4 or n % 19 == 6 or n in {0, 61}))
    write(os.path.join(room, "trips.json"), json.dumps({"trips": rows, "next": "/trips.json?page=2"}))
    with shelf(room) as address:
        text = stripped(shop.run([TOOLS.python_tool(shop, "httpx"), f"{address}/trips.json"], room).text, room)
    text = re.sub(r"^(Date|Last-Modified): .*", r"\1: Thu, 19 Nov 2026 10:00:00 GMT", text, flags=re.MULTILINE)
    facts += [
        *each(
            "message",
            (
                "200 OK",
                "Content-type: application/json",
                '"sunk"',
                '"open"',
                '"done"',
                '"late"',
                '"fog"',
                *(f'"pier-{n}"' for n in range(6)),
            ),
        ),
        *each("key", ("trips", "id", "ferry", "state", "pier", "name", "lamps", "tags", "next")),
    ]
    yield made(name, ANSWER, "httpx http://harbour.example/trips.json", text, facts)


def gojq_run(name: str, shop: Shop) -> Iterator[Item]:
    """What gojq makes of an answer, as YAML; the facts are planted: keys, every state, the odd rows, the ends."""
    shop.install("gojq")
    room, facts = shop.room(name), list[Fact]()
    rows = []
    for n in range(110):
        state = "Sunk" if n % 41 == 13 else "Pending" if n % 17 == 4 else "Afloat"
        rows.append(
            {
                "metadata": {"name": f"ferry-{n}", "labels": {"tier": ("deck", "hull")[n % 2]}},
                "status": {"phase": state, "restarts": n * 7 if n % 23 == 9 else 0},
            }
        )
        facts += each("name", [f"ferry-{n}"] * (state != "Afloat" or n % 23 == 9 or n in {0, 109}))
        facts += each("message", [f"restarts: {n * 7}"] * (n % 23 == 9))
    write(os.path.join(room, "ferries.json"), json.dumps({"kind": "List", "items": rows}))
    text = shop.run(["gojq", "--yaml-output", ".", "ferries.json"], room).text
    facts += each(
        "message",
        (
            "kind: List",
            "items:",
            "metadata:",
            "labels:",
            "status:",
            "tier: deck",
            "tier: hull",
            "phase: Sunk",
            "phase: Pending",
            "phase: Afloat",
            "restarts: 0",
        ),
    )
    yield made(name, ANSWER, "gojq --yaml-output . ferries.json", text, facts)


CONAN = """from conan import ConanFile

class Part(ConanFile):
    name = "part{n}"
    version = "1.{n}"
    license = "{licence}"
    package_type = "{kind}"
    def requirements(self):
{needs}
"""


def conan_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `conan graph info` says of recipes that are made up; the facts are planted: every part with its version, licences that are rare, the conflict and what is missing."""
    room, facts = shop.room(name), list[Fact]()
    env = {"CONAN_HOME": os.path.join(room, "home"), "HOME": room}
    tool = TOOLS.python_tool(shop, "conan")
    shop.run([tool, "profile", "detect"], room, env=env).check()
    for n in reversed(range(14)):
        needs = (
            "".join(f'        self.requires("part{k}/1.{k}")\n' for k in (n * 2 + 1, n * 2 + 2) if k < 14)
            or "        pass\n"
        )
        licence = "AGPL-3.0" if n % 9 == 5 else "MIT"
        write(
            os.path.join(room, f"part{n}", "conanfile.py"),
            CONAN.format(
                n=n, licence=licence, kind=("shared-library", "static-library", "header-library")[n % 3], needs=needs
            ),
        )
        shop.run([tool, "export", f"part{n}"], room, env=env).check()
        facts += each("message", [f"part{n}/1.{n}"])
    text = stripped(
        shop.run([tool, "graph", "info", "--requires=part0/1.0", "--no-remote"], room, env=env, seconds=200).text, room
    )
    text = re.sub(r"%\d{10}\.\d+", "%1794000000.1", text)
    facts += matches(text, r"^WARN: .*", r"^ +- Missing packages: .*")
    facts += each(
        "message",
        (
            "license: AGPL-3.0",
            "license: MIT",
            "package_type: shared-library",
            "package_type: static-library",
            "package_type: header-library",
        ),
    )
    yield made(name, PACKAGES, "conan graph info --requires=part0/1.0 --no-remote", text, facts)


RECIPES = recipes(
    ("eslint-mcp-piers", eslint_answer),
    ("excel-mcp-trips", sheet_answer),
    ("tree-sitter-mcp-click", found_answer),
    ("httpx-trips", httpx_run),
    ("gojq-ferries", gojq_run),
    ("conan-parts", conan_run),
)
