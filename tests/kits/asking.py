"""How the contract is asked: through the highest public call, with settings said in one line."""

import os
import re
import subprocess
from collections.abc import Mapping
from typing import cast

from overspill import Fitted, MemoryStore, Overspill
from overspill.core import count_lines
from spill_process import run_spill

MARKER = re.compile(r"\.\.\. \[(\d+) lines / (\d+) chars omitted\] \.\.\.")
SHORT_MARK = re.compile(r"\[\.\.\. ?(\d+) ?(?:lines?|ln|chars?|ch)\]")
ID = re.compile(r"art_[0-9]+_[a-zA-Z0-9]+")
CALL = re.compile(r'get_artifact\(id="(art_\w+)", start_(line|byte)=(\d+), end_\2=(\d+)\)')
MOST_ON_TOP = 240

PROSE = "The quick brown fox jumps over the lazy dog, and then the dog sleeps again until noon.\n"


def spill(store: MemoryStore | None = None, /, **settings: object) -> Overspill:
    """An `Overspill` with settings below `tools.truncation`; two underscores stand for a dot."""
    mapping = {f"tools.truncation.{name.replace('__', '.')}": value for name, value in settings.items()}
    return Overspill(mapping, MemoryStore() if store is None else store)


def numbered(count: int, words: str = "of a text that somebody wrote") -> str:
    """Lines that say which they are."""
    return "".join(f"line {number:06} {words}\n" for number in range(1, count + 1))


def stored(asked: Overspill, fitted: Fitted) -> str:
    """What is kept of a result."""
    assert fitted.artifact_id is not None
    return asked.get(fitted.artifact_id, limit=0).text


def omitted(view: str) -> tuple[int, int]:
    """Lines and characters that the markers of a view say are missing."""
    found = MARKER.findall(view)
    return sum(int(lines) for lines, _ in found), sum(int(chars) for _, chars in found)


def missing(text: str, fitted: Fitted) -> tuple[int, int]:
    """Lines and characters that are really missing, by the kept ranges of the report."""
    kept = "".join(text[start:end] for start, end in fitted.report.kept)
    lines = sum(count_lines(text, start, end) for start, end in fitted.report.kept)
    return count_lines(text) - lines, len(text) - len(kept)


def source_lines(view: str) -> list[str]:
    """The lines of a view that are not ours."""
    return [line for line in view.splitlines() if not MARKER.search(line) and not line.startswith("[original ")]


def command(
    *words: str, stdin: bytes = b"", cwd: object, environ: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run `spill` as a shell would, in an environment that holds nothing of ours."""
    home, cache = str(cwd), os.environ["XDG_CACHE_HOME"]
    clean = {"PATH": os.environ["PATH"], "HOME": home, "XDG_CONFIG_HOME": home, "XDG_CACHE_HOME": cache}
    return run_spill(*words, stdin=stdin, cwd=home, env={**clean, **(environ or {})})


def number(value: object) -> int:
    """A number out of metadata."""
    assert isinstance(value, int)
    return value


def mapping_of(value: object) -> dict[str, object]:
    """A mapping out of JSON."""
    assert isinstance(value, dict)
    return cast("dict[str, object]", value)
