"""`spill purge`: nothing is left of what was ever kept."""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING
from overspill.cli.artifacts import answer_removed
from overspill.cli.opening import open_workspace
from overspill.cli.output import print_answer, repeat_command
from overspill.cli.output.tables import count_of, visible
from overspill.core.size import human_bytes
from overspill.store import housekeeping

if TYPE_CHECKING:
    from overspill.cli.arguments import CommandCall


def run(call: CommandCall) -> int:
    """Remove everything that is kept below the root, pinned or not; without --yes only say what that is."""
    store = open_workspace(call, forgiving=False).files
    everywhere = call.flag("--everywhere")
    if call.flag("--yes"):
        return answer_removed(call, housekeeping.purge(store, everywhere=everywhere))
    found = housekeeping.purgeable(store, everywhere=everywhere)
    where = "any root of yours" if everywhere else visible(store.place.root)
    line = repeat_command(call, f"spill purge{' --everywhere' if everywhere else ''} --yes")
    what = f"{count_of(found.artifacts, 'artifact')} ({human_bytes(found.bytes)})"
    text = f"Would remove {what} of every session below {where}.\nNothing was removed; this removes them: {line}\n"
    return print_answer(call, "would_remove", found._asdict(), text)
