r"""Where to look: one fast pass that names the places a rule could match, and misses none.

Three engines give hits, and every hit is read again by `overspill.redact.readers`, so they may only
differ in how many hits come to nothing: hyperscan with a database handed in, google-re2, or the
standard library.

For hyperscan, how a rule's matches begin is written as fixed-width patterns, which it finds without saying where
they start. Every match of the rule begins with a match of one of them. They may match more: what looks around is
left out, and a run that may be longer is cut to its least length, so that a long token is one hit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.redact.hits import RULE_BITS, Hit, Scan
from overspill.redact.rules import EDGE, Rule, prefixes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from overspill.redact.hits import Finder

CASELESS, START = 1, 2
TAIL = 12
SHORT = 4
# `EDGE` as hyperscan can say it.
_LEFT = r"(?:^|[^A-Za-z0-9]|\\[nrtbf]|%[0-9A-Fa-f]{2}|u00[0-9A-Fa-f]{2}|\x1b\[[0-9;]{1,4}m)"
_SPECIAL = frozenset(".+*?()[]{}|^$\\")


class Expression(NamedTuple):
    """One hyperscan expression. Its match ends `width` after the hit, or hyperscan says where it starts."""

    pattern: str
    rule: int
    width: int
    flags: int


def expressions(rules: Sequence[Rule]) -> tuple[Expression, ...]:
    """What hyperscan compiles. Runs are cut to a few characters: a long token must not be a million hits."""
    result = []
    for number, rule in enumerate(rules):
        if rule.scan:
            result += [_scan_expression(way, number) for way in rule.scan.split("\n")]
            continue
        result += [Expression(*found, 0) for found in _beginnings(rule, number)]
    return tuple(result)


def _scan_expression(pattern: str, number: int) -> Expression:
    """One way in which matches begin. Where all are of one width hyperscan need not say where they start."""
    from importlib import import_module  # only where a database is built

    least, most = import_module("re._parser").parse(pattern).getwidth()
    same = least == most and pattern.isascii()
    return Expression(pattern, number, least if same else 0, CASELESS if same else START | CASELESS)


def _beginnings(rule: Rule, number: int) -> list[tuple[str, int, int]]:
    """The ways a match begins where it begins at the hit; else its gates."""
    found = () if rule.back or rule.how in {"block", "below"} or rule.how.endswith("line") else prefixes(rule.pattern)
    if found:
        edged = rule.pattern.startswith(EDGE)
        return [(_LEFT * (edged and _piles_up(p.pattern)) + p.pattern, number, p.width) for p in found]
    result = []
    for gate in rule.gates:
        pattern, width = _gate_pattern(rule.pattern, gate)
        result.append((_left(rule, gate) + pattern, number, width))
    return result


def _piles_up(pattern: str) -> bool:
    """Whether a text that only repeats how the pattern begins matches everywhere: then its left edge is looked at, too.

    Everywhere else that edge would only make the database large.
    """
    import re  # only where a database is built

    head = compile_pattern(r"(?:[A-Za-z0-9]|\\.|\[[^\]]+\](?!\{))+").match(pattern)
    unit = compile_pattern(r"\[(.)[^\]]*\]").sub(r"\1", head.group()).replace("\\", "") if head else ""
    unit = unit[0] if len(set(unit)) == 1 else unit  # zeros in base64
    return 0 < len(unit) <= SHORT and re.match(pattern, unit * 30) is not None


def expressions_of_table() -> tuple[Expression, ...]:
    """What hyperscan compiles for our own table; it must be what `DIGEST` says."""
    from overspill.redact.rules.credentials import RULES  # only where a database is built

    return expressions(RULES)


def table_digest(rules: Iterable[Rule]) -> int:
    """A number that changes with the table. It guards against mistakes, not against attackers."""
    from zlib import adler32, crc32  # only needed where a table is checked

    rows = tuple(rules)
    text = "\n".join(f"{r.pattern} {r.gates} {r.scan} {r.back}" for r in rows)
    text += "\n".join(f"{e.pattern} {e.rule} {e.width}" for e in expressions(rows))
    data = text.encode()
    return crc32(data) << 32 | adler32(data)


def _escaped_gate(gate: str) -> str:
    """The gate as the table's patterns write it."""
    return "".join(f"\\{c}" if c in _SPECIAL else c for c in gate)


