"""What a view says of its own, read back: trees of names, messages with their places, lists with counts.

This is the reader's side: it shares no code with what writes the views, so that one can be checked by the other.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple


class Statement(NamedTuple):
    """The words between the outer brackets, joined if they went on over several lines, and the lines they took."""

    words: str
    first: int
    after: int


def read_statements(lines: list[str]) -> Iterator[Statement]:
    """Every line that begins with `[`, with the lines that go on with it (`[ ` or, in older notes, a blank).

    >>> [one.words for one in read_statements(["[2 paths: a,", "[ b]", "text", "[x,", " y]"])]
    ['2 paths: a, b', 'x, y']
    """
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line.startswith("[") or line.startswith("[ "):
            at += 1
            continue
        if (block := _read_block(lines, at) or _read_entries(lines, at)) is not None:
            yield block
            at = block.after
            continue
        words, after = line, at + 1
        while after < len(lines) and _goes_on(words, lines[after]):
            words = f"{words.rstrip()} {lines[after].removeprefix('[').lstrip()}"
            after += 1
        if words.endswith("]"):
            yield Statement(words[1:-1], at, after)
            at = after
        else:
            at += 1


OF_BLOCKS = re.compile(r"\[\d+ blocks? of (\d+) lines: (.+)")
OF_ENTRIES = re.compile(r'\[(\d+) "[^"\s]+", each with its title:')
OF_MORE = re.compile(r"(?:\+(\d+)|(\d+)x .*)\]?")


def _read_entries(lines: list[str], at: int) -> Statement | None:
    """The statement of entries that begins here: a line of ours for each, until all of them are told.

    >>> _read_entries(['[3 "commit", each with its title:', "[ 7af Mend [1]", "[ +2]", "[ 3] text"], 0)
    Statement(words='3 "commit", each with its title:\\n7af Mend [1]\\n+2', first=0, after=3)
    """
    begun = OF_ENTRIES.fullmatch(lines[at])
    left, after = int(begun[1]) if begun else 0, at + 1
    while left > 0 and after < len(lines) and lines[after].startswith("[ "):
        more = re.fullmatch(r"\[ \+(\d+)\]", lines[after])
        left -= int(more[1]) if more else 1
        after += 1
    if begun is None or left or not lines[after - 1].endswith("]"):
        return None
    told = [line[2:] for line in lines[at + 1 : after]]
    return Statement("\n".join([lines[at][1:], *told])[:-1], at, after)


def _read_block(lines: list[str], at: int) -> Statement | None:
    """The statement of blocks that begins here: a line of ours for what is said of one, until all of them are told.

    >>> _read_block(["[9 blocks of 4 lines: up [1]", "[ +2", "[ 1x]", "[ 3] text"], 0)
    Statement(words='9 blocks of 4 lines: up [1]\\n+2\\n1x', first=0, after=3)
    """
    begun = OF_BLOCKS.fullmatch(lines[at])
    if begun is None:
        return None
    left, said, after = int(begun[1]), begun[2], at
    while True:
        more = OF_MORE.fullmatch(said)
        left -= int(more[1] or more[2]) if more else 1
        after += 1
        if left <= 0 or after == len(lines) or not lines[after].startswith("[ "):
            break
        said = lines[after][2:]
    words = "\n".join([lines[at][1:], *(line[2:] for line in lines[at + 1 : after])])
    return Statement(words[:-1], at, after) if left == 0 and words.endswith("]") else None


def _goes_on(words: str, line: str) -> bool:
    # Older notes break after a comma only. A statement that is closed is over: `[ 1 of 17] Compiling` is a tool's line.
    return (line.startswith("[ ") and not words.endswith("]")) or (words.endswith(",") and line.startswith(" "))


@dataclass(frozen=True)
class Entry:
    """A name of a tree, whole; `count` entries begin with it or are it (None: one entry), `detail` as it was written.

    A branch holds `inside` it the entries that it begins, and that end with its `tail`; `more` entries beside it were
    not named.
    """

    name: str
    count: int | None = None
    detail: str = ""
    more: int = 0
    inside: "tuple[Entry, ...] | None" = None
    tail: str = ""

    @property
    def total(self) -> int:
        """How many entries of the text this stands for."""
        if self.more:
            return self.more
        if self.count is not None:
            return self.count
        return 1 if self.inside is None else sum(one.total for one in self.inside)

    def walk(self) -> "Iterator[Entry]":
        """This entry and all that are inside it."""
        yield self
        for one in self.inside or ():
            yield from one.walk()


class NotATree(ValueError):
    """The words are no list of names."""


def read_tree(words: str) -> list[Entry]:
    """The entries of `a/{b 3, c/{d, e}, +4}, f`, prefixes joined to names.

    >>> found = read_tree("a/{b/ 3, c/{d, e}, +4}, f")
    >>> [(one.name, one.total) for one in found]
    [('a/', 9), ('f', 1)]
    >>> [one.name for one in read_tree("web-{08..10}.js, {2..3}")]
    ['web-08.js', 'web-09.js', 'web-10.js', '2', '3']
    >>> [one.name for one in found[0].walk()]
    ['a/', 'a/b/', 'a/c/', 'a/c/d', 'a/c/e', 'a/']
    >>> [one.name for one in read_tree("po/{de, fr 7}/main.po")[0].inside]
    ['po/de/main.po', 'po/fr/main.po']
    """
    if re.fullmatch(r"\d+\.\.\d+", words):  # in the braces of a place
        words = f"{{{words}}}"
    # Older lists were cut without closing what was open.
    signs = re.sub(r'"(?:[^"\\]|\\.)*"', "", words)
    reader = _TreeReader(words := words + "}" * (signs.count("{") - signs.count("}")))
    found = list(reader.items(""))
    if reader.at != len(words):
        raise NotATree(f"stopped at {words[reader.at : reader.at + 40]!r}")
    return found


NUMBERS = r"\d+\.\.\d+(?:\.\.\d+)?"
EACH = r"(?: (?P<each>\d+) each)?(?=[,}]|$)"
SERIES = re.compile(NUMBERS + EACH)
AROUND_TAIL = re.compile(
    rf"\{{(?P<numbers>(?:{NUMBERS}|\d+)(?:, (?:{NUMBERS}|\d+))*)\}}(?P<tail>(?:[^\s,{{}}])*){EACH}"
)


def _numbers_of(words: str) -> Iterator[str]:
    """The numbers that `3..9..2` stands for, each with as many digits as the first where that begins with 0.

    >>> list(_numbers_of("3..9..2")), list(_numbers_of("08..10")), list(_numbers_of("7"))
    (['3', '5', '7', '9'], ['08', '09', '10'], ['7'])
    """
    first, last, step = [*words.split(".."), "", ""][:3]
    if not last:
        yield first
        return
    numbers = range(int(first), int(last) + 1, int(step or 1))
    if len(numbers) > MOST_NUMBERS or (numbers and numbers[-1] != int(last)):
        raise NotATree(f"{words} is no series")
    width = len(first) if first.startswith("0") and len(first) > 1 else 0
    yield from (f"{number:0{width}}" for number in numbers)


MOST_NUMBERS = 1_000_000


class _TreeReader:
    def __init__(self, words: str) -> None:
        self.words = words
        self.at = 0

    def items(self, prefix: str) -> Iterator[Entry]:
        while True:
            yield from self._item(prefix)
            if not self.words.startswith(", ", self.at):
                return
            self.at += 2

    def _item(self, prefix: str) -> Iterator[Entry]:
        if more := re.compile(r"\+(\d+)(?: more)?(?=[,}]|$)").match(self.words, self.at):
            self.at = more.end()
            yield Entry(prefix, more=int(more[1]))
            return
        if numbers := SERIES.match(self.words, self.at):
            self.at = numbers.end()
            count = int(numbers["each"]) if numbers["each"] else None
            yield from (Entry(f"{prefix}{one}", count) for one in _numbers_of(numbers[0].partition(" ")[0]))
            return
        name = prefix + self._name()
        around = AROUND_TAIL.match(self.words, self.at)
        if around and (".." in around["numbers"] or around["tail"]):
            self.at = around.end()
            count = int(around["each"]) if around["each"] else None
            for part in around["numbers"].split(", "):
                yield from (Entry(f"{name}{one}{around['tail']}", count) for one in _numbers_of(part))
            return
        if not self.words.startswith("{", self.at):
            yield Entry(name, *self._counts())
            return
        self.at += 1
        inside = tuple(self.items(name))
        if not self.words.startswith("}", self.at):
            raise NotATree(f"a brace is not closed at {self.words[self.at : self.at + 40]!r}")
        self.at += 1
        tail = re.compile(r"[^\s,{}]+").match(self.words, self.at)
        if tail:
            self.at = tail.end()
            inside = tuple(replace(one, name=one.name if one.more else one.name + tail[0]) for one in inside)
        yield Entry(name, *self._counts(), inside=inside, tail=tail[0] if tail else "")

    def _name(self) -> str:
        if self.words.startswith('"', self.at):
            try:
                name, end = json.JSONDecoder().raw_decode(self.words, self.at)
            except ValueError as why:
                raise NotATree(str(why)) from why
            self.at = end
            return str(name)
        found = re.compile(r"[^,{}\s]*").match(self.words, self.at)
        assert found is not None
        if found.end() == self.at and not self.words.startswith("{", self.at):
            raise NotATree(f"no name at {self.words[self.at : self.at + 40]!r}")
        self.at = found.end()
        return found[0]

    def _counts(self) -> tuple[int | None, str]:
        found = re.compile(r" (\d+)(?: (\([^()]*\)))?(?=[,}]|$)").match(self.words, self.at)
        if found:
            self.at = found.end()
            return int(found[1]), found[2] or ""
        found = re.compile(r" (\"(?:[^\"\\]|\\.)*\"|\([^()]*\)|[^,{}]+)(?=[,}]|$)").match(self.words, self.at)
        if found:
            self.at = found.end()
            return None, found[1]
        return None, ""


def read_outline(words: str) -> tuple[dict[str, int], dict[str, int]]:
    """The paths of `list{item 9{name 9, +1}, total}` with their counts, and how many are not named below each.

    >>> read_outline("list{item 9{name 9, +1}, total}")
    ({'list': 1, 'list/item': 9, 'list/item/name': 9, 'list/total': 1}, {'list/item': 1})
    """
    counts: dict[str, int] = {}
    hidden: dict[str, int] = {}
    above: list[str] = []
    last, at = "", 0
    token = re.compile(r"\+(?P<more>\d+)|(?P<name>[^\s,{}]+)(?: (?P<count>\d+))?|(?P<sign>\{|\}|, )")
    while at < len(words):
        found = token.match(words, at)
        if not found:
            raise NotATree(f"no path at {words[at : at + 40]!r}")
        at = found.end()
        if found["sign"] == "{":
            above.append(last)
        elif found["sign"] == "}" and above:
            last = above.pop()
        elif found["more"]:
            hidden["/".join(above)] = int(found["more"])
        elif found["name"]:
            last = found["name"]
            counts["/".join([*above, last])] = int(found["count"] or 1)
    if above:
        raise NotATree("a brace is not closed")
    return counts, hidden


@dataclass(frozen=True)
class Placed:
    """A message and where it was said: `count` records, of which the named places are some and `more` are not named.

    A place is a path, a position in it, and what stands there in the place of what varies in the message.
    """

    count: int
    alike: bool
    message: str
    places: tuple[tuple[str, str, str], ...]
    more: int


def read_places(words: str) -> Placed | None:
    """The record behind `37x E501 Line too long @ src/{a.py:3:1, 9:4; b.py:7}; +12`, places written out.

    >>> read_places("37x E501 Line too long @ src/{a.py:3:1, 9:4; b.py:7 x}; +12").places
    (('src/a.py', '3:1', ''), ('src/a.py', '9:4', ''), ('src/b.py', '7', 'x'))
    """
    head, sign, listed = words.rpartition(" @ ")
    while sign:  # a message may hold the sign itself, and so may what stands behind a place
        found = re.fullmatch(r"(?:(\d+)x )?(~?)(.+)", head, re.DOTALL)
        reader = _PlaceReader(listed)
        places = reader.items("")
        if found is not None and reader.at == len(listed) and places:
            return Placed(int(found[1] or 1), bool(found[2]), found[3], tuple(places), reader.more)
        head, sign, more = head.rpartition(" @ ")
        listed = f"{more} @ {listed}"
    return None


QUOTED = r"(?<!\w)'[^']*'|\"[^\"]*\"|`[^`'\s]+'|`[^`]*`|\u2018[^\u2018\u2019]*\u2019|\u201c[^\u201c\u201d]*\u201d"
LETTER = r"[^\s,;()\[\]{}<>=\"'`]"
VARIES = re.compile(rf"{QUOTED}|(?<!{LETTER})(?:(?![\d/]){LETTER})*[\d/]{LETTER}*")
"""What may differ in messages that are alike: quoted texts, and words with a digit or a slash."""
_OF_LINES = re.compile(
    r"(?<!\w)'[^']*'|\"[^\"]*\"|(?<![^\s,;()\[\]{}<>=\"'])(?:(?![\d/])[^\s,;()\[\]{}<>=\"'])*[\d/][^\s,;()\[\]{}<>=\"']*"
)
BELOW = re.compile(r"\d+ records below (?P<below>\S+): .+", re.DOTALL)


def template(line: str) -> str:
    """A line with what varies set aside: quoted texts, and words with a digit or a slash; blanks counted once.

    >>> template("took 3 ms at /a/b, 'x y'"), template("took  99 ms at c/d, 'z'")
    ('took # ms at #, #', 'took # ms at #, #')
    """
    return " ".join(_OF_LINES.sub("#", line).split())


def directory_of(statements: Iterable[str]) -> str:
    """The directory that the paths of all statements of a view continue."""
    return next((found["below"] for words in statements if (found := BELOW.fullmatch(words))), "")


def whole_path(path: str, below: str) -> str:
    """A path at a place, with the directory that it continues, unless it begins at the root."""
    return path if path.startswith(("/", "\\")) or path[1:2] == ":" else below + path


def unquoted(part: str) -> str:
    """What stands behind a place, also where it is written as a JSON string."""
    if part.startswith('"') and part.endswith('"') and any(sign in part for sign in ",;{}'`"):
        try:
            return str(json.loads(part))
        except ValueError:
            pass
    return part


FOLDER = re.compile(r"([^\s:{};,]*)\{")
FILE = re.compile(r"((?:[A-Za-z]:)?[^\s:{};,]*):(?=\d)")  # no name, where the text names no file
POSITION = re.compile(r"(\d+(?::\d+)?)")
NEXT = re.compile(r", \d+(?::\d+)?(?=[ ,;}]|$)|; |\}|$")
QUOTE = re.compile(r"'[^']*'|`[^`]*`|\"[^\"]*\"")
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


class _PlaceReader:
    def __init__(self, words: str) -> None:
        self.words = words
        self.at = 0
        self.more = 0

    def items(self, folder: str) -> list[tuple[str, str, str]]:
        """Files of a directory, up to the end or a brace."""
        found: list[tuple[str, str, str]] = []
        while self.at < len(self.words):
            if more := re.compile(r"\+(\d+)$").match(self.words, self.at):
                self.more, self.at = int(more[1]), more.end()
            elif inner := FOLDER.match(self.words, self.at):
                self.at = inner.end()
                found += self.items(folder + inner[1])
                if not self.words.startswith("}", self.at):
                    return []
                self.at += 1
            elif file := FILE.match(self.words, self.at):
                self.at = file.end()
                found += self._places(folder + file[1])
            else:
                return found
            if not self.words.startswith("; ", self.at):
                return found
            self.at += 2
        return found

    def _places(self, path: str) -> list[tuple[str, str, str]]:
        found: list[tuple[str, str, str]] = []
        while position := POSITION.match(self.words, self.at):
            self.at = position.end()
            found.append((path, position[1], self._part()))
            if not re.compile(r", \d").match(self.words, self.at):
                break
            self.at += 2
        return found

    def _part(self) -> str:
        """What stands behind a place, up to the next; signs inside quotes part nothing."""
        if not self.words.startswith(" ", self.at):
            return ""
        start = at = self.at + 1
        whole = STRING.match(self.words, at)
        if whole and NEXT.match(self.words, whole.end()):
            self.at = whole.end()
            return whole[0]
        while not NEXT.match(self.words, at):
            quoted = QUOTE.match(self.words, at)
            at = quoted.end() if quoted and not re.search(r"; \S+:\d|, \d+:\d", quoted[0]) else at + 1
        self.at = at
        return self.words[start:at]


WORDED = re.compile(r"\d+ paths? after (?P<word>\".+\")")


def worded_paths(label: str, entries: list[Entry]) -> Iterator[str]:
    """Paths with the word that stands before them in the text.

    >>> entries = [entry for one in read_tree("src/{a.py, b/ 2}") for entry in one.walk()]
    >>> [*worded_paths('3 paths after "M"', entries)]
    ['M src/a.py']
    """
    found = WORDED.fullmatch(label)
    for entry in entries if found else ():
        if found and entry.inside is None and not entry.more and entry.count is None:
            yield f"{json.loads(found['word'])} {entry.name}"
