"""Names that lines begin with are told as one list, whatever stands behind them; every count in it is counted again."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from truth import false_statements

from overspill import MemoryStore, Overspill
from overspill.cut.digest.leading_names import NameList, headed_lines, names_led_by
from smart_views import seen

WORDS = ("brass", "clay", "dusk", "elm", "fern", "gate")
NAMES = [
    f"{first}{sign}{last}{sign}{end}" for sign in "._" for first in WORDS for last in WORDS for end in ("on", "at")
]
FORMS = {
    "arrow": "{} => 8M => 8M\n", "option": "      --{}=#\n          It is what somebody sets.\n", "equal": "{} = 17\n",
    "metric": '{}{{device="eth0"}} 3.5e+07\n', "quoted": '{} "17";\n', "colon": "  {}: some value\n",
    "column": "{}      (No default value)\n", "whence": "{}(default) = 17\n",
    "set in": "   {}       Do what it says\n",
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_every_name_of_a_list_of_settings_is_told(form: str) -> None:
    """STR-06: which settings, options or metrics there are is asked before what each is set to."""
    names = [name.replace(".", "-") if form == "option" else name for name in NAMES]
    parts = [
        FORMS[form].format(name) + ("\nAnd of another sort:\n" if at % 9 == 0 else "") for at, name in enumerate(names)
    ]
    text = "Usage of all that there is\n" + "".join(parts)
    fitted = seen(text, 2_500)
    assert f"[{len(NAMES)} {'fields' if form == 'equal' else 'names'}: " in fitted.text
    assert not [*false_statements(text, fitted.text, "text")]


def test_lines_that_are_a_name_each_are_told_as_a_tree_where_that_is_shorter() -> None:
    """STR-06: a list of names that share most of their parts is told in less room than it takes, and no name again."""
    names = [f"WAREHOUSE_{kind}_{where}_{what}" for kind in ("DOOR", "LID") for where in WORDS for what in WORDS]
    text = "".join(f"{name}\n" for name in names)
    fitted = seen(text, 1_150)
    told = fitted.text[: fitted.text.index("]\n")]
    assert told.startswith("[72 names: WAREHOUSE_{DOOR_{brass_{brass, clay, ")
    assert "+" not in told  # every one of them
    assert fitted.text.endswith(f"\n{names[-1]}\n")
    assert not any(name in fitted.text for name in names[:-1])
    assert not [*false_statements(text, fitted.text, "text")]


def test_of_machines_and_mail_names_are_told_not_what_they_are_like() -> None:
    """STR-06: `1500x ~jo17@shop.example` says not who is there, and none of it is a path."""
    for form in ("web{}.shop{}.example.org", "jo{}@shop{}.example.org"):
        text = "".join(f"{form.format(at * 37 % 997, at % 7)}\n" for at in range(300))
        fitted = seen(text, 2_500)
        first, second = (form.format(*one).removesuffix(".example.org") for one in ((0, 0), (37, 1)))
        assert fitted.text.startswith(f"[300 names: {{{first}, {second}, ")
        assert not [*false_statements(text, fitted.text, "text")]


def test_lines_that_share_little_are_shown_as_they_are() -> None:
    assert names_led_by([name[::-1].replace(".", "").replace("_", "") for name in NAMES]) is None
    assert names_led_by([f"{'abcdef'[at % 6]}{at:08x}" for at in range(400)]) is None


def test_words_that_lines_of_a_log_begin_with_are_no_names() -> None:
    lines = [f"{('kernel', 'sshd', 'cron')[at % 3]}: message {at} of the day" for at in range(400)]
    assert names_led_by(lines) is None
    assert names_led_by([f"10.0.{at // 9}.{at % 9} = up" for at in range(400)]) is None


@given(st.lists(st.from_regex(r"[a-d]{2,4}([._-][a-d]{2,5}){0,3}", fullmatch=True), unique=True), st.integers(20, 900))
def test_a_list_of_names_adds_up_in_any_room(names: list[str], room: int) -> None:
    lines = NameList(names).lines(room)
    assert sum(len(line) + 1 for line in lines) <= room
    text = "".join(f"{name} = 1\n" for name in names)
    assert not [*false_statements(text, "".join(f"{line}\n" for line in lines) + text, "text")]


def test_blocks_are_named_that_are_set_apart_by_what_is_indented_below_them() -> None:
    """What a package manager says of each package: its names, once, before what is the same in all."""
    names = [f"lib{one}{two}" for one in ("brass", "clay", "dusk", "elm", "fern") for two in ("", "-dev", "core", "x")]
    text = "".join(
        f"{name}:\n  Installed: 1.{at}.2-3\n  Candidate: 1.{at}.2-3\n  Versions:\n *** 1.{at}.2-3 500\n    100 /var\n"
        for at, name in enumerate(names)
    )
    fitted = seen(text, 1_200)
    told = next(line for line in fitted.text.split("\n") if line.startswith("[20 blocks: "))
    assert all(f" {name}:" in told for name in names)
    assert not [*false_statements(text, fitted.text, "text")]


KINDS = ("function", "macro", "macro", "macro", "member", "variable")


def index_of(number: int) -> str:
    """As `ctags -x` writes it: a name, its kind, its line, its file, and that line."""
    names = [
        f"{one}_{two}_{at}" for at, (one, two) in enumerate((one, two) for one in "abcdefgh" for two in "klmnopqrst")
    ]
    rows = [(name, KINDS[at % 6], at * 7 + 1, f"part{at % 5}.c") for at, name in enumerate(names[:number])]
    rows += [
        ("shelf_s", "struct", 12, "shelf.h"),
        ("both", "function", 3, "part0.c"),
        ("both", "function", 9, "part0.c"),
    ]
    return "".join(
        f"{name:<16} {kind:<12} {line:>4} {file:<12} static {name}({line})\n" for name, kind, line, file in rows
    )


def test_how_many_of_a_thing_are_ready_is_no_file_of_it() -> None:
    """19: rows of `kubectl get pods` are no index, though one column is words and another has strokes in it."""
    pods = [f"prod        shop-{at * 7919 % 4096:03x}-{at:03d}   1/1   Running   0   {at + 2}h" for at in range(60)]
    pods[41] = "prod        shop-b8e-041   0/1   CrashLoopBackOff   17   43h"
    view = seen("\n".join(["NAMESPACE   NAME   READY   STATUS   RESTARTS   AGE", *pods, ""]), 1_200).text
    assert "by file" not in view
    assert "CrashLoopBackOff, Running 59" in view


def symbols_of(number: int) -> str:
    """As `nm` writes them: an address, a letter, a name."""
    return "".join(
        f"{at * 4_096:016x} {'tTTTD'[at % 5]} lib_{'abcdef'[at % 6]}x{at * 7 % 97}y{at}@@V1\n" for at in range(number)
    )


def test_an_index_of_names_is_told_by_kinds_and_files() -> None:
    """19: what there is few of, and what is defined, before all else; each name with its file."""
    text = index_of(80)
    view = seen(text, 3_000).text
    assert "[83 names by kind: struct, member 13, variable 13, function 16, macro 40]" in view
    assert "[names by file: shelf.h, part1.c 16, part2.c 16, part3.c 16, part4.c 16, part0.c 18]" in view
    assert "[1 struct names by file: shelf.h: shelf_s]" in view
    assert "[16 function names by file: part0.c: a_k_0, d_k_30, g_k_60, both x2; part1.c: " in view
    assert false_statements(text, view) == []
    for right, wrong in (
        ("16 function", "17 function"),
        ("both x2", "both"),
        ("part1.c: ", "part2.c: "),
        ("13, v", "14, v"),
    ):
        assert false_statements(text, view.replace(right, wrong)), wrong


def test_a_table_of_symbols_is_told_by_kinds_and_the_end_they_share_once() -> None:
    text = symbols_of(200)
    view = seen(text, 3_000).text
    assert "[200 names by kind: t 40, D 40, T 120]" in view
    assert re.search(r"\[40 D names: lib_\{.*\}@@V1\]|\[40 D names: \{lib_.*\}@@V1\]", view)
    assert false_statements(text, view) == []
    assert false_statements(text, view.replace("[40 D names", "[41 D names"))


@pytest.mark.parametrize(
    "line",
    [
        "12:00:{0:02} INFO worker started job{0} 17 main.py",
        "PASS test_{0} 12 suite{1}.py is fine",
        "{0} item{0} costs {1} at shop.example",
        "-rw-r--r-- 1 root root {0} Jun 24 2025 file{0}.py",
    ],
)
def test_what_is_no_index_is_not_told_as_one(line: str) -> None:
    view = seen("".join(f"{line.format(at, at % 7)}\n" for at in range(300)), 2_000).text
    assert "names by kind" not in view


def test_lines_among_which_one_has_all_that_is_indented_are_no_heads() -> None:
    """A log before one large document of JSON: each of its lines would be told with the none that stand below it."""
    lines = [*(f"step {at} is well" for at in range(20)), "[", *[' {"id": 3},'] * 90, "]"]
    assert headed_lines(lines) == {}
    assert len(headed_lines([line for at in range(20) for line in (f"name {at}", *["\tpart"] * (at % 5))])) == 20


def test_a_header_behind_a_sign_for_remarks_names_columns_above_a_dotted_line() -> None:
    """What a profiler prints: the names and the line below them begin as the remarks above them do."""
    rows = [f"{40 - at / 10:9.2f}%  [{'k' if at % 3 else '.'}] part_{'abcdefgh'[at % 8]}_{at}" for at in range(200)]
    lines = ["# Samples: 27K of event 'clock'", "#", "# Overhead  Symbol", f"# {'.' * 8}  {'.' * 40}", "#", *rows, "#"]
    text = "\n".join(lines) + "\n"
    shown = Overspill(store=MemoryStore(), preset="agent").fit(text, budget=2_000).text
    assert "\n[200 rows]\n" in shown
    assert "\n[# Overhead: 20.10% .. 40.00%" in shown
    assert "[values" not in shown
    assert false_statements(text, shown) == []
