"""The reader of a session: a process that has all loaded that hooks and shells need, and serves them.

It is started by the MCP server that an agent keeps while it runs, and ends with it; `cli/start.py` asks it. For each
event it takes over the environment, the directory and the errors of whoever asks, so that it does what that process
would do itself. It is nobody's loss if it dies over an event: then that process does the work, and a new one listens.
What a shell says (`overspill.sh`) is read by another one, which lives on whatever becomes of the reader.
Whoever is confined more than the reader is not answered, since it would be served with rights that it has not.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import sys

from overspill._lite import TYPE_CHECKING, in_json, load_module, load_patterns_by, suppress
from overspill.agents import AGENTS
from overspill.agents.hooks.shell import (
    SCRIPT,
    answers_of,
    asking_scripts,
    asking_words,
    own_path,
    put_asking_script,
    starts_program,
)
from overspill.cli.start import (
    HELLO,
    HOOKS,
    MAX_EVENT_BYTES,
    READER_TIME_LIMIT,
    SHELLS,
    SOCKETS,
    code_stamp,
    forget_reader,
    is_private,
    reader_place,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import NoReturn

WAITING = 64  # connections that may wait
CHUNK_BYTES = 1 << 16
MAX_SERVED, LARGE_EVENT_BYTES = 1_000, 1 << 20  # after so many, or one as large, a fresh process takes over
LONG_COMMAND = 0.3  # seconds after which the next shell is not to wait for this one
REQUEST_BYTES = 8  # of a shell: the id of its process
ENDINGS = (signal.SIGINT, signal.SIGHUP, signal.SIGTERM)
WAKING = {signal.SIGCHLD, signal.SIGUSR1}
MAX_DEATHS = 20
NAMESPACES = ("user", "mnt", "pid", "net")
CONFINEMENTS = ("NoNewPrivs", "Seccomp", "CapEff", "Groups")
GARBAGE = 100_000  # objects after which it is looked for
PEER_BYTES = 12  # three numbers: process, user, group
OVER, DIED, TIRED = 0, 1, 2  # how a process ends: well, over its work, and to be followed by a fresh one
OUTPUT_AT = 8  # the descriptor of what a shell was to speak to
DIED_OVER_IT = "Output could not be shown: overspill's hook died. `spill doctor` may say more."
UNSHOWN = b"overspill: the output of this command could not be shown; see `spill doctor`\n"


def start_reader() -> Callable[[], None]:
    """Start a reader that lasts as long as this process, or until what this gives is called."""
    place = reader_place()
    if place is None or not hasattr(os, "fork"):
        return lambda: None
    ends, lifeline = os.pipe()
    reader = os.fork()
    if reader:
        os.close(ends)

        def end_reader() -> None:
            os.close(lifeline)
            with suppress(ChildProcessError):
                os.waitpid(reader, 0)

        return end_reader
    try:
        os.close(lifeline)
        run_reader(place, ends)
    finally:
        os._exit(0)


def run_reader(place: str, lifeline: int) -> None:
    """Load everything, listen, and see to it that somebody serves for as long as the lifeline is held."""
    program = own_path()  # its own name may be one that says something in this directory only
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):  # those are the server's, and somebody waits for their end
        os.dup2(nowhere, stream)
    for number in ENDINGS:  # whoever ends the server ends this
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, WAKING)
    load_all()
    os.makedirs(place, 0o700, exist_ok=True)
    if not is_private(place):
        return
    os.chdir(place)  # the path of a socket may be no longer than a hundred bytes
    forget_the_dead()
    own = str(os.getpid())
    before = os.umask(0o177)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"{SOCKETS}{own}")
    listener.listen(WAITING)
    for kind in (HOOKS, SHELLS):
        os.mkfifo(f"{kind}{own}")
    put_asking_script()
    os.umask(before)
    hooks, shells = (os.open(f"{kind}{own}", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC) for kind in (HOOKS, SHELLS))
    keep_serving(HookServer(listener, hooks, lifeline, program), shells, lifeline)
    forget_reader(own)


def keep_serving(hook_server: HookServer, shells: int, lifeline: int) -> None:
    """Have one process that answers hooks and one that waits for a shell, until one of them says that it is over."""
    hooks = start_process(hook_server.run)
    deposits: dict[int, Deposit] = {}

    def start_shell_server() -> None:
        deposit = Deposit()
        deposits[start_process(lambda: ShellServer(shells, lifeline, deposit).run())] = deposit

    start_shell_server()
    deaths = 0
    while deaths < MAX_DEATHS:
        if signal.sigwait(WAKING) == signal.SIGUSR1:  # the one that waited has been busy for long
            start_shell_server()
        for process, status in ended_children():
            if status == OVER and process == hooks:
                return
            if process == hooks:
                hooks = start_process(hook_server.run)
            elif (deposit := deposits.pop(process, None)) is not None and status != OVER:
                deposit.say_unshown()
                start_shell_server()
            deaths += status not in {OVER, TIRED}


def start_process(run: Callable[[], NoReturn]) -> int:
    """A copy of this process that runs something to its end."""
    process = os.fork()
    if process:
        return process
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, WAKING)
        run()
    finally:
        os._exit(DIED)


def ended_children() -> Iterator[tuple[int, int]]:
    """The processes that have ended, and how; a signal is a negative number."""
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            yield ended[0], os.waitstatus_to_exitcode(ended[1])


def forget_the_dead() -> None:
    """Remove what readers left behind that were killed, and what has the name of this process."""
    for name in os.listdir():
        process = name.removeprefix(SOCKETS).removeprefix(HOOKS).removeprefix(SHELLS)
        if process != name and process.isdecimal() and not is_another(int(process)):
            forget_reader(process)


def is_another(process: int) -> bool:
    """Whether a process lives that is not this one."""
    try:
        os.kill(process, 0)
    except (OSError, OverflowError):
        return False
    return process != os.getpid()


class HookServer:
    """Answers one event after the other."""

    def __init__(self, listener: socket.socket, hooks: int, lifeline: int, program: str) -> None:
        self._program = program
        self._scripts = asking_scripts(reader_place())
        self._listener = listener
        self._hooks = hooks
        self._lifeline = lifeline
        self._stamp = code_stamp()
        self._rights = rights_of(os.getpid())

    def run(self) -> NoReturn:
        """Answer until nobody holds the lifeline, or it is time for a fresh process."""
        for _ in range(MAX_SERVED):
            ready = select.select([self._listener.fileno(), self._hooks, self._lifeline], [], [])[0]
            if self._lifeline in ready:
                os._exit(OVER)
            signal.setitimer(signal.ITIMER_REAL, READER_TIME_LIMIT)  # whoever asks waits no longer
            size = self._answer_connection() if self._listener.fileno() in ready else self._answer_shell()
            signal.setitimer(signal.ITIMER_REAL, 0)
            os.chdir("/")
            os.dup2(0, 2)
            if size >= LARGE_EVENT_BYTES:
                break
        os._exit(TIRED)

    def _answer_connection(self) -> int:
        """Answer one who connects, if it may ask; how many bytes the event had."""
        connection, _ = self._listener.accept()
        with connection, suppress(OSError, ValueError, IndexError):  # who is gone, or asks in another form
            if self._may_ask(connection):
                connection.sendall(HELLO)
                return answer_hook(connection, self._is_meant)
        return 0

    def _answer_shell(self) -> int:
        """Answer the hook that a shell runs, if it may ask; how many bytes the event had."""
        with suppress(OSError, ValueError):
            process = int(os.read(self._hooks, REQUEST_BYTES))
            answers = answers_of(process, *map(os.fsencode, self._scripts))
            with open(answers, "wb", buffering=0) as answered:
                hook = None
                if rights_of(process) == self._rights and code_stamp() == self._stamp:
                    with suppress(OSError, ValueError):
                        hook = AskingHook(process, self._scripts, self._is_meant)
                if hook is None:
                    answered.write(b"\n")  # it need not wait
                    return 0
                answered.write(hook.withheld())
                size = hook.answer()
                answered.write(b"\n")  # without it, it knows that there is no answer
                return size
        return 0

    def _is_meant(self, theirs: str) -> bool:
        """Whether whoever asks would run this very code: by its stamp, or by the word that starts its program."""
        return theirs == self._stamp or (starts_program(theirs, self._program) and code_stamp() == self._stamp)

    def _may_ask(self, connection: socket.socket) -> bool:
        """Whether it is this user who asks, with no other rights than this process has."""
        if not hasattr(socket, "SO_PEERCRED"):
            return True  # the directory is this user's alone
        peer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, PEER_BYTES)
        process, user = (int.from_bytes(peer[at : at + 4], sys.byteorder) for at in (0, 4))
        return user == os.geteuid() and process > 0 and rights_of(process) == self._rights


class ShellServer:
    """Reads one shell after the other. While one takes long, another process waits for the next."""

    def __init__(self, shells: int, lifeline: int, deposit: Deposit) -> None:
        self._shells = shells
        self._lifeline = lifeline
        self._deposit = deposit
        self._rights = rights_of(os.getpid())
        self._is_replaced = False
        self._parent = os.getppid()

    def run(self) -> NoReturn:
        """Serve until nobody holds the lifeline, another one has taken over, or it is time for a fresh process."""
        os.setsid()  # nobody ends it with the server while it reads
        signal.signal(signal.SIGALRM, lambda *_: self._ask_for_another())
        for _ in range(MAX_SERVED):
            if self._is_replaced or self._lifeline in select.select([self._shells, self._lifeline], [], [])[0]:
                os._exit(OVER)
            with suppress(OSError, ValueError):  # another one was faster, or it is no shell that may be served
                self._serve(int(os.read(self._shells, REQUEST_BYTES)))
            for _ended in ended_children():
                pass  # one that goes on reading what nobody looks at
        os._exit(TIRED)

    def _ask_for_another(self) -> None:
        self._is_replaced = True
        if os.getppid() == self._parent:
            os.kill(self._parent, signal.SIGUSR1)

    def _serve(self, process: int) -> None:
        answers = answers_of(process, os.fsencode(SCRIPT))
        if rights_of(process) != self._rights:
            os.write(answers, b"\n")  # it need not wait
            os.close(answers)
            return
        shell = ServedShell(process, answers)
        self._deposit.put(shell.said, shell.output)
        signal.setitimer(signal.ITIMER_REAL, LONG_COMMAND)
        try:
            shell.serve()
        except Exception:  # noqa: BLE001  # never a traceback: whoever started this says that nothing can be shown
            os._exit(DIED)
        signal.setitimer(signal.ITIMER_REAL, 0)
        self._deposit.clear()
        shell.close()


class ServedShell:
    """What a shell and the process that reads it share: its output as it was, and three pipes."""

    def __init__(self, process: int, answers: int) -> None:
        self._process = os.pidfd_open(process)
        self._answers = answers
        # Where it is a file, what others add to it stays.
        self.output = os.open(f"/proc/{process}/fd/{OUTPUT_AT}", os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        self.said, self._say = os.pipe()
        self._told, self._tell = os.pipe()
        self._done, self._do = os.pipe()
        self._status = b""

    def serve(self) -> None:
        """Read the shell to its end."""
        from overspill.agents.hooks.shell import LifeByPipe, ShellOutput, hook_of_shell, show_shell
        from overspill.cli.main import save_patterns
        from overspill.cli.output import write_text

        facts = self._read_told()
        os.close(self._say)  # the shell has it now; the others it opens when it ends
        if facts is None:
            return
        directory, session, agent, line, *environ = facts
        if environ:
            take_environment(environ)
        os.dup2(self.said, 0)
        os.dup2(self.output, 1)
        hook = hook_of_shell(directory, session, agent if agent in AGENTS else "")
        spoken = ShellOutput(0, LifeByPipe(self._told, self._process, self._status))
        show_shell(hook, spoken, line, write_text)
        save_patterns()

    def _read_told(self) -> list[str] | None:
        """What the shell says of itself: a directory, a session, an agent, what it runs, and its environment.

        None where it did not wait, and is read by a process of its own.
        """
        try:
            os.write(self._answers, b"%d %d %d %d\n" % (os.getpid(), self._say, self._tell, self._done))
        except OSError:
            return None
        told = b""
        while b"\0\0" not in told:
            if self._told not in select.select([self._told, self._process], [], [])[0]:
                return None
            told += os.read(self._told, CHUNK_BYTES)
        told, _, self._status = told.partition(b"\0\0")  # it may have ended by now
        return os.fsdecode(told).split("\0")

    def close(self) -> None:
        """Hold nothing of the shell's any more: that it may end is what it waits for."""
        for stream in range(2):
            os.dup2(2, stream)
        with suppress(OSError, ValueError):
            sys.stdout.flush()  # what could not be written to whoever is gone is for nobody else
        ours = (self._process, self._answers, self.output, self.said, self._told, self._tell, self._done, self._do)
        for descriptor in ours:
            os.close(descriptor)
        os.chdir("/")
        for number in ENDINGS:
            signal.signal(number, signal.SIG_IGN)


