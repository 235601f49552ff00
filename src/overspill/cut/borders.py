r"""Lines of a text, from either side, without splitting it into a list.

Every look-up is one native search, and a search that found nothing near is remembered, so a text
whose only CR stands a gigabyte away costs one pass and not one a line.
"""

from collections.abc import Iterator

from overspill.spans import Span


class Lines:
    r"""Finds the borders of lines that end with LF, CRLF or CR.

    >>> list(Lines("a\r\nb\nc").forward())
    [Span(start=0, end=3), Span(start=3, end=5), Span(start=5, end=6)]
    >>> [span.start for span in Lines("a\r\nb\nc").backward()]
    [5, 3, 0]
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._has_returns = "\r" in text

    def forward(self, start: int = 0) -> Iterator[Span]:
        """The lines from `start` on, each with its end."""
        text, length = self.text, len(self.text)
        feed = back = -1
        while start < length:
            if feed < start:
                feed = _or_end(text.find("\n", start), length)
            if back < start:
                back = _or_end(text.find("\r", start), length) if self._has_returns else length
            first = min(feed, back)
            end = min(first + 2 if back + 1 == feed else first + 1, length)
            yield Span(start, end)
            start = end

    def backward(self, stop: int = 0) -> Iterator[Span]:
        """The lines from the last one back to the one that begins at or before `stop`, clipped there."""
        text, end = self.text, len(self.text)
        feed = back = end
        while end > stop:
            inside = end - (2 if text.endswith("\r\n", 0, end) else 1 if text[end - 1] in "\r\n" else 0)
            if feed >= inside:
                feed = text.rfind("\n", stop, inside)
            if back >= inside:
                back = text.rfind("\r", stop, inside) if self._has_returns else -1
            start = max(feed, back, stop - 1) + 1
            yield Span(start, end)
            end = start


def border_before(text: str, at: int) -> int:
    r"""The last place up to `at` where a line begins.

    >>> [border_before("a\r\nb\n", at) for at in range(6)]
    [0, 0, 0, 3, 3, 5]
    """
    if text[at - 1 : at + 1] == "\r\n":
        at -= 1
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def border_after(text: str, at: int) -> int:
    r"""The first place from `at` on where a line begins, or the end of the text.

    >>> [border_after("a\r\nb\n", at) for at in range(1, 6)]
    [3, 3, 3, 5, 5]
    """
    length = len(text)
    first = min(_or_end(text.find("\n", at - 1), length), _or_end(text.find("\r", at - 1), length))
    return min(length, first + 2 if text.startswith("\r\n", first) else first + 1)


def _or_end(found: int, length: int) -> int:
    return length if found < 0 else found
