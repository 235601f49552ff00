"""The checker of views: what is true passes, and each kind of statement is caught when its count is off by one."""

import json

import pytest
from truth import false_statements, own_share

RECORDS = "".join(
    f"src/{'ab'[number % 2]}.py:{number}:1: E501 Line too long ({80 + number} > 79)\n" for number in range(1, 13)
) + "".join(f"src/deep/c.py:{number}: F401 `os` imported but unused\n" for number in (3, 9, 27))
PATHS = "".join(f"./src/{folder}/{name}.py\n" for folder in ("core", "cut") for name in "abcde") + "./README.md\n"
LOG = "".join(f"2024-11-06 10:11:{number:02} INFO GET /users/{number} took {number} ms\n" for number in range(10, 40))
TWICE = "starting\n" + "ready\n" * 7 + "done\n"
ROWS = json.dumps(
    [{"id": at, "zone": "eu", "status": "failed" if at in {3, 9} else "ok", "size": at * 10} for at in range(40)]
)
GAPS = json.dumps(
    [{"at": f"2026-11-{at:02}T10", "size": at * 10} for at in range(1, 31)]
    + [{"at": "01/11", "size": "n/a"}, {"at": None, "size": None}, {"at": None, "size": None}]
)
SAYING = json.dumps([{"text": text} for text in ("a lid", *["it fails where 5 = lid: it is open"] * 2)])
LEVELS = "".join(
    f"src/{'xyz'[at % 3]}.py:{at}: {'warning' if at % 3 else 'error'}: no {'abcdefghi'[at]} "
    f"[{'lost' if at else 'gone'}]\n"
    for at in range(9)
)
BUILD = "".join(f"Compiling lib_{'abcdefghi'[at]} v{at}.1\n" for at in range(9)) + "".join(
    f"job {at} took {f'{at + 4} ms' if at < 3 else 'too long'}\n" for at in range(5)
)
MATCHES = "".join(f"src/{name}.py:{line}:def {name}{line}\n" for name in "xyz" for line in range(1, 5))
DIFF = """diff --git a/src/a.py b/src/a.py
--- a/src/a.py
+++ b/src/a.py
@@ -1,2 +1,3 @@
 one
-two
+three
+four
diff --git a/src/b.py b/src/b.py
--- a/src/b.py
+++ b/src/b.py
@@ -1,1 +1,2 @@
 one
+five
"""
TESTS = "".join(f"FAILED tests/test_{module}.py::test_{name} - boom\n" for module in "ab" for name in ("x", "y", "z"))
QUOTED = json.dumps([{"name": f"n{at}", "town": "Bath, Avon" if at < 2 else "York"} for at in range(9)])
PLAIN = "".join(f"May  {at + 1:>2}  {'on' if at % 3 else 'off'}\n" for at in range(9))
CSV = "name,kind,size\n" + "".join(f"n{at},{'dir' if at % 5 else 'link'},{at}\n" for at in range(25))
SETTINGS = "".join(f"net.core.{name} = {at}\n" for at, name in enumerate("abcdefghijklmno")) + "vm.swap = 60 s\n"
BLOCKS = "".join(f"Name: n{at}\nSize: {at} kB\nTag: x\n{'Tag: y' if at < 2 else ' more'}\n\n" for at in range(9))
KEYED = json.dumps({f"k{at}": {"size": at * 3, "kind": "x"} for at in range(10)})
OUTLINE = "top: x\nsvc:\n" + "".join(f"  s{at}:\n    image: i{at % 2}\n    ports: [80]\n" for at in range(9))
LISTED = ["/u/a", "/u/a/x", *(f"/u/a/x/{at}.c" for at in range(9)), "/u/b"]
SIZES = "".join(f"{at * 7} {path}\n" for at, path in enumerate(LISTED)) + "14\n"  # the last line was cut
BLOBS = "".join(
    f"100644 blob {at:040x} {at:>7}\t{path}\n"
    for at, path in enumerate(["m/__init__.py", "m/a.py", "n/__init__.py", "n/b.py", "o.md"])
)
OWNERS = "perf: /b/perf\nperf-x: /b/perf\nperf: /b/perf_5\nlibx:amd64: /b/x\n" + "".join(
    f"core: /b/c{at}\n" for at in range(9)
)
NARROW = "/lib\n├── a@1\n└─┬ b@2\n  ├─┬ c@3\n  │ └── d@4\n  └─┬ e@5\n    └── f@6\n"
SHORT = "list v1\n├─ a@1\n└─ b@2\n   ├─ c@3\n   │  └─ d@4\n   └─ e@5\n"

