"""What is hidden without being read, because reading it would cost too much: lines, or the contents of JSON."""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, compile_pattern

if TYPE_CHECKING:
    from re import Match

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
_QUOTE_OR_ESCAPE = compile_pattern(r'"|\\u[0-9A-Fa-f]{4}|\\[^u]')
_UNFINISHED = compile_pattern(r"\\(?:u[0-9A-Fa-f]{0,3})?\Z")
_MAY_GO_ON = compile_pattern(r"(?:[a-z]{1,5}|-?[0-9][0-9.eE+-]*|-)\Z")  # a word or a number at the end of a piece
_MEMBER = compile_pattern(r"[A-Za-z_-]{1,30}[0-9]{0,6}\Z")  # a name that says nothing but what it names
_REST_OF_WORD = compile_pattern(r"(?:rue|ue|e|alse|lse|se|ull|ll|l|[0-9.eE+-]{1,24}+)?(?![\w.+-])")
LONGEST_WORD = 25
_COLON = compile_pattern(r"[ \t\r\n]*+(:|\Z)?")


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
        found = _QUOTE_OR_ESCAPE.findall(piece, 0, cut.start() if cut else len(piece))
        self.inside ^= bool(found.count('"') & 1)

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
