"""`spill` as the phases use it: a command, like any other tool of an agent."""

import json
import subprocess
import sys


def spill(*words: str, stdin: str = "") -> str:
    """What the command says; an error of it ends the phase."""
    command = [sys.executable, "-m", "overspill", *words]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, check=True).stdout


def context(phase: int) -> str:
    """What the phases before this one left to it, within its tokens."""
    return spill("context", "--phase", str(phase))


def hand_over(**fields: object) -> None:
    """Leave a hand-off to the phases that follow."""
    spill("handoff", "write", stdin=json.dumps(fields))
