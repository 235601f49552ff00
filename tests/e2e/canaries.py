"""Secrets that exist once: one for every place of a tool's result, and where each was seen.

A canary is drawn afresh for every run, so that what is found tells by which way it came. What is searched are whole
requests, in every form in which an agent may write down what a tool said.
"""

import base64
import re
import secrets
import string
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import unquote_to_bytes, urlsplit

from e2e.model import Request

LETTERS = string.ascii_letters + string.digits
PIECE = 8  # characters: so much of a secret is one, too
ESCAPE = re.compile(rb"\\+u00([0-9a-fA-F]{2})")  # however often it was escaped
ENTITY = re.compile(rb"&#(?:[xX]([0-9a-fA-F]{2})|(\d{2,3}));")
BASE64_HEAD, BASE64_TAIL = (0, 2, 3), (0, 3, 2)
ZIPPED = (b"\x1f\x8b", b"\x78\x01", b"\x78\x9c", b"\x78\xda")

HIDDEN, BEFORE, OUTSIDE = "hidden", "before any hook", "outside any hook"
LEAKED, LOST, ABSENT = "LEAKED", "LOST", "n/a"


class Canary(NamedTuple):
    """Two secrets of kinds that must be hidden, and a word beside them that must not."""

    place: str
    marker: str
    password: str
    token: str

    @property
    def text(self) -> str:
        """A few lines as tools say them."""
        lines = f"{self.marker} begins", f"DB_PASSWORD={self.password}", f"{self.marker} cloned with {self.token}", ""
        return "\n".join(lines)


def draw_canary(place: str) -> Canary:
    """A new one. The password has letters of both cases and digits, as generated passwords have."""
    password = drawn_text(21) + "".join(map(secrets.choice, (string.digits, *re.findall("[a-z]+|[A-Z]+", LETTERS))))
    word = "".join(secrets.choice(string.ascii_lowercase) for _ in range(4))
    marker = f"the canary of {place}, {word} {secrets.randbelow(9_000) + 1_000}"
    return Canary(place, marker, password, f"ghp_{drawn_text(36)}")


def drawn_text(length: int) -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(length))


# -- looking for them --------------------------------------------------------------------------------------------------


def written_forms(text: str) -> Iterator[bytes]:
    """A text as it stands in a request: as it is, in base64 wherever it begins there, and in hex."""
    plain = text.encode()
    yield plain
    yield plain.hex().encode()
    yield plain.hex().upper().encode()
    for before in range(3):
        code = base64.b64encode(bytes(before) + plain)
        # The first and the last letters tell of what stands before and behind, too.
        inner = code[BASE64_HEAD[before] : len(code) - BASE64_TAIL[(before + len(plain)) % 3]]
        yield inner
        yield inner.replace(b"+", b"-").replace(b"/", b"_")


def readings(body: bytes) -> list[bytes]:
    """A body as it came, and as it reads where it was packed or escaped."""
    if body.startswith(ZIPPED):
        with suppress(zlib.error):
            body += b"\n" + zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(body)
    found = [body]
    if ESCAPE.search(body):
        found.append(ESCAPE.sub(lambda match: bytes.fromhex(match[1].decode()), body))
    if ENTITY.search(body):
        found.append(ENTITY.sub(entity_byte, body))
    if b"%" in body:
        found.append(unquote_to_bytes(body))
    return found


def entity_byte(match: re.Match[bytes]) -> bytes:
    number = int(match[1], 16) if match[1] else int(match[2])
    return bytes([number]) if number < 128 else match[0]


class RequestLog:
    """All requests of a run, made readable once."""

    def __init__(self, requests: Sequence[Request]) -> None:
        self._read = [(request, readings(request.body) + readings(request.path.encode())) for request in requests]

    def secret_paths(self, canary: Canary) -> set[str]:
        """To which addresses a secret of a canary was sent, or a piece of one."""
        forms = {form for piece in secret_pieces(canary) for form in written_forms(piece)}
        sent = [request for request, texts in self._read if any(form in text for text in texts for form in forms)]
        return {address(request) for request in sent}

    def holds_marker(self, canary: Canary) -> bool:
        """Whether the conversation itself got what stands beside the secrets."""
        turns = [texts for request, texts in self._read if request.asked and request.asked.tools]
        return any(form in text for form in written_forms(canary.marker) for texts in turns for text in texts)


def secret_pieces(canary: Canary) -> list[str]:
    """What nobody else says: each secret in pieces, so that a part of it is found as well."""
    bodies = canary.password, canary.token.removeprefix("ghp_")
    return [body[at : at + PIECE] for body in bodies for at in range(0, len(body) - PIECE + 1, PIECE)]


def address(request: Request) -> str:
    """Where a request went, without its question."""
    return urlsplit(request.path).path or request.path


class Outcome(NamedTuple):
    """What became of one canary."""

    place: str
    word: str
    why: str = ""

    @property
    def is_failure(self) -> bool:
        return self.word in {LEAKED, LOST}


class Allowed(NamedTuple):
    """What is known to be sent where no hook can help: how it is called, and where it goes; all, if nothing is said."""

    word: str
    ending: str = ""


class Known(NamedTuple):
    """What is known of an agent: places it has not, and what it sends without asking."""

    absent: Mapping[str, str]  # why, by place
    allowed: Mapping[str, Allowed]


def canary_outcome(canary: Canary, ours: RequestLog, *, arrives: bool, known: Known) -> Outcome:
    """What became of a canary, of which is told whether it arrives at the model without us."""
    place, allowed = canary.place, known.allowed.get(canary.place)
    sent = sorted(ours.secret_paths(canary))
    if any(allowed is None or not path.endswith(allowed.ending) for path in sent):
        return Outcome(place, LEAKED, f"to {', '.join(sent)}")
    if sent and allowed:
        return Outcome(place, allowed.word, f"to {', '.join(sent)}")
    if not arrives:
        absent = known.absent.get(place)
        return (
            Outcome(place, ABSENT, absent) if absent else Outcome(place, LOST, "it does not arrive without us either")
        )
    if not ours.holds_marker(canary):
        return Outcome(place, LOST, "what stands beside it did not reach the model")
    return Outcome(place, HIDDEN)
