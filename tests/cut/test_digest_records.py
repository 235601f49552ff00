"""What records at places add up to: every statement is recounted here by other code."""

from __future__ import annotations

import json
import re
import tracemalloc
from collections import Counter
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st
from statements import read_places
from truth import false_statements

from overspill import Overspill
from overspill.core.markers import is_look_alike
from overspill.cut.digest import records
from overspill.cut.digest.records import RecordCollector, RecordDigest
from overspill.cut.digest.survey import Survey, survey_of
from smart_views import seen

if TYPE_CHECKING:
    import pytest

PATHS = ("src/app/core.py", "src/app/util.py", "src/app/net/http.py", "src/main.py", "/usr/include/x.h")
MESSAGES = (
    "E501 line too long ({n} > 79)",
    "F401 '{name}' imported but unused",
    'error: Name "{name}" is not defined [name-defined]',
    "warning: unused variable `{name}` [-Wunused]",
    "W0611: Unused import {name} (unused-import)",
    "W0611: Unused {name} imported from x (unused-import)",
    "note: {name}; or, {{so}} [odd]",
    "undefined: thing",
)
NAMES = ("os", "sys", "json.loads", "re", "a1", "b")

one_record = st.tuples(
    st.sampled_from(PATHS), st.integers(1, 40), st.sampled_from(MESSAGES), st.sampled_from(NAMES), st.integers(80, 82)
)
texts = st.lists(one_record, min_size=records.FEWEST, max_size=60)


def line_of(record: tuple[str, int, str, str, int]) -> str:
    path, line, message, name, number = record
    return f"{path}:{line}:1: {message.format(name=name, n=number)}"


def collected(lines: list[str]) -> RecordDigest:
    collector = RecordCollector()
    collector.add(lines)
    digest = collector.digest()
    assert digest is not None
    return digest


ITEM = re.compile(r"([^\s:{}]*)\{([^{}]*)\}(?:; |$)|\+\d+$|([^\s:{}]+):(.*?)(?:; |$)")


def places_in(said: str) -> list[tuple[str, str, str]]:
    """The places that a statement names: path, line, what stands behind it."""
    strings: list[str] = []

    def aside(match: re.Match[str]) -> str:
        strings.append(match[0])
        return f"<{len(strings) - 1}>"

    masked = re.sub(r"""(?<=\d )(?:"(?:\\.|[^"\\])*"|'[^']*'|`[^`]*`)""", aside, said)
    return [
        (path, line, re.sub(r"<(\d+)>", lambda match: strings[int(match[1])], part))
        for path, line, part in plain_places(masked, "")
    ]


def plain_places(said: str, folder: str) -> list[tuple[str, str, str]]:
    found: list[tuple[str, str, str]] = []
    for match in ITEM.finditer(said):
        if match[3] is None:
            found += plain_places(match[2], folder + match[1]) if match[2] else []
            continue
        for entry in match[4].split(", "):
            line, _, part = entry.partition(" ")
            found.append((folder + match[3], line.split(":")[0], part))
    return found


def alike(message: str) -> str:
    """A message with all that varies set aside."""
    message = re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`", "#", message)
    return re.sub(r"[^\s,;()\[\]{}<>=\"'`]*[\d/][^\s,;()\[\]{}<>=\"'`]*", "#", message)


