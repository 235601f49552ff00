"""Keeps what did not fit, for the length of one session.

A store is anything with the methods of `Store`; the suite in `overspill.testing` says what they promise.
Content is bytes of UTF-8: ranges are ranges of bytes, and a reader never sees half an artifact. `files` and `memory`
are the stores there are. The workspace and all that comes after it may import this package.

An artifact is named `art_<milliseconds>_<26 random characters>`. Names sort by time and carry 130 random bits: nobody
can guess one, and no path or other word from outside ever becomes part of one. In short it is `art_` and the first six
of its random characters, or more where they are another's too. Whoever asks may say that, or any beginning: what it
stands for is found among what can be read from where it is asked.

The wall clock may be set, so time that has passed is measured by the clock of the running system,
which nobody sets and which goes on in sleep; the wall clock counts only across a restart.
"""

from __future__ import annotations

import os
import time
from _collections_abc import Callable, Iterable, Iterator, Mapping

from overspill._lite import TYPE_CHECKING, NamedTuple, Protocol, compile_pattern
from overspill.core import VIEW as VIEW  # it is said here, too
from overspill.core.report import Artifact
from overspill.errors import AmbiguousId, ArtifactNotFound, NotText, UsageError

if TYPE_CHECKING:
    from mmap import mmap
    from typing import Self

    from overspill.core import Size

LABEL_WIDTH = 200
STEP = 1 << 20

Artifacts = list[Artifact]
Tell = Callable[[str, Mapping[str, object]], None]  # an event's name, and its facts
Bounds = tuple[int, int]


class ArtifactPage(NamedTuple):
    """Some artifacts, newest first, and how many there are in all."""

    artifacts: Artifacts
    total: int
    unserved: int = 0  # that would be among them, and are not what was stored


class Label(NamedTuple):
    """What the maker of an artifact says of it."""

    tool: str = ""
    content_type: str = "text/plain"
    source: str = ""
    call_id: str = ""

    def short(self) -> Label:
        """A label with no part longer than is kept of it."""
        return self if sum(map(len, self)) <= LABEL_WIDTH else Label(*(part[:LABEL_WIDTH] for part in self))


class Cleared(NamedTuple):
    """What a clean-up removed."""

    artifacts: int
    bytes: int


class Writer(Protocol):
    """An artifact in the making. It is nobody's until `commit`, and gone if that never comes."""

    def write(self, content: bytes) -> None:
        """Take the next bytes of the cleaned, redacted text."""

    def view(self) -> mmap | bytes:
        """What was written so far, readable in place however large it is, also after the commit."""

    def commit(self, size: Size, content_type: str = "") -> Artifact:
        """Keep it, as what it turned out to be. When this returns, it can be read back."""

    def abort(self) -> None:
        """Forget it. After a commit this does nothing."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


class OpenArtifact(Protocol):
    """One artifact, opened for reading: its record and its content are looked up once, for any number of reads."""

    @property
    def artifact(self) -> Artifact:
        """What is known of it."""

    def read(self, start: int = 0, end: int | None = None) -> bytes:
        """Bytes `start` up to `end`, checked against what was stored."""

    def stream(self) -> Iterator[bytes]:
        """All of it in pieces, in flat memory; checked as a whole before the first piece comes."""

    def pieces(self) -> Iterator[bytes]:
        """All of it in pieces, each checked as it comes: for those who look at everything and serve little of it."""

    def lines(self, first: int, last: int) -> bytes:
        """Lines `first` to `last`, counted from 1, both included, as far as there are any."""

    def where(self, first: int, last: int) -> Bounds:
        """Where those lines lie, in bytes: so that a page of many lines can be read without the others."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


class Store(Protocol):
    """Keeps what did not fit."""

    def put(self, text: str, size: Size, label: Label) -> Artifact:
        """Keep `text`. When this returns, it can be read back."""

    def open(self, label: Label, *, keep_ends: int | None = None) -> Writer:
        """Keep what is written piece by piece; with `keep_ends`, only the first and last halves of so many bytes."""

    def artifact(self, artifact_id: str) -> OpenArtifact:
        """An artifact opened for reading, until its `with` ends; else `ArtifactNotFound`."""
        return ArtifactById(self, artifact_id)

    def info(self, artifact_id: str) -> Artifact:
        """What is known of an artifact; else `ArtifactNotFound`."""

    def read(self, artifact_id: str, start: int = 0, end: int | None = None) -> bytes:
        """Bytes `start` up to `end` of an artifact, checked against what was stored."""

    def stream(self, artifact_id: str) -> Iterator[bytes]:
        """All of an artifact in pieces, in flat memory; checked as a whole before the first piece comes."""

    def lines(self, artifact_id: str, first: int, last: int) -> bytes:
        """Lines `first` to `last`, counted from 1, both included, as far as there are any."""

    def where(self, artifact_id: str, first: int, last: int) -> Bounds:
        """Where those lines lie, in bytes: so that a page of many lines can be read without the others."""

    def list(self) -> Artifacts:
        """Every artifact that can be read from this session, newest first."""

    def page(self, limit: int | None, offset: int = 0) -> ArtifactPage:
        """Some of them, and how many there are in all."""

    def delete(self, artifact_id: str) -> None:
        """Forget one artifact."""

    def clear(self) -> Cleared:
        """Forget all artifacts of this session."""

    def remember(self, digest: str, limit: int) -> None:
        """Note that a view with this digest was handed out under a budget of `limit` characters."""

    def remembered(self, digest: str) -> int | None:
        """The budget of the view with this digest, or None if it was never handed out."""

    def close(self) -> None:
        """Let go of what the store holds open; artifacts stay."""


