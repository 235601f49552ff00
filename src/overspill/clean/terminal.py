"""The stages of the level `terminal`, one after the other: sequences, hidden characters, line ends, the screen."""

from overspill.clean.escapes import Escapes
from overspill.clean.hidden import settled, shown
from overspill.clean.line_ends import decided, lines_end_in_cr
from overspill.clean.quiet import BYTE_ORDER_MARK, beyond_ascii, has_controls, has_hidden
from overspill.clean.screen import Screen, without_sequences

_SLICE = 1 << 20


class Terminal:
    """Text as it came in, what a terminal shows of it out."""

    def __init__(self) -> None:
        self.hidden = 0
        self.marks: int | None = None
        self._escapes = Escapes()
        self._screen = Screen()
        self._flag = ""  # the beginning of what may become a flag
        self._opening: str | None = ""  # held while it may be a file whose lines end in CR
        self._ends_in_cr = False
        self._sequences = 0

    @property
    def escapes(self) -> int:
        return self._escapes.removed + self._screen.sequences + self._sequences

    @property
    def redraws(self) -> int:
        return self._screen.redraws

    def feed(self, text: str) -> str:
        return "".join(self._fed(text[at : at + _SLICE]) for at in range(0, len(text), _SLICE))

    def flush(self) -> str:
        rest = self._drawn(self._shown(self._escapes.flush(), final=True))
        if self._opening:
            self._ends_in_cr = lines_end_in_cr(self._opening)
            rest += self._opened()
        return rest + self._screen.flush()

    def _fed(self, text: str) -> str:
        if self.marks is None:
            self.marks = int(text.startswith(BYTE_ORDER_MARK))
            text = text[self.marks :]
        beyond = beyond_ascii(text)
        visible = self._escapes.feed(text, eight_bit=has_controls(beyond))
        if visible is text and not self._flag and not has_hidden(beyond) and settled(text) == len(text):
            return self._drawn(text)
        return self._drawn(self._shown(visible))

    def _shown(self, text: str, *, final: bool = False) -> str:
        text, self._flag = self._flag + text, ""
        if text.isascii():
            return text
        if not final:
            ready = settled(text)
            text, self._flag = text[:ready], text[ready:]
        text, hidden = shown(text)
        self.hidden += hidden
        return text

    def _drawn(self, text: str) -> str:
        if self._opening is not None:
            self._opening += text
            decision = decided(self._opening)
            if decision is None:
                return ""
            self._ends_in_cr = decision
            return self._opened()
        if not self._ends_in_cr:
            return self._screen.feed(text)
        text, sequences = without_sequences(text)
        self._sequences += sequences
        return text

    def _opened(self) -> str:
        text, self._opening = self._opening or "", None
        return self._drawn(text)
