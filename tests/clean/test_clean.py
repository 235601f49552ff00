import base64
import hashlib
import re
import struct
import zlib
from collections.abc import Iterable, Sized
from itertools import pairwise
from typing import AnyStr

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overspill.clean import Cleaned, Cleaner, Level, clean
from overspill.clean.decode import SAMPLE_BYTES
from overspill.clean.screen import ACTIVE, COLUMNS, ROWS, Screen
from overspill.clean.terminal import LONGEST, Escapes

ENGLAND, SCOTLAND, WALES = (
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
FAMILY = "👩\u200d👩\u200d👧"

both_levels = pytest.mark.parametrize("level", ["plain", "terminal"])

# Pieces that mean something to a terminal, and halves of them: cut anywhere, they meet at chunk borders.
PIECES = [
    "a", "ok", "row of text ", "é", "下载", "e\u0301", "\u0301", FAMILY, ENGLAND, "\U0001f3f4",
    "\U000e0067", "\u202e", "\ufeff",
    "\n", "\r\n", "\r\r\n", "\r", "\b", "\t", "\0", "\a", "\x0e", "\x7f", "\ufffd", "\ud800",
    "\x1b", "\x1b[", "\x1b[0m", "\x1b[1;38:2:1:2:3m", "\x1b[?25l", "\x1b[>4;2m", "\x1b[12", "\x1b[é",
    "\x1b[A", "\x1b[2A", "\x1b[B", "\x1b[3C", "\x1b[2D", "\x1b[G", "\x1b[5G", "\x1b[F", "\x1b[E",
    "\x1b[K", "\x1b[1K", "\x1b[2K", "\x1b[J", "\x1b[1J", "\x1b[2J", "\x1b[H", "\x1b[2;3H", "\x1b[2d",
    "\x1b[2P", "\x1b[2X", "\x1b[2@", "\x1b[s", "\x1b[u", "\x1b7", "\x1b8", "\x1bc", "\x1bD", "\x1bE", "\x1bM",
    "\x1b[?1049h", "\x1b[?1049l", "\x1b(B", "\x1b#8", "\x1b=", "\x1b ", "(B",
    "\x1b]0;title\a", "\x1b]8;;http://x\x1b\\", "\x1b]8;;", "\x1bPq#0\n#1\x1b\\", "\x1bPtmux;\x1b",
    "\x1b_x\x1b\\", "\x1bX", "\x1b\\",
    "\x9b1m", "\x9b2K", "\x9b", "\x9d0;t\x9c", "\x9d", "\x90q\x9c", "\x9c", "\x85",
]  # fmt: skip
terminal_texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=30).map("".join)
any_bytes = (
    st.binary(max_size=200)
    | st.lists(
        st.sampled_from(PIECES).map(lambda piece: piece.encode("utf-8", "surrogatepass")) | st.binary(max_size=2)
    ).map(b"".join)
    | terminal_texts.map(lambda text: text.encode("utf-16", "surrogatepass"))
    | terminal_texts.map(lambda text: text.encode("utf-8-sig", "surrogatepass"))
)
cuts = st.lists(st.integers(0, 10_000), max_size=12)