def _caseless(gate: str) -> str:
    return "".join(f"[{c.upper()}{c}]" if c.isalpha() and c.isascii() else _escaped_gate(c) for c in gate)


def _left(rule: Rule, gate: str) -> str:
    """What surely stands before the gate."""
    if not rule.pattern.startswith(EDGE):
        return ""
    if not rule.back:
        return _LEFT
    at = rule.pattern.lower().find(_escaped_gate(gate), len(EDGE))
    return rule.pattern[len(EDGE) : at] if at >= 0 else ""


def _gate_pattern(pattern: str, gate: str) -> tuple[str, int]:
    """The gate as hyperscan finds it, with what surely follows, if the pattern goes on with a counted class."""
    written = _escaped_gate(gate)
    at = pattern.lower().find(written, len(EDGE) if pattern.startswith(EDGE) else 0)
    if at < 0:
        return _caseless(gate), len(gate.encode())
    exact = pattern[at : at + len(written)] if "(?i:" not in pattern[:at] else _caseless(gate)
    run = compile_pattern(r"(\[[^\]]+\])\{(\d+)").match(pattern, at + len(written))
    count = min(int(run.group(2)), TAIL) if run else 0
    width = len(gate.encode())
    return (f"{exact}{run.group(1)}{{{count}}}", width + count) if run and count else (exact, width)


def by_literals(rules: Sequence[Rule], compile_pattern: Callable[[bytes], Finder], *, linear: bool) -> Scan:
    """Hits from one alternation of all gates, on google-re2 or on the standard library.

    Where the engine is `linear`, many patterns take as long as one: shapes, and gates that stand everywhere, are looked
    for with what follows them.

    A gate is only a hit where hyperscan would give one: what a text may cost must not depend on the engine.
    """
    owners: dict[bytes, list[int]] = {}
    begun = _Beginnings(rules if linear else (), compile_pattern)
    for number, rule in enumerate(rules):
        for gate in rule.gates if number not in begun.numbers else ():
            owners.setdefault(gate.encode(), []).append(number)
    finder = compile_pattern(_trie(owners))
    inside = _Overlaps(owners)
    shapes = _Shapes(rules, compile_pattern, linear=linear)
    checks = _GateChecks(rules, linear=linear)

    def scan(data: bytes) -> list[Hit]:
        hits = [place << RULE_BITS | number for place, number in shapes.places(data)]
        hits += [place << RULE_BITS | number for place, number in begun.places(data, checks)]
        lower = data.lower()
        ends: dict[int, int] = {}
        for match in finder.finditer(lower):
            at, end = match.span()  # one question is asked faster than two
            sure, longer, more = inside[lower[at:end]]
            for offset, numbers in sure if longer is None or longer(lower, at) is None else more(lower, at):
                for number in numbers:
                    place = checks[number](data, at + offset, ends)
                    if place >= 0:
                        hits.append(place << RULE_BITS | number)
        return hits

    return scan


STRETCH, WIDEST_SHAPE = 4_096, 4_096


