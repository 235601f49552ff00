"""Lines of a key and a value: records and settings are told by their keys, and what is none is not taken for one."""

import random

import pytest
from truth import false_statements

from overspill import MemoryStore, Overspill
from overspill.cut.digest.tables import TableCollector, layout_of, share_of

RECORDS = [
    line
    for at in range(60)
    for line in (
        f"Package: lib{at}",
        "Status: install ok installed",
        f"Section: {'admin' if at == 7 else 'libs'}",
        f"Installed-Size: {at * 3} kB",
        "Description: a library",
        " that says more about: itself",
        " in further lines",
        "",
    )
]
SETTINGS = [f"net.ipv4.conf.{'abcdef'[at % 6]}.rule_{at} = {at % 5}" for at in range(300)] + ["vm.swappiness = 60"]
EXPANDED = [
    line
    for at in range(50)
    for line in (
        f"-[ RECORD {at + 1} ]---+-----------------",
        f"name            | setting_{at}",
        f"context         | {'postmaster' if at == 9 else 'user'}",
        "unit            | ",
    )
]


def said_of(lines: list[str], room: int = 3_000) -> tuple[str, ...]:
    collector = TableCollector()
    collector.add(lines)
    digest = collector.digest()
    return digest.statements(room) if digest is not None else ()


def view_of(text: str, room: int = 4_000) -> str:
    return Overspill(store=MemoryStore(), preset="agent").fit(text, strategy="smart", budget=room).text


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (RECORDS, '[60 rows; all: Status="install ok installed", Description="a library"]'),
        (RECORDS, "[Section: admin, libs 59]"),
        (RECORDS, '[Installed-Size: "0 kB" .. "177 kB"]'),
        (EXPANDED, '[50 rows; all: unit=""]'),
        (EXPANDED, "[context: postmaster, user 49]"),
    ],
)
def test_records_of_keys_and_values_are_told_as_rows(lines: list[str], words: str) -> None:
    """19: key-value blocks."""
    assert words in said_of(lines)


def test_all_settings_are_told_with_their_values_by_what_their_keys_begin_with() -> None:
    """19: one long block of keys."""
    (words,) = said_of(SETTINGS, 20_000)
    assert words.startswith("[301 fields: net.ipv4.conf.a.{rule_0=0, rule_6=1, ")
    assert words.endswith(", vm.swappiness=60]")
    short, values = said_of(SETTINGS, 600)
    assert len(short) + len(values) + 2 <= 600
    assert values == "[values: 60, {0..4} 60 each]"
    assert "net.ipv4.conf.f.{rule_5=0, " in short


def test_a_setting_that_differs_from_those_called_like_it_is_shown() -> None:
    """19: the odd one out of many settings with the same names; those that have no like are named first."""
    rules = ("accept_local", "arp_filter", "forwarding", "log_martians", "mtu", "proxy_arp", "rp_filter", "tag")
    lines = [f"net.conf.port{port}.{rule} = {len(rule)}" for port in range(60) for rule in rules]
    lines[300] = "net.conf.port37.mtu = 1400"
    lines += [f"vm.{rules[at % 8]}_{at} = {at}" for at in range(40)]
    text = "\n".join(sorted(lines)) + "\n"
    view = view_of(text, 3_000)
    assert "\nnet.conf.port37.mtu = 1400\n" in view
    assert all(f"{rules[at % 8]}_{at}={at}" in view for at in range(40))
    assert all(f"{rule}={len(rule)}" in view for rule in rules)
    assert view.count("accept_local=12") < 30
    assert false_statements(text, view) == []


def test_entries_of_a_directory_are_records_whatever_remarks_stand_between_them() -> None:
    """19: LDIF; what names an entry is the first field of it, and what its name says is not said beside it again."""
    lines = [
        line
        for at in range(60)
        for line in (
            f"# person{at}, example.org",
            f"dn: uid=person{at},dc=example,dc=org",
            f"uid: person{at}",
            f"employeeType: {'retired' if at == 31 else 'clerk'}",
            f"description:: aGVsbG8{'abc'[at % 3]}",
            "",
        )
    ]
    said = said_of(lines)
    assert said[0] == "[60 rows]"
    assert said[1].startswith('[dn: "uid=person0,dc=example,dc=org", ')
    assert "[employeeType: retired, clerk 59]" in said
    assert not any(words.startswith("[dn with uid: ") for words in said)
    view = view_of("\n".join(lines) + "\n")
    assert "employeeType: retired" in view
    assert false_statements("\n".join(lines) + "\n", view) == []


