"""What stands in the place of a secret: its mark, counted and numbered.

The same value of a type has the same mark, the second different one is `[REDACTED: TYPE-2]`, and in
the user part of an address, where brackets would break it, stands a word instead.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.redact.hits import CLEAR, LINES, PLAIN, QUOTE, UNEXAMINED, URL, SecretMatch
from overspill.redact.unread import line_ends

if TYPE_CHECKING:
    from overspill.redact.hits import Scanner

LAST_NUMBER = 999
USERINFO = 301  # characters of an address in which its @ is looked for
URL_MARK = "REDACTED_PASSWORD"
# What goes on without an end in sight.
TOKEN_RUN = compile_pattern(r"[A-Za-z0-9_.~+/=%:$!*-]*+")
LINE_REST = compile_pattern(r"[^\r\n]*+")


class Trace(NamedTuple):
    """One redaction, for people: where and by which rule, never what."""

    rule: int
    type: str
    start: int


Stretch = tuple[str, int, int, int]
"""A text, how many characters came before it, and the part of it that is written."""


class Marks:
    """The marks of one text. `counts` takes how many redactions each rule made."""

    def __init__(self, scanner: Scanner, counts: dict[str, int], traces: list[Trace] | None) -> None:
        self.counts = counts
        self._scanner = scanner
        self._traces = traces
        self._marks: dict[str, dict[int, str]] = {}
        self._names: dict[int, str] = {}

    def fill(self, out: list[str], stretch: Stretch, found: list[SecretMatch]) -> tuple[list[SecretMatch], int, int]:
        """Write a stretch up to its last find, with marks; get the finds left over, and what remains to be written.

        A find that reaches past the stretch waits, and the stretch ends where it begins.
        """
        text, base, given, upto = stretch
        spots = sorted(found)
        # Most texts have nothing that asks for a closer look at each find.
        simple = self._traces is None and not self._scanner.lenient and not _intricate(stretch)
        index, count = 0, len(spots)
        while index < count:
            if simple:
                index, given = self._run(out, text, (given, upto), spots, index)
            start, end, rule, kind, form = spots[index]
            if start >= upto:
                break
            begun = index
            index += 1
            if index < count and spots[index][0] < end:
                end, rule, kind, form, index = _overlap_at(spots, begun)
            if end > upto:
                upto, index = start, begun
                break
            start = max(given, start)
            if end <= start or (not simple and self._stays(text, start, end)):
                continue
            out.append(text[given:start])
            given = end
            out.append(self.placeholder_of(text, base, (start, end, rule, kind, form)))
        return spots[index:], given, upto

    def _run(
        self, out: list[str], text: str, bounds: tuple[int, int], spots: list[SecretMatch], first: int
    ) -> tuple[int, int]:
        """Write plain finds of one rule and type that touch no other; get the number of the next, and where it is at.

        The last of all is never written here: what comes after it is not known.
        """
        given, upto = bounds
        rule, kind = spots[first][2:4]
        marks = self._marks.setdefault(kind, {})
        # The mark of what has no mark of its own.
        shared = _numbered_mark(kind, 1) if kind == UNEXAMINED else ""
        if len(marks) >= LAST_NUMBER:
            shared = _numbered_mark(kind, LAST_NUMBER)
        index, get = first, marks.get
        for index in range(first, len(spots) - 1):
            start, end, other, other_kind, form = spots[index]
            if not given <= start < end <= upto or spots[index + 1][0] < end or other_kind != kind:
                break
            if form > PLAIN or form < CLEAR or (other != rule and kind != UNEXAMINED):
                break
            identity = hash(text[start:end])
            mark = get(identity, shared)
            if not mark:
                mark = self._mark(kind, identity)
                shared = _numbered_mark(kind, LAST_NUMBER) if len(marks) >= LAST_NUMBER else ""
            out += text[given:start], mark
            given = end
        else:
            index = max(first, len(spots) - 1)
        self._count(rule if kind != UNEXAMINED else -2, index - first)
        return index, given

    def placeholder_of(self, text: str, base: int, spot: SecretMatch) -> str:
        """What stands in the place of a find, counted and numbered."""
        start, end, rule, kind, form = spot
        unexamined = kind == UNEXAMINED
        self._count(rule if not unexamined else -2, 1)
        if self._traces is not None:
            self._traces.append(Trace(rule if not unexamined else -2, kind, start + base))
        value = text[start:end]
        if form == LINES:
            return self._mark(kind, hash(value)) + line_ends(value)
        returns = "\r" * value.count("\r")  # a lone carriage return ends a line as well, and stays
        if unexamined:
            return _numbered_mark(kind, 1) + returns
        if form == URL or (text.find("@", end, end + USERINFO) >= 0 and _in_userinfo(text, start, end)):
            return URL_MARK
        mark = self._mark(kind, hash(value))
        if form >= QUOTE:
            quote = "\\" * (form - QUOTE) + '"'
            mark = f"{quote}{mark}{quote}"
        return mark + returns

    def _stays(self, text: str, start: int, end: int) -> bool:
        """Whether a find is no secret after all: a mark of ours, or listed as an exception."""
        if text.find("[REDACTED", start, end) >= 0:
            return True
        return self._scanner.lenient and self._scanner.allows(text[start:end])

    def _count(self, rule: int, more: int) -> None:
        if not more:
            return
        name = self._names.get(rule)
        if name is None:
            name = self._names[rule] = self._scanner.name(rule)
        self.counts[name] = self.counts.get(name, 0) + more

    def _mark(self, kind: str, identity: int) -> str:
        """The mark of a value: the same value, the same number."""
        marks = self._marks.get(kind)
        if marks is None:
            marks = self._marks[kind] = {}
        mark = marks.get(identity)
        if mark is None:
            mark = _numbered_mark(kind, min(len(marks) + 1, LAST_NUMBER))
            if len(marks) < LAST_NUMBER:
                marks[identity] = mark
        return mark


def _numbered_mark(kind: str, number: int) -> str:
    return f"[REDACTED: {kind}]" if number == 1 else f"[REDACTED: {kind}-{number}]"


def _intricate(stretch: Stretch) -> bool:
    """Whether marks of ours, addresses or lone line ends stand there."""
    text, _, start, end = stretch
    return (
        text.find("[REDACTED", start, end) >= 0
        or text.find("@", start, end + USERINFO) >= 0
        or text.find("\r", start, end) >= 0
    )


def _overlap_at(spots: list[SecretMatch], index: int) -> tuple[int, int, str, int, int]:
    """Spots that overlap, as one: its end, rule, type and form, and the number of the spot after it."""
    start, end, rule, kind, form = spots[index]
    longest = end - start
    index += 1
    while index < len(spots) and spots[index][0] < end:
        other_start, other_end, other, other_kind, other_form = spots[index]
        end = max(end, other_end)
        if other < rule or (other == rule and other_end - other_start > longest):
            rule, kind, longest = other, other_kind, other_end - other_start
        form = LINES if LINES in {form, other_form} else form if other_form != URL else URL
        index += 1
    return end, rule, kind, form, index


# The two sides of a place in an address, the left read backwards.
_OPENED = compile_pattern(r"[^\s/?#@\"'<>]{0,300}//:")
_CLOSED = compile_pattern(r"[^\s/?#@\"'<>]{0,300}@")


def _in_userinfo(text: str, start: int, end: int) -> bool:
    """Whether a place lies between `://` and `@`, where brackets would break the address."""
    if not _CLOSED.match(text, end, end + 301):
        return False
    return _OPENED.match(text[max(0, start - 303) : start][::-1]) is not None


_FIRST_STAND_IN, _STAND_INS = 0x100000, 0xFFF0
_COVERED = "([\U00100000-\U0010ffef])\\1*"
_CONTROLS = r"[\x00-\x1f]"
LONGEST_LINE = 131_072


class ScreenCover:
    """Secrets under stand-ins of the same width while a screen is drawn: of one that is written over, a mark is left.

    Whatever is drawn comes through `put` first, line by line, and what the screen shows through `restore`. There a
    value that is still whole comes back as it was, and is redacted with the text around it.
    """

    def __init__(self, scanner: Scanner) -> None:
        self.counts: dict[str, int] = {}
        self._scanner = scanner
        self._line = ""  # not here as a whole
        self._run = ""  # stand-ins that may go on
        self._values: dict[str, tuple[str, int, str]] = {}
        self._number = 0

    def put(self, text: str, *, final: bool = False) -> str:
        """The lines that are complete by now, with stand-ins."""
        text = self._line + text
        ready = len(text) if final else text.rfind("\n") + 1
        while len(text) - ready >= LONGEST_LINE:
            ready += LONGEST_LINE
        text, self._line = text[:ready], text[ready:]
        from overspill.redact.transports import find_drawn  # most texts draw nothing

        pieces: list[str] = []
        at = 0
        for start, end, rule, kind, _ in find_drawn(self._scanner, text):
            control = compile_pattern(_CONTROLS).search(text, start, end)
            end = control.start() if control else end  # noqa: PLW2901  # from there on it is drawn over
            if at <= start < end:
                pieces += text[at:start], self._stand_in(text[start:end], rule, kind)
                at = end
        return "".join(pieces) + text[at:]

    def _stand_in(self, value: str, rule: int, kind: str) -> str:
        letter = chr(_FIRST_STAND_IN + self._number % _STAND_INS)
        self._number += 1
        self._values[letter] = value, rule, kind
        return letter * len(value)

    def restore(self, shown: str, *, final: bool = False) -> str:
        """What the screen shows, with values that are whole, and marks where something is left of others."""
        if not self._values:
            return shown
        shown, self._run = self._run + shown, ""
        if not final and shown and shown[-1] in self._values:
            ready = len(shown.rstrip(shown[-1]))
            shown, self._run = shown[:ready], shown[ready:]
        return compile_pattern(_COVERED).sub(lambda run: self._uncovered(run[0]), shown)

    def _uncovered(self, run: str) -> str:
        value, rule, kind = self._values.get(run[0], (run, 0, ""))
        if len(value) == len(run):
            return value
        name = self._scanner.name(rule if kind != UNEXAMINED else -2)
        self.counts[name] = self.counts.get(name, 0) + 1
        return f"[REDACTED: {kind}]"
