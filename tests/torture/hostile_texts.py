"""How long the worst texts take: what rules look for, by the ten thousand, in every order and disguise.

    python tests/torture/hostile_texts.py [--size 262144] [--bar 0.1] [--mixes 300] [--climbs 60] [--every 8]
        [--seed N] [--use re2] [word ...]

Texts repeat a unit: the literal a rule waits for, the first part of a key and a whole one, a name of a secret with
every sign after it, heads of tables, markup, blocks that never end, escapes, quotes in quotes, two units in turn, and
random mixes of them. Then the worst is looked for: the slowest of some mixes is changed a little, and what is slower
still is kept, until nothing is (`climbed`); every other climb folds its text into rows of a terminal.

CPU time is what counts, the best of three where the first is over the bar, beside a fixed loop in the same moment: it
is told as what it would be where that loop takes five milliseconds, so a busy or slow machine says the same.
"""

import argparse
import random
import secrets
import sys
import time
from collections.abc import Iterator
from itertools import chain, product
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "kits"))

from overspill.redact import scan_database
from overspill.redact.redactor import Redactor
from overspill.redact.rules import Rule, made_up_value
from overspill.redact.rules.credentials import RULES
from quiet_time import REFERENCE, reference_seconds

SIZE = 262_144
BAR = 0.1

NAMES = (
    "password", "PASSWORD", "db_password", "token", "secret", "api_key", "auth", "key", "pw", "pass", "psk", "value",
    "authorization", "cookie", "session_token", "passwords",
)  # fmt: skip
SIGNS = (
    "=", ": ", ":", " = ", '": "', '":"', "='", '="', "=`", " => ", ":=", " -> ", ">", "</", "|", " | ", ",", "\t",
    "\n", ":\n", ": |\n", ": >-\n  ", " ", "(", "('", "@", "[", "['", "{", "\\", '\\":\\"', "=\\", "%3D", "&#61;",
    "\\u003d", " is ", " as ", "?", "!", "==", "===", ";", "&", "#", "/", "://", "<",
)  # fmt: skip
VALUES = (
    "", "a", "a1b2c3d4", "Zk8qR2vXw1", "hunter2", "1", "x" * 40, "${X}", "get(", "'", '"', "a+b/", "your-", "....",
)  # fmt: skip
PLACES = (
    "://", "http://a:", "://a:b@", "http://u:p@h/", "-----BEGIN PRIVATE KEY-----\n",
    "-----BEGIN RSA PRIVATE KEY-----\\n", "---- BEGIN ", "-----END PRIVATE KEY-----", "Private-Lines: 9\n",
    "LS0tLS1CRUdJTi", "<password>", "<password>\n", '<entry key="password">', "<key>password</key>\n",
    'name="password"\r\n\r\n', '<password type="x">\n', "<![CDATA[", "</", "user,password\n",
    "| password |\n|---|\n| ", "password\tuser\n", "a,", "|", "kind: Secret\n", 'kind":"Secret', "data:\n",
    '"data":{', '{"data":{"a":"', "stringData:\n  a: ", "- name: DB_PASSWORD\n  value: ", '{"name":"K","value":"',
    "\\u0070", "&#112;", "%70", "\x1b[31m", "\u200b", "\uff1d", "\xa0", "\\x41", "<U+200B>", "&amp;", "%2525", "\\",
    "\\\\", '\\"', '"\'`', "\r", "\r\n", "\t", "\u2028", "\x85", "\xe9", "\U0001f600", "\udc80", "eyJ",
    "eyJaaaaaaaaaaaa.", "cGFzc3dvcmQ9", "70617373776f72643d", "Qm9va2lzaA", "echo ", "echo a | ", "curl -u a:",
    "curl -u ", "mysql -p", "sshpass -p ", "net user a ", "htpasswd -b ", "identified by '", "set password for ",
    "machine a login b password ", ":5432:", "a:5432:b:c:", "\tTRUE\t", "@tcp(", "a:b@tcp(", "password@",
    "password (", "[REDACTED: ", "[REDACTED: PASSWORD]", "Authorization: ", "Authorization: Bearer ", "Basic ",
    "bearer ", "Cookie: ", "Set-Cookie: a=", "a=b; ", "&sig=", "signature=", '" -> "', "::add-mask::",
    'type="password" ', ' value="', "--from-literal", "requirepass ", "snmp-server community ", "api key ", "auth=(",
    "-", "=", " ", "\n", "a", "A", "0", "_", ".", "/", "+",
)  # fmt: skip
DISGUISES = ("\\u{:04x}", "%{:02X}", "&#{};", "&#x{:x};", "\\x{:02x}")
JOINTS = ("", " ", "\n", ",", '"', "é")
LEAST, FEWEST_PARTS, MOST_PARTS = 4, 2, 12
CHANGED = 3  # of so many characters of a unit one is written in code


