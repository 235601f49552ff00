"""Stands in for the package `regex`, which nobody builds for WebAssembly: grapheme clusters as JavaScript finds them.

It knows the two questions that are asked where a text is cut, and refuses every other.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from pyodide.code import run_js  # the host's; there is none outside of WebAssembly

CLUSTER, LAST = r"\X", "(?r)"
# How many code points each cluster has.
SIZES = run_js("""
    const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
    (text) => Array.from(segmenter.segment(text), ({ segment }) => [...segment].length)
""")
WINDOW = 512  # code points
# Half a pair is a character of its own to Python and joins its neighbour in JavaScript; NUL joins nothing either.
HALVES = dict.fromkeys(range(0xD800, 0xE000), 0)


class Cluster(NamedTuple):
    """Where a cluster lies in the text."""

    first: int
    last: int

    def start(self) -> int:
        return self.first

    def end(self) -> int:
        return self.last


def finditer(pattern: str, text: str) -> Iterator[Cluster]:
    """All clusters, found window by window: JavaScript's time grows with the square of what it is handed."""
    if pattern != CLUSTER:
        raise NotImplementedError(pattern)
    at, room = 0, WINDOW
    while at < len(text):
        sizes = SIZES(text[at : at + room].translate(HALVES)).to_py()
        if at + room < len(text):
            sizes.pop()  # the window may end in the middle of it
        for size in sizes:
            yield Cluster(at, at + size)
            at += size
        room = WINDOW if sizes else 2 * room


def search(pattern: str, text: str, *, endpos: int) -> "re.Match[str] | None":
    """The last match before a place, which is the only search that is asked for."""
    if not pattern.startswith(LAST):
        raise NotImplementedError(pattern)
    found = list(re.finditer(pattern.removeprefix(LAST), text[:endpos]))
    return found[-1] if found else None
