"""Keeps what tools, lists and hand-offs say inside an agent's context budget, and the rest within reach."""

from overspill.hints import TYPE_CHECKING
from overspill.version import __version__

if TYPE_CHECKING:
    from overspill.budget import Budget
    from overspill.compact import compact_session, compact_task
    from overspill.cut import register
    from overspill.errors import OverspillError
    from overspill.frameworks.fetching import artifact_tools
    from overspill.guard import redact_text
    from overspill.limiting import limited
    from overspill.measure import Size
    from overspill.pages import Page, Pagination, Select, get_default_limit
    from overspill.pipeline import Overspill
    from overspill.report import Artifact, Fitted, Report
    from overspill.retrieve import Retrieved
    from overspill.spans import Cut, Form, Gap, Options, Room, Span
    from overspill.store import Store
    from overspill.store.memory import MemoryStore

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
    "Artifact": "report",
    "Budget": "budget",
    "Cut": "spans",
    "Fitted": "report",
    "Form": "spans",
    "Gap": "spans",
    "MemoryStore": "store.memory",
    "Options": "spans",
    "Overspill": "pipeline",
    "OverspillError": "errors",
    "Page": "pages",
    "Pagination": "pages",
    "Report": "report",
    "Retrieved": "retrieve",
    "Room": "spans",
    "Select": "pages",
    "Size": "measure",
    "Span": "spans",
    "Store": "store",
    "artifact_tools": "frameworks.fetching",
    "compact_session": "compact",
    "compact_task": "compact",
    "get_default_limit": "pages",
    "limited": "limiting",
    "redact_text": "guard",
    "register": "cut",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'overspill' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"overspill.{_HOMES[name]}"), name)
