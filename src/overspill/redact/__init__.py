"""Secrets out of text, before anything is shown, stored or logged.

>>> redact_text("postgres://app:h7Xk2pQ9@db/app")
'postgres://app:REDACTED_PASSWORD@db/app'

Here is redaction without settings: by the default rules, with the compiled database, and the secrets of the
environment. This file alone of the package touches the world; whoever has settings asks `Workspace.redactor`.

The scan database is built once, kept in the user's cache directory, and loaded in a blink. What hyperscan
loads is trusted, so the cache is owner-only. Nothing of it is needed for correctness: without a database, or
without hyperscan, redaction looks with another engine and finds the same.

Imports `_lite`, `errors`, `version` and, for that cache, `files`. Whatever shows, stores or logs a text comes in here.
"""

from __future__ import annotations

import os
from _thread import get_ident
from sys import byteorder, meta_path, modules

from overspill._lite import TYPE_CHECKING
from overspill.files import cache_directory, joined_parts, read_cached_parts, write_cached
from overspill.redact.hits import DIGEST, RULE_BITS, Hit
from overspill.redact.redactor import Redacted, RedactionReason, Redactor, secret_variables
from overspill.redact.stream import RedactStream
from overspill.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from importlib.machinery import ModuleSpec
    from typing import Any

    from overspill.redact.rules import Rule
    from overspill.redact.rules.credentials import RULES
    from overspill.redact.rules.vendors import FORMATS
    from overspill.redact.scanner import Expression


__all__ = [
    "FORMATS",
    "RULES",
    "RedactStream",
    "Redacted",
    "RedactionReason",
    "Redactor",
    "Rule",
    "redact_text",
    "secret_variables",
]


def __getattr__(name: str) -> object:
    # A clean text needs no table.
    if name not in {"FORMATS", "RULES", "Rule"}:
        raise AttributeError(f"module 'overspill.redact' has no attribute {name!r}")
    from overspill.redact.rules import credentials  # the last of the tables has all names

    return getattr(credentials, name)


# In every name that promises a secret stands one of these. A path is no secret, whatever its name; PWD is always there.
_PARTS = (
    "pass", "pw", "psw", "psk", "senha", "contrasena", "key", "auth", "token", "secret", "cred", "bearer", "jwt",
    "pepper", "_pat", ".pat", "-pat",
)  # fmt: skip


def redact_text(text: str) -> str:
    """The text without its secrets: by the default rules, and without the secrets of this environment.

    >>> redact_text("postgres://app:h7Xk2pQ9@db/app")
    'postgres://app:REDACTED_PASSWORD@db/app'
    """
    return _default_redactor(secrets_of(os.environ)).redact(text).text


_latest: list[tuple[dict[str, str], Redactor]] = []  # an environment seldom changes while a program runs


def _default_redactor(known: dict[str, str]) -> Redactor:
    if not _latest or _latest[0][0] != known:
        _latest[:] = [(known, Redactor(known=known, database=database()))]
    return _latest[0][1]


def secrets_of(environ: Mapping[str, str]) -> dict[str, str]:
    """The values of the environment to look for. Judging names and spelling values is only begun if it can matter.

    >>> secrets_of({"PWD": "/home/jo", "PATH": "/bin", "DEPLOY_TOKEN": "hunter2hunter2"})
    {'DEPLOY_TOKEN': 'hunter2hunter2'}
    """
    likely = {name: value for name, value in environ.items() if _likely(name.lower()) and not _path(value)}
    if not likely:
        return {}
    return secret_variables(likely)


def _likely(name: str) -> bool:
    return any(part in name for part in _PARTS)


def _path(value: str) -> bool:
    return value[:1] == "/" and "\n" not in value


_databases: list[ScanDatabase | None] = []


def database() -> ScanDatabase | None:
    """The compiled rules, read once a process; None where hyperscan is not installed."""
    if not _databases:
        _databases.append(scan_database())
    return _databases[0]


NATIVE = "hyperscan._hs_ext"
MAX_DATABASE_BYTES = 16 << 20

Facts = tuple[list[int], list[int]]
"""The rule and the width of each expression, kept in front of the database: working them out costs more."""


