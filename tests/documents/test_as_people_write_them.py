"""Documents as people write them: a lone string, a DOCTYPE, comments and trailing commas; and why one is none."""

import ast
import json
import plistlib
import pprint
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents import assert_kept, limit_for, shares, sides, view, view_of_bytes
from jsonc_texts import written
from overspill import MemoryStore, Overspill
from overspill.agents.install.jsonc import parse_jsonc
from overspill.core.report import Fitted

PLIST = '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">'


def fit(text: str, budget: int = 500, **said: Any) -> Fitted:  # noqa: ANN401  # handed on
    return Overspill(store=MemoryStore()).fit(text, budget=budget, **said)


def plist(entries: int) -> str:
    value = {f"key{number}": {"name": f"n{number}", "on": number % 2 == 0} for number in range(entries)}
    return plistlib.dumps(value).decode()


def drawing(shapes: int, inside: str = "") -> str:
    doctype = (
        f'<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd"{inside}>'
    )
    rects = "\n".join(f'  <rect x="{at}" y="1" width="2" height="3"/>' for at in range(shapes))
    head = f'<?xml version="1.0"?>\n{doctype}\n'
    return f'{head}<svg xmlns="http://www.w3.org/2000/svg">\n{rects}\n</svg>\n'


@pytest.mark.parametrize("said", [{"content_type": "application/json"}, {"source": "notes.json", "tool": "read_file"}])
@pytest.mark.parametrize("strategy", ["head", "tail", "head_tail", "line", "element", "smart"])
def test_a_lone_string_stays_json_when_somebody_said_that_it_is(said: dict[str, Any], strategy: str) -> None:
    """Promise 4, FR-035."""
    text = json.dumps("hello " * 4_000)
    fitted = fit(text, strategy=strategy, **said)
    assert len(fitted.text) <= 500
    assert isinstance(json.loads(fitted.text), str)
    assert (fitted.report.strategy_used, fitted.report.fallback) == ("element", "")


def test_a_lone_string_that_nobody_called_json_is_a_text() -> None:
    fitted = fit('"' + "hello " * 4_000 + '"')
    assert fitted.report.strategy_used == "head_tail"


@pytest.mark.parametrize("strategy", ["head", "tail", "head_tail", "element", "smart"])
def test_a_doctype_without_entities_does_not_keep_a_document_from_being_cut_by_element(strategy: str) -> None:
    """FR-022, X-31."""
    for text in (plist(400), drawing(900), drawing(900, " [<!ATTLIST rect id ID #IMPLIED> <!-- ]> -->]")):
        fitted = fit(text, 1_200, strategy=strategy)
        ET.fromstring(fitted.text)
        assert fitted.text.count("<!DOCTYPE") == 1
        assert (fitted.report.strategy_used, fitted.report.fallback) == ("element", "")
        assert len(fitted.text) <= 1_200


def test_a_plist_that_was_cut_is_read_by_what_reads_plists() -> None:
    shown = plistlib.loads(view(plist(400), "xml", 1_500).text.encode())
    assert 0 < len(shown) < 400


def test_a_doctype_stays_whole_or_goes() -> None:
    text = drawing(900, " [<!ATTLIST rect " + " ".join(f"a{n} CDATA #IMPLIED" for n in range(200)) + ">]")
    for limit in (200, 400, 1_000, 6_000, 12_000):
        shown = view(text, "xml", limit).text
        ET.fromstring(shown)
        assert "<!DOCTYPE" not in shown or text[text.index("<!DOCTYPE") : text.index("<svg")] in shown


@pytest.mark.parametrize(
    ("inside", "used", "reason"),
    [
        ('<!ENTITY x "y">', "&x;", "entities"),
        ('<!ENTITY x SYSTEM "file:///etc/passwd">', "&x;", "entities"),
        ('<!ENTITY % p SYSTEM "http://example.org/p.dtd"> %p;', "", "entities"),
        ("", "&unknown;", "&unknown;"),
    ],
)
def test_entities_and_references_to_what_lies_elsewhere_stay_refused(inside: str, used: str, reason: str) -> None:
    """THR: text that means what a DOCTYPE says it means is not read."""
    text = drawing(900, f" [{inside}]" if inside else "").replace("<svg xmlns", f"<svg note='{used}' xmlns")
    fitted = fit(text, 1_200)
    assert fitted.report.strategy_used == "head_tail"
    assert reason in fitted.report.fallback


