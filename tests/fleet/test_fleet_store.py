"""Artifacts of many machines in one bucket: kept here first, then there, and read from every machine of a tenant."""

import os
import time
from pathlib import Path

import pytest

from fleet_kit import KEY, NOBODY, NOWHERE, address_of, forget_here, pod
from overspill.core import measure
from overspill.core.markers import Search, tool_call
from overspill.errors import (
    ArtifactDamaged,
    ArtifactNotFound,
    BucketError,
    ConfigError,
    MissingExtra,
    StoreError,
)
from overspill.fleet import Bucket, SessionKeys, checked_address
from overspill.fleet.far import FarSide, sweep_tenant
from overspill.fleet.objects import PART_BYTES
from overspill.fleet.store import FleetStore, fleet_store
from overspill.retrieve.access import SearchResult, search
from overspill.settings.files import tenant_of
from overspill.store import Label, housekeeping
from overspill.store.quota import Limits
from store_kit import DAY, put

LONG = "a line of a long log, which is longer than a part of it\n" * (PART_BYTES // 50)


def objects(tmp_path: Path) -> list[str]:
    """The names of all objects in the bucket."""
    place = tmp_path / "bucket"
    return sorted(str(path.relative_to(place)) for path in place.rglob("*") if path.is_file())


def objects_of(tmp_path: Path, store: FleetStore) -> list[str]:
    """Those of a session but its mark, from the session on."""
    start = store.far.keys.of_session + "/"
    return [name.removeprefix(start) for name in objects(tmp_path) if name.startswith(start) and "session" not in name]


@pytest.fixture
def unreachable(monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a bucket that nobody serves."""
    for name, value in NOBODY.items():
        monkeypatch.setenv(name, value)
    return NOWHERE


def test_what_one_machine_kept_another_reads(tmp_path: Path) -> None:
    artifact = put(pod(tmp_path, "one"), "kept by one\n", tool="bash")
    other = pod(tmp_path, "two")
    assert other.read(artifact.id) == b"kept by one\n"
    assert other.info(artifact.id) == artifact
    assert [one.id for one in other.list()] == [artifact.id]
    assert other.lines(artifact.id, 1, 1) == b"kept by one\n"


def test_an_artifact_is_one_object_and_a_long_one_has_parts(tmp_path: Path) -> None:
    store = pod(tmp_path)
    short, long = put(store), put(store, LONG)
    parts = [f"parts/{long.id}.{long.sha256[:16]}/{number:05}" for number in range(2)]
    assert objects_of(tmp_path, store) == sorted([short.id, long.id, *parts])
    other = pod(tmp_path, "two")
    assert b"".join(other.stream(long.id)).decode() == LONG
    assert other.read(long.id, PART_BYTES - 9, PART_BYTES + 9) == LONG.encode()[PART_BYTES - 9 : PART_BYTES + 9]


def test_another_tenants_id_reads_like_one_that_does_not_exist(tmp_path: Path) -> None:
    theirs = put(pod(tmp_path, "one", tenant="acme", session=None), "theirs")
    other = pod(tmp_path, "two", tenant="other", session=None)
    unknown = "art_1699234567890_abcdefghijklmnopqrstuvwxyz"
    for call in (other.read, other.info, other.delete, lambda name: housekeeping.keep_artifact(other, name)):
        messages = []
        for name in (theirs.id, unknown):
            with pytest.raises(ArtifactNotFound) as caught:
                call(name)
            messages.append(str(caught.value).replace(name, "ID"))
        assert messages[0] == messages[1]
    assert other.list() == []
    assert other.ids() == []
    assert pod(tmp_path, "three", tenant="acme", session=None).read(theirs.id) == b"theirs"


def test_a_named_session_reads_its_own_and_the_roots_own_reads_all_of_the_tenant(tmp_path: Path) -> None:
    first = put(pod(tmp_path, "one", session="first"), "first")
    with pytest.raises(ArtifactNotFound):
        pod(tmp_path, "two", session="second").read(first.id)
    roaming = pod(tmp_path, "two", session=None)
    assert roaming.read(first.id) == b"first"
    own = put(roaming, "own")
    assert [one.id for one in roaming.list()] == [own.id, first.id]
    assert roaming.clear().artifacts == 1  # of its own session, and no other machine's
    assert pod(tmp_path, "three", session="first").read(first.id) == b"first"


def test_lazy_says_that_it_is_kept_here_until_it_is_through(tmp_path: Path, unreachable: str) -> None:
    store = pod(tmp_path, lazy=True, address=unreachable, patience=2.0)
    artifact = put(store, "not there yet")
    assert store.kept_here(artifact.id)
    assert not store.flush(0.2)
    store.close()
    again = pod(tmp_path, lazy=True)
    assert again.kept_here(artifact.id) == "on its way to the bucket"
    put(again, "the next one")
    assert again.flush(10)
    assert again.kept_here(artifact.id) == ""
    assert pod(tmp_path, "two").read(artifact.id) == b"not there yet"


def test_strict_has_it_in_the_bucket_when_it_returns(tmp_path: Path) -> None:
    store = pod(tmp_path)
    artifact = put(store, "there at once")
    assert objects_of(tmp_path, store) == [artifact.id]
    assert store.kept_here(artifact.id) == ""
    forget_here(store)
    assert store.read(artifact.id) == b"there at once"


def test_where_the_bucket_does_not_answer_the_machine_carries_on_and_says_so(tmp_path: Path, unreachable: str) -> None:
    heard: list[str] = []
    events: list[str] = []
    store = pod(
        tmp_path, address=unreachable, patience=2.0, say=heard.append, on_event=lambda name, _: events.append(name)
    )
    artifact = put(store, "kept here")
    assert store.read(artifact.id) == b"kept here"
    assert store.kept_here(artifact.id)
    assert "kept_here" in events
    assert len(heard) == 1
    assert "kept here, not in the bucket yet" in heard[0]
    began = time.monotonic()
    put(store, "another")  # it is left alone for a while: nobody waits for it again
    assert time.monotonic() - began < 1
    assert len(heard) == 1
    assert len(store.list()) == 2
    assert any("not listed" in words for words in heard)
    with pytest.raises(BucketError):
        store.read("art_1699234567890_abcdefghijklmnopqrstuvwxyz")


def test_once_the_bucket_is_there_again_the_next_call_sends_what_is_owed(tmp_path: Path, unreachable: str) -> None:
    broken = pod(tmp_path, address=unreachable, patience=2.0)
    owed = [put(broken, f"owed {number}") for number in range(3)]
    again = pod(tmp_path)
    assert again.down_reason()
    os.unlink(os.path.join(again.place.path, again.session.id, "m", "bucket.down"))
    put(again, "new")
    assert again.owed_artifacts() == []
    other = pod(tmp_path, "two")
    assert [other.read(one.id) for one in owed] == [b"owed 0", b"owed 1", b"owed 2"]


def test_a_writer_that_died_before_the_bucket_had_it_owes_it(tmp_path: Path) -> None:
    store = pod(tmp_path)
    put(store)
    dead = pod(tmp_path, session="killed")
    artifact = super(FleetStore, dead).put("x", measure("x"), Label())  # as if killed before it was sent
    assert [name for _, name in store.owed_artifacts()] == [artifact.id]
    assert store.send_owed() == 1
    assert pod(tmp_path, "two", session="killed").read(artifact.id) == b"x"


@pytest.mark.parametrize("at", [0, 20, 60, -1])
@pytest.mark.parametrize("key", ["", KEY])
def test_what_was_changed_in_the_bucket_is_not_served(tmp_path: Path, at: int, key: str) -> None:
    store = pod(tmp_path, key=key)
    artifact = put(store, "content " * 100)
    path = tmp_path / "bucket" / store.far.keys.artifact(artifact.id)
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)
    with pytest.raises((StoreError, ConfigError)):
        pod(tmp_path, "two", key=key).read(artifact.id)


@pytest.mark.parametrize("key", ["", KEY])
def test_what_was_cut_short_in_the_bucket_is_not_served(tmp_path: Path, key: str) -> None:
    store = pod(tmp_path, key=key)
    artifact = put(store, "content " * 100_000)
    path = tmp_path / "bucket" / store.far.keys.artifact(artifact.id)
    whole = path.read_bytes()
    other = pod(tmp_path, "two", key=key)
    for length in (1, 30, 500, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(StoreError):
            other.read(artifact.id)
    path.write_bytes(whole)
    assert other.read(artifact.id) == b"content " * 100_000


def test_a_sealed_artifact_shows_nothing_without_its_key(tmp_path: Path) -> None:
    text = "a word that nobody may read\n" * 100_000
    store = pod(tmp_path, key=KEY)
    artifact = put(store, text, source="a name that nobody may read")
    stored = b"".join((tmp_path / "bucket" / name).read_bytes() for name in objects(tmp_path))
    assert b"nobody" not in stored
    assert pod(tmp_path, "two", key=KEY).lines(artifact.id, 70_000, 70_001).decode() == text[:56]
    with pytest.raises(ArtifactDamaged, match="another key"):
        pod(tmp_path, "three", key="aa" * 32).read(artifact.id)
    with pytest.raises(ConfigError, match=r"artifacts\.encrypt"):
        pod(tmp_path, "three").read(artifact.id)


def test_two_writers_of_one_id_make_one_artifact(tmp_path: Path) -> None:
    """Whoever comes second is told so, and what the first wrote stays."""
    store, copy = pod(tmp_path, "one"), pod(tmp_path, "two")
    artifact = put(store, "the first")
    with store.find_record(artifact.id) as (_, _, record):
        forged = record._replace(artifact=artifact._replace(source="another"))
    copy.far.send(copy.far.keys, record, b"", lambda length, start: b"the first"[start : start + length])
    with pytest.raises(BucketError, match="another artifact"):
        copy.far.send(copy.far.keys, forged, b"", lambda length, start: b"the other"[start : start + length])
    assert copy.read(artifact.id) == b"the first"


def test_what_is_deleted_here_is_deleted_there_and_its_parts_too(tmp_path: Path) -> None:
    store = pod(tmp_path)
    put(store)
    long = put(store, LONG)
    housekeeping.keep_artifact(store, long.id)
    pod(tmp_path, "two").delete(long.id)
    assert not any(long.id in name for name in objects(tmp_path))
    assert len(pod(tmp_path, "three").list()) == 1


def test_a_short_id_is_found_wherever_it_lies(tmp_path: Path) -> None:
    artifact = put(pod(tmp_path, "one"), "far")
    short = "art_" + artifact.id.rpartition("_")[2][:8]
    other = pod(tmp_path, "two")
    assert other.read(short) == b"far"
    assert housekeeping.details(other, short).address.endswith(artifact.id)
    assert list(other.near_ids()) == []


# -- expiry --


def backdate(tmp_path: Path, seconds: float, start: str = "") -> None:
    """Let objects of the bucket be older."""
    for name in objects(tmp_path):
        if start in name:
            path = tmp_path / "bucket" / name
            then = path.stat().st_mtime - seconds
            os.utime(path, (then, then))


def test_a_session_expires_when_nobody_used_it_for_its_time(tmp_path: Path) -> None:
    store, sweeper = pod(tmp_path, "one"), pod(tmp_path, "two", session="sweeper")
    put(store, "abc")
    put(store, LONG)
    backdate(tmp_path, DAY - 60)
    assert sweeper.far.sweep() == (0, 0)
    assert len(pod(tmp_path, "three").list()) == 2
    backdate(tmp_path, 120)
    assert sweeper.far.sweep().artifacts == 2
    assert objects(tmp_path) == [f"{store.far.keys.of_tenant}/swept"]


def test_a_session_that_ended_is_kept_for_its_grace_and_not_longer(tmp_path: Path) -> None:
    limits = Limits(keep_ended=3600.0)
    store, sweeper = pod(tmp_path, "one", limits=limits), pod(tmp_path, "two", session="sweeper", limits=limits)
    artifact = put(store)
    housekeeping.end_session(store)
    backdate(tmp_path, 3500)
    assert sweeper.far.sweep() == (0, 0)
    assert pod(tmp_path, "three").read(artifact.id)
    backdate(tmp_path, 200)
    pod(tmp_path, "three", limits=limits).far.touch()  # somebody takes it up again
    backdate(tmp_path, 3500)
    assert sweeper.far.sweep() == (0, 0)
    housekeeping.end_session(store)
    backdate(tmp_path, 3700)
    assert sweeper.far.sweep().artifacts == 1


def test_a_sweeper_with_a_shorter_time_does_not_undercut_a_session(tmp_path: Path) -> None:
    put(pod(tmp_path, "one", limits=Limits(ttl=7 * DAY, keep_ended=7 * DAY)))
    hasty = pod(tmp_path, "two", session="sweeper", limits=Limits(ttl=60.0, keep_ended=60.0))
    backdate(tmp_path, 6 * DAY)
    assert hasty.far.sweep() == (0, 0)
    backdate(tmp_path, 2 * DAY)
    assert hasty.far.sweep().artifacts == 1


def test_what_is_pinned_outlasts_its_session_in_the_bucket(tmp_path: Path) -> None:
    store = pod(tmp_path, "one")
    pinned, other = put(store, LONG), put(store)
    housekeeping.keep_artifact(store, pinned.id)
    backdate(tmp_path, 2 * DAY)
    assert pod(tmp_path, "two", session="sweeper").far.sweep().artifacts == 1
    reader = pod(tmp_path, "three")
    assert reader.read(pinned.id).decode() == LONG
    with pytest.raises(ArtifactNotFound):
        reader.read(other.id)


def test_parts_whose_writer_died_go_and_those_of_a_living_one_stay(tmp_path: Path) -> None:
    store = pod(tmp_path)
    long = put(store, LONG)
    (tmp_path / "bucket" / store.far.keys.artifact(long.id)).unlink()  # as if killed before the artifact was made
    put(store)
    assert sweep_tenant(store.far.bucket, store.far.keys, store.limits) == (0, 0)
    assert sum("parts/" in name for name in objects(tmp_path)) == 2
    backdate(tmp_path, 1.5 * DAY, "parts/")
    store.far.sweep()
    assert sum("parts/" in name for name in objects(tmp_path)) == 0


def test_a_long_upload_goes_on_with_the_parts_that_are_there(tmp_path: Path) -> None:
    store = pod(tmp_path)
    long = put(store, LONG)
    (tmp_path / "bucket" / store.far.keys.artifact(long.id)).unlink()
    last = tmp_path / "bucket" / store.far.keys.part(long.id, long.sha256, 1)
    before = last.stat().st_ino
    os.unlink(os.path.join(store.place.path, store.session.id, "m", f"{long.id}.sent"))
    assert store.send(long.id)
    assert last.stat().st_ino == before
    assert pod(tmp_path, "two").read(long.id).decode() == LONG


# -- names, addresses, what is missing --


def test_a_tenant_has_a_plain_name() -> None:
    for bad in ("../x", "A", "a/b", "", ".", "x" * 64):
        if bad:
            with pytest.raises(ConfigError, match="OVERSPILL_TENANT"):
                tenant_of({"OVERSPILL_TENANT": bad})
    assert tenant_of({"OVERSPILL_TENANT": ""}) == "default"


@pytest.mark.parametrize("bad", ["bucket", "http://x/y", "s3://", "s3://key:secret@bucket", "s3://b?x=1", "ftp://b"])
def test_an_address_names_a_bucket_and_no_secret(bad: str) -> None:
    with pytest.raises(ConfigError, match=r"artifacts\.store") as caught:
        checked_address(bad)
    assert "secret@" not in str(caught.value)


def test_without_the_extra_its_name_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(__import__("sys").modules, "obstore", None)
    with pytest.raises(MissingExtra, match=r"overspill\[fleet\]"):
        fleet_store(address_of(tmp_path), "", 1.0, {}, None)


def test_keys_are_below_their_tenant() -> None:
    keys = SessionKeys("acme", "ses_a")
    every = [keys.artifact("art_1_a"), keys.pin("art_1_a"), keys.part("art_1_a", "f" * 64, 3), keys.marker, keys.swept]
    assert all(name.startswith("v1/acme/") for name in every)


def test_what_is_removed_while_it_is_on_its_way_does_not_arrive_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = pod(tmp_path, lazy=True)
    send = FarSide.send

    def slow_send(side: FarSide, *what: object) -> None:
        time.sleep(0.3)
        send(side, *what)  # type: ignore[arg-type]  # handed on as it came

    monkeypatch.setattr(FarSide, "send", slow_send)
    first, second = put(store, "abc"), put(store, "defgh")
    time.sleep(0.1)
    store.delete(first.id)
    assert [one.id for one in store.list()] == [second.id]
    assert store.clear() == (1, 5)
    assert store.list() == []
    time.sleep(0.4)
    assert store.list() == []
    store.close()


def test_a_search_fetches_no_more_from_the_bucket_than_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    maker = pod(tmp_path, "one")
    for number in range(5):
        put(maker, f"needle {number}\n" + "hay\n" * 10_000)
    other = pod(tmp_path, "two")
    here = put(other, "a needle here\n")

    def found() -> SearchResult:
        return search(other, Search("needle", ""), limit=0, spelling=tool_call)

    assert (found().pagination.total, found().unfetched) == (6, 0)
    monkeypatch.setattr("overspill.retrieve.access.FETCHED_BYTES", 85_000)
    assert (found().artifacts, found().unfetched) == (3, 3)
    assert here.id in {match.id for match in found().matches}


def test_a_long_artifact_that_takes_too_long_is_kept_here_and_goes_on_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []
    store = pod(tmp_path, patience=0.3, say=heard.append)
    replace = Bucket.replace

    def slow_replace(bucket: Bucket, key: str, content: bytes) -> None:
        time.sleep(0.4 if "/parts/" in key else 0)
        replace(bucket, key, content)

    monkeypatch.setattr(Bucket, "replace", slow_replace)
    monkeypatch.setattr("overspill.fleet.objects.AT_ONCE", 1)
    began = time.monotonic()
    artifact = put(store, LONG)
    assert time.monotonic() - began < 2
    assert store.kept_here(artifact.id) == "not through within 0.3 s"
    assert heard == ["kept here, not in the bucket yet: not through within 0.3 s"]
    assert store.down_reason() == ""  # it answers, and the next one is sent to it
    assert store.kept_here(put(store).id) == ""
    assert store.send_owed() == 1
    assert pod(tmp_path, "two").read(artifact.id).decode() == LONG
