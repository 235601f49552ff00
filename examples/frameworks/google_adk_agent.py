"""An ADK agent whose tools may say as much as they like: `python examples/frameworks/google_adk_agent.py`."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

# The ten lines.
from google.adk.agents import LlmAgent
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService

from overspill import Overspill
from overspill.frameworks.google_adk import OverspillPlugin


def runner_of(model: Any, tools: Sequence[Any], spill: Overspill | None, turn: int | None = None) -> Runner:
    agent = LlmAgent(name="helper", model=model, tools=list(tools))
    plugins = [OverspillPlugin(spill, turn=turn)] if spill else []
    return Runner(agent=agent, app_name="example", session_service=InMemorySessionService(), plugins=plugins)


# Old results go from what is sent to the model, and can be fetched back.
from overspill.history import Clearing


def clearing_runner_of(model: Any, tools: Sequence[Any], spill: Overspill, clear: Clearing | None) -> Runner:
    agent = LlmAgent(name="helper", model=model, tools=list(tools))
    plugins = [OverspillPlugin(spill, clear=clear)]
    return Runner(agent=agent, app_name="example", session_service=InMemorySessionService(), plugins=plugins)


# That is all; below is a model that needs no key.
import json
from collections.abc import AsyncGenerator

from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.genai import types
from scripted import Message, Script, demonstrate


class ScriptedModel(BaseLlm):
    """Answers by a script."""

    script: Any

    async def generate_content_async(
        self,
        llm_request: LlmRequest,
        stream: bool = False,  # noqa: FBT001, FBT002  # as the base class has it
    ) -> AsyncGenerator[LlmResponse, None]:
        del stream
        sent = [message_of(part) for content in llm_request.contents for part in content.parts or []]
        answer = self.script.answer(sent, list(llm_request.tools_dict))
        parts = [types.Part(text=answer)] if isinstance(answer, str) else [part_of(call) for call in answer]
        yield LlmResponse(content=types.Content(role="model", parts=parts))


def message_of(part: types.Part) -> Message:
    """What the model is sent: results of tools are JSON."""
    if part.function_response:
        said = json.dumps(part.function_response.response, ensure_ascii=False)
        return Message("tool", said, (str(part.function_response.id),))
    if part.function_call:
        asked = json.dumps(part.function_call.args, ensure_ascii=False)
        return Message("assistant", asked, (str(part.function_call.id),))
    return Message("user", part.text or "")


def part_of(call: Any) -> types.Part:
    return types.Part(function_call=types.FunctionCall(name=call.name, args=call.arguments, id=call.id))


async def run_async(
    tools: list[Callable[..., Any]], script: Script, spill: Overspill | None = None, turn: int | None = None
) -> Any:
    return await used(runner_of(ScriptedModel(model="scripted", script=script), tools, spill, turn))


def run_long(
    tools: list[Callable[..., Any]], script: Script, spill: Overspill | None, clear: Clearing | None = None
) -> Any:
    model = ScriptedModel(model="scripted", script=script)
    return asyncio.run(used(clearing_runner_of(model, tools, spill, clear) if spill else runner_of(model, tools, None)))


async def used(runner: Runner) -> Any:
    sessions = runner.session_service
    session = await sessions.create_session(app_name="example", user_id="me")
    message = types.Content(role="user", parts=[types.Part(text="Build it.")])
    events = [event async for event in runner.run_async(user_id="me", session_id=session.id, new_message=message)]
    return events, await sessions.get_session(app_name="example", user_id="me", session_id=session.id)


def run(
    tools: list[Callable[..., Any]], script: Script, spill: Overspill | None = None, turn: int | None = None
) -> Any:
    return asyncio.run(run_async(tools, script, spill, turn))


if __name__ == "__main__":
    demonstrate(run)