STATEMENTS = [
    (SIZES, "12 paths: /u/{a/x/{0.c, 1.c, +7}, b}", "+7", "+8"),
    (SIZES, "12 paths: /u/{a/x/{0.c, 1.c, +7}, b}", "12", "13"),
    (SIZES, "12 paths: /u/{a/x/ 9, +1}", "+1", "+2"),
    (BLOBS, "5 paths: */__init__.py 2, m/ 2, +2", "+2", "+1"),
    (BLOBS, "5 paths: */__init__.py 2, m/ 2, +2", "2, m", "3, m"),
    (OWNERS, "13 paths: /b/{perf 2, x, +10}", "+10", "+9"),
    (OWNERS, "13 paths: /b/{perf 2, x, +10}", "13", "14"),
    (NARROW, "6 entries: a@1, b@2/{c@3/d@4, +2}", "+2", "+1"),
    (SHORT, "5 entries: a@1, b@2/{c@3/d@4, +1}", "+1", "+2"),
    (SHORT, "5 entries: a@1, b@2/{c@3/ 1, e@5}", "5 entries", "6 entries"),
    (NARROW, "6 entries: a@1, b@2/{c@3/d@4, e@5/f@6}", "f@6", "d@4"),
    (OUTLINE, "2 keys: top, svc", "2 keys", "3 keys"),
    (OUTLINE, "svc: 9 keys: s0, s1, +7", "s1", "s9"),
    (OUTLINE, "svc: 9 keys: s0, s1, +7", "+7", "+6"),
    (OUTLINE, "svc.*.image: i1 4, i0 5", "i1 4", "i1 5"),
    (OUTLINE, "svc.*: 9 objects", "9", "8"),
    (SETTINGS, '16 fields: net.core.{a=0, b=1, c, +12}, "vm.swap=60 s"', "16", "15"),
    (SETTINGS, '16 fields: net.core.{a=0, b=1, c, +12}, "vm.swap=60 s"', "+12", "+11"),
    (SETTINGS, '16 fields: net.core.{a=0, b=1, c, +12}, "vm.swap=60 s"', "b=1", "b=2"),
    (SETTINGS, '16 fields: net.core.{a=0, b=1, c, +12}, "vm.swap=60 s"', "c,", "x,"),
    (BLOCKS, "9 rows", "9", "10"),
    (CSV, "name with size: n24 24, n23 23, +23", "n23 23", "n23 22"),
    (CSV, "name with size: n24 24, n23 23, +23", "+23", "+22"),
    (CSV, "name with size: n24 24, n23 23, +23", "n24", "n25"),
    (QUOTED, 'name with town: n0 "Bath, Avon", n8 York, +7', "n8 York", "n1 York"),
    (KEYED, "key with size: k3 9, k0 0, +8", "k3 9", "k3 8"),
    (BLOCKS, "Tag: y 2, x 9", "y 2", "y 3"),
    (BLOCKS, 'Size: "0 kB" .. "8 kB"', "8 kB", "9 kB"),
    (RECORDS, "3x F401 `os` imported but unused @ src/deep/c.py:3, 9, 27", "3x", "4x"),
    (RECORDS, "3x F401 `os` imported but unused @ src/deep/c.py:3, 9; +1", "+1", "+2"),
    (RECORDS, "3x F401 `os` imported but unused @ src/deep/c.py:3, 9, 27", "9,", "8,"),
    (RECORDS, "12x ~E501 Line too long (81 > 79) @ src/{b.py:1:1; a.py:2:1 82}; +10", "12x", "13x"),
    (RECORDS, "12x ~E501 Line too long (81 > 79) @ src/{b.py:1:1; a.py:2:1 82}; +10", "2:1", "3:1"),
    (PATHS, "11 paths: ./{src/{core/ 5, cut/{a.py, b.py, +3}}, README.md}", "11", "12"),
    (PATHS, "11 paths: ./{src/{core/ 5, cut/{a.py, b.py, +3}}, README.md}", "core/ 5", "core/ 4"),
    (PATHS, "11 paths: ./{src/{core/ 5, cut/{a.py, b.py, +3}}, README.md}", "+3", "+4"),
    (PATHS, "11 paths: ./{src/{core/ 5, cut/{a.py, b.py, +3}}, README.md}", "b.py", "x.py"),
    (PATHS, "11 paths: ./src/*/a.py 2, +9", "a.py 2, +9", "a.py 3, +8"),
    (PATHS, "11 paths: ./{src/{core/{*.py 5, a.py}, cut/ 5}, README.md}", "*.py 5", "*.py 4"),
    (PATHS, "entries: ./src/core 5, ./src/cut 5", "core 5", "core 6"),
    (RECORDS, "12x ~E501 Line too long (81 > 79) @ src/{b.py:1:1; a.py:2:1 82}; +10", "2:1 82", "2:1 83"),
    (RECORDS, "15 records: 2 rules; 3 files", "15", "16"),
    (RECORDS, "15 records: 2 rules; 3 files", "2 rules", "3 rules"),
    (RECORDS, "15 records: 2 rules; 3 files", "3 files", "4 files"),
    (LEVELS, "9 records below src/: error 3, warning 6; 2 rules; 3 files", "error 3", "error 4"),
    (LEVELS, "9 records below src/: error 3, warning 6; 2 rules; 3 files", "src/", "lib/"),
    (LEVELS, "6x warning: no * [lost] @ src/{y.py:1 b; z.py:2 c}; +4", "1 b", "1 c"),
    (LEVELS, "6x warning: no * [lost] @ src/{y.py:1 b; z.py:2 c}; +4", "+4", "+3"),
    (RECORDS, "by rule: E501 12, +3", "+3", "+2"),
    (RECORDS, "by file: src/{a.py 6, b.py 6, deep/c.py 3}", "b.py 6", "b.py 5"),
    (RECORDS, "by file: src/a.py 6, +9", "+9", "+8"),
    (BUILD, "9x Compiling {lib_a v0.1, lib_b v1.1, +7}", "9x", "8x"),
    (BUILD, "9x Compiling {lib_a v0.1, lib_b v1.1, +7}", "+7", "+6"),
    (BUILD, "9x Compiling {lib_a v0.1, lib_b v1.1, +7}", "lib_b", "lib_z"),
    (BUILD, "5x ~job 0 took {4 ms x3, too long x2}", "x3", "x2"),
    (BUILD, "5x ~job 0 took {4 ms x3, too long x2}", "5x", "6x"),
    (BUILD, "2x ~job 3 took too l...", "2x", "3x"),
    (LOG, "30x ~2024-11-06 10:11:10 INFO GET /users/10 took 10 ms", "30x", "31x"),
    (TWICE, "7x ready", "7x", "6x"),
    (ROWS, "40 rows; all: zone=eu", "40", "41"),
    (ROWS, "40 rows; all: zone=eu", "=eu", "=us"),
    (ROWS, "status: failed 2, ok 38", "failed 2", "failed 3"),
    (ROWS, "size: 0 .. 390, median 195", "390", "391"),
    (ROWS, "status: failed 2, +1", "+1", "+2"),
    (ROWS, "id: 0, 1, +38", "+38", "+37"),
    (ROWS, "zone where status=failed: eu 2", "eu 2", "eu"),
    (ROWS, "zone where status=failed: eu 2", "=failed", "=lost"),
    (ROWS, "other columns: id, size", "size", "sizes"),
    (ROWS, "40 rows; all: zone=eu", "zone=eu", "zone=eu, +1"),
    (PLAIN, '9 rows; all: "column 1"=May', "9 rows", "8 rows"),
    (PLAIN, '9 rows; all: "column 1"=May', "=May", "=Jun"),
    (PLAIN, "column 3: off 3, on 6", "on 6", "on 5"),
    (ROWS, "size: 0 .. 390, median 195", "median 195", "median 196"),
    (GAPS, "at: 2026-11-01T10 .. 2026-11-30T10; 01/11, null 2", "null 2", "null 3"),
    (GAPS, "at: 2026-11-01T10 .. 2026-11-30T10; 01/11, null 2", "01/11, ", ""),
    (GAPS, "size: 10 .. 300, median 155; n/a, null 2", "n/a, ", ""),
    (GAPS, "size: 10 .. 300, median 155; n/a, null 2", "155", "150"),
    (GAPS, "size: 10 .. 300, median 155; n/a, null 2", "n/a", "n/a 2"),
    (SAYING, 'text: "a lid", "it fails where 5 = lid: it is open" 2', 'open" 2', 'open"'),
    (ROWS, "id: 40 distinct", "40", "39"),
    (ROWS, "4 keys: id, zone, status, size", "4 keys", "5 keys"),
    (QUOTED, 'town: "Bath, Avon" 2, York 7', "York 7", "York 6"),
    (CSV, "25 rows", "25", "26"),
    (CSV, "kind: link 5, dir 20", "link 5", "link 6"),
    (MATCHES, "12 matches in 3 files: src/x.py 4, src/y.py 4, src/z.py 4", "12", "13"),
    (MATCHES, "12 matches in 3 files: src/x.py 4, src/y.py 4, +1 more", "+1", "+2"),
    (MATCHES, "12 matches in 3 files: src/{x.py 4, y.py 4, z.py 4}", "y.py 4", "y.py 5"),
    (DIFF, "2 files changed: src/{a.py +2 -1, b.py +1}", "2 files", "3 files"),
    (DIFF, "2 files changed: src/{a.py +2 -1, b.py +1}", "+2", "+3"),
    (TESTS, "6 failed tests: tests/{test_a.py::{test_x, test_y, test_z}, test_b.py:: 3}", "6", "7"),
    (TESTS, "6 failed tests: tests/{test_a.py::{test_x, test_y, test_z}, test_b.py:: 3}", "test_y", "test_w"),
    (TESTS, "6 failed tests: tests/{test_a.py::{test_x, test_y, test_z}, test_b.py:: 3}", ":: 3", ":: 2"),
    (RECORDS, "by rule: E501 12, F401 3", "E501 12", "E501 11"),
    (RECORDS, "by file: src/a.py 6, src/b.py 6, src/deep/c.py 3", "c.py 3", "c.py 2"),
    (
        LOG,
        f"original {len(LOG)} chars (~9 tokens); omitted part: spill artifacts show art_1 --lines 3-9",
        "3-9",
        "3-99",
    ),
    (LOG, f"original {len(LOG)} chars (~9 tokens)", f"{len(LOG)}", f"{len(LOG) + 1}"),
    (TWICE, "omitted: ready, done", "done", "gone"),
]


