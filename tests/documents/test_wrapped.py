"""Documents with lines around them: headers of a response, warnings, a fence of Markdown, how long it took."""

import json
import random
import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from truth import false_statements

from documents import ID, assert_kept, json_texts, limit_for, shares, sides, subject, view, view_of_bytes
from overspill import MemoryStore, Overspill
from overspill.core.budget import Budget
from overspill.documents import cut_document, side_for
from overspill.fit.render import may_be_wrapped

HEADERS = "HTTP/1.1 200 OK\r\nServer: nginx\r\nContent-Type: application/json\r\n\r\n"
AROUND = [
    pytest.param(HEADERS, "", id="curl -i"),
    pytest.param("warn: the flag is deprecated\nwarn: it will go away\n", "\n", id="warnings"),
    pytest.param("### Result\nFound 600 items\n```json\n", "\n```\n### Next\nAsk for page 2\n", id="fence"),
    pytest.param("", "\n\nreal 0m3.2s\nuser 0m1.1s\n", id="time"),
    pytest.param("Response: ", "\n", id="words before it"),
    pytest.param("window.state = ", ";\n", id="assignment"),
    pytest.param("tail of the log:\n...\n", "\n...\nbye\n", id="dots"),
    pytest.param("[12:00:01] asking\n[12:00:02] \u00e4nswered\n", "\n[12:00:03] done\n", id="log"),
]


def rows(number: int = 600) -> list[dict[str, object]]:
    drawn = random.Random(7)  # what is drawn has to be the same every time
    return [
        {"id": at, "name": f"part-{drawn.randrange(10**6)}", "state": "failed" if at == 377 else "ok", "text": "\u00e4"}
        for at in range(number)
    ]


def fitted_view(text: str, limit: int, **said: object) -> tuple[str, str]:
    """The view, and the strategy that made it."""
    fitted = Overspill(store=MemoryStore(), preset="agent").fit(text, budget=limit, **said)  # type: ignore[arg-type]
    return fitted.text, fitted.report.strategy_used


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize(("before", "behind"), AROUND)
def test_a_document_between_lines_is_cut_as_one_and_the_lines_stay(
    before: str, behind: str, indent: int | None
) -> None:
    """FR-022, FR-035: the odd row is shown, the document parses, and nothing that is said of it is false."""
    text = before + json.dumps({"items": rows(), "next": None}, indent=indent) + behind
    for limit in (1_200, 3_000, 8_000):
        shown, used = fitted_view(text, limit)
        clean = before.replace("\r\n", "\n"), behind.rstrip("\n")
        assert len(shown) <= limit
        assert used == "element"
        assert shown.replace("\r\n", "\n").startswith(clean[0])
        assert shown.rstrip("\n").endswith(clean[1])
        inside = json.loads(shown.replace("\r\n", "\n").rstrip("\n").removeprefix(clean[0]).removesuffix(clean[1]))
        assert any(isinstance(row, dict) and row["id"] == 377 for row in inside["items"])
        assert false_statements(text.replace("\r\n", "\n"), shown.replace("\r\n", "\n")) == []


def test_records_and_xml_between_lines_are_cut_as_what_they_are() -> None:
    records = "".join(json.dumps(row) + "\n" for row in rows())
    shown, used = fitted_view(f"reading the log\n{records}600 records\n", 2_000)
    first, *inside, last = shown.split("\n")[:-1]
    assert (used, first, last) == ("element", "reading the log", "600 records")
    assert all(json.loads(line) for line in inside)
    parts = "".join(f"<part id='{at}'><state>ok</state></part>\n" for at in range(500))
    shown, used = fitted_view(f"{HEADERS}<?xml version='1.0'?>\n<parts>\n{parts}</parts>\n", 2_000)
    assert used == "element"
    ET.fromstring(shown[shown.index("<?xml") :])


def test_of_lines_that_would_take_half_of_the_room_is_said_what_they_are() -> None:
    before = "".join(f"* step {at} of the handshake is well\n" for at in range(90))
    text = before + json.dumps(rows())
    shown, used = fitted_view(text, 2_000)
    assert used == "element"
    assert "[90x ~* step {0..89} of the handshake is well]\n" in shown
    assert "* step 89 of the handshake is well\n[" in shown
    assert shown.startswith("[... 89 lines]\n")
    assert false_statements(text, shown) == []


@pytest.mark.parametrize("limit", [700, 1_500, 3_000])
@pytest.mark.parametrize("behind", [False, True])
def test_of_lines_around_it_what_matters_most_is_shown(limit: int, behind: bool) -> None:
    """FR-035: the one error among lines that are alike, on either side; what is said of them is said of these lines."""
    around = [f"module.net[{at}].web: Creation complete after {at % 7 + 9}s\n" for at in range(60)]
    around[23] = "Error: InsufficientInstanceCapacity: no c5.large in eu-west-1b\n"
    document = json.dumps(rows(150), indent=1) + "\n"
    text = document + "".join(around) if behind else "".join(around) + document
    shown, used = fitted_view(text, limit)
    assert (used, around[23] in shown, len(shown) <= limit) == ("element", True, True)
    assert false_statements(text, shown) == []
    if "[59x" in shown:
        first = document.count("\n") + 1 if behind else 1
        assert f"\n[lines {first}-{first + 59}:]\n[59x ~module.net[" in f"\n{shown}"
    lines = [line for line in shown.splitlines() if line.startswith(("module", "Error"))]
    left_out = sum(int(number) for number in re.findall(r"(?m)^\[\.\.\. (\d+) lines?\]$", shown))
    assert len(lines) + left_out == len(around)


