"""A small version of `tests/torture/hostile_texts.py`: other texts each time, with room for a busy machine."""

import secrets
from itertools import islice

import hostile_texts

from overspill.redact import Redactor
from overspill.redact.default import scan_database
from overspill.redact.hits import PROBE_COST, work_allowed

EVERY, MIXES = 400, 2_000
GENEROUS = 1.5  # seconds of CPU for what is to take a tenth on a quiet machine
ONE_READING = 40_000  # more than any single look has cost: a table, or a secret of a cluster


def test_no_hostile_text_takes_long() -> None:
    seed = secrets.randbits(16)
    redactor = Redactor(database=scan_database())
    for hostile in islice(hostile_texts.texts(hostile_texts.SIZE, MIXES, seed), seed % EVERY, None, EVERY):
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
