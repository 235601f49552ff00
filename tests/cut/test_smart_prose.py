"""What `smart` shows of prose: headings, the first paragraph of every section, code blocks whole."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overspill.cut.smart.prose import blocks_of
from smart_views import seen

WORDS = "The quick brown fox jumps over the lazy dog and goes home again. "


def manual(sections: int) -> str:
    parts = ["# The manual\n\nWhat this is about, in one sentence.\n\n"]
    for number in range(sections):
        parts.append(f"## Section {number}\n\nSection {number} begins with this. {WORDS}\n\n")
        parts.append((f"Then it goes on about {number}. " + WORDS * 5 + "\n\n") * 3)
        parts.append(f"```sh\nrun {number}\n\n# no heading\nrun {number} again\n```\n\n")
    return "".join(parts)


def test_every_heading_is_shown_or_named_and_every_section_has_its_say() -> None:
    text = manual(20)
    view = seen(text, 6_000, kind="prose").text
    for number in range(20):
        assert f"Section {number}" in view
        assert f"Section {number} begins with this." in view
    assert "What this is about" in view


def test_code_blocks_are_whole_or_not_there() -> None:
    text = manual(12)
    for limit in range(1_000, 9_000, 900):
        view = seen(text, limit, kind="prose").text
        assert view.count("```sh\n") == view.count("\n```\n")
        for number in range(12):
            assert (f"run {number}\n" in view) == (f"run {number} again\n" in view)


def test_a_heading_in_a_code_block_is_none() -> None:
    titles = [block.title for block in blocks_of(manual(3)) if block.kind == "heading"]
    assert titles == ["The manual", "Section 0", "Section 1", "Section 2"]


def test_remarks_in_a_file_of_settings_are_no_headings() -> None:
    text = "".join(f"#\n# Option {n} does this.\n# It is on.\n#\noption_{n} yes\n\n" for n in range(30))
    assert [block.title for block in blocks_of(text) if block.kind == "heading"] == []


def test_a_heading_that_holds_commas_is_named_as_one() -> None:
    text = "".join(f"# Part {n}, and what else\n\n{WORDS * 30}\n\n" for n in range(30))
    assert '"Part 17, and what else", ' in seen(text, 1_500, kind="prose").text


def test_what_is_looked_for_is_shown() -> None:
    text = manual(40).replace("Then it goes on about 33. ", "The needle is here. ", 1)
    view = seen(text, 2_500, kind="prose", focus="needle").text
    assert "The needle is here." in view
    assert "## Section 33" in view


@pytest.mark.parametrize("rule", ["=", "-", "~"])
def test_underlined_headings_are_headings(rule: str) -> None:
    text = "".join(f"Chapter {n}\n{rule * 9}\n\n{WORDS}\n\n{WORDS * 9}\n\n" for n in range(9))
    assert sum(block.kind == "heading" for block in blocks_of(text)) == 9
    assert "Chapter 8" in seen(text, 2_000, kind="prose").text


def test_repeated_headings_are_named_once() -> None:
    text = "# Changes\n\n" + "".join(f"## {n}.0\n\n### Bug Fixes\n\n{WORDS * 8}\n\n" for n in range(60))
    view = seen(text, 1_500, kind="prose").text
    note = next(line for line in view.splitlines() if line.startswith("[omitted: "))
    assert note.count("Bug Fixes") <= 1


pieces = st.sampled_from(
    ["# One\n", "## Two\n", "===\n", "---\n", "Words and words.\n", "\n", "```\n", "~~~\n", "- item\n", "NAME\n",
     "    indented\n", "| a | b |\n", "<!-- c -->\n", "é́ 👨‍👩‍👧‍👦.\r\n", "A long one. " * 80 + "\n", "[omitted: x]\n"]
)  # fmt: skip


@given(st.lists(pieces, min_size=1, max_size=60).map("".join), st.integers(64, 2_500))
def test_any_prose_is_all_in_blocks_and_its_view_holds_the_promises(text: str, limit: int) -> None:
    assert "".join(text[block.start : block.end] for block in blocks_of(text)) in (text, text.lstrip("\n\r"))
    if len(text) > limit:
        view = seen(text, limit, kind="prose")
        assert 0 < len(view.text) <= limit
        assert view.text == seen(text, limit, kind="prose").text
        counts = re.findall(r"(\d+) chars omitted\]", re.sub(r"(?m)^\| .*$", "", view.text))
        assert not counts or sum(map(int, counts)) == len(text) - view.shown.chars
