"""A little MCP server over stdio that says a canary in every place an answer has.

    python canary_server.py PREFIX FILE      FILE holds the canaries as JSON, by place; PREFIX names tools and places

Every tool says one of them. What it says to standard error is for nobody, and has one, too. It stands alone, as
agents start it in an environment of their own.
"""

import base64
import json
import sys
from typing import Any

Json = dict[str, Any]
ANY = {"type": "object", "properties": {}}
FREE = {"type": "object", "additionalProperties": True}
FILLER = "nothing but a line that makes a text longer\n" * 4_000


class Refused(Exception):
    """A call that is answered with an error of the protocol."""


class CanaryServer:
    """Answers requests with canaries."""

    def __init__(self, prefix: str, canaries: dict[str, dict[str, str]]) -> None:
        self._prefix = prefix
        self._canaries = canaries

    def canary(self, place: str) -> dict[str, str]:
        return self._canaries[f"{self._prefix} {place}"]

    def answer(self, request: Json) -> Json:
        """The answer to a request."""
        name = request["method"]
        if name == "tools/call":
            return TOOLS[request["params"]["name"].removeprefix(f"{self._prefix}_")](self)
        if name == "initialize":
            return self.greeting(request["params"]["protocolVersion"])
        lists: dict[str, Json] = {
            "ping": {},
            "tools/list": {"tools": [self.description(tool) for tool in TOOLS]},
            "resources/list": {"resources": [{"uri": self.address, "name": "settings", "mimeType": "text/plain"}]},
            "resources/templates/list": {"resourceTemplates": []},
            "resources/read": {"contents": [self.resource("resource")]},
        }
        return lists[name]

    def greeting(self, version: str) -> Json:
        return {
            "protocolVersion": version,
            "capabilities": {"tools": {}, "resources": {}},
            "serverInfo": {"name": self._prefix, "version": "1"},
            "instructions": self.canary("instructions")["text"],
        }

    @property
    def address(self) -> str:
        return f"canary://{self._prefix}/settings"

    def description(self, tool: str) -> Json:
        more = self.canary("description")["text"] if tool == "text" else ""
        said = {"name": f"{self._prefix}_{tool}", "description": f"Says {tool}.\n{more}", "inputSchema": ANY}
        return said | {"outputSchema": FREE} if tool == "structured" else said

    def resource(self, place: str) -> Json:
        return {"uri": self.address, "mimeType": "text/plain", "text": self.canary(place)["text"]}

    # -- tools ---------------------------------------------------------------------------------------------------------

    def say_text(self) -> Json:
        return text_result(self.canary("text")["text"])

    def say_long(self) -> Json:
        return text_result(FILLER.join([self.canary("long text")["text"]] * 2))

    def say_structured(self) -> Json:
        canary = self.canary("structured content")
        log = [f"cloned with {canary['token']}"]
        held = {"note": canary["marker"], "database": {"password": canary["password"]}, "log": log}
        return text_result("It is in the structured content.") | {"structuredContent": held}

    def say_embedded(self) -> Json:
        return {"content": [{"type": "resource", "resource": self.resource("embedded resource")}], "isError": False}

    def say_blob(self) -> Json:
        resource = self.resource("embedded blob")
        blob = base64.b64encode(resource.pop("text").encode()).decode()
        return {"content": [{"type": "resource", "resource": resource | {"blob": blob}}], "isError": False}

    def say_error(self) -> Json:
        return text_result(self.canary("tool error")["text"]) | {"isError": True}

    def refuse(self) -> Json:
        raise Refused(self.canary("protocol error")["text"])


def text_result(text: str) -> Json:
    return {"content": [{"type": "text", "text": text}], "isError": False}


TOOLS = {
    "text": CanaryServer.say_text,
    "long": CanaryServer.say_long,
    "structured": CanaryServer.say_structured,
    "embedded": CanaryServer.say_embedded,
    "blob": CanaryServer.say_blob,
    "error": CanaryServer.say_error,
    "refusal": CanaryServer.refuse,
}


def main(prefix: str, file: str) -> None:
    """Answer until the other side hangs up."""
    with open(file, encoding="utf-8") as held:
        server = CanaryServer(prefix, json.load(held))
    print(server.canary("log")["text"], end="", file=sys.stderr, flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:
            continue
        said: Json
        try:
            said = {"result": server.answer(request)}
        except Refused as error:
            said = {"error": {"code": -32000, "message": str(error), "data": {"reason": str(error)}}}
        except KeyError as error:
            said = {"error": {"code": -32601, "message": f"no method {error}"}}
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **said}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
