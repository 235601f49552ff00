"""What `spill stats` says of a session, beside what the model received: with us, and without.

    python -m e2e.agents --scenario figures

Every result is compared: *shown* with what reached the model, to the character; *host* with what reached it without us.
"""

import json
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from e2e.model import Call, Step
from e2e.running import CouldNotRun, Run, Setting, logged, place_in, ran
from e2e.wiring import AGENTS, Agent, Json
from overspill._lite import in_json
from overspill.journal.calls import PATH_CHARS, CallRow, call_rows
from overspill.journal.statistics import FIT_EVENTS
from overspill.mcp.server import INSTRUCTIONS
from overspill.retrieve.tools import TOOLS

# Sizes on both sides of every limit in `journal/calls.py`, and statuses.
COMMANDS = (
    (1_000, 0),
    (9_000, 3),
    (9_500, 0),
    (12_000, 3),
    (20_000, 0),
    (29_000, 0),
    (45_000, 0),
    (300_000, 0),
    (300_000, 3),
)
PATH = re.compile(r"(?<= )/\S+/(?:tool-results|tool-outputs|tool-output|tmp)/[^\s\]]+")
SLACK = 150  # characters: what is cut at the end of a line, and the digits of what was left out

SCHEMAS = ("input_schema", "parameters", "parametersJsonSchema", "inputSchema")
ADDED_PARAMETERS = ("wait_for_previous",)  # by Gemini CLI, to every tool

TRIMMED = {"claude-code": 1}  # the last line end

# What each agent puts around every result, long or short.
FRAMES: dict[str, Sequence[re.Pattern[str]]] = {
    "claude-code": (
        re.compile(r"\AExit code \d+\n?|\A\(Bash completed with no output\)\Z"),
        re.compile(r"^ *\d+\t", re.MULTILINE),
    ),
    "codex": (re.compile(r"\A(?:[^\n]*\n){0,5}?Output:\n"),),
    "gemini": (re.compile(r"\A<untrusted_context>\n|\n</untrusted_context>\Z"),),
    "copilot": (re.compile(r"\n?<shellId: [^\n>]*>\s*\Z"),),
    "opencode": (),
    "kilo": (),
    "qwen": (),
    "cline": (
        re.compile(r'\A\[\{"query":"[^"]*","result":"|",(?:"error":"[^"]*",)?"success":(?:true|false)\}\]\Z'),
        re.compile(r'\A(?:\{"content":)?\[\{"type":"text","text":"|"\}\](?:,"isError":false\})?\Z'),
    ),
    "pi": (re.compile(r"\n\nCommand exited with code \d+\Z"),),
}


class FigureRow(NamedTuple):
    """One result: what the figures say, and what is true."""

    label: str
    row: CallRow | None
    shown: int  # characters at the model with us
    native: int  # characters at the model without us
    trimmed: int = 0  # characters that the agent takes from the end of every result

    @property
    def is_shown_right(self) -> bool:
        return self.row is not None and 0 <= self.row.chars.shown - self.shown <= self.trimmed

    @property
    def is_host_right(self) -> bool:
        """Whether the figure is what came without us, or says that it is not known."""
        if self.row is None:
            return False
        host = self.row.chars.host
        return host is None or abs(host - self.native) <= (self.trimmed if host == self.row.chars.said else SLACK)


class OursRow(NamedTuple):
    """What our tools take of the context: what the figures say, and what is true."""

    told: int
    received: int

    @property
    def is_right(self) -> bool:
        return self.told == self.received


def steps_of(agent: Agent) -> list[tuple[str, Step]]:
    """What is asked, and what each is called in the table."""
    commands = [
        (
            f"command {size:,}" + (f", status {status}" if status else ""),
            agent.shell(f"python3 plain.py {size} {status}"),
        )
        for size, status in COMMANDS
    ]
    return [
        ("nothing", agent.shell("sleep 3")),
        *commands,
        ("file", agent.read("plain.txt")),
        *([] if "bare" in agent.lacks else [("server", Call("plain", {}))]),
    ]


PLAIN = """import sys
size, status = int(sys.argv[1]), int(sys.argv[2])
print("\\n".join(f"{number:06} the block was written to the disk and read back again" for number in range(size // 61)))
sys.exit(status)
"""


def compared_figures(agent: Agent, setting: Setting, log: str) -> tuple[list[FigureRow], OursRow]:
    """Each result of a session, and what is ours, as the figures have it and as it was."""
    steps = steps_of(agent)
    native = session_of(agent, setting._replace(with_us=False, proxied=False), steps, log + "-native")[0]
    ours, rows = session_of(agent, setting, steps, log)
    calls = [row for row in rows if row.event in FIT_EVENTS]
    if len(calls) != len(steps):
        raise AssertionError(f"{len(calls)} results are counted, and there were {len(steps)}")
    told = sum(row.chars.ours for row in rows)
    return [
        FigureRow(
            label,
            row,
            len(without_frame(agent.name, with_us)),
            native_chars(agent.name, without_us),
            TRIMMED.get(agent.name, 0),
        )
        for (label, _), row, with_us, without_us in zip(steps, calls, ours.results, native.results, strict=True)
    ], OursRow(told, received_chars(ours.model.turns[-1].body))


