"""What devices, files of keys, directories and messages tell: keys of networks, parts of keys, logins in words."""

import json
import random
import string
from base64 import b64encode

import pytest

from drawn_secrets import HEX, MANY, WORDS, Draw, of
from overspill.redact.redactor import Redactor

BASE64 = string.ascii_letters + string.digits + "+/"


def made_up(draw: random.Random) -> str:
    """As people make up a password: a word, a number and a sign."""
    return f"{draw.choice(WORDS.split()).title()}{draw.choice(('', '_'))}{draw.randint(100, 2999)}{draw.choice('!#?')}"


def joined(sign: str) -> Draw:
    return lambda draw: sign.join(draw.sample(WORDS.split(), 5))


def drawn(draw: random.Random) -> str:
    return "".join(draw.choices(string.ascii_letters, k=6)) + "7Q" + "".join(draw.choices(string.ascii_letters, k=4))


def rows_of_bytes(draw: random.Random) -> str:
    return ":".join(of(HEX, 2)(draw) for _ in range(15))


TOLD: dict[str, Draw] = {
    "config wifi-iface 'radio0'\n\toption ssid 'home'\n\toption key '{v}'\n": made_up,
    "wireless.radio0.ssid='home'\nwireless.radio0.key='{v}'\n": made_up,
    '{"ssid": "home", "key": "{v}", "sec": "WPA2"}\n': joined("_"),
    "set wlan_key={v}\n": joined("-"),
    'AT+CWJAP="home","{v}"\r\n': made_up,
    'AT+CGAUTH=1,1,"jo","{v}"\r\n': drawn,
    'AT+NWKSKEY="{v}"\nOK\n': of(HEX, 32),
    "Device ID: bf12\nLocal Key: {v}\n": of(string.ascii_letters + string.digits, 16),
    "nmcli dev wifi connect home password {v}\n": joined("-"),
    "\tSSID     : home\n\tPassword : {v}\n": joined("_"),
    '\tpsk="{v}"\n': joined("."),
    "WIFI:T:WPA;S:home;P:{v};;\n": joined("."),
    f"CLIENT_RANDOM {'5f' * 32} {{v}}\n": of(HEX, 96),
    f"SERVER_TRAFFIC_SECRET_0 {'5f' * 32} {{v}}\n": of(HEX, 64),
    "Algorithm: 8 (RSASHA256)\nPublicExponent: AQAB\nPrivateExponent: {v}=\n": of(BASE64, 87),
    "publicExponent: 65537 (0x10001)\nprivateExponent:\n    {v}:\n    00:5b\nprime1:\n    00:7f\n": rows_of_bytes,
    "Private-Key: (256 bit)\npriv:\n    {v}:\n    5b:7f\npub:\n    04:5c:83\n": rows_of_bytes,
    "SAM Username : jo\nHash NTLM: {v}\n": of(HEX, 32),
    "  * NTLM     : {v}\n": of(HEX, 32),
    "   2 host/h@CORP (aes256-cts-hmac-sha1-96)  (0x{v})\n": of(HEX, 64),
    'f = Fernet(b"{v}=")\n': of(string.ascii_letters + string.digits + "-_", 43),
    "salt=5F3A\nkey={v}\niv =77F8\n": of(HEX.upper(), 64),
    '{\n  "kty": "oct",\n  "kid": "1",\n  "alg": "HS256",\n  "k": "{v}"\n}\n': of(
        string.ascii_letters + string.digits, 43
    ),
    "gpg: session key: '9:{v}'\n": of(HEX, 64),
    "$ cat homeserver.signing.key\ned25519 a_XkZq {v}=\n": of(BASE64, 43),
    '{"CiphertextBlob": "AQID", "Plaintext": "{v}="}\n': of(BASE64, 43),
    "com2sec readonly default {v}\n": drawn,
    "rlm_ldap: bind as cn=admin,dc=acme/{v} to db:389\n": drawn,
    "<Cookie sessionid={v} for app.example.com/>\n": of(string.ascii_letters + string.digits, 32),
    "Voici tes identifiants : jo / {v}\n": drawn,
    "Ihr Zugang: jo@example.com / {v}\n": drawn,
    "Password below:\n{v}\nThanks\n": made_up,
    "I am sending you the password in a message of its own:\n\n{v}\n": made_up,
    "[10:14] ann: what is the admin password?\n[10:15] jo: it's {v}\n": made_up,
    "printf 'jo\\n{v}\\ny' | vpn -s connect vpn.example.com\n": drawn,
    "ABCDE12345-{v}-" + "q7Xk" * 20 + "\n": of(BASE64, 120),
    "sk = {v}\npk = 00\n": of(HEX, 64),
    "DEPLOYER_PK=0x{v}\n": of(HEX, 64),
    "PRIV_KEY={v}\n": of(HEX, 64),
    "zfs key: {v}\n": of(HEX, 64),
    'self.key = bytes.fromhex("{v}")\n': of(HEX, 32),
    'const key = Buffer.from("{v}=", "base64");\n': of(BASE64, 43),
    '{"encrypt": "{v}=", "server": true}\n': of(BASE64, 43),
    "$ consul keygen\n{v}=\n": of(BASE64, 43),
    '{"unseal_keys_b64": ["{v}="]}\n': of(BASE64, 43),
    "dig @ns -y hmac-sha256:k:{v}= axfr x\n": of(BASE64, 43),
    f"89e92dee9d:0:{'5f' * 64}:{{v}}\n": of(HEX, 128),
    "0x{v} # deployer private key\n": of(HEX, 64),
    "jo * {v} *\n": drawn,
    "admin / {v} should work\n": drawn,
    "simple_bind_s('cn=admin', '{v}')\n": drawn,
    "secret value = {v}\n": of(string.ascii_letters + string.digits, 32),
    "cookies: {'sessionid': '{v}'}\n": of(string.ascii_letters + string.digits, 32),
    "algolia: adminKey {v}\n": of(HEX, 32),
    "le mdp c'est {v}\n": drawn,
    "  - https://conda.example.org/t/{v}/acme\n": of(string.ascii_letters + string.digits, 36),
    '{"github-oauth": {\n  "github.com": "{v}"\n}}\n': of(string.ascii_letters + string.digits, 40),
    'Set for your local app (/app/.bundle/config): "96e7b76f:{v}"\n': of(string.ascii_letters + string.digits, 24),
    '"type": "random_password",\n"instances": [{"attributes": {"length": 16,\n"result": "{v}"}}]\n': drawn,
    "$ cat ~/.vault_pass.txt\n{v}\n": joined("_"),
    "'passwordsalt' => '{v}',\n": of(string.ascii_letters + string.digits, 32),
    "LDAP_PASSWORD='Bp+ac7'\\''{v}'\n": drawn,
    "password='it''s{v}'\n": drawn,
    '{"db_password": {"sensitive": true, "value": "{v}"}}\n': made_up,
    "ipmitool user set password 2 {v}\n": of(string.ascii_letters, 9),
    "db: {user: app, password: {v}, host: db}\n": of(string.ascii_letters + string.digits, 12),
    "password: [{v}]\n": lambda draw: ", ".join(f"0x{of(HEX, 2)(draw)}" for _ in range(16)),
    "334 UGFzc3dvcmQ6\n> {v}\n": lambda draw: b64encode(f"x{drawn(draw)}".encode()).decode(),
    "log in as jo with {v}\n": lambda draw: f"C4ctus{draw.choice('#$@')}{draw.randint(1000, 9999)}",
}


