"""Makes an artifact of a content that is all there: record first, then the name of the content."""

import os

from overspill._lite import sha256
from overspill.core.report import Artifact
from overspill.files.safe import create, forget, open_file, sync
from overspill.store import records
from overspill.store.checksums import CHUNK, pack
from overspill.store.clock import Moment
from overspill.store.ids import new_id
from overspill.store.records import Sidecar
from overspill.store.removal import drop
from overspill.store.session_dir import Room
from overspill.store.spool import Spool
from overspill.store.writer import Draft


def index_of(draft: Draft, frames: list[int]) -> bytes:
    """The index of a content that is larger than a chunk; smaller ones need none, they are read whole."""
    if draft.prints.size <= CHUNK:
        return b""
    return pack(draft.prints.digests(), draft.prints.line_ends(), frames)


def publish(
    room: Room, draft: Draft, spool: Spool, index: bytes, frames: list[int], now: Moment, *, durable: bool
) -> Artifact:
    """Give a content its name. Until then there is no artifact; from then on it is whole."""
    stored = frames[-1] if frames else draft.prints.size
    index_hash = sha256(index).hexdigest() if index else ""
    while True:
        record = Sidecar(_artifact(draft, now), stored, index_hash, "zstd" if frames else "")
        if _published(room, record, spool, index, durable=durable):
            return record.artifact


def _published(room: Room, record: Sidecar, spool: Spool, index: bytes, *, durable: bool) -> bool:
    """Whether the name was free. Whatever fails leaves nothing behind."""
    name = record.artifact.id
    try:
        create(f"{name}.json", room.meta, records.written(record), durable=durable)
    except FileExistsError:
        return False  # somebody has that name: his stays as it is
    try:
        if index:
            create(f"{name}.idx", room.meta, index, durable=durable)
        if durable:
            sync(room.meta)
        spool.publish(record.content_name, room.directory)
    except BaseException as error:
        forget(f"{name}.json", room.meta)
        forget(f"{name}.idx", room.meta)
        if isinstance(error, FileExistsError):
            return False
        raise
    if durable:
        try:
            sync(room.directory)
        except BaseException:
            drop(room, record.content_name)
            raise
    return True


def _artifact(draft: Draft, now: Moment) -> Artifact:
    label = draft.label.short()
    return Artifact(
        new_id(int(now.wall * 1000)),
        draft.size._replace(bytes=draft.prints.size),  # counted here: what is read back is checked against it
        label.tool,
        label.content_type,
        label.source,
        now.wall,
        draft.prints.root(),
        label.call_id,
        draft.whole is not None,
        draft.whole,
        draft.head_bytes,
    )


def make_durable(room: Room, content_names: list[str]) -> None:
    """Let artifacts that were published without waiting outlast a power cut."""
    for name in content_names:
        stem = name.removesuffix(".zst")
        for directory, file_name in ((room.directory, name), (room.meta, f"{stem}.json"), (room.meta, f"{stem}.idx")):
            file = open_file(file_name, directory)
            if file is not None:
                try:
                    sync(file)
                finally:
                    os.close(file)
    sync(room.meta)
    sync(room.directory)
