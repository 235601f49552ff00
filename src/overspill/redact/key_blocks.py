r"""Private keys: how one begins and ends, and which lines belong to it.

A private key on one line, with `\n` written out, is an ordinary find. Over several lines it is read line by
line: key material, headers and blank lines belong to it, the END line closes it, and any other line ends a
block that was cut off.
"""

from __future__ import annotations

from overspill._lite import compile_pattern

# `-----BEGIN` in base64, but not that of a certificate or of a public key.
_ENCODED = r"(?<![A-Za-z0-9+/])LS0tLS1CRUdJTi(?!BDRVJU|BQVUJM)[A-Za-z0-9+/]{20,65000}+={0,2}"
# How the first line of a key begins, by its format: told where the BEGIN line was cut off.
_FIRST_LINE = (
    r"(?<![A-Za-z0-9+/])(?<!==)(?:MII[A-Z][A-Za-z0-9+/]{2}IBA(?:AKC|DAN)|MH[cQ]CAQEE|MI[GH][A-Za-z0-9+/]{1,2}AgEAM|MC[4-9]CAQAw"
    r"|MII[A-Z][A-Za-z0-9+/]{2}BOBgkqhkiG9w0BBQ|MII[A-Z][A-Za-z0-9+/]{2}IBAzCC|/u3\+7QAAAA[EI]|zs7OzgAAAA[EI]|RWRTY0Iy"
    r"|b3BlbnNzaC1rZXktdjE)[A-Za-z0-9+/]{24,65000}+={0,2}(?=\\n|\s|\Z|[\"'])"
)
_SORTS = r"[ A-Z0-9]{0,40} (?:(?:PRIVATE|SECRET) KEY(?: BLOCK)?|SEED)"
_KEY_LINES = (
    rf"-{{4,5}} ?BEGIN{_SORTS} ?-{{4,5}}+|-{{5}}BEGIN OpenVPN Static key V1-{{5}}"
    r"|(?<!\w)BORG_KEY [0-9a-f]{64}(?=\r?\n)"
)
# Parts of a key, each written as rows of bytes below its name.
_PARTS = r"(?<!\w)(?:privateExponent|prime[12]|exponent[12]|coefficient|priv):(?=[ \t]{0,4}\r?\n)"
_ROW_OF_BYTES = compile_pattern(r"[ \t]{1,24}(?:[0-9a-f]{2}:){1,31}(?:[0-9a-f]{2})?[ \t]{0,4}\r?$")
BEGIN = compile_pattern(
    rf"{_KEY_LINES}|{_PARTS}|(?<![A-Za-z0-9])Private-Lines: [0-9]{{1,4}}"
    rf"|(?P<encoded>{_ENCODED})|(?P<first>{_FIRST_LINE})"
)
# The same, but no BEGIN that another dashed line follows, and no part without bytes: nothing begins there.
HOPEFUL_BLOCK = compile_pattern(
    rf"(?:{_KEY_LINES})(?!\r?\n-----)|{_PARTS}(?=[ \t]{{0,4}}\r?\n[ \t]{{0,24}}(?:[0-9a-f]{{0,2}}\Z|[0-9a-f]{{2}}:))"
    rf"|(?<![A-Za-z0-9])Private-Lines: [0-9]{{1,4}}|{_ENCODED}|{_FIRST_LINE}"
)
END = compile_pattern(rf"-{{4,6}} ?END{_SORTS} ?-{{4,6}}|-{{5}}END OpenVPN Static key V1-{{5}}")
# The rest of the first line, when the key goes on below: nothing, or the seam of a string in code.
_SEAM = compile_pattern(r"""[\s"'`+\\,;nr|&]{0,24}$""")
_ONE_LINE = compile_pattern(
    r"(?:[ \t]|\\{1,4}[nrt])*+[A-Za-z0-9+/=]{16}(?:[A-Za-z0-9+/=:.,()-]|\\{1,4}[nrt/]|[ \t](?=[A-Za-z0-9+/=(-]))*+"
)
_HEADED = compile_pattern(
    r"(?:[ \t]|\\{1,4}[nrt])*+(?:[A-Z][A-Za-z-]{2,20}:[ ][^\\\n\"']{0,120}(?:\\{1,4}[nr])*+){1,6}"
)
_MATERIAL = compile_pattern(
    r"""(?:[^\n]{0,80}?[\s|>:+*#"'`(-])?([A-Za-z0-9+/]{20,}={0,2})(?:\\{1,4}[nr]|["'`,;+\\)\s]){0,12}$"""
)
_SHORT = compile_pattern(
    r"""[\s|>:+*#"'`(-]{0,40}([A-Za-z0-9+/]{1,76}={0,2}|=[A-Za-z0-9+/]{4})(?:\\{1,4}[nr]|["'`,;+\\)\s]){0,12}$"""
)
_HEADER = compile_pattern(
    r"""[\s|>:+*#"'`-]{0,40}(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID|Subject|x-[\w-]{1,30})[ ]?:"""
)
# What a pager, or who left something out, writes between two lines.
_PAGER = compile_pattern(
    r"(?:--More--.{0,20}|:|\(END\)|lines [0-9]+-[0-9]+.{0,40}|[\[(]?(?:\.{3}|\u2026)[^\n]{0,40}|~)\s*$"
)
_BLANK = compile_pattern(r"""[ \t]*+[-+>|#*]?[ \t]*+(?:\\n)?["'`,;]{0,4}\r?$""")
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


def key_below(text: str, after: int, *, final: bool) -> tuple[int, int] | None:
    """Where the lines below a BEGIN start, and where the first of the key ends; zeros if none is, None if not here."""
    newline = text.find("\n", after, after + SEAM)
    if newline < 0 or not _SEAM.match(text[after:newline]):
        return 0, 0
    first = newline + 1
    line = key_line(text, first, final=final)
    while line is not None and _BLANK.match(line) and first - newline < SEAM:
        first += len(line) + 1
        line = key_line(text, first, final=final) if first < len(text) or not final else ""
    if line is None:
        return None
    return (newline + 1, first + len(line)) if is_key_line(line) else (0, 0)


def key_line(text: str, start: int, *, final: bool) -> str | None:
    """The line that starts there, or as much of it as a key line could be; None if it is not all here."""
    end = text.find("\n", start, start + LONGEST_LINE)
    if end < 0 and len(text) - start < LONGEST_LINE and not final:
        return None
    return text[start : end if end >= 0 else start + LONGEST_LINE]


class KeyBlock:
    """A block that has begun. `takes` says of each next line whether it belongs to it."""

    def __init__(self) -> None:
        self.lines = 0
        self.closing = False

    def takes(self, line: str) -> bool:
        """Whether `line`, without its end, is part of the key; END lines are for the caller."""
        if self.closing:
            return bool(_BLANK.match(line) or (_SHORT.match(line) and "=" in line))
        if _BLANK.match(line) or _HEADER.match(line) or (self.lines and _PAGER.match(line)):
            return True
        if _MATERIAL.match(line) or _ROW_OF_BYTES.match(line):
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
    return bool(_MATERIAL.match(line) or _HEADER.match(line) or _ROW_OF_BYTES.match(line))


def may_be_below(line: str) -> bool:
    """Whether a line may belong to a name or a BEGIN above it that nobody has read."""
    return line[0] in " \t" or bool(_MATERIAL.match(line) or _SHORT.match(line) or _HEADER.match(line))
