"""Secrets in base64 and in hex, and in places beside which nothing is encoded."""

import base64
import random
from functools import cache

import pytest

from overspill.redact import Redactor, scan_database
from overspill.redact.rules import made_up_value


@cache
def redactor(engine: str = "hyperscan") -> Redactor:
    return Redactor(database=scan_database()) if engine == "hyperscan" else Redactor(use=engine)


def in_base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def in_hex(text: str) -> str:
    return text.encode().hex()


SECRETS = (
    "ghp_<A36>", "sk_live_<A24>\n", "DB_PASSWORD=<A16>", "HOST=db\nAPI_TOKEN=<A32>\nPORT=1\n",
    '{"user":"a","password":"<A14>"}', "postgres://app:<A16>@db:5432/app", "user:<A12>\nglpat-<A20>",
)  # fmt: skip
PLACES = ("{}\n", "$ echo $TOKEN | base64\n{}\n$ ", "got {} back\n", '{{"data":"{}"}}\n', "x={}\n", "({})")


@pytest.mark.parametrize("encode", [in_base64, in_hex])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_in_base64_or_hex_is_hidden_whole(secret: str, place: str, encode: object) -> None:
    for seed in range(5):
        coded = encode(made_up_value(secret, seed))  # type: ignore[operator]
        text = place.format(coded)
        safe = redactor().redact(text).text
        assert all(coded[at : at + 12] not in safe for at in range(0, len(coded) - 12, 4)), safe
        assert redactor("re").redact(text).text == redactor("re2").redact(text).text == safe
        assert redactor().redact(safe).text == safe


@pytest.mark.parametrize(
    "text",
    [
        in_base64("The quick brown fox jumps over the lazy dog, and nothing is secret.") + "\n",
        in_hex("The password must have eight characters.") + "\n",
        in_base64('{"version":3,"sources":["token.ts"],"names":["password"]}') + "\n",
        made_up_value("sha256:<H64> <H40> <B86>== <H32>\n"),
    ],
)
def test_what_is_no_secret_when_decoded_stays(text: str) -> None:
    assert redactor().redact(text).text == text


def test_pieces_make_no_difference_to_what_is_encoded() -> None:
    draw = random.Random(3)
    text = "".join(f"line {n} {in_base64(made_up_value('API_KEY=<A40>', n))} end\n" for n in range(40))
    whole = redactor().redact(text).text
    assert whole.count("[REDACTED") == 40
    stream, at, out = redactor().stream(), 0, ""
    while at < len(text):
        size = draw.randint(1, 90)
        out += stream.feed(text[at : at + size])
        at += size
    assert out + stream.flush() == whole


@pytest.mark.parametrize(
    "form",
    [
        "app:{}@tcp(db:3306)/shop?parseTime=true", 'dsn := "root:{}@unix(/run/mysqld.sock)/shop"',
        "password@prod = {}", "Password (staging): {}", 'password: Some("{}"),', 'password: String::from("{}"),',
    ],
)  # fmt: skip
def test_a_password_is_hidden_in_the_forms_of_drivers_hosts_and_types(form: str) -> None:
    for seed in range(20):
        value = made_up_value("<A14>", seed)
        assert value not in redactor().redact(form.format(value) + "\n").text


@pytest.mark.parametrize("width", [60, 64, 72, 80, 100])
def test_a_token_folded_at_a_width_is_hidden_on_both_rows(width: int) -> None:
    for seed in range(60):
        shape = ("glpat-<W20>", "AKIA<E16>", "ghp_<A36>", "xoxb-<D11>-<D11>-<A24>")[seed % 4]
        token = made_up_value(shape, seed)
        cut = 1 + seed % (len(token) - 1)
        lead = ("ab " * width)[: width - cut - 1].rstrip() + " "
        line = lead.ljust(width - cut) + token + " and more"
        folded = "\n".join(line[at : at + width] for at in range(0, len(line), width))
        shown = redactor().redact(folded + "\n").text.replace("\n", "")
        assert all(token[at : at + 9] not in shown for at in range(len(token) - 8)), folded


@pytest.mark.parametrize("address", ["postgres://app:{}@db.internal:5432/app", "https://u:{}@h:8080/x?password=1"])
def test_a_host_behind_a_password_is_no_qualifier_of_its_name(address: str) -> None:
    safe = redactor().redact(address.format(made_up_value("<A16>"))).text
    assert safe == address.format("REDACTED_PASSWORD")
    assert redactor().redact(safe).text == safe
