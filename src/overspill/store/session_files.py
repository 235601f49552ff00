"""The small files of a session: its usage, the views that were handed out, and contents on their way.

Usage is how much is kept and when it was last touched, one small record under a lock. It counts upwards before a byte
is published and downwards after one is gone, so that a process that dies in between leaves it too high, never too
low; it is counted anew before anybody is refused.

Views are remembered so that one that comes back is not cut again. One sparse file of fixed size holds buckets of eight
records: a digest and a budget. A lookup reads one bucket, a note writes one record; when a bucket is full, one of its
records makes room. Losing one costs a second cut, never a wrong answer, so there is no lock.

A content gets its name when all of it is there. Where the system can, the file has no name before (`O_TMPFILE`): if
its writer dies, nothing is left. Elsewhere it lies in a directory of its own, locked by its writer, until it is linked
to its name; what the dead leave there is free for the taking.
"""

from __future__ import annotations

import errno
import fcntl
import os
import struct

from overspill._lite import TYPE_CHECKING, NamedTuple, sha256
from overspill.errors import ArtifactDamaged
from overspill.files import FILE, PASSING, Locked, make_directory, open_file, read_at, remove_file, write_all
from overspill.store import Moment

if TYPE_CHECKING:
    from typing import Self

USAGE_FILE = "usage"
_RECORD = struct.Struct("<4sQQddd16s")
_MAGIC = b"ovu1"


class Usage(NamedTuple):
    """What a session, or the machine, holds."""

    bytes: int = 0
    artifacts: int = 0
    last: Moment = Moment(0.0, 0.0, b"")
    haste: float = 0.0  # of the rate limit: how many artifacts came of late


def read_usage(directory: int) -> Usage | None:
    """The record of a directory, or None if it cannot be read."""
    file = open_file(USAGE_FILE, directory)
    if file is None:
        return None
    try:
        return _parse_usage(os.pread(file, _RECORD.size, 0))
    finally:
        os.close(file)


class UsageCounter:
    """The record, held alone until it is left; `set` writes it."""

    def __init__(self, directory: int) -> None:
        self._lock = Locked(USAGE_FILE, directory)
        self.now = _parse_usage(os.pread(self._lock.file, _RECORD.size, 0))

    def set(self, usage: Usage) -> None:
        last = usage.last
        os.pwrite(
            self._lock.file,
            _RECORD.pack(_MAGIC, usage.bytes, usage.artifacts, last.wall, last.up, usage.haste, last.boot),
            0,
        )
        self.now = usage

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.close()


def add_usage(directory: int, size: int, count: int) -> None:
    """Change the record by so many bytes and artifacts, if there is one."""
    with UsageCounter(directory) as counter:
        if counter.now is not None:
            now = counter.now
            counter.set(now._replace(bytes=max(0, now.bytes + size), artifacts=max(0, now.artifacts + count)))


def _parse_usage(content: bytes) -> Usage | None:
    if len(content) != _RECORD.size:
        return None
    magic, size, count, wall, up, haste, boot = _RECORD.unpack(content)
    numbers = wall == wall and up == up and haste == haste and wall >= 0 <= haste  # noqa: PLR0124  # not so for NaN
    return Usage(size, count, Moment(wall, up, boot.rstrip(b"\0")), haste) if magic == _MAGIC and numbers else None


VIEWS_FILE = "views"
KEY, LIMIT = 16, 8
RECORD = KEY + LIMIT
RECORDS_A_BUCKET = 8
BUCKETS = 4096
_EMPTY = bytes(KEY)


def remember_limit(directory: int, view: str, limit: int) -> None:
    """Note that a view with this digest was handed out under a budget of `limit`; the smallest counts."""
    file = open_file(VIEWS_FILE, directory, os.O_RDWR | os.O_CREAT)
    if file is None:
        return
    try:
        key, at = _bucket_place(view)
        records = _bucket(file, at)
        slot = records.get(key, records.get(_EMPTY, (key[-1] % RECORDS_A_BUCKET, 0)))
        least = min(limit, slot[1]) if key in records else limit
        os.pwrite(file, key + least.to_bytes(LIMIT), at + slot[0] * RECORD)
    finally:
        os.close(file)


