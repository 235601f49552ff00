"""What was found once, and was plainly drawn, is hidden wherever it comes again."""

import random
import string

from overspill.redact.output import MOST_KEPT
from overspill.redact.redactor import Redactor

LETTERS = string.ascii_letters + string.digits
MANY = 1_000


def made_text(draw: random.Random, value: str) -> str:
    lines = "".join(
        f"line {number} of the build took {number * 7 % 91} ms\n" for number in range(draw.choice((0, 3, 40)))
    )
    return f"start\nDB_PASSWORD={value}\n{lines}retrying ({value})\n{lines}x={value}\nurl /a/{value}/b?c={value}&d\n"


def drawn(draw: random.Random) -> str:
    return "".join(draw.choices(LETTERS, k=draw.choice((12, 16, 24, 40))))


def test_a_value_is_hidden_in_every_place_after_the_first() -> None:
    draw, redactor = random.Random(4), Redactor()
    values = [drawn(draw) for _ in range(MANY)]
    leaked = [value for value in values if value in redactor.redact(made_text(draw, value)).text]
    assert len(leaked) * 100 <= MANY, leaked


def test_pieces_engines_and_a_second_pass_make_no_difference() -> None:
    draw, redactor = random.Random(5), Redactor()
    engines = [Redactor(use="re2"), Redactor(use="re")]
    for _ in range(60):
        text = made_text(draw, drawn(draw))
        whole = redactor.redact(text).text
        assert [engine.redact(text).text for engine in engines] == [whole, whole]
        assert redactor.redact(whole).text == whole
        stream, out, at = redactor.stream(), "", 0
        while at < len(text):
            piece = draw.choice((1, 5, 60, 700))
            out += stream.feed(text[at : at + piece])
            at += piece
        assert out + stream.flush() == whole


def test_a_value_that_goes_on_past_a_piece_of_a_long_line_is_hidden() -> None:
    value = drawn(random.Random(6))
    text = f"password={value} " + "word " * 60_000 + value + " word" * 30_000
    redactor = Redactor()
    stream = redactor.stream()
    pieces = [stream.feed(text[at : at + 4_097]) for at in range(0, len(text), 4_097)]
    assert value not in redactor.redact(text).text
    assert "".join(pieces) + stream.flush() == redactor.redact(text).text


def test_words_and_numbers_that_were_hidden_once_stay_elsewhere() -> None:
    text = 'DB_PASSWORD="MapleRiver12"\nthe MapleRiver12 hotel\nPIN: 123456\norder 123456\n'
    shown = Redactor().redact(text).text
    assert "the MapleRiver12 hotel" in shown
    assert "order 123456" in shown


def test_no_more_than_so_many_values_are_looked_for() -> None:
    draw = random.Random(7)
    values = [drawn(draw) for _ in range(3 * MOST_KEPT)]
    text = "".join(f"DB_PASSWORD={value}\n" for value in values) + "".join(f"see {value} there\n" for value in values)
    shown = Redactor().redact(text).text
    assert sum(value in shown for value in values) >= MOST_KEPT
    assert all(value not in shown for value in values[: MOST_KEPT // 2])
