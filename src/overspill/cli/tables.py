"""Tables for people, in a box on a terminal, in plain columns elsewhere; and pages of records.

A page is an envelope for programs. Whoever follows the command under `next`, or the one in the last line, gets every
record once: `--as-of` holds the list as it was when its first page was read.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.cli.arguments import GENERAL, MOST_DIGITS, CommandCall, Option
from overspill.cli.output import dumps, envelope_pieces, note, write_text
from overspill.core import TokenCounter, counter, tokens_of
from overspill.errors import UsageError, shell_line
from overspill.lists import TARGETS, Page, Pagination, Query, family, page
from overspill.workspace.policy import default_limit

if TYPE_CHECKING:
    from overspill.settings import Settings


Row = Sequence[str]
COLOURS = {"bad": "\x1b[31m", "good": "\x1b[32m"}  # by what is meant, not by how it looks
PLAIN = "\x1b[0m"

BATCH = 500  # rows that are laid out together
OF_A_PAGE = {"--limit", "--offset", "--as-of", "--tokens"}

Records = Iterable[Any]
WarningRecord = dict[str, str]


def in_colour(words: str, meaning: str) -> str:
    """Words in the colour of what they mean, on a terminal that may be coloured; as they are elsewhere."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return words
    return f"{COLOURS[meaning]}{words}{PLAIN}"


def table_text(title: str, head: Row, rows: Sequence[Row]) -> str:
    """A table as standard output would have it."""
    return boxed_table(title, head, rows) if sys.stdout.isatty() else plain_table(head, rows)


def plain_table(head: Row, rows: Sequence[Row]) -> str:
    """Columns, one line a row.

    >>> print(plain_table(("ID", "Size"), [("art_1_a", "2.3 MB")]), end="")
    ID       Size
    art_1_a  2.3 MB
    """
    widths = _widths(head, rows)
    return "".join(f"{'  '.join(map(str.ljust, row, widths)).rstrip()}\n" for row in (head, *rows))


def boxed_table(title: str, head: Row, rows: Sequence[Row]) -> str:
    """Columns with lines around them, under a title.

    >>> print(boxed_table("Artifacts", ("ID", "Size"), [("art_1_a", "2.3 MB")]), end="")
    ┌──────────────────┐
    │ Artifacts        │
    ├─────────┬────────┤
    │ ID      │ Size   │
    ├─────────┼────────┤
    │ art_1_a │ 2.3 MB │
    └─────────┴────────┘
    """
    widths = _widths(head, rows)
    inner = sum(widths) + 3 * len(widths) - 1
    if len(title) + 2 > inner:  # the last column makes room for the title
        widths[-1] += len(title) + 2 - inner
        inner = len(title) + 2
    lines = [f"┌{'─' * inner}┐", f"│ {title.ljust(inner - 1)}│", _box_rule("├┬┤", widths), _cells(head, widths)]
    lines += [_box_rule("├┼┤", widths), *(_cells(row, widths) for row in rows), _box_rule("└┴┘", widths)]
    return "\n".join(lines) + "\n"


def visible(words: str) -> str:
    r"""What others wrote, with every character that would do something to a terminal spelled out.

    >>> print(visible("rm \x1b[2J\n\u202egnp.exe"))
    rm \x1b[2J\n\u202egnp.exe
    """
    if words.isprintable():
        return words
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in words)


