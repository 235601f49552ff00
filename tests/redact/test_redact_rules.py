"""Every rule of the table finds its sample, by each engine, and leaves the look-alike alone."""

import random
import re
from functools import cache
from pathlib import Path

import pytest

from overspill.redact import FORMATS, RULES, Redactor, Rule, hits, scan_database, scanner
from overspill.redact import rules as table
from overspill.redact.rules import made_up_value, prefixes

every_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
ENGINES = ("hyperscan", "re2", "re")


@cache
def redactor(engine: str) -> Redactor:
    if engine != "hyperscan":
        return Redactor(use=engine)
    database = scan_database()
    assert database is not None
    return Redactor(database=database)


@every_rule
def test_a_rule_finds_its_sample_and_names_itself(rule: Rule) -> None:
    for seed in range(5):
        text = (
            f"before {made_up_value(rule.yes, seed)}\nafter\n"
            if not rule.how.endswith("line")
            else f"{made_up_value(rule.yes, seed)}\n"
        )
        result = redactor("re").redact(text)
        assert result.text != text, text
        # Two rules may know the same secret; what matters is that this one would have found it alone.
        # What is encoded is read by all the others.
        off = [other.name for other in RULES if other.name != rule.name and rule.how != "encoded"]
        alone = Redactor(use="re", off=off).redact(text)
        assert alone.counts == {rule.name: alone.counts.get(rule.name, 0)}, text
        assert alone.text != text, text


@every_rule
def test_a_rule_leaves_its_look_alike_alone(rule: Rule) -> None:
    alone = Redactor(use="re", off=[other.name for other in RULES if other.name != rule.name])
    text = f"before {made_up_value(rule.no)} after\n"
    assert alone.redact(text).text == text


@every_rule
def test_the_engines_agree_on_every_sample(rule: Rule) -> None:
    for seed in range(3):
        secret = made_up_value(rule.yes, seed)
        for text in (f"x {secret}\n", f'{{"v": "{secret}"}}', f"\x1b[32m{secret}\x1b[0m", f"é=\\n{secret}", secret):
            assert redactor("re").redact(text) == redactor("re2").redact(text) == redactor("hyperscan").redact(text)


def test_there_are_more_than_120_formats_and_no_two_rules_share_a_name() -> None:
    names = [rule.name for rule in RULES]
    assert len(set(names)) == len(names)
    assert len(FORMATS) >= 200


def test_types_fit_into_a_placeholder() -> None:
    assert all(re.fullmatch(r"[A-Z][A-Z0-9_]*", rule.type) for rule in RULES)


@every_rule
def test_gates_are_small_letters_and_one_stands_in_the_sample(rule: Rule) -> None:
    sample = made_up_value(rule.yes).lower()
    assert all(gate == gate.lower() for gate in rule.gates)
    assert any(gate in sample for gate in rule.gates) or (rule.scan and not rule.gates)


def test_no_file_of_the_table_holds_anything_the_table_would_redact() -> None:
    for path in Path(table.__file__).parent.glob("*.py"):
        found = [why for why in redactor("re").why(path.read_text()) if why.rule in {rule.name for rule in FORMATS}]
        assert found == [], path


def test_what_is_known_before_the_table_is_loaded_is_what_the_table_says() -> None:
    """A clean text needs no table, so its size, its blocks and its digest stand beside it."""
    blocks = frozenset(number for number, rule in enumerate(RULES) if rule.how == "block")
    assert (len(RULES), blocks) == (hits.RULE_COUNT, hits.BLOCK_RULES)
    below = [RULES[number].name for number in (hits.SCALAR, hits.MANIFEST, hits.LAYOUT)]
    assert below == ["value-below", "kubernetes-secret", "value-laid-out"]
    assert RULES[hits.ASSIGNMENT].how == "assignment"
    assert hex(hits.DIGEST) == hex(scanner.table_digest(RULES)), "overspill.redact.hits.DIGEST"
    assert len(RULES) <= hits.RULE_MASK


@pytest.mark.parametrize(
    "rule", [rule for rule in RULES if rule.pattern and rule.gates and not rule.back], ids=lambda rule: rule.name
)
def test_every_way_a_rule_begins_holds_one_of_its_gates(rule: Rule) -> None:
    """Engines that look for gates and those that look for beginnings must find the same."""
    for prefix in prefixes(rule.pattern, wide=40):
        for seed in range(20):
            text = example(prefix.pattern, random.Random(seed)).lower()
            assert any(gate.startswith(text) or gate in text for gate in rule.gates), (rule.name, text)


def example(pattern: str, draw: random.Random) -> str:
    """A text that a fixed-width pattern matches."""
    result = ""
    for part in re.finditer(r"\[([^\]]+)\](?:\{(\d+)\})?|\\(.)|(.)", pattern):
        letters, count, escaped, plain = part.groups()
        result += "".join(draw.choices(members(letters), k=int(count or 1))) if letters else escaped or plain
    return result


@cache
def members(letters: str) -> list[str]:
    """The letters of ASCII that a class holds."""
    return [one for one in map(chr, range(128)) if re.match(f"[{letters}]", one)]


def test_gates_that_stand_everywhere_are_found_by_a_linear_engine_where_matches_lie_in_each_other() -> None:
    texts = [
        "s." + "aB3" * 5 + "s." + "Zk8" * 8,
        "AC" * 9 + "0af9" * 8,
        "x" * 40 + "pat" + "Zk8" * 5 + ".pat" + "Zk8" * 5,
    ]
    for text in texts:
        found = {name: redactor(name).hits(text, 0, len(text)) for name in ("re", "re2")}
        assert sorted(set(found["re"])) == sorted(set(found["re2"])), text


def test_rules_without_a_literal_are_found_by_one_pattern_for_all_where_they_are_found_one_by_one() -> None:
    draw = random.Random(18)
    shapes = [made_up_value(rule.yes, seed) for seed in range(8) for rule in RULES if not rule.gates]
    fillers = ("", "\n", " " * 5_000, "a plain line of a log\n" * 300, "A" * 9_000)
    text = "".join(f"{draw.choice(fillers)}{draw.choice(shapes)}" for _ in range(400)).encode()
    together, apart = (scanner._Shapes(RULES, re.compile, linear=linear) for linear in (True, False))
    assert sorted(together.places(text)) == sorted(apart.places(text))
