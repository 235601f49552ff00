"""What the specification and the design say of `smart`."""

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from name_trees import all_items, read_tree
from overspill import MemoryStore, Overspill
from overspill.cut.smart.units import NOVEL

LEVELS = ["INFO", "DEBUG"]


def spill_with(limit: int = 8_000, **settings: object) -> Overspill:
    truncation: dict[str, object] = {"inline_limit": limit, "artifact_threshold": 10_000_000}
    return Overspill({"tools": {"truncation": truncation | settings}}, MemoryStore())


def smart(text: str, limit: int = 8_000, focus: str | None = None, kind: str | None = None) -> str:
    fitted = spill_with(limit).fit(text, strategy="smart", focus=focus, kind=kind)
    assert fitted.report.strategy_used == "smart", fitted.report.fallback
    assert len(fitted.text) <= limit
    return fitted.text


def log(lines: int, planted: dict[int, str] | None = None) -> str:
    """A log of so many lines, and other lines planted at these numbers."""
    said = [
        f"2024-11-06 14:{number // 60 % 60:02}:{number % 60:02} {LEVELS[number % 2]} worker-{number % 7}: "
        f"request {number * 7919 % 100_003} done in {number % 97} ms"
        for number in range(1, lines + 1)
    ]
    for number, line in (planted or {}).items():
        said[number - 1] = line
    return "\n".join(said) + "\n"


def test_a_fatal_line_in_the_middle_of_a_long_log_is_shown() -> None:
    """STR-06: planted at line 9,000 of 20,000."""
    planted = "2024-11-06 15:00:00 FATAL storage: controller sdb is gone"
    assert planted in smart(log(20_000, {9_000: planted}))


def test_errors_come_before_warnings_and_these_before_the_rest() -> None:
    """STR-06, P-01."""
    planted = {
        number: f"2024-11-06 15:00:00 WARN cache: {'abcdefghij'[number % 10]} is slow" for number in range(500, 700)
    }
    planted |= {number: f"2024-11-06 15:00:00 ERROR db: lost {'ghijklmnop'[number % 10]}" for number in range(900, 910)}
    view = smart(log(3_000, planted), 3_000)
    assert all(line in view for line in (planted[number] for number in range(900, 910)))
    assert [letter for letter in "abcdefg" if f"{letter} is slow x20" not in view] == []  # all of them in one statement


def test_twenty_errors_that_differ_in_their_ids_alone_all_survive() -> None:
    """Errors fold on literal equality only."""
    ids = [f"ORD-{number * 7919 % 100_000:05}" for number in range(20)]
    planted = {
        400 + 90 * number: f"2024-11-06 15:00:00 ERROR pay: order {one} was not paid" for number, one in enumerate(ids)
    }
    view = smart(log(3_000, planted))
    listed = re.findall(r"\d+", "".join(re.findall(r"order ORD-\{([^}]*)\} was not paid", view)))
    assert [one for one in ids if one not in view and one.removeprefix("ORD-") not in listed] == []


@pytest.mark.parametrize(
    "look_alike",
    [
        "INFO build finished: 0 errors, 0 warnings",
        "INFO request 17 done error=None",
        'DEBUG {"error": null, "failed": false}',
        "INFO check: no failures, no errors",
        "INFO compiling src/errors/error_handler.c",
        "INFO suite done failures=0 errors=0",
        "INFO exited with code 0",
        "tests/test_errors.py::test_error_is_fatal PASSED [ 12%]",
        "test errors::fails_on_panic ... ok",
        "ok 12 - fails with an error",
        "    \u2713 throws an error (3 ms)",
        "INFO finished without errors",
    ],
)
def test_a_line_is_never_chosen_for_what_only_looks_like_an_error(look_alike: str) -> None:
    line = f"2024-11-06 15:00:00 {look_alike}" if look_alike.startswith(("INFO", "DEBUG")) else look_alike
    text = log(3_000, {1_500: line})
    report = spill_with().fit(text, strategy="smart").report
    reasons = [why for start, end, why in report.whys if line in text[start:end]]
    assert set(reasons) <= {NOVEL}, "it is rare, and that is all there is to it"


