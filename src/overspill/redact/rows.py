"""Rows of a terminal: a long line is written as several, and a secret in it as well.

Where a find touches the end of a row, and the next row goes on with it, both are read as one. Only what begins in the
first row is looked for, so each row is read a few times and no more, however many go on.
"""

from __future__ import annotations

from _bisect import bisect_left

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.redact.hits import (
    ACROSS,
    CROWD,
    EARLY,
    GOING_ON,
    LINES,
    MAX_ROW,
    MIN_EARLY_ROW,
    MIN_ROW,
    PROBE_COST,
    READING_COST,
    RULE_BITS,
    RULE_MASK,
    SHARES,
    USUAL_WIDTHS,
    WHOLE,
    SecretMatch,
    is_random,
    width_before,
    work_allowed,
)
from overspill.redact.transports import Code, Reading, ScanOutcome, Shadow, is_token

if TYPE_CHECKING:
    from overspill.redact.hits import Scanner

ROWS_COST = 5 * READING_COST  # of rows that are read as one, beside what is read in them
TOLD_WITHIN = 64  # characters of the second row in which a find of the first may be told: none begins further before
WIDEST_HIT = 256  # characters that may tell a hit

_MAX_ROWS = 64
ALIKE = 4  # characters with which lines of a kind begin
# A line that begins so is one of its own: a name with its value, a time, a level, an option, a path, its number.
_OWN_LINE = (
    r"[\"']?[A-Za-z_][\w.-]{0,63}[\"']?[:=](?!=)|\d{4}[-/.]\d\d[-/.]\d|\d\d:\d\d"
    r"|-(?:[ ]|[A-Za-z]\s|-[a-z]+(?:-[a-z]+)*+[\s=])"
    r"|(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERR|ERROR|FATAL|CRITICAL|PANIC|FAIL|FAILED|PASS|PASSED|SKIP|SKIPPED|OK"
    r"|NOTE|TODO|GET|POST|PUT|PATCH|HEAD|DELETE|OPTIONS|FROM|RUN|COPY|ENV|ARG|CMD)\b[ :\]]"
    r"|[a-z][a-z-]{2,24}[ ][\"']"  # a keyword and its text
    r"|\.{0,2}/[a-z]|[a-z_]{3,24}[0-9]{0,2}\(|[0-9]{1,6}(?:\t|[ ]{0,2}[|\u2502])|[-=+]{3,}[-=+|\s]"
)
_ID = r"(?=[a-f]{0,40}[0-9])[0-9a-f]{6,64}([\s|,;:])"  # in hexadecimal, and the sign behind it
_CODE_ROW = r"[A-Za-z0-9+/]{40,300}\r?\n"
_WORD = r"[A-Z]?[a-z]{1,14}(?![A-Za-z0-9_+/=~%-])"
_RANDOM = r"(?=[^0-9\s]{0,60}[0-9])(?=[^A-Za-z\s]{0,60}[A-Za-z])[A-Za-z0-9_+/=.~%-]{6,300}(?![A-Za-z0-9:])"


_ONE_DIGIT = str.maketrans("123456789", "000000000")
_ROW_ENDS = GOING_ON | {"\r"}


class WrappedRows(NamedTuple):
    """Rows of a terminal that may be one line: where the first begins, the ends of all but the last, and their end."""

    start: int
    breaks: list[Code]
    end: int
    width: int


def scan_wrapped(
    scanner: Scanner, text: str, stretch: tuple[int, int], hits: list[int], so_far: tuple[int, int], *, final: bool
) -> tuple[ScanOutcome, int]:
    """Finds that go on in the next row of a terminal, and how far the stretch can be read before more text comes.

    `so_far`: how many characters came before the text, and what reading across rows has cost. Where that is too much,
    reading ends at a row.
    """
    base, cost = so_far
    matches: list[SecretMatch] = []
    charges: list[tuple[int, int]] = []
    done, end = stretch
    if base + done < EARLY:
        hits = sorted(_full_rows(text, (done, min(end, EARLY - base))) + hits)
    for hit in hits if _has_wide_rows(text, stretch, hits) else ():
        at = hit >> RULE_BITS
        if at < done:
            continue
        row_end = text.find("\n", at, at + MAX_ROW + 2)
        if row_end < 0 or row_end >= end:
            continue
        short = row_end - done < MIN_ROW  # since the end of another row, or since the start
        begun, done = done, row_end
        if short or text[row_end - 1] not in _ROW_ENDS or not _may_go_on(text, row_end):
            continue
        start = text.rfind("\n", max(begun, row_end - MAX_ROW - 2), row_end) + 1 or stretch[0]
        if row_end - start < MIN_ROW or _stands_alone(text, start, row_end):
            continue
        if cost > work_allowed(base + at) * SHARES[ACROSS] // WHOLE:
            return ScanOutcome(matches, cost - so_far[1], charges, start), end
        rows = _rows_from(text, start, row_end, final=final)
        if rows is not None and rows.end < 0:
            return ScanOutcome(matches, cost - so_far[1], charges), start
        if rows is None:
            continue
        glance = base + start >= EARLY and not (_is_wrapped(text, rows) or _ends_in_token(text, hits, rows))
        found, paid = ([], PROBE_COST) if glance else _finds_across(scanner, text, rows)
        matches += found
        cost += paid
        charges.append((at, paid))
    return ScanOutcome(matches, cost - so_far[1], charges), end