def test_a_bomb_of_entities_is_refused_before_it_goes_off() -> None:
    levels = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    text = f'<!DOCTYPE b [<!ENTITY a0 "ha">{levels}]><b>&a11;{"<c/>" * 500}</b>'
    fitted = fit(text)
    assert "entities" in fitted.report.fallback
    assert len(fitted.text) <= 500


COMMENTED = """// settings of the editor
{
  /* many of them */
  "files": [
%s
  ], // the end of files
  "theme": "dark",
}
"""


def commented(files: int) -> str:
    return COMMENTED % "\n".join(f'    "src/file{number}.py", // number {number}' for number in range(files))


@pytest.mark.parametrize("strategy", ["head", "tail", "head_tail", "element", "smart"])
@pytest.mark.parametrize("name", ["settings.json", "tsconfig.jsonc", ".devcontainer.json5"])
def test_json_with_comments_and_trailing_commas_is_cut_as_what_it_is(strategy: str, name: str) -> None:
    """Promise 4: what reads JSON with comments still reads it, and what is shown is as it was written."""
    text = commented(800)
    fitted = fit(text, 900, strategy=strategy, source=name, tool="read_file")
    assert (fitted.report.strategy_used, fitted.report.fallback) == ("element", "")
    shown = parse_jsonc(fitted.text).value
    assert isinstance(shown, dict)
    assert shown["theme"] == "dark"
    assert any(str(one).endswith("files omitted ...") for one in shown["files"])
    assert len(fitted.text) <= 900
    pieces = [text[start:end] for start, end in fitted.report.kept]
    assert all(piece in fitted.text for piece in pieces)


def test_json_with_comments_is_told_by_its_content_alone() -> None:
    fitted = fit(commented(800).partition("\n")[2], 900)
    assert fitted.report.strategy_used == "element"
    parse_jsonc(fitted.text)


@given(written=written(st.lists(st.one_of(st.integers(), st.text(max_size=5)), min_size=30, max_size=60)),
       share=shares, side=sides)  # fmt: skip
def test_cuts_of_json_with_comments_keep_the_promises(written: tuple[str, object], share: float, side: str) -> None:
    text = written[0]
    limit = limit_for(text, share, 160)
    found = view(text, "json", limit, side=side)
    assert_kept(text, found, limit)
    parse_jsonc(found.text)


@given(written=written(st.lists(st.text(max_size=9), min_size=30, max_size=60)), share=shares)
def test_json_with_comments_in_bytes_is_cut_as_the_text_is(written: tuple[str, object], share: float) -> None:
    text = written[0]
    limit = limit_for(text, share, 160)
    assert view_of_bytes(text.encode(), "json", limit) == view(text, "json", limit)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{'a': 'no \"', " + '"b": [' + "1, " * 900 + "2]}", "line 1"),  # a sign that JSON has in another way
        ('{"a": 1, // one\n  b: [' + "1, " * 900 + "2]}", "line 2"),
        ('{"a": 0x10, "b": [' + "1, " * 900 + "2]}", "line 1"),
        ('{"a": [' + "1, " * 900 + "2}", "line 1"),
        ("[" * 1_000 + "]" * 1_000, "900 levels"),
    ],
)
def test_what_is_not_cut_as_a_document_says_exactly_why(text: str, reason: str) -> None:
    fitted = fit(text, kind="json")
    assert fitted.report.strategy_used != "element"
    assert fitted.report.fallback.startswith("not cut as json: ")
    assert reason in fitted.report.fallback


def test_xml_that_is_not_well_formed_says_where() -> None:
    text = "<a>\n" + "<b/>\n" * 500 + "<c></d>\n</a>"
    assert "line 502" in fit(text, kind="xml").report.fallback