def test_a_traceback_is_shown_whole_with_its_cause() -> None:
    chain = """Traceback (most recent call last):
  File "/srv/app/db.py", line 41, in connect
    return pool.take()
KeyError: 'primary'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/srv/app/web.py", line 7, in handle
    db = connect()
ConnectionError: no database for tenant 42"""
    view = smart(log(4_000, {2_000: chain}))
    assert chain in view


def test_java_causes_are_shown() -> None:
    frames = "\n".join(f"\tat com.acme.deep.Layer{number}.call(Layer{number}.java:{number})" for number in range(80))
    trace = f"java.lang.IllegalStateException: outer\n{frames}\nCaused by: java.io.IOException: disk quota\n{frames}"
    view = smart(log(4_000, {2_000: trace}), 4_000)
    assert "IllegalStateException: outer" in view
    assert "Caused by: java.io.IOException: disk quota" in view


def test_every_failed_test_of_a_real_run_is_named(tmp_path: Path) -> None:
    """Sixty failures: every name, the summary, and the two that are unlike the others in detail."""
    (tmp_path / "test_many.py").write_text(
        """
import pytest

@pytest.mark.parametrize("number", range(290))
def test_number(number):
    assert number % 5, f"{number} is a multiple"

def test_lookup():
    {"a": 1}["missing key"]

def test_words():
    assert "left words" == "right words"
"""
    )
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "test_many.py"]
    report = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    assert len(report) > 20_000
    view = smart(report)
    names = re.findall(r"(?m)^FAILED (\S+)", report)
    assert len(names) == 60
    tree = re.search(r"(?m)^\[60 failed tests: (.*(?:\n\[ .*)*)\]$", view)
    assert tree
    named = {item.name for item in all_items(read_tree(tree[1].replace("\n[", ""))[0])}
    assert [name for name in names if name not in named] == []
    assert "60 failed, 232 passed" in view
    assert "KeyError: 'missing key'" in view
    assert "left words" in view


def test_compiler_errors_are_all_shown_before_warnings() -> None:
    said = []
    for number in range(120):
        said += [
            f"src/unit_{number}.c:12:7: warning: unused variable 'v{number}' [-Wunused-variable]",
            "   12 |   int v;",
        ]
        if number % 15 == 0:
            said += [f"src/unit_{number}.c:40:3: error: unknown type name 'type_{number}_t'", "   40 |   type_t x;"]
    said.append("make: *** [Makefile:9: all] Error 2")
    view = smart("\n".join(said) + "\n", 3_000)
    assert "[8x ~error: unknown type name 'type_0_t' @ unit_0.c:40:3; " in view
    wanted = [f"unit_{number}.c:40:3 'type_{number}_t'" for number in range(15, 120, 15)]
    assert [place for place in wanted if place not in view] == []
    assert view.index("unknown type name") < view.index("unused variable")
    assert "make: *** [Makefile:9: all] Error 2" in view


def test_repeated_lines_are_shown_once_and_counted() -> None:
    text = "start\n" + "waiting for the lock\n" * 1_482 + "gave up\n" + log(10)
    view = smart(text, 2_000)
    assert "[1482x waiting for the lock]\n" in view
    assert view.count("waiting for the lock") == 1
    assert "\ngave up\n" in view


def test_repeated_blocks_are_shown_once_and_counted() -> None:
    block = "connect\n  refused by the other side of the wire\nsleep\n"
    view = smart("start\n" + block * 200 + "gave up\n", 1_500)
    assert "[200x connect]\n[200x refused by the other side of the wire]\n[200x sleep]\n" in view
    assert view.endswith("\ngave up\n")


def test_what_is_asked_for_comes_first() -> None:
    """`focus` counts literally, without regard to capitals, and before every error."""
    planted = {
        7_000 + number: f"2024-11-06 15:00:00 INFO tenant: Quota of ACME-{number} raised" for number in range(99)
    }
    planted |= {number: f"2024-11-06 15:00:00 ERROR db: lost {number}" for number in range(100, 400)}
    text = log(9_000, planted)
    assert planted[7_077] not in smart(text, 2_000)
    assert planted[7_077] in smart(text, 2_000, focus="quota of acme-77")