@pytest.mark.parametrize("text", TOLD)
def test_what_is_told_is_hidden(text: str) -> None:
    draw, redactor = random.Random(text), Redactor()
    values = [TOLD[text](draw) for _ in range(MANY)]
    leaked = [value for value in values if value in redactor.redact(text.replace("{v}", value)).text]
    assert len(leaked) * 20 <= MANY, leaked


ALIKE: dict[str, Draw] = {
    "2014-08-22:{v}.000003F0andsch@inbox.example.com:\n": of(HEX.upper(), 11),
    '"content-hash": "{v}",\n': of(HEX, 32),
    "option key '{v}'\n": lambda draw: draw.choice(("value", "name", "string")),
    'AT+CWJAP="home",""\n{v}\n': of(string.digits, 3),
    "monkey={v}\n": of(HEX, 32),
    "modulus:\n    {v}:\n    00:5b\npublicExponent: 65537 (0x10001)\n": rows_of_bytes,
    "pub:\n    {v}:\n    5b:7f\n": rows_of_bytes,
    "Signature Value:\n    {v}\n": rows_of_bytes,
    "prime1:\n  the first one, {v}\n": of(string.digits, 3),
    "password = old_value_of_form\nrow {v}\n": of(string.digits, 3),
    "tokens = cl100k_tokenizer.encode(text)  # {v}\n": of(string.digits, 3),
    "printf 'one{v}\\ntwo\\n' | sort\n": of(string.digits, 4),
    "cache.acme.io-1:{v}=\n": of(BASE64, 43),
    "{v}= subject=C = US, OU = (c) 2006 Acme - For authorized use only\n": of(BASE64, 43),
    "{v}= subject=C = US, O = Acme Certification Authority\n": of(BASE64, 43),
    '<A HREF="mailto:{v}@mail.example.com">\n': of(string.ascii_lowercase + string.digits, 9),
    '"name": "verification codes",\n"content": "{v}"\n': of(HEX, 64),
    "-e ':b /^passwd:\\s.*#/ s/(^[^#]+)\\s(systemd)(\\s|#)/{v}/g'\n": of(string.digits, 1),
    "ln -s /usr/share/i18n/SUPPORTED{v} $LG\n": of(string.digits, 1),
    "We use it to identify if float{v} is supported\n": of(string.digits, 2),
    "int row{v}, *cri_pass = &cri_cond_un;\n": of(string.digits, 2),
    '("tokens", "symbol{v}label"):\n': of("24", 1),
    "keyfile2_id = unhexlify('{v}')\n": of(HEX, 64),
    "cache key: {v}\n": of(HEX, 64),
    "SHA1(server.key)= {v}\n": of(HEX, 40),
    "input User{v} {\n  password: String!\n}\n": of(string.digits, 1),
    "X509v3 Authority Key Identifier: keyid:{v}:5B\n": lambda draw: rows_of_bytes(draw).upper(),
    '    "h1:{v}=",\n': of(BASE64, 43),
    '"keyId": "SHA256:{v}",\n': of(BASE64, 43),
    '{"db": {"name": "x", "value": "Linux{v}"}}\n': of(string.digits, 2),
    '"type": "random_id",\n"result": "{v}",\n': of(HEX, 16),
    "password: [0x41, 0x5f, 0x{v}]\n": of(HEX, 2),
    "opts: {user: User, password: PasswordHash, host: Host{v}}\n": of(string.digits, 2),
    'to build faster, you have to pass "-j{v}" to make\n': of(string.digits, 1),
    "disk = {v}\n": of(HEX, 64),
    "root:wheel owns {v} files\n": of(string.digits, 3),
    '{"k": "{v}"}\n': lambda draw: draw.choice(("name", "value", "Linux")),
}


@pytest.mark.parametrize("text", ALIKE)
def test_what_looks_like_it_stays(text: str) -> None:
    draw, redactor = random.Random(text), Redactor()
    for value in (ALIKE[text](draw) for _ in range(MANY)):
        said = text.replace("{v}", value)
        assert redactor.redact(said).text == said


@pytest.mark.parametrize("text", TOLD)
def test_every_engine_and_every_piece_says_the_same(text: str) -> None:
    said = text.replace("{v}", TOLD[text](random.Random(text)))
    whole = Redactor().redact(said).text
    stream = Redactor().stream()
    assert [Redactor(use=engine).redact(said).text for engine in ("re2", "re")] == [whole, whole]
    assert "".join(map(stream.feed, said)) + stream.flush() == whole
    assert Redactor().redact(whole).text == whole


def test_a_text_in_json_before_the_name_of_its_password_stays_json() -> None:
    said = json.dumps('MOVE "6O4ldr5cnRUplH" TO WS-PASSWORD.')
    assert json.loads(Redactor().redact(said).text) == 'MOVE "[REDACTED: PASSWORD]" TO WS-PASSWORD.'
