"""A small version of `tests/torture/hostile_texts.py`: other texts each time, with room for a busy machine."""

import random
import secrets

import hostile_texts
import pytest

from overspill.redact import Redactor, scan_database
from overspill.redact.hits import PROBE_COST, work_allowed

EVERY, MIXES = 1_000, 2_000
GENEROUS = 1.5  # seconds of CPU for what is to take a tenth on a quiet machine
SMALL = 32_768
ROOM_FOR_CHANCE = 4
ONE_READING = 40_000  # more than any single look has cost: a table, or a secret of a cluster


def test_no_hostile_text_takes_long() -> None:
    seed = secrets.randbits(16)
    redactor = Redactor(database=scan_database())
    for hostile in hostile_texts.texts(hostile_texts.SIZE, MIXES, seed, seed % EVERY, EVERY):
        took = hostile_texts.duration(redactor, hostile, GENEROUS)
        assert took.seconds < GENEROUS, (seed, took)
        stream = redactor.stream()
        stream.whole(hostile.text)
        assert stream.spent.cost <= work_allowed(len(hostile.text)) + ONE_READING, (seed, hostile.name)


def test_hits_that_come_to_nothing_are_charged() -> None:
    text = hostile_texts.repeated("nfu_", hostile_texts.SIZE // 4)
    stream = Redactor(database=scan_database()).stream()
    assert stream.whole(text) == text
    assert stream.spent.cost >= len(text) // 4 * PROBE_COST


@pytest.mark.parametrize("in_rows", [False, True])
def test_a_climb_to_the_slowest_text_stays_low(in_rows: bool) -> None:
    """256 KB take a tenth of a second where the fixed loop takes five milliseconds; there is room for chance."""
    seed = secrets.randbits(16)
    redactor = Redactor(database=scan_database())
    draw = random.Random(seed)
    small = hostile_texts.climbed(redactor, draw, hostile_texts.units(), SMALL, in_rows=in_rows)
    text = hostile_texts.repeated(small.text, hostile_texts.SIZE)
    took = hostile_texts.duration(redactor, hostile_texts.HostileText(small.name, text), hostile_texts.BAR)
    assert took.seconds < ROOM_FOR_CHANCE * hostile_texts.BAR, (seed, took)
