"""Secrets with terminal codes inside them: read in the text without the codes, and found in the text with them."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate, islice

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.redact import assignments
from overspill.redact.hits import (
    ASSIGNMENT,
    CHARS_PER_COST,
    CLEAR,
    COST_ANYWAY,
    COST_EACH,
    CROWD,
    MAX_LOOKAHEAD,
    READING_COST,
    RULE_BITS,
    RULE_MASK,
    UNEXAMINED,
    SecretMatch,
)

if TYPE_CHECKING:
    from overspill.redact.hits import Scanner

_CODE = compile_pattern(r"(\x1b(?:\[[0-?]{0,64}[ -/]{0,4}[@-~]|\][^\x07\x1b\n]{0,512}(?:\x07|\x1b\\)|[@-Z\\^_]))")


class ScanOutcome(NamedTuple):
    """What was found, what all reading has cost by now, and whether something was hidden without being read."""

    matches: list[SecretMatch]
    cost: int
    passed_over: bool


def scan_without_codes(scanner: Scanner, text: str, stretch: tuple[int, int], so_far: tuple[int, int]) -> ScanOutcome:
    """What is found in a stretch once the codes there are gone. Private keys over many lines are not.

    `so_far`: how many characters came before the text, and what reading them has cost.
    """
    start, end = stretch
    parts = _CODE.split(text[start:end])
    if len(parts) == 1:
        return ScanOutcome([], so_far[1], passed_over=False)
    bare = "".join(parts[::2])
    hits = scanner.hits(bare, 0, len(bare))
    if not hits:
        return ScanOutcome([], so_far[1], passed_over=False)
    hits.reverse()
    return _Reading(scanner, bare, parts, start).read(hits, so_far)


class _Reading:
    """The reading of one stretch without its codes."""

    def __init__(self, scanner: Scanner, bare: str, parts: list[str], start: int) -> None:
        self._scanner = scanner
        self._bare = bare
        self._start = start
        self._places = list(accumulate(map(len, parts[::2])))  # where a code stood, in the text without codes
        self._gone = [0, *accumulate(map(len, parts[1::2]))]  # characters gone up to there
        self._matches: list[SecretMatch] = []
        self._told: dict[int, int] = {}  # where the last value looked at by each rule began

    def read(self, hits: list[int], so_far: tuple[int, int]) -> ScanOutcome:
        """Read all hits, the last of the list first."""
        base, cost = so_far
        bare, passed_over, done, pause = self._bare, False, 0, 0
        while hits:
            at, rule = hits[-1] >> RULE_BITS, hits[-1] & RULE_MASK
            room = COST_ANYWAY + (base + self._of(at)) // COST_EACH - cost
            if at < done or rule in self._scanner.blocks:
                hits.pop()
            elif room < 1:
                passed_over, newline = True, bare.find("\n", at)
                done = newline if newline >= 0 else len(bare)
                self._add(at, done, rule, UNEXAMINED, 0)
            elif rule == ASSIGNMENT and len(hits) > CROWD and not pause:
                found, count = assignments.read_run(bare, islice(reversed(hits), room), len(bare) << RULE_BITS)
                new = found[1:] if found and self._told.get(ASSIGNMENT) == found[0][0] else found
                cost += len(new)
                self._matches += self._matches_with_codes(new)
                del hits[len(hits) - count :]
                if found:
                    self._told[ASSIGNMENT] = found[-1][0]
                else:
                    pause = CROWD
            else:
                pause = max(0, pause - 1)
                cost += self._one(hits.pop())
        return ScanOutcome(self._matches, cost, passed_over)

    def _one(self, hit: int) -> int:
        """Read one hit; get what it cost."""
        at, rule, scanner = hit >> RULE_BITS, hit & RULE_MASK, self._scanner
        reader = scanner.readers[rule] or scanner.reader(rule)
        probe, lead = scanner.probes[rule], scanner.leads[rule]
        if probe is not None and (at < lead or probe(self._bare, at - lead, at + MAX_LOOKAHEAD) is None):
            return 0
        found = reader(self._bare, at, at + MAX_LOOKAHEAD)
        cost = 0 if found else READING_COST
        for first, last, kind, form in found:
            if self._told.get(rule) == first:
                continue
            self._told[rule] = first
            cost += 1 if form == CLEAR else READING_COST + (last - first) // CHARS_PER_COST
            if kind and last > first:
                self._add(first, last, rule, kind, form)
        return cost

    def _add(self, first: int, last: int, rule: int, kind: str, form: int) -> None:
        self._matches.append((self._of(first), self._of(last - 1) + 1, rule, kind, form))

    def _of(self, place: int) -> int:
        """A place in the text without codes, in the text with them."""
        return self._start + place + self._gone[bisect_right(self._places, place)]

    def _matches_with_codes(self, found: list[SecretMatch]) -> list[SecretMatch]:
        start, places, gone = self._start, self._places, self._gone
        return [
            (
                start + first + gone[bisect_right(places, first)],
                start + last + gone[bisect_right(places, last - 1)],
                rule,
                kind,
                form,
            )
            for first, last, rule, kind, form in found
            if kind
        ]
