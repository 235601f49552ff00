"""Modules that are loaded when they are needed, by name."""

import sys
from types import ModuleType


def loaded(name: str) -> ModuleType:
    """A module by its full name. `importlib`, which could do it too, is a module more for every start.

    >>> loaded("overspill.version").__name__
    'overspill.version'
    """
    __import__(name)
    return sys.modules[name]
