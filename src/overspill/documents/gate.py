"""One native scan for words that may matter: which places deserve a closer look.

The scan is a filter and nothing more. Where there is no native one, plain searches stand in for it.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import lru_cache
from typing import Any

FAILURES = ("error", "fail", "exception", "fatal", "panic", "traceback", "denied", "refused", "crash", "timed out",
            "timeout", "unable to", "could not", "killed", "unhealthy", "critical", "backoff")  # fmt: skip

Scan = Callable[[bytes | bytearray | memoryview, int], list[int]]


def gate(words: Iterable[str]) -> Scan:
    """A function that gives the ends of at most so many places where one of these words stands, whatever its case.

    >>> gate(["error"])(b"no Error here, an ERROR there", 10)
    [8, 23]
    """
    wanted = tuple(sorted({word.lower().encode() for word in words if word}))
    if not wanted:
        return lambda _content, _most: []
    database = _database(wanted)
    return _plain(wanted) if database is None else _native(database)


def _native(database: Any) -> Scan:  # noqa: ANN401  # hyperscan has no types
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


def _plain(words: tuple[bytes, ...]) -> Scan:
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
def _database(words: tuple[bytes, ...]) -> "Any | None":  # noqa: ANN401  # hyperscan has no types
    try:
        import hyperscan
    except ImportError:
        return None
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    flags = hyperscan.HS_FLAG_CASELESS
    escaped = [b"".join(b"\\x%02x" % byte for byte in word) for word in words]
    database.compile(expressions=escaped, ids=[*range(len(words))], elements=len(words), flags=[flags] * len(words))
    return database
