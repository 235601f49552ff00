"""Something that says too much, as a command and as an MCP server over stdio.

    python talkative.py say BYTES [STATUS]      a report with an error in its middle
    python talkative.py serve BYTES             the same by the tool `report`; `records` has structured content, too

What it says also holds a secret, put together here so that it stands in no file.
"""

import json
import sys
from typing import Any

ERROR = "ERROR: disk quota exceeded while writing block 4711"
SECRET = "ghp_" + "B0oAe6Du3jLp5HyC8nRz1VbT7wXm2QsZf9Kf4"[:0:-1]
LINE = "{:06} the block was written to the disk and read back again"


def report(size: int) -> str:
    """A text of about `size` characters, an error in its middle and a secret after the first quarter."""
    lines = [LINE.format(number) for number in range(max(size // 61, 8))]
    lines[len(lines) // 4] = f"remote: https://x-access-token:{SECRET}@example.com/blocks.git"
    lines[len(lines) // 4 + 1] = f"GITHUB_TOKEN={SECRET}"
    lines[len(lines) // 2] = ERROR
    return "\n".join(lines)


# -- as a server -------------------------------------------------------------------------------------------------------

ANY = {"type": "object", "properties": {}}
RECORDS = {
    "type": "object",
    "properties": {"records": {"type": "array", "items": {"type": "object"}}},
    "required": ["records"],
}
TOOLS: list[dict[str, Any]] = [
    {"name": "report", "description": "A long report.", "inputSchema": ANY},
    {"name": "records", "description": "Many records.", "inputSchema": ANY, "outputSchema": RECORDS},
    {"name": "plain", "description": "Many lines, and no secret.", "inputSchema": ANY},
]


def records(size: int) -> dict[str, Any]:
    """An object of about `size` characters as JSON."""
    rows = [{"number": number, "name": f"record {number:06}", "kept": True} for number in range(size // 60)]
    return {"records": [{"number": -1, "name": "first", "token": SECRET}, *rows]}


def called(name: str, size: int) -> dict[str, Any]:
    """The result of a call."""
    if name == "records":
        held = records(size)
        return {"content": [{"type": "text", "text": json.dumps(held)}], "structuredContent": held, "isError": False}
    text = report(size) if name == "report" else "\n".join(map(LINE.format, range(size // 61)))
    return {"content": [{"type": "text", "text": text}], "isError": False}


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


def serve(size: int) -> None:
    """Answer until the other side hangs up."""
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
    if sys.argv[1] == "serve":
        serve(int(sys.argv[2]))
    else:
        print(report(int(sys.argv[2])))
        sys.exit(int(sys.argv[3]) if len(sys.argv) > 3 else 0)
