"""Hostile texts in which hardly anything comes twice: nothing that was asked of a value helps with the next.

    python tests/torture/hostile_families.py [--size 262144] [--bar 0.1] [--each 40] [--seed N] [--use re2] [family ...]

`hostile_texts.py` repeats its units, values and all. Here a value is drawn each time, except in `bits`, which repeats
two to two hundred characters cut from what rules look for. Times are told as there.
"""

import argparse
import json
import random
import secrets
import string
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "kits"))

from hostile_texts import BAR, NAMES, PLACES, SIGNS, SIZE, Duration, HostileText, duration, units

from overspill.redact import RULES, scan_database
from overspill.redact.redactor import Redactor
from overspill.redact.rules import made_up_value

SHAPES = (
    "<A8>", "<A12>", "<A20>", "<A40>", "<L10>", "<H16>", "<H32>", "<U16>", "<D9>", "<A6>-<A6>", "<A4>_<L6>",
    "<A10>!x#<D1>", "<B24>==", "<L5>.<L6>", "<A3>/<A9>/<A5>", "${<U6>}", "<W43>", "<UUID>", "<A300>", "<L6> <L5> <L7>",
)  # fmt: skip
ENDS = ("", "\n", " ", ",", '"', "'", "\r\n", "; ", '",', '"}\n')
INDENTS = ("", " ", "  ", "    ", "\t", "- ", "* ", "+", "> ", "| ", "# ")
JOINTS = (": ", "=", ":", " = ", ": |", '": "', "> ", " | ", ",", ":\t", " ")
OPENERS = (
    ('{"', '":'),
    ('{\\"', '\\":'),
    ("('", "', "),
    ("<", ">"),
    ("[", ", "),
    ("{'", "': "),
    ('"', " "),
    ("`", "="),
)
MARGINS = ("", "> ", "  ", "| ", "\x1b[2m", "  1 ", "\t")
WORDS = [
    "the", "a", "password", "token", "key", "secret", "login", "user", "for", "is", "of", "ssh", "credential", "and",
    "session", "auth", "your", "code", "recovery", "codes:", "api", "vault", "pwd", "now", "was",
]  # fmt: skip
LETTERS = string.ascii_letters + string.digits
EACH_SHAPE, NEW_LETTERS, DEEPEST, LONGEST_UNIT = 40, 3, 40, 200
SAMPLES = [sample for rule in RULES for sample in (rule.yes, rule.no) if sample]
GATES = sorted({gate for rule in RULES for gate in rule.gates})


class Values:
    """Values of all shapes, no two alike: some letters of each are new."""

    def __init__(self, draw: random.Random) -> None:
        self._draw = draw
        seeds = [draw.randrange(1 << 30) for _ in range(EACH_SHAPE)]
        self._made = [[made_up_value(shape, seed) for seed in seeds] for shape in SHAPES]

    def of(self, shape: int) -> str:
        value = self._draw.choice(self._made[shape])
        new = "".join(self._draw.choices(LETTERS, k=NEW_LETTERS))
        middle = len(value) // 2
        return value[:middle] + new + value[middle + NEW_LETTERS :]

    def any(self) -> str:
        return self.of(self._draw.randrange(len(SHAPES)))


Pieces = Iterator[str]


def fresh(draw: random.Random) -> Pieces:
    """Names, signs and values in an order that comes again, each value once."""
    values, pool = Values(draw), units()
    parts = [
        (
            draw.choice(NAMES) if draw.random() < 2 / 3 else draw.choice(pool)[:60],
            draw.choice(SIGNS),
            draw.randrange(len(SHAPES)),
            draw.choice(ENDS),
        )
        for _ in range(draw.randint(1, 6))
    ]
    while True:
        yield from (name + sign + values.of(shape) + end for name, sign, shape, end in parts)


def bits(draw: random.Random) -> Pieces:
    """A few characters of what rules look for, again and again."""
    length, unit = draw.randint(2, LONGEST_UNIT), ""
    while len(unit) < length:
        letters = draw.choice(LETTERS) * draw.randint(1, 6)
        part = draw.choice((draw.choice(GATES), draw.choice(SIGNS), draw.choice(PLACES), letters))
        part = part[: draw.randint(1, len(part))] if draw.random() < 1 / 5 else part
        unit += part.upper() if draw.random() < 1 / 10 else part
    while True:
        yield unit[:length]


def lines(draw: random.Random) -> Pieces:
    """Settings at all depths, with ends of lines of every kind."""
    values, end = Values(draw), draw.choice(("\n", "\r\n", "\n\n", "\r", "\n\t"))
    forms = [
        (draw.choice(INDENTS), draw.choice(NAMES), draw.choice(JOINTS), draw.random() < 4 / 5)
        for _ in range(draw.randint(1, 5))
    ]
    while True:
        indent, name, joint, has_value = draw.choice(forms)
        yield indent * draw.randint(0, 3) + name + joint + (values.any() if has_value else "") + end


