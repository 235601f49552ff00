"""LlamaIndex: tools whose output fits, and the tools that fetch the rest.

    from llama_index.core.agent.workflow import FunctionAgent
    from overspill import Overspill
    from overspill.frameworks.llama_index import fitted_tools

    spill = Overspill(preset="agent")
    agent = FunctionAgent(llm=llm, tools=fitted_tools([search, query_engine_tool], spill))

A `ToolOutput` stays one: its text blocks are fitted, images stay, and `raw_output` is replaced by the view where
there was something to hide or to leave out, for it ends up in events and stored contexts. `keep_raw=True` keeps it.
What a tool returns directly (`return_direct`) is for people: its secrets are hidden, and it is not cut.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from overspill.core.budget import Budget
from overspill.frameworks import BY_NAME, artifact_tools, async_artifact_tools, model_of, require_extra
from overspill.frameworks.results import Batch, Results, in_thread

if TYPE_CHECKING:
    from overspill.api import Overspill

with require_extra("llama-index"):
    from llama_index.core.base.llms.types import TextBlock
    from llama_index.core.tools import BaseTool, FunctionTool, ToolOutput, adapt_to_async_tool
    from llama_index.core.tools.types import AsyncBaseTool

PAUSES: tuple[type[BaseException], ...] = ()
with suppress(ImportError):  # what a tool raises to pause a workflow, in releases that have it
    from workflows.runtime.types.results import WaitingForEvent

    PAUSES = (WaitingForEvent,)

CONTEXT = "overspill_context"


def tools_of(spill: "Overspill | None" = None) -> list[FunctionTool]:
    """get_artifact, search_artifacts and list_artifacts as tools of LlamaIndex."""
    return [
        FunctionTool.from_defaults(
            fn=now,
            async_fn=later,
            name=now.__name__,
            description=BY_NAME[now.__name__].description,
            fn_schema=model_of(BY_NAME[now.__name__]),
        )
        for now, later in zip(artifact_tools(spill), async_artifact_tools(spill), strict=True)
    ]


def fitted_tools(
    tools: "Iterable[BaseTool | Callable[..., Any]]",
    spill: "Overspill | None" = None,
    *,
    budget: Budget | int | None = None,
    turn: Budget | int | None = None,
    keep_raw: bool = False,
) -> list[BaseTool]:
    """The tools with outputs that fit, and the artifact tools. `turn` is for all calls of one answer together."""
    results = Results(spill, budget=budget, turn=turn, framework="llama-index")
    known = [tool if isinstance(tool, BaseTool) else FunctionTool.from_defaults(tool) for tool in tools]
    fitted = [
        FittedFunction(tool, results, keep_raw=keep_raw)
        if isinstance(tool, FunctionTool)
        else FittedTool(tool, results, keep_raw=keep_raw)
        for tool in known
    ]
    names = {tool.metadata.name for tool in known}
    return [*fitted, *(tool for tool in tools_of(spill) if tool.metadata.name not in names)]


def callback(
    spill: "Overspill | None" = None, tool: str = "", budget: Budget | int | None = None
) -> Callable[[Any], ToolOutput | None]:
    """For `FunctionTool.from_defaults(function, callback=callback(spill, "name"))`. Exceptions do not come by here."""
    results = Results(spill, budget=budget, framework="llama-index")

    def fitted_output(raw: Any) -> ToolOutput | None:
        blocks = FunctionTool._parse_tool_output(None, raw)  # noqa: SLF001  # what it makes of a result by itself
        output = ToolOutput(tool_name=tool, blocks=blocks, raw_input={}, raw_output=raw)
        shown = output_that_fits(output, results, tool)
        return None if shown is output else shown

    return fitted_output


class FittedTool(AsyncBaseTool):
    """A tool of any kind, whose output fits."""

    def __init__(self, tool: BaseTool, results: Results, *, keep_raw: bool = False) -> None:
        self.tool = adapt_to_async_tool(tool)
        results.note_tool(tool.metadata.name or "", tool)
        self.results = results
        self.keep_raw = keep_raw

    @property
    def metadata(self) -> Any:
        return self.tool.metadata

    @property
    def name(self) -> str:
        return self.metadata.name or ""

    def call(self, *given: Any, **named: Any) -> ToolOutput:
        """What the tool gave, fitted."""
        named.pop(CONTEXT, None)
        with self.results.bounded_errors(self.name, PAUSES):
            output = self.tool.call(*given, **named)
        return self.fitted(output, None)

    async def acall(self, *given: Any, **named: Any) -> ToolOutput:
        """What the tool gave, fitted beside the event loop."""
        context = named.get(getattr(self, "ctx_param_name", None) or CONTEXT)
        named.pop(CONTEXT, None)
        with self.results.bounded_errors(self.name, PAUSES):
            output = await self.tool.acall(*given, **named)
        batch = None if context is None else await _batch_of(context)
        return await in_thread(lambda: self.fitted(output, batch))

    def fitted(self, output: ToolOutput, batch: Batch | None) -> ToolOutput:
        """An output whose texts fit."""
        direct = self.metadata.return_direct and not output.is_error
        return output_that_fits(output, self.results, self.name, batch, direct=direct, keep_raw=self.keep_raw)


class FittedFunction(FittedTool, FunctionTool):
    """A function tool, whose output fits. It asks for the context of the workflow where turns are budgeted."""

    requires_context: bool
    ctx_param_name: str | None

    def __init__(self, tool: FunctionTool, results: Results, *, keep_raw: bool = False) -> None:
        self.__dict__.update(vars(tool))
        super().__init__(tool, results, keep_raw=keep_raw)
        if results.turn is not None and not self.requires_context:
            self.requires_context, self.ctx_param_name = True, CONTEXT


async def _batch_of(context: Any) -> Batch | None:
    """The calls that stand in one answer of the model with this one, as agents count them."""
    calls = await context.store.get("num_tool_calls", default=None)
    answer = await context.store.get("num_iterations", default=None)
    return None if calls is None or answer is None else Batch((id(context.store), answer), calls)


def output_that_fits(
    output: ToolOutput,
    results: Results,
    tool: str,
    batch: Batch | None = None,
    *,
    direct: bool = False,
    keep_raw: bool = False,
) -> ToolOutput:
    """An output whose texts fit; a `direct` one is for people."""
    texts = [text for block in output.blocks for text in _block_texts(block)]
    if direct:
        shown = [results.whole(text) for text in texts]
    elif len(texts) == 1:
        shown = [results.fit_words(texts[0], output.raw_output, tool, batch=batch).text]
    else:
        shown = [view.text for view in results.texts(texts, tool, is_error=output.is_error, batch=batch)]
    if shown == texts:
        return output
    views = iter(shown)
    blocks = [_block_with_texts(block, lambda _: next(views)) for block in output.blocks]
    raw = output.raw_output if keep_raw else "\n".join(shown)
    return output.model_copy(update={"blocks": blocks, "raw_output": raw})


def _block_texts(block: Any) -> list[str]:
    if isinstance(block, TextBlock):
        return [block.text]
    inside = getattr(block, "content", None)
    return [text for one in inside for text in _block_texts(one)] if isinstance(inside, list) else []


def _block_with_texts(block: Any, text: Callable[[str], str]) -> Any:
    """A block with other texts in the places of its own; what can be cited has blocks inside."""
    if isinstance(block, TextBlock):
        said = text(block.text)
        return block if said == block.text else block.model_copy(update={"text": said})
    inside = getattr(block, "content", None)
    if isinstance(inside, list):
        return block.model_copy(update={"content": [_block_with_texts(one, text) for one in inside]})
    return block
