"""Texts that are nothing but secrets, or nothing but what looks like them."""

import random
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from drawn import number_of
from overspill.redact import Redactor, scan_database
from overspill.redact.hits import COST_ANYWAY, CROWD, LINES_COST, PROBE_COST, RULE_BITS, readable_end
from overspill.redact.rules import made_up_value


@cache
def redactor() -> Redactor:
    return Redactor(database=scan_database())


UNITS = (
    "password={}\n", "API_TOKEN={}\n", '{{"token":"{}"}},', "  secret: {}\r\n", "export DB_PASSWORD='{}'\n", "key={} ",
    "password={}", "my.auth-token = {}\n", "password=hunter{} # note\n", "[REDACTED: TOKEN={}\n", "std::token={}\n",
    """\ttoken: "{}'\n""", "https://u:{}@h/ ", "ghp_{}\n", "password={} = 1\n", "password=é{}\n", 'session_token="{}",',
)  # fmt: skip
VALUES = ("<A12>", "<H15>", "<D9>", "<A8>", "<L10>", "changeme<D2>", "x<D1>", "<A6>_<A6>", "<A300>", "T<D4>", "")

units = st.tuples(st.sampled_from(UNITS), st.sampled_from(VALUES))


@given(
    shapes=st.lists(units, min_size=1, max_size=5),
    odd=st.lists(st.tuples(st.integers(0, 2000), units), max_size=6),
    sizes=st.lists(st.integers(1, 5000), max_size=6),
    seed=st.integers(0, 99),
)
def test_many_read_at_once_come_to_the_same_as_one_by_one(
    shapes: list[tuple[str, str]], odd: list[tuple[int, tuple[str, str]]], sizes: list[int], seed: int
) -> None:
    rows = [shapes[n % len(shapes)] for n in range(3 * CROWD)]
    for place, shape in odd:
        rows.insert(place % len(rows), shape)
    values = {value: [made_up_value(value, seed + n) for n in range(40)] for value in {value for _, value in rows}}
    text = "".join(unit.format(values[value][n % 40]) for n, (unit, value) in enumerate(rows))
    whole = redactor().redact(text)
    assert_same(text, text.splitlines(keepends=True), whole.text)
    bounds = [0]
    for size in sizes:
        bounds.append(min(len(text), bounds[-1] + size))
    assert_same(text, [text[a:b] for a, b in pairwise([*bounds, len(text)])], whole.text)
    assert sum(whole.counts.values()) == len(redactor().why(text))


def assert_same(text: str, pieces: list[str], expected: str) -> None:
    assert "".join(pieces) == text
    stream = redactor().stream()
    assert "".join(map(stream.feed, pieces)) + stream.flush() == expected


