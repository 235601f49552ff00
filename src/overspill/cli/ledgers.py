"""From a command line to the ledger."""

import os

from overspill._lite import NamedTuple
from overspill.cli.arguments import Call
from overspill.cli.opening import load_settings, root_of, store_for
from overspill.journal import silent
from overspill.ledger import Ledger
from overspill.settings import Settings
from overspill.store.files import FileStore
from overspill.workspace.opening import journal_of, ledger_path
from overspill.workspace.redactor import redactor_of


class Opened(NamedTuple):
    """Everything that a command on tasks needs."""

    settings: Settings
    store: FileStore
    ledger: Ledger
    home: str

    def tell(self, action: str, task_id: object) -> None:
        """Tell the journal what became of a task."""
        write = journal_of(self.settings, self.store, self.home) or silent
        write("task", {"action": action, "task_id": task_id})


def opened(call: Call, *, write: bool = False) -> Opened:
    """Settings, store and ledger; whoever only reads makes none."""
    home = root_of(call)
    settings = load_settings(call, home)
    store = store_for(call, settings)
    return Opened(settings, store, ledger_of(settings, store, home, write=write), home)


def ledger_of(settings: Settings, store: FileStore, home: str, *, write: bool = False) -> Ledger:
    """The ledger beside a store."""
    redactor = redactor_of(settings, os.environ) if write else None
    path = ledger_path(store, home, make=write)
    return Ledger(path, redact=(lambda text: redactor.redact(text).text) if redactor else str, create=write)
