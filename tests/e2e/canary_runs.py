"""A canary in every place of a result, with every agent: in no request of the model, except where no hook is asked.

Each agent runs twice, with us and without. Without us a canary has to arrive, or the place is none of that agent's;
with us what stands beside it has to arrive, and the canary itself in no request at all.
"""

import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple

from e2e.canaries import BEFORE, OUTSIDE, Allowed, Canary, Known, Outcome, RequestLog, canary_outcome, draw_canary
from e2e.model import Asked, Call, Step
from e2e.running import HERE, CouldNotRun, Run, Setting, logged, place_in, proxied, ran
from e2e.scenarios import patience
from e2e.wiring import Agent, Place

FILES = "canaries"
LONG_LINES = 2_500
MIDDLE = 200 * 44  # characters of 200 lines
SERVERS = ("proxied", "bare")
OF_COMMANDS = ("stdout", "stderr", "failing command", "long output", "background", "terminal", "terminal, later")
OF_FILES = ("file", "long file", "search")
OF_SERVERS = {  # places of a server's answers, by the tool that says them; None: no tool is called
    "instructions": None,
    "description": None,
    "log": None,
    "text": "text",
    "long text": "long",
    "structured content": "structured",
    "embedded resource": "embedded",
    "embedded blob": "blob",
    "tool error": "error",
    "protocol error": "refusal",
    "resource": None,
}
PLACES = (*OF_COMMANDS, *OF_FILES, *(f"{server} {place}" for server in SERVERS for place in OF_SERVERS))


class Ways(NamedTuple):
    """What one agent has beside a shell and a way to read files: steps that let a canary come by a place."""

    search: Callable[[str, str], Call] | None = None  # a word, in a file
    resource: Callable[[str, str], Call] | None = None  # of a server, at an address
    background: Callable[[str], Sequence[Step]] = lambda _: ()
    terminal: Callable[[str], Call] | None = None
    terminal_later: Callable[[str], Sequence[Step]] = lambda _: ()
    read: Callable[[str], Step] | None = None  # a short file, where that is asked for in another way than a long one
    known: Known = Known({}, {})


def of_both(place: str) -> list[str]:
    """A place of both servers."""
    return [f"{server} {place}" for server in SERVERS]


def file_of(place: str) -> str:
    return f"{FILES}/{re.sub('[^a-z]+', '-', place)}.txt"


def found(pattern: str, asked: Asked) -> str:
    """What the last result says where the pattern has its group."""
    match = re.search(pattern, asked.results[-1])
    if not match:
        raise LookupError(f"no {pattern!r} in {asked.results[-1][:300]!r}")
    return match[1]


# -- what each agent has -----------------------------------------------------------------------------------------------


def claude_background(command: str) -> list[Step]:
    started = Call("Bash", {"command": command, "description": "Run it", "run_in_background": True})
    held: dict[str, str] = {}

    def look(asked: Asked) -> Call:
        held["task"] = found(r"with ID: (\w+)", asked)
        held["path"] = found(r"written to: (/\S+?)\.?(?:\s|$)", asked)
        return Call("TaskOutput", {"task_id": held["task"], "block": False, "timeout": 3_000})

    def wait(_: Asked) -> Call:
        return Call("TaskOutput", {"task_id": held["task"], "block": True, "timeout": 30_000})

    return [started, look, wait, lambda _: Call("Read", {"file_path": held["path"]})]


def codex_later(command: str, **more: object) -> list[Step]:
    def poll(asked: Asked) -> Call:
        return Call("write_stdin", {"session_id": int(found(r"session ID (\d+)", asked)), "yield_time_ms": 5_000})

    def wait(asked: Asked) -> Call:
        if "session ID" not in asked.results[-1]:
            return Call("exec_command", {"cmd": "true"})
        return Call("write_stdin", {"session_id": int(found(r"session ID (\d+)", asked)), "yield_time_ms": 20_000})

    return [Call("exec_command", {"cmd": command, "yield_time_ms": 1_000, **more}), poll, wait]


