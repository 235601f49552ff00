"""Bytes of two kinds in one output: a mark that does not keep its word, encodings in turn, binary within text."""

import sys
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overspill.clean import Cleaned, Cleaner, Level, clean
from overspill.clean.decode import SAMPLE_BYTES

MARKS = {
    "utf-16-le": b"\xff\xfe",
    "utf-16-be": b"\xfe\xff",
    "utf-32-le": b"\xff\xfe\0\0",
    "utf-32-be": b"\0\0\xfe\xff",
}
both_levels = pytest.mark.parametrize("level", ["plain", "terminal"])
each_encoding = pytest.mark.parametrize("encoding", MARKS)

SENTENCES = [
    "The build failed: 3 of 120 tests, see build.log\n",
    "Größe überschritten: 12 Sätze gelöscht\n",
    "Сборка не удалась: 3 из 120 тестов, смотрите журнал\n",
    "η κατασκευή απέτυχε: 3 από 120 δοκιμές\n",
    "הבנייה נכשלה: 3 מתוך 120 בדיקות\n",
    "فشل البناء: 3 من 120 اختبارا\n",
    "बिल्ड विफल रहा: 120 में से 3 परीक्षण\n",
    "การสร้างล้มเหลว 3 จาก 120 การทดสอบ\n",
    "构建失败 一百二十个测试中有三个没有通过 请查看日志文件了解详细信息。\n",
    "ビルドに失敗しました。百二十のテストのうち三つが通りませんでした。\n",
    "빌드에 실패했습니다. 백이십 개의 시험 중 세 개가 통과하지 못했습니다.\n",
    "構建進度…………………………………………………………完成\n",
    "╔═══╦═══╦═══╗\n║ a ║ b ║ c ║\n╚═══╩═══╩═══╝\n",
    "done 🙂 in 3 s ✓\n",
]
LINE = "   2026-11-17 12:00:01 ERROR cart: total was 1999, expected 2000\n"
PROGRAM = b"\0" + b"\0".join(sha256(b"%d" % number).digest() + b"\0\x01.text\0" for number in range(60)) + b"\0"
LOG = b"".join(b"2026-11-17 12:00:%02d INFO block %d written\n" % (number % 60, number) for number in range(200))

printable = st.text(st.characters(min_codepoint=32, max_codepoint=126) | st.just("\n"), min_size=1, max_size=60)
pieces = st.lists(
    st.sampled_from([one.encode("utf-16-le") for one in SENTENCES])
    | st.sampled_from([one.encode("utf-16-be") for one in SENTENCES])
    | st.sampled_from([one.encode() for one in SENTENCES])
    | st.sampled_from([PROGRAM, bytes(100), bytes(5_000), b"a\0b\0", b"\x7fELF\x01\x02\0", LINE.encode(), b"\xe2\x82"])
    | st.binary(max_size=80),
    max_size=8,
).map(b"".join)
beginnings = st.sampled_from([b"", *MARKS.values(), b"\xef\xbb\xbf", bytes(5_000), LOG])


def cleaned_in(chunks: list[bytes], level: Level) -> tuple[str, Cleaned]:
    cleaner = Cleaner(level)
    text = "".join([*(cleaner.feed(chunk) for chunk in chunks), cleaner.flush()])
    return text, cleaner.counts


# -- what a mark says


@each_encoding
@both_levels
@pytest.mark.parametrize(
    "follows",
    [b"some text that is no UTF-16\n", "ein Pfad über München ✓\n".encode(), b"even", b"odd", LOG, LOG * 20],
)
def test_text_behind_a_mark_is_read_as_it_stands(encoding: str, level: Level, follows: bytes) -> None:
    text, done = clean(MARKS[encoding] + follows, level)
    assert text.endswith(follows.decode())
    assert (done.binary, done.bom) == ("", 0)


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff"])
def test_text_with_accents_of_another_time_is_not_wide_either(mark: bytes) -> None:
    words = "Größtenteils übliche Wörter, später ähnliche Sätze über Flüsse.\n" * 40
    assert clean(mark + words.encode("latin-1"), "plain")[0].count("bliche W") == 40


@given(text=printable, mark=st.sampled_from([b"\xff\xfe", b"\xfe\xff"]))
def test_any_plain_text_behind_a_mark_is_found(text: str, mark: bytes) -> None:
    assert clean(mark + text.encode(), "plain")[0] == "\ufffd\ufffd" + text


@each_encoding
@given(text=printable)
def test_wide_text_reads_as_it_was_written(encoding: str, text: str) -> None:
    assert clean(MARKS[encoding] + text.encode(encoding), "plain") == (text, Cleaned(bom=1))


@each_encoding
@pytest.mark.parametrize("sentence", SENTENCES)
def test_wide_text_of_every_script_reads_as_it_was_written(encoding: str, sentence: str) -> None:
    for text in (sentence, sentence * 3, sentence * 3_000):
        assert clean(MARKS[encoding] + text.encode(encoding), "plain") == (text, Cleaned(bom=1))


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_wide_text_without_a_mark_is_known_by_its_letters(encoding: str) -> None:
    """Some programs write it to a pipe."""
    text = "  NAME            STATE           VERSION\r\n* Debian          Running         2\r\n"
    assert clean(text.encode(encoding), "plain") == (text, Cleaned())


