"""Values that no sign joins to their name: beside it, before it, below it."""

import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.append(str(Path(__file__).parent.parent / "torture"))

from look_alikes import STANDING
from secret_places import PLACES

from overspill.redact import Redactor, redact_text, scan_database
from overspill.redact.rules import made_up_value

VALUES = ("QtZuVhnW", "1uu4nakb", made_up_value("<A12>"), made_up_value("<A8>", 3))


@pytest.mark.parametrize("name", sorted(PLACES))
def test_a_password_is_hidden_where_a_name_stands_near(name: str) -> None:
    for value in VALUES:
        text = PLACES[name].replace("{v}", value)
        shown = redact_text(text)
        assert value not in shown
        assert redact_text(shown) == shown
        assert shown.count("\n") == text.count("\n")


@pytest.mark.parametrize("text", STANDING)
def test_what_speaks_of_a_password_and_says_none_stays(text: str) -> None:
    assert redact_text(text) == text


@given(
    names=st.lists(st.sampled_from(sorted(PLACES)), min_size=1, max_size=6),
    stays=st.lists(st.sampled_from(STANDING), max_size=4),
    sizes=st.lists(st.integers(1, 80), max_size=12),
)
def test_pieces_and_engines_make_no_difference(names: list[str], stays: list[str], sizes: list[int]) -> None:
    parts = [PLACES[name].replace("{v}", made_up_value("<A12>", n)) for n, name in enumerate(names)]
    text = "".join(part for pair in zip(parts, [*stays, *[""] * len(parts)], strict=False) for part in pair)
    whole = Redactor(database=scan_database()).redact(text).text
    assert whole == Redactor(use="re").redact(text).text == Redactor(use="re2").redact(text).text
    bounds = [0]
    for size in sizes:
        bounds.append(min(len(text), bounds[-1] + size))
    stream = Redactor(database=scan_database()).stream()
    fed = "".join(stream.feed(text[a:b]) for a, b in pairwise([*bounds, len(text)]))
    assert fed + stream.flush() == whole


QUESTIONS = (
    "$ op read op://prod/db/password\n{below}",
    'expect "*assword:"\n{below}',
    "Enter the new password for root on db1:\n{below}",
    "  - name: DB_PASSWORD\n{below}",
)
BELOW = (
    "{v}\n",
    "\n  \n{v}\r\n",
    "$ 12\n{v}",
    'send "{v}\\r"\n',
    "    value: {v}\n",
    "K 8\nname\n",
    " => {v} \n",
    "done\nmore\n",
)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("below", BELOW)
def test_a_question_costs_the_same_wherever_its_text_is_cut(question: str, below: str) -> None:
    """What an answer looks like is told at a glance: a text that has not all come must not be told otherwise."""
    text = question.replace("{below}", below).replace("{v}", made_up_value("<A12>"))
    redactor = Redactor(database=scan_database())
    whole = redactor.stream()
    shown = whole.feed(text) + whole.flush()
    for at in range(1, len(text)):
        stream = redactor.stream()
        assert stream.feed(text[:at]) + stream.feed(text[at:]) + stream.flush() == shown
        assert stream.spent.cost == whole.spent.cost, text[:at]


@pytest.mark.parametrize("skipped", ["", "\n", "\n\n", "V 12\n"])
def test_an_answer_is_looked_for_below_blank_lines_and_a_few_others(skipped: str) -> None:
    value = made_up_value("<A12>")
    assert value not in redact_text(f"$ op read op://prod/db/password\n{skipped}{value}\n")
    text = f"$ op read op://prod/db/password\n{'done' + chr(10) * 2}ok\nok\nok\n{value}\n"
    assert redact_text(text) == text


@pytest.mark.parametrize(
    "text",
    [
        'variable "db_password" {\n  description = "hunter2horse"\n}\n',
        '- name: password\n  id: "x7KqPz2LwRt9"\n',
        '{"password": null, "id": "x7KqPz2LwRt9"}\n',
        '{"password":"","id":"x7KqPz2LwRt9"}\n',
        'test_password  sha256 = "x7KqPz2LwRt9"\n',
    ],
)
def test_a_text_that_is_given_to_another_name_stays(text: str) -> None:
    assert redact_text(text) == text
