r"""Blocks that repeat: the stacks of threads, exceptions with their frames, what a checker reports again and again.

A block is a line and what belongs to it: the lines up to the next blank one, or those that are set in deeper than it
or numbered as frames are (`#0`, `#1`). Which of both holds is seen in the first lines. Most lines of blocks are frames,
whatever writes them: they name a place in a source, an address or a call. Blocks are alike when their lines are, one by
one; what they differ in is told as of lines that are alike.

>>> found = StackCollector()
>>> threads = [[f"Thread {n} (idle)", "    wait (queue.py:17)", f"    sort (a.py:{n})"] for n in range(9)]
>>> found.add([*chain(*threads)])
>>> print("\n".join(found.digest().statements(400)))
[9 blocks of 1 kind]
[9 blocks of 3 lines: ~Thread {0..8} (idle)
[ wait (queue.py:17)
[ ~sort (a.py:{0..8})]
"""

from __future__ import annotations

from itertools import chain, groupby, zip_longest

from overspill._lite import TYPE_CHECKING, cached_property, compile_pattern
from overspill.core.spans import floor
from overspill.cut.digest import counts_of
from overspill.cut.digest.patterns import Slot, slot_of, words_of_slots
from overspill.cut.digest.templates import WIDEST, masked_lines
from overspill.cut.ends import says_something

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

SAMPLE = 600  # lines by which it is seen how blocks are written
FEWEST, LEAST_COVERED = 3, 0.15  # blocks that are like others, and the share of the lines that stand in such
LEAST_LINES = 2.5  # of a block, on average
LONGEST_ALONE = 40  # lines of a block that is like no other: a longer one is a text of its own
LEAST_IN_BLOCKS, AGAIN = 0.5, 4  # of the lines, where they are no frames, and blocks of one kind on average
MOST_LINES, MOST_KINDS = 500, 5_000  # of a block; of all
MOST_TOLD = 12  # lines of one kind that are told: the further ones of a stack say little
MOST_LISTED = 100  # characters of numbers that are told one by one
LARGER = 0.75  # blocks between blank lines are the larger ones: of what others cover, this is enough
MOST_CHARS = 4_000_000  # of blocks whose lines are held, to tell what they differ in
WIDTH, MOST_WIDTH = 200, 400  # characters of a line of ours, and of one with what lines differ in
SHARE, PART = 0.92, 0.35  # of the room, where most lines stand in blocks, and where others do not
WHOLE = 0.9  # of the lines
LEAST_FRAMES, LEAST_PLACES = 0.6, 0.3  # of the lines below the first ones, and of them those that name no call alone
NUMBERED = compile_pattern(r"#\d+\s")
_PLACE = compile_pattern(r"""[A-Za-z_>\])"']:\d+(?![\w.])|\bline:? \d|\b0x[0-9a-fA-F]{4}|^\s*(?:#\d+|at|by|from)\s""")
_CALL = compile_pattern(r"[\w>)\]'`]\(")
_PATH = compile_pattern(r"((?<![\w.])/?[\w.@+-]+)/[\w.@+-]")  # its first part
_NAME = compile_pattern(r"(?!(?:at|by|from|in|File)\b|0x|\d)\b[A-Za-z_]\w*")
_NUMBER_OF_FRAME = compile_pattern(r"^~?#?\d+[:.)]?\s+|0x[0-9a-fA-F]+")
_MISREAD = compile_pattern(r"~|\+\d|\d+x ")  # what a line of a block may begin with that we begin with, too


def share_of(lines: list[str]) -> float:
    """The share of lines that stand in stacks like others."""
    return max(_block_shares.of(lines, framed=True))


def share_in_blocks(lines: list[str]) -> float:
    """The share of lines that stand in blocks like others, frames or not."""
    return max(_block_shares.of(lines, framed=False))


class BlockShares:
    """What was found out of the lines that were looked at last: it is asked for several times before they are read.

    They are known by their hash, so that no text is held.
    """

    def __init__(self) -> None:
        self._key: int | None = None
        self._shares: dict[bool, tuple[float, float]] = {}  # of stacks, and of any blocks

    def of(self, lines: list[str], *, framed: bool) -> tuple[float, float]:
        """The share of lines in blocks like others: between blank lines, and of lines that are set in."""
        some = lines[:SAMPLE]
        if self._key != (key := hash(tuple(some))):
            spaced, set_in = (_read_blocks(some, spaced=spaced) for spaced in (True, False))
            self._shares = {
                one: (spaced.covered_share(framed=one), set_in.covered_share(framed=one)) for one in (True, False)
            }
            self._key = key
        return self._shares[framed]