# The first bytes are held until binary and text can be told apart. Chunks begin to matter after them.
OPENING = b"row of text\n" * (SAMPLE_BYTES // 12 + 1)


def edges(data: Sized, at: Iterable[int]) -> Iterable[tuple[int, int]]:
    return pairwise([0, *sorted(place % (len(data) + 1) for place in at), len(data)])


def chunks_of(data: AnyStr, at: Iterable[int]) -> list[AnyStr]:
    return [data[start:end] for start, end in edges(data, at)]


def cleaned_in(chunks: Iterable[bytes | str], level: Level) -> tuple[str, Cleaned]:
    cleaner = Cleaner(level)
    text = "".join([*(cleaner.feed(chunk) for chunk in chunks), cleaner.flush()])
    return text, cleaner.counts


def seen(text: str) -> str:
    """What a terminal shows of `text` in the end."""
    return clean(text, "terminal")[0]


# -- chunks


@both_levels
@settings(deadline=None)
@given(data=any_bytes, at=cuts)
def test_chunking_bytes_makes_no_difference(level: Level, data: bytes, at: list[int]) -> None:
    assert cleaned_in(chunks_of(data, at), level) == clean(data, level)
    assert cleaned_in([OPENING, *chunks_of(data, at)], level) == clean(OPENING + data, level)


@both_levels
@given(text=terminal_texts, at=cuts)
def test_chunking_text_makes_no_difference(level: Level, text: str, at: list[int]) -> None:
    assert cleaned_in(chunks_of(text, at), level) == clean(text, level)


@both_levels
@settings(deadline=None)
@given(data=any_bytes)
def test_byte_by_byte_makes_no_difference(level: Level, data: bytes) -> None:
    assert cleaned_in([OPENING, *(bytes([byte]) for byte in data)], level) == clean(OPENING + data, level)


@both_levels
@given(text=terminal_texts)
def test_character_by_character_makes_no_difference(level: Level, text: str) -> None:
    assert cleaned_in(text, level) == clean(text, level)


@given(text=terminal_texts, at=cuts)
def test_chunking_makes_no_difference_at_the_limits_of_the_screen(text: str, at: list[int]) -> None:
    """A screen of three rows and seven columns meets its limits all the time."""
    units = re.findall(rf"\x1b(?:{ACTIVE})|[^\x1b]", Escapes().feed(text))

    def drawn(chunks: Iterable[Iterable[str]]) -> tuple[str, int, int]:
        screen = Screen(rows=3, columns=7)
        shown = "".join([*(screen.feed("".join(chunk)) for chunk in chunks), screen.flush()])
        return shown, screen.redraws, screen.sequences

    assert drawn(units[start:end] for start, end in edges(units, at)) == drawn([units]) == drawn(units)


@given(text=terminal_texts)
def test_no_sequence_survives(text: str) -> None:
    assert not re.search(r"[\x1b\b\a\x0e\x0f\0]|\x9b[0-?]*[ -/]*[@-~]", seen(text))


@given(text=terminal_texts)
def test_clean_text_is_left_alone(text: str) -> None:
    once = seen(text)
    if "\r" not in once and not once.startswith("\ufeff") and not re.search("[\x80-\x9f]", once):
        assert clean(once, "terminal") == (once, Cleaned())


@given(text=st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_plain_changes_nothing_but_nul_and_damage(text: str) -> None:
    assert clean(text, "plain") == (text, Cleaned())


@given(data=st.binary(max_size=300))
def test_whatever_comes_out_can_be_written_as_utf_8(data: bytes) -> None:
    text, _ = clean(data, "terminal")
    assert text.encode().decode() == text


# -- encodings


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"plain", "plain"),
        ("grün ✓".encode(), "grün ✓"),
        (b"\xef\xbb\xbfmarked", "marked"),
        ("wide ✓".encode("utf-16"), "wide ✓"),
        (b"\xfe\xff" + "big end".encode("utf-16-be"), "big end"),
        ("wider 🙂".encode("utf-32"), "wider 🙂"),
        (b"\0\0\xfe\xff" + "widest".encode("utf-32-be"), "widest"),
        (b"a\x00b", "a␀b"),
        (b"caf\xe9 \xe2\x82", "caf\ufffd \ufffd"),
    ],
)
@both_levels
def test_bytes_become_the_text_they_hold(level: Level, data: bytes, text: str) -> None:
    assert clean(data, level)[0] == text


def test_a_byte_order_mark_is_counted_and_gone() -> None:
    assert clean(b"\xef\xbb\xbfx", "plain") == ("x", Cleaned(bom=1))
    assert clean("\ufeffx", "terminal") == ("x", Cleaned(bom=1))


