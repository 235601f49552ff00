"""`spill purge`: nothing is left of what was ever kept."""

from overspill.cli.arguments import Call
from overspill.cli.artifacts import removed
from overspill.cli.opening import open_workspace
from overspill.cli.output import again, answer
from overspill.cli.output.tables import counted, visible
from overspill.core.markers import human_bytes
from overspill.store import housekeeping


def run(call: Call) -> int:
    """Remove everything that is kept below the root, pinned or not; without --yes only say what that is."""
    store = open_workspace(call).files
    everywhere = call.flag("--everywhere")
    if call.flag("--yes"):
        return removed(call, housekeeping.purge(store, everywhere=everywhere))
    found = housekeeping.countable(store, everywhere=everywhere)
    where = "any root of yours" if everywhere else visible(store.place.root)
    line = again(call, f"spill purge{' --everywhere' if everywhere else ''} --yes")
    what = f"{counted(found.artifacts, 'artifact')} ({human_bytes(found.bytes)})"
    text = f"Would remove {what} of every session below {where}.\nNothing was removed; this removes them: {line}\n"
    return answer(call, "would_remove", found._asdict(), text)