def _ends_in_token(text: str, hits: list[int], rows: WrappedRows) -> bool:
    """Whether the last word of a row may begin a token that has a format: nothing else is told across rows that may as
    well be two lines.
    """
    first_end = rows.breaks[0][0]
    word = max(text.rfind(" ", rows.start, first_end) + 1, rows.start)
    last = bisect_left(hits, first_end << RULE_BITS)
    hits = hits[bisect_left(hits, word << RULE_BITS) : last]
    return is_random(text[word:first_end]) or any(is_token(hit & RULE_MASK) for hit in hits)


def _stands_alone(text: str, start: int, row_end: int) -> bool:
    """Whether nothing is told across a row and the next one, as far as a glance says: both begin alike, as lines of a
    kind do, or a row of base64 stands below another one of its width, and what both say begins further above.

    A file of certificates has thousands of them.
    """
    if text[start : start + ALIKE] == text[row_end + 1 : row_end + 1 + ALIKE]:
        return True
    width = width_before(text, start)
    if width != row_end - start - (text[row_end - 1] == "\r"):
        return False
    return compile_pattern(_CODE_ROW).match(text, start) is not None and text.find(" ", start - width - 2, start) < 0


def _has_wide_rows(text: str, stretch: tuple[int, int], hits: list[int]) -> bool:
    """Whether any row may be one of a terminal; where there are few hits each is asked by itself."""
    return len(hits) <= CROWD or max(map(len, text[slice(*stretch)].split("\n"))) >= MIN_ROW


def _may_go_on(text: str, row_end: int) -> bool:
    """Whether a row ends, and the next one begins, with what a token has; true if the next one is not here."""
    last = text[row_end - 2] if text[row_end - 1] == "\r" else text[row_end - 1]
    return last in GOING_ON and (row_end + 1 >= len(text) or text[row_end + 1] in GOING_ON)


def _full_rows(text: str, stretch: tuple[int, int]) -> list[int]:
    """Rows that fill the width of a terminal or end inside what is no word, as hits on how they end."""
    start, end = stretch
    found: list[int] = []
    before = width_before(text, start)
    for row in text[start:end].split("\n"):
        width = len(row) - row.endswith("\r")
        following = start + len(row) + 1
        own = _begin_alike(text, start, following)
        if MIN_EARLY_ROW <= width <= MAX_ROW and not own and len(found) < _MAX_ROWS:
            word = row.rfind(" ", 0, width) + 1
            full = width in USUAL_WIDTHS or width == before
            if row[width - 1] in GOING_ON and (full or is_random(row[word:width])):
                found.append(start + word << RULE_BITS)
        before = width
        start += len(row) + 1
    return found


def _rows_from(text: str, start: int, row_end: int, *, final: bool) -> WrappedRows | None:
    """The rows that may be one line with the row of a hit; None if it ends here; without an end if more must come."""
    first_end = row_end - (text[row_end - 1 : row_end] == "\r")
    width = first_end - start
    if not MIN_ROW <= width <= MAX_ROW or text[first_end - 1] not in GOING_ON:
        return None
    breaks: list[Code] = []
    begin = row_end + 1
    while len(breaks) < _MAX_ROWS:
        if begin >= len(text):
            return None if final else WrappedRows(start, breaks, -1, width)
        if text[begin] not in GOING_ON:
            break
        newline = text.find("\n", begin, begin + width + 2)
        if newline < 0 and len(text) - begin < width + 2 and not final:
            return WrappedRows(start, breaks, -1, width)
        newline = newline if newline >= 0 else len(text)
        row_end = newline - (text[newline - 1 : newline] == "\r")
        if row_end - begin > width or (not breaks and _is_own_line(text, begin, start)):
            break
        breaks.append((begin - 1 - (text[begin - 2 : begin - 1] == "\r"), begin, ""))
        if row_end - begin < width or text.find(" ", begin, row_end) >= 0 or text[row_end - 1] not in GOING_ON:
            begin = newline + 1
            break
        begin = newline + 1
    if not breaks:
        return None
    last = text.find("\n", breaks[-1][1])
    return WrappedRows(start, breaks, last if last >= 0 else len(text), width)


