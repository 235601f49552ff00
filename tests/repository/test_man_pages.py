"""Manual pages: one a command, and nothing in them that a formatter stumbles over."""

import shutil
import subprocess

import man_pages
import pytest

from overspill.cli.commands import commands


def test_every_command_has_a_page_that_names_its_options() -> None:
    pages = man_pages.pages()
    assert len(pages) == len(commands()) + 1
    for command in commands():
        page = pages[f"spill-{'-'.join(command.words)}.1"]
        assert all(man_pages.plain(option.name) in page for option in command.options), command.name


@pytest.mark.skipif(not shutil.which("groff"), reason="no groff here: `make man` still writes the pages")
def test_a_formatter_has_nothing_to_say_about_them() -> None:
    everything = "".join(man_pages.pages().values())
    done = subprocess.run(
        ["groff", "-man", "-ww", "-Tutf8"], input=everything, capture_output=True, text=True, timeout=60, check=False
    )
    lines = [line for line in done.stderr.splitlines() if "can't break line" not in line and "adjust" not in line]
    assert lines == []
    assert "spill-artifacts-show" in done.stdout.replace("\u2010", "-")
