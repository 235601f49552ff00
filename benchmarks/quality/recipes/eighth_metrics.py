"""Counts of code, dead code and changes of interfaces, told by tools that nobody tunes on."""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import Diagnostic, diagnostic_facts, directory_facts, first_line, said_in
from shop import Shop

from recipes.eighth_tools import npm_room, npm_tool, python_tools, tool_of
from recipes.fifth_suites import last_words, plain
from recipes.held_suites import write
from recipes.third_linters import report_file

METRICS, DEAD, INTERFACE = "code metrics", "dead code", "change of an interface"


def complexity_run(name: str, package: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What pmccabe counts in C; the facts, of its columns, are the files, and the functions that are far too tangled."""
    shop.install("pmccabe")
    tree = shop.debian_source(package, shop.room(name))
    paths = sorted(os.path.join(folder, one) for one in os.listdir(os.path.join(tree, folder)) if one.endswith(".c"))
    text = shop.run(["pmccabe", "-v", *paths], tree).text
    rows = re.findall(r"^(\d+)\t(\d+)\t(\d+)\t(\d+)\t(\d+)\t(\S+)\((\d+)\): (\S+)$", text, re.MULTILINE)
    ranked = sorted(rows, key=lambda row: -int(row[1]))
    facts = [Fact("odd", (), (row[7], row[1])) for row in ranked[:40]]
    facts += [Fact("odd", (), (row[7], row[4])) for row in sorted(rows, key=lambda row: -int(row[4]))[:20]]
    facts += [Fact("path", (row[5],)) for row in rows]
    facts += [
        Fact("message", (one,))
        for one in (
            "Modified McCabe Cyclomatic Complexity",
            "Traditional McCabe Cyclomatic Complexity",
            "# Statements in function",
            "First line of function",
            "# lines in function",
        )
    ]
    yield Item(name, METRICS, "text", f"pmccabe -v {folder}/*.c", text, said_in(facts, text))


def count_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """What pygount counts; the facts, of its JSON, are languages, directories, the largest files and odd states."""
    tool = tool_of(shop, "pygount")
    room = shop.room(name)
    tree = os.path.relpath(shop.sdist(source, room), room)
    text = shop.run([tool, tree], room, apart=True).text
    rows = json.loads(shop.run([tool, "--format", "json", tree], room, apart=True).text)["files"]
    facts = [Fact("name", (one,)) for one in dict.fromkeys(row["language"] for row in rows) if not one.startswith("__")]
    facts += [Fact("message", (one,)) for one in dict.fromkeys(row["language"] for row in rows) if one.startswith("__")]
    largest = sorted(rows, key=lambda row: -int(row["sourceCount"]))
    facts += [Fact("odd", (), (row["path"].removeprefix("./"), str(row["sourceCount"]))) for row in largest[:25]]
    few = Counter(row["language"] for row in rows)
    facts += [Fact("path", (row["path"].removeprefix("./"),)) for row in rows if few[row["language"]] <= 2]
    facts += directory_facts("", [row["path"].removeprefix("./") for row in rows])
    yield Item(name, METRICS, "text", f"pygount {tree}", text, said_in(facts, text))


def deadcode_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What deadcode finds, a line each; the facts are its kinds, files, and every name that is used nowhere."""
    tool = tool_of(shop, "deadcode")
    tree = shop.sdist(source, shop.room(name))
    text = plain(shop.run([tool, "--no-color", *folder.split()], tree).text)
    found = [
        Diagnostic(path, f"{path}:{line}:{column}", code, said)
        for path, line, column, code, said in re.findall(r"^(\S+\.py):(\d+):(\d+): (DC\d+) (.*)$", text, re.MULTILINE)
    ]
    yield Item(
        name,
        DEAD,
        "text",
        f"deadcode {folder}",
        text,
        said_in(diagnostic_facts(found, *last_words(text, r"^.*\d+ (?:unused|dead).*$")), text),
    )


def typescript_project(room: str) -> list[Fact]:
    """Modules that export what others import, and some things nobody does."""
    facts = []
    modules = 46
    for number in range(modules):
        path = f"src/{('dock', 'fleet', 'tide', 'crane')[number % 4]}/part{number}.ts"
        lines = []
        if number:
            before = number - 1
            where = f"../{('dock', 'fleet', 'tide', 'crane')[before % 4]}/part{before}"
            lines.append(f"import {{ load{before}, Berth{before} }} from '{where}';")
        lines += [
            f"export interface Berth{number} {{ id: number; name: string }}",
            f"export function load{number}(one: Berth{number}): number {{ return one.id; }}",
        ]
        lines.append(f"export const table{number} = [1, 2, {number}];\nconsole.log(table{number});")
        if number:
            lines.append(
                f"export const sum{number} = load{before}({{ id: {number}, name: 'x' }} as Berth{before});\nconsole.log(sum{number});"
            )
        for old in range(8):
            lines.append(f"export function old{number}_{old}(): string {{ return 'never {old}'; }}")
        if number % 5 == 2:
            lines.append(f"export default class Ghost{number} {{ haunt(): void {{}} }}")
            facts.append(Fact("message", (f"{path}:{sum(line.count(chr(10)) + 1 for line in lines)} - default",)))
        facts += [Fact("path", (path,)), Fact("name", (f"table{number}",))]
        facts += [Fact("name", (f"old{number}_{old}",)) for old in range(8)]
        write(os.path.join(room, path), "\n".join(lines) + "\n")
    write(
        os.path.join(room, "tsconfig.json"),
        json.dumps({"compilerOptions": {"target": "es2020", "module": "commonjs", "strict": True}, "include": ["src"]}),
    )
    return facts


def prune_run(name: str, shop: Shop) -> Iterator[Item]:
    """What ts-prune finds in a project; the facts are planted: what is exported and not imported, and the files."""
    tool = npm_tool(shop, "ts-prune")
    room = shop.room(name)
    facts = typescript_project(room)
    text = report_file(shop, [tool], room, room)
    yield Item(name, DEAD, "text", "ts-prune", text, said_in(facts, text))


BREAKING = """import json, griffe
old = griffe.load("PACKAGE", search_paths=["old"]); new = griffe.load("PACKAGE", search_paths=["new"])
for one in griffe.find_breaking_changes(old, new):
    print(json.dumps([str(one.kind.value), one.obj.canonical_path, one.obj.path]))
"""


def griffe_run(name: str, old: str, new: str, package: str, shop: Shop) -> Iterator[Item]:
    """What `griffe check` says of two releases; the facts are the breaking changes that its library lists."""
    python, tool = python_tools(shop), tool_of(shop, "griffe")
    room = shop.room(name)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for at, (side, spec) in enumerate((("old", old), ("new", new))):
        tree = shop.sdist(spec, room)
        inner = tree if os.path.isdir(os.path.join(tree, package)) else os.path.join(tree, "src")
        shop.run(
            [
                "sh",
                "-c",
                f"mkdir -p {side} repo && cp -r {inner}/{package} {side}/ && rm -rf repo/{package} && cp -r {inner}/{package} repo/",
            ],
            room,
        ).check()
        if not at:
            shop.run(["git", "init", "-q", "repo"], room).check()
        shop.run([*git, "add", "-A"], os.path.join(room, "repo")).check()
        shop.run([*git, "commit", "-q", "-m", side], os.path.join(room, "repo")).check()
    shop.run(["git", "tag", "old", "HEAD~1"], os.path.join(room, "repo")).check()
    text = plain(
        shop.run([tool, "check", package, "-a", "old", "--no-color", "-f", "verbose"], os.path.join(room, "repo")).text
    )
    rows = [
        json.loads(line)
        for line in shop.run([python, "-c", BREAKING.replace("PACKAGE", package)], room, apart=True).text.splitlines()
    ]
    facts = [Fact("message", (kind,)) for kind, _, _ in rows]
    facts += [Fact("name", (path.rsplit(".", 1)[-1],)) for _, path, _ in rows if len(path.rsplit(".", 1)[-1]) > 2]
    facts += [Fact("path", (one,)) for one in dict.fromkeys(re.findall(r"^(\S+\.py):\d+: ", text, re.MULTILINE))]
    yield Item(name, INTERFACE, "text", f"griffe check {package} -a old -f verbose", text, said_in(facts, text))


def schema(side: str) -> str:
    """A description of an interface, or what became of it."""
    new = side == "new"
    lines = ["type Query {"]
    for number in range(270):
        if new and number % 7 == 3:
            continue
        arguments = f"(id: ID!, depth: Int{'!' if new and number % 11 == 4 else ''})"
        lines.append(f"  berth{number}{arguments}: Berth{number}{'!' if new and number % 13 == 6 else ''}")
    lines.append("}")
    for number in range(270):
        lines.append(f"type Berth{number} {{\n  id: ID!\n  length: {'String' if new and number % 9 == 5 else 'Float'}")
        lines += [] if new and number % 8 == 1 else ["  name: String"]
        lines += (
            [f'  tide{number}: Tide @deprecated(reason: "ask gauge {number}")']
            if new and number % 10 == 2
            else [f"  tide{number}: Tide"]
        )
        lines += [f"  crane{number}: Int"] if new and number % 6 == 0 else []
        lines.append("}")
    lines.append("enum Tide { LOW HIGH " + ("SPRING" if new else "NEAP") + " }")
    lines.append(
        "input Booking { from: String!, until: String" + ("!" if new else "") + (", boat: ID!" if new else "") + " }"
    )
    return "\n".join(lines) + "\n"


def inspector_run(name: str, shop: Shop) -> Iterator[Item]:
    """What graphql-inspector says of two descriptions; the facts are the changes that its library lists."""
    tool, tools = npm_tool(shop, "graphql-inspector"), npm_room(shop)
    room = shop.room(name)
    for side in ("old", "new"):
        write(os.path.join(room, f"{side}.graphql"), schema(side))
    text = plain(shop.run([tool, "diff", "old.graphql", "new.graphql"], room).text)
    script = (
        f"const {{ diff }} = require('{tools}/node_modules/@graphql-inspector/core'), {{ buildSchema }} = require('{tools}/node_modules/graphql'), fs = require('fs');"
        "const s = (f) => buildSchema(fs.readFileSync(f, 'utf8')); diff(s('old.graphql'), s('new.graphql')).then((all) => console.log(JSON.stringify(all)));"
    )
    rows = json.loads(report_file(shop, ["node", "-e", script], room, room))
    facts = [Fact("message", (first_line(row["message"]).replace("'", ""),)) for row in rows]
    facts += last_words(text, r"^.*(?:Detected \d+ .*|breaking changes?.*)$")
    yield Item(name, INTERFACE, "text", "graphql-inspector diff old.graphql new.graphql", text, said_in(facts, text))


RECIPES = {
    "pmccabe-libxml2": partial(complexity_run, "pmccabe-libxml2", "libxml2", "."),
    "pygount-werkzeug": partial(count_run, "pygount-werkzeug", "werkzeug==3.0.4"),
    "deadcode-docutils": partial(
        deadcode_run, "deadcode-docutils", "docutils==0.21.2", "docutils/parsers docutils/utils"
    ),
    "ts-prune-docks": partial(prune_run, "ts-prune-docks"),
    "griffe-werkzeug": partial(griffe_run, "griffe-werkzeug", "werkzeug==2.2.3", "werkzeug==3.0.4", "werkzeug"),
    "graphql-inspector-berths": partial(inspector_run, "graphql-inspector-berths"),
}