@pytest.mark.parametrize(("text", "statement", "right", "wrong"), STATEMENTS)
def test_a_statement_is_true_until_a_number_or_a_name_in_it_is_changed(
    text: str, statement: str, right: str, wrong: str
) -> None:
    assert right in statement
    assert false_statements(text, f"[{statement}]\n{text}") == []
    lie = statement.replace(right, wrong, 1)
    assert false_statements(text, f"[{lie}]\n{text}") != []


def test_a_statement_over_several_lines_is_read_as_one() -> None:
    view = "[11 paths: ./{src/{core/ 5,\n[ cut/{a.py, b.py, +3}},\n[ README.md}]\n"
    assert false_statements(PATHS, view + PATHS) == []
    assert false_statements(PATHS, view.replace("+3", "+2") + PATHS)


def test_a_statement_that_is_closed_does_not_go_on_in_a_line_of_the_text() -> None:
    text = f"[ 1 of 2] Compiling one\n{RECORDS}[ 2 of 2] Compiling two\n"
    view = f"[by file: src/{{a.py 6, b.py 6, deep/c.py 3}}]\n{text}"
    assert false_statements(text, view) == []
    assert false_statements(text, view.replace("a.py 6", "a.py 7"))


DRAWN = (
    "Not as wanted:\n* web\n - a\napp==1\n├── web\n│   ├── a\n│   └── b\n├── db!=5.*\n│   └── c\n└── d\nlib==2\n└── e\n"
)


