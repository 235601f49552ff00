"""How often a random secret gets through, by the form it stands in; and how often a look-alike is hidden.

    python tests/torture/secret_rates.py [--values 2000] [--seed 1] [form ...]

A sample says that one value was found. A rate says how many were not: every form is filled with values drawn anew, and
a value counts as leaked if it, or half of it, still stands in the redacted text. Every rule with a format of its own is
a form as well, filled from its shape.
"""

import argparse
import math
import random
import re
import secrets
import string
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from overspill.redact import database
from overspill.redact.redactor import Redactor
from overspill.redact.rules import _CLASSES as CLASSES
from overspill.redact.rules import _SLOT as SLOT
from overspill.redact.rules import Rule
from overspill.redact.rules.credentials import RULES

sys.path.append(str(Path(__file__).parent))

from look_alikes import DRAWN, STANDING
from secret_places import PLACES
from secret_sightings import SIGHTINGS
from secret_surroundings import SURROUNDINGS
from seen_look_alikes import SEEN_DRAWN, SEEN_STANDING

ALNUM = string.ascii_letters + string.digits
BASE64 = ALNUM + "+/"
HEX = "0123456789abcdef"
# Printable, but for what ends a value in a file of settings: quotes, blanks, backslashes, and comment signs.
PRINTABLE = ALNUM + "!#$%&()*+,-./:;<=>?@[]^_{|}~"
SYMBOLS = ALNUM + "!@#$%^&*-_=+"

SHORTEST = 7
LONG_LINE = 24
SLOT_SPLIT = re.compile(r"<[A-Z]\d+>|<UUID>")

Draw = Callable[[random.Random], str]


def of(letters: str, length: int) -> Draw:
    return lambda draw: "".join(draw.choices(letters, k=length))


def base64_of(count: int) -> Draw:
    """What `openssl rand -base64` prints."""
    import base64

    return lambda draw: base64.b64encode(draw.randbytes(count)).decode()


class Form(NamedTuple):
    """A place for a secret, what is drawn for it, and how many of a thousand may leak."""

    name: str
    template: str
    value: Draw
    bar: float  # per cent
    rule: Rule | None = None  # whose shape the value has

    def text(self, value: str) -> str:
        return self.template.replace("{v}", value)


