"""What is new in a line decides whether it is shown, beside what it says of trouble."""

import json
import random
import re
import tracemalloc

from truth import false_statements

from overspill import MemoryStore, Overspill
from overspill.core.spans import Room
from overspill.cut.digest import TextLines
from overspill.cut.digest.templates import Template, TemplateTable
from overspill.cut.smart.novelty import TITLE, position_factors
from overspill.cut.smart.overview import LinePool, overview_room
from overspill.cut.smart.units import RANKED, Findings, Unit
from overspill.cut.smart.worth import OfferQueue, ShownShares, Telling, Vocabulary, words_of
from smart_views import seen


def smart(text: str, limit: int = 4_000) -> str:
    spill = Overspill({"tools.truncation.inline_limit": limit}, MemoryStore())
    return spill.fit(text, strategy="smart").text


def told_agent(text: str, limit: int) -> str:
    """The view as an agent has it, with short marks."""
    return Overspill(store=MemoryStore(), preset="agent").fit(text, tool="run", strategy="smart", budget=limit).text


NAMES = [f"{first}{last}" for first in ("brass", "clay", "dusk", "elm") for last in ("bell", "fork", "gate", "hook")]


def test_a_list_of_new_names_is_shown_before_more_of_what_is_told() -> None:
    """STR-06: a warning of which thousands say the same does not hide what was done in the end."""
    noise = [f"WARN skipping file for kit: kit-{number}.{number % 7}.zip" for number in range(1_500)]
    text = "\n".join([*noise, "Would install 16 packages", *(f" + {name}==1.{at}" for at, name in enumerate(NAMES))])
    view = smart(text + "\n")
    assert [name for name in NAMES if name not in view] == []
    assert "Would install 16 packages" in view


def test_lines_that_say_in_other_words_what_is_shown_come_last() -> None:
    """One line of each kind is worth more than a second of any."""
    calls = [f"{name}(3, 0x{number:x}) = 0" for number in range(60) for name in NAMES]
    odd = 'unlink("/var/spool/planted.lock") = -1 EACCES'
    text = "\n".join([*calls[:500], odd, *calls[500:]])
    assert odd in smart(text + "\n", 2_000)


def test_a_word_is_worth_something_once() -> None:
    said = Vocabulary(["alpha beta 17", "alpha gamma 17", "alpha delta 17"])
    before = said.worth(["beta"])
    assert said.worth(["alpha"]) < before
    said.tell(["beta"])
    assert said.worth(["beta"]) == 0 < said.fresh().worth(["gamma"])


def test_some_lines_of_every_kind_are_looked_at_however_many_there_are() -> None:
    text = "".join(f"job {number} done\n" for number in range(5_000)) + "lost\n"
    groups = {"job # done": [*range(5_000)], "lost": [5_000]}
    pool = LinePool(TextLines(text), groups, lambda name: float(name == "lost"))
    shown = [text[start:end] for start, end in zip(pool.starts, pool.ends, strict=True)]
    assert len(shown) == 3_000
    assert (shown[0], shown[-2], shown[-1]) == ("job 0 done\n", "job 4999 done\n", "lost\n")


def test_a_tree_that_tells_less_than_its_lines_is_not_told() -> None:
    """A drawn tree whose branches are sentences, the same below many: lines tell more names than a tree of them."""
    parts = [f"{name} [wants: >={at}.1, has: {at}.4]" for at, name in enumerate(NAMES)]
    drawn = [line for top in NAMES for line in (f"{top}==2.0", *(f"|-- {part}" for part in parts))]
    view = smart("\n".join(drawn) + "\n", 3_000)
    assert [name for name in NAMES if f"{name} [wants" not in view] == []


def test_room_that_is_left_shows_all_lines_of_a_rare_kind() -> None:
    """STR-06: that nine orders failed is told by words that others say, too; which of them by their lines alone."""
    bad = {(at * 7 % 10, at) for at in range(0, 18, 2)}
    text = "".join(
        f"Order {order} Of Shelf {shelf} | {'FAIL' if (order, shelf) in bad else 'PASS'} |\n"
        for shelf in range(18)
        for order in range(10)
    )
    view = smart(text, 3_000)
    assert [one for one in bad if f"\nOrder {one[0]} Of Shelf {one[1]} | FAIL |\n" not in view] == []


