"""A store of one's own, in sixty lines: artifacts in one SQLite file, which any number of programs may share.

Run it: `python examples/stores/sqlite_store.py` keeps a long text, shows its view and fetches a line of it.
"""

import json
import sqlite3
import sys
import tempfile

from overspill import Artifact, Overspill, SimpleStore
from overspill.errors import StoreError

TABLE = "create table if not exists artifacts (id text primary key, record text, content blob)"


class SqliteStore(SimpleStore):
    """Artifacts in a table: a record and a content each."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._base = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._base.execute(TABLE)

    def save(self, artifact: Artifact, content: bytes) -> None:
        try:
            self._base.execute("insert into artifacts values (?, ?, ?)", (artifact.id, json.dumps(artifact), content))
        except sqlite3.Error as error:  # a full disk, a locked file: the view then says that nothing was kept
            raise StoreError(f"not kept: {error}") from error

    def load(self, artifact_id: str) -> bytes:
        found = self._base.execute("select content from artifacts where id = ?", (artifact_id,)).fetchone()
        return bytes(found[0])

    def record(self, artifact_id: str) -> Artifact | None:
        found = self._base.execute("select record from artifacts where id = ?", (artifact_id,)).fetchone()
        return Artifact.from_fields(json.loads(found[0])) if found else None

    def records(self) -> list[Artifact]:
        found = self._base.execute("select record from artifacts order by rowid desc")
        return [Artifact.from_fields(json.loads(record)) for (record,) in found]

    def remove(self, artifact_id: str) -> None:
        self._base.execute("delete from artifacts where id = ?", (artifact_id,))

    def close(self) -> None:
        self._base.close()


if __name__ == "__main__":
    with tempfile.NamedTemporaryFile(suffix=".db") as file:
        spill = Overspill(store=SqliteStore(file.name))
        fitted = spill.fit("\n".join(f"line {number}" for number in range(1, 100_001)), budget=600)
        sys.stdout.write(f"{fitted.text}\n\n{spill.get(fitted.artifact_id or '', lines=(50_000, 50_000)).text}")