class _Shapes:
    """Rules without a literal to look for. Where the engine is linear one pattern tells where any of them may begin:
    a text has few such places, and each is looked for by itself no further than some lines behind one.
    """

    def __init__(self, rules: Sequence[Rule], compile_pattern: Callable[[bytes], Finder], *, linear: bool) -> None:
        ways = {number: rule.scan.encode() for number, rule in enumerate(rules) if not rule.gates}
        self._shapes = [(number, compile_pattern(way)) for number, way in ways.items()]
        self._any = compile_pattern(b"|".join(b"(?:%b)" % way for way in ways.values())) if linear and ways else None

    def places(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Where matches begin, and of which rule."""
        if self._any is None:
            for number, shape in self._shapes:
                yield from ((match.start(), number) for match in shape.finditer(data))
            return
        ends: dict[int, int] = {}
        begun = self._any.search(data)
        while begun is not None:
            first, stop = begun.start(), begun.start() + STRETCH
            for number, shape in self._shapes:
                for match in shape.finditer(data, max(first, ends.get(number, 0)), min(len(data), stop + WIDEST_SHAPE)):
                    if match.start() >= stop:
                        break
                    ends[number] = match.end()
                    yield match.start(), number
            begun = self._any.search(data, stop) if stop < len(data) else None


SHORT_GATE = 3
FAR = 30  # a run of so many characters and more is far from where a match begins
_LONGEST_RUN, _BEYOND_ASCII = compile_pattern(r"\{[0-9]*,([0-9]+)\}"), compile_pattern(r"[^\x00-\x7f]")
HEAD, MOST_HEADS, ANY_BEYOND = 2, 4_096, "\x7f"
HEAD_BYTES = 2 * HEAD - 1  # a run that begins within the head is told as far again


class _Beginnings:
    """Rules of a shape, and those whose gates are too short to look for (`s.` and `ac` stand everywhere): a pattern
    tells where any of their matches begins, also inside of another one.

    Shapes with long runs have a pattern of their own: all together would be more states than an engine remembers.
    """

    def __init__(self, rules: Sequence[Rule], compile_pattern: Callable[[bytes], Finder]) -> None:
        ways = {number: found for number, rule in enumerate(rules) if (found := self._ways(rule))}
        self.numbers = frozenset(ways)
        near: dict[int, list[str]] = {}
        far: dict[int, list[str]] = {}
        for number, found in ways.items():
            has_long_run = any(int(most) >= FAR for most in _LONGEST_RUN.findall("".join(found)))
            (far if has_long_run else near)[number] = found
        self._patterns = [
            (compile_pattern("|".join(way for found in group.values() for way in found).encode()), _Heads(group))
            for group in (near, far)
            if group
        ]

    @staticmethod
    def _ways(rule: Rule) -> list[str]:
        if rule.scan and rule.gates:
            return list(_ways(rule, look_behind=False))
        if not rule.gates or rule.back or rule.how.endswith("line") or max(map(len, rule.gates)) > SHORT_GATE:
            return []
        return [prefix.pattern for prefix in prefixes(rule.pattern)]

    def places(self, data: bytes, checks: _GateChecks) -> Iterator[tuple[int, int]]:
        """Where matches begin, and of which rule."""
        ends: dict[int, int] = {}
        for pattern, heads in self._patterns:
            begun = pattern.search(data)
            while begun is not None:
                at = begun.start()
                for number in heads[data[at : at + HEAD_BYTES]]:
                    if checks[number](data, at, ends) >= 0:
                        yield at, number
                begun = pattern.search(data, at + 1)


def _heads_of(way: str) -> list[str]:
    """How the first bytes of a match look: in any way, if it cannot be told. A letter beyond ASCII is several bytes."""
    found = prefixes(way, HEAD)
    if not found or any(prefix.width > HEAD_BYTES for prefix in found):
        found = prefixes(_BEYOND_ASCII.sub(ANY_BEYOND, way), 1)
    return [prefix.pattern for prefix in found] or [""]


class _Heads(dict[bytes, list[int]]):
    """For the first bytes of a match the rules that it may be one of. Put together as they come up."""

    def __init__(self, ways: Mapping[int, list[str]]) -> None:
        import re  # not needed beside hyperscan

        self._may_begin = {
            number: re.compile("|".join(pattern for way in found for pattern in _heads_of(way))).match
            for number, found in ways.items()
        }

    def __missing__(self, head: bytes) -> list[int]:
        if len(self) >= MOST_HEADS:
            self.clear()
        letters = _BEYOND_ASCII.sub(ANY_BEYOND, head.decode("latin-1"))
        found = self[head] = [number for number, may_begin in self._may_begin.items() if may_begin(letters)]
        return found


GateCheck = Callable[[bytes, int, dict[int, int]], int]
"""From a text, the place of a gate and the ends of what was found so far to the place of the hit, or -1."""

NAME_BEFORE = 6  # a shape may begin so many characters before its gate


class _GateChecks(dict[int, GateCheck]):
    """For each rule what says whether a gate of it is a hit, by all that hyperscan looks at. Made when first needed."""

    def __init__(self, rules: Sequence[Rule], *, linear: bool) -> None:
        self._rules = rules
        self._linear = linear

    def __missing__(self, number: int) -> GateCheck:
        import re  # not needed beside hyperscan

        rule = self._rules[number]
        try:
            ways = "|".join(_ways(rule, look_behind=True)).encode()
            match = re.compile(ways).match
        except re.error:  # what stands before the gate has no fixed width: it is left to the reader
            ways = "|".join(_ways(rule, look_behind=False)).encode()
            match = re.compile(ways).match
        match_soon = re.compile(rb"(?s:.){0,%d}?(?:%b)" % (NAME_BEFORE - 2, ways)).match if rule.scan else match

        def check_gate(data: bytes, place: int, _ends: dict[int, int]) -> int:
            return place if match(data, place) else -1

        def check_beginning(data: bytes, place: int, ends: dict[int, int]) -> int:
            shape = match(data, place)
            if (
                shape is None or ends.get(number) == shape.end()
            ):  # told by what began before, and ends at the same place
                return -1
            ends[number] = shape.end()
            return place

        def check_shape(data: bytes, place: int, ends: dict[int, int]) -> int:
            first = max(0, place - NAME_BEFORE + 1)
            for start in range(place, first - 1, -1):
                shape = match(data, start)
                if shape is None and start == place and match_soon(data, first) is None:
                    return -1  # nor does it begin anywhere before
                if shape is not None and shape.end() > place:
                    told = ends.get(number) == shape.end()
                    ends[number] = shape.end()
                    return -1 if told else start
            return -1

        self[number] = check_gate if not rule.scan else check_beginning if self._linear else check_shape
        return self[number]


def _ways(rule: Rule, *, look_behind: bool) -> Iterator[str]:
    """The expressions of a rule as patterns that begin at its gate."""
    lefts = [left for gate in rule.gates if rule.back and (left := _left(rule, gate))]
    for pattern, _, _, flags in expressions((rule,)):
        edge = EDGE if pattern.startswith(_LEFT) else ""
        before = next(filter(pattern.startswith, lefts), "")
        rest = pattern.removeprefix(_LEFT).removeprefix(before)
        behind = f"(?<={before})" if before and look_behind else ""
        yield f"(?i:{edge}{behind}{rest})" if flags & CASELESS else edge + behind + rest


GateOwners = list[tuple[int, list[int]]]
"""How far after a place gates begin, and the rules they belong to."""


class _Overlaps(dict[bytes, tuple[GateOwners, Any, "Callable[[bytes, int], GateOwners]"]]):
    """For each gate those that can begin within it, itself first: a search that never overlaps would miss them.

    Those that end within it are sure to be there, and so are shorter ones with the same start; longer ones won the
    alternation instead. Those that reach beyond it are seldom there: one pattern says whether any is.
    """

    def __init__(self, owners: dict[bytes, list[int]]) -> None:
        self._owners = owners

    def __missing__(self, gate: bytes) -> tuple[GateOwners, Any, Callable[[bytes, int], GateOwners]]:
        import re  # not needed beside hyperscan

        sure: GateOwners = [(0, numbers) for other, numbers in self._owners.items() if gate.startswith(other)]
        beyond: list[tuple[int, bytes, list[int]]] = []
        for offset in range(1, len(gate)):
            rest = gate[offset:]
            sure += [(offset, numbers) for other, numbers in self._owners.items() if rest.startswith(other)]
            beyond += [
                (offset, other, numbers)
                for other, numbers in self._owners.items()
                if other.startswith(rest) and other != rest
            ]

        def more(lower: bytes, at: int) -> GateOwners:
            return sure + [
                (offset, numbers) for offset, other, numbers in beyond if lower.startswith(other, at + offset)
            ]

        longer = re.compile(_trie(gate[:offset] + other for offset, other, _ in beyond)).match if beyond else None
        self[gate] = sure, longer, more
        return self[gate]


def _trie(gates: Iterable[bytes]) -> bytes:
    """One pattern for all gates, longest first, with common beginnings written once."""
    tree: dict[int, dict] = {}  # type: ignore[type-arg]  # a tree of itself
    for gate in gates:
        node = tree
        for byte in gate:
            node = node.setdefault(byte, {})
        node[-1] = {}
    return _branches(tree)


def _branches(node: dict) -> bytes:  # type: ignore[type-arg]  # as above
    branches = [
        _escaped_gate(chr(byte)).encode("latin-1") + _branches(below)
        for byte, below in sorted(node.items())
        if byte >= 0
    ]
    if not branches:
        return b""
    inner = b"(?:" + b"|".join(branches) + b")" if len(branches) > 1 or -1 in node else branches[0]
    return inner + b"?" if -1 in node else inner