def remembered_limit(directory: int, view: str) -> int | None:
    """The budget of the view with this digest, or None."""
    try:
        file = open_file(VIEWS_FILE, directory)
    except ArtifactDamaged:
        return None
    if file is None:
        return None
    try:
        key, at = _bucket_place(view)
        found = _bucket(file, at).get(key)
    finally:
        os.close(file)
    return None if found is None else found[1]


def _bucket_place(view: str) -> tuple[bytes, int]:
    key = sha256(view.encode()).digest()[:KEY]
    return key, int.from_bytes(key[:4]) % BUCKETS * RECORDS_A_BUCKET * RECORD


def _bucket(file: int, at: int) -> dict[bytes, tuple[int, int]]:
    """Key to slot and limit; of several empty slots, one."""
    content = os.pread(file, RECORDS_A_BUCKET * RECORD, at).ljust(RECORDS_A_BUCKET * RECORD, b"\0")
    return {
        content[start : start + KEY]: (start // RECORD, int.from_bytes(content[start + KEY : start + RECORD]))
        for start in range(0, len(content), RECORD)
    }


_NAMELESS_UNKNOWN = {errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT, errno.EINVAL}
_LINKS_UNKNOWN = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}


class Spool:
    """Bytes on their way into the store."""

    def __init__(self, directory: int) -> None:
        self._passing = -1
        self._name = ""
        self.file = _nameless(directory)
        if self.file < 0:
            self._take_a_passing_name(directory)

    def _take_a_passing_name(self, directory: int) -> None:
        self._passing = make_directory(PASSING, directory)
        try:
            while True:
                self._name = os.urandom(12).hex()
                flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | FILE
                self.file = os.open(self._name, flags, 0o600, dir_fd=self._passing)
                fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.fstat(self.file).st_nlink:
                    return
                os.close(self.file)  # taken for a dead one's in the moment before it was locked
        except OSError:
            self.discard()
            raise

    def write(self, content: bytes | memoryview) -> None:
        write_all(self.file, content)

    def read(self, length: int, start: int) -> bytes:
        return read_at(self.file, length, start)

    def publish(self, name: str, directory: int) -> None:
        """Give the file its name; `FileExistsError` if it is taken."""
        if not self._name:
            os.link(f"/proc/self/fd/{self.file}", name, dst_dir_fd=directory, follow_symlinks=True)
            return
        try:
            os.link(self._name, name, src_dir_fd=self._passing, dst_dir_fd=directory, follow_symlinks=False)
        except OSError as error:
            if error.errno not in _LINKS_UNKNOWN:
                raise
            # No hard links here. The name is random and cannot be taken by chance.
            os.rename(self._name, name, src_dir_fd=self._passing, dst_dir_fd=directory)
        else:
            remove_file(self._name, self._passing)

    def discard(self) -> None:
        """Close the file; what was not published is gone."""
        if self._name:
            remove_file(self._name, self._passing)
        for descriptor in (self.file, self._passing):
            if descriptor >= 0:
                os.close(descriptor)
        self.file = self._passing = -1
        self._name = ""


def _nameless(directory: int) -> int:
    """A descriptor of a file without a name, or -1 where there is no such thing."""
    flag = getattr(os, "O_TMPFILE", None)
    if flag is None or not os.path.isdir("/proc/self/fd"):
        return -1
    try:
        return os.open(".", flag | os.O_RDWR | os.O_CLOEXEC, 0o600, dir_fd=directory)
    except OSError as error:
        if error.errno in _NAMELESS_UNKNOWN:
            return -1
        raise


def reclaim_spools(directory: int) -> int:
    """Remove what dead writers left in the passing place of a session; how many bytes that freed."""
    from overspill.errors import ArtifactDamaged
    from overspill.files import names_in, open_directory, open_file

    passing = open_directory(PASSING, directory)
    if passing is None:
        return 0
    freed = 0
    try:
        for name in names_in(passing):
            try:
                file = open_file(name, passing, os.O_RDWR)
            except ArtifactDamaged:
                remove_file(name, passing)  # it has another name too: its writer died when it was just published
                continue
            if file is None:
                continue
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                continue  # its writer lives
            else:
                freed += os.fstat(file).st_size
                remove_file(name, passing)
            finally:
                os.close(file)
    finally:
        os.close(passing)
    return freed
