"""Stacks that repeat are told by kinds: how many, of which threads, with frames that no other has; and it is true."""

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st
from truth import false_statements

from overspill import MemoryStore, Overspill
from overspill.cut.digest import stacks
from overspill.cut.digest.survey import Survey, is_report, survey_of


def view_of(text: str, limit: int = 3_000) -> str:
    return Overspill(store=MemoryStore(), preset="agent").fit(text, tool="run", strategy="smart", budget=limit).text


def checked_view(text: str, limit: int = 3_000) -> str:
    view = view_of(text, limit)
    assert false_statements(text, view) == []
    return view


def dump(*, spaced: bool = False, waiting: int = 40) -> str:
    """Threads as some dumper writes them: many wait, some are blocked, one spins."""
    blocks = [
        [f'Thread {at} (idle): "sorter-{at}"', *WAITING, f"    sorter (shelf.py:{4})", *BELOW] for at in range(waiting)
    ]
    blocks += [[f'Thread {70 + at} (idle): "clerk-{at}"', "    book (shelf.py:11)", *BELOW] for at in range(6)]
    blocks += [['Thread 99 (active): "belt"', "    spin_belt (shelf.py:31)", *BELOW]]
    return (
        "\n".join(chain(["Process 4711", *[""] * spaced], *([*block, ""] if spaced else block for block in blocks)))
        + "\n"
    )


WAITING = ["    wait (threading.py:327)", "    get (queue.py:171)", "    take_parcel (shelf.py:3)"]
BELOW = ["    run (threading.py:982)", "    bootstrap (threading.py:1002)"]


@pytest.mark.parametrize("spaced", [False, True])
def test_threads_are_told_by_their_stacks_the_odd_one_first(spaced: bool) -> None:
    view = checked_view(dump(spaced=spaced))
    assert "\n[47 blocks of 3 kinds]\n" in view
    assert '\n[1 block of 4 lines: Thread 99 (active): "belt"\n[ spin_belt (shelf.py:31)\n' in view
    assert '\n[6 blocks of 4 lines: ~Thread {70..75} (idle): "clerk-{0..5}"\n[ book (shelf.py:11)\n' in view
    assert '\n[40 blocks of 7 lines: ~Thread {0..39} (idle): "sorter-{0..39}"\n' in view
    assert view.index("belt") < view.index("clerk") < view.index("take_parcel")


def test_little_room_tells_all_kinds_before_more_frames_of_any() -> None:
    view = checked_view(dump(), 800)
    assert all(name in view for name in ('"belt"', '"clerk-{0..5}"', '"sorter-{0..39}"', "spin_belt", "book"))


def test_frames_at_the_margin_belong_to_what_stands_above_them() -> None:
    """As debuggers number them, and as dumps write a call and its place on two lines."""
    numbered = "\n\n".join(
        f"Thread {at}:\n#0  0x7ff{at:03x} in poll () at poll.c:3\n#1  0x4005 in watch_door (n={at}) at shelf.c:{7}"
        for at in range(30)
    )
    assert "[30 blocks of 3 lines: ~Thread {0..29}:\n" in checked_view(numbered + "\n", 900)
    paired = "\n\n".join(
        f"routine {at} [waiting]:\nmain.take(0x{at:x}?)\n\t/src/main.go:4 +0x1b\nmain.sort()\n\t/src/main.go:9 +0x2c"
        for at in range(40)
    )
    assert "[40 blocks of 5 lines: ~routine {0..39} [waiting]:\n" in checked_view(paired + "\n", 900)


def test_frames_that_are_neither_set_in_nor_numbered_are_known_by_their_places() -> None:
    text = "\n\n".join(
        f'parcel {at}: Failure("x")\nRaised at A.read in file "a.ml", line 9\nCalled from A.sort in file "a.ml", line 3'
        for at in range(30)
    )
    assert '[30 blocks of 3 lines: ~parcel {0..29}: Failure("x")\n' in checked_view(text + "\n", 600)


def log_of_exceptions() -> str:
    lines: list[str] = []
    for at in range(200):
        lines.append(f"10:{at // 60:02}:{at % 60:02} INFO parcel {at} on its way")
        if at % 4 == 0:
            cause = "door is jammed" if at == 100 else f"label of parcel {at} is torn"
            frames = [f"\tat Shelf.{name}(Shelf.java:{line})" for name, line in (("sort", 4), *[("deep", 6)] * 5)]
            lines += [f"java.lang.RuntimeException: shelf {at % 5} gave up", *frames]
            lines += [
                f"Caused by: java.lang.IllegalStateException: {cause}",
                *frames[:1],
                "\tat Shelf.read(Shelf.java:9)",
            ]
    return "\n".join(lines) + "\n"


def test_exceptions_in_a_log_are_told_once_with_what_they_say() -> None:
    view = checked_view(log_of_exceptions(), 2_500)
    assert "\n[1 block of 3 lines: Caused by: java.lang.IllegalStateException: door is jammed\n" in view
    assert "[49 blocks of 3 lines: ~Caused by: java.lang.IllegalStateException: label of parcel {" in view
    assert "[ 5x at Shelf.deep(Shelf.java:6)" in view
    assert "[200x ~{10:00:00 .. 10:03:19} INFO parcel {0..199} on its way]" in view
    assert "x ~at Shelf" not in view  # which is told of blocks
    assert view.count("\nCaused by: java.lang.IllegalStateException: label") <= 2  # so is each of these