def count_of(count: int, noun: str) -> str:
    """A number of things.

    >>> count_of(1, "artifact"), count_of(1200, "artifact")
    ('1 artifact', '1,200 artifacts')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _widths(head: Row, rows: Sequence[Row]) -> list[int]:
    return [max(map(len, column)) for column in zip(head, *rows, strict=True)]


def _box_rule(corners: str, widths: Sequence[int]) -> str:
    return corners[0] + corners[1].join("─" * (width + 2) for width in widths) + corners[2]


def _cells(row: Row, widths: Sequence[int]) -> str:
    return "│" + "│".join(f" {cell.ljust(width)} " for cell, width in zip(row, widths, strict=True)) + "│"


class Listing(NamedTuple):
    """How the records of a command are called and laid out."""

    key: str  # in the envelope
    noun: str
    title: str
    head: Sequence[str]
    row: Callable[[Any], Sequence[str]]
    encode: Callable[[Any], str] = dumps
    summary: Callable[[int], str] | None = None  # of how many there are, where the noun is not enough

    def total(self, total: int) -> str:
        """The line below the table."""
        return f"Total: {self.summary(total) if self.summary else count_of(total, self.noun)}\n"


def no_anchor(_: Page) -> str:
    """For lists of which every page is read anew: there is nothing to hold on to."""
    return ""


def page_limit(call: CommandCall, settings: Settings) -> int:
    """Records on a page: as asked for, or by the command."""
    limit = call.number("--limit")
    return default_limit(settings, call.command.name if call.command else "") if limit is None else limit


def answer_page(
    call: CommandCall,
    settings: Settings,
    items: Records | Query,
    listing: Listing,
    *,
    as_of: Callable[[Page], str] = no_anchor,
    base: int = 0,
    warnings: Sequence[WarningRecord] = (),
) -> int:
    """Print a page of `items` and say where the next one begins.

    `as_of` names the moment that all pages speak of. So many records as `base` says were left out before `items`.
    """
    limit, offset = page_limit(call, settings), max(0, (call.number("--offset") or 0) - base)
    tokens, count = call.number("--tokens"), counter(settings.text("tokens.counter"))
    if not limit and tokens is None:
        rows = items.rows(None, offset) if isinstance(items, Query) else islice(iter(items), offset, None)
        return _print_everything(call, rows, listing, count, warnings)
    found = page(items, limit, offset, tokens=tokens, counter=count, encode=listing.encode)
    if base and (part := found.pagination):
        found = found._replace(pagination=Pagination(part.total + base, part.limit, part.offset + base))
    return _print_page(call, found, listing, next_page_line(call, found, as_of), count, warnings)


class PageAnchor(NamedTuple):
    """A record that was seen at a place of a list to which others are added in front: what came since is told by it."""

    key: str
    place: int

    @classmethod
    def of(cls, call: CommandCall) -> PageAnchor | None:
        """The one in `--as-of`."""
        word = call.text("--as-of")
        if word is None:
            return None
        key, at, place = word.rpartition("@")
        offset = call.number("--offset") or 0
        if not (at and place.isascii() and place.isdigit() and len(place) <= MOST_DIGITS and int(place) < offset):
            line = command_line(call, without={"--as-of"})
            raise UsageError(f"--as-of takes what `next` says, not {word[:100]!r}").with_help(line)
        return cls(key, int(place))

    def __str__(self) -> str:
        return f"{self.key}@{self.place}"


def anchor_by(key: Callable[[Any], str]) -> Callable[[Page], str]:
    """Names a page by its last record."""

    def as_of(found: Page) -> str:
        if found.pagination is None or not found.items:
            return ""
        return str(PageAnchor(key(found.items[-1]), found.pagination.offset + len(found.items) - 1))

    return as_of


def next_page_line(call: CommandCall, found: Page, as_of: Callable[[Page], str] = no_anchor) -> str:
    """The command line of the next page, or nothing."""
    if found.following is None or found.pagination is None:
        return ""
    tokens = call.number("--tokens")
    limit = call.number("--limit") or 0 if tokens is not None else found.pagination.limit
    moment = as_of(found)
    places = [f"--limit {limit}"] if limit or tokens is None else []
    places += [f"--tokens {tokens}"] if tokens is not None else []
    places += [f"--offset {found.following}", *([shell_line("--as-of", moment)] if moment else [])]
    return command_line(call, places, without=OF_A_PAGE)


def command_line(call: CommandCall, more: Sequence[str] = (), *, without: Iterable[str] = ()) -> str:
    """The command line of a call once more, with other options in the place of some."""
    assert call.command is not None  # noqa: S101  # only commands are called
    words = ["spill", *call.command.words]
    for option in (*call.command.options, *GENERAL):
        if option.name not in without:
            words += _option_words(option, call.options.get(option.name))
    words += more
    if any(argument.startswith("-") and argument != "-" for argument in call.arguments):
        words.append("--")
    return " ".join([*words, *map(shell_line, call.arguments)])


def _option_words(option: Option, value: object) -> list[str]:
    if value is None:
        return []
    if not option.value:
        return [option.name]
    return [shell_line(option.name, str(one)) for one in (value if isinstance(value, list) else [value])]


def _print_page(
    call: CommandCall,
    found: Page,
    listing: Listing,
    next_: str,
    count: TokenCounter | None,
    warnings: Sequence[WarningRecord],
) -> int:
    said = [*warnings, *_shortened_warning(call, found)]
    if call.flag("--json"):
        lines = [listing.encode(item) for item in found.items]
        spent = _Spent(call, count)
        said += spent.over(lines)
        name = call.command.name if call.command else ""
        text = "".join(
            envelope_pieces(name, listing.key, lines, pagination=found.pagination, following=next_, warnings=said)
        )
        write_text(f"{text}\n")
        return 0
    total = len(found.items) if found.pagination is None else found.pagination.total
    write_text("".join([*table_chunks(listing, found.items), listing.total(total), _footer(found, next_)]))
    for warning in said:
        note(f"spill: {warning['message']}")
    return 0


def _footer(found: Page, next_: str) -> str:
    if not next_ or found.pagination is None or found.following is None:
        return ""
    return f"{found.pagination.total - found.following:,} more: {next_}\n"


def _print_everything(
    call: CommandCall, rows: Records, listing: Listing, count: TokenCounter | None, warnings: Sequence[WarningRecord]
) -> int:
    """Print all records, as they come: many need no more memory than some."""
    if not call.flag("--json"):
        for text in table_chunks(listing, _count_rows(rows, tally := [0])):
            write_text(text)
        write_text(listing.total(tally[0]))
        return 0
    spent = _Spent(call, count)
    name = call.command.name if call.command else ""
    warned = chain(warnings, spent.token_warnings())
    for piece in envelope_pieces(name, listing.key, spent.counted(map(listing.encode, rows)), warnings=warned):
        sys.stdout.write(piece)
    sys.stdout.write("\n")
    return 0


def _count_rows(rows: Records, tally: list[int]) -> Iterator[Any]:
    for row in rows:
        tally[0] += 1
        yield row


def table_chunks(listing: Listing, items: Records) -> Iterator[str]:
    """Records as a table; in a pipe some hundred at a time."""
    source = map(listing.row, items)
    if sys.stdout.isatty():
        rows = list(source)
        yield boxed_table(listing.title, listing.head, rows) if rows else ""
        return
    below_the_head = False
    while batch := list(islice(source, BATCH)):
        text = plain_table(listing.head, batch)
        yield text.partition("\n")[2] if below_the_head else text
        below_the_head = True


def _shortened_warning(call: CommandCall, found: Page) -> list[WarningRecord]:
    tokens = call.number("--tokens")
    if not found.shortened or tokens is None:
        return []
    return [
        {
            "code": "W_PAGE_SHORTENED",
            "message": f"the page ends after {count_of(len(found.items), 'record')} to stay within {tokens:,} tokens",
        }
    ]


class _Spent:
    """What an answer costs whoever reads it, and what to say if that is more than it is meant to be."""

    def __init__(self, call: CommandCall, count: TokenCounter | None) -> None:
        self.command = call.command.name if call.command else ""
        self.count = count
        self.target = TARGETS.get(family(self.command))
        self.chars = self.tokens = self.records = 0

    def counted(self, lines: Iterable[str]) -> Iterator[str]:
        for line in lines:
            self.records += 1
            self.chars += len(line) + 1
            self.tokens += 0 if self.count is None else self.count(line) + 1
            yield line

    def token_warnings(self) -> Iterator[WarningRecord]:
        """A warning, where there is something to warn of; asked for after everything was counted."""
        tokens = tokens_of(self.chars) if self.count is None else self.tokens
        if self.target is not None and tokens >= self.target and self.records:
            fewer = max(1, self.records * self.target // (tokens + 1))
            yield {
                "code": "W_TOKEN_TARGET",
                "message": f"about {tokens:,} tokens; `{self.command}` is meant to stay below {self.target:,}: "
                f"--limit {fewer} or --tokens {self.target} makes the page smaller",
            }

    def over(self, lines: list[str]) -> list[WarningRecord]:
        for _ in self.counted(lines):
            pass
        return list(self.token_warnings())
