"""The headings and the terms of a printed document, read again: by the words of `docs/smart.md`, not by its code."""

import re
from collections import Counter
from html.parser import HTMLParser

INDENT = re.compile(r"\f*( *)")
TITLE = re.compile(r"(?=[A-Z\d]|[^\W\d_a-z])(?!.*   )(?!.*: .*: )[^=;{}<>|$\\]{2,69}[^=;{}<>|$\\.,;:!?]$")
DRAWN = re.compile(r"([=~^*+#_.\u2500\u2550-])\1\1+$")
NAMED = "-\u2018'"


class _PageReader(HTMLParser):
    """The headings of a page, as a browser would show them."""

    def __init__(self) -> None:
        super().__init__()
        self.titles: list[str] = []
        self._open = ""

    def handle_starttag(self, tag: str, _attrs: list[tuple[str, str | None]]) -> None:
        if re.fullmatch("h[1-6]", tag):
            if self._open:  # which nobody closed
                self.titles.pop()
            self._open = tag
            self.titles.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._open:
            self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open:
            self.titles[-1] += data


def read_page(text: str) -> "Counter[str]":
    """How often each heading is there in a page of HTML; none of what is no page."""
    if not re.match(r"(?is)\s*(?:<!--.*?-->\s*)*<(?:!doctype html|html|head|body|div)\b", text):
        return Counter()
    reader = _PageReader()
    reader.feed(text)
    return Counter(title for one in reader.titles if (title := " ".join(one.split())))


def read_outline(lines: list[str]) -> tuple["Counter[str]", set[str]]:
    """How often each heading is there, and the terms."""
    wide = [line.expandtabs(8) for line in lines] + [""]
    depths = [len(INDENT.match(line)[1]) if line.strip() else -1 for line in wide]  # type: ignore[index]
    usual = Counter(depth for line, depth in zip(wide, depths, strict=True) if len(line.strip()) >= 50)
    body = min((depth for depth in usual if usual[depth] == max(usual.values())), default=0)
    headings: Counter[str] = Counter()
    terms: set[str] = set()
    last = -1
    for at, line in enumerate(wide[:-1]):
        words, depth = line.strip(), depths[at]
        if not words:
            continue
        first = at == 0 or not wide[at - 1].strip() or line.startswith("\f")
        further = bool(wide[at + 1].strip()) and depths[at + 1] > depth
        left = depth < body or depth == body == 0
        item = re.match(r"\d+[.)] +", words)
        hangs = item is not None and depths[at + 1] == depth + len(item[0])
        if first and _is_title(words) and left and not hangs and _ends(words, wide[at + 1], further=further):
            headings[" ".join(words.split())] += 1
            last = at
        elif (first or depths[at - 1] > depth or last == at - 1) and depth <= body + 8 and depths[at + 1] >= depth + 2:
            terms |= set(_names(words, wide[at + 1].strip(), depths[at + 1] - depth))
    return headings, terms


def _is_title(words: str) -> bool:
    letters = [sign for sign in words if sign.isalpha()]
    capital = words[0].isupper() or words[0].isdigit()
    enough = len(letters) >= 3 and len(letters) + words.count(" ") >= 0.6 * len(words)
    return capital and enough and TITLE.match(words) is not None


def _ends(words: str, below: str, *, further: bool) -> bool:
    under = below.strip()
    if not under or further or DRAWN.match(under):
        return True
    return len(words) <= 40 and len(under) >= 50 and not under[0].islower()


def _names(words: str, below: str, column: int) -> list[str]:
    """What a line defines that is explained further right, below it or beside it."""
    beside = words[column:]
    if beside and words[column - 1] == " " != beside[0]:
        tag = words[:column]
        if "  " in tag.rstrip() or not (tag.endswith("  ") or tag[0] in NAMED):
            return []
        words = words if beside[0] in NAMED else tag.rstrip()
    if words[0] in NAMED:
        return [name.rstrip(",") for name in words.split(", ") if len(name) <= 48]
    if len(words) > 48 or len(words.split()) > 4 or re.search(r"[.:;,({\\]$|  ", words):
        return []
    if not re.search(r"[^\W\d_]", words) or re.match(r"[-*+o•·] |[\d.()]+ ?|[A-Za-z][.)]", words):
        return []
    small = words.islower() and words.replace(" ", "").isalpha()
    return [] if small and not below[0].isupper() else [words]
