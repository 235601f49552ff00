"""The doors for MCP clients."""

from overspill.cli.arguments import Command, Option, natural_number
from overspill.cli.commands.running import ANY_NUMBER, FAILED_TO_RUN

COMMANDS = (
    Command(
        ("mcp", "serve"),
        "overspill.cli.mcp_serve:run",
        "an MCP server that gives models what is kept: get_artifact, search_artifacts, list_artifacts",
        options=(
            Option("--tasks", help="let models read the tasks, too: list_tasks, find_tasks, show_task"),
            Option("--handoffs", help="and what earlier phases left: get_phase_context"),
            Option("--http", help="listen on a port of this machine instead of standard input"),
            Option("--port", "N", "which one (default: a free one, said on standard error)", natural_number),
            Option("--token", "T", "the bearer token a client must send (default: OVERSPILL_MCP_TOKEN, or a new one)"),
        ),
        examples=(
            "spill mcp serve",
            "claude mcp add overspill -- spill mcp serve",
            "spill mcp serve --http --port 8765",
        ),
        detail="Speaks the protocol on standard input and output, in both its eras, until the client hangs up.",
    ),
    Command(
        ("mcp", "proxy"),
        "overspill.cli.mcp_proxy:run",
        "stand in front of an MCP server and fit its tool results",
        "[--] CMD...",
        ANY_NUMBER,
        (
            Option("--url", "URL", "a server on streamable HTTP instead of a command"),
            Option("--header", "NAME:VALUE", "send this header to it; may be given more than once", many=True),
            Option("--allow", "TOOL", "offer only these of its tools; may be given more than once", many=True),
            Option("--deny", "TOOL", "do not offer these; may be given more than once", many=True),
            Option("--hints", help="let models set _budget and _focus on every tool"),
        ),
        (
            "spill mcp proxy -- npx -y @modelcontextprotocol/server-filesystem .",
            "claude mcp add git -- spill mcp proxy -- uvx mcp-server-git",
            "spill mcp proxy --url http://127.0.0.1:8000/mcp --deny delete_everything",
        ),
        "Touches only the results of tools: texts are fitted and redacted, structured results stay valid by the\n"
        "tool's schema, and the tools that fetch the rest are added to the server's own. Everything else passes as\n"
        "the bytes it came as.",
        rest=True,
        failure=FAILED_TO_RUN,
    ),
)
