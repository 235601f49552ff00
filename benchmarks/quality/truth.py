"""Is what a view says of its own true? Every statement is recounted from the text, every gap measured.

`false_statements(text, view)` gives one sentence for each statement that is false or cannot be read, and for kept lines
that the text does not have in this order. It shares no code with what makes the views.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from claims import check_statement
from documents_truth import false_in_json, false_in_lines, false_in_xml
from recount import Recount
from statements import Statement, directory_of, read_statements
from wrapped_truth import false_in_wrapped


def false_statements(text: str, view: str, form: str = "text") -> list[str]:
    """What is false in a view of `text`. `form` is what the text is: text, diff, json, ndjson or xml."""
    found = _false_in(text, view, form) if view != text else []
    # What a terminal would not show is not kept, and so not shown.
    drawn = _drawn(text) if found and ("\x1b" in text or "\b" in text) else text
    if drawn == text:
        return found
    return _false_in(drawn, view, form) if drawn != view else []


def _drawn(text: str) -> str:
    r"""A text as a terminal shows it: without escapes, and without what was taken back.

    >>> _drawn("\x1b[?25lup> \b done\n")
    'up> done\n'
    """
    text = re.sub(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_=>])", "", text)
    return "\n".join(_overwritten(line) if "\b" in line else line for line in text.split("\n"))


def _overwritten(line: str) -> str:
    shown, at = list[str](), 0
    for char in line:
        if char == "\b":
            at = max(0, at - 1)
        else:
            shown[at : at + 1] = [char]
            at += 1
    return "".join(shown)


def _false_in(text: str, view: str, form: str) -> list[str]:
    view, counted = _uncommented(text, view), _counted(text)
    checkers = {"json": false_in_json, "ndjson": false_in_lines, "xml": false_in_xml}
    if form == "text" and text.startswith("{") and "\n{" in text:  # objects below each other, whoever wrote them
        form = "ndjson"
    if form in checkers:
        found = checkers[form](counted, _without_reference(view))
        if found is not None:
            return found
    plain = [*_false_claims(counted, view), *_misplaced(text, view)]
    wrapped = false_in_wrapped(text, view) if plain else None
    if wrapped is None:
        return plain
    inside, around, shown = wrapped
    return [*inside, *_false_claims(Recount(around), shown), *_misplaced(around, shown)]


@lru_cache(maxsize=16)
def _counted(text: str) -> Recount:
    """The text counted once for all views of it that are judged one after another."""
    return Recount(text)


def own_share(text: str, view: str) -> float:
    """The part of a view that is words of its own: marks, statements, references."""
    if not view:
        return 0.0
    view = _uncommented(text, view)
    own = sum(len(found[0]) for found in OWN_IN_DOCUMENT.finditer(view)) if _is_document(view) else 0
    if not own:
        lines = view.split("\n")
        ours = {at for one in _own_statements(text, lines) for at in range(one.first, one.after)}
        ours |= {at for at, line in enumerate(lines) if WHOLE_MARK.match(line)}
        ours |= set(range(_reference_lines(lines)))
        own = sum(len(lines[at]) + 1 for at in ours)
    return min(1.0, own / len(view))


def overhead_share(text: str, view: str) -> float:
    """The part of a view that tells nothing of the output: what leads it, marks of gaps, brackets of statements."""
    if not view:
        return 0.0
    view = _uncommented(text, view)
    found = [one[0] for one in OWN_IN_DOCUMENT.finditer(view)] if _is_document(view) else []
    if found:
        over = sum(len(one) if MARK_IN_DOCUMENT.match(one) else len('"[]"') for one in found)
        return min(1.0, over / len(view))
    lines = view.split("\n")
    marks = {at for at, line in enumerate(lines) if WHOLE_MARK.match(line)} | set(range(_reference_lines(lines)))
    marks |= {at for at, line in enumerate(lines[:1]) if LEADS.match(line)}
    told = [one for one in _own_statements(text, lines) if one.first not in marks]
    return min(1.0, (sum(len(lines[at]) + 1 for at in marks) + len("[]") * len(told)) / len(view))


LEADS = re.compile(r"\[[\d,]+ (?:lines?|chars?)\b.*; rest: ")
MARK_IN_DOCUMENT = re.compile(r'"\.\.\.|"spill |"\[\.\.\. |<!-- ?(?:spill|\.\.\.|\[\.\.\. )')

OWN_IN_DOCUMENT = re.compile(r'<!--.*?-->|"\.\.\.[^"]*"(?:: "[^"]*")?|"spill [^"]*"|"\[(?:[^"\\]|\\.)*\]"', re.DOTALL)


def _is_document(view: str) -> bool:
    """Whether a view is a document, or has one in it in which something of ours stands."""
    alone = view.lstrip()[:1] in {"{", "[", "<"} and "\n[" not in view
    return alone or ('"spill artifacts ' in view and not LEADS.match(view))


MARK_SOURCE = (
    r"(?:\\ )?\.\.\. \[(?P<lines>[\d,]+) lines / (?P<chars>[\d,]+) chars omitted\] \.\.\."
    r"|(?:\\ )?\.\.\. \[same (?P<noun>.+?) (?P<times>[\d,]+) more times / (?P<folded>[\d,]+) chars omitted\] \.\.\."
    r"|(?:\\ )?\[\.\.\. (?P<few>[\d,]+) (?:lines?|ln)\]"
    r"|(?:\\ )?\[\.\.\. (?P<piece>[\d,]+) (?:chars?|ch)\]"
    r"|(?:\\ )?\[same x(?P<again>\d+)\]|(?:\\ )?\[(?:same )?(?P<wide>\d+) ln x(?P<often>\d+)\]"
    r"|\.\.\. \[(?P<inside>[\d,]+) chars omitted\] \.\.\."
)
MARK = re.compile(MARK_SOURCE)
WHOLE_MARK = re.compile(rf"(?:{MARK_SOURCE})$")
BARE_MARK = "..."


def _reference_lines(lines: list[str]) -> int:
    """How many lines the block takes that leads a view: what was kept, and how to get it."""
    if not lines or not lines[0].startswith("[Artifact: "):
        return 0
    for at, line in enumerate(lines):
        if not line.strip() and at and not any(one.startswith("Retrieval options") for one in lines[at + 1 : at + 2]):
            return at + 1
    return 1


def _uncommented(text: str, view: str) -> str:
    """A view of YAML or INI, where lines of ours are comments, with these as they stand in views of other texts."""
    known, lines = set(text.split("\n")), view.split("\n")
    block = next((at for at, line in enumerate(lines) if not line.startswith("# ")), len(lines))
    block = block if view.startswith("# [") else 0
    ours = [line not in known and (at < block or line.startswith(("# [", "# ... ["))) for at, line in enumerate(lines)]
    return "\n".join(line[2:] if own else line for line, own in zip(lines, ours, strict=True))


def _without_reference(view: str) -> str:
    lines = view.split("\n")
    return "\n".join(lines[_reference_lines(lines) :])


def _own_statements(text: str, lines: list[str]) -> Iterator[Statement]:
    """Statements of the view; a line that the text has word for word is the text's."""
    known = {line.rstrip("\r") for line in text.split("\n") if line.startswith("[")}
    lines = [line.removesuffix("\r") for line in lines]  # a blank line below may end one of ours
    for one in read_statements(lines):
        if lines[one.first] not in known and not WHOLE_MARK.match(lines[one.first]):
            yield one


