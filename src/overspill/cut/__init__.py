"""Strategies by name: ours, the ones a program registers, and the ones installed packages offer.

A strategy is a function of a text, a `Room` and the `Options`, and returns a `Cut`. Registering one
is all it takes: the renderer, the report and the promises are the same for every strategy. The
strategies for texts live here, `smart` in a package of its own; documents have theirs in `documents`.

>>> @register("first_line")
... def first_line(text: str, room: Room, options: Options) -> Cut:
...     return Cut((Span(0, min(room.chars, text.find(chr(10)) + 1 or len(text))),))
>>> strategy("first_line") is first_line
True

Imports `_lite`, `errors`, `core` and `kinds`. `documents`, `fit` and what stands above them come in here.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, load_module
from overspill.core.spans import Cut, Options, Room, Span, Strategy
from overspill.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.metadata import EntryPoint

__all__ = ["BUILT_IN", "Cut", "Options", "Room", "Span", "Strategy", "names", "register", "strategy"]

ENTRY_POINTS = "overspill.strategies"

# Imported when asked for: a process that cuts a log has no use for the code that cuts JSON.
BUILT_IN = {
    "head": "overspill.cut.ends:head",
    "tail": "overspill.cut.ends:tail",
    "line": "overspill.cut.ends:line",
    "head_tail": "overspill.cut.ends:head_tail",
    "smart": "overspill.cut.smart:smart",
}

# Asked to leave a text alone that is too long to be left alone, we show both ends. What is cut by its
# elements is a document, and `documents` sees to that; of a text without elements whole lines are kept.
STAND_INS = {"none": "head_tail", "element": "line"}

_registered: dict[str, Strategy] = {}


def register(name: str) -> Callable[[Strategy], Strategy]:
    """Offer a strategy under `name`, for `strategy:` in a config file or `--strategy` in a shell."""

    def remember(function: Strategy) -> Strategy:
        _registered[name] = function
        return function

    return remember


def strategy(name: str) -> Strategy:
    """The strategy called `name`."""
    if name in _registered:
        return _registered[name]
    if name in BUILT_IN:
        module, function = BUILT_IN[name].split(":")
        _registered[name] = getattr(load_module(module), function)
        return _registered[name]
    installed = _installed().get(name)
    if installed is None:
        known = ", ".join(names())
        raise ConfigError(f"no strategy {name!r}; there are: {known}")
    _registered[name] = installed.load()
    return _registered[name]


def strategy_of_text(name: str) -> Strategy:
    """The strategy for all views of one text: what was found in one room need not be looked for again in the next."""
    found = strategy(name)
    maker: Callable[[], Strategy] | None = getattr(found, "of_one_text", None)
    return found if maker is None else maker()


def known_name(name: str) -> str:
    """The name itself, if there is a strategy of that name."""
    if name not in STAND_INS:
        strategy(name)
    return name


def strategy_in_use(name: str) -> str:
    """The strategy that runs when `name` is asked for.

    >>> strategy_in_use("tail"), strategy_in_use("none")
    ('tail', 'head_tail')
    """
    return name if name in _registered else STAND_INS.get(name, name)


def names() -> tuple[str, ...]:
    """Every strategy there is, in alphabetical order."""
    return tuple(sorted({*BUILT_IN, *STAND_INS, *_registered, *_installed()}))


def _installed() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=ENTRY_POINTS)}
