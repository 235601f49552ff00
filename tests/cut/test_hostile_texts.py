"""Texts on which a parser or a pattern goes back over all it has seen: views of them take no longer than others."""

import json
import time
from typing import Any

import pytest

from overspill import MemoryStore, Overspill

CUT_OFF = json.dumps({"a": 1, "body": json.dumps([{"id": at, "name": f"n{at}"} for at in range(2_500)])})[:-3]
HOSTILE: dict[str, tuple[str, dict[str, Any]]] = {
    "a string of JSON, cut off": (CUT_OFF, {"content_type": "application/json"}),
    "comments that do not end": ("{/*\n" * 20_000, {"content_type": "application/json"}),
    "remarks of a page": ("<!--\n" * 20_000, {"content_type": "text/html"}),
    "scripts of a page": ("<script>\n" * 12_000, {"content_type": "text/html"}),
    "a page that is called source": ("<!--\n" * 20_000, {"source": "a.py"}),
    "brackets that are called source": ("((((\n" * 20_000, {"source": "a.py"}),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_view_of_what_does_not_end_takes_no_longer_than_others(name: str) -> None:
    """NFR-001: a hundred kilobytes took from 7 to 130 seconds of a processor."""
    text, said = HOSTILE[name]
    begun = time.process_time()
    fitted = Overspill(store=MemoryStore()).fit(text, budget=4_000, strategy="smart", **said)
    assert len(fitted.text) <= 4_000
    assert time.process_time() - begun < 3
