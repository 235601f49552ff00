"""Redaction of a text that comes in pieces; a whole text is one piece.

What a reader says depends on at most `BACK` characters before a hit and `REACH` after it, and never
on another line. So complete lines can be given out at once, and of a line longer than a block all
but the last stretch. Two things may run on without end and are followed in constant memory: a token
that fills the whole reach, and a private key over many lines.
"""

from collections.abc import Iterable

from overspill.hints import TYPE_CHECKING
from overspill.records import NamedTuple
from overspill.redact.hits import BACK, QUOTE, REACH, RULE, SHIFT, URL, Found, Spot

if TYPE_CHECKING:
    import re

    from overspill.redact import blocks
    from overspill.redact.seams import Eyes

BLOCK = 131_072
GATE = 512  # no gate is wider
OVERHANG = 400  # no find begins further before its hit
LAST_NUMBER = 999
URL_MARK = "REDACTED_PASSWORD"
UNEXAMINED = "UNEXAMINED"

# What reading one line may cost: characters looked at, in all and for each character of the line.
WORK_ANYWAY = 65_536
WORK_EACH = 16


class Sight(NamedTuple):
    """One redaction, for people: where and by which rule, never what."""

    rule: int
    type: str
    start: int


Looks = tuple[list[int], int, bool]
"""A stretch of text whose hits are being read: the hits, its end, and whether a line ends there."""


