"""The ways of five calls through the house, traced: which modules they enter, and how often they change between them.

    python tools/walks.py [--package src/overspill] [--json] [--way] [NAME...]
    python tools/walks.py --loaded

Each walk has a process of its own, with warm caches: it is walked twice, and the second time is counted. Doors are
entered by public names (`python -m overspill`, `overspill.Overspill`), so that any version of the tree can be walked.
`--way` adds the modules in the order in which they are first entered; `--loaded` only counts modules that are loaded.

A process that a walk forks off is a part of it: the hook looks at an event in one.

What is left out: what modules and classes do when they are defined, and the constructors of named tuples and errors.
Comprehensions are calls up to Python 3.11 and not after it: compare walks of one Python.
"""

import _signal  # type: ignore[import-not-found]  # where the hook takes its timer from
import inspect
import json
import os
import runpy
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import NamedTuple, NoReturn

PACKAGE = Path(__file__).parent.parent / "src" / "overspill"
DEFINING = "<module>"  # a module or a class is being defined


class Entry(NamedTuple):
    """A call of a function of ours."""

    module: str
    function: str
    caller: str  # the module of the nearest function of ours below it
    again: bool  # its module has already called another, and is waiting for it


class Traces(NamedTuple):
    """What one process wrote down."""

    threads: list[list[Entry]]
    loaded: dict[str, bool]  # modules of the package; whether each is a file at its root

    @classmethod
    def of_json(cls, text: str) -> "Traces":
        threads, loaded = json.loads(text)
        return cls([[Entry(*entry) for entry in thread] for thread in threads], loaded)


class Tracer:
    """Writes down every call of a function of the package, thread by thread."""

    def __init__(self, package: str) -> None:
        self.package = package
        self.threads: list[list[Entry]] = []
        self._local = threading.local()
        self._modules: dict[CodeType, str] = {}

    def start(self) -> None:
        threading.setprofile(self)
        sys.setprofile(self)

    def stop(self) -> None:
        sys.setprofile(None)
        threading.setprofile(None)

    def forget(self) -> None:
        """Begin anew, in a process that was copied from this one."""
        self.threads.clear()
        self._local = threading.local()

    def traces(self) -> Traces:
        loaded = modules_of(self.package).items()
        return Traces(self.threads, {name: "." not in name and not _is_package(module) for name, module in loaded})

    def __call__(self, frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and (module := self._module(frame)) and module != DEFINING:
            below = list(filter(None, map(self._module, _below(frame))))
            if DEFINING not in below:
                self._entries().append(_entry(module, frame.f_code.co_qualname, below))

    def _entries(self) -> list[Entry]:
        if not hasattr(self._local, "entries"):
            self._local.entries = []
            self.threads.append(self._local.entries)
        entries: list[Entry] = self._local.entries
        return entries

    def _module(self, frame: FrameType) -> str:
        """Whose function it is; nothing where it is nobody's of ours or does not count."""
        code = frame.f_code
        if code not in self._modules:
            self._modules[code] = self._home(code, frame.f_globals.get("__name__", ""))
        return self._modules[code]

    def _home(self, code: CodeType, name: str) -> str:
        if name.split(".", maxsplit=1)[0] != self.package:
            return ""
        if code.co_name == "<module>" or not code.co_flags & inspect.CO_NEWLOCALS:  # a class body has none of its own
            return DEFINING
        built = code.co_qualname.endswith(".__new__") or (name.endswith(".errors") and code.co_name == "__init__")
        return "" if built else name.partition(".")[2] or "__init__"


def _entry(module: str, function: str, below: Sequence[str]) -> Entry:
    caller = below[0] if below else ""
    return Entry(module, function, caller, again=module != caller and module in below)


def _below(frame: FrameType) -> Iterator[FrameType]:
    lower = frame.f_back
    while lower:
        yield lower
        lower = lower.f_back


class Walk(NamedTuple):
    """What was counted on one way."""

    loaded: int
    entered: int
    root_entered: int
    functions: int
    calls: int
    cross_module: int
    switches: int
    revisited: int
    reentrant: int
    way: list[str]


HEADINGS = (
    "loaded", "entered", "of the root", "functions", "calls", "cross-module", "switches", "visited again", "re-entrant"
)  # fmt: skip


def count_walk(traces: Sequence[Traces], before: Collection[str] = ()) -> Walk:
    """The figures of what was traced; modules loaded `before` are not counted as loaded.

    A visit is a run of calls in one module, and a switch is where one ends and the next begins.
    """
    threads = [thread for one in traces for thread in one.threads]
    entries = [entry for thread in threads for entry in thread]
    visits = [[module for module, _ in groupby(entry.module for entry in thread)] for thread in threads]
    often = Counter(module for thread in visits for module in thread)
    loaded = {module: of_root for one in traces for module, of_root in one.loaded.items()}
    return Walk(
        loaded=len(set(loaded) - set(before)),
        entered=len(often),
        root_entered=sum(loaded[module] for module in often),
        functions=len({(entry.module, entry.function) for entry in entries}),
        calls=len(entries),
        cross_module=sum(entry.caller not in {"", entry.module} for entry in entries),
        switches=sum(len(thread) - 1 for thread in visits),
        revisited=sum(number > 1 for number in often.values()),
        reentrant=sum(entry.again for entry in entries),
        way=list(often),
    )


def _is_package(module: ModuleType) -> bool:
    return hasattr(module, "__path__") and "." in module.__name__


def modules_of(package: str) -> dict[str, ModuleType]:
    """The modules of a package that are loaded, by name."""
    return {
        name.partition(".")[2] or "__init__": module
        for name, module in list(sys.modules.items())
        if name.split(".", maxsplit=1)[0] == package
    }


# What is walked. Texts are the same in every run.

FAILED = 700  # one request of all
QUIET_LOG = "".join(
    f"2026-11-15T10:{number // 60 % 60:02}:{number % 60:02}Z {'ERROR' if number == FAILED else 'INFO'}"
    f" worker-{number % 8} request {number} took {number * 37 % 877} ms\n"
    for number in range(3_000)
)[:100_000]
# With something that looks like a secret: then the rules are read, too.
LOG = QUIET_LOG.replace("took 629 ms", "password=correct-horse-battery", 1)
RECORDS = [
    {"id": number, "name": f"user {number}", "team": f"team {number % 7}", "note": "x" * 50, "active": number % 3 > 0}
    for number in range(1_000)
]
EVENT = {
    "hook_event_name": "PostToolUse",
    "session_id": "7",
    "tool_name": "Bash",
    "tool_input": {"command": "make"},
    "tool_response": {"stdout": LOG, "stderr": "", "interrupted": False, "isImage": False},
}
SHORT = {"stdout": "ok", "stderr": "", "interrupted": False, "isImage": False}
GREETING = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "walks", "version": "1"}}
REQUESTS = [
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": GREETING},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "log", "arguments": {}}},
]


