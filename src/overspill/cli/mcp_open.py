"""An `Overspill` that speaks to models through the protocol."""

import os

from overspill._lite import TYPE_CHECKING
from overspill.cli.arguments import Call
from overspill.cli.opening import overspill_of
from overspill.core.markers import tool_call
from overspill.store.files import FileStore

if TYPE_CHECKING:
    from overspill.api import Overspill


def overspill_for_models(call: Call) -> "Overspill":
    """The one of this command line, which spells its hints as calls of tools.

    A server that was given no session reads every live one of its root, even if the agent that started it says
    which was its first: agents begin new sessions and keep their servers.
    """
    spill = overspill_of(call, tool_call)
    if isinstance(spill.store, FileStore) and not call.text("--session") and not os.environ.get("OVERSPILL_SESSION"):
        spill.store.session = spill.store.session._replace(roams=True)
    return spill