def test_a_replacement_character_of_the_source_is_no_damage() -> None:
    assert clean("\ufffd".encode() + b"\xff", "plain") == ("\ufffd\ufffd", Cleaned(invalid=1))


def test_half_a_utf_16_character_is_damage() -> None:
    assert clean(b"\xff\xfea\x00\x00\xd8b\x00c", "plain") == ("a\ufffdb\ufffd", Cleaned(invalid=2, bom=1))


def test_lone_surrogates_become_replacement_characters() -> None:
    assert clean("a\ud800b\udfff", "plain") == ("a\ufffdb\ufffd", Cleaned(invalid=2))


@given(
    data=st.binary(max_size=100).filter(lambda data: not data.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")))
)
def test_damaged_utf_8_reads_as_everyone_reads_it(data: bytes) -> None:
    text, done = clean(data, "plain")
    assert done.binary or text == data.decode("utf-8", "replace").replace("\0", "␀")


# -- sequences


@pytest.mark.parametrize(
    "sequence",
    [
        "\x1b[?25l", "\x1b[?2004h", "\x1b[0m", "\x1b[1;31m", "\x1b[38;2;1;2;3m", "\x1b[38:2::1:2:3m", "\x1b[4:3m",
        "\x1b[>4;2m", "\x1b[=1u", "\x1b[!p", "\x1b[2 q", "\x1b[6n", "\x1b[c", "\x1b[0;24r", "\x1b[?1;2c",
        "\x1b]0;title\a", "\x1b]0;title\x1b\\", "\x1b]8;;https://example.org\x1b\\", "\x1b]8;;\x1b\\", "\x1b]133;A\a",
        "\x1b]1337;File=inline=1:aGVsbG8=\a", "\x1b]52;c;aGk=\x9c", "\x1bP+q544e\x1b\\", "\x1bPq#0;2;0;0;0\n~~@@\x1b\\",
        "\x1b_Gf=100;AAAA\x1b\\", "\x1b^private\x1b\\", "\x1bXstring\x1b\\", "\x1bPtmux;\x1b\x1b]0;t\a\x1b\\",
        "\x1b(B", "\x1b)0", "\x1b*B", "\x1b%G", "\x1b#8", "\x1b F", "\x1b=", "\x1b>", "\x1bN", "\x1bZ", "\x1b\\",
        "\x9b31m", "\x9b?25h", "\x9d0;title\x9c", "\x9d0;title\a", "\x90q\x9c", "\x9f G\x9c",
        "\a", "\x0e", "\x0f", "\x1b",
    ],
)  # fmt: skip
def test_a_sequence_leaves_no_byte(sequence: str) -> None:
    text, done = clean(f"<{sequence}é>", "terminal")
    assert text == "<é>"
    assert done.escapes >= 1


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("\x1b]0;title never ended\nnext", "0;title never ended\nnext"),
        ("\x1b[31", ""),
        ("\x1b[31;\n", "\n"),
        ("\x1b\x1b[0mx", "x"),
        ("quote \x93so\x94 and \x96", "quote \x93so\x94 and \x96"),
        ("mojibake \x9d no end", "mojibake <U+009D> no end"),
    ],
)
def test_what_is_no_whole_sequence_hides_nothing(text: str, left: str) -> None:
    assert seen(text) == left


def test_a_string_without_end_hides_nothing_and_holds_little() -> None:
    cleaner = Cleaner("terminal")
    chunk = "x" * 60_000
    out = cleaner.feed("\n\x1b]0;")
    most_held = 0
    for fed in range(1, 41):
        out += cleaner.feed(chunk)
        most_held = max(most_held, fed * len(chunk) - len(out))
    assert most_held <= LONGEST
    assert out + cleaner.flush() == "\n0;" + chunk * 40


# -- redraws


def test_ten_thousand_progress_updates_become_one_line() -> None:
    updates = "".join(f"\rDownloading {done / 100:6.2f}% [{'#' * (done // 500):20}]" for done in range(10_001))
    text, done = clean(f"start\n{updates}\nend\n", "terminal")
    assert text == f"start\nDownloading 100.00% [{'#' * 20}]\nend\n"
    assert done.redraws == 10_000