class Deposit:
    """Where a process leaves what it reads and writes: if it is killed, another one finds it there."""

    def __init__(self) -> None:
        self._mine, self._theirs = socket.socketpair()
        self._theirs.setblocking(False)

    def put(self, said: int, output: int) -> None:
        socket.send_fds(self._mine, [b"+"], [said, output])

    def take(self) -> tuple[int, int] | None:
        """What was left there, if anything; it is not there any more."""
        try:
            said, output = socket.recv_fds(self._theirs, 1, 2)[1]
        except (BlockingIOError, ValueError):
            return None
        return said, output

    def clear(self) -> None:
        """Leave nothing there."""
        for descriptor in self.take() or ():
            os.close(descriptor)

    def say_unshown(self) -> None:
        """Whoever left something there was killed: that is said, and the shell's command must not fail for it."""
        left = self.take()
        if left is None:
            return
        said, output = left
        if not os.fork():
            signal.pthread_sigmask(signal.SIG_UNBLOCK, WAKING)
            os.dup2(said, 0)
            os.dup2(output, 1)
            os.write(1, UNSHOWN)
            os.dup2(2, 1)
            os.execvp("cat", ["cat"])  # noqa: S606, S607  # all that is needed
        os.close(said)
        os.close(output)


def rights_of(process: int) -> object:
    """What a process may do and see, to be compared; None where it cannot be told."""
    about = f"/proc/{process}"
    try:
        with open(f"{about}/status", encoding="ascii", errors="replace") as status:
            facts = [line for line in status if line.partition(":")[0] in CONFINEMENTS]
        return facts, [os.stat(f"{about}/ns/{name}").st_ino for name in NAMESPACES]
    except OSError:
        return None