def _false_claims(counted: Recount, view: str) -> Iterator[str]:
    lines = view.split("\n")
    for scope, said in _scopes(list(_own_statements(counted.text, lines))):
        if scope is None:
            yield from _false_of(counted, lines, said)
        elif (part := _lines_between(counted.text, scope)) is None:
            yield f"[lines {scope[0]}-{scope[1]}:]: there are no such lines"
        elif not said:
            yield f"[lines {scope[0]}-{scope[1]}:]: nothing is said of them"
        else:
            yield from _false_of(_counted(part), lines, said)


SCOPE = re.compile(r"lines (\d+)-(\d+):")


def _scopes(own: list[Statement]) -> Iterator[tuple[tuple[int, int] | None, list[Statement]]]:
    """Statements by the lines that they speak of: `[lines 3-90:]` is said of those right below it, others of all.

    >>> own = [Statement("9x a", 0, 1), Statement("lines 3-90:", 4, 5), Statement("2x b", 5, 6), Statement("c", 8, 9)]
    >>> [(scope, [one.words for one in said]) for scope, said in _scopes(own)]
    [((3, 90), ['2x b']), (None, ['9x a', 'c'])]
    """
    of_all: list[Statement] = []
    scope, said, after = None, list[Statement](), -1
    for one in own:
        if found := SCOPE.fullmatch(one.words):
            if scope is not None:
                yield scope, said
            scope, said, after = (int(found[1]), int(found[2])), [], one.after
        elif scope is not None and one.first == after:
            said.append(one)
            after = one.after
        else:
            of_all.append(one)
    if scope is not None:
        yield scope, said
    yield None, of_all


