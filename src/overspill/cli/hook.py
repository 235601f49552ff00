"""`spill hook AGENT`: one event in, one answer out. Whatever happens the agent goes on, and nothing unseen passes."""

from __future__ import annotations

import os
import sys

from overspill._lite import TYPE_CHECKING, in_json, of_json, suppress
from overspill.agents import AGENTS
from overspill.cli.output import note, write_text
from overspill.core.markers import Wording
from overspill.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from overspill.agents.hooks import AgentHooks, Hook, Json
    from overspill.cli.arguments import CommandCall

MAX_EVENT_BYTES = 1 << 28  # bytes of an event
TIME_LIMIT = 20.0  # seconds; agents lose patience after 30 at the earliest, and then let pass what the tool said
AGAIN = 0.5  # seconds
OUTLINE_CHARS = 65_536
PIPE_BYTES = 65_536
MAX_PLAIN_BYTES = 1 << 22  # bytes of an event that is read here, and not in a process of its own
BEFORE_A_WRITE = (b'"PreToolUse"', b'"BeforeTool"', b'"preToolUse"', b'"toolArgs"')
SORRY = Wording.UNSHOWN.format("{}", "'s hook.")


def run(call: CommandCall) -> int:
    """Answer one event. The status is 0 whatever comes: agents take another one for their own failure."""
    agent = call.argument(0, "the agent")
    if agent == "shell":
        from overspill.agents.hooks.shell import LifeByDirectory, ShellOutput, hook_of_shell, show_shell

        said_by = call.text("--agent")
        hook = hook_of_shell(call.text("--in"), call.text("--session") or "", said_by if said_by in AGENTS else "")
        spoken = ShellOutput(sys.stdin.fileno(), LifeByDirectory(call.text("--while") or ""))
        return show_shell(hook, spoken, os.environ.pop("OVERSPILL_LINE", ""), write_text)
    if agent not in AGENTS:
        raise UsageError(f"no agent {agent[:100]!r}; there are: {', '.join(AGENTS)}")
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("an agent sends its event on standard input; `spill init AGENT` registers the hook with it")
    sent = sys.stdin.buffer.read(MAX_EVENT_BYTES + 1)
    answer = "{}" if needs_no_answer(sent) else answer_in_time(lambda: load_hooks(agent), sent, TIME_LIMIT)
    sys.stdout.write(answer + "\n")
    return 0


def hook_answer(agent: str, sent: bytes) -> str:
    """The answer to an event, found in this very process: it is one that nobody would miss."""
    return "{}" if needs_no_answer(sent) else answer_text(load_hooks(agent), sent)


def needs_no_answer(sent: bytes) -> bool:
    """Whether nothing is to be said, whatever stands in an event."""
    return os.environ.get("OVERSPILL") == "off" or is_plain_write(sent)


def is_plain_write(sent: bytes) -> bool:
    """Whether an event comes before a tool writes, and holds no letters of a mark: then there is nothing to look at.

    It is told without loading what looks at results: most files are written without a mark.

    >>> is_plain_write(b'{"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": {"content": "[1]"}}')
    True
    """
    if len(sent) > MAX_PLAIN_BYTES or not any(word in sent for word in BEFORE_A_WRITE):
        return False
    from overspill.core.mark_grammar import NEEDLES

    if any(needle.encode() in sent for needle in NEEDLES):
        return False
    try:
        event = of_json(sent.decode())
    except (ValueError, RecursionError, MemoryError):
        return False
    if not isinstance(event, dict):
        return False
    name = event.get("hook_event_name") or event.get("hookEventName", "")
    if name == "PreToolUse":
        return event.get("tool_name") != "Bash"  # which may have to run in another form
    is_copilots = not name and "toolArgs" in event and not event.keys() & {"toolResult", "trigger"}
    return name in {"BeforeTool", "preToolUse"} or is_copilots


def load_hooks(agent: str) -> AgentHooks:
    """What answers an agent's events; most events before a write do without."""
    from overspill.agents.hooks import agent_hooks

    return agent_hooks(agent)


