"""XML stays well-formed at every budget that holds its root's tags and a name."""

import re
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from documents import (
    ID,
    assert_kept,
    is_cut_as_text,
    limit_for,
    options,
    shares,
    sides,
    subject,
    view,
    view_of_bytes,
)
from overspill.core.budget import Budget
from overspill.core.markers import Reference, shell_call
from overspill.core.spans import Options
from overspill.documents import cut_document
from xml_texts import elements, is_well_formed, report

prologs = st.sampled_from(["", '<?xml version="1.0" encoding="ISO-8859-1"?>\n', "<!-- by us -->\n", "\n\n"])


def tags_of_root(text: str) -> int:
    start = re.search(r"<[^!?][^>\"']*(?:\"[^\"]*\"[^>\"']*|'[^']*'[^>\"']*)*>", text)
    assert start is not None
    return len(start[0]) + len(start[0].split()[0]) + 3


@given(
    prolog=prologs,
    element=elements,
    epilog=st.sampled_from(["", "\n", "<!-- end -->"]),
    share=shares,
    settings=options,
    side=sides,
)
def test_every_view_of_xml_is_well_formed_within_the_budget(
    prolog: str, element: str, epilog: str, share: float, settings: Options, side: str
) -> None:
    text = prolog + element + epilog
    assert is_well_formed(text)
    limit = limit_for(text, share, 64 + tags_of_root(text))
    found = view(text, "xml", limit, settings, side=side)
    assert is_well_formed(found.text), found.text
    assert_kept(text, found, limit)


def test_the_first_and_the_last_children_stay_and_the_rest_is_counted_by_their_name() -> None:
    text = report(50_000)
    found = view(text, "xml", 8000)
    shown = [case.get("name") for case in ET.fromstring(found.text).iter("testcase")]
    assert shown == [f"test_{index}" for index in [0, 1, 2, 3, 4, *range(49_995, 50_000)]]
    assert "<!-- ... 49,990 testcases omitted ... -->" in found.text
    assert found.cut.elements == 49_990


def test_long_cdata_is_shortened_in_its_middle() -> None:
    text = report(2, output="a < b && c > d\n" * 5000)
    found = view(text, "xml", 3000)
    outputs = [element.text or "" for element in ET.fromstring(found.text).iter("system-out")]
    assert len(outputs) == 2
    assert all(output.startswith("a < b && c > d\n") and output.endswith("a < b && c > d\n") for output in outputs)
    assert not any("omitted" in output for output in outputs)
    assert found.text.count("chars omitted") == 2


def test_comments_namespaces_and_attributes_are_kept_as_they_were_written() -> None:
    head = "<r xmlns:p='urn:x'  a = \"1\" >\n<!-- keep me --><p:one b='>'/>"
    text = head + "<p:two/>" * 5000 + "</r  >"
    found = view(text, "xml", 1000).text
    assert found.startswith(head)
    assert found.endswith("</r  >")
    ET.fromstring(found)


def test_what_looks_like_the_end_of_a_comment_may_be_its_beginning() -> None:
    for odd in ("<!-->-->", "<!--->-->", "<?p >?>", "<![CDATA[]]]]>", "<![CDATA[>]]]>"):
        text = f"<a>{odd}{'x' * 500}{odd}</a>" if "CDATA" in odd else f"{odd}<a>{odd}{'x' * 500}{odd}</a>{odd}"
        assert is_well_formed(text)
        for limit in range(75, 200):
            assert is_well_formed(view(text, "xml", limit).text)


def test_a_call_with_dashes_can_stand_in_a_comment_and_be_run_from_there() -> None:
    import shlex

    found = view(report(1000), "xml", 2000, spelling=shell_call)
    words = re.findall(r"<!-- (spill .*?) -->", found.text)
    gap = found.cut.gaps[0]
    assert len(words) == 1
    assert shlex.split(words[0])[:5] == ["spill", "artifacts", "show", ID, "--bytes"]
    start, end = map(int, shlex.split(words[0])[5].split("-"))
    assert gap.start <= start < end <= gap.end
    assert is_well_formed(found.text)


def test_no_reason_can_break_the_comment_it_stands_in() -> None:
    asked = subject(report(1000))
    for reason in ("disk full -- really --- yes", "---", "-"):
        found = cut_document(asked._replace(reference=Reference(reason=reason)), "xml", Budget(chars=2000))
        assert found is not None
        assert is_well_formed(found.text)


def test_a_budget_that_cannot_hold_the_roots_tags_and_the_name_gives_text() -> None:
    text = f"<root a='{'x' * 100}'>{'<b/>' * 1000}</root>"
    assert cut_document(subject(text), "xml", Budget(chars=120)) is None
    assert cut_document(subject(report(1000)), "xml", Budget(chars=70)) is None
    assert ID in view(text, "xml", 64 + 114 + 7).text


def test_what_is_not_plain_well_formed_xml_is_cut_as_text() -> None:
    bulk = "<b/>" * 1000
    for text in (
        f"<a>{bulk}",
        f"<a>{bulk}</b>",
        f"<!DOCTYPE a><a>&x;{bulk}</a>",
        f'<!DOCTYPE a [<!ENTITY x "y">]><a>&x;{bulk}</a>',
        f"<a>&nbsp;{bulk}</a>",
        f"<a>\x01{bulk}</a>",
        f"<a>\ud800{bulk}</a>",
        f"{bulk}",
        "<a>" * 901 + "</a>" * 901,
        "<a>" * 100_000 + "</a>" * 100_000,
        "",
        "no markup at all",
    ):
        assert is_cut_as_text(text, "xml"), text[:60]


@given(
    data=st.lists(
        st.sampled_from(
            [
                b"<a>",
                b"</a>",
                b"<a/>",
                b"<b c='",
                b"'>",
                b"</b>",
                b"&amp;",
                b"&",
                b"<![CDATA[",
                b"]]>",
                b"<!--",
                b"-->",
                b"<?x ",
                b"?>",
                b"text" * 30,
                b"\xff",
                b"\xc3\xa9",
            ]
        )
    ).map(b"".join)
)
def test_arbitrary_bytes_are_refused_or_cut_to_well_formed_xml(data: bytes) -> None:
    found = view_of_bytes(data, "xml", 90)
    assert found is None or is_well_formed(found.text)


@given(text=st.text())
def test_arbitrary_text_never_raises(text: str) -> None:
    for kind in ("xml", "json", "ndjson", "other"):
        cut_document(subject(text), kind, Budget(chars=70))