def test_nothing_is_left_out_of_a_line_that_a_document_shares() -> None:
    """What stands before a document on its line says what it is."""
    before = "".join(f"step {at} is well\n" for at in range(200))
    text = f"{before}Response: {json.dumps(rows())};\n{before}"
    shown, _ = fitted_view(text, 2_000)
    assert "\nResponse: [" in shown
    assert "];\n" in shown
    assert false_statements(text, shown) == []


def test_a_line_around_it_that_looks_like_a_mark_of_ours_is_told_apart() -> None:
    """FR-052: the text is cut as a text, which quotes such lines."""
    text = "[... 12 lines]\n" + json.dumps(rows(), indent=1)
    shown, used = fitted_view(text, 2_000)
    assert used == "smart"
    assert "\n[... 12 lines]" not in f"\n{shown}"


@pytest.mark.parametrize("strategy", ["head", "tail", "head_tail", "line"])
def test_who_asks_for_lines_of_a_text_gets_them(strategy: str) -> None:
    text = HEADERS + json.dumps(rows(), indent=1)
    assert fitted_view(text, 2_000, strategy=strategy)[1] == strategy
    assert side_for(strategy, "wrapped", subject(text).options) is None


@pytest.mark.parametrize(
    "text",
    [
        "[12:00:01] up\n[12:00:02] down\n" * 300,
        "a {b} c\n" * 300,
        "see\n<details>\n" + "a line of Markdown\n" * 300 + "</details>\n",
        "see {\n" + json.dumps(rows(20), indent=1)[:-9] + "\nthe end\n",
        "many words\n" * 900 + json.dumps(rows(9)),
    ],
)
def test_what_is_no_document_is_a_text(text: str) -> None:
    assert cut_document(subject(text), "wrapped", Budget(chars=1_000), "smart") is None
    assert fitted_view(text, 1_000)[1] == "smart"


def test_a_quick_look_tells_texts_that_may_hold_a_document() -> None:
    assert may_be_wrapped("warning\n[\n  {}\n]\n")
    assert may_be_wrapped("x\n<?xml version='1.0'?><a/>")
    assert not may_be_wrapped("[info] started\n[info] ended\n")
    assert not may_be_wrapped("plain words\n" * 50)


lines = st.lists(st.text(st.characters(codec="utf-8", exclude_characters='\n\r{}[]<>"\x85\u2028\u2029')), max_size=4)


@given(text=json_texts, before=lines, behind=lines, share=shares, side=sides)
def test_whatever_stands_around_it_the_promises_of_documents_hold(
    text: str, before: list[str], behind: list[str], share: float, side: str
) -> None:
    """Promises 1 to 4: the budget, conservation, what is kept stands there word for word, and what is JSON stays so."""
    around = "".join(f"{line}\n" for line in before), "".join(f"\n{line}" for line in behind)
    assume(any(around) and text[:1] in "{[" and len(text) > sum(map(len, around)) + 200)
    whole = around[0] + text + around[1]
    limit = limit_for(whole, share, least=2 * sum(map(len, around)) + 200)
    found = cut_document(subject(whole), "wrapped", Budget(chars=limit), side)
    if found is None:
        return
    assert_kept(whole, found, limit)
    assert found.text.startswith(around[0])
    assert found.text.endswith(around[1])
    json.loads(found.text[len(around[0]) : len(found.text) - len(around[1])])
    assert ID in found.text


many_lines = st.lists(
    st.tuples(
        st.sampled_from(("step {} is well", "Error: {} is full", "{}", "warn({}): w\u00e4it")), st.integers(0, 99)
    ),
    max_size=90,
)


@given(before=many_lines, behind=many_lines, limit=st.integers(400, 4_000), indent=st.sampled_from((None, 1)))
def test_however_many_lines_stand_around_it_the_promises_hold(
    before: list[tuple[str, int]], behind: list[tuple[str, int]], limit: int, indent: int | None
) -> None:
    """Promises 1 to 4 where lines around a document are left out, too, and nothing that is said of them is false."""
    assume(before or behind)
    around = ["".join(form.format(number) + "\n" for form, number in lines) for lines in (before, behind)]
    whole = f"{around[0]}{json.dumps(rows(150), indent=indent)}\n{around[1]}"
    found = cut_document(subject(whole), "wrapped", Budget(chars=limit), "smart")
    if found is None:
        return
    assert_kept(whole, found, limit)
    shown = fitted_view(whole, limit)[0]
    assert false_statements(whole, shown) == []


def test_bytes_and_text_give_the_same_view_and_name_the_same_part() -> None:
    text = "\u00e4 warning\n" + json.dumps({"items": rows()}, ensure_ascii=False) + "\n"
    whole = view(text, "wrapped", 3_000, side="smart")
    found = view_of_bytes(text.encode(), "wrapped", 3_000, side="smart")
    assert found is not None
    assert (found.text, found.fetch) == (whole.text, whole.fetch)
    start, end = map(int, re.findall(r"\d+", whole.fetch.partition(ID)[2]))
    left_out = text.encode()[start:end].decode()
    assert left_out.startswith('{"id": ')
    assert left_out.endswith("}")
