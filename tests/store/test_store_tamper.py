"""Nothing that was changed behind the store's back is served, and nothing outside it is touched."""

import json
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from overspill.core.report import Artifact
from overspill.errors import ArtifactDamaged, OverspillError, StoreError
from overspill.store import records
from overspill.store.files import FileStore
from store_kit import files, put, session_directory

TEXT = "0123456789abcde\n" * 200_000
Damage = Callable[[Path, Artifact, Path], object]


def flip(path: Path, at: int) -> None:
    with path.open("r+b") as file:
        file.seek(at if at >= 0 else path.stat().st_size + at)
        byte = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte[0] ^ 1]))


def append(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"x")


def instead(path: Path, make: Callable[[Path], object]) -> None:
    path.unlink()
    make(path)


def sidecar_with(path: Path, **fields: object) -> None:
    """Rewrite a record with other fields and a check that fits, as somebody would who knows the format."""
    old = json.loads(path.read_text())
    old.pop("check")
    body = json.dumps({**old, **fields}, separators=(",", ":"))[:-1]
    path.write_text(f'{body},"check":"{records._checksum(body)}"}}\n')


def content(directory: Path, artifact: Artifact) -> Path:
    return directory / artifact.id


def record(directory: Path, artifact: Artifact) -> Path:
    return directory / "m" / f"{artifact.id}.json"


def index(directory: Path, artifact: Artifact) -> Path:
    return directory / "m" / f"{artifact.id}.idx"


def swap(directory: Path, artifact: Artifact, outside: Path) -> None:
    other = next(
        path for path in directory.glob("art_*") if path.name != artifact.id and path.stat().st_size == len(TEXT)
    )
    other.rename(outside.parent / "third")
    content(directory, artifact).rename(other)
    (outside.parent / "third").rename(content(directory, artifact))


def listening(path: Path) -> None:
    # The name is made relative, because such names may not be long.
    before = Path.cwd()
    os.chdir(path.parent)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)
    os.chdir(before)


CASES: dict[str, Damage] = {
    "content: first byte": lambda d, a, _: flip(content(d, a), 0),
    "content: a byte in the middle": lambda d, a, _: flip(content(d, a), 1_500_000),
    "content: last byte": lambda d, a, _: flip(content(d, a), -1),
    "content: shortened": lambda d, a, _: os.truncate(content(d, a), 1_000_000),
    "content: emptied": lambda d, a, _: os.truncate(content(d, a), 0),
    "content: a byte more": lambda d, a, _: append(content(d, a)),
    "content: zeros": lambda d, a, _: content(d, a).write_bytes(bytes(len(TEXT))),
    "content: another artifact's": swap,
    "content: link to a file": lambda d, a, o: instead(content(d, a), lambda p: p.symlink_to(o)),
    "content: link to nothing": lambda d, a, o: instead(content(d, a), lambda p: p.symlink_to(o / "none")),
    "content: link to /dev/zero": lambda d, a, _: instead(content(d, a), lambda p: p.symlink_to("/dev/zero")),
    "content: hard link": lambda d, a, o: instead(content(d, a), lambda p: p.hardlink_to(o)),
    "content: second name": lambda d, a, o: (o.parent / "second").hardlink_to(content(d, a)),
    "content: pipe": lambda d, a, _: instead(content(d, a), lambda p: os.mkfifo(p, 0o600)),
    "content: socket": lambda d, a, _: instead(content(d, a), listening),
    "content: directory": lambda d, a, _: instead(content(d, a), Path.mkdir),
    "content: open to others": lambda d, a, _: content(d, a).chmod(0o644),
    "record: gone": lambda d, a, _: record(d, a).unlink(),
    "record: emptied": lambda d, a, _: os.truncate(record(d, a), 0),
    "record: null": lambda d, a, _: record(d, a).write_text("null"),
    "record: a list": lambda d, a, _: record(d, a).write_text("[1]"),
    "record: cut off": lambda d, a, _: os.truncate(record(d, a), 100),
    "record: a letter changed": lambda d, a, _: flip(record(d, a), 40),
    "record: another label": lambda d, a, _: flip(record(d, a), record(d, a).read_text().index("plain")),
    "record: not UTF-8": lambda d, a, _: record(d, a).write_bytes(b"\xff\xfe{}"),
    "record: nested too deeply": lambda d, a, _: record(d, a).write_text("[" * 60_000),
    "record: huge": lambda d, a, _: os.truncate(record(d, a), 1 << 30),
    "record: a huge number": lambda d, a, _: record(d, a).write_text('{"v":' + "9" * 60_000 + "}"),
    "record: of another artifact": lambda d, a, _: sidecar_with(record(d, a), id="art_1_other"),
    "record: another size": lambda d, a, _: sidecar_with(record(d, a), bytes=10, stored=10),
    "record: another hash": lambda d, a, _: sidecar_with(record(d, a), sha256="0" * 64),
    "record: a hash that is none": lambda d, a, _: sidecar_with(record(d, a), sha256="../../etc/passwd", index=""),
    "record: a size that is none": lambda d, a, _: sidecar_with(record(d, a), bytes=-1),
    "record: text for a number": lambda d, a, _: sidecar_with(record(d, a), created="yesterday"),
    "record: says it is compressed": lambda d, a, _: sidecar_with(record(d, a), coding="zstd"),
    "record: without an index": lambda d, a, _: sidecar_with(record(d, a), index=""),
    "record: link": lambda d, a, o: instead(record(d, a), lambda p: p.symlink_to(o)),
    "record: pipe": lambda d, a, _: instead(record(d, a), lambda p: os.mkfifo(p, 0o600)),
    "record: open to others": lambda d, a, _: record(d, a).chmod(0o666),
    "index: gone": lambda d, a, _: index(d, a).unlink(),
    "index: a hash changed": lambda d, a, _: flip(index(d, a), 3),
    "index: a line count changed": lambda d, a, _: flip(index(d, a), -2),
    "index: cut off": lambda d, a, _: os.truncate(index(d, a), 8),
    "index: huge": lambda d, a, _: os.truncate(index(d, a), 1 << 30),
    "index: link": lambda d, a, o: instead(index(d, a), lambda p: p.symlink_to(o)),
}
if not os.geteuid():  # only root can make one
    CASES["content: device"] = lambda d, a, _: instead(content(d, a), lambda p: os.mknod(p, 0o20600, os.makedev(1, 5)))


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    return files(tmp_path, lazy=True)


