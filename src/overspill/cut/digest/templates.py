r"""Lines that are alike: what a log, a build or an installer says again and again, and what it says once.

Two lines are alike when they are equal after setting aside quoted texts and every word that holds a digit or a slash.

>>> template_of("12:01:44 GET /users/17 took 3 ms"), template_of('job "a b" done, x=10')
('# GET # took # ms', 'job # done, x=#')

Most lines are never looked at. Where many are equal but for digits, these become one digit in a whole block at once,
and only what is new is taken apart; else what varies is masked in all lines of a block at once.
"""

from __future__ import annotations

from math import log

from overspill._lite import TYPE_CHECKING, Protocol, compile_pattern, in_json
from overspill.core.spans import floor
from overspill.cut.digest import OVERVIEW_SHARE, counts_of, with_one_digit
from overspill.cut.ends import line_pieces, says_something, without_wide_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from overspill.cut.digest import TextLines

_WORD = r"""[^\s,;()\[\]{}<>="']"""
_VARIES = compile_pattern(rf"""(?<!\w)'[^'\n]*'|"[^"\n]*"|(?<!{_WORD})[^\s,;()\[\]{{}}<>="'0/]*+[0/]{_WORD}*+""")
_DIGIT = compile_pattern("[0-9]")
# What masks all lines at once. It begins with quotes, so that the engine passes over all else without trying.
_QUOTED = compile_pattern(r"""'(?<!\w')[^'\n]*'|"[^"\n]*\"""")
_WIDE_BLANKS = "\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))


def _byte_table(table: bytearray, rows: dict[bytes, int]) -> bytes:
    for signs, value in rows.items():
        for sign in signs:
            table[sign] = value
    return bytes(table)


_BLANKS, _BETWEEN = b" \t\v\f\r\x1c\x1d\x1e\x1f", b",;()[]{}<>=\"'\0"
# By bits: a part of a word; one that varies; a blank; a blank or a line end.
_KINDS = _byte_table(bytearray(b"\1" * 256), {_BETWEEN: 0, b"0123456789/": 3, _BLANKS: 4 | 8, b"\n": 8})
_WRITTEN = _byte_table(bytearray(range(256)), {_BLANKS: ord(" "), b"\0\xfe": ord("#")})
WIDEST = 1_000  # a longer line is like no other
MOST = 20_000  # templates
MOST_KEYS = 10_000  # spellings of them that are remembered
GLANCE = 1 << 13  # characters by which it is seen whether many are equal
MOST_ENDS = 30_000  # lines at either end whose templates are remembered
AT_ONCE = 1 << 16  # characters that are taken apart: more at once would not stay in the cache of a processor


def template_of(line: str) -> str:
    """What a line says, all that varies aside."""
    return " ".join(_VARIES.sub("#", with_one_digit(line)).split())


class Template:
    """Lines that are alike: how many there are, and the first of them."""

    __slots__ = ("before", "count", "first", "number", "same")

    def __init__(self, number: int, first: str) -> None:
        self.count = 0
        self.number = number  # of the first line, from 0
        self.first = first
        self.same = True  # all of them are equal
        self.before: tuple[int, int] | None = None  # characters and bytes before the first line, where they are known

    @property
    def members(self) -> list[Template]:
        return [self]

    def statement(self, room: int) -> str:
        """`[412x ~the first line]`, without the sign where all of them are the same."""
        if len(line := self.first.strip()) > WIDTH:
            line = f"{line[: floor(line, WIDTH)]}..."
        plain = self.same and not line.startswith("~")  # which would be taken for our sign
        said = f"[{self.count}x {'' if plain else '~'}{line}]"
        return said if len(said) <= max(room, WIDTH) else ""


