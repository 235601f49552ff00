"""How a text is rendered: a document by its elements, a table or settings by their entries, any other by a strategy.

And what changed between two runs, as a unified diff: lines that came and went, with a few around them.
"""

from __future__ import annotations

from overspill import cut
from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.core import human_bytes
from overspill.core.markers import QUOTE, is_look_alike
from overspill.core.spans import Room
from overspill.cut.render import Subject, View, text_view
from overspill.errors import StrategyError
from overspill.fit.intake import kept_chars
from overspill.fit.prepare import DOCUMENTS, ENTRIES, Prepared, ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterator

    from overspill.core.budget import Policy
    from overspill.core.markers import Reference

# Every document begins with one of these, and most texts do not: they need not be looked at any closer.
OPENERS = frozenset('{["<')
COMMENTS = frozenset(("//", "/*"))  # before JSON that people write
OPENING_CHARS = 4_096
WRAPPING_CHARS = 8_192  # in which lines before a document are looked for, and behind it
INDENTED, LINE_ENDS = 200, ("\n", "\r", ";", " ", ",")
# What begins a document, what follows that, and what ends it.
WRAPPED = (
    ("{", "\"'", "}"),
    ("[", "{[\"'(", "]"),
    ("\n<", "?abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", ">"),
)
ENTRY_NAMES = (".csv", ".tsv", ".yaml", ".yml", ".ini", ".cfg", ".conf", ".properties")
ENTRY_TYPES = ("text/csv", "text/tab-", "text/yaml", "application/yaml", "application/x-yaml", "text/x-ini")
SEPARATORS = (",", "\t", ";")
AROUND = 2  # unchanged lines shown on either side of a change
MOST_EDITS = 400  # lines that came or went; with more, it is another text
MOST_STEPS = 1_500_000  # lines that are compared; with more, it takes longer than it is worth
SCORED_AS = {"csv": "listing", "tsv": "listing", "yaml": "code", "ini": "code"}  # by those who look for what matters


class RenderedView(NamedTuple):
    """A view, the strategy that made it, and why it was another one than asked for."""

    view: View
    used: str
    fallback: str = ""
    document: bool = False


def document_kind(prepared: Prepared, call: ToolCall) -> str:
    """What kind of document, or of entries, a text seems to be; nothing when it is neither."""
    if call.kind:
        return call.kind
    wrapped = "wrapped" if may_be_wrapped(prepared.text) else ""
    begins = prepared.text[:OPENING_CHARS].lstrip()
    if begins[:1] not in OPENERS and begins[:2] not in COMMENTS and not _may_have_entries(begins, call):
        return wrapped
    from overspill.kinds import sniff

    # Of a text too large to hold both ends are there, and they are all that is looked at.
    found = sniff(prepared.text, content_type=call.content_type, name=call.file_name)
    return found.name if found.name in DOCUMENTS else found.entries or wrapped


def may_be_wrapped(text: str) -> bool:
    r"""Whether a document may lie between lines of something else: a quick look, so that other texts need not wait.

    >>> may_be_wrapped('Result:\n{"id": 1}\n'), may_be_wrapped("[12:00] up\n[12:01] down\n")
    (True, False)
    """
    begins, ends = text[:WRAPPING_CHARS], f"{text[-WRAPPING_CHARS:]}\n"
    return any(
        _begins_inside(begins, opening, inside) and any(closing + end in ends for end in LINE_ENDS)
        for opening, inside, closing in WRAPPED
    )


def _begins_inside(text: str, opening: str, inside: str) -> bool:
    """Whether something that may begin a document stands in a text."""
    at = text.find(opening)
    while at >= 0:
        if text[at + len(opening) : at + INDENTED].lstrip()[:1] in tuple(inside):
            return True
        at = text.find(opening, at + 1)
    return False


def _may_have_entries(begins: str, call: ToolCall) -> bool:
    """A quick look, so that other texts need not wait for the code that knows kinds."""
    if call.file_name.endswith(ENTRY_NAMES) or call.content_type.startswith(ENTRY_TYPES):
        return True
    first, second = (*begins.split("\n", 2), "")[:2]
    if begins.startswith(("---", "%YAML", "- ", "#", ";")) or (":" in first and " " not in first.partition(":")[0]):
        return True
    return any(0 < first.count(mark) == second.count(mark) for mark in SEPARATORS)


