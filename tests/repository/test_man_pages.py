"""Manual pages: one a command, and nothing in them that a formatter stumbles over."""

import re
import shutil
import subprocess

import man_pages

from overspill.cli.commands import commands

MACROS = {".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".BR", ".nf", ".fi"}


def test_every_command_has_a_page_that_names_its_options() -> None:
    pages = man_pages.pages()
    assert len(pages) == len(commands()) + 1
    for command in commands():
        page = pages[f"spill-{'-'.join(command.words)}.1"]
        assert all(man_pages.plain(option.name) in page for option in command.options), command.name


def test_every_instruction_is_one_and_every_escape_is_known() -> None:
    everything = "".join(man_pages.pages().values())
    assert {line.split()[0] for line in everything.splitlines() if line.startswith((".", "'"))} <= MACROS
    assert set(re.findall(r"\\(.)", everything)) <= {"-", "e", "&"}


def test_a_formatter_has_nothing_to_say_about_them() -> None:
    """Where there is one; the test above asks for the same by itself."""
    everything = "".join(man_pages.pages().values())
    words = ["groff", "-man", "-ww", "-Tutf8"] if shutil.which("groff") else ["cat"]
    done = subprocess.run(words, input=everything, capture_output=True, text=True, timeout=60, check=False)
    lines = [line for line in done.stderr.splitlines() if "can't break line" not in line and "adjust" not in line]
    assert lines == []
    assert "spill" in done.stdout
