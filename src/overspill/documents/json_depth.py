"""Whether JSON is nested too deeply, exactly and at the speed of native searches.

Brackets inside strings are no levels. Piece by piece, escapes are dropped, then everything but
quotes and brackets, then the strings; what is left is mostly short enough to be counted by hand.
"""

import re
from itertools import accumulate

MOST_LEVELS = 900
PIECE = 1 << 20

_DROPPED = bytes(byte for byte in range(256) if byte not in b'[]{}"')
_STRING = re.compile(rb'"[^"]*"')
_STEP = bytes(1 if byte in b"[{" else 0 for byte in range(256))
_ROUNDS = 8


def levels_exceed(buffer: memoryview, most: int) -> bool:
    """Whether valid JSON has more than `most` levels of arrays and objects.

    >>> levels_exceed(memoryview(b'[["]"]]'), 2), levels_exceed(memoryview(b'[["["]]'), 1)
    (False, True)
    """
    if len(buffer) <= 2 * most:  # each level takes two brackets
        return False
    level, in_string, carried = 0, False, b""
    for start in range(0, len(buffer), PIECE):
        piece = carried + bytes(buffer[start : start + PIECE])
        carried = b""
        if b"\\" in piece:
            piece, carried = _without_escapes(piece)
        marks = piece.translate(None, _DROPPED)
        if in_string:
            marks = b'"' + marks
        brackets, in_string = _without_strings(marks)
        level, exceeded = _climbed(brackets, level, most)
        if exceeded:
            return True
    return False


def _without_escapes(piece: bytes) -> tuple[bytes, bytes]:
    """The piece without escaped characters that matter here, and a backslash at its end that escapes what follows."""
    piece = piece.replace(b"\\\\", b"").replace(b'\\"', b"")
    return (piece[:-1], b"\\") if piece.endswith(b"\\") else (piece, b"")


def _without_strings(marks: bytes) -> tuple[bytes, bool]:
    """The brackets outside strings, and whether the marks end inside one."""
    if b'"' not in marks:
        return marks, False
    in_string = marks.count(b'"') % 2 == 1
    # Strings without brackets are the rule, and a native search takes them out. Two that touch may
    # lose their inner quotes and become one, which is taken out whole below.
    marks = marks.replace(b'""', b"")
    if in_string:
        marks += b'"'
    return _STRING.sub(b"", marks), in_string


def _climbed(brackets: bytes, level: int, most: int) -> tuple[int, bool]:
    """The level after these brackets, and whether it was too high somewhere."""
    opened = brackets.count(b"[") + brackets.count(b"{")
    after = level + 2 * opened - len(brackets)
    if level + opened <= most:
        return after, False
    shorter = brackets
    for _ in range(_ROUNDS):
        shorter = shorter.replace(b"[]", b"").replace(b"{}", b"")
    # A round takes off pairs with nothing inside, two levels at the most: `[{}]` loses both at once.
    if _highest(shorter, level) + 2 * _ROUNDS <= most:
        return after, False
    return after, _highest(brackets, level) > most


def _highest(brackets: bytes, level: int) -> int:
    steps = (2 * step - 1 for step in brackets.translate(_STEP))
    return max(accumulate(steps, initial=level))
