"""Test runners: suites that packages ship, with one line of the package changed."""

import json
import os
import re
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import Failure, failure_facts, first_line, junit_failures, said_in
from shop import Shop, change

RUNNER = "test suite"


def _write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)


def _read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def mocha_run(name: str, package: str, path: str, old: str, new: str, shop: Shop) -> Iterator[Item]:
    """What mocha prints of a package of Debian's; the facts are those of its JSON reporter."""
    room = shop.room(name)
    tree = shop.debian_source(package, room)
    change(os.path.join(tree, path), old, new)
    own = json.loads(_read(os.path.join(tree, "package.json")))
    needs = [f"{one}@{version}" for one, version in own["dependencies"].items()]
    shop.npm(room, "mocha@10.7.3", "supertest@6.3.4", "methods@1.1.2", "safe-buffer@5.2.1", *needs)
    mocha = os.path.join(room, "node_modules", ".bin", "mocha")
    command = [mocha, "--require", "test/support/env", "test"]
    text = shop.run(command, tree).text.replace(f"{tree}/", "")
    report = os.path.join(room, "report.json")
    shop.run([*command, "--reporter", "json", "--reporter-option", f"output={report}"], tree)
    failed = json.loads(_read(report))["failures"]
    facts = failure_facts(Failure(case["title"], first_line(case["err"]["message"])) for case in failed)
    yield Item(
        name, RUNNER, "text", "mocha test", text, said_in((*facts, Fact("count", (f"{len(failed)} failing",))), text)
    )


def prove_run(name: str, package: str, path: str, old: str, new: str, shop: Shop) -> Iterator[Item]:
    """What prove prints of a Perl package; the facts are those of its JUnit formatter."""
    shop.apt("libtap-formatter-junit-perl")
    tree = shop.debian_source(package, shop.room(name))
    change(os.path.join(tree, path), old, new)
    text = shop.run(["prove", "-lv", "t"], tree).text
    xml = shop.run(["prove", "-l", "--formatter", "TAP::Formatter::JUnit", "t"], tree, apart=True).text
    failed = junit_failures(xml[xml.index("<testsuites") :])
    facts = [Fact("name", (one.name.split(" - ", 1)[-1],)) for one in failed if len(one.name) > 6]
    for line in text.splitlines():
        if "(Wstat: " in line:
            facts += [Fact("odd", (), (line.split()[0], "Wstat")), Fact("path", (line.split()[0],))]
    facts += [Fact("message", (one,)) for one in dict.fromkeys(re.findall(r"Can't locate \S+", text))]
    yield Item(name, RUNNER, "text", "prove -lv t", text, said_in(facts, text))


PENDING = "module Unpending; def pending_for(*, **); end; end; RSpec.configure { |one| one.include Unpending }\n"


def rspec_run(name: str, package: str, path: str, old: str, new: str, shop: Shop) -> Iterator[Item]:
    """What rspec prints of a Ruby package; the facts are its own list in JSON."""
    shop.install("rspec", "ruby-rspec")
    room = shop.room(name)
    tree = shop.debian_source(package, room)
    change(os.path.join(tree, path), old, new)
    _write(os.path.join(room, "shims", "rspec", "pending_for.rb"), PENDING)
    skipped = "spec/hashie/{rails_spec,extensions/mash/*,extensions/*active*}.rb,spec/integration/**/*_spec.rb"
    command = [
        "rspec",
        "-I",
        os.path.join(room, "shims"),
        "-I",
        "lib",
        "--order",
        "defined",
        "--exclude-pattern",
        skipped,
    ]
    report = os.path.join(room, "report.json")
    text = shop.run([*command, "--format", "documentation", "--format", "json", "--out", report], tree).text
    text = text.replace(f"{tree}/", "")
    failed = [one for one in json.loads(_read(report))["examples"] if one["status"] == "failed"]
    facts = failure_facts(Failure(one["description"], first_line(one["exception"]["message"])) for one in failed)
    places = [Fact("location", (f"{one['file_path']}:{one['line_number']}",)) for one in failed]
    yield Item(name, RUNNER, "text", "rspec --format documentation", text, said_in((*facts, *places), text))


AUTOLOAD = """<?php spl_autoload_register(function ($class) {
  foreach (['lib', 'test'] as $root) {
    $file = __DIR__ . "/../$root/" . str_replace('\\\\', '/', $class) . '.php';
    if (file_exists($file)) { require $file; return; }
  }
}, true, true);
"""


def phpunit_run(name: str, package: str, path: str, old: str, new: str, shop: Shop) -> Iterator[Item]:
    """What phpunit prints of a PHP package; the facts are those of its JUnit log."""
    shop.install("phpunit")
    tree = shop.debian_source(package, shop.room(name))
    change(os.path.join(tree, path), old, new)
    _write(os.path.join(tree, "vendor", "autoload.php"), AUTOLOAD)
    text = shop.run(["phpunit", "--colors=never", "--log-junit", "report.xml"], tree).text.replace(f"{tree}/", "")
    text = text.replace(f"{tree}/"[1:], "")  # a data set is named by its path, without the first character
    failed = junit_failures(_read(os.path.join(tree, "report.xml")))
    facts = failure_facts(Failure(one.name.replace(f"{tree}/"[1:], ""), "") for one in failed)
    yield Item(name, RUNNER, "text", "phpunit", text, said_in(facts, text))


RECIPES = {
    "mocha-body-parser": partial(
        mocha_run, "mocha-body-parser", "node-body-parser", "lib/read.js", "    : encoding\n", "    : 'latin1'\n"
    ),
    "prove-uri": partial(
        prove_run, "prove-uri", "liburi-perl", "lib/URI/Escape.pm",
        "$str =~ s/%([0-9A-Fa-f]{2})/chr(hex($1))/eg if", "$str =~ s/%([0-9A-F]{2})/chr(hex($1))/eg if",
    ),
    "rspec-hashie": partial(
        rspec_run, "rspec-hashie", "ruby-hashie", "lib/hashie/mash.rb", "? key.to_s : key", "? key.to_sym : key"
    ),
    "phpunit-php-parser": partial(
        phpunit_run, "phpunit-php-parser", "php-parser", "lib/PhpParser/NodeDumper.php", "$key . ': '", "$key . ' = '"
    ),
}  # fmt: skip
