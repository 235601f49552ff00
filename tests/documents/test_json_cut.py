"""JSON stays JSON at every budget, and what is kept of it stays as it was written."""

import json
import mmap
import re
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from documents import (
    ID,
    assert_kept,
    is_cut_as_text,
    json_texts,
    limit_for,
    options,
    shares,
    sides,
    subject,
    view,
    view_of_bytes,
)
from overspill.core import measure
from overspill.core.budget import Budget
from overspill.core.markers import shell_call, tool_call
from overspill.core.spans import Form, Options, Span
from overspill.documents import cut_document, document_from_bytes, side_for
from overspill.documents.json_bounds import Bounds, Sizes
from overspill.documents.json_pieces import SCANNED_BYTES, Source, levels_exceed, strict_copy


@given(text=json_texts, share=shares, settings=options, side=sides)
def test_every_view_of_json_is_json_within_the_budget(text: str, share: float, settings: Options, side: str) -> None:
    limit = limit_for(text, share)
    found = view(text, "json", limit, settings, side=side)
    json.loads(found.text)
    assert_kept(text, found, limit)


@given(text=json_texts, share=shares, settings=options, side=sides)
def test_bytes_give_the_same_view_as_their_text(text: str, share: float, settings: Options, side: str) -> None:
    limit = limit_for(text, share)
    assert view_of_bytes(text.encode(), "json", limit, settings, side=side) == view(
        text, "json", limit, settings, side=side
    )


@given(text=json_texts, limit=st.integers(1, 63))
def test_below_64_characters_a_view_is_json_or_none(text: str, limit: int) -> None:
    if len(text) > limit:
        found = cut_document(subject(text), "json", Budget(chars=limit))
        assert found is None or (json.loads(found.text) is not ... and len(found.text) <= limit)


@given(text=json_texts, share=shares, tokens=st.integers(30, 400))
def test_a_budget_of_counted_tokens_holds(text: str, share: float, tokens: int) -> None:
    budget = Budget(limit_for(text, share), tokens, lambda text: sum(1 for _ in re.finditer(r"\w+|\W", text)))
    found = cut_document(subject(text), "json", budget)
    assert found is None or (budget.holds(found.text) and json.loads(found.text) is not ...)


@given(text=json_texts, share=shares, settings=options)
def test_arrays_never_show_more_than_the_options_allow(text: str, share: float, settings: Options) -> None:
    """X-27: counts are maxima."""
    found = view(text, "json", limit_for(text, share), settings)
    most = settings.first_elements + settings.last_elements

    def arrays(value: object) -> list[list[object]]:
        inner = value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []
        return ([value] if isinstance(value, list) else []) + [array for each in inner for array in arrays(each)]

    marks = re.compile(rf"\.\.\.|\.\.\..* omitted.*|.*{ID}.*", re.DOTALL)
    for array in arrays(json.loads(found.text)):
        assert sum(not (isinstance(each, str) and marks.fullmatch(each)) for each in array) <= most


@given(
    elements=st.lists(st.integers(0, 10**6).map(str) | st.text(max_size=9).map(json.dumps), min_size=40, max_size=90),
    first=st.integers(0, 9),
    last=st.integers(0, 9),
)
def test_the_number_of_omitted_elements_is_exact(elements: list[str], first: int, last: int) -> None:
    text = "[" + ", ".join(elements * 9) + "]"
    found = view(text, "json", 400, Options(first_elements=first, last_elements=last))
    shown = [each for each in json.loads(found.text) if not isinstance(each, str) or "omitted" not in each]
    [number] = re.findall(r'"\.\.\. ([\d,]+) items omitted', found.text)
    kept = len(shown) - (1 if f'"{ID}"' in found.text or "get_artifact" in found.text else 0)
    assert int(number.replace(",", "")) == found.cut.elements == len(elements) * 9 - kept


def _everything(bounds: Bounds, span: Span) -> list[object]:
    """All that is known of a value and of the values in it."""
    if bounds.buffer[span.start] not in b"[{":
        return []
    elements = bounds.elements(span)
    inner = [_everything(bounds, Span(element.value, element.end)) for element in elements.known]
    return [elements.number, elements.first, elements.last, elements.end if elements.number else 0, inner]


