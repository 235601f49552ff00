"""What all adapters of frameworks share."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from overspill import MemoryStore, Overspill, artifact_tools
from overspill.errors import MissingExtra, ToolError
from overspill.frameworks import require_extra
from overspill.frameworks.results import Batch, Results
from overspill.journal.calls import call_rows

SECRET = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3
# No two lines of it are alike, so that there is always more to show.
STORY = "".join(
    " ".join(f"{chr(97 + n * at % 26)}{chr(97 + n // 26 % 26)}{chr(97 + n // 676)}" for at in range(2, 3 + n % 29))
    + "\n"
    for n in range(4_000)
)


@pytest.fixture
def results() -> Results:
    return Results(Overspill(store=MemoryStore(), preset="agent"))


def test_what_need_not_change_is_the_very_object_that_came(results: Results) -> None:
    for output in ("hello", {"a": [1, 2]}, [None], 3, None, True):
        assert results.value(output)[0] is output


def test_a_large_object_keeps_its_shape_and_loses_no_secret(results: Results) -> None:
    rows, fitted = results.value([{"id": number, "key": SECRET} for number in range(20_000)], "fetch")
    assert isinstance(rows, list)
    assert len(json.dumps(rows)) < 12_000
    assert SECRET not in json.dumps(rows)
    assert fitted.artifact_id is not None
    assert fitted.artifact_id.rpartition("_")[2][:6] in json.dumps(rows)
    record, _ = results.value({"rows": list(range(50_000)), "ok": True}, "fetch")
    assert isinstance(record, dict)
    small, _ = results.value({"token": SECRET})
    assert set(small) == {"token"}
    assert SECRET not in str(small)


def test_a_refusal_keeps_the_shape_too() -> None:
    config = {"tools": {"truncation": {"max_artifact_size": 20_000}}}
    results = Results(Overspill(config, store=MemoryStore(), preset="agent"))
    record, fitted = results.value({"rows": list(range(50_000))})
    assert fitted.is_error
    assert list(record) == ["result"]
    assert isinstance(results.value(list(range(50_000)))[0], list)


def test_an_error_is_raised_as_it_is_or_within_the_budget(results: Results) -> None:
    short = KeyError("name")
    assert results.error(short) is short
    long = results.error(RuntimeError(SECRET + "no " * 100_000), "query")
    assert isinstance(long, ToolError)
    assert len(str(long)) <= 8_000
    assert SECRET not in str(long)


def test_what_was_fetched_is_not_cut_again_and_what_only_looks_like_it_is(results: Results) -> None:
    get, _, _ = artifact_tools(results.spill)
    answer = get(results.fit("x\n" * 50_000).artifact_id)
    assert len(answer) > 50_000
    assert results.fit(answer, "get_artifact").text == answer
    assert results.value({"result": answer}, "get_artifact")[0] == {"result": answer}
    assert len(results.fit(answer + "!", "get_artifact").text) <= 8_000


def test_results_of_one_turn_share_its_budget() -> None:
    results = Results(Overspill(store=MemoryStore(), preset="agent"), turn=9_000)
    batch = Batch("first", 3)
    with ThreadPoolExecutor(3) as threads:
        views = list(threads.map(lambda _: results.fit(STORY, batch=batch).text, range(3)))
    assert all(2_500 < len(view) < 3_200 for view in views)
    assert sum(map(len, views)) <= 9_000
    assert len(results.fit(STORY, batch=Batch("second", 1)).text) > 7_000


def test_what_a_small_result_spares_goes_to_those_after_it() -> None:
    results = Results(Overspill(store=MemoryStore(), preset="agent"), turn=6_000)
    batch = Batch("turn", 2)
    assert results.fit("small", batch=batch).text == "small"
    assert 5_000 < len(results.fit(STORY, batch=batch).text) <= 6_000


def test_a_batch_of_the_same_name_in_a_later_run_has_a_budget_of_its_own() -> None:
    results = Results(Overspill(store=MemoryStore(), preset="agent"), turn=6_000)
    views = [results.fit(STORY, batch=Batch(("call_0", "call_1"), 2)).text for _ in range(4)]
    assert all(2_500 < len(view) < 3_200 for view in views)


def test_where_the_number_of_calls_is_not_known_each_takes_half_of_what_is_left() -> None:
    results = Results(Overspill(store=MemoryStore(), preset="agent"), turn=8_000)
    views = [results.fit(STORY, batch=Batch("turn")).text for _ in range(4)]
    assert sum(map(len, views)) <= 8_000
    assert len(views[0]) > len(views[-1])


def test_a_missing_extra_is_one_sentence_with_the_command() -> None:
    code = (
        "try:\n    import overspill.frameworks.nothing_like_it\nexcept ModuleNotFoundError:\n    pass\n"
        "from overspill.frameworks import require_extra\n"
        "with require_extra('langchain'):\n    import a_framework_that_is_not_there\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    last = done.stderr.strip().splitlines()[-1]
    assert last.endswith("overspill.frameworks.langchain needs an optional package: pip install 'overspill[langchain]'")
    assert "During handling" not in done.stderr


def test_a_framework_of_another_release_is_named_too() -> None:
    with (
        pytest.raises(MissingExtra, match=r"pip install 'overspill\[openai-agents\]'") as caught,
        require_extra("openai-agents"),
    ):
        raise ImportError("cannot import name 'Agent' from 'agents'")
    assert "cannot import name 'Agent'" in str(caught.value)
    assert isinstance(caught.value, ImportError)
    assert caught.value.exit_code == 5


def test_the_journal_knows_that_the_framework_would_have_shown_all_of_it(tmp_path: Path) -> None:
    """P-26: frameworks have no cap of their own, so what is not shown is spared."""
    results = Results(Overspill({}, root=str(tmp_path), session="s"), framework="pydantic-ai")
    view = results.fit(STORY, "fetch", call_id="call_1")
    (call,) = call_rows(str(tmp_path / ".acode" / "logs"))
    assert (call.agent, call.chars.host, call.chars.shown) == ("pydantic-ai", len(STORY), len(view.text))
