"""Lines of as many words that agree in some: what they say elsewhere is told as of a column, and is true."""

import random
import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from truth import false_statements

from overspill import MemoryStore, Overspill
from overspill.cut.digest.patterns import LikeLines, WordTable
from overspill.cut.digest.templates import Template, TemplateTable, cut_keys, line_groups, masked_lines, template_of


def view_of(text: str, limit: int = 3_000) -> str:
    return Overspill(store=MemoryStore(), preset="agent").fit(text, tool="run", strategy="smart", budget=limit).text


def statement_in(view: str, start: str) -> str:
    return next(line for line in view.split("\n") if line.startswith(start))


SIGNS = st.sampled_from("ab z09/,;()[]{}<>='\"\t\r\x1f\x0b\0#.:-_\u00e9\u3000\xa0\u65e5\U0001f389\ud800")


@given(st.lists(st.text(SIGNS, max_size=14), min_size=1, max_size=6))
def test_what_varies_is_masked_in_many_lines_at_once_as_in_each_by_itself(lines: list[str]) -> None:
    assert masked_lines(lines) == [*map(template_of, lines)]


@given(st.lists(st.text(SIGNS.filter(str.isascii), max_size=14), min_size=1, max_size=9))
def test_lines_that_are_equal_when_their_words_are_cut_are_alike(lines: list[str]) -> None:
    keys = cut_keys("\n".join(lines))
    assert len(keys) == (0 if any("\0" in line for line in lines) else len(lines))
    known = dict(zip(keys, map(template_of, lines), strict=False))
    assert all(known[key] == template_of(line) for key, line in zip(keys, lines, strict=False))


@pytest.mark.parametrize("odd", ["", "\u00e9t\u00e9 7", "a\0 8", "x" * 1_200, "x" * 990 + "7" * 90, "'a 1' b"])
def test_lines_are_counted_by_what_they_say_whatever_letters_their_ids_have(odd: str) -> None:
    lines = [f"{at} job {at * 7919:08x} done/{at:x}" for at in range(900)]
    lines[300:300] = [odd] * 3
    table = TemplateTable()
    table.add("\n".join(lines))
    assert {name: one.count for name, one in table.found.items()} == Counter(
        template_of(line) for line in lines if line and len(line) <= 1_000
    )


def test_words_without_a_digit_are_told_as_the_names_they_are() -> None:
    """Rows that nobody named: all names fit, so all are told, and no row is shown for itself."""
    names = [
        f"lib{one}{two}" for one in ("z", "xslt", "xcb", "uuid", "ssl", "pq") for two in ("", "core", "glue", "util")
    ]
    text = "".join(f"\t{name}.so (libc,x86) => /lib/x86/{name}.so.1.4.0-as-it-was-built\n" for name in names * 4)
    told = statement_in(view_of(text), "[96x ~{")
    assert all(f"{name}.so 4" in told for name in names)
    assert "(libc,x86) => {" in told


def test_lines_that_share_a_time_and_nothing_else_are_not_told_as_alike() -> None:
    """Any two words of a kernel's log are no kind of line."""
    draw = random.Random(3)
    words = [
        f"{one}{two}{three}" for one in ("ker", "mod", "bus", "pin") for two in "aeiou" for three in ("lt", "rd", "x")
    ]
    lines = [f"[ {at / 1000:9.6f}] {draw.choice(words)} {draw.choice(words)}" for at in range(40)]
    lines += [f"[ {at / 1000:9.6f}] usb 1-{at}: new device found" for at in range(40, 160)]
    view = view_of("\n".join(lines) + "\n", 1_500)
    told = [line for line in view.split("\n") if "x ~" in line[:9]]
    assert told
    assert all("usb" in line for line in told)


def test_settings_are_told_by_their_keys_and_values() -> None:
    keys = [f"kernel.{one}{two}_{three}_max" for one in "abcdefgh" for two in "klmnopq" for three in "rstuvw"]
    view = view_of("".join(f"{key} = {at % 3}\n" for at, key in enumerate(keys)))
    assert statement_in(view, "[336 fields: kernel.{ak_r_max=0, ak_s_max=1, ")
    assert statement_in(view, "[values: ") == "[values: 0 112, 1 112, 2 112]"


def test_many_numbers_and_dates_are_told_by_their_ends_and_hashes_by_one() -> None:
    draw = random.Random(7)
    rows = [f"{10 + at // 60}:{at % 60:02}:07 pushed {draw.randbytes(20).hex()} in {at + 3}ms" for at in range(300)]
    told = statement_in(view_of("\n".join(rows) + "\n"), "[300x ~")
    assert told.startswith("[300x ~{10:00:07 .. 14:59:07} pushed {")
    assert told.endswith(", +299} in {3..302}ms]")


