"""A shell whose output is fitted: `overspill.sh` is put before a command, and starts `spill hook shell`.

That reads what the shell says until it ends, and shows what fits, whether the command fails or not.

An agent moves a command that takes long, or never ends, into the background and looks at its output now and
then. Where that is a file, it finds the newest lines there, and when the command ends, the view takes their
place. Where it is a pipe, what is written stays written: so now and then it gets the newest lines, and no others.
"""

from __future__ import annotations

import os
import select
import signal
import stat
import sys
import time

from overspill._lite import TYPE_CHECKING, suppress
from overspill.agents.hooks import Hook, is_own_command
from overspill.core.markers import Wording
from overspill.files import cache_directory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "overspill.sh")
ASKING_NAME = "ask.sh"
ASKING_SCRIPT = os.path.join(os.path.dirname(SCRIPT), ASKING_NAME)
LABEL_WIDTH = 80
ANSWERS_AT = 7  # the descriptor of a shell by which it waits for the answer of a reader

EVERY = 1.0  # seconds between two looks at a file
FIRST_SIGN = 8.0  # in a pipe; every further one takes twice as long
IN_A_FILE, IN_A_PIPE = 4_000, 1_500  # characters
MOST_BEFORE = 5_000  # characters of signs that may stand before a view in a pipe
SIGN = Wording.RUNNING + "\n"
SIGN_BEGINS, SIGN_ENDS = SIGN.partition("{")[0], SIGN.rpartition("}")[2]
UNREAD = 1 << 20  # bytes: most commands are over before anybody needs to know what they say meanwhile

TOOL = "execute_command"
STATUS = "status"  # the file in which the shell says how it ended
STATUS_DESCRIPTOR, STATUS_BYTES = 7, 8  # opened by the shell: it removes the file when it ends
PIPE_CHUNK_BYTES = 1 << 16
GLANCE = 0.05  # how often it is looked whether the shell is still there
AT_THE_LATEST = 1.0  # a process that was left behind may say something once the shell has ended, but not for ever


def rewritten_command(command: str, hook: Hook) -> str | None:
    """The command after the line that begins reading; None where it must run as it is."""
    line = opening_line(hook)
    is_left_alone = not command.strip() or SCRIPT in command or is_own_command(command)
    return None if not line or is_left_alone else f"{line}\n{command}"


def opening_line(hook: Hook) -> str:
    """The line that a shell begins with; empty where it would not find this program."""
    program = own_path()
    words = [SCRIPT, os.getcwd(), hook.session or "-", program, hook.agent or "-", cache_directory(os.environ) or "-"]
    return f". {' '.join(map(shell_word, words))}" if program else ""


def write_opening_line(file: str, hook: Hook) -> None:
    """Let every shell that begins with `file` be read. Twice is once."""
    line = opening_line(hook)
    if not file or not line:
        return
    with open(file, "a+", encoding="utf-8") as lines:
        lines.seek(0)
        if line not in lines.read().splitlines():
            lines.write(f"{line}\n")


# What Claude Code puts around a command. Nothing of it says anything, whoever wrote it.
BEFORE = (
    ":",
    "shopt -u extglob 2>/dev/null || true",
    "setopt NO_EXTENDED_GLOB 2>/dev/null || true",
    "setopt NO_EXTENDED_GLOB NO_BARE_GLOB_QUAL 2>/dev/null || true",
    "{ shopt -u extglob || setopt NO_EXTENDED_GLOB NO_BARE_GLOB_QUAL; } >/dev/null 2>&1 || true",
)
AFTER = ("' < /dev/null && pwd -P >| ", "' && pwd -P >| ")


def command_of(line: str) -> str:
    r"""The command that a shell was asked to run after our line, without what an agent puts around it.

    >>> command_of(". /x/overspill.sh /srv/app 7 /bin/spill\nspill artifacts list")
    'spill artifacts list'
    >>> command_of(". /x/overspill.sh /p s\n: && eval 'spill artifacts list' < /dev/null && pwd -P >| /t/cwd")
    'spill artifacts list'
    """
    command = line.partition("overspill.sh")[2].partition("\n")[2]
    before, _, rest = command.partition("eval '")
    *parts, last = before.split(" && ")
    for after in AFTER:
        inside, mark, cwd = rest.partition(after)
        if mark and not last and all(part in BEFORE for part in parts) and "'" not in inside and shell_word(cwd) == cwd:
            return inside
    return command