def test_a_name_that_is_told_is_not_shown_alone() -> None:
    """`apt-cache policy`: the packages are named above, and a name without what is said of it says nothing."""
    names = [f"{first}{last}-tool" for first in "bcdfghjk" for last in "lmnpqrst"]
    said = (
        "{0}:\n  Installed: {1}.{2}-1\n  Candidate: {1}.{2}-2\n  Version table:\n     {1}.{2}-2 500\n"
        "        500 http://deb.example/debian stable/main amd64 Packages\n"
        " *** {1}.{2}-1 100\n        100 /var/lib/dpkg/status\n"
    )
    view = told_agent("".join(said.format(name, at % 7, at * at) for at, name in enumerate(names)), 2_400)
    assert "[64 blocks: bl-tool:, bm-tool:" in view
    assert len(re.findall(r"-tool:\n\[\.\.\. ", view)) <= 1  # the first line of all


def test_room_that_is_left_shows_details_of_failed_tests() -> None:
    """STR-06: a report of failures names what stands below each of them, not only how many lines are like it."""
    lines = [
        f"not ok {at} order {at} is packed\n# (in file shelf_{at % 9}.t, line {at + 3})\n"
        if at % 30 == 7
        else f"ok {at} order {at} is packed\n"
        for at in range(1, 400)
    ]
    view = smart("1..399\n" + "".join(lines), 3_000)
    assert [at for at in range(7, 400, 30) if f"\n# (in file shelf_{at % 9}.t, line {at + 3})\n" not in view] == []


def test_the_top_of_a_ranking_is_shown_row_by_row() -> None:
    """STR-06: rows that are sorted by a number, the greatest first, matter at the top, whatever their names are."""
    rows = [f"{at:>6} {9_000 / (at + 3):9.3f}  lib/{NAMES[at % len(NAMES)]}/part{at % 7}.c:{at}\n" for at in range(400)]
    view = smart("  calls      time  place\n" + "".join(rows), 4_000)
    assert "".join(rows[:20]) in view


def test_an_empty_room_is_for_no_statement() -> None:
    """Promise 1: whatever the room, never a fault of ours."""
    assert overview_room(Findings([Unit(0, 9, 1.0, RANKED)]), Room(0, 0, 9)) <= 0


def test_what_is_offered_again_makes_nobody_look_at_everything_again() -> None:
    """19: a log of lines that are all alike took most of its time with looking twenty times at each of them."""
    looked_at = list[int]()

    def value(at: int) -> float:
        looked_at.append(at)
        return 1_000.0 - at

    shown = ShownShares()
    queue = OfferQueue([(at, 1_000.0 - at) for at in range(900)], ["job #"] * 900, value, shown)
    taken = list[int | None]()
    for _ in range(100):
        taken.append(queue.pop())
        shown.note("job #")
        queue.push(500 + len(taken))
    assert taken == [*range(100)]
    assert len(looked_at) <= 500


def test_lines_that_all_differ_take_little_memory() -> None:
    """19: an id in every line; what such lines are like is told, their spellings are not held."""
    numbers = [range(first, first + 9_000) for first in (0, 9_000, 18_000)]
    line = "request {:x} of user {:x} took {} ms"
    blocks = ["\n".join(line.format(at * 2_654_435_761, at * 48_271, at) for at in block) for block in numbers]
    chars = len(blocks[0])
    table = TemplateTable()
    tracemalloc.start()
    for block in blocks:
        table.add(block)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert table.lines == 27_000
    assert peak < 16 * chars


def test_titles_of_a_page_are_worth_more_than_its_sentences() -> None:
    """STR-06: lines that stand alone and are no sentences tell what a long page is about."""
    lines = ["Line Structure", "", "It is read line by line.", "", "4.1. Words", "", "    Words end at a blank.", "a"]
    assert position_factors(TextLines("\n".join(lines)), range(8)) == [TITLE, 1.0, 1.0, 1.0, TITLE, 1.0, 1.0, 1.0]


