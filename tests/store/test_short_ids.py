"""An id may be said in short, or by any beginning that is one artifact's alone."""

import os
from pathlib import Path

import pytest

from overspill import Overspill
from overspill.errors import AmbiguousId, ArtifactEvicted, ArtifactNotFound
from overspill.retrieve.tools import get_artifact, list_artifacts, search_artifacts
from overspill.store import LENGTH, ShortIds, Store, full_id, housekeeping, ids_of
from overspill.store.memory import MemoryStore
from overspill.store.quota import Limits
from store_kit import files, put


@pytest.fixture(params=["files", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return files(tmp_path) if request.param == "files" else MemoryStore()


@pytest.fixture
def alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every id made from here on begins its random part with `aaaaaa`, and goes on with another letter."""
    drawn = iter(range(1_000))

    def draw(count: int) -> bytes:
        return (next(drawn) << 30).to_bytes(count) if count == 17 else bytes(range(count))

    monkeypatch.setattr(os, "urandom", draw)


def random_part(artifact_id: str) -> str:
    return artifact_id.rpartition("_")[2]


def test_the_short_form_has_six_characters_of_the_random_part(store: Store) -> None:
    artifact = put(store, "text")
    short = ShortIds(ids_of(store))(artifact.id)
    assert short == "art_" + random_part(artifact.id)[:6]
    assert store.info(short) == artifact


def test_every_beginning_of_six_and_more_characters_is_understood(store: Store) -> None:
    artifact = put(store, "one\ntwo\n")
    _, time, random = artifact.id.split("_")
    said = [f"art_{random[:width]}" for width in range(6, LENGTH + 1)]
    said += [f"art_{time}_{random[:width]}" for width in range(LENGTH + 1)]
    said += [f"art_{time[:width]}" for width in range(6, len(time) + 1)]
    for word in said:
        assert store.read(word) == b"one\ntwo\n", word
        assert store.lines(word, 2, 2) == b"two\n", word
        with store.artifact(word) as opened:
            assert opened.artifact.id == artifact.id


def test_five_characters_are_no_beginning(store: Store) -> None:
    artifact = put(store, "text")
    with pytest.raises(Exception, match="not an artifact id"):
        store.info("art_" + random_part(artifact.id)[:5])


@pytest.mark.usefixtures("alike")
def test_a_collision_makes_both_short_forms_longer(store: Store) -> None:
    artifacts = [put(store, f"text {number}") for number in range(40)]
    short = ShortIds(ids_of(store))
    names = [short(artifact.id) for artifact in artifacts]
    assert len({*names}) == len(names)
    assert min(map(len, names)) > len("art_aaaaaa")
    for artifact, name in zip(artifacts, names, strict=True):
        assert store.info(name) == artifact
        with pytest.raises(AmbiguousId):
            store.info(name[:-1])


@pytest.mark.usefixtures("alike")
def test_an_ambiguous_beginning_lists_what_it_may_be_and_each_of_these_works(store: Store) -> None:
    artifacts = [put(store, f"text {number}") for number in range(3)]
    with pytest.raises(AmbiguousId, match=r"may be any of 3 artifacts: .*; give one of them") as caught:
        store.read("art_aaaaaa")
    assert {store.info(name).id for name in caught.value.candidates} == {artifact.id for artifact in artifacts}
    assert all(name in str(caught.value) for name in caught.value.candidates)


@pytest.mark.usefixtures("alike")
def test_of_very_many_candidates_some_are_named_and_the_others_counted(store: Store) -> None:
    for number in range(14):
        put(store, f"text {number}")
    with pytest.raises(AmbiguousId, match=r", \+4; give"):
        store.read("art_aaaaaa")


def test_an_unknown_beginning_is_not_found(store: Store) -> None:
    put(store, "text")
    with pytest.raises(ArtifactNotFound, match="no artifact 'art_zzzzzz' in this session"):
        store.info("art_zzzzzz")


def test_a_whole_id_is_looked_up_without_a_list() -> None:
    def fail() -> list[str]:
        raise AssertionError("listed")

    whole = "art_1699234567890_" + "a" * LENGTH
    assert full_id(whole, fail) == whole
    assert full_id("../../etc/passwd", fail) == "../../etc/passwd"
    assert full_id("", fail) == ""


def test_the_artifacts_of_another_session_are_not_found_by_a_beginning(tmp_path: Path) -> None:
    one, other = files(tmp_path, session="one"), files(tmp_path, session="other")
    artifact = put(one, "text")
    short = ShortIds(ids_of(one))(artifact.id)
    assert one.info(short) == artifact
    assert [*ids_of(other)] == []
    for word in (short, artifact.id, artifact.id[:-3]):
        with pytest.raises(ArtifactNotFound):
            other.info(word)


@pytest.mark.usefixtures("alike")
def test_what_cannot_be_read_makes_no_short_form_longer_and_nothing_ambiguous(tmp_path: Path) -> None:
    one, other = files(tmp_path, session="one"), files(tmp_path, session="other")
    artifact = put(one, "mine")
    put(other, "theirs")
    assert ShortIds(ids_of(one))(artifact.id) == "art_aaaaaa"
    assert one.read("art_aaaaaa") == b"mine"
    assert other.read("art_aaaaaa") == b"theirs"


def test_the_short_form_of_one_that_made_room_says_so(tmp_path: Path) -> None:
    store = files(tmp_path, limits=Limits(session_quota=1_000))
    artifact = put(store, "x" * 900)
    short = ShortIds(ids_of(store))(artifact.id)
    put(store, "y" * 900)
    with pytest.raises(ArtifactEvicted, match="is gone"):
        store.read(short)


def test_pinning_exporting_and_removing_take_a_short_form(tmp_path: Path) -> None:
    store = files(tmp_path)
    artifact = put(store, "text")
    short = ShortIds(ids_of(store))(artifact.id)
    assert housekeeping.keep_artifact(store, short) == artifact
    assert housekeeping.details(store, short).kept
    assert housekeeping.details(store, artifact.id).kept
    housekeeping.export_artifact(store, short, str(tmp_path / "out"))
    assert (tmp_path / "out").read_text() == "text"
    assert housekeeping.remove_artifact(store, short) == artifact
    assert [*ids_of(store)] == []


def test_the_tools_of_a_model_take_short_forms_and_list_them() -> None:
    events: list[tuple[str, dict[str, object]]] = []
    spill = Overspill(
        preset="agent", config={}, store=MemoryStore(), on_event=lambda name, facts: events.append((name, {**facts}))
    )
    fitted = spill.fit("a line of a long text\n" * 9_000)
    assert fitted.artifact_id
    short = "art_" + random_part(fitted.artifact_id)[:6]
    assert list_artifacts(spill, {}).content.startswith(f"{short}  ")
    answer = get_artifact(spill, {"id": short})
    assert f'get_artifact(id="{short}", offset=' in answer.next
    assert f"{short} has 9,000 lines" in answer.note
    assert search_artifacts(spill, {"pattern": "line", "id": short}).next.count(short) == 1
    assert search_artifacts(spill, {"pattern": "line"}).content.startswith(f"{short}:1:")
    assert spill.get(short, lines=(2, 2)).text == "a line of a long text\n"
    fetched = [facts["artifact_id"] for name, facts in events if name == "retrieve" and facts["artifact_id"]]
    assert set(fetched) == {fitted.artifact_id}


@pytest.mark.usefixtures("alike")
def test_a_model_that_says_too_little_is_told_the_candidates() -> None:
    spill = Overspill(preset="agent", config={}, store=MemoryStore())
    for number in range(2):
        spill.fit(f"line {number}\n" * 9_000)
    answer = get_artifact(spill, {"id": "art_aaaaaa"})
    assert answer.is_error
    assert answer.code == "E_ARTIFACT_AMBIGUOUS"
    names = list_artifacts(spill, {}).content.split("\n")
    assert all(row.partition(" ")[0] in answer.content for row in names)


def test_a_store_of_ones_own_is_asked_by_whole_ids() -> None:
    class Plain:
        """A store that knows nothing of short forms."""

        def __init__(self) -> None:
            self.kept = MemoryStore()
            self.asked: list[str] = []

        def info(self, artifact_id: str) -> object:
            self.asked.append(artifact_id)
            return self.kept.info(artifact_id)

        def artifact(self, artifact_id: str) -> object:
            self.asked.append(artifact_id)
            return self.kept.artifact(artifact_id)

        def __getattr__(self, name: str) -> object:
            if name == "ids":
                raise AttributeError(name)
            return getattr(self.kept, name)

    plain = Plain()
    spill = Overspill(preset="agent", config={}, store=plain)  # type: ignore[arg-type]
    fitted = spill.fit("a line of a long text\n" * 9_000)
    assert fitted.artifact_id
    assert spill.get("art_" + random_part(fitted.artifact_id)[:6], lines=(1, 1)).text == "a line of a long text\n"
    assert set(plain.asked) == {fitted.artifact_id}


def test_the_specification_s_preset_names_whole_ids() -> None:
    spill = Overspill(config={}, store=MemoryStore())
    fitted = spill.fit("a line of a long text\n" * 9_000)
    assert list_artifacts(spill, {}).content.startswith(f"{fitted.artifact_id}  ")
    assert search_artifacts(spill, {"pattern": "line"}).content.startswith(f"{fitted.artifact_id}:1:")


def test_ids_of_files_are_those_of_the_list(tmp_path: Path) -> None:
    store = files(tmp_path)
    made = {put(store, f"text {number}").id for number in range(5)}
    assert {*store.ids()} == made == {artifact.id for artifact in store.list()}
