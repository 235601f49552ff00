"""`spill replay`: sessions that are over, as they would have been."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from doors_kit import Shell, mapping, ok, records
from overspill import MemoryStore, Overspill
from overspill.cli.report import usual_places
from overspill.core import tokens_of
from overspill.journal import journal_line
from overspill.replay import (
    BITS,
    NEXT_STEPS,
    SessionReplay,
    Spoken,
    ToolOutput,
    Transcript,
    WordMemory,
    names_and_numbers,
)

SAMPLES = Path(__file__).parent.parent / "samples" / "transcripts"
LINES = [f"the block number_{number:04} was written" for number in range(400)]
LINES[200] = "ERROR: cart_total was 1999 in src/cart.py"
LONG = "\n".join(LINES)
Json = dict[str, Any]


def said(text: str) -> Json:
    return {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}}


def asked(number: int, command: str) -> Json:
    use = {"type": "tool_use", "id": f"toolu_{number}", "name": "Bash", "input": {"command": command}}
    return {"type": "assistant", "message": {"role": "assistant", "content": [use]}}


def answered(number: int, text: str, whole: object = None) -> Json:
    result = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": text}
    line: Json = {"type": "user", "message": {"role": "user", "content": [result]}}
    return line if whole is None else line | {"toolUseResult": whole}


def written(path: Path, lines: Iterable[Json | str]) -> Path:
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return path


def replayed(path: Path) -> SessionReplay:
    replay = SessionReplay(Overspill({}, MemoryStore(), preset="agent"))
    replay.read(str(path))
    return replay


def test_a_transcript_that_was_counted_by_hand(tmp_path: Path) -> None:
    """Three names of the cut result come up later: the error's place, whole and in part, and a line left out."""
    lines = [
        asked(1, "make blocks"),
        answered(1, LONG),
        asked(2, "sed -n 200,210p src/cart.py"),  # src/cart.py and cart.py; 200,210p stand in no result
        answered(2, "short"),
        said("Look at number_0123 and at conf/other.toml."),  # the second one is the model's own
    ]
    replay = replayed(written(tmp_path / "a.jsonl", lines))
    view = Overspill({}, MemoryStore(), preset="agent").fit(LONG, tool="bash", source="make blocks").text
    assert "ERROR: cart_total was 1999 in src/cart.py" in view
    assert "number_0123" not in view
    total = replay.total
    assert (total.results, total.cut) == (2, 1)
    assert (total.used, total.kept, total.lost) == (3, 2, 1)
    assert [lost.name for lost in replay.lost] == ["number_0123"]
    assert total.said == total.host == tokens_of(len(LONG)) + 2
    assert (total.view, total.net) == (tokens_of(len(view)) + 2, tokens_of(len(LONG)) - tokens_of(len(view)))


def test_a_name_that_was_known_before_is_not_used_from_there(tmp_path: Path) -> None:
    lines = [said("number_0123 it is"), asked(1, "make"), answered(1, LONG), said("so number_0123")]
    assert replayed(written(tmp_path / "a.jsonl", lines)).total.used == 0


@pytest.mark.parametrize(
    ("command", "used"),
    [
        ("cat lib/shop/mod_0123.ts", 0),  # another file of that name
        ("cat src/blocks/mod_0123.ts", 2),
        ("cat /home/me/src/blocks/mod_0123.ts", 1),  # the same by its whole path
        ("grep -r mod_0123.ts", 1),
        ("cat lib/shop/mod_0123.ts; grep -r mod_0123.ts", 1),
    ],
)
def test_a_file_of_another_path_is_not_used_from_there(tmp_path: Path, command: str, used: int) -> None:
    listing = "\n".join(f"src/blocks/mod_{number:04}.ts was written" for number in range(400))
    lines = [asked(1, "make"), answered(1, listing), asked(2, command)]
    assert replayed(written(tmp_path / "a.jsonl", lines)).total.used == used


def test_a_name_counts_once_and_only_in_the_next_steps(tmp_path: Path) -> None:
    later = [said(f"thinking about step_{number}") for number in range(NEXT_STEPS - 1)]
    soon = [asked(1, "make"), answered(1, LONG), *later, said("number_0123"), said("number_0123")]
    assert replayed(written(tmp_path / "a.jsonl", soon)).total.used == 1
    late = [asked(1, "make"), answered(1, LONG), *later, said("another_thought"), said("number_0123")]
    assert replayed(written(tmp_path / "b.jsonl", late)).total.used == 0


