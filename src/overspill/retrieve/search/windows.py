"""What stands around a match: its line and some beside it, or, of a long line, the part that holds it."""

from __future__ import annotations

from itertools import zip_longest

from overspill._lite import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from overspill.retrieve.search.scan import SearchHit
    from overspill.store import OpenArtifact

WIDTH = 300  # characters of a line that are shown whole
BEFORE = 120  # characters before a match, where the line is longer
DOTS = "..."
NEAR = 1 << 14  # bytes on both sides of a match in which its neighbours mostly are
_WIDEST = 4


class SearchMatch(NamedTuple):
    """One match: where it is, and what stands around it."""

    id: str
    line: int
    column: int
    start_byte: int
    end_byte: int
    text: str
    clipped: bool = False  # `text` is a part of its line
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    shown: tuple[int, int] = (0, 0)  # the bytes that `text` shows


def match_of(opened: OpenArtifact, hit: SearchHit, context: int) -> SearchMatch:
    """A hit with what stands around it."""
    text, shown, clipped = _match_line(opened, hit)
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    if context:
        last = hit.line + text.count("\n")
        first = max(1, hit.line - context)
        before = _lines_above(hit, context) or tuple(_lines_beside(opened, first, hit.line - 1))
        after = _lines_below(hit, context) or tuple(_lines_beside(opened, last + 1, last + context))
    return SearchMatch(
        opened.artifact.id, hit.line, hit.column, hit.start, hit.end, text, clipped, before, after, shown
    )


def _match_line(opened: OpenArtifact, hit: SearchHit) -> tuple[str, tuple[int, int], bool]:
    """The lines of a match, or the part of a long one around it, and where that lies."""
    near = WIDTH * _WIDEST
    start = max(hit.line_start, hit.start - near)
    end = min(hit.end, hit.start + near)  # a match may be as long as its line
    content = _bytes_near(opened, hit, start, end + near)
    tail = _first_line(content[end - start :])
    whole = start == hit.line_start and end == hit.end and len(tail) < near
    stop = end - start + len(tail)
    text = content[:stop].decode(errors="ignore")
    if whole and len(text) <= WIDTH:
        return text, (start, start + stop), False
    first = content[: hit.start - start].decode(errors="ignore")[-BEFORE:]
    rest = content[hit.start - start : stop].decode(errors="ignore")[: WIDTH - len(first)]
    span = hit.start - len(first.encode()), hit.start + len(rest.encode())
    left = DOTS if span[0] > hit.line_start else ""
    right = "" if whole and span[1] == start + stop else DOTS
    return left + first + rest + right, span, True


def _bytes_near(opened: OpenArtifact, hit: SearchHit, start: int, end: int) -> bytes:
    """Some bytes near a hit, mostly without asking the store again."""
    held = hit.base + len(hit.buffer)
    if hit.base <= start and end <= held:
        return hit.buffer[start - hit.base : end - hit.base]
    return opened.read(start, end)


def _lines_above(hit: SearchHit, context: int) -> tuple[str, ...]:
    """The lines above a match, if they are all at hand."""
    start = hit.line_start - hit.base
    if start <= 0:
        return ()
    lines = hit.buffer[max(0, start - NEAR) : start].splitlines()
    return tuple(map(_clipped_line, lines[-context:])) if len(lines) > context else ()


def _lines_below(hit: SearchHit, context: int) -> tuple[str, ...]:
    """The lines below a match, if they are all at hand."""
    end = hit.end - hit.base
    lines = hit.buffer[end : end + NEAR].splitlines()
    return tuple(map(_clipped_line, lines[1 : context + 1])) if len(lines) > context + 1 else ()


def _first_line(content: bytes) -> bytes:
    return (content.splitlines() or [b""])[0]


def _lines_beside(opened: OpenArtifact, first: int, last: int) -> Iterator[str]:
    """Lines beside a match, each no longer than is shown of one."""
    if last < first:
        return
    start, end = opened.where(first, last)
    content = opened.read(start, min(end, start + 4 * NEAR))
    if start + len(content) == end:
        yield from map(_clipped_line, content.splitlines())
        return
    for number in range(first, last + 1):  # some of them are very long
        start, end = opened.where(number, number)
        if start == end:
            return
        yield from map(_clipped_line, opened.read(start, min(end, start + WIDTH * _WIDEST + 1)).splitlines()[:1])


def _clipped_line(line: bytes) -> str:
    text = line.decode(errors="ignore")
    return text if len(text) <= WIDTH else text[: WIDTH - len(DOTS)] + DOTS


def match_rows(matches: Sequence[SearchMatch], name: Callable[[str], str] | None) -> Iterator[str]:
    """Matches as `grep -n` would print them, overlapping windows merged, and the artifact's `name` before each line."""
    previous: SearchMatch | None = None
    reached = 0  # the last line that stands there
    for match, following in zip_longest(matches, matches[1:]):
        same = previous is not None and previous.id == match.id
        reached = reached if same else 0
        first = match.line - len(match.before)
        grouped = match.before or match.after or (previous is not None and (previous.before or previous.after))
        if previous is not None and grouped and not (same and first <= reached + 1):
            yield "--"
        prefix, dashed = (f"{name(match.id)}:", f"{name(match.id)}-") if name else ("", "")
        for number, text in enumerate(match.before, first):
            if number > reached:
                yield f"{dashed}{number}-{text}"
        yield from _own_rows(match, previous if same else None, reached, prefix)
        last = match.line + match.text.count("\n")
        reached = max(reached, last)
        stop = following.line if following is not None and following.id == match.id else last + len(match.after) + 1
        for number, text in enumerate(match.after, last + 1):
            if reached < number < stop:
                yield f"{dashed}{number}-{text}"
                reached = number
        previous = match


def _own_rows(match: SearchMatch, previous: SearchMatch | None, reached: int, prefix: str) -> Iterator[str]:
    if match.clipped:
        if previous is None or previous.line != match.line or match.end_byte > previous.shown[1]:
            where = f"[column {match.column}, bytes {match.start_byte}-{match.end_byte}]"
            yield f"{prefix}{match.line}:{match.text} {where}"
        return
    for number, text in enumerate(match.text.split("\n"), match.line):
        if number > reached:
            yield f"{prefix}{number}:{text}"