def test_a_document_too_large_or_without_room_says_so() -> None:
    text = json.dumps([*range(5_000)])
    mapping = {"tools.truncation.structured_max": 1_000}
    assert "structured_max" in Overspill(mapping, MemoryStore()).fit(text).report.fallback
    tall = "<" + "r" * 600 + ">" + "<b/>" * 900 + "</" + "r" * 600 + ">"
    assert "room" in fit(tall, 700).report.fallback


def test_ndjson_names_the_line_that_is_no_record() -> None:
    lines = ['{"id": 1}'] * 3_000
    lines[1_999] = '{"id": }'
    assert "line 2000" in fit("\n".join(lines), kind="ndjson").report.fallback


@pytest.mark.parametrize("preset", ["spec", "agent"])
@pytest.mark.parametrize("said", [{"content_type": "application/json"}, {"source": "users.json"}])
def test_json_that_was_cut_off_is_cut_as_text_and_the_report_says_exactly_why(
    preset: str, said: dict[str, Any]
) -> None:
    """20: what was declared to be JSON, begins as JSON, and ends in the middle."""
    text = json.dumps({"users": [{"id": at, "name": f"User {at}"} for at in range(2_000)]}, indent=1)[:-40]
    fitted = Overspill(store=MemoryStore(), preset=preset).fit(text, budget=1_500, **said)
    assert fitted.report.fallback == "not cut as json: input data was truncated"
    assert len(fitted.text) <= 1_500


PRINTED = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.sampled_from("ab' é\\\n"), max_size=9),
    lambda inside: (
        st.lists(inside, max_size=9)
        | st.lists(inside, max_size=4).map(tuple)
        | st.dictionaries(st.text(st.sampled_from("abcdef"), min_size=1, max_size=4), inside, max_size=5)
    ),
    max_leaves=40,
)


@given(st.lists(PRINTED, min_size=1, max_size=40), st.sampled_from(["head", "tail", "element", "smart"]), shares)
def test_what_python_prints_of_values_stays_what_python_reads(value: list[Any], strategy: str, share: float) -> None:
    """Promise 4: tools that are written in Python answer with `str(rows)`."""
    text = repr([value] * 4)
    fitted = fit(text, limit_for(text, share, 200), strategy=strategy, content_type="application/json")
    if not fitted.report.fallback and fitted.report.strategy_used == "element":
        ast.literal_eval(fitted.text)


def test_rows_that_python_printed_are_added_up_as_those_of_json_are() -> None:
    rows = [{"id": at, "pier": f"pier {at % 3}", "calm": at != 77, "note": None, "pair": (at, 1)} for at in range(200)]
    for text in (str(rows), pprint.pformat(rows)):
        fitted = fit(text, 1_500, strategy="smart")
        assert isinstance(ast.literal_eval(fitted.text), list)
        assert '"[200 rows; all: note=null]"' in fitted.text
        assert "77" in fitted.text  # the one that is not calm


def test_what_python_printed_is_told_inside_other_texts_too() -> None:
    """With a line above it, as a string of an answer, and both."""
    rows = str([{"id": at, "pier": f"pier {at % 3}", "note": None} for at in range(200)])
    lines = f"Query returned 200 rows:\n{rows}\n"
    for text in (lines, json.dumps({"content": [{"type": "text", "text": rows}]})):
        fitted = fit(text, 1_500, strategy="smart")
        assert "[200 rows; all: note=null]" in fitted.text
        assert fitted.report.strategy_used == "element"
    assert ast.literal_eval(fit(lines, 1_500, strategy="smart").text.split("\n")[1])


@pytest.mark.parametrize("odd", ["'say \"ho\"'", "Decimal('1.5')", "{1, 2}", "{1: 2}", "'\\x1b'"])
def test_what_json_could_not_hold_is_a_text(odd: str) -> None:
    text = f"[{odd}, " + ", ".join(str({"id": at, "pier": "north"}) for at in range(300)) + "]"
    assert fit(text, 1_500, strategy="smart").report.strategy_used == "smart"