def gemini_background(command: str) -> list[Step]:
    held: dict[str, int] = {}

    def look(asked: Asked) -> Call:
        held["pid"] = int(found(r"PID:? (\d+)", asked))
        return Call("read_background_output", {"pid": held["pid"], "delay_ms": 1_000})

    started = {"command": command, "description": "Run it", "is_background": True, "delay_ms": 500}
    return [
        Call("run_shell_command", started),
        look,
        lambda _: Call("read_background_output", {"pid": held["pid"], "delay_ms": 9_000}),
    ]


def copilot_background(command: str) -> list[Step]:
    started = {"command": command, "description": "Run it", "mode": "async", "shellId": "later"}
    reading = [Call("read_bash", {"shellId": "later", "delay": seconds}) for seconds in (2, 10)]
    return [Call("bash", started), *reading]


def qwen_background(command: str) -> list[Step]:
    held: dict[str, str] = {}

    def look(asked: Asked) -> Call:
        held["path"] = found(r"output file: (/[^\n]+)", asked)
        return looked("sleep 1")

    def looked(before: str) -> Call:
        return Call("run_shell_command", {"command": f"{before}; cat '{held['path']}'"})

    waiting = "for second in 1 2 3 4 5 6 7 8 9 10; do sleep 1; done"
    started = {"command": command, "is_background": True}
    return [Call("run_shell_command", started), look, lambda _: looked(waiting)]


def kilo_background(command: str) -> list[Step]:
    held: dict[str, str] = {}

    def look(asked: Asked) -> Call:
        held["id"] = found(r"id: (\w+)", asked)
        return logs(asked)

    def logs(_: Asked) -> Call:
        return Call("background_process", {"action": "logs", "id": held["id"]})

    waiting = Call("bash", {"command": "sleep 10", "description": "Wait"})
    return [Call("background_process", {"action": "start", "command": command}), look, waiting, logs]


def claude_resource(server: str, address: str) -> Call:
    return Call("ReadMcpResourceTool", {"server": server, "uri": address})


def codex_resource(server: str, address: str) -> Call:
    return Call("read_mcp_resource", {"server": server, "uri": address})


UNHOOKED = Allowed(OUTSIDE)
COUNTED = Allowed(BEFORE, "/count_tokens")
# What a server says when it starts is no result, so no agent asks a hook about it.
BARE = {f"bare {place}": UNHOOKED for place in ("instructions", "description")}
BARE_ERRORS = {f"bare {place}": UNHOOKED for place in ("tool error", "protocol error")}
NO_TERMINAL = dict.fromkeys(("terminal", "terminal, later"), "commands have no terminal")
NO_LOG = dict.fromkeys(of_both("log"), "a server's log goes to no model")
ONLY_CONTENT = dict.fromkeys(of_both("structured content"), "the model gets the content alone")
NO_BLOB = dict.fromkeys(of_both("embedded blob"), "bytes are not shown to the model")
NO_BACKGROUND = {"background": "commands do not go on in the background"}
NO_RESOURCE = dict.fromkeys(of_both("resource"), "there is no tool to read one")
NO_INSTRUCTIONS = "the model does not get them"
BY_SHELL = {"search": "it searches by its shell"}

