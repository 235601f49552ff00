"""Where secrets stand, and what stands there when it is none: places that once let one through, or hid code."""

import random
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent.parent / "torture"))

import secret_rates

from overspill.redact.default import redact_text
from overspill.redact.rule import made_up_value

DRAW = random.Random(20261116)
LETTERS = ["QtZuVhnW", "IxfHdtZBwsgi", "scqXYVhX"]  # no digit, and no word
FORMS = sorted(secret_rates.SETTING.items())


@pytest.mark.parametrize(("name", "template"), FORMS, ids=[name for name, _ in FORMS])
def test_a_password_is_hidden_where_only_its_place_tells(name: str, template: str) -> None:
    for value in [*LETTERS, made_up_value("<A12>"), made_up_value("<A8>", 3)]:
        assert value not in redact_text(template.replace("{v}", value)), name


@pytest.mark.parametrize(
    "value",
    [
        "at+GbKA53rgiDFwn/jDosCuMUByz57JYBbXRhNYA",
        "wdsoiYVqVgoM7+fW",
        "/g8F}qhu/yzO|SaFt5uD",
        "$r{H[>-ee7S-yOZI?bGp",
        "(as=3.AbW0^lTl8gd-^4",
        "fake-h7Xk2pQ9dd81",
        "h7Xk2pQ9abcdefgh",
        "x123456789Kd",
    ],
)
@pytest.mark.parametrize("template", ["DB_PASSWORD={}\n", "[db]\npassword = {}\n", "db:\n  password: {}\n"])
def test_nothing_but_stand_ins_is_shown_of_a_setting(template: str, value: str) -> None:
    """Neither code nor a sequence nor a word beside it excuses a value that fills the line of its setting."""
    assert value not in redact_text(template.format(value))


def test_words_with_blanks_are_a_passphrase_and_a_label_is_not() -> None:
    assert "battery" not in redact_text('PASSPHRASE="correct horse battery staple"\n')
    assert "cactus" not in redact_text("DB_PASSWORD=orbit-correct-cactus-harbor\n")
    for label in ("Enter your password", "New password", "Mot de passe oublié", "At least 8 characters"):
        assert redact_text(f'"password": "{label}"\n') == f'"password": "{label}"\n'


@pytest.mark.parametrize("name", sorted(secret_rates.KEYS))
def test_a_private_key_is_hidden_however_its_lines_are_parted(name: str) -> None:
    for kind in ("RSA PRIVATE KEY", "PGP PRIVATE KEY BLOCK"):
        text = secret_rates.key_block(name, kind)(DRAW)
        assert not secret_rates.leaked(text, redact_text(text)), text


def test_a_key_in_base64_is_hidden_on_one_line_and_on_many_and_a_certificate_is_not() -> None:
    key = secret_rates.encoded_key(DRAW)
    wrapped = "\n".join(key[at : at + 76] for at in range(0, len(key), 76))
    for text in (f"data: {key}\n", f"{wrapped}\n"):
        shown = redact_text(text)
        assert not any(key[at : at + 24] in shown for at in range(0, len(key) - 24, 24))
    certificate = f"ca: {'LS0tLS1C'}RUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUM=\n"
    assert redact_text(certificate) == certificate


STAYS = [
    "        if self.password:\n            return self.connect(retry=True)\n",
    "    if token:\n        session7.refresh2(token)\n",
    "    private_key: x25519.X25519PrivateKey\n",
    "        private_key = ed25519.Ed25519PrivateKey.from_private_bytes(secret)\n",
    "\tpassword = utf8_to_utf16_dup(v);\n",
    "            username, password = proxy_auth\n",
    'token = r"[-!#$%&*+.^_`|~0-9a-zA-Z]+"\n',
    '        $PASSWORD = $CPAN::Config->{password} || "";\n',
    "import {\n  ApiKey,\n  getAdminErrorMessage,\n  isGemini2Model,\n} from './core.js'\n",
    "| field | type |\n|---|---|\n| password | string |\n| token | optional |\n",
    "user,password\n\nThe second line of a mail.\n",
    "Ask for user, password, token\nand go on, as before, please\n",
    "cat passwords.txt | sort | uniq\n",
    "DB_PASSWORD=${DB_PASSWORD:-none}\n",
    "DB_PASSWORD=$(cat /run/secrets/db)\n",
    "password: !vault |\n",
    "password = os.environ['DB_PASSWORD']\n",
    "  password: SecretStr\n",
    "const password: string = getPassword();\n",
    "passwords:\n  - name: first\n    from: vault\n",
    "make salt pepper and psk\n",
]


@pytest.mark.parametrize("text", STAYS)
def test_code_and_tables_about_passwords_stay(text: str) -> None:
    assert redact_text(text) == text


def test_every_row_of_a_table_is_looked_at() -> None:
    values = [made_up_value("<A24>", number) for number in range(400)]
    table = "id,user,api_token\n" + "".join(f"{n},u{n},{value}\n" for n, value in enumerate(values)) + "\nnext,token\n"
    shown = redact_text(table)
    assert not any(value in shown for value in values)
    assert shown.count("\n") == table.count("\n")
    assert shown.endswith("\nnext,token\n")
