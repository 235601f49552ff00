"""`spill artifacts`, as processes: what people, scripts and models type."""

import os
import pty
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from doors_kit import Shell, mapping, ok, records
from overspill.workspace.opening import open_store
from spill_process import SPILL
from store_kit import put

LINES = "".join(f"line {number:06} of a text that somebody wrote\n" for number in range(1, 4_001))
HINT = re.compile(r"spill artifacts show art_\w+ --(?:lines|bytes) \d+-\d+")
OURS = re.compile(r"\[\.\.\. \d+ (?:lines|ln|chars|ch)\]|\[\d+ lines?, \d+ chars; rest: .*\]\n?")
SOME = LINES[:42_000]
WIDE = "".join(f"{chr(0x4E00 + number)}é😀" for number in range(5_000))
SECRET = "ghp_" + "x9Kd82mQpLw7Zt4RvB1nYc6Hs3Jf5Ga0TuEi"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.mark.parametrize(
    ("strategy", "text"),
    [("tail", SOME), ("head", SOME), ("head_tail", SOME), ("head_tail", WIDE)],
)
def test_the_call_in_a_view_brings_exactly_what_was_left_out(strategy: str, text: str, shell: Shell) -> None:
    view = ok(shell.spill("fit", "--strategy", strategy, "--limit", "700", stdin=text)).out
    call = HINT.search(view)
    assert call
    gap = ok(shell.line(f"{call[0]} --limit 0")).out
    at = text.index(gap)
    assert (text[:at] + text[at + len(gap) :]).replace("\n", "") == OURS.sub("", view).replace("\n", "")
    counts = (gap.count("\n"), "lines"), (len(gap), "chars"), (len(gap), "ch")
    assert any(f"[... {number} {noun}]" in view for number, noun in counts)


def test_pages_of_a_gap_add_up_to_it(shell: Shell) -> None:
    kept = shell.put(LINES)
    said = ok(shell.spill("artifacts", "show", kept, "--lines", "1-3000", root=False))
    pages, calls = said.out, 0
    while said.err:
        assert said.err.startswith("next: spill artifacts show ")
        said = ok(shell.line(said.err.removeprefix("next: ")))
        pages, calls = pages + said.out, calls + 1
    assert pages == "".join(LINES.splitlines(keepends=True)[:3000])
    assert calls == len(pages) // 50_000


def test_the_next_call_repeats_what_this_one_was_told(shell: Shell) -> None:
    kept = ok(shell.spill("artifacts", "put", "--session", "it's mine", stdin=LINES)).out.strip()
    said = ok(shell.spill("artifacts", "show", kept, "--limit", "100", "--session", "it's mine"))
    assert (len(said.out), said.out) == (100, LINES[:100])
    words = shlex.split(said.err.removeprefix("next: "))
    assert words[-6:] == ["--limit", "100", "--root", str(shell.root), "--session", "it's mine"]
    assert ok(shell.line(said.err.removeprefix("next: "))).out == LINES[100:200]


def test_a_page_for_programs_says_where_it_stands(shell: Shell) -> None:
    kept = shell.put(LINES)
    envelope = ok(shell.spill("artifacts", "show", kept, "--offset", "1000", "--limit", "500", "--json")).envelope
    assert envelope["content"] == LINES[1000:1500]
    assert envelope["pagination"] == {"total": len(LINES), "limit": 500, "offset": 1000, "hasMore": True}
    assert str(envelope["next"]).endswith("--json")


@pytest.mark.parametrize("part", [("--lines", "9000-9001"), ("--bytes", "9999999-99999999"), ("--offset", "9999999")])
def test_nothing_is_said_to_be_nothing(part: tuple[str, str], shell: Shell) -> None:
    said = ok(shell.spill("artifacts", "show", shell.put(LINES), *part))
    assert said.out == ""
    assert "has 4,000 lines" in said.err