def test_entries_of_a_drawn_tree_are_its_lines_whatever_stands_above_it() -> None:
    view = f"[7 entries: web/ 2, db!=5.*/, d, e]\n{DRAWN}"
    assert false_statements(DRAWN, view) == []
    for right, wrong in (("7 ent", "6 ent"), ("7 ent", "8 ent"), ("web/ 2", "web/ 4"), ("e]", "e, +1]")):
        assert false_statements(DRAWN, view.replace(right, wrong)), wrong


def test_rows_are_those_of_one_of_the_tables_that_stand_below_each_other() -> None:
    rule = "-" * 24 + "\n"
    first = "file        blank   code\n" + rule + "".join(f"a{at}.py{at:>11}{at * 9:>7}\n" for at in range(1, 9))
    text = rule + first + "\n" + rule + "language    blank   code\n" + rule + "Python         36    324\n"
    assert false_statements(text, f"[8 rows]\n[blank: 1 .. 8, median 4.5]\n{text}") == []
    assert false_statements(text, f"[7 rows]\n[blank: 1 .. 8, median 4.5]\n{text}")


def test_headings_of_drawn_tables_are_no_rows() -> None:
    """Names, and the types below them, stand between two rules: who counts them as rows says too many."""
    rows = [f"\u2502 {at:>4} \u2502 s-{at % 3} \u2502 x \u2502" for at in range(20)]
    names = ["\u2502   id \u2502 room \u2502 y \u2502", "\u2502 int8 \u2502 text \u2502 z \u2502"]
    rules = ["\u250c\u2500\u252c\u2500\u2510", "\u251c\u2500\u253c\u2500\u2524", "\u2514\u2500\u2534\u2500\u2518"]
    text = "\n".join([rules[0], *names, rules[1], *rows, rules[2], ""])
    assert false_statements(text, f"[20 rows]\n[room: s-2 6, s-0 7, s-1 7]\n{text}", "text") == []
    for lie in ("[21 rows]\n", "[22 rows]\n", "[room: text, s-2 6, s-0 7, s-1 7]\n"):
        assert false_statements(text, lie + text, "text") != [], lie


