"""Where to look: one fast pass that names the places a rule could match, and misses none.

Three engines give hits, and every hit is read again by `overspill.redact.readers`, so they may only
differ in how many hits come to nothing: hyperscan with a database handed in, google-re2, or the
standard library.
"""

from collections.abc import Callable, Iterable, Sequence

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.redact.hits import SHIFT, Hit, Scan
from overspill.redact.rule import EDGE, Rule

if TYPE_CHECKING:
    from overspill.redact.seams import Finder

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
            result.append(Expression(rule.scan, number, 0, START | CASELESS))
            continue
        result += [Expression(*found, 0) for found in _beginnings(rule, number)]
    return tuple(result)


def _beginnings(rule: Rule, number: int) -> list[tuple[str, int, int]]:
    """The ways a match begins where it begins at the hit; else its gates."""
    from overspill.redact.prefixes import prefixes  # only where a database is built

    found = () if rule.back or rule.how in {"block", "line", "below"} else prefixes(rule.pattern)
    if found:
        edged = rule.pattern.startswith(EDGE)
        return [(_LEFT * (edged and _piled(p.pattern)) + p.pattern, number, p.width) for p in found]
    result = []
    for gate in rule.gates:
        pattern, width = _gated(rule.pattern, gate)
        result.append((_left(rule, gate) + pattern, number, width))
    return result


def _piled(pattern: str) -> bool:
    """Whether a text that only repeats how the pattern begins matches everywhere: then its left edge is looked at, too.

    Everywhere else that edge would only make the database large.
    """
    import re  # only where a database is built

    head = re.match(r"(?:[A-Za-z0-9]|\\.|\[[^\]]+\](?!\{))+", pattern)
    unit = re.sub(r"\[(.)[^\]]*\]", r"\1", head.group()).replace("\\", "") if head else ""
    return 0 < len(unit) <= SHORT and re.match(pattern, unit * 30) is not None


def expressions_of_table() -> tuple[Expression, ...]:
    """The same for our own table; what is compiled must be what `DIGEST` says."""
    from overspill.redact.rules import RULES  # only where a database is built

    return expressions(RULES)


def digest(rules: Iterable[Rule]) -> int:
    """A number that changes with the table. It guards against mistakes, not against attackers."""
    from zlib import adler32, crc32  # only needed where a table is checked

    rows = tuple(rules)
    text = "\n".join(f"{r.pattern} {r.gates} {r.scan} {r.back}" for r in rows)
    text += "\n".join(f"{e.pattern} {e.rule} {e.width}" for e in expressions(rows))
    data = text.encode()
    return crc32(data) << 32 | adler32(data)


def _written(gate: str) -> str:
    """The gate as the table's patterns write it."""
    return "".join(f"\\{c}" if c in _SPECIAL else c for c in gate)


def _caseless(gate: str) -> str:
    return "".join(f"[{c.upper()}{c}]" if c.isalpha() else _written(c) for c in gate)


def _left(rule: Rule, gate: str) -> str:
    """What surely stands before the gate."""
    if not rule.pattern.startswith(EDGE):
        return ""
    if not rule.back:
        return _LEFT
    at = rule.pattern.lower().find(_written(gate), len(EDGE))
    return rule.pattern[len(EDGE) : at] if at >= 0 else ""


def _gated(pattern: str, gate: str) -> tuple[str, int]:
    """The gate as hyperscan finds it, with what surely follows, if the pattern goes on with a counted class."""
    import re  # only where a database is built

    written = _written(gate)
    at = pattern.lower().find(written, len(EDGE) if pattern.startswith(EDGE) else 0)
    if at < 0:
        return _caseless(gate), len(gate)
    exact = pattern[at : at + len(written)] if "(?i:" not in pattern[:at] else _caseless(gate)
    run = re.compile(r"(\[[^\]]+\])\{(\d+)").match(pattern, at + len(written))
    count = min(int(run.group(2)), TAIL) if run else 0
    return (f"{exact}{run.group(1)}{{{count}}}", len(gate) + count) if run and count else (exact, len(gate))


def by_literals(rules: Sequence[Rule], compile_pattern: "Callable[[bytes], Finder]") -> Scan:
    """Hits from one alternation of all gates, on google-re2 or on the standard library."""
    owners: dict[bytes, list[int]] = {}
    for number, rule in enumerate(rules):
        for gate in rule.gates:
            owners.setdefault(gate.encode(), []).append(number)
    finder = compile_pattern(_trie(owners))
    inside = {gate: _inside(gate, owners) for gate in owners}

    def scan(data: bytes) -> list[Hit]:
        data = data.lower()
        hits: list[Hit] = []
        for match in finder.finditer(data):
            at = match.start()
            for offset, gate, numbers in inside[match.group()]:
                if offset == 0 or data.startswith(gate, at + offset):
                    hits.extend(at + offset << SHIFT | number for number in numbers)
        return hits

    return scan


def _inside(gate: bytes, owners: dict[bytes, list[int]]) -> list[tuple[int, bytes, list[int]]]:
    """Every gate that can start within `gate`, itself first: a search that never overlaps would miss them.

    Shorter gates with the same start are always there; longer ones won the alternation instead.
    """
    found = [(0, gate, numbers) for other, numbers in owners.items() if gate.startswith(other)]
    for offset in range(1, len(gate)):
        rest = gate[offset:]
        for other, numbers in owners.items():
            if other.startswith(rest) or rest.startswith(other):
                found.append((offset, other, numbers))
    return found


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
    branches = [_written(chr(byte)).encode() + _branches(below) for byte, below in sorted(node.items()) if byte >= 0]
    if not branches:
        return b""
    inner = b"(?:" + b"|".join(branches) + b")" if len(branches) > 1 or -1 in node else branches[0]
    return inner + b"?" if -1 in node else inner