def test_a_long_line_is_shortened_around_its_signal() -> None:
    wide = f"2024-11-06 15:00:00 INFO dump {'x1 ' * 4_000}FATAL: pump 7 has stopped {'y2 ' * 4_000}"
    view = smart(log(400, {200: wide}))
    assert "FATAL: pump 7 has stopped" in view


def test_embedded_media_is_named_and_left_out() -> None:
    image = "iVBORw0KGgoAAAANSUhEUgAA" * 400
    text = f'<img alt="plan" src="data:image/png;base64,{image}"><p>read me</p>' + "z = 1;" * 2_000
    view = smart(text, 3_000, kind="one_line")
    assert "image/png" in view
    assert "read me" in view
    assert view.count("iVBORw0KGgo") <= 2


def test_matches_are_spread_over_files_and_counted() -> None:
    files = [f"src/part_{number}/unit.py" for number in range(30)]
    text = "".join(f"{file}:{number}:    value = compute({number})\n" for file in files for number in range(1, 60))
    view = smart(text, 4_000)
    assert "1770 matches in 30 files" in view
    assert [file for file in files if f"{file}:1:" not in view] == []


def test_a_listing_is_spread_over_directories_and_counted() -> None:
    text = "".join(f"./part_{part}/file_{number}.txt\n" for part in range(12) for number in range(80))
    view = smart(text, 3_000)
    assert "[960 paths: ./{part_0/" in view
    assert [part for part in range(12) if f"part_{part}/{{file_*.txt 80" not in view] == []


def test_the_setting_chooses_smart_only_where_nobody_chose() -> None:
    """CFG-08, X-19: the switch governs the automatic choice, an explicit strategy always works."""
    text = log(3_000, {1_500: "2024-11-06 15:00:00 FATAL it is gone"})
    for enabled, strategy, used in ((True, None, "smart"), (False, None, "tail"), (False, "smart", "smart")):
        spill = spill_with(smart_truncation={"enabled": enabled})
        assert spill.fit(text, tool="execute_command", strategy=strategy).report.strategy_used == used
    chosen = spill_with(smart_truncation={"enabled": True}, overrides={"execute_command": {"strategy": "head"}})
    assert chosen.fit(text, tool="execute_command").report.strategy_used == "head"
    assert chosen.fit(text, tool="read_file").report.strategy_used == "smart"


def test_the_presets_differ() -> None:
    """Presets: `agent` chooses by content, `spec` by tool."""
    text = log(3_000)
    assert Overspill(store=MemoryStore(), preset="agent").fit(text, tool="bash").report.strategy_used == "smart"
    assert Overspill(store=MemoryStore()).fit(text, tool="bash").report.strategy_used == "tail"


def test_errors_need_not_come_first() -> None:
    """CFG-08: `prioritize_errors: false`."""
    planted = "2024-11-06 15:00:00 FATAL storage: controller sdb is gone"
    spill = spill_with(smart_truncation={"prioritize_errors": False})
    assert planted not in spill.fit(log(9_000, {4_000: planted}), strategy="smart").text


def test_the_report_says_why() -> None:
    planted = "2024-11-06 15:00:00 FATAL storage: controller sdb is gone"
    text = log(9_000, {4_000: planted})
    report = spill_with().fit(text, strategy="smart").report
    reasons = {text[start:end].strip(): why for start, end, why in report.whys}
    assert reasons[planted] == "fatal"
    assert "last line" in reasons.values()


