"""Puts `overspill.sh` before a command, so that its output fits whether it fails or not."""

from __future__ import annotations

import os
import stat
import sys

from overspill._lite import TYPE_CHECKING, suppress
from overspill.agents.hooks import is_own_command
from overspill.files import cache_directory

if TYPE_CHECKING:
    from collections.abc import Iterable

    from overspill.agents.hooks import Hook

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "overspill.sh")
ASKING_NAME = "ask.sh"
ASKING_SCRIPT = os.path.join(os.path.dirname(SCRIPT), ASKING_NAME)
LABEL_WIDTH = 80
ANSWERS_AT = 7  # the descriptor of a shell by which it waits for the answer of a reader


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