def _lines_between(text: str, scope: tuple[int, int]) -> str | None:
    lines = text.split("\n")
    first, last = scope
    return "\n".join(lines[first - 1 : last]) + "\n" if 1 <= first <= last <= len(lines) else None


def _false_of(counted: Recount, lines: list[str], own: list[Statement]) -> Iterator[str]:
    history = _without_branches(counted.text.split("\n"))
    said_of = Recount(history) if history is not None else counted
    below = directory_of(one.words for one in own)
    for one in own:
        joined = "\n".join(line.removesuffix("\r") for line in lines[one.first : one.after])
        of_all = re.match(r"[\d,]+ lines, ", one.words)
        why = check_statement(counted if of_all else said_of, one.words, below)
        # A message that was broken inside a word reads on without a blank.
        tight = "".join(line.removeprefix("[ ") for line in joined.split("\n"))[1:-1]
        if not why or not (tight == one.words or check_statement(said_of, tight, below)):
            continue
        if not any(
            not check_statement(bare, words, below) for bare in _bare(counted.text) for words in (one.words, tight)
        ):
            yield f"[{one.words[:160]}]: {why}"


NEARLY_ALL = 0.95  # of the lines
MOST_GUTTERS = 3  # one behind the other
STAMP = r"\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-][\d:]+)?"
GUTTERS = (
    r" *\d+\t",
    rf"(?:[^\t]*\t){{0,3}}\[?{STAMP}\]?(?: |$)",
    r"(?:[\d:.,]+ )?[\w./@-]+ *\|(?: |$)",
    r"\[[^\]]*\](?: |$)",
    r"#\d+ [\d.]+(?: |$)",
    r"[\w./@-]+:[\w-]+:(?: |$)",
    r"\w{3} [ \d]\d [\d:]+ \S+ \S+:(?: |$)",
    r"\^?[0-9a-f]{7,40} .*?\(.*? +\d+\)(?: |$)",
    r"[\d:.,]+(?: |$)",
    r"UTC (?= *\[)",
)


@lru_cache(maxsize=16)
def _bare(text: str) -> list[Recount]:
    """The text without what another program put before nearly all of its lines, one after the other."""
    found: list[Recount] = []
    while len(found) < MOST_GUTTERS and (bare := _without_gutter(found[-1].text if found else text)) is not None:
        found.append(Recount(bare))
    return found


def _without_branches(lines: list[str]) -> str | None:
    """A history without its drawn branches: what a commit says stands below its first word."""
    bare, column, drawn = [], 0, 0
    begins = r"(?:commit )?[0-9a-f]{7}" if re.match(r"\* +(?:commit )?[0-9a-f]{7}", lines[0]) else r"\S"
    if not lines[0].startswith("*") or not any(line.startswith("|") for line in lines):
        return None
    for line in lines:
        commit = re.match(rf"[|/\\_ ]*\*[|/\\_ .-]* (?={begins})", line)
        if commit:
            column = commit.end()
        below = not line[:column].strip("|/\\_ .-") or commit
        drawn += bool(below)
        bare.append(line[column:] if below else re.sub(r"^[|/\\_ ]*[|/\\_] ?", "", line))
    return "\n".join(bare) if column and drawn >= NEARLY_ALL * len(lines) else None


