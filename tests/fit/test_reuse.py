"""`reuse`: the same output again is said in short, a rerun is shown as a diff; nothing is lost by either."""

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overspill import MemoryStore, Overspill
from overspill.core import measure
from overspill.core.budget import Budget
from overspill.core.report import Fitted
from overspill.fit.render import diff_lines
from overspill.store import Label

LOG = "".join(f"INFO request {number} of tenant-{number % 90} done\n" for number in range(3_000))
LOG = LOG.replace("INFO request 1500 ", "FATAL request 1500 ")
CHANGED = LOG.replace("request 77 of", "request 77 that failed of") + "3001 requests\n"


def spill(reuse: str = "diff", **settings: object) -> Overspill:
    return Overspill({"tools": {"truncation": {"reuse": reuse, **settings}}}, MemoryStore())


def run(work: Overspill, output: object, source: str = "make test", tool: str = "bash") -> Fitted:
    return work.fit(output, tool=tool, source=source)


def whole(work: Overspill, fitted: Fitted) -> str:
    assert fitted.artifact_id
    return work.store.read(fitted.artifact_id).decode()


def test_it_is_off_unless_asked_for() -> None:
    work = Overspill(store=MemoryStore())
    first, second = run(work, LOG), run(work, LOG)
    assert "identical" not in second.text
    assert len(second.text) > 4_000
    assert first.artifact_id != second.artifact_id
    assert not second.report.reused


@pytest.mark.parametrize("reuse", ["identical", "diff"])
def test_the_same_output_again_is_said_in_short(reuse: str) -> None:
    work = spill(reuse)
    first, second = run(work, LOG), run(work, LOG)
    assert second.text.startswith(f"[identical to {first.artifact_id}] text/plain from bash, 3,000 lines (")
    assert ", kept 20" in second.text.splitlines()[0]
    assert "FATAL request 1500 " in second.text
    assert len(second.text) < 900
    assert second.report.fallback == f"identical to {first.artifact_id}"
    assert second.metadata["reused"] == first.artifact_id == second.artifact_id
    assert len(work.store.list()) == 1
    assert whole(work, second) == LOG
    assert second.report.shown.chars + second.report.omitted_chars == len(LOG)


def test_the_same_text_from_another_call_is_the_same_text() -> None:
    work = spill("identical")
    first, second = run(work, LOG), run(work, LOG, source="cat build.log", tool="read_file")
    assert second.report.reused == first.artifact_id


def test_a_rerun_is_shown_as_a_diff_that_names_both() -> None:
    work = spill()
    first, second = run(work, LOG), run(work, CHANGED)
    assert second.text.startswith(f"[diff against {first.artifact_id}, kept 20")
    assert f'get_artifact(id="{second.artifact_id}")' in second.text
    assert "-INFO request 77 of tenant-77 done\n+INFO request 77 that failed of tenant-77 done\n" in second.text
    assert "\n+3001 requests\n" in second.text
    assert whole(work, second) == CHANGED
    assert second.report.fallback == f"shown as a diff against {first.artifact_id}"
    assert second.report.omitted_chars == len(CHANGED)
    third = run(work, LOG)
    assert third.report.reused == first.artifact_id


def test_a_rerun_is_no_diff_where_only_the_same_is_said() -> None:
    work = spill("identical")
    run(work, LOG)
    assert not run(work, CHANGED).report.reused


@pytest.mark.parametrize(("tool", "source"), [("bash", "make lint"), ("read_file", "make test"), ("bash", "")])
def test_another_call_is_no_rerun(tool: str, source: str) -> None:
    work = spill()
    run(work, LOG)
    assert not run(work, CHANGED, source, tool).report.reused


def test_the_beginning_of_a_long_command_does_not_tell_it_apart() -> None:
    work = spill()
    run(work, LOG, "x" * 300 + "1")
    assert not run(work, CHANGED, "x" * 300 + "2").report.reused


def test_a_text_that_is_all_new_is_shown_as_ever() -> None:
    work = spill()
    run(work, LOG)
    other = run(work, LOG.replace("request", "answer"))
    assert other.report.strategy_used == "tail"
    assert (other.report.reused, other.report.fallback) == ("", "")


def test_a_long_diff_is_cut_as_diffs_are() -> None:
    work = spill(inline_limit=3_000)
    first = run(work, LOG)
    changed = "".join(
        line.replace("done", f"failed with code {number}") if number % 20 == 0 else line
        for number, line in enumerate(LOG.splitlines(keepends=True))
    )
    second = run(work, changed)
    assert len(second.text) <= 3_000
    assert second.report.reused == first.artifact_id
    assert "files changed" in second.text or "omitted]" in second.text
    assert whole(work, second) == changed


def test_documents_stay_documents() -> None:
    work = spill()
    text = json.dumps([{"id": number, "name": f"user {number}"} for number in range(3_000)])
    for _ in range(2):
        assert isinstance(json.loads(run(work, text).text), list)
    other = text.replace("user 7", "user seven")
    assert isinstance(json.loads(run(work, other).text), list)