def test_a_test_report_of_five_megabytes_shows_its_summary_and_its_errors() -> None:
    """P-18: within the budget, reference included."""
    report = "".join(f"tests/test_unit.py::test_case_{number} PASSED [ 50%]\n" for number in range(105_000))
    report += "E       AssertionError: totals differ: 41 != 42\n\ntests/test_unit.py:7: AssertionError\n"
    report += "FAILED tests/test_unit.py::test_total - AssertionError: totals differ: 41 != 42\n"
    report += "=========== 1 failed, 105000 passed in 312.07s ===========\n"
    assert len(report) > 5_000_000
    view = Overspill(store=MemoryStore(), preset="agent").fit(report, tool="bash").text
    assert len(view) <= 8_000
    for wanted in (
        "E       AssertionError: totals differ: 41 != 42",
        "FAILED tests/test_unit.py::test_total",
        "1 failed, 105000",
    ):
        assert wanted in view


def test_both_ends_are_found_faster_than_what_matters() -> None:
    """AC-076: the best of several runs of each."""
    text = log(9_000)
    spill = spill_with()

    def best(strategy: str) -> float:
        def once() -> float:
            started = time.process_time()
            spill.fit(text, strategy=strategy)
            return time.process_time() - started

        return min(once() for _ in range(5))

    assert best("head_tail") < best("smart")


def test_lines_below_a_warning_that_differ_in_numbers_alone_make_room_for_others() -> None:
    """STR-06: of a run the first and the last are shown; what is new is shown, and warnings have a statement."""
    quiet = [f"2024-11-06 12:00:{number % 60:02} INFO queue: job {number + 1} is done" for number in range(240)]
    odd = "2024-11-06 12:00:00 INFO queue: paused by the operator"
    view = smart("\n".join([*quiet[:120], odd, *quiet[120:]]) + "\n", 1_500)
    assert "[240x ~2024-11-06 {12:00:00 .. 12:00:59} INFO queue: job {1..240} is done]" in view
    assert all(line in view for line in (odd, quiet[-1]))
    loud = [line.replace("INFO", "WARN") for line in quiet[:20]]
    view = smart("\n".join([*quiet, *loud]) + "\n", 3_000)
    assert "[20x ~2024-11-06 {12:00:00 .. 12:00:19} WARN queue: job {1..20} is done]" in view
    assert loud[-1] in view


def helpers(count: int) -> str:
    """A source file of two functions worth reading between many small ones."""
    small = [f"function helper{number}(value) {{\n  return value + {number};\n}}\n" for number in range(count)]
    body = "".join(f"  audit.note('step {number} of the login');\n" for number in range(30))
    large = [
        f"export async function {name}(req, res) {{\n{body}  return done(req, res);\n}}\n"
        for name in ("enter", "leave")
    ]
    return "import { done, audit } from './done';\n\n" + "\n".join([large[0], *small, large[1]])


def omitted_in(view: str) -> str:
    """The note that names what is not shown, as one line; none of its own is longer than 120 characters."""
    found = re.search(r"^\[omitted: [^\]]*\]$", view, re.MULTILINE)
    assert found
    assert max(map(len, found[0].splitlines())) <= 120
    return found[0].replace("\n", "")


def test_functions_of_code_are_whole_or_named() -> None:
    """STR-05, X-16, P-01: `[omitted: a, b, c, +5 more]`, and no line of ours is longer than 120 characters."""
    text = helpers(120)
    view = smart(text, 2_000)
    named = omitted_in(view)
    assert max(len(line) for line in view.splitlines() if "omitted" in line and "original " not in line) <= 120
    bodies = [f"function helper{number}(value) {{\n  return value + {number};\n}}\n" for number in range(120)]
    more = sum(map(int, re.findall(r"\+(\d+) more", named)))
    # A function is shown whole, or its name stands in the note, or it is counted there.
    missing = [
        number for number in range(120) if bodies[number] not in view and not re.search(rf"\bhelper{number}\b", named)
    ]
    assert len(missing) <= more


def test_names_that_do_not_fit_are_counted() -> None:
    """X-16, STR-05."""
    assert re.search(r", \+\d+ more\]$", omitted_in(smart(helpers(400), 1_500)))


def test_functions_need_not_be_kept_whole() -> None:
    """CFG-08: `preserve_functions: false`."""
    spill = spill_with(2_000, smart_truncation={"preserve_functions": False})
    assert "[omitted: " not in spill.fit(helpers(120), strategy="smart", kind="code").text