WRONG = [
    ("art_x", 2),
    ("../../etc/passwd", 2),
    ("art_1_a\n", 2),
    ("art_\uff11_a", 2),
    ("art_1699234567890_a1b2c3", 4),
    ("art_1_a --lines 3-1", 2),
    ("art_1_a --lines 0-1", 2),
    ("art_1_a --lines x", 2),
    ("art_1_a --bytes 1-x", 2),
    ("art_1_a --bytes -1-2", 2),
    ("art_1_a --lines 1-2 --bytes 1-2", 2),
    ("art_1_a --limit -1", 2),
    ("art_1_a --lines 1-" + "9" * 5000, 2),
]


@pytest.mark.parametrize(("words", "status"), WRONG)
def test_what_cannot_be_shown_is_one_line_on_standard_error(words: str, status: int, shell: Shell) -> None:
    arguments = words.split(" ") if " --" in words else [words]
    said = shell.spill("artifacts", "show", *arguments)
    assert (said.out, said.status) == ("", status)
    assert said.err.count("\n") == 1


def test_a_damaged_artifact_is_not_shown_at_all(shell: Shell) -> None:
    kept = shell.put("x" * 3_000_000)
    (content,) = shell.root.glob(f".acode/artifacts/ses_*/{kept}")
    with content.open("r+b") as file:
        file.seek(2_500_000)
        file.write(b"y")
    for words in (
        ("show", kept, "--limit", "0"),
        ("show", kept, "--bytes", "1000000-2900000", "--limit", "0"),
        ("show", kept, "--offset", "2400000", "--limit", "200000"),
        ("export", kept, "-"),
        ("export", kept, "out.txt"),
    ):
        said = shell.spill("artifacts", *words)
        assert (said.out, said.status) == ("", 20), words
    assert [path.name for path in shell.root.iterdir()] == [".acode"]
    assert mapping(shell.spill("artifacts", "show", kept, "--limit", "0", "--json").envelope["error"])["exitCode"] == 20


def test_what_is_put_is_cleaned_and_redacted(shell: Shell) -> None:
    kept = shell.put(f"\x1b[31mred\x1b[0m and {SECRET}\n", "--source", f"curl -u me:{SECRET}", "--tool", "ba\x1b[2Jsh")
    stored = ok(shell.spill("artifacts", "export", kept, "-")).out
    assert stored.startswith("red and [REDACTED: ")
    shown = ok(shell.spill("artifacts", "info", kept)).out + ok(shell.spill("artifacts", "list")).out
    assert SECRET not in stored + shown
    assert "\x1b" not in shown
    assert not [path for path in shell.home.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]


@pytest.mark.parametrize(
    ("text", "words", "content_type"),
    [
        ('{"a": [1, 2]}', (), "application/json"),
        ("[" + '{"key": "value"},' * 150_000 + "1]", (), "application/json"),
        ('{"a": 1}\n{"a": 2}\n', (), "application/x-ndjson"),
        ("plain\n", (), "text/plain"),
        ("plain\n", ("--type", "text/x-log"), "text/x-log"),
        ("", (), "text/plain"),
    ],
)
def test_what_is_put_has_a_type(text: str, words: tuple[str, ...], content_type: str, shell: Shell) -> None:
    said = ok(shell.spill("artifacts", "put", *words, "--json", stdin=text))
    artifact = mapping(said.envelope["artifact"])
    assert (artifact["content_type"], artifact["chars"]) == (content_type, len(text))
    assert ok(shell.spill("artifacts", "export", str(artifact["id"]), "-")).out == text


def test_a_large_text_is_kept_in_flat_memory(shell: Shell) -> None:
    """The process may not have room for it as text and as bytes."""
    line = f"yes 'a line of a log that goes on' | head -c 150000000 | (ulimit -v 300000; {SPILL} artifacts put)"
    kept = ok(shell.line(line)).out.strip()
    said = ok(shell.line(f"(ulimit -v 200000; {SPILL} artifacts show {kept} --limit 0) | wc -c"))
    assert said.out.strip() == "150000000"
    assert ok(shell.spill("artifacts", "show", kept, "--lines", "5000000-5000000")).out == (
        "a line of a log that goes on\n"
    )