def test_what_the_agent_cut_is_no_saving_of_ours(tmp_path: Path) -> None:
    """Claude Code shows 2 KB of what is long, and keeps all of it beside the transcript."""
    whole = {"stdout": LONG[:3_000], "persistedOutputPath": "/elsewhere/tool-results/b1.txt", "persistedOutputSize": 1}
    path = written(tmp_path / "a.jsonl", [asked(1, "make"), answered(1, LONG[:2_000], whole)])
    partly = replayed(path).total
    assert (partly.said, partly.host, partly.partial) == (750, 500, 1)
    saved = tmp_path / "a" / "tool-results"
    saved.mkdir(parents=True)
    (saved / "b1.txt").write_text(LONG)
    found = replayed(path).total
    assert (found.said, found.host, found.partial, found.cut) == (tokens_of(len(LONG)), 500, 0, 1)
    assert found.net == 500 - found.view < 0
    (saved / "b1.txt").unlink()
    (saved / "b1.txt").symlink_to("/etc/hostname")
    assert replayed(path).total.partial == 1


def test_codex_tells_the_whole_output_in_an_event_of_its_own(tmp_path: Path) -> None:
    frame = "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 3\nOriginal token count: 9\nOutput:\n"
    done = {"type": "CommandExecution", "id": "call_1", "aggregated_output": LONG, "exit_code": 3}
    call = {"type": "function_call", "name": "exec_command", "arguments": '{"cmd": "make"}', "call_id": "call_1"}
    shown = {"type": "function_call_output", "call_id": "call_1", "output": frame + LONG[:4_000]}
    lines = [
        {"type": "response_item", "payload": call},
        {"type": "event_msg", "payload": {"type": "item_completed", "item": done}},
        {"type": "response_item", "payload": shown},
    ]
    steps = list(Transcript(str(written(tmp_path / "rollout.jsonl", lines))))
    assert steps == [Spoken("make"), ToolOutput("codex", "exec_command", "make", LONG, LONG[:4_000], failed=True)]


def test_lines_that_nobody_knows_are_passed_over(tmp_path: Path) -> None:
    strange: list[Json | str] = [
        "not json at all",
        "[1, 2]",
        '{"type": "user"',
        "null",
        "",
        "[" * 50_000,
        {"type": "summary", "summary": "x"},
        {"type": "user", "message": {"content": [None, 7, {"type": "tool_result"}, {"type": "tool_use"}]}},
        {"type": "response_item", "payload": {"type": "function_call_output", "output": {"content": [1, None]}}},
        {"type": "event_msg", "payload": {"item": None, "aggregated_output": 7}},
        {"payload": []},
    ]
    path = written(tmp_path / "a.jsonl", [*strange, asked(1, "make"), answered(1, LONG), said("number_0123")])
    path.write_bytes(path.read_bytes() + b"\xff\xfe\x00 half a li")
    replay = replayed(path)
    assert (replay.total.cut, replay.total.lost, replay.unread) == (1, 1, 6)


def test_what_was_fitted_already_is_left_out(tmp_path: Path) -> None:
    view = Overspill({}, MemoryStore(), preset="agent").fit(LONG, tool="bash").text
    use = {"type": "tool_use", "id": "toolu_2", "name": "mcp__overspill__get_artifact", "input": {"id": "art_1"}}
    fetch = {"type": "assistant", "message": {"content": [use]}}
    path = written(tmp_path / "a.jsonl", [asked(1, "make"), answered(1, view), fetch, answered(2, "the rest")])
    replay = replayed(path)
    assert (replay.total.results, replay.fitted_before) == (0, 2)


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_recorded_sessions_of_real_agents(agent: str) -> None:
    """Five commands; of the first long one the failed test is used next, and a line that a view leaves out."""
    replay = replayed(SAMPLES / f"{agent}.jsonl")
    assert (replay.total.results, replay.total.cut, replay.agents) == (5, 2, {agent})
    names = {lost.name for lost in replay.lost}
    assert {"unit_0150", "src/unit/0150.py"} <= names
    # Of what Claude Code writes down of a failed command a view shows that line; of all, as Codex does, it does not.
    assert ("src/part/0003.py" in names) == (agent == "codex")
    assert "48213" not in names
    assert not any("test_" in name for name in names)
    outputs = [step for step in Transcript(str(SAMPLES / f"{agent}.jsonl")) if isinstance(step, ToolOutput)]
    assert replay.total.host == sum(tokens_of(len(output.host)) for output in outputs)
    assert [output.failed for output in outputs] == [False, False, True, True, True]
    assert outputs[0].host.startswith("unit_0000 took 2000 ms")
    longest = max(outputs, key=lambda output: len(output.said))
    # Claude Code writes down no more of a failed command than it shows; Codex writes down all of it.
    assert (len(longest.said) > 30_000, len(longest.host) < 11_000) == (agent == "codex", True)


def tree(place: Path) -> dict[str, tuple[int, bytes]]:
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in place.rglob("*") if path.is_file()}


