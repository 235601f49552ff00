"""Runners of builds that nobody tunes on, and a pipeline's log with times and groups; what breaks in them is planted."""

import json
import os
import re
import shutil
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.fifth_suites import last_words, plain
from recipes.held_suites import write
from recipes.seventh_tools import npm_room, npm_tool
from recipes.third_linters import report_file

BUILD, PIPELINE = "build system", "pipeline"

STEP = """const n = {n};
for (let at = 0; at < 8; at++) console.log(`src/area-${{n}}/part-${{at}}.js  ${{(n * 37 + at * 11) % 90}} kB in ${{(n + at) % 7}} ms`);
if (n % 5 === 2) console.warn(`warning: label of shelf ${{n}} is deprecated, use tag ${{n * 3}}`);
if (n % 9 === 4) {{ console.error(`error: door ${{n}} does not close (src/area-${{n}}/door.js:${{n + 20}}:7)`); process.exit(1); }}
console.log(`shelf ${{n}} built`);
"""


def workspace(where: str, count: int, *, needs: bool) -> list[Fact]:
    """Packages of which some do not build; returns the facts of these."""
    facts = []
    shutil.rmtree(where, ignore_errors=True)
    write(
        os.path.join(where, "package.json"),
        json.dumps({"name": "shelves", "private": True, "workspaces": ["packages/*"]}),
    )
    for number in range(count):
        folder = os.path.join(where, "packages", f"shelf-{number}")
        package: dict[str, object] = {
            "name": f"@shelves/shelf-{number}",
            "version": "1.0.0",
            "scripts": {"build": "node build.js"},
        }
        if needs and number % 6 == 5:
            package["dependencies"] = {f"@shelves/shelf-{number - 1}": "1.0.0"}
        write(os.path.join(folder, "package.json"), json.dumps(package))
        write(os.path.join(folder, "build.js"), STEP.format(n=number))
        if number % 9 == 4:
            facts += [
                Fact("message", (f"error: door {number} does not close",)),
                Fact("message", (f"src/area-{number}/door.js:{number + 20}",)),
            ]
            facts += [Fact("name", (f"shelf-{number}:build", f"@shelves/shelf-{number}"))]
        elif number % 5 == 2:
            facts += [Fact("message", (f"label of shelf {number} is deprecated",))]
    return facts


def nx_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `nx run-many` prints of forty packages; the facts are planted."""
    tool = npm_tool(shop, "nx")
    where = os.path.join(npm_room(shop), name)
    facts = workspace(where, 48, needs=True)
    facts += [Fact("message", (f"- @shelves/shelf-{number}:build",)) for number in range(5, 48, 18)]
    write(
        os.path.join(where, "nx.json"),
        json.dumps({"targetDefaults": {"build": {"dependsOn": ["^build"]}}, "neverConnectToCloud": True}),
    )
    os.symlink(os.path.join(npm_room(shop), "node_modules"), os.path.join(where, "node_modules"))
    command = ["env", "NX_DAEMON=false", "NX_TUI=false", "CI=true", "NX_NO_CLOUD=true", tool, "run-many", "-t", "build"]
    room = shop.room(name)
    text = shop.run(
        [*command, "--outputStyle=static", "--nxBail=false", "--parallel=1", "--skipNxCache"], where, seconds=400
    ).text
    write(os.path.join(room, "text"), text)
    text = plain(text).replace(f"{where}/", "")
    facts += last_words(text, r"^ +(?:✔|✖) +\d+/\d+ .*|^ NX  .*")
    shutil.rmtree(where)
    yield Item(name, BUILD, "text", "nx run-many -t build", text, said_in(facts, text))


def lerna_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `lerna run` prints of forty packages, the name of each before its lines; the facts are planted."""
    tool = npm_tool(shop, "lerna")
    where = os.path.join(npm_room(shop), name)
    facts = workspace(where, 55, needs=False)
    write(
        os.path.join(where, "lerna.json"),
        json.dumps({"version": "1.0.0", "packages": ["packages/*"], "npmClient": "npm"}),
    )
    write(os.path.join(where, "nx.json"), json.dumps({"neverConnectToCloud": True}))
    os.symlink(os.path.join(npm_room(shop), "node_modules"), os.path.join(where, "node_modules"))
    shop.run(["git", "init", "-q"], where)
    command = [
        "env",
        "NX_DAEMON=false",
        "NX_TUI=false",
        "NX_NO_CLOUD=true",
        tool,
        "run",
        "build",
        "--stream",
        "--no-bail",
    ]
    text = plain(shop.run([*command, "--concurrency", "1", "--skip-nx-cache"], where, seconds=400).text).replace(
        f"{where}/", ""
    )
    facts += last_words(text, r"^lerna (?:ERR!|WARN|notice|success).*|^ +(?:✔|✖) +\d+/\d+ .*")
    shutil.rmtree(where)
    yield Item(name, BUILD, "text", "lerna run build --stream", text, said_in(facts, text))


MARKS = " \u00d7\u26a0\t"
"""What stands before a message."""