def test_rows_of_several_lines_are_counted_once() -> None:
    """A cell in quotes may hold ends of lines and what looks like rows: who adds up lines says another number."""
    rows = [f'{at},{"open" if at % 3 else "shut"},"one of {at}{chr(10)}7,8,9"' for at in range(20)]
    text = "\n".join(["id,state,note", *rows, ""])
    assert false_statements(text, f"[20 rows]\n[state: shut 7, open 13]\n{text}") == []
    for lie in ("[40 rows]\n", "[19 rows]\n", "[state: 8 20, shut 7, open 13]\n"):
        assert false_statements(text, lie + text) != [], lie


def test_crosses_before_rows_of_a_table_are_no_failed_tests() -> None:
    rows = "".join(f"\u2717 Private{at}=     Service may do it     0.{at % 3}\n" for at in range(3))
    names = "[3 failed tests: Private0=, Private1=, Private2=]\n"
    assert false_statements(rows, names + rows, "text") != []
    plain = "".join(f"\u2717 Private{at}= (3 ms)\n" for at in range(3))
    assert false_statements(plain, names + plain, "text") == []


def test_a_quoted_line_of_the_text_may_hold_what_looks_like_a_mark() -> None:
    line = 'assert "title ... [9000 lines / 45000 chars omitted] ..." in view'
    text = f"one\n{line}\ntwo\n"
    assert false_statements(text, f"one\n| {line}\ntwo\n", "text") == []
    for lie in (line.replace("9000", "9001"), line.replace("assert", "insert")):
        assert false_statements(text, f"one\n| {lie}\ntwo\n", "text") != [], lie


def test_numbers_that_end_a_sentence_have_a_range_too() -> None:
    text = "".join(f"Chapter {at}.\n" for at in range(1, 13))
    assert false_statements(text, f"[12x ~Chapter {{1. .. 12.}}]\n{text}") == []
    assert false_statements(text, f"[12x ~Chapter {{1. .. 13.}}]\n{text}")


def test_words_in_brackets_that_are_no_statement_are_reported() -> None:
    assert false_statements(TWICE, f"[a few lines were not so important]\n{TWICE}")
    assert false_statements("[INFO] up\n" + TWICE, "[INFO] up\n... [9 lines / 56 chars omitted] ...") == []


MARKED = [
    ("starting\n... [6 lines / 36 chars omitted] ...\nready\ndone\n", ("36", "37"), ("6 lines", "8 lines")),
    (
        "starting\nready\n... [same line 6 more times / 36 chars omitted] ...\ndone\n",
        ("6 more", "7 more"),
        ("36", "30"),
    ),
    ("starting\n[... 7 lines]\ndone\n", ("7", "8"), ("7", "6")),
    ("starting\n[... 8 lines]", ("8", "9"), ("8", "7")),
    ("starting\nready\n[same x6]\ndone\n", ("x6", "x7"), ("x6", "x5")),
    ("starting\nready\n[same 2 ln x3]\ndone\n", ("x3", "x2"), ("2 ln", "3 ln")),
]


