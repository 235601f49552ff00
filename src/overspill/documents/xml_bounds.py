"""Where the elements of an XML document begin and end, in bytes, and of which only those at the ends are remembered.

A DOCTYPE is read as far as it stands in the document. What it refers to is never fetched, and a document whose text
means what entities say, be they defined there or elsewhere, is refused.
"""

from __future__ import annotations

from collections import deque

from overspill._lite import TYPE_CHECKING, compile_pattern
from overspill.documents.json_pieces import NotStrict

if TYPE_CHECKING:
    from xml.parsers.expat import XMLParserType

    from overspill.documents.failures import XmlWatch

MOST_LEVELS = 900
CHUNK = 1 << 18
FOCUS, FAILED, RARE, ORDINARY = range(4)
MOST_ODD = 400  # children that are remembered because they matter
FEWEST = 12  # among fewer children no name is rare
MOST_ALIKE = 2  # so many children of a name are rare
MOST_TAGS = 40
LONGEST_TEXT = 1_000  # characters of a text that is looked at
# The parser begins a tag or a comment anew with every chunk until it is complete: longer ones would take forever.
LONGEST_TAG = 1 << 24

_START_TAG = compile_pattern(rb"""<[^>"']*+(?:"[^"]*"[^>"']*+|'[^']*'[^>"']*+)*+>""")
_CLOSE = compile_pattern(rb">")
# In attributes the parser leaves out, without a word, what is defined in a DTD that nobody fetches.
_REFERENCE_IN_TAG = compile_pattern(rb"<[A-Za-z_:][^<>]*?&(?!(?:amp|lt|gt|quot|apos);|#)([^\s;<>&]{1,40});")


class XmlNode:
    """An element: its tags, how many children it has, and the first and the last of them."""

    __slots__ = (
        "close", "end", "first", "height", "last", "number", "odd", "rank", "start", "tag", "tagged", "tags", "widest"
    )  # fmt: skip

    def __init__(self, start: int, tag: str, last: int) -> None:
        self.start = start
        self.close = self.end = 0  # where its end tag begins and ends; an empty-element tag has none
        self.tag = tag
        self.tags = ""  # of its children, if they share one
        self.number = 0
        self.first: list[XmlNode] = []
        self.last: deque[XmlNode] = deque(maxlen=last)
        self.widest = 0  # most children of one element, itself and all below it
        self.height = 1
        self.rank = ORDINARY  # lower, where it or something in it matters
        self.odd: list[tuple[int, int, XmlNode]] = []  # rank and number of children that matter
        self.tagged: dict[str, list[tuple[int, XmlNode]]] = {}  # the first children of a name, where many were seen

    @property
    def empty(self) -> bool:
        """Whether it is written as one tag, with no inside."""
        return self.close == self.end

    @property
    def known(self) -> list[XmlNode]:
        return [*self.first, *self.last]

    @property
    def last_end(self) -> int:
        """Where its last child ends."""
        return self.known[-1].end

    @property
    def neighbours(self) -> list[XmlNode]:
        """Two children with no other between them, if two such are known."""
        for run in (self.first, [*self.last], self.known if self.number == len(self.known) else []):
            if len(run) > 1:
                return run[:2]
        return []

    def outliers(self) -> list[tuple[int, int, XmlNode]]:
        """The children that are not like the others, those that matter most first, with their numbers."""
        rare = (
            []
            if self.number < FEWEST
            else [
                (RARE, number, node)
                for found in self.tagged.values()
                if len(found) <= MOST_ALIKE
                for number, node in found
                if node.rank == ORDINARY
            ]
        )
        return sorted(self.odd + rare, key=lambda one: one[:2])

    def inside(self, buffer: memoryview) -> int:
        """Where its start tag ends."""
        tag = _START_TAG.match(buffer, self.start)
        return tag.end() if tag else self.end

    @property
    def noun(self) -> str:
        """What its children are called.

        >>> node = XmlNode(0, "entries", 5)
        >>> node.tags = "x:entry"
        >>> node.noun
        'entries'
        """
        noun = self.tags.rpartition(":")[2]
        if not noun or "--" in noun or noun.endswith("-"):
            return "items"
        if noun.endswith(("s", "x")):
            return noun if noun.endswith("s") else f"{noun}es"
        return f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2:-1] not in "aeiou" else f"{noun}s"