def render_view(
    prepared: Prepared, policy: Policy, reference: Reference, kind: str, buffer: memoryview | None = None
) -> RenderedView:
    """The view of a text within its budget. `buffer` holds all of it where `prepared.text` does not."""
    used = cut.strategy_in_use(policy.strategy)
    subject = Subject(
        prepared.text,
        prepared.size,
        cut.strategy_of_text(used),
        policy.options,
        reference,
        on_top=policy.on_top,
        holes=prepared.holes,
        keep=kept_chars(policy),
        survey=prepared.survey,
    )
    fallback = ""
    if kind == "wrapped" and used == "smart" and _has_parts(subject, policy):
        kind = ""
    if kind in DOCUMENTS and not reference.lead and policy.strategy != "none":
        why: list[str] = []
        document = _document_view(subject, policy, kind, buffer, why)
        if document is not None:
            return RenderedView(document, "element", document=True)
        fallback = f"not cut as {kind}: {why[0]}" if why and kind != "wrapped" else ""  # which was a guess of ours
    if kind in ENTRIES and not reference.lead and policy.strategy != "none":
        try:
            return RenderedView(_entries_view(subject, policy, kind, buffer), used)
        except StrategyError as error:
            fallback = f"not cut as {kind}: {error}"
    try:
        return RenderedView(text_view(subject, policy.inline), used, fallback)
    except Exception as error:  # noqa: BLE001  # a strategy may be anybody's code
        fallback = f"{used} failed ({type(error).__name__}); cut by ends instead"
        return RenderedView(
            text_view(subject._replace(strategy=cut.strategy("head_tail")), policy.inline), "head_tail", fallback
        )


def _has_parts(subject: Subject, policy: Policy) -> bool:
    """Whether what stands around a document is more than a few lines: then all of it is read by its parts."""
    from overspill.cut.smart import parted_text

    room = Room(0, 0, 0, holes=subject.holes, keep=subject.keep)
    # What will be shown of the text is asked, so that its parts are looked for once.
    parts = getattr(subject.strategy, "parts_of", parted_text)(subject.text, room, policy.options)
    return parts is not None and (policy.inline.ceiling or subject.size.chars) >= parts.least


def _entries_view(subject: Subject, policy: Policy, kind: str, buffer: memoryview | None) -> View:
    """The view of a text that is cut between its entries, or `StrategyError`, which says why there is none."""
    from overspill.cut.entries import GRAMMARS, entry_cut

    strategy = entry_cut(subject.strategy, kind, subject.text, subject.holes, buffer)
    comment = GRAMMARS[kind].comment if kind in GRAMMARS else ""
    marks = subject.reference.marks._replace(comment=comment)
    options = subject.options._replace(kind=SCORED_AS[kind] if subject.options.kind else "")
    subject = subject._replace(strategy=strategy, options=options, reference=subject.reference._replace(marks=marks))
    return text_view(subject, policy.inline)


def _document_view(
    subject: Subject, policy: Policy, kind: str, buffer: memoryview | None, why: list[str]
) -> View | None:
    """The view of a document, or None; then `why` says the reason, unless it is what somebody asked for."""
    from overspill.documents import cut_document, document_from_bytes, side_for

    side = side_for(policy.strategy, kind, policy.options)
    if side is None:
        return None
    if subject.size.bytes > policy.structured_max:
        why.append(f"{human_bytes(subject.size.bytes)}, and structured_max is {human_bytes(policy.structured_max)}")
        return None
    if not subject.holes:
        return cut_document(subject, kind, policy.inline, side, why)
    if buffer is None:
        why.append("too large to hold, and not kept")
        return None
    return document_from_bytes(buffer, subject.size, kind, policy.options, subject.reference, policy.inline, side, why)


class LineChange(NamedTuple):
    """Lines `old` up to `old_end` became lines `new` up to `new_end`."""

    old: int
    old_end: int
    new: int
    new_end: int


def diff_lines(before: str, after: str, before_name: str, after_name: str) -> list[str] | None:
    r"""The lines of a unified diff, or None where too much changed for one. Look-alikes of our marks are told apart.

    >>> diff_lines("a\nb\nc\n", "a\nB\nc\n", "art_1", "art_2")
    ['--- art_1\n', '+++ art_2\n', '@@ -1,3 +1,3 @@\n', ' a\n', '-b\n', '+B\n', ' c\n']
    """
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    found = _line_changes(old, new)
    if found is None:
        return None
    lines = [f"--- {before_name}\n", f"+++ {after_name}\n"]
    for hunk in _hunks(found):
        lines += _hunk_lines(old, new, hunk)
    return lines


