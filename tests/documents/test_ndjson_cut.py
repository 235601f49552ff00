"""NDJSON stays NDJSON: every line of a view is valid JSON, marks included."""

import json

from hypothesis import given
from hypothesis import strategies as st
from truth import false_statements

from documents import (
    ID,
    assert_kept,
    is_cut_as_text,
    json_texts,
    limit_for,
    options,
    repeated,
    shares,
    sides,
    view,
    view_of_bytes,
)
from overspill.core.markers import shell_call
from overspill.core.spans import Options

line_ends = st.sampled_from(["\n", "\r\n"])
# Inside strings line ends are escaped, so those that are there are only space.
one_liners = json_texts.map(lambda text: text.replace("\n", " ").replace("\r", " ")).map(
    lambda text: text if text[0] in "[{" else f"[{text}]"
)


@st.composite
def _lines(draw: st.DrawFn) -> str:
    end = draw(line_ends)
    lines = draw(repeated(st.lists(one_liners, min_size=2, max_size=3)))
    return end.join(lines) + draw(st.sampled_from(["", end]))


@given(text=_lines(), share=shares, settings=options, side=sides)
def test_every_line_of_every_view_is_json(text: str, share: float, settings: Options, side: str) -> None:
    limit = limit_for(text, share)
    found = view(text, "ndjson", limit, settings, side=side)
    for line in found.text.removesuffix("\n").split("\n"):
        json.loads(line)
    assert_kept(text, found, limit)


def lines(number: int) -> str:
    return "".join(json.dumps({"id": index, "message": f"event {index}"}) + "\n" for index in range(number))


def test_the_first_and_the_last_records_stay_and_the_rest_is_counted() -> None:
    found = view(lines(50_000), "ndjson", 8000)
    shown = [json.loads(line) for line in found.text.splitlines()]
    assert [record["id"] for record in shown if isinstance(record, dict)] == [0, 1, 2, 3, 4, *range(49_995, 50_000)]
    assert "... 49,990 records omitted ..." in shown
    assert found.cut.elements == 49_990


def test_the_call_names_the_lines_that_are_missing() -> None:
    text = lines(100)
    found = view(text, "ndjson", 2000, spelling=shell_call)
    assert f"spill artifacts show {ID} --lines 6-95" in [json.loads(line) for line in found.text.splitlines()]
    assert "\n".join(text.split("\n")[5:95]) == text[found.cut.gaps[0].start : found.cut.gaps[0].end].strip("\n")


def test_one_huge_record_is_shortened_and_not_dropped() -> None:
    text = json.dumps({"id": 1, "body": "x" * 50_000}) + "\n" + json.dumps({"id": 2}) + "\n"
    first, second = view(text, "ndjson", 1000).text.splitlines()
    assert json.loads(first)["id"] == 1
    assert "chars omitted" in json.loads(first)["body"]
    assert json.loads(second) == {"id": 2}


def test_a_call_inside_a_record_leaves_the_record_on_its_line() -> None:
    """A key may have the very name we give to lines."""
    text = json.dumps({"records": [*range(5000)]}) + "\n" + json.dumps({"id": 2}) + "\n"
    shown = view(text, "ndjson", 1000).text.splitlines()
    assert len(shown) == 2
    assert "... 4,990 records omitted ..." in json.loads(shown[0])["records"]


def test_what_is_not_ndjson_is_cut_as_text() -> None:
    wide = " " * 2000
    for text in (
        '{"a": 1}',  # one line is JSON, or text
        '{"a": 1}\n\n{"a": 2}',  # a blank line is no record
        '{"a": 1}\n7',  # a number is no record
        '{"a": 1}\n{"a": ',
        '{"a": 1} {"b": 1}\n{"a": 2}',
        "[1\n2]\n[1],[2]",
        '{"a": 1}\r{"b": 1}',
        "[" * 901 + "]" * 901 + "\n[]",
    ):
        assert is_cut_as_text(text + wide, "ndjson"), text
        assert text == '{"a": 1}' or is_cut_as_text(lines(10_000) + text + "\n" + lines(10_000), "ndjson"), text


@given(
    data=st.lists(st.sampled_from([b"{", b"}", b"[", b"]", b'"a"', b":", b",", b"1", b"\n", b"\r", b"\xff", b" "])).map(
        b"".join
    )
)
def test_arbitrary_bytes_are_refused_or_cut_to_json_lines(data: bytes) -> None:
    found = view_of_bytes(data, "ndjson", 80)
    if found is not None:
        for line in found.text.removesuffix("\n").split("\n"):
            json.loads(line)


# ---- values that stand below each other, as `jq` writes them ----


@st.composite
def _sequences(draw: st.DrawFn) -> str:
    values = draw(repeated(st.lists(json_texts.filter(lambda text: text[0] in "[{"), min_size=2, max_size=3)))
    return "".join(value + draw(st.sampled_from(["\n", "\r\n", " \n\n"])) for value in values)


def values_in(text: str) -> list[object]:
    decoder, found, text = json.JSONDecoder(), list[object](), text.lstrip()
    while text:
        value, end = decoder.raw_decode(text)
        found.append(value)
        text = text[end:].lstrip()
    return found


@given(text=_sequences(), share=shares, settings=options, side=sides)
def test_a_view_of_values_below_each_other_is_values_below_each_other(
    text: str, share: float, settings: Options, side: str
) -> None:
    """Promises 1 to 4."""
    limit = limit_for(text, share)
    found = view(text, "json", limit, settings, side=side)
    assert values_in(found.text)
    assert_kept(text, found, limit)


def test_the_odd_one_among_values_below_each_other_is_shown_and_lines_say_where_the_rest_is() -> None:
    rows = [{"id": at, "name": f"part-{at}", "state": "failed" if at == 377 else "ok"} for at in range(600)]
    text = "".join(json.dumps(row, indent=2) + "\n" for row in rows)
    found = view(text, "json", 1_500, side="smart", spelling=shell_call)
    shown = values_in(found.text)
    assert rows[377] in shown
    assert "[600 rows]" in shown
    first, last = map(int, found.fetch.rpartition(" ")[2].split("-"))
    left_out = values_in("\n".join(text.split("\n")[first - 1 : last]))
    assert f"... {len(left_out)} records omitted ..." in shown
    assert left_out[0] in rows
    assert false_statements(text, found.text, "json") == []


def test_what_is_broken_behind_a_value_is_a_text() -> None:
    assert is_cut_as_text('{"a": 1}\n{"b": }\n' * 90, "json")
    assert is_cut_as_text('{"a": 1}\n{"b": 2}\n7\n' * 90, "json")
