"""Whether a record tells of a failure, judged by what it says and not by the words in it.

`"errors": 0`, `"error": null` and "no failures" are good news; `"status": 503` is bad without a word.
Elements of XML are judged by their names and attributes.

Which places deserve a closer look is told by one native scan for words that may matter. The scan is a filter and
nothing more. Where there is no native one, plain searches stand in for it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, partial
from typing import Any

from overspill._lite import TYPE_CHECKING, compile_pattern, suppress

if TYPE_CHECKING:
    from overspill.cut.digest.columns import Table

MOST_NODES = 400
LONGEST_TEXT = 4_000
LONGEST_SIGNATURE = 80
FEWEST_FAULTY, MOST_FAULTY = 400, 600  # of HTTP
LOUD = (50, 60)  # what bunyan and pino call error and fatal

# Names of members, without case, dashes and underscores.
TROUBLES = frozenset(
    "error errors err errormessage errormsg errorcode exception exceptions failure failures failed failedtests fault"
    " traceback stacktrace backtrace excinfo crash panic crashreason failurereason failuremessage"
    " failuremessages".split()
)
LEVELS = frozenset("level severity loglevel levelname lvl priority category".split())
STATES = frozenset(
    "status state outcome result conclusion verdict phase health type event action kind statustext check"
    " buildstatus teststatus jobstatus reason".split()
)
CODES = frozenset("status statuscode code httpstatus responsecode httpcode responsestatus".split())
EXITS = frozenset("exitcode exitstatus returncode rc exit".split())
GOOD = frozenset("ok success successful succeeded passed pass healthy valid isvalid available".split())

SAYING = LEVELS | STATES | CODES | EXITS | GOOD  # those whose values are words for how it went
TELLING = TROUBLES | LEVELS | STATES | CODES | EXITS | GOOD

FALSE = ("false", "no")
BAD_LEVELS = frozenset("error err fatal critical crit emergency emerg alert panic severe".split())
BAD_STATES = BAD_LEVELS | frozenset(
    "failed failure fail errored broken crashed crash crashloopbackoff timeout timedout aborted rejected denied"
    " unhealthy killed oomkilled dead down exception invalid unreachable evicted imagepullbackoff"
    " errimagepull degraded".split()
)
NOTHING = frozenset(("", "none", "null", "ok", "no", "0", "false", "n/a", "-", "nil", "success", "no error"))

_NAME = compile_pattern(r"[\s_.-]+")
_WORDS = compile_pattern(
    r"(?i)(?<![a-z])(?:error|exception|fatal|panic(?:ked)?|traceback|failed|failure|failing|denied|refused|crashed"
    r"|timed out|segfault|unreachable|unhandled|cannot|could not|unable to)(?![a-z])"
    r"|(?-i:[a-z](?:Error|Exception)(?![a-z]))"
)
_GOOD_WORDS = compile_pattern(
    r"(?i)\b(?:no|0|zero|without(?: any)?|not an?) +(?:new +)?(?:errors?|failures?|exceptions?|failed)\b"
    r"|\b(?:errors?|failures?|failed|exceptions?) *[:=] *(?:0\b|none\b|null\b|false\b|\[\]|\"\")"
)
# What one failure has and another of its kind has not: numbers, names in quotes, paths.
_VARIED = compile_pattern(r"`[^`]*`|'[^']*'|\"[^\"]*\"|(?:[\w.-]*/)+[\w.-]+|0x[0-9a-fA-F]+|[0-9a-f]{8,}|\d+")


def failure_of(value: object) -> str:
    """What kind of failure a record tells of, told by its words without their numbers, or nothing.

    >>> failure_of({"id": 7, "error": {"code": 12}}), failure_of({"id": 8, "errors": 0, "error": None})
    ('error: {#: #}', '')
    """
    left = [MOST_NODES]
    return _failure_within(value, left)


def _failure_within(value: object, left: list[int]) -> str:
    left[0] -= 1
    if left[0] < 0:
        return ""
    found, inside = "", list[object]()
    if isinstance(value, dict):
        found = next((told for name, inner in value.items() if (told := _member_failure(str(name), inner))), "")
        inside = [*value.values()]
    elif isinstance(value, list):
        inside = value
    return found or next((told for inner in inside if (told := _failure_within(inner, left))), "")


def _member_failure(name: str, value: object) -> str:
    plain = plain_name(name)
    if plain in TROUBLES:
        return failure_signature(name, value) if _is_something(value) else ""
    if plain not in TELLING:
        return ""
    if isinstance(value, str):
        return _word_failure(plain, value)
    if isinstance(value, bool):
        return f"{plain}: false" if plain in GOOD and not value else ""
    if isinstance(value, int):
        faulty = (plain in CODES and FEWEST_FAULTY <= value < MOST_FAULTY) or (plain == "level" and value in LOUD)
        return f"{plain}: {value}" if faulty or (plain in EXITS and value != 0) else ""
    return ""


def _word_failure(plain: str, value: str) -> str:
    word = plain_name(value) if len(value) <= LONGEST_SIGNATURE else ""
    bad = (plain in LEVELS and word in BAD_LEVELS) or (plain in STATES and word in BAD_STATES)
    bad = bad or (plain in GOOD and word in FALSE)
    return f"{plain}: {word}" if bad else ""


def bad_values(name: str, values: Iterable[object]) -> set[object]:
    """Which of the values of a member tell that something went wrong.

    >>> bad_values("Action", ["run", "fail", "pass"]), bad_values("ok", [True, False]), bad_values("error", ["no"])
    ({'fail'}, {False}, set())
    """
    if plain_name(name) not in SAYING:
        return set()
    distinct = {value for value in values if isinstance(value, (str, int))}
    # True and 1 are one in a set: only truth is asked of members that are true or false.
    found = {value for value in distinct if _member_failure(name, value)}
    return found | ({False} if any(value is False for value in values) and _member_failure(name, False) else set())


@lru_cache(maxsize=512)
def plain_name(name: str) -> str:
    """A name as it is compared with others: without case, dashes and underscores."""
    return _NAME.sub("", name).lower()


def mention_of(value: object) -> str:
    """The words of a text somewhere in a record that speak of a failure, without their numbers.

    >>> mention_of({"msg": "upload of 12 files failed"}), mention_of({"msg": "done, 0 errors"})
    ('msg: upload of # files failed', '')
    """
    left = MOST_NODES
    waiting: list[tuple[str, object]] = [("", value)]
    while waiting and left:
        left -= 1
        name, inner = waiting.pop()
        if isinstance(inner, str):
            if speaks_of_failure(inner):
                return failure_signature(name, inner)
        elif isinstance(inner, dict):
            waiting += [(str(key), part) for key, part in reversed(inner.items())]
        elif isinstance(inner, list):
            waiting += [(name, part) for part in reversed(inner)]
    return ""


def speaks_of_failure(text: str) -> bool:
    """Whether a text says that something went wrong, and not that nothing did."""
    text = text[:LONGEST_TEXT]
    return _WORDS.search(text) is not None and _WORDS.search(_GOOD_WORDS.sub("", text)) is not None


def failure_signature(name: str, value: object) -> str:
    """A failure in few words that another of its kind would have, too."""
    text = value[: 2 * LONGEST_SIGNATURE] if isinstance(value, str) else str(value)
    return f"{name}: {_VARIED.sub('#', text)[:LONGEST_SIGNATURE]}"


def _is_something(value: object) -> bool:
    if isinstance(value, str):
        return value.strip().lower() not in NOTHING
    if isinstance(value, dict):
        return any(_is_something(inner) for inner in value.values())
    return bool(value)


FAILURES = ("error", "fail", "exception", "fatal", "panic", "traceback", "denied", "refused", "crash", "timed out",
            "timeout", "unable to", "could not", "killed", "unhealthy", "critical", "backoff")  # fmt: skip

WordScan = Callable[[bytes | bytearray | memoryview, int], list[int]]


def word_scanner(words: Iterable[str]) -> WordScan:
    """A function that gives the ends of at most so many places where one of these words stands, whatever its case.

    >>> word_scanner(["error"])(b"no Error here, an ERROR there", 10)
    [8, 23]
    """
    wanted = tuple(sorted({word.lower().encode() for word in words if word}))
    if not wanted:
        return lambda _content, _most: []
    database = _database(wanted)
    return _plain_scan(wanted) if database is None else _native_scan(database)


def _native_scan(database: Any) -> WordScan:  # noqa: ANN401  # hyperscan has no types
    from hyperscan import ScanTerminated

    def scan(content: bytes | bytearray | memoryview, most: int) -> list[int]:
        ends: list[int] = []

        def hit(_word: int, _start: int, end: int, _flags: int, _context: object) -> bool:
            ends.append(end)
            return len(ends) >= most

        with suppress(ScanTerminated):
            database.scan(content, match_event_handler=hit)
        return ends

    return scan


def _plain_scan(words: tuple[bytes, ...]) -> WordScan:
    def scan(content: bytes | bytearray | memoryview, most: int) -> list[int]:
        lower = bytes(content).lower()
        ends: set[int] = set()
        for word in words:
            at = lower.find(word)
            while at >= 0 and len(ends) < most:
                ends.add(at + len(word))
                at = lower.find(word, at + len(word))
        return sorted(ends)

    return scan


@lru_cache(maxsize=8)
def _database(words: tuple[bytes, ...]) -> Any | None:  # noqa: ANN401  # hyperscan has no types
    try:
        import hyperscan
    except ImportError:
        return None
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    flags = hyperscan.HS_FLAG_CASELESS
    escaped = [b"".join(b"\\x%02x" % byte for byte in word) for word in words]
    database.compile(expressions=escaped, ids=[*range(len(words))], elements=len(words), flags=[flags] * len(words))
    return database


MOST_PLACES = 10_000
NAMING, MOST_NAMED = ("name", "id", "file", "path", "key"), 2_000  # attributes that say what an element is called
MORE_PATHS = "..."
FEWEST_ONCE, ONCE_RANK = 12, 0.9  # names of elements of which there is one each; their values come before far numbers
LONGEST_ONCE = 80  # characters of such a value
OUTLINE_SHARE, NAMES_SHARE = 0.05, 0.15  # of the room, a few times of which may be for paths, and for names
MOST_PATHS, MOST_NAMES, MOST_WAITING = 1_000, 150, 1_000  # of elements that are added up

TAGS = TROUBLES | {"rerunfailure", "rerunerror", "flakyfailure", "flakyerror", "errorinfo", "testfailure", "problem"}
# These are there whether or not there is anything in them.
LISTS = frozenset(("errors", "failures", "exceptions", "failedtests", "failuremessages"))


class ElementTables:
    """Adds up elements: how many there are on every path, and which attributes and texts those of a name have."""

    def __init__(self) -> None:
        self.paths: dict[str, int] = {}
        self.tables: dict[str, Table] = {}
        self._rows: dict[str, list[dict[str, str]]] = {}
        self._bare: dict[str, int] = {}  # elements with neither attributes nor text, by name
        self._unnamed: set[str] = set()  # those of which not all names are known
        self.troubles: dict[str, dict[str, int]] = {}  # names of elements that have one that tells of trouble in them

    def add_trouble(self, parent: str, attributes: dict[str, str], tag: str) -> None:
        """Take an element of trouble, by what it lies in."""
        name = next((attributes[key] for key in NAMING if key in attributes), "")
        found = self.troubles.setdefault(f"{parent} with {tag}", {})
        if name in found or len(found) < MOST_NAMED:
            found[name] = found.get(name, 0) + 1
        else:
            self._unnamed.add(f"{parent} with {tag}")

    def add(self, path: str, tag: str, attributes: dict[str, str], text: str) -> None:
        """Take an element; the text of one that has children is none."""
        if path in self.paths or len(self.paths) < MOST_PATHS:
            self.paths[path] = self.paths.get(path, 0) + 1
        else:
            self.paths[MORE_PATHS] = self.paths.get(MORE_PATHS, 0) + 1
        if text:
            attributes = {**attributes, "": text}
        if not attributes:
            if tag in self._bare or len(self._bare) < MOST_PATHS:
                self._bare[tag] = self._bare.get(tag, 0) + 1
            return
        rows = self._rows.get(tag)
        if rows is None:
            if len(self._rows) >= MOST_NAMES:
                return
            rows = self._rows[tag] = []
        rows.append(attributes)
        if len(rows) >= MOST_WAITING:
            self._flush(tag)

    def statements(self, room: int) -> list[str]:
        """What they add up to, in at most `room` characters. What trouble befell comes first."""
        for tag in [*self._rows]:
            self._flush(tag)
        for tag, number in self._bare.items():
            if tag in self.tables:
                self.tables[tag].count_rows(number)
        self._bare.clear()
        exact = {what: names for what, names in self.troubles.items() if what not in self._unnamed}
        return element_statements(self.paths, exact, self.tables, room)

    def _flush(self, tag: str) -> None:
        from overspill.cut.digest.columns import Table

        rows, self._rows[tag] = self._rows[tag], []
        table = self.tables.get(tag)
        if table is None:
            table = self.tables[tag] = Table(1, texts=True)
        table.add(rows, range(table.rows, table.rows + len(rows)))


def element_statements(
    counts: dict[str, int], troubles: Mapping[str, dict[str, int]], tables: Mapping[str, Table], room: int
) -> list[str]:
    """What the elements of a document add up to: their number by their paths, and what is in them by their name.

    `troubles` are names of elements in which something went wrong, by what they are.
    """
    from overspill.cut.digest import statements as say
    from overspill.cut.digest.naming import named_column
    from overspill.cut.digest.values import ValueList

    number = sum(counts.values())
    outline = PathOutline(counts)
    topics = [say.Topic(-2, lambda width: f"[{number} elements: {outline.within(3 * width)}]", share=OUTLINE_SHARE)]
    if MORE_PATHS in counts:
        topics = []  # how many paths there are is not known

    def listed_after(begin: str, names: ValueList, width: int) -> str:
        return f"{begin}{names.within(6 * width - len(begin))}]"

    for name, found in troubles.items():
        topics.append(say.Topic(-1.5, partial(listed_after, f"[{sum(found.values())} {name}: ", ValueList(found))))
    named = {
        name: lead for name, table in tables.items() if (lead := named_column(table, None, outermost=False)) is not None
    }
    settings = [name for name, table in tables.items() if table.rows == 1]
    settings = settings if len(settings) >= max(FEWEST_ONCE, len(tables) / 2) else []
    for name, table in tables.items():
        if name in settings:
            topics += (say.Topic(ONCE_RANK, partial(_whatever_width, words)) for words in _values_once(name, table))
            continue
        outer = say.Outermost(named.get(name), share=NAMES_SHARE / max(1, len(named)))
        # How many there are is said with the paths; names and few values come before how far numbers go.
        topics += (
            topic._replace(rank=topic.rank + (say.LATE if topic.rank >= 1 else 0.0))
            for topic in say.table_topics(table, "elements", f"{name}.", outer=outer)
            if topic.name or topic.rank < say.HEAD_RANK
        )
    return say.settled_statements(topics, room)


def _values_once(name: str, table: Table) -> Iterator[str]:
    """What an element says of which there is one, as settings have it: `[unitsPerEm.value: 2048]`."""
    from overspill.cut.digest.values import ValueList

    for column in table.columns.values():
        value = column.only_value(1)
        words = ValueList({value: 1}).within(LONGEST_ONCE) if value is not None else "+"
        if not words.startswith("+"):
            yield f"[{f'{name}.{column.name}'.rstrip('.')}: {words}]"


def _whatever_width(words: str, _width: int) -> str:
    return words


class PathOutline:
    """Elements by what they are in, and how many there are: `list{item 9{name 9, price 7}, +2}`.

    `+N` says how many paths further inside are not named.

    >>> PathOutline({"list": 1, "list/item": 9, "list/item/name": 9, "list/total": 1}).within(40)
    'list{item 9{name 9}, total}'
    >>> PathOutline({"list": 1, "list/item": 9, "list/item/name": 9, "list/total": 1}).within(24)
    'list{item 9{+1}, total}'
    """

    def __init__(self, counts: Mapping[str, int]) -> None:
        self._counts = counts
        self._order = sorted(counts, key=lambda path: (path.count("/"), -counts[path]))

    def within(self, room: int) -> str:
        """As many paths as there is room for, those of few names first."""
        low, high = 1, len(self._order)
        while low < high:
            middle = (low + high + 1) // 2
            if len(self._written(middle)) <= room:
                low = middle
            else:
                high = middle - 1
        return self._written(low)

    def _written(self, most: int) -> str:
        inside: dict[str, list[str]] = {}
        hidden: dict[str, int] = {}
        shown = {*self._order[:most]}
        for path in self._order:
            above = path.rpartition("/")[0]
            if path in shown:
                inside.setdefault(above, []).append(path)
            else:
                while above and above not in shown:
                    above = above.rpartition("/")[0]
                hidden[above] = hidden.get(above, 0) + 1
        return ", ".join(self._parts("", inside, hidden))

    def _parts(self, above: str, inside: dict[str, list[str]], hidden: dict[str, int]) -> list[str]:
        parts = []
        for path in inside.get(above, ()):
            count = self._counts[path]
            below = ", ".join(self._parts(path, inside, hidden))
            name = path.rpartition("/")[2]
            parts.append(f"{name}{f' {count}' if count > 1 else ''}{f'{{{below}}}' if below else ''}")
        return [*parts, f"+{hidden[above]}"] if above in hidden else parts


class XmlWatch:
    """Looks at elements of XML as they are parsed: which tell of a failure, and which hold what is looked for.

    What is in them is added up, by the name of the element.
    """

    def __init__(self, buffer: memoryview, focus: str = "") -> None:
        self.elements = ElementTables()
        self._places: list[int] = []
        if focus.strip():
            spelled = focus.replace("&", "&amp;").replace("<", "&lt;")
            self._places = sorted(word_scanner({focus, spelled})(buffer, MOST_PLACES))
        self._tags: dict[str, bool] = {}
        self._names: dict[str, bool] = {}

    def tells(self, tag: str, attributes: dict[str, str]) -> bool:
        """Whether an element is about something that went wrong."""
        known = self._tags.get(tag)
        if known is None:
            plain = plain_name(tag.rpartition(":")[2])
            known = self._tags[tag] = plain in TAGS and plain not in LISTS
        return known or any(self._tells(name, value) for name, value in attributes.items())

    def is_trouble(self, tag: str) -> bool:
        """Whether elements of this name are about nothing but what went wrong."""
        return self._tags.get(tag, False)

    def in_focus(self, start: int, end: int) -> bool:
        """Whether what is looked for stands there."""
        at = bisect_left(self._places, start + 1)
        return at < len(self._places) and self._places[at] <= end

    def _tells(self, name: str, value: str) -> bool:
        known = self._names.get(name)
        if known is None:
            known = self._names[name] = plain_name(name) in TELLING
        return known and bool(failure_of({name: value}))