AWS, PASSWORD_8, PASSWORD_12, TOKEN_20 = of(BASE64, 40), of(ALNUM, 8), of(ALNUM, 12), of(ALNUM, 20)
PASSWORD_8_OR_12: Draw = lambda draw: draw.choice((PASSWORD_8, PASSWORD_12))(draw)  # noqa: E731
PRINTABLE_20 = of(PRINTABLE, 20)
SETTING = {
    "env": "DB_PASSWORD={v}\n",
    "export": "export DB_PASSWORD={v}\n",
    "ini": "[db]\npassword = {v}\nuser = app\n",
    "yaml": "db:\n  password: {v}\n  user: app\n",
    "properties": "spring.datasource.password={v}\n",
    "json": '{"user": "app", "password": "{v}"}\n',
    "json lines": '{\n  "password":\n    "{v}"\n}\n',
    "quoted env": 'DB_PASSWORD="{v}"\n',
    "toml": 'password = "{v}"\n',
    "python": 'password = "{v}"\n',
    "rust": 'const PASSWORD: &str = "{v}";\n',
    "typescript": 'const dbPassword: string = "{v}";\n',
    "go": 'password := "{v}"\n',
    "vb": 'Dim password As String = "{v}"\n',
    "lua": "password = [[{v}]]\n",
    "xml": "<db><password>{v}</password></db>\n",
    "xml attribute": '<add name="x" password="{v}" />\n',
    "xml typed": '<wsse:Password Type="x">{v}</wsse:Password>\n',
    "xml below": "<password>\n  {v}\n</password>\n",
    "cdata": "<password><![CDATA[{v}]]></password>\n",
    "plist": "<key>password</key>\n<string>{v}</string>\n",
    "markdown": "| user | password |\n|---|---|\n| app | {v} |\n",
    "markdown row": "| password | {v} |\n",
    "csv": "user,password\napp,{v}\n",
    "tsv": "user\tpassword\napp\t{v}\n",
    "psql": " user | password \n------+----------\n app  | {v}\n(1 row)\n",
    "flag": "mytool --password {v} --verbose\n",
    "flag=": "mytool --password={v} --verbose\n",
    "prompt": "Enter password for root: {v}\n",
    "sentence": "The password is: {v}\n",
    "heredoc": "cat > .env <<EOF\nDB_PASSWORD={v}\nEOF\n",
    "log": "2026-01-01 10:00:00 INFO connect user=app password={v} host=db\n",
    "url": "postgres://app:{v}@db.internal:5432/app\n",
    "curl": "curl -u app:{v} https://api.example.com/\n",
    "pgpass": "db.internal:7001:app:app:{v}\n",
    "netrc": "machine git.example.com login app password {v}\n",
    "sql": "CREATE USER app IDENTIFIED BY '{v}';\n",
    "dict": "{'user': 'app', 'password': '{v}'}\n",
    "arrow": "password => '{v}'\n",
    "list": '{"passwords": ["{v}"]}\n',
    "yaml list": "passwords:\n  - {v}\n",
    "yaml below": "password: >-\n  {v}\n",
    "sshpass": "sshpass -p {v} ssh app@host\n",
    "mysql": "mysql -u app -p{v} shop\n",
    "zip": "zip -P {v} out.zip in\n",
    "keytool": "keytool -storepass {v} -list\n",
    "openssl": "openssl enc -aes-256-cbc -k {v} -in x\n",
    "rdp": "xfreerdp /v:host /u:app /p:{v}\n",
    "oracle": "sqlplus app/{v}@db\n",
    "jdbc": "jdbc:oracle:thin:app/{v}@db:1521:x\n",
    "ado": "Server=db;User Id=app;Password={v};Encrypt=yes\n",
    "cookies.txt": "example.com\tTRUE\t/\tTRUE\t1999999999\tsessionid\t{v}\n",
    "hiera": "profile::app::db_password: {v}\n",
    "typed": 'driver.find_element(By.ID, "password").send_keys("{v}")\n',
    "next cell": "<tr><th>Password</th><td>{v}</td></tr>\n",
    "next element": "<dt>Password</dt>\n<dd><code>{v}</code></dd>\n",
    "highlighted": "<span>password</span> = <span class='s'>&quot;{v}&quot;</span>\n",
    "macro": "\\newcommand{\\dbpassword}{{v}}\n",
    "juxtaposed": 'dbPassword = pack "{v}"\n',
    "parameter": '{"ParameterKey": "DBPassword", "ParameterValue": "{v}"}\n',
    "flags": "aws ssm put-parameter --name /db/password --value {v} --type SecureString\n",
    "pipeline": "##vso[task.setvariable variable=dbPassword]{v}\n",
    "leader": "HikariConfig - password........................{v}\n",
    "multipart": 'Content-Disposition: form-data; name="password"\r\n\r\n{v}\r\n--x\r\n',
}
# Forms in which a value of a few letters and digits says nothing by itself, or that end at signs a value may hold.
NO_PRINTABLE = {
    "flag", "flag=", "prompt", "sentence", "log", "url", "curl", "pgpass", "netrc", "sshpass", "mysql", "zip",
    "keytool", "openssl", "rdp", "oracle", "jdbc", "ado", "cookies.txt", "markdown", "markdown row", "csv", "psql",
    "hiera", "typed", "next cell", "next element", "highlighted", "macro", "juxtaposed", "parameter", "flags",
    "pipeline", "leader", "xml", "xml attribute", "xml typed", "xml below", "cdata", "plist", "lua", "tsv",
    "yaml list", "multipart",
}  # fmt: skip
NO_PASSWORD = {"sentence", "cookies.txt", "psql"}
TOKENS = {
    "token env": "API_TOKEN={v}\n",
    "token yaml": "api_token: {v}\n",
    "token json": '{"api_key": "{v}"}\n',
    "secret env": "CLIENT_SECRET={v}\n",
    "header": "X-Api-Key: {v}\n",
    "bearer": "Authorization: Bearer {v}\n",
    "query": "GET /v1?access_token={v}&x=1 HTTP/1.1\n",
    "pepper": "AUTH_PEPPER={v}\n",
    "pat": "GH_PAT={v}\n",
    "cookie": "Cookie: theme=dark; sessionid={v}\n",
}


