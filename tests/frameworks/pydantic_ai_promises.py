"""What the capability and the toolset promise in pydantic-ai beyond what all adapters do."""

import asyncio
from types import ModuleType
from typing import Any

from pydantic import BaseModel
from pydantic_ai import Agent, BinaryContent, ModelRetry, RunContext, ToolReturn
from pydantic_ai.messages import ModelMessagesTypeAdapter, ToolReturnPart, UserPromptPart
from pydantic_ai.toolsets import FunctionToolset
from scripted import Script, call

from frameworks.contract import LIMIT, SECRET, WRAPPED, Run, build_log
from frameworks.shared import answers_mistakes, clears_old_results, is_cancelled
from overspill import MemoryStore, Overspill
from overspill.frameworks.pydantic_ai import OverspillCapability, OverspillToolset, artifact_toolset


def spill_of() -> Overspill:
    return Overspill(store=MemoryStore(), preset="agent")


def parts_of(example: ModuleType, *tools: Any, turn: int | None = None, **more: Any) -> list[Any]:
    """The parts of all messages of a run that calls the first tool once."""
    script = Script([call(tools[0].__name__)], "done")
    agent = Agent(example.scripted(script), tools=tools, capabilities=[OverspillCapability(spill_of(), turn=turn)])
    messages = agent.run_sync("Build it.", **more).all_messages()
    assert SECRET not in repr(messages)
    return [part for message in messages for part in message.parts]


def returned(parts: list[Any]) -> Any:
    return next(part for part in parts if isinstance(part, ToolReturnPart))


def the_id_is_in_the_metadata_of_the_return(example: ModuleType) -> None:
    run = Run(example, [call("build_log")])
    (kept,) = run.spill.store.list()
    part = returned([part for message in run.left for part in message.parts])  # type: ignore[attr-defined]  # messages
    assert part.metadata["overspill"]["artifact_id"] == kept.id
    assert part.content == run.results[0]
    history: Any = run.left
    assert ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json(history)) == history


def a_tool_return_keeps_its_metadata_and_what_it_says_beside_fits(example: ModuleType) -> None:
    image = BinaryContent(b"\x89PNG" * 20_000, media_type="image/png")

    def look() -> ToolReturn:
        return ToolReturn(return_value=build_log(), content=["see here", image, build_log()], metadata={"rows": 3})

    parts = parts_of(example, look)
    part = returned(parts)
    assert part.metadata["rows"] == 3
    assert part.metadata["overspill"]["artifact_id"]
    assert len(part.content) <= LIMIT
    beside = next(one for one in parts if isinstance(one, UserPromptPart) and one.content != "Build it.").content
    assert beside[:2] == ["see here", image]
    assert len(beside[2]) <= LIMIT


def objects_keep_their_shape_and_images_stay(example: ModuleType) -> None:
    class Row(BaseModel):
        id: int
        note: str

    image = BinaryContent(b"\x89PNG" * 20_000, media_type="image/png")

    def rows() -> list[Row]:
        return [Row(id=number, note="lorem ipsum") for number in range(9_000)]

    def small() -> Row:
        return Row(id=1, note="as it is")

    def picture() -> Any:
        return image

    part = returned(parts_of(example, rows))
    assert isinstance(part.content, list)
    assert part.content[0] == {"id": 0, "note": "lorem ipsum"}
    assert len(part.model_response_str()) <= LIMIT * WRAPPED
    assert returned(parts_of(example, small)).content == Row(id=1, note="as it is")
    assert "PNG" in repr(parts_of(example, picture)) or "png" in repr(parts_of(example, picture))


def a_retry_is_a_retry_with_a_message_that_fits(example: ModuleType) -> None:
    tried: list[int] = []

    def retry() -> str:
        tried.append(1)
        if len(tried) == 1:
            raise ModelRetry(f"try with another key than {SECRET} " + "please " * 50_000)
        if len(tried) == 2:
            raise ModelRetry("once more")
        return "well"

    script = Script([call("retry")], [call("retry")], [call("retry")], "done")
    agent = Agent(example.scripted(script), tools=[retry], retries=3, capabilities=[OverspillCapability(spill_of())])
    agent.run_sync("Build it.")
    long, short, result = script.results
    assert len(long) <= LIMIT * WRAPPED
    assert "try with another key" in long
    assert SECRET not in long
    assert "once more" in short
    assert result == "well"


def what_is_not_valid_inside_a_tool_is_a_retry_that_fits(example: ModuleType) -> None:
    class Row(BaseModel):
        id: int

    tried: list[int] = []

    def check() -> str:
        tried.append(1)
        if len(tried) == 1:
            Row.model_validate({"id": f"api_key={SECRET} " + "x" * 100_000})
        return "well"

    script = Script([call("check")], [call("check")], "done")
    agent = Agent(example.scripted(script), tools=[check], retries=3, capabilities=[OverspillCapability(spill_of())])
    agent.run_sync("Build it.")
    assert len(script.results[0]) <= LIMIT * WRAPPED
    assert "Input should be a valid integer" in script.results[0]
    assert SECRET not in repr(script.sent)
    assert script.results[-1] == "well"


def deferred_calls_are_deferred(example: ModuleType) -> None:
    from pydantic_ai import CallDeferred, DeferredToolRequests

    def later() -> str:
        raise CallDeferred from RuntimeError(f"nobody is there with {SECRET}")

    script = Script([call("later")], "done")
    agent: Any = Agent(
        example.scripted(script),
        tools=[later],
        output_type=[str, DeferredToolRequests],
        capabilities=[OverspillCapability(spill_of())],
    )
    output = agent.run_sync("Build it.").output
    assert [one.tool_name for one in output.calls] == ["later"]


def cancelling_cancels(example: ModuleType) -> None:
    async def wait() -> str:
        await asyncio.sleep(60)
        return ""

    agent = Agent(
        example.scripted(Script([call("wait")], "done")),
        tools=[wait],
        capabilities=[OverspillCapability(spill_of())],
    )
    assert is_cancelled(agent.run("Build it."))


def a_toolset_alone_can_be_wrapped(example: ModuleType) -> None:
    def with_context(ctx: RunContext[Any]) -> str:
        return build_log()

    spill = spill_of()
    script = Script([call("with_context"), call("with_context")], "done")
    wrapped = OverspillToolset(FunctionToolset([with_context]), spill, turn=6_000)
    agent = Agent(example.scripted(script), toolsets=[wrapped, artifact_toolset(spill)])
    agent.run_sync("Build it.")
    assert sum(map(len, script.results)) <= 6_000
    assert "get_artifact" in script.offered


def what_a_model_gets_wrong_about_the_artifact_tools_is_answered(example: ModuleType) -> None:
    answers_mistakes(example)


def old_results_go_from_what_is_sent_and_the_messages_keep_them(example: ModuleType) -> None:
    assert "[cleared" not in repr(clears_old_results(example.run_long).all_messages())


PROMISES = [
    the_id_is_in_the_metadata_of_the_return,
    a_tool_return_keeps_its_metadata_and_what_it_says_beside_fits,
    objects_keep_their_shape_and_images_stay,
    a_retry_is_a_retry_with_a_message_that_fits,
    what_is_not_valid_inside_a_tool_is_a_retry_that_fits,
    deferred_calls_are_deferred,
    cancelling_cancels,
    a_toolset_alone_can_be_wrapped,
    what_a_model_gets_wrong_about_the_artifact_tools_is_answered,
    old_results_go_from_what_is_sent_and_the_messages_keep_them,
]
