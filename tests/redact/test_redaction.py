"""The numbered requirements on secrets, as far as the room itself can show them."""

import re

import pytest

from overspill.redact import Redactor, scan_database
from overspill.redact.rules import made_up_value

REDACTOR = Redactor(database=scan_database())


def redacted(text: str) -> str:
    return REDACTOR.redact(text).text


def test_a_secret_is_gone_before_anything_is_cut() -> None:
    """AC-101, P-16: whatever a later cut keeps, no part of the secret is left to keep."""
    secret = made_up_value("sk-proj-<A60>")
    text = redacted("log line\n" * 500 + f"key {secret}\n" + "log line\n" * 500)
    assert not any(secret[at : at + 12] in text for at in range(len(secret) - 12))


@pytest.mark.parametrize("shape", ["sk-<A48>", "ghp_<A36>", "AKIA<E16>", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOi<W24>.<W43>"])
def test_api_keys_and_jwts_are_detected(shape: str) -> None:
    """AC-108, THR-1a."""
    assert made_up_value(shape) not in redacted(f"got {made_up_value(shape)} back")


def test_detections_are_counted_by_rule_and_the_secret_is_not_in_the_count() -> None:
    """AC-112, THR-1c, NFR-012."""
    secret = made_up_value("ghp_<A36>")
    result = REDACTOR.redact(f"{secret} {secret} password={made_up_value('<A14>')}")
    assert result.counts == {"github-pat": 2, "assignment": 1}
    assert secret not in str(result.counts)


def test_an_api_key_is_replaced_by_the_specified_placeholder() -> None:
    """THR-1b, SAN-5, X-52."""
    assert redacted(made_up_value("api_key=<A32>")) == "api_key=[REDACTED: API_KEY]"
    assert redacted(made_up_value("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOi<W24>.<W43>")) == "[REDACTED: JWT_TOKEN]"
    assert redacted(made_up_value("password=<A12>")) == "password=[REDACTED: PASSWORD]"


def test_forty_characters_alone_are_no_api_key() -> None:
    """SAN-1, X-49: the literal pattern would hide every commit, rule and run."""
    text = "\n".join(
        [
            made_up_value("<H40>"),
            made_up_value("<H64>"),
            made_up_value("<UUID>"),
            "-" * 60,
            "X" * 100_000,
            "/a/b/" + "c" * 50,
        ]
    )
    assert redacted(text) is text


def test_the_literal_pattern_can_be_switched_on() -> None:
    """SAN-1, X-49: `patterns: spec`."""
    eyes = Redactor(patterns="spec")
    assert eyes.redact(made_up_value("commit <H40>")).text == "commit [REDACTED: API_KEY]"
    assert eyes.redact("my secret: so so\n").text == "my secret: [REDACTED: PASSWORD]\n"


def test_a_jwt_is_found_by_its_own_pattern() -> None:
    """SAN-2."""
    token = made_up_value("eyJ<W20>.eyJ<W30>.<W43>")
    assert re.fullmatch(r"eyJ[A-Za-z0-9_-]+\.eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+", token)
    assert redacted(f"<{token}>") == "<[REDACTED: JWT_TOKEN]>"


@pytest.mark.parametrize("line", ["password={}", "passwd: {}", 'secret = "{}"', "DB_PASSWORD='{}'"])
def test_of_a_password_line_only_the_value_goes(line: str) -> None:
    """SAN-3, X-50."""
    assert re.sub(r"\[REDACTED: [A-Z]+\]", "{}", redacted(line.format(made_up_value("<A16>")))) == line


@pytest.mark.parametrize("scheme", ["mongodb", "mongodb+srv", "postgres", "postgresql", "mysql", "redis", "amqp"])
def test_of_a_connection_string_only_the_password_goes(scheme: str) -> None:
    """SAN-4, X-51."""
    assert (
        redacted(made_up_value(f"{scheme}://app:<A16>@db.internal/x"))
        == f"{scheme}://app:REDACTED_PASSWORD@db.internal/x"
    )


@pytest.mark.parametrize("address", ["mongodb://localhost:27017/", "postgres://app@db/app", "mysql://localhost/x"])
def test_an_address_without_credentials_stays(address: str) -> None:
    """X-51."""
    assert redacted(address) is address


def test_an_organisation_can_add_patterns() -> None:
    """SAN-6."""
    eyes = Redactor(rules=[{"name": "case-number", "type": "CASE", "pattern": r"CASE-\d{8}"}])
    assert eyes.redact("see CASE-20261115").text == "see [REDACTED: CASE]"


def test_what_is_already_a_placeholder_stays() -> None:
    """X-52."""
    text = "token=[REDACTED: API_KEY] password: [REDACTED: PASSWORD-12] https://u:REDACTED_PASSWORD@h/"
    assert redacted(text) is text
