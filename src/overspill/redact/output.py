"""What a stream has given out of its text, and what it still holds."""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING
from overspill.redact.hits import MAX_LOOKBEHIND, PLAIN, SecretMatch

if TYPE_CHECKING:
    import re

    from overspill.redact.hits import Scanner
    from overspill.redact.placeholders import JsonPlace, Marks, Trace


# What was found and plainly drawn is hidden wherever it comes again: so many values, of so many finds, as long.
MOST_KEPT, MOST_WEIGHED = 16, 256
SHORTEST_KEPT, LONGEST_KEPT = 12, 128


class StreamOutput:
    """The text that a stream holds, what was found in it, and how it is given out with marks."""

    def __init__(self, scanner: Scanner, traces: list[Trace] | None) -> None:
        self.counts: dict[str, int] = {}
        self._scanner = scanner
        self._traces = traces
        self._made: Marks | None = None
        self._text = ""
        self._base = 0  # characters of the input before `_text`
        self._given = 0  # up to here everything was given out
        self._read = 0  # up to here every hit was read
        self._matches: list[SecretMatch] = []
        self._kept: dict[str, tuple[int, int, str]] = {}  # values, where they ended first, and how they were found
        self._weighed = 0
        self._swallow: re.Pattern[str] | None = None
        self._json: JsonPlace | None = None  # where a document has come to before the text

    def _marks(self) -> Marks:
        if self._made is None:
            from overspill.redact.placeholders import Marks  # a clean text has no marks

            self._made = Marks(self._scanner, self.counts, self._traces)
        return self._made

    def _give(self, out: list[str], upto: int) -> None:
        """Give out the text before `upto`, with what was found in it hidden."""
        text, given = self._text, self._given
        if self._matches and self._weighed < MOST_WEIGHED:
            self._keep(upto)
        if self._kept:
            self._matches += self._found_again(upto)
        if self._matches:
            self._matches, given, upto = self._marks().fill(out, (text, self._base, given, upto), self._matches)
        if given < upto:
            out.append(text[given:upto] if given or upto < len(text) else text)
        self._given = max(given, upto)

    def _keep(self, upto: int) -> None:
        """Keep the values found before `upto` that stand for themselves, whatever is around them."""
        from overspill.redact import near_values  # a clean text has no finds

        for start, end, rule, kind, _ in sorted(self._matches):
            if start >= upto or len(self._kept) >= MOST_KEPT or self._weighed >= MOST_WEIGHED:
                break
            if start >= self._given and SHORTEST_KEPT <= end - start <= LONGEST_KEPT and kind:
                self._weighed += 1
                value = self._text[start:end]
                if value not in self._kept and near_values.is_unmistakable(value):
                    self._kept[value] = self._base + end, rule, kind

    def _found_again(self, upto: int) -> list[SecretMatch]:
        """Where values that were found once stand again before `upto`, if nothing else was found there."""
        ends = {spot[0]: spot[1] for spot in self._matches}
        again: list[SecretMatch] = []
        for value, (first, rule, kind) in self._kept.items():
            length = len(value)
            at = self._text.find(value, max(self._given, first - self._base), upto + length - 1)
            while at >= 0:
                if ends.get(at, 0) < at + length:
                    again.append((at, at + length, rule, kind, PLAIN))
                at = self._text.find(value, at + length, upto + length - 1)
        return again

    def _drop(self, keep: int) -> None:
        """Forget so much of the beginning of the text."""
        json = self._json_place()
        if json is not None:
            json.go_on(self._text[:keep])
        self._text = self._text[keep:]
        self._base += keep
        self._given -= keep
        self._read -= keep
        self._matches = [(s - keep, e - keep, r, t, f) for s, e, r, t, f in self._matches]

    def _json_place(self) -> JsonPlace | None:
        """Where a document of JSON has come to before the text, if it is one."""
        if not self._base and self._text[:MAX_LOOKBEHIND].lstrip()[:1] in {"[", "{"}:
            from overspill.redact.placeholders import JsonPlace  # a clean text is read to its end

            self._json = JsonPlace()
        return self._json

    def _run_on(self, out: list[str], spot: SecretMatch, *, endless: bool) -> None:
        """Hide what has no end in sight, a token or the rest of a line; it is swallowed as it comes."""
        from overspill.redact import placeholders  # a clean text does not need its patterns

        start, end, rule, kind, _ = spot
        start = max(start, self._given)
        self._give(out, start)
        start = self._given = max(start, self._given)
        self._matches = [spot for spot in self._matches if spot[0] >= end]
        out.append(self._marks().placeholder_of(self._text, self._base, (start, end, rule, kind, 0)))
        self._given = self._read = max(end, start)
        self._swallow = placeholders.TOKEN_RUN if endless else placeholders.LINE_REST

    def _swallow_run(self, run: re.Pattern[str], *, final: bool) -> bool:
        """Skip what is hidden already; false while it may go on."""
        match = run.match(self._text, self._given)
        self._given = self._read = match.end() if match else self._given
        if self._given == len(self._text) and not final:
            return False
        self._swallow = None
        return True
