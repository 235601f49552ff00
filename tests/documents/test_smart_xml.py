"""What `smart` shows of XML: failures with all that they lie in, long texts shortened, always well-formed."""

import random
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from truth import false_statements

from documents import assert_kept, view
from overspill import MemoryStore, Overspill
from overspill.core.spans import Options
from overspill.documents.failures import ElementTables

TESTS = """
import pytest

def total(n):
    return sum(range(n)) + (n % 71 == 5)

@pytest.mark.parametrize("n", range(400))
def test_total(n):
    assert total(n) == n * (n - 1) // 2, "far out " * 40

def test_broken():
    {}["missing"]

@pytest.fixture
def cannot():
    raise RuntimeError("no database")

def test_error(cannot):
    pass
"""


@pytest.fixture(scope="module")
def junit(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What pytest itself reports."""
    root = tmp_path_factory.mktemp("junit")
    (root / "test_many.py").write_text(TESTS)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--junitxml",
        "report.xml",
        "test_many.py",
    ]
    subprocess.run(command, cwd=root, capture_output=True, check=False)
    return (root / "report.xml").read_text("utf-8")


def failed(root: ET.Element) -> set[str]:
    cases = root.iter("testcase")
    return {case.attrib["name"] for case in cases if case.find("failure") is not None or case.find("error") is not None}


@pytest.mark.parametrize("limit", [3_000, 8_000])
def test_every_failed_test_is_named_with_its_suite(junit: str, limit: int) -> None:
    found = view(junit, "xml", limit, side="smart")
    assert_kept(junit, found, limit)
    root, whole = ET.fromstring(found.text), ET.fromstring(junit)
    said = " ".join(re.findall(r"<!-- (\[\d+ testcase with .*?\]) -->", found.text))
    assert [name for name in failed(whole) - failed(root) if name not in said] == []
    assert "[1 testcase with error: test_error]" in said
    suite, all_of_it = root.find("testsuite"), whole.find("testsuite")
    assert suite is not None
    assert all_of_it is not None
    assert suite.attrib == all_of_it.attrib


def test_a_long_message_is_shortened_in_its_middle(junit: str) -> None:
    failures = ET.fromstring(view(junit, "xml", 4_000, side="smart").text).iter("failure")
    messages = [failure.attrib["message"] for failure in failures]
    assert any("chars omitted" in message for message in messages)
    assert all(message.startswith(("AssertionError", "KeyError")) for message in messages)


@pytest.mark.parametrize("limit", range(300, 3_000, 150))
def test_every_budget_gives_a_document(junit: str, limit: int) -> None:
    found = view(junit, "xml", limit, side="smart")
    assert_kept(junit, found, limit)
    ET.fromstring(found.text)


def test_levels_and_states_in_attributes_tell_of_failures() -> None:
    rows = [f'<check file="f{n}.c" severity="warning" line="{n}"/>' for n in range(900)]
    rows[400] = '<check file="g.c" severity="error" line="7"/>'
    rows[700] = '<check file="h.c" success="false" line="9"/>'
    shown = view("<report>\n" + "\n".join(rows) + "\n</report>", "xml", 1_500, side="smart").text
    assert rows[400] in shown
    assert rows[700] in shown


def test_rare_elements_and_what_is_looked_for_are_shown() -> None:
    rows = [f"<row><id>{n}</id><name>user {n}</name></row>" for n in range(900)]
    rows[500] = "<note>moved to another table</note>"
    rows[600] = "<row><id>600</id><name>Grace &amp; Hopper</name></row>"
    text = "<rows>" + "".join(rows) + "</rows>"
    shown = view(text, "xml", 1_800, Options(focus="grace & hopper"), side="smart").text
    assert rows[500] in shown
    assert rows[600] in shown


def test_the_call_may_stand_in_an_attribute() -> None:
    text = '<a><b note="' + "long " * 900 + '"/></a>'
    found = view(text, "xml", 700, side="smart")
    assert_kept(text, found, 700)
    root = ET.fromstring(found.text)
    assert 'get_artifact(id="' in root[0].attrib["note"]


def test_a_big_report_of_no_failures_shows_both_ends(tmp_path: Path) -> None:
    rows = "".join(f'<testcase name="t{n}" time="0.1"/>' for n in range(3_000))
    text = f'<testsuite errors="0" failures="0" tests="3000">{rows}</testsuite>'
    shown = ET.fromstring(view(text, "xml", 2_000, side="smart").text)
    names = [case.attrib["name"] for case in shown]
    assert names[0] == "t0"
    assert names[-1] == "t2999"


def test_attributes_and_texts_of_elements_are_added_up_in_comments() -> None:
    rows = [
        f'<item kind="{"rare" if n == 321 else "usual"}" size="{n * 3}"><lang>{"de" if n % 2 else "en"}</lang></item>'
        for n in range(600)
    ]
    text = "<list>\n" + "\n".join(rows) + "\n</list>"
    found = view(text, "xml", 2_000, side="smart")
    assert_kept(text, found, 2_000)
    ET.fromstring(found.text)
    said = re.findall(r"<!-- (\[.*?\]) -->", found.text)
    assert "[1201 elements: list{item 600{lang 600}}]" in said
    assert "[item.kind: rare, usual 599]" in said
    assert "[item.size: 0 .. 1797]" in said
    assert "[lang: de 300, en 300]" in said or "[lang: en 300, de 300]" in said


def test_what_elements_say_of_which_there_is_one_each_is_told_with_their_names() -> None:
    """The tables of a font, a project or a device are settings: what each is set to is asked for, beside long lists."""
    draw = random.Random(3)
    settings = "".join(f'<limit{chr(97 + n)} value="{draw.randrange(9_999)}"/>\n' for n in range(26))
    texts = '<title>Quay, "far" 9</title>\n<maker>Ada of the quay</maker>\n'
    glyphs = "".join(f'<glyph name="g{n * 7919 % 10_007}" width="{draw.randrange(900)}"/>\n' for n in range(1_500))
    text = f"<font>\n<head>\n{settings}{texts}</head>\n<glyphs>\n{glyphs}</glyphs>\n</font>"
    found = view(text, "xml", 4_000, side="smart")
    told = re.findall(r"\[limit[a-z]\.value: \d+\]", found.text)
    assert len(told) > 20
    assert false_statements(text, found.text, "xml") == []


def test_elements_are_told_by_what_they_are_in() -> None:
    models = "".join(f"<model><item><name>m{n}</name><vendor>v{n % 3}</vendor></item></model>" for n in range(300))
    groups = "".join(f'<group many="{n % 2}"><option>o{n}</option></group>' for n in range(200))
    text = f"<all><models>{models}</models><groups>{groups}</groups></all>"
    found = view(text, "xml", 3_000, side="smart")
    assert_kept(text, found, 3_000)
    assert "all{models{model 300{item 300{name 300, vendor 300}}}, groups{group 200{option 200}}}]" in found.text
    assert false_statements(text, found.text, "xml") == []


@pytest.mark.parametrize("limit", [900, 2_000])
def test_elements_of_which_none_fits_are_told_all_the_same(limit: int) -> None:
    """An element with a thousand characters of attributes, each of which is too short to be cut."""
    wide = " ".join(f'part.{n}.of="{n * 7919 % 1000}"' for n in range(90))
    rows = "".join(f'<land name="land of {n}" zone="{"far" if n == 40 else "near"}" {wide}/>\n' for n in range(120))
    text = f"<lands>\n{rows}</lands>\n"
    found = view(text, "xml", limit, side="smart")
    assert_kept(text, found, limit)
    assert "[121 elements: lands{land 120}]" in found.text
    assert "[land.zone: far, near 119]" in found.text
    assert '"land of 0", "land of 1"' in found.text or "land of {0..119}" in found.text or '"land of ' in found.text
    assert false_statements(text, found.text, "xml") == []


def test_of_more_paths_than_are_remembered_no_number_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("overspill.documents.failures.MOST_PATHS", 5)
    text = "<all>" + "".join(f"<e{n % 9}>word {n}</e{n % 9}>" for n in range(300)) + "</all>"
    assert " elements: " not in view(text, "xml", 1_500, side="smart").text


def test_what_cannot_be_counted_exactly_is_not_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of more failed tests than are remembered no number is given, and one that comes again is counted again."""
    monkeypatch.setattr("overspill.documents.failures.MOST_NAMED", 5)
    cases = "".join(f'<testcase name="t{at % 5}"><failure>no</failure></testcase>' for at in range(200))
    shown = view(f"<testsuite>{cases}</testsuite>", "xml", 1_500, side="smart")
    assert "[200 testcase with failure: " in shown.text
    cases += '<testcase name="t5"><failure>no</failure></testcase>'
    assert " with failure: " not in view(f"<testsuite>{cases}</testsuite>", "xml", 1_500, side="smart").text


ENTRY = '<f:entry xml:lang="{}"><f:draft>false</f:draft><f:name>one\n   of {}</f:name></f:entry>'
PREFIXED = (
    '<f:feed xmlns:f="http://example.org/f" xml:lang="en">'
    + "".join(ENTRY.format("de" if at == 7 else "en", at) for at in range(90))
    + "</f:feed>"
)


@pytest.mark.parametrize("room", [600, 1_500, 4_000])
def test_prefixes_and_broken_lines_are_told_as_they_are_read(room: int) -> None:
    """19: what is said of elements can be counted again, whatever prefix they have."""
    shown = Overspill(store=MemoryStore(), preset="agent").fit(PREFIXED, strategy="smart", budget=room).text
    assert false_statements(PREFIXED, shown, "xml") == []
    assert "f:draft.=" not in shown
    if room == 4_000:
        assert "[f:entry.xml:lang: de, en 89]" in shown
        assert "\\n" not in shown  # a line that is broken in a text is one line in what is said of it


def test_elements_without_attributes_are_among_those_of_their_name() -> None:
    """What all elements of a name share is what those without attributes have, too: nothing."""
    tables = ElementTables()
    for number in range(60):
        tables.add("root/choice", "choice", {"least": "0", "most": "9"} if number % 4 else {}, "")
    said = " ".join(tables.statements(900))
    assert "least: 0 45" in said
    assert "all: " not in said


def test_codes_are_not_told_by_their_ends_where_numbers_stand_among_them() -> None:
    """`008 .. 096` is not true of a column in which 784 stands, too."""
    codes = [f'<entry letters="A{at * 7919 % 9973}" code="{at * 4:03}" name="Place {at}" />' for at in range(200)]
    text = f"<entries>\n{chr(10).join(codes)}\n</entries>\n"
    for limit in (700, 1_000, 1_500, 2_000, 3_000):
        found = view(text, "xml", limit, side="smart").text
        assert "code: 000 .. 096" not in found
        assert false_statements(text, found, "xml") == []


def test_where_some_failed_it_is_told_what_the_others_are_too() -> None:
    """Of a report with one failure nothing was told but its name; the room went to tests at both ends that passed."""
    cases = [
        f'<testcase classname="suite.{"abcdefg"[at // 20]}" name="lid {at} closes"'
        f' time="{34.2 if at == 111 else at % 9 / 100}">'
        + ('<failure message="it is open"/>' if at == 31 else "")
        + "</testcase>"
        for at in range(140)
    ]
    text = "\n".join(["<testsuites>", *cases, "</testsuites>"])
    shown = Overspill(store=MemoryStore(), preset="agent").fit(text, budget=4_000).text
    assert '[1 testcase with failure: "lid 31 closes"]' in shown
    assert "[testcase.classname: suite.{a 20, b 20" in shown
    assert "34.2" in shown
    assert false_statements(text, shown, "xml") == []
