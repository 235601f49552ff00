r"""Private keys that fill several lines: where such a block begins, and which lines belong to it.

On one line, with `\n` written out, a key is an ordinary find. Over several lines it is read line by
line: key material, headers and blank lines belong to it, the END line closes it, and a line that
can be none of these ends a block that was cut off.
"""

import re

BEGIN = re.compile(
    r"-{4,5} ?BEGIN[ A-Z0-9]{0,40} PRIVATE KEY(?: BLOCK)? ?-{4,5}|(?<![A-Za-z0-9])Private-Lines: [0-9]{1,4}"
)
# The same, but no BEGIN that another dashed line follows: nothing begins there.
HOPEFUL = re.compile(
    r"-{4,5} ?BEGIN[ A-Z0-9]{0,40} PRIVATE KEY(?: BLOCK)? ?-{4,5}+(?!\r?\n-----)"
    r"|(?<![A-Za-z0-9])Private-Lines: [0-9]{1,4}"
)
END = re.compile(r"-{4,5} ?END[ A-Z0-9]{0,40} PRIVATE KEY(?: BLOCK)? ?-{4,5}")
# The rest of the first line, when the key goes on below: nothing, or the seam of a string in code.
_SEAM = re.compile(r"""[\s"'`+\\,;nr|&]{0,24}$""")
_ONE_LINE = re.compile(
    r"(?:[ \t]|\\{1,4}[nrt])*+[A-Za-z0-9+/=]{16}(?:[A-Za-z0-9+/=:.,()-]|\\{1,4}[nrt/]|[ \t](?=[A-Za-z0-9+/=(-]))*+"
)
_HEADED = re.compile(r"(?:[ \t]|\\{1,4}[nrt])*+(?:[A-Z][A-Za-z-]{2,20}:[ ][^\\\n\"']{0,120}(?:\\{1,4}[nr])*+){1,6}")
_MATERIAL = re.compile(
    r"""(?:[^\n]{0,80}?[\s|>:+*#"'`(-])?([A-Za-z0-9+/]{20,}={0,2})(?:\\{1,4}[nr]|["'`,;+\\)\s]){0,12}$"""
)
_SHORT = re.compile(
    r"""[\s|>:+*#"'`(-]{0,40}([A-Za-z0-9+/]{1,76}={0,2}|=[A-Za-z0-9+/]{4})(?:\\{1,4}[nr]|["'`,;+\\)\s]){0,12}$"""
)
_HEADER = re.compile(
    r"""[\s|>:+*#"'`-]{0,40}(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID|Subject|x-[\w-]{1,30})[ ]?:"""
)
_BLANK = re.compile(r"""[ \t]*+[-+>|#*]?[ \t]*+(?:\\n)?["'`,;]{0,4}\r?$""")
# What goes on without an end in sight, and the two sides of a place in an address (the left read backwards).
TOKEN_RUN = re.compile(r"[A-Za-z0-9_.~+/=%:$!*-]*+")
LINE_REST = re.compile(r"[^\r\n]*+")
_OPENED = re.compile(r"[^\s/?#@\"'<>]{0,300}//:")
_CLOSED = re.compile(r"[^\s/?#@\"'<>]{0,300}@")
LONGEST_LINE = 4096
SEAM = 64


def one_line_key_end(text: str, at: int, stop: int) -> int:
    """Where a key written on one line ends, or -1 if none follows the BEGIN that ends at `at`."""
    if text[at : at + 1] in {"\n", "\r", "-", '"', "'", ""}:
        return -1
    headed = _HEADED.match(text, at, stop)
    body = _ONE_LINE.match(text, headed.end() if headed else at, stop)
    if body is None:
        return -1
    end = END.search(text, max(at, body.end() - 80), min(stop, body.end() + 80))
    return end.end() if end else body.end()


def goes_on_below(rest: str) -> bool:
    """Whether the rest of a BEGIN line leaves room for a key on the lines after it."""
    return _SEAM.match(rest) is not None


class KeyBlock:
    """A block that has begun. `takes` says of each next line whether it belongs to it."""

    def __init__(self) -> None:
        self.lines = 0
        self.closing = False

    def takes(self, line: str) -> bool:
        """Whether `line`, without its end, is part of the key; END lines are for the caller."""
        if self.closing:
            return bool(_BLANK.match(line) or (_SHORT.match(line) and "=" in line))
        if _BLANK.match(line) or _HEADER.match(line):
            return True
        if _MATERIAL.match(line):
            self.lines += 1
            return True
        if self.lines and _SHORT.match(line):
            self.closing = True
            return True
        return False


def is_key_line(line: str) -> bool:
    """Whether a line is surely inside a key: material, or a header that only stands there."""
    if line.startswith("-----"):
        return False
    return bool(_MATERIAL.match(line) or _HEADER.match(line))


def in_userinfo(text: str, start: int, end: int) -> bool:
    """Whether a place lies between `://` and `@`, where brackets would break the address."""
    if not _CLOSED.match(text, end, end + 301):
        return False
    return _OPENED.match(text[max(0, start - 303) : start][::-1]) is not None
