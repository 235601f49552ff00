"""Test runners that nobody tunes on; what fails in them is planted."""

import os
import re
import shutil
from collections.abc import Iterator
from functools import partial
from xml.etree import ElementTree as ET

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.eighth_tools import npm_room, npm_tool
from recipes.fifth_suites import last_words, plain
from recipes.held_suites import write
from recipes.third_linters import report_file

RUNNER = "test runner"


def ert_run(name: str, shop: Shop) -> Iterator[Item]:
    """What Emacs' own test runner prints; the facts are planted: each failed test with what it compared."""
    shop.install("emacs", "emacs-nox")
    room = shop.room(name)
    lines, facts = (
        [
            ";;; -*- lexical-binding: t -*-",
            "(require 'ert)",
            "(defun quay-level (n) (* n 3))",
            '(defun quay-open (door) (error "Door %d is frozen" door))',
        ],
        [],
    )
    for number in range(160):
        if number % 19 == 7:
            lines.append(
                f"(ert-deftest quay-gauge-{number} () \"Level of gauge {number}.\" (should (equal (list (quay-level {number}) 'tide) '({number * 3 + 1} tide))))"
            )
            facts += [Fact("name", (f"quay-gauge-{number}",)), Fact("message", (f"({number * 3 + 1} tide)",))]
        elif number % 31 == 12:
            lines.append(f"(ert-deftest quay-gauge-{number} () (should (quay-open {number})))")
            facts += [Fact("name", (f"quay-gauge-{number}",)), Fact("message", (f"Door {number} is frozen",))]
        elif number % 41 == 20:
            lines.append(
                f"(ert-deftest quay-gauge-{number} () :expected-result :failed (should (= 1 (quay-level {number}))))"
            )
        elif number % 53 == 30:
            lines.append(f"(ert-deftest quay-gauge-{number} () (skip-unless (featurep 'no-such-harbour-{number})))")
            facts.append(Fact("name", (f"quay-gauge-{number}",)))
        else:
            lines.append(f"(ert-deftest quay-gauge-{number} () (should (= {number * 3} (quay-level {number}))))")
    write(os.path.join(room, "quay-tests.el"), "\n".join(lines) + "\n")
    text = shop.run(
        ["emacs", "-Q", "--batch", "-l", "quay-tests.el", "-f", "ert-run-tests-batch-and-exit"],
        room,
        env={"HOME": room},
    ).text
    facts += last_words(
        text, r"^Ran \d+ tests.*$|^\d+ unexpected results:.*$|^\d+ skipped.*$|^\d+ expected failures.*$"
    )
    yield Item(
        name,
        RUNNER,
        "text",
        "emacs --batch -l quay-tests.el -f ert-run-tests-batch-and-exit",
        text,
        said_in(facts, text),
    )