KEYS = {
    "plain": "{b}\n{k}\n{e}\n",
    "crlf": "{b}\r\n{K}\r\n{e}\r\n",
    "double-spaced": "{b}\n\n{S}\n\n{e}\n",
    "indented": "key: |\n    {b}\n    {I}\n    {e}\n",
    "with headers": "{b}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n{k}\n{e}\n",
    "pager": "{b}\n{P}\n{e}\n",
    "cut off": "{b}\n{k}\n",
    "escaped": '{"key": "{b}\\\\n{E}\\\\n{e}\\\\n"}\n'.replace("\\\\\\\\", "\\\\"),
    "quoted lines": '"{b}\\\\n"\n{Q}\n"{e}"\n',
}


def key_block(form: str, kind: str) -> Draw:
    """A private key over several lines."""

    def block(draw: random.Random) -> str:
        lines = ["".join(draw.choices(BASE64, k=64)) for _ in range(6)] + ["".join(draw.choices(BASE64, k=30)) + "=="]
        parts = {
            "{b}": f"-----BEGIN {kind}-----", "{e}": f"-----END {kind}-----", "{k}": "\n".join(lines),
            "{K}": "\r\n".join(lines), "{S}": "\n\n".join(lines), "{I}": "\n    ".join(lines),
            "{P}": "\n".join([*lines[:3], "--More--", *lines[3:]]), "{E}": "\\n".join(lines),
            "{Q}": "\n".join(f'"{line}\\n"' for line in lines),
        }  # fmt: skip
        text = KEYS[form]
        for sign, part in parts.items():
            text = text.replace(sign, part)
        return text

    return block


def encoded_key(draw: random.Random) -> str:
    import base64

    return base64.b64encode(key_block("plain", "RSA PRIVATE KEY")(draw).encode()).decode()


def forms() -> Iterator[Form]:
    """Every form there is a bar for."""
    yield from password_forms()
    yield from token_forms()
    yield from surrounded_forms()
    yield from seen_forms()
    for name in KEYS:
        yield Form(f"private key, {name}", "{v}", key_block(name, "RSA PRIVATE KEY"), 0.5)
    yield Form("private key, pgp", "{v}", key_block("double-spaced", "PGP PRIVATE KEY BLOCK"), 0.5)
    yield Form("private key, base64", "data: {v}\n", encoded_key, 0.5)
    for rule in RULES:
        if "<" in rule.yes and rule.how == "token":
            yield Form(f"rule {rule.name}", "at {v} now\n", shape_of(rule), 0.5, rule)


def password_forms() -> Iterator[Form]:
    for name, template in SETTING.items():
        yield Form(f"password 8 alphanumeric, {name}", template, PASSWORD_8, 1.0)
        yield Form(f"password 12 alphanumeric, {name}", template, PASSWORD_12, 1.0)
        if name not in NO_PRINTABLE:
            yield Form(f"password 20 printable, {name}", template, PRINTABLE_20, 2.0)
            yield Form(f"password 16 symbols, {name}", template, of(SYMBOLS, 16), 2.0)
    for name, template in PLACES.items():
        yield Form(f"password 8 or 12 alphanumeric, {name}", template, PASSWORD_8_OR_12, 1.0)
    for name in ("env", "ini", "yaml", "json"):
        for count in (12, 24, 32):
            yield Form(f"openssl rand -base64 {count}, {name}", SETTING[name], base64_of(count), 0.5)
    for letters, said in ((ALNUM + "/", "/"), (ALNUM + "#", "#")):
        yield Form(f"password 16 with {said}, url", SETTING["url"], of(letters, 16), 1.0)
    yield Form("12 letters of both cases, env", SETTING["env"], of(string.ascii_letters, 12), 1.0)
    yield Form("4 words with dashes, env", SETTING["env"], words("-"), 1.0)
    yield Form("4 words with blanks, quoted env", SETTING["quoted env"], words(" "), 1.0)
    yield Form("4 words with blanks, json", SETTING["json"], words(" "), 1.0)