def big_diff(files: int = 200, hunks: int = 12) -> str:
    """A diff of three megabytes."""
    said: list[str] = []
    for number in range(files):
        path = f"src/part_{number // 20}/module_{number}.py"
        said.append(f"diff --git a/{path} b/{path}\nindex 1111111..2222222 100644\n--- a/{path}\n+++ b/{path}\n")
        # Small files at both ends, as in a change of many files, and large ones between.
        many = hunks if 12 <= number < files - 12 else 1
        wide = 30 if many > 1 else 1
        for hunk in range(many):
            lines = [f" unchanged line {line} of module {number}, hunk {hunk}\n" for line in range(wide)]
            body = [f"-old value {number} {hunk}\n", f"+new value {number} {hunk}\n"]
            start = 1 + hunk * 100
            said.append(f"@@ -{start},{wide + 1} +{start},{wide + 1} @@\n" + "".join(lines + body))
    return "".join(said)


@pytest.mark.parametrize("how", ["whole", "stream"])
def test_both_ends_of_a_large_diff_are_whole_files(how: str) -> None:
    """P-19, X-18: first files, last files, and how many files and hunks lie between."""
    diff = big_diff(hunks=14)
    assert len(diff) > 3_000_000
    output = diff if how == "whole" else (diff[at : at + 65_536] for at in range(0, len(diff), 65_536))
    fitted = Overspill(store=MemoryStore()).fit(output, tool="git_diff")
    view = fitted.text
    assert fitted.report.strategy_used == "head_tail"
    assert len(view) <= 8_000
    note = re.search(r"^\[(\d+) files omitted showing (\d+) hunks / (?:[23]\.\d) MB diff\]$", view, re.MULTILINE)
    assert note
    shown = re.findall(r"^diff --git a/\S+module_(\d+)\.py", view, re.MULTILINE)
    assert shown[:10] == [str(number) for number in range(10)]
    assert shown[-5:] == [str(number) for number in range(195, 200)]
    assert int(note[1]) == 200 - len(shown)
    assert int(note[2]) == diff.count("\n@@ -") - view.count("\n@@ -")
    for start, end in fitted.report.kept:
        assert diff.startswith(("diff --git ", "@@ -"), start)
        assert end == len(diff) or diff.startswith(("diff --git ", "@@ -"), end)


@pytest.mark.parametrize("how", ["whole", "stream"])
def test_a_large_diff_names_all_its_files(how: str) -> None:
    """P-19, X-18: under `smart`, every path with its counts, and whole hunks, also where it comes in pieces."""
    diff = big_diff(hunks=14)
    output = diff if how == "whole" else (diff[at : at + 65_536] for at in range(0, len(diff), 65_536))
    spill = Overspill({"tools.truncation.overrides.git_diff.strategy": "smart"}, MemoryStore())
    fitted = spill.fit(output, tool="git_diff")
    assert fitted.report.strategy_used == "smart"
    assert len(fitted.text) <= 8_000
    found = re.search(r"^\[200 files changed: [^\]]*\]$", fitted.text, re.MULTILINE)
    assert found
    assert max(map(len, found[0].splitlines())) <= 120
    said = found[0].replace("\n[", "")
    counts = [14 if 12 <= number < 188 else 1 for number in range(200)]
    assert [
        number for number in range(200) if f"module_{number}.py +{counts[number]} -{counts[number]}" not in said
    ] == []
    for start, end in fitted.report.kept:
        assert diff.startswith(("diff --git ", "@@ -"), start)
        assert end == len(diff) or diff.startswith(("diff --git ", "@@ -"), end)


def test_a_view_ends_where_nothing_new_is_left_unless_the_room_is_to_be_used() -> None:
    text = log(1_300)
    short = spill_with().fit(text, strategy="smart").text
    full = spill_with(smart_truncation={"fill": "always"}).fit(text, strategy="smart").text
    assert len(short) < 2_000
    assert 7_000 < len(full) <= 8_000
