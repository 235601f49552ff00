"""Where hand-offs and the log of budgets are kept: in the folder of a root, or in the database of a fleet."""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, Protocol
from overspill.handoff import files, log
from overspill.redact.default import redact_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from overspill.handoff.checks import Hide
    from overspill.handoff.files import FoundHandoffs, StoredHandoff, WrittenHandoff
    from overspill.handoff.record import Handoff
    from overspill.handoff.trim import BudgetResult
    from overspill.workspace import Workspace


class HandoffPlace(Protocol):
    """What is asked of a place: `handoff/files.py` says what each of these does."""

    def write(
        self,
        handoff: Handoff,
        hide: Hide = ...,
        *,
        add: bool = ...,
        complete: Callable[[Handoff], Handoff] | None = ...,
        keep_runs: float | None = ...,
    ) -> WrittenHandoff:
        """Keep a hand-off without secrets, in the place of the one before, or with `add` together with it."""

    def read_all(self, *, before: int | None = ..., run_id: str | None = ..., all_runs: bool = ...) -> FoundHandoffs:
        """The hand-offs of the phases before one, oldest first, of one run: the one named, else the latest."""

    def read(self, phase: int, run_id: str | None = ...) -> StoredHandoff | None:
        """The hand-off of one phase: of the run that is named, else of the newest; None if it is not there."""

    def mark_used(self, run_id: str) -> None:
        """Note that a run is at work: somebody is handed what it left."""

    def log_budget(self, run_id: str, phase: int, result: BudgetResult) -> None:
        """Note what a budget did."""

    def budget_entries(self) -> Iterator[dict[str, object]]:
        """What budgets did, oldest first."""


class HandoffFolder:
    """Hand-offs in the folder of a root; `limits` are those of the log's files."""

    def __init__(self, root: str, limits: dict[str, int] | None = None) -> None:
        self._root, self._limits = root, limits or {}

    def write(
        self,
        handoff: Handoff,
        hide: Hide = redact_text,
        *,
        add: bool = False,
        complete: Callable[[Handoff], Handoff] | None = None,
        keep_runs: float | None = None,
    ) -> WrittenHandoff:
        """Keep a hand-off without secrets, in the place of the one before, or with `add` together with it."""
        return files.write_handoff(self._root, handoff, hide, add=add, complete=complete, keep_runs=keep_runs)

    def read_all(
        self, *, before: int | None = None, run_id: str | None = None, all_runs: bool = False
    ) -> FoundHandoffs:
        """The hand-offs of the phases before one, oldest first, of one run: the one named, else the latest."""
        return files.read_handoffs(self._root, before=before, run_id=run_id, all_runs=all_runs)

    def read(self, phase: int, run_id: str | None = None) -> StoredHandoff | None:
        """The hand-off of one phase: of the run that is named, else of the newest; None if it is not there."""
        return files.read_handoff(self._root, phase, run_id)

    def mark_used(self, run_id: str) -> None:
        """Note that a run is at work: somebody is handed what it left."""
        files.mark_used(self._root, run_id)

    def log_budget(self, run_id: str, phase: int, result: BudgetResult) -> None:
        """Note what a budget did."""
        log.log_budget(self._root, run_id, phase, result, **self._limits)

    def budget_entries(self) -> Iterator[dict[str, object]]:
        """What budgets did, oldest first."""
        return log.budget_entries(self._root)


def handoffs_of(workspace: Workspace) -> HandoffPlace:
    """Where a workspace keeps them."""
    database = workspace.database
    if database is None:
        settings = workspace.settings
        limits = {"max_size": settings.integer("journal.max_size"), "keep": settings.integer("journal.keep")}
        return HandoffFolder(workspace.root, limits)
    from overspill.handoff.tables import HandoffTables

    return HandoffTables(database)
