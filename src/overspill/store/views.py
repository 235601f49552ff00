"""Remembers the views that were handed out, so that a view that comes back is not cut again.

One sparse file of fixed size holds buckets of eight records: a digest and a budget. A lookup reads one
bucket, a note writes one record; when a bucket is full, one of its records makes room. Losing one
costs a second cut, never a wrong answer, so there is no lock.
"""

import os

from overspill._lite import sha256
from overspill.errors import ArtifactDamaged
from overspill.files.safe import open_file

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
