"""A LlamaIndex agent whose tools may say as much as they like: `python examples/frameworks/llama_index_agent.py`."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

# The ten lines.
from llama_index.core.agent.workflow import FunctionAgent

from overspill import Overspill
from overspill.frameworks.llama_index import fitted_tools


def agent_of(llm: Any, tools: Sequence[Any], spill: Overspill | None, turn: int | None = None) -> FunctionAgent:
    fitted = fitted_tools(tools, spill, turn=turn) if spill else list(tools)
    return FunctionAgent(llm=llm, tools=fitted)


# That is all; below is a model that needs no key.
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, LLMMetadata
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.workflow import Context
from scripted import Message, Script, demonstrate


class ScriptedModel(FunctionCallingLLM):
    """Answers by a script."""

    script: Any

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(is_function_calling_model=True)

    def _prepare_chat_with_tools(self, tools: Sequence[Any], chat_history: Any = None, **_: Any) -> dict[str, Any]:
        offered = [tool.metadata.to_openai_tool()["function"]["name"] for tool in tools]
        return {"messages": chat_history or [], "offered": offered}

    async def achat(self, messages: Sequence[ChatMessage], offered: Sequence[str] = (), **_: Any) -> ChatResponse:
        sent = [Message(one.role.value, one.content or "") for one in messages]
        answer = self.script.answer(sent, offered)
        text, calls = (answer, []) if isinstance(answer, str) else ("", answer)
        message = ChatMessage(role="assistant", content=text, additional_kwargs={"calls": calls})
        return ChatResponse(message=message)

    def get_tool_calls_from_response(self, response: ChatResponse, **_: Any) -> list[ToolSelection]:
        calls = response.message.additional_kwargs["calls"]
        return [ToolSelection(tool_id=one.id, tool_name=one.name, tool_kwargs=one.arguments) for one in calls]

    async def astream_chat(self, *given: Any, **named: Any) -> AsyncIterator[ChatResponse]:
        async def pieces() -> AsyncIterator[ChatResponse]:
            yield await self.achat(*given, **named)

        return pieces()

    def chat(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    complete = stream_chat = stream_complete = chat
    acomplete = astream_complete = achat


async def run_async(
    tools: list[Callable[..., Any]], script: Script, spill: Overspill | None = None, turn: int | None = None
) -> Any:
    agent = agent_of(ScriptedModel(script=script), tools, spill, turn)
    context = Context(agent)
    handler = agent.run("Build it.", ctx=context)
    events = [event async for event in handler.stream_events()]
    return events, await handler, context.to_dict()


def run(
    tools: list[Callable[..., Any]], script: Script, spill: Overspill | None = None, turn: int | None = None
) -> Any:
    return asyncio.run(run_async(tools, script, spill, turn))


if __name__ == "__main__":
    demonstrate(run)
