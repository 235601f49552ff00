"""What was shown of an artifact, and why, lies beside it: a few hundred bytes, nothing of the text."""

import json
from pathlib import Path

from overspill import Overspill
from overspill.core.report import CHOSEN, REASONS
from overspill.core.spans import Span

LOG = "".join(f"2026-11-17 08:00:{n % 60:02d} INFO worker-{n % 7} handled request {n}\n" for n in range(3000))
LINES = LOG.splitlines(keepends=True)
BROKEN = "".join([*LINES[:1700], "FATAL: the zebra database is gone\n", *LINES[1700:]])


def fit(root: Path, text: str, **more: object) -> tuple[str, dict[str, object], int]:
    spill = Overspill(preset="agent", root=str(root), session="s1")
    fitted = spill.fit(text, tool="bash", **more)  # type: ignore[arg-type]
    assert fitted.artifact_id is not None
    [path] = root.rglob(f"{fitted.artifact_id}.view")
    record = json.loads(path.read_text())
    kept, at = [], 0
    for gap, length in zip(record["kept"][::2], record["kept"][1::2], strict=True):
        kept.append(Span(at + gap, at + gap + length))
        at = kept[-1].end
    assert tuple(kept) == fitted.report.kept
    return fitted.text, record, path.stat().st_size


def test_the_kept_parts_and_their_reasons_lie_beside_the_artifact(tmp_path: Path) -> None:
    view, record, size = fit(tmp_path, BROKEN)
    assert "zebra" in view
    assert record["v"] == 1
    assert record["chars"] == len(BROKEN)
    assert record["view"] == len(view)
    words = record["words"]
    assert isinstance(words, list)
    assert "fatal" in words
    assert set(words) <= {*REASONS, CHOSEN}
    assert size < 1_500


def test_nothing_of_the_text_is_in_the_record(tmp_path: Path) -> None:
    source = "".join(f"def zebra_{n}(x):\n    return x + {n}\n\n" for n in range(900))
    fit(tmp_path, source, source="zebra.py")
    [record] = tmp_path.rglob("*.view")
    assert "zebra" not in record.read_text()


def test_a_plain_cut_is_recorded_without_reasons(tmp_path: Path) -> None:
    spill = Overspill(root=str(tmp_path), session="s1")
    fitted = spill.fit(LOG, tool="bash")
    [path] = tmp_path.rglob("*.view")
    assert "whys" not in json.loads(path.read_text())
    spill.store.delete(str(fitted.artifact_id))
    assert list(tmp_path.rglob("*.view")) == []


def test_what_fits_leaves_no_record(tmp_path: Path) -> None:
    Overspill(preset="agent", root=str(tmp_path), session="s1").fit("short\n", tool="bash")
    assert list(tmp_path.rglob("*.view")) == []
