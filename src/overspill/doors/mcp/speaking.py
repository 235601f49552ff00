"""An `Overspill` that speaks to models through the protocol."""

from overspill.doors.arguments import Call
from overspill.doors.opening import overspill_of
from overspill.hints import TYPE_CHECKING
from overspill.marks import tool_call

if TYPE_CHECKING:
    from overspill.pipeline import Overspill


def overspill_for_models(call: Call) -> "Overspill":
    """The one of this command line, which spells its hints as calls of tools."""
    return overspill_of(call, tool_call)