def received_chars(body: Json) -> int:
    """The characters of the first request that are ours: descriptions of tools as we hand them over, and instructions.

    An agent puts its own names around those of tools and servers, and Gemini CLI a parameter into every tool: those are
    in no column, as what an agent puts around results is in none.
    """
    known = {tool.name for tool in TOOLS}
    servers: dict[str, list[Json]] = {}
    for path, tool in described_tools(body.get("tools")):
        name = next((name for name in known if str(tool["name"]).endswith(name)), "")
        if name:
            schema = next(tool[key] for key in SCHEMAS if key in tool)
            own = {key: value for key, value in schema["properties"].items() if key not in ADDED_PARAMETERS}
            plain = {"name": name, "description": tool["description"], "inputSchema": {**schema, "properties": own}}
            servers.setdefault(path + str(tool["name"]).removesuffix(name), []).append(plain)
    instructions = json.dumps(body, ensure_ascii=False).count(json.dumps(INSTRUCTIONS, ensure_ascii=False)[1:-1])
    return sum(len(in_json(tools)) for tools in servers.values()) + instructions * len(INSTRUCTIONS)


def described_tools(value: object, path: str = "") -> Iterator[tuple[str, Json]]:
    """The descriptions of tools in a request, each with where it stands, as far as that tells servers apart."""
    if isinstance(value, dict):
        if "description" in value and any(key in value for key in SCHEMAS):
            yield path, value
            return
        inner = f"{path}/{value.get('name', '')}"
        for part in value.values():
            yield from described_tools(part, inner)
    elif isinstance(value, list):
        for part in value:
            yield from described_tools(part, path)


def session_of(agent: Agent, setting: Setting, steps: list[tuple[str, Step]], log: str) -> tuple[Run, list[CallRow]]:
    """A session, and the rows of its journal."""
    with place_in(setting.runs, agent.name) as place:
        place.write("./plain.py", PLAIN)
        place.write("./plain.txt", "".join(f"line {number} of the file, with words in it\n" for number in range(3_000)))
        run = ran(agent, setting, [call for _, call in steps], place)
        logged(run, log)
        if run.model.failures or len(run.results) != len(steps):
            raise CouldNotRun(f"{len(run.results)} of {len(steps)} results: {run.model.failures}")
        return run, list(call_rows(os.path.join(place.project, ".acode", "logs")))


def without_frame(agent: str, text: str) -> str:
    """A result without what the agent puts around each."""
    for frame in FRAMES[agent]:
        text = frame.sub("", text)
    return AGENTS[agent].plain(text)


def native_chars(agent: str, text: str) -> int:
    """The size of a result, every path in what the agent says of it as long as the table takes it to be."""
    return len(PATH.sub("p" * PATH_CHARS, without_frame(agent, text)))


def tell_figures(agents: Sequence[Agent], setting: Setting, logs: str) -> int:
    """Print the table; how many figures are wrong."""
    wrong = 0
    print(f"{'agent':<12} {'result':<26} {'said':>9} {'host':>9} {'native':>9} {'shown':>9} {'model':>9}  (characters)")
    for agent in agents:
        log = os.path.join(logs, f"{agent.name}-figures")
        try:
            rows, ours = compared_figures(agent, setting, log)
        except (CouldNotRun, AssertionError) as error:
            print(f"{agent.name:<12} FAILED: {error}")
            wrong += 1
            continue
        for row in rows:
            print(f"{agent.name:<12} {figure_line(row)}", flush=True)
        verdict = "" if ours.is_right else "  OURS IS WRONG"
        print(f"{agent.name:<12} {'ours, told and received':<26} {ours.told:>9,} {ours.received:>9,}{verdict}")
        failed = sum(not (row.is_shown_right and row.is_host_right) for row in rows) + (not ours.is_right)
        wrong += failed
        for folder in () if failed else (log, f"{log}-native"):
            shutil.rmtree(folder, ignore_errors=True)
    return wrong


def figure_line(row: FigureRow) -> str:
    """One line of the table."""
    told = row.row
    assert told is not None
    host = "n/a" if told.chars.host is None else f"{told.chars.host:,}"
    verdict = "" if row.is_shown_right else "  SHOWN IS WRONG"
    verdict += "" if row.is_host_right else "  HOST IS WRONG"
    figures = f"{told.chars.said:>9,} {host:>9} {row.native:>9,} {told.chars.shown:>9,} {row.shown:>9,}"
    return f"{row.label:<26} {figures}{verdict}"