@settings(max_examples=max(60, settings().max_examples))
@given(texts, st.integers(100, 6_000))
def test_every_count_and_every_place_can_be_recounted(found: list[tuple[str, int, str, str, int]], room: int) -> None:
    """A statement counts the records that say so, and names places where they stand; `+N` are the others."""
    said = [(path, str(line), message.format(name=name, n=n)) for path, line, message, name, n in found]
    statements = collected([line_of(one) for one in found]).statements(room)
    assert sum(len(line) + 1 for line in statements) <= room
    below = ""
    for line in statements:
        if total := re.fullmatch(r"\[(\d+) records(?: below (\S+))?: (.*)\]", line):
            below = total[2] or ""
            assert int(total[1]) == len(said)
            files = len({path for path, _, _ in said})
            assert total[3].endswith(f"{files} file{'s' * (files != 1)}")
            for level in ("error", "warning", "note"):
                count = sum(message.startswith(f"{level}:") for _, _, message in said)
                assert (f"{level} {count}" in total[3]) == (count > 0)
        elif listed := re.fullmatch(r"\[by (file|rule): (.*)\]", line):
            assert sum(map(int, re.findall(r"[ +](\d+)(?=[,}]|$)", listed[2]))) == len(
                [one for one in said if listed[1] == "file" or "undefined" not in one[2]]
            )
        else:
            check_records(line, below, said)


def check_records(line: str, below: str, said: list[tuple[str, str, str]]) -> None:
    match = re.fullmatch(r"\[(?:(\d+)x )?(~?)(.*?) @ (.*)\]", line)
    assert match is not None, line
    times, same, message, places = match.groups()
    if " * " in message:
        begin, end = message.split(" * ")
        own = [one for one in said if one[2].startswith(f"{begin} ") and one[2].endswith(f" {end}")]
    else:
        own = [one for one in said if (alike(one[2]) == alike(message) if same else one[2] == message)]
        assert message in {one[2] for one in own}
    assert int(times or 1) == len(own)
    named = places_in(places)
    more = re.search(r"(?:^|; )\+(\d+)$", places)
    assert len(named) + int(more[1] if more else 0) == len(own)
    left = Counter((path, number) for path, number, _ in own)
    left.subtract((path if path[0] == "/" else below + path, number) for path, number, _ in named)
    assert min(left.values()) >= 0
    for path, number, part in named:
        text = json.loads(part) if part.startswith('"') and part.endswith('"') and ";" in part else part
        at = (path if path[0] == "/" else below + path, number)
        assert any(text in one[2] for one in own if one[:2] == at)


@given(texts, st.integers(100, 3_000), st.integers(0, 3_000))
def test_a_larger_room_names_no_fewer_rules(found: list[tuple[str, int, str, str, int]], room: int, more: int) -> None:
    digest = collected([line_of(one) for one in found])
    rules = ("E501", "F401", "name-defined", "-Wunused", "W0611", "odd")
    small, large = ("\n".join(digest.statements(size)) for size in (room, room + more))
    assert {rule for rule in rules if rule in small} <= {rule for rule in rules if rule in large}


@given(texts, st.integers(1, 5))
def test_it_makes_no_difference_in_which_blocks_lines_come(
    found: list[tuple[str, int, str, str, int]], size: int
) -> None:
    lines = [line_of(one) for one in found]
    collector = RecordCollector()
    for at in range(0, len(lines), size):
        collector.add(lines[at : at + size])
    digest = collector.digest()
    assert digest is not None
    assert digest.statements(5_000) == collected(lines).statements(5_000)


def test_every_rule_comes_before_the_second_message_of_any() -> None:
    lines = [f"src/a{n}.py:{n}:1: E501 line too long ({80 + n} > 79)" for n in range(300)]
    lines += [f"src/b.py:{n}:1: F401 'name_{n}' imported but unused" for n in range(100)]
    lines += ["src/c.py:7:1: B006 mutable default", "src/d.py:8:1: S101 assert used"]
    said = collected(lines).statements(500)
    assert said[0] == "[402 records below src/: 4 rules; 303 files]"
    assert said[1:3] == ("[B006 mutable default @ c.py:7:1]", "[S101 assert used @ d.py:8:1]")
    assert said[3].startswith("[100x ~F401 'name_0' imported but unused @ b.py:0:1")
    assert said[4].startswith("[300x ~E501 line too long (80 > 79) @ a0.py:0:1")


