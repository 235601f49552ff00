"""Test suites that real Python packages ship, with one line of the package changed."""

import glob
import json
import os
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from items import Fact, Item
from reports import Failure, failure_facts, first_line, in_json, in_xml, junit_failures, said_in
from shop import Shop, change

ENVIRONMENT = (
    "pytest>=8,<9", "pytest-reportlog", "hypothesis", "pretend", "freezegun", "pytz", "simplejson", "soupsieve",
    "html5lib", "lxml", "pyyaml", "unittest-xml-reporting", "markupsafe", "cloudpickle", "six",
)  # fmt: skip


class Broken(NamedTuple):
    """A package, how its tests are run, and the line that is changed."""

    name: str
    source: str
    import_from: str
    arguments: str
    path: str
    old: str
    new: str


PYTEST = (
    Broken("pytest-packaging", "packaging==24.0", "src", "tests", "src/packaging/specifiers.py",
           "return Version(prospective.public) <= Version(spec)", "return Version(prospective.public) < Version(spec)"),
    Broken("pytest-jinja2-verbose", "jinja2==3.1.4", "src", "-v tests", "src/jinja2/filters.py",
           "return soft_str(s).upper()", "return soft_str(s).title()"),
    Broken("pytest-marshmallow", "marshmallow==3.21.2", "src", "tests", "src/marshmallow/validate.py",
           "value > self.max", "value >= self.max"),
    Broken("pytest-networkx", "networkx==3.3", ".", "networkx/algorithms/shortest_paths networkx/algorithms/centrality",
           "networkx/algorithms/shortest_paths/weighted.py", "vu_dist = dist[v] + cost", "vu_dist = dist[v] + cost + 1"),
    Broken("pytest-attrs-short", "attrs==23.2.0", "src", "-v --tb=short tests", "src/attr/validators.py",
           "if not isinstance(value, self.type):", "if isinstance(value, self.type):"),
)  # fmt: skip


def pytest_run(one: Broken, shop: Shop) -> Iterator[Item]:
    """What pytest prints; the facts are those of its own JUnit report."""
    python = shop.python("tests", *ENVIRONMENT)
    text, xml, log, command = _pytest(shop, python, one)
    facts = failure_facts(junit_failures(xml), *_totals(xml))
    yield Item(one.name, "test report", "text", command, text, said_in(facts, text))
    if one.name in ALSO_JUNIT:
        name = one.name.replace("pytest-", "junit-")
        yield Item(name, "JUnit XML", "xml", f"{command} --junitxml", xml, said_in(in_xml(facts[:-1]), xml))
    if one.name in ALSO_LOG:
        name = one.name.replace("pytest-", "reportlog-")
        facts = in_json(_short_too(failure_facts(_log_failures(log))))
        yield Item(name, "JSON records", "ndjson", f"{command} --report-log", log, said_in(facts, log))


ALSO_JUNIT = frozenset({"pytest-packaging", "pytest-networkx", "pytest-jinja2-verbose"})
ALSO_LOG = frozenset({"pytest-jinja2-verbose", "pytest-networkx"})


def _pytest(shop: Shop, python: str, one: Broken) -> tuple[str, str, str, str]:
    room = shop.room(one.name)
    tree = shop.sdist(one.source, room)
    change(os.path.join(tree, one.path), one.old, one.new)
    with open(os.path.join(room, "pytest.ini"), "w", encoding="utf-8") as out:
        out.write("[pytest]\n")  # or a package without settings of its own would get those of this repository
    report, log = os.path.join(room, "report.xml"), os.path.join(room, "log.jsonl")
    command = ["-m", "pytest", "-p", "no:cacheprovider", *one.arguments.split()]
    flags = [f"--junitxml={report}", f"--report-log={log}"]
    ran = shop.run(
        [python, *command, *flags], tree, seconds=240, env={"PYTHONPATH": os.path.join(tree, one.import_from)}
    )
    with open(report, encoding="utf-8") as file:
        xml = file.read()
    with open(log, encoding="utf-8") as file:
        lines = file.read()
    return _without_own(ran.text), xml, lines, f"pytest {one.arguments}"


def _without_own(text: str) -> str:
    """The output as if nobody had asked for the reports: pytest says where it put them."""
    return "\n".join(
        line for line in text.split("\n") if not line.startswith(("- generated xml", "- generated report"))
    )


def _totals(xml: str) -> tuple[Fact, ...]:
    failed = len(junit_failures(xml))
    return (Fact("count", (f"{failed} failed", f"failed={failed}", f"{failed} failures")),)


def _short_too(facts: tuple[Fact, ...]) -> Iterator[Fact]:
    """A test is told by its own name as well as by its whole path."""
    for fact in facts:
        yield (
            fact._replace(spellings=(*fact.spellings, fact.spellings[0].split("::")[-1]))
            if fact.kind == "name"
            else fact
        )


def _log_failures(log: str) -> Iterator[Failure]:
    for line in log.splitlines():
        record = json.loads(line)
        if record.get("outcome") == "failed":
            said = record.get("longrepr") or ""
            message = said if isinstance(said, str) else (said.get("reprcrash") or {}).get("message", "")
            yield Failure(record["nodeid"], first_line(message))


UNITTEST = (
    Broken("unittest-more-itertools", "more-itertools==10.2.0", ".", "-v tests.test_recipes tests.test_more",
           "more_itertools/recipes.py", "return list(islice(iterable, n))", "return list(islice(iterable, n + 1))"),
    Broken("unittest-simplejson", "simplejson==3.19.2", ".", "-v simplejson.tests.test_unicode simplejson.tests.test_pass1 "
           "simplejson.tests.test_float simplejson.tests.test_decimal simplejson.tests.test_fail "
           "simplejson.tests.test_encode_basestring_ascii simplejson.tests.test_indent simplejson.tests.test_separators",
           "simplejson/encoder.py", "return '\"' + ESCAPE.sub(replace, s) + '\"'", "return \"'\" + ESCAPE.sub(replace, s) + '\"'"),
    Broken("unittest-markdown", "markdown==3.6", ".", "-v tests.test_apis tests.test_legacy tests.test_extensions",
           "markdown/blockprocessors.py", "h = etree.SubElement(parent, 'h%d' % len(m.group('level')))",
           "h = etree.SubElement(parent, 'h%d' % (len(m.group('level')) + 1))"),
)  # fmt: skip


def unittest_run(one: Broken, shop: Shop) -> Iterator[Item]:
    """What unittest prints; the facts are those of a second run that writes JUnit reports."""
    python = shop.python("tests", *ENVIRONMENT)
    room = shop.room(one.name)
    tree = shop.sdist(one.source, room)
    change(os.path.join(tree, one.path), one.old, one.new)
    env = {"PYTHONPATH": os.path.join(tree, one.import_from)}
    arguments = one.arguments.split()
    ran = shop.run([python, "-m", "unittest", *arguments], tree, env=env)
    reports = os.path.join(room, "reports")
    shop.run([python, "-m", "xmlrunner", "-o", reports, *arguments], tree, env=env)
    failures: list[Failure] = []
    for path in sorted(glob.glob(os.path.join(reports, "*.xml"))):
        with open(path, encoding="utf-8") as file:
            failures += junit_failures(file.read())
    facts = failure_facts(failures, Fact("count", (f"failures={len(failures)}", f"{len(failures)} failed")))
    yield Item(one.name, "test report", "text", f"unittest {one.arguments}", ran.text, said_in(facts, ran.text))


RECIPES = {one.name: partial(pytest_run, one) for one in PYTEST} | {
    one.name: partial(unittest_run, one) for one in UNITTEST
}
