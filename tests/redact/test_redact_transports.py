"""A secret is found in whatever form it travels, in one piece or in many, and what is no secret stays."""

import html
import random
import re
from collections.abc import Callable
from functools import cache
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overspill import Overspill
from overspill.redact import Redactor, scan_database, transports
from overspill.redact.rules import made_up_value

SHAPES = {
    "github": "ghp_<A36>",
    "aws": "AKIA<U16>",
    "anthropic": "sk-ant-api03-<W93>AA",
    "slack": "xoxb-<D12>-<D12>-<A24>",
    "jwt": "eyJ<W33>.eyJ<W90>.<W43>",
    "password": "<A20>",
}
LEAD = "from here: "
UNSEEN = "\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0f\ufe01\U000e0041\U000e0100\u200e"


@cache
def redactor() -> Redactor:
    return Redactor(database=scan_database())


def secret_of(shape: str, seed: int) -> tuple[str, str]:
    """A secret, and how it stands in a text."""
    value = made_up_value(SHAPES[shape], seed)
    return value, f"password={value}" if shape == "password" else value


def one_letter(draw: random.Random, words: str, code: Callable[[str], str]) -> str:
    at = draw.randrange(1, len(words))
    return words[:at] + code(words[at]) + words[at + 1 :]


def unseen_inside(draw: random.Random, words: str) -> str:
    at = draw.randrange(1, len(words))
    return words[:at] + draw.choice(UNSEEN) * draw.randrange(1, 4) + words[at:]


def entities(_: random.Random, words: str) -> str:
    return f"{{&quot;secret_key&quot;:&quot;{words.partition('=')[2] or words}&quot;}}"


def wrapped(draw: random.Random, words: str) -> str:
    line = f"{'ab cd ' * draw.randrange(3, 12)}{words} and what follows on the same line until it ends"
    width = draw.choice([60, 72, 80, 97, 100, 120])
    first = width - len(LEAD)  # it stands behind the lead
    return "\n".join([line[:first], *(line[at : at + width] for at in range(first, len(line), width))])


FORMS: dict[str, Callable[[random.Random, str], str]] = {
    "plain": lambda _, words: words,
    "unseen": unseen_inside,
    "escaped letter": lambda draw, words: one_letter(draw, words, lambda letter: f"\\u{ord(letter):04x}"),
    "escaped all": lambda _, words: "".join(f"\\u{ord(letter):04X}" for letter in words),
    "entity": lambda draw, words: one_letter(draw, words, lambda letter: f"&#x{ord(letter):X};"),
    "decimal entity": lambda draw, words: one_letter(draw, words, lambda letter: f"&amp;#{ord(letter)};"),
    "entities around": entities,
    "percent": lambda _, words: "".join(f"%{ord(letter):02X}" for letter in words),
    "percent letter": lambda draw, words: one_letter(draw, words, lambda letter: f"%{ord(letter):02x}"),
    "nested query": lambda _, words: f"/login?next=%2Fcb%3Faccess_token%3D{words.partition('=')[2] or words}%26a%3D1",
    "full-width colon": lambda _, words: f"password\uff1a{words.partition('=')[2] or words}",
    "no-break space": lambda _, words: f"password:\u00a0{words.partition('=')[2] or words}",
    "spelled out": lambda draw, words: unseen_inside(draw, words).replace("\u200b", "<U+200B>"),
    "colour": lambda draw, words: one_letter(draw, words, lambda letter: f"\x1b[1m{letter}\x1b[0m"),
    "escaped colour": lambda draw, words: one_letter(draw, words, lambda letter: f"\\u001b[1m{letter}"),
    "wrapped": wrapped,
}


def meant(text: str) -> str:
    """What a text says once nothing is disguised."""
    text = re.sub(r"\\u001b\[\d+m|\x1b\[\d+m|<U\+[0-9A-F]+>", "", text)
    text = re.sub(r"\\u([0-9A-Fa-f]{4})", lambda code: chr(int(code[1], 16)), text)
    return unquote(html.unescape(html.unescape(text))).translate(dict.fromkeys(map(ord, UNSEEN + "\n")))


def leaks(text: str, value: str) -> bool:
    """Whether eight letters in a row of a value are still there. The prefix of a vendor is none of it."""
    body, said = value[-min(len(value) - 4, 90) :], meant(text)
    return any(body[at : at + 8] in said for at in range(len(body) - 7))


def redact_in_pieces(text: str, draw: random.Random) -> str:
    stream = redactor().stream()
    places = sorted(draw.randrange(len(text) + 1) for _ in range(draw.randrange(1, 9)))
    pieces = [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]
    return "".join([*map(stream.feed, pieces), stream.flush()])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_secret_is_found_in_every_form_it_travels_in(shape: str, form: str) -> None:
    """Of 25 values none; once is enough to find none of them, and pieces make no difference."""
    for seed in range(25):
        draw = random.Random(f"{shape} {form} {seed}")
        value, words = secret_of(shape, seed)
        text = f"one line\n{LEAD}{FORMS[form](draw, words)}\nlast line\n"
        safe = redactor().redact(text).text
        assert not leaks(safe, value)
        assert redactor().redact(safe).text == safe
        assert redact_in_pieces(text, draw) == safe
        assert safe.startswith(f"one line\n{LEAD}")
        assert safe.endswith("\nlast line\n")


