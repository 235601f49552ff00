"""What another program puts before every line hides nothing of what the lines say: logs of CI, services, blame."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from truth import false_statements

from overspill.cut.smart.gutters import graph_in, gutter_in
from smart_views import seen

FAILURES = "".join(
    f"____ test_{word} ____\n\n    def test_{word}():\n>       assert {number} == 2\nE       assert {number} == 2\n\n"
    f"tests/test_shop.py:{number + 10}: AssertionError\n"
    for number, word in enumerate(["order", "price", "stock", "basket"], 3)
)
PASSED = "".join(
    f"tests/test_part_{number}.py ........................... [ {number % 100:2}%]\n" for number in range(150)
)
SUMMARY = "".join(
    f"FAILED tests/test_shop.py::test_{word} - assert {number} == 2\n"
    for number, word in enumerate(["order", "price", "stock", "basket"], 3)
)
REPORT = (
    f"{PASSED}\n==== FAILURES ====\n{FAILURES}==== short test summary info ====\n{SUMMARY}"
    "==== 4 failed, 600 passed in 3.1s ====\n"
)


def clock(number: int) -> str:
    return f"{10 + number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}"


GUTTERS = {
    "a job of CI": lambda n, line: f"build\tRun tests\t2026-11-17T{clock(n)}.{n * 7919 % 10**7:07}Z {line}",
    "a moment": lambda n, line: f"2026-11-17T{clock(n)}.{n % 1000:03}Z {line}",
    "a moment in brackets": lambda n, line: f"[2026-11-17T{clock(n)}.{n % 1000:03}Z] {line}",
    "a service": lambda n, line: f"worker-1  | {line}",
    "services in turns": lambda n, line: f"{'web-1   ' if n // 40 % 2 else 'worker-1'}  | {line}",
    "a pod": lambda n, line: f"[pod/runner-7f9c/main] {line}",
    "a step of a build": lambda n, line: f"#12 {n * 0.137:.3f} {line}",
    "a task of a package": lambda n, line: f"@acme/core:test: {line}",
    "a journal": lambda n, line: f"Nov 17 {clock(n)} ci-7 runner[4711]: {line}",
    "numbers": lambda n, line: f"{n + 1:6}\t{line}",
}


def before_lines(way: str, text: str) -> str:
    return "".join(GUTTERS[way](number, line) + "\n" for number, line in enumerate(text.splitlines()))


@pytest.mark.parametrize("way", GUTTERS)
def test_failed_tests_are_named_whatever_stands_before_the_lines(way: str) -> None:
    view = seen(before_lines(way, REPORT), 3_000).text
    assert "[4 failed tests:" in view or all(f"test_{word}" in view for word in ("order", "price", "stock", "basket"))
    assert "4 failed, 600 passed" in view


@pytest.mark.parametrize("way", GUTTERS)
@pytest.mark.parametrize("limit", [300, 1_000, 4_000])
def test_lines_are_shown_as_they_are(way: str, limit: int) -> None:
    text = before_lines(way, REPORT)
    view = seen(text, limit)
    assert len(view.text) <= limit
    assert "".join(text[start:end] for start, end in view.kept) != ""
    lines = set(text.splitlines())
    ours = r"\[|\.\.\. \[| "  # a line that looks like one of ours is shown behind a sign
    shown = [line.removeprefix("| ") for line in view.text.splitlines() if line and not re.match(ours, line)]
    assert [line for line in shown if line not in lines and not any(line in one for one in lines)] == []


def test_the_author_of_every_line_is_passed_over() -> None:
    """Of `git blame` the functions are told, as of the file itself."""
    code = "".join(f"def work_{number}(value):\n    return value + {number}\n\n\n" for number in range(120))
    hashes = ["03a2f81f", "deadbeef", "9a562986"]
    text = "".join(
        f"{hashes[n % 3]} (Ann Lee {2020 + n % 5}-11-1{n % 8} {clock(n)} +0000 {n + 1:4}) {line}\n"
        for n, line in enumerate(code.splitlines())
    )
    assert "omitted: " in seen(text, 2_000).text


TABLES = {
    "a table": "".join(f" {n:4} | name_{n % 7} | {n * 3}\n" for n in range(200)),
    "two columns": "".join(f" {n:4} | name_{n % 7}\n" for n in range(200)),
    "a drawn table": "".join(f"\u2502 {n:4} \u2502 name_{n % 7} \u2502\n" for n in range(200)),
    "columns after a clock": "".join(f"{clock(n)}   all   {n % 90}.3   {n % 7}.1    0.0\n" for n in range(200)),
    "a log": "".join(f"2026-11-17T{clock(n)}Z INFO request {n} done\n" for n in range(200)),
    "a log with levels in brackets": "".join(f"[{clock(n)}] [INFO] request {n} done\n" for n in range(200)),
    "matches": "".join(f"src/part_{n % 30}.py:{n}:    return value_{n}\n" for n in range(200)),
    "messages": "".join(f"src/part_{n % 30}.py:{n}: error: no value_{n}\n" for n in range(200)),
    "fields": "".join(f"Name:     part-{n}\nVersion:  1.{n}\nSize:     {n * 7}\n" for n in range(80)),
    "separated": "".join(f"{n}\tname_{n % 5}\t{n * 3}\n" for n in range(200)),
}


@pytest.mark.parametrize("kind", TABLES)
def test_a_column_is_not_taken_for_one(kind: str) -> None:
    assert gutter_in(TABLES[kind]) is None


@given(
    st.lists(st.text(st.characters(codec="utf-8"), max_size=30), min_size=1, max_size=60),
    st.sampled_from(sorted(GUTTERS)),
)
def test_every_place_of_the_bare_text_is_found_in_the_whole(lines: list[str], way: str) -> None:
    text = before_lines(way, "\n".join(["    set in", *lines, "", "end"] * 8))
    below = gutter_in(text)
    if below is None:
        return
    assert len(below.text) + sum(below.widths) == len(text)
    places = [below.place(at) for at in range(len(below.text) + 1)]
    assert places == sorted(places)
    assert all(text[place] == below.text[at] for at, place in enumerate(places) if at not in set(below.starts))
    assert places[0] == 0


def drawn_history(commits: int) -> str:
    """What `git log --graph --stat` says of side branches that are merged, two commits each."""
    text = []
    for number in range(commits):
        rows = "".join(f"|    src/part_{number % 9}/file_{number}_{row}.py | {number + 1:3} ++-\n" for row in range(4))
        text += [
            f"*   commit {number:040x}\n|\\  Merge: {number:07x} {number + 1:07x}\n",
            f"| | Author: Ann Lee <a@example.com>\n| | \n| |     Merge what sells {WORDS[number % 7]} {number}\n| | \n",
            f"| * commit {number + 7_000:040x}\n|/  Author: Bob Ray <bob@example.com>\n|   \n",
            f"|       Sell {WORDS[number % 7]} by the {WORDS[(number + 3) % 7]} {number}\n|   \n{rows}",
        ]
    return "".join(text)


WORDS = ("lemons", "pears", "barrel", "crate", "plums", "basket", "cherries")


def test_the_branches_of_a_history_are_passed_over() -> None:
    text = drawn_history(120)
    view = seen(text, 4_000).text
    assert "[480 files changed: src/{part_" in view
    assert "Sell " in view
    assert "[|" not in view
    assert not re.search(r"^\[\d+x ~?\|", view, re.MULTILINE)


def test_lines_drawn_between_commits_part_nothing() -> None:
    text = "".join(
        f"*   {n:07x} Merge {WORDS[n % 7]} {n}\n|\\  \n| * {n + 999:07x} Pick {n}\n|/  \n" for n in range(300)
    )
    below = graph_in(text)
    assert below is not None
    lines = below.text.split("\n")
    assert lines[:4] == ["0000000 Merge lemons 0", "00003e7 Pick 0", "0000001 Merge pears 1", "00003e8 Pick 1"]
    assert set(seen(text, 2_000).text.split("\n")) & set(text.split("\n"))


@pytest.mark.parametrize("limit", [150, 700, 2_000, 6_000])
def test_what_is_shown_of_a_history_stands_in_it(limit: int) -> None:
    text = drawn_history(90)
    view = seen(text, limit)
    assert len(view.text) <= limit
    lines = set(text.split("\n"))
    shown = [line for line in view.text.split("\n") if line and not re.match(r"\[|\.\.\. \[| ", line)]
    assert [line for line in shown if line not in lines and not any(line in one for one in lines)] == []


NO_HISTORIES = {
    "a list": "".join(f"* item {n}\n" for n in range(60)),
    "a list above a table": "* item\n" + "".join(f"| cell {n} | other {n} |\n" for n in range(60)),
    "a conversation": "".join(f"* Trying 10.0.0.{n}\n> GET /{n}\n< HTTP/1.1 200\n" for n in range(40)),
    "a comment": "".join(f"* line {n} of it\n  goes on\n" for n in range(40)),
}


@pytest.mark.parametrize("kind", NO_HISTORIES)
def test_stars_alone_draw_no_history(kind: str) -> None:
    assert graph_in(NO_HISTORIES[kind]) is None


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=20), min_size=2, max_size=40))
def test_every_place_of_a_history_is_found_in_the_whole(subjects: list[str]) -> None:
    lines = [f"* {n:07x} {one}" if n % 3 else f"|\\  \n| * {n:07x} {one}" for n, one in enumerate(subjects)]
    text = "* 0000000 begin\n" + "\n".join(lines)
    below = graph_in(text)
    if below is None:
        return
    for number, start in enumerate(below.starts):
        line = (
            below.text[start : below.starts[number + 1] - 1] if number + 1 < len(below.starts) else below.text[start:]
        )
        assert text[below.origins[number] + below.widths[number] :].startswith(line)
        assert below.end_place(start) <= below.place(start)


def test_what_was_measured_before_each_line_is_no_gutter() -> None:
    """A tracer writes how long each call took, and the process, before the calls as they are nested."""
    calls = (f"{n * 37 % 997 / 100:8.3f} us [ 26851] |   weigh_{n % 130}();" for n in range(3_000))
    text = "# DURATION     TID     FUNCTION\n" + "\n".join(calls) + "\n"
    assert gutter_in(text) is None
    assert false_statements(text, seen(text, 2_000).text) == []


def test_results_in_brackets_before_each_line_are_no_gutter_however_many_lines_are_looked_at() -> None:
    tests = (
        f"[RUN ] area::shelf_{n}\n[{'FAIL' if n % 40 == 3 else 'PASS'}] area::shelf_{n}: (0.00s)\n" for n in range(400)
    )
    text = "[====] Running 400 tests:\n[----]   \n" + "".join(tests)
    assert gutter_in(text) is None
    assert false_statements(text, seen(text, 2_000).text) == []