class ArtifactById:
    """An artifact for whose every read its store is asked by id: of a store that has nothing to hold open."""

    def __init__(self, store: Store, artifact_id: str) -> None:
        self.artifact = store.info(artifact_id)
        self._store = store

    def read(self, start: int = 0, end: int | None = None) -> bytes:
        """Bytes `start` up to `end`, as the store reads them."""
        return self._store.read(self.artifact.id, start, end)

    def stream(self) -> Iterator[bytes]:
        """All of it in pieces, as the store streams it."""
        return self._store.stream(self.artifact.id)

    def pieces(self) -> Iterator[bytes]:
        """All of it in pieces, a read each."""
        size = self.artifact.size.bytes
        return (self.read(at, min(size, at + STEP)) for at in range(0, size, STEP))

    def lines(self, first: int, last: int) -> bytes:
        """Lines `first` to `last`, as the store counts them."""
        return self._store.lines(self.artifact.id, first, last)

    def where(self, first: int, last: int) -> Bounds:
        """Where the store finds those lines, in bytes."""
        return self._store.where(self.artifact.id, first, last)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is held open."""


def open_artifact(store: Store, artifact_id: str) -> OpenArtifact:
    """An artifact opened for reading; also of a store that was written before stores could open one."""
    opened: Callable[[str], OpenArtifact] | None = getattr(store, "artifact", None)
    return ArtifactById(store, artifact_id) if opened is None else opened(artifact_id)


def open_text(store: Store, artifact_id: str) -> OpenArtifact:
    """An artifact that is a text, opened for reading; `NotText` where it is not."""
    opened = open_artifact(store, artifact_id)
    if opened.artifact.is_binary:
        with opened:
            raise NotText(opened.artifact.id, opened.artifact.content_type)
    return opened


ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
LENGTH = 26
ID_PATTERN = r"art_[0-9]{1,20}_[a-zA-Z0-9]{1,64}"


def new_id(milliseconds: int) -> str:
    """A name that nobody else has.

    >>> checked_id(new_id(1699234567890)).startswith("art_1699234567890_")
    True
    """
    number = int.from_bytes(os.urandom(17))
    return f"art_{milliseconds}_" + "".join(ALPHABET[(number >> 5 * place) & 31] for place in range(LENGTH))


def is_id(name: str) -> bool:
    """Whether a name has the form of an id."""
    return compile_pattern(ID_PATTERN).fullmatch(name) is not None


def checked_id(artifact_id: str) -> str:
    """The id itself if it has the form of one; otherwise nothing is looked up at all."""
    if not is_id(artifact_id):
        raise UsageError(f"not an artifact id: {artifact_id[:100]!r}; ids look like art_1699234567890_a1b2c3")
    return artifact_id


SHORTEST = 6  # characters that a beginning of an id has after `art_`, and a short form of its random part
_PREFIX = "art_"
_BEGINNING = r"art_(?:[a-zA-Z0-9]{6,64}|[0-9]{1,20}_[a-zA-Z0-9]{0,25})"


class ShortIds:
    """The short forms of ids among all that can be read: each stands for one of them alone.

    >>> short = ShortIds(["art_17_abcdefgh", "art_18_abcdefxy", "art_19_hhhhhhhh"])
    >>> short("art_17_abcdefgh"), short("art_19_hhhhhhhh")
    ('art_abcdefg', 'art_hhhhhh')
    """

    def __init__(self, ids: Iterable[str]) -> None:
        self._forms: dict[str, set[tuple[str, str]]] = {}  # by how they begin: what may be said for an id, and the id
        for one in ids:
            for form in _forms_of(one):
                self._forms.setdefault(form[: len(_PREFIX) + SHORTEST], set()).add((form, one))

    def __call__(self, artifact_id: str) -> str:
        """The short form of an id, or the id itself where it has none."""
        form = _forms_of(artifact_id)[0]
        least = len(_PREFIX) + SHORTEST
        if len(form) < least or not is_id(artifact_id):
            return artifact_id
        others = [other for other, one in self._forms.get(form[:least], ()) if one != artifact_id]
        for width in range(least, len(form) + 1):
            if not any(other.startswith(form[:width]) for other in others):
                return form[:width]
        return artifact_id


def _forms_of(artifact_id: str) -> tuple[str, str]:
    """What an id may be called by, or by a beginning of: its random part, and all of it."""
    return _PREFIX + artifact_id.rpartition("_")[2], artifact_id


def full_id(said: str, list_ids: Callable[[], Iterable[str]]) -> str:
    """The id that somebody means who says all of it, its short form or a beginning of either.

    Whole ids, and what is none, come back as they are; for anything else the ids that can be read are listed, once.

    >>> full_id("art_abcdef", lambda: ["art_17_abcdefgh", "art_19_hhhhhhhh"])
    'art_17_abcdefgh'
    """
    if not is_said_id(said) or compile_pattern(_BEGINNING).fullmatch(said) is None:
        return said
    ids = set(list_ids())
    found = [said] if said in ids else sorted(one for one in ids if any(map(_begins_with(said), _forms_of(one))))
    if len(found) > 1:
        raise AmbiguousId(said, list(map(ShortIds(ids), found)))
    if not found and not is_id(said):
        raise ArtifactNotFound(said)
    return found[0] if found else said


def is_said_id(name: str) -> bool:
    """Whether somebody who says this means an artifact: by its id, its short form or a beginning of either."""
    return is_id(name) or (
        len(name) >= len(_PREFIX) + SHORTEST and compile_pattern(_BEGINNING).fullmatch(name) is not None
    )


def _begins_with(said: str) -> Callable[[str], bool]:
    return lambda form: form.startswith(said)


def ids_of(store: Store, *, near: bool = False) -> Iterable[str]:
    """The ids of all that can be read from a store; also of one that was written before stores could list them.

    With `near`, of a store that also reads from afar only those that it knows without asking there.
    """
    listed: Callable[[], Iterable[str]] | None = getattr(store, "ids", None)
    listed = getattr(store, "near_ids", listed) if near else listed
    return [artifact.id for artifact in store.list()] if listed is None else listed()


# After a restart the wall clock may be wrong until it is set from outside; nothing is judged by it before.
SETTLED_AFTER = 600.0


class Moment(NamedTuple):
    """A point in time on this machine."""

    wall: float
    up: float  # seconds this system has been running
    boot: bytes  # which run of the system this is; empty where nobody says


Clock = Callable[[], Moment]

_boot: bytes | None = None


def moment() -> Moment:
    """Now."""
    return Moment(time.time(), time.clock_gettime(_UPTIME), boot_id())


def boot_id() -> bytes:
    """Sixteen bytes that name this run of the system; empty if it has no name."""
    global _boot  # noqa: PLW0603  # it cannot change while we run
    if _boot is None:
        _boot = bytes.fromhex(_proc_line("/proc/sys/kernel/random/boot_id").replace("-", ""))[:16]
    return _boot


def idle_seconds(now: Moment, last: Moment) -> float:
    """Seconds that have passed since `last`, and never too many: when in doubt, 0."""
    if now.boot == last.boot and now.up >= last.up:
        return now.up - last.up
    return max(0.0, now.wall - last.wall) if now.up >= SETTLED_AFTER else 0.0


class Anchor(NamedTuple):
    """A process that will not be mistaken for a later one with the same number."""

    boot: str
    namespace: str
    pid: int
    start: str


def anchor_of(pid: int) -> Anchor | None:
    """The anchor of a running process, or None if it cannot be told apart from others."""
    start, namespace = _start(pid), _namespace()
    return Anchor(boot_id().hex(), namespace, pid, start) if start and namespace else None


def is_running(anchor: Anchor) -> bool | None:
    """Whether that process still runs; None when this cannot be seen from here."""
    if anchor.boot != boot_id().hex():
        return False
    if anchor.namespace != _namespace():
        return None
    return _start(anchor.pid) == anchor.start


def _start(pid: int) -> str:
    # The name of the program may hold blanks and brackets: count from its last bracket.
    fields = _proc_line(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return "" if len(fields) <= _START_FIELD or fields[0] in {"Z", "X"} else fields[_START_FIELD]


def _namespace() -> str:
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


def _proc_line(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.readline().strip()
    except OSError:
        return ""


_START_FIELD = 19
_UPTIME = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
