"""Results that are a long text under a name, of several texts, for people, and errors of what is watched."""

import asyncio
import json

import pytest

from overspill import MemoryStore, Overspill, artifact_tools
from overspill.errors import ToolError
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
    written = json.dumps(shown, ensure_ascii=False, separators=(",", ":"))
    assert len(written) <= 8_000 + shown["report"].count("\n") + shown["report"].count('"')
    assert fitted.artifact_id is not None
    assert fitted.artifact_id.rpartition("_")[2][:6] in shown["report"]
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


def test_what_is_for_people_is_whole_and_without_secrets(results: Results) -> None:
    record = {"report": STORY, "token": SECRET}
    shown = results.whole(record)
    assert shown["report"] == STORY
    assert SECRET not in str(shown)
    assert results.whole({"report": STORY})["report"] is STORY
    assert results.whole(f"{STORY}{SECRET}").startswith(STORY)


def test_an_object_that_was_written_down_is_shown_as_json_only_if_it_is_cut(results: Results) -> None:
    small = {"a": None}
    assert results.fit_words(str(small), small).text == "{'a': None}"
    rows = [{"id": number, "note": None} for number in range(20_000)]
    view = results.fit_words(str(rows), rows, "fetch")
    assert json.loads(view.text)[0] == {"id": 0, "note": None}
    assert view.artifact_id is not None
    assert "None" not in results.spill.get(view.artifact_id, limit=200).text
    own_words = results.fit_words("as the tool puts it\n" * 9_000, rows)
    assert "as the tool puts it" in own_words.text


def test_what_is_watched_raises_no_more_than_may_be_shown(results: Results) -> None:
    def broken(words: str) -> str:
        raise RuntimeError(words)

    async def broken_later(words: str) -> str:
        raise RuntimeError(words)

    async def awaited() -> None:
        await results.bounded_function(broken_later, "query")(STORY + SECRET)

    for call in (lambda: results.bounded_function(broken, "query")(STORY + SECRET), lambda: asyncio.run(awaited())):
        with pytest.raises(ToolError) as caught:
            call()
        assert SECRET not in str(caught.value)
        assert len(str(caught.value)) <= 8_000
        assert caught.value.__suppress_context__
    with pytest.raises(RuntimeError, match="short"):
        results.bounded_function(broken)("short")


def test_an_error_that_is_a_signal_goes_by_whatever_it_says(results: Results) -> None:
    class Pause(Exception):
        pass

    with pytest.raises(Pause), results.bounded_errors("wait", (Pause,)):
        raise Pause(STORY)
    with pytest.raises(asyncio.CancelledError), results.bounded_errors("wait"):
        raise asyncio.CancelledError
