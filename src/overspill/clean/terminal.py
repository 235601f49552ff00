r"""The stages of the level `terminal`, one after the other: sequences, hidden characters, line ends, the screen.

Sequences that move or erase are kept for the screen, all others leave no byte: CSI with private and colon parameters,
OSC ended by BEL or ST, DCS, APC, PM, SOS, character sets, two-character escapes, and the 8-bit forms U+0080 to U+009F
where they introduce a sequence.

>>> escapes = Escapes()
>>> escapes.feed("\x1b[38:2:1:2:3mred\x1b]8;;http://x\x1b\\link\x1b(B\x1b[2K\x1b[?25l")
'redlink\x1b[2K'
>>> escapes.removed
4

A string (OSC, DCS ...) that is not ended within `LONGEST` characters hides nothing: its introducer
goes, its text stays. So does one that runs into the end of its line, but for DCS.

Characters that hide or reorder text are made visible. Bidirectional overrides and isolates make a line read
otherwise than it runs; tag characters carry text nobody sees. Both are spelled out, and so is an 8-bit
introducer with no terminal sequence after it, lest it finds something to introduce. The tags inside the flags of
England, Scotland and Wales are part of an emoji, and stay.

>>> reveal_hidden("safe\u202e evil")
('safe<U+202E> evil', 1)

Line ends that only some readers take for one, and what makes a terminal answer, are spelled out as well. Characters
without any width are taken out and counted, unless they hold an emoji, a letter of Arabic or India or an ideograph
together: there they are part of what is written.

>>> reveal_hidden("pass\u200bword \u2764\ufe0f")
('password \u2764\ufe0f', 1)

Carriage returns without a single line feed are lines of an old Mac file, or one line drawn over and over. Which
of the two is decided on the first `OPENING` characters, and then for good. A line feed, a backspace or a cursor
movement there means a terminal, and so does a text that begins with a carriage return. Otherwise it
is a redraw only if at least three of four neighbours are the same but for digits, bars and spinners,
and what is the same looks like progress: it has a percent sign, `3/7`, or letters without the commas,
semicolons and tabs of a table. In doubt the lines stay, for a redraw taken for lines costs room,
lines taken for redraws are lost.

>>> lines_end_in_cr("name\rsize\rowner\r"), lines_end_in_cr("get  1%\rget 10%\rget 100%\r")
(True, False)
"""

from __future__ import annotations

from itertools import pairwise

from overspill._lite import TYPE_CHECKING, Protocol, compile_pattern
from overspill.clean.decode import BARE, BYTE_ORDER_MARK, RARE, beyond_ascii, has_controls, has_hidden
from overspill.clean.screen import ACTIVE, Screen, without_sequences

if TYPE_CHECKING:
    import re
    from collections.abc import Callable


LONGEST = 1 << 20

_PARAMETERS = r"[0-?]{0,256}+[ -/]{0,16}+"
_LINE = rf"[^\n\r\x07\x1b\x80-\x9f]{{0,{LONGEST}}}+"
_LINES = rf"[^\x1b\x80-\x9f]{{0,{LONGEST}}}+"

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


TAGS_END = "\U000e007f"
BLACK_FLAG = "\U0001f3f4"


def _flag_sequence(region: str) -> str:
    return BLACK_FLAG + "".join(chr(0xE0000 + ord(letter)) for letter in region) + TAGS_END


_FLAGS = tuple(_flag_sequence(region) for region in ("gbeng", "gbsct", "gbwls"))
_LONGEST_FLAG = len(_FLAGS[0])

_HIDDEN = f"{RARE}\x85\x90\x98\x9b\x9d-\x9f\u2028-\u202e\u2066-\u2069\U000e0000-\U000e007f"
_EMOJI = "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
# After these a joiner, or a selector of forms, belongs to what is written.
_JOINED = f"{_EMOJI}\ufe0f\u20e3\U000e007f\u0600-\u1cff\ua800-\uabff\ufb50-\ufdff\ufe70-\ufefc"
_WITH_FORMS = (
    "\u1000-\u109f\u1820-\u18ff\u2200-\u22ff\u3000-\u9fff\ua840-\ua87f\uf900-\ufaff\uff01-\uff5e\U00020000-\U0003ffff"
)
_UNSEEN = (
    f"[\u00ad\u034f\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff]|(?<![{_JOINED}])[\u200c\u200d]"
    f"|(?<![{_EMOJI}])[\ufe0e\ufe0f](?!\u20e3)|(?<![{_WITH_FORMS}])[\ufe00-\ufe0d\U000e0100-\U000e01ef]"
)
_FLAG_OR_HIDDEN = compile_pattern(f"{'|'.join(_FLAGS)}|([{_HIDDEN}])|({_UNSEEN})")


def reveal_hidden(text: str, before: str = "") -> tuple[str, int]:
    """`text` with hidden characters spelled out or, where nobody can see them, taken out; and how many there were.

    `before` is the character that came before it.
    """
    found = 0
    pieces: list[str] = []
    text, at = before + text, len(before)
    for match in _FLAG_OR_HIDDEN.finditer(text, at):
        if match.lastindex:
            found += 1
            pieces += text[at : match.start()], f"<U+{ord(match[1]):04X}>" if match[1] else ""
            at = match.end()
    return "".join(pieces) + text[at:], found


