"""Words as passwords: where only settings stand they are, where people or programs write about them they are not."""

import pytest

from overspill import redact_text
from overspill.redact import Redactor


@pytest.mark.parametrize(
    "text",
    [
        "password=correcthorse\n",
        '{"user": "jo", "password": "hunterhunter"}',
        "DB_PASSWORD=swordfish",
        "      - MYSQL_PASSWORD=wordpress\n",
        "  password: letmein\n",
        "spring.datasource.password=springfield\n",
        'password = "correct-horse-battery-staple"\n',
        "<password>swordfish</password>",
    ],
)
def test_a_word_is_a_password_where_only_settings_stand(text: str) -> None:
    assert "[REDACTED: PASSWORD]" in Redactor().redact(text).text


@pytest.mark.parametrize(
    "text",
    [
        "password: string\n",
        "password: required\n",
        "password: the word you type\n",
        '"password": "Password"',
        '"password": "wachtwoord"',
        '"password": "invalid"',
        "connect(password=secretary)",
        "    password=passwd\n",
        "  password: password,\n",
        "if password == swordfish:",
        "arn:aws:secretsmanager:us-west-2:123456789012:secret:MyTestSecret-a1b2c3",
        'publicKeyToken="1fc8b3b9a1e18e3b"',
    ],
)
def test_a_word_is_none_where_people_or_programs_write_about_passwords(text: str) -> None:
    assert Redactor().redact(text).text is text


@pytest.mark.parametrize(
    "report",
    [
        "--- PASS: TestTokenRefresh1x (0.00s)\n    --- PASS: TestPasswords/empty_one (0.00s)\nPASS\nok  \tmux\t0.1s\n",
        "PASS src/components/Login1.test.tsx\nPASS  packages/auth/src/token2.spec.ts (5.1 s)\n",
        "tests/test_auth.py::test_token_is_kept_1a PASSED [  3%]\ntests/test_key.py::test_b PASSED  [100%]\n",
        "ok 1 - password: is required\nnot ok 2 - token expires\n# pass  12\n# fail 1\n",
        "PASS: 12 checks passed, passing on to stage2\n",
    ],
)
def test_reports_of_tests_are_no_secrets_however_many_passed(report: str) -> None:
    text = report * 5_000
    result = Redactor().redact(text)
    assert result.text == text
    assert not result.incomplete


@pytest.mark.parametrize("value", ["yourK9fz3Qm", "changeme2024", "ChangeMe99x", "replace_me77", "pass123456789"])
def test_a_stand_in_or_a_sequence_that_goes_on_excuses_no_password(value: str) -> None:
    """SAN-3, SAN-4, AC-108: in a setting and in an address."""
    assert value not in redact_text(f"DB_PASSWORD={value}\npassword: {value}\npostgres://app:{value}@db/app\n")


@pytest.mark.parametrize("value", ["changeme", "changeme1", "your-password", "YOUR_DB_PASSWORD", "replace_me"])
def test_a_stand_in_is_shown(value: str) -> None:
    assert redact_text(f"DB_PASSWORD={value}\n") == f"DB_PASSWORD={value}\n"
