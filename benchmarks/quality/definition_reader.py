"""The names that stand behind or before the same words in lines that are indented alike, read again."""

import json
import re
from collections import Counter
from collections.abc import Iterator

from statements import Entry, NotATree, read_tree

ENDS_NAME = set("()[]{},;\"'=|<>")
ENDS_LISP_NAME = set("()[]{}\"';,")
OPENING = set("\"'(<[{*&")
BRACKETS = set("({[\"'")
KEYWORDS = ("function", "lambda", "func", "fn")
REPEATED = 3


def definition_fault(lines: list[str], side: str, sign: str, number: int, listed: str) -> str:
    """What is wrong with `231 names after "proc": a, b, +229`; nothing where lines of one indent have these names."""
    placed = re.match(r"L\d+ ", listed)
    try:
        entries = _placed(listed) if placed else [(name, 0) for name in _named(read_tree(listed))]
        tree = [] if placed else read_tree(listed)
    except (NotATree, ValueError) as why:
        return str(why)
    reason = "no lines begin so"
    for names, doubtful in _readings(lines, side, sign):
        odd = next((name for name, line in entries if name not in names or (line and line not in names[name])), None)
        every = [one for top in tree for one in top.walk() if one.inside]
        short = next((one for one in every if not _adds_up(one, names, doubtful)), None)
        known = len(entries) if placed else sum(one.total for one in tree)
        counted = len(names) - len(doubtful) <= number <= len(names)
        if odd is None and short is None and counted and known == number:
            return ""
        if counted:
            reason = f"{odd or (short.name if short else known)!r} is not so"
    return reason


def _placed(listed: str) -> list[tuple[str, int]]:
    """`L12 a, L40 b`, with what stands in quotes as it is meant."""
    found = [re.fullmatch(r"L(\d+) (.+)", one) for one in re.split(r", (?=L\d+ )", listed)]
    if None in found:
        raise ValueError("not every name has its line")
    return [(_plain(one[2]), int(one[1])) for one in found if one]


def _plain(name: str) -> str:
    return str(json.loads(name)) if name.startswith('"') and name.endswith('"') else name


def _named(tree: list[Entry]) -> list[str]:
    every = [one for top in tree for one in top.walk()]
    return [_whole(one) for one in every if one.inside is None and not one.more]


def _whole(one: Entry) -> str:
    """A name of several words is read as one with a remark."""
    last = one.detail or (str(one.count) if one.count is not None else "")
    return f"{one.name} {last}" if last else one.name


def _adds_up(part: Entry, names: dict[str, list[int]], doubtful: set[str]) -> bool:
    below = {name for name in names if name.startswith(part.name)}
    inside = sum(one.total if one.more or one.inside else 1 for one in part.inside or ())
    return len(below - doubtful) <= inside <= len(below)


def _readings(lines: list[str], side: str, sign: str) -> Iterator[tuple[dict[str, list[int]], set[str]]]:
    """The names in lines of each indent with those lines, and which of them may be words before other names."""
    levels: dict[int, list[tuple[int, str]]] = {}
    for number, line in enumerate(lines, 1):
        wide = line.expandtabs(8)
        levels.setdefault(len(wide) - len(wide.lstrip()), []).append((number, wide.strip()))
    for level in levels.values():
        found = [(number, words, _name_in(words, side, sign)) for number, words in level if words]
        names: dict[str, list[int]] = {}
        for number, _, name in found:
            if name:
                names.setdefault(name, []).append(number)
        yield names, _doubtful(found, side, sign)
        if side == "after" and not sign[0].isalnum():
            titles: dict[str, list[int]] = {}
            for number, words, name in found:
                if name:
                    titles.setdefault(" ".join(words[len(sign) :].split()), []).append(number)
            yield titles, set()


def _doubtful(found: list[tuple[int, str, str]], side: str, sign: str) -> set[str]:
    if side == "alone":  # only those count that something is indented below
        return {name for *_, name in found if name}
    if side == "before":
        return {name for name, times in Counter(name for *_, name in found if name).items() if times >= REPEATED}
    longer = [(name, words) for _, words, name in found if name]
    counts = Counter(name for name, words in longer if _name_in(words, "after", f"{sign} {name}"))
    return {name for name, times in counts.items() if times >= REPEATED}


def _name_in(words: str, side: str, sign: str) -> str:
    if side == "alone":
        alone = re.fullmatch(r"([A-Za-z_][\w.-]*\w)[.:]?", words)
        return alone[1] if alone else ""
    return _behind(words, sign) if side == "after" else _before(words, sign)


def _behind(words: str, sign: str) -> str:
    bare = " ".join(words.split())
    if not bare.startswith(sign):
        return ""
    rest = bare[len(sign) :]
    lisp = sign[0] == "("
    if sign[-1] in BRACKETS:
        return _run(rest, ENDS_LISP_NAME if lisp else ENDS_NAME)
    result = re.match(r" (?:\[[^\]]*\]|[\w.]+) ?= ?([\w.]+)", rest) if sign == "function" else None
    if result:
        return result[1]
    if not rest.startswith(" ") or lisp:
        return _run(rest[1:], ENDS_LISP_NAME) if rest.startswith(" ") else ""
    rest = rest[1:]
    starts = [rest[most:] for most in (2, 1, 0) if set(rest[:most]) <= OPENING]
    name = next((name for start in starts if (name := _run(start, ENDS_NAME).rstrip(":."))), "")
    return name if any(map(str.isalpha, name)) else ""


def _run(words: str, ends: set[str]) -> str:
    stop = next((at for at, letter in enumerate(words) if letter in ends or letter.isspace()), len(words))
    return words[:stop]


def _before(words: str, sign: str) -> str:
    arguments = r"\s*\((?:[^()]|\([^()]*\))*\)" if sign.startswith("()") else ""
    parts = [re.escape(part) for part in sign.removeprefix("()").split()]
    found = re.match(r"((?:\$[({]\w+[)}]|[\w$@%&./?!'-]|::?(?=\w))+)" + arguments + r"\s*" + r"\s*".join(parts), words)
    if found is None:
        return ""
    rest = words[found.end() :].lstrip()
    alone = sign.rsplit(maxsplit=1)[-1] in {"{", "(", "[", *KEYWORDS}
    longer = not alone and (rest[:1] in ("{", "(", "[") or re.match(rf"(?:{'|'.join(KEYWORDS)})\b", rest))
    return "" if longer else found[1]
