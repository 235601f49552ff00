r"""Both ends of a text that comes in pieces, and the size of all of it.

The object never reads anything itself, so the same code serves a pipe, a file and an async generator.
Where the pieces are cut makes no difference.

>>> ends = Ends(keep=3)
>>> for piece in ["ab", "cd\r", "\nefg", "hij"]:
...     ends.feed(piece)
>>> ends.held()
Held(text='abchij', hole=Hole(at=3, chars=6, lines=1, bytes=6))
"""

from collections import deque

from overspill.held import Held
from overspill.measure import Size, TokenCounter, count_bytes, count_lines, tokens_of
from overspill.spans import Hole


class Ends:
    """Remembers the first and the last `keep` characters it is fed.

    Memory stays within twice that and one piece, however long the text.
    """

    def __init__(self, keep: int) -> None:
        self._keep = keep
        self._head: list[str] = []
        self._head_room = keep
        self._tail: deque[str] = deque()
        self._tail_chars = 0
        self._chars = self._lines = self._bytes = 0
        self._after_return = False
        self.dropped = False

    def feed(self, text: str) -> None:
        """Take one more piece."""
        if not text:
            return
        self._count(text)
        if self._head_room:
            first, text = text[: self._head_room], text[self._head_room :]
            self._head.append(first)
            self._head_room -= len(first)
        if text:
            self._tail.append(text)
            self._tail_chars += len(text)
            self._drop()

    def _count(self, text: str) -> None:
        self._chars += len(text)
        self._bytes += count_bytes(text)
        self._lines += count_lines(text) - (1 if self._after_return and text[0] == "\n" else 0)
        self._after_return = text[-1] == "\r"

    def _drop(self) -> None:
        while self._tail_chars - len(self._tail[0]) >= self._keep:
            self._tail_chars -= len(self._tail.popleft())
            self.dropped = True

    def text(self) -> str:
        """All of the text, as long as nothing of it was dropped."""
        return "".join([*self._head, *self._tail])

    def held(self) -> Held:
        """What is held of the text: all of it, or both ends."""
        head, tail = "".join(self._head), "".join(self._tail)
        if self._chars <= 2 * self._keep:
            return Held(head + tail)
        tail = tail[-self._keep :]
        lines = self._lines - count_lines(head) - count_lines(tail)
        count = self._bytes - count_bytes(head) - count_bytes(tail)
        return Held(head + tail, Hole(len(head), self._chars - len(head) - len(tail), lines, count))

    def size(self, counter: TokenCounter | None = None) -> Size:
        """The size of all of the text. Tokens of what is not held are taken to be like those of the ends."""
        if counter is None:
            return Size(self._chars, self._lines, self._bytes, tokens_of(self._chars))
        held = self.held().text
        tokens = counter(held) * self._chars // max(1, len(held))
        return Size(self._chars, self._lines, self._bytes, tokens)
