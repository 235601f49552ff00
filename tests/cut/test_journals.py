"""Logs of commits, changelogs and mails: every entry is named, with the line that says what it is."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from truth import false_statements

from overspill import MemoryStore, Overspill
from overspill.clean import clean

RULE = "-" * 72


def git_log(titles: list[str]) -> str:
    return "".join(
        f"commit {at + 4096:040x}\nAuthor: Ann <ann@example.org>\nDate:   Wed Nov 18 10:{at % 60:02}:11 2026 +0000\n\n"
        f"    {title}\n\n    Because it was asked for.\n    And so it is.\n\n"
        for at, title in enumerate(titles)
    )


def svn_log(titles: list[str]) -> str:
    entries = (f"r{900 - at} | ann | 2026-11-18 (Wed) | 1 line\n\n{title}\n" for at, title in enumerate(titles))
    return f"{RULE}\n" + "".join(f"{entry}{RULE}\n" for entry in entries)


def changelog(titles: list[str]) -> str:
    return "".join(
        f"lids (1.{at}-1) unstable; urgency=low\n\n  * {title}\n\n -- Ann <ann@example.org>  Wed, 18 Nov 2026\n\n"
        for at, title in enumerate(titles)
    )


def mails(titles: list[str]) -> str:
    return "".join(
        f"From {at + 4096:040x} Mon Sep 17 00:00:00 2001\nFrom: Ann <ann@example.org>\nSubject: {title}\n\n"
        "It was loose.\nIt is not any more.\n\n"
        for at, title in enumerate(titles)
    )


LIDS = ("old", "new", "red", "wide", "loose", "round")
TITLES = [
    f"Mend the {lid} lid of box {box}, {why}" for lid in LIDS for box in range(3) for why in ("late", "again", "now")
]
Journal = Callable[[list[str]], str]
JOURNALS: list[Journal] = [git_log, svn_log, changelog, mails]


def view_of(text: str, limit: int) -> str:
    return Overspill(store=MemoryStore(), preset="agent").fit(text, strategy="smart", budget=limit).text


@pytest.mark.parametrize("journal", JOURNALS)
def test_every_entry_is_told_with_its_title(journal: Journal) -> None:
    text = journal(TITLES)
    view = view_of(text, 6_000)
    assert "[54 " in view
    assert ", each with its title:" in view
    assert all(title in view for title in TITLES)
    assert false_statements(text, view) == []


def test_titles_that_do_not_fit_are_counted() -> None:
    text = git_log(TITLES)
    view = view_of(text, 2_000)
    told = [line for line in view.split("\n") if line.startswith("[ ")]
    assert told[0] == f"[ 00000000 {TITLES[0]}"
    assert told[-1] == f"[ +{54 - len(told) + 1}]"
    assert false_statements(text, view) == []


def test_a_wrong_count_of_entries_is_found() -> None:
    text = git_log(TITLES)
    view = view_of(text, 2_000)
    for wrong in ('[55 "commit"', '[54 "Author:"'):
        assert false_statements(text, view.replace('[54 "commit"', wrong))
    assert false_statements(text, view.replace(f"00000000 {TITLES[0]}", f"00000000 {TITLES[0]} twice"))


def test_chapters_of_a_document_are_headings() -> None:
    chapter = "Chapter {}\n\nOf lids\n*******\n\n" + "A lid lies on a box, and nobody lifts it.\n" * 30 + "\n"
    view = view_of("".join(map(chapter.format, range(1, 40))), 3_000)
    assert "each with its title" not in view


def test_records_of_fields_are_rows() -> None:
    record = "Name: lid{0}\nHeader: family {0} of lids\nSize: {0}\n\nMembers: {0}\n\n"
    view = view_of("".join(map(record.format, range(90))), 3_000)
    assert "each with its title" not in view


# Titles of words that anybody may write, and of signs that nobody should.
words = st.lists(st.sampled_from(["mend", "lid", "[", "]", "+3", "...", '"a"', "\u2028", "1", "commit 9"]), max_size=9)


@given(st.lists(words.map(" ".join), min_size=12, max_size=40), st.sampled_from(JOURNALS))
def test_whatever_titles_say_nothing_false_is_said(titles: list[str], journal: Journal) -> None:
    text = clean(journal(titles).encode(), "terminal")[0]
    assert false_statements(text, view_of(text, 900)) == []


SHORT_FORMS = (
    "{id} {title}",
    "* {id} {title}",
    "{id}|Ann Painter|{title}",
    "{id} Ann Painter 2026-11-18 10:11:12 +0000 {title}",
    "{id} - {title} (3 hours ago) <Ann Painter>",
    "#{number} {title}",
    "LID-{number}: {title}",
)


def short_history(form: str) -> list[str]:
    said = ("which failed with an error", "that nobody asked for", "before it is shut for the night")
    lines = [f"Mend the {at}th lid of the long shelf, {said[at % 3]}" for at in range(400)]
    return [
        form.format(id=f"{at * 7919 + 268435456:08x}", number=900 - at, title=line) for at, line in enumerate(lines)
    ]


@pytest.mark.parametrize("form", SHORT_FORMS)
def test_a_history_of_a_line_a_commit_is_shown_from_its_newest_on(form: str) -> None:
    """It was torn into samples, led by what titles begin with; errors of which a title speaks came first."""
    lines = short_history(form)
    view = Overspill(store=MemoryStore(), preset="agent").fit("\n".join(lines), budget=2_000).text.split("\n")
    shown = [line for line in view if not line.startswith("[")]
    assert shown[:-1] == lines[: len(shown) - 1]
    assert shown[-1] == lines[-1]
    assert sum(map(len, view)) > 1_700


@pytest.mark.parametrize(
    "form",
    ["{id} GET /shelf/{number} 200 in 3 ms", "{id} T lid_of_shelf_{number}", "{id}: 48 89 fb mov %rdi,%rbx"],
)
def test_requests_and_symbols_behind_ids_are_no_history(form: str) -> None:
    lines = [form.format(id=f"{at * 7919 + 268435456:08x}", number=at) for at in range(400)]
    view = Overspill(store=MemoryStore(), preset="agent").fit("\n".join(lines), budget=2_000).text
    assert "\n".join(lines[:9]) not in view