class TemplateTable:
    """Counts lines that are alike."""

    def __init__(self) -> None:
        self.lines = 0
        self.found: dict[str, Template] = {}
        self._told: dict[str, str] = {}  # templates by lines that are asked for
        # Templates by keys, with what makes the keys of some lines; what did for the last lines comes first.
        self._ways: list[tuple[Callable[[str], list[str]], dict[str, str]]] = [(digit_keys, {}), (cut_keys, {})]
        self.full = False  # there were more templates than are counted
        self._all: tuple[str, list[str]] = ("", [])  # lines and their templates, where they came at once,
        self._first: list[str] = []  # templates of the first lines,
        self._last: list[str] = []  # and of the last ones
        self._asked: list[str] = []  # whose groups were asked for,
        self._groups: dict[str, list[int]] = {}  # and these

    def add(self, block: str) -> dict[int, Template]:
        """Take the next lines, the last without its end; the templates that are new, by where they stand first."""
        new, names, came_first = dict[int, Template](), list[str](), not self.lines
        for piece in line_pieces(without_wide_lines(block, WIDEST), AT_ONCE):
            names += self._add(piece, len(names), new)
        self._all = (block, names) if came_first else ("", [])
        self._first += names[: MOST_ENDS - len(self._first)]
        self._last = [*self._last, *names][-MOST_ENDS:]
        self._asked = []
        return new

    def _add(self, piece: str, first: int, new: dict[int, Template]) -> list[str]:
        """Take some lines, of which the first is at place `first`; their templates, the new ones with their places."""
        names = self._names_in_order(piece)
        at, lines, ways = 0, list[str](), dict[str, int]()
        for name, count in counts_of(names).items():
            if not name:
                continue
            found = self.found.get(name)
            if found is None or found.same:
                lines, at = lines or piece.split("\n"), names.index(name, at)  # in the order of their first lines
            if found is None:
                if len(self.found) >= MOST:
                    self.full = True
                    continue
                found = self.found[name] = new[first + at] = Template(self.lines + at, lines[at])
            found.count += count
            # Where a digit stands all that is said is that there is one.
            found.same = found.same and lines[at] == found.first and not ("#" in name and _DIGIT.search(lines[at]))
            if found.same:
                ways = ways or counts_of(dict(zip(lines, names, strict=True)).values())
                found.same = ways[name] == 1
        self.lines += len(names)
        return names

    def rare(self, most: int) -> list[Template]:
        """At most so many templates that few lines have, the rarest first."""
        found = [one for one in self.found.values() if one.count < LEAST_COUNT and one.before is not None]
        return sorted(found, key=lambda one: (one.count, one.number))[:most]

    def know(self, lines: list[str]) -> None:
        """Find out what lines these are like, as many of them as are remembered."""
        some = [*dict.fromkeys(line.rstrip("\r") for line in lines[:MOST_KEYS] if len(line) <= WIDEST)]
        self._told = dict(zip(some, masked_lines(some), strict=True)) if some else {}

    def of(self, line: str) -> Template | None:
        """The lines like this one; None where they were not counted."""
        line = line.rstrip("\r\n")
        name = self._told.get(line) if len(line) <= WIDEST else ""
        return self.found.get(masked_lines([line])[0] if name is None else name)

    def digest(self, told: Mapping[str, int] | None = None) -> TemplateDigest | None:
        """What the text says again and again, where it does; what is told of its lines elsewhere aside."""
        found = TemplateDigest(self, told)
        return found if found.worth else None

    def novelty(self, template: str) -> float:
        """How new what its lines say is: 1 where nothing else says it, 0 where everything does."""
        found = self.found.get(template)
        return 1 - log(found.count) / log(self.lines) if found and self.lines > 1 else 0.0

    def groups_of(self, text: TextLines) -> dict[str, list[int]]:
        """The numbers of the lines that are alike, by their template."""
        if self._asked is not text.all:  # which is asked for several times
            self._asked, self._groups = text.all, _places(self._names_of(text, *text.known))
        return self._groups

    def _names_of(self, text: TextLines, first: int, last: int) -> list[str]:
        known, names = self._all
        if known and text.text.startswith(known) and not text.text[len(known) :].strip("\n"):
            return names
        names, lines = self._first[:first], text.all
        end = len(lines) - (not lines[-1])  # what follows the last line end was no line
        behind = self._last[-last:] if last else []
        between = without_wide_lines("\n".join(lines[len(names) : end - len(behind)]), WIDEST)
        for piece in line_pieces(between, AT_ONCE) if len(names) < end - len(behind) else ():
            names += self._names_in_order(piece)
        return [*names, *behind, *lines[end:]]

    def _names_in_order(self, piece: str) -> list[str]:
        """The template of each of these lines; by their keys, where many have the same."""
        for number, (keys_in, known) in enumerate(self._ways):
            if number or not known:  # else it did for the lines before these
                some = keys_in(piece[: piece.find("\n", GLANCE)])
                if not some or 2 * len({*some}) > len(some):
                    continue
            keys = keys_in(piece)
            distinct = {*keys}
            if keys and 2 * len(distinct) <= len(keys):
                self._ways.insert(0, self._ways.pop(number))
                _add_names(known, keys, distinct.difference(known), piece)
                return [*map(known.__getitem__, keys)]
        return _shared(masked_lines(piece.split("\n")))


