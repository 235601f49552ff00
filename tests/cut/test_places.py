"""Lines that name a place: what is read out of them, whatever tool wrote them."""

# ruff: noqa: E501  # a line of a tool is one line here

from __future__ import annotations

import pytest

from overspill.cut.digest.places import marks_of
from overspill.cut.digest.record_reader import RecordReader, share_of

SHAPES = {
    "epubcheck": (
        "ERROR(RSC-005): book.epub/a.xhtml(9,8): element not allowed\nWARNING(OPF-3): b.opf(1,2): odd",
        [("book.epub/a.xhtml", "9", "8", "ERROR(RSC-005): element not allowed"), ("b.opf", "1", "2", "WARNING(OPF-3): odd")],
    ),
    "a warning that is an error": (
        'File "lib/a.ml", line 4, characters 8-9:\n4 | let x = 3\n            ^\nError (warning 26 [unused-var]): unused variable x.',
        [("lib/a.ml", "4", "", "Error (warning 26 [unused-var]): unused variable x.")],
    ),
    "kotlinc": ("w: src/a.kt: (3, 1): unused variable\ne: file:///src/b.kt:4:2 no such name", [("src/a.kt", "3", "1", "w: unused variable"), ("file:///src/b.kt", "4", "2", "e: no such name")]),
    "cobc": ("a.cob: 3: error: no such name\na.cob: 9: warning: odd", [("a.cob", "3", "", "error: no such name"), ("a.cob", "9", "", "warning: odd")]),
    "letters before numbers": ("src/a.c:L3:C1 error no such name\nsrc/b.c#L4: odd", [("src/a.c", "3", "1", "error no such name"), ("src/b.c", "4", "", "odd")]),
    "a list of an editor": ("src/a.c|3 col 1 error| no such name", [("src/a.c", "3", "1", "error| no such name")]),
    "a range in round brackets": ("a.fs(3,1)-(3,9): error: no", [("a.fs", "3", "1", "error: no")]),
    "columns to columns": ("a.dts:3.4-17: Warning (odd_name): no", [("a.dts", "3", "4", "Warning (odd_name): no")]),
    "several lines": ("a.tex, lines 3-5: box too full", [("a.tex", "3", "", "box too full")]),
    "a line before its file": (
        "error: line 3 of src/a.c: no such name\nwarning (line 4, src/b.c): odd\nerror: no such name at line 5 of src/a.c",
        [("src/a.c", "3", "", "error: no such name"), ("src/b.c", "4", "", "warning: odd"), ("src/a.c", "5", "", "error: no such name")],
    ),
    "a level in a file": ("error in src/a.c, line 3, column 1: no such name", [("src/a.c", "3", "1", "error: no such name")]),
    "a line in brackets behind": ("src/a.c: error: no such name (line 3)", [("src/a.c", "3", "", "error: no such name")]),
    "words before a place in brackets": ("no such name there (src/a.c:3)\n    at turn (src/a.c:3:1)", [("src/a.c", "3", "", "no such name there")]),
    "spotbugs": ("M D DLS: Dead store to x in f()  At A.java:[line 3]", [("A.java", "3", "", "M D DLS: Dead store to x in f()")]),
    "columns of a table": ("src/a.c\t3\t1\terror\tno such name\nsrc/b.c    4  warning  odd", [("src/a.c", "3", "1", "error\tno such name"), ("src/b.c", "4", "", "warning  odd")]),
    "a list": ("* src/a.c:3 odd\n- src/b.c:4: odd\n3. src/c.c:5: odd\nluac: src/d.lua:6: odd\nAt src/e.c:7: odd", [(f"src/{path}", line, "", "odd") for path, line in (("a.c", "3"), ("b.c", "4"), ("c.c", "5"), ("d.lua", "6"), ("e.c", "7"))]),
    "a line drawn to the place": (
        '    warning: variable "x" is unused\n    \u2502\n  3 \u2502   x = 1\n    \u2502   ~\n    \u2502\n    \u2514\u2500 lib/a.ex:3:3: A.f/1',
        [("lib/a.ex", "3", "3", 'warning: variable "x" is unused')],
    ),
    "a very wide line": (f"a.html:3:1: error: expected one of {'a, ' * 400}", [("a.html", "3", "1", f"error: expected one of {'a, ' * 400}"[:240] + "...")]),
    "flake8": ("src/a.py:3:1: E501 line too long", [("src/a.py", "3", "1", "E501 line too long")]),
    "pylint": (
        "************* Module a\na.py:3:0: C0114: Missing module docstring (missing-module-docstring)",
        [("a.py", "3", "0", "C0114: Missing module docstring (missing-module-docstring)")],
    ),
    "mypy": ('a.py:3: error: Name "x" is not defined  [name-defined]', [("a.py", "3", "", 'error: Name "x" is not defined  [name-defined]')]),
    "gcc": (
        "a.c: In function 'main':\na.c:3:5: warning: unused variable 'x' [-Wunused-variable]\n    3 |   int x;\n      |       ^",
        [("a.c", "3", "5", "warning: unused variable 'x' [-Wunused-variable]")],
    ),
    "included": (
        "In file included from a.h:3:\n                 from b.h:4:\nc.c:5:6: error: no",
        [("c.c", "5", "6", "error: no")],
    ),
    "go": ("./a.go:3:2: undefined: x\n./b.go:4:2: undefined: y", [("./a.go", "3", "2", "undefined: x"), ("./b.go", "4", "2", "undefined: y")]),
    "tsc": ("src/a.ts(3,1): error TS2304: Cannot find name 'x'.", [("src/a.ts", "3", "1", "error TS2304: Cannot find name 'x'.")]),
    "tsc pretty": ("src/a.ts:3:1 - error TS2304: No.\n\n3 x\n  ~", [("src/a.ts", "3", "1", "error TS2304: No.")]),
    "msbuild": (
        "  1>C:\\src\\a.cs(3,1): warning CS0168: unused [C:\\src\\a.csproj]",
        [("C:\\src\\a.cs", "3", "1", "warning CS0168: unused [C:\\src\\a.csproj]")],
    ),
    "rustc": (
        "warning: unused variable: `x`\n --> src/main.rs:3:9\n  |\n3 |     let x = 1;\n  |         ^",
        [("src/main.rs", "3", "9", "warning: unused variable: `x`")],
    ),
    "ruff": ("F401 [*] `os` imported but unused\n --> a.py:1:8\n  |\n1 | import os\n  |", [("a.py", "1", "8", "F401 [*] `os` imported but unused")]),
    "a frame below a signed message": (
        "  ! eslint(no-var): Unexpected var.\n   ,-[src/a.js:3:1]\n 2 | \n 3 | var k;\n   : ^^^\n   `----\n  help: Use let.\n\n  x eslint(no-undef): 'y' is not defined.\n   ,-[src/b.js:9:4]",
        [("src/a.js", "3", "1", "! eslint(no-var): Unexpected var."), ("src/b.js", "9", "4", "x eslint(no-undef): 'y' is not defined.")],
    ),
    "esbuild": (
        '\u2718 [ERROR] Could not resolve "os"\n\n    lib/a.js:4:19:\n      4 \u2502 require(\'os\');\n        \u2575         ~~~~\n\n  Use "--platform=node".\n',
        [("lib/a.js", "4", "19", '\u2718 [ERROR] Could not resolve "os"')],
    ),
    "a title with a place, and the message below": (
        "Error ------------------------ lib/a.js:17:27\n\nCannot resolve module `x`. [no-module]\n\n   17| const x = 1;\n       ^\n\n\nError --------- lib/b.js:9:2\n\nNo such name `y`. [no-name]",
        [("lib/a.js", "17", "27", "Cannot resolve module `x`. [no-module]"), ("lib/b.js", "9", "2", "No such name `y`. [no-name]")],
    ),
    "biome": (
        "lib/a.js:10:27 lint/style/useConst  FIXABLE  \u2501\u2501\u2501\u2501\u2501\u2501\n\n  \u00d7 This let is never changed.\n  \n  > 10 \u2502 let id = 1;\n       \u2502 ^^^\n",
        [("lib/a.js", "10", "27", "lint/style/useConst  FIXABLE \u00d7 This let is never changed.")],
    ),
    "sass": (
        "DEPRECATION WARNING: @import goes.\n\nMore info: https://x.org/d\n\n  \u2577\n9 \u2502 @import 'a';\n  \u2575\n    scss/a.scss 9:9  @use\n    scss/b.scss 2:1  root stylesheet\n",
        [("scss/a.scss", "9", "9", "DEPRECATION WARNING: @import goes.")],
    ),
    "shellcheck": (
        "\nIn a.sh line 3:\necho $x\n     ^-- SC2086 (info): Double quote it.\n     ^-- SC2154 (warning): x is unset.\n",
        [("a.sh", "3", "", "SC2086 (info): Double quote it."), ("a.sh", "3", "", "SC2154 (warning): x is unset.")],
    ),
    "eslint": (
        "/src/a.js\n  3:1  error  Unexpected var  no-var\n  4:2  warning  Odd   no-odd\n\n/src/b.js\n  5:6  error  Bad  no-bad\n",
        [
            ("/src/a.js", "3", "1", "error  Unexpected var  no-var"),
            ("/src/a.js", "4", "2", "warning  Odd   no-odd"),
            ("/src/b.js", "5", "6", "error  Bad  no-bad"),
        ],
    ),
    "eslint compact": (
        "/a.js: line 3, col 1, Error - Unexpected var. (no-var)",
        [("/a.js", "3", "1", "Error - Unexpected var. (no-var)")],
    ),
    "phpcs": (
        "FILE: /a.php\n------\nFOUND 2 ERRORS\n------\n  3 | ERROR   | [x] Missing x\n 14 | WARNING | [ ] Odd\n",
        [("/a.php", "3", "", "ERROR   | [x] Missing x"), ("/a.php", "14", "", "WARNING | [ ] Odd")],
    ),
    "bandit": (
        ">> Issue: [B101:assert_used] Use of assert.\n   Severity: Low   Confidence: High\n   Location: ./a.py:3:4\n3\tassert x",
        [("./a.py", "3", "4", ">> Issue: [B101:assert_used] Use of assert.")],
    ),
    "pydocstyle": ("a.py:3 in public function `f`:\n        D103: Missing docstring", [("a.py", "3", "", "D103: Missing docstring")]),
    "yamllint": ("./a.yml\n  3:1       error    too long  (line-length)\n", [("./a.yml", "3", "1", "error    too long  (line-length)")]),
    "ansible-lint": (
        "name[casing]: Names begin with a capital.\nplay.yml:3 Task/Handler: install\n",
        [("play.yml", "3", "", "name[casing]: Names begin with a capital.")],
    ),
    "maven": ("[ERROR] /src/A.java:[3,1] cannot find symbol", [("/src/A.java", "3", "1", "[ERROR] cannot find symbol")]),
    "javac": (
        "src/A.java:3: error: cannot find symbol\n    Foo x;\n    ^\n  symbol:   class Foo",
        [("src/A.java", "3", "", "error: cannot find symbol")],
    ),
    "workflow command": (
        "::error title=ruff,file=/w/a.py,line=3,col=1,endLine=3::a.py:3:1: F401 unused",
        [("/w/a.py", "3", "1", "F401 unused")],
    ),
    "old compilers": ('"a.c", line 3: error: bad', [("a.c", "3", "", "error: bad")]),
    "php": (
        "PHP Warning:  Undefined variable $x in /src/a.php on line 3",
        [("/src/a.php", "3", "", "PHP Warning:  Undefined variable $x")],
    ),
    "a message far behind its place": (
        "src/a.hpp:3:  Extra space after ( in call  [whitespace/parens] [4]\nsrc/A.java:7:\tUnusedField:\tAvoid it (unused-field)",
        [("src/a.hpp", "3", "", "Extra space after ( in call  [whitespace/parens] [4]"), ("src/A.java", "7", "", "UnusedField:\tAvoid it (unused-field)")],
    ),
    "nothing between a place and its message": ("a.vhd:3:5:error: no choice", [("a.vhd", "3", "5", "error: no choice")]),
    "the line of a path within the message": (
        "lib/A.pm: Code before strictures at line 3, column 1.  See page 429.  (Severity: 5)\na.pp - WARNING: double quoted string on line 7",
        [("lib/A.pm", "3", "1", "Code before strictures.  See page 429.  (Severity: 5)"), ("a.pp", "7", "", "WARNING: double quoted string")],
    ),
    "a place behind its message": (
        "error: Unexpected var (no-var) at src/a.js:12:5:\nERROR: [Synth 8-439] no module 'x' [/src/a.v:12]",
        [("src/a.js", "12", "5", "error: Unexpected var (no-var)"), ("/src/a.v", "12", "", "ERROR: [Synth 8-439] no module 'x'")],
    ),
    "a place among the parts of a message": (
        "  error \u2022 Undefined name 'x' \u2022 lib/a.dart:12:5 \u2022 undefined_name\nERROR: UndefinedVariable - src/a.php:9:2 - There is no $x",
        [("lib/a.dart", "12", "5", "error \u2022 Undefined name 'x' \u2022 undefined_name"), ("src/a.php", "9", "2", "ERROR: UndefinedVariable - There is no $x")],
    ),
    "a place in brackets before its message": ("[a.proto:12:5] Field name is odd (FIELD_NAMES)", [("a.proto", "12", "5", "Field name is odd (FIELD_NAMES)")]),
    "brackets and no colon": (
        "src/a.nim(12, 5) Error: undeclared identifier: 'x'\nERROR: src/a.ts[12, 5]: Missing semicolon (semicolon)",
        [("src/a.nim", "12", "5", "Error: undeclared identifier: 'x'"), ("src/a.ts", "12", "5", "ERROR: Missing semicolon (semicolon)")],
    ),
    "below the tag of a builder": ("    [javac] /src/A.java:12: error: cannot find symbol", [("/src/A.java", "12", "", "error: cannot find symbol")]),
    "a level before the place, joined to a rule": ("%Warning-WIDTH: a.v:12:5: expects 8 bits", [("a.v", "12", "5", "%Warning-WIDTH: expects 8 bits")]),
    "a level, and words below": (
        "src/Main.hs:12:5: warning: [-Wunused-matches]\n    Defined but not used: \u2018x\u2019\n   |\n12 | f x = 3\n   |   ^\n",
        [("src/Main.hs", "12", "5", "warning: [-Wunused-matches] Defined but not used: \u2018x\u2019")],
    ),
    "a place, its source, and then the message": (
        'File "a.ml", line 12, characters 4-9:\n12 |     f x\n         ^^^\nError: Unbound value f\n\na.f90:3:8:\n\n    3 |   integer x\n      |        1\nError: Symbol \u2018x\u2019 at (1) has a type\n',
        [("a.ml", "12", "", "Error: Unbound value f"), ("a.f90", "3", "8", "Error: Symbol \u2018x\u2019 at (1) has a type")],
    ),
    "in a frame": (
        '\u2577\n\u2502 Error: Unsupported argument\n\u2502 \n\u2502   on main.tf line 12, in resource "x" "y":\n\u2502   12:   foo = 3\n\u2575\n\u2577\n\u2502 Error: Missing name\n\u2502 \n\u2502   on b.tf line 3:\n\u2575\n',
        [("main.tf", "12", "", "Error: Unsupported argument"), ("b.tf", "3", "", "Error: Missing name")],
    ),
    "a level and its number before the place": (
        "Warning 18 in doc/a.tex line 97: Use either `` or ''.\nerror in b.cfg, line 3: no such key",
        [("doc/a.tex", "97", "", "Warning 18: Use either `` or ''."), ("b.cfg", "3", "", "error: no such key")],
    ),
    "behind a stamp": ("2026-11-06T14:22:01.123Z src/a.py:3:1: E501 line too long", [("src/a.py", "3", "1", "E501 line too long")]),
}  # fmt: skip