@pytest.mark.parametrize(("view", "first", "second"), MARKED)
def test_a_mark_says_exactly_what_is_missing_at_its_place(
    view: str, first: tuple[str, str], second: tuple[str, str]
) -> None:
    assert false_statements(TWICE, view) == []
    for right, wrong in (first, second):
        assert false_statements(TWICE, view.replace(right, wrong, 1)), wrong


def test_lines_end_with_any_of_the_three_ends_and_the_last_may_have_none() -> None:
    text = "a\rb\r\nc\nd\r\r\ne"
    for lines, right in ((5, True), (6, True), (4, True), (9, False), (2, False)):
        said = f"[{lines} lines, {len(text)} chars; rest: spill artifacts show art_abcdef --lines 1-3]\n{text}"
        assert (false_statements(text, said) == []) is right, lines
    assert false_statements(text, "a\r[... 2 lines]\nd\r\r\ne") == []
    assert false_statements(text, "a\r[... 1 line]\nd\r\r\ne")


def test_what_several_commits_change_of_a_file_is_added_up() -> None:
    text = "".join(f"commit {n:040x}\n\n    Say {n}\n\n src/a.py | {n} ++--\n src/b.py | 1 +\n\n" for n in range(3, 6))
    view = "[2 files changed: src/{a.py (12), b.py (3)}]\n" + text
    assert false_statements(text, view) == []
    assert false_statements(text, view.replace("(12)", "(13)"))


def test_a_signature_below_a_patch_is_no_line_of_its_last_hunk() -> None:
    text = "".join(
        f"--- a/{name}.py\n+++ b/{name}.py\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n-- \n2.39\n\n" for name in "xyz"
    )
    said = "[changes not shown: y.py:1 -two; +three]\n[... 27 lines]"
    assert false_statements(text, said, "diff") == []
    assert false_statements(text, said.replace("three", "four"), "diff") != []


def test_names_that_hold_commas_are_one() -> None:
    text = "# Friday, later\n\n# Main\n"
    assert false_statements(text, '[omitted: "Friday, later", Main]\n' + text) == []
    assert false_statements(text, '[omitted: "Friday, sooner", Main]\n' + text)


def test_lines_that_the_text_does_not_have_or_has_elsewhere_are_reported() -> None:
    assert false_statements(TWICE, "starting\n[... 7 lines]\ngone\n")
    assert false_statements(TWICE, "done\n[... 7 lines]\nstarting\n")
    assert false_statements(TWICE, "starting\nready\n"), "the rest is neither shown nor said to be missing"


def test_a_piece_inside_a_long_line_is_measured_too() -> None:
    text = "x" * 50 + "middle" + "y" * 50
    view = "x" * 10 + "... [1 lines / 46 chars omitted] ..." + "y" * 50
    assert false_statements(text, view) == []
    assert false_statements(text, view.replace("46", "45"))


def test_a_mark_in_a_json_array_counts_what_it_stands_for() -> None:
    shown = json.dumps([{"id": 0, "zone": "eu", "status": "ok", "size": 0}, "... 39 items omitted ..."])
    assert false_statements(ROWS, shown, "json") == []
    assert false_statements(ROWS, shown.replace("39", "38"), "json")
    assert false_statements(ROWS, shown.replace('"eu"', '"us"'), "json")


def test_the_short_marks_of_documents_are_counted_as_well() -> None:
    shown = json.dumps([{"id": 0, "zone": "eu", "status": "ok", "size": 0}, "[... 4 keys]", "[... 38 items]"])
    assert false_statements(ROWS, shown, "json") == []
    assert false_statements(ROWS, shown.replace("38", "37"), "json")
    assert false_statements(ROWS, shown.replace("4 keys", "5 keys"), "json")
    digits = "".join(f"{number:02}" for number in range(40))
    text = json.dumps({"a": 1, "b": digits, "c": 3})
    view = f'{{"b": "{digits[:10]}[... 60 chars]{digits[70:]}", "...": "2 keys; spill artifacts show art_1"}}'
    assert false_statements(text, view, "json") == []
    assert false_statements(text, view.replace("60", "59"), "json")
    assert false_statements(text, view.replace("2 keys", "1 keys"), "json")


