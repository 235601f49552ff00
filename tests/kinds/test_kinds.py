import random
from collections import Counter
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overspill.clean import clean
from overspill.kinds import Kind, sniff

SAMPLES = sorted((Path(__file__).parents[1] / "samples" / "kinds").iterdir())

every_sample = pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)


def text_of(path: Path) -> str:
    return clean(path.read_bytes(), "terminal")[0]


def expected(path: Path) -> tuple[str, str]:
    """The kind, and for code the language, that the name of a sample states."""
    kind, _, tool = path.stem.partition("-")
    return kind, tool.partition("-")[0] if kind == "code" else ""


@every_sample
def test_what_a_tool_said_is_told_by_its_content_alone(path: Path) -> None:
    kind, language = expected(path)
    found = sniff(text_of(path))
    assert (found.name, found.language if kind == "code" else "") == (kind, language)


@every_sample
def test_a_name_only_helps(path: Path) -> None:
    kind, language = expected(path)
    found = sniff(text_of(path), name=f"some/where/{path.name}")
    assert found.name == kind
    assert not language or found.language == language


def test_there_are_samples_enough_of_every_kind() -> None:
    assert len(SAMPLES) >= 60
    kinds = Counter(expected(path)[0] for path in SAMPLES)
    names = "json ndjson xml diff log test_report code listing matches prose one_line base64 binary text"
    assert set(kinds) == set(names.split())
    assert len({expected(path)[1] for path in SAMPLES}) >= 18


def test_no_sample_is_long_or_speaks_of_this_machine() -> None:
    for path in SAMPLES:
        data = path.read_bytes()
        assert len(data) <= 4_096, path.name
        if not path.name.startswith(("base64", "binary")):
            assert not any(place in data for place in (b"/root", b"/home/", b"/work", b"/opt/")), path.name


@pytest.mark.parametrize(
    ("content_type", "text", "kind"),
    [
        ("application/json", '{"a": 1}', "json"),
        ("application/vnd.api+json; charset=utf-8", "[]", "json"),
        ("application/json", "<html><body>502 Bad Gateway</body></html>", "code"),
        ("application/json", '{"a": 1}\n{"a": 2}\n', "ndjson"),
        ("application/x-ndjson", '{"a": 1}\n{"a": 2}\n', "ndjson"),
        ("text/csv", "a,b\n1,2\n", "listing"),
        ("text/markdown", "hello", "prose"),
        ("text/x-python", "x = 1", "code"),
        ("image/png", "[binary image/png, 12 bytes, base64]\niVBORw0KGgo=\n", "binary"),
        ("image/png", "not an image at all", "prose"),
        ("text/plain", "just this", "text"),
        ("nonsense", "just this", "text"),
    ],
)
def test_a_declared_type_is_believed_when_the_content_agrees(content_type: str, text: str, kind: str) -> None:
    assert sniff(text, content_type=content_type).name == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "text"),
        (" \n\t\n", "text"),
        ("{}", "json"),
        ("[1, 2.5e3, null]", "json"),
        ("[INFO] started\n[INFO] stopped]", "log"),
        ("[1]+  Done   sleep 5", "text"),
        ('{"a": 1}', "json"),
        ('{"a": 1}\n', "json"),
        ('{"a": 1}\n\n{"b": 2}', "ndjson"),
        ("[1]\n[2]\n", "ndjson"),
        ('{\n  "a": {}\n}', "json"),
        ("<a/>", "xml"),
        ("<!-- made by hand --><a><b></b></a>", "xml"),
        ("<a> is less than <b>", "text"),
        ("x" * 5_000, "one_line"),
    ],
)
def test_documents_are_told_by_their_first_and_last_characters(text: str, kind: str) -> None:
    assert sniff(text).name == kind


@pytest.mark.parametrize("name", ["fonts.conf", "page.html", "notes.txt", "a.ini", "a.md", "a.yml"])
def test_a_text_that_says_it_is_xml_is_xml_whatever_its_name(name: str) -> None:
    text = '<?xml version="1.0"?>\n<!DOCTYPE list SYSTEM "urn:list.dtd">\n<list>\n <a/>\n</list>\n'
    assert sniff(text, name=name).name == "xml"


def test_the_beginning_of_a_document_is_enough_when_the_rest_is_to_come() -> None:
    start = '{"users": [' + '{"id": 1}, ' * 100
    assert sniff(start).name != "json"
    assert sniff(start, total=10_000_000).name == "json"
    assert sniff('{"a": 1}\n{"a": 2}\n{"a": ', total=10_000_000).name == "ndjson"


def test_a_test_report_is_told_by_its_last_lines() -> None:
    noise = "".join(f"building part {number}, which takes its time\n" for number in range(5_000))
    assert sniff(noise + "\nRan 12 tests in 0.3s\n\nOK\n").name == "test_report"


def test_only_both_ends_are_looked_at() -> None:
    head, tail = "plain words\n" * 6_000, "more plain words\n" * 6_000
    hidden = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n" * 1_000
    assert sniff(head + hidden + tail) == sniff(head + tail)


def test_an_emphasised_page_is_known_for_what_it_is_made_of() -> None:
    assert sniff("<!DOCTYPE html>\n<p>hi").language == "html"


@given(text=st.text(max_size=400), name=st.text(max_size=12), declared=st.text(max_size=20))
def test_anything_has_a_kind_and_always_the_same(text: str, name: str, declared: str) -> None:
    found = sniff(text, name=name, content_type=declared)
    assert isinstance(found, Kind)
    assert found == sniff(text, name=name, content_type=declared)


@pytest.mark.parametrize("unit", ["a", " ", "-", "(", "{", "[", "<a ", "x.", ":1", "a-1", "\t", "=", "\\", '"', "#"])
def test_no_text_takes_long(unit: str) -> None:
    """Patterns that go back and forth over a line would take seconds here, not milliseconds."""
    text = "\n".join(unit * count for count in random.Random(unit).choices(range(1, 2_000), k=200))
    start = process_time()
    sniff(text)
    assert process_time() - start < 0.5


def test_what_stands_in_a_string_begins_no_comment() -> None:
    """`'*/*'` holds the sign that begins a comment in C: the rest of the text is code all the same."""
    text = "require 'rack'\n\nmodule Shelf\n  ANY = '*/*'\n" + "".join(
        f"  def put_{number}\n    @count = {number}\n  end\n" for number in range(20)
    )
    assert sniff(f"{text}end\n").language == "ruby"


@pytest.mark.parametrize(
    ("first", "name"),
    [
        ("[build]\n" + "".join(f"key {at}: on at {at}\n" for at in range(80)), "code"),
        ("id,name,state\n" + "".join(f"{at},n{at},ok\n" for at in range(80)), "listing"),
    ],
)
def test_what_begins_as_entries_and_goes_on_as_another_output_has_none(first: str, name: str) -> None:
    """`cat setup.cfg && git log`: how it ended is shown, which no entry says."""
    assert sniff(first).name == name
    assert sniff(first).entries
    both = first + "".join(f"{at:07x} Mend the belt of shelf {at}\n" for at in range(60))
    assert not sniff(both).entries