@pytest.mark.parametrize(("text", "records"), SHAPES.values(), ids=SHAPES.keys())
def test_a_record_is_read_in_the_form_of_every_tool(text: str, records: list[tuple[str, ...]]) -> None:
    assert [tuple(one) for one in RecordReader().read(text.split("\n"))] == records


NO_RECORDS = {
    "traceback": 'Traceback (most recent call last):\n  File "/a.py", line 3, in f\n    g()\nValueError: x',
    "clock": "12:30:45 started\n12:30:46 INFO: done",
    "host": "localhost:8080 error: refused\n10.0.0.1:443: warning: x",
    "diff": "@@ -1,3 +1,4 @@\n a.py\n+b: 3",
    "source": "   12 |     warn(a)\n   13 |     error(b)",
}


@pytest.mark.parametrize("text", NO_RECORDS.values(), ids=NO_RECORDS.keys())
def test_what_names_no_place_is_no_record(text: str) -> None:
    assert RecordReader().read(text.split("\n")) == []


MARKS = {
    "error[E0382]: borrow of moved value": ("error", "E0382"),
    "warning CS0168: unused": ("warning", "CS0168"),
    "SC2086 (info): Double quote": ("info", "SC2086"),
    "error MD013/line-length Line length [Expected: 80; Actual: 152]": ("error", "MD013"),
    "warning: x is odd [bugprone-x,cert-y]": ("warning", "bugprone-x,cert-y"),
    "error  Unexpected var  no-var": ("error", "no-var"),
    "[warning] too long (line-length)": ("warning", "line-length"),
    "warning  oas3-unused-part  It is not used.  a.b": ("warning", "oas3-unused-part"),
    "! eslint(no-var): Unexpected var.": ("", "eslint(no-var)"),
    "\u2718 [ERROR] Could not resolve it": ("ERROR", ""),
    "DEPRECATION WARNING: it goes": ("DEPRECATION WARNING", ""),
    "Error strings should not be capitalized": ("", ""),
    "undefined: x": ("", ""),
    "C: [Correctable] Style/Redundant: Redundant begin.": ("C", "Style/Redundant"),
    "W: Lint/MissingSuper: Call super.": ("W", "Lint/MissingSuper"),
    "Extra space after (  [whitespace/parens] [4]": ("", "whitespace/parens"),
    "Warning 18: Use either": ("Warning", "18"),
    "%Warning-WIDTH: expects 8 bits": ("Warning", "WIDTH"),
    "error \u2022 Undefined name 'x' \u2022 undefined_name": ("error", "undefined_name"),
}


@pytest.mark.parametrize(("message", "marks"), MARKS.items(), ids=MARKS.keys())
def test_a_message_carries_its_level_and_its_rule(message: str, marks: tuple[str, str]) -> None:
    assert marks_of(message) == marks


def test_the_share_of_records_tells_them_from_matches_of_a_search() -> None:
    checked = [f"src/a{n}.py:{n}:1: E501 line too long ({n} > 79)" for n in range(100)]
    undefined = [f"./a{n}.go:{n}:2: undefined: x" for n in range(100)]
    found = [f"src/a{n}.py:{n}:import os" for n in range(100)]
    indented = [f"src/a{n}.py:{n}:    error: str = ''" for n in range(100)]
    distinct = [f"src/a{n}.md:{n}: {chr(97 + n % 26) * (n % 7 + 3)} {n}" for n in range(100)]
    assert [share_of(lines) for lines in (checked, undefined, found, indented, distinct)] == [1, 1, 0, 0, 0]
    assert 0.05 < share_of([*checked[:10], *("Compiling x" for _ in range(90))]) < 0.15
