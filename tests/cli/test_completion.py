"""Completions, in the shells themselves: what each offers is what the table of commands has."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = os.path.dirname(sys.executable)
# A line that was begun, and what must be offered, and what must not.
LINES = [
    ("spill ar", {"artifacts", "archive"}, {"run"}),
    ("spill artifacts s", {"show", "search", "sweep"}, {"stats"}),
    ("spill artifacts list --o", {"--offset"}, {"--open"}),
    ("spill list --assi", {"--assignee"}, set()),
    ("spill artifacts list --assi", set(), {"--assignee"}),
    ("spill fit --str", {"--strategy"}, set()),
    ("spill --root . fit --str", {"--strategy"}, set()),
    ("spill he", {"help"}, set()),
    ("acode fit --li", {"--limit"}, set()),
]
BASH = """
source <(spill completion bash)
COMP_WORDS=({words}); COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
_spill
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
ZSH = """
autoload -Uz compinit && compinit -u -d {place}/dump
source <(spill completion zsh)
offered=(); _files() {{ : }}
compadd() {{ shift; print -l -- ${{(M)@:#${{words[CURRENT]}}*}} }}
words=({words}); CURRENT=$#words
_spill
"""
FISH = "source (spill completion fish | psub); complete -C {line} | string split -f 1 \\t"


def offered_by(shell: str, line: str, place: Path) -> set[str]:
    script = {"bash": BASH, "zsh": ZSH, "fish": FISH}[shell]
    code = script.format(words=line, line=f"'{line}'", place=place)
    environ = {**os.environ, "PATH": os.pathsep.join([PROGRAMS, os.environ["PATH"]]), "HOME": str(place)}
    plain = {"bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]}[shell]
    done = subprocess.run(
        [shell, *plain, "-c", code], env=environ, cwd=place, capture_output=True, text=True, timeout=60, check=False
    )
    assert not done.stderr, done.stderr
    return set(done.stdout.split())


@pytest.mark.parametrize("shell", ["bash", *filter(shutil.which, ("zsh", "fish"))])
@pytest.mark.parametrize(("line", "offered", "unfit"), LINES, ids=[line for line, *_ in LINES])
def test_a_shell_offers_what_may_follow(
    shell: str, line: str, offered: set[str], unfit: set[str], tmp_path: Path
) -> None:
    seen = offered_by(shell, line, tmp_path)
    assert offered <= seen
    assert not unfit & seen
