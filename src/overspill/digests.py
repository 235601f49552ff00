"""SHA-256 that costs a short process no library: a small content is hashed by what Python has built in.

Loading OpenSSL takes longer than hashing a hundred kilobytes without it; for more it pays.
"""

import sys

from overspill.hints import Protocol

SMALL = 262_144


class Hash(Protocol):
    """A hash that is still open."""

    def update(self, content: bytes | memoryview, /) -> None: ...
    def digest(self) -> bytes: ...
    def hexdigest(self) -> str: ...


def sha256(content: bytes | memoryview = b"", *, expected: int = 0) -> Hash:
    """The hash of `content`, to which as many bytes as `expected` are going to be added.

    >>> sha256(b"abc").hexdigest()[:16], sha256(b"abc", expected=1 << 20).hexdigest()[:16]
    ('ba7816bf8f01cfea', 'ba7816bf8f01cfea')
    """
    if len(content) + expected <= SMALL and "_hashlib" not in sys.modules:
        try:
            if sys.version_info >= (3, 12):
                from _sha2 import sha256 as built_in
            else:
                from _sha256 import sha256 as built_in
        except ImportError:  # a Python can be built without
            pass
        else:
            small: Hash = built_in(content)
            return small
    from hashlib import sha256 as library

    return library(content)
