"""What the specification says about what comes in."""

import base64
import hashlib
import json

import pytest

from overspill.clean import Cleaned, Level, clean
from overspill.clean.objects import serialise_object

both_levels = pytest.mark.parametrize("level", ["plain", "terminal"])


@both_levels
@pytest.mark.parametrize("damage", [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf8\x88", b"\xe2\x82", b"\x80\x80"])
def test_invalid_utf_8_is_handled_without_a_crash(level: Level, damage: bytes) -> None:
    """AC-084"""
    text, done = clean(b"before " * 20 + damage + b" after", level)
    assert text.startswith("before ")
    assert text.endswith(" after")
    assert "\ufffd" in text
    assert done.invalid >= 1
    text.encode()


@both_levels
def test_small_binary_content_is_base64(level: Level) -> None:
    """AC-085, P-08, X-42"""
    data = bytes(range(256)) * 16
    header, encoded = clean(data, level)[0].splitlines()
    assert header == "[binary application/octet-stream, 4,096 bytes, base64]"
    assert base64.b64decode(encoded) == data


@both_levels
def test_large_binary_content_is_summarised(level: Level) -> None:
    """AC-085, P-08, X-42"""
    data = b"\x7fELF\x02\x01\x01" + bytes(100_000)
    text, done = clean(data, level)
    assert "[binary application/x-elf, 100,007 bytes]" in text
    assert hashlib.sha256(data).hexdigest() in text
    assert len(text) < 300
    assert done.binary == "application/x-elf"


def test_circular_references_are_detected() -> None:
    """AC-091, X-28"""
    order: dict[str, object] = {"id": 7}
    order["lines"] = [{"order": order}]
    text, content_type = serialise_object(order)
    assert json.loads(text) == {"id": 7, "lines": [{"order": "[Circular]"}]}
    assert content_type == "application/json"


@both_levels
def test_null_bytes_are_sanitised_and_counted(level: Level) -> None:
    """AC-098, X-54"""
    assert clean("a\0b\0", level) == ("a␀b␀", Cleaned(nul=2))
    assert clean(b"first\0second\0third", level) == ("first␀second␀third", Cleaned(nul=2))


def test_many_null_bytes_make_it_binary() -> None:
    """X-54"""
    assert clean(b"a\0\0\0" * 100, "plain")[1].binary == "application/octet-stream"


def test_output_may_be_a_string_json_or_binary() -> None:
    """UM-01"""
    assert clean("said", "plain")[0] == "said"
    assert serialise_object({"said": True})[0] == '{"said":true}'
    assert clean(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "plain")[1].binary == "image/png"