def test_what_is_too_large_is_not_kept(shell: Shell) -> None:
    shell.environ["OVERSPILL_TOOLS__TRUNCATION__MAX_ARTIFACT_SIZE"] = "100000"
    said = shell.spill("artifacts", "put", stdin=LINES)
    assert (said.out, said.status) == ("", 21)
    assert "maximum artifact size" in said.err
    assert ok(shell.spill("artifacts", "list")).out == "Total: 0 artifacts, 0 B\n"


def test_a_file_that_is_there_is_replaced_only_by_force_and_a_link_never(shell: Shell) -> None:
    kept = shell.put("new\n")
    target, link = shell.root / "out.txt", shell.root / "link.txt"
    target.write_text("old\n")
    link.symlink_to(target)
    assert shell.spill("artifacts", "export", kept, str(target)).status == 3
    assert shell.spill("artifacts", "export", kept, str(link), "--force").status == 3
    assert target.read_text() == "old\n"
    ok(shell.spill("artifacts", "export", kept, str(target), "--force"))
    assert (target.read_text(), link.is_symlink()) == ("new\n", True)


def test_a_kept_artifact_outlasts_clean_and_goes_by_name(shell: Shell) -> None:
    pinned, other = shell.put("pinned\n"), shell.put("other\n")
    ok(shell.spill("artifacts", "keep", pinned))
    assert ok(shell.spill("artifacts", "clean")).out == "Removed 1 artifact (6 B freed)\n"
    assert ok(shell.spill("artifacts", "show", pinned)).out == "pinned\n"
    assert shell.spill("artifacts", "show", other).status == 4
    assert ok(shell.spill("artifacts", "rm", pinned)).out == "Removed 1 artifact (7 B freed)\n"
    assert shell.spill("artifacts", "rm", pinned).status == 4


def test_a_list_comes_in_pages(shell: Shell) -> None:
    store = open_store(str(shell.root), environ=shell.environ)
    for number in range(23):
        put(store, f"{number}\n")
    page = ok(shell.spill("artifacts", "list", "--json")).envelope
    assert page["pagination"] == {"total": 23, "limit": 20, "offset": 0, "hasMore": True}
    rest = ok(shell.line(str(page["next"]))).envelope
    assert mapping(rest["pagination"])["hasMore"] is False
    assert "next" not in rest
    ids = [record["id"] for record in records(page["artifacts"]) + records(rest["artifacts"])]
    everything = ok(shell.spill("artifacts", "list", "--limit", "0", "--json")).envelope
    assert "pagination" not in everything
    assert [record["id"] for record in records(everything["artifacts"])] == ids
    said = ok(shell.spill("artifacts", "list", root=False))
    assert said.err == ""
    *_, total, footer = said.out.splitlines()
    assert total == "Total: 23 artifacts, 59 B"
    assert footer == f"3 more: spill artifacts list --limit 20 --offset 20 --as-of {ids[19]}@19"


def test_a_terminal_shows_what_others_wrote_without_obeying_it(shell: Shell) -> None:
    shell.put("text\n", "--tool", "a\x1b]0;title\x07b", "--type", "text/\u202eplain")
    ours, theirs = pty.openpty()
    subprocess.run([SPILL, "artifacts", "list"], cwd=shell.root, env=shell.environ, stdout=theirs, check=True)
    os.close(theirs)
    shown = os.read(ours, 10_000).decode()
    os.close(ours)
    assert shown.startswith("┌─")
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "\u202e" not in shown


@pytest.mark.parametrize("verb", ["info", "show", "export", "keep", "rm"])
def test_a_missing_id_is_said_with_the_usage(verb: str, shell: Shell) -> None:
    said = shell.spill("artifacts", verb)
    assert (said.out, said.status) == ("", 2)
    assert f"usage: spill artifacts {verb} ID" in said.err
