"""What a stream has given out of its text, and what it still holds."""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING
from overspill.redact.hits import MAX_LOOKBEHIND, SecretMatch

if TYPE_CHECKING:
    import re

    from overspill.redact.hits import Scanner
    from overspill.redact.placeholders import Marks, Trace
    from overspill.redact.unread import JsonPlace


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
        if self._matches:
            self._matches, given, upto = self._marks().fill(out, (text, self._base, given, upto), self._matches)
        if given < upto:
            out.append(text[given:upto] if given or upto < len(text) else text)
        self._given = max(given, upto)

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
            from overspill.redact.unread import JsonPlace  # a clean text is read to its end

            self._json = JsonPlace()
        return self._json

    def _run_on(self, out: list[str], spot: SecretMatch, *, endless: bool) -> None:
        """Hide what has no end in sight, a token or the rest of a line; it is swallowed as it comes."""
        from overspill.redact import multiline  # a clean text does not need its patterns

        start, end, rule, kind, _ = spot
        start = max(start, self._given)
        self._give(out, start)
        start = self._given = max(start, self._given)
        self._matches = [spot for spot in self._matches if spot[0] >= end]
        out.append(self._marks().placeholder_of(self._text, self._base, (start, end, rule, kind, 0)))
        self._given = self._read = max(end, start)
        self._swallow = multiline.TOKEN_RUN if endless else multiline.LINE_REST

    def _swallow_run(self, run: re.Pattern[str], *, final: bool) -> bool:
        """Skip what is hidden already; false while it may go on."""
        match = run.match(self._text, self._given)
        self._given = self._read = match.end() if match else self._given
        if self._given == len(self._text) and not final:
            return False
        self._swallow = None
        return True