WAYS = {
    "claude-code": Ways(
        resource=claude_resource,
        background=claude_background,
        known=Known(
            NO_TERMINAL | NO_LOG | NO_BLOB | BY_SHELL,
            BARE | BARE_ERRORS | {"long file": COUNTED, "bare long text": COUNTED},
        ),
    ),
    "codex": Ways(
        resource=codex_resource,
        background=codex_later,
        terminal=lambda command: Call("exec_command", {"cmd": command, "tty": True}),
        terminal_later=lambda command: codex_later(command, tty=True),
        known=Known(NO_LOG | BY_SHELL, BARE | BARE_ERRORS | {"terminal, later": UNHOOKED}),
    ),
    "gemini": Ways(
        search=lambda word, file: Call("grep_search", {"pattern": word, "include_pattern": file}),
        resource=lambda _, address: Call("read_mcp_resource", {"uri": address}),
        background=gemini_background,
        known=Known(NO_TERMINAL | NO_LOG | ONLY_CONTENT, BARE),
    ),
    "copilot": Ways(
        search=lambda word, file: Call("grep", {"pattern": word, "glob": file, "output_mode": "content"}),
        background=copilot_background,
        read=lambda path: Call("view", {"path": path}),
        known=Known(
            NO_TERMINAL | NO_LOG | NO_BLOB | NO_RESOURCE | dict.fromkeys(of_both("instructions"), NO_INSTRUCTIONS),
            BARE | BARE_ERRORS,
        ),
    ),
    "opencode": Ways(
        search=lambda word, file: Call("grep", {"pattern": word, "include": os.path.basename(file)}),
        known=Known(
            NO_TERMINAL
            | NO_LOG
            | ONLY_CONTENT
            | NO_BLOB
            | NO_RESOURCE
            | NO_BACKGROUND
            | {"search": "what it searches with is not here"},
            BARE,
        ),
    ),
    "kilo": Ways(
        background=kilo_background,
        search=lambda word, file: Call("grep", {"pattern": word, "include": os.path.basename(file)}),
        known=Known(
            NO_TERMINAL
            | NO_LOG
            | ONLY_CONTENT
            | NO_BLOB
            | NO_RESOURCE
            | {"search": "what it searches with is not here"},
            BARE,
        ),
    ),
    "cline": Ways(
        search=lambda word, _: Call("search_codebase", {"queries": [word]}),
        known=Known(
            NO_TERMINAL
            | NO_LOG
            | NO_BACKGROUND
            | NO_RESOURCE
            | dict.fromkeys(of_both("instructions"), NO_INSTRUCTIONS),
            BARE,
        ),
    ),
    "qwen": Ways(
        background=qwen_background,
        search=lambda word, file: Call("grep_search", {"pattern": word, "glob": os.path.basename(file)}),
        known=Known(
            NO_TERMINAL
            | NO_LOG
            | NO_BLOB
            | NO_RESOURCE
            | dict.fromkeys(of_both("description"), "the model gets names alone, until it asks for more")
            | {"search": "it finds nothing here, without us neither"},
            BARE,
        ),
    ),
    "pi": Ways(
        known=Known(
            NO_TERMINAL
            | NO_BACKGROUND
            | {"search": "the tool is off unless asked for"}
            | {place: "it has no MCP servers" for server_place in OF_SERVERS for place in of_both(server_place)},
            {},
        ),
    ),
}


# -- one run -----------------------------------------------------------------------------------------------------------


def script_of(agent: Agent, canaries: dict[str, Canary]) -> list[Step]:
    """Calls of the agent's tools that bring every canary to it."""
    ways = WAYS[agent.name]
    steps: list[Step] = [
        patience(agent),
        agent.shell(f"cat {file_of('stdout')}"),
        agent.shell(f"cat {file_of('stderr')} >&2"),
        agent.shell(f"cat {file_of('failing command')}; cat {file_of('failing command')} >&2; exit 3"),
        agent.shell(f"cat {file_of('long output')}"),
        *ways.background(f"cat {file_of('background')}; sleep 9; echo over"),
        (ways.read or agent.read)(file_of("file")),
        agent.read(file_of("long file")),
    ]
    if ways.terminal:
        steps.append(ways.terminal(f"cat {file_of('terminal')}"))
        steps += ways.terminal_later(f"sleep 3; cat {file_of('terminal, later')}; sleep 4; echo over")
    if ways.search:
        steps.append(ways.search(f"DB_PASSWORD|{canaries['search'].marker}", file_of("search")))
    for server in () if "bare" in agent.lacks else SERVERS:
        steps += [Call(f"{server}_{tool}", {}) for tool in OF_SERVERS.values() if tool]
        if ways.resource:
            steps.append(ways.resource(server, f"canary://{server}/settings"))
    return steps


