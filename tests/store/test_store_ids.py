"""Only ids are looked up; everything else is refused before a file is touched."""

import os
import string
from pathlib import Path

import pytest

from overspill.errors import ArtifactNotFound, UsageError
from overspill.store import is_id, new_id
from overspill.store.memory import MemoryStore
from store_kit import files, put

GOOD = "art_1699234567890_a1b2c3d4"
AROUND = [
    "../",
    "./",
    "/",
    "\\",
    "..\\",
    "~",
    "%2e%2e%2f",
    "\0",
    "\n",
    " ",
    "\t",
    "\r",
    "\x1b[2J",
    "\u202e",
    "é",
    "\uff11",
]
BAD = [
    "",
    "art",
    "art_",
    "art__",
    "art_1",
    "art_1_",
    "art__a",
    "_1_a",
    "rt_1_a",
    "Art_1_a",
    "ART_1_A",
    "art-1-a",
    "art_1_a_b",
    "art_a_1",
    "art_-1_a",
    "art_1.0_a",
    "art_1_a.json",
    "art_1_a.zst",
    "art_" + "1" * 21 + "_a",
    "art_1_" + "a" * 65,
    "art_1_" + "a" * 100_000,
    "ses_" + "a" * 26,
    "/etc/passwd",
    "....//....//etc/passwd",
    "file:///etc/passwd",
    "art_1_a;rm -rf /",
    "art_1_$(id)",
    "art_1_`id`",
    "art_1_a|b",
    "art_\u0661_a",
    "art_\uff11_a",
    "art_1_\uff41",
    "art_1_\u0430",
    "lock",
    "usage",
    "m",
    "t",
    ".",
    "..",
    *(GOOD + tail for tail in AROUND),
    *(head + GOOD for head in AROUND),
    *(GOOD[:10] + inner + GOOD[10:] for inner in AROUND),
    *(GOOD[:20] + inner + GOOD[20:] for inner in AROUND),
    *(f"art_1_a{mark}b" for mark in string.punctuation),
    *(f"art_1{mark}2_a" for mark in string.punctuation),
    *(f"{mark}art_1_a" for mark in string.punctuation),
    *(f"art_1_a{chr(code)}" for code in range(32)),
    *(f"art_1_{chr(code)}" for code in range(0x80, 0xB0)),
]


def test_there_are_enough_of_them() -> None:
    assert len(set(BAD)) >= 250


@pytest.mark.parametrize("kind", ["memory", "files"])
def test_nothing_but_an_id_is_looked_up(tmp_path: Path, kind: str) -> None:
    store = files(tmp_path) if kind == "files" else MemoryStore()
    put(store, "secret")
    before = sorted(tmp_path.rglob("*"))
    for bad in BAD:
        for call in (store.info, store.read, store.delete):
            with pytest.raises(UsageError) as refused:
                call(bad)
            message = str(refused.value)
            assert len(message) < 2000
            assert message.isprintable()
    assert sorted(tmp_path.rglob("*")) == before


def test_a_well_formed_id_of_nobody_is_not_found(tmp_path: Path) -> None:
    store = files(tmp_path)
    put(store)
    for name in (GOOD, "art_0_a", "art_" + "9" * 20 + "_" + "z" * 64):
        with pytest.raises(ArtifactNotFound):
            store.read(name)


def test_ids_sort_by_time_and_carry_130_random_bits() -> None:
    made = [new_id(1_699_234_567_890) for _ in range(2000)]
    assert len(set(made)) == len(made)
    assert all(is_id(name) for name in made)
    tails = [name.rpartition("_")[2] for name in made]
    assert {len(tail) for tail in tails} == {26}
    for place in range(26):
        # Each of 32 letters about 62 times in 2,000; a stuck bit would leave out half of them.
        assert len({tail[place] for tail in tails}) == 32
    assert new_id(1) < new_id(2)


def test_an_id_is_not_made_from_what_a_tool_says(tmp_path: Path) -> None:
    store = files(tmp_path)
    artifact = put(store, call_id="../../evil", tool="../x", source="/etc/passwd")
    assert is_id(artifact.id)
    assert "evil" not in artifact.id
    assert not any("evil" in name or name == "x" for _, names, more in os.walk(tmp_path) for name in names + more)
