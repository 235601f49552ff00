"""What the parts of redaction ask of each other. For the type checker only: nothing imports this to run."""

from collections.abc import Iterable
from re import Match

from overspill._lite import Protocol
from overspill.redact.hits import Hit, Probe, Reader, Spot


class Database(Protocol):
    """A compiled hyperscan database, in block mode, and the table it was made from."""

    digest: int

    def scan(self, data: bytes) -> list[Hit]: ...


class Finder(Protocol):
    """A compiled pattern of either library."""

    def finditer(self, data: bytes, /) -> Iterable[Match[bytes]]: ...


class Eyes(Protocol):
    """What the stream needs of a redactor."""

    blocks: frozenset[int]
    lenient: bool
    readers: list[Reader | None]
    probes: list[Probe | None]
    leads: list[int]  # how far before its hit a probe begins

    def name(self, rule: int) -> str: ...
    def hits(self, text: str, start: int, end: int) -> list[Hit]: ...
    def reader(self, rule: int) -> Reader: ...
    def literals(self, text: str, start: int, end: int) -> Iterable[Spot]: ...
    def allows(self, value: str) -> bool: ...
