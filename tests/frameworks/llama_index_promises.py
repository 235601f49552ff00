"""What is promised of LlamaIndex alone."""

import asyncio
from types import ModuleType
from typing import Any

from llama_index.core.agent.workflow import ReActAgent
from llama_index.core.base.llms.types import CitableBlock, ImageBlock, TextBlock
from llama_index.core.tools import FunctionTool, ToolMetadata, ToolOutput
from llama_index.core.tools.calling import acall_tool, call_tool
from llama_index.core.tools.types import AsyncBaseTool
from llama_index.core.workflow import Context
from scripted import Script, call

from frameworks.contract import LIMIT, SECRET, TOOLS, build_log, fetch_records
from overspill import MemoryStore, Overspill
from overspill.frameworks.llama_index import callback, fitted_tools


def spill() -> Overspill:
    return Overspill(store=MemoryStore(), preset="agent")


def one(tool: Any, **options: Any) -> Any:
    return fitted_tools([tool], spill(), **options)[0]


def images_stay_and_texts_share_the_room(_: ModuleType) -> None:
    picture = ImageBlock(image=b"\x89PNG" + bytes(9_000))

    def look() -> list[Any]:
        """Look."""
        cited = CitableBlock(title="log", source="disk", content=[TextBlock(text=build_log())])
        return [TextBlock(text=build_log()), picture, cited, TextBlock(text="short")]

    output = one(look).call()
    first, middle, cited, last = output.blocks
    assert middle is picture
    assert last.text == "short"
    assert len(first.text) + len(cited.content[0].text) <= LIMIT
    assert output.tool_name == "look"


def the_raw_output_is_the_view_unless_it_is_to_be_kept(_: ModuleType) -> None:
    output = one(fetch_records).call()
    assert output.raw_output == output.content
    assert SECRET not in repr(output)
    assert isinstance(one(fetch_records, keep_raw=True).call().raw_output, dict)

    def small() -> dict[str, int]:
        """Small."""
        return {"a": 1}

    output = one(small).call()
    assert (output.raw_output, output.content) == ({"a": 1}, "{'a': 1}")


def tools_of_any_kind_are_fitted_in_every_way_of_calling(_: ModuleType) -> None:
    class Index(AsyncBaseTool):
        @property
        def metadata(self) -> Any:
            return ToolMetadata(name="index", description="Look it up.")

        def call(self, input: Any) -> ToolOutput:  # noqa: A002  # as the base class has it
            return ToolOutput(tool_name="index", content=build_log(), raw_input={"input": input}, raw_output=None)

        async def acall(self, input: Any) -> ToolOutput:  # noqa: A002
            return self.call(input)

    for tool in (one(Index()), one(FunctionTool.from_defaults(lambda words: words * 9_000, name="say"))):
        arguments = {"input" if tool.metadata.name == "index" else "words": "word "}
        for output in (call_tool(tool, arguments), asyncio.run(acall_tool(tool, arguments)), tool("word ")):
            assert not output.is_error, output
            assert "art_" in output.content
            assert len(output.content) <= LIMIT


def what_is_returned_directly_is_not_cut(_: ModuleType) -> None:
    tool = FunctionTool.from_defaults(build_log, return_direct=True)
    output = one(tool).call()
    assert len(output.content) > 180_000
    assert SECRET not in repr(output)


def a_context_is_handed_on(example: ModuleType) -> None:
    seen = []

    async def count(ctx: Context, words: str) -> str:
        """Count."""
        seen.append((await ctx.store.get("num_tool_calls"), words))
        return build_log()

    for turn in (None, 4_000):
        script = Script([call("count", words="a"), call("count", words="b")], "done")
        example.run([count], script, spill(), turn)
        assert sum(map(len, script.results)) <= (turn or 2 * LIMIT)
    assert sorted(seen) == [(2, "a"), (2, "a"), (2, "b"), (2, "b")]


def a_callback_fits_the_tool_it_is_given_to(_: ModuleType) -> None:
    tool = FunctionTool.from_defaults(build_log, callback=callback(spill(), "build_log"))
    for output in (tool.call(), asyncio.run(tool.acall())):
        assert "art_" in output.content
        assert len(output.content) <= LIMIT
        assert SECRET not in repr(output)
    picture = ImageBlock(image=b"\x89PNG" + bytes(9_000))
    both = FunctionTool.from_defaults(
        lambda: [picture, TextBlock(text=build_log())], name="see", callback=callback(spill())
    )
    first, last = both.call().blocks
    assert first is picture
    assert len(last.text) <= LIMIT


def agents_that_write_their_calls_as_text_see_views_too(example: ModuleType) -> None:
    class Writing(example.ScriptedModel):  # type: ignore[name-defined]  # a module that is loaded by its path
        async def astream_chat(self, *given: Any, **named: Any) -> Any:
            async def pieces() -> Any:
                response = await super(Writing, self).achat(*given, **named)
                calls = response.message.additional_kwargs["calls"]
                said = f"Thought: I can answer without using any more tools.\nAnswer: {response.message.content}"
                if calls:
                    said = f"Thought: I need a tool.\nAction: {calls[0].name}\nAction Input: {{}}"
                response.message.content = response.delta = said
                response.message.additional_kwargs = {}
                yield response

            return pieces()

    script = Script([call("build_log")], "done")
    agent = ReActAgent(llm=Writing(script=script), tools=fitted_tools(TOOLS, spill()))

    async def main() -> str:
        return str(await agent.run("Build it."))

    assert asyncio.run(main()) == "done"
    (said,) = (message.text for message in script.sent[-1] if message.text.startswith("Observation:"))
    assert "art_" in said
    assert len(said) <= LIMIT * 1.1


PROMISES = [
    images_stay_and_texts_share_the_room,
    the_raw_output_is_the_view_unless_it_is_to_be_kept,
    tools_of_any_kind_are_fitted_in_every_way_of_calling,
    what_is_returned_directly_is_not_cut,
    a_context_is_handed_on,
    a_callback_fits_the_tool_it_is_given_to,
    agents_that_write_their_calls_as_text_see_views_too,
]