def label_of(line: str) -> str:
    r"""What a shell was asked to run, to be known by: the first line of the command itself.

    >>> label_of("source snapshot.sh && . /x/overspill.sh /p s\n: && eval 'make test' < /dev/null && pwd -P >| /t/cwd")
    'make test'
    >>> label_of(". /x/overspill.sh /srv/app 7\nmake test \\\n  && echo done")
    'make test'
    """
    first = next(iter(command_in(line).strip().splitlines()), "").rstrip("\\ ")
    return "".join(character if character.isprintable() else " " for character in first)[:LABEL_WIDTH]


def command_in(line: str) -> str:
    r"""All of what a shell was asked to run, as near as it can be told: to be known by, not to be run.

    >>> command_in(". /x/overspill.sh /p s\n: && eval 'echo '\"'\"'a'\"'\"'' < /dev/null && pwd -P >| /t/cwd")
    "echo 'a'"
    """
    _, mark, after = line.partition("eval '")
    command = after.rpartition("' < /dev/null")[0].replace("'\"'\"'", "'").replace("'\\''", "'") if mark else ""
    return command or line.partition("overspill.sh")[2].partition("\n")[2] or line


def own_program() -> str:
    """This very program as a shell finds it: by name, if that is what it finds first; empty if it finds none."""
    mine = own_path()
    by_name = os.path.realpath(first_on_path()) == os.path.realpath(mine)
    # With a relative place on the PATH, the name means something else in every directory.
    return "spill" if mine and by_name and all(map(os.path.isabs, os.get_exec_path())) else mine


def own_path() -> str:
    """Where this very program is: a login shell may look for it elsewhere than we do. Empty if it cannot run."""
    mine, ours = os.path.abspath(sys.argv[0]), ("spill", "acode")
    if os.path.basename(mine) in ours and _is_executable(mine):
        return mine
    first = first_on_path()  # we were run as a module
    folder = os.path.dirname(os.path.realpath(first))
    beside = folder == os.path.realpath(os.path.dirname(sys.executable))
    inside = os.path.join(folder, "").startswith(os.path.join(os.path.realpath(os.getcwd()), ""))
    # A program of the project we are in is not ours because it has our name.
    return first if os.path.isabs(first) and (beside or not inside) else ""


def first_on_path(name: str = "spill") -> str:
    """Which program a name starts; empty if none."""
    return next(filter(_is_executable, (os.path.join(place, name) for place in os.get_exec_path())), "")


def starts_program(word: str, program: str) -> bool:
    """Whether a word starts a program here."""
    found = word if os.path.isabs(word) else first_on_path(word) if os.path.basename(word) == word else ""
    return bool(found and program) and os.path.realpath(found) == os.path.realpath(program)


def asking_scripts(place: str | None) -> tuple[str, ...]:
    """Under which names shells run the script that asks a reader: as it was installed, and where a reader put it."""
    return (ASKING_SCRIPT, os.path.join(place, ASKING_NAME)) if place else (ASKING_SCRIPT,)


def asking_words(line: str, scripts: Iterable[str]) -> tuple[str, str | None]:
    r"""For which agent the words of a shell ask a reader, and instead of which program; None: of this very one.

    >>> asking_words("bash\0/c/overspill/ask.sh\0copilot\0spill\0", asking_scripts("/c/overspill"))
    ('copilot', 'spill')
    >>> asking_words(f"sh\0-c\0[ -r x ] && . {ASKING_SCRIPT} codex || spill hook codex\0", [ASKING_SCRIPT])
    ('codex', None)
    """
    script = next(script for script in scripts if script in line)
    agent, program = [*line.rpartition(script)[2].replace("'", " ").replace("\0", " ").split(), "", ""][:2]
    return agent, None if script == ASKING_SCRIPT else program


