"""What a caller asks for, as the flow wants it: settings and budgets, checked."""

import os
from collections.abc import Mapping

from overspill import cut
from overspill.core.budget import Budget
from overspill.errors import UsageError
from overspill.settings import Settings, from_mapping, load


def settings_of(config: Settings | Mapping[str, object] | str | None, root: str, preset: str) -> Settings:
    """Settings from whatever a program has: nothing, a file's name, a mapping, or settings."""
    if isinstance(config, Settings):
        return config
    if config is None or isinstance(config, str):
        return load(root, environ=os.environ, preset=preset, config_file=config, strategies=cut.names)
    return from_mapping(config, preset, cut.names)


def budget_of(budget: Budget | int) -> Budget:
    """A number of characters as a budget; a room that is no number from 0 on is the caller's mistake."""
    room = budget if isinstance(budget, Budget) else Budget(chars=budget)
    for limit in (room.chars, room.tokens):
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 0):
            raise UsageError(f"a budget is a whole number from 0 on, not {limit!r:.100}")
    return room


def counted_as(budget: Budget, usual: Budget) -> Budget:
    """The budget, with tokens counted as usual unless it says how."""
    return budget if budget.counter else budget._replace(counter=usual.counter)
