r"""Is there anything to clean at all? Answered at the speed of memory, for mostly there is not."""

import re

BARE = "\a\x0e\x0f"  # bell and the two shifts: one character, nothing to see
BYTE_ORDER_MARK = "\ufeff"

_ASCII = bytes(range(128))

# In UTF-8, where on bytes without ASCII they are found far the quickest: the 8-bit controls, and the
# characters that hide or reorder text.
_CONTROLS = rb"\xc2[\x80-\x9f]"
_HIDDEN = rb"\xc2[\x90\x98\x9b\x9d-\x9f]|\xe2(?:\x80[\xaa-\xae]|\x81[\xa6-\xa9])|\xf3\xa0[\x80\x81]"


def is_clean(text: str, *, terminal: bool) -> bool:
    """Whether `text` has no NUL and no lone surrogate and, on a terminal, is shown as it is."""
    if "\0" in text or (terminal and (any(mark in text for mark in BARE) or not undisturbed(text))):
        return False
    if text.isascii():
        return True
    try:
        beyond = beyond_ascii(text)
    except UnicodeEncodeError:
        return False
    return not terminal or not (text.startswith(BYTE_ORDER_MARK) or has_controls(beyond) or has_hidden(beyond))


def is_quiet(text: str) -> bool:
    """Whether a piece of a text, whatever stands around it, has nothing for a terminal to do."""
    return text.isascii() and "\r" not in text and is_clean(text, terminal=True)


def undisturbed(text: str) -> bool:
    """Whether `text` only ever goes on: its carriage returns are all parts of line ends."""
    if "\b" in text or "\x1b" in text:
        return False
    if "\r" not in text:
        return True
    lone = text.count("\r") - text.count("\r\n")
    return not lone or lone == text.count("\r\r\n")


def beyond_ascii(text: str) -> bytes:
    """The UTF-8 of `text` without ASCII, which is what a search for rare characters has to look at."""
    return b"" if text.isascii() else text.encode().translate(None, _ASCII)


def has_controls(beyond: bytes) -> bool:
    """Whether there is one of U+0080 to U+009F."""
    return bool(beyond) and re.search(_CONTROLS, beyond) is not None


def has_hidden(beyond: bytes) -> bool:
    """Whether there is a character that hides or reorders text."""
    return bool(beyond) and re.search(_HIDDEN, beyond) is not None