def test_statements_inside_documents_are_recounted() -> None:
    shown = json.dumps(["[40 rows; all: zone=eu]", "[status: failed 2, ok 38]", "... 40 items omitted ..."])
    assert false_statements(ROWS, shown, "json") == []
    assert false_statements(ROWS, shown.replace("ok 38", "ok 37"), "json")
    lines = "".join(f'{{"id": {at}}}\n' for at in range(9))
    view = '"[id: 9 distinct]"\n{"id": 0}\n"... 8 records omitted ..."\n'
    assert false_statements(lines, view, "ndjson") == []
    assert false_statements(lines, view.replace("9 distinct", "8 distinct"), "ndjson")
    assert false_statements(lines, view.replace("8 records", "7 records"), "ndjson")
    xml = "<all>" + "".join(f'<one kind="{"ab"[at % 2]}" at="{at}"/>' for at in range(10)) + "</all>"
    view = '<all><!-- [one.kind: a 5, b 5] --><one kind="a" at="0"/><!-- ... 9 ones omitted ... --></all>'
    assert false_statements(xml, view, "xml") == []
    assert false_statements(xml, view.replace("b 5", "b 6"), "xml")
    assert false_statements(xml, view.replace("9 ones", "8 ones"), "xml")
    view = view.replace("one.kind: a 5, b 5", "11 elements: all, all/one 10")
    assert false_statements(xml, view, "xml") == []
    assert false_statements(xml, view.replace("all/one 10", "all/one 9"), "xml")
    assert false_statements(xml, view.replace("11 elements", "12 elements"), "xml")
    view = view.replace("all, all/one 10", "all{one 10}")
    assert false_statements(xml, view, "xml") == []
    for wrong in ("all{one 9}", "all{one 10, +1}", "all{two 10}", "all{+2}"):
        assert false_statements(xml, view.replace("all{one 10}", wrong), "xml"), wrong
    assert false_statements(xml, view.replace("all{one 10}", "all{+1}"), "xml") == []


def test_keys_at_any_depth_are_recounted() -> None:
    text = json.dumps([{"a": {"x": [{"y": 1}]}, "b": '"z": 1'}, {"a": 2}])
    view = '["[4 keys at any depth: a, x, +2]", "... 2 items omitted ..."]'
    assert false_statements(text, view, "json") == []
    for right, wrong in (("4 keys", "5 keys"), ("a, x", "a, z"), ("+2", "+1"), ("a, x", "a, a")):
        assert false_statements(text, view.replace(right, wrong), "json"), wrong


def test_elements_in_trouble_are_recounted() -> None:
    cases = "".join(f'<case name="t{at}">{"<failure/>" if at % 4 == 1 else ""}</case>' for at in range(8))
    view = '<all><!-- [2 case with failure: t1, t5] --><case name="t0"/><!-- [... 7 cases] --></all>'
    assert false_statements(f"<all>{cases}</all>", view, "xml") == []
    for right, wrong in (("2 case", "3 case"), ("t5", "t4"), ("t1, t5", "t1, +2")):
        assert false_statements(f"<all>{cases}</all>", view.replace(right, wrong), "xml"), wrong


def test_the_keys_of_an_object_are_recounted_where_they_stand() -> None:
    text = json.dumps({"a": {"x": 1, "y": 2, "z": 3}, "b": [1, 2]})
    view = '{"a": "[3 keys: x, y, +1]", "b": [1, 2]}'
    assert false_statements(text, view, "json") == []
    for right, wrong in (("3 keys", "4 keys"), ("+1", "+2"), ("y,", "q,")):
        assert false_statements(text, view.replace(right, wrong), "json"), wrong
    beside = '{"a": {"x": 1, "...": ["[3 keys: x, y, z]", "2 keys omitted"]}, "b": [1, 2]}'
    assert false_statements(text, beside, "json") == []
    assert false_statements(text, beside.replace("2 keys", "1 keys"), "json")
    assert false_statements(text, beside.replace("z]", "w]"), "json")