def parse_xml(buffer: memoryview, first: int, last: int, watch: XmlWatch | None = None) -> XmlNode:
    """The root element of a well-formed document. With a `watch`, children that matter are remembered, too."""
    from xml.parsers.expat import ExpatError, ParserCreate

    # What the declaration says of the encoding was true of the file; here it is UTF-8.
    parser = ParserCreate("utf-8")
    builder = _Builder(parser, buffer, max(1, first), max(1, last), watch)
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    if watch is not None:
        parser.buffer_text = True
        parser.CharacterDataHandler = builder.text
    parser.EndDoctypeDeclHandler = builder.doctype
    parser.EntityDeclHandler = _refuse_definition
    parser.ExternalEntityRefHandler = _refuse_definition
    parser.SkippedEntityHandler = _refuse_reference
    parser.specified_attributes = True
    try:
        for at in range(0, len(buffer), CHUNK):
            parser.Parse(bytes(buffer[at : at + CHUNK]), False)
            if at - parser.CurrentByteIndex > LONGEST_TAG:
                raise NotStrict(f"a tag or a comment of more than {LONGEST_TAG} bytes")
        parser.Parse(b"", True)
    except ExpatError as error:
        raise NotStrict(str(error)) from None
    finally:
        # The handlers hold the builder, and the builder holds the parser.
        parser.StartElementHandler = parser.EndElementHandler = parser.CharacterDataHandler = None
    if builder.root is None:
        raise NotStrict("no element")
    return builder.root


def _refuse_definition(*_declaration: object) -> int:
    raise NotStrict("its DOCTYPE defines entities, or refers to some that lie elsewhere")


def _refuse_reference(name: str, *_kind: object) -> None:
    raise NotStrict(f"it refers to &{name[:40]};, which it does not define")


class _Builder:
    def __init__(
        self, parser: XMLParserType, buffer: memoryview, first: int, last: int, watch: XmlWatch | None
    ) -> None:
        self._watch = watch
        self.root: XmlNode | None = None
        self._parser = parser
        self._buffer = buffer
        self._first = first
        self._last = last
        self._open: list[XmlNode] = []
        self._ways: list[tuple[str, dict[str, str]]] = []  # path and attributes of each of them
        self._text = ""  # of the innermost, as long as it has no child

    def doctype(self) -> None:
        found = _REFERENCE_IN_TAG.search(self._buffer)
        if found is not None:
            _refuse_reference(found[1].decode("utf-8", "replace"))

    def text(self, data: str) -> None:
        if len(self._text) < LONGEST_TEXT:
            self._text += data

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if len(self._open) >= MOST_LEVELS:
            raise NotStrict(f"more than {MOST_LEVELS} levels")
        node = XmlNode(self._parser.CurrentByteIndex, tag, self._last)
        self._open.append(node)
        if self._watch is not None:
            self._ways.append((f"{self._ways[-1][0]}/{tag}" if self._ways else tag, attributes))
            self._text = ""
            if self._watch.tells(tag, attributes):
                node.rank = FAILED

    def end(self, tag: str) -> None:
        node = self._open.pop()
        at = self._parser.CurrentByteIndex
        self._close(node, at, tag)
        if self._watch is not None:
            path, attributes = self._ways.pop()
            self._watch.elements.add(path, tag, attributes, "" if node.number else " ".join(self._text.split()))
            if self._open and self._watch.is_trouble(tag):
                self._watch.elements.add_trouble(self._open[-1].tag, self._ways[-1][1], tag)
            self._text = ""
        if not self._open:
            self.root = node
            return
        parent = self._open[-1]
        if self._watch is not None:
            self._look(parent, node, self._watch)
        parent.tags = tag if parent.number == 0 or parent.tags == tag else ""
        parent.number += 1
        parent.widest = max(parent.widest, parent.number, node.widest)
        parent.height = max(parent.height, node.height + 1)
        if len(parent.first) < self._first:
            parent.first.append(node)
        else:
            parent.last.append(node)

    def _look(self, parent: XmlNode, node: XmlNode, watch: XmlWatch) -> None:
        if watch.in_focus(node.start, node.end):
            node.rank = FOCUS
        parent.rank = min(parent.rank, node.rank)
        if node.rank < ORDINARY and len(parent.odd) < MOST_ODD:
            parent.odd.append((node.rank, parent.number, node))
        if parent.number < self._first:
            return
        found = parent.tagged.setdefault(node.tag, [])
        if len(found) <= MOST_ALIKE and len(parent.tagged) <= MOST_TAGS:
            found.append((parent.number, node))

    def _close(self, node: XmlNode, at: int, tag: str) -> None:
        """At the end of `<c/>` the parser stands after the tag, at that of `</c>` before it."""
        buffer = self._buffer
        if buffer[at - 1] == ord(">") and buffer[at - 2] == ord("/") and node.inside(buffer) == at:
            node.close = node.end = at
            return
        node.close = at
        node.end = at + len(tag) + 3
        if node.end > len(buffer) or buffer[node.end - 1] != ord(">") or not tag.isascii():
            found = _CLOSE.search(buffer, at)
            node.end = found.end() if found else len(buffer)