def raco_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `raco test` prints; the facts are planted: each failed check with its name, place and values."""
    shop.install("raco", "racket")
    room = shop.room(name)
    facts = []
    for part in range(9):
        lines = [
            "#lang racket/base",
            "(require rackunit)",
            "(define (level n) (* n 3))",
            '(define (weigh n) (if (= (modulo n 5) 0) (raise-argument-error \'weigh "an odd pile" n) n))',
        ]
        for case in range(48):
            number = part * 48 + case
            if number % 6 == 4:
                lines.append(
                    f'(test-case "pile {number} is level" (check-equal? (level {number}) {number * 3 + 1} "pile {number} leans"))'
                )
                facts += [
                    Fact("message", (f"pile {number} is level",)),
                    Fact("message", (f"pile {number} leans",)),
                    Fact("odd", (), ("expected:", str(number * 3 + 1))),
                    Fact("message", (f"gauge{part}.rkt:{len(lines)}",)),
                ]
            elif number % 25 == 10:
                lines.append(f'(test-case "pile {number} is weighed" (check-true (number? (weigh {number}))))')
                facts += [Fact("message", (f"pile {number} is weighed",))]
            else:
                lines.append(f'(test-case "pile {number} is counted" (check-equal? (level {number}) {number * 3}))')
        write(os.path.join(room, f"gauge{part}.rkt"), "\n".join(lines) + "\n")
    text = shop.run(
        ["raco", "test", *(f"gauge{part}.rkt" for part in range(9))], room, env={"HOME": room, "PLTADDONDIR": room}
    ).text.replace(f"{room}/", "")
    facts += [*last_words(text, r"^\d+/\d+ test failures.*$|^\d+ tests? .*$"), Fact("message", ("an odd pile",))]
    yield Item(name, RUNNER, "text", "raco test gauge*.rkt", text, said_in(facts, text))


KYUA = """#! /bin/sh
n={n}
echo "gauge $n: reading"
for k in 1 2 3 4 5 6 7 8 9; do echo "gauge $n: sample $k is $((n * k % 97)) cm"; done
{tail}
"""


def kyua_run(name: str, shop: Shop) -> Iterator[Item]:
    """What kyua reports of plain programs; the facts are those of its JUnit report: each broken one, and what it said."""
    shop.install("kyua")
    room = shop.room(name)
    names, facts = [], []
    for number in range(150):
        tail = "exit 0"
        if number % 11 == 5:
            tail = f"echo 'gauge {number} froze at {number * 7} cm' >&2; exit {1 + number % 3}"
            facts += [Fact("name", (f"gauge{number}",)), Fact("message", (f"gauge {number} froze at {number * 7} cm",))]
        if number % 37 == 20:
            tail = "kill -SEGV $$"
            facts.append(Fact("name", (f"gauge{number}",)))
        path = os.path.join(room, f"gauge{number}")
        write(path, KYUA.format(n=number, tail=tail))
        os.chmod(path, 0o755)
        names.append(f"plain_test_program{{name='gauge{number}'}}\n")
    write(os.path.join(room, "Kyuafile"), "syntax(2)\ntest_suite('quay')\n" + "".join(names))
    clean = ["env", "-i", f"HOME={room}", "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"]
    kyua = [*clean, "kyua", "--config=none", "--logfile=kyua.log"]
    text = shop.run([*kyua, "test", "--results-file=all.db"], room).text
    wanted = ["--results-file=all.db", "--verbose", "--results-filter=broken,failed"]
    text = (text + shop.run([*kyua, "report", *wanted], room).text).replace(room, "/srv/quay")
    shop.run([*kyua, "report-junit", "--results-file=all.db", "--output=all.xml"], room)
    if os.path.exists(os.path.join(room, "all.xml")):
        facts += [
            Fact("name", (case.get("classname", ""),))
            for case in ET.parse(os.path.join(room, "all.xml")).iter("testcase")
            if case.find("failure") is not None or case.find("error") is not None
        ]
    facts += last_words(
        text, r"^\d+/\d+ passed \(\d+ failed\)$|^===> (?:Failed|Broken|Summary).*$|^Test cases: .*$|^Total time: .*$"
    )
    yield Item(name, RUNNER, "text", "kyua report --verbose", text, said_in(facts, text))


ALCO = """let level n = n * 3
let weigh n = if n mod 17 = 5 then failwith (Printf.sprintf "scales %d are wet" n) else n
let case n =
  Alcotest.test_case (Printf.sprintf "pile %d" n) `Quick (fun () ->
      Alcotest.(check int) (Printf.sprintf "weight of pile %d" n) n (weigh n);
      Alcotest.(check (list int)) (Printf.sprintf "levels of pile %d" n) [ n; n * 3 ] [ n; (if n mod 23 = 9 then level n + 1 else level n) ])
let () =
  Alcotest.run ~and_exit:true "quay"
    (List.init 12 (fun area -> (Printf.sprintf "area-%d" area, List.init 16 (fun k -> case ((area * 16) + k)))))
"""


def alcotest_run(name: str, shop: Shop) -> Iterator[Item]:
    """What alcotest prints of a suite in OCaml; the facts are planted: piles that are wet or lean, and the sums."""
    shop.install("dune", "ocaml-dune", "ocaml")
    shop.apt("libalcotest-ocaml-dev")
    room = shop.room(name)
    write(os.path.join(room, "dune-project"), "(lang dune 2.9)\n")
    write(os.path.join(room, "dune"), "(executable (name quay) (libraries alcotest))\n")
    write(os.path.join(room, "quay.ml"), ALCO)
    env = {"HOME": room, "XDG_CACHE_HOME": room}
    shop.run(["dune", "build", "--root", ".", "-j1", "./quay.exe"], room, env=env).check()
    text = plain(shop.run(["./_build/default/quay.exe", "--show-errors", "--color=never"], room, env=env).text).replace(
        room, "/srv/quay"
    )
    wet, lean = [n for n in range(192) if n % 17 == 5], [n for n in range(192) if n % 23 == 9 and n % 17 != 5]
    facts = [Fact("message", (f"scales {n} are wet",)) for n in wet] + [
        Fact("message", (f"levels of pile {n}",)) for n in lean
    ]
    facts += [Fact("message", (f"[{n}; {n * 3 + 1}]",)) for n in lean]
    facts += [Fact("odd", (), (f"pile {n}", "[FAIL]", f"area-{n // 16}")) for n in (*wet, *lean)]
    facts += last_words(text, r"^\d+ (?:errors?|failures?)!.*$|^.*\d+ tests? run\.?$")
    yield Item(name, RUNNER, "text", "quay.exe --show-errors", text, said_in(facts, text))


def tap_run(name: str, shop: Shop) -> Iterator[Item]:
    """What node-tap prints; the facts are planted: each failed test, with what was wanted and found."""
    tool = npm_tool(shop, "tap")
    where = os.path.join(npm_room(shop), name)
    facts = []
    for part in range(12):
        lines = ["const t = require('tap')"]
        for case in range(8):
            number = part * 8 + case
            if number % 13 == 6:
                lines.append(
                    f"t.test('berth {number} is free', t => {{ t.same({{ id: {number}, boat: null }}, {{ id: {number}, boat: 'dory {number}' }}, 'boat of berth {number}'); t.end() }})"
                )
                facts += [
                    Fact("message", (f"berth {number} is free",)),
                    Fact("message", (f"boat of berth {number}",)),
                    Fact("message", (f"dory {number}",)),
                ]
            elif number % 29 == 11:
                lines.append(f"t.test('berth {number} opens', t => {{ throw new Error('chain {number} is rusty') }})")
                facts += [Fact("message", (f"berth {number} opens",)), Fact("message", (f"chain {number} is rusty",))]
            else:
                lines.append(
                    f"t.test('berth {number} is counted', t => {{ t.equal({number} * 2, {number * 2}); t.ok(true, 'tide {number}'); t.end() }})"
                )
        write(os.path.join(where, "test", f"part{part}.test.cjs"), "\n".join(lines) + "\n")
    write(os.path.join(where, "package.json"), '{"name": "quay", "private": true}')
    room = shop.room(name)
    text = (
        plain(
            report_file(
                shop,
                ["sh", "-c", f"{tool} run --disable-coverage --allow-empty-coverage --reporter=tap --jobs=1 2>&1"],
                where,
                room,
            )
        )
        .replace(where, "/srv/quay")
        .replace(npm_room(shop), "/srv")
    )
    facts += [
        Fact("path", (one,)) for one in dict.fromkeys(re.findall(r"^not ok \d+ - (test/\S+)", text, re.MULTILINE))
    ]
    facts += last_words(text, r"^# (?:failed|pass|fail|time|FAIL|PASS).*$|^# \{.*\}$")
    shutil.rmtree(where)
    yield Item(name, RUNNER, "text", "tap run --reporter=tap", text, said_in(facts, text))


RECIPES = {
    "ert-quay": partial(ert_run, "ert-quay"),
    "raco-gauges": partial(raco_run, "raco-gauges"),
    "kyua-gauges": partial(kyua_run, "kyua-gauges"),
    "alcotest-quay": partial(alcotest_run, "alcotest-quay"),
    "tap-berths": partial(tap_run, "tap-berths"),
}
