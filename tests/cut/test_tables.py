"""What `smart` says of tables and records in plain text, and which of their rows it shows."""

import csv
import io
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st
from truth import false_statements

from overspill.api import Overspill
from overspill.cut.digest.blocks import BlockDigest
from overspill.cut.digest.columns import Table
from overspill.cut.digest.counts import Family
from overspill.cut.digest.statements import table_statements
from overspill.cut.digest.tables import TableCollector, TableDigest, share_of
from overspill.store.memory import MemoryStore
from smart_views import seen


def processes(number: int) -> list[str]:
    """As `ps aux` writes them: numbers to the right, the last column free."""
    head = "USER       PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND"
    sizes = {77: 91_822_334}
    return [head] + [
        f"{'www' if n == 40 else 'root':<8} {n:>5} {n % 3:>2}.0  0.1 {sizes.get(n, 100 + n):>6} {n:>5} ?        "
        f"{'Z' if n == 12 else 'S':<4} 10:0{n % 6}   0:00 daemon --flag {n}"
        for n in range(1, number + 1)
    ]


def containers(number: int) -> list[str]:
    """As `docker ps` writes them: cells with blanks in them."""
    head = "CONTAINER ID   IMAGE         STATUS          NAMES"
    return [head] + [
        f"{n:012x}   {'web:1.2' if n % 2 else 'db:15':<14}{'Exited (1)' if n == 30 else 'Up 2 hours':<16}c{n}"
        for n in range(number)
    ]


def boxes(number: int) -> list[str]:
    """As `mysql` writes them."""
    rule = "+------+--------+-------+"
    rows = [f"| {n:>4} | {'locked' if n == 9 else 'open':<6} | {n % 4:>5} |" for n in range(number)]
    return [rule, "|   id | state  | shelf |", rule, *rows, rule]


def packages(number: int) -> list[str]:
    """As `dpkg -s` writes them."""
    return [
        line
        for n in range(number)
        for line in (
            f"Package: lib{n}",
            "Status: install ok installed",
            f"Priority: {'required' if n == 20 else 'optional'}",
            f"Installed-Size: {n * 3}",
            "Description: a library",
            " of which more is said",
            "",
        )
    ]


TABLES = {
    "ps": (processes(200), ["all: %MEM=0.1, TTY=?", "[USER: www, root 199]", "[STAT: Z, S 199]", "[PID: 1 .. 200]"]),
    "docker": (
        containers(80),
        ["[80 rows]", '[STATUS: "Exited (1)", "Up 2 hours" 79]', "[IMAGE: db:15 40, web:1.2 40]"],
    ),
    "mysql": (boxes(90), ["[90 rows]", "[state: locked, open 89]", "[id: 0 .. 89]"]),
    "dpkg": (packages(60), ['all: Status="install ok installed"', "[Priority: required, optional 59]"]),
}