@given(
    text=json_texts,
    first=st.integers(0, 4),
    last=st.integers(0, 4),
    members=st.integers(1, 9),
    chunk=st.sampled_from([8, 30, 100, 500]),
)
def test_how_a_document_is_walked_makes_no_difference(
    text: str, first: int, last: int, members: int, chunk: int
) -> None:
    buffer = memoryview(text.encode())
    whole = Bounds(buffer, first=first, last=last, members=members)
    pieces = Bounds(buffer, first=first, last=last, members=members, sizes=Sizes(small=4, chunk=chunk, least=4))
    assert whole.root() == pieces.root()
    value = json.loads(text, object_pairs_hook=list)
    if isinstance(value, list):
        assert whole.elements(whole.root()).number == len(value)
    assert _numbers(_everything(whole, whole.root())) == _numbers(_everything(pieces, pieces.root()))


def _numbers(found: list[object]) -> list[object]:
    """Without the last members of objects, of which a chunk need not tell all."""
    if not found:
        return found
    number, first, last, end, inner = found
    assert isinstance(first, tuple)
    assert isinstance(inner, list)
    is_array = all(element.key == 0 for element in first)
    return [number, first, last if is_array else (), end, [_numbers(each) for each in inner[: len(first)]]]


@given(text=json_texts, most=st.integers(1, 6))
def test_levels_are_counted_as_a_parser_nests_them(text: str, most: int) -> None:
    def levels(value: object) -> int:
        inner = value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else None
        return 0 if inner is None else 1 + max(map(levels, inner), default=0)

    # An empty value of the same key may hide a deeper one from this parser, but not from the count.
    value = json.loads(text, object_pairs_hook=lambda pairs: [value for _, value in pairs])
    assert levels_exceed(memoryview(text.encode()), most) == (levels(value) > most)


def users(number: int) -> str:
    records = [{"user_id": f"usr_{index:05}", "name": f"User {index}", "tags": ["a", "b"]} for index in range(number)]
    return json.dumps({"users": records, "total_count": number, "page_size": number}, indent=2)


def test_the_call_fetches_the_elements_that_are_missing() -> None:
    text = users(100)
    found = view(text, "json", 3000, spelling=shell_call)
    [mark] = [each for each in json.loads(found.text)["users"] if isinstance(each, str) and "spill" in each]
    assert found.fetch == mark
    start, end = map(int, mark.rpartition(" ")[2].split("-"))
    assert json.loads("[" + text[start:end] + "]") == json.loads(text)["users"][5:95]


def test_the_call_stands_beside_the_largest_gap_only() -> None:
    text = json.dumps({"few": [*range(40)], "many": [*range(4000)], "note": "x" * 300})
    found = view(text, "json", 600)
    assert found.text.count(ID) == 1
    assert any(ID in str(each) for each in json.loads(found.text)["many"])


def test_a_lone_huge_string_keeps_both_ends_and_names_the_artifact_inside() -> None:
    text = json.dumps("begin " + "x" * 50_000 + " end")
    shown = json.loads(view(text, "json", 1000).text)
    assert re.fullmatch(rf"begin x+\.\.\. \[\d+ chars omitted; .*{ID}.*\] \.\.\.x+ end", shown)


def test_a_huge_number_is_replaced_and_never_shortened_to_another() -> None:
    found = view("[1, " + "9" * 5000 + ", 2]", "json", 300)
    first, second, third = json.loads(found.text)
    assert (first, third) == (1, 2)
    assert second.startswith("... 5,000 chars omitted; ")


def test_head_and_tail_show_the_elements_of_their_side() -> None:
    text = json.dumps([*range(1000)])
    assert json.loads(view(text, "json", 400, side="head").text)[:10] == [*range(10)]
    assert json.loads(view(text, "json", 400, side="tail").text)[-10:] == [*range(990, 1000)]