ROW_WIDTHS = (40, 76, 79, 80, 120, 200, 300)
STEP = 1.03  # what is slower by less is chance
CANDIDATES, PATIENCE = 6, 14


class HostileText(NamedTuple):
    """A text that is meant to take long, and how it was made."""

    name: str
    text: str


class Duration(NamedTuple):
    """How long a text took, in seconds of CPU, and whether it was read whole."""

    name: str
    seconds: float
    incomplete: bool


def rule_units(rule: Rule) -> Iterator[str]:
    """What a rule looks for, and how it begins: it has to be read to its end before it is none."""
    yield from rule.gates[:6]
    yield from (gate.upper() for gate in rule.gates[:2])
    for sample in (rule.yes, rule.no):
        whole = made_up_value(sample)
        yield whole
        yield from (whole[: len(whole) * part // 8] for part in (2, 4, 6, 7))
        yield whole[:-1]


def units() -> list[str]:
    """Everything a hostile text is made of, in a fixed order."""
    named = ("".join(parts) for parts in product(NAMES, SIGNS, ("", "a1b2c3d4")))
    valued = ("".join(parts) for parts in product(NAMES[:4], SIGNS[:12], VALUES))
    found = chain(PLACES, chain.from_iterable(map(rule_units, RULES)), named, valued)
    return list(dict.fromkeys(unit for unit in found if unit))


def disguised(unit: str, draw: random.Random) -> str:
    """The unit with some of its letters in code."""
    code = draw.choice(DISGUISES)
    return "".join(
        code.format(ord(c)) if c.isascii() and c.isprintable() and draw.randrange(CHANGED) == 0 else c for c in unit
    )


def repeated(unit: str, size: int) -> str:
    return (unit * (size // len(unit) + 1))[:size]


def mixed(draw: random.Random, pool: list[str], size: int) -> HostileText:
    """Some units in an order that comes again and again, or never does."""
    parts = [draw.choice(pool) + draw.choice(JOINTS) for _ in range(draw.randint(FEWEST_PARTS, MOST_PARTS))]
    if draw.random() < 1 / 4:
        parts = [disguised(part, draw) for part in parts]
    if draw.random() < 1 / 2:
        return HostileText(f"in turn {parts}", repeated("".join(parts), size))
    length, rows = 0, []
    while length < size:
        rows.append(draw.choice(parts))
        length += len(rows[-1])
    return HostileText(f"at random {parts}", "".join(rows)[:size])


def texts(size: int, mixes: int, seed: int, first: int = 0, every: int = 1) -> Iterator[HostileText]:
    """Every unit by itself, plainly and with an end of line; then so many mixes. Of all these one in so many."""
    pool = units()
    alone = 2 * len(pool)
    for number in range(first, alone + mixes, every):
        if number >= alone:
            yield mixed(random.Random(f"{seed} {number}"), pool, size)
            continue
        unit = pool[number // 2]
        unit += ("\n" if len(unit) % 2 else " ") if number % 2 else ""
        yield HostileText(f"unit {unit!r}", repeated(unit, size))


class Shape(NamedTuple):
    """What a climb changes: the parts of a text that repeats them, and the width of its rows, if it has any."""

    parts: tuple[str, ...]
    width: int

    def text(self, size: int) -> str:
        text = repeated("".join(self.parts), size)
        if not self.width:
            return text
        rows = [text[at : at + self.width] for at in range(0, len(text), self.width)]
        # Rows that begin alike are lines of their own.
        return "\n".join("xyz"[n % 3] + row[1:] for n, row in enumerate(rows))[:size]


def changed(shape: Shape, draw: random.Random, pool: list[str]) -> Shape:
    """The shape with one part more, less, exchanged, cut short or written in code, or with other rows."""
    parts = list(shape.parts)
    place = draw.randrange(len(parts))
    match draw.randrange(7):
        case 0:
            parts.insert(place, draw.choice(pool))
        case 1:
            del parts[place]
        case 2:
            parts[place] = draw.choice(pool)
        case 3:
            parts.insert(place, draw.choice((*JOINTS, "\u200b", "%41", "\x1b[1m", "&#65;", "\\u0041")))
        case 4:
            parts[place] = disguised(parts[place], draw)
        case 5:
            parts[place] = parts[place][: draw.randint(1, len(parts[place]))]
        case _ if shape.width:
            return Shape(shape.parts, draw.choice(ROW_WIDTHS))
    kept = tuple(part for part in parts if part)[: 2 * MOST_PARTS]
    return Shape(kept or (draw.choice(pool),), shape.width)


def climbed(redactor: Redactor, draw: random.Random, pool: list[str], size: int, *, in_rows: bool) -> HostileText:
    """The slowest text that small changes lead to."""
    shapes = [
        Shape(tuple(draw.choices(pool, k=draw.randint(1, 6))), draw.choice(ROW_WIDTHS) if in_rows else 0)
        for _ in range(CANDIDATES)
    ]
    slowest, best = max((cpu(redactor, shape.text(size))[0], shape) for shape in shapes)
    tries = 0
    while tries < PATIENCE:
        tries += 1
        other = changed(best, draw, pool)
        text = other.text(size)
        seconds, _ = cpu(redactor, text)
        if seconds > slowest * STEP:
            seconds = min(seconds, cpu(redactor, text)[0])
        if seconds > slowest * STEP:
            slowest, best, tries = seconds, other, 0
    return HostileText(f"climbed {best}", best.text(size))


def cpu(redactor: Redactor, text: str) -> tuple[float, bool]:
    begun = time.thread_time()
    result = redactor.redact(text)
    return time.thread_time() - begun, result.incomplete


def duration(redactor: Redactor, hostile: HostileText, bar: float) -> Duration:
    """How long a text takes, where the fixed loop takes as long as on a quiet machine."""
    scale = REFERENCE / reference_seconds()
    seconds, incomplete = cpu(redactor, hostile.text)
    if seconds * scale > bar * 0.8:
        others = [cpu(redactor, hostile.text)[0] * REFERENCE / reference_seconds() for _ in range(2)]
        return Duration(hostile.name, min(seconds * scale, *others), incomplete)
    return Duration(hostile.name, seconds * scale, incomplete)


def measured(redactor: Redactor, asked: argparse.Namespace) -> Iterator[Duration]:
    """The durations of all texts that are asked for."""
    for hostile in texts(asked.size, asked.mixes, asked.seed, asked.seed % asked.every, asked.every):
        if not asked.wanted or any(word in hostile.name for word in asked.wanted):
            yield duration(redactor, hostile, asked.bar)
    draw, pool = random.Random(asked.seed), units()
    for number in range(asked.climbs):
        hostile = climbed(redactor, draw, pool, asked.size, in_rows=number % 2 == 1)
        yield duration(redactor, hostile, asked.bar)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wanted", nargs="*")
    parser.add_argument("--size", type=int, default=SIZE)
    parser.add_argument("--bar", type=float, default=BAR)
    parser.add_argument("--mixes", type=int, default=300)
    parser.add_argument("--climbs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    parser.add_argument("--every", type=int, default=8, help="only one text of so many")
    parser.add_argument("--use", default="hyperscan")
    asked = parser.parse_args()
    fast = asked.use == "hyperscan"
    redactor = Redactor(database=scan_database()) if fast else Redactor(use=asked.use)
    found = list(measured(redactor, asked))
    found.sort(key=lambda took: -took.seconds)
    slow = [took for took in found if took.seconds > asked.bar]
    for took in found[: max(20, min(len(slow), 400))]:
        print(f"{took.seconds:.3f} s {'*' if took.incomplete else ' '} {took.name[:200]}")
    total = sum(took.seconds for took in found)
    print(
        f"seed {asked.seed}, {asked.use}: {len(found)} texts of {asked.size:,} characters, {len(slow)} over"
        f" {asked.bar} s; {len(found) * asked.size / total / 1e6:.1f} MB/s in all,"
        f" {asked.size / found[0].seconds / 1e6:.1f} the slowest"
    )
    return bool(slow)


if __name__ == "__main__":
    sys.exit(main())
