"""Which old results go from a conversation: values and arithmetic, no I/O.

The conversation is replayed: before each request to the model, all that stood there at that time is looked at, and
what is old goes if enough of it goes and if it pays. A prompt that changes is no longer in the provider's cache from
the first change on. What stands behind that has to be written there again, once; what went need not be read any more,
in this request and in those to come. As each decision depends on nothing but what stood before it, the messages of a
longer conversation are cleared as those of a shorter one were, until the next time that it pays.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from overspill.errors import UsageError
from overspill.retrieve.tools import TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator

# What a line costs that stands for a result: none is longer, and no counter of tokens counts more for it. It is one
# number, so that lines which are there already weigh what they weighed when it was decided to write them.
STUB_CHARS = 240
STUB_TOKENS = 100

FETCHING_TOOLS = tuple(tool.name for tool in TOOLS)
GET, SEARCH, _ = FETCHING_TOOLS

# Words that are not said by chance: with a digit, an underscore, a dot or a slash in them, or a capital inside.
_WORD = re.compile(r"[A-Za-z0-9_/~.][\w./:@~-]{2,200}\w")
_TELLING = re.compile(r"[0-9_/.]|[a-z][A-Z]")
_ID = re.compile(r"art_(?:[0-9]{1,20}_)?([a-zA-Z0-9]{6})[a-zA-Z0-9]*")
SHORTEST_WORD = 5
MOST_SEARCHED = 100_000  # characters at either end of a text in which names are looked for
MOST_HELD = 10_000  # characters of a text whose names are found once


class Keep(NamedTuple):
    """What stays in a conversation.

    The results of the last `turns` turns stay; those of `get_artifact` and `search_artifacts`, and the view of an
    artifact that one of them asked for, for `fetched` turns; errors for `errors` turns; those of `tools` for ever. A
    result stays as long as one of the last `turns` turns says a name or a number that it is the newest to say.
    """

    turns: int = 5
    fetched: int = 10
    errors: int = 20
    tools: tuple[str, ...] = ()


class CachePrices(NamedTuple):
    """What a token costs that is written to the provider's prompt cache, and one that is read from it.

    One that is not cached costs 1. Where nothing is cached, both are 1.
    """

    write: float = 1.25
    read: float = 0.1


class Clearing(NamedTuple):
    """When results go: by `keep`, at least `at_least` tokens at a time, if it pays within `turns_ahead` requests."""

    keep: Keep = Keep()
    at_least: int = 10_000
    prices: CachePrices = CachePrices()
    turns_ahead: int = 20

    def check_sense(self) -> Clearing:
        """Itself, if it can be meant."""
        odd = {
            "keep.turns": self.keep.turns < 1,
            "at_least": self.at_least < 0,
            "turns_ahead": self.turns_ahead < 1,
            "prices": min(self.prices) < 0,
        }
        wrong = [name for name, is_wrong in odd.items() if is_wrong]
        if wrong:
            raise UsageError(
                f"{wrong[0]} is too small; the last turn always stays, and nothing costs less than nothing"
            )
        return self


class SaidText(NamedTuple):
    """What the model, the user or the system said. It is never changed."""

    text: str
    by_model: bool = False


class MadeCall(NamedTuple):
    """A call that the model made. It is never changed."""

    id: str
    tool: str
    arguments: str


class GivenResult(NamedTuple):
    """What a tool said to a call. `place` is where, for whoever wrote it down."""

    place: Hashable
    call_id: str
    text: str
    is_error: bool = False


ConversationEntry = SaidText | MadeCall | GivenResult
NO_CALL = MadeCall("", "", "")


class PastResult(NamedTuple):
    """A result in its turn, with the call it answers."""

    number: int
    turn: int
    given: GivenResult
    call: MadeCall
    tokens: int
    end: int  # tokens of the conversation up to its end
    cleared_at: int = 0  # where it is a line of ours already: before which request it was written

    @property
    def is_fetched(self) -> bool:
        """Whether it is an answer from the store."""
        return is_fetching(self.call.tool)

    def stays_for(self, keep: Keep) -> int:
        """How many turns it stays, whatever is said of it."""
        turns = keep.turns
        if self.is_fetched:
            turns = max(turns, keep.fetched)
        return max(turns, keep.errors) if self.given.is_error else turns


def is_fetching(tool: str, names: tuple[str, ...] = (GET, SEARCH)) -> bool:
    """Whether a tool is one of ours; hosts put the server's name before a tool's.

    >>> is_fetching("get_artifact"), is_fetching("mcp__overspill__get_artifact"), is_fetching("bash")
    (True, True, False)
    """
    return tool.endswith(names)


class Conversation:
    """What stands in a conversation, turn by turn: a turn begins where the model answers a request."""

    def __init__(
        self,
        entries: Iterable[ConversationEntry],
        count: Callable[[str], int],
        written_at: Callable[[str], int] = lambda _: 0,
    ) -> None:
        self.results: list[PastResult] = []
        self.said: list[list[str]] = [[]]  # by turn: texts, and arguments of calls
        self.asked: list[list[str]] = [[]]  # by turn: arguments of calls that fetch
        self.ends: list[int] = []  # tokens up to the end of each turn
        calls: dict[str, MadeCall] = {}
        tokens, was_model = 0, False
        for entry in entries:
            is_model = isinstance(entry, MadeCall) or (isinstance(entry, SaidText) and entry.by_model)
            if is_model and not was_model:
                self.ends.append(tokens)
                self.said.append([])
                self.asked.append([])
            was_model = is_model
            if isinstance(entry, GivenResult):
                step = written_at(entry.text)
                size = STUB_TOKENS if step else count(entry.text)
                tokens += size
                call = calls.get(entry.call_id, NO_CALL)
                self.results.append(PastResult(len(self.results), len(self.ends), entry, call, size, tokens, step))
                continue
            words = entry.text if isinstance(entry, SaidText) else entry.arguments
            tokens += count(words)
            self.said[-1].append(words)
            if isinstance(entry, MadeCall):
                calls[entry.id] = entry
                if is_fetching(entry.tool):
                    self.asked[-1].append(entry.arguments)
        self.ends.append(tokens)

    @property
    def requests(self) -> int:
        """How many requests were made or are about to be: each is answered by a turn, the last is not yet."""
        return len(self.ends)


def decide_clearing(conversation: Conversation, rules: Clearing) -> dict[int, int]:
    """The numbers of the results that go, and before which request each went.

    Results that are lines of ours already are among them: decisions begin anew after the last of them was written.
    """
    return _Decisions(conversation, rules.check_sense()).make()


class _Decisions:
    def __init__(self, conversation: Conversation, rules: Clearing) -> None:
        self._conversation = conversation
        self._rules = rules
        self._went = {one.number: one.cleared_at for one in conversation.results if one.cleared_at}
        self._old: list[PastResult] = []  # what is old enough to go, and has not
        self._due: dict[int, list[PastResult]] = {}  # by request
        for one in conversation.results:
            if one.tokens > STUB_TOKENS and not one.cleared_at and one.call.tool not in rules.keep.tools:
                self._due.setdefault(one.turn + one.stays_for(rules.keep) + 1, []).append(one)

    def make(self) -> dict[int, int]:
        last = self._conversation.requests
        # Turns may have been taken from the front since: then the numbers in our lines are too large.
        settled = min(max(self._went.values(), default=0), last - 1)
        for request in range(1, last + 1):
            self._old += self._due.get(request, ())
            if request > settled and sum(map(_saving, self._old)) >= self._rules.at_least:
                self._clear(request)
        return self._went

    def _clear(self, request: int) -> None:
        """Let go what pays most: of all turns that are old, those from the one on where most is saved."""
        in_use = self._numbers_in_use(request)
        old = sorted((one for one in self._old if one.number not in in_use), reverse=True)
        everything = self._conversation.results
        # What lines that were written before save of the tokens up to each result.
        before = [
            0,
            *accumulate(_saving(one) * (one.number in self._went and not one.cleared_at) for one in everything),
        ]
        # What came since the last request was never cached.
        cached = self._conversation.ends[request - 2] - before[-1] if request > 1 else 0
        best, freed = (0.0, 0), 0
        for count, (one, older) in enumerate(zip(old, [*old, None][1:], strict=True), start=1):
            freed += _saving(one)
            if (older is None or older.turn != one.turn) and freed >= self._rules.at_least:  # whole turns at a time
                behind = cached - freed - (one.end - one.tokens - before[one.number])
                best = max(best, (self._gain(freed, behind), -count))
        self._went |= {one.number: request for one in old[: -best[1]]}
        self._old = [one for one in self._old if one.number not in self._went]

    def _gain(self, freed: int, behind: int) -> float:
        """What it saves to let so many tokens go, if so many behind the first of them have to be written again."""
        write, read = self._rules.prices
        return freed * read * self._rules.turns_ahead - (write - read) * behind

    def _numbers_in_use(self, request: int) -> set[int]:
        """Which results say something that was said lately, and that no newer one says."""
        keep, conversation = self._rules.keep, self._conversation
        texts = [text for turn in conversation.said[max(0, request - keep.turns) : request] for text in turn]
        asked = [text for turn in conversation.asked[max(0, request - keep.fetched) : request] for text in turn]
        wanted = {name for text in texts for name in names_in(text)}
        wanted |= {name for text in asked for name in names_in(text) if name.startswith("art_")}
        found: set[int] = set()
        for one in reversed(conversation.results):
            if one.turn < request and one.number not in self._went and wanted:
                said = wanted & (names_in(one.given.text) | names_in(one.call.arguments))
                if one.is_fetched:  # it is about an artifact, and the view of that stays, too
                    said = {name for name in said if not name.startswith("art_")}
                wanted -= said
                if said:
                    found.add(one.number)
        return found


def _saving(result: PastResult) -> int:
    return result.tokens - STUB_TOKENS


def names_in(text: str) -> frozenset[str]:
    """The names and numbers in a text by which it can be told that another is about the same; ids in their short form.

    >>> sorted(names_in("Look at src/app.py: parse_config failed 1042 times in art_1699_abcdefghij, see e.g. here."))
    ['1042', 'art_abcdef', 'parse_config', 'src/app.py']
    """
    if len(text) > 2 * MOST_SEARCHED:
        text = f"{text[:MOST_SEARCHED]}\n{text[-MOST_SEARCHED:]}"
    return frozenset(_names(text)) if len(text) > MOST_HELD else _names_held(text)


@lru_cache(maxsize=512)  # a conversation comes by at every turn
def _names_held(text: str) -> frozenset[str]:
    return frozenset(_names(text))


def _names(text: str) -> Iterator[str]:
    for word in _WORD.findall(text):
        if (named := _ID.fullmatch(word)) is not None:
            yield f"art_{named[1]}"
        elif (len(word) >= SHORTEST_WORD and _TELLING.search(word)) or word.isdigit():
            yield word