def serve() -> None:
    """The MCP server behind the proxy: it has one tool, whose result is the log."""
    server = {
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "log", "version": "1"},
    }
    tools = {"tools": [{"name": "log", "description": "The log.", "inputSchema": {"type": "object"}}]}
    answers = {
        "initialize": server,
        "tools/list": tools,
        "tools/call": {"content": [{"type": "text", "text": LOG}], "isError": False},
    }
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            reply = {"jsonrpc": "2.0", "id": request["id"], "result": answers.get(request.get("method"), {})}
            print(json.dumps(reply), flush=True)


class Errand(NamedTuple):
    """One call to walk."""

    title: str
    command: tuple[str, ...] = ()  # the words after `spill`; none for a call in Python
    stdin: str = ""
    says: bytes = b"art_"  # stands in the answer if all went well
    until: bytes = b""  # standard input stays open until this is answered


SERVER = (sys.executable, str(Path(__file__).resolve()), "--serve")
ERRANDS = {
    "fit": Errand("(a) `spill fit`, 100 KB log piped", ("fit",), LOG),
    "hook": Errand("(b) Claude Code PostToolUse", ("hook", "claude-code"), json.dumps(EVENT)),
    "records": Errand("(c) `Overspill().fit(list_of_dicts)`"),
    "proxy": Errand(
        "(d) MCP proxy, one result",
        ("mcp", "proxy", "--", *SERVER),
        "".join(json.dumps(request) + "\n" for request in REQUESTS),
        until=b'"id":2',
    ),
    "get": Errand("(e) `get_artifact` lines 10-20", says=b" request 9 took"),
    "show": Errand(
        "(e') `spill artifacts show --lines`",
        ("artifacts", "show", "ARTIFACT", "--lines", "10-20"),
        says=b" request 9 took",
    ),
}
LOADED = {
    "plain": Errand("`spill fit --strategy tail`", ("fit", "--strategy", "tail"), QUIET_LOG),
    "smart": Errand("`spill fit`, smart", ("fit", "--strategy", "smart"), QUIET_LOG),
    "plain, secret": Errand("`spill fit --strategy tail`, a secret", ("fit", "--strategy", "tail"), LOG),
    "smart, secret": Errand("`spill fit`, smart, a secret", ("fit", "--strategy", "smart"), LOG),
    "short hook": Errand(
        "hook, short result", ("hook", "claude-code"), json.dumps(EVENT | {"tool_response": SHORT}), b""
    ),
}


# The traced process.


def walk(name: str, artifact: str, package: Path) -> Walk:
    """Walk one errand here, traced."""
    sys.path.insert(0, str(package.parent))
    errand = {**ERRANDS, **LOADED}[name]
    tracer = Tracer(package.name)
    if errand.command:
        return trace(tracer, lambda: run_command([artifact if word == "ARTIFACT" else word for word in errand.command]))
    if name == "records":
        return trace(tracer, fit_records)
    get, warm = open_tool(), modules_of(package.name)  # what it costs a model that has just seen a view
    return trace(tracer, lambda: print(get(artifact, start_line=10, end_line=20)), warm)


