"""What `spill` says of itself: alone at a terminal, by `--help`, and by `spill help`."""

import os
import pty
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from doors_kit import Shell, mapping, ok
from ledger_kit import checked
from overspill.cli.commands import TABLES, commands
from overspill.cli.help import BEGIN, GROUPS, TOPICS, page_of
from overspill.errors import UsageError

SPILL = os.path.join(os.path.dirname(sys.executable), "spill")


def at_a_terminal(cwd: Path, *words: str) -> str:
    """What a person reads who types a line."""
    ours, theirs = pty.openpty()
    line = [SPILL, *words]
    done = subprocess.run(line, cwd=cwd, stdin=theirs, capture_output=True, text=True, timeout=60, check=True)
    os.close(ours)
    os.close(theirs)
    return done.stdout


def test_alone_at_a_terminal_it_says_what_it_is_and_three_commands(tmp_path: Path) -> None:
    shown = at_a_terminal(tmp_path)
    assert len(shown.splitlines()) <= 12
    assert all(command in shown for command, _ in BEGIN)
    assert len(BEGIN) == 3


@pytest.mark.parametrize(
    ("words", "topic"), [("fit", "fit"), ("artifacts show", "artifacts show"), ("artifacts", "artifacts"), ("", "")]
)
def test_help_is_an_envelope_where_one_is_asked_for(words: str, topic: str, shell: Shell) -> None:
    """DESIGN, streams: with --json standard output holds exactly one envelope."""
    said = ok(shell.spill(*words.split(), "--help", "--json"))
    about = mapping(checked(said)["help"])
    assert about["topic"] == topic
    assert str(about["text"]) == ok(shell.spill(*words.split(), "--help")).out


def test_every_command_stands_under_one_heading() -> None:
    counts = Counter(word for _, words in GROUPS for word in words)
    assert counts == Counter(TABLES.keys())
    assert all(f"  {command.name} " in page_of("") for command in commands())


@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_fits_a_screen(topic: str) -> None:
    lines = page_of(topic).splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 120


@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_names_only_commands_and_options_that_exist(topic: str) -> None:
    known = {command.words: command for command in commands()}
    for line in re.findall(r"(?:^|`)\s*spill ([^`\n]+)", page_of(topic), re.MULTILINE):
        words = re.split(r"\s{2,}|; ", line)[0].split()
        found = next(known[tuple(words[:n])] for n in (2, 1) if tuple(words[:n]) in known)
        options = {option.name for option in found.options} | {"--json"}
        assert {word for word in words if word.startswith("--")} <= options, line


def test_help_of_a_command_is_what_its_option_says(tmp_path: Path) -> None:
    asked = at_a_terminal(tmp_path, "help", "artifacts", "show")
    assert asked == at_a_terminal(tmp_path, "artifacts", "show", "--help")
    assert at_a_terminal(tmp_path, "help", "mcp") == at_a_terminal(tmp_path, "mcp", "--help")
    assert "Usage: spill artifacts show ID" in asked


def test_a_word_that_is_no_topic_is_told_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean 'fetching'"):
        page_of("fetchin")


def test_in_a_pipe_options_of_fit_need_no_command(tmp_path: Path) -> None:
    text = "".join(f"{number}\n" for number in range(9_000))
    words = ["--strategy", "tail", "--limit", "200"]
    environ = {**os.environ, "OVERSPILL_ROOT": str(tmp_path)}
    shown, named = (
        subprocess.run([SPILL, *line], input=text, env=environ, capture_output=True, text=True, timeout=60, check=True)
        for line in (words, ["fit", *words])
    )
    assert re.sub(r"art_\w+", "", shown.stdout) == re.sub(r"art_\w+", "", named.stdout)
    assert shown.stdout.endswith("8999\n")
