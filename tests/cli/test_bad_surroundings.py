"""Nothing is lost where the surroundings are bad: streams that fail, places that are gone, settings that are wrong."""

import json
import os
import resource
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from children import wait_until_all_is_read
from doors_kit import Shell, mapping, ok
from spill_process import SPILL

LINES = "".join(f"line {number}\n" for number in range(9_000))
BROKEN = "tools: {truncation: {inline_limit: -5}}"


def settings(shell: Shell, text: str) -> None:
    (shell.root / ".agent").mkdir(exist_ok=True)
    (shell.root / ".agent" / "config.yml").write_text(text)


@pytest.mark.parametrize("errors", ["2>/dev/full", "2>&-"])
def test_what_cannot_be_said_on_standard_error_changes_nothing(shell: Shell, errors: str) -> None:
    """DESIGN, streams: the view and the status are those of any other run."""
    (shell.root / "a").write_text(LINES)
    said = ok(shell.line(f"spill fit a --explain {errors}"))
    assert "line 8999" in said.out
    assert shell.line(f"spill fit nowhere {errors}").status == 3


@pytest.mark.parametrize("errors", ["2>/dev/full", "2>&-", "2> >(true)"])
def test_a_command_is_not_stopped_because_nobody_watches_it(shell: Shell, errors: str) -> None:
    """Promise 1: `--tee` is for whoever watches; what the command says and how it ends is its own."""
    line = "for i in 1 2 3; do echo line $i; sleep 0.1; done; exit 7"
    said = shell.line(f"spill run --tee -- sh -c '{line}' {errors}")
    assert (said.out, said.status) == ("line 1\nline 2\nline 3\n", 7)


def test_that_a_process_left_running_is_not_listened_to_is_said(shell: Shell) -> None:
    """Promise 1: what it says later is lost, so that is said; in the report, too."""
    line = "(sleep 0.7; echo late) & echo main"
    said = shell.line(f"spill run --json -- sh -c '{line}'")
    result = mapping(said.envelope["result"])
    assert result["content"] == "main\n"
    assert "left running" in said.err
    assert "left running" in str(mapping(result["metadata"])["notices"])
    alone = shell.line("spill run --json -- sh -c 'echo main'")
    assert "left running" not in alone.err
    assert "notices" not in mapping(mapping(alone.envelope["result"])["metadata"])


def test_a_directory_that_is_gone_eats_no_input(shell: Shell) -> None:
    """Promise 1, 7: what is too long is kept in the project above, or where the user's state is."""
    said = shell.line("mkdir gone; cd gone; rmdir ../gone; seq 1000 | spill fit --limit 100")
    assert said.status == 0, said.err
    assert "not kept" not in said.out
    assert said.out.startswith("[art_")
    (shell.root / ".agent").mkdir()
    line = "mkdir gone; cd gone; rmdir ../gone; echo x | spill artifacts put; spill run -- echo ran"
    said = ok(shell.line(line))
    assert said.out.endswith("ran\n")
    assert ok(shell.spill("artifacts", "show", said.out.split()[0])).out == "x\n"


def test_a_program_starts_where_its_directory_is_gone(shell: Shell) -> None:
    """PY-01, promise 7"""
    script = "import os; os.mkdir('g'); os.chdir('g'); os.rmdir('../g'); from overspill import Overspill; "
    script += (
        "spill = Overspill(preset='agent'); print(spill.fit('a line\\n' * 9000).artifact_id, spill.workspace.root)"
    )
    said = shell._run([str(Path(SPILL).with_name("python")), "-c", script], "")
    assert (said.status, said.out[:4]) == (0, "art_"), said.err
    assert said.out.split()[1].startswith(str(shell.root))  # not the root of the file system, which nobody named
    assert not (shell.root / "g").exists()


@pytest.mark.parametrize(
    ("words", "stdin"),
    [
        (("handoff", "write"), '{"phase": 1, "goal": "go on"}'),
        (("add", "-"), '{"title": "a task"}'),
        (("artifacts", "list"), ""),
        (("list",), ""),
        (("stats",), ""),
        (("page",), "[1, 2]"),
    ],
)
def test_a_mistake_in_the_settings_stops_no_command(shell: Shell, words: tuple[str, ...], stdin: str) -> None:
    """Promise 7: input is taken, and what was kept stays within reach; the mistake is said each time."""
    kept = shell.put(LINES)
    settings(shell, BROKEN)
    said = ok(shell.spill(*words, stdin=stdin))
    assert "inline_limit" in said.err
    assert ok(shell.spill("artifacts", "show", kept, "--lines", "3")).out == "line 2\n"


@pytest.mark.parametrize(
    "words", [("artifacts", "clean"), ("artifacts", "sweep"), ("session", "end"), ("purge",), ("redact",)]
)
def test_a_mistake_in_the_settings_stops_what_removes_or_promises(shell: Shell, words: tuple[str, ...]) -> None:
    """FAQ-5, promise 5: what should stay might be said by the very setting that cannot be read."""
    kept = shell.put(LINES)
    settings(shell, "tools: {truncation: {artifacts: {cleanup_on_exit: flase}}}")
    said = shell.spill(*words, stdin="password=hunter2hunter2")
    assert (said.status, said.out) == (8, "")
    settings(shell, "")
    assert ok(shell.spill("artifacts", "show", kept, "--lines", "3")).out == "line 2\n"