def answers_of(process: int, *scripts: bytes) -> int:
    """The pipe by which a shell that runs a script waits for an answer, if the process is one, and this user's."""
    with open(f"/proc/{process}/cmdline", "rb") as line:
        said = line.read()
        if not any(script in said for script in scripts) or os.fstat(line.fileno()).st_uid != os.geteuid():
            raise ValueError("no shell that asks for us")
    answers = os.open(f"/proc/{process}/fd/{ANSWERS_AT}", os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISFIFO(os.fstat(answers).st_mode):
        os.close(answers)
        raise ValueError("no pipe")
    return answers


def put_asking_script() -> None:
    """Put the script that asks a reader into the working directory, where hooks of every project find it.

    It is run by bash, so where there is none, hooks go on without it.
    """
    if not first_on_path("bash"):
        return
    with open(ASKING_SCRIPT, "rb") as script:
        text = script.read()
    with suppress(OSError), open(ASKING_NAME, "rb") as there:
        if there.read() == text:
            return
    fresh = f"{ASKING_NAME}.{os.getpid()}.new"
    with suppress(OSError):
        with open(fresh, "wb") as file:
            file.write(text)
        os.replace(fresh, ASKING_NAME)


def _is_executable(path: str) -> bool:
    return os.access(path, os.X_OK) and os.path.isfile(path)


def shell_word(word: str) -> str:
    r"""A word for a shell.

    >>> print(shell_word("it's"), shell_word("/srv/app"))
    'it'\''s' /srv/app
    """
    if word and all(character.isalnum() or character in "/._-" for character in word) and word.isascii():
        return word
    return "'" + word.replace("'", "'\\''") + "'"


class Meanwhile:
    """Shows something of an output to whoever looks before it is complete."""

    def __init__(self, hook: Hook, output: int) -> None:
        self._output = output
        found = os.fstat(output)
        self._is_file = stat.S_ISREG(found.st_mode)
        self._start = found.st_size
        self._pause = EVERY if self._is_file else FIRST_SIGN
        self._next = time.monotonic() + self._pause
        self._unread = bytearray()
        self._newest = NewestLines(hook, IN_A_FILE if self._is_file else IN_A_PIPE)
        self._lines = 0
        self._shown = 0

    def watched_chunks(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """Chunks of an output, unchanged; now and then the newest lines are shown as they pass."""
        for chunk in chunks:
            self._lines += chunk.count(b"\n")
            self._unread += chunk
            if len(self._unread) > UNREAD:
                self._read()
            if time.monotonic() >= self._next:
                self.show()
            if chunk:
                yield chunk

    def show(self) -> None:
        """Say how far it is, if it is any further."""
        self._next = time.monotonic() + self._pause
        if self._shown == self._lines:
            return
        self._shown = self._lines
        self._read()
        self.take_back()
        newest = self._newest.text()
        if self._is_file:
            self._write(SIGN.format(self._lines, "the newest of them") + newest)
        else:
            # The sign comes last, so that the view begins where it ends.
            self._write(newest + "\n" * (newest[-1:] != "\n") + SIGN.format(self._lines, "above the newest"))
            self._pause *= 2
            self._newest.forget()

    def take_back(self) -> None:
        """Let the view stand where the newest lines stood."""
        if self._is_file and os.fstat(self._output).st_size > self._start:
            os.ftruncate(self._output, self._start)
            os.lseek(self._output, self._start, os.SEEK_SET)

    def _read(self) -> None:
        self._newest.feed(bytes(self._unread))
        self._unread.clear()

    def _write(self, text: str) -> None:
        os.write(self._output, text.encode("utf-8", "replace"))


def before_the_view(text: str) -> str:
    r"""The signs of life with which the output of a command begins.

    >>> before_the_view("a\n[still running, 1 lines so far; above the newest, what fits is shown at the end]\nb")
    'a\n[still running, 1 lines so far; above the newest, what fits is shown at the end]\n'
    >>> before_the_view("stopped\n")
    ''
    """
    before, sign, after = text[:MOST_BEFORE].rpartition(SIGN_BEGINS)
    number, ended, _ = after.partition(SIGN_ENDS)
    return before + sign + number + ended if sign and ended and "\n" not in number else ""


class NewestLines:
    """The last lines of what it is fed, without secrets."""

    def __init__(self, hook: Hook, most: int) -> None:
        self._hook = hook
        self._most = most
        self._text = ""
        self._passed: Callable[[bytes | None], bytes] | None = None

    def feed(self, chunk: bytes) -> None:
        if self._passed is None:
            from overspill.redact.redactor import redacted_bytes

            self._passed = redacted_bytes(self._hook.spill.workspace.redactor)
        self._text = (self._text + self._passed(chunk).decode("utf-8", "replace"))[-self._most :]

    def text(self) -> str:
        """As many whole lines as are shown."""
        return self._text if len(self._text) < self._most else self._text.partition("\n")[2]

    def forget(self) -> None:
        """Begin anew: these were shown."""
        self._text = ""


def show_shell(hook: Hook, spoken: ShellOutput, line: str, write: Callable[[str], None]) -> int:
    """Show what fits of what the shell says. Whoever ends the shell does not end this: somebody is waiting for it."""
    meanwhile = Meanwhile(hook, sys.stdout.fileno())
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, lambda *_: meanwhile.show())  # what comes next may not leave the time to show it
    if is_own_command(command_of(line)):
        pass_on(spoken)  # what is fetched was fitted before
    else:
        hook.note_call(command=command_in(line))
        chunks = noted_chunks(hook, meanwhile.watched_chunks(spoken.chunks()), spoken)
        fitted = hook.fit(chunks, TOOL, source=label_of(line))
        with suppress(BrokenPipeError):
            meanwhile.take_back()
            write(fitted.text)
    spoken.life.tidy_up()
    if spoken.unfinished:
        drain(spoken.pipe)
    return 0


def hook_of_shell(directory: str | None, session: str, agent: str) -> Hook:
    """What a shell's output is shown with; `-` stands for a session that nobody named."""
    return Hook(directory, "" if session == "-" else session, agent, "shell")


def noted_chunks(hook: Hook, chunks: Iterator[bytes], spoken: ShellOutput) -> Iterator[bytes]:
    """What is said, unchanged; when it is over, the journal is to know whether the command failed."""
    yield from chunks
    hook.note_call(failed=spoken.life.status not in {"", "0"})


class ShellOutput:
    """What comes through the pipe of a shell, until nobody holds it any more or the shell is over."""

    def __init__(self, pipe: int, life: LifeByDirectory | LifeByPipe) -> None:
        self.pipe = pipe
        self.life = life
        self._next_look = 0.0
        self.unfinished = False

    def chunks(self) -> Iterator[bytes]:
        """What is said, as it comes; an empty chunk where there is nothing new."""
        deadline = None
        while deadline is None or time.monotonic() < deadline:
            ready, _, _ = select.select([self.pipe], [], [], GLANCE)
            if ready:
                chunk = os.read(self.pipe, PIPE_CHUNK_BYTES)
                if not chunk:
                    return
                yield chunk
            elif deadline is not None:
                break
            else:
                yield b""
            if deadline is None and self._is_over():
                deadline = time.monotonic() + AT_THE_LATEST
        self.unfinished = True

    def _is_over(self) -> bool:
        """Whether the shell has ended. It is not looked for more often than somebody could tell the difference."""
        now = time.monotonic()
        if now < self._next_look:
            return False
        self._next_look = now + GLANCE
        return self.life.is_over()


class LifeByDirectory:
    """A shell is there while a directory of its own is, in which it says how it ended."""

    def __init__(self, place: str) -> None:
        self._place = place

    @property
    def status(self) -> str:
        """With which status the command ended; empty while it runs, and where nobody could say."""
        with suppress(OSError):
            return os.pread(STATUS_DESCRIPTOR, STATUS_BYTES, 0).decode("ascii", "replace").strip()
        return ""

    def is_over(self) -> bool:
        return not os.path.exists(self._place)

    def tidy_up(self) -> None:
        """Remove the pipe, for a shell that was killed and cannot."""
        with suppress(OSError):
            os.unlink(os.path.join(self._place, "out"))
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(self._place, STATUS))
            os.rmdir(self._place)