def _without_gutter(text: str) -> str | None:
    lines = text.split("\n")
    if (bare := _without_branches(lines)) is not None:
        return bare
    said = sum(bool(line.strip()) for line in lines)
    for gutter in map(re.compile, GUTTERS):
        found = [gutter.match(line) for line in lines]
        if sum(map(bool, found)) >= NEARLY_ALL * said > 0:
            return "\n".join(line[match.end() if match else 0 :] for line, match in zip(lines, found, strict=True))
    return None


# ---- kept lines and gaps --------------------------------------------------------------------------------------------


class Piece(NamedTuple):
    """A part of a view: a kept stretch of the text, or a mark with what it says is missing."""

    words: str
    mark: "re.Match[str] | None" = None
    ends_line: bool = True
    alone: bool = False


def _misplaced(text: str, view: str) -> list[str]:
    why = _walk(text, list(_pieces(text, view)))
    return [why] if why else []


def _pieces(text: str, view: str) -> Iterator[Piece]:
    lines = view.split("\n")
    own = {at for one in _own_statements(text, lines) for at in range(one.first, one.after)}
    first = _reference_lines(lines)
    known = frozenset(text.split("\n"))
    for number, line in enumerate(lines):
        if number < first or number in own:
            continue
        if line.startswith(QUOTE) and line.removeprefix(QUOTE) in known:  # what looks like a mark in it is the text's
            yield Piece(line, ends_line=number < len(lines) - 1)
            continue
        at = 0
        for found in MARK.finditer(line):
            if found.start() > at:
                yield Piece(line[at : found.start()], ends_line=False)
            yield Piece(found[0], found, ends_line=False, alone=found[0] == line)
            at = found.end()
        if at < len(line) or not at:
            last = number == len(lines) - 1
            yield Piece(line[at:], ends_line=not last)


QUOTE = "| "


State = tuple[int, "tuple[re.Match[str], ...]"]
"""A place in the text, and the marks above it whose gaps are still to come."""
MOST_AHEAD = 3


def _walk(text: str, pieces: list[Piece]) -> str:
    """Go through the text as the view does; "" if it ends where the text ends, else what did not fit.

    In a diff no mark can stand between the names of a file and its hunks: there it stands above the names.
    """
    states: set[State] = {(0, ())}
    ahead = any(piece.mark and piece.words.startswith("\\") for piece in pieces)
    unknown = False
    for piece in pieces:
        if piece.words == BARE_MARK and not any(text.startswith(BARE_MARK, at) for at, _ in states):
            unknown = True
            continue
        if piece.mark:
            after = _after_mark(text, states, piece, ahead=ahead)
        else:
            after = _after_kept(text, states, piece)
            if unknown and not after:
                found = text.find(piece.words, min(at for at, _ in states))
                after = {(end, ()) for end in _ends_of_kept(text, found, piece)} if found >= 0 else set()
            if not after and not piece.words.strip():
                continue  # a blank line of ours
            unknown = unknown and not after
        if not after:
            why = (
                "the text is not left out like this here" if piece.mark else "does not stand in the text at this place"
            )
            return f"{piece.words[:120]!r}: {why}"
        states = after
    states |= _with_gaps(text, states)
    if unknown or any(not text[at:].strip("\r\n") and not waiting for at, waiting in states):
        return ""
    return f"{len(text) - max(at for at, _ in states)} characters at the end are neither shown nor said to be missing"


