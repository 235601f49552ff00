"""Results that are a long text under a name, and results of several texts."""

import json

import pytest

from overspill import MemoryStore, Overspill, artifact_tools
from overspill.frameworks.results import Results

SECRET = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3
STORY = "".join(f"line {number} of a long story\n" for number in range(4_000))


@pytest.fixture
def results() -> Results:
    return Results(Overspill(store=MemoryStore(), preset="agent"))


def test_a_long_text_under_a_name_is_kept_by_its_lines(results: Results) -> None:
    shown, fitted = results.value({"status": "ok", "report": STORY, "code": 0}, "report")
    assert list(shown) == ["status", "report", "code"]
    assert (shown["status"], shown["code"]) == ("ok", 0)
    assert len(json.dumps(shown, ensure_ascii=False)) <= 8_000 + shown["report"].count("\n")
    assert fitted.artifact_id is not None
    assert fitted.artifact_id in shown["report"]
    assert results.spill.get(fitted.artifact_id, lines=(2_000, 2_000)).text == "line 1999 of a long story\n"


def test_secrets_beside_a_long_text_are_hidden_too(results: Results) -> None:
    shown, _ = results.value({"report": STORY, "token": SECRET}, "report")
    assert SECRET not in json.dumps(shown)
    shown, _ = results.value({"report": "x" * 3_000, "password": "hunter2-and-more-A9"}, "report")
    assert set(shown) == {"report", "password"}
    assert "hunter2" not in json.dumps(shown)


def test_what_fits_is_the_very_object_that_came(results: Results) -> None:
    record = {"status": "ok", "report": "x" * 3_000}
    assert results.value(record)[0] is record


def test_the_texts_of_one_result_share_its_room(results: Results) -> None:
    views = results.texts([STORY, "short", STORY], "report")
    assert views[1].text == "short"
    assert sum(len(view.text) for view in views) <= 8_000


def test_a_fetched_text_among_others_is_not_cut_again(results: Results) -> None:
    view = results.fit(STORY, "report")
    get, *_ = artifact_tools(results.spill)
    fetched = get(view.artifact_id, start_line=1_000, end_line=2_000)
    assert [one.text for one in results.texts([fetched, "beside it"], "get_artifact")] == [fetched, "beside it"]
