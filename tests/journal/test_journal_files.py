"""The journal: one line an event, whoever writes, however many, whatever is said."""

import fcntl
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overspill.journal import JOURNAL_FILE, file_journal, journal_line, stamp
from overspill.journal.statistics import BLOCK, History, lines_backwards, lines_forwards

WRITER = """
import sys
from overspill.journal import file_journal
tell = file_journal(sys.argv[1], max_size=int(sys.argv[3]), keep=int(sys.argv[4]))
for number in range(int(sys.argv[5])):
    tell("pass", {"writer": sys.argv[2], "number": number, "padding": "x" * (number % 300)})
"""


def write_at_once(logs: Path, writers: int, lines: int, *, max_size: int, keep: int) -> None:
    processes = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(logs), *map(str, (writer, max_size, keep, lines))])
        for writer in range(writers)
    ]
    assert [process.wait(timeout=120) for process in processes] == [0] * writers


def files(logs: Path) -> list[Path]:
    return sorted(logs.iterdir())


def test_ten_processes_that_write_and_rotate_at_once_lose_and_tear_no_line(tmp_path: Path) -> None:
    """AUD-7."""
    logs = tmp_path / "logs"
    write_at_once(logs, 10, 400, max_size=20_000, keep=10_000)
    found = History(str(logs))
    seen = sorted((int(str(event["writer"])), event["number"]) for event in found)
    assert seen == [(writer, number) for writer in range(10) for number in range(400)]
    assert found.broken == 0
    assert len(files(logs)) > 20


def test_only_so_many_full_files_are_kept_and_none_is_much_too_large(tmp_path: Path) -> None:
    """AUD-7."""
    logs = tmp_path / "logs"
    write_at_once(logs, 4, 300, max_size=10_000, keep=3)
    assert len(files(logs)) <= 4
    assert all(10_000 <= path.stat().st_size < 15_000 for path in files(logs) if path.name != JOURNAL_FILE)
    found = History(str(logs))
    newest: dict[object, list[int]] = {}
    for event in found:
        newest.setdefault(event["writer"], []).append(int(str(event["number"])))
    assert found.broken == 0
    for numbers in newest.values():  # what is left of a writer is its end, without a gap
        assert sorted(numbers, reverse=True) == list(range(max(numbers), min(numbers) - 1, -1))


def test_a_full_file_does_not_grow_while_somebody_is_about_to_close_it(tmp_path: Path) -> None:
    """AUD-7: whoever closes it may have to wait for a processor, and the others would go on and on."""
    logs = tmp_path / "logs"
    with closing_of_a_full_file(logs) as release:
        later = Timer(0.05, release)
        later.start()
        tell = file_journal(str(logs), max_size=1, keep=100)
        for number in range(50):
            tell("pass", {"number": number})
        later.join()
    lengths = [len(path.read_bytes().splitlines()) for path in files(logs)]
    assert sum(lengths) == 51
    assert max(lengths) < 10