def test_a_tail_of_an_object_shows_its_last_keys() -> None:
    text = json.dumps({f"key {index}": index for index in range(20_000)})
    shown = json.loads(view(text, "json", 400, side="tail").text)
    assert shown.pop("...").partition(";")[0] == f"{20_000 - len(shown):,} keys omitted"
    assert list(shown.values()) == [*range(20_000 - len(shown), 20_000)]


def test_text_without_an_artifact_says_so() -> None:
    assert "not kept" in json.loads(view(json.dumps([*range(100)]), "json", 150, kept=False).text)


def test_pretty_printed_json_stays_pretty() -> None:
    found = view(users(1000), "json", 3000).text
    assert '\n    "... 990 users omitted ...", "get_artifact(' in found
    assert found.endswith('\n  ],\n  "total_count": 1000,\n  "page_size": 1000\n}')


def test_a_duplicate_key_stays_and_counts() -> None:
    text = '{"a": 1, "a": 2, ' + ", ".join(f'"k": {index}' for index in range(30_000)) + "}"
    found = view(text, "json", 300)
    assert found.text.startswith('{"a": 1, "a": 2, "k": 0, ')
    [gap] = found.cut.gaps
    assert gap.form is Form.KEY
    assert gap.number == 30_002 - found.text.count('"k": ') - 2


@pytest.mark.parametrize(
    "text",
    [
        "[1, 2",
        "[1, 2,, 3]",
        '{"a": 1,, "b": 2}',
        '{"a" 1}',
        "{1: 2}",
        "[NaN]",
        "[Infinity]",
        "[01]",
        "[1.]",
        "[+1]",
        """['a"']""",
        "[1] 2",
        "[1] / two",
        '["\\ud800"]',
        '["\\ude00\\ud83d"]',
        '["\\x41"]',
        '["\x01"]',
        '["\ud800"]',
        "\ufeff[1]",
        "[" * 901 + "]" * 901,
        '{"a":' * 901 + "1" + "}" * 901,
        "[" * 100_000 + "]" * 100_000,
        "[" * 100_000,
    ],
)
def test_what_is_not_strict_json_is_cut_as_text(text: str) -> None:
    assert is_cut_as_text(text, "json", 80)
    assert is_cut_as_text("[" + "1, " * 40_000 + text + "]", "json")


def test_the_900th_level_is_the_last_wherever_it_is() -> None:
    def deep(levels: int) -> str:
        return '{"a":' * levels + "1" + "}" * levels

    for small, number in ((deep(3), 30_000), ("[1]", 40_000), (deep(200), 90)):
        many = f"{small}, " * number
        for pattern in ("[{}{}]", '{{"k": [{}{}]}}'):
            above = pattern.count("[") + pattern.count("k")
            assert not is_cut_as_text(pattern.format(many, deep(900 - above)), "json")
            assert is_cut_as_text(pattern.format(many, deep(901 - above)), "json")
            assert not is_cut_as_text(pattern.format(many, deep(900 - above) + f", {many} 1"), "json")
            assert is_cut_as_text(pattern.format(many, deep(901 - above) + f", {many} 1"), "json")


def test_900_levels_are_json_however_deep_the_caller_stands() -> None:
    text = "[" * 900 + "1" + "]" * 900

    def called_from(depth: int) -> str:
        return called_from(depth - 1) if depth else view(text, "json", 300).text

    limit = sys.getrecursionlimit()
    json.loads(called_from(300))
    assert sys.getrecursionlimit() == limit


def test_escapes_are_never_split() -> None:
    text = json.dumps("\\\n\U0001f600\u0301" * 2000)
    for limit in range(200, 260):
        json.loads(view(text, "json", limit).text)


def test_a_long_run_of_backslashes_is_cut_between_escapes() -> None:
    for number in (3000, 3001):
        for suffix in ("", "x", "xyz"):
            text = json.dumps("\\" * number + suffix)
            for limit in range(150, 170):
                shown = json.loads(view(text, "json", limit).text)
                assert shown.endswith("\\" + suffix)


