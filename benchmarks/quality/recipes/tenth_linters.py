"""Linters, formatters, type checkers and compilers of every day that nobody tunes on; their reports for machines tell the facts."""

import glob
import json
import os
import re
import shutil
from collections.abc import Iterator
from xml.etree import ElementTree as ET

from items import Item
from shop import Shop

from recipes.held_suites import write
from recipes.native_tests import crate
from recipes.tenth_tools import TOOLS, diagnosed, each, made, matches, pairs, recipes, stripped, write_tsconfig
from recipes.third_linters import changed_by, report_file

LINTER, FORMATTER, TYPES, COMPILER = "linter", "formatter", "type checker", "compiler"


def xo_run(name: str, shop: Shop) -> Iterator[Item]:
    """What xo prints of a library; the facts are those of its JSON."""
    room = shop.room(name)
    tree = shop.npm_source("express@4.21.0", room)
    shop.run(["git", "init", "-q"], tree).check()
    command = [TOOLS.npm_tool(shop, "xo"), *sorted(glob.glob("lib/[mrv]*/*.js", root_dir=tree)), "lib/utils.js"]
    text = stripped(report_file(shop, command, tree, room), tree)
    rows = [
        (os.path.relpath(row["filePath"], tree), one["line"], one["column"], one["ruleId"], one["message"])
        for row in json.loads(report_file(shop, [*command, "--reporter=json"], tree, room))
        for one in row["messages"]
    ]
    yield made(name, LINTER, "xo lib", text, [*diagnosed(rows, text), *matches(text, r"^ +\d+ (?:errors|warnings)$")])


def cargo_findings(report: str) -> Iterator[tuple[str, object, object, str, str]]:
    for line in report.splitlines():
        said = json.loads(line).get("message") if line.startswith("{") else None
        if isinstance(said, dict) and said.get("spans"):
            at = said["spans"][0]
            code = (said.get("code") or {}).get("code", "")
            yield at["file_name"], at["line_start"], at["column_start"], code, said["message"]


def clippy_run(name: str, shop: Shop) -> Iterator[Item]:
    """`cargo clippy`, pedantic, of a crate; the facts are cargo's JSON messages."""
    tree = crate(shop, name, "httparse-1.8.0")
    command = ["cargo", "clippy", "--offline", "--quiet"]
    flags = ["--", "-W", "clippy::pedantic", "-W", "clippy::unwrap_used", "-W", "clippy::indexing_slicing"]
    env = {"CARGO_TERM_COLOR": "never"}
    text = stripped(shop.run([*command, *flags], tree, env=env).text, tree)
    os.utime(os.path.join(tree, "src", "lib.rs"))
    report = shop.run([*command, "--message-format=json", *flags], tree, env=env, apart=True).text
    facts = diagnosed(cargo_findings(report), text)
    yield made(name, LINTER, "cargo clippy", text, [*facts, *matches(text, r"^warning: `httparse`.*")])


def shfmt_run(name: str, shop: Shop) -> Iterator[Item]:
    """`shfmt -d` of completions of bash; the facts are what git counts after it has changed the files."""
    shop.need("shfmt", package="shfmt")
    tree = shop.room(name)
    folder = os.path.join(shop.debian_package("bash-completion"), "usr", "share", "bash-completion", "completions")
    for path in sorted(glob.glob(os.path.join(folder, "[a-c]*"))):
        if not os.path.islink(path):
            shutil.copy(path, tree)
    command, paths = ["shfmt", "-ln", "bash", "-i", "2", "-ci"], sorted(os.listdir(tree))
    text = shop.run([*command, "-d", *paths], tree).text
    facts = [fact for fact in changed_by(shop, tree, [*command, "-w", *paths]) if fact.kind != "size"]
    yield made(name, FORMATTER, "shfmt -d .", text, facts, "diff")


def basedpyright_run(name: str, shop: Shop) -> Iterator[Item]:
    """What basedpyright prints of a library; the facts are those of its JSON."""
    tree = shop.sdist("requests==2.32.3", shop.room(name))
    command = [TOOLS.python_tool(shop, "basedpyright"), "src/requests/sessions.py", "src/requests/auth.py"]
    text = stripped(shop.run(command, tree).text, tree)
    report = json.loads(shop.run([*command, "--outputjson"], tree, apart=True).text)
    rows = [
        (os.path.relpath(one["file"], tree), at["line"] + 1, at["character"] + 1, one.get("rule", ""), one["message"])
        for one in report["generalDiagnostics"]
        for at in [one["range"]["start"]]
    ]
    yield made(name, TYPES, "basedpyright src", text, [*diagnosed(rows, text), *matches(text, r"^\d+ errors, .*")])


