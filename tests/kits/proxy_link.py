"""A proxy between two ends that a test holds, and texts that are hard on it."""

import json
from typing import Any

from overspill import MemoryStore, Overspill
from overspill.mcp import encode_message
from overspill.mcp.proxy import Choice, Proxy

Json = dict[str, Any]

SECRET = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3
OTHER = "sk-proj-" + "h8G7f6E5d4C3b2A1" * 3
ADDRESS = f"https://files.example/report?key={SECRET}"
SPILL = Overspill(store=MemoryStore(), preset="agent")


def gives_up_on(words: str) -> bool:
    """Whether redaction hides the rest of such a line: too many places would have to be looked at."""
    redactor = SPILL.workspace.redactor
    assert redactor is not None
    return redactor.redact(json.dumps(words)).incomplete


UNIT = next(
    unit for unit in ("password=x7 ", "authorization: xxxxxx ", "pwd=1a ", "token=a1 ") if gives_up_on(unit * 80_000)
)
ENDLESS = UNIT * 80_000


class Link:
    """A proxy with both of its ends in view."""

    def __init__(self) -> None:
        self.to_server: list[bytes] = []
        self.to_client: list[bytes] = []
        self.said: list[str] = []
        self.proxy = Proxy(SPILL, self.to_server.append, self.to_client.append, self.said.append, Choice())

    def ask(self, method: str, params: object = None, identity: object = 1) -> Json:
        message = {"jsonrpc": "2.0", "id": identity, "method": method, "params": params or {}}
        self.proxy.from_client(encode_message(message))
        heard: Json = json.loads(self.to_server[-1])
        return heard

    def hear(self, message: object) -> Any:  # noqa: ANN401  # whatever it is
        """What the client gets for a message of the server's."""
        before = len(self.to_client)
        self.proxy.from_server(encode_message(message))
        assert len(self.to_client) == before + 1
        return json.loads(self.to_client[-1])

    def answer(self, result: object, identity: object = 1) -> Any:  # noqa: ANN401  # likewise
        return self.hear({"jsonrpc": "2.0", "id": identity, "result": result})["result"]
