"""Redaction of a text that comes in pieces; a whole text is one piece.

What a reader says depends on at most `MAX_LOOKBEHIND` characters before a hit and `MAX_LOOKAHEAD` after it, and never
on another line. So complete lines can be given out at once, and of a line longer than a block all
but the last stretch. Two things may run on without end and are followed in constant memory: a token
that fills the whole reach, and a private key over many lines.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING
from overspill.redact.hits import (
    ACROSS,
    ASSIGNMENT,
    BENEATH,
    BLOCK_RULES,
    CHARS_PER_COST,
    CLEAR_COST,
    CODE_MARKS,
    CROWD,
    EARLY,
    LAYOUT,
    LINES_COST,
    MANIFEST,
    MAX_LOOKAHEAD,
    MAX_LOOKBEHIND,
    NAMED,
    NEAR,
    PROBE_COST,
    RULE_BITS,
    RULE_COUNT,
    RULE_MASK,
    SCALAR,
    UNEXAMINED,
    FoundValue,
    WorkBudget,
    may_be_wrapped,
    nothing_cost,
    readable_end,
    value_cost,
)
from overspill.redact.output import StreamOutput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from overspill.redact import key_blocks, multiline, near, transports
    from overspill.redact.hits import Scanner
    from overspill.redact.placeholders import Trace, UnreadJson, UnreadLines

BLOCK = 32_768
GATE = 512  # no gate is wider
OVERHANG = 400  # no find begins further before its hit

# What reading one line may cost: characters looked at, in all and for each character of the line.
WORK_ANYWAY = 65_536
WORK_EACH = 16
LONGEST_CLEAR = 256


ScanWindow = tuple[list[int], int, bool]
"""A stretch of text whose hits are being read: the hits, its end, and whether a line ends there."""


class RedactStream(StreamOutput):
    """Feed it text, get the redacted text back as soon as it is certain; `flush` gives the rest.

    `counts` holds the number of redactions by rule. `incomplete` is true once something could not be
    examined and was hidden whole.
    """

    def __init__(self, scanner: Scanner, traces: list[Trace] | None = None) -> None:
        super().__init__(scanner, traces)
        self.incomplete = False
        self._window: ScanWindow | None = None
        self._line = 0  # where the line of the last hit begins; before the text, if it was forgotten
        self._seen = 0  # the last hit
        self._work = 0
        self.spent = WorkBudget()
        self._codes = 0  # how many were decoded, since reading began anew
        self._around: list[near.Surroundings] = []
        self._stop = -1  # where reading ends, in the whole text, because it would cost too much
        self._unread: UnreadLines | UnreadJson | None = None
        self._pause = 1  # hits to read one by one before a run of plain ones is looked for again
        self._latest: dict[int, int] = {}  # where the last value looked at by each rule began, in the whole text
        self._block: key_blocks.KeyBlock | None = None
        self._lower: dict[int, Callable[..., multiline.Below | None]] = {}  # readers of what lies below a hit
        self._hidden: list[tuple[int, int]] = []  # values further on, in the whole text, the last one first
        self._settled = {SCALAR: 0, LAYOUT: 0}  # ends of lines, in the whole text, of which is known what lies below
        self._rows = 0  # where the rows of a table end whose head was read
        self._awaited = 0  # as much text, in all, before what lies below a hit is looked at again

    @property
    def spent_near(self) -> list[int]:
        """What looking around words for secrets has cost, by their kind."""
        return [around.cost for around in self._around]

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
            return self._swallow_run(self._swallow, final=final)
        if self._unread is not None:
            return self._pass_over(self._unread, out, final=final)
        if self._block is not None:
            return self._in_block(self._block, out, final=final)
        if self._window is None and not self._scan(out, final=final):
            return False
        return self._window is None or self._look(self._window, out, final=final)

    def _scan(self, out: list[str], *, final: bool) -> bool:
        """Look where there may be something in the next stretch; false if there is none, or not yet."""
        # What may not be read on should not be looked for in vain.
        block = BLOCK // 2 if self.incomplete else BLOCK
        end, whole_lines = readable_end(self._text, self._read, block, final=final)
        if end <= self._read:
            return False
        scanned = end if whole_lines else min(len(self._text), end + GATE)
        hits = self._scanner.hits(self._text, self._read, scanned)
        words = [hit for hit in hits if hit & RULE_MASK >= NEAR]
        if words:
            hits = [hit for hit in hits if hit & RULE_MASK < NEAR] if len(words) < len(hits) else []
        if whole_lines and (hits or self._has_rows(end)):
            end = self._look_across(hits, end, final=final)
            if end <= self._read:
                return self._stop_here(out)
        self._matches.extend(self._scanner.literals(self._text, self._read, end))
        if not self._text.isascii() or any(self._text.find(mark, self._read, end) >= 0 for mark in CODE_MARKS):
            end = self._look_beneath(end)
        if words or self._around:
            self._look_around(words, end)
        hits.reverse()
        self._window = (hits, end, whole_lines or self._stop >= 0)
        return True

    def _has_rows(self, end: int) -> bool:
        """Whether rows of a terminal may stand up to `end`, where even those without a hit are looked at."""
        early = EARLY - self._base
        return self._read < early and may_be_wrapped(self._text, self._read, min(end, early))

    def _look_across(self, hits: list[int], end: int, *, final: bool) -> int:
        """Read what goes on in the next row of a terminal; get how far can be read before that row is here."""
        from overspill.redact import rows  # a clean text has no hits

        stretch, so_far = (self._read, end), (self._base, self.spent.ahead[ACROSS])
        looked, end = rows.scan_wrapped(self._scanner, self._text, stretch, hits, so_far, final=final)
        return self._note(ACROSS, looked, end)

    def _note(self, source: int, looked: transports.ScanOutcome, end: int) -> int:
        """Take what was found and paid in a stretch before its hits are read; get how far it can be read."""
        self._matches += looked.matches
        self.spent.owe(source, [(place + self._base, paid) for place, paid in looked.charges])
        if looked.stopped >= 0:  # no further than the line of that place, as far as it is not read yet
            end = max(self._read, self._text.rfind("\n", self._read, looked.stopped) + 1)
            self._stop = self._base + end
        return end

    def _look_beneath(self, end: int) -> int:
        """Read up to `end` with all codes decoded; get how far can be read at all."""
        from overspill.redact import transports  # most texts have no codes

        stretch, so_far = (self._read, end), (self._base, self._codes)
        looked, self._codes = transports.scan_beneath(self._scanner, self._text, stretch, so_far, self.spent)
        return self._note(BENEATH, looked, end)

    def _look_around(self, words: list[int], end: int) -> None:
        """Find what stands near the words for secrets up to `end`, and near those before them."""
        from overspill.redact import near  # a clean text has no such words

        self._around = self._around or [near.Surroundings(kind) for kind in range(RULE_COUNT - NEAR)]
        of_kinds: list[list[int]] = [[] for _ in self._around]
        for hit in words:
            of_kinds[(hit & RULE_MASK) - NEAR].append(hit)
        judged: near.JudgedValues = {}
        for of_kind, around in zip(of_kinds, self._around, strict=True):
            self._matches += around.look(self._text, self._base, of_kind, (self._read, end), judged)

    def _look(self, window: ScanWindow, out: list[str], *, final: bool) -> bool:
        """Read the hits of a stretch, until one asks for another way of reading."""
        hits, end, whole_lines = window
        if len(hits) > CROWD:
            self._skim(hits, end << RULE_BITS)
        text, scanner, spent = self._text, self._scanner, self.spent
        opening, probes, leads, readers = scanner.blocks, scanner.probes, scanner.leads, scanner.readers
        floor = len(hits) - self._pause if len(hits) > CROWD else 0
        while len(hits) > floor:
            hit = hits.pop()
            at, rule = hit >> RULE_BITS, hit & RULE_MASK
            if at < self._read or (at < self._rows and rule == SCALAR):  # in a table that was read from its head on
                continue
            if at >= end:
                hits.clear()
                break
            if readers[rule] is None:
                scanner.reader(rule)
            probe = probes[rule]
            if spent.cost + spent.owed > spent.limit and self._is_spent(at, rule):
                return self._end_reading(at, out)
            lead = leads[rule]
            hope = probe(text, at - lead, at + MAX_LOOKAHEAD) if probe is not None and at >= lead else None
            if not hope and probe is not None:
                spent.cost += PROBE_COST if hope is None and rule < NAMED else LINES_COST
                continue
            turned = self._open(hit, hope, out, final=final) if rule in opening else self._hit(at, rule, out)
            if turned is None:
                hits.append(hit)
                return False
            if turned:
                return True
        return bool(hits) or self._close(end, out, whole_lines=whole_lines)

    def _close(self, end: int, out: list[str], *, whole_lines: bool) -> bool:
        """Give out a stretch whose hits are read."""
        self._window = None
        self._read = max(self._read, end)
        self._give(out, self._read if whole_lines else max(self._given, end - OVERHANG))
        return self._stop < 0 or self._stop_here(out)

    def _skim(self, hits: list[int], limit: int) -> None:
        """Read the plain assignments that come next in one go, as if one by one, if any do."""
        at = hits[-1] >> RULE_BITS
        room = self.spent.room(self._base + at) - self.spent.owed
        self._pause = min(2 * self._pause, CROWD)
        if hits[-1] & RULE_MASK != ASSIGNMENT or at < self._read or self._hidden or self._is_line_worn(at):
            return
        if room < CLEAR_COST:
            return
        from overspill.redact import assignments  # a clean text does not need its patterns

        found, count = assignments.read_run(self._text, hits, room // CLEAR_COST, limit)
        if not found or found[0][0] + self._base == self._latest.get(ASSIGNMENT):
            return
        self._pause = 1
        last = hits[-count] >> RULE_BITS
        newline = self._text.rfind("\n", self._seen, last)
        if newline >= 0:
            self._line, self._work = newline + 1, 0
        for spot in reversed(found):
            if spot[0] < newline:
                break
            self._work += spot[1] - spot[0]
        self._seen = last
        self.spent.cost += CLEAR_COST * len(found)
        self._latest[ASSIGNMENT] = found[-1][0] + self._base
        self._matches += [spot for spot in found if spot[3]]
        del hits[-count:]

    def _is_spent(self, at: int, rule: int) -> bool:
        """Whether nothing may be read at a hit. A private key is always looked for: its lines have no hits."""
        return (
            self.spent.room(self._base + at) < 0
            and rule not in BLOCK_RULES
            and not (self._hidden and self._inside(at + self._base))
        )

    def _is_line_worn(self, at: int) -> bool:
        """Whether the line of a hit has cost almost too much. A run costs less than its line grows."""
        if self._work <= WORK_ANYWAY - LONGEST_CLEAR or self._text.rfind("\n", self._seen, at) >= 0:
            return False
        return self._work + LONGEST_CLEAR > WORK_ANYWAY + WORK_EACH * (at - self._line)

    def _hit(self, at: int, rule: int, out: list[str]) -> bool:
        """Read one hit; true if it asks for another way of reading."""
        if self._hidden and (self._inside(at + self._base) or self._names_hidden(at)):
            return False
        found = self._scanner.reader(rule)(self._text, at, at + MAX_LOOKAHEAD)
        if found:
            return self._take(found, at, rule, out)
        self.spent.cost += nothing_cost(rule)
        return False

    def _stop_here(self, out: list[str]) -> bool:
        """End reading where a stretch ends that must not be read on; false if it does not end there."""
        return 0 <= self._stop <= self._base + self._read and self._end_reading(self._read, out)

    def _end_reading(self, at: int, out: list[str]) -> bool:
        """Hide what comes from a place on, until reading may cost something again."""
        from overspill.redact.placeholders import UnreadJson, UnreadLines  # a clean text is read to its end

        place = self._base + at
        self._give(out, at)
        at = self._given  # before it, where a find reaches further
        mark = self._marks().placeholder_of(self._text, self._base, (at, at, 0, UNEXAMINED, 0))
        until = max(self.spent.place_to_go_on(place), self._base + at)
        json = self._json_place()
        if json is None:
            out.append(mark)
            self._unread = UnreadLines(until)
        else:
            self._unread = UnreadJson(until, json.after(self._text[:at]), mark, out)
        self._given = self._read = at
        self._window, self._stop, self._codes, self.incomplete = None, -1, 0, True
        for around in self._around:
            around.stop(place)
        # Of what was found further on, what lies below a name stays found: all else is looked for again.
        below = {first for first, _ in self._hidden}
        self._matches = [spot for spot in self._matches if spot[0] + self._base in below]
        return True

    def _pass_over(self, unread: UnreadLines | UnreadJson, out: list[str], *, final: bool) -> bool:
        """Hide lines; false while more of them may come."""
        end = unread.take(self._text, self._base, self._given, out, final=final)
        self._given = self._read = end
        if unread.going_on:
            return False
        self._unread = None
        self._matches = [spot for spot in self._matches if spot[1] > end]
        return True

    def _take(self, found: Iterable[FoundValue], at: int, rule: int, out: list[str]) -> bool:
        """Note what a hit came to; true if it has no end in sight, or its line has cost too much."""
        newline = self._text.rfind("\n", self._seen, at)
        if newline >= 0:
            self._line, self._work = newline + 1, 0
        self._seen = at
        if self._work > WORK_ANYWAY + WORK_EACH * (at - self._line):
            self.incomplete = True
            if self._json_place() is not None:
                return self._end_reading(at, out)
            self._run_on(out, (at, at, rule, UNEXAMINED, 0), endless=False)
            return True
        base, latest = self._base, self._latest
        for value in found:
            start, end, kind, form = value
            if latest.get(rule) != start + base:
                latest[rule] = start + base
                self._work += end - start
                self.spent.cost += value_cost(value, rule)
            if not kind:
                continue
            if end == at + MAX_LOOKAHEAD:
                self._run_on(out, (start, end, rule, kind, form), endless=True)
                return True
            self._matches.append((start, end, rule, kind, form))
        return False

    def _open(self, hit: int, hope: object, out: list[str], *, final: bool) -> bool | None:
        """Read a hit that may begin something over several lines; true as for `_hit`, None if not all are here."""
        at, rule = hit >> RULE_BITS, hit & RULE_MASK
        if self._hidden and self._inside(at + self._base):
            return False
        if rule in BLOCK_RULES:
            return self._begin(at, rule, out, final=final)
        return self._under(at, rule, hope, out, final=final)

    def _inside(self, place: int) -> bool:
        """Whether a place, in the whole text, lies in a value that was found from afar, or right before one."""
        hidden = self._hidden
        while hidden and hidden[-1][1] <= place:
            hidden.pop()
        return bool(hidden) and hidden[-1][0] <= place + 1

    def _names_hidden(self, at: int) -> bool:
        """Whether a hit lies in the name of a value that was found from afar."""
        from overspill.redact import multiline  # loaded, where something was found from afar

        name = multiline.NAME_OF.match(self._text, at)
        return name is not None and self._hidden[-1:] != [] and name.end() + self._base == self._hidden[-1][0]

    def _under(self, at: int, rule: int, hope: object, out: list[str], *, final: bool) -> bool | None:
        """Look for values on the lines below a hit: None if they are not all here."""
        if rule not in self._lower:
            from overspill.redact import k8s_secrets, layouts, multiline  # a clean text does not need their patterns

            self._lower = {SCALAR: multiline.below, MANIFEST: k8s_secrets.manifest, LAYOUT: layouts.value_below}
        if self._base + at < self._settled[rule] if rule != MANIFEST else self._is_told(at):
            return False
        length = self._base + len(self._text)
        if not final and length < self._awaited:
            return None
        result = self._lower[rule](self._text, at, hope, final=final)
        if result is None:
            # A little more text would only be looked at in vain: an eighth more is worth it.
            self._awaited = length + (len(self._text) - at) // 8
            self._give(out, max(self._given, at - OVERHANG))
            return None
        self._awaited = 0
        self._rows = result.upto if hope == "column" else self._rows
        self.spent.reach = max(self.spent.reach, self._base + result.upto)
        settled = LAYOUT if rule == LAYOUT else SCALAR
        self._settled[settled] = max(self._settled[settled], self._base + self._text.find("\n", at, result.upto))
        self.spent.cost += result.cost + (result.upto - at) // CHARS_PER_COST
        self._matches += [(start, end, rule, kind, form) for start, end, kind, form in result.found]
        added = {(start + self._base, end + self._base) for start, end, _, _ in result.found}
        self._hidden = sorted(added.union(self._hidden), reverse=True) if added else self._hidden
        return False

    def _is_told(self, at: int) -> bool:
        """Whether the values below a hit were found already, because it was said before what they are."""
        first = self._hidden[-1][0] - self._base if self._hidden else 0
        values = self._text[at:first] if at < first < at + OVERHANG else ""
        return values.startswith("data") and values.count("\n") <= 1

    def _begin(self, at: int, rule: int, out: list[str], *, final: bool) -> bool | None:
        """Look at a BEGIN: true if a block was entered, None if the next line is needed and not here."""
        from overspill.redact import key_blocks  # a clean text does not need its patterns

        text = self._text
        begin = key_blocks.BEGIN.match(text, at)
        if begin is None:
            return False
        end = key_blocks.one_line_key_end(text, begin.end(), min(len(text), at + MAX_LOOKAHEAD))
        if end == at + MAX_LOOKAHEAD:
            self._run_on(out, (at, end, rule, "PRIVATE_KEY", 0), endless=True)
            return True
        if end >= 0:
            self._matches.append((at, end, rule, "PRIVATE_KEY", 0))
            self._read = end
            return False
        entered = self._below(at, begin.end(), rule, out, final=final)
        if entered is False and begin.lastgroup:
            self._matches.append((at, begin.end(), rule, "PRIVATE_KEY", 0))
            self._read = begin.end()
        return entered

    def _below(self, at: int, after: int, rule: int, out: list[str], *, final: bool) -> bool | None:
        """Look at the lines below the BEGIN of a key: true if a block was entered, None if they are not all here."""
        from overspill.redact import key_blocks  # a clean text does not need its patterns

        text = self._text
        lines = key_blocks.key_below(text, after, final=final)
        if lines == (0, 0):
            return False
        self._give(out, at)
        if lines is None:
            return None
        start, end = lines
        # The ends of the lines follow line by line.
        out.append(self._marks().placeholder_of(text, self._base, (at, end, rule, "PRIVATE_KEY", 0)).rstrip("\r"))
        out.append("\r\n" if text[start - 2] == "\r" else "\n")
        self._given = self._read = start
        self._block = key_blocks.KeyBlock()
        return True

    def _in_block(self, block: key_blocks.KeyBlock, out: list[str], *, final: bool) -> bool:
        """Take the next line of a private key; false if it is not here yet."""
        from overspill.redact import key_blocks  # a clean text does not need its patterns

        text, start = self._text, self._given
        line = key_blocks.key_line(text, start, final=final) if start < len(text) or not final else None
        if line is None:
            self._block = None if final else block
            return final
        closing = key_blocks.END.search(line)
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

    def _forget(self, *, final: bool) -> None:
        """Drop what no later hit can look back at."""
        keep = len(self._text) if final else max(0, min(self._given, self._read) - MAX_LOOKBEHIND)
        if not keep:
            return
        self._drop(keep)
        self._line -= keep
        self._rows -= keep
        self._seen = max(0, self._seen - keep)
        if self._window is not None:
            hits, end, whole_lines = self._window
            self._window = ([hit - (keep << RULE_BITS) for hit in hits], end - keep, whole_lines)
