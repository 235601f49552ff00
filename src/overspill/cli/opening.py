"""From a command line to its workspace: the same way for every command."""

from __future__ import annotations

import os
import sys

from overspill._lite import TYPE_CHECKING
from overspill.cli.output import note, use_address
from overspill.core.markers import CallFormat, shell_call_from, tool_call
from overspill.workspace import Workspace
from overspill.workspace.opening import find_root, working_directory

if TYPE_CHECKING:
    from collections.abc import Mapping

    from overspill.api import Overspill
    from overspill.cli.arguments import CommandCall


def root_of(call: CommandCall) -> str:
    """The project's directory."""
    return find_root(call.text("--root"), os.environ, working_directory())


def path_from_root(workspace: Workspace, name: str) -> str:
    """The name of a file as it is told to others: from the root on, if it lies below it."""
    path = os.path.normpath(os.path.join(working_directory(), name))
    root = os.path.realpath(workspace.root)
    below = os.path.relpath(os.path.realpath(os.path.dirname(path)), root)
    if below == ".." or below.startswith("../"):
        return path
    return os.path.normpath(os.path.join(below, os.path.basename(path)))


def open_workspace(
    call: CommandCall,
    call_format: CallFormat | None = None,
    settings: Mapping[str, object] | None = None,
    *,
    forgiving: bool = True,
) -> Workspace:
    """The workspace of a command line. What is odd about it is said once, on standard error.

    So is what is wrong with its settings: the last good value or the default is used, so that no input is lost and
    what was kept stays within reach. A command that removes something, or has to be sure, is not `forgiving`.

    Its calls are written as whoever reads the answer would make them: in a shell, unless another form is asked for.
    A command is gone in a moment, so what it keeps is on the disk before it answers.
    """
    workspace = Workspace.find(
        root=call.text("--root"),
        session=call.text("--session"),
        config_file=call.text("--config"),
        flags={**(settings or {}), **({"preset": preset} if (preset := call.text("--preset")) else {})},
        call_format=call_format or tool_call,
        notify=lambda words: note(f"spill: {words}"),
        forgiving=forgiving,
    )
    if call_format is None:
        workspace.write_calls(shell_format(call, workspace.root))
    if address := workspace.settings.get("output.schema"):
        use_address(str(address))
    return workspace


def shell_format(call: CommandCall, root: str) -> CallFormat:
    """How calls are written so that they work where this one was typed, whatever it was told about its place."""
    options = {}
    if call.text("--root") is not None and root != find_root(None, os.environ, working_directory()):
        options["--root"] = os.path.abspath(root)
    session, surrounding = call.text("--session"), os.environ.get("OVERSPILL_SESSION")
    if session is not None and surrounding and surrounding != session:
        options["--session"] = session  # one named session never reads another's
    return shell_call_from(options)


def open_overspill(call: CommandCall, *, forgiving: bool = True) -> Overspill:
    """An `Overspill` for this command line. Programs are told whole ids, and marks in the specification's words."""
    from overspill.api import Overspill  # commands that fit nothing do without

    return Overspill.at(
        open_workspace(
            call, settings={"tools.truncation.marks": "full"} if call.flag("--json") else {}, forgiving=forgiving
        )
    )


def open_for_models(call: CommandCall) -> Overspill:
    """An `Overspill` whose hints are calls of tools, and which reads every live session unless one was named."""
    from overspill.api import Overspill

    workspace = open_workspace(call, tool_call)
    if "opentelemetry.metrics" in sys.modules:  # whoever started this process set it up; it is looked for nowhere
        from overspill.journal.otel import is_set_up, otel_journal

        if is_set_up():
            workspace.listen(otel_journal())
    workspace.read_all_sessions()
    return Overspill.at(workspace)