def test_in_a_small_room_rules_are_counted_in_one_list() -> None:
    lines = [f"a.py:{n}:1: X{n % 40:03} {'something odd ' * 5}{'abcdefghij'[n % 10]}" for n in range(200)]
    said = collected(lines).statements(700)
    assert said[1].startswith("[by rule: X000 5, X001 5, ")
    assert sum(map(int, re.findall(r"[ +](\d+)(?=[,\]])", said[1]))) == 200


def test_the_worst_level_comes_first() -> None:
    lines = [f"a.c:{n}:1: note: in expansion of macro 'M' [m]" for n in range(3)]
    lines += [f"a.c:{n}:1: warning: unused 'x' [-Wunused]" for n in range(9)] + ["a.c:9:1: error: no 'y'"]
    levels = [line.split(":")[0].split()[-1].strip("[~") for line in collected(lines).statements(2_000)[1:]]
    assert levels == ["error", "warning", "note"]


def test_messages_of_a_rule_that_begin_and_end_alike_are_one_statement() -> None:
    lines = [f"a.py:{n}:1: C0415: Import outside toplevel ({name}) (import-outside)" for n, name in enumerate(NAMES)]
    said = collected(lines).statements(2_000)
    assert said[1].startswith("[6x C0415: Import outside toplevel * (import-outside) @ a.py:0:1 (os), 1:1 (sys), ")


def test_messages_without_a_rule_that_begin_and_end_alike_are_one_statement_if_no_other_begins_and_ends_so() -> None:
    lines = [f"a.py:{n}:1: Name {name} is used before it is set" for n, name in enumerate(NAMES)]
    said = collected(lines).statements(2_000)
    assert said[1].startswith("[6x Name * is used before it is set @ a.py:0:1 os, 1:1 sys, ")
    lines = [f"a.py:{n}:1: There is no such thing as {name}" for n, name in enumerate(NAMES)]
    assert collected(lines).statements(2_000)[1].startswith("[6x There is no such thing as * @ ")
    odd = "b.py:9:1: There is no such thing as this here [a-rule]"
    assert "[6x There" not in "".join(collected([*lines, odd]).statements(2_000))