def nested(draw: random.Random) -> Pieces:
    """Objects in objects, elements in elements, calls in calls, under names of secrets."""
    values, (opener, joint), depth = Values(draw), draw.choice(OPENERS), draw.randint(1, DEEPEST)
    while True:
        yield "".join(opener + draw.choice(NAMES) + joint for _ in range(depth))
        yield draw.choice(('"', "'", "")) + values.any() + draw.choice(('"', "'", ""))
        yield draw.choice(("}" * depth, "]" * depth, ")" * depth, "", "\n")) + draw.choice((",", "\n", " "))


def woven(draw: random.Random) -> Pieces:
    """Two samples of rules in one, a few letters of each by turns."""
    first, second, step, end = *draw.choices(SAMPLES, k=2), draw.randint(1, 9), draw.choice(("", "\n", " ", ","))
    number = 0
    while True:
        one, two = made_up_value(first, number % 97), made_up_value(second, number % 89)
        places = range(0, max(len(one), len(two)), step)
        yield "".join(one[at : at + step] + two[at : at + step] for at in places) + end
        number += 1


def ragged(draw: random.Random) -> Pieces:
    """Samples of rules folded into rows, most of one width, behind a margin."""
    samples = [made_up_value(draw.choice(SAMPLES), number) for number in range(60)]
    text, width, margin = draw.choice((" ", "", "; ")).join(samples), draw.randint(20, 200), draw.choice(MARGINS)
    at = 0
    while True:
        row = width if draw.random() < 2 / 3 else draw.randint(10, width)
        yield margin + (text + text)[at : at + row] + "\n"
        at = (at + row) % len(text)


def quoted(draw: random.Random) -> Pieces:
    """JSON in strings of JSON, escaped once more at each depth."""
    values = Values(draw)
    depth, end, coded = draw.randint(1, 4), draw.choice(("\n", ",", "")), draw.choice(('\\"', "&quot;", "%22"))
    while True:
        text = json.dumps({draw.choice(NAMES): values.any() for _ in range(draw.randint(1, 6))})
        for _ in range(depth):
            text = json.dumps({draw.choice(NAMES): text})
        yield text.replace('\\"', coded) + end


def sampled(draw: random.Random) -> Pieces:
    """Samples of a few rules, each with a value of its own."""
    samples, end = draw.choices(SAMPLES, k=draw.randint(1, 8)), draw.choice(("\n", " ", ", ", "\n\n"))
    number = 0
    while True:
        yield made_up_value(draw.choice(samples), number) + end
        number += 1


def prose(draw: random.Random) -> Pieces:
    """Sentences of words for secrets, with drawn words among them."""
    values, share = Values(draw), draw.random() / 2
    while True:
        word = values.any() if draw.random() < share else draw.choice(WORDS)
        yield word + (" " if draw.random() < 9 / 10 else draw.choice((".\n", ", ", ": ", "\n", "' ", ' "')))


FAMILIES: tuple[Callable[[random.Random], Pieces], ...] = (
    fresh, bits, lines, nested, woven, ragged, quoted, sampled, prose,
)  # fmt: skip


def family_text(family: Callable[[random.Random], Pieces], seed: str, size: int) -> HostileText:
    """One text of a family: the same for the same seed."""
    pieces, length = [], 0
    for piece in family(random.Random(f"{seed} {family.__name__}")):
        pieces.append(piece)
        length += len(piece)
        if length >= size:
            break
    text = "".join(pieces)[:size]
    return HostileText(f"{family.__name__} {seed} {text[:80]!r}", text)


def said_of(name: str, took: list[Duration], size: int, bar: float) -> str:
    slow, total = sum(one.seconds > bar for one in took), sum(one.seconds for one in took)
    slowest = max(one.seconds for one in took)
    speed = len(took) * size / total / 1e6
    return f"{name}: {slow} of {len(took)} over {bar} s, {speed:.1f} MB/s, slowest {slowest:.3f} s"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wanted", nargs="*")
    parser.add_argument("--size", type=int, default=SIZE)
    parser.add_argument("--bar", type=float, default=BAR)
    parser.add_argument("--each", type=int, default=40)
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    parser.add_argument("--use", default="hyperscan")
    asked = parser.parse_args()
    redactor = Redactor(database=scan_database()) if asked.use == "hyperscan" else Redactor(use=asked.use)
    found: list[Duration] = []
    for family in FAMILIES:
        if asked.wanted and family.__name__ not in asked.wanted:
            continue
        texts = (family_text(family, f"{asked.seed} {number}", asked.size) for number in range(asked.each))
        took = [duration(redactor, hostile, asked.bar) for hostile in texts]
        print(said_of(family.__name__, took, asked.size, asked.bar), flush=True)
        found += took
    for slow in sorted(found, key=lambda took: -took.seconds)[:20]:
        print(f"{slow.seconds:.3f} s {'*' if slow.incomplete else ' '} {slow.name[:160]}")
    print(said_of(f"seed {asked.seed}, {asked.use}, all", found, asked.size, asked.bar))
    return any(took.seconds > asked.bar for took in found)


if __name__ == "__main__":
    sys.exit(main())
