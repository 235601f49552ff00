"""Texts in what frameworks send to a model: in blocks of Anthropic's API, and in items of openai-agents.

What tools said in them fits, whoever ran them. No framework is needed to find them.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from overspill.core.budget import Budget
from overspill.fit.functions import ARTIFACT_TOOL
from overspill.fit.prepare import text_digest
from overspill.frameworks.results import Results, in_thread

if TYPE_CHECKING:
    from overspill.api import Overspill
    from overspill.history import Clearing


def with_texts(block: Any, text: Callable[[str], Any]) -> Any:
    """A block with other texts in the places of its own: in search results and documents, too.

    >>> with_texts({"type": "search_result", "content": [{"type": "text", "text": "long"}]}, str.upper)
    {'type': 'search_result', 'content': [{'type': 'text', 'text': 'LONG'}]}
    """
    if not isinstance(block, Mapping):
        return block
    kind, source = block.get("type"), block.get("source")
    if kind == "text" and isinstance(block.get("text"), str):
        return {**block, "text": text(block["text"])}
    if kind in {"search_result", "content"} and isinstance(block.get("content"), list):
        return {**block, "content": [with_texts(one, text) for one in block["content"]]}
    if kind == "document" and isinstance(source, Mapping):
        if source.get("type") == "text" and isinstance(source.get("data"), str):
            return {**block, "source": {**source, "data": text(source["data"])}}
        return {**block, "source": with_texts(source, text)}
    return block


# What tools said, by the kinds of items it is sent in, and the names texts have in their parts.
OUTPUT_TYPES = {
    "function_call_output",
    "custom_tool_call_output",
    "local_shell_call_output",
    "shell_call_output",
    "mcp_call",
}
TEXT_KEYS = ("text", "stdout", "stderr")

# How many views are known again: the whole conversation comes by at every turn.
MOST_VIEWS = 1_024


class InputFilter:
    """For `RunConfig.call_model_input_filter`: what tools said fits, whoever ran them.

    `clear` says when old results go from what is sent; left out, all of them stay.
    """

    def __init__(
        self,
        spill: "Overspill | None" = None,
        *,
        budget: Budget | int | None = None,
        clear: "Clearing | None" = None,
    ) -> None:
        self._results = Results(spill, budget=budget)
        self._clear = clear
        self._views: OrderedDict[str, str] = OrderedDict()

    async def __call__(self, data: Any) -> Any:
        """What is sent to the model, fitted."""
        sent = data.model_data
        ours = {tool.name for tool in data.agent.tools if _is_artifact_tool(tool)}
        calls = [item for item in sent.input if "name" in item]
        names = {item.get("call_id"): item["name"] for item in calls if item["name"] not in ours}
        fetched = {item.get("call_id") for item in calls if item["name"] in ours}
        items = await in_thread(
            lambda: [item if item.get("call_id") in fetched else self._item(item, names) for item in sent.input]
        )
        if self._clear is not None:
            from overspill.history.messages import clear_by

            rules = self._clear
            items = await in_thread(lambda: clear_by(rules, items, self._results.spill))
        return replace(sent, input=items)

    def _item(self, item: Any, names: Mapping[Any, str]) -> Any:
        if item.get("type") not in OUTPUT_TYPES or not item.get("output"):
            return item
        name = item.get("name") or names.get(item.get("call_id"), "")
        output = item["output"]
        return {**item, "output": self._text(output, name) if isinstance(output, str) else self._parts(output, name)}

    def _parts(self, parts: Any, name: str) -> Any:
        if not isinstance(parts, list):
            return parts
        return [
            {key: self._text(value, name) if key in TEXT_KEYS else value for key, value in part.items()}
            for part in parts
        ]

    def _text(self, text: Any, name: str) -> Any:
        """The view of a text; the same one whenever it comes by."""
        if not isinstance(text, str):
            return text
        key = text_digest(text)
        view = self._views.pop(key, None)
        self._views[key] = view = self._results.fit(text, name).text if view is None else view
        while len(self._views) > MOST_VIEWS:
            self._views.popitem(last=False)
        return view


def _is_artifact_tool(tool: Any) -> bool:
    return getattr(getattr(tool, "on_invoke_tool", None), ARTIFACT_TOOL, False) is True
