"""Where the elements of an XML document begin and end, in bytes, and of which only those at the ends are remembered.

A document with a DOCTYPE is refused: entities of its own could make its text mean anything.
"""

import re
from collections import deque

from overspill.cut.json_pieces import NotStrict
from overspill.hints import TYPE_CHECKING

if TYPE_CHECKING:
    from xml.parsers.expat import XMLParserType

MOST_LEVELS = 900
CHUNK = 1 << 18
# The parser begins a tag or a comment anew with every chunk until it is complete: longer ones would take forever.
LONGEST_TAG = 1 << 24

_START_TAG = re.compile(rb"""<[^>"']*+(?:"[^"]*"[^>"']*+|'[^']*'[^>"']*+)*+>""")
_CLOSE = re.compile(rb">")


class Node:
    """An element: its tags, how many children it has, and the first and the last of them."""

    __slots__ = ("close", "end", "first", "height", "last", "number", "start", "tag", "tags", "widest")

    def __init__(self, start: int, tag: str, last: int) -> None:
        self.start = start
        self.close = self.end = 0  # where its end tag begins and ends; an empty-element tag has none
        self.tag = tag
        self.tags = ""  # of its children, if they share one
        self.number = 0
        self.first: list[Node] = []
        self.last: deque[Node] = deque(maxlen=last)
        self.widest = 0  # most children of one element, itself and all below it
        self.height = 1

    @property
    def empty(self) -> bool:
        """Whether it is written as one tag, with no inside."""
        return self.close == self.end

    @property
    def known(self) -> "list[Node]":
        return [*self.first, *self.last]

    @property
    def neighbours(self) -> "list[Node]":
        """Two children with no other between them, if two such are known."""
        for run in (self.first, [*self.last], self.known if self.number == len(self.known) else []):
            if len(run) > 1:
                return run[:2]
        return []

    def inside(self, buffer: memoryview) -> int:
        """Where its start tag ends."""
        tag = _START_TAG.match(buffer, self.start)
        return tag.end() if tag else self.end

    @property
    def noun(self) -> str:
        """What its children are called.

        >>> node = Node(0, "entries", 5)
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


def parse(buffer: memoryview, first: int, last: int) -> Node:
    """The root element of a well-formed document."""
    from xml.parsers.expat import ExpatError, ParserCreate

    # What the declaration says of the encoding was true of the file; here it is UTF-8.
    parser = ParserCreate("utf-8")
    builder = _Builder(parser, buffer, max(1, first), max(1, last))
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.StartDoctypeDeclHandler = _refuse
    try:
        for at in range(0, len(buffer), CHUNK):
            parser.Parse(bytes(buffer[at : at + CHUNK]), False)
            if at - parser.CurrentByteIndex > LONGEST_TAG:
                raise NotStrict
        parser.Parse(b"", True)
    except ExpatError:
        raise NotStrict from None
    finally:
        # The handlers hold the builder, and the builder holds the parser.
        parser.StartElementHandler = parser.EndElementHandler = None
    if builder.root is None:
        raise NotStrict
    return builder.root


def _refuse(*_declaration: object) -> None:
    raise NotStrict


class _Builder:
    def __init__(self, parser: "XMLParserType", buffer: memoryview, first: int, last: int) -> None:
        self.root: Node | None = None
        self._parser = parser
        self._buffer = buffer
        self._first = first
        self._last = last
        self._open: list[Node] = []

    def start(self, tag: str, _attributes: object) -> None:
        if len(self._open) >= MOST_LEVELS:
            raise NotStrict
        self._open.append(Node(self._parser.CurrentByteIndex, tag, self._last))

    def end(self, tag: str) -> None:
        node = self._open.pop()
        at = self._parser.CurrentByteIndex
        self._close(node, at, tag)
        if not self._open:
            self.root = node
            return
        parent = self._open[-1]
        parent.tags = tag if parent.number == 0 or parent.tags == tag else ""
        parent.number += 1
        parent.widest = max(parent.widest, parent.number, node.widest)
        parent.height = max(parent.height, node.height + 1)
        if len(parent.first) < self._first:
            parent.first.append(node)
        else:
            parent.last.append(node)

    def _close(self, node: Node, at: int, tag: str) -> None:
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