def test_nothing_is_changed(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    places = tmp_path / "claude" / "projects" / "-srv-app"
    places.mkdir(parents=True)
    written(places / "a.jsonl", [asked(1, "make"), answered(1, LONG), said("number_0123 and src/cart.py")])
    before = tree(places), tree(shell.root)
    shell.environ["CLAUDE_CONFIG_DIR"] = str(tmp_path / "claude")
    found = mapping(ok(shell.spill("replay", "--json", "--names")).envelope["replay"])
    assert (tree(places), tree(shell.root)) == before
    assert not (shell.root / ".acode").exists()
    assert (mapping(found["total"])["lost"], found["lost_names"]) == (
        1,
        [{"tool": "execute_command", "name": "number_0123"}],
    )
    assert [one["tool"] for one in records(found["tools"])] == ["execute_command"]
    text = ok(shell.spill("replay", "--names")).out
    assert "1 would have had to be fetched" in text
    assert "lost: execute_command  number_0123" in text


def test_our_tools_cost_every_session(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    for name in ("a", "b"):
        written(shell.root / f"{name}.jsonl", [asked(1, "make"), answered(1, "short")])
    found = mapping(ok(shell.spill("replay", ".", "--json")).envelope["replay"])
    assert (found["sessions"], found["net"]) == (2, -int(str(found["ours"])))
    assert int(str(found["ours"])) > 1_000


def test_a_journal_is_read_as_well(tmp_path: Path) -> None:
    """What was shown then, against the host; its texts are not kept, so nothing can be said of names."""
    shell = Shell(tmp_path)
    logs = shell.root / ".acode" / "logs"
    logs.mkdir(parents=True)
    sizes = {"original_size": 20_000, "original_tokens": 5_000, "truncated_size": 8_000, "truncated_tokens": 2_000}
    line = journal_line("truncate", {"tool_name": "bash", "agent": "gemini", "command": "c", **sizes}, 1_800_000_000.0)
    (logs / "journal.jsonl").write_bytes(line)
    (logs / "journal.jsonl").chmod(0o600)
    found = mapping(mapping(ok(shell.spill("replay", ".", "--json")).envelope["replay"])["total"])
    assert (found["results"], found["said"], found["host"], found["view"], found["net"]) == (
        1,
        5_000,
        5_000,
        2_000,
        3_000,
    )


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    assert shell.spill("replay", "nowhere").status == 3
    assert shell.spill("replay").status == 3
    assert "no transcripts of Claude Code or Codex here" in shell.spill("replay").err
    assert usual_places({"HOME": str(tmp_path)}) == []
    assert ok(shell.spill("replay", ".")).out == "There are no results of tools in these transcripts.\n"


def test_names_are_not_words() -> None:
    text = "The quick brown fox, e.g. fooBar or foo_bar, at 10.0.0.1:8080; version 2.1 of lib/a-b.so and nothing else"
    found = names_and_numbers(text)
    assert {"fooBar", "foo_bar", "10.0.0.1:8080", "10.0.0.1", "8080", "2.1", "lib/a-b.so", "a-b.so"} <= found
    assert not {"The", "quick", "brown", "nothing", "version", "else"} & found


def test_the_memory_of_words_forgets_nothing_and_does_not_grow() -> None:
    memory = WordMemory()
    words = [f"word_{number}" for number in range(50_000)]
    memory.add(words)
    assert all(word in memory for word in words)
    wrong = sum(f"other_{number}" in memory for number in range(50_000))
    assert wrong < 50
    assert sys.getsizeof(memory._bits) < BITS // 8 + 200


PEAK = """
import resource, sys
from overspill import MemoryStore, Overspill
from overspill.replay import SessionReplay
replay = SessionReplay(Overspill({}, MemoryStore(), preset="agent"))
for path in sys.argv[1:]:
    replay.read(path)
print(replay.total.results, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def peak_megabytes(*paths: Path) -> tuple[int, int]:
    done = subprocess.run(
        [sys.executable, "-c", PEAK, *map(str, paths)], capture_output=True, text=True, check=True, timeout=600
    )
    results, megabytes = map(int, done.stdout.split())
    return results, megabytes


@pytest.mark.slow
def test_memory_does_not_grow_with_the_transcript(tmp_path: Path) -> None:
    """A gigabyte takes no more than its longest line: here 1 and 6 MB, `OVERSPILL_REPLAY_MB` for more."""

    def transcript(name: str, megabytes: int) -> Path:
        path = tmp_path / name
        with path.open("w") as file:
            number = 0
            while file.tell() < megabytes << 20:
                number += 1
                text = "\n".join(f"line_{number}_{at} of something that was written to the disk" for at in range(600))
                for line in (
                    asked(number, f"make part_{number}"),
                    answered(number, text),
                    said(f"see line_{number}_3"),
                ):
                    file.write(json.dumps(line) + "\n")
        return path

    small = peak_megabytes(transcript("small.jsonl", 1))
    large = peak_megabytes(transcript("large.jsonl", int(os.environ.get("OVERSPILL_REPLAY_MB", "6"))))
    assert large[0] > small[0] * 4
    assert large[1] < small[1] + 10
