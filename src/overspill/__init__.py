"""Keeps what tools, lists and hand-offs say inside an agent's context budget, and the rest within reach."""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING
from overspill.version import __version__

if TYPE_CHECKING:
    from overspill.api import Overspill
    from overspill.core import Size
    from overspill.core.budget import Budget
    from overspill.core.report import Artifact, Fitted, Report
    from overspill.core.spans import Cut, Form, Gap, Options, Room, Span
    from overspill.cut import register
    from overspill.decorator import limited
    from overspill.errors import OverspillError
    from overspill.frameworks import artifact_tools
    from overspill.lists import Page, Pagination, Select, compact_session, compact_task, get_default_limit
    from overspill.redact import redact_text
    from overspill.retrieve import Retrieved
    from overspill.store import Store
    from overspill.store.memory import MemoryStore, SimpleStore

__all__ = [
    "Artifact",
    "Budget",
    "Cut",
    "Fitted",
    "Form",
    "Gap",
    "MemoryStore",
    "Options",
    "Overspill",
    "OverspillError",
    "Page",
    "Pagination",
    "Report",
    "Retrieved",
    "Room",
    "Select",
    "SimpleStore",
    "Size",
    "Span",
    "Store",
    "__version__",
    "artifact_tools",
    "compact_session",
    "compact_task",
    "get_default_limit",
    "limited",
    "redact_text",
    "register",
]

# Where each public name lives. Names are looked up when first used: `spill fit` starts a process for
# every tool call and should pay only for what it needs.
_HOMES = {
    "Artifact": "core.report",
    "Budget": "core.budget",
    "Cut": "core.spans",
    "Fitted": "core.report",
    "Form": "core.spans",
    "Gap": "core.spans",
    "MemoryStore": "store.memory",
    "Options": "core.spans",
    "Overspill": "api",
    "OverspillError": "errors",
    "Page": "lists",
    "Pagination": "lists",
    "Report": "core.report",
    "Retrieved": "retrieve",
    "Room": "core.spans",
    "Select": "lists",
    "SimpleStore": "store.memory",
    "Size": "core",
    "Span": "core.spans",
    "Store": "store",
    "artifact_tools": "frameworks",
    "compact_session": "lists",
    "compact_task": "lists",
    "get_default_limit": "lists",
    "limited": "decorator",
    "redact_text": "redact",
    "register": "cut",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'overspill' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"overspill.{_HOMES[name]}"), name)