_block_shares = BlockShares()


def _read_blocks(lines: list[str], *, spaced: bool) -> StackCollector:
    collector = StackCollector(spaced=spaced)
    collector.add(lines)
    collector.close()
    return collector


def _keys_of(blocks: list[list[str]]) -> list[tuple[str, ...]]:
    """What the lines of each block are like."""
    every = [line if len(line) <= WIDEST else "" for line in chain.from_iterable(blocks)]
    names = iter(masked_lines(every) if every else ())
    return [tuple(next(names) for _ in block) for block in blocks]


class BlockLines:
    """Parts lines into blocks, as they go by; lines that stand alone are none.

    >>> reader = BlockLines(spaced=False)
    >>> reader.read(["up", "A:", "  1", "  2", "B:", "#0 main"]), reader.rest()
    ([['A:', '  1', '  2']], [['B:', '#0 main']])
    """

    def __init__(self, *, spaced: bool) -> None:
        self._spaced = spaced
        self._open: list[str] = []
        self._depth = 0

    def read(self, lines: Sequence[str]) -> list[list[str]]:
        """The blocks that end in these lines."""
        found: list[list[str]] = []
        for line in lines:
            bare = line.lstrip()
            depth = len(line) - len(bare) + (bare[:1] == "#" and NUMBERED.match(bare) is not None)
            if bare and self._open and (self._spaced or depth > self._depth):
                self._open.append(line)
                continue
            found += self.rest()
            if bare:
                self._open, self._depth = [line], depth
        return found

    def rest(self) -> list[list[str]]:
        """The block that is open, which is over."""
        block, self._open = self._open, []
        return [block] if 1 < len(block) <= MOST_LINES else []


class BlockKind:
    """Blocks that are alike."""

    def __init__(self, number: int, key: tuple[str, ...], first: list[str]) -> None:
        self.number, self.key, self.first = number, key, first
        self.count = 0
        self.members: list[list[str]] | None = []  # None where there are too many to be held
        self._lines: dict[int, str] = {}  # as they are told, by their runs,
        self._exact: set[int] = set()  # of which these tell what all blocks say

    @cached_property
    def frames(self) -> tuple[int, int]:
        """How many of the lines below the first name a place or an address; and how many these, or a call."""
        places = [_PLACE.search(line) is not None for line in self.first[1:]]
        calls = [_CALL.search(line) is not None for line in self.first[1:]]
        return sum(places), sum(map(max, places, calls))

    @cached_property
    def runs(self) -> list[tuple[int, int]]:
        """Where lines stand that are alike, one behind the other, and how many."""
        found, at = list[tuple[int, int]](), 0
        for _, own in groupby(self.key):
            number = len([*own])
            found.append((at, number))
            at += number
        return found

    def statement(self, runs: Collection[int]) -> str:
        """What all of them say, these of its lines; `+N` for others."""
        lines: list[str] = []
        left = 0
        for run, (_, number) in enumerate(self.runs):
            if run not in runs:
                left += number
                continue
            lines += [f"+{left}"] * (left > 0)
            left = 0
            lines.append(self._line_at(run))
        lines += [f"+{left}"] * (left > 0)
        return f"[{_counted(self.count, 'block')} of {len(self.key)} lines: " + "\n[ ".join(lines) + "]"

    @cached_property
    def texts(self) -> list[str]:
        """What the first of them says in each run, the numbers of frames and addresses aside."""
        return [_NUMBER_OF_FRAME.sub("", " ".join(self.first[at].split())) for at, _ in self.runs]

    def name_of(self, run: int) -> str:
        """What tells these lines from those of other kinds: what is said of them, the number of a frame aside."""
        return _NUMBER_OF_FRAME.sub("", self._line_at(run))

    def lines_told(self, runs: Collection[int]) -> Iterator[str]:
        """The lines of all blocks; of these runs those of the first, where it is not told what they differ in."""
        for run, (at, number) in enumerate(self.runs):
            exact = run in self._exact or run not in runs
            for block in (self.members or ()) if exact else (self.first,):
                yield from block[at : at + number]

    def _line_at(self, run: int) -> str:
        if run not in self._lines:
            at, number = self.runs[run]
            said = self._pattern(at, number)
            if said:
                self._exact.add(run)
            else:
                said = _cut("~" + " ".join(self.first[at].split()))
            self._lines[run] = (f"{number}x " if number > 1 else "") + said
        return self._lines[run]

    def _pattern(self, at: int, number: int) -> str:
        """What the lines from here on say in all blocks, and what they differ in; nothing where that cannot be told."""
        if self.members is None:
            return ""
        rows = [line.split() for block in self.members for line in block[at : at + number]]
        if all(row == rows[0] for row in rows):
            said = " ".join(rows[0])
            return _cut("~" * (_MISREAD.match(said) is not None) + said)
        if {*map(len, rows)} != {len(rows[0])}:
            return ""
        slots = [_listed_slot(slot_of(column), column, whole=not at) for column in zip(*rows, strict=True)]
        if any("{" in slot.fixed or "}" in slot.fixed for slot in slots):  # which would be taken for ours
            return ""
        if any('"' in value and "{" in value for slot in slots for value in slot.counts):
            return ""
        words = words_of_slots(slots, WIDTH)
        return f"~{words}" if len(words) <= MOST_WIDTH else ""