def _add_names(known: dict[str, str], keys: list[str], unseen: set[str], piece: str) -> None:
    """Add the templates of lines to those known by their keys; blank lines have none."""
    if len(known) + len(unseen) > MOST_KEYS:
        known.clear()
        unseen = {*keys}
    if unseen:  # all of them at once: a call for each would take most of the time
        lines = dict(zip(keys, piece.split("\n"), strict=True))
        known.update(zip(unseen, _shared(masked_lines([*map(lines.__getitem__, unseen)])), strict=True))


def _shared(names: list[str]) -> list[str]:
    """Templates, each held once: one has many spellings."""
    known = dict(zip(names, names, strict=True))
    return [*map(known.__getitem__, names)]


def _places(names: list[str]) -> dict[str, list[int]]:
    """Where each name stands; blank ones aside."""
    places: dict[str, list[int]] = {name: [] for name in names}
    for number, name in enumerate(names):
        places[name].append(number)
    places.pop("", None)
    return places


def masked_lines(lines: list[str]) -> list[str]:
    r"""The templates of lines, of all of them at once.

    A text is a large number, written in bytes. Where all bytes of words are the greatest there is, and all others 0,
    adding 1 at the digits of a word carries to its end: so a few additions find all words that hold one, first where
    they begin, which is their end read backwards. Bytes that no text has say what is left out and where a sign stands.

    >>> masked_lines(["12:01:44  GET /users/17", "\tjob 'a b' done,x=10"])
    ['# GET #', 'job # done,x=#']
    """
    block = "\n".join(["", *lines, ""])
    if "\0" in block:
        return [*map(template_of, lines)]
    block = _without_quotes(block)
    if not block.isascii():
        for blank in filter(block.__contains__, _WIDE_BLANKS):
            block = block.replace(blank, " ")
    text = block.encode("utf-8", "surrogatepass")
    size, kinds = len(text), text.translate(_KINDS)
    every, kind = _every_byte(size), int.from_bytes(kinds, "big")
    words = (kind & every) * 255
    before = (words + (kind >> 1 & every)) & ~words  # what is carried out of a word stands in front of it
    starts, kind = _number(before.to_bytes(size, "big")) << 8, _number(kinds)
    words = (kind & every) * 255
    varying = ((words + starts) & ~words) - starts
    blanks = kind >> 2 & every
    needless = (blanks & (kind >> 3 + 8)) * 255  # before another blank, or the end of the line
    masked = (_number(text) | varying | needless) ^ starts
    signs = masked.to_bytes(size, "little").translate(_WRITTEN, b"\xff")
    return signs.decode("utf-8", "surrogatepass").replace("\n ", "\n").split("\n")[1:-1]


def _without_quotes(block: str) -> str:
    return _QUOTED.sub("\0", block) if '"' in block or "'" in block else block


def cut_keys(lines: str) -> list[str]:
    r"""Keys of lines: lines that have one key have one template. None where some are not ASCII.

    Each word is cut before its first digit or slash, and what stands behind it is marked by its highest bit, which no
    sign of ASCII has. That takes half of the time that templates take: adding 1 at the digits carries to the ends of
    words, and where they begin need not be known. Words that vary in letters first, as ids do, become several keys.

    >>> cut_keys("job-1 up\njob-22 up\njob-x up")
    ['job-\xa0up ', 'job-\xa0up ', 'job-x up ']
    """
    if "\0" in lines or not lines.isascii():
        return []
    text = _without_quotes(f"{lines}\n").replace("\n", " \n").encode()  # so that no line end stands behind a word
    size = len(text)
    every, kind = _every_byte(size), _number(text.translate(_KINDS))
    words = (kind & every) * 255
    carried = words + (kind >> 1 & every)
    masked = (_number(text) | words & ~carried) ^ (carried & ~words) << 7
    return masked.to_bytes(size, "little").translate(None, b"\xfe\xff").decode("latin-1").split("\n")[:-1]


def _number(text: bytes) -> int:
    return int.from_bytes(text, "little")


_ones: dict[int, int] = {}  # numbers whose bytes are all 1, by how many they have


def _every_byte(size: int) -> int:
    """A 1 in each of so many bytes: cut from a greater one, which takes a part of the time that making it takes."""
    most = max(1 << 16, 1 << (size - 1).bit_length())
    if most not in _ones:
        _ones[most] = _number(b"\1" * most)
    return _ones[most] >> 8 * (most - size)


def digit_keys(lines: str) -> list[str]:
    """Lines with all digits made one."""
    return with_one_digit(lines).split("\n")