def surrounded_forms() -> Iterator[Form]:
    for (kind, name), template in SURROUNDINGS.items():
        yield Form(f"near, {name}", template, DRAWS[kind], 3.0)


def seen_forms() -> Iterator[Form]:
    for (kinds, name), template in SIGHTINGS.items():
        yield Form(f"seen, {name}", template, one_of(*(DRAWS[kind] for kind in kinds.split("/"))), 3.0)


def token_forms() -> Iterator[Form]:
    for name in ("env", "ini", "yaml", "json", "log"):
        template = SETTING[name].replace("DB_PASSWORD", "AWS_SECRET_ACCESS_KEY")
        yield Form(f"aws secret, {name}", template.replace("password", "aws_secret_access_key"), AWS, 0.5)
    for name, template in TOKENS.items():
        yield Form(f"20 alphanumeric, {name}", template, TOKEN_20, 0.5)
        yield Form(f"40 hex, {name}", template, of(HEX, 40), 0.5)
        yield Form(f"base64 24, {name}", template, base64_of(24), 0.5)
    for length, bar in ((8, 5.0), (12, 1.0), (16, 1.0)):
        yield Form(f"{length} alphanumeric, token env", TOKENS["token env"], of(ALNUM, length), bar)
    yield Form("32 small letters, api key env", "API_KEY={v}\n", of(string.ascii_lowercase, 32), 5.0)


WORDS = (
    "correct horse battery staple orbit velvet cactus ember lagoon quartz mango pillow rocket saddle tundra"
    " walnut zephyr anchor breeze candle dragon eagle forest garden harbor island jungle kettle ladder meadow"
)


def words(joint: str, count: int = 4) -> Draw:
    return lambda draw: joint.join(draw.sample(WORDS.split(), count))


def one_of(*kinds: Draw) -> Draw:
    return lambda draw: draw.choice(kinds)(draw)


def made_by_hand(draw: random.Random) -> str:
    """What people make: `Ember4711`, `tundra-walnut-42`, `OrbitCactus17`."""
    first, second = draw.sample(WORDS.split(), 2)
    digits = "".join(draw.choices(string.digits, k=draw.randint(2, 4)))
    return draw.choice(
        (f"{first.title()}{digits}", f"{first}-{second}-{digits}", f"{first.title()}{second.title()}{digits}")
    )


def with_symbols(draw: random.Random) -> str:
    body = "".join(draw.choices(ALNUM + "!^*_+-.~", k=draw.randint(10, 18)))
    return draw.choice(ALNUM) + body + draw.choice(ALNUM)


def groups_of(letters: str, *, length: int, count: int) -> Draw:
    return lambda draw: "-".join("".join(draw.choices(letters, k=length)) for _ in range(count))


DRAWS: dict[str, Draw] = {
    "PASSWORD": PASSWORD_8_OR_12,
    "TOKEN": of(ALNUM, 32),
    "HEX": of(HEX, 40),
    "CODE": base64_of(24),
    "WORD": made_by_hand,
    "MIXED": with_symbols,
    "UUID": lambda draw: str(uuid.UUID(int=draw.getrandbits(128), version=4)),
    "SEED": of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 26),
    "DIGITS": of(string.digits, 6),
    "LICENCE": groups_of("BCDFGHJKMPQRTVWXY2346789", length=5, count=5),
    "RECOVERY": groups_of(string.ascii_lowercase + string.digits, length=5, count=2),
    "PHRASE": words(" "),
    "PHRASE12": words(" ", 12),
}


def shape_of(rule: Rule) -> Draw:
    return lambda draw: fill(rule.yes, draw)


