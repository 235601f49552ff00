"""Values that a sentence, a list or an address tells: words with a number, codes, digits of keys, words in a row."""

import random
import string

import pytest

from drawn_secrets import HEX, MANY, WORDS, Draw, of
from overspill.redact.redactor import Redactor


def made_up(draw: random.Random) -> str:
    """As people make up a password: two words and a number."""
    first, second = draw.sample(WORDS.split(), 2)
    number = draw.randint(10, 99)
    return draw.choice(
        (f"{first}-{second}-{number}", f"{first.title()}{second.title()}{number}", f"{first.title()}{number}7!")
    )


def phrase(draw: random.Random) -> str:
    return " ".join(draw.sample(WORDS.split(), 5))


def code(draw: random.Random) -> str:
    letters = string.ascii_lowercase + string.digits
    return f"{of(letters, 4)(draw)}-{of(letters, 4)(draw)}"


TOLD: dict[str, Draw] = {
    '#define WIFI_PASSWORD "{v}"\n': made_up,
    "            storePassword '{v}'\n": made_up,
    ' Password: (string) (len=12) "{v}",\n': made_up,
    "Root password of the NAS is `{v}`, please keep it.\n": made_up,
    "I have reset your password to {v} so you can get in again.\n": made_up,
    "La nueva contraseña del servidor es {v}\n": made_up,
    "Le nouveau mot de passe pour le serveur est {v}\n": made_up,
    "ipmitool -I lanplus -U ADMIN -P jungle-{v} power\n": lambda draw: f"tomato-{draw.randint(10, 99)}",
    "Clé d'API : {v}\n": of(string.ascii_letters + string.digits, 32),
    "Your verification code is {v}. It expires soon.\n": of(string.digits, 6),
    "sent otp={v} to the phone\n": of(string.digits, 6),
    "SIM PUK: {v}\n": of(string.digits, 8),
    "Recovery codes\n  81886822\n  {v}\n": of(string.digits, 8),
    "Your backup codes (each once):\n1. nkfz-xivt\n2. {v}\n": code,
    '{"recovery_codes": ["amw0-7gow", "{v}"]}\n': code,
    "Writing notebook server token {v}\n": of(HEX, 48),
    "here's the API token you asked for: {v}\n": of(HEX, 40),
    "SECRET_KEY generated: {v}\n": of(HEX, 64),
    "Private Key: 0x{v}\n": of(HEX, 64),
    "API key for the weather service:\n{v}\n": of(HEX, 40),
    "passphrase: {v}\n": phrase,
    'The passphrase for the backup key is "{v}".\n': phrase,
    "https://app.example.com/users/reset_password/{v}\n": of(string.ascii_letters + string.digits + "-_", 43),
    '{"kty":"oct","kid":"a-1","use":"sig","k":"{v}","alg":"HS256"}\n': of(string.ascii_letters + string.digits, 43),
    " local-user jo password simple {v}\n": made_up,
    "   wpa-psk ascii 0 {v}\n": made_up,
    "bound [2] as [VARCHAR] - [{v}] for column password\n": made_up,
    "    Rotate the db password from summer2019 to {v}\n": made_up,
    "# client  server  secret\njo\t*\t{v}\n": made_up,
    "ldap_default_authtok = {v}\n": made_up,
    "kennwort: {v}\n": made_up,
    "Kata sandi: {v}\n": made_up,
    "パスワードは「{v}」です\n": made_up,
    "<keyMaterial>{v}</keyMaterial>\n": made_up,
    '[{"op": "replace", "path": "/db/password", "value": "{v}"}]\n': made_up,
    '3) "password"\n4) "{v}"\n': made_up,
    '"Name";"Kennwort"\n"jo";"{v}"\n': made_up,
    "|===\n|User |Password\n|jo |{v}\n|===\n": made_up,
    "│ user ┆ api_key │\n│ --- ┆ --- │\n╞══╪══╡\n│ jo ┆ {v} │\n": of(string.ascii_letters + string.digits, 16),
    "    stats auth jo:{v}\n": made_up,
    "$ wg genkey\n{v}=\n": of(string.ascii_letters + string.digits + "+/", 43),
    "$ cat /etc/openvpn/auth.txt\njo\n{v}\n": of(string.ascii_letters + string.digits, 14),
    '<meta-data android:name="io.acme.ApiKey" android:value="{v}" />\n': of(HEX, 40),
    "<td>API key</td><td><code>{v}</code></td>\n": of(HEX, 32),
    "Password:\n  {v}\n": lambda draw: "-".join(of(string.digits, 6)(draw) for _ in range(8)),
    "DB_PASSWORD=Lnphu.{v}\n": of(string.ascii_letters + string.digits, 14),
    "$ openssl rand -base64 32\n/{v}=\n": of(string.ascii_letters + string.digits + "+/", 42),
}