@pytest.mark.parametrize("case", CASES)
def test_a_damaged_artifact_is_refused_and_its_neighbours_are_not(store: FileStore, tmp_path: Path, case: str) -> None:
    outside = tmp_path / "outside"
    outside.write_text(TEXT)
    outside.chmod(0o600)
    artifact, neighbour, third = put(store, TEXT), put(store, "well"), put(store, TEXT.upper())
    store.flush()
    CASES[case](session_directory(store), artifact, outside)
    calls: list[Callable[[], object]] = [
        lambda: store.read(artifact.id),
        lambda: list(store.stream(artifact.id)),
        lambda: (
            store.read(artifact.id, 1_499_990, 1_500_010)
            + store.read(artifact.id, len(TEXT) - 5)
            + store.read(artifact.id, 0, 5)
        ),
        lambda: (
            store.lines(artifact.id, 1, 2)
            + store.lines(artifact.id, 93_000, 94_000)
            + store.lines(artifact.id, 199_999, 200_000)
        ),
    ]
    for call in calls:
        with pytest.raises(ArtifactDamaged) as refused:
            call()
        assert refused.value.exit_code == 20
        assert len(str(refused.value)) < 400
    assert store.read(neighbour.id) == b"well"
    assert neighbour.id in {listed.id for listed in store.list()}
    if case != "content: another artifact's":
        assert store.read(third.id) == TEXT.upper().encode()
    store.delete(neighbour.id)
    store.clear()
    assert outside.read_text() == TEXT


def test_a_record_of_another_version_is_named_as_such(store: FileStore) -> None:
    artifact = put(store)
    sidecar_with(record(session_directory(store), artifact), v=99)
    with pytest.raises(StoreError, match="another version of overspill"):
        store.info(artifact.id)


LINKS = [".acode", ".acode/artifacts", "{session}", "{session}/m"]


@pytest.mark.parametrize("step", LINKS)
@pytest.mark.parametrize("swap_back", ["link", "file", "open to others"])
def test_no_step_below_the_root_may_be_a_link(store: FileStore, tmp_path: Path, step: str, swap_back: str) -> None:
    artifact = put(store)
    store.flush()
    session = f".acode/artifacts/{store.session.id}"
    target = tmp_path / "root" / step.format(session=session)
    elsewhere = tmp_path / "elsewhere"
    if swap_back == "open to others":
        target.chmod(0o777)
        if step == ".acode":
            target = target / "artifacts"
            target.chmod(0o777)
    else:
        target.rename(elsewhere)
        if swap_back == "link":
            target.symlink_to(elsewhere)
        else:
            target.write_text("a file")
    before = sorted(elsewhere.rglob("*")) if elsewhere.exists() else None
    for call in (lambda: store.info(artifact.id), lambda: store.read(artifact.id), lambda: put(store)):
        with pytest.raises(OverspillError):
            call()
    assert before is None or sorted(elsewhere.rglob("*")) == before


def test_a_symlinked_root_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "root").symlink_to(tmp_path / "real")
    artifact = put(files(tmp_path))
    assert list((tmp_path / "real").rglob(artifact.id))


@pytest.mark.parametrize("junk", [b"", b"x", b"junk" * 30, b"ovu1" + b"\xff" * 56, b"\0" * 60])
def test_junk_in_the_count_is_counted_anew(store: FileStore, junk: bytes) -> None:
    artifact = put(store)
    (session_directory(store) / "usage").write_bytes(junk)
    assert store.read(put(store, "more").id) == b"more"
    assert store.read(artifact.id) == b"hello\n"


@pytest.mark.parametrize("name", ["session.json", "views", "usage"])
@pytest.mark.parametrize("junk", [b"", b"null", b"[" * 9000, b"\xff" * 5000, b'{"v":1,"name":7}'])
def test_junk_in_what_is_not_an_artifact_loses_no_artifact(store: FileStore, name: str, junk: bytes) -> None:
    from overspill.store import housekeeping

    artifact = put(store)
    (session_directory(store) / name).write_bytes(junk)
    (session_directory(store) / name).chmod(0o600)
    assert store.read(artifact.id) == b"hello\n"
    assert store.remembered("a") is None or name == "views"
    put(store)
    store.remember("b", 3)
    assert store.remembered("b") == 3
    assert len(housekeeping.list_sessions(store)) == 1
    assert len(store.list()) == 2