@pytest.mark.parametrize("update", ["{}%\r", "\r{}%", "{}/9999 files\r", "fetching {} kB |\r", "⠋ building {}s\r"])
def test_progress_needs_no_line_end(update: str) -> None:
    text = seen("".join(update.format(number) for number in range(10_000)))
    assert "9999" in text
    assert len(text) < 40


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("long line\rab\n", "abng line\n"),
        ("long line\r\x1b[Kab\n", "ab\n"),
        ("long line\x1b[2K\rab\n", "ab\n"),
        ("long line\x1b[1K\x1b[1GX\n", "X\n"),
        ("abc\b\bX\n", "aXc\n"),
        ("x\n\x1b[A\by\n", "y\n"),
        ("N\bNA\bAM\bME\bE _\bx\n", "NAME x\n"),
        ("password: *\b \b*\b \b\n", "password:  \n"),
        ("one\ntwo\nthree\n\x1b[2A\x1b[2Kzwei\n\n", "one\nzwei\nthree\n"),
        ("a 1%\nb 1%\n\x1b[2Aa 9%\nb 9%\n", "a 9%\nb 9%\n"),
        ("1\n2\n3\n\x1b[3A\x1b[Jdone\n", "done\n"),
        ("a\n\x1b[Fb", "b\n"),
        ("ab\x1b[2Dcd\x1b[1Ce", "cd e"),
        ("12345\x1b[3G\x1b[2Pend", "12end"),
        ("12345\x1b[2G\x1b[2X", "1  45"),
        ("12345\x1b[2G\x1b[2@", "1  2345"),
        ("a\x1b7bc\x1b8X", "aXc"),
        ("下载中 50%\rdone      \n", "done      \n"),
        ("aaaaaaaaaa\r下载中    \n", "下载中    \n"),
        ("下载\rx\n", "x 载\n"),
        ("e\u0301a\rx\n", "xa\n"),
        ("one\x1bEtwo", "one\ntwo"),
        ("before\n\x1b[H\x1b[2Jafter\n", "before\nafter\n"),
        ("$ \x1b[H\x1b[2J\x1b[3Jframe 1\n\x1b[Hframe 2\n", "$ \nframe 2\n"),
        ("x\x1b[?1049h\x1b[2J\x1b[3;2Htop\x1b[3;2HTOP\x1b[?1049ly", "x\n\n\n TOP\ny"),
    ],
)
def test_what_is_drawn_over_is_gone(text: str, left: str) -> None:
    assert seen(text) == left


@pytest.mark.parametrize("text", ["a\r\nb\r\n", "a\r\r\nb\r\r\n", "\r\n\r\n", "a\nb\r\nc\n", "tab\tbed\x0cform\x0b\n"])
def test_line_ends_are_no_overwrites(text: str) -> None:
    assert clean(text, "terminal") == (text, Cleaned())
    assert seen(text + "\x1b[0m") == text


@pytest.mark.parametrize(
    "text",
    [
        "Dear Sir\r\rI am writing to you\rabout the matter of\rthe old Mac.\r",
        "name,size\rone,1\rtwo,2\r",
        "1\t2\t3\r4\t5\t6\r7\t8\t9",
        "1\r2\r3\r4\r",
        "on run\rtell application\rend tell\r" * 5_000,
        "just one line\r",
    ],
)
def test_the_lines_of_an_old_mac_file_stay(text: str) -> None:
    assert clean(text, "terminal") == (text, Cleaned())
    assert cleaned_in(chunks_of(text, range(0, len(text), 1_000)), "terminal") == (text, Cleaned())


def test_a_cursor_reaches_as_far_as_a_screen() -> None:
    rows = [f"row {number}" for number in range(ROWS + 50)]
    text = seen("\n".join(rows) + "\x1b[999F\x1b[2Ktop\n")
    assert text.split("\n") == [*rows[:50], "top", *rows[51:]]


