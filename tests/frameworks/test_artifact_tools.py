"""The generic pair, for frameworks without an adapter of their own: `limited` and `artifact_tools`.

The adapters themselves need their frameworks: `make frameworks` builds an environment for each and runs them there.
"""

import asyncio
import inspect
import re
import subprocess
import sys
import typing

import pytest

from overspill import MemoryStore, Overspill, artifact_tools, limited
from overspill.frameworks import async_artifact_tools
from overspill.retrieve.tools import TOOLS

KINDS = {"integer": int, "string": str, "boolean": bool}


@pytest.fixture
def spill() -> Overspill:
    return Overspill(store=MemoryStore(), preset="agent")


def test_a_model_reads_the_gap_with_the_call_that_the_view_names(spill: Overspill) -> None:
    @limited(spill=spill, budget=2_000)
    def numbers() -> str:
        return "".join(f"number {number}\n" for number in range(4_000))

    view = numbers()
    functions = {function.__name__: function for function in artifact_tools(spill)}
    (call,) = re.findall(r"get_artifact\([^)]*\)", view)
    said = eval(call, {}, functions)
    shown = {line for line in view.splitlines() if line.startswith("number ")}
    fetched = said.splitlines()
    assert len(fetched) > 1_000
    assert not set(fetched[:-1]) & shown
    assert fetched[-1].startswith("[Characters 0-")
    assert fetched[-1].endswith("This is the end.]")


def test_an_answer_is_bounded_whatever_is_asked_for(spill: Overspill) -> None:
    kept = spill.fit("x\n" * 500_000).artifact_id
    get, _, _ = artifact_tools(spill)
    assert 50_000 <= len(get(kept)) <= 51_000
    assert 200_000 <= len(get(kept, limit=0)) <= 201_000


def test_the_signatures_are_what_the_schemas_say(spill: Overspill) -> None:
    for now, later, tool in zip(artifact_tools(spill), async_artifact_tools(spill), TOOLS, strict=True):
        for function in (now, later):
            assert function.__name__ == tool.name
            hints = typing.get_type_hints(function)
            assert hints.pop("return") is str
            schema = typing.cast("dict[str, dict[str, dict[str, str]]]", tool.parameters)["properties"]
            assert list(inspect.signature(function).parameters) == list(hints) == list(schema)
            for name, parameter in inspect.signature(function).parameters.items():
                kind = KINDS[schema[name]["type"]]
                required = name in typing.cast("list[str]", tool.parameters["required"])
                assert hints[name] == (kind if required else kind | None)
                assert parameter.default is (inspect.Parameter.empty if required else None)
                assert f"    {name}: {schema[name]['description']}" in (function.__doc__ or "").splitlines()
            assert function.__dict__["parameters"] == tool.parameters
        assert inspect.iscoroutinefunction(later)
        assert not inspect.iscoroutinefunction(now)


def test_coroutines_answer_the_same(spill: Overspill) -> None:
    kept = spill.fit("x\n" * 50_000).artifact_id
    get, _, _ = artifact_tools(spill)
    get_later, _, _ = async_artifact_tools(spill)
    assert asyncio.run(typing.cast("typing.Any", get_later(kept, start_line=3, end_line=4))) == get(
        kept, start_line=3, end_line=4
    )


def test_whatever_goes_wrong_is_an_answer(spill: Overspill) -> None:
    get, search, _ = artifact_tools(spill)
    assert get("../../etc/passwd").startswith("not an artifact id")
    assert "pattern is missing" in search("")
    assert "whole number" in get(spill.fit("x\n" * 50_000).artifact_id, start_line="two")


def test_what_a_model_fetched_is_not_cut_again(spill: Overspill) -> None:
    kept = spill.fit("x\n" * 50_000).artifact_id
    get, _, _ = [limited(function) for function in artifact_tools(spill)]
    assert len(get(kept)) > 50_000


def test_nothing_of_the_frameworks_is_loaded_with_the_package() -> None:
    code = "import overspill, sys; overspill.Overspill; print([name for name in sys.modules if 'frameworks' in name])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
