"""Patterns of ours are compiled once a machine: what comes from the cache finds what `re` finds."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overspill import _lite
from overspill._lite import compile_pattern
from overspill.cli.main import read_patterns, save_patterns

TEXTS = (
    r"(?i)error|(?P<word>wa?rn)(?P<rest>ing)?\b",
    r"(?m)^\s*(\d+):(?P<line>.*)$",
    "[\u0400-\u04ff\\w]+(?<!x)\\Z",
    r"(?s)a.*?(b+)(?:\1|$)",
    r"(?x) [a-z]{2,5}+  # a comment",
    "(?!)",
)
BYTES = rb"(?a)\xff|[\x80-\x9f]{1,3}|\w+"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    start_anew(monkeypatch)
    return tmp_path / "overspill"


def start_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a new process."""
    monkeypatch.setattr(_lite, "_patterns", _lite._Patterns())
    _lite.load_patterns_by(read_patterns)


def fill(monkeypatch: pytest.MonkeyPatch) -> None:
    for source in TEXTS:
        compile_pattern(source)
    compile_pattern(BYTES)
    save_patterns()
    start_anew(monkeypatch)


def forbid_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_lite._patterns, "fresh", None)  # nothing can be added to it


@pytest.mark.usefixtures("cache")
def test_what_was_kept_is_not_compiled_again_and_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    fill(monkeypatch)
    forbid_compiling(monkeypatch)
    for source in (*TEXTS, BYTES):
        kept = compile_pattern(source)  # type: ignore[type-var]
        ours = re.compile(source)
        assert kept == ours
        assert (kept.pattern, kept.flags, kept.groups) == (ours.pattern, ours.flags, ours.groups)
        assert dict(kept.groupindex) == dict(ours.groupindex)


@given(st.text(alphabet="aAbeErRoOwWnN1: \n\u0436x") | st.text())
def test_a_kept_pattern_finds_what_a_compiled_one_finds(text: str) -> None:
    for source in TEXTS:
        compile_pattern(source)
        kept = _lite._built_pattern((False, source), _lite._compiled_pattern((False, source)))
        assert [(m.span(), m.groups(), m.groupdict(), m.lastgroup) for m in kept.finditer(text)] == [  # type: ignore[call-overload]
            (m.span(), m.groups(), m.groupdict(), m.lastgroup) for m in re.finditer(source, text)
        ]


@pytest.mark.usefixtures("cache")
def test_a_pattern_of_text_and_one_of_bytes_are_two(monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        assert compile_pattern("ab").match("abc")
        assert compile_pattern(b"ab").match(b"abc")
        save_patterns()
        start_anew(monkeypatch)


@pytest.mark.usefixtures("cache")
def test_what_two_programs_compiled_is_kept_together(monkeypatch: pytest.MonkeyPatch) -> None:
    for source in ("one", "two"):
        compile_pattern(source)
        save_patterns()
        start_anew(monkeypatch)
    forbid_compiling(monkeypatch)
    assert compile_pattern("one").match("one")
    assert compile_pattern("two").match("two")


@pytest.mark.parametrize("content", [b"", b"\x00", b"not marshal", b"\xe9\x05\x00\x00\x00", b"{" * 100_000])
def test_a_damaged_cache_is_no_cache(cache: Path, monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    fill(monkeypatch)
    (file,) = cache.iterdir()
    file.write_bytes(content)
    assert compile_pattern(TEXTS[0]).match("ERROR")
    save_patterns()
    start_anew(monkeypatch)
    forbid_compiling(monkeypatch)
    assert compile_pattern(TEXTS[0]).match("ERROR")


def test_a_pattern_that_is_damaged_is_compiled_again(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(monkeypatch)
    (file,) = cache.iterdir()
    content = file.read_bytes()
    file.write_bytes(content[:-200])  # the last of them, and what follows it
    for source in (*TEXTS, BYTES):
        assert compile_pattern(source).pattern == source  # type: ignore[type-var]
    assert 0 < len(_lite.fresh_patterns()) < len(TEXTS)


def test_a_place_that_others_can_write_to_is_not_read(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(monkeypatch)
    (file,) = cache.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    cache.chmod(0o777)
    compile_pattern(TEXTS[0])
    assert _lite.fresh_patterns()


def test_a_second_start_compiles_nothing(tmp_path: Path) -> None:
    """What a view looks for comes from the cache, and `re` itself is not even loaded."""
    program = (
        "import atexit, sys; from overspill.cli.main import entry; "
        "atexit.register(lambda: print('re' in sys.modules, file=sys.stderr)); entry()"
    )
    log = "".join(f"10:00:{n % 60:02} INFO step {n} done\n" for n in range(2_000)) + "ERROR it failed: exit 3\n"
    command = [sys.executable, "-c", program, "fit", "--root", str(tmp_path), "--strategy", "smart"]
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    runs = [
        subprocess.run(command, input=log, capture_output=True, text=True, env=environ, check=True) for _ in range(2)
    ]
    assert runs[1].stderr.split()[-1] == "False"
    assert runs[0].stdout.split("art_")[0] == runs[1].stdout.split("art_")[0]
