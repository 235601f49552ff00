"""A file without a name, which gets one when all of it is there.

Where the system can, the file never has a name before (`O_TMPFILE`): if its writer dies, nothing is
left. Elsewhere it lies in a directory of its own, locked by its writer, until it is linked to its
name; what the dead leave there is free for the taking.
"""

import errno
import fcntl
import os

from overspill.files.safe import FILE, PASSING, make_directory, read_at, remove_file, write_all

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
    from overspill.files.safe import names_in, open_directory, open_file

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