harmless = st.lists(
    st.sampled_from(
        [
            "GET /a%20b?q=%22x%22&page=2 HTTP/1.1 200\n", "&lt;p&gt;It&#39;s &quot;fine&quot;&lt;/p&gt;\n",
            '{"name": "caf\\u00e9 \\u0022bar\\u0022"}\n', "\u6ce8\u610f\uff1a\u5bc6\u7801\u4e0d\u80fd\u4e3a\u7a7a\n",
            "\u2764\ufe0f \U0001f468\u200d\U0001f469\u200d\U0001f467 a\u00a0b\n", "50%\r 100%\n", "C:\\users\\x64\n",
            "2026-11-15 12:00:00 INFO started\n", "commit 9fceb02d0ae598e95dc970b74767f19372d61af8\n",
        ]
    ),
    max_size=20,
)  # fmt: skip


@given(harmless)
def test_codes_in_a_text_without_secrets_stay_as_they_are(lines: list[str]) -> None:
    text = "".join(lines)
    assert redactor().redact(text).text == text


ROWS = [
    "2026-11-15 12:00:00 token={0}\n2026-11-15 12:00:01 token={1}\n2026-11-15 12:00:02 ready\n",
    "API_TOKEN={0}\nHOME=/home/app9/x\nDEBUG=1\n",
    "{0}\n{1}\n",
    "token: {0}\n12:00:01 next line\n",
]


@pytest.mark.parametrize("rows", ROWS)
def test_lines_of_their_own_are_not_taken_for_one(rows: str) -> None:
    """Each secret is one, and what stands around it stays."""
    values = [made_up_value("ghp_<A36>", seed) for seed in (1, 2)]
    marks = ["[REDACTED: API_KEY]", "[REDACTED: API_KEY-2]"]
    safe = redactor().redact(rows.format(*values)).text
    assert re.sub(r"REDACTED: \w+(-2)?", "x", safe) == re.sub(r"REDACTED: \w+(-2)?", "x", rows.format(*marks))


def shown(text: str, draw: random.Random | None = None) -> str:
    """What an agent is shown of a text, which comes as a whole or in pieces."""
    work = Overspill({"preset": "agent"})
    if draw is None:
        return work.fit(text).text
    places = sorted(draw.randrange(len(text) + 1) for _ in range(4))
    return work.fit(text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)).text


REDRAWS: dict[str, Callable[[random.Random, str], str]] = {
    "start": lambda draw, words: f"{words}\r{'done in 3 s'[: draw.randrange(2, 12)]}\n",
    "middle": lambda draw, words: f"key {words}\r{'=' * draw.randrange(5, 20)}\n",
    "backspaces": lambda draw, words: words + "\b" * draw.randrange(len(words) - 6, len(words)) + "***\n",
    "erased": lambda _, words: f"{words}\x1b[12D\x1b[Kxyz\n",
    "cursor up": lambda _, words: f"{words}\nnext\n\x1b[2Aready \n\n\n",
    "many": lambda _, words: "".join(f"\r{at}% {words}" for at in range(9)) + "\rok \n",
}


@pytest.mark.parametrize("redraw", REDRAWS)
@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_left_of_a_secret_that_was_written_over_is_hidden(shape: str, redraw: str) -> None:
    for seed in range(12):
        draw = random.Random(f"{shape} {redraw} {seed}")
        value, words = secret_of(shape, seed)
        text = f"one line\n{REDRAWS[redraw](draw, words)}last line\n"
        safe = shown(text)
        assert not leaks(safe, value)
        assert "[REDACTED: " in safe
        assert safe.endswith("last line\n")
        assert shown(text, draw) == safe


def test_what_reading_a_redrawn_line_costs_is_not_held_against_the_lines_that_came_with_it() -> None:
    costly = ("password=" * 6 + "sword=") * 100 + '{"n": 24}\n'
    rows = "".join(f'{{"n": {number}, "text": "line"}}\n' for number in range(90))
    text = f'{{"n": 7, "text": "li 10%\r20%\r\x1bne"}}\n{costly}{rows}' * 12
    work = Overspill({"preset": "agent"})
    whole, streamed = work.fit(text), work.fit(text[at : at + 100] for at in range(0, len(text), 100))
    assert whole.report.total == streamed.report.total
    assert whole.report.redacted == streamed.report.redacted


def test_a_secret_that_was_written_over_wholly_leaves_nothing() -> None:
    value = made_up_value("ghp_<A36>")
    fitted = Overspill({"preset": "agent"}).fit(f"token {value}\r{'ready'.ljust(50)}|\nend\n")
    assert fitted.text == f"{'ready'.ljust(50)}|\nend\n"
    assert fitted.report.redacted == {}


def test_a_rest_is_counted_by_its_rule() -> None:
    value = made_up_value("ghp_<A36>")
    fitted = Overspill({"preset": "agent"}).fit(f"{value}\rdone\n")
    assert fitted.text == "done[REDACTED: API_KEY]\n"
    assert sum(fitted.report.redacted.values()) == 1


def test_codes_are_looked_for_by_their_first_letter() -> None:
    """A search that may begin in several ways is ten times as slow, and most text has a backslash somewhere."""
    from importlib import import_module

    parse = import_module("re._parser").parse
    starts = {first: parse(pattern)[0] for first, pattern in transports._CODES.items()}
    assert {first: (str(kind), value) for first, (kind, value) in starts.items()} == {
        first: ("LITERAL", ord(first)) for first in transports._CODES
    }
