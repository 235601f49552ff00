"""From a command line to the ledger."""

import os

from overspill.config import Settings
from overspill.doors.arguments import Call
from overspill.doors.opening import load_settings, root_of
from overspill.doors.streams import note
from overspill.guard import redactor_of
from overspill.journal import Journal, file_journal, silent
from overspill.ledger import Ledger
from overspill.ledger.place import ledger_path


def opened(call: Call, *, write: bool = False) -> tuple[Settings, Ledger]:
    """Settings and ledger; whoever only reads makes none."""
    root = root_of(call)
    settings = load_settings(call, root)
    return settings, ledger_at(call, settings, root, write=write)


def ledger_at(call: Call, settings: Settings, root: str, *, write: bool = False) -> Ledger:
    """The ledger of a root."""
    explicit = bool(call.text("--root") or os.environ.get("OVERSPILL_ROOT"))
    path, notice = ledger_path(root, os.environ, explicit=explicit, make=write)
    if notice and write:
        note(f"spill: {notice}")
    redactor = redactor_of(settings, os.environ) if write else None
    return Ledger(path, redact=(lambda text: redactor.redact(text).text) if redactor else str, create=write)


def journal_of(call: Call, settings: Settings) -> Journal:
    """The journal of this root."""
    return file_journal(os.path.join(root_of(call), ".acode", "logs")) if settings.flag("journal.enabled") else silent
