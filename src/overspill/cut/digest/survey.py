"""The survey of a text: fed once, block by block, whatever its size; what it adds up to comes out.

Blocks begin at fixed places, so it makes no difference in which pieces a text comes. Which collectors it is worth is
decided by shares measured in its first lines, not by a guess of its kind.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple, load_module
from overspill.cut.digest.templates import TemplateTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from overspill.cut.digest import Collector, Digest

BLOCK = 1 << 20
LONGEST = 1 << 16  # characters of a line: what lies behind them is not looked at
SAMPLE = 3_000  # lines from which the shares are taken


class Aspect(NamedTuple):
    """What a text may be made of: a module with `share_of(lines)` and a `Collector`, the least share that counts."""

    module: str
    collector: str
    least: float


# The first that a text has enough of is its main one. Lines that are alike are counted in any case.
ASPECTS: tuple[Aspect, ...] = (Aspect("overspill.cut.digest.tables", "TableCollector", 0.7),)


class Survey:
    """Feed it all of a text, then `close` it."""

    def __init__(self, kind: str = "") -> None:
        self.kind = kind
        self.templates = TemplateTable()
        self.shares: dict[str, float] = {}
        self.digests: tuple[Digest, ...] = ()
        self._collectors: list[Collector] | None = None
        self._pieces: list[str] = []
        self._waiting = 0

    def feed(self, text: str) -> None:
        """Take one more piece."""
        self._pieces.append(text)
        self._waiting += len(text)
        if self._waiting < BLOCK:
            return
        buffer = "".join(self._pieces)
        at = 0
        while len(buffer) - at >= BLOCK:
            end = buffer.rfind("\n", at, at + BLOCK) + 1
            if end:
                self._add(buffer[at : end - 1])
                at = end
            else:  # a very long line: its beginning has to do
                buffer = buffer[at : at + LONGEST] + buffer[at + BLOCK :]
                at = 0
        self._pieces = [buffer[at:]]
        self._waiting = len(buffer) - at

    def close(self) -> Survey:
        """The text is over: what it adds up to."""
        rest = "".join(self._pieces)
        self._pieces, self._waiting = [], 0
        if rest:
            self._add(rest.removesuffix("\n"))
        found = (one.digest() for one in self._collectors or ())
        self.digests = tuple(one for one in found if one is not None)
        return self

    def _add(self, block: str) -> None:
        lines = block.split("\n")
        if "\r" in block:
            lines = [line.rstrip("\r") for line in lines]
        if self._collectors is None:
            self._collectors = self._chosen(lines[:SAMPLE])
        self.templates.add(lines)
        for collector in self._collectors:
            collector.add(lines)

    def _chosen(self, lines: list[str]) -> list[Collector]:
        """The collectors that the text is worth, by its first lines."""
        chosen: list[Collector] = []
        for aspect in ASPECTS:
            module = load_module(aspect.module)
            share_of: Callable[[list[str]], float] = module.share_of
            self.shares[aspect.collector] = share = share_of(lines)
            if share >= aspect.least:
                chosen.append(getattr(module, aspect.collector)())
        return chosen


def survey_of(text: str, kind: str = "") -> Survey:
    """The survey of a text that is held as a whole."""
    survey = Survey(kind)
    survey.feed(text)
    return survey.close()