def test_a_statement_speaks_of_every_line_that_agrees_with_it() -> None:
    """Also of those whose names hold a digit, and of those that hold none: they are one list to a reader."""
    names = ("swappiness", "overcommit", "laptop", "drop", "zone", "oom", "max", "min", "compact", "dirty")
    text = "".join(f"net.ipv{at % 2 * 2 + 4}.opt_{at} is {at % 5}\n" for at in range(300))
    assert statement_in(view_of(text + "".join(f"vm.{name} is 1\n" for name in names)), "[310x ~{")


@pytest.mark.parametrize("limit", [700, 2_000, 8_000])
def test_what_is_said_of_awkward_words_is_true(limit: int) -> None:
    """Quotes, braces, commas and pluses of the text are told from ours."""
    words = ['"x"', '"""', "a,b", "{c}", "+3", "d\\", "x=1", "x=2", "..", "~", "[e]", "f:", "g 1"]
    draw = random.Random(3)
    lines = [f"put {draw.choice(words)} at {draw.choice(words)} of {draw.randrange(9)}" for _ in range(400)]
    text = "\n".join(lines) + "\n"
    assert not false_statements(text, view_of(text, limit))


AWKWARD = ("GET", "PUT", "/a", "/b/c", "7", "x1", '"q', "{", "12:00", "beef01")


@given(st.integers(0, 1 << 32))
def test_what_is_said_of_any_words_is_true(seed: int) -> None:
    draw = random.Random(seed)
    words = draw.sample(AWKWARD, draw.randint(2, 8))
    lines = [" ".join(["job", *draw.choices(words, k=draw.choice((2, 2, 3, 4)))]) for _ in range(150)]
    text = "".join(f"{line}\n" for line in lines)
    assert not false_statements(text, view_of(text, 900))


def test_a_line_said_twice_over_is_counted_once() -> None:
    """Two statements never count the same lines: those that agree with both are told by the first alone."""
    text = "".join(f"job {at} of {'ab'[at % 2]}{'cd'[at % 3 > 0]} done\n" for at in range(300))
    counts = [int(one) for one in re.findall(r"(?m)^\[(\d+)x ~job", view_of(text))]
    assert sum(counts) == 300 == Counter(text.split())["job"]


def test_lines_that_begin_alike_are_told_with_tabs_as_with_blanks() -> None:
    """What stands behind the words that lines share is named without these words, whatever blanks part them."""
    names = ("brass", "clay", "dusk", "elm", "flint", "gorse", "heath", "ivy", "jade")
    text = "".join(f"#define{sign}{name}\n" for name, sign in zip(names, "\t  \t \t \t ", strict=True))
    groups = line_groups(
        {f"#define {name}": Template(0, line) for name, line in zip(names, text.split("\n"), strict=False)}
    )
    assert [group.statement(160) for group in groups] == [f"[0x ~#define\t{{{', '.join(names)}}}]"]


def test_addresses_are_told_by_one_of_them_however_short() -> None:
    draw = random.Random(5)
    rows = [f"    {draw.randrange(0x2000, 0x9FFF):x}:\tff e0 jmp *%rax" for _ in range(300)]
    told = statement_in(view_of("\n".join(rows) + "\n", 2_000), "[300x ~{")
    assert re.fullmatch(r"\[300x ~\{[0-9a-f]{4}, \+\d+\}: ff e0 jmp \*%rax\]", told)


def test_paths_alone_on_their_lines_are_a_tree_beside_other_lines() -> None:
    """Untracked files of `git status`, below a heading and beside what was changed."""
    changed = [f"\tmodified:   src/part{number}.py" for number in range(60)]
    parts = [f"{one}{two}" for one in "abcdefgh" for two in "klmnop"]
    others = [f"\ttests/{part}/{name}.py" for part in parts for name in ("sell", "buy", "ask", "bid", "lend")]
    text = "\n".join(["On branch main", "", "Changes not staged:", *changed, "", "Untracked files:", *others, ""])
    view = view_of(text, 2_000)
    assert statement_in(view, "[240 paths: tests/{")
    assert statement_in(view, "[60x ~modified: ")
    assert false_statements(text, view) == []


def test_names_inside_long_lines_are_told_as_names_though_some_are_there_often() -> None:
    names = [f"handle_{one}{two}" for one in "abcdefgh" for two in "klmnop"] + ["__init__"] * 30
    rows = [
        f'Code of <object {name} at {at + 4096:#x}, file "/srv/app/shop.py", line {at}>:'
        for at, name in enumerate(names)
    ]
    told = statement_in(view_of("".join(f"{row}\n  body of it\n\n" for row in rows), 2_000), "[78x ~Code of <object {")
    assert "__init__ 30" in told