def test_counts_stay_exact_beyond_what_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of too many messages only the rule is counted; of too many files only the directory."""
    monkeypatch.setattr(records, "MOST_MESSAGES", 20)
    monkeypatch.setattr(records, "MOST_FILES", 10)
    monkeypatch.setattr(records, "MOST_SPELLINGS", 15)
    words = ("ab", "cd", "ef", "gh")
    lines = [
        f"src/{words[n % 4]}/f{n % 30}.py:{n}:1: {'EW'[n % 2]}10{n % 3} {'x' * (n % 50)} y" for n in range(1, 1_000)
    ]
    said = collected(lines).statements(1 << 14)
    assert said[0] == "[999 records below src/: 6 rules]"
    by_file = next(line for line in said if line.startswith("[by file"))
    assert sum(map(int, re.findall(r"[ +](\d+)(?=[,}\]])", by_file))) == 999
    for line in said[1:]:
        if match := re.match(r"\[(?:(\d+)x )?(.*?) @ ", line):
            assert int(match[1] or 1) == sum(one.endswith(f"1: {match[2]}") for one in lines)


def test_a_stream_is_added_up_as_a_text_in_memory() -> None:
    lines = [f"src/a{n % 500}.py:{n}:1: E{n % 7}01 message {n % 13} of {'abc'[n % 3]}" for n in range(60_000)]
    text = "\n".join(lines)
    survey = Survey()
    for at in range(0, len(text), 70_001):
        survey.feed(text[at : at + 70_001])
    streamed, whole = survey.close().digests[0], survey_of(text).digests[0]
    assert streamed.statements(8_000) == whole.statements(8_000)
    assert streamed.statements(8_000)[0].startswith("[60000 records below src/: 7 rules; 500 files]")


def test_a_view_of_a_checker_says_what_it_found_and_how_it_ended() -> None:
    lines = [f"src/pkg/m{n % 60}.py:{n}:1: E501 line too long ({80 + n % 30} > 79)" for n in range(900)]
    lines.insert(450, "src/pkg/odd.py:3:7: F821 undefined name 'widget'")
    text = "\n".join([*lines, "Found 901 errors."]) + "\n"
    view = Overspill().fit(text, strategy="smart", budget=2_000).text
    assert "[901 records below src/pkg/: 2 rules; 61 files]" in view
    assert "[F821 undefined name 'widget' @ odd.py:3:7]" in view
    assert "[900x ~E501 line too long (80 > 79) @ m0.py:0:1" in view
    assert "\nFound 901 errors." in view
    assert view.count("E501") <= 8  # told once, and shown where a line has what the statement has no room for


def test_what_is_asked_for_is_shown_although_the_overview_tells_it() -> None:
    lines = [f"src/pkg/m{n % 60}.py:{n}:1: E501 line too long ({80 + n % 30} > 79)" for n in range(900)]
    text = "\n".join(lines) + "\n"
    view = Overspill().fit(text, strategy="smart", budget=2_000, focus="m7.py:67:").text
    assert "\nsrc/pkg/m7.py:67:1: E501 line too long (87 > 79)\n" in view


def test_line_ends_of_two_characters_make_no_difference() -> None:
    lines = [f"src/m{n % 60}.py:{n}:1: E501 line too long ({80 + n % 30} > 79)\n    | x{n}" for n in range(300)]
    text = "\n".join(lines) + "\nFound 300 errors.\n"
    view = Overspill().fit(text.replace("\n", "\r\n"), strategy="smart", budget=2_000).text
    other = Overspill().fit(text, strategy="smart", budget=2_000).text
    assert view.splitlines()[:2] == other.splitlines()[:2]
    assert abs(view.count("E501") - other.count("E501")) <= 1  # each line end takes a character more of the room
    assert abs(view.count("    | x") - other.count("    | x")) <= 2  # each line end takes a character more


def test_records_of_columns_that_are_filled_with_blanks_are_all_counted() -> None:
    rows = [f"{f'Lid{number}':<8}type  {f'src/area{number % 3}/a{number}.ts:3:13':<22}" for number in range(60, 140)]
    assert {row.endswith(" ") for row in rows} == {True, False}
    assert "[80 records below src/" in seen("\n".join(rows) + "\n", 2_000).text


def test_memory_is_bounded_whatever_comes() -> None:
    """Distinct paths, rules and messages without end; twenty megabytes are the most that may be held."""
    collector = RecordCollector()
    tracemalloc.start()
    try:
        for block in range(12):
            collector.add(
                [
                    f"src/{'d' * 60}{n}/{block}.py:{n}:1: {'AB'[n % 2]}{block}{n} {'word ' * 20}{chr(97 + n % 26)} x{n}"
                    for n in range(4_000)
                ]
            )
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 20_000_000
    digest = collector.digest()
    assert digest is not None
    assert digest.statements(500)[0].startswith("[48000 records below src/")


def test_a_line_of_the_source_that_looks_like_a_statement_is_told_apart() -> None:
    forged = ("[7 records below src/: error 7]", "[12x E501 line too long @ a.py:3]", "[by rule: E501 7]")
    assert [is_look_alike(line) for line in (*forged, "[x86] ok", "[root@host ~]# ls", "[3/7] linking")] == (
        [True] * 3 + [False] * 3
    )


def test_what_stands_at_a_place_is_written_so_that_it_can_be_read_back() -> None:
    """Signs that part places are put in a JSON string; letters of any alphabet stay as they are."""
    kinds = ("\u2018a\u2019 {aka \u2018b\u2019}", "c; d", 'say "e, f" \\ g, h', "i")
    lines = [f"a.c:{n}:1: warning: conversion of {kind} may change the value [-Wc]" for n, kind in enumerate(kinds * 2)]
    said = collected(lines).statements(2_000)[1]
    lead = "[8x warning: conversion of * may change the value [-Wc] @ a.c:"
    parts = '0:1 "\u2018a\u2019 {aka \u2018b\u2019}", 1:1 "c; d", 2:1 "say \\"e, f\\" \\\\ g, h", 3:1 i, '
    assert said.startswith(lead + parts)


def test_warnings_among_many_other_lines_have_room_for_all_of_them() -> None:
    noise = [f"(./part{at}.aux) \\c@item{at}=\\count{at + 180}" for at in range(420)]
    for at in range(60):
        noise.insert(at * 8, f"LaTeX Warning: Citation `work{at}' on page {at + 5} undefined on input line {at + 3}.")
    text = "\n".join([*noise, "Output written.", ""])
    view = seen(text, 8_000).text
    assert {int(at) for at in re.findall(r"\bwork(\d+)\b", view)} == {*range(60)}
    assert "[60 records: LaTeX Warning 60]" in view


def test_a_part_with_an_open_quote_is_written_as_a_string() -> None:
    records = RecordCollector()
    records.add(
        [f"a.tex:{at}: warning: {('Label', 'Citation')[at % 2]} `x{at}' on page {at} undefined" for at in range(1, 9)]
    )
    digest = records.digest()
    assert digest is not None
    said = "\n".join(digest.statements(4_000))
    assert ':2 "Label `x2\' on page 2"' in said or "[4x ~warning: Label `x2' on page 2 undefined @" in said
    placed = [found for line in said.split("\n") if (found := read_places(line[1:-1]))]
    assert sum(len(one.places) + one.more for one in placed) == 8


def test_what_is_quoted_between_records_leaves_its_room_to_them() -> None:
    """A line of the source below each message is theirs: places come before it."""
    said = "".join(
        f"Warning {at % 4} in book/part-{at % 30}.tex line {at}: rule {NAMES[at % 4]} was not kept here.\n"
        f"The parcels of shelf {at} are kept in order, see {at * 7 % 113} and {at * 11 % 97}.\n\n"
        for at in range(120)
    )
    view = seen(said, 2_000).text
    assert len(re.findall(r"part-\d+\.tex:\d+", view)) >= 30
    assert view.count("The parcels of shelf") <= 4


def test_messages_too_wide_to_be_shown_are_told_by_how_they_begin() -> None:
    expected = ", ".join(f'"attribute-{at}"' for at in range(90))
    lines = [
        f"book/page{at}.html({at},8): error X-1{at % 2}: element {at % 2} has no place; {expected}" for at in range(40)
    ]
    text = "".join(f"{line}\n" for line in lines)
    view = seen(text, 2_000).text
    assert "[40 records below book/: error 40; 2 rules; 40 files]" in view
    assert "[20x error X-11: element 1 has no place; " in view
    assert not [*false_statements(text, view, "text")]


def test_a_message_whose_place_is_unknown_is_shown_though_it_stands_between_others() -> None:
    located = "".join(f"src/a.c:{at}:1: warning: odd thing {at}\n  turn(x{at});\n" for at in range(60))
    text = located + "Error: the plan of the quay is lost\n" + located.replace("a.c", "b.c")
    assert "the plan of the quay is lost" in seen(text, 2_000).text


def test_messages_of_a_text_that_names_no_file_and_no_level_are_counted_all_the_same() -> None:
    lines = [
        f'"{word}" is a weasel word on line {at + 3} at column {at % 60}'
        for at, word in enumerate(["vast", "many"] * 40)
    ]
    text = "".join(
        f"so {'very ' * (at % 7)}much of it\n   ^^^^\n{line}\n-------------\n" for at, line in enumerate(lines)
    )
    view = seen(text, 1_500).text
    assert "[80 records: 0 files named]" in view
    assert not [*false_statements(text, view, "text")]
