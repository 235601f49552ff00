"""The headings and the terms of a printed document, read again: by the words of `docs/smart.md`, not by its code."""

import re
from collections import Counter
from collections.abc import Mapping
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


def read_outline(lines: list[str], marked: Mapping[int, str] | None = None) -> tuple["Counter[str]", set[str]]:
    """How often each heading is there, and the terms; or those that are `marked`, by the numbers of their lines."""
    wide = [line.expandtabs(8) for line in lines] + [""]
    depths = [len(INDENT.match(line)[1]) if line.strip() else -1 for line in wide]  # type: ignore[index]
    usual = Counter(depth for line, depth in zip(wide, depths, strict=True) if len(line.strip()) >= 50)
    body = min((depth for depth in usual if usual[depth] == max(usual.values())), default=0)
    centred = _centred(wide, depths, body) if marked is None else set()
    headings: Counter[str] = Counter()
    terms: set[str] = set()
    tabled = _tabled_options(wide)
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
        titled = first and _is_title(words) and left and not hangs and _ends(words, wide[at + 1], further=further)
        titled = titled or at in centred
        if titled if marked is None else at in marked:
            headings[" ".join(words.split()) if marked is None else marked[at]] += 1
            last = at
        elif at in tabled:
            terms |= set(tabled[at].split(", "))
        elif (first or depths[at - 1] > depth or last == at - 1 or _options(wide[at - 1], line)) and depth <= body + 8:
            if _options(line, wide[at + 1]):
                terms.add(words)
            elif depths[at + 1] >= depth + 2:
                terms |= set(_names(words, wide[at + 1].strip(), depths[at + 1] - depth))
    return headings, terms


def _centred(lines: list[str], depths: list[int], body: int) -> set[int]:
    """Titles far to the right, between blank lines, three of which have one middle."""
    middles: dict[int, int] = {}
    for at, words in enumerate(map(str.strip, lines[:-1])):
        alone = at > 0 and not lines[at - 1].strip() and not lines[at + 1].strip()
        if words and alone and depths[at] > body + 8 and _is_title(words):
            middles[at] = depths[at] + len(words) // 2
    usual = Counter(middles.values()).most_common(1)
    found = {at for at, middle in middles.items() if abs(middle - usual[0][0]) < 2}
    return found if len(found) > 2 else set()


def read_ruled(lines: list[str]) -> dict[int, str]:
    """The headings of a page whose sections have rules between them: `#` lines, and the first line below each rule."""
    rule = re.compile(r"(?:([-*_])\1\1+|(?:\* ){2,}\*|(?:- ){2,}-)\s*$")
    found, below = dict[int, str](), 0
    waiting = False
    for at, line in enumerate(lines):
        if title := re.match(r"#{1,6} +(\S.*?)\s*#*$", line):
            found[at], waiting = title[1], False
        elif rule.match(line):
            waiting = at == 0 or not lines[at - 1].strip()
        elif line.strip():
            if waiting:
                found[at] = " ".join(line.split())
                below += 1
            waiting = False
    return found if below >= 8 else {}


def read_titled(lines: list[str], printed: tuple["Counter[str]", set[str]]) -> tuple["Counter[str]", set[str]]:
    """The headings of a page that was made Markdown: behind `#`, in no fence, beside a blank line; and printed ones."""
    every, fence = Counter(printed[0]), ""
    for at, line in enumerate(lines):
        rail = re.match(r" {0,3}(```+|~~~+)([^`]*)$", line)
        if rail:
            closes = fence and rail[1].startswith(fence) and not rail[2].strip()
            fence = "" if closes else fence or rail[1]
            continue
        beside = [*lines[max(0, at - 1) : at], *lines[at + 1 : at + 2]]
        alone = not all(map(str.strip, beside)) or at in {0, len(lines) - 1}
        remark = any(re.match(r"#(?!#{0,5} +\S)", one) for one in beside)
        if not fence and alone and not remark and (title := re.match(r"#{1,6} +(\S.*?)\s*#*$", line.rstrip())):
            every[title[1]] += 1
    return every, printed[1]


def _options(line: str, below: str) -> bool:
    """Whether two lines are names of one option."""
    one, other = (re.fullmatch(r"\f*( *)(-\S(?:\S| (?! )){0,46}) *", part) for part in (line, below))
    return one is not None and other is not None and len(one[1]) == len(other[1])