def test_what_would_cost_too_much_is_hidden_whole_and_said_however_it_comes() -> None:
    # No honest text is as dense.
    lines = [made_up_value("curl -u j:<A9> -H 'X-Api-Key: <A9>' -u k:<A9>", n) + "\n" for n in range(COST_ANYWAY // 4)]
    text = "".join(lines) + "the end\n"
    whole = redactor().redact(text)
    assert whole.incomplete
    assert whole.counts["unexamined"] > 3
    assert whole.text.count("\n") == text.count("\n")
    draw = random.Random(5)
    bounds = sorted(draw.sample(range(len(text)), 50))
    assert_same(text, [text[a:b] for a, b in pairwise([0, *bounds, len(text)])], whole.text)
    shown = zip(lines, whole.text.splitlines(), strict=False)
    assert not [line for line, view in shown if line[10:19] in view or line[-10:-1] in view]


@given(
    units=st.lists(units, min_size=1, max_size=4),
    around=st.sampled_from(["{}", "é{}", "\x1b[1m{}", "%41{}", "  - {}", "{}\n\n", "{}\r\n"]),
    sizes=st.lists(st.integers(1, 90_000), min_size=1, max_size=12),
    seed=st.integers(0, 99),
)
@example(units=[("my.auth-token = {}\n", "<A12>"), ("password={} = 1\n", "<A12>")], around="{}", sizes=[8059], seed=0)
@settings(max_examples=number_of(2, 60))
def test_where_reading_ends_and_begins_anew_does_not_depend_on_the_pieces(
    units: list[tuple[str, str]], around: str, sizes: list[int], seed: int
) -> None:
    """SEC: several hundred thousand characters of what costs much, so that reading ends a few times."""
    parts = [made_up_value(unit.format(value), seed + n) for n in range(40) for unit, value in units]
    text = "".join(around.format(part) for part in parts)
    text = (text * (450_000 // len(text) + 1))[:450_000]
    whole = redactor().redact(text)
    bounds = [0]
    for size in sizes:
        bounds.append(min(len(text), bounds[-1] + size))
    assert_same(text, [text[a:b] for a, b in pairwise([*bounds, len(text)])], whole.text)


def test_what_lies_below_a_hidden_line_is_hidden_with_it() -> None:
    dense = "".join(made_up_value("curl -u j:<A9> -H 'X-Api-Key: <A9>'\n", n) for n in range(9_000))
    values = [made_up_value("<A24>", n) for n in range(100)]
    below = "".join(f"password: |\n  {value}\n{'x' * 700}\n" for value in values)
    shown = redactor().redact(dense + below)
    assert shown.incomplete
    assert shown.text.endswith("x\n")
    assert not [value for value in values if value in shown.text]


def test_a_file_of_ten_thousand_plain_secrets_is_examined_to_its_end() -> None:
    text = "".join(made_up_value("password=<A15>\n", n) for n in range(10_000))
    result = redactor().redact(text)
    assert not result.incomplete
    assert result.text.endswith("password=[REDACTED: PASSWORD-999]\n")


@pytest.mark.parametrize(
    "unit", ["token\nx1", "key>\n=", "secret:\na", "user,password\n", "key</key>\n", " /password:\n", "passwords|\n"]
)
def test_names_above_nothing_cost_next_to_nothing_and_stay(unit: str) -> None:
    """What the line of a name tells is told at a glance: a long text of such names alone is examined to its end."""
    text = unit * (131_072 // len(unit))
    result = redactor().redact(text)
    assert not result.incomplete
    assert result.text == text


def test_a_glance_at_two_lines_is_charged_more_than_one_at_a_word() -> None:
    rows = 2_000
    stream = redactor().stream()
    stream.whole("│ token │\n" * rows)
    assert stream.spent.cost >= rows * (LINES_COST + PROBE_COST) - 2 * LINES_COST


def test_a_value_that_is_judged_at_length_is_charged_three_times_what_one_is_that_one_pattern_tells() -> None:
    """They were charged alike: texts of the first took twice as long as the same charge of the second."""
    lines = 1_000
    shapes = (
        '- PASSWORD": "<L2><A3>_<A6>\n',
        "APP_PASSWORD=<A12>!x#y\n",
        "token: '<A300>'\n",
        "token: '<A20>'\n",
        '- PASSWORD": "${<U6>_<U6>}\n',
    )
    costs = []
    for shape in shapes:
        stream = redactor().stream()
        stream.whole("".join(made_up_value(shape, n) for n in range(lines)))
        costs.append(stream.spent.cost)
    judged, told, long, short, none = costs
    assert judged > 3 * told
    assert none > 2 * told  # to find that a value is no secret takes as long
    assert long > 3 * short


def test_rows_of_a_table_that_was_read_are_not_looked_at_again() -> None:
    rows = 3_000
    stream = redactor().stream()
    stream.whole("user,password\n" * rows)
    assert stream.spent.cost < rows * PROBE_COST * 2


@given(pieces=st.lists(st.sampled_from(["│ token │\n", "password=é", "x", "密码: ", "🙂", "secret\n"]), max_size=60))
def test_hits_among_signs_beyond_ascii_are_where_they_are_however_dense(pieces: list[str]) -> None:
    text = "".join(pieces)
    alone = {hit for hit in redactor().hits(text + " " * 4_000, 0, len(text) + 4_000) if hit >> RULE_BITS < len(text)}
    assert alone.issuperset(redactor().hits(text, 0, len(text)))


def test_a_wide_head_that_is_read_for_each_of_its_names_is_charged_by_its_width() -> None:
    text = ("password," * 200 + "x\nb\n") * 140
    assert redactor().redact(text).incomplete


@pytest.mark.drawn
def test_a_long_table_of_passwords_is_examined_to_its_end_and_its_head_stays() -> None:
    count = number_of(6_000, 15_000)
    rows = "".join(made_up_value("alice<D4>,<A12>,key of <L6>\n", n) for n in range(count))
    result = redactor().redact("user,password,note\n" + rows)
    assert not result.incomplete
    assert result.text.startswith("user,password,note\n")
    assert result.text.count("[REDACTED: PASSWORD") == count


HONEST = {
    "blocks of YAML": (
        number_of(7_000, 20_000),
        "- kind: Pod\n  metadata:\n    name: pod-{n}\n  spec:\n    run: |\n      echo {n}\n      done: yes\n",
    ),
    "variables": (5_000, "APP{n}_PASSWORD={v}!x#y\n"),
    "a report of tests in colour": (
        number_of(5_000, 20_000),
        "tests/auth/test_tokens.py::test_password_{n}[secret-key] \x1b[32mPASSED\x1b[0m\x1b[32m   [ 50%]\x1b[0m\n",
    ),
    "secrets of a cluster": (
        1_500,
        "- apiVersion: v1\n  data:\n    password: {v}aa==\n  kind: Secret\n  metadata:\n    name: s{n}\n",
    ),
    "pods with references": (
        3_000,
        '{{"name":"pod-{n}","env":[{{"name":"DB_PASSWORD","valueFrom":{{"secretKeyRef":{{"key":"password"}}}}}}]}},\n',
    ),
    "addresses in a log": (5_000, '10.0.0.1 - - "GET /login?to=%2Fhome%3Ftoken%3D{v}&key={n} HTTP/1.1" 200\n'),
    "three thousand small secrets of a cluster": (
        3_000,
        "- apiVersion: v1\n  data:\n    password: {v}aa==\n  kind: Secret\n  metadata:\n    name: s{n}\n  type: O\n",
    ),
    "small secrets whose kind comes first": (
        3_000,
        "---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: s{n}\ndata:\n  password: {v}aa==\n",
    ),
    "secrets of a cluster in one line": (
        2_600,
        '{{"apiVersion":"v1","kind":"Secret","metadata":{{"name":"s{n}"}},"data":{{"password":"{v}aa=="}}}},',
    ),
    "tokens in one line of JSON": (3_700, '{{"id": {n}, "token": "ghp_{v}{v}"}}, '),
    "pages of nothing but entities": (
        1_500,
        (
            "&lt;a class=&quot;k&quot;&gt; password = &quot;{v}&quot;; // it&#39;s a token &amp; key {n} &lt;/a&gt;\n"
            "&lt;p&gt;a &amp; b &lt; c &amp;&amp; d &gt; e&nbsp;&mdash; &quot;so&quot; &#8211; &copy; {n}&lt;/p&gt;\n"
        ),
    ),
    "pages with entities": (2_500, "<tr><td>password</td><td>&quot;{n}&quot;</td><td>key&nbsp;{n}</td></tr>\n"),
}


@pytest.mark.drawn
@pytest.mark.parametrize("name", HONEST)
def test_honest_texts_are_examined_to_their_end_however_dense(name: str) -> None:
    count, shape = HONEST[name]
    text = "".join(shape.format(n=n, v=made_up_value("<A20>", n % 500)) for n in range(count))
    result = redactor().redact(text)
    assert not result.incomplete
    assert made_up_value("<A20>", 7) not in result.text


def test_a_long_list_of_addresses_with_a_word_below_each_is_read_to_its_end() -> None:
    """A row that may go on in the next one is read as one with it only where something could be told across both."""
    rows = "".join(
        f"// https://www.example.org/domains/root/db/{word}.html\n{word}\n\n" for word in words_of_two(2_000)
    )
    result = redactor().redact(rows)
    assert not result.incomplete
    assert result.text == rows


def words_of_two(count: int) -> list[str]:
    draw = random.Random(count)
    parts = ("maple", "river", "stone", "cloud", "amber", "lotus", "cedar", "falcon")
    return ["".join(draw.choices(parts, k=2)) for _ in range(count)]


def test_the_rest_of_a_long_line_is_taken_piece_by_piece_as_all_of_it_is() -> None:
    """Where reading ends and begins anew, all that is taken is looked at anew: JSON in JSON took ten times as long."""
    line = "x" * 60_000
    assert readable_end(line, 0, 16_384, final=True) == (16_384, False)
    assert readable_end(line, 49_152, 16_384, final=True) == (60_000, True)
    assert readable_end(line, 0, 16_384, final=False) == (0, True)
