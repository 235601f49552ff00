"""XML by its elements: a comment stands where something was left out, and the rest stays as it was written.

Of the text between tags, taken piece by piece, a long piece may lose its middle.
"""

from __future__ import annotations

from itertools import pairwise, product

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.core.markers import Part
from overspill.core.spans import CLUSTER_REACH, Form, Gap, Options, Span, ceil, floor
from overspill.documents.json_pieces import Source, stripped_span
from overspill.documents.shrink import (
    WIDEST_GLUE,
    ArrayEnds,
    CutPlan,
    MarkedGap,
    NoRoom,
    ShrinkLevel,
    comment,
    ends_for,
    gentlest_plan,
    mark,
    omitted_words,
)
from overspill.documents.xml_bounds import FAILED, XmlNode, parse_xml

if TYPE_CHECKING:
    from collections.abc import Iterator

    from overspill.documents.failures import XmlWatch

CDATA, CDATA_END = b"<![CDATA[", b"]]>"
DECLARATION = b"<?xml"

# How a piece begins and ends. What ends one may stand directly after its beginning, and does not end it there.
_KINDS = (
    ("cdata", CDATA, compile_pattern(rb"\]\]>")),
    ("comment", b"<!--", compile_pattern(rb"-->")),
    ("instruction", b"<?", compile_pattern(rb"\?>")),
)
# Quotes and comments may hold any bracket.
_DOCTYPE = compile_pattern(
    rb"""(?s)<!DOCTYPE(?:[^\["'>]|"[^"]*"|'[^']*')*+"""
    rb"""(?:\[(?:<!--.*?-->|<\?.*?\?>|"[^"]*"|'[^']*'|[^\]"'<]|<(?!!--|\?))*+\])?+\s*+>"""
)
_VALUE = compile_pattern(rb"""\"[^\"]*\"|'[^']*'""")
_TAG = compile_pattern(rb"<")
_LONGEST_REFERENCE = 64  # begun further back, it is found to be one all the same: only its digits are many


class XmlPiece(NamedTuple):
    """A stretch of text, a CDATA section, a comment, an instruction or the DOCTYPE."""

    start: int
    end: int
    kind: str


def xml_pieces(buffer: memoryview, start: int, end: int) -> Iterator[XmlPiece]:
    """What lies between two tags."""
    while start < end:
        piece = _piece_at(buffer, start, end)
        yield piece
        start = piece.end


def values_in(buffer: memoryview, start: int, end: int) -> Iterator[Span]:
    """The values of the attributes in a tag, without their quotes."""
    for value in _VALUE.finditer(buffer, start, end):
        yield Span(value.start() + 1, value.end() - 1)


def _piece_at(buffer: memoryview, start: int, end: int) -> XmlPiece:
    # A search for the few bytes that end a piece is native, however long it is.
    begins = bytes(buffer[start : start + len(CDATA)])
    for kind, opening, closing in _KINDS:
        if begins.startswith(opening):
            found = closing.search(buffer, start + len(opening), end)
            return XmlPiece(start, end if found is None else found.end(), kind)
    doctype = _DOCTYPE.match(buffer, start, end) if begins.startswith(b"<!") else None
    if doctype is not None:
        return XmlPiece(start, doctype.end(), "doctype")
    found = _TAG.search(buffer, start + 1, end)
    return XmlPiece(start, end if found is None else found.start(), "text")


def piece_gap(source: Source, piece: XmlPiece, keep: int, head_ratio: float) -> Gap | None:
    """The part to leave out when `keep` characters of a piece are to stay, or None when that saves nothing."""
    declared = bytes(source.buffer[piece.start : piece.start + len(DECLARATION)]) == DECLARATION
    if declared or piece.kind == "doctype":
        return None
    if piece.kind in {"comment", "instruction"}:
        gap = Gap(piece.start, piece.end, Form.COMMENT, piece.end - piece.start, "chars")
        return gap if piece.end - piece.start > keep and gap.chars > 4 * len(mark(gap)) else None
    inner, before, after = Span(piece.start, piece.end), "", ""
    if piece.kind == "cdata":
        inner = Span(piece.start + len(CDATA), piece.end - len(CDATA_END))
        before, after = CDATA_END.decode(), CDATA.decode()
    head = max(0, round(keep * head_ratio))
    references = piece.kind == "text"
    first = _text_head_end(source, inner, head, references=references)
    last = _text_tail_start(source, Span(first, inner.end), max(0, keep - head), references=references)
    gap = Gap(first, last, Form.COMMENT, last - first, "chars", before, after)
    saves = last - first > 4 * len(mark(gap)) or source.width(first, last) > len(mark(gap))
    return gap if saves else None