def _after_mark(text: str, states: set[State], piece: Piece, *, ahead: bool) -> set[State]:
    assert piece.mark is not None
    found: set[State] = set()
    for at, waiting in states:
        ends = _ends_of_gap(text, at, piece.mark)
        # Where the text goes on with the end of a line, that ends the line of the mark, too.
        for feed in ("\n", "\r\n"):
            ends |= {end + len(feed) for end in ends if piece.alone and text.startswith(feed, end)}
        found |= {(end, waiting) for end in ends}
        if ahead and len(waiting) < MOST_AHEAD:
            found.add((at, (*waiting, piece.mark)))
    return found


def _after_kept(text: str, states: set[State], piece: Piece) -> set[State]:
    found = {(end, waiting) for at, waiting in states for end in _ends_of_kept(text, at, piece)}
    return found | {
        (end, waiting) for at, waiting in _with_gaps(text, states) for end in _ends_of_kept(text, at, piece)
    }


def _with_gaps(text: str, states: set[State]) -> set[State]:
    """The places behind the gaps that were said before."""
    found: set[State] = set()
    last = states
    while last := {(end, waiting[1:]) for at, waiting in last if waiting for end in _ends_of_gap(text, at, waiting[0])}:
        found |= last
    return found


def _ends_of_kept(text: str, at: int, piece: Piece) -> set[int]:
    found: set[int] = set()
    words = [piece.words]
    if piece.words.startswith(QUOTE):
        words.append(piece.words.removeprefix(QUOTE))
    if piece.words.endswith("\r"):
        words.append(piece.words.removesuffix("\r"))
    for one in words:
        if not text.startswith(one, at):
            continue
        end = at + len(one)
        found.add(end)
        if piece.ends_line and text.startswith("\n", end):
            found.add(end + 1)
        if piece.ends_line and text.startswith("\r\n", end):
            found.add(end + 2)
    return found


def _ends_of_gap(text: str, at: int, mark: "re.Match[str]") -> set[int]:
    """Where a gap that begins here can end, if what the mark says is true."""
    said = {name: int(value.replace(",", "")) for name, value in mark.groupdict().items() if value and name != "noun"}
    chars = said.get("chars", said.get("folded", said.get("piece", said.get("inside"))))
    if chars is None:
        lines = said.get("few") or said.get("again") or said.get("wide", 0) * said.get("often", 0)
        return _after_lines(text, at, lines)
    if at + chars > len(text):
        return set()
    left = text[at : at + chars]
    if "lines" in said and said["lines"] not in _line_counts(left):
        return set()
    if "times" in said and not _repeats(left, mark["noun"], said["times"]):
        return set()
    return {at + chars}


def _line_counts(text: str) -> set[int]:
    """Lines; a last one without an end counts or not, since the rest of it may be shown. A lone CR may end one, too."""
    counts: set[int] = set()
    for ends in (text.count("\n"), len(LINE_END.findall(text))):
        counts |= {ends} if text.endswith(("\n", "\r")) else {ends, ends + 1}
    return counts


LINE_END = re.compile(r"\r\n|\r|\n")


def _after_lines(text: str, at: int, lines: int) -> set[int]:
    """Where so many whole lines end, from the beginning of the next line on."""
    begin = at + 1 if text.startswith("\n", at) and at and text[at - 1] != "\n" else at
    found = _after_feeds(text, begin, lines)
    if "\r" in text:
        ends = [one.end() for one, _ in zip(LINE_END.finditer(text, begin), range(lines), strict=False)]
        found |= {ends[-1]} if len(ends) == lines > 0 else set()
    return found


def _after_feeds(text: str, begin: int, lines: int) -> set[int]:
    end = begin
    for number in range(lines):
        end = text.find("\n", end) + 1
        if not end:
            whole = number == lines - 1 and not text.endswith("\n") and begin < len(text)
            return {len(text)} if whole else set()
    return {end}


def _repeats(left: str, noun: str, times: int) -> bool:
    """Whether what is folded is so many times a line, or a few lines."""
    wide = re.match(r"(\d+) lines?", noun)
    lines = left.strip("\n").split("\n")
    return len(lines) == (int(wide[1]) if wide else 1) * times