def test_lines_that_share_nothing_but_their_length_are_not_told_as_one() -> None:
    text = "".join(
        f"{name}:\n  Installed: 1.{at}\n  Candidate: 2.{at}\n  Version list:\n  2.{at} 500\n  1.{at} 100\n  {at}.7 90\n"
        for at, name in enumerate(f"pack{number:03}" for number in range(60))
    )
    assert not re.search(r"(?m)^\[\d+x ~\{[^{}]*Installed:", view_of(text))


def test_values_that_are_numbered_in_even_steps_are_told_as_a_series() -> None:
    rows = [f"R: shelf {n} weighs {7 * n} in '/room/shelf-{n}/label.txt'" for n in range(34)]
    text = "\n".join([*rows, *(f"no use for door_{n} and that is that" for n in (1, 2, 3, 4, 9, 20, 30, 40))]) + "\n"
    view = view_of(text, 900)
    assert "[34x ~R: shelf {0..33} weighs {0..231..7} in '/room/shelf-{0..33}/label.txt']" in view
    assert false_statements(text, view) == []
    assert false_statements(text, view.replace("{0..33}", "{0..34}"))


def test_a_value_that_looks_like_a_series_is_put_in_quotes() -> None:
    ranges = ["1..5", "2..9", "main..dev", "7..70", "4..40"]
    text = "".join(f"merge of {ranges[n % 5]} is done by keeper {n * n}\n" for n in range(150))
    view = view_of(text, 900)
    assert '"1..5"' in view
    assert false_statements(text, view) == []


def test_words_alone_that_are_numbered_are_told_beside_other_words_alone() -> None:
    blocks = (f"{n} calls from\n  shelf_{n % 40}\n    at /room/work.c:{n + 2}\n  main\n" for n in range(160))
    text = "".join(blocks)
    view = view_of(text, 2_000)
    assert "[160x ~shelf_{0..39 4 each}]" in view
    assert false_statements(text, view) == []


def test_what_goes_with_what_is_told_where_several_words_of_lines_differ() -> None:
    needs = {"django 5.2.5": ["asgiref", "sqlparse"], "scrapy 2.13.3": ["lxml", "parsel", "twisted", "w3lib"]}
    needs |= {f"{name}box 1.{at}": [f"{name}lib", "packaging", "tornado"] for at, name in enumerate("abcdefghijk")}
    rows = [f"{who} requires {what}, which is not installed." for who, some in needs.items() for what in some]
    text = "\n".join(rows) + "\n"
    view = view_of(text, 1_600)
    assert (
        "; each *: django 5.2.5 -> asgiref, sqlparse; scrapy 2.13.3 -> lxml, parsel, twisted, w3lib; abox 1.0 -> alib, "
        in view
    )
    assert false_statements(text, view) == []
    assert false_statements(text, view.replace("-> asgiref, sqlparse", "-> asgiref, lxml"))


PEERS = ("all is well", "the door", "door", "a {b} c", "a, b", 'half "of it')


def quoted_lines(seed: int, number: int = 300) -> str:
    drawn = random.Random(seed)
    forms = (
        'time="12:00:{n:02}" level=info msg="{one}" peer="{two}" took={n}ms\n',
        '  - link "{one}" [ref=e{n}] [cursor=pointer]:\n',
        '10.0.0.{n} - "GET /shelf/{n} HTTP/1.1" {n}\n',
    )
    return "".join(
        drawn.choice(forms).format(n=at % 97, one=drawn.choice(PEERS), two=drawn.choice(PEERS)) for at in range(number)
    )


def test_texts_in_quotes_are_told_as_one_word_where_they_have_not_as_many() -> None:
    said = ["request done", "cache was filled", "connection to peer opened"]
    lines = [f'time="12:0{at % 10}" level=info msg="{said[at % 3]}" took={at}ms\n' for at in range(300)]
    told = statement_in(view_of("".join(lines)), "[300x ~")
    assert 'msg={"request done" 100, "cache was filled" 100, +1} took={0..299}ms]' in told
    requests = "".join(f'10.0.0.1 "GET /shelf/{"abcdef"[at % 6]} HTTP/1.{at % 2}" {at}\n' for at in range(300))
    assert '"GET {/shelf/a 50, ' in statement_in(view_of(requests), "[300x ~")  # whose words are as many