def test_all_of_few_that_failed_are_shown_before_what_passed() -> None:
    """STR-06: which failed is asked first, however short the lines of those are that passed."""
    lines: list[str] = []
    for at in range(400):
        if at % 19 == 6:
            lines += [f"==== parcel-{at}.1 weighs parcel {at} FAILED", "expr {6 * 3}", "---- Result was:", str(at), ""]
        else:
            lines.append(f"++++ parcel-{at}.1 PASSED")
    view = smart("\n".join(lines) + "\n", 5_000)
    told = [at for at in range(6, 400, 19) if f"parcel-{at}.1" in view]
    assert len(told) == len(range(6, 400, 19))


def test_which_of_those_that_were_told_of_failed_is_news() -> None:
    """STR-06: that trips were planned tells neither that they failed nor when."""
    lines, failed = list[str](), [at for at in range(260) if at * at % 37 in (3, 4)]
    for at in range(260):
        stamp = f"2026-11-19T12:{at // 60:02}:{at % 60:02},{at * 7 % 1000:03}"
        lines.append(f"{stamp} INFO [T-{9000 + at}] trip {at} from pier {at % 7} is planned")
        if at in failed:
            lines.append(f"{stamp} ERROR [T-{9000 + at}] trip {at} failed for {at * 31 % 90} minutes")
    text = "\n".join(lines) + "\n"
    view = told_agent(text, 2_000)
    assert "; each *: " in view
    assert all(f"{9000 + at} {at} -> {at * 31 % 90}" in view for at in failed)
    assert false_statements(text, view) == []


