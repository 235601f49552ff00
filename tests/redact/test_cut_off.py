"""Texts that end anywhere: a command was interrupted, a file was cut, a stream has ended in the middle of a word."""

import random
import sys
from functools import cache
from pathlib import Path

import pytest

from overspill.redact import RULES, Redactor
from overspill.redact.default import scan_database
from overspill.redact.rule import made_up_value

sys.path.append(str(Path(__file__).parent.parent / "torture"))

import secret_rates

FORMS = sorted({form.template for form in secret_rates.forms() if form.rule is None})


@cache
def redactor() -> Redactor:
    return Redactor(database=scan_database())


@pytest.mark.parametrize(
    "end", ['password="', "token = '", "api_key: `", 'x "secret": "', 'PASSWORD=\\"', "password: q{"]
)
def test_a_text_may_end_where_a_value_begins(end: str) -> None:
    for use in (redactor(), Redactor(use="re")):
        assert use.redact(end).text == end


def test_a_text_may_end_anywhere() -> None:
    """Every beginning of every form and of every rule's sample is read, and read alike in one piece and in two."""
    draw = random.Random(7)
    samples = [template.replace("{v}", secret_rates.PRINTABLE_20(draw)) for template in FORMS]
    samples += [made_up_value(shape, 3) for rule in RULES for shape in (rule.yes, rule.no)]
    for sample in samples:
        for end in range(len(sample) - 1, max(0, len(sample) - 120), -1):
            text = sample[:end]
            whole = redactor().redact(text).text
            stream = redactor().stream()
            middle = end // 2
            assert stream.feed(text[:middle]) + stream.feed(text[middle:]) + stream.flush() == whole, text