def load_all() -> None:
    """Load what looks at events and texts."""
    from overspill.agents.hooks import agent_hooks
    from overspill.api import Overspill
    from overspill.cli.main import read_patterns
    from overspill.store.memory import MemoryStore

    load_patterns_by(read_patterns)
    for name in (
        "overspill.cli.hook",
        "overspill.agents.hooks.shell",
        "overspill.settings.files",
        "overspill.store.files",
    ):
        load_module(name)
    for agent in AGENTS:
        agent_hooks(agent)
    Overspill({}, store=MemoryStore()).fit("all is well\n", tool="execute_command", source="echo all is well")
    gc.collect()
    gc.freeze()  # nobody looks for garbage in what all share
    gc.set_threshold(GARBAGE)  # nor, in a long text, at every few hundred lines


def answer_hook(connection: socket.socket, is_meant: Callable[[str], bool]) -> int:
    """Read what is asked and answer it, unless the code has changed since this process began; how long the event is."""
    from overspill.cli.hook import hook_answer

    size, rights, _, _ = connection.recvmsg(4, socket.CMSG_SPACE(4))
    asked = read_all(connection, int.from_bytes(size, "big"))
    theirs, agent, directory, *environ = asked.split(b"\0")
    for errors in (int.from_bytes(right[2], sys.byteorder) for right in rights):  # a plugin has none to hand over
        os.dup2(errors, 2)
        os.close(errors)
    take_environment(map(os.fsdecode, environ))
    size, _, program = theirs.partition(b":")  # a plugin cannot end what it says, so it says how much that is
    is_plugin = size.isdigit()
    if os.fsdecode(agent) not in AGENTS or not is_meant(os.fsdecode(program if is_plugin else theirs)):
        return 0
    os.chdir(directory)
    sent = read_all(connection, int(size) if is_plugin else MAX_EVENT_BYTES + 1)
    connection.sendall(hook_answer(os.fsdecode(agent), sent).encode() + b"\n")
    return len(sent)


