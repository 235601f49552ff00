"""Our tools, as the protocol describes and calls them."""

from collections.abc import Container

from overspill.doors.mcp.eras import Json
from overspill.hints import TYPE_CHECKING

if TYPE_CHECKING:
    from overspill.pipeline import Overspill

PREFIX = "overspill_"


class Toolbox:
    """The artifact tools of one `Overspill`."""

    def __init__(self, spill: "Overspill") -> None:
        self._spill = spill
        self._prefix = ""

    def avoid(self, names: Container[str]) -> None:
        """Go by other names where a server has tools of these."""

    def has(self, name: str) -> bool:
        """Whether a tool of ours goes by this name."""
        return name == "get_artifact"

    def descriptions(self) -> list[Json]:
        """All of them, for a list of tools."""
        return [{"name": "get_artifact", "description": "x", "inputSchema": {"type": "object"}}]

    def call(self, name: str, parameters: Json) -> Json:
        """Call one of them: what was found, and beside it, apart, where it is from and how to go on."""
        arguments = parameters.get("arguments")
        arguments = arguments if isinstance(arguments, dict) else {}
        got = self._spill.get(str(arguments["id"]))
        return {"content": [{"type": "text", "text": got.text}]}

    def first_page(self, artifact_id: str) -> tuple[str, str]:
        got = self._spill.get(artifact_id)
        return got.text, got.next or ""
