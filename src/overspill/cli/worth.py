"""Whether it was worth it: the columns of `spill stats`, for people and for programs, and the figures of many machines.

The columns of many calls are added up, and come to something at the user's prices.

What `spill stats --export` writes and `--merge` adds up is a few sums under keys of a fixed list: no name of a tool, a
session, a project or a person, and no content. It goes where the user says, and nowhere by itself. Whose it is stands
in it as a digest, so that the later of two exports of one root counts, and none twice.
"""

from __future__ import annotations

import json
import os
import sys
import time

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern, sha256
from overspill.cli.output import note, print_answer, write_text
from overspill.cli.tables import count_of, in_colour, table_text, visible
from overspill.errors import InputError, UsageError
from overspill.fleet import SCHEMES
from overspill.journal.calls import FRAMEWORKS, HOST_CAPS
from overspill.journal.statistics import CUT_EVENTS, FIT_EVENTS, MAX_NAMES, OTHERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from overspill.cli.arguments import CommandCall
    from overspill.journal.calls import CallRow


MILLION = 1_000_000
UNNAMED = "(unknown)"
MAX_SESSIONS = 10_000  # whose calls are counted one by one, to price what each later call reads again

KEYS: dict[str, Callable[[CallRow], str]] = {
    "day": lambda row: row.at[:10],
    "tool": lambda row: row.tool,
    "session": lambda row: row.session or UNNAMED,
    "project": lambda row: row.project or UNNAMED,
    "agent": lambda row: row.agent or UNNAMED,
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


HEAD = ("Results", "Cut", "Rate", "Tool said", "Host", "Shown", "Fetched", "Ours", "Net")
UNKNOWN = "n/a"
BAR_WIDTH = 20
SHOWN, FETCHED, ASIDE = "█", "▒", "░"
_NEGATIVE = compile_pattern(r"(?<=│ )-[0-9,.]+[A-Za-z]?(?= )")
THREE_PRICES = 3

FORMAT = 1  # of an export
MAX_BYTES = 1 << 16  # of an export
PATIENCE = 20.0  # seconds, for the exports in a bucket
SOURCE_CHARS = 16


def worth_text(table: WorthTable, title: str, prices: Prices | None = None) -> str:
    """The table for people: bars and red figures on a terminal, plain columns elsewhere."""
    ranked = sorted(table.groups.items(), key=lambda item: (item[0] if table.by == "day" else "", -item[1].said))
    rows = [(visible(name), *worth_cells(worth)) for name, worth in ranked]
    if len(rows) > 1:
        rows.append(("Total", *worth_cells(table.total)))
    head: tuple[str, ...] = (table.by.capitalize(), *HEAD)
    if prices is not None:
        worths = [worth for _, worth in ranked] + [table.total] * (len(rows) > len(ranked))
        head = (*head, "Money")
        rows = [(*row, money_cell(worth.price(prices, table.calls))) for row, worth in zip(rows, worths, strict=True)]
    if sys.stdout.isatty():
        most = max((worth.said for worth in table.groups.values()), default=0)
        bars = [worth_bar(worth, most) for _, worth in ranked] + [""] * (len(rows) - len(ranked))
        head = (*head, f"{SHOWN} shown {FETCHED} fetched {ASIDE} aside")
        rows = [(*row, bar) for row, bar in zip(rows, bars, strict=True)]
    return in_red(table_text(title, head, rows)) if rows else ""


def worth_cells(worth: Worth) -> tuple[str, ...]:
    """The figures of some calls."""
    rate = worth.cut / worth.calls if worth.calls else 0.0
    tokens = (worth.said, worth.host, worth.shown, worth.fetched, worth.ours, worth.net)
    return (f"{worth.calls:,}", f"{worth.cut:,}", f"{rate:.0%}", *map(token_cell, tokens))


def token_cell(tokens: int | None) -> str:
    """A number of tokens, where it is known.

    >>> token_cell(1200), token_cell(None)
    ('1,200', 'n/a')
    """
    return UNKNOWN if tokens is None else f"{tokens:,}"


def money_cell(money: float | None) -> str:
    """An amount in the currency of whoever gave the prices.

    >>> money_cell(0.0123), money_cell(None)
    ('0.0123', 'n/a')
    """
    return UNKNOWN if money is None else f"{money:,.4f}"


def worth_bar(worth: Worth, most: int) -> str:
    """What became of what tools said, as long as it is of the most that any said.

    >>> worth = Worth()
    >>> worth.said, worth.shown, worth.fetched = 100, 40, 10
    >>> worth_bar(worth, 200)
    '████▒░░░░░'
    """
    if not most or not worth.said:
        return ""
    width = max(1, round(BAR_WIDTH * worth.said / most))
    shown = min(width, round(BAR_WIDTH * worth.shown / most))
    fetched = min(width - shown, round(BAR_WIDTH * worth.fetched / most))
    return SHOWN * shown + FETCHED * fetched + ASIDE * (width - shown - fetched)


def in_red(text: str) -> str:
    """A table with its negative figures in red, on a terminal that may be coloured."""
    return _NEGATIVE.sub(lambda found: in_colour(found[0], "bad"), text)


def worth_notes(table: WorthTable, prices: Prices | None = None) -> list[str]:
    """What the figures mean, as far as it is not plain: of whom nothing is known, and where the host's come from."""
    total, notes = table.total, []
    if total.net is None:
        notes.append("Net: n/a, as it is not known what the host would have shown by itself (docs/worth.md)")
    else:
        known = f"; {count_of(total.unknown, 'result')} of unknown hosts left out" if total.unknown else ""
        notes.append(f"Net: {total.net:,} tokens: host less shown, fetched and ours{known}")
    if total.reruns:
        notes.append(f"Run again: {count_of(total.reruns, 'command')} within 10 minutes, booked as fetched")
    if prices is not None and total.net is not None:
        money = total.price(prices, table.calls)
        notes.append(f"Money: {money_cell(money)} at your prices; each later call of a session reads it again")
    return notes


def host_notes(agents: Iterable[str]) -> list[str]:
    """Where the figures of hosts come from, for those agents that have some."""
    lines = []
    for agent in sorted(set(agents)):
        caps = [cap for cap in HOST_CAPS if cap.agent == agent]
        if caps:
            lines.append(f"{agent} {caps[0].version}, measured {caps[0].date}")
        elif agent in FRAMEWORKS:
            lines.append(f"{agent}: all of it")
    return [f"Host: {'; '.join(lines)}"] if lines else []


def worth_record(worth: Worth, money: float | None = None) -> dict[str, object]:
    """The figures of some calls for programs: null where the host is not known."""
    record: dict[str, object] = {
        "results": worth.calls,
        "cut": worth.cut,
        "failed": worth.failed,
        "said": worth.said,
        "host": worth.host,
        "shown": worth.shown,
        "fetched": worth.fetched,
        "ours": worth.ours,
        "net": worth.net,
        "reruns": worth.reruns,
        "fetches": worth.fetches,
        "host_unknown": worth.unknown,
        "chars": {"said": worth.chars_said, "shown": worth.chars_shown, "fetched": worth.chars_fetched},
    }
    return record if money is None else {**record, "money": round(money, 6)}


def table_record(table: WorthTable, prices: Prices | None = None) -> dict[str, object]:
    """The whole table for programs."""

    def record(worth: Worth) -> dict[str, object]:
        return worth_record(worth, None if prices is None else worth.price(prices, table.calls))

    return {
        "unit": "tokens",
        "by": table.by,
        "groups": [{"name": name} | record(worth) for name, worth in sorted(table.groups.items())],
        "total": record(table.total),
    }


def read_prices(word: str) -> Prices:
    """What a million tokens cost: fresh, or fresh, cache write and cache read.

    >>> read_prices("3"), read_prices("3,3.75,0.3").cache_read
    (Prices(fresh=3.0, cache_write=None, cache_read=None), 0.3)
    """
    try:
        numbers = [float(number) for number in word.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in {1, THREE_PRICES} or not all(0 <= number < float("inf") for number in numbers):
        raise ValueError("prices of a million tokens: FRESH, or FRESH,CACHE_WRITE,CACHE_READ, as 3,3.75,0.30")
    return Prices(*numbers)


class Export(NamedTuple):
    """The sums of one root, when they were written, and whose they are."""

    source: str
    at: float
    sums: dict[str, int]


def export(call: CommandCall, place: str, root: str, worth: Worth) -> int:
    """Write the sums of a root to a file, to standard output, or into a bucket, in the place of earlier ones."""
    import socket

    mine = f"{socket.gethostname()}\0{os.path.realpath(root)}"
    source = sha256(mine.encode("utf-8", "surrogateescape")).hexdigest()[:SOURCE_CHARS]
    content = json.dumps({"overspill_sums": FORMAT, "source": source, "at": time.time(), **worth.sums()}) + "\n"
    if place == "-":
        write_text(content)
        return 0
    if is_bucket(place):
        from overspill.fleet import Bucket

        place = place.rstrip("/")
        Bucket(place, PATIENCE).replace(f"{source}.json", content.encode())
        place = f"{place}/{source}.json"
    else:
        try:
            with open(place, "w", encoding="utf-8") as file:
                file.write(content)
        except OSError as error:
            raise InputError(f"cannot write {place!r}: {(error.strerror or 'failed').lower()}") from None
    return print_answer(call, "exported", {"place": place, **worth.sums()}, f"Wrote {visible(place)}\n")


def merge(call: CommandCall) -> int:
    """Add up the sums of many roots."""
    newest = newest_exports(call.texts("--merge") or [])
    total = total_of(newest)
    columns = (("said", total.said), ("host", total.host), ("shown", total.shown), ("fetched", total.fetched))
    figures = ", ".join(f"{name} {'n/a' if count is None else f'{count:,}'}" for name, count in columns)
    net = "n/a" if total.net is None else f"{total.net:,}"
    text = (
        f"{count_of(len(newest), 'root')}: {count_of(total.calls, 'result')}, {total.cut:,} cut, "
        f"{total.reruns:,} run again, {total.fetches:,} fetches\n"
        f"Tokens: {figures}; net {net}"
        f"{f' (host unknown for {total.unknown:,} of the results)' if total.unknown else ''}\n"
    )
    return print_answer(call, "stats", {"roots": len(newest), **total.sums()}, text)


def newest_exports(places: list[str]) -> list[Export]:
    """The exports in some places, of each root the newest."""
    newest: dict[str, Export] = {}
    for one in (found for place in places for found in read_exports(place)):
        if one.source not in newest or newest[one.source].at < one.at:
            newest[one.source] = one
    return list(newest.values())


def total_of(exports: list[Export]) -> Worth:
    """What some exports add up to."""
    total = Worth()
    for one in exports:
        total.add_sums(one.sums)
    return total


def fleet_record(places: list[str]) -> dict[str, object]:
    """A fleet, as the page of `spill report` shows it: its roots, those that said most first, and their sum."""
    exports = sorted(newest_exports(places), key=lambda one: (-one.sums["said"], one.source))
    roots = [{"source": one.source, "at": round(one.at * 1000), **one.sums} for one in exports]
    return {"roots": roots, "total": total_of(exports).sums()}


def is_bucket(place: str) -> bool:
    """Whether a place is the address of a bucket."""
    return place.partition("://")[0] in SCHEMES and "://" in place


def read_exports(place: str) -> Iterator[Export]:
    """The exports in a file, or in all objects of a bucket; what is none is named, and left out."""
    if not is_bucket(place):
        try:
            with open(place, "rb") as file:
                yield parse_export(file.read(MAX_BYTES), place)
        except OSError as error:
            raise InputError(f"cannot read {place!r}: {(error.strerror or 'failed').lower()}") from None
        return
    from overspill.fleet import Bucket

    bucket = Bucket(place, PATIENCE)
    for entry in bucket.entries(""):
        found = bucket.fetch(entry.key, 0, MAX_BYTES)
        try:
            yield parse_export(b"" if found is None else found.content, entry.name)
        except UsageError as error:
            note(f"spill: {error}; left out")


def parse_export(content: bytes, name: str) -> Export:
    """An export as it was written."""
    try:
        fields = json.loads(content)
        sums = {key: int(fields[key]) for key in SUMS}
        found = Export(str(fields["source"])[:SOURCE_CHARS], float(fields["at"]), sums)
        known = fields["overspill_sums"] == FORMAT
    except (ValueError, KeyError, TypeError, RecursionError):
        known = False
    if not known:
        raise UsageError(f"{name[:200]!r} holds no sums of `spill stats --export`")
    return found
