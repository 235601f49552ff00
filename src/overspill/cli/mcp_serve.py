"""`spill mcp serve`: the server on standard input and output, or on a port of this machine."""

from __future__ import annotations

import os
import sys

from overspill._lite import TYPE_CHECKING
from overspill.cli.opening import open_for_models
from overspill.cli.output import note
from overspill.errors import UsageError
from overspill.mcp.protocol import Outlet, read_frames
from overspill.mcp.server import Server
from overspill.mcp.toolbox import handoff_tools

if TYPE_CHECKING:
    from overspill.api import Overspill
    from overspill.cli.arguments import CommandCall
    from overspill.retrieve.tools import Tool


def more_tools(call: CommandCall, spill: Overspill) -> tuple[Tool, ...]:
    """The tools that were asked for beside the artifacts'."""
    if not call.flag("--tasks") and not call.flag("--handoffs"):
        return ()
    tasks: tuple[Tool, ...] = ()
    if call.flag("--tasks"):
        from overspill.mcp.task_tools import task_tools

        tasks = task_tools(spill)
    return (*tasks, *(handoff_tools(spill) if call.flag("--handoffs") else ()))


def run(call: CommandCall) -> int:
    """Answer until the client hangs up."""
    spill = open_for_models(call)
    server = Server(spill, more_tools(call, spill))
    port = call.number("--port")
    if call.flag("--http") or port is not None:
        from overspill.mcp.http_server import serve

        return serve(server, port or 0, call.text("--token") or os.environ.get("OVERSPILL_MCP_TOKEN", ""))
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("an MCP client speaks on standard input; `spill mcp serve --help` shows how to register it")
    send = Outlet(sys.stdout.fileno())
    from overspill.cli.reader import start_reader

    end_reader = start_reader()
    try:
        for frame in read_frames(sys.stdin.fileno()):
            said = server.answer_frame(frame)
            if said is not None:
                send(said)
    except BrokenPipeError:
        note("spill: the client is gone")
    finally:
        end_reader()
    return 0
