"""Edge cases: the smallest, the strangest and the most damaged of inputs."""

import base64
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import regex

from asking import MARKER, PROSE, command, missing, numbered, omitted, spill, stored
from overspill import MemoryStore, Overspill, OverspillError

STRATEGIES = ["head", "tail", "head_tail", "line"]
every_strategy = pytest.mark.parametrize("strategy", STRATEGIES)

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
FLAG = "\U0001f1e9\U0001f1ea"


@pytest.mark.parametrize("empty", ["", b"", io.StringIO(), io.BytesIO(), iter([])])
def test_nothing_is_nothing(empty: object) -> None:
    """AC-079."""
    fitted = spill().fit(empty, tool="read_file")
    assert (fitted.text, fitted.is_error, fitted.artifact_id) == ("", False, None)
    assert fitted.metadata["was_truncated"] is False
    assert fitted.metadata["original_size"] == fitted.metadata["truncated_size"] == 0


def test_nothing_on_the_command_line_is_nothing(tmp_path: Path) -> None:
    """AC-079."""
    done = command("fit", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("limit", [1, 10, 64, 8_000])
def test_the_limit_itself_is_not_too_much_and_one_more_is(limit: int) -> None:
    """AC-080, AC-081."""
    asked = spill(inline_limit=limit)
    text = (PROSE * 100)[:limit]
    assert asked.fit(text).text == text
    fitted = asked.fit(text + "!")
    assert fitted.metadata["was_truncated"] is True
    assert 0 < len(fitted.text) <= limit


CLUSTERS = {
    "family": FAMILY,
    "flag": FLAG,
    "accents": "e\u0301\u0323",
    "hangul": "\u1112\u1161\u11ab",
    "skin": "\U0001f44d\U0001f3fd",
    "arabic": "\u0628\u064e\u0651",
    "keycap": "1\ufe0f\u20e3",
    "indic": "\u0915\u094d\u0937\u093f",
    "crlf": "\r\n",
}


@every_strategy
@pytest.mark.parametrize("cluster", CLUSTERS.values(), ids=CLUSTERS.keys())
def test_what_a_reader_sees_as_one_character_is_never_split(strategy: str, cluster: str) -> None:
    """AC-082, NFR-008: at no budget, whatever falls on the cut."""
    text = cluster * (1_200 // len(cluster))
    borders = {0, *(match.end() for match in regex.finditer(r"\X", text))}
    for limit in range(64, 130):
        fitted = spill().fit(text, strategy=strategy, budget=limit)
        edges = {edge for span in fitted.report.kept for edge in span}
        assert edges <= borders
        assert fitted.text


@every_strategy
def test_a_line_end_of_two_characters_is_never_split(strategy: str) -> None:
    """AC-082, AC-088: wherever between two long lines it falls."""
    for width in range(40, 240):
        for text in ("x" * width + "\r\n" + "y" * 2_000, "y" * 2_000 + "\r\n" + "x" * width):
            fitted = spill().fit(text, strategy=strategy, budget=250)
            between = text.index("\n")
            assert all(between not in span for span in fitted.report.kept)


@every_strategy
def test_bytes_are_never_cut_inside_a_character(strategy: str) -> None:
    """AC-083, ASM-07, NFR-008: what is shown of UTF-8 is UTF-8, and holds no character that was not there."""
    text = "aé世\U0001f600" * 2_000
    for limit in (99, 100, 101, 102, 1_001):
        fitted = spill().fit(text.encode(), strategy=strategy, budget=limit)
        assert "\ufffd" not in fitted.text
        fitted.text.encode()
        for start, end in fitted.report.kept:
            assert text[start:end] in fitted.text


def test_bytes_come_out_of_the_command_whole(tmp_path: Path) -> None:
    """AC-083, ASM-07."""
    data = ("é世\U0001f600\n" * 3_000).encode()
    for limit in ("300", "301", "302"):
        shown = command("fit", "--limit", limit, stdin=data, cwd=tmp_path).stdout.decode()
        assert shown
        assert "\ufffd" not in shown
        assert len(shown) <= 300 + 2


def test_characters_come_out_as_they_went_in() -> None:
    """NFR-008: no normalisation, no case, no width is touched."""
    text = "Å Å ﬁ İ ß ẞ ｱ  \u200b\u00ad\ufeff end\u2028\u2029\x85\x0b\x0c\n"
    assert spill().fit(text).text == text
    fitted = spill().fit(text * 500, strategy="tail", budget=1_000)
    assert fitted.text.endswith(text * 3)


@pytest.mark.parametrize(
    "data",
    [b"\xff\xfe\xfd" * 4_000, b"ok \xc3\x28 \xa0\xa1 " * 2_000, b"\xed\xa0\x80 text\n" * 2_000, b"text \xe2\x82"],
)
def test_damaged_utf8_is_mended_and_never_a_crash(data: bytes) -> None:
    """AC-084, NFR-005."""
    asked = spill()
    fitted = asked.fit(data)
    assert 0 < len(fitted.text) <= 8_000
    fitted.text.encode()
    if fitted.artifact_id:
        stored(asked, fitted).encode()


def test_small_binary_is_base64_and_large_binary_a_summary() -> None:
    """AC-085, P-08, UM-01."""
    small, large = bytes(range(256)) * 2, b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 400
    shown = spill().fit(small).text
    assert base64.b64encode(small).decode()[:60] in shown.replace("\n", "")
    summary = spill().fit(large).text
    assert "image/png" in summary
    assert f"{len(large):,}" in summary or str(len(large)) in summary
    assert len(summary) < 1_000


def test_output_may_be_text_json_or_binary() -> None:
    """UM-01: and a stream of either."""
    asked = spill()
    assert asked.fit("text").text == "text"
    assert asked.fit({"a": [1, None, True]}).text == '{"a":[1,null,true]}'
    assert asked.fit(b"bytes").text == "bytes"
    assert asked.fit(io.BytesIO(b"a file")).text == "a file"
    assert asked.fit(iter(["chunk ", "by ", "chunk"])).text == "chunk by chunk"
    assert asked.fit(iter([b"\xc3", b"\xa9"])).text == "é"
    assert asked.fit(bytearray(b"an array")).text == "an array"
    assert asked.fit(memoryview(b"a v i e w")[::2]).text == "aview"


def test_json_that_bites_its_tail_is_shown_once() -> None:
    """AC-091."""
    loop: dict[str, object] = {"name": "loop"}
    loop["self"] = loop
    assert spill().fit(loop).text == '{"name":"loop","self":"[Circular]"}'


@every_strategy
@pytest.mark.parametrize("width", [10_241, 100_000])
def test_very_long_lines_are_shortened_gracefully(strategy: str, width: int) -> None:
    """AC-086, X-23: both ends of the line are there, the marker between, and the budget is used."""
    text = "START" + "m" * width + "STOP\n"
    fitted = spill(artifact_threshold=1_000_000).fit(text + text, strategy=strategy)
    assert len(fitted.text) <= 8_000
    assert len(fitted.text) > 4_000
    assert MARKER.search(fitted.text)
    assert omitted(fitted.text) == missing(text + text, fitted)
    assert ("START" in fitted.text) or ("STOP" in fitted.text)


@every_strategy
def test_one_line_without_an_end_is_cut_by_characters(strategy: str) -> None:
    """AC-087."""
    text = "".join(f"{place:07} " for place in range(4_000))
    fitted = spill().fit(text, strategy=strategy)
    assert 7_000 < len(fitted.text) <= 8_000
    assert omitted(fitted.text) == missing(text, fitted)
    assert fitted.text.startswith("0000000 ") == (strategy != "tail")
    assert ("0003999 " in fitted.text) == (strategy != "head")


@every_strategy
@pytest.mark.parametrize("end", ["\r\n", "\n", "\r"], ids=["windows", "unix", "mac"])
def test_every_line_end_is_handled_and_kept(strategy: str, end: str) -> None:
    """AC-088: no end is changed, none is split, every one is counted."""
    text = numbered(1_000).replace("\n", end)
    for limit in (500, 501, 502, 8_000):
        fitted = spill().fit(text, strategy=strategy, budget=limit)
        for start, stop in fitted.report.kept:
            assert text[start:stop] in fitted.text
            assert not (end == "\r\n" and text[stop - 1 : stop + 1] == "\r\n")
            assert not (end == "\r\n" and text[start - 1 : start + 1] == "\r\n")
        assert omitted(fitted.text) == missing(text, fitted)


def test_the_threshold_itself_is_a_reference() -> None:
    """AC-095, X-02."""
    assert spill().fit("a" * 50_000).text.startswith("[Artifact: ")
    assert not spill().fit("a" * 49_999).text.startswith("[Artifact: ")


def test_the_maximum_itself_is_an_error() -> None:
    """AC-096, X-03."""
    asked = spill(max_artifact_size=100_000)
    assert asked.fit("a" * 100_000).is_error
    assert not asked.fit("a" * 99_999).is_error


@pytest.mark.parametrize("blank", [" ", "\n", "\t", "\r\n", " \n\t"])
def test_white_space_is_text_like_any_other(blank: str) -> None:
    """AC-097."""
    asked = spill()
    assert asked.fit(blank * 100).text == blank * 100
    text = blank * (9_000 // len(blank))
    fitted = asked.fit(text)
    assert 0 < len(fitted.text) <= 8_000
    assert omitted(fitted.text) == missing(text, fitted)
    assert stored(asked, fitted) == text


@pytest.mark.parametrize("output", ["a\0b\n", b"a\0b\n"])
def test_nul_becomes_its_picture(output: object) -> None:
    """AC-098: in what is shown, at the same length."""
    assert spill().fit(output).text == "a\u2400b\n"


def test_nul_becomes_its_picture_in_the_store_too() -> None:
    """AC-098."""
    asked = spill()
    fitted = asked.fit("some text\0\n" * 2_000)
    assert "\0" not in fitted.text
    assert stored(asked, fitted) == "some text\u2400\n" * 2_000


def test_markers_stay_short_however_much_they_count() -> None:
    """AC-099, X-16."""
    fitted = spill(max_artifact_size="1GB").fit("\n" * 30_000_000)
    (mark,) = MARKER.finditer(fitted.text)
    assert len(mark[0]) <= 120
    assert int(mark[1]) > 29_000_000


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("no picture of me")


class Unreadable:
    @property
    def read(self) -> object:
        raise RuntimeError("not to be read")


class Array:
    def tolist(self) -> list[list[float]]:
        return [[1.0, 2.5], [3.0, 4.0]]


def failing() -> Iterator[bytes]:
    yield b"half a text"
    raise OSError(5, "Input/output error")


@pytest.mark.parametrize(
    "output",
    [
        "\ud800" * 9_000,
        "\udcff\ud83d",
        '{"a": [1, 2' + "," * 9_000,
        "[" * 100_000,
        "<a>" * 20_000,
        b"\x00" * 9_000,
        b"\x1b[" * 9_000,
        "\x1b]8;;" * 9_000,
        "\r" * 9_000,
        "\b" * 9_000,
        "a" + "\u0301" * 10_000,
        "\u202e" * 9_000,
        float("nan"),
        10**4_000,
        {1: {2: {3}}},
        {("a", 1): b"\xff"},
        [[]] * 9_000,
        object(),
        Exception("went wrong"),
        Unprintable(),
        [Unprintable()],
        Unreadable(),
        Array(),
        memoryview(b"x" * 9_000),
    ],
    ids=lambda output: type(output).__name__,
)
@pytest.mark.parametrize("preset", ["spec", "agent"])
def test_no_input_is_a_crash(output: object, preset: str) -> None:
    """NFR-005, NFR-006: every answer is bounded, can be written as UTF-8, and can be fetched if it was cut."""
    asked = Overspill({}, MemoryStore(), preset)
    fitted = asked.fit(output, tool="bash")
    assert len(fitted.text) <= 8_000
    assert bool(fitted.text) == bool(fitted.report.total.chars or fitted.is_error)
    fitted.text.encode()
    assert "Traceback" not in fitted.text
    if fitted.artifact_id:
        assert fitted.report.total.chars == len(stored(asked, fitted))


@pytest.mark.parametrize("preset", ["spec", "agent"])
def test_no_stream_is_a_crash(preset: str) -> None:
    """NFR-005, P-17: chunks that are none are lines of JSON, and of a source that breaks it is said why."""
    assert Overspill({}, MemoryStore(), preset).fit(iter([1, 2])).text == "1\n2\n"
    fitted = Overspill({}, MemoryStore(), preset).fit(failing())
    assert fitted.is_error
    assert fitted.text.startswith("Output ended early: ")


def test_arrays_are_shown_as_what_they_hold() -> None:
    """UM-01."""
    assert spill().fit(Array()).text == "[[1.0,2.5],[3.0,4.0]]"


async def slowly() -> object:
    yield "never"


def test_what_only_afit_can_read_is_refused_by_fit() -> None:
    """NFR-005: with a sentence that names the way, not with the picture of a generator."""
    with pytest.raises(OverspillError, match="afit"):
        spill().fit(slowly())


@every_strategy
def test_no_output_is_invalid(strategy: str) -> None:
    """NFR-006: whatever is shown of the text is in it, in order, and the rest is counted."""
    text = numbered(700) + FAMILY * 500 + "\r\n" * 500 + "x" * 5_000
    for limit in (65, 200, 999, 5_000):
        fitted = spill().fit(text, strategy=strategy, budget=limit)
        at = 0
        for start, end in fitted.report.kept:
            assert at <= start < end <= len(text)
            at = end
        shown = fitted.report
        assert shown.shown.chars + shown.omitted_chars == len(text)
        assert shown.shown.lines + shown.omitted_lines == shown.total.lines
        assert re.search(r"[\ud800-\udfff]", fitted.text) is None