def test_a_file_that_may_not_grow_is_not_taken_for_a_full_disk(shell: Shell) -> None:
    """NFR-007: what is said about the world is true."""
    done = subprocess.run(
        [SPILL, "fit"],
        input=LINES.encode(),
        capture_output=True,
        cwd=shell.root,
        env=shell.environ,
        check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)),
    )
    first = done.stdout.decode().splitlines()[0]
    assert first.startswith("Output could not be kept: ")
    assert "no space" not in first
    assert "may not become so large" in first


def test_where_no_room_is_left_the_way_out_is_a_command_that_makes_some(shell: Shell) -> None:
    """NFR-007, ASM-10: `fix` is what helps, not the help of what failed."""
    (shell.home / ".config" / "overspill").mkdir(parents=True)
    (shell.home / ".config" / "overspill" / "config.yml").write_text("tools.truncation.artifacts.disk_floor: 900TB")
    error = mapping(shell.spill("artifacts", "put", "--json", stdin=LINES).envelope["error"])
    assert error["fix"] == "spill artifacts clean"


def test_a_name_too_long_is_not_repeated_whole(shell: Shell) -> None:
    """Promise 8: messages are read by models, too."""
    said = shell.spill("fit", "a" * 50_000)
    assert said.status == 3
    assert len(said.err) < 400


def test_a_strategy_that_ignores_the_limit_says_so(shell: Shell) -> None:
    """X-09: `none` shows all below the threshold; whoever gives a limit is told."""
    said = ok(shell.spill("fit", "--strategy", "none", "--limit", "100", stdin=LINES[:9_000]))
    assert said.out == LINES[:9_000]
    assert "--strategy none" in said.err
    assert "none" not in ok(shell.spill("fit", "--strategy", "none", stdin=LINES[:9_000])).err


def start_reader(shell: Shell, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [SPILL, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=shell.root,
        env=shell.environ,
    )


def send_when_all_is_read(child: subprocess.Popen[bytes], then: Callable[[], None]) -> None:
    """Feed it, wait until it minds signals and its pipe is empty, and do something to it."""
    assert child.stdin is not None
    child.stdin.write(LINES.encode())
    child.stdin.flush()
    wait_until_all_is_read(child)
    then()


def test_input_that_ends_with_an_interrupt_is_not_taken_for_whole(shell: Shell) -> None:
    """Promise 1: Ctrl-C reaches the whole pipeline, and its first half may be gone before we look."""
    child = start_reader(shell, "fit", "--json")
    assert child.stdin is not None

    def interrupt() -> None:
        os.kill(child.pid, signal.SIGSTOP)
        child.send_signal(signal.SIGINT)
        child.stdin.close()  # type: ignore[union-attr]  # as whoever was writing does when interrupted
        os.kill(child.pid, signal.SIGCONT)

    send_when_all_is_read(child, interrupt)
    with child:
        assert child.stdout is not None
        result = mapping(json.loads(child.stdout.read())["result"])
    assert child.returncode == 130
    assert str(result["content"]).startswith("Output ended early: interrupted by signal 2\n")


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_what_came_is_kept_by_put_when_it_is_interrupted(shell: Shell, number: int, status: int) -> None:
    """Promise 1: and its id is said, with why it is not all."""
    child = start_reader(shell, "artifacts", "put")
    send_when_all_is_read(child, lambda: child.send_signal(number))
    assert child.wait(30) == status
    out, err = child.communicate()
    assert "interrupted" in err.decode()
    assert ok(shell.spill("artifacts", "export", out.decode().strip(), "-")).out == LINES


def test_an_option_is_not_taken_for_the_value_of_another(shell: Shell) -> None:
    """CLI: a value that was forgotten is said, instead of a session of a strange name."""
    said = shell.spill("artifacts", "put", "--session", "--json", stdin="x")
    assert said.status == 2
    assert "--session NAME" in said.out  # an envelope: it was asked for, if not as it was meant
    assert "--session=--json" in said.out
    ok(shell.spill("artifacts", "put", "--session=--json", stdin="x"))


def test_every_command_answers_programs_with_one_envelope(shell: Shell) -> None:
    """DESIGN, streams: also the one that is made for people."""
    assert "THE MODEL SEES" in str(mapping(ok(shell.spill("demo", "--json")).envelope["demo"])["text"])


def test_an_artifact_whose_record_is_damaged_is_not_passed_over_in_silence(shell: Shell) -> None:
    """THR-5: it is counted, so it is said why it is not in the list; `doctor` says so, too."""
    kept = shell.put(LINES)
    assert "not shown" not in ok(shell.spill("artifacts", "list")).err
    for record in (shell.root / ".acode" / "artifacts").glob("ses_*/m/art_*.json"):
        record.write_text("garbage")
    said = ok(shell.spill("artifacts", "list"))
    assert kept not in said.out
    assert "1 artifact not shown" in said.err
    found = shell.spill("doctor")
    assert found.status == 1
    assert "1 artifact not served" in found.out


def test_no_command_at_all_is_a_command_that_is_not_there(shell: Shell) -> None:
    """Exit codes: 127, as shells have it; it is no fault of ours."""
    said = shell.spill("run", "--", "")
    assert said.status == 127
    assert "our fault" not in said.err


def test_a_long_name_of_a_session_leaves_the_table_readable(shell: Shell) -> None:
    """CLI: the whole name stands in the envelope."""
    name = "n" * 900
    shell.put("x", "--session", name)
    assert max(map(len, ok(shell.spill("session", "list")).out.splitlines())) < 200
    assert name in ok(shell.spill("session", "list", "--json")).out
