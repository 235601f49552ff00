r"""Documents as they are printed: manual pages, pages of a browser or a PDF as text; their headings and terms.

Such a text is told by its paragraphs: lines of plain words that go on in the next line, with blank lines between them.
A heading is a short line behind a blank one that begins with a capital or a digit and is no sentence, not indented as
far as most of the text, and followed by a blank line, a drawn one, something further right or the beginning of a
paragraph. A term is a short line with its explanation further right below it, or in the same line.

>>> page = ["NAME", "    shelf - keep it", "", "OPTIONS", "    -q, --quiet", "        say", "        nothing", ""]
>>> page += ["    " + "It keeps what is too long to be shown at once, and says so", "    in every case."]
>>> found = read_document(page)
>>> [one.title for one in found.headings], found.terms
(['NAME', 'OPTIONS'], ['-q', '--quiet'])
"""

from __future__ import annotations

from itertools import islice, pairwise

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern, in_json
from overspill.cut.digest import counts_of
from overspill.kinds.lines import is_wordy, language_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

FEWEST_LINES, FEWEST = 60, 3  # lines of a document that are not blank, and headings
SAMPLE = 1_200  # pairs of lines that are looked at
PARAGRAPHS, WRAPPED, BLANK = 0.3, 0.15, 0.08  # of the lines: those of sentences, those that go on below, blank ones
LONG = 45  # characters of a line that goes on below
FEWEST_WORDS, PLAIN, LOWER = 6, 0.7, 0.5  # words of such a line; of them letters alone, and not in capitals
SHORTEST, LONGEST = 3, 70  # letters of a heading, and characters
LONGEST_TERM, MOST_WORDS, FEWEST_TERMS = 48, 4, 0.1  # characters and words of a term; terms beside so many headings
OPENS, ABOVE_TEXT = 50, 40  # characters of a line that begins a paragraph, and of a heading right above it
LETTERS = 0.6  # of the characters of a heading
DEEPER = 2  # columns
SHARE, HEADINGS_SHARE = 0.75, 0.6  # of the room; and of that for headings, where there are terms
TAB = 8
_SIGNS = ".,;:!?()'\"`\u2018\u2019\u201c\u201d"
_CODE = frozenset("=;{}<>|$\\")
_RULE = compile_pattern(r"([=\-~^*+#_.\u2500\u2550])\1{2,}$")
OPTION = "-\u2018'"  # what names of options begin with
ITEM = r"([-=*+>\u2022] \S+)  +\S"  # of a list of names, each with what explains it beside it and below
OPTION_ROW = r"(-[-\w?@#](?:\S| (?! )){0,46}) {2,}(?=\S)"  # of a table of options
BULLET = r"[-*+o\u2022\u00b7] |[\d.()]+ ?|[A-Za-z][.)]"


class Heading(NamedTuple):
    """A heading: the number of its line, its words, and how deep it is, from 1 on."""

    number: int
    title: str
    level: int


class PrintedDocument(NamedTuple):
    """What a document says in its headings, and what it defines: every term once."""

    headings: list[Heading]
    terms: list[str]