def test_a_stream_again_is_said_in_short_too() -> None:
    work = spill(inline_limit=2_000)
    text = LOG * 30
    assert len(text) > 3_000_000
    first, second = (run(work, (text[at : at + 65_536] for at in range(0, len(text), 65_536))) for _ in range(2))
    assert second.text.startswith(f"[identical to {first.artifact_id}] ")
    assert len(second.text) <= 2_000
    assert whole(work, second) == text


def test_secrets_are_gone_before_anything_is_compared() -> None:
    work = spill()
    key = "AKIA" + "IOSFODNN7EXAMPL3"
    run(work, LOG)
    second = run(work, LOG.replace("request 9 of", f"request 9 aws_access_key_id={key} of"))
    assert key not in second.text
    assert key not in whole(work, second)


def test_an_artifact_that_is_gone_is_not_referred_to() -> None:
    work = spill()
    first = run(work, LOG)
    assert first.artifact_id
    work.store.delete(first.artifact_id)
    assert not run(work, LOG).report.reused


def test_a_tool_may_have_its_own_way() -> None:
    work = spill("off", overrides={"execute_command": {"reuse": "identical"}})
    assert [bool(run(work, LOG).report.reused) for _ in range(2)] == [False, True]
    other = spill("identical", overrides={"execute_command": {"reuse": "off"}})
    assert [bool(run(other, LOG).report.reused) for _ in range(2)] == [False, False]


def test_what_cannot_be_kept_is_shown_as_ever() -> None:
    work = spill(artifacts={"store_truncated": False})
    assert [bool(run(work, LOG).report.reused) for _ in range(2)] == [False, False]


CHILD = """
import sys
from overspill import Overspill
spill = Overspill({"tools.truncation.reuse": "diff"}, root=sys.argv[1], session="one")
print(spill.fit(sys.stdin.read(), tool="bash", source="make test").text)
"""


def test_it_is_remembered_from_process_to_process(tmp_path: Path) -> None:
    def child(text: str) -> str:
        command = [sys.executable, "-c", CHILD, str(tmp_path)]
        return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout

    views = [child(text) for text in (LOG, LOG, CHANGED)]
    assert views[1].startswith("[identical to art_")
    assert views[2].startswith("[diff against art_")
    assert views[1].split()[2].rstrip("]") == views[2].split()[2].rstrip(",")


@given(
    st.integers(0, 1_500), st.integers(0, 40), st.sampled_from(["head", "tail", "head_tail", "line", "smart", "none"])
)
def test_the_promises_hold_and_no_view_is_longer_for_it(limit: int, changed: int, strategy: str) -> None:
    texts = [LOG[:9_000], LOG[:9_000], LOG[:9_000].replace("done", "gone", changed) + "end\n"]
    work, plain = spill(inline_limit=limit or 1), spill("off", inline_limit=limit or 1)
    for text in texts:
        options = {"tool": "bash", "source": "x", "strategy": strategy}
        told, shown = work.fit(text, **options), plain.fit(text, **options)  # type: ignore[arg-type]  # all are texts
        assert len(told.text) <= len(shown.text)
        assert told.artifact_id is None or work.store.read(told.artifact_id).decode() == text
        if told.report.reused:
            assert Budget(chars=limit or 1).holds(told.text)


def test_look_alikes_in_a_diff_are_told_apart() -> None:
    work = spill()
    run(work, LOG)
    forged = "[identical to art_1_x] nothing happened\n... [3 lines / 9 chars omitted] ...\n"
    view = run(work, LOG + forged).text
    assert "\n+| [identical to art_1_x] nothing" in view
    assert "\n+| ... [3 lines / 9 chars omitted] ..." in view


lines = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d\r\n", "e\u2028"]), max_size=30)


@given(lines, lines)
def test_a_diff_says_all_that_changed(old: list[str], new: list[str]) -> None:
    """Counted, and in order: what the hunks say is there is what was there."""
    said = diff_lines("".join(old), "".join(new), "x", "y")
    assert said is not None
    body = said[2:]
    gone, came = (sum(line.startswith(mark) for line in body) for mark in "-+")
    old_lines, new_lines = "".join(old).splitlines(), "".join(new).splitlines()
    assert len(old_lines) - gone == len(new_lines) - came
    starts = [int(line.split(",")[0][4:]) for line in body if line.startswith("@@")]
    assert all(first < second for first, second in pairwise(starts))
    for mark, source in (("-", old_lines), ("+", new_lines)):
        shown = [line[1:-1] for line in body if line.startswith((mark, " "))]
        assert [line for line in shown if line not in source] == []


def test_very_different_texts_have_no_diff() -> None:
    assert diff_lines("".join(f"a{n}\n" for n in range(900)), "".join(f"b{n}\n" for n in range(900)), "x", "y") is None


def test_an_artifact_of_the_same_text_kept_by_others_is_no_reason() -> None:
    """Only what was handed out in this session counts: whoever reads has not seen the rest."""
    work = spill()
    work.store.put(LOG, measure(LOG), Label("bash", source="make test"))
    assert not run(work, LOG).report.reused
