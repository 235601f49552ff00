r"""Definitions in a language that nobody listed, told by evidence in the text itself.

Lines that are indented alike and begin with the same word or two, each with another name behind them (`proc a`,
`(defun a`), or that have another name before the same sign (`a <- function`, `a :-`), define these names if they open
blocks or stand apart: below them something is indented, above them is nothing, a remark or the end of a block. A text
is source if most lines at its margin that open a block do so with such a name.

>>> text = "".join(f"gadget g{at} takes x\n    turn x\n    stop\n\n" for at in range(6))
>>> found = learned_outline(text)
>>> print(*DefinitionDigest(found.heads).statements(90), sep="\n")
[6 names after "gadget": L1 g0, L5 g1, L9 g2, L13 g3, L17 g4, L21 g5]
>>> learned_outline("all is well\n" * 40) is None
True
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.cut.digest import repeats_itself
from overspill.cut.digest.leading_names import NameList
from overspill.cut.digest.names import statement_lines
from overspill.cut.digest.values import spelled_value
from overspill.cut.smart.languages import grammar_of
from overspill.cut.smart.outline import Line, Outline, left_open, lines_within, outline_by

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from re import Match

    from overspill.cut.smart.languages import Grammar
    from overspill.cut.smart.outline import Definition

FEWEST, FEWEST_ALIKE = 5, 3  # definitions of a text, and of them those that begin alike
# Of such lines: names behind a word; behind several; before a sign.
DISTINCT, DISTINCT_LONG, DISTINCT_BEFORE = 0.3, 0.6, 0.2
APART, OPEN_BELOW = 0.5, 0.5  # of them stand apart or open a block; and, further right, do each
DISTINCT_BESIDE = 0.85  # of those that neither open blocks nor stand apart, such as imports
INDENTED, MOSTLY = 0.25, 0.7  # of the lines of a source; of its lines that open blocks at the margin
OPENS = 0.4  # of the lines of one kind that open a block, at least of one kind
TROUBLE = 0.3  # of what opens blocks in a report
CLOSED = 0.6  # of the definitions end with a line that does nothing else
DEEPEST, MOST_WORDS = 2, 3  # levels that are looked at, and words before a name
SAMPLE = 600  # lines that are looked at first
BULLETS = ("-", "*", "+", "=", ">")
TITLED = 5  # one of so many titles has several words
SPOKEN = 5  # plain words in a row are a sentence
SHARE, BESIDE_SHARE = 0.7, 0.35  # of the room; and of that for what is no definition
LONGEST_PLACED = 2_400  # characters of names with their lines

# No definition begins with these, in any language that has them.
_FLOW = frozenset(
    (
        *("if", "for", "while", "switch", "catch", "return", "new", "else", "do", "try", "with", "throw", "case"),
        *("foreach", "when", "unless", "until", "elif", "elsif", "elseif", "then", "end", "begin", "endif", "endfor"),
        *("endwhile", "goto", "break", "continue", "raise", "repeat", "loop", "match", "select", "default", "finally"),
        "except",
    )
)
_FIRST = compile_pattern(r"[^\w]*([^\W_]*)")
_WORD = compile_pattern(r"[^\w\s\"'<>]{0,2}[A-Za-z_][\w-]*[!*]?$")
_FURTHER = compile_pattern(r"[A-Za-z_][\w-]*$|\"[\w-]+\"$")
_JOINED = compile_pattern(r"([^\w\s\"'<>]{0,2}[A-Za-z_][\w-]*[!*]?[({][\[{\"']*)([^\s()\[\]{},;\"'=|<>]+)")
_NAME = compile_pattern(r"[\"'(<\[{*&]{0,2}([^\s()\[\]{},;\"'=|<>]*[^\s()\[\]{},;\"'=|<>:.])")
_RESULT = compile_pattern(r"(function)\s+(?:\[[^\]]*\]|[\w.]+)\s*=\s*([\w.]+)")  # what it gives stands before its name
_ALONE = compile_pattern(r"([A-Za-z_][\w.-]*\w)[.:]?$")
_LEADING = compile_pattern(r"[^\w.-]")  # what ends a name
_LISP_NAME = compile_pattern(r"\(?([^\s()\[\]{}\"';,]+)")
_BEFORE = compile_pattern(
    r"((?:\$[({]\w+[)}]|[\w$@%&./?!'-]|::?(?=\w))+)(\s*\((?:[^()]|\([^()]*\))*\))?"
    r"\s*(<-|::=|:=|:-|-->|->|=>|::|=(?!=)|:(?![\w:])|(?=\{))"
    r"\s*(function\b|lambda\b|func\b|fn\b|\{|\(|\[)?"
)
_TITLE = compile_pattern(r"\s+[\w'.,/()<>-]+(?:\s[\w'.,/()<>-]+)+$")
_SENTENCE = compile_pattern(r"(?:[A-Za-z][a-z']*[,.]? ){%d}" % (SPOKEN - 1))  # noqa: UP031  # braces are counts here


class Head(NamedTuple):
    """Lines that are indented alike and begin alike but for a name: what stands before or behind it, and the names."""

    sign: str
    side: str  # on which a name stands of it: after or before; or alone, where there is nothing else
    indent: int
    names: dict[str, int]  # with the number of the first line that has it
    lines: dict[int, str]  # their names, by the numbers of the lines
    opens: float  # of these, the share that opens a block
    apart: float
    shown: float  # that does either

    @property
    def defines(self) -> bool:
        """Whether these lines define the names; others bring them in, or set them."""
        return self.shown >= APART

    @property
    def is_titled(self) -> bool:
        """Whether its names are titles of several words, which come after what is defined."""
        return any(" " in name for name in self.names)

    @property
    def is_telling(self) -> bool:
        """Whether settings and records have no such lines."""
        return (
            self.defines
            and self.side != "alone"
            and (self.side == "after" or not compile_pattern(r"[:=] ?[\[({]?$").match(self.sign))
        )


class LearnedOutline(NamedTuple):
    """The heads that definitions begin with, those of imports and the like behind them, and the definitions."""

    heads: list[Head]
    outline: Outline
    closed: bool  # most definitions have a line of their own that ends them, which no manual has


class _Place(NamedTuple):
    """A line that is not blank: its number, what it says, and what stands around it."""

    number: int
    words: str
    indent: int
    depth: int  # how many lines it is indented below
    opens: bool
    apart: bool
    flow: bool  # begins with a word of control
    inside: bool  # lies in a remark or in brackets that opened above, though it is not indented


def learned_outline(text: str, *, plain: bool = False) -> LearnedOutline | None:
    """The definitions of a text, if it is source; None where it is not, or has hardly any.

    Of a `plain` text nobody knows that it is source: settings and reports have names before signs, or tell of trouble.
    """
    if plain and repeats_itself(text):  # which is seen in no time
        return None
    grammar = grammar_of("")
    if text.count("\n") > 2 * SAMPLE:
        part = "\n".join(_some_lines(text.split("\n")))
        if not any(head.defines for head in _heads_in(_places_in(*lines_within(part, grammar)))):
            return None
    lines, inside = lines_within(text, grammar)
    places = _places_in(lines, inside)
    if not _is_set_in(places) and not _is_set_in([one for one in places if not grammar.attached.match(one.words)]):
        return None
    heads = _heads_in(places)
    if not _is_source(places, heads):
        return None
    if plain and (not _is_telling(heads) or _tells_of_trouble(heads, lines)):
        return None
    named = {number: name for head in heads if head.defines for number, name in head.lines.items()}
    margin = _margin_of(heads)
    named |= {
        one.number: found[0][1]
        for one in places
        if one.indent == margin and one.opens and not one.flow and one.number not in named
        if (found := _names_behind(one.words))
    }
    named = {number: name for number, name in named.items() if number not in inside} if inside else named
    # What lies in brackets belongs to what opened them, as if it were indented.
    deeper = [line._replace(indent=line.indent + 1) if at in inside else line for at, line in enumerate(lines)]
    if 2 * sum(1 for at in named if left_open(lines[at].words)) > len(named):  # behind the bracket it is over
        grammar = grammar._replace(going_on=None)
    defined = outline_by(text, deeper if inside else lines, grammar, named.get)
    return LearnedOutline(heads, defined, _are_closed(defined.definitions, lines, grammar))


def _is_set_in(places: Sequence[_Place]) -> bool:
    """Whether enough lines belong to others above them."""
    return sum(1 for one in places if one.depth > 0 or one.inside) >= INDENTED * len(places)


def _are_closed(definitions: Sequence[Definition], lines: Sequence[Line], grammar: Grammar) -> bool:
    """Whether most definitions end with a line that does nothing else, as far left as they began, or close brackets."""
    by_end = {line.end: line for line in lines}
    ends = [(lines[one.line - 1], by_end[one.end]) for one in definitions if one.end > lines[one.line - 1].end]
    closed = sum(
        1 for head, last in ends
        if last.indent == head.indent
        if grammar.closing.match(last.words) or (last.words[-1:] in ")]}" and left_open(head.words))
    )  # fmt: skip
    return closed >= max(FEWEST, CLOSED * len(ends))


def _is_telling(heads: Iterable[Head]) -> bool:
    """Whether half of what is defined is told by more than a sign that settings and lists of names have."""
    defining = [head for head in heads if head.defines]
    telling = sum(len(head.names) for head in defining if head.is_telling)
    return 2 * telling >= sum(len(head.names) for head in defining)


def _tells_of_trouble(heads: Sequence[Head], lines: Sequence[Line]) -> bool:
    """Whether what opens the blocks of a text tells of what failed: what stands below it may not."""
    from overspill.cut.smart.shapes import classify_line

    margin = _margin_of(heads)
    named = [lines[at] for head in heads if head.defines for at in head.lines]
    troubled = [line.indent for line in named if classify_line(line.words) is not None]
    first = sum(line.indent == margin for line in named)
    return len(troubled) > TROUBLE * len(named) or troubled.count(margin) > TROUBLE * max(first, FEWEST)


def _some_lines(lines: list[str]) -> list[str]:
    """The first lines, and those behind the middle and before the end."""
    part, middle = SAMPLE // 3, len(lines) // 2
    return [*lines[:part], *lines[middle : middle + part], *lines[-part:]]


def _places_in(lines: Sequence[Line], inside: Collection[int] = ()) -> list[_Place]:
    grammar = grammar_of("")
    filled = [(number, line) for number, line in enumerate(lines) if line.indent >= 0]
    places: list[_Place] = []
    above: list[int] = []
    before, apart = -1, True
    for at, (number, line) in enumerate(filled):
        words, indent = line.words, line.indent
        while above and above[-1] >= indent:
            above.pop()
        within = number in inside
        opens = _opens_block(line, filled[at + 1 : at + 3], number) or (
            not within and at + 1 < len(filled) and filled[at + 1][0] in inside
        )
        alone = apart or number > before + 1
        places.append(_Place(number, words, indent, len(above), opens, alone, _is_flow(words), within))
        above.append(indent)
        first = words.split(None, 1)[0]
        apart = bool(grammar.attached.match(words) or grammar.closing.match(words)) or not any(map(str.isalnum, first))
        before = number
    return places


def _opens_block(line: Line, below: list[tuple[int, Line]], number: int) -> bool:
    """Whether something is indented below a line, or below the single word that follows it: `begin`, `var`, a brace."""
    if not below or below[0][1].indent > line.indent:
        return bool(below)
    (next_number, following), last = below[0], below[-1][1]
    alone = following.words.isalpha() or following.words in ("{", "(")
    return alone and next_number == number + 1 and following.indent == line.indent < last.indent


def _is_source(places: Sequence[_Place], heads: Sequence[Head]) -> bool:
    """Whether most blocks at the margin begin with a name that is defined there."""
    margin = _margin_of(heads)
    if margin < 0:
        return False
    named = {number for head in heads if head.defines for number in head.lines}
    opening = [one for one in places if one.indent == margin and one.opens and not one.inside]
    known = sum(1 for one in opening if one.number in named)
    unknown = [one.words for one in opening if one.number not in named and not one.flow and " " in one.words]
    defined = {name for head in heads if head.defines for name in head.names}  # a further clause defines nothing else
    others = sum(1 for words in unknown if not _is_remark(words) and _LEADING.split(words, 1)[0] not in defined)
    return known >= FEWEST and known >= MOSTLY * (known + others)


def _is_remark(words: str) -> bool:
    """Whether a line is no statement: a sentence, signs alone at its beginning that are no bullet, or an attribute."""
    first = words.split(None, 1)[0]
    signs = first not in BULLETS and not any(map(str.isalnum, first))
    return signs or bool(grammar_of("").attached.match(words) or _SENTENCE.match(words))


def _margin_of(heads: Iterable[Head]) -> int:
    """Where the definitions that open blocks stand furthest left; -1 where there are none."""
    return min((head.indent for head in heads if head.defines and head.opens >= OPENS), default=-1)


def _is_flow(words: str) -> bool:
    """Whether a line begins with a word of control."""
    first = _FIRST.match(words)
    return first is not None and first[1].lower() in _FLOW


def _heads_in(places: Sequence[_Place]) -> list[Head]:
    """What definitions begin with: at the margin, and further right where lines open blocks and stand apart."""
    levels: dict[int, list[_Place]] = {}
    shallow = {one.indent for one in places if one.depth <= DEEPEST}
    for one in places:
        if one.indent in shallow:
            levels.setdefault(one.indent, []).append(one)
    heads: list[Head] = []
    for indent in sorted(levels):
        inner = any(head.defines for head in heads)
        found = [head for head in _heads_at(levels[indent], indent) if not inner or _is_inner(head)]
        heads += [head for head in found if head.defines or not inner]
    heads = [head for head in heads if not _is_said_before(head, heads)]
    return sorted(heads, key=_rank_of)


def _rank_of(head: Head) -> tuple[bool, bool, bool, int, int]:
    return not head.defines, head.is_titled, head.opens < OPENS, head.indent, -len(head.names)


def _is_inner(head: Head) -> bool:
    """Whether lines that stand further right define something: statements open blocks, too, but do not stand apart."""
    return head.opens >= OPEN_BELOW and head.apart >= OPEN_BELOW


def _is_said_before(head: Head, heads: Sequence[Head]) -> bool:
    """Whether nearly all names are defined elsewhere: the end of a function may name it again."""
    others = {name for one in heads if one is not head and len(one.names) >= len(head.names) for name in one.names}
    return head.opens < OPEN_BELOW and sum(name in others for name in head.names) >= DISTINCT_BESIDE * len(head.names)


def _heads_at(places: Sequence[_Place], indent: int) -> Iterator[Head]:
    """Lines of one indent by what they have in common: of several words that repeat, as many as there are."""
    behind = [(one, _names_behind(one.words)) for one in places if not one.flow]
    taken: set[int] = set()
    for words in range(MOST_WORDS, 0, -1):
        alike: dict[str, list[tuple[_Place, str]]] = {}
        for one, found in behind:
            if len(found) >= words and one.number not in taken:
                alike.setdefault(found[words - 1][0], []).append((one, found[words - 1][1]))
        for sign, lines in alike.items():
            head = _head_of(sign, "after", indent, lines, DISTINCT if words == 1 else DISTINCT_LONG)
            if head is not None:
                taken |= head.lines.keys()
                yield head
    yield from _heads_before([one for one in places if one.number not in taken and not one.flow], indent)


def _heads_before(places: Sequence[_Place], indent: int) -> Iterator[Head]:
    """Lines of one indent that begin with a name, by the sign behind it, or with nothing behind it."""
    signs: dict[tuple[str, str, float], list[tuple[_Place, str]]] = {}
    for one in places:
        found = _before_sign(one.words)
        if found is not None and any(map(str.isalpha, found[1])):
            sign = f"{'()' if found[2] else ''} {found[3]} {found[4] or ''}".strip() or "{"
            signs.setdefault((sign, "before", DISTINCT_BEFORE), []).append((one, found[1]))
        elif one.opens and (alone := _ALONE.match(one.words)):
            signs.setdefault(("", "alone", DISTINCT_LONG), []).append((one, alone[1]))
    for (sign, side, least), lines in signs.items():
        head = _head_of(sign, side, indent, lines, least)
        if head is not None:
            yield head


def _before_sign(words: str) -> Match[str] | None:
    """A name before a sign at the beginning of a line; most lines have no such sign, which is seen at once."""
    has_sign = "=" in words or ":" in words or "{" in words or "->" in words or "<-" in words
    return _BEFORE.match(words) if has_sign else None


def _head_of(sign: str, side: str, indent: int, lines: list[tuple[_Place, str]], least: float) -> Head | None:
    names = {name: one.number + 1 for one, name in reversed(lines)}
    number = len(lines)
    clauses = sum(1 for (_, name), (_, before) in zip(lines[1:], lines, strict=False) if name == before)
    if len(names) < max(FEWEST_ALIKE, least * (number - clauses)):  # clauses of one function follow each other
        return None
    if 2 * sum(1 for one, _ in lines if one.inside) > number:
        return None
    # What is announced in one place is defined in another.
    opening, alone = {name for one, name in lines if one.opens}, {name for one, name in lines if one.apart}
    opens, apart, shown = (len(some) / len(names) for some in (opening, alone, opening | alone))
    sentences = sum(1 for one, _ in lines if _SENTENCE.match(one.words))
    beside = shown < APART or (side == "before" and sign in (":", "=") and opens < APART)
    if 2 * sentences > number or (beside and len(names) < DISTINCT_BESIDE * number):
        return None
    if side == "after" and opens < APART and _are_titled(sign, lines):
        lines = [(one, " ".join(one.words[len(sign) :].split())) for one, _ in lines]
        names = {name: one.number + 1 for one, name in reversed(lines)}
    ordered = dict(sorted(names.items(), key=lambda name: name[1]))
    places = {one.number: name for one, name in lines}
    return Head(sign, side, indent, ordered, places, opens, apart, 0.0 if beside else shown)


def _are_titled(sign: str, lines: Sequence[tuple[_Place, str]]) -> bool:
    """Whether behind a mark stand titles rather than names: some are several words, and they open no blocks."""
    if sign[0].isalnum() or sign[0] in "_(#" or " " in sign or not sign[-1].isalnum():
        return False
    return TITLED * sum(1 for one, _ in lines if _TITLE.match(one.words, len(sign))) >= len(lines)


def _names_behind(words: str) -> list[tuple[str, str]]:
    """What a line may begin with, one word or more, each with the name behind it.

    >>> _names_behind("local function push(x)"), _names_behind("(define (push x)"), _names_behind("set(NAME x)")
    ([('local', 'function'), ('local function', 'push')], [('(define (', 'push')], [('set(', 'NAME')])
    """
    parts = words.split(None, MOST_WORDS + 1)
    if words.startswith("function") and (result := _RESULT.match(words)):
        return [(result[1], result[2])]
    if not _WORD.match(parts[0]):
        joined = _JOINED.match(words)
        clause = _before_sign(words) if joined else None  # which defines what stands before its parentheses
        return [(joined[1], joined[2])] if joined and not (clause and clause[2] and clause[3]) else []
    lisp = parts[0][0] == "("
    found: list[tuple[str, str]] = []
    for at in range(1, min(len(parts), MOST_WORDS + 1)):
        if at > 1 and not _FURTHER.match(parts[at - 1]):
            break
        name = (_LISP_NAME if lisp else _NAME).match(parts[at])
        if name is None or not (lisp or any(map(str.isalpha, name[1]))):
            break
        found.append((" ".join(parts[:at]) + (" (" if lisp and parts[at][0] == "(" else ""), name[1]))
    return found


class DefinitionDigest:
    """`[231 names after "proc": arg_{safe, unsafe}, run, +228]`: what is defined, by what it is defined with."""

    share = SHARE

    def __init__(self, heads: Iterable[Head]) -> None:
        self._heads = [*heads]
        self._lists = [NameList([*head.names], label_of(head)) for head in self._heads]

    def statements(self, room: int) -> tuple[str, ...]:
        """What is defined, with lines where that is short; then what is brought in."""
        defining = [head for head in self._heads if head.defines]
        said = [line for head in defining for line in _placed_lines(head)]
        if _width_of(said) > min(room, LONGEST_PLACED):
            titled = sum(head.is_titled for head in defining)
            said = self._listed(0, len(defining) - titled, room)
            said += self._listed(len(defining) - titled, len(defining), room - _width_of(said))
        rest = self._lists[len(defining) :]
        left = min(room - _width_of(said), int(BESIDE_SHARE * room))
        for names in rest:
            more = names.lines(left)
            said += more
            left -= _width_of(more)
        return tuple(said)

    def _listed(self, first: int, after: int, room: int) -> list[str]:
        """Names without lines, of each head its part of the room."""
        lists = self._lists[first:after]
        needs = [_width_of(names.lines(1 << 20)) for names in lists]
        said: list[str] = []
        left = room
        for at, names in enumerate(lists):
            lines = names.lines(left * needs[at] // sum(needs[at:]) if sum(needs[at:]) > left else left)
            said += lines
            left -= _width_of(lines)
        return said

    def tells(self, _line: str) -> bool:
        """A definition says more than its name."""
        return False


def _width_of(lines: Iterable[str]) -> int:
    return sum(len(line) + 1 for line in lines)


def label_of(head: Head) -> str:
    """What its names are told by."""
    return f'names {head.side} "{head.sign}"' if head.sign else "names alone in lines"


def _placed_lines(head: Head) -> tuple[str, ...]:
    named = ", ".join(f"L{line} {spelled_value(name)}" for name, line in head.names.items())
    return statement_lines(f"{len(head.names)} {label_of(head)}", named.split(" "))
