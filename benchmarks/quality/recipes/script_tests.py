"""Test suites that real npm packages ship, with one line of the package changed."""

import glob
import json
import os
import re
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from items import Item
from reports import Failure, failure_facts, first_line, in_json, junit_failures, said_in
from shop import Shop, change


class Broken(NamedTuple):
    """A package, what its tests need, the files that hold them, and the line that is changed."""

    name: str
    package: str
    needs: tuple[str, ...]
    tests: str
    path: str
    old: str
    new: str


VITEST = (
    Broken("vitest-zod-v4", "zod@4.1.5", ("vitest@2.1.2",), "src/v4/classic/tests", "src/v4/core/checks.ts",
           'code: "too_big"', 'code: "too_small"'),
    Broken("vitest-zod-v3", "zod@4.1.5", ("vitest@2.1.2",), "src/v3/tests", "src/v3/types.ts",
           "tooBig = input.data.length > check.value", "tooBig = input.data.length >= check.value"),
)  # fmt: skip

JEST = (
    Broken("jest-zod-v3", "zod@4.1.5", ("jest@29.7.0", "@swc/core@1.7.26", "@swc/jest@0.2.36", "@jest/globals@29.7.0"),
           "src/v3/tests", "src/v3/types.ts", "path: [...ctx.path, i]", "path: [i]"),
    Broken("jest-zod-v3-verbose", "zod@4.1.5",
           ("jest@29.7.0", "@swc/core@1.7.26", "@swc/jest@0.2.36", "@jest/globals@29.7.0"),
           "src/v3/tests", "src/v3/locales/en.ts", 'message = "Required"', 'message = "Needed"'),
)  # fmt: skip

NODE = (
    Broken("node-test-find-my-way", "find-my-way@9.10.0", ("proxyquire", "rfdc"), "test/*.test.js", "index.js",
           "opts.caseSensitive === undefined ? true", "opts.caseSensitive === undefined ? false"),
    Broken("node-test-light-my-request-spec", "light-my-request@6.8.0", ("express@4", "multer@1", "form-data", "undici",
           "end-of-stream", "form-auto-content", "formdata-node", "@fastify/ajv-compiler"), "test/*.js", "lib/response.js",
           "statusCode: response.statusCode", "statusCode: response.statusCode + 1"),
)  # fmt: skip

TAPE = (
    Broken("tap-qs", "qs@6.13.0", ("tape@5", "es-value-fixtures", "for-each", "has-bigints", "has-override-mistake",
           "has-property-descriptors", "has-proto", "has-symbols", "iconv-lite", "mkdirp", "mock-property",
           "object-inspect", "safer-buffer"), "test/*.js", "lib/utils.js",
           "return strWithoutPlus.replace(/%[0-9a-f]{2}/gi, unescape);", "return strWithoutPlus;"),
    Broken("tap-deep-equal", "deep-equal@2.2.3", ("tape@5", "has-proto", "has-symbols", "has-typed-arrays", "for-each",
           "available-typed-arrays", "object.getownpropertydescriptors", "semver"), "test/cmp.js", "index.js",
           "if (typeof a !== typeof b) { return false; }", "if (typeof a !== typeof b) { return true; }"),
)  # fmt: skip


def _broken(one: Broken, shop: Shop) -> tuple[str, str, list[str]]:
    """The room, the package's tree with its change, and its test files."""
    room = shop.room(one.name)
    tree = shop.npm_source(one.package, room)
    change(os.path.join(tree, one.path), one.old, one.new)
    with open(os.path.join(tree, "package.json"), encoding="utf-8") as file:
        own = json.load(file).get("dependencies", {})
    shop.npm(room, *one.needs, *(f"{name}@{version}" for name, version in own.items()))
    tests = sorted(os.path.relpath(path, tree) for path in glob.glob(os.path.join(tree, one.tests)))
    return room, tree, tests


def _read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


VITEST_CONFIG = """const source = new URL("src/", import.meta.url).pathname;
export default { resolve: { alias: [{ find: /^zod\\/(v3|v4)$/, replacement: source + "$1/index.ts" }] } };
"""


def vitest_run(one: Broken, shop: Shop) -> Iterator[Item]:
    """What vitest prints; the facts are those of its JSON reporter."""
    room, tree, _ = _broken(one, shop)
    vitest = os.path.join(room, "node_modules", ".bin", "vitest")
    report = os.path.join(room, "report.json")
    with open(os.path.join(tree, "vitest.config.mjs"), "w", encoding="utf-8") as out:
        out.write(VITEST_CONFIG)
    reporters = ["--reporter=verbose", "--reporter=json", f"--outputFile.json={report}"]
    text = shop.run([vitest, "run", *reporters, "--dir", one.tests], tree).text
    text = "\n".join(line for line in text.split("\n") if not line.startswith("JSON report written"))
    listed = _read(report)
    facts = failure_facts(_jest_failures(listed))
    yield Item(one.name, "test report", "text", f"vitest run {one.tests}", text, said_in(facts, text))


