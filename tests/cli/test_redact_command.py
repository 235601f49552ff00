"""`spill redact` and `overspill.redact_text`: the filter for people."""

import json
from itertools import repeat
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import overspill
from children import fed
from overspill.cli.redact import Filter, Places
from overspill.redact import Redactor, database
from overspill.redact.rules import made_up_value

KEY = made_up_value("ghp_<A36>")
PASSWORD = made_up_value("<A20>")
TEXT = f"first\nkey {KEY}\n  password={PASSWORD}\nlast, no line end"
SAFE = "first\nkey [REDACTED: API_KEY]\n  password=[REDACTED: PASSWORD]\nlast, no line end"
REDACTOR = Redactor(database=database())


def test_the_redacted_text_is_all_that_is_written(tmp_path: Path) -> None:
    done = fed("redact", chunks=[TEXT.encode()], home=tmp_path)
    assert (done.status, done.out.decode(), done.err) == (0, SAFE, b"")


def test_a_file_is_read_as_standard_input_is(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(TEXT)
    assert fed("redact", "a.log", chunks=[], home=tmp_path).out.decode() == SAFE


def test_counts_and_reasons_go_to_standard_error_and_hold_no_value(tmp_path: Path) -> None:
    done = fed("redact", "--report", "--why", chunks=[TEXT.encode()], home=tmp_path)
    assert done.out.decode() == SAFE
    assert done.err.decode().splitlines() == [
        "line 2, column 5: API_KEY (github-pat) has the format of a key",
        "line 3, column 12: PASSWORD (assignment) is the value of a name that reads as a secret",
        "      1  assignment",
        "      1  github-pat",
        "      2  in all",
    ]


def test_with_json_everything_is_in_one_envelope(tmp_path: Path) -> None:
    done = fed("redact", "--json", "--report", "--why", chunks=[TEXT.encode()], home=tmp_path)
    result = json.loads(done.out)["result"]
    assert (result["content"], result["redactions"]) == (SAFE, {"assignment": 1, "github-pat": 1})
    assert [(why["rule"], why["line"], why["column"]) for why in result["why"]] == [
        ("github-pat", 2, 5),
        ("assignment", 3, 12),
    ]
    assert done.err == b""
    assert KEY.encode() not in done.out
    assert PASSWORD.encode() not in done.out


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_a_text_stays_in_its_encoding(encoding: str, tmp_path: Path) -> None:
    done = fed("redact", chunks=[TEXT.encode(encoding)], home=tmp_path)
    assert done.out == SAFE.encode(encoding)
    done = fed("redact", "--json", chunks=[TEXT.encode(encoding)], home=tmp_path)
    assert json.loads(done.out)["result"]["content"] == SAFE


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0", b"\0\0\xfe\xff"])
def test_a_byte_order_mark_in_front_of_another_encoding_hides_nothing(mark: bytes) -> None:
    for chunks in ([mark + TEXT.encode()], [mark[:1], mark[1:], TEXT.encode()]):
        assert b"".join(Filter(REDACTOR).bytes(chunks)) == mark + SAFE.encode()


def test_what_was_appended_to_a_wide_text_is_redacted_too() -> None:
    wide = ("\ufeff" + "a line of it\n" * 9).encode("utf-16-le")
    safe = b"".join(Filter(REDACTOR).bytes([wide, TEXT.encode()]))
    assert safe == wide + SAFE.encode("utf-16-le")


@given(data=st.binary(max_size=300), at=st.integers(0, 400), sizes=st.lists(st.integers(1, 60), max_size=40))
@example(data=b"\xff\xfe" + b"a", at=0, sizes=[1])
def test_every_byte_that_is_no_secret_stays_as_it_is(data: bytes, at: int, sizes: list[int]) -> None:
    data = b"x" + data  # no byte order mark: of UTF-16 with half a character that cannot be promised
    at = min(at, len(data))
    whole = data[:at] + f"\n{KEY}\n".encode() + data[at:]
    rest, chunks = whole, []
    for size in sizes:
        chunks.append(rest[:size])
        rest = rest[size:]
    safe = b"".join(Filter(REDACTOR).bytes([chunk for chunk in [*chunks, rest] if chunk]))
    assert safe == b"".join(Filter(REDACTOR).bytes([whole]))
    assert KEY.encode() not in safe
    assert safe.startswith(data[:at]) or len(safe) < len(whole)


@given(texts=st.lists(st.text("ab\n", max_size=9), max_size=9), place=st.integers(0, 80))
def test_places_are_lines_and_columns(texts: list[str], place: int) -> None:
    text = "".join(texts)
    place = min(place, len(text))
    places = Places()
    for piece in texts:
        places.feed(piece)
    assert places.of(place) == (text.count("\n", 0, place) + 1, place - (text.rfind("\n", 0, place) + 1) + 1)


def test_a_secret_far_into_a_long_text_is_found_at_its_line(tmp_path: Path) -> None:
    chunks = [*repeat(b"a line of some length or other\n" * 1000, 100), f"  {KEY}\n".encode()]
    done = fed("redact", "--why", chunks=chunks, home=tmp_path)
    assert done.err.startswith(b"line 100001, column 3: API_KEY (github-pat)")


def test_memory_does_not_grow_with_the_text(tmp_path: Path) -> None:
    lines = b"2026-11-15 INFO all is well\n" * 40_000 + f"password={PASSWORD}\n".encode()
    small = fed("redact", "--why", chunks=repeat(lines, 2), home=tmp_path)
    large = fed("redact", "--why", chunks=repeat(lines, 40), home=tmp_path)
    assert large.out.count(b"[REDACTED: PASSWORD]") == 40
    assert large.megabytes < small.megabytes + 15


def test_who_asks_to_redact_is_never_told_that_it_is_switched_off(tmp_path: Path) -> None:
    environ = {"OVERSPILL_REDACTION__ENABLED": "false", "OVERSPILL": "off"}
    assert fed("redact", chunks=[TEXT.encode()], home=tmp_path, environ=environ).out.decode() == SAFE


def test_the_secrets_of_the_environment_are_known(tmp_path: Path) -> None:
    value = made_up_value("<L18>")
    done = fed("redact", chunks=[f"it says {value} here".encode()], home=tmp_path, environ={"DEPLOY_TOKEN": value})
    assert done.out == b"it says [REDACTED: DEPLOY_TOKEN] here"


def test_the_function_for_programs_redacts_by_the_same_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    assert overspill.redact_text(TEXT) == SAFE
    value = made_up_value("<L18>")
    assert value in overspill.redact_text(f"it says {value} here")
    monkeypatch.setenv("DEPLOY_TOKEN", value)
    assert overspill.redact_text(f"it says {value} here") == "it says [REDACTED: DEPLOY_TOKEN] here"


def test_an_own_rule_and_an_exception_of_the_settings_hold_here_too(tmp_path: Path) -> None:
    (tmp_path / "own.yml").write_text(
        "redaction:\n  rules:\n    - {name: case-number, type: CASE, pattern: 'CASE-[0-9]{8}'}\n"
    )
    done = fed("redact", "--config", "own.yml", "--report", chunks=[b"see CASE-20261115\n"], home=tmp_path)
    assert (done.out, b"case-number" in done.err) == (b"see [REDACTED: CASE]\n", True)
