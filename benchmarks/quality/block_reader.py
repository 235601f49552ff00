"""Blocks of lines that are alike, one by one: `9 blocks of 3 lines: ~Thread {0..8}`, then a line for each that is told.

A block is what stands between blank lines, or a line and those below it that are set in deeper; frames with numbers
(`#0`) are. `+2` stands for two lines that are not told, `7x LINE` for as many that are alike, one behind the other.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from line_claims import WIDEST, check_values, read_slots, with_any_blanks
from statements import template

if TYPE_CHECKING:
    from recount import Recount

Kinds = dict[tuple[str, ...], list[list[str]]]
MOST_LINES = 500
"""A longer block is a text of its own."""

TOTAL = re.compile(r"(?P<number>\d+) blocks of (?P<kinds>\d+) kinds?")
BLOCKS = re.compile(r"(?P<number>\d+) blocks? of (?P<lines>\d+) lines: (?P<said>.+)", re.DOTALL)
ENTRIES = re.compile(r'(?P<number>\d+) "(?P<word>[^"\s]+)", each with its title:\n(?P<said>.+)', re.DOTALL)
LEFT_OUT = re.compile(r"\+(\d+)")
TIMES = re.compile(r"(\d+)x (.+)", re.DOTALL)


def read_block_kinds(lines: list[str]) -> Iterator[Kinds]:
    """The blocks of a text by what their lines are like, in both ways that blocks may be written."""
    for blocks in (_between_blanks(lines), _set_in(lines)):
        kinds: Kinds = {}
        for block in blocks:
            if 1 < len(block) <= MOST_LINES:
                key = tuple(template(line) if len(line) <= WIDEST else "" for line in block)
                kinds.setdefault(key, []).append([" ".join(line.split()) for line in block])
        yield kinds


def _between_blanks(lines: list[str]) -> Iterator[list[str]]:
    for part in re.split(r"\n(?:[^\S\n]*\n)+", "\n".join(lines)):
        yield [line for line in part.split("\n") if line.strip()]


def _set_in(lines: list[str]) -> Iterator[list[str]]:
    at = 0
    while at < len(lines):
        end = at + 1
        while end < len(lines) and lines[at].strip() and lines[end].strip() and _depth(lines[end]) > _depth(lines[at]):
            end += 1
        yield lines[at:end]
        at = end


def _depth(line: str) -> int:
    blanks = re.match(r"\s*", line)
    assert blanks is not None
    return blanks.end() + bool(re.match(r"#\d+\s", line.lstrip()))


def told_lines(said: str) -> Iterator[tuple[int, str]]:
    """How many lines each part of a statement stands for, and what it says of them; "" for what it leaves out.

    >>> list(told_lines("~Thread {0..8}\\n+2\\n7x deep()"))
    [(1, '~Thread {0..8}'), (2, ''), (7, 'deep()')]
    """
    for line in said.split("\n"):
        if left := LEFT_OUT.fullmatch(line):
            yield int(left[1]), ""
        elif times := TIMES.fullmatch(line):
            yield int(times[1]), times[2]
        else:
            yield 1, line


def block_fault(counted: "Recount", words: str) -> str | None:
    """Why there are not so many blocks that say this; None for words that are no statement of blocks."""
    if entries := ENTRIES.fullmatch(words):
        return _entry_fault(counted.lines, int(entries["number"]), entries["word"], entries["said"].split("\n"))
    if total := TOTAL.fullmatch(words):
        there = [(sum(map(len, kinds.values())), len(kinds)) for kinds in counted.block_kinds]
        return "" if (int(total["number"]), int(total["kinds"])) in there else f"there are {there} blocks and kinds"
    if (found := BLOCKS.fullmatch(words)) is None:
        return None
    parts = [*told_lines(found["said"])]
    if sum(number for number, _ in parts) != int(found["lines"]):
        return f"{sum(number for number, _ in parts)} lines are told"
    why = f"no {found['number']} blocks of so many lines are alike"
    for kinds in counted.block_kinds:
        for key, blocks in kinds.items():
            if len(key) == int(found["lines"]) and len(blocks) == int(found["number"]):
                why = _kind_fault(blocks, parts)
                if not why:
                    return ""
    return why


def _kind_fault(blocks: list[list[str]], parts: list[tuple[int, str]]) -> str:
    at = 0
    for number, said in parts:
        rows = [line for block in blocks for line in block[at : at + number]]
        at += number
        why = _line_fault(rows, said) if said else ""
        if why:
            return f"{said[:80]!r}: {why}"
    return ""


def _line_fault(rows: list[str], said: str) -> str:
    """Why these lines do not say this: all of them, or what they differ in, or one that they are like."""
    line = said.removeprefix("~")
    if line.endswith("..."):
        begun = [one.startswith(line.removesuffix("...")) for one in rows]
    else:
        begun = [one == line for one in rows]
    if said == line or (all(begun) and begun):
        return "" if all(begun) else f"{begun.count(False)} of {len(rows)} do not say so"
    if any(begun):  # they are alike: that is how they were found
        return ""
    slots = read_slots(line)
    if slots is None:
        return "the values cannot be read"
    pattern = re.compile("".join(r"(\S+)" if at % 2 else with_any_blanks(part) for at, part in enumerate(slots)))
    matches = [one for one in map(pattern.fullmatch, rows) if one]
    if len(matches) != len(rows):
        return f"{len(rows) - len(matches)} of {len(rows)} do not say so"
    whys = (check_values([one[at] for one in matches], words) for at, words in enumerate(slots[1::2], 1))
    return next(filter(None, whys), "")


def _entry_fault(lines: list[str], number: int, word: str, said: list[str]) -> str:
    """Why there are not so many entries that open with this word, or why the first of them are not these."""
    begins = [at for at, line in enumerate(lines) if re.sub(r"\d+", "0", re.sub(r"(?s)\s.*", "", line)) == word]
    opened = [at for at in begins if not at or re.fullmatch(r"\s*|([-=*_~#])\1{2,}", lines[at - 1])]
    left = int(said.pop()[1:]) if LEFT_OUT.fullmatch(said[-1]) else 0
    if not len(opened) == number == len(said) + left:
        return f"{len(opened)} entries open so, {len(said)} are told"
    for at, end, line in zip(opened, [*opened[1:], len(lines)], said, strict=False):
        name, _, title = line.partition(" ")
        titles = (re.sub(r"^[\w-]+:\s+", "", one) if field else one for one in lines[at + 1 : end] for field in (0, 1))
        begun = title.removesuffix("...")
        if not any(one.startswith(name) for one in lines[at].split()):
            return f"{lines[at]!r} is not {name!r}"
        if title and not any(
            one.strip() == title or (begun != title and one.strip().startswith(begun)) for one in titles
        ):
            return f"{title!r} does not stand in {name!r}"
    return ""