def digest_of(lines: list[str], blocks: int = 1) -> TableDigest | BlockDigest:
    collector = TableCollector()
    step = -(-len(lines) // blocks)
    for at in range(0, len(lines), step):
        collector.add(lines[at : at + step])
    digest = collector.digest()
    assert digest is not None
    return digest


@pytest.mark.parametrize("name", TABLES)
def test_columns_of_tables_in_text_are_added_up(name: str) -> None:
    lines, expected = TABLES[name]
    said = "\n".join(digest_of(lines).statements(900))
    assert [words for words in expected if words not in said] == []


@pytest.mark.parametrize("name", TABLES)
def test_it_makes_no_difference_in_which_blocks_a_table_comes(name: str) -> None:
    lines, _ = TABLES[name]
    assert digest_of(lines).statements(900) == digest_of(lines, 2).statements(900)


@pytest.mark.parametrize(
    ("name", "odd"), [("ps", " www "), ("ps", "91822334"), ("docker", "Exited (1)"), ("mysql", "locked")]
)
def test_the_row_that_is_not_like_the_others_is_shown(name: str, odd: str) -> None:
    lines, _ = TABLES[name]
    row = next(line for line in lines if odd in line or line.startswith(odd.strip()))
    many = [*lines[:60], *(line for line in lines[20:60] if line != row), *lines[60:]]
    many[50:50] = [line for line in lines[20:60] if line != row] * 20
    seen = Overspill(store=MemoryStore(), preset="agent").fit("\n".join(many), strategy="smart", budget=2_500).text
    assert row in seen.splitlines()


def test_a_row_like_all_others_need_not_be_shown() -> None:
    lines, _ = TABLES["ps"]
    digest = digest_of(lines)
    assert digest.tells(lines[100])
    assert not digest.tells(lines[12])
    assert not digest.tells("some other line")


@pytest.mark.parametrize(
    "text",
    [
        "It was a dark night, and it rained.\nNobody came, nobody went.\n" * 40,
        "def f(a, b):\n    return a\n\n\nclass B:\n    x = 1\n    y = 2\n" * 20,
        "- first thing\n- second thing, too\n- third\n\n## head\n" * 30,
        "error: something\nwarning: another\n  --> src/x.rs:3\n" * 30,
    ],
)
def test_what_is_no_table_is_not_taken_for_one(text: str) -> None:
    assert share_of(text.split("\n")) < 0.7


cells = st.sampled_from(["ok", "failed", "a b", 'say "x"', "1,5", "é", "x;y"])


@given(rows=st.lists(st.tuples(cells, st.integers(-999, 9_999), cells), min_size=8, max_size=80))
def test_what_is_said_of_csv_can_be_counted_again(rows: list[tuple[str, int, str]]) -> None:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerows([("n", "state", "size", "kind"), *((n, *row) for n, row in enumerate(rows))])
    digest = digest_of(file.getvalue().removesuffix("\n").split("\n"))
    said = digest.statements(3_000)
    assert said[0].startswith(f"[{len(rows)} rows")
    sizes = [size for _, size, _ in rows]
    middle = median(sizes)
    spelled = str(int(middle)) if middle == int(middle) else str(middle)
    for words in said:
        if words.startswith("[size: ") and " .. " in words:
            assert words.startswith(f"[size: {min(sizes)} .. {max(sizes)}")
            assert ", median " not in words or words.endswith(f", median {spelled}]")
        if words.startswith("[state: ") and "+" not in words:
            for state, count in Counter(state for state, _, _ in rows).items():
                assert state.replace('"', '\\"') in words
                assert count == 1 or f" {count}" in words


def test_a_small_room_tells_less_and_never_more_than_it_holds() -> None:
    digest = digest_of(TABLES["ps"][0])
    told = [digest.statements(room) for room in (100, 300, 1_000, 5_000)]
    for room, said in zip((100, 300, 1_000, 5_000), told, strict=True):
        assert sum(len(words) + 1 for words in said) <= room
    assert len(told[0]) <= len(told[1]) <= len(told[2]) <= len(told[3])


def drawn(number: int) -> list[str]:
    """As `sqlite3 -box` writes them."""
    rows = [f"\u2502 {n:>4} \u2502 {'locked' if n == 9 else 'open':<6} \u2502 {n % 4:>5} \u2502" for n in range(number)]
    rule = "\u251c" + "\u2500" * 24 + "\u2524"
    return [rule, "\u2502   id \u2502 state  \u2502 shelf \u2502", rule, *rows, rule]


def columned(number: int) -> list[str]:
    """As `sqlite3 -column` writes them: a rule below the names, as wide as each column."""
    rows = [f"{n:<4}  {'locked' if n == 9 else 'open':<6}  {n % 4:<7}  x" for n in range(number)]
    return ["id    state   shelf    end", "----  ------  -------  ---", *rows]


@pytest.mark.parametrize("make", [drawn, columned])
def test_the_names_of_columns_are_no_row_and_no_rule(make: Callable[[int], list[str]]) -> None:
    collector = TableCollector()
    collector.add(make(60))
    digest = collector.digest()
    assert digest is not None
    said = digest.statements(2_000)
    assert said[0].startswith("[60 rows")
    assert "[state: locked, open 59]" in said


def test_the_last_of_several_records_is_counted() -> None:
    lines = [line for at in range(9) for line in (f"Name: part {at}", f"Size: {at} kB", "Kind: plain", "")][:-1]
    assert digest_of(lines).statements(300)[0].startswith("[9 rows; all: Kind=plain")


def covered(number: int) -> list[str]:
    """As tools write what tests cover: some words first, a name and numbers, a sum below a drawn line."""
    rule = "-" * 60
    rows = [
        f"{f'part_{n}.c':<30} {n * 7 % 90 + 5:>6} {0 if n == 9 else 100 if n % 3 else 40 + n:>6}%"
        for n in range(number)
    ]
    head = f"{'File':<30} {'Lines':>6} {'Cover':>7}"
    return ["reading data...", "writing the report...", rule, "A Report of What Ran", rule, head, rule, *rows, rule]


def test_rows_with_names_are_told_with_what_differs() -> None:
    """19: numbers with the furthest rows; coverage tables."""
    said = digest_of(covered(60)).statements(3_000)
    assert said[0] == "[60 rows]"
    (told,) = (words for words in said if words.startswith("[File with Cover: "))
    assert told.startswith("[File with Cover: part_9.c 0%, part_0.c 40%, part_3.c 43%, ")
    assert told.endswith(", +40]")  # those that are covered as usual
    text = "\n".join(covered(60)) + "\n"
    for room in (500, 1_000, 2_000):
        view = Overspill(store=MemoryStore(), preset="agent").fit(text, strategy="smart", budget=room).text
        assert false_statements(text, view) == []


def test_sums_are_no_names_and_the_largest_come_first() -> None:
    rows = [
        f"{(n * 37 % 100) ** 2:>8}  Defl:N  {n * 7919 % 65521:08x}  src/{'abc'[n % 3]}/file_{n}.py" for n in range(100)
    ]
    said = digest_of([" Length   Method  CRC-32    Name", *rows]).statements(2_000)
    assert any(words.startswith("[Name with Length: src/a/file_27.py 9801, ") for words in said)
    assert not any(words.startswith("[CRC-32 with ") for words in said)


def test_every_directory_of_names_is_told_before_the_second_name_of_any() -> None:
    rows = [f"{n:>5}  blue  lib/{'abcdefghij'[n % 10] * 5}/file_number_{n}.py" for n in range(300)]
    (told,) = (
        words for words in digest_of(["SIZE   KIND  NAME", *rows]).statements(700) if words.startswith("[NAME: ")
    )
    assert all(f"{letter * 5}/" in told for letter in "abcdefghij")


def test_a_row_is_shown_for_what_its_cells_say_together() -> None:
    """19: rows with rare values whole, also where each of their values is told in a list."""
    states = ["LISTEN" if n in (3, 90) else "ESTAB" for n in range(300)]
    rows = [f"{state:<8} {0:>5}  10.0.0.1:{40_000 + n:<6}  peer-{n * 7 % 199}" for n, state in enumerate(states)]
    text = "\n".join(["State    Recv-Q  Local Address    Peer", *rows]) + "\n"
    shown = Overspill(store=MemoryStore(), preset="agent").fit(text, strategy="smart", budget=8_000).text
    assert {rows[3], rows[90]} <= set(shown.split("\n"))


def duck(names: tuple[str, str, str], number: int) -> list[str]:
    """As `duckdb` writes them: a line of types stands below the names, and the number of rows below the rows."""
    cells = [names, ("int64", "varchar", "varchar"), *((f"{n}", f"s-{n % 4}", f"{n}x") for n in range(number))]
    rows = ["\u2502".join(["", *(f" {cell:<9} " for cell in row), ""]) for row in cells]
    rules = [
        left + middle.join(["\u2500" * 11] * 3) + right
        for left, middle, right in ("\u250c\u252c\u2510", "\u251c\u253c\u2524", "\u2514\u2534\u2518")
    ]
    return [rules[0], *rows[:2], rules[1], *rows[2:], rules[2], ""]


@pytest.mark.parametrize("blocks", [1, 2, 3, 7])
def test_headings_of_drawn_tables_are_no_rows(blocks: int) -> None:
    """Neither a line of types nor the heading of a second table is a row, wherever the text is cut into blocks."""
    lines = [line for _ in range(6) for line in duck(("id", "shelf", "code"), 10)]
    said = digest_of(lines, blocks).statements(2_000)
    assert said[0].startswith("[60 rows")
    assert "[shelf: s-2 12, s-3 12, s-0 18, s-1 18]" in said


def test_columns_of_tables_with_different_names_go_by_numbers() -> None:
    said = digest_of(duck(("id", "shelf", "code"), 20) + duck(("key", "place", "sign"), 30)).statements(2_000)
    assert said[0].startswith("[50 rows")
    assert not any("shelf" in words or "varchar" in words for words in said)
    assert any(words.startswith("[column 2: ") for words in said)


def test_drawn_tables_without_headings_have_rows_only() -> None:
    rows = [f"| {n:>4} | {'open' if n % 3 else 'shut'} | {n % 4} |" for n in range(40)]
    said = digest_of(["+------+------+---+", *rows, "+------+------+---+"]).statements(2_000)
    assert said[0].startswith("[40 rows")


def letters(number: int) -> list[tuple[str, str, str, str]]:
    """Rows of which some have a cell of several lines: with commas, quotes, a blank line, and two such cells in one."""
    notes = {3: "first line\nsecond, with a comma\n\nlast", 11: 'said "no",\nand left', 20: "one\ntwo"}
    return [
        (f"{n}", "lost" if n == 20 else "sent", notes.get(n, "fine"), "x\ny" if n == 20 else f"{n % 3}")
        for n in range(number)
    ]


def written(rows: list[tuple[str, str, str, str]], separator: str = ",") -> list[str]:
    file = io.StringIO()
    csv.writer(file, delimiter=separator, lineterminator="\n").writerows([("id", "state", "note", "shelf"), *rows])
    return file.getvalue().removesuffix("\n").split("\n")


def digest_in_steps(lines: list[str], first: int, step: int) -> TableDigest | BlockDigest:
    """Of lines that come in blocks: by the first the layout is found, the others are of any size."""
    collector = TableCollector()
    for start, end in pairwise([0, *range(first, len(lines), step), len(lines)]):
        collector.add(lines[start:end])
    digest = collector.digest()
    assert digest is not None
    return digest


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("step", [1, 2, 5, 90])
def test_a_cell_of_several_lines_is_one_cell_of_one_row(separator: str, step: int) -> None:
    """A count of rows is one of rows, not of lines, wherever the text is cut into blocks."""
    said = digest_in_steps(written(letters(60), separator), 16, step).statements(4_000)
    assert said[0].startswith("[60 rows")
    assert "[state: lost, sent 59]" in said
    assert "[id: 0 .. 59]" in said
    assert any(words.startswith("[shelf: ") and '"x\\ny"' in words for words in said)


def test_a_table_in_which_most_rows_have_several_lines_is_one() -> None:
    rows = [(f"{n}", "sent", f"line one of {n}\nline two", f"{n % 3}") for n in range(50)]
    said = digest_of(written(rows), 3).statements(4_000)
    assert said[0].startswith("[50 rows; all: state=sent")


def test_a_quote_that_is_never_closed_begins_no_cell_of_several_lines() -> None:
    """An inch mark, or a word in quotes in a text that does not quote its cells, is part of its line."""
    lines = ["id\tsize\tnote", *(f"{n}\t{n % 7}\t{chr(34) if n in (5, 30) else ''}wide" for n in range(60))]
    said = digest_of(lines, 2).statements(4_000)
    assert said[0].startswith("[60 rows")


@given(
    rows=st.lists(
        st.tuples(cells | st.sampled_from(["a\nb", 'x\n"y",z\n', "\n"]), st.integers(0, 99), cells),
        min_size=8,
        max_size=60,
    ),
    step=st.integers(1, 9),
)
def test_rows_of_several_lines_can_be_counted_again(rows: list[tuple[str, int, str]], step: int) -> None:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerows([("n", "state", "size", "kind"), *((f"r{n}", *row) for n, row in enumerate(rows))])
    text = file.getvalue()
    lines = text.removesuffix("\n").split("\n")
    said = digest_in_steps(lines, len(lines) * 2 // 3, step).statements(3_000)
    assert said[0].startswith(f"[{len(rows)} rows")


def test_names_of_two_words_name_the_rows() -> None:
    """A column that is another short text in every row is told, also where some have a blank in them."""
    table = Table()
    names = ["Alabama", "New Jersey", "North Dakota", "Ohio", "Rhode Island", "Texas", "Utah", "West Virginia", "Iowa"]
    table.add([{"id": at * 3, "name": name} for at, name in enumerate(names)], range(len(names)))
    spelled = ", ".join(f'"{one}"' if " " in one else one for one in names)
    assert table_statements(table, 300)[1] == f"[name: {spelled}]"


def test_the_middle_of_numbers_is_not_told_where_codes_stand_among_them() -> None:
    """`00` and `01` are told as they are written, as codes; who counts them as numbers finds another middle."""
    numbers = [f"0{n}" if n % 8 == 3 else str(n * 7 % 50 + 10) for n in range(49)]
    lines = ["id,slot,state", *(f"r{n},{slot},{'odd' if n == 30 else 'fine'}" for n, slot in enumerate(numbers))]
    said = digest_of(lines).statements(2_000)
    assert any(words.startswith("[slot: ") for words in said)
    assert not any("median" in words for words in said)


def test_names_between_two_rules_are_those_of_the_columns_whatever_stands_above() -> None:
    rule = "-" * 60
    rows = [f"Pack{n}/{n * 4:<20} {n * 7 + 10:>10} ns {n * 9 + 20:>10} ns {n * 100:>10}" for n in range(40)]
    head = f"{'Benchmark':<24} {'Time':>13} {'CPU':>13} {'Iterations':>10}"
    above = [f"  L{n} Unified 32 KiB" for n in range(8)]
    said = digest_of(
        [*above, "CPU: two of them", "*** WARNING *** Timings may be affected.", rule, head, rule, *rows]
    ).statements(3_000)
    assert said[0].startswith("[40 rows")
    assert not any("affected" in words for words in said)


def test_several_tables_below_titles_are_not_told_as_one() -> None:
    """What stands between them is no row, and what is said of rows holds for all of the text."""
    rows = "".join(f"{at:6} {at * 7:9} {at / 8:9.1f}  self.step({at})\n" for at in range(40))
    part = (
        "Total time: {0} s\nFile: a.py\nFunction: f{0} at line {0}\n\nLine #      Hits      Time  Line Contents\n"
        + "=" * 60
    )
    text = "".join(f"{part.format(number)}\n{rows}\n" for number in range(9))
    view = seen(text, 3_000).text
    assert " rows" not in view
    assert "f8 at line 8" in view


def test_a_ranking_below_a_drawn_line_is_shown_from_its_top() -> None:
    """Also where its numbers have commas, and far more lines follow."""
    ranking = "".join(f"{1_900_000 // (at + 1):>9,}  src/part.c:work_{at}\n" for at in range(30))
    source = "".join(f"        .      int value_{at} = other_{at * 3};\n" for at in range(4_000))
    view = seen(f"Ir         file:function\n{'-' * 60}\n{ranking}\n{source}", 4_000).text
    assert all(f"src/part.c:work_{at}\n" in view for at in range(20))
    assert "file:function" in view


def test_times_and_shares_are_no_names_of_columns() -> None:
    """A row is not taken for the names of those below it, whatever is written behind its numbers."""
    rows = "".join(f"{at}ms {at % 7}.5% {at}.25% {at * 3}ms {at % 9}.1% main.work_{at}\n" for at in range(20, 90))
    assert "[20ms: " not in seen(f"Duration: 613ms\nShowing all of it\n\n{rows}", 2_000).text


def test_rows_that_are_not_as_usual_are_named_with_what_they_are() -> None:
    """`kubectl get pods`: three of sixty do not run; which, and why, before all that run."""
    state = {7: "Pending", 31: "CrashLoopBackOff", 44: "Pending"}
    names = [f"web-{chr(97 + at % 26)}{at * 7919 % 9973}x" for at in range(60)]
    rows = [
        f"{name:<14}{'01'[at not in state]}/1    {state.get(at, 'Running'):<18}{at % 40}d"
        for at, name in enumerate(names)
    ]
    text = "\n".join(["NAME          READY  STATUS            AGE", *rows, ""])
    view = seen(text, 1_300).text
    assert "with STATUS: " in view
    assert all(f"{names[at]} {what}" in view for at, what in state.items())
    assert "[STATUS: CrashLoopBackOff, Pending 2, Running 57]" in view
    assert "with AGE" not in view
    assert not [*false_statements(text, view, "text")]


def test_the_heading_of_a_further_table_is_no_row() -> None:
    """19: sheets of a workbook, one below the other, whose columns are called nearly the same."""
    sheets = [
        ("Parcels", "id,zone,weight,note", 90),
        ("Doors", "id,zone,size,note", 60),
        ("Lids", "id,zone,age,note", 50),
    ]
    text = "".join(
        f"-------- {name}\n{heading}\n"
        + "".join(f"{at},{'eu' if at % 3 else 'us'},{at * 37 % 91},plain\n" for at in range(rows))
        for name, heading, rows in sheets
    )
    view = seen(text, 1_200).text
    assert "[200 rows" in view
    assert "note: note" not in view
    assert [*false_statements(text, view)] == []


def test_what_tells_of_trouble_comes_in_the_order_of_its_rows_in_every_process() -> None:
    kinds = [f"failed-{letter}" for letter in "hgfedcba"]
    table = Table(family=Family(lambda _, values: {*values}))
    table.add([{"name": f"pod-{at}", "state": kind} for at, kind in enumerate(kinds)], range(len(kinds)))
    assert [value for name, value in table.troubles if name == "state"] == kinds


def test_days_are_no_versions_and_the_largest_come_first_where_some_rows_have_no_number() -> None:
    """19: of rows with names it is said how much they are, not on which day each was weighed."""
    rows = [f"P-{at * 7919 % 9973:04},{2026}-0{at % 9 + 1}-{at % 28 + 1:02},{at * 37 % 911}.5" for at in range(300)]
    text = "\n".join(["parcel,weighed,grams", *rows, "total,NaT,NaN", ""])
    view = seen(text, 3_000).text
    assert "[parcel with weighed" not in view
    assert f"[parcel with grams: P-{max(range(300), key=lambda at: at * 37 % 911) * 7919 % 9973:04} " in view
    assert not [*false_statements(text, view, "text")]


def test_columns_are_as_wide_as_they_are_drawn_below_their_names() -> None:
    """Columns parted by one blank, some of them empty, were one."""
    row = "{:3} P  00000000 {} {} {} {:10} {:7} 2030-01-01 {:24} {:>4}"
    places, tags = ("oven", "mill.north", "mill.south", "shop"), ("day", "nightly")
    marks = [("*" if at == 71 else " ", " D"[at % 33 == 16], " H"[at % 21 == 8]) for at in range(150)]
    named = [(places[at % 4], tags[at % 7 == 3], f"knead batch {at}", 15.6 if at == 40 else 5.96) for at in range(150)]
    rows = [row.format(at, *marks[at], *named[at]) for at in range(150)]
    head = [
        "ID  St UUID     A D P Project    Tags    Due        Description              Urg",
        "--- -- -------- - - - ---------- ------- ---------- ------------------------ ----",
    ]
    behind = ["150 tasks", "Project Tasks", "------- -----", "mill       75", "  south    37", "  north    38"]
    behind += ["oven       38", "shop       37", "5 projects (150 tasks)", "Tag     Count", "------- -----"]
    text = "\n".join([*head, *rows, *behind, "day       134", "nightly    15", "", "2 tags", "(150 tasks)"])
    view = seen(text, 3_000).text
    assert "[150 rows; all: St=P, UUID=00000000, " in view
    assert "[A: *, " in view


def test_a_version_beside_numbers_is_counted_with_them() -> None:
    """`1.30` is no number as it is written: an end or a middle without it would be false."""
    versions = ["1.30", *(f"1.{at}" for at in (11, 122, 145, 191, 196, 214, 233, 237, 53, 7, 76, 85))]
    rows = "".join(f" - package: loaf{at}\n   version: {one}\n   state: broken\n" for at, one in enumerate(versions))
    text = "report:\n" + rows * 9
    assert "median" not in seen(text, 1_200).text


@pytest.mark.parametrize("services", [("web-1", "worker-1", "db-1"), ("api", "cache")])
def test_services_that_log_by_turns_are_no_records(services: tuple[str, ...]) -> None:
    """`docker compose logs` was told as records of as many fields as there are services, each line a value."""
    says = ("GET /lids/{} 200", "lid {} is shut", "checkpoint complete: wrote {} buffers")
    turns = [at * at * 31 % 97 % len(services) for at in range(600)]
    lines = [f"{services[one]:<9}| INFO {says[one].format(at * 7919)}" for at, one in enumerate(turns)]
    lines[300] = f"{services[1]:<9}| ERROR lid 7 fell off"
    shown = Overspill(store=MemoryStore(), preset="agent").fit("\n".join(lines), budget=1_500).text
    assert "ERROR lid 7 fell off" in shown
    assert f"[{turns.count(0) - (turns[300] == 0)}x ~{services[0]} | INFO GET" in shown
    assert " rows]" not in shown
