"""A small corpus of our own: the tools of our development environment on code that is made up here.

`make test` judges it, so it needs nothing from outside and takes seconds.
"""

import json
import os
import sys
from collections.abc import Callable

from items import Fact, Item
from recipes.diffs import commit
from reports import (
    Diagnostic,
    Failure,
    changed_facts,
    diagnostic_facts,
    failure_facts,
    first_line,
    in_json,
    in_xml,
    junit_failures,
    outline_facts,
    said_in,
)
from shop import Shop

CASES = """import pytest

def price(number):
    return number * 3 if number not in {{{wrong}}} else number * 3 + 1

@pytest.mark.parametrize("number", range(400))
def test_a_price_is_three_times_the_number(number):
    assert price(number) == number * 3, f"order {{number}} is priced wrongly"

def test_the_list_of_prices_is_sorted():
    assert [price(number) for number in (3, 2, 1)] == sorted(price(number) for number in (3, 2, 1))
"""

UNITTESTS = """import json, sys, unittest

class Prices(unittest.TestCase):
    pass

def case(number):
    def check(self):
        self.assertEqual(number % 41 == 40, False, f"order {number} has no price")
    return check

for number in range(300):
    setattr(Prices, f"test_price_of_order_{number}", case(number))

class Result(unittest.TextTestResult):
    failed = []
    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.failed.append([test._testMethodName, str(error[1])])

if __name__ == "__main__":
    unittest.main(testRunner=unittest.TextTestRunner(verbosity=2, resultclass=Result), exit=False)
    json.dump(Result.failed, open(sys.argv[0] + ".json", "w"))
"""

SERVICE = """import json, logging, sys
logging.basicConfig(level=logging.DEBUG, stream=sys.stdout, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
log, broken = logging.getLogger("orders"), []
for number in range(2500):
    log.info("order %d shipped, 0 errors, error=None", number)
    if number % 600 == 400:
        try:
            {}["parcel-%d" % number]
        except KeyError as error:
            log.exception("parcel of order %d is lost", number)
            broken.append(["parcel of order %d is lost" % number, "KeyError: 'parcel-%d'" % number])
    if number == 1777:
        log.critical("the store at shelf %d is full", number)
        broken.append(["the store at shelf 1777 is full"])
json.dump(broken, open(sys.argv[0] + ".json", "w"))
"""


def _write(folder: str, name: str, text: str) -> str:
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    return path


