"""Whether it was worth it: the columns of many calls, added up, and what they come to at the user's prices."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from overspill.journal.statistics import CUT_EVENTS, FIT_EVENTS, MAX_NAMES, OTHERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from overspill.journal.calls import CallRow

MILLION = 1_000_000
UNKNOWN = "(unknown)"
MAX_SESSIONS = 10_000  # whose calls are counted one by one, to price what each later call reads again

KEYS: dict[str, Callable[[CallRow], str]] = {
    "day": lambda row: row.at[:10],
    "tool": lambda row: row.tool,
    "session": lambda row: row.session or UNKNOWN,
    "project": lambda row: row.project or UNKNOWN,
    "agent": lambda row: row.agent or UNKNOWN,
}


class Prices(NamedTuple):
    """What a million tokens cost: entering the context, and each time that they are read again.

    Without a cache every request pays the fresh price for all that stands in the context.
    """

    fresh: float
    cache_write: float | None = None
    cache_read: float | None = None

    def cost(self, entered: float, read_again: float) -> float:
        """What tokens cost that entered once, and were read again so many times in all.

        >>> Prices(3.0).cost(1_000_000, 2_000_000), Prices(3.0, 3.75, 0.3).cost(1_000_000, 2_000_000)
        (9.0, 4.35)
        """
        enter = self.fresh if self.cache_write is None else self.cache_write
        read = self.fresh if self.cache_read is None else self.cache_read
        return (entered * enter + read_again * read) / MILLION


# What leaves a machine when its figures are exported, and where each stands here.
SUMS = {
    "calls": "calls",
    "cut": "cut",
    "reruns": "reruns",
    "fetches": "fetches",
    "failed": "failed",
    "unknown": "unknown",
    "said": "said",
    "shown": "shown",
    "fetched": "fetched",
    "ours": "ours",
    "host": "_host",
    "host_known": "_hosts",
    "net": "_net",
    "net_known": "_known",
}


class Worth:
    """The columns of some calls, in tokens.

    A command that was run again because its view was cut is booked as fetched: without us it would not have been run.
    """

    def __init__(self) -> None:
        self.calls = self.cut = self.reruns = self.fetches = self.unknown = self.failed = 0
        self.said = self.shown = self.fetched = self.ours = 0
        self.chars_said = self.chars_shown = self.chars_fetched = 0
        self._host = self._net = 0
        self._known = self._hosts = 0  # calls whose net, and whose host, is known: that of a rerun may be without it
        self._priced: dict[str, tuple[int, int]] = {}  # by session: net tokens, and each times the number of its call

    @property
    def host(self) -> int | None:
        """Tokens that the hosts would have shown, of the calls of which that is known; None if it is of none."""
        return self._host if self._hosts or not self.calls else None

    @property
    def net(self) -> int | None:
        """Tokens that models were spared, of the calls whose host is known; None if it is of none."""
        return self._net if self._known or not self.calls else None

    def sums(self) -> dict[str, int]:
        """What can be added to the sums of other machines: numbers, and no names."""
        return {name: getattr(self, attribute) for name, attribute in SUMS.items()}

    def add_sums(self, sums: Mapping[str, int]) -> None:
        """Add what another machine has summed up."""
        for name, attribute in SUMS.items():
            setattr(self, attribute, getattr(self, attribute) + sums[name])

    def add(self, row: CallRow, number: int = 0) -> None:
        """Add one call, the `number`-th of its session."""
        spared, is_rerun = row.net, row.is_rerun
        if row.event in FIT_EVENTS:
            self.calls += 1
            self.cut += row.event in CUT_EVENTS
            self.reruns += is_rerun
            self.failed += "failed" in row.marks
            self._known += spared is not None
            self._hosts += row.host is not None
            self.unknown += spared is None
        self.said += row.said
        self.shown += 0 if is_rerun else row.shown
        self.fetched += row.fetched + (row.shown if is_rerun else 0)
        self.fetches += row.fetches
        self.ours += row.ours
        self.chars_said += row.chars.said
        self.chars_shown += row.chars.shown
        self.chars_fetched += row.chars.fetched
        self._host += 0 if is_rerun else row.host or 0
        if spared is not None:
            self._net += spared
            session = row.session if row.session in self._priced or len(self._priced) < MAX_SESSIONS else OTHERS
            net, weighted = self._priced.get(session, (0, 0))
            self._priced[session] = net + spared, weighted + spared * number

    def price(self, prices: Prices, calls: dict[str, int]) -> float | None:
        """What was spared, in money: each token once, and again with each later call of its session, of `calls`."""
        if self.net is None:
            return None
        spared = 0.0
        for session, (net, weighted) in self._priced.items():
            spared += prices.cost(net, max(0, calls.get(session, 0)) * net - weighted)
        return spared


class WorthTable:
    """The columns of many calls, by what they have in common."""

    def __init__(self, by: str = "tool", tool: str = "") -> None:
        self.by = by
        self.groups: dict[str, Worth] = {}
        self.total = Worth()
        self.calls: dict[str, int] = {}  # of each session
        self.agents: set[str] = set()
        self._tool = tool
        self._key = KEYS[by]

    def add_all(self, rows: Iterable[CallRow]) -> WorthTable:
        """Add rows, oldest first."""
        for row in rows:
            self.add(row)
        return self

    def add(self, row: CallRow) -> None:
        """Add one row."""
        if row.event == "compact" or (self._tool and row.tool != self._tool):
            return
        session = row.session if row.session in self.calls or len(self.calls) < MAX_SESSIONS else OTHERS
        number = self.calls.get(session, 0) + (row.event in FIT_EVENTS)
        self.calls[session] = number
        if row.agent and len(self.agents) < MAX_NAMES:
            self.agents.add(row.agent)
        name = self._key(row)
        if name not in self.groups and len(self.groups) >= MAX_NAMES:
            name = OTHERS
        self.groups.setdefault(name, Worth()).add(row, number)
        self.total.add(row, number)
