"""The specification's own tests of the artifact store, translated literally, on files."""

import asyncio
import re
from pathlib import Path

import pytest

from overspill.compat import (
    FileSystemArtifactStore,
    GetArtifactTool,
    TruncationConfiguration,
    TruncationProcessor,
)
from overspill.errors import ArtifactNotFound


@pytest.fixture
def store(tmp_path: Path) -> FileSystemArtifactStore:
    return FileSystemArtifactStore(tmp_path)


def test_should_create_artifact_with_unique_id(store: FileSystemArtifactStore) -> None:
    """TST-09."""
    artifact = store.create("X" * 100_000, "execute_command", "text/plain")
    assert re.fullmatch(r"art_\d+_[a-zA-Z0-9]+", artifact.id)
    assert artifact.size == 100_000
    assert artifact.source_tool == "execute_command"
    assert artifact.content_type == "text/plain"
    assert store.list() == [artifact]


def test_should_retrieve_full_content(store: FileSystemArtifactStore) -> None:
    """TST-10."""
    content = "This is test content for artifact storage."
    artifact = store.create(content, "read_file", "text/plain")
    assert store.get_content(artifact.id) == content


def test_should_handle_concurrent_creation(store: FileSystemArtifactStore) -> None:
    """TST-11."""

    async def ten() -> list[str]:
        made = await asyncio.gather(*(store.create_async(f"Content {i}", "tool", "text/plain") for i in range(10)))
        return [artifact.id for artifact in made]

    ids = asyncio.run(ten())
    assert len(set(ids)) == 10
    assert [store.get_content(one) for one in ids] == [f"Content {i}" for i in range(10)]


def test_should_clean_up_on_session_end(store: FileSystemArtifactStore, tmp_path: Path) -> None:
    """TST-12."""
    store.create("test content", "tool", "text/plain")
    directory = tmp_path / ".acode" / "artifacts"
    assert directory.is_dir()
    store.cleanup()
    assert not directory.exists()
    assert store.list() == []
    assert store.get_content(store.create("again", "tool", "text/plain").id) == "again"


def test_should_create_artifact_for_large_content(store: FileSystemArtifactStore) -> None:
    """TST-14."""
    processor = TruncationProcessor(TruncationConfiguration(inline_limit=1000, artifact_threshold=5000), store)
    large = "X" * 100_000
    result = processor.process(large, "read_file")
    assert result.artifact_id is not None
    assert "[Artifact:" in result.content
    assert result.artifact_id in result.content
    assert result.metadata["artifact_created"] is True
    assert store.get_content(result.artifact_id) == large


def test_lines_of_an_artifact_count_from_one(store: FileSystemArtifactStore) -> None:
    """X-41."""
    artifact = store.create("one\ntwo\nthree\n", "tool")
    assert store.get_partial_content(artifact.id, 2, 3) == "two\nthree\n"
    assert store.get_partial_content(artifact.id, 3, 99) == "three\n"


def test_another_store_on_the_same_root_has_the_same_artifacts(store: FileSystemArtifactStore, tmp_path: Path) -> None:
    """X-36."""
    artifact = store.create("one\n", "tool")
    assert FileSystemArtifactStore(tmp_path).get_content(artifact.id) == "one\n"


def test_a_secret_is_not_kept(store: FileSystemArtifactStore) -> None:
    """X-53, X-54."""
    artifact = store.create("token ghp_x9Kd82mQpLw7Zt4RvB1nYc6Hs3Jf5Ga0TuEi and \0", "tool")
    assert store.get_content(artifact.id) == "token [REDACTED: API_KEY] and \u2400"


def test_everything_has_an_async_twin(store: FileSystemArtifactStore, tmp_path: Path) -> None:
    """TST-09, TST-10, TST-12."""

    async def life() -> None:
        artifact = await store.create_async("one\ntwo\n", "tool", "text/plain")
        other = await store.create_async("other", "tool", "text/plain")
        assert await store.get_content_async(artifact.id) == "one\ntwo\n"
        assert await store.get_partial_content_async(artifact.id, 2, 2) == "two\n"
        await store.delete_async(other.id)
        assert await store.list_async() == [artifact]
        await store.cleanup_async()

    asyncio.run(life())
    assert not (tmp_path / ".acode" / "artifacts").exists()


def test_the_tool_fetches_from_it_and_answers_every_failure(store: FileSystemArtifactStore, tmp_path: Path) -> None:
    """X-39."""
    artifact = store.create("one\ntwo\nthree\n", "tool")
    tool = GetArtifactTool(store)
    assert tool.execute({"id": artifact.id}).content == "one\ntwo\nthree\n"
    assert tool.execute({"id": artifact.id, "start_line": 2, "end_line": 2}).content == "two\n"
    (content,) = tmp_path.glob(f".acode/artifacts/ses_*/{artifact.id}")
    content.write_text("one\ntwo\nTHREE\n")
    damaged = tool.execute({"id": artifact.id})
    assert (damaged.is_error, damaged.status, damaged.metadata["code"]) == (True, 500, "E_CHECKSUM_MISMATCH")
    store.delete(artifact.id)
    assert tool.execute({"id": artifact.id}).status == 404
    assert tool.execute({"id": "../x"}).status == 400
    with pytest.raises(ArtifactNotFound):
        store.get_content(artifact.id)