def _read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def pytest_run(shop: Shop) -> list[Item]:
    room = shop.room("own-pytest")
    _write(room, "test_prices.py", CASES.format(wrong="17, 123, 256, 311, 390"))
    report = os.path.join(room, "report.xml")
    text = shop.run([sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", f"--junitxml={report}"], room).text
    facts = failure_facts(junit_failures(_read(report)))
    xml = _read(report)
    return [
        Item("own-pytest", "test report", "text", "pytest -v", text, said_in(facts, text)),
        Item("own-junit", "JUnit XML", "xml", "pytest --junitxml", xml, said_in(in_xml(facts), xml)),
    ]


def unittest_run(shop: Shop) -> list[Item]:
    room = shop.room("own-unittest")
    path = _write(room, "prices.py", UNITTESTS)
    text = shop.run([sys.executable, path], room).text
    failures = [Failure(name, first_line(said)) for name, said in json.loads(_read(f"{path}.json"))]
    return [Item("own-unittest", "test report", "text", "unittest -v", text, said_in(failure_facts(failures), text))]


def ruff_run(shop: Shop) -> list[Item]:
    room = shop.room("own-ruff")
    for number in range(40):
        _write(room, f"part_{number}/shelf_{number}.py", _faulty(number))
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "F,E,B,S"]
    text = shop.run([*command, "--output-format", "full", "."], room).text
    listed = shop.run([*command, "--output-format", "json", "."], room, apart=True).text
    found = []
    for row in json.loads(listed):
        path = os.path.relpath(row["filename"], room)
        place = f"{path}:{row['location']['row']}:{row['location']['column']}"
        found.append(Diagnostic(path, place, row["code"], row["message"]))
    facts = diagnostic_facts(found)
    codes = in_json(Fact("code", (f'"{code}"', code)) for code in sorted({one.code for one in found}))
    return [
        Item("own-ruff", "compiler and linter", "text", "ruff check .", text, said_in(facts, text)),
        Item(
            "own-ruff-json", "JSON records", "json", "ruff check --output-format json .", listed, said_in(codes, listed)
        ),
    ]


def _faulty(number: int) -> str:
    """A module with an unused import and, in some, something rarer."""
    text = f"import os\nimport sys\n\n\ndef shelf_{number}(order):\n    return order + {number}\n"
    if number == 13:
        text += f"\n\ndef lost(order, known=[]):\n    return undefined_{number}\n"
    if number == 29:
        text += "\n\ndef checked(order):\n    assert order, 'no order'\n    return eval(order)\n"
    return text


def mypy_run(shop: Shop) -> list[Item]:
    room = shop.room("own-mypy")
    for number in range(90):
        wrong = "'three'" if number % 3 else "3"
        body = f"def total_{number}(count: int) -> int:\n    return count * {number}\n\n\ntotal_{number}({wrong})\n"
        _write(room, f"totals/total_{number}.py", body + "missing.attribute\n" * (number == 44))
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir", os.devnull, "totals"]
    text = shop.run([*command, "--pretty"], room).text
    rows = [json.loads(line) for line in shop.run([*command, "-O", "json"], room, apart=True).text.splitlines()]
    found = [Diagnostic(row["file"], f"{row['file']}:{row['line']}", row["code"], row["message"]) for row in rows]
    return [
        Item("own-mypy", "compiler and linter", "text", "mypy --strict", text, said_in(diagnostic_facts(found), text))
    ]


def git_run(shop: Shop) -> list[Item]:
    room = shop.room("own-git")
    shop.run(["git", "init", "-q"], room)
    for number in range(30):
        _write(room, f"shelf_{number}.py", "".join(f"line_{number}_{row} = {row}\n" for row in range(60)))
    commit(shop, room, "Put everything on a shelf")
    for number in range(0, 30, 2):
        changed = "".join(f"line_{number}_{row} = {row * (row % (number + 3) != 2)}\n" for row in range(60 - number))
        _write(room, f"shelf_{number}.py", changed)
    os.remove(os.path.join(room, "shelf_7.py"))
    commit(shop, room, "Tidy up")
    between = ["-M", "HEAD~1", "HEAD"]
    text = shop.run(["git", "diff", *between], room).text
    numstat = shop.run(["git", "diff", "--numstat", *between], room).text
    status = shop.run(["git", "diff", "--name-status", *between], room).text
    return [Item("own-git", "diff", "diff", "git diff", text, said_in(changed_facts(numstat, status, text), text))]


def log_run(shop: Shop) -> list[Item]:
    room = shop.room("own-log")
    path = _write(room, "service.py", SERVICE)
    text = shop.run([sys.executable, path], room).text
    facts = [Fact("message", (said,)) for one in json.loads(_read(f"{path}.json")) for said in one]
    return [Item("own-log", "log", "text", "python service.py", text, said_in(facts, text))]


def code(_: Shop) -> list[Item]:
    text = _read(os.path.join(os.path.dirname(os.path.abspath(__file__)), "score.py"))
    text += "\n\n" + _read(os.path.join(os.path.dirname(os.path.abspath(__file__)), "reports.py"))
    return [Item("own-code", "source code", "text", "cat *.py", text, said_in(outline_facts(text), text))]


MAKERS: tuple[Callable[[Shop], list[Item]], ...] = (
    pytest_run,
    unittest_run,
    ruff_run,
    mypy_run,
    git_run,
    log_run,
    code,
)
