"""Documentation that cannot drift: it is generated, or it is run."""

import doctest
import importlib
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import overspill

HERE = Path(__file__).parents[2]
PAGES = sorted([*HERE.glob("*.md"), *(HERE / "docs").glob("**/*.md")])
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
CHECKER = doctest.OutputChecker()


def blocks(language: str) -> Iterator[tuple[str, str]]:
    for page in PAGES:
        if language == "python" and page.parent.name == "frameworks" and page.name != "README.md":
            continue  # needs its framework: tests/frameworks/test_framework_pages.py
        for number, (kind, code) in enumerate(BLOCK.findall(page.read_text())):
            if kind == language:
                yield f"{page.relative_to(HERE)}:{number}", code


@pytest.mark.parametrize(("name", "code"), list(blocks("python")))
def test_python_in_the_documentation_runs(name: str, code: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{name}: {done.stderr}"


@pytest.mark.parametrize(("name", "code"), list(blocks("console")))
def test_commands_in_the_documentation_print_what_they_say(name: str, code: str, tmp_path: Path) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for step in re.split(r"^\$ ", code, flags=re.MULTILINE)[1:]:
        command, _, expected = step.partition("\n")
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PATH": path, "OVERSPILL_ROOT": str(tmp_path)},
        )
        assert CHECKER.check_output(expected, done.stdout, doctest.ELLIPSIS), f"{name}: {command}\n{done.stdout}"


def test_the_readme_fits_on_two_screens() -> None:
    assert len((HERE / "README.md").read_text().splitlines()) < 150


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_reference_pages_match_the_code() -> None:
    """NFR-018: settings and commands are documented, and the pages are generated from them."""
    done = subprocess.run(
        [sys.executable, str(HERE / "tools" / "reference.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", [name for name in overspill.__all__ if not name.startswith("__")])
def test_every_public_name_says_what_it_is(name: str) -> None:
    """NFR-019, X-61: docstrings and types take the place of XML docs."""
    assert inspect.getdoc(getattr(overspill, name))


def test_every_name_of_the_specification_says_what_it_is() -> None:
    """NFR-019."""
    compat = importlib.import_module("overspill.compat")
    for name in compat.__all__:
        thing = getattr(compat, name)
        assert inspect.getdoc(thing), name
        for method, function in inspect.getmembers(thing, inspect.isfunction):
            assert method.startswith("_") or inspect.getdoc(function), f"{name}.{method}"


def test_every_benchmark_is_one_that_make_bench_runs() -> None:
    """What help calls all of them is all of them, and a part that is misspelt is named."""
    places = (HERE / "benchmarks").glob("*.py")
    parts = {path.stem for path in places if "\ndef main(" in path.read_text()} - {"run", "compare"}
    run = [sys.executable, str(HERE / "benchmarks" / "run.py"), "no such part"]
    said = subprocess.run(run, capture_output=True, text=True, check=False)
    assert said.returncode == 1
    assert set(said.stderr.strip().partition("there are: ")[2].split(", ")) == parts
