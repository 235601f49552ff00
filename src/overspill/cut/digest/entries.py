r"""Entries of a journal: commits of a log, releases of a changelog, mails; each with the line that says what it is.

An entry opens with a line that begins with the word which the text begins with, numbers aside, and stands at the margin
behind a blank line or a rule. Below it stand a few lines of a frame, a blank line, and what somebody wrote: the first
line of that is its title, or else a field of the frame in which every entry says something of its own.

>>> lines = [line for n in range(9) for line in (f"commit {n}f3a", "Author: Ann", "", f"    Mend the {n}th lid", "")]
>>> found = EntryCollector()
>>> found.add(lines)
>>> print("\n".join(found.digest().statements(90)))
[9 "commit", each with its title:
[ 0f3a Mend the 0th lid
[ 1f3a Mend the 1th lid
[ +7]

A history with one line an entry needs no such list: its lines are an id and a title each, the newest first.

>>> is_short_history("\n".join(f"{n * 7919:07x} Mend the lid of box {n}, which was loose" for n in range(900, 930)))
True
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.cut.digest import OVERVIEW_SHARE, counts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

SAMPLE = 600  # lines by which it is seen whether a text is a journal
FEWEST, MANY, MOST_HEAD = 3, 8, 9  # entries; lines of a frame, the first included
SHORT = 12  # lines of an entry on average, where it is no chapter
DISTINCT, TITLED = 0.7, 0.8  # of the titles; of the entries those that have one
LEAST_WORDS, LETTERS = 2.5, 0.65  # of a title on average, and of its characters
LONGEST_TITLE, LONGEST_ID, SHORT_ID = 120, 40, 8  # characters; of a digest its first ones are enough
MOST_CHARS = 1_000_000  # of titles that are held
SHARE, FRAMED, FRAMING = 0.8, 0.6, 2  # of the room, where so many lines open entries, frame or entitle them
LIKELY = 0.55  # not the main thing that a text is made of: what its entries hold is looked at, too
TITLES = frozenset(("subject", "summary", "title"))  # what a field is called that is one
_NUMBER = compile_pattern(r"\d+")
_RULE = compile_pattern(r"([-=*_~#])\1{2,}$")
_DIGEST = compile_pattern(r"[0-9a-f]{16,}$")
# A line of a history: what its branches are drawn with, an id, and the words of a title.
_ENTRY = compile_pattern(r"[*|/\\ ]*([0-9a-f]{7,40}|#\d+|[A-Z][A-Z0-9]{1,9}-\d+)[\s:|,]+(.*)")
_SENTENCE = compile_pattern(r"[A-Za-z]+[,;:]?(?=\s|$)")  # a word of one
FEWEST_LINES, NEARLY_ALL = 12, 0.95  # entries of a line each; of the lines
MOST_WORDS_APART, SENTENCE_WORDS = 0.5, 3.5  # of the words all that are not of a sentence; of a title, on average
_FIELD = compile_pattern(r"([A-Za-z][\w-]{0,29}):\s+(\S.*)")


class EntryLayout(NamedTuple):
    """The word that entries open with, which word of that line tells them apart, and the field that is their title."""

    lead: str
    place: int
    field: str = ""


class JournalEntry(NamedTuple):
    """The first line of an entry, those of its frame, and the first line of what was written."""

    opener: str
    frame: tuple[str, ...]
    text: str


def lead_of(line: str) -> str:
    """The word that a line begins with, numbers aside.

    >>> lead_of("r1203 | ann | 3 lines"), lead_of("    indented"), lead_of("")
    ('r0', '', '')
    """
    if not line or line[0].isspace():
        return ""
    return _NUMBER.sub("0", line.split(None, 1)[0])


class EntryReader:
    """Reads entries out of lines as they go by."""

    def __init__(self, lead: str) -> None:
        self._lead = lead
        self._signs = frozenset("0123456789" if lead[:1] == "0" else lead[:1])
        self._open: list[str] | None = None  # the first line of an entry and its frame, while they are read
        self._waits = False  # for what was written
        self._apart = True  # a blank line or a rule stood before this one

    def entries_in(self, lines: list[str]) -> Iterator[JournalEntry]:
        """The entries whose first written line is among these; one that has none comes without."""
        for line in lines:
            if self._apart and line[:1] in self._signs and lead_of(line) == self._lead:
                if self._open is not None:
                    yield self._entry("")
                self._open, self._waits = [line], False
            elif self._open is not None:
                yield from self._read(line)
            self._apart = not line or line.isspace() or _RULE.match(line) is not None

    def _read(self, line: str) -> Iterator[JournalEntry]:
        head = self._open or []
        if not line or line.isspace():
            self._waits = True
        elif self._waits or len(head) >= MOST_HEAD:
            yield self._entry(line.strip() if self._waits else "")
        else:
            head.append(line)

    def rest(self) -> Iterator[JournalEntry]:
        """The last entry, if nothing was written in it."""
        if self._open is not None:
            yield self._entry("")

    def _entry(self, text: str) -> JournalEntry:
        opener, *frame = self._open or [""]
        self._open = None
        return JournalEntry(opener, tuple(frame), text)


def is_short_history(text: str) -> bool:
    """Whether a text is a list of titles, each behind an id of its own: commits, issues, changes, a line each."""
    lines = [line for line in text[: 1 << 16].split("\n")[:SAMPLE] if line.strip(" *|/\\")]
    entries = [found for line in lines if (found := _ENTRY.match(line))]
    if len(entries) < max(FEWEST_LINES, NEARLY_ALL * len(lines)):
        return False
    titles = [found[2] for found in entries]
    words, said = sum(len(title.split()) for title in titles), sum(len(_SENTENCE.findall(title)) for title in titles)
    written = said >= SENTENCE_WORDS * len(titles) and said >= MOST_WORDS_APART * words
    return written and _are_distinct(titles) and len({found[1] for found in entries}) >= NEARLY_ALL * len(entries)


def share_of(lines: list[str]) -> float:
    """`LIKELY` if these are the first lines of a journal, else nothing."""
    return LIKELY if layout_of(lines) is not None else 0.0


def are_short_entries(lines: list[str]) -> bool:
    """Whether these are the first lines of so many entries that a text is no document with headings."""
    layout = layout_of(lines)
    if layout is None:
        return False
    number = sum(1 for _ in EntryReader(layout.lead).entries_in(lines))
    return number >= MANY and len(lines) <= SHORT * number


def layout_of(lines: list[str]) -> EntryLayout | None:
    """How the entries are written that a text begins with, if it does."""
    first = next((line for line in lines if line.strip() and _RULE.match(line) is None), "")
    lead = lead_of(first)
    if not any(map(str.isalnum, lead)) or ":0" in lead:  # a place: messages are told by theirs
        return None
    entries = [*EntryReader(lead).entries_in(lines)]
    later = [*EntryReader(lead).entries_in(lines[len(lines) // 2 :])]  # all along, not at the top alone
    if len(entries) < FEWEST or not later:
        return None
    openers = [entry.opener.split() for entry in entries]
    width = min(map(len, openers))
    place = next((at for at in range(width) if _are_distinct([words[at] for words in openers])), -1)
    if place < 0:
        return None
    field = _title_field(entries)
    titles = [title_of(entry, field) for entry in entries]
    return EntryLayout(lead, place, field) if _are_titles(titles, field) else None


def _are_distinct(words: list[str]) -> bool:
    return len({*words}) >= DISTINCT * len(words)


def _are_titles(titles: list[str], field: str) -> bool:
    said = [title for title in titles if any(map(str.isalpha, title))]
    words = sum(len(title.split()) for title in said)
    letters, signs = sum(sum(map(str.isalpha, title)) for title in said), sum(map(len, said))
    written = words >= LEAST_WORDS * len(said) and (field or letters >= LETTERS * signs)
    return len(said) >= TITLED * len(titles) and _are_distinct(said) and bool(written)


def _title_field(entries: list[JournalEntry]) -> str:
    """The field of the frame that every entry has its title in, if one is called so.

    >>> _title_field([JournalEntry("From", ("Date: 9", f"Subject: mend lid {n}"), "") for n in range(4)])
    'Subject'
    """
    names = counts_of(found[1] for entry in entries for line in entry.frame if (found := _FIELD.match(line)))
    return next((name for name in names if name.lower() in TITLES and names[name] >= TITLED * len(entries)), "")


def title_of(entry: JournalEntry, field: str) -> str:
    """What an entry is, in its own words."""
    if not field:
        return entry.text
    found = (match for line in entry.frame if (match := _FIELD.match(line)) and match[1] == field)
    return next((match[2].strip() for match in found), "")


class EntryCollector:
    """Holds the titles of the entries, and counts them."""

    def __init__(self) -> None:
        self._layout: EntryLayout | None = None
        self._reader: EntryReader | None = None
        self._titles: list[tuple[str, str]] = []
        self._count = self._chars = 0
        self._lines = self._framed = 0  # of all, and of what entries are told by

    def add(self, lines: list[str]) -> None:
        """Take the next lines, without their ends."""
        if self._reader is None:
            self._layout = layout_of(lines[:SAMPLE])
            self._reader = EntryReader(self._layout.lead if self._layout else "")
        if self._layout is not None:
            self._lines += sum(1 for line in lines if line.strip())
            self._hold(self._reader.entries_in(lines))

    def _hold(self, entries: Iterator[JournalEntry]) -> None:
        place, field = (self._layout.place, self._layout.field) if self._layout else (0, "")
        for entry in entries:
            self._count += 1
            self._framed += len(entry.frame) + FRAMING
            words = entry.opener.split()
            if self._chars <= MOST_CHARS and len(words) > place:
                self._titles.append((words[place], title_of(entry, field)))
                self._chars += len(self._titles[-1][1])

    def digest(self) -> EntryDigest | None:
        """What the entries are, if they are some."""
        if self._layout is None or self._reader is None:
            return None
        self._hold(self._reader.rest())
        share = SHARE if self._framed >= FRAMED * self._lines else OVERVIEW_SHARE
        return EntryDigest(self._layout, self._titles, self._count, share) if self._count >= FEWEST else None


class EntryDigest:
    """What the entries of a journal are, in the order in which they stand."""

    partial = beside = True  # other lines, of which more can be told
    complete = True  # lines that it tells are not shown once more

    def __init__(self, layout: EntryLayout, titles: list[tuple[str, str]], count: int, share: float) -> None:
        self._layout, self._titles, self._count = layout, titles, count
        self.share = share
        self._lines = [f"[ {_id_word(name)} {_shortened(title)}".rstrip() for name, title in titles]
        self._told: set[str] = set()

    def statements(self, room: int) -> tuple[str, ...]:
        """`[9 "commit", each with its title:` and as many of them as there is room for, a line each."""
        said = [f'[{self._count} "{self._layout.lead}", each with its title:']
        left = room - len(said[0]) - len(f"\n[ +{self._count}]\n")
        for line in self._lines:
            if len(line) >= left or not line.isprintable():
                break
            said.append(line)
            left -= len(line) + 1
        told = len(said) - 1
        self._told = {title for _, title in self._titles[:told]}
        more = self._count - told
        if not told:
            return ()
        return ("\n".join([*said, f"[ +{more}]"] if more else [*said[:-1], f"{said[-1]}]"]),)

    def tells(self, line: str) -> bool:
        """Whether this line opens an entry, or is the title of one that is told."""
        return line.strip() in self._told or lead_of(line) == self._layout.lead

    is_record = is_quoted = tells


def _id_word(word: str) -> str:
    return word[:SHORT_ID] if _DIGEST.match(word) else word[:LONGEST_ID]


def _shortened(title: str) -> str:
    return title if len(title) <= LONGEST_TITLE else f"{title[:LONGEST_TITLE].rstrip()}..."
