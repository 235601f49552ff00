"""What the programs at the other end can take: a page that they would shorten again has lost its end.

Measured with real agents and texts of growing size. What is longer than this they cut, or put into a file of
their own, and the call for the next page is gone with the rest.
"""

from overspill._lite import NamedTuple
from overspill.mcp.eras import Json

CLIENT_KEY = "io.modelcontextprotocol/clientInfo"


class Reader(NamedTuple):
    """The most that one answer of a tool may hold."""

    chars: int
    lines: int | None = None


READERS = {
    "codex-mcp-client": Reader(9_000),
    "copilot-cli": Reader(19_000),
    "opencode": Reader(48_000, 1_900),
}


def reader_of(parameters: Json) -> Reader | None:
    """Who asks, if a request says it, in the handshake or as the newer era has it, and their bounds are known.

    >>> reader_of({"clientInfo": {"name": "copilot-cli"}})
    Reader(chars=19000, lines=None)
    >>> reader_of({"clientInfo": {"name": "somebody"}})
    """
    meta = parameters.get("_meta")
    about = parameters.get("clientInfo") or (meta.get(CLIENT_KEY) if isinstance(meta, dict) else None)
    name = about.get("name") if isinstance(about, dict) else None
    return READERS.get(name) if isinstance(name, str) else None
