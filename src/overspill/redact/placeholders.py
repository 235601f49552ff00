"""What stands in the place of what is hidden: of a secret its mark, counted and numbered.

The same value of a type has the same mark, the second different one is `[REDACTED: TYPE-2]`, and in
the user part of an address, where brackets would break it, stands a word instead.

Of what is hidden without being read, because reading it would cost too much, the ends of lines stay (`UnreadLines`),
or the syntax of JSON and the names of its members (`UnreadJson`).
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.redact.hits import CLEAR, LINES, PLAIN, QUOTE, UNEXAMINED, URL, SecretMatch

if TYPE_CHECKING:
    from re import Match

    from overspill.redact.hits import Scanner

LAST_NUMBER = 999
USERINFO = 301  # characters of an address in which its @ is looked for
URL_MARK = "REDACTED_PASSWORD"
# What goes on without an end in sight.
TOKEN_RUN = compile_pattern(r"[A-Za-z0-9_.~+/=%:$!*-]*+")
LINE_REST = compile_pattern(r"[^\r\n]*+")
MOST_BELOW = 65_536  # characters of lines that may belong to what was hidden
_SIGNS_OF_NUMBERS = frozenset("+-.")
LONG = 64  # a string that goes on longer than this is hidden before its end is here
MASK = "*"  # in the place of what is shorter than a mark
_FIRST = frozenset("[{")
_SYNTAX = compile_pattern(
    r"""(?P<blank>[ \t\r\n]++)|(?P<sign>[\[\]{},:])|(?P<string>")|(?P<word>true|false|null)(?![\w.+-])"""
    r"""|(?P<number>-?[0-9][0-9.eE+-]*+)(?![\w.])"""
)
_REST_OF_STRING = compile_pattern(r'(?:[^"\\\x00-\x1f]|\\u[0-9A-Fa-f]{4}|\\[^u\x00-\x1f])*+')
_UNFINISHED = compile_pattern(r"\\(?:u[0-9A-Fa-f]{0,3})?\Z")
_MAY_GO_ON = compile_pattern(r"(?:[a-z]{1,5}|-?[0-9][0-9.eE+-]*|-)\Z")  # a word or a number at the end of a piece
_MEMBER = compile_pattern(r"[A-Za-z_-]{1,30}[0-9]{0,6}\Z")  # a name that says nothing but what it names
_REST_OF_WORD = compile_pattern(r"(?:rue|ue|e|alse|lse|se|ull|ll|l|[0-9.eE+-]{1,24}+)?(?![\w.+-])")
LONGEST_WORD = 25
_COLON = compile_pattern(r"[ \t\r\n]*+(:|\Z)?")


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


class UnreadLines:
    """Lines that are hidden without being read, up to a place of the whole text: their ends are left.

    What may belong to the last of them goes with it: deeper lines, and those of a key.
    """

    def __init__(self, until: int) -> None:
        self.going_on = True
        self._until = until
        self._last = until + MOST_BELOW
        self._below = False  # whether a line begins, and may still belong to what was hidden

    def take(self, text: str, base: int, start: int, out: list[str], *, final: bool) -> int:
        """Put the ends of lines out from `start` on; get how far was looked. Nothing is `going_on` after the last."""
        if not self._below:
            newline = text.find("\n", max(start, self._until - base))
            if newline < 0:
                end = len(text) if final else max(start, len(text.rstrip("\r")))
                out.append(line_ends(text[start:end]))
                self.going_on = not final
                return end
            out.append(line_ends(text[start : newline + 1]))
            start, self._below = newline + 1, True
        from overspill.redact import key_blocks  # a clean text does not need its patterns

        while True:
            line = key_blocks.key_line(text, start, final=final) if start < len(text) or not final else ""
            if line is None:
                return start
            ended = text[start + len(line) : start + len(line) + 1] == "\n"
            if not line or start + base > self._last or not ended or not key_blocks.may_be_below(line):
                self.going_on = False
                return start
            out.append(line_ends(line + "\n"))
            start += len(line) + 1


class JsonPlace:
    r"""Where in a document of JSON its text has come to: inside a string or not. The text may come in pieces.

    >>> place = JsonPlace()
    >>> place.go_on('{"a": "b\\')
    >>> place.inside, place.unfinished
    (True, '\\')
    """

    def __init__(self) -> None:
        self.inside = False
        self.unfinished = ""  # an escape that is not all here
        self.last = ""

    def go_on(self, piece: str) -> None:
        """Take the next piece."""
        self.last = piece[-1:] or self.last
        if "\\" not in piece and not self.unfinished:
            self.inside ^= bool(piece.count('"') & 1)
            return
        piece = self.unfinished + piece
        cut = _UNFINISHED.search(piece, max(0, len(piece) - 6))
        # A backslash that ends a piece may be the second of two.
        if cut is not None and (cut.start() - len(piece[: cut.start()].rstrip("\\"))) % 2:
            cut = None
        self.unfinished = cut[0] if cut else ""
        piece = piece[: cut.start()] if cut else piece
        # A backslash is meant by two, and a quote behind the one that is left.
        self.inside ^= bool(piece.replace("\\\\", "").replace('\\"', "").count('"') & 1)

    def after(self, piece: str) -> JsonPlace:
        """Where it has come to after one more piece."""
        there = JsonPlace()
        there.inside, there.unfinished, there.last = self.inside, self.unfinished, self.last
        there.go_on(piece)
        return there