def stubtest_run(name: str, shop: Shop) -> Iterator[Item]:
    """What stubtest says of stubs that are older than their package; the facts are those of its concise form, and every place."""
    tool, room = TOOLS.python_tool(shop, "stubtest"), shop.room(name)
    about = ["docutils.utils", "docutils.parsers", "docutils.io"]
    text = re.sub(r"/\S*?site-packages/", "", shop.run([tool, *about], room).text)
    concise = shop.run([tool, "--concise", *about], room, apart=True).text
    facts = [
        *each("message", (line[:90] for line in concise.splitlines())),
        *each("location", re.findall(r"\S+\.pyi:\d+", text)),
    ]
    yield made(name, TYPES, "stubtest docutils", text, [*facts, *matches(text, r"^Found \d+ .*")])


COMPONENT = """<script setup lang="ts">
import {{ computed, ref }} from 'vue'
interface Ferry {{ id: number; name: string; aboard: number }}
const props = defineProps<{{ ferry: Ferry; late?: boolean }}>()
const emit = defineEmits<{{ (e: 'sail', id: number): void }}>()
const seats = ref<number>({seats})
const free = computed(() => seats.value - props.ferry.{field})
function sail() {{ emit({emitted}) }}
</script>
<template>
  <article :class="{{ late }}">
    <h2>{{{{ ferry.{shown} }}}}</h2>
    <p v-if="free > {limit}">{{{{ free.toFixed(0) }}}} seats at pier {n}</p>
    <button @click="{click}">sail</button>
  </article>
</template>
"""


def vue_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `vue-tsc --pretty` says of components; the facts are its short lines."""
    room = os.path.join(TOOLS.npm_room(shop), name)
    shutil.rmtree(room, ignore_errors=True)
    for n in range(60):
        write(os.path.join(room, "src", f"deck{n % 6}", f"Ferry{n}.vue"), COMPONENT.format(
            n=n, seats=f"'{n}'" if n % 7 == 2 else n, field=f"crew{n}" if n % 9 == 4 else "aboard", shown=f"title{n}" if n % 5 == 1 else "name",
            emitted=f"'moor{n}'" if n % 8 == 3 else "'sail', props.ferry.id", limit=f"'{n}'" if n % 6 == 5 else n, click="depart" if n % 10 == 7 else "sail",
        ))  # fmt: skip
    write_tsconfig(room, noEmit=True)
    command = [TOOLS.npm_tool(shop, "vue-tsc"), "--noEmit", "-p", "."]
    text = stripped(report_file(shop, [*command, "--pretty", "true"], room, shop.room(name)), room)
    report = report_file(shop, [*command, "--pretty", "false"], room, shop.room(name))
    rows = re.findall(r"^(\S+?)\((\d+),(\d+)\): error (TS\d+): (.*)$", report, re.MULTILINE)
    shutil.rmtree(room)
    yield made(
        name,
        TYPES,
        "vue-tsc --noEmit",
        text,
        [*diagnosed(rows, text), *matches(text, r"^Found \d+ errors.*")],
    )


def java_files(tree: str, base: str) -> list[str]:
    return sorted(
        os.path.join(base, one) for one in glob.glob("**/*.java", root_dir=os.path.join(tree, base), recursive=True)
    )


def ecj_run(name: str, shop: Shop) -> Iterator[Item]:
    """What Eclipse's compiler says of a library; the facts are those of its log in XML: every message and file, and every place of an error."""
    shop.install("ecj")
    room = shop.room(name)
    tree = shop.sdist("jpype1==1.5.0", room)
    command = [
        "ecj",
        "-17",
        "-proc:none",
        "-warn:+all,-javadoc,-allJavadoc",
        "-proceedOnError",
        "-d",
        "none",
        *java_files(tree, "native/java/org/jpype/manager"),
    ]
    text = stripped(shop.run(command, tree).text, tree)
    shop.run(["ecj", "-log", "log.xml", *command[1:]], tree)
    facts = matches(text, r"^\d+ problems? \(.*")
    for source in ET.parse(os.path.join(tree, "log.xml")).iter("source"):
        path = os.path.relpath(os.path.join(tree, source.get("path") or ""), tree)
        for problem in source.iter("problem"):
            said = problem.find("message")
            facts += each("message", [(said.get("value") or "")[:90]] if said is not None else [])
            facts += each("path", [path])
            facts += pairs([(path, f"at line {problem.get('line')}")] if problem.get("severity") == "ERROR" else [])
    yield made(name, COMPILER, "ecj -warn:+all native/java/org/jpype/manager", text, facts)


RECIPES = recipes(
    ("xo-express", xo_run),
    ("cargo-clippy-httparse", clippy_run),
    ("shfmt-completions", shfmt_run),
    ("basedpyright-requests", basedpyright_run),
    ("stubtest-docutils", stubtest_run),
    ("vue-tsc-ferries", vue_run),
    ("ecj-jpype", ecj_run),
)
