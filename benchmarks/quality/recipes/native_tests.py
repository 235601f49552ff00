"""Test suites of packages in Go, Rust, C, Ruby and PHP that Debian carries, with one line of the package changed."""

import json
import os
import re
import shutil
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from items import Fact, Item
from reports import Failure, failure_facts, first_line, in_json, junit_failures, said_in
from shop import CannotMake, Shop, change


class Broken(NamedTuple):
    """A package, and the line that is changed."""

    name: str
    package: str
    path: str
    old: str
    new: str


GO = (
    Broken("go-test-mux", "gorilla/mux", "regexp.go", "pattern.WriteByte('^')", 'pattern.WriteString("^.?")'),
    Broken("go-test-pflag", "spf13/pflag", "flag.go", "if f.actual == nil {", "if f.actual != nil {"),
    Broken("go-test-toml", "pelletier/go-toml", "lexer.go", "l.emit(tokenComma)", "l.emit(tokenEqual)"),
)  # fmt: skip

GO_PACKAGES = {
    "gorilla/mux": "golang-github-gorilla-mux-dev",
    "spf13/pflag": "golang-github-spf13-pflag-dev",
    "pelletier/go-toml": "golang-github-pelletier-go-toml-dev",
}

GOCODE = "/usr/share/gocode"


def go_run(one: Broken, shop: Shop) -> Iterator[Item]:
    """What `go test -v` prints, and `go test -json`; the facts are those of the latter."""
    shop.need("go", package="golang-go")
    source = os.path.join(GOCODE, "src", "github.com", one.package)
    if not os.path.isdir(source):
        shop.apt(GO_PACKAGES[one.package])
    room = shop.room(one.name)
    tree = os.path.join(room, "src", "github.com", one.package)
    shutil.copytree(source, tree)
    change(os.path.join(tree, one.path), one.old, one.new)
    env = {
        "GOPATH": f"{room}:{GOCODE}",
        "GO111MODULE": "off",
        "GOFLAGS": "",
        "GOCACHE": os.path.join(shop.root, "gocache"),
    }
    text = shop.run(["go", "test", "-v", "."], tree, env=env).text
    listed = shop.run(["go", "test", "-json", "."], tree, env=env, apart=True).text
    facts = failure_facts(_go_failures(listed))
    yield Item(one.name, "test report", "text", "go test -v .", text, said_in(facts, text))
    name = one.name.replace("go-test-", "ndjson-go-test-")
    yield Item(name, "JSON records", "ndjson", "go test -json .", listed, said_in(in_json(facts), listed))


def _go_failures(listed: str) -> list[Failure]:
    said: dict[str, str] = {}
    failed = []
    for line in listed.splitlines():
        record = json.loads(line)
        name = record.get("Test")
        if name and record["Action"] == "output":
            said[name] = said.get(name, "") + record["Output"]
        if name and record["Action"] == "fail":
            failed.append(name)
    found = []
    for name in failed:
        at = re.search(r"^\s*([\w./]+_test\.go:\d+): (.*)", said.get(name, ""), re.MULTILINE)
        found.append(Failure(name, first_line(at[2]) if at else "", at[1] if at else ""))
    return found


CARGO = (
    Broken("cargo-test-semver", "semver-1.0.14", "src/eval.rs", "Op::Less => matches_less(cmp, ver),",
           "Op::Less => matches_greater(cmp, ver),"),
    Broken("cargo-test-httparse", "httparse-1.8.0", "src/lib.rs", "            b' ' => {", "            b'~' => {"),
    Broken("cargo-test-heck", "heck-0.4.0", "src/lib.rs", "WordMode::Boundary", "WordMode::Uppercase"),
)  # fmt: skip

CRATES = "/usr/share/cargo/registry"


def crate(shop: Shop, name: str, package: str) -> str:
    """A crate's tree, free of what it would have to fetch."""
    shop.need("cargo", package="cargo")
    source = os.path.join(CRATES, package)
    if not os.path.isdir(source):
        shop.apt(f"librust-{package.rsplit('-', 1)[0]}-dev")
    if not os.path.isdir(source):
        raise CannotMake(f"Debian has another version of {package}")
    tree = os.path.join(shop.room(name), package)
    shutil.copytree(source, tree, ignore=shutil.ignore_patterns("benches", "debian"))
    manifest = os.path.join(tree, "Cargo.toml")
    with open(manifest, encoding="utf-8") as file:
        sections = re.split(r"^(?=\[)", file.read(), flags=re.MULTILINE)
    kept = [one for one in sections if not re.match(r"\[+(dev-dependencies|dependencies|bench|features|badges)", one)]
    with open(manifest, "w", encoding="utf-8") as out:
        out.write("".join(kept) + '\n[features]\ndefault = ["std"]\nstd = []\nunicode = []\n\n[workspace]\n')
    return tree


def cargo_run(one: Broken, shop: Shop) -> Iterator[Item]:
    """What `cargo test` prints; the facts are those of the test harness's JSON."""
    tree = crate(shop, one.name, one.package)
    change(os.path.join(tree, one.path), one.old, one.new)
    env = {"RUSTC_BOOTSTRAP": "1", "CARGO_TERM_COLOR": "never"}
    command = ["cargo", "test", "--offline", "--no-fail-fast"]
    text = shop.run(command, tree, env=env).text
    listed = shop.run([*command, "--", "-Z", "unstable-options", "--format", "json"], tree, env=env, apart=True).text
    failures = []
    for line in listed.splitlines():
        record = json.loads(line) if line.startswith("{") else {}
        if record.get("event") == "failed" and record.get("type") == "test":
            said = record.get("stdout", "")
            at = re.search(r"panicked at ([\w./]+\.rs:\d+):\d+:\n(.*)", said)
            failures.append(
                Failure(record["name"].split(" (")[0], first_line(at[2]) if at else "", at[1] if at else "")
            )
    yield Item(one.name, "test report", "text", "cargo test", text, said_in(failure_facts(failures), text))


def ctest_run(name: str, shop: Shop) -> Iterator[Item]:
    """What ctest prints of cJSON's tests; the facts are those of its JUnit report."""
    shop.need("cmake", "ctest", package="cmake")
    room = shop.room(name)
    tree = shop.debian_source("cjson", room)
    change(os.path.join(tree, "cJSON.c"), "output_pointer[i] = number_buffer[i];", "output_pointer[i] = '1';")
    build = os.path.join(room, "build")
    shop.run(["cmake", "-S", tree, "-B", build, "-DENABLE_CJSON_UTILS=On"], room)
    shop.run(["cmake", "--build", build, "-j2"], room)
    report = os.path.join(room, "report.xml")
    text = shop.run(["ctest", "--test-dir", build, "-V", "--output-junit", report], room).text
    with open(report, encoding="utf-8") as file:
        xml = file.read()
    facts = [Fact("name", (one.name,)) for one in junit_failures(xml)]
    facts += [Fact("location", (at,)) for at in re.findall(r"([\w./-]+\.c:\d+):\w+:FAIL", text)]
    facts += [Fact("message", (first_line(said),)) for said in dict.fromkeys(re.findall(r":FAIL: ?(.*)", text))]
    yield Item(name, "test report", "text", "ctest -V", text, said_in(facts, text))


RECIPES = (
    {one.name: partial(go_run, one) for one in GO}
    | {one.name: partial(cargo_run, one) for one in CARGO}
    | {"ctest-cjson": partial(ctest_run, "ctest-cjson")}
)
