"""`spill hook AGENT`: one event in, one answer out, and whatever happens the agent goes on."""

from __future__ import annotations

import os
import sys

from overspill._lite import TYPE_CHECKING, in_json, load_module, of_json
from overspill.agents import AGENTS
from overspill.cli.output import note, write_text
from overspill.errors import UsageError

if TYPE_CHECKING:
    from types import ModuleType

    from overspill.agents.hooks.opening import Hook, Json
    from overspill.cli.arguments import CommandCall

MAX_EVENT_BYTES = 1 << 28  # bytes of an event
SORRY = "Output could not be shown: {} in overspill's hook. `spill doctor` may say more."


def run(call: CommandCall) -> int:
    """Answer one event. The status is 0 whatever comes: agents take another one for their own failure."""
    agent = call.argument(0, "the agent")
    if agent == "shell":
        from overspill.agents.hooks.shell import show_shell

        return show_shell(call.text("--in"), call.text("--session") or "", call.text("--while") or "", write_text)
    if agent not in AGENTS:
        raise UsageError(f"no agent {agent[:100]!r}; there are: {', '.join(AGENTS)}")
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("an agent sends its event on standard input; `spill init AGENT` registers the hook with it")
    answer = answer_event(
        load_module(f"overspill.agents.hooks.{agent.replace('-', '_')}"), sys.stdin.buffer.read(MAX_EVENT_BYTES + 1)
    )
    sys.stdout.write(in_json(answer) + "\n")
    return 0


def answer_event(agent: ModuleType, sent: bytes) -> Json:
    """The answer to an event. What cannot be understood is answered with nothing, which changes nothing."""
    if os.environ.get("OVERSPILL") == "off":
        return {}
    try:
        event = of_json(sent.decode())
    except (ValueError, RecursionError) as error:
        note(f"spill: an event that cannot be read: {type(error).__name__}")
        return {}
    if not isinstance(event, dict):
        note("spill: an event that is no object")
        return {}
    hook: Hook = agent.hook_of(event)
    answer: Json
    try:
        answer = agent.answer(event, hook)
    except Exception as error:  # noqa: BLE001  # fail closed: never the full text, never a traceback
        hook.tell(error)
        note(f"spill: {type(error).__name__} in the hook")
        answer = agent.failure_answer(event, SORRY.format(type(error).__name__))
    return answer
