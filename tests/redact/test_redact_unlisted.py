"""Secrets in forms that came up when nobody had thought of them: key files, shells, traces of a protocol."""

import json
import random
import string

import pytest

from drawn_secrets import HEX, MANY, WORDS, Draw, of
from overspill.redact.redactor import Redactor

ALNUM = string.ascii_letters + string.digits
BASE64 = ALNUM + "+/"
CAPITALS = string.ascii_uppercase + string.digits


def printable(draw: random.Random) -> str:
    return draw.choice(string.ascii_letters) + of(ALNUM + "!#%*+-.=?@^_~", 19)(draw)


def numbers(count: int) -> Draw:
    return lambda draw: ", ".join(str(draw.randrange(256)) for _ in range(count))


def hex_bytes(draw: random.Random) -> str:
    return ", ".join(f"0x{draw.randrange(256):02X}" for _ in range(16))


UNLISTED: dict[str, Draw] = {
    "+ echo 'jo:{v}'\n+ chpasswd\n": of(ALNUM, 20),
    "+ [[ -n {v} ]]\n+ login\n": of(ALNUM, 20),
    "$ printf '%s\\n' '{v}' | cryptsetup open /dev/sdb1 data\n": of(ALNUM, 12),
    "ansible-vault encrypt_string '{v}' --name 'db'\n": printable,
    f"BORG_KEY {'0af9' * 16}\n{{v}}\n{'kq8Z' * 17}\n": of(BASE64, 70),
    "-----BEGIN USER NKEY SEED-----\n{v}\n------END USER NKEY SEED------\n": of(CAPITALS, 58),
    '{"kty":"EC","crv":"P-256","x":"WKn-ZIGevcwGIyyrzFoZN","d":"{v}","kid":"1"}\n': of(string.ascii_letters, 43),
    "<Exponent>AQAB</Exponent><D>{v}</D></RSAKeyValue>\n": of(BASE64, 172),
    "[{v}]\n": numbers(64),
    f"K10{'0af9' * 16}::server:{{v}}\n": of(HEX, 32),
    "curl 'https://up.example.org/api/push/{v}?status=up&msg=OK'\n": of(ALNUM, 10),
    "SQL> connect jo/{v}@//db.example.org:1521/ORCL\nConnected.\n": of(ALNUM, 12),
    "sqlldr userid=jo/{v}@db control=load.ctl\n": of(ALNUM, 12),
    "#define APPKEY { {v} }\n": hex_bytes,
    '"SerialNumber"="{v}"\n': lambda draw: "-".join(of(CAPITALS, 5)(draw) for _ in range(4)),
    "nuget.exe push a.nupkg {v} -Source https://example.org/v3/index.json\n": of(ALNUM, 46),
    "$ cat auth.txt\njo\n{v}\n": of(ALNUM, 12),
    '{"name": "Cookie", "value": "theme=dark; sid={v}"}\n': of(ALNUM, 32),
    '"name": "Set-Cookie",\n          "value": "sid={v}; Path=/"\n': of(ALNUM, 32),
    '"login":{"username":"jo","totp":"{v}"}\n': of(string.ascii_uppercase + "234567", 16),
    "The generated password for work/vpn is:\n{v}\n": printable,
    "S: 334 UGFzc3dvcmQ6\nC: {v}\n": of(BASE64, 16),
    "new wifi pass for guests: {v}\n": of(ALNUM, 10),
    'proxy-user = "jo:{v}"\n': of(ALNUM, 12),
    "user=jo:{v}\n": of(ALNUM, 12),
    'resource "random_password" "db" {\n    result  = "{v}"\n}\n': printable,
    "In [3]: os.environ[\"WANDB_API_KEY\"]\nOut[3]: '{v}'\n": of(HEX, 40),
    '{"Jwt": {"Key": "{v}", "Issuer": "https://example.org"}}\n': lambda draw: " ".join(draw.sample(WORDS.split(), 4)),
    'play.http.secret.key = "{v}"\n': of(ALNUM + "!#$%&*+-.:;=?@^_~()[]{}|<>,", 20),
    "const token = jwt.sign(payload, '{v}', { expiresIn: '1h' })\n": of(ALNUM, 16),
    "'crypt' => [ 'key' => '{v}' ],\n": of(HEX, 32),
    "sqlcmd -S db -U sa -P '={v}' -Q 'select 1'\n": of(ALNUM, 16),
    "A temporary password is generated for root@localhost: {v}\n": of(ALNUM + "!#%*+-=?@^_~", 12),
    "Password for the [elastic] user successfully reset.\nNew value: {v}\n": lambda draw: f"{of(ALNUM, 12)(draw)}=Qf3",
}


@pytest.mark.parametrize("text", UNLISTED)
def test_a_secret_in_a_form_that_nobody_listed_is_hidden(text: str) -> None:
    draw, redactor = random.Random(text), Redactor()
    drawn = [UNLISTED[text](draw) for _ in range(MANY)]
    leaked = [value for value in drawn if value in redactor.redact(text.replace("{v}", value)).text]
    assert len(leaked) * 30 <= MANY, leaked


@pytest.mark.parametrize("use", ["re", "re2"])
def test_a_name_of_a_value_without_quotes_is_found_by_every_engine(use: str) -> None:
    text = 'resource "random_password" "db" {\n    result  = "x7KqPz2LwRt9vBn4"\n}\n'
    assert "x7KqPz2LwRt9vBn4" not in Redactor(use=use).redact(text).text


def test_bytes_that_are_items_of_a_list_are_hidden_as_one_and_the_list_stays_a_list() -> None:
    draw = random.Random(3)
    items = "".join(f"    - {draw.randrange(256)}\n" for _ in range(16))
    redacted = Redactor().redact(f"advanced:\n  network_key:\n{items}  channel: 11\n").text
    assert redacted.split() == ["advanced:", "network_key:", "-", "[REDACTED:", "API_KEY]", "channel:", "11"]
    assert redacted.count("\n") == 19


@pytest.mark.parametrize(
    "text",
    [
        "advanced:\n  network_key:\n" + "".join(f"    - {n}\n" for n in range(1, 17)),
        "primary_key:\n" + "    - 7\n    - 31\n    - 200\n",
        "S: 334 UGFzc3dvcmQ6\nS: 535 failed\n",
        json.dumps(list(range(64))) + "\n",
        f"age1{'qktylz0x' * 7}\n",
        '{"mappings":"AAAA,E1GGI5tgICj5FUxuZrQ;kT6EC2QtWCkW6b2IHR4Z","names":["token","password"]}\n',
        "git push origin feature-of-the-very-long-branch-name-1\n",
        "/api/push/subscribe?page=2\n",
        "----- BEGIN SEED DATA -----\nnothing\n",
        '{"Jwt": {"Key": "${JWT_SIGNING_KEY}", "Issuer": "x"}}\n',
        'user: "jo:developers"\n',
        '{"help": {"key": "press any key to go on"}}\n',
    ],
)
def test_what_only_looks_like_it_stays(text: str) -> None:
    assert Redactor().redact(text).text == text