def fill(shape: str, draw: random.Random) -> str:
    """The shape with every slot filled evenly: no kind of letter is bound to be there."""

    def slot(found: re.Match[str]) -> str:
        if found[1] is None:
            return str(uuid.UUID(int=draw.getrandbits(128), version=4))
        return "".join(draw.choices(CLASSES[found[1]], k=int(found[2])))

    return SLOT.sub(slot, shape)


MOST_CHANGED = 1 / 200


def look_alikes(seed: int, count: int) -> tuple[int, list[str]]:
    """How many texts without a secret were looked at, and those that were changed."""
    redactor, draw = Redactor(database=database()), random.Random(f"{seed}:look-alikes")
    shapes = (*DRAWN, *SEEN_DRAWN)
    texts = [*STANDING, *SEEN_STANDING, *(fill(shape, draw) for shape in shapes for _ in range(count))]
    return len(texts), [text for text in texts if redactor.redact(text).text != text]


class Rate(NamedTuple):
    """What became of the values of a form."""

    form: Form
    values: int
    leaked: list[str]

    @property
    def share(self) -> float:
        return 100 * len(self.leaked) / self.values

    @property
    def is_good(self) -> bool:
        """Whether so many leaks can be chance, where the true rate is within the bar."""
        expected = self.values * self.form.bar / 100
        return len(self.leaked) <= expected + 2 * math.sqrt(expected)


def leaked(value: str, shown: str) -> bool:
    """Whether a value, or half of one, can be read in a text."""
    lines = [line for line in re.split(r"\s+|\\\\n|[\"']", value) if len(line) > LONG_LINE]
    if lines and "\n" in value:  # a key: none of its lines may be left
        return any(line[:LONG_LINE] in shown for line in lines)
    half = max(6, len(value) // 2)
    return any(value[at : at + half] in shown for at in range(0, len(value) - half + 1, max(1, half // 4)))


def rate(form: Form, redactor: Redactor, draw: random.Random, count: int) -> Rate:
    out: list[str] = []
    for _ in range(count):
        value = form.value(draw)
        text = form.text(value)
        said = secret_part(form, value)
        if leaked(said, redactor.redact(text).text):
            out.append(text)
    return Rate(form, count, out)


def secret_part(form: Form, value: str) -> str:
    """Of a rule's shape what fills its last long slot: names, ids and addresses stand before it."""
    if form.rule is None:
        return value
    around = "(.+?)".join(map(re.escape, (part for part in SLOT_SPLIT.split(form.rule.yes))))
    found = re.fullmatch(around, value, re.DOTALL)
    return ([value] + [slot for slot in found.groups() if len(slot) >= SHORTEST])[-1] if found else value


def measure(wanted: list[str], *, seed: int, count: int) -> Iterator[Rate]:
    redactor = Redactor(database=database())
    for form in forms():
        if not wanted or any(word in form.name for word in wanted):
            yield rate(form, redactor, random.Random(f"{seed}:{form.name}"), count)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wanted", nargs="*")
    parser.add_argument("--values", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    parser.add_argument("--show", type=int, default=2, help="leaks to show of a form that is over its bar")
    asked = parser.parse_args()
    print(f"seed {asked.seed}, {asked.values} values a form; leaks in per cent")
    rates = []
    for found in measure(asked.wanted, seed=asked.seed, count=asked.values):
        rates.append(found)
        sign = " " if found.is_good else "!"
        if found.share or asked.wanted:
            print(f"{sign} {found.share:6.2f}  (bar {found.form.bar:.1f})  {found.form.name}", flush=True)
        for text in found.leaked[: asked.show] if not found.is_good else ():
            print(f"          {text!r}")
    looked_at, changed = look_alikes(asked.seed, max(1, asked.values // 20))
    for text in dict.fromkeys(changed):
        print(f"  changed  {text!r}")
    print(f"{looked_at} look-alikes, {len(changed)} changed ({100 * len(changed) / looked_at:.2f} %)")
    bad = [found for found in rates if not found.is_good]
    print(f"{len(rates)} forms, {sum(found.values for found in rates)} values, {len(bad)} forms over their bar")
    return bool(bad) or len(changed) > MOST_CHANGED * looked_at


if __name__ == "__main__":
    sys.exit(main())
