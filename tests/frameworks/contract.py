"""What every adapter promises, checked on an example: `python contract.py EXAMPLE.py [--measure | --session]`.

Runs where the framework is installed, which is not where `make test` runs: `run.py` builds those environments. An
example is called after its extra, `pydantic_ai_agent.py`. It has `run(tools, script, spill, turn)`, and `run_async`
of the same kind: an agent with these tools and the scripted model is run to its end, and what it leaves behind is
returned. `spill=None` is the agent without Overspill. One line of JSON is printed for each promise; with `--session`,
one for the session of `long_session.py`.
"""

import asyncio
import importlib.util
import json
import re
import sys
import traceback
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2] / "examples" / "frameworks")]

from scripted import Message, Script, call, gap

from overspill import MemoryStore, Overspill

SECRET = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3
LIMIT = 8_000  # characters a result may take with the preset `agent`
WRAPPED = 1.25  # what a framework's own way of writing a result down may add to it
LINES = 6_000
PARTS = ("parser", "lexer", "linker", "cache", "symbol", "table", "inline", "loop", "vector", "branch", "frame", "heap")


def build_log() -> str:
    """Run the build and return its log."""
    lines = [f"[{at:05}] compiled module_{at * 7919 % LINES}.c with {parts(at)}\n" for at in range(LINES)]
    lines[LINES // 2] = f"[{LINES // 2:05}] uploading with api_key={SECRET}\n"
    return "".join(lines)


def parts(number: int) -> str:
    """Words that hardly two lines share: of lines that say the same, a view shows one, and there is nothing to cut."""
    return " ".join(PARTS[(number * 2_654_435_761 >> shift) % len(PARTS)] for shift in range(8, 20, 6 - number % 5))


def fetch_records() -> dict[str, Any]:
    """Fetch all records as one object."""
    rows = [{"id": number, "name": f"user {number}", "note": "lorem ipsum " * 4} for number in range(24_000)]
    rows[12_000]["note"] = f"the key is {SECRET}"
    return {"records": rows, "total": len(rows)}


def fetch_json() -> str:
    """Fetch all records as a JSON text."""
    return json.dumps(fetch_records())


def status() -> str:
    """Say whether all is well."""
    return "all is well"


def fail_loudly() -> str:
    """Fail with a very long message."""
    raise RuntimeError(f"cannot log in with {SECRET}: " + "no " * 100_000)


def fail_shortly() -> str:
    """Fail with a short message."""
    raise ValueError("no such row: 42")


async def build_later() -> str:
    """Run the build beside other work and return its log."""
    await asyncio.sleep(0.01)
    return build_log()


TOOLS: list[Callable[..., Any]] = [build_log, fetch_records, fetch_json, status, fail_loudly, fail_shortly]


class Run:
    """One run of an example, and all that could be seen of it."""

    def __init__(self, example: ModuleType, *steps: Any, turn: int | None = None, later: bool = False) -> None:
        self.spill = Overspill(store=MemoryStore(), preset="agent")
        self.script = Script(*steps, "done")
        self.raised: Exception | None = None
        self.left: object = None
        tools = [*TOOLS, build_later] if later else TOOLS
        try:
            self.left = (example.run_async if later else example.run)(tools, self.script, self.spill, turn)
            if isinstance(self.left, Awaitable):
                self.left = asyncio.run(awaited(self.left))
        except Exception as error:  # noqa: BLE001  # frameworks differ in what they raise and what they tell the model
            self.raised = error
        said = "".join(traceback.format_exception(self.raised)) if self.raised else ""
        everything = said + repr(self.left) + repr(self.script.sent)
        assert SECRET not in everything, "the secret can be seen: " + around(everything)

    @property
    def results(self) -> list[str]:
        if self.raised is not None:
            raise self.raised
        return self.script.results


async def awaited(work: Awaitable[object]) -> object:
    return await work


def around(text: str) -> str:
    place = text.find(SECRET)
    return text[max(0, place - 200) : place].replace("\n", " ")


def assert_is_view(text: str) -> None:
    assert len(text) <= LIMIT * WRAPPED, f"{len(text)} characters, and {LIMIT} may be shown"
    assert re.search(r"art_\w{6,}", text), f"no id in {text[:200]!r}"


def the_model_sees_a_view_and_the_id_is_in_it(example: ModuleType) -> None:
    run = Run(example, [call("build_log")])
    (view,) = run.results
    assert_is_view(view)
    assert build_log().splitlines()[-1] in view
    (kept,) = run.spill.store.list()
    (named,) = set(re.findall(r"art_\w{6,}", view))
    assert run.spill.get(named, limit=0).text.splitlines()[1] == build_log().splitlines()[1]
    assert kept.source_tool == "build_log", kept.source_tool


def the_model_reads_the_gap_with_the_call_the_view_names(example: ModuleType) -> None:
    run = Run(example, [call("build_log")], gap)
    view, fetched = run.results
    first = re.findall(r"start_line=(\d+)", view)[-1]
    assert f"[{int(first) - 1:05}] " in fetched[:100], fetched[:200]
    assert f"[{int(first) - 1:05}] " not in view
    assert len(fetched) > 40_000, f"what was fetched was cut again, to {len(fetched)} characters"
    assert "Next page: get_artifact(" in fetched.replace("\\", "")


def the_model_is_offered_the_artifact_tools_and_can_search(example: ModuleType) -> None:
    run = Run(example, [call("build_log")], [call("search_artifacts", pattern="[03333]")], [call("list_artifacts")])
    _, found, listed = run.results
    assert {"get_artifact", "search_artifacts", "list_artifacts"} <= set(run.script.offered), run.script.offered
    assert "[03333] compiled" in found
    assert "build_log" in listed


def an_exception_is_bounded_and_a_short_one_is_told(example: ModuleType) -> None:
    run = Run(example, [call("fail_loudly")])
    said = str(run.raised) if run.raised else run.results[0]
    assert 0 < len(said) <= LIMIT * WRAPPED, f"{len(said)} characters of an error"
    assert "cannot log in with" in said, said[:300]
    run = Run(example, [call("fail_shortly")])
    said = str(run.raised) if run.raised else run.results[0]
    assert "no such row: 42" in said, said[:300]


def a_json_result_of_two_megabytes_stays_valid(example: ModuleType) -> None:
    assert len(fetch_json()) > 2_000_000
    for name in ("fetch_json", "fetch_records"):
        (view,) = Run(example, [call(name)]).results
        assert_is_view(view)
        seen = json.loads(view)
        inside = list(seen.values()) if isinstance(seen, dict) and len(seen) == 1 else []
        seen = json.loads(inside[0]) if inside and isinstance(inside[0], str) else inside[0] if inside else seen
        assert seen["total"] == 24_000, str(seen)[:300]
        assert seen["records"][0]["id"] == 0


def a_small_result_is_as_it_was(example: ModuleType) -> None:
    (said,) = Run(example, [call("status")]).results
    assert said in {"all is well", '{"result": "all is well"}'}, said


def coroutines_and_parallel_calls_work(example: ModuleType) -> None:
    calls = [call("build_later"), call("status"), call("fetch_records"), call("build_later")]
    run = Run(example, calls, lambda _: [call("list_artifacts")], later=True)
    *results, listed = run.results
    assert len(results) == 4
    assert sum("all is well" in result for result in results) == 1
    for result in results:
        if "all is well" not in result:
            assert_is_view(result)
    assert listed.count("art_") == 3, listed


def parallel_results_share_the_budget_of_a_turn(example: ModuleType) -> None:
    for later in (False, True):
        run = Run(example, [call("build_log"), call("fetch_json"), call("build_log")], turn=6_000, later=later)
        sizes = [len(result) for result in run.results]
        assert len(sizes) == 3
        assert sum(sizes) <= 6_000 * WRAPPED, sizes
        assert min(sizes) > 300, sizes


PROMISES = [
    the_model_sees_a_view_and_the_id_is_in_it,
    the_model_reads_the_gap_with_the_call_the_view_names,
    the_model_is_offered_the_artifact_tools_and_can_search,
    an_exception_is_bounded_and_a_short_one_is_told,
    a_json_result_of_two_megabytes_stays_valid,
    a_small_result_is_as_it_was,
    coroutines_and_parallel_calls_work,
    parallel_results_share_the_budget_of_a_turn,
]


def checked(example: ModuleType) -> Iterator[dict[str, object]]:
    """What came of each promise; those of one framework alone stand in a file `..._promises.py` beside this one."""
    own = Path(__file__).with_name(example.__name__.removesuffix("_agent") + "_promises.py")
    for check in [*PROMISES, *(loaded(own).PROMISES if own.exists() else [])]:
        if check.__name__ in getattr(example, "cannot_know", ()):
            continue  # not promised there: the example and its page say why
        why = ""
        try:
            check(example)
        except Exception as error:  # noqa: BLE001  # whatever it is, it is what is told
            line = traceback.extract_tb(error.__traceback__)[-1]
            said = " ".join(str(error).replace(SECRET, "[the secret]").split())[:500]
            why = f"{type(error).__name__}: {said} ({Path(line.filename).name}:{line.lineno})"
        yield {"promise": check.__name__.replace("_", " "), "kept": not why, "why": why}


def fetch_page() -> str:
    """Fetch a page of records."""
    return json.dumps(fetch_records()["records"][:400])


def measured(example: ModuleType) -> dict[str, object]:
    """Tokens of what tools said to the model in the same run, with and without Overspill."""
    from overspill.retrieve.tools import TOOLS as OURS

    counter, name = token_counter()
    log, page, small = [call("build_log")], [call("fetch_page")], [call("status")]
    before, after = Script(log, page, small, "done"), Script(log, gap_lines, page, small, "done")
    example.run([*TOOLS, fetch_page], before, None, None)
    example.run([*TOOLS, fetch_page], after, Overspill(store=MemoryStore(), preset="agent"), None)
    view, fetched, *others = after.results
    offered = [{"name": tool.name, "description": tool.description, "parameters": tool.parameters} for tool in OURS]
    return {
        "counter": name,
        "without": sum(map(counter, before.results)),
        "views": sum(map(counter, [view, *others])),
        "fetched": counter(fetched),
        "definitions": counter(json.dumps(offered)),
        "log": [counter(before.results[0]), counter(view)],
        "view": view,
    }


def gap_lines(messages: Sequence[Message]) -> Any:
    """A hundred lines of what was left out."""
    (asked,) = gap(messages)
    arguments = asked.arguments
    first = int(str(arguments["start_line"]))
    return [call("get_artifact", id=arguments["id"], start_line=first, end_line=first + 99)]


def token_counter() -> tuple[Callable[[str], int], str]:
    from overspill.core import estimate_tokens, o200k

    try:
        return o200k(), "o200k"
    except ImportError:
        return estimate_tokens, "characters / 4"


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def offline(event: str, arguments: tuple[Any, ...]) -> None:
    """Frameworks like to tell their makers that they were started. Nothing leaves the machine here."""
    if event in {"socket.connect", "socket.getaddrinfo"}:
        address = arguments[1] if event == "socket.connect" else arguments[0]
        host = address[0] if isinstance(address, tuple) else address
        if isinstance(host, str | bytes) and not re.match(r"127\.|::1$|localhost$|/|$", str(host)):
            raise OSError(f"there is no network here: {host!r}")


def lines_of(example: ModuleType, arguments: list[str]) -> Iterator[dict[str, Any]]:
    if "--session" in arguments:
        from frameworks.long_session import measure_session

        yield measure_session(example, token_counter()[0])
    elif "--measure" in arguments:
        yield measured(example)
    else:
        yield from checked(example)


def main(arguments: list[str]) -> None:
    sys.addaudithook(offline)
    example = loaded(Path(arguments[0]).resolve())
    for line in lines_of(example, arguments):
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
