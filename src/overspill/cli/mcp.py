"""`spill mcp serve`: our server, on standard streams or a port. `spill mcp proxy`: our proxy before another server."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from threading import Event, Thread

from overspill._lite import TYPE_CHECKING, suppress
from overspill.cli.arguments import CommandCall, usage
from overspill.cli.opening import open_for_models
from overspill.cli.output import note
from overspill.errors import UsageError
from overspill.mcp import Outlet, handoff_tools, read_frames
from overspill.mcp.server import Server
from overspill.redact import redact_text
from overspill.redact.redactor import redacted_bytes

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from overspill.api import Overspill
    from overspill.mcp.proxy import Proxy
    from overspill.redact import Redactor
    from overspill.retrieve.tools import Tool

LONGEST_LINE = 300
LOG_CHUNK_BYTES = 1 << 16
LAST_WORDS_SECONDS = 1.0  # somebody whom the server has left behind may hold its log open
HANG_UP_SECONDS = 2.0  # a server whose client has hung up has this long, and as long again when told to end


def more_tools(call: CommandCall, spill: Overspill) -> tuple[Tool, ...]:
    """The tools that were asked for beside the artifacts'."""
    if not call.flag("--tasks") and not call.flag("--handoffs"):
        return ()
    tasks: tuple[Tool, ...] = ()
    if call.flag("--tasks"):
        from overspill.mcp.server import task_tools

        tasks = task_tools(spill)
    return (*tasks, *(handoff_tools(spill) if call.flag("--handoffs") else ()))


def serve(call: CommandCall) -> int:
    """Answer until the client hangs up."""
    spill = open_for_models(call)
    server = Server(spill, more_tools(call, spill))
    port = call.number("--port")
    if call.flag("--http") or port is not None:
        from overspill.mcp.http import serve

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


def proxy(call: CommandCall) -> int:
    """Stand between the client, on our standard streams, and a server, until either hangs up."""
    url = call.text("--url")
    if url and call.arguments:
        raise UsageError("either a command or --url, not both")
    if not url and not call.arguments:
        form = usage(call.command) if call.command else "spill mcp proxy -- CMD..."
        raise UsageError(f"the server's command is missing; usage: {form}")
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("an MCP client speaks on standard input; `spill mcp proxy --help` shows how to register it")
    from overspill.mcp.proxy import Choice, Proxy

    choice = Choice(named_tools(call, "--allow"), named_tools(call, "--deny") or (), call.flag("--hints"))
    to_client = Outlet(sys.stdout.fileno())
    if url:
        from overspill.mcp.http import HttpUpstream

        upstream = HttpUpstream(url, call.texts("--header") or [])
        proxy = Proxy(open_for_models(call), upstream.send, to_client, log_line, choice)
        upstream.deliver(proxy)
        return _until_the_client_is_gone(proxy, upstream.close)
    server = Upstream(call.arguments)  # it begins while we do: agents do not wait long for a server
    try:
        spill = open_for_models(call)
        proxy = Proxy(spill, Outlet(server.stdin), to_client, log_line, choice)
    except BaseException:
        server.close()
        raise
    server.begin(proxy, spill.workspace.redactor)
    return _until_the_client_is_gone(proxy, server.close)


def named_tools(call: CommandCall, option: str) -> list[str] | None:
    """The tools an option names, by repetition or with commas."""
    given = call.texts(option)
    return None if given is None else [name for word in given for name in word.split(",") if name]


def log_line(words: str) -> None:
    """For whoever reads the log of the client: one line, short, without secrets."""
    note(f"spill: {redact_text(' '.join(words.split()))[:LONGEST_LINE]}")


def _write_log(hide: Callable[[bytes | None], bytes], chunk: bytes | None) -> bool:
    """Write a piece of a server's log, None for its end, to ours; false if that is over."""
    try:
        safe = memoryview(hide(chunk))
        while safe:
            safe = safe[os.write(sys.stderr.fileno(), safe) :]
    except OSError:  # nobody reads ours
        return False
    except Exception as error:  # noqa: BLE001  # what cannot be looked at is not shown
        log_line(f"the server's log cannot be shown from here on: {type(error).__name__}")
        return False
    return True


class HungUp(BaseException):  # not an error, and not to be taken for one on its way
    """We are asked to end."""


def _until_the_client_is_gone(proxy: Proxy, close: Callable[[], None]) -> int:
    def hang_up(_number: int, _frame: FrameType | None) -> None:
        raise HungUp

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, hang_up)
    try:
        for frame in read_frames(sys.stdin.fileno()):
            proxy.from_client(frame)
    except (HungUp, BrokenPipeError):
        pass
    finally:
        close()
    return 0


class Upstream:
    """The server's process."""

    def __init__(self, command: tuple[str, ...]) -> None:
        try:
            self._process = subprocess.Popen(  # what was asked for
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                process_group=0,
            )
        except OSError as error:
            from overspill.cli.run import CannotStart

            raise CannotStart(command[0], error) from None
        assert self._process.stdin is not None  # noqa: S101  # asked for above
        assert self._process.stdout is not None  # noqa: S101  # likewise
        assert self._process.stderr is not None  # noqa: S101  # likewise
        self._ended = Event()
        self._input = self._process.stdin
        self.stdin = self._input.fileno()
        self._stdout = self._process.stdout.fileno()
        self._stderr = self._process.stderr.fileno()
        self._log: Thread | None = None

    def begin(self, proxy: Proxy, redactor: Redactor | None) -> None:
        """Listen to both of its outputs from now on."""
        self._log = Thread(target=self.pass_log, args=(redactor,), daemon=True)
        self._log.start()
        Thread(target=self.listen, args=(proxy,), daemon=True).start()

    def pass_log(self, redactor: Redactor | None) -> None:
        """Hand on what the server writes to standard error, without its secrets: clients keep it, and some show it.

        A line that may go on in the next one is shown with that. All is read whatever happens to it: a server
        whose log nobody reads stands still.
        """
        hide = redacted_bytes(redactor)
        is_shown = sys.stderr is not None  # what has its number may be a pipe of ours
        while True:
            chunk = os.read(self._stderr, LOG_CHUNK_BYTES)
            if is_shown:
                is_shown = _write_log(hide, chunk or None)
            if not chunk:
                return

    def listen(self, proxy: Proxy) -> None:
        """Hand on what the server says, until it says no more."""
        try:
            for frame in read_frames(self._stdout):
                proxy.from_server(frame)
        except OSError as error:  # of either end; the client's is noticed by whoever reads from it
            log_line(f"cannot go on listening to the server: {type(error).__name__}")
        if not self._ended.is_set():
            with suppress(OSError):
                proxy.server_is_gone(self._last_words())

    def close(self) -> None:
        """End it: by hanging up, then by asking, then by force. Its last words are waited for, but not for long."""
        self._end_process()
        if self._log is not None:
            self._log.join(LAST_WORDS_SECONDS)

    def _end_process(self) -> None:
        self._ended.set()
        with suppress(OSError):
            self._input.close()
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                self._process.wait(HANG_UP_SECONDS)
            except subprocess.TimeoutExpired:
                with suppress(OSError):
                    os.killpg(self._process.pid, number)
            else:
                return
        self._process.wait()

    def _last_words(self) -> str:
        try:
            status = self._process.wait(HANG_UP_SECONDS)
        except subprocess.TimeoutExpired:
            return "closed its output"
        return f"ended with status {status}" if status >= 0 else f"was ended by signal {-status}"
