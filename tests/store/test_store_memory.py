"""The store in memory keeps what every store promises."""

import pytest

from overspill.store.memory import MemoryStore
from overspill.testing import *  # noqa: F403  # the tests are the point


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()