def test_whoever_never_closes_a_full_file_stops_nobody(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    with closing_of_a_full_file(logs):
        file_journal(str(logs), max_size=1)("pass", {"number": 1})
        assert [event["number"] for event in History(str(logs))] == [1, 0]


@contextmanager
def closing_of_a_full_file(logs: Path) -> Iterator[Callable[[], None]]:
    """The lock of one that is about to rename the newest file, and what lets it go."""
    file_journal(str(logs))("pass", {"number": 0})
    with (logs / JOURNAL_FILE).open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield lambda: fcntl.flock(file, fcntl.LOCK_UN)


@pytest.mark.parametrize("keep", [1, 2, 5, 7])
def test_nothing_is_removed_before_there_is_too_much(keep: int, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    tell = file_journal(str(logs), max_size=1, keep=keep)
    for number in range(10):
        tell("pass", {"number": number})
        kept = [event["number"] for event in History(str(logs))]
        assert kept == list(range(number, max(-1, number - keep), -1))


def test_a_line_written_to_a_file_that_was_just_removed_is_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = tmp_path / "logs"
    tell = file_journal(str(logs))
    tell("pass", {"number": 0})
    write, removed = os.write, list[bool]()

    def late(file: int, content: bytes) -> int:
        if not removed:
            removed.append(True)
            (logs / JOURNAL_FILE).unlink()
        return write(file, content)

    monkeypatch.setattr(os, "write", late)
    tell("pass", {"number": 1})
    assert [event["number"] for event in History(str(logs))] == [1]


def test_a_disk_that_is_full_for_a_moment_costs_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs = tmp_path / "logs"
    tell = file_journal(str(logs))
    write = os.write
    with monkeypatch.context() as full:
        full.setattr(os, "write", lambda file, content: write(file, content[:30]))
        tell("pass", {"number": 0})
    tell("pass", {"number": 1})
    torn, whole = (logs / JOURNAL_FILE).read_bytes().splitlines()
    assert len(torn) == 30
    assert json.loads(whole)["number"] == 1


def test_the_oldest_goes_first_though_the_clock_was_set_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tell = file_journal(str(tmp_path / "logs"), max_size=1, keep=2)
    ago = iter(range(10))
    monkeypatch.setattr(time, "time_ns", lambda: (1_000 - next(ago)) * 1_000_000_000)
    for number in range(5):
        tell("pass", {"number": number})
    assert [event["number"] for event in History(str(tmp_path / "logs"))] == [4, 3]


def test_the_files_are_their_owners_alone(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        file_journal(str(tmp_path / "logs"))("pass", {})
    finally:
        os.umask(old)
    assert (tmp_path / "logs").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "logs" / JOURNAL_FILE).stat().st_mode & 0o777 == 0o600


def test_a_link_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / "logs").symlink_to(tmp_path / "elsewhere")
    file_journal(str(tmp_path / "logs"))("pass", {})
    assert files(tmp_path / "elsewhere") == []
    (tmp_path / "logs").unlink()
    (tmp_path / "logs").mkdir(mode=0o700)
    (tmp_path / "logs" / JOURNAL_FILE).symlink_to(tmp_path / "target")
    file_journal(str(tmp_path / "logs"))("pass", {})
    assert not (tmp_path / "target").exists()


def test_what_cannot_be_written_is_left_unsaid(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("in the way")
    file_journal(str(tmp_path / "logs"))("pass", {})
    file_journal(str(tmp_path / "no" / "logs"))("pass", {})
    os.mkfifo(tmp_path / "fifo")
    folder = tmp_path / "other"
    folder.mkdir(mode=0o700)
    os.mkfifo(folder / JOURNAL_FILE)
    file_journal(str(folder))("pass", {})
    file_journal(str(tmp_path / "odd"))("pass", {"object": object()})


texts = st.text(st.characters(codec=None))


@given(name=texts, value=texts, event=texts)
def test_whatever_is_said_is_one_line_that_says_it(name: str, value: str, event: str) -> None:
    line = journal_line(event, {f"fact {name}": value}, 1.5)
    assert line.count(b"\n") == 1
    assert line.isascii()
    said = json.loads(line)
    assert (said["event"], said[f"fact {name}"], said["ts"]) == (event, value, "1970-01-01T00:00:01.500Z")


@given(st.lists(st.integers(0, 300).map(lambda size: b"x" * size + b"y"), max_size=40), st.integers(0, 2))
def test_both_directions_read_the_same_lines(lines: list[bytes], ends: int) -> None:
    file = os.memfd_create("journal")
    try:
        os.write(file, b"\n".join(lines) + b"\n" * ends)
        assert list(lines_forwards(file)) == lines
        assert list(lines_backwards(file)) == lines[::-1]
    finally:
        os.close(file)


def test_lines_across_blocks_are_whole() -> None:
    lines = [b"%d " % number + b"x" * (number % 700) for number in range(2_000)]
    file = os.memfd_create("journal")
    try:
        os.write(file, b"\n".join(lines))
        assert os.fstat(file).st_size > 3 * BLOCK
        assert list(lines_forwards(file)) == lines == list(lines_backwards(file))[::-1]
    finally:
        os.close(file)


def told(logs: Path, count: int = 10) -> None:
    tell = file_journal(str(logs), session="ses_a")
    for number in range(count):
        tell("pass", {"number": number})


def test_broken_lines_are_left_out_and_counted(tmp_path: Path) -> None:
    told(tmp_path / "logs", 2)
    with (tmp_path / "logs" / JOURNAL_FILE).open("ab") as file:
        file.write(b'not json\n{"ts":"2026","event":7}\n["ts"]\n{"ts":"2026-01-01T00:00:00.000Z","event":"pa')
    told(tmp_path / "logs", 1)
    (tmp_path / "logs" / "journal-0000000000000001-00000000.jsonl").write_bytes(b"\xff\xfe\n" + b"[" * 100_000 + b"\n")
    (tmp_path / "logs" / "journal-0000000000000001-00000000.jsonl").chmod(0o600)
    for newest_first in (True, False):
        found = History(str(tmp_path / "logs"), newest_first=newest_first)
        numbers = [event["number"] for event in found]
        assert numbers == [0, 1, 0]
        assert found.broken == 6


def test_only_what_was_asked_for_comes(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    told(logs, 3)
    time.sleep(0.005)
    mark = stamp(time.time())
    time.sleep(0.005)
    file_journal(str(logs), session="ses_b")("create", {"number": 3})
    everything = [event["number"] for event in History(str(logs))]
    assert everything == [3, 2, 1, 0]
    assert [event["number"] for event in History(str(logs), until=mark)] == [2, 1, 0]
    assert [event["number"] for event in History(str(logs), since=mark)] == [3]
    assert [event["number"] for event in History(str(logs), session="ses_b")] == [3]
    assert [event["number"] for event in History(str(logs), events=("pass",), newest_first=False)] == [0, 1, 2]


def test_a_journal_that_is_not_there_has_no_events(tmp_path: Path) -> None:
    assert list(History(str(tmp_path / "none"))) == []


def test_a_reader_is_not_led_astray_by_links(tmp_path: Path) -> None:
    told(tmp_path / "logs")
    outside = tmp_path / "outside.jsonl"
    outside.write_bytes(journal_line("pass", {"number": "not ours"}, 0))
    (tmp_path / "logs" / "journal-0000000000000001-00000000.jsonl").symlink_to(outside)
    assert [event["number"] for event in History(str(tmp_path / "logs"))] == list(range(9, -1, -1))


def test_a_file_that_is_closed_while_it_is_read_comes_once(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    told(logs, 10)
    found = History(str(logs))
    first = next(found)["number"]
    (logs / JOURNAL_FILE).rename(logs / "journal-9999999999999999-00000000.jsonl")
    told(logs, 3)
    assert [first, *(event["number"] for event in found)] == list(range(9, -1, -1))