def _tabled_options(lines: list[str]) -> dict[int, str]:
    """Options with what they do beside them, three of which have it in one column, by the numbers of their lines."""
    found: dict[tuple[int, int], dict[int, str]] = {}
    for at, line in enumerate(lines):
        if row := re.match(r"\f*(( *)(-[\w?@#-](?:\S| (?! )){0,46})  +)\S", line):
            found.setdefault((len(row[2]), len(row[1])), {})[at] = row[3]
    return {at: names for some in found.values() if len(some) > 2 for at, names in some.items()}


SIGNS = "=*~^+:!>%&$.-"
BEFORE_WORDS = "@\\.=:%!'"


def read_marked(lines: list[str]) -> dict[int, str]:
    """The headings that are told by their marks, by the numbers of their lines."""
    groups: dict[str, list[tuple[int, str, bool]]] = {}
    before_blank = True
    for at, line in enumerate(lines):
        mark, title, apart = _marked(line)
        if title:
            groups.setdefault(mark, []).append((at, title, before_blank or apart))
        before_blank = not line.strip() or (mark[1:2].isalpha() and bool(mark))
    found: dict[int, str] = {}
    for mark, some in groups.items():
        if mark[-1].isalpha() and _speaks_to_one([title for _, title, _ in some]):
            continue
        places = [at for at, *_ in some] + [len(lines)]
        titles = [title for _, title, _ in some]
        far = sum(places[at + 1] - places[at] >= 3 for at in range(len(some)))
        fine = sum(len(title) <= 80 and re.search(r"[^\W\d_].*(?<![{;,])$", title) is not None for title in titles)
        if (
            len(some) >= 3
            and len(set(titles)) >= 0.7 * len(some)
            and fine >= 0.9 * len(some)
            and sum(apart for *_, apart in some) >= 0.6 * len(some)
            and 2 * far >= len(some)
            and places[-2] - places[0] >= 0.3 * len(lines)
            and len(lines) - places[0] >= 6 * len(some)
        ):
            found.update((at, title) for at, title, _ in some)
    return found


def _speaks_to_one(titles: list[str]) -> bool:
    """A dozen remarks, nine in ten of which begin with the same word, with no number behind it."""
    parts = [title.split(" ", 1) for title in titles if " " in title]
    often = Counter(first for first, _ in parts).most_common(1)
    counted = sum(rest[0].isdigit() for _, rest in parts)
    return len(titles) >= 12 and bool(often) and often[0][1] >= 0.9 * len(titles) and 2 * counted < len(titles)


def _marked(line: str) -> tuple[str, str, bool]:
    """What a line begins with, its title, and whether the line itself sets that apart."""
    sign = line[:1]
    run = len(line) - len(line.lstrip(sign)) if sign and sign in SIGNS else 0
    if run and line[run : run + 1] == " " and line[run:].strip():
        if re.match(r"[-=*+>\u2022] \S+  +\S", line):  # a term, with what explains it
            return sign, "", False
        words = " ".join(line[run:].split())
        closed = words.endswith(" " + sign * run)
        return sign, words[: -run - 1] if closed else _bare(words), closed
    found = re.match(r"[A-Za-z]\w*\*?(?=[ {])", line[1:]) if sign and sign in BEFORE_WORDS else None
    if found is None:
        return "", "", False
    return sign + found[0], _bare(" ".join(line[1 + found.end() :].split())), True


def _bare(words: str) -> str:
    if words.startswith("{"):
        inside = words[1:-1]
        if "}" not in words:
            return words[1:].rstrip("% ")
        return inside if words.endswith("}") and "}" not in inside.replace("{}", "") else ""
    quoted = re.fullmatch(r'"([^"]+)"(?: \d+)?', words)
    return quoted[1] if quoted else words


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
    if item := re.match(r"([-=*+>\u2022] \S+)  +\S", words):
        return [item[1]] if len(item[1]) <= 48 else []
    beside = words[column:]
    if beside and words[column - 1] == " " != beside[0]:
        tag = words[:column]
        if "  " in tag.rstrip() or not (tag.endswith("  ") or tag[0] in NAMED):
            return []
        words = words if beside[0] in NAMED else tag.rstrip()
    if words[0] in NAMED and not words[1:].startswith(" "):
        return [name.rstrip(",") for name in words.split(", ") if len(name) <= 48]
    if len(words) > 48 or len(words.split()) > 4 or re.search(r"[.:;,({\\]$|  ", words):
        return []
    if not re.search(r"[^\W\d_]", words) or re.match(r"[-*+o•·] |[\d.()]+ ?|[A-Za-z][.)]", words):
        return []
    small = words.islower() and words.replace(" ", "").isalpha()
    return [] if small and not below[0].isupper() else [words]
