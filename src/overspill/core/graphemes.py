r"""Where a text may be cut without harm: never inside a CRLF or a grapheme cluster.

What a reader sees as one character may be many code points: a letter with its accents, a flag, a
family joined by ZWJ. A cluster longer than 64 code points is not one any reader sees, and may be split.

>>> floor("ab\r\ncd", 3), ceil("ab\r\ncd", 3)
(2, 4)
"""

CLUSTER_REACH = 64
FARTHEST = 4096

FIRST_FLAG, LAST_FLAG = "\U0001f1e6", "\U0001f1ff"


def floor(text: str, at: int) -> int:
    """The last place up to `at` where the text may be cut."""
    start, _ = cluster(text, at)
    return start if at - start <= CLUSTER_REACH else at


def ceil(text: str, at: int) -> int:
    """The first place from `at` on where the text may be cut."""
    _, end = cluster(text, at)
    return end if end - at <= CLUSTER_REACH else at


def cluster(text: str, at: int) -> tuple[int, int]:
    """The cluster that a cut at `at` would split; `(at, at)` when it splits none."""
    if at <= 0 or at >= len(text):
        return at, at
    before, after = text[at - 1], text[at]
    if before.isascii() and after.isascii():
        return (at - 1, at + 1) if before == "\r" and after == "\n" else (at, at)
    return _wide_cluster(text, at)


def _wide_cluster(text: str, at: int) -> tuple[int, int]:
    import regex  # as costly to import as a second interpreter start, and mostly not needed

    start = _known_start(text, at)
    # A slice, because the pattern looks back as far as it can, at each match.
    for match in regex.finditer(r"\X", text[start : at + CLUSTER_REACH + 2]):
        first, last = start + match.start(), start + match.end()
        if last == at:
            return at, at
        if last > at:
            return first, last
    return at, at


def _known_start(text: str, at: int) -> int:
    """A place before `at` where a cluster certainly begins: the rules look back, but not past these."""
    import unicodedata

    start = max(0, at - CLUSTER_REACH)
    stop = max(0, at - FARTHEST)
    while start > stop and unicodedata.category(text[start])[0] in "MC":
        start -= 1
    if not FIRST_FLAG <= text[start] <= LAST_FLAG:
        return start
    # Two letters make a flag, so it is the distance from the first letter of the run that counts.
    import regex

    before = regex.search(f"(?r)[^{FIRST_FLAG}-{LAST_FLAG}]", text, endpos=start)
    return start - (start - (before.end() if before else 0)) % 2