def _text_head_end(source: Source, span: Span, chars: int, *, references: bool) -> int:
    text = str(source.buffer[span.start : min(span.end, span.start + 4 * (chars + CLUSTER_REACH))], "utf-8", "ignore")
    at = _settled_in_text(text, min(chars, len(text)), backward=True, references=references)
    return span.start + len(text[:at].encode())


def _text_tail_start(source: Source, span: Span, chars: int, *, references: bool) -> int:
    begin = max(span.start, span.end - 4 * (chars + CLUSTER_REACH + _LONGEST_REFERENCE))
    text = str(source.buffer[begin : span.end], "utf-8", "ignore")
    at = _settled_in_text(text, max(0, len(text) - chars), backward=False, references=references)
    return span.end - len(text[at:].encode())


def _settled_in_text(text: str, at: int, *, backward: bool, references: bool) -> int:
    """The nearest place on that side that is inside neither a reference nor a grapheme."""
    while True:
        moved = at
        if references and _inside_reference(text, at):
            moved = text.rfind("&", 0, at) if backward else text.find(";", at) + 1 or len(text)
        moved = floor(text, moved) if backward else ceil(text, moved)
        if moved == at:
            return at
        at = moved


def _inside_reference(text: str, at: int) -> bool:
    """Whether `at` lies in something like `&amp;`: every ampersand begins one, and a semicolon ends it."""
    return text.rfind("&", 0, at) > text.rfind(";", 0, at)


DEEPEST = 40
LEAST_TOLD, TOLD_SHARE, TROUBLED_SHARE = 600, 0.55, 0.45  # of the room, for what all elements add up to
MOST_MARKS, FOR_EACH = 8, 100  # statements, and characters for each, of which it is known that they are comments
LARGE, LARGE_SHARE = 8, 0.75  # times the room: of so long a document few elements say little of the others
LONGEST_NAME = 120  # of an attribute; what is not longer may be a name, and half a name is useless