JEST_CONFIG = """module.exports = {
  transform: { "\\\\.ts$": ["@swc/jest", { jsc: { parser: { syntax: "typescript" } }, module: { type: "commonjs" } }] },
  moduleNameMapper: { "^vitest$": "<rootDir>/../vitest.js", "^zod/(v3|v4)$": "<rootDir>/src/$1/index.ts", "^(\\\\.{1,2}/.*)\\\\.js$": "$1" },
  rootDir: "package", testMatch: ["**/*.test.ts"],
};
"""

JEST_SHIM = """const anything = new Proxy(() => anything, { get: () => anything });
module.exports = { test, it, describe, expect, beforeAll, afterAll, beforeEach, afterEach, vi: jest, expectTypeOf: anything };
"""


def jest_run(one: Broken, shop: Shop) -> Iterator[Item]:
    """What jest prints, and its JSON report; the facts are those of the report."""
    room, tree, _ = _broken(one, shop)
    jest = os.path.join(room, "node_modules", ".bin", "jest")
    with open(os.path.join(room, "jest.config.js"), "w", encoding="utf-8") as out:
        out.write(JEST_CONFIG)
    with open(os.path.join(room, "vitest.js"), "w", encoding="utf-8") as out:
        out.write(JEST_SHIM)
    report = os.path.join(room, "report.json")
    flags = ["--config", "jest.config.js", "--ci", "--runInBand", "--json", f"--outputFile={report}"]
    flags += ["--verbose"] * one.name.endswith("verbose")
    ran = shop.run([jest, *flags, os.path.relpath(os.path.join(tree, one.tests), room)], room)
    text = ran.text.split('\n{"numFailedTestSuites"')[0]
    facts = failure_facts(_jest_failures(_read(report)))
    yield Item(one.name, "test report", "text", f"jest {one.tests}", text, said_in(facts, text))
    name = one.name.replace("jest-", "json-jest-")
    listed = _read(report)
    facts = said_in(in_json(failure_facts(_jest_failures(listed))), listed)
    yield Item(name, "JSON records", "json", f"jest --json {one.tests}", listed, facts)


def _jest_failures(report: str) -> list[Failure]:
    found = []
    for file in json.loads(report)["testResults"]:
        for case in file["assertionResults"]:
            if case["status"] == "failed":
                said = re.sub(r"\x1b\[[0-9;]*m", "", (case["failureMessages"] or [""])[0])
                found.append(Failure(case["title"], first_line(said.removeprefix("Error: "))))
    return found


def node_run(one: Broken, shop: Shop) -> Iterator[Item]:
    """What node's own test runner prints; the facts are those of its JUnit reporter."""
    room, tree, tests = _broken(one, shop)
    report = os.path.join(room, "report.xml")
    style = "spec" if one.name.endswith("spec") else "tap"
    flags = [f"--test-reporter={style}", "--test-reporter-destination=stdout"]
    text = shop.run(["node", "--test", *flags, *tests], tree).text
    shop.run(["node", "--test", "--test-reporter=junit", f"--test-reporter-destination={report}", *tests], tree)
    facts = failure_facts(one for one in junit_failures(_read(report)) if not one.name.endswith(".js"))
    yield Item(one.name, "test report", "text", f"node --test ({style})", text, said_in(facts, text))


def tape_run(one: Broken, shop: Shop) -> Iterator[Item]:
    """What tape prints: TAP, which is its own machine-readable report."""
    _, tree, tests = _broken(one, shop)
    text = "".join(shop.run(["node", test], tree).text for test in tests)
    failures = []
    for match in re.finditer(r"^not ok \d+ (.*)\n  ---\n((?:    .*\n)*)", text, re.MULTILINE):
        at = re.search(r"^    at: .*?([^/\s]+:\d+):\d+\)?$", match[2], re.MULTILINE)
        failures.append(Failure(match[1].strip(), "", at[1] if at else ""))
    facts = failure_facts(failures)
    yield Item(one.name, "test report", "text", "tape", text, said_in(facts, text))


RECIPES = (
    {one.name: partial(vitest_run, one) for one in VITEST}
    | {one.name: partial(jest_run, one) for one in JEST}
    | {one.name: partial(node_run, one) for one in NODE}
    | {one.name: partial(tape_run, one) for one in TAPE}
)