class UnreadJson:
    """A part of a document of JSON that is hidden without being read: its syntax and the names of its members stay.

    Reading goes on after the last place that must not be read where an element ends that began before it. A text that
    is no JSON after all is hidden line by line.
    """

    def __init__(self, until: int, place: JsonPlace, mark: str, out: list[str]) -> None:
        self.going_on = True
        self._until = until
        self._mark = mark
        self._inside = place.inside
        self._depth = 0
        self._last = ""  # the last sign
        self._lines: UnreadLines | None = None
        self._escape = place.unfinished
        self._in_word = not place.inside and (place.last.isalnum() or place.last in _SIGNS_OF_NUMBERS)
        if place.inside and not self._escape:
            out.append(mark)

    def take(self, text: str, base: int, start: int, out: list[str], *, final: bool) -> int:
        """Put the syntax out from `start` on; get how far was looked. Nothing is `going_on` after the last."""
        if self._lines is None:
            if self._escape:
                start = self._finish_escape(text, start, out, final=final)
            while self._lines is None and start < len(text):
                if self._in_word:
                    step = self._finish_word(text, start, out, final=final)
                elif self._inside:
                    step = self._string(text, start, out)
                else:
                    step = self._outside(text, base, start, out, final=final)
                if step < 0:
                    return start
                if not self.going_on:
                    return step
                start = step
        if self._lines is not None:
            start = self._lines.take(text, base, start, out, final=final)
            self.going_on = self._lines.going_on
        elif final:
            self.going_on = False
        return start

    def _finish_escape(self, text: str, start: int, out: list[str], *, final: bool) -> int:
        """Let an escape that has begun come to its end, and hide what follows it."""
        most = 6 if (self._escape + text[start : start + 1])[1:2] == "u" else 2
        end = start + most - len(self._escape)
        if end > len(text) and not final:
            self._escape += text[start:]
            out.append(text[start:])
            return len(text)
        out += text[start:end], self._mark
        self._escape = ""
        return min(end, len(text))

    def _finish_word(self, text: str, start: int, out: list[str], *, final: bool) -> int:
        """Let a number, `true`, `false` or `null` that has begun come to its end."""
        if len(text) - start < LONGEST_WORD and not final:
            return -1
        rest = _REST_OF_WORD.match(text, start)
        self._in_word = False
        if rest is None:
            return self._give_up(start)
        out.append(rest[0])
        return rest.end()

    def _string(self, text: str, start: int, out: list[str]) -> int:
        """Pass over the rest of a string; its closing quote is syntax."""
        rest = _REST_OF_STRING.match(text, start)
        end = rest.end() if rest else start
        if text[end : end + 1] == '"':
            self._inside = False
            out.append('"')
            return end + 1
        if end < len(text) and _UNFINISHED.match(text, end) is None:
            return self._give_up(end)
        return end if end > start else -1

    def _give_up(self, start: int) -> int:
        """Hide the rest line by line: it is no JSON."""
        self._lines = UnreadLines(self._until)
        return start

    def _outside(self, text: str, base: int, start: int, out: list[str], *, final: bool) -> int:
        """Put one piece of syntax out; get where the next one begins, or -1 if it is not all here."""
        piece = _SYNTAX.match(text, start)
        ends = piece.end() == len(text) if piece else _MAY_GO_ON.match(text, start) is not None
        if not final and ends and (piece is None or piece.lastgroup in {"word", "number"}):
            return -1
        if piece is None:
            return self._give_up(start)
        if piece.lastgroup == "string":
            return self._open_string(text, start, out, final=final)
        if piece.lastgroup == "sign":
            return self._sign(piece, base, out)
        if piece.lastgroup == "number":
            out.append(f'"{MASK}"')
        else:
            out.append(piece[0])
        return piece.end()

    def _sign(self, piece: Match[str], base: int, out: list[str]) -> int:
        sign, before = piece[0], self._last
        self._last = sign
        closed = before in {"}", "]"} and self._depth <= 0 and base + piece.start() >= self._until
        if closed and sign in _FIRST:  # of the next line of NDJSON
            self.going_on = False
            return piece.start()
        self._depth += 1 if sign in _FIRST else -1 if sign in "}]" else 0
        out.append(sign)
        if closed and sign == ",":
            self.going_on = False
        return piece.end()

    def _open_string(self, text: str, start: int, out: list[str], *, final: bool) -> int:
        body = _REST_OF_STRING.match(text, start + 1)
        end = body.end() if body else start + 1
        if text[end : end + 1] != '"':
            if not final and end - start < LONG:
                return -1
            out += '"', self._mark
            self._inside = True
            return start + 1
        colon = _COLON.match(text, end + 1)
        if colon is not None and colon[1] == "" and not final:
            return -1
        content = text[start + 1 : end]
        if not (colon and colon[1] == ":" and _MEMBER.match(content)):
            content = self._mark if len(content) >= len(self._mark) else MASK if content else ""
        out.append(f'"{content}"')
        return end + 1


def line_ends(value: str) -> str:
    r"""The ends of its lines, and nothing else; a lone CR becomes one that nothing can join.

    >>> line_ends("a\r\n b\n\rc")
    '\r\n\n\n'
    """
    lines = value.replace("\r\n", "\v").replace("\r", "\n")
    return "".join("\r\n" if end == "\v" else "\n" for end in lines if end in "\v\n")