def rspack_run(name: str, shop: Shop) -> Iterator[Item]:
    """What rspack prints of a bundle with missing modules and mistakes; the facts are those of its JSON."""
    tool = npm_tool(shop, "rspack")
    where = os.path.join(npm_room(shop), name)
    entries = []
    for number in range(90):
        lines = [f"export const weight{number} = {number};"]
        lines += [f"import lid{number} from './lid-{number}.js'; console.log(lid{number});"] if number % 5 == 2 else []
        lines += (
            [f"import {{ door{number} }} from './shelf-{number - 1}.js'; console.log(door{number});"]
            if number % 7 == 3
            else []
        )
        lines += [f"import key from 'key-of-{number}'; console.log(key);"] if number % 11 == 6 else []
        lines += [f"const box{number} = ;"] if number % 17 == 9 else []
        write(os.path.join(where, "src", f"area-{number % 4}", f"shelf-{number}.js"), "\n".join(lines) + "\n")
        entries.append(f"import './area-{number % 4}/shelf-{number}.js';")
    write(os.path.join(where, "src", "index.js"), "\n".join(entries) + "\n")
    config = "module.exports = { mode: 'development', entry: './src/index.js', devtool: false, context: __dirname };\n"
    write(os.path.join(where, "rspack.config.js"), config)
    room = shop.room(name)
    text = plain(shop.run([tool, "build"], where).text).replace(f"{where}/", "")
    report = report_file(shop, [tool, "build", "--json"], where, room)
    stats = json.loads(report[report.index("{") :])
    facts = []
    for row in (*stats["errors"], *stats["warnings"]):
        said = plain(row["message"]).replace(f"{where}/", "")
        lines = [line.strip(MARKS) for line in said.splitlines() if line.strip(MARKS)]
        facts += [Fact("message", (line[:90].strip(),)) for line in lines[:2]]
        facts += [Fact("path", (row["moduleName"].removeprefix("./"),))] if row.get("moduleName") else []
    facts += last_words(text, r"^Rspack .*")
    shutil.rmtree(where)
    yield Item(name, BUILD, "text", "rspack build", text, said_in(facts, text))


def stamped(groups: list[tuple[str, str, int]]) -> str:
    """A runner's log: every line with a time, every step a group, as hosted runners keep it."""
    lines, at = [], 0
    for title, output, status in groups:
        lines.append(f"##[group]Run {title}")
        lines += [f"\x1b[36;1m{title}\x1b[0m", "shell: /usr/bin/bash -e {0}", "env:", "  CI: true", "##[endgroup]"]
        lines += output.splitlines()
        lines += [f"##[error]Process completed with exit code {status}."] if status else []
    stamped_lines = []
    for number, line in enumerate(lines):
        at += 1 + number * 7919 % 13
        stamped_lines.append(
            f"2026-11-17T09:{at // 600 % 60:02d}:{at // 10 % 60:02d}.{number * 6151 % 10_000_000:07d}Z {line}\n"
        )
    return "".join(stamped_lines)


SUITE = """import pytest
@pytest.mark.parametrize("door", range(6))
def test_doors_{n}(door):
    assert door != {wrong}, "door %d of area {n} is jammed" % door
def test_weight_{n}():
    assert {n} * 3 == {n} * 3
"""


def pipeline_run(name: str, shop: Shop, *, colours: bool) -> Iterator[Item]:
    """A pipeline that installs, lints and tests, as a hosted runner logs it; the facts are what its steps report."""
    python = shop.python("pipeline", "pytest==8.3.3", "ruff==0.6.9", "build==1.2.2")
    room = shop.room(name)
    facts = []
    for number in range(30):
        wrong = number % 6 if number % 8 == 3 else -1
        extra = f"import os, sys  # area {number}\n" if number % 10 == 4 else ""
        write(os.path.join(room, "tests", f"test_area_{number}.py"), extra + SUITE.format(n=number, wrong=wrong))
        if wrong >= 0:
            facts += [
                Fact("message", (f"test_doors_{number}[{wrong}]",)),
                Fact("message", (f"door {wrong} of area {number} is jammed",)),
            ]
        if extra:
            facts += [Fact("message", (f"tests/test_area_{number}.py:1:",))]
    steps: list[tuple[str, list[str]]] = [
        ("pip install -r requirements.txt", [python, "-m", "pip", "install", "--dry-run", "--ignore-installed", "flask==3.0.3", "celery==5.4.0", "pandas==2.2.2"]),
        ("ruff check --select E4,F,I tests", [python, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "E4,F,I", "tests"]),
        ("pytest -v", [python, "-m", "pytest", "-v", "-p", "no:cacheprovider", "--color=yes" if colours else "--color=no", "tests"]),
        ("git diff --exit-code", ["git", "--version"]),
    ]  # fmt: skip
    groups = []
    for title, command in steps:
        done = shop.run(command, room, seconds=400)
        groups.append((title, done.text.replace(f"{room}/", ""), done.status))
        facts += [Fact("message", (f"Run {title}",))]
    text = re.sub(r"https?://\S+?/(?=packages|simple|\S+\.whl)", "https://pypi.example/", stamped(groups))
    text = text if colours else plain(text)
    facts += [Fact("message", (one,)) for one in ("Process completed with exit code 1",)]
    facts += [Fact("message", (one,)) for one in ("E401", "F401", "I001", "Would install")]
    facts += [Fact("message", (one,)) for one in re.findall(r"Found \d+ errors|\d+ failed, \d+ passed", text)]
    yield Item(name, PIPELINE, "text", "cat 4_build.runlog", text, said_in(facts, text))


RECIPES = {
    "nx-shelves": partial(nx_run, "nx-shelves"),
    "lerna-shelves": partial(lerna_run, "lerna-shelves"),
    "rspack-shelves": partial(rspack_run, "rspack-shelves"),
    "pipeline-plain": partial(pipeline_run, "pipeline-plain", colours=False),
    "pipeline-coloured": partial(pipeline_run, "pipeline-coloured", colours=True),
}