_RANGE = compile_pattern(r" \.\. |\d\.\.\d")  # numbers that are not told one by one: trouble with each is shown
LEAST_COUNT, LEAST_OWN, LEAST_GROUP = 3, 8, 8  # lines that are told; apart from others; kinds that begin alike
LEAST_STATEMENT, WIDTH, NAME_WIDTH, GROUP_WIDTH = 12, 160, 48, 4_000  # characters: at least, a line, an entry, all
SENTENCE, FREE = 4, 2  # words that a sentence goes on with, and twice as many as it shares with others
LEAST_COVERED, MOSTLY_OWN = 0.25, 0.6  # of the lines: where hardly any repeat is nothing to add up; of a group


class LineGroup:
    """Lines that begin alike and go on in many ways: `Compiling `, and the name of a package."""

    def __init__(self, prefix: str, members: list[Template]) -> None:
        self.prefix = prefix  # of the templates
        self.members = sorted(members, key=lambda one: (one.count, one.number))
        self.count = sum(one.count for one in members)
        first = min(members, key=lambda one: one.number)
        self.number = first.number
        self.lead = first.first.strip()[: _reach(first.first.strip(), prefix)]
        self._names: list[str] = []  # of its members, as far as they were asked for

    @property
    def is_free(self) -> bool:
        """Whether its lines are sentences that happen to begin with the same words: what they share says little."""
        words, sizes = self.lead.split(), sorted(len(one.first.split()) for one in self.members)
        return all(map(str.isalpha, words)) and sizes[len(sizes) // 2] >= SENTENCE + FREE * len(words)

    @property
    def hides_names(self) -> bool:
        """Whether its lines begin with names of which it tells the first alone."""
        words = zip(self.prefix.split(), self.lead.split(), strict=False)
        return any(sign == "#" and any(map(str.isalpha, word)) for sign, word in words)

    @property
    def is_long(self) -> bool:
        """Whether most of what its lines go on with is too long to be named whole."""
        return 2 * sum(len(one.first.strip()) > NAME_WIDTH + len(self.lead) for one in self.members) > len(self.members)

    def statement(self, room: int) -> str:
        """`[87x Compiling {serde v1.0, tokio v1.38, +85}]`, with as many names as fit; some at least."""
        if not self.lead:
            return ""
        plain = self.lead == self.prefix and not self.lead.startswith("~")
        lead = f"[{self.count}x {'' if plain else '~'}{self.lead}{{"
        named: list[str] = []
        left, width = self.count, len(lead) + len(", +}]") + len(str(self.count))
        for at, one in enumerate(self.members):
            if at == len(self._names):
                self._names.append(_entry(one, self.prefix))
            name = self._names[at]
            if not name:
                return ""
            width += len(name) + 2
            if width > min(room, GROUP_WIDTH):
                break
            named.append(name)
            left -= one.count
        return f"{lead}{', '.join([*named, *[f'+{left}'] * (left > 0)])}}}]" if named else ""


def _reach(line: str, prefix: str) -> int:
    r"""How far into a line its template's prefix goes; 0 where that cannot be told.

    >>> _reach("#define\tWIDE 17", "#define WIDE "), _reach("take  3 of 4", "take # ")
    (13, 8)
    """
    words = line if line.isascii() and "\t" not in line else "".join(" " if sign.isspace() else sign for sign in line)
    at = words.find(" ") + 1
    while at and template_of(words[:at]) != prefix.rstrip():
        at = words.find(" ", at) + 1
    return len(words) - len(words[at:].lstrip()) if at else 0


def _entry(one: Template, prefix: str) -> str:
    """What a line says behind the prefix of its group; in quotes where its own signs could be taken for ours.

    Nothing where it cannot be told what stands behind it.
    """
    line = one.first.strip()
    if not (reach := _reach(line, prefix)):
        return ""
    said = " ".join(line[reach:].split())
    if len(said) > NAME_WIDTH:
        said = said[: floor(said, NAME_WIDTH)] + "..."
    if any(sign in said for sign in ",{}[]") or not said or said.rpartition(" x")[2].isdigit():
        said = in_json(said)
    return f"{said} x{one.count}" if one.count > 1 else said


class Alike(Protocol):
    """Lines of which one statement tells."""

    @property
    def count(self) -> int: ...
    @property
    def number(self) -> int: ...
    @property
    def members(self) -> list[Template]: ...
    def statement(self, room: int) -> str: ...


class TemplateDigest:
    """What most lines say: those that are alike, and what they differ in; those that begin alike."""

    share = OVERVIEW_SHARE

    def __init__(self, table: TemplateTable, told: Mapping[str, int] | None = None) -> None:
        self._table = table
        self._templates = {name: one for name, one in table.found.items() if not told or told.get(name) != one.count}
        self._lines = sum(one.count for one in self._templates.values()) if told else table.lines
        self._groups = [] if table.full else [one for one in line_groups(self._templates) if not one.is_free]
        self._found: list[Alike] = [*self._groups, *self._often()]
        self._said: set[int] = set()
        self._named: set[int] = set()  # of these those whose statements name what they differ in

    def _often(self) -> list[Template]:
        """What is said often enough for itself."""
        grouped = {id(one) for group in self._groups for one in group.members}
        templates = [one for one in self._templates.values() if id(one) not in grouped]
        return [one for one in templates if one.count >= LEAST_COUNT and says_something(one.first)]

    @property
    def worth(self) -> bool:
        """Whether enough of the text repeats."""
        return sum(one.count for one in self._found) >= max(LEAST_COVERED * self._lines, 2 * LEAST_COUNT)

    def parts(self) -> tuple[dict[str, Template], list[LineGroup], list[Template]]:
        """What it was made of."""
        return self._templates, self._groups, self._often()

    def tell(self, found: list[Alike]) -> None:
        """Speak of these lines instead: more is known of them."""
        self._found = found

    def alike(self) -> list[Alike]:
        """Of what lines it can tell, most of them first."""
        return sorted(self._found, key=lambda one: (-one.count, one.number))

    def templates_of(self, names: list[str]) -> list[Template]:
        """The templates of these names, as far as they are known."""
        return [self._table.found[name] for name in names if name in self._table.found]

    def said_templates(self) -> dict[str, Template]:
        """The templates of the lines that were told of, by their names."""
        return {name: one for name, one in self._table.found.items() if id(one) in self._said}

    def note_said(self, found: Iterable[tuple[Alike, str]]) -> None:
        """These were told, by these statements."""
        said = [(id(one), not _RANGE.search(words)) for alike, words in found for one in alike.members]
        self._said, self._named = {one for one, _ in said}, {one for one, named in said if named}

    def statements(self, room: int) -> tuple[str, ...]:
        """All of them before more of any."""
        found, said = self.alike(), dict[int, str]()
        for number, one in enumerate(found):
            if room < LEAST_STATEMENT:
                break
            line = one.statement(min(room, WIDTH))
            if line and len(line) < room:
                room -= len(line) + 1
                said[number] = line
        for number, short in said.items():  # all are named: now more of each
            longer = found[number].statement(min(len(short) + room, GROUP_WIDTH))
            if 0 < (more := len(longer) - len(short)) <= room:
                room -= more
                said[number] = longer
        self._said = {id(one) for number in said for one in found[number].members}
        return tuple(said.values())

    def prepare(self, lines: list[str]) -> None:
        """These will be asked for: they are taken apart together, which takes a part of the time."""
        self._table.know(lines)

    def tells(self, line: str) -> bool:
        """Whether the statements written last tell of it, or of one that it is like."""
        return id(self._table.of(line)) in self._said

    def template_named(self, line: str) -> Template | None:
        """What a line is like, where the statements written last name what such lines differ in."""
        found = self._table.of(line)
        return found if id(found) in self._named else None


def line_groups(templates: dict[str, Template]) -> list[LineGroup]:
    """Templates that share their first words, at least `LEAST_GROUP` of them; the longer what they share the better.

    >>> rows = {f"Compiling {name} #": Template(0, f"Compiling {name} v1") for name in "a b c d e f g h".split()}
    >>> [group.statement(90) for group in line_groups(rows)]
    ['[0x Compiling {a v1, b v1, c v1, d v1, e v1, f v1, g v1, h v1}]']
    """
    waiting = [(list(templates), 0)]
    groups: list[LineGroup] = []
    while waiting:
        names, at = waiting.pop()
        parts: dict[str, list[str]] = {}
        for name in names:
            if end := name.find(" ", at) + 1:
                parts.setdefault(name[:end], []).append(name)
        large = {prefix: below for prefix, below in parts.items() if len(below) >= LEAST_GROUP}
        if large:
            waiting += ((below, len(prefix)) for prefix, below in large.items())
        elif at and says_something(names[0][:at]):
            group = LineGroup(names[0][:at], [templates[name] for name in names])
            own = [templates[name].count for name in names if "#" in name[at:] or len(name) > at + NAME_WIDTH]
            if sum(count for count in own if count >= LEAST_OWN) <= MOSTLY_OWN * group.count:
                groups.append(group)  # else what varies in them is told kind by kind
    return groups
