"""Values that the layout of lines tells: under a heading, in brackets that open at a line's end, bound to a column."""

import re

import pytest

from overspill.redact import RULES, Redactor, redact_text, scan_database
from overspill.redact.rules import made_up_value
from overspill.redact.scanner import START, expressions

VALUE = made_up_value("<A14>")


def test_a_column_is_hidden_whichever_edge_it_shares_with_its_heading() -> None:
    text = f"NAME             PASSWORD  AGE\ndb1        {VALUE[:14]}  3d\ndb2               {VALUE[:7]}  4d\n"
    shown = redact_text(text)
    assert VALUE[:7] not in shown
    assert shown.splitlines()[0] == text.splitlines()[0]
    assert [line.split()[0] for line in shown.splitlines()] == ["NAME", "db1", "db2"]


def test_what_lies_below_an_empty_line_is_no_row() -> None:
    text = "Name     Password\napp      none\n\nbuild    hunter2horse\n"
    assert redact_text(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "Name     Role     Password\ndoadmin  primary  expired\nreader   replica  never\n",
        "token     The token to use.\nverbose   Say more about 12ab34cd56.\n",
        f"Token     Scope\nread      {VALUE}\n",
        'token = os.environ.get(\n    "DEPLOY_TOKEN2"\n)\n',
        'tokens = [\n    "IDENT",\n    "NUMBER2",\n]\n',
        f"UPDATE users SET name=? WHERE id=?\n('{VALUE}', 17)\n",
        "INSERT INTO users (name, password) VALUES (?, ?)\n('hunter2horse', 'changeme')\n",
        "password = '' if empty else read()\n",
        'password = ""\n',
    ],
)
def test_what_stands_in_no_column_of_a_secret_stays(text: str) -> None:
    assert redact_text(text) == text


def test_somebody_who_says_what_their_password_is_is_believed() -> None:
    assert "hunter2horse" not in redact_text("my password is hunter2horse, tell no one")
    for said in ("my password is required", "the password is base64encoded", "its password was utf8encoded"):
        assert redact_text(said) == said


def test_a_key_is_told_by_what_it_is_for_and_how_it_is_written() -> None:
    for shape in (
        "session key (base64): {}\n",
        "your new key is {} and will not be shown again\n",
        "Signing key [v2]: {}\n",
    ):
        assert VALUE not in redact_text(shape.format(made_up_value("<A24>") + VALUE))
    assert redact_text("the new key is generated-by-the-service\n") == "the new key is generated-by-the-service\n"


def test_a_comment_says_whose_a_long_text_is() -> None:
    value = made_up_value("<A32>")
    assert value not in redact_text(f'  inline_string: "{value}"  # hmac secret\n')
    named = "build-2026-of-the-nightly-branch"
    assert named in redact_text(f'  inline_string: "{named}"  # secret of the build: none\n')


def test_a_variable_in_a_list_goes_on_to_its_quote() -> None:
    value = "T&G=jE$5k_5JZl"
    shown = redact_text(f'"Env": ["PATH=/usr/bin", "REDIS_PASSWORD={value}"],\n')
    assert shown == '"Env": ["PATH=/usr/bin", "REDIS_PASSWORD=[REDACTED: PASSWORD]"],\n'


def test_what_looks_like_a_variable_is_a_password_where_its_letters_are_no_name() -> None:
    assert "rkp0LJNwWj3kn" not in redact_text('{"password": "$rkp0LJNwWj3kn"}')
    for variable in ("$dbPassword2", "$DB_PASSWORD", "$oauth2ClientSecret"):
        text = f'{{"password": "{variable}"}}'
        assert redact_text(text) == text


def test_a_statement_costs_the_same_wherever_it_is_cut() -> None:
    text = f"UPDATE users SET name=?, password=? WHERE id=?\n[cached] ('jo', '{VALUE}', 17)\n" * 2
    text += f"Name     Password\napp      {VALUE}\nPASSWORD = (\n    '{VALUE}'\n)\n"
    redactor = Redactor(database=scan_database())
    whole = redactor.stream()
    shown = whole.feed(text) + whole.flush()
    assert VALUE not in shown
    for at in range(1, len(text)):
        stream = redactor.stream()
        assert stream.feed(text[:at]) + stream.feed(text[at:]) + stream.flush() == shown
        assert stream.spent.cost == whole.spent.cost, text[:at]


def test_no_expression_that_says_where_it_starts_repeats_without_an_end() -> None:
    """Hyperscan 0.9.1 ends the process on some of them."""
    asked = [expression.pattern for expression in expressions(RULES) if expression.flags & START]
    assert asked
    outside_of_classes = [re.sub(r"\\.|\[(?:\\.|[^\]\\])*\]", "x", pattern) for pattern in asked]
    assert [pattern for pattern in outside_of_classes if re.search(r"[+*]|,\}", pattern)] == []


def test_what_stands_below_an_answer_that_is_hidden_is_no_second_answer() -> None:
    text = "$ heroku auth:token\n{}\nnpmScopes\nnpmRegistries:\n"
    once = redact_text(text.format(made_up_value("<A40>")))
    assert once == text.format("[REDACTED: SECRET]")
    assert redact_text(once) == once


def test_a_text_of_many_lines_is_not_what_a_command_answers() -> None:
    text = "$ cat token.yml\nnpmScopes:\n"
    assert redact_text(text) == text
