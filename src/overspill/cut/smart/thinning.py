"""A text that nearly fits is shown as it is, but for kinds of lines that say least: these are told by a statement each.

A view of parts that were chosen one by one has a mark between any two. Where most of a text fits, leaving out is better
than choosing: what stands together stays together, and every line that is like no other is there.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.core.spans import Span, Why
from overspill.cut.digest import counts_of
from overspill.cut.digest.leading_names import BlockHeads
from overspill.cut.digest.templates import TemplateDigest
from overspill.cut.smart.choice import ENDS, Selection, cut_of_selection, fill_ends, shown_spans
from overspill.cut.smart.coverage import News, take_whole_kinds
from overspill.cut.smart.overview import untold_units
from overspill.cut.smart.shapes import has_passed
from overspill.cut.smart.units import NOVEL, unit_width_limit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from overspill.core.spans import Cut, Options, Room
    from overspill.cut.smart.folds import Fold
    from overspill.cut.smart.overview import LinePool
    from overspill.cut.smart.units import Findings, Unit

FEWEST = 6  # lines of a kind: of fewer each is worth more than a count of them
MOST_SAID = 1.0  # words that each line of a kind says and no other does: more, and its lines are not alike,
MOST_LINES = 0.45  # unless they are so many of all
WHY = "nearly all of it fits"
MOST_HIDDEN = 999  # characters in most gaps
STATEMENT = 110  # characters of what is said of a kind
UNSAID = (NOVEL, "a record with it")  # why a line is shown of which nobody says that it tells of trouble
HEADS = 0.1  # of the lines: those that stand at the margin, or what is indented is all there is
LEAST_KEPT = 0.3  # of the room: where less stays, lines that are alike are what there is to show
ALIKE = 0.3  # of the lines that are indented
MOST_KINDS = 24  # that are looked at


class Thinning(NamedTuple):
    """What stays of a text, and the kinds of lines that do not."""

    parts: list[Span]
    kinds: list[str]


def thinned_cut(
    text: str, found: Findings, room: Room, options: Options, folds: list[Fold], pool: LinePool
) -> Cut | None:
    """The view of a text that nearly fits; None where it does not, or where more than lines that are alike is told."""
    if any(not isinstance(digest, TemplateDigest | BlockHeads) for digest in found.digests):
        return None
    found = found._replace(digests=tuple(digest for digest in found.digests if isinstance(digest, TemplateDigest)))
    thin = thinned_text(text, pool, found.units, room.chars, room.marks.most(MOST_HIDDEN) + ENDS)
    if thin is None:
        return None
    news = News(found._replace(crowd=None), pool)
    overview = news.begin_with(thin.kinds)
    selection = Selection(text, room.chars - sum(len(line) + 1 for line in overview), (), folds, room.marks)
    skips = sorted([*(Span(fold.start, fold.end) for fold in folds), *found.dull])
    wide = unit_width_limit(text, room.chars, options)

    def show(span: Span) -> Sequence[Span]:
        return shown_spans(text, span, skips, wide)

    parts = [part for span in thin.parts for part in show(span)]
    if not selection.take(parts):
        return None
    whys = [Why(*part, WHY) for part in parts]
    whys += news.take(selection, untold_units(text, found), show)
    overview = news.statements()
    whys += take_whole_kinds(selection, pool, show, None, news.passing)
    if not news.passing or options.fill == "always":
        fill_ends(text, selection, skips, wide, room.gap)
    return cut_of_selection(text, selection, found._replace(notes=()), [], tuple(whys))._replace(overview=overview)


def thinned_text(text: str, pool: LinePool, units: Sequence[Unit], room: int, mark: int) -> Thinning | None:
    """The text without what says least for what it takes; None where that does not make it fit.

    That are kinds of lines; or, where hardly any are alike, what is indented furthest.
    """
    severe = [Span(unit.start, unit.end) for unit in units if unit.why not in UNSAID]
    return _without_kinds(text, pool, severe, room, mark) or _without_depths(text, pool, severe, room, mark)


def _without_kinds(text: str, pool: LinePool, severe: list[Span], room: int, mark: int) -> Thinning | None:
    """Leave out kinds of lines.

    Several that stand together are one gap, so that all are left out before any is looked at again: one without which
    the text fits, too, stays.
    """
    lines = dict(zip(pool.starts, pool.kinds, strict=True))
    told = {lines.get(start, "") for start, _ in severe}
    chosen: dict[str, None] = {}
    for kind in [kind for kind in dullest_kinds(pool) if kind not in told][:MOST_KINDS]:
        chosen[kind] = None
        if _width(_parts_without(text, pool, chosen), chosen, mark) <= room:
            break
    else:
        return None
    for kind in [*chosen]:
        fewer = {one: None for one in chosen if one != kind}
        if _width(_parts_without(text, pool, fewer), fewer, mark) <= room:
            chosen = fewer
    parts = _parts_without(text, pool, chosen)
    if sum(part.chars for part in parts) < LEAST_KEPT * room and not _have_passed(text, pool, chosen):
        return None
    return Thinning(parts, [*chosen])


def _have_passed(text: str, pool: LinePool, kinds: Mapping[str, None]) -> bool:
    """Whether all of these kinds tell of tests that passed."""
    firsts: dict[str, str] = {}
    for start, end, kind in zip(pool.starts, pool.ends, pool.kinds, strict=True):
        if kind in kinds:
            firsts.setdefault(kind, text[start:end].rstrip())
    return all(map(has_passed, firsts.values()))


def _without_depths(text: str, pool: LinePool, severe: list[Span], room: int, mark: int) -> Thinning | None:
    """The lines that others are indented under, with as many of these levels as fit."""
    depths = [_depth(text, start, end) for start, end in zip(pool.starts, pool.ends, strict=True)]
    levels = sorted({depth for depth in depths if depth}, reverse=True)
    heads = [text[start:end] for start, end, depth in zip(pool.starts, pool.ends, depths, strict=True) if not depth]
    kinds = counts_of(kind for kind, depth in zip(pool.kinds, depths, strict=True) if depth)
    if max(kinds.values(), default=0) > ALIKE * sum(kinds.values()):
        return None  # a list of names is indented: what it names is told by it alone
    for level in levels if len(heads) >= HEADS * len(depths) and 2 * len({*heads}) > len(heads) else ():
        parts, at = list[Span](), 0
        for start, end, depth in zip(pool.starts, pool.ends, depths, strict=True):
            if depth >= level and not any(one.start <= start < one.end for one in severe):
                if text[at:start].strip():
                    parts.append(Span(at, start))
                at = end
        if text[at:].strip():
            parts.append(Span(at, len(text)))
        if _width(parts, {}, mark) <= room:
            return Thinning(parts, []) if sum(part.chars for part in parts) >= LEAST_KEPT * room else None
    return None


def _depth(text: str, start: int, end: int) -> int:
    line = text[start:end]
    return len(line) - len(line.lstrip())


def dullest_kinds(pool: LinePool) -> list[str]:
    """Kinds of several lines, those first that say least for a character."""
    chars: dict[str, int] = {}
    losses: dict[str, float] = {}
    said: dict[str, float] = {}
    worths = pool.vocabulary.worths(pool.vocabulary.rows)
    counts = counts_of(pool.kinds)
    for at, kind in enumerate(pool.kinds):
        chars[kind] = chars.get(kind, 0) + pool.ends[at] - pool.starts[at]
        said[kind] = said.get(kind, 0.0) + worths[at]
        losses[kind] = losses.get(kind, 0.0) + worths[at] * pool.factors[at]
    often = [
        kind
        for kind, count in counts.items()
        if count >= FEWEST and (said[kind] <= MOST_SAID * count or count >= MOST_LINES * len(pool.kinds))
    ]
    return sorted(often, key=lambda kind: losses[kind] / chars[kind])


def _width(parts: list[Span], kinds: Mapping[str, None], mark: int) -> int:
    """What a view takes that shows these parts and tells of these kinds."""
    return sum(end - start for start, end in parts) + mark * (len(parts) + 1) + STATEMENT * len(kinds)


def _parts_without(text: str, pool: LinePool, kinds: Mapping[str, None]) -> list[Span]:
    """What stands between the lines of these kinds; nothing but blanks between two of them stays."""
    parts, at = list[Span](), 0
    for start, end, kind in zip(pool.starts, pool.ends, pool.kinds, strict=True):
        if kind in kinds:
            if text[at:start].strip():
                parts.append(Span(at, start))
            at = end
    if text[at:].strip():
        parts.append(Span(at, len(text)))
    return parts
