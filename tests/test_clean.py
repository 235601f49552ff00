import pytest

from overspill.clean import Cleaned, clean


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"plain", "plain"),
        ("grün ✓".encode(), "grün ✓"),
        (b"\xef\xbb\xbfmarked", "marked"),
        ("wide ✓".encode("utf-16"), "wide ✓"),
        (b"\xfe\xff" + "big end".encode("utf-16-be"), "big end"),
        ("wider 🙂".encode("utf-32"), "wider 🙂"),
        (b"a\x00b", "a␀b"),
        (b"caf\xe9 \xe2\x82", "caf\ufffd \ufffd"),
    ],
)
def test_bytes_become_the_text_they_hold(data: bytes, text: str) -> None:
    assert clean(data, "plain")[0] == text


def test_a_replacement_character_of_the_source_is_no_damage() -> None:
    assert clean("\ufffd".encode() + b"\xff", "plain") == ("\ufffd\ufffd", Cleaned(invalid=1))


def test_lone_surrogates_become_replacement_characters() -> None:
    assert clean("a\ud800b\udfff", "plain") == ("a\ufffdb\ufffd", Cleaned(invalid=2))