def test_room_that_is_left_is_not_for_dozens_of_single_lines() -> None:
    """STR-06: what is told of all records need not be shown of each, with a mark as long as the line."""
    part = "Commit: {0:040x}\nAuthor: {1}\nDate: 2026-{2:02}-{3:02}\nMessage: Paint ferry {4}\n\n\n"
    text = "".join(
        part.format(at * 7919 << 99, ("Bo Quay", "Ines Pier")[at % 2], 1 + at // 28, 1 + at % 28, at)
        for at in range(140)
    )
    view = told_agent(text, 8_000)
    assert len(view) < 4_000
    assert false_statements(text, view) == []


def runs_of_tests(failing: int) -> str:
    """A report in which most passed; what failed has a block of lines each."""
    lines: list[str] = []
    for at in range(260):
        if at % 26 == failing:
            lines += [
                f"not ok {at} shelf {at} is weighed",
                "  ---",
                f"  message: lid {at} is open",
                "  severity: failed",
            ]
            lines += ["  actual  : {", f'    "weight": {at * 3}', "  }", "  ..."]
        else:
            lines.append(f"ok {at} shelf {at} is weighed, as it was before and will be")
    return "\n".join([*lines, "1..260", "# fail 10", ""])


def test_a_text_that_nearly_fits_is_shown_whole_but_for_lines_that_are_told() -> None:
    """STR-06: what stands together stays together; what passed is counted, and not shown in the room that is left."""
    text = runs_of_tests(7)
    view = smart(text, 6_000)
    blocks = [block for block in text.split("not ok ")[1:] if "..." in block]
    assert all(block.partition("  ...")[0] in view for block in blocks)
    assert "[250x ~ok {" in view
    assert view.count("\nok ") < 4
    assert len(view) < 2_600


def test_lines_that_others_are_indented_under_are_all_shown_where_a_text_nearly_fits() -> None:
    heads = [
        f"{at}:  {at * 7919 % 65536:04x} ! {at}: Keep shelf {at} of {name}.py" for at, name in enumerate(NAMES * 2)
    ]
    lines = [
        line for at, head in enumerate(heads) for line in (head, *(f"    {at}.{n} {NAMES[n]} kept" for n in range(9)))
    ]
    view = smart("\n".join(lines) + "\n", 4_500)
    assert [head for head in heads if head not in view] == []


def test_a_view_ends_when_hundreds_of_lines_are_told_and_some_are_shown() -> None:
    """Of lines that are alike by the hundred, a count and a few examples are all there is to say."""
    lines = [f"10.1.{at % 7}.{at % 250} GET /item/{at * 31 % 900} took {at % 90} ms" for at in range(2_000)]
    lines[1_234] = "10.1.3.9 lost the connection to the shop's database"
    view = smart("\n".join(lines) + "\n", 8_000)
    assert lines[1_234] in view
    assert "[1999x ~" in view
    assert len(view) < 4_000


def test_words_that_differ_in_digits_alone_do_not_crowd_out_others() -> None:
    """An id in each record is new every time, and says nothing new."""
    words = Vocabulary([*(f"took job-{number} on" for number in range(100, 300)), "sold a dog"])
    assert words.worth(["job-107"]) < words.worth(["sold"]) / 2
    records = [f"BEGIN:EVENT\nREF:booking{n}\nSUMMARY:Review\nROOM:{n % 6}\nEND:EVENT\n" for n in range(120)]
    records[87] = "BEGIN:EVENT\nREF:booking87\nSUMMARY:Dentist in Lisbon\nROOM:4\nEND:EVENT\n"
    view = smart("".join(records), 1_500)
    assert "SUMMARY:Dentist in Lisbon" in view
    assert len(re.findall(r"^REF:booking", view, re.MULTILINE)) < 40


def test_ids_of_records_take_a_small_part_of_a_view() -> None:
    rows = [
        {"id": f"req-{number * 7919:x}", "path": f"/items/{number}", "took": number % 90, "state": "done"}
        for number in range(900)
    ]
    rows[451] |= {"state": "failed", "took": 30_021}
    view = smart("".join(json.dumps(row) + "\n" for row in rows), 8_000)
    said = [line for line in view.split("\n") if line.startswith('"[')]
    assert all(len(line) < 500 for line in said)
    assert any("state: failed, done 899" in line for line in said)
    assert f"req-{451 * 7919:x}" in view


def test_blocks_that_nearly_all_begin_alike_are_not_listed() -> None:
    text = "Plan\nof all\nthat is\n\n" + "".join(
        f'msgid "{n}"\nmsgstr "{n * 7}"\nflags {n % 3}\n\n' for n in range(300)
    )
    assert " blocks: " not in smart(text, 1_500)


def test_what_a_crowd_of_errors_names_is_told_by_their_statement_before_more_of_them_are_shown() -> None:
    """Forty paths in braces take the room of ten lines: the second error of a kind is worth what is new in it."""
    paths = [f"src/{first}/{last}.py" for first in ("brass", "clay", "dusk", "elm") for last in NAMES]
    lines = [f"ERROR (content): merge conflict in {path}\nmerging {path} by itself" for path in paths]
    view = told_agent("\n".join([*lines, "it failed"]), 2_000)
    assert sum(re.search(rf"[/{{ ]{name}\.py", view) is not None for name in NAMES) == len(NAMES)
    assert view.count("\nERROR (content)") <= 8


def test_a_statement_grows_past_a_length_at_which_it_says_nothing_more() -> None:
    told = Telling(_LongAlike())
    said = [told.next]
    while told.say():
        said.append(told.next)
    assert [len(one) for one in said] == [10, 11, 90]
    news = Vocabulary(["a", "beta gamma delta"])
    news.tell(["a"])
    assert news.worth(words_of(said[-1])) > 0


class _LongAlike:
    """Lines of which a longer statement says more only where it is very long."""

    count, number = 9, 0

    def __init__(self) -> None:
        self.members: list[Template] = []

    def statement(self, room: int) -> str:
        if room < 600:
            return "[9x ~{+9}]" if room < 200 else "[9x ~{+9} ]"
        return "[9x ~{beta, gamma, delta" + "." * 64 + "}]"


def test_sentences_that_begin_with_the_same_verb_are_not_one_group() -> None:
    """A list of what was done is no list of `Read {...}`: what its lines share says nothing."""
    verbs = ("Read", "Let", "Say")
    done = [
        f"      {verbs[at % 3]} {NAMES[at % 16]} {NAMES[at * 7 % 16]} by the {NAMES[at * 5 % 13]} of {at} others, once"
        for at in range(300)
    ]
    view = smart("\n".join(["Someone (300):", *done]) + "\n", 2_000)
    assert not re.search(r"(?m)^\[\d+x (?:~?)(?:Read|Let|Say) ", view)
    assert view.count("\n      Read ") >= 3


def test_of_failed_tests_what_differs_is_shown_and_not_the_same_line_again() -> None:
    """Fourteen messages say more than fourteen times that a traceback follows."""
    passed = [f"test_{number} (tests.test_{number % 9}.Case.test_{number}) ... ok" for number in range(150)]
    failed = [
        f"{'=' * 70}\nERROR: test_{number} (tests.test_{number % 9}.Case.test_{number})\n"
        + "-" * 70
        + "\nTraceback (most recent call last):\n"
        + f'  File "tests/test_{number % 9}.py", line {number}, in test_{number}\n'
        + f"    raise KeyError('parcel {number} is lost')\nKeyError: 'parcel {number} is lost'\n"
        for number in range(200, 214)
    ]
    text = "\n".join([*passed, "", *failed, "-" * 70, "Ran 164 tests in 0.1s", "", "FAILED (errors=14)", ""])
    view = told_agent(text, 2_000)
    assert sum(f"KeyError: 'parcel {number} is lost'" in view for number in range(200, 214)) >= 9
    assert view.count("\nTraceback (most recent call last):") <= 2


def test_of_a_course_of_measurements_the_ends_and_the_best_are_shown() -> None:
    """A training says the same in every round: asked for is where it began, where it ended, and which was best."""
    draw = random.Random(4)
    losses = [2 / (at + 2) + 0.001 * (at - 60) ** 2 / 60 + draw.random() / 500 for at in range(160)]
    rounds = [f"[{at}]\tloss: {loss:.6f}\trate: {0.9 + at / 2_000:.5f}" for at, loss in enumerate(losses)]
    view = smart("\n".join(["Training begins", *rounds, "Training is over", ""]), 2_000)
    assert all(rounds[at] in view for at in (159, losses.index(min(losses)), losses.index(max(losses))))


def test_values_with_names_are_shown_before_rows_of_numbers_alone() -> None:
    """A fit tells of every step; what it came to stands behind the steps, with a name that is told before them."""
    draw = random.Random(7)
    results = [f"a{at}  = {draw.uniform(0, 9):.6f}  +/- {draw.random():.4f}" for at in range(24)]
    steps = [[" ".join(f"{draw.uniform(-9, 9):.6e}" for _ in range(7)) for _ in range(10)] for _ in results]
    lines = [
        line for at, one in enumerate(results) for line in (f"iter chisq delta lambda slope a{at}", *steps[at], one)
    ]
    view = smart("\n".join([*lines, "The fit converged.", ""]), 4_000)
    assert all(one in view for one in results)


def test_fields_that_say_what_few_others_do_are_shown_with_the_name_of_their_record() -> None:
    """Which of the gauges have failed is asked for: that six have is told, and their words are known."""
    said = {17: "Gate is stuck", 5: "Gate is stuck", 31: "Gate is stuck", 40: "Wire is cut"}
    records = [
        f"File 'gauge{at}'\n  status    {said.get(at, 'OK')}\n  mode      active\n  size      {at * 7} kB\n\n"
        for at in range(70)
    ]
    view = told_agent("".join(records), 2_000)
    assert all(f"File 'gauge{at}'\n  status    {words}\n" in view for at, words in said.items())


def test_rows_that_are_told_with_all_that_is_in_them_are_not_shown_once_more() -> None:
    """A list of packages was told by names and versions, and then shown again until the room was full."""
    rows = [f"{f'part-{at * 37 % 90}x':<16}{at % 7}.{at}.{at % 3}    /usr/lib/parts  pip" for at in range(90)]
    text = "\n".join(["Package         Version  Location        Installer", "--- --- --- ---", *rows, ""])
    view = seen(text, 3_000)
    assert "[Package with Version: " in view.text
    assert sum(row in view.text for row in rows) <= 4
    assert all(f"part-{at}x" in view.text for at in range(90))
    assert false_statements(text, view.text, "text") == []


def service_log() -> list[str]:
    """Lines of a service: 48 of 1,500 warn of the same, and one of those of another host."""
    lines = [
        f"2026-11-19T10:{n // 60:02}:{n % 60:02}Z INFO served item={n * 7 % 400} in {n % 40}ms" for n in range(1_500)
    ]
    for n in range(30, 1_500, 31):
        lines[n] = (
            f"{lines[n][:20]} WARN slow answer req={n * 2654435761 % 2**32:08x} of db-{n % 4} took={200 + n % 70}ms"
        )
    lines[640] = f"{lines[640][:20]} WARN slow answer req=00c0ffee of ledger-9 took=98211ms"
    lines[1_003] = f"{lines[1_003][:20]} INFO breaker opened"
    return lines


def test_of_many_warnings_that_a_statement_tells_some_are_shown_and_the_odd_one() -> None:
    """The statement names which requests were slow: 48 lines that say it again would take a third of the room."""
    lines = service_log()
    text = "\n".join(lines) + "\n"
    view = told_agent(text, 8_000)
    assert false_statements(text, view) == []
    assert 2 <= len(re.findall(r"(?m)^2026.* WARN .* of db-", view)) <= 4
    assert lines[640] in view
    assert lines[1_003] in view
    assert [one for one in re.findall(r"req=(\w+)", text) if one not in view] == []
    assert len(view) < 3_500


def test_lines_of_a_kind_that_say_nothing_but_other_numbers_end_a_view() -> None:
    """Of two hundred sessions that began, no twenty are shown because there is room."""
    said = (
        "systemd[1]: Started session-{0}.scope - Session {0} of User deploy.",
        "CRON[{1}]: (root) CMD (/usr/lib/sa/sa1 1 1)",
        "dhclient[811]: DHCPREQUEST for 10.0.0.3 on eth0",
        "sshd[{1}]: Accepted publickey for deploy from 10.0.0.{2} port 4{1}",
    )
    times = (f"Nov 19 10:{n // 60:02}:{n % 60:02} shop-1" for n in range(600))
    rest = [f"{time} {said[n * 7919 % 13 % 4].format(n, 2_000 + n, n % 9)}" for n, time in enumerate(times)]
    view = told_agent("\n".join(rest) + "\n", 8_000)
    assert len(re.findall(r"(?m)^Nov 19.* Started session-", view)) <= 4


def test_a_text_that_is_told_line_by_line_is_not_shown_because_there_is_room() -> None:
    """Which title has which fault is told: the lines again would take four times as much."""
    faults = ("type must be one of [feat, fix]", "subject may not be empty", "body must have leading blank line")
    inputs = ("ferry {}", "fix(pier): coil {}", "Fix lamp {}", "docs: tell of gull {}", "feat: Sentence {}.")
    checks = (
        f"> input: {inputs[n % 5].format(n)}\n! {faults[n % 3]}\n\n! found {n % 3 + 1} problems\nGet help: the manual\n"
        for n in range(120)
    )
    text = "\n".join(checks)
    view = told_agent(text, 8_000)
    assert false_statements(text, view) == []
    assert len(text) > 9_000 > 9 * len(view)
    assert [one for one in faults if one not in view] == []


def test_of_failures_that_are_numbered_it_is_told_which_they_are() -> None:
    """Sixteen lamps failed of a hundred: their numbers are told, though others were told of those that passed."""
    failed = {0, 13, 15, 26, 37, 39, 48, 52, 59, 65, 70, 78, 81, 91, 92, 96}
    said = ("passed", "FAILED")
    tests = (f"  Test: lights lamp {n} ...{said[n in failed]}\n  Test: moors {n} ...passed" for n in range(100))
    suites = (f"Suite: Pier {n}\n{test}" for n, test in enumerate(tests))
    text = "CUnit\n\n" + "\n".join(suites) + "\n\nRun Summary: 200 tests, 16 failed\n"
    view = told_agent(text, 4_000)
    assert false_statements(text, view) == []
    told = re.search(r"lights lamp \{([\d, .]+)\} \.\.\.FAILED", view)
    shown = {int(one) for one in re.findall(r"(?m)^  Test: lights lamp (\d+) \.\.\.FAILED", view)}
    assert failed - shown - {int(one) for one in (told[1].split(", ") if told else [])} == set()


def test_numbers_that_are_all_there_about_as_often_are_told_by_their_ends() -> None:
    """That 34 requests took 20 ms, and 35 took 21, tells nobody anything."""
    times = [f"10:{n // 60:02}:{n % 60:02}Z" for n in range(1_500)]
    lines = [f"{time} INFO served item={n * 7 % 400} in={n % 40}ms" for n, time in enumerate(times)]
    lines[30::31] = [f"{time} WARN slow host=db-{n % 4}" for n, time in enumerate(times[30::31])]
    text = "\n".join(lines) + "\n"
    view = told_agent(text, 8_000)
    assert false_statements(text, view) == []
    assert "in={0 .. 39}ms" in view