def test_a_line_without_end_is_not_held() -> None:
    cleaner = Cleaner("terminal")
    out = cleaner.feed("\n" + "x" * 1_000_000)
    assert 1_000_001 - len(out) < COLUMNS
    assert out + cleaner.flush() == "\n" + "x" * 1_000_000


def test_memory_does_not_grow_with_the_stream() -> None:
    cleaner = Cleaner("terminal")
    fed = given_back = held = 0
    for number in range(3_000):
        fed += len(chunk := f"line {number} of a build, quite ordinary\n" * 20)
        given_back += len(cleaner.feed(chunk))
        held = max(held, fed - given_back)
    assert held < 128 * 45


def test_a_row_that_is_drawn_over_does_not_grow_without_end() -> None:
    screen = Screen(columns=50)
    given_back = screen.feed("first\rx" + "\u0301" * 1_000)
    assert len(given_back) > 900
    assert (given_back + screen.flush()).count("\u0301") == 1_000


# -- hidden characters


def test_hidden_characters_are_spelled_out() -> None:
    text, done = clean("if admin\u202e \u2066// \u2069\u2066 evil\U000e0041", "terminal")
    assert text == "if admin<U+202E> <U+2066>// <U+2069><U+2066> evil<U+E0041>"
    assert done == Cleaned(hidden=5)


@pytest.mark.parametrize("text", [ENGLAND, SCOTLAND, WALES, FAMILY, "\U0001f3f4", "مرحبا \u200f!", "🏳️\u200d🌈 ❤️"])
def test_emoji_and_other_scripts_stay_whole(text: str) -> None:
    assert clean(f"<{text}>", "terminal") == (f"<{text}>", Cleaned())


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("to\u200bken", "token"), ("to\u200c\u200dken", "token"), ("a\ufe0fb\ufe01c\U000e0101d", "abcd"),
        ("\u2060\u00ad\ufeffx", "x"), ("a\u2028b\u2029c", "a<U+2028>b<U+2029>c"), ("a\x85b", "a<U+0085>b"),
        ("a\x7fb\x05c\x1ad\x18", "a<U+007F>b<U+0005>c<U+001A>d<U+0018>"),
        ("\u2764\ufe0f\ufe0f\ufe00", "\u2764\ufe0f"), ("1\ufe0f\u20e3 1\ufe0f", "1\ufe0f\u20e3 1"),
    ],
)  # fmt: skip
def test_what_nobody_sees_is_taken_out_or_spelled_out_and_counted(text: str, left: str) -> None:
    """However it comes: one character at a time as well."""
    said, done = clean(f"<{text}>", "terminal")
    assert said == f"<{left}>"
    assert done.hidden > 0
    cleaner = Cleaner("terminal")
    assert "".join([*map(cleaner.feed, f"<{text}>"), cleaner.flush()]) == said
    assert cleaner.counts == done


@pytest.mark.parametrize(
    "text",
    ["\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u0915\u094d\u200d\u0937", "\u845b\U000e0100\u57ce",
     "\u2764\ufe0f\u200d\U0001f525",
     "\u2714\ufe0f ok", "#\ufe0f\u20e3", "\U0001f9d1\U0001f3fd\u200d\U0001f4bb", "\u2229\ufe00"],
)  # fmt: skip
def test_joiners_and_selectors_stay_where_they_are_written(text: str) -> None:
    assert clean(f"<{text}>", "terminal") == (f"<{text}>", Cleaned())


def test_only_real_flags_may_carry_tags() -> None:
    smuggled = "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in "ignore") + "\U000e007f"
    assert clean(smuggled, "terminal")[1].hidden == 7


# -- binary


