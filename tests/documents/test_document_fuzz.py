"""Documents with small faults, by the thousand: refused, or cut to a document; never an exception, never wrong."""

import json
import os
import random
import re
from contextlib import suppress

import pytest

from documents import ID, view_of_bytes
from xml_texts import is_well_formed, report

COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\r\n]*|/\*.*?\*/', re.DOTALL)
COMMA = re.compile(r",(?=\s*[\]}])")  # no value of these texts holds one

NUMBER = 100_000 if os.environ.get("HYPOTHESIS_PROFILE") == "torture" else 3_000

VALUE = {
    "users": [{"id": index, "n": 'é\\"x' * 3, "t": [1, 2, [3, {"a": None}]]} for index in range(30)],
    "s": "x" * 300,
    "e": [],
    "o": {},
}
SOUND = {
    "json": [
        json.dumps(VALUE).encode(),
        json.dumps(VALUE, indent=1, ensure_ascii=False).encode(),
        json.dumps("a\\\n\U0001f600" * 80).encode(),
        b"[" + b"1.5e3," * 200 + b"0]",
    ],
    "ndjson": [b"".join(json.dumps({"i": index, "a": [1, 2, {}]}).encode() + b"\n" for index in range(40))],
    "xml": [
        report(12, "a<b&c ]] x\n" * 4).encode(),
        b"<?xml version='1.0'?><!-- c --><a x='1'>" + 't&amp;é<b/><c d=">">x</c>'.encode() * 40 + b"<?p i?></a>",
    ],
}
WORDS = [
    *(bytes([byte]) for byte in b"[]{}\",:\\-0\n\r <>/&;\x00\xff\xc3'"),
    *(b"\\u", b"\\ud83d", b"null", b"/>", b"</", b"<!--", b"-->", b"]]>", b"<![CDATA[", b"<?", b"?>"),
    *(b"<!DOCTYPE a>", b"\xef\xbb\xbf", b"[" * 160),
]


def with_faults(chance: random.Random, data: bytes) -> bytes:
    faulty = bytearray(data)
    for _ in range(chance.choice((0, 1, 1, 2, 5))):
        at, other = chance.randrange(len(faulty) + 1), chance.randrange(len(faulty) + 1)
        match chance.randrange(4):
            case 0:
                faulty[at:at] = chance.choice(WORDS)
            case 1:
                del faulty[at : at + chance.choice((1, 2, 5, 50))]
            case 2:
                faulty[at : at + 1] = chance.randbytes(1)
            case _:
                faulty[at:at] = faulty[other : other + chance.randrange(60)]
    return bytes(faulty)


def parses(kind: str, data: bytes) -> bool:
    try:
        text = data.decode()
        if kind == "xml":
            return is_well_formed(text)
        if kind == "json":
            with suppress(ValueError):
                json.loads(text)
                return True
            json.loads(COMMA.sub("", COMMENT.sub(lambda found: found[1] or " ", text)))
            return True
        for part in text.removesuffix("\n").split("\n"):
            json.loads(part)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("kind", list(SOUND))
def test_faults_are_seen_and_views_have_none(kind: str) -> None:
    chance = random.Random(kind)
    for _ in range(NUMBER):
        data = with_faults(chance, chance.choice(SOUND[kind]))
        limit = chance.choice((chance.randrange(1, 64), chance.randrange(64, 200), chance.randrange(64, 2000)))
        if len(data) <= 2 * limit:
            continue
        found = view_of_bytes(data, kind, limit, side=chance.choice(("both", "head", "tail")))
        if found is None:
            # Others read more than we call JSON: numbers that are none, halves of pairs.
            lenient = kind == "ndjson" or limit < 64 or b"\\ud" in data.lower() or b"<!DOCTYPE" in data
            assert lenient or kind == "xml" or not parses(kind, data), data
            continue
        assert parses(kind, data), data
        assert parses(kind, found.text.encode()), (data, limit)
        assert len(found.text) <= limit
        assert limit < 64 or ID in found.text
        kept = sum(span.chars for span in found.kept)
        assert kept + sum(gap.chars for gap in found.cut.gaps) == len(data.decode())