def put_canaries(place: Place, canaries: dict[str, Canary]) -> str:
    """Write them where commands and files have them; the path of the file where servers find theirs."""
    for name in (*OF_COMMANDS, *OF_FILES):
        lines = "nothing but a line that makes a text longer\n" * (LONG_LINES if "long" in name else 3)
        text = canaries[name].text
        if "long" in name:
            # Some agents show the beginning of what is long, some its end, and one is asked for what lies between.
            lines = lines[:MIDDLE] + text + lines[MIDDLE:] + text
        place.write(f"./{file_of(name)}", text + lines)
    held = {name: canary._asdict() | {"text": canary.text} for name, canary in canaries.items()}
    place.write("../canaries.json", json.dumps(held))
    return os.path.join(os.path.dirname(place.home), "canaries.json")


def run_canaries(agent: Agent, setting: Setting, place: Place) -> tuple[dict[str, Canary], Run]:
    """One session with fresh canaries."""
    canaries = {name: draw_canary(name) for name in PLACES}
    held = put_canaries(place, canaries)
    commands = {name: [sys.executable, os.path.join(HERE, "canary_server.py"), name, held] for name in SERVERS}
    if setting.with_us:
        commands["proxied"] = proxied(commands["proxied"])
    return canaries, ran(agent, setting._replace(servers=commands), script_of(agent, canaries), place)


def agent_outcomes(agent: Agent, setting: Setting, log: str) -> list[Outcome]:
    """What became of every canary with one agent."""
    arriving = arriving_places(agent, setting, f"{log}-without")
    with place_in(setting.runs, agent.name) as place:
        canaries, run = run_canaries(agent, setting, place)
        requests = RequestLog(run.model.requests)
        outcomes = [
            canary_outcome(canary, requests, arrives=name in arriving, known=WAYS[agent.name].known)
            for name, canary in canaries.items()
        ]
        if run.model.failures or any(outcome.is_failure for outcome in outcomes):
            logged(run, log)
    assert not run.model.failures, "; ".join(run.model.failures)
    return outcomes


def arriving_places(agent: Agent, setting: Setting, log: str) -> set[str]:
    """The places from which a canary reaches the model without us."""
    with place_in(setting.runs, agent.name) as place:
        canaries, run = run_canaries(agent, setting._replace(with_us=False), place)
        requests = RequestLog(run.model.requests)
        found = {name for name, canary in canaries.items() if requests.secret_paths(canary)}
        if set(PLACES) - found - set(WAYS[agent.name].known.absent):
            logged(run, log)
    return found


# -- all of them -------------------------------------------------------------------------------------------------------


def tell_canaries(agents: Sequence[Agent], setting: Setting, logs: str) -> int:
    """Let every agent show its canaries, print what became of them, and say how many failed."""
    table: dict[str, list[Outcome]] = {}
    failed = 0
    for agent in agents:
        try:
            table[agent.name] = agent_outcomes(agent, setting, os.path.join(logs, f"{agent.name}-canaries"))
        except (CouldNotRun, AssertionError) as error:
            print(f"{agent.name:<12} canaries could not be tried: {error}")
            failed += 1
            continue
        for outcome in table[agent.name]:
            print(f"{agent.name:<12} {outcome.place:<28} {outcome.word:<16} {outcome.why}".rstrip(), flush=True)
        failed += sum(outcome.is_failure for outcome in table[agent.name])
    print("\n".join(markdown_table(table)))
    return failed


def markdown_table(table: dict[str, list[Outcome]]) -> list[str]:
    """What became of every canary, a line a place and a column an agent."""
    rows = [f"| place | {' | '.join(table)} |", "|---" * (len(table) + 1) + "|"]
    for number, place in enumerate(PLACES):
        rows.append(f"| {place} | {' | '.join(outcomes[number].word for outcomes in table.values())} |")
    return rows