class RedactStream:
    """Feed it text, get the redacted text back as soon as it is certain; `flush` gives the rest.

    `counts` holds the number of redactions by rule. `incomplete` is true once something could not be
    examined and was hidden whole.
    """

    def __init__(self, eyes: "Eyes", sights: list[Sight] | None = None) -> None:
        self.counts: dict[str, int] = {}
        self.incomplete = False
        self._eyes = eyes
        self._sights = sights
        self._marks: dict[str, dict[int, str]] = {}
        self._names: dict[int, str] = {}
        self._text = ""
        self._base = 0  # characters of the input before `_text`
        self._given = 0  # up to here everything was given out
        self._read = 0  # up to here every hit was read
        self._looks: Looks | None = None
        self._spots: list[Spot] = []
        self._line = 0  # where the line of the last hit begins; before the text, if it was forgotten
        self._seen = 0  # the last hit
        self._work = 0
        self._last = -1  # where the last value looked at began, and by which rule, as a hit
        self._swallow: re.Pattern[str] | None = None
        self._block: blocks.Block | None = None

    def feed(self, text: str) -> str:
        """Take the next piece; get what is certain so far."""
        return "".join(self._step(text, final=False))

    def flush(self) -> str:
        """Get the rest. The stream is over."""
        return "".join(self._step("", final=True))

    def whole(self, text: str) -> str:
        """Redact one text in one call; a text without secrets comes back as the same object."""
        pieces = self._step(text, final=True)
        return "".join(pieces) if self.counts else text

    def _step(self, piece: str, *, final: bool) -> list[str]:
        self._text = self._text + piece if self._text else piece
        out: list[str] = []
        while self._advance(out, final=final):
            pass
        if final:
            self._give(out, len(self._text))
        self._forget(final=final)
        return out

    def _advance(self, out: list[str], *, final: bool) -> bool:
        """Do the next piece of work; false if there is none, or not yet."""
        if self._swallow is not None:
            return self._swallowed(self._swallow, final=final)
        if self._block is not None:
            return self._in_block(self._block, out, final=final)
        if self._looks is None:
            end, whole_lines = self._reachable(final=final)
            if end <= self._read:
                return False
            scanned = end if whole_lines else min(len(self._text), end + GATE)
            self._spots.extend(self._eyes.literals(self._text, self._read, end))
            hits = self._eyes.hits(self._text, self._read, scanned)
            hits.reverse()
            self._looks = (hits, end, whole_lines)
        return self._look(self._looks, out, final=final)

    def _reachable(self, *, final: bool) -> tuple[int, bool]:
        """How far hits can be read now, and whether a line (or the text) ends there."""
        text, start = self._text, self._read
        length = len(text)
        if length - start <= BLOCK:
            return (length, True) if final else (text.rfind("\n", start) + 1, True)
        end = text.rfind("\n", start, start + BLOCK) + 1
        if end > start:
            return end, True
        end = text.find("\n", start + BLOCK, start + BLOCK + REACH) + 1
        if end > start:
            return end, True
        if length >= start + BLOCK + REACH:
            return start + BLOCK, False
        return (length, True) if final else (start, True)

    def _look(self, looks: Looks, out: list[str], *, final: bool) -> bool:
        """Read the hits of a stretch, until one asks for another way of reading."""
        hits, end, whole_lines = looks
        text, eyes = self._text, self._eyes
        key_blocks, probes, leads, readers = eyes.blocks, eyes.probes, eyes.leads, eyes.readers
        read, limit = self._read << SHIFT, end << SHIFT
        while hits:
            hit = hits.pop()
            if hit < read:
                continue
            if hit >= limit:
                break
            at, rule = hit >> SHIFT, hit & RULE
            probe = probes[rule]
            if probe is not None:
                begin = at - leads[rule]
                if begin < 0 or probe(text, begin, at + REACH) is None:
                    continue
            if rule in key_blocks:
                verdict = self._begin(at, rule, out, final=final)
                if verdict is None:
                    hits.append(hit)
                    return False
                if verdict:
                    return True
                read = self._read << SHIFT
                continue
            found = (readers[rule] or eyes.reader(rule))(text, at, at + REACH)
            if found and self._take(found, at, rule, out):
                return True
        self._looks = None
        self._read = max(self._read, end)
        self._give(out, self._read if whole_lines else max(self._given, end - OVERHANG))
        return True

    def _take(self, found: Iterable[Found], at: int, rule: int, out: list[str]) -> bool:
        """Note what a hit came to; true if it has no end in sight, or its line has cost too much."""
        newline = self._text.rfind("\n", self._seen, at)
        if newline >= 0:
            self._line, self._work = newline + 1, 0
        self._seen = at
        if self._work > WORK_ANYWAY + WORK_EACH * (at - self._line):
            self._run_on(out, (at, at, rule, UNEXAMINED, 0), endless=False)
            self.incomplete = True
            return True
        for start, end, kind, form in found:
            begin = start << SHIFT | rule
            if begin != self._last:
                self._work += end - start
                self._last = begin
            if not kind:
                continue
            if end == at + REACH:
                self._run_on(out, (start, end, rule, kind, form), endless=True)
                return True
            self._spots.append((start, end, rule, kind, form))
        return False

    def _run_on(self, out: list[str], spot: Spot, *, endless: bool) -> None:
        """Hide what has no end in sight, a token or the rest of a line; it is swallowed as it comes."""
        from overspill.redact import blocks  # a clean text needs none of its patterns

        start, end, rule, kind, _ = spot
        start = max(start, self._given)
        self._give(out, start)
        start = self._given = max(start, self._given)
        self._spots.clear()
        out.append(self._hidden(start, end, rule, kind, 0))
        self._given = self._read = max(end, start)
        self._swallow = blocks.TOKEN_RUN if endless else blocks.LINE_REST

    def _swallowed(self, run: "re.Pattern[str]", *, final: bool) -> bool:
        """Skip what is hidden already; false while it may go on."""
        match = run.match(self._text, self._given)
        self._given = self._read = match.end() if match else self._given
        if self._given == len(self._text) and not final:
            return False
        self._swallow = None
        return True

    def _begin(self, at: int, rule: int, out: list[str], *, final: bool) -> bool | None:
        """Look at a BEGIN: true if a block was entered, None if the next line is needed and not here."""
        from overspill.redact import blocks  # a clean text needs none of its patterns

        text = self._text
        self._eyes.probes[rule] = blocks.HOPEFUL.match
        begin = blocks.BEGIN.match(text, at)
        if begin is None:
            return False
        end = blocks.one_line(text, begin.end(), min(len(text), at + REACH))
        if end == at + REACH:
            self._run_on(out, (at, end, rule, "PRIVATE_KEY", 0), endless=True)
            return True
        if end >= 0:
            self._spots.append((at, end, rule, "PRIVATE_KEY", 0))
            self._read = end
            return False
        return self._below(at, begin.end(), rule, out, final=final)

    def _below(self, at: int, after: int, rule: int, out: list[str], *, final: bool) -> bool | None:
        """The same for a key on the lines below its BEGIN."""
        from overspill.redact import blocks  # a clean text needs none of its patterns

        text = self._text
        newline = text.find("\n", after, after + blocks.SEAM)
        if newline < 0 or not blocks.goes_on_below(text[after:newline]):
            return False
        following = self._line_at(newline + 1, final=final)
        if following is None:
            self._give(out, at)
            return None
        if not blocks.starts(following):
            return False
        self._give(out, at)
        out.append(self._hidden(at, newline + 1 + len(following), rule, "PRIVATE_KEY", 0))
        out.append("\r\n" if text[newline - 1] == "\r" else "\n")
        self._given = self._read = newline + 1
        self._block = blocks.Block()
        return True

    def _line_at(self, start: int, *, final: bool) -> str | None:
        """The line that starts there, or as much of it as a key line could be; None if it is not all here."""
        from overspill.redact import blocks  # a clean text needs none of its patterns

        text = self._text
        end = text.find("\n", start, start + blocks.LONGEST_LINE)
        if end < 0 and len(text) - start < blocks.LONGEST_LINE and not final:
            return None
        return text[start : end if end >= 0 else start + blocks.LONGEST_LINE]

    def _in_block(self, block: "blocks.Block", out: list[str], *, final: bool) -> bool:
        """Take the next line of a private key; false if it is not here yet."""
        from overspill.redact import blocks  # a clean text needs none of its patterns

        text, start = self._text, self._given
        line = self._line_at(start, final=final) if start < len(text) or not final else None
        if line is None:
            self._block = None if final else block
            return final
        closing = blocks.END.search(line)
        if closing is not None or not block.takes(line):
            end = start + (closing.end() if closing else 0)
            out.append("\n" * text.count("\r", start, end))
            self._given = self._read = end
            self._block = None
            return True
        end = start + len(line)
        ended = text[end : end + 1] == "\n"
        returns = ended and line.endswith("\r")
        # A lone CR ends a line too; left as it is, it would be one end with what follows what is hidden.
        out.append("\n" * (line.count("\r") - returns) + ("\r" * returns + "\n" if ended else ""))
        end += ended
        self._given = self._read = end
        return True

    def _give(self, out: list[str], upto: int) -> None:
        """Give out the text before `upto`, with what was found in it hidden."""
        text, given = self._text, self._given
        if self._spots:
            spots = sorted(self._spots)
            lenient = self._eyes.lenient
            index, count = 0, len(spots)
            while index < count:
                start, end, rule, kind, form = spots[index]
                if start >= upto:
                    break
                begun = index
                index += 1
                if index < count and spots[index][0] < end:
                    end, rule, kind, form, index = _met(spots, begun)
                if end > upto:
                    upto, index = start, begun
                    break
                start = max(start, given)
                if end <= start or text.find("[REDACTED", start, end) >= 0:
                    continue
                if lenient and self._eyes.allows(text[start:end]):
                    continue
                out.append(text[given:start])
                out.append(self._hidden(start, end, rule, kind, form))
                given = end
            self._spots = spots[index:]
        if given < upto:
            out.append(text[given:upto] if given or upto < len(text) else text)
        self._given = max(given, upto)

    def _hidden(self, start: int, end: int, rule: int, kind: str, form: int) -> str:
        """What stands in the place of a secret, counted and numbered."""
        name = self._names.get(rule) if kind != UNEXAMINED else "unexamined"
        if name is None:
            name = self._names[rule] = self._eyes.name(rule)
        self.counts[name] = self.counts.get(name, 0) + 1
        if self._sights is not None:
            self._sights.append(Sight(rule if kind != UNEXAMINED else -2, kind, start + self._base))
        text = self._text
        if form == URL or (text.find("@", end, end + 301) >= 0 and _in_userinfo(text, start, end)):
            return URL_MARK
        value = text[start:end]
        mark = self._mark(kind, hash(value))
        if form >= QUOTE:
            quote = "\\" * (form - QUOTE) + '"'
            mark = f"{quote}{mark}{quote}"
        # A lone carriage return ends a line as well: none is lost.
        return mark + "\r" * value.count("\r") if "\r" in value else mark

    def _mark(self, kind: str, identity: int) -> str:
        """The mark of a value: the same value, the same number."""
        marks = self._marks.get(kind)
        if marks is None:
            marks = self._marks[kind] = {}
        mark = marks.get(identity)
        if mark is None:
            number = min(len(marks) + 1, LAST_NUMBER)
            mark = f"[REDACTED: {kind}]" if number == 1 else f"[REDACTED: {kind}-{number}]"
            if len(marks) < LAST_NUMBER:
                marks[identity] = mark
        return mark

    def _forget(self, *, final: bool) -> None:
        """Drop what no later hit can look back at."""
        keep = len(self._text) if final else max(0, min(self._given, self._read) - BACK)
        if not keep:
            return
        self._text = self._text[keep:]
        self._base += keep
        self._given -= keep
        self._read -= keep
        self._line -= keep
        self._seen = max(0, self._seen - keep)
        self._last -= keep << SHIFT
        self._spots = [(s - keep, e - keep, r, t, f) for s, e, r, t, f in self._spots]
        if self._looks is not None:
            hits, end, whole_lines = self._looks
            self._looks = ([hit - (keep << SHIFT) for hit in hits], end - keep, whole_lines)


def _met(spots: list[Spot], index: int) -> tuple[int, int, str, int, int]:
    """Spots that overlap, as one: its end, rule, type and form, and the number of the spot after it."""
    start, end, rule, kind, form = spots[index]
    longest = end - start
    index += 1
    while index < len(spots) and spots[index][0] < end:
        other_start, other_end, other, other_kind, other_form = spots[index]
        end = max(end, other_end)
        if other < rule or (other == rule and other_end - other_start > longest):
            rule, kind, longest = other, other_kind, other_end - other_start
        form = form if other_form != URL else URL
        index += 1
    return end, rule, kind, form, index


def _in_userinfo(text: str, start: int, end: int) -> bool:
    from overspill.redact import blocks  # as above

    return blocks.in_userinfo(text, start, end)
