"""Documentation that cannot drift: it is generated, or it is run."""

import doctest
import importlib
import inspect
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

import pytest
import site_pages
import site_requests
import yaml
from page_links import anchors, local_links, resolved

import overspill
from doors_kit import PLAIN
from spill_process import run_spill

HERE = Path(__file__).parents[2]
PAGES = sorted([*HERE.glob("*.md"), *(HERE / "docs").glob("**/*.md")])
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
STEP = re.compile(r"^```(?:(python|console)|\w+ title=\"([^\"]+)\")\n(.*?)^```", re.MULTILINE | re.DOTALL)
CHECKER = doctest.OutputChecker()
STORIES = [page for page in PAGES if page.parent.name in {"tutorials", "recipes"} and BLOCK.search(page.read_text())]


def blocks(language: str) -> Iterator[tuple[str, str]]:
    for page in PAGES:
        if page in STORIES:
            continue  # followed as a whole below
        if language == "python" and page.parent.name == "frameworks" and page.name != "README.md":
            continue  # needs its framework: tests/frameworks/test_framework_pages.py
        for number, (kind, code) in enumerate(BLOCK.findall(page.read_text())):
            if kind == language:
                yield f"{page.relative_to(HERE)}:{number}", code


def run_python(name: str, code: str, place: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=place, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{name}: {done.stderr}"


def run_console(name: str, code: str, place: Path, **environ: str) -> None:
    """What stands behind `$ ` is run, with the lines behind `> ` that follow; what it prints is below it."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for step in re.split(r"^\$ ", code, flags=re.MULTILINE)[1:]:
        lines = step.splitlines(keepends=True)
        more = list(takewhile(lambda line: line.startswith("> "), lines[1:]))
        command = "".join([lines[0], *(line.removeprefix("> ") for line in more)])
        expected = "".join(lines[1 + len(more) :])
        said = said_by(command, place, {**os.environ, "PATH": path, **environ})
        assert CHECKER.check_output(expected, said, doctest.ELLIPSIS), f"{name}: {command}\n{said}"


def said_by(command: str, place: Path, environ: dict[str, str]) -> str:
    """Standard output of a line of shell; where it is nothing but a call of `spill`, of a fork."""
    if PLAIN.fullmatch(command.strip()):
        return run_spill(*shlex.split(command)[1:], cwd=place, env=environ).stdout.decode()
    words = ["bash", "-c", command]
    return subprocess.run(words, cwd=place, capture_output=True, text=True, check=False, env=environ).stdout


@pytest.mark.parametrize(("name", "code"), list(blocks("python")))
def test_python_in_the_documentation_runs(name: str, code: str, tmp_path: Path) -> None:
    run_python(name, code, tmp_path)


@pytest.mark.parametrize(("name", "code"), list(blocks("console")))
def test_commands_in_the_documentation_print_what_they_say(name: str, code: str, tmp_path: Path) -> None:
    run_console(name, code, tmp_path, OVERSPILL_ROOT=str(tmp_path))


@pytest.mark.parametrize("page", STORIES, ids=lambda page: page.stem)
def test_tutorials_and_recipes_can_be_followed_from_top_to_bottom(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In an empty project of a user who has nothing; a block that has a title is a file of that name."""
    project = tmp_path / "shop"
    (project / ".git").mkdir(parents=True)
    monkeypatch.delenv("OVERSPILL_ROOT")
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    for kind, file, code in STEP.findall(page.read_text()):
        if file:
            (project / file).parent.mkdir(exist_ok=True)
            (project / file).write_text(code)
        else:
            (run_python if kind == "python" else run_console)(page.stem, code, project)


def test_the_readme_fits_on_two_screens() -> None:
    assert len((HERE / "README.md").read_text().splitlines()) < 150


def test_links_between_pages_lead_somewhere() -> None:
    """Each to a file that is there and, where it names a heading, to one that the page has."""
    for page in [*PAGES, *(HERE / "benchmarks").glob("**/*.md")]:
        name = str(page.relative_to(HERE))
        for target in local_links(page.read_text()):
            path, anchor = resolved(name, target)
            assert (HERE / path).exists(), f"{name} links to {target}"
            if anchor and path.endswith(".md"):
                assert anchor in anchors((HERE / path).read_text()), f"{name} links to {target}"


def test_the_site_has_every_page() -> None:
    """Each stands in the navigation once, and the navigation names nothing else."""
    navigation = yaml.safe_load("nav:" + (HERE / "mkdocs.yml").read_text().partition("\nnav:")[2])
    named = list(leaves(navigation["nav"]))
    docs = {str(page.relative_to(HERE / "docs")) for page in PAGES if page.is_relative_to(HERE / "docs")}
    assert sorted(named) == sorted([*docs, *site_pages.TOP])


def leaves(tree: object) -> Iterator[str]:
    if isinstance(tree, str):
        yield tree
    else:
        assert isinstance(tree, dict | list)
        for branch in tree.values() if isinstance(tree, dict) else tree:
            yield from leaves(branch)


def test_links_lead_to_the_same_on_the_site() -> None:
    """Pages of the repository's top are pages there, and so is any other file that is linked to."""
    text = "[a](../BENCHMARKS.md#where-we-lose), [b](../examples/stores/sqlite_store.py), [c](mcp.md), [d](#top)"
    shown = "[a](BENCHMARKS.md#where-we-lose), [b](examples/stores/sqlite_store.py.md), [c](mcp.md), [d](#top)"
    assert site_pages.page_on_site("docs/stores.md", text) == shown
    assert site_pages.page_on_site("docs/recipes/ci.md", "[a](../../SECURITY.md)") == "[a](../SECURITY.md)"
    assert site_pages.page_on_site("BENCHMARKS.md", "[a](docs/worth.md)") == "[a](worth.md)"
    files = site_pages.linked_files({"docs/stores.md": text})
    assert set(files) == {"BENCHMARKS.md", "benchmarks/quality/README.md", "examples/stores/sqlite_store.py"}
    assert "class SqliteStore" in files["examples/stores/sqlite_store.py"]


def test_what_a_browser_would_fetch_by_itself_is_found(tmp_path: Path) -> None:
    """`make site` fails on it: a page of ours asks nobody for anything."""
    links = '<a href="https://example.org/a">a</a><link rel="canonical" href="https://example.org/b">'
    (tmp_path / "fine.html").write_text(f'{links}<img src="c.png"><p>src="https://example.org/d"</p>')
    (tmp_path / "fine.css").write_text("a { background: url(e.png) } /* https://example.org/f */")
    assert site_requests.requests_of(tmp_path) == []
    (tmp_path / "bad.html").write_text('<script src="https://example.org/g"></script><img srcset="//example.org/h 2x">')
    (tmp_path / "styled.html").write_text("<style>@import 'http://example.org/i';</style>")
    (tmp_path / "bad.css").write_text("a { background: url('https://example.org/j') }")
    found = {address for _, address in site_requests.requests_of(tmp_path)}
    assert found == {"https://example.org/g", "//example.org/h", "http://example.org/i", "https://example.org/j"}


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
    parts = {path.stem for path in places if "\ndef main(" in path.read_text()} - {
        "run",
        "compare",
        "overhead",
    }  # `make overhead` runs agents
    run = [sys.executable, str(HERE / "benchmarks" / "run.py"), "no such part"]
    said = subprocess.run(run, capture_output=True, text=True, check=False)
    assert said.returncode == 1
    assert set(said.stderr.strip().partition("there are: ")[2].split(", ")) == parts