def png(width: int, height: int) -> bytes:
    def part(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    pixels = zlib.compress(bytes(hashlib.sha256(str(row).encode()).digest()[0] for row in range(width * height)))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", header) + part(b"IDAT", pixels) + part(b"IEND", b"")


def test_small_binary_content_is_given_whole() -> None:
    data = png(3, 2)
    text, done = clean(data, "plain")
    first, encoded = text.splitlines()
    assert first == f"[binary image/png, {len(data)} bytes, base64]"
    assert base64.b64decode(encoded) == data
    assert done == Cleaned(binary="image/png")


def test_of_large_binary_content_the_reader_gets_what_it_is() -> None:
    data = png(120, 80)
    text, _ = clean(data, "terminal")
    assert text.splitlines() == [
        f"[binary image/png, {len(data):,} bytes, 120 x 80 pixels]",
        f"sha256: {hashlib.sha256(data).hexdigest()}",
        f"first bytes: {data[:32].hex(' ')}",
    ]


def test_the_size_of_a_jpeg_is_not_that_of_its_thumbnail() -> None:
    def frame(width: int, height: int) -> bytes:
        return b"\xff\xc0\x00\x0b\x08" + struct.pack(">HH", height, width) + b"\x01\x01\x11\x00"

    thumbnail = b"\xff\xd8" + frame(16, 16)
    data = b"\xff\xd8\xff\xe1" + struct.pack(">H", len(thumbnail) + 2) + thumbnail + frame(640, 480) + bytes(5_000)
    assert "640 x 480 pixels" in clean(data, "plain")[0]


@pytest.mark.parametrize(
    ("start", "name"),
    [
        (b"GIF89a\x05\x00\x04\x00", "image/gif"),
        (b"RIFF\x00\x00\x01\x00WEBPVP8 ", "image/webp"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "application/pdf"),
        (b"PK\x03\x04\x14\x00\x00\x00", "application/zip"),
        (b"\x1f\x8b\x08\x00\x00\x00", "application/gzip"),
        (b"\x28\xb5\x2f\xfd\x04\x58", "application/zstd"),
        (b"\x7fELF\x02\x01\x01\x00", "application/x-elf"),
        (b"\xcf\xfa\xed\xfe\x07\x00\x00\x01", "application/x-mach-binary"),
        (b"MZ\x90\x00\x03\x00", "application/vnd.microsoft.portable-executable"),
        (b"SQLite format 3\x00\x10\x00", "application/vnd.sqlite3"),
        (b"\xca\xfe\xba\xbe\x00\x00\x00\x41", "application/java-vm"),
        (b"\xca\xfe\xba\xbe\x00\x00\x00\x02", "application/x-mach-binary"),
        (b"\x00asm\x01\x00\x00\x00", "application/wasm"),
        (b"ID3\x04\x00\x00\x00", "audio/mpeg"),
        (b"\x00\x00\x00\x18ftypmp42", "video/mp4"),
        (b"OggS\x00\x02\x00\x00", "audio/ogg"),
        (b"file.txt".ljust(257, b"\0") + b"ustar\x0000", "application/x-tar"),
        (b"\x01\x02\x03\x04\x05\x06", "application/octet-stream"),
        (bytes(64), "application/octet-stream"),
    ],
)
def test_binary_content_is_known_by_its_magic_number(start: bytes, name: str) -> None:
    assert clean(start + bytes(range(256)), "plain")[1] == Cleaned(binary=name)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GIF89a is a format",
        b"%PDF- is how they begin\n",
        b"BM and MZ and ID3\n",
        b"./a\0./b\0./c/d\0",
        b"HOME=/\0SHELL=/bin/sh\0",
        "Übung in Latin-1, größtenteils".encode("latin-1"),
        b"\x1b[31mred\x1b[0m\r\n" * 10,
        b"log\n" * 9_000 + b"\0" * 500,
        ("é" * 32_768)[:32_767].encode() + b"x\xc3\xa9",
    ],
)
def test_text_is_not_taken_for_binary(data: bytes) -> None:
    assert clean(data, "plain")[1].binary == ""
