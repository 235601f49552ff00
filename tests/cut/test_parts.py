"""What several commands wrote is told command by command, each part with what it adds up to and what is odd in it."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from truth import false_statements

from overspill import MemoryStore, Overspill
from overspill.core.spans import Cut, Options, Room
from overspill.cut.ends import head_tail
from overspill.cut.smart import may_have_parts, parted_text
from overspill.cut.smart.parts import PartedText, parts_of_lines
from smart_views import seen

WORDS = ("pump", "valve", "gate", "silo", "crane", "barge", "anchor", "ledger", "parcel", "beacon", "harbor", "tariff")


def word(number: int) -> str:
    return WORDS[number * 7 % len(WORDS)]


def changed_files() -> str:
    paths = [f"src/{word(at)}/{word(at // 3 + 5)}_{word(at * at)}{at}.py" for at in range(90)]
    return "".join(f"{' D' if at == 23 else ' M'} {path}\n" for at, path in enumerate(paths))


def document(number: int = 30) -> str:
    states = ["failed" if at == 17 else "done" for at in range(number)]
    rows = [{"name": f"{word(at)}-{at}", "state": state, "took": at % 9} for at, state in enumerate(states)]
    return json.dumps({"page": 1, "jobs": rows}, indent=2) + "\n"


def log() -> str:
    lines = [
        f"2026-03-07T08:{at // 60:02}:{at % 60:02}Z INFO GET /{word(at)}/{at} took {at % 13} ms\n" for at in range(150)
    ]
    lines[80] = "2026-03-07T08:01:20Z ERROR cannot charge account 4471: card declined\n"
    return "".join(lines)


def disks() -> str:
    rows = [("udev", "3.9G", "0%", "/dev"), ("/dev/sdb1", "1.8T", "100%", "/srv/backup")]
    rows += [(f"/dev/sd{'cdefghijklm'[at]}1", f"{200 + at}G", f"{40 + at}%", f"/srv/{word(at)}") for at in range(11)]
    cells = "".join(f"{a:<16}{b:>6}  {c:>5}  {d}\n" for a, b, c, d in rows)
    return f"{'Filesystem':<16}{'Size':>6}  {'Use%':>5}  Mounted\n{cells}"


def objects() -> str:
    rows = [{"at": 1_772_870_400 + at, "level": "info", "msg": "served", "ms": at % 80} for at in range(60)]
    rows[33] |= {"level": "error", "msg": "upstream tariff-api refused"}
    return "".join(json.dumps(row) + "\n" for row in rows)


def report_of_tests() -> str:
    files = "".join(f"tests/test_{one}.py {'.' * 30}  [{at:3}%]\n" for at, one in enumerate(WORDS))
    failed = "____ test_refund ____\n\n    def test_refund():\n>       assert 2 == 1\nE       assert 2 == 1\n\n"
    return (
        f"===== test session starts =====\ncollected 480 items\n\n{files}\n===== FAILURES =====\n{failed}"
        "tests/test_silo.py:11: AssertionError\n===== short test summary info =====\n"
        "FAILED tests/test_silo.py::test_refund - assert 2 == 1\n===== 1 failed, 479 passed in 3.21s =====\n"
    )


# What each is, and what has to be told of it.
PARTS = {
    "git status --short": (changed_files(), "pump_ledger23.py"),
    "curl -s localhost/jobs": (document(), "tariff-17"),
    "tail app.log": (log(), "cannot charge account 4471"),
    "df -h": (disks(), "/srv/backup"),
    "docker logs web": (objects(), "upstream tariff-api refused"),
    "pytest": (report_of_tests(), "test_refund"),
}
LEAST_TOLD = 100  # characters in which a mark says how much is missing
HEADINGS = ("", "$ {}\n", "+ {}\n", "===== {} =====\n", "==> {} <==\n", "##[group]Run {}\n")


def compound(names: list[str], heading: str = "") -> str:
    return "".join(heading.format(name) + PARTS[name][0] for name in names)


@pytest.mark.parametrize("heading", HEADINGS)
@pytest.mark.parametrize("limit", [4_000, 5_000, 8_000])
def test_what_is_odd_in_each_part_is_told(limit: int, heading: str) -> None:
    text = compound([*PARTS], heading)
    view = seen(text, limit).text
    assert [fact for _, fact in PARTS.values() if fact not in view] == []
    assert false_statements(text, view) == []
    assert view.rstrip().endswith("479 passed in 3.21s =====")


def test_what_is_said_of_a_part_names_its_lines() -> None:
    text = compound(["git status --short", "tail app.log"])
    view = seen(text, 3_000).text
    scopes = re.findall(r"(?m)^\[lines (\d+)-(\d+):\]$", view)
    assert scopes == [("1", "90"), ("91", "240")]
    assert '[1 path after "D": src/barge/pump_ledger23.py]' in view


def test_a_count_of_a_part_that_is_said_of_another_is_found_to_be_false() -> None:
    text = compound(["git status --short", "tail app.log"])
    view = seen(text, 3_000).text
    assert false_statements(text, view) == []
    assert false_statements(text, view.replace("[lines 1-90:]", "[lines 91-240:]"))
    assert false_statements(text, view.replace("[lines 91-240:]", "[lines 91-200:]"))
    assert false_statements(text, view.replace("[lines 91-240:]", "[lines 91-9240:]"))


@pytest.mark.parametrize("name", PARTS)
def test_one_part_alone_is_no_compound(name: str) -> None:
    text = PARTS[name][0]
    assert parts_of_lines(text.splitlines()) == []
    assert parts_of_lines(("$ it\n" + text * 3).splitlines()) == []


def pods() -> str:
    rows = [
        (f"{word(at)}-{at:03x}", "1/1", "Running" if at != 21 else "CrashLoopBackOff", f"{at}d") for at in range(40)
    ]
    return "NAME            READY   STATUS             AGE\n" + "".join(
        f"{a:<16}{b:<8}{c:<19}{d}\n" for a, b, c, d in rows
    )


@pytest.mark.parametrize("heading", HEADINGS[1:])
def test_a_heading_between_two_tables_parts_them(heading: str) -> None:
    text = heading.format("df -h") + disks() + heading.format("kubectl get pods") + pods()
    found = parts_of_lines((text + heading.format("git status") + changed_files()).splitlines())
    assert [part.form for part in found] == ["table", "table", "word"]
    assert [part.head for part in found] == [1, 1, 1]


def test_titles_that_look_alike_part_texts_that_say_nothing_else_of_commands() -> None:
    built = "".join(f"building {word(at)} for the {at}. time\n" for at in range(20))
    text = f"=== build ===\n{built}=== test ===\n{report_of_tests()}=== disks ===\n{disks()}"
    assert [part.form for part in parts_of_lines(text.splitlines())] == ["text", "tests", "table"]


def test_how_tests_ended_is_no_heading_of_what_follows() -> None:
    text = report_of_tests() + log()
    first, second = parts_of_lines(text.splitlines())
    assert (first.after, second.head) == (text[: text.index("2026-")].count("\n"), 0)


@pytest.mark.parametrize("limit", [1_000, 1_500, 2_000, 4_000])
def test_rows_of_a_table_that_say_something_else_are_shown(limit: int) -> None:
    states = [f"Up {at % 9 + 2} hours (healthy)" for at in range(40)]
    states[21] = "Restarting (137) 4 sec ago"
    names = [f"{word(at)}-{at}" for at in range(40)]
    rows = zip(names, states, strict=True)
    text = f"{'CONTAINER ID':<16}{'STATUS':<30}NAMES\n" + "".join(
        f"{at * 7_919:012x}    {state:<30}{name}\n" for at, (name, state) in enumerate(rows)
    )
    view = seen(text, limit).text
    assert re.search(rf"(?m)^\w+ +Restarting \(137\) 4 sec ago +{names[21]}$", view)
    assert false_statements(text, view) == []


def test_what_one_tool_says_by_turns_is_one_text() -> None:
    turns = "".join(
        f"building {word(at)}\n" * 8 + f"src/{word(at)}.c:{at}:1: warning: it is unused\n" * 8 for at in range(20)
    )
    assert parts_of_lines(turns.splitlines()) == []


def test_a_report_of_tests_that_names_moments_is_one_text() -> None:
    names = [f"test_parse[{at:02}:10:00]" if at // 20 % 2 else f"test_is_{word(at)}_{at}" for at in range(99)]
    ran = "".join(f"tests/test_time.py::{name} PASSED\n" for name in names)
    assert (
        parts_of_lines(("===== test session starts =====\n" + ran + "===== 99 passed in 1.2s =====").split("\n")) == []
    )


def test_a_log_is_not_looked_at_twice() -> None:
    assert not may_have_parts(log())


def test_a_document_among_other_parts_is_told_with_them() -> None:
    """The lines around a document are shown as they are where they are few: these are not."""
    text = changed_files() + document(150) + log()
    view = Overspill(store=MemoryStore(), preset="agent").fit(text, tool="run", strategy="smart", budget=4_000).text
    assert PARTS["git status --short"][1] in view
    assert "cannot charge account 4471" in view
    assert "tariff-17" in view
    assert false_statements(text, view) == []


def test_lines_below_a_gutter_have_parts() -> None:
    """As a log of CI has, in which several steps ran."""
    bare = compound(["df -h", "docker logs web", "pytest"], "##[group]Run {}\n")
    text = "".join(
        f"build\tRun it\t2026-11-17T10:{at // 60:02}:{at % 60:02}.1234567Z {line}\n"
        for at, line in enumerate(bare.splitlines())
    )
    view = seen(text, 4_000).text
    assert re.search(r"(?m)^\[lines 17-76:\]$", view)
    assert "upstream tariff-api refused" in view
    assert false_statements(text, view) == []


def test_what_was_asked_for_is_looked_for_in_all_of_a_text() -> None:
    view = seen(compound([*PARTS]), 3_000, focus="took 12 ms").text
    assert view.count("took 12 ms") > 5


def test_lines_that_end_as_on_windows_have_parts() -> None:
    text = compound([*PARTS]).replace("\n", "\r\n")
    view = seen(text, 5_000).text
    assert "[lines 1-90:]" in view
    assert false_statements(text, view) == []


@given(
    names=st.lists(st.sampled_from([*PARTS]), min_size=1, max_size=6),
    heading=st.sampled_from(HEADINGS),
    limit=st.integers(1, 20_000),
    preset=st.sampled_from(["agent", "spec"]),
)
@settings(max_examples=60, deadline=None)
def test_any_parts_are_told_within_any_budget(names: list[str], heading: str, limit: int, preset: str) -> None:
    text = compound(names, heading)
    spill = Overspill(store=MemoryStore(), preset=preset)
    fitted = spill.fit(text, tool="run", strategy="smart", budget=limit)
    assert len(fitted.text) <= limit or fitted.text == text
    assert limit < LEAST_TOLD or false_statements(text, fitted.text) == []


@given(
    names=st.lists(st.sampled_from([*PARTS]), min_size=2, max_size=5, unique=True),
    heading=st.sampled_from(HEADINGS),
    width=st.integers(1, 5_000),
)
@settings(max_examples=20, deadline=None)
def test_a_stream_of_parts_looks_as_the_text_does(names: list[str], heading: str, width: int) -> None:
    text = compound(names, heading)
    pieces = [text[at : at + width] for at in range(0, len(text), width)]
    views = [
        Overspill(store=MemoryStore(), preset="agent").fit(source, tool="run", strategy="smart", budget=4_000).text
        for source in (text, iter(pieces))
    ]
    drawn = [re.sub(r"art_\w+", "art", view) for view in views]
    assert drawn[0] == drawn[1]


def test_a_text_that_is_held_in_parts_is_told_as_a_whole() -> None:
    text = compound([*PARTS])
    room = Room(4_000, 4_000, 40, limit=4_000)
    assert parted_text(text, room, Options()) is not None
    assert parted_text(text * 200, room, Options()) is None


def test_each_part_is_one_text_for_its_strategy_in_whatever_rooms_it_is_drawn() -> None:
    """A strategy knows by the text itself that it has looked at it before."""
    asked: list[str] = []

    def ends(text: str, room: Room, options: Options) -> Cut:
        asked.append(text)
        return head_tail(text, room, options)

    text = compound([*PARTS])
    lines = text.split("\n")[:-1]
    parts = PartedText(text, lines, parts_of_lines(lines), lambda: ends)
    for chars in (2_000, 3_000, 4_000):
        parts.cut(Room(chars, chars, 40, limit=chars), Options())
    assert len({id(one) for one in asked}) == len({*asked}) < len(asked)


def source(number: int) -> str:
    name = word(number)
    parts = [
        f"function {name}{at}(row) {{\n  const {name} = row.at({at});\n  return {name} + {at};\n}}\n"
        for at in range(30)
    ]
    return "'use strict';\n\n" + "\n".join(parts)


@pytest.mark.parametrize("title", ["src/{}.js:", "==> src/{}.js <==", "File: src/{}.js", "=== src/{}.js ==="])
def test_files_that_are_read_together_are_told_one_by_one(title: str) -> None:
    """What a tool server reads at once was taken for one source: the first file took all of the room."""
    rule = "\n---\n" if title.startswith(("src", "File")) else "\n"
    text = rule.join(f"{title.format(word(number))}\n{source(number)}" for number in range(4))
    view = seen(text, 5_000).text
    for number in range(4):
        assert title.format(word(number)) in view
        assert f"function {word(number)}" in view
    assert view.count("[lines ") == 4
    assert false_statements(text, view) == []


def test_paths_above_what_is_said_of_files_part_nothing() -> None:
    text = "\n".join(
        f"src/{word(n)}.js\n  {n}:1  error  No {word(n + 1)} here\n  {n}:9  error  No row\n" for n in range(11)
    )
    assert parts_of_lines(text.split("\n")) == []