class AskingHook:
    """A hook that a shell runs: its event is where it was to read it, and its answer goes where it was to write it."""

    def __init__(self, process: int, scripts: Iterable[str], is_meant: Callable[[str], bool]) -> None:
        about = f"/proc/{process}"
        with open(f"{about}/cmdline", "rb") as line, open(f"{about}/environ", "rb") as variables:
            said = os.fsdecode(line.read())
            take_environment(os.fsdecode(variables.read()).split("\0"))
        self._agent, program = asking_words(said, scripts)
        if self._agent not in AGENTS or not (program is None or is_meant(program)):
            raise ValueError("no agent, or another program is asked for")
        os.chdir(f"{about}/cwd")
        with suppress(OSError), open(f"{about}/fd/2", "wb") as errors:
            os.dup2(errors.fileno(), 2)
        self._events = os.open(f"{about}/fd/0", os.O_RDONLY | os.O_CLOEXEC)
        self._output = os.open(f"{about}/fd/{OUTPUT_AT}", os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)

    def withheld(self) -> bytes:
        """The answer that the shell gives if this process does not live to give one."""
        from overspill.agents.hooks import agent_hooks

        return in_json(agent_hooks(self._agent).failure_answer({}, DIED_OVER_IT)).encode() + b"\n"

    def answer(self) -> int:
        """Answer the event; how many bytes it had."""
        from overspill.cli.hook import hook_answer

        with open(self._events, "rb") as events, open(self._output, "wb") as output:
            sent = events.read(MAX_EVENT_BYTES + 1)
            output.write(hook_answer(self._agent, sent).encode() + b"\n")
        return len(sent)


def take_environment(entries: Iterable[str]) -> None:
    """Have the environment of another process."""
    os.environ.clear()
    os.environ.update((name, value) for name, _, value in (entry.partition("=") for entry in entries) if name)


def read_all(connection: socket.socket, most: int) -> bytes:
    """What comes, until it ends or is `most` bytes."""
    parts = []
    while most > 0 and (part := connection.recv(min(most, CHUNK_BYTES))):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)