@pytest.mark.parametrize("text", TOLD)
def test_what_is_told_is_hidden(text: str) -> None:
    draw, redactor = random.Random(text), Redactor()
    drawn = [TOLD[text](draw) for _ in range(MANY)]
    leaked = [value for value in drawn if value in redactor.redact(text.replace("{v}", value)).text]
    assert len(leaked) * 20 <= MANY, leaked


ALIKE: dict[str, Draw] = {
    "exit code: {v}\n": of(string.digits, 4),
    "error code {v} in auth\n": of(string.digits, 6),
    "postal code: {v}\n": of(string.digits, 5),
    "Error codes:\n  {v}\n": of(string.digits, 8),
    "the token hash: {v}\n": of(HEX, 64),
    "token verified in commit {v}\n": of(HEX, 40),
    "Using cache key {v}\n": of(HEX, 64),
    "session key rotated, checksum {v}\n": of(HEX, 64),
    "{v} refs/heads/token\n": of(HEX, 40),
    "{v}  secret.txt\n": of(HEX, 64),
    "ID                          NAME\n{v}   db_password              3 days ago\n": of(
        string.ascii_lowercase + string.digits, 25
    ),
    "acme.com. 3600 IN DNSKEY 257 3 13 {v}==\n": of(string.ascii_letters + string.digits + "+/", 86),
    "Cache restored from key: node-modules-Linux-{v}\n": of(HEX, 64),
    "github.com/golang-jwt/jwt/v5 v5.2.0/go.mod h1:{v}=\n": of(string.ascii_letters + string.digits + "+/", 43),
    "arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-{v}\n": of(string.ascii_letters, 6),
    "secret\n-----BEGIN PUBLIC KEY-----\n{v}\n-----END PUBLIC KEY-----\n": of(string.ascii_letters + string.digits, 64),
    'the auth token\nETag: W/"{v}"\n': of(string.ascii_letters + string.digits, 27),
    '{"kty":"EC","crv":"P-256","x":"{v}","use":"sig"}\n': of(string.ascii_letters + string.digits, 43),
    "password for mail-server-{v}\n": of(string.digits, 2),
    "password changed for oracle{v}\n": of(string.digits, 2),
    "password reset email sent to user{v}@example.com\n": of(string.digits, 3),
    "passwords use scram-sha-256 and ssha{v}\n": of(string.digits, 3),
    "abc{v} Rotate secrets in CI\n": of(string.digits, 4),
    "the riscv{v} builds pass now\n": of(string.digits, 2),
    "ssh: connect to build-node-{v}\n": of(string.digits, 2),
    "const TOKEN = /^[^\\x00-\\x20(){v}]+$/;\n": of(string.digits, 2),
    "password changed at step-{v}\n": of(string.digits, 2),
    "The password must be at least {v} characters\n": of(string.digits, 2),
    "passphrase: may be given by file {v}\n": of(string.digits, 2),
}


@pytest.mark.parametrize("text", ALIKE)
def test_what_looks_like_it_stays(text: str) -> None:
    draw, redactor = random.Random(text), Redactor()
    for value in (ALIKE[text](draw) for _ in range(MANY)):
        said = text.replace("{v}", value)
        assert redactor.redact(said).text == said


@pytest.mark.parametrize(
    "text",
    [
        "SECKEYPrivateKey *inPrivKey,\n",
        "privateKey: pemEncodedPrivateKey,\n",
        "protected credentials: HttpChatTransportInitOptions<UI_MESSAGE>['credentials'];\n",
        "P11_KIT_URI_FOR_OBJECT_ON_TOKEN | P11_KIT_URI_FOR_MODULE,\n",
    ],
)
def test_names_in_code_are_no_tokens(text: str) -> None:
    assert Redactor().redact(text).text == text
