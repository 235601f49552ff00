"""Where secrets stand, and what stands there when it is none: places that once let one through, or hid code."""

import random
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent.parent / "torture"))

import secret_rates

from overspill.redact import redact_text
from overspill.redact.rules import made_up_value

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


# Forms of programs, protocols and languages: `{v}` is a password of twelve letters and digits.
PROGRAMS = (
    "INSERT INTO users (id, email, password) VALUES (1, 'a@b.c', '{v}'), (2, 'b@b.c', '{v}');\n",
    '[{username,"app"},{password,"{v}"}]\n',
    '#{password => <<"{v}">>}\n',
    "password => q{{v}},\n",
    'a:2:{s:4:"user";s:3:"app";s:8:"password";s:12:"{v}";}\n',
    "password: &pw {v}\n",
    "password: !!str {v}\n",
    "    DefaultPassword    REG_SZ    {v}\n",
    '"Group","Title","Username","Password","URL"\n"Root","x","joe","{v}","https://x"\n',
    '{"Name": "/prod/db/password", "Type": "SecureString", "Value": "{v}"}\n',
    "snmpwalk -v2c -c {v} 10.0.0.1 sysDescr\n",
    "ipmitool -H 10.0.0.1 -U admin -P {v} power status\n",
    "crypto isakmp key {v} address 192.0.2.1\n",
    "Request: PASS {v}\n",
    "a1 LOGIN joe {v}\n",
    '1700000000.123 [0 127.0.0.1:5] "AUTH" "{v}"\n',
    "cache_peer x parent 3128 0 login=joe:{v}\n",
    "[smtp.example.com]:587 joe@example.com:{v}\n",
    "rabbitmqctl add_user app {v}\n",
    "PASSWORD elastic = {v}\n",
    "    Key Content            : {v}\n",
    "Contrase\u00f1a: {v}\n",
    "\u041f\u0430\u0440\u043e\u043b\u044c: {v}\n",
    "\u5bc6\u7801\uff1a{v}\n",
    "profile::app::db_password: {v}\n",
    'driver.find_element(By.ID, "password").send_keys("{v}")\n',
    "cy.get('input[name=password]').type('{v}')\n",
    "<tr><th>Password</th><td>{v}</td></tr>\n",
    "<b>Password:</b> <span>{v}</span><br>\n",
    '<span>password</span> = <span class="s">&quot;{v}&quot;</span>\n',
    "<dt>API token</dt>\n<dd><code>{v}</code></dd>\n",
    "<Password>\n  <Value>{v}</Value>\n</Password>\n",
    "\\newcommand{\\dbpassword}{{v}}\n",
    "\\def\\dbpassword{{v}}\n",
    'dbPassword = pack "{v}"\n',
    'Password : constant String := "{v}";\n',
    "CREATE LOGIN app WITH PASSWORD = N'{v}';\n",
    "ParameterKey=DBPassword,ParameterValue={v}\n",
    '{"ParameterKey": "DBPassword", "ParameterValue": "{v}"}\n',
    "aws ssm put-parameter --name /db/password --value {v} --type SecureString\n",
    "##vso[task.setvariable variable=dbPassword]{v}\n",
    'printf "{v}" | docker secret create db_password -\n',
    "HikariConfig - password........................{v}\n",
    "AUTH app {v}\n",
)


@pytest.mark.parametrize("template", PROGRAMS)
def test_a_password_is_hidden_as_programs_protocols_and_languages_write_it(template: str) -> None:
    for seed in range(3):
        value = made_up_value("<A12>", seed)
        assert value not in redact_text(template.replace("{v}", value))