def answer_in_time(load: Callable[[], AgentHooks], sent: bytes, seconds: float) -> str:
    """The answer to an event as JSON, whatever becomes of the process that looks for it.

    That is another one than this: a text may take very long, take all memory, or end a library that looks at it. It is
    made before the agent's module is loaded: a small process is soon copied.
    """
    if not hasattr(os, "fork"):
        return answer_text(load(), sent)
    answers, theirs = os.pipe()
    worker = os.fork()
    if not worker:
        _work(load, sent, theirs)
    os.close(theirs)
    answer = _read_until(answers, worker, seconds)
    if answer[-1:] == b"\n":
        return answer[:-1].decode()
    note("spill: the hook was too slow, or died")
    return _withholding_text(load(), sent, f"no answer within {seconds:g} s")


def _work(load: Callable[[], AgentHooks], sent: bytes, answers: int) -> NoReturn:
    """Answer, and end without a word: nothing of what this process was copied from is meant for it."""
    try:
        line = answer_text(load(), sent).encode() + b"\n"
        while line:
            line = line[os.write(answers, line) :]
        os.close(answers)
        from overspill.cli.main import save_patterns

        save_patterns()
    finally:
        os._exit(0)


def _read_until(answers: int, worker: int, seconds: float) -> bytes:
    """What the other process says; when the time is over it is ended."""
    import _signal as signal  # type: ignore[import-not-found]  # the same without its enumerations, which take long

    def end_worker(*_: object) -> None:
        with suppress(OSError):
            os.kill(worker, signal.SIGKILL)

    before = signal.signal(signal.SIGALRM, end_worker)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)  # a signal just before we begin to read does not wake us
    said = []
    while piece := os.read(answers, PIPE_BYTES):
        said.append(piece)
    os.close(answers)
    os.waitpid(worker, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)
    return b"".join(said)


def answer_text(agent: AgentHooks, sent: bytes) -> str:
    """The answer to an event as JSON."""
    answer = answer_event(agent, sent)
    try:
        return in_json(answer)
    except (ValueError, RecursionError) as error:
        return _withholding_text(agent, sent, type(error).__name__)


def answer_event(agent: AgentHooks, sent: bytes) -> Json:
    """The answer to an event. The result of one that cannot be read is withheld."""
    if os.environ.get("OVERSPILL") == "off":
        return {}
    try:
        event = of_json(sent.decode())
    except (ValueError, RecursionError, MemoryError):
        event = None
    if not isinstance(event, dict):
        note("spill: an event that cannot be read")
        return withholding_answer(agent, {}, sent, "an event that cannot be read")
    hook: Hook | None = None
    answer: Json
    try:
        hook = agent.hook_of(event)
        answer = agent.answer(event, hook)
    except Exception as error:  # noqa: BLE001  # fail closed: never the full text, never a traceback
        with suppress(Exception):
            note(f"spill: {type(error).__name__} in the hook")
            if hook is not None:
                hook.tell(error)
        answer = withholding_answer(agent, event, sent, type(error).__name__)
    return answer


def withholding_answer(agent: AgentHooks, event: Json, sent: bytes, why: str) -> Json:
    """The answer that shows a sentence in the place of a result; of an event that is not known, by its outline."""
    answer: Json
    try:
        answer = agent.failure_answer(event or event_outline(sent), SORRY.format(why))
    except (TypeError, ValueError, RecursionError, MemoryError):
        answer = agent.failure_answer(event_outline(sent), SORRY.format(why))
    return answer


def _withholding_text(agent: AgentHooks, sent: bytes, why: str) -> str:
    return in_json(withholding_answer(agent, {}, sent, why))


def event_outline(sent: bytes) -> Json:
    """The texts that an event begins with, by name, of what may be no JSON as a whole: which event, and which tool.

    Only what stands in the event itself counts, not what stands in a result.

    >>> event_outline(b'{"hook_event_name": "PostToolUse", "a": {"tool_name": "x"}, "tool_name": "Bash", "b": [[[[')
    {'hook_event_name': 'PostToolUse', 'tool_name': 'Bash'}
    """
    from overspill._lite import compile_pattern

    text = sent[:OUTLINE_CHARS].decode("utf-8", "replace")
    found: Json = {}
    depth, name = 0, ""
    for token in compile_pattern(r'"(?:[^"\\]|\\[\s\S])*+(?:"\s*(:?)|\\?\Z)|[{}\[\]]').finditer(text):
        said = token[0]
        if said[0] in "{[":
            depth += 1
        elif said[0] in "}]":
            depth -= 1
        elif depth == 1 and token[1]:
            name = said[1:].partition('"')[0]
            continue
        elif depth == 1 and name:
            found.setdefault(name, said.rpartition('"')[0][1:])
        name = ""
    return found
