"""JSON by its elements: what is left out is named where it was, and the rest stays as it was written."""

from collections.abc import Iterator

from overspill.cut.json_bounds import OPEN_ARRAY, OPEN_OBJECT, QUOTE, WHITESPACE, Bounds
from overspill.cut.json_strings import string_gap
from overspill.cut.shrink import Ends, Level, Plan, ends_for, gentlest
from overspill.cut.source import Source
from overspill.document_marks import Marked, mark, omitted, quoted
from overspill.marks import Part
from overspill.spans import Form, Gap, Options, Span

DEEPEST = 40  # values below this are shown whole or not at all
LONGEST_NOUN = 40
WIDEST_GLUE = 40


class NoRoom(Exception):
    """A sketch became longer than it may be."""


class JsonSketch:
    """Draws values at one level of shrinking, as long as there is room."""

    def __init__(self, source: Source, bounds: Bounds, level: Level, ends: Ends, room: int, head_ratio: float) -> None:
        self.source = source
        self.buffer = source.buffer
        self.bounds = bounds
        self.level = level
        self.first, self.last = ends.split(level.elements)
        self.from_end = not ends.first and bool(ends.last)
        self.left = room
        self.head_ratio = 0.0 if self.from_end else head_ratio if ends.last else 1.0
        self.gaps: list[Gap] = []

    def plan(self) -> Plan | None:
        """Where the gaps are, or None when the document does not fit at this level."""
        try:
            self.keep(0, self.bounds.root.start)
            self.value(self.bounds.root, 1, "items")
            self.keep(self.bounds.root.end, len(self.buffer))
        except NoRoom:
            return None
        return Plan(tuple(self.gaps))

    def keep(self, start: int, end: int) -> None:
        """Show what lies there."""
        if end - start > 4 * self.left:  # no character is longer than four bytes
            raise NoRoom
        self._spend(self.source.width(start, end))

    def leave_out(self, gap: Gap) -> None:
        """Show a mark in its place."""
        self._spend(len(mark(gap)))
        self.gaps.append(gap)

    def value(self, value: Span, depth: int, noun: str) -> None:
        """Show a value, and of what is long in it only the ends."""
        opening = self.buffer[value.start]
        if self._may_stay(value, depth):
            self.keep(*value)
        elif opening == QUOTE:
            self._string(value)
        elif opening == OPEN_ARRAY:
            self._array(value, depth, noun)
        elif opening == OPEN_OBJECT:
            self._object(value, depth)
        else:
            self._number(value)

    def _may_stay(self, value: Span, depth: int) -> bool:
        """Whether nothing inside needs to be shortened, as far as a glance can tell."""
        width, most_depth, most_keys = self.level.width, self.level.depth, self.level.keys
        size = value.end - value.start
        if size > 4 * self.left:
            return False
        opening = self.buffer[value.start]
        if opening not in (OPEN_ARRAY, OPEN_OBJECT):
            return width is None or size <= width + 2
        if width is not None and size > width:
            return False
        content = bytes(self.buffer[value.start : value.end])
        arrays = content.count(b"[")
        if arrays and content.count(b",") >= self.first + self.last:
            return False
        if most_keys is not None and content.count(b":") > most_keys:
            return False
        return most_depth is None or depth + arrays + content.count(b"{") - 1 <= most_depth

    def _array(self, array: Span, depth: int, noun: str) -> None:
        elements = self.bounds.elements(array)
        if self._too_deep(depth):
            self._replace(array, elements.number, noun)
            return
        first, last = min(self.first, elements.number), min(self.last, max(0, elements.number - self.first))
        shown = [*elements.first, *elements.last]
        number = elements.number - first - last
        if number == 0:
            self._elements(array.start, shown, depth)
            self.keep(shown[-1].end if shown else array.start, array.end)
            return
        glue = self._glue(elements.first)
        gap = Gap(
            shown[first - 1].end if first else shown[0].start,
            shown[-last].start if last else shown[-1].end,
            Form.ITEM,
            number,
            noun,
            before=glue if first else "",
            after=glue if last else "",
        )
        self._elements(array.start, shown[:first], depth)
        if not first:
            self.keep(array.start, gap.start)
        if gap.chars <= len(mark(gap)):
            self.keep(gap.start, gap.end)
        else:
            self.leave_out(gap)
        self._elements(gap.end, shown[len(shown) - last :], depth)
        self.keep(shown[-1].end, array.end)

    def _elements(self, at: int, elements: list[Span], depth: int) -> None:
        for element in elements:
            self.keep(at, element.start)
            self.value(element, depth + 1, "items")
            at = element.end

    def _object(self, container: Span, depth: int) -> None:
        members = self.bounds.members(container)
        if self._too_deep(depth):
            self._replace(container, members.number, "keys")
            return
        known = [*members.first, *members.last]
        keys = members.number if self.level.keys is None else min(self.level.keys, members.number)
        if keys > len(members.first) and members.number > len(known):
            raise NoRoom  # more members than the room has characters for
        shown = known[len(known) - keys :] if self.from_end else known[:keys]
        at = container.start
        end = known[-1].value.end if known else at
        glue = self._glue([Span(member.key.start, member.value.end) for member in known[:2]])
        number = members.number - keys
        if number and self.from_end:
            self.keep(at, known[0].key.start)
            at = shown[0].key.start if shown else end
            self.leave_out(Gap(known[0].key.start, at, Form.KEY, number, "keys", after=glue if shown else ""))
        for member in shown:
            self.keep(at, member.value.start)
            self.value(member.value, depth + 1, self._noun(member.key))
            at = member.value.end
        if number and not self.from_end:
            if not shown:
                self.keep(at, known[0].key.start)
                at = known[0].key.start
            self.leave_out(Gap(at, end, Form.KEY, number, "keys", before=glue if shown else ""))
        self.keep(end, container.end)

    def _string(self, string: Span) -> None:
        if self.level.width is None:
            raise NoRoom
        gap = string_gap(self.source, string, self.level.width, self.head_ratio)
        if gap is None:
            self.keep(*string)
            return
        self.keep(string.start, gap.start)
        self.leave_out(gap)
        self.keep(gap.end, string.end)

    def _number(self, number: Span) -> None:
        """A number too long to be shown; half a number would be another one."""
        if self.level.width is None:
            raise NoRoom
        self.leave_out(Gap(*number, Form.VALUE, number.end - number.start, "chars"))

    def _replace(self, container: Span, number: int, noun: str) -> None:
        gap = Gap(*container, Form.VALUE, number, noun)
        if number == 0 or container.end - container.start <= len(mark(gap)):
            self.keep(*container)
        else:
            self.leave_out(gap)

    def _too_deep(self, depth: int) -> bool:
        most = DEEPEST if self.level.depth is None else min(DEEPEST, self.level.depth)
        return depth > most

    def _noun(self, key: Span) -> str:
        """What the elements of the array under this key are called."""
        if key.end - key.start > 4 * LONGEST_NOUN:
            return "items"
        noun = self.source.text(key.start + 1, key.end - 1)
        return noun if noun.strip() and len(noun) <= LONGEST_NOUN and noun.isprintable() else "items"

    def _glue(self, neighbours: "tuple[Span, ...] | list[Span]") -> str:
        """What stands between two elements here, with its spaces and line ends."""
        if len(neighbours) > 1:
            one, two = neighbours[:2]
            if two.start - one.end <= WIDEST_GLUE:
                return self.source.text(one.end, two.start)
        return ", "

    def _spend(self, chars: int) -> None:
        self.left -= chars
        if self.left < 0:
            raise NoRoom