def test_of_long_stacks_the_frames_are_told_that_come_from_where_few_do() -> None:
    """A runtime has many frames, above and below those of the program; its own are in the middle."""
    runtime = [
        f"  {at}: 0x7f{at:04x} - std::rt::step_{chr(97 + at)}\n      at /rustc/library/std/rt.rs:{at}"
        for at in range(20)
    ]
    own = ["  40: 0x55 - shelf::open_door", "      at /srv/shelf/main.rs:7", "  41: 0x56 - shelf::main"]
    stack = "\n".join([*runtime[:10], *own, *runtime[10:]])
    text = "\n\n".join(f"thread 'sorter-{at}' panicked:\nstack backtrace:\n{stack}" for at in range(30)) + "\n"
    view = checked_view(text, 1_500)
    assert "[30 blocks of 45 lines: ~thread 'sorter-{0..29}' panicked:" in view
    assert all(one.strip() in view for one in own)


def test_the_numbers_of_threads_are_told_one_by_one_where_they_are_short() -> None:
    numbers = [1, 2, 5, 7, 10, 11, 15, 16, 20, 22, 23, 25, 26, 31, 37]
    text = "".join(
        f"Thread worker-{at}\n  at Shelf.wait(Shelf.java:3)\n  at Shelf.run(Shelf.java:{at})\n" for at in numbers
    )
    assert f"~Thread worker-{{{', '.join(map(str, numbers))}}}\n" in checked_view(text, 700)


def test_records_that_hold_no_frames_are_left_to_others() -> None:
    blocks = "".join(f"package-{at}\n  state up\n  owner root\n  size {at} kB\n" for at in range(60))
    assert stacks.share_of(blocks.split("\n")) == 0
    assert stacks.share_of(dump().split("\n")) > 0.9


def test_a_dump_of_stacks_is_a_report_though_its_lines_look_like_code() -> None:
    text = "".join(
        f'Stack for <Task name="sorter-{at}">:\n  File "a.py", line 3, in sorter\n    def sorter(q): await q.get()\n'
        for at in range(40)
    )
    assert is_report(text)
    assert '[40 blocks of 3 lines: ~Stack for <Task name="sorter-{0..39}">:' in checked_view(text, 900)


def test_blocks_are_counted_whatever_the_pieces_are_that_a_text_comes_in() -> None:
    text = dump(waiting=9_000)
    assert len(text) > 1 << 20
    whole, pieces = survey_of(text), Survey()
    for at in range(0, len(text), 77_777):
        pieces.feed(text[at : at + 77_777])
    told = [one.statements(2_000) for one in whole.digests]
    assert told == [one.statements(2_000) for one in pieces.close().digests]
    assert told[0][0] == "[9007 blocks of 3 kinds]"


def test_what_differs_in_more_blocks_than_are_held_is_told_by_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stacks, "MOST_CHARS", 2_000)
    view = checked_view(dump())
    assert '[40 blocks of 7 lines: ~Thread 0 (idle): "sorter-0"\n' in view


HEADS = st.sampled_from(["Thread 1 {a}:", 'Thread 2 "x y":', "~Thread:", "+3", "2x up", "[x]", "E: {", "a ... b]"])
FRAMES = st.sampled_from(
    [
        "at f(x.c:1)",
        "at f(x.c:22)",
        "#0 0x1234 in g ()",
        "by {closure#0}(y:3)",
        'at "a b" line 3',
        "at h(]",
        "at z(x:1) ...",
    ]
)
BLOCKS = st.builds(lambda head, frames: [head, *(f"  {one}" for one in frames)], HEADS, st.lists(FRAMES, max_size=5))


@given(st.lists(BLOCKS, min_size=1, max_size=6), st.integers(2, 9), st.booleans(), st.integers(120, 1_500))
def test_every_statement_of_blocks_is_true(blocks: list[list[str]], times: int, spaced: bool, limit: int) -> None:
    end = "\n\n" if spaced else "\n"
    text = end.join("\n".join(block).replace("1", f"{at}1") for at in range(times) for block in blocks) + "\n"
    assert false_statements(text, view_of(text, limit)) == []


def test_blocks_that_are_no_stacks_are_told_where_that_tells_as_much_as_lines_would() -> None:
    told = "\tunit: test shelf_{0}: succeeded with choice\n....\nERROR {1}:\n\ttest shelf_{1}: lid_{1}_is_stuck\n"
    text = "\n".join(f".\nWARNING {5 * at}:\n{told.format(5 * at, 5 * at + 3)}" for at in range(90))
    text += "\n.\nWARNING 900:\n\tunit: test shelf_900: succeeded with choice\n% 90 failed\n"
    view = checked_view(text, 1_500)
    assert "\n[91 blocks of 2 kinds]\n[1 block of 4 lines: .\n" in view
    assert "[90 blocks of 6 lines: .\n[ ~WARNING {0..445..5}:\n" in view
    assert "~test shelf_{3..448..5}: lid_{3..448..5}_is_stuck" in view


def test_records_whose_lines_differ_are_told_by_their_lines() -> None:
    words = [f"{one}{two}{three}" for one in "bdfg" for two in "aeiou" for three in ("lor", "mir", "nos", "tak")]
    text = "".join(f"tag {word}\n  by keeper {word[::-1]}\n  says {words[-at]}\n" for at, word in enumerate(words))
    view = checked_view(text, 1_000)
    assert " blocks of " not in view