@pytest.mark.parametrize("sign", [" =", ":"])
@pytest.mark.parametrize("row", ["", "*************************** {0}. row ***************************"])
def test_keys_may_be_indented_up_to_the_sign_behind_them(sign: str, row: str) -> None:
    """19: what `sqlite3 -line` and `mysql -E` print."""
    lines = [
        line
        for at in range(80)
        for line in (
            row.format(at),
            f"   id{sign} {at}",
            f" name{sign} item-{at}",
            f"state{sign} {'bad' if at == 7 else 'ok'}",
        )
    ]
    said = said_of(lines)
    assert said[0] == "[80 rows]"
    assert "[state: bad, ok 79]" in said
    view = view_of("\n".join(lines) + "\n", 1_500)
    assert f"state{sign} bad" in view
    assert false_statements("\n".join(lines) + "\n", view) == []


def test_bytes_shown_by_their_numbers_are_no_table() -> None:
    lines = [
        f"{at * 16:08x}  " + " ".join(f"{at * 37 % 251 + k:02x}" for k in range(16)) + "  |abc|" for at in range(99)
    ]
    assert said_of(lines) == ()


def test_a_key_that_a_record_has_twice_is_not_said_to_be_the_same_in_all() -> None:
    lines = [line for at in range(9) for line in (f"Name: n{at}", "Tag: x", *(["Tag: x"] if at else []), "Kind: k")]
    assert said_of(lines)[0] == "[9 rows; all: Kind=k]"
    assert "[Tag: x 17]" in said_of(lines)


@pytest.mark.parametrize(
    "lines",
    [
        [f"{random.Random(at).choice(('worker', 'master', 'cache', 'disk', 'net'))}: saw {at}" for at in range(200)],
        [line for at in range(60) for line in (f"notice: step {at} of 60", f"took {at} ms, nothing else to say", "")],
        ["Name: a", "Size: 3", "Kind: b", ""] * 40
        + ["what follows is a log", "and nothing like the first lines"] * 400,
    ],
)
def test_a_log_is_not_taken_for_records(lines: list[str]) -> None:
    """19: a false statement is a defect of the first rank."""
    assert not any(" rows" in words for words in said_of(lines))


@pytest.mark.parametrize("lines", [RECORDS, SETTINGS, EXPANDED])
@pytest.mark.parametrize("room", [700, 2_000, 4_000])
def test_what_is_said_of_fields_can_be_counted_again(lines: list[str], room: int) -> None:
    text = "\n".join(lines) + "\n"
    assert false_statements(text, view_of(text, room)) == []


def test_a_field_that_is_odd_is_shown_with_the_field_that_begins_its_record() -> None:
    shown = view_of("\n".join(RECORDS), 2_500).split("\n")
    assert "Section: admin" in shown
    assert "Package: lib7" in shown


WRAPPED = ["Idx Name     Size    File off  Algn"] + [
    line
    for at in range(30)
    for line in (f"{at:>3} .part{at:<3} {at:06x}  {at * 9:08x}  2**{at % 3}", "              ALLOC, LOAD, DATA")
]


def test_lines_below_a_row_that_go_on_with_it_are_no_rows() -> None:
    """19: tables with wrapped cells."""
    said = said_of(WRAPPED)
    assert said[0] == "[30 rows]"
    assert "[Algn: 2**0 10, 2**1 10, 2**2 10]" in said
    assert "[Size: 000000 .. 00001d]" in said
    text = "\n".join(WRAPPED) + "\n"
    assert false_statements(text, view_of(text, 900)) == []


HOLDERS = ["COMMAND     PID   TID TASKCMD   USER   FD"] + [
    f"process_a     1 {at + 40 if at > 200 else '':>5} {'worker-rt' if at > 200 else '':<9} root {at % 99:>4}"
    for at in range(500)
]


def test_a_column_that_is_empty_at_first_is_a_column() -> None:
    said = said_of(HOLDERS)
    assert said[0] == "[500 rows; all: COMMAND=process_a, PID=1, USER=root]"
    assert '[TASKCMD: "" 201, worker-rt 299]' in said


def test_a_table_that_turns_into_something_else_is_not_counted() -> None:
    rows = [f"name{at}  {at:>5}  open" for at in range(300)]
    assert said_of(["NAME    SIZE  STATE", *rows, *("somethingelseentirely" for _ in range(900))]) == ()


def test_a_list_of_settings_counts_as_one() -> None:
    assert share_of(SETTINGS) > 0.9
    assert getattr(layout_of(SETTINGS)[0], "first", None) == ""
