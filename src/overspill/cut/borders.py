r"""Lines of a text, from either side, without splitting it into a list.

Every look-up is one native search, and a search that found nothing near is remembered, so a text
whose only CR stands a gigabyte away costs one pass and not one a line.
"""

from collections.abc import Iterator

from overspill.core.spans import Span


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

    def forward(self, stop: int | None = None) -> Iterator[Span]:
        """The lines from the first on, each with its end, as far as they end before `stop`."""
        text, length = self.text, len(self.text)
        stop = length if stop is None else min(stop, length)
        start, feed, back = 0, -1, -1
        while start < stop:
            if feed < start:
                feed = _or_end(text.find("\n", start, stop), length)
            if back < start:
                back = _or_end(text.find("\r", start, stop), length) if self._has_returns else length
            first = min(feed, back)
            if first == length and stop < length:
                return  # the line goes on beyond `stop`
            end = min(first + 2 if back + 1 == feed else first + 1, length)
            if end > stop or (end == stop < length and text[end - 1 : end + 1] == "\r\n"):
                return
            yield Span(start, end)
            start = end

    def backward(self, stop: int = 0, *, clip: bool = True) -> Iterator[Span]:
        """The lines from the last one back to `stop`, where the first of them is clipped or left out."""
        text, end = self.text, len(self.text)
        feed = back = end
        while end > stop:
            inside = end - (2 if text.endswith("\r\n", 0, end) else 1 if text[end - 1] in "\r\n" else 0)
            if feed >= inside:
                feed = text.rfind("\n", stop, inside)
            if back >= inside:
                back = text.rfind("\r", stop, inside) if self._has_returns else -1
            start = max(feed, back, stop - 1) + 1
            if start == stop and not clip:
                return
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