class JsonDocument:
    """A JSON text that was found valid."""

    def __init__(self, source: Source, options: Options, side: str) -> None:
        self.source = source
        self._options = options
        self._ends = ends_for(options, side)
        self._bounds = Bounds(source.buffer, first=self._ends.first, last=self._ends.last)

    def plan(self, room: int) -> Plan | None:
        def sketch(level: Level) -> Plan | None:
            ratio = self._options.head_ratio
            return JsonSketch(self.source, self._bounds, level, self._ends, room, ratio).plan()

        return gentlest(sketch, self._ends, self._options.max_depth, room) if room > 0 else None

    def least(self, note: str) -> Iterator[list[Marked]]:
        """The root with nothing inside but a marker and the note; then the note alone."""
        root, data = self._bounds.root, quoted(note)
        if self.source.buffer[root.start] in b"[{":
            yield from self._least_container(note)
        elif self.source.buffer[root.start] == QUOTE:
            gap = Gap(root.start + 1, root.end - 1, Form.STRING, noun="chars")
            yield [Marked(gap, f"... {data[1:-1]}".rstrip())]
        everything = Gap(0, len(self.source.buffer), Form.VALUE, noun="chars")
        yield [Marked(everything, data if note else '"..."')]

    def _least_container(self, note: str) -> Iterator[list[Marked]]:
        root, data = self._bounds.root, quoted(note)[1:-1]
        if self.source.buffer[root.start] == OPEN_ARRAY:
            gap = Gap(*inside(self._bounds), Form.ITEM, self._bounds.elements(root).number)
            also = f', "{data}"' if note else ""
            forms = [mark(gap, note), f'"... {omitted(gap.number, gap.noun)}; {data}"', f'"..."{also}']
        else:
            gap = Gap(*inside(self._bounds), Form.KEY, self._bounds.members(root).number, "keys")
            forms = [mark(gap, note), f'"...":"{data or "..."}"']
        if gap.number:
            yield from ([Marked(gap, form)] for form in forms)

    def whereabouts(self, gap: Gap) -> Part:
        """The bytes of what is left out, without the commas around them."""
        start, end = gap.start, gap.end
        if gap.form not in (Form.ITEM, Form.KEY):
            return Part("bytes", start, end)
        while start < end and self.source.buffer[start] in b", \t\n\r":
            start += 1
        while start < end and self.source.buffer[end - 1] in b", \t\n\r":
            end -= 1
        return Part("bytes", start, end)


def inside(bounds: Bounds) -> Span:
    """What lies between the brackets of the root, without the space next to them."""
    start, end = bounds.root.start + 1, bounds.root.end - 1
    while start < end and bounds.buffer[start] in WHITESPACE:
        start += 1
    while start < end and bounds.buffer[end - 1] in WHITESPACE:
        end -= 1
    return Span(start, end)