def test_no_grapheme_is_split() -> None:
    family = "👨‍👩‍👧‍👦"
    text = json.dumps([family * 400], ensure_ascii=False)
    for limit in range(200, 230):
        [shown] = json.loads(view(text, "json", limit).text)
        assert re.fullmatch(rf"(?:{family})+\.\.\. \[[^]]*\] \.\.\.(?:{family})+", shown)


def test_every_budget_holds_to_the_character() -> None:
    lone = json.dumps("word " * 500)
    lines = "".join(json.dumps({"text": "word " * (number % 70)}) + "\n" for number in range(90))
    markup = f"<a>{'word ' * 500}</a>"
    for limit in range(75, 600):
        for text, kind in ((lone, "json"), (f"[{lone}, {lone}]", "json"), (lines, "ndjson"), (markup, "xml")):
            for spelling in (tool_call, shell_call):
                assert len(view(text, kind, limit, spelling=spelling).text) <= limit


def test_what_stands_around_a_mark_is_never_an_element() -> None:
    text = '["' + "x" * 700 + '",1,2]'
    shown = json.loads(view(text, "json", 400, Options(first_elements=0, last_elements=1)).text)
    assert [each for each in shown if not isinstance(each, str)] == [2]
    markup = f"<a><b>{'x' * 700}</b><c/><d/></a>"
    assert "<c/>" not in view(markup, "xml", 400, Options(first_elements=0, last_elements=1)).text


def test_one_element_too_many_is_left_out_even_where_its_marker_is_longer() -> None:
    """X-27: counts are maxima."""
    text = json.dumps({"a": [1, 2, 3, 4, 5], "long": "x" * 5000})
    shown = json.loads(view(text, "json", 600, Options(first_elements=2, last_elements=2)).text)
    assert shown["a"] == [1, 2, "... 1 a omitted ...", 4, 5]


def test_levels_are_counted_across_the_pieces_a_text_is_read_in() -> None:
    for length in range(SCANNED_BYTES - 12, SCANNED_BYTES + 4):
        inside = b'["' + b"x" * length + b'\\"[[[[\\\\", "]]]]", [1]]'
        assert levels_exceed(memoryview(inside), 1)
        assert not levels_exceed(memoryview(inside), 2)


def test_a_map_is_cut_without_a_copy_and_can_be_closed(tmp_path: Path) -> None:
    path = tmp_path / "users.json"
    for text in (users(20_000), users(20_000) + "]"):
        path.write_text(text)
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as mapped:
            asked = subject(text)
            found = document_from_bytes(mapped, measure(text), "json", Options(), asked.reference, Budget(chars=2000))
        assert found == cut_document(asked, "json", Budget(chars=2000))


def test_invalid_utf8_is_no_json() -> None:
    assert view_of_bytes(b'["\xff"' + b", 1" * 100 + b"]", "json", 100) is None
    assert view_of_bytes(b'["\xc3"' + b", 1" * 100 + b"]", "json", 100) is None


def test_json_may_be_cut_as_text_if_that_is_wanted() -> None:
    """X-30: `preserve_json: false`."""
    assert side_for("element", "json", Options(preserve_json=False)) is None
    assert side_for("element", "json", Options()) == "both"
    assert side_for("head", "xml", Options(preserve_json=False)) == "head"


@given(
    data=st.lists(
        st.sampled_from(
            [b"{", b"}", b"[", b"]", b'"', b'"a"', b":", b",", b"1", b"-", b"e", b".", b"\\", b"\xff", b" "]
        )
    ).map(b"".join)
    | st.binary(max_size=300)
)
@example(b"{,}")
@example(b"[ ,]")
@example(b"[1,,]")
@example(b"[1,]")
def test_arbitrary_bytes_are_refused_or_cut_to_json(data: bytes) -> None:
    """JSON as people write it stays what it is: without its trailing commas it can be read."""
    found = view_of_bytes(data, "json", 70)
    if found is not None:
        strict = strict_copy(Source(memoryview(found.text.encode()), len(found.text)))
        assert json.loads(bytes(strict.buffer) if strict else found.text) is not ...
