r"""Terminal sequences: those that move or erase are kept for the screen, all others leave no byte.

CSI with private and colon parameters, OSC ended by BEL or ST, DCS, APC, PM, SOS, character sets,
two-character escapes, and the 8-bit forms U+0080 to U+009F where they introduce a sequence.

>>> escapes = Escapes()
>>> escapes.feed("\x1b[38:2:1:2:3mred\x1b]8;;http://x\x1b\\link\x1b(B\x1b[2K\x1b[?25l")
'redlink\x1b[2K'
>>> escapes.removed
4

A string (OSC, DCS ...) that is not ended within `LONGEST` characters hides nothing: its introducer
goes, its text stays. So does one that runs into the end of its line, but for DCS.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, compile_pattern
from overspill.clean.decode import BARE

if TYPE_CHECKING:
    import re

LONGEST = 1 << 20

_PARAMETERS = r"[0-?]{0,256}+[ -/]{0,16}+"
_LINE = rf"[^\n\r\x07\x1b\x80-\x9f]{{0,{LONGEST}}}+"
_LINES = rf"[^\x1b\x80-\x9f]{{0,{LONGEST}}}+"

# What the screen acts on: cursor, erase, save and restore, the alternate screen.
ACTIVE = r"\[(?:[0-9;]{0,32}+[@A-HJKPX`adefsu]|\?(?:1049|1047|47)[hl])|[78cDEM]"

_INERT = compile_pattern(
    r"\x1b(?:\[[0-9;:]{0,256}m"
    rf"|(?!{ACTIVE})(?:"
    rf"\[{_PARAMETERS}[@-~]?"
    rf"|[\]X^_]{_LINE}(?:\x07|\x1b\\|\x9c)"
    # tmux wraps the sequences of others; what it wraps is met again, one by one.
    r"|Ptmux;"
    rf"|P{_LINES}(?:\x1b\\|\x9c)"
    r"|[ -/]{1,16}+[0-~]?"
    r"|[0-~]?))"
)

# The 8-bit introducers with all that must follow. What is not followed so may well be a letter that
# was decoded wrongly, and stays.
_EIGHT_BIT = compile_pattern(rf"(?:\x9b(?={_PARAMETERS}[@-~])|[\x90\x98\x9d\x9e\x9f](?={_LINE}(?:\x07|\x1b\\|\x9c)))")
_SEVEN_BIT = {"\x9b": "\x1b[", "\x90": "\x1bP", "\x98": "\x1bX", "\x9d": "\x1b]", "\x9e": "\x1b^", "\x9f": "\x1b_"}

_STRINGS = ("]", "X", "^", "_")
_OPENERS = "\x1b\x90\x98\x9b\x9d\x9e\x9f"

_UNFINISHED = compile_pattern(
    rf"(?:\x1b\[|\x9b){_PARAMETERS}\Z"
    rf"|(?:\x1b[\]X^_]|[\x90\x98\x9d\x9e\x9f]){_LINE}\x1b?\Z"
    rf"|\x1bP{_LINES}\x1b?\Z"
    r"|\x1b[ -/]{0,16}+\Z"
)

# Without one of these a string that is open stays open.
_ENDS_LINE_STRING = compile_pattern(r"[\n\r\x07\x1b\x80-\x9f]")
_ENDS_DEVICE_STRING = compile_pattern(r"[\x1b\x80-\x9f]")


class Escapes:
    """Takes sequences out of a stream; one that a chunk border cuts waits for its other half."""

    def __init__(self) -> None:
        self.removed = 0
        self._held: list[str] = []
        self._held_length = 0
        self._held_until: re.Pattern[str] | None = None

    def feed(self, text: str, *, eight_bit: bool = True) -> str:
        """`text` without what is inert, with what moves or erases.

        A caller who knows that `text` is without U+0080 to U+009F says so, and saves a search.
        """
        if self._held:
            if self._goes_on(text):
                self._hold(text)
                return ""
            text = self._let_go() + text
        elif not (eight_bit and not text.isascii()) and "\x1b" not in text and not any(c in text for c in BARE):
            return text
        ready = _settled_end(text)
        if ready < len(text):
            self._hold(text[ready:])
            self._held_until = _end_of_string(text[ready:])
        return self._without_inert(text[:ready])

    def flush(self) -> str:
        """What was waiting, as text, without its introducer."""
        return self._without_inert(self._let_go())

    def _goes_on(self, text: str) -> bool:
        within = self._held_length + len(text) < LONGEST
        return within and self._held_until is not None and not self._held_until.search(text)

    def _hold(self, text: str) -> None:
        self._held.append(text)
        self._held_length += len(text)

    def _let_go(self) -> str:
        text = "".join(self._held)
        self._held.clear()
        self._held_length = 0
        return text

    def _without_inert(self, text: str) -> str:
        if not text.isascii():
            text = _EIGHT_BIT.sub(lambda match: _SEVEN_BIT[match[0]], text)
        text, removed = _INERT.subn("", text)
        self.removed += removed
        for mark in BARE:
            if mark in text:
                self.removed += text.count(mark)
                text = text.replace(mark, "")
        return text


def _settled_end(text: str) -> int:
    """Up to where `text` can be told: a sequence begins there whose end is still to come."""
    last = _last_opener(text, len(text))
    if last < 0:
        return len(text)
    if last == len(text) - 1:
        # This may be the first half of the ST that ends a string.
        before = _last_opener(text, last)
        if before >= 0 and _UNFINISHED.match(text, before):
            return before
    return last if _UNFINISHED.match(text, last) else len(text)


def _last_opener(text: str, end: int) -> int:
    if text.isascii():
        return text.rfind("\x1b", 0, end)
    return max(text.rfind(opener, 0, end) for opener in _OPENERS)


def _end_of_string(held: str) -> re.Pattern[str] | None:
    """What to wait for when `held` is the beginning of a string; other sequences are short."""
    if held[-1] == "\x1b":
        return None
    if held.startswith("\x1bP"):
        return _ENDS_DEVICE_STRING
    return _ENDS_LINE_STRING if held[0] in "\x90\x98\x9d\x9e\x9f" or held[1:2] in _STRINGS else None