class ScanDatabase:
    """A loaded database that any thread may use: each gets a scratch of its own."""

    def __init__(self, hyperscan: Any, database: Any, facts: Facts, digest: int) -> None:
        self.digest = digest
        self._database = database
        database.scratch = hyperscan.Scratch(database)
        self._scratches = {get_ident(): database.scratch}
        rules, widths = facts
        # Added to where a match ends; None where hyperscan says where it starts.
        shifts = [rule - (width << RULE_BITS) if width else None for rule, width in zip(rules, widths, strict=True)]

        def note(number: int, start: int, end: int, _flags: int, add: Callable[[Hit], None]) -> None:
            shift = shifts[number]
            add((end << RULE_BITS) + shift if shift is not None else start << RULE_BITS | rules[number])

        self._note = note

    def scan(self, data: bytes) -> list[Hit]:
        """Every place in `data` where a rule could match, in no order, some of them twice."""
        scratch = self._scratches.get(get_ident())
        if scratch is None:
            scratch = self._scratches[get_ident()] = self._database.scratch.clone()
        hits: list[Hit] = []
        self._database.scan(data, match_event_handler=self._note, context=hits.append, scratch=scratch)
        return hits


def extension() -> Any:
    """The native module of hyperscan; None where it is not installed.

    The package around it imports `typing` for the sake of one class that we have no use for, and that
    costs a process more than looking for secrets does. So the module is loaded by itself.
    """
    if NATIVE in modules:
        return modules[NATIVE]
    package = _found("hyperscan", None)
    found = _found(NATIVE, package.submodule_search_locations) if package else None
    if found is None or found.loader is None:
        return None
    try:
        module = found.loader.create_module(found)
        assert module is not None  # noqa: S101  # a native module always makes itself
        found.loader.exec_module(module)
    except ImportError:
        return None
    modules[NATIVE] = module
    return module


def _found(name: str, path: Sequence[str] | None) -> ModuleSpec | None:
    """Where a module is, as the import statement would find it."""
    return next((spec for finder in meta_path if (spec := finder.find_spec(name, path)) is not None), None)


def scan_database(directory: str | None = None) -> ScanDatabase | None:
    """The database for our rules, from the cache or built now; None where hyperscan is not installed."""
    hyperscan = extension()
    if hyperscan is None:
        return None
    place = cache_directory(os.environ) if directory is None else directory
    loaded = _load(hyperscan, place) if place else None
    if loaded is None:
        from overspill.redact.scanner import expressions_of_table

        expressions = expressions_of_table()
        loaded = _build(hyperscan, expressions), ([e.rule for e in expressions], [e.width for e in expressions])
        if place:
            content = joined_parts(_packed(loaded[1]), hyperscan.dumpb(loaded[0]))
            write_cached(place, _file_name(hyperscan), content)
    return ScanDatabase(hyperscan, *loaded, DIGEST)


def kept_at() -> str | None:
    """The file the database for our rules is read from next time; None if there is none that would be read."""
    hyperscan, place = extension(), cache_directory(os.environ)
    if not hyperscan or not place or _load(hyperscan, place) is None:
        return None
    return os.path.join(place, _file_name(hyperscan))


def is_damaged() -> bool:
    """Whether there is a file for our rules that would not be read, and so will be built anew."""
    hyperscan, place = extension(), cache_directory(os.environ)
    if not hyperscan or not place or not os.path.lexists(os.path.join(place, _file_name(hyperscan))):
        return False
    return _load(hyperscan, place) is None


def _file_name(hyperscan: Any) -> str:
    machine = os.uname().machine if hasattr(os, "uname") else "any"
    return f"scan-2-{__version__}-{hyperscan.__version__}-{machine}-{DIGEST:016x}.hsdb"


def _build(hyperscan: Any, expressions: tuple[Expression, ...]) -> Any:
    from overspill.redact.scanner import CASELESS, START

    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    flags = [
        (hyperscan.HS_FLAG_CASELESS if e.flags & CASELESS else 0)
        | (hyperscan.HS_FLAG_SOM_LEFTMOST if e.flags & START else 0)
        for e in expressions
    ]
    database.compile(
        expressions=[e.pattern.encode() for e in expressions], ids=list(range(len(expressions))), flags=flags
    )
    return database


def _packed(facts: Facts) -> bytes:
    return b"".join(number.to_bytes(2, byteorder) for numbers in facts for number in numbers)


def _load(hyperscan: Any, place: str) -> tuple[Any, Facts] | None:
    """The database that is kept there, if hyperscan accepts it."""
    parts = read_cached_parts(place, _file_name(hyperscan), MAX_DATABASE_BYTES)
    if parts is None:
        return None
    packed, content = parts
    count = len(packed) // 4
    try:
        numbers = memoryview(packed).cast("H").tolist()
        return hyperscan.loadb(content, hyperscan.HS_MODE_BLOCK), (numbers[:count], numbers[count:])
    except (hyperscan.HyperscanError, hyperscan.error, ValueError, TypeError):
        # Another processor or a damaged file: built anew.
        return None
