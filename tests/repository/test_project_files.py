"""Files that other programs read: they parse, and what they name is there."""

import json
import re
from pathlib import Path

import pytest
import yaml

from overspill import __version__

ROOT = Path(__file__).parents[2]
INSTRUCTION = re.compile(r"^(FROM|WORKDIR|COPY|RUN|USER|ENTRYPOINT)\s+(.*)$")


def instructions() -> list[tuple[str, str]]:
    """Of the Dockerfile, with continued lines put together; a line that is none is an error."""
    text = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    found = [INSTRUCTION.match(line) for line in lines]
    assert all(found), [line for line, match in zip(lines, found, strict=True) if not match]
    return [(match[1], match[2]) for match in found if match]


def test_the_image_copies_what_is_there_and_runs_spill_as_nobody_special() -> None:
    steps = instructions()
    stages = [words.split()[-1] for name, words in steps if name == "FROM" and " AS " in words]
    for name, words in steps:
        if name == "COPY" and not words.startswith("--from="):
            assert all((ROOT / source).exists() for source in words.split()[:-1]), words
        if name == "COPY" and words.startswith("--from="):
            assert words.split()[0].removeprefix("--from=") in stages
    assert ("ENTRYPOINT", '["spill"]') in steps
    assert [words for name, words in steps if name == "USER"] == ["spill"]


def test_the_container_for_developers_parses() -> None:
    made = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())
    assert made["image"].startswith("python:3.")
    assert re.search(
        rf"^{made['postCreateCommand'].removeprefix('make ')}:", (ROOT / "Makefile").read_text(), re.MULTILINE
    )


def test_a_citation_names_this_version() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert (cited["title"], cited["version"], cited["license"]) == ("Overspill", __version__, "Apache-2.0")


@pytest.mark.parametrize("path", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.md")), ids=lambda path: path.stem)
def test_a_template_for_issues_has_a_name_and_says_what_it_is_for(path: Path) -> None:
    _, head, _ = path.read_text().split("---\n", 2)
    assert set(yaml.safe_load(head)) == {"name", "about"}


def test_decisions_are_numbered_without_a_gap_and_all_of_them_are_listed() -> None:
    pages = sorted((ROOT / "docs" / "adr").glob("0*.md"))
    assert [int(page.name[:4]) for page in pages] == list(range(1, len(pages) + 1))
    listed = (ROOT / "docs" / "adr" / "README.md").read_text()
    for number, page in enumerate(pages, 1):
        text = page.read_text()
        assert text.startswith(f"# {number}. ")
        assert "## What was rejected" in text
        assert f"]({page.name})" in listed
