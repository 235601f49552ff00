"""A small version of `tests/torture/hostile_texts.py`: other texts each time, with room for a busy machine."""

import random
import secrets
from collections.abc import Callable, Iterator

import hostile_families
import hostile_texts
import pytest

from overspill.redact import Redactor, scan_database
from overspill.redact.hits import PROBE_COST, WHOLE, work_allowed
from overspill.redact.near import SHARE

EVERY, MIXES = 1_000, 2_000
GENEROUS = 1.5  # seconds of CPU for what is to take a tenth on a quiet machine
SMALL = 32_768
ROOM_FOR_CHANCE = 4
ONE_CELL = 4_096  # more than all words and values in a cell, and in what the last of them reaches
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


@pytest.mark.parametrize("family", hostile_families.FAMILIES, ids=lambda family: family.__name__)
def test_no_text_of_values_that_never_come_again_takes_long(family: Callable[[random.Random], Iterator[str]]) -> None:
    seed = secrets.randbits(16)
    redactor = Redactor(database=scan_database())
    hostile = hostile_families.family_text(family, str(seed), hostile_texts.SIZE)
    took = hostile_texts.duration(redactor, hostile, GENEROUS)
    assert took.seconds < GENEROUS, (seed, took)
    stream = redactor.stream()
    stream.whole(hostile.text)
    assert stream.spent.cost <= work_allowed(len(hostile.text)) + ONE_READING, (seed, hostile.name)
    allowed_near = work_allowed(len(hostile.text)) * SHARE // WHOLE + ONE_CELL
    assert max(stream.spent_near, default=0) <= allowed_near, (seed, hostile.name)


def test_a_reading_that_comes_to_nothing_is_charged_more_than_a_glance() -> None:
    stream = Redactor(database=scan_database()).stream()
    stream.whole('{"password":{"secret":[' * 1_000)
    assert stream.spent.cost >= 1_000 * 4 * PROBE_COST


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
