"""Whatever is left out is kept first, in files, and a store that is exhausted says so."""

from pathlib import Path

from asking import numbered
from overspill import Overspill


def test_whatever_exceeds_the_inline_limit_is_kept(tmp_path: Path) -> None:
    """FR-045, AC-045: one character too many is enough, and one less is not."""
    text = numbered(400)[:8_001]
    with Overspill({}, root=str(tmp_path)) as spill:
        assert spill.fit(text[:8_000]).artifact_id is None
        kept = spill.fit(text)
        assert kept.artifact_id is not None
        assert spill.store.read(kept.artifact_id).decode() == text
        assert kept.artifact_id in kept.text


def test_a_store_that_is_exhausted_says_so_and_the_view_stays_bounded(tmp_path: Path) -> None:
    """ASM-10: what no quota can hold is shown as far as it fits, with the reason."""
    settings = {"tools.truncation.artifacts.session_quota": 10_000}
    with Overspill(settings, root=str(tmp_path)) as spill:
        fitted = spill.fit(numbered(2_000))
    assert fitted.is_error
    assert fitted.text.startswith("Output could not be kept: ")
    assert len(fitted.text) <= 8_000
    assert fitted.report.not_kept