def trace(tracer: Tracer, work: Callable[[], object], before: Collection[str] = ()) -> Walk:
    with tempfile.TemporaryDirectory() as place, children_traced(tracer, Path(place)):
        tracer.start()
        try:
            work()
        finally:
            tracer.stop()
        children = [Traces.of_json(file.read_text()) for file in sorted(Path(place).iterdir())]
    return count_walk([tracer.traces(), *children], before)


@contextmanager
def children_traced(tracer: Tracer, place: Path) -> Iterator[None]:
    """Let every process that is forked off write what it traced to a file in a place, just before it ends.

    It is not hurried: tracing takes longer than what is traced.
    """
    fork, leave, hurry = os.fork, os._exit, _signal.setitimer

    def traced_fork() -> int:
        if child := fork():
            return child
        tracer.forget()
        return 0

    def traced_leave(status: int) -> NoReturn:
        tracer.stop()
        Path(place, str(os.getpid())).write_text(json.dumps(tracer.traces()))
        leave(status)

    os.fork, os._exit, _signal.setitimer = traced_fork, traced_leave, lambda *_: (0.0, 0.0)
    try:
        yield
    finally:
        os.fork, os._exit, _signal.setitimer = fork, leave, hurry


def run_command(words: Sequence[str]) -> None:
    """`spill` in this process."""
    sys.argv = ["spill", *words]
    try:
        runpy.run_module("overspill", run_name="__main__")
    except SystemExit as ended:
        if ended.code:
            raise


def fit_records() -> None:
    from overspill import Overspill

    print(Overspill().fit(RECORDS).text)


def open_tool() -> Callable[..., str]:
    from overspill import Overspill, artifact_tools

    return artifact_tools(Overspill())[0]


# The process that starts the others.


def walk_all(names: Sequence[str], package: Path) -> dict[str, Walk]:
    """Each errand in a process of its own, the second time it is walked."""
    with tempfile.TemporaryDirectory() as home:
        root = Path(home, "project")
        Path(root, ".git").mkdir(parents=True)
        environ = {"PATH": os.environ["PATH"], "HOME": home, "PYTHONPATH": str(package.parent)}
        if cache := os.environ.get("XDG_CACHE_HOME"):  # where the scan database is, or it would be compiled again
            environ["XDG_CACHE_HOME"] = cache
        kept = subprocess.run(
            [sys.executable, "-m", "overspill", "artifacts", "put"],
            cwd=root, env=environ, input=LOG, text=True, stdout=subprocess.PIPE, check=True,
        )  # fmt: skip
        found = {}
        for name in names:
            for _ in range(2):
                found[name] = walk_beside(name, kept.stdout.strip(), package, root, environ)
        return found


def walk_beside(name: str, artifact: str, package: Path, root: Path, environ: Mapping[str, str]) -> Walk:
    """Walk one errand in another process."""
    errand = {**ERRANDS, **LOADED}[name]
    result = Path(root.parent, "walk.json")
    words = [sys.executable, __file__, "--walk", name, artifact, str(package), str(result)]
    with subprocess.Popen(words, cwd=root, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        answer = talk(process, errand)
    if process.returncode or errand.says not in answer:
        raise RuntimeError(f"{errand.title} ended with {process.returncode} and said {answer[:300]!r}")
    return Walk(*json.loads(result.read_text()))


def talk(process: "subprocess.Popen[bytes]", errand: Errand) -> bytes:
    """Hand in what there is to hand in; everything that is answered."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(errand.stdin.encode())
    process.stdin.flush()
    answer = line = b""
    while errand.until not in line.replace(b" ", b""):
        if not (line := process.stdout.readline()):
            break
        answer += line
    process.stdin.close()
    return answer + process.stdout.read()


def print_table(found: Mapping[str, Walk], *, way: bool) -> None:
    print(f"{'':<38}" + "".join(f"{heading:>14}" for heading in HEADINGS))
    for name, figures in found.items():
        print(f"{ERRANDS[name].title:<38}" + "".join(f"{figure:>14,}" for figure in figures[:-1]))
        if way:
            print("    " + " -> ".join(figures.way))


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--serve"]:
        serve()
        return 0
    if arguments[:1] == ["--walk"]:
        name, artifact, place, result = arguments[1:]
        Path(result).write_text(json.dumps(walk(name, artifact, Path(place))))
        return 0
    package = (Path(arguments[arguments.index("--package") + 1]) if "--package" in arguments else PACKAGE).resolve()
    if "--loaded" in arguments:
        for name, figures in walk_all(list(LOADED), package).items():
            print(f"{LOADED[name].title:<38}{figures.loaded:>14,} modules loaded")
        return 0
    found = walk_all([name for name in ERRANDS if name in arguments] or list(ERRANDS), package)
    if "--json" in arguments:
        print(json.dumps({name: figures._asdict() for name, figures in found.items()}, indent=2))
    else:
        print_table(found, way="--way" in arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