def _is_own_line(text: str, begin: int, start: int) -> bool:
    """Whether a row is a line of its own: it begins as the one at `start` does, or as lines do."""
    if _begin_alike(text, begin, start) or _are_led_by_ids(text, begin, start):
        return True
    return compile_pattern(_OWN_LINE).match(text, begin) is not None


def _are_led_by_ids(text: str, one: int, two: int) -> bool:
    r"""Whether two rows begin with ids of one form: the commits of a history, images, jobs.

    >>> _are_led_by_ids("0f4bd509 Draw\nc9ddc049 Look", 14, 0), _are_led_by_ids("0f4bd509 Draw\nc9ddc04 Look", 14, 0)
    (True, False)
    """
    first, second = (compile_pattern(_ID).match(text, at) for at in (one, two))
    return first is not None and second is not None and len(first[0]) == len(second[0]) and first[1] == second[1]


def _begin_alike(text: str, one: int, two: int) -> bool:
    """Whether two rows begin with the same letters, or do but for their numbers, signs among them.

    >>> _begin_alike("101. [GET] 102. [GET] ", 0, 11), _begin_alike("a1b2c3d4a2b3c4d5", 0, 8)
    (True, False)
    """
    if text[one : one + ALIKE] == text[two : two + ALIKE]:
        return True
    begun = text[one : one + 8].translate(_ONE_DIGIT)
    return not begun.isalnum() and begun == text[two : two + 8].translate(_ONE_DIGIT)


def _finds_across(scanner: Scanner, text: str, rows: WrappedRows) -> tuple[list[SecretMatch], int]:
    """What is found in rows read as one line, and reaches from the first into the second; and what that has cost."""
    first_end, second = rows.breaks[0][:2]
    width = first_end - rows.start
    own = _read_rows(scanner, text, (second, rows.end), rows.breaks[1:], TOLD_WITHIN)
    cost = ROWS_COST + len(rows.breaks) // 4 + own.cost
    if any(found[0] == second for found in own.matches):
        return [], cost
    whole = _read_rows(scanner, text, (rows.start, rows.end), rows.breaks, width + TOLD_WITHIN)
    cost += whole.cost
    sure = _is_wrapped(text, rows)
    across = [
        (start, end, rule, kind, LINES)
        for start, end, rule, kind, _ in whole.matches
        if end > second and (start < first_end or (sure and start == second))
    ]
    if sure or not across:
        return across, cost
    first = _read_rows(scanner, text, (rows.start, first_end), [], width)
    alone = {(found[0], found[2]) for found in first.matches}
    return [found for found in across if (found[0], found[2]) not in alone and is_token(found[2])], cost + first.cost


def _read_rows(
    scanner: Scanner, text: str, stretch: tuple[int, int], breaks: list[Code], told_within: int
) -> ScanOutcome:
    """What is told by hits up to a place of rows that are read as one line."""
    shadow = Shadow(text, stretch, [*breaks, (stretch[1], stretch[1], "")])
    hits = scanner.hits(shadow.text, 0, min(len(shadow.text), told_within + WIDEST_HIT))
    hits = [hit for hit in reversed(hits) if hit >> RULE_BITS < told_within]
    return Reading(scanner, shadow).read(hits, (0, 0))


def _is_wrapped(text: str, rows: WrappedRows) -> bool:
    """Whether the rows are surely one line: as wide as others, as a terminal, or what goes on is no word."""
    going_on = text[rows.breaks[0][1] : rows.end]
    if len(rows.breaks) > 1 or len(going_on.rstrip("\r")) == rows.width:
        return True
    if compile_pattern(_WORD).match(going_on):
        return False
    if rows.width in USUAL_WIDTHS or rows.width == width_before(text, rows.start):
        return True
    return compile_pattern(_RANDOM).match(going_on) is not None