@pytest.mark.parametrize("seed", range(12))
def test_what_is_said_of_texts_in_quotes_is_true(seed: int) -> None:
    text = quoted_lines(seed)
    for limit in (900, 3_000):
        assert false_statements(text, view_of(text, limit)) == []


def test_lines_that_are_alike_are_told_beside_patches_that_are_a_part_of_the_text() -> None:
    """`curl ...; git show`: what one command said is not lost because another one's output has a form."""
    requests = "".join(
        f"{at}. [GET] http://10.0.0.1/shelf/{at % 5} => [{500 if at == 77 else 200}] done\n" for at in range(300)
    )
    patch = "".join(
        f"diff --git a/src/{name}.py b/src/{name}.py\n--- a/src/{name}.py\n+++ b/src/{name}.py\n@@ -1,9 +1,9 @@\n"
        + "".join(f" {name} = {at}\n" for at in range(8))
        + f"-{name} was here\n+{name} is here\n"
        for name in "abcdefghij"
    )
    text = patch + requests
    view = view_of(text)
    assert "10 files changed" in view
    assert "[299x ~" in view or "[300x ~" in view
    assert "[500]" in view or "{500, 200 299}" in view
    assert false_statements(text, view) == []


def test_rows_that_share_a_number_with_far_more_lines_are_alike_in_what_their_names_begin_with() -> None:
    """As in a profile: most functions were called once, whatever file they are in."""
    own = [f"work@{3 * at + 5} weigh_shelf_{at} 1 0.0{at + 10}1" for at in range(10)]
    others = [f"lib{at} read_{at} 1 0.{at}3" for at in range(60)]
    assert WordTable(own + others).like(range(10)) == [*range(10)]
    assert WordTable(own + others[:20]).like(range(10)) == [*range(30)]  # of as many a statement can speak


def test_kinds_of_lines_that_begin_alike_are_told_one_by_one_where_each_is_there_often() -> None:
    """`Chapter {UID x22, string x22}` would tell no chapter: what a kind says often has a statement of its own."""
    kinds = ["UID: {0}", "time: {0}.5", "flag: 0", "title: Lock {0} of the canal", "language: eng", "end: {0}.9"]
    kinds += ["place: {0}", "depth: {0} m", "keeper: Ada"]
    text = "".join(f"  + Chapter {kind.format(at)}\n" for at in range(22) for kind in kinds)
    view = view_of(text, 2_000)
    assert "Chapter title: Lock {0..21} of the canal]" in view
    assert not false_statements(text, view)


def test_a_few_lines_that_differ_in_numbers_are_told_one_by_one() -> None:
    steps = ((149, 7), (74, 6), (37, 5), (18, 4), (9, 3), (4, 2))
    text = "".join(
        f"Halving: {left} changes left to look at (some {number} steps)\n{at}\n"
        for at, (left, number) in enumerate(steps)
    )
    text += "".join(f"log {at} of the day has nothing of note in it, said {at * 7}\n" for at in range(90))
    view = view_of(text, 1_500)
    assert "; each *: 149 -> 7; 74 -> 6; 37 -> 5; 18 -> 4; 9 -> 3; 4 -> 2]" in view
    assert not [*false_statements(text, view, "text")]


def test_which_numbers_go_together_is_told_of_more_lines_where_there_is_room() -> None:
    rows = [(at * at * 7 + 11, at % 4 + 2) for at in range(50)]
    text = "".join(f"Inode {one} ref count is {other}, should be 1.  Fix? no\n\n" for one, other in rows)
    text += "".join(f"Pass {at}: {'abcdefghij'[at % 10] * 40}\n" for at in range(120))
    wide, narrow = view_of(text, 6_000), view_of(text, 500)
    assert "[50x ~Inode * ref count is *, should be 1. Fix? no; each *: 11 -> 2; 18 -> 3; " in wide
    assert "[50x ~Inode {11 .. 16818} ref count is {" in narrow
    assert not [*false_statements(text, wide, "text"), *false_statements(text, narrow, "text")]


def test_few_numbers_are_all_told_where_there_is_room() -> None:
    """STR-06: which tickets were sold twice is asked, not the lowest and the highest of them."""
    sold = [at * at % 61 for at in range(1, 31)]
    lines = [f"10:{at:02}:07 ERROR berth-3: ticket {one} was sold twice" for at, one in enumerate(sold)]
    words = LikeLines(WordTable(lines).rows, [*range(30)], [])
    assert "ticket {1 .. 60} was" in words.statement(160)
    told = re.search(r"ticket \{([^}]*)\} was sold twice", words.statement(260))
    assert told is not None
    assert {one.partition(" ")[0] for one in told[1].split(", ")} == {*map(str, sold)}