@pytest.mark.parametrize(
    ("template", "shape"),
    [
        ('{"auths": {"https://index.docker.io/v1/": {"auth": "{v}"}}}\n', "YXBwOlFnUVNESlphYXdDdw=="),
        ('{"key": "api_key", "value": "{v}", "type": "text"}\n', "<A24>"),
        ('<meta name="api-key" content="{v}">\n', "<A40>"),
        ("mc alias set prod https://s3.example.com AKIAQWERTYUIOPASDFGH {v}\n", "<B40>"),
        ("AWS Secret Access Key [None]: {v}\n", "<B40>"),
        ("https://x.example.com/webhookb2/in/{v}\n", "<H32>"),
        ("define('AUTH_KEY',         '{v}');\n", "<W64>"),
        ("joe:$apr1$<A8>${v}\n", "<A22>"),
        ('accounts: ["0x{v}"]\n', "<H64>"),
        ("mnemonic: {v}\n", "anger amazing ability alert access acquire advice arch arctic admit absent animal"),
    ],
)
def test_a_key_is_hidden_as_programs_write_it(template: str, shape: str) -> None:
    value = made_up_value(shape, 5)
    assert value not in redact_text(made_up_value(template, 6).replace("{v}", value))


def test_a_private_key_is_told_by_its_first_line_where_its_head_was_cut_off() -> None:
    lines = [made_up_value("<B64>", n) for n in range(5)]
    for first in ("MIIEowIBAAKCAQEA", "MIIEvQIBADANBgkq", "MHcCAQEEIIyTKbNl", "b3BlbnNzaC1rZXktdjEAAAAA"):
        shown = redact_text("\n".join(["$ tail -n +2 key.pem", first + lines[0][:48], *lines[1:], "that was all.", ""]))
        assert not any(line[:20] in shown for line in lines), first
        assert shown.endswith("that was all.\n")
    public = f"MIIBIjANBgkqhkiG9w0B{lines[0][:44]}\n{lines[1]}\n"
    assert redact_text(public) == public


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO users (id, name) VALUES (1, 'a1b2c3d4e5f6');\n",
        "mkdir -p build/Output9x && ssh -p 2222 host\n",
        "PASS src/components/Login1.test.tsx\nPASS\n",
        "AUTH required for this mailbox\n",
        "see https://docs.example.com/webhooks/configuring-webhooks-2026\n",
        "Access denied (usando contrase\u00f1a: %s)\n",
        "the mnemonic: twelve words of a list\n",
        "snmpwalk -v2c -c $COMMUNITY 10.0.0.1\n",
        "<tr><th>Password</th><td>forgotten</td></tr>\n<tr><th>Token</th><td>string</td></tr>\n",
        "<dt>Password</dt>\n<dd>8 to 64 letters</dd>\n",
        "\\newcommand{\\token}{\\textbf{x}}\n\\password{required}\n",
        "case std::token: return tok1234567;\n",
        'expect(page.locator("#password")).toHaveText("Required1")\n',
        "password.............................<masked>\n",
        "  password: {{ .Values.db.password | b64enc }}\n",
        "credentials==2.0.1rc3\n",
        "  password: Secret<string>;\n",
        "test_givenUser1WhenLogin2ThenReturnsOkAndKeepsTheSession PASSED\n",
        "msg_01AbCdEfGhIjKlMnOpQrStUv resp_68a1b2c3d4e5f60718293a4b5c6d7e8f9012\n",
        "lib/core_x7KqPz2LwRt9vBn4x7KqPz2LwRt9vBn4.so\n",
        'the client cert password to be saved (<a href="http://svn.example.com/r1836762">r1836762</a>)\n',
        "the token for this request is required; the key of the map is user-1\n",
        "aws ssm get-parameter --name /db/host --value db1.example.com\n",
        "    authorization = base64.decodebytes(authorization).\\\n        decode()\n",
        "  * agent: new option --pinentry-formatted-passphrase.  [#5553]\n",
        "  2. Change lpPassword to lpZipPassword for windll (Mike)\n",
        "can change the account or\npassword validity period.\n",
    ],
)
def test_what_reads_like_these_and_is_none_stays(text: str) -> None:
    assert redact_text(text) == text
