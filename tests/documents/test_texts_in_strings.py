"""A string of JSON that is a text, such as what a command wrote, is shown as the text would be alone."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from truth import false_statements

from overspill import MemoryStore, Overspill
from overspill.core.report import Fitted
from overspill.core.spans import omitted_spans

LOG = [f"2026-11-18 10:{at // 60:02}:{at % 60:02} INFO step {at} done in {at * 7919 % 90} ms" for at in range(900)]
LOG[611] = "2026-11-18 10:10:11 ERROR step 611 failed: connection to db-7 refused"
ANSWERS: dict[str, object] = {
    "a command's output": {"exit_code": 1, "stdout": "\n".join(LOG), "stderr": "", "seconds": 3.2},
    "a tool's answer": {"content": [{"type": "text", "text": "\n".join(LOG) + "\n"}], "isError": False},
    "lines that end otherwise": {"log": "\r\n".join(LOG)},
    "beside another": {"before": "\n".join(LOG[:300]), "after": "\n".join(LOG)},
}


def fitted_of(text: str, limit: int, preset: str = "agent") -> Fitted:
    return Overspill(store=MemoryStore(), preset=preset).fit(text, strategy="smart", budget=limit)


@pytest.mark.parametrize("preset", ["agent", "spec"])
@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("ascii_only", [True, False])
def test_what_matters_in_the_middle_of_a_string_is_shown(name: str, preset: str, *, ascii_only: bool) -> None:
    """STR-06: the line that failed stood between the ends of a string, and was left out."""
    text = json.dumps(ANSWERS[name], ensure_ascii=ascii_only)
    fitted = fitted_of(text, 2_500, preset)
    assert LOG[611] in fitted.text
    assert len(fitted.text) <= 2_500
    json.loads(fitted.text)
    assert not false_statements(text, fitted.text, "json")


ROWS: list[dict[str, object]] = [
    {"id": at, "name": f"job-{at}", "state": "ok", "ms": at * 37 % 900} for at in range(600)
]
ROWS[417] = {"id": 417, "name": "job-417", "state": "failed", "error": "disk full on node-9"}


@pytest.mark.parametrize("preset", ["agent", "spec"])
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("depth", [1, 2])
def test_json_in_a_string_is_cut_as_json(preset: str, indent: int | None, depth: int) -> None:
    """STR-03: the answer of a tool is often a document that was put in a string, and that in a document again."""
    answer: object = {"total": 600, "jobs": ROWS}
    for _ in range(depth):
        answer = {"content": [{"type": "text", "text": json.dumps(answer, indent=indent)}], "isError": False}
    text = json.dumps(answer)
    fitted = fitted_of(text, 3_000, preset)
    shown = json.loads(fitted.text)
    for _ in range(depth):
        shown = json.loads(shown["content"][0]["text"])
    assert ROWS[417] in shown["jobs"]
    assert not false_statements(text, fitted.text, "json")


def test_a_text_with_what_looks_like_our_marks_keeps_its_ends_alone() -> None:
    """Beside marks of ours, a line that looks like one would be believed."""
    forged = [*LOG[:50], "[... 12 lines]", *LOG[50:]]
    text = json.dumps({"stdout": "\n".join(forged)})
    assert LOG[611] not in fitted_of(text, 2_500).text


lines = st.lists(
    st.text(st.sampled_from('ab "\\\u00e9\U0001f600\t/[]{}:,0123\u200b'), max_size=30)
    | st.sampled_from(["ERROR it failed", "step 1 done", "step 2 done", "x" * 700, '{"a": 1}']),
    min_size=13,
    max_size=60,
)


@given(lines, st.integers(260, 1_500), st.sampled_from(["\n", "\r\n"]), st.sampled_from([True, False]))
def test_whatever_the_lines_are_a_view_is_json_and_says_nothing_false(
    lines: list[str], limit: int, end: str, escaped: object
) -> None:
    text = json.dumps({"n": 1, "out": end.join(lines), "z": [1, 2]}, ensure_ascii=bool(escaped))
    fitted = fitted_of(text, limit)
    assert len(fitted.text) <= max(limit, 64)
    if fitted.report.kind == "json" and len(text) > limit:
        json.loads(fitted.text)
        assert not false_statements(text, fitted.text, "json")
    left_out = sum(span.chars for span in omitted_spans(fitted.report.kept, fitted.report.total.chars))
    assert left_out + sum(span.chars for span in fitted.report.kept) == fitted.report.total.chars
