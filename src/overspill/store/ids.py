"""Names of artifacts: `art_<milliseconds>_<26 random characters>`.

They sort by time and carry 130 random bits: nobody can guess one, and no path or other word from
outside ever becomes part of one.
"""

import os
import re

from overspill.errors import UsageError

ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
LENGTH = 26
PATTERN = r"art_[0-9]{1,20}_[a-zA-Z0-9]{1,64}"


def new_id(milliseconds: int) -> str:
    """A name that nobody else has.

    >>> checked_id(new_id(1699234567890)).startswith("art_1699234567890_")
    True
    """
    number = int.from_bytes(os.urandom(17))
    return f"art_{milliseconds}_" + "".join(ALPHABET[(number >> 5 * place) & 31] for place in range(LENGTH))


def is_id(name: str) -> bool:
    """Whether a name has the form of an id."""
    return re.fullmatch(PATTERN, name, re.ASCII) is not None


def checked_id(artifact_id: str) -> str:
    """The id itself if it has the form of one; otherwise nothing is looked up at all."""
    if not is_id(artifact_id):
        raise UsageError(f"not an artifact id: {artifact_id[:100]!r}; ids look like art_1699234567890_a1b2c3")
    return artifact_id