def _listed_slot(slot: Slot, column: Sequence[str], *, whole: bool) -> Slot:
    """What stands at one place of lines; all of it, if it is short, in the first, which say whose blocks they are."""
    if not whole or " .. " not in slot.ends:
        return slot
    counts = counts_of(value[len(slot.head) : len(value) - len(slot.tail)] for value in column)
    return Slot(counts=counts, head=slot.head, tail=slot.tail) if sum(map(len, counts)) <= MOST_LISTED else slot


def _cut(line: str) -> str:
    return line if len(line) <= WIDTH else f"{line[: floor(line, WIDTH)]}..."


class StackCollector:
    """Adds blocks up by what they are like."""

    def __init__(self, *, spaced: bool | None = None) -> None:
        self._reader = None if spaced is None else BlockLines(spaced=spaced)
        self.kinds: dict[tuple[str, ...], BlockKind] = {}
        self.number = self.lines = 0  # of blocks; of lines that are not blank
        self._chars = 0
        self._full = False

    def add(self, lines: list[str]) -> None:
        """Take the next lines, without their ends."""
        if self._reader is None:
            spaced, set_in = _block_shares.of(lines, framed=share_of(lines) > 0)
            self._reader = BlockLines(spaced=spaced >= LARGER * set_in)
        self.lines += sum(1 for line in lines if line and not line.isspace())
        self._count(self._reader.read(lines))

    def _count(self, blocks: list[list[str]]) -> None:
        for block, key in zip(blocks, _keys_of(blocks), strict=True):
            kind = self.kinds.get(key)
            if kind is None:
                if len(self.kinds) >= MOST_KINDS:
                    self._full = True
                    continue
                kind = self.kinds[key] = BlockKind(self.number, key, block)
            self.number += 1
            kind.count += 1
            self._chars += sum(map(len, block))
            if self._chars > MOST_CHARS:
                kind.members = None
            elif kind.members is not None:
                kind.members.append(block)

    def close(self) -> None:
        """The text is over, and so is the block that was open."""
        if self._reader is not None:
            self._count(self._reader.rest())

    def covered_share(self, *, framed: bool = True) -> float:
        """The share of lines in blocks like others; 0 where these are few, or short, or no stacks, if `framed`."""
        repeated = [one for one in self.kinds.values() if one.count > 1]
        number = sum(one.count for one in repeated)
        covered = sum(one.count * len(one.key) for one in repeated)
        if self._full or number < FEWEST or covered < LEAST_LINES * number:
            return 0.0
        if not framed:
            return covered / self.lines
        below = covered - number
        places, frames = (sum(one.count * one.frames[at] for one in repeated) for at in (0, 1))
        return covered / self.lines if places >= LEAST_PLACES * below and frames >= LEAST_FRAMES * below else 0.0

    def digest(self) -> StackDigest | None:
        """What was found, where enough of the text is made of blocks like others."""
        self.close()
        framed = self.covered_share() >= LEAST_COVERED
        if not framed and (self.covered_share(framed=False) < LEAST_IN_BLOCKS or self.number < AGAIN * len(self.kinds)):
            return None
        every = sum(one.count * len(one.key) for one in self.kinds.values())
        return StackDigest([*self.kinds.values()], self.number, whole=every >= WHOLE * self.lines, framed=framed)


