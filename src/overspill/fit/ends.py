r"""Both ends of a text that comes in pieces, and the size of all of it.

The object never reads anything itself, so the same code serves a pipe, a file and an async generator.
Where the pieces are cut makes no difference.

>>> ends = Ends(keep=3)
>>> for piece in ["ab", "cd\r", "\nefg", "hij"]:
...     ends.feed(piece)
>>> ends.held()
Held(text='abchij', holes=(Hole(at=3, chars=6, lines=1, bytes=6),))
"""

from collections import deque

from overspill.core.partial_text import Held
from overspill.core.size import Size, Tally, TokenCounter, count_bytes, count_lines
from overspill.core.spans import Hole


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
        self.tally = Tally()

    def widen(self, keep: int) -> None:
        """Remember more from now on. Nothing was let go so far."""
        text = self.text()
        self._keep, self._head, self._head_room = keep, [text[:keep]], max(0, keep - len(text))
        self._tail, self._tail_chars = deque([text[keep:]]), max(0, len(text) - keep)

    def overflows(self, more: int) -> bool:
        """Whether something has to be let go when `more` characters come."""
        return self.tally.chars + more > 2 * self._keep

    def feed(self, text: str, size: int | None = None) -> None:
        """Take one more piece, which is `size` bytes long if that is known."""
        self.tally.add(text, size)
        if self._head_room:
            first, text = text[: self._head_room], text[self._head_room :]
            self._head.append(first)
            self._head_room -= len(first)
        if text:
            self._tail.append(text)
            self._tail_chars += len(text)
            while self._tail_chars - len(self._tail[0]) >= self._keep:
                self._tail_chars -= len(self._tail.popleft())

    def text(self) -> str:
        """All of the text, as long as it does not overflow."""
        return "".join([*self._head, *self._tail])

    def ends(self) -> tuple[str, str]:
        """Both ends of a text that overflows."""
        return "".join(self._head), "".join(self._tail)[-self._keep :]

    def held(self) -> Held:
        """What is held of the text: all of it, or both ends."""
        if not self.overflows(0):
            return Held(self.text())
        head, tail = self.ends()
        whole = self.tally
        lines = whole.lines - count_lines(head) - count_lines(tail)
        count = whole.bytes - count_bytes(head) - count_bytes(tail)
        return Held(head + tail, (Hole(len(head), whole.chars - len(head) - len(tail), lines, count),))

    def size(self, counter: TokenCounter | None = None) -> Size:
        """The size of all of the text. Tokens of what is not held are taken to be like those of the ends."""
        size = self.tally.size()
        if counter is None:
            return size
        held = self.held().text
        return size._replace(tokens=counter(held) * size.chars // max(1, len(held)))