def is_document(text: str) -> bool:
    """Whether a text is made of paragraphs."""
    lines = text.split("\n")
    pairs = [(lines[at], lines[at + 1]) for at in range(0, len(lines) - 1, max(1, len(lines) // SAMPLE))]
    filled = [(line, below) for line, below in pairs if line and not line.isspace()]
    if len(filled) < FEWEST_LINES or len(pairs) - len(filled) < BLANK * len(pairs):
        return False
    spoken = [(line, below) for line, below in filled if _is_spoken(line)]
    if len(spoken) < PARAGRAPHS * len(filled):
        return False
    wrapped = sum(1 for line, below in spoken if len(line) >= LONG and _goes_on(line, below))
    return wrapped >= WRAPPED * len(filled)


def _is_spoken(line: str) -> bool:
    words = line.split()
    if len(words) < FEWEST_WORDS:
        return False
    plain = sum(word.strip(_SIGNS).isalpha() for word in words)
    return plain >= PLAIN * len(words) and sum(word[0].islower() for word in words) >= LOWER * len(words)


def _goes_on(line: str, below: str) -> bool:
    words = below.lstrip()
    return words[:1].islower() and len(line) - len(line.lstrip()) >= len(below) - len(words)


class PageLine(NamedTuple):
    """A line without blanks around it, how far it is indented, and whether a page begins with it."""

    words: str
    indent: int
    fresh: bool


def _read_line(line: str) -> PageLine:
    bare = line.lstrip("\f")
    wide = bare.expandtabs(TAB) if "\t" in bare else bare
    words = wide.strip()
    return PageLine(words, len(wide) - len(wide.lstrip()) if words else -1, len(bare) < len(line))


def read_document(source: Sequence[str], known: Mapping[int, Heading] | None = None) -> PrintedDocument:
    """The headings of a text, or those that are `known` by the numbers of their lines, and its terms."""
    lines = [*map(_read_line, source), PageLine("", -1, fresh=False)]
    indents = counts_of(line.indent for line in lines if len(line.words) >= OPENS)
    body = max(indents, key=lambda one: (indents[one], -one)) if indents else 0
    centred = _centred_titles(lines, body) if known is None else frozenset[int]()
    headings: list[Heading] = []
    terms: dict[str, None] = {}
    rows = _option_rows(lines)
    above, titled = lines[-1], -1
    for number, (line, below) in enumerate(zip(lines, islice(lines, 1, None), strict=False)):
        if not line.words:
            above = line
            continue
        apart = not above.words or line.fresh
        if known is not None and number in known:
            titled = number
            headings.append(known[number])
        elif known is None and apart and (number in centred or is_heading(line, below, body)):
            titled = number
            headings.append(Heading(number, " ".join(line.words.split()), _level_of(line, body)))
        elif number in rows:
            terms |= dict.fromkeys(rows[number])
        elif line.indent <= body + TAB and (
            apart or above.indent > line.indent or titled == number - 1 or are_names_of_one(above, line)
        ):
            terms |= dict.fromkeys(_terms_in(line, below))
        above = line
    return PrintedDocument(headings, [*terms])


def _centred_titles(lines: Sequence[PageLine], body: int) -> frozenset[int]:
    """The numbers of titles with blank lines around them that have the same middle, further right than the text."""
    middles = {
        number: (2 * line.indent + len(line.words)) // 2
        for number, (above, line, below) in enumerate(zip(lines, lines[1:], lines[2:], strict=False), 1)
        if line.indent > body + TAB and not above.words and not below.words and _is_title(line.words)
    }
    counts = counts_of(middles.values())
    middle = max(counts, key=lambda one: counts[one], default=0)
    found = frozenset(number for number, one in middles.items() if abs(one - middle) <= 1)
    return found if len(found) >= FEWEST else frozenset()


def is_heading(line: PageLine, below: PageLine, body: int) -> bool:
    """Whether a line behind a blank one is a heading, where most of the text is indented so far."""
    words = line.words
    if not (line.indent < body or line.indent == body == 0) or not _is_title(words):
        return False
    item = compile_pattern(r"\d+[.)] +").match(words)
    if item is not None and below.indent == line.indent + item.end():  # it goes on below its own words
        return False
    if not below.words or below.indent > line.indent or _RULE.match(below.words):
        return True
    return len(words) <= ABOVE_TEXT and len(below.words) >= OPENS and not below.words[0].islower()


def _is_title(words: str) -> bool:
    """Whether these words may be a title: a few, and no sentence, no code and no row of a table.

    >>> [_is_title(words) for words in ("1.2. Pages", "It works.", "x = y", "Name   Size", "Node: a, Up: b")]
    [True, False, False, False, False]
    """
    if len(words) > LONGEST or words[-1] in ".,;:!?" or not (words[0].isupper() or words[0].isdigit()):
        return False
    if "   " in words or words.count(": ") > 1 or not _CODE.isdisjoint(words):
        return False
    letters = sum(map(str.isalpha, words))
    return letters >= SHORTEST and letters + words.count(" ") >= LETTERS * len(words)


def _level_of(line: PageLine, body: int) -> int:
    """How deep a heading is: by the parts of its number, or by how far it is indented and its capitals."""
    number = compile_pattern(r"[\dA-Z]{1,3}(?:\.\d{1,3})*(?=\.?\s)").match(line.words)
    if number is not None and any(map(str.isdigit, number[0])):
        return number[0].count(".") + 1
    return 1 + (line.indent > 0) + (body > 0 and not line.words.isupper())


def _terms_in(line: PageLine, below: PageLine) -> list[str]:
    """What a line defines, if the line below it explains that."""
    if are_names_of_one(line, below):
        return [line.words]
    if not below.words or below.indent < line.indent + DEEPER:
        return []
    words, column = line.words, below.indent - line.indent
    if item := compile_pattern(ITEM).match(words):
        return [item[1]] if len(item[1]) <= LONGEST_TERM else []
    if len(words) > column and words[column - 1] == " " and words[column] != " ":
        beside, words = words[:column], words[:column].rstrip()  # what explains it begins beside it
        if "  " in words or not (beside.endswith("  ") or words[0] in OPTION):
            return []
        if line.words[column] in OPTION:  # another name of the same
            words = line.words
    if words[0] in OPTION and words[1:2] != " ":
        return [name.rstrip(",") for name in words.split(", ") if len(name) <= LONGEST_TERM]
    return [words] if _is_term(words, below) else []


def _option_rows(lines: Sequence[PageLine]) -> dict[int, list[str]]:
    """The names of options that stand in a table: what each does begins beside it, in one column for all of them."""
    row = compile_pattern(OPTION_ROW).match
    found = {number: match for number, line in enumerate(lines) if line.words[:1] == "-" and (match := row(line.words))}
    columns = counts_of((lines[number].indent, match.end()) for number, match in found.items())
    return {
        number: match[1].split(", ")
        for number, match in found.items()
        if columns[lines[number].indent, match.end()] >= FEWEST
    }


def are_names_of_one(line: PageLine, below: PageLine) -> bool:
    """Whether two lines are options, one below the other, so that what explains one explains both."""
    options = (
        one.words[:1] == "-" and one.words[1:2].strip() and len(one.words) <= LONGEST_TERM and "  " not in one.words
        for one in (line, below)
    )
    return line.indent == below.indent and all(options)


def _is_term(words: str, below: PageLine) -> bool:
    """Whether these words are a name, and no sentence that goes on with an example, nor code."""
    if len(words) > LONGEST_TERM or len(words.split()) > MOST_WORDS or words[-1] in ".:;,({\\" or "  " in words:
        return False
    if not any(map(str.isalpha, words)) or compile_pattern(BULLET).match(words):
        return False
    return not (words.replace(" ", "").isalpha() and words.islower() and not below.words[0].isupper())


# ---- headings by their marks ----

FEWEST_MARKED, FEWEST_ALIKE = 5, 3  # headings of a document, and of them those with one mark
DISTINCT, SHORT, LONGEST_MARKED = 0.7, 0.9, 80  # of them differ; are short; characters of one that is
MARKED_APART, FAR, FAR_ON_AVERAGE = 0.6, 3, 6  # of them stand apart; lines to the next, of half of them, and on average
FEWEST_REMARKS = 12  # lines that say something to one and the same
SPREAD = 0.3  # of a document lies between the first and the last of them
SPOKEN = 0.15  # of the lines of a document are of sentences
_MARK = r"([=*~^+:!>%&$.-])\1*(?= +\S)|[@\\.=:%!'][A-Za-z]\w*\*?(?=[ {])"


_ATX = r"(#{1,6}) +(\S.*?)\s*#*$"
_SECTION_RULE = r"(?:-{3,}|\*{3,}|_{3,}|(?:[*] ){2,}[*]|(?:- ){2,}-)\s*$"
FEWEST_RULED = 8  # sections that are told apart by rules


class MarkedLine(NamedTuple):
    """A line that begins with a mark: its number, the mark, the words behind it, and how it stands there."""

    number: int
    mark: str
    title: str
    closed: bool  # with the same sign, too
    apart: bool


def marked_lines(lines: Sequence[str]) -> list[MarkedLine]:
    r"""The lines that begin with a mark: a sign, once or more, or a sign and a word.

    >>> [(one.mark, one.title) for one in marked_lines(["== Pages ==", "@section Of rows", r"\part{All}", "x - y"])]
    [('==', 'Pages'), ('@section', 'Of rows'), ('\\part', 'All')]
    """
    match = compile_pattern(_MARK).match
    found: list[MarkedLine] = []
    apart = True
    for number, line in enumerate(lines):
        mark = match(line) if line and not line[0].isalnum() and line[0] != " " else None
        if mark is not None:
            words = " ".join(line[mark.end() :].split())
            closed = bool(mark[1]) and words.endswith(" " + mark[0])
            title = words.removesuffix(mark[0]).rstrip() if closed else _unwrapped(words)
            if title and not compile_pattern(ITEM).match(line):
                found.append(MarkedLine(number, mark[0], title, closed, apart))
        apart = not line or line.isspace() or (mark is not None and not mark[1])
    return found


def _unwrapped(words: str) -> str:
    """A title without braces or quotes around it; nothing where more follows behind a brace."""
    if words[:1] == "{":
        if "}" not in words:  # it is closed in another line
            return words[1:].rstrip("% ")
        return words[1:-1] if words.endswith("}") and "}" not in words[1:-1].replace("{}", "") else ""
    quoted = compile_pattern(r'"([^"]+)"(?: \d+)?$').match(words)
    return quoted[1] if quoted else words


def marked_headings(lines: Sequence[str]) -> list[Heading]:
    """The headings of a document that are told by their marks: what begins alike, differs, is short and far apart."""
    alike: dict[str, list[MarkedLine]] = {}
    for one in marked_lines(lines):
        alike.setdefault(one.mark[0] if len({*one.mark}) == 1 else one.mark, []).append(one)
    groups = [some for some in alike.values() if are_headings(some, len(lines))]
    titles = [one for some in groups for one in some]
    if len(titles) < FEWEST_MARKED or not _is_document_of(lines):
        return []
    numbers = counts_of(one.mark for one in titles)
    spoken = {one.mark for some in groups if _are_titles(some) for one in some}
    ordered = sorted(numbers, key=lambda mark: (mark not in spoken, numbers[mark]))
    ranks = {mark: rank for rank, mark in enumerate(ordered, 1)}
    return sorted(Heading(one.number, one.title, ranks[one.mark]) for one in titles)


def _are_titles(some: Sequence[MarkedLine]) -> bool:
    """Whether most begin as titles do: entries of an index and items of lists come after them."""
    return 2 * sum(one.title[0].isupper() or one.title[0].isdigit() for one in some) >= len(some)


def _are_remarks(some: Sequence[MarkedLine]) -> bool:
    """Whether lines with a sign and a word are all said to one and the same: `=for html ...`."""
    firsts = [one.title.split(" ", 1)[0] for one in some if one.mark[-1].isalpha() and " " in one.title]
    again = max(counts_of(firsts).values(), default=0)
    numbered = sum(one.title.split(" ", 1)[1][0].isdigit() for one in some if " " in one.title)
    return len(some) >= FEWEST_REMARKS and again >= SHORT * len(some) and 2 * numbered < len(some)


def are_headings(some: Sequence[MarkedLine], lines: int) -> bool:
    """Whether lines with one mark are headings."""
    number = len(some)
    if number < FEWEST_ALIKE or len({one.title for one in some}) < DISTINCT * number or _are_remarks(some):
        return False
    short = sum(
        len(one.title) <= LONGEST_MARKED and one.title[-1] not in "{;," and any(map(str.isalpha, one.title))
        for one in some
    )
    apart = sum(one.apart or one.closed or one.mark[-1].isalpha() or one.mark[-1].isdigit() for one in some)
    if short < SHORT * number or apart < MARKED_APART * number:
        return False
    places = [*(one.number for one in some), lines]
    far = sum(after - before >= FAR for before, after in pairwise(places))
    wide = places[-2] - places[0] >= SPREAD * lines
    return wide and 2 * far >= number and lines - places[0] >= FAR_ON_AVERAGE * number


def _is_document_of(lines: Sequence[str]) -> bool:
    filled = [line for line in lines if line and not line.isspace()]
    return sum(map(_is_spoken, filled)) >= SPOKEN * len(filled)


def ruled_headings(lines: Sequence[str]) -> list[Heading]:
    """The sections of a page that are told apart by rules, each by the first line below its rule, and marked headings.

    So are pages of the web where their headings have become paragraphs.
    """
    rules = [*map(bool, map(compile_pattern(_SECTION_RULE).match, lines))]
    if sum(rules) < FEWEST_RULED:  # as of most
        return []
    headed = compile_pattern(_ATX).match
    found: list[MarkedLine] = []
    ruled = False
    for number, line in enumerate(lines):
        if not line or line.isspace():
            continue
        if (mark := headed(line)) is not None:
            found.append(MarkedLine(number, mark[1], mark[2], closed=True, apart=True))
        elif ruled and not rules[number]:
            found.append(MarkedLine(number, "-", " ".join(line.split()), closed=True, apart=True))
        ruled = rules[number] and (not number or not lines[number - 1].strip())
    titles = [one._replace(title=one.title.rstrip("{;,")) for one in found if one.mark == "-"]
    if len(titles) < FEWEST_RULED or not are_headings(titles, len(lines)) or not _is_document_of(lines):
        return []
    deepest = 1 + max((len(one.mark) for one in found if one.mark != "-"), default=0)
    return [Heading(one.number, one.title, deepest if one.mark == "-" else len(one.mark)) for one in found]


# ---- titles of Markdown ----

FEWEST_FENCES, FEWEST_TITLES = 2, 3
WORDS, CODE = 0.1, 0.5  # of the lines outside fences: of words, and of a language, whose remarks quote
ASKED = 200  # lines outside fences whose language is looked for
_FENCE = r" {0,3}(`{3,}|~{3,})([^`]*)$"
_SHARP = r"#{1,6} +\S"


def outside_fences(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The lines that stand in no fence, with their numbers; fences are no such lines."""
    fence = ""
    opens = compile_pattern(_FENCE).match
    for number, line in enumerate(lines):
        found = opens(line) if "```" in line or "~~~" in line else None
        if found is None:
            if not fence:
                yield number, line
        elif not fence:
            fence = found[1]
        elif found[1].startswith(fence) and not found[2].strip():
            fence = ""


def title_numbers(lines: Sequence[str]) -> list[int]:
    """The lines that are titles: outside fences, with a blank line above or below, and not one of several remarks."""
    is_title = compile_pattern(_SHARP).match
    every = [*lines, ""]
    return [
        number
        for number, line in outside_fences(lines)
        if is_title(line)
        and not (number and every[number - 1].strip() and every[number + 1].strip())
        and not any(one.startswith("#") and not is_title(one) for one in every[number - (number > 0) : number + 2])
    ]


def quotes_code_in_fences(text: str) -> bool:
    r"""Whether a text has titles, and code stands in its fences and hardly outside.

    >>> fence = "\n```js\nconst a = b();\n```\n"
    >>> page = f"# Lids\n\nHow to use them with care.\n{fence}\n## More\n{fence}\n## End\n"
    >>> quotes_code_in_fences(page), quotes_code_in_fences(page.replace("#", ""))
    (True, False)
    """
    lines = text.split("\n")
    opens = compile_pattern(_FENCE).match
    if sum(1 for line in lines if opens(line)) < 2 * FEWEST_FENCES or len(title_numbers(lines)) < FEWEST_TITLES:
        return False
    outside = [line for _, line in outside_fences(lines) if line.strip()]
    spoken = sum(map(is_wordy, outside)) >= WORDS * len(outside)
    return spoken and language_of(outside[:ASKED])[1] < CODE


class DocumentDigest:
    """`[48 headings: NAME, OPTIONS, +46]`, `[96 terms: -q, --quiet, +94]`: the outline of a document."""

    share = SHARE

    def __init__(self, document: PrintedDocument) -> None:
        levels: dict[str, int] = {}
        for _, title, level in document.headings:
            levels[title] = min(level, levels.get(title, level))
        self._levels = levels
        self._times = counts_of(one.title for one in document.headings)
        enough = len(document.terms) > max(FEWEST, FEWEST_TERMS * len(levels))
        self._terms = document.terms if enough else []

    def statements(self, room: int) -> tuple[str, ...]:
        """What the document is about, at most `room` characters, line ends included."""
        most = int(room * HEADINGS_SHARE) if self._terms else room
        named = [("--" not in one, spelled_title(one)) for one in self._terms]  # what long names say is understood
        terms = listed_names(f"{len(self._terms)} terms", named, room - most)
        said = [(level, self._counted(title)) for title, level in self._levels.items()]
        headings = listed_names(f"{len(said)} headings", said, room - len(terms) - 1 if terms else room)
        spare = room - len(headings) - len(terms) - 2
        if terms and spare > 0:
            terms = listed_names(f"{len(self._terms)} terms", named, len(terms) + 1 + spare)
        return tuple(line for line in (headings, terms) if line)

    def _counted(self, title: str) -> str:
        times = self._times[title]
        return spelled_title(title) + (f" x{times}" if times > 1 else "")

    def tells(self, line: str) -> bool:
        """Whether this line is a heading that is named."""
        return " ".join(line.split()) in self._levels


def spelled_title(name: str) -> str:
    """A name as it is listed; in quotes where it could be taken for several, for a count or for what is left out.

    >>> print(spelled_title("Part I"), spelled_title("Lines, colours"), spelled_title("+3"))
    Part I "Lines, colours" "+3"
    """
    if not compile_pattern(r'.*, |.* x\d+$|\+\d+$|"').match(name):
        return name
    plain = name.isprintable() and '"' not in name and "\\" not in name
    return f'"{name}"' if plain else in_json(name)


def listed_names(label: str, said: Iterable[tuple[int, str]], room: int, most_level: int = 1 << 20) -> str:
    """`[48 headings: a, b, +46]`: those of the upper levels first, and of one level the shortest, as they follow.

    Those of a lower level than `most_level` are counted only.
    """
    names = [*said]
    every = f"[{label}: {', '.join(name for _, name in names)}]"
    if names and len(every) < room and max(level for level, _ in names) <= most_level:
        return every  # without what says how many are not named
    left = room - len(f"[{label}: , +{len(names)}]\n")
    chosen: set[int] = set()
    for at in sorted(range(len(names)), key=lambda one: (names[one][0], len(names[one][1]))):
        if len(names[at][1]) + 2 <= left and names[at][0] <= most_level:
            left -= len(names[at][1]) + 2
            chosen.add(at)
    if not chosen:
        return ""
    more = len(names) - len(chosen)
    parts = [names[at][1] for at in sorted(chosen)]
    return f"[{label}: {', '.join([*parts, *([f'+{more}'] if more else [])])}]"