def test_a_list_that_cannot_be_read_is_false() -> None:
    view = "[12 matches in 3 files: src/{x.py 4,\n[ {y}.py 4, z.py 4}]\n[... 12 lines]\n"
    # A number behind the end of a name that stands in braces is not its own.
    assert "src/y.py: 4 matches, 1 said" in false_statements(MATCHES, view, "text")[0]
    assert "a brace is not closed" in false_statements(MATCHES, view.replace("{y}.py 4", "{y}{.py"), "text")[0]


def test_a_directory_without_a_number_has_one_entry() -> None:
    text = "./a\n./a/x.py\n./b.py\n./c.py\n"
    assert false_statements(text, f"[4 paths: ./{{a/, b.py, +1}}]\n{text}") == []
    assert false_statements(text, f"[4 paths: ./{{a/, b.py, +2}}]\n{text}")


def test_a_string_cut_inside_a_document_says_how_many_characters_are_missing() -> None:
    text = json.dumps({"said": "a" * 30 + "\n" + "b" * 30})
    view = json.dumps({"said": "a" * 10 + "... [42 chars omitted] ..." + "b" * 10})
    assert false_statements(text, view, "json") == []
    assert false_statements(text, view.replace("42", "43"), "json")


def test_the_share_of_its_own_words_counts_marks_and_statements() -> None:
    assert own_share(TWICE, TWICE) == 0.0
    view = "[7x ready]\n" + "x" * 11
    assert own_share("x" * 11, view) == pytest.approx(0.5)


def test_tests_are_counted_as_their_runner_names_them() -> None:
    """Examples in the documentation of a crate, and tests that unittest writes by their sentences, too."""
    crate = "test a::x ... FAILED\ntest src/lib.rs - A (line 11) ... FAILED\ntest b::y ... ok\n"
    named = '[2 failed tests: "test a::x", "test src/lib.rs - A (line 11)"]\n'
    assert false_statements(crate, named + crate, "text") == []
    assert false_statements(crate, '[1 failed tests: "test a::x"]\n' + crate, "text") != []
    spoken = "test_a (t.T.test_a)\nIt adds. ... FAIL\n" + "".join(
        f"FAIL: test_{one} (t.T.test_{one})\n" for one in "ab"
    )
    assert false_statements(spoken, "[2 failed tests: t.T.{test_a, test_b}]\n" + spoken, "text") == []
    assert false_statements(spoken, "[4 failed tests: t.T.{test_a, test_b, +2}]\n" + spoken, "text") != []


def test_objects_below_each_other_are_looked_at_as_such_whatever_they_are_called() -> None:
    rows = "".join(json.dumps({"id": at, "zone": "eu"}, indent=1) + "\n" for at in range(9))
    view = rows[: rows.index("}") + 2] + '"[9 rows; all: zone=eu]"\n"[... 8 records]"\n'
    assert false_statements(rows, view) == []
    assert false_statements(rows, view.replace("[9 rows", "[8 rows")) != []


BLOCKS = "".join(f"Thread {at}:\n  wait (queue.py:17)\n  sort (a.py:{at})\n  sort (a.py:{at})\n" for at in range(9))
TOLD_BLOCKS = (
    "[9 blocks of 4 lines: ~Thread {0..8}:\n[ +1\n[ 2x ~sort (a.py:{0 2, 1 2, 2 2, 3 2, 4 2, 5 2, 6 2, 7 2, 8 2})]"
)


def test_blocks_that_are_alike_are_recounted() -> None:
    end = "\n[... 36 lines]"
    assert false_statements(BLOCKS, f"[9 blocks of 1 kind]\n{TOLD_BLOCKS}{end}") == []
    for right, wrong in (
        ("[9 blocks of 4", "[8 blocks of 4"),
        ("of 4 lines", "of 5 lines"),
        ("{0..8}:", "{0..7}:"),
        ("Thread", "Thraed"),
        ("[ +1", "[ +2"),
        ("[ 2x ~", "[ 3x ~"),
        ("8 2}", "8 3}"),
        ("[ +1", "[ wait (queue.py:18)"),
    ):
        assert false_statements(BLOCKS, TOLD_BLOCKS.replace(right, wrong) + end), wrong
    assert false_statements(BLOCKS, f"[9 blocks of 2 kinds]{end}")
    assert false_statements(BLOCKS, f"[10 blocks of 1 kind]{end}")