class LifeByPipe:
    """A shell is there while its process is, or until it says by a pipe how it ended."""

    def __init__(self, told: int, process: int, status: bytes = b"") -> None:
        os.set_blocking(told, False)
        self._told = told
        self._status = status
        self._process = process  # a descriptor of it

    @property
    def status(self) -> str:
        """With which status the command ended; empty while it runs, and where nobody could say."""
        with suppress(OSError):
            self._status += os.read(self._told, STATUS_BYTES)
        return self._status.decode("ascii", "replace").strip()

    def is_over(self) -> bool:
        return bool(self._status or select.select([self._told, self._process], [], [], 0)[0])

    def tidy_up(self) -> None:
        """Nothing is left behind by a pipe without a name."""


def pass_on(spoken: ShellOutput) -> None:
    """Show what is said as it comes."""
    with suppress(BrokenPipeError):
        for chunk in spoken.chunks():
            sys.stdout.buffer.write(chunk)
            sys.stdout.buffer.flush()


def drain(pipe: int) -> None:
    """Let a process that was left behind go on talking: a pipe that nobody reads would end it."""
    if os.fork():
        return
    os.setsid()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.dup2(pipe, 0)
    os.execvp("cat", ["cat"])  # noqa: S606, S607  # smaller than this process, and all that is needed
