"""The smallest MCP server there is: one tool, which reads a file aloud."""

import json
import sys

TOOL = {
    "name": "read",
    "description": "Read a file.",
    "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
}


def answer(asked: dict[str, object]) -> dict[str, object]:
    params = asked.get("params")
    given = params if isinstance(params, dict) else {}
    if asked["method"] == "initialize":
        version = given.get("protocolVersion", "2025-03-26")
        about = {"name": "reader", "version": "1"}
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}
    if asked["method"] == "tools/list":
        return {"tools": [TOOL]}
    if asked["method"] == "tools/call":
        with open(given["arguments"]["path"], encoding="utf-8", newline="") as file:
            return {"content": [{"type": "text", "text": file.read()}]}
    return {}


def main() -> None:
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" in asked:
            print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": answer(asked)}), flush=True)


if __name__ == "__main__":
    main()
