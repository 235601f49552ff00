"""`redaction.rules`: however many rules somebody adds, each finds what it would find alone, and soon."""

import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from children import fed
from overspill.redact import Redactor

LINES = [
    f"{number:06} INFO request {number * 7919} took {number % 97} ms, user u{number % 50}\n" for number in range(1_500)
]

PATTERNS = [
    "alpha",
    r"al\w+a",
    "(?i)ALPHA",
    "^b[a-z]*",
    r"[a-z]*\d$",
    r"\Agamma",
    r"\d+\z",
    r"(?P<v>be)ta",
    r"(?P<v>del)ta",
    "(?-s:x.y)",
    r"\bgamma\b",
    "a|b1",
    r"x\sy",
    "(?U)d.*a",
    r"[^\w]7",
]
words = st.sampled_from(
    ["alpha", "ALPHA", "beta", "delta", "gamma", "b1", "x y", "x", "y", " ", "\n", "\n\n", "7", "ß", "-7"]
)


def rule(number: int, pattern: str) -> dict[str, object]:
    return {"name": f"own-{number}", "type": f"OWN_{number}", "pattern": pattern}


def found(redactor: Redactor, text: str) -> set[tuple[str, int, int]]:
    return {(why.rule, why.line, why.column) for why in redactor.why(text)}


@given(
    text=st.lists(words, max_size=30).map("".join),
    patterns=st.lists(st.sampled_from(PATTERNS), unique=True, max_size=6),
)
def test_lines_to_search_are_all_in_which_any_rule_finds_something(text: str, patterns: list[str]) -> None:
    together = [rule(number, pattern) for number, pattern in enumerate(patterns)]
    hidden = Redactor(rules=together).redact(text).counts
    for one in together:
        alone = Redactor(rules=[one]).redact(text).counts
        if alone:
            assert hidden, f"{one['pattern']!r} finds something alone"
    names = {str(one["name"]) for one in together if Redactor(rules=[one]).redact(text).counts}
    assert set(hidden) <= names | set(Redactor().redact(text).counts)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_rule_among_many_finds_what_it_finds_alone(pattern: str) -> None:
    many = [rule(number, f"never{number}(x|y)+z") for number in range(2, 40)]
    text = "alpha beta\nb1 delta7\ngamma\n\nx y ALPHA 7\n" * 3
    assert found(Redactor(rules=[rule(1, pattern), *many]), text) == found(Redactor(rules=[rule(1, pattern)]), text)


@pytest.mark.parametrize(
    "pattern", ["EMP-[0-9]{6}x", "(?i)emp_{}[a-z]+", "employee{}"], ids=["class", "flag", "literal"]
)
def test_fifty_rules_cost_no_more_than_a_few(pattern: str) -> None:
    text = "".join(LINES)

    def seconds(count: int) -> float:
        redactor = Redactor(
            rules=[rule(number, pattern.replace("{}", str(number)) + f"_{number}") for number in range(count)]
        )
        redactor.redact(text)
        took = []
        for _ in range(5):
            begun = time.process_time()
            redactor.redact(text)
            took.append(time.process_time() - begun)
        return min(took)

    assert seconds(50) < 10 * seconds(1) + 0.05


def test_fifty_rules_that_find_something_in_a_few_lines_find_it() -> None:
    rules = [rule(number, rf"badge-{number}-[0-9]+") for number in range(50)]
    lines = LINES[:500] + [f"badge-{number}-4711\n" for number in range(50)] + LINES[500:]
    safe = Redactor(rules=rules).redact("".join(lines))
    assert sum(safe.counts.values()) == 50
    assert not re.search("badge-", safe.text)


BROKEN = [
    ("EMP-[0-9{6}", "badge emp-471193 in\n", "at EM-471193 out\n"),
    (r"(ticket|pass-\d+", "see TICKET 9\n", "see tick 9\n"),
    ("name: (?<secret", "x name: y\n", "x nam: y\n"),
]


@pytest.mark.parametrize(("pattern", "hidden", "shown"), BROKEN)
def test_a_broken_rule_hides_every_line_it_could_have_meant(pattern: str, hidden: str, shown: str) -> None:
    """A secret that somebody named does not pass because the name is misspelt; what has nothing of it is shown."""
    redactor = Redactor(broken=[rule(1, pattern)])
    assert redactor.redact(shown + hidden + shown).text == f"{shown}[REDACTED: OWN_1]\n{shown}"
    stream = redactor.stream()
    assert (
        "".join(map(stream.feed, shown + hidden + shown)) + stream.flush()
        == redactor.redact(shown + hidden + shown).text
    )


@pytest.mark.parametrize("pattern", ["(", "(?:alpha|[0-9]+", "[a-z"])
def test_a_broken_rule_that_could_mean_anything_is_left_out_and_told(pattern: str, tmp_path: Path) -> None:
    """Promise 7: a mistake in the settings eats no input."""
    assert Redactor(broken=[rule(1, pattern)]).redact("anything\n").text == "anything\n"
    (tmp_path / ".agent").mkdir()
    rules = json.dumps([{"name": "emp", "type": "EMP", "pattern": pattern}])
    (tmp_path / ".agent" / "config.yml").write_text(f"redaction:\n  rules: {rules}\n")
    done = fed("fit", chunks=[b"one\n"], home=tmp_path)
    assert (done.status, done.out) == (0, b"one\n")
    assert "it is left out" in done.err.decode()


def test_a_broken_rule_eats_no_input_and_is_told_with_what_it_hides(tmp_path: Path) -> None:
    (tmp_path / ".agent").mkdir()
    rules = '[{name: emp, type: EMP, pattern: "EMP-[0-9{6}"}, {name: ok, type: OKAY, pattern: "ZZ-[0-9]+"}]'
    (tmp_path / ".agent" / "config.yml").write_text(f"redaction:\n  rules: {rules}\n")
    done = fed("fit", chunks=[b"one\nemp-471193\nZZ-9\ntwo\n"], home=tmp_path)
    assert done.status == 0
    assert done.out.decode() == "one\n[REDACTED: EMP]\n[REDACTED: OKAY]\ntwo\n"
    assert "'emp'" in done.err.decode()
    assert "every line with 'emp-' is hidden" in done.err.decode()