def _line_changes(old: list[str], new: list[str]) -> list[LineChange] | None:
    first, shorter = 0, min(len(old), len(new))
    while first < shorter and old[first] == new[first]:
        first += 1
    last = 0
    while last < shorter - first and old[-1 - last] == new[-1 - last]:
        last += 1
    path = _same_lines(old[first : len(old) - last], new[first : len(new) - last])
    return None if path is None else _changes_between(path, first)


def _same_lines(old: list[str], new: list[str]) -> list[tuple[int, int]] | None:
    """Pairs of lines that are the same, by the shortest way from one text to the other, as Myers found it."""
    reached = {1: 0}
    trace: list[dict[int, int]] = []
    steps = 0
    for edits in range(min(MOST_EDITS, len(old) + len(new)) + 1):
        trace.append(reached.copy())
        for diagonal in range(-edits, edits + 1, 2):
            down = diagonal == -edits or (
                diagonal != edits and reached.get(diagonal - 1, -1) < reached.get(diagonal + 1, -1)
            )
            x = reached[diagonal + 1] if down else reached[diagonal - 1] + 1
            y = x - diagonal
            steps -= x
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x, y = x + 1, y + 1
            reached[diagonal] = x
            steps += x
            if x >= len(old) and y >= len(new):
                return _walk_back(trace, len(old), len(new))
        if steps > MOST_STEPS:
            break
    return None


def _walk_back(trace: list[dict[int, int]], x: int, y: int) -> list[tuple[int, int]]:
    same: list[tuple[int, int]] = [(x, y)]
    for edits in range(len(trace) - 1, -1, -1):
        reached, diagonal = trace[edits], x - y
        down = diagonal == -edits or (
            diagonal != edits and reached.get(diagonal - 1, -1) < reached.get(diagonal + 1, -1)
        )
        before = diagonal + 1 if down else diagonal - 1
        at = reached.get(before, 0)
        start = (at, at - before)
        while x > max(start[0], 0) and y > max(start[1], 0) and edits >= 0 and (x, y) != start:
            x, y = x - 1, y - 1
            same.append((x, y))
        x, y = max(start[0], 0), max(start[1], 0)
    return same[::-1]


def _changes_between(same: list[tuple[int, int]], offset: int) -> list[LineChange]:
    """The changes between lines that are the same; the last pair stands for the end."""
    found: list[LineChange] = []
    x = y = 0
    for old, new in same:
        if old > x or new > y:
            found.append(LineChange(x + offset, old + offset, y + offset, new + offset))
        x, y = old + 1, new + 1
    return found


def _hunks(found: list[LineChange]) -> Iterator[list[LineChange]]:
    """Changes near each other belong to one hunk."""
    hunk: list[LineChange] = []
    for change in found:
        if hunk and change.old - hunk[-1].old_end > 2 * AROUND:
            yield hunk
            hunk = []
        hunk.append(change)
    if hunk:
        yield hunk


def _hunk_lines(old: list[str], new: list[str], hunk: list[LineChange]) -> Iterator[str]:
    start = max(0, hunk[0].old - AROUND)
    end = min(len(old), hunk[-1].old_end + AROUND)
    new_start = hunk[0].new - (hunk[0].old - start)
    new_end = hunk[-1].new_end + (end - hunk[-1].old_end)
    yield f"@@ -{_hunk_range(start, end)} +{_hunk_range(new_start, new_end)} @@\n"
    at = start
    for change in hunk:
        yield from (_diff_line(" ", line) for line in old[at : change.old])
        yield from (_diff_line("-", line) for line in old[change.old : change.old_end])
        yield from (_diff_line("+", line) for line in new[change.new : change.new_end])
        at = change.old_end
    yield from (_diff_line(" ", line) for line in old[at:end])


def _hunk_range(start: int, end: int) -> str:
    return f"{start + (end > start)},{end - start}"


def _diff_line(mark: str, line: str) -> str:
    quote = QUOTE if is_look_alike(line) else ""
    text = line.rstrip("\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029")
    return f"{mark}{quote}{text}\n"
