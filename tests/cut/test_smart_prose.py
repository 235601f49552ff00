"""What `smart` shows of prose: headings, the first paragraph of every section, code blocks whole."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from truth import false_statements

from overspill.cut.digest import repeats_itself
from overspill.cut.digest.headings import is_document, quotes_code_in_fences, read_document
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


@pytest.mark.parametrize(("opening", "closing"), [("```yaml\n", "```\n"), ("", "")])
def test_a_heading_above_something_else_does_not_make_it_prose(opening: str, closing: str) -> None:
    """FR-030: pages of a browser come in one fence, below two headings; all of it is one block, which never fits."""
    inside = "".join(
        f'- group [ref=e{at}]:\n  - link "Shelf {at}" [ref=f{at}]\n' + "  - alert: the belt is torn\n" * (at == 300)
        for at in range(600)
    )
    text = f"### Page\n- Title: Shelves\n### Snapshot\n{opening}{inside}{closing}"
    view = seen(text, 3_000, kind="prose").text
    assert "- alert: the belt is torn" in view
    assert "600x" in view
    assert false_statements(text, view) == []


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


SENTENCES = (
    "It keeps what is too long to be shown at once in a file of",
    "its own and says where that is and how to see",
    "the rest of it.",
)


def printed(indent: int, words: tuple[str, ...] = SENTENCES) -> str:
    return "".join(f"{' ' * indent}{line}\n" for line in words)


def manual_page(options: int) -> str:
    """A manual page as `man` prints it."""
    parts = ["SHELF(1)                 User Commands                 SHELF(1)\n\n", "NAME\n", printed(7), "\nOPTIONS\n"]
    says = f"{printed(14)}\n{printed(14)}\n"
    parts += [f"       -{'abcdefgh'[number % 8]}, --option-{number}=WHAT\n{says}" for number in range(options)]
    parts += [f"   Part {number}\n{printed(7)}\n{printed(7)}\n" for number in range(30)]
    return "".join([*parts, "SEE ALSO\n", printed(7)])


def test_a_manual_page_is_told_by_its_headings_and_options() -> None:
    """Whatever is explained, its name is said: what there is comes before what is said of it."""
    view = seen(manual_page(60), 4_000, kind="log").text
    assert "[33 headings: NAME, OPTIONS, Part 0, Part 1," in view
    assert "[68 terms: -a, --option-0=WHAT, -b, --option-1=WHAT," in view
    assert all(f"--option-{number}=WHAT" in view for number in range(60))
    assert "SEE ALSO" in view
    assert "too long to be shown at once" in view


@pytest.mark.parametrize("title", ["3.1. The Database Header", "Boxes", "GENERAL", "Part IV", 'Data type "array"'])
@pytest.mark.parametrize("rule", ["", "=========\n", "\n"])
def test_a_title_of_a_printed_page_is_a_heading(title: str, rule: str) -> None:
    text = f"{printed(0)}\n{title}\n{rule}{printed(0)}\n" * 30
    assert is_document(text)
    assert {one.title for one in read_document(text.split("\n")).headings} == {title}
    assert f"[1 headings: {title} x30]" in seen(text, 2_000, kind="prose").text


@pytest.mark.parametrize(
    "line",
    ["It works well.", "set xdata time", "x = Y(z)", "  Indented More", "Name    Size", "3. It is followed", "40"],
)
def test_what_is_no_title_is_no_heading(line: str) -> None:
    hangs = "   by the rest of it\n" if line[0] == "3" else "\n"
    assert not read_document(f"{printed(0)}\n{line}\n{hangs}{printed(0)}\n".split("\n")).headings


@pytest.mark.parametrize(
    "line",
    ["INFO the server has started and it is now waiting for the first of them\n", "src/a.py:3: it is not defined\n"],
)
def test_lines_that_are_no_paragraphs_are_no_document(line: str) -> None:
    assert not is_document(line * 400)
    assert not is_document(f"{line}\n" * 400)


parts = st.sampled_from(
    ["NAME\n", "\n", printed(0), printed(7), "   Sub\n", "-q, --quiet\n  say\n", "\f  Page   3\n", "1.2. A\n",
     "\u2018--all\u2019\n     Show all.\n", "-c     If it is so then\n       do it\n", "\tTabbed\n", "Chapter x3\n",
     "+17\n   More\n", "Über Uns, Wir\n"]
)  # fmt: skip


@given(st.lists(parts, min_size=20, max_size=90).map("".join), st.integers(300, 3_000))
def test_what_is_said_of_any_printed_page_is_true(text: str, limit: int) -> None:
    whole = text + f"{printed(0)}\n" * 20
    if len(whole) > limit:
        false = false_statements(whole, seen(whole, limit, kind="prose").text)
        assert [one for one in false if " headings: " in one or " terms: " in one] == []


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


def test_the_headings_of_a_page_are_told_as_a_reader_sees_them() -> None:
    """STR-06: a page of HTML need not be well-formed; its scripts and comments say nothing."""
    parts = [
        f"</p><h{at % 3 + 1} id=part_{at}><span>{at}. </span>Rows &amp; columns\n of <b>part {at}</b></h{at % 3 + 1}>\n"
        f"<p>{WORDS * 3}\n<ul><li>{WORDS}<li>{WORDS}</ul>\n"
        for at in range(30)
    ]
    script = "<script>\nvar x = '<h2>none</h2>';\n</script>\n<!-- <h2>nor this</h2> -->\n"
    text = f"<!DOCTYPE html>\n<html><head>{script}<title>All</title></head>\n<body>\n{''.join(parts)}</body></html>\n"
    view = seen(text, 4_000).text
    assert "[30 headings: " in view
    assert [at for at in range(30) if f"{at}. Rows & columns of part {at}" not in view] == []
    assert "none" not in view.partition("]\n[30")[2].partition("]")[0]
    assert not [*false_statements(text, view, "text")]


def test_what_a_document_says_to_a_tool_is_no_heading_and_what_it_lists_is() -> None:
    """19: manuals in a markup of their own; every item has a remark for some other tool below it."""
    names = [f"{one}{two}{at}" for at, (one, two) in enumerate((one, two) for one in "abcdefgh" for two in "uvwxyz")]
    item = "=item {0} VALUE\n\n=item {0}\n\n=for Pod::Tool the function of {0} that is called so\n\n{1}\n{1}\n{1}\n"
    parts = [item.format(name, printed(0)) for name in names]
    text = f"=head1 NAME\n\n{printed(0)}\n=head2 Functions\n\n=over\n\n{''.join(parts)}=back\n\n=head2 More\n\n=cut\n"
    view = seen(text, 3_000, kind="prose").text
    assert all(f" {name}," in view or f" {name} " in view for name in names)
    assert "Pod::Tool the function" not in view.partition("\n=")[0]
    assert false_statements(text, view) == []


def test_what_says_the_same_below_each_heading_but_for_numbers_is_a_report() -> None:
    """FR-030: a tool may write Markdown: what is odd among a hundred like sections is asked for, not their headings."""
    said = ("The boat came home before dark. Nothing else was seen.", "The boat ran aground by the mill at dusk.")
    text = "".join(f"## Trip {at}\n\n{said[at == 71]}\nIt took {at} hours and no longer.\n\n" for at in range(120))
    assert said[1] in seen(text, 2_000).text


def test_drawn_lines_between_what_is_written_make_no_report_of_it() -> None:
    """Remarks on a text quote it and draw below it: that the rules repeat says nothing of what stands between them."""
    words = ["abc", "bcd", "cde", "def", "efg", "fgh", "ghi", "hij", "ijk", "jkl", "klm", "lmn"]
    said = [f"The {one} {two} went home\n     ^^^\n-----\n" for one in words for two in words]
    assert not repeats_itself("".join(said))
    assert repeats_itself("".join(f"Door {at} is shut\n  and so it was\n" for at in range(100)))


def spoken(drawn: random.Random, indent: int) -> str:
    """A paragraph that says nothing twice."""
    words = ["".join(drawn.choices("aeioulmnrst", k=drawn.randint(3, 8))) for _ in range(40)]
    return "".join(" " * indent + " ".join(words[at : at + 10]) + "\n" for at in range(0, 40, 10))


@pytest.mark.parametrize("rule", ["---", "* * *", "___"])
def test_sections_that_are_parted_by_rules_are_told_by_their_first_lines(rule: str) -> None:
    """STR-06: of a page of the web its headings may have become paragraphs."""
    drawn = random.Random(7)
    parts = [f"\n{rule}\n\n**PRAGMA** *schema.***part\\_{at};\n\n{spoken(drawn, 0)}" for at in range(30)]
    text = f"Contents of a page:\n\n## How to ask\n\n{spoken(drawn, 0)}{''.join(parts)}\n"
    view = seen(text, 4_000).text
    assert "[31 headings: How to ask, " in view
    assert [at for at in range(30) if f"part\\_{at};" not in view] == []
    assert false_statements(text, view) == []


def test_titles_in_the_middle_of_a_page_are_headings() -> None:
    """STR-06: a browser without pictures writes the largest headings centred."""
    drawn = random.Random(8)
    titles = [f"{at}. Of {'lids and shelves'[: 6 + at % 9]}" for at in range(1, 12)]
    text = "\n" + "".join(
        f"{title.center(80).rstrip()}\n\n{spoken(drawn, 3)}\n{spoken(drawn, 3)}\n" for title in titles
    )
    view = seen(text, 3_000).text
    assert f"[11 headings: {titles[0]}, " in view
    assert false_statements(text, view) == []
    ragged = "".join(f"{' ' * (15 + at)}A lid\n\n{spoken(drawn, 3)}\n{spoken(drawn, 3)}\n" for at in range(0, 50, 5))
    assert "headings: " not in seen(ragged, 3_000).text


def test_a_notebook_that_was_printed_is_no_source() -> None:
    """FR-030: what each cell has to say is asked for, not what the first ones import."""
    cell = "## Deck {0}\n\n```python\nimport random\nrandom.seed({0})\nprint(random.random())\n```\n\n    {1}\n\n"
    text = "".join(cell.format(at, "KeyError: 41" if at == 41 else f"{at * 7919 % 400} aboard") for at in range(60))
    view = seen(text, 2_500).text
    assert "[60x ~## Deck {0..59}]" in view
    assert "KeyError: 41" in view


def readme(sections: int) -> str:
    """A page of a package: first a list of its sections, then examples in fences."""
    parts = ["# Lids\n\n[![state](https://ci.example/a.svg)](https://ci.example)\n\n"]
    parts += [f"- [Lid {number}](#lid-{number})\n  - [Of lid {number}](#of-{number})\n" for number in range(40)]
    for number in range(sections):
        lines = "".join(f"  .turn({number}, {at})\n" for at in range(14))
        parts.append(f"\n## Lid {number}\n\nLid {number} closes by itself. It was made for boxes {number} years ago,\n")
        parts.append("and since then it has been opened and closed each day by all who live there.\n\n")
        parts.append(f"```js\nconst lid{number} = require('lids').lid({number})\n\nlid{number}\n{lines}```\n")
    return "".join(parts)


def test_a_page_that_quotes_code_is_no_code() -> None:
    """FR-030: titles stand outside its fences, and hardly any code does."""
    assert quotes_code_in_fences(readme(30))
    said = "[omitted: Lid "
    assert said in seen(readme(30), 3_000).text
    julia = [f"function part{at}(row)\n    row + {at}\nend\n\n" for at in range(30)]
    example = '# Part {0}\n\n"""\n```julia\npart{0}(row)\n```\n"""\nfunction part{0}b(row)\n    row\nend\n\n'
    julia += [example.format(at) for at in range(9)]
    assert not quotes_code_in_fences("".join(julia))


def test_every_section_of_a_page_says_how_it_begins_and_its_example() -> None:
    text = readme(30)
    view = seen(text, 9_000, kind="prose").text
    for number in range(30):
        assert f"## Lid {number}\n\nLid {number} closes by itself." in view
        assert f"const lid{number} = require" in view
    assert false_statements(text, view) == []


def test_a_page_that_was_made_markdown_is_told_by_its_titles_first() -> None:
    """What is written above each part of a definition is a heading, too, but comes after them."""
    parts = ["# The shelves\n\n"]
    for number in range(12):
        parts.append(f"## Shelf {number} and what it holds\n\n{printed(0)}\n")
        parts += [f"{word}\n\n{printed(4)}\n" for word in ("Parameters", "Returns", "Notes") * 3]
    text = "".join(parts)
    view = seen(text, 2_500, kind="prose").text
    titles = [line for line in view.split("\n") if "headings: " in line]
    assert all(f"Shelf {number} and what it holds" in titles[0] for number in range(12))
    assert "Parameters x36" in titles[0]
    assert false_statements(text, view) == []


def test_options_in_a_table_are_terms() -> None:
    table = "".join(f"       --option-{at}=WHAT, -{chr(97 + at)}    do what number {at} says\n" for at in range(20))
    text = manual_page(0).replace("OPTIONS\n", f"OPTIONS\n{table}\n")
    view = seen(text, 3_000, kind="log").text
    assert "[40 terms: --option-0=WHAT, -a, " in view
    assert false_statements(text, view) == []
