"""Rows of a terminal that may be one line: read across, and paid from the same purse as all reading."""

import random
import time
from itertools import pairwise

import pytest

from overspill.redact import Redactor, scan_database
from overspill.redact.hits import work_allowed
from overspill.redact.rules import made_up_value

UNITS = ("a/token=", "ghp_", "password=a1", "AKIA", "key%3D", "sk-ant-")


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("width", [40, 79, 300])
def test_full_rows_that_each_may_go_on_take_no_longer_than_other_texts(unit: str, width: int) -> None:
    """Each row was read with the sixty-four after it: 8 KB took twelve seconds."""
    row = (unit * width)[:width]
    text = f"{row}\nx{row[1:]}\n" * (65_536 // width // 2)
    stream = Redactor(database=scan_database()).stream()
    begun = time.thread_time()
    stream.whole(text)
    assert time.thread_time() - begun < 1
    assert stream.spent.cost <= work_allowed(len(text)) * 1.2


def test_what_cannot_be_read_across_rows_is_hidden_in_both_and_in_any_pieces() -> None:
    redactor = Redactor(database=scan_database())
    rows = [made_up_value("x<L2>/password=<A65>", n)[:79] for n in range(4_000)]
    text = "\n".join(rows) + "\n"
    whole = redactor.redact(text)
    assert whole.incomplete
    assert whole.text.count("\n") == text.count("\n")
    draw = random.Random(3)
    for _ in range(3):
        bounds = [0, *sorted(draw.sample(range(len(text)), 30)), len(text)]
        stream = redactor.stream()
        assert "".join(stream.feed(text[a:b]) for a, b in pairwise(bounds)) + stream.flush() == whole.text


def test_a_token_is_hidden_in_all_the_rows_it_fills() -> None:
    redactor = Redactor(database=scan_database())
    token = made_up_value("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOi<W900>.<W43>")
    line = f"got {token} from the server"
    rows = [line[at : at + 80] for at in range(0, len(line), 80)]
    shown = redactor.redact("\n".join(rows) + "\n").text
    assert not any(row[10:40] in shown for row in rows[:-1])


@pytest.mark.parametrize(
    "row",
    [
        "{at}. [GET] http://127.0.0.1:8123/shelf/part-{least}.html?turn={at} => [200] OK\n",
        "#{at} http://127.0.0.1:8123/shelf => [200] OK\n",
        "({at}) door={least} key={at} state => {at}OK\n",
    ],
)
def test_rows_of_a_list_that_are_as_long_as_others_are_read_to_their_end(row: str) -> None:
    """18: requests of a browser, one a line, were taken for wrapped rows, and most of them were not read."""
    text = "".join(row.format(at=at, least=at % 7) for at in range(100, 999))
    result = Redactor(database=scan_database()).redact(text)
    assert "unexamined" not in result.counts
    assert result.text == text


@pytest.mark.parametrize("form", ["{} {}", "{}|A. Painter|{}", "{}\t{}", "{}: {}"])
def test_the_commits_of_a_history_that_speaks_of_secrets_are_read_to_their_end(form: str) -> None:
    """A history, one commit a line, was taken for wrapped rows: half of it was hidden as too costly to read."""
    draw = random.Random(7)
    titles = (
        "Hide passwords that stand below a key of a token, and the secret behind it",
        "Tell api keys from digests where a line has both, however the credential is written",
        "Let a login with a password in its URL be read as one, and name the access token of a host, too",
    )
    rows = [form.format(draw.randbytes(4).hex(), draw.choice(titles)) for _ in range(1_500)]
    text = "\n".join(rows) + "\n"
    result = Redactor(database=scan_database()).redact(text)
    assert "unexamined" not in result.counts
    assert result.text.count("\n") == text.count("\n")
