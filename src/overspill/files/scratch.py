"""A file that has no name: for documents that are cut but not kept. It is gone when its process is."""

import mmap
import os

from overspill._lite import TYPE_CHECKING
from overspill.core.report import Artifact
from overspill.core.size import Size
from overspill.errors import StoreError

if TYPE_CHECKING:
    from typing import Self


class Scratch:
    """Bytes on disk that only this process can reach."""

    def __init__(self, directory: str | None = None) -> None:
        import tempfile

        self._file = tempfile.TemporaryFile("w+b", dir=directory)  # noqa: SIM115  # closed by `abort`

    def write(self, content: bytes) -> None:
        """Take the next bytes."""
        self._file.write(content)

    def view(self) -> "mmap.mmap | bytes":
        """What was written, readable in place."""
        self._file.flush()
        if not os.fstat(self._file.fileno()).st_size:
            return b""
        return mmap.mmap(self._file.fileno(), 0, prot=mmap.PROT_READ)

    def commit(self, size: Size, content_type: str = "") -> Artifact:  # noqa: ARG002  # what every writer takes
        """Nothing that lies here can be kept."""
        raise StoreError(f"not kept: {size.bytes} bytes lie in a file without a name")

    def abort(self) -> None:
        """Let it go."""
        self._file.close()

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, *_: object) -> None:
        self.abort()
