"""A small MCP server over stdio that says too much: `report` as text, `records` as text and structured content.

python server.py BYTES
"""

import json
import sys
from typing import Any

ERROR = "ERROR: disk quota exceeded while writing block 4711"
ANY = {"type": "object", "properties": {}}
RECORDS = {
    "type": "object",
    "properties": {"records": {"type": "array", "items": {"type": "object"}}},
    "required": ["records"],
}
TOOLS: list[dict[str, Any]] = [
    {"name": "report", "description": "A long report.", "inputSchema": ANY},
    {"name": "records", "description": "Many records.", "inputSchema": ANY, "outputSchema": RECORDS},
]


def report(size: int) -> str:
    """A text of about `size` characters with an error in the middle."""
    lines = [f"{number:06} the block was written to the disk and read back again" for number in range(size // 61)]
    lines[len(lines) // 2] = ERROR
    return "\n".join(lines)


def records(size: int) -> dict[str, Any]:
    """An object of about `size` characters as JSON."""
    return {
        "records": [{"number": number, "name": f"record {number:06}", "kept": True} for number in range(size // 60)]
    }


def called(name: str, size: int) -> dict[str, Any]:
    """The result of a call."""
    if name == "records":
        held = records(size)
        return {"content": [{"type": "text", "text": json.dumps(held)}], "structuredContent": held, "isError": False}
    return {"content": [{"type": "text", "text": report(size)}], "isError": False}


def answer(request: dict[str, Any], size: int) -> dict[str, Any]:
    """The answer to a request."""
    match request["method"]:
        case "initialize":
            return {
                "protocolVersion": request["params"]["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "talkative", "version": "1"},
            }
        case "tools/list":
            return {"tools": TOOLS}
        case "tools/call":
            return called(request["params"]["name"], size)
        case "ping":
            return {}
    raise KeyError(request["method"])


def main() -> None:
    """Answer until the other side hangs up."""
    size = int(sys.argv[1])
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:
            continue
        said: dict[str, Any]
        try:
            said = {"result": answer(request, size)}
        except KeyError as error:
            said = {"error": {"code": -32601, "message": f"no method {error}"}}
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **said}), flush=True)


if __name__ == "__main__":
    main()