class StackDigest:
    """How many blocks there are of each kind, and what they say: the rarest first, and of each what no other says."""

    complete = in_blocks = True  # no line that is told need be shown

    def __init__(self, kinds: list[BlockKind], number: int, *, whole: bool, framed: bool) -> None:
        self._kinds, self._number = kinds, number
        self.framed = framed  # these are stacks: how else they may be told does not matter
        self.beside = not whole  # other lines are told, too
        self.share = SHARE if whole else PART
        self._having = counts_of(line for kind in kinds for line in dict.fromkeys(kind.texts))
        self._told: set[str] = set()  # what the lines are like that are told,
        self._lines: set[str] = set()  # and these

    def statements(self, room: int) -> tuple[str, ...]:
        """All kinds before more of any, within the room; those that most differ from others stand first."""
        total = f"[{self._number} blocks of {_counted(len(self._kinds), 'kind')}]"
        self._told = set()
        room -= len(total) + 1
        said: dict[BlockKind, tuple[str, frozenset[int]]] = {}
        for kind in self._in_turns:
            room = self._tell(kind, frozenset((0, *self._best_run(kind))), said, room)
        growing = [*said]
        while growing:
            grown: list[BlockKind] = []
            for kind in growing:
                runs = said[kind][1]
                best = self._best_run(kind, len(runs) - 1) if len(runs) < MOST_TOLD else []
                room = self._tell(kind, runs.union(best), said, room) if best else room
                if said[kind][1] != runs:
                    grown.append(kind)
            growing = grown
        self._lines = {line for kind, (_, runs) in said.items() for line in kind.lines_told(runs)}
        shown = sorted(said, key=lambda kind: (kind.count, kind.number))
        return (total, *(said[kind][0] for kind in shown)) if said else ()

    def _tell(
        self, kind: BlockKind, runs: frozenset[int], said: dict[BlockKind, tuple[str, frozenset[int]]], room: int
    ) -> int:
        """Tell these of its lines, if there is room; what is left of it."""
        words = kind.statement(runs)
        more = len(words) - len(said[kind][0]) if kind in said else len(words) + 1
        if more > room:
            return room
        said[kind] = words, runs
        self._told.update(map(kind.name_of, runs))
        return room - more

    def _best_run(self, kind: BlockKind, told: int = 1) -> list[int]:
        """Of the lines that were not told and that the fewest other kinds have the last or, by turns, the first.

        One end of them is where it stands, the other where it came from; the further ones of a stack are everywhere.
        """
        new = [
            run
            for run, (at, _) in enumerate(kind.runs)
            if run and kind.name_of(run) not in self._told and says_something(kind.first[at])
        ]
        if not new:
            return []
        ranks = [self._rank(kind, run) for run in new]
        rarest = [run for run, rank in zip(new, ranks, strict=True) if rank == min(ranks)]
        return [rarest[-1 if told % 2 else 0]]

    def _rank(self, kind: BlockKind, run: int) -> tuple[int, int]:
        """How many kinds have such a line, and how many others come from where it does: from a runtime most do."""
        line = kind.texts[run]
        return self._having[line], self._sizes[origin_of(line)]

    @cached_property
    def _sizes(self) -> dict[str, int]:
        """How many different lines come from each origin."""
        return counts_of(map(origin_of, self._having))

    @cached_property
    def _in_turns(self) -> list[BlockKind]:
        """Kinds of many blocks, the most first, and by turns with them those of one, the most different first."""
        many = sorted((one for one in self._kinds if one.count > 1), key=lambda one: (-one.count, one.number))
        alone = [one for one in self._kinds if one.count == 1 and len(one.key) <= LONGEST_ALONE]
        alone.sort(key=lambda one: -sum(1 for line in one.texts if self._having[line] == 1) / len(one.texts))
        return [one for pair in zip_longest(many, alone) for one in pair if one is not None]

    @property
    def counts(self) -> dict[str, int]:
        """How many lines of the blocks are alike."""
        counts: dict[str, int] = {}
        for kind in self._kinds:
            for name in kind.key:
                counts[name] = counts.get(name, 0) + kind.count
        return counts

    def tells(self, line: str) -> bool:
        """Whether the statements written last tell what stands in this line of a block."""
        return line.rstrip("\r\n") in self._lines

    is_quoted = is_record = tells


def origin_of(line: str) -> str:
    """The directory at the root, the file or the package that a frame names: what lines of one program share.

    >>> origin_of("#1 0x7f in poll () at ../io/poll.c:3"), origin_of("  at java.util.A.b(A.java:3)")
    ('..', 'java')
    """
    path = _PATH.search(line)
    if path is not None:
        return path[1]
    name = _NAME.search(line)
    return name[0] if name is not None else ""


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" + "s" * (number != 1)
