"""Texts that end anywhere: a command was interrupted, a file was cut, a stream has ended in the middle of a word."""

import random
import sys
from functools import cache
from pathlib import Path

import pytest

from drawn import number_of
from overspill.redact import RULES, Redactor, scan_database
from overspill.redact.rules import made_up_value

sys.path.append(str(Path(__file__).parent.parent / "torture"))

import secret_rates

# The forms that were seen end like those: a quarter more of them would take a quarter more of the time.
ENDING = (form for form in secret_rates.forms() if form.rule is None and not form.name.startswith("seen, "))
FORMS = sorted({form.template for form in ENDING})


@cache
def redactor() -> Redactor:
    return Redactor(database=scan_database())


@cache
def engines() -> tuple[Redactor, ...]:
    return redactor(), Redactor(use="re2"), Redactor(use="re")


@pytest.mark.parametrize(
    "end", ['password="', "token = '", "api_key: `", 'x "secret": "', 'PASSWORD=\\"', "password: q{"]
)
def test_a_text_may_end_where_a_value_begins(end: str) -> None:
    for use in engines():
        assert use.redact(end).text == end


@pytest.mark.drawn
def test_a_text_may_end_anywhere() -> None:
    """Every beginning of every form and of every rule's sample is read, and read alike in one piece and in two.

    Of every sample one beginning in eight here, each time others; all in `make torture`.
    """
    draw = random.Random(7)
    samples = [template.replace("{v}", secret_rates.PRINTABLE_20(draw)) for template in FORMS]
    samples += [made_up_value(shape, 3) for rule in RULES for shape in (rule.yes, rule.no)]
    step = number_of(8, 1)
    for number, sample in enumerate(samples):
        for end in range(len(sample) - 1 - number % step, max(0, len(sample) - 120), -step):
            text = sample[:end]
            whole = redactor().redact(text).text
            stream = redactor().stream()
            middle = end // 2
            assert stream.feed(text[:middle]) + stream.feed(text[middle:]) + stream.flush() == whole, text


LETTERS = ["\xe9", "\u201c", "\u2013", "\u6f22", "\U0001f600", "\u200b", "\udc80"]


@pytest.mark.drawn
@pytest.mark.parametrize("letter", LETTERS)
def test_any_letter_may_stand_before_behind_and_within_what_is_looked_for(letter: str) -> None:
    """A place in bytes is a place in characters, also where a rule looks at one byte before its own.

    Every rule meets one letter here, and all of them in `make torture`.
    """
    samples = [made_up_value(rule.yes, 4) for rule in RULES] + [
        "70617373776f72643d313233343536",
        "QVBQX1BBU1NXT1JEPXg3",
    ]
    step = number_of(len(LETTERS), 1)
    for sample in samples[LETTERS.index(letter) % step :: step]:
        middle = len(sample) // 2
        for text in (letter + sample, sample + letter, sample[:middle] + letter + sample[middle:]):
            shown = [use.redact(text).text for use in engines()]
            assert shown == shown[:1] * len(shown), text