_SELECTORS = ("\ufe0e", "\ufe0f")  # what comes after one says whether it belongs to a key cap


def settled_end(text: str) -> int:
    """Up to where `text` can be told; a flag that may still become one of the three begins there."""
    if text[-1:] in _SELECTORS:
        return len(text) - 1
    at = text.rfind(BLACK_FLAG, max(0, len(text) - _LONGEST_FLAG + 1))
    return at if at >= 0 and any(flag.startswith(text[at:]) for flag in _FLAGS) else len(text)


OPENING = 65_536

_NUMBERS = compile_pattern(r"\d+")
_BARS = compile_pattern(r"[\s#=\-<>.*\\|█▉▊▋▌▍▎▏▓▒░━─╸╺■□●○◐◓◑◒⠀-⣿…]+")
_PROGRESS = compile_pattern(r"%|(?<!/)\b0/0\b(?!/)")
_TABLE = compile_pattern(r"[,;\t]")
_ALIKE = 0.75


def decide_line_ends(text: str) -> bool | None:
    """Whether lines end in CR, as far as `text`, the beginning, can tell; None asks for more of it."""
    start = text[:OPENING]
    if any(mark in start for mark in "\n\b\x1b") or start.startswith("\r"):
        return False
    return lines_end_in_cr(start) if len(text) >= OPENING else None


def lines_end_in_cr(text: str) -> bool:
    """Whether the carriage returns of `text`, which has no line feed, are line ends."""
    if "\r" not in text:
        return False
    lines = [_skeleton(line) for line in text.rstrip("\r").split("\r")]
    pairs = len(lines) - 1
    alike = sum(one == other and _is_progress(one) for one, other in pairwise(lines))
    return not pairs or alike < pairs * _ALIKE


def _skeleton(line: str) -> str:
    """What stays the same from one drawing to the next. Tabs and separators are part of it."""
    return _BARS.sub(lambda bar: "\t" if "\t" in bar[0] else "", _NUMBERS.sub("0", line))


def _is_progress(skeleton: str) -> bool:
    if _PROGRESS.search(skeleton):
        return True
    return any(map(str.isalpha, skeleton)) and not _TABLE.search(skeleton)


_SLICE = 1 << 20


class SecretCover(Protocol):
    """Hides what must stay whole while a screen is drawn, and uncovers what did."""

    def put(self, text: str, *, final: bool = False) -> str: ...
    def restore(self, shown: str, *, final: bool = False) -> str: ...


class Terminal:
    """Text as it came in, what a terminal shows of it out."""

    def __init__(self, make_cover: Callable[[], SecretCover] | None = None) -> None:
        self.hidden = 0
        self._make_cover = make_cover
        self._cover: SecretCover | None = None  # from the first redraw on
        self.marks: int | None = None
        self._escapes = Escapes()
        self._screen = Screen()
        self._before = ""  # the last character that was looked at
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
        return "".join(self._feed_slice(text[at : at + _SLICE]) for at in range(0, len(text), _SLICE))

    def flush(self) -> str:
        rest = self._drawn(self._shown(self._escapes.flush(), final=True))
        if self._opening:
            self._ends_in_cr = lines_end_in_cr(self._opening)
            rest += self._opened()
        if self._cover is None:
            return rest + self._screen.flush()
        rest += self._cover.restore(self._screen.feed(self._cover.put("", final=True)))
        return rest + self._cover.restore(self._screen.flush(), final=True)

    def _feed_slice(self, text: str) -> str:
        if self.marks is None:
            self.marks = int(text.startswith(BYTE_ORDER_MARK))
            text = text[self.marks :]
        beyond = beyond_ascii(text)
        visible = self._escapes.feed(text, eight_bit=has_controls(beyond))
        quiet = visible is text and not self._flag and not any(mark in text for mark in RARE)
        if quiet and not has_hidden(beyond) and settled_end(text) == len(text):
            self._before = text[-1:] or self._before
            return self._drawn(text)
        return self._drawn(self._shown(visible))

    def _shown(self, text: str, *, final: bool = False) -> str:
        text, self._flag = self._flag + text, ""
        if not final:
            ready = settled_end(text)
            text, self._flag = text[:ready], text[ready:]
        before, self._before = self._before, text[-1:] or self._before
        if text.isascii() and not any(mark in text for mark in RARE):
            return text
        text, hidden = reveal_hidden(text, before)
        self.hidden += hidden
        return text

    def _drawn(self, text: str) -> str:
        if self._opening is not None:
            self._opening += text
            decision = decide_line_ends(self._opening)
            if decision is None:
                return ""
            self._ends_in_cr = decision
            return self._opened()
        if not self._ends_in_cr:
            return self._on_screen(text)
        text, sequences = without_sequences(text)
        self._sequences += sequences
        return text

    def _on_screen(self, text: str) -> str:
        """Draw with secrets covered: what is written over a part of one must not leave a rest that no rule knows."""
        if self._cover is None:
            if self._make_cover is None or self._screen.passes(text):
                return self._screen.feed(text)
            self._cover = self._make_cover()
            text = self._screen.take_back() + text
        return self._cover.restore(self._screen.feed(self._cover.put(text)))

    def _opened(self) -> str:
        text, self._opening = self._opening or "", None
        return self._drawn(text)