def test_bytes_at_random_behind_a_mark_are_no_text() -> None:
    noise = bytes((number * number * 31 + number // 7) % 251 ^ 0x5A for number in range(5_000))
    assert clean(b"\xff\xfe" + noise, "plain")[1].binary == "application/octet-stream"


@each_encoding
def test_what_is_appended_in_another_encoding_is_read_too(encoding: str) -> None:
    """As `>>` of one shell does to what another one wrote."""
    wide = "one line\nzwölf Zeilen\n"
    data = MARKS[encoding] + wide.encode(encoding) + LINE.encode() + wide.encode(encoding) + LOG
    assert clean(data, "plain")[0] == wide + LINE + wide + LOG.decode()


@settings(deadline=None)
@given(beginning=beginnings, before=pieces, after=pieces)
def test_no_line_of_text_is_hidden_by_what_stands_around_it(beginning: bytes, before: bytes, after: bytes) -> None:
    """A secret could stand in it, and what is read as something else no rule finds."""
    text, done = clean(beginning + before + LINE.encode() + after, "plain")
    assert done.binary or LINE.strip() in text


@both_levels
@settings(deadline=None)
@given(beginning=beginnings, data=pieces, cuts=st.lists(st.integers(0, 30_000), max_size=8))
def test_chunks_make_no_difference(level: Level, beginning: bytes, data: bytes, cuts: list[int]) -> None:
    data = beginning + data
    at = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    chunks = [data[start:end] for start, end in pairwise(at)]
    assert cleaned_in(chunks, level) == clean(data, level)
    behind = [LOG * (SAMPLE_BYTES // len(LOG) + 1)]
    assert cleaned_in(behind + chunks, level) == clean(behind[0] + data, level)
    assert cleaned_in([data[at : at + 1] for at in range(len(data))][:3_000], level) == clean(data[:3_000], level)


# -- binary stretches


@both_levels
@pytest.mark.parametrize("copies", [1, 40])
def test_a_piece_of_a_program_in_a_log_is_counted_in_its_place(level: Level, copies: int) -> None:
    """Wherever it stands: the first bytes decide nothing about the rest."""
    log = LOG * copies
    for data in (log + PROGRAM + LOG, LOG + PROGRAM + log, log + PROGRAM + log + PROGRAM + log):
        text, done = clean(data, level)
        marks = text.count(f"[binary, {len(PROGRAM):,} bytes]")
        assert text.count("INFO block") == data.count(b"INFO block")
        assert done == Cleaned(binary_bytes=len(PROGRAM) * marks)
        assert marks == data.count(PROGRAM)


def test_the_kind_of_a_stretch_is_told_where_it_is_known() -> None:
    text, _ = clean(LOG + b"\x7fELF\x02\x01\x01" + bytes(9) + PROGRAM + LOG, "plain")
    assert "[binary application/x-elf, " in text


def test_a_hole_in_front_of_a_log_is_counted() -> None:
    """A log that was cut while it was written to begins with as many NULs as it had bytes."""
    for size in (5_000, SAMPLE_BYTES, 3 * SAMPLE_BYTES + 1):
        assert clean(bytes(size) + LOG, "plain") == (
            f"[{size:,} NUL bytes]{LOG.decode()}",
            Cleaned(binary_bytes=size),
        )


def test_a_few_damaged_bytes_are_shown_as_damage() -> None:
    assert clean(LOG + b"\xff\xfe\0\x01 and on\n", "plain") == (
        LOG.decode() + "\ufffd\ufffd␀\x01 and on\n",
        Cleaned(nul=1, invalid=2),
    )


@settings(deadline=None)
@given(parts=st.lists(st.sampled_from([LOG[:400], bytes(40), b"\0\x01\x02\x03" * 30, LINE.encode(), b"a\0bc\0"])))
def test_every_byte_is_shown_or_counted(parts: list[bytes]) -> None:
    data = LOG * 2 + b"".join(parts) + LOG
    text, done = clean(data, "plain")
    marks = [word for word in text.replace("[", "\n[").replace("]", "]\n").splitlines() if word[-7:] == " bytes]"]
    assert len(text) - sum(map(len, marks)) + done.binary_bytes == len(data)


def test_what_is_mostly_no_text_stays_binary() -> None:
    program = Path(sys.executable).resolve().read_bytes()[:400_000]
    compiled = compile("x = 1\n" * 300, "a.py", "exec").co_code
    for data, name in (
        (program, "application/x-elf"),
        (LOG[:400] + PROGRAM, "application/octet-stream"),
        (compiled, "application/octet-stream"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + LOG * 4, "application/pdf"),
        (bytes(100_000), "application/octet-stream"),
        (bytes(10_000) + PROGRAM, "application/octet-stream"),
    ):
        assert clean(data, "plain")[1].binary == name


def test_a_text_is_no_picture_because_of_its_first_letters() -> None:
    assert clean("BMW, MZ: größer\n".encode("latin-1"), "plain")[1].binary == ""


def test_where_bytes_are_kept_exactly_a_text_with_binary_in_it_is_no_text() -> None:
    assert clean(LOG[:2_000] + PROGRAM, "plain", exact=True)[1].binary == "application/octet-stream"