class XmlDocument:
    """A text that was found to be well-formed XML without entities of its own."""

    nameless = False

    def __init__(self, source: Source, options: Options, side: str, _limit: int) -> None:
        self.source = source
        self._options = options
        self._ends = ends_for(options, side)
        self._watch: XmlWatch | None = None
        if side == "smart":
            from overspill.documents.failures import XmlWatch

            self._watch = XmlWatch(source.buffer, options.focus)
        self._root = parse_xml(source.buffer, self._ends.first, self._ends.last, self._watch)

    def plan(self, room: int) -> CutPlan | None:
        """What all elements add up to, and some of them; or no element, or nothing but elements."""
        told = [said for share in self._shares(room) if (said := self._statements(room, share))]
        plans = [(said, self._plan) for said in told] + [(said, self._bare_plan) for said in told[:1]]
        for said, draw in plans:
            plan = draw(room - sum(len(comment(words)) + 1 for words in said))
            at = next((at for at, gap in enumerate(plan.gaps) if _may_tell(gap)), None) if plan is not None else None
            if plan is not None and at is not None:
                gap = plan.gaps[at]
                gap = gap._replace(said=said, between="\n" if "\n" in gap.before + gap.after else "")
                return plan._replace(gaps=(*plan.gaps[:at], gap, *plan.gaps[at + 1 :]))
        return self._plan(room)

    def _shares(self, room: int) -> tuple[float, ...]:
        """Of the room, for what all elements add up to: as much as there may be, or less."""
        if self._watch is None or room < LEAST_TOLD:
            return ()
        if self._watch.elements.troubles:
            return (TROUBLED_SHARE,)
        return (LARGE_SHARE, TOLD_SHARE) if len(self.source.buffer) > LARGE * room else (TOLD_SHARE,)

    def _statements(self, room: int, share: float) -> tuple[str, ...]:
        """What all elements add up to, in a part of the room."""
        left, result = int(room * share), list[str]()
        marks = min(MOST_MARKS, left // FOR_EACH) * len(comment(""))  # what makes them comments takes room, too
        for words in self._watch.elements.statements(left - marks) if self._watch is not None else ():
            width = len(comment(words)) + 1
            if width <= left:
                left -= width
                result.append(words)
        return tuple(result)

    def _bare_plan(self, room: int) -> CutPlan | None:
        """The root with none of its elements, of which one by itself may be too long."""
        root, buffer = self._root, self.source.buffer
        if not root.number:
            return None
        gap = Gap(root.known[0].start, root.last_end, Form.COMMENT, root.number, root.noun)
        left = room - len(mark(gap)) - self.source.width(0, gap.start) - self.source.width(gap.end, len(buffer))
        return CutPlan((gap,), left) if left >= 0 else None

    def _plan(self, room: int) -> CutPlan | None:
        def sketch(level: ShrinkLevel) -> CutPlan | None:
            return _Sketch(self.source, level, self._ends, room, self._options.head_ratio).plan(self._root)

        return gentlest_plan(sketch, self._ends, self._options.max_depth, room)

    def least(self, note: str) -> Iterator[list[MarkedGap]]:
        """The root's tags with nothing inside but how much was there, and the note; and nothing around it."""
        root, length = self._root, len(self.source.buffer)
        inside = root.inside(self.source.buffer)
        if root.empty or inside == root.close:
            return
        gap = Gap(inside, root.close, Form.COMMENT, root.number or root.close - inside, _noun(root))
        words = f"... {omitted_words(gap.number, gap.noun)}"
        forms = [mark(gap, note), comment(f"{words}; {note}" if note else words), comment(note or "...")]
        around = [Gap(0, root.start, Form.COMMENT, noun="chars"), Gap(root.end, length, Form.COMMENT, noun="chars")]
        before, after = ([MarkedGap(side, "")] if side.chars else [] for side in around)
        named = [[MarkedGap(side, comment("..."))] if side.chars else [] for side in around]
        for form, (first, last) in product(forms, (named, (before, after))):
            yield [*first, MarkedGap(gap, form), *last]

    def part_of(self, gap: Gap) -> Part:
        """The bytes of what is left out, without the space around elements."""
        span = Span(gap.start, gap.end)
        return Part("bytes", *(span if gap.noun == "chars" else stripped_span(self.source.buffer, *span, b" \t\r\n")))


class _Sketch:
    """Draws elements at one level of shrinking, as long as there is room."""

    def __init__(self, source: Source, level: ShrinkLevel, ends: ArrayEnds, room: int, head_ratio: float) -> None:
        self.source = source
        self.level = level
        self.most = ends.most
        self.ends = ends
        self.few = min(level.elements, ends.most)
        self.left = room
        self.head_ratio = 0.0 if ends.last and not ends.first else head_ratio if ends.last else 1.0
        self.gaps: list[Gap] = []
        self.odd = 0

    def plan(self, root: XmlNode) -> CutPlan | None:
        try:
            self._between(0, root.start)
            self._element(root, 1)
            self._between(root.end, len(self.source.buffer))
        except NoRoom:
            return None
        return CutPlan(tuple(self.gaps), self.left, self.odd)

    def _element(self, node: XmlNode, depth: int) -> None:
        if self._may_stay(node, depth):
            self._keep(node.start, node.end)
            return
        if node.empty:
            self._tag(node.start, node.end)
            return
        inside = node.inside(self.source.buffer)
        self._tag(node.start, inside)
        if not node.number:
            self._between(inside, node.close)
        elif depth > min(DEEPEST, self.level.depth or DEEPEST) and not node.odd:
            self._leave_out(Gap(inside, node.close, Form.COMMENT, node.number, node.noun))
        else:
            self._children(node, inside, depth)
        self._keep(node.close, node.end)

    def _may_stay(self, node: XmlNode, depth: int) -> bool:
        size = node.end - node.start
        if size > 4 * self.left or node.widest > self.few:
            return False
        deep = self.level.depth is not None and node.height > 1 and depth + node.height - 2 >= self.level.depth
        return not deep and (self.level.width is None or size <= self.level.width)

    def _children(self, node: XmlNode, inside: int, depth: int) -> None:
        """Show the first and the last children, and those between them that matter."""
        outliers = node.outliers() if self.ends.odd else []
        first, last, odd = self.ends.shown_counts(
            self.level.elements, len(outliers), failed=bool(outliers) and outliers[0][0] <= FAILED
        )
        first = min(first, node.number)
        after = node.number - min(last, node.number - first)
        known = node.known
        shown = [*enumerate(known[:first])]
        inside_out = sorted((number, child) for _, number, child in outliers[:odd] if first <= number < after)
        self.odd += len(inside_out)
        if inside_out and not any(child.odd for _, child in inside_out):
            depth = 0  # what matters is shown as deep as if it stood alone
        shown += inside_out
        shown += enumerate(known[len(known) - (node.number - after) :] if after < node.number else (), after)
        # What stands between two elements, such as a line end and an indent, also stands around the marker.
        glue = self._glue(node)
        thrifty = node.number <= self.most
        at, next_number = inside, 0
        for number, child in shown:
            if number > next_number:
                gap = Gap(at, child.start, Form.COMMENT, number - next_number, node.noun)
                if next_number:
                    gap = gap._replace(before=glue)
                else:
                    self._between(at, known[0].start)
                    gap = gap._replace(start=known[0].start)
                self._leave_out(gap._replace(after=glue), thrifty=thrifty)
                at = child.start
            at = self._run(at, [child], depth)
            next_number = number + 1
        if node.number > next_number:
            start = at if next_number else known[0].start
            self._between(at, start)
            gap = Gap(start, node.last_end, Form.COMMENT, node.number - next_number, node.noun)
            self._leave_out(gap._replace(before=glue if next_number else ""), thrifty=thrifty)
            at = gap.end
        self._between(at, node.close)

    def _tag(self, start: int, end: int) -> None:
        """Show a tag, and of long attributes only the ends."""
        width = self.level.width
        at = start
        if width is not None and end - start > width:
            for value in values_in(self.source.buffer, start, end):
                keep = max(width, LONGEST_NAME)
                if value.chars <= keep:
                    continue
                gap = piece_gap(self.source, XmlPiece(*value, "text"), keep, self.head_ratio)
                if gap is not None:
                    gap = gap._replace(form=Form.ATTRIBUTE)
                    self._keep(at, gap.start)
                    self._leave_out(gap)
                    at = gap.end
        self._keep(at, end)

    def _run(self, at: int, nodes: list[XmlNode], depth: int) -> int:
        for node in nodes:
            self._between(at, node.start)
            self._element(node, depth + 1)
            at = node.end
        return at

    def _between(self, start: int, end: int) -> None:
        """Show what lies between two tags, and of long text only the ends."""
        width = self.level.width
        if width is None or end - start <= width:
            self._keep(start, end)
            return
        at = start
        for piece in xml_pieces(self.source.buffer, start, end):
            gap = piece_gap(self.source, piece, width, self.head_ratio) if piece.end - piece.start > width else None
            if gap is not None:
                self._keep(at, gap.start)
                self._leave_out(gap)
                at = gap.end
            elif piece.end - at > 4 * self.left:
                raise NoRoom
        self._keep(at, end)

    def _glue(self, node: XmlNode) -> str:
        for one, two in pairwise(node.neighbours):
            between = self.source.text(one.end, two.start) if two.start - one.end <= WIDEST_GLUE else ""
            if not between.strip():
                return between
        return ""

    def _keep(self, start: int, end: int) -> None:
        if end - start > 4 * self.left:
            raise NoRoom
        self._spend(self.source.width(start, end))

    def _leave_out(self, gap: Gap, *, thrifty: bool = True) -> None:
        if thrifty and gap.chars <= len(mark(gap)):
            self._keep(gap.start, gap.end)
            return
        self._spend(len(mark(gap)))
        self.gaps.append(gap)

    def _spend(self, chars: int) -> None:
        self.left -= chars
        if self.left < 0:
            raise NoRoom


def _may_tell(gap: Gap) -> bool:
    """Whether statements may stand with the mark of a gap: it is one between elements."""
    return gap.form is Form.COMMENT and gap.noun != "chars"


def _noun(node: XmlNode) -> str:
    return node.noun if node.number else "chars"
