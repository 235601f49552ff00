"""A small version of the fault run; `make torture` runs the long one and prints its figures."""

import pytest
from loss_torture import SCENARIOS, broken_settings, tortured


@pytest.mark.parametrize("name", list(SCENARIOS))
def test_every_byte_is_shown_kept_or_said_to_be_lost(name: str) -> None:
    """Promises 1 and 7: readers that raise, signals, broken settings and bytes that are no text."""
    tally = tortured(name, 20_261_117, small=True)
    assert tally.lost == []
    assert tally.runs >= SCENARIOS[name][1]


def test_settings_can_be_broken_in_many_ways() -> None:
    assert len(broken_settings()) >= 40
