"""From a command line to settings and an `Overspill`: the same way for every command.

An `Overspill` that speaks to models through the protocol.
"""

import os

from overspill import cut
from overspill._lite import TYPE_CHECKING
from overspill.cli.arguments import Call
from overspill.cli.output import note
from overspill.core.markers import Spelling, shell_call_from, tool_call
from overspill.errors import InputError
from overspill.settings import Settings, load
from overspill.store.files import FileStore
from overspill.workspace.opening import store_of
from overspill.workspace.root import find_root

if TYPE_CHECKING:
    from overspill.api import Overspill

DEFAULT_PRESET = "agent"


def root_of(call: Call) -> str:
    """The project's directory."""
    try:
        place = os.getcwd()  # pathlib costs a start-up
    except OSError:
        raise InputError("the working directory is gone") from None
    return find_root(call.text("--root"), os.environ, place)


def load_settings(call: Call, root: str) -> Settings:
    """The settings in force; what is odd about them is said once, on standard error."""
    flags = {"preset": preset} if (preset := call.text("--preset")) else {}
    settings = load(
        root,
        environ=os.environ,
        flags=flags,
        preset=DEFAULT_PRESET,
        config_file=call.text("--config"),
        strategies=cut.names,
    )
    if address := settings.get("output.schema"):
        from overspill.cli.output.envelope import use_address

        use_address(str(address))
    for warning in settings.warnings:
        from overspill.workspace.redactor import redact_text

        note(f"spill: {redact_text(warning)}")
    return settings


def store_for(call: Call, settings: Settings) -> FileStore:
    """The store of this command line. It is gone in a moment, so what it keeps is on the disk before it answers."""
    store = store_of(settings, call.text("--root"), call.text("--session"), home=root_of(call))
    if store.notice:
        note(f"spill: {store.notice}")
    return store


def opened(call: Call) -> tuple[Settings, FileStore]:
    """Settings and store, for commands that fit nothing."""
    settings = load_settings(call, root_of(call))
    return settings, store_for(call, settings)


def spelling_of(call: Call, root: str) -> Spelling:
    """How calls are written so that they work where this one was typed, whatever it was told about its place."""
    options = {}
    if call.text("--root") is not None and root != find_root(None, os.environ, os.getcwd()):
        options["--root"] = os.path.abspath(root)
    session, surrounding = call.text("--session"), os.environ.get("OVERSPILL_SESSION")
    if session is not None and surrounding and surrounding != session:
        options["--session"] = session  # one named session never reads another's
    return shell_call_from(options)


def overspill_of(call: Call, spelling: Spelling | None = None) -> "Overspill":
    """An `Overspill` for this command line, which spells its calls as its reader would make them: in a shell."""
    from overspill.api import Overspill  # commands that fit nothing do without

    root = root_of(call)
    settings = load_settings(call, root)
    said = spelling_of(call, root) if spelling is None else spelling
    return Overspill(settings, store_for(call, settings), root=root, spelling=said)


def overspill_for_models(call: Call) -> "Overspill":
    """The one of this command line, which spells its hints as calls of tools.

    A server that was given no session reads every live one of its root, even if the agent that started it says
    which was its first: agents begin new sessions and keep their servers.
    """
    spill = overspill_of(call, tool_call)
    if isinstance(spill.store, FileStore) and not call.text("--session") and not os.environ.get("OVERSPILL_SESSION"):
        spill.store.session = spill.store.session._replace(roams=True)
    return spill
